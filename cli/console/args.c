#include "cli/console/args.h"

#include "cli/console/log.h"
#include "lib/base/names.h"
#include "optim/nlp/options.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OPTION(name_, value_, field_, ...)                                                         \
  { .name = name_, .value = value_, .field = offsetof(cli_args, field_), .what = __VA_ARGS__ }

// all options of all commands: name, name of the value, field of cli_args, description, and allowed
// words if restricted
static const struct option {
  const char *name, *value;
  size_t field; // of a bool if value is NULL, of a double if `high` is not 0, else of a string
  const char *what;
  const char *choices; // allowed words separated by spaces; NULL: anything
  const char *path;    // of an option of a solver: its key in a problem file; else NULL
  double low, high;    // of a number: low < x <= high, or if it is whole low <= x <= high
  bool whole;
  const char *word; // allowed instead of a number; NULL: none
  double means;     // the number that it stands for
} options[] = {
    OPTION("-o", "DIR", out, "write there (default: results/ and the problem's name)"),
    OPTION("-o", "FILE", out, "the file to write; its suffix names the format"),
    OPTION("--to", "FORMAT", to, "mcap, npz or mujoco (default: by the suffix of -o)",
           .choices = "mcap npz mujoco"),
    OPTION("-o", "TUNED", out, "the file to write (default: beside the problem, NAME-tuned.yaml)"),
    OPTION(
        "--from", "DIR", from,
        "start from the trajectory of that result folder, and from its multipliers where they fit"),
    OPTION("--inputs", "WORD", inputs,
           "all: a motor on every joint, in place of the file's inputs (inputs: all)",
           .choices = "all"),
    OPTION("--knot", "K", knot, "only this knot"),
    OPTION("--method", "METHOD", method,
           "descent methods, separated by commas (default: newton), or all one after the other",
           .choices = "steepest bb cg lbfgs quasi paper ddp shift trust newton all"),
    OPTION("--compare", NULL, compare,
           "run all methods, or those of --method, from N starts and compare work and success"),
    OPTION("--laws", NULL, laws,
           "judge the theorems on the problem's own map: order, symplectic form, momenta, energy"),
    OPTION("--kept", "NAMES", kept,
           "with --laws: outputs that the motion should keep, separated by commas"),
    OPTION("--second", NULL, second, "write second derivatives, too: second.csv"),
    OPTION("--window", "W", window,
           "steps of a window of controllability (default: as many as states)"),
    OPTION("--outputs", "NAMES", outputs,
           "coordinates that are measured, separated by commas (default: all)"),
    OPTION("--what", "WHAT", what, "one of the parts below, or all (the default)"),
    OPTION("--only", "NAMES", only,
           "only these coordinates, inputs, outputs and contacts, separated by commas"),
    OPTION("--x", "COLUMN", x, "columns, order: against this column (default: time)"),
    OPTION("--y", "COLUMNS", y,
           "columns, order: these, separated by commas; q stands for all of q.NAME"),
    OPTION("--table", "FILE", table,
           "columns: of this table of the folder (default: the first that has them)"),
    OPTION("--points", "POINTS", points,
           "path, frames: bodies, or BODY:X:Y:Z, points in their frames, separated by commas"),
    OPTION("--plane", "AXES", plane,
           "path, frames: seen in this plane of the world, such as xz (default: the widest)"),
    OPTION("--each", NULL, each, "path: a panel for each folder"),
    OPTION("--times", "LIST", times, "frames at these times, order at this time, s"),
    OPTION("--against", "REFERENCE", against,
           "difference, order: from this folder (default: the first, or the finest) or number"),
    OPTION("--xrange", "LOW:HIGH", xrange, "columns, phase, path, frames, order: horizontally"),
    OPTION("--yrange", "LOW:HIGH", yrange, "the same vertically"),
    OPTION("--log", "AXES", log, "columns, difference: logarithms on these axes",
           .choices = "x y xy"),
    OPTION("--names", "NAMES", names,
           "of several folders in the legend, separated by commas (default: of the folders)"),
    OPTION(
        "--q", "LIST", q,
        "configuration: numbers separated by commas, in the order of names; or one number for all"),
    OPTION("--v", "LIST", v, "velocity, likewise"),
    OPTION("--a", "LIST", a, "acceleration, likewise (default 0)"),
    OPTION("--u", "LIST", u, "inputs, likewise: of --output, for outputs of inputs"),
    OPTION("--output", "NAME", output,
           "only this output of the file, one of its rows, a link's frame, or all; --v may be left "
           "out"),
    OPTION("--hessian", NULL, hessian, "of --output: second derivatives, too"),
    OPTION("--floating", NULL, floating,
           "put a base free to move in six ways under the robot file's root"),
    OPTION("--single", NULL, single, "use single precision for tables and arithmetic"),
    OPTION("--mpc", NULL, mpc, "receding-horizon control (the section 'mpc'), not the gains"),
    OPTION("--prefix", "NAME", prefix, "of names and files (default: controller)"),
    OPTION("--formula", "NAME", formula,
           "only this formula of the file as C99, NAME.c and NAME.h: value and gradient"),
    OPTION("--all", NULL, all,
           "write a function for each form of measurement, not only feedback.measure's"),
    OPTION("--now", NULL, now, "use the problem file as it is now, not the copy in DIR"),
    OPTION("--force", NULL, force, "export even where no verification succeeded"),
    OPTION("--vary", "KEY=VALUES", vary,
           "a key of the file, from:to:count or a,b,c: horizon.time=1:3:5; again for a grid"),
    OPTION("--hold-out", "FILE", held,
           "a log that is not fitted, but predicted by the fit; again for others"),
    OPTION("--parameters", "PATHS", parameters,
           "fit these, separated by commas, in place of the file's; none: the robot as it is"),
    OPTION("--starts", "N", starts,
           "N guesses: the problem's, then seeded ones around it (default 1)", .low = 1,
           .high = CLI_MOST_STARTS, .whole = true),
    OPTION("--starts", "K", searches,
           "auto, or from so many guesses at most, in place of the file's starts", .low = 1,
           .high = CLI_MOST_STARTS, .whole = true, .word = "auto", .means = OC_SEARCHES_AUTO),
    OPTION("--wander", "SIZE", wander, "size of the seeded changes, rad or m (default 0.5)",
           .high = INFINITY),
    OPTION("--run", NULL, whole, "run each case through all stages, to verify"),
    OPTION("--keep", NULL, keep, "store a result folder for each case, by its key"),
    OPTION("--threads", "K", threads,
           "samples, levels, tries, searches and cases on K processors at once (default: all there "
           "are)",
           .low = 1, .high = CLI_WORKERS, .whole = true),
    OPTION("--verbose", NULL, verbose, "print IPOPT's log on stderr"),
    OPTION("--json", NULL, json, "print one JSON object on stdout, and nothing else there"),
    OPTION("--quiet", NULL, quiet, "print no progress and no notes, only errors"),
    OPTION("--help", NULL, help, "this text"),
};

enum {
  NOPTION = sizeof options / sizeof options[0],
  NCOMMON = 3,      // the last ones are common to all commands
  CLI_CHOICES = 16, // maximum number of allowed words
  ALL_OPTIONS = NOPTION + OC_OPTION_COUNT
};

// whether the usage string contains the option, as a whole word before the name of its value
static bool takes_option(const cli_command *c, const struct option *o) {
  if (o >= options + NOPTION - NCOMMON) return true;

  // the whole name, then the name of its value, because -o DIR and -o FILE are different options
  size_t len = strlen(o->name);
  for (const char *at = c->usage; (at = strstr(at, o->name)); at += len)
    if (strchr(" [", at[-1]) && (o->value ? strncmp(at + len + 1, o->value, strlen(o->value)) == 0
                                          : strchr(" ]", at[len]) != NULL))
      return true;
  return false;
}

// a row of optim/nlp/options.h as an option
static struct option solver_option(const oc_option *o) {
  return (struct option){.name = o->flag,
                         .value = o->value,
                         .what = o->help,
                         .choices = o->type == OC_OPTION_NUMBER || !o->value ? NULL : o->words,
                         .path = o->path};
}

// all options of a command: of its usage, of solvers, common ones; the number of them
static int list_options(const cli_command *c, struct option list[ALL_OPTIONS]) {
  int n = 0;
  for (const struct option *o = options; o < options + NOPTION; o++) {
    if (o == options + NOPTION - NCOMMON)
      for (int i = 0; i < OC_OPTION_COUNT; i++)
        if (oc_option_rows[i].flag && oc_option_rows[i].read_by & c->solves)
          list[n++] = solver_option(&oc_option_rows[i]);
    if (takes_option(c, o)) list[n++] = *o;
  }
  return n;
}

// the option with this name of len bytes, or NULL
static const struct option *find_option(const struct option *list, int n, const char *name,
                                        size_t len) {
  for (const struct option *o = list; o < list + n; o++)
    if (strlen(o->name) == len && !strncmp(o->name, name, len)) return o;
  return NULL;
}

// suggest the option meant by a misspelled one, in text; "" if none is similar
static void suggest_option(const struct option *list, int nlist, const char *word,
                           char text[CLI_SUGGESTION]) {
  const char *known[ALL_OPTIONS];
  const int dashes = (int)strspn(word, "-");
  text[0] = 0;

  // leading dashes are ignored in the comparison
  for (int i = 0; i < nlist; i++) known[i] = list[i].name + strspn(list[i].name, "-");
  const char *near = dm_names_nearest(known, nlist, word + dashes);

  // -o has no long name
  if (!strncmp(word + dashes, "out", 3) && find_option(list, nlist, "-o", 2)) near = "o";
  if (near)
    snprintf(text, CLI_SUGGESTION, "; did you mean '%s%.200s'?", near[1] ? "--" : "-", near);
}

static int refuse_option(const cli_args *args, const struct option *list, int n, const char *word) {
  char near[CLI_SUGGESTION];
  suggest_option(list, n, word, near);
  return cli_fail(args, CLI_INPUT, "%s has no option '%s'%s; see dmoc %s --help",
                  args->command->name, word, near, args->command->name);
}

// the index of a value among the option's choices; -1 after refusing it
static int pick_word(const cli_args *args, const struct option *o, const char *value) {
  char words[80], list[160], near[CLI_SUGGESTION];
  const char *known[CLI_CHOICES];
  int n = 0;
  snprintf(words, sizeof words, "%s", o->choices);
  for (char *rest = words, *word; n < CLI_CHOICES && (word = strtok_r(rest, " ", &rest));)
    known[n++] = word;
  const int at = dm_names_find(known, n, value);
  if (at >= 0) return at;

  // list all and suggest the nearest
  cli_fail(args, CLI_INPUT, "%s takes %s, got '%s'%s", o->name,
           dm_names_list(known, n, list, sizeof list), value, cli_suggest(known, n, value, near));
  return -1;
}

// read the number of an option
static int read_number(const cli_args *args, const struct option *o, const char *text, double *x) {
  double value = 0;
  char range[60] = "number above 0";
  if (o->word && !strcmp(text, o->word)) {
    *x = o->means;
    return CLI_DONE;
  }
  const bool number = pb_number_parse(text, &value) == DM_OK;
  const bool whole = o->whole && value >= o->low && value == floor(value);
  if (number && value <= o->high && (whole || (!o->whole && value > o->low))) {
    *x = value;
    return CLI_DONE;
  }
  if (o->whole) snprintf(range, sizeof range, "whole number, %.0f to %.0f", o->low, o->high);
  return cli_fail(args, CLI_INPUT, "%s takes %s%sa %s, got '%s'", o->name, o->word ? o->word : "",
                  o->word ? ", or " : "", range, text);
}

static bool is_repeated(const struct option *o) {
  return !o->path && (o->field == offsetof(cli_args, vary) || o->field == offsetof(cli_args, held));
}

static int append_word(const cli_args *args, const struct option *o, const char *value, int most,
                       int *n, const char **list) {
  if (*n == most)
    return cli_fail(args, CLI_INPUT, "%s can be given at most %d times", o->name, most);
  list[(*n)++] = value;
  return CLI_DONE;
}

// store the value of an option; some may be repeated
static int store_option(cli_args *args, const struct option *o, const char *value) {
  if (o->path) {
    if (o->choices && pick_word(args, o, value) < 0) return CLI_INPUT;
    if (args->nreplace == CLI_SOLVER_OPTIONS)
      return cli_fail(args, CLI_INPUT, "found more than %d options of solvers, expected fewer",
                      CLI_SOLVER_OPTIONS);
    args->options[args->nreplace++] =
        (pb_replace){.path = o->path, .text = value ? value : "true", .flag = o->name};
    args->replace = args->options;
    return CLI_DONE;
  }
  char *field = (char *)args + o->field;
  if (o->high > 0) return read_number(args, o, value, (double *)(void *)field);
  const bool varies = o->field == offsetof(cli_args, vary);
  if (!o->value)
    *(bool *)field = true;
  else if (!is_repeated(o))
    *(const char **)field = value;
  else
    return varies ? append_word(args, o, value, CLI_VARY, &args->vary.n, args->vary.word)
                  : append_word(args, o, value, CLI_HELD, &args->held.n, args->held.word);
  return CLI_DONE;
}

// read an option, with its value after '=' or in the next word; *used: the number of words read
static int read_option(cli_args *args, int n, char *const *word, int *used) {
  struct option list[ALL_OPTIONS];
  const int nlist = list_options(args->command, list);

  // split -o and --key=value
  size_t len = strncmp(word[0], "--", 2) ? strlen(word[0]) : strcspn(word[0], "=");
  const struct option *o = find_option(list, nlist, word[0], len);
  if (!o) return refuse_option(args, list, nlist, word[0]);

  const char *value = NULL;

  // its value: none, after '=', or the next word unless that is an option
  *used = 1;
  if (!o->value) {
    if (word[0][len]) return cli_fail(args, CLI_INPUT, "%s takes no value", o->name);
  } else if (word[0][len]) {
    value = word[0] + len + 1;
  } else {
    if (n < 2)
      return cli_fail(args, CLI_INPUT, "%s needs a value: %s %s", o->name, o->name, o->value);
    if (find_option(list, nlist, word[1], strlen(word[1])))
      return cli_fail(args, CLI_INPUT, "%s needs a value: found the option '%s', expected %s %s",
                      o->name, word[1], o->name, o->value);
    value = word[1];
    *used = 2;
  }
  return store_option(args, o, value);
}

// read an operand: the only one, unless those of the usage end with several
static int read_operand(cli_args *args, const char *word) {
  const char *usage = args->command->usage, *end = strstr(usage, " ["), *o = strstr(usage, " -");
  if (o && (!end || o < end)) end = o;
  const int length = end ? (int)(end - usage) : (int)strlen(usage);
  const bool many = length > 3 && !strncmp(usage + length - 3, "...", 3);
  if (args->operands.n && !many)
    return cli_fail(args, CLI_INPUT, "expected one %.*s, found '%s' after '%s'", length, usage,
                    word, args->operand);
  if (args->operands.n == CLI_OPERANDS)
    return cli_fail(args, CLI_INPUT, "%s takes %d of %.*s at most", args->command->name,
                    CLI_OPERANDS, length - 3, usage);
  if (!args->operands.n) args->operand = word;
  args->operands.word[args->operands.n++] = word;
  return CLI_DONE;
}

int cli_args_read(cli_args *args, int n, char *const *word) {
  // options and operands in any order
  for (int i = 0, used = 1; i < n; i += used, used = 1) {
    const bool option = word[i][0] == '-' && word[i][1];
    const int status =
        option ? read_option(args, n - i, word + i, &used) : read_operand(args, word[i]);
    if (status != CLI_DONE) return status;
  }

  // the operand is the first word of the usage
  if (!args->operand && !args->help)
    return cli_fail(args, CLI_INPUT, "usage: dmoc %s %s", args->command->name,
                    args->command->usage);
  return CLI_DONE;
}

int cli_args_pick(const cli_args *args, const char *name, const char *value) {
  const struct option *o = options;
  while (strcmp(o->name, name)) o++;
  return pick_word(args, o, value);
}

bool cli_args_option(const cli_command *c, int i, cli_option *option) {
  struct option list[ALL_OPTIONS];
  const int n = list_options(c, list);
  if (i >= n) return false;
  const struct option *o = &list[i];
  *option = (cli_option){
      .name = o->name,
      .value = o->value,
      .what = o->what,
      .choices = o->choices,
      .common = i >= n - NCOMMON,
      .again = is_repeated(o),
  };
  return true;
}

void cli_args_help(FILE *f, const cli_command *c) {
  struct option list[ALL_OPTIONS];
  const int n = list_options(c, list);
  fprintf(f, "usage: dmoc %s %s%s\n\n%s\n\n", c->name, c->usage,
          c->solves ? " [options of solvers]" : "", c->what);

  // the second column begins after the longest option
  int width = 14;
  for (const struct option *o = list; o < list + n; o++) {
    const int length = (int)(strlen(o->name) + (o->value ? strlen(o->value) + 1 : 0));
    if (length > width) width = length;
  }

  // options, then the command's additional help
  for (const struct option *o = list; o < list + n; o++) {
    char left[40];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    fprintf(f, "  %-*s %s\n", width, left, o->what);
  }
  if (c->more) c->more(f);
}

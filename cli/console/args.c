#include "cli/console/args.h"

#include "cli/console/log.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// every option of every command: its name, its value's name, where it goes, what it means
static const struct option {
  const char *name, *value;
  size_t field; // of a bool where value is NULL, else of a string
  const char *what;
} options[] = {
    {"-o", "DIR", offsetof(cli_args, out),
     "write there (default: results/ and the problem's name)"},
    {"-o", "FILE", offsetof(cli_args, out), "the picture; its suffix names the format"},
    {"--from", "DIR", offsetof(cli_args, from),
     "start from the trajectory of that result folder, and from its multipliers where they fit"},
    {"--knot", "K", offsetof(cli_args, knot), "this knot alone"},
    {"--method", "METHOD", offsetof(cli_args, method),
     "steepest, quasi, newton (the default), or all three one after the other"},
    {"--kkt", "SOLVER", offsetof(cli_args, kkt),
     "of the directions' problem: riccati (the default), or cholmod, one sparse system"},
    {"--paper", NULL, offsetof(cli_args, paper),
     "paper 001's rule where newton's problem is not convex: quasi, then steepest"},
    {"--quasi", "N", offsetof(cli_args, quasi), "the first N iterations are quasi's (default 0)"},
    {"--tol", "SLOPE", offsetof(cli_args, tol),
     "end below this slope, in units of the cost (default 1e-6)"},
    {"--second", NULL, offsetof(cli_args, second), "second derivatives, too: second.csv"},
    {"--window", "W", offsetof(cli_args, window),
     "steps over which inputs reach and outputs show (default: as many as states)"},
    {"--outputs", "NAMES", offsetof(cli_args, outputs),
     "coordinates that are measured, separated by commas (default: all)"},
    {"--what", "WHAT", offsetof(cli_args, what), "one of the parts below, or all (the default)"},
    {"--only", "NAMES", offsetof(cli_args, only),
     "these coordinates and inputs alone, separated by commas"},
    {"--x", "COLUMN", offsetof(cli_args, x), "columns, order: against this column (default: time)"},
    {"--y", "COLUMNS", offsetof(cli_args, y),
     "columns, order: these, separated by commas; q stands for all of q.NAME"},
    {"--table", "FILE", offsetof(cli_args, table),
     "columns: of this table of the folder (default: the first that has them)"},
    {"--points", "POINTS", offsetof(cli_args, points),
     "path, frames: bodies, or BODY:X:Y:Z, points in their frames, separated by commas"},
    {"--plane", "AXES", offsetof(cli_args, plane),
     "path, frames: seen in this plane of the world, such as xz (default: the widest)"},
    {"--each", NULL, offsetof(cli_args, each), "path: a panel for each folder"},
    {"--times", "LIST", offsetof(cli_args, times), "frames at these times, order at this time, s"},
    {"--against", "REFERENCE", offsetof(cli_args, against),
     "difference, order: from this folder (default: the first, or the finest) or number"},
    {"--xrange", "LOW:HIGH", offsetof(cli_args, xrange),
     "columns, phase, path, frames: of the horizontal axis"},
    {"--yrange", "LOW:HIGH", offsetof(cli_args, yrange), "the same of the vertical one"},
    {"--log", "AXES", offsetof(cli_args, log), "columns, difference: logarithms on x, y or xy"},
    {"--names", "NAMES", offsetof(cli_args, names),
     "of several folders in the legend, separated by commas (default: of the folders)"},
    {"--q", "LIST", offsetof(cli_args, q),
     "configuration: numbers separated by commas, in the order of names; or one number for all"},
    {"--v", "LIST", offsetof(cli_args, v), "velocity, likewise"},
    {"--a", "LIST", offsetof(cli_args, a), "acceleration, likewise (default 0)"},
    {"--floating", NULL, offsetof(cli_args, floating),
     "put a base free to move in six ways under the robot file's root"},
    {"--single", NULL, offsetof(cli_args, single), "tables and arithmetic in single precision"},
    {"--all", NULL, offsetof(cli_args, all),
     "a function for each form of measurement, not only feedback.measure's"},
    {"--now", NULL, offsetof(cli_args, now),
     "of DIR: by the problem file as it is now, in place of the copy that DIR keeps"},
    {"--force", NULL, offsetof(cli_args, force), "also where nothing says that the gains hold"},
    {"--vary", "KEY=VALUES", offsetof(cli_args, vary),
     "a key of the file, from:to:count or a,b,c: horizon.time=1:3:5; again for a grid"},
    {"--starts", "N", offsetof(cli_args, starts),
     "N guesses: the problem's, then seeded ones around it (default 1)"},
    {"--wander", "SIZE", offsetof(cli_args, wander),
     "how far those are off, rad or m (default 0.5)"},
    {"--run", NULL, offsetof(cli_args, whole), "each case the whole way, to verify"},
    {"--keep", NULL, offsetof(cli_args, keep), "a result folder for each case, by its key"},
    {"--json", NULL, offsetof(cli_args, json), "one JSON object on stdout, and nothing else there"},
    {"--quiet", NULL, offsetof(cli_args, quiet), "no progress and no notes, only errors"},
    {"--help", NULL, offsetof(cli_args, help), "this text"},
};
// the values that are one of some words
static const char *const choices[][2] = {
    {"METHOD", "steepest quasi newton all"},
    {"SOLVER", "riccati cholmod"},
};

enum { NOPTION = sizeof options / sizeof options[0], NCOMMON = 3 }; // the last are common to all

// whether the usage string offers the option, as a word of its own before its value's name
static bool takes_option(const cli_command *c, const struct option *o) {
  if (o >= options + NOPTION - NCOMMON) return true;

  // the name as a whole word; its value's name after it, as -o DIR and -o FILE differ
  size_t len = strlen(o->name);
  for (const char *at = c->usage; (at = strstr(at, o->name)); at += len)
    if (strchr(" [", at[-1]) && (o->value ? strncmp(at + len + 1, o->value, strlen(o->value)) == 0
                                          : strchr(" ]", at[len]) != NULL))
      return true;
  return false;
}

static bool is_option(const cli_command *c, const char *word) {
  for (const struct option *o = options; o < options + NOPTION; o++)
    if (takes_option(c, o) && !strcmp(o->name, word)) return true;
  return false;
}

static int refuse_option(const cli_args *args, const char *word) {
  // of this command's options alone
  const char *known[NOPTION];
  int n = 0;
  for (const struct option *o = options; o < options + NOPTION; o++)
    if (takes_option(args->command, o)) known[n++] = o->name;
  char near[CLI_SUGGESTION];
  return cli_fail(args, CLI_INPUT, "%s has no option '%s'%s; see dmoc %s --help",
                  args->command->name, word, cli_suggest(known, n, word, near),
                  args->command->name);
}

// one option, with its value after '=' or in the next word; *used counts the words taken
static int read_option(cli_args *args, int n, char *const *word, int *used) {
  const struct option *o = options;

  // -o alone and --key=value: which option it is
  size_t len = strncmp(word[0], "--", 2) ? strlen(word[0]) : strcspn(word[0], "=");
  while (o < options + NOPTION && (strlen(o->name) != len || strncmp(o->name, word[0], len) ||
                                   !takes_option(args->command, o)))
    o++;
  if (o == options + NOPTION) return refuse_option(args, word[0]);
  char *field = (char *)args + o->field;

  const char *value = NULL;
  bool many = o->field == offsetof(cli_args, vary); // may be given again

  // its value: none, behind '=', or the next word, unless that is an option
  *used = 1;
  if (!o->value) {
    if (word[0][len]) return cli_fail(args, CLI_INPUT, "%s takes no value", o->name);
    *(bool *)field = true;
  } else if (word[0][len]) {
    value = word[0] + len + 1;
  } else {
    if (n < 2)
      return cli_fail(args, CLI_INPUT, "%s needs a value: %s %s", o->name, o->name, o->value);
    if (is_option(args->command, word[1]))
      return cli_fail(args, CLI_INPUT, "%s needs a value: found the option '%s', expected %s %s",
                      o->name, word[1], o->name, o->value);
    value = word[1];
    *used = 2;
  }

  // into its field; --vary may come again
  if (many && args->vary.n == CLI_VARY)
    return cli_fail(args, CLI_INPUT, "%s can be given %d times", o->name, CLI_VARY);
  if (many)
    args->vary.word[args->vary.n++] = value;
  else if (o->value)
    *(const char **)field = value;
  return CLI_DONE;
}

// an operand: the only one, but of a command whose usage begins with one of several
static int read_operand(cli_args *args, const char *word) {
  const char *usage = args->command->usage;
  const int length = (int)strcspn(usage, " ");
  const bool many = length > 3 && !strncmp(usage + length - 3, "...", 3);
  if (args->operands.n && !many)
    return cli_fail(args, CLI_INPUT, "one %.*s is enough: '%s' after '%s'", length, usage, word,
                    args->operand);
  if (args->operands.n == CLI_OPERANDS)
    return cli_fail(args, CLI_INPUT, "%s takes %d of %.*s at most", args->command->name,
                    CLI_OPERANDS, length - 3, usage);
  if (!args->operands.n) args->operand = word;
  args->operands.word[args->operands.n++] = word;
  return CLI_DONE;
}

int cli_args_read(cli_args *args, int n, char *const *word) {
  // options anywhere, operands between them
  for (int i = 0, used = 1; i < n; i += used, used = 1) {
    const bool option = word[i][0] == '-' && word[i][1];
    const int status =
        option ? read_option(args, n - i, word + i, &used) : read_operand(args, word[i]);
    if (status != CLI_DONE) return status;
  }

  // the operand is what the usage begins with
  if (!args->operand && !args->help)
    return cli_fail(args, CLI_INPUT, "usage: dmoc %s %s", args->command->name,
                    args->command->usage);
  return CLI_DONE;
}

// the words that a value is one of, by its name; NULL: it may be anything
static const char *find_choices(const char *value) {
  for (size_t i = 0; value && i < sizeof choices / sizeof choices[0]; i++)
    if (!strcmp(choices[i][0], value)) return choices[i][1];
  return NULL;
}

bool cli_args_option(const cli_command *c, int i, cli_option *option) {
  for (const struct option *o = options; o < options + NOPTION; o++)
    if (takes_option(c, o) && i-- == 0) {
      *option = (cli_option){
          .name = o->name,
          .value = o->value,
          .what = o->what,
          .choices = find_choices(o->value),
          .common = o >= options + NOPTION - NCOMMON,
          .again = o->field == offsetof(cli_args, vary),
      };
      return true;
    }
  return false;
}

void cli_args_help(FILE *f, const cli_command *c) {
  fprintf(f, "usage: dmoc %s %s\n\n%s\n\n", c->name, c->usage, c->what);

  // each option that the usage offers, then what the command has to add
  for (const struct option *o = options; o < options + NOPTION; o++)
    if (takes_option(c, o)) {
      char left[32];
      snprintf(left, sizeof left, "%s %s", o->name, o->value ? o->value : "");
      fprintf(f, "  %-14s %s\n", left, o->what);
    }
  if (c->more) c->more(f);
}

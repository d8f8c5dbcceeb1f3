#include "cli/commands/formula_text.h"

#include "cli/console/log.h"
#include "cli/results/commit.h"
#include "control/codegen/tape_source.h"
#include "lib/base/names.h"
#include "problems/readers/task/problem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 64, MOST = 64 };

typedef struct exporter {
  const cli_args *args;
  const pb_problem *p;
  const dm_model *m;
  dm_outputs *rows; // of outputs that a formula has, or NULL
  dm_output_map y;
} exporter;

// "q.elbow" of coordinate i, in `text`
static const char *put_name(char group, const char *name, char text[NAME]) {
  snprintf(text, NAME, "%c.%.56s", group, name);
  return text;
}

static const char *name_row(const exporter *e, int row, char text[NAME]) {
  snprintf(text, NAME, "%.63s", dm_output_map_name(&e->y, row));
  return text;
}

static const char *name_of_output(const exporter *e, const dm_output_variable *x, char text[NAME]) {
  switch (x->of) {
  case DM_OF_Q:
    return put_name('q', e->m->name[x->at], text);
  case DM_OF_V:
    return put_name('v', e->m->name[x->at], text);
  case DM_OF_U:
    return put_name('u', e->m->input_name[x->at], text);
  case DM_OF_P:
    return put_name('p', e->m->name[x->at], text);
  case DM_OF_LAMBDA:
    snprintf(text, NAME, "lambda.%.56s", e->p->names.row[x->at]);
    return text;
  case DM_OF_TIME:
    return (const char *const[]){"t", "T", "h"}[x->at];
  case DM_OF_ROW:
    break;
  }
  return name_row(e, x->at, text);
}

// of a part: dm_formula.variable
static const char *name_of_part(const exporter *e, int i, char text[NAME]) {
  const dm_model *m = e->m;
  if (i < 0) return name_row(e, -1 - i, text);
  if (i < 2 * m->nq) return put_name(i < m->nq ? 'q' : 'v', m->name[i % m->nq], text);
  int own = 0; // inputs of formulas are the last
  const dm_formulas *parts = e->p->robot.mechanism.formulas;
  if (dm_formulas_act(parts)) own = dm_formulas_force(parts).nu;
  return put_name('u', m->input_name[m->nu - own + i - 2 * m->nq], text);
}

// the rows that the variables of a formula are
static int open_rows(exporter *e, int n, const dm_output *list) {
  dm_outputs_free(e->rows);
  e->rows = NULL;
  if (!n) return CLI_DONE;
  if (dm_outputs_new(&e->rows, e->m, n, list, NULL) != DM_OK)
    return cli_fail(e->args, CLI_FAULT, "out of memory");
  const dm_holonomic signals = dm_outputs_signals(e->rows);
  e->y = dm_outputs_map(e->rows, &signals, e->m->nq);
  return CLI_DONE;
}

// -- files

// a file is written whole or removed; no link is followed
static int write_file(const exporter *e, const fb_tape_text *t, const char *ending,
                      void (*write)(FILE *f, const fb_tape_text *t)) {
  char path[1200];
  const char *folder = e->args->out ? e->args->out : ".";
  snprintf(path, sizeof path, "%.1000s/%.80s.%s", folder, t->name, ending);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
  if (!f) return cli_fail(e->args, CLI_INPUT, "%s: %s", path, strerror(errno));
  write(f, t);
  if (cli_commit_close(f, false)) return CLI_DONE;
  const int why = errno;
  unlink(path);
  return cli_fail(e->args, CLI_INPUT, "%s: %s", path, strerror(why));
}

static int write_text(const exporter *e, const fb_tape_text *t) {
  static const struct {
    const char *ending;
    void (*write)(FILE *f, const fb_tape_text *t);
  } files[] = {{"h", fb_tape_header}, {"c", fb_tape_source}};
  const char *out = e->args->out;
  if (out && mkdir(out, 0777) && errno != EEXIST)
    return cli_fail(e->args, CLI_INPUT, "%s: %s", out, strerror(errno));
  for (int i = 0; i < 2; i++) {
    const int status = write_file(e, t, files[i].ending, files[i].write);
    if (status != CLI_DONE) return status;
  }
  if (!e->args->silent && !e->args->quiet) printf("written %s.h, %s.c\n", t->name, t->name);
  return CLI_DONE;
}

// functions of math.h, and others of C that compilers know or programs call
static const char *const functions[] = {
    "acosh",     "asinh",  "atanh",   "cbrt",   "ceil",      "copysign",  "erf",        "erfc",
    "exp2",      "expm1",  "fabs",    "fdim",   "floor",     "fma",       "fmax",       "fmin",
    "fmod",      "frexp",  "gamma",   "ilogb",  "j0",        "j1",        "jn",         "ldexp",
    "lgamma",    "llrint", "llround", "log10",  "log1p",     "log2",      "logb",       "lrint",
    "lround",    "math",   "modf",    "nan",    "nearbyint", "nextafter", "nexttoward", "pow",
    "remainder", "remquo", "rint",    "round",  "scalbln",   "scalbn",    "tgamma",     "trunc",
    "y0",        "y1",     "yn",      "abort",  "calloc",    "clock",     "div",        "exit",
    "free",      "index",  "labs",    "malloc", "memcpy",    "memset",    "printf",     "puts",
    "rand",      "read",   "realloc", "remove", "rename",    "signal",    "strlen",     "system",
    "time",      "write"};

static bool is_function(const char *name) {
  for (int i = 0; i < dm_tape_functions(); i++)
    if (!strcmp(dm_tape_function_at(i)->name, name)) return true;
  return dm_names_find(functions, sizeof functions / sizeof *functions, name) >= 0;
}

// is a name one of C, or of its library, also in the precisions f and l?
static bool is_reserved(const char *name) {
  static const char *const words[] = {
      "auto",   "break",  "case",     "char",   "const",    "continue", "default", "do",
      "double", "else",   "enum",     "extern", "float",    "for",      "goto",    "if",
      "inline", "int",    "long",     "main",   "register", "restrict", "return",  "short",
      "signed", "sizeof", "static",   "struct", "switch",   "typedef",  "union",   "unsigned",
      "void",   "while",  "volatile", "x",      "by_x"};
  char root[NAME];
  const size_t n = strlen(name);
  if (is_function(name) || dm_names_find(words, sizeof words / sizeof *words, name) >= 0)
    return true;
  if (n < 2 || n >= sizeof root || !strchr("fl", name[n - 1])) return false;
  memcpy(root, name, n);
  root[n - 1] = 0;
  return is_function(root);
}

// a name in C: other characters become _; behind it _1, _2 of several
static void put_identifier(const char *name, int index, char text[80]) {
  const bool clear = isalpha((unsigned char)name[0]) && !is_reserved(name);
  snprintf(text, 80, "%s%.60s", clear ? "" : "f_", name);
  for (char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  if (index) snprintf(text + strlen(text), 13, "_%d", index);
}

// about: what the formula is, for a comment
static int write_formula(exporter *e, const char *name, const char *about, int index,
                         const dm_tape *f, const dm_output_variable *of_output,
                         const int *of_part) {
  char identifier[80], (*text)[NAME] = calloc((size_t)f->nx + 1, sizeof *text);
  const char **variable = calloc((size_t)f->nx + 1, sizeof *variable);
  int status = text && variable ? CLI_DONE : cli_fail(e->args, CLI_FAULT, "out of memory");
  for (int a = 0; status == CLI_DONE && a < f->nx; a++)
    variable[a] = of_output ? name_of_output(e, &of_output[a], text[a])
                            : name_of_part(e, of_part[a], text[a]);
  put_identifier(name, index, identifier);
  const fb_tape_text t = {.name = identifier, .text = about, .f = f, .variable = variable};
  if (status == CLI_DONE && !f->nx)
    status = cli_fail(e->args, CLI_INPUT,
                      "--formula: found '%.64s', which is constant, expected "
                      "one with variables",
                      name);
  if (status == CLI_DONE) status = write_text(e, &t);
  free(variable);
  free(text);
  return status;
}

// -- the formula of a name

static int write_output(exporter *e, int i) {
  const dm_output *o = &e->p->robot.outputs.list[i];
  const int status = open_rows(e, i, e->p->robot.outputs.list);
  if (status != CLI_DONE) return status;
  return write_formula(e, o->name, o->name, 0, o->formula, o->variable, NULL);
}

// "air, the force along x" of a component of a force on a body
static void describe_part(const dm_formula *x, char text[120]) {
  const dm_load *on = x->along;
  const char *frame = on && on->kind == DM_WRENCH_BODY ? "body" : "world";
  snprintf(text, 120, "%.64s", x->name);
  for (int k = 0; on && k < 3; k++)
    if (on->force[k] != 0 || on->torque[k] != 0)
      snprintf(text, 120, "%.64s, the %s along %c of the %s", x->name,
               on->force[k] != 0 ? "force" : "torque", "xyz"[k], frame);
}

// all parts of a name, the components of a force: those that are constant have no file
static int write_parts(exporter *e, const dm_formulas *parts, const char *name) {
  int count = 0, variable = 0, written = 0, status = CLI_DONE;
  char about[120];
  for (int i = 0; i < dm_formulas_count(parts); i++) {
    const dm_formula *x = dm_formulas_get(parts, i);
    if (strcmp(x->name, name) != 0) continue;
    count++;
    variable += x->f->nx > 0;
  }
  for (int i = 0; status == CLI_DONE && i < dm_formulas_count(parts); i++) {
    const dm_formula *x = dm_formulas_get(parts, i);
    if (strcmp(x->name, name) != 0) continue;
    written++;
    describe_part(x, about);
    if (variable && !x->f->nx) {
      cli_note(e->args, "%s is constant: it has no file", about);
      continue;
    }
    status = open_rows(e, x->noutputs, x->output);
    if (status == CLI_DONE)
      status = write_formula(e, name, about, count > 1 ? written : 0, x->f, NULL, x->variable);
  }
  return status;
}

static int find_formula(exporter *e, const char *name) {
  const pb_outputs *o = &e->p->robot.outputs;
  const dm_formulas *parts = e->p->robot.mechanism.formulas;
  const char *known[MOST];
  char text[400];
  int n = 0;
  for (int i = 0; i < o->n && o->list; i++) {
    if (!o->list[i].formula) continue;
    if (!strcmp(o->list[i].name, name)) return write_output(e, i);
    if (n < MOST) known[n++] = o->list[i].name;
  }
  for (int i = 0; i < dm_formulas_count(parts); i++) {
    const char *own = dm_formulas_get(parts, i)->name;
    if (!strcmp(own, name)) return write_parts(e, parts, name);
    if (n < MOST && dm_names_find(known, n, own) < 0) known[n++] = own;
  }
  return cli_fail(e->args, CLI_INPUT, "%s: --formula: found '%.64s', expected %s", e->args->operand,
                  name,
                  n ? dm_names_list(known, n, text, sizeof text) : "a file that contains formulas");
}

// options that say how a law is written
static int refuse_options(const cli_args *args) {
  const struct {
    bool given;
    const char *name;
  } options[] = {{args->single, "--single"}, {args->mpc, "--mpc"},     {args->prefix, "--prefix"},
                 {args->all, "--all"},       {args->force, "--force"}, {args->now, "--now"}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (options[i].given)
      return cli_fail(args, CLI_INPUT, "found %s beside --formula, expected it for a law",
                      options[i].name);
  return CLI_DONE;
}

int cli_formula_text(const cli_args *args) {
  pb_problem *p = NULL;
  dm_message msg = {""};
  struct stat st;
  if (refuse_options(args) != CLI_DONE) return CLI_INPUT;
  if (stat(args->operand, &st) == 0 && S_ISDIR(st.st_mode))
    return cli_fail(
        args, CLI_INPUT,
        "%s: found a folder beside --formula, expected a problem file; the folder of a result has "
        "its copy in %s/inputs",
        args->operand, args->operand);
  const dm_status s = pb_problem_read(&p, args->operand, &msg);
  if (s != DM_OK) return cli_fail_status(args, s, &msg);
  exporter e = {.args = args, .p = p, .m = p->robot.mechanism.tree};
  const int status = find_formula(&e, args->formula);
  dm_outputs_free(e.rows);
  pb_problem_free(p);
  return status;
}

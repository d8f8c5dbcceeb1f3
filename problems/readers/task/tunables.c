#include "problems/readers/task/tunables.h"

#include "lib/base/names.h"
#include "problems/readers/format/number.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/task/file_keys.h"
#include "problems/readers/task/read_feedback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, PATH = 256 };

// keys varied by default
static const char *const usual[] = {"feedback.Q", "feedback.R",   "feedback.Qf",
                                    "cost.state", "horizon.time", "bounds.u"};

const pb_key pb_tune_keys[] = {
    PB_KEY(pb_tune, vary, .type = PB_LIST,
           .note = "feedback.Q, R, Qf, cost.state, horizon.time and bounds.u",
           .about = "Keys with all numbers below them; both ends of a range are scaled together"),
    PB_KEY(pb_tune, tries, .type = PB_INTEGER, .range = "[1, 1e6]", .absent = "200",
           .about = "Largest number of trials"),
    PB_KEY(pb_tune, time, .type = PB_NUMBER, .unit = "s", .range = "> 0", .absent = "600",
           .about = "No trial begins after this time"),
    PB_KEY(pb_tune, step, .type = PB_NUMBER, .range = "(0, 2]", .absent = "0.5",
           .about = "Standard deviation of the first changes, in logarithms"),
    PB_KEY(pb_tune, seed, .type = PB_INTEGER, .range = ">= 0", .absent = "1",
           .about = "Seed of the random changes"),
    {0}};

void pb_tunables_free(pb_tunables *t) {
  if (!t) return;
  pb_arena arena = {t->memory};
  pb_arena_free(&arena);
  free(t);
}

// the node at a path whose keys may contain dots, or NULL
static const pb_node *find_node(const pb_node *node, const char *path) {
  for (const pb_node *e = node && node->kind == PB_MAPPING ? node->first : NULL; e; e = e->next) {
    const size_t used = strlen(e->key);
    if (strncmp(e->key, path, used) != 0 || (path[used] && path[used] != '.')) continue;
    const pb_node *found = path[used] ? find_node(e, path + used + 1) : e;
    if (found) return found;
  }
  return NULL;
}

// a nonzero number
static bool read_scalar(const pb_node *node, double *value) {
  return node->kind == PB_SCALAR && !node->quoted && node->text[0] &&
         pb_number_parse(node->text, value) == DM_OK && *value != 0;
}

// whether the numbers at or below a path are integers
static bool takes_whole(const char *path) {
  const pb_key *key = pb_file_keys;
  while (key && key->key) {
    const size_t used = strcspn(path, ".");
    if (strlen(key->key) != used || strncmp(key->key, path, used) != 0) {
      key++;
      continue;
    }
    if (!path[used] || !key->sub) return key->type == PB_INTEGER;
    path += used + 1;
    key = key->sub;
  }
  return false;
}

static dm_status add_number(const pb_reader *r, pb_tunables *t, const pb_node *node,
                            const char *path, double value, int factor) {
  if (t->n == MOST)
    return pb_refuse_node(r, node, "%s: found more than %d numbers to tune, expected fewer", path,
                          MOST);
  pb_tunable *x = &t->number[t->n++];
  *x = (pb_tunable){.line = node->line,
                    .column = node->column,
                    .written = node->text,
                    .value = value,
                    .low = -INFINITY,
                    .high = INFINITY,
                    .whole = takes_whole(path),
                    .factor = factor};
  x->path = pb_copy(r->arena, path, strlen(path));
  return x->path ? DM_OK : DM_NO_MEMORY;
}

// add a number, a list of numbers with one common factor, or everything in a mapping
static dm_status add_node(const pb_reader *r, pb_tunables *t, const pb_node *node,
                          const char *path) {
  char below[PATH];
  double value;
  int i = 0, before = t->n;
  if (node->kind == PB_MAPPING) {
    for (const pb_node *e = node->first; e; e = e->next) {
      snprintf(below, sizeof below, "%s.%s", path, e->key);
      DM_TRY(add_node(r, t, e, below));
    }
    return DM_OK;
  }

  // values that are not numbers, such as words, are not varied
  if (read_scalar(node, &value)) DM_TRY(add_number(r, t, node, path, value, t->factors));
  for (const pb_node *e = node->first; e; e = e->next, i++) {
    snprintf(below, sizeof below, "%s.%d", path, i);
    if (read_scalar(e, &value)) DM_TRY(add_number(r, t, e, below, value, t->factors));
  }
  if (t->n == before) return DM_OK;
  t->name[t->factors] = pb_copy(r->arena, path, strlen(path));
  if (!strcmp(path, "horizon.time")) t->motion = t->factors;
  t->factors++;
  return DM_OK;
}

// the number at a position of the file, or NULL
static const pb_tunable *find_number(const pb_tunables *t, int line, int column) {
  for (int i = 0; i < t->n; i++)
    if (t->number[i].line == line && t->number[i].column == column) return &t->number[i];
  return NULL;
}

// whether a path contains settings of the search
static bool holds_search(const char *path) {
  return !strcmp(path, "feedback") || strncmp(path, "feedback.tune", 13) == 0;
}

// whether there is a number to tune at a node or below it
static bool has_number(const pb_node *node) {
  double value;
  if (read_scalar(node, &value)) return true;
  for (const pb_node *e = node->first; e; e = e->next)
    if (has_number(e)) return true;
  return false;
}

// list SECTION.KEY of all tunable numbers, except the settings of the search; returns their count
static int list_known(const pb_reader *r, const pb_node *root, const char *name[MOST]) {
  char path[PATH];
  int n = 0;
  for (const pb_node *s = root->first; s; s = s->next)
    for (const pb_node *e = s->kind == PB_MAPPING ? s->first : NULL; e && n < MOST; e = e->next) {
      snprintf(path, sizeof path, "%s.%s", s->key, e->key);
      if (!has_number(e) || holds_search(path)) continue;
      name[n] = pb_copy(r->arena, path, strlen(path));
      n += name[n] != NULL;
    }
  return n;
}

// add the paths of `vary`
static dm_status add_named(const pb_reader *r, pb_tunables *t, const pb_node *root,
                           const pb_node *vary) {
  for (const pb_node *e = vary->first; e; e = e->next) {
    const int before = t->n;
    const pb_node *node = e->kind == PB_SCALAR ? find_node(root, e->text) : NULL;

    // not the settings of the search
    if (node && holds_search(e->text))
      return pb_refuse_node(
          r, e,
          "feedback.tune.vary: found '%.64s', which has the settings of the search "
          "in it, expected a key of the task, its gains or its motion",
          e->text);

    // at least one number, none of which was added before
    if (node) DM_TRY(add_node(r, t, node, e->text));
    if (t->n == before) {
      // refuse a key without numbers, and list the keys with numbers
      const char *name[MOST], *found = e->kind == PB_SCALAR ? e->text : "a list";
      char known[400], meant[96];
      const int n = list_known(r, root, name);
      return pb_refuse_node(r, e,
                            "feedback.tune.vary: found '%.64s', expected a key of this file with "
                            "numbers other than 0: %s, or below one%s",
                            found, dm_names_list(name, n, known, sizeof known),
                            pb_did_you_mean(name, n, found, meant));
    }

    // whether one of the numbers from index `first` on was added before
    for (int i = before; i < t->n; i++)
      if (find_number(t, t->number[i].line, t->number[i].column) != &t->number[i])
        return pb_refuse_node(
            r, e,
            "feedback.tune.vary: found '%.64s', of which a number is in a key before "
            "it, expected each number once",
            e->text);
  }
  return DM_OK;
}

dm_status pb_tunables_check(pb_reader *r, const pb_node *root) {
  pb_tunables t = {.motion = -1};
  const pb_node *vary = find_node(root, "feedback.tune.vary");
  if (!vary) return DM_OK;
  PB_NEW(r->arena, t.number, MOST);
  PB_NEW(r->arena, t.name, MOST);
  return add_named(r, &t, root, vary);
}

static dm_status read_tunables(pb_reader *r, pb_tunables *t) {
  dm_message why = {""};
  const pb_node *root;
  char *text;
  size_t size;
  dm_status s = pb_file_read(r, r->file, r->file, &text, &size, &why);
  if (s != DM_OK) return dm_fail(r->msg, s, "%.200s: %.200s", r->file, why.text);
  DM_TRY(pb_yaml_read(r, text, size, &root));
  t->text = text;
  t->motion = -1;
  PB_NEW(r->arena, t->number, MOST);
  PB_NEW(r->arena, t->name, MOST);

  // settings of the search
  pb_tune set = {0};
  const pb_node *tune = find_node(root, "feedback.tune");
  DM_TRY(pb_schema_read(r, "feedback.tune", tune, pb_tune_keys, &set));
  t->tries = set.tries;
  t->seed = (uint64_t)set.seed;
  t->time = set.time;
  t->step = set.step;

  // the default keys
  for (size_t i = 0; !set.vary && i < sizeof usual / sizeof *usual; i++) {
    const pb_node *node = find_node(root, usual[i]);
    if (node) DM_TRY(add_node(r, t, node, usual[i]));
  }
  if (set.vary) DM_TRY(add_named(r, t, root, set.vary));
  if (!t->factors)
    return pb_refuse_node(r, root,
                          "feedback.tune: found no number to tune, expected one in Q, R, "
                          "Qf, cost.state, horizon.time or bounds.u");

  // `hold` is the rest of the total time when the duration of the motion varies
  const pb_node *hold = find_node(root, "feedback.hold");
  double time = 0, rest = 0;
  if (t->motion < 0 || !hold || !read_scalar(hold, &rest)) return DM_OK;
  read_scalar(find_node(root, "horizon.time"), &time);
  t->total = time + rest;
  return add_number(r, t, hold, "feedback.hold", rest, -1);
}

dm_status pb_tunables_read(pb_tunables **out, const char *path, dm_message *msg) {
  struct pb_warnings warnings = {0};
  pb_arena arena = {0};
  pb_tunables *t = calloc(1, sizeof *t);
  *out = NULL;
  if (!t) return dm_fail(msg, DM_NO_MEMORY, "%.300s: out of memory", path);
  pb_reader r = {.arena = &arena, .warnings = &warnings, .msg = msg, .file = path};
  dm_status s = read_tunables(&r, t);
  pb_warnings_free(&warnings);
  t->memory = arena.last;
  if (s == DM_OK) {
    *out = t;
    return s;
  }
  pb_tunables_free(t);
  if (s == DM_NO_MEMORY) dm_fail(msg, s, "%.300s: out of memory", path);
  return s;
}

// whether a path is a limit of this input, or of all inputs
static bool limits_input(const char *path, const char *input) {
  static const char *const of[] = {"bounds.u.", "feedback.limits."};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    const size_t used = strlen(of[i]), length = strlen(input);
    if (strncmp(path, of[i], used) != 0) continue;

    // [low, high] for all inputs, or below the input's name
    path += used;
    return !strcmp(path, "0") || !strcmp(path, "1") ||
           (strncmp(path, input, length) == 0 && (path[length] == '.' || !path[length]));
  }
  return false;
}

void pb_tunables_limit(pb_tunables *t, const char *const *name, int nu, const double *u_min,
                       const double *u_max) {
  for (int i = 0; i < t->n; i++) {
    pb_tunable *x = &t->number[i];
    for (int j = 0; j < nu; j++) {
      if (!limits_input(x->path, name[j])) continue;
      x->low = fmax(x->low, u_min ? u_min[j] : -INFINITY);
      x->high = fmin(x->high, u_max ? u_max[j] : INFINITY);
    }
    x->low = fmin(x->low, x->value);
    x->high = fmax(x->high, x->value);
  }
}

// number i with factors exp(x), before limits
static double find_value(const pb_tunables *t, int i, const double *x) {
  const pb_tunable *n = &t->number[i];
  double value = n->value;
  if (n->factor >= 0) value *= exp(x[n->factor]);

  // the total time minus the duration of the motion
  for (int j = 0; n->factor < 0 && j < t->n; j++)
    if (t->number[j].factor == t->motion)
      value = fmax(0, t->total - t->number[j].value * exp(x[t->motion]));
  return n->whole ? round(value) : value;
}

bool pb_tunables_limited(const pb_tunables *t, int i, const double *x) {
  const double value = find_value(t, i, x);
  return value < t->number[i].low || value > t->number[i].high;
}

const char *pb_tunables_value(const pb_tunables *t, int i, const double *x, char text[32]) {
  const pb_tunable *n = &t->number[i];
  const double at = x[n->factor >= 0 ? n->factor : t->motion];
  if (at == 0 && strlen(n->written) < 32)
    snprintf(text, 32, "%s", n->written);
  else if (n->whole)
    snprintf(text, 32, "%.0f", find_value(t, i, x));
  else
    snprintf(text, 32, "%.6g", fmin(fmax(find_value(t, i, x), n->low), n->high));
  return text;
}

void pb_tunables_write(const pb_tunables *t, const double *x, FILE *f) {
  int line = 1, column = 1;
  char text[32];
  for (const char *c = t->text; *c;) {
    // replace a tuned number
    const pb_tunable *n = find_number(t, line, column);
    if (n) fputs(pb_tunables_value(t, (int)(n - t->number), x, text), f);
    size_t used = n ? strlen(n->written) : 1;
    if (!n) fputc(*c, f);
    line += !n && *c == '\n';

    // columns count characters; a byte 10xxxxxx continues one
    const bool begins = ((unsigned char)c[used] & 0xc0) != 0x80;
    column = !n && *c == '\n' ? 1 : column + (begins ? (int)used : 0);
    c += used;
  }
}

#include "problems/schema.h"

#include "problems/names.h"
#include "problems/number.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a reader, and where it stands: the path of the value for messages
typedef struct spot {
  const pb_reader *r;
  const char *path;
  const pb_node *node;
} spot;

static bool in_range(const char *range, double x) {
  double low, high;
  if (!range) return true;
  if (sscanf(range, ">= %lf", &low) == 1) return x >= low;
  if (sscanf(range, "> %lf", &low) == 1) return x > low;
  if (sscanf(range, "[%lf, %lf]", &low, &high) == 2) return x >= low && x <= high;
  if (sscanf(range, "(%lf, %lf)", &low, &high) == 2) return x > low && x < high;
  return false;
}

// "a number > 0"
static const char *wanted(const char *what, const char *range, char text[64]) {
  const char *between = range && strchr("[(", range[0]) ? " in " : " ";
  snprintf(text, 64, "%s%s%s", what, range ? between : "", range ? range : "");
  return text;
}

static dm_status refuse(spot at, const char *expected) {
  char found[64];
  return pb_refuse_node(at.r, at.node, "%s: found %s, expected %s", at.path,
                        pb_node_describe(at.node, found), expected);
}

static dm_status refuse_name(spot at, const char *what, const char *name, int line, int column,
                             const char *const *list, int n) {
  char known[200], meant[96];
  if (n < 1)
    return pb_refuse(at.r, at.r->file, line, column, "%s: found '%.64s', but there is no %s",
                     at.path, name, what);
  return pb_refuse(at.r, at.r->file, line, column,
                   "%s: found the unknown %s '%.64s', expected %s%s", at.path, what, name,
                   pb_names_list(list, n, known, sizeof known),
                   pb_did_you_mean(list, n, name, meant));
}

static dm_status read_number(spot at, const char *what, const char *range, double *value) {
  char expected[64];
  wanted(what, range, expected);
  if (at.node->kind != PB_SCALAR || at.node->quoted) return refuse(at, expected);
  double x;
  dm_status s = pb_number_parse(at.node->text, &x);
  if (s == DM_NOT_FINITE) return refuse(at, range ? expected : "a finite number");
  if (s != DM_OK || !in_range(range, x)) return refuse(at, expected);
  *value = x;
  return DM_OK;
}

static dm_status read_integer(spot at, const char *range, int *value) {
  char expected[64];
  double x;
  wanted("an integer", range, expected);
  DM_TRY(read_number(at, "an integer", range, &x));
  if (x != floor(x) || fabs(x) > INT_MAX) return refuse(at, expected);
  *value = (int)x;
  return DM_OK;
}

// cut a list of words in pieces
static int split(const char *words, char text[256], const char *list[16]) {
  int n = 0;
  char *rest;
  snprintf(text, 256, "%s", words ? words : "");
  for (char *w = strtok_r(text, " ", &rest); w && n < 16; w = strtok_r(NULL, " ", &rest))
    list[n++] = w;
  return n;
}

static dm_status read_word(spot at, const char *words, const char **value) {
  char text[256], expected[200];
  const char *list[16];
  int n = split(words, text, list);
  if (at.node->kind != PB_SCALAR) return refuse(at, pb_names_list(list, n, expected, 200));
  if (pb_names_find(list, n, at.node->text) < 0)
    return refuse_name(at, "word", at.node->text, at.node->line, at.node->column, list, n);
  *value = at.node->text;
  return DM_OK;
}

static dm_status read_text(spot at, const char **value) {
  if (at.node->kind != PB_SCALAR || !at.node->text[0]) return refuse(at, "text that is not empty");
  *value = at.node->text;
  return DM_OK;
}

static bool is_word(const pb_node *node, const char *word) {
  return node->kind == PB_SCALAR && !node->quoted && !strcmp(node->text, word);
}

static double meaning(const char *word) {
  double x = NAN;
  if (!strcmp(word, "none")) return INFINITY;
  if (strcmp(word, "free") != 0) pb_number_parse(word, &x);
  return x;
}

// a number, or the word in its place
static dm_status read_one(spot at, const pb_key *key, double *value) {
  if (key->words && is_word(at.node, key->words)) {
    *value = meaning(key->words);
    return DM_OK;
  }
  return read_number(at, "a number", key->range, value);
}

// low and high in a list of two, or none
static dm_status read_limits(spot at, double value[2]) {
  const char *expected = "[low, high] with low <= high, or none";
  double limit[2] = {-INFINITY, INFINITY};
  if (!is_word(at.node, "none")) {
    if (at.node->kind != PB_SEQUENCE || at.node->n != 2) return refuse(at, expected);
    const pb_node *e = at.node->first;
    for (int i = 0; i < 2; i++, e = e->next)
      if (!is_word(e, "none"))
        DM_TRY(read_number((spot){at.r, at.path, e}, "a number", NULL, limit + i));
    if (limit[0] > limit[1])
      return pb_refuse_node(at.r, at.node, "%s: found [%g, %g], expected %s", at.path, limit[0],
                            limit[1], expected);
  }
  value[0] = limit[0], value[1] = limit[1];
  return DM_OK;
}

typedef dm_status (*one_reader)(spot at, const pb_key *key, double value[2]);

static dm_status one_number(spot at, const pb_key *key, double value[2]) {
  return read_one(at, key, value);
}

static dm_status one_range(spot at, const pb_key *key, double value[2]) {
  (void)key;
  return read_limits(at, value);
}

static dm_status read_vector(spot at, int count, double *value) {
  char expected[64];
  snprintf(expected, sizeof expected, "a list of %d numbers", count);
  if (at.node->kind != PB_SEQUENCE || at.node->n != count) return refuse(at, expected);
  const pb_node *e = at.node->first;
  for (int i = 0; i < count; i++, e = e->next)
    DM_TRY(read_number((spot){at.r, at.path, e}, "a number", NULL, value + i));
  return DM_OK;
}

// three numbers for a ball joint: the axis times the angle of a turn, as a quaternion; or an
// angular velocity
static dm_status read_turn(spot at, bool rate, double q[4]) {
  double x[3];
  DM_TRY(read_vector(at, 3, x));
  double half = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 2;
  double by = rate ? 1 : half > 0 ? sin(half) / (2 * half) : 0;
  q[0] = rate ? PB_ANGULAR : cos(half);
  for (int i = 0; i < 3; i++) q[1 + i] = by * x[i];
  return DM_OK;
}

// the quaternion of the ball joint of a name: its first coordinate, or -1
static int ball_named(const pb_reader *r, const char *name) {
  size_t length = strlen(name);
  for (int k = 0; k < r->nball; k++) {
    const char *full = r->coord[r->quaternion[k]];
    if (!strncmp(full, name, length) && !strcmp(full + length, ".qw")) return r->quaternion[k];
  }
  return -1;
}

// a value for the first `all` names, or a mapping from names to values; low (and high) take what is
// said
static dm_status read_each(spot at, const pb_key *key, one_reader one, const char *what,
                           const char *const *name, int n, int all, double *low, double *high) {
  double value[2] = {0, 0};
  if (at.node->kind != PB_MAPPING) {
    DM_TRY(one(at, key, value));
    for (int i = 0; i < all; i++) {
      low[i] = value[0];
      if (high) high[i] = value[1];
    }
    return DM_OK;
  }
  for (const pb_node *e = at.node->first; e; e = e->next) {
    char path[192];
    int i = pb_names_find(name, n, e->key), many = 1;
    if (i < 0 && name == at.r->coord) i = ball_named(at.r, e->key), many = 4;
    if (i < 0) return refuse_name(at, what, e->key, e->key_line, e->key_column, name, n);
    snprintf(path, sizeof path, "%s.%s", at.path, e->key);
    spot here = {at.r, path, e};
    if (many == 4 && key->turn && e->kind == PB_SEQUENCE) {
      DM_TRY(read_turn(here, !strcmp(key->turn, "rate"), low + i));
      continue;
    }
    DM_TRY(one(here, key, value));
    for (int k = i; k < i + many; k++) {
      low[k] = value[0];
      if (high) high[k] = value[1];
    }
  }
  return DM_OK;
}

const pb_node *pb_schema_entry(const pb_reader *r, const pb_node *node, int i) {
  const pb_node *entry = pb_node_get(node, r->coord[i]);
  for (const pb_node *e = node->first; !entry && e; e = e->next) {
    int o = ball_named(r, e->key);
    if (o >= 0 && i >= o && i < o + 4) entry = e;
  }
  return entry;
}

static dm_status each(spot at, const pb_key *key, void *to) {
  bool input = key->type == PB_EACH_INPUT || key->type == PB_RANGE_INPUT;
  bool range = key->type == PB_RANGE_COORD || key->type == PB_RANGE_INPUT;
  const char *const *name = input ? at.r->input : at.r->coord;
  const char *what = input ? "input" : "coordinate";
  int n = input ? at.r->nu : at.r->n, all = input ? at.r->nf : n;
  double *low, *high = NULL;
  const char *missing = at.node ? key->rest : key->absent;
  if (!at.node && !missing) return DM_OK;
  double rest = range ? NAN : missing ? meaning(missing) : 0;
  PB_NEW(at.r->arena, low, n);
  if (range) PB_NEW(at.r->arena, high, n);
  for (int i = 0; i < n; i++) {
    low[i] = rest;
    if (range) high[i] = rest;
  }
  if (at.node)
    DM_TRY(read_each(at, key, range ? one_range : one_number, what, name, n, all, low, high));
  if (range)
    *(pb_range *)to = (pb_range){low, high};
  else
    *(const double **)to = low;
  return DM_OK;
}

static dm_status read_value(spot at, const pb_key *key, void *to) {
  switch (key->type) {
  case PB_NUMBER:
    return read_one(at, key, to);
  case PB_INTEGER:
    return read_integer(at, key->range, to);
  case PB_TEXT:
    return read_text(at, to);
  case PB_WORD:
    return read_word(at, key->words, to);
  case PB_VECTOR:
    return read_vector(at, 3, to);
  case PB_EACH_COORD:
  case PB_EACH_INPUT:
  case PB_RANGE_COORD:
  case PB_RANGE_INPUT:
    return each(at, key, to);
  case PB_SECTION:
    return pb_schema_read(at.r, at.path, at.node, key->sub, to);
  case PB_LIST:
    if (at.node->kind != PB_SEQUENCE) return refuse(at, "a list");
    *(const pb_node **)to = at.node;
    return DM_OK;
  case PB_NODE:
    *(const pb_node **)to = at.node;
  }
  return DM_OK;
}

// the value of a key that is not there
static dm_status read_absent(spot at, const pb_key *key, void *to) {
  const char *text = key->absent;
  if (key->type == PB_SECTION) return pb_schema_read(at.r, at.path, NULL, key->sub, to);
  if (!text || !strcmp(text, PB_REQUIRED)) return DM_OK;
  if (key->type == PB_NUMBER) *(double *)to = meaning(text);
  if (key->type == PB_INTEGER) *(int *)to = (int)meaning(text);
  if (key->type == PB_WORD || key->type == PB_TEXT) *(const char **)to = text;
  if (key->type == PB_VECTOR) {
    double *x = to;
    sscanf(text, "[%lf, %lf, %lf]", x, x + 1, x + 2);
  }
  if (key->type == PB_EACH_COORD || key->type == PB_EACH_INPUT) return each(at, key, to);
  return DM_OK;
}

static dm_status check_keys(spot at, const pb_key *table) {
  const char *known[40];
  int n = 0;
  while (table[n].key) known[n] = table[n].key, n++;
  for (const pb_node *e = at.node->first; e; e = e->next)
    if (pb_names_find(known, n, e->key) < 0)
      return refuse_name(at, "key", e->key, e->key_line, e->key_column, known, n);
  return DM_OK;
}

dm_status pb_schema_read(const pb_reader *r, const char *path, const pb_node *section,
                         const pb_key *table, void *into) {
  const char *name = path[0] ? path : "the file";
  spot at = {r, name, section};
  if (section) {
    if (section->kind != PB_MAPPING) return refuse(at, "a mapping: key: value");
    DM_TRY(check_keys(at, table));
  }
  for (const pb_key *key = table; key->key; key++) {
    char below[128];
    snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", key->key);
    spot value = {r, below, pb_node_get(section, key->key)};
    void *to = (char *)into + key->at;
    if (value.node)
      DM_TRY(read_value(value, key, to));
    else if (section && key->absent && !strcmp(key->absent, PB_REQUIRED))
      return pb_refuse_node(r, section, "%s: found no '%s', expected one", name, key->key);
    else
      DM_TRY(read_absent(value, key, to));
  }
  return DM_OK;
}

dm_status pb_schema_number(const pb_reader *r, const char *path, const pb_node *node,
                           const char *range, double *value) {
  return read_number((spot){r, path, node}, "a number", range, value);
}

dm_status pb_schema_each(const pb_reader *r, const char *path, const pb_node *node,
                         const char *range, const char *what, const char *const *name, int n,
                         double *value) {
  pb_key key = {.range = range};
  return read_each((spot){r, path, node}, &key, one_number, what, name, n, n, value, NULL);
}

dm_status pb_schema_list(const pb_reader *r, const char *path, const pb_node *node, int count,
                         double *value) {
  return read_vector((spot){r, path, node}, count, value);
}

dm_status pb_schema_limits(const pb_reader *r, const char *path, const pb_node *node,
                           double value[2]) {
  return read_limits((spot){r, path, node}, value);
}

dm_status pb_schema_name(const pb_reader *r, const char *path, const pb_node *node,
                         const char *what, const char *const *list, int n, int *index) {
  spot at = {r, path, node};
  if (node->kind != PB_SCALAR || !node->text[0]) return refuse(at, "a name");
  *index = pb_names_find(list, n, node->text);
  if (*index >= 0) return DM_OK;
  return refuse_name(at, what, node->text, node->line, node->column, list, n);
}

dm_status pb_schema_form(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const char *value, const char *must, const char *may) {
  char text[2][256];
  const char *list[2][16];
  int needed = split(must, text[0], list[0]), allowed = split(may, text[1], list[1]);
  for (int i = 0; i < needed; i++)
    if (!pb_node_get(section, list[0][i]))
      return pb_refuse_node(r, section, "%s: found no '%s', expected one for the %s %s", path,
                            list[0][i], key, value);
  for (const pb_node *e = section->first; e; e = e->next)
    if (pb_names_find(list[0], needed, e->key) < 0 && pb_names_find(list[1], allowed, e->key) < 0)
      return pb_refuse_key(r, e, "%s: found '%s', expected none for the %s %s", path, e->key, key,
                           value);
  return DM_OK;
}

const char *pb_schema_type(const pb_key *key, char text[128]) {
  static const char *const names[] = {
      [PB_NUMBER] = "number",
      [PB_INTEGER] = "integer",
      [PB_TEXT] = "text",
      [PB_WORD] = "",
      [PB_VECTOR] = "[x, y, z]",
      [PB_EACH_COORD] = "number",
      [PB_EACH_INPUT] = "number",
      [PB_RANGE_COORD] = "[low, high]",
      [PB_RANGE_INPUT] = "[low, high]",
      [PB_SECTION] = "section",
      [PB_NODE] = "",
      [PB_LIST] = "list",
  };
  char words[256], known[100];
  const char *list[16], *each = "";
  if (key->type == PB_WORD) return pb_names_list(list, split(key->words, words, list), text, 128);
  if (key->type == PB_NODE) {
    snprintf(text, 128, "%s", key->words);
    return text;
  }
  if (key->type == PB_EACH_COORD || key->type == PB_RANGE_COORD) each = ", or by coordinate";
  if (key->type == PB_EACH_INPUT || key->type == PB_RANGE_INPUT) each = ", or by input";
  snprintf(text, 128, "%s%s%s%s", wanted(names[key->type], key->range, known), each,
           key->words ? ", or " : "", key->words ? key->words : "");
  return text;
}

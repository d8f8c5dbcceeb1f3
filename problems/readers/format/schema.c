#include "problems/readers/format/schema.h"

#include "lib/base/names.h"
#include "problems/readers/format/hints.h"
#include "problems/readers/format/number.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a reader, a node and the path of its value for messages
typedef struct spot {
  const pb_reader *r;
  const char *path;
  const pb_node *node;
} spot;

static bool in_range(const char *range, double x) {
  double low, high;
  char end;

  // the six forms of a row's range
  if (!range) return true;
  if (sscanf(range, ">= %lf", &low) == 1) return x >= low;
  if (sscanf(range, "> %lf", &low) == 1) return x > low;
  if (sscanf(range, "[%lf, %lf]", &low, &high) == 2) return x >= low && x <= high;
  if (sscanf(range, "(%lf, %lf%c", &low, &high, &end) != 3) return false;
  return x > low && (x < high || (end == ']' && x == high));
}

// "a number > 0", "an integer in [1, 3]"
static const char *name_wanted(const char *what, const char *range, char text[64]) {
  if (!range) {
    snprintf(text, 64, "%s", what);
    return text;
  }
  snprintf(text, 64, "%s%s%s", what, strchr("[(", range[0]) ? " in " : " ", range);
  return text;
}

static dm_status refuse_value(spot at, const char *expected) {
  char found[64];
  return pb_refuse_node(at.r, at.node, "%s: found %s, expected %s", at.path,
                        pb_node_describe(at.node, found), expected);
}

// refuse a value that is not a mapping, or not a list of mappings, and show the expected form
static dm_status refuse_form(spot at, const char *expected, const pb_key *table, bool list) {
  char found[64], form[PB_HINT];

  // the table shows the expected form
  if (!table) return refuse_value(at, expected);
  pb_hint_form(table, form);
  pb_node_describe(at.node, found);
  return pb_refuse_node(at.r, at.node,
                        list ? "%s: found %s, expected %s, as in [%s, ...]"
                             : "%s: found %s, expected %s, as in %s",
                        at.path, found, expected, form);
}

static dm_status refuse_name(spot at, const char *what, const char *name, int line, int column,
                             const char *const *list, int n) {
  // a locked joint is in the robot but cannot move
  char known[200], meant[96];
  if (dm_names_find(at.r->locked, at.r->nlocked, name) >= 0)
    return pb_refuse(at.r, at.r->file, line, column,
                     "%s: found '%.64s', which model.lock fixes, expected a %s that moves", at.path,
                     name, what);
  if (n < 1)
    return pb_refuse(at.r, at.r->file, line, column, "%s: found '%.64s', but there is no %s",
                     at.path, name, what);

  // list the known names and the nearest one; a number as a name suggests a decimal comma
  double x;
  bool comma = pb_number_parse(name, &x) == DM_OK;
  return pb_refuse(at.r, at.r->file, line, column,
                   "%s: found the unknown %s '%.64s', expected %s%s", at.path, what, name,
                   dm_names_list(list, n, known, sizeof known),
                   comma ? pb_hint_comma : pb_did_you_mean(list, n, name, meant));
}

// refuse a value that is not a number in the range, nor the word (NULL: none)
static dm_status refuse_number(spot at, const char *what, const char *range, const char *word) {
  // the range, the allowed word, and the likely intention
  char expected[64], found[64], meant[PB_HINT];
  const char * or = word ? ", or " : "";
  if (!word) word = "";
  return pb_refuse_node(at.r, at.node, "%s: found %s, expected %s%s%s%s", at.path,
                        pb_node_describe(at.node, found), name_wanted(what, range, expected), or,
                        word, pb_hint_number(at.node, meant));
}

// read a number; what: "a number", for the message; word: text allowed instead, or NULL
static dm_status read_number(spot at, const char *what, const char *range, const char *word,
                             double *value) {
  // text in quotes is not a number
  if (at.node->kind != PB_SCALAR || at.node->quoted) return refuse_number(at, what, range, word);
  double x;

  // without a range, report infinity as "expected a finite number"
  char finite[64];
  snprintf(finite, sizeof finite, "a finite %s", strncmp(what, "a ", 2) ? "number" : what + 2);
  dm_status s = pb_number_parse(at.node->text, &x);
  if (s == DM_NOT_FINITE && !range) return refuse_number(at, finite, NULL, word);
  if (s != DM_OK || !in_range(range, x)) return refuse_number(at, what, range, word);
  *value = x;
  return DM_OK;
}

static dm_status read_integer(spot at, const char *range, int *value) {
  char expected[64];
  double x;
  name_wanted("an integer", range, expected);
  DM_TRY(read_number(at, "an integer", range, NULL, &x));
  // 1e3 is an integer; 1.5 and 1e10 are not
  if (x != floor(x) || fabs(x) > INT_MAX) return refuse_value(at, expected);
  *value = (int)x;
  return DM_OK;
}

// split a list of words
static int split_words(const char *words, char text[PB_WORDS_TEXT], const char *list[PB_WORDS]) {
  int n = 0;
  char *rest;
  snprintf(text, PB_WORDS_TEXT, "%s", words ? words : "");
  for (char *w = strtok_r(text, " ", &rest); w && n < PB_WORDS; w = strtok_r(NULL, " ", &rest))
    list[n++] = w;
  return n;
}

// a word, or its index for PB_CHOICE
static dm_status read_word(spot at, const pb_key *key, void *to) {
  char text[PB_WORDS_TEXT], expected[200];
  const char *list[PB_WORDS];
  int n = split_words(key->words, text, list);
  if (at.node->kind != PB_SCALAR) return refuse_value(at, dm_names_list(list, n, expected, 200));
  const int i = dm_names_find(list, n, at.node->text);
  if (i < 0) return refuse_name(at, "word", at.node->text, at.node->line, at.node->column, list, n);
  if (key->type == PB_CHOICE) *(int *)to = i;
  if (key->type == PB_WORD) *(const char **)to = at.node->text;
  return DM_OK;
}

static dm_status read_text(spot at, const char **value) {
  if (at.node->kind != PB_SCALAR || !at.node->text[0])
    return refuse_value(at, "text that is not empty");
  *value = at.node->text;
  return DM_OK;
}

static bool is_word(const pb_node *node, const char *word) {
  return node->kind == PB_SCALAR && !node->quoted && !strcmp(node->text, word);
}

static double word_value(const char *word) {
  double x = NAN;
  if (!strcmp(word, "none")) return INFINITY;
  if (strcmp(word, "free") != 0) pb_number_parse(word, &x);
  return x;
}

// a number, or the word that replaces it
static dm_status read_number_or_word(spot at, const pb_key *key, double *value) {
  if (key->words && is_word(at.node, key->words)) {
    *value = word_value(key->words);
    return DM_OK;
  }
  return read_number(at, "a number", key->range, key->words, value);
}

// low and high in a list of two, or none
static dm_status read_limits(spot at, double value[2]) {
  const char *expected = "[low, high] with low <= high, or none";
  double limit[2] = {-INFINITY, INFINITY}; // none: no limit on either side

  // none for both limits, or for one of them
  if (!is_word(at.node, "none")) {
    if (at.node->kind != PB_SEQUENCE || at.node->n != 2) return refuse_value(at, expected);
    const pb_node *e = at.node->first;
    for (int i = 0; i < 2; i++, e = e->next)
      if (!is_word(e, "none"))
        DM_TRY(read_number((spot){at.r, at.path, e}, "a number", NULL, "none", limit + i));
    if (limit[0] > limit[1])
      return pb_refuse_node(at.r, at.node, "%s: found [%g, %g], expected %s", at.path, limit[0],
                            limit[1], expected);
  }
  value[0] = limit[0];
  value[1] = limit[1];
  return DM_OK;
}

typedef dm_status (*one_reader)(spot at, const pb_key *key, double value[2]);

// [low, high]; for an input also one number x, which means [-x, x]
static dm_status read_one_range(spot at, const pb_key *key, double value[2]) {
  if (key->type != PB_RANGE_INPUT || at.node->kind == PB_SEQUENCE || is_word(at.node, "none"))
    return read_limits(at, value);
  DM_TRY(read_number(at, "[low, high], a number", "> 0", "none", &value[1]));
  value[0] = -value[1];
  return DM_OK;
}

static dm_status read_vector(spot at, int count, double *value) {
  char expected[64];
  snprintf(expected, sizeof expected, "a list of %d numbers", count);
  if (at.node->kind != PB_SEQUENCE || at.node->n != count) return refuse_value(at, expected);
  const pb_node *e = at.node->first;
  for (int i = 0; i < count; i++, e = e->next)
    DM_TRY(read_number((spot){at.r, at.path, e}, "a number", NULL, NULL, value + i));
  return DM_OK;
}

// a ball joint's three numbers: the rotation vector (axis times angle) as a quaternion, or an
// angular velocity
static void put_ball_turn(const double x[3], bool rate, double q[4]) {
  // exp(x/2) = (cos |x|/2, sin |x|/2 x/|x|), and the identity at x = 0
  double half = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 2; // |x| / 2
  double by = 0;
  // sin(|x|/2) / |x|; at x = 0 any value will do
  if (half > 0) by = sin(half) / (2 * half);
  if (rate) by = 1; // the angular velocity is stored directly, marked by PB_ANGULAR
  q[0] = rate ? PB_ANGULAR : cos(half);
  for (int i = 0; i < 3; i++) q[1 + i] = by * x[i];
}

static bool is_rate(const pb_key *key) {
  return key->turn && !strcmp(key->turn, "rate");
}

// [a, b, c] of a ball joint
static dm_status read_turn(spot at, const pb_key *key, double q[4]) {
  double x[3];
  DM_TRY(read_vector(at, 3, x));
  put_ball_turn(x, is_rate(key), q);
  return DM_OK;
}

// the index of the first quaternion coordinate of a named ball joint, or -1
static int ball_named(const pb_reader *r, const char *name) {
  size_t length = strlen(name);
  for (int k = 0; k < r->nball; k++) {
    const char *full = r->coord[r->quaternion[k]];
    // NAME.qw is the first coordinate of a quaternion
    if (!strncmp(full, name, length) && !strcmp(full + length, ".qw")) return r->quaternion[k];
  }
  return -1;
}

// destination of values: n names of one kind, and the arrays to fill; high NULL: one number per
// name
typedef struct target {
  const char *what;
  const char *const *name;
  int n, all; // a single value applies to the first `all` of them
  double *low, *high;
} target;

static void put_value(const target *to, int i, int many, const double value[2]) {
  for (int k = i; k < i + many; k++) {
    to->low[k] = value[0];
    if (to->high) to->high[k] = value[1];
  }
}

// whether coordinate i is the first of a ball joint's quaternion
static bool begins_ball(const pb_reader *r, const target *to, int i) {
  for (int k = 0; to->name == r->coord && k < r->nball; k++)
    if (r->quaternion[k] == i) return true;
  return false;
}

// the order of list entries: the names, with three rates NAME.wx NAME.wy NAME.wz of a ball joint
// instead of the four of its quaternion; *count: how many
static dm_status list_order(const pb_reader *r, const pb_key *key, const target *to,
                            const char **order, int *count) {
  static const char *const axis[] = {"wx", "wy", "wz"};
  *count = 0;
  for (int i = 0; i < to->n; i++) {
    // replace the suffix qw by one suffix per axis
    bool turns = is_rate(key) && begins_ball(r, to, i);
    for (int k = 0; turns && k < 3; k++) {
      size_t length = strlen(to->name[i]) - 2; // without "qw"
      char *text = pb_copy(r->arena, to->name[i], length + 2);
      if (!text) return DM_NO_MEMORY;
      memcpy(text + length, axis[k], 2);
      order[(*count)++] = text;
    }

    // skip the four quaternion coordinates
    if (turns)
      i += 3;
    else
      order[(*count)++] = to->name[i];
  }
  return DM_OK;
}

// refuse a list of the wrong length: show how many entries are expected, of which kind, in which
// order
static dm_status refuse_length(spot at, const pb_key *key, const target *to) {
  const char **order;
  char found[64], names[260];
  int count;
  PB_NEW(at.r->arena, order, to->n);
  DM_TRY(list_order(at.r, key, to, order, &count));

  static const char *const units[2][2] = {{"numbers", "number"},
                                          {"pairs [low, high]", "pair [low, high]"}};
  const char *of = units[to->high != NULL][count == 1];
  return pb_refuse_node(at.r, at.node,
                        "%s: found %s, expected %d %s in the order %s (or one for all, or a "
                        "mapping by name)",
                        at.path, pb_node_describe(at.node, found), count, of,
                        dm_names_join(order, count, names, sizeof names));
}

// expected number of list entries, if nested lists stand for ball joints
static int entries_expected(const pb_reader *r, const pb_key *key, const target *to,
                            const pb_node *list) {
  // one per name; a ball joint has three rates, or one nested list
  int each = is_rate(key) ? 3 : 4;
  int count = to->n, nested = 0;
  // rates: one entry fewer per ball joint
  if (to->name == r->coord) count -= (4 - each) * r->nball;

  // a nested list stands for a whole ball joint
  for (const pb_node *e = list->first; key->turn && e; e = e->next)
    nested += e->kind == PB_SEQUENCE;
  // each nested list replaces `each` entries
  return count - (each - 1) * (nested < r->nball ? nested : r->nball);
}

// three consecutive numbers of a list, or three times free: the angular velocity of the ball joint
// at coordinate i
static dm_status read_ball_rates(spot at, const pb_key *key, const target *to, int i,
                                 const pb_node **entry) {
  double x[3];
  int free = 0;

  // the three entries; the caller advances past the last
  for (int k = 0; k < 3; k++) {
    if (k) *entry = (*entry)->next;
    DM_TRY(read_number_or_word((spot){at.r, at.path, *entry}, key, &x[k]));
    free += isnan(x[k]);
  }

  // all three rates are free, or none
  if (free == 1 || free == 2) // free three times: NAN
    return refuse_value((spot){at.r, at.path, *entry}, "three numbers, or free three times");
  put_ball_turn(x, true, to->low + i);
  if (free) put_value(to, i, 4, (double[]){NAN, NAN});
  return DM_OK;
}

// a list of values in the order of the names
static dm_status read_in_order(spot at, const pb_key *key, one_reader one, const target *to) {
  const pb_node *e = at.node->first;

  // the lengths agree, so that i and e end together
  if (at.node->n != entries_expected(at.r, key, to, at.node)) return refuse_length(at, key, to);
  for (int i = 0; e && i < to->n; e = e->next) {
    double value[2] = {0, 0};

    // messages name an entry by its coordinate
    char path[192];
    bool ball = begins_ball(at.r, to, i);
    snprintf(path, sizeof path, "%s.%s", at.path, to->name[i]);
    spot here = {at.r, path, e};

    // a rotation as a nested list, rates as three numbers, or one value
    if (ball && key->turn && e->kind == PB_SEQUENCE) {
      DM_TRY(read_turn(here, key, to->low + i));
      i += 4;
    } else if (ball && is_rate(key)) {
      DM_TRY(read_ball_rates(here, key, to, i, &e));
      i += 4;
    } else {
      DM_TRY(one(here, key, value));
      put_value(to, i++, 1, value);
    }
  }
  return DM_OK;
}

// [low, high] is one value; a list that contains lists is several
static bool is_list(const pb_node *node, const target *to) {
  if (node->kind != PB_SEQUENCE) return false;
  for (const pb_node *e = node->first; e; e = e->next)
    if (!to->high || e->kind == PB_SEQUENCE) return true;
  return !to->high;
}

// one value for all, a list of values in the order of the names, or a mapping from names to values
static dm_status read_each(spot at, const pb_key *key, one_reader one, const target *to) {
  double value[2] = {0, 0};

  if (is_list(at.node, to)) return read_in_order(at, key, one, to);

  // one value for all
  if (at.node->kind != PB_MAPPING) {
    DM_TRY(one(at, key, value));
    for (int i = 0; i < to->all; i++) // a clock keeps its own
      if (!at.r->clock || strcmp(to->name[i], at.r->clock) != 0) put_value(to, i, 1, value);
    return DM_OK;
  }

  // values by name; the name of a ball joint stands for its four coordinates
  for (const pb_node *e = at.node->first; e; e = e->next) {
    char path[192];
    int i = dm_names_find(to->name, to->n, e->key);
    int many = 1;
    // coordinate names take precedence over ball joints
    if (i < 0 && to->name == at.r->coord) {
      i = ball_named(at.r, e->key);
      many = 4;
    }
    if (i < 0)
      return refuse_name(at, to->what, e->key, e->key_line, e->key_column, to->name, to->n);

    // the value, or three numbers for a ball joint
    snprintf(path, sizeof path, "%s.%s", at.path, e->key);
    spot here = {at.r, path, e};
    if (many == 4 && key->turn && e->kind == PB_SEQUENCE) {
      DM_TRY(read_turn(here, key, to->low + i));
      continue;
    }
    DM_TRY(one(here, key, value));
    put_value(to, i, many, value);
  }
  return DM_OK;
}

const pb_node *pb_schema_entry(const pb_reader *r, const pb_node *node, int i) {
  if (node->kind != PB_MAPPING) return NULL;
  const pb_node *entry = pb_node_get(node, r->coord[i]);
  for (const pb_node *e = node->first; !entry && e; e = e->next) {
    int o = ball_named(r, e->key);
    if (o >= 0 && i >= o && i < o + 4) entry = e; // one of the four of a ball joint
  }
  return entry;
}

static dm_status read_named(spot at, const pb_key *key, void *to) {
  bool input = key->type == PB_EACH_INPUT || key->type == PB_RANGE_INPUT;
  bool range = key->type == PB_RANGE_COORD || key->type == PB_RANGE_INPUT;

  // the valid names; a single value applies to the first `all` of them
  const char *const *name = input ? at.r->input : at.r->coord;
  const char *what = input ? "input" : "coordinate";
  int n = input ? at.r->nu : at.r->n;
  int all = input ? at.r->nf : n; // forces come first, kinematic coordinates after them
  double *low, *high = NULL;

  // a missing key without a default leaves the struct unchanged
  const char *missing = at.node ? key->rest : key->absent;
  if (!at.node && !missing) return DM_OK;
  double rest = 0;
  if (missing) rest = word_value(missing);
  if (range) rest = NAN; // a range not given is NAN

  // fill with defaults, then overwrite with the file's values
  PB_NEW(at.r->arena, low, n);
  if (range) PB_NEW(at.r->arena, high, n);
  for (int i = 0; i < n; i++) {
    const bool clock =
        at.r->clock && !strcmp(name[i], at.r->clock); // not one of those that a default means
    low[i] = clock && key->rest && !range ? word_value(key->rest) : rest;
    if (range) high[i] = rest;
  }
  const target all_names = {what, name, n, all, low, high};
  if (at.node) DM_TRY(read_each(at, key, range ? read_one_range : read_number_or_word, &all_names));
  if (range) *(pb_range *)to = (pb_range){low, high};
  if (!range) *(const double **)to = low;
  return DM_OK;
}

static dm_status read_value(spot at, const pb_key *key, void *to) {
  // the row's type determines the type of the struct member
  switch (key->type) {
  case PB_NUMBER:
    return read_number_or_word(at, key, to);
  case PB_INTEGER:
    return read_integer(at, key->range, to);
  case PB_TEXT:
    return read_text(at, to);
  case PB_WORD:
  case PB_CHOICE:
    return read_word(at, key, to);
  case PB_VECTOR:
    return read_vector(at, 3, to);
  case PB_EACH_COORD:
  case PB_EACH_INPUT:
  case PB_RANGE_COORD:
  case PB_RANGE_INPUT:
    return read_named(at, key, to);
  case PB_SECTION:
    return pb_schema_read(at.r, at.path, at.node, key->sub, to);
  // the caller reads its entries
  case PB_LIST:
    if (at.node->kind != PB_SEQUENCE && !(key->words && is_word(at.node, key->words)))
      return refuse_form(at, "a list", key->sub, true);
    *(const pb_node **)to = at.node;
    return DM_OK;
  case PB_NODE:
    *(const pb_node **)to = at.node;
  }
  return DM_OK;
}

// the value of a missing key
static dm_status read_absent(spot at, const pb_key *key, void *to) {
  // a missing section has the defaults of its keys
  const char *text = key->absent;
  if (key->type == PB_SECTION) return pb_schema_read(at.r, at.path, NULL, key->sub, to);
  if (!text || !strcmp(text, PB_REQUIRED)) return DM_OK;

  // the default is text, read as in a file
  if (key->type == PB_NUMBER) *(double *)to = word_value(text);
  if (key->type == PB_INTEGER) *(int *)to = (int)word_value(text);
  if (key->type == PB_WORD || key->type == PB_TEXT) *(const char **)to = text;
  if (key->type == PB_VECTOR) {
    double *x = to;
    sscanf(text, "[%lf, %lf, %lf]", x, x + 1, x + 2);
  }
  if (key->type == PB_EACH_COORD || key->type == PB_EACH_INPUT) return read_named(at, key, to);
  return DM_OK;
}

// refuse an unknown key: show the known keys and the likely intention
static dm_status refuse_key(spot at, const pb_node *entry, const pb_key *table,
                            const char *const *list, int n) {
  char known[300], meant[PB_HINT];
  return pb_refuse_key(at.r, entry, "%s: found the unknown key '%.64s', expected %s%s", at.path,
                       entry->key, dm_names_list(list, n, known, sizeof known),
                       pb_hint_key(at.r, table, entry->key, meant));
}

static dm_status check_keys(spot at, const pb_key *table) {
  const char *known[40];
  int n = 0;
  for (; table[n].key; n++) known[n] = table[n].key;
  for (const pb_node *e = at.node->first; e; e = e->next)
    if (dm_names_find(known, n, e->key) < 0) return refuse_key(at, e, table, known, n);
  return DM_OK;
}

dm_status pb_schema_read(const pb_reader *r, const char *path, const pb_node *section,
                         const pb_key *table, void *into) {
  const char *name = path[0] ? path : "the file";
  spot at = {r, name, section};

  // a mapping without unknown keys
  if (section) {
    if (section->kind != PB_MAPPING) return refuse_form(at, "a mapping: key: value", table, false);
    DM_TRY(check_keys(at, table));
  }

  // in the order of the table, so that the order of messages is fixed
  for (const pb_key *key = table; key->key; key++) {
    char below[128];
    snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", key->key);
    spot value = {r, below, pb_node_get(section, key->key)};
    void *to = (char *)into + key->at;

    // the value, or its default
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
  return read_number((spot){r, path, node}, "a number", range, NULL, value);
}

dm_status pb_schema_each(const pb_reader *r, const char *path, const pb_node *node,
                         const char *range, const char *what, const char *const *name, int n,
                         double *value) {
  pb_key key = {.range = range};
  const target to = {what, name, n, n, value, NULL};
  return read_each((spot){r, path, node}, &key, read_number_or_word, &to);
}

dm_status pb_schema_ranges(const pb_reader *r, const char *path, const pb_node *node,
                           const char *what, const char *const *name, int n, int all, double *low,
                           double *high) {
  const pb_key key = {.type = name == r->input ? PB_RANGE_INPUT : PB_NODE};
  const target to = {what, name, n, all, low, high};
  return read_each((spot){r, path, node}, &key, read_one_range, &to);
}

dm_status pb_schema_list(const pb_reader *r, const char *path, const pb_node *node, int count,
                         double *value) {
  return read_vector((spot){r, path, node}, count, value);
}

dm_status pb_schema_limits(const pb_reader *r, const char *path, const pb_node *node,
                           double value[2]) {
  return read_limits((spot){r, path, node}, value);
}

dm_status pb_schema_value_or_limits(const pb_reader *r, const char *path, const pb_node *node,
                                    double value[2]) {
  const spot at = {r, path, node};
  if (node->kind == PB_SEQUENCE || is_word(node, "none")) return read_limits(at, value);
  DM_TRY(read_number(at, "a number, [low, high]", NULL, "none", &value[0]));
  value[1] = value[0];
  return DM_OK;
}

dm_status pb_schema_name(const pb_reader *r, const char *path, const pb_node *node,
                         const char *what, const char *const *list, int n, int *index) {
  spot at = {r, path, node};
  if (node->kind != PB_SCALAR || !node->text[0]) return refuse_value(at, "a name");
  *index = dm_names_find(list, n, node->text);
  if (*index >= 0) return DM_OK;
  return refuse_name(at, what, node->text, node->line, node->column, list, n);
}

dm_status pb_schema_form(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const char *value, const char *must, const char *may) {
  char text[2][PB_WORDS_TEXT];
  const char *list[2][PB_WORDS];
  int needed = split_words(must, text[0], list[0]);
  int allowed = split_words(may, text[1], list[1]);

  // required keys
  for (int i = 0; i < needed; i++)
    if (!pb_node_get(section, list[0][i]))
      return pb_refuse_node(r, section, "%s: found no '%s', expected one for the %s %s", path,
                            list[0][i], key, value);
  // unexpected keys
  for (const pb_node *e = section->first; e; e = e->next)
    if (dm_names_find(list[0], needed, e->key) < 0 && dm_names_find(list[1], allowed, e->key) < 0)
      return pb_refuse_key(r, e, "%s: found '%s', expected none for the %s %s", path, e->key, key,
                           value);
  return DM_OK;
}

dm_status pb_schema_once(const pb_reader *r, const char *path, const pb_node *section,
                         const char **names, int *n, const char *name) {
  const pb_node *node = pb_node_get(section, "name");
  if (strlen(name) > PB_NAME_MOST)
    return pb_refuse_node(r, node ? node : section,
                          "%s: found a name of %zu bytes, expected at most %d", path, strlen(name),
                          PB_NAME_MOST);
  if (dm_names_find(names, *n, name) >= 0)
    return pb_refuse_node(r, node ? node : section,
                          "%s: found a second one named '%.64s', expected every name once", path,
                          name);
  names[(*n)++] = name;
  return DM_OK;
}

dm_status pb_schema_direction(const pb_reader *r, const char *path, const pb_node *node,
                              const double x[3], double unit[3]) {
  double length = hypot(hypot(x[0], x[1]), x[2]);
  if (!(length > 0)) return pb_refuse_node(r, node, "%s: found 0 0 0, expected a direction", path);
  for (int i = 0; i < 3; i++) unit[i] = x[i] / length;
  return DM_OK;
}

const char *pb_schema_type(const pb_key *key, char text[PB_TYPE_TEXT]) {
  static const char *const names[] = {
      [PB_NUMBER] = "number",
      [PB_INTEGER] = "integer",
      [PB_TEXT] = "text",
      [PB_VECTOR] = "[x, y, z]",
      [PB_EACH_COORD] = "number",
      [PB_EACH_INPUT] = "number",
      [PB_RANGE_COORD] = "[low, high]",
      [PB_RANGE_INPUT] = "[low, high], a number x for [-x, x]",
      [PB_SECTION] = "section",
      [PB_LIST] = "list",
  };
  char words[PB_WORDS_TEXT], known[100];
  const char *list[PB_WORDS], *each = "";

  if (key->type == PB_WORD || key->type == PB_CHOICE)
    return dm_names_list(list, split_words(key->words, words, list), text, PB_TYPE_TEXT);
  if (key->type == PB_NODE) {
    snprintf(text, PB_TYPE_TEXT, "%s", key->words);
    return text;
  }

  // the type with its range, the names it can be given by, and its alternative word
  if (key->type == PB_EACH_COORD || key->type == PB_RANGE_COORD) each = ", or by coordinate";
  if (key->type == PB_EACH_INPUT || key->type == PB_RANGE_INPUT) each = ", or by input";
  const char *beside = key->words ? key->words : "";
  snprintf(text, PB_TYPE_TEXT, "%s%s%s%s", name_wanted(names[key->type], key->range, known), each,
           beside[0] ? ", or " : "", beside);
  return text;
}

#include "problems/readers/format/hints.h"

#include "lib/base/names.h"
#include "problems/readers/format/number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_required(const pb_key *key) {
  return key->absent && !strcmp(key->absent, PB_REQUIRED);
}

const char *pb_hint_quantity(const pb_lacking *list, const char *name) {
  static const pb_lacking always[] = {
      {"a.", "an acceleration, which formulas do not have; try bounds.a or cost.acceleration"},
      {NULL, NULL}};
  const pb_lacking *const both[] = {list, always};
  for (int i = 0; i < 2; i++)
    for (const pb_lacking *e = both[i]; e && e->name; e++) {
      const size_t size = strlen(e->name);
      if (e->name[size - 1] == '.' ? !strncmp(name, e->name, size) : !strcmp(name, e->name))
        return e->why;
    }
  return NULL;
}

const char *pb_hint_form(const pb_key *table, char text[PB_HINT]) {
  enum { SHOWN = 3 };
  int shown = 0, all = 0;
  size_t used = (size_t)snprintf(text, PB_HINT, "{");
  for (const pb_key *key = table; key->key; key++) all++;

  // the first few keys, required ones first
  for (int required = 1; required >= 0; required--)
    for (const pb_key *key = table; key->key && shown < SHOWN; key++) {
      if (is_required(key) != required) continue;
      used += (size_t)snprintf(text + used, PB_HINT - used, "%s%.24s: ...", shown ? ", " : "",
                               key->key);
      shown++;
    }
  // an ellipsis if there are more keys
  snprintf(text + used, PB_HINT - used, shown < all ? ", ...}" : "}");
  return text;
}

// --- numbers ---

// spellings from other languages, and ours
static const char *const foreign[][2] = {
    {"numpy.", ""},     {"math.", ""},      {"np.", ""},         {"M_PI", "pi"},
    {"PI", "pi"},       {"Pi", "pi"},       {"\xcf\x80", " pi"}, {"\xc2\xb0", " deg"},
    {"degrees", "deg"}, {"radians", "rad"},
};

// translate one letter or word of a foreign number; returns the rest of the text
static const char *translate_number(const char *from, char *to, size_t room) {
  // a word from another language
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    size_t length = strlen(foreign[i][0]);
    if (strncmp(from, foreign[i][0], length)) continue;
    snprintf(to, room, "%s", foreign[i][1]);
    return from + length;
  }

  // insert a blank between a number and its unit: 180deg, 2pi
  bool joined = isdigit((unsigned char)from[0]) && isalpha((unsigned char)from[1]) &&
                tolower((unsigned char)from[1]) != 'e';
  snprintf(to, room, joined ? "%c " : "%c", from[0]);
  return from + 1;
}

const char *pb_hint_number(const pb_node *node, char text[PB_HINT]) {
  char meant[PB_HINT - 32];
  size_t used = 0;
  double x;
  text[0] = 0;
  if (node->kind != PB_SCALAR) return text;

  // a number in quotes is text
  if (node->quoted && pb_number_parse(node->text, &x) == DM_OK) {
    snprintf(text, PB_HINT, "; did you mean %.64s without quotes?", node->text);
    return text;
  }

  // translate letter by letter; suggest the result if it is a number
  for (const char *at = node->text; *at && used + 8 < sizeof meant;) {
    at = translate_number(at, meant + used, sizeof meant - used);
    used += strlen(meant + used);
  }
  meant[used] = 0;
  // the suggestion must be a number and differ from the input
  if (used && strcmp(meant, node->text) && pb_number_parse(meant, &x) == DM_OK)
    snprintf(text, PB_HINT, "; did you mean '%s'?", meant + strspn(meant, " "));
  else if (strstr(node->text, " + ") || strstr(node->text, " - "))
    snprintf(text, PB_HINT, ": sums are not read, products and quotients are");
  return text;
}

// --- keys ---

const char pb_hint_comma[] = ": a comma ends a value, numbers have a decimal point";

static const pb_key *find_key(const pb_key *table, const char *key, size_t length) {
  for (; table->key; table++)
    if (strlen(table->key) == length && !strncmp(table->key, key, length)) return table;
  return NULL;
}

// whether a nonempty word is in a list separated by blanks
static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; at && (at = strstr(at, word)); at += length) {
    // a whole word: a blank or the end of the list on both sides
    bool begins = at == words || at[-1] == ' ', ends = !at[length] || at[length] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

// text glued to a known key: cost:{, urdf:file, q.pole, steps=4
static bool hint_glued(const pb_key *table, const char *key, char text[PB_HINT]) {
  // the key ends at the first colon, dot, equals sign or blank
  size_t length = strcspn(key, ":.= ");
  const char *rest = key + length + strspn(key + length, "= ");
  const pb_key *known = find_key(table, key, length);
  if (!known || !key[length]) return false;

  // the suggestion depends on the separator
  if (key[length] == ':')
    snprintf(text, PB_HINT, "; a colon needs a blank after it: '%s: %.40s'", known->key,
             key + length + 1);
  else if (key[length] == '.')
    snprintf(text, PB_HINT, "; did you mean '%s: {%.40s: ...}'?", known->key, key + length + 1);
  else
    snprintf(text, PB_HINT, "; did you mean '%s: %.40s'?", known->key, rest);
  return true;
}

// a key that belongs to a subsection or to the parent section
static bool hint_below(const pb_key *table, const char *key, char text[PB_HINT]) {
  for (const pb_key *k = table; k->key; k++) {
    if (!k->sub || !find_key(k->sub, key, strlen(key))) continue;
    snprintf(text, PB_HINT, "; did you mean '%s: {%.40s: ...}'?", k->key, key);
    return true;
  }
  return false;
}

// a coordinate name outside the section that should contain it
static bool hint_coordinate(const pb_reader *r, const pb_key *table, const char *key,
                            char text[PB_HINT]) {
  for (const pb_key *k = table; k->key; k++) {
    // keys with values by coordinate or by input
    bool coord = k->type == PB_EACH_COORD || k->type == PB_RANGE_COORD;
    bool input = k->type == PB_EACH_INPUT || k->type == PB_RANGE_INPUT;
    const char *const *name = coord ? r->coord : r->input;
    if (!coord && !input) continue;
    if (dm_names_find(name, coord ? r->n : r->nu, key) < 0) continue;
    snprintf(text, PB_HINT, "; did you mean '%s: {%.40s: ...}'?", k->key, key);
    return true;
  }
  return false;
}

const char *pb_hint_key(const pb_reader *r, const pb_key *table, const char *key,
                        char text[PB_HINT]) {
  const char *known[64];
  int n = 0;
  double x;
  text[0] = 0;
  if (!key[0]) return text;

  // the nearest key by spelling, else a synonym from other tools
  while (n < 64 && table[n].key) {
    known[n] = table[n].key;
    n++;
  }
  const char *near = dm_names_nearest(known, n, key);
  for (int i = 0; !near && i < n; i++)
    if (has_word(table[i].also, key)) near = known[i];

  // most reliable hint first: glued text, a similar key, a comma, another section
  if (hint_glued(table, key, text)) return text;
  if (near)
    snprintf(text, PB_HINT, "; did you mean '%s'?", near);
  else if (pb_number_parse(key, &x) == DM_OK)
    snprintf(text, PB_HINT, "%s", pb_hint_comma);
  else if (!hint_coordinate(r, table, key, text))
    hint_below(table, key, text);
  return text;
}

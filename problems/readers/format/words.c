#include "problems/readers/format/words.h"

#include <stdio.h>
#include <string.h>

// whether a text contains a word; words are separated by blanks or bars
static bool has_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = text; *at; at += strspn(at, " |")) {
    const size_t own = strcspn(at, " |");
    if (own == length && !strncmp(at, word, length)) return true;
    at += own;
  }
  return false;
}

static bool is_zero(const char *text) {
  return strspn(text, "+-0. \t\r\n") == strlen(text);
}

static bool is_harmless(const pb_word *row, const char *value) {
  if (!row->harmless) return false;
  return has_word(row->harmless, value) || (has_word(row->harmless, "0") && is_zero(value));
}

// whether a row describes an element: by its name, or by its parent's name and its own
static bool is_row_of(const char *row, const pb_xml_node *e) {
  const char *slash = strchr(row, '/'), *name = e->name;
  if (!slash) return !strcmp(row, name);
  const char *parent = e->parent && e->parent->name ? e->parent->name : "";
  return !strcmp(slash + 1, name) && strlen(parent) == (size_t)(slash - row) &&
         !strncmp(row, parent, strlen(parent));
}

// candidates for a misspelled word: the attributes of an element, or (NULL) the elements
static dm_status list_known(const pb_words *w, pb_arena *arena, const char *element,
                            const char ***list, int *n) {
  size_t room = 1;
  for (const pb_word *row = w->row; row->element; row++)
    room += 1 + (element && row->words ? strlen(row->words) / 2 + 1 : 0);
  PB_NEW(arena, *list, room);
  *n = 0;
  for (const pb_word *row = w->row; row->element; row++) {
    const char *slash = strchr(row->element, '/');
    if (!element) (*list)[(*n)++] = slash ? slash + 1 : row->element;
    if (!element || !row->words || strcmp(row->element, element) != 0) continue;
    for (const char *at = row->words; *at; at += strspn(at, " ")) {
      const size_t length = strcspn(at, " ");
      (*list)[*n] = pb_copy(arena, at, length);
      if (!(*list)[(*n)++]) return DM_NO_MEMORY;
      at += length;
    }
  }
  return DM_OK;
}

static dm_status warn_of_unknown(const pb_words *w, const pb_xml *x, const pb_xml_node *e,
                                 const char *element, const char *attribute) {
  const char **known;
  char meant[96];
  int n;
  DM_TRY(list_known(w, x->r->arena, element, &known, &n));
  if (attribute)
    return pb_warn_xml(x, e, "<%s>: its attribute '%.40s' is not read%s", e->name, attribute,
                       pb_did_you_mean(known, n, attribute, meant));
  const char *parent = e->parent && e->parent->name ? e->parent->name : "";
  return pb_warn_xml(x, e, "<%.40s> in <%.40s> is not read%s", e->name, parent,
                     pb_did_you_mean(known, n, e->name, meant));
}

static dm_status check_attribute(const pb_words *w, const pb_xml *x, const pb_xml_node *e,
                                 const char *element, const char *name) {
  const pb_word *row = w->row;
  const char *value;
  while (row->element &&
         (strcmp(row->element, element) != 0 || !row->words || !has_word(row->words, name)))
    row++;
  if (!row->element) return warn_of_unknown(w, x, e, element, name);
  if (row->fate < PB_DROPPED) return DM_OK;
  value = pb_xml_get(e, name);
  if (!value || is_harmless(row, value)) return DM_OK;
  if (row->fate == PB_DROPPED)
    return pb_warn_xml(x, e, "<%s>: %s=\"%.40s\" is not read: %s", e->name, name, value, row->note);
  return pb_refuse_xml(x, e, "<%s>: found %s=\"%.40s\", which is not modelled, expected %s",
                       e->name, name, value, row->note);
}

// check an element and its attributes; inside: whether to check its children
static dm_status check_one(const pb_words *w, const pb_xml *x, const pb_xml_node *e, bool *inside) {
  // the name of an element in the table, with its parent if a row has it; NULL: not in the table
  const char *element = NULL;
  for (const pb_word *row = w->row; row->element; row++)
    if (is_row_of(row->element, e) && (!element || strchr(row->element, '/')))
      element = row->element;

  *inside = element != NULL;
  if (!element) return w->tells_elements ? warn_of_unknown(w, x, e, NULL, NULL) : DM_OK;

  // the element itself, then its attributes
  for (const pb_word *row = w->row; row->element; row++) {
    if (row->words || strcmp(row->element, element) != 0) continue;
    *inside = row->fate == PB_TAKEN;
    if (row->fate == PB_REFUSED)
      return pb_refuse_xml(x, e, "found <%s>, which is not read, expected %s", e->name, row->note);
    if (row->fate == PB_DROPPED)
      return pb_warn_xml(x, e, "<%s> is not read: %s", e->name, row->note);
  }
  for (const pb_xml_attribute *a = *inside ? e->attributes : NULL; a; a = a->next)
    if (!strchr(a->name, ':') && strcmp(a->name, "xmlns") != 0)
      DM_TRY(check_attribute(w, x, e, element, a->name));
  return DM_OK;
}

dm_status pb_words_check(const pb_words *w, const pb_xml *x, const pb_xml_node *top) {
  const pb_xml_node *e = top;
  while (e) {
    bool inside;
    DM_TRY(check_one(w, x, e, &inside));

    // the next element in document order
    const pb_xml_node *next = inside ? pb_xml_next(e->children, NULL) : NULL;
    while (!next && e != top) {
      next = pb_xml_next(e->next, NULL);
      if (!next) e = e->parent;
    }
    e = next;
  }
  return DM_OK;
}

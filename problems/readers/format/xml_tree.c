#include "problems/readers/format/xml_tree.h"

#include <string.h>

pb_xml_node *pb_xml_new(pb_arena *arena, pb_xml_kind kind, const char *name, const char *text) {
  pb_xml_node *node = pb_arena_alloc(arena, 1, sizeof *node);
  if (!node) return NULL;
  node->kind = kind;
  node->name = name ? pb_copy(arena, name, strlen(name)) : NULL;
  node->text = text ? pb_copy(arena, text, strlen(text)) : NULL;
  return (!name || node->name) && (!text || node->text) ? node : NULL;
}

// -- links

void pb_xml_unlink(pb_xml_node *node) {
  pb_xml_node *const parent = node->parent;
  if (!parent) return;
  *(node->prev ? &node->prev->next : &parent->children) = node->next;
  *(node->next ? &node->next->prev : &parent->last) = node->prev;
  node->parent = node->prev = node->next = NULL;
}

// link a node between two neighbors, of which one or both are NULL
static void link_between(pb_xml_node *parent, pb_xml_node *prev, pb_xml_node *node,
                         pb_xml_node *next) {
  node->parent = parent;
  node->prev = prev;
  node->next = next;
  *(prev ? &prev->next : &parent->children) = node;
  *(next ? &next->prev : &parent->last) = node;
}

void pb_xml_append(pb_xml_node *parent, pb_xml_node *node) {
  pb_xml_unlink(node);
  link_between(parent, parent->last, node, NULL);
}

void pb_xml_put_before(pb_xml_node *other, pb_xml_node *node) {
  pb_xml_unlink(node);
  link_between(other->parent, other->prev, node, other);
}

void pb_xml_put_behind(pb_xml_node *other, pb_xml_node *node) {
  pb_xml_unlink(node);
  link_between(other->parent, other, node, other->next);
}

// a copy of one node, with its attributes and without children
static pb_xml_node *copy_one(pb_arena *arena, const pb_xml_node *node) {
  pb_xml_node *copy = pb_arena_alloc(arena, 1, sizeof *copy);
  if (!copy) return NULL;
  *copy = *node;
  copy->parent = copy->children = copy->last = copy->prev = copy->next = NULL;
  copy->attributes = NULL;
  pb_xml_attribute **end = &copy->attributes;
  for (const pb_xml_attribute *a = node->attributes; a; a = a->next) {
    *end = pb_arena_alloc(arena, 1, sizeof **end);
    if (!*end) return NULL;
    **end = (pb_xml_attribute){a->name, a->value, NULL};
    end = &(*end)->next;
  }
  return copy;
}

pb_xml_node *pb_xml_copy(pb_arena *arena, const pb_xml_node *node) {
  pb_xml_node *copy = copy_one(arena, node);
  for (const pb_xml_node *c = node->children; copy && c; c = c->next) {
    pb_xml_node *child = pb_xml_copy(arena, c);
    if (!child) return NULL;
    pb_xml_append(copy, child);
  }
  return copy;
}

int pb_xml_count(const pb_xml_node *parent) {
  int n = 0;
  for (const pb_xml_node *c = parent->children; c; c = c->next) n += c->kind == PB_XML_ELEMENT;
  return n;
}

// -- attributes

static pb_xml_attribute *find_attribute(const pb_xml_node *element, const char *name) {
  pb_xml_attribute *a = element ? element->attributes : NULL;
  while (a && strcmp(a->name, name) != 0) a = a->next;
  return a;
}

const char *pb_xml_get(const pb_xml_node *element, const char *name) {
  const pb_xml_attribute *a = find_attribute(element, name);
  return a ? a->value : NULL;
}

bool pb_xml_has(const pb_xml_node *element, const char *name) {
  return find_attribute(element, name) != NULL;
}

dm_status pb_xml_set(pb_arena *arena, pb_xml_node *element, const char *name, const char *value) {
  pb_xml_attribute *a = find_attribute(element, name);
  const char *copy = pb_copy(arena, value, strlen(value));
  if (!copy) return DM_NO_MEMORY;
  if (!a) {
    pb_xml_attribute **end = &element->attributes;
    PB_NEW(arena, a, 1);
    a->name = pb_copy(arena, name, strlen(name));
    if (!a->name) return DM_NO_MEMORY;
    while (*end) end = &(*end)->next;
    *end = a;
  }
  a->value = copy;
  return DM_OK;
}

void pb_xml_unset(pb_xml_node *element, const char *name) {
  pb_xml_attribute *a = find_attribute(element, name), **link = &element->attributes;
  if (!a) return;
  while (*link != a) link = &(*link)->next;
  *link = a->next;
}

// -- writing

// text with references for the characters that have a meaning, or that a reader would change
static void write_text(FILE *f, const char *text, bool quoted) {
  static const struct {
    char sign;
    bool quoted; // only in attributes
    const char *reference;
  } rows[] = {{'&', false, "&amp;"},  {'<', false, "&lt;"},  {'>', false, "&gt;"},
              {'\r', false, "&#13;"}, {'"', true, "&quot;"}, {'\n', true, "&#10;"},
              {'\t', true, "&#9;"}};
  enum { ROWS = sizeof rows / sizeof *rows };
  for (; *text; text++) {
    int i = 0;
    while (i < ROWS && (rows[i].sign != *text || (rows[i].quoted && !quoted))) i++;
    if (i < ROWS)
      fputs(rows[i].reference, f);
    else
      fputc(*text, f);
  }
}

static void write_words(FILE *f, const char *a, const char *b, const char *c) {
  fputs(a, f);
  fputs(b, f);
  fputs(c, f);
}

static void write_node(FILE *f, const pb_xml_node *node) {
  if (node->kind == PB_XML_TEXT) write_text(f, node->text, false);
  if (node->kind == PB_XML_COMMENT) write_words(f, "<!--", node->text, "-->");
  if (node->kind == PB_XML_INSTRUCTION) {
    write_words(f, "<?", node->name, " ");
    write_words(f, node->text, "?>", "");
  }
  if (node->kind != PB_XML_ELEMENT) return;
  write_words(f, "<", node->name, "");
  for (const pb_xml_attribute *a = node->attributes; a; a = a->next) {
    write_words(f, " ", a->name, "=\"");
    write_text(f, a->value, true);
    fputc('"', f);
  }
  fputs(node->children ? ">" : "/>", f);
  for (const pb_xml_node *c = node->children; c; c = c->next) write_node(f, c);
  if (node->children) write_words(f, "</", node->name, ">");
}

void pb_xml_write(FILE *f, const pb_xml_node *document) {
  fputs("<?xml version=\"1.0\"?>\n", f);
  for (const pb_xml_node *c = document->children; c; c = c->next) {
    write_node(f, c);
    fputc('\n', f);
  }
}

#include "problems/readers/format/xml.h"

#include "lib/base/names.h"
#include "lib/base/text.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// limits that no robot comes near: readers are recursive, and look for each attribute by its name
enum { ATTRIBUTES = 1000, DEPTH = 256 };

// state shared by the parser's callbacks
typedef struct parsing {
  const pb_xml *x;
  XML_Parser parser;
  pb_xml_node *node; // the element, or the document, that is open
  int depth;
  char *text; // characters since the last tag, which come in pieces
  size_t used, room;
  dm_status status; // of the callback that stopped the parser
} parsing;

static void stop(parsing *p, dm_status s) {
  p->status = s;
  XML_StopParser(p->parser, XML_FALSE);
}

static int find_line(const parsing *p) {
  return (int)XML_GetCurrentLineNumber(p->parser);
}

// a DOCTYPE stops the parser before its content is read
static void on_doctype(void *user, const char *name, const char *system, const char *public,
                       int internal) {
  (void)name;
  (void)system;
  (void)public;
  (void)internal;
  parsing *p = user;
  stop(p, pb_refuse(p->x->r, p->x->file, find_line(p), 0,
                    "found a DOCTYPE, expected none in a robot file"));
}

static pb_xml_node *add_node(parsing *p, pb_xml_kind kind, const char *name, const char *text) {
  pb_xml_node *node = pb_xml_new(p->x->r->arena, kind, name, text);
  if (node) pb_xml_append(p->node, node);
  if (!node) stop(p, DM_NO_MEMORY);
  return node;
}

// the line on which the tag at the parser's position ends
static int find_end_line(const parsing *p) {
  int at, size, line = find_line(p);
  const char *text = XML_GetInputContext(p->parser, &at, &size);
  for (int i = 0; text && i < XML_GetCurrentByteCount(p->parser); i++) line += text[at + i] == '\n';
  return line;
}

static void end_text(parsing *p) {
  if (!p->used || p->status != DM_OK) return;
  p->text[p->used] = 0;
  p->used = 0;
  add_node(p, PB_XML_TEXT, NULL, p->text);
}

static void on_text(void *user, const char *text, int size) {
  parsing *p = user;
  const size_t used = p->used + (size_t)size;
  if (p->status != DM_OK) return;
  if (used >= p->room) {
    char *more = pb_arena_alloc(p->x->r->arena, 2 * used + 1, 1);
    if (!more) {
      stop(p, DM_NO_MEMORY);
      return;
    }
    if (p->used) memcpy(more, p->text, p->used);
    p->text = more;
    p->room = 2 * used + 1;
  }
  memcpy(p->text + p->used, text, (size_t)size);
  p->used = used;
}

static dm_status read_attributes(parsing *p, pb_xml_node *e, const char **attributes) {
  pb_arena *arena = p->x->r->arena;
  pb_xml_attribute **end = &e->attributes;
  for (int i = 0; attributes[i]; i += 2) {
    if (i == 2 * ATTRIBUTES)
      return pb_refuse_xml(p->x, e, "found an element with more than %d attributes, expected fewer",
                           ATTRIBUTES);
    pb_xml_attribute *a = pb_arena_alloc(arena, 1, sizeof *a);
    if (!a) return DM_NO_MEMORY;
    a->name = pb_copy(arena, attributes[i], strlen(attributes[i]));
    a->value = pb_copy(arena, attributes[i + 1], strlen(attributes[i + 1]));
    if (!a->name || !a->value) return DM_NO_MEMORY;
    *end = a;
    end = &a->next;
  }
  return DM_OK;
}

static void on_element(void *user, const char *name, const char **attributes) {
  parsing *p = user;
  dm_status status;
  end_text(p);
  if (p->status != DM_OK) return;
  pb_xml_node *e = add_node(p, PB_XML_ELEMENT, name, NULL);
  if (!e) return;
  e->file = p->x->file;
  e->line = find_end_line(p);
  if (++p->depth > DEPTH)
    status =
        pb_refuse_xml(p->x, e, "found elements nested more than %d deep, expected fewer", DEPTH);
  else
    status = read_attributes(p, e, attributes);
  if (status == DM_OK)
    p->node = e;
  else
    stop(p, status);
}

static void on_end(void *user, const char *name) {
  (void)name;
  parsing *p = user;
  end_text(p);
  if (p->status != DM_OK) return;
  p->node = p->node->parent;
  p->depth--;
}

static void on_comment(void *user, const char *text) {
  parsing *p = user;
  end_text(p);
  if (p->status == DM_OK) add_node(p, PB_XML_COMMENT, NULL, text);
}

static void on_instruction(void *user, const char *name, const char *text) {
  parsing *p = user;
  end_text(p);
  if (p->status == DM_OK) add_node(p, PB_XML_INSTRUCTION, name, text);
}

// -- the XML declaration

// Robot files in use have declarations that XML forbids: not at the start of the file, or
// version="0.0". They do not describe the robot: blank them and keep the lines.
static void mend_declaration(char *text, size_t size) {
  static const char declaration[] = "<?xml", comment[] = "<!--";
  char *const end = text + size, *at = text;
  if (size >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3)) at += 3;
  for (char *const first = at; at < end;) {
    at += strspn(at, " \t\r\n");
    if (!strncmp(at, comment, strlen(comment))) {
      char *close = strstr(at, "-->");
      if (!close) return;
      at = close + 3;
      continue;
    }
    if (strncmp(at, declaration, strlen(declaration)) != 0 || !strchr("? \t\r\n", at[5])) return;

    // a declaration of XML 1.x at the beginning is valid and states the encoding
    char *close = strstr(at, "?>");
    if (!close) return;
    const char *version = strstr(at, "version");
    const size_t quote = version ? strcspn(version, "'\"") + 1 : 0;
    const bool good = version && version < close && !strncmp(version + quote, "1.", 2);
    if (at != first || !good) {
      const size_t length = (size_t)(close + 2 - at);
      for (size_t i = 0; i < length; i++)
        if (at[i] != '\n') at[i] = ' ';
    }
    at = close + 2;
  }
}

dm_status pb_xml_open(pb_xml *x, pb_reader *r, const char *file, const char *text, size_t size) {
  *x = (pb_xml){.r = r, .file = file};
  if (strspn(text, " \t\r\n") == size)
    return pb_refuse(r, file, 1, 0, "found an empty file, expected <robot> or <mujoco>");
  char *mended = pb_copy(r->arena, text, size);
  x->document = pb_xml_new(r->arena, PB_XML_DOCUMENT, NULL, NULL);
  if (!mended || !x->document) return DM_NO_MEMORY;
  mend_declaration(mended, size);

  // expat reads no other file: it has no callback for external entities
  parsing p = {.x = x, .parser = XML_ParserCreate(NULL), .node = x->document};
  if (!p.parser) return DM_NO_MEMORY;
  XML_SetUserData(p.parser, &p);
  XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
  XML_SetElementHandler(p.parser, on_element, on_end);
  XML_SetCharacterDataHandler(p.parser, on_text);
  XML_SetCommentHandler(p.parser, on_comment);
  XML_SetProcessingInstructionHandler(p.parser, on_instruction);
  const bool read = XML_Parse(p.parser, mended, (int)size, XML_TRUE) == XML_STATUS_OK;

  // a callback's reason first, because it stopped the parser
  const enum XML_Error error = XML_GetErrorCode(p.parser);
  dm_status s = p.status;
  if (s == DM_OK && !read && error == XML_ERROR_NO_MEMORY) s = DM_NO_MEMORY;
  if (s == DM_OK && !read)
    s = pb_refuse(r, file, find_line(&p), (int)XML_GetCurrentColumnNumber(p.parser) + 1,
                  "found broken XML: %s", XML_ErrorString(error));
  XML_ParserFree(p.parser);
  return s;
}

pb_xml_node *pb_xml_root(const pb_xml *x) {
  return pb_xml_next(x->document->children, NULL);
}

int pb_xml_line(const pb_xml_node *element) {
  return element ? element->line : 0;
}

const char *pb_xml_file(const pb_xml *x, const pb_xml_node *element) {
  return element && element->file ? element->file : x->file;
}

pb_xml_node *pb_xml_next(pb_xml_node *node, const char *name) {
  while (node && (node->kind != PB_XML_ELEMENT || (name && strcmp(node->name, name) != 0)))
    node = node->next;
  return node;
}

dm_status pb_xml_child(const pb_xml *x, const pb_xml_node *parent, const char *name,
                       pb_xml_node **child) {
  *child = pb_xml_next(parent->children, name);

  // read the first of repeated elements; warn about the second
  pb_xml_node *second = *child ? pb_xml_next((*child)->next, name) : NULL;
  if (!second) return DM_OK;
  return pb_warn_xml(x, second, "found a second <%s> in <%s>, which is not read", name,
                     parent->name);
}

dm_status pb_xml_name(const pb_xml *x, const pb_xml_node *element, const char *name,
                      const char **text) {
  *text = pb_xml_get(element, name);

  // names appear in terminals, scripts and source code
  const char *flaw = *text ? dm_text_flaw(*text, NULL) : NULL;
  char what[64];
  if (flaw)
    return pb_refuse_xml(x, element,
                         "<%s>: found %s in %s='%.64s', expected plain text in one line",
                         element->name, dm_text_describe(flaw, what), name, *text);
  // an empty name is not accepted
  if (*text && **text) return DM_OK;
  return pb_refuse_xml(x, element, "<%s>: found no %s, expected %s=\"...\"", element->name, name,
                       name);
}

// parse exactly count finite numbers
static bool parse_numbers(const char *text, int count, double *value) {
  char *end;
  for (int i = 0; i < count; i++, text = end) {
    value[i] = strtod(text, &end);
    if (end == text || !isfinite(value[i])) return false;
  }
  return text[strspn(text, " \t\r\n")] == 0;
}

dm_status pb_xml_number(const pb_xml *x, const pb_xml_node *element, const char *name,
                        double *value, bool *there) {
  const char *text;
  double number;

  // value is written only if the attribute exists
  text = pb_xml_get(element, name);
  if (there) *there = text != NULL;
  if (!text) return DM_OK;
  if (!parse_numbers(text, 1, &number))
    return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected a finite number",
                         element->name, name, text);
  *value = number;
  return DM_OK;
}

dm_status pb_xml_vector(const pb_xml *x, const pb_xml_node *element, const char *name,
                        double value[3]) {
  const char *text;
  double number[3];
  text = pb_xml_get(element, name);
  if (!text) return DM_OK;

  // all three numbers or none
  if (!parse_numbers(text, 3, number))
    return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected three finite numbers",
                         element->name, name, text);
  memcpy(value, number, sizeof number);
  return DM_OK;
}

dm_status pb_xml_numbers(const pb_xml *x, const pb_xml_node *element, const char *name, int most,
                         double *value, int *n) {
  const char *text;
  *n = 0;
  text = pb_xml_get(element, name);
  if (!text) return DM_OK;

  // read numbers until the end, the limit, or text that is not a number
  const char *at = text;
  while (*n < most && at[strspn(at, " \t\r\n")]) {
    char *end;
    value[*n] = strtod(at, &end);
    if (end == at || !isfinite(value[*n])) break;
    at = end;
    ++*n;
  }
  if (*n && !at[strspn(at, " \t\r\n")]) return DM_OK;
  return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected %s%d finite number%s",
                       element->name, name, text, most > 1 ? "up to " : "", most,
                       most > 1 ? "s" : "");
}

dm_status pb_xml_word(const pb_xml *x, const pb_xml_node *element, const char *name,
                      const char *const *words, int nwords, int *word) {
  const char *text;
  char known[160], meant[96];
  text = pb_xml_get(element, name);
  if (!text) return DM_OK;
  const int found = dm_names_find(words, nwords, text);
  if (found < 0)
    return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected %s%s", element->name, name,
                         text, dm_names_list(words, nwords, known, sizeof known),
                         pb_did_you_mean(words, nwords, text, meant));
  *word = found;
  return DM_OK;
}

dm_status pb_xml_origin(const pb_xml *x, const pb_xml_node *parent, double xyz[3], double rpy[3]) {
  pb_xml_node *e;
  DM_TRY(pb_xml_child(x, parent, "origin", &e));
  for (int i = 0; i < 3; i++) xyz[i] = rpy[i] = 0;
  DM_TRY(pb_xml_vector(x, e, "xyz", xyz));
  return pb_xml_vector(x, e, "rpy", rpy);
}

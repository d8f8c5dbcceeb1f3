#include "problems/readers/format/xml.h"

#include "lib/base/names.h"
#include "lib/base/text.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// libxml2 compares each attribute of an element with all previous ones
enum { ATTRIBUTES = 1000 };

// state shared by the parser's callbacks
typedef struct parsing {
  const pb_xml *x;
  int doctype;    // the line of a DOCTYPE; 0: none
  bool no_memory; // a file or line could not be recorded
} parsing;

// a DOCTYPE stops the parser before its content is read
static void on_doctype(void *context, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system) {
  (void)name;
  (void)external;
  (void)system;
  xmlParserCtxt *c = context;
  ((parsing *)c->_private)->doctype = c->input ? c->input->line : 1;
  xmlStopParser(c);
}

// record the file of every element, because documents are merged, and its line, because libxml2
// stops counting at 65535
static void on_element(void *context, const xmlChar *name, const xmlChar *prefix,
                       const xmlChar *uri, int nspaces, const xmlChar **spaces, int nattributes,
                       int ndefaults, const xmlChar **attributes) {
  xmlParserCtxt *c = context;
  parsing *p = c->_private;
  xmlSAX2StartElementNs(c, name, prefix, uri, nspaces, spaces, nattributes, ndefaults, attributes);
  if (!c->node) return;
  pb_xml_place *place = pb_arena_alloc(p->x->r->arena, 1, sizeof *place);
  p->no_memory = p->no_memory || !place;
  if (place) *place = (pb_xml_place){p->x->file, c->input ? c->input->line : 0, NULL};
  c->node->_private = place;
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

static dm_status refuse_broken_xml(pb_reader *r, const char *file, const xmlError *e) {
  if (!e || !e->message)
    return pb_refuse(r, file, 1, 0, "found text that is not XML, expected <robot> or <mujoco>");
  if (e->code == XML_ERR_NO_MEMORY) return DM_NO_MEMORY;

  // libxml2's message, in one line
  char text[200] = "";
  strncat(text, e->message, sizeof text - 1);
  text[strcspn(text, "\n")] = 0;
  return pb_refuse(r, file, e->line, e->int2, "found broken XML: %s", text);
}

// the position after a comment, a CDATA section or an instruction; NULL: none begins at text
static const char *skip_no_element(const char *text, const char *end) {
  static const char *const brackets[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++) {
    const size_t n = strlen(brackets[i][0]), m = strlen(brackets[i][1]);
    if ((size_t)(end - text) < n || memcmp(text, brackets[i][0], n) != 0) continue;
    for (text += n; (size_t)(end - text) >= m; text++)
      if (!memcmp(text, brackets[i][1], m)) return text + m;
    return end;
  }
  return NULL;
}

// the position after the tag that begins at text, or at the attribute that exceeds the limit
static const char *skip_tag(const char *text, const char *end, bool *many) {
  int attributes = 0;
  for (char quote = 0; text < end; text++) {
    if (quote)
      quote = *text == quote ? 0 : quote;
    else if (*text == '"' || *text == '\'')
      quote = *text;
    else if (*text == '>')
      return text + 1;
    else if (*text == '=' && ++attributes > ATTRIBUTES)
      break;
  }
  *many = text < end;
  return text;
}

// refuse elements with more attributes than any robot needs, because parsing time grows with their
// square
static dm_status refuse_attributes(const pb_reader *r, const char *file, const char *text,
                                   size_t size) {
  const char *end = text + size;
  bool many = false;
  for (const char *at = text; (at = memchr(at, '<', (size_t)(end - at)));) {
    const char *behind = skip_no_element(at, end);
    at = behind ? behind : skip_tag(at, end, &many);
    if (!many) continue;
    int line = 1;
    for (const char *c = text; c < at; c++) line += *c == '\n';
    return pb_refuse(r, file, line, 0,
                     "found an element with more than %d attributes, expected fewer", ATTRIBUTES);
  }
  return DM_OK;
}

dm_status pb_xml_open(pb_xml *x, pb_reader *r, const char *file, const char *text, size_t size) {
  *x = (pb_xml){.r = r, .file = file};
  if (strspn(text, " \t\r\n") == size)
    return pb_refuse(r, file, 1, 0, "found an empty file, expected <robot> or <mujoco>");
  char *mended = pb_copy(r->arena, text, size);
  if (!mended) return DM_NO_MEMORY;
  mend_declaration(mended, size);

  DM_TRY(refuse_attributes(r, file, text, size));

  // default libxml2 parser with two callbacks: stop at a DOCTYPE, record positions
  parsing p = {.x = x};
  xmlParserCtxt *c = xmlNewParserCtxt();
  if (!c) return DM_NO_MEMORY;
  c->_private = &p;
  c->sax->internalSubset = on_doctype;
  c->sax->startElementNs = on_element;

  // no network, no output on stderr; without a dictionary elements can move to another document
  x->doc = xmlCtxtReadMemory(c, mended, (int)size, NULL, NULL,
                             XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                 XML_PARSE_NODICT);

  // report a DOCTYPE first, because it stopped the parser
  dm_status s = DM_OK;
  if (p.doctype)
    s = pb_refuse(r, file, p.doctype, 0, "found a DOCTYPE, expected none in a robot file");
  else if (!x->doc)
    s = refuse_broken_xml(r, file, xmlCtxtGetLastError(c));
  else if (p.no_memory)
    s = DM_NO_MEMORY;
  xmlFreeParserCtxt(c);
  if (s != DM_OK) pb_xml_close(x);
  return s;
}

void pb_xml_close(pb_xml *x) {
  xmlFreeDoc(x->doc);
  x->doc = NULL;
}

int pb_xml_line(const xmlNode *element) {
  const pb_xml_place *place = element ? element->_private : NULL;
  return place ? place->line : 0;
}

const char *pb_xml_file(const pb_xml *x, const xmlNode *element) {
  const pb_xml_place *place = element ? element->_private : NULL;
  return place ? place->file : x->file;
}

xmlNode *pb_xml_next(xmlNode *node, const char *name) {
  while (node &&
         (node->type != XML_ELEMENT_NODE || (name && strcmp((const char *)node->name, name) != 0)))
    node = node->next;
  return node;
}

dm_status pb_xml_child(const pb_xml *x, const xmlNode *parent, const char *name, xmlNode **child) {
  *child = pb_xml_next(parent->children, name);

  // read the first of repeated elements; warn about the second
  xmlNode *second = *child ? pb_xml_next((*child)->next, name) : NULL;
  if (!second) return DM_OK;
  return pb_warn_xml(x, second, "found a second <%s> in <%s>, which is not read", name,
                     (const char *)parent->name);
}

dm_status pb_xml_text(const pb_xml *x, const xmlNode *element, const char *name,
                      const char **text) {
  *text = NULL;
  if (!element || !xmlHasProp(element, (const xmlChar *)name)) return DM_OK;

  // libxml2's copy, with entities resolved
  xmlChar *value = xmlGetNoNsProp(element, (const xmlChar *)name);
  if (!value) return DM_OK;
  *text = pb_copy(x->r->arena, (const char *)value, strlen((const char *)value));
  xmlFree(value);
  return *text ? DM_OK : DM_NO_MEMORY;
}

dm_status pb_xml_name(const pb_xml *x, const xmlNode *element, const char *name,
                      const char **text) {
  DM_TRY(pb_xml_text(x, element, name, text));

  // names appear in terminals, scripts and source code
  const char *flaw = *text ? dm_text_flaw(*text, NULL) : NULL;
  char what[64];
  if (flaw)
    return pb_refuse_xml(x, element,
                         "<%s>: found %s in %s='%.64s', expected plain text in one line",
                         (const char *)element->name, dm_text_describe(flaw, what), name, *text);
  // an empty name is not accepted
  if (*text && **text) return DM_OK;
  return pb_refuse_xml(x, element, "<%s>: found no %s, expected %s=\"...\"",
                       (const char *)element->name, name, name);
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

dm_status pb_xml_number(const pb_xml *x, const xmlNode *element, const char *name, double *value,
                        bool *there) {
  const char *text;
  double number;

  // value is written only if the attribute exists
  DM_TRY(pb_xml_text(x, element, name, &text));
  if (there) *there = text != NULL;
  if (!text) return DM_OK;
  if (!parse_numbers(text, 1, &number))
    return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected a finite number",
                         (const char *)element->name, name, text);
  *value = number;
  return DM_OK;
}

dm_status pb_xml_vector(const pb_xml *x, const xmlNode *element, const char *name,
                        double value[3]) {
  const char *text;
  double number[3];
  DM_TRY(pb_xml_text(x, element, name, &text));
  if (!text) return DM_OK;

  // all three numbers or none
  if (!parse_numbers(text, 3, number))
    return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected three finite numbers",
                         (const char *)element->name, name, text);
  memcpy(value, number, sizeof number);
  return DM_OK;
}

dm_status pb_xml_numbers(const pb_xml *x, const xmlNode *element, const char *name, int most,
                         double *value, int *n) {
  const char *text;
  *n = 0;
  DM_TRY(pb_xml_text(x, element, name, &text));
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
                       (const char *)element->name, name, text, most > 1 ? "up to " : "", most,
                       most > 1 ? "s" : "");
}

dm_status pb_xml_word(const pb_xml *x, const xmlNode *element, const char *name,
                      const char *const *words, int nwords, int *word) {
  const char *text;
  char known[160], meant[96];
  DM_TRY(pb_xml_text(x, element, name, &text));
  if (!text) return DM_OK;
  const int found = dm_names_find(words, nwords, text);
  if (found < 0)
    return pb_refuse_xml(x, element, "<%s %s>: found '%.40s', expected %s%s",
                         (const char *)element->name, name, text,
                         dm_names_list(words, nwords, known, sizeof known),
                         pb_did_you_mean(words, nwords, text, meant));
  *word = found;
  return DM_OK;
}

dm_status pb_xml_origin(const pb_xml *x, const xmlNode *parent, double xyz[3], double rpy[3]) {
  xmlNode *e;
  DM_TRY(pb_xml_child(x, parent, "origin", &e));
  for (int i = 0; i < 3; i++) xyz[i] = rpy[i] = 0;
  DM_TRY(pb_xml_vector(x, e, "xyz", xyz));
  return pb_xml_vector(x, e, "rpy", rpy);
}

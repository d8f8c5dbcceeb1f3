#include "problems/readers/format/yaml.h"

#include "lib/base/text.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

// Limits on nesting and on keys per mapping, above any real problem; they bound stack and time.
enum { DEEPEST = 32, MAX_KEYS = 4096 };

typedef struct parse {
  const pb_reader *r;
  yaml_parser_t yaml;
  yaml_event_t event;
  const char *text;
  size_t size;
} parse;

static dm_status refuse_event(const parse *p, const char *sentence) {
  const yaml_mark_t *at = &p->event.start_mark;
  return pb_refuse(p->r, p->r->file, (int)at->line + 1, (int)at->column + 1, "%s", sentence);
}

// the text at a mark, whose column counts characters, not bytes
static const char *text_at(const parse *p, const yaml_mark_t *mark) {
  const char *at = p->text, *end = p->text + p->size;

  // skip lines, then characters: a byte 10xxxxxx continues a character
  for (size_t line = 0; line < mark->line && at < end; at++) line += *at == '\n';
  for (size_t column = 0; at < end; at++) {
    bool begins = ((unsigned char)*at & 0xC0) != 0x80; // first byte of a character
    if (begins && column++ == mark->column) return at;
  }
  return "";
}

// explain libyaml's message about broken YAML for problem files, or ""; at: the text at the error
static const char *hint_syntax(const char *problem, const char *at) {
  static const char *const known[][2] = {
      {"expected ',' or '}'", "; expected a comma after each value, and } after the last"},
      {"expected ',' or ']'", "; expected a comma after each value, and ] after the last"},
      {"did not find expected key", "; expected 'key: value', indented as the line above"},
      {"did not find expected '-'", "; expected '- value', indented as the line above"},
      {"mapping values are not allowed",
       "; expected one 'key: value' a line, or {key: value, ...}"},
      {"could not find expected ':'", "; expected 'key: value', with a blank after the colon"},
      {"violates indentation", "; expected blanks: YAML is not indented by tabs"},
      {"cannot start any token", "; expected a value: text that begins so stands in quotes"},
  };

  // the text at the error is more specific than the message
  if (at[0] == '\t') return "; expected blanks: YAML is not indented by tabs";
  if (strstr(problem, "expected key") && (at[0] == '}' || at[0] == ']'))
    return "; expected none: this bracket closes nothing";
  // otherwise match known parts of the message
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strstr(problem, known[i][0])) return known[i][1];
  return "";
}

// report libyaml's error; for invalid characters it gives only a byte offset
static dm_status refuse_syntax(const parse *p) {
  const yaml_parser_t *y = &p->yaml;
  const char *file = p->r->file;
  const char *what = y->problem ? y->problem : "not YAML";
  if (y->error == YAML_MEMORY_ERROR) return DM_NO_MEMORY;

  // an invalid byte has only an offset: count lines and columns
  if (y->error == YAML_READER_ERROR) {
    int line = 1, column = 1;
    for (size_t i = 0; i < y->problem_offset && i < p->size; i++, column++)
      if (p->text[i] == '\n') {
        line++;
        column = 0;
      }
    return pb_refuse(p->r, file, line, column, "found a byte that is not text (%s), expected YAML",
                     what);
  }

  // otherwise a mark; also show the line of the construct that was open
  int line = (int)y->problem_mark.line + 1;
  int column = (int)y->problem_mark.column + 1;
  const char *meant = hint_syntax(what, text_at(p, &y->problem_mark));
  if (y->context)
    return pb_refuse(p->r, file, line, column, "%s, %s that begins at line %d%s", what, y->context,
                     (int)y->context_mark.line + 1, meant);
  return pb_refuse(p->r, file, line, column, "%s%s", what, meant);
}

// replace the current event by the next
static dm_status next_event(parse *p) {
  yaml_event_delete(&p->event);
  memset(&p->event, 0, sizeof p->event);
  return yaml_parser_parse(&p->yaml, &p->event) ? DM_OK : refuse_syntax(p);
}

static dm_status check_plain(const parse *p, const yaml_char_t *anchor, const yaml_char_t *tag) {
  if (anchor) return refuse_event(p, "found an anchor, expected the value itself");
  if (tag) return refuse_event(p, "found a tag, expected a value without one");
  return DM_OK;
}

static dm_status read_scalar(const parse *p, pb_node *node) {
  size_t length = p->event.data.scalar.length;
  const char *value = (const char *)p->event.data.scalar.value;

  // plain text on one line, without a zero byte that would truncate it
  DM_TRY(check_plain(p, p->event.data.scalar.anchor, p->event.data.scalar.tag));
  if (memchr(value, 0, length)) return refuse_event(p, "found a zero byte, expected text");

  // text may become a name, which appears in terminals, scripts and source code
  const yaml_mark_t *at = &p->event.start_mark;
  const char *flaw = dm_text_flaw(value, NULL);
  char what[64];
  if (flaw) {
    DM_TRY(pb_refuse(p->r, p->r->file, (int)at->line + 1, (int)at->column + 1,
                     "found %s in '%.64s', expected plain text in one line",
                     dm_text_describe(flaw, what), value));
  }

  // quoted text is never a number or a keyword
  node->quoted = p->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  node->text = pb_copy(p->r->arena, value, length);
  return node->text ? DM_OK : DM_NO_MEMORY;
}

static dm_status read_key(const parse *p, const pb_node *map, pb_node *node) {
  if (p->event.type != YAML_SCALAR_EVENT)
    return refuse_event(p, "found a key that is not a word, expected a name");
  DM_TRY(read_scalar(p, node));

  // keys are compared one by one, so their number is bounded
  if (map->n == MAX_KEYS) return refuse_event(p, "found too many keys in one mapping");
  node->key = node->text;
  node->key_line = (int)p->event.start_mark.line + 1;
  node->key_column = (int)p->event.start_mark.column + 1;

  // YAML would silently let the second one win
  const pb_node *before = pb_node_get(map, node->key);
  if (before)
    return pb_refuse_key(p->r, node,
                         "found the key '%.64s' a second time, expected it once (first: line %d)",
                         node->key, before->key_line);
  return DM_OK;
}

// read the value that starts at the current event into node
static dm_status read_event(parse *p, int depth, pb_node *node) {
  yaml_event_type_t type = p->event.type;

  // position for messages
  node->line = (int)p->event.start_mark.line + 1;
  node->column = (int)p->event.start_mark.column + 1;
  if (type == YAML_ALIAS_EVENT) return refuse_event(p, "found an alias, expected the value itself");
  if (type == YAML_SCALAR_EVENT) return read_scalar(p, node);

  // a mapping or a list: entries until its end
  bool maps = type == YAML_MAPPING_START_EVENT;
  node->kind = maps ? PB_MAPPING : PB_SEQUENCE;
  if (depth == DEEPEST) return refuse_event(p, "found too deep a nesting, expected a plain value");
  if (maps)
    DM_TRY(check_plain(p, p->event.data.mapping_start.anchor, p->event.data.mapping_start.tag));
  else
    DM_TRY(check_plain(p, p->event.data.sequence_start.anchor, p->event.data.sequence_start.tag));
  pb_node **last = &node->first;
  pb_node *entry;
  for (;; node->n++) {
    DM_TRY(next_event(p));
    if (p->event.type == YAML_MAPPING_END_EVENT || p->event.type == YAML_SEQUENCE_END_EVENT)
      return DM_OK;
    PB_NEW(p->r->arena, entry, 1);

    // an entry of a mapping is two events, a key and its value
    if (maps) {
      DM_TRY(read_key(p, node, entry));
      DM_TRY(next_event(p));
    }
    DM_TRY(read_event(p, depth + 1, entry));
    *last = entry;
    last = &entry->next;
  }
}

static dm_status read_document(parse *p, pb_node *root) {
  DM_TRY(next_event(p)); // start of the stream
  DM_TRY(next_event(p)); // start of the document

  // an empty file
  if (p->event.type == YAML_STREAM_END_EVENT)
    return pb_refuse(p->r, p->r->file, 1, 1, "found an empty file, expected a problem");
  DM_TRY(next_event(p));

  // the root is a mapping
  DM_TRY(read_event(p, 0, root));
  char what[64];
  if (root->kind != PB_MAPPING)
    return pb_refuse_node(p->r, root, "found %s, expected a mapping: key: value",
                          pb_node_describe(root, what));
  // only the ends of document and stream may follow
  DM_TRY(next_event(p)); // end of the document
  DM_TRY(next_event(p));
  if (p->event.type != YAML_STREAM_END_EVENT)
    return refuse_event(p, "found a second document, expected one");
  return DM_OK;
}

dm_status pb_yaml_read(const pb_reader *r, const char *text, size_t size, const pb_node **root) {
  parse p = {.r = r, .text = text, .size = size};
  pb_node *node;
  PB_NEW(r->arena, node, 1);

  // the tree is in the arena; libyaml's memory is freed
  if (!yaml_parser_initialize(&p.yaml)) return DM_NO_MEMORY;
  yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, size);
  dm_status s = read_document(&p, node);
  yaml_event_delete(&p.event);
  yaml_parser_delete(&p.yaml);
  *root = node;
  return s;
}

const pb_node *pb_node_get(const pb_node *map, const char *key) {
  for (const pb_node *e = map ? map->first : NULL; e; e = e->next)
    if (e->key && !strcmp(e->key, key)) return e;
  return NULL;
}

const char *pb_node_describe(const pb_node *node, char text[64]) {
  // show the quotes of quoted text: it differs from the same text without them
  if (node->kind == PB_MAPPING)
    snprintf(text, 64, "a mapping of %d", node->n);
  else if (node->kind == PB_SEQUENCE)
    snprintf(text, 64, "a list of %d", node->n);
  else if (!node->text[0] && !node->quoted)
    snprintf(text, 64, "nothing");
  else
    snprintf(text, 64, node->quoted ? "the text \"%.40s\"" : "'%.40s'", node->text);
  return text;
}

#include "cli/results/kinds.h"

#include <string.h>

#define KIND(key, type, unit, label, doc) {key, CLI_##type, unit, label, doc, NULL},
#define LIKE(key, like, label, doc)       {key, CLI_GROUP, "", label, doc, like},
#define TELL(key, label, text)
const cli_kind cli_kinds[CLI_KINDS] = {
#include "cli/results/kinds.inc"
};

static const char *const type_words[] = {
    [CLI_NUMBER] = "number", [CLI_INTEGER] = "integer", [CLI_TEXT] = "text",
    [CLI_TRUTH] = "boolean", [CLI_VECTOR] = "numbers",  [CLI_MATRIX] = "matrix",
    [CLI_NAMES] = "texts",   [CLI_GROUP] = "object",    [CLI_LIST] = "list of objects",
};

// the row of a key; NULL: none
static const cli_kind *find_kind(const char *key) {
  for (int i = 0; i < CLI_KINDS; i++)
    if (!strcmp(cli_kinds[i].key, key)) return &cli_kinds[i];
  return NULL;
}

// the row with the content of a group or list
static const cli_kind *find_content(const cli_kind *kind) {
  while (kind->like) kind = find_kind(kind->like);
  return kind;
}

// whether all values of an array have a type, or are null
static bool is_array_of(const cli_json *value, json_type type) {
  if (!json_object_is_type(value, json_type_array)) return false;
  for (size_t i = 0; i < json_object_array_length(value); i++) {
    const cli_json *each = json_object_array_get_idx(value, i);
    const bool whole = type == json_type_double && json_object_is_type(each, json_type_int);
    if (each && !whole && !json_object_is_type(each, type)) return false;
  }
  return true;
}

static bool has_type(const cli_json *value, cli_kind_type type) {
  if (!value) return true;
  switch (type) {
  case CLI_NUMBER: // a whole number is read back as an integer
    return json_object_is_type(value, json_type_double) ||
           json_object_is_type(value, json_type_int);
  case CLI_INTEGER:
    return json_object_is_type(value, json_type_int);
  case CLI_TEXT:
    return json_object_is_type(value, json_type_string);
  case CLI_TRUTH:
    return json_object_is_type(value, json_type_boolean);
  case CLI_VECTOR:
    return is_array_of(value, json_type_double);
  case CLI_MATRIX:
    return is_array_of(value, json_type_array);
  case CLI_NAMES:
    return is_array_of(value, json_type_string);
  case CLI_GROUP:
    return json_object_is_type(value, json_type_object);
  case CLI_LIST:
    return is_array_of(value, json_type_object);
  }
  return false;
}

// the row for a key of a group, whose content is at `above`: of this name, or for any name
static const cli_kind *match_kind(const char *above, const char *key, const cli_json *value) {
  const char *const names[] = {key, "*", "**"};
  char path[CLI_KIND_PATH];
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s%s%s", above, above[0] ? "." : "", names[i]);
    const cli_kind *kind = find_kind(path);
    if (kind && has_type(value, find_content(kind)->type)) return kind;
  }

  // groups inside each other
  const size_t length = strlen(above);
  const bool nests = length > 2 && !strcmp(above + length - 2, "**");
  return nests && json_object_is_type(value, json_type_object) ? find_kind(above) : NULL;
}

static bool holds_object(const char *above, const cli_json *object, bool *seen, char *place) {
  json_object_object_foreach(object, key, value) {
    // 1  the row
    const cli_kind *kind = match_kind(above, key, value);
    if (!kind && place) snprintf(place, CLI_KIND_PATH, "%s%s%s", above, above[0] ? "." : "", key);
    if (!kind) return false;
    if (seen) seen[kind - cli_kinds] = true;

    // 2  its content
    const cli_kind *content = find_content(kind);
    if (content->type == CLI_GROUP && value && !holds_object(content->key, value, seen, place))
      return false;
    if (content->type != CLI_LIST || !value) continue;
    char each[CLI_KIND_PATH];
    snprintf(each, sizeof each, "%s[]", content->key);
    for (size_t i = 0; i < json_object_array_length(value); i++)
      if (!holds_object(each, json_object_array_get_idx(value, i), seen, place)) return false;
  }
  return true;
}

bool cli_kinds_hold(const cli_json *result, bool *seen, char place[CLI_KIND_PATH]) {
  return holds_object("", result, seen, place);
}

void cli_kinds_write(FILE *f) {
  fprintf(f, "| key of result.json | value | unit | meaning |\n| --- | --- | --- | --- |\n");
  for (const cli_kind *kind = cli_kinds; kind < cli_kinds + CLI_KINDS; kind++) {
    fprintf(f, "| `%s` | %s | %s | %s", kind->key, type_words[find_content(kind)->type],
            kind->unit[0] ? kind->unit : "–", kind->doc);
    if (kind->like) fprintf(f, " Content as in `%s`.", kind->like);
    fprintf(f, " |\n");
  }
}

cli_json *cli_kinds_json(void) {
  cli_json *all = json_object_new_object();
  for (const cli_kind *kind = cli_kinds; kind < cli_kinds + CLI_KINDS; kind++) {
    cli_json *o = cli_json_object(all, kind->key);
    cli_json_text(o, "value", type_words[find_content(kind)->type]);
    cli_json_text(o, "unit", kind->unit);
    cli_json_text(o, "label", kind->label);
    cli_json_text(o, "meaning", kind->doc);
    cli_json_text(o, "like", kind->like);
  }
  return all;
}

cli_json *cli_kinds_labels(void) {
  cli_json *all = json_object_new_object();
  for (const cli_kind *kind = cli_kinds; kind < cli_kinds + CLI_KINDS; kind++)
    if (kind->label[0] && kind->type != CLI_GROUP && kind->type != CLI_LIST)
      cli_json_names(all, kind->key, (const char *const[]){kind->label, kind->unit}, 2);
  return all;
}

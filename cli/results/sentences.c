#include "cli/results/sentences.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define KIND                   CLI_NO_SENTENCE
#define LIKE                   CLI_NO_SENTENCE
#define TELL(key, label, text) {key, label, text},
const cli_sentence cli_sentences[CLI_SENTENCES] = {
#include "cli/results/kinds.inc"
};

// a figure of a template, without braces: its path, factor and format
typedef struct figure {
  char path[64], format[16];
  double factor;
} figure;

static figure read_figure(const char *at) {
  figure f = {.factor = 1};
  const size_t length = strcspn(at, "}"), path = strcspn(at, "*:}");
  const char *rest = at + path, *end = at + length;
  assert(path < sizeof f.path && *end);
  memcpy(f.path, at, path);
  char *after = NULL;
  if (*rest == '*') f.factor = strtod(rest + 1, &after);
  if (after) rest = after;
  if (*rest == ':') snprintf(f.format, sizeof f.format, "%%%.*s", (int)(end - rest - 1), rest + 1);
  return f;
}

// the value at a path of names and places in arrays; NULL: none, or null
static const cli_json *find_value(const cli_json *group, const char *path) {
  char name[64];
  while (group && *path) {
    const size_t length = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    json_object *part = NULL;
    if (json_object_is_type(group, json_type_array))
      part = json_object_array_get_idx(group, (size_t)atoi(name));
    else
      json_object_object_get_ex(group, name, &part);
    group = part;
    path += length + (path[length] == '.');
  }
  return group;
}

// whether all figures of the text up to `end` have values
static bool is_complete(const cli_json *group, const char *at, const char *end) {
  for (; at < end; at++)
    if (*at == '{' && !find_value(group, read_figure(at + 1).path)) return false;
  return true;
}

static void put_text(FILE *f, const cli_json *group, const char *at, const char *end) {
  for (; at < end; at++) {
    if (*at != '{') {
      fputc(*at, f);
      continue;
    }

    const figure x = read_figure(at + 1);
    const cli_json *value = find_value(group, x.path);
    if (json_object_is_type(value, json_type_string))
      fputs(json_object_get_string((json_object *)value), f);
    else if (!x.format[0])
      fprintf(f, "%lld", (long long)json_object_get_int64(value));
    else if (!value)
      fputs("inf", f);
    else
      fprintf(f, x.format, x.factor * json_object_get_double(value));

    at = strchr(at, '}');
  }
}

// the first complete alternative of a part in brackets, *length characters; NULL: none
static const char *choose_part(const cli_json *group, const char *at, size_t *length) {
  for (;; at += *length + 1) {
    *length = strcspn(at, "|]");
    if (is_complete(group, at, at + *length)) return at;
    if (at[*length] == ']') return NULL;
  }
}

// write a line of a template up to `end`, after the label; returns whether it has content. f NULL:
// write nothing.
static bool put_line(FILE *f, const cli_json *group, const char *at, const char *end) {
  bool content = false;
  while (at < end) {
    const size_t plain = strcspn(at, "[\n");
    content = content || plain;
    if (f) put_text(f, group, at, at + plain);
    at += plain;
    if (*at != '[') break;
    size_t length;
    const char *part = choose_part(group, at + 1, &length);
    content = content || part;
    if (f && part) put_text(f, group, part, part + length);
    at = strchr(at, ']') + 1;
  }
  return content;
}

// remove the keys that only the summary shows
static void drop_hidden(cli_json *group) {
  json_object_object_foreach(group, key, value) {
    (void)value;
    if (key[0] == '~') json_object_object_del(group, key);
  }
}

void cli_tell_sentence(FILE *summary, const cli_sentence *sentence, cli_json *group) {
  const char *label = sentence->label, *line = sentence->text;
  while (*line) {
    const char *end = line + strcspn(line, "\n");
    if (put_line(NULL, group, line, end)) {
      fprintf(summary, "  %-13s ", label);
      put_line(summary, group, line, end);
      fputc('\n', summary);
    }
    label = "";
    line = end + (*end == '\n');
  }
}

void cli_tell_group(FILE *summary, const char *key, cli_json *group) {
  for (int i = 0; i < CLI_SENTENCES; i++)
    if (!strcmp(cli_sentences[i].key, key)) cli_tell_sentence(summary, &cli_sentences[i], group);
  drop_hidden(group);
}

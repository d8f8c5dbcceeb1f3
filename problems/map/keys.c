#include "problems/map/keys.h"

#include "problems/readers/format/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(FILE *f, const char *text) {
  fputc('"', f);
  for (; *text; text++) {
    // text in a problem file is a single line of plain characters
    if (*text == '"' || *text == '\\') fputc('\\', f);
    fputc(*text, f);
  }
  fputc('"', f);
}

// whether a text such as -1.5e-3 is a valid JSON number
static bool is_number(const char *s) {
  s += *s == '-';
  size_t whole = strspn(s, "0123456789");
  if (!whole || (whole > 1 && *s == '0')) return false;
  s += whole;

  // digits after the decimal point, and an exponent
  if (*s == '.') {
    size_t part = strspn(++s, "0123456789");
    if (!part) return false;
    s += part;
  }
  if (*s != 'e' && *s != 'E') return !*s;
  s++;
  s += *s == '-' || *s == '+';
  size_t digits = strspn(s, "0123456789");
  return digits && !s[digits];
}

// the reader limits the nesting depth
static void put_node(FILE *f, const pb_node *node) {
  if (node->kind == PB_SCALAR) {
    if (!node->quoted && !node->text[0])
      fputs("null", f);
    else if (!node->quoted && is_number(node->text))
      fputs(node->text, f);
    else
      put_text(f, node->text);

    return;
  }
  const bool maps = node->kind == PB_MAPPING;
  fputc(maps ? '{' : '[', f);
  for (const pb_node *e = node->first; e; e = e->next) {
    if (maps) {
      put_text(f, e->key);
      fputc(':', f);
    }
    put_node(f, e);
    if (e->next) fputc(',', f);
  }
  fputc(maps ? '}' : ']', f);
}

static dm_status write_keys(pb_reader *r, char **out) {
  char *text;
  size_t size, length;
  dm_message why = {""};
  const pb_node *root;
  pb_sha256_init(&r->digest);
  dm_status s = pb_file_read(r, r->file, r->file, &text, &size, &why);
  if (s == DM_IO) dm_fail(r->msg, s, "%.300s: cannot be read: %s", r->file, why.text);
  DM_TRY(s);
  DM_TRY(pb_yaml_read(r, text, size, &root));

  // write the tree in one line
  FILE *f = open_memstream(out, &length);
  if (!f) return DM_NO_MEMORY;
  put_node(f, root);
  const bool whole = !ferror(f);
  if (fclose(f) == 0 && whole) return DM_OK;
  free(*out);
  *out = NULL;
  return DM_NO_MEMORY;
}

dm_status pb_keys_read(char **out, const char *path, dm_message *msg) {
  pb_arena arena = {0};
  pb_reader r = {.arena = &arena, .msg = msg, .file = path};
  *out = NULL;
  dm_status s = write_keys(&r, out);
  if (s == DM_NO_MEMORY) dm_fail(msg, s, "%.300s: out of memory", path);
  pb_arena_free(&arena);
  return s;
}

void pb_keys_free(char *text) {
  free(text);
}

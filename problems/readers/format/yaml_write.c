#include "problems/readers/format/yaml_write.h"

#include <string.h>

enum { WIDTH = 100, INDENT = 2 };

// -- scalars

// whether plain text has the same meaning inside brackets and outside
static bool is_simple(const char *text) {
  if (!text[0] || strpbrk(text, ",[]{}\"'\n\r\t") || strchr("&*!|>%@`?#- ", text[0]))
    return text[0] == '-' && text[1] && strchr("0123456789.p", text[1]) &&
           !strpbrk(text, ",[]{}\"'\n\r\t");
  return !strstr(text, ": ") && !strstr(text, " #") && text[strlen(text) - 1] != ':' &&
         text[strlen(text) - 1] != ' ';
}

// an empty value is plain as well
static bool is_plain(const pb_node *node) {
  return !node->quoted && (!node->text[0] || is_simple(node->text));
}

// text in double quotes
static int put_quoted(FILE *f, const char *text) {
  int n = 2;
  if (f) fputc('"', f);
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    const bool escaped = c == '"' || c == '\\';
    char code[8] = {(char)c, 0};
    if (escaped) snprintf(code, sizeof code, "\\%c", c);
    if (c < 0x20 || c == 0x7f) snprintf(code, sizeof code, "\\x%02x", c);
    n += (int)strlen(code);
    if (f) fputs(code, f);
  }
  if (f) fputc('"', f);
  return n;
}

// plain text, or in quotes; returns the number of bytes; f NULL: only counts
static int put_text(FILE *f, const char *text, bool plain) {
  if (!plain) return put_quoted(f, text);
  if (f) fputs(text, f);
  return (int)strlen(text);
}

static int put_key(FILE *f, const char *key) {
  return put_text(f, key, is_simple(key));
}

// -- in one line

// Values replaced in the tree may have brackets of their own; they are written as they are.
static bool is_flow(const pb_node *node) {
  return node->kind == PB_SCALAR && !node->quoted && strchr("[{", node->text[0]) && node->text[0];
}

// a node in one line; returns the number of bytes; f NULL: only counts
static int put_line(FILE *f, const pb_node *node) {
  if (node->kind == PB_SCALAR) return put_text(f, node->text, is_flow(node) || is_plain(node));
  const bool map = node->kind == PB_MAPPING;
  int n = 2;
  if (f) fputc(map ? '{' : '[', f);
  for (const pb_node *e = node->first; e; e = e->next) {
    if (e != node->first) n += 2;
    if (f && e != node->first) fputs(", ", f);
    if (map) n += put_key(f, e->key) + 2;
    if (f && map) fputs(": ", f);
    n += put_line(f, e);
  }
  if (f) fputc(map ? '}' : ']', f);
  return n;
}

// -- in several lines

// an entry after its key or dash, whose text so far has `used` bytes
static void put_entry(FILE *f, const pb_node *node, int indent, int used);

static void put_entries(FILE *f, const pb_node *node, int indent) {
  for (const pb_node *e = node->first; e; e = e->next) {
    int used = indent + 1;
    for (int i = 0; i < indent; i++) fputc(' ', f);
    if (node->kind == PB_MAPPING) {
      used += put_key(f, e->key);
      fputc(':', f);
    } else {
      fputc('-', f);
    }
    put_entry(f, e, indent, used);
  }
}

static void put_entry(FILE *f, const pb_node *node, int indent, int used) {
  const bool nothing = node->kind == PB_SCALAR && !node->text[0] && !node->quoted;
  if (nothing || node->kind == PB_SCALAR || !node->first ||
      used + 1 + put_line(NULL, node) <= WIDTH) {
    if (!nothing) fputc(' ', f);
    if (!nothing) put_line(f, node);
    fputc('\n', f);
    return;
  }
  fputc('\n', f);
  put_entries(f, node, indent + INDENT);
}

void pb_yaml_write(FILE *f, const pb_node *root) {
  put_entries(f, root, 0);
}

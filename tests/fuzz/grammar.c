#include "tests/fuzz/grammar.h"

#include <ctype.h>
#include <json.h>
#include <libxml/parser.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// whether text begins so; strncmp is watched by libFuzzer, and takes ten times as long
static bool begins(const char *text, const char *with) {
  while (*with && *text == *with) {
    text++;
    with++;
  }
  return !*with;
}

// whether a sign is one of a list
static bool is_one(char sign, const char *of) {
  while (*of && *of != sign) of++;
  return *of;
}

// bones in the making
typedef struct writing {
  char *at;
  size_t used, room;
} writing;

static void put_bone(writing *w, const char *text, size_t n) {
  if (w->used + n + 1 > w->room) return;
  memcpy(w->at + w->used, text, n);
  w->used += n;
  w->at[w->used] = 0;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// the length of a number that text begins with, with its sign and exponent; 0: it is none
static size_t measure_number(const char *text) {
  size_t n = *text == '-' || *text == '+';
  if (!isdigit((unsigned char)text[n])) return 0;
  for (; isalnum((unsigned char)text[n]) || is_one(text[n], ".+-"); n++) {
    if (is_one(text[n], "+-") && !is_one(text[n - 1], "eE")) break;
  }
  return n;
}

// a word, a number as 0, or a sign; returns its length
static size_t put_token(writing *w, const char *text) {
  size_t n = 0;
  while (is_word(text[n])) n++;
  const size_t number = measure_number(text);
  if (number) put_bone(w, "0", 1);
  if (number) return number;
  n = n ? n : 1;
  put_bone(w, text, n);
  return n;
}

// -- gnuplot

// a cell of a block: a number, or none
static bool is_cell(const char *cell, size_t n) {
  static const char *const words[] = {"nan", "-nan", "NaN", "inf", "-inf", "?"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == n && begins(cell, words[i])) return true;
  return n > 0 && measure_number(cell) == n;
}

static const char *read_row(const char *line, size_t n) {
  for (size_t at = 0; at < n;) {
    const size_t cell = strcspn(line + at, " \n");
    if (cell && !is_cell(line + at, cell)) return "a word in a block of numbers";
    at += cell + 1;
  }
  return NULL;
}

// a text in single quotes, from behind the first of them, to behind the last; NULL: it has no end in
// its line
static const char *skip_text(const char *at, bool *marked) {
  *marked = false;
  for (; *at && *at != '\n'; at++) {
    // two of them are one sign of the text
    if (*at == '\'' && at[1] != '\'') return at + 1;
    if (*at == '\'') at++;
    if (is_one(*at, "{}^_@&~\\")) *marked = true;
    if ((unsigned char)*at < ' ' || *at == 127) return NULL;
  }
  return NULL;
}

// whether gnuplot would read markup in a text that begins at `from`
static bool is_drawn(const char *line, const char *from) {
  static const char *const before[] = {"title ", "xlabel ", "ylabel ", "y2label "};
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    const size_t n = strlen(before[i]);
    if ((size_t)(from - line) >= n && begins(from - n, before[i])) return true;
  }
  return false;
}

// a line that is a command, without its end
static const char *read_command(writing *w, const char *line, size_t n) {
  static const char *const first[] = {"set ", "unset ", "plot ", "T = ", "Y = ", "$"};
  size_t k = 0;
  while (k < sizeof first / sizeof *first && !begins(line, first[k])) k++;
  if (k == sizeof first / sizeof *first) return "a command that no plot is made of";

  for (const char *at = line; at < line + n;) {
    if (*at != '\'') {
      // what gnuplot or a shell would act on
      if (is_one(*at, "\"`!@;#\\|\r\t")) return "a sign that acts, outside of quotes";
      if (begins(at, "system") && !is_word(at[6])) return "a shell";
      at += put_token(w, at);
      continue;
    }

    // text, which has no markup in it where it is drawn with markup
    bool marked;
    const char *end = skip_text(at + 1, &marked);
    if (!end) return "a text without an end";
    if (marked && is_drawn(line, at) && !begins(end, " noenhanced")) return "markup in a text";
    put_bone(w, "''", 2);
    at = end;
  }
  put_bone(w, "\n", 1);
  return NULL;
}

const char *grammar_script(const char *text, char *bones, size_t room) {
  writing w = {bones, 0, room};
  char end[16] = ""; // of the block at hand
  *bones = 0;
  for (const char *next; *text; text = next) {
    const size_t n = strcspn(text, "\n");
    next = text + n + (text[n] == '\n');
    if (*end && n == strlen(end) && begins(text, end)) {
      *end = 0;
      continue;
    }
    const char *why = NULL;
    if (*end) why = read_row(text, n);
    if (!*end && n) why = read_command(&w, text, n);
    if (why) return why;

    // a block begins
    if (*text == '$' && !*end && sscanf(text, "$%*[A-Za-z0-9_] << %15[A-Z]", end) != 1)
      return "a block without an end";
  }
  return *end ? "a block without an end" : NULL;
}

// -- C

// behind the end of a quote; NULL: it has none in its line
static const char *skip_quote(const char *at) {
  const char sign = *at++;
  for (; *at && *at != '\n' && *at != sign; at++)
    if (*at == '\\' && at[1]) at++;
  return *at == sign ? at + 1 : NULL;
}

// behind a comment; NULL with why
static const char *skip_comment(const char *at, const char **why) {
  const bool line = at[1] == '/';
  at += 2;
  for (; *at; at++) {
    // a line that goes on behind its end goes on as a comment
    if (line && *at == '\n') return at;
    if (line && *at == '\\' && at[1] == '\n') break;
    if (!line && begins(at, "*/")) return at + 2;
    if (begins(at, "/*")) break;
  }
  *why = *at ? "a comment that goes on, or has another in it" : "a comment without an end";
  return NULL;
}

const char *grammar_c(const char *text, char *bones, size_t room) {
  writing w = {bones, 0, room};
  const char *why = NULL;
  *bones = 0;
  for (const char *at = text; *at; at++) {
    if (*at != '\n' && (*at < ' ' || *at > '~')) return "a sign that is not ASCII";
    if (*at == '?' && at[1] == '?' && is_one(at[2], "=/'()!<>-")) return "a trigraph";
  }

  for (const char *at = text; at && *at;) {
    if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
      at = skip_comment(at, &why);
    } else if (*at == '"' || *at == '\'') {
      put_bone(&w, at, 1);
      at = skip_quote(at);
      if (!at) why = "a quote without an end";
    } else if (*at == ' ' || *at == '\n') {
      at++;
    } else {
      // words stay apart
      at += put_token(&w, at);
      put_bone(&w, " ", 1);
    }
  }
  return why;
}

// -- XML

static void put_element(writing *w, const xmlNode *e) {
  put_bone(w, "<", 1);
  put_bone(w, (const char *)e->name, strlen((const char *)e->name));
  for (const xmlAttr *a = e->properties; a; a = a->next) {
    put_bone(w, " ", 1);
    put_bone(w, (const char *)a->name, strlen((const char *)a->name));
  }
  put_bone(w, "\n", 1);
}

const char *grammar_xml(const char *text, char *bones, size_t room) {
  writing w = {bones, 0, room};
  *bones = 0;
  xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), "", NULL,
                              XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET);
  if (!doc) return "XML that libxml2 does not read";

  // elements in the order of the text
  for (const xmlNode *e = xmlDocGetRootElement(doc), *up; e;) {
    if (e->type == XML_ELEMENT_NODE) put_element(&w, e);
    if (e->type == XML_ELEMENT_NODE && e->children) {
      e = e->children;
      continue;
    }
    for (up = e; up && up->type != XML_DOCUMENT_NODE && !up->next;) up = up->parent;
    e = up && up->type != XML_DOCUMENT_NODE ? up->next : NULL;
  }
  xmlFreeDoc(doc);
  return NULL;
}

// -- JSON

const char *grammar_json(const char *text) {
  json_tokener *reader = json_tokener_new_ex(64);
  json_tokener_set_flags(reader, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
  json_object *o = json_tokener_parse_ex(reader, text, (int)strlen(text) + 1);
  const char *why = o ? NULL : json_tokener_error_desc(json_tokener_get_error(reader));
  json_object_put(o);
  json_tokener_free(reader);
  for (const char *at = text; !why && *at; at++)
    if (((unsigned char)*at < ' ' && *at != '\n') || *at == 127) why = "a control character";
  return why;
}

#include "tests/fuzz/grammar.h"

#include <ctype.h>
#include <expat.h>
#include <json.h>
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

// elements come in the order of the text
static void put_element(void *user, const char *name, const char **attributes) {
  writing *w = user;
  put_bone(w, "<", 1);
  put_bone(w, name, strlen(name));
  for (int i = 0; attributes[i]; i += 2) {
    put_bone(w, " ", 1);
    put_bone(w, attributes[i], strlen(attributes[i]));
  }
  put_bone(w, "\n", 1);
}

const char *grammar_xml(const char *text, char *bones, size_t room) {
  writing w = {bones, 0, room};
  *bones = 0;
  XML_Parser parser = XML_ParserCreate(NULL);
  XML_SetUserData(parser, &w);
  XML_SetStartElementHandler(parser, put_element);
  const bool read = XML_Parse(parser, text, (int)strlen(text), XML_TRUE) == XML_STATUS_OK;
  XML_ParserFree(parser);
  return read ? NULL : "XML that Expat does not read";
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

#include "problems/readers/format/expression.h"

#include "lib/base/names.h"
#include "problems/readers/format/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 50, NAMES = 256 }; // nesting depth of parentheses; length of the names in a message

// parser state
typedef struct scan {
  const char *text, *at;
  const pb_language *language;
  pb_expression *out;
  int depth;
  dm_message *why;
} scan;

static dm_status parse_sum(scan *s, int *out);
static dm_status parse_factor(scan *s, int *out);

// -- functions

static const struct pb_function functions[] = {
    {"sin", .one = sin},   {"cos", .one = cos},     {"tan", .one = tan},    {"asin", .one = asin},
    {"acos", .one = acos}, {"atan", .one = atan},   {"sinh", .one = sinh},  {"cosh", .one = cosh},
    {"tanh", .one = tanh}, {"exp", .one = exp},     {"log", .one = log},    {"sqrt", .one = sqrt},
    {"abs", .one = fabs},  {"atan2", .two = atan2}, {"hypot", .two = hypot}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

// -- text

static void skip_blanks(scan *s) {
  s->at += strspn(s->at, " \t\n");
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static int measure_word(const char *at) {
  int length = 0;
  while (is_word(at[length]) && length < 64) length++;
  return length;
}

static int place_of(const scan *s) {
  return (int)(s->at - s->text);
}

dm_status pb_expression_refuse(const char *text, int place, const char *expected, dm_message *why) {
  const char *at = text + place;
  if (!*at)
    return dm_fail(why, DM_BAD_INPUT, "found the end of '%.200s', expected %s", text, expected);
  const int word = measure_word(at), length = word > 40 ? 40 : word;
  return dm_fail(why, DM_BAD_INPUT, "found '%.*s' at character %d, expected %s",
                 length ? length : 1, at, place + 1, expected);
}

static dm_status refuse_here(const scan *s, const char *expected) {
  return pb_expression_refuse(s->text, place_of(s), expected, s->why);
}

// the longest known name that matches a whole word here, or NULL
static const pb_symbol *find_symbol(const scan *s, size_t *length) {
  const pb_language *l = s->language;
  const pb_symbol *best = NULL;
  *length = 0;
  for (const pb_symbol *e = l->list; e < l->list + l->n; e++) {
    const size_t size = strlen(e->name);
    if (size > *length && !strncmp(s->at, e->name, size) && !is_word(s->at[size])) {
      best = e;
      *length = size;
    }
  }
  return best;
}

static const pb_function *find_function(const scan *s) {
  const size_t length = (size_t)measure_word(s->at);
  for (int i = 0; s->language->functions && i < FUNCTIONS; i++)
    if (strlen(functions[i].name) == length && !strncmp(s->at, functions[i].name, length))
      return &functions[i];
  return NULL;
}

// refuse an unknown name: list the known names and suggest the nearest
static dm_status refuse_name(const scan *s) {
  const pb_language *l = s->language;
  const char *known[NAMES];
  char list[200], word[65], hint[80] = "";
  int n = 0;
  for (int i = 0; i < l->n && n < NAMES - FUNCTIONS - 1; i++) known[n++] = l->list[i].name;
  if (l->functions) known[n++] = "pi";
  for (int i = 0; l->functions && i < FUNCTIONS; i++) known[n++] = functions[i].name;

  snprintf(word, sizeof word, "%.*s", measure_word(s->at), s->at);
  const char *near = dm_names_nearest(known, n, word);
  if (near) snprintf(hint, sizeof hint, "; did you mean '%.48s'?", near);
  return dm_fail(s->why, DM_BAD_INPUT, "found the unknown name '%s' at character %d, expected %s%s",
                 word, place_of(s) + 1, dm_names_list(known, n, list, sizeof list), hint);
}

// -- operations

// append an operation; *out: its index
static void add_operation(scan *s, pb_operation what, int *out) {
  *out = s->out->count;
  s->out->operation[s->out->count++] = what;
}

// append a binary operation, which begins in the text at its first operand
static void join_operands(scan *s, pb_operator kind, int a, int b, int *out) {
  const int place = s->out->operation[a].place;
  add_operation(s, (pb_operation){.kind = kind, .a = a, .b = b, .place = place}, out);
}

// [sign] factor
static dm_status parse_signed(scan *s, int *out) {
  skip_blanks(s);
  const int place = place_of(s);
  const bool negative = *s->at == '-', written = negative || *s->at == '+';
  s->at += written;
  DM_TRY(parse_factor(s, out));
  if (negative)
    add_operation(s, (pb_operation){.kind = PB_NEGATE, .a = *out, .b = *out, .place = place}, out);
  return DM_OK;
}

// the arguments of a function call, after the opening parenthesis
static dm_status parse_arguments(scan *s, const pb_function *f, int place, int *out) {
  // a call with one argument has the same operand twice
  pb_operation call = {.kind = PB_CALL, .place = place, .f = f};
  DM_TRY(parse_sum(s, &call.a));
  skip_blanks(s);
  call.b = call.a;
  if (f->two) {
    s->out->cut = !*s->at;
    if (*s->at != ',') return refuse_here(s, "',' and a second argument");
    s->at++;
    DM_TRY(parse_sum(s, &call.b));
    skip_blanks(s);
  }
  if (*s->at != ')') return refuse_here(s, "')'");
  s->at++;
  add_operation(s, call, out);
  return DM_OK;
}

// limit the nesting depth
static dm_status open_parenthesis(scan *s) {
  if (++s->depth > DEPTH) return refuse_here(s, "fewer parentheses");
  s->at++;
  return DM_OK;
}

// a name followed by derivative marks, or the value of a constant
static dm_status parse_symbol(scan *s, const pb_symbol *e, size_t length, int *out) {
  const int place = place_of(s), most = s->language->marks;
  int marks = 0;
  s->at += length;

  // one mark per derivative
  for (; most && *s->at == '\''; s->at++) marks++;
  if (e->at < 0 && marks)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found a derivative of the constant '%s' at character %d, expected none",
                   e->name, place + 1);
  if (marks > most)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found derivative %d of '%s' at character %d, expected at most %d", marks,
                   e->name, place + 1, most);
  add_operation(s,
                (pb_operation){.kind = e->at < 0 ? PB_IS_NUMBER : PB_IS_VARIABLE,
                               .place = place,
                               .value = e->value,
                               .at = e->at,
                               .marks = marks},
                out);
  return DM_OK;
}

static dm_status parse_base(scan *s, int *out) {
  size_t length;
  double value;
  skip_blanks(s);
  if (*s->at == '(') {
    // (sum)
    const int place = place_of(s);
    DM_TRY(open_parenthesis(s));
    DM_TRY(parse_sum(s, out));
    s->depth--;
    skip_blanks(s);
    if (*s->at != ')') return refuse_here(s, "')'");
    s->at++;
    s->out->operation[*out].place = place;
    return DM_OK;
  }

  // a symbol, then a function, then a number
  const pb_symbol *e = find_symbol(s, &length);
  if (e) return parse_symbol(s, e, length, out);
  const pb_function *f = find_function(s);
  if (f) {
    // function(arguments)
    char expected[64];
    const int place = place_of(s);
    s->at += strlen(f->name);
    skip_blanks(s);
    snprintf(expected, sizeof expected, "'(' behind '%s'", f->name);
    if (*s->at != '(') return refuse_here(s, expected);
    DM_TRY(open_parenthesis(s));
    DM_TRY(parse_arguments(s, f, place, out));
    s->depth--;
    return DM_OK;
  }
  const char *after = pb_number_factor(s->at, &value);
  if (!after && (isalpha((unsigned char)*s->at) || *s->at == '_')) return refuse_name(s);
  if (!after || !isfinite(value)) return refuse_here(s, "a number, a name or '('");
  add_operation(s, (pb_operation){.kind = PB_IS_NUMBER, .place = place_of(s), .value = value}, out);
  s->at = after;
  return DM_OK;
}

// powers associate to the right: a^b^c = a^(b^c)
static dm_status parse_factor(scan *s, int *out) {
  int exponent;
  DM_TRY(parse_base(s, out));
  skip_blanks(s);
  const int length = *s->at == '^' ? 1 : !strncmp(s->at, "**", 2) ? 2 : 0;
  if (!length) return DM_OK;
  if (++s->depth > DEPTH) return refuse_here(s, "fewer powers of powers");
  s->at += length;
  DM_TRY(parse_signed(s, &exponent));
  s->depth--;
  join_operands(s, PB_RAISE, *out, exponent, out);
  return DM_OK;
}

// whether another factor follows without an operator (implicit product)
static bool has_factor(const scan *s) {
  return isalnum((unsigned char)*s->at) || *s->at == '_' || *s->at == '.' || *s->at == '(';
}

// whether the previous token is a number written in digits
static bool is_number_before(const scan *s) {
  const pb_operation *list = s->out->operation, *o = &list[s->out->count - 1];
  const char *at = s->at;
  while (o->kind != PB_IS_NUMBER && o->kind != PB_IS_VARIABLE) o = &list[o->b];
  while (at > s->text && strchr(" \t\n", at[-1])) at--;
  return o->kind == PB_IS_NUMBER && (isdigit((unsigned char)at[-1]) || at[-1] == '.');
}

static dm_status parse_product(scan *s, int *out) {
  int factor;
  DM_TRY(parse_factor(s, out));
  for (;;) {
    skip_blanks(s);
    const char operation = *s->at;
    const bool written = operation == '*' || operation == '/';
    if (!written && !has_factor(s)) return DM_OK;

    // two adjacent numbers are a list without commas
    if (!written && is_number_before(s) && isdigit((unsigned char)*s->at))
      return refuse_here(s, "an operation between two numbers");
    s->at += written;
    DM_TRY(written ? parse_signed(s, &factor) : parse_factor(s, &factor));
    join_operands(s, operation == '/' ? PB_DIVIDE : PB_MULTIPLY, *out, factor, out);
  }
}

static dm_status parse_sum(scan *s, int *out) {
  int product;
  skip_blanks(s);
  const int place = place_of(s);
  const bool negative = *s->at == '-';
  s->at += negative || *s->at == '+';
  DM_TRY(parse_product(s, out));
  if (negative)
    add_operation(s, (pb_operation){.kind = PB_NEGATE, .a = *out, .b = *out, .place = place}, out);
  for (;;) {
    // a sign between products
    skip_blanks(s);
    const char sign = *s->at;
    if (sign != '-' && sign != '+') return DM_OK;
    s->at++;
    DM_TRY(parse_product(s, &product));
    join_operands(s, sign == '-' ? PB_SUBTRACT : PB_ADD, *out, product, out);
  }
}

dm_status pb_expression_parse(pb_arena *arena, const char *text, const pb_language *language,
                              pb_expression *out, dm_message *why) {
  scan s = {.text = text, .at = text, .language = language, .out = out, .why = why};
  int last;
  *out = (pb_expression){.text = text};

  // at most two operations per character: the written one and an implicit product
  PB_NEW(arena, out->operation, 2 * strlen(text) + 2);
  DM_TRY(parse_sum(&s, &last));
  skip_blanks(&s);
  if (*s.at) return refuse_here(&s, "an operation or the end");
  return DM_OK;
}

// -- evaluation

static double operate(const pb_operation *o, const double *x, const double *value) {
  // operands precede the operation, so their values are known
  const double a = value[o->a], b = value[o->b];
  switch (o->kind) {
  case PB_IS_NUMBER:
    return o->value;
  case PB_IS_VARIABLE:
    return x[o->at];
  case PB_NEGATE:
    return -a;
  case PB_ADD:
    return a + b;
  case PB_SUBTRACT:
    return a - b;
  case PB_MULTIPLY:
    return a * b;
  case PB_DIVIDE:
    return a / b;
  case PB_RAISE:
    return pow(a, b);
  case PB_CALL:
    return o->f->two ? o->f->two(a, b) : o->f->one(a);
  }
  return NAN;
}

double pb_expression_eval(const pb_expression *e, const double *x, double *room) {
  // the first operation reads room[0] before it is written
  room[0] = 0;
  for (int i = 0; i < e->count; i++) room[i] = operate(&e->operation[i], x, room);
  return room[e->count - 1];
}

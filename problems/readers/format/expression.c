#include "problems/readers/format/expression.h"

#include "lib/base/names.h"
#include "problems/readers/format/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// nesting depth of parentheses; most operations; most names in a message
enum { DEPTH = 64, OPERATIONS = 10000, NAMES = 256 };

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

// A function of `fewest` to `most` arguments x that is composed of others; *out: its operation.
typedef struct composed {
  const char *name;
  int fewest, most;
  void (*write)(scan *s, int n, const int *x, int *out);
} composed;

enum { ARGUMENTS = 16 };

static void write_norm(scan *s, int n, const int *x, int *out);
static void write_smoothmax(scan *s, int n, const int *x, int *out);
static void write_smoothmin(scan *s, int n, const int *x, int *out);

static const composed compositions[] = {{"norm", 1, ARGUMENTS, write_norm},
                                        {"smoothmax", 3, 3, write_smoothmax},
                                        {"smoothmin", 3, 3, write_smoothmin}};

enum { COMPOSITIONS = sizeof compositions / sizeof *compositions };

// functions by number: those of the tape, then the compositions
static int count_functions(void) {
  return dm_tape_functions() + COMPOSITIONS;
}

static const char *name_function(int i) {
  const int own = i - dm_tape_functions();
  return own < 0 ? dm_tape_function_at(i)->name : compositions[own].name;
}

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

// the function with the name here, or -1
static int find_function(const scan *s) {
  const size_t length = (size_t)measure_word(s->at);
  for (int i = DM_TAPE_NAMED; s->language->functions && i < count_functions(); i++)
    if (strlen(name_function(i)) == length && !strncmp(s->at, name_function(i), length)) return i;
  return -1;
}

// refuse an unknown name: list the known names and suggest the nearest
static dm_status refuse_name(const scan *s) {
  const pb_language *l = s->language;
  const char *known[NAMES];
  char list[200], word[65], hint[80] = "";
  int n = 0;
  const int room = NAMES - count_functions() - 1;
  for (int i = 0; i < l->n && n < room; i++) known[n++] = l->list[i].name;
  if (l->functions) known[n++] = "pi";
  for (int i = DM_TAPE_NAMED; l->functions && i < count_functions(); i++)
    if (!l->smooth || i >= dm_tape_functions() || !dm_tape_function_at(i)->instead)
      known[n++] = name_function(i);

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

// a call of a function of the tape; with one argument it has the same operand twice
static void add_call(scan *s, int f, int a, int b, int *out) {
  const int place = s->out->operation[a].place;
  add_operation(s, (pb_operation){.kind = PB_CALL, .a = a, .b = b, .place = place, .f = f}, out);
}

static int find_named(const char *name) {
  int i = DM_TAPE_NAMED;
  while (strcmp(dm_tape_function_at(i)->name, name) != 0) i++;
  return i;
}

// sqrt(x0^2 + x1^2 + ..)
static void write_norm(scan *s, int n, const int *x, int *out) {
  int sum, square;
  join_operands(s, PB_MULTIPLY, x[0], x[0], &sum);
  for (int i = 1; i < n; i++) {
    join_operands(s, PB_MULTIPLY, x[i], x[i], &square);
    join_operands(s, PB_ADD, sum, square, &sum);
  }
  add_call(s, find_named("sqrt"), sum, sum, out);
}

// x1 + softplus(x0 - x1, x2)
static void write_smoothmax(scan *s, int n, const int *x, int *out) {
  (void)n;
  int by;
  join_operands(s, PB_SUBTRACT, x[0], x[1], &by);
  add_call(s, find_named("softplus"), by, x[2], &by);
  join_operands(s, PB_ADD, x[1], by, out);
}

// x0 - softplus(x0 - x1, x2)
static void write_smoothmin(scan *s, int n, const int *x, int *out) {
  (void)n;
  int by;
  join_operands(s, PB_SUBTRACT, x[0], x[1], &by);
  add_call(s, find_named("softplus"), by, x[2], &by);
  join_operands(s, PB_SUBTRACT, x[0], by, out);
}

// the arguments of function f, after the opening parenthesis
static dm_status parse_arguments(scan *s, int f, int place, int *out) {
  const composed *own = f < dm_tape_functions() ? NULL : &compositions[f - dm_tape_functions()];
  const int fewest = own ? own->fewest : dm_tape_function_at(f)->arguments;
  const int most = own ? own->most : fewest;
  int x[ARGUMENTS], n = 0;
  for (;;) {
    DM_TRY(parse_sum(s, &x[n++]));
    skip_blanks(s);
    if (*s->at != ',' || n == most) break;
    s->at++;
  }
  s->out->cut = !*s->at && n < fewest;
  if (n < fewest)
    return refuse_here(s, n == 1 ? "',' and a second argument" : "',' and a third argument");
  if (*s->at != ')') return refuse_here(s, "')'");
  s->at++;
  if (own)
    own->write(s, n, x, out);
  else
    add_call(s, f, x[0], x[n - 1], out);
  s->out->operation[*out].place = place;
  return DM_OK;
}

// limit the nesting depth
static dm_status open_parenthesis(scan *s) {
  if (++s->depth > DEPTH) return refuse_here(s, "fewer parentheses");
  s->at++;
  return DM_OK;
}

// the operations of another expression, as if they were written here
static void insert_expression(scan *s, const pb_expression *e, int place, int *out) {
  const int from = s->out->count;
  for (int i = 0; i < e->count; i++) {
    pb_operation o = e->operation[i];
    o.a += from;
    o.b += from;
    o.place = place;
    add_operation(s, o, out);
  }
}

// a name followed by derivative marks, or the value of a constant
static dm_status parse_symbol(scan *s, const pb_symbol *e, size_t length, int *out) {
  const int place = place_of(s), most = s->language->marks;
  int marks = 0;
  s->at += length;
  if (e->means) {
    insert_expression(s, e->means, place, out);
    return DM_OK;
  }

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

// function(arguments)
static dm_status parse_call(scan *s, int f, int *out) {
  const char *name = name_function(f);
  const char *instead = f < dm_tape_functions() ? dm_tape_function_at(f)->instead : NULL;
  const int place = place_of(s);
  char expected[64];
  if (s->language->smooth && instead)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found '%s' at character %d, which has no derivative everywhere, expected a "
                   "smooth function; try %s",
                   name, place + 1, instead);
  s->at += strlen(name);
  skip_blanks(s);
  snprintf(expected, sizeof expected, "'(' behind '%s'", name);
  if (*s->at != '(') return refuse_here(s, expected);
  DM_TRY(open_parenthesis(s));
  DM_TRY(parse_arguments(s, f, place, out));
  s->depth--;
  return DM_OK;
}

static dm_status parse_base(scan *s, int *out) {
  size_t length;
  double value;
  skip_blanks(s);
  if (s->out->count > OPERATIONS) return refuse_here(s, "at most 10000 operations");
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
  const int f = find_function(s);
  if (f >= 0) return parse_call(s, f, out);
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

  // at most two operations per character: the written one and an implicit product; a name that stands for
  // an expression has all of its operations
  size_t room = 2 * strlen(text) + 2, most = 0;
  for (int i = 0; i < language->n; i++)
    if (language->list[i].means && (size_t)language->list[i].means->count > most)
      most = (size_t)language->list[i].means->count;
  if (most) room += strlen(text) * most < OPERATIONS ? strlen(text) * most : OPERATIONS + most;
  PB_NEW(arena, out->operation, room);
  DM_TRY(parse_sum(&s, &last));
  skip_blanks(&s);
  if (*s.at) return refuse_here(&s, "an operation or the end");
  return DM_OK;
}

dm_status pb_expression_read(const pb_reader *r, const char *path, const pb_node *node,
                             const pb_language *language, const char *what, pb_expression *out) {
  char found[64];
  dm_message why = {""};
  if (node->kind != PB_SCALAR)
    return pb_refuse_node(r, node, "%s: found %s, expected an expression %s", path,
                          pb_node_describe(node, found), what);
  const dm_status s = pb_expression_parse(r->arena, node->text, language, out, &why);
  if (s != DM_BAD_INPUT) return s;

  // a comma ends a value inside braces or brackets
  const bool cut = out->cut && !node->quoted;
  return pb_refuse_node(r, node, "%s: %s%s", path, why.text,
                        cut ? "; put an expression with a comma in quotes" : "");
}

// -- as a function with derivatives

// the operation of the tape for one of the expression whose operands are `at`
static dm_tape_operation translate(const pb_operation *o, const int *at) {
  static const dm_tape_operator of[] = {
      [PB_NEGATE] = DM_TAPE_NEGATE,     [PB_ADD] = DM_TAPE_ADD,
      [PB_SUBTRACT] = DM_TAPE_SUBTRACT, [PB_MULTIPLY] = DM_TAPE_MULTIPLY,
      [PB_DIVIDE] = DM_TAPE_DIVIDE,     [PB_RAISE] = DM_TAPE_RAISE};
  dm_tape_operation to = {.place = o->place};
  if (o->kind == PB_IS_NUMBER) {
    to.kind = DM_TAPE_NUMBER;
    to.value = o->value;
  } else if (o->kind == PB_IS_VARIABLE) {
    to.kind = DM_TAPE_VARIABLE;
    to.at = o->at;
  } else {
    to.kind = DM_TAPE_CALL;
    to.at = o->kind == PB_CALL ? o->f : (int)of[o->kind];
    to.a = at[o->a];
    to.b = at[o->b];
  }
  return to;
}

// a call of numbers becomes their value, if it has one
static void fold_numbers(const dm_tape_operation *list, dm_tape_operation *o) {
  dm_tape_jet jet;
  if (o->kind != DM_TAPE_CALL) return;
  const dm_tape_operation *a = &list[o->a], *b = &list[o->b];
  if (a->kind != DM_TAPE_NUMBER || b->kind != DM_TAPE_NUMBER) return;
  dm_tape_function_at(o->at)->eval(a->value, b->value, 0, &jet);
  if (isfinite(jet.y))
    *o = (dm_tape_operation){.kind = DM_TAPE_NUMBER, .place = o->place, .value = jet.y};
}

// a square becomes a product, which is cheaper
static void multiply_square(const dm_tape_operation *list, dm_tape_operation *o) {
  if (o->kind != DM_TAPE_CALL || o->at != DM_TAPE_RAISE) return;
  if (list[o->b].kind != DM_TAPE_NUMBER || list[o->b].value != 2) return;
  o->at = DM_TAPE_MULTIPLY;
  o->b = o->a;
}

static bool is_same(const dm_tape_operation *a, const dm_tape_operation *b) {
  return a->kind == b->kind && a->at == b->at && a->a == b->a && a->b == b->b &&
         a->value == b->value;
}

// Drop the operations on which the last does not depend, and number the variables by their occurrence.
static void compact_tape(dm_tape *f, dm_tape_operation *o, int *to, int *symbol) {
  // used: marked from the last to the first; then moved
  for (int i = 0; i < f->count; i++) to[i] = i == f->count - 1;
  for (int i = f->count - 1; i >= 0; i--)
    if (to[i] && o[i].kind == DM_TAPE_CALL) to[o[i].a] = to[o[i].b] = 1;
  int kept = 0;
  for (int i = 0; i < f->count; i++) {
    if (!to[i]) continue;
    dm_tape_operation *own = &o[kept];
    *own = o[i];
    to[i] = kept++;
    if (own->kind == DM_TAPE_CALL) own->a = to[own->a];
    if (own->kind == DM_TAPE_CALL) own->b = to[own->b];
    if (own->kind != DM_TAPE_VARIABLE) continue;
    symbol[f->nx] = own->at;
    own->at = f->nx++;
  }
  f->count = kept;
}

dm_status pb_expression_compile(pb_arena *arena, const pb_expression *e, dm_tape *out,
                                const int **used) {
  dm_tape_operation *o;
  int *at, *symbol, n = 0;
  PB_NEW(arena, o, e->count);
  PB_NEW(arena, at, e->count);
  PB_NEW(arena, symbol, e->count);

  // equal operations are one
  for (int i = 0; i < e->count; i++) {
    o[n] = translate(&e->operation[i], at);
    fold_numbers(o, &o[n]);
    multiply_square(o, &o[n]);
    at[i] = 0;
    while (at[i] < n && !is_same(&o[at[i]], &o[n])) at[i]++;
    n += at[i] == n;
  }
  *out = (dm_tape){.count = at[e->count - 1] + 1, .operation = o};
  compact_tape(out, o, at, symbol);
  *used = symbol;
  return DM_OK;
}

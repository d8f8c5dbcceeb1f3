#include "problems/readers/format/expression.h"

#include "lib/base/names.h"
#include "problems/readers/format/hints.h"
#include "problems/readers/format/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// nesting depth of parentheses; most operations; most names in a message; most arguments
enum { DEPTH = 64, OPERATIONS = 10000, NAMES = 256, ARGUMENTS = PB_MOST_PARAMETERS };

// a number, or a vector of n > 1 numbers, by their operations
typedef struct value {
  int n, at[ARGUMENTS];
} value;

// parser state; of a definition also its parameters
typedef struct scan {
  const char *text, *at;
  const pb_language *language;
  pb_arena *arena;
  pb_expression *out;
  int depth;
  int room;  // operations that out->operation has room for
  bool lost; // out of memory
  const pb_definition *of;
  const value *argument; // [of->count]
  dm_message *why;
} scan;

static dm_status parse_sum(scan *s, value *out);
static dm_status parse_factor(scan *s, value *out);

// -- functions

// A function that is composed of others: of `fewest` to `most` arguments x. Vectors give all their components, or
// each argument is a vector of `size` components, 0: of equal sizes.
typedef struct composed {
  const char *name;
  int fewest, most, vectors, size;
  void (*write)(scan *s, int n, const value *x, value *out);
} composed;

static void write_norm(scan *s, int n, const value *x, value *out);
static void write_dot(scan *s, int n, const value *x, value *out);
static void write_cross(scan *s, int n, const value *x, value *out);
static void write_smoothmax(scan *s, int n, const value *x, value *out);
static void write_smoothmin(scan *s, int n, const value *x, value *out);

static const composed compositions[] = {{"norm", 1, ARGUMENTS, 0, 0, write_norm},
                                        {"dot", 2, 2, 1, 0, write_dot},
                                        {"cross", 2, 2, 1, 3, write_cross},
                                        {"smoothmax", 3, 3, 0, 0, write_smoothmax},
                                        {"smoothmin", 3, 3, 0, 0, write_smoothmin}};

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
  for (int i = 0; s->of && i < s->of->count; i++) known[n++] = s->of->parameter[i];
  for (int i = 0; i < l->n && n < room; i++) known[n++] = l->list[i].name;
  for (int i = 0; l->definitions && i < l->definitions->n && n < room; i++)
    known[n++] = l->definitions->list[i].name;
  if (l->functions) known[n++] = "pi";
  for (int i = DM_TAPE_NAMED; l->functions && i < count_functions(); i++)
    if (!l->smooth || i >= dm_tape_functions() || !dm_tape_function_at(i)->instead)
      known[n++] = name_function(i);

  snprintf(word, sizeof word, "%.*s", measure_word(s->at), s->at);
  const char *what = l->functions ? pb_hint_quantity(l->lacks, word) : NULL;
  if (what)
    return dm_fail(s->why, DM_BAD_INPUT, "found '%s' at character %d, %s", word, place_of(s) + 1,
                   what);
  const char *near = dm_names_nearest(known, n, word);
  if (near) snprintf(hint, sizeof hint, "; did you mean '%.48s'?", near);
  return dm_fail(s->why, DM_BAD_INPUT, "found the unknown name '%s' at character %d, expected %s%s",
                 word, place_of(s) + 1, dm_names_list(known, n, list, sizeof list), hint);
}

// -- operations

// append an operation; *out: its index
static void add_operation(scan *s, pb_operation what, int *out) {
  *out = 0;
  if (s->out->count == s->room) {
    // twice the room
    pb_operation *more = pb_arena_alloc(s->arena, 2 * (size_t)s->room, sizeof *more);
    if (!more) s->lost = true;
    if (s->lost) return;
    memcpy(more, s->out->operation, (size_t)s->room * sizeof *more);
    s->out->operation = more;
    s->room *= 2;
  }
  *out = s->out->count;
  s->out->operation[s->out->count++] = what;
}

static int place_of_operation(const scan *s, int i) {
  return s->out->operation[i].place;
}

// append a binary operation, which begins in the text at its first operand
static void join_operands(scan *s, pb_operator kind, int a, int b, int *out) {
  const int place = place_of_operation(s, a);
  add_operation(s, (pb_operation){.kind = kind, .a = a, .b = b, .place = place}, out);
}

// append a call of a function of the tape; with one argument it has the same operand twice
static void add_call(scan *s, int f, int a, int b, int *out) {
  const int place = place_of_operation(s, a);
  add_operation(s, (pb_operation){.kind = PB_CALL, .a = a, .b = b, .place = place, .f = f}, out);
}

// -- values

static value make_number(scan *s, double x, int place) {
  value v = {.n = 1};
  add_operation(s, (pb_operation){.kind = PB_IS_NUMBER, .place = place, .value = x}, &v.at[0]);
  return v;
}

static void negate_value(scan *s, int place, value *v) {
  for (int i = 0; i < v->n; i++)
    add_operation(s,
                  (pb_operation){.kind = PB_NEGATE, .a = v->at[i], .b = v->at[i], .place = place},
                  &v->at[i]);
}

// component i of a value; a number is equal to each component
static int component(const value *v, int i) {
  return v->at[v->n == 1 ? 0 : i];
}

static const char *describe_value(const value *v, char text[40]) {
  snprintf(text, 40, v->n == 1 ? "a number" : "a vector of %d", v->n);
  return text;
}

// refuse operands of sizes that do not fit
static dm_status refuse_sizes(const scan *s, const value *a, const value *b, const char *expected) {
  char one[40], other[40];
  return dm_fail(s->why, DM_BAD_INPUT, "found %s and %s at character %d, expected %s",
                 describe_value(a, one), describe_value(b, other),
                 place_of_operation(s, a->at[0]) + 1, expected);
}

// Sums are of equal sizes; a vector times or by a number has its components times or by it.
static dm_status join_values(scan *s, pb_operator kind, const value *a, const value *b,
                             value *out) {
  const bool sum = kind == PB_ADD || kind == PB_SUBTRACT;
  if (sum && a->n != b->n) return refuse_sizes(s, a, b, "two of one size");
  if (!sum && b->n > 1 && (a->n > 1 || kind != PB_MULTIPLY))
    return refuse_sizes(s, a, b, "a number behind '*', '/' and '^'; try dot(a, b) or norm(a)");
  if (kind == PB_RAISE && a->n > 1)
    return refuse_sizes(s, a, b, "the power of a number; try dot(a, a) or norm(a)");
  const value x = *a, y = *b;
  out->n = x.n > y.n ? x.n : y.n;
  for (int i = 0; i < out->n; i++)
    join_operands(s, kind, component(&x, i), component(&y, i), &out->at[i]);
  return DM_OK;
}

// [sign] factor
static dm_status parse_signed(scan *s, value *out) {
  skip_blanks(s);
  const int place = place_of(s);
  const bool negative = *s->at == '-', written = negative || *s->at == '+';
  s->at += written;
  DM_TRY(parse_factor(s, out));
  if (negative) negate_value(s, place, out);
  return DM_OK;
}

// -- composed functions

static int find_named(const char *name) {
  int i = DM_TAPE_NAMED;
  while (strcmp(dm_tape_function_at(i)->name, name) != 0) i++;
  return i;
}

// x0 y0 + x1 y1 + ..
static void write_dot(scan *s, int n, const value *x, value *out) {
  int product;
  (void)n;
  out->n = 1;
  for (int i = 0; i < x[0].n; i++) {
    join_operands(s, PB_MULTIPLY, x[0].at[i], x[1].at[i], &product);
    if (i)
      join_operands(s, PB_ADD, out->at[0], product, &out->at[0]);
    else
      out->at[0] = product;
  }
}

// sqrt(x0^2 + x1^2 + ..)
static void write_norm(scan *s, int n, const value *x, value *out) {
  value all[2] = {{.n = n}};
  for (int i = 0; i < n; i++) all[0].at[i] = x[i].at[0];
  all[1] = all[0];
  write_dot(s, 2, all, out);
  add_call(s, find_named("sqrt"), out->at[0], out->at[0], &out->at[0]);
}

static void write_cross(scan *s, int n, const value *x, value *out) {
  (void)n;
  out->n = 3;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    int a, b;
    join_operands(s, PB_MULTIPLY, x[0].at[j], x[1].at[k], &a);
    join_operands(s, PB_MULTIPLY, x[0].at[k], x[1].at[j], &b);
    join_operands(s, PB_SUBTRACT, a, b, &out->at[i]);
  }
}

// softplus(x0 - x1, x2)
static int write_excess(scan *s, const value *x) {
  int by;
  join_operands(s, PB_SUBTRACT, x[0].at[0], x[1].at[0], &by);
  add_call(s, find_named("softplus"), by, x[2].at[0], &by);
  return by;
}

// x1 + softplus(x0 - x1, x2)
static void write_smoothmax(scan *s, int n, const value *x, value *out) {
  (void)n;
  out->n = 1;
  join_operands(s, PB_ADD, x[1].at[0], write_excess(s, x), &out->at[0]);
}

// x0 - softplus(x0 - x1, x2)
static void write_smoothmin(scan *s, int n, const value *x, value *out) {
  (void)n;
  out->n = 1;
  join_operands(s, PB_SUBTRACT, x[0].at[0], write_excess(s, x), &out->at[0]);
}

// -- calls

// limit the nesting depth
static dm_status open_parenthesis(scan *s) {
  if (++s->depth > DEPTH) return refuse_here(s, "fewer parentheses");
  s->at++;
  return DM_OK;
}

// The arguments of a function, after its name, into x; the components of a vector are one each unless the
// function takes vectors.
static dm_status parse_arguments(scan *s, const char *name, int fewest, int most, bool vectors,
                                 value *x, int *n) {
  static const char *const another[] = {"',' and a second argument", "',' and a third argument",
                                        "',' and another argument"};
  char expected[PB_NAME_MOST + 16];
  skip_blanks(s);
  snprintf(expected, sizeof expected, "'(' behind '%.*s'", PB_NAME_MOST, name);
  if (*s->at != '(') return refuse_here(s, expected);
  DM_TRY(open_parenthesis(s));
  *n = 0;
  for (;;) {
    value one;
    DM_TRY(parse_sum(s, &one));
    const int parts = vectors ? 1 : one.n;
    if (*n + parts > most)
      return dm_fail(s->why, DM_BAD_INPUT,
                     "found a vector of %d in '%.64s' at character %d, expected %s; try norm(x) or "
                     "a component x[0]",
                     one.n, name, place_of_operation(s, one.at[0]) + 1,
                     most == 1 ? "a number" : "numbers");
    for (int i = 0; i < parts; i++) x[(*n)++] = vectors ? one : (value){.n = 1, .at = {one.at[i]}};
    skip_blanks(s);
    if (*s->at != ',' || *n == most) break;
    s->at++;
  }
  if (!s->of) s->out->cut = !*s->at && *n < fewest;
  if (*n < fewest) return refuse_here(s, another[*n < 3 ? *n - 1 : 2]);
  if (*s->at != ')') return refuse_here(s, "')'");
  s->at++;
  s->depth--;
  return DM_OK;
}

// function(arguments)
static dm_status parse_call(scan *s, int f, value *out) {
  const bool plain = f < dm_tape_functions();
  const composed *own = plain ? NULL : &compositions[f - dm_tape_functions()];
  const char *name = name_function(f), *instead = plain ? dm_tape_function_at(f)->instead : NULL;
  const int place = place_of(s), arguments = plain ? dm_tape_function_at(f)->arguments : 0;
  value x[ARGUMENTS];
  int n;
  if (s->language->smooth && instead)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found '%s' at character %d, which has no derivative everywhere, expected a "
                   "smooth function; try %s",
                   name, place + 1, instead);
  s->at += strlen(name);
  DM_TRY(parse_arguments(s, name, own ? own->fewest : arguments, own ? own->most : arguments,
                         own && own->vectors, x, &n));
  if (own && own->vectors && (x[0].n != x[1].n || (own->size && x[0].n != own->size)))
    return refuse_sizes(s, &x[0], &x[1], own->size ? "two vectors of 3" : "two of one size");
  out->n = 1;
  if (own)
    own->write(s, n, x, out);
  else
    add_call(s, f, x[0].at[0], x[n - 1].at[0], &out->at[0]);
  for (int i = 0; !s->lost && i < out->n; i++) s->out->operation[out->at[i]].place = place;
  return s->lost ? DM_NO_MEMORY : DM_OK;
}

// -- names

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

// the text of a definition, with its parameters, as if it were written here in parentheses
static dm_status parse_definition(scan *s, const pb_definition *d, value *out) {
  const int place = place_of(s), from = s->out->count;
  value x[ARGUMENTS] = {{0}};
  int n;
  s->at += strlen(d->name);
  if (d->count) DM_TRY(parse_arguments(s, d->name, d->count, d->count, true, x, &n));
  if (s->depth + 1 > DEPTH)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found '%.64s' at character %d in definitions nested more than 64 deep, "
                   "expected one that does not contain itself",
                   d->name, place + 1);
  scan own = *s;
  own.text = own.at = d->text;
  own.of = d;
  own.argument = x;
  own.depth++;
  dm_status status = parse_sum(&own, out);
  skip_blanks(&own);
  if (status == DM_OK && *own.at) status = refuse_here(&own, "an operation or the end");
  s->room = own.room;
  s->lost = own.lost;
  if (status == DM_BAD_INPUT && !s->of && s->why) {
    // name the outermost definition
    const dm_message inner = *s->why;
    return dm_fail(s->why, DM_BAD_INPUT, "in '%.64s' (line %d): %.380s", d->name, d->line,
                   inner.text);
  }
  for (int i = from; i < s->out->count; i++) s->out->operation[i].place = place;
  return status;
}

// a table of one argument
static dm_status parse_table(scan *s, const pb_definition *d, value *out) {
  const int place = place_of(s);
  value x[ARGUMENTS];
  int n;
  s->at += strlen(d->name);
  DM_TRY(parse_arguments(s, d->name, 1, 1, false, x, &n));
  out->n = 1;
  add_operation(
      s,
      (pb_operation){
          .kind = PB_LOOK_UP, .a = x[0].at[0], .b = x[0].at[0], .place = place, .table = &d->table},
      &out->at[0]);
  return DM_OK;
}

// a name followed by derivative marks, or the value of a constant
static dm_status parse_symbol(scan *s, const pb_symbol *e, value *out) {
  const int place = place_of(s), most = s->language->marks;
  int marks = 0;
  out->n = 1;
  s->at += strlen(e->name);
  if (e->means) {
    insert_expression(s, e->means, place, &out->at[0]);
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
                &out->at[0]);
  return DM_OK;
}

// the components of a vector of symbols
static dm_status parse_vector_name(scan *s, const pb_vector *v, value *out) {
  const char *at = s->at;
  if (v->n > ARGUMENTS) return refuse_here(s, "a vector of at most 16");
  for (int i = 0; i < v->n; i++) {
    value one;
    s->at = at + strlen(v->name) - strlen(s->language->list[v->first + i].name);
    DM_TRY(parse_symbol(s, &s->language->list[v->first + i], &one));
    out->at[i] = one.at[0];
    s->out->operation[one.at[0]].place = (int)(at - s->text);
  }
  out->n = v->n;
  s->at = at + strlen(v->name);
  return DM_OK;
}

// does a whole word here equal a name that is longer than the best one so far?
static bool match_word(const scan *s, const char *name, size_t *length) {
  const size_t size = strlen(name);
  if (size <= *length || strncmp(s->at, name, size) != 0 || is_word(s->at[size])) return false;
  *length = size;
  return true;
}

// The longest known name here: a parameter of the definition, a symbol, a vector, a definition, in this order.
// Sets *found; without one nothing is read.
static dm_status parse_name(scan *s, value *out, bool *found) {
  const pb_language *l = s->language;
  const value *argument = NULL;
  const pb_symbol *symbol = NULL;
  const pb_vector *vector = NULL;
  const pb_definition *definition = NULL;
  size_t length = 0;
  for (int i = 0; s->of && i < s->of->count; i++)
    if (match_word(s, s->of->parameter[i], &length)) argument = &s->argument[i];
  for (const pb_symbol *e = l->list; !argument && e < l->list + l->n; e++)
    if (match_word(s, e->name, &length)) symbol = e;
  for (const pb_vector *e = l->vectors; !argument && e < l->vectors + l->nvectors; e++)
    if (match_word(s, e->name, &length)) vector = e;
  const pb_definitions *d = l->definitions;
  for (int i = 0; d && !argument && i < d->n; i++)
    if (match_word(s, d->list[i].name, &length)) definition = &d->list[i];
  *found = length > 0;
  if (definition)
    return definition->table.n ? parse_table(s, definition, out)
                               : parse_definition(s, definition, out);
  if (vector) return parse_vector_name(s, vector, out);
  if (symbol) return parse_symbol(s, symbol, out);
  if (!argument) return DM_OK;
  *out = *argument;
  s->at += length;
  return DM_OK;
}

// -- the grammar

// (sum)
static dm_status parse_parenthesis(scan *s, value *out) {
  const int place = place_of(s);
  DM_TRY(open_parenthesis(s));
  DM_TRY(parse_sum(s, out));
  s->depth--;
  skip_blanks(s);
  if (*s->at != ')') return refuse_here(s, "')'");
  s->at++;
  if (out->n == 1) s->out->operation[out->at[0]].place = place;
  return DM_OK;
}

// [sum, sum, ..]
static dm_status parse_list(scan *s, value *out) {
  DM_TRY(open_parenthesis(s));
  for (out->n = 0;;) {
    value one;
    DM_TRY(parse_sum(s, &one));
    if (one.n > 1 || out->n == ARGUMENTS)
      return refuse_here(s, one.n > 1 ? "numbers in a vector" : "at most 16 numbers in a vector");
    out->at[out->n++] = one.at[0];
    skip_blanks(s);
    if (*s->at != ',') break;
    s->at++;
  }
  s->depth--;
  if (*s->at != ']' || out->n < 2)
    return refuse_here(s, out->n < 2 ? "',': a vector has 2 numbers or more" : "',' or ']'");
  s->at++;
  return DM_OK;
}

static dm_status parse_operand(scan *s, value *out) {
  bool found = false;
  double x;
  skip_blanks(s);
  if (s->out->count > OPERATIONS) return refuse_here(s, "at most 10000 operations");
  if (s->lost) return DM_NO_MEMORY;
  if (*s->at == '(') return parse_parenthesis(s, out);
  if (*s->at == '[' && s->language->functions) return parse_list(s, out);
  // a name, then a function, then a number
  DM_TRY(parse_name(s, out, &found));
  if (found) return DM_OK;
  const int f = find_function(s);
  if (f >= 0) return parse_call(s, f, out);
  const char *after = pb_number_factor(s->at, &x);
  if (!after && (isalpha((unsigned char)*s->at) || *s->at == '_')) return refuse_name(s);
  if (!after || !isfinite(x)) return refuse_here(s, "a number, a name or '('");
  *out = make_number(s, x, place_of(s));
  s->at = after;
  return DM_OK;
}

// operand { "[" index "]" }
static dm_status parse_base(scan *s, value *out) {
  DM_TRY(parse_operand(s, out));
  while (s->language->functions && out->n > 1 && *s->at == '[') {
    char *rest, expected[48];
    const long i = strtol(s->at + 1, &rest, 10);
    snprintf(expected, sizeof expected, "an index from [0] to [%d]", out->n - 1);
    if (rest == s->at + 1 || *rest != ']' || i < 0 || i >= out->n) return refuse_here(s, expected);
    *out = (value){.n = 1, .at = {out->at[i]}};
    s->at = rest + 1;
  }
  return DM_OK;
}

// powers associate to the right: a^b^c = a^(b^c)
static dm_status parse_factor(scan *s, value *out) {
  value exponent;
  DM_TRY(parse_base(s, out));
  skip_blanks(s);
  const int length = *s->at == '^' ? 1 : !strncmp(s->at, "**", 2) ? 2 : 0;
  if (!length) return DM_OK;
  if (++s->depth > DEPTH) return refuse_here(s, "fewer powers of powers");
  s->at += length;
  DM_TRY(parse_signed(s, &exponent));
  s->depth--;
  return join_values(s, PB_RAISE, out, &exponent, out);
}

// whether another factor follows without an operator (implicit product)
static bool has_factor(const scan *s) {
  return isalnum((unsigned char)*s->at) || *s->at == '_' || *s->at == '.' || *s->at == '(' ||
         (*s->at == '[' && s->language->functions);
}

// whether the previous token is a number written in digits
static bool is_number_before(const scan *s) {
  const pb_operation *list = s->out->operation, *o = &list[s->out->count - 1];
  const char *at = s->at;
  while (o->kind != PB_IS_NUMBER && o->kind != PB_IS_VARIABLE) o = &list[o->b];
  while (at > s->text && strchr(" \t\n", at[-1])) at--;
  return o->kind == PB_IS_NUMBER && (isdigit((unsigned char)at[-1]) || at[-1] == '.');
}

static dm_status parse_product(scan *s, value *out) {
  value factor;
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
    DM_TRY(join_values(s, operation == '/' ? PB_DIVIDE : PB_MULTIPLY, out, &factor, out));
  }
}

static dm_status parse_sum(scan *s, value *out) {
  value product;
  skip_blanks(s);
  const int place = place_of(s);
  const bool negative = *s->at == '-';
  s->at += negative || *s->at == '+';
  DM_TRY(parse_product(s, out));
  if (negative) negate_value(s, place, out);
  for (;;) {
    // a sign between products
    skip_blanks(s);
    const char sign = *s->at;
    if (sign != '-' && sign != '+') return DM_OK;
    s->at++;
    DM_TRY(parse_product(s, &product));
    DM_TRY(join_values(s, sign == '-' ? PB_SUBTRACT : PB_ADD, out, &product, out));
  }
}

dm_status pb_expression_parse(pb_arena *arena, const char *text, const pb_language *language,
                              pb_expression *out, dm_message *why) {
  scan s = {.text = text, .at = text, .language = language, .arena = arena, .out = out, .why = why};
  value all;
  *out = (pb_expression){.text = text};

  // most expressions have at most an operation per character
  s.room = (int)strlen(text) + 16;
  PB_NEW(arena, out->operation, s.room);
  DM_TRY(parse_sum(&s, &all));
  skip_blanks(&s);
  if (*s.at)
    return refuse_here(&s, strchr("<>=", *s.at) ? "no comparison: a range is 'within: [low, high]'"
                                                : "an operation or the end");
  if (s.lost) return DM_NO_MEMORY;
  if (language->size && all.n != language->size)
    return dm_fail(why, DM_BAD_INPUT, "found %d number%s, expected a vector of %d, as [0, 0, z]",
                   all.n, all.n > 1 ? "s" : "", language->size);
  if (language->size) all = (value){.n = 1, .at = {all.at[language->part]}};
  if (all.n > 1)
    return dm_fail(
        why, DM_BAD_INPUT,
        "found a vector of %d, expected a number; try norm(x), dot(x, y), or a component "
        "x[0]",
        all.n);

  // the last operation is the value
  int last = all.at[0];
  if (last < out->count - 1) add_operation(&s, out->operation[last], &last);
  return s.lost ? DM_NO_MEMORY : DM_OK;
}

dm_status pb_expression_read(const pb_reader *r, const char *path, const pb_node *node,
                             const pb_language *language, const char *what, pb_expression *out) {
  char found[64];
  dm_message why = {""};
  if (node->kind != PB_SCALAR)
    return pb_refuse_node(r, node, "%s: found %s, expected an expression %s", path,
                          pb_node_describe(node, found), what);
  pb_language own = *language;
  if (own.functions) own.definitions = r->definitions;
  const dm_status s = pb_expression_parse(r->arena, node->text, &own, out, &why);
  if (s != DM_BAD_INPUT) return s;

  // a comma ends a value inside braces or brackets
  const bool cut = out->cut && !node->quoted;
  return pb_refuse_node(r, node, "%s: %s%s", path, why.text,
                        cut ? "; put an expression with a comma in quotes" : "");
}

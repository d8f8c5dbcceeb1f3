#include "problems/readers/format/formula.h"

#include "lib/base/names.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 2000, DEPTH = 50, EXPONENT = 99, NAMES = 256 }; // what a line may come to

typedef struct terms {
  int count;
  dm_monomial *term;
} terms;

// a text on its way
typedef struct scan {
  pb_arena *arena;
  const char *text, *at;
  const pb_symbol *list;
  int n, depth;
  const dm_polynomial *p;
  dm_message *why;
} scan;

static dm_status parse_sum(scan *s, terms *out);

// -- algebra

// out = a b of two monomials, the powers of both in order of their variables
static dm_status multiply_monomials(pb_arena *arena, const dm_monomial *a, const dm_monomial *b,
                                    dm_monomial *out) {
  *out = (dm_monomial){.coefficient = a->coefficient * b->coefficient};
  PB_NEW(arena, out->power, a->count + b->count + 1);
  for (int i = 0, j = 0; i < a->count || j < b->count;) {
    // the one that comes first, or both where they are of one variable
    bool first = j == b->count || (i < a->count && a->power[i].at <= b->power[j].at);
    bool second = i == a->count || (j < b->count && b->power[j].at <= a->power[i].at);
    dm_power *to = &out->power[out->count++];
    to->at = first ? a->power[i].at : b->power[j].at;
    to->exponent = (first ? a->power[i].exponent : 0) + (second ? b->power[j].exponent : 0);
    i += first;
    j += second;
  }
  return DM_OK;
}

static bool is_like(const dm_monomial *a, const dm_monomial *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (a->power[i].at != b->power[i].at || a->power[i].exponent != b->power[i].exponent)
      return false;
  return true;
}

// add a term to a sum that has room for it, to one like it where there is one
static void gather_term(terms *sum, const dm_monomial *t) {
  for (int i = 0; i < sum->count; i++)
    if (is_like(&sum->term[i], t)) {
      sum->term[i].coefficient += t->coefficient;
      return;
    }
  sum->term[sum->count++] = *t;
}

static dm_status refuse_size(scan *s) {
  return dm_fail(s->why, DM_BAD_INPUT, "found more than %d terms, expected fewer", TERMS);
}

// out = a + sign b
static dm_status add_terms(scan *s, const terms *a, double sign, const terms *b, terms *out) {
  terms sum = {0};
  if (a->count + b->count > TERMS) return refuse_size(s);
  PB_NEW(s->arena, sum.term, a->count + b->count + 1);
  for (int i = 0; i < a->count; i++) gather_term(&sum, &a->term[i]);
  for (int i = 0; i < b->count; i++) {
    dm_monomial t = b->term[i];
    t.coefficient *= sign;
    gather_term(&sum, &t);
  }
  *out = sum;
  return DM_OK;
}

// out = a b
static dm_status multiply_terms(scan *s, const terms *a, const terms *b, terms *out) {
  terms product = {0};
  if (a->count * b->count > TERMS) return refuse_size(s);
  PB_NEW(s->arena, product.term, a->count * b->count + 1);
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count; j++) {
      dm_monomial t;
      DM_TRY(multiply_monomials(s->arena, &a->term[i], &b->term[j], &t));
      gather_term(&product, &t);
    }
  *out = product;
  return DM_OK;
}

// a sum of one monomial
static dm_status make_term(scan *s, double coefficient, int at, terms *out) {
  PB_NEW(s->arena, out->term, 1);
  PB_NEW(s->arena, out->term[0].power, 1);
  out->count = 1;
  out->term[0].coefficient = coefficient;
  out->term[0].count = at >= 0;
  out->term[0].power[0] = (dm_power){at, 1};
  return DM_OK;
}

// whether a sum is a number, and which
static bool is_number(const terms *a, double *value) {
  *value = a->count ? a->term[0].coefficient : 0;
  return a->count == 0 || (a->count == 1 && a->term[0].count == 0);
}

// -- text

static void skip_blanks(scan *s) {
  s->at += strspn(s->at, " \t\n");
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static int place_of(const scan *s) {
  return (int)(s->at - s->text) + 1;
}

// what stands there, for "found ..."
static dm_status refuse_here(scan *s, const char *expected) {
  int length = 1;
  if (!*s->at)
    return dm_fail(s->why, DM_BAD_INPUT, "found the end of '%.200s', expected %s", s->text,
                   expected);
  while (is_word(s->at[0]) && is_word(s->at[length]) && length < 40) length++;
  return dm_fail(s->why, DM_BAD_INPUT, "found '%.*s' at character %d, expected %s", length, s->at,
                 place_of(s), expected);
}

// the longest known name that is a whole word here, or NULL
static const pb_symbol *find_symbol(const scan *s, size_t *length) {
  const pb_symbol *best = NULL;
  *length = 0;
  for (const pb_symbol *e = s->list; e < s->list + s->n; e++) {
    size_t size = strlen(e->name);
    if (size > *length && !strncmp(s->at, e->name, size) && !is_word(s->at[size])) {
      best = e;
      *length = size;
    }
  }
  return best;
}

// a word that no symbol is: what there is, and what was probably meant
static dm_status refuse_name(scan *s) {
  const char *known[NAMES];
  char list[200];
  int n = 0, length = 0;
  for (; n < s->n && n < NAMES; n++) known[n] = s->list[n].name;
  while (is_word(s->at[length]) && length < 64) length++;
  return dm_fail(s->why, DM_BAD_INPUT, "found the unknown name '%.*s' at character %d, expected %s",
                 length, s->at, place_of(s), dm_names_list(known, n, list, sizeof list));
}

// a name with the marks of its derivative, or a constant's value
static dm_status parse_name(scan *s, terms *out) {
  size_t length;
  const pb_symbol *e = find_symbol(s, &length);
  if (!e && !strncmp(s->at, "pi", 2) && !is_word(s->at[2])) {
    s->at += 2;
    return make_term(s, 3.14159265358979323846, -1, out);
  }
  if (!e) return refuse_name(s);

  // one mark for each derivative
  const char *name = s->at;
  int marks = 0;
  s->at += length;
  for (; *s->at == '\''; s->at++) marks++;
  if (e->at < 0 && marks)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found a derivative of the constant '%s' at character %d, expected none",
                   e->name, (int)(name - s->text) + 1);
  if (marks > s->p->k)
    return dm_fail(s->why, DM_BAD_INPUT,
                   "found derivative %d of '%s' at character %d, expected at most %d", marks,
                   e->name, (int)(name - s->text) + 1, s->p->k);
  return e->at < 0 ? make_term(s, e->value, -1, out)
                   : make_term(s, 1, marks * s->p->n + e->at, out);
}

static dm_status parse_base(scan *s, terms *out) {
  char *end;
  skip_blanks(s);
  if (*s->at == '(') {
    // as deep as parentheses go
    if (++s->depth > DEPTH) return refuse_here(s, "fewer parentheses");
    s->at++;
    DM_TRY(parse_sum(s, out));
    s->depth--;
    skip_blanks(s);
    if (*s->at != ')') return refuse_here(s, "')'");
    s->at++;
    return DM_OK;
  }
  if (isalpha((unsigned char)*s->at) || *s->at == '_') return parse_name(s, out);

  // a decimal number; strtod takes hexadecimal ones as well
  bool decimal = isdigit((unsigned char)*s->at) || *s->at == '.';
  if (!decimal || (s->at[0] == '0' && tolower((unsigned char)s->at[1]) == 'x'))
    return refuse_here(s, "a number, a name or '('");
  double value = strtod(s->at, &end);
  if (end == s->at || !isfinite(value)) return refuse_here(s, "a number, a name or '('");
  s->at = end;
  return make_term(s, value, -1, out);
}

// base [^ exponent], by repeated products
static dm_status parse_factor(scan *s, terms *out) {
  terms base;
  DM_TRY(parse_base(s, &base));
  skip_blanks(s);
  *out = base;
  if (*s->at != '^') return DM_OK;

  s->at++;
  skip_blanks(s);
  char *end;
  long exponent = isdigit((unsigned char)*s->at) ? strtol(s->at, &end, 10) : -1;
  if (exponent < 0 || exponent > EXPONENT) return refuse_here(s, "a whole number from 0 to 99");
  s->at = end;
  DM_TRY(make_term(s, 1, -1, out));
  for (long i = 0; i < exponent; i++) DM_TRY(multiply_terms(s, out, &base, out));
  return DM_OK;
}

// whether another factor stands here with no sign of an operation before it
static bool has_factor(const scan *s) {
  return isalnum((unsigned char)*s->at) || *s->at == '_' || *s->at == '.' || *s->at == '(';
}

static dm_status parse_product(scan *s, terms *out) {
  terms factor;
  DM_TRY(parse_factor(s, out));
  for (;;) {
    skip_blanks(s);
    const char operation = *s->at;
    bool written = operation == '*' || operation == '/';
    if (!written && !has_factor(s)) return DM_OK;
    s->at += written;

    // a divisor is a number
    const char *place = s->at;
    double value;
    DM_TRY(parse_factor(s, &factor));
    if (operation == '/') {
      bool number = is_number(&factor, &value);
      if (!number || value == 0) {
        s->at = place;
        skip_blanks(s);
        return refuse_here(s, "a number that is not 0 behind '/'");
      }
      DM_TRY(make_term(s, 1 / value, -1, &factor));
    }
    DM_TRY(multiply_terms(s, out, &factor, out));
  }
}

static dm_status parse_sum(scan *s, terms *out) {
  terms product;
  *out = (terms){0};
  for (bool first = true;; first = false) {
    // a sign between products, before the first one where it has one
    skip_blanks(s);
    bool written = *s->at == '-' || *s->at == '+';
    double sign = *s->at == '-' ? -1 : 1;
    if (!first && !written) return DM_OK;
    s->at += written;
    DM_TRY(parse_product(s, &product));
    DM_TRY(add_terms(s, out, sign, &product, out));
  }
}

dm_status pb_formula_parse(pb_arena *arena, const char *text, const pb_symbol *list, int n,
                           dm_polynomial *p, dm_message *why) {
  scan s = {.arena = arena, .text = text, .at = text, .list = list, .n = n, .p = p, .why = why};
  terms sum;
  DM_TRY(parse_sum(&s, &sum));
  skip_blanks(&s);
  if (*s.at) return refuse_here(&s, "an operation or the end");

  // coefficients may have overflowed
  for (int i = 0; i < sum.count; i++)
    if (!isfinite(sum.term[i].coefficient))
      return dm_fail(why, DM_BAD_INPUT, "found a coefficient that is not finite in '%.200s'", text);
  p->count = sum.count;
  p->term = sum.term;
  return DM_OK;
}

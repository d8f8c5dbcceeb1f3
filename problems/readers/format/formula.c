#include "problems/readers/format/formula.h"

#include "problems/readers/format/expression.h"

#include <math.h>
#include <stdbool.h>

enum { TERMS = 2000, EXPONENT = 99 }; // limits of a polynomial

typedef struct terms {
  int count;
  dm_monomial *term;
} terms;

// state of the conversion from an expression to a polynomial
typedef struct scan {
  pb_arena *arena;
  pb_expression e;
  const dm_polynomial *p;
  dm_message *why;
} scan;

// -- algebra

// out = a b for two monomials; powers stay sorted by variable
static dm_status multiply_monomials(pb_arena *arena, const dm_monomial *a, const dm_monomial *b,
                                    dm_monomial *out) {
  *out = (dm_monomial){.coefficient = a->coefficient * b->coefficient};
  PB_NEW(arena, out->power, a->count + b->count + 1);
  for (int i = 0, j = 0; i < a->count || j < b->count;) {
    // the factor with the smaller variable, or both if they share it
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

// add a term to a sum with room for it, merged with a like term if present
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

// whether a sum is a constant, and its value
static bool is_number(const terms *a, double *value) {
  *value = a->count ? a->term[0].coefficient : 0;
  return a->count == 0 || (a->count == 1 && a->term[0].count == 0);
}

// -- conversion

// refuse an operand: show it and the expected kind
static dm_status refuse_operand(const scan *s, const pb_operation *o, const char *expected) {
  return pb_expression_refuse(s->e.text, o->place, expected, s->why);
}

// a divisor must be a number
static dm_status divide_terms(scan *s, const pb_operation *by, const terms *a, const terms *b,
                              terms *out) {
  double value;
  terms inverse;
  if (!is_number(b, &value) || value == 0)
    return refuse_operand(s, by, "a number that is not 0 behind '/'");
  DM_TRY(make_term(s, 1 / value, -1, &inverse));
  return multiply_terms(s, a, &inverse, out);
}

// repeated multiplication
static dm_status raise_terms(scan *s, const pb_operation *to, const terms *a, const terms *b,
                             terms *out) {
  double exponent;
  terms power;
  if (!is_number(b, &exponent) || exponent != floor(exponent) || exponent < 0 ||
      exponent > EXPONENT)
    return refuse_operand(s, to, "a whole number from 0 to 99");
  DM_TRY(make_term(s, 1, -1, &power));
  for (int i = 0; i < exponent; i++) DM_TRY(multiply_terms(s, &power, a, &power));
  *out = power;
  return DM_OK;
}

// the terms of operation i from those of its operands
static dm_status expand_operation(scan *s, int i, terms *result) {
  const pb_operation *o = &s->e.operation[i], *second = &s->e.operation[o->b];
  const terms none = {0}, *a = &result[o->a], *b = &result[o->b];

  // polynomials are closed under sums and products; only numbers divide, only integers are
  // exponents
  switch (o->kind) {
  case PB_IS_NUMBER:
    return make_term(s, o->value, -1, &result[i]);
  case PB_IS_VARIABLE:
    return make_term(s, 1, o->marks * s->p->n + o->at, &result[i]);
  case PB_NEGATE:
    return add_terms(s, &none, -1, a, &result[i]);
  case PB_ADD:
    return add_terms(s, a, 1, b, &result[i]);
  case PB_SUBTRACT:
    return add_terms(s, a, -1, b, &result[i]);
  case PB_MULTIPLY:
    return multiply_terms(s, a, b, &result[i]);
  case PB_DIVIDE:
    return divide_terms(s, second, a, b, &result[i]);
  case PB_RAISE:
    return raise_terms(s, second, a, b, &result[i]);
  case PB_CALL:
  case PB_LOOK_UP:
    break;
  }
  return refuse_operand(s, o, "a polynomial");
}

dm_status pb_formula_parse(pb_arena *arena, const char *text, const pb_symbol *list, int n,
                           dm_polynomial *p, dm_message *why) {
  const pb_language language = {.list = list, .n = n, .marks = p->k};
  scan s = {.arena = arena, .p = p, .why = why};
  terms *result;
  DM_TRY(pb_expression_parse(arena, text, &language, &s.e, why));

  // all operations in order; the last one is the result
  PB_NEW(arena, result, s.e.count);
  for (int i = 0; i < s.e.count; i++) DM_TRY(expand_operation(&s, i, result));
  const terms sum = result[s.e.count - 1];

  // coefficients may have overflowed
  for (int i = 0; i < sum.count; i++)
    if (!isfinite(sum.term[i].coefficient))
      return dm_fail(why, DM_BAD_INPUT, "found a coefficient that is not finite in '%.200s'", text);
  p->count = sum.count;
  p->term = sum.term;
  return DM_OK;
}

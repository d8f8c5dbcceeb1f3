// problems/readers/format/formula.h: polynomials in the usual notation, in named quantities and
// their time derivatives:
//
//   x''^2/2 - k x' (y - 1)^2
//
// The grammar is that of problems/readers/format/expression.h without functions; a divisor must be
// a number and an exponent a whole number. Products of sums are expanded and like terms merged.
#ifndef PB_FORMAT_FORMULA_H
#define PB_FORMAT_FORMULA_H
#include "lib/second/polynomial.h"
#include "problems/readers/format/expression.h"

// Parse a whole text as a polynomial p in the p->n coordinates among n symbols, with derivatives up
// to order p->k; its terms are in the arena. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with
// "found X at character N, expected Y" in why.
dm_status pb_formula_parse(pb_arena *arena, const char *text, const pb_symbol *list, int n,
                           dm_polynomial *p, dm_message *why);
#endif

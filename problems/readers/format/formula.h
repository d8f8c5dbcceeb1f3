// problems/readers/format/formula.h: polynomials as people write them, in named quantities and
// their derivatives by time:
//
//   x''^2/2 - k x' (y - 1)^2
//
// Their grammar is that of expressions, without functions; a divisor is a number, an exponent a whole
// one. Products of sums are multiplied out, like terms gathered.
#ifndef PB_FORMAT_FORMULA_H
#define PB_FORMAT_FORMULA_H
#include "lib/second/polynomial.h"
#include "problems/readers/format/expression.h"

// Read a whole text as a polynomial p in the p->n coordinates among n symbols, with derivatives up
// to the p->k-th; its terms are in the arena. Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with "found
// X at character N, expected Y" in why.
dm_status pb_formula_parse(pb_arena *arena, const char *text, const pb_symbol *list, int n,
                           dm_polynomial *p, dm_message *why);
#endif

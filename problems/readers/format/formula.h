// problems/readers/format/formula.h: polynomials as people write them, in named quantities and
// their derivatives by time:
//
//   x''^2/2 - k x' (y - 1)^2
//
//   sum     = [sign] product { sign product }
//   product = factor { ("*" | "/" | nothing) factor }      a divisor is a number
//   factor  = base [ "^" whole number ]
//   base    = number | name { "'" } | "(" sum ")"
//
// A name is the longest one known that stands there as a whole word; what follows it may be marks of
// derivatives. Numbers are decimal, or pi. Products of sums are multiplied out, like terms gathered.
#ifndef PB_FORMAT_FORMULA_H
#define PB_FORMAT_FORMULA_H
#include "lib/second/polynomial.h"
#include "problems/readers/format/arena.h"

// A name: coordinate `at`, or where that is < 0 a constant.
typedef struct pb_symbol {
  const char *name;
  int at;
  double value;
} pb_symbol;

// Read a whole text as a polynomial p in the p->n coordinates among n symbols, with derivatives up
// to the p->k-th; its terms are in the arena. Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with "found
// X at character N, expected Y" in why.
dm_status pb_formula_parse(pb_arena *arena, const char *text, const pb_symbol *list, int n,
                           dm_polynomial *p, dm_message *why);
#endif

// lib/base/tape_functions.h: the functions of one or two arguments of a tape (lib/base/tape.h), with their
// derivatives up to the third. A new one is a row of the table in tape_functions.c.
#ifndef DM_BASE_TAPE_FUNCTIONS_H
#define DM_BASE_TAPE_FUNCTIONS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

// g(a, b) with its derivatives
typedef struct dm_tape_jet {
  double y, a, b, aa, ab, bb;
} dm_tape_jet;

// its third derivatives
typedef struct dm_tape_third {
  double aaa, aab, abb, bbb;
} dm_tape_third;

typedef struct dm_tape_function {
  const char *name;
  int arguments; // 1 or 2
  // derivatives up to `order`; b is not used by a function of one argument
  void (*eval)(double a, double b, int order, dm_tape_jet *out);
  void (*third)(double a, double b, dm_tape_third *out);
  const char *instead; // a smooth function to use; NULL: it is smooth itself
} dm_tape_function;

// The first rows of the table; functions in the usual notation, sin(a), follow them.
typedef enum dm_tape_operator {
  DM_TAPE_NEGATE,
  DM_TAPE_ADD,
  DM_TAPE_SUBTRACT,
  DM_TAPE_MULTIPLY,
  DM_TAPE_DIVIDE,
  DM_TAPE_RAISE,
  DM_TAPE_NAMED
} dm_tape_operator;

// The number of rows of the table, and row i.
int dm_tape_functions(void);
const dm_tape_function *dm_tape_function_at(int i);

DM_END_C
#endif

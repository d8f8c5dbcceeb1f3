// lib/base/tape.h: a scalar function f(x) as a list of elementary operations, with exact first and second
// derivatives. Each operation has at most two operands, which are earlier operations or variables:
//
//   x0 sin(x1)^2        0: x0   1: x1   2: sin 1   3: 2   4: raise 2, 3   5: multiply 0, 4
//
// The gradient is one sweep from the last operation to the first. The Hessian is a sum over the operations by
// the gradients of their operands (tape.c). A new function of one or two arguments is a row of its table.
//
// Source: [griewank-2008] in docs/sources.md.
#ifndef DM_BASE_TAPE_H
#define DM_BASE_TAPE_H
#include "lib/base/linkage.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

// g(a, b) with its derivatives
typedef struct dm_tape_jet {
  double y, a, b, aa, ab, bb;
} dm_tape_jet;

typedef struct dm_tape_function {
  const char *name;
  int arguments; // 1 or 2
  // derivatives up to `order`; b is not used by a function of one argument
  void (*eval)(double a, double b, int order, dm_tape_jet *out);
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

typedef enum dm_tape_kind { DM_TAPE_NUMBER, DM_TAPE_VARIABLE, DM_TAPE_CALL } dm_tape_kind;

typedef struct dm_tape_operation {
  dm_tape_kind kind;
  int a, b;     // operands of a call, earlier operations; b = a if it has one argument
  int at;       // variable: its index; call: the row of its function
  int place;    // where it begins in its text, for messages
  double value; // of a number
} dm_tape_operation;

typedef struct dm_tape {
  int nx, count; // variables; operations, >= 1, of which the last is f
  const dm_tape_operation *operation;
} dm_tape;

// Doubles that the caller provides to the functions below as `room`.
size_t dm_tape_room(const dm_tape *f);

// f at x [nx]; if f_x is not NULL its gradient [nx], and if f_xx is not NULL too its full Hessian
// [nx x nx]. Values that do not exist there are NAN or infinite. No allocation. Cost: O(count) for
// f and f_x, O(nx^2 count) for f_xx.
double dm_tape_eval(const dm_tape *f, const double *x, double *room, double *f_x, double *f_xx);

// Describe the first operation without a finite value at x, although its operands have one, as
// "log(-0.3) at character 5". Returns false if none exists. No allocation.
bool dm_tape_fault(const dm_tape *f, const double *x, double *room, char *text, size_t size);

DM_END_C
#endif

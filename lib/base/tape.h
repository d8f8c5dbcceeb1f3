// lib/base/tape.h: a scalar function f(x) as a list of elementary operations, with exact derivatives up
// to the third. Each operation has at most two operands, which are earlier operations or variables:
//
//   x0 sin(x1)^2        0: x0   1: x1   2: sin 1   3: 2   4: raise 2, 3   5: multiply 0, 4
//
// The gradient is one sweep from the last operation to the first. The Hessian is a sum over the operations by
// the gradients of their operands (tape.c). A new function of one or two arguments is a row of its table.
//
// Source: [griewank-2008] in docs/sources.md.
#ifndef DM_BASE_TAPE_H
#define DM_BASE_TAPE_H
#include "lib/base/tape_functions.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

typedef enum dm_tape_kind { DM_TAPE_NUMBER, DM_TAPE_VARIABLE, DM_TAPE_CALL } dm_tape_kind;

// A function of one argument by points: the natural cubic spline (lib/base/spline.h) through (x_i, y_i), and a
// straight line beyond its ends.
typedef struct dm_tape_table {
  const char *name;
  int n;                      // >= 2
  const double *x, *y, *y_xx; // [n] x ascending
} dm_tape_table;

typedef struct dm_tape_operation {
  dm_tape_kind kind;
  int a, b;     // operands of a call, earlier operations; b = a if it has one argument
  int at;       // variable: its index; call: the row of its function
  int place;    // where it begins in its text, for messages
  double value; // of a number
  const dm_tape_table *table; // a call of this table, in place of the function `at`; or NULL
  // set by dm_tape_of:
  const dm_tape_function *call; // of a call; NULL: of a table
  bool by_a, by_b;              // does this operand depend on a variable?
  bool bends;                   // does it have second derivatives by them?
  bool sloped;                  // does an operation that bends depend on it?
  int low, high;                // variables that occur in it: low <= i < high
  bool one;                     // is it only one?
} dm_tape_operation;

typedef struct dm_tape {
  int nx, count; // variables; operations, >= 1, of which the last is f
  int leaves;    // numbers and variables, before all calls
  bool ordered;  // are variables 0 .. nx - 1 the first leaves, and all others numbers?
  const dm_tape_operation *operation;
} dm_tape;

// The tape of a list of operations [count], calls behind numbers and variables, which it borrows after setting what
// follows from their order.
dm_tape dm_tape_of(int nx, int count, dm_tape_operation *list);

// Doubles that the caller provides to the functions below as `room`.
size_t dm_tape_room(const dm_tape *f);

// f at x [nx]; if f_x is not NULL its gradient [nx], and if f_xx is not NULL too its full Hessian
// [nx x nx]. Values that do not exist there are NAN or infinite. No allocation. Cost: O(count) for
// f and f_x; for f_xx in addition O(w^2) for each operation that bends, w the span high - low.
double dm_tape_eval(const dm_tape *f, const double *x, double *room, double *f_x, double *f_xx);

// The derivative of f_xx along x_a [nx] at x, into f_xxa [nx x nx], with a room of its own size. No allocation.
// Cost: O(nx^2 count).
size_t dm_tape_bend_room(const dm_tape *f);
void dm_tape_bend(const dm_tape *f, const double *x, const double *x_a, double *room,
                  double *f_xxa);

// Describe the first operation without a finite value at x, or without derivatives up to `order` <= 2, although its
// operands have values: "log(-0.3) at character 5", "the derivative of sqrt(0) at character 1". Returns false if none
// exists. No allocation.
bool dm_tape_fault(const dm_tape *f, const double *x, int order, double *room, char *text,
                   size_t size);

DM_END_C
#endif

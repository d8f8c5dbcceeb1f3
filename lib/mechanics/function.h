// lib/mechanics/function.h: interface of a vector function y(x) with first and second derivatives. Its
// arguments x are some of the quantities of a state or of a step, stacked in the order of dm_argument:
//
//   (q, v)          a distance, a velocity, the momentum of a robot
//   (q, v, u)       a user-defined cost or constraint
//   (q, q', u, h)   the mean power over a step from q to q' of duration h, also with (t, T) and impulses
//
// Output maps (lib/mechanics/output_map.h) provide such functions, and so may a user in C. A step evaluates
// every one of them by its own unknowns (lib/mechanics/step_function.h).
#ifndef DM_MECHANICS_FUNCTION_H
#define DM_MECHANICS_FUNCTION_H
#include "lib/base/status.h"

#include <stdbool.h>
#include <stddef.h>

DM_BEGIN_C

typedef enum dm_argument {
  DM_Q,      // position
  DM_V,      // velocity; within a step (q' - q)/h
  DM_NEXT_Q, // q', the position at the end of the step
  DM_U,      // forces
  DM_STEP,   // h, the duration of the step
  DM_TIME,   // t in the middle of the step, and the duration T of the motion
  DM_LAMBDA, // impulses of constraints in a whole step
  DM_ARGUMENTS
} dm_argument;

// A step with constant inputs; a knot has q0 = q, q1 = v.
typedef struct dm_step {
  const double *q0, *q1; // [n]
  const double *u;       // [nu]
  double h;              // s
  double time[2];        // t in the middle of the step and T, s; 0 if no function has times
  const double
      *lambda; // [at most nc] impulses of constraints in a whole step; NULL: no function has them
} dm_step;

// y [ny] of x [nx], nx = dm_function_entries. Matrices are row-major. Functions return DM_OK, DM_NOT_FINITE
// if a row has no value or no derivative there, which is then NAN, or another negative status. None
// allocates.
typedef struct dm_function {
  int ny;
  int size[DM_ARGUMENTS]; // entries of each argument; 0: not an argument
  const void *self;       // passed to the functions below; may be shared by threads
  size_t scratch;         // bytes of scratch, aligned to 64, that the caller provides
  size_t kept;            // bytes at the start of the scratch that contract reads

  // y and, if y_x is not NULL, its derivatives y_x [ny x nx]
  dm_status (*eval)(const void *self, void *scratch, const double *x, double *y, double *y_x);

  // add sum_i lambda_i y_i'' to the full H [nx x nx], lambda [ny]; the kept bytes are those of the last eval
  // with y_x at the same x; NULL: y is linear
  dm_status (*contract)(const void *self, void *scratch, const double *x, const double *lambda,
                        double *H);

  // may entry a affect a row; may its second derivative by a and b be nonzero? NULL: yes
  bool (*moves)(const void *self, int row, int a);
  bool (*couples)(const void *self, int row, int a, int b);

  const char *(*row_name)(const void *self, int row); // for messages; may be NULL
} dm_function;

// The number of entries of x, and the index of the first entry of an argument.
int dm_function_entries(const dm_function *f);
int dm_function_first(const dm_function *f, dm_argument of);

// Are both the same function of the same object? Then one evaluation serves both.
bool dm_function_is(const dm_function *f, const dm_function *g);

// The name of a row, or "?".
const char *dm_function_name(const dm_function *f, int row);

// Does row `row` of y [ny], and of y_x [ny x nx] if not NULL, consist of finite numbers?
bool dm_function_is_finite(int row, const double *y, int nx, const double *y_x);

DM_END_C
#endif

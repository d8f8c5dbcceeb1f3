// lib/mechanics/step_function.h: a function (lib/mechanics/function.h) by the unknowns z [nz] of a place: at a
// knot z = (q, v), the arguments of a function of these; in a step from q0 to q1 with constant forces u and
// duration h, z = (q0, q1, u, h), with times and impulses (q0, q1, u, h, t, T, lambda), and
//
//   q = q0, or q1 on side 1     v = (q1 - q0)/h     q' = q1
//
// With x_z the derivative of its arguments, the chain rule gives y_z = y_x x_z and
//
//   lambda y_zz = x_z' (lambda y_xx) x_z + (lambda y_v) v_zz
#ifndef DM_MECHANICS_STEP_FUNCTION_H
#define DM_MECHANICS_STEP_FUNCTION_H
#include "lib/mechanics/function.h"

DM_BEGIN_C

typedef struct dm_step_function {
  dm_function y;
  int n, nu;    // coordinates and forces of the step
  int side;     // 0: q is q0, 1: q is q1
  bool knot;    // at a knot
  int times;    // entries of z after h: 0, or 2
  int impulses; // entries of z after these
} dm_step_function;

// The number of entries of z.
static inline int dm_step_function_entries(const dm_step_function *f) {
  return f->knot ? 2 * f->n : 2 * f->n + f->nu + 1 + f->times + f->impulses;
}

// Bytes of scratch, aligned to 64, that the caller provides to the functions below; and the bytes at its start
// that the contraction reads.
size_t dm_step_function_scratch(const dm_step_function *f);
size_t dm_step_function_kept(const dm_step_function *f);

// Write y [ny] and, if y_z is not NULL, y_z [ny x nz]. Returns the status of the function. No allocation.
dm_status dm_step_function_eval(const dm_step_function *f, void *scratch, const dm_step *step,
                                double *y, double *y_z);

// Add lambda y_zz, lambda [ny], to the full H [nz x nz]; the kept bytes are those of the last evaluation of y_z
// at the same step. Returns the status of the function. No allocation.
dm_status dm_step_function_contract(const dm_step_function *f, void *scratch, const dm_step *step,
                                    const double *lambda, double *H);

// May entry a of z affect a row; may the row's second derivative by entries a and b be nonzero?
bool dm_step_function_moves(const dm_step_function *f, int row, int a);
bool dm_step_function_couples(const dm_step_function *f, int row, int a, int b);

DM_END_C
#endif

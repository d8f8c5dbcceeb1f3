// lib/mechanics/driven_output.h: the driven rows of inputs and times of an output map
// (lib/mechanics/output_map.h): functions of a step from q0 to q1 with duration h and constant inputs u, in a
// motion of duration T, with t in the middle of the step. Their terms have the mean of the signals and of their rates,
// momenta at the mean position with the mean velocity, and impulses lambda of constraints,
//
//   s = (s(q0) + s(q1))/2     s' = (s(q1) - s(q0))/h
//
// A force u along s does the work u (s(q1) - s(q0)) for any path between q0 and q1, so that the sum of h u s' is
// the work over the motion. With z = (q0, q1, u, h), nz = 2n + nu + 1, and with times and impulses
// z = (q0, q1, u, h, t, T, lambda),
//
//   s_z = (s_q(q0)/2, s_q(q1)/2, 0, 0)     s'_z = (-s_q(q0)/h, s_q(q1)/h, 0, -s'/h)
//
// and the chain rule gives y_z and y_zz, for a formula as in lib/mechanics/output_map.h.
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_DRIVEN_OUTPUT_H
#define DM_MECHANICS_DRIVEN_OUTPUT_H
#include "lib/mechanics/output_map.h"
#include "lib/mechanics/step_function.h"

DM_BEGIN_C

// Bytes of scratch, aligned to 64, that the caller provides to the functions below.
size_t dm_driven_outputs_scratch(const dm_output_map *m, int nu);

// Write y [ny] for driven rows and, if y_z is not NULL, their derivatives y_z [ny x nz]; other rows
// are not written. Returns DM_OK; DM_NOT_FINITE if a row has no value, which is then NAN, or no
// derivative; or the status of the signals. No allocation.
dm_status dm_driven_outputs_eval(const dm_output_map *m, int nu, void *scratch, const dm_step *x,
                                 double *y, double *y_z);

// Add sum lambda_i y_i'' over the driven rows, lambda [ny], to the full H [nz x nz]. Returns the
// status of the signals. No allocation.
dm_status dm_driven_outputs_contract(const dm_output_map *m, int nu, void *scratch,
                                     const dm_step *x, const double *lambda, double *H);

// Write y [ny] for driven rows at an instant of a step, with q0 = q, q1 = v, s(q), s_q v, p(q,v), and its u, h, time and
// lambda. Other rows are not written. Returns as dm_driven_outputs_eval does. No allocation.
dm_status dm_driven_outputs_now(const dm_output_map *m, int nu, void *scratch, const dm_step *at,
                                double *y);

// Returns true if driven row i varies within a step, as a power does; false if it is of inputs and impulses alone.
bool dm_driven_outputs_varies(const dm_output_map *m, int i);

// The rows of a map as a function of z, for nu forces; other rows are not written. `self` is borrowed.
typedef struct dm_driven_outputs {
  const dm_output_map *y;
  int nu;
} dm_driven_outputs;

dm_function dm_driven_outputs_function(const dm_driven_outputs *self);

DM_END_C
#endif

// lib/mechanics/driven_output.h: the driven rows of inputs of an output map
// (lib/mechanics/output_map.h): functions of the inputs over a step from q0 to q1 with duration h and constant inputs u:
//
//   input  w u_a
//   power  w u_a (s_b(q1) - s_b(q0)) / h         work of u_a over the step, divided by h
//
// A force u along s does the work u (s(q1) - s(q0)) for any path between q0 and q1, so that the sum
// of h y is the work over the motion. With z = (q0, q1, u, h), nz = 2n + nu + 1 and D = s(q1) -
// s(q0),
//
//   y_q0 = -w u s_q(q0)/h     y_q1 = w u s_q(q1)/h     y_u = w D/h     y_h = -w u D/h^2
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_DRIVEN_OUTPUT_H
#define DM_MECHANICS_DRIVEN_OUTPUT_H
#include "lib/mechanics/output_map.h"
#include "lib/mechanics/step_function.h"

DM_BEGIN_C

// Bytes of scratch, aligned to 64, that the caller provides to the functions below.
size_t dm_driven_outputs_scratch(const dm_output_map *m);

// Write y [ny] for driven rows and, if y_z is not NULL, their derivatives y_z [ny x nz]; other rows
// are not written. Returns DM_OK; DM_NOT_FINITE if a row has no value, which is then NAN, or no
// derivative; or the status of the signals. No allocation.
dm_status dm_driven_outputs_eval(const dm_output_map *m, int nu, void *scratch, const dm_step *x,
                                 double *y, double *y_z);

// Add sum lambda_i y_i'' over the driven rows, lambda [ny], to the full H [nz x nz]. Returns the
// status of the signals. No allocation.
dm_status dm_driven_outputs_contract(const dm_output_map *m, int nu, void *scratch,
                                     const dm_step *x, const double *lambda, double *H);

// Write y [ny] for driven rows at an instant, at q with v and u: w u_a, w u_a s_b,q v. Other rows
// are not written. Returns as dm_driven_outputs_eval does. No allocation.
dm_status dm_driven_outputs_now(const dm_output_map *m, void *scratch, const double *q,
                                const double *v, const double *u, double *y);

// Returns true if driven row i varies within a step with the velocity: true for a power, false for
// an input.
bool dm_driven_outputs_varies(const dm_output_map *m, int i);

// The rows of a map as a function of z, for nu forces; other rows are not written. `self` is borrowed.
typedef struct dm_driven_outputs {
  const dm_output_map *y;
  int nu;
} dm_driven_outputs;

dm_function dm_driven_outputs_function(const dm_driven_outputs *self);

DM_END_C
#endif

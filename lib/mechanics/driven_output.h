// lib/mechanics/driven_output.h: the driven rows of an output map (lib/mechanics/output_map.h), which
// are functions of inputs. They are of a step from q0 to q1 in h, in which the inputs u stay:
//
//   input  w u_a
//   power  w u_a (s_b(q1) - s_b(q0)) / h         the work of u_a, held over the step, by its length
//
// A force u along s does the work u (s(q1) - s(q0)) whatever the way between is, so the sum of h y is
// the work of the motion. By z = (q0, q1, u, h), nz = 2n + nu + 1 numbers, with D = s(q1) - s(q0),
//
//   y_q0 = -w u s_q(q0)/h     y_q1 = w u s_q(q1)/h     y_u = w D/h     y_h = -w u D/h^2
//
// Source: docs/theory.md section 25.
#ifndef DM_MECHANICS_DRIVEN_OUTPUT_H
#define DM_MECHANICS_DRIVEN_OUTPUT_H
#include "lib/mechanics/output_map.h"

DM_BEGIN_C

// A step whose inputs stay.
typedef struct dm_driven_step {
  const double *q0, *q1; // [n]
  const double *u;       // [nu]
  double h;              // s
} dm_driven_step;

// Bytes that each caller lends to the functions below, aligned to 64.
size_t dm_driven_outputs_scratch(const dm_output_map *m);

// y [ny] of driven rows and, where y_z is not NULL, their derivatives y_z [ny x nz]; of others nothing
// is written. Returns DM_OK; DM_NOT_FINITE where a row has no value, which is NAN, or no derivative; or
// what the signals return. No allocation.
dm_status dm_driven_outputs_eval(const dm_output_map *m, int nu, void *scratch,
                                 const dm_driven_step *x, double *y, double *y_z);

// Add sum lambda_i y_i's second derivatives over driven rows, lambda [ny], to H [nz x nz], all of it.
// Returns as the signals do. No allocation.
dm_status dm_driven_outputs_contract(const dm_output_map *m, int nu, void *scratch,
                                     const dm_driven_step *x, const double *lambda, double *H);

// y [ny] of driven rows at one moment, at q with v under u: w u_a, w u_a s_b,q v. Of others nothing is
// written. Returns as eval does. No allocation.
dm_status dm_driven_outputs_now(const dm_output_map *m, void *scratch, const double *q,
                                const double *v, const double *u, double *y);

// Does driven row i change within a step, with the speed, as a power does and an input does not?
bool dm_driven_outputs_varies(const dm_output_map *m, int i);

// May entry a of z move driven row i? Can its second derivative by entries a and b be other than zero?
bool dm_driven_outputs_moves(const dm_output_map *m, int nu, int i, int a);
bool dm_driven_outputs_couples(const dm_output_map *m, int nu, int i, int a, int b);

DM_END_C
#endif

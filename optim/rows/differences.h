// optim/rows/differences.h: rows and costs that are differences of unknowns of the same kind.
//
// Rows, two for each if the final time is free (D -+ limit h):
//
//   |q_{k+1} - q_k| <= v_max h          k = 0..N-1     coordinates with a speed limit
//   |u_{k+1} - u_k| <= rate_max h       k = 0..N-2     forces with a rate limit; periodic: also u_0 - u_{N-1}
//   0 <= s_{k+1} - s_k <= most          k = 0..N-1     order of the parameters on a curve (curve_rows.h)
//   |D| <= a_max h^2, |D| <= jerk_max h^3          accelerations and jerks, with the D of their costs below
//   q_N - q_0, v_N - v_0, lambda_N + lambda_0          a periodic motion (periodic_rows.h)
//
// Costs, each share w/2 h^power D^2, where s is the factor of the cost (cost.h), h or 1:
//
//   rates of forces, s / h^2     D = u_{k+1} - u_k                             k as above
//   tie-break, h                 D = u_{k+1} - u_k
//   accelerations, s / h^4       D = q_{k-1} - 2 q_k + q_{k+1}                 k = 1..N-1, share 1
//                                D = 2 (q_1 - q_0 - h v_0), also at the goal   share 1/2
//   jerks, s / h^6               D = -q_{k-1} + 3 q_k - 3 q_{k+1} + q_{k+2}    k = 1..N-2, share 1
//                                D = 3/2 (3 q_0 - 4 q_1 + q_2 + 2 h v_0)       share 1
//
// If inputs are constant in each step, u_k = (-1)^k a is a null direction: h/2 (u_{k-1} + u_k) = 0 in every
// inner row of motion, so positions do not change, while velocities at knots alternate by h a / 2M. If neither
// an input nor its rate has a cost, nothing decides between these motions: minimum-time motions oscillate, and
// the solver needs many iterations. A tie-break decides,
//
//   1/2 eps c h (u_{k+1} - u_k)^2 / u_max^2         c the cost of a second, or 1 if nothing has a cost
//
// An oscillation between the limits costs 2 eps of the time, for every N; a smooth input costs O(h^2), a switch
// from limit to limit 2 eps h. The reported objective leaves it out. A task of fixed time whose states have a
// cost has no tie-break, since the scale of that cost is not known.
//
// Source: docs/theory.md section 6. Nothing here allocates.
#ifndef OC_ROWS_DIFFERENCES_H
#define OC_ROWS_DIFFERENCES_H
#include "optim/rows/layout.h"

// The weights of the tie-break on a task's forces, tie [system.nu] (entries without one are not changed).
void oc_tie_break(const oc_task *task, double *tie);

// Bounds of rows with a limit, values and Jacobian of all rows that are differences, as oc_row_kind has them.
void oc_differences_bound(oc_transcription *t, oc_rows_kind kind);
void oc_differences_bound_steps(oc_transcription *t,
                                oc_rows_kind kind); // of free steps and their times
void oc_differences_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                             double *g);
dm_status oc_differences_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                             oc_triplets *s);

// Limits of accelerations and jerks, as oc_row_kind has them, and their number of places.
int oc_bend_rows_places(const oc_transcription *t, oc_rows_kind kind);
void oc_bend_rows_bound(oc_transcription *t, oc_rows_kind kind);
void oc_bend_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g);
dm_status oc_bend_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x, oc_triplets *s);
dm_status oc_bend_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                   double sigma, const double *lambda, oc_triplets *s);

// The costs over the whole motion at x [nlp.n] with steps h [s]; the tie-break alone.
double oc_difference_costs(const oc_transcription *t, const double *x, double h);
double oc_difference_costs_tie(const oc_transcription *t, const double *x, double h);
// grad [nlp.n] += derivatives of the tie-break.
void oc_difference_costs_tie_gradient(const oc_transcription *t, const double *x, double h,
                                      double *grad);

// Add their gradient to grad [nlp.n].
void oc_difference_costs_gradient(const oc_transcription *t, const double *x, double h,
                                  double *grad);

// Put sigma times their Hessian, lower triangle; with s->val NULL x is not read.
void oc_difference_costs_put_hessian(const oc_transcription *t, const double *x, double h,
                                     double sigma, oc_triplets *s);
#endif

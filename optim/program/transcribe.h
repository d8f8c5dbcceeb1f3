// optim/program/transcribe.h: discrete mechanics and optimal control: a task as a sparse
// program.
//
// Unknowns, stage by stage: q_k and u_k for k = 0..N-1, q_N; v_0 and v_N (the end velocities); and
// the step h where the final time is free. Rows:
//
//   L_v(q_0,v_0) + D1(0) = 0
//   D2(k-1) + D1(k) = 0             k = 1..N-1      (D1, D2 of lib/discrete/interval.h)
//   D2(N-1) - L_v(q_N,v_N) = 0
//   h(q_k) = 0                      k = 0..N, with lambda_k unknown and -Dh(q_k)' lambda_k added to
//   Dh(q_k) v_k = 0                 the row above, where the system is constrained; k = 0 and N
//   |q_{k+1} - q_k| <= v_max h      k = 0..N-1, coordinates with a velocity limit
//   |u_{k+1} - u_k| <= rate_max h   k = 0..N-2, forces with a limit on their rate
//
// Where outputs follow a curve, their places s_k on it are unknowns, with rows of their own
// (optim/rows/curve_rows.h). A motion that ends as it began has rows q_N - q_0 and v_N - v_0 as well
// (optim/rows/periodic_rows.h).
//
// Where a coordinate has a velocity limit, the velocities at inner knots are unknowns as well and
// stay within it (optim/rows/knot_speeds.h): a limit on (q_{k+1}-q_k)/h alone is met by
// motions that are faster at every knot. Of limits that are far this is left to who solves the program.
//
// A kinematic coordinate has another row of motion, in the same place; its next values are the last
// of the inputs:
//
//   q_{k+1} - u_k = 0               k = 0..N-1
//   h v_N - (q_N - q_{N-1}) = 0
//
// Momenta are eliminated. The Hessian of the Lagrangian function is, interval by interval, T(a)
// (docs/theory.md section 2). Source: section 6 of docs/theory.md; [ober-bloebaum-2011].
#ifndef OC_PROGRAM_TRANSCRIBE_H
#define OC_PROGRAM_TRANSCRIBE_H
#include "optim/rows/layout.h"
#include "optim/rows/rows.h"

DM_BEGIN_C

// Build the program of a task (its arrays are borrowed). Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with a sentence in msg (a start outside its bounds, an exact Hessian not available).
dm_status oc_transcription_new(oc_transcription **out, const oc_task *task, dm_message *msg);
void oc_transcription_free(oc_transcription *t);

// The program; valid as long as t.
const oc_nlp *oc_transcription_nlp(const oc_transcription *t);

// What the program's objective has at x beside the task's: the tie-break among inputs that nothing
// else decides between (optim/rows/differences.h).
double oc_transcription_tie(const oc_transcription *t, const double *x);

// x [n] from a trajectory of the same N and sizes (q, u, h; v at its ends), moved inside the
// bounds; and the trajectory (momenta and velocities included) from x.
void oc_transcription_pack(const oc_transcription *t, const dm_trajectory *traj, double *x);
dm_status oc_transcription_unpack(const oc_transcription *t, const double *x, dm_trajectory *traj);

DM_END_C
#endif

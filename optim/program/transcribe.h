// optim/program/transcribe.h: discrete mechanics and optimal control: transcription of a task to a sparse
// program.
//
// Unknowns, stage by stage: q_k and u_k for k = 0..N-1, q_N; v_0 and v_N (the end velocities); and the step h
// if the final time is free. Rows:
//
//   L_v(q_0,v_0) + D1(0) = 0
//   D2(k-1) + D1(k) = 0             k = 1..N-1      (D1, D2 of lib/discrete/interval.h)
//   D2(N-1) - L_v(q_N,v_N) = 0
//   h(q_k) = 0                      k = 0..N, with lambda_k unknown and -Dh(q_k)' lambda_k added to
//   Dh(q_k) v_k = 0                 the row above, if the system is constrained; k = 0 and N
//   |q_{k+1} - q_k| <= v_max h      k = 0..N-1, coordinates with a velocity limit
//   |u_{k+1} - u_k| <= rate_max h   k = 0..N-2, forces with a limit on their rate
//
// If outputs follow a curve, the curve parameters s_k are unknowns with their own rows
// (optim/rows/curve_rows.h). A periodic motion also has rows for q_N - q_0 and v_N - v_0
// (optim/rows/periodic_rows.h).
//
// If a coordinate has a velocity limit, the velocities at inner knots are also unknowns with this limit
// (optim/rows/knot_speeds.h), because a limit on (q_{k+1}-q_k)/h alone admits motions that are faster at
// every knot. For far limits, the caller has to check this after solving.
// A kinematic coordinate has a different row of motion, at the same index; its next values are the last of
// the inputs:
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

// Set the program's bounds again, after the numbers of the task's arrays of ends and bounds have changed. The same
// ends must be given and the same bounds finite as before.
void oc_transcription_rebound(oc_transcription *t);

// The part of the program's objective at x in addition to the task's cost: the tie-break among inputs that
// are otherwise undetermined (optim/rows/differences.h).
double oc_transcription_tie(const oc_transcription *t, const double *x);
// Add its derivatives to grad [nlp.n].
void oc_transcription_tie_gradient(const oc_transcription *t, const double *x, double *grad);

// x [n] from a trajectory of the same N and sizes (q, u, h; v at its ends), clipped to the bounds; and the
// trajectory (including momenta and velocities) from x.
void oc_transcription_pack(oc_transcription *t, const dm_trajectory *traj, double *x);
dm_status oc_transcription_unpack(oc_transcription *t, const double *x, dm_trajectory *traj);

DM_END_C
#endif

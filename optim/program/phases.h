// optim/program/phases.h: consecutive tasks as one sparse program: a motion in phases, whose coordinates,
// masses and constraints may differ.
//
//   x     the unknowns of all phases one after another, then the impulses of joins
//   rows  those of the phases, then of joins (optim/program/join_rows.h), then the total time:
//
//   T_min <= sum N_i h_i <= T_max         if it is limited and the time of some phase is free
//
// The objective is the sum over the phases. Knots are numbered consecutively: the end of a phase and the
// start of the next one are two knots, with their join between them. All derivatives come from the phases'
// programs (optim/program/transcribe.h) and from the joins.
//
// Source: docs/theory.md section 29.
#ifndef OC_PROGRAM_PHASES_H
#define OC_PROGRAM_PHASES_H
#include "optim/program/transcribe.h"
#include "optim/task/join.h"

DM_BEGIN_C

// Phases in the order of time. The join before a phase determines the part of the start that the phase leaves
// free.
typedef struct oc_phases_task {
  int n;                      // phases, >= 1
  const oc_task *const *task; // [n]
  const char *const *name;    // [n] for messages
  const oc_join *join;        // join i is between the phases i and i + 1   [n-1, periodic: n]
  bool periodic;              // does the last join lead from the last phase to the first?
  bool limited;               // is the total time limited?
  double T_min, T_max;        // s, if limited
} oc_phases_task;

typedef struct oc_phases oc_phases;

// The default pairs of a join: coordinates that both phases have, by name.
//   pairs  out: [n of `after`]
// Returns their number.
int oc_phases_pair(const oc_task *before, const oc_task *after, oc_pair *pairs);

// Build the program (arrays and tasks are borrowed). Conditions that both phases of a join imply, such as
// continuing constraints and values given at both ends, are included once. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with a sentence in msg that begins with the phase.
dm_status oc_phases_new(oc_phases **out, const oc_phases_task *task, dm_message *msg);
void oc_phases_free(oc_phases *p); // accepts NULL

// The program, valid as long as p; the program of phase i, and the index of its first unknown in x.
const oc_nlp *oc_phases_nlp(const oc_phases *p);
oc_transcription *oc_phases_program(const oc_phases *p, int i);
int oc_phases_place(const oc_phases *p, int i);

// Take over the bounds of the phases' contacts and of their rows, after a search has changed them
// (optim/rows/contact_rows.h).
void oc_phases_rebound(oc_phases *p);

// A row as in oc_transcription_row, and its phase in *phase; `what` 0: a row of a join, or the total time.
oc_row oc_phases_row(const oc_phases *p, int row, int *phase);

// The part of a point of p that belongs to phase i.
oc_point oc_phases_point(const oc_phases *p, int i, const oc_point *of);

// The part of the objective at x in addition to the phases' costs: see oc_transcription_tie.
double oc_phases_tie(const oc_phases *p, const double *x);

// x from the trajectories of all phases, with zero impulses of joins; and the trajectories from x, like
// oc_transcription_pack and oc_transcription_unpack.
void oc_phases_pack(const oc_phases *p, const dm_trajectory *const *motion, double *x);
dm_status oc_phases_unpack(const oc_phases *p, const double *x, dm_trajectory *const *motion);

// Fill `to` from a point of the program a of the same phases on other grids, like oc_transcription_prolong;
// multipliers of joins are the same on any grid.
void oc_phases_prolong(const oc_phases *a, const oc_point *from, const oc_phases *b, oc_point *to);

DM_END_C
#endif

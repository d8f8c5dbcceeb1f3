// optim/program/phases.h: tasks one after another as one sparse program: a motion in phases,
// whose coordinates, masses and constraints may differ from one to the next.
//
//   x     the unknowns of all phases one behind the other, then the impulses of joins
//   rows  those of the phases, then of joins (optim/program/join_rows.h), then the total time:
//
//   T_min <= sum N_i h_i <= T_max         where it is limited, and some phase's time is free
//
// The objective is the sum of the phases'. Knots are numbered on from phase to phase: the end of one
// and the start of the next are two knots, between which their join stands. What the phases are is
// theirs: derivatives here are those of their programs (optim/program/transcribe.h), and of
// the joins.
//
// Source: docs/theory.md section 29.
#ifndef OC_PROGRAM_PHASES_H
#define OC_PROGRAM_PHASES_H
#include "optim/program/transcribe.h"
#include "optim/task/join.h"

DM_BEGIN_C

// Phases in the order of time. Of each after the first, what its own start leaves free comes from the
// join.
typedef struct oc_phases_task {
  int n;                      // phases, >= 1
  const oc_task *const *task; // [n]
  const char *const *name;    // [n] for messages
  const oc_join *join;        // [n-1] join i is between the phases i and i + 1
  bool limited;               // is the total time?
  double T_min, T_max;        // s, where it is
} oc_phases_task;

typedef struct oc_phases oc_phases;

// The pairs of a join by default: coordinates that both phases have, by their names.
//   pairs  out: [n of `after`]
// Returns how many.
int oc_phases_pair(const oc_task *before, const oc_task *after, oc_pair *pairs);

// Build the program (arrays and tasks are borrowed). A constraint that goes on from phase to phase is
// not asked for twice, nor is what both ends give. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with
// a sentence in msg that begins with the phase.
dm_status oc_phases_new(oc_phases **out, const oc_phases_task *task, dm_message *msg);
void oc_phases_free(oc_phases *p); // accepts NULL

// The program, valid as long as p; phase i of it, and where the unknowns of that begin in x.
const oc_nlp *oc_phases_nlp(const oc_phases *p);
const oc_transcription *oc_phases_program(const oc_phases *p, int i);
int oc_phases_place(const oc_phases *p, int i);

// A row as oc_transcription_row has it, of phase *phase; what 0: one of a join, or the total time.
oc_row oc_phases_row(const oc_phases *p, int row, int *phase);

// The part of a point of p that is phase i's.
oc_point oc_phases_point(const oc_phases *p, int i, const oc_point *of);

// What the objective has at x beside the phases' own: see oc_transcription_tie.
double oc_phases_tie(const oc_phases *p, const double *x);

// x from trajectories of all phases, impulses of joins zero; and these from x, as
// oc_transcription_pack and oc_transcription_unpack have them.
void oc_phases_pack(const oc_phases *p, const dm_trajectory *const *motion, double *x);
dm_status oc_phases_unpack(const oc_phases *p, const double *x, dm_trajectory *const *motion);

// Fill `to` from a point of the program a of the same phases on other grids, as
// oc_transcription_prolong does; multipliers of joins are the same on any grid.
void oc_phases_prolong(const oc_phases *a, const oc_point *from, const oc_phases *b, oc_point *to);

DM_END_C
#endif

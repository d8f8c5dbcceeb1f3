// optim/interior/stage_factor.h: L D L' of a symmetric matrix with a long time horizon, stage by
// stage.
//
// The unknowns are ordered by steps along the program (stage_order.h, or optim/nlp/ldl.h);
// consecutive steps are merged into a stage if this is cheaper. Each stage has a small dense
// matrix, its front, with the unknowns that it eliminates (own) and the coupled ones that come
// later.
//
//   [ A  B ]   own             [ A  B ]     [ L ]   [ L'  M' ]     [ 0      0    ]
//   [ B' C ]   later           [ B' C ]  =  [ M ] D            +   [ 0  C - M D M' ]
//
// C - M D M' is added to the next front. All positions are computed in advance. Pivots of order 1
// and 2 are chosen within A, each large enough in its whole column; those of the previous
// factorization are reused while they are large enough (stage_front.h). An unknown without a pivot
// is delayed to the next front. The signs of D therefore give the exact inertia, and a sweep over
// the stages is a Riccati recursion whenever that exists.
//
// Source: [duff-reid-1983] in docs/sources.md.
#ifndef OC_INTERIOR_STAGE_FACTOR_H
#define OC_INTERIOR_STAGE_FACTOR_H
#include "optim/nlp/deadline.h"

#include <stdint.h>

typedef struct oc_stage {
  int own, later; // eliminated unknowns; later unknowns in its front
  int unknown;    // index of both in the lists: own, then later
  int first;      // index of its first own unknown among all
  int entry;      // index of its first entry
  int row;        // distance between rows of its front
  int kind;       // stages of the same kind have the same pattern of entries and of additions from
                  // before
  long meets;     // start of its list of pivots
  // last factorization
  int waited;  // unknowns delayed from earlier stages
  int pivots;  // number of eliminated unknowns
  int id;      // start of the unknowns of its front
  long factor; // start of its rows of L
} oc_stage;

typedef struct oc_stage_factor {
  int dim, nz, stages;
  int room;        // largest number of delayed unknowns, a multiple of the lanes
  int width;       // longest row of a front
  oc_stage *stage; // [stages + 1]
  int *unknown;    // lists of own and later unknowns                       [lists]
  int *to;         // position of a later unknown in the next list               [lists]
  int *entry;      // entries of the matrix by stage                        [nz]
  int *place;      // position of each in its front                              [nz]
  int lists;
  // last factorization
  int *id;               // unknowns of the fronts in the order of elimination          [ids_room]
  int *order;            // 1 or 2 for each pivot, 0 for the second unknown of a pair   [dim]
  int *last;             // order of each pivot in the previous factorization, -1: unknown [dim]
  bool repeated;         // pivots were reused in at least one stage
  bool searches;         // search for all pivots once
  int kinds;             // number of kinds of stages
  unsigned short *meets; // per stage: pivots that affect rows, for `last`              [meets_room]
  unsigned short *all;   // scratch, then 0, 1, ..                               [room + width + 1]
  unsigned short *some;  // scratch                                              [room + width]
  uint64_t *bits;        // scratch of their patterns
  int *slot, *moved;     // scratch: positions of unknowns [dim], of a stage's own [room + width]
  double *D;             // inverse of each pivot: 1/d, or 11 and 21, then 22       [2 dim]
  double *L;             // rows [factor_room]
  double *F[2];    // current and next front                                      [(room + width)^2]
  double *w, *sum; // scratch of a solve                                      [room + width]
  long ids_room, factor_room, meets_room;
} oc_stage_factor;

// Analyze a pattern.
//   row, col  [nz] of one triangle, from 1; duplicates are summed
//   step      [dim] of each unknown, from 1 to `steps`
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE if the fronts are too large.
dm_status oc_stage_factor_new(oc_stage_factor **out, int dim, int nz, const int *row,
                              const int *col, const int *step, int steps);
void oc_stage_factor_free(oc_stage_factor *f); // accepts NULL

// Factor the matrix with values a [nz]; *negative gets the number of negative eigenvalues. Returns
// DM_OK; DM_SINGULAR if the remaining matrix is zero; DM_STALLED if too many unknowns are delayed;
// DM_CUT_SHORT after the deadline (NULL: none). Does not allocate. Cost: own (own + later)^2
// multiplications per stage.
dm_status oc_stage_factor_run(oc_stage_factor *f, oc_deadline *deadline, const double *a,
                              int *negative);

// Returns true if unknowns were delayed in nine of ten stages of the last successful factorization.
bool oc_stage_factor_has_waited(const oc_stage_factor *f);

// Change step [dim], the argument of oc_stage_factor_new, for delayed unknowns to the step of their
// elimination, so that a factorization with these steps can reuse pivots.
void oc_stage_factor_delay(const oc_stage_factor *f, int *step);

// Make the next factorization search for all pivots. Returns true if the last one reused some.
bool oc_stage_factor_forget(oc_stage_factor *f);

// Solve in place: x [dim].
void oc_stage_factor_solve(const oc_stage_factor *f, double *x);
#endif

// optim/interior/stage_factor.h: L D L' of a symmetric matrix that is long in time, stage by stage.
//
// The unknowns come in steps along the program (stage_order.h, or optim/nlp/ldl.h); steps that are
// cheaper together make a stage. Each stage has one small dense matrix, its front: what it
// completes, its own, and what is coupled to that and comes later.
//
//   [ A  B ]   own             [ A  B ]     [ L ]   [ L'  M' ]     [ 0      0    ]
//   [ B' C ]   later           [ B' C ]  =  [ M ] D            +   [ 0  C - M D M' ]
//
// C - M D M' is added to the next front. Where everything of it lies, and where each entry of the
// matrix is added, is worked out beforehand. Pivots of order 1 and 2 are chosen within A, each large
// enough in its whole column, those of the last time where they still are (stage_front.h); what has
// none waits for the next front as one of its own. So the signs of D give the inertia exactly, and a sweep over the stages is a Riccati
// recursion wherever that one exists.
//
// Source: [duff-reid-1983] in docs/sources.md.
#ifndef OC_INTERIOR_STAGE_FACTOR_H
#define OC_INTERIOR_STAGE_FACTOR_H
#include "optim/nlp/deadline.h"

#include <stdint.h>

typedef struct oc_stage {
  int own, later; // unknowns it completes; those in its front that come later
  int unknown;    // where both stand in the lists: own, then later
  int first;      // where its own begin among all
  int entry;      // where its entries begin
  int row;        // distance of two rows of its front
  int kind;   // stages of a kind have the same at the same places: entries, what is left to them
  long meets; // where its list of pivots begins
  // of the last factorization
  int waited;  // unknowns of earlier stages among its own
  int pivots;  // unknowns that were eliminated
  int id;      // where the unknowns of its front begin
  long factor; // where its rows of L begin
} oc_stage;

typedef struct oc_stage_factor {
  int dim, nz, stages;
  int room;        // unknowns that may wait at a time, a multiple of the lanes
  int width;       // the longest row of a front
  oc_stage *stage; // [stages + 1]
  int *unknown;    // lists of own and later unknowns                       [lists]
  int *to;         // of what comes later, its place in the next list       [lists]
  int *entry;      // entries of the matrix by stage                        [nz]
  int *place;      // where each is added to its front                      [nz]
  int lists;
  // of the last factorization
  int *id;               // unknowns of the fronts as they were eliminated          [ids_room]
  int *order;            // 1 or 2 of each pivot, 0 of a pair's second unknown      [dim]
  int *last;             // the order of each pivot the last time, -1: not known   [dim]
  bool repeated;         // were pivots not searched for at some stage?
  bool searches;         // all are to be searched for, once
  int kinds;             // of stages, so far
  unsigned short *meets; // of stages, which pivots meet which rows, by `last`   [meets_room]
  unsigned short *all;   // scratch, then 0, 1, ..                               [room + width + 1]
  unsigned short *some;  // scratch                                              [room + width]
  uint64_t *bits;        // scratch of their patterns
  int *slot, *moved;     // scratch: places of unknowns [dim], of a stage's own [room + width]
  double *D;             // inverse of each pivot: 1/d, or 11 and 21, then 22       [2 dim]
  double *L;             // rows [factor_room]
  double *F[2];    // this front and the next one                             [(room + width)^2]
  double *w, *sum; // scratch of a solve                                      [room + width]
  long ids_room, factor_room, meets_room;
} oc_stage_factor;

// Work out the stages of a pattern.
//   row, col  [nz] of one triangle, from 1; entries of the same place are summed
//   step      [dim] of each unknown, from 1 to `steps`
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE where the fronts are too large.
dm_status oc_stage_factor_new(oc_stage_factor **out, int dim, int nz, const int *row,
                              const int *col, const int *step, int steps);
void oc_stage_factor_free(oc_stage_factor *f); // accepts NULL

// Factor the matrix with values a [nz]; *negative gets the number of negative eigenvalues. Returns
// DM_OK; DM_SINGULAR where all that is left is zero; DM_STALLED where more unknowns have to wait
// than there is room for; DM_CUT_SHORT where the deadline (NULL: none) is over. Does not allocate.
// Cost: own (own + later)^2 multiplications a stage.
dm_status oc_stage_factor_run(oc_stage_factor *f, oc_deadline *deadline, const double *a,
                              int *negative);

// Did unknowns wait at nine stages of ten in the last factorization, which ended with DM_OK?
bool oc_stage_factor_has_waited(const oc_stage_factor *f);

// Let the steps of what waited then, of step [dim] as oc_stage_factor_new was given them, be those where
// it was eliminated: a factorization by these has pivots to repeat.
void oc_stage_factor_delay(const oc_stage_factor *f, int *step);

// Let the next factorization search for all its pivots. Returns whether the last one had others.
bool oc_stage_factor_forget(oc_stage_factor *f);

// Solve in place: x [dim].
void oc_stage_factor_solve(const oc_stage_factor *f, double *x);
#endif

// lib/second/flow.h: the flow of a discrete Lagrangian of second order (or of order k) from two
// knots, and its conserved quantities: by Noether's theorem, the momentum of each cyclic
// coordinate.
//
//   1  P0 = D1 Ld(X0,X1), the momenta at the end of the first step
//   2  solve P + D0 Ld(X,X_next) = 0 for X_next, with the extrapolated previous step as the guess
//
// Source: docs/theory.md section 13.
#ifndef DM_SECOND_FLOW_H
#define DM_SECOND_FLOW_H
#include "lib/second/second_order.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_flow dm_flow;

typedef struct dm_flow_settings {
  int steps; // >= 1
  double h;  // > 0, s
  // Called before a step; false ends the run with DM_INTERRUPTED. NULL: always true.
  bool (*proceed)(void *user);
  // Called for step w->k from knot w->X0 to w->X1, and once more with `end` after the last step; a
  // negative status ends the run with this status. NULL: no callback.
  dm_status (*knot)(void *user, const dm_flow *w, bool end);
  void *user; // argument of both
} dm_flow_settings;

struct dm_flow {
  dm_second_order *L;
  dm_flow_settings set;
  int k;                  // current step, from knot k to k+1
  double *X0, *X1, *next; // [size] each, consecutive
  double *P;              // [size] momenta at X1
  bool *cyclic;           // [n] L does not depend on this coordinate
  double *start, *largest,
      *drift;                // [n] first momenta of coordinates: after step 0, largest, change
  dm_second_order_info info; // of the last step
};

// Create a workspace for L, which is borrowed, and settings, which are copied. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_flow_new(dm_flow **out, dm_second_order *L, const dm_flow_settings *set);
void dm_flow_free(dm_flow *w); // accepts NULL

// The first two knots, (q,v) [2n] for order k = 2 or (q,v,a) [3n] for k = 3; the second one by the
// Taylor expansion of q, v, a, jerk [n] at the start.
void dm_flow_taylor(int n, int k, double h, const double *q, const double *v, const double *a,
                    const double *jerk, double *X0, double *X1);

// Take all steps from w->X0, w->X1, which the caller has set. Returns DM_OK; DM_INTERRUPTED; or the
// status of dm_second_order_check (with msg), dm_second_order_step or the callback. No allocation.
dm_status dm_flow_run(dm_flow *w, dm_message *msg);

// The change of coordinate i's momentum over the run, relative to its largest value.
double dm_flow_drift(const dm_flow *w, int i);

DM_END_C
#endif

// lib/second/flow.h: the flow of a discrete Lagrangian of second order (or of order k), from two
// knots on, and what it conserves: by Noether's theorem the momentum of a coordinate that the
// Lagrangian does not depend on.
//
//   1  P0 = D1 Ld(X0,X1), the momenta at the end of the first step
//   2  P + D0 Ld(X,X_next) = 0 for X_next, on from where the last step went
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
  // Goes on before a step; false ends the run with DM_INTERRUPTED. NULL: always true.
  bool (*proceed)(void *user);
  // Sees the step w->k from the knot w->X0 to w->X1, and after the last step taken once more with
  // `end`; a negative status ends the run with it. NULL: nobody looks.
  dm_status (*knot)(void *user, const dm_flow *w, bool end);
  void *user; // of both
} dm_flow_settings;

struct dm_flow {
  dm_second_order *L;
  dm_flow_settings set;
  int k;                  // the present step, from knot k to k+1
  double *X0, *X1, *next; // [size] each, one after the other
  double *P;              // [size] momenta at X1
  bool *cyclic;           // [n] does L not depend on this coordinate?
  double *start, *largest,
      *drift;                // [n] first momenta of coordinates: after step 0, largest, change
  dm_second_order_info info; // of the last step
};

// A workspace for L, which is borrowed, and settings, which are copied. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_flow_new(dm_flow **out, dm_second_order *L, const dm_flow_settings *set);
void dm_flow_free(dm_flow *w); // accepts NULL

// The two knots (q,v) [2n] of order k = 2, or (q,v,a) [3n] of 3, the second by Taylor's expansion of
// q, v, a, jerk [n] at the start.
void dm_flow_taylor(int n, int k, double h, const double *q, const double *v, const double *a,
                    const double *jerk, double *X0, double *X1);

// Take all steps from w->X0, w->X1, which the caller has filled. Returns DM_OK; DM_INTERRUPTED; what
// dm_second_order_check (with msg), dm_second_order_step or the caller's function returned. No
// allocation.
dm_status dm_flow_run(dm_flow *w, dm_message *msg);

// The change of coordinate i's momentum along the run over its largest value.
double dm_flow_drift(const dm_flow *w, int i);

DM_END_C
#endif

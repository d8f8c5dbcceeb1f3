// lib/studies/discrete_flow.h: interface of a discrete flow (x0,p0) -> (x1,p1) with its generating function, so that
// one set of laws (lib/studies/laws.h) judges every kind of step:
//
//   p0 = -d1 S(x0,x1),   p1 = d2 S(x0,x1)         S: the discrete action of the step, d1 S and d2 S with its forces
//
//   lib/studies/map_flow.h      the map of a system: x = q
//   lib/studies/second_flow.h   a discrete Lagrangian of order k: x = (q, .., q^(k-1))
#ifndef DM_STUDIES_DISCRETE_FLOW_H
#define DM_STUDIES_DISCRETE_FLOW_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct dm_discrete_flow dm_discrete_flow;

struct dm_discrete_flow {
  int m, n;        // entries of x and of p; coordinates
  int nc;          // constraints
  double gap;      // largest residual of constraints after the last step, relative to its terms
  double rounding; // of a step, relative to the motion
  int levels;      // step lengths h, h/2, .. that rounding allows to compare, at most 5
  const double *parity; // [2m] factor +1, -1 of each entry of (x,p) under reversal of time
  // One step of h, backward if h < 0; x1 [m]: on entry a guess. S: out, the action [J s]. Returns the status of the step.
  dm_status (*step)(dm_discrete_flow *w, const double *x0, const double *p0, double h, double *x1,
                    double *p1, double *S);
  // After step: A [2m x 2m], the derivatives of (x1,p1), and K [2m x 2m]: the derivatives of (d1 S, d2 S) by (x0,p0),
  // antisymmetric part, K = sum over parts of Z'(D - D')Z. Without forces K = 0.
  dm_status (*tangent)(dm_discrete_flow *w, double *A, double *K);
  // Remove from p constraint impulses, and from a tangent (dx,dp) the part that violates constraints at x.
  dm_status (*settle)(dm_discrete_flow *w, const double *x, double *p);
  dm_status (*restrict_tangent)(dm_discrete_flow *w, const double *x, double *z);
  // The velocity of p, on the constraints [n]; NULL: not known.
  dm_status (*velocity)(dm_discrete_flow *w, const double *x, const double *p, double *v);
  // The energy [J] at (x,p); NULL: not known.
  dm_status (*energy)(dm_discrete_flow *w, const double *x, const double *p, double *E);
  // Integrate (x,p) [m] by the continuous equations over `time`; NULL: not available.
  dm_status (*integrate)(dm_discrete_flow *w, double time, double *x, double *p);
  void (*free)(dm_discrete_flow *w);
};

static inline void dm_discrete_flow_free(dm_discrete_flow *w) { // accepts NULL
  if (w) w->free(w);
}

DM_END_C
#endif

// optim/rows/quadratic.h: the quadratic cost of a task, row by row:
//
//   1/2 sum_i w_i (x_i - ref_i)^2       x: q, v, p at a knot, or u of a step
//
// Value, slope and curvature are defined only here. The users are the transcription (optim/rows/cost.h), the
// descent (optim/descent/merit.h, optim/descent/terminal.h) and second order (optim/second/torque_nodes.h).
// They differ in the chain rule from x to their unknowns.
#ifndef OC_ROWS_QUADRATIC_H
#define OC_ROWS_QUADRATIC_H
#include "optim/task/task.h"

typedef struct oc_quadratic {
  int n;
  const double *w;   // [n] NULL: no cost
  const double *ref; // [n] NULL: zero
} oc_quadratic;

// The row of a quantity at knot or step k of the running cost, not yet multiplied by its factor
// (oc_cost_factor) and a knot's share (oc_cost_share); and the row at the last knot.
static inline oc_quadratic oc_quadratic_at(const oc_task *t, oc_quantity of, const double *w,
                                           int k) {
  const int n = oc_task_size(t, of);
  const double *ref = t->cost[of].reference;
  return (oc_quadratic){n, w, ref ? ref + (size_t)k * (size_t)n : NULL};
}

static inline oc_quadratic oc_quadratic_running(const oc_task *t, oc_quantity of, int k) {
  return oc_quadratic_at(t, of, t->cost[of].running, k);
}

static inline oc_quadratic oc_quadratic_goal(const oc_task *t, oc_quantity of) {
  return oc_quadratic_at(t, of, t->cost[of].goal, t->N);
}

// x_i - ref_i
static inline double oc_quadratic_error(const oc_quadratic *c, int i, double x) {
  return c->ref ? x - c->ref[i] : x;
}

static inline double oc_quadratic_weight(const oc_quadratic *c, int i) {
  return c->w ? c->w[i] : 0;
}

// w_i (x_i - ref_i), the slope by x_i
static inline double oc_quadratic_slope(const oc_quadratic *c, int i, double x) {
  return c->w ? c->w[i] * oc_quadratic_error(c, i, x) : 0;
}

// w e^2 / 2 of one entry with error e
static inline double oc_quadratic_half(double w, double e) {
  return 0.5 * w * e * e;
}

// s times the value of the row x [n]; its gradient is added to g [n] if g is not NULL.
static inline double oc_quadratic_value(const oc_quadratic *c, double s, const double *x,
                                        double *g) {
  double sum = 0;
  for (int i = 0; c->w && i < c->n; i++) {
    double e = oc_quadratic_error(c, i, x[i]);
    sum += oc_quadratic_half(c->w[i], e);
    if (g) g[i] += s * c->w[i] * e;
  }
  return s * sum;
}

// s times its Hessian, which is diagonal, added to H [n x n], rows ld apart.
static inline void oc_quadratic_curve(const oc_quadratic *c, double s, double *H, int ld) {
  for (int i = 0; c->w && i < c->n; i++) H[i * ld + i] += s * c->w[i];
}
#endif

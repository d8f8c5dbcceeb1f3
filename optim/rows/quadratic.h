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

typedef enum oc_quantity {
  OC_POSITION, // q
  OC_VELOCITY, // v: of the step in the running cost, of the knot at the end
  OC_MOMENTUM, // p
  OC_INPUT,    // u; no terminal cost
  OC_QUANTITIES
} oc_quantity;

typedef struct oc_quadratic {
  int n;
  const double *w;   // [n] NULL: no cost
  const double *ref; // [n] NULL: zero
} oc_quadratic;

// The row of a quantity at knot or step k of the running cost, not yet multiplied by its factor
// (oc_cost_factor) and a knot's share (oc_cost_share); and the row at the last knot.
static inline oc_quadratic oc_quadratic_running(const oc_task *t, oc_quantity of, int k) {
  const double *const w[] = {t->w_q, t->w_v, t->w_p, t->w_u};
  const double *const ref[] = {t->ref_q, t->ref_v, t->ref_p, t->ref_u};
  int n = of == OC_INPUT ? dm_system_inputs(&t->system) : t->system.L.nq;
  const double *row = ref[of] ? ref[of] + (size_t)k * (size_t)n : NULL;
  return (oc_quadratic){n, w[of], row};
}

static inline oc_quadratic oc_quadratic_terminal(const oc_task *t, oc_quantity of) {
  const double *const w[] = {t->wf_q, t->wf_v, t->wf_p, NULL};
  const double *const ref[] = {t->ref_q, t->ref_v, t->ref_p, NULL};
  int n = of == OC_INPUT ? dm_system_inputs(&t->system) : t->system.L.nq;
  const double *row = ref[of] ? ref[of] + (size_t)t->N * (size_t)n : NULL;
  return (oc_quadratic){n, w[of], row};
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

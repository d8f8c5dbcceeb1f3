// benchmarks/flamingo_parts.h: data of the published task (benchmarks/flamingo.h), and the functions of its program
// (oc_nlp).
#ifndef BENCHMARKS_FLAMINGO_PARTS_H
#define BENCHMARKS_FLAMINGO_PARTS_H
#include "benchmarks/flamingo.h"
#include "lib/discrete/interval.h"
#include "problems/readers/task/problem.h"

enum {
  N = FLAMINGO_N,
  Q = FLAMINGO_Q,
  U = FLAMINGO_U,
  C = FLAMINGO_C,
  R = 3 * C,           // rows of contacts: gaps, places along x and y
  P = FLAMINGO_PAIRS,  // the pairs: of c, of t+ and t-, of slide
  PT = C,              // first pair of t
  PS = 3 * C,          // first pair of slide
  CS = FLAMINGO_FORCE, // unknowns of a step
  TS = CS + PT,
  SLIDES = CS + PS,
  NEXT = FLAMINGO_NEXT,
  MEMBERS = FLAMINGO_MEMBERS, // its rows
  PRODUCTS = FLAMINGO_PRODUCTS,
  VARIABLES = 1 + N * FLAMINGO_UNKNOWNS,
  ROWS = N * FLAMINGO_ROWS
};

static const double FRICTION = 1; // of all contacts

struct flamingo {
  pb_problem *problem;
  const dm_holonomic *rows;
  int gap[C], place[C]; // rows of the contacts
  dm_interval *step[N];
  void *scratch;
  oc_nlp nlp;
  double p0[Q], start[Q], end[Q];
  double cost_q[Q], cost_v[Q], cost_u[U];
  double force, h0; // N, s
  bool curved;      // is the curvature of products in the Hessian?
  double x_min[VARIABLES], x_max[VARIABLES], g_min[ROWS], g_max[ROWS];
  // of the last evaluation
  double r[R], Dr[N][R * Q];  // rows at the end of a step, and their derivatives
  double turn[N][R * Q];      // D2r (b - a)
  double G[N][Q], D2g[Q * Q]; // impulse of a step per time, and its derivative
  double low[R], Dlow[R * Q]; // rows in the middle of a step
  double H[3][Q * Q],
      Hh[3][Q]; // second derivatives by (a,a), (a,b), (b,b); by (a,h), (b,h), .. of a step
};

// q_k in a point of the program
static inline const double *q_of(const flamingo *w, const double *x, int k) {
  return k == 0 ? w->start : x + flamingo_at(k - 1, NEXT);
}

// Evaluate the rows at the end of step k, their derivatives and G. Returns DM_OK or the status of the contacts.
dm_status flamingo_eval_contacts(flamingo *w, const double *x, int k);

dm_status flamingo_eval_objective(void *self, const double *x, double *f);
dm_status flamingo_eval_gradient(void *self, const double *x, double *grad);
dm_status flamingo_eval_rows(void *self, const double *x, double *g);
dm_status flamingo_put_jacobian(void *self, const double *x, oc_triplets *s);
dm_status flamingo_put_hessian(void *self, const double *x, double sigma, const double *lambda,
                               oc_triplets *s);
#endif

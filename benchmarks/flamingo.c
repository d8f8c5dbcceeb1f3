#include "benchmarks/flamingo.h"

#include "lib/base/random.h"
#include "lib/discrete/interval.h"
#include "lib/mechanics/continuous.h"
#include "optim/interior/interior.h"
#include "problems/readers/task/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// the published task, beside the problem file
static const double FRICTION = 1;
static const double HEIGHT = 0.1, COST_HEIGHT = 20; // of gaps below a height

// The program's objective is a tenth of the published one, so that the barrier of the solver begins smaller.
static const double PART = 0.1;

// the search
static const double NARROWER = 0.1, LAST_ROOM = 1e-4, LOOSE = 1e-4, TIGHT = 1e-10;
static const double GUESS_T = 0.1;
static const int MOST_ITERATIONS = 300; // of one room
static const double NEARLY_FEASIBLE = 1e-2,
                    LONG_STEP = 0.1; // from there on with the products' curvature

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

int flamingo_at(int k, int i) {
  return 1 + k * FLAMINGO_UNKNOWNS + i;
}

static const double *q_of(const flamingo *w, const double *x, int k) {
  return k == 0 ? w->start : x + flamingo_at(k - 1, NEXT);
}

// forces along all rows in step k, N
static void find_forces(const flamingo *w, const double *x, int k, double *F) {
  const double *z = x + flamingo_at(k, 0);
  for (int i = 0; i < C; i++) {
    F[w->gap[i]] = w->force * z[CS + i];
    F[w->place[i]] = w->force * (z[TS + 2 * i] - z[TS + 2 * i + 1]);
  }
}

// -- the objective

static dm_status eval_gaps_in_middle(flamingo *w, const double *a, const double *b) {
  double m[Q];
  for (int i = 0; i < Q; i++) m[i] = (a[i] + b[i]) / 2;
  return w->rows->eval(w->rows->self, w->scratch, m, w->low, w->Dlow);
}

static double square(double v) {
  return v * v;
}

static dm_status eval_objective(void *self, const double *x, double *f) {
  flamingo *w = self;
  const double h = x[0];
  *f = 0;
  for (int k = 0; k < N; k++) {
    const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1), *z = x + flamingo_at(k, 0);
    for (int i = 0; i < Q; i++)
      *f += h / 2 *
            (w->cost_q[i] * square((a[i] + b[i]) / 2 - w->end[i]) +
             w->cost_v[i] * square((b[i] - a[i]) / h));
    for (int i = 0; i < U; i++) *f += h / 2 * w->cost_u[i] * square(z[i]);
    DM_TRY(eval_gaps_in_middle(w, a, b));
    for (int i = 0; i < C; i++) *f += COST_HEIGHT / 2 * square(fmin(0, w->low[w->gap[i]] - HEIGHT));
    for (int i = 0; i < C && k + 1 < N; i++)
      *f += square(w->force * (z[CS + i] - z[FLAMINGO_UNKNOWNS + CS + i])) / 2;
  }
  *f *= PART;
  return DM_OK;
}

static dm_status eval_gradient(void *self, const double *x, double *grad) {
  flamingo *w = self;
  const double h = x[0];
  memset(grad, 0, sizeof(double[VARIABLES]));
  for (int k = 0; k < N; k++) {
    const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1), *z = x + flamingo_at(k, 0);
    double *of_z = grad + flamingo_at(k, 0), *of_b = of_z + NEXT, unused[Q];
    double *of_a = k > 0 ? of_b - FLAMINGO_UNKNOWNS : unused;

    // h/2 (m - e)'Q(m - e) + h/2 w'w + h/2 u'u
    for (int i = 0; i < Q; i++) {
      const double e = (a[i] + b[i]) / 2 - w->end[i], v = (b[i] - a[i]) / h;
      of_a[i] += h * w->cost_q[i] * e / 2 - w->cost_v[i] * v;
      of_b[i] += h * w->cost_q[i] * e / 2 + w->cost_v[i] * v;
      grad[0] += (w->cost_q[i] * e * e - w->cost_v[i] * v * v) / 2;
    }
    for (int i = 0; i < U; i++) {
      of_z[i] += h * w->cost_u[i] * z[i];
      grad[0] += w->cost_u[i] * z[i] * z[i] / 2;
    }

    // low gaps, changes of normal forces
    DM_TRY(eval_gaps_in_middle(w, a, b));
    for (int c = 0; c < C; c++) {
      const double by = COST_HEIGHT * fmin(0, w->low[w->gap[c]] - HEIGHT) / 2;
      for (int i = 0; i < Q; i++) {
        of_a[i] += by * w->Dlow[w->gap[c] * Q + i];
        of_b[i] += by * w->Dlow[w->gap[c] * Q + i];
      }
      if (k + 1 == N) continue;
      const double change = w->force * w->force * (z[CS + c] - z[FLAMINGO_UNKNOWNS + CS + c]);
      of_z[CS + c] += change;
      of_z[FLAMINGO_UNKNOWNS + CS + c] -= change;
    }
  }
  for (int i = 0; i < VARIABLES; i++) grad[i] *= PART;
  return DM_OK;
}

double flamingo_objective(flamingo *w, const double *x) {
  double f;
  return eval_objective(w, x, &f) < 0 ? NAN : f / PART;
}

// -- rows

// rows at the end of step k, and G
static dm_status eval_contacts(flamingo *w, const double *x, int k) {
  double F[R] = {0};
  DM_TRY(w->rows->eval(w->rows->self, w->scratch, q_of(w, x, k + 1), w->r, w->Dr[k]));
  find_forces(w, x, k, F);
  memset(w->G[k], 0, sizeof w->G[k]);
  for (int r = 0; r < R; r++)
    for (int i = 0; i < Q; i++) w->G[k][i] += F[r] * w->Dr[k][r * Q + i];
  return DM_OK;
}

static dm_status eval_rows(void *self, const double *x, double *g) {
  flamingo *w = self;
  const double h = x[0];
  for (int k = 0; k < N; k++) {
    const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1), *z = x + flamingo_at(k, 0);
    double *out = g + k * FLAMINGO_ROWS;
    DM_TRY(dm_interval_eval(w->step[k], 1, a, b, z, h));
    DM_TRY(eval_contacts(w, x, k));
    for (int i = 0; i < Q; i++)
      out[i] = (k > 0 ? w->step[k - 1]->D2[i] : w->p0[i]) + w->step[k]->D1[i] + h * w->G[k][i];

    // other members
    const double *c = z + CS, *t = z + TS, *slide = z + SLIDES;
    for (int i = 0; i < C; i++) {
      double v = 0;
      for (int j = 0; j < Q; j++) v += w->Dr[k][w->place[i] * Q + j] * (b[j] - a[j]) / w->h0;
      double *of = out + MEMBERS;
      of[i] = w->r[w->gap[i]];
      of[PT + 2 * i] = slide[i] + v;
      of[PT + 2 * i + 1] = slide[i] - v;
      of[PS + i] = FRICTION * c[i] - t[2 * i] - t[2 * i + 1];
    }
    for (int i = 0; i < P; i++) {
      out[MEMBERS + i] -= z[FLAMINGO_OTHER + i];
      out[PRODUCTS + i] = z[CS + i] * z[FLAMINGO_OTHER + i];
    }
  }
  return DM_OK;
}

// d/dq_k of row: none for the start
static void put_q(oc_triplets *s, int row, int k, int i, double value) {
  if (k > 0) oc_put(s, row, flamingo_at(k - 1, NEXT + i), value);
}

// the second derivative by q_k and an unknown before it
static void put_q_with(oc_triplets *s, int k, int i, int with, double value) {
  if (k > 0) oc_put(s, flamingo_at(k - 1, NEXT + i), with, value);
}

static void put_motion(flamingo *w, int k, double h, oc_triplets *s) {
  const dm_interval *now = w->step[k], *before = k > 0 ? w->step[k - 1] : NULL;
  const int row = k * FLAMINGO_ROWS;
  for (int i = 0; i < Q; i++) {
    for (int j = 0; j < Q; j++) {
      const int e = i * Q + j;
      if (before) put_q(s, row + i, k - 1, j, before->D21[e]);
      put_q(s, row + i, k, j, now->D11[e] + (before ? before->D22[e] : 0));
      put_q(s, row + i, k + 1, j, now->D12[e] + h * w->D2g[e]);
    }
    oc_put(s, row + i, 0, now->D1h[i] + (before ? before->D2h[i] : 0) + w->G[k][i]);
    for (int c = 0; c < C; c++) {
      const double by = h * w->force, *Dr = w->Dr[k] + i;
      oc_put(s, row + i, flamingo_at(k, CS + c), by * Dr[w->gap[c] * Q]);
      oc_put(s, row + i, flamingo_at(k, TS + 2 * c), by * Dr[w->place[c] * Q]);
      oc_put(s, row + i, flamingo_at(k, TS + 2 * c + 1), -by * Dr[w->place[c] * Q]);
    }
  }
  for (int e = 0; e < now->nz; e++) {
    oc_put(s, row + now->row[e], flamingo_at(k, now->col[e]), now->D1u[e]);
    if (before) oc_put(s, row + now->row[e], flamingo_at(k - 1, now->col[e]), before->D2u[e]);
  }
}

static void put_members(const flamingo *w, int k, const double *x, oc_triplets *s) {
  const int row = k * FLAMINGO_ROWS + MEMBERS, product = k * FLAMINGO_ROWS + PRODUCTS;
  for (int c = 0; c < C; c++) {
    const int v = row + PT + 2 * c, left = row + PS + c;
    for (int i = 0; i < Q; i++) {
      const double by = w->Dr[k][w->place[c] * Q + i], more = w->turn[k][w->place[c] * Q + i];
      put_q(s, row + c, k + 1, i, w->Dr[k][w->gap[c] * Q + i]);
      for (int d = 0; d < 2; d++) {
        const double sign = (d ? -1 : 1) / w->h0;
        put_q(s, v + d, k, i, -sign * by);
        put_q(s, v + d, k + 1, i, sign * (by + more));
      }
    }
    for (int d = 0; d < 2; d++) {
      oc_put(s, v + d, flamingo_at(k, SLIDES + c), 1);
      oc_put(s, left, flamingo_at(k, TS + 2 * c + d), -1);
    }
    oc_put(s, left, flamingo_at(k, CS + c), FRICTION);
  }
  for (int i = 0; i < P; i++) {
    const int a = flamingo_at(k, CS + i), b = a + P;
    oc_put(s, row + i, b, -1);
    oc_put(s, product + i, a, s->val ? x[b] : 0);
    oc_put(s, product + i, b, s->val ? x[a] : 0);
  }
}

static dm_status put_jacobian(void *self, const double *x, oc_triplets *s) {
  flamingo *w = self;
  for (int k = 0; k < N; k++) {
    if (s->val) {
      const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1);
      double F[R] = {0}, d[Q];
      for (int i = 0; i < Q; i++) d[i] = b[i] - a[i];
      DM_TRY(dm_interval_eval(w->step[k], 2, a, b, x + flamingo_at(k, 0), x[0]));
      DM_TRY(eval_contacts(w, x, k));
      find_forces(w, x, k, F);
      memset(w->D2g, 0, sizeof w->D2g);
      DM_TRY(w->rows->contract(w->rows->self, w->scratch, b, F, w->D2g));
      DM_TRY(w->rows->directional(w->rows->self, w->scratch, b, d, F, w->turn[k], NULL));
    }
    put_motion(w, k, s->val ? x[0] : 0, s);
    put_members(w, k, x, s);
  }
  return DM_OK;
}

// -- the Hessian

// that of the objective of step k, times sigma, into H and Hh; returns the derivative by (h,h)
static dm_status add_objective(flamingo *w, const double *x, int k, double sigma, double *Hhh) {
  const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1), h = x[0];
  for (int i = 0; i < Q; i++) {
    const double e = (a[i] + b[i]) / 2 - w->end[i], v = (b[i] - a[i]) / h;
    const double of_q = sigma * h * w->cost_q[i] / 4, of_v = sigma * w->cost_v[i] / h;
    w->H[0][i * Q + i] += of_q + of_v;
    w->H[1][i * Q + i] += of_q - of_v;
    w->H[2][i * Q + i] += of_q + of_v;
    w->Hh[0][i] += sigma * w->cost_q[i] * e / 2 + of_v * v;
    w->Hh[1][i] += sigma * w->cost_q[i] * e / 2 - of_v * v;
    *Hhh += of_v * v * v;
  }
  DM_TRY(eval_gaps_in_middle(w, a, b));
  double weight[R] = {0}, m[Q], D2[Q * Q] = {0};
  for (int c = 0; c < C; c++) {
    const double low = w->low[w->gap[c]] - HEIGHT, *D = w->Dlow + w->gap[c] * Q;
    if (low >= 0) continue;
    weight[w->gap[c]] = COST_HEIGHT * low;
    for (int i = 0; i < Q * Q; i++) D2[i] += COST_HEIGHT * D[i / Q] * D[i % Q];
  }
  for (int i = 0; i < Q; i++) m[i] = (a[i] + b[i]) / 2;
  DM_TRY(w->rows->contract(w->rows->self, w->scratch, m, weight, D2));
  for (int part = 0; part < 3; part++)
    for (int i = 0; i < Q * Q; i++) w->H[part][i] += sigma * D2[i] / 4;
  return DM_OK;
}

// that of the rows of step k, and of D2 in the row of motion after it; along: D2r mu [R x Q] of its row of motion
static dm_status add_rows(flamingo *w, const double *x, int k, const double *lambda, double *along,
                          double *Hhh) {
  const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1), h = x[0], none[Q] = {0};
  const double *of = lambda + k * FLAMINGO_ROWS;
  dm_interval *step = w->step[k];

  // D1 and D2
  DM_TRY(dm_interval_contract(step, true, a, b, x + flamingo_at(k, 0), h, of,
                              k + 1 < N ? of + FLAMINGO_ROWS : none));
  for (int i = 0; i < Q * Q; i++) {
    w->H[0][i] += step->H00[i];
    w->H[1][i] += step->H01[i];
    w->H[2][i] += step->H11[i];
  }
  for (int i = 0; i < Q; i++) {
    w->Hh[0][i] += step->H0h[i];
    w->Hh[1][i] += step->H1h[i];
  }
  *Hhh += *step->Hhh;

  // mu' h G
  double F[R] = {0}, T[Q * Q] = {0};
  DM_TRY(eval_contacts(w, x, k));
  find_forces(w, x, k, F);
  DM_TRY(w->rows->directional(w->rows->self, w->scratch, b, of, F, along, T));
  for (int i = 0; i < Q * Q; i++) w->H[2][i] += h * T[i];
  for (int r = 0; r < R; r++)
    for (int i = 0; i < Q; i++) w->Hh[1][i] += F[r] * along[r * Q + i];

  // gaps; Ds(b)(b - a)/h0
  double once[R] = {0}, twice[R] = {0}, d[Q], D2[Q * Q] = {0}, D2s[Q * Q] = {0}, unused[R * Q];
  for (int c = 0; c < C; c++) {
    const double *v = of + MEMBERS + PT + 2 * c;
    twice[w->gap[c]] = of[MEMBERS + c];
    once[w->gap[c]] = 0;
    once[w->place[c]] = (v[0] - v[1]) / w->h0;
    twice[w->place[c]] = 2 * once[w->place[c]];
  }
  for (int i = 0; i < Q; i++) d[i] = b[i] - a[i];
  DM_TRY(w->rows->contract(w->rows->self, w->scratch, b, once, D2s));
  DM_TRY(w->rows->contract(w->rows->self, w->scratch, b, twice, D2));
  DM_TRY(w->rows->directional(w->rows->self, w->scratch, b, d, once, unused, D2));
  for (int i = 0; i < Q * Q; i++) {
    w->H[1][i] -= D2s[i];
    w->H[2][i] += D2[i];
  }
  return DM_OK;
}

// second derivatives by forces and (b, h): h G is linear in both
static void put_forces(const flamingo *w, int k, double h, const double *mu, const double *along,
                       oc_triplets *s) {
  for (int c = 0; c < C; c++) {
    const int rows[3] = {w->gap[c], w->place[c], w->place[c]};
    const int unknowns[3] = {CS + c, TS + 2 * c, TS + 2 * c + 1};
    for (int e = 0; e < 3; e++) {
      const double by = e < 2 ? w->force : -w->force;
      const int at = flamingo_at(k, unknowns[e]);
      double rate = 0;
      for (int i = 0; i < Q; i++) {
        put_q_with(s, k + 1, i, at, h * by * along[rows[e] * Q + i]);
        if (s->val) rate += w->Dr[k][rows[e] * Q + i] * mu[i];
      }
      oc_put(s, at, 0, by * rate);
    }
  }
}

static dm_status put_hessian(void *self, const double *x, double sigma, const double *lambda,
                             oc_triplets *s) {
  flamingo *w = self;
  sigma *= PART;
  double Hhh = 0, along[R * Q] = {0};
  const double h = s->val ? x[0] : 0, changes = sigma * w->force * w->force;
  for (int k = 0; k < N; k++) {
    memset(w->H, 0, sizeof w->H);
    memset(w->Hh, 0, sizeof w->Hh);
    if (s->val) {
      DM_TRY(add_objective(w, x, k, sigma, &Hhh));
      DM_TRY(add_rows(w, x, k, lambda, along, &Hhh));
    }

    // a and b with each other and h
    for (int i = 0; i < Q; i++) {
      const int b = flamingo_at(k, NEXT + i), a = b - FLAMINGO_UNKNOWNS;
      for (int j = 0; j < Q; j++) {
        if (j <= i) put_q(s, a, k, j, w->H[0][i * Q + j]);
        if (j <= i) put_q(s, b, k + 1, j, w->H[2][i * Q + j]);
        put_q(s, b, k, j, w->H[1][j * Q + i]);
      }
      put_q_with(s, k, i, 0, w->Hh[0][i]);
      put_q_with(s, k + 1, i, 0, w->Hh[1][i]);
    }

    // u, c and forces
    for (int i = 0; i < U; i++) {
      const int u = flamingo_at(k, i);
      oc_put(s, u, u, h * sigma * w->cost_u[i]);
      oc_put(s, u, 0, s->val ? sigma * w->cost_u[i] * x[u] + w->step[k]->Huh[i] : 0);
    }
    for (int c = 0; c < C; c++) {
      const int at = flamingo_at(k, CS + c);
      oc_put(s, at, at, ((k > 0) + (k + 1 < N)) * changes);
      if (k > 0) oc_put(s, at, at - FLAMINGO_UNKNOWNS, -changes);
    }
    put_forces(w, k, h, lambda ? lambda + k * FLAMINGO_ROWS : NULL, along, s);

    // products
    for (int i = 0; i < P; i++) {
      const int a = flamingo_at(k, CS + i);
      oc_put(s, a + P, a, s->val && w->curved ? lambda[k * FLAMINGO_ROWS + PRODUCTS + i] : 0);
    }
  }
  oc_put(s, 0, 0, Hhh);
  return DM_OK;
}

// -- making the program

static int knot_of(const void *self, int x) {
  (void)self;
  return x == 0 ? -1 : 1 + (x - 1) / FLAMINGO_UNKNOWNS;
}

static void name_row(void *self, int row, char *text, size_t size, int *knot) {
  static const char *const names[] = {"motion", "member of a pair", "product of a pair"};
  const int i = row % FLAMINGO_ROWS;
  (void)self;
  *knot = row / FLAMINGO_ROWS;
  snprintf(text, size, "%s %d", names[(i >= MEMBERS) + (i >= PRODUCTS)], i);
}

// fix unknown i of step k at zero
static void fix_unknown(flamingo *w, int k, int i) {
  w->x_min[flamingo_at(k, i)] = w->x_max[flamingo_at(k, i)] = 0;
}

// drop row i of step k
static void free_row(flamingo *w, int k, int i) {
  w->g_min[k * FLAMINGO_ROWS + i] = -INFINITY;
  w->g_max[k * FLAMINGO_ROWS + i] = INFINITY;
}

void flamingo_open(flamingo *w, double room) {
  const oc_task *task = &w->problem->task;
  w->x_min[0] = task->time.min / N;
  w->x_max[0] = task->time.max / N;
  for (int k = 0; k < N; k++) {
    double *low = w->x_min + flamingo_at(k, 0), *high = w->x_max + flamingo_at(k, 0);
    for (int i = 0; i < U; i++) {
      low[i] = oc_low(task, OC_U, i);
      high[i] = oc_high(task, OC_U, i);
    }
    for (int i = CS; i < NEXT; i++) {
      low[i] = 0;
      high[i] = INFINITY;
    }
    for (int i = 0; i < Q; i++) {
      low[NEXT + i] = k + 1 < N ? oc_low(task, OC_Q, i) : w->end[i];
      high[NEXT + i] = k + 1 < N ? oc_high(task, OC_Q, i) : w->end[i];
    }
    for (int i = 0; i < P; i++) {
      w->g_min[k * FLAMINGO_ROWS + PRODUCTS + i] = -INFINITY;
      w->g_max[k * FLAMINGO_ROWS + PRODUCTS + i] = room;
    }
    for (int i = 0; i < PRODUCTS; i++)
      w->g_min[k * FLAMINGO_ROWS + i] = w->g_max[k * FLAMINGO_ROWS + i] = 0;
  }

  // the gaps at the end are closed: no unknowns
  for (int i = 0; i < C; i++) {
    const int gap = flamingo_at(N - 1, FLAMINGO_OTHER + i);
    w->x_min[gap] = w->x_max[gap] = 0;
    free_row(w, N - 1, MEMBERS + i);
  }
}

// p_0 = L_v
static dm_status find_momentum(flamingo *w) {
  dm_continuous *c;
  DM_TRY(dm_continuous_new(&c, &w->problem->task.system));
  const dm_status s = dm_momentum_of(c, w->start, w->problem->task.start.v, w->p0);
  dm_continuous_free(c);
  return s;
}

static dm_status set_up(flamingo *w, const char *robot, dm_message *msg) {
  DM_TRY(pb_problem_read(&w->problem, robot, msg));
  const oc_task *task = &w->problem->task;
  const dm_system *s = &task->system;
  const dm_contact_laws *laws = s->contacts;
  if (s->L.nq != Q || s->nu != U || task->N != N || !laws || laws->n != C || laws->rows.nc != R)
    return dm_fail(msg, DM_BAD_INPUT, "%s: this is not the biped with %d coordinates and %d steps",
                   robot, Q, N);
  for (int i = 0; i < C; i++) {
    w->gap[i] = laws->law[i].gap;
    w->place[i] = laws->law[i].tangent[0];
  }
  w->rows = &laws->rows;
  w->force = laws->mass * laws->gravity / 10;
  w->h0 = task->time.T / N;
  w->scratch = aligned_alloc(64, (laws->rows.scratch + 63) & ~(size_t)63);
  if (!w->scratch) return DM_NO_MEMORY;
  for (int k = 0; k < N; k++) DM_TRY(dm_interval_new(&w->step[k], s));
  memcpy(w->start, task->start.q, sizeof w->start);
  memcpy(w->end, task->goal.q, sizeof w->end);
  for (int i = 0; i < Q; i++) {
    w->cost_q[i] = oc_weight(task->cost[OC_Q].running, i);
    w->cost_v[i] = oc_weight(task->cost[OC_V].running, i);
  }
  for (int i = 0; i < U; i++) w->cost_u[i] = oc_weight(task->cost[OC_U].running, i);
  DM_TRY(find_momentum(w));
  flamingo_open(w, 1);

  oc_triplets jac = {.n = 0}, hess = {.n = 0};
  DM_TRY(put_jacobian(w, NULL, &jac));
  DM_TRY(put_hessian(w, NULL, 1, NULL, &hess));
  w->nlp = (oc_nlp){.n = VARIABLES,
                    .m = ROWS,
                    .jac_nnz = jac.n,
                    .hess_nnz = hess.n,
                    .x_min = w->x_min,
                    .x_max = w->x_max,
                    .g_min = w->g_min,
                    .g_max = w->g_max,
                    .self = w,
                    .f = eval_objective,
                    .grad = eval_gradient,
                    .g = eval_rows,
                    .jac = put_jacobian,
                    .hess = put_hessian,
                    .row_name = name_row,
                    .knot = knot_of};
  return DM_OK;
}

dm_status flamingo_new(flamingo **out, const char *robot, dm_message *msg) {
  flamingo *w = calloc(1, sizeof *w);
  if (!w) return DM_NO_MEMORY;
  const dm_status s = set_up(w, robot, msg);
  if (s < 0)
    flamingo_free(w);
  else
    *out = w;
  return s;
}

void flamingo_free(flamingo *w) {
  if (!w) return;
  for (int k = 0; k < N; k++) dm_interval_free(w->step[k]);
  pb_problem_free(w->problem);
  free(w->scratch);
  free(w);
}

const oc_nlp *flamingo_nlp(const flamingo *w) {
  return &w->nlp;
}

// -- points

// The other unknowns of a point with all q, c and t: those that its rows say.
static dm_status complete_point(flamingo *w, double *x) {
  for (int k = 0; k < N; k++) {
    const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1);
    double *z = x + flamingo_at(k, 0), *other = z + FLAMINGO_OTHER;
    DM_TRY(eval_contacts(w, x, k));
    for (int i = 0; i < C; i++) {
      double v = 0;
      for (int j = 0; j < Q; j++) v += w->Dr[k][w->place[i] * Q + j] * (b[j] - a[j]) / w->h0;
      z[SLIDES + i] = fabs(v);
      other[i] = w->r[w->gap[i]];
      other[PT + 2 * i] = fabs(v) + v;
      other[PT + 2 * i + 1] = fabs(v) - v;
      other[PS + i] = FRICTION * z[CS + i] - z[TS + 2 * i] - z[TS + 2 * i + 1];
    }
  }
  return DM_OK;
}

dm_status flamingo_fill(flamingo *w, const double *start, double T, double *x) {
  memcpy(w->start, start, sizeof w->start);
  DM_TRY(find_momentum(w));
  x[0] = T / N;
  for (int k = 0; k < N; k++)
    for (int i = CS; i < CS + PS; i++) x[flamingo_at(k, i)] /= w->force;
  return complete_point(w, x);
}

dm_status flamingo_start(flamingo *w, uint64_t seed, int number, double noise, double *x) {
  const bool *length = w->problem->task.system.length;
  memset(x, 0, sizeof(double[VARIABLES]));
  x[0] = w->h0;
  for (int k = 0; k < N; k++) {
    const double share = (k + 1.) / N;
    const double *low = w->x_min + flamingo_at(k, NEXT), *high = w->x_max + flamingo_at(k, NEXT);
    double *z = x + flamingo_at(k, 0);
    for (int i = 0; i < Q; i++) {
      const double turn = noise * dm_random_uniform(seed, number, (uint64_t)(k * Q + i));
      const double q = (1 - share) * w->start[i] + share * w->end[i] + (length[i] ? 0 : turn);
      z[NEXT + i] = fmin(fmax(q, low[i]), high[i]);
    }
    for (int i = 0; i < C; i++) z[CS + i] = 10. / C;
    for (int i = 0; i < 2 * C; i++) z[TS + i] = GUESS_T;
  }
  return complete_point(w, x);
}

// -- the schedule

// the schedule of contact i in step k, if it is closed: sliding against direction d, -1: it sticks
static int read_sliding(const double *z, int i, bool with_next) {
  double slide = 0, left = 0, v[2] = {0};
  for (int j = i; j <= i + with_next; j++) {
    slide += z[SLIDES + j];
    left += z[P + SLIDES + j];
    for (int d = 0; d < 2; d++) v[d] += z[P + TS + 2 * j + d];
  }
  return left > slide ? -1 : v[0] > v[1];
}

// Impose the state of a closed contact; `again`: the other contact of the foot says the same.
static void fix_closed(flamingo *w, int k, int i, int sliding, bool again) {
  fix_unknown(w, k, P + CS + i);
  if (sliding < 0) {
    fix_unknown(w, k, SLIDES + i);
    for (int d = 0; d < 2; d++) fix_unknown(w, k, P + TS + 2 * i + d);
    free_row(w, k, MEMBERS + PT + 2 * i);
    if (again) free_row(w, k, MEMBERS + PT + 2 * i + 1);
    return;
  }
  fix_unknown(w, k, P + TS + 2 * i + sliding);
  fix_unknown(w, k, TS + 2 * i + !sliding);
  fix_unknown(w, k, P + SLIDES + i);
}

static void fix_open(flamingo *w, int k, int i) {
  for (int d = 0; d < 2; d++) {
    fix_unknown(w, k, TS + 2 * i + d);
    fix_unknown(w, k, P + TS + 2 * i + d);
    free_row(w, k, MEMBERS + PT + 2 * i + d);
  }
  fix_unknown(w, k, CS + i);
  fix_unknown(w, k, SLIDES + i);
  fix_unknown(w, k, P + SLIDES + i);
  free_row(w, k, MEMBERS + PS + i);
}

void flamingo_fix(flamingo *w, const double *x) {
  flamingo_open(w, INFINITY);
  for (int k = 0; k < N; k++) {
    const double *z = x + flamingo_at(k, 0);
    for (int foot = 0; foot < C; foot += 2) {
      bool closed[2];
      for (int i = 0; i < 2; i++) closed[i] = z[CS + foot + i] > z[P + CS + foot + i];
      const bool flat = closed[0] && closed[1];
      for (int i = 0; i < 2; i++) {
        if (closed[i])
          fix_closed(w, k, foot + i, read_sliding(z, flat ? foot : foot + i, flat), flat && i);
        else
          fix_open(w, k, foot + i);
      }
    }
  }
}

// -- solving

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool choose_curvature(void *user, const oc_iterate *it) {
  ((flamingo *)user)->curved = it->violation < NEARLY_FEASIBLE && it->step > LONG_STEP;
  return true;
}

static dm_status search_once(flamingo *w, const oc_options *set, oc_point *point,
                             flamingo_result *r) {
  oc_ipopt_info info;
  const oc_hooks hooks = {.watch = choose_curvature, .user = w};
  w->curved = false;
  const dm_status s = oc_interior_solve(&w->nlp, set, &hooks, point, NULL, 0, &info);
  r->iterations += info.spent;
  r->factorizations += info.factorizations;
  return s;
}

static void measure_point(flamingo *w, const double *x, flamingo_result *r) {
  static double g[ROWS];
  r->objective = flamingo_objective(w, x);
  r->violation = eval_rows(w, x, g) < 0 ? NAN : 0;
  r->products = 0;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < FLAMINGO_ROWS; i++) {
      const int row = k * FLAMINGO_ROWS + i;
      r->violation = fmax(r->violation, fmax(w->g_min[row] - g[row], g[row] - w->g_max[row]));
      if (i >= PRODUCTS) r->products = fmax(r->products, g[row]);
    }
}

flamingo_result flamingo_solve(flamingo *w, double *x) {
  flamingo_result r = {.status = DM_NO_MEMORY};
  oc_options set = oc_options_default();
  double *numbers = calloc(2 * VARIABLES + ROWS, sizeof *numbers);
  if (!numbers) return r;
  oc_point point = {
      .x = x, .z_l = numbers, .z_u = numbers + VARIABLES, .lambda = numbers + 2 * VARIABLES};
  const double begun = processor_time();

  // 1  less and less room
  set.tol = LOOSE;
  set.max_iter = MOST_ITERATIONS;
  set.program.beginnings = OC_BEGIN_FIRST;
  r.status = DM_OK;
  for (double room = 1; room > LAST_ROOM * sqrt(NARROWER) && r.status >= 0; room *= NARROWER) {
    flamingo_open(w, room);
    r.status = search_once(w, &set, &point, &r);
  }
  r.searched = flamingo_objective(w, x);

  // 2 and 3  the schedule and its polish
  if (r.status >= 0) {
    flamingo_fix(w, x);
    set.tol = TIGHT;
    r.status = search_once(w, &set, &point, &r);
  }
  r.seconds = processor_time() - begun;
  measure_point(w, x, &r);
  free(numbers);
  return r;
}

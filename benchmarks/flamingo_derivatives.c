#include "benchmarks/flamingo_parts.h"

#include <math.h>
#include <string.h>

// The program's objective is this part of the published one, so that the barrier of the solver begins smaller.
static const double PART = 0.1;
static const double HEIGHT = 0.1, COST_HEIGHT = 20; // of gaps below a height

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

dm_status flamingo_eval_objective(void *self, const double *x, double *f) {
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

dm_status flamingo_eval_gradient(void *self, const double *x, double *grad) {
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
  return flamingo_eval_objective(w, x, &f) < 0 ? NAN : f / PART;
}

// -- rows

dm_status flamingo_eval_contacts(flamingo *w, const double *x, int k) {
  double F[R] = {0};
  DM_TRY(w->rows->eval(w->rows->self, w->scratch, q_of(w, x, k + 1), w->r, w->Dr[k]));
  find_forces(w, x, k, F);
  memset(w->G[k], 0, sizeof w->G[k]);
  for (int r = 0; r < R; r++)
    for (int i = 0; i < Q; i++) w->G[k][i] += F[r] * w->Dr[k][r * Q + i];
  return DM_OK;
}

dm_status flamingo_eval_rows(void *self, const double *x, double *g) {
  flamingo *w = self;
  const double h = x[0];
  for (int k = 0; k < N; k++) {
    const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1), *z = x + flamingo_at(k, 0);
    double *out = g + k * FLAMINGO_ROWS;
    DM_TRY(dm_interval_eval(w->step[k], 1, a, b, z, h));
    DM_TRY(flamingo_eval_contacts(w, x, k));
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

dm_status flamingo_put_jacobian(void *self, const double *x, oc_triplets *s) {
  flamingo *w = self;
  for (int k = 0; k < N; k++) {
    if (s->val) {
      const double *a = q_of(w, x, k), *b = q_of(w, x, k + 1);
      double F[R] = {0}, d[Q];
      for (int i = 0; i < Q; i++) d[i] = b[i] - a[i];
      DM_TRY(dm_interval_eval(w->step[k], 2, a, b, x + flamingo_at(k, 0), x[0]));
      DM_TRY(flamingo_eval_contacts(w, x, k));
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
  DM_TRY(flamingo_eval_contacts(w, x, k));
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

dm_status flamingo_put_hessian(void *self, const double *x, double sigma, const double *lambda,
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

#include "optim/descent/reduced_space.h"

#include "lib/base/dense.h"

#include <string.h>

static size_t entry_of(int k, int count) {
  return (size_t)k * (size_t)count;
}

// y += t M x, M [rows x cols] with row length ld; or M'x
static void add_product(int rows, int cols, const double *M, int ld, const double *x, double *y) {
  for (int i = 0; i < rows; i++) y[i] += dm_inner(cols, M + i * ld, x);
}
static void add_transposed(int rows, int cols, const double *M, int ld, const double *x,
                           double *y) {
  for (int i = 0; i < rows; i++) dm_add_to(cols, x[i], M + i * ld, y);
}

// the pull of a covector on (z,v) at each knot back to c: adjoint of the closed loop
typedef void pull_step(const oc_search_direction *w, int k, double *g);
static void pull_back(oc_search_direction *w, pull_step *pull, double *g) {
  const int N = w->N, nu = w->nu, ns = w->ns;
  double *zeta = w->zeta, *step = w->next;
  pull(w, N, zeta);
  for (int k = N - 1; k >= 0; k--) {
    pull(w, k, step);
    oc_search_direction_adjoin(w, k, step, zeta);
    memcpy(g + entry_of(k, nu), step + ns, (size_t)nu * sizeof *g);
  }
  double *theta = g + entry_of(N, nu);
  memset(theta, 0, (size_t)w->nt * sizeof *theta);
  add_transposed(ns, w->nt, w->G, w->nt, zeta, theta);
}

// slopes of the merit
static void pull_merit(const oc_search_direction *w, int k, double *g) {
  memcpy(g, w->merit->l_x + entry_of(k, w->ns), (size_t)w->ns * sizeof *g);
  if (k < w->N) memcpy(g + w->ns, w->merit->l_u + entry_of(k, w->nu), (size_t)w->nu * sizeof *g);
}

void oc_reduced_gradient(oc_search_direction *w, double *g, bool *fixed) {
  const oc_projection_operator *p = w->p;
  pull_back(w, pull_merit, g);
  for (int i = 0; i < w->N * w->nu; i++) {
    const int j = i % w->nu;
    const double u = p->x->u[i];
    fixed[i] = (u <= p->low[j] && g[i] > 0) || (u >= p->high[j] && g[i] < 0);
    if (fixed[i]) g[i] = 0;
  }
  for (int i = 0, at = w->N * w->nu; i < w->nt; i++, at++) {
    const double value = oc_start_value(p->start, p->x, i);
    fixed[at] =
        (value <= p->start->low[i] && g[at] > 0) || (value >= p->start->high[i] && g[at] < 0);
    if (fixed[at]) g[at] = 0;
  }
}

dm_status oc_reduced_precondition(oc_search_direction *w, const double *g, const bool *fixed,
                                  double *c) {
  const oc_projection_operator *p = w->p;
  const int nx = w->nx, nu = w->nu, ns = w->ns, N = w->N;
  int failed;

  // g.w = g.(v + K z): slopes -K'g by states and -g by inputs of a problem whose solution is c
  for (int k = 0; k < N; k++) {
    double *x = w->g_x + entry_of(k, ns);
    memset(x, 0, (size_t)ns * sizeof *x);
    for (int j = 0; j < nu; j++)
      dm_add_to(nx, -g[k * nu + j], p->K + entry_of(k, nu * nx) + j * nx, x);
  }
  memset(w->g_x + entry_of(N, ns), 0, (size_t)ns * sizeof *w->g_x);
  for (int i = 0; i < N * nu + w->nt; i++) w->g_c[i] = -g[i];
  w->pull_x = w->g_x;
  w->pull_u = w->g_c;
  w->pull_start = w->g_c + entry_of(N, nu);
  w->fixed = fixed;

  // its solution, without second-order parts
  const fb_lq all = w->lq;
  w->lq.dQ = w->lq.dR = w->lq.dS = NULL;
  const dm_status s = oc_search_direction_solve_pulled(w, false, &failed);
  w->lq = all;
  if (s != DM_OK) return s;

  // w = v + K z
  for (int k = 0; k < N; k++) {
    double *ck = c + entry_of(k, nu);
    memcpy(ck, p->v + entry_of(k, nu), (size_t)nu * sizeof *ck);
    add_product(nu, nx, p->K + entry_of(k, nu * nx), nx, p->z + entry_of(k, ns), ck);
  }
  memcpy(c + entry_of(N, nu), p->start->step, (size_t)w->nt * sizeof *c);
  return DM_OK;
}

void oc_reduced_expand(oc_search_direction *w, const double *c) {
  oc_projection_operator *p = w->p;
  const int nx = w->nx, nu = w->nu, ns = w->ns, m = w->m;
  memcpy(p->start->step, c + entry_of(w->N, nu), (size_t)w->nt * sizeof *c);
  memset(p->z, 0, (size_t)ns * sizeof *p->z);
  add_product(ns, w->nt, w->G, w->nt, p->start->step, p->z);
  for (int k = 0; k < w->N; k++) {
    const double *z = p->z + entry_of(k, ns), *K = p->K + entry_of(k, nu * nx);
    double *v = p->v + entry_of(k, nu), *next = p->z + entry_of(k + 1, ns);
    for (int j = 0; j < nu; j++)
      v[j] = c[entry_of(k, nu) + (size_t)j] - dm_inner(nx, K + j * nx, z);
    memset(next, 0, (size_t)ns * sizeof *next);
    add_product(ns, ns, w->A + entry_of(k, m * m), m, z, next);
    add_product(ns, nu, w->B + entry_of(k, m * nu), nu, v, next);
  }
}

// W (z,v) of knot k
static void pull_curvature(const oc_search_direction *w, int k, double *g) {
  const int ns = w->ns, nu = w->nu, m = w->m;
  const double *z = w->p->z + entry_of(k, ns), *v = w->p->v + entry_of(k, nu);
  memset(g, 0, (size_t)ns * sizeof *g);
  if (k == w->N) {
    add_product(ns, ns, w->Qf, m, z, g);
    return;
  }
  memset(g + ns, 0, (size_t)nu * sizeof *g);
  const fb_lq *lq = &w->lq;
  const struct {
    const double *Q, *R, *S;
  } part[] = {{lq->Q, lq->R, lq->S}, {lq->dQ, lq->dR, lq->dS}};
  for (int i = 0; i < 2 && part[i].Q; i++) {
    const double *S = part[i].S + entry_of(k, m * nu);
    add_product(ns, ns, part[i].Q + entry_of(k, m * m), m, z, g);
    add_product(ns, nu, S, nu, v, g);
    add_transposed(ns, nu, S, nu, z, g + ns);
    add_product(nu, nu, part[i].R + entry_of(k, nu * nu), nu, v, g + ns);
  }
}

void oc_reduced_multiply(oc_search_direction *w, const double *c, const bool *fixed, double *Hc) {
  const double since = oc_work_clock();
  const int inputs = w->N * w->nu;
  oc_reduced_expand(w, c);
  pull_back(w, pull_curvature, Hc);
  for (int i = 0; i < w->nt && w->lq.dQ; i++)
    Hc[inputs + i] += dm_inner(w->nt, w->p->start->H + i * w->nt, c + inputs);
  for (int i = 0; i < inputs + w->nt; i++)
    if (fixed[i]) Hc[i] = 0;
  oc_work_add(&w->p->work, OC_WORK_PRODUCT, since);
}

void oc_reduced_move(const oc_search_direction *w, const dm_trajectory *x, const dm_trajectory *y,
                     double *c) {
  const oc_projection_operator *p = w->p;
  const int n = p->n, nx = w->nx, nu = w->nu;
  for (int k = 0; k < w->N; k++)
    for (int j = 0; j < nu; j++) {
      const double *K = p->K + entry_of(k, nu * nx) + j * nx;
      const size_t at = entry_of(k, nu) + (size_t)j, q = entry_of(k, n);
      c[at] = y->u[at] - x->u[at];
      for (int i = 0; i < n; i++)
        c[at] += K[i] * (y->q[q + (size_t)i] - x->q[q + (size_t)i]) +
                 K[n + i] * (y->p[q + (size_t)i] - x->p[q + (size_t)i]);
    }
  for (int i = 0; i < w->nt; i++)
    c[entry_of(w->N, nu) + (size_t)i] =
        oc_start_value(p->start, y, i) - oc_start_value(p->start, x, i);
}

#include "lib/studies/itoh_abe.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/mass_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST = 60, NODES = 5, PATIENCE = 3 };

// of Gauss's formula on [0,1]: node (1 + x)/2, weight w/2
static const double NODE[NODES] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                   0.9061798459386640};
static const double WEIGHT[NODES] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
static const double ENOUGH = 1e-9; // of the action of a step, of corrections that no longer fall

struct dm_itoh_abe {
  int n, nc;
  dm_system s;
  dm_continuous *c; // without constraints
  dm_mass_matrix *mass;
  double *z;        // [2n] a point of an edge
  double *v, *L_q;  // [n] there
  double *a, *b;    // [n] a_p H, -a_q H
  double *Dg, *row; // [nc x n] the quotients of g, and Dg at a point
  double *W,
      *WD;   // [n x n] a by p1: of M^-1 the lower triangle and half of the diagonal; [nc x n] Dg W'
  double *S; // [nc x nc]
  int *piv;  // [nc]
  double *q, *p;   // [n] the iterate
  double *dq, *dp; // [n] its correction
  double *g, *dl;  // [nc] g(q1); correction of lambda
  double *lambda;  // [nc]
  void *sweep, *hol;
  double off; // the last correction, relative to the action of the step
};

static void lay_out_itoh_abe(void *self, dm_block *b) {
  dm_itoh_abe *w = self;
  const size_t n = (size_t)w->n, nc = (size_t)w->nc, d = sizeof(double);
  double **vectors[] = {&w->v, &w->L_q, &w->a, &w->b, &w->q, &w->p, &w->dq, &w->dp};
  double **rows[] = {&w->g, &w->dl, &w->lambda};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, d);
  for (int i = 0; i < 3; i++) *rows[i] = dm_block_alloc(b, nc, d);
  w->z = dm_block_alloc(b, 2 * n, d);
  w->Dg = dm_block_alloc(b, nc * n, d);
  w->row = dm_block_alloc(b, nc * n, d);
  w->W = dm_block_alloc(b, n * n, d);
  w->WD = dm_block_alloc(b, nc * n, d);
  w->S = dm_block_alloc(b, nc * nc, d);
  w->piv = dm_block_alloc(b, nc, sizeof *w->piv);
  w->sweep = dm_block_alloc(b, w->s.L.scratch, 1);
  w->hol = dm_block_alloc(b, w->s.hol.scratch, 1);
}

dm_status dm_itoh_abe_check(const dm_system *s, dm_message *msg) {
  const char *found = NULL;
  bool damped = false;
  for (int i = 0; s->damping && i < s->L.nq; i++) damped |= s->damping[i] > 0;
  if (s->nu || s->force.count) found = "inputs or forces";
  if (damped) found = "damping";
  if (s->nk) found = "kinematic coordinates";
  if (s->hol.nv) found = "constraints on velocities";
  if (!found) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "itoh-abe: found %s, expected none: it conserves the energy",
                 found);
}

dm_status dm_itoh_abe_new(dm_itoh_abe **out, const dm_system *s) {
  assert(out && s && dm_itoh_abe_check(s, NULL) == DM_OK);
  dm_itoh_abe sizes = {.n = s->L.nq, .nc = s->hol.nc, .s = *s};
  dm_itoh_abe *w = dm_block_make(&sizes, sizeof sizes, lay_out_itoh_abe);
  if (!w) return DM_NO_MEMORY;
  dm_system loose = *s;
  loose.hol = (dm_holonomic){0};
  dm_status status = dm_continuous_new(&w->c, &loose);
  if (status == DM_OK) status = dm_mass_matrix_new(&w->mass, &s->L);
  if (status != DM_OK) {
    dm_itoh_abe_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_itoh_abe_free(dm_itoh_abe *w) {
  if (!w) return;
  dm_continuous_free(w->c);
  dm_mass_matrix_free(w->mass);
  dm_block_free(w);
}

// v and L_q = -H_q at w->z
static dm_status find_gradient(dm_itoh_abe *w) {
  const dm_lagrangian *L = &w->s.L;
  const dm_status s = dm_velocity_of(w->c, w->z, w->z + w->n, w->v);
  if (s != DM_OK) return s < 0 ? s : DM_NOT_FINITE;
  dm_jet jet = w->c->jet;
  jet.L_q = w->L_q;
  return L->eval(L->self, w->sweep, 1, w->z, w->v, &jet);
}

// the quotients a, b and Dg along the edges from (q0,p0) to (w->q, w->p): first of q, then of p
static dm_status find_quotients(dm_itoh_abe *w, const double *q0, const double *p0) {
  const int n = w->n, nc = w->nc;
  const size_t bytes = (size_t)n * sizeof(double);
  const dm_holonomic *hol = &w->s.hol;
  memset(w->Dg, 0, (size_t)nc * bytes);
  memcpy(w->z, q0, bytes);
  memcpy(w->z + n, p0, bytes);
  for (int e = 0; e < 2 * n; e++) {
    const int i = e % n;
    const double from = w->z[e], to = e < n ? w->q[i] : w->p[i];
    double sum = 0;
    for (int k = 0; k < NODES; k++) {
      w->z[e] = from + (1 + NODE[k]) / 2 * (to - from);
      DM_TRY(find_gradient(w));
      sum += WEIGHT[k] / 2 * (e < n ? w->L_q[i] : w->v[i]);
      if (e >= n || !nc) continue;
      DM_TRY(hol->eval(hol->self, w->hol, w->z, w->g, w->row));
      for (int c = 0; c < nc; c++) w->Dg[c * n + i] += WEIGHT[k] / 2 * w->row[c * n + i];
    }
    *(e < n ? &w->b[i] : &w->a[i]) = sum;
    w->z[e] = to;
  }
  return DM_OK;
}

// The correction of (q, p, lambda) by Newton's equations without the derivatives of b and of Dg, which have factors h.
static dm_status correct_iterate(dm_itoh_abe *w, const double *q0, const double *p0, double h) {
  const int n = w->n, nc = w->nc;
  const dm_holonomic *hol = &w->s.hol;

  // residuals, negative: of q and p
  for (int i = 0; i < n; i++) {
    w->dq[i] = q0[i] + h * w->a[i] - w->q[i];
    w->dp[i] = p0[i] + h * w->b[i] - w->p[i];
    for (int c = 0; c < nc; c++) w->dp[i] -= w->Dg[c * n + i] * w->lambda[c];
  }
  dm_gemm(n, 1, n, h, w->W, w->dp, 1, w->dq);

  // h Dg W Dg' dl = g + Dg dq
  if (nc) {
    DM_TRY(hol->eval(hol->self, w->hol, w->q, w->g, NULL));
    for (int c = 0; c < nc; c++) {
      w->dl[c] = w->g[c] + dm_inner(n, w->Dg + c * n, w->dq);
      for (int i = 0; i < n; i++) w->WD[c * n + i] = dm_inner(n, w->W + i * n, w->Dg + c * n);
    }
    for (int c = 0; c < nc; c++)
      for (int d = 0; d < nc; d++) w->S[c * nc + d] = h * dm_inner(n, w->Dg + c * n, w->WD + d * n);
    if (dm_lu_factor(nc, w->S, w->piv) != DM_OK) return DM_SINGULAR;
    dm_lu_solve(nc, w->S, w->piv, 1, w->dl);
  }
  for (int c = 0; c < nc; c++) {
    w->lambda[c] += w->dl[c];
    dm_add_to(n, -w->dl[c], w->Dg + c * n, w->dp);
    dm_add_to(n, -h * w->dl[c], w->WD + c * n, w->dq);
  }
  for (int i = 0; i < n; i++) {
    w->q[i] += w->dq[i];
    w->p[i] += w->dp[i];
  }
  return DM_OK;
}

dm_status dm_itoh_abe_step(dm_itoh_abe *w, const double *q0, const double *p0, double h, double *q1,
                           double *p1, double *lambda) {
  const int n = w->n;
  const size_t bytes = (size_t)n * sizeof(double);
  double best = INFINITY, kinetic, potential;

  // W at q0, a guess of p1 and of v
  memcpy(w->q, q1, bytes);
  memcpy(w->p, p0, bytes);
  memset(w->lambda, 0, (size_t)w->nc * sizeof *lambda);
  memset(w->W, 0, (size_t)n * bytes);
  for (int i = 0; i < n; i++) w->W[i * n + i] = 1;
  for (int i = 0; i < n; i++) w->v[i] = (q1[i] - q0[i]) / h;
  dm_mass_matrix_place(w->mass, q0);
  DM_TRY(dm_mass_matrix_velocity(w->mass, n, w->W, w->W));
  for (int i = 0; i < n; i++) {
    w->W[i * n + i] /= 2;
    for (int j = i + 1; j < n; j++) w->W[i * n + j] = 0;
  }
  memcpy(w->z, q0, bytes);
  memcpy(w->z + n, p0, bytes);
  DM_TRY(find_gradient(w));
  DM_TRY(dm_energies(w->c, q0, w->v, &kinetic, &potential));

  // until corrections fall no more
  for (int k = 0, worse = 0; worse < PATIENCE; k++) {
    if (k == MOST) break;
    DM_TRY(find_quotients(w, q0, p0));
    DM_TRY(correct_iterate(w, q0, p0, h));
    double sum = 0, action = h * kinetic;
    for (int i = 0; i < n; i++) {
      sum += fabs(w->dq[i] * w->p[i]) + fabs(w->dp[i] * (w->q[i] - q0[i]));
      action += fabs(w->p[i] * (w->q[i] - q0[i]));
    }
    w->off = action > 0 ? sum / action : 0;
    if (!isfinite(sum)) return DM_NOT_FINITE;
    if (w->off < 1e-16) break;
    worse = w->off < best / 2 ? 0 : worse + 1;
    best = fmin(best, w->off);
  }
  memcpy(q1, w->q, bytes);
  memcpy(p1, w->p, bytes);
  memcpy(lambda, w->lambda, (size_t)w->nc * sizeof *lambda);
  return best < ENOUGH || w->off < ENOUGH ? DM_OK : DM_MAX_ITER;
}

static dm_status take_itoh_abe_step(void *self, int k, const double *q0, const double *p0,
                                    const double *u, double h, double *q1, double *p1,
                                    double *lambda) {
  (void)k;
  (void)u;
  return dm_itoh_abe_step(self, q0, p0, h, q1, p1, lambda);
}

static void explain_itoh_abe_step(const void *self, dm_message *msg, dm_status s, int k,
                                  const char *const *name) {
  const dm_itoh_abe *w = self;
  (void)name;
  if (s == DM_MAX_ITER)
    dm_fail(msg, s,
            "no step from knot %d: its iteration does not converge (the last correction is %.1e of "
            "the step): take a shorter step",
            k, w->off);
  else
    dm_fail(msg, s, "no step from knot %d: %s", k, dm_status_text(s));
}

dm_stepper dm_itoh_abe_stepper(dm_itoh_abe *w) {
  assert(w);
  return (dm_stepper){.self = w,
                      .conserves_energy = true,
                      .residual = w->g,
                      .step = take_itoh_abe_step,
                      .explain = explain_itoh_abe_step};
}

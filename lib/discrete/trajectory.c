#include "lib/discrete/trajectory.h"

#include "lib/base/block.h"
#include "lib/discrete/kkt_matrix.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void lay_out_trajectory(void *self, dm_block *b) {
  dm_trajectory *x = self;
  size_t knots = (size_t)x->N + 1, n = (size_t)x->n;
  x->q = dm_block_alloc(b, knots * n, sizeof *x->q);
  x->p = dm_block_alloc(b, knots * n, sizeof *x->p);
  x->v = dm_block_alloc(b, knots * n, sizeof *x->v);
  x->u = dm_block_alloc(b, (size_t)x->N * (size_t)x->nu, sizeof *x->u);
  x->lambda = dm_block_alloc(b, (size_t)x->N * (size_t)x->nc, sizeof *x->lambda);
  x->contact = dm_block_alloc(b, knots * (size_t)x->nr, sizeof *x->contact);
  x->grid = dm_block_alloc(b, knots, sizeof *x->grid);
}

static dm_status make_trajectory(dm_trajectory **out, dm_trajectory sizes) {
  dm_trajectory *x = dm_block_make(&sizes, sizeof sizes, lay_out_trajectory);
  if (!x) return DM_NO_MEMORY;
  dm_trajectory_set_grid(x, NULL);
  *out = x;
  return DM_OK;
}

void dm_trajectory_set_grid(dm_trajectory *x, const double *grid) {
  for (int k = 0; x->grid && k <= x->N; k++) x->grid[k] = dm_grid_at(grid, k);
}

dm_status dm_trajectory_make(dm_trajectory **out, int N, int n, int nu, int nc, int nr) {
  return make_trajectory(out, (dm_trajectory){.N = N, .n = n, .nu = nu, .nc = nc, .nr = nr});
}

dm_status dm_trajectory_new(dm_trajectory **out, int N, int n, int nu) {
  return dm_trajectory_make(out, N, n, nu, 0, 0);
}

dm_status dm_trajectory_of(dm_trajectory **out, int N, const dm_system *s) {
  return make_trajectory(out, (dm_trajectory){.N = N,
                                              .n = s->L.nq,
                                              .nu = s->nu + s->nk,
                                              .nc = s->hol.nc,
                                              .nr = s->contacts ? s->contacts->rows.nc : 0});
}

void dm_trajectory_free(dm_trajectory *x) {
  dm_block_free(x);
}

void dm_trajectory_copy(dm_trajectory *to, const dm_trajectory *from) {
  size_t knots = ((size_t)from->N + 1) * (size_t)from->n, steps = (size_t)from->N;
  to->h = from->h;
  for (int k = 0; to->grid && k <= from->N; k++) to->grid[k] = dm_grid_at(from->grid, k);

  // knots, then steps
  memcpy(to->q, from->q, knots * sizeof *to->q);
  memcpy(to->p, from->p, knots * sizeof *to->p);
  memcpy(to->v, from->v, knots * sizeof *to->v);
  memcpy(to->u, from->u, steps * (size_t)from->nu * sizeof *to->u);
  if (to->nc && from->nc)
    memcpy(to->lambda, from->lambda, steps * (size_t)from->nc * sizeof *to->lambda);
  if (to->nr && from->nr)
    memcpy(to->contact, from->contact, (steps + 1) * (size_t)from->nr * sizeof *to->contact);
}

dm_status dm_trajectory_linearize(const dm_trajectory *x, int k, dm_linearize *w, double *A,
                                  double *B) {
  assert(x && w && k >= 0 && k < x->N);
  size_t at = (size_t)k;
  const double *q = x->q + at * (size_t)x->n, *u = x->u + at * (size_t)x->nu;
  const double *lambda = x->lambda + at * (size_t)x->nc;
  return dm_linearize_step(w, q, q + x->n, u, lambda, dm_trajectory_step(x, k), A, B);
}

dm_status dm_trajectory_linearize_state(const dm_trajectory *x, int k, dm_linearize *w, int i,
                                        double *xx, double *xu, double *uu) {
  assert(x && w && k >= 0 && k < x->N);
  size_t at = (size_t)k;
  const double *q = x->q + at * (size_t)x->n, *u = x->u + at * (size_t)x->nu;
  const double *lambda = x->lambda + at * (size_t)x->nc;
  return dm_linearize_state(w, q, q + x->n, u, lambda, dm_trajectory_step(x, k), i, xx, xu, uu);
}

// v at knots 0..last from q and p; without projection if the constraints are dependent. At the
// iteration limit the last iterate is kept and the other knots are filled.
static dm_status fill_velocities(dm_trajectory *x, dm_continuous *c, int last) {
  dm_status status = DM_OK;
  bool all = true;

  // v with L_v(q,v) = p, projected on the constraints
  for (int k = 0; k <= last && status >= 0; k++) {
    const double *q = x->q + k * x->n;
    status = dm_velocity_of(c, q, x->p + k * x->n, x->v + k * x->n);

    // a velocity that did not converge is kept, and reported at the end
    all = all && status <= 0;
    if (status >= 0) status = dm_velocity_restrict(c, q, x->v + k * x->n);

    // with dependent constraints the projection is not unique: keep v
    if (status == DM_SINGULAR) status = DM_OK;
  }

  return status == DM_OK && !all ? DM_MAX_ITER : status;
}

// p at the start of step k from d's D1, and Dh(q_k)' lambda_k
static dm_status put_left_momentum(dm_trajectory *x, const dm_interval *d, dm_kkt *s, int k) {
  double *p = x->p + k * x->n;

  // -D1; p of kinematic coordinates is their velocity
  for (int i = 0; i < s->nd; i++) p[s->dyn[i]] = -d->D1[s->dyn[i]];
  if (!x->nc) return DM_OK;

  // + Dh(q_k)' lambda_k, as lambda_k acts at the start of step k
  DM_TRY(dm_kkt_start(s, x->q + k * x->n));
  for (int c = 0; c < x->nc; c++)
    for (int i = 0; i < s->nd; i++)
      p[s->dyn[i]] += s->Dh0[c * x->n + s->dyn[i]] * x->lambda[k * x->nc + c];
  return DM_OK;
}

// -- momenta

struct dm_momenta {
  dm_interval *d;
  dm_kkt *k;
  dm_continuous *c;
};

dm_status dm_momenta_new(dm_momenta **out, const dm_system *s) {
  dm_momenta *w = calloc(1, sizeof *w);
  *out = NULL;
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_kkt_new(&w->k, s);
  if (status == DM_OK) status = dm_continuous_new(&w->c, s);
  if (status == DM_OK)
    *out = w;
  else
    dm_momenta_free(w);
  return status;
}

void dm_momenta_free(dm_momenta *w) {
  if (!w) return;
  dm_interval_free(w->d);
  dm_kkt_free(w->k);
  dm_continuous_free(w->c);
  free(w);
}

dm_status dm_momenta_fill(dm_momenta *w, dm_trajectory *x) {
  dm_interval *d = w->d;
  dm_kkt *s = w->k;
  int n = x->n;

  // p_k = -D1 + Dh'lambda of each step; for kinematic coordinates the velocity of the previous step
  for (int i = 0; i < s->nk; i++) x->p[s->kin[i]] = x->v[s->kin[i]];
  for (int k = 0; k < x->N; k++) {
    const double *q0 = x->q + k * n, *q1 = q0 + n;
    double *p1 = x->p + (k + 1) * n;
    const double h = dm_trajectory_step(x, k);
    DM_TRY(dm_interval_eval(d, 1, q0, q1, x->u + k * x->nu, h));
    DM_TRY(put_left_momentum(x, d, s, k));
    for (int i = 0; i < s->nk; i++) p1[s->kin[i]] = (q1[s->kin[i]] - q0[s->kin[i]]) / h;
  }

  // p_N = D2 of the last step, then v
  for (int i = 0; i < s->nd; i++) x->p[x->N * n + s->dyn[i]] = d->D2[s->dyn[i]];
  return fill_velocities(x, w->c, x->N);
}

dm_status dm_trajectory_momenta(dm_trajectory *x, const dm_system *s) {
  dm_momenta *w;
  DM_TRY(dm_momenta_new(&w, s));
  const dm_status status = dm_momenta_fill(w, x);
  dm_momenta_free(w);
  return status;
}

dm_status dm_trajectory_rest(dm_trajectory *x, const dm_system *s, const double *q, const double *u,
                             const double *lambda) {
  size_t size = sizeof(double);
  // all knots and all steps are equal; the last knot has no step
  for (int k = 0; k <= x->N; k++) {
    memcpy(x->q + k * x->n, q, (size_t)x->n * size);
    if (k == x->N) break;
    if (x->nu) memcpy(x->u + k * x->nu, u, (size_t)x->nu * size);
    if (x->nc) memcpy(x->lambda + k * x->nc, lambda, (size_t)x->nc * size);
  }

  // at rest D2 = -D1 up to rounding
  DM_TRY(dm_trajectory_momenta(x, s));
  memcpy(x->p + x->N * x->n, x->p, (size_t)x->n * size);
  memcpy(x->v + x->N * x->n, x->v, (size_t)x->n * size);
  return DM_OK;
}

dm_status dm_trajectory_join(dm_trajectory **out, const dm_trajectory *a, const dm_trajectory *b) {
  DM_TRY(dm_trajectory_make(out, a->N + b->N, a->n, a->nu, a->nc, a->nr));
  dm_trajectory *x = *out;
  dm_trajectory tail = *x;
  size_t N = (size_t)a->N, n = (size_t)a->n;
  dm_trajectory_copy(x, a);

  // append b: its first knot overwrites the last one of a
  tail.q += N * n;
  tail.p += N * n;
  tail.v += N * n;
  tail.u += N * (size_t)a->nu;
  tail.lambda += N * (size_t)a->nc;
  tail.contact += N * (size_t)a->nr;
  tail.N = b->N;
  tail.grid += N;
  dm_trajectory_copy(&tail, b);
  for (int k = 0; k <= b->N; k++) tail.grid[k] += a->N;
  return DM_OK;
}

// Momenta after the contact impulses of a knot.
typedef struct pushes {
  const dm_system *s;
  int n, nr;
  double *p, *r, *Dr; // [n], [nr], [nr x n]
  void *scratch;
} pushes;

static void lay_out_pushes(void *self, dm_block *b) {
  pushes *w = self;
  const size_t n = (size_t)w->n, nr = (size_t)w->nr;
  w->p = dm_block_alloc(b, n, sizeof(double));
  w->r = dm_block_alloc(b, nr, sizeof(double));
  w->Dr = dm_block_alloc(b, nr * n, sizeof(double));
  w->scratch = dm_block_alloc(b, nr ? w->s->contacts->rows.scratch : 0, 1);
}

static pushes *make_pushes(const dm_trajectory *x, const dm_system *s) {
  pushes sizes = {.s = s, .n = x->n, .nr = s->contacts ? x->nr : 0};
  return dm_block_make(&sizes, sizeof sizes, lay_out_pushes);
}

static dm_status push_knot(pushes *w, const dm_trajectory *x, int k, const double **p) {
  memcpy(w->p, x->p + k * w->n, (size_t)w->n * sizeof *w->p);
  *p = w->p;
  if (!w->nr) return DM_OK;
  return dm_contact_laws_push(w->s->contacts, w->n, w->scratch, w->r, w->Dr, x->q + k * w->n,
                              x->contact + k * w->nr, w->p);
}

dm_status dm_trajectory_rollout(dm_trajectory *x, dm_del *w, dm_del_info *info, int *failed) {
  int n = x->n, k = 0;
  dm_status status = DM_OK;
  pushes *impulses = make_pushes(x, &w->d->s);
  *failed = -1;
  if (!impulses) return DM_NO_MEMORY;
  for (; k < x->N; k++) {
    const double *q0 = x->q + k * n;
    double *q1 = x->q + (k + 1) * n;

    // guess q_k + (q_k - q_k-1) h_k / h_k-1; the first step starts from rest
    const double longer = k > 0 ? dm_grid_step(x->grid, k) / dm_grid_step(x->grid, k - 1) : 1;
    for (int i = 0; i < n; i++) q1[i] = k > 0 ? (1 + longer) * q0[i] - longer * q0[i - n] : q0[i];
    const double *p0;
    status = push_knot(impulses, x, k, &p0);
    if (status == DM_OK)
      status = dm_del_step(w, q0, p0, x->u + k * x->nu, dm_trajectory_step(x, k), q1,
                           x->p + (k + 1) * n, info);
    // also for a failed step: the last iterate
    memcpy(x->lambda + k * x->nc, w->lambda, (size_t)x->nc * sizeof *x->lambda);
    if (status == DM_OK) continue;
    *failed = k;
    break;
  }
  dm_block_free(impulses);

  // velocities as far as the simulation went; the step's failure has priority unless memory ran out
  dm_continuous *c;
  DM_TRY(dm_continuous_new(&c, &w->d->s));
  const dm_status filled = fill_velocities(x, c, k);
  dm_continuous_free(c);
  return status == DM_OK || filled == DM_NO_MEMORY ? filled : status;
}

double dm_trajectory_miss(const dm_trajectory *x, int k, const dm_scale *scale, const double *q,
                          const double *p) {
  const double *q1 = x->q + k * x->n, *p1 = x->p + k * x->n;
  double gap = 0;
  for (int i = 0; i < x->n; i++) {
    gap = fmax(gap, fabs(q[i] - q1[i]) / ((scale ? scale->q[i] : 1) + fabs(q1[i])));
    gap = fmax(gap, fabs(p[i] - p1[i]) / ((scale ? scale->p[i] : 1) + fabs(p1[i])));
  }
  return gap;
}

dm_status dm_trajectory_certify(const dm_trajectory *x, dm_del *w, const dm_scale *scale,
                                double *worst_gap, int *worst) {
  int n = x->n;
  dm_trajectory *step;
  DM_TRY(dm_trajectory_new(&step, 1, n, x->nu));
  pushes *impulses = make_pushes(x, &w->d->s);
  if (!impulses) {
    dm_trajectory_free(step);
    return DM_NO_MEMORY;
  }
  *worst_gap = 0;
  *worst = 0;
  for (int k = 0; k < x->N; k++) {
    const double *q1 = x->q + (k + 1) * n;
    dm_del_info info;

    // one step with the known result as the guess, so that Newton's method converges to it
    memcpy(step->q, q1, (size_t)n * sizeof(double));
    // initial guess: the step's own impulses
    memcpy(w->lambda, x->lambda + k * x->nc, (size_t)x->nc * sizeof *x->lambda);
    const double *p0;
    dm_status s = push_knot(impulses, x, k, &p0);
    if (s == DM_OK)
      s = dm_del_step(w, x->q + k * n, p0, x->u + k * x->nu, dm_trajectory_step(x, k), step->q,
                      step->p, &info);

    const double gap =
        s == DM_OK ? dm_trajectory_miss(x, k + 1, scale, step->q, step->p) : INFINITY;
    if (gap > *worst_gap) {
      *worst_gap = gap;
      *worst = k;
    }
  }
  dm_block_free(impulses);
  dm_trajectory_free(step);
  return DM_OK;
}

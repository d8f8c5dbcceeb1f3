#include "lib/contact/impact.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double small = 1e-12; // approaching less, over |G_i| and a speed, is rounding

static void lay_out(void *self, dm_block *b) {
  dm_impact *w = self;
  size_t n = (size_t)w->n, na = (size_t)w->na, most = (size_t)w->most;
  double **vectors[] = {&w->p, &w->v, &w->v0, &w->d, &w->Wd};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_take(b, n, sizeof(double));
  w->WA = dm_take(b, na * n, sizeof *w->WA);
  w->S = dm_take(b, na * na, sizeof *w->S);
  w->piv = dm_take(b, na, sizeof *w->piv);
  w->c = dm_take(b, na, sizeof *w->c);
  w->G = dm_take(b, most * n, sizeof *w->G);
  w->WG = dm_take(b, most * n, sizeof *w->WG);
  w->size = dm_take(b, most, sizeof *w->size);
  w->V = dm_take(b, most, sizeof *w->V);
  w->lambda = dm_take(b, most, sizeof *w->lambda);
  w->r0 = dm_take(b, most, sizeof *w->r0);
  w->b = dm_take(b, most, sizeof *w->b);
}

dm_status dm_impact_new(dm_impact **out, int n, int na, int most) {
  dm_impact sizes = {.n = n, .na = na, .most = most};
  dm_impact *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_nnls_new(&w->nnls, n, most);
  if (status != DM_OK) {
    dm_impact_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_impact_free(dm_impact *w) {
  if (w) dm_nnls_free(w->nnls);
  dm_block_free(w);
}

// the rows less what equality constraints take up, and W times them
static dm_status project(dm_impact *w, const dm_conserved *E, const double *A, int m,
                         const double *G) {
  const int n = w->n, na = w->na;
  memcpy(w->G, G, (size_t)(m * n) * sizeof *G);
  DM_TRY(E->metric(E->self, m, w->G, w->WG));
  if (na) {
    DM_TRY(E->metric(E->self, na, A, w->WA));
    for (int i = 0; i < na; i++)
      for (int j = 0; j < na; j++) w->S[i * na + j] = dm_inner(n, A + i * n, w->WA + j * n);
    DM_TRY(dm_lu_factor(na, w->S, w->piv));
  }
  for (int i = 0; i < m; i++) {
    double *Gi = w->G + i * n, *WGi = w->WG + i * n;
    for (int a = 0; a < na; a++) w->c[a] = dm_inner(n, w->WA + a * n, Gi);
    if (na) dm_lu_solve(na, w->S, w->piv, 1, w->c);
    for (int a = 0; a < na; a++)
      dm_add_to(n, -w->c[a], A + a * n, Gi), dm_add_to(n, -w->c[a], w->WA + a * n, WGi);
    double square = dm_inner(n, Gi, WGi);
    if (!isfinite(square)) return DM_NOT_FINITE;
    w->size[i] = sqrt(fmax(square, 0));
    // what constraints hold altogether
    double before = sqrt(dm_inner(n, G + i * n, G + i * n)), after = sqrt(dm_inner(n, Gi, Gi));
    if (after <= 1e-12 * before) w->size[i] = 0;
    if (w->size[i] == 0)
      memset(Gi, 0, (size_t)n * sizeof *Gi), memset(WGi, 0, (size_t)n * sizeof *WGi);
  }
  return DM_OK;
}

// what impulses lambda [m] along rows `which` (NULL: all) do: w->d to p, w->Wd to v
static void sum(dm_impact *w, int m, const int *which, const double *lambda) {
  memset(w->d, 0, (size_t)w->n * sizeof *w->d);
  memset(w->Wd, 0, (size_t)w->n * sizeof *w->Wd);
  for (int i = 0; i < m; i++) {
    int at = (which ? which[i] : i) * w->n;
    dm_add_to(w->n, lambda[i], w->G + at, w->d);
    dm_add_to(w->n, lambda[i], w->WG + at, w->Wd);
  }
}

// and it is done, a times
static void go(dm_impact *w, double a) {
  dm_add_to(w->n, a, w->d, w->p), dm_add_to(w->n, a, w->Wd, w->v);
}

// The root a near 2 of E(p + a d) = E0, by secants; 2 where there is none within (1,4).
static dm_status root(dm_impact *w, const dm_conserved *E, double E0, double *a) {
  enum { MOST = 30 };
  double at[2] = {*a, *a * (1 + 1e-3)}, off[2], value;
  for (int k = 0; k < MOST; k++) {
    int i = k % 2;
    memcpy(w->v0, w->p, (size_t)w->n * sizeof *w->p);
    dm_add_to(w->n, at[i], w->d, w->v0);
    DM_TRY(E->value(E->self, true, w->v0, &value));
    if (!isfinite(value)) return DM_NOT_FINITE;
    off[i] = value - E0;
    if (fabs(off[i]) <= 4 * DBL_EPSILON * fmax(fabs(E0), fabs(value))) {
      *a = at[i];
      break;
    }
    if (k == 0) continue;
    double step = off[i] * (at[i] - at[!i]) / (off[i] - off[!i]);
    if (fabs(step) <= 4 * DBL_EPSILON) *a = at[i];
    at[!i] = at[i] - step;
    if (!(fabs(step) > 4 * DBL_EPSILON && at[!i] > 1 && at[!i] < 4)) break;
  }
  return DM_OK;
}

// rows that approach; returns how many, or all of them if one does
static int approaching(dm_impact *w, dm_impact_law impact, int m, double tol) {
  int count = 0;
  for (int i = 0; i < m; i++)
    if (dm_inner(w->n, w->G + i * w->n, w->v) < -tol * w->size[i]) w->V[count++] = i;
  if (impact == DM_GENERALIZED || count == 0) return count;
  for (int i = 0; i < m; i++) w->V[i] = i;
  return m;
}

// algorithms 2 and 3: w->p, w->v, r
static dm_status elastic(dm_impact *w, dm_impact_law impact, const dm_conserved *E, int m,
                         double E0, double tol, double *r, dm_impact_info *info) {
  const int n = w->n, limit = 50 + 20 * m;
  for (;;) {
    int count = approaching(w, impact, m, tol);
    if (count == 0) return DM_OK;
    if (info->passes == limit) return DM_MAX_ITER;
    info->passes++;
    for (int i = 0; i < count; i++) w->b[i] = dm_inner(n, w->G + w->V[i] * n, w->v);
    dm_status status = dm_nnls_solve(w->nnls, count, w->V, w->G, w->WG, w->b, tol, w->lambda);
    if (status != DM_OK) return status;
    sum(w, count, w->V, w->lambda);
    double a = 2;
    if (E->value) DM_TRY(root(w, E, E0, &a));
    go(w, a);
    for (int i = 0; i < count; i++) r[w->V[i]] += a * w->lambda[i];
  }
}

// Bring what approaches to rest: w->p, w->v, by impulses w->r0.
static dm_status rest(dm_impact *w, int m, double tol) {
  for (int i = 0; i < m; i++) w->b[i] = dm_inner(w->n, w->G + i * w->n, w->v);
  DM_TRY(dm_nnls_solve(w->nnls, m, NULL, w->G, w->WG, w->b, tol, w->r0));
  sum(w, m, NULL, w->r0);
  go(w, 1);
  return DM_OK;
}

// From the elastic impulses r towards those after which nothing bounces: w->p, w->v, r.
static dm_status damp(dm_impact *w, int m, const double *e, double tol, const double *p,
                      double *r) {
  const int n = w->n;
  const double before = dm_inner(n, p, w->v0) / 2;
  memcpy(w->p, p, (size_t)n * sizeof *p);
  memcpy(w->v, w->v0, (size_t)n * sizeof *w->v);
  DM_TRY(rest(w, m, tol));
  for (int i = 0; i < m; i++) w->lambda[i] = e[i] * (r[i] - w->r0[i]), r[i] = w->r0[i];
  for (double s = 1;;) {
    memcpy(w->p, p, (size_t)n * sizeof *p);
    memcpy(w->v, w->v0, (size_t)n * sizeof *w->v);
    sum(w, m, NULL, r);
    go(w, 1);
    sum(w, m, NULL, w->lambda);
    // the s at which p + s d has the energy of before
    double lost = fmax(before - dm_inner(n, w->p, w->v) / 2, 0), a = dm_inner(n, w->d, w->Wd) / 2;
    double b = dm_inner(n, w->d, w->v), most = 2 * lost / (b + sqrt(b * b + 4 * a * lost));
    go(w, s);
    DM_TRY(rest(w, m, tol));
    if (dm_inner(n, w->p, w->v) / 2 <= before * (1 + 4 * DBL_EPSILON) || !(most < s)) {
      for (int i = 0; i < m; i++) r[i] += s * w->lambda[i] + w->r0[i];
      return DM_OK;
    }
    s = most;
  }
}

dm_status dm_impact_apply(dm_impact *w, dm_impact_law impact, const dm_conserved *E,
                          const double *A, int m, const double *G, const double *e, double *p,
                          double *r, dm_impact_info *info) {
  const int n = w->n;
  bool plastic = false;
  double E0 = 0, E1 = 0;
  *info = (dm_impact_info){.worst = -1};
  memset(r, 0, (size_t)m * sizeof *r);
  if (m == 0) return DM_OK;
  DM_TRY(project(w, E, A, m, G));
  memcpy(w->p, p, (size_t)n * sizeof *p);
  DM_TRY(E->metric(E->self, 1, p, w->v));
  double before = dm_inner(n, p, w->v) / 2, tol = small * fmax(E->slow, sqrt(fmax(2 * before, 0)));
  if (!isfinite(before)) return DM_NOT_FINITE;
  if (E->value) DM_TRY(E->value(E->self, false, p, &E0));
  dm_status status = elastic(w, impact, E, m, E0, tol, r, info);
  if (status < 0) return status;
  for (int i = 0; e && i < m; i++) plastic |= e[i] < 1 && r[i] > 0;
  if (plastic) {
    DM_TRY(E->metric(E->self, 1, p, w->v0));
    DM_TRY(damp(w, m, e, tol, p, r));
    info->passes++;
  }
  for (int i = 0; i < m; i++) {
    double y = dm_inner(n, w->G + i * n, w->v);
    info->reflected += r[i] > 0;
    if (!(y < -tol * w->size[i] && -y / w->size[i] > info->approaching)) continue;
    info->approaching = -y / w->size[i], info->worst = i;
  }
  if (E->value)
    DM_TRY(E->value(E->self, true, w->p, &E1));
  else
    E0 = before, E1 = dm_inner(n, w->p, w->v) / 2;
  info->gained = E1 - E0;
  memcpy(p, w->p, (size_t)n * sizeof *p);
  return status;
}

#include "lib/discrete/equilibrium.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct work {
  const dm_system *s;
  dm_interval *d;
  dm_kkt *k;
  int n, nu, rows, room;
  int nm, *move; // coordinates that may move [nm]
  int nf, *free; // forces to be found [nf]
  double h;
  double size;       // of a force that an unknown, off by as much as itself or by 1, is worth
  double *q, *u, *f; // [n], [nu + nk], [nc] the constraints' forces, lambda / h
  double *F, *J;     // [rows], and its Jacobian by (move, free, f) by columns
  double *H;         // [n x n] D2h f
  double *step, *singular, *ws; // LAPACK's
  int *iws;
} work;

static void lay_out(void *self, dm_block *b) {
  work *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->s->hol.nc, m = (size_t)dm_system_inputs(w->s);
  size_t rows = (size_t)w->rows, cols = n + m + nc, most = rows > cols ? rows : cols;
  const struct {
    double **at;
    size_t count;
  } all[] = {{&w->q, n},       {&w->u, m},           {&w->f, nc},
             {&w->F, rows},    {&w->H, n * n},       {&w->J, rows * cols},
             {&w->step, most}, {&w->singular, most}, {&w->ws, (size_t)w->room}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].at = dm_take(b, all[i].count, sizeof(double));
  w->move = dm_take(b, n, sizeof *w->move);
  w->free = dm_take(b, m, sizeof *w->free);
  w->iws = dm_take(b, 128 * most, sizeof *w->iws);
}

static void work_free(work *w) {
  dm_interval_free(w->d);
  dm_kkt_free(w->k);
  dm_block_free(w);
}

static dm_status work_new(work **out, const dm_system *s, const bool *held, const bool *given,
                          double h) {
  int n = s->L.nq, nc = s->hol.nc, most = n + dm_system_inputs(s) + nc;
  work sizes = {.s = s, .n = n, .nu = s->nu, .rows = n - s->nk + nc, .h = h};
  sizes.room = 200 * most + most * most + 2000; // LAPACK's dgelsd
  work *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    work_free(w);
    return status;
  }
  for (int i = 0; i < w->k->nd; i++)
    if (!held || !held[w->k->dyn[i]]) w->move[w->nm++] = w->k->dyn[i];
  for (int j = 0; j < s->nu; j++)
    if (!given || !given[j]) w->free[w->nf++] = j;
  *out = w;
  return DM_OK;
}

// F at (q, u, f)
static dm_status evaluate(work *w) {
  dm_kkt *k = w->k;
  DM_TRY(dm_interval_eval(w->d, 2, w->q, w->q, w->u, w->h));
  DM_TRY(dm_kkt_end(k, w->q));
  for (int r = 0; r < k->nd; r++) {
    int i = k->dyn[r];
    double pull = 0;
    for (int c = 0; c < k->nc; c++) pull += k->Dh1[c * k->n + i] * w->f[c];
    w->F[r] = (w->d->D1[i] + w->d->D2[i]) / w->h - pull;
  }
  for (int c = 0; c < k->nc; c++) w->F[k->nd + c] = k->h[c];
  return DM_OK;
}

// |F|, INFINITY where it cannot be evaluated
static double distance(work *w) {
  double sum = 0;
  if (evaluate(w) != DM_OK) return INFINITY;
  for (int r = 0; r < w->rows; r++) sum += w->F[r] * w->F[r];
  return isfinite(sum) ? sqrt(sum) : INFINITY;
}

// by the order of J's columns
static double unknown(const work *w, int a) {
  if (a < w->nm) return w->q[w->move[a]];
  return a < w->nm + w->nf ? w->u[w->free[a - w->nm]] : w->f[a - w->nm - w->nf];
}

// the least step with J step = -F, or the one that leaves least of it
static void least_step(work *w) {
  const dm_kkt *k = w->k;
  const dm_interval *d = w->d;
  int n = w->n, nd = k->nd, nc = k->nc, rows = w->rows, cols = w->nm + w->nf + nc, rank;
  memset(w->J, 0, (size_t)(rows * cols) * sizeof *w->J);
  memset(w->H, 0, (size_t)(n * n) * sizeof *w->H);
  if (nc) w->s->hol.contract(w->s->hol.self, k->scratch, w->q, w->f, w->H);
  for (int a = 0; a < w->nm; a++) { // by coordinates
    double *J = w->J + a * rows;
    int j = w->move[a];
    for (int r = 0; r < nd; r++) {
      int at = k->dyn[r] * n + j;
      J[r] = (d->D11[at] + d->D12[at] + d->D21[at] + d->D22[at]) / w->h - w->H[at];
    }
    for (int c = 0; c < nc; c++) J[nd + c] = k->Dh1[c * n + j];
  }
  for (int a = 0; a < w->nf; a++) // by forces
    for (int z = 0; z < d->nz; z++)
      for (int r = 0; r < nd && d->col[z] == w->free[a]; r++)
        if (k->dyn[r] == d->row[z]) w->J[(w->nm + a) * rows + r] += (d->D1u[z] + d->D2u[z]) / w->h;
  for (int c = 0; c < nc; c++) // by the constraints'
    for (int r = 0; r < nd; r++) w->J[(w->nm + w->nf + c) * rows + r] = -k->Dh1[c * n + k->dyn[r]];
  w->size = 0;
  for (int a = 0; a < cols; a++)
    for (int r = 0; r < nd; r++)
      w->size = fmax(w->size, fabs(w->J[a * rows + r]) * fmax(1, fabs(unknown(w, a))));
  int most = rows > cols ? rows : cols;
  memset(w->step, 0, (size_t)most * sizeof *w->step);
  for (int r = 0; r < rows; r++) w->step[r] = -w->F[r];
  if (rows && cols)
    LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, cols, 1, w->J, rows, w->step, most, w->singular,
                        1e-12, &rank, w->ws, w->room, w->iws);
}

static void go(work *w, double t) {
  for (int a = 0; a < w->nm; a++) w->q[w->move[a]] += t * w->step[a];
  for (int a = 0; a < w->nf; a++) w->u[w->free[a]] += t * w->step[w->nm + a];
  for (int c = 0; c < w->k->nc; c++) w->f[c] += t * w->step[w->nm + w->nf + c];
}

// what is farthest from rest, in a sentence
static dm_status left_over(const work *w, const char *const *name, dm_message *msg) {
  const dm_kkt *k = w->k;
  int worst = 0;
  for (int r = 0; r < w->rows; r++)
    if (fabs(w->F[r]) > fabs(w->F[worst])) worst = r;
  double off = fabs(w->F[worst]);
  if (worst >= k->nd) {
    const dm_holonomic *hol = &w->s->hol;
    return dm_fail(msg, DM_INFEASIBLE,
                   "no place of rest is near there: constraint '%s' is off by %.3g",
                   hol->row_name ? hol->row_name(hol->self, worst - k->nd) : "?", off);
  }
  char number[32];
  int i = k->dyn[worst];
  snprintf(number, sizeof number, "coordinate %d", i);
  return dm_fail(msg, DM_INFEASIBLE,
                 "no place of rest is near there: a force of %.3g is left over on %s", off,
                 name ? name[i] : number);
}

static dm_status search(work *w, const char *const *name, dm_message *msg) {
  enum { MAX_ITER = 100, HALVINGS = 30 };
  double off = distance(w);
  for (int iter = 0; iter < MAX_ITER && off > 1e-15 * w->size && off < INFINITY; iter++) {
    double before = off, t = 1;
    least_step(w);
    go(w, t);
    for (int i = 0; !((off = distance(w)) < before) && i < HALVINGS; i++, t /= 2) go(w, -t / 2);
    if (off < before) continue;
    go(w, -t); // rounding, or a place where |F| is least
    off = distance(w);
    break;
  }
  if (off == INFINITY) return dm_fail(msg, DM_NOT_FINITE, "%s", dm_status_text(DM_NOT_FINITE));
  for (int r = 0; r < w->rows; r++) // forces and constraints have units of their own
    if (fabs(w->F[r]) > 1e-10 * (r < w->k->nd ? fmax(1, w->size) : 1))
      return left_over(w, name, msg);
  return DM_OK;
}

dm_status dm_equilibrium_find(const dm_system *s, const bool *held, const bool *given, double h,
                              double *q, double *u, double *lambda, const char *const *name,
                              dm_message *msg) {
  work *w;
  dm_status status = work_new(&w, s, held, given, h);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  memcpy(w->q, q, (size_t)w->n * sizeof *q);
  if (s->nu) memcpy(w->u, u, (size_t)s->nu * sizeof *u);
  for (int j = 0; j < s->nk; j++) w->u[s->nu + j] = q[w->k->kin[j]];
  status = search(w, name, msg);
  if (status == DM_OK) {
    memcpy(q, w->q, (size_t)w->n * sizeof *q);
    memcpy(u, w->u, (size_t)dm_system_inputs(s) * sizeof *u);
    for (int c = 0; c < s->hol.nc; c++) lambda[c] = w->h * w->f[c];
  }
  work_free(w);
  return status;
}

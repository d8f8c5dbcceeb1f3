#include "lib/discrete/equilibrium.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct equilibrium {
  const dm_system *s;
  dm_interval *d;
  dm_kkt *k;
  int n, nu;
  int rows;             // of F: dynamic coordinates, then constraints
  int lapack_size;      // of lapack
  int nq_free, *free_q; // coordinates that may move [nq_free]
  int nu_free, *free_u; // forces to be found [nu_free]
  double h;
  double size;       // of a force that an unknown, off by as much as itself or by 1, is worth
  double *q, *u, *f; // [n], [nu + nk], [nc] the constraints' forces, lambda / h
  double *F, *J;     // [rows], and its Jacobian by (free_q, free_u, f), column by column
  double *H;         // [n x n] D2h f
  double *step;      // [rows or columns] the unknowns' change, as J's columns
  double *singular, *lapack; // LAPACK's
  int *ilapack;
} equilibrium;

static void lay_out_equilibrium(void *self, dm_block *b) {
  equilibrium *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->s->hol.nc, m = (size_t)dm_system_inputs(w->s);
  size_t rows = (size_t)w->rows, cols = n + m + nc, most = rows > cols ? rows : cols;

  // unknowns, equations, and what LAPACK needs for as many of either
  const struct {
    double **at;
    size_t count;
  } all[] = {{&w->q, n},       {&w->u, m},           {&w->f, nc},
             {&w->F, rows},    {&w->H, n * n},       {&w->J, rows * cols},
             {&w->step, most}, {&w->singular, most}, {&w->lapack, (size_t)w->lapack_size}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].at = dm_block_alloc(b, all[i].count, sizeof(double));

  w->free_q = dm_block_alloc(b, n, sizeof *w->free_q);
  w->free_u = dm_block_alloc(b, m, sizeof *w->free_u);
  w->ilapack = dm_block_alloc(b, 128 * most, sizeof *w->ilapack);
}

static void free_equilibrium(equilibrium *w) {
  dm_interval_free(w->d);
  dm_kkt_free(w->k);
  dm_block_free(w);
}

static dm_status new_equilibrium(equilibrium **out, const dm_system *s, const bool *fixed,
                                 const bool *given, double h) {
  int n = s->L.nq, nc = s->hol.nc, most = n + dm_system_inputs(s) + nc;
  equilibrium sizes = {.s = s, .n = n, .nu = s->nu, .rows = n - s->nk + nc, .h = h};

  // as dgelsd asks for at most, with rows and columns up to `most`
  sizes.lapack_size = 200 * most + most * most + 2000; // LAPACK's dgelsd
  equilibrium *w = dm_block_make(&sizes, sizeof sizes, lay_out_equilibrium);
  if (!w) return DM_NO_MEMORY;

  // the map whose rest is sought
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    free_equilibrium(w);
    return status;
  }

  // unknowns: dynamic coordinates that are not fixed, forces that are not given
  for (int i = 0; i < w->k->nd; i++)
    if (!fixed || !fixed[w->k->dyn[i]]) w->free_q[w->nq_free++] = w->k->dyn[i];
  for (int j = 0; j < s->nu; j++)
    if (!given || !given[j]) w->free_u[w->nu_free++] = j;
  *out = w;
  return DM_OK;
}

// F at (q, u, f): (D1 + D2)/h - Dh'f, and h(q)
static dm_status evaluate_rest(equilibrium *w) {
  dm_kkt *k = w->k;
  DM_TRY(dm_interval_eval(w->d, 2, w->q, w->q, w->u, w->h));
  DM_TRY(dm_kkt_end(k, w->q));

  // forces left over on dynamic coordinates
  for (int r = 0; r < k->nd; r++) {
    int i = k->dyn[r];
    double of_constraints = 0;
    for (int c = 0; c < k->nc; c++) of_constraints += k->Dh1[c * k->n + i] * w->f[c];
    w->F[r] = (w->d->D1[i] + w->d->D2[i]) / w->h - of_constraints;
  }

  // residuals of constraints
  for (int c = 0; c < k->nc; c++) w->F[k->nd + c] = k->h[c];
  return DM_OK;
}

// |F|, INFINITY where it cannot be evaluated
static double distance_from_rest(equilibrium *w) {
  // rows of unlike units are added as they are: only the fall of the sum is looked at
  double sum = 0;
  if (evaluate_rest(w) != DM_OK) return INFINITY;
  for (int r = 0; r < w->rows; r++) sum += w->F[r] * w->F[r];
  return isfinite(sum) ? sqrt(sum) : INFINITY;
}

// the unknown of J's column a
static double unknown_value(const equilibrium *w, int a) {
  if (a < w->nq_free) return w->q[w->free_q[a]];
  return a < w->nq_free + w->nu_free ? w->u[w->free_u[a - w->nq_free]]
                                     : w->f[a - w->nq_free - w->nu_free];
}

// J, the derivatives of F by coordinates, forces and constraints' forces
static void fill_jacobian(equilibrium *w, int cols) {
  const dm_kkt *k = w->k;
  const dm_interval *d = w->d;
  int n = w->n, nd = k->nd, nc = k->nc, rows = w->rows;
  memset(w->J, 0, (size_t)(rows * cols) * sizeof *w->J);
  memset(w->H, 0, (size_t)(n * n) * sizeof *w->H);
  if (nc) w->s->hol.contract(w->s->hol.self, k->scratch, w->q, w->f, w->H);

  // by coordinates, which are both ends of the interval: (D11 + D12 + D21 + D22)/h - D2h f, and Dh
  for (int a = 0; a < w->nq_free; a++) {
    double *J = w->J + a * rows;
    int j = w->free_q[a];
    for (int r = 0; r < nd; r++) {
      int at = k->dyn[r] * n + j;
      J[r] = (d->D11[at] + d->D12[at] + d->D21[at] + d->D22[at]) / w->h - w->H[at];
    }
    for (int c = 0; c < nc; c++) J[nd + c] = k->Dh1[c * n + j];
  }

  // by forces: (D1u + D2u)/h
  for (int a = 0; a < w->nu_free; a++)
    for (int z = 0; z < d->nz; z++)
      for (int r = 0; r < nd && d->col[z] == w->free_u[a]; r++)
        if (k->dyn[r] == d->row[z])
          w->J[(w->nq_free + a) * rows + r] += (d->D1u[z] + d->D2u[z]) / w->h;

  // by the constraints' forces: -Dh'
  for (int c = 0; c < nc; c++)
    for (int r = 0; r < nd; r++)
      w->J[(w->nq_free + w->nu_free + c) * rows + r] = -k->Dh1[c * n + k->dyn[r]];
}

// the least step with J step = -F, or the one that leaves least of it; also the size of a force
static void find_rest_step(equilibrium *w) {
  int nd = w->k->nd, rows = w->rows, cols = w->nq_free + w->nu_free + w->k->nc, rank;
  fill_jacobian(w, cols);

  // what a force counts for: the largest that an unknown contributes
  w->size = 0;
  for (int a = 0; a < cols; a++)
    for (int r = 0; r < nd; r++)
      w->size = fmax(w->size, fabs(w->J[a * rows + r]) * fmax(1, fabs(unknown_value(w, a))));

  // singular values below 1e-12 of the largest count as directions that nothing determines
  int most = rows > cols ? rows : cols;
  memset(w->step, 0, (size_t)most * sizeof *w->step);
  for (int r = 0; r < rows; r++) w->step[r] = -w->F[r];
  if (rows && cols)
    LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, cols, 1, w->J, rows, w->step, most, w->singular,
                        1e-12, &rank, w->lapack, w->lapack_size, w->ilapack);
}

// the unknowns plus t times the step
static void move_unknowns(equilibrium *w, double t) {
  for (int a = 0; a < w->nq_free; a++) w->q[w->free_q[a]] += t * w->step[a];
  for (int a = 0; a < w->nu_free; a++) w->u[w->free_u[a]] += t * w->step[w->nq_free + a];
  for (int c = 0; c < w->k->nc; c++) w->f[c] += t * w->step[w->nq_free + w->nu_free + c];
}

// what is farthest from rest, in a sentence
static dm_status explain_rest(const equilibrium *w, const char *const *name, dm_message *msg) {
  const dm_kkt *k = w->k;

  int worst = 0;
  for (int r = 0; r < w->rows; r++)
    if (fabs(w->F[r]) > fabs(w->F[worst])) worst = r;
  double off = fabs(w->F[worst]);

  // a constraint
  if (worst >= k->nd) {
    const dm_holonomic *hol = &w->s->hol;
    return dm_fail(msg, DM_INFEASIBLE,
                   "no equilibrium is near there: constraint '%s' is off by %.3g m or rad",
                   hol->row_name ? hol->row_name(hol->self, worst - k->nd) : "?", off);
  }

  // or a coordinate, by its name or number
  char number[32];
  int i = k->dyn[worst];
  snprintf(number, sizeof number, "coordinate %d", i);
  return dm_fail(msg, DM_INFEASIBLE,
                 "no equilibrium is near there: a force of %.3g N or N m remains on %s", off,
                 name ? name[i] : number);
}

// Newton's method with least steps, halved until |F| falls
static dm_status search_rest(equilibrium *w, const char *const *name, dm_message *msg) {
  enum { MAX_ITER = 100, HALVINGS = 30 };
  double off = distance_from_rest(w);
  for (int iter = 0; iter < MAX_ITER && off > 1e-15 * w->size && off < INFINITY; iter++) {
    double before = off, t = 1;
    find_rest_step(w);
    move_unknowns(w, t);

    // the whole step at first, then back by half of it at a time
    off = distance_from_rest(w);
    for (int i = 0; !(off < before) && i < HALVINGS; i++, t /= 2) {
      move_unknowns(w, -t / 2);
      off = distance_from_rest(w);
    }
    if (off < before) continue;

    // rounding, or a place where |F| is least: back to where the step began
    move_unknowns(w, -t);
    off = distance_from_rest(w);
    break;
  }
  if (off == INFINITY) return dm_fail(msg, DM_NOT_FINITE, "%s", dm_status_text(DM_NOT_FINITE));

  // forces and constraints have units of their own
  for (int r = 0; r < w->rows; r++)
    if (fabs(w->F[r]) > 1e-10 * (r < w->k->nd ? fmax(1, w->size) : 1))
      return explain_rest(w, name, msg);
  return DM_OK;
}

dm_status dm_equilibrium_find(const dm_system *s, const bool *fixed, const bool *given, double h,
                              double *q, double *u, double *lambda, const char *const *name,
                              dm_message *msg) {
  equilibrium *w;
  dm_status status = new_equilibrium(&w, s, fixed, given, h);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));

  // the guess; kinematic coordinates stay where they are
  memcpy(w->q, q, (size_t)w->n * sizeof *q);
  if (s->nu) memcpy(w->u, u, (size_t)s->nu * sizeof *u);
  for (int j = 0; j < s->nk; j++) w->u[s->nu + j] = q[w->k->kin[j]];

  status = search_rest(w, name, msg);

  // forces of constraints become impulses of a step
  if (status == DM_OK) {
    memcpy(q, w->q, (size_t)w->n * sizeof *q);
    memcpy(u, w->u, (size_t)dm_system_inputs(s) * sizeof *u);
    for (int c = 0; c < s->hol.nc; c++) lambda[c] = w->h * w->f[c];
  }

  free_equilibrium(w);
  return status;
}

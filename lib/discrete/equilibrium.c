#include "lib/discrete/equilibrium.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/kkt_matrix.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct equilibrium {
  const dm_system *s;
  dm_interval *d;
  dm_kkt *k;
  int n, nu;
  int rows;             // length of F: dynamic coordinates, then constraints
  int lapack_size;      // length of lapack
  int nq_free, *free_q; // coordinates that may move [nq_free]
  int nu_free, *free_u; // unknown forces [nu_free]
  double h;
  double *q, *u, *f;         // [n], [nu + nk], [nc] constraint forces lambda / h
  double *F, *J;             // [rows], and its Jacobian by (free_q, free_u, f), column-major
  double *H;                 // [n x n] D2h f
  double *size;              // [n] scales of coordinates: 1 for an angle, the robot's length for a
                             // length
  double *terms, *most;      // [rows] size of the canceling terms of F here, and the largest so far
  double *row, *column;      // [rows], [columns] factors that make J dimensionless
  double *step;              // [rows or columns] Newton step, in the order of the columns of J
  double *singular, *lapack; // workspace of LAPACK
  int *ilapack;
} equilibrium;

static void lay_out_equilibrium(void *self, dm_block *b) {
  equilibrium *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->s->hol.nc, m = (size_t)dm_system_inputs(w->s);
  size_t rows = (size_t)w->rows, cols = n + m + nc, most = rows > cols ? rows : cols;

  // unknowns, equations, and LAPACK's arrays for the larger number
  const struct {
    double **at;
    size_t count;
  } all[] = {{&w->q, n},           {&w->u, m},
             {&w->f, nc},          {&w->F, rows},
             {&w->H, n * n},       {&w->J, rows * cols},
             {&w->size, n},        {&w->terms, rows},
             {&w->most, rows},     {&w->row, rows},
             {&w->column, cols},   {&w->step, most},
             {&w->singular, most}, {&w->lapack, (size_t)w->lapack_size}};
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

  // upper bound for dgelsd, with up to `most` rows and columns
  sizes.lapack_size = 200 * most + most * most + 2000; // for dgelsd
  equilibrium *w = dm_block_make(&sizes, sizeof sizes, lay_out_equilibrium);
  if (!w) return DM_NO_MEMORY;

  // the map whose equilibrium is computed
  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    free_equilibrium(w);
    return status;
  }

  // unknowns: dynamic coordinates that are not fixed, and forces that are not given
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

  // force balance of dynamic coordinates
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

// weighted |F|, INFINITY if it cannot be evaluated
static double distance_from_rest(equilibrium *w) {
  double sum = 0;
  if (evaluate_rest(w) != DM_OK) return INFINITY;
  for (int r = 0; r < w->rows; r++) sum += w->row[r] * w->F[r] * (w->row[r] * w->F[r]);
  return isfinite(sum) ? sqrt(sum) : INFINITY;
}

// -- scales

// entry (r,j) of the stiffness, (D11 + D12 + D21 + D22)/h - D2h f
static double stiffness(const equilibrium *w, int r, int j) {
  const dm_interval *d = w->d;
  const int at = w->k->dyn[r] * w->n + j;
  return (d->D11[at] + d->D12[at] + d->D21[at] + d->D22[at]) / w->h - w->H[at];
}

// w->terms: for forces the largest contribution of coordinates (changed by their scale), inputs and
// constraints; for constraints that of coordinates
static void size_terms(equilibrium *w) {
  const dm_kkt *k = w->k;
  const dm_interval *d = w->d;
  // force rows
  memset(w->terms, 0, (size_t)w->rows * sizeof *w->terms);
  for (int r = 0; r < k->nd; r++) {
    double *term = &w->terms[r];
    for (int j = 0; j < w->n; j++) *term = fmax(*term, fabs(stiffness(w, r, j)) * w->size[j]);
    for (int c = 0; c < k->nc; c++)
      *term = fmax(*term, fabs(k->Dh1[c * k->n + k->dyn[r]] * w->f[c]));
    for (int z = 0; z < d->nz; z++)
      if (k->dyn[r] == d->row[z])
        *term = fmax(*term, fabs((d->D1u[z] + d->D2u[z]) / w->h * w->u[d->col[z]]));
  }
  // constraint rows
  for (int c = 0; c < k->nc; c++)
    for (int j = 0; j < w->n; j++)
      w->terms[k->nd + c] = fmax(w->terms[k->nd + c], fabs(k->Dh1[c * k->n + j]) * w->size[j]);
  for (int r = 0; r < w->rows; r++) w->most[r] = fmax(w->most[r], w->terms[r]);
}

// H, scales and terms at w->q, after F was evaluated there
static dm_status measure_rest(equilibrium *w) {
  const dm_kkt *k = w->k;
  memset(w->H, 0, (size_t)(w->n * w->n) * sizeof *w->H);
  if (k->nc) DM_TRY(w->s->hol.contract(w->s->hol.self, k->scratch, w->q, w->f, w->H));

  // w->size: scales of the coordinates
  const double length = dm_system_length(w->s, w->q);
  for (int i = 0; i < w->n; i++)
    w->size[i] = w->s->length && w->s->length[i] && length > 0 ? length : 1;

  size_terms(w);
  return DM_OK;
}

// Tolerance of force row r: 1e-10 of its own terms, plus rounding of its largest terms, of the
// forces that give the accelerations of the other rows' terms, and of coordinates in a step.
static double admit_force(const equilibrium *w, int r) {
  const dm_kkt *k = w->k;
  const int i = k->dyn[r];
  const double mass = fabs(w->d->D12[i * (w->n + 1)]);
  double pull = 0;
  for (int s = 0; s < k->nd; s++) {
    const double own = fabs(w->d->D12[k->dyn[s] * (w->n + 1)]);
    if (own > 0) pull = fmax(pull, w->terms[s] / sqrt(own));
  }
  const double rounding = fmax(w->most[r], sqrt(mass) * pull);
  return fmax(fmax(1e-10 * w->terms[r], 1e-14 * rounding), DBL_EPSILON * mass / w->h * w->size[i]);
}

// residual of row r relative to its tolerance; > 1: not at equilibrium
static double share_of_row(const equilibrium *w, int r) {
  const double off = fabs(w->F[r]);
  return off > 0 ? off / (r < w->k->nd ? admit_force(w, r) : 1e-10 * w->terms[r]) : 0;
}

// -- Newton's method

// J, the derivatives of F by coordinates, forces and constraint forces
static void fill_jacobian(equilibrium *w, int cols) {
  const dm_kkt *k = w->k;
  const dm_interval *d = w->d;
  int n = w->n, nd = k->nd, nc = k->nc, rows = w->rows;
  memset(w->J, 0, (size_t)(rows * cols) * sizeof *w->J);

  // by coordinates, which are both ends of the interval; and Dh
  for (int a = 0; a < w->nq_free; a++) {
    double *J = w->J + a * rows;
    int j = w->free_q[a];
    for (int r = 0; r < nd; r++) J[r] = stiffness(w, r, j);
    for (int c = 0; c < nc; c++) J[nd + c] = k->Dh1[c * n + j];
  }

  // by forces: (D1u + D2u)/h
  for (int a = 0; a < w->nu_free; a++)
    for (int z = 0; z < d->nz; z++)
      for (int r = 0; r < nd && d->col[z] == w->free_u[a]; r++)
        if (k->dyn[r] == d->row[z])
          w->J[(w->nq_free + a) * rows + r] += (d->D1u[z] + d->D2u[z]) / w->h;

  // by constraint forces: -Dh'
  for (int c = 0; c < nc; c++)
    for (int r = 0; r < nd; r++)
      w->J[(w->nq_free + w->nu_free + c) * rows + r] = -k->Dh1[c * n + k->dyn[r]];
}

// the step of least norm with J step = -F, or with the least residual
static void find_rest_step(equilibrium *w) {
  int rows = w->rows, cols = w->nq_free + w->nu_free + w->k->nc, rank;
  fill_jacobian(w, cols);

  // scale rows and columns of J: coordinates by their scale, forces by a force as large as the
  // largest term
  for (int a = 0; a < cols; a++) {
    double *J = w->J + a * w->rows, largest = 0;
    for (int r = 0; r < w->rows; r++) largest = fmax(largest, fabs(J[r] *= w->row[r]));
    w->column[a] = a < w->nq_free ? w->size[w->free_q[a]] : largest > 0 ? 1 / largest : 1;
    for (int r = 0; r < w->rows; r++) J[r] *= w->column[a];
  }

  // directions with singular values below 1e-12 of the largest are undetermined
  int most = rows > cols ? rows : cols;
  memset(w->step, 0, (size_t)most * sizeof *w->step);
  for (int r = 0; r < rows; r++) w->step[r] = -w->row[r] * w->F[r];
  if (rows && cols)
    dm_blas()->LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, cols, 1, w->J, rows, w->step, most,
                                   w->singular, 1e-12, &rank, w->lapack, w->lapack_size,
                                   w->ilapack);
  for (int a = 0; a < cols; a++) w->step[a] *= w->column[a];
}

// add t times the step to the unknowns
static void move_unknowns(equilibrium *w, double t) {
  for (int a = 0; a < w->nq_free; a++) w->q[w->free_q[a]] += t * w->step[a];
  for (int a = 0; a < w->nu_free; a++) w->u[w->free_u[a]] += t * w->step[w->nq_free + a];
  for (int c = 0; c < w->k->nc; c++) w->f[c] += t * w->step[w->nq_free + w->nu_free + c];
}

// Newton's method with least-norm steps, halved until |F| decreases
static dm_status approach_rest(equilibrium *w) {
  enum { MAX_ITER = 100, HALVINGS = 30 };
  DM_TRY(evaluate_rest(w));
  DM_TRY(measure_rest(w));

  // Row factors at the initial guess: forces relative to the largest force, in N m; or if there is
  // none, relative to the force that moves coordinates by their scale in a step.
  const dm_kkt *k = w->k;
  double work = 0, moved = 0;
  for (int r = 0; r < k->nd; r++) {
    const int i = k->dyn[r];
    const double size = w->size[i];
    work = fmax(work, fmax(w->terms[r], fabs(w->F[r])) * size);
    moved = fmax(moved, fabs(w->d->D12[i * (w->n + 1)]) / w->h * size * size);
  }
  if (!(work > 0)) work = moved > 0 ? moved : 1;
  for (int r = 0; r < k->nd; r++) w->row[r] = w->size[k->dyn[r]] / work;
  for (int r = k->nd; r < w->rows; r++) w->row[r] = w->terms[r] > 0 ? 1 / w->terms[r] : 1;

  double off = distance_from_rest(w);
  if (off == INFINITY) return DM_NOT_FINITE;
  for (int iter = 0; iter < MAX_ITER && off > 1e-15; iter++) {
    double before = off, t = 1;
    DM_TRY(measure_rest(w));
    find_rest_step(w);
    move_unknowns(w, t);

    // the full step first, then go back by half at a time
    off = distance_from_rest(w);
    for (int i = 0; !(off < before) && i < HALVINGS; i++, t /= 2) {
      move_unknowns(w, -t / 2);
      off = distance_from_rest(w);
    }
    if (off < before) continue;

    // rounding, or a minimum of |F|: back to the start of the step
    move_unknowns(w, -t);
    DM_TRY(evaluate_rest(w));
    break;
  }
  return measure_rest(w);
}

static dm_status search_rest(equilibrium *w, const char *const *name, dm_message *msg) {
  const dm_status status = approach_rest(w);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));

  // the row with the largest residual relative to its own terms
  int worst = 0;
  for (int r = 1; r < w->rows; r++)
    if (share_of_row(w, r) > share_of_row(w, worst)) worst = r;
  if (w->rows && share_of_row(w, worst) > 1) {
    // message about row `worst`, which is not at equilibrium
    const dm_kkt *k = w->k;
    double off = fabs(w->F[worst]);

    // a constraint
    if (worst >= k->nd) {
      const dm_holonomic *hol = &w->s->hol;
      return dm_fail(msg, DM_INFEASIBLE,
                     "no equilibrium is near there: constraint '%s' is off by %.3g m or rad",
                     hol->row_name ? hol->row_name(hol->self, worst - k->nd) : "?", off);
    }

    // a coordinate, by name or index
    char number[32];
    int i = k->dyn[worst];
    snprintf(number, sizeof number, "coordinate %d", i);
    return dm_fail(msg, DM_INFEASIBLE,
                   "no equilibrium is near there: a force of %.3g N or N m remains on %s", off,
                   name ? name[i] : number);
  }
  return DM_OK;
}

dm_status dm_equilibrium_find(const dm_system *s, const bool *fixed, const bool *given, double h,
                              double *q, double *u, double *lambda, const char *const *name,
                              dm_message *msg) {
  equilibrium *w;
  dm_status status = new_equilibrium(&w, s, fixed, given, h);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));

  // initial guess; kinematic coordinates do not change
  memcpy(w->q, q, (size_t)w->n * sizeof *q);
  if (s->nu) memcpy(w->u, u, (size_t)s->nu * sizeof *u);
  for (int j = 0; j < s->nk; j++) w->u[s->nu + j] = q[w->k->kin[j]];

  status = search_rest(w, name, msg);

  // convert constraint forces to impulses per step
  if (status == DM_OK) {
    memcpy(q, w->q, (size_t)w->n * sizeof *q);
    if (dm_system_inputs(s)) memcpy(u, w->u, (size_t)dm_system_inputs(s) * sizeof *u);
    for (int c = 0; c < s->hol.nc; c++) lambda[c] = w->h * w->f[c];
  }

  free_equilibrium(w);
  return status;
}

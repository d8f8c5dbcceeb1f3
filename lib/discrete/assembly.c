#include "lib/discrete/assembly.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/discrete/kkt_matrix.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef struct work {
  const dm_system *s;
  dm_kkt *k;
  int nm, *move; // coordinates that may move [nm]
  int room;      // of lapack
  double *D;     // [nm x nc], column by column: the constraints' gradients
  double *b, *tau, *singular, *lapack, *q;
  int *pivot, *ilapack;
  dm_jet jet;                // L at rest
  double *zero;              // [n]
  double *H, *Z;             // [n x n], and [nm x nm]: the last columns span the null space
  double *Hz;                // [nm x nm]
  double *g, *w, *y, *trial; // [n]
  void *sweep;
} work;

static void lay_out(void *self, dm_block *b) {
  work *w = self;
  size_t n = (size_t)w->s->L.nq, nc = (size_t)w->s->hol.nc;
  size_t most = n > nc ? n : nc;
  w->move = dm_take(b, n, sizeof *w->move);
  w->D = dm_take(b, n * most, sizeof *w->D);
  w->b = dm_take(b, most, sizeof *w->b);
  w->tau = dm_take(b, most, sizeof *w->tau);
  w->singular = dm_take(b, most, sizeof *w->singular);
  w->q = dm_take(b, n, sizeof *w->q);
  w->pivot = dm_take(b, most, sizeof *w->pivot);
  w->lapack = dm_take(b, (size_t)w->room, sizeof *w->lapack);
  w->ilapack = dm_take(b, 12 * most + 64 * most, sizeof *w->ilapack);
  double **vectors[] = {&w->jet.L_q, &w->jet.L_v, &w->zero, &w->g, &w->w, &w->y, &w->trial};
  for (int i = 0; i < 7; i++) *vectors[i] = dm_take(b, n, sizeof(double));
  double **squares[] = {&w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv, &w->H, &w->Z, &w->Hz};
  for (int i = 0; i < 6; i++) *squares[i] = dm_take(b, n * most, sizeof(double));
  w->sweep = dm_take(b, w->s->L.scratch, 1);
}

static dm_status work_new(work **out, const dm_system *s, const bool *held, dm_message *msg) {
  int n = s->L.nq, nc = s->hol.nc, most = n > nc ? n : nc;
  work sizes = {.s = s, .room = 64 * (most + 8) + 32 * most + most * most + 1200};
  work *w = dm_block_make(&sizes, sizeof sizes, lay_out);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_status status = dm_kkt_new(&w->k, s);
  if (status != DM_OK) {
    dm_block_free(w);
    return dm_fail(msg, status, "out of memory");
  }
  for (int i = 0; i < w->k->nd; i++)
    if (!held || !held[w->k->dyn[i]]) w->move[w->nm++] = w->k->dyn[i];
  *out = w;
  return DM_OK;
}

static void work_free(work *w) {
  dm_kkt_free(w->k);
  dm_block_free(w);
}

// h and the gradients by what may move at q
static dm_status evaluate(work *w, const double *q) {
  dm_kkt *k = w->k;
  DM_TRY(dm_kkt_end(k, q));
  for (int c = 0; c < k->nc; c++)
    for (int i = 0; i < w->nm; i++) w->D[c * w->nm + i] = k->Dh1[c * k->n + w->move[i]];
  return DM_OK;
}

static const char *row_name(const dm_holonomic *hol, int c) {
  return hol->row_name ? hol->row_name(hol->self, c) : "?";
}

// D = Q R by columns of falling length; returns the rank
static int factor(work *w) {
  int nm = w->nm, nc = w->k->nc, least = nm < nc ? nm : nc, rank = 0;
  if (least == 0) return 0;
  memset(w->pivot, 0, (size_t)nc * sizeof *w->pivot);
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, nm, nc, w->D, nm, w->pivot, w->tau, w->lapack, w->room);
  while (rank < least && fabs(w->D[rank * nm + rank]) > 1e-10 * fabs(w->D[0])) rank++;
  return rank;
}

static dm_status check(work *w, const double *q, dm_message *msg) {
  int nc = w->k->nc;
  dm_status status = evaluate(w, q);
  if (status != DM_OK) return dm_fail(msg, status, "constraints: %s", dm_status_text(status));
  int rank = factor(w);
  if (rank == nc) return DM_OK;
  int c = w->nm > 0 ? w->pivot[rank] - 1 : 0;
  bool off = fabs(w->k->h[c]) > 1e-8;
  return dm_fail(msg, DM_SINGULAR, "constraint '%s' %s the others: %d of %d are independent there",
                 row_name(&w->s->hol, c), off ? "contradicts" : "repeats what follows from", rank,
                 nc);
}

dm_status dm_assembly_check(const dm_system *s, const double *q, dm_message *msg) {
  work *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, NULL, msg));
  dm_status status = check(w, q, msg);
  work_free(w);
  return status;
}

static double largest(const dm_kkt *k, int *worst) {
  double most = -1;
  for (int c = 0; c < k->nc; c++)
    if (fabs(k->h[c]) > most) most = fabs(k->h[c]), *worst = c;
  return most;
}

// is every constraint met, to the rounding of terms as large as its gradient?
static bool met(const dm_kkt *k) {
  for (int c = 0; c < k->nc; c++)
    if (!(fabs(k->h[c]) <= 1e-12 * fmax(1, dm_largest(k->n, k->Dh1 + c * k->n)))) return false;
  return true;
}

// the least x with A x = b, or the nearest, into b; A [rows x cols] by columns is overwritten
static void least_squares(work *w, int rows, int cols, double *A) {
  int most = rows > cols ? rows : cols, rank;
  if (rows == 0 || cols == 0) return;
  LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, rows, cols, 1, A, rows, w->b, most, w->singular, 1e-12,
                      &rank, w->lapack, w->room, w->ilapack);
}

static void clear(double *x, int n) {
  memset(x, 0, (size_t)n * sizeof *x);
}

// the least dq with Dh dq = -h, into b
static void least_step(work *w) {
  const dm_kkt *k = w->k;
  int nm = w->nm, nc = k->nc;
  clear(w->b, nm > nc ? nm : nc);
  for (int c = 0; c < nc; c++) w->b[c] = -k->h[c];
  // the rows of Dh are D's columns: a row-major matrix [nc x nm]; LAPACK's columns are its
  // transpose
  for (int i = 0; i < nm; i++)
    for (int c = 0; c < nc; c++) w->D[i * nc + c] = k->Dh1[c * k->n + w->move[i]];
  least_squares(w, nc, nm, w->D);
}

// w->q onto the constraints
static dm_status project(work *w, dm_message *msg) {
  enum { MAX_ITER = 100, HALVINGS = 20 };
  dm_kkt *k = w->k;
  int worst = 0;
  dm_status status = evaluate(w, w->q);
  if (status != DM_OK) return dm_fail(msg, status, "constraints: %s", dm_status_text(status));
  double off = largest(k, &worst);
  for (int iter = 0; iter < MAX_ITER && off > 1e-14; iter++) {
    least_step(w);
    double before = off, t = 1;
    for (int i = 0; i < HALVINGS; i++, t /= 2) {
      for (int a = 0; a < w->nm; a++) w->q[w->move[a]] += (i == 0 ? t : -t) * w->b[a];
      status = evaluate(w, w->q);
      off = status == DM_OK ? largest(k, &worst) : INFINITY;
      if (off < before) break;
    }
    if (off < before) continue;
    for (int a = 0; a < w->nm; a++) w->q[w->move[a]] -= 2 * t * w->b[a];
    DM_TRY(evaluate(w, w->q));
    off = largest(k, &worst);
    break;
  }
  if (met(k)) return DM_OK;
  return dm_fail(msg, DM_INFEASIBLE, "constraint '%s' cannot be met near there: off by %.3g",
                 row_name(&w->s->hol, worst), off);
}

dm_status dm_assembly_project_held(const dm_system *s, const bool *held, double *q,
                                   dm_message *msg) {
  work *w;
  size_t size = (size_t)s->L.nq * sizeof *q;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, held, msg));
  memcpy(w->q, q, size);
  dm_status status = project(w, msg);
  if (status == DM_OK) memcpy(q, w->q, size);
  work_free(w);
  return status;
}

dm_status dm_assembly_project(const dm_system *s, double *q, dm_message *msg) {
  return dm_assembly_project_held(s, NULL, q, msg);
}

// L and its derivatives at (q,v)
static dm_status eval(work *w, const double *q, const double *v) {
  const dm_lagrangian *L = &w->s->L;
  return L->eval(L->self, w->sweep, 2, q, v, &w->jet);
}

// -- velocities

// With L L' = L_vv and y = L' dv, the least y with (Dh L'^-1) y = -Dh v.
static dm_status release(work *w, const double *q, double *v, dm_message *msg) {
  dm_kkt *k = w->k;
  int n = k->n, nm = w->nm, nc = k->nc, worst = 0;
  double off = 0, size = 0;
  dm_status status = evaluate(w, q);
  if (status == DM_OK) status = eval(w, q, v);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  for (int i = 0; i < nm; i++)
    for (int j = 0; j < nm; j++) w->Z[j * nm + i] = w->jet.L_vv[w->move[i] * n + w->move[j]];
  if (nm && (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', nm, w->Z, nm) ||
             LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', nm, nc, w->Z, nm, w->D, nm)))
    return dm_fail(msg, DM_SINGULAR, "the mass matrix is singular");
  clear(w->b, nm > nc ? nm : nc);
  for (int c = 0; c < nc; c++)
    for (int i = 0; i < n; i++) w->b[c] -= k->Dh1[c * n + i] * v[i];
  for (int c = 0; c < nc; c++) size = fmax(size, fabs(w->b[c]));
  for (int i = 0; i < nm; i++) // rows and columns change places
    for (int c = 0; c < nc; c++) w->H[i * nc + c] = w->D[c * nm + i];
  least_squares(w, nc, nm, w->H);
  if (nm) LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'T', 'N', nm, 1, w->Z, nm, w->b, nm);
  memcpy(w->y, v, (size_t)n * sizeof *v);
  for (int i = 0; i < nm; i++) w->y[w->move[i]] += w->b[i];
  for (int c = 0; c < nc; c++) {
    double rate = 0;
    for (int i = 0; i < n; i++) rate += k->Dh1[c * n + i] * w->y[i];
    if (fabs(rate) > off) off = fabs(rate), worst = c;
  }
  if (off > 1e-9 * (1 + size))
    return dm_fail(msg, DM_INFEASIBLE,
                   "constraint '%s' cannot be kept by any velocity: its rate is off by %.3g",
                   row_name(&w->s->hol, worst), off);
  memcpy(v, w->y, (size_t)n * sizeof *v);
  return DM_OK;
}

dm_status dm_assembly_velocity(const dm_system *s, const double *q, double *v, dm_message *msg) {
  work *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, NULL, msg));
  dm_status status = release(w, q, v, msg);
  work_free(w);
  return status;
}

dm_status dm_assembly_impulse(const dm_system *s, const double *q, const double *r,
                              double *lambda) {
  work *w;
  if (s->hol.nc == 0) return DM_OK;
  DM_TRY(work_new(&w, s, NULL, NULL));
  dm_status status = evaluate(w, q);
  if (status == DM_OK) {
    clear(w->b, w->nm > w->k->nc ? w->nm : w->k->nc);
    for (int i = 0; i < w->nm; i++) w->b[i] = r[w->move[i]];
    least_squares(w, w->nm, w->k->nc, w->D);
    memcpy(lambda, w->b, (size_t)w->k->nc * sizeof *lambda);
  }
  work_free(w);
  return status;
}

// -- the least potential energy

// g = Z'V_q and the eigenvectors of Z'(V_qq + sum lambda D2h)Z, V = -L(q,0), at w->q; returns the
// dimension of the null space, its basis in the last columns of Z
static dm_status reduce(work *w, int *free) {
  const dm_holonomic *hol = &w->s->hol;
  int n = w->k->n, nm = w->nm, nc = w->k->nc;
  DM_TRY(eval(w, w->q, w->zero));
  DM_TRY(evaluate(w, w->q));
  for (int i = 0; i < n * n; i++) w->H[i] = -w->jet.L_qq[i];
  if (nc) { // lambda of the least V_q + Dh'lambda
    clear(w->b, nm > nc ? nm : nc);
    for (int i = 0; i < nm; i++) w->b[i] = w->jet.L_q[w->move[i]];
    memcpy(w->Hz, w->D, (size_t)(nm * nc) * sizeof *w->D);
    least_squares(w, nm, nc, w->Hz);
    DM_TRY(hol->contract(hol->self, w->k->scratch, w->q, w->b, w->H));
  }
  int rank = factor(w), m = *free = nm - rank;
  clear(w->Z, nm * nm);
  for (int j = 0; j < rank; j++) memcpy(w->Z + j * nm, w->D + j * nm, (size_t)nm * sizeof *w->Z);
  if (rank)
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, nm, nm, rank, w->Z, nm, w->tau, w->lapack, w->room);
  for (int j = 0; rank == 0 && j < nm; j++) w->Z[j * nm + j] = 1;
  const double *Z = w->Z + rank * nm;
  for (int a = 0; a < m; a++) {
    w->g[a] = 0;
    for (int i = 0; i < nm; i++) w->g[a] -= Z[a * nm + i] * w->jet.L_q[w->move[i]];
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < nm; i++)
        for (int j = 0; j < nm; j++)
          sum += Z[a * nm + i] * w->H[w->move[i] * n + w->move[j]] * Z[b * nm + j];
      w->Hz[b * m + a] = sum;
    }
  }
  if (m) LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', m, w->Hz, m, w->w, w->lapack, w->room);
  return DM_OK;
}

// The step in the null space into y [n], at most half a metre or radian long, with its slope: by
// Newton's method with each curvature's size; at a point of rest along the most negative one.
static double downwards(work *w, int m, bool rest) {
  double most = 0, slope = 0, size = 0;
  clear(w->y, w->k->n);
  for (int a = 0; a < m; a++) most = fmax(most, fabs(w->w[a]));
  for (int a = 0; a < (rest ? 1 : m); a++) {
    const double *U = w->Hz + a * m, *Z = w->Z + (w->nm - m) * w->nm;
    double along = 0, t = 0.1;
    for (int b = 0; b < m; b++) along += U[b] * w->g[b];
    if (!rest) t = -along / fmax(fabs(w->w[a]), 1e-8 * most);
    if (most == 0) t = -along;
    slope += rest ? 0 : t * along;
    for (int b = 0; b < m; b++)
      for (int i = 0; i < w->nm; i++) w->y[w->move[i]] += t * U[b] * Z[b * w->nm + i];
  }
  for (int i = 0; i < w->k->n; i++) size = fmax(size, fabs(w->y[i]));
  double cut = size > 0.5 ? 0.5 / size : 1;
  for (int i = 0; i < w->k->n; i++) w->y[i] *= cut;
  return slope * cut;
}

// from w->trial along y and back onto the constraints, halving until the energy falls
static dm_status descend(work *w, double V, double slope) {
  enum { HALVINGS = 30 };
  double t = 1, rounding = 1e-13 * (1 + fabs(V));
  for (int i = 0; i < HALVINGS; i++, t /= 2) {
    for (int j = 0; j < w->k->n; j++) w->q[j] = w->trial[j] + t * w->y[j];
    if (project(w, NULL) != DM_OK) continue;
    DM_TRY(eval(w, w->q, w->zero));
    if (-w->jet.L <= V + 1e-4 * t * slope + rounding) return DM_OK;
  }
  memcpy(w->q, w->trial, (size_t)w->k->n * sizeof *w->q);
  return DM_STALLED;
}

// to the least energy; *falls is the coordinate that moved most in the last step
static dm_status settle(work *w, int *falls, dm_message *msg) {
  enum { MAX_ITER = 500 };
  int n = w->k->n, m;
  dm_status status = project(w, msg);
  if (status != DM_OK) return status;
  for (int iter = 0; iter < MAX_ITER; iter++) {
    double off = 0, size = 0, most = 0;
    status = reduce(w, &m);
    if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
    for (int a = 0; a < m; a++) off = fmax(off, fabs(w->g[a]));
    for (int a = 0; a < m; a++) most = fmax(most, fabs(w->w[a]));
    for (int i = 0; i < w->nm; i++) size = fmax(size, fabs(w->jet.L_q[w->move[i]]));
    bool rest = m == 0 || off <= 1e-13 * (size + most); // as much as in a metre or radian
    if (rest && (m == 0 || w->w[0] >= -1e-9 * most)) return DM_OK;
    double V = -w->jet.L, slope = downwards(w, m, rest);
    memcpy(w->trial, w->q, (size_t)n * sizeof *w->q);
    *falls = 0;
    for (int i = 0; i < n; i++)
      if (fabs(w->y[i]) > fabs(w->y[*falls])) *falls = i;
    status = descend(w, V, slope);
    if (status == DM_STALLED && off <= 1e-8 * (size + most)) return DM_OK;
    if (status < 0) return dm_fail(msg, status, "%s", dm_status_text(status));
    if (status == DM_STALLED) break;
  }
  return DM_MAX_ITER;
}

dm_status dm_assembly_settle(const dm_system *s, const bool *held, const char *const *name,
                             double *q, dm_message *msg) {
  work *w;
  int falls = 0;
  size_t size = (size_t)s->L.nq * sizeof *q;
  DM_TRY(work_new(&w, s, held, msg));
  memcpy(w->q, q, size);
  dm_status status = settle(w, &falls, msg);
  if (status == DM_OK) memcpy(q, w->q, size);
  if (status == DM_MAX_ITER)
    dm_fail(msg, status, "no least potential energy: '%.64s' still falls, nothing holds it",
            name ? name[falls] : "?");
  work_free(w);
  return status;
}

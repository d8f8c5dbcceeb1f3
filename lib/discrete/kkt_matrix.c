#include "lib/discrete/kkt_matrix.h"

#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// array sizes as in the header; q1 is stored only with constraints
static void lay_out_kkt(void *self, dm_block *b) {
  dm_kkt *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc, size = (size_t)w->size;
  w->dyn = dm_block_alloc(b, (size_t)w->nd, sizeof *w->dyn);
  w->kin = dm_block_alloc(b, (size_t)w->nk, sizeof *w->kin);
  w->is_length = dm_block_alloc(b, (size_t)w->nd, sizeof *w->is_length);

  // constraints at both ends
  w->h = dm_block_alloc(b, nc, sizeof *w->h);
  w->q1 = dm_block_alloc(b, nc ? n : 0, sizeof *w->q1);
  w->Dh0 = dm_block_alloc(b, nc * n, sizeof *w->Dh0);
  w->Dh1 = dm_block_alloc(b, nc * n, sizeof *w->Dh1);

  // factors, and data to explain a singular matrix
  w->LU = dm_block_alloc(b, size * size, sizeof *w->LU);
  w->piv = dm_block_alloc(b, size, sizeof *w->piv);
  w->by = dm_block_alloc(b, size, sizeof *w->by);
  w->null = dm_block_alloc(b, size, sizeof *w->null);
  w->T = dm_block_alloc(b, (size_t)w->nd * nc, sizeof *w->T);
  w->G = dm_block_alloc(b, nc * nc, sizeof *w->G);
  w->work = dm_block_alloc(b, 6 * size, sizeof *w->work);

  // scratch of the constraints
  w->scratch = dm_block_alloc(b, w->hol.scratch, 1);
}

dm_status dm_kkt_new(dm_kkt **out, const dm_system *s) {
  int n = s->L.nq;
  dm_kkt sizes = {.hol = s->hol, .n = n, .nd = n - s->nk, .nk = s->nk, .nc = s->hol.nc};
  sizes.size = sizes.nd + sizes.nc;
  dm_kkt *w = dm_block_make(&sizes, sizeof sizes, lay_out_kkt);
  if (!w) return DM_NO_MEMORY;

  // indices of dynamic and kinematic coordinates
  for (int i = 0, d = 0, k = 0; i < n; i++) {
    if (s->kinematic && s->kinematic[i])
      w->kin[k++] = i;
    else
      w->dyn[d++] = i;
  }

  // dynamic coordinates that are lengths
  int lengths = 0;
  for (int i = 0; s->length && i < w->nd; i++) lengths += w->is_length[i] = s->length[w->dyn[i]];
  w->mixed = lengths > 0 && lengths < w->nd;
  w->spare_unit = w->mixed && s->extent > 0 ? ldexp(1, ilogb(s->extent)) : 1;
  w->unit = w->spare_unit;
  for (int i = 0; i < w->size; i++) w->by[i] = 1;
  const dm_status status = s->hol.nv ? dm_middle_rows_new(&w->middle, &s->hol, n) : DM_OK;
  if (status == DM_OK)
    *out = w;
  else
    dm_kkt_free(w);
  return status;
}

void dm_kkt_free(dm_kkt *w) {
  if (!w) return;
  dm_middle_rows_free(w->middle);
  dm_block_free(w);
}

dm_status dm_kkt_start(dm_kkt *w, const double *q0) {
  if (w->nc == 0) return DM_OK;

  // in a motion, a step starts at the end of the previous one
  if (w->ended && !memcmp(q0, w->q1, (size_t)w->n * sizeof *q0)) {
    memcpy(w->Dh0, w->Dh1, (size_t)(w->nc * w->n) * sizeof *w->Dh0);
    return DM_OK;
  }
  return w->hol.eval(w->hol.self, w->scratch, q0, w->h, w->Dh0);
}

dm_status dm_kkt_end(dm_kkt *w, const double *q1) {
  if (w->nc == 0) return DM_OK;
  dm_status s = w->hol.eval(w->hol.self, w->scratch, q1, w->h, w->Dh1);

  // for dm_kkt_start of the next step
  w->ended = s == DM_OK;
  memcpy(w->q1, q1, (size_t)w->n * sizeof *q1);
  return s;
}

dm_status dm_kkt_step(dm_kkt *w, const double *q0, const double *q1, double h) {
  dm_middle_rows *m = w->middle;
  if (!m || m->nh > 0) DM_TRY(dm_kkt_end(w, q1));
  if (!m) return DM_OK;
  w->ended = false; // the rows of A(q1) are not in Dh1
  DM_TRY(dm_middle_rows_eval(m, q0, q1, h));
  memcpy(w->h + m->nh, m->g, (size_t)m->nv * sizeof *m->g);
  memcpy(w->Dh1 + m->nh * w->n, m->g_1, (size_t)(m->nv * w->n) * sizeof *m->g_1);
  return DM_OK;
}

void dm_kkt_weigh(dm_kkt *w, const double *D12) {
  if (!w->mixed) return;

  // largest inertias of lengths and angles
  double length = 0, angle = 0;
  for (int i = 0; i < w->nd; i++) {
    double *largest = w->is_length[i] ? &length : &angle;
    *largest = dm_larger(*largest, fabs(D12[w->dyn[i] * (w->n + 1)]));
  }

  // square root of their ratio: in other units, the exponent changes by twice that of a length
  w->unit = w->spare_unit;
  if (isnormal(angle / length) && isnormal(length / angle))
    w->unit = ldexp(1, (int)floor((ilogb(angle) - ilogb(length)) / 2.));
  for (int i = 0; i < w->nd; i++) w->by[i] = w->is_length[i] ? w->unit : 1;
}

// M1 to the first nd columns of A, with row length lda
static void copy_M1(const dm_kkt *w, const double *D12, double *A, int lda) {
  for (int i = 0; i < w->nd; i++) {
    const double *row = D12 + w->dyn[i] * w->n; // without kinematic rows and columns
    for (int j = 0; j < w->nd; j++) A[i * lda + j] = row[w->dyn[j]];
    for (int j = 0; w->mixed && j < w->nd; j++) A[i * lda + j] *= w->by[i] * w->by[j];
  }
}

// power of two that makes row c of Dh1 (with scaled coordinates) as large as M1
static double weigh_constraint(const dm_kkt *w, int c, double M1) {
  double Dh = 0;
  for (int i = 0; i < w->nd; i++) Dh = dm_larger(Dh, fabs(w->Dh1[c * w->n + w->dyn[i]] * w->by[i]));
  const double most = M1 / Dh;
  return isnormal(most) ? ldexp(1, ilogb(1.5 * most)) : 1;
}

// The whole scaled matrix; returns the size of its entries, from the diagonal of M1.
static double assemble_kkt(dm_kkt *w, const double *D12) {
  int n = w->n, nd = w->nd, nc = w->nc, size = w->size;
  double M1 = 0;
  dm_kkt_weigh(w, D12);
  for (int i = 0; i < nd; i++)
    M1 = dm_larger(M1, fabs(D12[w->dyn[i] * (n + 1)]) * w->by[i] * w->by[i]);

  // [ D12  -Dh0' ;  Dh1  0 ], with scaled rows and columns
  copy_M1(w, D12, w->LU, size);
  for (int c = 0; c < nc; c++) {
    double *row = w->LU + (nd + c) * size, by = weigh_constraint(w, c, M1);
    w->by[nd + c] = by;
    for (int i = 0; i < nd; i++) {
      w->LU[i * size + nd + c] = -by * w->by[i] * w->Dh0[c * n + w->dyn[i]];
      row[i] = by * w->by[i] * w->Dh1[c * n + w->dyn[i]];
    }
    memset(row + nd, 0, (size_t)nc * sizeof *row);
  }
  return M1;
}

// The condition number of A [n x n], which is overwritten, and in null [n] the right singular
// vector of the smallest singular value.
static double find_condition(dm_kkt *w, int n, double *A, double *null, double *smallest) {
  double *sigma = w->work;
  *smallest = INFINITY;
  if (n == 0) return 1;

  // LAPACK sees A' = U S V', so that U overwrites the rows of A; it needs 5 n doubles
  if (dm_blas()->LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'O', 'N', n, n, A, n, sigma, NULL, 1, NULL,
                                     1, sigma + n, 5 * n) != 0)
    sigma[n - 1] = 0;

  // the last row belongs to the smallest singular value
  memcpy(null, A + (n - 1) * n, (size_t)n * sizeof *null);
  *smallest = sigma[n - 1];
  return sigma[n - 1] > 0 ? sigma[0] / sigma[n - 1] : INFINITY;
}

// norm of a strided vector
static double find_length(int n, const double *x, int stride) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i * stride] * x[i * stride];
  return sqrt(sum);
}

// the Schur complement Dh1 M1^-1 Dh0' with normalized rows and columns, for regular M1
static void form_schur(dm_kkt *w, const double *D12) {
  int n = w->n, nd = w->nd, nc = w->nc;

  // T = M1^-1 Dh0'
  copy_M1(w, D12, w->LU, nd);
  dm_lu_factor(nd, w->LU, w->piv);
  for (int i = 0; i < nd; i++)
    for (int c = 0; c < nc; c++) w->T[i * nc + c] = w->Dh0[c * n + w->dyn[i]] * w->by[i];
  dm_lu_solve(nd, w->LU, w->piv, nc, w->T);

  // G = Dh1 T, each entry divided by the norms of its row and column
  for (int a = 0; a < nc; a++) {
    double row = 0; // length of row a of Dh1
    for (int i = 0; i < nd; i++) row = hypot(row, w->Dh1[a * n + w->dyn[i]] * w->by[i]);
    for (int b = 0; b < nc; b++) {
      double sum = 0, size = row * find_length(nd, w->T + b, nc);
      for (int i = 0; i < nd; i++) sum += w->Dh1[a * n + w->dyn[i]] * w->by[i] * w->T[i * nc + b];
      w->G[a * nc + b] = size > 0 ? sum / size : 0;
    }
  }
}

// Find a part that is singular in double precision: without constraints M1; with constraints the
// Schur complement if M1 is regular, else the whole matrix, as constraints may compensate for M1.
// Sets its name, condition number and null vector in w.
static dm_status find_singular_part(dm_kkt *w, const double *D12) {
  int nd = w->nd, nc = w->nc, size = w->size;
  double smallest, limit = 1 / (size * DBL_EPSILON);
  memset(w->null, 0, (size_t)size * sizeof *w->null);

  // M1 alone
  copy_M1(w, D12, w->LU, nd);
  w->singular = "M1 = D2 D1 Ld";
  w->condition = find_condition(w, nd, w->LU, w->null, &smallest);

  // with constraints: the Schur complement if M1 is regular, else the whole matrix
  if (nc && w->condition <= limit) {
    memset(w->null, 0, (size_t)nd * sizeof *w->null);
    form_schur(w, D12);
    w->singular = "Dh M1^-1 Dh'";
    find_condition(w, nc, w->G, w->null + nd, &smallest);
    w->condition = 1 / smallest;
  } else if (nc) {
    assemble_kkt(w, D12);
    w->singular = "M1 = D2 D1 Ld, with the constraints,";
    w->condition = find_condition(w, size, w->LU, w->null, &smallest);
  }

  // normalize the largest entry to 1
  double largest = 0;
  for (int i = 0; i < size; i++)
    if (fabs(w->null[i]) > fabs(largest)) largest = w->null[i];
  for (int i = 0; i < size; i++) w->null[i] /= largest;
  return w->condition <= limit ? DM_OK : DM_SINGULAR;
}

dm_status dm_kkt_factor(dm_kkt *w, const double *D12) {
  w->singular = NULL;

  // usual case: the estimated condition number is at most a thousandth of the limit
  double entry = assemble_kkt(w, D12);
  dm_status status = dm_lu_factor(w->size, w->LU, w->piv);
  if (status == DM_NOT_FINITE) return status;
  if (status == DM_OK) {
    double condition = entry * dm_lu_growth(w->size, w->LU, w->piv, w->work);
    if (condition * w->size * DBL_EPSILON < 1e-3) return DM_OK;
  }

  // otherwise singular values decide; they overwrite LU, so that a nearly singular matrix is
  // factored again
  DM_TRY(find_singular_part(w, D12));
  w->singular = NULL;
  assemble_kkt(w, D12);
  dm_lu_factor(w->size, w->LU, w->piv);
  return DM_OK;
}

// The factors are those of S A S, S = diag(by): A^-1 = S (S A S)^-1 S.
static void multiply_rows(const dm_kkt *w, int nrhs, double *B) {
  for (int i = w->mixed ? 0 : w->nd; i < w->size; i++)
    for (int j = 0; j < nrhs; j++) B[i * nrhs + j] *= w->by[i];
}

void dm_kkt_solve(const dm_kkt *w, int nrhs, double *B) {
  multiply_rows(w, nrhs, B);
  dm_lu_solve(w->size, w->LU, w->piv, nrhs, B);
  multiply_rows(w, nrhs, B);
}

void dm_kkt_solve_transposed(const dm_kkt *w, int nrhs, double *B) {
  multiply_rows(w, nrhs, B);
  dm_lu_solve_transposed(w->size, w->LU, w->piv, nrhs, B);
  multiply_rows(w, nrhs, B);
}

// returns true if |x_i| > |x_j|, or equal and i < j; -1 ranks first
static bool ranks_before(const double *x, int i, int j) {
  if (i < 0 || j < 0) return i < 0;
  return fabs(x[i]) > fabs(x[j]) || (fabs(x[i]) == fabs(x[j]) && i < j);
}

dm_status dm_kkt_explain(dm_message *msg, const dm_kkt *w, const char *what, int k,
                         const char *const *name) {
  enum { NAMED_AT_MOST = 4 };
  char list[320] = "";
  size_t used = 0;

  // largest entries first, above a tenth of the largest
  for (int m = 0, last = -1; m < NAMED_AT_MOST && used < sizeof list; m++) {
    int next = -1;
    for (int i = 0; i < w->size; i++)
      if (fabs(w->null[i]) > 0.1 && ranks_before(w->null, last, i) &&
          (next < 0 || ranks_before(w->null, i, next)))
        next = i;
    if (next < 0) break;
    last = next;

    // "NAME (entry)", truncated if the sentence is full
    char one[72];

    // the i-th unknown by name
    const size_t size = sizeof one;
    int c = next - w->nd; // c >= 0: a constraint
    if (c >= 0 && w->hol.row_name)
      snprintf(one, size, "constraint %s", w->hol.row_name(w->hol.self, c));
    else if (c >= 0)
      snprintf(one, size, "constraint %d", c);
    else if (name)
      snprintf(one, size, "%s", name[w->dyn[next]]);
    else
      snprintf(one, size, "coordinate %d", w->dyn[next]);

    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%.2g)", m ? ", " : "", one,
                             w->null[next]);
  }

  // another module factored the mass matrix: only the knot is known
  if (!w->singular)
    return dm_fail(msg, DM_SINGULAR, "%s knot %d: the mass matrix is singular", what, k);
  return dm_fail(msg, DM_SINGULAR, "%s knot %d: %s is singular (condition %.1e) along %s", what, k,
                 w->singular, w->condition, list);
}

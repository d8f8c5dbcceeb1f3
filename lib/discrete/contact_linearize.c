#include "lib/discrete/contact_linearize.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-9; // a pivot below this share of its terms is rounding

static void lay_out_linearize(void *self, dm_block *b) {
  dm_contact_linearize *w = self;
  const size_t n = (size_t)w->n, ni = (size_t)w->ni, nr = (size_t)w->nr;
  double **by_q[] = {&w->Dr0, &w->Dr1, &w->C, &w->C0, &w->W, &w->gap, &w->bend};
  double **by_row[] = {&w->r, &w->slid, &w->own};
  for (int i = 0; i < 3; i++) *by_row[i] = dm_block_alloc(b, nr, sizeof(double));
  for (size_t i = 0; i < sizeof by_q / sizeof *by_q; i++)
    *by_q[i] = dm_block_alloc(b, nr * n, sizeof(double));
  w->V = dm_block_alloc(b, 2 * n * nr, sizeof(double));
  w->M = dm_block_alloc(b, nr * nr, sizeof(double));
  w->E = dm_block_alloc(b, nr * nr, sizeof(double));
  w->D = dm_block_alloc(b, nr * (2 * n + ni), sizeof(double));
  w->T = dm_block_alloc(b, nr ? n * n : 0, sizeof(double));
  w->ahead = dm_block_alloc(b, nr ? 4 * n * n : 0, sizeof(double));
  w->piv = dm_block_alloc(b, nr, sizeof *w->piv);
  w->law = dm_block_alloc(b, nr, sizeof *w->law);
  w->scratch = dm_block_alloc(b, nr ? w->laws->rows.scratch : 0, 1);
}

dm_status dm_contact_linearize_new(dm_contact_linearize **out, const dm_system *s) {
  dm_contact_linearize sizes = {.laws = s->contacts,
                                .n = s->L.nq,
                                .ni = dm_system_inputs(s),
                                .nr = s->contacts ? s->contacts->rows.nc : 0};
  dm_contact_linearize *w = dm_block_make(&sizes, sizeof sizes, lay_out_linearize);
  if (!w) return DM_NO_MEMORY;
  const dm_status status = dm_linearize_new(&w->step, s);
  if (status != DM_OK) {
    dm_block_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_contact_linearize_free(dm_contact_linearize *w) {
  if (w) dm_linearize_free(w->step);
  dm_block_free(w);
}

// -- the rows and columns of a step's states

// to += a x row r of X [nr x n]
static void add_row(const dm_contact_linearize *w, double a, const double *X, int r, double *to) {
  for (int i = 0; i < w->n; i++) to[i] += a * X[r * w->n + i];
}

// The next row of C, C0, W, zeroed; returns its number.
static int begin_row(dm_contact_linearize *w) {
  const size_t row = (size_t)w->n * sizeof(double);
  memset(w->C + w->rows * w->n, 0, row);
  memset(w->C0 + w->rows * w->n, 0, row);
  memset(w->W + w->rows * w->n, 0, row);
  w->own[w->rows] = 0;
  return w->rows * w->n;
}

// The direction of the friction of a law that slides, along each tangent: against the motion; without motion and
// friction that of its entry.
static void find_way(const dm_contact_linearize *w, const dm_contact_law *law, unsigned char entry,
                     double way[2]) {
  const int acts = DM_LAW_ACTS_IN(entry);
  way[0] = way[1] = 0;
  for (int t = 0; t < law->tangents; t++) way[t] = (acts >> 2 * t & 1) - (acts >> (2 * t + 1) & 1);
  if (law->tangents < 2) return;
  double F[2], s[2];
  for (int t = 0; t < 2; t++) {
    F[t] = w->impulse[law->tangent[t]];
    s[t] = w->slid[law->tangent[t]];
  }
  const double friction = hypot(F[0], F[1]), slid = hypot(s[0], s[1]), size = hypot(way[0], way[1]);
  for (int t = 0; t < 2; t++) {
    if (friction > 0)
      way[t] = F[t] / friction;
    else
      way[t] = slid > 0 ? -s[t] / slid : way[t] / size;
  }
}

// The gap of a law stays at zero; the friction of a sliding one follows its impulse.
static void put_gap(dm_contact_linearize *w, const dm_contact_law *law, unsigned char entry) {
  const int at = begin_row(w);
  double way[2];
  add_row(w, 1, w->Dr1, law->gap, w->C + at);
  add_row(w, -1, w->bend, law->gap, w->C0 + at);
  add_row(w, 1, w->Dr0, law->gap, w->W + at);
  memcpy(w->gap + at, w->Dr0 + law->gap * w->n, (size_t)w->n * sizeof(double));
  w->rows++;
  if (entry == DM_LAW_STICKS) return;
  find_way(w, law, entry, way);
  for (int t = 0; t < law->tangents; t++)
    add_row(w, way[t] * law->friction, w->Dr0, law->tangent[t], w->W + at);
}

// a row and a column of tangents a and b, with these signs
static void put_tangents(dm_contact_linearize *w, const dm_contact_law *law, double a, double b) {
  const double sign[2] = {a, b};
  const int at = begin_row(w);
  for (int t = 0; t < law->tangents; t++) {
    if (sign[t] == 0) continue;
    add_row(w, sign[t], w->Dr1, law->tangent[t], w->C + at);
    add_row(w, sign[t], w->Dr0, law->tangent[t], w->C0 + at);
    add_row(w, -sign[t], w->bend, law->tangent[t], w->C0 + at);
    add_row(w, sign[t], w->Dr0, law->tangent[t], w->W + at);
  }
  w->rows++;
}

// the impulse of a bound that falls with the speed: dF = F B'/(B h) (Dr1 dq1 - Dr0 dq0)
static void put_fall(dm_contact_linearize *w, const dm_contact_law *law, double h) {
  const int r = law->tangent[0];
  double b[3];
  dm_contact_law_bound(law, w->slid[r] / h, b);
  const double slope = w->impulse[r] * b[1] / (b[0] * h);
  if (slope == 0) return;
  const int at = begin_row(w);
  add_row(w, slope, w->Dr1, r, w->C + at);
  add_row(w, slope, w->Dr0, r, w->C0 + at);
  add_row(w, -slope, w->bend, r, w->C0 + at);
  add_row(w, 1, w->Dr0, r, w->W + at);
  w->own[w->rows++] = -1;
}

static void put_friction(dm_contact_linearize *w, const dm_contact_law *law, unsigned char entry,
                         double h) {
  double way[2];
  if (entry == DM_LAW_STICKS)
    for (int t = 0; t < law->tangents; t++) put_tangents(w, law, t == 0, t == 1);
  else if (law->excess > 0)
    put_fall(w, law, h);
  if (entry == DM_LAW_STICKS || law->tangents < 2) return;

  // across the direction e of sliding: e.s + |s|/b e.t = 0
  const double b = hypot(w->impulse[law->tangent[0]], w->impulse[law->tangent[1]]);
  const double slid = hypot(w->slid[law->tangent[0]], w->slid[law->tangent[1]]);
  if (slid > 0 && !(b > 0)) return;
  find_way(w, law, entry, way);
  put_tangents(w, law, -way[1], way[0]);
  w->own[w->rows - 1] = slid > 0 ? slid / b : 0;
}

// C, C0 and W of the states, gaps first
static void put_rows(dm_contact_linearize *w, const unsigned char *entry, double h) {
  const dm_contact_laws *laws = w->laws;
  w->rows = 0;
  for (int l = 0; l < laws->n; l++) {
    if (laws->law[l].gap < 0 || entry[l] == DM_LAW_OPEN) continue;
    w->law[w->rows] = l;
    put_gap(w, &laws->law[l], entry[l]);
  }
  w->gaps = w->rows;
  for (int l = 0; l < laws->n; l++)
    if (entry[l] != DM_LAW_OPEN) put_friction(w, &laws->law[l], entry[l], h);
}

// -- elimination of the impulses

// V = A_p W and M = C V, of all rows
static void find_response(dm_contact_linearize *w, const double *A) {
  const int n = w->n, rows = w->rows, nx = 2 * n;
  for (int i = 0; i < nx; i++)
    for (int r = 0; r < rows; r++) w->V[i * rows + r] = dm_inner(n, A + i * nx + n, w->W + r * n);
  dm_gemm(rows, rows, n, 1, w->C, w->V, 0, w->M);
  for (int r = 0; r < rows; r++) w->M[r * rows + r] += w->own[r];
}

// the sum of the sizes of the terms of M_rr
static double find_terms(const dm_contact_linearize *w, int r) {
  double sum = fabs(w->own[r]);
  for (int i = 0; i < w->n; i++) sum += fabs(w->C[r * w->n + i] * w->V[i * w->rows + r]);
  return sum;
}

// Leave out the rows that follow from earlier ones. Returns whether all stayed.
static bool drop_dependent_rows(dm_contact_linearize *w) {
  const int n = w->n, rows = w->rows;
  const size_t row = (size_t)n * sizeof(double);
  int kept = 0, gaps = 0;
  memcpy(w->E, w->M, (size_t)(rows * rows) * sizeof(double));
  for (int r = 0; r < rows; r++) {
    const double *pivot = w->E + r * rows;
    if (fabs(pivot[r]) <= DEPENDENT * find_terms(w, r)) continue;
    for (int i = r + 1; i < rows; i++) {
      const double share = w->E[i * rows + r] / pivot[r];
      for (int j = r; j < rows; j++) w->E[i * rows + j] -= share * pivot[j];
    }
    memmove(w->C + kept * n, w->C + r * n, row);
    memmove(w->C0 + kept * n, w->C0 + r * n, row);
    memmove(w->W + kept * n, w->W + r * n, row);
    w->own[kept] = w->own[r];
    if (r < w->gaps) {
      memmove(w->gap + kept * n, w->gap + r * n, row);
      w->law[gaps++] = w->law[r];
    }
    kept++;
  }
  w->rows = kept;
  w->gaps = gaps;
  return kept == rows;
}

// dF by (x0,u) into D, for ni inputs
static dm_status solve_impulses(dm_contact_linearize *w, int ni, const double *A, const double *B) {
  const int n = w->n, nx = 2 * n, cols = nx + ni, rows = w->rows;
  dm_gemm_strided(rows, nx, n, -1, w->C, n, A, nx, 0, w->D, cols);
  if (ni) dm_gemm_strided(rows, ni, n, -1, w->C, n, B, ni, 0, w->D + nx, cols);
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < n; j++) w->D[r * cols + j] += w->C0[r * n + j];
  DM_TRY(dm_lu_factor(rows, w->M, w->piv));
  dm_lu_solve(rows, w->M, w->piv, cols, w->D);
  return DM_OK;
}

// s, ds/dq1 and in w->bend W + ds/dq0 of rows that have them
static dm_status find_slides(dm_contact_linearize *w, const double *q0, const double *q1) {
  const int n = w->n;
  DM_TRY(dm_contact_laws_slide(w->laws, w->scratch, q0, q1, w->r, w->bend, w->Dr1));
  for (int r = 0; w->laws->slides && r < w->nr; r++)
    if (w->laws->slides[r]) dm_add_to(n, 1, w->Dr0 + r * n, w->bend + r * n);
  return DM_OK;
}

dm_status dm_contact_linearize_step(dm_contact_linearize *w, const double *q0, const double *q1,
                                    const double *u, const double *lambda, double h,
                                    const double *impulse, const unsigned char *entry, double *A,
                                    double *B) {
  const int n = w->n, nx = 2 * n, ni = w->ni;
  w->rows = w->gaps = 0;
  DM_TRY(dm_linearize_step(w->step, q0, q1, u, lambda, h, A, B));
  if (!w->nr) return DM_OK;

  // 1  the rows, and the change of their gradients: A_q + A_p D2r'F
  const dm_holonomic *rows = &w->laws->rows;
  DM_TRY(rows->eval(rows->self, w->scratch, q0, w->r, w->Dr0));
  memset(w->T, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(rows->contract(rows->self, w->scratch, q0, impulse, w->T));
  for (int r = 0; r < w->nr; r++) w->slid[r] = -w->r[r];
  DM_TRY(rows->eval(rows->self, w->scratch, q1, w->r, w->Dr1));
  DM_TRY(find_slides(w, q0, q1));
  dm_add_to(w->nr, 1, w->r, w->slid);
  w->impulse = impulse;
  dm_gemm_strided(nx, n, n, 1, A + n, nx, w->T, n, 1, A, nx);

  // 2  the independent ones
  put_rows(w, entry, h);
  memset(w->bend, 0, (size_t)w->nr * (size_t)n * sizeof(double));
  if (!w->rows) return DM_OK;
  find_response(w, A);
  if (!drop_dependent_rows(w)) find_response(w, A);
  if (!w->rows) return DM_OK;

  // 3  their impulses, and their effect
  DM_TRY(solve_impulses(w, ni, A, B));
  const int cols = nx + ni;
  dm_gemm_strided(nx, nx, w->rows, 1, w->V, w->rows, w->D, cols, 1, A, nx);
  if (ni) dm_gemm_strided(nx, ni, w->rows, 1, w->V, w->rows, w->D + nx, cols, 1, B, ni);
  return DM_OK;
}

// [1 + h v_q, h v_p; 0, 1], the displacement at the end's velocity by (q, momentum after the impulses)
static void set_ahead(const dm_contact_linearize *w, const double *v_q, const double *v_p,
                      double h) {
  const int n = w->n, nx = 2 * n;
  memset(w->ahead, 0, (size_t)(nx * nx) * sizeof(double));
  for (int i = 0; i < nx; i++) w->ahead[i * nx + i] = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      w->ahead[i * nx + j] += h * v_q[i * n + j];
      w->ahead[i * nx + n + j] = h * v_p[i * n + j];
    }
}

dm_status dm_contact_linearize_end(dm_contact_linearize *w, const double *q, const double *v,
                                   const double *v_q, const double *v_p, double h,
                                   const double *impulse, const unsigned char *entry, double *J) {
  const int n = w->n, nx = 2 * n;
  const size_t gradients = (size_t)w->nr * (size_t)n;
  memset(J, 0, (size_t)(nx * nx) * sizeof *J);
  for (int i = 0; i < nx; i++) J[i * nx + i] = 1;
  w->rows = w->gaps = 0;
  if (!w->nr) return DM_OK;

  // 1  Dr, D2r v, and the change of the gradients: T = D2r'F
  const dm_holonomic *rows = &w->laws->rows;
  DM_TRY(rows->eval(rows->self, w->scratch, q, w->r, w->Dr0));
  memcpy(w->Dr1, w->Dr0, gradients * sizeof(double));
  memset(w->T, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(rows->contract(rows->self, w->scratch, q, impulse, w->T));
  for (int r = 0; r < w->nr; r++) w->slid[r] = h * dm_inner(n, w->Dr0 + r * n, v);
  w->impulse = impulse;
  memset(w->r, 0, (size_t)w->nr * sizeof(double));
  DM_TRY(rows->directional(rows->self, w->scratch, q, v, w->r, w->bend, NULL));
  for (size_t i = 0; i < gradients; i++) w->bend[i] *= h;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) J[(n + i) * nx + j] = w->T[i * n + j];

  // 2  the independent rows
  set_ahead(w, v_q, v_p, h);
  dm_gemm_strided(nx, n, n, 1, w->ahead + n, nx, w->T, n, 1, w->ahead, nx);
  put_rows(w, entry, h);
  memset(w->bend, 0, gradients * sizeof(double));
  if (w->rows) find_response(w, w->ahead);
  if (w->rows && !drop_dependent_rows(w)) find_response(w, w->ahead);
  if (!w->rows) return DM_OK;

  // 3  their impulses, and their effect
  DM_TRY(solve_impulses(w, 0, w->ahead, NULL));
  for (int r = 0; r < w->rows; r++)
    for (int i = 0; i < n; i++) dm_add_to(nx, w->W[r * n + i], w->D + r * nx, J + (n + i) * nx);
  return DM_OK;
}

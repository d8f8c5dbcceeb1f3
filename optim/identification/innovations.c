#include "lib/base/dense.h"
#include "optim/identification/knot_walk.h"

#include <math.h>
#include <string.h>

// The filter: information of the last two knots, then the prediction of the next. W is a window of
// 3 m unknowns with its right side.
typedef struct filter {
  int m, ld;
  double *W;                 // [3 m x (3 m + 1)]
  double *copy;              // the same
  double *P, *C, *mean, *CN; // [m x m], [m x m], [m], [m]
  int *piv;                  // [m]
} filter;

// Gaussian elimination of the first `count` unknowns of a symmetric window
static bool eliminate_window(const filter *f, double *W, int count) {
  const int size = 3 * f->m;
  for (int k = 0; k < count; k++) {
    const double *pivot = dm_row(W, k, f->ld);
    if (!(pivot[k] > 0)) return false;
    for (int i = k + 1; i < size; i++)
      dm_add_to(size - k, -pivot[i] / pivot[k], pivot + k + 1, dm_row(W, i, f->ld) + k + 1);
  }
  return true;
}

static void shift_window(filter *f) {
  const int m = f->m;
  for (int i = 0; i < 2 * m; i++) {
    double *to = dm_row(f->W, i, f->ld), *from = dm_row(f->W, m + i, f->ld);
    memmove(to, from + m, 2 * (size_t)m * sizeof *to);
    memset(to + 2 * m, 0, (size_t)m * sizeof *to);
    to[3 * m] = from[3 * m];
  }
  memset(dm_row(f->W, 2 * m, f->ld), 0, (size_t)(m * f->ld) * sizeof(double));
}

// the direction of coordinate i in the unknowns of a knot of the window
static const double *find_direction(const oc_knot_walk *w, int number, int i, double *unit) {
  if (w->tangent) return dm_row(w->N[number], i, w->of->m);
  memset(unit, 0, (size_t)w->of->m * sizeof *unit);
  unit[i] = 1;
  return unit;
}

// innovations of the last knot of the window, whose prediction has information P and right side g in
// the eliminated copy
static void put_innovations(const oc_knot_walk *w, filter *f, const oc_run *r, int k) {
  const int n = w->of->n, m = w->of->m;
  double *P = f->P, *C = f->C, *mean = f->mean, *unit = f->CN + m;
  double *out = dm_row(w->of->innovation, r->first + k, n);
  for (int i = 0; i < n; i++) out[i] = NAN;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      P[i * m + j] = f->copy[(2 * m + i) * f->ld + 2 * m + j];
      C[i * m + j] = i == j;
    }
    mean[i] = -f->copy[(2 * m + i) * f->ld + 3 * m];
  }
  if (dm_lu_factor(m, P, f->piv) != DM_OK) return;
  dm_lu_solve(m, P, f->piv, m, C);
  dm_lu_solve(m, P, f->piv, 1, mean);

  // each over its own standard deviation
  for (int i = 0; i < n; i++) {
    double y;
    const double weight = oc_knot_walk_read(w->of, r, k, i, &y), *a = find_direction(w, 2, i, unit);
    if (weight == 0) continue;
    for (int j = 0; j < m; j++) f->CN[j] = dm_inner(m, dm_row(C, j, m), a);
    const double q = w->of->q[(size_t)(r->first + k) * (size_t)n + (size_t)i];
    out[i] = (y - q - dm_inner(m, a, mean)) / sqrt(dm_inner(m, a, f->CN) + 1 / weight);
  }
}

static void add_measurement(const oc_knot_walk *w, filter *f, const oc_run *r, int k, int number) {
  const int m = w->of->m, first = number * m;
  for (int i = 0; i < w->of->n; i++) {
    double y;
    const double weight = oc_knot_walk_read(w->of, r, k, i, &y);
    const double *a = find_direction(w, number, i, f->CN + m);
    const double off = w->of->q[(size_t)(r->first + k) * (size_t)w->of->n + (size_t)i] - y;
    for (int j = 0; j < m; j++) {
      if (a[j] == 0) continue;
      double *row = dm_row(f->W, first + j, f->ld);
      dm_add_to(m, weight * a[j], a, row + first);
      row[3 * m] += weight * a[j] * off;
    }
  }
}

static dm_status filter_run(oc_knot_walk *w, const oc_run *r, filter *f) {
  const int n = w->of->n, m = w->of->m, ld = w->chain->ld;
  const size_t size = 3 * (size_t)m * (size_t)f->ld;
  memset(f->W, 0, size * sizeof(double));
  for (int k = 0; k < 2; k++) {
    DM_TRY(oc_knot_walk_set_directions(w, r, k, k));
    add_measurement(w, f, r, k, k);
  }
  for (int k = 0; k < r->knots; k++)
    for (int i = 0; i < n; i++) w->of->innovation[(r->first + k) * n + i] = NAN;
  for (int k = 0; k + 1 < r->knots; k++) {
    oc_step_forms forms;
    DM_TRY(oc_knot_walk_step(w, r, 2, w->of->q, k, &forms));
    if (k > 0) {
      DM_TRY(oc_knot_walk_set_directions(w, r, k + 1, 2));
      DM_TRY(oc_knot_walk_put_rows(w, r, k, &forms, 0));
      dm_gemm_transposed(3 * m, 3 * m, m, 1, w->chain->row, ld, w->chain->row, ld, 1, f->W, f->ld);
      for (int i = 0; i < m; i++) {
        const double *row = dm_row(w->chain->row, i, ld);
        for (int a = 0; a < 3 * m; a++) f->W[a * f->ld + 3 * m] += row[a] * row[ld - 1];
      }
      memcpy(f->copy, f->W, size * sizeof(double));
      if (eliminate_window(f, f->copy, 2 * m)) put_innovations(w, f, r, k + 1);
      add_measurement(w, f, r, k + 1, 2);
      if (!eliminate_window(f, f->W, m)) return DM_NOT_DEFINITE;
      shift_window(f);
      oc_knot_walk_move_directions(w);
    }
    oc_knot_walk_keep(w, &forms, 0);
  }
  return DM_OK;
}

size_t oc_knot_walk_filter_size(int m) {
  const size_t n = (size_t)m;
  return 2 * 3 * n * (3 * n + 1) + 2 * n * n + 3 * n + (n * sizeof(int)) / sizeof(double) + 1;
}

dm_status oc_knot_walk_filter(oc_knot_walk *w, const oc_run *r, double *scratch) {
  const size_t m = (size_t)w->of->m, size = 3 * m * (3 * m + 1);
  double *P = scratch + 2 * size, *mean = P + 2 * m * m;
  filter f = {w->of->m,
              3 * w->of->m + 1,
              scratch,
              scratch + size,
              P,
              P + m * m,
              mean,
              mean + m,
              (int *)(void *)(mean + 3 * m)};
  return filter_run(w, r, &f);
}

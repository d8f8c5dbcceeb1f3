#include "lib/studies/two_point_study.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_study(void *self, dm_block *b) {
  dm_two_point_study *w = self;
  size_t nc = (size_t)w->nc;
  double **rows[] = {&w->knot,       &w->middle,     &w->past[0], &w->past[1], &w->impulse[0],
                     &w->impulse[1], &w->impulse[2], &w->low,     &w->high};
  w->mid = dm_block_alloc(b, (size_t)w->n, sizeof *w->mid);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i] = dm_block_alloc(b, nc, sizeof **rows[i]);
  w->scratch = dm_block_alloc(b, w->hol.scratch, 1);
}

dm_status dm_two_point_study_new(dm_two_point_study **out, const dm_holonomic *hol, int n,
                                 double at, int steps) {
  assert(out && hol && n > 0 && at >= 0 && at <= 1 && steps >= 0);
  dm_two_point_study sizes = {.hol = *hol, .n = n, .nc = hol->nc, .at = at};
  dm_two_point_study *w = dm_block_make(&sizes, sizeof sizes, lay_out_study);
  if (!w) return DM_NO_MEMORY;

  // equal parts of the run
  w->whole.to = steps;
  for (int i = 0; i < DM_STUDY_WINDOWS; i++) {
    w->part[i].from = (int)((long)steps * i / DM_STUDY_WINDOWS);
    w->part[i].to = (int)((long)steps * (i + 1) / DM_STUDY_WINDOWS);
  }

  // empty ranges
  for (int c = 0; c < w->nc; c++) {
    w->low[c] = INFINITY;
    w->high[c] = -INFINITY;
  }
  *out = w;
  return DM_OK;
}

void dm_two_point_study_free(dm_two_point_study *w) {
  dm_block_free(w);
}

void dm_alternation_add(dm_alternation *w, int k, double size, double rounding) {
  // a NaN invalidates the sums, as a line through rounding is meaningless
  double y = size > rounding ? log(size) : NAN;

  w->size = size;
  w->n++;
  w->k += k;
  w->kk += (double)k * k;
  w->y += y;
  w->ky += k * y;
}

double dm_alternation_growth(const dm_alternation *w) {
  // n^2 times the variance of k; the slope is the logarithm of the growth factor
  double width = w->n * w->kk - w->k * w->k;
  return width > 0 ? exp((w->n * w->ky - w->k * w->y) / width) : NAN;
}

// largest alternating component of three consecutive values over all rows
static double find_alternating(int nc, const double *a, const double *b, const double *c) {
  double largest = 0;
  for (int i = 0; i < nc; i++) largest = fmax(largest, fabs(b[i] - (a[i] + c[i]) / 2) / 2);
  return largest;
}

static double find_largest_entry(int nc, const double *x) {
  double largest = 0;
  for (int i = 0; i < nc; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

// add the measurements at knot k to a window
static void add_knot(const dm_two_point_study *w, int k, dm_study_window *in) {
  const int nc = w->nc;
  double *const *g = w->past, *const *lambda = w->impulse;

  // residuals, and the alternating component of three knots
  in->knots = fmax(in->knots, find_largest_entry(nc, w->knot));
  if (w->stepped) in->middles = fmax(in->middles, find_largest_entry(nc, w->middle));
  if (k >= 2)
    dm_alternation_add(&in->residual, k, find_alternating(nc, g[0], g[1], w->knot), 1e-13);

  // the multipliers of the first step are given, or missing
  if (k >= 3 && w->stepped)
    dm_alternation_add(&in->impulses, k, find_alternating(nc, lambda[0], lambda[1], lambda[2]),
                       1e-9 * find_largest_entry(nc, lambda[2]));
}

dm_status dm_two_point_study_measure(dm_two_point_study *w, int k, const double *q,
                                     const double *q1, const double *lambda) {
  assert(w && k >= 0 && q);
  const dm_holonomic *hol = &w->hol;
  size_t size = (size_t)w->nc * sizeof(double);

  // residuals at the knot
  memcpy(w->past[0], w->past[1], size);
  memcpy(w->past[1], w->knot, size);
  DM_TRY(hol->eval(hol->self, w->scratch, q, w->knot, NULL));

  // residuals between this knot and the next
  w->stepped = q1 && lambda;
  if (w->stepped) {
    for (int i = 0; i < w->n; i++) w->mid[i] = (1 - w->at) * q[i] + w->at * q1[i];
    DM_TRY(hol->eval(hol->self, w->scratch, w->mid, w->middle, NULL));
    memcpy(w->impulse[0], w->impulse[1], size);
    memcpy(w->impulse[1], w->impulse[2], size);
    memcpy(w->impulse[2], lambda, size);
  }

  // the multipliers of the first step are given and do not enter the range
  for (int c = 0; k && w->stepped && c < w->nc; c++) {
    w->low[c] = fmin(w->low[c], lambda[c]);
    w->high[c] = fmax(w->high[c], lambda[c]);
  }

  // add to the whole run and to the window of knot k
  int part = 0;
  while (w->part[part].to <= k && part < DM_STUDY_WINDOWS - 1) part++;
  add_knot(w, k, &w->whole);
  add_knot(w, k, &w->part[part]);
  return DM_OK;
}

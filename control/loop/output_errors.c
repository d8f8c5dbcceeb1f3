#include "control/loop/output_errors.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>

// share of a step within which times are equal after rounding
static const double ROUNDING = 1e-9;

static void lay_out_errors(void *self, dm_block *b) {
  fb_output_errors *w = self;
  const size_t rows = (size_t)w->set->y.ny;
  w->y_d = dm_block_alloc(b, ((size_t)w->N + 1) * rows, sizeof *w->y_d);
  w->y = dm_block_alloc(b, rows, sizeof *w->y);
  w->error = dm_block_alloc(b, (size_t)w->set->count, sizeof *w->error);
  w->scratch = dm_block_alloc(b, 1, w->set->y.scratch);
}

dm_status fb_output_errors_new(fb_output_errors **out, const fb_output_bounds *set, int N,
                               double h) {
  fb_output_errors sizes = {.set = set, .N = N, .h = h};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_errors);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void fb_output_errors_free(fb_output_errors *w) {
  dm_block_free(w);
}

bool fb_output_errors_asked(const fb_output_errors *w, int i, int k) {
  return (w->N - k) * w->h <= w->set->bound[i].last + ROUNDING * w->h;
}

static bool is_any_asked(const fb_output_errors *w, int k) {
  for (int i = 0; i < w->set->count; i++)
    if (fb_output_errors_asked(w, i, k)) return true;
  return false;
}

// y(q,v), NAN where a row has no value
static dm_status eval_outputs(fb_output_errors *w, const double *q, const double *v, double *y) {
  const dm_output_map *of = &w->set->y;
  for (int i = 0; i < of->ny; i++) y[i] = NAN;
  const dm_status s = dm_output_map_eval(of, w->scratch, q, v, y, NULL, NULL);
  return s == DM_NOT_FINITE ? DM_OK : s;
}

dm_status fb_output_errors_plan(fb_output_errors *w, int k, const double *q, const double *v) {
  assert(k >= 0 && k <= w->N);
  const fb_output_bounds *set = w->set;
  const int ny = set->y.ny;
  double *y_d = dm_row(w->y_d, k, ny);
  if (!is_any_asked(w, k)) return DM_OK;
  DM_TRY(eval_outputs(w, q, v, y_d));
  const double *target =
      set->target ? set->target + (k < set->knots ? k : set->knots - 1) * ny : y_d;
  for (int i = 0; i < ny; i++)
    if (!isnan(target[i])) y_d[i] = target[i];
  return DM_OK;
}

int fb_output_errors_missing(const fb_output_errors *w, int *knot) {
  for (int i = 0; i < w->set->count; i++) {
    const fb_output_bound *b = &w->set->bound[i];
    for (int k = 0; k <= w->N; k++)
      for (int row = 0; row < b->rows; row++) {
        *knot = k;
        if (!fb_output_errors_asked(w, i, k)) continue;
        if (!isfinite(dm_row(w->y_d, k, w->set->y.ny)[b->first + row])) return i;
      }
  }
  return -1;
}

void fb_output_errors_begin(fb_output_errors *w) {
  for (int i = 0; i < w->set->count; i++) w->error[i] = 0;
}

// a rotation vector as a unit quaternion, scalar first
static void find_quaternion(const double *a, double *p) {
  const double angle = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const double share = angle > 0 ? sin(angle / 2) / angle : 0.5;
  p[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) p[i + 1] = share * a[i];
}

// the angle between two rotations: from the vector and the scalar part of conj(p) r
static double find_angle_between(const double *a, const double *b) {
  double p[4], r[4];
  find_quaternion(a, p);
  find_quaternion(b, r);
  const double s = p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3];
  const double x = p[0] * r[1] - p[1] * r[0] - p[2] * r[3] + p[3] * r[2];
  const double y = p[0] * r[2] - p[2] * r[0] - p[3] * r[1] + p[1] * r[3];
  const double z = p[0] * r[3] - p[3] * r[0] - p[1] * r[2] + p[2] * r[1];
  return 2 * atan2(sqrt(x * x + y * y + z * z), fabs(s));
}

// the error in the rows of a bound
static double find_error(const fb_output_bound *b, const double *y, const double *y_d) {
  double square = 0;
  if (b->turns) return find_angle_between(y + b->first, y_d + b->first);
  for (int row = b->first; row < b->first + b->rows; row++)
    square += (y[row] - y_d[row]) * (y[row] - y_d[row]);
  return sqrt(square);
}

dm_status fb_output_errors_add(fb_output_errors *w, int k, const double *q, const double *v) {
  assert(k >= 0 && k <= w->N);
  if (!is_any_asked(w, k)) return DM_OK;
  DM_TRY(eval_outputs(w, q, v, w->y));

  // a value that is not a number has an infinite error
  for (int i = 0; i < w->set->count; i++) {
    if (!fb_output_errors_asked(w, i, k)) continue;
    const double error = find_error(&w->set->bound[i], w->y, dm_row(w->y_d, k, w->set->y.ny));
    w->error[i] = isfinite(error) ? fmax(w->error[i], error) : INFINITY;
  }
  return DM_OK;
}

int fb_output_errors_worst(const fb_output_bounds *set, const double *error) {
  int worst = set->count > 0 ? 0 : -1;
  for (int i = 1; i < set->count; i++)
    if (error[i] / set->bound[i].within > error[worst] / set->bound[worst].within) worst = i;
  return worst;
}

bool fb_output_errors_within(const fb_output_bounds *set, const double *error) {
  for (int i = 0; i < set->count; i++)
    if (!(error[i] <= set->bound[i].within)) return false;
  return true;
}

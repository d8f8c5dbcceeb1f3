#include "optim/nlp/scaled.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>

static const double OBJECTIVE = 1000; // sum of the objective's scaled derivatives at the guess
static const double VALUE = 100;      // or its value there
static const double LOOSEST = 100;    // limit of a given scale relative to that of the column

struct oc_scaled {
  oc_nlp nlp;
  const oc_nlp *own;
  double *s, *r, c;                      // [n], [m]
  double *x, *lambda;                    // [n], [m] in the program's units
  double *x_min, *x_max, *g_min, *g_max; // scaled
  double *jac, *hess;                    // [jac_nnz], [hess_nnz] factors of the entries
};

static void lay_out_scaled(void *self, dm_block *b) {
  oc_scaled *w = self;
  const size_t n = (size_t)w->own->n, m = (size_t)w->own->m;
  double **of_x[] = {&w->s, &w->x, &w->x_min, &w->x_max};
  double **of_g[] = {&w->r, &w->lambda, &w->g_min, &w->g_max};
  for (int i = 0; i < 4; i++) *of_x[i] = dm_block_alloc(b, n, sizeof(double));
  for (int i = 0; i < 4; i++) *of_g[i] = dm_block_alloc(b, m, sizeof(double));
  w->jac = dm_block_alloc(b, (size_t)w->own->jac_nnz, sizeof(double));
  w->hess = dm_block_alloc(b, (size_t)w->own->hess_nnz, sizeof(double));
}

// -- functions of the scaled program

static double clip_number(double x, double low, double high) {
  return fmin(fmax(x, low), high);
}

// convert a scaled point: fixed variables unchanged, others within their bounds
static void leave_x(const oc_scaled *w, const double *x, double *own) {
  const oc_nlp *nlp = w->own;
  for (int j = 0; j < nlp->n; j++)
    own[j] = clip_number(w->s[j] * x[j], nlp->x_min[j], nlp->x_max[j]);
}

static dm_status eval_scaled_objective(void *self, const double *x, double *f) {
  oc_scaled *w = self;
  leave_x(w, x, w->x);
  DM_TRY(w->own->f(w->own->self, w->x, f));
  *f *= w->c;
  return DM_OK;
}

static dm_status eval_scaled_gradient(void *self, const double *x, double *grad) {
  oc_scaled *w = self;
  leave_x(w, x, w->x);
  DM_TRY(w->own->grad(w->own->self, w->x, grad));
  for (int j = 0; j < w->nlp.n; j++) grad[j] *= w->c * w->s[j];
  return DM_OK;
}

static dm_status eval_scaled_rows(void *self, const double *x, double *g) {
  oc_scaled *w = self;
  leave_x(w, x, w->x);
  DM_TRY(w->own->g(w->own->self, w->x, g));
  for (int i = 0; i < w->nlp.m; i++) g[i] *= w->r[i];
  return DM_OK;
}

static dm_status walk_scaled_jacobian(void *self, const double *x, oc_triplets *s) {
  oc_scaled *w = self;
  const int first = s->n;
  if (x) leave_x(w, x, w->x);
  DM_TRY(w->own->jac(w->own->self, x ? w->x : NULL, s));
  for (int e = first; s->val && e < s->n; e++) s->val[e] *= w->jac[e - first];
  return DM_OK;
}

static dm_status walk_scaled_hessian(void *self, const double *x, double sigma,
                                     const double *lambda, oc_triplets *s) {
  oc_scaled *w = self;
  const int first = s->n;
  if (x) leave_x(w, x, w->x);
  for (int i = 0; lambda && i < w->nlp.m; i++) w->lambda[i] = w->r[i] * lambda[i];
  DM_TRY(w->own->hess(w->own->self, x ? w->x : NULL, w->c * sigma, lambda ? w->lambda : NULL, s));
  for (int e = first; s->val && e < s->n; e++) s->val[e] *= w->hess[e - first];
  return DM_OK;
}

static void name_scaled_row(void *self, int row, char *text, size_t size, int *knot) {
  const oc_scaled *w = self;
  w->own->row_name(w->own->self, row, text, size, knot);
}

static int find_scaled_knot(const void *self, int x) {
  const oc_scaled *w = self;
  return w->own->knot(w->own->self, x);
}

static int find_scaled_row(const void *self, int x) {
  const oc_scaled *w = self;
  return w->own->own_row(w->own->self, x);
}

static void heed_scaled(void *self, oc_deadline *deadline) {
  const oc_scaled *w = self;
  w->own->heed(w->own->self, deadline);
}

// -- construction

// s, r, and their products for the entries
static dm_status find_scales(oc_scaled *w, const double *x) {
  const oc_nlp *own = w->own;
  const int most = own->jac_nnz > own->hess_nnz ? own->jac_nnz : own->hess_nnz;
  dm_block b = {0};
  dm_block_alloc(&b, 2 * (size_t)most + 1, sizeof(int));
  DM_TRY(dm_block_new(&b));
  int *row = dm_block_alloc(&b, 2 * (size_t)most + 1, sizeof *row);
  for (int j = 0; j < own->n; j++) w->s[j] = 1;
  for (int i = 0; i < own->m; i++) w->r[i] = 1;
  dm_status s = own->scale ? own->scale(own->self, x, w->s, w->r) : DM_OK;

  // patterns do not read x
  oc_triplets jac = {row, row + most, NULL, 0}, hess = jac;
  if (s != DM_NO_MEMORY) s = own->jac(own->self, NULL, &jac);
  for (int e = 0; s == DM_OK && e < jac.n; e++) w->jac[e] = w->r[jac.row[e]] * w->s[jac.col[e]];
  if (s == DM_OK) s = own->hess(own->self, NULL, 1, NULL, &hess);
  for (int e = 0; s == DM_OK && e < hess.n; e++) w->hess[e] = w->s[hess.row[e]] * w->s[hess.col[e]];
  dm_block_free(row);
  return s;
}

// c from the value at x; false if undefined
static bool scale_by_value(oc_scaled *w, const double *x) {
  double f;
  if (!w->own->valued || w->own->f(w->own->self, x, &f) < 0) return false;
  if (!(fabs(f) > 0 && isfinite(VALUE / f))) return false;
  w->c = VALUE / fabs(f);
  return true;
}

// sum of |f_j| s_j + |f_jj| s_j^2 / 2 at x; 0 if it cannot be evaluated
static dm_status find_objective_size(oc_scaled *w, const double *x, double *size) {
  const oc_nlp *own = w->own;
  const size_t n = (size_t)own->n, m = (size_t)own->m, nnz = (size_t)own->hess_nnz;
  // work arrays
  dm_block b = {0};
  dm_block_alloc(&b, 2 * n + m + nnz, sizeof(double));
  dm_block_alloc(&b, 2 * nnz, sizeof(int));
  DM_TRY(dm_block_new(&b));
  double *grad = dm_block_alloc(&b, 2 * n + m + nnz, sizeof *grad);
  double *diagonal = grad + n, *zero = diagonal + n, *val = zero + m;
  int *row = dm_block_alloc(&b, 2 * nnz, sizeof *row);

  // gradient, and diagonal of the Hessian
  oc_triplets hess = {row, row + nnz, val, 0};
  dm_status s = own->grad(own->self, x, grad);
  if (s >= 0) s = own->hess(own->self, x, 1, zero, &hess);
  for (int e = 0; e < hess.n; e++)
    if (row[e] == row[nnz + (size_t)e]) diagonal[row[e]] += val[e];
  *size = 0;
  for (int j = 0; s >= 0 && j < own->n; j++)
    *size += fabs(grad[j]) * w->s[j] + 0.5 * fabs(diagonal[j]) * w->s[j] * w->s[j];
  dm_block_free(grad);
  return DM_OK;
}

void oc_scaled_rebound(oc_scaled *w) {
  for (int j = 0; j < w->own->n; j++) {
    w->x_min[j] = w->own->x_min[j] / w->s[j];
    w->x_max[j] = w->own->x_max[j] / w->s[j];
  }
  for (int i = 0; i < w->own->m; i++) {
    w->g_min[i] = w->r[i] * w->own->g_min[i];
    w->g_max[i] = w->r[i] * w->own->g_max[i];
  }
}

dm_status oc_scaled_new(oc_scaled **out, const oc_nlp *own, const double *x) {
  assert(out && own && x);
  *out = NULL;
  // 1. workspace and scales
  oc_scaled sizes = {.own = own, .c = 1};
  oc_scaled *w = dm_block_make(&sizes, sizeof sizes, lay_out_scaled);
  if (!w) return DM_NO_MEMORY;
  double size = 0;
  dm_status s = find_scales(w, x);
  if (s == DM_OK && own->scale && !scale_by_value(w, x)) s = find_objective_size(w, x, &size);
  if (s != DM_OK) {
    dm_block_free(w);
    return s;
  }
  if (size > 0 && isfinite(OBJECTIVE / size)) w->c = OBJECTIVE / size;

  // 2. functions and bounds of the scaled program
  w->nlp = *own;
  w->nlp.self = w;
  w->nlp.x_min = w->x_min;
  w->nlp.x_max = w->x_max;
  w->nlp.g_min = w->g_min;
  w->nlp.g_max = w->g_max;
  w->nlp.f = eval_scaled_objective;
  w->nlp.grad = eval_scaled_gradient;
  w->nlp.g = eval_scaled_rows;
  w->nlp.jac = walk_scaled_jacobian;
  w->nlp.hess = walk_scaled_hessian;
  w->nlp.row_name = name_scaled_row;
  if (own->knot) w->nlp.knot = find_scaled_knot;
  if (own->own_row) w->nlp.own_row = find_scaled_row;
  if (own->heed) w->nlp.heed = heed_scaled;
  w->nlp.scale = NULL;
  oc_scaled_rebound(w);
  *out = w;
  return DM_OK;
}

void oc_scaled_free(oc_scaled *w) {
  dm_block_free(w);
}

const oc_nlp *oc_scaled_nlp(const oc_scaled *w) {
  return &w->nlp;
}

double oc_scaled_objective(const oc_scaled *w) {
  return w->c;
}

void oc_scaled_weigh(oc_scaled *w, double scale) {
  w->c = scale;
}

double oc_scaled_size(const oc_scaled *w, int j) {
  return w->s[j];
}

double oc_scaled_row(const oc_scaled *w, int i) {
  return 1 / w->r[i];
}

// -- points

void oc_scaled_enter(const oc_scaled *w, oc_point *p) {
  for (int j = 0; j < w->own->n; j++) {
    p->x[j] = clip_number(p->x[j] / w->s[j], w->x_min[j], w->x_max[j]);
    p->z_l[j] *= w->s[j] * w->c;
    p->z_u[j] *= w->s[j] * w->c;
  }
  for (int i = 0; i < w->own->m; i++) p->lambda[i] *= w->c / w->r[i];
}

void oc_scaled_leave(const oc_scaled *w, oc_point *p) {
  leave_x(w, p->x, p->x);
  for (int j = 0; j < w->own->n; j++) {
    p->z_l[j] /= w->s[j] * w->c;
    p->z_u[j] /= w->s[j] * w->c;
  }
  for (int i = 0; i < w->own->m; i++) p->lambda[i] *= w->r[i] / w->c;
}

void oc_scaled_leave_direction(const oc_scaled *w, double *d) {
  for (int j = 0; j < w->own->n; j++) d[j] *= w->s[j];
}

// -- scales by the Jacobian

// The Jacobian at x, and the largest entry of each class.
typedef struct class_sizes {
  const oc_nlp *nlp;
  double *val, *size; // [jac_nnz], [largest of n and m] by class
  int *row, *col;     // [jac_nnz]
} class_sizes;

static void lay_out_sizes(void *self, dm_block *b) {
  class_sizes *w = self;
  const size_t nnz = (size_t)w->nlp->jac_nnz, n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  w->val = dm_block_alloc(b, nnz, sizeof *w->val);
  w->size = dm_block_alloc(b, n > m ? n : m, sizeof *w->size);
  w->row = dm_block_alloc(b, nnz, sizeof *w->row);
  w->col = dm_block_alloc(b, nnz, sizeof *w->col);
}

static double invert_size(double size) {
  return size > 0 && isfinite(1 / size) ? 1 / size : NAN;
}

// scales of the variables determined by their columns
static void scale_columns(class_sizes *w, int steps, const int *column, const int *row,
                          const double *r, double *s) {
  const oc_nlp *nlp = w->nlp;
  memset(w->size, 0, (size_t)nlp->n * sizeof *w->size);
  for (int e = 0; e < nlp->jac_nnz; e++) {
    const int i = w->row[e], c = column[w->col[e]];
    if (c >= 0 && row[i] < 0) w->size[c] = fmax(w->size[c], r[i] * fabs(w->val[e]));
  }
  for (int j = 0; j < nlp->n; j++) {
    if (column[j] < 0) continue;
    const double by_column = invert_size(steps * w->size[column[j]]);
    if (!(s[j] > 0)) s[j] = isnan(by_column) ? 1 : by_column;
    if (s[j] > LOOSEST * by_column) s[j] = LOOSEST * by_column;
  }
}

// scale from a row's bounds
static double find_bound_size(double low, double high) {
  const double size = fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
  return size > 0 ? size : 1;
}

// scales of the rows determined by their entries
static void scale_rows(class_sizes *w, const int *row, const double *s, double *r) {
  const oc_nlp *nlp = w->nlp;
  memset(w->size, 0, (size_t)nlp->m * sizeof *w->size);
  for (int e = 0; e < nlp->jac_nnz; e++) {
    const int c = row[w->row[e]];
    if (c >= 0) w->size[c] = fmax(w->size[c], fabs(w->val[e]) * s[w->col[e]]);
  }
  for (int i = 0; i < nlp->m; i++) {
    if (row[i] < 0) continue;
    const double by_entries = invert_size(w->size[row[i]]);
    r[i] = isnan(by_entries) ? 1 / find_bound_size(nlp->g_min[i], nlp->g_max[i]) : by_entries;
  }
}

dm_status oc_scale_by_class(const oc_nlp *nlp, const double *x, int steps, const int *column,
                            const int *row, double *s, double *r) {
  class_sizes sizes = {.nlp = nlp};
  class_sizes *w = dm_block_make(&sizes, sizeof sizes, lay_out_sizes);
  if (!w) return DM_NO_MEMORY;
  oc_triplets pattern = {w->row, w->col, NULL, 0}, values = {NULL, NULL, w->val, 0};
  dm_status status = nlp->jac(nlp->self, NULL, &pattern);
  if (status == DM_OK) status = nlp->jac(nlp->self, x, &values);
  if (status != DM_OK) memset(w->val, 0, (size_t)nlp->jac_nnz * sizeof *w->val);
  scale_columns(w, steps, column, row, r, s);
  scale_rows(w, row, s, r);
  dm_block_free(w);
  return status;
}

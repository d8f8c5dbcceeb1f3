#include "optim/interior/equality_form.h"

#include <math.h>
#include <string.h>

static const double LARGE_GRADIENT = 100; // nlp_scaling_max_gradient
static const double LEAST_SCALE = 1e-8;   // nlp_scaling_min_value
static const double PENALTY = 1000;       // rho of the restoration

static bool are_numbers(int n, const double *a) {
  // a sum of products with zero is zero unless a number is not finite; eight lanes
  double lane[8] = {0}, sum = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++) lane[l] += 0 * a[i + l];
  for (; i < n; i++) sum += 0 * a[i];
  for (int l = 0; l < 8; l++) sum += lane[l];
  return sum == 0;
}

// -- set-up

void oc_equality_form_count(oc_equality_form *f, const oc_nlp *nlp, bool elastic) {
  f->nlp = nlp;
  f->m = nlp->m;
  f->elastic = elastic;
  f->n = f->ns = 0;
  for (int j = 0; j < nlp->n; j++) f->n += nlp->x_min[j] < nlp->x_max[j];
  for (int i = 0; i < nlp->m; i++) f->ns += nlp->g_min[i] < nlp->g_max[i];
  f->nw = f->ns + (elastic ? 2 * f->m : 0);
  f->nv = f->n + f->nw;
}

void oc_equality_form_lay_out(oc_equality_form *f, dm_block *b) {
  size_t n = (size_t)f->n, nw = (size_t)f->nw, nv = (size_t)f->nv, m = (size_t)f->m;
  size_t all = (size_t)f->nlp->n;
  f->free = dm_block_alloc(b, n, sizeof(int));
  f->row = dm_block_alloc(b, nw, sizeof(int));
  f->coef = dm_block_alloc(b, nw, sizeof(double));
  f->cost = dm_block_alloc(b, nw, sizeof(double));
  f->low = dm_block_alloc(b, nv, sizeof(double));
  f->high = dm_block_alloc(b, nv, sizeof(double));
  f->scale = dm_block_alloc(b, m, sizeof(double));
  f->target = dm_block_alloc(b, m, sizeof(double));
  f->x = dm_block_alloc(b, all, sizeof(double));
  f->full = dm_block_alloc(b, all > m ? all : m, sizeof(double));
  f->ref = dm_block_alloc(b, f->elastic ? n : 0, sizeof(double));
  f->weight = dm_block_alloc(b, f->elastic ? n : 0, sizeof(double));
  const size_t model = f->elastic ? 0 : nv;
  f->v_model = dm_block_alloc(b, model, sizeof(double));
  f->grad_model = dm_block_alloc(b, model, sizeof(double));
  f->d_model = dm_block_alloc(b, model, sizeof(double));
  f->slope_model = dm_block_alloc(b, model, sizeof(double));
  f->c_model = dm_block_alloc(b, f->elastic ? 0 : m, sizeof(double));
}

static void put_private(oc_equality_form *f, int *w, int row, double coef, double cost) {
  f->row[*w] = row;
  f->coef[*w] = coef;
  f->cost[*w] = cost;
  f->low[f->n + *w] = 0;
  f->high[f->n + *w] = INFINITY;
  ++*w;
}

void oc_equality_form_fill(oc_equality_form *f) {
  const oc_nlp *nlp = f->nlp;
  int n = 0, w = 0;
  // x, and fixed variables at their value
  for (int j = 0; j < nlp->n; j++) {
    f->x[j] = nlp->x_min[j];
    if (!(nlp->x_min[j] < nlp->x_max[j])) continue;
    f->free[n] = j;
    f->low[n] = nlp->x_min[j];
    f->high[n] = nlp->x_max[j];
    n++;
  }

  // slacks with the bounds of the rows; equations have a target
  for (int i = 0; i < f->m; i++) {
    bool equation = !(nlp->g_min[i] < nlp->g_max[i]);
    f->scale[i] = 1;
    f->target[i] = equation ? nlp->g_min[i] : 0;
    if (equation) continue;
    put_private(f, &w, i, -1, 0);
    f->low[n + w - 1] = nlp->g_min[i];
    f->high[n + w - 1] = nlp->g_max[i];
  }
  f->f_scale = 1;

  // p of every row, then n
  for (int i = 0; i < f->m && f->elastic; i++) put_private(f, &w, i, -1, PENALTY);
  for (int i = 0; i < f->m && f->elastic; i++) put_private(f, &w, i, 1, PENALTY);
}

dm_status oc_equality_form_scale(oc_equality_form *f, const double *x) {
  double *largest = f->full, largest_f = 0;
  DM_TRY(oc_equality_form_jacobian(f, x));
  memset(largest, 0, (size_t)f->m * sizeof *largest);
  for (int k = 0; k < f->jac->nnz; k++)
    largest[f->jac->row[k]] = fmax(largest[f->jac->row[k]], fabs(f->jac->val[k]));
  for (int i = 0; i < f->m; i++)
    f->scale[i] = fmax(LEAST_SCALE, fmin(1, LARGE_GRADIENT / largest[i]));

  // scale of the objective
  DM_TRY(oc_equality_form_gradient(f, x, NULL));
  for (int j = 0; j < f->n; j++) largest_f = fmax(largest_f, fabs(f->full[f->free[j]]));
  f->f_scale = fmax(LEAST_SCALE, fmin(1, LARGE_GRADIENT / largest_f));

  // apply the row scales G to targets and bounds of slacks
  for (int i = 0; i < f->m; i++) f->target[i] *= f->scale[i];
  for (int w = 0; w < f->ns; w++) {
    f->low[f->n + w] *= f->scale[f->row[w]];
    f->high[f->n + w] *= f->scale[f->row[w]];
  }

  return DM_OK;
}

void oc_equality_form_follow(oc_equality_form *f, const oc_equality_form *own) {
  size_t m = (size_t)f->m * sizeof(double), shared = (size_t)(f->n + f->ns) * sizeof(double);
  memcpy(f->scale, own->scale, m);
  memcpy(f->target, own->target, m);
  memcpy(f->low, own->low, shared);
  memcpy(f->high, own->high, shared);
}

// -- evaluation

// the program's point for v
static const double *place_point(oc_equality_form *f, const double *v) {
  for (int j = 0; j < f->n; j++) f->x[f->free[j]] = v[j];
  return f->x;
}

// end of an evaluation: measure its time, refuse numbers that are not finite
static dm_status end_evaluation(const oc_equality_form *f, double since, dm_status s, int n,
                                const double *out) {
  if (f->seconds) *f->seconds += oc_clock() - since;
  return s >= 0 && !are_numbers(n, out) ? DM_NOT_FINITE : s;
}

double oc_equality_form_elastic(const oc_equality_form *f, const double *v) {
  double sum = 0, near = 0;
  for (int w = f->ns; w < f->nw; w++) sum += f->cost[w] * v[f->n + w];
  for (int j = 0; j < f->n; j++) near += f->weight[j] * (v[j] - f->ref[j]) * (v[j] - f->ref[j]);
  return sum + 0.5 * f->zeta * near;
}

// -- a quadratic model

void oc_equality_form_freeze(oc_equality_form *f, const double *v, double F, const double *grad,
                             const double *c) {
  f->frozen = true;
  f->F_model = F;
  memcpy(f->v_model, v, (size_t)f->nv * sizeof *v);
  memcpy(f->grad_model, grad, (size_t)f->nv * sizeof *grad);
  memcpy(f->c_model, c, (size_t)f->m * sizeof *c);
}

// grad + W d for d = v - v_model
static void find_model_gradient(oc_equality_form *f, const double *v, double *grad) {
  for (int i = 0; i < f->nv; i++) f->d_model[i] = v[i] - f->v_model[i];
  memcpy(grad, f->grad_model, (size_t)f->nv * sizeof *grad);
  oc_sparse_sum_symmetric(f->hess, 1, f->d_model, grad);
}

// F + grad'd + d'W d/2, c + J d
static dm_status find_model_value(oc_equality_form *f, const double *v, double *F, double *c) {
  double sum = 0;
  find_model_gradient(f, v, f->slope_model);
  for (int i = 0; i < f->nv; i++)
    sum += 0.5 * f->d_model[i] * (f->grad_model[i] + f->slope_model[i]);
  *F = f->F_model + sum;
  memcpy(c, f->c_model, (size_t)f->m * sizeof *c);
  for (int k = 0; k < f->jac->nnz; k++)
    c[f->jac->row[k]] += f->jac->val[k] * f->d_model[f->jac->col[k]];
  for (int w = 0; w < f->nw; w++) c[f->row[w]] += f->coef[w] * f->d_model[f->n + w];
  return isfinite(*F) && are_numbers(f->m, c) ? DM_OK : DM_NOT_FINITE;
}

// -- the program

dm_status oc_equality_form_value(oc_equality_form *f, const double *v, double *F, double *c) {
  if (f->frozen) return find_model_value(f, v, F, c);
  const oc_nlp *nlp = f->nlp;
  const double *x = place_point(f, v), since = oc_clock();
  dm_status s = nlp->g(nlp->self, x, c);
  DM_TRY(end_evaluation(f, since, s, f->m, c));
  // c = G g + E w - t
  for (int i = 0; i < f->m; i++) c[i] = f->scale[i] * c[i] - f->target[i];
  for (int w = 0; w < f->nw; w++) c[f->row[w]] += f->coef[w] * v[f->n + w];

  if (f->elastic) {
    *F = oc_equality_form_elastic(f, v);
    return DM_OK;
  }
  const double again = oc_clock();
  s = nlp->f(nlp->self, x, F);
  DM_TRY(end_evaluation(f, again, s, 1, F));
  *F *= f->f_scale;
  return DM_OK;
}

dm_status oc_equality_form_gradient(oc_equality_form *f, const double *v, double *grad) {
  if (f->elastic) {
    for (int j = 0; j < f->n; j++) grad[j] = f->zeta * f->weight[j] * (v[j] - f->ref[j]);
    memcpy(grad + f->n, f->cost, (size_t)f->nw * sizeof *grad);
    return DM_OK;
  }
  if (f->frozen) {
    find_model_gradient(f, v, grad);
    return DM_OK;
  }
  const double *x = place_point(f, v), since = oc_clock();
  dm_status s = f->nlp->grad(f->nlp->self, x, f->full);
  DM_TRY(end_evaluation(f, since, s, f->nlp->n, f->full));
  for (int j = 0; j < f->n && grad; j++) grad[j] = f->f_scale * f->full[f->free[j]];
  for (int w = 0; w < f->nw && grad; w++) grad[f->n + w] = 0;
  return DM_OK;
}

dm_status oc_equality_form_jacobian(oc_equality_form *f, const double *v) {
  if (f->frozen) return DM_OK;
  const double *x = place_point(f, v), since = oc_clock();
  oc_triplets sink = {.val = f->jac->walk};
  dm_status s = f->nlp->jac(f->nlp->self, x, &sink);
  DM_TRY(end_evaluation(f, since, s, f->jac->raw, f->jac->walk));
  oc_sparse_sum_fill(f->jac, f->scale);
  return DM_OK;
}

dm_status oc_equality_form_hessian(oc_equality_form *f, const double *v, const double *y) {
  if (f->frozen) return DM_OK;
  const double *x = place_point(f, v), since = oc_clock();
  oc_triplets sink = {.val = f->hess->walk};
  for (int i = 0; i < f->m; i++) f->full[i] = f->scale[i] * y[i];
  dm_status s = f->nlp->hess(f->nlp->self, x, f->elastic ? 0 : f->f_scale, f->full, &sink);
  DM_TRY(end_evaluation(f, since, s, f->hess->raw, f->hess->walk));
  oc_sparse_sum_fill(f->hess, NULL);
  return DM_OK;
}

// -- products

void oc_equality_form_both(const oc_equality_form *f, double by, const double *d, const double *y,
                           double *rows, double *variables) {
  oc_sparse_sum_both(f->jac, by, d, y, rows, variables);
  for (int w = 0; w < f->nw; w++) {
    rows[f->row[w]] += by * f->coef[w] * d[f->n + w];
    variables[f->n + w] += by * f->coef[w] * y[f->row[w]];
  }
}

void oc_equality_form_transposed(const oc_equality_form *f, double by, const double *y,
                                 double *out) {
  oc_sparse_sum_transposed(f->jac, by, y, out);
  for (int w = 0; w < f->nw; w++) out[f->n + w] += by * f->coef[w] * y[f->row[w]];
}

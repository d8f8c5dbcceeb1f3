#include "optim/interior/sensitivity.h"

#include "optim/interior/interior_start.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Load the solution and factor its Newton matrix, without regularization.
static dm_status factor_solution(oc_interior *w, const oc_point *at) {
  oc_barrier *b = &w->own.b;
  int negative = 0;
  oc_equality_form_fill(&b->form);
  b->form.seconds = NULL;
  w->deadline = (oc_deadline){.until = INFINITY};
  DM_TRY(oc_interior_load_point(w, at, 0));
  DM_TRY(oc_equality_form_hessian(&b->form, b->v, b->y));
  oc_barrier_set_sigma(b);
  for (int i = 0; i < b->form.nv; i++) b->shifted[i] = 0;
  DM_TRY(oc_barrier_factor_shifted(b, 0, 0, &negative));
  return negative == b->form.m ? DM_OK : DM_SINGULAR;
}

// -(W_vx, J_x) for the fixed variable x, from the values of the last walks, whose patterns are in the arrays
static void put_hessian_column(oc_interior *w, int x, const double *number) {
  oc_barrier *b = &w->own.b;
  memset(b->rhs_v, 0, (size_t)b->form.nv * sizeof *b->rhs_v);
  for (int e = 0; e < w->hess.raw; e++) {
    const int i = w->row[e], j = w->col[e];
    if (i == j || (i != x && j != x)) continue;
    const int other = (int)number[i == x ? j : i];
    if (other >= 0) b->rhs_v[other] -= w->hess.walk[e];
  }
}

static void put_jacobian_column(oc_interior *w, int x, double *df) {
  oc_barrier *b = &w->own.b;
  const double *scale = b->form.scale;
  memset(b->rhs_c, 0, (size_t)b->form.m * sizeof *b->rhs_c);
  for (int e = 0; e < w->jac.raw; e++) {
    const int i = w->row[e];
    if (w->col[e] != x) continue;
    b->rhs_c[i] -= scale[i] * w->jac.walk[e];
    *df += b->y[i] * scale[i] * w->jac.walk[e];
  }
}

dm_status oc_interior_sensitivity(oc_interior *w, const oc_point *at, int count, const int *fixed,
                                  double *dx, double *df) {
  assert(w && at && count >= 0);
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  const oc_nlp *nlp = w->nlp;
  const size_t n = (size_t)nlp->n;
  // 1. the Newton matrix at the solution
  DM_TRY(factor_solution(w, at));
  double *number = w->x_best; // of each free variable, -1 if fixed
  for (int j = 0; j < nlp->n; j++) number[j] = -1;
  for (int j = 0; j < f->n; j++) number[f->free[j]] = j;
  DM_TRY(nlp->grad(nlp->self, f->x, f->full));
  for (int k = 0; k < count; k++) df[k] = f->f_scale * f->full[fixed[k]];

  for (int k = 0; k < count; k++) {
    // 2. right-hand sides
    oc_triplets jac = {w->row, w->col, NULL, 0}, hess = jac;
    DM_TRY(nlp->jac(nlp->self, NULL, &jac));
    put_jacobian_column(w, fixed[k], &df[k]);
    DM_TRY(nlp->hess(nlp->self, NULL, 1, NULL, &hess));
    put_hessian_column(w, fixed[k], number);
    // 3. the change of the free variables
    DM_TRY(oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy));
    double *d = dx + (size_t)k * n;
    memset(d, 0, n * sizeof *d);
    d[fixed[k]] = 1;
    for (int j = 0; j < f->n; j++) d[f->free[j]] = b->dv[j];
    df[k] /= f->f_scale;
  }
  return DM_OK;
}

// z over the distance to a bound, times the derivative of the bound; without a bound 0
static double push_by(double z, double distance, double bound) {
  return isfinite(distance) ? z / distance * bound : 0;
}

dm_status oc_interior_slope(oc_interior *w, const oc_point *at, const oc_program_slope *by,
                            double *dx) {
  assert(w && at && by && dx);
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  const oc_nlp *nlp = w->nlp;
  DM_TRY(factor_solution(w, at));
  // -(derivative of the residual), and of the bounds: rows with a slack have those of the slack
  for (int j = 0; j < f->n; j++) {
    const int x = f->free[j];
    b->rhs_v[j] = -f->f_scale * by->dual[x] +
                  push_by(b->z_l[j], b->v[j] - f->low[j], by->x_min[x]) +
                  push_by(b->z_u[j], f->high[j] - b->v[j], by->x_max[x]);
  }
  for (int i = 0; i < f->m; i++) {
    const bool equation = !(nlp->g_min[i] < nlp->g_max[i]);
    b->rhs_c[i] = -f->scale[i] * (by->rows[i] - (equation ? by->g_min[i] : 0));
  }
  for (int s = f->n; s < f->nv; s++) {
    const int row = f->row[s - f->n];
    b->rhs_v[s] = push_by(b->z_l[s], b->v[s] - f->low[s], f->scale[row] * by->g_min[row]) +
                  push_by(b->z_u[s], f->high[s] - b->v[s], f->scale[row] * by->g_max[row]);
  }

  // the change of the free variables
  DM_TRY(oc_barrier_solve(b, b->rhs_v, b->rhs_c, b->dv, b->dy));
  memset(dx, 0, (size_t)nlp->n * sizeof *dx);
  for (int j = 0; j < f->n; j++) dx[f->free[j]] = b->dv[j];
  return DM_OK;
}

#include "optim/identification/knot_walk.h"

#include "lib/base/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- construction

static dm_status allocate(oc_knot_walk *w) {
  const size_t n = (size_t)w->of->n, m = (size_t)w->of->m, nc = (size_t)w->of->nc;
  const size_t rows = n * (3 * n + (size_t)oc_knots_border(w->of) + 1),
               before = n + 2 * n * n + n * nc;
  double *a = w->block =
      calloc(7 * n + before + (w->tangent ? 3 * n * m + rows : 0) + 1, sizeof *a);
  if (!a) return DM_NO_MEMORY;
  w->mu = a, w->along = a += 3 * n, w->rest = a += 3 * n, w->before = a += n, a += before;
  for (size_t k = 0; w->tangent && k < 3; k++) w->N[k] = a + k * n * m;
  if (w->tangent) w->full = a + 3 * n * m;
  return DM_OK;
}

dm_status oc_knot_walk_new(oc_knot_walk **out, const oc_knots *of, oc_motion_residual *residual,
                           const dm_holonomic *hol, const oc_knot_chain *shared) {
  oc_knot_walk *w = *out = calloc(1, sizeof *w);
  if (!w) return DM_NO_MEMORY;
  *w = (oc_knot_walk){.of = of, .residual = residual};
  if (of->m < of->n)
    DM_TRY(oc_knot_tangent_new(&w->tangent, of->n, hol, of->set->sigma_q, of->set->sigma_f));
  DM_TRY(allocate(w));
  return oc_knot_chain_new(&w->chain, of->m, oc_knots_border(of), 0, shared);
}

void oc_knot_walk_free(oc_knot_walk *w) {
  if (!w) return;
  oc_knot_chain_free(w->chain);
  oc_knot_tangent_free(w->tangent);
  free(w->block);
  free(w);
}

// -- positions on the constraints

dm_status oc_knot_walk_retract(oc_knot_walk *w, const oc_run *r, double *q) {
  for (int k = 0; w->tangent && k < r->knots; k++)
    DM_TRY(oc_knot_tangent_retract(w->tangent, dm_row(q, r->first + k, w->of->n)));
  return DM_OK;
}

dm_status oc_knot_walk_set_directions(oc_knot_walk *w, const oc_run *r, int k, int number) {
  if (!w->tangent) return DM_OK;
  return oc_knot_tangent_directions(w->tangent, dm_row(w->of->q, r->first + k, w->of->n),
                                    w->N[number]);
}

void oc_knot_walk_move_directions(oc_knot_walk *w) {
  double *first = w->N[0];
  w->N[0] = w->N[1], w->N[1] = w->N[2], w->N[2] = first;
}

// -- terms of one knot

double oc_knot_walk_read(const oc_knots *o, const oc_run *r, int k, int i, double *y) {
  const int at = (r->from + k) * o->n + i;
  const double sigma = o->set->sigma_q[i];
  *y = r->log->q[at] - o->zero[i];
  return r->log->weight[at] / (sigma * sigma);
}

static double sum_knot(const oc_knot_walk *w, const oc_run *r, int k, const double *q) {
  double sum = 0, y;
  for (int i = 0; i < w->of->n; i++) {
    const double weight = oc_knot_walk_read(w->of, r, k, i, &y);
    sum += 0.5 * weight * (q[i] - y) * (q[i] - y);
  }
  return sum;
}

dm_status oc_knot_walk_step(oc_knot_walk *w, const oc_run *r, int order, const double *q, int k,
                            oc_step_forms *f) {
  const int n = w->of->n, nu = w->of->nu;
  const double *at = dm_row(q, r->first + k, n);
  const double *u = dm_row(r->log->u, r->from + k, nu);
  const double *u_delay = dm_row(r->log->u_delay, r->from + k, nu);
  return oc_motion_residual_step(w->residual, order, at, at + n, u, u_delay, f);
}

dm_status oc_knot_walk_cost(oc_knot_walk *w, const oc_run *r, const double *q, double *cost) {
  const int n = w->of->n;
  double sum = 0;
  for (int k = 0; k < r->knots; k++) sum += sum_knot(w, r, k, dm_row(q, r->first + k, n));
  for (int k = 0; k + 1 < r->knots; k++) {
    oc_step_forms f;
    DM_TRY(oc_knot_walk_step(w, r, 1, q, k, &f));
    double *force = dm_row(w->of->force, r->first + k, n);
    for (int i = 0; i < n; i++)
      w->rest[i] = (force[i] + f.D1[i] / w->of->h) / w->of->set->sigma_f[i];
    if (k > 0 && w->tangent) {
      DM_TRY(oc_knot_tangent_equations(w->tangent, dm_row(q, r->first + k, n)));
      oc_knot_tangent_release(w->tangent, w->rest);
    }
    for (int i = 0; i < n; i++) {
      if (k > 0) {
        force[i] = w->rest[i] * w->of->set->sigma_f[i];
        sum += 0.5 * w->rest[i] * w->rest[i];
      }
      force[n + i] = f.D2[i] / w->of->h;
    }
  }
  *cost = sum;
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// -- the rows of a residual

void oc_knot_walk_keep(oc_knot_walk *w, const oc_step_forms *f, int border) {
  const size_t n = (size_t)w->of->n, nc = (size_t)border;
  memcpy(w->before, f->D2, n * sizeof(double));
  memcpy(w->before + n, f->D21, n * n * sizeof(double));
  memcpy(w->before + n + n * n, f->D22, n * n * sizeof(double));
  if (nc) memcpy(w->before + n + 2 * n * n, f->Y2, n * nc * sizeof(double));
}

// P, the rows without the impulses of constraints at knot k, into the chain's row
static dm_status project_rows(oc_knot_walk *w, const oc_run *r, int k, int border) {
  oc_knot_tangent *t = w->tangent;
  const int n = w->of->n, m = w->of->m, ld = w->chain->ld, ldf = 3 * n + oc_knots_border(w->of) + 1;
  const double *q = dm_row(w->of->q, r->first + k, n);
  double *full = w->full, *x = t->x;
  DM_TRY(oc_knot_tangent_equations(t, q));
  oc_knot_tangent_release(t, w->rest);
  DM_TRY(oc_knot_tangent_curvature(t, q));
  for (int i = 0; i < n; i++) {
    double *row = dm_row(full, i, ldf);
    dm_add_to(n, -1, dm_row(t->H, i, n), row + n);
    // a row by the unknowns, in place of that by coordinates
    for (int b = 0; b < 3; b++) {
      memset(x, 0, (size_t)m * sizeof *x);
      for (int j = 0; j < n; j++) dm_add_to(m, row[b * n + j], dm_row(w->N[b], j, m), x);
      memcpy(row + b * m, x, (size_t)m * sizeof *x);
    }
    memmove(row + 3 * m, row + 3 * n, (size_t)border * sizeof *row);
  }
  double *out = w->chain->row;
  oc_knot_tangent_project(t, 3 * m + border, full, ldf, out, ld);
  oc_knot_tangent_project(t, 1, full + ldf - 1, ldf, out + ld - 1, ld);
  return DM_OK;
}

dm_status oc_knot_walk_put_rows(oc_knot_walk *w, const oc_run *r, int k, const oc_step_forms *f,
                                int nc) {
  const int n = w->of->n, ld = w->tangent ? 3 * n + oc_knots_border(w->of) + 1 : w->chain->ld;
  const oc_base_columns *base = w->of->base;
  const int border = nc ? base->count : 0;
  const double *D2 = w->before, *D21 = D2 + n, *D22 = D21 + n * n, *Y2 = D22 + n * n;
  for (int i = 0; i < n; i++) {
    double *row = dm_row(w->tangent ? w->full : w->chain->row, i, ld);
    const double by = 1 / (w->of->h * w->of->set->sigma_f[i]);
    for (int j = 0; j < n; j++) {
      row[j] = by * D21[i * n + j];
      row[n + j] = by * (D22[i * n + j] + f->D11[i * n + j]);
      row[2 * n + j] = by * f->D12[i * n + j];
    }
    for (int c = 0; c < border; c++) {
      const int at = i * nc + base->column[c];
      row[3 * n + c] = by * (Y2[at] + f->Y1[at]);
    }
    w->rest[i] = row[ld - 1] = by * (D2[i] + f->D1[i]);
  }
  return w->tangent ? project_rows(w, r, k, border) : DM_OK;
}

static void add_knot(oc_knot_walk *w, const oc_run *r, int k, int number, double damping) {
  static const double one[] = {1};
  const double *q = dm_row(w->of->q, r->first + k, w->of->n);
  const int first = number * w->of->m;
  for (int i = 0; i < w->of->n; i++) {
    double y;
    const double weight = oc_knot_walk_read(w->of, r, k, i, &y), sigma = w->of->set->sigma_q[i];
    const double *a = w->tangent ? dm_row(w->N[number], i, w->of->m) : one;
    const int at = w->tangent ? first : first + i, count = w->tangent ? w->of->m : 1;
    const int zero = w->of->zero_column[i], c = zero < 0 ? -1 : w->of->base->place[zero];
    oc_knot_chain_add_square(w->chain, at, count, a, weight, q[i] - y, c);
    if (damping > 0)
      oc_knot_chain_add_square(w->chain, at, count, a, damping / (sigma * sigma), 0, -1);
  }
}

// Newton's term of friction over the step between the first two knots of the window: r_k before and
// after it, times the second derivative of its force
static dm_status add_curvature(oc_knot_walk *w, const oc_run *r, int k) {
  const int n = w->of->n, m = w->of->m;
  const double *q = dm_row(w->of->q, r->first + k, n);
  double *mu = w->mu, *curve = w->mu + 2 * n, *a = w->along;
  for (int i = 0; i < n; i++) {
    mu[i] = mu[n + i];
    mu[n + i] = w->rest[i] / (w->of->h * w->of->set->sigma_f[i]);
  }
  DM_TRY(oc_motion_residual_curvature(w->residual, q, q + n, mu, mu + n, curve));
  for (int i = 0; i < n; i++) {
    if (!(curve[i] > 0)) continue;
    // the change of coordinate i by the unknowns of both knots
    memset(a, 0, 2 * (size_t)m * sizeof *a);
    if (w->tangent) {
      memcpy(a + m, dm_row(w->N[1], i, m), (size_t)m * sizeof *a);
      dm_add_to(m, -1, dm_row(w->N[0], i, m), a);
    } else {
      a[i] = -1, a[m + i] = 1;
    }
    oc_knot_chain_add_square(w->chain, 0, 2 * m, a, curve[i], 0, -1);
  }
  return DM_OK;
}

dm_status oc_knot_walk_linearize(oc_knot_walk *w, const oc_run *r, double damping, double *cost) {
  oc_knot_chain_begin(w->chain, r->first);
  const int n = w->of->n, order = w->of->nc > 0 ? 3 : 2;
  double sum = 0;
  for (int k = 0; k < r->knots; k++) sum += sum_knot(w, r, k, dm_row(w->of->q, r->first + k, n));
  memset(w->mu, 0, 2 * (size_t)n * sizeof *w->mu);
  for (int k = 0; k < 2; k++) {
    DM_TRY(oc_knot_walk_set_directions(w, r, k, k));
    add_knot(w, r, k, k, damping);
  }
  for (int k = 0; k + 1 < r->knots; k++) {
    oc_step_forms f;
    DM_TRY(oc_knot_walk_step(w, r, order, w->of->q, k, &f));
    if (k > 0) {
      DM_TRY(oc_knot_walk_set_directions(w, r, k + 1, 2));
      DM_TRY(oc_knot_walk_put_rows(w, r, k, &f, w->of->nc));
      for (int i = 0; i < n; i++) sum += 0.5 * w->rest[i] * w->rest[i];
      add_knot(w, r, k + 1, 2, damping);
      oc_knot_chain_add(w->chain);
      if (damping > 0) DM_TRY(add_curvature(w, r, k - 1));
      DM_TRY(oc_knot_chain_eliminate(w->chain));
      oc_knot_walk_move_directions(w);
    }
    oc_knot_walk_keep(w, &f, w->of->nc);
  }
  DM_TRY(oc_knot_chain_eliminate(w->chain));
  DM_TRY(oc_knot_chain_eliminate(w->chain));
  oc_knot_chain_end(w->chain);
  *cost = sum;
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// the right side -A'(r + Y dpi) of the equations of a run
static dm_status follow_rows(oc_knot_walk *w, const oc_run *r, const double *dpi) {
  const int n = w->of->n, m = w->of->m, ld = w->chain->ld;
  double *sum = w->along, *y1 = sum + n, *y2 = sum + 2 * n;
  for (int k = 0; k < 2; k++) DM_TRY(oc_knot_walk_set_directions(w, r, k, k));
  memset(y2, 0, (size_t)n * sizeof *y2);
  for (int k = 0; k + 1 < r->knots; k++) {
    const double *q = dm_row(w->of->q, r->first + k, n),
                 *u = dm_row(r->log->u, r->from + k, w->of->nu);
    const double *u_delay = dm_row(r->log->u_delay, r->from + k, w->of->nu);
    oc_step_forms f;
    DM_TRY(oc_knot_walk_step(w, r, 2, w->of->q, k, &f));
    memcpy(sum, y2, (size_t)n * sizeof *sum);
    if (w->of->nc)
      DM_TRY(oc_motion_residual_along(w->residual, q, q + n, u, u_delay, dpi, y1, y2));
    else
      memset(y1, 0, (size_t)n * sizeof *y1);
    if (k > 0) {
      DM_TRY(oc_knot_walk_set_directions(w, r, k + 1, 2));
      DM_TRY(oc_knot_walk_put_rows(w, r, k, &f, 0));
      for (int i = 0; i < n; i++) sum[i] = (sum[i] + y1[i]) / (w->of->h * w->of->set->sigma_f[i]);
      if (w->tangent) oc_knot_tangent_project(w->tangent, 1, sum, 1, y1, 1);
      const double *change = w->tangent ? y1 : sum;
      for (int i = 0; i < m; i++) {
        const double *row = dm_row(w->chain->row, i, ld);
        dm_add_to(3 * m, -row[ld - 1] - change[i], row, dm_row(w->of->dx, r->first + k - 1, m));
      }
      oc_knot_walk_move_directions(w);
    }
    oc_knot_walk_keep(w, &f, 0);
  }
  return DM_OK;
}

// add N'x of knot k [m], or N x [n]: out += ..
static dm_status map_knot(oc_knot_walk *w, const oc_run *r, int k, bool down, const double *x,
                          double *out) {
  DM_TRY(oc_knot_walk_set_directions(w, r, k, 0));
  for (int i = 0; i < w->of->n; i++)
    if (!w->tangent)
      out[i] += x[i];
    else if (down)
      dm_add_to(w->of->m, x[i], dm_row(w->N[0], i, w->of->m), out);
    else
      out[i] += dm_inner(w->of->m, dm_row(w->N[0], i, w->of->m), x);
  return DM_OK;
}

dm_status oc_knot_walk_follow(oc_knot_walk *w, const oc_run *r, const double *dpi) {
  const int n = w->of->n, m = w->of->m;
  memset(dm_row(w->of->dx, r->first, m), 0, (size_t)r->knots * (size_t)m * sizeof(double));
  DM_TRY(follow_rows(w, r, dpi));
  for (int k = 0; k < r->knots; k++) {
    for (int i = 0; i < n; i++) {
      double y;
      const double weight = oc_knot_walk_read(w->of, r, k, i, &y);
      const double zero = w->of->zero_column[i] >= 0 ? dpi[w->of->zero_column[i]] : 0;
      w->rest[i] = -weight * (w->of->q[(size_t)(r->first + k) * (size_t)n + (size_t)i] - y + zero);
    }
    DM_TRY(map_knot(w, r, k, true, w->rest, dm_row(w->of->dx, r->first + k, m)));
  }
  oc_knot_chain_solve(w->chain, r->first, r->knots, w->of->dx);
  for (int k = 0; w->tangent && k < r->knots; k++) {
    double *dq = dm_row(w->of->dq, r->first + k, n);
    memset(dq, 0, (size_t)n * sizeof *dq);
    DM_TRY(map_knot(w, r, k, false, dm_row(w->of->dx, r->first + k, m), dq));
  }
  return DM_OK;
}

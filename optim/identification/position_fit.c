#include "optim/identification/position_fit.h"

#include "lib/base/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- construction

static void count_runs(oc_position_fit *w) {
  w->nruns = w->knots = w->samples = 0;
  for (int l = 0; l < w->nlogs; l++)
    for (int p = 0; p < w->logs[l]->pieces; p++) {
      oc_measured_motion *log = w->logs[l];
      const int from = log->piece[p][0], knots = log->piece[p][1];
      if (w->run) w->run[w->nruns] = (oc_run){log, from, w->knots, knots};
      w->nruns++;
      w->knots += knots;
      for (int i = 0; i < knots * w->n; i++) w->samples += log->weight[from * w->n + i] > 0;
    }
}

static void start_positions(oc_position_fit *w) {
  const size_t n = (size_t)w->n;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++)
    memcpy(dm_row(w->q, r->first, n), dm_row(r->log->q, r->from, n),
           (size_t)r->knots * n * sizeof(double));
}

static dm_status allocate(oc_position_fit *w) {
  const size_t n = (size_t)w->n, m = (size_t)w->m, all = (size_t)w->knots * n, nc = (size_t)w->nc;
  const bool bound = w->m < w->n;
  const size_t rows = n * (3 * n + nc + 1), before = n + 2 * n * n + n * nc;
  w->run = calloc((size_t)w->nruns + 1, sizeof *w->run);
  double *a = w->block =
      calloc(5 * all + 8 * n + before + (bound ? (size_t)w->knots * m + 3 * n * m + rows : 0) + 1,
             sizeof *a);
  w->zero_column = calloc(n, sizeof *w->zero_column);
  if (!w->run || !a || !w->zero_column) return DM_NO_MEMORY;
  w->q = a, w->trial = a += all, w->dq = a += all, w->force = a += all, w->innovation = a += all;
  w->zero = a += all, w->mu = a += n, w->along = a += 3 * n, w->rest = a += 3 * n;
  w->before = a += n, a += before;
  w->dx = w->dq;
  for (int k = 0; bound && k < 3; k++) w->N[k] = a + (size_t)k * n * m;
  if (bound) w->full = a + 3 * n * m, w->dx = w->full + rows;
  return DM_OK;
}

dm_status oc_position_fit_new(oc_position_fit **out, oc_motion_residual *residual,
                              const oc_fit_parameters *x, const oc_fit_settings *set, bool border,
                              int nlogs, oc_measured_motion *const *logs) {
  oc_position_fit *w = *out = calloc(1, sizeof *w);
  if (!w) return DM_NO_MEMORY;
  const dm_model *m = x->robot.model;
  const dm_system system = dm_robot_system(&x->robot);
  *w = (oc_position_fit){.residual = residual,
                         .x = x,
                         .set = set,
                         .n = m->nq,
                         .m = m->nq - system.hol.nc,
                         .nu = m->nu,
                         .nc = border ? x->coefficients : 0,
                         .h = logs[0]->h,
                         .nlogs = nlogs,
                         .logs = logs};
  count_runs(w);
  DM_TRY(allocate(w));
  count_runs(w);
  start_positions(w);
  if (w->m < w->n)
    DM_TRY(oc_knot_tangent_new(&w->tangent, w->n, &system.hol, set->sigma_q, set->sigma_f));

  // the columns of zeros of encoders
  for (int i = 0; i < w->n; i++) w->zero_column[i] = -1;
  for (int c = 0; c < x->coefficients; c++) {
    const oc_fit_parameter *p = &x->list[x->coefficient[c].parameter];
    if (p->kind == OC_FIT_ENCODER && border) w->zero_column[p->row] = c;
    w->delays = w->delays || p->kind == OC_FIT_DELAY;
  }
  return oc_knot_chain_new(&w->chain, w->m, w->nc, w->knots);
}

void oc_position_fit_free(oc_position_fit *w) {
  if (!w) return;
  oc_knot_chain_free(w->chain);
  oc_knot_tangent_free(w->tangent);
  free(w->run);
  free(w->block);
  free(w->zero_column);
  free(w);
}

dm_status oc_position_fit_set(oc_position_fit *w, const double *theta) {
  for (int k = 0; k < w->x->count; k++) {
    const oc_fit_parameter *p = &w->x->list[k];
    if (p->kind == OC_FIT_ENCODER) w->zero[p->row] = theta[k];
    for (int l = 0; p->kind == OC_FIT_DELAY && l < w->nlogs; l++)
      oc_measured_motion_delay(w->logs[l], theta[k]);
  }
  return oc_motion_residual_set(w->residual, theta);
}

// -- positions on the constraints

dm_status oc_position_fit_start(oc_position_fit *w) {
  for (int k = 0; w->tangent && k < w->knots; k++)
    DM_TRY(oc_knot_tangent_retract(w->tangent, dm_row(w->q, k, w->n)));
  return DM_OK;
}

dm_status oc_position_fit_move(oc_position_fit *w, double share) {
  for (int i = 0; i < w->knots * w->n; i++) w->trial[i] = w->q[i] + share * w->dq[i];
  for (int k = 0; w->tangent && k < w->knots; k++)
    DM_TRY(oc_knot_tangent_retract(w->tangent, dm_row(w->trial, k, w->n)));
  return DM_OK;
}

// N[number] at knot k of a run
static dm_status set_directions(oc_position_fit *w, const oc_run *r, int k, int number) {
  if (!w->tangent) return DM_OK;
  return oc_knot_tangent_directions(w->tangent, dm_row(w->q, r->first + k, w->n), w->N[number]);
}

// the window moves on
static void move_directions(oc_position_fit *w) {
  double *first = w->N[0];
  w->N[0] = w->N[1], w->N[1] = w->N[2], w->N[2] = first;
}

// -- terms of one knot

// the inverse variance of entry i of knot k of a run, and y - zero
static double read_entry(const oc_position_fit *w, const oc_run *r, int k, int i, double *y) {
  const int at = (r->from + k) * w->n + i;
  const double sigma = w->set->sigma_q[i];
  *y = r->log->q[at] - w->zero[i];
  return r->log->weight[at] / (sigma * sigma);
}

static double sum_knot(const oc_position_fit *w, const oc_run *r, int k, const double *q) {
  double sum = 0, y;
  for (int i = 0; i < w->n; i++) {
    const double weight = read_entry(w, r, k, i, &y);
    sum += 0.5 * weight * (q[i] - y) * (q[i] - y);
  }
  return sum;
}

static dm_status step_from(oc_position_fit *w, const oc_run *r, int order, const double *q, int k,
                           oc_step_forms *f) {
  const int n = w->n, nu = w->nu;
  const double *at = dm_row(q, r->first + k, n);
  const double *u = dm_row(r->log->u, r->from + k, nu);
  const double *u_delay = dm_row(r->log->u_delay, r->from + k, nu);
  return oc_motion_residual_step(w->residual, order, at, at + n, u, u_delay, f);
}

dm_status oc_position_fit_cost(oc_position_fit *w, const double *q, double *cost) {
  const int n = w->n;
  double sum = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++) {
    for (int k = 0; k < r->knots; k++) sum += sum_knot(w, r, k, dm_row(q, r->first + k, n));
    for (int k = 0; k + 1 < r->knots; k++) {
      oc_step_forms f;
      DM_TRY(step_from(w, r, 1, q, k, &f));
      double *force = dm_row(w->force, r->first + k, n);
      for (int i = 0; i < n; i++) w->rest[i] = (force[i] + f.D1[i] / w->h) / w->set->sigma_f[i];
      if (k > 0 && w->tangent) {
        DM_TRY(oc_knot_tangent_equations(w->tangent, dm_row(q, r->first + k, n)));
        oc_knot_tangent_release(w->tangent, w->rest);
      }
      for (int i = 0; i < n; i++) {
        if (k > 0) {
          force[i] = w->rest[i] * w->set->sigma_f[i];
          sum += 0.5 * w->rest[i] * w->rest[i];
        }
        force[n + i] = f.D2[i] / w->h;
      }
    }
  }
  *cost = sum;
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// -- the rows of a residual

// remember the end of a step, with nc coefficients
static void keep_end(oc_position_fit *w, const oc_step_forms *f, int border) {
  const size_t n = (size_t)w->n, nc = (size_t)border;
  memcpy(w->before, f->D2, n * sizeof(double));
  memcpy(w->before + n, f->D21, n * n * sizeof(double));
  memcpy(w->before + n + n * n, f->D22, n * n * sizeof(double));
  if (nc) memcpy(w->before + n + 2 * n * n, f->Y2, n * nc * sizeof(double));
}

// P, the rows without the impulses of constraints at knot k, into the chain's row
static dm_status project_rows(oc_position_fit *w, const oc_run *r, int k, int nc) {
  oc_knot_tangent *t = w->tangent;
  const int n = w->n, m = w->m, ld = w->chain->ld, ldf = 3 * n + w->nc + 1;
  const double *q = dm_row(w->q, r->first + k, n);
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
    memmove(row + 3 * m, row + 3 * n, (size_t)nc * sizeof *row);
  }
  double *out = w->chain->row;
  oc_knot_tangent_project(t, 3 * m + nc, full, ldf, out, ld);
  oc_knot_tangent_project(t, 1, full + ldf - 1, ldf, out + ld - 1, ld);
  return DM_OK;
}

// r_k over h sigma_f at knot k, with its derivatives (by nc coefficients), into the chain's row: from
// the remembered end of the step before and the start of the step after it; and `rest`
static dm_status put_rows(oc_position_fit *w, const oc_run *r, int k, const oc_step_forms *f,
                          int nc) {
  const int n = w->n, ld = w->tangent ? 3 * n + w->nc + 1 : w->chain->ld;
  const double *D2 = w->before, *D21 = D2 + n, *D22 = D21 + n * n, *Y2 = D22 + n * n;
  for (int i = 0; i < n; i++) {
    double *row = dm_row(w->tangent ? w->full : w->chain->row, i, ld);
    const double by = 1 / (w->h * w->set->sigma_f[i]);
    for (int j = 0; j < n; j++) {
      row[j] = by * D21[i * n + j];
      row[n + j] = by * (D22[i * n + j] + f->D11[i * n + j]);
      row[2 * n + j] = by * f->D12[i * n + j];
    }
    for (int c = 0; c < nc; c++) row[3 * n + c] = by * (Y2[i * nc + c] + f->Y1[i * nc + c]);
    w->rest[i] = row[ld - 1] = by * (D2[i] + f->D1[i]);
  }
  return w->tangent ? project_rows(w, r, k, nc) : DM_OK;
}

static void add_knot(oc_position_fit *w, const oc_run *r, int k, int number, double damping) {
  static const double one[] = {1};
  const double *q = dm_row(w->q, r->first + k, w->n);
  const int first = number * w->m;
  for (int i = 0; i < w->n; i++) {
    double y;
    const double weight = read_entry(w, r, k, i, &y), sigma = w->set->sigma_q[i];
    const double *a = w->tangent ? dm_row(w->N[number], i, w->m) : one;
    const int at = w->tangent ? first : first + i, count = w->tangent ? w->m : 1;
    oc_knot_chain_add_square(w->chain, at, count, a, weight, q[i] - y, w->zero_column[i]);
    if (damping > 0)
      oc_knot_chain_add_square(w->chain, at, count, a, damping / (sigma * sigma), 0, -1);
  }
}

// Newton's term of friction over the step between the first two knots of the window: r_k before and
// after it, times the second derivative of its force
static dm_status add_curvature(oc_position_fit *w, const oc_run *r, int k) {
  const int n = w->n, m = w->m;
  const double *q = dm_row(w->q, r->first + k, n);
  double *mu = w->mu, *curve = w->mu + 2 * n, *a = w->along;
  for (int i = 0; i < n; i++) {
    mu[i] = mu[n + i];
    mu[n + i] = w->rest[i] / (w->h * w->set->sigma_f[i]);
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

dm_status oc_position_fit_linearize(oc_position_fit *w, double damping, double *cost) {
  oc_knot_chain_begin(w->chain);
  const int n = w->n, order = w->nc > 0 ? 3 : 2;
  double sum = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++) {
    for (int k = 0; k < r->knots; k++) sum += sum_knot(w, r, k, dm_row(w->q, r->first + k, n));
    memset(w->mu, 0, 2 * (size_t)n * sizeof *w->mu);
    for (int k = 0; k < 2; k++) {
      DM_TRY(set_directions(w, r, k, k));
      add_knot(w, r, k, k, damping);
    }
    for (int k = 0; k + 1 < r->knots; k++) {
      oc_step_forms f;
      DM_TRY(step_from(w, r, order, w->q, k, &f));
      if (k > 0) {
        DM_TRY(set_directions(w, r, k + 1, 2));
        DM_TRY(put_rows(w, r, k, &f, w->nc));
        for (int i = 0; i < n; i++) sum += 0.5 * w->rest[i] * w->rest[i];
        add_knot(w, r, k + 1, 2, damping);
        oc_knot_chain_add(w->chain);
        if (damping > 0) DM_TRY(add_curvature(w, r, k - 1));
        DM_TRY(oc_knot_chain_eliminate(w->chain));
        move_directions(w);
      }
      keep_end(w, &f, w->nc);
    }
    DM_TRY(oc_knot_chain_eliminate(w->chain));
    DM_TRY(oc_knot_chain_eliminate(w->chain));
  }
  oc_knot_chain_end(w->chain);
  *cost = sum;
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// the right side -A'(r + Y dpi) of the equations of a run
static dm_status follow_rows(oc_position_fit *w, const oc_run *r, const double *dpi) {
  const int n = w->n, m = w->m, ld = w->chain->ld;
  double *sum = w->along, *y1 = sum + n, *y2 = sum + 2 * n;
  for (int k = 0; k < 2; k++) DM_TRY(set_directions(w, r, k, k));
  memset(y2, 0, (size_t)n * sizeof *y2);
  for (int k = 0; k + 1 < r->knots; k++) {
    const double *q = dm_row(w->q, r->first + k, n), *u = dm_row(r->log->u, r->from + k, w->nu);
    const double *u_delay = dm_row(r->log->u_delay, r->from + k, w->nu);
    oc_step_forms f;
    DM_TRY(step_from(w, r, 2, w->q, k, &f));
    memcpy(sum, y2, (size_t)n * sizeof *sum);
    if (w->nc)
      DM_TRY(oc_motion_residual_along(w->residual, q, q + n, u, u_delay, dpi, y1, y2));
    else
      memset(y1, 0, (size_t)n * sizeof *y1);
    if (k > 0) {
      DM_TRY(set_directions(w, r, k + 1, 2));
      DM_TRY(put_rows(w, r, k, &f, 0));
      for (int i = 0; i < n; i++) sum[i] = (sum[i] + y1[i]) / (w->h * w->set->sigma_f[i]);
      if (w->tangent) oc_knot_tangent_project(w->tangent, 1, sum, 1, y1, 1);
      const double *change = w->tangent ? y1 : sum;
      for (int i = 0; i < m; i++) {
        const double *row = dm_row(w->chain->row, i, ld);
        dm_add_to(3 * m, -row[ld - 1] - change[i], row, dm_row(w->dx, r->first + k - 1, m));
      }
      move_directions(w);
    }
    keep_end(w, &f, 0);
  }
  return DM_OK;
}

// add N'x of knot k [m], or N x [n]: out += ..
static dm_status map_knot(oc_position_fit *w, const oc_run *r, int k, bool down, const double *x,
                          double *out) {
  DM_TRY(set_directions(w, r, k, 0));
  for (int i = 0; i < w->n; i++)
    if (!w->tangent)
      out[i] += x[i];
    else if (down)
      dm_add_to(w->m, x[i], dm_row(w->N[0], i, w->m), out);
    else
      out[i] += dm_inner(w->m, dm_row(w->N[0], i, w->m), x);
  return DM_OK;
}

dm_status oc_position_fit_follow(oc_position_fit *w, const double *dpi, double *square) {
  const int n = w->n, m = w->m;
  memset(w->dx, 0, (size_t)w->knots * (size_t)m * sizeof *w->dx);
  *square = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++) {
    DM_TRY(follow_rows(w, r, dpi));
    for (int k = 0; k < r->knots; k++) {
      for (int i = 0; i < n; i++) {
        double y;
        const double weight = read_entry(w, r, k, i, &y);
        const double zero = w->zero_column[i] >= 0 ? dpi[w->zero_column[i]] : 0;
        w->rest[i] = -weight * (w->q[(size_t)(r->first + k) * (size_t)n + (size_t)i] - y + zero);
      }
      DM_TRY(map_knot(w, r, k, true, w->rest, dm_row(w->dx, r->first + k, m)));
    }
    oc_knot_chain_solve(w->chain, r->first, r->knots, w->dx);
    for (int k = 0; w->tangent && k < r->knots; k++) {
      double *dq = dm_row(w->dq, r->first + k, n);
      memset(dq, 0, (size_t)n * sizeof *dq);
      DM_TRY(map_knot(w, r, k, false, dm_row(w->dx, r->first + k, m), dq));
    }
  }
  for (int k = 0; k < w->knots; k++)
    for (int i = 0; i < n; i++) {
      const double x = w->dq[(size_t)k * (size_t)n + (size_t)i] / w->set->sigma_q[i];
      *square += x * x;
    }
  return DM_OK;
}

// -- positions alone

dm_status oc_position_fit_solve(oc_position_fit *w, int max_iter, double *cost) {
  double damping = 1e-3, up = 2;
  for (int iteration = 0; iteration < max_iter; iteration++) {
    double square, trial = INFINITY;
    DM_TRY(oc_position_fit_linearize(w, damping, cost));
    DM_TRY(oc_position_fit_follow(w, NULL, &square));
    const double fall = w->chain->fall + 0.5 * damping * square;
    dm_status s = oc_position_fit_move(w, 1);
    if (s == DM_OK) s = oc_position_fit_cost(w, w->trial, &trial);
    if (s < 0 && s != DM_NOT_FINITE && s != DM_SINGULAR) return s;
    const bool end = fall < 1e-6 && damping < 1;
    if (trial <= *cost + 1e-12 * *cost || end) {
      double *swap = w->q;
      w->q = w->trial, w->trial = swap;
      *cost = fmin(trial, *cost);
      damping = fmax(damping / 5, 1e-12), up = 2;
      if (end) return oc_position_fit_cost(w, w->q, cost);
    } else {
      damping *= up, up *= 2;
      if (damping > 1e12) return DM_STALLED;
    }
  }
  return DM_MAX_ITER;
}

// -- statistics

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
static const double *find_direction(const oc_position_fit *w, int number, int i, double *unit) {
  if (w->tangent) return dm_row(w->N[number], i, w->m);
  memset(unit, 0, (size_t)w->m * sizeof *unit);
  unit[i] = 1;
  return unit;
}

// innovations of the last knot of the window, whose prediction has information P and right side g in
// the eliminated copy
static void put_innovations(const oc_position_fit *w, filter *f, const oc_run *r, int k) {
  const int n = w->n, m = w->m;
  double *P = f->P, *C = f->C, *mean = f->mean, *unit = f->CN + m;
  double *out = dm_row(w->innovation, r->first + k, n);
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
    const double weight = read_entry(w, r, k, i, &y), *a = find_direction(w, 2, i, unit);
    if (weight == 0) continue;
    for (int j = 0; j < m; j++) f->CN[j] = dm_inner(m, dm_row(C, j, m), a);
    const double q = w->q[(size_t)(r->first + k) * (size_t)n + (size_t)i];
    out[i] = (y - q - dm_inner(m, a, mean)) / sqrt(dm_inner(m, a, f->CN) + 1 / weight);
  }
}

static void add_measurement(const oc_position_fit *w, filter *f, const oc_run *r, int k,
                            int number) {
  const int m = w->m, first = number * m;
  for (int i = 0; i < w->n; i++) {
    double y;
    const double weight = read_entry(w, r, k, i, &y);
    const double *a = find_direction(w, number, i, f->CN + m);
    const double off = w->q[(size_t)(r->first + k) * (size_t)w->n + (size_t)i] - y;
    for (int j = 0; j < m; j++) {
      if (a[j] == 0) continue;
      double *row = dm_row(f->W, first + j, f->ld);
      dm_add_to(m, weight * a[j], a, row + first);
      row[3 * m] += weight * a[j] * off;
    }
  }
}

static dm_status filter_run(oc_position_fit *w, const oc_run *r, filter *f) {
  const int n = w->n, m = w->m, ld = w->chain->ld;
  const size_t size = 3 * (size_t)m * (size_t)f->ld;
  memset(f->W, 0, size * sizeof(double));
  for (int k = 0; k < 2; k++) {
    DM_TRY(set_directions(w, r, k, k));
    add_measurement(w, f, r, k, k);
  }
  for (int k = 0; k < r->knots; k++)
    for (int i = 0; i < n; i++) w->innovation[(r->first + k) * n + i] = NAN;
  for (int k = 0; k + 1 < r->knots; k++) {
    oc_step_forms forms;
    DM_TRY(step_from(w, r, 2, w->q, k, &forms));
    if (k > 0) {
      DM_TRY(set_directions(w, r, k + 1, 2));
      DM_TRY(put_rows(w, r, k, &forms, 0));
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
      move_directions(w);
    }
    keep_end(w, &forms, 0);
  }
  return DM_OK;
}

// autocorrelation of innovations of coordinate i by `lag` steps
static double correlate(const oc_position_fit *w, int i, int lag, double mean, int *count) {
  double sum = 0;
  *count = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++)
    for (int k = lag; k < r->knots; k++) {
      const double a = w->innovation[(r->first + k) * w->n + i];
      const double b = w->innovation[(r->first + k - lag) * w->n + i];
      if (!isfinite(a) || !isfinite(b)) continue;
      sum += (a - mean) * (b - mean);
      ++*count;
    }
  return sum;
}

static void judge_coordinate(const oc_position_fit *w, int i, oc_fit_joint *to) {
  enum { LAGS = 20 };
  double mean = 0, position = 0, weights = 0, force = 0;
  int count = 0, forces = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++)
    for (int k = 0; k < r->knots; k++) {
      double y;
      const int at = (r->first + k) * w->n + i;
      const double weight = read_entry(w, r, k, i, &y);
      position += weight * (w->q[at] - y) * (w->q[at] - y);
      weights += weight;
      if (isfinite(w->innovation[at])) mean += w->innovation[at], count++;
      if (k == 0 || k + 1 == r->knots) continue;
      force += w->force[at] * w->force[at], forces++;
    }
  *to = (oc_fit_joint){.position_rms = weights > 0 ? sqrt(position / weights) : 0,
                       .force_rms = forces > 0 ? sqrt(force / forces) : 0};
  if (count < 3 * LAGS) return;
  mean /= count;
  int n;
  const double square = correlate(w, i, 0, 0, &n), variance = correlate(w, i, 0, mean, &n);
  to->innovation_rms = sqrt(square / count);
  for (int lag = 1; lag <= LAGS; lag++) {
    const double rho = correlate(w, i, lag, mean, &n) / variance;
    if (lag == 1) to->correlation = rho;
    if (n > 0) to->whiteness += (double)count * (count + 2) * rho * rho / (count - lag) / LAGS;
  }
}

dm_status oc_position_fit_judge(oc_position_fit *w, oc_fit_joint *joint) {
  double cost;
  DM_TRY(oc_position_fit_cost(w, w->q, &cost));
  const size_t m = (size_t)w->m, size = 3 * m * (3 * m + 1);
  double *W = calloc(2 * size + 2 * m * m + 3 * m, sizeof *W);
  int *piv = calloc(m + 1, sizeof *piv);
  dm_status s = W && piv ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) {
    double *P = W + 2 * size, *mean = P + 2 * m * m;
    filter f = {w->m, 3 * w->m + 1, W, W + size, P, P + m * m, mean, mean + m, piv};
    for (int r = 0; s == DM_OK && r < w->nruns; r++) s = filter_run(w, &w->run[r], &f);
  }
  free(W);
  free(piv);
  for (int i = 0; s == DM_OK && i < w->n; i++) judge_coordinate(w, i, &joint[i]);
  return s;
}

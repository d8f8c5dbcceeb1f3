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

dm_status oc_position_fit_new(oc_position_fit **out, oc_motion_residual *residual,
                              const oc_fit_parameters *x, const oc_fit_settings *set, bool border,
                              int nlogs, oc_measured_motion *const *logs) {
  oc_position_fit *w = *out = calloc(1, sizeof *w);
  if (!w) return DM_NO_MEMORY;
  const dm_model *m = x->robot.tree;
  *w = (oc_position_fit){.residual = residual,
                         .x = x,
                         .set = set,
                         .n = m->nq,
                         .nu = m->nu,
                         .nc = border ? x->coefficients : 0,
                         .h = logs[0]->h,
                         .nlogs = nlogs,
                         .logs = logs};
  count_runs(w);
  const size_t n = (size_t)w->n, all = (size_t)w->knots * n;
  w->run = calloc((size_t)w->nruns + 1, sizeof *w->run);
  w->q = w->block =
      calloc(5 * all + n + 2 * n * n + n + n * (size_t)x->coefficients + 3 * n + 1, sizeof *w->q);
  w->zero_column = calloc(n, sizeof *w->zero_column);
  if (!w->run || !w->q || !w->zero_column) return DM_NO_MEMORY;
  w->trial = w->q + all, w->dq = w->trial + all, w->force = w->dq + all;
  w->innovation = w->force + all, w->zero = w->innovation + all, w->mu = w->zero + n;
  w->before = w->mu + 3 * n;
  count_runs(w);
  start_positions(w);

  // the columns of zeros of encoders
  for (int i = 0; i < w->n; i++) w->zero_column[i] = -1;
  for (int c = 0; c < x->coefficients; c++) {
    const oc_fit_parameter *p = &x->list[x->coefficient[c].parameter];
    if (p->kind == OC_FIT_ENCODER && border) w->zero_column[p->index] = c;
    w->delays = w->delays || p->kind == OC_FIT_DELAY;
  }
  return oc_knot_chain_new(&w->chain, w->n, w->nc, w->knots);
}

void oc_position_fit_free(oc_position_fit *w) {
  if (!w) return;
  oc_knot_chain_free(w->chain);
  free(w->run);
  free(w->block);
  free(w->zero_column);
  free(w);
}

dm_status oc_position_fit_set(oc_position_fit *w, const double *theta) {
  for (int k = 0; k < w->x->count; k++) {
    const oc_fit_parameter *p = &w->x->list[k];
    if (p->kind == OC_FIT_ENCODER) w->zero[p->index] = theta[k];
    for (int l = 0; p->kind == OC_FIT_DELAY && l < w->nlogs; l++)
      oc_measured_motion_delay(w->logs[l], theta[k]);
  }
  return oc_motion_residual_set(w->residual, theta);
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
      for (int i = 0; i < n; i++) {
        if (k > 0) {
          force[i] += f.D1[i] / w->h;
          const double x = force[i] / w->set->sigma_f[i];
          sum += 0.5 * x * x;
        }
        force[n + i] = f.D2[i] / w->h;
      }
    }
  }
  *cost = sum;
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// -- the rows of a residual

// remember the end of a step
static void keep_end(oc_position_fit *w, const oc_step_forms *f) {
  const size_t n = (size_t)w->n, nc = (size_t)w->nc;
  memcpy(w->before, f->D2, n * sizeof(double));
  memcpy(w->before + n, f->D21, n * n * sizeof(double));
  memcpy(w->before + n + n * n, f->D22, n * n * sizeof(double));
  if (nc) memcpy(w->before + n + 2 * n * n, f->Y2, n * nc * sizeof(double));
}

// r_k over h sigma_f, with its derivatives, into the chain's row: from the remembered end of the step
// before and the start of the step after it
static void put_rows(oc_position_fit *w, const oc_step_forms *f) {
  const int n = w->n, nc = w->nc, ld = w->chain->ld;
  const double *D2 = w->before, *D21 = D2 + n, *D22 = D21 + n * n, *Y2 = D22 + n * n;
  for (int i = 0; i < n; i++) {
    double *row = dm_row(w->chain->row, i, ld);
    const double by = 1 / (w->h * w->set->sigma_f[i]);
    for (int j = 0; j < n; j++) {
      row[j] = by * D21[i * n + j];
      row[n + j] = by * (D22[i * n + j] + f->D11[i * n + j]);
      row[2 * n + j] = by * f->D12[i * n + j];
    }
    for (int c = 0; c < nc; c++) row[3 * n + c] = by * (Y2[i * nc + c] + f->Y1[i * nc + c]);
    row[ld - 1] = by * (D2[i] + f->D1[i]);
  }
}

static void add_knot(oc_position_fit *w, const oc_run *r, int k, int number, double damping) {
  const double *q = dm_row(w->q, r->first + k, w->n);
  for (int i = 0; i < w->n; i++) {
    double y;
    const double weight = read_entry(w, r, k, i, &y), sigma = w->set->sigma_q[i];
    oc_knot_chain_add_entry(w->chain, number, i, weight, q[i] - y, w->zero_column[i]);
    if (damping > 0) oc_knot_chain_add_entry(w->chain, number, i, damping / (sigma * sigma), 0, -1);
  }
}

// Newton's term of friction over the step between the first two knots of the window: r_k before and
// after it, times the second derivative of its force
static dm_status add_curvature(oc_position_fit *w, const oc_run *r, int k) {
  const int n = w->n, ld = w->chain->ld;
  const double *q = dm_row(w->q, r->first + k, n);
  double *mu = w->mu, *curve = w->mu + 2 * n;
  for (int i = 0; i < n; i++) {
    mu[i] = mu[n + i];
    mu[n + i] = w->chain->row[i * ld + ld - 1] / (w->h * w->set->sigma_f[i]);
  }
  DM_TRY(oc_motion_residual_curvature(w->residual, q, q + n, mu, mu + n, curve));
  for (int i = 0; i < n; i++)
    if (curve[i] > 0) oc_knot_chain_add_difference(w->chain, i, curve[i]);
  return DM_OK;
}

dm_status oc_position_fit_linearize(oc_position_fit *w, double damping, double *cost) {
  oc_knot_chain_begin(w->chain);
  const int n = w->n, ld = w->chain->ld;
  double sum = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++) {
    for (int k = 0; k < r->knots; k++) sum += sum_knot(w, r, k, dm_row(w->q, r->first + k, n));
    memset(w->mu, 0, 2 * (size_t)n * sizeof *w->mu);
    add_knot(w, r, 0, 0, damping);
    add_knot(w, r, 1, 1, damping);
    for (int k = 0; k + 1 < r->knots; k++) {
      oc_step_forms f;
      DM_TRY(step_from(w, r, 2, w->q, k, &f));
      if (k > 0) {
        put_rows(w, &f);
        for (int i = 0; i < n; i++) {
          const double x = w->chain->row[i * ld + ld - 1];
          sum += 0.5 * x * x;
        }
        add_knot(w, r, k + 1, 2, damping);
        oc_knot_chain_add(w->chain);
        if (damping > 0) DM_TRY(add_curvature(w, r, k - 1));
        DM_TRY(oc_knot_chain_eliminate(w->chain));
      }
      keep_end(w, &f);
    }
    DM_TRY(oc_knot_chain_eliminate(w->chain));
    DM_TRY(oc_knot_chain_eliminate(w->chain));
  }
  oc_knot_chain_end(w->chain);
  *cost = sum;
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

dm_status oc_position_fit_follow(oc_position_fit *w, const double *dpi, double *square) {
  const int n = w->n, nc = w->nc, ld = w->chain->ld;
  memset(w->dq, 0, (size_t)w->knots * (size_t)n * sizeof *w->dq);
  *square = 0;
  for (const oc_run *r = w->run; r < w->run + w->nruns; r++) {
    // -A'(r + Y dpi)
    for (int k = 0; k + 1 < r->knots; k++) {
      oc_step_forms f;
      DM_TRY(step_from(w, r, 2, w->q, k, &f));
      if (k > 0) put_rows(w, &f);
      for (int i = 0; k > 0 && i < n; i++) {
        const double *row = dm_row(w->chain->row, i, ld);
        const double x = row[ld - 1] + dm_inner(nc, row + 3 * n, dpi);
        dm_add_to(3 * n, -x, row, dm_row(w->dq, r->first + k - 1, n));
      }
      keep_end(w, &f);
    }
    // measurements
    for (int k = 0; k < r->knots; k++)
      for (int i = 0; i < n; i++) {
        double y;
        const size_t at = (size_t)(r->first + k) * (size_t)n + (size_t)i;
        const double weight = read_entry(w, r, k, i, &y);
        const double zero = w->zero_column[i] >= 0 ? dpi[w->zero_column[i]] : 0;
        w->dq[at] -= weight * (w->q[at] - y + zero);
      }
    oc_knot_chain_solve(w->chain, r->first, r->knots, w->dq);
  }
  for (int k = 0; k < w->knots; k++)
    for (int i = 0; i < n; i++) {
      const double x = w->dq[k * n + i] / w->set->sigma_q[i];
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
    for (int i = 0; i < w->knots * w->n; i++) w->trial[i] = w->q[i] + w->dq[i];
    const dm_status s = oc_position_fit_cost(w, w->trial, &trial);
    if (s < 0 && s != DM_NOT_FINITE) return s;
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
// 3 n unknowns with its right side.
typedef struct filter {
  int n, ld;
  double *W; // [3 n x (3 n + 1)]
} filter;

// Gaussian elimination of the first `count` unknowns of a symmetric window
static bool eliminate_window(filter *f, int count) {
  const int size = 3 * f->n;
  for (int k = 0; k < count; k++) {
    const double *pivot = dm_row(f->W, k, f->ld);
    if (!(pivot[k] > 0)) return false;
    for (int i = k + 1; i < size; i++) {
      double *row = dm_row(f->W, i, f->ld);
      const double t = pivot[i] / pivot[k];
      for (int j = k + 1; j <= size; j++) row[j] -= t * pivot[j];
    }
  }
  return true;
}

static void shift_window(filter *f) {
  const int n = f->n;
  for (int i = 0; i < 2 * n; i++) {
    double *to = dm_row(f->W, i, f->ld), *from = dm_row(f->W, n + i, f->ld);
    memmove(to, from + n, 2 * (size_t)n * sizeof *to);
    memset(to + 2 * n, 0, (size_t)n * sizeof *to);
    to[3 * n] = from[3 * n];
  }
  memset(dm_row(f->W, 2 * n, f->ld), 0, (size_t)(n * f->ld) * sizeof(double));
}

// innovations of the last knot of the window, whose prediction has information P and right side g in
// the eliminated copy
static void put_innovations(const oc_position_fit *w, const filter *copy, const oc_run *r, int k,
                            double *scratch) {
  const int n = w->n;
  int *piv = (int *)(void *)(scratch + 2 * n * n + n);
  double *P = scratch, *C = scratch + n * n, *mean = C + n * n;
  double *out = dm_row(w->innovation, r->first + k, n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      P[i * n + j] = copy->W[(2 * n + i) * copy->ld + 2 * n + j];
      C[i * n + j] = i == j;
    }
    mean[i] = -copy->W[(2 * n + i) * copy->ld + 3 * n];
    out[i] = NAN;
  }
  if (dm_lu_factor(n, P, piv) != DM_OK) return;
  dm_lu_solve(n, P, piv, n, C);
  dm_lu_solve(n, P, piv, 1, mean);

  // each over its own standard deviation
  for (int i = 0; i < n; i++) {
    double y;
    const double weight = read_entry(w, r, k, i, &y);
    if (weight == 0) continue;
    const double q = w->q[(size_t)(r->first + k) * (size_t)n + (size_t)i];
    out[i] = (y - q - mean[i]) / sqrt(C[i * n + i] + 1 / weight);
  }
}

static void add_measurement(const oc_position_fit *w, filter *f, const oc_run *r, int k,
                            int number) {
  for (int i = 0; i < w->n; i++) {
    double y;
    const int at = number * w->n + i;
    const double weight = read_entry(w, r, k, i, &y);
    f->W[at * f->ld + at] += weight;
    f->W[at * f->ld + 3 * w->n] +=
        weight * (w->q[(size_t)(r->first + k) * (size_t)w->n + (size_t)i] - y);
  }
}

static dm_status filter_run(oc_position_fit *w, const oc_run *r, filter *f, filter *copy,
                            double *scratch) {
  const int n = w->n;
  const size_t size = 3 * (size_t)n * (size_t)f->ld;
  memset(f->W, 0, size * sizeof(double));
  add_measurement(w, f, r, 0, 0);
  add_measurement(w, f, r, 1, 1);
  for (int k = 0; k < r->knots; k++)
    for (int i = 0; i < n; i++) w->innovation[(r->first + k) * n + i] = NAN;
  for (int k = 0; k + 1 < r->knots; k++) {
    oc_step_forms forms;
    DM_TRY(step_from(w, r, 2, w->q, k, &forms));
    if (k > 0) {
      put_rows(w, &forms);
      for (int i = 0; i < n; i++) {
        const double *row = dm_row(w->chain->row, i, w->chain->ld);
        for (int a = 0; a < 3 * n; a++) {
          dm_add_to(3 * n, row[a], row, dm_row(f->W, a, f->ld));
          f->W[a * f->ld + 3 * n] += row[a] * row[w->chain->ld - 1];
        }
      }
      memcpy(copy->W, f->W, size * sizeof(double));
      if (eliminate_window(copy, 2 * n)) put_innovations(w, copy, r, k + 1, scratch);
      add_measurement(w, f, r, k + 1, 2);
      if (!eliminate_window(f, n)) return DM_NOT_DEFINITE;
      shift_window(f);
    }
    keep_end(w, &forms);
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
  const size_t n = (size_t)w->n, size = 3 * n * (3 * n + 1);
  double *W = calloc(2 * size + 2 * n * n + 2 * n, sizeof *W);
  if (!W) return DM_NO_MEMORY;
  filter f = {w->n, 3 * w->n + 1, W}, copy = {w->n, 3 * w->n + 1, W + size};
  dm_status s = DM_OK;
  for (int r = 0; s == DM_OK && r < w->nruns; r++)
    s = filter_run(w, &w->run[r], &f, &copy, W + 2 * size);
  free(W);
  for (int i = 0; s == DM_OK && i < w->n; i++) judge_coordinate(w, i, &joint[i]);
  return s;
}

#include "optim/transcription/input_rates.h"

#include <math.h>
#include <string.h>

static const double TIE = 5e-3; // eps: minimum times change by some 1e-5 of themselves

// does anything of a task's cost but the time count?
static bool has_cost(const oc_task *t) {
  if (t->nterms > 0) return true;
  const double *const all[] = {t->w_q,  t->w_v, t->w_p,    t->wf_q, t->wf_v,
                               t->wf_p, t->w_a, t->w_jerk, t->w_u};
  int n = t->system.L.nq;
  // weights of q, v, p, at the end too, of accelerations and jerks, and of u
  for (int a = 0; a < 9; a++)
    for (int i = 0; all[a] && i < (a < 8 ? n : dm_system_inputs(&t->system)); i++)
      if (all[a][i] > 0) return true;
  return false;
}

void oc_input_rates_ties(const oc_task *task, double *tie) {
  bool timed = task->free_time && task->w_time > 0;
  double second = timed ? task->w_time : 1; // c: the cost of a second
  // a cost on rates decides already; without a cost of time the scale of another is not known
  if (task->w_rate || (!timed && has_cost(task))) return;

  for (int j = 0; j < task->system.nu; j++) {
    // eps c / u_max^2, of forces that have limits and no cost of their own
    double range = task->u_min && task->u_max ? (task->u_max[j] - task->u_min[j]) / 2 : INFINITY;
    bool own = task->w_u && task->w_u[j] > 0;
    if (!own && range > 0 && isfinite(range)) tie[j] = TIE * second / (range * range);
  }
}

void oc_input_rates_weigh(oc_transcription *t) {
  oc_input_rates_ties(&t->task, t->tie);
  for (int j = 0; j < t->nf; j++) t->changes |= oc_input_rates_has(t, j);
}

void oc_input_rates_bound(oc_transcription *t) {
  const oc_task *task = &t->task;
  int row = oc_transcription_rates(t);
  for (int k = 0; k < t->nchange; k++)
    for (int l = 0; l < t->nrate; l++) {
      // |du| <= rate_max h: one row where h is fixed, else du - rate_max h <= 0 <= du + rate_max h
      double du = task->rate_max[t->rated[l]] * task->T / t->N;
      if (t->h < 0) {
        t->g_min[row] = -du;
        t->g_max[row++] = du;
        continue;
      }

      t->g_min[row] = -INFINITY;
      t->g_max[row++] = 0;
      t->g_min[row] = 0;
      t->g_max[row++] = INFINITY;
    }
}

// the forces that those of step k change to: behind the last step of a periodic motion is its first
static int find_next_inputs(const oc_transcription *t, int k) {
  return oc_transcription_u(t, k + 1 < t->N ? k + 1 : 0);
}

// u_{k+1} - u_k of force j
static double input_change(const oc_transcription *t, const double *x, int k, int j) {
  return x[find_next_inputs(t, k) + j] - x[oc_transcription_u(t, k) + j];
}

void oc_input_rates_evaluate(const oc_transcription *t, const double *x, double *g) {
  g += oc_transcription_rates(t);
  for (int k = 0; k < t->nchange; k++)
    for (int l = 0; l < t->nrate; l++) {
      //  u_{k+1} - u_k, or both sides of it less what h allows
      double du = input_change(t, x, k, t->rated[l]);
      if (t->h < 0) {
        *g++ = du;
        continue;
      }
      double allowed = t->task.rate_max[t->rated[l]] * x[t->h];
      *g++ = du - allowed;
      *g++ = du + allowed;
    }
}

void oc_input_rates_put(const oc_transcription *t, oc_triplets *s) {
  int row = oc_transcription_rates(t);
  for (int k = 0; k < t->nchange; k++)
    for (int l = 0; l < t->nrate; l++)
      for (int side = 0; side < (t->h < 0 ? 1 : 2); side++, row++) {
        // -1, 1 by the inputs, -+ rate_max by the step
        int j = t->rated[l];
        oc_put(s, row, oc_transcription_u(t, k) + j, -1);
        oc_put(s, row, find_next_inputs(t, k) + j, 1);
        if (t->h >= 0) oc_put(s, row, t->h, side ? t->task.rate_max[j] : -t->task.rate_max[j]);
      }
}

bool oc_input_rates_has(const oc_transcription *t, int j) {
  return t->tie[j] > 0 || (t->task.w_rate && t->task.w_rate[j] > 0);
}

// of force j's change du, s w/2 (du/h)^2 with s = h or 1: the factor of du^2/2
static double rate_weight(const oc_transcription *t, int j, double h) {
  return t->task.w_rate ? t->task.w_rate[j] * oc_cost_factor(&t->task, h) / (h * h) : 0;
}

// the power of 1/h in it
static double rate_power(const oc_transcription *t) {
  return t->task.sum ? 2 : 1;
}

double oc_input_rates_cost(const oc_transcription *t, const double *x, double h) {
  double sum = 0;
  for (int k = 0; t->changes && k < t->nchange; k++)
    for (int j = 0; j < t->nf; j++) {
      double du = input_change(t, x, k, j);
      sum += 0.5 * rate_weight(t, j, h) * du * du;
    }
  return sum;
}

double oc_input_rates_tie(const oc_transcription *t, const double *x, double h) {
  double sum = 0;
  for (int k = 0; t->changes && k < t->nchange; k++)
    for (int j = 0; j < t->nf; j++) {
      double du = input_change(t, x, k, j);
      sum += 0.5 * h * t->tie[j] * du * du;
    }
  return sum;
}

void oc_input_rates_gradient(const oc_transcription *t, const double *x, double h, double *grad) {
  for (int k = 0; t->changes && k < t->nchange; k++)
    for (int j = 0; j < t->nf; j++) {
      double du = input_change(t, x, k, j), w = rate_weight(t, j, h),
             slope = (w + h * t->tie[j]) * du;
      // both terms are w du^2/2: by u_k and u_{k+1}, and by h through its powers
      grad[oc_transcription_u(t, k) + j] -= slope;
      grad[find_next_inputs(t, k) + j] += slope;
      // by h: the tie is h eps c.., the cost w h^-1 or w h^-2
      if (t->h >= 0) grad[t->h] += 0.5 * (t->tie[j] - rate_power(t) * w / h) * du * du;
    }
}

double oc_input_rates_hessian(oc_transcription *t, const double *x, int k, double h, double sigma) {
  // the change that leads to step k, and the one from it
  const int lead = k > 0 ? k - 1 : t->N - 1, pairs = (lead < t->nchange) + (k < t->nchange);
  double p = rate_power(t), hh = 0;
  // without a cost the entries are zero, as allocated
  for (int j = 0; t->changes && j < t->nf; j++) {
    // the changes before and after step k: u_k is part of both
    double w = sigma * rate_weight(t, j, h), tie = sigma * h * t->tie[j];
    double before = lead < t->nchange ? input_change(t, x, lead, j) : 0;
    double after = k < t->nchange ? input_change(t, x, k, j) : 0;

    // w du^2/2 by u_k twice, by u_k and u_{k+1}, by u_k and h, by h twice
    t->rate_uu[j] = pairs * (w + tie); // u_k is in one change or two
    t->rate_pair[j] = -(w + tie);
    t->rate_uh[j] = (p * w - tie) * (after - before) / h; // each power of 1/h brings itself down
    hh += 0.5 * p * (p + 1) * w * after * after / (h * h);
  }
  return hh;
}

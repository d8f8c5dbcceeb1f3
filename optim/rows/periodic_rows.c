#include "optim/rows/periodic_rows.h"

#include "optim/task/travel.h"

#include <math.h>
#include <string.h>

int oc_periodic_rows_impulses(const oc_task *task) {
  // the impulses of the last knot act in the next period
  const bool limited = task->bounds[OC_LAMBDA].low || task->bounds[OC_LAMBDA].high;
  return task->periodic && limited ? task->system.hol.nc : 0;
}

// the range of a row
static void bound_row(oc_transcription *t, int row, double low, double high) {
  t->g_min[row] = low;
  t->g_max[row] = high;
}

void oc_periodic_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const oc_task *task = &t->task;
  const int n = t->n, row = oc_rows_at(t, kind, 0), speed = oc_rows_at(t, OC_END_VELOCITY_ROWS, 0);
  const int impulse = oc_rows_at(t, OC_END_IMPULSE_ROWS, 0);
  const int q0 = oc_transcription_q(t, 0), q1 = oc_transcription_q(t, t->N);
  for (int i = 0; task->periodic && i < n; i++) {
    const bool kinematic = t->kinematic && t->kinematic[i];
    const bool constant = task->constant.is && task->constant.is[i]; // q_N = q_0 by its own rows
    const double q = task->start.q ? task->start.q[i] : NAN;
    const double v = task->start.v ? task->start.v[i] : NAN;
    double low, high;

    // q_N = q_0 + travel: a given value if q_0 is given, else a row
    const bool one = oc_task_travel(task, i, &low, &high);
    bound_row(t, row + i, constant ? -INFINITY : low, constant ? INFINITY : high);
    if (one && !isnan(q) && !constant) {
      t->x_min[q1 + i] = t->x_max[q1 + i] = t->x_min[q0 + i] + low;
      oc_row_free(t, row + i);
    }

    // v_N = v_0: the step before the start is the last step
    bound_row(t, speed + i, 0, 0);
    if (kinematic && isnan(v)) {
      t->x_min[t->v[0] + i] = t->x_min[t->v[1] + i];
      t->x_max[t->v[0] + i] = t->x_max[t->v[1] + i];
    }
    if (!isnan(v)) {
      t->x_min[t->v[1] + i] = t->x_max[t->v[1] + i] = v;
      oc_row_free(t, speed + i);
    }
  }

  // lambda_0 + lambda_N
  for (int c = 0; c < oc_periodic_rows_impulses(task); c++)
    bound_row(t, impulse + c, oc_low(task, OC_LAMBDA, c), oc_high(task, OC_LAMBDA, c));
}

// -- repeated conditions

// does every coordinate of a mask [n] have a fixed travel; in `travels`: is any of them nonzero?
static bool is_travel_known(const oc_transcription *t, const unsigned char *mask, bool *travels) {
  *travels = false;
  for (int i = 0; i < t->n; i++) {
    double low, high;
    if (!mask[i]) continue;
    if (!oc_task_travel(&t->task, i, &low, &high)) return false;
    *travels |= low != 0;
  }
  return true;
}

// A position away from the start [n], or the same position plus the travel: of coordinates whose travel is a range,
// plus nothing, or plus any.
static void place_end(const oc_transcription *t, bool end, bool any, double *q) {
  for (int i = 0; i < t->n; i++) {
    double low, high;
    const bool one = oc_task_travel(&t->task, i, &low, &high);
    q[i] = 0.3 + 0.1 * sin(1.7 * i + 1);
    if (end) q[i] += one ? low : any * (0.7 + 0.3 * cos(2.1 * i));
  }
}

// h at both ends, into t->hol_value of two knots
static dm_status evaluate_both_ends(oc_transcription *t) {
  const dm_holonomic *hol = &t->task.system.hol;
  for (int end = 0; end < 2; end++) {
    place_end(t, end, false, t->mu);
    DM_TRY(hol->eval(hol->self, t->hol_scratch, t->mu, t->hol_value + end * t->nc, NULL));
  }
  return DM_OK;
}

// A and b of nonholonomic rows at an end [nv x n], [nv]: into t->Dh, t->middle->g
static dm_status evaluate_rows_at(oc_transcription *t, bool end) {
  const dm_holonomic *hol = &t->task.system.hol;
  dm_middle_rows *m = t->middle;
  place_end(t, end, true, t->mu);
  memset(m->g, 0, (size_t)m->nv * sizeof *m->g);
  DM_TRY(hol->eval(hol->self, t->hol_scratch, t->mu, t->hol_value, t->Dh));
  return hol->drift ? hol->drift(hol->self, t->hol_scratch, t->mu, NULL, m->g, m->b_q, NULL)
                    : DM_OK;
}

// A v + b = 0 at the goal repeats the start, for rows that are invariant under the travel
static void free_repeated_rates(oc_transcription *t) {
  const double same = 1e-9; // of the largest entry of a row
  dm_middle_rows *m = t->middle;
  if (!m || evaluate_rows_at(t, false) != DM_OK) return;
  memcpy(m->A, t->Dh, (size_t)(t->nc * t->n) * sizeof *m->A);
  memcpy(m->g_h, m->g, (size_t)m->nv * sizeof *m->g);
  if (evaluate_rows_at(t, true) != DM_OK) return;
  for (int c = 0; c < m->nv; c++) {
    double most = fabs(m->g[c]), off = fabs(m->g[c] - m->g_h[c]);
    for (int i = 0, at = (m->nh + c) * t->n; i < t->n; i++, at++) {
      most = fmax(most, fabs(t->Dh[at]));
      off = fmax(off, fabs(t->Dh[at] - m->A[at]));
    }
    if (off <= same * most) oc_row_free(t, oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 1) + m->nh + c);
  }
}

// h(q_N) = h(q_0), hence Dh v = 0 at the goal, for constraints that are invariant under the travel
static void free_repeated_constraints(oc_transcription *t) {
  const double same = 1e-9; // tolerance for a length of 1 m
  const int nh = t->nc - t->task.system.hol.nv;
  const bool known = t->nc && evaluate_both_ends(t) == DM_OK;
  for (int c = 0; c < nh; c++) {
    bool travels;
    if (!is_travel_known(t, t->hol_mask + c * t->n, &travels)) continue;
    const double before = t->hol_value[c], after = t->hol_value[t->nc + c];
    if (travels && !(known && fabs(after - before) <= same * (1 + fabs(before)))) continue;
    oc_row_free(t, oc_rows_at(t, OC_CONSTRAINT_ROWS, t->N) + c);
    oc_row_free(t, oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 1) + c);
  }
  free_repeated_rates(t);
}

// a limit that fixes that output at the start; NULL: not found
static const oc_output_limit *find_start_value(const oc_transcription *t, int output) {
  for (int i = 0; i < t->task.outputs.nlimits; i++) {
    const oc_output_limit *l = &t->task.outputs.limits[i];
    if (l->output == output && l->low == l->high && oc_rows_limit(t, i)->knot == 0) return l;
  }
  return NULL;
}

// y(q_N) = y(q_0) if no coordinate that moves y travels
static dm_status free_repeated_outputs(oc_transcription *t, dm_message *msg) {
  const oc_outputs *o = &t->task.outputs;
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i], *start = find_start_value(t, l->output);
    const oc_rows *at = oc_rows_limit(t, i);
    bool travels;

    // a value at both ends, for an output that is periodic
    if (!start || l->low != l->high || !oc_rows_has(at, t->N)) continue;
    if (!is_travel_known(t, t->out_mask + l->output * t->n, &travels) || travels) continue;
    const double first = start->low + oc_output_limit_reference(start, 0);
    const double last = l->low + oc_output_limit_reference(l, t->N);
    if (first != last)
      return dm_fail(msg, DM_BAD_INPUT,
                     "the output '%s' is to be %g at the start and %g at the goal of a periodic "
                     "motion, expected one value",
                     oc_outputs_name(o, l->output), first, last);
    oc_row_free(t, oc_rows_row(at, t->N));
  }
  return DM_OK;
}

// y(q_N) = y(q_0) on a closed curve
static dm_status free_repeated_curve(oc_transcription *t, dm_message *msg) {
  const oc_followed *f = &t->task.outputs.follow;
  for (int i = 0; f->curve && i < f->curve->m; i++) {
    const int last = (f->curve->n - 1) * f->curve->m + i;
    const double gap = f->curve->r[last] - f->curve->r[i];
    bool travels;
    if (!is_travel_known(t, t->out_mask + f->output[i] * t->n, &travels) || travels) continue;

    // both ends coincide: on the curve, the last row repeats the first
    if (fabs(gap) > 2 * f->within[i] + 1e-9)
      return dm_fail(msg, DM_BAD_INPUT,
                     "the path of '%s' ends %g off where it begins, expected the same place of a "
                     "periodic motion",
                     oc_outputs_name(&t->task.outputs, f->output[i]), gap);
    if (f->within[i] > 0) continue;
    oc_row_free(t, oc_rows_at(t, OC_CURVE_ROWS, t->N) + i);
  }
  return DM_OK;
}

// the coordinates on which no gravity, spring, damping, force or constraint acts, into kept [n]: D1 + D2 = 0
// in a step between positions without symmetry, under inputs of all sizes
static dm_status find_kept_momenta(oc_transcription *t, double *kept) {
  const double rounding = 1e-11;

  // at a position without symmetry: D1 + D2 = 0 if no force acts
  const double h = oc_task_step(&t->task);
  double *q0 = t->lane_q0, *q1 = t->lane_q1, *u = t->lane_u;
  for (int i = 0; i < t->n; i++) {
    q0[i] = 0.3 + 0.1 * sin(1.7 * i + 1);
    q1[i] = q0[i] + h * cos(2.3 * i + 2);
  }
  for (int j = 0; j < t->nf; j++) u[j] = 1.3 + 0.4 * sin(3.1 * j);
  DM_TRY(dm_interval_eval(t->d, 1, q0, q1, u, h));
  for (int i = 0; i < t->n; i++) {
    const double size = fabs(t->d->D1[i]) + fabs(t->d->D2[i]);
    bool moves = t->kinematic && t->kinematic[i];
    for (int c = 0; c < t->nc; c++) moves |= t->hol_mask[c * t->n + i];
    kept[i] = !moves && fabs(t->d->D1[i] + t->d->D2[i]) <= rounding * size;
  }
  return DM_OK;
}

// If nothing acts on coordinate i, p_i is the same at both ends anyway, and because M_ii > 0 also v_i, once
// everything else is.
static dm_status free_kept_velocities(oc_transcription *t) {
  int changed;
  DM_TRY(oc_travel_changes(&t->task, &changed));
  if (changed >= 0) return DM_OK;
  const dm_status s = find_kept_momenta(t, t->mu0);
  for (int i = 0; s == DM_OK && i < t->n; i++) {
    if (!(t->mu0[i] > 0)) continue;
    oc_row_free(t, oc_rows_at(t, OC_END_VELOCITY_ROWS, 0) + i);
    t->x_min[t->v[1] + i] = -INFINITY;
    t->x_max[t->v[1] + i] = INFINITY;
  }
  return s == DM_NO_MEMORY ? s : DM_OK; // if there is no step, all rows stay
}

dm_status oc_periodic_rows_settle(oc_transcription *t, dm_message *msg) {
  if (!t->task.periodic) return DM_OK;
  DM_TRY(free_kept_velocities(t));
  free_repeated_constraints(t);
  DM_TRY(free_repeated_outputs(t, msg));
  return free_repeated_curve(t, msg);
}

// optim/task/task.c: see task.h.
#include "optim/task/task.h"

#include "lib/multibody/tree_system.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

oc_task oc_task_of(const dm_model *m, int N, double T) {
  assert(m && N >= 1 && T > 0);
  oc_task task = {.system = dm_system_of(m),
                  .coord_name = m->name,
                  .N = N,
                  .T = T,
                  .q_min = m->q_min,
                  .q_max = m->q_max,
                  .v_max = m->v_max};

  // the model counts forces only: a task's input arrays continue with the kinematic coordinates
  if (task.system.nk == 0) {
    task.input_name = m->input_name;
    task.u_min = m->u_min;
    task.u_max = m->u_max;
  }
  return task;
}

static dm_status check_horizon(const oc_task *t, dm_message *msg) {
  const dm_system *s = &t->system;
  if (t->N < 1) return dm_fail(msg, DM_BAD_INPUT, "steps must be at least 1, got %d", t->N);

  // the system can be stepped; the Hessian of the rows needs third derivatives
  DM_TRY(dm_system_check(s, msg));
  if (!s->L.contract)
    return dm_fail(msg, DM_BAD_INPUT, "the Lagrangian offers no third derivatives (contract)");
  if (!dm_forces_contractible(&s->force))
    return dm_fail(msg, DM_BAD_INPUT, "the general force offers no second derivatives (contract)");

  // T > 0; a free one within (T_min, T_max)
  // the final time and its step
  if (t->free_time && !(0 < t->T_min && t->T_min < t->T_max && isfinite(t->T_max)))
    return dm_fail(msg, DM_BAD_INPUT, "a free final time needs 0 < lower < upper, got %g and %g",
                   t->T_min, t->T_max);
  if (!(t->T > 0 && isfinite(t->T)))
    return dm_fail(msg, DM_BAD_INPUT, "the final time must be > 0, got %g", t->T);

  // a kinematic coordinate has no momentum
  for (int i = 0; s->nk && i < s->L.nq; i++)
    if (s->kinematic[i] && ((t->w_p && t->w_p[i] > 0) || (t->wf_p && t->wf_p[i] > 0)))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s is kinematic: found a cost on its momentum, expected none",
                     t->coord_name[i]);

  if (!isfinite(t->w_time)) return dm_fail(msg, DM_BAD_INPUT, "the cost on time is not finite");
  // all entry counts must fit an int
  // upper bound on Jacobian and Hessian entries, about 12 n (n + nu) per knot
  double entries = (double)(t->N + 1) *
                   (12.0 * s->L.nq + 4.0 * dm_system_inputs(s) + 5.0 * s->hol.nc) *
                   (s->L.nq + dm_system_inputs(s) + 1.0);
  if (entries > INT_MAX) return dm_fail(msg, DM_BAD_INPUT, "%d steps are too many", t->N);
  return DM_OK;
}

// lower bounds below upper ones, and none of them NaN
static dm_status check_bounds(int n, const char *const *name, const char *what, const double *min,
                              const double *max, dm_message *msg) {
  for (int i = 0; i < n; i++) {
    // a NULL array means no bounds; NAN fails both comparisons
    double lo = min ? min[i] : -INFINITY;
    double hi = max ? max[i] : INFINITY;
    if (!(lo <= hi && lo < INFINITY && hi > -INFINITY))
      return dm_fail(msg, DM_BAD_INPUT, "bounds on %s of %s must be lower <= upper, got %g and %g",
                     what, name[i], lo, hi);
  }
  return DM_OK;
}

// the given entries of an end must be finite and within the bounds
static dm_status check_end_values(const oc_task *t, const char *end, const double *q,
                                  const double *v, dm_message *msg) {
  for (int i = 0; i < t->system.L.nq; i++) {
    double lo = t->q_min ? t->q_min[i] : -INFINITY;
    double hi = t->q_max ? t->q_max[i] : INFINITY;

    // NAN is free: all comparisons are false
    if (q && (isinf(q[i]) || q[i] < lo || q[i] > hi))
      return dm_fail(msg, DM_BAD_INPUT, "the %s of %s is %g, outside its bounds [%g, %g]", end,
                     t->coord_name[i], q[i], lo, hi);
    if (v && (isinf(v[i]) || (t->v_max && fabs(v[i]) > t->v_max[i])))
      return dm_fail(msg, DM_BAD_INPUT, "the %s velocity of %s is %g, beyond its limit", end,
                     t->coord_name[i], v[i]);
  }
  return DM_OK;
}

// a periodic motion: its goal follows from the start, and its travel range must not be empty
static dm_status check_periodic(const oc_task *t, dm_message *msg) {
  if (!t->periodic && !t->travel_min && !t->travel_max) return DM_OK;
  if (!t->periodic)
    return dm_fail(msg, DM_BAD_INPUT, "found a travel of a motion that is not periodic");
  for (int i = 0; i < t->system.L.nq; i++) {
    const char *name = t->coord_name[i];
    const double q = t->q_start ? t->q_start[i] : NAN;
    double low, high;
    oc_task_travel(t, i, &low, &high);

    // only the start may be given
    if ((t->q_goal && !isnan(t->q_goal[i])) || (t->v_goal && !isnan(t->v_goal[i])))
      return dm_fail(msg, DM_BAD_INPUT,
                     "found a goal of %s beside a periodic motion, expected none: it ends as it "
                     "begins",
                     name);
    if (!(low <= high && low < INFINITY && high > -INFINITY))
      return dm_fail(msg, DM_BAD_INPUT, "the travel of %s must be lower <= upper, got %g and %g",
                     name, low, high);

    // from the start, or from anywhere, to a position within the bounds
    const double min = t->q_min ? t->q_min[i] : -INFINITY;
    const double max = t->q_max ? t->q_max[i] : INFINITY;
    if ((isnan(q) ? min : q) + low > max || (isnan(q) ? max : q) + high < min)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s travels by [%g, %g], which leads out of its bounds [%g, %g]", name, low,
                     high, min, max);
  }
  return DM_OK;
}

// the divisor of the cost must be free and nonzero
static dm_status check_ratio(const oc_task *t, dm_message *msg) {
  double low, high;
  if (t->per == OC_PER_TIME && !t->free_time)
    return dm_fail(msg, DM_BAD_INPUT, "a cost per second needs a free final time");
  if (t->per != OC_PER_TRAVEL) return DM_OK;
  if (t->per_coord < 0 || t->per_coord >= t->system.L.nq || !t->periodic)
    return dm_fail(msg, DM_BAD_INPUT, "a cost per way needs a coordinate of a periodic motion");
  oc_task_travel(t, t->per_coord, &low, &high);
  if (low > 0 || high < 0) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "a cost per way of %s needs a travel of one sign, got one from %g to %g",
                 t->coord_name[t->per_coord], low, high);
}

static dm_status check_weights(int n, const char *const *name, const char *what, const double *w,
                               dm_message *msg) {
  for (int i = 0; w && i < n; i++)
    if (!(w[i] >= 0 && isfinite(w[i])))
      return dm_fail(msg, DM_BAD_INPUT, "the cost on %s of %s must be >= 0, got %g", what, name[i],
                     w[i]);
  return DM_OK;
}

static dm_status check_reference(int rows, int n, const char *const *name, const char *what,
                                 const double *ref, dm_message *msg) {
  for (int k = 0; ref && k < rows; k++)
    for (int i = 0; i < n; i++)
      if (!isfinite(ref[(size_t)k * (size_t)n + (size_t)i]))
        return dm_fail(msg, DM_BAD_INPUT, "the reference of %s of %s at knot %d is not finite",
                       what, name[i], k);
  return DM_OK;
}

// limits of inputs over an interval: inputs must exist, intervals must be within the horizon, and in each
// step the largest low end must be below the smallest high end
static dm_status check_input_limits(const oc_task *t, int nu, dm_message *msg) {
  for (int i = 0; i < t->ninputs; i++) {
    const oc_input_limit *l = &t->inputs[i];
    if (l->input < 0 || l->input >= nu)
      return dm_fail(msg, DM_BAD_INPUT, "a limit is on input %d, and there are %d", l->input, nu);
    const char *name = t->input_name ? t->input_name[l->input] : "?";
    if (!(l->at.from >= 0 && l->at.from <= l->at.to && l->at.to <= 1))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the limit on input '%s': found the shares %g to %g of the horizon, expected "
                     "0 <= from <= to <= 1",
                     name, l->at.from, l->at.to);
    int first, last;
    oc_span_steps(l->at, t->N, &first, &last);
    for (int k = first; k <= last; k++) {
      double low = t->u_min ? t->u_min[l->input] : -INFINITY;
      double high = t->u_max ? t->u_max[l->input] : INFINITY;
      for (int o = 0; o < t->ninputs; o++) {
        int from, to;
        oc_span_steps(t->inputs[o].at, t->N, &from, &to);
        if (t->inputs[o].input != l->input || k < from || k > to) continue;
        low = fmax(low, t->inputs[o].low);
        high = fmin(high, t->inputs[o].high);
      }
      if (!(low <= high))
        return dm_fail(msg, DM_BAD_INPUT,
                       "the limits on input '%s' in step %d leave nothing: at least %g, at most %g",
                       name, k, low, high);
    }
  }
  return DM_OK;
}

dm_status oc_task_check(const oc_task *t, dm_message *msg) {
  assert(t);
  DM_TRY(check_horizon(t, msg));
  DM_TRY(oc_outputs_check(&t->outputs, t->N, msg));
  DM_TRY(check_input_limits(t, dm_system_inputs(&t->system), msg));
  int n = t->system.L.nq, nf = t->system.nu, nu = dm_system_inputs(&t->system);
  const char *const *q = t->coord_name, *const *u = t->input_name;

  // bounds: positions, inputs, impulses, speeds, rates
  DM_TRY(check_bounds(n, q, "the position", t->q_min, t->q_max, msg));
  DM_TRY(check_bounds(nu, u, "the input", t->u_min, t->u_max, msg));
  // one constraint row at a time, so that a message can name it
  for (int c = 0; c < t->system.hol.nc; c++) {
    const dm_holonomic *hol = &t->system.hol;
    const char *name = hol->row_name ? hol->row_name(hol->self, c) : "?";
    const double *min = t->lambda_min ? t->lambda_min + c : NULL;
    const double *max = t->lambda_max ? t->lambda_max + c : NULL;
    DM_TRY(check_bounds(1, &name, "the impulse", min, max, msg));
  }
  for (int i = 0; t->v_max && i < n; i++)
    if (!(t->v_max[i] > 0))
      return dm_fail(msg, DM_BAD_INPUT, "the speed limit of %s must be > 0, got %g", q[i],
                     t->v_max[i]);
  for (int i = 0; t->rate_max && i < nf; i++)
    if (!(t->rate_max[i] > 0))
      return dm_fail(msg, DM_BAD_INPUT, "the limit on the rate of %s must be > 0, got %g", u[i],
                     t->rate_max[i]);

  // both ends within their bounds
  DM_TRY(check_end_values(t, "start", t->q_start, t->v_start, msg));
  DM_TRY(check_end_values(t, "goal", t->q_goal, t->v_goal, msg));
  DM_TRY(check_periodic(t, msg));
  DM_TRY(check_ratio(t, msg));

  // the costs of q, v, p: weights and references; then the user-defined terms and inputs
  const struct {
    const char *what;
    const double *run, *last, *ref;
  } cost[] = {{"the position", t->w_q, t->wf_q, t->ref_q},
              {"the velocity", t->w_v, t->wf_v, t->ref_v},
              {"the momentum", t->w_p, t->wf_p, t->ref_p}};
  for (int c = 0; c < 3; c++) {
    DM_TRY(check_weights(n, q, cost[c].what, cost[c].run, msg));
    DM_TRY(check_weights(n, q, cost[c].what, cost[c].last, msg));
    DM_TRY(check_reference(t->N + 1, n, q, cost[c].what, cost[c].ref, msg));
  }

  DM_TRY(oc_terms_check(t->nterms, t->terms, n, nf, t->N, msg));
  DM_TRY(oc_path_constraints_check(t->npaths, t->paths, n, nf, msg));
  DM_TRY(check_weights(nu, u, "the input", t->w_u, msg));
  DM_TRY(check_weights(nf, u, "the rate of input", t->w_rate, msg));
  DM_TRY(check_weights(n, q, "the acceleration", t->w_a, msg));
  DM_TRY(check_weights(n, q, "the jerk", t->w_jerk, msg));
  return check_reference(t->N, nu, u, "the input", t->ref_u, msg);
}

bool oc_task_is_too_far(const oc_task *t, int i) {
  const double rounded = 1e-6; // of a distance, and m or rad: more than a program's tolerance
  if (t->periodic || !t->v_max || !t->q_start || !t->q_goal) return false;
  // NAN if an end is free
  const double far = fabs(t->q_goal[i] - t->q_start[i]), time = t->free_time ? t->T_max : t->T;
  return far > (1 + rounded) * time * t->v_max[i] + rounded;
}

int oc_task_rated(const oc_task *t) {
  // the first input with a limit or weight on its rate; -1: none
  for (int j = 0; j < t->system.nu; j++)
    if ((t->rate_max && isfinite(t->rate_max[j])) || (t->w_rate && t->w_rate[j] > 0)) return j;
  return -1;
}

// the range from a length's own limits or ends; 0: they do not define one
static double find_own_way(const oc_task *t, int i) {
  const double low = t->q_min ? t->q_min[i] : -INFINITY, high = t->q_max ? t->q_max[i] : INFINITY;
  if (high > low && isfinite(high - low)) return (high - low) / 2;
  const double way = t->q_start && t->q_goal ? fabs(t->q_goal[i] - t->q_start[i]) : 0;
  return isfinite(way) ? way : 0;
}

double oc_task_way(const oc_task *t, int i) {
  const dm_system *s = &t->system;
  const bool constant = t->constant && t->constant[i];
  if (!s->length || !s->length[i] || constant) return 1;
  double way = find_own_way(t, i);
  for (int j = 0; way == 0 && j < s->L.nq; j++)
    if (s->length[j]) way = fmax(way, find_own_way(t, j));
  if (way == 0) way = s->extent;
  return way > 0 ? way : 1;
}

bool oc_task_travel(const oc_task *t, int i, double *low, double *high) {
  *low = t->travel_min ? t->travel_min[i] : 0;
  *high = t->travel_max ? t->travel_max[i] : 0;
  return *low == *high;
}

// optim/task/task.c: see task.h.
#include "optim/task/task.h"

#include "lib/multibody/tree_system.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

// The keys of a quantity's bounds and costs in a problem file; NULL: it cannot have them.
static const struct {
  const char *word;
  const char *limit; // of |x|, if its bounds are of this kind
  const char *bounds, *running, *goal;
  bool moves; // a cost may have a reference
} quantities[OC_QUANTITIES] = {
    [OC_Q] = {"position", NULL, "bounds.q", "cost.state.q", "cost.terminal.q", true},
    [OC_V] = {"velocity", "speed limit", "bounds.v", "cost.state.v", "cost.terminal.v", true},
    [OC_P] = {"momentum", NULL, NULL, "cost.state.p", "cost.terminal.p", true},
    [OC_U] = {"input", NULL, "bounds.u", "cost.input", NULL, true},
    [OC_RATE] = {"rate", "limit on the rate", "bounds.rate", "cost.rate", NULL, false},
    [OC_A] = {"acceleration", "limit on the acceleration", "bounds.a", "cost.acceleration", NULL,
              false},
    [OC_JERK] = {"jerk", "limit on the jerk", "bounds.jerk", "cost.jerk", NULL, false},
    [OC_LAMBDA] = {"impulse", NULL, "bounds.lambda", NULL, NULL, false},
    [OC_TRAVEL] = {"travel", NULL, "goal.travel", NULL, NULL, false},
};

const char *oc_quantity_word(oc_quantity of) {
  return quantities[of].word;
}

const char *oc_task_name(const oc_task *t, oc_quantity of, int i) {
  const dm_holonomic *hol = &t->system.hol;
  if (of == OC_LAMBDA) return hol->row_name ? hol->row_name(hol->self, i) : "?";
  const char *const *name = of == OC_U || of == OC_RATE ? t->input_name : t->coord_name;
  return name ? name[i] : "?";
}

// the first positive weight, -1: none
static int find_weight(int n, const double *w) {
  for (int i = 0; w && i < n; i++)
    if (w[i] > 0) return i;
  return -1;
}

bool oc_has_weight(int n, const double *w) {
  return find_weight(n, w) >= 0;
}

bool oc_task_has_weights(const oc_task *t) {
  for (int of = 0; of < OC_QUANTITIES; of++) {
    const int n = oc_task_size(t, (oc_quantity)of);
    if (oc_has_weight(n, t->cost[of].running) || oc_has_weight(n, t->cost[of].goal)) return true;
  }
  return false;
}

void oc_task_set_steps(const oc_task *t, double h, dm_trajectory *x) {
  x->h = h;
  dm_trajectory_set_grid(x, t->time.grid);
}

oc_task oc_task_of(const dm_model *m, int N, double T) {
  assert(m && N >= 1 && T > 0);
  const dm_limits limits = dm_model_limits(m);
  oc_task task = {.system = dm_system_of(m),
                  .coord_name = m->name,
                  .N = N,
                  .time.T = T,
                  .bounds = {[OC_Q] = limits.q, [OC_V] = limits.v}};

  // the model counts forces only: a task's input arrays continue with the kinematic coordinates
  if (task.system.nk) return task;
  task.input_name = m->input_name;
  task.bounds[OC_U] = limits.u;
  return task;
}

static dm_status check_horizon(const oc_task *t, dm_message *msg) {
  const dm_system *s = &t->system;
  if (t->N < 1) return dm_fail(msg, DM_BAD_INPUT, "steps must be at least 1, got %d", t->N);

  // the system can be stepped; the Hessian of the rows needs third derivatives
  DM_TRY(dm_system_check(s, msg));
  if (!s->L.contract)
    return dm_fail(msg, DM_BAD_INPUT,
                   "the Lagrangian offers no third derivatives (contract); try "
                   "dm_differenced_lagrangian, or exact ones by dm_hyperdual_lagrangian_functions");
  if (!dm_forces_contractible(&s->force))
    return dm_fail(msg, DM_BAD_INPUT, "the general force offers no second derivatives (contract)");

  // T > 0; a free one within (min, max)
  if (t->time.free && !(0 < t->time.min && t->time.min < t->time.max && isfinite(t->time.max)))
    return dm_fail(msg, DM_BAD_INPUT, "a free final time needs 0 < lower < upper, got %g and %g",
                   t->time.min, t->time.max);
  if (!(t->time.T > 0 && isfinite(t->time.T)))
    return dm_fail(msg, DM_BAD_INPUT, "the final time must be > 0, got %g", t->time.T);

  // a kinematic coordinate has no momentum
  for (int i = 0; s->nk && i < s->L.nq; i++)
    if (s->kinematic[i] &&
        (oc_weight(t->cost[OC_P].running, i) > 0 || oc_weight(t->cost[OC_P].goal, i) > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s is kinematic: found a cost on its momentum, expected none",
                     t->coord_name[i]);

  if (!isfinite(t->time.weight))
    return dm_fail(msg, DM_BAD_INPUT, "the cost on time is not finite");
  // all entry counts must fit an int
  // upper bound on Jacobian and Hessian entries, about 12 n (n + nu) per knot
  double entries = (double)(t->N + 1) *
                   (12.0 * s->L.nq + 4.0 * dm_system_inputs(s) + 5.0 * s->hol.nc) *
                   (s->L.nq + dm_system_inputs(s) + 1.0);
  if (entries > INT_MAX) return dm_fail(msg, DM_BAD_INPUT, "%d steps are too many", t->N);
  return DM_OK;
}

// bounds that a quantity can have, lower ones below upper ones and none of them NaN
static dm_status check_bounds(const oc_task *t, oc_quantity of, dm_message *msg) {
  const char *word = quantities[of].word, *limit = quantities[of].limit;
  const dm_bounds *b = &t->bounds[of];
  if (b->low && (limit || !quantities[of].bounds))
    return dm_fail(msg, DM_BAD_INPUT, "found lower bounds on the %s, expected none", word);
  if (b->high && !quantities[of].bounds)
    return dm_fail(msg, DM_BAD_INPUT, "found upper bounds on the %s, expected none", word);
  for (int i = 0; (b->low || b->high) && i < oc_task_size(t, of); i++) {
    const double low = oc_low(t, of, i), high = oc_high(t, of, i);
    const char *name = oc_task_name(t, of, i);
    if (limit && !(high > 0))
      return dm_fail(msg, DM_BAD_INPUT, "the %s of %s must be > 0, got %g", limit, name, high);
    if (!(low <= high && low < INFINITY && high > -INFINITY))
      return dm_fail(msg, DM_BAD_INPUT,
                     "bounds on the %s of %s must be lower <= upper, got %g and %g", word, name,
                     low, high);
  }
  return DM_OK;
}

// the given entries of an end must be finite and within the bounds
static dm_status check_end(const oc_task *t, const char *word, const oc_end *end, dm_message *msg) {
  const double *q = end->q, *v = end->v;
  for (int i = 0; i < t->system.L.nq; i++) {
    double lo = oc_low(t, OC_Q, i);
    double hi = oc_high(t, OC_Q, i);

    // NAN is free: all comparisons are false
    if (q && (isinf(q[i]) || q[i] < lo || q[i] > hi))
      return dm_fail(msg, DM_BAD_INPUT, "the %s of %s is %g, outside its bounds [%g, %g]", word,
                     t->coord_name[i], q[i], lo, hi);
    if (v && (isinf(v[i]) || fabs(v[i]) > oc_high(t, OC_V, i)))
      return dm_fail(msg, DM_BAD_INPUT, "the %s velocity of %s is %g, beyond its limit", word,
                     t->coord_name[i], v[i]);
  }
  return DM_OK;
}

// a periodic motion: its goal follows from the start, and its travel range must not be empty
static dm_status check_periodic(const oc_task *t, dm_message *msg) {
  if (!t->periodic && !t->bounds[OC_TRAVEL].low && !t->bounds[OC_TRAVEL].high) return DM_OK;
  if (!t->periodic)
    return dm_fail(msg, DM_BAD_INPUT, "found a travel of a motion that is not periodic");
  for (int i = 0; i < t->system.L.nq; i++) {
    const char *name = t->coord_name[i];
    const double q = t->start.q ? t->start.q[i] : NAN;
    double low, high;
    oc_task_travel(t, i, &low, &high);

    // only the start may be given
    if (oc_given(t->goal.q, i) || oc_given(t->goal.v, i))
      return dm_fail(msg, DM_BAD_INPUT,
                     "found a goal of %s beside a periodic motion, expected none: it ends as it "
                     "begins",
                     name);
    if (!(low <= high && low < INFINITY && high > -INFINITY))
      return dm_fail(msg, DM_BAD_INPUT, "the travel of %s must be lower <= upper, got %g and %g",
                     name, low, high);

    // from the start, or from anywhere, to a position within the bounds
    const double min = oc_low(t, OC_Q, i);
    const double max = oc_high(t, OC_Q, i);
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
  if (t->per.of == OC_PER_TIME && !t->time.free)
    return dm_fail(msg, DM_BAD_INPUT, "a cost per second needs a free final time");
  if (t->per.of != OC_PER_TRAVEL) return DM_OK;
  if (t->per.coord < 0 || t->per.coord >= t->system.L.nq || !t->periodic)
    return dm_fail(msg, DM_BAD_INPUT, "a cost per way needs a coordinate of a periodic motion");
  oc_task_travel(t, t->per.coord, &low, &high);
  if (low > 0 || high < 0) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "a cost per way of %s needs a travel of one sign, got one from %g to %g",
                 t->coord_name[t->per.coord], low, high);
}

static dm_status check_weights(const oc_task *t, oc_quantity of, const double *w, bool can,
                               dm_message *msg) {
  if (w && !can)
    return dm_fail(msg, DM_BAD_INPUT, "found a cost on the %s, expected none of this kind",
                   quantities[of].word);
  for (int i = 0; w && i < oc_task_size(t, of); i++)
    if (!(w[i] >= 0 && isfinite(w[i])))
      return dm_fail(msg, DM_BAD_INPUT, "the cost on the %s of %s must be >= 0, got %g",
                     quantities[of].word, oc_task_name(t, of, i), w[i]);
  return DM_OK;
}

// weights, and the reference at each knot, or in each step of inputs
static dm_status check_cost(const oc_task *t, oc_quantity of, dm_message *msg) {
  const int n = oc_task_size(t, of), rows = of == OC_U ? t->N : t->N + 1;
  const oc_weights *c = &t->cost[of];
  DM_TRY(check_weights(t, of, c->running, quantities[of].running, msg));
  DM_TRY(check_weights(t, of, c->goal, quantities[of].goal, msg));
  if (c->reference && !quantities[of].moves)
    return dm_fail(msg, DM_BAD_INPUT, "found a reference of the %s, expected none",
                   quantities[of].word);
  for (int k = 0; c->reference && k < rows; k++)
    for (int i = 0; i < n; i++)
      if (!isfinite(c->reference[(size_t)k * (size_t)n + (size_t)i]))
        return dm_fail(msg, DM_BAD_INPUT, "the reference of the %s of %s at knot %d is not finite",
                       quantities[of].word, oc_task_name(t, of, i), k);
  return DM_OK;
}

// limits of inputs over an interval: inputs must exist, intervals must be within the horizon, and in each
// step the largest low end must be below the smallest high end
static dm_status check_input_limits(const oc_task *t, int nu, dm_message *msg) {
  for (int i = 0; i < t->inputs.n; i++) {
    const oc_input_limit *l = &t->inputs.limit[i];
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
      double low = oc_low(t, OC_U, l->input);
      double high = oc_high(t, OC_U, l->input);
      for (int o = 0; o < t->inputs.n; o++) {
        int from, to;
        oc_span_steps(t->inputs.limit[o].at, t->N, &from, &to);
        if (t->inputs.limit[o].input != l->input || k < from || k > to) continue;
        low = fmax(low, t->inputs.limit[o].low);
        high = fmin(high, t->inputs.limit[o].high);
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
  DM_TRY(oc_task_refuse_knots(t, msg));
  DM_TRY(oc_outputs_check(&t->outputs, t->N, msg));
  DM_TRY(check_input_limits(t, dm_system_inputs(&t->system), msg));
  for (int of = 0; of < OC_TRAVEL; of++) DM_TRY(check_bounds(t, (oc_quantity)of, msg));
  DM_TRY(check_end(t, "start", &t->start, msg));
  DM_TRY(check_end(t, "goal", &t->goal, msg));
  DM_TRY(check_periodic(t, msg));
  DM_TRY(check_ratio(t, msg));
  for (int of = 0; of < OC_QUANTITIES; of++) DM_TRY(check_cost(t, (oc_quantity)of, msg));
  return oc_functions_check(&t->functions, t->system.L.nq, t->system.nu, t->N, msg);
}

bool oc_task_is_too_far(const oc_task *t, int i) {
  const double rounded = 1e-6; // of a distance, and m or rad: more than a program's tolerance
  if (t->periodic || !t->bounds[OC_V].high || !t->start.q || !t->goal.q) return false;
  // NAN if an end is free
  const double far = fabs(t->goal.q[i] - t->start.q[i]),
               time = t->time.free ? t->time.max : t->time.T;
  return far > (1 + rounded) * time * oc_high(t, OC_V, i) + rounded;
}

static int find_bound(const oc_task *t, oc_quantity of) {
  for (int i = 0; i < oc_task_size(t, of); i++)
    if (!dm_range_is_none(oc_task_range(t, of, i))) return i;
  return -1;
}

// the first output with a limit or a cost, of inputs or of any kind; NULL: none
static const char *find_output(const oc_task *t, bool limits, bool costs, bool driven) {
  const oc_outputs *o = &t->outputs;
  for (int i = limits ? 0 : o->nlimits; i < o->nlimits + (costs ? o->ncosts : 0); i++) {
    const int row = i < o->nlimits ? o->limits[i].output : o->costs[i - o->nlimits].output;
    if (row >= 0 && row < o->y.ny && (!driven || oc_outputs_driven(o, row)))
      return oc_outputs_name(o, row);
  }
  return NULL;
}

// the name of the part of a task with a feature, "": without a name; NULL: the task does not have it
static const char *find_feature(const oc_task *t, oc_feature of) {
  const dm_system *s = &t->system;
  const char *const has[] = {NULL, ""};
  int i = 0;
  switch (of) {
  case OC_CONSTRAINTS:
    return s->hol.nc ? oc_task_name(t, OC_LAMBDA, 0) : NULL;
  case OC_KINEMATIC:
    while (s->nk && !s->kinematic[i]) i++;
    return s->nk ? oc_task_name(t, OC_Q, i) : NULL;
  case OC_FREE_TIME:
    return has[t->time.free];
  case OC_PERIODIC:
    return has[t->periodic];
  case OC_RATIO:
    return has[t->per.of != OC_PER_MOTION];
  case OC_CURVE:
    return has[t->outputs.follow.curve != NULL];
  case OC_OUTPUT_LIMITS:
    return find_output(t, true, false, false);
  case OC_OUTPUT_COSTS:
    return find_output(t, false, true, false);
  case OC_DRIVEN_OUTPUTS:
    return find_output(t, true, true, true);
  case OC_INPUT_LIMITS:
    return t->inputs.n ? oc_task_name(t, OC_U, t->inputs.limit[0].input) : NULL;
  case OC_PATH_LIMITS:
    return t->functions.npaths
               ? dm_function_name(&t->functions.paths[0].y, t->functions.paths[0].row)
               : NULL;
  case OC_STEP_FUNCTIONS:
    return oc_functions_of_step(&t->functions);
  case OC_CONTACT_LAWS:
    return s->contacts ? s->contacts->law[0].name : NULL;
  case OC_CONES:
    return t->cones.n ? t->cones.name[0] : NULL;
  case OC_LAGS:
    while (t->lag && i < s->nu && !(t->lag[i] > 0)) i++;
    return t->lag && i < s->nu ? oc_task_name(t, OC_U, i) : NULL;
  case OC_ROLLING:
    return s->hol.nv ? oc_task_name(t, OC_LAMBDA, s->hol.nc - 1) : NULL;
  case OC_LEVELS:
    return t->outputs.nlevels ? oc_outputs_name(&t->outputs, t->outputs.levels[0].output) : NULL;
  case OC_KNOTS:
    return has[t->time.grid || oc_task_frees_steps(t)];
  case OC_FEATURES:
    break;
  }
  return NULL;
}

static dm_status refuse_features(const oc_task *t, unsigned no, const char *who,
                                 const char *instead, const char **key, dm_message *msg) {
  static const struct {
    const char *key, *text;
  } features[OC_FEATURES] = {
      [OC_CONSTRAINTS] = {"model.constraints", "constraints"},
      [OC_KINEMATIC] = {"model.kinematic", "kinematic coordinates"},
      [OC_FREE_TIME] = {"horizon.time", "a free final time"},
      [OC_PERIODIC] = {"goal", "a periodic motion"},
      [OC_RATIO] = {"cost.per", "a cost per time or distance"},
      [OC_CURVE] = {"path", "a path"},
      [OC_OUTPUT_LIMITS] = {"bounds.outputs via goal.outputs start.outputs keep_out goal",
                            "limits on outputs"},
      [OC_OUTPUT_COSTS] = {"cost.outputs", "costs on outputs"},
      [OC_DRIVEN_OUTPUTS] = {"outputs", "limits or costs on inputs and their power"},
      [OC_INPUT_LIMITS] = {"via", "limits of inputs over an interval"},
      [OC_PATH_LIMITS] = {"", "path constraints"},
      [OC_STEP_FUNCTIONS] = {"", "functions of the next position or the step"},
      [OC_CONTACT_LAWS] = {"model.contacts model.friction", "contacts or dry friction"},
      [OC_CONES] = {"bounds.friction", "friction of constraints"},
      [OC_LAGS] = {"model.drives", "lags of motors"},
      [OC_ROLLING] = {"model.constraints model.rolling", "rolling constraints"},
      [OC_LEVELS] = {"constraints cost.outputs", "integrals or largest values of outputs"},
      [OC_KNOTS] = {"horizon.knots horizon.density horizon.steps_free", "steps of unequal length"},
  };
  for (int i = 0; i < OC_FEATURES; i++) {
    const char *name = no >> i & 1 ? find_feature(t, (oc_feature)i) : NULL;
    if (!name) continue;
    if (key) *key = features[i].key;
    if (!*name)
      return dm_fail(msg, DM_BAD_INPUT, "%s cannot have %s: %s", who, features[i].text, instead);
    return dm_fail(msg, DM_BAD_INPUT, "%s cannot have %s ('%s'): %s", who, features[i].text, name,
                   instead);
  }
  return DM_OK;
}

dm_status oc_task_refuse(const oc_task *t, oc_unsupported no, const char *who, const char *instead,
                         const char **key, dm_message *msg) {
  for (int of = 0; of < OC_QUANTITIES; of++) {
    const int n = oc_task_size(t, (oc_quantity)of);
    const struct {
      bool here;
      const char *word, *key;
      int i;
    } found[] = {
        {no.bounds >> of & 1, "limit", quantities[of].bounds, find_bound(t, (oc_quantity)of)},
        {no.running >> of & 1, "cost", quantities[of].running, find_weight(n, t->cost[of].running)},
        {no.goal >> of & 1, "cost", quantities[of].goal, find_weight(n, t->cost[of].goal)}};
    for (int f = 0; f < 3; f++) {
      if (!found[f].here || found[f].i < 0) continue;
      if (key) *key = found[f].key;
      return dm_fail(msg, DM_BAD_INPUT, "%s cannot have a %s on the %s of '%s': %s", who,
                     found[f].word, quantities[of].word,
                     oc_task_name(t, (oc_quantity)of, found[f].i), instead);
    }
  }
  return refuse_features(t, no.features, who, instead, key, msg);
}

// does a reference [rows x n] change from knot to knot?
static bool is_moving(const double *reference, int rows, int n) {
  for (int i = n; reference && i < rows * n; i++)
    if (reference[i] != reference[i - n]) return true;
  return false;
}

static bool is_within(oc_span at) {
  return (at.from > 0 && at.from < 1) || (at.to > 0 && at.to < 1);
}

// what refers to times within the motion, or has derivatives by a step that only equal steps have
static dm_status refuse_free_steps(const oc_task *t, dm_message *msg) {
  const char *who = "a motion with free steps", *instead = "fix the steps";
  const unsigned differences = 1 << OC_RATE | 1 << OC_A | 1 << OC_JERK;
  const oc_unsupported no = {.bounds = differences,
                             .running = differences | 1 << OC_P,
                             .features = 1 << OC_KINEMATIC | 1 << OC_RATIO | 1 << OC_OUTPUT_COSTS |
                                         1 << OC_DRIVEN_OUTPUTS | 1 << OC_INPUT_LIMITS |
                                         1 << OC_PATH_LIMITS | 1 << OC_STEP_FUNCTIONS |
                                         1 << OC_ROLLING | 1 << OC_LEVELS | 1 << OC_LAGS};
  DM_TRY(oc_task_refuse(t, no, who, instead, NULL, msg));
  const double T[] = {t->time.free ? t->time.min : t->time.T,
                      t->time.free ? t->time.max : t->time.T};
  if (!(0 < t->time.least && t->time.least < t->time.most && t->time.least * t->N < T[1] &&
        t->time.most * t->N > T[0]))
    return dm_fail(
        msg, DM_BAD_INPUT,
        "%d steps from %g to %g s last from %g to %g s, expected a range that includes %g s", t->N,
        t->time.least, t->time.most, t->N * t->time.least, t->N * t->time.most, T[1]);
  if (t->functions.nterms)
    return dm_fail(msg, DM_BAD_INPUT, "%s cannot have terms of the cost: %s", who, instead);
  for (int of = 0; of < OC_QUANTITIES; of++)
    if (is_moving(t->cost[of].reference, of == OC_U ? t->N : t->N + 1,
                  oc_task_size(t, (oc_quantity)of)))
      return dm_fail(msg, DM_BAD_INPUT, "%s cannot have a reference that moves: %s", who, instead);
  for (int i = 0; i < t->outputs.nlimits; i++)
    if (is_within(t->outputs.limits[i].at) ||
        is_moving(t->outputs.limits[i].references, t->N + 1, 1))
      return dm_fail(msg, DM_BAD_INPUT, "%s cannot have a limit of '%s' at a time within it: %s",
                     who, oc_outputs_name(&t->outputs, t->outputs.limits[i].output), instead);
  return DM_OK;
}

dm_status oc_task_refuse_knots(const oc_task *t, dm_message *msg) {
  const oc_unsupported no = {.features = 1 << OC_PERIODIC | 1 << OC_CURVE | 1 << OC_CONTACT_LAWS};
  if (!t->time.grid && !oc_task_frees_steps(t)) return DM_OK;
  if (t->system.lag)
    return dm_fail(msg, DM_BAD_INPUT,
                   "a motion with steps of unequal length cannot have damping that "
                   "decays within a step: take equal steps");
  DM_TRY(oc_task_refuse(t, no, "a motion with steps of unequal length", "take equal steps", NULL,
                        msg));
  return oc_task_frees_steps(t) ? refuse_free_steps(t, msg) : DM_OK;
}

// the range from a length's own limits or ends; 0: they do not define one
static double find_own_way(const oc_task *t, int i) {
  const double low = oc_low(t, OC_Q, i), high = oc_high(t, OC_Q, i);
  if (high > low && isfinite(high - low)) return (high - low) / 2;
  const double way = t->start.q && t->goal.q ? fabs(t->goal.q[i] - t->start.q[i]) : 0;
  return isfinite(way) ? way : 0;
}

double oc_task_way(const oc_task *t, int i) {
  const dm_system *s = &t->system;
  const bool constant = t->constant.is && t->constant.is[i];
  if (!s->length || !s->length[i] || constant) return 1;
  double way = find_own_way(t, i);
  for (int j = 0; way == 0 && j < s->L.nq; j++)
    if (s->length[j]) way = fmax(way, find_own_way(t, j));
  if (way == 0) way = s->extent;
  return way > 0 ? way : 1;
}

bool oc_task_travel(const oc_task *t, int i, double *low, double *high) {
  *low = oc_low(t, OC_TRAVEL, i);
  *high = oc_high(t, OC_TRAVEL, i);
  return *low == *high;
}

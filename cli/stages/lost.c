#include "cli/stages/lost.h"

#include "control/feedback/resample.h"
#include "control/feedback/tvlqr.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// maximum number of samples tried again
enum { TRIED = 10 };

typedef struct inquiry {
  cli_call *call;
  const fb_bench *g;
  const fb_sample *rows;
  int tried[TRIED], ntried; // failed samples
  int nlost;                // number of failed samples
  char integral[200];       // the integral weights tried by try_integral, in file syntax
} inquiry;

// -- where samples fail

static int compare_losses(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// the most frequent state; -1: none
static int find_most_frequent(const int *state, int n, int states) {
  // count each state; the first of equally frequent ones wins
  int best = -1, max = 0;
  for (int i = 0; i < states; i++) {
    int times = 0;
    for (int k = 0; k < n; k++) times += state[k] == i;
    if (times > max) {
      max = times;
      best = i;
    }
  }
  return best;
}

__attribute__((format(printf, 2, 3))) static void add_sentence(char why[CLI_WHY],
                                                               const char *format, ...) {
  size_t used = strlen(why);
  va_list list;
  va_start(list, format);
  vsnprintf(why + used, CLI_WHY - used, format, list);
  va_end(list);
}

// whether a failed sample left the plan without returning
static bool is_lost(const inquiry *q, const fb_sample *row) {
  const double error = row->final_error;
  return row->lost >= 0 && (isinf(error) || !(error <= q->call->run.p->verify.tolerance));
}

// the unit of a scaled error of 1 in a state (verify.scale)
static double find_scale(const inquiry *q, int state) {
  const double *scale = q->call->run.p->verify.scale;
  return scale && state >= 0 ? scale[state] : 1;
}

// indices of causes: states, then outputs, then position limits by coordinate, then slip of wheels
static int first_output(const inquiry *q) {
  return 2 * q->call->run.p->names.n;
}

static int first_limit(const inquiry *q) {
  return first_output(q) + q->call->run.p->verify.outputs.count;
}

static int slip_cause(const inquiry *q) {
  return first_limit(q) + q->call->run.p->names.n;
}

// whether the error of a sample still grows at the end, or is infinite
static bool does_diverge(const fb_sample *row) {
  static const double GROWS = 1.5; // final error divided by the error at three quarters of the run
  return isinf(row->final_error) || row->final_error > GROWS * row->late_error;
}

// the unit of a cause, preceded by a space; empty if dimensionless
static const char *find_unit(const inquiry *q, int cause, char text[32]) {
  const pb_problem *p = q->call->run.p;
  const int n = p->names.n;
  const char *unit = "1";
  if (cause == slip_cause(q))
    unit = "m";
  else if (cause >= first_limit(q))
    unit = pb_problem_unit(p, 'q', cause - first_limit(q));
  else if (cause >= first_output(q))
    unit = dm_outputs_unit(p->robot.outputs.rows, p->verify.bounds[cause - first_output(q)].first);
  else if (cause >= 0)
    unit = pb_problem_unit(p, cause < n ? 'q' : 'v', cause % n);
  const bool none = !unit || !unit[0] || !strcmp(unit, "1");
  snprintf(text, 32, "%s%.30s", none ? "" : " ", none ? "" : unit);
  return text;
}

// why a sample failed that returned to the plan: the state with the largest final error or, if that
// is within the tolerance, the output with the largest relative error; or the limit that it
// violated; or that its wheels slid
static int find_cause(const inquiry *q, const fb_sample *row, double *error) {
  *error = row->passed_by;
  if (row->arrived && row->passed >= 0) return first_limit(q) + row->passed;
  if (row->arrived) *error = row->slip;
  if (row->arrived) return slip_cause(q);
  const bool of_state = row->output < 0 || row->final_error > q->call->run.p->verify.tolerance;
  *error = of_state ? row->final_error * find_scale(q, row->worst_state) : row->output_error;
  return of_state ? row->worst_state : first_output(q) + row->output;
}

// keep only samples with one cause, because others have other units; returns their number
static int keep_cause(double *of, const int *state, int n, int cause) {
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (state[i] == cause) of[kept++] = of[i];
  return kept;
}

// the cause as a sentence, with the time of the loss or the size of the error
static void say_cause(const inquiry *q, const char *plant, int lost, int diverge, int cause,
                      double median, char why[CLI_WHY]) {
  const fb_tvlqr *law = &q->call->run.control.law->f;
  char name[96], unit[32];
  find_unit(q, cause, unit);
  if (cause == slip_cause(q)) {
    add_sentence(why,
                 "on the %s plant none diverges, but wheels slide by %.3g m (median; "
                 "verify.slip.limit allows %.3g m)",
                 plant, median, q->call->run.p->verify.slip.limit);
    return;
  }
  if (cause >= first_limit(q)) {
    add_sentence(
        why,
        "on the %s plant none diverges, but they pass a limit of position, most often that "
        "of '%.64s', by %.3g%s (median)",
        plant, q->call->run.p->names.coord[cause - first_limit(q)], median, unit);
    return;
  }
  if (cause >= first_output(q)) {
    const pb_output_tolerance *of = &q->call->run.p->verify.named[cause - first_output(q)];
    add_sentence(why,
                 "on the %s plant none diverges, but they are off, most often in the output "
                 "'%.64s' %s, by %.3g%s (median)",
                 plant, of->name, pb_output_when_texts[of->when], median, unit);
    return;
  }

  const int n = q->call->run.p->names.n;
  if (cause < 0)
    snprintf(name, 96, "a start that violates the constraints");
  else
    snprintf(name, 96, "%s'%.64s'", cause < n ? "" : "the speed of ",
             q->call->run.p->names.coord[cause % n]);

  if (lost) {
    // the number of samples that leave the plan, and of those that diverge
    add_sentence(why, "on the %s plant %d ", plant, lost);
    if (diverge == lost)
      add_sentence(why, "diverge");
    else if (diverge)
      add_sentence(why, "leave the plan, %d of them diverge", diverge);
    else
      add_sentence(why, "leave the plan, none diverges");

    add_sentence(why, ", most often in %s, at %.3g s (median)", name, median);
    return;
  }
  const double allowed = q->call->run.p->verify.tolerance * find_scale(q, cause);
  add_sentence(why,
               "on the %s plant none diverges, but at the end, %.3g s, they are off, most often "
               "in %s, by %.3g%s (median; verify.tolerance allows %.3g%s)",
               plant, law->N * law->h, name, median, unit, allowed, unit);
}

// medians: the time of leaving the plan, for samples that leave it; otherwise the final error
static bool say_where(const inquiry *q, const bool *failed, const char *plant, cli_json *o,
                      char why[CLI_WHY]) {
  const int samples = q->call->run.p->verify.samples;
  const int n = q->call->run.p->names.n, states = 2 * n, limits = first_limit(q),
            slips = slip_cause(q), causes = slips + 1;
  const fb_tvlqr *law = &q->call->run.control.law->f;

  // per sample the time of the loss [s] or the final error, and the state concerned
  double *of = calloc((size_t)samples, sizeof *of);
  int *state = calloc((size_t)samples, sizeof *state);
  int lost = 0, diverge = 0, ends = 0;
  if (!of || !state) {
    free(of);
    free(state);
    return false;
  }

  // samples that left the plan; if there are none, all with a final error
  for (int i = 0; i < samples; i++) {
    const bool left = failed[i] && is_lost(q, &q->rows[i]);
    lost += left;
    diverge += left && does_diverge(&q->rows[i]);
  }
  for (int i = 0; i < samples; i++) {
    const fb_sample *row = &q->rows[i];
    if (!failed[i] || (lost > 0) != is_lost(q, row)) continue;
    state[ends] = find_cause(q, row, &of[ends]);
    if (lost) state[ends] = row->lost_state;
    if (lost) of[ends] = row->lost * law->h;
    ends++;
  }

  // the most frequent state, and the median time or error
  const int worst = find_most_frequent(state, ends, causes);
  if (!lost && worst >= 0) ends = keep_cause(of, state, ends, worst);
  qsort(of, (size_t)ends, sizeof *of, compare_losses);
  double median = of[(ends - 1) / 2];

  // entries of result.json
  const bool of_state = worst >= 0 && worst < states, of_limit = worst >= limits && worst < slips;
  const int coord = of_limit ? worst - limits : worst % n;
  cli_json_text(o, "coordinate", of_state || of_limit ? q->call->run.p->names.coord[coord] : NULL);
  if (worst >= states && worst < limits)
    cli_json_text(o, "output", q->call->run.p->verify.named[worst - states].name);
  if (of_limit) cli_json_text(o, "limit", "position");
  cli_json_int(o, "lost", lost);
  cli_json_int(o, "diverge", diverge);
  cli_json_int(o, "astray", q->nlost - lost);
  if (worst == slips) cli_json_text(o, "limit", "slip");
  const char *error = worst >= limits ? "passed_by" : "final_error";
  cli_json_number(o, lost ? "t" : error, median);

  char unit[32];
  const char *of_unit = find_unit(q, worst, unit);
  cli_json_text(o, "unit", lost ? "s" : of_unit + (of_unit[0] == ' '));
  say_cause(q, plant, lost, diverge, worst, median, why);
  free(of);
  free(state);
  return true;
}

// -- remedies

// number of tried samples that succeed with these settings; -1: unknown
static int try_again(const inquiry *q, const fb_tvlqr *f, const fb_plant *plant,
                     fb_monte_carlo_settings set) {
  // the same starts as the failed samples, each as a run with one sample
  int held = 0;
  set.samples = 1;
  for (int i = 0; i < q->ntried; i++) {
    fb_sample row;
    set.first = q->tried[i];
    // noise and start of a sample depend only on its number
    dm_status s =
        fb_monte_carlo_run(f, &q->call->run.p->task.system, plant, &set, &row, 0, NULL, NULL, NULL);
    if (s != DM_OK) return -1;
    held += row.succeeded;
  }
  return held;
}

static bool has_limits(const inquiry *q) {
  for (int i = 0; i < q->call->run.control.law->f.nu; i++)
    if (isfinite(q->g->u_min[i]) || isfinite(q->g->u_max[i])) return true;
  return false;
}

// whether the controller is the schedule at its knots, for any measurement, so that new weights
// change nothing else
static bool is_plain_schedule(const inquiry *q) {
  const pb_problem *p = q->call->run.p;
  return !p->verify.recedes && !isfinite(p->feedback.rate) && !p->feedback.delay &&
         !p->feedback.has_estimator && !p->feedback.second_variation && !q->g->noise;
}

// number of samples that succeed with gains for other weights, with the same rate and sensors
static int try_gains(const inquiry *q, const double *R, const double *integral) {
  const pb_run *run = &q->call->run;
  const pb_problem *p = run->p;
  pb_controller other = {0};
  dm_message msg;
  int failed, held = -1;

  // 1. gains for these weights, resampled at the controller's rate
  pb_weights at;
  fb_weights weights = pb_run_weights(run, p->rest ? run->x->N : run->rest.steps, &at);
  weights.R = R;
  weights.integral = integral;
  dm_status s = fb_tvlqr_new(&other.gains, run->x, &p->task.system, &weights, &failed, &msg);
  if (s == DM_OK) s = pb_controller_sample(&other, p, &msg);

  // 2. a controller in terms of measurements, with the same sensors
  if (s == DM_OK) s = pb_controller_measure(&other, p, &msg);
  if (s == DM_OK) {
    other.law->f.sensor = run->control.law->f.sensor;
    other.law->f.excursion = run->control.law->f.excursion;
    held = try_again(q, &other.law->f, &q->g->plant, q->g->set);
  }
  pb_controller_free(&other);
  return held;
}

// with R multiplied by a factor
static int try_weights(const inquiry *q, double times) {
  const size_t nu = (size_t)q->call->run.p->names.nu;
  double *R = calloc(nu, sizeof *R);
  if (!R) return -1;
  for (size_t i = 0; i < nu; i++) R[i] = times * q->call->run.p->feedback.R[i];
  const int held = try_gains(q, R, q->call->run.p->feedback.integral);
  free(R);
  return held;
}

// whether integral action can be added, and verify contains disturbances
static bool can_integrate(const inquiry *q) {
  const pb_feedback *set = &q->call->run.p->feedback;
  return !q->call->run.p->verify.recedes && q->g->noise && !set->integral && !set->delay &&
         !set->has_estimator && !set->second_variation &&
         q->call->run.control.law->f.by == &q->call->run.control.law->controller;
}

// With integral action on all coordinates with a motor. The weight is Q / t^2, so that an error
// vanishes in about t, for t equal to a tenth and a thirtieth of the motion. Returns the better
// count.
static int try_integral(inquiry *q) {
  static const double share[] = {1. / 10, 1. / 30};
  const cli_call *call = q->call;
  const dm_system *s = &call->run.p->task.system;
  int best = -1;
  if (!can_integrate(q) || s->nu == s->force.nu) return -1;
  double *w = calloc((size_t)call->run.p->names.n, sizeof *w);
  for (size_t t = 0; w && t < sizeof share / sizeof *share && best < q->ntried; t++) {
    const double time = share[t] * call->run.x->N * call->run.x->h;
    for (int j = 0; j < s->nu - s->force.nu; j++) {
      const int i = s->input_coord[j];
      const double Q = call->run.p->feedback.Q[i] > 0 ? call->run.p->feedback.Q[i] : 1;
      if (call->run.p->model->kind[i] != DM_QUATERNION) w[i] = Q / (time * time);
    }
    const int held = try_gains(q, call->run.p->feedback.R, w);
    if (held > best) {
      // the line of a problem file for integral weights w
      const size_t size = sizeof q->integral;
      snprintf(q->integral, size, "add feedback.integral: {");
      for (int i = 0, n = 0; i < q->call->run.p->names.n; i++) {
        const size_t used = strlen(q->integral);
        if (w[i] > 0)
          snprintf(q->integral + used, size - used, "%s%.64s: %.3g", n++ ? ", " : "",
                   q->call->run.p->names.coord[i], w[i]);
      }
      const size_t used = strlen(q->integral);
      snprintf(q->integral + used, size - used, "}");
    }
    best = held > best ? held : best;
  }
  free(w);
  return best;
}

// with unlimited inputs
static int try_unlimited(inquiry *q) {
  fb_monte_carlo_settings unlimited = q->g->set;
  fb_plant plant = q->g->plant;
  unlimited.u_min = unlimited.u_max = NULL;
  plant.u_min = plant.u_max = NULL;
  return has_limits(q) ? try_again(q, &q->call->run.control.law->f, &plant, unlimited) : -1;
}

// run the library's controller without one of its features, then with all again
static int try_law(const inquiry *q, bool envelope, bool rate_limits) {
  fb_output_feedback *law = q->call->run.control.law;
  if (law->f.by != &law->controller) return -1; // compiled: features cannot be removed
  if (fb_output_feedback_leave_out(law, envelope, rate_limits) != DM_OK) return -1;
  const int held = try_again(q, &law->f, &q->g->plant, q->g->set);
  (void)fb_output_feedback_leave_out(law, false, false);
  return held;
}

static int try_without_envelope(inquiry *q) {
  return q->call->run.p->feedback.has_envelope ? try_law(q, true, false) : -1;
}

static int try_without_rates(inquiry *q) {
  return q->call->run.p->feedback.rate_limit ? try_law(q, false, true) : -1;
}

// number of samples that violated only position limits
static int count_arrived(inquiry *q) {
  int arrived = 0, passed = 0;
  for (int i = 0; i < q->ntried; i++) {
    arrived += q->rows[q->tried[i]].arrived;
    passed += q->rows[q->tried[i]].passed >= 0;
  }
  return passed ? arrived : -1;
}

static int try_more_weight(inquiry *q) {
  return is_plain_schedule(q) ? try_weights(q, 10) : -1;
}

static int try_less_weight(inquiry *q) {
  return is_plain_schedule(q) ? try_weights(q, 0.1) : -1;
}

static int try_half_spread(inquiry *q) {
  if (q->g->set.from) return -1; // starts come from another phase

  // start within a fraction of the spread
  // the same starts, closer to the plan, because each is scaled by its spread
  const size_t n = (size_t)q->call->run.p->names.n;
  fb_monte_carlo_settings set = q->g->set;
  double *spread = calloc(2 * n, sizeof *spread);
  if (!spread) return -1;
  for (size_t i = 0; i < n; i++) {
    spread[i] = 0.5 * set.spread_q[i];
    spread[n + i] = 0.5 * set.spread_v[i];
  }
  set.spread_q = spread;
  set.spread_v = spread + n;
  int held = try_again(q, &q->call->run.control.law->f, &q->g->plant, set);
  free(spread);
  return held;
}

enum { MOST_AXES = 8 };

// set the axes of a list (terminated by FB_START) to a level; returns whether verify uses any of
// them
static bool set_axes(const inquiry *q, const fb_axis axes[MOST_AXES], double level) {
  bool there = false;
  for (int i = 0; i < MOST_AXES && axes[i] != FB_START; i++)
    there |= fb_mismatch_size(&q->call->run.p->verify.robust.set, axes[i]) > 0;
  for (int i = 0; q->g->noise && there && i < MOST_AXES && axes[i] != FB_START; i++)
    fb_mismatch_level(q->g->noise, axes[i], level, -1);
  return there && q->g->noise;
}

// without the disturbances on some axes of verify
static int try_without_axes(const inquiry *q, const fb_axis axes[MOST_AXES]) {
  // remove them, then restore all
  if (!set_axes(q, axes, 0)) return -1;
  const int held = try_again(q, &q->call->run.control.law->f, &q->g->plant, q->g->set);
  fb_mismatch_levels(q->g->noise, 1);
  return held;
}

// Remedies: a cause to remove or a setting to change, and the advice if that helps; causes first,
// weaker requirements last. `discrete` is not run again: its samples are known
typedef struct remedy {
  const char *key, *found, *advice;
  int (*try_it)(inquiry *q); // NULL: leave out these axes
  fb_axis axes[MOST_AXES];
} remedy;

static const remedy remedies[] = {
    {"without_limits",
     "without the limits of inputs",
     "plan with a margin (bounds.u below feedback.limits)",
     try_unlimited,
     {0}},
    {"without_position_limits",
     "without limits of positions",
     "plan with a margin (bounds.q), or verify with stops (verify.limits: stop)",
     count_arrived,
     {0}},
    {"without_rate_limit",
     "without feedback.rate_limit",
     "plan with a margin (bounds.rate below feedback.rate_limit)",
     try_without_rates,
     {0}},
    {"without_envelope",
     "without the envelope",
     "widen feedback.envelope, or envelope_cost",
     try_without_envelope,
     {0}},
    {"without_friction",
     "without friction",
     "the plan knows of none (verify.friction): try feedback.integral, or "
     "estimator.disturbance",
     NULL,
     {FB_FRICTION}},
    {"without_errors",
     "without errors of the model",
     "measure the robot better (verify.errors), or correct them (feedback.integral)",
     NULL,
     {FB_MASS, FB_INERTIA, FB_LENGTH, FB_DAMPING, FB_PART, FB_GROUND, FB_GRIP, FB_FIT}},
    {"without_noise",
     "without noise of what is measured",
     "take a filter (feedback.estimator), or a larger feedback.R",
     NULL,
     {FB_MEASURED_Q, FB_MEASURED_V}},
    {"without_encoders",
     "with encoders that show all",
     "take finer encoders (verify.encoders), or a filter (feedback.estimator)",
     NULL,
     {FB_QUANTIZED, FB_READINGS}},
    {"without_torque_noise",
     "without noise of inputs",
     "take quieter motors (verify.noise.torque)",
     NULL,
     {FB_TORQUE}},
    {"without_delay",
     "without the delay",
     "measure sooner (verify.delay), or design for it (feedback.delay)",
     NULL,
     {FB_DELAY}},
    {"without_actuators",
     "with motors that do as they are told",
     "take faster motors (verify.actuators), or larger feedback.R",
     NULL,
     {FB_RESPONSE, FB_LAG}},
    {"without_pushes", "without pushes", "verify smaller ones (verify.pushes)", NULL, {FB_PUSHES}},
    {"without_calls",
     "with all calls on time",
     "call it more often, and on time (verify.calls)",
     NULL,
     {FB_MISSING, FB_LATE, FB_OFF}},
    {"discrete", "on the discrete plant", "take more steps", NULL, {0}},
    {"with_integral", "with integrals of errors", "", try_integral, {0}},
    {"R_times_10", "with feedback.R 10 times larger", "increase feedback.R", try_more_weight, {0}},
    {"R_over_10", "with feedback.R 10 times smaller", "decrease feedback.R", try_less_weight, {0}},
    {"half_spread",
     "from half the spread",
     "verify smaller start errors (verify.spread)",
     try_half_spread,
     {0}}};

enum { REMEDIES = sizeof remedies / sizeof *remedies };

// number of successes with each remedy; -1: not tried, or unknown
static void try_remedies(inquiry *q, int before, int held[REMEDIES]) {
  for (int i = 0; i < REMEDIES; i++) {
    const remedy *r = &remedies[i];
    if (r->try_it)
      held[i] = r->try_it(q);
    else
      held[i] = r->axes[0] == FB_START ? before : try_without_axes(q, r->axes);
  }
}

// two causes removed together
typedef struct pair {
  int first, second, held; // held < 0: no pair was tried
} pair;

// whether a remedy leaves out axes of verify
static bool is_axes(int row) {
  return !remedies[row].try_it && remedies[row].axes[0] != FB_START;
}

// The pair of causes whose removal helps most: axes of verify, paired with each other or with a
// limit of the controller. held: successes of each alone, -1 if not available.
static pair try_pairs(inquiry *q, const int held[REMEDIES]) {
  static int (*const limits[])(inquiry *) = {try_unlimited, try_without_rates,
                                             try_without_envelope};
  pair best = {-1, -1, -1};
  for (int i = 0; i < REMEDIES; i++) {
    for (int j = 0; is_axes(i) && held[i] >= 0 && j < REMEDIES; j++) {
      bool limit = false;
      for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        limit |= remedies[j].try_it == limits[k];
      if (held[j] < 0 || !(limit || (is_axes(j) && j > i))) continue;
      set_axes(q, remedies[i].axes, 0);
      if (!limit) set_axes(q, remedies[j].axes, 0);
      const int both = limit ? remedies[j].try_it(q)
                             : try_again(q, &q->call->run.control.law->f, &q->g->plant, q->g->set);
      fb_mismatch_levels(q->g->noise, 1);
      if (both > best.held) best = (pair){i, j, both};
    }
  }
  return best;
}

// The advice if wheels slide, since more steps do not help; NULL if no wheel slides.
static const char *find_grip_advice(const inquiry *q) {
  if (!q->g->set.slip) return NULL;
  return isfinite(q->g->set.slip_limit)
             ? "raise verify.slip.friction or slip.limit, or move more slowly"
             : "raise verify.slip.friction, or move more slowly";
}

// the advice of a remedy
static const char *find_advice(const inquiry *q, int row) {
  const char *grip = strcmp(remedies[row].key, "discrete") ? NULL : find_grip_advice(q);
  if (grip) return grip;
  return remedies[row].try_it == try_integral ? q->integral : remedies[row].advice;
}

// try pairs of causes if no single cause helps half of the samples
static bool say_pair(inquiry *q, const int held[REMEDIES], cli_json *o, char why[CLI_WHY]) {
  // whether half of the samples succeed without one cause
  for (int i = 0; i < REMEDIES && strcmp(remedies[i].key, "discrete") != 0; i++)
    if (2 * held[i] >= q->ntried) return false;
  const pair best = try_pairs(q, held);
  if (best.held < 0) return false;
  const remedy *a = &remedies[best.first], *b = &remedies[best.second];
  cli_json *both = cli_json_object(o, "pair");
  cli_json_text(both, "first", a->key);
  cli_json_text(both, "second", b->key);
  cli_json_int(both, "held", best.held);
  if (2 * best.held < q->ntried) return false;
  add_sentence(why, "; %s and %s together %d of %d of them succeed", a->found, b->found, best.held,
               q->ntried);
  return true;
}

// the best two of the remedies that help at least half of the samples
static void say_remedies(inquiry *q, int held[REMEDIES], cli_json *o, char why[CLI_WHY]) {
  // all results, for result.json
  for (int i = 0; i < REMEDIES; i++)
    if (held[i] >= 0) cli_json_int(o, remedies[i].key, held[i]);
  bool said = say_pair(q, held, o, why);

  // the best, then the second best
  for (int times = 0; times < 2; times++) {
    int best = -1;
    for (int i = 0; i < REMEDIES; i++)
      if (2 * held[i] >= q->ntried && (best < 0 || held[i] > held[best])) best = i;
    if (best < 0) break;
    add_sentence(why, "; %s %d of %d of them succeed: %s", remedies[best].found, held[best],
                 q->ntried, find_advice(q, best));
    held[best] = -1;
    said = true;
  }

  // no remedy helps half of the samples
  const char *grip = find_grip_advice(q);
  if (!said)
    add_sentence(why,
                 "; no cause that was tried (`lost` in result.json) explains it, alone or in "
                 "pairs: %s, or other weights (feedback.Q)",
                 grip ? grip : "try more steps");

  // fitted damping changes the motion of the map, but not of the plant
  if (q->call->run.p->fit.now->count)
    add_sentence(why, "; joints whose damping decays within a step move otherwise on a plant: "
                      "take shorter steps, or give them an armature (model.armature)");
}

void cli_explain_loss(cli_call *call, const char *plant, const fb_bench *g, const fb_sample *rows,
                      const bool *ran, const bool *held, cli_json *o, char why[CLI_WHY]) {
  const int samples = call->run.p->verify.samples;
  inquiry q = {.call = call, .g = g, .rows = rows};
  int before = 0;
  bool *failed = calloc((size_t)samples, sizeof *failed);
  why[0] = 0;
  if (!failed) return;

  // failed samples; among the first ten, those that succeeded on previous plants
  for (int i = 0; i < samples; i++) {
    failed[i] = ran[i] && !rows[i].succeeded;
    if (!failed[i]) continue;
    q.nlost++;
    if (q.ntried == TRIED) continue;
    before += held[i];
    q.tried[q.ntried++] = i;
  }

  // describe where samples fail, then try remedies on the first ten
  cli_json *out = cli_json_object(o, "lost");
  if (q.ntried && say_where(&q, failed, plant, out, why)) {
    int list[REMEDIES];
    cli_json_int(out, "tried", q.ntried);
    const bool had_discrete = strcmp(plant, "discrete") && !call->run.p->task.system.contacts;
    try_remedies(&q, had_discrete ? before : -1, list);
    say_remedies(&q, list, out, why);
  }
  free(failed);
}

#include "cli/stages/lost.h"

#include "control/feedback/tvlqr.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// samples that are tried again, at most
enum { TRIED = 10 };

typedef struct inquiry {
  cli_job *job;
  const fb_bench *g;
  const fb_sample *rows;
  int tried[TRIED], ntried; // samples that did not hold
  int nlost;                // all of them
} inquiry;

// -- where they are lost

static int compare_losses(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// the state that most of them have; -1: none has one
static int find_most_frequent(const int *state, int n, int states) {
  // of each state how often it occurs; the first of several as frequent wins
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

static void name_state(const cli_job *job, int state, char name[96]) {
  const int n = job->names.n;
  if (state < 0)
    snprintf(name, 96, "a start that violates the constraints");
  else
    snprintf(name, 96, "%s'%.64s'", state < n ? "" : "the speed of ", job->names.coord[state % n]);
}

__attribute__((format(printf, 2, 3))) static void add_sentence(char why[CLI_WHY],
                                                               const char *format, ...) {
  size_t used = strlen(why);
  va_list list;
  va_start(list, format);
  vsnprintf(why + used, CLI_WHY - used, format, list);
  va_end(list);
}

// whether a sample that failed left the plan, and did not come back
static bool is_lost(const inquiry *q, const fb_sample *row) {
  const double error = row->final_error;
  return row->lost >= 0 && (isinf(error) || !(error <= q->job->p->verify.tolerance));
}

// the causes behind all states: outputs, and behind these limits of positions, by coordinate
static int first_output(const inquiry *q) {
  return 2 * q->job->names.n;
}

static int first_limit(const inquiry *q) {
  return first_output(q) + q->job->p->verify.outputs.count;
}

// why a sample fails that comes back: what it is most off by at its end, a state, or, where that is
// within the tolerance, the output of the largest share; or the limit that it passed on the way
static int find_cause(const inquiry *q, const fb_sample *row, double *error) {
  *error = row->passed_by;
  if (row->arrived && row->passed >= 0) return first_limit(q) + row->passed;
  const bool of_state = row->output < 0 || row->final_error > q->job->p->verify.tolerance;
  *error = of_state ? row->final_error : row->output_error;
  return of_state ? row->worst_state : first_output(q) + row->output;
}

// of n samples only those of one cause, since others have another unit; how many these are
static int keep_cause(double *of, const int *state, int n, int cause) {
  int kept = 0;
  for (int i = 0; i < n; i++)
    if (state[i] == cause) of[kept++] = of[i];
  return kept;
}

// the cause as a sentence, with the time of the loss or the size of the error
static void say_cause(const inquiry *q, const char *plant, int lost, int cause, double median,
                      char why[CLI_WHY]) {
  const fb_tvlqr *law = &q->job->law->f;
  char name[96];
  if (cause >= first_limit(q)) {
    add_sentence(
        why,
        "on the %s plant none diverges, but they pass a limit of position, most often that "
        "of '%.64s', by %.3g (median)",
        plant, q->job->names.coord[cause - first_limit(q)], median);
    return;
  }
  if (cause >= first_output(q)) {
    const pb_output_tolerance *of = &q->job->p->verify.named[cause - first_output(q)];
    add_sentence(why,
                 "on the %s plant none diverges, but they are off, most often in the output "
                 "'%.64s' %s, by %.3g (median)",
                 plant, of->name, pb_output_when_texts[of->when], median);
    return;
  }
  name_state(q->job, cause, name);
  if (lost)
    add_sentence(why, "on the %s plant %d diverge, most often in %s, at %.3g s (median)", plant,
                 lost, name, median);
  else
    add_sentence(why,
                 "on the %s plant none diverges, but at the end, %.3g s, they are off, most often "
                 "in %s, by %.3g (median)",
                 plant, law->N * law->h, name, median);
}

// the medians of those that are lost on the way; of the others, of what they end off by
static bool say_where(const inquiry *q, const bool *failed, const char *plant, cli_json *o,
                      char why[CLI_WHY]) {
  const int samples = q->job->p->verify.samples;
  const int n = q->job->names.n, states = 2 * n, limits = first_limit(q), causes = limits + n;
  const fb_tvlqr *law = &q->job->law->f;

  // of each: the time of the loss s, or the final error; and the state it happened to
  double *of = calloc((size_t)samples, sizeof *of);
  int *state = calloc((size_t)samples, sizeof *state);
  int lost = 0, ends = 0;
  if (!of || !state) {
    free(of);
    free(state);
    return false;
  }

  // those that left the plan on the way; where there are none, all that end off it
  for (int i = 0; i < samples; i++) lost += failed[i] && is_lost(q, &q->rows[i]);
  for (int i = 0; i < samples; i++) {
    const fb_sample *row = &q->rows[i];
    if (!failed[i] || (lost > 0) != is_lost(q, row)) continue;
    state[ends] = find_cause(q, row, &of[ends]);
    if (lost) state[ends] = row->lost_state;
    if (lost) of[ends] = row->lost * law->h;
    ends++;
  }

  // the state that most of them share, and the median time or error
  const int worst = find_most_frequent(state, ends, causes);
  if (worst >= states) ends = keep_cause(of, state, ends, worst);
  qsort(of, (size_t)ends, sizeof *of, compare_losses);
  double median = of[(ends - 1) / 2];

  // of result.json
  const bool of_state = worst >= 0 && worst < states, of_limit = worst >= limits;
  const int coord = of_limit ? worst - limits : worst % n;
  cli_json_text(o, "coordinate", of_state || of_limit ? q->job->names.coord[coord] : NULL);
  if (worst >= states && !of_limit)
    cli_json_text(o, "output", q->job->p->verify.named[worst - states].name);
  if (of_limit) cli_json_text(o, "limit", "position");
  cli_json_int(o, "lost", lost);
  cli_json_int(o, "astray", q->nlost - lost);
  const char *error = of_limit ? "passed_by" : "final_error";
  cli_json_number(o, lost ? "t" : error, median);

  say_cause(q, plant, lost, worst, median, why);
  free(of);
  free(state);
  return true;
}

// -- what helps

// how many of the tried samples hold under these settings; -1: it cannot be told
static int try_again(const inquiry *q, const fb_tvlqr *f, const fb_plant *plant,
                     fb_monte_carlo_settings set) {
  // the very starts that were lost, each a run of one sample
  int held = 0;
  set.samples = 1;
  for (int i = 0; i < q->ntried; i++) {
    fb_sample row;
    set.first = q->tried[i];
    // noise and start of a sample follow from its number alone
    dm_status s =
        fb_monte_carlo_run(f, &q->job->task->system, plant, &set, &row, 0, NULL, NULL, NULL);
    if (s != DM_OK) return -1;
    held += row.succeeded;
  }
  return held;
}

static bool has_limits(const inquiry *q) {
  for (int i = 0; i < q->job->law->f.nu; i++)
    if (isfinite(q->g->u_min[i]) || isfinite(q->g->u_max[i])) return true;
  return false;
}

// from so much of the spread
static int try_spread(const inquiry *q, double times) {
  // the same starts nearer to the plan: each is drawn within its spread
  const size_t n = (size_t)q->job->names.n;
  fb_monte_carlo_settings set = q->g->set;
  double *spread = calloc(2 * n, sizeof *spread);
  if (!spread) return -1;
  for (size_t i = 0; i < n; i++) {
    spread[i] = times * set.spread_q[i];
    spread[n + i] = times * set.spread_v[i];
  }
  set.spread_q = spread;
  set.spread_v = spread + n;
  int held = try_again(q, &q->job->law->f, &q->g->plant, set);
  free(spread);
  return held;
}

// whether the law that runs is that of the schedule at its knots, in whatever is measured: one that
// other weights change and nothing else
static bool is_plain_schedule(const inquiry *q) {
  const pb_problem *p = q->job->p;
  return !isfinite(p->feedback.rate) && !p->feedback.delay && !p->feedback.has_estimator &&
         !p->feedback.second_variation && !q->g->noise;
}

// under gains that weigh inputs so many times as much
static int try_weights(const inquiry *q, double times) {
  const cli_job *job = q->job;
  const pb_problem *p = job->p;
  const size_t nu = (size_t)job->names.nu;

  // R' = times R, all else as the problem says
  double *R = calloc(nu, sizeof *R);
  fb_tvlqr *f = NULL;
  dm_message msg;
  int failed, held = -1;
  for (size_t i = 0; R && i < nu; i++) R[i] = times * p->feedback.R[i];

  // the gains anew along the same motion
  cli_weights at;
  fb_weights weights = cli_weights_of(job, p->rest ? job->x->N : job->rest_steps, &at);
  weights.R = R;
  bool made = R && fb_tvlqr_new(&f, job->x, &job->task->system, &weights, &failed, &msg) == DM_OK;

  // in what is measured
  fb_output_feedback *law = NULL;
  if (made) cli_set_law(f, p);
  if (made && fb_output_feedback_new(&law, f, &job->task->system, p->feedback.measure,
                                     p->feedback.exact, &msg) == DM_OK)
    held = try_again(q, &law->f, &q->g->plant, q->g->set);
  fb_output_feedback_free(law);
  fb_tvlqr_free(f);
  free(R);
  return held;
}

// the same with inputs that may be of any size
static int try_unlimited(const inquiry *q) {
  fb_monte_carlo_settings unlimited = q->g->set;
  fb_plant plant = q->g->plant;
  unlimited.u_min = unlimited.u_max = NULL;
  plant.u_min = plant.u_max = NULL;
  return has_limits(q) ? try_again(q, &q->job->law->f, &plant, unlimited) : -1;
}

// the law of the library, without what `without` takes off it, and then as it was
static int try_law(const inquiry *q, void (*without)(fb_tvlqr *f)) {
  fb_tvlqr *f = &q->job->law->f, as_it_is = *f;
  if (f->by != &q->job->law->controller) return -1; // compiled, of which nothing can be taken
  without(f);
  const int held = try_again(q, f, &q->g->plant, q->g->set);
  f->envelope = as_it_is.envelope;
  f->excursion = as_it_is.excursion;
  f->rate_limit = as_it_is.rate_limit;
  return held;
}

static void leave_envelope_out(fb_tvlqr *f) {
  f->envelope = NULL;
  f->excursion = NULL;
}

static void leave_rates_out(fb_tvlqr *f) {
  f->rate_limit = NULL;
}

static int try_without_envelope(const inquiry *q) {
  return q->job->p->feedback.has_envelope ? try_law(q, leave_envelope_out) : -1;
}

static int try_without_rates(const inquiry *q) {
  return q->job->p->feedback.rate_limit ? try_law(q, leave_rates_out) : -1;
}

// those that did all but keep to the limits of positions
static int count_arrived(const inquiry *q) {
  int arrived = 0, passed = 0;
  for (int i = 0; i < q->ntried; i++) {
    arrived += q->rows[q->tried[i]].arrived;
    passed += q->rows[q->tried[i]].passed >= 0;
  }
  return passed ? arrived : -1;
}

static int try_more_weight(const inquiry *q) {
  return is_plain_schedule(q) ? try_weights(q, 10) : -1;
}

static int try_less_weight(const inquiry *q) {
  return is_plain_schedule(q) ? try_weights(q, 0.1) : -1;
}

static int try_half_spread(const inquiry *q) {
  if (q->g->set.from) return -1; // starts are what another phase ended with
  return try_spread(q, 0.5);
}

enum { MOST_AXES = 4 };

// without what verify sets against the law on some axes, ended by FB_START
static int try_without_axes(const inquiry *q, const fb_axis axes[MOST_AXES]) {
  bool there = false;
  for (int i = 0; i < MOST_AXES && axes[i] != FB_START; i++)
    there |= fb_mismatch_size(&q->job->p->verify.robust.set, axes[i]) > 0;
  if (!there || !q->g->noise) return -1;

  // no such thing, then all of it again
  for (int i = 0; i < MOST_AXES && axes[i] != FB_START; i++)
    fb_mismatch_level(q->g->noise, axes[i], 0, -1);
  const int held = try_again(q, &q->job->law->f, &q->g->plant, q->g->set);
  fb_mismatch_levels(q->g->noise, 1);
  return held;
}

// what is left out or changed, and what to do where that helps; causes first, and last what asks for
// less. `discrete` is not tried again: it is what held there
typedef struct remedy {
  const char *key, *found, *advice;
  int (*try_it)(const inquiry *q); // NULL: these axes are left out
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
     {FB_MASS, FB_INERTIA, FB_LENGTH, FB_DAMPING}},
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
    {"R_times_10", "with feedback.R 10 times larger", "increase feedback.R", try_more_weight, {0}},
    {"R_over_10", "with feedback.R 10 times smaller", "decrease feedback.R", try_less_weight, {0}},
    {"half_spread",
     "from half the spread",
     "verify smaller start errors (verify.spread)",
     try_half_spread,
     {0}}};

enum { REMEDIES = sizeof remedies / sizeof *remedies };

// how many held under each; -1: not tried, or not to be told
static void try_remedies(const inquiry *q, int before, int held[REMEDIES]) {
  for (int i = 0; i < REMEDIES; i++) {
    const remedy *r = &remedies[i];
    if (r->try_it)
      held[i] = r->try_it(q);
    else
      held[i] = r->axes[0] == FB_START ? before : try_without_axes(q, r->axes);
  }
}

// the best two of what helps half of them at least
static void say_remedies(const inquiry *q, int held[REMEDIES], cli_json *o, char why[CLI_WHY]) {
  // all that was tried, of result.json
  bool said = false;
  for (int i = 0; i < REMEDIES; i++)
    if (held[i] >= 0) cli_json_int(o, remedies[i].key, held[i]);

  // the best first, the second best after it
  for (int times = 0; times < 2; times++) {
    int best = -1;
    for (int i = 0; i < REMEDIES; i++)
      if (2 * held[i] >= q->ntried && (best < 0 || held[i] > held[best])) best = i;
    if (best < 0) break;
    add_sentence(why, "; %s %d of %d of them succeed: %s", remedies[best].found, held[best],
                 q->ntried, remedies[best].advice);
    held[best] = -1;
    said = true;
  }

  // nothing alone helps half of them
  if (!said)
    add_sentence(why,
                 "; none of what was tried (`lost` in result.json) is the cause alone: try more "
                 "steps, or other weights (feedback.Q)");

  // fitted damping changes how the map moves, not the plant
  if (q->job->p->fitted->count)
    add_sentence(why, "; joints whose damping is over within a step move otherwise on a plant: "
                      "take shorter steps, or give them an armature (model.armature)");
}

void cli_explain_loss(cli_job *job, const char *plant, const fb_bench *g, const fb_sample *rows,
                      const bool *ran, const bool *held, cli_json *o, char why[CLI_WHY]) {
  const int samples = job->p->verify.samples;
  inquiry q = {.job = job, .g = g, .rows = rows};
  int before = 0;
  bool *failed = calloc((size_t)samples, sizeof *failed);
  why[0] = 0;
  if (!failed) return;

  // those that did not hold, and of the first of them those that did elsewhere
  for (int i = 0; i < samples; i++) {
    failed[i] = ran[i] && !rows[i].succeeded;
    if (!failed[i]) continue;
    q.nlost++;
    if (q.ntried == TRIED) continue;
    before += held[i];
    q.tried[q.ntried++] = i;
  }

  // where they are lost, then what helps, tried on the first ten
  cli_json *out = cli_json_object(o, "lost");
  if (q.ntried && say_where(&q, failed, plant, out, why)) {
    int list[REMEDIES];
    cli_json_int(out, "tried", q.ntried);
    try_remedies(&q, strcmp(plant, "discrete") ? before : -1, list);
    say_remedies(&q, list, out, why);
  }
  free(failed);
}

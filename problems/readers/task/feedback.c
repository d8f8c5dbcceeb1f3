#include "problems/readers/task/feedback.h"

#include "problems/readers/task/estimator.h"
#include "problems/readers/task/robustness.h"

#include <math.h>
#include <string.h>

typedef struct state_weights {
  const double *q, *p;
} state_weights;

static const pb_key Q_keys[] = {
    PB_KEY(state_weights, q, .type = PB_EACH_COORD, .unit = "per m2 or rad2", .range = ">= 0",
           .absent = "1", .rest = "0"),
    PB_KEY(state_weights, p, .type = PB_EACH_COORD, .unit = "per (N s)2 or (N m s)2",
           .range = ">= 0", .absent = "1", .rest = "0"),
    {0}};

typedef struct feedback_section {
  const double *R;
  const pb_node *Q, *Qf, *estimator;
  const char *measure, *momentum, *between;
  double hold, rate;
  int delay;
} feedback_section;

const pb_key pb_feedback_keys[] = {
    PB_KEY(feedback_section, Q, .type = PB_NODE, .words = "section, or second-variation",
           .sub = Q_keys),
    PB_KEY(feedback_section, R, .type = PB_EACH_INPUT, .unit = "per N2 or (N m)2", .range = "> 0",
           .absent = "1", .rest = "1"),
    PB_KEY(feedback_section, Qf, .type = PB_NODE, .note = "riccati",
           .words = "riccati, or a section", .sub = Q_keys),
    PB_KEY(feedback_section, hold, .type = PB_NUMBER, .unit = "s", .range = "[0, 1e4]",
           .absent = "0"),
    PB_KEY(feedback_section, measure, .type = PB_WORD,
           .note = "velocity; beside an estimator state", .words = "state velocity positions"),
    PB_KEY(feedback_section, momentum, .type = PB_WORD, .absent = "linear",
           .words = "linear exact"),
    PB_KEY(feedback_section, rate, .type = PB_NUMBER, .unit = "Hz", .range = "> 0",
           .absent = "none", .words = "none"),
    PB_KEY(feedback_section, between, .type = PB_WORD, .absent = "hold",
           .words = "hold interpolate"),
    PB_KEY(feedback_section, delay, .type = PB_INTEGER, .range = "[0, 1]", .absent = "0"),
    PB_KEY(feedback_section, estimator, .type = PB_NODE, .words = "section",
           .sub = pb_estimator_keys),
    {0}};

static const pb_key spread_keys[] = {PB_KEY(pb_end, q, .type = PB_EACH_COORD, .unit = "m or rad",
                                            .range = ">= 0", .absent = "0.05", .rest = "0"),
                                     PB_KEY(pb_end, v, .type = PB_EACH_COORD,
                                            .unit = "m/s or rad/s", .range = ">= 0",
                                            .absent = "0.1", .rest = "0"),
                                     {0}};

static const pb_key scale_keys[] = {PB_KEY(pb_end, q, .type = PB_EACH_COORD, .unit = "m or rad",
                                           .range = "> 0", .absent = "1", .rest = "1"),
                                    PB_KEY(pb_end, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s",
                                           .range = "> 0", .absent = "1", .rest = "1"),
                                    {0}};

typedef struct verify_start {
  const double *q, *v;
  int hold;
} verify_start;

static const pb_key verify_start_keys[] = {
    PB_KEY(verify_start, q, .type = PB_EACH_COORD, .unit = "m or rad", .absent = "0"),
    PB_KEY(verify_start, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .absent = "0"),
    PB_KEY(verify_start, hold, .type = PB_INTEGER, .range = ">= 0", .absent = "0"),
    {0}};

typedef struct verify_section {
  int samples, seed;
  pb_end spread, scale;
  verify_start start;
  double tolerance, required;
  pb_robustness_section robust;
} verify_section;

#define ROBUST(member, ...)                                                                        \
  { .key = #member, .at = offsetof(verify_section, robust.member), __VA_ARGS__ }

const pb_key pb_verify_keys[] = {
    PB_KEY(verify_section, samples, .type = PB_INTEGER, .range = "[1, 1e7]", .absent = "100"),
    PB_KEY(verify_section, seed, .type = PB_INTEGER, .range = ">= 0", .absent = "1"),
    PB_KEY(verify_section, spread, .type = PB_SECTION, .sub = spread_keys),
    PB_KEY(verify_section, tolerance, .type = PB_NUMBER, .range = "> 0", .absent = "0.1"),
    PB_KEY(verify_section, scale, .type = PB_SECTION, .sub = scale_keys),
    PB_KEY(verify_section, required, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0.9"),
    PB_KEY(verify_section, start, .type = PB_SECTION, .sub = verify_start_keys),
    ROBUST(errors, .type = PB_SECTION, .sub = pb_errors_keys),
    ROBUST(noise, .type = PB_SECTION, .sub = pb_noise_keys),
    ROBUST(limit, .type = PB_NUMBER, .range = "> 0", .absent = "none", .words = "none"),
    ROBUST(delay, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "0"),
    ROBUST(plants, .type = PB_WORD, .absent = "own", .words = "own all"),
    ROBUST(sweep, .type = PB_NODE, .words = "section", .sub = pb_sweep_keys),
    ROBUST(region, .type = PB_NODE, .words = "section", .sub = pb_region_keys),
    {0}};
#undef ROBUST

// a and b, one after the other
static dm_status join(const pb_reader *r, int n, const double *a, const double *b, double **out) {
  PB_NEW(r->arena, *out, 2 * n);
  memcpy(*out, a, (size_t)n * sizeof *a);
  memcpy(*out + n, b, (size_t)n * sizeof *b);
  return DM_OK;
}

static dm_status copy(const pb_reader *r, int n, const double *a, double **out) {
  PB_NEW(r->arena, *out, n);
  memcpy(*out, a, (size_t)n * sizeof *a);
  return DM_OK;
}

// what robots measure, where nothing is said: (q, v); a filter estimates the state
static const char *default_measure(const feedback_section *s) {
  return fb_form_names[s->estimator ? FB_STATE : FB_VELOCITY];
}

// what the controller is given, and when
static dm_status read_controller(const pb_reader *r, const pb_node *node, const feedback_section *s,
                                 pb_problem *p) {
  const dm_system *system = &p->task.system;
  const pb_node *rate = pb_node_get(node, "rate");
  const char *measure = s->measure ? s->measure : default_measure(s);
  while (strcmp(fb_form_names[p->measure], measure)) p->measure++;
  p->exact = !strcmp(s->momentum, "exact");
  p->rate = s->rate;
  p->between = !strcmp(s->between, "interpolate");
  p->delay = s->delay;
  if (s->estimator && p->measure != FB_STATE)
    return pb_refuse_node(
        r, s->estimator,
        "feedback.estimator: found measure: %s beside it, expected state, which it "
        "estimates",
        measure);
  if (!isfinite(s->rate)) return DM_OK;
  if (system->hol.nc || system->nk)
    return pb_refuse_node(r, rate,
                          "feedback.rate: found %s beside it, whose motion between knots "
                          "is not known",
                          system->hol.nc ? "constraints" : "kinematic coordinates");
  return DM_OK;
}

// Q, or that it is the optimum's own
static dm_status read_Q(const pb_reader *r, const pb_node *node, const feedback_section *s,
                        pb_problem *p) {
  state_weights Q = {0};
  p->second_variation = s->Q && s->Q->kind == PB_SCALAR;
  if (p->second_variation) {
    if (strcmp(s->Q->text, "second-variation"))
      return pb_refuse_node(
          r, s->Q,
          "feedback.Q: found '%.40s', expected a mapping {q: ..., p: ...}, or second-variation",
          s->Q->text);
    if (!p->has_task || p->second)
      return pb_refuse_node(r, s->Q, "feedback.Q: found second-variation %s, expected weights",
                            p->second ? "beside a transcription of second order"
                                      : "without 'horizon'");
    const pb_node *R = pb_node_get(node, "R");
    if (R)
      return pb_refuse_key(r, R,
                           "feedback.R: found one beside 'Q: second-variation', expected none: "
                           "the cost has its own");
    if (s->delay)
      return pb_refuse_node(
          r, pb_node_get(node, "delay"),
          "feedback.delay: found one beside 'Q: second-variation', expected none");
    if (s->hold > 0)
      return pb_refuse_node(
          r, pb_node_get(node, "hold"),
          "feedback.hold: found one beside 'Q: second-variation', expected weights or none");
    if (s->Qf && s->Qf->kind == PB_SCALAR)
      return pb_refuse_node(r, s->Qf,
                            "feedback.Qf: found '%s' beside 'Q: second-variation', expected "
                            "weights, or none: the goal is met",
                            s->Qf->text);
  }
  DM_TRY(pb_schema_read(r, "feedback.Q", p->second_variation ? NULL : s->Q, Q_keys, &Q));
  return join(r, r->n, Q.q, Q.p, &p->Q);
}

dm_status pb_feedback_read(const pb_reader *r, const pb_node *node, pb_problem *p) {
  static const char *const words[] = {"riccati"};
  feedback_section s = {0};
  state_weights f = {0};
  pb_reader all = *r; // one number is for kinematic coordinates, too
  int word;
  p->has_feedback = node != NULL;
  if (!node) return DM_OK;
  all.nf = all.nu;
  DM_TRY(pb_schema_read(&all, "feedback", node, pb_feedback_keys, &s));
  if (all.nu == 0)
    return pb_refuse_key(r, node, "feedback: found no input for it to act on, expected one");
  DM_TRY(read_Q(r, node, &s, p));
  DM_TRY(copy(r, all.nu, s.R, &p->R));
  p->hold = s.hold;
  if (p->hold > 0 && p->rest)
    return pb_refuse_node(r, pb_node_get(node, "hold"),
                          "feedback.hold: found one beside 'balance', which is kept as long as its "
                          "time says");
  if (p->hold > 0 && s.Qf && s.Qf->kind != PB_SCALAR)
    return pb_refuse_node(r, s.Qf, "feedback.Qf: found weights beside 'hold', expected riccati");
  DM_TRY(read_controller(r, node, &s, p));
  DM_TRY(pb_estimator_read(r, s.estimator, p));
  if (!s.Qf) return DM_OK;
  if (s.Qf->kind == PB_SCALAR)
    return pb_schema_name(r, "feedback.Qf", s.Qf, "word", words, 1, &word);
  DM_TRY(pb_schema_read(r, "feedback.Qf", s.Qf, Q_keys, &f));
  return join(r, r->n, f.q, f.p, &p->Qf);
}

dm_status pb_verify_read(const pb_reader *r, const pb_node *node, pb_problem *p) {
  verify_section s = {0};
  p->has_verify = node != NULL;
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "verify", node, pb_verify_keys, &s));
  if (!p->has_feedback)
    return pb_refuse_key(r, node, "found 'verify' but no 'feedback', expected both");
  p->samples = s.samples;
  p->seed = p->sensors.seed = (unsigned long long)s.seed;
  p->tolerance = s.tolerance;
  p->required = s.required;
  p->has_start = pb_node_get(node, "start") != NULL;
  p->start_hold = s.start.hold;
  DM_TRY(copy(r, r->n, s.start.q, &p->start_q));
  DM_TRY(copy(r, r->n, s.start.v, &p->start_v));
  DM_TRY(copy(r, r->n, s.spread.q, &p->spread_q));
  DM_TRY(copy(r, r->n, s.spread.v, &p->spread_v));
  DM_TRY(pb_robustness_read(r, node, &s.robust, p));
  return join(r, r->n, s.scale.q, s.scale.v, &p->scale);
}

#include "problems/readers/task/read_verification.h"

#include "control/loop/monte_carlo.h"
#include "control/loop/mujoco.h"
#include "control/loop/position_limits.h"
#include "lib/base/names.h"
#include "problems/readers/model/clock.h"
#include "problems/readers/model/contacts.h"
#include "problems/readers/model/output_names.h"
#include "problems/readers/task/read_criteria.h"
#include "problems/readers/task/read_robustness.h"
#include "problems/readers/task/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_WORD(name, key, word, text, last) word,
#define NAME_TEXT(name, key, word, text, last) text,
const char *const pb_output_when_words[PB_OUTPUT_WHENS] = {PB_OUTPUT_WHEN(NAME_WORD)};
const char *const pb_output_when_texts[PB_OUTPUT_WHENS] = {PB_OUTPUT_WHEN(NAME_TEXT)};
#undef NAME_WORD
#undef NAME_TEXT

typedef struct spread_section {
  const double *q, *v;
} spread_section;

static const pb_key spread_keys[] = {
    PB_KEY(spread_section, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = ">= 0",
           .absent = "0.05", .rest = "0", .about = "Position"),
    PB_KEY(spread_section, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = ">= 0",
           .absent = "0.1", .rest = "0", .about = "Velocity"),
    {0}};

static const pb_key scale_keys[] = {
    PB_KEY(spread_section, q, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "1", .rest = "1", .about = "Position"),
    PB_KEY(spread_section, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = "> 0",
           .absent = "1", .rest = "1", .about = "Velocity"),
    {0}};

typedef struct tolerance_section {
  double state;
  const pb_node *outputs, *along, *hold;
} tolerance_section;

#define OF_OUTPUTS(member, meaning)                                                                \
  PB_KEY(tolerance_section, member, .type = PB_NODE, .unit = "the row's", .note = "none",          \
         .words = "number > 0 by output", .about = meaning)
static const pb_key tolerance_keys[] = {
    PB_KEY(tolerance_section, state, .type = PB_NUMBER, .range = "> 0", .absent = "0.1",
           .words = "none", .about = "The same; `none` checks outputs only"),
    OF_OUTPUTS(outputs, "Largest deviation of outputs from the plan at the end"),
    OF_OUTPUTS(along, "Largest deviation at every knot"),
    OF_OUTPUTS(hold, "Largest deviation while `feedback.hold` holds the end"),
    {0}};
#undef OF_OUTPUTS

typedef struct verify_start {
  const double *q, *v;
  int hold;
  const char *plant;
} verify_start;

#define PLANT_WORD(name, word) " " word

static const pb_key verify_start_keys[] = {
    PB_KEY(verify_start, q, .type = PB_EACH_COORD, .unit = "m or rad", .absent = "0",
           .about = "Added to the start of the motion"),
    PB_KEY(verify_start, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .absent = "0",
           .about = "Added to the start of the motion"),
    PB_KEY(verify_start, hold, .type = PB_INTEGER, .range = ">= 0", .absent = "0",
           .about = "Steps for which the first input is held first (steps of `horizon.asked`; "
                    "samples with `feedback.rate`)"),
    PB_KEY(verify_start, plant, .type = PB_WORD, .words = PB_PLANT_LIST(PLANT_WORD),
           .note = "continuous where there is one, else discrete", .about = "Plant of this run"),
    {0}};
#undef PLANT_WORD

static const pb_key slip_keys[] = {
    PB_KEY(pb_slip, friction, .type = PB_NUMBER, .range = "> 0", .absent = "1",
           .about = "Coefficient of friction between wheels and ground"),
    PB_KEY(pb_slip, limit, .type = PB_NUMBER, .unit = "m", .range = "> 0", .absent = "none",
           .words = "none", .about = "A sample fails if a wheel slides farther"),
    {0}};

typedef struct verify_section {
  int samples, seed, periods;
  pb_slip slip;
  const char *law;
  spread_section spread, scale;
  verify_start start;
  double required;
  const char *limits, *joints;
  pb_robustness_section robust;
  const pb_node *criteria, *tolerance, *contacts;
} verify_section;

#define USE_WORD(name, word) " " word
#define DISTURBED(member, ...)                                                                     \
  { .key = #member, .at = offsetof(verify_section, robust.disturbances.member), __VA_ARGS__ }
#define ROBUST(member, ...)                                                                        \
  { .key = #member, .at = offsetof(verify_section, robust.member), __VA_ARGS__ }

const pb_key pb_verify_keys[] = {
    PB_KEY(verify_section, samples, .type = PB_INTEGER, .range = "[1, 1e7]", .absent = "100",
           .about = "Number of samples"),
    PB_KEY(verify_section, seed, .type = PB_INTEGER, .range = ">= 0", .absent = "1",
           .about = "Seed of all random numbers"),
    PB_KEY(verify_section, law, .type = PB_WORD, .absent = "gains", .words = "gains mpc",
           .about = "The controller: the gains, or receding-horizon control (`mpc`), with the "
                    "gains beside it for comparison"),
    PB_KEY(verify_section, periods, .type = PB_INTEGER, .also = "steps cycles repeat",
           .range = "[1, 1e6]", .absent = "10",
           .about = "With periodic `phases`: periods that each sample walks"),
    PB_KEY(verify_section, contacts, .type = PB_NODE, .also = "feet", .words = "list",
           .note = "pinned feet",
           .about = "With periodic `phases`: feet of the continuous plant, as `model.contacts`; "
                    "they slip and lift off, and replace the constraints that hold their bodies"),
    PB_KEY(verify_section, spread, .type = PB_SECTION, .sub = spread_keys,
           .about = "Half-widths of the uniform errors of the start"),
    PB_KEY(verify_section, tolerance, .type = PB_NODE, .note = "0.1",
           .words = "number > 0, or a section", .sub = tolerance_keys,
           .about = "Largest component of a successful sample's final error, divided by its scale"),
    PB_KEY(verify_section, scale, .type = PB_SECTION, .sub = scale_keys,
           .about = "Size of an error that counts as 1"),
    PB_KEY(verify_section, required, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0.9",
           .about = "Share of samples that must succeed; otherwise the exit status is 1"),
    PB_KEY(verify_section, limits, .type = PB_WORD, .words = FB_LIMIT_USES(USE_WORD),
           .absent = "fail", .about = "Treatment of position limits"),
    PB_KEY(verify_section, slip, .type = PB_SECTION, .sub = slip_keys, .also = "skid wheels ground",
           .about = "Slip of wheels in MuJoCo"),
    PB_KEY(verify_section, joints, .type = PB_WORD, .words = "smooth stick", .absent = "smooth",
           .about =
               "`stick`: friction that is smooth in the model (`model.friction.smooth`) is dry "
               "in the plant, whose joints stick"),
    PB_KEY(verify_section, start, .type = PB_SECTION, .sub = verify_start_keys,
           .about = "One extra start, run with and without feedback, without the errors below: "
                    "`response.csv`"),
    ROBUST(errors, .type = PB_SECTION, .sub = pb_errors_keys,
           .about = "Half-widths of uniform parameter errors, drawn for each sample"),
    ROBUST(noise, .type = PB_SECTION, .sub = pb_noise_keys,
           .about = "Standard deviations of normal noise"),
    DISTURBED(encoders, .type = PB_SECTION, .sub = pb_encoders_keys,
              .about = "Encoder model, in place of exact q and v"),
    DISTURBED(actuators, .type = PB_SECTION, .sub = pb_actuators_keys, .about = "Actuator model"),
    DISTURBED(pushes, .type = PB_SECTION, .sub = pb_pushes_keys,
              .about = "Gaussian pulses on every joint, drawn for each sample; `pushes: {}` uses "
                       "the defaults"),
    DISTURBED(calls, .type = PB_SECTION, .sub = pb_calls_keys,
              .about = "Timing errors of the controller"),
    DISTURBED(friction, .type = PB_EACH_COORD, .unit = "N or N m", .range = ">= 0", .note = "0",
              .about =
                  "Dry friction F atan(100 v) of the plant only; in MuJoCo a `frictionloss` of "
                  "pi/2 F"),
    ROBUST(limit, .type = PB_NUMBER, .range = "> 0", .absent = "none", .words = "none",
           .about = "Motors saturate at this multiple of the largest planned force, unknown to "
                    "the controller"),
    ROBUST(delay, .type = PB_NUMBER, .unit = "s", .range = ">= 0", .absent = "0",
           .about = "Age of the measurement; the controller compares it with the plan of that "
                    "time"),
    ROBUST(plants, .type = PB_WORD, .absent = "own", .words = "own all exported",
           .about = "`own`: discrete map and continuous equations; `all`: also MuJoCo; "
                    "`exported`: also the compiled `controller.c`"),
    ROBUST(
        sweep, .type = PB_NODE, .words = "section", .sub = pb_sweep_keys,
        .about =
            "Sweeps each error above on its own: `robustness.csv`, `dmoc plot --what robustness`"),
    ROBUST(region, .type = PB_NODE, .words = "section", .sub = pb_region_keys,
           .about = "Largest start errors that succeed, and a statistical claim about an "
                    "ellipsoid of starts: `region.csv`"),
    PB_KEY(verify_section, criteria, .type = PB_LIST, .sub = pb_criteria_keys,
           .about = "Criteria of a score: `criteria.csv`"),
    {0}};
#undef ROBUST
#undef DISTURBED
#undef USE_WORD

// append the bounds of one key of the tolerance
static dm_status read_output_bounds(const pb_reader *r, const pb_robot *robot, const pb_node *node,
                                    pb_output_when when, double last, pb_verification *out) {
  pb_output_number *list;
  char path[64];
  int n;
  if (!node) return DM_OK;
  snprintf(path, sizeof path, "verify.tolerance.%s", node->key);
  DM_TRY(pb_output_numbers_read(r, robot, path, node, "> 0", &list, &n));
  for (int i = 0; i < n; i++) {
    const pb_output_number *x = &list[i];
    const int at = out->outputs.count++;
    const size_t size = strlen(x->name) + 8;
    char *column = pb_arena_alloc(r->arena, size, 1);
    if (!column) return DM_NO_MEMORY;
    snprintf(column, size, "%s.%s", pb_output_when_words[when], x->name);
    out->bounds[at] = (fb_output_bound){x->rows.first, x->rows.count,
                                        pb_output_rows_turn(robot, x->rows), x->value, last};
    out->columns[at] = column;
    out->named[at] =
        (pb_output_tolerance){.name = x->name, .when = when, .at = {x->line, x->column}};
  }
  return DM_OK;
}

// a number for the state, or a section with tolerances of the state and outputs
static dm_status read_tolerance(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                                pb_verification *out) {
#define LIST_LAST(name, key, word, text, last) last,
  static const double last[] = {PB_OUTPUT_WHEN(LIST_LAST)};
#undef LIST_LAST
  tolerance_section s = {0};

  // the end of a phase with a successor is checked only if its own section says so
  if (!node && r->goes_on) {
    out->tolerance = INFINITY;
    return DM_OK;
  }
  if (node && node->kind != PB_MAPPING)
    return pb_schema_number(r, "verify.tolerance", node, "> 0", &out->tolerance);
  DM_TRY(pb_schema_read(r, "verify.tolerance", node, tolerance_keys, &s));
  out->tolerance = s.state;
  if (!s.outputs && !s.along && !s.hold) return DM_OK;

  // at most one bound per row and key
  const pb_node *const list[] = {s.outputs, s.along, s.hold};
  const int most = PB_OUTPUT_WHENS * robot->outputs.named;
  PB_NEW(r->arena, out->bounds, most);
  PB_NEW(r->arena, out->named, most);
  PB_NEW(r->arena, out->columns, most);
  out->outputs = (fb_output_bounds){.y = pb_robot_outputs(robot), .bound = out->bounds};
  for (int when = 0; when < PB_OUTPUT_WHENS; when++)
    DM_TRY(read_output_bounds(r, robot, list[when], (pb_output_when)when, last[when], out));
  return DM_OK;
}

// set the duration of bounds that apply while the end is held
static dm_status check_tolerance(const pb_reader *r, const pb_node *node, const pb_feedback *f,
                                 pb_verification *v) {
  const pb_node *tolerance = pb_node_get(node, "tolerance");
  const pb_node *hold = tolerance ? pb_node_get(tolerance, "hold") : NULL;
  if (tolerance && isinf(v->tolerance) && !v->outputs.count)
    return pb_refuse_node(r, tolerance,
                          "verify.tolerance: found none of the state and none of outputs, expected "
                          "one of them, by which samples succeed");
  if (hold && !(f->rest_time > 0))
    return pb_refuse_key(r, hold,
                         "verify.tolerance.hold: found one without feedback.hold, expected both; "
                         "'outputs' are those at the end of the run");
  for (int i = 0; i < v->outputs.count; i++)
    if (isnan(v->bounds[i].last)) v->bounds[i].last = f->rest_time;
  return DM_OK;
}

dm_status pb_verify_read(pb_reader *r, const pb_node *node, const pb_robot *robot,
                         bool has_feedback, pb_verification *out) {
  verify_section s = {0};
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "verify", node, pb_verify_keys, &s));
  if (!has_feedback)
    return pb_refuse_key(r, node, "found 'verify' but no 'feedback', expected both");

  const pb_node *periods = pb_node_get(node, "periods");
  if (periods && !r->phase)
    return pb_refuse_key(r, periods,
                         "verify.periods: found one without phases, expected it beside periodic "
                         "phases: a 'join' in the first one");

  if (s.contacts && !r->repeats)
    return pb_refuse_key(
        r, s.contacts,
        "verify.contacts: found some without periodic phases, expected a 'join' in "
        "the first phase; elsewhere the plant has those of model.contacts");
  DM_TRY(pb_feet_read(r, node, &robot->mechanism, &out->feet, &out->nfeet));

  // runs and their tolerance
  out->samples = s.samples;
  out->seed = (uint64_t)s.seed;
  out->periods = s.periods;
  out->recedes = !strcmp(s.law, "mpc");
  DM_TRY(read_tolerance(r, s.tolerance, robot, out));
  out->by_default = !s.tolerance && !pb_node_get(node, "scale");
  out->required = s.required;

  // an additional run from a given start
  out->has_start = pb_node_get(node, "start") != NULL;
  out->start_hold = s.start.hold;
  out->start_plant = PB_PLANTS;
  if (s.start.plant)
    out->start_plant = (pb_plant)dm_names_find(pb_plant_names, PB_PLANTS, s.start.plant);
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.start.q, &out->start_q));
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.start.v, &out->start_v));
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.spread.q, &out->spread_q));
  DM_TRY(pb_copy_numbers(r->arena, r->n, s.spread.v, &out->spread_v));
  const pb_node *spread = pb_node_get(node, "spread");
  DM_TRY(pb_clock_leave(r, "verify.spread", spread, "q", out->spread_q));
  DM_TRY(pb_clock_leave(r, "verify.spread", spread, "v", out->spread_v));
  DM_TRY(pb_clock_leave(r, "verify.start", pb_node_get(node, "start"), "q", out->start_q));
  DM_TRY(pb_clock_leave(r, "verify.start", pb_node_get(node, "start"), "v", out->start_v));
  out->spread_at[0] = (spread ? spread : node)->line;
  out->spread_at[1] = (spread ? spread : node)->column;
  out->limits = (fb_limit_use)dm_names_find(fb_limit_use_words, FB_LIMIT_USE_COUNT, s.limits);
  out->dry = !strcmp(s.joints, "stick");
  out->slip = s.slip;
  const pb_node *slip = pb_node_get(node, "slip");
  if (slip && (!robot->mechanism.rolling || strcmp(s.robust.plants, "all") != 0))
    return pb_refuse_key(r, slip,
                         "verify.slip: found one %s, expected it for wheels in MuJoCo: "
                         "constraints of type rolling, and verify.plants: all",
                         robot->mechanism.rolling ? "without verify.plants: all"
                                                  : "without rolling constraints");
  if (slip && !fb_mujoco_presses(&robot->mechanism))
    return pb_refuse_key(r, slip,
                         "verify.slip: found one of a robot that its gravity does not press on the "
                         "ground, expected its weight: model.gravity against constraints' normal");

  // disturbances, drawn with the same seed
  DM_TRY(pb_robustness_read(r, node, &s.robust, robot, out->spread_q, out->spread_v, &out->robust));
  out->robust.set.seed = out->seed;
  out->differences = !pb_node_get(node, "encoders") || out->robust.set.differences;
  DM_TRY(pb_criteria_read(r, s.criteria, robot, out));
  return pb_join_numbers(r->arena, r->n, s.scale.q, s.scale.v, &out->scale);
}

// the wider of a robot's limit and entry i of a task's; a task may be without limits, and a robot's may be infinite
static double widen(double robot, const double *task, int i, double (*wider)(double, double)) {
  if (!task) return robot;
  return isinf(robot) ? task[i] : wider(task[i], robot);
}

// Limits of positions and speeds: the robot's, or the task's if they are wider, because bounds
// override them; if the robot has none, the task's.
static dm_status set_limits(const pb_reader *r, const pb_context *c, pb_verification *v) {
  const dm_model *m = c->robot->mechanism.model;
  const dm_limits robot = dm_model_limits(m);
  const dm_bounds *task = c->task->bounds;
  double *low, *high, *fast;
  PB_NEW(r->arena, low, r->n);
  PB_NEW(r->arena, high, r->n);
  PB_NEW(r->arena, fast, r->n);
  for (int i = 0; i < r->n; i++) {
    low[i] = widen(robot.q.low[i], task[OC_Q].low, i, fmin);
    high[i] = widen(robot.q.high[i], task[OC_Q].high, i, fmax);
    fast[i] = widen(robot.v.high[i], task[OC_V].high, i, fmax);
  }
  v->stops = (dm_bounds){low, high};
  v->speeds.high = fast;
  return DM_OK;
}

// whether friction is smooth in the model, and would be dry in a plant whose joints stick
static bool has_smooth_friction(const pb_robot *robot) {
  const dm_joint_forces *f = robot->mechanism.joint[DM_JOINT_FRICTION];
  for (int i = 0; i < dm_joint_forces_count(f); i++)
    if (dm_joint_forces_get(f, i)->friction.smooth > 0) return true;
  return false;
}

// the plant whose joints stick has no other contacts, and needs friction that may become dry
static dm_status check_joints(const pb_reader *r, const pb_node *node, const pb_context *c,
                              const pb_verification *v) {
  const char *why = NULL;
  if (!v->dry) return DM_OK;
  if (!has_smooth_friction(c->robot))
    why = "of a robot without model.friction.smooth; friction that is dry in the model sticks as "
          "it is";
  if (c->robot->mechanism.contacts) why = "beside model.contacts, whose plant has smooth friction";
  if (v->limits == FB_LIMITS_STOP) why = "beside limits: stop, whose plant has smooth friction";
  if (v->ncriteria) why = "beside criteria, whose trials have smooth friction";
  if (v->robust.mujoco) why = "beside plants: all; MuJoCo's plant has its own friction";
  if (c->task->system.nk) why = "beside kinematic coordinates, which have the discrete plant alone";
  if (r->phase) why = "in phases, whose plant has smooth friction";
  if (!why) return DM_OK;
  return pb_refuse_node(r, pb_node_get(node, "joints"),
                        "verify.joints: found stick %s, expected smooth", why);
}

// stops are contacts of the plant, which not every robot supports
static dm_status check_stops(const pb_reader *r, const pb_node *node, const pb_context *c,
                             const pb_verification *v) {
  const pb_robot *robot = c->robot;
  const char *why = NULL;
  if (v->limits != FB_LIMITS_STOP) return DM_OK;
  bool limited = false;
  for (int i = 0; i < r->n; i++) limited |= isfinite(v->stops.low[i]) || isfinite(v->stops.high[i]);

  // robots whose impacts cannot be computed, or that have no limits
  if (!limited) why = "of a robot whose positions have no limits";
  if (robot->mechanism.tree->nball)
    why = "beside a ball joint, whose coordinates are not those of a contact";
  if (c->task->system.nk) why = "beside kinematic coordinates, which no impact stops";
  if (!why) return DM_OK;
  return pb_refuse_node(r, pb_node_get(node, "limits"),
                        "verify.limits: found stop %s, expected fail or ignore", why);
}

// duration of the motion and of holding its end [s]; NAN: not known yet
static double find_time(const pb_context *c, const pb_feedback *f) {
  double shortest, longest;
  pb_find_duration(c, &shortest, &longest);
  return shortest == longest ? longest + f->rest_time : NAN;
}

// pushes of samples and of criteria must fit into the run
static dm_status check_room(const pb_reader *r, const pb_node *node, const pb_context *c,
                            const pb_feedback *f, const pb_verification *v) {
  const fb_pushes *pushes = &v->robust.set.pushes;
  const double T = find_time(c, f), slack = 1 + 1e-9; // tolerance for rounding of N h
  if (!isfinite(T)) return DM_OK;
  if (!fb_pushes_fit(pushes, T * slack))
    return pb_refuse_node(r, pb_node_get(node, "pushes"),
                          "verify.pushes: found %d pushes at least %g s apart in a motion of %g s, "
                          "expected room for them: try a smaller count, or apart",
                          pushes->count, pushes->apart, T);

  for (int i = 0; i < v->ncriteria; i++) {
    const fb_criterion *row = &v->criteria[i];
    if (fb_criterion_fits(row, r->n, T * slack)) continue;
    return pb_refuse_node(r, pb_node_get(node, "criteria"),
                          "verify.criteria: found %d pushes with gaps of %g s in a run of %g s, "
                          "expected room for them: try a smaller count or gap, 'of' one joint, or "
                          "a longer feedback.hold",
                          fb_criterion_pushes(row, r->n), row->gap, T);
  }
  return DM_OK;
}

// The start of the plan and the position limits there; a free coordinate has no limits. *q is NULL
// if the file does not determine the starts of samples: constraints move them, or the plan's start
// is unknown.
static dm_status find_plan_start(const pb_reader *r, const pb_context *c, const pb_verification *v,
                                 double **q, dm_bounds *limits) {
  const dm_system *s = &c->task->system;
  const double *from = c->has_task ? c->task->start.q : NULL;
  double *low, *high;
  if (c->rest) from = c->rest->q;
  if (c->simulation) from = c->simulation->q;
  *q = NULL;
  if (!from || s->hol.nc || s->lag || r->phase || v->limits == FB_LIMITS_IGNORE) return DM_OK;
  PB_NEW(r->arena, *q, r->n);
  PB_NEW(r->arena, low, r->n);
  PB_NEW(r->arena, high, r->n);
  for (int i = 0; i < r->n; i++) {
    const bool free = isnan(from[i]);
    (*q)[i] = free ? 0 : from[i];
    low[i] = free ? -INFINITY : v->stops.low[i];
    high[i] = free ? INFINITY : v->stops.high[i];
  }
  *limits = (dm_bounds){low, high};
  return DM_OK;
}

// Refuse starts outside the position limits, both `start` and the starts of samples. Like the run,
// draw each sample up to FB_DRAWS times.
static dm_status check_starts(const pb_reader *r, const pb_node *node, const pb_context *c,
                              const pb_verification *v) {
  enum { SAMPLES = 100 };
  const int n = r->n;
  double *plan, *d, *x;
  int *times;
  dm_bounds l;
  DM_TRY(find_plan_start(r, c, v, &plan, &l));
  if (!plan) return DM_OK;
  PB_NEW(r->arena, d, 2 * n);
  PB_NEW(r->arena, x, n);
  PB_NEW(r->arena, times, n);

  // 1. the single start
  for (int i = 0; v->has_start && i < n; i++) x[i] = plan[i] + v->start_q[i];
  const int off = v->has_start && !v->start_hold ? fb_limits_outside(l, n, x, plan) : -1;
  if (off >= 0)
    return pb_refuse_node(
        r, pb_node_get(node, "start"),
        "verify.start: found '%.64s' at %.6g, outside its limits [%.6g, %.6g], expected a start "
        "within them: change verify.start, or say verify.limits: ignore",
        r->coord[off], x[off], l.low[off], l.high[off]);

  // 2. samples, with the random numbers of the run
  const fb_monte_carlo_settings set = {
      .seed = v->seed, .spread_q = v->spread_q, .spread_v = v->spread_v};
  for (int sample = 0; sample < v->samples && sample < SAMPLES; sample++) {
    int outside = 0, worst = 0;
    memset(times, 0, (size_t)n * sizeof *times);
    for (int again = 0; outside >= 0 && again < FB_DRAWS; again++) {
      fb_monte_carlo_redraw(&set, n, sample, again, d, d + n);
      for (int i = 0; i < n; i++) x[i] = plan[i] + d[i];
      outside = fb_limits_outside(l, n, x, plan);
      if (outside >= 0 && ++times[outside] > times[worst]) worst = outside;
    }
    if (outside < 0) continue;
    const pb_node *at = pb_node_get(node, "spread");
    return pb_refuse_node(
        r, at ? at : node,
        "verify.spread: found no start of sample %d within the limits of positions in %d draws (in "
        "%d of them '%.64s' is furthest outside [%.6g, %.6g]; its plan starts at %.6g), expected a "
        "spread that meets the limits: try a smaller one, or a start further from the limit",
        sample, FB_DRAWS, times[worst], r->coord[worst], l.low[worst], l.high[worst], plan[worst]);
  }
  return DM_OK;
}

dm_status pb_verify_check(const pb_reader *r, const pb_node *node, const pb_context *c,
                          const pb_feedback *f, pb_verification *v) {
  if (!node) return DM_OK;
  DM_TRY(check_tolerance(r, node, f, v));
  DM_TRY(set_limits(r, c, v));
  DM_TRY(check_stops(r, node, c, v));
  DM_TRY(check_joints(r, node, c, v));

  // convert the hold of a start from steps of the file's grid to steps of the grid, unless it
  // counts the controller's samples
  if (c->has_task && !isfinite(f->rate))
    v->start_hold = (int)round((double)v->start_hold * c->task->N / r->asked);
  const pb_node *noise = pb_node_get(node, "noise"), *encoders = pb_node_get(node, "encoders");
  const pb_node *start = pb_node_get(node, "start");
  const bool differs = f->measure == FB_DIFFERENCE;
  const bool blind = f->measure == FB_POSITIONS || differs || f->has_estimator; // to velocities
  const char *by = differs ? "measure: difference" : "measure: positions";
  if (f->has_estimator) by = "an estimator";

  // refuse noise that would have no effect
  if (blind && v->robust.set.v)
    return pb_refuse_node(r, pb_node_get(noise, "v"),
                          "verify.noise.v: found one beside %s, to which no velocity is shown, "
                          "expected none; noise.q is seen",
                          by);
  if (blind && encoders && pb_node_get(encoders, "velocity"))
    return pb_refuse_node(r, pb_node_get(encoders, "velocity"),
                          "verify.encoders.velocity: found one beside %s, to which no velocity is "
                          "shown, expected none",
                          by);

  if (!r->nf && pb_node_get(node, "actuators"))
    return pb_refuse_node(r, pb_node_get(node, "actuators"),
                          "verify.actuators: found one of a robot without motors that give forces, "
                          "expected none");
  if (!r->nf && isfinite(v->robust.limit))
    return pb_refuse_node(
        r, pb_node_get(node, "limit"),
        "verify.limit: found %g for a robot without motors that give forces, which "
        "it would limit, expected none; try bounds.q of what is prescribed",
        v->robust.limit);

  // refuse impossible combinations
  if (v->has_start && v->start_plant == PB_CONTINUOUS && c->task->system.nk)
    return pb_refuse_node(r, pb_node_get(start, "plant"),
                          "verify.start.plant: found continuous, and there is no such plant: it "
                          "has no kinematic coordinates; expected one that there is: try discrete");
  const char *beside = f->has_estimator ? "an estimator" : NULL;
  if (c->task->system.nk) beside = "kinematic coordinates";
  if (v->ncriteria && beside)
    return pb_refuse_node(r, pb_node_get(node, "criteria"),
                          "verify.criteria: found criteria beside %s, expected none", beside);
  DM_TRY(check_starts(r, node, c, v));
  return check_room(r, node, c, f, v);
}

#include "problems/readers/task/read_feedback.h"
#include "problems/readers/model/drives.h"

#include "control/feedback/full_turn.h"
#include "lib/multibody/ball_joint.h"
#include "problems/readers/format/number.h"
#include "problems/readers/model/output_names.h"
#include "problems/readers/task/foresight.h"
#include "problems/readers/task/read_estimator.h"
#include "problems/readers/task/read_knots.h"
#include "problems/readers/task/read_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct state_weights {
  const double *q, *p;
  const pb_node *outputs;
} state_weights;

static const pb_key Q_keys[] = {
    PB_KEY(state_weights, q, .type = PB_EACH_COORD, .unit = "per m2 or rad2", .range = ">= 0",
           .absent = "1", .rest = "0", .about = "Weight on positions"),
    PB_KEY(state_weights, p, .type = PB_EACH_COORD, .unit = "per (N s)2 or (N m s)2",
           .range = ">= 0", .absent = "1", .rest = "0", .about = "Weight on momenta"),
    PB_KEY(state_weights, outputs, .type = PB_NODE, .unit = "per unit2", .note = "none",
           .words = "number >= 0, or one for each row, by output",
           .about = "Weights on deviations of outputs"),
    {0}};

typedef struct feedback_section {
  const double *R;
  const pb_node *Q, *Qf, *limits, *fallback, *estimator, *integral, *tune, *envelope_cost,
      *friction, *along;
  const double *envelope, *rate_limit;
  const char *measure, *motion, *momentum, *between, *schedule;
  double hold, rate;
  int delay;
} feedback_section;

const pb_key pb_feedback_keys[] = {
    PB_KEY(feedback_section, Q, .type = PB_NODE, .words = "section, or second-variation",
           .sub = Q_keys,
           .about = "Running weight on deviations of x = (q, p), or gains from the second "
                    "variation of the optimum"),
    PB_KEY(feedback_section, R, .type = PB_EACH_INPUT, .unit = "per N2 or (N m)2", .range = "> 0",
           .absent = "1", .rest = "1",
           .about = "Weight on the deviation of inputs; for kinematic inputs per m2 or rad2"),
    PB_KEY(feedback_section, Qf, .type = PB_NODE, .note = "riccati",
           .words = "riccati, or a section", .sub = Q_keys,
           .about = "Final weight; `riccati`: the stationary solution at the goal, or the "
                    "periodic one"),
    PB_KEY(feedback_section, limits, .type = PB_NODE,
           .also = "u bounds u_max effort saturation clip", .unit = "N or N m",
           .note = "the robot's", .words = "[low, high], a number x for [-x, x], or by input",
           .about = "Input limits of the controller, independent of `bounds.u`; `none` removes a "
                    "limit"),
    PB_KEY(feedback_section, rate_limit, .type = PB_EACH_INPUT, .also = "slew slew_rate du",
           .unit = "N/s or N m/s", .range = "> 0", .absent = "none", .rest = "none",
           .words = "none", .about = "Largest rate of change of the controller's output"),
    PB_KEY(feedback_section, hold, .type = PB_NUMBER, .unit = "s", .range = "[0, 1e4]",
           .note = "in `controller.c` only", .absent = "0",
           .about = "Time for which `verify` holds the end state; `controller.c` holds it "
                    "forever, unless this is 0"),
    PB_KEY(feedback_section, measure, .type = PB_WORD, .note = "velocity; with an estimator state",
           .words = "state velocity positions difference",
           .about = "Measurement: `state` (q, p), `velocity` (q, v), `positions` "
                    "q now and one step ago, `difference` q, with v from differences"),
    PB_KEY(feedback_section, motion, .type = PB_WORD, .absent = "map", .words = "map continuous",
           .about = "With `measure: positions`: motion from which the planned position one step "
                    "ago comes"),
    PB_KEY(feedback_section, momentum, .type = PB_WORD, .absent = "linear", .words = "linear exact",
           .about = "Except with `state`: p to first order (`linear`), or from the mechanics "
                    "(`exact`)"),
    PB_KEY(feedback_section, rate, .type = PB_NUMBER, .unit = "Hz", .range = "> 0",
           .absent = "none", .words = "none",
           .about = "Sampling rate of the controller; `none` samples at the knots"),
    PB_KEY(
        feedback_section, between, .type = PB_WORD, .absent = "hold", .words = "hold interpolate",
        .about =
            "Gains between knots, with `rate`: from the previous knot, or interpolated linearly"),
    PB_KEY(
        feedback_section, schedule, .type = PB_WORD, .absent = "time", .words = "time path orbit",
        .about = "Knot that the controller uses: by time, the nearest, or the phase on an orbit"),
    PB_KEY(feedback_section, along, .type = PB_NODE, .note = "all, in the norm `Q`",
           .words = "coordinate, or a list of them",
           .about = "With `path` or `orbit`: coordinates in which a knot is near, such as the "
                    "stance leg of a walker"),
    PB_KEY(feedback_section, delay, .type = PB_INTEGER, .range = "[0, 1]", .absent = "0",
           .about = "Steps between the computation of an input and its application; the gains "
                    "account for it"),
    PB_KEY(feedback_section, integral, .type = PB_NODE, .note = "none",
           .unit = "per (m s)2 or (rad s)2", .also = "ki i pid",
           .words = "[joint, ..], or a weight by coordinate",
           .about = "Joints with integral action, at most as many as inputs; a list takes the "
                    "weights of `Q`, or 1"),
    PB_KEY(feedback_section, friction, .type = PB_NODE, .note = "none",
           .words = "none, or compensate, or the share of it, in (0, 1]",
           .about = "Adds the dry friction of driven joints in the direction of the commanded "
                    "motion"),
    PB_KEY(feedback_section, envelope, .type = PB_EACH_COORD, .unit = "m or rad", .range = "> 0",
           .absent = "none", .rest = "none", .words = "none",
           .about = "Largest deviation of measured positions, beyond which the fallback acts "
                    "until reset"),
    PB_KEY(feedback_section, envelope_cost, .type = PB_NODE, .note = "none",
           .words = "number > 0, or auto, or none",
           .about = "Largest x'P x of the deviation x of (q, p), with the Riccati matrix P"),
    PB_KEY(feedback_section, fallback, .type = PB_NODE, .unit = "N s/m or N m s/rad",
           .note = "zero", .words = "zero, or {damping: number >= 0, or by input}",
           .about = "Input beyond the envelope: 0, or -D v of the joint (needs `measure: velocity` "
                    "or `difference`)"),
    PB_KEY(feedback_section, estimator, .type = PB_NODE, .words = "section",
           .sub = pb_estimator_keys,
           .about = "A Kalman filter along the motion that estimates the state from encoders"),
    PB_KEY(feedback_section, tune, .type = PB_NODE, .words = "section", .sub = pb_tune_keys,
           .about = "What `dmoc tune` varies, and for how long"),
    {0}};

// default measurement: (q, v), or the state if there is an estimator
static const char *default_measure(const feedback_section *s) {
  return fb_form_names[s->estimator ? FB_STATE : FB_VELOCITY];
}

// limits of the controller's output: the robot's; for an unlimited input the plan's, the only known
// ones; the file may override both
static dm_status read_limits(pb_reader *r, const pb_node *node, const pb_context *c,
                             pb_feedback *out) {
  const dm_model *m = c->robot->mechanism.model;
  const double *u_min = c->task->bounds[OC_U].low, *u_max = c->task->bounds[OC_U].high;
  DM_TRY(pb_inputs_limit(r, m, dm_model_limits(m).q, &out->u_min, &out->u_max));
  for (int j = 0; j < r->nu; j++) {
    if (isinf(out->u_min[j])) out->u_min[j] = u_min[j];
    if (isinf(out->u_max[j])) out->u_max[j] = u_max[j];
  }

  // one range applies to forces, as in bounds.u
  const pb_node *limits = pb_node_get(node, "limits");
  if (limits)
    DM_TRY(pb_schema_ranges(r, "feedback.limits", limits, "input", r->input, r->nu, r->nf,
                            out->u_min, out->u_max));

  // warn if the controller's limits are narrower than the plan's
  for (int j = 0; node && j < r->nu; j++) {
    if (u_min[j] >= out->u_min[j] && u_max[j] <= out->u_max[j]) continue;
    DM_TRY(pb_warn(r, r->file, (limits ? limits : node)->line,
                   "feedback.limits: the plan may ask [%g, %g] of '%.64s', which the law cuts to "
                   "[%g, %g]; narrow bounds.u, or widen feedback.limits",
                   u_min[j], u_max[j], r->input[j], out->u_min[j], out->u_max[j]));
  }
  return DM_OK;
}

// whether positions one step apart come from the continuous motion or from the map
static dm_status read_motion(const pb_reader *r, const pb_node *node, const feedback_section *s,
                             const pb_context *c, pb_feedback *out) {
  const dm_system *system = &c->task->system;
  const char *beside = NULL;
  out->continuous = !strcmp(s->motion, "continuous");
  if (!out->continuous) return DM_OK;

  // only for measured positions, and where a continuous motion exists
  if (out->exact) beside = "momentum: exact";
  if (system->hol.nc) beside = "constraints";
  if (system->nk) beside = "kinematic coordinates";
  if (out->measure != FB_POSITIONS) beside = "another measure than positions";
  if (!beside) return DM_OK;
  return pb_refuse_node(r, node, "feedback.motion: found continuous beside %s, expected map",
                        beside);
}

// Weights of (q,p) by which a knot is near: 1 for the coordinates of feedback.along, or those of Q.
static dm_status read_nearness(const pb_reader *r, const pb_node *schedule, const pb_node *along,
                               pb_feedback *out) {
  double weight = 0;
  out->near = along ? pb_arena_alloc(r->arena, 2 * (size_t)r->n, sizeof *out->near) : out->Q;
  if (!out->near) return DM_NO_MEMORY;
  const bool many = along && along->kind == PB_SEQUENCE;
  for (const pb_node *at = many ? along->first : along; at; at = many ? at->next : NULL) {
    int i;
    DM_TRY(pb_schema_name(r, "feedback.along", at, "coordinate", r->coord, r->n, &i));
    out->near[i] = 1;
  }
  for (int i = 0; i < 2 * r->n; i++) weight += out->near[i];
  if (weight > 0) return DM_OK;
  if (along)
    return pb_refuse_node(r, along, "feedback.along: found no coordinate, expected at least one");
  return pb_refuse_node(r, schedule,
                        "feedback.schedule: found path or orbit beside Q without a weight, by "
                        "which knots are near, expected time");
}

// whether the controller uses the knot by time or by distance
static dm_status read_schedule(const pb_reader *r, const pb_node *node, const feedback_section *s,
                               const pb_context *c, pb_feedback *out) {
  const bool orbits = !strcmp(s->schedule, "orbit"), by_path = strcmp(s->schedule, "time") != 0;
  if (!by_path && s->along)
    return pb_refuse_node(r, s->along,
                          "feedback.along: found beside schedule: time, expected path or orbit");
  if (!by_path) return DM_OK;

  // options by time, or without a state to find the nearest knot
  const struct {
    bool there;
    const char *what;
  } beside[] = {{out->measure == FB_POSITIONS, "measure: positions, which shows no state"},
                {out->measure == FB_DIFFERENCE, "measure: difference, whose velocities need times"},
                {s->estimator, "an estimator, which goes by time"},
                {s->delay, "delay: 1, whose input is of the next knot in time"},
                {s->integral, "an integral, which goes by time"},
                {out->second_variation, "Q: second-variation, which goes by time"},
                {c->task->system.nk, "kinematic coordinates, which go by time"},
                {c->rest, "balance, whose knots are all one"},
                {orbits && !c->task->periodic, "a motion that does not repeat (goal.periodic)"},
                {orbits && s->Qf && s->Qf->kind != PB_SCALAR, "Qf, which ends the motion"},
                {orbits && isfinite(out->rate), "a rate"},
                {orbits && c->task->lag, "lags of motors"},
                {orbits && c->robot->mechanism.tree->nball > 0, "ball joints"}};
  const pb_node *at = pb_node_get(node, "schedule");
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (beside[i].there)
      return pb_refuse_node(r, at, "feedback.schedule: found %s beside %s, expected time",
                            s->schedule, beside[i].what);
  out->orbits = orbits;
  return read_nearness(r, at, s->along, out);
}

// Warn about a plan that may change inputs faster than the controller's rate limit, because it will
// be refused after the search. Plan inputs change at once, within one sample of a controller that
// is faster than the grid.
static dm_status warn_fast_plan(pb_reader *r, const pb_node *at, const feedback_section *s,
                                const pb_context *c) {
  const bool faster = isfinite(s->rate) && c->has_task && !c->task->time.free;
  const double share = faster ? fmin(1, 1 / (s->rate * oc_task_step(c->task))) : 1;

  // per input and second: the controller's limit, and the plan's
  for (int j = 0; c->has_task && j < r->nf; j++) {
    const double may = share * s->rate_limit[j];
    const double plan = oc_high(c->task, OC_RATE, j);
    if (!(plan > may)) continue;
    char found[48] = "at any rate";
    if (isfinite(plan)) snprintf(found, sizeof found, "by %g per s", plan);
    return pb_warn(
        r, r->file, at->line,
        "feedback.rate_limit: the plan may change '%.64s' %s, of which the law may %g: a "
        "plan that does is refused once it is found; add bounds.rate: %g",
        r->input[j], found, may, may);
  }
  return DM_OK;
}

// limits of the rate of the controller's output
static dm_status read_rate_limit(pb_reader *r, const pb_node *node, const feedback_section *s,
                                 const pb_context *c, pb_feedback *out) {
  bool limited = false;
  for (int j = 0; j < r->nu; j++) limited |= s->rate_limit[j] < INFINITY;
  if (!limited) return DM_OK;

  // an input that is a position changes as fast as it moves
  const pb_node *own = pb_node_get(node, "rate_limit"), *at = own ? own : node;
  if (c->task->system.nk)
    return pb_refuse_node(r, at,
                          "feedback.rate_limit: found one beside kinematic coordinates, whose "
                          "inputs are places, expected none; limit their speeds (bounds.v)");
  out->rate_limit_at[0] = at->line;
  out->rate_limit_at[1] = at->column;
  DM_TRY(warn_fast_plan(r, at, s, c));
  return pb_copy_numbers(r->arena, r->nu, s->rate_limit, &out->rate_limit);
}

// measurements and timing of the controller
static dm_status read_controller(const pb_reader *r, const pb_node *node, const feedback_section *s,
                                 const pb_context *c, pb_feedback *out) {
  const dm_system *system = &c->task->system;
  const pb_node *rate = pb_node_get(node, "rate");
  const char *measure = s->measure ? s->measure : default_measure(s);

  // form of the measurements, and sampling rate
  while (strcmp(fb_form_names[out->measure], measure)) out->measure++;
  out->exact = !strcmp(s->momentum, "exact");
  DM_TRY(read_motion(r, pb_node_get(node, "motion"), s, c, out));
  out->rate = s->rate;
  out->between = !strcmp(s->between, "interpolate");
  if (out->between && !isfinite(s->rate))
    return pb_refuse_node(
        r, pb_node_get(node, "between"),
        "feedback.between: found interpolate without feedback.rate, expected hold, or "
        "a rate at which the controller runs between knots");
  out->delay = s->delay;

  // an estimator provides (q,p)
  if (s->estimator && out->measure != FB_STATE)
    return pb_refuse_node(
        r, s->estimator,
        "feedback.estimator: found measure: %s beside it, expected state, which it "
        "estimates",
        measure);

  // the motion between knots is known only without constraints and kinematic coordinates
  if (c->has_task && !c->rest) DM_TRY(pb_knots_check_feedback(r, node, c->task, s->rate));
  if (!isfinite(s->rate)) return DM_OK;
  if (system->hol.nc || system->nk)
    return pb_refuse_node(r, rate,
                          "feedback.rate: found %s beside it, whose motion between knots "
                          "is not known",
                          system->hol.nc ? "constraints" : "kinematic coordinates");
  return DM_OK;
}

// output weights in addition to state weights: one number applies to each row
static dm_status read_output_weights(const pb_reader *r, const char *path, const pb_node *node,
                                     const pb_robot *robot, fb_output_weight **out) {
  pb_output_number *list;
  double *weight;
  int n;
  *out = NULL;
  if (!node) return DM_OK;
  DM_TRY(pb_output_numbers_read(r, robot, path, node, ">= 0", &list, &n));
  PB_NEW(r->arena, weight, robot->outputs.named);
  for (int i = 0; i < n; i++)
    for (int row = 0; row < list[i].rows.count; row++)
      weight[list[i].rows.first + row] = list[i].value;
  PB_NEW(r->arena, *out, 1);
  **out = (fb_output_weight){
      .y = pb_robot_outputs(robot), .rows = robot->outputs.named, .weight = weight};
  return DM_OK;
}

// Q, or the second variation of the optimum
static dm_status read_Q(const pb_reader *r, const pb_node *node, const feedback_section *s,
                        const pb_context *c, pb_feedback *out) {
  state_weights Q = {0};
  out->second_variation = s->Q && s->Q->kind == PB_SCALAR;
  if (out->second_variation) {
    // second-variation gains need a first-order task,
    if (strcmp(s->Q->text, "second-variation"))
      return pb_refuse_node(
          r, s->Q,
          "feedback.Q: found '%.40s', expected a mapping {q: ..., p: ...}, or second-variation",
          s->Q->text);
    if (!c->has_task || c->second)
      return pb_refuse_node(r, s->Q, "feedback.Q: found second-variation %s, expected weights",
                            c->second ? "beside a transcription of second order"
                                      : "without 'horizon'");

    // have their own weights,
    const pb_node *R = pb_node_get(node, "R");
    if (R)
      return pb_refuse_key(r, R,
                           "feedback.R: found one beside 'Q: second-variation', expected none: "
                           "the cost has its own");

    // and allow neither input delay nor holding the end
    if (s->delay)
      return pb_refuse_node(
          r, pb_node_get(node, "delay"),
          "feedback.delay: found one beside 'Q: second-variation', expected none");
    if (s->hold > 0)
      return pb_refuse_node(
          r, pb_node_get(node, "hold"),
          "feedback.hold: found one beside 'Q: second-variation', expected weights or none");
    if (c->task->per.of != OC_PER_MOTION)
      return pb_refuse_node(r, s->Q,
                            "feedback.Q: found second-variation beside cost.per, expected weights");
    if (c->task->periodic)
      return pb_refuse_node(r, s->Q,
                            "feedback.Q: found second-variation beside a periodic motion, expected "
                            "weights");
    if (s->Qf && s->Qf->kind == PB_SCALAR)
      return pb_refuse_node(r, s->Qf,
                            "feedback.Qf: found '%s' beside 'Q: second-variation', expected "
                            "weights, or none: the goal is met",
                            s->Qf->text);
  }

  // a diagonal in (q,p)
  DM_TRY(pb_schema_read(r, "feedback.Q", out->second_variation ? NULL : s->Q, Q_keys, &Q));
  DM_TRY(read_output_weights(r, "feedback.Q.outputs", Q.outputs, c->robot, &out->Q_outputs));
  return pb_join_numbers(r->arena, r->n, Q.q, Q.p, &out->Q);
}

// weights of error integrals: derived from Q, or given
static dm_status read_integral(const pb_reader *r, const pb_node *node, const feedback_section *s,
                               const pb_context *c, pb_feedback *out) {
  const dm_model *m = c->robot->mechanism.model;
  if (!node) return DM_OK;
  out->integral = pb_arena_alloc(r->arena, (size_t)r->n, sizeof *out->integral);
  if (!out->integral) return DM_NO_MEMORY;

  // a list of joints, or weights
  for (const pb_node *at = node->kind == PB_SEQUENCE ? node->first : NULL; at; at = at->next) {
    int i;
    DM_TRY(pb_schema_name(r, "feedback.integral", at, "joint", r->coord, r->n, &i));
    if (out->integral[i] > 0)
      return pb_refuse_node(r, at, "feedback.integral: found '%.64s' twice, expected it once",
                            r->coord[i]);
    out->integral[i] = out->Q[i] > 0 ? out->Q[i] : 1;
  }
  if (node->kind != PB_SEQUENCE)
    DM_TRY(pb_schema_each(r, "feedback.integral", node, ">= 0", "joint", r->coord, r->n,
                          out->integral));

  // at most as many integrals as inputs, of numeric errors
  int count = 0;
  for (int i = 0; i < r->n; i++) {
    count += out->integral[i] > 0;
    if (out->integral[i] > 0 && m->kind[i] == DM_QUATERNION)
      return pb_refuse_node(r, node,
                            "feedback.integral: found '%.64s' of a ball joint, expected joints "
                            "that slide or turn",
                            r->coord[i]);
  }
  if (!count || count > r->nu)
    return pb_refuse_node(
        r, node,
        "feedback.integral: found %d joints, expected 1 to %d: no more than there "
        "are inputs",
        count, r->nu);

  // refuse combinations with alternatives to integral action
  const char *beside = s->delay ? "delay: 1" : NULL;
  if (out->second_variation) beside = "Q: second-variation";
  if (s->estimator) beside = "an estimator, which has feedback.estimator.disturbance";
  if (beside)
    return pb_refuse_node(r, node, "feedback.integral: found one beside %s, expected none", beside);
  return DM_OK;
}

// an option beside which friction is not compensated; NULL: not found
static const char *find_beside_friction(const feedback_section *s, const pb_context *c,
                                        const pb_feedback *out) {
  const struct {
    bool there;
    const char *what;
  } beside[] = {
      {s->estimator, "an estimator, which has feedback.estimator.disturbance"},
      {out->measure != FB_VELOCITY && out->measure != FB_DIFFERENCE,
       "a measure without velocities; expected measure: velocity or difference"},
      {out->exact, "momentum: exact; expected linear"},
      {out->second_variation, "Q: second-variation, whose gains stick; expected weights"},
      {s->delay, "delay: 1; expected 0"},
      {out->rate_limit, "rate_limit; expected none, because friction changes its sign at once"},
      {c->task->system.nk, "kinematic coordinates; expected none"}};
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (beside[i].there) return beside[i].what;
  return NULL;
}

// the dry friction of the joint that input j drives, for the first input that does; NULL: none
static const dm_joint_force *find_driven_friction(const pb_robot *robot, const pb_reader *r,
                                                  int j) {
  const dm_joint_forces *f = robot->mechanism.joint[DM_JOINT_FRICTION];
  const dm_model *m = robot->mechanism.model;
  const int coord = j < r->nf ? m->input_coord[j] : -1;
  for (int i = 0; i < j; i++)
    if (m->input_coord[i] == coord) return NULL;
  for (int i = 0; coord >= 0 && i < dm_joint_forces_count(f); i++) {
    const dm_joint_force *x = dm_joint_forces_get(f, i);
    const bool dry = dm_joint_force_is_dry(x) && x->friction.force > 0;
    if (dry && dm_ball_outside(robot->mechanism.tree, x->coord) == coord) return x;
  }
  return NULL;
}

// the share of the friction that is compensated, 0: none
static dm_status read_share(const pb_reader *r, const pb_node *node, double *share) {
  const bool plain = node->kind == PB_SCALAR && !node->quoted;
  char found[64];
  *share = 0;
  if (plain && !strcmp(node->text, "none")) return DM_OK;
  if (plain && !strcmp(node->text, "compensate")) *share = 1;
  if (plain && *share == 0) pb_number_parse(node->text, share);
  if (*share > 0 && *share <= 1) return DM_OK;
  return pb_refuse_node(r, node,
                        "feedback.friction: found %s, expected none, compensate, or a number in "
                        "(0, 1]",
                        pb_node_describe(node, found));
}

// dry friction of driven joints, for the controller
static dm_status read_friction(const pb_reader *r, const feedback_section *s, const pb_context *c,
                               pb_feedback *out) {
  const dm_joint_forces *f = c->robot->mechanism.joint[DM_JOINT_FRICTION];
  const pb_node *at = s->friction;
  double share = 0;
  if (at) DM_TRY(read_share(r, at, &share));
  if (!(share > 0)) return DM_OK;
  const char *beside = find_beside_friction(s, c, out);
  if (beside) return pb_refuse_node(r, at, "feedback.friction: found compensate beside %s", beside);
  if (!dm_joint_forces_dry(f))
    return pb_refuse_node(
        r, at,
        "feedback.friction: found compensate for a robot without dry friction in "
        "its joints, expected none, or friction without smooth in model.friction");

  // by input, where there is some
  fb_friction *of;
  double *force, *gear;
  int *along, driven = 0;
  bool *planned;
  PB_NEW(r->arena, of, 1);
  PB_NEW(r->arena, force, r->nu);
  PB_NEW(r->arena, gear, r->nu);
  PB_NEW(r->arena, along, r->nu);
  PB_NEW(r->arena, planned, r->nu);
  for (int j = 0; j < r->nu; j++) {
    const dm_joint_force *x = find_driven_friction(c->robot, r, j);
    gear[j] = 1;
    if (!x) continue;
    gear[j] = c->robot->mechanism.model->input_gear[j];
    force[j] = share * x->friction.force / fabs(gear[j]);
    along[j] = c->robot->mechanism.model->input_coord[j];
    planned[j] = x->planned;
    driven++;
  }
  int first = 0;
  while (!dm_joint_force_is_dry(dm_joint_forces_get(f, first))) first++;
  if (!driven)
    return pb_refuse_node(r, at,
                          "feedback.friction: found compensate, but no input drives '%.64s', whose "
                          "friction is dry; expected none, or an input there",
                          dm_joint_forces_get(f, first)->name);
  *of = (fb_friction){.force = force, .gear = gear, .along = along, .planned = planned};
  out->friction = of;
  return DM_OK;
}

// D of u = -D v [nu]: each input brakes the coordinate that it drives
static dm_status read_damping(const pb_reader *r, const pb_node *node, const pb_context *c,
                              const pb_feedback *out, double *D, int *along) {
  static const char *const words[] = {"zero"};
  const dm_model *m = c->robot->mechanism.model;
  const pb_node *damping = node ? pb_node_get(node, "damping") : NULL;
  int word;
  if (node && node->kind == PB_SCALAR)
    return pb_schema_name(r, "feedback.fallback", node, "word", words, 1, &word);
  if (node && (!damping || node->first->next))
    return pb_refuse_node(r, node, "feedback.fallback: expected zero, or {damping: ...} alone");
  if (!damping) return DM_OK;

  // speeds must be measured
  if (out->measure != FB_VELOCITY && out->measure != FB_DIFFERENCE)
    return pb_refuse_node(r, node,
                          "feedback.fallback: found damping beside measure: %s, which has no "
                          "velocities; expected measure: velocity or difference, or zero",
                          fb_form_names[out->measure]);
  DM_TRY(
      pb_schema_each(r, "feedback.fallback.damping", damping, ">= 0", "input", r->input, r->nu, D));

  // on a geared joint the force is gear u
  for (int j = 0; j < r->nu; j++) {
    const int coord = m->input_coord[j];
    if (D[j] > 0 && coord < 0)
      return pb_refuse_node(r, damping,
                            "feedback.fallback.damping: found '%.64s', which drives no joint: it "
                            "has no speed; expected 0 of it",
                            r->input[j]);
    along[j] = coord < 0 ? 0 : coord;
    D[j] *= coord < 0 ? 0 : m->input_gear[j];
  }
  return DM_OK;
}

// the bound on dx'P dx; auto: from the verification
static dm_status read_envelope_cost(const pb_reader *r, const feedback_section *s,
                                    const pb_feedback *feedback, double *cost) {
  const pb_node *node = s->envelope_cost;
  *cost = 0;
  if (!node || (node->kind == PB_SCALAR && !strcmp(node->text, "none"))) return DM_OK;

  // with the goal as a constraint, P is unbounded
  if (feedback->second_variation)
    return pb_refuse_node(
        r, node,
        "feedback.envelope_cost: found one beside Q: second-variation, whose P is "
        "not that of a law at the goal; expected none");
  *cost = INFINITY;
  if (node->kind == PB_SCALAR && !strcmp(node->text, "auto")) return DM_OK;

  // otherwise a positive number
  char found[64];
  double bound = 0;
  if (node->kind == PB_SCALAR && !node->quoted) pb_number_parse(node->text, &bound);
  if (bound > 0) *cost = bound;
  if (bound > 0) return DM_OK;
  return pb_refuse_node(r, node,
                        "feedback.envelope_cost: found %s, expected a number > 0, auto or none",
                        pb_node_describe(node, found));
}

// the region in which the controller acts, and the fallback outside
static dm_status read_envelope(const pb_reader *r, const pb_node *node, const feedback_section *s,
                               const pb_context *c, pb_feedback *out) {
  double *bound, *D;
  double cost;
  int *along;
  DM_TRY(read_envelope_cost(r, s, out, &cost));
  out->has_envelope = cost > 0;
  for (int i = 0; i < r->n; i++) out->has_envelope |= s->envelope[i] < INFINITY;
  if (!out->has_envelope && s->fallback)
    return pb_refuse_node(
        r, s->fallback,
        "feedback.fallback: found one without feedback.envelope or envelope_cost, "
        "beyond which it acts");
  if (!out->has_envelope) return DM_OK;

  // not with kinematic coordinates, for which zero is not a safe input
  const char *beside = c->task->system.nk ? "kinematic coordinates" : NULL;
  if (beside)
    return pb_refuse_node(r, pb_node_get(node, cost > 0 ? "envelope_cost" : "envelope"),
                          "feedback.envelope%s: found one beside %s, expected none",
                          cost > 0 ? "_cost" : "", beside);

  DM_TRY(pb_copy_numbers(r->arena, r->n, s->envelope, &bound));
  PB_NEW(r->arena, D, r->nu);
  PB_NEW(r->arena, along, r->nu);
  out->envelope = (fb_envelope){bound, D, along, cost};
  return read_damping(r, s->fallback, c, out, D, along);
}

// riccati (the steady solution at the goal), or weights
static dm_status read_Qf(const pb_reader *r, const pb_node *node, const pb_robot *robot,
                         pb_feedback *out) {
  static const char *const words[] = {"riccati"};
  state_weights f = {0};
  int word;
  if (!node) return DM_OK;
  if (node->kind == PB_SCALAR)
    return pb_schema_name(r, "feedback.Qf", node, "word", words, 1, &word);
  DM_TRY(pb_schema_read(r, "feedback.Qf", node, Q_keys, &f));
  if (f.outputs && out->second_variation)
    return pb_refuse_key(r, f.outputs,
                         "feedback.Qf.outputs: found weights beside 'Q: second-variation', "
                         "expected those of q and p alone");
  DM_TRY(read_output_weights(r, "feedback.Qf.outputs", f.outputs, robot, &out->Qf_outputs));
  return pb_join_numbers(r->arena, r->n, f.q, f.p, &out->Qf);
}

dm_status pb_feedback_read(pb_reader *r, const pb_node *node, const pb_context *c,
                           pb_feedback *out) {
  feedback_section s = {0};
  pb_reader all = *r; // one number also applies to kinematic coordinates
  if (!node) return read_limits(r, NULL, c, out);

  // angles without limits along which the whole robot is periodic
  PB_NEW(r->arena, out->turns, r->n);
  for (int i = 0; i < r->n; i++) out->turns[i] = dm_model_is_endless(c->robot->mechanism.model, i);
  DM_TRY(fb_full_turn_find(&c->task->system, out->turns));

  // weights for all inputs
  all.nf = all.nu;
  DM_TRY(pb_schema_read(&all, "feedback", node, pb_feedback_keys, &s));
  if (all.nu == 0 && !r->phase && c->robot->npassive) return pb_refuse_no_motor(r, node, c->robot);
  if (all.nu == 0 && !r->phase) // a phase may be without inputs
    return pb_refuse_key(r, node,
                         "feedback: found no input to act on, expected one: a joint whose limit in "
                         "the robot's file has an effort above 0, or one that 'inputs' names");
  DM_TRY(read_Q(r, node, &s, c, out));
  DM_TRY(pb_copy_numbers(r->arena, all.nu, s.R, &out->R));
  DM_TRY(read_limits(r, node, c, out));
  DM_TRY(read_integral(&all, s.integral, &s, c, out));
  if (s.tune) DM_TRY(pb_schema_read(r, "feedback.tune", s.tune, pb_tune_keys, &(pb_tune){0}));

  // the end is held by steady gains, which have no separate Qf
  out->rest_time = s.hold;
  const bool open = !c->rest && !c->task->periodic; // not for motions without an end
  out->keeps_end = !pb_node_get(node, "hold") && open && !out->second_variation && !r->goes_on;
  if (out->rest_time > 0 && r->goes_on)
    return pb_refuse_node(r, pb_node_get(node, "hold"),
                          "feedback.hold: found one in a phase that another one follows, expected "
                          "it of the last one");
  if (out->rest_time > 0 && c->task->periodic)
    return pb_refuse_node(r, pb_node_get(node, "hold"),
                          "feedback.hold: found one beside a periodic motion, expected none: it "
                          "goes on as it began");
  if (out->rest_time > 0 && c->rest)
    return pb_refuse_node(
        r, pb_node_get(node, "hold"),
        "feedback.hold: found one beside 'balance', expected none: balance.time says how long");
  if (c->rest && s.Qf && s.Qf->kind != PB_SCALAR)
    return pb_refuse_node(r, s.Qf,
                          "feedback.Qf: found weights beside 'balance', expected none: its one "
                          "gain is the steady one");
  if (out->rest_time > 0 && s.Qf && s.Qf->kind != PB_SCALAR)
    return pb_refuse_node(r, s.Qf, "feedback.Qf: found weights beside 'hold', expected riccati");

  DM_TRY(read_controller(r, node, &s, c, out));
  out->has_estimator = s.estimator != NULL;
  DM_TRY(read_envelope(&all, node, &s, c, out));
  DM_TRY(read_schedule(r, node, &s, c, out));
  // between knots the plan's input changes at once
  if (!pb_node_get(node, "rate_limit") && !isfinite(s.rate) && !s.friction && r->nf == r->nu)
    DM_TRY(pb_drives_rates(r, &c->robot->drives, true, &s.rate_limit));
  DM_TRY(read_rate_limit(r, node, &s, c, out));
  DM_TRY(read_friction(&all, &s, c, out));
  DM_TRY(pb_estimator_read(r, s.estimator, &c->robot->mechanism, &c->task->system, s.delay,
                           &out->sensors, &out->by_map));
  DM_TRY(pb_foresee_controller(r, node, c, out));
  return read_Qf(r, s.Qf, c->robot, out);
}

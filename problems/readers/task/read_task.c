#include "problems/readers/task/read_task.h"

#include "lib/base/names.h"
#include "lib/discrete/assembly.h"
#include "optim/task/between_knots.h"
#include "problems/readers/format/number.h"
#include "problems/readers/model/clock.h"
#include "problems/readers/model/drives.h"
#include "problems/readers/model/keyframe.h"
#include "problems/readers/task/cost_terms.h"
#include "problems/readers/task/read_cones.h"
#include "problems/readers/task/read_goal.h"
#include "problems/readers/task/read_knots.h"
#include "problems/readers/task/read_outputs.h"
#include "problems/readers/task/read_path.h"
#include "problems/readers/task/read_reference.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct free_section {
  const pb_node *free;
  double guess;
} free_section;

static const pb_key free_keys[] = {
    PB_KEY(free_section, free, .type = PB_NODE, .also = "min max low high bounds range",
           .unit = "s", .absent = PB_REQUIRED, .words = "[low, high]",
           .about = "Range of a free duration, 0 < low < high"),
    PB_KEY(free_section, guess, .type = PB_NUMBER, .unit = "s", .range = "> 0",
           .note = "the middle", .about = "Initial guess of a free duration"),
    {0}};

typedef struct horizon_section {
  int steps, asked, refine;
  const pb_node *time, *knots, *density, *steps_free;
  double turn, gap, between, error;
} horizon_section;

const pb_key pb_horizon_keys[] = {
    PB_KEY(horizon_section, steps, .type = PB_INTEGER,
           .also = "N nodes samples n_steps num_steps num_time_samples", .range = ">= 1",
           .note = "required without `knots`",
           .about = "Number N of steps, of equal length by default"),
    PB_KEY(horizon_section, time, .type = PB_NODE, .also = "T tf duration final_time", .unit = "s",
           .absent = PB_REQUIRED, .words = "number > 0, or a section", .sub = free_keys,
           .about = "Duration T, fixed or free"),
    PB_KEY(horizon_section, knots, .type = PB_NODE, .also = "times grid", .unit = "s",
           .note = "equal steps", .words = "list of N+1 numbers",
           .about = "Times of the knots, from 0 to T; if T is free, shares from 0 to 1"),
    PB_KEY(horizon_section, density, .type = PB_NODE, .also = "mesh grading", .note = "equal steps",
           .words = "expression of s, or a table",
           .about = "Instead of `knots`: knots per time, in any unit, by the share s of T"),
    PB_KEY(horizon_section, steps_free, .type = PB_NODE, .unit = "s", .note = "false",
           .words = "true, or [low, high]", .about = "Free step lengths; `true`: 1/5 to 5 of T/N"),
    PB_KEY(horizon_section, turn, .type = PB_NUMBER, .unit = "rad", .range = "> 0",
           .absent = "pi/2", .words = "none",
           .about = "Largest rotation per step of a joint in a solution"),
    PB_KEY(horizon_section, gap, .type = PB_NUMBER, .range = "> 0", .absent = "0.25",
           .words = "none",
           .about = "Largest distance between the plant after one step and the next knot, as a "
                    "share of the larger of two lengths: the coordinate's longest step (plus 0.001 "
                    "m or rad), and 2 % of its range"),
    PB_KEY(horizon_section, between, .type = PB_NUMBER, .unit = "m, rad or 1", .range = "> 0",
           .absent = "1e-4", .words = "none",
           .about = "Largest violation of an output limit between knots; for a power above 1 W, "
                    "relative to the limit"),
    PB_KEY(horizon_section, error, .type = PB_NUMBER, .also = "accuracy precision",
           .range = "(0, 1)", .absent = "none", .words = "none",
           .about =
               "Largest relative discretization error of the objective and of a free duration"),
    PB_KEY(horizon_section, refine, .type = PB_INTEGER, .range = "[0, 10]", .absent = "4",
           .about = "How often dmoc may double the steps to meet these limits"),
    PB_KEY(horizon_section, asked, .type = PB_INTEGER, .range = ">= 1", .note = "`steps`",
           .about = "Steps that `knot K`, tables without a column `t`, and `verify.start.hold` "
                    "refer to; dmoc sets it when it refines the grid"),
    {0}};

typedef struct rule_section {
  const char *lagrangian, *force;
  const pb_node *second;
  double alpha;
} rule_section;

#define RULE_WORD(word, ...) " " word
const pb_key pb_rule_keys[] = {
    PB_KEY(rule_section, lagrangian, .type = PB_WORD, .absent = "midpoint",
           .words = DM_LAGRANGIAN_RULES(RULE_WORD),
           .about = "Nodes of the Lagrangian in a step; `lobatto-3` has order 4, `lobatto-4` "
                    "order 6, the others order 2"),
    PB_KEY(rule_section, alpha, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0.5",
           .about = "Position of the midpoint rule's node in the step; 0.5 has order 2"),
    PB_KEY(rule_section, force, .type = PB_WORD, .absent = "midpoint",
           .words = DM_FORCE_RULES(RULE_WORD),
           .about = "`midpoint`: half of the impulse acts at each end of the step; `left`: all of "
                    "it at the left end (not with `lobatto-3`, `lobatto-4`)"),
    PB_KEY(rule_section, second, .type = PB_NODE, .absent = "hermite-gauss",
           .words = "hermite-gauss, hermite-lobatto, taylor, taylor-ends, difference-ends, "
                    "difference-midpoint, or by rule",
           .about = "Rule of a second-order transcription, or a weighted average of several "
                    "(theory, section 13); Hermite rules have order 4, Taylor rules order 2, and "
                    "the degenerate difference rules are refused"),
    {0}};
#undef RULE_WORD

const pb_key pb_start_keys[] = {
    PB_END_KEYS,
    PB_KEY(pb_end, held, .type = PB_WORD, .absent = "false", .words = "false true",
           .about = "`true`, instead of `v`: the robot rested in the step before, p = D2(q, q)"),
    {0}};

typedef struct bounds_section {
  pb_range q, u;
  const double *v, *a, *jerk, *rate;
  const pb_node *lambda, *friction, *outputs;
} bounds_section;

const pb_key pb_bounds_keys[] = {
    PB_KEY(bounds_section, q, .type = PB_RANGE_COORD, .also = "position positions joints x state",
           .unit = "m or rad", .note = "the robot's",
           .about = "Position limits at every knot; `none` removes a limit"),
    PB_KEY(bounds_section, v, .type = PB_EACH_COORD, .also = "velocity velocities speed qd qdot dq",
           .unit = "m/s or rad/s", .range = "> 0", .rest = "free", .note = "the robot's",
           .words = "none", .about = "Speed limits at every knot and at the middle of every step"),
    PB_KEY(bounds_section, a, .type = PB_EACH_COORD, .also = "acceleration accelerations qdd",
           .unit = "m/s2 or rad/s2", .range = "> 0", .rest = "none", .note = "none",
           .words = "none", .about = "Acceleration limits at knots, from three positions"),
    PB_KEY(bounds_section, jerk, .type = PB_EACH_COORD, .also = "jerks", .unit = "m/s3 or rad/s3",
           .range = "> 0", .rest = "none", .note = "none", .words = "none",
           .about = "Jerk limits, from four positions"),
    PB_KEY(bounds_section, u, .type = PB_RANGE_INPUT,
           .also = "effort efforts torque torques force input inputs control controls",
           .unit = "N or N m", .note = "those of inputs",
           .about = "Input limits; a single range applies to all forces"),
    PB_KEY(bounds_section, rate, .type = PB_EACH_INPUT, .also = "du input_rate slew",
           .unit = "N/s or N m/s", .range = "> 0", .rest = "free", .note = "none", .words = "none",
           .about = "Largest rate of forces, (u_(k+1) - u_k) / h"),
    PB_KEY(bounds_section, lambda, .type = PB_NODE, .also = "impulse impulses constraints",
           .unit = "N s / m", .note = "none", .words = "[low, high], or by constraint",
           .about = "Limits of each step's constraint impulse (names of `trajectory.csv`); for a "
                    "`distance`, `[0, none]` is a cable that never pushes"),
    PB_KEY(bounds_section, friction, .type = PB_NODE, .note = "none", .also = "cone cones",
           .words = "number > 0 or section, by constraint", .sub = pb_cone_keys,
           .about = "Coulomb cones of constraints that pin points to the ground, in steps and "
                    "impacts"),
    PB_KEY(bounds_section, outputs, .type = PB_NODE, .note = "none",
           .words = "[low, high] by output",
           .about = "Limits of outputs at every knot; for inputs and powers in every step"),
    {0}};

typedef struct weights_section {
  const double *q, *v, *p;
} weights_section;

static const pb_key weights_keys[] = {
    PB_KEY(weights_section, q, .type = PB_EACH_COORD, .unit = "per m2 or rad2", .range = ">= 0",
           .about = "Weight on positions at knots, by the trapezoid rule; with `weighting: sum` at "
                    "the left knot"),
    PB_KEY(weights_section, v, .type = PB_EACH_COORD, .unit = "per (m/s)2 or (rad/s)2",
           .range = ">= 0",
           .about = "Weight on velocities; a running cost takes the velocity of the step, (q_(k+1) "
                    "- q_k)/h"),
    PB_KEY(weights_section, p, .type = PB_EACH_COORD, .unit = "per (N s)2 or (N m s)2",
           .range = ">= 0", .about = "Weight on momenta, as q"),
    {0}};

typedef struct cost_section {
  const double *input, *rate, *acceleration, *jerk;
  pb_cost_weights terms;
  weights_section state, terminal;
  const pb_node *reference, *penalty, *constants, *outputs, *minimize, *maximize;
  double time;
  const char *weighting, *lagrangian, *per;
} cost_section;

#define TERM_KEY(key_, OF, activation, text, unit_, about_)                                        \
  {.key = #key_,                                                                                   \
   .type = PB_EACH_##OF,                                                                           \
   .at = offsetof(cost_section, terms.key_),                                                       \
   .unit = unit_,                                                                                  \
   .range = ">= 0",                                                                                \
   .about = about_},
const pb_key pb_cost_keys[] = {
    PB_KEY(cost_section, input, .type = PB_EACH_INPUT,
           .also = "R u control controls effort torque inputs", .unit = "per N2 or (N m)2",
           .range = ">= 0", .about = "w in w/2 (u - ref)^2, per step"),
    PB_KEY(cost_section, rate, .type = PB_EACH_INPUT, .also = "du input_rate slew",
           .unit = "per (N/s)2 or (N m/s)2", .range = ">= 0",
           .about = "w in w/2 ((u_(k+1) - u_k)/h)^2; without this and `cost.input`, a small "
                    "tie-break prevents oscillation (theory, section 6); 0 disables it"),
    PB_KEY(cost_section, acceleration, .type = PB_EACH_COORD, .also = "a acc",
           .unit = "per (m/s2)2 or (rad/s2)2", .range = ">= 0",
           .about = "w in w/2 a^2; a from three knots (theory, section 6)"),
    PB_KEY(cost_section, jerk, .type = PB_EACH_COORD, .also = "smoothness",
           .unit = "per (m/s3)2 or (rad/s3)2", .range = ">= 0",
           .about = "w in w/2 j^2; j from four knots"),
    PB_COST_TERMS(TERM_KEY)
        PB_KEY(cost_section, state, .type = PB_SECTION, .also = "Q x running stage",
               .sub = weights_keys, .about = "Running cost of the deviation from the reference"),
    PB_KEY(cost_section, terminal, .type = PB_SECTION, .also = "Qf QN P final goal end",
           .sub = weights_keys, .about = "Cost of the deviation at the last knot"),
    PB_KEY(cost_section, reference, .type = PB_NODE, .note = "0", .words = "section",
           .sub = pb_reference_keys,
           .about = "Reference of state and input: one of the three below"),
    PB_KEY(cost_section, penalty, .type = PB_NODE, .unit = "per m s or rad s",
           .words = "number >= 0, or by coordinate",
           .about = "Second-order transcriptions: slope of a penalty outside `bounds.q` instead "
                    "of the bound"),
    PB_KEY(cost_section, lagrangian, .type = PB_TEXT, .also = "L formula polynomial",
           .unit = "per s",
           .about = "Second- and third-order transcriptions: a polynomial in the coordinates and "
                    "their derivatives"),
    PB_KEY(cost_section, constants, .type = PB_NODE, .words = "by name",
           .about = "Named constants of `cost.lagrangian`"),
    PB_KEY(cost_section, minimize, .type = PB_NODE, .words = "expression",
           .about =
               "Adds the value at the goal of an expression, as in `outputs[].formula`; it becomes "
               "the output `minimize`"),
    PB_KEY(cost_section, maximize, .type = PB_NODE, .words = "expression",
           .about = "Subtracts it; the output `maximize`"),
    PB_KEY(cost_section, outputs, .type = PB_LIST, .also = "tool", .sub = pb_output_cost_keys,
           .about = "Costs w a(y - reference) of outputs, with an activation a"),
    PB_KEY(cost_section, time, .type = PB_NUMBER, .unit = "per s", .range = ">= 0", .absent = "0",
           .about = "Adds w T; `time: 1` alone asks for the minimum time"),
    PB_KEY(cost_section, per, .type = PB_TEXT, .also = "over divided_by ratio",
           .note = "the motion",
           .about = "`time` or a coordinate: divides the cost by the free duration, or by its "
                    "travel"),
    PB_KEY(cost_section, weighting, .type = PB_WORD, .absent = "integral", .words = "integral sum",
           .about = "`integral`: running costs are multiplied by the step h; `sum`: they are not"),
    {0}};

dm_status pb_system_read(const pb_reader *r, const pb_node *rule, const pb_robot *robot,
                         oc_task *task) {
  rule_section s = {0};
  dm_message why = {""};

  // L, f and h of the robot, with the task's rule
  DM_TRY(pb_schema_read(r, "rule", rule, pb_rule_keys, &s));
  task->system = dm_robot_system(&robot->mechanism);
  task->coord_name = robot->mechanism.model->name;
  dm_status status = dm_rule_set(&task->system.rule, s.lagrangian, s.alpha, s.force, &why);
  return status == DM_OK ? DM_OK : pb_refuse_node(r, rule, "rule: %s", why.text);
}

dm_status pb_step_check(const pb_reader *r, const char *path, const pb_node *node, double h) {
  if (h >= 1e-9 && isfinite(h)) return DM_OK;
  return pb_refuse_node(r, node, "%s: found a step of %g s, expected at least 1e-9 s", path, h);
}

// time: a number, or {free: [low, high], guess}; task->N must be known
static dm_status read_time(const pb_reader *r, const pb_node *node, oc_task *task) {
  free_section s = {.guess = NAN};
  double limit[2];
  char found[64];

  // fixed T
  if (node->kind != PB_MAPPING) {
    double x;
    if (node->kind == PB_SEQUENCE || pb_number_parse(node->text, &x) == DM_BAD_INPUT)
      return pb_refuse_node(r, node,
                            "horizon.time: found %s, expected a number > 0, or {free: [low, high]}",
                            pb_node_describe(node, found));
    DM_TRY(pb_schema_number(r, "horizon.time", node, "> 0", &task->time.T));
    return pb_step_check(r, "horizon.time", node, oc_task_step(task));
  }

  // T free within [low, high]; the step must be valid for the shortest time
  DM_TRY(pb_schema_read(r, "horizon.time", node, free_keys, &s));
  DM_TRY(pb_schema_list(r, "horizon.time.free", s.free, 2, limit));
  if (!(limit[0] > 0 && limit[0] < limit[1]))
    return pb_refuse_node(r, s.free, "horizon.time.free: found [%g, %g], expected 0 < low < high",
                          limit[0], limit[1]);
  DM_TRY(pb_step_check(r, "horizon.time.free", s.free, limit[0] / task->N));

  // the initial guess, by default the middle
  task->time.free = true;
  task->time.min = limit[0];
  task->time.max = limit[1];
  task->time.T = isnan(s.guess) ? (limit[0] + limit[1]) / 2 : s.guess;
  if (task->time.T < limit[0] || task->time.T > limit[1])
    return pb_refuse_node(r, pb_node_get(node, "guess"),
                          "horizon.time.guess: found %g, expected a time in [%g, %g]", task->time.T,
                          limit[0], limit[1]);
  return DM_OK;
}

bool pb_start_is_at_rest(const pb_end *start) {
  return start->held && !strcmp(start->held, "true");
}

dm_status pb_start_read(const pb_reader *r, const pb_node *node, pb_end *out) {
  DM_TRY(pb_schema_read(r, "start", node, pb_start_keys, out));
  DM_TRY(pb_keyframe_read(r, "start.keyframe", node, out));
  if (pb_start_is_at_rest(out)) DM_TRY(pb_clock_refuse(r, pb_node_get(node, "held"), "start.held"));
  if (!pb_start_is_at_rest(out)) return pb_clock_start(r, "start", node, &out->q, &out->v);

  // the velocity follows from rest and may not be given
  if (pb_node_get(node, "v"))
    return pb_refuse_node(r, pb_node_get(node, "v"),
                          "start.v: found one beside 'held: true', expected none");
  double *v;
  PB_NEW(r->arena, v, r->n);
  out->v = v;
  return DM_OK;
}

dm_status pb_start_rest(const pb_reader *r, const pb_node *start, oc_task *task) {
  const pb_node *held = pb_node_get(start, "held");
  double *v;
  if (!held || strcmp(held->text, "true")) return DM_OK;

  // rest before the start needs a known step
  if (task->time.free)
    return pb_refuse_node(r, held,
                          "start.held: found true beside a free final time, expected a fixed one: "
                          "p = D2(q, q) depends on the step");
  PB_NEW(r->arena, v, r->n);
  dm_status status = dm_assembly_stand(&task->system, task->start.q, oc_task_step(task), v);
  if (status != DM_OK && status != DM_NO_MEMORY)
    return pb_refuse_node(r, held, "start.held: no start that stood still: %s",
                          dm_status_text(status));
  task->start.v = v;
  return status;
}

// warn about a start that is free because it was not given
static dm_status warn_free(pb_reader *r, const pb_node *start, const char *key, const bool *known) {
  const pb_node *node = pb_node_get(start, key);

  // missing completely, or for some coordinates
  if (!node)
    return pb_warn(r, r->file, start->line, "start has no %s: it is free for every coordinate",
                   key);
  for (int i = 0; node->kind == PB_MAPPING && i < r->n; i++)
    if (!pb_schema_entry(r, node, i) && !(known && known[i]) && !pb_clock_is(r, i))
      DM_TRY(
          pb_warn(r, r->file, node->line, "start.%s has no '%.64s': it is free", key, r->coord[i]));
  return DM_OK;
}

// refuse an end outside the bounds
static dm_status check_end(const pb_reader *r, const char *end, const pb_node *section,
                           const char *key, const double *x, const double *low,
                           const double *high) {
  const pb_node *node = pb_node_get(section, key);
  for (int i = 0; node && i < r->n; i++) {
    // free, or within the bounds
    if (isnan(x[i]) || (x[i] >= low[i] && x[i] <= high[i])) continue;
    const pb_node *entry = pb_schema_entry(r, node, i);
    return pb_refuse_node(
        r, entry ? entry : node,
        "%s.%s: found %g for '%.64s', expected a value within its bounds [%g, %g]", end, key, x[i],
        r->coord[i], low[i], high[i]);
  }
  return DM_OK;
}

// values of the file, with the robot's where missing
static void replace_said(int n, const double *said, const double *robot, double *out) {
  for (int i = 0; i < n; i++) out[i] = said && !isnan(said[i]) ? said[i] : robot[i];
}

dm_status pb_inputs_limit(const pb_reader *r, const dm_model *m, dm_bounds q, double **out_low,
                          double **out_high) {
  double *low, *high;
  int nu = m->nu;
  PB_NEW(r->arena, low, r->nu);
  PB_NEW(r->arena, high, r->nu);

  // forces, then kinematic coordinates, whose inputs are their next values
  for (int i = 0; i < nu; i++) {
    low[i] = m->u_min[i];
    high[i] = m->u_max[i];
  }
  for (int i = 0; i < m->nq; i++)
    if (m->kinematic[i]) {
      low[nu] = q.low[i];
      high[nu++] = q.high[i];
    }
  *out_low = low;
  *out_high = high;
  return DM_OK;
}

// limits of constraint impulses, by row names
static dm_status read_impulses(const pb_reader *r, const pb_node *node, oc_task *task) {
  double *low, *high;
  if (!node) return DM_OK;

  // no limit by default
  PB_NEW(r->arena, low, r->nc);
  PB_NEW(r->arena, high, r->nc);
  for (int c = 0; c < r->nc; c++) {
    low[c] = -INFINITY;
    high[c] = INFINITY;
  }
  DM_TRY(pb_schema_ranges(r, "bounds.lambda", node, "constraint", r->row, r->nc, r->nc, low, high));
  task->bounds[OC_LAMBDA] = (dm_bounds){low, high};
  return DM_OK;
}

// whether a value is one number or one range for all inputs; not for names, lists, none and 0
static bool is_for_all(const pb_node *node, char text[80]) {
  double x;
  if (node->kind == PB_SCALAR) {
    snprintf(text, 80, "%.40s", node->text);
    return pb_number_parse(node->text, &x) == DM_OK && x != 0;
  }

  // [low, high] has two scalar entries
  const pb_node *low = node->kind == PB_SEQUENCE && node->n == 2 ? node->first : NULL;
  if (!low || low->kind != PB_SCALAR || low->next->kind != PB_SCALAR) return false;
  snprintf(text, 80, "[%.36s, %.36s]", low->text, low->next->text);
  return true;
}

// Warn about a value for all forces if there are no forces. instead: advice for kinematic inputs.
static dm_status warn_unreached(pb_reader *r, const pb_node *section, const char *of,
                                const char *key, const char *instead) {
  const pb_node *node = pb_node_get(section, key);
  char names[200], text[80];
  if (!node || r->nf > 0 || !is_for_all(node, text)) return DM_OK;

  // no inputs, or only kinematic coordinates
  if (r->nu == 0)
    return pb_warn(r, r->file, node->line, "%s.%s: %s reaches nothing: there are no inputs", of,
                   key, text);
  dm_names_join(r->input, r->nu, names, sizeof names);
  return pb_warn(r, r->file, node->line,
                 "%s.%s: %s reaches nothing: one %s is for all forces, and there are none: the "
                 "inputs are kinematic (%s); %s",
                 of, key, text, node->kind == PB_SCALAR ? "number" : "range", names, instead);
}

// the torque-speed lines of motors, as path constraints; their lags
static dm_status add_lines(const pb_reader *r, const pb_node *drives, const dm_drive_limits *d,
                           oc_task *task) {
  oc_path_constraint *list;
  for (int i = 0; i < d->n; i++) {
    if (!(d->lag[i] > 0)) continue;
    if (d->lag[i] > task->time.T)
      return pb_refuse_node(
          r, drives,
          "model.drives[].lag: found %g s of '%.64s', longer than the motion of %g s, "
          "expected a shorter one: its torque could not follow any command",
          d->lag[i], r->input[i], task->time.T);
    if (r->phase)
      return pb_refuse_node(
          r, drives,
          "model.drives[].lag: found %g s of '%.64s' beside phases, expected none: the "
          "torques of two phases do not join",
          d->lag[i], r->input[i]);
    task->lag = d->lag;
  }
  if (!dm_drive_limits_lines(d)) return DM_OK;
  PB_NEW(r->arena, list, d->n);
  for (int i = 0; i < d->n; i++)
    if (d->slope[i] > 0)
      list[task->functions.npaths++] = (oc_path_constraint){
          .y = dm_drive_limits_function(d), .row = i, .low = -d->stall[i], .high = d->stall[i]};
  task->functions.paths = list;
  return DM_OK;
}

// read values for rates of forces, by default `absent`; kinematic coordinates have none
static dm_status read_rates(const pb_reader *r, const pb_node *node, const char *path,
                            const double *said, double absent, const double **out) {
  double *rate;
  *out = NULL;
  if (!said) return DM_OK;

  // the input of a kinematic coordinate is a position, whose rate would be a velocity
  for (int j = r->nf; node && j < r->nu; j++)
    if (node->kind == PB_MAPPING && !isnan(said[j]) && said[j] != absent)
      return pb_refuse_node(r, node, "%s: found '%.64s', which is kinematic, expected a force",
                            path, r->input[j]);

  // forces, in N/s or N m/s; kinematic coordinates keep 0
  PB_NEW(r->arena, rate, r->nu);
  for (int j = 0; j < r->nf; j++) rate[j] = isnan(said[j]) ? absent : said[j];
  *out = rate;
  return DM_OK;
}

// limits of q, v, u, du/dt and impulses; the file overrides the robot
static dm_status read_bounds(pb_reader *r, const pb_node *node, const pb_robot *robot,
                             oc_task *task) {
  const dm_model *m = robot->mechanism.model;
  bounds_section s = {0};
  const dm_limits limits = dm_model_limits(m);
  double *low, *high, *fast, *u_min, *u_max;
  DM_TRY(pb_schema_read(r, "bounds", node, pb_bounds_keys, &s));
  DM_TRY(warn_unreached(r, node, "bounds", "u",
                        "limit their coordinates (bounds.q), or name them in bounds.u"));
  DM_TRY(warn_unreached(r, node, "bounds", "rate", "limit their speeds (bounds.v)"));

  // by coordinate
  PB_NEW(r->arena, low, r->n);
  PB_NEW(r->arena, high, r->n);
  PB_NEW(r->arena, fast, r->n);
  replace_said(r->n, s.q.low, limits.q.low, low);
  replace_said(r->n, s.q.high, limits.q.high, high);
  replace_said(r->n, s.v, limits.v.high, fast);
  task->bounds[OC_Q] = (dm_bounds){low, high};
  task->bounds[OC_V].high = fast;
  task->bounds[OC_A].high = s.a;
  task->bounds[OC_JERK].high = s.jerk;

  // by row, by force; inputs of kinematic coordinates have the limits of q
  DM_TRY(read_impulses(r, s.lambda, task));
  DM_TRY(pb_drives_rates(r, &robot->drives, false, &s.rate));
  DM_TRY(read_rates(r, pb_node_get(node, "rate"), "bounds.rate", s.rate, INFINITY,
                    &task->bounds[OC_RATE].high));
  DM_TRY(pb_inputs_limit(r, m, task->bounds[OC_Q], &u_min, &u_max));
  replace_said(r->nu, s.u.low, u_min, u_min);
  replace_said(r->nu, s.u.high, u_max, u_max);
  task->bounds[OC_U] = (dm_bounds){u_min, u_max};
  return DM_OK;
}

// start and goal, on the constraints and within the bounds
static dm_status read_ends(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                           oc_task *task) {
  pb_end start = {0};
  pb_end goal = {0};
  DM_TRY(pb_start_read(r, s->start, &start));
  DM_TRY(pb_goal_read(r, s->goal, robot->mechanism.model, &goal, task));

  DM_TRY(pb_clock_free(r, &goal.q, &goal.v));
  DM_TRY(pb_clock_refuse(r, pb_goal_periodic(s->goal), "goal.periodic"));

  // warn about ends that are free by omission; in a periodic motion they are found by the search
  const bool open = !task->periodic;
  if (open && strcmp(start.assemble, "energy")) DM_TRY(warn_free(r, s->start, "q", NULL));
  if (open && !pb_start_is_at_rest(&start))
    DM_TRY(warn_free(r, s->start, "v", task->system.kinematic)); // kinematic velocities are 0
  if (open)
    DM_TRY(pb_goal_warn(r, s->goal, &goal, pb_goal_has_speeds(s, robot), task->system.kinematic));

  // each end uses the other as its initial guess
  DM_TRY(pb_end_assemble(r, s->start, "start", &task->system, goal.q, &start));
  if (open) DM_TRY(pb_end_assemble(r, s->goal, "goal", &task->system, start.q, &goal));

  // rest needs a complete configuration
  for (int i = 0; pb_start_is_at_rest(&start) && i < r->n; i++)
    if (isnan(start.q[i]))
      return pb_refuse_node(r, pb_node_get(s->start, "held"),
                            "start.held: found true where '%.64s' is free in q, expected all of "
                            "q",
                            r->coord[i]);

  // ends outside the bounds would be infeasible
  double *slowest;
  PB_NEW(r->arena, slowest, r->n);
  for (int i = 0; i < r->n; i++) slowest[i] = -oc_high(task, OC_V, i);
  DM_TRY(check_end(r, "start", s->start, "q", start.q, task->bounds[OC_Q].low,
                   task->bounds[OC_Q].high));
  DM_TRY(check_end(r, "start", s->start, "v", start.v, slowest, task->bounds[OC_V].high));
  DM_TRY(
      check_end(r, "goal", s->goal, "q", goal.q, task->bounds[OC_Q].low, task->bounds[OC_Q].high));
  DM_TRY(check_end(r, "goal", s->goal, "v", goal.v, slowest, task->bounds[OC_V].high));
  task->start = (oc_end){start.q, start.v};
  task->goal = (oc_end){goal.q, goal.v};
  return pb_goal_check(r, s->goal, task);
}

// the divisor of a cost: the free time, or the travel of a coordinate with a fixed sign
static dm_status read_per(const pb_reader *r, const pb_node *node, oc_task *task) {
  double low, high;
  if (!node) return DM_OK;
  if (!strcmp(node->text, "time") && dm_names_find(r->coord, r->n, "time") < 0) {
    task->per.of = OC_PER_TIME;
    if (task->time.free) return DM_OK;
    return pb_refuse_node(r, node,
                          "cost.per: found time where horizon.time is fixed, expected it free");
  }

  // meters or radians of a periodic motion
  DM_TRY(pb_schema_name(r, "cost.per", node, "coordinate", r->coord, r->n, &task->per.coord));
  task->per.of = OC_PER_TRAVEL;
  if (!task->periodic)
    return pb_refuse_node(r, node,
                          "cost.per: found '%.64s' of a motion with a goal of its own, expected "
                          "'time', or 'goal: {periodic: true, travel: ...}'",
                          node->text);
  oc_task_travel(task, task->per.coord, &low, &high);
  if (low > 0 || high < 0) return DM_OK;
  return pb_refuse_node(r, node,
                        "cost.per: found '%.64s', whose goal.travel is [%g, %g], expected one that "
                        "is not 0, as [0.1, 2]",
                        node->text, low, high);
}

// weights, terms, and the reference of a running cost
static dm_status read_cost(pb_reader *r, const pb_sections *s, const dm_model *m, oc_task *task) {
  const char *instead = "weigh their speeds (cost.state.v), or name them in cost.input";
  cost_section c = {0};
  DM_TRY(pb_schema_read(r, "cost", s->cost, pb_cost_keys, &c));

  // warn about weights without effect
  DM_TRY(warn_unreached(r, s->cost, "cost", "input", instead));
  DM_TRY(warn_unreached(r, s->cost, "cost", "rate", instead));

  // int 1/2 (u'Ru + x'Qx) dt + 1/2 x'Qf x + w T
  task->sum = !strcmp(c.weighting, "sum");
  task->cost[OC_U].running = c.input;
  DM_TRY(read_rates(r, pb_node_get(s->cost, "rate"), "cost.rate", c.rate, 0,
                    &task->cost[OC_RATE].running));
  if (oc_has_weight(r->n, c.acceleration)) task->cost[OC_A].running = c.acceleration;
  if (oc_has_weight(r->n, c.jerk)) task->cost[OC_JERK].running = c.jerk;

  // Q and Qf are diagonal in (q, v, p); their reference is on the grid, with the guess of a free T
  task->cost[OC_Q] = (oc_weights){.running = c.state.q, .goal = c.terminal.q};
  task->cost[OC_V] = (oc_weights){.running = c.state.v, .goal = c.terminal.v};
  task->cost[OC_P] = (oc_weights){.running = c.state.p, .goal = c.terminal.p};
  task->time.weight = c.time;
  DM_TRY(pb_cost_terms_read(r, s->cost, m, &c.terms, task));
  DM_TRY(pb_reference_read(r, c.reference, task));
  DM_TRY(read_per(r, pb_node_get(s->cost, "per"), task));

  // warn about a cost of zero: any feasible motion is optimal; in a passive phase it may be the only one
  if (!s->cost && r->phase && task->system.nu + task->system.nk == 0) return DM_OK;
  if (!s->cost)
    return pb_warn(r, r->file, s->horizon->line,
                   "found no cost: any motion that meets the goal is as good as another; 'cost: "
                   "{input: 1}' asks for the least effort");
  if (!(c.time > 0 || c.outputs || c.minimize || c.maximize || c.penalty || c.lagrangian ||
        task->functions.nterms || oc_task_has_weights(task)))
    return pb_warn(r, r->file, s->cost->line,
                   "cost has no weight above 0: any motion that meets the goal is as good as "
                   "another; %s",
                   r->nf ? "input: 1 asks for the least effort"
                         : "state: {v: 1} asks for the least speeds");
  // warn about a weight on a fixed time
  if (c.time > 0 && !task->time.free)
    return pb_warn(r, r->file, pb_node_get(s->cost, "time")->line,
                   "cost.time changes nothing where horizon.time is fixed");
  return DM_OK;
}

dm_status pb_task_read(pb_reader *r, const pb_sections *s, const pb_robot *robot, oc_task *task,
                       pb_fineness *fine) {
  horizon_section h = {0};
  DM_TRY(pb_schema_read(r, "horizon", s->horizon, pb_horizon_keys, &h));
  if (!h.steps) DM_TRY(pb_knots_count(r, s->horizon, h.knots, &h.steps));

  // the sizes of the program's matrices must fit in an int
  if ((h.steps + 1.0) * (8.0 * r->n + 2.0 * r->nu) * (r->n + r->nu + 1.0) > INT_MAX)
    return pb_refuse_node(r, pb_node_get(s->horizon, "steps"),
                          "horizon.steps: found %d, too many for %d coordinates and %d inputs",
                          h.steps, r->n, r->nu);
  task->N = h.steps;
  r->asked = h.asked ? h.asked : h.steps;
  *fine = (pb_fineness){.turn = h.turn,
                        .gap = h.gap,
                        .between = h.between,
                        .error = h.error,
                        .doublings = h.refine,
                        .asked = r->asked};
  // first the time and the knots, because other data is sampled on them; bounds before the ends
  DM_TRY(read_time(r, h.time, task));
  DM_TRY(pb_knots_read(r, h.knots, h.density, h.steps_free, task));
  if (!s->start) return pb_refuse(r, r->file, 1, 1, "found 'horizon' but no 'start', expected one");
  DM_TRY(read_bounds(r, s->bounds, robot, task));
  DM_TRY(add_lines(r, pb_node_get(s->model, "drives"), &robot->drives, task));
  DM_TRY(pb_cones_read(r, pb_node_get(s->bounds, "friction"), robot, task));
  DM_TRY(read_ends(r, s, robot, task));
  DM_TRY(read_cost(r, s, robot->mechanism.model, task));
  DM_TRY(pb_task_outputs_read(r, s, robot, task));

  // allocate margins that narrow limits by their violation between knots
  oc_outputs *o = &task->outputs;
  for (int i = 0; i < o->nlimits && !o->margins; i++)
    if (isfinite(h.between) && oc_between_has(o, task->N, i))
      PB_NEW(r->arena, o->margins, 2 * o->nlimits * (task->N + 1));
  pb_end start = {0};
  DM_TRY(pb_start_read(r, s->start, &start));
  return pb_path_read(r, s, robot, start.near, task);
}

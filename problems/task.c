#include "problems/task.h"

#include "problems/assembly.h"
#include "problems/names.h"
#include "problems/reference.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct free_section {
  const pb_node *free;
  double guess;
} free_section;

static const pb_key free_keys[] = {PB_KEY(free_section, free, .type = PB_NODE, .unit = "s",
                                          .absent = PB_REQUIRED, .words = "[low, high]"),
                                   PB_KEY(free_section, guess, .type = PB_NUMBER, .unit = "s",
                                          .range = "> 0", .note = "the middle"),
                                   {0}};

typedef struct horizon_section {
  int steps;
  const pb_node *time;
} horizon_section;

const pb_key pb_horizon_keys[] = {
    PB_KEY(horizon_section, steps, .type = PB_INTEGER, .range = ">= 1", .absent = PB_REQUIRED),
    PB_KEY(horizon_section, time, .type = PB_NODE, .unit = "s", .absent = PB_REQUIRED,
           .words = "number > 0, or a section", .sub = free_keys),
    {0}};

typedef struct rule_section {
  const char *lagrangian, *force, *second;
  double alpha;
} rule_section;

const pb_key pb_rule_keys[] = {
    PB_KEY(rule_section, lagrangian, .type = PB_WORD, .absent = "midpoint",
           .words = "midpoint trapezoid"),
    PB_KEY(rule_section, alpha, .type = PB_NUMBER, .range = "[0, 1]", .absent = "0.5"),
    PB_KEY(rule_section, force, .type = PB_WORD, .absent = "midpoint", .words = "midpoint left"),
    PB_KEY(rule_section, second, .type = PB_WORD, .absent = "hermite-gauss",
           .words = "hermite-gauss hermite-lobatto taylor taylor-ends difference-ends "
                    "difference-midpoint"),
    {0}};

const pb_key pb_end_keys[] = {
    PB_KEY(pb_end, q, .type = PB_EACH_COORD, .turn = "angle", .unit = "m or rad", .absent = "free",
           .rest = "free", .words = "free"),
    PB_KEY(pb_end, v, .type = PB_EACH_COORD, .turn = "rate", .unit = "m/s or rad/s",
           .absent = "free", .rest = "free", .words = "free"),
    PB_ASSEMBLE_KEYS(pb_end),
    {0}};

typedef struct bounds_section {
  pb_range q, u;
  const double *v;
  const pb_node *lambda;
} bounds_section;

const pb_key pb_bounds_keys[] = {
    PB_KEY(bounds_section, q, .type = PB_RANGE_COORD, .unit = "m or rad", .note = "the robot's"),
    PB_KEY(bounds_section, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .range = "> 0",
           .rest = "free", .note = "the robot's", .words = "none"),
    PB_KEY(bounds_section, u, .type = PB_RANGE_INPUT, .unit = "N or N m",
           .note = "those of inputs"),
    PB_KEY(bounds_section, lambda, .type = PB_NODE, .unit = "N s / m", .note = "none",
           .words = "[low, high] by constraint"),
    {0}};

typedef struct weights_section {
  const double *q, *v, *p;
} weights_section;

static const pb_key weights_keys[] = {
    PB_KEY(weights_section, q, .type = PB_EACH_COORD, .unit = "per m2 or rad2", .range = ">= 0"),
    PB_KEY(weights_section, v, .type = PB_EACH_COORD, .unit = "per (m/s)2 or (rad/s)2",
           .range = ">= 0"),
    PB_KEY(weights_section, p, .type = PB_EACH_COORD, .unit = "per (N s)2 or (N m s)2",
           .range = ">= 0"),
    {0}};

typedef struct cost_section {
  const double *input;
  weights_section state, terminal;
  const pb_node *reference, *penalty;
  double time;
  const char *weighting;
} cost_section;

const pb_key pb_cost_keys[] = {
    PB_KEY(cost_section, input, .type = PB_EACH_INPUT, .unit = "per N2 or (N m)2", .range = ">= 0"),
    PB_KEY(cost_section, state, .type = PB_SECTION, .sub = weights_keys),
    PB_KEY(cost_section, terminal, .type = PB_SECTION, .sub = weights_keys),
    PB_KEY(cost_section, reference, .type = PB_NODE, .note = "0", .words = "section",
           .sub = pb_reference_keys),
    PB_KEY(cost_section, penalty, .type = PB_NODE, .unit = "per m s or rad s",
           .words = "number >= 0, or by coordinate"),
    PB_KEY(cost_section, time, .type = PB_NUMBER, .unit = "per s", .range = ">= 0", .absent = "0"),
    PB_KEY(cost_section, weighting, .type = PB_WORD, .absent = "integral", .words = "integral sum"),
    {0}};

dm_status pb_system_read(const pb_reader *r, const pb_node *rule, const pb_robot *robot,
                         oc_task *task) {
  rule_section s = {0};
  dm_message why = {""};
  DM_TRY(pb_schema_read(r, "rule", rule, pb_rule_keys, &s));
  task->system = pb_robot_system(robot);
  task->coord_name = robot->model->name;
  dm_status status = dm_rule_set(&task->system.rule, s.lagrangian, s.alpha, s.force, &why);
  return status == DM_OK ? DM_OK : pb_refuse_node(r, rule, "rule: %s", why.text);
}

dm_status pb_step_check(const pb_reader *r, const char *path, const pb_node *node, double h) {
  if (h >= 1e-9 && isfinite(h)) return DM_OK;
  return pb_refuse_node(r, node, "%s: found a step of %g s, expected at least 1e-9 s", path, h);
}

// time: a number, or {free: [low, high], guess}; task->N is known
static dm_status read_time(const pb_reader *r, const pb_node *node, oc_task *task) {
  free_section s = {.guess = NAN};
  double limit[2];
  if (node->kind != PB_MAPPING) {
    DM_TRY(pb_schema_number(r, "horizon.time", node, "> 0", &task->T));
    return pb_step_check(r, "horizon.time", node, task->T / task->N);
  }
  DM_TRY(pb_schema_read(r, "horizon.time", node, free_keys, &s));
  DM_TRY(pb_schema_list(r, "horizon.time.free", s.free, 2, limit));
  if (!(limit[0] > 0 && limit[0] < limit[1]))
    return pb_refuse_node(r, s.free, "horizon.time.free: found [%g, %g], expected 0 < low < high",
                          limit[0], limit[1]);
  DM_TRY(pb_step_check(r, "horizon.time.free", s.free, limit[0] / task->N));
  task->free_time = true;
  task->T_min = limit[0], task->T_max = limit[1];
  task->T = isnan(s.guess) ? (limit[0] + limit[1]) / 2 : s.guess;
  if (task->T < limit[0] || task->T > limit[1])
    return pb_refuse_node(r, pb_node_get(node, "guess"),
                          "horizon.time.guess: found %g, expected a time in [%g, %g]", task->T,
                          limit[0], limit[1]);
  return DM_OK;
}

dm_status pb_end_read(const pb_reader *r, const char *path, const pb_node *node, pb_end *out) {
  return pb_schema_read(r, path, node, pb_end_keys, out);
}

// a start that is free because nothing was said of it is worth a word
static dm_status warn_free(pb_reader *r, const pb_node *start, const char *key, const bool *known) {
  const pb_node *node = pb_node_get(start, key);
  if (!node)
    return pb_warn(r, r->file, start->line, "start has no %s: it is free for every coordinate",
                   key);
  for (int i = 0; node->kind == PB_MAPPING && i < r->n; i++)
    if (!pb_schema_entry(r, node, i) && !(known && known[i]))
      DM_TRY(pb_warn(r, r->file, node->line, "start.%s says nothing of '%.64s': it is free", key,
                     r->coord[i]));
  return DM_OK;
}

// an end that the bounds do not allow
static dm_status check_end(const pb_reader *r, const char *end, const pb_node *section,
                           const char *key, const double *x, const double *low,
                           const double *high) {
  const pb_node *node = pb_node_get(section, key);
  for (int i = 0; node && i < r->n; i++) {
    if (isnan(x[i]) || (x[i] >= low[i] && x[i] <= high[i])) continue;
    const pb_node *entry = pb_schema_entry(r, node, i);
    return pb_refuse_node(
        r, entry ? entry : node,
        "%s.%s: found %g for '%.64s', expected a value within its bounds [%g, %g]", end, key, x[i],
        r->coord[i], low[i], high[i]);
  }
  return DM_OK;
}

// what is said of x in place of what the robot has
static void replace(int n, const double *said, const double *robot, double *out) {
  for (int i = 0; i < n; i++) out[i] = said && !isnan(said[i]) ? said[i] : robot[i];
}

dm_status pb_inputs_limit(const pb_reader *r, const dm_model *m, const double *q_min,
                          const double *q_max, const pb_range *said, oc_task *task) {
  double *low, *high;
  int nu = m->nu;
  PB_NEW(r->arena, low, r->nu);
  PB_NEW(r->arena, high, r->nu);
  for (int i = 0; i < nu; i++) low[i] = m->u_min[i], high[i] = m->u_max[i];
  for (int i = 0; i < m->nq; i++)
    if (m->kinematic[i]) low[nu] = q_min[i], high[nu++] = q_max[i];
  if (said) replace(nu, said->low, low, low), replace(nu, said->high, high, high);
  task->u_min = low, task->u_max = high;
  return DM_OK;
}

// limits of constraint impulses, by the names of their rows
static dm_status read_impulses(const pb_reader *r, const pb_node *node, oc_task *task) {
  double *low, *high, limit[2];
  if (!node) return DM_OK;
  PB_NEW(r->arena, low, r->nc);
  PB_NEW(r->arena, high, r->nc);
  for (int c = 0; c < r->nc; c++) low[c] = -INFINITY, high[c] = INFINITY;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(r, node, "bounds.lambda: expected a mapping from constraints to limits");
  for (const pb_node *e = node->first; e; e = e->next) {
    int c = pb_names_find(r->row, r->nc, e->key);
    char known[256], meant[96], path[128];
    if (c < 0)
      return pb_refuse_key(r, e,
                           "bounds.lambda: found the unknown constraint '%.64s', expected %s%s",
                           e->key, pb_names_list(r->row, r->nc, known, sizeof known),
                           pb_did_you_mean(r->row, r->nc, e->key, meant));
    snprintf(path, sizeof path, "bounds.lambda.%.100s", e->key);
    DM_TRY(pb_schema_limits(r, path, e, limit));
    low[c] = limit[0], high[c] = limit[1];
  }
  task->lambda_min = low, task->lambda_max = high;
  return DM_OK;
}

static dm_status read_bounds(const pb_reader *r, const pb_node *node, const dm_model *m,
                             oc_task *task) {
  bounds_section s = {0};
  double *q_min, *q_max, *v_max;
  DM_TRY(pb_schema_read(r, "bounds", node, pb_bounds_keys, &s));
  PB_NEW(r->arena, q_min, r->n);
  PB_NEW(r->arena, q_max, r->n);
  PB_NEW(r->arena, v_max, r->n);
  replace(r->n, s.q.low, m->q_min, q_min);
  replace(r->n, s.q.high, m->q_max, q_max);
  replace(r->n, s.v, m->v_max, v_max);
  task->q_min = q_min, task->q_max = q_max, task->v_max = v_max;
  DM_TRY(read_impulses(r, s.lambda, task));
  return pb_inputs_limit(r, m, q_min, q_max, &s.u, task);
}

static dm_status read_ends(pb_reader *r, const pb_sections *s, oc_task *task) {
  pb_end start = {0}, goal = {0};
  DM_TRY(pb_end_read(r, "start", s->start, &start));
  DM_TRY(pb_end_read(r, "goal", s->goal, &goal));
  if (strcmp(start.assemble, "energy")) DM_TRY(warn_free(r, s->start, "q", NULL));
  DM_TRY(warn_free(r, s->start, "v", task->system.kinematic)); // theirs is 0
  DM_TRY(pb_end_assemble(r, s->start, "start", &task->system, goal.q, &start));
  DM_TRY(pb_end_assemble(r, s->goal, "goal", &task->system, start.q, &goal));
  double *slowest;
  PB_NEW(r->arena, slowest, r->n);
  for (int i = 0; i < r->n; i++) slowest[i] = -task->v_max[i];
  DM_TRY(check_end(r, "start", s->start, "q", start.q, task->q_min, task->q_max));
  DM_TRY(check_end(r, "start", s->start, "v", start.v, slowest, task->v_max));
  DM_TRY(check_end(r, "goal", s->goal, "q", goal.q, task->q_min, task->q_max));
  DM_TRY(check_end(r, "goal", s->goal, "v", goal.v, slowest, task->v_max));
  task->q_start = start.q, task->v_start = start.v;
  task->q_goal = goal.q, task->v_goal = goal.v;
  return DM_OK;
}

static dm_status read_cost(pb_reader *r, const pb_sections *s, oc_task *task) {
  cost_section c = {0};
  pb_reference ref;
  DM_TRY(pb_schema_read(r, "cost", s->cost, pb_cost_keys, &c));
  DM_TRY(pb_reference_read(r, c.reference, task->N, task->T, &ref));
  task->sum = !strcmp(c.weighting, "sum");
  task->w_u = c.input;
  task->w_q = c.state.q, task->w_v = c.state.v, task->w_p = c.state.p;
  task->wf_q = c.terminal.q, task->wf_v = c.terminal.v, task->wf_p = c.terminal.p;
  task->w_time = c.time;
  task->ref_q = ref.q, task->ref_v = ref.v, task->ref_p = ref.p, task->ref_u = ref.u;
  if (!s->cost)
    return pb_warn(r, r->file, s->horizon->line,
                   "no cost: any motion that meets the goal is as good as another");
  if (c.time > 0 && !task->free_time)
    return pb_warn(r, r->file, pb_node_get(s->cost, "time")->line,
                   "cost.time changes nothing where horizon.time is fixed");
  return DM_OK;
}

dm_status pb_task_read(pb_reader *r, const pb_sections *s, const dm_model *m, oc_task *task) {
  horizon_section h = {0};
  DM_TRY(pb_schema_read(r, "horizon", s->horizon, pb_horizon_keys, &h));
  // what the program's matrices hold must be countable
  if ((h.steps + 1.0) * (8.0 * r->n + 2.0 * r->nu) * (r->n + r->nu + 1.0) > INT_MAX)
    return pb_refuse_node(r, pb_node_get(s->horizon, "steps"),
                          "horizon.steps: found %d, too many for %d coordinates and %d inputs",
                          h.steps, r->n, r->nu);
  task->N = h.steps;
  DM_TRY(read_time(r, h.time, task));
  if (!s->start) return pb_refuse(r, r->file, 1, 1, "found 'horizon' but no 'start', expected one");
  DM_TRY(read_bounds(r, s->bounds, m, task));
  DM_TRY(read_ends(r, s, task));
  return read_cost(r, s, task);
}

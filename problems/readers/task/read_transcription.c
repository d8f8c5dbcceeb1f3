#include "problems/readers/task/read_transcription.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the node at a dotted path, as far as there is one; root where there is nothing of it
static const pb_node *find_node_at(const pb_node *root, const char *path) {
  char part[64];
  while (*path) {
    size_t length = strcspn(path, ".");

    // down one key, without its dot
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    const pb_node *next = pb_node_get(root, part);
    if (!next) break;
    root = next;
    path += length + (path[length] == '.');
  }
  return root;
}

// what belongs to a second-order transcription alone
static dm_status refuse_idle(const pb_reader *r, const pb_node *root, bool newton) {
  static const char *const keys[] = {"rule.second", "cost.penalty", "simulate.start.a",
                                     "simulate.start.jerk"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    // the path ends at its last key where all of it is there
    const pb_node *at = find_node_at(root, keys[i]);
    if (at->key && !strcmp(strrchr(keys[i], '.') + 1, at->key))
      return pb_refuse_key(r, at, "found '%s' but no 'transcription: second-order', expected both",
                           keys[i]);
  }
  if (newton)
    return pb_refuse_node(r, find_node_at(root, "solver.method"),
                          "solver.method: found newton but no 'transcription: second-order', "
                          "expected both");
  return DM_OK;
}

// an end says of every velocity what it is, or that it is free
static dm_status check_velocities(const pb_reader *r, const char *end, const pb_node *section) {
  const pb_node *v = pb_node_get(section, "v");

  // an action of second order takes q and v at both ends
  if (section && !v)
    return pb_refuse_node(r, section,
                          "%s: found no v, expected every velocity, or 'free': a second-order "
                          "transcription needs them as it needs q",
                          end);
  for (int i = 0; v && v->kind == PB_MAPPING && i < r->n; i++)
    if (!pb_node_get(v, r->coord[i]))
      return pb_refuse_node(r, v, "%s.v: found nothing of '%.64s', expected a velocity, or free",
                            end, r->coord[i]);
  return DM_OK;
}

// weights of the penalty that stands in the place of limits; NULL: none
static dm_status read_penalty(const pb_reader *r, const pb_node *node, pb_transcription *out) {
  double *penalty;
  if (!node) return DM_OK;
  PB_NEW(r->arena, penalty, r->n);
  DM_TRY(pb_schema_each(r, "cost.penalty", node, ">= 0", "coordinate", r->coord, r->n, penalty));
  out->action.penalty = penalty;
  return DM_OK;
}

// a flow alone: what its inputs cost, and no feedback, for its motion is not that of the map
static dm_status read_flow_cost(const pb_reader *r, const pb_node *root, const pb_sections *s,
                                const oc_task *system, pb_transcription *out) {
  const char *key;
  dm_message why = {""};

  // the cost is 1/2 u'Wu alone: W = 1 where nothing is said
  PB_NEW(r->arena, out->w_u, r->nu);
  for (int j = 0; j < r->nu; j++) out->w_u[j] = 1;
  for (const pb_node *e = s->cost ? s->cost->first : NULL; e; e = e->next)
    if (strcmp(e->key, "input"))
      return pb_refuse_key(r, e, "cost: found '%s' but no 'horizon', expected input alone", e->key);
  const pb_node *input = pb_node_get(s->cost, "input");
  if (input)
    DM_TRY(pb_schema_each(r, "cost.input", input, "> 0", "input", r->input, r->nu, out->w_u));
  if (s->feedback)
    return pb_refuse_key(
        r, s->feedback,
        "found 'feedback' but no 'horizon', expected both: gains stabilize optimized motions");

  // the library is asked of one step with this cost whether it has such an action
  oc_task task = *system;
  task.N = 1;
  task.T = 1;
  task.w_u = out->w_u;
  dm_status status = oc_torque_transcription_check(&task, &out->action, &key, &why);
  if (status == DM_OK || status == DM_NO_MEMORY) return status;
  const pb_node *at = find_node_at(root, key);
  return pb_refuse_node(r, at == root ? pb_node_get(root, "transcription") : at, "%s", why.text);
}

// a penalty stands in the place of limits: where one is named there are some
static dm_status check_penalty(const pb_reader *r, const pb_node *node, const oc_task *t,
                               const pb_transcription *x) {
  for (int i = 0; i < r->n; i++) {
    const pb_node *named = pb_node_get(node, r->coord[i]);
    // what has no limit needs no penalty
    bool limited = isfinite(t->q_min[i]) || isfinite(t->q_max[i]);
    if (named && x->action.penalty[i] > 0 && !limited)
      return pb_refuse_node(r, named,
                            "cost.penalty: found that '%.64s' has no limit, expected one in "
                            "bounds.q or the robot that it stands for",
                            r->coord[i]);
  }
  return DM_OK;
}

// a task that a second-order transcription can state: the library says which key it cannot
static dm_status check_task(const pb_reader *r, const pb_node *root, const pb_sections *s,
                            const oc_task *task, bool newton, const pb_transcription *x) {
  const char *key;
  dm_message why = {""};
  const pb_node *asked = pb_node_get(root, "transcription");

  // as an action between ends
  dm_status status = oc_torque_transcription_check(task, &x->action, &key, &why);
  if (status == DM_NO_MEMORY) return status;
  if (status != DM_OK) {
    const pb_node *at = find_node_at(root, key);
    return pb_refuse_node(r, at == root ? asked : at, "%s", why.text);
  }

  // what it needs the file to say
  const pb_node *held = pb_node_get(s->start, "held");
  if (held && !strcmp(held->text, "true"))
    return pb_refuse_node(r, held,
                          "start.held: found true beside 'transcription: second-order', expected "
                          "v");
  DM_TRY(check_penalty(r, pb_node_get(s->cost, "penalty"), task, x));
  DM_TRY(check_velocities(r, "start", s->start));
  DM_TRY(check_velocities(r, "goal", s->goal));
  // Newton's method has no inequalities
  if (newton && oc_torque_transcription_binds(task, &x->action, &why))
    return pb_refuse_node(r, find_node_at(root, "solver.method"),
                          "solver.method: newton minimizes between given ends alone, but %s",
                          why.text);
  return DM_OK;
}

dm_status pb_transcription_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                                const pb_context *c, const pb_solver *solver,
                                pb_transcription *out) {
  dm_message why = {""};
  const pb_node *rule = pb_node_get(s->rule, "second");
  out->second = strcmp(s->transcription, "first-order") != 0;
  if (!out->second) return refuse_idle(r, root, solver->newton);

  // q of the action are coordinates without constraints
  if (c->robot->embed)
    return pb_refuse_node(r, pb_node_get(root, "transcription"),
                          "transcription: found '%s' for a robot with ball joints, expected "
                          "first-order",
                          s->transcription);

  // L = 1/2 tau'W tau by inverse dynamics of the robot, springs included
  out->action.m = c->robot->model;
  out->action.underactuated = strcmp(s->transcription, "second-order") != 0;
  if (c->robot->springs) out->action.V = dm_springs_potential(c->robot->springs);

  // by the rule of second order
  dm_status status =
      dm_second_order_rule_set(&out->action.rule, rule ? rule->text : "hermite-gauss", 2, &why);
  if (status != DM_OK) return pb_refuse_node(r, rule, "rule.second: %s", why.text);
  DM_TRY(read_penalty(r, pb_node_get(s->cost, "penalty"), out));

  // a task, or the flow of one start
  if (out->action.underactuated && s->simulate)
    return pb_refuse_key(r, s->simulate,
                         "found 'simulate' beside 'transcription: second-order-underactuated', "
                         "which has no flow");
  return c->has_task ? check_task(r, root, s, c->task, solver->newton, out)
                     : read_flow_cost(r, root, s, c->task, out);
}

#include "problems/readers/task/read_transcription.h"

#include "problems/readers/format/formula.h"
#include "problems/readers/task/read_goal.h"
#include "problems/readers/task/read_task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the deepest existing node on a dotted path, at least root
static const pb_node *find_node_at(const pb_node *root, const char *path) {
  char part[64];
  while (*path) {
    size_t length = strcspn(path, ".");

    // descend by one key, without its dot
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    const pb_node *next = pb_node_get(root, part);
    if (!next) break;
    root = next;
    path += length + (path[length] == '.');
  }
  return root;
}

// the node at a dotted path, or NULL
static const pb_node *find_whole(const pb_node *root, const char *path) {
  const pb_node *at = find_node_at(root, path);
  return at->key && !strcmp(strrchr(path, '.') + 1, at->key) ? at : NULL;
}

// refuse keys (terminated by NULL) that belong to a transcription of higher order
static dm_status refuse_keys(const pb_reader *r, const pb_node *root, const char *const *key,
                             const char *order) {
  for (; *key; key++) {
    const pb_node *at = find_whole(root, *key);
    if (at)
      return pb_refuse_key(r, at, "found '%s' but no 'transcription: %s', expected both", *key,
                           order);
  }
  return DM_OK;
}

// keys of third-order transcriptions only
static const char *const third_keys[] = {"start.a", "goal.a", "simulate.start.next_a", NULL};

// does a mapping give a coordinate, by its name or by that of its ball joint?
static bool is_said(const pb_node *x, const char *coord) {
  char joint[128];
  const char *dot = strrchr(coord, '.');
  if (pb_node_get(x, coord)) return true;
  snprintf(joint, sizeof joint, "%.*s", dot ? (int)(dot - coord) : 0, coord);
  return dot && pb_node_get(x, joint);
}

// each end must give every velocity (or acceleration), or free
static dm_status check_said(const pb_reader *r, const char *end, const pb_node *section,
                            const char *key, const char *what, const char *order) {
  const pb_node *x = pb_node_get(section, key);

  // an action of order k needs k values of each coordinate at both ends
  if (section && !x)
    return pb_refuse_node(r, section,
                          "%s: found no %s, expected every %s, or 'free': a %s transcription needs "
                          "them as it needs q",
                          end, key, what, order);
  for (int i = 0; x && x->kind == PB_MAPPING && i < r->n; i++)
    if (!is_said(x, r->coord[i]))
      return pb_refuse_node(r, x, "%s.%s: found nothing of '%.64s', expected %s %s, or free", end,
                            key, r->coord[i], strchr("aeiou", *what) ? "an" : "a", what);
  return DM_OK;
}

// accelerations at the ends of a third-order transcription
static dm_status read_accelerations(const pb_reader *r, const pb_sections *s,
                                    pb_transcription *out) {
  pb_end start = {0}, goal = {0};
  DM_TRY(pb_start_read(r, s->start, &start));
  DM_TRY(pb_schema_read(r, "goal", s->goal, pb_goal_keys, &goal));
  out->action.a_start = start.a;
  out->action.a_goal = goal.a;
  return DM_OK;
}

static dm_status check_ends(const pb_reader *r, const pb_sections *s, int k) {
  const char *const order = k > 2 ? "third-order" : "second-order";
  const pb_node *const section[] = {s->start, s->goal};
  static const char *const end[] = {"start", "goal"};
  for (int e = 0; e < (pb_goal_periodic(s->goal) ? 1 : 2); e++) {
    DM_TRY(check_said(r, end[e], section[e], "v", "velocity", order));
    if (k > 2) DM_TRY(check_said(r, end[e], section[e], "a", "acceleration", order));
  }
  return DM_OK;
}

// a custom Lagrangian in the names of coordinates and constants
static dm_status read_own(const pb_reader *r, const pb_node *cost, int k, pb_transcription *out) {
  const pb_node *text = pb_node_get(cost, "lagrangian"), *node = pb_node_get(cost, "constants");
  dm_message why = {""};
  pb_symbol *list;
  int n = r->n;
  if (node && !text)
    return pb_refuse_key(r, node, "cost.constants: found some, expected none without a lagrangian");
  if (!text) return DM_OK;
  if (node && node->kind != PB_MAPPING)
    return pb_refuse_node(r, node, "cost.constants: expected a mapping of names to numbers");

  // symbols: coordinates, then constants
  PB_NEW(r->arena, list, r->n + (node ? node->n : 0));
  for (int i = 0; i < r->n; i++) list[i] = (pb_symbol){r->coord[i], i, 0, NULL};
  for (const pb_node *e = node ? node->first : NULL; e; e = e->next, n++) {
    list[n] = (pb_symbol){e->key, -1, 0, NULL};
    DM_TRY(pb_schema_number(r, "cost.constants", e, NULL, &list[n].value));
    for (int i = 0; i < r->n; i++)
      if (!strcmp(r->coord[i], e->key))
        return pb_refuse_key(r, e, "cost.constants: found '%.64s', which is a coordinate", e->key);
  }

  // of its order, in all coordinates
  PB_NEW(r->arena, out->own, 1);
  out->own->n = r->n;
  out->own->k = k;
  dm_status s = pb_formula_parse(r->arena, text->text, list, n, out->own, &why);
  if (s == DM_BAD_INPUT) return pb_refuse_node(r, text, "cost.lagrangian: %s", why.text);
  if (s != DM_OK) return s;
  out->action.own = dm_polynomial_lagrangian(out->own);
  return DM_OK;
}

// a single rule by name
static dm_status read_named_rule(const pb_reader *r, const pb_node *node, int k,
                                 dm_second_order_rule *out) {
  enum { NAMES = 16 };
  const char *list[NAMES];
  int n = 0, which;
  dm_message why = {""};
  while (n < NAMES && dm_second_order_rule_name(n)) {
    list[n] = dm_second_order_rule_name(n);
    n++;
  }
  DM_TRY(pb_schema_name(r, "rule.second", node, "word", list, n, &which));
  dm_status s = dm_second_order_rule_set(out, list[which], k, &why);
  return s == DM_OK ? s : pb_refuse_node(r, node, "rule.second: %s", why.text);
}

// add an entry {RULE: share} to the average; before: the sum of previous shares
static dm_status add_share(const pb_reader *r, const pb_node *e, int k, double *before,
                           dm_second_order_rule *sum) {
  // a node for the key, so that errors refer to it
  const pb_node name = {
      .kind = PB_SCALAR, .text = e->key, .line = e->key_line, .column = e->key_column};
  dm_second_order_rule one;
  double share;
  DM_TRY(read_named_rule(r, &name, k, &one));
  DM_TRY(pb_schema_number(r, "rule.second", e, "(0, 1]", &share));

  // the first rule alone, then weights before : share
  *before += share;
  if (*before == share) {
    *sum = one;
    return DM_OK;
  }
  if (dm_second_order_rule_average(sum, 1 - share / *before, sum, &one) != DM_OK)
    return pb_refuse_key(r, e, "rule.second: found rules of more than %d nodes together",
                         DM_SECOND_NODES);
  return DM_OK;
}

// a rule of order k by name, or an average: {taylor: 0.5, hermite-gauss: 0.5}
static dm_status read_second_rule(const pb_reader *r, const pb_node *node, int k,
                                  dm_second_order_rule *out) {
  const pb_node absent = {.kind = PB_SCALAR, .text = "hermite-gauss"};
  if (!node || node->kind != PB_MAPPING) return read_named_rule(r, node ? node : &absent, k, out);

  double sum = 0;
  size_t room = 1;
  for (const pb_node *e = node->first; e; e = e->next) {
    DM_TRY(add_share(r, e, k, &sum, out));
    room += strlen(e->key) + 32;
  }
  if (fabs(sum - 1) > 1e-12)
    return pb_refuse_node(r, node, "rule.second: found shares that come to %g, expected 1", sum);

  // the name of an average lists its parts
  char *name = pb_arena_alloc(r->arena, room, 1);
  if (!name) return DM_NO_MEMORY;
  for (const pb_node *e = node->first; e; e = e->next) {
    size_t at = strlen(name);
    snprintf(name + at, room - at, "%s%s %s", at ? " + " : "", e->text, e->key);
  }
  out->name = name;
  return DM_OK;
}

// weights of the penalty that replaces limits; NULL: none
static dm_status read_penalty(const pb_reader *r, const pb_node *node, pb_transcription *out) {
  double *penalty;
  if (!node) return DM_OK;
  PB_NEW(r->arena, penalty, r->n);
  DM_TRY(pb_schema_each(r, "cost.penalty", node, ">= 0", "coordinate", r->coord, r->n, penalty));
  out->action.penalty = penalty;
  return DM_OK;
}

// a flow without a task: read the cost of its inputs; no feedback, because its motion is not a
// motion of the map
static dm_status read_flow_cost(const pb_reader *r, const pb_node *root, const pb_sections *s,
                                const oc_task *system, pb_transcription *out) {
  const char *key;
  dm_message why = {""};

  // the cost is 1/2 u'Wu, W = 1 by default, or a custom Lagrangian
  PB_NEW(r->arena, out->w_u, r->nu);
  for (int j = 0; j < r->nu && !out->own; j++) out->w_u[j] = 1;
  for (const pb_node *e = s->cost ? s->cost->first : NULL; e; e = e->next)
    if (strcmp(e->key, "input") && strcmp(e->key, "lagrangian") && strcmp(e->key, "constants"))
      return pb_refuse_key(
          r, e, "cost: found '%s' but no 'horizon', expected input and lagrangian alone", e->key);
  const pb_node *input = pb_node_get(s->cost, "input");
  if (input)
    DM_TRY(pb_schema_each(r, "cost.input", input, out->own ? ">= 0" : "> 0", "input", r->input,
                          r->nu, out->w_u));
  if (s->feedback)
    return pb_refuse_key(
        r, s->feedback,
        "found 'feedback' but no 'horizon', expected both: gains stabilize optimized motions");

  // the library checks one step with this cost
  oc_task task = *system;
  task.N = 1;
  task.time.T = 1;
  task.cost[OC_U].running = out->w_u;
  dm_status status = oc_torque_transcription_check(&task, &out->action, &key, &why);
  if (status == DM_OK || status == DM_NO_MEMORY) return status;
  const pb_node *at = find_node_at(root, key);
  return pb_refuse_node(r, at == root ? pb_node_get(root, "transcription") : at, "%s", why.text);
}

// a penalty replaces limits, so a coordinate with a penalty must have limits
static dm_status check_penalty(const pb_reader *r, const pb_node *node, const oc_task *t,
                               const pb_transcription *x) {
  for (int i = 0; i < r->n; i++) {
    const pb_node *named = pb_node_get(node, r->coord[i]);
    // no penalty without a limit
    const bool limited = !dm_range_is_none(oc_task_range(t, OC_Q, i));
    if (named && x->action.penalty[i] > 0 && !limited)
      return pb_refuse_node(r, named,
                            "cost.penalty: found that '%.64s' has no limit, expected one in "
                            "bounds.q or the robot that it stands for",
                            r->coord[i]);
  }
  return DM_OK;
}

// check that a second-order transcription can represent the task; the library names a key that it
// cannot
static dm_status check_task(const pb_reader *r, const pb_node *root, const pb_sections *s,
                            const oc_task *task, bool newton, const pb_transcription *x) {
  const char *key;
  dm_message why = {""};
  const pb_node *asked = pb_node_get(root, "transcription");

  // as an action between the ends
  dm_status status = oc_torque_transcription_check(task, &x->action, &key, &why);
  if (status == DM_NO_MEMORY) return status;
  if (status != DM_OK) {
    const pb_node *at = find_node_at(root, key);
    return pb_refuse_node(r, at == root ? asked : at, "%s", why.text);
  }

  // additional requirements on the file
  const pb_node *held = pb_node_get(s->start, "held");
  if (held && !strcmp(held->text, "true"))
    return pb_refuse_node(r, held,
                          "start.held: found true beside 'transcription: second-order', expected "
                          "v");
  DM_TRY(check_penalty(r, pb_node_get(s->cost, "penalty"), task, x));
  DM_TRY(check_ends(r, s, x->action.rule.k));
  // Newton's method does not support inequalities
  if (newton && oc_torque_transcription_binds(task, &x->action, &why))
    return pb_refuse_node(r, find_node_at(root, "solver.method"),
                          "solver.method: newton minimizes between given ends alone, but %s",
                          why.text);
  return DM_OK;
}

// a task whose Lagrangian also has to have a flow
static dm_status check_flow(const pb_reader *r, const pb_sections *s, const oc_task *task,
                            const pb_transcription *x) {
  oc_torque_transcription_settings flow = x->action;
  dm_message why = {""};
  flow.underactuated = false;
  if (!flow.m)
    return pb_refuse_key(
        r, s->simulate,
        "simulate: found a robot with ball joints, or with energies by formula, whose "
        "second-order Lagrangian has no flow; expected 'transcription: first-order'");
  dm_status status = oc_torque_transcription_check(task, &flow, NULL, &why);
  if (status == DM_OK || status == DM_NO_MEMORY) return status;
  return pb_refuse_key(r, s->simulate, "simulate: %s", why.text);
}

dm_status pb_transcription_read(pb_reader *r, const pb_node *root, const pb_sections *s,
                                const pb_context *c, const oc_options *options,
                                pb_transcription *out) {
  const pb_node *rule = pb_node_get(s->rule, "second");
  const bool newton = options->method == OC_SOLVER_NEWTON;
  out->second = strcmp(s->transcription, "first-order") != 0;
  if (!out->second) {
    // refuse keys of second-order transcriptions
    static const char *const keys[] = {
        "rule.second",      "cost.penalty",        "cost.lagrangian",       "cost.constants",
        "simulate.start.a", "simulate.start.jerk", "simulate.start.next_v", NULL};
    DM_TRY(refuse_keys(r, root, keys, "second-order"));
    DM_TRY(refuse_keys(r, root, third_keys, "third-order"));
    if (newton)
      return pb_refuse_node(r, find_node_at(root, "solver.method"),
                            "solver.method: found newton but no 'transcription: second-order', "
                            "expected both");
    return DM_OK;
  }

  // L = 1/2 tau'W tau by inverse dynamics of the robot, including springs; in the coordinates of quaternions, and with
  // energies by formula, L itself
  const dm_robot *robot = &c->robot->mechanism;
  const bool itself = robot->embed || dm_formulas_bend(robot->formulas);
  const char *const of = robot->embed ? "ball joints" : "potentials or a Lagrangian by formula";
  out->action.m = itself ? NULL : robot->model;
  if (robot->springs && !itself) out->action.V = dm_springs_potential(robot->springs);

  // the rule of this order, with a custom Lagrangian if given
  const int k = strcmp(s->transcription, "third-order") ? 2 : 3;
  if (itself && (k > 2 || !c->has_task))
    return pb_refuse_node(r, pb_node_get(root, "transcription"),
                          "transcription: found %s for a robot with %s, expected %s",
                          k > 2 ? "third-order" : "a flow of second order", of,
                          k > 2 ? "second-order or first-order" : "first-order");
  if (c->task->periodic && k > 2)
    return pb_refuse_node(r, pb_goal_periodic(s->goal),
                          "goal: found a periodic motion beside 'transcription: third-order', "
                          "expected second-order or first-order");
  out->action.underactuated = c->has_task && k == 2;
  if (k == 2) DM_TRY(refuse_keys(r, root, third_keys, "third-order"));
  DM_TRY(read_second_rule(r, rule, k, &out->action.rule));
  DM_TRY(read_own(r, s->cost, k, out));
  if (k > 2 && c->has_task) DM_TRY(read_accelerations(r, s, out));
  DM_TRY(read_penalty(r, pb_node_get(s->cost, "penalty"), out));

  // a task, or the flow of one start
  if (!strcmp(s->transcription, "second-order-underactuated") && s->simulate)
    return pb_refuse_key(r, s->simulate,
                         "found 'simulate' beside 'transcription: second-order-underactuated', "
                         "which has no flow");
  if (!c->has_task) return read_flow_cost(r, root, s, c->task, out);
  DM_TRY(check_task(r, root, s, c->task, newton, out));
  return s->simulate ? check_flow(r, s, c->task, out) : DM_OK;
}

// optim/second/torque_check.c: the tasks that optim/second/torque_transcription.h supports.
#include "optim/second/momentum_rows.h"
#include "optim/second/torque_transcription.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool has_nonzero(int n, const double *w) {
  for (int i = 0; w && i < n; i++)
    if (w[i] != 0) return true;
  return false;
}

// the first coordinate with two inputs, or (if none may be missing) without input; -1: none
static int find_unmatched(const oc_task *t, bool missing) {
  const dm_system *s = &t->system;
  for (int i = 0; i < s->L.nq; i++) {
    // general forces do not act on a single coordinate; prescribed ones need no input
    int found = 0;
    if (s->kinematic && s->kinematic[i]) continue;
    for (int j = 0; j < s->nu - s->force.nu; j++) found += s->input_coord[j] == i;
    if (found > 1 || (missing && found == 0)) return i;
  }
  return -1;
}

// check that the rule is not degenerate for its order
static dm_status check_rule(const dm_second_order_rule *rule, dm_message *msg) {
  dm_second_order_lagrangian spline = dm_second_order_spline(1, rule->k);
  dm_second_order *w = NULL;
  const double X0[DM_SECOND_MAX_ORDER] = {0};
  const double X1[DM_SECOND_MAX_ORDER] = {0};

  // with the simplest Lagrangian, the square of the k-th derivative
  DM_TRY(dm_second_order_new(&w, &spline, rule, msg));
  dm_status s = dm_second_order_check(w, X0, X1, 1, msg);
  dm_second_order_free(w);
  return s;
}

static const char TORQUE[] = "second-order transcription:"; // prefix of its messages

// the cost of each force makes the Lagrangian regular
static dm_status check_torque_cost(const oc_task *t, const oc_torque_transcription_settings *set,
                                   const char **key, dm_message *msg) {
  const dm_system *s = &t->system;
  *key = "cost.input";
  for (int j = 0; j < s->nu && !set->own.eval; j++)
    if (!t->cost[OC_U].running || !(t->cost[OC_U].running[j] > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s found no cost on the input '%s', expected one > 0: without it the "
                     "Lagrangian is singular",
                     TORQUE, t->input_name[j]);
  return DM_OK;
}

// order 2, or 3 with a Lagrangian of that order
static dm_status check_order(const oc_task *t, const oc_torque_transcription_settings *set,
                             const char **key, dm_message *msg) {
  const int k = set->rule.k;
  assert(k == 2 || k == 3);
  assert(!set->own.eval || (set->own.n == t->system.L.nq && set->own.k == k));

  // forces depend on (q,v,a) only: their cost is singular in jerks
  *key = "cost.lagrangian";
  if (k == 3 && !set->own.eval)
    return dm_fail(msg, DM_BAD_INPUT,
                   "third-order transcription: found no Lagrangian, expected one with the third "
                   "derivative of every coordinate: what inputs cost does not have them");
  *key = "inputs";
  int idle = find_unmatched(t, true);
  if (k == 3 && idle >= 0)
    return dm_fail(msg, DM_BAD_INPUT,
                   "third-order transcription: found no input on '%s', expected one on every "
                   "coordinate",
                   t->coord_name[idle]);
  return DM_OK;
}

dm_status oc_torque_transcription_check(const oc_task *t,
                                        const oc_torque_transcription_settings *set,
                                        const char **key, dm_message *msg) {
  assert(t && set);
  const dm_system *s = &t->system;
  const char *unused;
  int one = find_unmatched(t, false), idle = find_unmatched(t, true);
  if (!key) key = &unused;

  // momenta are eliminated; inputs depend on the motion at a node, their rates would need the previous node;
  // steps have a fixed length; a flow and accelerations at knots have no rows
  const unsigned rate = 1 << OC_RATE, momentum = 1 << OC_P;
  const bool program = set->underactuated && set->rule.k == 2;
  const oc_unsupported no = {.bounds = rate | 1 << OC_A | 1 << OC_JERK,
                             .running = rate | momentum | 1 << OC_JERK,
                             .goal = momentum,
                             .features = 1 << OC_CONTACT_LAWS | 1 << OC_PATH_LIMITS |
                                         1 << OC_STEP_FUNCTIONS | 1 << OC_CURVE | 1 << OC_CONES |
                                         1 << OC_INPUT_LIMITS | 1 << OC_DRIVEN_OUTPUTS |
                                         1 << OC_RATIO | 1 << OC_FREE_TIME | 1 << OC_LAGS |
                                         1 << OC_LEVELS | 1 << OC_KNOTS};
  oc_unsupported rest = {.features = 1 << OC_CONSTRAINTS | 1 << OC_KINEMATIC};
  const oc_unsupported repeats = {.features = 1 << OC_PERIODIC};
  const char *who = set->rule.k > 2 ? "a third-order transcription" : "a second-order flow";
  DM_TRY(oc_task_refuse(t, no, "a second-order transcription", "use a first-order one", key, msg));
  if (!program) DM_TRY(oc_task_refuse(t, rest, who, "use a first-order transcription", key, msg));

  // rows of both ends would depend on those of constraints
  if (!program || s->hol.nc || !set->m)
    DM_TRY(oc_task_refuse(t, repeats,
                          "a second-order transcription with constraints or ball joints",
                          "use a first-order one", key, msg));

  // inverse dynamics gives one force per coordinate
  *key = "inputs";
  if (s->force.nu && !program)
    return dm_fail(msg, DM_BAD_INPUT, "%s found the input '%s', expected forces on joints alone",
                   TORQUE, t->input_name[s->nu - s->force.nu]);
  if (one >= 0)
    return dm_fail(msg, DM_BAD_INPUT, "%s found several inputs on '%s', expected one", TORQUE,
                   t->coord_name[one]);
  if (idle >= 0 && !set->underactuated)
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s found no input on '%s', expected one on every coordinate of a flow", TORQUE,
                   t->coord_name[idle]);

  DM_TRY(check_order(t, set, key, msg));
  DM_TRY(check_torque_cost(t, set, key, msg));

  // momenta at the nodes
  *key = "rule.second";
  if (!set->m && !oc_momentum_rows_fit(&set->rule))
    return dm_fail(
        msg, DM_BAD_INPUT,
        "%s found the rule '%s' for a robot with ball joints, expected hermite-gauss: its "
        "nodes are apart from each other and from the knots",
        TORQUE, set->rule.name);

  // the rule, and the number of equations of motion per step
  *key = "rule.second";
  DM_TRY(check_rule(&set->rule, msg));
  if (idle >= 0 && set->rule.nodes > 2)
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s found %d nodes a step, at each of which '%s' has an equation of motion, "
                   "expected at most the 2 that a step can meet",
                   TORQUE, set->rule.nodes, t->coord_name[idle]);
  *key = "horizon";
  return oc_task_check(t, msg);
}

static bool is_constant(const oc_task *t, const double *ref, const double *w) {
  int n = t->system.L.nq;
  if (!ref || !has_nonzero(n, w)) return true;
  for (int k = 1; k <= t->N; k++)
    if (memcmp(ref, ref + (size_t)k * (size_t)n, (size_t)n * sizeof *ref)) return false;
  return true;
}

bool oc_torque_transcription_binds(const oc_task *t, const oc_torque_transcription_settings *set,
                                   dm_message *msg) {
  int n = t->system.L.nq, nu = t->system.nu;
  static const oc_quantity limited[] = {OC_Q, OC_V, OC_U};
  const char *found = NULL;

  // bounds, except those replaced by a penalty
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < oc_task_size(t, limited[l]); i++) {
      const oc_quantity of = limited[l];
      if (of == OC_Q && set->penalty && set->penalty[i] > 0) continue;
      if (dm_range_is_none(oc_task_range(t, of, i))) continue;
      dm_fail(msg, DM_BAD_INPUT, "the %s of '%s' has a limit", oc_quantity_word(of),
              oc_task_name(t, of, i));
      return true;
    }

  // unknowns and rows other than knots
  if (t->system.hol.nc) found = "there are constraints";
  if (t->system.nk) found = "there are prescribed coordinates";
  if (!set->m) found = "there are ball joints";
  if (t->system.force.nu) found = "there are inputs other than joint forces";

  // a coordinate without input has an equation of motion at each node
  int i = find_unmatched(t, true);
  if (i >= 0 && !found) {
    dm_fail(msg, DM_BAD_INPUT, "'%s' has no input", t->coord_name[i]);
    return true;
  }

  // costs other than an autonomous C(q,v,a)
  if (has_nonzero(n, t->cost[OC_Q].goal) || has_nonzero(n, t->cost[OC_V].goal))
    found = "there is a terminal cost";
  if (!is_constant(t, t->cost[OC_Q].reference, t->cost[OC_Q].running) ||
      !is_constant(t, t->cost[OC_V].reference, t->cost[OC_V].running))
    found = "the cost's reference moves";
  if (t->cost[OC_U].reference && has_nonzero(t->N * nu, t->cost[OC_U].reference))
    found = "the inputs' cost has a reference";
  if (t->functions.nterms > 0) found = "the cost has terms of its own";
  if (t->periodic) found = "the motion repeats";
  if (oc_outputs_asked(&t->outputs)) found = "outputs are asked for";
  if (found) dm_fail(msg, DM_BAD_INPUT, "%s", found);
  return found != NULL;
}

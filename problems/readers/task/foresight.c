#include "problems/readers/task/foresight.h"

#include "lib/base/names.h"

#include <math.h>
#include <stdio.h>

enum { LIST = 200 }; // characters of a list in a message

// the list that gives each passive joint an input, "{joint: a}, {joint: b}", as many as fit
static const char *write_inputs(const pb_robot *robot, char text[LIST]) {
  int length = 0;
  for (int i = 0; i < robot->npassive; i++) {
    const int room = LIST - length;
    const int n =
        snprintf(text + length, (size_t)room, "%s{joint: %s}", i ? ", " : "", robot->passive[i]);
    if (n >= room - 4) {
      snprintf(text + length, (size_t)room, "%s", length ? ", .." : "..");
      break;
    }
    length += n;
  }
  return text;
}

dm_status pb_refuse_no_motor(const pb_reader *r, const pb_node *node, const pb_robot *robot) {
  char list[LIST];
  return pb_refuse_node(
      r, node,
      "found no motor: no joint has an effort limit above 0, and 'inputs' does not "
      "name one; write 'inputs: [%s]', or 'inputs: all' (--inputs all) for every "
      "joint, or 'inputs: []' if there is none",
      write_inputs(robot, list));
}

// whether n numbers are all given, or any of them is
static bool all_given(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (isnan(x[i])) return false;
  return true;
}

static bool any_given(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isnan(x[i])) return true;
  return false;
}

// whether a weight above 0 is on one of n numbers; none: NULL
static bool has_weight(const double *w, int n) {
  for (int i = 0; w && i < n; i++)
    if (w[i] > 0) return true;
  return false;
}

dm_status pb_foresee_motors(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task) {
  char names[LIST];
  if (!robot->npassive) return DM_OK;
  if (r->nu && !r->nf) return DM_OK; // all inputs are prescribed coordinates
  if (r->nu)
    return pb_warn(r, r->file, s->model->line,
                   "%s: no effort limit above 0, so no motor acts there; 'inputs' names motors",
                   dm_names_join(robot->passive, robot->npassive, names, sizeof names));

  const bool weighed = pb_node_get(s->cost, "input") || pb_node_get(s->cost, "rate");
  const bool begins = all_given(task->q_start, r->n) && all_given(task->v_start, r->n);
  const bool ends = any_given(task->q_goal, r->n) || any_given(task->v_goal, r->n) ||
                    has_weight(task->wf_q, r->n) || has_weight(task->wf_v, r->n);
  if (!weighed && (!begins || !ends || s->design)) return DM_OK;
  return pb_refuse_no_motor(r, s->model, robot);
}

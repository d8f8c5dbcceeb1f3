#include "problems/readers/task/reach.h"

#include "optim/starts/inverse_kinematics.h"

#include <math.h>
#include <stdio.h>

// the first node with conditions on outputs at a knot, for a message: goal, start or `via`
static const pb_node *find_asking(const pb_sections *s, const oc_task *task, int k) {
  if (k == task->N && pb_node_get(s->goal, "outputs")) return pb_node_get(s->goal, "outputs");
  if (k == 0 && pb_node_get(s->start, "outputs")) return pb_node_get(s->start, "outputs");
  if (k == task->N && s->until) return s->until;
  return s->via ? s->via : s->goal;
}

dm_status pb_reach_check(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                         const oc_task *task) {
  bool *fixed;
  double *q;
  if (robot->mechanism.embed) return DM_OK;
  PB_NEW(r->arena, fixed, r->n);
  PB_NEW(r->arena, q, r->n);
  for (int i = 0; i < r->n; i++) q[i] = oc_given(task->start.q, i) ? task->start.q[i] : 0;

  // start each search from the previous knot, along the line of the initial guess
  for (int k = 0; k <= task->N; k++) {
    const double *end = NULL;
    dm_message why = {""};
    if (!oc_is_waypoint(task, k)) continue;
    if (k == 0) end = task->start.q;
    if (k == task->N) end = task->goal.q;
    for (int i = 0; i < r->n; i++) {
      fixed[i] = end && !isnan(end[i]);
      if (fixed[i]) q[i] = end[i];
    }
    const dm_status status = oc_inverse_kinematics(task, k, fixed, 0, q, &why);
    if (status == DM_NO_MEMORY) return status;
    if (status == DM_OK) continue;
    const pb_node *node = find_asking(s, task, k);
    char when[40];
    if (task->time.free)
      snprintf(when, sizeof when, "knot %d of %d", k, task->N);
    else
      snprintf(when, sizeof when, "%g s", dm_grid_at(task->time.grid, k) * oc_task_step(task));
    DM_TRY(pb_warn(r, r->file, node->line,
                   "no posture was found that has the outputs asked for at %s, within the limits "
                   "of positions (%s): is it within reach?",
                   when, why.text));
  }
  return DM_OK;
}

#include "optim/rows/contact_scale.h"

#include <math.h>

// The distance per step of the line from start to goal along a row; 0: no distance, or not known.
static double find_travel(const oc_task *task, int row) {
  const double *q0 = task->start.q, *q1 = task->goal.q;
  const unsigned char *moves = task->system.contacts->rows.mask + row * task->system.L.nq;
  double most = 0;
  for (int i = 0; i < task->system.L.nq && q0 && q1; i++)
    if (moves[i]) most = fmax(most, fabs(q1[i] - q0[i]) / task->N);
  return most;
}

oc_contact_scale oc_contact_scale_of(const oc_task *task, const dm_contact_law *law) {
  const dm_contact_laws *laws = task->system.contacts;
  const double extent =
      task->start.q ? dm_system_length(&task->system, task->start.q) : task->system.extent;
  const double length = extent > 0 ? extent : 1, way = law->angle ? 1 : length;
  const double time = laws->gravity > 0 ? sqrt(length / laws->gravity) : task->time.T;
  const double mass = laws->mass > 0 ? laws->mass : 1, step = oc_task_step(task);
  const double force = 0.1 * mass * length / (time * time);
  oc_contact_scale s = {
      .impulse = step * force * length / way, .gap = way, .slid = way * step / time};
  if (law->gap >= 0) return s;
  const double travel = find_travel(task, law->tangent[0]);
  s.impulse = step * law->force;
  if (travel > 0) s.slid = fmin(s.slid, travel);
  return s;
}

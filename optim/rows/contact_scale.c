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

// The robot's length at the start; of sliding points that begin anywhere, the largest limit of a position.
static double find_length(const oc_task *task) {
  const dm_system *s = &task->system;
  const double known = task->start.q ? dm_system_length(s, task->start.q) : s->extent;
  double most = 0;
  for (int i = 0; s->length && i < s->L.nq; i++) {
    const dm_range range = oc_task_range(task, OC_Q, i);
    if (!s->length[i]) continue;
    if (isfinite(range.low)) most = fmax(most, fabs(range.low));
    if (isfinite(range.high)) most = fmax(most, fabs(range.high));
  }
  if (known > 0) return known;
  return most > 0 ? most : 1;
}

// the time in which the robot falls by its length
static double find_time(const oc_task *task) {
  const double g = task->system.contacts->gravity;
  return g > 0 ? sqrt(find_length(task) / g) : task->time.T;
}

double oc_contact_impulse_of(const oc_task *task, bool angle) {
  const dm_contact_laws *laws = task->system.contacts;
  const double length = find_length(task), time = find_time(task);
  const double force = 0.1 * (laws->mass > 0 ? laws->mass : 1) * length / (time * time);
  return oc_task_step(task) * force * (angle ? length : 1);
}

oc_contact_scale oc_contact_scale_of(const oc_task *task, const dm_contact_law *law) {
  const double way = law->angle ? 1 : find_length(task), step = oc_task_step(task);
  oc_contact_scale s = {.impulse = oc_contact_impulse_of(task, law->angle),
                        .gap = way,
                        .slid = way * step / find_time(task)};
  if (law->gap >= 0) return s;
  const double travel = find_travel(task, law->tangent[0]);
  s.impulse = step * (law->force + law->excess);
  if (travel > 0) s.slid = fmin(s.slid, travel);
  return s;
}

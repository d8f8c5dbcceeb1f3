#include "problems/readers/task/units.h"

// the coordinate prescribed by input i
static int find_prescribed(const pb_problem *p, int i) {
  int after = i - p->task.system.nu, j = 0;
  while (!p->model->kinematic[j] || after-- > 0) j++;
  return j;
}

const char *pb_problem_unit(const pb_problem *p, char what, int i) {
  // per kind: of a position, its rate, and its momentum
  static const char *const unit[][3] = {[DM_SLIDE] = {"m", "m/s", "N s"},
                                        [DM_TURN] = {"rad", "rad/s", "N m s"},
                                        [DM_QUATERNION] = {"1", "1/s", "N m s"}};
  const dm_model *m = p->model;
  if (!m || i < 0 || i >= (what == 'u' ? dm_system_inputs(&p->task.system) : m->nq)) return NULL;
  switch (what) {
  case 'u':
    return i < p->task.system.nu ? pb_robot_unit(&p->robot, i)
                                 : unit[m->kind[find_prescribed(p, i)]][0];
  case 'q':
    return unit[m->kind[i]][0];
  case 'v':
    return unit[m->kind[i]][1];
  // kinematic coordinates have a velocity instead of a momentum
  case 'p':
    return unit[m->kind[i]][m->kinematic[i] ? 1 : 2];
  default:
    return NULL;
  }
}

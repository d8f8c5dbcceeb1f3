#include "problems/readers/model/robot.h"

#include "lib/base/block.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "problems/readers/format/arena.h"

#include <stdlib.h>
#include <string.h>

void pb_outputs_free(pb_outputs *o) {
  dm_quaternion_system_free(o->embed);
  dm_quaternion_system_free(o->asked);
  dm_outputs_free(o->rows);
  free(o->shape);
}

void pb_robot_free(pb_robot *robot) {
  free(robot->passive);
  dm_block_free(robot->drives_memory);
  pb_outputs_free(&robot->outputs);
  dm_robot_free(&robot->mechanism);
  pb_arena memory = {robot->memory};
  pb_arena_free(&memory);
  robot->memory = NULL;
}

void pb_robot_to_tree(const pb_robot *robot, const double *q, double *tree) {
  // external coordinates with quaternions
  if (robot->mechanism.embed)
    dm_ball_enter(robot->mechanism.tree, q, NULL, tree, NULL);
  else
    memcpy(tree, q, (size_t)robot->mechanism.tree->nq * sizeof *q);
}

void pb_robot_frames(const pb_robot *robot, const double *q, double *tree, dm_pose *X) {
  pb_robot_to_tree(robot, q, tree);
  dm_tree_frames(robot->mechanism.tree, tree, X);
}

// with momenta of the robot's system
static dm_output_map weigh(const pb_robot *robot, dm_output_map y) {
  const dm_system s = y.momenta ? dm_robot_system(&robot->mechanism) : (dm_system){0};
  if (y.momenta) dm_output_map_weigh(&y, &s.L);
  return y;
}

dm_output_map pb_robot_outputs(const pb_robot *robot) {
  return weigh(robot, pb_outputs_functions(&robot->outputs, robot->mechanism.model));
}

dm_output_map pb_robot_asked_outputs(const pb_robot *robot) {
  const pb_outputs *o = &robot->outputs;
  if (!o->rows) return (dm_output_map){.ny = 0};
  const dm_holonomic signals =
      o->asked ? dm_quaternion_system_of(o->asked).hol : dm_outputs_asked(o->rows);
  return weigh(robot, dm_outputs_map(o->rows, &signals, robot->mechanism.model->nq));
}

dm_output_map pb_outputs_functions(const pb_outputs *o, const dm_model *model) {
  if (!o->rows) return (dm_output_map){.ny = 0};
  const dm_holonomic signals =
      o->embed ? dm_quaternion_system_of(o->embed).hol : dm_outputs_signals(o->rows);
  return dm_outputs_map(o->rows, &signals, model->nq);
}

const char *pb_robot_unit(const pb_robot *robot, int i) {
  const dm_model *m = robot->mechanism.tree;
  int coord = m->input_coord[i];
  const dm_loads *loads = robot->mechanism.loads;
  const int own = i - (m->nu - m->nload), driven = loads ? dm_loads_force(loads).nu : 0;
  if (coord < 0) return own < driven ? dm_loads_unit(loads, own) : "1"; // or of formulas
  return m->kind[coord] == DM_TURN ? "N m" : "N";
}

// problems/readers/model/robot.h: a robot as read: its joints, and all that acts on its bodies.
#ifndef PB_MODEL_ROBOT_H
#define PB_MODEL_ROBOT_H
#include "lib/multibody/output.h"
#include "lib/multibody/robot.h"

DM_BEGIN_C

// A shape that stays out of others, or that others stay out of, as it is told of and shown.
typedef struct pb_kept_shape {
  char name[96], about[96]; // of a link's <collision>: "cylinder", "mesh arm.stl"; else ""
  dm_shape shape;
  int joint;     // that carries it; -1: the world
  dm_pose frame; // of the shape, in that joint's
  double excess; // by which it stands out of what it is about at most         [m]
} pb_kept_shape;

// The outputs of a file: named numbers y(q,v) of its robot.
typedef struct pb_outputs {
  dm_outputs *rows;            // NULL: none
  dm_quaternion_system *embed; // from outside, where the tree has ball joints, else NULL
  dm_quaternion_system *asked; // and of those alone that a task asks for
  int n;                       // those that the file lists
  int named;                   // rows of these, the first ones
  int kept;                    // of these the last, clearances that stay at least `clearance`
  double clearance;            // m
  int nlisted, nshapes;        // shapes of the file, and those with links' by <collision> behind
  pb_kept_shape *shape;        // [nshapes]
  int speeds; // the first row of a coordinate's speed: before these, behind the named ones, stand
              // coordinates, where they are asked for
  int all;    // rows
} pb_outputs;

// All that a file says of what moves.
typedef struct pb_robot {
  dm_robot mechanism; // its joints, and the parts that act on it
  pb_outputs outputs;
  int touching[2]; // shapes of its file that touch others there, and not here: of the world, of
                   // bodies
  // Joints that have no motor because the file does not set `inputs` and the robot's file gives them
  // no effort: their names in one block, to be freed
  int npassive;
  const char **passive; // [npassive], or NULL
  const char *urdf; // the text of its URDF, in the problem's memory; NULL: there is none, or it is
                    // not all of the robot
  size_t urdf_size;
  const struct pb_source *file; // its file as it was read, in the problem's memory; NULL: none
} pb_robot;

void pb_robot_free(pb_robot *robot); // zeroed is accepted

// The tree's own coordinates [tree->nq] of those from outside [model->nq].
void pb_robot_to_tree(const pb_robot *robot, const double *q, double *tree);

// The frames of its joints in the world at q from outside [model->nq]; tree [tree->nq] is scratch, X
// [tree->nj].
void pb_robot_frames(const pb_robot *robot, const double *q, double *tree, dm_pose *X);

// Its outputs as functions y(q,v), from outside; ny 0: there are none.
dm_output_map pb_robot_outputs(const pb_robot *robot);

// The same of those alone that a task asks for: the others are NAN.
dm_output_map pb_robot_asked_outputs(const pb_robot *robot);

// The same of any outputs of a model from outside.
dm_output_map pb_outputs_functions(const pb_outputs *o, const dm_model *model);
void pb_outputs_free(pb_outputs *o); // zeroed is accepted

// The unit of input i: "N", "N m", or "1" where it multiplies a wrench of another size.
const char *pb_robot_unit(const pb_robot *robot, int i);

DM_END_C
#endif

// problems/readers/model/robot.h: a robot as read: its mechanism and its outputs.
#ifndef PB_MODEL_ROBOT_H
#define PB_MODEL_ROBOT_H
#include "lib/multibody/drive_limits.h"
#include "lib/multibody/output.h"
#include "lib/multibody/robot.h"

DM_BEGIN_C

// A shape of a pair that must stay apart, for messages and pictures.
typedef struct pb_kept_shape {
  char name[96], about[96]; // geometry in a link's <collision>: "cylinder", "mesh arm.stl"; else ""
  dm_shape shape;
  int joint;     // the joint that carries it; -1: the world
  dm_pose frame; // of the shape, in the joint's frame
  double excess; // largest distance by which it exceeds that geometry  [m]
} pb_kept_shape;

// The outputs of a file: named scalar functions y(q,v) of its robot.
typedef struct pb_outputs {
  dm_outputs *rows;            // NULL: none
  dm_quaternion_system *embed; // in external coordinates if the tree has ball joints, else NULL
  dm_quaternion_system *asked; // the same, only the rows that a task requests
  int n;                       // number of outputs listed in the file
  const dm_output *list;       // [n] as described, in the memory of formulas
  int named;                   // rows of the named outputs, which come first
  int kept;             // the last of these rows: clearances that must stay above `clearance`
  double clearance;     // m
  int nlisted, nshapes; // shapes listed in the file; all shapes, <collision> last
  pb_kept_shape *shape; // [nshapes]
  int speeds;           // first row of the speeds of coordinates; before it, after the named rows,
                        // are the coordinates, if requested
  int all;              // number of rows
} pb_outputs;

// Everything in a file that describes the robot.
typedef struct pb_robot {
  dm_robot mechanism;     // joints, and the parts that act on them
  dm_drive_limits drives; // of its motors
  void *drives_memory;    // of their arrays; NULL: none
  // the fastest series spring between a motor and its joint, NULL: none; its line, and the angular
  // frequency at which both oscillate against each other [rad/s]
  const char *spring;
  int spring_line;
  double spring_pace;
  pb_outputs outputs;
  int touching[2]; // colliding shapes in its file, not modeled here: of the world,
                   // of bodies
  // Joints without a motor, because the file does not set `inputs` and the robot's file gives no
  // effort: their names in one block, owned
  int npassive;
  const char **passive; // [npassive], or NULL
  const char *urdf;     // text of its URDF, in the problem's memory; NULL: none, or it does not
                        // describe the whole robot
  size_t urdf_size;
  struct pb_chunk *
      memory; // of its formulas, owned, if it is read alone (pb_model_read); else NULL: the problem's
  const struct pb_source *file; // original content of its file, in the problem's memory; NULL: none
} pb_robot;

void pb_robot_free(pb_robot *robot); // a zeroed robot is accepted

// Convert external coordinates [model->nq] to the tree's coordinates [tree->nq].
void pb_robot_to_tree(const pb_robot *robot, const double *q, double *tree);

// The world frames of its joints at external coordinates q [model->nq]; tree [tree->nq] is scratch,
// X [tree->nj].
void pb_robot_frames(const pb_robot *robot, const double *q, double *tree, dm_pose *X);

// Its outputs as functions y(q,v) in external coordinates; ny 0: none.
dm_output_map pb_robot_outputs(const pb_robot *robot);

// The same; rows that the task does not request are NAN.
dm_output_map pb_robot_asked_outputs(const pb_robot *robot);

// The same for any outputs of a model, in external coordinates.
dm_output_map pb_outputs_functions(const pb_outputs *o, const dm_model *model);
void pb_outputs_free(pb_outputs *o); // zeroed outputs are accepted

// The unit of input i: "N", "N m", or "1" if it multiplies a wrench that is not a unit force or
// torque.
const char *pb_robot_unit(const pb_robot *robot, int i);

DM_END_C
#endif

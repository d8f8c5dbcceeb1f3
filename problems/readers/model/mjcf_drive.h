// problems/readers/model/mjcf_drive.h: what drives and couples the joints of a robot in MuJoCo's XML: its
// <actuator> and <equality>.
#ifndef PB_MODEL_MJCF_DRIVE_H
#define PB_MODEL_MJCF_DRIVE_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

typedef enum pb_mjcf_kind { PB_MJCF_HINGE, PB_MJCF_SLIDE, PB_MJCF_BALL, PB_MJCF_FREE } pb_mjcf_kind;

typedef struct pb_mjcf_joint {
  const char *name; // of the file, or one made of its body's
  pb_mjcf_kind kind;
  int coord;       // its first in the tree
  double ref;      // of a hinge or slide, its value where the bodies stand as written  [rad or m]
  double force[2]; // that all motors may put on it                          [N or N m]
} pb_mjcf_joint;

// The joints of <equality> that follow one another: coordinates that mimic; and
// what it holds together, t->held.
dm_status pb_mjcf_couple(const pb_mjcf *m, pb_tree *t, int n, const pb_mjcf_joint *joint);

// The motors, t->motor: their ranges summed by joint; the effort of each coordinate is the larger end.
// Warns of servos, whose laws are not the robot's, and of what acts on other things than joints.
dm_status pb_mjcf_drive(const pb_mjcf *m, pb_tree *t, int n, const pb_mjcf_joint *joint);
#endif

// lib/multibody/ball_joint.h: trees with ball joints, in external coordinates.
//
// A tree compiled from three revolute joints that form a ball joint (dm_coordinate.ball) has
// internal coordinates only. The external coordinates have a unit quaternion NAME.qw NAME.qx
// NAME.qy NAME.qz for each ball joint, so that no pose is singular. All other coordinates keep
// their order and their values. lib/multibody/quaternion_system.h gives the system in these
// coordinates.
//
#ifndef DM_MULTIBODY_BALL_JOINT_H
#define DM_MULTIBODY_BALL_JOINT_H
#include "lib/mechanics/momentum_map.h"
#include "lib/multibody/model.h"

#include <stddef.h>

DM_BEGIN_C

// Create the external model: names, limits and inputs in external coordinates, and the names of the
// bodies, but no joints. Use the tree if you need joints. Free the model with dm_model_free. An
// input on one of the three revolute joints of a ball joint acts about a rotated axis; it becomes a
// load input and must come after all other joint inputs. A damping d of a ball joint becomes 4 d on
// each quaternion rate. Returns DM_OK; DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg if the
// inputs have another order or if a coordinate has the name of another coordinate or of a ball
// joint.
dm_status dm_ball_model(dm_model **out, const dm_model *tree, dm_message *msg);

// Convert external (q,v) [model->nq] to (qt,vt) [tree->nq], the coordinates of
// lib/multibody/tree_lagrangian.h. v may be NULL; vt is then not written.
void dm_ball_enter(const dm_model *tree, const double *q, const double *v, double *qt, double *vt);

// The momentum map of the tree as a function of external (q,v). The tree must outlive it.
dm_momentum_map dm_ball_momentum_map(const dm_model *tree);

// The external coordinate of coordinate i of the tree. For each of the three coordinates of a ball
// joint, this is the first of its four quaternion components.
int dm_ball_outside(const dm_model *tree, int i);
// Returns true if coordinate i of the tree belongs to a ball joint.
bool dm_ball_owns(const dm_model *tree, int i);
// Write the name of the ball joint whose first joint is j to text [size]: the name of that joint
// without ".rz".
void dm_ball_name(const dm_model *tree, int j, char *text, size_t size);
// The first joint >= j that is the first joint of a ball joint, or nj.
int dm_ball_next(const dm_model *tree, int j);

DM_END_C
#endif

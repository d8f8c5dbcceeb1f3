// lib/multibody/ball_joint.h: trees with ball joints, as seen from outside.
//
// A tree compiled from turns that are ball joints (dm_coordinate.ball) has no coordinates of its
// own for them. Outside each is a unit quaternion NAME.qw NAME.qx NAME.qy NAME.qz, and no pose is
// singular; whatever else there is stands in the same order, as it was.
// lib/multibody/quaternion_system.h gives the system in these coordinates.
//
#ifndef DM_MULTIBODY_BALL_JOINT_H
#define DM_MULTIBODY_BALL_JOINT_H
#include "lib/mechanics/momentum_map.h"
#include "lib/multibody/model.h"

#include <stddef.h>

DM_BEGIN_C

// The model from outside, to be freed by dm_model_free: names, limits and inputs by its
// coordinates, and the bodies' names, but no joints: those who need joints take the tree. An input
// on a turn of a ball joint, a torque about an axis that has turned, is one of a load: such must
// stand after all others on joints. Damping of a ball joint is 4 of it on each of its quaternion's
// rates. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg: inputs that stand
// otherwise, a coordinate that has another's name or a ball joint's.
dm_status dm_ball_model(dm_model **out, const dm_model *tree, dm_message *msg);

// (q,v) from outside [model->nq] for the tree [tree->nq]: what lib/multibody/tree_lagrangian.h asks
// for. v NULL: none.
void dm_ball_enter(const dm_model *tree, const double *q, const double *v, double *qt, double *vt);

// The momentum map of the tree, by (q,v) from outside. The tree must outlive it.
dm_momentum_map dm_ball_momentum_map(const dm_model *tree);

// The coordinate outside of coordinate i of the tree; of a ball joint's three turns the first of
// its four.
int dm_ball_outside(const dm_model *tree, int i);
// Whether coordinate i of the tree is a ball joint's.
bool dm_ball_owns(const dm_model *tree, int i);
// The name of the ball joint whose first joint is j: that of its first turn, less ".rz"; into text
// [size].
void dm_ball_name(const dm_model *tree, int j, char *text, size_t size);
// The first joint from j on that is the first of a ball joint's, or nj.
int dm_ball_next(const dm_model *tree, int j);

DM_END_C
#endif

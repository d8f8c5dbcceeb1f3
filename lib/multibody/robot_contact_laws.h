// lib/multibody/robot_contact_laws.h: the contacts and the dry friction of a robot as laws with one
// impulse per knot (lib/mechanics/contact_laws.h).
//
// A gap is a distance from the boundary in m or rad; of at-least and at-most contacts (d^2 - l^2)/2l
// with the distance d and the length l. Tangents of a contact are those of
// lib/multibody/contact_geometry.h, with their largest component positive; a tangent along which no
// coordinate moves the point, as in a planar robot, is left out. Positions along the tangents of a
// sphere that turns about one axis of the plane are those of its center and a multiple of its
// angles, so that it rolls; that of a sphere that rolls in space, and of contacts on shapes, is
// a function of both configurations of a step (lib/multibody/rolling_contact.h). Rows are in external coordinates
// (lib/multibody/ball_joint.h).
#ifndef DM_MULTIBODY_ROBOT_CONTACT_LAWS_H
#define DM_MULTIBODY_ROBOT_CONTACT_LAWS_H
#include "lib/mechanics/contact_laws.h"
#include "lib/multibody/robot.h"

DM_BEGIN_C

typedef struct dm_robot_contact_laws dm_robot_contact_laws;

// List the laws of a robot without compiling them, with their rows, also tangents that no coordinate moves.
// Writes *out if it is not NULL, and returns their number.
int dm_robot_contact_laws_list(const dm_robot *r, dm_contact_law *out);

// For pictures: the directions of the tangents of a contact above a plane, in the frame of body[1].
void dm_robot_contact_tangents(const dm_contact *c, double axis[2][3]);

// Compile the laws of a robot, which must outlive them: its contacts, then its
// planned dry friction.
// Returns DM_OK, with *out NULL without any; DM_NO_MEMORY; DM_NOT_FINITE if the robot's energy at
// rest is not finite; or DM_BAD_INPUT with a sentence in msg.
dm_status dm_robot_contact_laws_new(dm_robot_contact_laws **out, const dm_robot *r,
                                    dm_message *msg);
void dm_robot_contact_laws_free(dm_robot_contact_laws *w); // accepts NULL

// The interface; w must outlive it. Cost of each call: O(depth^2) per row.
const dm_contact_laws *dm_robot_contact_laws_get(const dm_robot_contact_laws *w);

// Prescribe a schedule [knots x laws], which must outlive w; NULL: none.
void dm_robot_contact_laws_prescribe(dm_robot_contact_laws *w, const unsigned char *schedule,
                                     int knots);

DM_END_C
#endif

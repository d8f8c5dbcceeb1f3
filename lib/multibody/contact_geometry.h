// lib/multibody/contact_geometry.h: the unilateral constraints g_i(q) >= 0 of a tree (floors,
// walls, spheres, joint stops) for the interface lib/mechanics/unilateral.h. Each is a row of
// lib/multibody/constraint.h with a sign:
//
//   g = |x0 - x1|^2 - length^2      at least      a sphere on a sphere: length the sum of radii
//   g = length^2 - |x0 - x1|^2      at most       a sphere in a sphere: length their difference
//   g = axis.(x0 - x1) - length     above         a floor or a wall: length a sphere's radius
//   g = D(x0) - length              outside       a shape (lib/multibody/shape.h): the same
//   g = q_coord - length            not below     stops of a joint
//   g = length - q_coord            not above
//
// D is a function of three rows, the coordinates of x0 in the frame of the shape. Its second
// derivatives are discontinuous if the nearest point passes an edge; its gradient is continuous
// outside of the shape, but at an edge of a box or cylinder that a point (length 0) touches.
//
// A sphere above a plane touches it at x0 - length n, n the axis: friction acts there, so that it
// rolls; outside of a shape likewise, n the gradient of D.
//
// Source: paper 002, eq. 2; theory section 16 in docs/theory.md.
#ifndef DM_MULTIBODY_CONTACT_GEOMETRY_H
#define DM_MULTIBODY_CONTACT_GEOMETRY_H
#include "lib/mechanics/unilateral.h"
#include "lib/multibody/constraint.h"
#include "lib/multibody/shape.h"

DM_BEGIN_C

// The kinds: DM_NAME; the underlying constraint DM_ROW; the sign of the row; the keyword in problem
// files; the required fields of dm_contact; the optional fields. To add a kind, add a row.
//
//   at-least    |x0 - x1| >= length
//   at-most     |x0 - x1| <= length
//   above       x0 is at least length away from the plane through x1, on axis of body[1]'s side
//   outside     x0 is at least length away from a shape, which lies in the frame of body[1] at x1
//   not-below   q_coord >= length
//   not-above   q_coord <= length
#define DM_CONTACT_KINDS(X)                                                                        \
  X(AT_LEAST, DISTANCE, 1, "at-least", "bodies length", "points restitution")                      \
  X(AT_MOST, DISTANCE, -1, "at-most", "bodies length", "points restitution")                       \
  X(ABOVE, PLANE, 1, "above", "bodies axis", "points length restitution friction")                 \
  X(OUTSIDE, PLANE, 1, "outside", "bodies against", "points length restitution friction")          \
  X(NOT_BELOW, EQUAL, 1, "not-below", "coordinate length", "restitution")                          \
  X(NOT_ABOVE, EQUAL, -1, "not-above", "coordinate length", "restitution")

#define DM_CONTACT_KIND(NAME, ROW, sign, word, must, may) DM_##NAME,
typedef enum dm_contact_kind {
  DM_CONTACT_KINDS(DM_CONTACT_KIND) DM_CONTACT_KIND_COUNT
} dm_contact_kind;
#undef DM_CONTACT_KIND

typedef struct dm_contact {
  const char *name;
  dm_contact_kind kind;
  int body[2];        // in dm_tree.body; -1: the world
  double point[2][3]; // x0, x1 in these bodies' frames                 [m]
  double axis[3];     // unit vector in body[1]'s frame; of a shape: its axis z
  double along[3];    // of a shape: its axis x, normal to z
  dm_shape shape;     // for DM_OUTSIDE
  double length;      // m, or rad
  int coord;          // in the model's coordinates
  double restitution; // in [0,1]; 1: elastic
  double
      friction; // Coulomb coefficient; nonzero only for DM_ABOVE and DM_OUTSIDE, with length >= 0
} dm_contact;

typedef struct dm_contacts dm_contacts;

// Compile contacts of a tree. Copies everything; m must outlive them. Returns DM_OK; DM_NO_MEMORY;
// or DM_BAD_INPUT with a sentence in msg.
dm_status dm_contacts_new(dm_contacts **out, const dm_model *m, int n, const dm_contact *list,
                          dm_message *msg);
void dm_contacts_free(dm_contacts *c);

// The contacts as they were described, without their names.
//   list  out: [n]
// Returns n.
int dm_contacts_list(const dm_contacts *c, const dm_contact **list);

// For pictures: the constraint rows of the contacts, and the sign with which contact i pushes along
// the gradient of its row (1 or -1).
const dm_constraints *dm_contacts_rows(const dm_contacts *c);
int dm_contacts_sign(const dm_contacts *c, int i);

// The constraint row h whose sign h - shift is the gap of a contact, and |gap| / scale a distance; of
// a shape: its coordinate z.
typedef struct dm_contact_gap {
  double sign, shift, scale;
} dm_contact_gap;

dm_contact_gap dm_contact_gap_row(const dm_contact *c, dm_constraint *row);

// The rows of the positions of x0 along two tangents of a contact above a plane; of a shape: its
// coordinates x and y.
//   rows  out: [2]
void dm_contact_tangent_rows(const dm_contact *c, dm_constraint *rows);

// The turns of contact i: gradients [2 x nq], constant, by which a sphere that turns about one axis
// of the plane adds to the tangents of x0; zero for a point. NULL for a sphere with friction that
// rolls in space, and for friction on a shape.
const double *dm_contacts_turn(const dm_contacts *c, int i);

// The interface, in external coordinates (lib/multibody/ball_joint.h); c must outlive it. Cost:
// O(nj) per call, and O(1) per value, O(depth) per gradient, O(depth^2) per second derivative.
dm_unilateral dm_contacts_unilateral(const dm_contacts *c);

DM_END_C
#endif

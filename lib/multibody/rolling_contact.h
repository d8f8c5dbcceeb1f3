// lib/multibody/rolling_contact.h: the sliding of a sphere on a plane, and of a point or a sphere on a shape.
//
// y are places in the frame of the plane or shape: of the center x, and of the points x + e_i along the body's axes. With
// the velocities v of these, the normal n = D_x of the distance, and the angular velocity w = sum e_i x e_i'/2, the point
// of the body at the contact slides along the tangents T by
//
//   S(y,v) = T(n)'(x' + R n x w)        R: the radius, 0 for a point
//
// linear in v. In a step from y0 to y1 it is S((y0 + y1)/2, y1 - y0), of second order, where w is sum e_i0 x e_i1 /2.
// T has two columns that turn with n from those of the frame without a twist; of normals less than -1/2 along z from
// -z. There the tangents of two steps differ.
//
// Source: docs/theory.md section 32.
#ifndef DM_MULTIBODY_ROLLING_CONTACT_H
#define DM_MULTIBODY_ROLLING_CONTACT_H
#include "lib/multibody/shape.h"

#include <stdbool.h>

DM_BEGIN_C

enum { DM_ROLLING_PLACES = 12 }; // of y: x, then x + e_i, three entries each

typedef struct dm_rolling_contact {
  bool flat;      // a plane: z = 0
  double sign[2]; // of the tangents on a plane
  dm_shape shape; // else
  double radius;  // m
} dm_rolling_contact;

// lambda' S and its derivatives at y, v [12].
//   S_v, S_y    [12]
//   S_vy, S_yy  [12 x 12] rows v, or y; NULL: not wanted
// Returns the value.
double dm_rolling_contact_eval(const dm_rolling_contact *c, const double lambda[2], const double *y,
                               const double *v, double *S_v, double *S_y, double *S_vy,
                               double *S_yy);

DM_END_C
#endif

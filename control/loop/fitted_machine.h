// control/loop/fitted_machine.h: machines drawn from the covariance of a fit to logs.
//
// Parameters of a fit, by their paths, as dmoc identify writes them:
//
//   links.NAME.mass                   kg     of everything that is fixed to the joint of body NAME,
//   links.NAME.center.x .y .z         m      in the frame of NAME: the center of mass, and the
//   links.NAME.inertia.xx .. .yz      kg m2  moments of inertia about the center
//   armature.COORD                    kg or kg m2, added to the diagonal of the mass matrix
//   damping.COORD                     N s/m or N m s/rad
//   offset.COORD                      a constant force                           N or N m
//   encoders.COORD                    a position as measured minus the position  m or rad
//   lengths.NAME                      factor of the distances of its center and child joints
//   SECTION.NAME.KEY                  a parameter of parts (dm_robot_find); friction.COORD.force
//                                     also of a joint without friction
//
// A machine has  x = x_fit + L z,  z normal, L L' the covariance; inertias change by their
// derivatives at the fit in (mass, mass x center, moments about the joint). Dynamics are linear in
// these, so each combination that the fit knows well stays as certain as the fit says, however
// uncertain the others are. Moments about the center that the fit does not have stay.
// Machines that are not physical are left out of the distribution.
//
// Source: docs/theory.md section 24; [murray-2010] in docs/sources.md.
#ifndef FB_LOOP_FITTED_MACHINE_H
#define FB_LOOP_FITTED_MACHINE_H
#include "lib/multibody/robot.h"

#include <stdbool.h>
#include <stdint.h>

DM_BEGIN_C

struct dm_block; // lib/base/block.h, of callers in the library

typedef enum fb_fitted_kind {
  FB_FITTED_ARMATURE,
  FB_FITTED_DAMPING,
  FB_FITTED_OFFSET,
  FB_FITTED_ENCODER,
  FB_FITTED_FRICTION,
  FB_FITTED_LENGTH,
  FB_FITTED_LINK,
  FB_FITTED_PART,
  FB_FITTED_KINDS
} fb_fitted_kind;

// A parameter of a robot.
typedef struct fb_fitted_parameter {
  fb_fitted_kind kind;
  int index;      // of a joint or, up to FB_FITTED_FRICTION, a coordinate
  int body;       // of a link: all parameters of a link name the same
  int component;  // of a link: mass, center x y z, moments xx yy zz xy xz yz
  dm_part_at at;  // of a part
  double nominal; // the robot's value
} fb_fitted_parameter;

// Find the parameter at a path. Returns DM_OK, or DM_BAD_INPUT with a sentence that names the known
// ones.
dm_status fb_fitted_find(const dm_robot *r, const char *path, fb_fitted_parameter *out,
                         dm_message *msg);

typedef struct fb_fitted {
  const dm_robot *robot;
  int n;
  const fb_fitted_parameter *list; // [n]
  const double *value;             // [n] of the fit
  const double *factor;            // [n x n] L, lower triangular
} fb_fitted;

// L of a covariance C [n x n], which may be singular: L L' = C. Independent of the units of
// parameters. Returns -1, or the parameter at which C is not positive semidefinite.
int fb_fitted_factor(int n, const double *C, double *L);

// A machine, as differences from the robot.
typedef struct fb_fitted_draw {
  double *x, *z;                            // [n], [3 n] scratch
  dm_inertia *body;                         // [nj]
  double *length;                           // [nj] factors
  double *by_coord[FB_FITTED_FRICTION + 1]; // [nq] added armature, damping, ..; dry friction as of
                                            // dm_change.friction
  dm_part_error *error;                     // [n] of parameters of parts
  int nerror;
  bool changes_lengths;
} fb_fitted_draw;

// Reserve its arrays in a block (lib/base/block.h); f NULL: none.
void fb_fitted_lay_out(const fb_fitted *f, fb_fitted_draw *out, struct dm_block *b);

// Draw the machine of a sample, as differences from the robot: level times those of the drawn
// parameters, from the physical machines alone: by rejection, or if 20 draws are not physical by
// elliptical slice sampling, 400 steps from the fit. Returns DM_OK, or DM_BAD_INPUT if the fit itself
// is not physical at this level.
dm_status fb_fitted_machine(const fb_fitted *f, uint64_t seed, int sample, double level,
                            fb_fitted_draw *out);

// The first parameter at which a machine with the fit's values is not physical: a mass, moment,
// damping, armature or parameter of a part out of range; -1: it is physical.
int fb_fitted_flaw(const fb_fitted *f, fb_fitted_draw *scratch);

DM_END_C
#endif

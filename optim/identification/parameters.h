// optim/identification/parameters.h: the parameters of a robot that are fitted to logs.
//
//   links.LINK.mass          log of the mass                                             kg
//   links.LINK.center        center of mass, 3 numbers                                   m
//   links.LINK.inertia       moments about the center, 6 numbers                         kg m2
//   armature.COORD           inertia added to the diagonal of the mass matrix    kg m2 or kg
//   damping.COORD            f = -damping v                                  N m s or N s/m
//   offset.COORD             a constant force                                      N m or N
//   encoders.COORD           zero of the encoder: measured = q + zero              rad or m
//   lengths.LINK             factor of the distances of its child joints, and of its center unless
//                            LINK is fitted                                             1
//   delay                    time from the record of an input to its effect               s
//   SECTION.NAME.KEY         a parameter of a part (dm_robot_find): springs.heel.stiffness,
//                            friction.elbow.force; friction.COORD.force adds dry friction to a
//                            coordinate without it
//
// A path without its end means all below it: `links.upper`, `links`, `damping`, `friction`. `all`:
// links, armature, damping, friction of all joints, and all parameters of other parts.
//
// A LINK is everything fixed to one joint, named after its first body. Its pseudo-inertia is
// positive definite for all values, as
//
//   J = [A A' + m c c', m c; m c', m],   A upper triangular, its diagonal by logarithms
//
// so `inertia` is the six numbers of A, fitted together, and `center` is c, both in the frame of the
// joint. Their paths end with .x .. and .xx ... A link
// that is a stick or a point begins with a thickness of OC_THIN times its size.
//
// The equations of motion are linear in coefficients: ten for each link, one for each other
// unknown (to first order for parts and lengths). Names of coefficients are LINK.m, LINK.mx ..
// (first moments about the joint), LINK.xx .. (moments about the joint), or the path.
#ifndef OC_IDENTIFICATION_PARAMETERS_H
#define OC_IDENTIFICATION_PARAMETERS_H
#include "lib/multibody/robot.h"

DM_BEGIN_C

#define OC_THIN 0.03

typedef enum oc_fit_parameter_kind {
  OC_FIT_MASS,
  OC_FIT_CENTER,
  OC_FIT_INERTIA,
  OC_FIT_ARMATURE,
  OC_FIT_DAMPING,
  OC_FIT_OFFSET,
  OC_FIT_ENCODER,
  OC_FIT_LENGTH,
  OC_FIT_DELAY,
  OC_FIT_PART,
  OC_FIT_NUMBER,
  OC_FIT_KINDS
} oc_fit_parameter_kind;

typedef struct oc_fit_parameter {
  char path[96];
  const char *unit; // of the value that users read
  oc_fit_parameter_kind kind;
  int index;        // joint of a link, coordinate of the tree
  int row;          // of a coordinate: its equation of motion, a coordinate of the robot
  int entry;        // of a center (0..2) or an inertia (0..5)
  dm_part_at part;  // OC_FIT_PART
  double value;     // of the robot
  double low, high; // bounds; -INFINITY and INFINITY: none
  double size;      // > 0, for steps and ranks, in the unit of value
  double deviation; // of the normal prior about `value`; INFINITY: none. May be set by callers
} oc_fit_parameter;

// A coefficient: a column of the residual's derivative.
typedef struct oc_coefficient {
  char name[96];
  const char *unit;
  int parameter; // the first parameter it depends on
  double size;
} oc_coefficient;

// A number that changes a tree in proportion: the addition for a change by 1.
typedef struct oc_tree_change {
  dm_vec gravity;
  dm_inertia *body;           // [nj]
  double *armature, *damping; // [nq]
} oc_tree_change;

typedef struct oc_fit_parameters {
  dm_robot robot; // a copy with friction added where they ask for it
  int count, links, coefficients;
  oc_fit_parameter *list;      // [count]
  int *link;                   // [links] joints, whose ten coefficients come first
  double *link_start;          // [links x 10] of the robot (optim/identification/link_inertia.h)
  oc_coefficient *coefficient; // [coefficients] of links, then of each other parameter in order
  int changes;
  oc_tree_change *change; // [changes]
} oc_fit_parameters;

// Expand paths for a robot, which must outlive the result. Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT
// with a sentence that names the path and the known ones, or a part or joint of the robot that
// cannot be fitted (contacts; lengths beside constraints).
dm_status oc_fit_parameters_new(oc_fit_parameters **out, const dm_robot *r, int n,
                                const char *const *paths, dm_message *msg);
// Append a parameter of another kind: a number of which the tree's inertias, gravity, armature and
// damping are linear functions, such as the mass of a payload.
//   path         its name; unit: borrowed
//   value        of the robot; low: its least value
//   other        the same robot with the number at other_value, not value
// Returns DM_OK; DM_NO_MEMORY; DM_BAD_INPUT with a sentence if the robots do not differ.
dm_status oc_fit_parameters_add(oc_fit_parameters *x, const char *path, const char *unit,
                                double value, double low, const dm_robot *other, double other_value,
                                dm_message *msg);
void oc_fit_parameters_free(oc_fit_parameters *x); // accepts NULL

// The values of the robot: theta [count]. Masses and the diagonals of A are logarithms.
void oc_fit_parameters_start(const oc_fit_parameters *x, double *theta);

// The value of each parameter in its unit, and its derivative by theta: mass, center
// in the joint's frame, moments about the center (xx yy zz xy xz yz) in the axes of the joint's
// frame; the others as they are. value [count], by_theta [count x count] or NULL.
void oc_fit_parameters_values(const oc_fit_parameters *x, const double *theta, double *value,
                              double *by_theta);

// The coefficients [coefficients] at theta, and their derivative [coefficients x count] or NULL.
void oc_fit_parameters_coefficients(const oc_fit_parameters *x, const double *theta, double *pi,
                                    double *by_theta);

// A robot with these values; free it with dm_robot_free; it borrows names of x. Offsets, zeros of
// encoders and the delay are not part of a robot. dry [tree->nq]: speeds over which dry friction builds up
// in it; NULL: it stays dry. Returns DM_OK, DM_NO_MEMORY or the status of the compilers.
dm_status oc_fit_parameters_robot(dm_robot *out, const oc_fit_parameters *x, const double *theta,
                                  const double *dry);

// The kind of the forces in joints, such as friction, of which p is a number; else DM_JOINT_KINDS. And
// put this number into a robot made by oc_fit_parameters_robot. Does not allocate.
dm_joint_kind oc_fit_parameter_joint(const oc_fit_parameter *p);
void oc_fit_parameter_put_joint(const oc_fit_parameter *p, double value, dm_robot *r);

// Write the links, armature, damping and forces in joints of theta to a robot made by
// oc_fit_parameters_robot; its lengths and other parts must be those of theta. Does not allocate.
void oc_fit_parameters_put(const oc_fit_parameters *x, const double *theta, dm_robot *r);

// Whether a robot for other values must be made again: lengths, springs or loads are among the
// parameters.
bool oc_fit_parameters_rebuild(const oc_fit_parameters *x);

DM_END_C
#endif

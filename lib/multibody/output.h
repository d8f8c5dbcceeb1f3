// lib/multibody/output.h: outputs y(q,v,u) of a tree: named quantities used in tasks, such as the
// position of a tool, its speed, a distance, an orientation, a momentum, the power of a motor. They
// are sums of terms (lib/mechanics/output_map.h) of signals s(q) (lib/multibody/signal.h) and their
// rates.
//
// They are used in goals, bounds and costs of tasks (optim/rows/output_rows.h), and in
// weights and tolerances of feedback (control/feedback/output_weight.h,
// control/loop/output_errors.h). They do not enter the equations of motion.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_OUTPUT_H
#define DM_MULTIBODY_OUTPUT_H
#include "lib/mechanics/output_map.h"
#include "lib/multibody/model.h"
#include "lib/multibody/shape.h"

DM_BEGIN_C

// The kinds: DM_OUTPUT_NAME; the function put_name of output.c, which defines the rows; the keyword in
// problem files; the required fields of dm_output; the optional fields; the unit of the rows; the
// suffixes of their names; their range (dm_outputs_range); the value, for the documents, with the
// points x0 in body[0] and x1 in body[1]; the value of each row in C, which a test compares, of
//   d, v    x0 - x1 and its rate               a, b    axis[0] and axis[1]
//   w, r    angular velocity and rotation vector of body[0] relative to body[1]
//   c, p, l center of mass of all bodies, momentum, angular momentum about c
//   k, s    weight and shift                   q, qd, u coordinates, their rates, inputs of the weights
//   R       radius of the shape, a sphere at x1, plus radius
// d, v, a, b, w, r in the axes of body[1]; NAN: contacts (lib/mechanics/contact_output.h) and formulas.
// clang-format off
#define DM_OUTPUT_KINDS(X)                                                                         \
  X(POSITION, position, "position", "bodies", "points", "m", ".x .y .z", ANY,                      \
    "x0 - x1 in the axes of the second body",                                                      \
    (d.x, d.y, d.z))                                                                               \
  X(DISTANCE, distance, "distance", "bodies", "points", "m", "", LENGTH,                           \
    "length of x0 - x1; not differentiable at 0, so use `position` to make points meet",           \
    (sqrt(dm_dot(d, d))))                                                                          \
  X(HEIGHT, height, "height", "bodies axis", "points", "m", "", ANY,                               \
    "axis·(x0 - x1), above the plane through x1",                                                  \
    (dm_dot(b, d)))                                                                                \
  X(ALIGNMENT, alignment, "alignment", "bodies axes", "", "1", "", COSINE,                         \
    "cosine of the angle between the axes",                                                        \
    (dm_dot(a, b)))                                                                                \
  X(ROTATION, rotation, "rotation", "bodies", "", "rad", ".x .y .z", ANGLE,                        \
    "rotation vector of the first body relative to the second, shorter than π",                    \
    (r.x, r.y, r.z))                                                                               \
  X(CENTER, center, "center-of-mass", "", "", "m", ".x .y .z", ANY,                                \
    "of all moving bodies, in world axes",                                                         \
    (c.x, c.y, c.z))                                                                               \
  X(SUM, sum, "sum", "coordinates", "shift", "", "", ANY,                                          \
    "weighted sum of coordinates, plus `shift`",                                                   \
    (k[0] * q[0] + k[1] * q[1] + s))                                                               \
  X(VELOCITY, velocity, "velocity", "bodies", "points", "m/s", ".x .y .z", ANY,                    \
    "rate of `position`",                                                                          \
    (v.x, v.y, v.z))                                                                               \
  X(SPEED, speed, "speed", "bodies", "points", "m/s", "", LENGTH,                                  \
    "length of `velocity`; not differentiable at rest, so use `velocity` to stop a point",         \
    (sqrt(dm_dot(v, v))))                                                                          \
  X(ANGULAR_VELOCITY, angular_velocity, "angular-velocity", "bodies", "", "rad/s", ".x .y .z",     \
    ANY, "of the first body relative to the second, in the axes of the second",                    \
    (w.x, w.y, w.z))                                                                               \
  X(RATE, rate, "rate", "coordinates", "", "", "", ANY,                                            \
    "weighted sum of coordinate velocities",                                                       \
    (k[0] * qd[0] + k[1] * qd[1]))                                                                 \
  X(MOMENTUM, momentum, "momentum", "", "", "kg m/s", ".x .y .z", ANY,                             \
    "of all moving bodies, in world axes",                                                         \
    (p.x, p.y, p.z))                                                                               \
  X(ANGULAR_MOMENTUM, angular_momentum, "angular-momentum", "", "points", "kg m2/s", ".x .y .z",   \
    ANY, "about the center of mass, or about a point of the world; without rotors (armature)",     \
    (l.x, l.y, l.z))                                                                               \
  X(CLEARANCE, clearance, "clearance", "between", "", "m", "", ANY,                                \
    "signed distance of two shapes, one of them a sphere or a capsule; one row for each end "      \
    "of a capsule over a half-space",                                                              \
    (sqrt(dm_dot(d, d)) - R))                                                                      \
  X(INPUT, input, "input", "inputs", "", "", "", ANY,                                              \
    "weighted sum of inputs",                                                                      \
    (k[0] * u[0] + k[1] * u[1]))                                                                   \
  X(POWER, power, "power", "inputs", "", "W", "", ANY,                                             \
    "weighted sum of input times joint velocity",                                                  \
    (k[0] * u[0] * qd[0] + k[1] * u[1] * qd[1]))                                                   \
  X(CONTACT_FORCE, contacts, "contact-force", "contacts", "", "", "", ANY,                         \
    "weighted sum of contacts' normal forces at a knot: impulses over a step, at the ends half",   \
    (NAN))                                                                                         \
  X(CONTACT_IMPULSE, contacts, "contact-impulse", "contacts", "", "", "", ANY,                     \
    "weighted sum of contacts' normal impulses at a knot",                                         \
    (NAN))                                                                                         \
  X(CONTACT_FORCE_RATE, contacts, "contact-force-rate", "contacts", "", "", "", ANY,               \
    "change of `contact-force` from a knot to the next, over the step",                            \
    (NAN))                                                                                         \
  X(FRICTION_FORCE, contacts, "friction-force", "contacts", "", "", "", ANY,                       \
    "the same of friction along each tangent, `.1` and `.2`, or in joints with dry friction",      \
    (NAN))                                                                                         \
  X(FRICTION_IMPULSE, contacts, "friction-impulse", "contacts", "", "", "", ANY,                   \
    "the same of impulses of friction",                                                            \
    (NAN))                                                                                         \
  X(FRICTION_FORCE_RATE, contacts, "friction-force-rate", "contacts", "", "", "", ANY,             \
    "change of `friction-force` from a knot to the next, over the step",                           \
    (NAN))                                                                                         \
  X(FORMULA, formula, "formula", "formula", "unit", "", "", ANY,                                   \
    "expression of coordinates `q.NAME`, velocities `v.NAME`, inputs `u.NAME` and outputs listed " \
    "before it",                                                                                   \
    (NAN))
// clang-format on

#define DM_OUTPUT_KIND(NAME, ...) DM_OUTPUT_##NAME,
typedef enum dm_output_kind { DM_OUTPUT_KINDS(DM_OUTPUT_KIND) DM_OUTPUT_KIND_COUNT } dm_output_kind;
#undef DM_OUTPUT_KIND

// A variable of a formula.
typedef enum dm_output_source {
  DM_OF_Q,
  DM_OF_V,
  DM_OF_P,
  DM_OF_U,
  DM_OF_LAMBDA,
  DM_OF_TIME,
  DM_OF_ROW
} dm_output_source;

typedef struct dm_output_variable {
  dm_output_source of;
  int at; // coordinate or input of the model; row of the system's constraints; 0: t, 1: T, 2: h of the step; or a row of
          // an output before it in the list, which is a sum and not one of contacts
} dm_output_variable;

typedef struct dm_output {
  const char *name;
  dm_output_kind kind;
  int body[2];        // in dm_tree.body; -1: the world
  double point[2][3]; // x0, x1 in these bodies' frames                 [m]
  double axis[2][3];  // unit vectors in these bodies' frames
  bool about_point;   // of an angular momentum: about x1
  int n; // number of coordinates of a sum or rate, of inputs of an input or power, of contacts
  const int *coord;     // [n] coordinates of the model
  const int *input;     // [n] inputs of the model
  const double *weight; // [n]
  double shift;
  // of contacts (lib/multibody/robot_contact_laws.h)
  const int *row; // [n] rows of the gaps, or of the first tangents
  int tangents;   // of friction: rows of each
  bool angle;     // is a row an angle?
  // clearance
  bool swept;
  double end[3], radius; // in the frame of body[0]                       [m]
  dm_shape shape;
  dm_pose frame; // of the shape, in the frame of body[1]
  // formula: its tape is borrowed
  const dm_tape *formula;             // NULL: of another kind
  const dm_output_variable *variable; // [formula->nx] >= 1
  const char *unit;                   // NULL: 1
} dm_output;

typedef struct dm_outputs dm_outputs;

// Compile outputs of a model. Copies everything but tapes; these and m must outlive them. Returns DM_OK; DM_NO_MEMORY;
// or DM_BAD_INPUT with a sentence in msg (a body or coordinate that does not exist, an axis of
// length zero, a center of mass without mass).
dm_status dm_outputs_new(dm_outputs **out, const dm_model *m, int n, const dm_output *list,
                         dm_message *msg);
void dm_outputs_free(dm_outputs *w); // accepts NULL

// The signals s(q) of the outputs (lib/multibody/signal.h), in the tree's coordinates; w must
// outlive them.
dm_holonomic dm_outputs_signals(const dm_outputs *w);

// Is a kind of normal forces or impulses of contacts?
bool dm_output_kind_is_normal(dm_output_kind kind);

// Select rows [dm_outputs_row of all]: dm_outputs_asked then evaluates the signals of these rows
// only, so that unused outputs cost nothing. Without a call all rows are selected.
void dm_outputs_ask(dm_outputs *w, const bool *row);

// Like dm_outputs_signals, but signals that no selected row uses are NAN with zero gradients.
dm_holonomic dm_outputs_asked(const dm_outputs *w);

// The outputs as functions y(q,v), row by row in the order of the list, named NAME, or NAME.x etc.
// for an output with several rows; momenta need dm_output_map_weigh. w must outlive them.
//   signals  dm_outputs_signals or dm_outputs_asked, possibly in other coordinates
//            (lib/multibody/quaternion_system.h)
//   n        number of coordinates of the signals
dm_output_map dm_outputs_map(const dm_outputs *w, const dm_holonomic *signals, int n);

// The first row of output i. If i is the number of outputs: the number of all rows.
int dm_outputs_row(const dm_outputs *w, int i);

// The name of output i, and the keyword of its kind.
const char *dm_outputs_name(const dm_outputs *w, int i);
const char *dm_outputs_word(const dm_outputs *w, int i);

// The unit of row i: "m", "rad/s", "m or rad", "W", "1" and so on.
const char *dm_outputs_unit(const dm_outputs *w, int i);

// The range of the values of row i: >= 0 for a distance and a speed, [-1,1] for an alignment,
// [-pi,pi] for a rotation, else unbounded.
void dm_outputs_range(const dm_outputs *w, int i, double range[2]);

// For pictures: the segment whose length, or whose component along an axis, is row i. Returns false
// if the row has no segment.
bool dm_outputs_segment(const dm_outputs *w, int i, dm_segment *line);

DM_END_C
#endif

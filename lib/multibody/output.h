// lib/multibody/output.h: outputs y(q,v,u) of a tree: named numbers that a task speaks of, such as the
// place of a tool, its speed, its distance from something, the way it points, a momentum, a motor's
// power. They are sums of terms (lib/mechanics/output_map.h) of signals s(q) (lib/multibody/signal.h)
// and their rates.
//
// They stand in goals, bounds and costs of tasks (optim/transcription/output_rows.h), and in weights and
// tolerances of feedback (control/feedback/output_weight.h, control/loop/output_errors.h); no equation of
// motion has them.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_OUTPUT_H
#define DM_MULTIBODY_OUTPUT_H
#include "lib/mechanics/output_map.h"
#include "lib/multibody/model.h"
#include "lib/multibody/shape.h"

DM_BEGIN_C

// The kinds: DM_OUTPUT_NAME; the word of problem files; the fields of dm_output that it must have,
// and those that it may; the unit of its rows, the endings of their names, and what they can be
// (dm_outputs_range). What its rows are stands in output.c, in put_name.
//
//   position   x0 - x1 in the axes of body[1]
//   distance   |x0 - x1|, which has no derivative where it is zero
//   height     axis[1].(x0 - x1), above the plane through x1
//   alignment  axis[0].axis[1], the cosine of the angle between axes of both bodies
//   rotation   the rotation vector of body[0]'s axes in those of body[1], shorter than pi
//   center     the centre of mass of all that moves, in the world's axes
//   sum        sum weight q_coord + shift, in the unit of its coordinates
//   velocity   the rate of a position
//   speed      its length: of a point, seen by body[1]; not smooth at rest
//   angular-velocity  of body[0] as body[1] sees it, in the axes of body[1]
//   rate       the rate of a sum
//   momentum   of all bodies, in the world's axes: m c' of the centre of mass
//   angular-momentum  of all bodies about their centre of mass, or where about_point about the point
//              x1 of the world; without the armatures of motors, which turn by themselves
//   clearance  the signed distance of a sphere about x0, or of one swept from x0 to end, from a shape
//              of body[1] (lib/multibody/shape.h); of a half-space that of either end, 2 rows
//   input      sum weight u_input, of inputs at joints
//   power      sum weight u_input times the speed that it acts along: what they do, of a step or at a
//              moment (lib/mechanics/driven_output.h)
#define DM_OUTPUT_KINDS(X)                                                                         \
  X(POSITION, position, "position", "bodies", "points", "m", ".x .y .z", ANY)                      \
  X(DISTANCE, distance, "distance", "bodies", "points", "m", "", LENGTH)                           \
  X(HEIGHT, height, "height", "bodies axis", "points", "m", "", ANY)                               \
  X(ALIGNMENT, alignment, "alignment", "bodies axes", "", "1", "", COSINE)                         \
  X(ROTATION, rotation, "rotation", "bodies", "", "rad", ".x .y .z", ANGLE)                        \
  X(CENTER, center, "center-of-mass", "", "", "m", ".x .y .z", ANY)                                \
  X(SUM, sum, "sum", "coordinates", "shift", "", "", ANY)                                          \
  X(VELOCITY, velocity, "velocity", "bodies", "points", "m/s", ".x .y .z", ANY)                    \
  X(SPEED, speed, "speed", "bodies", "points", "m/s", "", LENGTH)                                  \
  X(ANGULAR_VELOCITY, angular_velocity, "angular-velocity", "bodies", "", "rad/s", ".x .y .z",     \
    ANY)                                                                                           \
  X(RATE, rate, "rate", "coordinates", "", "", "", ANY)                                            \
  X(MOMENTUM, momentum, "momentum", "", "", "kg m/s", ".x .y .z", ANY)                             \
  X(ANGULAR_MOMENTUM, angular_momentum, "angular-momentum", "", "points", "kg m2/s", ".x .y .z",   \
    ANY)                                                                                           \
  X(CLEARANCE, clearance, "clearance", "between", "", "m", "", ANY)                                \
  X(INPUT, input, "input", "inputs", "", "", "", ANY)                                              \
  X(POWER, power, "power", "inputs", "", "W", "", ANY)

#define DM_OUTPUT_KIND(NAME, name, word, must, may, unit, rows, range) DM_OUTPUT_##NAME,
typedef enum dm_output_kind { DM_OUTPUT_KINDS(DM_OUTPUT_KIND) DM_OUTPUT_KIND_COUNT } dm_output_kind;
#undef DM_OUTPUT_KIND

typedef struct dm_output {
  const char *name;
  dm_output_kind kind;
  int body[2];          // in dm_tree.body; -1: the world
  double point[2][3];   // x0, x1 in these bodies' frames                 [m]
  double axis[2][3];    // unit vectors in these bodies' frames
  bool about_point;     // of an angular momentum: about x1
  int n;                // of a sum and its rate: coordinates; of inputs and their power: inputs
  const int *coord;     // [n] in the model's
  const int *input;     // [n] in the model's
  const double *weight; // [n]
  double shift;
  // of a clearance
  bool swept;
  double end[3], radius; // in the frame of body[0]                       [m]
  dm_shape shape;
  dm_pose frame; // of the shape in that of body[1]
} dm_output;

typedef struct dm_outputs dm_outputs;

// Compile outputs of a model; all is copied, m must outlive them. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with a sentence in msg (a body or coordinate that is not there, an axis without
// length, a centre of mass of nothing).
dm_status dm_outputs_new(dm_outputs **out, const dm_model *m, int n, const dm_output *list,
                         dm_message *msg);
void dm_outputs_free(dm_outputs *w); // accepts NULL

// The signals s(q) that they are made of (lib/multibody/signal.h), by the tree's coordinates; w must
// outlive it.
dm_holonomic dm_outputs_signals(const dm_outputs *w);

// From now on dm_outputs_asked are these rows alone [dm_outputs_row of all]; before, all are. What a task
// does not ask for costs nothing then.
void dm_outputs_ask(dm_outputs *w, const bool *row);

// The same signals as dm_outputs_signals, of which those that no asked row is made of are NAN, with slopes
// of zero.
dm_holonomic dm_outputs_asked(const dm_outputs *w);

// They as functions y(q,v), row by row in the order of the list, named NAME, or NAME.x and so on where
// an output has several rows; w must outlive it.
//   signals  dm_outputs_signals or dm_outputs_asked, or these by other coordinates (lib/multibody/quaternion_system.h)
//   n        coordinates of the signals
dm_output_map dm_outputs_map(const dm_outputs *w, const dm_holonomic *signals, int n);

// The first row of output i, i <= their number: there the number of all rows.
int dm_outputs_row(const dm_outputs *w, int i);

// The name of output i, and the word of its kind.
const char *dm_outputs_name(const dm_outputs *w, int i);
const char *dm_outputs_word(const dm_outputs *w, int i);

// The unit of row i: "m", "rad/s", "m or rad", "W", "1" and so on.
const char *dm_outputs_unit(const dm_outputs *w, int i);

// What row i can be at most: at least 0 of a distance and a speed, a cosine of an alignment, half a turn
// of a rotation, else anything.
void dm_outputs_range(const dm_outputs *w, int i, double range[2]);

// The straight line whose length or whose part along an axis row i is, for pictures; false: it is
// of no line.
bool dm_outputs_segment(const dm_outputs *w, int i, dm_segment *line);

DM_END_C
#endif

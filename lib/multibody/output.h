// lib/multibody/output.h: outputs y(q) of a tree: named numbers that a task speaks of, such as the
// place of a tool, its distance from something, the way it points. Each is a function of a few
// body-fixed vector products s (lib/multibody/vector_product.h) and is linear in coordinates beside,
//
//   y(q) = phi(s(q)) + w.q
//   y_q  = sum_i phi_i s_i,q + w         y_qq = sum_i phi_i s_i,qq + sum_ij phi_ij s_i,q s_j,q'
//
// They stand in goals, bounds and costs of tasks (optim/transcription/output_rows.h); no equation of
// motion has them.
//
// Source: docs/theory.md section 25.
#ifndef DM_MULTIBODY_OUTPUT_H
#define DM_MULTIBODY_OUTPUT_H
#include "lib/mechanics/holonomic.h"
#include "lib/multibody/model.h"
#include "lib/multibody/shape.h"

DM_BEGIN_C

// The kinds: DM_OUTPUT_NAME; the word of problem files; the fields of dm_output that it must have,
// and those that it may; the unit of its rows, and the endings of their names. What its rows are
// stands in output.c, in put_name.
//
//   position   x0 - x1 in the axes of body[1]
//   distance   |x0 - x1|, which has no derivative where it is zero
//   height     axis[1].(x0 - x1), above the plane through x1
//   alignment  axis[0].axis[1], the cosine of the angle between axes of both bodies
//   rotation   the rotation vector of body[0]'s axes in those of body[1], shorter than pi
//   center     the centre of mass of all that moves, in the world's axes
//   sum        sum weight q_coord + shift, in the unit of its coordinates
//   clearance  the signed distance of a sphere about x0, or of one swept from x0 to end, from a shape
//              of body[1] (lib/multibody/shape.h); of a half-space that of either end, 2 rows
#define DM_OUTPUT_KINDS(X)                                                                         \
  X(POSITION, position, "position", "bodies", "points", "m", ".x .y .z")                           \
  X(DISTANCE, distance, "distance", "bodies", "points", "m", "")                                   \
  X(HEIGHT, height, "height", "bodies axis", "points", "m", "")                                    \
  X(ALIGNMENT, alignment, "alignment", "bodies axes", "", "1", "")                                 \
  X(ROTATION, rotation, "rotation", "bodies", "", "rad", ".x .y .z")                               \
  X(CENTER, center, "center-of-mass", "", "", "m", ".x .y .z")                                     \
  X(SUM, sum, "sum", "coordinates", "shift", "", "")                                               \
  X(CLEARANCE, clearance, "clearance", "between", "", "m", "")

#define DM_OUTPUT_KIND(NAME, name, word, must, may, unit, rows) DM_OUTPUT_##NAME,
typedef enum dm_output_kind { DM_OUTPUT_KINDS(DM_OUTPUT_KIND) DM_OUTPUT_KIND_COUNT } dm_output_kind;
#undef DM_OUTPUT_KIND

typedef struct dm_output {
  const char *name;
  dm_output_kind kind;
  int body[2];          // in dm_tree.body; -1: the world
  double point[2][3];   // x0, x1 in these bodies' frames                 [m]
  double axis[2][3];    // unit vectors in these bodies' frames
  int n;                // of a sum: its coordinates, in the model's
  const int *coord;     // [n]
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

// They as functions of q, row by row in the order of the list: eval, contract and row_name, NAME or
// NAME.x and so on where an output has several rows; directional is NULL. Functions return
// DM_NOT_FINITE where a row has no value or no derivative; what eval writes of such rows is then NAN,
// and of all others as it should be. w must outlive it. Cost: O(nj) a call, O(depth) a product for the
// value and gradient, O(depth^2) for the second derivative.
dm_holonomic dm_outputs_functions(const dm_outputs *w);

// The first row of output i, i <= their number: there the number of all rows.
int dm_outputs_row(const dm_outputs *w, int i);

// The name of output i, and the word of its kind.
const char *dm_outputs_name(const dm_outputs *w, int i);
const char *dm_outputs_word(const dm_outputs *w, int i);

// The unit of row i: "m", "rad", "m or rad" or "1".
const char *dm_outputs_unit(const dm_outputs *w, int i);

// The straight line whose length or whose part along an axis row i is, for pictures; false: it is
// of no line.
bool dm_outputs_segment(const dm_outputs *w, int i, dm_segment *line);

DM_END_C
#endif

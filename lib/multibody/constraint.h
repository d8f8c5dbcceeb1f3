// lib/multibody/constraint.h: the holonomic constraints h(q) = 0 of a tree, for the interface
// lib/mechanics/holonomic.h. All rows have the form
//
//   h(q) = A(q).B(q) - c
//
// where A and B are differences of points, or directions, fixed to bodies. A distance has A = B,
// the difference of two points; a plane has its normal and a difference of points; a pose has axes
// of two bodies. A row may also subtract the square of a coordinate that is a length, or be a
// linear relation of coordinates. lib/multibody/vector_product.h computes the products and
// their derivatives.
//
// Source: paper 001, section V and eq. 28; docs/theory.md section 9.
#ifndef DM_MULTIBODY_CONSTRAINT_H
#define DM_MULTIBODY_CONSTRAINT_H
#include "lib/mechanics/holonomic.h"
#include "lib/multibody/model.h"

DM_BEGIN_C

// The kinds: DM_NAME; the keyword in problem files; the required fields of dm_constraint; the
// optional fields. The put_ functions in constraint.c define the rows.
//
//   distance     |x0 - x1| = length, or = coordinate coord[0] if coord[0] >= 0       1 row, m2
//   point        x0 = x1                                                              3 rows, m
//   line         x0 on the line through x1 along axis of body[1]                      2 rows, m
//   plane        x0 on the plane through x1 normal to axis of body[1]                 1 row, m
//   equal        q_coord[0] = ratio q_coord[1] + sum_i term_ratio[i] q_term[i] + shift 1 row
//   pose         body[0]'s frame at x0 is body[1]'s frame at x1, axes parallel        6 rows
//   pose_planar  the same in the plane normal to axis of body[1] (in both frames)     3 rows
#define DM_CONSTRAINT_KINDS(X)                                                                     \
  X(DISTANCE, distance, "distance", "bodies length", "points")                                     \
  X(POINT, point, "point", "bodies", "points")                                                     \
  X(LINE, line, "line", "bodies axis", "points")                                                   \
  X(PLANE, plane, "plane", "bodies axis", "points")                                                \
  X(EQUAL, equal, "equal", "coordinates", "ratio shift")                                           \
  X(POSE, pose, "pose", "bodies", "points")                                                        \
  X(POSE_PLANAR, pose_planar, "planar-pose", "bodies axis", "points")

#define DM_CONSTRAINT_KIND(NAME, name, word, must, may) DM_##NAME,
typedef enum dm_constraint_kind {
  DM_CONSTRAINT_KINDS(DM_CONSTRAINT_KIND) DM_CONSTRAINT_KIND_COUNT
} dm_constraint_kind;
#undef DM_CONSTRAINT_KIND

enum { DM_EQUAL_TERMS = 6 };

typedef struct dm_constraint {
  const char *name;
  dm_constraint_kind kind;
  int body[2];        // in dm_tree.body; -1: the world
  double point[2][3]; // x0, x1 in these bodies' frames                 [m]
  double axis[3];     // unit vector in body[1]'s frame
  double length;      // m
  int coord[2];       // in the model's coordinates
  double ratio, shift;
  int terms; // of `equal`, beside the two coordinates; at most DM_EQUAL_TERMS
  int term[DM_EQUAL_TERMS];
  double term_ratio[DM_EQUAL_TERMS];
} dm_constraint;

typedef struct dm_constraints dm_constraints;

// Compile constraints of a model. Copies everything; m must outlive them. Returns DM_OK;
// DM_NO_MEMORY; or DM_BAD_INPUT with a sentence in msg (a body or coordinate that does not exist,
// an axis of length zero).
dm_status dm_constraints_new(dm_constraints **out, const dm_model *m, int n,
                             const dm_constraint *list, dm_message *msg);
void dm_constraints_free(dm_constraints *c);

// Remove rows, such as the rows that dm_repeated_rows (lib/discrete/repeated_rows.h) finds. Call
// this before dm_constraints_holonomic: an existing interface does not follow the change. The
// removed rows are stored after the others: functions of single rows access them with indices
// dm_constraints_count(c) to dm_constraints_all(c) - 1.
//   drop  [dm_constraints_count(c)] true: remove this row
void dm_constraints_drop(dm_constraints *c, const bool *drop);

// The interface; c must outlive it. Cost of each call: O(depth^2) per row.
dm_holonomic dm_constraints_holonomic(const dm_constraints *c);

// Evaluate selected rows; the scratch memory is the interface's.
//   which  [m] indices of rows; NULL: the first m
//   h, Dh  out: values [m] and gradients [m x nq]; Dh NULL: values only, O(1) each
// Returns DM_OK or DM_NOT_FINITE.
dm_status dm_constraints_rows(const dm_constraints *c, void *scratch, const double *q, int m,
                              const int *which, double *h, double *Dh);

// The coordinates that row i depends on.
//   col  out, with space for as many coordinates as the model has joints, and two
// Returns their number.
int dm_constraints_columns(const dm_constraints *c, int i, int *col);

// The same as dm_constraints_rows with the gradients' entries at these coordinates alone, of one row
// after another; those of row i are column[first[i]] .. column[first[i + 1] - 1].
dm_status dm_constraints_entries(const dm_constraints *c, void *scratch, const double *q, int m,
                                 const int *which, const int *first, const int *column, double *h,
                                 double *entry);

// Whether row i is a linear relation or depends on points that translate alone, each by at most
// |dq| for a change dq of one coordinate.
bool dm_constraints_translates(const dm_constraints *c, int i);

// Add sum_k lambda_k D2h_which[k] to H [nq x nq].
void dm_constraints_contract(const dm_constraints *c, void *scratch, const double *q, int m,
                             const int *which, const double *lambda, double *H);

// For pictures: the segment whose length row i keeps constant. Returns false if the row has no such
// segment.
bool dm_constraints_segment(const dm_constraints *c, int i, dm_segment *line);

// For pictures: a row n.(x0 - x1) = 0, whose force acts along n. Gives the segment from x1 to x0,
// and n in the frame of a joint (-1: the world). Returns false for any other row.
typedef struct dm_row_push {
  dm_segment line;
  int joint;
  dm_vec along;
} dm_row_push;

bool dm_constraints_push(const dm_constraints *c, int i, dm_row_push *push);
int dm_constraints_count(const dm_constraints *c); // rows

int dm_constraints_all(const dm_constraints *c); // rows including the removed ones

// The index of row i (of all) in the order of the constraints, as if no row had been removed.
int dm_constraints_number(const dm_constraints *c, int i);

// The force impulse [N s] at q per unit of the impulse of row i (of all): 1 if the row is a
// distance along a direction; 2 d if it is the square of a distance d [m]; 1/arm if it is an angle,
// whose moment is a force with this lever arm [m].
double dm_constraints_force(const dm_constraints *c, int i, const double *q, double arm);

// The descriptions that the constraints were compiled from. Sets *list (borrowed) and returns their
// number.
int dm_constraints_described(const dm_constraints *c, const dm_constraint **list);

// The name of the constraint that row i belongs to.
const char *dm_constraints_row_name(const dm_constraints *c, int i);

DM_END_C
#endif

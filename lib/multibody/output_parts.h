// lib/multibody/output_parts.h: rows of outputs that are linear in points and directions of bodies, as a
// robot's own code can compute them (control/onboard/track.c):
//
//   y = sum over parts of a.(R_j x + r_j) or a.R_j d  +  w.q  +  shift
//
// with R_j, r_j the frame of joint j in the world, x a point or d a direction fixed to it, and a fixed in
// the world. These are positions, heights, alignments and centers of mass relative to the world, and sums
// of coordinates.
//
// Source: docs/theory.md sections 25 and 36.
#ifndef DM_MULTIBODY_OUTPUT_PARTS_H
#define DM_MULTIBODY_OUTPUT_PARTS_H
#include "lib/multibody/output.h"

DM_BEGIN_C

typedef struct dm_output_part {
  int joint;       // of the model
  bool point;      // else a direction
  double local[3]; // x [m] or d, in the joint's frame
  double along[3]; // a, times the part's weight
} dm_output_part;

// The parts of row i of the outputs w of a model m.
//   part    NULL: they are only counted
//   of_q    [nq] the weights w are added to it; may be NULL
//   shift   the constant is added to it
// Returns their number; -1 if the row is another function: a length, an angle, a rate, a force, or
// relative to a body that moves.
int dm_output_parts(const dm_outputs *w, const dm_model *m, int i, dm_output_part *part,
                    double *of_q, double *shift);

DM_END_C
#endif

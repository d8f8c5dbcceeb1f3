// optim/transcription/family.h: the unknowns and rows of a program as series in time.
//
// A family is `count` groups of `size` entries, `stride` apart, at equally spaced times: the positions
// of all knots, the inputs of all steps, the rows of motion. What interpolates between two grids walks
// families and needs to know nothing else of a program.
#ifndef OC_TRANSCRIPTION_FAMILY_H
#define OC_TRANSCRIPTION_FAMILY_H
#include "optim/transcription/layout.h"

DM_BEGIN_C

// On a grid whose steps are r times as long, entries are r^value as large, and their multipliers (of
// rows: the rows' own; of unknowns: those of bounds) r^dual as large. dual 0: a costate, or the price
// of a change, the same on any grid; dual 1: a share of a step.
typedef struct oc_family {
  int at, stride, size, count;
  double first, last; // times of the first and the last group, as shares of the horizon
  int value, dual;
} oc_family;

typedef enum oc_variable_family {
  OC_POSITIONS,
  OC_INPUTS,
  OC_IMPULSES, // lambda of constraints at knots 0..N-1
  OC_LAST_IMPULSE,
  OC_START_VELOCITY,
  OC_GOAL_VELOCITY,
  OC_VELOCITIES, // of inner knots, with their impulses
  OC_STEP,
  OC_CURVE_PLACES,
  OC_VARIABLE_FAMILIES
} oc_variable_family;

typedef enum oc_row_family {
  OC_MOTION_ROWS,
  OC_CONSTRAINT_ROWS,
  OC_CONSTRAINT_RATE_ROWS,
  OC_SPEED_ROWS,
  OC_RATE_ROWS,
  OC_VELOCITY_ROWS,
  OC_PATH_ROWS,
  OC_PERIODIC_ROWS,
  OC_CURVE_ROWS,
  OC_ORDER_ROWS,
  OC_ROW_FAMILIES
} oc_row_family;

// The families of a program: all unknowns, all rows but those of outputs, and the rows of limit i on an
// output [0, outputs.nlimits). An empty family has size or count 0.
void oc_family_variables(const oc_transcription *t, oc_family f[OC_VARIABLE_FAMILIES]);
void oc_family_rows(const oc_transcription *t, oc_family f[OC_ROW_FAMILIES]);
oc_family oc_family_output(const oc_transcription *t, int i);

// The time of group k, as a share of the horizon.
static inline double oc_family_time(const oc_family *f, int k) {
  return f->count > 1 ? f->first + k * (f->last - f->first) / (f->count - 1) : f->first;
}

// Fill `to` with `scale` times the entries of `from` at the times of family b: by the polynomial through
// the `points` groups of a that are nearest (2: the line between two). Before the first group and after
// the last it goes on, or with `hold` the outermost group is taken.
void oc_family_interpolate(const oc_family *a, const double *from, const oc_family *b, double *to,
                           double scale, int points, bool hold);

DM_END_C
#endif

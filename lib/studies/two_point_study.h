// lib/studies/two_point_study.h: a study of where constraints are held: how far off they are at
// knots and between them, at the rule's point of each step, and what of that, and of the multipliers, changes its sign
// from knot to knot: a part that grows as (-1)^k c^k has the growth c a step.
//
// Of three values in a row, a b c, the part (b - (a + c)/2)/2 alternates; its growth is the slope of
// a straight line through its logarithm over k.
//
// Source: paper 000, section 4; docs/two-point.md.
#ifndef DM_STUDIES_TWO_POINT_STUDY_H
#define DM_STUDIES_TWO_POINT_STUDY_H
#include "lib/base/status.h"
#include "lib/mechanics/holonomic.h"

#include <stdbool.h>

DM_BEGIN_C

enum { DM_STUDY_WINDOWS = 8 };

// The size of what alternates, as last seen, and the sums of a straight line through its logarithm
// over k; NAN is in them where there was none of it but rounding.
typedef struct dm_alternation {
  double size, n, k, kk, y, ky;
} dm_alternation;

// Add the size at knot k; what is not above `rounding` is none.
void dm_alternation_add(dm_alternation *w, int k, double size, double rounding);

// Its growth a step; NAN where there is none, or of less than two knots.
double dm_alternation_growth(const dm_alternation *w);

// What was seen at knots from .. to-1; of the last window and of the whole at the last knot, too.
typedef struct dm_study_window {
  int from, to;
  double knots, middles;             // largest residuals at knots, between them
  dm_alternation residual, impulses; // of the constraints at knots, of the multipliers
} dm_study_window;

typedef struct dm_two_point_study {
  dm_holonomic hol;
  int n, nc;
  double at;                                     // alpha
  dm_study_window whole, part[DM_STUDY_WINDOWS]; // equal shares of the run
  double *knot, *middle; // [nc] residuals at the last knot, and at (1-alpha) q0 + alpha q1 of its
                         // step
  bool stepped;          // the last knot has a step
  double *low, *high;    // [nc] range of the multipliers, but for the first step's
  // scratch
  double *mid;                  // [n]
  double *past[2], *impulse[3]; // [nc] residuals of the knots before, the last multipliers
  void *scratch;
} dm_two_point_study;

// Of constraints (copied) on n coordinates along a run of so many steps, looked at between knots at
// the place `at` of each, in [0,1]. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_two_point_study_new(dm_two_point_study **out, const dm_holonomic *hol, int n,
                                 double at, int steps);
void dm_two_point_study_free(dm_two_point_study *w); // accepts NULL

// Measure knot k = 0, 1, .. in turn at q [n], and the step from there to q1 [n] with the multipliers
// lambda [nc]; NULL: there is none. Returns DM_OK or what the constraints return. No allocation.
dm_status dm_two_point_study_measure(dm_two_point_study *w, int k, const double *q,
                                     const double *q1, const double *lambda);

DM_END_C
#endif

// lib/studies/two_point_study.h: analyzes where constraints are enforced: residuals at knots and at
// the rule's point between them, and the component of the residuals and multipliers that alternates
// in sign from knot to knot. A component (-1)^k c^k has the growth factor c per step.
//
// For three consecutive values a b c, the alternating component is (b - (a + c)/2)/2; its growth is
// the slope of a straight line through its logarithm over k.
//
// Source: paper 000, section 4; docs/two-point.md.
#ifndef DM_STUDIES_TWO_POINT_STUDY_H
#define DM_STUDIES_TWO_POINT_STUDY_H
#include "lib/base/status.h"
#include "lib/mechanics/holonomic.h"

#include <stdbool.h>

DM_BEGIN_C

enum { DM_STUDY_WINDOWS = 8 };

// The last size of the alternating component, and the sums of a line through its logarithm over k;
// NAN if there was only rounding.
typedef struct dm_alternation {
  double size, n, k, kk, y, ky;
} dm_alternation;

// Add the size at knot k; sizes not above `rounding` count as zero.
void dm_alternation_add(dm_alternation *w, int k, double size, double rounding);

// The growth factor per step; NAN if there is none, or for fewer than two knots.
double dm_alternation_growth(const dm_alternation *w);

// Statistics of knots from .. to-1; the last window and the whole include the last knot.
typedef struct dm_study_window {
  int from, to;
  double knots, middles;             // largest residuals at knots, and between them
  dm_alternation residual, impulses; // alternating residual of the constraints at knots,
                                     // alternating multipliers
} dm_study_window;

typedef struct dm_two_point_study {
  dm_holonomic hol;
  int n, nc;
  double at;                                     // alpha
  dm_study_window whole, part[DM_STUDY_WINDOWS]; // equal parts of the run
  double *knot, *middle; // [nc] residuals at the last knot, and at (1-alpha) q0 + alpha q1 of its
                         // step
  bool stepped;          // the last knot has a step
  double *low, *high;    // [nc] range of the multipliers, without the first step
  // scratch
  double *mid;                  // [n]
  double *past[2], *impulse[3]; // [nc] residuals of the previous knots, last multipliers
  void *scratch;
} dm_two_point_study;

// Create a study of constraints (copied) on n coordinates along a run of `steps` steps, evaluated
// between knots at the fraction `at` in [0,1] of each step. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_two_point_study_new(dm_two_point_study **out, const dm_holonomic *hol, int n,
                                 double at, int steps);
void dm_two_point_study_free(dm_two_point_study *w); // accepts NULL

// Measure knot k = 0, 1, .. in order at q [n], and its step to q1 [n] with multipliers lambda [nc];
// NULL: no step. Returns DM_OK or the status of the constraints. No allocation.
dm_status dm_two_point_study_measure(dm_two_point_study *w, int k, const double *q,
                                     const double *q1, const double *lambda);

DM_END_C
#endif

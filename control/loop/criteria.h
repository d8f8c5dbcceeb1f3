// control/loop/criteria.h: a robustness score of a law, criterion by criterion.
//
// A criterion is a set of table rows: the quantity to vary, the part, the range and the number of
// levels. A law survives a level if more than half of its runs (control/loop/trial.h) end within
// the tolerance. Rows with the same name form one criterion: its share is computed over all their
// levels. The score is the mean of the shares.
//
//   for (row ..) for (level ..) fb_criteria_run(w, &row, level, &survived);
//
// A machine is varied in one identifiable parameter at a time, expressed about the joint. The
// result need not be physically realizable as a rigid body, but must have a positive definite mass
// matrix.
//
// Source: [wiebe-2024] in docs/sources.md.
#ifndef FB_LOOP_CRITERIA_H
#define FB_LOOP_CRITERIA_H
#include "control/loop/model_mismatch.h"
#include "control/loop/output_errors.h"
#include "control/loop/position_limits.h"
#include "control/loop/trial.h"

DM_BEGIN_C

// The quantities that may be varied: the word in problem files, the meaning of a part and of a
// level.
typedef enum fb_part_kind { FB_PART_NONE, FB_PART_LINK, FB_PART_COORD } fb_part_kind;
#define FB_VARIED(X)                                                                               \
  X(MASS, "mass", FB_PART_LINK)          /* factor of m and m c */                                 \
  X(CENTRE, "centre", FB_PART_LINK)      /* factor of m c */                                       \
  X(INERTIA, "inertia", FB_PART_LINK)    /* factor of the moments about the joint */               \
  X(ROTOR, "rotor", FB_PART_COORD)       /* added to the diagonal of the mass matrix */            \
  X(DAMPING, "damping", FB_PART_COORD)   /* N s/m or N m s, added */                               \
  X(FRICTION, "friction", FB_PART_COORD) /* N or N m, times atan(100 v) */                         \
  X(Q, "q", FB_PART_NONE)                /* standard deviations */                                 \
  X(V, "v", FB_PART_NONE)                                                                          \
  X(TORQUE, "torque", FB_PART_NONE)                                                                \
  X(RESPONSE, "response", FB_PART_NONE) /* share of the way in a step */                           \
  X(DELAY, "delay", FB_PART_NONE)       /* s */                                                    \
  X(ENCODERS, "encoders", FB_PART_NONE) /* steps between positions that are shown, rad or m */     \
  X(PUSHES, "pushes", FB_PART_COORD)    /* drawn with heights from low to high, N or N m */

typedef enum fb_varied {
#define FB_NAME_VARIED(name, word, part) FB_VARY_##name,
  FB_VARIED(FB_NAME_VARIED)
#undef FB_NAME_VARIED
      FB_VARIED_COUNT
} fb_varied;
extern const char *const fb_varied_words[]; // terminated by NULL
fb_part_kind fb_varied_part(fb_varied what);

// A row of the table.
typedef struct fb_criterion {
  const char *name; // of the row's criterion
  fb_varied vary;
  int part;        // a link or a coordinate; -1: all at once
  double from, to; // values at the first and the last level
  int levels;      // >= 1; for pushes, each level is drawn independently
  int repeats;     // runs per level, >= 1
  int count;       // pushes per coordinate and run
  double gap;      // minimum time between pushes [s]
  double width[2]; // range of a push's width [s]
} fb_criterion;

// Settings common to all rows; borrowed.
typedef struct fb_criteria_settings {
  uint64_t seed;
  double tolerance;                 // a run succeeds if its final error is within it
  const double *scale;              // [2n] size of an error of 1 in (q,v), > 0; NULL: 1
  const fb_output_bounds *outputs;  // bounds on output errors, also required for success; NULL:
                                    // none
  const double *u_min, *u_max;      // [nu] NULL: none
  const dm_limits *limit;           // of positions, at the law's knots; NULL: none
  fb_limit_use limit_use;           // how they are used; with `fail`, a run beyond them fails
  const dm_unilateral *stops;       // of the machines, with FB_LIMITS_STOP; NULL: none
  const double *encoder, *readings; // [n] of all runs, see fb_disturbance; NULL: none
  bool differences;
} fb_criteria_settings;

typedef struct fb_criteria fb_criteria;

// Make a workspace for the levels of one law: plants with steps of at most `step` [s], for rows
// with at most max_pushes pushes in total. Returns as fb_trial_new. All arguments are borrowed.
dm_status fb_criteria_new(fb_criteria **out, const fb_tvlqr *law, const dm_system *model,
                          const fb_perturbed_models *machines, const fb_criteria_settings *set,
                          int max_pushes, double step);
void fb_criteria_free(fb_criteria *w); // NULL is accepted

// Run level 0 .. levels-1 of a row. A machine without a positive definite mass matrix, or whose run
// fails, does not survive. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_criteria_run(fb_criteria *w, const fb_criterion *row, int level, bool *survived);

// The value of a row at level k, between from and to.
double fb_criterion_level(const fb_criterion *row, int k);

// The pushes of a run, for which every row has space: `count` per coordinate, n coordinates.
int fb_criterion_pushes(const fb_criterion *row, int n);

// Whether a run of length T [s] is long enough for a row's pushes: a gap before each and after the
// last.
bool fb_criterion_fits(const fb_criterion *row, int n, double T);

// The mean over criteria of the share of survived levels.
//   survived  [rows] number of survived levels per row
double fb_criteria_score(const fb_criterion *row, int rows, const int *survived);

// The same for the probability of surviving each level, [levels of all rows, row by row].
double fb_criteria_mean(const fb_criterion *row, int rows, const double *chance);

// The score difference of two laws on the same levels, and its standard error: of the mean,
// criterion by criterion, of differences -1, 0 or 1 per level.
//   before, after  [levels of all rows, row by row] whether each law survived the level
//   error          out
double fb_criteria_gain(const fb_criterion *row, int rows, const bool *before, const bool *after,
                        double *error);

// The number of levels in the criterion of row i, and how many were survived (survived NULL: 0); 0
// if an earlier row has the same name.
int fb_criterion_sum(const fb_criterion *row, int rows, int i, const int *survived, int *held);

DM_END_C
#endif

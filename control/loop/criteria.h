// control/loop/criteria.h: a score of what a law withstands, criterion by criterion.
//
// A criterion is rows of a table: what is varied, on which part, from where to where in how many
// levels. A level is survived where more than half of its runs (control/loop/trial.h) end within
// the tolerance. Rows of one name are one criterion: its share is that of all their levels, and the
// score the mean of the shares.
//
//   for (row ..) for (level ..) fb_criteria_run(w, &row, level, &survived);
//
// A machine is varied in the parameters that identification finds, those about the joint, each
// alone; what they make need not be a rigid body's, but must have a mass matrix.
//
// Source: [wiebe-2024] in docs/sources.md.
#ifndef FB_LOOP_CRITERIA_H
#define FB_LOOP_CRITERIA_H
#include "control/loop/model_mismatch.h"
#include "control/loop/output_errors.h"
#include "control/loop/position_limits.h"
#include "control/loop/trial.h"

DM_BEGIN_C

// What may be varied: its word in problem files, what a part of it is, and what a level is.
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
extern const char *const fb_varied_words[]; // ended by NULL
fb_part_kind fb_varied_part(fb_varied what);

// A row of the table.
typedef struct fb_criterion {
  const char *name; // of the criterion that the row belongs to
  fb_varied vary;
  int part;        // a link or a coordinate; -1: all at once
  double from, to; // at the first level, at the last
  int levels;      // >= 1; of pushes each is drawn anew
  int repeats;     // runs of a level, >= 1
  int count;       // pushes on each coordinate in a run
  double gap;      // between pushes, at least                                 s
  double width[2]; // of a push, drawn between                                 s
} fb_criterion;

// What all rows have in common; borrowed.
typedef struct fb_criteria_settings {
  uint64_t seed;
  double tolerance;                 // a run succeeds when its final error is within it
  const double *scale;              // [2n] of an error of 1 in (q,v), > 0; NULL: 1
  const fb_output_bounds *outputs;  // and the errors of these within their bounds; NULL: none
  const double *u_min, *u_max;      // [nu] NULL: none
  const fb_limits *limit;           // of positions, at the law's knots; NULL: none
  fb_limit_use limit_use;           // what they do; of runs that `fail` one does not survive
  const dm_unilateral *stops;       // of the machines, beside FB_LIMITS_STOP; NULL: none
  const double *encoder, *readings; // [n] of all runs, as of fb_disturbance; NULL: none
  bool differences;
} fb_criteria_settings;

typedef struct fb_criteria fb_criteria;

// Make a workspace for levels of one law: plants with steps of at most `step` [s], for rows of at
// most max_pushes pushes in all. Returns as fb_trial_new. All that is given is borrowed.
dm_status fb_criteria_new(fb_criteria **out, const fb_tvlqr *law, const dm_system *model,
                          const fb_perturbed_models *machines, const fb_criteria_settings *set,
                          int max_pushes, double step);
void fb_criteria_free(fb_criteria *w); // NULL is accepted

// Run a level (0 .. levels-1) of a row. A machine whose mass matrix is none, or whose run fails,
// does not survive. Returns DM_OK or DM_NO_MEMORY.
dm_status fb_criteria_run(fb_criteria *w, const fb_criterion *row, int level, bool *survived);

// What a row's levels are at level k: between from and to.
double fb_criterion_level(const fb_criterion *row, int k);

// The pushes of a run that every row has room for: count a coordinate, of n.
int fb_criterion_pushes(const fb_criterion *row, int n);

// Whether a run of length T [s] has room for a row's pushes: a gap before each, and after the last.
bool fb_criterion_fits(const fb_criterion *row, int n, double T);

// The mean over criteria of the share of levels survived.
//   survived  [rows] of the levels of each row, how many
double fb_criteria_score(const fb_criterion *row, int rows, const int *survived);

// The same of the chance that each level is survived, [levels of all rows, one after the other].
double fb_criteria_mean(const fb_criterion *row, int rows, const double *chance);

// What one law's score is above another's by the same levels, and the standard error of that: of
// the mean, criterion by criterion, of differences -1, 0 or 1 of levels.
//   before, after  [levels of all rows, one after the other] whether each was survived
//   error          out
double fb_criteria_gain(const fb_criterion *row, int rows, const bool *before, const bool *after,
                        double *error);

// The levels of the criterion that row i is of, and how many of them were survived (survived NULL:
// 0); 0 where an earlier row has its name.
int fb_criterion_sum(const fb_criterion *row, int rows, int i, const int *survived, int *held);

DM_END_C
#endif

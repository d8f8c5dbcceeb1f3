// problems/run/run.h: a problem with its motion and the controller along it, as the stages of a
// program make them. Nothing here prints or opens a folder.
//
// The phases of a motion are a list of runs: the gains of one read the cost-to-go of the next.
#ifndef PB_RUN_RUN_H
#define PB_RUN_RUN_H
#include "lib/discrete/certify.h"
#include "problems/run/controller.h"

DM_BEGIN_C

typedef struct pb_run {
  pb_problem *p;
  dm_trajectory *x; // the motion of N steps; NULL: not yet made
  struct {
    int steps;  // final steps of x that hold its end (pb_run_gains)
    double off; // and their distance from it: max |q - q_N|  [rad or m]
  } rest;
  pb_controller control;
  struct {
    struct pb_run *run;  // the next phase; NULL: none
    const oc_join *join; // between both
    pb_carry carry;      // how gains use its cost-to-go
    double *cost;        // [2n x 2n] that cost-to-go at this end, then 2n zeros; NULL: not used
  } next;
} pb_run;

// Free everything that a run owns, with the problem, and set it to zero.
void pb_run_free(pb_run *run);

// Compare a step from each knot with the next knot, with constraints and the open-loop motion.
dm_status pb_run_certify(const pb_run *run, dm_certificate *c);

// Look for a knot with a second solution of the laws of contact (dm_knot_find_second); -1 without contacts.
dm_status pb_run_find_second(const pb_run *run, int *knot, int *law);

// The same for the step alone: the largest gap (lib/discrete/trajectory.h) and its knot.
dm_status pb_run_gap(const pb_run *run, double *gap, int *knot);

// The weights of the problem's feedback along run->x, or along a motion with the same beginning
// whose last `rest` steps are at rest. Data that they borrow is in the run and in `at`, which must
// outlive them.
typedef struct pb_weights {
  fb_knot_weight Q, Qf, own;
  const double *carried;      // [2n x 2n]
  const fb_knot_weight *adds; // added to carried; NULL: nothing
} pb_weights;
fb_weights pb_run_weights(const pb_run *run, int rest, pb_weights *at);

// Make the gains along the motion, run->control.gains, by the second variation of the task or by
// the problem's weights, with the cost-to-go of the next phase, if it has gains. If they hold the
// end, rest is first appended to the motion. Call it once per run. *slope: the remaining slope of
// the objective (optim/descent/neighboring_extremal.h), NAN by weights; *knot: where the recursion
// fails, or -1.
// Returns DM_OK, or a failure with the reason in msg.
dm_status pb_run_gains(pb_run *run, double *slope, int *knot, dm_message *msg);

DM_END_C
#endif

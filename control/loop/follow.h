// control/loop/follow.h: does a plant follow the plan? An open-loop check of the plan.
//
//   gap_k+1 = |x_plant(t_k+1) - x_k+1|,   x_plant(t_k) = x_k, under u_k
//
// The plan's inputs are applied to the plant without feedback. Each step starts from the plan's own
// knot, so that an unstable motion does not mask the error of a single step. The plant's states at
// the knots and at the ends of pieces between them are compared with the limits, which a plan keeps
// only at its knots. One rollout of the whole plan from its start measures the drift.
#ifndef FB_LOOP_FOLLOW_H
#define FB_LOOP_FOLLOW_H
#include "control/loop/excess.h"
#include "control/loop/plant.h"
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// The largest distance between plant and plan at the end of a step.
typedef struct fb_gap {
  double size;     // |difference|, INFINITY if the plant failed [m, rad, m/s or rad/s]
  int index, knot; // coordinate and knot; -1: there is no step
} fb_gap;

typedef struct fb_following {
  fb_excess position, speed, input; // over all states at knots and ends of pieces, and all inputs
  fb_gap q, v;                      // at the next knot, for positions and velocities
  fb_gap share;                     // of positions, divided by fb_gap_unit of the coordinate [-]
  double drift; // the largest deviation of |q| from the plan in one rollout from the start;
                // INFINITY: it failed
  int failed;   // the first step that the plant could not take, or -1
} fb_following;

// The reference length for gaps of coordinate i of the plan x: its longest step, or, for a motion
// of short steps, 2 % of its range of motion; plus a thousandth of its size. The range counts for
// at most the distance that the coordinate travels, and at most four of its longest steps.
//   range  of the coordinate, see fb_follow; INFINITY: unlimited
//   size   1 for an angle, a length of the robot otherwise
double fb_gap_unit(const dm_trajectory *x, int i, double range, double size);

// Find the inputs u [x->nu] that the plan x applies up to the fraction `to` in [0,1] of step k:
// forces [s->nu], a zero-order hold over the step; for kinematic coordinates, their positions at
// `to`.
void fb_follow_input(const dm_trajectory *x, const dm_system *s, int k, double to, double *u);

// Follow the plan x.
//   plant  for the system s
//   parts  pieces per step, >= 1; states at their ends are compared with the limits
//   inner  plant steps per piece, and per step of the rollout, >= 1: use 1 for a plant that chooses
//          its own steps
//   limit  checked at knots as well
//   range  [n] travel of a coordinate: the distance between its limits, at most one revolution for a
//          revolute joint; INFINITY: unlimited; NULL: unknown [m or rad]
//   y      out: states (q,v) [(N parts + 1) x 2n]: row 0 is the start, then the ends of all pieces,
//          NAN after the plant failed
//   u      out: inputs of the pieces [N parts x nu]
// Returns DM_OK, DM_NO_MEMORY, or the status of a failure on the plan's own states. A step that the
// plant cannot take is not a failure of this function: see out->failed. Cost: N (parts + 1) inner
// steps of the plant, and a velocity at each state.
dm_status fb_follow(const dm_trajectory *x, const dm_system *s, const fb_plant *plant, int parts,
                    int inner, const dm_limits *limit, const double *range, double *y, double *u,
                    fb_following *out);

DM_END_C
#endif

// control/loop/follow.h: does a plant do what a plan says? A check of the plan in open loop.
//
//   gap_k+1 = |x_plant(t_k+1) - x_k+1|,   x_plant(t_k) = x_k, under u_k
//
// The plan's inputs are applied to the plant without feedback, each step anew from the plan's own
// knot, so that an unstable motion does not blur what a step leaves out. The plant's states at the
// knots and at the ends of pieces between them are compared with limits, which a plan keeps at its
// knots alone. One rollout of the whole plan from its start tells the drift.
#ifndef FB_LOOP_FOLLOW_H
#define FB_LOOP_FOLLOW_H
#include "control/loop/excess.h"
#include "control/loop/plant.h"
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// Where the plant and the plan are furthest apart at the end of a step.
typedef struct fb_gap {
  double size; // |difference|, INFINITY where the plant failed                m, rad, m/s or rad/s
  int index, knot; // of this coordinate, at this knot; -1: there is no step
} fb_gap;

typedef struct fb_following {
  fb_excess position, speed, input; // over all states at knots and ends of pieces, and all inputs
  fb_gap q, v;                      // at the next knot, of positions and of velocities
  fb_gap share; // of positions, over fb_gap_unit of that coordinate                         -
  double drift; // the largest |q| off the plan of one rollout from the start; INFINITY: it failed
  int failed;   // the first step that the plant could not take, or -1
} fb_following;

// The length that a gap of coordinate i of the plan x is a small share of: its longest step and a
// thousandth of its size, or for a motion of short steps 2 % of its range of motion. The latter is at
// most the distance that the coordinate moves through, and at most four of its longest steps.
//   range  of the coordinate, see fb_limits; INFINITY: any distance
//   size   1 of an angle, a length of the robot
double fb_gap_unit(const dm_trajectory *x, int i, double range, double size);

// Find the inputs u [x->nu] that the plan x applies up to the fraction `to` in [0,1] of step k:
// forces [s->nu], a zero-order hold over the step; of kinematic coordinates their places at `to`.
void fb_follow_input(const dm_trajectory *x, const dm_system *s, int k, double to, double *u);

// Follow the plan x.
//   plant  of the system s
//   parts  pieces of a step, >= 1, at whose ends states are compared with limits
//   inner  the plant's own steps in each piece, and in each step of the rollout, >= 1: one of a
//          plant that has no step of its own
//   limit  what positions, speeds and inputs are compared with, at knots as well
//   y      out: states (q,v) [(N parts + 1) x 2n]: row 0 the start, then the ends of all pieces,
//          NAN where the plant failed
//   u      out: inputs of the pieces [N parts x nu]
// Returns DM_OK, DM_NO_MEMORY, or what failed on the plan's own states. A step that the plant
// cannot take is no failure of this: out->failed says so. Cost: N (parts + 1) inner steps of the
// plant, and a velocity at each state.
dm_status fb_follow(const dm_trajectory *x, const dm_system *s, const fb_plant *plant, int parts,
                    int inner, const fb_limits *limit, double *y, double *u, fb_following *out);

DM_END_C
#endif

// control/loop/follow.h: does a plant do what a plan says? The plan's inputs are applied to it
// without feedback, each step anew from the plan's own knot, so that what is unstable does not blur
// what a step leaves out; and between the knots the plant's states are looked at.
#ifndef FB_LOOP_FOLLOW_H
#define FB_LOOP_FOLLOW_H
#include "control/loop/excess.h"
#include "control/loop/plant.h"
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// Where the plant and the plan are furthest apart at the end of a step.
typedef struct fb_gap {
  double most; // |difference|, INFINITY where the plant failed                m, rad, m/s or rad/s
  int index, knot; // of this coordinate, at this knot; -1: there is no step
} fb_gap;

typedef struct fb_following {
  fb_excess position, speed, input; // over all states and inputs looked at
  fb_gap q, v;                      // at the next knot, of positions and of velocities
  fb_gap share; // of positions over the longest step of that coordinate in the plan and a
                // thousandth (m or rad) more                                               -
  double drift; // the largest |q| off the plan of one roll from the start; INFINITY: it failed
  int failed;   // the first step that the plant could not take, or -1
} fb_following;

// The inputs that the plan x applies up to the fraction `to` of step k, into u [x->nu]: forces
// [s->nu], which are held; of what is kinematic its place at `to`.
void fb_follow_input(const dm_trajectory *x, const dm_system *s, int k, double to, double *u);

// Follow the plan x.
//   plant  of the system s
//   parts  pieces of a step, >= 1, at whose ends states are looked at
//   inner  the plant's own steps in each piece, and in each step of the roll, >= 1: one of a plant
//          that has no step of its own
//   limit  what positions, speeds and inputs are held against, at knots as well
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

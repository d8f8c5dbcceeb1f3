// control/loop/plant.h: what a controller drives: a machine that steps while its inputs stay as
// they are (a zero-order hold).
//
//   x_k+1 = f(x_k, u_k, h)      x = (q,p)
//
// Here are the discrete map, on which a law was made, and the continuous equations, which share
// nothing with it but the system; control/loop/mujoco.h has another engine's, control/loop/model_mismatch.h
// that of a machine other than the model.
//
// Source: docs/theory.md sections 1 and 4; lib/base/ode.h.
#ifndef FB_LOOP_PLANT_H
#define FB_LOOP_PLANT_H
#include "lib/discrete/del.h"
#include "lib/mechanics/continuous.h"

DM_BEGIN_C

// A plant belongs to one thread.
typedef struct fb_plant {
  int n, nu;  // coordinates; inputs
  void *self; // what the functions below are called with
  // Advance x = (q,p) [2n] in place by h [s] under u [nu]. On anything but DM_OK (a step that
  // cannot be taken, DM_NOT_FINITE) x is as it was. The numbers depend on the motion that is
  // stepped alone, not on what the plant was used for before.
  dm_status (*step)(void *self, double *x, const double *u, double h);
  void (*free)(void *self); // NULL: self is another's
  // [nu] borrowed: what its motors give, whatever they are told, as a loop sees to before it steps
  // (control/loop/closed_loop.h); NULL: what they are told
  const double *u_min, *u_max;
} fb_plant;

// The discrete map itself (lib/discrete/del.h). Returns DM_OK or DM_NO_MEMORY.
dm_status fb_plant_discrete(fb_plant *out, const dm_system *s);

// The continuous equations (q,v)' = (v, a(q,v,u)), integrated by Runge and Kutta's method of order
// 8, and where damping is stiff by one that takes long steps there (lib/base/ode.h): it shares
// nothing with the discrete map but the system. Each step begins anew, as its inputs jump.
// Constraints are kept by accelerations, Dh a = -D2h(v,v), from a state that meets them: q leaves
// them by no more than the tolerance allows. A step fails with what the acceleration returned,
// DM_NOT_FINITE, or DM_MAX_ITER where 20000 steps of the integrator are too few.
//   tol  of each of its steps, >= 1e-13, e.g. 1e-9: relative and in rad, m, rad/s, m/s
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE for a system with kinematic coordinates. Cost of a
// step that is short beside the motion: 12 accelerations.
dm_status fb_plant_continuous(fb_plant *out, const dm_system *s, double tol);

// Free what the plant has, and zero it. Accepts a zeroed plant.
void fb_plant_free(fb_plant *p);

DM_END_C
#endif

// control/loop/plant.h: the plant of a controller: a machine that steps with constant inputs (a
// zero-order hold).
//
//   x_k+1 = f(x_k, u_k, h)      x = (q,p)
//
// This file has the discrete map, for which a law is designed, and the continuous equations, which
// share only the system with it. control/loop/mujoco.h has another engine's plant,
// control/loop/model_mismatch.h one of a machine that differs from the model.
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
  void *self; // passed to the functions below
  // Advance x = (q,p) [2n] in place by h [s] under u [nu]. On anything but DM_OK (a step that
  // failed, DM_NOT_FINITE) x is unchanged. The result depends only on the motion being stepped, not
  // on earlier uses of the plant.
  dm_status (*step)(void *self, double *x, const double *u, double h);
  void (*free)(void *self); // NULL: self belongs to somebody else
  // [nu] borrowed: limits of its motor outputs, which a loop applies before each step
  // (control/loop/closed_loop.h); NULL: none
  const double *u_min, *u_max;
} fb_plant;

// The discrete map itself (lib/discrete/del.h). Returns DM_OK or DM_NO_MEMORY.
dm_status fb_plant_discrete(fb_plant *out, const dm_system *s);

// The continuous equations (q,v)' = (v, a(q,v,u)), integrated by a Runge-Kutta method of order 8,
// or, if damping is stiff, by a method that takes long steps (lib/base/ode.h). They share only the
// system with the discrete map. Each step restarts the integrator, since inputs jump. Constraints
// are enforced by accelerations, Dh a = -D2h(v,v), from a state that satisfies them: q drifts off
// them by at most the tolerance. A step fails with the status of the acceleration, DM_NOT_FINITE,
// or DM_MAX_ITER after 20000 steps of the integrator.
//   tol  per integrator step, >= 1e-13, e.g. 1e-9: relative and in rad, m, rad/s, m/s
// Returns DM_OK, DM_NO_MEMORY, or DM_UNAVAILABLE for a system with kinematic coordinates. Cost of a
// step that is short compared with the motion: 12 accelerations.
dm_status fb_plant_continuous(fb_plant *out, const dm_system *s, double tol);

// Free the plant's data, and zero it. Accepts a zeroed plant.
void fb_plant_free(fb_plant *p);

DM_END_C
#endif

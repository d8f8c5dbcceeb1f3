// lib/discrete/stepper.h: what a simulation sees of the steps that it takes: one function from the
// state at a knot to the next. Compositions of variational steps (lib/discrete/composition.h), steps
// with contacts (lib/contact/contact_stepper.h), and studies of constraints
// (lib/studies/two_point.h) are implementations.
#ifndef DM_DISCRETE_STEPPER_H
#define DM_DISCRETE_STEPPER_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_stepper {
  void *self;
  bool single;            // a step is one interval of the system's rule, whose energy is -dLd/dh
  bool conserves_energy;  // the energy that steps conserve is that of v with L_v(q,v) = p, whatever
                          // constraints take off v
  const double *residual; // [nc] the constraints' values in the last step, where steps hold them
  // Momenta p0 [n] that steps from q0 begin with; NULL: those of the simulation's start.
  dm_status (*start)(void *self, const double *q0, const double *u, double h, double *p0);
  // Step k = 0, 1, .. from q0, p0 [n] under u [inputs] in h [s]: q1 [n] (on entry a guess), p1 [n],
  // and the constraints' impulses lambda [nc]. Returns DM_OK; above 0 where q1 holds the last
  // iterate; below 0 with q1, p1 untouched. No allocation.
  dm_status (*step)(void *self, int k, const double *q0, const double *p0, const double *u,
                    double h, double *q1, double *p1, double *lambda);
  // One sentence on why the last step, the k-th, failed; name [n] of coordinates, or NULL.
  void (*explain)(const void *self, dm_message *msg, dm_status s, int k, const char *const *name);
} dm_stepper;

DM_END_C
#endif

// lib/discrete/stepper.h: interface of the steps of a simulation: a function from the state at a
// knot to the next one. Compositions of variational steps (lib/discrete/composition.h), steps with
// contacts (lib/contact/contact_stepper.h), and studies of constraints (lib/studies/two_point.h)
// implement it.
#ifndef DM_DISCRETE_STEPPER_H
#define DM_DISCRETE_STEPPER_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_stepper {
  void *self;
  bool single;            // a step is one interval of the system's rule, with energy -dLd/dh
  bool conserves_energy;  // the conserved energy is that of v with L_v(q,v) = p, without a
                          // projection of v on the constraints
  const double *residual; // [nc] constraint values after the last step, if steps enforce
                          // constraints
  const double *push;  // [n] impulses at the knot that the last step began at, if p is the momentum
                       // before them: its velocity is that of p + push/2; NULL: none
  const double *input; // [inputs] that acted in the last step; NULL: those given to it
  const double *contact; // [nr] the same along the rows of dm_system.contacts
  // Initial momenta p0 [n] of steps from q0; NULL: those of the simulation.
  dm_status (*start)(void *self, const double *q0, const double *u, double h, double *p0);
  // Step k = 0, 1, .. (-1: a trial beyond the last knot, for `push` alone) from q0, p0 [n] with u [inputs] and h [s] to q1 [n] (on entry a guess), p1
  // [n], and the constraint impulses lambda [nc]. Returns DM_OK; > 0 with the last iterate in q1; <
  // 0 with q1, p1 untouched. No allocation.
  dm_status (*step)(void *self, int k, const double *q0, const double *p0, const double *u,
                    double h, double *q1, double *p1, double *lambda);
  // Write one sentence on the failure of step k, the last one; name [n] of coordinates, or NULL.
  void (*explain)(const void *self, dm_message *msg, dm_status s, int k, const char *const *name);
} dm_stepper;

DM_END_C
#endif

// lib/studies/itoh_abe.h: the difference quotients of Itoh and Abe, for comparison with variational steps: they conserve
// the energy, and neither momenta nor the symplectic form; of first order.
//
//   (q1 - q0)/h = a_p H,   (p1 - p0)/h = -a_q H - a g' lambda/h,   g(q1) = 0
//
//   (a f)_i = (f(z1_1 .. z1_i, z0_i+1 .. z0_m) - f(z1_1 .. z1_i-1, z0_i .. z0_m)) / (z1_i - z0_i),   z = (q,p)
//
// The quotients of one coordinate after the other sum to H(z1) - H(z0), which the equations make zero. Each is computed as
// the mean of the derivative over its edge, by Gauss's formula of five points: without cancellation, and exact to rounding
// where H is smooth over a step.
//
// Source: [itoh-abe-1988]; paper 004, section 1.
#ifndef DM_STUDIES_ITOH_ABE_H
#define DM_STUDIES_ITOH_ABE_H
#include "lib/discrete/stepper.h"
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_itoh_abe dm_itoh_abe;

// Check that the method supports a system: no inputs, damping, forces, prescribed coordinates and constraints on
// velocities. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_itoh_abe_check(const dm_system *s, dm_message *msg);

// Allocate for a system (copied) that passes dm_itoh_abe_check. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_itoh_abe_new(dm_itoh_abe **out, const dm_system *s);
void dm_itoh_abe_free(dm_itoh_abe *w); // accepts NULL

// One step: q0, p0 [n] to q1 (on entry a guess), p1 [n], and the constraint impulses lambda [nc]. Returns DM_OK;
// DM_MAX_ITER with the last iterate; < 0 with q1, p1 untouched. No allocation. Cost: about ten iterations of 10 n
// evaluations of L.
dm_status dm_itoh_abe_step(dm_itoh_abe *w, const double *q0, const double *p0, double h, double *q1,
                           double *p1, double *lambda);

// The steps as a dm_stepper, for a simulation; w must outlive it.
dm_stepper dm_itoh_abe_stepper(dm_itoh_abe *w);

DM_END_C
#endif

// lib/studies/energy_momentum.h: steps that conserve the energy H(q,p) and the momenta of
// symmetries of any system, for comparison with symplectic steps.
//
//   p0 + D1 - Dh(qm)' lambda/2 - k F = 0      qm = (q0+q1)/2, h(q1) = 0
//   p1 = D2 - Dh(qm)' lambda/2 - k F          H(q1,p1) - H(q0,p0) = work of forces over the step
//
//   F = M(qm) (v - sum_i e_i e_i.M v),        v = (q1-q0)/h, e_i along symmetric directions at qm
//
// This is the midpoint rule with constraint impulses along gradients at the midpoint
// (lib/discrete/del.h), and with Gonzalez's discrete derivative of H instead of its gradient: the
// energy error of the midpoint step is corrected along the motion, without the component along the
// directions xi_i of symmetries, M xi_i = d mu_i/dv, so that their momenta mu_i are conserved. For
// a potential between two particles this gives his formula, phi(r1) - phi(r0) over the difference
// of the squared distances. For a quadratic system k = 0.
//
// F and k are computed outside the step, k by the secant method: k F is of third order in h, like
// the error of the equations.
//
// Steps are of second order and not symplectic.
//
// Source: [gonzalez-1996]; paper 004, section 1; docs/theory.md section 18.
#ifndef DM_STUDIES_ENERGY_MOMENTUM_H
#define DM_STUDIES_ENERGY_MOMENTUM_H
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/mass_matrix.h"
#include "lib/mechanics/symmetry.h"

#include <stdbool.h>

DM_BEGIN_C

typedef struct dm_energy_momentum_settings {
  dm_del_settings del; // of the inner midpoint steps, as dm_del_default
  bool at_knots;       // use the constraint impulses of lib/discrete/del.h along Dh(q0): for unit
                       // quaternions, with which steps of a free body conserve its energy
  dm_momentum_map momentum; // eval NULL: no momentum is considered
  bool kept[DM_MOMENTA];    // conserved components of the map (lib/mechanics/symmetry.h)
  double gravity[3];        // direction for the vertical angular momentum
} dm_energy_momentum_settings;

typedef struct dm_energy_momentum {
  int n, nc, count; // coordinates, constraints, conserved momenta
  dm_energy_momentum_settings set;
  dm_system s;
  dm_del *del;       // takes the midpoint steps
  dm_continuous *c;  // H(q,p)
  dm_mass_matrix *M; // at qm
  double *F, *g;     // [n] direction of the correction, k F
  double *e, *Me;    // [count x n] orthonormal symmetric directions, M times them
  double *q, *p, *v; // [n] trial
  double *rows;      // [6 x n] d mu/dv
  double *qm;        // [n]
  void *map;         // scratch of the momentum map
  dm_del_info info;  // of the last midpoint step
  int corrections;   // midpoint steps after the first in the last step
  double missed;     // remaining energy error of the last step                 J
} dm_energy_momentum;

// Check that the method supports a system: its rule must be midpoint with alpha = 1/2, without
// kinematic coordinates. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_energy_momentum_check(const dm_system *s, dm_message *msg);

// Allocate for a system (copied) that passes dm_energy_momentum_check. Returns DM_OK or
// DM_NO_MEMORY.
dm_status dm_energy_momentum_new(dm_energy_momentum **out, const dm_system *s,
                                 const dm_energy_momentum_settings *set);
void dm_energy_momentum_free(dm_energy_momentum *w); // accepts NULL

// Advance one step; arguments as for dm_del_step. Returns DM_OK; DM_MAX_ITER with the last iterate
// if the energy or the step does not converge; < 0, the status of a midpoint step, the Lagrangian
// or the mass matrix, with q1 and p1 untouched. Does not allocate. Cost: about six midpoint steps,
// one if no correction is needed.
dm_status dm_energy_momentum_step(dm_energy_momentum *w, const double *q0, const double *p0,
                                  const double *u, double h, double *q1, double *p1);

// The steps as a dm_stepper, for a simulation; w must outlive it.
dm_stepper dm_energy_momentum_stepper(dm_energy_momentum *w);

DM_END_C
#endif

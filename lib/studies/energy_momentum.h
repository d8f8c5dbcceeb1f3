// lib/studies/energy_momentum.h: steps that keep the energy H(q,p) and the momenta of symmetries,
// of any system: what symplectic steps are compared with.
//
//   p0 + D1 - Dh(qm)' lambda/2 - k F = 0      qm = (q0+q1)/2, h(q1) = 0
//   p1 = D2 - Dh(qm)' lambda/2 - k F          H(q1,p1) - H(q0,p0) = work of forces over the step
//
//   F = M(qm) (v - sum_i e_i e_i.M v),        v = (q1-q0)/h, e_i along symmetric directions at qm
//
// the midpoint rule with its constraints' impulses along gradients in the middle (lib/discrete/del.h),
// and with Gonzalez's discrete derivative of H in the place of its gradient: what a step of the
// midpoint rule misses of the energy is made good along the motion, less what of that is along
// directions xi_i of symmetries, M xi_i = d mu_i/dv, whose momenta mu_i stay so. Of a potential
// between two particles it is his formula, phi(r1) - phi(r0) over the difference of the squares of
// the distance r. A quadratic system has k = 0.
//
// F and k are found outside of the step, each step's k by the secant through the last two: k F is of
// third order in h, and so are the equations' own errors.
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
  dm_del_settings del; // of the midpoint steps within, as dm_del_default
  bool at_knots; // constraints' impulses are those of lib/discrete/del.h's own steps instead, along
                 // Dh(q0): of unit quaternions, for so a free body's steps keep their energy
  dm_momentum_map momentum; // eval NULL: no momentum is looked after
  bool kept[DM_MOMENTA];    // which of the map's are kept (lib/mechanics/symmetry.h)
  double gravity[3];        // of the moment against it
} dm_energy_momentum_settings;

typedef struct dm_energy_momentum {
  int n, nc, count; // coordinates, constraints, momenta kept
  dm_energy_momentum_settings set;
  dm_system s;
  dm_del *del;       // takes the midpoint steps
  dm_continuous *c;  // H(q,p)
  dm_mass_matrix *M; // of qm
  double *F, *g;     // [n] the correction's direction, k F
  double *e, *Me;    // [count x n] orthonormal symmetric directions, M times them
  double *q, *p, *v; // [n] trial
  double *rows;      // [6 x n] d mu/dv
  double *qm;        // [n]
  void *map;         // the momentum map's scratch
  dm_del_info info;  // of the last midpoint step
  int corrections;   // of the last step: midpoint steps beside the first
  double missed;     // what the last step still misses of the energy                  J
} dm_energy_momentum;

// Does the method go with a system? Its rule must be the midpoint's with alpha = 1/2, and no
// coordinate kinematic. Returns DM_OK, or DM_BAD_INPUT with a sentence in msg.
dm_status dm_energy_momentum_check(const dm_system *s, dm_message *msg);

// Allocate for a system (copied) that dm_energy_momentum_check takes. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_energy_momentum_new(dm_energy_momentum **out, const dm_system *s,
                                 const dm_energy_momentum_settings *set);
void dm_energy_momentum_free(dm_energy_momentum *w); // accepts NULL

// Advance one step: arguments as of dm_del_step. Returns DM_OK; DM_MAX_ITER with the last iterate
// where the energy or the step does not converge; below 0 what a midpoint step, the Lagrangian or
// the mass matrix returned, with q1 and p1 untouched. Does not allocate. Cost: some six midpoint
// steps, one where nothing is to be corrected.
dm_status dm_energy_momentum_step(dm_energy_momentum *w, const double *q0, const double *p0,
                                  const double *u, double h, double *q1, double *p1);

// Its steps, for a simulation; w must outlive it.
dm_stepper dm_energy_momentum_stepper(dm_energy_momentum *w);

DM_END_C
#endif

// lib/mechanics/symmetry_group.h: the continuous symmetries of a system, found by search, and their momenta.
//
//   world     c.mu(q,v): combinations of the six components of the momentum map: translations and rotations of
//             everything in space, also about lines that pass the origin, and screws
//   shift     p.w: coordinates move together
//   linear    p.(w + W q): rotations and stretches of coordinates; up to DM_SYMMETRY_LINEAR coordinates
//
// A candidate is a symmetry if it changes L along no motion, and moves along every constraint,
//
//   L_q.(w + W q) + L_v.W v = 0 (of the world: d(c.mu)/dt = 0 without constraints),   Dh (w + W q) = 0,
//
// at random states on the constraints. These equations are linear in (c, w, W): their null space is the Lie algebra of
// symmetries. A symmetry whose momentum is a combination of those of others, or zero, is left out.
//
// Source: Noether's theorem; [marsden-west-2001], section 1.3.3; docs/theory.md section 37.
#ifndef DM_MECHANICS_SYMMETRY_GROUP_H
#define DM_MECHANICS_SYMMETRY_GROUP_H
#include "lib/base/status.h"

#include <stdbool.h>

DM_BEGIN_C

enum { DM_SYMMETRIES = 24, DM_SYMMETRY_LINEAR = 8 };

typedef struct dm_symmetry {
  double world[6];     // c: angular momentum about the origin, then linear momentum
  const double *w, *W; // [n], [n x n]
} dm_symmetry;

typedef struct dm_symmetry_group {
  int n, count;
  dm_symmetry of[DM_SYMMETRIES]; // their arrays belong to the group
} dm_symmetry_group;

// A Lagrangian of order k, for the search: the gradient g [(k+1) n] of C at x = (q, q', .., q^(k)), and constraints.
typedef struct dm_symmetry_model {
  int n, k;
  void *self;
  dm_status (*gradient)(void *self, const double *x, double *g);
  // Move x onto the constraints, and write their gradients Dh [nc x n] there; NULL: none
  int nc;
  dm_status (*restrict_state)(void *self, double *x, double *Dh);
  // c.mu: the six momenta [6] and their rates [6] at x, without constraints, and the momenta of velocities along each
  // constraint, with the largest term of each [nc x 6]; NULL: no world
  dm_status (*world)(void *self, const double *x, double *mu, double *rate, double *rows,
                     double *terms);
  const double *centre; // [n] position near which states are drawn, within 0.3
  const bool *fixed;    // [n] prescribed coordinates, which no symmetry moves; NULL: none
} dm_symmetry_model;

// Find the group. Returns DM_OK (free with dm_symmetry_group_free), DM_NO_MEMORY, or a status of the model. Allocates.
// Cost: O((n + n^2)^3) for n <= DM_SYMMETRY_LINEAR, else O(n^3).
dm_status dm_symmetry_group_new(dm_symmetry_group **out, const dm_symmetry_model *model);
void dm_symmetry_group_free(dm_symmetry_group *w); // accepts NULL

// The part of the momentum of symmetry i that coordinates have, sum_d P_d.W q^(d) + P_0.w, at x, P [k n].
double dm_symmetry_momentum(const dm_symmetry_group *w, int i, int k, const double *x,
                            const double *P);

// Its name, such as "momentum.x", "p.slider", "moment.z - 0.5 momentum.x", "x p.y - y p.x", in text; returns text.
enum { DM_SYMMETRY_NAME = 120 };
const char *dm_symmetry_name(const dm_symmetry_group *w, int i, const char *const *coord,
                             char text[DM_SYMMETRY_NAME]);

DM_END_C
#endif

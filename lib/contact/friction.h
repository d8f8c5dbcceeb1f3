// lib/contact/friction.h: Coulomb friction by maximal dissipation: the tangential impulses t of
// contacts,
//
//   t makes 1/2 t.K t + c.t least, |t_i| <= mu_i N_i, N_i = N0_i + (B t)_i, N_i >= 0
//
// a pair t_i for each contact, its disc a round cone's slice. With K = T W T' and c = T W p this is
// the energy of p + T't in the metric W of an impact, so that friction takes as much of it as
// normal impulses N allow, and never gives any: t = 0 is in all discs. Where T are rows less what
// holds the contacts, B is what friction adds to their normal impulses.
//
// Discs stand still while the minimum over them is found, pair after pair, each exactly; then they
// are those of the new N, until these stay.
//
// Source: [moreau-1988] in docs/sources.md; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_FRICTION_H
#define DM_CONTACT_FRICTION_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct dm_friction {
  int n, most; // columns, the most contacts
  // of m contacts, set by the caller
  int m, *which;             // their numbers                                          [most]
  int worst;                 // of them, that which settles least
  double *mu, *N;            // coefficients, normal impulses without t                [most]
  double *K, *B, *c;         // [2m x 2m], [m x 2m], [2m]
  double speed;              // of the size of what c is the sum of: little of it is rest
  double *T, *Tp, *WT;       // rows, the same less what holds contacts, W times these [2m x n]
  double *t;                 // on entry the guess; out: the impulses                  [2m]
  double *at0, *at1, *shift; // positions along the tangents, at q0, at q1; the change [2m]
  double *bound, *step;      // mu N, what it was off by                               [most]
  double *before, *last, *p; // t of the discs, of the pass before [2m]; of a step      [n]
} dm_friction;

// A workspace. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_friction_new(dm_friction **out, int n, int most);
void dm_friction_free(dm_friction *w);

// Find t from m, mu, N, K, B and c. Returns DM_OK; DM_MAX_ITER where the discs do not settle
// (normal impulses that grow with friction without end), t the last minimum; DM_NOT_FINITE. Does
// not allocate. Cost: O(m^2) a pass over the pairs.
dm_status dm_friction_solve(dm_friction *w);

// How far what w->t does to the motion is from what t [2m] does: the largest |K (w->t - t)|, over
// the terms of K t + c and w->speed. Impulses that hold one another up are not determined, and do
// not count.
double dm_friction_change(dm_friction *w, const double *t);

DM_END_C
#endif

// lib/contact/friction.h: Coulomb friction by maximal dissipation: the tangential impulses t of
// contacts that take as much energy as the normal impulses N allow,
//
//   t makes 1/2 t.K t + c.t least,  |t_i| <= mu_i N_i,  N_i = N0_i + (B t)_i,  N_i >= 0
//
// a pair t_i for each contact, its disc the slice of a round cone. With the tangents' rows T and
// K = T W T', c = T W p this is the energy of p + T't in the metric W of an impact, so that friction
// never gives any: t = 0 is in all discs. Where T are rows less what keeps the contacts closed, B is
// what friction adds to their normal impulses.
//
//   1  the discs of radii mu_i N_i(t), at first of t as it is on entry
//   2  the minimum over these discs, pair after pair, each exactly, until none changes
//   3  the discs of the new N(t); go to 2 until the motion stays. Where radii go to and fro, only a
//      part of each change is made, half as much after each turn.
//
// Source: [moreau-1988] in docs/sources.md; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_FRICTION_H
#define DM_CONTACT_FRICTION_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct dm_friction {
  int n, max_contacts; // coordinates, the most contacts
  // the problem of m contacts, set by the caller
  int m;
  int *which;   // their numbers                                                [max_contacts]
  double *mu;   // coefficients of friction                                     [max_contacts]
  double *N;    // normal impulses without t, N s                               [max_contacts]
  double *K;    // metric of the tangents                                       [2m x 2m]
  double *B;    // what t adds to N                                             [m x 2m]
  double *c;    // velocities along the tangents without t, m/s                 [2m]
  double speed; // the size of what c is the sum of: little of it is rest
  double *t;    // on entry the guess; out: the impulses, N s                   [2m]
  int worst;    // out: the contact, 0 .. m-1, that settles least
  // room for who makes the problem (lib/contact/friction_step.h)
  double *T, *Tp,
      *WT; // rows of the tangents; less what keeps contacts closed; W times these [2m x n]
  double *at0, *at1; // positions along the tangents, at q0, at q1           [2m]
  double *shift;     // their change over the step, by its length            [2m]
  double *p;         // momenta of a step with friction                      [n]
  // scratch
  double *bound, *step;  // radii mu N of the discs, what they were off by      [max_contacts]
  double *before, *last; // t of the discs before, of the pass before           [2m]
} dm_friction;

// Allocate a workspace. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_friction_new(dm_friction **out, int n, int max_contacts);
void dm_friction_free(dm_friction *w); // accepts NULL

// Find t from m, mu, N, K, B, c and speed. Returns DM_OK; DM_MAX_ITER where the discs do not settle
// (normal impulses that grow with friction without end), t the last minimum; DM_NOT_FINITE. Does
// not allocate. Cost: O(m^2) a pass over the pairs.
dm_status dm_friction_solve(dm_friction *w);

// How far what w->t does to the motion is from what t [2m] does: the largest |K (w->t - t)|, over
// the terms of K t + c and w->speed; its contact in w->worst. NAN where it has no value. Impulses
// that hold one another up are not determined, and do not count.
double dm_friction_change(dm_friction *w, const double *t);

DM_END_C
#endif

// lib/contact/friction.h: Coulomb friction by maximal dissipation: the tangential impulses t of
// contacts that dissipate as much energy as the normal impulses N allow,
//
//   t minimizes 1/2 t.K t + c.t,  |t_i| <= mu_i N_i,  N_i = N0_i + (B t)_i,  N_i >= 0
//
// with a pair t_i for each contact, whose disc is a slice of the friction cone. With the tangent
// rows T and K = T W T', c = T W p this is the energy of p + T't in the metric W of an impact, so
// that friction never adds energy: t = 0 is feasible. If T are rows projected on the closed
// contacts, B is the effect of friction on their normal impulses.
//
// Normal impulses of dependent contacts are not determined by t. A caller with dependent contacts
// gives a function for N instead of N0 and B, which shares them so that N_i >= 0.
//
//   1  discs of radii mu_i N_i(t), initially with the given t
//   2  the minimum over these discs, by exact minimization for one pair at a time, until
//      convergence; now and then for all pairs inside their discs together, as contacts of one body
//      that stick converge slowly one by one
//   3  discs of the new N(t); go to 2 until the motion converges. If radii oscillate, only a
//      fraction of each change is applied, halved after each reversal.
//
// Source: [moreau-1988] in docs/sources.md; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_FRICTION_H
#define DM_CONTACT_FRICTION_H
#include "lib/base/status.h"

DM_BEGIN_C

typedef struct dm_friction {
  int n, max_contacts; // coordinates, largest number of contacts
  // problem of m contacts, set by the caller
  int m;
  int *which; // their indices                                                [max_contacts]
  double *mu; // coefficients of friction                                     [max_contacts]
  double *N;  // normal impulses without t, N s                               [max_contacts]
  double *K;  // metric of the tangents                                       [2m x 2m]
  double *B;  // effect of t on N                                             [m x 2m]
  // instead of N and B, unless NULL: the normal impulses N [m] at t [2m]
  dm_status (*share)(void *self, const double *t, double *N);
  void *self;
  double *c;    // velocities along the tangents without t, m/s                 [2m]
  double speed; // size of the terms of c: a small fraction of it is rest
  double *t;    // on entry the guess; out: the impulses, N s                   [2m]
  int worst;    // out: index of the slowest converging contact, 0 .. m-1
  // arrays for lib/contact/friction_step.h
  double *T, *Tp,
      *WT;           // tangent rows; projected on the closed contacts; times W [2m x n]
  double *at0, *at1; // positions along the tangents, at q0, at q1           [2m]
  double *shift;     // change over the step divided by its length            [2m]
  double *p;         // momenta of a step with friction                      [n]
  // scratch
  double *bound, *step;  // radii mu N of the discs, their last change              [max_contacts]
  double *normal;        // N at t                                                 [max_contacts]
  double *before, *last; // t of the previous discs, of the previous pass           [2m]
  int *inside;           // entries of t that are minimized together                [2m]
  double *E, *rest;      // their metric, and velocities, then steps                [2m x 2m], [2m]
} dm_friction;

// Allocate a workspace. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_friction_new(dm_friction **out, int n, int max_contacts);
void dm_friction_free(dm_friction *w); // accepts NULL

// Compute t from m, mu, N, K, B, c and speed. Returns DM_OK; DM_MAX_ITER if the discs do not
// converge (normal impulses that grow with friction without bound), with the last minimum in t;
// DM_NOT_FINITE or the status of w->share. Does not allocate. Cost: O(m^2) per pass over the pairs.
dm_status dm_friction_solve(dm_friction *w);

// The difference in the motion between w->t and t [2m]: the largest |K (w->t - t)| relative to the
// terms of K t + c and w->speed; sets w->worst to its contact. NAN if undefined. Impulses that
// balance each other are undetermined and have no effect.
double dm_friction_change(dm_friction *w, const double *t);

DM_END_C
#endif

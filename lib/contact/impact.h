// lib/contact/impact.h: impacts: the momentum after, of any number of constraints g_i(q) >= 0 that
// touch at once, under equality constraints a(q) = 0, keeping an energy.
//
//   p+ = p- + G'r, r >= 0        G p+ >= 0 in velocities        E(p+) = E(p-)
//
// With rows G_i = Dg_i less what a(q) = 0 takes up, G_i <- G_i - (A W A')^-1 (A W G_i)'A, and the
// energy's metric W (M^-1 of a Hamiltonian), v = W p the velocity:
//
//   generalized   while V = {i: G_i v < 0} is not empty: lambda = nnls(V), p <- p + 2 G_V'lambda
//   Moreau        the same with V = all rows
//
// where nnls makes the least p.W p (lib/base/nnls.h). For an energy that is not p.W p/2 and a
// constant, 2 becomes the root of E(p + a G'lambda) = E(p-) near it, if there is one. In Newton's
// cradle the first hands on as many balls as come in, the second spreads the momentum.
//
// Restitution e_i in [0,1] stands between r of the elastic impact and r0 = nnls(all), after which
// nothing bounces: r0_i + s e_i (r_i - r0_i), and where e_i differ what approaches then is brought
// to rest, as by nnls(all): a ball bounces off a block that lies on the floor. s = 1, or the
// largest that gains no energy.
//
// Source: paper 002, algorithms 2 and 3, eq. 37-40, 47; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_IMPACT_H
#define DM_CONTACT_IMPACT_H
#include "lib/base/nnls.h"

DM_BEGIN_C

// What an impact keeps, at one configuration.
typedef struct dm_conserved {
  void *self;
  // out = W times each of m rows of B                      [m x n]
  dm_status (*metric)(void *self, int m, const double *B, double *out);
  // E(p) of the motion that leaves with p or, not `leaves`, arrives with it; NULL: p.W p/2 and a
  // constant, the same for both
  dm_status (*value)(void *self, bool leaves, const double *p, double *E);
  double slow; // a speed in W: 1e-12 of it, or of p's, is rest
} dm_conserved;

typedef enum dm_impact_law { DM_GENERALIZED, DM_MOREAU } dm_impact_law;

typedef struct dm_impact_info {
  int passes;         // solutions of nnls
  int reflected;      // rows with an impulse
  double gained;      // E(p+) - E(p-), J; by W where E is quadratic
  double approaching; // what is left to approach, the largest -G_i v / |G_i|; 0 to rounding
  int worst;          // its row; -1: none
} dm_impact_info;

typedef struct dm_impact {
  int n, na, most; // length of p, equality constraints, the most rows of G
  dm_nnls *nnls;
  double *WA, *S;              // [na x n], [na x na] factor of A W A'
  int *piv;                    // [na]
  double *G, *WG;              // [most x n] projected rows, W times these
  double *size;                // [most] their lengths in W
  int *V;                      // [most]
  double *lambda, *r0, *b, *c; // [most], [most], [most] rates, [max(na, 1)]
  double *p, *v, *v0, *d, *Wd; // [n]
} dm_impact;

dm_status dm_impact_new(dm_impact **out, int n, int na, int most);
void dm_impact_free(dm_impact *w);

// Reflect p at m rows.
//   A     rows of the equality constraints' gradients           [na x n]
//   m, G  gradients of the inequalities that touch              [m x n], m <= most
//   e     restitutions, NULL: all 1                             [m]
//   p     in and out                                            [n]
//   r     out: impulses along the rows                          [m]
// Returns DM_OK; DM_MAX_ITER after 50 + 20 m passes, p the last iterate: its energy is right, some
// still approach; DM_SINGULAR where equality constraints depend on one another, or DM_NOT_FINITE, p
// untouched. Does not allocate. Cost: m products with W, then O(m n) for each row nnls takes.
dm_status dm_impact_apply(dm_impact *w, dm_impact_law impact, const dm_conserved *E,
                          const double *A, int m, const double *G, const double *e, double *p,
                          double *r, dm_impact_info *info);

DM_END_C
#endif

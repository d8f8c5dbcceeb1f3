// lib/contact/impact.h: impacts: the momentum after, of any number of constraints g_i(q) >= 0 that
// touch at once, under equality constraints a(q) = 0, keeping an energy.
//
//   p+ = p- + G'r, r >= 0        G p+ >= 0 in velocities        E(p+) = E(p-)
//
// in the energy's metric W (M^-1 of a Hamiltonian), v = W p the velocity:
//
//   1  rows G_i = Dg_i less what a(q) = 0 takes up, G_i <- G_i - (A W A')^-1 (A W G_i)'A
//   2  V = {i: G_i v < 0}, those that approach; none: go to 4. (Moreau: if any, V = all rows)
//   3  lambda = nnls(V), p <- p + 2 G_V'lambda; go to 2
//   4  restitution, where one is below 1
//
// where nnls makes the least p.W p (lib/base/nnls.h). For an energy that is not p.W p/2 and a
// constant, 2 becomes the root of E(p + a G'lambda) = E(p-) near it, if there is one. In Newton's
// cradle the generalized law hands on as many balls as come in, Moreau's spreads the momentum.
//
// Restitution e_i in [0,1] stands between r of the elastic impact and r0 = nnls(all), after which
// nothing bounces:
//
//   4a p + G'(r0 + s e (r - r0)), s = 1, or the largest that gains no energy
//   4b what approaches then, where e_i differ, is brought to rest, as by nnls(all): a ball bounces
//      off a block that lies on the floor
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

typedef enum dm_impact_law {
  DM_GENERALIZED, // those that approach, pass after pass
  DM_MOREAU       // all that touch at once
} dm_impact_law;

typedef struct dm_impact_info {
  int passes;         // solutions of nnls
  int reflected;      // rows with an impulse
  double gained;      // E(p+) - E(p-), J; by W where E is quadratic
  double approaching; // what is left to approach, the largest -G_i v / |G_i|; 0 to rounding
  int worst;          // its row; -1: none
} dm_impact_info;

typedef struct dm_impact {
  int n, na, max_rows; // length of p, equality constraints, the most rows of G
  dm_nnls *nnls;
  double *WA, *S; // W A, factor of A W A'                     [na x n], [na x na]
  int *piv;       // its row exchanges                         [na]
  double *G, *WG; // rows less what equalities take up, W G    [max_rows x n]
  double *size;   // their lengths in W                        [max_rows]
  int *V;         // those that approach                       [max_rows]
  double *lambda; // impulses of a pass                        [max_rows]
  double *r0;     // impulses that bring to rest               [max_rows]
  double *b;      // rates G v                                 [max_rows]
  double *c;      // what an equality takes up of a row        [max(na, 1)]
  double *p, *v;  // momentum and velocity at hand             [n]
  double *v0;     // velocity before, or a momentum on trial   [n]
  double *d, *Wd; // G'lambda, W G'lambda                      [n]
} dm_impact;

// Allocate a workspace. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_impact_new(dm_impact **out, int n, int na, int max_rows);
void dm_impact_free(dm_impact *w); // accepts NULL

// Reflect p at m rows.
//   A     rows of the equality constraints' gradients           [na x n]
//   m, G  gradients of the inequalities that touch              [m x n], m <= max_rows
//   e     restitutions, NULL: all 1                             [m]
//   p     in: momentum before; out: after                       [n] SI
//   r     out: impulses along the rows                          [m] N s or N m s
// Returns DM_OK; DM_MAX_ITER after 50 + 20 m passes, p the last iterate: its energy is right, some
// still approach; DM_SINGULAR where equality constraints depend on one another, or DM_NOT_FINITE, p
// untouched. Does not allocate. Cost: m products with W, then O(m n) for each row nnls takes.
dm_status dm_impact_apply(dm_impact *w, dm_impact_law impact, const dm_conserved *E,
                          const double *A, int m, const double *G, const double *e, double *p,
                          double *r, dm_impact_info *info);

DM_END_C
#endif

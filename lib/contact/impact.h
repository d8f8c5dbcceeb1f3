// lib/contact/impact.h: the momentum after an impact at any number of simultaneous contacts g_i(q)
// >= 0, under equality constraints a(q) = 0, conserving an energy.
//
//   p+ = p- + G'r, r >= 0        G p+ >= 0 in velocities        E(p+) = E(p-)
//
// with the energy's metric W (M^-1 for a Hamiltonian) and the velocity v = W p:
//
//   1  V = {i: G_i v < 0}, the approaching rows; none: go to 3. (Moreau: if any, V = all rows)
//   2  lambda = nnls(V), p <- p + 2 G_V'lambda; go to 1
//   3  restitution, if one is below 1
//
// where nnls minimizes p.W p (lib/contact/row_impulses.h), and G_V'lambda includes the impulses A'nu
// of the equalities. For an energy other than p.W p/2 plus a constant,
// the factor 2 is replaced by the root near 2 of E(p + a G'lambda) = E(p-), if one exists. In
// Newton's cradle the generalized law passes on as many balls as arrive, whereas Moreau's law
// spreads the momentum.
//
// Restitution e_i in [0,1] interpolates between r of the elastic impact and r0 = nnls(all) of the
// inelastic impact:
//
//   3a p + G'(r0 + s e (r - r0)), s = 1, or the largest value without energy gain
//   3b rows that then approach, if the e_i differ, are brought to rest by nnls(all): a ball bounces
//      off a block that lies on the floor
//
// Source: paper 002, algorithms 2 and 3, eq. 37-40, 47; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_IMPACT_H
#define DM_CONTACT_IMPACT_H
#include "lib/contact/row_impulses.h"

DM_BEGIN_C

// The conserved quantity of an impact, at one configuration.
typedef struct dm_conserved {
  void *self;
  dm_row_metric rows;                                            // W times rows
  dm_status (*metric)(void *self, const double *p, double *out); // out [n] = W p
  // E(p) of the motion that leaves with p or, if not `leaves`, arrives with p; NULL: p.W p/2 plus a
  // constant, equal for both
  dm_status (*value)(void *self, bool leaves, const double *p, double *E);
  double slow; // a speed in the metric W: 1e-12 of it, or of that of p, is rest
} dm_conserved;

typedef enum dm_impact_law {
  DM_GENERALIZED, // the approaching rows, pass after pass
  DM_MOREAU       // all contacts at once
} dm_impact_law;

typedef struct dm_impact_info {
  int passes;         // number of nnls solutions
  int reflected;      // number of rows with an impulse
  double gained;      // E(p+) - E(p-), J; by W if E is quadratic
  double approaching; // largest remaining -G_i v / |G_i|; 0 up to rounding
  int worst;          // its row; -1: none
} dm_impact_info;

typedef struct dm_impact {
  int n, na, max_rows; // length of p, number of equality constraints, largest number of rows G
  size_t entries;      // largest number of their entries
  dm_row_impulses *nnls;
  dm_row_set *equal; // factors of A W A'
  dm_sparse_rows WA; // W A
  const dm_sparse_rows *A, *G;
  dm_sparse_rows some; // the rows V of G
  double *size;        // norms of G in W                         [max_rows]
  int *V;              // approaching rows                             [max_rows]
  bool *in;            // those with an impulse                         [max_rows]
  double *lambda;      // impulses of a pass                        [max_rows]
  double *r0;          // impulses of the inelastic impact             [max_rows]
  double *b;           // rates G v                                 [max_rows]
  double *c;           // impulses of the equalities                  [na]
  double *p, *v;       // current momentum and velocity                [n]
  double *v0;          // velocity before, or a trial momentum         [n]
  double *d, *Wd;      // G'lambda + A'nu, W times this              [n]
} dm_impact;

// Allocate a workspace for rows G with at most `entries` entries. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_impact_new(dm_impact **out, int n, int na, int max_rows, size_t entries);
void dm_impact_free(dm_impact *w); // accepts NULL

// Reflect p at m rows.
//   A     rows of the equality constraints' gradients           na rows
//   G     gradients of the inequalities in contact            m rows, m <= max_rows
//   e     restitutions, NULL: all 1                             [m]
//   p     in: momentum before; out: after                       [n] SI
//   r     out: impulses along the rows                          [m] N s or N m s
// Returns DM_OK; DM_MAX_ITER after 50 + 20 m passes with the last iterate in p, which has the
// correct energy but still approaches; DM_SINGULAR if equality constraints are dependent, or
// DM_NOT_FINITE, with p untouched. Does not allocate. Cost: m products with W, then
// some sparse factors for each pass.
dm_status dm_impact_apply(dm_impact *w, dm_impact_law impact, const dm_conserved *E,
                          const dm_sparse_rows *A, const dm_sparse_rows *G, const double *e,
                          double *p, double *r, dm_impact_info *info);

DM_END_C
#endif

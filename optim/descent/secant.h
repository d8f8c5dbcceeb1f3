// optim/descent/secant.h: directions in the reduced space (optim/descent/reduced_space.h) that take
// more than one solution of a problem: those with a memory of gradients, and a trust region. M is
// the metric of the model, c = (w, theta), s the last step, y the change of the gradient g.
//
//   bb     c = -t M^-1 g,  t = s'Ms / s'y and s'y / y'M^-1 y in turn        Barzilai and Borwein
//   cg     c = -M^-1 g + b c_old,  b = max(0, g'M^-1 y / g_old'M^-1 g_old)  Polak and Ribiere, +
//   lbfgs  the two-loop recursion on (s,y) of at most OC_PAIRS steps, from t M^-1
//   trust  minimize g'c + c'Hc/2 over c'Mc <= r^2, by conjugate gradients that M preconditions, to
//          the first negative curvature or the boundary (Steihaug)
//
// Source: [nocedal-wright-2006], 5.2, 7.1, 7.2, algorithms 4.1, 7.2, 7.4.
#ifndef OC_DESCENT_SECANT_H
#define OC_DESCENT_SECANT_H
#include "optim/descent/reduced_space.h"

DM_BEGIN_C

enum { OC_PAIRS = 20, OC_RECENT = 10 };

typedef struct oc_secant {
  oc_search_direction *w;                      // borrowed
  int n;                                       // entries of c
  int count, head;                             // of pairs; the next one
  bool ready;                                  // s and g_old are those of the last step
  double step, tau;                            // the last step length, and scale of the gradient
  double slope;                                // the last slope per unit step
  double *g, *g_old, *Mg, *Mg_old, *c, *s, *d; // [n]
  double *r, *Hd;                              // [n] trust region
  double *S, *Y;                               // [OC_PAIRS][n]
  double rho[OC_PAIRS], part[OC_PAIRS];
  bool *fixed;              // [n]
  double recent[OC_RECENT]; // merits, for steps that may increase it
  int merits;
  double radius, model; // of the trust region; the predicted change of the merit
  bool edge;            // the last direction ends at its boundary
} oc_secant;

// Allocate for directions (borrowed). Returns DM_OK or DM_NO_MEMORY.
dm_status oc_secant_new(oc_secant **out, oc_search_direction *w);
void oc_secant_free(oc_secant *m); // accepts NULL

// Forget all steps: the merit has changed, or another method took one.
void oc_secant_restart(oc_secant *m);

// After oc_search_direction_model: the direction of an update, into p->z, p->v, p->start->step, and
// its slope. Returns DM_OK, or the status of a sweep.
dm_status oc_secant_direction(oc_secant *m, oc_update update, double *slope);

// A step `a` of this direction changed the merit by `change`, from the motion x to y.
void oc_secant_stepped(oc_secant *m, double a, double change, const dm_trajectory *x,
                       const dm_trajectory *y);

// The merit that Armijo's rule compares with: the largest of the recent ones, of which this is the
// last. None of these functions allocates.
double oc_secant_reference(oc_secant *m, double merit);

DM_END_C
#endif

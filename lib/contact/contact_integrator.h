// lib/contact/contact_integrator.h: steps of a system under equalities a(q) = 0 and inequalities
// g(q) >= 0 that bounces, slides along boundaries and leaves them.
//
// The generalized variational integrator takes steps of full length:
//
//   1  a predictor qh of the next configuration
//   2  C = {i: g_i(q0) <= 0 or g_i(qh) <= 0}, less L = {i in C: g_i(q0) > 0, restitution 0}
//   3  p0+ = the reflection of p0 at C                                       (lib/contact/impact.h)
//   4  S = {i in C: g_i(q0) = 0 and Dg_i v+ = 0} and L: along these the motion is smooth
//   5  p0+ + D1(q0,q1) + G_S(q0)'lambda + A(q0)'gamma = 0,
//      0 <= lambda, g_S(q1) >= 0, complementary, a(q1) = 0 (lib/contact/complementarity.h)
//   6  p1 = D2(q0,q1) + G_E(q1)'mu + A(q1)'nu with G_E v = 0, A v = 0, E = {i in S: g_i(q1) = 0}
//
// Restitutions below one are those of contacts that are new: one of the step before that approaches
// again rests. What rests is met by the step itself, L, which ends on its boundary, and is taken
// anew with all of that kind that it would pass unforeseen: brought to rest
// before, it would fall again from there, and so on. 0 of g and of rates stands for `touch` and
// `tangent`. What has sunk below a boundary by less than a step's error and moves along it (after
// an impact that takes energy) is held where it is: g_S(q1) >= min(g_S(q0), 0). Velocities are
// those of the energy kept.
//
// Beside it stand the methods it is compared with, under the same constraints:
//
//   gvi              the above
//   smooth           steps 5 and 6 alone, S = {i: g_i(q0) = 0}: nothing bounces
//   gvi-linearized   the first with g(qh) + Dg(qh)(q - qh) in the place of g: momenta are lost
//   direct-midpoint  midpoint rule, a force at (q0+q1)/2 that keeps that place admissible
//   direct-endpoint  midpoint rule, a force at q1
//   newmark          of beta, gamma, a force at q1, which acts in the next step as well
//   imex-newmark     explicit, the force at q1 implicit
//   collision        steps cut at each contact, which is found by bisection
//
// Source: paper 002, algorithm 1, eq. 28-50, 62-76; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_INTEGRATOR_H
#define DM_CONTACT_CONTACT_INTEGRATOR_H
#include "lib/contact/complementarity.h"
#include "lib/contact/friction.h"
#include "lib/contact/impact.h"
#include "lib/mechanics/mass_matrix.h"

DM_BEGIN_C

typedef struct dm_contact_integrator dm_contact_integrator;

// What a step starts from.
typedef struct dm_departure {
  const double *q, *p, *u; // [n], [n], [nu]
  double h;
} dm_departure;

// Write a guess of the configuration after a step. Pluggable; two are here: q + h M^-1 p, as in
// paper 002, and a step under equalities alone.
typedef dm_status (*dm_predictor)(dm_contact_integrator *w, const dm_departure *at, double *q);
dm_status dm_predict_forward(dm_contact_integrator *w, const dm_departure *at, double *q);
dm_status dm_predict_step(dm_contact_integrator *w, const dm_departure *at, double *q);

typedef enum dm_kept {
  DM_KEEP_HAMILTONIAN, // p.M^-1 p/2 + V
  DM_KEEP_DISCRETE,    // -dLd/dh of the step, under equalities alone, that arrives or leaves
  DM_KEEP_VERLET       // Stoermer-Verlet's numerical Hamiltonian of second order
                       // (lib/mechanics/mass_matrix.h)
} dm_kept;

typedef struct dm_contact_integrator_settings {
  const char *method;     // a name of dm_contact_methods, default gvi
  dm_impact_law impact;   // default DM_GENERALIZED
  dm_kept kept;           // by an impact, default DM_KEEP_HAMILTONIAN
  dm_predictor predictor; // default dm_predict_forward
  double touch;           // within which a boundary is touched, default 1e-9      m or rad
  double tangent;         // rates below it, over |G_i| |v|, are zero, default 1e-9
  double beta, gamma;     // of Newmark, default 1/4, 1/2
  int max_cuts;           // collision: of a step, default 100
} dm_contact_integrator_settings;
void dm_contact_integrator_default(dm_contact_integrator_settings *set);

typedef struct dm_contact_integrator_info {
  int candidates, smooth, held; // in C, S, E (of the direct methods: all, those with a force, held)
  int made, left; // contacts that were not there in the step before, that no longer are
  int cuts;       // collision: contacts found within the step
  double sunk;    // the deepest violation at q1, 0 where there is none     m or rad
  dm_impact_info impact;
  dm_complementarity_info closing;
  int rubs;       // solutions of the step until friction settled
  bool unsettled; // it did not; so the step did not
} dm_contact_integrator_info;

typedef dm_status (*dm_contact_step)(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                     double *p1, dm_contact_integrator_info *info);
typedef struct dm_contact_method {
  const char *name;
  dm_contact_step step;
  const char *rule; // its discrete Lagrangian; NULL: that of the system
  bool friction;    // it takes contacts with friction
} dm_contact_method;
extern const dm_contact_method dm_contact_methods[]; // ended by a NULL name

struct dm_contact_integrator {
  dm_complementarity *c;
  dm_mass_matrix *mass;
  dm_impact *R;
  dm_friction *F; // NULL: no contact has friction
  const dm_contact_method *method;
  dm_contact_integrator_settings set;
  int n, nc, ng;
  bool started, continued; // q holds where the last step ended; this one begins there
  // of the last step
  double *impulse;        // [ng] of reflections and of smooth contact, along the gradients
  bool *contact, *before; // [ng] which were reflected, or are held; in the step before
  double *rub;            // [2 ng] of friction, along the tangents
  bool *pushed;           // [ng] which were held when they last took part in smooth contact
  // scratch
  double fall;                    // the speed that the forces of a step give, by the step before
  double h;                       // of the step whose energy is kept
  const dm_departure *at;         // likewise
  int *C, *S, *E;                 // [ng] numbers of constraints
  double *g0, *gh, *g1;           // [ng] values at q0, qh, q1
  double *G;                      // [ng x n] gradients at C; at E
  int rank, *row;                 // of a projection: independent rows, which of those in G [n]
  double *WG, *L, *y;             // [ng x n], [n x n], [n] of a projection
  double *level, *e, *r;          // [ng]
  double *qh, *q, *p, *last;      // [n] predictor, a place, p0+; of newmark the last impulse
  double *gained, *gained_before; // [n] of momentum in the last two steps, impacts apart
  double *x, *v;                  // [n]
  dm_jet jet;                     // L, L_q, L_v
  void *sweep;
};

// A workspace for a system with inequalities (both copied; the rule of a method that has one of its
// own replaces the system's). set NULL: the defaults.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg: a method that is not there,
// kinematic coordinates; numerical Hamiltonian or newmark where the mass matrix is not constant.
dm_status dm_contact_integrator_new(dm_contact_integrator **out, const dm_system *s,
                                    const dm_unilateral *g,
                                    const dm_contact_integrator_settings *set, dm_message *msg);
void dm_contact_integrator_free(dm_contact_integrator *w);

// Advance one step.
//   q0, p0  state at t; momenta keep the equalities, A v = 0     [n], [n]
//   u       inputs held over the step                             [nu]
//   h       step, > 0                                             s
//   q1, p1  out: state at t + h; may be q0, p0                    [n]
// Returns DM_OK; DM_MAX_ITER where impulses or an impact could not be settled, the state the last
// iterate; DM_SINGULAR, DM_NOT_FINITE, or what the Lagrangian returns, q1 and p1 untouched. Does
// not allocate.
dm_status dm_contact_integrator_step(dm_contact_integrator *w, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     dm_contact_integrator_info *info);

// The energy [J] at (q,p): p.M^-1 p/2 + V.
dm_status dm_contact_integrator_energy(dm_contact_integrator *w, const double *q, const double *p,
                                       double *H);

// One sentence on why step k of w failed, with the constraint and the residual.
void dm_contact_integrator_explain(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                                   const dm_contact_integrator_info *info, int k);

// -- for the methods in files of their own

// Values of all inequalities at q, and info->sunk.
dm_status dm_contact_integrator_look(dm_contact_integrator *w, const double *q, double *g,
                                     dm_contact_integrator_info *info);

// Reflect p [n] at at->q from the m inequalities in w->C, whose gradients are taken at a place [n];
// impulses are added to w->impulse, and contacts marked. Rows stay in w->G, velocities after it in
// w->R.
dm_status dm_contact_integrator_reflect(dm_contact_integrator *w, const dm_departure *at,
                                        const double *gradient, int m, double *p,
                                        dm_contact_integrator_info *info);

// Make ready for dm_contact_integrator_release: the gradients of equalities at q [n], and those of
// k inequalities, whose rows stand in w->G, factored; w->rank rows w->row do not depend on others.
dm_status dm_contact_integrator_hold(dm_contact_integrator *w, const double *q, int k);

// Take off p [n] what has a rate along these: by impulses w->y along rows w->row.
dm_status dm_contact_integrator_release(dm_contact_integrator *w, double *p);

// Both.
dm_status dm_contact_integrator_restrict(dm_contact_integrator *w, const double *q, int k,
                                         double *p);

// Friction, in lib/contact/friction_step.c; w->F is not NULL. The first takes from p [n] at q [n]
// what friction does in an instant, at k inequalities `which` [k], whose rows stand in w->G, with
// impulses N [k]. The second closes a step as dm_complementarity_solve does, under friction as
// well; returns DM_MAX_ITER with info->unsettled where it does not settle.
dm_status dm_contact_integrator_rub(dm_contact_integrator *w, const double *q, int k,
                                    const int *which, const double *N, double *p,
                                    dm_contact_integrator_info *info);
dm_status dm_contact_integrator_slide(dm_contact_integrator *w, const dm_closing *closing,
                                      dm_contact_integrator_info *info);

// The methods of lib/studies/direct_methods.c and lib/studies/event_driven.c.
dm_status dm_direct_midpoint(dm_contact_integrator *w, const dm_departure *at, double *q1,
                             double *p1, dm_contact_integrator_info *info);
dm_status dm_direct_endpoint(dm_contact_integrator *w, const dm_departure *at, double *q1,
                             double *p1, dm_contact_integrator_info *info);
dm_status dm_newmark(dm_contact_integrator *w, const dm_departure *at, double *q1, double *p1,
                     dm_contact_integrator_info *info);
dm_status dm_collision(dm_contact_integrator *w, const dm_departure *at, double *q1, double *p1,
                       dm_contact_integrator_info *info);

DM_END_C
#endif

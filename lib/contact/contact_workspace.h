// lib/contact/contact_workspace.h: the workspace of steps with contacts, a method's row, and the
// operations that methods share. Users of contacts need lib/contact/contact_integrator.h alone;
// whoever writes a method needs this.
//
// Source: paper 002; theory section 16 in docs/theory.md.
#ifndef DM_CONTACT_CONTACT_WORKSPACE_H
#define DM_CONTACT_CONTACT_WORKSPACE_H
#include "lib/contact/complementarity.h"
#include "lib/contact/friction.h"
#include "lib/contact/impact.h"
#include "lib/mechanics/mass_matrix.h"

DM_BEGIN_C

typedef struct dm_contact_integrator dm_contact_integrator;
typedef struct dm_contact_integrator_info dm_contact_integrator_info;

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

// One step from `at` to q1, p1 [n], either of which may be at's own. Impulses and marks of contact
// stand in w at first as zeros, gaps at q0 in w->g0; gaps at q1 are left in w->g1. Returns as
// dm_contact_integrator_step does; does not allocate.
typedef dm_status (*dm_contact_step)(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                     double *p1, dm_contact_integrator_info *info);

// A method: a new one is a file with a row like this, which lib/studies/contact_methods.c lists
// where a name is to choose it.
typedef struct dm_contact_method {
  const char *name; // what users write
  dm_contact_step step;
  const char *rule;          // its discrete Lagrangian; NULL: that of the system
  bool friction;             // it takes contacts with friction
  const char *constant_mass; // what a message calls it, where it needs a mass matrix that does not
                             // change; NULL: it needs none
} dm_contact_method;

typedef struct dm_contact_integrator_settings {
  const dm_contact_method *method; // default &dm_contact_gvi
  dm_impact_law impact;            // default DM_GENERALIZED
  dm_kept kept;                    // by an impact, default DM_KEEP_HAMILTONIAN
  dm_predictor predictor;          // default dm_predict_forward
  double touch;                    // within which a boundary is touched, default 1e-9      m or rad
  double tangent;                  // rates below it, over |G_i| |v|, are zero, default 1e-9
  double beta, gamma;              // of Newmark, default 1/4, 1/2
  int max_cuts;                    // collision: of a step, default 100
} dm_contact_integrator_settings;

struct dm_contact_integrator_info {
  int candidates, smooth, held; // in C, S, E (of the direct methods: all, those with a force, held)
  int made, left; // contacts that were not there in the step before, that no longer are
  int cuts;       // collision: contacts found within the step
  double sunk;    // the deepest violation at q1, 0 where there is none     m or rad
  dm_impact_info impact;
  dm_complementarity_info closing;
  int rubs;       // solutions of the step until friction settled
  bool unsettled; // it did not; so the step did not
};

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

// -- what methods share

// Of an impact at inequality i: what was in contact a step ago and approaches again rests.
double dm_contact_integrator_restitution(const dm_contact_integrator *w, int i);

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

DM_END_C
#endif

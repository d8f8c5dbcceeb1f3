// lib/contact/contact_workspace.h: the workspace of steps with contacts, a method's row, and the
// operations that methods share. Users of contacts need lib/contact/contact_integrator.h alone;
// whoever writes a method needs this.
//
// Numbers of inequalities stand in three lists, as in lib/contact/variational_contact.h: C, the
// candidates for an impact; S, those along which the motion is smooth; E, those closed at the end.
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

// What a step starts from: the state, the inputs over the step, its length.
typedef struct dm_departure {
  const double *q, *p, *u; // [n] rad or m, [n] SI, [nu] N or N m
  double h;                // s, > 0
} dm_departure;

// Write a guess q [n] of the configuration after a step. Pluggable; two are here: q + h M^-1 p, as
// in paper 002, and a step under equalities alone.
typedef dm_status (*dm_predictor)(dm_contact_integrator *w, const dm_departure *at, double *q);
dm_status dm_predict_forward(dm_contact_integrator *w, const dm_departure *at, double *q);
dm_status dm_predict_step(dm_contact_integrator *w, const dm_departure *at, double *q);

typedef enum dm_impact_energy {
  DM_ENERGY_HAMILTONIAN, // p.M^-1 p/2 + V
  DM_ENERGY_DISCRETE,    // -dLd/dh of the step, under equalities alone, that arrives or leaves
  DM_ENERGY_VERLET       // Stoermer-Verlet's numerical Hamiltonian of second order
                         // (lib/mechanics/mass_matrix.h)
} dm_impact_energy;

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
  const char *takes;         // settings below that not all use and it does, by names; NULL: none
  double beta, gamma;        // of Newmark, where the settings say none
  bool force_by_beta;        // contacts' forces enter q1 by beta, which then is above 0
  bool bounces_by_grid;      // how far, hangs on the grid: a restitution is refused
  bool bounces_each_time;    // restitutions are those of each impact, not of contacts newly made
  bool potential_alone;      // no rule, and no forces but the potential's and the contacts'
} dm_contact_method;

typedef struct dm_contact_integrator_settings {
  const dm_contact_method *method; // default &dm_contact_gvi
  dm_impact_law impact;            // default DM_GENERALIZED
  dm_impact_energy energy;         // by an impact, default DM_ENERGY_HAMILTONIAN
  dm_predictor predictor;          // default dm_predict_forward
  double touch;   // a gap below it is closed, default 1e-9, rad, or of a length of robot and motion
  double tangent; // rates below it, over |G_i| |v|, are zero, default 1e-9
  double beta, gamma; // of Newmark, default NAN: those of the method
  int max_cuts;       // collision: cuts of a step, default 100
  double flight;      // collision: the shortest one, over h, default 1/16
} dm_contact_integrator_settings;

struct dm_contact_integrator_info {
  int candidates, smooth, closed; // in C, S, E (direct methods: all, those with a force, closed)
  int made, left;     // contacts that were not there in the step before, that no longer are
  int cuts;           // collision: contacts found within the step
  int met;            // the last of these; smooth: the contact that is met or passed; -1: none
  double penetration; // the deepest violation at q1, 0 where there is none, m or rad
  dm_impact_info impact;
  dm_complementarity_info solve; // of the step's equations
  int friction_solves;           // solutions of the step until friction settled
  bool friction_unsettled;       // it did not; so the step did not
};

struct dm_contact_integrator {
  dm_complementarity *c;
  dm_mass_matrix *mass;
  dm_impact *R;
  dm_friction *F; // NULL: no contact has friction
  const dm_contact_method *method;
  dm_contact_integrator_settings set;
  int n, nc, ng;
  bool started;   // q holds where the last step ended
  bool continued; // this step begins there
  // of the last step
  double *impulse;              // of impacts and of smooth contact, along the gradients     [ng]
  bool *contact, *before;       // which were reflected, or are closed; in the step before    [ng]
  double *friction_impulse;     // along the tangents                                         [2 ng]
  bool *pushed;                 // which were closed when they last took part in smooth contact [ng]
  double *newmark_impulse;      // Newmark's method: of contacts at the end of the last step  [n]
  double *change, *last_change; // of momentum in the last two steps, impacts apart       [n]
  // scratch
  double fall_speed;      // the speed that the forces of a step give, by the step before
  double h;               // of the step whose energy is kept
  const dm_departure *at; // likewise
  int *C, *S, *E;         // numbers of inequalities                                      [ng]
  double *g0, *gh, *g1;   // gaps at q0, qh, q1                                           [ng]
  double *touch;          // gaps below which a contact is closed, found where a motion starts [ng]
  double *level, *e, *r;  // levels of S, restitutions of C, impulses                     [ng]
  double *admitted;       // collision: gaps below which a contact is met                 [ng]
  double *qh, *q, *p;     // predictor, a place, p0+                                      [n]
  double *x, *v;          // a configuration or a force, velocity                         [n]
  dm_jet jet;             // L, L_q, L_v
  void *lagrangian_scratch;
  size_t lagrangian_bytes; // its size
  // of a projection onto the velocities that rows allow: G at C or at E, then the equalities' rows
  double *G, *WG; // rows, W times these                                      [(ng + nc) x n]
  int rank;       // how many do not depend on others
  int *row;       // which of those in G these are                            [n]
  double *L, *y;  // factors L D L' of their G W G', impulses along them       [n x n], [n]
};

// -- what methods share; none of it allocates

// The restitution of an impact at inequality i: what was in contact a step ago and approaches again
// rests, but by a method that finds each impact.
double dm_contact_integrator_restitution(const dm_contact_integrator *w, int i);

// Evaluate the gaps g [ng] of all inequalities at q [n], and info->penetration.
// Returns DM_OK or what the inequalities return.
dm_status dm_contact_integrator_evaluate_gaps(dm_contact_integrator *w, const double *q, double *g,
                                              dm_contact_integrator_info *info);

// Reflect p at at->q from the m inequalities in w->C.
//   gradient  configuration at which their rows are taken    [n]
//   p         in and out: the momentum                       [n]
// Impulses are added to w->impulse, and contacts marked. Rows stay in w->G, impulses along them in
// w->r, velocities after it in w->R. Returns as dm_impact_apply.
dm_status dm_contact_integrator_reflect(dm_contact_integrator *w, const dm_departure *at,
                                        const double *gradient, int m, double *p,
                                        dm_contact_integrator_info *info);

// Factor G W G' of the k inequalities whose rows stand in w->G and of the equalities at q [n], for
// dm_contact_integrator_remove_rates; the w->rank rows w->row do not depend on others.
dm_status dm_contact_integrator_factor_rows(dm_contact_integrator *w, const double *q, int k);

// Take from p [n] what has a rate along these rows: p <- p + G'y with G W p = 0, y in w->y, along
// rows w->row.
dm_status dm_contact_integrator_remove_rates(dm_contact_integrator *w, double *p);

// Both in turn.
dm_status dm_contact_integrator_restrict(dm_contact_integrator *w, const double *q, int k,
                                         double *p);

DM_END_C
#endif

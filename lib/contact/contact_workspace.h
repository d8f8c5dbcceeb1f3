// lib/contact/contact_workspace.h: the workspace of steps with contacts, the description of a
// method, and the operations that methods share. Users need lib/contact/contact_integrator.h only;
// this header is for implementers of methods.
//
// Indices of inequalities are in three lists, as in lib/contact/variational_contact.h: C,
// candidates for an impact; S, smooth contacts; E, contacts closed at the end.
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

// Initial data of a step: state, inputs over the step, length.
typedef struct dm_departure {
  const double *q, *p, *u; // [n] rad or m, [n] SI, [nu] N or N m
  double h;                // s, > 0
} dm_departure;

// Write a guess q [n] of the configuration after a step. Two predictors exist: q + h M^-1 p, as in
// paper 002, and a step under the equalities alone.
typedef dm_status (*dm_predictor)(dm_contact_integrator *w, const dm_departure *at, double *q);
dm_status dm_predict_forward(dm_contact_integrator *w, const dm_departure *at, double *q);
dm_status dm_predict_step(dm_contact_integrator *w, const dm_departure *at, double *q);

typedef enum dm_impact_energy {
  DM_ENERGY_HAMILTONIAN, // p.M^-1 p/2 + V
  DM_ENERGY_DISCRETE,    // -dLd/dh of the step, under equalities alone, before or after the impact
  DM_ENERGY_VERLET       // second-order numerical Hamiltonian of Stoermer-Verlet
                         // (lib/mechanics/mass_matrix.h)
} dm_impact_energy;

// One step from `at` to q1, p1 [n], which may be the arrays of `at`. On entry, impulses and contact
// marks in w are zero and w->g0 has the gaps at q0; on return w->g1 has the gaps at q1. Returns as
// dm_contact_integrator_step does; does not allocate.
typedef dm_status (*dm_contact_step)(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                     double *p1, dm_contact_integrator_info *info);

// A method. To add one, write a file with its row, and list it in lib/studies/contact_methods.c
// if users may select it by name.
typedef struct dm_contact_method {
  const char *name; // name for users
  dm_contact_step step;
  const char *rule;          // its discrete Lagrangian; NULL: that of the system
  bool friction;             // supports contacts with friction
  const char *constant_mass; // the method's name in a message, if it needs a constant mass matrix;
                             // else NULL
  const char *takes;         // names of additional settings that it uses; NULL: none
  double beta, gamma;        // defaults of Newmark's parameters
  bool force_by_beta;        // contact forces enter q1 through beta, which must be > 0
  bool bounces_by_grid;      // the rebound depends on the grid: restitutions are refused
  bool bounces_each_time;    // restitution applies to each impact, not only to new contacts
  bool near_alone;           // evaluates gaps by the operations here, for contacts that are near
  bool potential_alone;      // no rule, and only forces of the potential and contacts
} dm_contact_method;

typedef struct dm_contact_integrator_settings {
  const dm_contact_method *method; // default &dm_contact_gvi
  dm_impact_law impact;            // default DM_GENERALIZED
  dm_impact_energy energy;         // conserved in an impact, default DM_ENERGY_HAMILTONIAN
  dm_predictor predictor;          // default dm_predict_forward
  double touch;   // smaller gaps are closed, default 1e-9, rad, or of a length of robot and motion
  double tangent; // smaller rates relative to |G_i| |v| are zero, default 1e-9
  double beta, gamma; // of Newmark, default NAN: defaults of the method
  int max_cuts;       // collision: largest number of cuts per step, default 100
  double flight;      // collision: shortest flight relative to h, default 1/16
} dm_contact_integrator_settings;

struct dm_contact_integrator_info {
  int candidates, smooth, closed; // numbers of contacts in C, S, E (direct methods: all, with a
                                  // force, closed)
  int made, left;                 // contacts that are new, that ended in this step
  int cuts;                       // collision: number of contacts located within the step
  int met;            // the last of these; smooth: the contact that was met or passed; -1: none
  double penetration; // largest violation at q1, 0 if none, m or rad
  dm_impact_info impact;
  dm_complementarity_info solve; // of the step's equations
  int friction_solves;           // number of solutions until friction converged
  bool friction_unsettled;       // friction did not converge, so the step failed
};

struct dm_contact_integrator {
  dm_complementarity *c;
  dm_mass_matrix *mass;
  dm_impact *R;
  dm_friction *F; // NULL: no contact has friction
  const dm_contact_method *method;
  dm_contact_integrator_settings set;
  int n, nc, ng;
  bool started;   // q is the end of the previous step
  bool continued; // this step starts there
  // of the last step
  double *impulse;              // of impacts and smooth contacts, along the gradients     [ng]
  bool *contact, *before;       // reflected or closed; in the previous step              [ng]
  double *friction_impulse;     // along the tangents                                         [2 ng]
  double *held;                 // of friction over the step, when last closed                [2 ng]
  bool *stuck;                  // did it stick over the step, when last closed?            [ng]
  bool *pushed;                 // closed when last in smooth contact                    [ng]
  double *newmark_impulse;      // Newmark's method: contact impulse at the end of the last step [n]
  double *change, *last_change; // of momentum in the last two steps, without impacts     [n]
  // scratch
  double fall_speed;      // speed gained from the forces of a step, from the previous step
  double h;               // step of the conserved energy
  const dm_departure *at; // start of the step
  int *C, *S, *E;         // indices of inequalities                                [ng]
  double *g0, *gh, *g1;   // gaps at q0, qh, q1                                           [ng]
  double *touch;          // tolerances of closed gaps, set at the start of a motion [ng]
  double *level, *e, *r;  // levels of S, restitutions of C, impulses                     [ng]
  double *admitted;       // collision: smaller gaps count as contact               [ng]
  double *qh, *q, *p;     // predictor, a configuration, p0+                         [n]
  double *x, *v;          // a configuration or a force, velocity                         [n]
  dm_jet jet;             // L, L_q, L_v
  void *lagrangian_scratch;
  size_t lagrangian_bytes; // its size in bytes
  size_t entries;          // of the rows of all inequalities
  // contacts that are near: all, or those that others cannot come before while the motion stays
  // within `reserve` of q_near
  int nnear;
  int *near;              // [ng] in ascending order
  double *near_gap, *far; // [ng] their gaps; how far each contact is
  double *q_near;         // [n]
  double reserve;         // of the largest change of a coordinate; INFINITY: all are near
  // for a projection on the velocities that rows allow
  dm_sparse_rows G;    // rows of C or E
  dm_sparse_rows A;    // rows of the equalities
  dm_sparse_rows J, T; // the equalities and independent rows of G, W times these
  dm_row_set *factors; // of J T
  int *number;         // of each row of J, in A and then G                          [most]
  double *rate;        // along J                                                  [most]
  double *full;        // a row and W times it, in full                             [2 n]
  double *y;           // impulses along A and G                                   [nc + ng]
};

// -- operations that methods share; none allocates

// The restitution of inequality i in an impact: a contact of the previous step that approaches
// again gets 0, unless the method locates each impact.
double dm_contact_integrator_restitution(const dm_contact_integrator *w, int i);

// Choose the contacts that are near q [n], where the gaps of all are w->g1 [ng].
void dm_contact_integrator_gather_near(dm_contact_integrator *w, const double *q);

// Whether the contacts that are not near are open at q [n].
bool dm_contact_integrator_in_reserve(const dm_contact_integrator *w, const double *q);

// Evaluate the gaps g [ng] of the near inequalities at q [n], and info->penetration. If others may
// be met there, all become near, with their gaps at the start of the step in w->g0. Returns DM_OK
// or the status of the inequalities.
dm_status dm_contact_integrator_evaluate_gaps(dm_contact_integrator *w, const double *q, double *g,
                                              dm_contact_integrator_info *info);

// Reflect p at at->q from the m inequalities in w->C.
//   gradient  configuration of their rows                    [n]
//   p         in and out: the momentum                       [n]
// Adds impulses to w->impulse and marks contacts. Leaves rows in w->G, impulses along them in w->r,
// velocities after the impact in w->R. Returns as dm_impact_apply does.
dm_status dm_contact_integrator_reflect(dm_contact_integrator *w, const dm_departure *at,
                                        const double *gradient, int m, double *p,
                                        dm_contact_integrator_info *info);

// Factor G W G' of the k inequalities with rows in w->G and of the equalities at q [n], for
// dm_contact_integrator_remove_rates.
dm_status dm_contact_integrator_factor_rows(dm_contact_integrator *w, const double *q, int k);

// Remove the rates along these rows from p [n]: p <- p + A'nu + G'y with G W p = 0, and nu, y in
// w->y; 0 for rows that depend on others.
dm_status dm_contact_integrator_remove_rates(dm_contact_integrator *w, double *p);

// Both in sequence.
dm_status dm_contact_integrator_restrict(dm_contact_integrator *w, const double *q, int k,
                                         double *p);

DM_END_C
#endif

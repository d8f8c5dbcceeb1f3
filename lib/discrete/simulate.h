// lib/discrete/simulate.h: simulates a motion step by step and monitors conserved quantities.
//
//   1  initial momenta: L_v(q,v), or those that lead to a given second configuration
//   2  at every knot: velocity, energy, momentum map, residual of the constraints
//   3  one step (lib/discrete/stepper.h); the guess of the next one extrapolates it
//   4  a callback receives the knot and the step from it, and may store them
//
// Only one step is kept in memory, so that a run may have any length.
//
//   dm_stepper step = dm_composition_stepper(steps);
//   dm_simulate_settings set = dm_simulate_default();
//   set.steps = 1000, set.h = 0.01;
//   dm_simulation_new(&w, &system, &step, &set);
//   dm_simulation_start(w, &(dm_start){.q = q, .v = v});
//   dm_simulation_run(w);                                      // w->info: drifts, residuals
//
// Source: docs/theory.md sections 1 and 18.
#ifndef DM_DISCRETE_SIMULATE_H
#define DM_DISCRETE_SIMULATE_H
#include "lib/discrete/monitor.h"
#include "lib/discrete/stepper.h"
#include "lib/discrete/trajectory.h"
#include "lib/mechanics/continuous.h"
#include "lib/mechanics/momentum_map.h"

DM_BEGIN_C

typedef struct dm_simulation dm_simulation;

typedef struct dm_simulate_settings {
  int steps;
  double h;                 // > 0                                                    s
  const double *u;          // [steps x inputs] constant over each step; NULL: zeros
  dm_momentum_map momentum; // eval NULL: momenta are zero
  double gravity[3];        // for the angular momentum about the vertical; 0: not monitored
                            // m/s^2
  // Called before step k; false ends the run with DM_INTERRUPTED. NULL: always true.
  bool (*proceed)(void *user, int k);
  // Called for knot w->k after its step was taken, also for the last knot and for a failed step; a
  // negative status ends the run with this status. NULL: no callback.
  dm_status (*knot)(void *user, dm_simulation *w);
  void *user; // argument of both
} dm_simulate_settings;
dm_simulate_settings dm_simulate_default(void);

// The initial state. Kinematic coordinates start with v, or at rest if `standing`.
typedef struct dm_start {
  const double *q;    // [n]
  const double *v;    // [n] velocity; p = L_v(q,v)
  const double *next; // [n] configuration after the first step, instead of v; NULL: none
  bool standing;      // at rest in the previous step: p = D2(q,q), v is ignored
} dm_start;

// Conserved quantities over all knots so far.
typedef struct dm_simulate_info {
  double energy_start, energy_low, energy_high, energy_drift; // drift: largest |E - start|  J
  double momentum_start[6], momentum_drift[6];                // N m s, N s
  double residual; // largest residual of the constraints, with its row and knot
  int row, knot;
} dm_simulate_info;

struct dm_simulation {
  dm_system s;
  dm_stepper step;
  dm_simulate_settings set;
  dm_continuous *c;
  dm_interval *d;
  dm_trajectory *x; // one step: q, p, v of the current knot, and q, p at the end of the step
  // current knot
  int k;                    // its index
  double energy, moment[6]; // J; momentum map
  double residual;          // of the constraints after the previous step
  const double *u, *lambda; // that acted in the step from this knot; NULL: no step was possible
  bool stepped;             // the step was taken
  bool pushed;              // is step.push that of this knot?
  dm_simulate_info info;    // so far
  double *low, *high;       // range of each coordinate over all knots so far  [n] m or rad
  double *impulse, *h;      // [nc], [nc] values of constraints
  double *zero, *mean, *qm, *vm; // [inputs]; [n] each
  void *scratch, *hol;
};

// Create a workspace for a system, its stepper and settings (all copied, their arrays borrowed).
// Returns DM_OK or DM_NO_MEMORY.
dm_status dm_simulation_new(dm_simulation **out, const dm_system *s, const dm_stepper *step,
                            const dm_simulate_settings *set);
void dm_simulation_free(dm_simulation *w); // accepts NULL

// Set knot 0: initial momenta and velocities. Returns DM_OK or the status of the Lagrangian. No
// allocation.
dm_status dm_simulation_start(dm_simulation *w, const dm_start *start);

// Take all steps. Returns DM_OK; DM_INTERRUPTED; or the status of a step or of the callback, with
// w->k the last knot. No allocation. Cost in addition to the steps: one evaluation of the
// Lagrangian per knot, with constraints one more and a factorization.
dm_status dm_simulation_run(dm_simulation *w);

// Values of all monitors at the current knot: value [DM_MONITORS], NAN if undefined: the symplectic
// form, and the energy of a step that does not exist. Call it from set.knot. No allocation. Cost:
// an evaluation of L for each point of the rule.
void dm_simulation_watch(dm_simulation *w, double value[DM_MONITORS]);

// Store the current knot, and inputs and impulses of its step, in a trajectory of the whole run.
void dm_simulation_store(const dm_simulation *w, dm_trajectory *x);

DM_END_C
#endif

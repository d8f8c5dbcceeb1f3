// lib/discrete/simulate.h: a motion from its start, step by step, with what is conserved along it.
//
//   1  momenta of the start: L_v(q,v), or those that lead to a given second configuration
//   2  at every knot: velocity, energy, momentum map, the constraints' residual
//   3  one step (lib/discrete/stepper.h); the guess of the next goes on as the last one went
//   4  the caller sees the knot and the step taken from it, and keeps what he wants
//
// Only one step is in memory: a run may be as long as one likes.
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
  const double *u;          // [steps x inputs] held over each step; NULL: zeros
  dm_momentum_map momentum; // eval NULL: momenta are zero
  double gravity[3];        // the moment against it is watched; 0: none              m/s^2
  // Goes on before step k; false ends the run with DM_INTERRUPTED. NULL: always true.
  bool (*proceed)(void *user, int k);
  // Sees knot w->k once its step is taken, the last knot and one whose step failed as well; a
  // negative status ends the run with it. NULL: nobody looks.
  dm_status (*knot)(void *user, dm_simulation *w);
  void *user; // of both
} dm_simulate_settings;
dm_simulate_settings dm_simulate_default(void);

// Where a motion starts. Kinematic coordinates start with v, or at rest where it stands.
typedef struct dm_start {
  const double *q;    // [n]
  const double *v;    // [n] velocity; p = L_v(q,v)
  const double *next; // [n] the configuration after the first step, in the place of v; NULL: none
  bool standing;      // the configuration was the same a step before, p = D2(q,q), whatever v
} dm_start;

// What is conserved, over all knots so far.
typedef struct dm_simulate_info {
  double energy_start, energy_low, energy_high, energy_drift; // drift: largest |E - start|  J
  double momentum_start[6], momentum_drift[6];                // N m s, N s
  double residual; // the largest of the constraints, of this row at this knot
  int row, knot;
} dm_simulate_info;

struct dm_simulation {
  dm_system s;
  dm_stepper step;
  dm_simulate_settings set;
  dm_continuous *c;
  dm_interval *d;
  dm_trajectory *x; // one step: q, p, v of the present knot, and q, p where the step led
  // of the present knot
  int k;                    // its number
  double energy, moment[6]; // J; momentum map
  double residual;          // of the constraints, in the step that led here
  const double *u, *lambda; // of the step taken from it; NULL: none could be taken
  bool stepped;             // one was
  dm_simulate_info info;    // so far
  double *low, *high;       // of each coordinate, over all knots so far  [n] m or rad
  double *impulse, *h;      // [nc], [nc] values of constraints
  double *zero, *qm, *vm;   // [inputs], [n], [n]
  void *scratch, *hol;
};

// A workspace for a system, its steps and settings (all copied, their arrays borrowed). Returns
// DM_OK or DM_NO_MEMORY.
dm_status dm_simulation_new(dm_simulation **out, const dm_system *s, const dm_stepper *step,
                            const dm_simulate_settings *set);
void dm_simulation_free(dm_simulation *w); // accepts NULL

// Stand at knot 0: momenta and velocities of the start. Returns DM_OK or what the Lagrangian
// returns. No allocation.
dm_status dm_simulation_start(dm_simulation *w, const dm_start *start);

// Take all steps from there. Returns DM_OK; DM_INTERRUPTED; what a step or the caller's function
// returned, with w->k the knot reached. No allocation. Cost beside steps: an evaluation of the
// Lagrangian a knot, with constraints another and a factorization.
dm_status dm_simulation_run(dm_simulation *w);

// What can be watched at the present knot: value [DM_MONITORS], NAN where there is none: the form,
// and the energy of a step that is none. To be called from set.knot. No allocation. Cost: an
// evaluation for each point of the rule.
void dm_simulation_watch(dm_simulation *w, double value[DM_MONITORS]);

// Keep the present knot, and inputs and impulses of its step, in a trajectory of all of them.
void dm_simulation_store(const dm_simulation *w, dm_trajectory *x);

DM_END_C
#endif

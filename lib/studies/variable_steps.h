// lib/studies/variable_steps.h: variational steps whose length follows their error, for comparison with steps of one
// length: each step is symplectic and conserves momenta, but the modified energy changes with the length, and so the
// energy drifts.
//
//   error = sum_i |q1_i - q1'_i| |p_i| / sum_i |q1_i - q0_i| |p_i|      of one step q1 and two of half its length q1'
//   next length = length sqrt(tolerance / error)                       at most twice, at least a fifth
//
// The result is that of the two halves. The last step before an output is shortened.
//
// Source: paper 004, section 1; [hairer-2006], chapter VIII.
#ifndef DM_STUDIES_VARIABLE_STEPS_H
#define DM_STUDIES_VARIABLE_STEPS_H
#include "lib/discrete/del.h"
#include "lib/discrete/stepper.h"

DM_BEGIN_C

typedef struct dm_variable_steps {
  int n, nc;
  double tolerance, length; // of the error; of the next step, s
  long taken, refused;      // steps of half the length; pairs that were repeated
  dm_del *del;
  double *q[3], *p[3]; // [n] whole step, first and second half
  double *at, *mom;    // [n] within the output interval
  double *lambda;      // [nc] sum of impulses
  dm_del_info info;    // of the last step
} dm_variable_steps;

// Allocate for a system (copied) without prescribed coordinates. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_variable_steps_new(dm_variable_steps **out, const dm_system *s, double tolerance);
void dm_variable_steps_free(dm_variable_steps *w); // accepts NULL

// The steps as a dm_stepper: a step of a simulation is an output interval; w must outlive it.
dm_stepper dm_variable_stepper(dm_variable_steps *w);

DM_END_C
#endif

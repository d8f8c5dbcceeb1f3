// lib/discrete/driven_steps.h: steps whose inputs are commands of motors (lib/multibody/drive_limits.h).
//
//   m_0 = 0,  lag m' = c - m,  |m'| <= rate,  low <= m <= high         the motor's torque, exactly
//   u_k = mean of m over step k, cut to the torque-speed line at the mean speed of the step
//
// Source: docs/theory.md section 35.
#ifndef DM_DISCRETE_DRIVEN_STEPS_H
#define DM_DISCRETE_DRIVEN_STEPS_H
#include "lib/discrete/stepper.h"
#include "lib/multibody/drive_limits.h"

DM_BEGIN_C

typedef struct dm_driven_steps {
  int n, inputs;            // coordinates; inputs of a step, first those of the motors
  dm_stepper inner;         // copied, its arrays borrowed
  const dm_drive_limits *d; // borrowed
  double *m, *next;         // [d->n] torques at the current knot, and after the step
  double *u, *wanted;       // [inputs] of the step, and before it is cut
  double *q1, *scratch;     // [n] the guess; [2 d->n + n]
  struct dm_driven_call *call;
  bool lost; // the last step found no torque on the lines
} dm_driven_steps;

// Allocate motors for steps of n coordinates and with >= d->n inputs. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_driven_steps_new(dm_driven_steps **out, const dm_stepper *inner,
                              const dm_drive_limits *d, int n, int inputs);
void dm_driven_steps_free(dm_driven_steps *w); // accepts NULL

// The stepper, which w must outlive: dm_stepper.input is u. A step costs one of the inner stepper, beyond a
// torque-speed line about five; DM_MAX_ITER: no torque on the line is found.
dm_stepper dm_driven_stepper(dm_driven_steps *w);

DM_END_C
#endif

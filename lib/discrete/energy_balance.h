// lib/discrete/energy_balance.h: the balance of energy of a discrete motion. With E_k = -dL_d/dh of step k, v_k its
// mean velocity and F-, F+ its forces at both ends, moving the time of knot k changes the action by
//
//   r_k = E_k - E_{k-1} - F+_{k-1} v_{k-1} - F-_k v_k        k = 1 .. N-1
//
// r_k is of order h^3 if the forces are smooth, and shows where steps are too long. Step lengths
// with r = 0 make the action stationary.
//
// Source: [kane-marsden-ortiz-1999] in docs/sources.md; docs/theory.md section 6.
#ifndef DM_DISCRETE_ENERGY_BALANCE_H
#define DM_DISCRETE_ENERGY_BALANCE_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

typedef struct dm_energy_balance {
  double most; // the largest |r_k|                    J
  int knot;    // where
  double sum;  // of all r_k                           J
  double size; // the largest difference of two E_k    J
} dm_energy_balance;

// Measure a motion of a system without contacts; impulses of constraints count as without work. Returns DM_OK,
// DM_NO_MEMORY, or the status of the Lagrangian. Cost: two evaluations of an interval per step.
dm_status dm_energy_balance_measure(const dm_trajectory *x, const dm_system *s,
                                    dm_energy_balance *out);

DM_END_C
#endif

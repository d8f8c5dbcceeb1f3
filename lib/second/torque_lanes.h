// lib/second/torque_lanes.h: the torque cost (lib/second/torque_cost.h) of a tree without
// additional potential or forces, at several points at once, one kernel for each vector width that
// lib/meson.build compiles: entry i of point l at i lanes + l. Not a public header.
#ifndef DM_SECOND_TORQUE_LANES_H
#define DM_SECOND_TORQUE_LANES_H
#include "lib/multibody/inverse_dynamics.h"

typedef struct dm_torque_lanes {
  int n;
  dm_inverse *inverse;       // over lanes
  const double *W, *damping; // [n]
  double *u, *mu;            // [n x lanes]
  double *J;                 // [n x 3n x lanes]
} dm_torque_lanes;

typedef struct dm_torque_kernel {
  int lanes;
  // Create a workspace for the tree m with weights W [n], borrowed. DM_OK or DM_NO_MEMORY.
  dm_status (*open)(dm_torque_lanes **out, const dm_model *m, const double *W);
  // C [lanes] at x [3n x lanes], with C_x [3n x lanes] (order 1) and C_xx [3n x 3n x lanes]
  // (order 2). DM_OK or DM_NOT_FINITE. Does not allocate.
  dm_status (*eval)(dm_torque_lanes *w, int order, const double *x, double *value, double *C_x,
                    double *C_xx);
} dm_torque_kernel;

extern const dm_torque_kernel dm_torque_avx2, dm_torque_avx512;
#endif

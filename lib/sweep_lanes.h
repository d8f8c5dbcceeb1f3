// lib/sweep_lanes.h: the recursions of lib/sweep.h for several points at once, for each vector
// width that lib/meson.build compiles. Not a public header.
#ifndef DM_LIB_SWEEP_LANES_H
#define DM_LIB_SWEEP_LANES_H
#include "lib/sweep.h"

typedef struct dm_sweep_kernel {
  int lanes;
  size_t (*scratch)(const dm_model *m); // bytes
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, const double *v,
                    dm_jet *out);
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *v,
                        const double *a_q, const double *a_v, dm_jet *out);
} dm_sweep_kernel;

extern const dm_sweep_kernel dm_sweep_avx2, dm_sweep_avx512;
#endif

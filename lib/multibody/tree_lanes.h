// lib/multibody/tree_lanes.h: the recursions of lib/multibody/tree_lagrangian.h for several points
// at once, one kernel for each vector width that lib/meson.build compiles. Not a public header.
#ifndef DM_MULTIBODY_TREE_LANES_H
#define DM_MULTIBODY_TREE_LANES_H
#include "lib/mechanics/lagrangian.h"
#include "lib/multibody/model.h"

typedef struct dm_tree_kernel {
  int lanes;
  size_t (*scratch)(const dm_model *m); // bytes
  dm_status (*eval)(const void *self, void *scratch, int order, const double *q, const double *v,
                    dm_jet *out);
  dm_status (*contract)(const void *self, void *scratch, const double *q, const double *v,
                        const double *a_q, const double *a_v, dm_jet *out);
} dm_tree_kernel;

extern const dm_tree_kernel dm_tree_avx2, dm_tree_avx512;
#endif

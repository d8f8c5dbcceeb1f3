// lib/mechanics/momentum_map.h: what the rest of the library sees of a momentum map: what a system
// has of the momentum of all its bodies together. By Noether's theorem it is conserved along
// directions that no force, no gravity and no constraint breaks. A tree's
// (lib/multibody/tree_lagrangian.h) is one implementation.
#ifndef DM_MECHANICS_MOMENTUM_MAP_H
#define DM_MECHANICS_MOMENTUM_MAP_H
#include "lib/base/linkage.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct dm_momentum_map {
  const void *self;
  size_t scratch; // bytes each caller lends, aligned to 64
  // mu at (q,v): moment about the world's origin [N m s], then linear momentum [N s]; no allocation
  void (*eval)(const void *self, void *scratch, const double *q, const double *v, double mu[6]);
} dm_momentum_map;

DM_END_C
#endif

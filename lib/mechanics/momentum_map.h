// lib/mechanics/momentum_map.h: interface of a momentum map: the total momentum of all bodies of a
// system. By Noether's theorem its components are conserved in directions in which no force,
// gravity or constraint acts. A tree implements it (lib/multibody/tree_lagrangian.h).
#ifndef DM_MECHANICS_MOMENTUM_MAP_H
#define DM_MECHANICS_MOMENTUM_MAP_H
#include "lib/base/linkage.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct dm_momentum_map {
  const void *self;
  size_t scratch; // bytes of scratch, aligned to 64, that the caller provides
  // mu at (q,v): angular momentum about the world's origin [N m s], then linear momentum [N s]; no
  // allocation
  void (*eval)(const void *self, void *scratch, const double *q, const double *v, double mu[6]);
} dm_momentum_map;

DM_END_C
#endif

// lib/mechanics/symmetry_search.h: a mechanical system as a model for the search of its symmetries
// (lib/mechanics/symmetry_group.h): the gradient of L, constraints, and the momentum map.
#ifndef DM_MECHANICS_SYMMETRY_SEARCH_H
#define DM_MECHANICS_SYMMETRY_SEARCH_H
#include "lib/mechanics/momentum_map.h"
#include "lib/mechanics/symmetry_group.h"
#include "lib/mechanics/system.h"

DM_BEGIN_C

typedef struct dm_symmetry_search dm_symmetry_search;

// Create the model of a system (copied) without its forces, with the momentum map of its bodies (copied; NULL: none),
// near q [n]. Returns DM_OK or DM_NO_MEMORY.
dm_status dm_symmetry_search_new(dm_symmetry_search **out, const dm_system *s,
                                 const dm_momentum_map *map, const double *q);
void dm_symmetry_search_free(dm_symmetry_search *w); // accepts NULL

// The model, valid as long as w.
const dm_symmetry_model *dm_symmetry_search_model(const dm_symmetry_search *w);

DM_END_C
#endif

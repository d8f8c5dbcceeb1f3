// problems/readers/model/plants.h: the plants on which controllers are tested, by option value: the
// discrete map itself, the continuous equations, MuJoCo (control/loop/plant.h,
// control/loop/mujoco.h).
#ifndef PB_MODEL_PLANTS_H
#define PB_MODEL_PLANTS_H
#include "lib/base/status.h"

DM_BEGIN_C

#define PB_PLANT_LIST(X)                                                                           \
  X(DISCRETE, "discrete")                                                                          \
  X(CONTINUOUS, "continuous")                                                                      \
  X(MUJOCO, "mujoco")

#define PB_PLANT(name, word) PB_##name,
typedef enum pb_plant { PB_PLANT_LIST(PB_PLANT) PB_PLANTS } pb_plant;
#undef PB_PLANT
extern const char *const pb_plant_names[PB_PLANTS]; // option values, in this order

DM_END_C
#endif

#include "lib/multibody/defaults.h"

#include <math.h>

dm_coordinate dm_coordinate_turn(const char *name, double x, double y, double z) {
  return (dm_coordinate){.name = name,
                         .axis = {x, y, z},
                         .limit = dm_range_none(),
                         .v_max = INFINITY,
                         .effort = INFINITY,
                         .mimic = -1,
                         .ratio = 1};
}

dm_coordinate dm_coordinate_slide(const char *name, double x, double y, double z) {
  dm_coordinate c = dm_coordinate_turn(name, x, y, z);
  c.slides = true;
  return c;
}

dm_body dm_body_default(const char *name) {
  return (dm_body){.name = name, .parent = -1, .offset = dm_identity, .ncoord = 1};
}

dm_input dm_input_default(const char *name) {
  return (dm_input){.name = name, .u_min = -INFINITY, .u_max = INFINITY};
}

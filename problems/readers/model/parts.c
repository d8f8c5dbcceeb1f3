#include "problems/readers/model/parts.h"

#include "problems/readers/model/constraints.h"
#include "problems/readers/model/contacts.h"
#include "problems/readers/model/friction.h"
#include "problems/readers/model/loads.h"
#include "problems/readers/model/springs.h"

// A part reader compiles all parts of its kind into their group of the robot, which otherwise stays NULL.
typedef dm_status (*part_reader)(const pb_part_source *from, dm_robot *out);

static const part_reader readers[] = {
    [DM_PART_SPRING] = pb_springs_read,   [DM_PART_CONSTRAINT] = pb_constraints_read,
    [DM_PART_LOAD] = pb_loads_read,       [DM_PART_FRICTION] = pb_friction_read,
    [DM_PART_CONTACT] = pb_contacts_read,
};
_Static_assert(sizeof readers / sizeof *readers == DM_PART_KINDS, "a reader for each kind");

dm_status pb_parts_read(const pb_part_source *from, dm_robot *out) {
  for (int kind = 0; kind < DM_PART_KINDS; kind++) DM_TRY(readers[kind](from, out));
  return DM_OK;
}

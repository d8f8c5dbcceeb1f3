// problems/readers/model/floor_contacts.h: the contacts of the shapes of a robot's file
// (touching.h) with the planes and obstacles of its world.
//
//   sphere    its center, at its radius
//   capsule   both ends of its axis, at its radius
//   box       its eight corners
//
// These are exact above planes. A plane is a <geom type="plane"> of the world or of a body fixed to
// it, or given by the problem. Obstacles are spheres, capsules, cylinders and boxes of these. A pair
// with a sphere is exact, other pairs only at the points above, which a warning says. Other shapes of
// bodies that meet a plane are refused; other shapes of the world, and others that meet an obstacle,
// are left out with a warning.
#ifndef PB_MODEL_FLOOR_CONTACTS_H
#define PB_MODEL_FLOOR_CONTACTS_H
#include "problems/readers/model/tree_builder.h"

// The entry `from: robot` of model.contacts.
typedef struct pb_floor_section {
  const pb_node *node;   // the entry
  const pb_node *bodies; // a list of those whose shapes touch; NULL: all
  const double *axis;    // unit normal of a plane of the world, in addition; NULL: none
  double length;         // of that plane from the origin, along the normal   [m]
  double friction;       // NAN: the file's
  double restitution;
} pb_floor_section;

// Write the contacts, named after their shapes, into the arena.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT at the entry or at a shape.
dm_status pb_floor_contacts(const pb_part_source *from, const pb_floor_section *s, int *n,
                            dm_contact **list);
#endif

// problems/readers/model/links.h: read `model: {links: ..}`: masses, centers and inertias that
// replace those of the robot's file or of bodies.
#ifndef PB_MODEL_LINKS_H
#define PB_MODEL_LINKS_H
#include "problems/readers/format/schema.h"
#include "problems/readers/model/tree_builder.h"

extern const pb_key pb_link_keys[]; // keys of one link

// Replace the inertia of links by name; NULL: none. An entry holds for the link with everything
// fixed to it, in the link's frame; a key left out keeps the value of this whole. Returns DM_OK,
// DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_links_read(pb_tree *t, const pb_node *node);

// The inertia of a link with everything fixed to it: mass [kg], center of mass in the link's frame
// [m], and moments about the center (xx, yy, zz, xy, xz, yz) [kg m2].
typedef struct pb_link {
  double mass, centre[3], inertia[6];
} pb_link;

// The same from the inertia about the link's origin. A center of 0 if there is no mass.
pb_link pb_link_of(const dm_inertia *about);
#endif

// problems/readers/model/linkage.h: the links and joints of a URDF by name, and their connectivity:
// a tree with one root, in which each joint leads from its parent link to its child link.
#ifndef PB_MODEL_LINKAGE_H
#define PB_MODEL_LINKAGE_H
#include "problems/readers/format/xml.h"

typedef struct pb_link {
  const char *name;
  pb_xml_node *element;
  int up;    // the joint above it, -1: none
  int first; // the first joint below it, in document order; -1: none
  int body;  // index in the tree, -1: not reached yet
} pb_link;

typedef struct pb_joint {
  const char *name, *type;
  pb_xml_node *element;
  int parent, child; // link indices
  int next;          // next joint with the same parent; -1: none
  int coord;         // its first coordinate in the tree; -1: none
} pb_joint;

typedef struct pb_linkage {
  int nlink, njoint, root;
  pb_link *link;
  pb_joint *joint;
  const char **link_name, **joint_name;
} pb_linkage;

// Collect the content of <robot> as a tree with one root and unique names.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for a duplicate or missing name, an unknown link, a
// loop, a link with two parents, or two roots. Cost: O(n^2) name comparisons.
dm_status pb_linkage_read(pb_xml *x, pb_linkage *g);
#endif

// problems/readers/model/linkage.h: the links and joints of a URDF by name, and how they hang
// together: a tree with one root, where each joint leads from its parent link to its child link.
#ifndef PB_MODEL_LINKAGE_H
#define PB_MODEL_LINKAGE_H
#include "problems/readers/format/xml.h"

typedef struct pb_link {
  const char *name;
  xmlNode *element;
  int up;    // the joint that carries it, -1: none
  int first; // the first of the joints it carries, in document order; -1: none
  int body;  // in the tree, -1: not reached yet
} pb_link;

typedef struct pb_joint {
  const char *name, *type;
  xmlNode *element;
  int parent, child; // links
  int next;          // joint of the same parent; -1: none
  int coord;         // its first coordinate in the tree; -1: it has none
} pb_joint;

typedef struct pb_linkage {
  int nlink, njoint, root;
  pb_link *link;
  pb_joint *joint;
  const char **link_name, **joint_name;
} pb_linkage;

// Collect what <robot> holds: a tree with one root, every name once.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for a name given twice or missing, a link that is
// not there, a loop, a link carried twice, two roots. Cost: O(n^2) comparisons of names.
dm_status pb_linkage_read(pb_xml *x, pb_linkage *g);
#endif

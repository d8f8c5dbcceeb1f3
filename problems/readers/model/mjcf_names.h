// problems/readers/model/mjcf_names.h: names of MuJoCo's XML and references to them, for elements
// that are repeated or come from another file.
//
//   a kind         joint, body, geom, site, tendon, ..: separate name spaces
//   a reference    an attribute that holds a name of a kind (joint1, body2, sidesite, ..)
//   followers      elements of <tendon>, <equality> and <actuator> that refer to names of a set
#ifndef PB_MODEL_MJCF_NAMES_H
#define PB_MODEL_MJCF_NAMES_H
#include "problems/readers/format/xml.h"

enum { PB_MJCF_BUCKETS = 256 };

typedef struct pb_mjcf_named {
  const char *name, *kind;
  struct pb_mjcf_named *next;
} pb_mjcf_named;

// Names of elements by kind, in the arena of their reader; zeros are an empty set.
typedef struct pb_mjcf_names {
  pb_mjcf_named *bucket[PB_MJCF_BUCKETS];
} pb_mjcf_names;

// Add the names of an element and its descendants. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_mjcf_names_add(const pb_xml *x, pb_mjcf_names *set, const pb_xml_node *top);

// A renaming to before + name + behind, of the names of a set, or (NULL) of all names including
// classes and assets.
typedef struct pb_mjcf_renaming {
  pb_mjcf_names *of;
  const char *before, *behind;
} pb_mjcf_renaming;

// Rename an element and its descendants, with their references. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_mjcf_rename(const pb_xml *x, const pb_mjcf_renaming *r, pb_xml_node *top);

// For every renaming [n], insert a renamed copy behind each follower of the renaming's set; with
// `instead` the followers are removed. Names of copied tendons join the set. Returns DM_OK or
// DM_NO_MEMORY.
dm_status pb_mjcf_copy_followers(const pb_xml *x, int n, const pb_mjcf_renaming *r, bool instead);

// Whether an element of <tendon>, <equality> or <actuator> refers only to names of a set.
bool pb_mjcf_follows_only(pb_mjcf_names *set, const pb_xml_node *e);
#endif

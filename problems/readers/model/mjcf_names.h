// problems/readers/model/mjcf_names.h: names of MuJoCo's XML and what refers to them, for elements that
// stand several times or come from another file.
//
//   a kind         joint, body, geom, site, tendon, ..: names of different kinds do not meet
//   a reference    an attribute that holds a name of a kind (joint1, body2, sidesite, ..)
//   followers      elements of <tendon>, <equality> and <actuator> that refer to names of a set
#ifndef PB_MODEL_MJCF_NAMES_H
#define PB_MODEL_MJCF_NAMES_H
#include "problems/readers/format/xml.h"

#include <libxml/hash.h>

// Names of elements by kind; to be freed by xmlHashFree(set, NULL).
typedef xmlHashTable pb_mjcf_names;

// Add the names of an element and of all within it. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_mjcf_names_add(const pb_xml *x, pb_mjcf_names *set, const xmlNode *top);

// What a name becomes: before, name, behind; those of a set, or (NULL) every name there is with
// classes and assets.
typedef struct pb_mjcf_renaming {
  pb_mjcf_names *of;
  const char *before, *behind;
} pb_mjcf_renaming;

// Rename an element and all within it, with their references. Returns DM_OK or DM_NO_MEMORY.
dm_status pb_mjcf_rename(const pb_xml *x, const pb_mjcf_renaming *r, xmlNode *top);

// A copy of an element with all within it and their places, in a document, not yet linked there.
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_mjcf_copy(const pb_xml *x, const xmlNode *e, xmlNode **out);

// Put a copy, renamed, behind each follower of a renaming's set in a document for every renaming [n];
// the followers themselves go where `instead`. Names of tendons that are copied join the set.
// Returns DM_OK or DM_NO_MEMORY.
dm_status pb_mjcf_copy_followers(const pb_xml *x, int n, const pb_mjcf_renaming *r, bool instead);

// Whether an element of such a section refers to names of a set alone.
bool pb_mjcf_follows_only(const pb_xml *x, pb_mjcf_names *set, const xmlNode *e);
#endif

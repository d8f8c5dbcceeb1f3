// problems/readers/model/mjcf_parts.h: the joints, sites and tendons of a robot in MuJoCo's XML, by their
// names, for what refers to them. Names of different kinds do not meet.
#ifndef PB_MODEL_MJCF_PARTS_H
#define PB_MODEL_MJCF_PARTS_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

typedef enum pb_mjcf_kind { PB_MJCF_HINGE, PB_MJCF_SLIDE, PB_MJCF_BALL, PB_MJCF_FREE } pb_mjcf_kind;

typedef struct pb_mjcf_joint {
  const char *name; // of the file, or one made of its body's
  const xmlNode *e;
  pb_mjcf_kind kind;
  int coord;        // its first in the tree
  double ref;       // of a hinge or slide, its value where the bodies stand as written  [rad or m]
  double rest;      // and springref
  dm_pose start;    // of a free joint, where its body stands as written
  double force[2];  // that all motors may put on it                          [N or N m]
  double settle[2]; // springdamper: time constant [s] and damping ratio; 0: none
} pb_mjcf_joint;

typedef struct pb_mjcf_site {
  const char *name;
  int body; // of the tree, a frame without mass
} pb_mjcf_site;

typedef struct pb_mjcf_tendon {
  const char *name;
  dm_tendon along; // in the tree's coordinates; nothing where it goes around geoms
  bool around;     // it does
  bool fixed;
} pb_mjcf_tendon;

typedef struct pb_mjcf_parts {
  pb_mjcf m;
  pb_tree *t;
  pb_base base;
  int njoint, nsite, ntendon;
  pb_mjcf_joint *joint;   // [njoint] in the file's order
  pb_mjcf_site *site;     // [nsite]
  pb_mjcf_tendon *tendon; // [ntendon]
  dm_pose *rest;          // [t->nbody] of those that the file names, where they stand as written
} pb_mjcf_parts;

// The place of an element.
pb_place pb_mjcf_place(const pb_mjcf_parts *w, const xmlNode *e);

// What an attribute of an element names: the index of a joint or tendon, the body of the tree that carries a
// body or is a site's frame (-1: the world). Refused where there is none, or no attribute.
dm_status pb_mjcf_find_joint(const pb_mjcf_parts *w, const xmlNode *e, const char *attribute,
                             int *out);
dm_status pb_mjcf_find_tendon(const pb_mjcf_parts *w, const xmlNode *e, const char *attribute,
                              int *out);
dm_status pb_mjcf_find_site(const pb_mjcf_parts *w, const xmlNode *e, const char *attribute,
                            int *out);
dm_status pb_mjcf_find_body(const pb_mjcf_parts *w, const xmlNode *e, const char *attribute,
                            int *out);

// Whether a joint has one axis.
bool pb_mjcf_is_single(const pb_mjcf_joint *j);

// The coefficients of a polynomial in size, of which dmoc has the first alone: the others are refused.
//   name  "stiffness" or "damping"; *value keeps what it had where it is not there
dm_status pb_mjcf_coefficient(const pb_mjcf_parts *w, pb_mjcf_element at, const char *what,
                              const char *name, double *value);

// An element's own name, or WORD_K, its number among those that there are.
dm_status pb_mjcf_part_name(const pb_mjcf_parts *w, const xmlNode *e, int number,
                            const char **name);
#endif

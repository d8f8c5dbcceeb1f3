// problems/readers/model/mjcf_parts.h: the joints, sites and tendons of a robot in MuJoCo's XML by
// name, for elements that refer to them. Each kind has its own name space.
#ifndef PB_MODEL_MJCF_PARTS_H
#define PB_MODEL_MJCF_PARTS_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

typedef enum pb_mjcf_kind { PB_MJCF_HINGE, PB_MJCF_SLIDE, PB_MJCF_BALL, PB_MJCF_FREE } pb_mjcf_kind;

typedef struct pb_mjcf_joint {
  const char *name; // from the file, or made from the body's name
  const pb_xml_node *e;
  pb_mjcf_kind kind;
  int coord;        // its first coordinate in the tree
  double ref;       // hinge or slide: its value in the reference configuration  [rad or m]
  double rest;      // springref
  dm_pose start;    // free joint: pose of its body in the reference configuration
  double force[2];  // limits of the total force of its motors  [N or N m]
  double settle[2]; // springdamper: time constant [s] and damping ratio; 0: none
} pb_mjcf_joint;

typedef struct pb_mjcf_site {
  const char *name;
  int body; // in the tree, a massless frame
} pb_mjcf_site;

typedef struct pb_mjcf_tendon {
  const char *name;
  dm_tendon along; // in the tree's coordinates; empty if it wraps around geoms
  bool around;     // wraps around geoms
  bool fixed;
} pb_mjcf_tendon;

typedef struct pb_mjcf_parts {
  pb_mjcf m;
  pb_tree *t;
  pb_base base;
  int njoint, nsite, ntendon;
  pb_mjcf_joint *joint;   // [njoint] in the order of the file
  pb_mjcf_site *site;     // [nsite]
  pb_mjcf_tendon *tendon; // [ntendon]
  dm_pose *rest;          // [t->nbody] reference poses of the bodies named in the file
} pb_mjcf_parts;

// The file position of an element.
pb_place pb_mjcf_place(const pb_mjcf_parts *w, const pb_xml_node *e);

// Resolve the name in an attribute of an element: the index of a joint or tendon, or the tree body
// that carries a body or is a site's frame (-1: the world). Refuses a missing attribute and an
// unknown name.
dm_status pb_mjcf_find_joint(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                             int *out);
dm_status pb_mjcf_find_tendon(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                              int *out);
dm_status pb_mjcf_find_site(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                            int *out);
dm_status pb_mjcf_find_body(const pb_mjcf_parts *w, const pb_xml_node *e, const char *attribute,
                            int *out);

// Whether a joint has one degree of freedom (hinge or slide).
bool pb_mjcf_is_single(const pb_mjcf_joint *j);

// The coefficients of a polynomial; dmoc supports only the first and refuses the others.
//   name  "stiffness" or "damping"; *value is unchanged if it is missing
dm_status pb_mjcf_coefficient(const pb_mjcf_parts *w, pb_mjcf_element at, const char *what,
                              const char *name, double *value);

// An element's own name, or WORD_K with its running number.
dm_status pb_mjcf_part_name(const pb_mjcf_parts *w, const pb_xml_node *e, int number,
                            const char **name);
#endif

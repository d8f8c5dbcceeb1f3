// problems/readers/model/mjcf_mass.h: mass and inertia of the bodies of MuJoCo's XML.
//
//   <inertial>   if present, unless the compiler uses only geoms (inertiafromgeom)
//   geoms        otherwise their sum, by mass or density
//   bounds       boundmass, boundinertia: lower bounds of mass and principal moments
//   balance      balanceinertia: physically impossible moments become their mean
//   align        a single floating body: its frame becomes its inertial frame
#ifndef PB_MODEL_MJCF_MASS_H
#define PB_MODEL_MJCF_MASS_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

// A body's mass, and its moments about its center of mass in a frame there.
typedef struct pb_mjcf_weight {
  bool given;       // by <inertial>
  double mass;      // kg; 0: no inertia
  dm_pose frame;    // in the body's frame
  double moment[6]; // xx yy zz xy xz yz  [kg m2]
} pb_mjcf_weight;

// Read mass and inertia of a <body> with elements of default class `class`. `name`: of the body.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_weigh(const pb_mjcf *m, const pb_xml_node *body, int class, const char *name,
                        pb_mjcf_weight *out);

// Whether MuJoCo aligns a body with its inertial frame: a single body with a free joint that
// requests it.
dm_status pb_mjcf_aligned(const pb_mjcf *m, const pb_xml_node *body, bool *aligned);

// Move the frame of a body to its inertial frame, with principal axes as in MuJoCo: the center of
// mass is then at the origin, and the notes of its geoms and sites get the inverse transformation.
//   at  pose of the body, in and out
dm_status pb_mjcf_align(const pb_mjcf *m, const pb_xml_node *body, pb_mjcf_weight *w, dm_pose *at);

// The same for a body whose geometry alone is read, as its reader did: align the frames of its
// geoms if MuJoCo does.
dm_status pb_mjcf_align_body(const pb_mjcf *m, const pb_xml_node *body, int class,
                             const char *name);

// Store mass and inertia in a body, in body axes; warns if they are physically impossible.
dm_status pb_mjcf_put_weight(pb_tree *t, pb_place at, const pb_mjcf_weight *w, dm_body *body);

// Scale masses and moments of all bodies to this total mass (<= 0: no scaling).
void pb_mjcf_scale_masses(pb_tree *t, double total);
#endif

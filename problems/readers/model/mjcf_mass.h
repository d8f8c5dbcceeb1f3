// problems/readers/model/mjcf_mass.h: what the bodies of MuJoCo's XML weigh.
//
//   <inertial>   where there is one, unless the compiler takes geoms alone (inertiafromgeom)
//   geoms        else their sum, by mass or density
//   bounds       boundmass, boundinertia: no mass, no principal moment is smaller
//   balance      balanceinertia: moments that no body can have become their mean
//   align        a body that floats alone: its frame becomes that of its inertia
#ifndef PB_MODEL_MJCF_MASS_H
#define PB_MODEL_MJCF_MASS_H
#include "problems/readers/model/mjcf_file.h"
#include "problems/readers/model/tree_builder.h"

// A body's mass, and its moments about its centre in a frame there.
typedef struct pb_mjcf_weight {
  bool given;       // by <inertial>
  double mass;      // kg; 0: it has no inertia
  dm_pose frame;    // in the body's
  double moment[6]; // xx yy zz xy xz yz                                         [kg m2]
} pb_mjcf_weight;

// Read the weight of a <body> whose elements are of class `class`. `name`: of the body. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_weigh(const pb_mjcf *m, const xmlNode *body, int class, const char *name,
                        pb_mjcf_weight *out);

// Whether MuJoCo gives a body the frame of its inertia: alone at a free joint that says so.
dm_status pb_mjcf_aligned(const pb_mjcf *m, const xmlNode *body, bool *aligned);

// Give a body the frame of its weight, with principal axes as MuJoCo has them: the weight stands at its
// origin then, and the notes of its geoms and sites get that frame's inverse.
//   at  its place, in and out
dm_status pb_mjcf_align(const pb_mjcf *m, const xmlNode *body, pb_mjcf_weight *w, dm_pose *at);

// Put a weight into a body, in the body's axes; a warning where no body can have it.
dm_status pb_mjcf_put_weight(pb_tree *t, pb_place at, const pb_mjcf_weight *w, dm_body *body);

// Scale masses and moments of all bodies, so that they sum to total (<= 0: as they are).
void pb_mjcf_scale_masses(pb_tree *t, double total);
#endif

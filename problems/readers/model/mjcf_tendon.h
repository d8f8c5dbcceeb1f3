// problems/readers/model/mjcf_tendon.h: read <tendon> of MuJoCo's XML: lengths, and forces along
// them.
//
//   fixed      sum coef q
//   spatial    the length of its path through sites; after a <pulley> divided by its divisor
//   stiffness  a spring, slack between the two numbers of springlength
//   damping    a damper
//   armature   of a fixed tendon: a rotor driven by its joints
//   range      not enforced: a warning names an output that would
//
// A path around geoms is not supported, and is refused if the tendon has a force.
#ifndef PB_MODEL_MJCF_TENDON_H
#define PB_MODEL_MJCF_TENDON_H
#include "problems/readers/model/mjcf_parts.h"

// Read all tendons: w->tendon, and springs, dampers and rotors of the tree. Returns DM_OK,
// DM_NO_MEMORY, or DM_BAD_INPUT with the line.
dm_status pb_mjcf_tendons(pb_mjcf_parts *w);

// The coordinates of a model compiled from the tree so far, with every joint at its springref
// (rest) or ref. q [m->nq].
void pb_mjcf_reference(const pb_mjcf_parts *w, const dm_model *m, bool rest, double *q);
#endif

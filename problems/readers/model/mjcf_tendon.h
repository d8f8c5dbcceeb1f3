// problems/readers/model/mjcf_tendon.h: <tendon> of MuJoCo's XML: what it measures, and what acts along it.
//
//   fixed      sum coef q
//   spatial    the length of its path through sites; behind a <pulley> over its divisor
//   stiffness  a spring, slack between the two numbers of springlength
//   damping    a damper
//   armature   of a fixed tendon, a rotor that its joints turn
//   range      not kept: a warning says which output would
//
// A path around geoms is not read: refused where such a tendon has a force.
#ifndef PB_MODEL_MJCF_TENDON_H
#define PB_MODEL_MJCF_TENDON_H
#include "problems/readers/model/mjcf_parts.h"

// Read all tendons: w->tendon, and springs, dampers and rotors of the tree. Returns DM_OK, DM_NO_MEMORY, or
// DM_BAD_INPUT with the line.
dm_status pb_mjcf_tendons(pb_mjcf_parts *w);

// The tree's coordinates with every joint at its springref (rest) or ref, as those of a model that is made
// of it so far. q [m->nq].
void pb_mjcf_reference(const pb_mjcf_parts *w, const dm_model *m, bool rest, double *q);
#endif

// lib/multibody/spring.h: springs of a tree: potential energies V = sum phi(s(q)) with a law phi
// along a tendon s (lib/mechanics/potential.h). Derivatives, with those of phi at s(q):
//
//   V_q = phi' s_q     V_qq = phi'' s_q s_q' + phi' s_qq
//   V_qq along a = phi''' s_a s_q s_q' + phi'' (s_qa s_q' + s_q s_qa' + s_a s_qq) + phi' s_qqa
//
// Source: docs/theory.md section 9.
#ifndef DM_MULTIBODY_SPRING_H
#define DM_MULTIBODY_SPRING_H
#include "lib/mechanics/potential.h"
#include "lib/multibody/spring_law.h"
#include "lib/multibody/tendon.h"

DM_BEGIN_C

// A spring law along a tendon.
typedef struct dm_spring {
  dm_tendon tendon; // its name is the name of the spring
  dm_spring_law law;
} dm_spring;

typedef struct dm_springs dm_springs;

// Compile springs of a model. Copies everything except the data that `self` of a law points to; m
// must outlive them. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with the sentence of
// dm_tendons_new in msg.
dm_status dm_springs_new(dm_springs **out, const dm_model *m, int n, const dm_spring *list,
                         dm_message *msg);
void dm_springs_free(dm_springs *c);
int dm_springs_count(const dm_springs *c);
const char *dm_springs_name(const dm_springs *c, int i);

// Spring i as it was described (borrowed from c).
dm_spring dm_springs_get(const dm_springs *c, int i);

// Returns true if spring i is linear, with its stiffness and its rest length or angle.
bool dm_springs_linear(const dm_springs *c, int i, double *stiffness, double *rest);

// The first spring whose energy is undefined at q [nq] (points coincide, the law is not finite), or
// -1. scratch is that of the potential.
int dm_springs_undefined(const dm_springs *c, void *scratch, const double *q);

// For pictures: the number of segments of all paths, and segment i.
int dm_springs_pieces(const dm_springs *c);
dm_segment dm_springs_piece(const dm_springs *c, int i);

// The tendons of the springs, in order, and their tensions phi' [n] at q [nq] in N or N m; NAN if
// undefined. scratch is that of the potential.
const dm_tendons *dm_springs_tendons(const dm_springs *c);
void dm_springs_tensions(const dm_springs *c, void *scratch, const double *q, double *tension);

// The energy of all springs. Evaluation does not allocate; cost O(depth^2) per spring.
dm_potential dm_springs_potential(const dm_springs *c);

// The Lagrangian of the tree minus this energy.
dm_lagrangian dm_springs_lagrangian(const dm_springs *c);

DM_END_C
#endif

// lib/multibody/spring.h: springs of a tree: potential energies V = sum phi(s(q)), a law phi along
// a tendon s (lib/mechanics/potential.h). Their derivatives, phi's at s(q):
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

// A law along a tendon.
typedef struct dm_spring {
  dm_tendon tendon; // its name is the spring's
  dm_spring_law law;
} dm_spring;

typedef struct dm_springs dm_springs;

// Compile springs of a model; all is copied but what laws' self points at; m must outlive them.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with dm_tendons_new's sentence in msg.
dm_status dm_springs_new(dm_springs **out, const dm_model *m, int n, const dm_spring *list,
                         dm_message *msg);
void dm_springs_free(dm_springs *c);
int dm_springs_count(const dm_springs *c);
const char *dm_springs_name(const dm_springs *c, int i);

// Whether spring i is linear, and then its stiffness and the length or angle without force.
bool dm_springs_linear(const dm_springs *c, int i, double *stiffness, double *rest);

// The first spring whose energy is not defined at q [nq] (points that meet, a law that is not
// finite there), or -1; with a scratch as its potential's.
int dm_springs_undefined(const dm_springs *c, void *scratch, const double *q);

// The pieces of their paths, for pictures: how many, and each as a line.
int dm_springs_pieces(const dm_springs *c);
dm_segment dm_springs_piece(const dm_springs *c, int i);

// The tendons that they act along, in their order, and their tensions phi' [n] at q [nq], N or N m,
// with a scratch as their potential's; NAN of one that is not defined there.
const dm_tendons *dm_springs_tendons(const dm_springs *c);
void dm_springs_tensions(const dm_springs *c, void *scratch, const double *q, double *tension);

// Their energy. Evaluation does not allocate and costs O(depth^2) a spring.
dm_potential dm_springs_potential(const dm_springs *c);

// The tree's Lagrangian less their energy.
dm_lagrangian dm_springs_lagrangian(const dm_springs *c);

DM_END_C
#endif

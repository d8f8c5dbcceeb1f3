// lib/multibody/load.h: the general forces of a tree: wrenches on its bodies, forces along tendons,
// and steering.
//
//   a wrench     f_j = S_j.W for every joint j at or above the body, W = (moment, force) in the
//                world, so that f.v is the power W.V of the body's motion V. It may be given
//                  world  about the world's origin, in its axes                 W_i = 0
//                  body   at a point of the body, in the body's axes            W_i = S_i x* W
//                  mixed  at a point of the body, in the world's axes   W_i = (p_i x force, 0)
//   a damper     f = -c (s_q.v) s_q     along a tendon s(q)
//   a cable      f = -s_q               along a tendon: a tension of 1 N pulls its points together
//   steering     f = S v                across the velocity (lib/multibody/steering.h)
//
// Each stands as it is, or is multiplied by an input u of its own: u a wrench, a tension, ..
//
// Screws move as S_j,i = [S_i,S_j] for i above j. For mu.f = V.W with V = sum mu_j S_j, and Y_i =
// [S_i, sum over j below i of mu_j S_j], that is V_i, the second derivatives are V_ik = [S_i,Y_k]
// for i at or above k, and by the product rule (V.W)_ik.
// Source: docs/theory.md section 10.
#ifndef DM_MULTIBODY_LOAD_H
#define DM_MULTIBODY_LOAD_H
#include "lib/mechanics/force.h"
#include "lib/multibody/steering.h"
#include "lib/multibody/tendon.h"

DM_BEGIN_C

typedef enum dm_load_kind {
  DM_WRENCH_WORLD,
  DM_WRENCH_BODY,
  DM_WRENCH_MIXED,
  DM_DAMPER,
  DM_CABLE,
  DM_STEERING
} dm_load_kind;

typedef struct dm_load {
  const char *name; // for messages
  dm_load_kind kind;
  bool driven;                // is it multiplied by an input?
  int body;                   // wrenches: in dm_tree.body
  double point[3];            // body, mixed: in the body's frame        [m]
  double torque[3], force[3]; // wrenches                                [N m], [N]
  double damping;             // dampers: c >= 0                         [N s/m or N m s]
  dm_tendon tendon;           // dampers, cables
  int nplanes;                // of steering
  const dm_plane *plane;      // [nplanes] in the model's coordinates
} dm_load;

typedef struct dm_loads dm_loads;

// Compile loads of a model; all is copied, m must outlive them.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT with a sentence in msg (a body that is not there or
// that nothing moves, a number that is not finite, a tendon that lib/multibody/tendon.h refuses, a plane
// of coordinates that are not there or are one).
dm_status dm_loads_new(dm_loads **out, const dm_model *m, int n, const dm_load *list,
                       dm_message *msg);
void dm_loads_free(dm_loads *c);

// How many loads there are, and their names.
int dm_loads_count(const dm_loads *c);
const char *dm_loads_name(const dm_loads *c, int i);

// Where a load acts, for pictures: a wrench at a point that a joint carries, in the world's axes or
// in that joint's; or a tendon.
typedef struct dm_load_place {
  dm_load_kind kind;
  int input;            // that multiplies it; -1: none
  int joint;            // of a wrench
  dm_vec point;         // in its frame                                   [m]
  dm_vec torque, force; // of DM_WRENCH_BODY in its axes                  [N m], [N]
  int tendon;           // of dm_loads_tendons; -1: none
  double damping;       // of DM_DAMPER
} dm_load_place;

dm_load_place dm_loads_place(const dm_loads *c, int i);
const dm_tendons *dm_loads_tendons(const dm_loads *c); // NULL: no load acts along one

// The first load that is not defined at q [nq] (points of its path meet), or -1; with a scratch as
// its force's.
int dm_loads_undefined(const dm_loads *c, void *scratch, const double *q);

// The unit of input i: "N" of a cable's tension or where u = 1 is a force of 1 N, "N m" where it is
// a torque of 1 N m, "N s/m" of steering among lengths with factors of size 1, "N m s" among angles,
// else "1".
const char *dm_loads_unit(const dm_loads *c, int i);

// The interface; c must outlive it. Its inputs are those of the driven loads, in their order.
// Cost: O(nj) for the joints' frames, and for each load O(depth) for f, O(depth^2) for more.
dm_force dm_loads_force(const dm_loads *c);

DM_END_C
#endif

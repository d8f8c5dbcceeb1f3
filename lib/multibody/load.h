// lib/multibody/load.h: the general forces of a tree: wrenches on its bodies, forces along tendons,
// and steering.
//
//   a wrench     f_j = S_j.W for every joint j at or above the body; W = (moment, force) in the
//   world frame, so that f.v is the power W.V of the body's motion V. It may be given
//                  world  about the world's origin, in the world's axes         W_i = 0
//                  body   at a point of the body, in the body's axes            W_i = S_i x* W
//                  mixed  at a point of the body, in the world's axes   W_i = (p_i x force, 0)
//   a damper     f = -c (s_q.v) s_q     along a tendon s(q)
//   a cable      f = -s_q               along a tendon: a tension of 1 N pulls its points together
//   steering     f = S v                normal to the velocity (lib/multibody/steering.h)
//
// Each is either constant or multiplied by its own input u: u times a wrench, a tension, etc.
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

// Compile loads of a model. Copies everything; m must outlive them. Returns DM_OK; DM_NO_MEMORY; or
// DM_BAD_INPUT with a sentence in msg (a body that does not exist or cannot move, a number that is
// not finite, a tendon that lib/multibody/tendon.h refuses, a plane whose coordinates do not exist
// or are equal).
dm_status dm_loads_new(dm_loads **out, const dm_model *m, int n, const dm_load *list,
                       dm_message *msg);
void dm_loads_free(dm_loads *c);

// The number of loads, and the name of load i.
int dm_loads_count(const dm_loads *c);
const char *dm_loads_name(const dm_loads *c, int i);

// Load i as it was described (borrowed from c).
dm_load dm_loads_get(const dm_loads *c, int i);

// The point where a load acts, for pictures: either a wrench at a point of a joint's frame, in the
// axes of the world or of that joint; or a tendon.
typedef struct dm_load_place {
  dm_load_kind kind;
  int input;            // input that multiplies it; -1: none
  int joint;            // of a wrench
  dm_vec point;         // in its frame                                   [m]
  dm_vec torque, force; // DM_WRENCH_BODY: in the joint's axes                [N m], [N]
  int tendon;           // index in dm_loads_tendons; -1: none
  double damping;       // of DM_DAMPER
} dm_load_place;

dm_load_place dm_loads_place(const dm_loads *c, int i);
const dm_tendons *dm_loads_tendons(const dm_loads *c); // NULL: no load acts along a tendon

// The first load that is undefined at q [nq] because points of its path coincide, or -1. scratch is
// that of the force interface.
int dm_loads_undefined(const dm_loads *c, void *scratch, const double *q);

// The unit of input i: "N" for a cable's tension or if u = 1 is a force of 1 N; "N m" if u = 1 is a
// torque of 1 N m; for steering with factors of size 1, "N s/m" between lengths and "N m s" between
// angles; else "1".
const char *dm_loads_unit(const dm_loads *c, int i);

// The interface; c must outlive it. Its inputs are those of the driven loads, in order. Cost: O(nj)
// for the joint frames, and per load O(depth) for f, O(depth^2) for derivatives.
dm_force dm_loads_force(const dm_loads *c);

DM_END_C
#endif

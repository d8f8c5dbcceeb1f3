// tests/support/hoist.h: a load on a string; its hook moves and its reel winds, both as prescribed.
//
// Coordinates: x, z of the load (a point mass of 1 kg), hook, reel; one constraint, the string, on
// x, z and hook.
#ifndef TESTS_SUPPORT_HOIST_H
#define TESTS_SUPPORT_HOIST_H
#include "lib/discrete/trajectory.h"
#include "lib/multibody/constraint.h"
#include "tests/support/models.h"

enum { HOIST_N = 4, HOIST_K = 2 };

typedef struct hoist {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
} hoist;

static inline hoist hoist_open(void) {
  static const char *const name[] = {"x", "z", "hook", "reel"};
  static dm_coordinate c[HOIST_N];
  for (int i = 0; i < HOIST_N; i++) {
    c[i] = models_coord(name[i], true, i != 1, 0, i == 1);
    c[i].kinematic = i >= 2;
  }
  dm_body b[] = {{"load", -1, dm_identity, 0, 2, 1, {0}, {0}},
                 {"hook", -1, dm_identity, 2, 1, 0, {0}, {0}},
                 {"reel", -1, dm_identity, 3, 1, 0, {0}, {0}}};
  dm_constraint string = {.name = "string", .kind = DM_DISTANCE, .body = {0, 1}, .coord = {3, -1}};
  hoist w = {.m = models_make(&(dm_tree){
                 .nbody = 3, .ncoord = HOIST_N, .body = b, .coord = c, .gravity = {0, 0, -9.81}})};
  assert_int_equal(dm_constraints_new(&w.c, w.m, 1, &string, NULL), DM_OK);
  w.s = dm_system_of(w.m);
  w.s.hol = dm_constraints_holonomic(w.c);
  return w;
}

// N steps of length h from a load hanging at rest 1 m below its hook; hook and reel move as
// amplitude times a sine (amplitude 0: at rest)
static inline dm_trajectory *hoist_motion(const hoist *w, int N, double h, double amplitude) {
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  int failed;
  double rest[] = {0, -1, 0, 1};
  assert_int_equal(dm_trajectory_of(&x, N, &w->s), DM_OK);
  assert_int_equal(dm_del_new(&del, &w->s, NULL), DM_OK);
  x->h = h;
  for (int k = 0; k < N; k++) {
    x->u[2 * k] = amplitude * sin(3 * h * (k + 1));
    x->u[2 * k + 1] = 1 + 0.5 * amplitude * sin(2 * h * (k + 1));
  }
  memcpy(x->q, rest, sizeof rest);
  assert_int_equal(dm_interval_eval(del->d, 1, rest, rest, x->u, h), DM_OK);
  memcpy(x->p, del->d->D2, 2 * sizeof *rest);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  dm_del_free(del);
  return x;
}

static inline void hoist_close(hoist *w) {
  dm_constraints_free(w->c);
  dm_model_free(w->m);
}
#endif

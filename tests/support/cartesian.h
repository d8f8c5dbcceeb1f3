// tests/support/cartesian.h: a point mass on two slides, x and z, constrained to a distance from
// the origin: the pendulum of paper 001, section VII-B.
#ifndef TESTS_SUPPORT_CARTESIAN_H
#define TESTS_SUPPORT_CARTESIAN_H
#include "tests/support/models.h"

typedef struct cartesian {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
} cartesian;

static inline cartesian cartesian_of(double mass, double length) {
  cartesian w;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 2, mass, {0}, {0}}};
  dm_constraint rod = {
      .name = "rod", .kind = DM_DISTANCE, .body = {0, -1}, .coord = {-1, -1}, .length = length};
  w.m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 2, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
  assert_int_equal(dm_constraints_new(&w.c, w.m, 1, &rod, NULL), DM_OK);
  w.s = dm_system_of(w.m);
  w.s.hol = dm_constraints_holonomic(w.c);
  return w;
}
static inline cartesian cartesian_new(void) {
  return cartesian_of(1, 1);
}
static inline void cartesian_free(cartesian *w) {
  dm_constraints_free(w->c);
  dm_model_free(w->m);
}
#endif

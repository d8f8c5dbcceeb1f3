// tests/support/spherical.h: the double spherical pendulum of paper 004 on V = R3 x R3: the second
// bob relative to the first, masses and lengths 1; and its substitute initial state.
#ifndef TESTS_SUPPORT_SPHERICAL_H
#define TESTS_SUPPORT_SPHERICAL_H
#include "tests/support/models.h"

typedef struct spherical {
  dm_model *m;
  dm_constraints *rods;
  dm_system s;
  double q[6], p[6];
} spherical;

static inline spherical spherical_new(void) {
  spherical w = {.q = {sin(.6), 0, -cos(.6), 0, sin(.8), -cos(.8)},
                 .p = {-1, 3, 0, -1, 1.5, 0}}; // v1 = (0, 1.5, 0), v2 = (-1, 0, 0)
  const char *name[] = {"x1", "y1", "z1", "x2", "y2", "z2"};
  dm_coordinate c[6];
  for (int i = 0; i < 6; i++)
    c[i] = models_coord(name[i], true, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  dm_body b[] = {{"upper", -1, dm_identity, 0, 3, 1, {0}, {0}},
                 {"lower", 0, dm_identity, 3, 3, 1, {0}, {0}}};
  dm_constraint rod[] = {
      {.name = "first", .kind = DM_DISTANCE, .body = {0, -1}, .coord = {-1, -1}, .length = 1},
      {.name = "second", .kind = DM_DISTANCE, .body = {1, 0}, .coord = {-1, -1}, .length = 1}};
  w.m = models_make(
      &(dm_tree){.nbody = 2, .ncoord = 6, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
  assert_int_equal(dm_constraints_new(&w.rods, w.m, 2, rod, NULL), DM_OK);
  w.s = dm_system_of(w.m);
  w.s.hol = dm_constraints_holonomic(w.rods);
  return w;
}
static inline void spherical_free(spherical *w) {
  dm_constraints_free(w->rods);
  dm_model_free(w->m);
}

// angular momentum about the vertical; q and p are relative, like the coordinates
static inline double spherical_turning(const double *q, const double *p) {
  return q[0] * p[1] - q[1] * p[0] + q[3] * p[4] - q[4] * p[3];
}
#endif

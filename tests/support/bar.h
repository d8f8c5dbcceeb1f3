// tests/support/bar.h: a bar that hangs on two strings.
#ifndef TESTS_SUPPORT_BAR_H
#define TESTS_SUPPORT_BAR_H
#include "tests/support/models.h"

// a bar of 2 kg and 1 m, its center of mass offset by 0.1 m, on two strings of kinematic length
typedef struct bar {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
} bar;

enum { TX, TZ, RY, LEFT, RIGHT, N };

// the bar with its strings; their lengths LEFT and RIGHT are inputs
static inline bar hang(void) {
  bar b;
  dm_coordinate c[] = {models_coord("tx", true, 1, 0, 0), models_coord("tz", true, 0, 0, 1),
                       models_coord("ry", false, 0, 1, 0), models_coord("left", true, 1, 0, 0),
                       models_coord("right", true, 1, 0, 0)};
  c[LEFT].kinematic = c[RIGHT].kinematic = true;

  // lengths are coordinates of a massless body
  dm_body bodies[] = {{"bar", -1, dm_identity, 0, 3, 2, {0.1, 0, 0}, {0, 1. / 6}},
                      {"reels", -1, dm_identity, 3, 2, 0, {0}, {0}}};
  dm_constraint strings[] = {{.name = "left string",
                              .kind = DM_DISTANCE,
                              .body = {0, -1},
                              .coord = {LEFT, -1},
                              .point = {{-0.5, 0, 0}, {-0.7, 0, 0}}},
                             {.name = "right string",
                              .kind = DM_DISTANCE,
                              .body = {0, -1},
                              .coord = {RIGHT, -1},
                              .point = {{0.5, 0, 0}, {0.6, 0, 0}}}};
  b.m = models_make(
      &(dm_tree){.nbody = 2, .ncoord = N, .body = bodies, .coord = c, .gravity = {0, 0, -9.81}});
  assert_int_equal(dm_constraints_new(&b.c, b.m, 2, strings, NULL), DM_OK);
  b.s = dm_system_of(b.m);
  b.s.hol = dm_constraints_holonomic(b.c);
  return b;
}

static inline void drop(bar *b) {
  dm_constraints_free(b->c);
  dm_model_free(b->m);
}
#endif

// tests/support/springs.h: springs of every kind on a tree with at least six bodies and
// coordinates.
#ifndef TESTS_SUPPORT_SPRINGS_H
#define TESTS_SUPPORT_SPRINGS_H
#include "tests/support/models.h"

static inline dm_springs *springs_make(const dm_model *m, int n, const dm_spring *list) {
  dm_springs *c = NULL;
  dm_message msg = {""};
  if (dm_springs_new(&c, m, n, list, &msg) != DM_OK) fail_msg("%s", msg.text);
  return c;
}

// a spring on one coordinate
static inline dm_spring springs_on(const int *coord, double stiffness, double rest) {
  static const double one[] = {1};
  return (dm_spring){{.name = "spring", .ncoord = 1, .coord = coord, .factor = one},
                     dm_spring_law_linear(stiffness, rest)};
}

// the example at the top of lib/multibody/spring_law.h
static inline dm_status springs_cubic(const dm_spring_law *law, double s, double phi[4]) {
  double k = *(const double *)law->self;
  phi[0] = k * s * s * s * s / 4;
  phi[1] = k * s * s * s;
  phi[2] = 3 * k * s * s;
  phi[3] = 6 * k * s;
  return DM_OK;
}

static inline dm_springs *springs_of_every_kind(const dm_model *m) {
  static const double point[][3] = {{.3, .2, -.1}, {-.4, .1, .2}, {.1, .5, -.3}};
  static const double s[] = {-1, 0, 0.5, 2, 4}, f[] = {-3, 0.5, 1, 5, 5.5};
  static const int body[] = {5, -1, 2}, coord[] = {3, 1};
  static const double factor[] = {1, -0.5};
  double room[4 * COUNT(s)];
  const dm_tendon difference = {.name = "a", .ncoord = 2, .coord = coord, .factor = factor};
  const dm_tendon distance = {.name = "b", .npoint = 2, .body = body + 1, .point = point};
  const dm_tendon path = {.name = "c", .npoint = 3, .body = body, .point = point};
  dm_spring list[] = {springs_on(coord, 3, 0.2),
                      {difference, dm_spring_law_power(0.3, 4)},
                      {distance, dm_spring_law_lennard_jones(0.1, 1)},
                      {path, dm_spring_law_linear(2, 1.5)},
                      {path, {0}}};
  assert_int_equal(dm_spring_law_table(&list[4].law, COUNT(s), s, f, room, NULL), DM_OK);
  return springs_make(m, COUNT(list), list);
}
#endif

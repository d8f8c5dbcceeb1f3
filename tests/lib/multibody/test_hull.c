// Convex hulls: what every hull obeys, volumes in closed form, points of a plane.
#include "tests/support/models.h"

#include "lib/multibody/hull.h"

#include <stdlib.h>

typedef struct hull {
  int n, sides;
  double *x;
  int (*side)[3];
} hull;

static hull open_hull(int n) {
  hull h = {.n = n};
  h.x = calloc(3 * (size_t)n, sizeof *h.x);
  h.side = calloc(2 * (size_t)n, sizeof *h.side);
  return h;
}

static void close_hull(hull *h) {
  free(h->x);
  free(h->side);
}

static dm_vec point_of(const hull *h, int i) {
  return dm_v(h->x[3 * i], h->x[3 * i + 1], h->x[3 * i + 2]);
}

static dm_vec find_normal(const hull *h, int s) {
  const dm_vec a = point_of(h, h->side[s][0]);
  const dm_vec b = dm_sub(point_of(h, h->side[s][1]), a), c = dm_sub(point_of(h, h->side[s][2]), a);
  return dm_cross(b, c);
}

static double find_volume(const hull *h) {
  double sum = 0;
  for (int s = 0; s < h->sides; s++)
    sum += dm_dot(point_of(h, h->side[s][0]), find_normal(h, s)) / 6;
  return sum;
}

// No point is above a side, every edge is there once in each direction, and sides are 2 (corners) - 4.
static void check_hull(const hull *h, double slack) {
  int corners = 0;
  char *used = calloc((size_t)h->n, 1);
  for (int s = 0; s < h->sides; s++) {
    const dm_vec normal = find_normal(h, s), p = point_of(h, h->side[s][0]);
    const double size = sqrt(dm_dot(normal, normal));
    for (int i = 0; i < h->n; i++)
      if (dm_dot(normal, dm_sub(point_of(h, i), p)) > slack * size) fail_msg("%d is above", i);
    for (int k = 0; k < 3; k++) {
      const int a = h->side[s][k], b = h->side[s][(k + 1) % 3];
      int there = 0;
      for (int o = 0; o < h->sides; o++)
        for (int e = 0; e < 3; e++) there += h->side[o][e] == b && h->side[o][(e + 1) % 3] == a;
      assert_int_equal(there, 1);
      corners += !used[a];
      used[a] = 1;
    }
  }
  assert_int_equal(h->sides, 2 * corners - 4);
  free(used);
}

static void every_point_is_below_every_side(void **state) {
  (void)state;
  uint64_t r = 11;
  for (int n = 4; n < 300; n = n * 3 / 2) {
    hull h = open_hull(n);
    for (int i = 0; i < 3 * n; i++) h.x[i] = models_random(&r) * (i % 3 ? 1 : 100);
    assert_int_equal(dm_hull_find(n, h.x, h.side, &h.sides), DM_OK);
    check_hull(&h, 1e-10);
    close_hull(&h);
  }
}

// a grid of points in a box, many of them in its sides and edges, far from the origin
static void a_box_of_points_has_its_volume(void **state) {
  (void)state;
  enum { SIDE = 6 };
  hull h = open_hull(SIDE * SIDE * SIDE);
  for (int i = 0; i < h.n; i++) {
    h.x[3 * i] = 50 + 0.2 * (i % SIDE);
    h.x[3 * i + 1] = -7 + 0.3 * (i / SIDE % SIDE);
    h.x[3 * i + 2] = 0.1 * (i / SIDE / SIDE);
  }
  assert_int_equal(dm_hull_find(h.n, h.x, h.side, &h.sides), DM_OK);
  assert_close(find_volume(&h), 1.0 * 1.5 * 0.5, 1e-10);
  check_hull(&h, 1e-9);
  close_hull(&h);
}

// a volume is multiplied by the determinant
static void hulls_follow_linear_maps(void **state) {
  (void)state;
  uint64_t r = 5;
  hull h = open_hull(80), mapped = open_hull(80);
  for (int i = 0; i < 240; i++) h.x[i] = models_random(&r);
  for (int i = 0; i < 80; i++) {
    const double *x = h.x + 3 * i;
    mapped.x[3 * i] = 2 * x[0] + x[1] - 3 * x[2];
    mapped.x[3 * i + 1] = 0.5 * x[1] + x[2];
    mapped.x[3 * i + 2] = 1e-3 * x[2];
  }
  assert_int_equal(dm_hull_find(80, h.x, h.side, &h.sides), DM_OK);
  assert_int_equal(dm_hull_find(80, mapped.x, mapped.side, &mapped.sides), DM_OK);
  assert_close(find_volume(&mapped), 1e-3 * find_volume(&h), 1e-14);
  close_hull(&h), close_hull(&mapped);
}

static void points_of_a_plane_have_none(void **state) {
  (void)state;
  hull h = open_hull(20);
  for (int i = 0; i < 20; i++) {
    h.x[3 * i] = cos(i);
    h.x[3 * i + 1] = sin(i);
    h.x[3 * i + 2] = 3 + cos(i) + 2 * sin(i);
  }
  assert_int_equal(dm_hull_find(20, h.x, h.side, &h.sides), DM_BAD_INPUT);
  assert_int_equal(dm_hull_find(3, h.x, h.side, &h.sides), DM_BAD_INPUT);
  for (int i = 0; i < 60; i++) h.x[i] = 1;
  assert_int_equal(dm_hull_find(20, h.x, h.side, &h.sides), DM_BAD_INPUT);
  h.x[7] = NAN;
  assert_int_equal(dm_hull_find(20, h.x, h.side, &h.sides), DM_BAD_INPUT);
  close_hull(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_point_is_below_every_side),
      cmocka_unit_test(a_box_of_points_has_its_volume),
      cmocka_unit_test(hulls_follow_linear_maps),
      cmocka_unit_test(points_of_a_plane_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

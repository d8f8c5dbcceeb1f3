// Signed distances of shapes: derivatives by the order of their differences, and what they mean.
#include "lib/multibody/shape.h"
#include "tests/support/models.h"

static dm_shape make_shape(int kind) {
  return (dm_shape){.kind = (dm_shape_kind)kind, .radius = 0.4, .half = {0.3, 0.5, 0.7}};
}

static void point_distance(void *self, const double *x, double *D) {
  *D = dm_shape_distance(self, 0, x, NULL, NULL);
}

static void point_slope(void *self, const double *x, double *D_x) {
  dm_shape_distance(self, 1, x, D_x, NULL);
}

// D_xx along
typedef struct bend {
  dm_shape s;
  double along[3];
} bend;

static void point_bend(void *self, const double *x, double *out) {
  bend *b = self;
  double g[3], H[9];
  dm_shape_distance(&b->s, 2, x, g, H);
  for (int i = 0; i < 3; i++) {
    out[i] = 0;
    for (int j = 0; j < 3; j++) out[i] += H[3 * i + j] * b->along[j];
  }
}

static void segment_distance(void *self, const double *x, double *D) {
  *D = dm_shape_distance_segment(self, 0, x, NULL, NULL);
}

static void segment_slope(void *self, const double *x, double *D_x) {
  dm_shape_distance_segment(self, 1, x, D_x, NULL);
}

// random points, inside and outside, beside sides, edges and corners
static void derivatives_are_exact(void **state) {
  (void)state;
  uint64_t r = 3;
  for (int kind = 0; kind < DM_SHAPE_KIND_COUNT; kind++)
    for (int i = 0; i < 200; i++) {
      dm_shape s = make_shape(kind);
      double x[6], d[6], g[6], H[36], by = 0, turned[6] = {0};
      for (int a = 0; a < 6; a++) x[a] = 1.5 * models_random(&r), d[a] = models_random(&r);
      const double D = dm_shape_distance(&s, 2, x, g, H);
      double length = 0;
      for (int a = 0; a < 3; a++) {
        by += g[a] * d[a];
        length += g[a] * g[a];
        for (int b = 0; b < 3; b++) turned[a] += H[3 * a + b] * d[b];
      }
      assert_close(length, 1, 1e-14);
      point_distance(&s, x, &length);
      assert_close(length, D, 0);
      models_check_derivative(point_distance, &s, 3, 1, x, d, &by, 1e-5, "D_x");
      models_check_derivative(point_slope, &s, 3, 3, x, d, turned, 1e-5, "D_xx");

      // the third derivatives, outside
      bend third = {s, {d[3], d[4], d[5]}};
      double T[9];
      dm_shape_hessian_along(&s, x, d, T);
      memset(turned, 0, sizeof turned);
      for (int a = 0; a < 9; a++) turned[a / 3] += T[a] * third.along[a % 3];
      if (D > 0.1) models_check_derivative(point_bend, &third, 3, 3, x, d, turned, 1e-5, "D_xxx");

      // along a segment
      memset(turned, 0, sizeof turned);
      by = 0;
      dm_shape_distance_segment(&s, 2, x, g, H);
      double slope = 0;
      for (int a = 0; a < 6; a++) {
        slope += fabs(g[a]);
        by += g[a] * d[a];
        for (int b = 0; b < 6; b++) turned[a] += H[6 * a + b] * d[b];
      }
      if (slope < 1e-12) continue; // right through: as deep as can be
      models_check_derivative(segment_distance, &s, 6, 1, x, d, &by, 1e-5, "D_x of a segment");
      models_check_derivative(segment_slope, &s, 6, 6, x, d, turned, 1e-4, "D_xx of a segment");
    }
}

// the least of many points along it; and Lipschitz, convex: the surface is where D says
static void a_segment_is_as_near_as_its_nearest_point(void **state) {
  (void)state;
  enum { POINTS = 2000 };
  uint64_t r = 9;
  for (int kind = 0; kind < DM_SHAPE_KIND_COUNT; kind++)
    for (int i = 0; i < 50; i++) {
      dm_shape s = make_shape(kind);
      double x[6], least = INFINITY;
      for (int a = 0; a < 6; a++) x[a] = 1.5 * models_random(&r);
      for (int k = 0; k <= POINTS; k++) {
        double at[3], t = (double)k / POINTS;
        for (int a = 0; a < 3; a++) at[a] = (1 - t) * x[a] + t * x[3 + a];
        least = fmin(least, dm_shape_distance(&s, 0, at, NULL, NULL));
      }
      const double D = dm_shape_distance_segment(&s, 0, x, NULL, NULL);
      assert_true(D <= least + 1e-15 && D >= least - 3e-3);

      // from outside D steps along the gradient lead onto the surface
      double g[3], at[3];
      const double away = dm_shape_distance(&s, 1, x, g, NULL);
      for (int a = 0; a < 3; a++) at[a] = x[a] - away * g[a];
      if (away > 0) assert_close(dm_shape_distance(&s, 0, at, NULL, NULL), 0, 1e-14);
    }
}

// numbers that are known
static void distances_are_those_of_geometry(void **state) {
  (void)state;
  static const struct {
    int kind;
    double x[3], D;
  } list[] = {{DM_SHAPE_HALF_SPACE, {5, 6, -2}, -2},
              {DM_SHAPE_SPHERE, {0.3, 0, 0.4}, 0.1},
              {DM_SHAPE_CAPSULE, {0.3, 0.4, 0.6}, 0.1},
              {DM_SHAPE_CAPSULE, {0.3, 0, -1.1}, 0.1},
              {DM_SHAPE_CYLINDER, {0.3, 0.4, 0.1}, 0.1},
              {DM_SHAPE_CYLINDER, {0, 0, 0.9}, 0.2},
              {DM_SHAPE_CYLINDER, {0, 0, 0.6}, -0.1},
              {DM_SHAPE_CYLINDER, {0.7, 0, 1.1}, 0.5},
              {DM_SHAPE_BOX, {0.6, 0.9, 0}, 0.5},
              {DM_SHAPE_BOX, {0.2, 0.1, 0}, -0.1},
              {DM_SHAPE_BOX, {0, 0, -1}, 0.3}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    dm_shape s = make_shape(list[i].kind);
    double g[3], H[9];
    assert_close(dm_shape_distance(&s, 2, list[i].x, g, H), list[i].D, 1e-15);
    for (int a = 0; a < 3; a++) assert_true(isfinite(g[a]));
  }

  // of no end
  dm_shape rod = make_shape(DM_SHAPE_CYLINDER);
  rod.half[2] = INFINITY;
  assert_close(dm_shape_distance(&rod, 0, (double[]){1, 0, 1e6}, NULL, NULL), 0.6, 1e-15);
  double ends[] = {1, 0, -9, -0.2, 0.5, 3};
  assert_true(dm_shape_distance_segment(&rod, 0, ends, NULL, NULL) < 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_segment_is_as_near_as_its_nearest_point),
      cmocka_unit_test(distances_are_those_of_geometry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

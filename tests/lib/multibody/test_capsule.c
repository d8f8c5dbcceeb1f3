// Capsules about points: they hold them, none of them is large, and they stand out by what is stated.
#include "lib/multibody/capsule.h"
#include "lib/multibody/shape.h"
#include "lib/multibody/spatial.h"
#include "tests/support/models.h"

enum { MANY = 3000 };

// the distance of a point from the axis
static double from_axis(const dm_capsule *c, const double *x) {
  const double *a = c->end[0], *b = c->end[1];
  double t = 0, square = 0, sum = 0;
  for (int i = 0; i < 3; i++) {
    t += (x[i] - a[i]) * (b[i] - a[i]);
    square += (b[i] - a[i]) * (b[i] - a[i]);
  }
  t = square > 0 ? fmin(fmax(t / square, 0), 1) : 0;
  for (int i = 0; i < 3; i++) {
    const double d = x[i] - a[i] - t * (b[i] - a[i]);
    sum += d * d;
  }
  return sqrt(sum);
}

static double volume_of(const dm_capsule *c) {
  const double r = c->radius;
  double square = 0;
  for (int i = 0; i < 3; i++)
    square += (c->end[1][i] - c->end[0][i]) * (c->end[1][i] - c->end[0][i]);
  return acos(-1) * r * r * (sqrt(square) + 4.0 / 3 * r);
}

static dm_capsule enclose(int n, const double *x) {
  dm_capsule c;
  assert_int_equal(dm_capsule_about(n, x, &c), DM_OK);
  for (int i = 0; i < n; i++) assert_true(from_axis(&c, x + 3 * i) <= c.radius);
  return c;
}

// the corners of a box turned and moved
static void put_corners(const double half[3], const dm_pose *T, double *x) {
  for (int i = 0; i < 8; i++) {
    const dm_vec at = dm_place(T, dm_v(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                                       i & 4 ? half[2] : -half[2]));
    memcpy(x + 3 * i, (double[]){at.x, at.y, at.z}, 3 * sizeof *x);
  }
}

// the largest distance of the surface from a shape, over many of its points
static double sample_excess(const dm_capsule *c, const dm_shape *s, const dm_pose *T) {
  uint64_t seed = 5;
  double most = 0;
  for (int i = 0; i < 200000; i++) {
    double u[3], length = 0;
    for (int a = 0; a < 3; a++) {
      u[a] = models_random(&seed);
      length += u[a] * u[a];
    }
    const double *e = c->end[i % 2], k = c->radius / sqrt(length);
    const dm_vec x = dm_v(e[0] + k * u[0], e[1] + k * u[1], e[2] + k * u[2]);
    const dm_vec in = dm_unrotate(T, dm_sub(x, T->p));
    most = fmax(most, dm_shape_distance(s, 0, (double[]){in.x, in.y, in.z}, NULL, NULL));
  }
  return most;
}

// of a box: no larger than about its longest axis, and off by what the exact distance of boxes says
static void boxes_are_held_closely(void **state) {
  (void)state;
  static const double half[][3] = {{0.05, 0.04, 0.3}, {0.2, 0.2, 0.2}, {0.3, 0.2, 0.01}, {1, 3, 2}};
  for (int i = 0; i < 4; i++)
    for (int turned = 0; turned < 2; turned++) {
      const double *l = half[i], rpy[3] = {0.3 * turned, 0.5 * turned, -turned};
      const dm_pose T = dm_pose_rpy(rpy, (const double[]){1, -2, 0.5});
      double x[24], least = INFINITY;
      put_corners(l, &T, x);
      const dm_capsule c = enclose(8, x);

      // capsules along the longest side: corners at its ends, which half-spheres hold
      const double longest = fmax(l[0], fmax(l[1], l[2]));
      const double rest = l[0] * l[0] + l[1] * l[1] + l[2] * l[2] - longest * longest;
      for (double at = 0; at <= longest; at += longest / 1000) {
        const double r = sqrt(rest + (longest - at) * (longest - at));
        least = fmin(least, acos(-1) * r * r * (2 * at + 4.0 / 3 * r));
      }
      assert_true(volume_of(&c) < 1.035 * least);

      const dm_shape box = {.kind = DM_SHAPE_BOX, .half = {l[0], l[1], l[2]}};
      const double sampled = sample_excess(&c, &box, &T), size = longest * 4;
      assert_true(sampled <= c.excess);
      assert_true(c.excess < sampled + 2e-3 * c.radius + 4e-6 * size);
    }
}

// points of a capsule reproduce it; points of a ball do not give a capsule
static void capsules_are_found_again(void **state) {
  (void)state;
  static double x[3 * MANY];
  uint64_t seed = 9;
  for (int ball = 0; ball < 2; ball++) {
    const double a[3] = {0.1, 0.2, 0.3}, along[3] = {0.3, -0.2, 0.5};
    for (int i = 0; i < MANY; i++) {
      double u[3], length = 0;
      for (int k = 0; k < 3; k++) {
        u[k] = models_random(&seed);
        length += u[k] * u[k];
      }
      const double t = ball ? 0 : (1 + models_random(&seed)) / 2;
      const double at_end = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : t;
      for (int k = 0; k < 3; k++)
        x[3 * i + k] = a[k] + (ball ? 0 : at_end) * along[k] + 0.1 * u[k] / sqrt(length);
    }
    const dm_capsule c = enclose(MANY, x);
    assert_true(c.radius < 0.103);
    assert_true(c.excess < 0.004);
    const double want = acos(-1) * 0.01 * ((ball ? 0 : sqrt(0.38)) + 4.0 / 3 * 0.1);
    assert_true(volume_of(&c) < 1.01 * want);
  }
}

// many points of a fine grid on a box, in planes and along lines: the same as its corners
static void points_in_planes_are_as_good(void **state) {
  (void)state;
  enum { N = 21 };
  static double x[3 * 6 * N * N];
  const double half[3] = {0.1, 0.2, 0.4};
  int n = 0;
  for (int f = 0; f < 6; f++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double *p = x + 3 * n++;
        p[f / 2] = f % 2 ? half[f / 2] : -half[f / 2];
        p[(f / 2 + 1) % 3] = half[(f / 2 + 1) % 3] * (2.0 * i / (N - 1) - 1);
        p[(f / 2 + 2) % 3] = half[(f / 2 + 2) % 3] * (2.0 * j / (N - 1) - 1);
      }
  double corner[24];
  put_corners(half, &dm_identity, corner);
  const dm_capsule all = enclose(n, x), eight = enclose(8, corner), few = enclose(500, x);
  assert_true(fabs(all.radius - eight.radius) < 1e-5 && fabs(all.excess - eight.excess) < 1e-5);
  assert_true(few.radius > 0.1);
}

static void what_has_no_volume_is_refused(void **state) {
  (void)state;
  const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 3, 0}, one[12] = {0};
  dm_capsule c;
  assert_int_equal(dm_capsule_about(5, flat, &c), DM_BAD_INPUT);
  assert_int_equal(dm_capsule_about(4, one, &c), DM_BAD_INPUT);
  assert_int_equal(dm_capsule_about(3, flat, &c), DM_BAD_INPUT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_are_held_closely),
      cmocka_unit_test(capsules_are_found_again),
      cmocka_unit_test(points_in_planes_are_as_good),
      cmocka_unit_test(what_has_no_volume_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

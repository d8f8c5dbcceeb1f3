// tests/lib/base/test_curve.c: curves through points: on them, smooth, of order 4, with derivatives
// that are those; open and closed; what cannot be one is refused.
#include "lib/base/curve.h"

#include "lib/base/difference.h"
#include "lib/base/order_fit.h"
#include "tests/support/models.h"

#include <float.h>
#include <string.h>

static double room[4000];
static dm_message msg;

static dm_curve make_curve(int n, int m, const double *points, const double *s, bool closed) {
  dm_curve c;
  assert_true(dm_curve_room(n, m, closed) <= sizeof room / sizeof *room);
  if (dm_curve_through(&c, n, m, points, s, closed, room, &msg) != DM_OK) fail_msg("%s", msg.text);
  return c;
}

static const double points[] = {0, 0, 1, 0.2, 1.5, 1, 0.7, 1.6, -0.4, 0.9};

static void a_curve_goes_through_its_points_smoothly(void **state) {
  (void)state;
  for (int closed = 0; closed < 2; closed++) {
    const dm_curve c = make_curve(5, 2, points, NULL, closed);
    assert_int_equal(c.n, 5 + closed);
    assert_true(c.s[0] == 0 && c.s[c.n - 1] == 1);
    for (int i = 0; i < c.n; i++)
      for (int side = -1; side < 2; side += 2) {
        double r[2], r_s[2], r_ss[2], other[2], other_s[2], other_ss[2];
        dm_curve_eval(&c, c.s[i], r, r_s, r_ss);
        dm_curve_eval(&c, c.s[i] + side * 1e-13, other, other_s, other_ss);
        for (int j = 0; j < 2; j++) {
          assert_close(r[j], points[2 * (i % 5) + j], 1e-14);
          assert_close(other[j], r[j], 1e-10);
          assert_close(other_s[j], r_s[j], 1e-9);
          assert_close(other_ss[j], r_ss[j], 1e-8);
          if (!closed && (i == 0 || i == 4)) assert_close(r_ss[j], 0, 1e-12);
        }
      }
  }
}

static void chords_are_in_proportion(void **state) {
  (void)state;
  const double line[] = {1, 2, 4, 6, 7, 10}; // lengths 5 and 5
  const dm_curve c = make_curve(3, 2, line, NULL, false);
  assert_close(c.s[1], 0.5, 1e-15);
  for (int i = 0; i <= 10; i++) {
    double r[2], r_s[2], r_ss[2];
    dm_curve_eval(&c, i / 10., r, r_s, r_ss);
    assert_close(r[0], 1 + 0.6 * i, 1e-14);
    assert_close(r[1], 2 + 0.8 * i, 1e-14);
    assert_close(hypot(r_s[0], r_s[1]), 10, 1e-13);
    assert_close(r_ss[0], 0, 1e-12);
  }

  // or as one says
  const double s[] = {-1, 0, 3};
  const dm_curve own = make_curve(3, 2, line, s, false);
  assert_close(own.s[1], 0.25, 1e-15);
}

// |r - the circle| by n points, which falls with the fourth power of their distance
static void a_closed_curve_is_of_order_four(void **state) {
  (void)state;
  double h[4], e[4];
  for (int i = 0; i < 4; i++) {
    const int n = 8 << i;
    double on[128 * 2];
    for (int k = 0; k < n; k++) {
      on[2 * k] = cos(2 * 3.14159265358979323846 * k / n);
      on[2 * k + 1] = sin(2 * 3.14159265358979323846 * k / n);
    }
    const dm_curve c = make_curve(n, 2, on, NULL, true);
    h[i] = 1. / n;
    e[i] = 0;
    for (int k = 0; k < 1000; k++) {
      double r[2];
      dm_curve_eval(&c, k / 1000., r, NULL, NULL);
      e[i] = fmax(e[i], fabs(hypot(r[0], r[1]) - 1));
    }
  }
  assert_close(dm_order_fit_errors(4, h, e, 0).order, 4, 0.2);
}

// |r - e^s| of an open one through samples, ends and all; a natural one has order 2 there
static void samples_of_an_open_curve_are_of_order_four(void **state) {
  (void)state;
  double h[4], e[4], on[65];
  for (int i = 0; i < 4; i++) {
    const int n = 8 << i;
    dm_curve c;
    for (int k = 0; k <= n; k++) on[k] = exp((double)k / n);
    assert_int_equal(dm_curve_through_samples(&c, n + 1, 1, on, room, &msg), DM_OK);
    h[i] = 1. / n;
    e[i] = 0;
    for (int k = 0; k <= 1000; k++) {
      double r;
      dm_curve_eval(&c, k / 1000., &r, NULL, NULL);
      e[i] = fmax(e[i], fabs(r - exp(k / 1000.)));
    }
  }
  assert_close(dm_order_fit_errors(4, h, e, 0).order, 4, 0.2);

  // and a cubic is one
  for (int k = 0; k < 6; k++) on[k] = k * k * k / 125.;
  dm_curve c;
  double r;
  assert_int_equal(dm_curve_through_samples(&c, 6, 1, on, room, &msg), DM_OK);
  dm_curve_eval(&c, 0.05, &r, NULL, NULL);
  assert_close(r, 0.05 * 0.05 * 0.05, 1e-14);
  assert_int_equal(dm_curve_through_samples(&c, 3, 1, on, room, &msg), DM_BAD_INPUT);
}

typedef struct slope_of {
  const dm_curve *c;
  int order;
} slope_of;

static dm_status eval_jet(void *self, const double *s, double *y) {
  const slope_of *w = self;
  dm_curve_eval(w->c, *s, w->order ? NULL : y, w->order ? y : NULL, NULL);
  return DM_OK;
}

static void derivatives_are_those_of_the_curve(void **state) {
  (void)state;
  for (int closed = 0; closed < 2; closed++) {
    const dm_curve c = make_curve(5, 2, points, NULL, closed);
    for (int i = 0; i < 14; i++) {
      // beyond the ends, too
      const double s = -0.13 + 0.097 * i, one = 1;
      double jet[2][2], scratch[7];
      dm_curve_eval(&c, s, NULL, jet[0], jet[1]);
      for (int order = 0; order < 2; order++) {
        slope_of w = {&c, order};
        const dm_difference claim = {.n = 1,
                                     .m = 2,
                                     .x = &s,
                                     .d = &one,
                                     .Jd = jet[order],
                                     .f = eval_jet,
                                     .self = &w,
                                     .noise = DBL_EPSILON};
        const dm_verdict v = dm_difference_judge(&claim, scratch);
        if (!v.holds) fail_msg("r%d at %g: error %g, order %g", order, s, v.error, v.order);
      }
    }
  }
}

static void what_is_no_curve_is_refused(void **state) {
  (void)state;
  const double same[] = {0, 0, 1, 0, 1, 0, 2, 0}, back[] = {0, 0, 1, 0, 1, 1, 0, 0};
  const double turned[] = {0, 2, 1, 3}, far[] = {0, 0, 1e300, 0, -1e300, 1e308, 3, NAN};
  const struct {
    int n;
    const double *points, *s;
    bool closed;
    const char *why;
  } wrong[] = {{1, points, NULL, false, "found 1 point, expected at least 2"},
               {2, points, NULL, true, "found 2 points, expected at least 3"},
               {4, same, NULL, false, "points 2 and 3 are the same"},
               {4, back, NULL, true, "the last point is the first again"},
               {4, points, turned, false, "found s 1 after 2"},
               {4, far, NULL, false, "point 4 is not finite"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    dm_curve c;
    assert_int_equal(dm_curve_through(&c, wrong[i].n, 2, wrong[i].points, wrong[i].s,
                                      wrong[i].closed, room, &msg),
                     DM_BAD_INPUT);
    if (!strstr(msg.text, wrong[i].why)) fail_msg("%s", msg.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_curve_goes_through_its_points_smoothly),
      cmocka_unit_test(chords_are_in_proportion),
      cmocka_unit_test(a_closed_curve_is_of_order_four),
      cmocka_unit_test(samples_of_an_open_curve_are_of_order_four),
      cmocka_unit_test(derivatives_are_those_of_the_curve),
      cmocka_unit_test(what_is_no_curve_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

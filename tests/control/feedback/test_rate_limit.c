// Rate limits: the change of an input per step, its reference, and the behavior of integrals.
#include "control/feedback/rate_limit.h"

#include "control/feedback/output_feedback.h"
#include "tests/support/balanced.h"

enum { STEPS = 40 };

static fb_output_feedback *limited(balanced *z, fb_form form, const double *rate) {
  fb_output_feedback *w = NULL;
  dm_message msg;
  z->f->rate_limit = rate;
  assert_int_equal(fb_output_feedback_new(&w, z->f, &z->s, form, false, &msg), DM_OK);
  return w;
}

// the state of knot k with the pole displaced, alternating
static void stand_off(const balanced *z, int k, double off, double *x) {
  memcpy(x, z->f->x + k * 4, 4 * sizeof *x);
  x[1] += k % 5 < 3 ? off : -off;
}

// each input is the controller's request, or as close to it as the rate allows from the applied
// input
static void inputs_change_no_faster(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double rate[] = {50};
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    fb_output_feedback *free = limited(&z, form, NULL), *w = limited(&z, form, rate);
    double x[4], u[1] = {0}, wanted[1] = {0}, before = 0;
    int cut = 0;
    for (int k = 0; k < STEPS; k++) {
      stand_off(&z, k, 0.1 * exp(-k / 8.), x);
      memcpy(wanted, u, sizeof u);
      assert_int_equal(free->controller.input(free, k, x, wanted), DM_OK);
      assert_int_equal(w->controller.input(w, k, x, u), DM_OK);
      assert_true(u[0] == fmin(fmax(wanted[0], before - 50 * z.f->h), before + 50 * z.f->h));
      assert_true(fabs(u[0] - before) <= 1 + 1e-12);
      cut += u[0] != wanted[0];
      if (k % 7 == 0) u[0] /= 2; // saturated: the controller continues from there
      before = u[0];
    }
    assert_in_range(cut, 5, STEPS - 5);
    fb_output_feedback_free(free);
    fb_output_feedback_free(w);
  }
  balanced_close(&z);
}

// the rate of the fallback's input is limited as well
static void the_fallback_is_limited_too(void **state) {
  (void)state;
  balanced z = balanced_open();
  const double rate[] = {50}, bound[] = {INFINITY, 0.3}, D[] = {0};
  const int along[] = {0};
  fb_envelope e = {bound, D, along, 0};
  z.f->envelope = &e;
  fb_output_feedback *w = limited(&z, FB_STATE, rate);
  double x[4], u[1] = {0};
  for (int k = 0; k < 8; k++) {
    memcpy(x, z.f->x + k * 4, sizeof x);
    x[1] += k < 4 ? 0.2 : 0.4;
    assert_int_equal(w->controller.input(w, k, x, u), DM_OK);
    assert_close(fabs(u[0]), k < 4 ? k + 1 : 7 - k, 1e-12);
  }
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// integrals are held while an input is limited by its rate; then they continue
static void integrals_see_what_was_given(void **state) {
  (void)state;
  static const double Q[] = {10, 100, 1, 1}, R[] = {1}, Qi[] = {20, 0}, rate[] = {5};
  balanced z = balanced_open();
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, STEPS, 2, 1), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= STEPS; k++) x->q[2 * k + 1] = 3.141592653589793;
  const fb_weights weights = {.Q = Q, .R = R, .integral = Qi, .rest = STEPS};
  assert_int_equal(fb_tvlqr_new(&f, x, &z.s, &weights, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  f->rate_limit = rate;
  fb_output_feedback *w;
  assert_int_equal(fb_output_feedback_new(&w, f, &z.s, FB_STATE, false, NULL), DM_OK);

  // a slider displaced by 0.1 m: u takes several steps to reach the controller's request
  double y[] = {0.1, 3.141592653589793, 0, 0}, u[1] = {0}, held = 0, before = 0;
  int steps = 0;
  for (int k = 0; k < STEPS; k++) {
    assert_int_equal(w->controller.input(w, k, y, u), DM_OK);
    const bool cut = fabs(fabs(u[0] - before) - 5 * 0.02) < 1e-12;
    before = u[0];
    assert_close(w->z[0], held, 1e-15);
    held += cut ? 0 : 0.1 * 0.02;
    steps += cut;
  }
  assert_in_range(steps, 2, STEPS / 2);
  fb_output_feedback_free(w);
  fb_tvlqr_free(f);
  balanced_close(&z);
}

static void the_fastest_knot_of_a_plan_too_fast_is_found(void **state) {
  (void)state;
  const double u[] = {0, 0, 0.1, 5, 0.2, 5, 0.2, 3}, limit[] = {1, INFINITY}, both[] = {1, 19};
  int i = -1;
  assert_int_equal(fb_rate_limit_broken(4, 2, 0.1, u, limit, &i), -1);
  assert_int_equal(fb_rate_limit_broken(4, 2, 0.1, u, both, &i), 0);
  assert_int_equal(i, 1);
  assert_int_equal(fb_rate_limit_broken(4, 2, 0.05, u, limit, &i), 0);
  assert_int_equal(i, 0);

  // each change is faster than the previous one: a limit satisfied by the last change is satisfied
  // by all
  const double faster[] = {0, 1, 3, 6};
  const double one[] = {5}, enough[] = {30};
  assert_int_equal(fb_rate_limit_broken(4, 1, 0.1, faster, one, &i), 2);
  assert_int_equal(fb_rate_limit_broken(4, 1, 0.1, faster, enough, &i), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_change_no_faster),
      cmocka_unit_test(the_fallback_is_limited_too),
      cmocka_unit_test(integrals_see_what_was_given),
      cmocka_unit_test(the_fastest_knot_of_a_plan_too_fast_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

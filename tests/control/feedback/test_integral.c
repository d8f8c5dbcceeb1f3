// Integral action: the steady error without it, and its absence with it.
#include "control/feedback/output_feedback.h"
#include "control/feedback/resample.h"
#include "control/loop/closed_loop.h"
#include "tests/support/balanced.h"

enum { N = 2000 };
static const double Q[] = {10, 100, 1, 1}, R[] = {1}, Qi[] = {20, 0};

// the cart-pole at rest upright for 40 s, with or without an integral of the slider's error
static fb_tvlqr *hold_upright(const balanced *z, const double *integral, const double *Qf) {
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, N, 2, 1), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= N; k++) x->q[2 * k + 1] = 3.141592653589793;
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Qf, .integral = integral, .rest = Qf ? 0 : N};
  assert_int_equal(fb_tvlqr_new(&f, x, &z->s, &weights, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  return f;
}

// the discrete map with an unknown force
typedef struct pushed {
  fb_plant plant;
  double force;
} pushed;

static dm_status step_pushed(void *self, double *x, const double *u, double h) {
  pushed *w = self;
  const double sum = u[0] + w->force;
  return w->plant.step(w->plant.self, x, &sum, h);
}

// final error of the slider in that closed loop, for a form of measurements
static double final_error(const balanced *z, const fb_tvlqr *f, fb_form form, double force,
                          double limit) {
  fb_output_feedback *law;
  pushed p = {.force = force};
  const double x0[] = {0, 3.141592653589793, 0, 0}, least = -limit;
  double *x = calloc(((size_t)f->N + 1) * 4, sizeof *x);
  fb_closed_loop_result r;
  assert_non_null(x);
  assert_int_equal(fb_output_feedback_new(&law, f, &z->s, form, false, NULL), DM_OK);
  assert_int_equal(fb_plant_discrete(&p.plant, &z->s), DM_OK);
  const fb_plant plant = {.n = 2, .nu = 1, .self = &p, .step = step_pushed};
  assert_int_equal(fb_closed_loop_run(&law->f, &plant, x0, &least, &limit, NULL, x, NULL, &r),
                   DM_OK);
  double e = x[4 * f->N];
  fb_plant_free(&p.plant);
  fb_output_feedback_free(law);
  free(x);
  return e;
}

static void a_constant_force_leaves_no_error(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *with = hold_upright(&z, Qi, NULL), *without = hold_upright(&z, NULL, NULL);
  assert_true(with->ni == 1 && with->integral[0] == 0 && without->ni == 0 && !without->Ki);
  for (int form = 0; form < FB_FORMS; form++) {
    // at rest u_d - K dx + force = 0, with dx of the slider only; for positions p = D2 contains
    // half a step of u
    double p = form == FB_POSITIONS ? -0.7 * 0.02 / 2 : 0;
    double stands = (0.7 - without->K[2] * p) / without->K[0];
    assert_close(final_error(&z, without, (fb_form)form, 0.7, 1e9), stands, 1e-8);
    assert_close(final_error(&z, with, (fb_form)form, 0.7, 1e9), 0, 1e-8);
  }
  fb_tvlqr_free(with), fb_tvlqr_free(without);
  balanced_close(&z);
}

// from any Qf the recursion converges to the gains of the equilibrium, K and Ki
static void gains_far_from_the_end_are_those_of_rest(void **state) {
  (void)state;
  static const double Qf[] = {1, 1, 1, 1};
  balanced z = balanced_open();
  fb_tvlqr *rest = hold_upright(&z, Qi, NULL), *along = hold_upright(&z, Qi, Qf);
  for (int i = 0; i < 4; i++) assert_close(along->K[i], rest->K[i], 1e-8 * fabs(rest->K[i]));
  assert_close(along->Ki[0], rest->Ki[0], 1e-8 * fabs(rest->Ki[0]));
  assert_true(fabs(rest->Ki[0]) > 1);
  fb_tvlqr_free(rest), fb_tvlqr_free(along);
  balanced_close(&z);
}

// a saturated input holds the integral: it does not wind up, and the error still vanishes
static void a_limit_holds_the_integral(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *f = hold_upright(&z, Qi, NULL);
  fb_output_feedback *law;
  assert_int_equal(fb_output_feedback_new(&law, f, &z.s, FB_STATE, false, NULL), DM_OK);
  const double x[] = {0.3, 3.141592653589793, 0, 0};
  double u = 0;
  assert_int_equal(law->controller.input(law, 0, x, &u), DM_OK);
  assert_true(law->z[0] == 0);
  assert_int_equal(law->controller.input(law, 1, x, &u), DM_OK);
  assert_close(law->z[0], 0.02 * 0.3, 1e-15);
  u /= 2; // the part that a limit left
  assert_int_equal(law->controller.input(law, 2, x, &u), DM_OK);
  assert_close(law->z[0], 0.02 * 0.3, 1e-15);
  assert_int_equal(law->controller.input(law, 0, x, &u), DM_OK);
  assert_true(law->z[0] == 0);
  fb_output_feedback_free(law);
  assert_close(final_error(&z, f, FB_STATE, 0.7, 1.2), 0, 1e-6);
  fb_tvlqr_free(f);
  balanced_close(&z);
}

// at another sampling rate the integral is still over time
static void a_rate_of_its_own_integrates_time(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *f = hold_upright(&z, Qi, NULL), *fast;
  assert_int_equal(fb_resample_new(&fast, f, &z.s, 100, false, 0, NULL), DM_OK);
  assert_true(fast->ni == 1 && fast->Ki[0] == f->Ki[0]);
  assert_close(final_error(&z, fast, FB_VELOCITY, 0.7, 1e9), 0, 1e-8);
  dm_message msg;
  fb_tvlqr *late;
  assert_int_equal(fb_resample_new(&late, f, &z.s, 100, false, 1, &msg), DM_BAD_INPUT);
  fb_tvlqr_free(fast), fb_tvlqr_free(f);
  balanced_close(&z);
}

// one force cannot keep both slider and pole displaced
static void what_inputs_cannot_steer_is_not_integrated(void **state) {
  (void)state;
  static const double both[] = {1, 1};
  balanced z = balanced_open();
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  dm_message msg;
  assert_int_equal(dm_trajectory_new(&x, 10, 2, 1), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= 10; k++) x->q[2 * k + 1] = 3.141592653589793;
  fb_weights weights = {.Q = Q, .R = R, .integral = both, .rest = 10};
  assert_true(fb_tvlqr_new(&f, x, &z.s, &weights, &failed, &msg) < 0 || f == NULL);
  assert_null(f);
  assert_non_null(strstr(msg.text, "the integral of coordinate 1"));
  static const char *const names[] = {"slider", "pole"};
  weights.name = names;
  assert_true(fb_tvlqr_new(&f, x, &z.s, &weights, &failed, &msg) < 0 || f == NULL);
  assert_non_null(strstr(msg.text, "the integral of 'pole'"));
  weights.integral = Qi;
  weights.delay = 1;
  assert_int_equal(fb_tvlqr_new(&f, x, &z.s, &weights, &failed, &msg), DM_BAD_INPUT);
  dm_trajectory_free(x);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_force_leaves_no_error),
      cmocka_unit_test(gains_far_from_the_end_are_those_of_rest),
      cmocka_unit_test(a_limit_holds_the_integral),
      cmocka_unit_test(a_rate_of_its_own_integrates_time),
      cmocka_unit_test(what_inputs_cannot_steer_is_not_integrated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

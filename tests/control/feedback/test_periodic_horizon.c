// A receding horizon over a plan that repeats: calls of any period give the inputs of one long plan.
#include "control/feedback/mechanics.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/receding.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"
#include "tests/support/models.h"

enum { PERIOD = 80, PERIODS = 3, STAGES = 10 };
static const double H = 0.02, TRAVEL[] = {6.283185307179586, 0}, Q[] = {5, 3, 0.2, 0.1},
                    R[] = {0.2, 0.3};
static const double PI = 3.14159265358979323846;

typedef struct scene {
  dm_model *m;
  dm_system s;
  dm_trajectory *x;
  fb_tvlqr *f;
  fb_mechanics *mechanics;
  fb_output_feedback *law;
} scene;

// states and inputs that repeat, except for the travel; they need not be a motion
static scene open_scene(int steps, int period) {
  scene z = {.m = models_chain(2, 1, 0)};
  dm_message msg = {""};
  int failed;
  z.s = dm_system_of(z.m);
  assert_int_equal(dm_trajectory_new(&z.x, steps, 2, 2), DM_OK);
  z.x->h = H;
  for (int k = 0; k <= steps; k++) {
    const double a = 2 * PI * k / PERIOD;
    for (int i = 0; i < 2; i++) {
      z.x->q[2 * k + i] = TRAVEL[i] * k / PERIOD + 0.3 * sin(a + i);
      z.x->p[2 * k + i] = 2 * cos(a - i);
      if (k < steps) z.x->u[2 * k + i] = 3 * sin(a + 2 * i);
    }
  }
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q};
  if (fb_tvlqr_new(&z.f, z.x, &z.s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  const dm_robot robot = {.tree = z.m, .model = z.m};
  assert_int_equal(fb_mechanics_new(&z.mechanics, &robot, &z.s, H, FB_OF_STEPS, &msg), DM_OK);
  z.f->tree = fb_mechanics_tables(z.mechanics);
  if (fb_output_feedback_new(&z.law, z.f, &z.s, FB_STATE, true, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  static const double P[] = {1500, 0, 0, 0, 0, 900, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.1};
  const fb_receding o = {
      .stages = STAGES, .sweeps = 10, .P_end = P, .period = period, .travel = TRAVEL};
  if (fb_receding_start(z.law, &o, &msg) != DM_OK) fail_msg("%s", msg.text);
  return z;
}

static void close_scene(scene *z) {
  fb_output_feedback_free(z->law);
  fb_mechanics_free(z->mechanics);
  fb_tvlqr_free(z->f);
  dm_trajectory_free(z->x);
  dm_model_free(z->m);
}

// at every knot, with knots missed, from a start in a later period, and with measurements of an age
static void periods_are_those_of_one_long_plan(void **state) {
  (void)state;
  scene all = open_scene(PERIODS * PERIOD + STAGES, 0);
  scene one = open_scene(PERIOD + STAGES + 1, PERIOD);
  const struct {
    int from, step;
    double age;
  } ways[] = {{0, 1, 0}, {2 * PERIOD + 3, 1, 0}, {0, 4, 0}, {0, 1, 0.2 * H}};
  dm_del_info info;
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &all.s, NULL), DM_OK);
  for (int way = 0; way < COUNT(ways); way++) {
    double x[4];
    all.law->horizon->begin(all.law->horizon);
    one.law->horizon->begin(one.law->horizon);
    for (int i = 0; i < 4; i++) x[i] = all.f->x[4 * ways[way].from + i] + 0.1;
    for (int k = ways[way].from; k < PERIODS * PERIOD; k += ways[way].step) {
      double u[2][2];
      const double age = ways[way].age;
      const fb_horizon_end end =
          all.law->horizon->input_at(all.law->horizon, k, age, x, u[0], NULL);
      assert_int_equal(one.law->horizon->input_at(one.law->horizon, k, age, x, u[1], NULL), end);
      assert_int_equal(end, FB_SOLVED);
      for (int i = 0; i < 2; i++) assert_close(u[0][i], u[1][i], 1e-8 * (1 + fabs(u[0][i])));
      for (int step = 0; step < ways[way].step; step++) {
        double x1[4] = {x[0], x[1]};
        assert_int_equal(dm_del_step(del, x, x + 2, u[0], H, x1, x1 + 2, &info), DM_OK);
        memcpy(x, x1, sizeof x);
      }
    }
  }
  dm_del_free(del);
  close_scene(&one);
  close_scene(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(periods_are_those_of_one_long_plan)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

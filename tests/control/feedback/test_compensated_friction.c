// Compensated dry friction: a slider that sticks, its gains, its law, and the closed loop.
#include "control/feedback/output_feedback.h"
#include "control/loop/closed_loop.h"
#include "control/loop/stopped_plant.h"
#include "lib/multibody/robot_contact_laws.h"
#include "tests/support/models.h"

enum { N = 60, PARTS = 16 };
static const double MASS = 2, F = 3, H = 0.05;
static const double Q[] = {40, 1}, R[] = {0.1};

// a mass on a slider with dry friction, and a plan of rest
typedef struct rough {
  dm_robot robot;
  dm_robot_contact_laws *laws;
  dm_system s;
  dm_trajectory *x;
} rough;

static rough rough_open(void) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, MASS, {0}, {0}}};
  dm_input in[] = {models_input("x", 0)};
  rough w = {.laws = NULL};
  w.robot.tree = w.robot.model = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = in});
  const dm_joint_force dry = {.name = "x", .planned = true, .friction = {.force = F}};
  dm_message msg;
  assert_int_equal(dm_joint_forces_new(&w.robot.joint[DM_JOINT_FRICTION], DM_JOINT_FRICTION,
                                       w.robot.tree, 1, &dry, &msg),
                   DM_OK);
  assert_int_equal(dm_robot_contact_laws_new(&w.laws, &w.robot, &msg), DM_OK);
  w.s = dm_robot_system(&w.robot);
  w.s.contacts = dm_robot_contact_laws_get(w.laws);
  w.s.rule.left = 1;
  assert_int_equal(dm_trajectory_of(&w.x, N, &w.s), DM_OK);
  w.x->h = H;
  return w;
}

static void rough_close(rough *w) {
  dm_trajectory_free(w->x);
  dm_robot_contact_laws_free(w->laws);
  dm_robot_free(&w->robot);
}

static fb_tvlqr *make_gains(const rough *w, const dm_system *s, const fb_friction *friction) {
  fb_tvlqr *f;
  int failed;
  const fb_weights weights = {.Q = Q, .R = R, .friction = friction, .rest = N};
  assert_int_equal(fb_tvlqr_new(&f, w->x, s, &weights, &failed, NULL), DM_OK);
  return f;
}

static const double force[] = {3}, gear[] = {1};
static const int along[] = {0};
static const bool planned[] = {true};
static const fb_friction all = {.force = force, .gear = gear, .along = along, .planned = planned};

// it sticks below F, slides with the rest of the force above, and is stopped after v^2 / 2 a
static void a_slider_sticks_and_slides(void **state) {
  (void)state;
  rough w = rough_open();
  fb_plant p;
  assert_int_equal(fb_plant_sticking(&p, &w.s, PARTS), DM_OK);
  double x[] = {0, 0}, u = 2.999;
  for (int k = 0; k < 20; k++) assert_int_equal(p.step(p.self, x, &u, H), DM_OK);
  assert_close(x[0], 0, 1e-12);

  // m v = (5 - 3) t
  u = 5;
  for (int k = 0; k < 20; k++) assert_int_equal(p.step(p.self, x, &u, H), DM_OK);
  const double part = H / PARTS, v = (u - F) / MASS, before = x[0];
  assert_close(x[1], MASS * v, 2 * F * part);
  assert_close(x[0], 0.5 * v, v * part);
  u = 0;
  for (int k = 0; k < 40; k++) assert_int_equal(p.step(p.self, x, &u, H), DM_OK);
  assert_close(x[0] - before, v * v / (2 * F / MASS), 2 * v * part);
  assert_close(x[1], 0, 1e-12);
  fb_plant_free(&p);
  rough_close(&w);
}

// a joint that sticks has no gains; a compensated one has those of a joint without friction
static void gains_slide_if_friction_is_compensated(void **state) {
  (void)state;
  rough w = rough_open();
  dm_system smooth = w.s;
  smooth.contacts = NULL;
  fb_tvlqr *sticks = make_gains(&w, &w.s, NULL), *slides = make_gains(&w, &w.s, &all);
  fb_tvlqr *without = make_gains(&w, &smooth, NULL);
  for (int i = 0; i < 2; i++) {
    assert_close(sticks->K[i], 0, 1e-12);
    assert_close(slides->K[i], without->K[i], 1e-3 * fabs(without->K[i]));
  }
  fb_tvlqr_free(sticks);
  fb_tvlqr_free(slides);
  fb_tvlqr_free(without);
  rough_close(&w);
}

// u = F sat(20 s / F) + feedback, s = m v / h + feedback
static void friction_acts_in_the_direction_of_the_next_step(void **state) {
  (void)state;
  rough w = rough_open();
  fb_tvlqr *f = make_gains(&w, &w.s, &all);
  fb_output_feedback *law;
  assert_int_equal(fb_output_feedback_new(&law, f, &w.s, FB_VELOCITY, false, NULL), DM_OK);
  const double *G = law->G;
  const double cases[][2] = {{0, 0}, {0.05, 0}, {-0.05, 0}, {1e-4, 0}, {0, 0.3}, {0.4, 0.3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double q = cases[i][0], v = cases[i][1], feedback = -G[0] * q - G[1] * v;
    const double s = MASS * v / H + feedback, x[] = {q, MASS * v};
    double u;
    assert_int_equal(fb_output_feedback_measure(law, 0, x, x, &u), DM_OK);
    fb_output_feedback_decide(law, 0, NULL, &u);
    assert_close(u, feedback + fmax(-F, fmin(20 * s, F)), 1e-12);
  }
  fb_output_feedback_free(law);
  fb_tvlqr_free(f);
  rough_close(&w);
}

// final error of the closed loop from 0.02 m
static double find_final_error(const rough *w, const fb_friction *friction) {
  fb_tvlqr *f = make_gains(w, &w->s, friction);
  fb_output_feedback *law;
  fb_plant p;
  fb_closed_loop_result r;
  double x[(N + 1) * 2];
  const double x0[] = {0.02, 0};
  assert_int_equal(fb_output_feedback_new(&law, f, &w->s, FB_VELOCITY, false, NULL), DM_OK);
  assert_int_equal(fb_plant_sticking(&p, &w->s, PARTS), DM_OK);
  assert_int_equal(fb_closed_loop_run(&law->f, &p, x0, NULL, NULL, NULL, x, NULL, &r), DM_OK);
  fb_plant_free(&p);
  fb_output_feedback_free(law);
  fb_tvlqr_free(f);
  return fabs(x[2 * N]);
}

static void a_stuck_slider_comes_to_its_goal(void **state) {
  (void)state;
  rough w = rough_open();
  assert_close(find_final_error(&w, NULL), 0.02, 1e-12);
  const double left = find_final_error(&w, &all);
  if (!(left < 0.003)) fail_msg("%g m are left", left);
  rough_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slider_sticks_and_slides),
      cmocka_unit_test(gains_slide_if_friction_is_compensated),
      cmocka_unit_test(friction_acts_in_the_direction_of_the_next_step),
      cmocka_unit_test(a_stuck_slider_comes_to_its_goal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

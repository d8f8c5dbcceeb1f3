// Output-feedback controllers: with the model's mechanics the closed loop is the same, with a table
// alone it is the same to first order.
#include "control/feedback/output_feedback.h"
#include "control/feedback/plan.h"
#include "control/loop/closed_loop.h"
#include "control/loop/plant.h"
#include "tests/support/balanced.h"

#include "tests/support/hoist.h"
#include "tests/support/skips.h"

enum { STEPS = 80 };
static const double H = 0.02;

// a motion, and gains along it
typedef struct scene {
  dm_model *m;
  dm_system s;
  fb_tvlqr *f;
  fb_plant plant;
  double start[8]; // (q,p) deviating from the motion
  double low, high;
} scene;

static fb_tvlqr *schedule_of(const dm_trajectory *x, const dm_system *s, int delay) {
  static const double Q[] = {20, 10, 5, 5, 2, 1, 1, 1}, R[] = {0.2, 0.3};
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q, .delay = delay};
  if (fb_tvlqr_new(&f, x, s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  return f;
}

// a pole on a trolley with prescribed motion
static dm_model *trolley(void) {
  dm_coordinate c[] = {models_coord("trolley", true, 1, 0, 0),
                       models_coord("pole", false, 0, 1, 0)};
  dm_body b[] = {{"trolley", -1, dm_identity, 0, 1, 0, {0}, {0}},
                 {"pole", 0, dm_identity, 1, 1, 0.3, {0, 0, -0.5}, {0}}};
  c[0].kinematic = true;
  return models_make(
      &(dm_tree){.nbody = 2, .ncoord = 2, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
}

// a damped cart-pole swings under a force, for each force rule; or one with a prescribed cart
static scene swinging_of(dm_model *m, int delay, const char *rule) {
  static double damping[] = {0.3, 0.1};
  scene z = {.m = m, .low = -1.9, .high = 1.8};
  z.s = dm_system_of(z.m);
  z.s.damping = damping;
  assert_int_equal(dm_rule_set(&z.s.rule, "midpoint", 0.5, rule, NULL), DM_OK);
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  int failed;
  assert_int_equal(dm_trajectory_of(&x, STEPS, &z.s), DM_OK);
  x->h = H, x->q[1] = 0.8;
  for (int k = 0; k < STEPS; k++) x->u[k] = 2 * sin(0.1 * k);
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  z.f = schedule_of(x, &z.s, delay);
  assert_int_equal(fb_plant_discrete(&z.plant, &z.s), DM_OK);
  memcpy(z.start, z.f->x, 4 * sizeof *z.start);
  dm_del_free(del);
  dm_trajectory_free(x);
  return z;
}

static scene swinging(int delay, const char *rule) {
  return swinging_of(models_cart_pole(), delay, rule);
}

static void strike(scene *z) {
  fb_plant_free(&z->plant);
  fb_tvlqr_free(z->f);
  dm_model_free(z->m);
}

static fb_output_feedback *law_of(const fb_tvlqr *f, const dm_system *s, fb_form form, bool exact) {
  fb_output_feedback *w;
  dm_message msg = {""};
  if (fb_output_feedback_new(&w, f, s, form, exact, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}

// states [(N+1) x nx] of a closed loop from z->start; returns the number of saturated inputs
static int run(const scene *z, fb_form form, bool exact, double *x) {
  fb_output_feedback *w = law_of(z->f, &z->s, form, exact);
  fb_closed_loop_result r;
  double low[] = {z->low, z->low}, high[] = {z->high, z->high};
  assert_int_equal(fb_closed_loop_run(&w->f, &z->plant, z->start, low, high, NULL, x, NULL, &r),
                   DM_OK);
  fb_output_feedback_free(w);
  return r.saturated;
}

static double difference(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// the same loop for all measurements, with inputs saturated during the motion, delayed or not
static void exact_laws_give_the_same_loop(void **state) {
  (void)state;
  static double x[3][4 * (STEPS + 1)];
  for (int variant = 0; variant < 4; variant++) {
    scene z = swinging(variant % 2, variant / 2 ? "left" : "midpoint");
    z.start[0] += 0.1, z.start[1] += 0.3;
    int cut = run(&z, FB_STATE, true, x[0]);
    assert_true(cut > 0 && cut < STEPS);
    for (fb_form form = FB_VELOCITY; form <= FB_POSITIONS; form++) {
      assert_int_equal(run(&z, form, true, x[form]), cut);
      assert_true(difference(x[form], x[0], 4 * (STEPS + 1)) < 1e-10);
    }
    strike(&z);
  }
}

// the state form is bitwise equal to the gain schedule's own controller
static void the_state_form_is_the_schedules_law(void **state) {
  (void)state;
  static double x[2][4 * (STEPS + 1)];
  scene z = swinging(0, "midpoint");
  z.start[1] += 0.2, z.start[3] -= 0.1;
  run(&z, FB_STATE, false, x[0]);
  fb_closed_loop_result r;
  assert_int_equal(
      fb_closed_loop_run(z.f, &z.plant, z.start, &z.low, &z.high, NULL, x[1], NULL, &r), DM_OK);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  strike(&z);
}

// a prescribed coordinate has its velocity in place of a momentum, for all measurements
static void prescribed_coordinates_are_measured_too(void **state) {
  (void)state;
  static double x[3][4 * (STEPS + 1)];
  for (int late = 0; late < 2; late++) {
    scene z = swinging_of(trolley(), late, "midpoint");
    z.start[1] += 0.2;
    run(&z, FB_STATE, true, x[0]);
    for (fb_form form = FB_VELOCITY; form <= FB_POSITIONS; form++) {
      run(&z, form, true, x[form]);
      assert_true(difference(x[form], x[0], 4 * (STEPS + 1)) < 1e-10);
    }
    strike(&z);
  }
}

// a table alone: the difference is quadratic in the error
static void linear_laws_agree_to_first_order(void **state) {
  (void)state;
  static double x[2][4 * (STEPS + 1)];
  for (int variant = 0; variant < 4; variant++)
    for (fb_form form = FB_VELOCITY; form <= FB_POSITIONS; form++) {
      scene z = swinging(variant % 2, variant / 2 ? "left" : "midpoint");
      z.low = -INFINITY, z.high = INFINITY;
      double error[2], scale = 2e-3;
      for (int half = 0; half < 2; half++, scale /= 2) {
        z.start[0] = z.f->x[0] + scale, z.start[1] = z.f->x[1] - 2 * scale;
        run(&z, FB_STATE, true, x[0]);
        run(&z, form, false, x[1]);
        error[half] = difference(x[1], x[0], 4 * (STEPS + 1));
      }
      assert_true(error[1] > 1e-10);
      assert_true(fabs(error[0] / error[1] - 4) < 0.1);
      strike(&z);
    }
}

// The state of a cart with very stiff damping lags; its position is measured without lag: the
// velocity controller then equals the state controller to first order.
static void a_lagging_state_is_measured_where_it_is(void **state) {
  (void)state;
  static double x[2][4 * (STEPS + 1)];
  static const double damping[] = {400, 0.1};
  scene z = swinging(0, "midpoint");
  dm_system plain = z.s;
  dm_stiff_damping *fitted;
  fb_tvlqr *before = z.f;
  plain.damping = damping;
  assert_int_equal(dm_stiff_damping_new(&fitted, &plain, H), DM_OK);
  z.s = dm_stiff_damping_system(fitted, &plain);
  assert_true(z.s.lag && z.s.lag[0] > 0.2 * H && z.s.lag[1] == 0);
  dm_trajectory *motion;
  dm_del *del;
  dm_del_info info;
  int failed;
  assert_int_equal(dm_trajectory_of(&motion, STEPS, &z.s), DM_OK);
  motion->h = H, motion->q[1] = 0.8;
  for (int k = 0; k < STEPS; k++) motion->u[k] = 200 * sin(0.1 * k);
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(motion, del, &info, &failed), DM_OK);
  z.f = schedule_of(motion, &z.s, 0);
  z.low = -INFINITY, z.high = INFINITY;
  fb_plant_free(&z.plant);
  assert_int_equal(fb_plant_discrete(&z.plant, &z.s), DM_OK);

  // the measured position is ahead of the state by the lag times the speed
  fb_output_feedback *w = law_of(z.f, &z.s, FB_VELOCITY, false);
  const double *at = z.f->x + 4 * 7;
  assert_int_equal(fb_output_feedback_measure(w, 7, at, at, NULL), DM_OK);
  assert_true(fabs(w->y[2]) > 0.1);
  assert_close(w->y[0] - at[0], z.s.lag[0] * w->y[2], 1e-15);
  for (int i = 0; i < 4; i++) assert_close(w->y[i], w->y_d[4 * 7 + i], 1e-12);
  fb_output_feedback_free(w);

  double error[2], scale = 2e-3;
  for (int half = 0; half < 2; half++, scale /= 2) {
    memcpy(z.start, z.f->x, 4 * sizeof *z.start);
    z.start[0] += scale, z.start[1] -= 2 * scale;
    run(&z, FB_STATE, true, x[0]);
    run(&z, FB_VELOCITY, false, x[1]);
    error[half] = difference(x[1], x[0], 4 * (STEPS + 1));
  }
  assert_true(error[1] < 1e-5);
  assert_close(error[0] / error[1], 4, 0.2);
  dm_del_free(del), dm_trajectory_free(motion);
  fb_tvlqr_free(before);
  strike(&z);
  dm_stiff_damping_free(fitted);
}

// and its rows are correct: derivatives of the exact controller with respect to the measurements
typedef struct probe {
  fb_output_feedback *exact;
  const fb_output_feedback *linear;
  int k;
  const scene *z;
} probe;

static void of_measured(void *self, const double *y, double *u) {
  const probe *a = self;
  double x[4] = {y[0], y[1]};
  memcpy(a->exact->v, y + 2, 2 * sizeof *y);
  if (a->linear->form == FB_VELOCITY)
    assert_int_equal(dm_momentum_of(a->exact->m, x, y + 2, x + 2), DM_OK);
  assert_int_equal(fb_output_feedback_measure(a->exact, a->k, x, y + 2, y + 4), DM_OK);
  fb_output_feedback_decide(a->exact, a->k, NULL, u);
}

static void check_gains(scene z) {
  for (fb_form form = FB_VELOCITY; form <= FB_POSITIONS; form++) {
    fb_output_feedback *exact = law_of(z.f, &z.s, form, true),
                       *linear = law_of(z.f, &z.s, form, false);
    uint64_t seed = 7;
    for (int k = 1; k < STEPS; k += 13) {
      probe a = {exact, linear, k, &z};
      double d[5], u = 0, u_d;
      int ny = linear->ny;
      const double *G = linear->G + k * ny, *y_d = linear->y_d + k * ny;
      for (int j = 0; j < ny; j++) d[j] = models_random(&seed), u -= G[j] * d[j];
      models_check_derivative(of_measured, &a, ny, 1, y_d, d, &u, 1e-2, fb_form_names[form]);
      memcpy(linear->y, y_d, (size_t)ny * sizeof *y_d);
      fb_output_feedback_decide(linear, k, NULL, &u_d);
      assert_true(u_d == z.f->u[k]);
    }
    fb_output_feedback_free(exact), fb_output_feedback_free(linear);
  }
  strike(&z);
}

static void gains_are_the_derivatives_of_the_exact_law(void **state) {
  (void)state;
  check_gains(swinging(0, "midpoint"));
  check_gains(swinging_of(trolley(), 0, "midpoint"));
}

// before the first decision, the plan's first input acts
static void a_late_loop_begins_as_planned(void **state) {
  (void)state;
  static double x[4 * (STEPS + 1)], u[STEPS];
  scene z = swinging(1, "midpoint");
  fb_output_feedback *w = law_of(z.f, &z.s, FB_STATE, true);
  fb_closed_loop_result r;
  z.f->u[0] = 0.7;
  assert_int_equal(fb_closed_loop_run(&w->f, &z.plant, z.start, NULL, NULL, NULL, x, u, &r), DM_OK);
  assert_true(u[0] == 0.7);
  fb_output_feedback_free(w);
  strike(&z);
}

// with constraints and prescribed coordinates as well: D2 is the momentum after a step
static void positions_are_enough_under_constraints(void **state) {
  (void)state;
  hoist h = hoist_open();
  dm_trajectory *motion = hoist_motion(&h, STEPS, H, 0.2);
  scene z = {.s = h.s, .f = schedule_of(motion, &h.s, 0), .low = -INFINITY, .high = INFINITY};
  assert_int_equal(fb_plant_discrete(&z.plant, &z.s), DM_OK);
  static double x[2][8 * (STEPS + 1)];
  memcpy(z.start, z.f->x, sizeof z.start);
  z.start[0] = sin(0.2), z.start[1] = -cos(0.2);
  run(&z, FB_STATE, true, x[0]);
  // the momentum of a point is linear in its positions: the table is exact here
  for (int exact = 0; exact < 2; exact++) {
    run(&z, FB_POSITIONS, exact, x[1]);
    assert_true(difference(x[1], x[0], 8 * (STEPS + 1)) < 1e-10);
  }
  fb_plant_free(&z.plant);
  fb_tvlqr_free(z.f);
  dm_trajectory_free(motion);
  hoist_close(&h);
}

// velocities also suffice, up to the square of the error: the component of momenta along the
// constraints is taken from the plan, and gains ignore its deviation
static void velocities_are_enough_to_first_order(void **state) {
  (void)state;
  static double x[2][8 * (STEPS + 1)];
  hoist h = hoist_open();
  dm_trajectory *motion = hoist_motion(&h, STEPS, H, 0.2);
  for (int late = 0; late < 2; late++)
    for (int exact = 0; exact < 2; exact++) {
      scene z = {.s = h.s, .f = schedule_of(motion, &h.s, late), .low = -INFINITY};
      z.high = INFINITY;
      assert_int_equal(fb_plant_discrete(&z.plant, &z.s), DM_OK);
      double error[2], angle = 0.02;
      for (int half = 0; half < 2; half++, angle /= 2) {
        memcpy(z.start, z.f->x, sizeof z.start);
        z.start[0] = sin(angle), z.start[1] = -cos(angle);
        run(&z, FB_STATE, true, x[0]);
        run(&z, FB_VELOCITY, exact, x[1]);
        error[half] = difference(x[1], x[0], 8 * (STEPS + 1));
      }
      assert_true(error[1] > 1e-10);
      if (fabs(error[0] / error[1] - 4) > 0.2) fail_msg("%g %g", error[0], error[1]);
      fb_plant_free(&z.plant);
      fb_tvlqr_free(z.f);
    }
  dm_trajectory_free(motion);
  hoist_close(&h);
}

// a run does not depend on previous runs
static void runs_begin_anew(void **state) {
  (void)state;
  static double x[2][4 * (STEPS + 1)];
  scene z = swinging(1, "midpoint");
  fb_output_feedback *w = law_of(z.f, &z.s, FB_POSITIONS, false);
  fb_closed_loop_result r;
  for (int again = 0; again < 3; again++) {
    z.start[1] = z.f->x[1] + (again == 1 ? 0.4 : 0.1);
    assert_int_equal(
        fb_closed_loop_run(&w->f, &z.plant, z.start, NULL, NULL, NULL, x[again > 1], NULL, &r),
        DM_OK);
    if (again == 1) continue;
    if (again == 0) memcpy(x[1], x[0], sizeof x[0]);
  }
  z.start[1] = z.f->x[1] + 0.1;
  assert_int_equal(fb_closed_loop_run(&w->f, &z.plant, z.start, NULL, NULL, NULL, x[0], NULL, &r),
                   DM_OK);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  fb_output_feedback_free(w);
  strike(&z);
}

// if a robot reaches the plan's knot by a continuous motion, its position one step earlier was y_d
// and its input is the planned one; with the map's own earlier position it is not
static void a_continuous_motion_is_seen_on_its_plan(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_plant plant;
  assert_int_equal(fb_plant_continuous(&plant, &z.s, 1e-12), DM_OK);
  // knot 1 is reached by the motion from (0, 2) with momenta in one step with 3 N
  double before[4] = {0, 2, 1.5, -0.6}, now[4], *u = z.f->u, off[2];
  memcpy(now, before, sizeof now);
  u[0] = 3;
  assert_int_equal(plant.step(plant.self, now, u, z.f->h), DM_OK);
  memcpy(z.f->x, before, sizeof before), memcpy(z.f->x + 4, now, sizeof now);
  for (int continuous = 0; continuous < 2; continuous++) {
    fb_output_feedback *law;
    z.f->continuous = continuous;
    z.f->x[1] += 1e-3; // the map's own earlier position is different
    assert_int_equal(fb_output_feedback_new(&law, z.f, &z.s, FB_POSITIONS, false, NULL), DM_OK);
    assert_int_equal(fb_output_feedback_measure(law, 1, now, before, u), DM_OK);
    double answer;
    fb_output_feedback_decide(law, 1, NULL, &answer);
    off[continuous] = fabs(answer - z.f->u[1]);
    fb_output_feedback_free(law);
    z.f->x[1] -= 1e-3;
  }
  assert_true(off[0] > 1e-3);
  assert_close(off[1], 0, 1e-5 * off[0]);
  fb_plant_free(&plant), balanced_close(&z);
}

// evaluated at t with a measurement of age `age`, by positions: uses the position one step earlier
// and the mean of the forces applied in between, by the times of the calls; before the first call,
// the plan's first input
static void off_its_knots_a_law_has_the_force_between(void **state) {
  (void)state;
  scene z = swinging(0, "midpoint");
  fb_output_feedback *w = law_of(z.f, &z.s, FB_POSITIONS, false);
  const double *first = z.f->u, calls[] = {0.3, 1.7, 2.1, 3.2}, told[] = {5, -3, 8};
  double x[4] = {1, 2, 3, 4}, before[4] = {5, 6, 7, 8}, last[2] = {0};
  for (int k = 0; k < 4; k++) {
    w->controller.date(w, calls[k] * H, 0);
    if (k > 0) w->controller.look_back(w, before);
    assert_int_equal(fb_output_feedback_measure(w, k, x, last, k > 0 ? &told[k - 1] : NULL), DM_OK);
    if (k == 1) assert_close(w->y[4], told[0], 1e-12);
    if (k == 2) assert_close(w->y[4], 0.6 * told[0] + 0.4 * told[1], 1e-12);
    if (k == 3) assert_close(w->y[4], told[2], 1e-12);
    if (k > 0) assert_memory_equal(w->y + 2, before, 2 * sizeof *before);
  }

  // older: the input applied from 0.4 to 1.4, and from before the first call
  for (int again = 0; again < 2; again++) {
    const double age = again ? 2.2 : 1.8;
    w->controller.date(w, calls[3] * H, age * H);
    assert_int_equal(fb_output_feedback_measure(w, 3, x, last, &told[2]), DM_OK);
    assert_close(w->y[4], again ? 0.3 * first[0] + 0.7 * told[0] : told[0], 1e-12);
    assert_memory_equal(w->y + 2, last, sizeof last);
  }
  fb_output_feedback_free(w);
  strike(&z);
}

// at the plan's own positions between knots, one step of the mean force apart, the input is the
// planned one; for an exact controller up to the difference between its step and the cubic
static void off_its_knots_the_plan_is_no_error(void **state) {
  (void)state;
  scene z = swinging(0, "midpoint");
  for (int exact = 0; exact < 2; exact++) {
    fb_output_feedback *w = law_of(z.f, &z.s, FB_POSITIONS, exact);
    const double part = 0.4, t = (30 + part) * H, *told = z.f->u + 29;
    const double mean = told[0] + part * (told[1] - told[0]);
    double x[4], before[4], rate[2], u;
    fb_plan_state(z.f, w->v_d, t, x, rate);
    fb_plan_state(z.f, w->v_d, t - H, before, rate);
    for (int k = 29; k < 31; k++) {
      w->controller.date(w, k == 30 ? t : k * H, 0);
      if (k == 30) w->controller.look_back(w, before);
      assert_int_equal(fb_output_feedback_measure(w, k, x, before, &mean), DM_OK);
    }
    fb_output_feedback_decide(w, 30, NULL, &u);
    assert_close(u, w->mean[0], exact ? 1e-2 : 1e-10);
    fb_output_feedback_free(w);
  }
  strike(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_laws_give_the_same_loop),
      cmocka_unit_test(the_state_form_is_the_schedules_law),
      cmocka_unit_test(prescribed_coordinates_are_measured_too),
      cmocka_unit_test(a_late_loop_begins_as_planned),
      cmocka_unit_test(linear_laws_agree_to_first_order),
      cmocka_unit_test(a_lagging_state_is_measured_where_it_is),
      cmocka_unit_test(gains_are_the_derivatives_of_the_exact_law),
      cmocka_unit_test(a_continuous_motion_is_seen_on_its_plan),
      cmocka_unit_test(off_its_knots_a_law_has_the_force_between),
      cmocka_unit_test(off_its_knots_the_plan_is_no_error),
      cmocka_unit_test(positions_are_enough_under_constraints),
      cmocka_unit_test(velocities_are_enough_to_first_order),
      cmocka_unit_test(runs_begin_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

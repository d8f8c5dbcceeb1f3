// The growth of what alternates: of a made-up sequence, and of constraints held between knots, whose
// second motion grows as e^(omega t) where the normal turns at a rate omega.
#include "tests/support/models.h"

static void a_geometric_sequence_has_its_factor(void **state) {
  (void)state;
  dm_alternation w = {0};
  assert_true(isnan(dm_alternation_growth(&w)));
  for (int k = 5; k < 40; k++) dm_alternation_add(&w, k, 1e-9 * pow(1.07, k), 1e-13);
  assert_close(dm_alternation_growth(&w), 1.07, 1e-12);
  assert_close(w.size, 1e-9 * pow(1.07, 39), 1e-20);

  // rounding has no growth
  dm_alternation_add(&w, 40, 1e-14, 1e-13);
  assert_true(isnan(dm_alternation_growth(&w)));
}

// h(q) = q of one coordinate
static dm_status itself(const void *self, void *scratch, const double *q, double *h, double *Dh) {
  (void)self;
  (void)scratch;
  (void)Dh;
  h[0] = q[0];
  return DM_OK;
}

// a drift and a part that alternates: knots see both, middles only the drift
static void knots_and_middles_are_told_apart(void **state) {
  (void)state;
  enum { STEPS = 80 };
  dm_holonomic hol = {.nc = 1, .eval = itself};
  dm_two_point_study *w;
  assert_int_equal(dm_two_point_study_new(&w, &hol, 1, 0.5, STEPS), DM_OK);
  for (int k = 0; k <= STEPS; k++) {
    double side = k % 2 ? -1 : 1, q = 1e-3 * k + 0.5 * side, q1 = 1e-3 * (k + 1) - 0.5 * side;
    double lambda = 2 + side * pow(1.1, k);
    bool end = k == STEPS;
    assert_int_equal(dm_two_point_study_measure(w, k, &q, end ? NULL : &q1, end ? NULL : &lambda),
                     DM_OK);
    assert_true(w->stepped == !end);
    assert_close(w->knot[0], q, 0);
    if (!end) assert_close(w->middle[0], 1e-3 * (k + 0.5), 1e-15);
  }
  assert_close(w->whole.knots, 0.58, 1e-15);
  assert_close(w->whole.middles, 0.0795, 1e-15);
  assert_close(w->whole.residual.size, 0.5, 1e-15);
  assert_close(dm_alternation_growth(&w->whole.residual), 1, 1e-12);
  assert_close(dm_alternation_growth(&w->whole.impulses), 1.1, 1e-12);
  assert_close(w->high[0], 2 + pow(1.1, 78), 1e-9);
  assert_close(w->low[0], 2 - pow(1.1, 79), 1e-9);

  // windows are equal shares of the run
  for (int i = 0; i < DM_STUDY_WINDOWS; i++) {
    assert_int_equal(w->part[i].from, 10 * i);
    assert_int_equal(w->part[i].to, 10 * (i + 1));
    assert_close(w->part[i].middles, 1e-3 * (10 * i + 9.5), 1e-15);
  }
  dm_two_point_study_free(w);
}

static dm_status see(void *user, dm_simulation *run) {
  const double *q1 = run->stepped ? run->x->q + run->x->n : NULL;
  return dm_two_point_study_measure(user, run->k, run->x->q, q1, run->lambda);
}

// a point on a circle at a constant rate, by constraints at knots or between them
static dm_two_point_study *circle(bool between, double h, int steps) {
  dm_coordinate xy[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 2, 1, {0}, {0}}};
  dm_constraint g[] = {
      {.name = "circle", .kind = DM_DISTANCE, .body = {0, -1}, .coord = {-1, -1}, .length = 1}};
  dm_model *m = models_make(&(dm_tree){.nbody = 1, .ncoord = 2, .body = b, .coord = xy});
  dm_constraints *c;
  assert_int_equal(dm_constraints_new(&c, m, 1, g, NULL), DM_OK);
  dm_system s = dm_system_of(m);
  s.hol = dm_constraints_holonomic(c);

  const double q[] = {1, 0}, v[] = {0, 1}, next[] = {cos(h), sin(h)}, first = 0;
  dm_two_point_study *study;
  dm_composition *steps_of;
  dm_two_point *two;
  dm_simulation *w;
  assert_int_equal(dm_two_point_study_new(&study, &s.hol, 2, 0.5, steps), DM_OK);
  assert_int_equal(dm_composition_new(&steps_of, &s, 2, NULL, NULL), DM_OK);
  assert_int_equal(dm_two_point_new(&two, &s), DM_OK);

  // steps of either kind, from the same start and next knot
  dm_stepper step =
      between ? dm_two_point_stepper(two, next, &first) : dm_composition_stepper(steps_of);
  dm_simulate_settings set = dm_simulate_default();
  set.steps = steps;
  set.h = h;
  set.knot = see;
  set.user = study;
  assert_int_equal(dm_simulation_new(&w, &s, &step, &set), DM_OK);
  assert_int_equal(dm_simulation_start(w, &(dm_start){.q = q, .v = v, .next = next}), DM_OK);
  assert_int_equal(dm_simulation_run(w), DM_OK);
  dm_simulation_free(w);
  dm_two_point_free(two);
  dm_composition_free(steps_of);
  dm_constraints_free(c);
  dm_model_free(m);
  return study;
}

static void between_knots_it_grows_as_the_normal_turns(void **state) {
  (void)state;
  const double h = 0.01;
  dm_two_point_study *one = circle(false, h, 400), *two = circle(true, h, 400);

  // held at knots: nothing is off there, the sagitta between; multipliers do not alternate
  assert_true(one->whole.knots < 1e-12);
  assert_close(one->whole.middles, h * h / 4, 1e-7);
  assert_true(one->high[0] - one->low[0] < 1e-8);

  // held between: knots leave to either side by a factor of e^(omega h) a step
  assert_true(two->whole.knots > 1e-4);
  const dm_study_window *last = &two->part[DM_STUDY_WINDOWS - 1];
  assert_close(log(dm_alternation_growth(&last->residual)) / h, 1, 0.02);
  dm_two_point_study_free(one);
  dm_two_point_study_free(two);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_geometric_sequence_has_its_factor),
      cmocka_unit_test(knots_and_middles_are_told_apart),
      cmocka_unit_test(between_knots_it_grows_as_the_normal_turns),
  };
  return cmocka_run_group_tests_name("two_point_study", tests, NULL, NULL);
}

// The characteristic numbers of robots and tasks: by hand, and in any units.
#include "lib/mechanics/scale.h"

#include "lib/multibody/tree_system.h"
#include "tests/support/models.h"

static dm_model *make_sled(double mass, double length, double g, bool turns) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("turn", false, 0, 1, 0)};
  dm_body b[] = {{"sled", -1, dm_identity, 0, turns ? 3 : 2, mass, {0}, {0}}};
  b[0].inertia[1] = 0.09 * mass * length * length;
  return models_make(&(dm_tree){
      .nbody = 1, .ncoord = turns ? 3 : 2, .body = b, .coord = c, .gravity = {0, 0, -g}});
}

static dm_scale *find_scale(const dm_model *m, dm_scale_task task) {
  const dm_system s = dm_system_of(m);
  dm_scale *w;
  assert_int_equal(dm_scale_new(&w, &s, &task), DM_OK);
  return w;
}

// ways, ranges, and the robot's own length where there are none
static void lengths_come_from_the_task(void **state) {
  (void)state;
  const double none[] = {-INFINITY, -INFINITY, -INFINITY}, all[] = {INFINITY, INFINITY, INFINITY};
  const double start[] = {1, 2, 0}, goal[] = {4, 2, 3}, still[] = {1, 2, 0};
  const double low[] = {-INFINITY, -3, -1}, high[] = {INFINITY, 5, 1}, some[] = {NAN, NAN, NAN};
  dm_model *m = make_sled(2, 1, 9.8, true);
  const double T = 0.5;
  const struct {
    const double *start, *goal, *low, *high;
    double q[3], length;
  } rows[] = {
      {start, goal, none, all, {3, 3, 1}, 3},        // z goes nowhere and has no range: as far as x
      {start, goal, low, high, {3, 4, 1}, 4},        // z has one
      {still, still, low, high, {4, 4, 1}, 4},       // x has neither
      {still, still, none, all, {0.3, 0.3, 1}, 0.3}, // none has: the radius of gyration
      {some, NULL, NULL, NULL, {0.3, 0.3, 1}, 0.3},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dm_scale *w = find_scale(m, (dm_scale_task){.time = T,
                                                .q_start = rows[i].start,
                                                .q_goal = rows[i].goal,
                                                .q = {rows[i].low, rows[i].high}});
    const double mass[] = {2, 2, 0.18};
    assert_close(w->length, rows[i].length, 1e-12);
    assert_close(w->time, T, 0);
    for (int j = 0; j < 3; j++) {
      assert_close(w->q[j], rows[i].q[j], 1e-12);
      assert_close(w->v[j], w->q[j] / T, 1e-12);
      assert_close(w->p[j], mass[j] * w->q[j] / T, 1e-12);
    }
    dm_scale_free(w);
  }
  dm_model_free(m);
}

// a mass that slides has the length that it falls, and without gravity some number
static void what_slides_alone_has_a_length(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    dm_model *m = make_sled(2, 1, i ? 0 : 9.8, false);
    dm_scale *w = find_scale(m, (dm_scale_task){.time = 3});
    assert_close(w->length, i ? 1 : 9.8 * 9, 1e-9);
    dm_scale_free(w);
    dm_model_free(m);
  }
}

// a coordinate with next to no mass, and a parameter in the place of a coordinate
static void what_has_no_mass_has_a_momentum(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("wheel", false, 0, 1, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 4, {0}, {0}},
                 {"shell", 0, dm_identity, 1, 1, 0, {0}, {0, 1e-14, 0}}};
  const double start[] = {0, 0}, goal[] = {2, 0}, low[] = {10, -1}, high[] = {16, 1};
  const bool constant[] = {true, false};
  dm_model *m = models_make(&(dm_tree){.nbody = 2, .ncoord = 2, .body = b, .coord = c});
  dm_scale *w = find_scale(m, (dm_scale_task){.time = 1, .q_start = start, .q_goal = goal});
  assert_close(w->p[0], 8, 1e-12);
  assert_close(w->p[1], 16, 1e-12); // 4 kg, 2 m
  dm_scale_free(w);
  w = find_scale(
      m, (dm_scale_task){
             .time = 1, .q_start = start, .q_goal = goal, .q = {low, high}, .constant = constant});
  assert_close(w->q[0], 3, 1e-12);
  assert_close(w->length, 0, 0);
  dm_scale_free(w);
  dm_model_free(m);
}

static void scales_have_the_units_of_the_robot(void **state) {
  (void)state;
  static const double units[][3] = {{1e-9, 1e-3, 0.1}, {1e9, 1e3, 100}, {7, 0.3, 1.7}};
  const double start[] = {0, 0, 0}, goal[] = {0, 0, 3};
  dm_model *m = make_sled(2, 1, 9.8, true);
  dm_scale *si = find_scale(m, (dm_scale_task){.time = 2, .q_start = start, .q_goal = goal});
  for (int i = 0; i < 3; i++) {
    const double M = units[i][0], L = units[i][1], T = units[i][2];
    dm_model *other = make_sled(2 * M, L, 9.8 * L / (T * T), true);
    dm_scale *w =
        find_scale(other, (dm_scale_task){.time = 2 * T, .q_start = start, .q_goal = goal});
    assert_close(w->length, L * si->length, 1e-14 * w->length);
    for (int j = 0; j < 3; j++) {
      const double length = j < 2 ? L : 1, arm = j < 2 ? 1 : L;
      assert_close(w->q[j], length * si->q[j], 1e-14 * w->q[j]);
      assert_close(w->p[j], M * L * arm / T * si->p[j], 1e-14 * w->p[j]);
    }
    dm_scale_free(w);
    dm_model_free(other);
  }
  dm_scale_free(si);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_come_from_the_task),
      cmocka_unit_test(what_slides_alone_has_a_length),
      cmocka_unit_test(what_has_no_mass_has_a_momentum),
      cmocka_unit_test(scales_have_the_units_of_the_robot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

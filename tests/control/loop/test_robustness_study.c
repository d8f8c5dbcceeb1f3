// Test bench of a controller, and the plan of a study with it: the levels, their number of runs,
// and their results.
#include "control/loop/robustness.h"

#include "tests/support/balanced.h"

#include <string.h>

// plants with other masses and damping, simulated by the discrete map; the last one is kept
typedef struct shop {
  const dm_model *model;
  dm_model *changed;
  dm_system system;
  fb_plant plant;
  int made;
  bool empty; // there is none
} shop;

static dm_status make(void *self, const dm_change *c, const fb_plant **plant,
                      const dm_system **system) {
  shop *w = self;
  if (w->empty) return DM_UNAVAILABLE;
  fb_plant_free(&w->plant);
  dm_model_free(w->changed);
  w->plant = (fb_plant){0};
  w->changed = NULL;
  w->made++;
  if (c) DM_TRY(dm_model_changed(&w->changed, w->model, c));
  w->system = dm_system_of(c ? w->changed : w->model);
  DM_TRY(fb_plant_discrete(&w->plant, &w->system));
  *plant = &w->plant;
  *system = &w->system;
  return DM_OK;
}

static const double spread_q[] = {0.02, 0.02}, spread_v[] = {0.02, 0.02}, torque[] = {0.1};
static const double u_min[] = {-5}, u_max[] = {8};

typedef struct scene {
  balanced z;
  shop shop;
  fb_mismatch_settings mismatch;
  fb_perturbed_models machines;
  fb_bench_settings set;
} scene;

static void set_up(scene *a) {
  *a = (scene){.z = balanced_open(), .mismatch = {.seed = 5}};
  a->shop.model = a->z.m;
  a->machines = (fb_perturbed_models){.self = &a->shop, .nj = a->z.m->nj, .build = make};
  a->set = fb_bench_default();
  a->set.samples = (fb_monte_carlo_settings){.samples = 12,
                                             .seed = 5,
                                             .spread_q = spread_q,
                                             .spread_v = spread_v,
                                             .tolerance = 0.1,
                                             .u_min = u_min,
                                             .u_max = u_max};
}

static void take_down(scene *a) {
  fb_plant_free(&a->shop.plant);
  dm_model_free(a->shop.changed);
  balanced_close(&a->z);
}

static fb_robustness study_of(const scene *a) {
  return (fb_robustness){.tree = a->z.m,
                         .model = a->z.m,
                         .mismatch = &a->mismatch,
                         .spread_q = spread_q,
                         .spread_v = spread_v,
                         .limit = INFINITY,
                         .set = fb_robustness_default()};
}

// --- test bench ---

static void a_law_sees_through_its_bench_until_it_is_gone(void **state) {
  (void)state;
  scene a;
  fb_bench *g = NULL;
  set_up(&a);
  const fb_sensor before = {0};
  a.z.f->sensor = &before;
  assert_int_equal(fb_bench_new(&g, a.z.f, &a.z.s, &a.machines, &a.set), DM_OK);
  assert_ptr_equal(a.z.f->sensor, &before); // nothing in between
  assert_null(g->noise);
  fb_bench_free(g);

  a.set.mismatch = &a.mismatch;
  assert_int_equal(fb_bench_new(&g, a.z.f, &a.z.s, &a.machines, &a.set), DM_OK);
  assert_ptr_equal(a.z.f->sensor, &g->sensor);
  assert_ptr_equal(g->inner, &before);
  fb_bench_free(g);
  assert_ptr_equal(a.z.f->sensor, &before);

  a.shop.empty = true;
  assert_int_equal(fb_bench_new(&g, a.z.f, &a.z.s, &a.machines, &a.set), DM_UNAVAILABLE);
  assert_null(g);
  assert_ptr_equal(a.z.f->sensor, &before);
  take_down(&a);
}

static void forces_are_cut_by_what_was_planned(void **state) {
  (void)state;
  scene a;
  fb_bench *g = NULL;
  set_up(&a);
  a.set.limit = 2;
  assert_int_equal(fb_bench_new(&g, a.z.f, &a.z.s, &a.machines, &a.set), DM_OK);
  assert_true(g->u_min[0] == -5 && g->u_max[0] == 8); // nothing is planned: the robot's own limits
  a.z.f->u[17] = -3;
  fb_bench_limit(g, 2);
  assert_true(g->u_min[0] == -5 && g->u_max[0] == 6);
  assert_ptr_equal(g->plant.u_max, g->u_max);
  assert_ptr_equal(g->set.u_max, u_max); // the controller keeps the robot's limits
  fb_bench_limit(g, INFINITY);
  assert_true(g->u_min[0] == -5 && g->u_max[0] == 8);
  fb_bench_free(g);
  take_down(&a);
}

// --- the plan ---

static void axes_without_a_size_have_no_levels(void **state) {
  (void)state;
  scene a;
  set_up(&a);
  fb_robustness r = study_of(&a);
  fb_robustness_level list[64];
  r.set.points = 5;
  assert_int_equal(fb_robustness_plan(&r, NULL), 5); // only starts
  assert_int_equal(fb_robustness_plan(&r, list), 5);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(list[k].axis, FB_START);
    assert_true(list[k].level == 2 * k / 4.);
    assert_int_equal(list[k].samples, 50);
    assert_false(list[k].ran);
  }
  take_down(&a);
}

static void errors_of_the_model_go_part_by_part_to_both_sides(void **state) {
  (void)state;
  scene a;
  set_up(&a);
  a.mismatch.size[FB_MASS] = 0.3;
  a.mismatch.torque = torque;
  fb_robustness r = study_of(&a);
  fb_robustness_level list[64];
  r.set = (fb_robustness_settings){.points = 3, .samples = 7, .times = 1.5, .start = 0};
  int links = 0;
  for (int i = 0; fb_robustness_part(&r, FB_MASS, i); i++)
    links += fb_robustness_part(&r, FB_MASS, i)[0] != 0;
  assert_int_equal(links, 2);
  assert_int_equal(fb_robustness_plan(&r, list), 3 + 3 * links + 3);
  const fb_robustness_level *mass = list + 3, *noise = list + 9;
  assert_int_equal(mass->axis, FB_MASS);
  assert_true(mass[0].level == -1.5 && mass[1].level == 0 && mass[2].level == 1.5);
  assert_int_equal(mass[0].samples, 1); // from the plan's own start all runs are equal
  assert_int_equal(mass[3].part, 1);
  assert_int_equal(noise->axis, FB_TORQUE);
  assert_true(noise[0].level == 0 && noise[2].level == 1.5);
  assert_int_equal(noise[0].samples, 7);
  assert_string_equal(fb_robustness_part(&r, FB_DAMPING, 1), "pole");
  assert_null(fb_robustness_part(&r, FB_DAMPING, 2));
  r.set.start = 1;
  fb_robustness_plan(&r, list);
  assert_int_equal(mass[0].samples, 7);
  take_down(&a);
}

// --- the runs ---

static void levels_run_alone_and_are_counted(void **state) {
  (void)state;
  scene a;
  fb_bench *g = NULL;
  fb_sample rows[6], again[6];
  double spread[4];
  set_up(&a);
  a.mismatch.size[FB_MASS] = 0.3;
  a.mismatch.torque = torque;
  a.set.mismatch = &a.mismatch;
  fb_robustness r = study_of(&a);
  r.set = (fb_robustness_settings){.points = 3, .samples = 6, .times = 1, .start = 1};
  assert_int_equal(fb_bench_new(&g, a.z.f, &a.z.s, &a.machines, &a.set), DM_OK);
  fb_robustness_level list[15];
  assert_int_equal(fb_robustness_plan(&r, list), 12);

  // starts at level 0 balance without an error; level 0 of the others changes nothing
  assert_int_equal(fb_robustness_run(&r, g, &list[0], rows, spread, NULL, NULL), DM_OK);
  assert_true(list[0].ran && list[0].succeeded == 6 && rows[0].start_q_error == 0);
  assert_int_equal(fb_robustness_run(&r, g, &list[1], rows, spread, NULL, NULL), DM_OK);
  assert_true(rows[0].start_q_error > 0);
  assert_int_equal(fb_robustness_run(&r, g, &list[4], rows, spread, NULL, NULL), DM_OK);
  assert_int_equal(fb_robustness_run(&r, g, &list[9], again, spread, NULL, NULL), DM_OK);
  assert_true(list[4].axis == FB_MASS && list[9].axis == FB_TORQUE);
  for (int i = 0; i < 6; i++) assert_true(fabs(rows[i].final_error - again[i].final_error) < 1e-9);

  // of the levels that ran
  fb_robustness_count axes[FB_AXES], model;
  fb_robustness_sum(list, 12, axes, &model);
  assert_int_equal(axes[FB_START].samples, 12);
  assert_int_equal(axes[FB_MASS].samples, 6);
  assert_int_equal(model.samples, 6);
  assert_int_equal(model.succeeded, list[4].succeeded);
  assert_int_equal(axes[FB_LENGTH].samples, 0);
  fb_bench_free(g);
  take_down(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_sees_through_its_bench_until_it_is_gone),
      cmocka_unit_test(forces_are_cut_by_what_was_planned),
      cmocka_unit_test(axes_without_a_size_have_no_levels),
      cmocka_unit_test(errors_of_the_model_go_part_by_part_to_both_sides),
      cmocka_unit_test(levels_run_alone_and_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

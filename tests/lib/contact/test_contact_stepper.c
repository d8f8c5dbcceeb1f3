// Simulations with contacts: a ball on a floor keeps its energy, hits as often as it must, and each
// contact that is made is left.
#include "tests/support/particles.h"

#include "lib/contact/contact_stepper.h"

static dm_status count_events(void *user, dm_simulation *run) {
  int *events = user;
  const dm_contact_count *count = run->step.self;
  if (run->stepped) events[dm_contact_event_of(count->steps, 0)]++;
  return DM_OK;
}

static void a_ball_bounces_as_often_as_it_must(void **state) {
  (void)state;
  static particles_plan plan;
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_AT_LEAST, 0, -1, 1);
  double q[] = {1.5}, p[] = {0}, v[] = {0};
  particles x = particles_make(&plan, 1, q, p, NULL);
  int events[4] = {0};
  dm_contact_count count = {.steps = x.w};
  dm_stepper step = dm_contact_stepper(&count);
  dm_simulate_settings set = dm_simulate_default();
  set.steps = 2050;
  set.h = 0.01;
  set.knot = count_events;
  set.user = events;
  dm_simulation *w;
  assert_int_equal(dm_simulation_new(&w, &x.s, &step, &set), DM_OK);
  assert_int_equal(dm_simulation_start(w, &(dm_start){.q = q, .v = v}), DM_OK);
  assert_int_equal(dm_simulation_run(w), DM_OK);

  // from a height of 1/2 above the boundary at 1: hits at 1, 3, 5, .. s
  assert_int_equal(count.made, 10);
  assert_int_equal(events[DM_CONTACT_MADE], 10);
  assert_int_equal(events[DM_CONTACT_LEFT], (int)count.left);
  assert_int_equal(count.made - count.left, 0);
  assert_true(count.reflections >= count.made);
  assert_true(count.deepest < 0.02);
  assert_true(w->info.energy_drift < 1e-12);
  dm_simulation_free(w);
  particles_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces_as_often_as_it_must),
  };
  return cmocka_run_group_tests_name("contact_stepper", tests, NULL, NULL);
}

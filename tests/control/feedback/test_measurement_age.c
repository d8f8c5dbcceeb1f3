// Receding-horizon control by measurements of an age, and with inputs that act late: states are moved to the
// knot by the map.
#include "tests/support/receding_scene.h"

// a measurement of an age gives the input of the state to which the map's steps lead, whole ones and a
// part, under the inputs that were given and a force on a body; one that is newer than its knot leads back.
// An age that is not known gives the input of the last motion
static void states_are_moved_to_their_knots(void **state) {
  (void)state;
  const fb_receding o = {.stages = 12, .sweeps = 5};
  const dm_load push = {
      .name = "push", .kind = DM_WRENCH_BODY, .body = 1, .point = {0, 0, -0.4}, .force = {9, 0, 4}};
  scene z = open_pushed(2.5, 3, Q, &push, &o), old = open_pushed(2.5, 3, Q, &push, &o);
  fb_horizon *run[] = {z.law->horizon, old.law->horizon};
  const double share[] = {0.4, 1, 1.3, 3.7, -0.3};
  dm_del_info info;
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  for (int i = 0; i < COUNT(share); i++) {
    double x[4], u[2], sent[4];
    const int first = 4;

    // four calls, whose inputs are remembered
    for (int side = 0; side < 2; side++) run[side]->begin(run[side]);
    for (int k = first - 4; k < first; k++) {
      for (int j = 0; j < 4; j++) x[j] = z.f->x[4 * k + j] + 0.1 * cos(j + k);
      for (int side = 0; side < 2; side++)
        run[side]->input(run[side], k, x, &sent[k - first + 4], NULL);
    }

    // from x, measured at an age, to x1 at the knot; or from there to x
    double x1[4];
    const int whole = share[i] > 0 ? (int)share[i] : 0;
    for (int j = 0; j < 4; j++) x[j] = x1[j] = z.f->x[4 * first + j] + 0.05;
    for (int part = whole; part >= 0; part--) {
      const double length = part == whole ? share[i] - whole : 1;
      double from[4];
      memcpy(from, x1, sizeof from);
      if (fabs(length) < 1e-9) continue;
      assert_int_equal(
          dm_del_step(del, from, from + 2, &sent[3 - part], fabs(length) * H, x1, x1 + 2, &info),
          DM_OK);
    }
    const double *measured = share[i] > 0 ? x : x1, *there = share[i] > 0 ? x1 : x;
    assert_int_equal(run[0]->input(run[0], first, there, &u[0], NULL), FB_SOLVED);
    assert_int_equal(run[1]->input_at(run[1], first, share[i] * H, measured, &u[1], NULL),
                     FB_SOLVED);
    assert_close(u[1], u[0], 1e-8 * (1 + fabs(u[0])));
    assert_true(fabs(u[0] - sent[3]) > 1e-3);
  }

  // ages that are not known
  const double wrong[] = {NAN, INFINITY, 4.1 * H, -1.1 * H};
  for (int i = 0; i < COUNT(wrong); i++) {
    double x[4], planned, u, q[2];
    for (int j = 0; j < 4; j++) x[j] = z.f->x[20 + j] + 0.1;
    run[0]->begin(run[0]);
    run[0]->input(run[0], 5, x, &u, NULL);
    run[0]->stage(run[0], 1, q, &planned);
    assert_int_equal(run[0]->input_at(run[0], 6, wrong[i], x, &u, NULL), FB_FELL_BACK);
    assert_close(u, planned, 0);
  }
  dm_del_free(del);
  close_scene(&old);
  close_scene(&z);
}

// an input that acts a step late is that of the next knot, from the state to which the input under way leads
static void late_inputs_are_those_of_the_next_knot(void **state) {
  (void)state;
  fb_receding o = {.stages = 12, .sweeps = 5};
  scene z = open_scene(&o);
  o.late = true;
  scene late = open_scene(&o);
  double x[4], x1[4], u[2], under = z.f->u[0];
  dm_del_info info;
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  for (int i = 0; i < 4; i++) x[i] = z.f->x[i] + 0.1;
  for (int k = 0; k < STEPS - 1; k++) {
    memcpy(x1, x, sizeof x1);
    assert_int_equal(dm_del_step(del, x, x + 2, &under, H, x1, x1 + 2, &info), DM_OK);
    late.law->horizon->input(late.law->horizon, k, x, &u[0], NULL);
    z.law->horizon->input(z.law->horizon, k + 1, x1, &u[1], NULL);
    assert_close(u[0], u[1], 1e-8 * (1 + fabs(u[1])));
    under = u[0];
    memcpy(x, x1, sizeof x);
  }
  dm_del_free(del);
  close_scene(&late);
  close_scene(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_are_moved_to_their_knots),
      cmocka_unit_test(late_inputs_are_those_of_the_next_knot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

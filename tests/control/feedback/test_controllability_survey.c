// A survey along motions: the ranks that constraints and prescribed coordinates leave, for each
// window; minimum ranks with their knots; and the coordinates that no input reaches.
#include "control/feedback/controllability_survey.h"
#include "tests/support/hoist.h"

// all knots of a motion; returns the number of pairs evaluated
static int survey_all(fb_survey *w) {
  fb_span answer[FB_QUESTIONS];
  int pairs = 0;
  for (int k = 0; k < w->x->N; k += w->window) {
    assert_int_equal(fb_survey_window(w, k, answer), DM_OK);
    for (int at = k; at < w->start + w->window; at++, pairs++)
      assert_int_equal(fb_survey_pair(w, at, answer), DM_OK);
  }
  return pairs;
}

// a string removes two directions, velocities of hook and reel are not observable: at every knot
// and over windows
static void constraints_leave_their_tangents(void **state) {
  (void)state;
  enum { N = 10 };
  const int all[] = {0, 1, 2, 3};
  hoist w = hoist_open();
  dm_trajectory *x = hoist_motion(&w, N, 0.02, 0.3);
  for (int window = 1; window <= 20; window += window == 1 ? 3 : 16) {
    fb_survey *v;
    assert_int_equal(fb_survey_new(&v, x, &w.s, window, HOIST_N, all), DM_OK);
    assert_int_equal(v->window, window < N ? window : N);
    assert_int_equal(v->full[FB_REACHED], 2 * (HOIST_N - 1));
    assert_int_equal(v->full[FB_SHOWN], 2 * (HOIST_N - 1) - HOIST_K);

    // every knot is evaluated once, and loses nothing else
    assert_int_equal(survey_all(v), N);
    for (int i = 0; i < FB_QUESTIONS; i++) assert_int_equal(v->pair[i].span.rank, v->full[i]);
    if (window >= 4)
      for (int i = 0; i < FB_QUESTIONS; i++) assert_int_equal(v->windows[i].span.rank, v->full[i]);
    fb_survey_free(v);
  }
  dm_trajectory_free(x);
  hoist_close(&w);
}

// an acrobot at rest, hanging down
static dm_trajectory *hang(const dm_system *s, int N) {
  dm_trajectory *x;
  const double q[] = {0, 0}, u[] = {0};
  assert_int_equal(dm_trajectory_of(&x, N, s), DM_OK);
  x->h = 0.05;
  assert_int_equal(dm_trajectory_rest(x, s, q, u, NULL), DM_OK);
  return x;
}

static void one_step_reaches_what_it_pushes(void **state) {
  (void)state;
  enum { N = 5 };
  const int both[] = {0, 1};
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  dm_trajectory *x = hang(&s, N);
  for (int window = 1; window <= N; window++) {
    fb_survey *v;
    assert_int_equal(fb_survey_new(&v, x, &s, window, 2, both), DM_OK);
    assert_int_equal(survey_all(v), N);

    // each step adds one input, until all four states are reached; two positions show all states in
    // two steps
    assert_int_equal(v->windows[FB_REACHED].span.rank, window < 4 ? window : 4);
    assert_int_equal(v->windows[FB_SHOWN].span.rank, window < 2 ? 2 : 4);
    assert_int_equal(v->pair[FB_REACHED].span.rank, 4);
    assert_true(v->windows[FB_REACHED].knot >= 0 && v->windows[FB_REACHED].knot <= N - window);
    fb_survey_free(v);
  }
  dm_trajectory_free(x);
  dm_model_free(m);
}

static void without_inputs_nothing_is_reached(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  dm_trajectory *x = hang(&s, 3);
  fb_survey *v;
  fb_span answer[FB_QUESTIONS];
  assert_int_equal(fb_survey_new(&v, x, &s, 3, 0, NULL), DM_OK);
  assert_int_equal(fb_survey_window(v, 0, answer), DM_OK);
  for (int i = 0; i < FB_QUESTIONS; i++) {
    assert_int_equal(answer[i].rank, 0);
    assert_close(answer[i].kept, 1, 0);
    assert_int_equal(v->windows[i].knot, 0);
    assert_int_equal(v->pair[i].knot, -1);
  }
  fb_survey_free(v);
  dm_trajectory_free(x);
  dm_model_free(m);
}

// a pole on an actuated cart and a pole on a free cart, hanging down: in units of mass, length and
// time
static void ranks_do_not_depend_on_units(void **state) {
  (void)state;
  static const double of[][3] = {{1, 1, 1},      {1e-9, 1e-4, 0.1}, {1e9, 1e3, 100},
                                 {1e-9, 1e3, 1}, {1e9, 1e-4, 1e-3}, {0x1p-20, 0x1p7, 0x1p-3}};
  enum { N = 6 };
  const int pole[] = {1};
  fb_lowest_rank si[2][2 * FB_QUESTIONS], found[2 * FB_QUESTIONS];
  for (int i = 0; i < 2 * COUNT(of); i++) {
    const int alone = i % 2;
    const double mass = of[i / 2][0], length = of[i / 2][1], time = of[i / 2][2];
    dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0),
                         models_coord("pole", false, 0, 1, 0)};
    dm_body b[] = {
        {"cart", -1, dm_identity, 0, 1, mass, {0}, {0}},
        {"pole", alone ? -1 : 0, dm_identity, 1, 1, 0.3 * mass, {0, 0, -0.5 * length}, {0}}};
    dm_input u[] = {models_input("slider", 0)};
    dm_tree tree = {.nbody = 2, .ncoord = 2, .ninput = 1, .body = b, .coord = c, .input = u};
    tree.gravity[2] = -9.81 * length / (time * time);
    dm_model *m = models_make(&tree);
    dm_system s = dm_system_of(m);
    dm_trajectory *x = hang(&s, N);
    x->h *= time;
    fb_survey *v;
    assert_int_equal(fb_survey_new(&v, x, &s, N, 1, pole), DM_OK);
    survey_all(v);
    memcpy(found, v->pair, sizeof v->pair);
    memcpy(found + FB_QUESTIONS, v->windows, sizeof v->windows);
    if (i < 2) memcpy(si[alone], found, sizeof found);
    for (int k = 0; k < 2 * FB_QUESTIONS; k++) {
      const fb_span *is = &found[k].span, *was = &si[alone][k].span;
      assert_int_equal(is->rank, was->rank);
      assert_close(is->kept, was->kept, 1e-9 * was->kept);
    }
    fb_survey_free(v);
    dm_trajectory_free(x);
    dm_model_free(m);
  }

  // the pole of the free cart is not reached; the pole's angle shows neither the position of its
  // cart nor anything of the other system
  assert_int_equal(si[0][0].span.rank, 4);
  assert_int_equal(si[1][0].span.rank, 2);
  assert_int_equal(si[1][1].span.rank, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_do_not_depend_on_units),
      cmocka_unit_test(constraints_leave_their_tangents),
      cmocka_unit_test(one_step_reaches_what_it_pushes),
      cmocka_unit_test(without_inputs_nothing_is_reached),
  };
  return cmocka_run_group_tests_name("controllability_survey", tests, NULL, NULL);
}

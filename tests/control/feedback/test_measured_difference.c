// Velocities by differences: as digits, by their order, and with calls that are missing, repeated or
// old (control/onboard/difference.c).
#include "control/feedback/output_feedback.h"
#include "control/onboard/onboard.h"
#include "tests/support/balanced.h"

static fb_output_feedback *make_law(balanced *z, bool exact) {
  fb_output_feedback *w;
  dm_message msg = {""};
  if (fb_output_feedback_new(&w, z->f, &z->s, FB_DIFFERENCE, exact, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return w;
}

// a call at time t, or, with an age below 0, at step k
static fb_call call_at(int k, double t, double age, double hold) {
  return (fb_call){.k = k, .timed = age >= 0, .t = t, .age = age, .hold = hold};
}

// on the plan the first call has its input to the last bit, at a knot and between two
static void the_first_call_on_the_plan_has_no_error(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_output_feedback *w = make_law(&z, false);
  const double times[] = {0, 0.3, 7.7};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    double y[8], c[1], u[1], v[2];
    const fb_call call = call_at(0, times[i] * z.f->h, i ? 0 : -1, z.f->h);
    w->board->by->begin(w->board);
    w->board->by->plan(w->board, &call, y, c);
    w->board->by->differ(w->board, &call, y, v);
    assert_memory_equal(v, y + 2, sizeof v);
    w->board->by->decide(w->board, &call, y, v, NULL, u);
    assert_memory_equal(u, c, sizeof u);
  }
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// q = (sin t, 3 + t^2) and its v
static void move(double t, double *q, double *v) {
  q[0] = sin(t), q[1] = 3 + t * t;
  v[0] = cos(t), v[1] = 2 * t;
}

// |v - v of the motion|, `ago` shares of dt before the second of two calls
static double find_error(fb_output_feedback *w, double dt, double ago) {
  double q[2], v[2], wanted[2];
  for (int k = 0; k < 2; k++) {
    const fb_call call = call_at(k, 0.7 + k * dt, 0, dt);
    move(call.t, q, v);
    w->board->by->differ(w->board, &call, q, v);
  }
  move(0.7 + (1 - ago) * dt, q, wanted);
  return fmax(fabs(v[0] - wanted[0]), fabs(v[1] - wanted[1]));
}

// of first order at the time of the measurement, and of second order half a period before
static void differences_are_of_first_order(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_output_feedback *w = make_law(&z, false);
  assert_close(find_error(w, 1e-2, 0) / find_error(w, 5e-3, 0), 2, 0.01);
  assert_close(find_error(w, 1e-2, 0.5) / find_error(w, 5e-3, 0.5), 4, 0.02);
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// the velocity of the pole after a run of calls, each at t with a measurement of an age and a hold
typedef struct reading {
  double t, age, hold, q;
} reading;

static double last_speed(fb_output_feedback *w, const reading *list, int count) {
  double v[2] = {0};
  for (int k = 0; k < count; k++) {
    const reading *r = &list[k];
    const fb_call call = call_at(k, r->t, r->age, r->hold);
    w->board->by->differ(w->board, &call, (double[]){0, r->q}, v);
  }
  return v[1];
}

static void the_time_between_is_that_of_the_measurements(void **state) {
  (void)state;
  balanced z = balanced_open();
  const bool turns[] = {false, true};
  z.f->turns = turns;
  fb_output_feedback *w = make_law(&z, false);
  const double turn = FB_FULL_TURN;
  const struct {
    reading list[3];
    int count;
    double wanted;
  } rows[] = {
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, 3.5}}, 2, 2},        // the hold
      {{{0, 0, 0.25, 3}, {0.25, 0.125, 0.25, 3.5}}, 2, 4},    // less the growth of the age
      {{{0, 0.25, 0.25, 3}, {0.25, 0, 0.25, 3.5}}, 2, 1},     // which may shrink
      {{{0, 0, 0.25, 3}, {0.5, 0, 0.25, 3.5}}, 2, 1},         // a call was missing
      {{{0, 0, 0.25, 3}, {0.125, 0, 0.25, 3.5}}, 2, 4},       // or early
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, 3.5 - turn}}, 2, 2}, // a whole turn
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, NAN}, {0.5, 0, 0.25, 4}}, 3, 2},    // no measurement
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, 3.5}, {0.25, 0, 0.25, 3.5}}, 3, 2}, // the same call twice
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, 3.5}, {0.5, 0.25, 0.25, 3.5}},
       3,
       2},                                                                  // the same measurement
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, 3.5}, {0.1, 0, 0.25, 3.7}}, 3, 2}, // time goes back
      {{{0, 0, 0.25, 3}, {0.25, 0, 0.25, 3.5}, {NAN, 0, 0.25, 3.7}}, 3, 2}, // or is not finite
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (fabs(last_speed(w, rows[i].list, rows[i].count) - rows[i].wanted) > 1e-12)
      fail_msg("row %d: %g", (int)i, last_speed(w, rows[i].list, rows[i].count));
  fb_output_feedback_free(w);
  balanced_close(&z);
}

// the exact law differs from the one by measured velocities only in v, for which half a step is
// missing: of first order in it
static void exact_laws_take_differences_too(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_output_feedback *w = make_law(&z, true);
  double x[4], u[1];
  memcpy(x, z.f->x, sizeof x);
  x[1] += 0.1;
  assert_int_equal(w->controller.input(w, 0, x, u), DM_OK);
  assert_close(u[0], z.f->u[0] - 0.1 * z.f->K[1], 1e-9); // v = v_d = 0: p = 0
  x[1] += 0.01;
  assert_int_equal(w->controller.input(w, 1, x, u), DM_OK);
  assert_close(w->v[1], 0.01 / z.f->h, 1e-12);
  double p[2];
  assert_int_equal(dm_momentum_of(w->m, x, (double[]){0, 0.01 / z.f->h}, p), DM_OK);
  assert_close(w->y[2], p[0], 1e-12);
  assert_close(w->y[3], p[1], 1e-12);
  fb_output_feedback_free(w);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_call_on_the_plan_has_no_error),
      cmocka_unit_test(differences_are_of_first_order),
      cmocka_unit_test(the_time_between_is_that_of_the_measurements),
      cmocka_unit_test(exact_laws_take_differences_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

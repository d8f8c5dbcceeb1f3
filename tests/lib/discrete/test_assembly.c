// Where a machine under constraints hangs, and which velocities it can have.
#include "tests/support/bar.h"

#include "lib/discrete/assembly.h"
#include "lib/mechanics/continuous.h"

static void settle(const bar *b, const bool *held, double *q) {
  dm_message msg = {""};
  dm_status s = dm_assembly_settle(&b->s, held, b->m->name, q, &msg);
  if (s != DM_OK) fail_msg("%d %s", s, msg.text);
}

// what has settled stays where it is: it is a motion of the discrete map
static void what_has_settled_stays(void **state) {
  (void)state;
  bar b = hang();
  double q[] = {0.3, -0.7, 0.4, 1.1, 0.9}, start[N], q1[N], p[N], u[2];
  settle(&b, NULL, q);
  assert_true(q[LEFT] == 1.1 && q[RIGHT] == 0.9 && q[TZ] < -0.5);
  dm_del *del;
  dm_del_info info;
  assert_int_equal(dm_del_new(&del, &b.s, NULL), DM_OK);
  memcpy(start, q, sizeof q);
  memcpy(q1, q, sizeof q);
  memcpy(u, q + LEFT, sizeof u);
  assert_int_equal(dm_interval_eval(del->d, 1, q, q, u, 0.02), DM_OK);
  memcpy(p, del->d->D2, sizeof p);
  p[LEFT] = p[RIGHT] = 0;
  for (int k = 0; k < 50; k++) {
    assert_int_equal(dm_del_step(del, q, p, u, 0.02, q1, p, &info), DM_OK);
    memcpy(q, q1, sizeof q);
  }
  for (int i = 0; i < N; i++) assert_close(q[i], start[i], 1e-11);
  dm_del_free(del);
  drop(&b);
}

// what hung still for a step before has a whole impulse from the first step on, as later ones are;
// from v = 0 the first is half of it
static void what_stood_still_goes_on_standing(void **state) {
  (void)state;
  bar b = hang();
  double q[] = {0.3, -0.7, 0.4, 1.1, 0.9}, v[N], p[N], q1[N], u[2], h = 0.02, first[3][2];
  settle(&b, NULL, q);
  dm_del *del;
  dm_continuous *c;
  dm_del_info info;
  assert_int_equal(dm_del_new(&del, &b.s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &b.s), DM_OK);
  assert_int_equal(dm_assembly_stand(&b.s, q, h, v), DM_OK);
  memcpy(u, q + LEFT, sizeof u);

  // p = L_v(q,v) is D2(q,q)
  assert_int_equal(dm_momentum_of(c, q, v, p), DM_OK);
  assert_int_equal(dm_interval_eval(del->d, 1, q, q, u, h), DM_OK);
  for (int i = 0; i < LEFT; i++) assert_close(p[i], del->d->D2[i], 1e-13);
  assert_true(v[LEFT] == 0 && v[RIGHT] == 0);

  // two steps from there, one from v = 0
  for (int k = 0; k < 3; k++) {
    if (k == 2) memset(p, 0, sizeof p);
    p[LEFT] = p[RIGHT] = 0;
    memcpy(q1, q, sizeof q);
    assert_int_equal(dm_del_step(del, q, p, u, h, q1, p, &info), DM_OK);
    memcpy(first[k], del->lambda, sizeof first[k]);
  }
  for (int i = 0; i < 2; i++) {
    assert_true(fabs(first[0][i]) > 1e-3);
    assert_close(first[0][i], first[1][i], 1e-11);
    assert_close(first[0][i], 2 * first[2][i], 1e-11);
  }
  dm_continuous_free(c);
  dm_del_free(del);
  drop(&b);
}

// from above and below, and from either side, to the same place
static void it_settles_at_one_place_from_many(void **state) {
  (void)state;
  bar b = hang();
  double first[N] = {0};
  for (int i = 0; i < 6; i++) {
    double q[] = {0.2 * i - 0.5, i % 2 ? -0.6 : -1.2, 0.1 * i - 0.2, 1.1, 0.9};
    settle(&b, NULL, q);
    if (i == 0) memcpy(first, q, sizeof q);
    for (int j = 0; j < N; j++) assert_close(q[j], first[j], 1e-9);
  }
  drop(&b);
}

static void what_is_held_stays(void **state) {
  (void)state;
  bar b = hang();
  bool held[N] = {[TX] = true};
  double q[] = {0.05, -0.9, 0, 1.1, 0.9};
  settle(&b, held, q);
  assert_true(q[TX] == 0.05);
  // the two strings determine the other two
  void *scratch = aligned_alloc(64, b.s.hol.scratch + 64);
  double h[2];
  assert_int_equal(b.s.hol.eval(b.s.hol.self, scratch, q, h, NULL), DM_OK);
  assert_close(h[0], 0, 1e-12);
  assert_close(h[1], 0, 1e-12);
  free(scratch);
  drop(&b);
}

// an upright pendulum is at rest, but not at its least energy
static void a_saddle_is_left_downwards(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  dm_system s = dm_system_of(m);
  double q[] = {acos(-1), 0, 0};
  assert_int_equal(dm_assembly_settle(&s, NULL, m->name, q, NULL), DM_OK);
  for (int i = 0; i < 3; i++) assert_close(sin(q[i]), 0, 1e-10);
  assert_close(cos(q[0]), 1, 1e-10);
  assert_close(cos(q[0] + q[1]), 1, 1e-10);
  assert_close(cos(q[0] + q[1] + q[2]), 1, 1e-10);
  dm_model_free(m);
}

static void what_nothing_holds_is_named(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("rail", true, 1, 0, 0), models_coord("lift", true, 0, 0, 1)};
  dm_body load = {"load", -1, dm_identity, 0, 2, 1, {0}, {0}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 2, .body = &load, .coord = c, .gravity = {0, 0, -9.81}});
  dm_system s = dm_system_of(m);
  dm_message msg;
  double q[] = {0.5, 2};
  bool held[] = {false, true};
  assert_int_equal(dm_assembly_settle(&s, NULL, m->name, q, &msg), DM_MAX_ITER);
  assert_non_null(strstr(msg.text, "'lift' still falls"));
  assert_true(q[0] == 0.5 && q[1] == 2);
  // level ground is as good everywhere
  assert_int_equal(dm_assembly_settle(&s, held, m->name, q, &msg), DM_OK);
  assert_true(q[0] == 0.5 && q[1] == 2);
  dm_model_free(m);
  bar b = hang();
  double far[] = {0, 0, 0, 0.1, 0.1}, same[N];
  memcpy(same, far, sizeof far);
  assert_int_equal(dm_assembly_settle(&b.s, NULL, b.m->name, far, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "string' cannot be met near there: off by "));
  assert_memory_equal(far, same, sizeof far);
  drop(&b);
}

// the change is an impulse along the constraints: it does no work on what they allow
static void velocities_change_by_an_impulse(void **state) {
  (void)state;
  bar b = hang();
  double q[] = {0.3, -0.9, 0.2, 1.1, 0.9}, v[] = {0.4, 0.3, -0.7, 0.2, -0.1}, was[N];
  double h[2], Dh[2 * N], p[N], p_was[N];
  memcpy(was, v, sizeof v);
  assert_int_equal(dm_assembly_project(&b.s, q, NULL), DM_OK);
  assert_int_equal(dm_assembly_velocity(&b.s, q, v, NULL), DM_OK);
  assert_true(v[LEFT] == 0.2 && v[RIGHT] == -0.1);
  void *scratch = aligned_alloc(64, b.s.hol.scratch + 64);
  assert_int_equal(b.s.hol.eval(b.s.hol.self, scratch, q, h, Dh), DM_OK);
  for (int c = 0; c < 2; c++) {
    double rate = 0;
    for (int i = 0; i < N; i++) rate += Dh[c * N + i] * v[i];
    assert_close(rate, 0, 1e-13);
  }
  dm_continuous *w;
  assert_int_equal(dm_continuous_new(&w, &b.s), DM_OK);
  assert_int_equal(dm_momentum_of(w, q, v, p), DM_OK);
  assert_int_equal(dm_momentum_of(w, q, was, p_was), DM_OK);
  double slack[] = {Dh[1] * Dh[N + 2] - Dh[2] * Dh[N + 1], Dh[2] * Dh[N] - Dh[0] * Dh[N + 2],
                    Dh[0] * Dh[N + 1] - Dh[1] * Dh[N]}; // what the strings allow
  double work = 0, size = 0;
  for (int i = 0; i < 3; i++) work += slack[i] * (p[i] - p_was[i]), size += fabs(p[i] - p_was[i]);
  assert_true(size > 0.1);
  assert_close(work, 0, 1e-13);
  dm_continuous_free(w);
  free(scratch);
  drop(&b);
}

// a string of kinematic length on a kinematic hook, with nothing between
static void rates_that_cannot_be_kept_are_named(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("hook", true, 1, 0, 0), models_coord("reel", true, 1, 0, 0),
                       models_coord("pole", false, 0, 1, 0)};
  c[0].kinematic = c[1].kinematic = true;
  dm_body bodies[] = {{"hook", -1, dm_identity, 0, 1, 0, {0}, {0}},
                      {"reels", -1, dm_identity, 1, 1, 0, {0}, {0}},
                      {"pole", -1, dm_identity, 2, 1, 1, {0, 0, -1}, {0}}};
  dm_constraint string = {.name = "string",
                          .kind = DM_DISTANCE,
                          .body = {0, -1},
                          .coord = {1, -1},
                          .point = {{0}, {-1, 0, 0}}};
  dm_constraints *con;
  dm_message msg;
  dm_model *m = models_make(
      &(dm_tree){.nbody = 3, .ncoord = 3, .body = bodies, .coord = c, .gravity = {0, 0, -9.81}});
  assert_int_equal(dm_constraints_new(&con, m, 1, &string, NULL), DM_OK);
  dm_system s = dm_system_of(m);
  s.hol = dm_constraints_holonomic(con);
  double q[] = {0, 1, 0}, v[] = {0.5, 0.5, 3}, off[] = {0.5, 0, 3};
  assert_int_equal(dm_assembly_velocity(&s, q, v, &msg), DM_OK);
  assert_true(v[2] == 3);
  assert_int_equal(dm_assembly_velocity(&s, q, off, &msg), DM_INFEASIBLE);
  assert_non_null(strstr(msg.text, "no velocity keeps constraint 'string': its rate is off by 1"));
  dm_constraints_free(con);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_has_settled_stays),
      cmocka_unit_test(what_stood_still_goes_on_standing),
      cmocka_unit_test(it_settles_at_one_place_from_many),
      cmocka_unit_test(what_is_held_stays),
      cmocka_unit_test(a_saddle_is_left_downwards),
      cmocka_unit_test(what_nothing_holds_is_named),
      cmocka_unit_test(velocities_change_by_an_impulse),
      cmocka_unit_test(rates_that_cannot_be_kept_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

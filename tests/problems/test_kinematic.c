// problems/marionette as it is read from YAML: the facts, the inputs and the motion recorded.
#include "problems/readers/task/problem.h"
#include "tests/support/marionette.h"
#include "tests/support/skips.h"

static void close_to(json_object *list, const double *x, size_t n, double tol) {
  for (size_t i = 0; i < n; i++) assert_close(x[i], marionette_number(list, i), tol);
}

static void the_marionettes_file_holds_its_facts(void **state) {
  (void)state;
  marionette w;
  if (!marionette_open(&w)) skip_test(NO_MARIONETTE);
  pb_problem *p;
  dm_message msg = {""};
  double u[MARIONETTE_K];
  if (pb_problem_read(&p, "problems/marionette/reference.yaml", &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_int_equal(p->warnings.n, 0);
  assert_int_equal(p->task.system.nk, MARIONETTE_K);
  assert_int_equal(p->task.system.hol.nc, MARIONETTE_C);
  for (int i = 0; i < MARIONETTE_N; i++) {
    assert_string_equal(p->task.coord_name[i], w.m->name[i]);
    assert_int_equal(p->model->kinematic[i], w.m->kinematic[i]);
    assert_true(p->simulate.q[i] == w.q0[i]);
  }
  assert_true(p->simulate.at_rest && p->simulate.steps == 1001 && p->simulate.h == 0.01);
  for (int k = 0; k < p->simulate.steps; k++) {
    marionette_input(&w, k, u);
    for (int i = 0; i < MARIONETTE_K; i++)
      assert_close(p->simulate.u[k * MARIONETTE_K + i], u[i], 1e-15);
  }
  pb_problem_free(p);
  marionette_close(&w);
}

static void its_motion_is_the_one_recorded(void **state) {
  (void)state;
  marionette w;
  if (!marionette_open(&w)) skip_test(NO_MARIONETTE);
  pb_problem *p;
  dm_del *del;
  dm_del_info info;
  double q[MARIONETTE_N], q1[MARIONETTE_N], mu[MARIONETTE_N], zero[MARIONETTE_K] = {0};
  assert_int_equal(pb_problem_read(&p, "problems/marionette/reference.yaml", NULL), DM_OK);
  assert_int_equal(dm_del_new(&del, &p->task.system, NULL), DM_OK);
  memcpy(q, p->simulate.q, sizeof q);
  assert_int_equal(dm_interval_eval(del->d, 1, q, q, zero, p->simulate.h), DM_OK);
  memcpy(mu, del->d->D2, sizeof mu);
  memset(mu + MARIONETTE_D, 0, MARIONETTE_K * sizeof *mu);
  for (int k = 1; k <= 10; k++) {
    memcpy(q1, q, sizeof q);
    const double *u = p->simulate.u + (k - 1) * MARIONETTE_K;
    assert_int_equal(dm_del_step(del, q, mu, u, p->simulate.h, q1, mu, &info), DM_OK);
    memcpy(q, q1, sizeof q);
    if (k != 1 && k != 10) continue;
    json_object *o = marionette_get(w.reference, k == 1 ? "1" : "10");
    close_to(marionette_get(o, "q"), q, MARIONETTE_N, 1e-12);
    close_to(marionette_get(o, "p"), mu, MARIONETTE_D, 1e-10);
    close_to(marionette_get(o, "v_kin"), mu + MARIONETTE_D, MARIONETTE_K, 1e-11);
    close_to(marionette_get(o, "lambda_"), del->lambda, MARIONETTE_C, 1e-10);
  }
  dm_del_free(del);
  pb_problem_free(p);
  marionette_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_marionettes_file_holds_its_facts),
      cmocka_unit_test(its_motion_is_the_one_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

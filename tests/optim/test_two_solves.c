// tests/optim/test_two_solves.c: solves in several threads of a process at once come to what each
// comes to alone, bit for bit, by every solver.
#include "optim/solve.h"
#include "tests/support/actions.h"

#include <pthread.h>

enum { THREADS = 4, TIMES = 3 };

// one thread's solves, each of the same task
typedef struct solver {
  const oc_task *task;
  oc_setup set;
  dm_status status[TIMES];
  double objective[TIMES];
  int iterations[TIMES];
} solver;

static void *solve_again(void *self) {
  solver *w = self;
  for (int i = 0; i < TIMES; i++) {
    dm_trajectory *motion = NULL;
    oc_solve_info info;
    w->status[i] = oc_solve(w->task, &w->set, &motion, &info, NULL);
    w->objective[i] = info.objective;
    w->iterations[i] = info.iterations;
    dm_trajectory_free(motion);
  }
  return NULL;
}

static void hold_at_once(oc_solver_kind by, const char *linear) {
  tasks_task task[2] = {tasks_pendulum(3), tasks_cart_pole(40)};
  solver alone[2], w[THREADS];
  pthread_t thread[THREADS];
  for (int i = 0; i < 2; i++) {
    alone[i] = (solver){.task = &task[i].t, .set = oc_setup_default()};
    alone[i].set.options.method = by;
    alone[i].set.options.linear = linear;
    solve_again(&alone[i]);
    if (alone[i].status[0] == DM_UNAVAILABLE) skip_test(NO_IPOPT);
    assert_int_equal(alone[i].status[0], DM_OK);
  }

  // two threads on each of the tasks, which they share
  for (int i = 0; i < THREADS; i++) {
    w[i] = (solver){.task = &task[i % 2].t, .set = alone[i % 2].set};
    assert_int_equal(pthread_create(&thread[i], NULL, solve_again, &w[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
  for (int i = 0; i < THREADS; i++)
    for (int j = 0; j < TIMES; j++) {
      assert_int_equal(w[i].status[j], DM_OK);
      assert_int_equal(w[i].iterations[j], alone[i % 2].iterations[0]);
      assert_true(w[i].objective[j] == alone[i % 2].objective[0]);
    }
  for (int i = 0; i < 2; i++) tasks_free(&task[i]);
}

static void the_stage_solver_runs_in_threads(void **state) {
  (void)state;
  hold_at_once(OC_SOLVER_STAGE, NULL);
}

static void ipopt_runs_in_threads_by_ldl(void **state) {
  (void)state;
  hold_at_once(OC_SOLVER_IPOPT, "ldl");
}

static void threads_wait_for_one_another_to_use_mumps(void **state) {
  (void)state;
  hold_at_once(OC_SOLVER_IPOPT, "mumps");
}

static void both_run_where_the_choice_is_free(void **state) {
  (void)state;
  hold_at_once(OC_SOLVER_IPOPT, "auto");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_stage_solver_runs_in_threads),
      cmocka_unit_test(ipopt_runs_in_threads_by_ldl),
      cmocka_unit_test(threads_wait_for_one_another_to_use_mumps),
      cmocka_unit_test(both_run_where_the_choice_is_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

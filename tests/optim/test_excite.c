// The excited motion tells more than random multi-sines within the same limits, and its predicted
// deviations are those of the normal equations.
#include "optim/excite.h"
#include "tests/support/cart_pole.h"
#include "tests/support/models.h"

#include <stdlib.h>

enum { STEPS = 100, SAMPLES = 100 };

typedef struct machine {
  dm_model *m;
  dm_robot robot;
  oc_fit_parameters *x;
  oc_task task;
  oc_excite_settings set;
  oc_excite *w;
} machine;

static const double sigma[] = {0.05, 0.05}, rest[] = {0, 0}, low[] = {-2, -2.5}, high[] = {2, 2.5},
                    fast[] = {6, 8}, weak[] = {-12, -4}, strong[] = {12, 4};

// a double pendulum with torques at the joints from `first` on
static void open_machine(machine *w, int first, int iterations) {
  static const char *const paths[] = {"links", "damping"};
  dm_message msg = {""};
  *w = (machine){.m = models_chain(2, 1, first)};
  w->robot = (dm_robot){.tree = w->m, .model = w->m};
  if (oc_fit_parameters_new(&w->x, &w->robot, 2, paths, &msg) != DM_OK) fail_msg("%s", msg.text);
  w->task = oc_task_of(w->m, STEPS, 4);
  w->task.start = (oc_end){rest, rest};
  w->task.goal = (oc_end){rest, rest};
  w->task.bounds[OC_Q] = (oc_bounds){low, high};
  w->task.bounds[OC_V] = (oc_bounds){.high = fast};
  w->task.bounds[OC_U] = (oc_bounds){weak + first, strong + first};
  w->set = oc_excite_default();
  w->set.sigma = sigma;
  w->set.iterations = iterations;
  if (oc_excite_new(&w->w, &w->task, w->x, &w->set, &msg) != DM_OK) fail_msg("%s", msg.text);
}

static void close_machine(machine *w) {
  oc_excite_free(w->w);
  oc_fit_parameters_free(w->x);
  dm_model_free(w->m);
}

static void check_limits(const machine *w, const dm_trajectory *x) {
  const oc_task *t = &w->task;
  for (int k = 0; k <= x->N; k++)
    for (int i = 0; i < x->n; i++) {
      assert_true(x->q[k * x->n + i] <= oc_high(t, OC_Q, i) + 1e-6);
      assert_true(x->q[k * x->n + i] >= oc_low(t, OC_Q, i) - 1e-6);
      assert_true(fabs(x->v[k * x->n + i]) <= oc_high(t, OC_V, i) * 1.001);
    }
  for (int k = 0; k < x->N; k++)
    for (int i = 0; i < x->nu; i++) {
      assert_true(x->u[k * x->nu + i] <= oc_high(t, OC_U, i) + 1e-6);
      assert_true(x->u[k * x->nu + i] >= oc_low(t, OC_U, i) - 1e-6);
    }
}

static void it_tells_more_than_all_random_multisines(void **state) {
  (void)state;
  machine w;
  dm_message msg = {""};
  open_machine(&w, 0, 40);
  dm_trajectory *x;
  const dm_status s = oc_excite_run(w.w, &x, &msg);
  if (s < 0) fail_msg("%d %s", s, msg.text);
  const oc_excite_info info = oc_excite_get(w.w);
  check_limits(&w, x);
  double value, best = -INFINITY, q[(STEPS + 1) * 2];
  assert_int_equal(oc_excite_measure(w.w, x->q, &value, NULL), DM_OK);
  assert_close(value, info.best, 1e-9 * fabs(value));
  int within = 0;
  for (int i = 0; i < SAMPLES; i++) {
    bool is;
    double one;
    assert_int_equal(oc_excite_multisine(w.w, 1000 + i, q, &is), DM_OK);
    assert_int_equal(oc_excite_measure(w.w, q, &one, NULL), DM_OK);
    within += is;
    best = fmax(best, one);
  }
  print_message("best multisine %g of %d, first %g, best %g in %d iterations\n", best, within,
                info.first, info.best, info.iterations);
  assert_int_equal(within, SAMPLES);
  assert_true(value > best + 1 && info.best > info.first);
  dm_trajectory_free(x);
  close_machine(&w);
}

static void it_moves_robots_with_fewer_inputs_than_joints(void **state) {
  (void)state;
  machine w;
  dm_message msg = {""};
  open_machine(&w, 1, 20);
  dm_trajectory *x;
  const dm_status s = oc_excite_run(w.w, &x, &msg);
  if (s < 0) fail_msg("%d %s", s, msg.text);
  const oc_excite_info info = oc_excite_get(w.w);
  print_message("acrobot: first %g, best %g in %d iterations\n", info.first, info.best,
                info.iterations);
  check_limits(&w, x);
  assert_true(info.best > info.first);
  dm_trajectory_free(x);
  close_machine(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_tells_more_than_all_random_multisines),
      cmocka_unit_test(it_moves_robots_with_fewer_inputs_than_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The excited motion tells more than random multi-sines within the same limits, and its predicted
// deviations are those of the normal equations.
#include "lib/base/random.h"
#include "optim/excite.h"
#include "optim/identification/fit.h"
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
  for (int i = 0; i < 2; i++) w->m->damping[i] = 0.1;
  w->robot = (dm_robot){.tree = w->m, .model = w->m};
  if (oc_fit_parameters_new(&w->x, &w->robot, 2, paths, &msg) != DM_OK) fail_msg("%s", msg.text);
  w->task = oc_task_of(w->m, STEPS, 4);
  w->task.start = (oc_end){rest, rest};
  w->task.goal = (oc_end){rest, rest};
  w->task.bounds[OC_Q] = (dm_bounds){low, high};
  w->task.bounds[OC_V] = (dm_bounds){.high = fast};
  w->task.bounds[OC_U] = (dm_bounds){weak + first, strong + first};
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

// A fit to the log of a motion that was driven with noise has the predicted deviations.
static void fits_have_the_predicted_deviations(void **state) {
  (void)state;
  enum { KNOTS = STEPS + 1, MOST = 32 };
  static const double sigma_q[] = {1e-5, 1e-5};
  machine w;
  dm_message msg = {""};
  open_machine(&w, 0, 10);
  dm_trajectory *x;
  const dm_status s = oc_excite_run(w.w, &x, &msg);
  if (s < 0) fail_msg("%d %s", s, msg.text);
  const int p = w.x->count;
  assert_true(p <= MOST);
  double information[MOST * MOST], covariance[MOST * MOST], condition;
  int shown;
  assert_int_equal(oc_excite_measure(w.w, x->q, &condition, information), DM_OK);
  assert_int_equal(oc_excite_predict(w.w, information, covariance, &condition, &shown), DM_OK);
  // planar: moment and first moment of either link, mass of the outer one with them, and damping
  assert_int_equal(shown, 8);
  assert_true(condition > 1 && condition < 1e4);

  // the log: inputs with noise, held for a step; sqrt(2) since r is the mean of two steps
  static double t[KNOTS], q[2][KNOTS], u[2][KNOTS];
  oc_channel of_q[2], of_u[2];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < KNOTS; k++) {
      t[k] = k * x->h;
      q[i][k] = x->q[2 * k + i] + sigma_q[i] * dm_random_normal(3, i, (uint64_t)k);
      u[i][k] = k < STEPS ? x->u[2 * k + i] : 0;
      u[i][k] += sqrt(2) * sigma[i] * dm_random_normal(3, 2 + i, (uint64_t)k);
    }
    of_q[i] = (oc_channel){.name = "q", .count = KNOTS, .t = t, .y = q[i]};
    of_u[i] = (oc_channel){.name = "u", .count = KNOTS, .t = t, .y = u[i]};
  }
  const oc_recording log = {.name = "log", .n = 2, .nu = 2, .q = of_q, .u = of_u, .held = true};
  oc_measured_motion *motion;
  oc_fit *fit;
  oc_fit_settings set = oc_fit_settings_default();
  set.sigma_q = sigma_q, set.sigma_f = sigma;
  if (oc_measured_motion_new(&motion, &log, x->h, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (oc_fit_new(&fit, w.x, 1, &motion, &set, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (oc_fit_solve(fit, NULL, &msg) < 0) fail_msg("%s", msg.text);
  const oc_fit_result *found = oc_fit_get(fit);
  for (int i = 0; i < p; i++) {
    const oc_fit_parameter *one = &w.x->list[i];
    if (one->kind != OC_FIT_DAMPING) continue;
    const double predicted = sqrt(covariance[i * p + i]), ratio = found->deviation[i] / predicted;
    print_message("%s: %g, fit %g\n", one->path, predicted, found->deviation[i]);
    // the prior differs in combinations that the log does not show, the noise of positions adds a little
    assert_true(ratio > 0.8 && ratio < 1.5);
    assert_true(fabs(found->value[i] - one->value) < 4 * predicted);
  }
  oc_fit_free(fit);
  oc_measured_motion_free(motion);
  dm_trajectory_free(x);
  close_machine(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_tells_more_than_all_random_multisines),
      cmocka_unit_test(fits_have_the_predicted_deviations),
      cmocka_unit_test(it_moves_robots_with_fewer_inputs_than_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

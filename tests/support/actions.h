// tests/support/actions.h: actions of the tasks in tests/support/tasks.h, and their minima.
#ifndef TESTS_SUPPORT_ACTIONS_H
#define TESTS_SUPPORT_ACTIONS_H
#include "optim/nlp/ipopt.h"
#include "optim/second/torque_transcription.h"
#include "tests/support/arm.h"
#include "tests/support/skips.h"
#include "tests/support/tasks.h"

static inline oc_torque_transcription_settings settings(const tasks_task *x, const char *rule) {
  oc_torque_transcription_settings set = {.m = x->m};
  if (x->springs) set.V = dm_springs_potential(x->springs);
  assert_int_equal(dm_second_order_rule_set(&set.rule, rule, 2, NULL), DM_OK);
  return set;
}

static inline oc_torque_transcription *open_action(const tasks_task *x,
                                                   const oc_torque_transcription_settings *set) {
  oc_torque_transcription *w = NULL;
  dm_message why = {""};
  if (oc_torque_transcription_new(&w, &x->t, set, &why) != DM_OK) fail_msg("%s", why.text);
  return w;
}

// by IPOPT from the point x
static inline oc_ipopt_info solve(oc_torque_transcription *w, double *x) {
  const oc_nlp *p = oc_torque_transcription_nlp(w);
  oc_options set;
  oc_ipopt_info info;
  double least;
  set = oc_options_default();
  assert_int_equal(oc_torque_transcription_rounding(w, x, NULL, &least), DM_OK);
  set.program.rounding = least;
  oc_point point = {.x = x,
                    .lambda = calloc((size_t)(p->m + 1), sizeof(double)),
                    .z_l = calloc((size_t)p->n, sizeof(double)),
                    .z_u = calloc((size_t)p->n, sizeof(double))};
  dm_status s = oc_ipopt_solve(p, &set, NULL, &point, NULL, 0, &info);
  free(point.lambda);
  free(point.z_l);
  free(point.z_u);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  if (s != DM_OK) fail_msg("%s", info.detail);
  return info;
}

// the arm of paper 003, from hanging to upright in one second: its model and the task
static inline tasks_task arm_task(int N) {
  tasks_task x = tasks_make(models_chain(2, 1, 0), N, 1);
  x.m->gravity.z = -9.8;
  tasks_rest(&x, 0, (double[]){0, 0});
  tasks_rest(&x, 1, (double[]){ARM_PI, 0});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 2, 1);
  return x;
}

#endif

// tests/support/plans.h: problems given as text, and their plans by the stage solver.
#ifndef TESTS_SUPPORT_PLANS_H
#define TESTS_SUPPORT_PLANS_H
#include "tests/support/cmocka.h"
// after it
#include "optim/solve.h"
#include "problems/readers/task/problem.h"
#include "tests/support/files.h"

static const char *folder;

static inline int open_folder(void **state) {
  (void)state;
  folder = make_folder();
  return folder ? 0 : -1;
}

static inline pb_problem *read_problem(const char *text) {
  pb_problem *p;
  dm_message msg;
  if (pb_problem_read(&p, put_file(folder, "task.yaml", text), &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return p;
}

// The plan, to be freed; *objective: its cost, unless NULL.
static inline dm_trajectory *solve_problem(const pb_problem *p, double *objective) {
  dm_trajectory *x;
  oc_solve_info info;
  dm_message msg;
  oc_setup set = oc_setup_default();
  set.options.method = OC_SOLVER_STAGE;
  const dm_status s = oc_solve(&p->task, &set, &x, &info, &msg);
  if (s != DM_OK) fail_msg("%s", s < 0 ? msg.text : info.detail);
  if (objective) *objective = info.objective;
  return x;
}
#endif

// tests/support/checked.h: compare the derivatives of a task's program with differences.
#ifndef TESTS_SUPPORT_CHECKED_H
#define TESTS_SUPPORT_CHECKED_H
#include "optim/check.h"
#include "tests/support/models.h"

// every row of a check passes
static inline void checked_hold(const oc_check *c) {
  for (int i = 0; i < c->rows; i++)
    if (!c->row[i].verdict.holds)
      fail_msg("%s: error %g, order %g", c->row[i].block, c->row[i].verdict.error,
               c->row[i].verdict.order);
  assert_int_equal(c->failed, 0);
}

// every row of the check of a task's program passes, and there are at least `least`; settings may
// be NULL
static inline void checked_task(const oc_task *task, const oc_setup *set, int least) {
  dm_message why = {{0}};
  oc_check c = oc_check_default();
  if (oc_check_task(&c, task, set, &why) != DM_OK) fail_msg("%s", why.text);
  checked_hold(&c);
  assert_true(c.rows >= least);
}

#endif

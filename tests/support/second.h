// tests/support/second.h: look up the rules of lib/second/second_order.h by name.
#ifndef TESTS_SUPPORT_SECOND_H
#define TESTS_SUPPORT_SECOND_H
#include "tests/support/models.h"

static const char *const names[] = {"taylor",          "taylor-ends",
                                    "difference-ends", "difference-midpoint",
                                    "hermite-gauss",   "hermite-lobatto"};

static inline dm_second_order *second_of(const dm_second_order_lagrangian *C, const char *name) {
  dm_second_order_rule rule;
  dm_second_order *w = NULL;
  dm_message msg = {""};
  if (dm_second_order_rule_set(&rule, name, C->k, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (dm_second_order_new(&w, C, &rule, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}
#endif

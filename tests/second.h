// tests/second.h: the rules of lib/second.h by name.
#ifndef TESTS_SECOND_H
#define TESTS_SECOND_H
#include "tests/models.h"

static const char *const names[] = {"taylor",          "taylor-ends",
                                    "difference-ends", "difference-midpoint",
                                    "hermite-gauss",   "hermite-lobatto"};

static inline dm_second *second_of(const dm_second_lagrangian *C, const char *name) {
  dm_second_rule rule;
  dm_second *w = NULL;
  dm_message msg = {""};
  if (dm_second_rule_set(&rule, name, C->k, &msg) != DM_OK) fail_msg("%s", msg.text);
  if (dm_second_new(&w, C, &rule, &msg) != DM_OK) fail_msg("%s", msg.text);
  return w;
}
#endif

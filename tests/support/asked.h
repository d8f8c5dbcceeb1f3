// tests/support/asked.h: outputs that tests use in tasks, and the variants of their transcription.
#ifndef TESTS_SUPPORT_ASKED_H
#define TESTS_SUPPORT_ASKED_H
#include "lib/multibody/output.h"
#include "tests/support/tasks.h"

// map of all rows of a list of outputs; *w is to be freed
static inline dm_output_map asked_map(dm_outputs **w, const dm_model *m, int n,
                                      const dm_output *list) {
  dm_message msg;
  if (dm_outputs_new(w, m, n, list, &msg) != DM_OK) fail_msg("%s", msg.text);
  const dm_holonomic signals = dm_outputs_signals(*w);
  return dm_outputs_map(*w, &signals, m->nq);
}

// way 0 to 3: final time fixed or free, costs integrated or summed
static inline void asked_vary(oc_task *t, int way) {
  t->time.free = way % 2;
  t->sum = way / 2 % 2;
  t->time.min = 0.5 * t->time.T;
  t->time.max = 2 * t->time.T;
}
#endif

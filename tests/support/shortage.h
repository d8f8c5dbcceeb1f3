// tests/support/shortage.h: call functions with their first, second, … allocation failing, in
// programs whose allocator the linker wraps, together with counted_block.c (tests/meson.build).
#ifndef TESTS_SUPPORT_SHORTAGE_H
#define TESTS_SUPPORT_SHORTAGE_H
#include "lib/discrete/trajectory.h"
#include "tests/support/allocations.h"
#include "tests/support/counted_block.h"
#include "tests/support/models.h"

// arguments of the rows: the acrobot, its system, a motion of four steps
static dm_model *model;
static dm_system s;
static dm_trajectory *traj;

static inline void shortage_open(void) {
  model = models_acrobot();
  s = dm_system_of(model);
  assert_int_equal(dm_trajectory_new(&traj, 4, 2, 1), DM_OK);
  traj->h = 0.1;
}

static inline void shortage_close(void) {
  dm_trajectory_free(traj);
  dm_model_free(model);
  assert_int_equal(blocks_in_use, 0);
}

typedef struct shortage_row {
  const char *name;
  dm_status (*call)(void); // DM_OK if there is enough memory
} shortage_row;

// whether the allocation that was to fail has failed
static inline bool shortage_came(void) {
  return failing_allocation == 0;
}

// each failure is reported as DM_NO_MEMORY and leaks no block; repeats until the call makes no
// further allocation
static inline void shortage_try(const shortage_row *row) {
  const int before = blocks_in_use;
  int k = 0;
  for (bool came = true; came;) {
    failing_allocation = ++k;
    const dm_status status = row->call();
    came = shortage_came();
    if (blocks_in_use != before) fail_msg("%s leaks when allocation %d fails", row->name, k);
    if (status != (came ? DM_NO_MEMORY : DM_OK))
      fail_msg("%s: '%s' when allocation %d fails", row->name, dm_status_text(status), k);
    assert_true(k < 200);
  }
  failing_allocation = 0;
  assert_true(k > 1);
}
#endif

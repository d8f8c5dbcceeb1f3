// Iterations of descents do not allocate, with any method and projection.
#include "tests/support/allocations.h"
#include "tests/support/descent.h"

typedef struct count {
  int first, last, iterations;
} count;

static bool count_allocations(void *user, const oc_iterate *it) {
  count *c = user;
  if (it->iteration == 0) c->first = allocations;
  c->last = allocations;
  c->iterations = it->iteration;
  return true;
}

static void iterations_do_not_allocate(void **state) {
  (void)state;
  for (int i = 0; i < OC_METHODS * (OC_GAPS + 1); i++) {
    const oc_method_row *m = &oc_methods[i % OC_METHODS];
    oc_options set = settings((oc_method)(i % OC_METHODS));
    set.descent.projection = (oc_projection)(i / OC_METHODS);
    if (set.descent.projection == OC_GAPS && (m->model == OC_IDENTITY || m->update != OC_SOLUTION))
      continue; // refused
    set.max_iter = 30;
    tasks_task x = tasks_pendulum(3); // a goal and bounds
    count c = {0};
    const oc_hooks hooks = {.watch = count_allocations, .user = &c};
    descent *d = descend_watched(&x, &set, &hooks);
    assert_true(c.iterations > 3 || d->info.status == DM_STALLED);
    if (c.first != c.last)
      fail_msg("%s, projection %d: %d allocations", m->name, set.descent.projection,
               c.last - c.first);
    descent_free(d);
    tasks_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_do_not_allocate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

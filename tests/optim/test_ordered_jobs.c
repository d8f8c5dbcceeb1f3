// tests/optim/test_ordered_jobs.c: jobs by any number of threads: each is planned from the same
// outcomes, all are taken in their order, and none is lost.
#include "optim/ordered_jobs.h"

#include "tests/support/models.h"

#include <stdint.h>
#include <string.h>

enum { JOBS = 200 };

typedef struct job {
  int number;
  uint64_t seen, outcome; // of all that was taken when it was planned; its own
} job;

typedef struct tally {
  int planned, taken, dropped, pauses;
  uint64_t sum;     // a digest of all outcomes in their order
  int wait_at;      // the job before which plan waits; -1: none
  oc_jobs_word end; // after JOBS
} tally;

static oc_jobs_word plan_number(void *user, void *out) {
  tally *w = user;
  if (w->planned == w->wait_at && w->taken < w->planned) {
    w->pauses++;
    return OC_JOBS_WAIT;
  }
  if (w->planned == JOBS) return w->end;
  *(job *)out = (job){.number = w->planned++, .seen = w->sum};
  return OC_JOBS_GO;
}

// some take a hundred times as long as others
static void work_number(void *user, void *in) {
  job *j = in;
  (void)user;
  uint64_t x = j->seen + (uint64_t)j->number;
  const int rounds = j->number % 7 ? 100 : 10000;
  for (int i = 0; i < rounds; i++) x = x * 6364136223846793005u + 1442695040888963407u;
  j->outcome = x;
}

static void take_number(void *user, void *in) {
  tally *w = user;
  const job *j = in;
  assert_int_equal(j->number, w->taken);
  w->taken++;
  w->sum = (w->sum ^ j->outcome) * 1099511628211u;
}

static void drop_number(void *user, void *in) {
  tally *w = user;
  (void)in;
  w->dropped++;
}

static tally do_numbers(int threads, int wait_at, oc_jobs_word end) {
  tally w = {.wait_at = wait_at, .end = end};
  const oc_ordered_jobs jobs = {.threads = threads,
                                .size = sizeof(job),
                                .plan = plan_number,
                                .work = work_number,
                                .take = take_number,
                                .drop = drop_number,
                                .user = &w};
  assert_int_equal(oc_ordered_jobs_run(&jobs), DM_OK);
  assert_int_equal(w.planned, JOBS);
  assert_int_equal(w.taken + w.dropped, JOBS);
  return w;
}

static void outcomes_are_those_of_one_thread(void **state) {
  (void)state;
  const tally one = do_numbers(1, -1, OC_JOBS_LAST);
  assert_int_equal(one.taken, JOBS);
  for (int threads = 2; threads <= 20; threads += 3)
    assert_true(do_numbers(threads, -1, OC_JOBS_LAST).sum == one.sum);
}

static void waiting_sees_all_that_was_planned(void **state) {
  (void)state;
  const tally one = do_numbers(1, 77, OC_JOBS_LAST);
  assert_int_equal(one.pauses, 1);
  assert_true(one.sum != do_numbers(1, -1, OC_JOBS_LAST).sum);
  for (int threads = 2; threads <= 20; threads += 3)
    assert_true(do_numbers(threads, 77, OC_JOBS_LAST).sum == one.sum);
}

// those that no plan has seen: OC_JOBS_LAG - 1 of them
static void a_stop_drops_what_is_at_work(void **state) {
  (void)state;
  const tally one = do_numbers(1, -1, OC_JOBS_STOP);
  assert_int_equal(one.dropped, OC_JOBS_LAG - 1);
  for (int threads = 2; threads <= 20; threads += 3) {
    const tally w = do_numbers(threads, -1, OC_JOBS_STOP);
    assert_int_equal(w.dropped, one.dropped);
    assert_true(w.sum == one.sum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_are_those_of_one_thread),
      cmocka_unit_test(waiting_sees_all_that_was_planned),
      cmocka_unit_test(a_stop_drops_what_is_at_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

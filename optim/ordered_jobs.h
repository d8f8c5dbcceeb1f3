// optim/ordered_jobs.h: jobs on any number of threads whose outcomes are those of any other number.
//
// Job i is planned when the jobs 0 .. i - OC_JOBS_LAG have been taken, in their order, and no other:
// what it is may hang on what these came to, and on nothing that a clock decides. Up to OC_JOBS_LAG
// jobs are so at work at once.
#ifndef OC_ORDERED_JOBS_H
#define OC_ORDERED_JOBS_H
#include "lib/base/status.h"

#include <stddef.h>

enum { OC_JOBS_LAG = 16 };

typedef enum oc_jobs_word {
  OC_JOBS_GO,   // the job is to be done
  OC_JOBS_WAIT, // asked again when all jobs before it have been taken
  OC_JOBS_LAST, // no more jobs: those at work are taken
  OC_JOBS_STOP  // no more jobs: those at work are dropped
} oc_jobs_word;

typedef struct oc_ordered_jobs {
  int threads; // >= 1, the caller's among them; where one cannot be had the others do its work
  size_t size; // of a job; each is all zero before it is planned
  oc_jobs_word (*plan)(void *user, void *job); // one thread at a time, as take and drop are
  void (*work)(void *user, void *job);         // by any thread, beside all else
  void (*take)(void *user, void *job);         // in the order of the plan; the job is then gone
  void (*drop)(void *user, void *job);         // the same, where its outcome does not count
  void *user;
} oc_ordered_jobs;

// Do jobs until plan wants no more. Returns DM_OK or DM_NO_MEMORY, before any job. Allocates.
dm_status oc_ordered_jobs_run(const oc_ordered_jobs *jobs);
#endif

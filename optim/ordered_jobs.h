// optim/ordered_jobs.h: run jobs on any number of threads, with results that do not depend on that number.
//
// Job i is planned when exactly the jobs 0 .. i - OC_JOBS_LAG have been taken, in order: the plan may depend
// on their results, and on nothing that depends on timing. Up to OC_JOBS_LAG jobs run at once.
#ifndef OC_ORDERED_JOBS_H
#define OC_ORDERED_JOBS_H
#include "lib/base/status.h"

#include <stddef.h>

enum { OC_JOBS_LAG = 16 };

typedef enum oc_jobs_word {
  OC_JOBS_GO,   // run the job
  OC_JOBS_WAIT, // plan again after all earlier jobs have been taken
  OC_JOBS_LAST, // no more jobs: running ones are taken
  OC_JOBS_STOP  // no more jobs: running ones are dropped
} oc_jobs_word;

typedef struct oc_ordered_jobs {
  int threads; // >= 1, including the caller's; if threads cannot be created, the others do their work
  size_t size;                                 // of a job; each is zeroed before it is planned
  oc_jobs_word (*plan)(void *user, void *job); // one thread at a time, like take and drop
  void (*work)(void *user, void *job);         // by any thread, concurrently
  void (*take)(void *user, void *job);         // in planning order; the job is gone afterwards
  void (*drop)(void *user, void *job);         // the same, if its result is discarded
  void *user;
} oc_ordered_jobs;

// Run jobs until plan ends. Returns DM_OK, or DM_NO_MEMORY before any job. Allocates.
dm_status oc_ordered_jobs_run(const oc_ordered_jobs *jobs);
#endif

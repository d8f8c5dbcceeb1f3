#include "optim/ordered_jobs.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// state shared by the threads; job i is in slot i % OC_JOBS_LAG
typedef struct crew {
  const oc_ordered_jobs *jobs;
  pthread_mutex_t lock;
  pthread_cond_t changed; // a job is done, or no more are planned
  char *slot;
  bool done[OC_JOBS_LAG];
  int planned, taken;
  oc_jobs_word word; // OC_JOBS_LAST or OC_JOBS_STOP: no more
} crew;

static void *find_slot(const crew *w, int i) {
  return w->slot + (size_t)(i % OC_JOBS_LAG) * w->jobs->size;
}

// take the first job that has not been taken, if it is done
static void take_next(crew *w) {
  const int i = w->taken;
  while (w->taken == i && !w->done[i % OC_JOBS_LAG]) pthread_cond_wait(&w->changed, &w->lock);

  // another thread took it in the meantime
  if (w->taken != i) return;
  w->taken++;
  if (w->word == OC_JOBS_STOP)
    w->jobs->drop(w->jobs->user, find_slot(w, i));
  else
    w->jobs->take(w->jobs->user, find_slot(w, i));
}

// the next job; -1: no job
static int plan_next(crew *w) {
  while (w->word == OC_JOBS_GO || w->word == OC_JOBS_WAIT) {
    // exactly the jobs before the last OC_JOBS_LAG must be taken; if plan waits, all of them
    const int wanted = w->word == OC_JOBS_WAIT ? w->planned : w->planned - OC_JOBS_LAG + 1;
    if (w->taken < wanted) {
      take_next(w);
      continue;
    }
    const int i = w->planned;
    memset(find_slot(w, i), 0, w->jobs->size);
    w->word = w->jobs->plan(w->jobs->user, find_slot(w, i));
    if (w->word != OC_JOBS_GO) continue;
    w->done[i % OC_JOBS_LAG] = false;
    w->planned++;
    return i;
  }
  pthread_cond_broadcast(&w->changed);
  return -1;
}

static void *work_on(void *self) {
  crew *w = self;
  pthread_mutex_lock(&w->lock);
  for (int i = plan_next(w); i >= 0; i = plan_next(w)) {
    pthread_mutex_unlock(&w->lock);
    w->jobs->work(w->jobs->user, find_slot(w, i));
    pthread_mutex_lock(&w->lock);
    w->done[i % OC_JOBS_LAG] = true;
    pthread_cond_broadcast(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

dm_status oc_ordered_jobs_run(const oc_ordered_jobs *jobs) {
  assert(jobs && jobs->threads >= 1 && jobs->size > 0);
  const int others = (jobs->threads < OC_JOBS_LAG ? jobs->threads : OC_JOBS_LAG) - 1;
  pthread_t thread[OC_JOBS_LAG];
  int begun = 0;
  crew w = {.jobs = jobs, .slot = calloc(OC_JOBS_LAG, jobs->size)};
  if (!w.slot) return DM_NO_MEMORY;
  if (pthread_mutex_init(&w.lock, NULL) != 0 || pthread_cond_init(&w.changed, NULL) != 0) {
    free(w.slot);
    return DM_NO_MEMORY;
  }

  // start the other threads, then work in the caller's
  while (begun < others && pthread_create(&thread[begun], NULL, work_on, &w) == 0) begun++;
  work_on(&w);
  for (int i = 0; i < begun; i++) pthread_join(thread[i], NULL);

  // the remaining jobs
  while (w.taken < w.planned) take_next(&w);
  pthread_cond_destroy(&w.changed);
  pthread_mutex_destroy(&w.lock);
  free(w.slot);
  return DM_OK;
}

#include "cli/stages/samples.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 };

// one item is a block of samples: its rows, then its curves of the fan
typedef struct blocks {
  cli_job *job;
  const fb_plant *plant;
  const fb_monte_carlo_settings *set;
  fb_sample *rows;
  int size, nfan, count; // of a block; curves; samples that have come
  size_t curve;          // numbers of a curve
  double *fan;
  bool (*progress)(void *, int done);
  void *user;
  bool *ran;
  dm_status failure; // of a block
} blocks;

// its samples, and how many of them are in the fan
static int extent(const blocks *b, int item, int *first, int *fans) {
  *first = item * b->size;
  int n = b->set->samples - *first < b->size ? b->set->samples - *first : b->size;
  *fans = b->nfan - *first < 0 ? 0 : b->nfan - *first < n ? b->nfan - *first : n;
  return n;
}

static bool go_on(void *user, int done) {
  (void)user, (void)done;
  return !cli_interrupted();
}

static size_t work(void *self, int item, void *result) {
  blocks *b = self;
  int fans;
  fb_monte_carlo_settings set = *b->set;
  int first;
  set.samples = extent(b, item, &first, &fans);
  set.first += first;
  size_t rows = (size_t)set.samples * sizeof(fb_sample);
  double *fan = fans ? (double *)(void *)((char *)result + rows) : NULL;
  dm_status s = fb_monte_carlo_run(&b->job->law->f, &b->job->task->system, b->plant, &set, result,
                                   fans, fan, go_on, NULL);
  if (s < 0) b->failure = s;
  return s == DM_OK ? rows + (size_t)fans * b->curve * sizeof *fan : 0;
}

static void take(void *self, int item, int rank, const void *result, size_t size) {
  blocks *b = self;
  int first, fans, n = extent(b, item, &first, &fans);
  size_t rows = (size_t)n * sizeof(fb_sample), curves = (size_t)fans * b->curve * sizeof *b->fan;
  (void)rank;
  if (size != rows + curves) return;
  memcpy(b->rows + first, result, rows);
  if (fans) memcpy(b->fan + (size_t)first * b->curve, (const char *)result + rows, curves);
  memset(b->ran + first, true, (size_t)n);
  b->count += n;
  b->progress(b->user, b->count);
}

unsigned long long cli_samples_digest(const cli_job *job) {
  const fb_tvlqr *f = job->f;
  size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  unsigned long long d = cli_work_digest(0, job->p->sha256, strlen(job->p->sha256));
  d = cli_work_digest(d, f->x, (N + 1) * nx * sizeof *f->x);
  d = cli_work_digest(d, f->u, N * nu * sizeof *f->u);
  return cli_work_digest(d, f->K, N * nu * nx * sizeof *f->K);
}

dm_status cli_samples_run(cli_job *job, const fb_plant *plant, const fb_monte_carlo_settings *set,
                          fb_sample *rows, int nfan, double *fan,
                          bool (*progress)(void *, int done), void *user, bool *ran,
                          char lost[256]) {
  int K = cli_work_count(), size = set->samples / (8 * K);
  lost[0] = 0;
  if (K == 1) {
    memset(ran, true, (size_t)set->samples);
    return fb_monte_carlo_run(&job->law->f, &job->task->system, plant, set, rows, nfan, fan,
                              progress, user);
  }
  size = size < 1 ? 1 : size < LARGEST ? size : LARGEST;
  blocks b = {.job = job,
              .plant = plant,
              .set = set,
              .rows = rows,
              .size = size,
              .nfan = nfan,
              .curve = (size_t)(job->law->f.N + 1) * (size_t)job->names.n,
              .fan = fan,
              .progress = progress,
              .user = user,
              .ran = ran};
  int most = nfan < size ? nfan : size; // curves of a block
  const cli_share share = {.count = (set->samples + size - 1) / size,
                           .most =
                               (size_t)size * sizeof *rows + (size_t)most * b.curve * sizeof *fan,
                           .digest = cli_samples_digest(job),
                           .work = work,
                           .take = take,
                           .self = &b};
  memset(rows, 0, (size_t)set->samples * sizeof *rows);
  memset(ran, false, (size_t)set->samples);
  dm_status s = cli_work_share(&share, lost);
  return b.failure < 0 ? b.failure : s;
}

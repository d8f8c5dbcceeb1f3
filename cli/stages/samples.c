#include "cli/stages/samples.h"

#include "cli/console/interrupt.h"
#include "cli/mpi/work_sharing.h"

#include <stdlib.h>
#include <string.h>

// maximum block size in bytes: MPI sends messages above 4 kB only while both sides poll
enum { LARGEST = 3800 };

// A work item is a block of samples. Its result: rows, output errors and ends, excesses of
// coordinates at limits, then curves of the fan.
typedef struct blocks {
  cli_call *call;
  const fb_plant *plant;
  const fb_monte_carlo_settings *set;
  fb_sample *rows;
  double *errors, *ends; // [samples x count], [samples x 2n]; NULL: not recorded
  size_t each;           // bytes of a sample's row, errors and end
  int size, nfan, count; // samples per block; curves; samples received
  size_t curve;          // numbers per curve
  double *fan;
  bool (*progress)(void *, int done);
  void *user;
  bool *ran;
  dm_status failure; // of a block
} blocks;

// the samples of a block, and how many of them are in the fan
static int find_block(const blocks *b, int item, int *first, int *fans) {
  // the last block may be shorter
  *first = item * b->size;

  int n = b->set->samples - *first < b->size ? b->set->samples - *first : b->size;

  // the first nfan samples have curves
  int left = b->nfan - *first;
  if (left < 0) left = 0;
  *fans = left < n ? left : n;
  return n;
}

static bool watch_block(void *user, int done) {
  (void)user;
  (void)done;
  return !cli_interrupted();
}

// bytes of the output errors of a sample (next: of its end)
static size_t find_error_bytes(const blocks *b) {
  return b->errors ? (size_t)b->set->outputs->count * sizeof *b->errors : 0;
}

static size_t find_end_bytes(const blocks *b) {
  return b->ends ? (size_t)b->call->run.control.law->f.nx * sizeof *b->ends : 0;
}

// bytes of the excesses of positions and speeds at limits
static size_t find_count_bytes(const blocks *b) {
  return b->set->positions ? 2 * (size_t)b->call->run.p->names.n * sizeof *b->set->positions : 0;
}

static size_t run_block(void *self, int item, void *result) {
  blocks *b = self;
  int first, fans;
  fb_monte_carlo_settings set = *b->set;
  set.samples = find_block(b, item, &first, &fans);
  set.first += first;

  // the result: n rows, errors and ends, excesses, then the curves of the block
  const size_t counts = find_count_bytes(b);
  size_t rows = (size_t)set.samples * b->each + counts;
  char *at = (char *)result + (size_t)set.samples * sizeof(fb_sample);
  set.output_errors = b->errors ? (double *)(void *)at : NULL;
  at += (size_t)set.samples * find_error_bytes(b);
  set.ends = b->ends ? (double *)(void *)at : NULL;
  at += (size_t)set.samples * find_end_bytes(b);
  fb_excess_count *of = counts ? (fb_excess_count *)(void *)at : NULL;
  for (int i = 0; of && i < 2 * b->call->run.p->names.n; i++) of[i] = fb_excess_count_none();
  set.positions = of;
  set.speeds = of ? of + b->call->run.p->names.n : NULL;
  double *fan = fans ? (double *)(void *)((char *)result + rows) : NULL;
  dm_status s = fb_monte_carlo_run(&b->call->run.control.law->f, &b->call->run.p->task.system,
                                   b->plant, &set, result, fans, fan, watch_block, NULL);
  if (s < 0) b->failure = s;

  // zero bytes mean that there is no result
  return s == DM_OK ? rows + (size_t)fans * b->curve * sizeof *fan : 0;
}

// combine the excesses of a block with those received before
static void add_excesses(const blocks *b, const char *bytes) {
  const int n = b->call->run.p->names.n;
  for (int i = 0; i < 2 * n; i++) {
    fb_excess_count of;
    memcpy(&of, bytes + (size_t)i * sizeof of, sizeof of);
    fb_excess_count_add(i < n ? &b->set->positions[i] : &b->set->speeds[i - n], &of);
  }
}

static void take_block(void *self, int item, int rank, const void *result, size_t size) {
  blocks *b = self;
  int first, fans;
  int n = find_block(b, item, &first, &fans);
  const size_t counted = find_count_bytes(b), own = (size_t)n * sizeof(fb_sample);
  const size_t rows = (size_t)n * b->each + counted;
  const size_t curves = (size_t)fans * b->curve * sizeof *b->fan;

  (void)rank;

  // ignore results of the wrong size
  if (size != rows + curves) return;

  // copy to the positions that a single rank would use
  const size_t errors = find_error_bytes(b), ends = find_end_bytes(b), count = (size_t)n;
  const char *at = (const char *)result + own;
  memcpy(b->rows + first, result, own);
  if (errors) memcpy((char *)b->errors + (size_t)first * errors, at, count * errors);
  if (ends) memcpy((char *)b->ends + (size_t)first * ends, at + count * errors, count * ends);
  if (counted) add_excesses(b, at + count * (errors + ends));
  if (fans) memcpy(b->fan + (size_t)first * b->curve, (const char *)result + rows, curves);
  memset(b->ran + first, true, (size_t)n);
  b->count += n;
  b->progress(b->user, b->count);
}

uint64_t cli_samples_digest(const cli_call *call) {
  // everything on which a sample depends, except its number
  const fb_tvlqr *f = call->run.control.gains;
  size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  uint64_t d = cli_work_digest(0, call->run.p->file.sha256, strlen(call->run.p->file.sha256));
  d = cli_work_digest(d, f->x, (N + 1) * nx * sizeof *f->x);
  d = cli_work_digest(d, f->u, N * nu * sizeof *f->u);
  return cli_work_digest(d, f->K, N * nu * nx * sizeof *f->K);
}

// broadcast bytes in pieces of the maximum message size
static dm_status tell_bytes(void *bytes, size_t size) {
  for (size_t at = 0; at < size; at += LARGEST)
    DM_TRY(cli_work_broadcast((char *)bytes + at, size - at < LARGEST ? size - at : LARGEST));
  return DM_OK;
}

// make the ends known to all ranks, because later phases continue from them
static dm_status tell_ends(const blocks *b) {
  const size_t samples = (size_t)b->set->samples;
  memset(b->ran, true, samples);
  DM_TRY(tell_bytes(b->rows, samples * sizeof *b->rows));
  return tell_bytes(b->ends, samples * find_end_bytes(b));
}

dm_status cli_samples_run(cli_call *call, const fb_plant *plant, const fb_monte_carlo_settings *set,
                          fb_sample *rows, double *errors, double *ends, int nfan, double *fan,
                          bool (*progress)(void *, int done), void *user, bool *ran,
                          char lost[256]) {
  const int K = cli_work_hands();

  lost[0] = 0;

  // a single rank: without blocks
  if (K == 1) {
    fb_monte_carlo_settings alone = *set;
    alone.output_errors = errors;
    alone.ends = ends;
    memset(ran, true, (size_t)set->samples);
    return fb_monte_carlo_run(&call->run.control.law->f, &call->run.p->task.system, plant, &alone,
                              rows, nfan, fan, progress, user);
  }

  // blocks of an eighth of a worker's part, so that a slow block costs little, and no larger than
  // one message, so that an interrupt loses little
  size_t each = sizeof *rows;
  if (errors) each += (size_t)set->outputs->count * sizeof *errors;
  if (ends) each += (size_t)call->run.control.law->f.nx * sizeof *ends;
  int size = set->samples / (8 * K);
  if ((size_t)size * each > LARGEST) size = (int)(LARGEST / each);
  if (size < 1) size = 1;
  blocks b = {.call = call,
              .plant = plant,
              .set = set,
              .rows = rows,
              .errors = errors,
              .ends = ends,
              .each = each,
              .size = size,
              .nfan = nfan,
              .curve = (size_t)(call->run.control.law->f.N + 1) * (size_t)call->run.p->names.n,
              .fan = fan,
              .progress = progress,
              .user = user,
              .ran = ran};

  // a message holds the rows and curves of a full block
  const int max = nfan < size ? nfan : size;
  const cli_share share = {.count = (set->samples + size - 1) / size,
                           .max_bytes = (size_t)size * each + find_count_bytes(&b) +
                                        (size_t)max * b.curve * sizeof *fan,
                           .digest = cli_samples_digest(call),
                           .by_children = true,
                           .work = run_block,
                           .collect = take_block,
                           .self = &b};

  // rows that no rank computed stay zero, as ran shows
  memset(rows, 0, (size_t)set->samples * sizeof *rows);
  memset(ran, false, (size_t)set->samples);
  dm_status s = cli_work_share(&share, lost);
  if (b.failure < 0) return b.failure;
  return s == DM_OK && ends ? tell_ends(&b) : s;
}

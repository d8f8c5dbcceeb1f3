#include "control/loop/evolution.h"

#include "lib/base/block.h"
#include "lib/base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_evolution(void *self, dm_block *b) {
  fb_evolution *w = self;
  w->x = dm_block_alloc(b, (size_t)w->n, sizeof *w->x);
  w->y = dm_block_alloc(b, (size_t)w->n, sizeof *w->y);
}

dm_status fb_evolution_new(fb_evolution **out, int n, uint64_t seed, double step) {
  fb_evolution sizes = {.n = n, .seed = seed, .step = step, .value = -INFINITY};
  assert(n > 0 && step > 0);
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_evolution);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void fb_evolution_free(fb_evolution *w) {
  dm_block_free(w);
}

void fb_evolution_propose(fb_evolution *w) {
  const int child = w->tries + 1;

  // one unknown changes in any case
  double sure = w->n * (1 + dm_random_uniform(w->seed, child, (uint64_t)w->n)) / 2;
  for (int i = 0; i < w->n; i++) {
    bool changes = i == (int)sure || dm_random_uniform(w->seed, child, (uint64_t)i) < 0;
    w->y[i] = w->x[i];
    if (changes) w->y[i] += w->step * dm_random_normal(w->seed, child, (uint64_t)i);
  }
}

bool fb_evolution_tell(fb_evolution *w, double value) {
  // Kern's a = 1.5; bounds keep a long plateau from ending the search, or a lucky run from leaving
  static const double grow = 1.5, min_step = 0.02, max_step = 1.5;
  const bool better = value > w->value;
  const bool first = isinf(w->value);
  w->tries++;
  if (better && !first) w->better++;
  if (better && !first) w->step = fmin(w->step * grow, max_step);
  if (!better && !(value >= w->value)) w->step = fmax(w->step * pow(grow, -0.25), min_step);

  // an equal one goes on from where it is: plateaus are walked over
  if (!(value >= w->value)) return false;
  memcpy(w->x, w->y, (size_t)w->n * sizeof *w->x);
  w->value = value;
  return better;
}

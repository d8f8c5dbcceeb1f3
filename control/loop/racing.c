#include "control/loop/racing.h"

#include "lib/base/block.h"

#include <assert.h>

static void lay_out_racing(void *self, dm_block *b) {
  fb_racing *w = self;
  w->survived = dm_block_alloc(b, (size_t)w->levels, sizeof *w->survived);
  w->order = dm_block_alloc(b, (size_t)w->levels, sizeof *w->order);
  w->chance = dm_block_alloc(b, (size_t)w->levels, sizeof *w->chance);
}

dm_status fb_racing_new(fb_racing **out, int levels) {
  fb_racing sizes = {.levels = levels};
  assert(levels > 0);
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_racing);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void fb_racing_free(fb_racing *w) {
  dm_block_free(w);
}

void fb_racing_add(fb_racing *w, const bool *survived) {
  w->laws++;
  for (int i = 0; i < w->levels; i++) w->survived[i] += survived[i];
}

// (2 + laws)^2 p (1 - p)
static long weigh_doubt(const fb_racing *w, int i) {
  return (1L + w->survived[i]) * (1L + w->laws - w->survived[i]);
}

// a stride near the golden section of all levels that visits each level once
static int find_stride(int levels) {
  for (int stride = (int)(0.618 * levels);; stride++) {
    int a = stride > 0 ? stride : 1, b = levels;
    while (b) {
      int rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1) return stride > 0 ? stride : 1;
  }
}

void fb_racing_pick(fb_racing *w, int count, bool *skip) {
  const int stride = find_stride(w->levels);
  int most = 0;

  // insertion sort, since there are only hundreds of levels; ties keep the order of the stride
  for (int i = 0; i < w->levels; i++) {
    const int level = (int)((long)i * stride % w->levels);
    int at = most++;
    for (; at > 0 && weigh_doubt(w, w->order[at - 1]) < weigh_doubt(w, level); at--)
      w->order[at] = w->order[at - 1];
    w->order[at] = level;
  }
  for (int i = 0; i < w->levels; i++) skip[w->order[i]] = i >= count;
}

void fb_racing_expect(fb_racing *w, const bool *skip, const bool *survived) {
  for (int i = 0; i < w->levels; i++)
    w->chance[i] = skip[i] ? (1. + w->survived[i]) / (2. + w->laws) : survived[i];
}

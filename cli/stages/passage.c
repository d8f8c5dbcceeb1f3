#include "cli/stages/passage.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

static void lay_out_passage(void *self, dm_block *b) {
  cli_passage *w = self;
  for (int i = 0; i <= PB_PLANTS; i++) {
    cli_passing *on = &w->on[i];
    on->y = dm_block_alloc(b, (size_t)w->samples * (size_t)on->nx, sizeof *on->y);
    on->held = dm_block_alloc(b, (size_t)w->samples, sizeof *on->held);
  }
}

cli_passage *cli_passage_new(const char *phase, int samples, int n) {
  cli_passage sizes = {.samples = samples, .phase = phase};
  for (int i = 0; i <= PB_PLANTS; i++) sizes.on[i].nx = 2 * n;
  return dm_block_make(&sizes, sizeof sizes, lay_out_passage);
}

void cli_passage_free(cli_passage *w) {
  dm_block_free(w);
}

void cli_passage_join(cli_passage *to, const cli_passage *from, oc_join_map *map,
                      const double *y_d) {
  for (int i = 0; i <= PB_PLANTS; i++) {
    const cli_passing *a = &from->on[i];
    cli_passing *b = &to->on[i];
    b->there = a->there;
    for (int s = 0; a->there && s < to->samples; s++) {
      double *d = dm_row(b->y, s, b->nx);
      b->held[s] = a->held[s];
      memcpy(d, y_d, (size_t)b->nx * sizeof *d);
      const dm_status status = oc_join_map_apply(map, dm_row(a->y, s, a->nx), d);
      for (int j = 0; j < b->nx; j++) d[j] = status == DM_OK ? d[j] - y_d[j] : NAN;
    }
  }
}

void cli_passing_draw(const void *from, int n, int s, double *d) {
  const cli_passing *w = from;
  memcpy(d, dm_row(w->y, s, w->nx), 2 * (size_t)n * sizeof *d);
}

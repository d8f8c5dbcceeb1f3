#include "lib/mechanics/unilateral.h"

#include "lib/base/block.h"

dm_status dm_unilateral_check(const dm_unilateral *u, const double *q, dm_message *msg) {
  // the values of all contacts at q
  dm_block block = {0};
  dm_block_alloc(&block, u->scratch, 1);
  dm_block_alloc(&block, (size_t)u->ng, sizeof(double));
  if (dm_block_new(&block) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  void *scratch = dm_block_alloc(&block, u->scratch, 1);
  double *g = dm_block_alloc(&block, (size_t)u->ng, sizeof *g);
  dm_status status = u->values(u->self, scratch, q, g);

  // the deepest penetration, -g in m or rad; less than 1e-9 is a contact that touches
  double depth = 1e-9;
  int deepest = -1;
  for (int i = 0; status == DM_OK && i < u->ng; i++)
    if (-g[i] / u->scale[i] > depth) {
      depth = -g[i] / u->scale[i];
      deepest = i;
    }
  dm_block_free(scratch);

  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  if (deepest < 0) return DM_OK;
  return dm_fail(msg, DM_INFEASIBLE,
                 "the start is inside an obstacle: '%s' is violated by %.3g m or rad",
                 u->name ? u->name(u->self, deepest) : "a contact", depth);
}

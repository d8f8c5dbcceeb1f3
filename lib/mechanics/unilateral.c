#include "lib/mechanics/unilateral.h"

#include "lib/base/block.h"

dm_status dm_unilateral_check(const dm_unilateral *u, const double *q, dm_message *msg) {
  dm_block block = {0};
  int worst = -1;
  dm_take(&block, u->scratch, 1);
  dm_take(&block, (size_t)u->ng, sizeof(double));
  if (dm_block_new(&block) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  void *scratch = dm_take(&block, u->scratch, 1);
  double *g = dm_take(&block, (size_t)u->ng, sizeof *g), most = 1e-9;
  dm_status status = u->values(u->self, scratch, q, g);
  for (int i = 0; status == DM_OK && i < u->ng; i++)
    if (-g[i] / u->scale[i] > most) most = -g[i] / u->scale[i], worst = i;
  dm_block_free(scratch);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  if (worst < 0) return DM_OK;
  return dm_fail(msg, DM_INFEASIBLE, "the start is inside an obstacle: '%s' is violated by %.3g",
                 u->name ? u->name(u->self, worst) : "a contact", most);
}

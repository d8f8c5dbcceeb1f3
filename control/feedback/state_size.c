#include "control/feedback/state_size.h"

#include "lib/mechanics/scale.h"

#include <assert.h>
#include <string.h>

dm_status fb_state_size(double *size, const dm_system *s, const double *q, double time) {
  const size_t half = (size_t)s->L.nq * sizeof *size;
  const dm_scale_task task = {.time = time, .q_goal = q};
  dm_scale *of;
  assert(size && s && q && time > 0);
  DM_TRY(dm_scale_new(&of, s, &task));
  memcpy(size, of->q, half);
  memcpy(size + s->L.nq, of->p, half);
  dm_scale_free(of);
  return DM_OK;
}

void fb_scale_entries(int m, int n, const double *row, const double *col, double *X) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) X[i * n + j] *= row[i] * col[j];
}

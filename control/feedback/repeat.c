#include "control/feedback/repeat.h"

#include "control/feedback/constraint_tangent.h"
#include "lib/discrete/kkt_matrix.h"

#include <stdlib.h>
#include <string.h>

// lambda_N [nc], with scratch r [n]
static dm_status find_last_impulse(const dm_trajectory *x, const dm_system *s, double *r,
                                   double *lambda) {
  const int n = x->n;
  dm_kkt *k = NULL;
  fb_constraint_tangent *w = NULL;
  for (int i = 0; i < n; i++) r[i] = x->p[x->N * n + i] - x->p[i];
  dm_status status = dm_kkt_new(&k, s);
  if (status == DM_OK)
    status = fb_constraint_tangent_new(&w, n, s->hol.nc, s->hol.nv, s->kinematic);
  if (status == DM_OK) status = dm_kkt_start(k, x->q);
  if (status == DM_OK) status = fb_constraint_tangent_set(w, k->Dh0);
  if (status == DM_OK) fb_constraint_tangent_impulse(w, r, lambda);
  fb_constraint_tangent_free(w);
  dm_kkt_free(k);
  return status;
}

dm_status fb_repeat_motion(dm_trajectory **out, const dm_trajectory *x, const dm_system *s) {
  const size_t n = (size_t)x->n;
  dm_trajectory *to = NULL;
  *out = NULL;
  double *r = calloc(n + (size_t)x->nc + 1, sizeof *r), *lambda = r ? r + n : NULL;
  dm_status status = r ? dm_trajectory_of(&to, x->N, s) : DM_NO_MEMORY;
  if (status == DM_OK) dm_trajectory_copy(to, x);
  if (status == DM_OK && x->nc) status = find_last_impulse(x, s, r, lambda);
  for (int c = 0; status == DM_OK && c < x->nc; c++) to->lambda[c] += lambda[c];
  if (status == DM_OK) memcpy(to->p, x->p + (size_t)x->N * n, n * sizeof *to->p);
  free(r);
  if (status != DM_OK) dm_trajectory_free(to);
  if (status == DM_OK) *out = to;
  return status;
}

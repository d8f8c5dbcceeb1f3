#include "lib/discrete/certify.h"

#include "lib/discrete/kkt_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// the largest residual of all constraints at all knots
static dm_status find_worst_residual(const dm_trajectory *x, const dm_system *s,
                                     dm_certificate *out) {
  dm_kkt *w = NULL;
  DM_TRY(dm_kkt_new(&w, s));

  dm_status status = DM_OK;

  // a residual of 0 counts, and NaN counts as the largest
  double largest = -1;
  for (int k = 0; k <= x->N && status == DM_OK; k++) {
    const double *q = x->q + (size_t)k * (size_t)x->n;
    status = k ? dm_kkt_step(w, q - x->n, q, dm_trajectory_step(x, k - 1)) : dm_kkt_end(w, q);

    for (int c = 0; c < w->nc; c++) {
      if (fabs(w->h[c]) <= largest) continue;
      largest = fabs(w->h[c]);
      out->row = c;
      out->residual_knot = k;
    }
  }
  if (out->row >= 0) out->residual = largest;
  dm_kkt_free(w);
  return status;
}

// open-loop simulation from the start with the motion's inputs
static dm_status find_rollout_drift(const dm_trajectory *x, const dm_system *s, dm_del *del,
                                    dm_certificate *out) {
  dm_trajectory *roll = NULL;
  const size_t len = (size_t)x->n * sizeof *x->q;
  dm_del_info info;

  // initial state and all inputs
  DM_TRY(dm_trajectory_of(&roll, x->N, s));
  roll->h = x->h;
  dm_trajectory_set_grid(roll, x->grid);
  memcpy(roll->q, x->q, len);
  memcpy(roll->p, x->p, len);
  memcpy(roll->v, x->v, len);
  if (x->nr && s->contacts)
    memcpy(roll->contact, x->contact, ((size_t)x->N + 1) * (size_t)x->nr * sizeof *x->contact);
  if (x->nu) memcpy(roll->u, x->u, (size_t)x->N * (size_t)x->nu * sizeof *x->u);

  // as far as it succeeds
  dm_status status = dm_trajectory_rollout(roll, del, &info, &out->drift_knot);
  if (status != DM_OK) out->drift = INFINITY;
  for (int i = 0; isfinite(out->drift) && i < (x->N + 1) * x->n; i++)
    out->drift = fmax(out->drift, fabs(roll->q[i] - x->q[i]));
  dm_trajectory_free(roll);
  return status == DM_NO_MEMORY ? status : DM_OK;
}

dm_status dm_certify(const dm_trajectory *x, const dm_system *s, const dm_scale *scale,
                     dm_certificate *out) {
  dm_del *del = NULL;
  assert(x->n == s->L.nq && x->nc == s->hol.nc && x->h > 0);
  *out = (dm_certificate){.gap = INFINITY, .drift_knot = -1, .row = -1};
  DM_TRY(find_worst_residual(x, s, out));

  // both by the same integrator, independent of any program
  dm_status status = dm_del_new(&del, s, NULL);
  if (status == DM_OK) status = dm_trajectory_certify(x, del, scale, &out->gap, &out->gap_knot);
  if (status == DM_OK) status = find_rollout_drift(x, s, del, out);
  dm_del_free(del);
  return status;
}

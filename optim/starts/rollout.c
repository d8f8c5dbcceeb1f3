#include "optim/starts/rollout.h"

#include "lib/mechanics/continuous.h"
#include "optim/starts/inverse_kinematics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

dm_status oc_rollout_begin(dm_del **del, const oc_task *t, dm_trajectory *x) {
  *del = NULL;
  DM_TRY(oc_guess_line(t, x)); // its first knot is the start
  for (int i = 0; i < x->n; i++) x->v[i] = oc_given(t->start.v, i) ? t->start.v[i] : 0;

  // the momentum there, and the system's own steps from there
  dm_continuous *at;
  DM_TRY(dm_continuous_new(&at, &t->system));
  dm_status s = dm_momentum_of(at, x->q, x->v, x->p);
  dm_continuous_free(at);
  return s < 0 ? s : dm_del_new(del, &t->system, NULL);
}

void oc_rollout_stop(dm_trajectory *x, int k) {
  const size_t n = (size_t)x->n;
  for (int j = k + 1; j <= x->N; j++) {
    memcpy(x->q + (size_t)j * n, x->q + (size_t)k * n, n * sizeof *x->q);
    memset(x->v + (size_t)j * n, 0, n * sizeof *x->v);
  }
}

dm_status oc_rollout_follow(dm_del *del, dm_trajectory *x, int *failed) {
  dm_del_info info;
  *failed = -1;
  const dm_status s = dm_trajectory_rollout(x, del, &info, failed);
  if (s == DM_NO_MEMORY) return s;
  if (*failed >= 0) oc_rollout_stop(x, *failed);
  return *failed >= 0 || s >= 0 ? DM_OK : s;
}

dm_status oc_guess_rollout(const oc_task *t, const double *u, dm_trajectory *x) {
  assert(t && x);
  dm_del *del;
  int failed;
  DM_TRY(oc_rollout_begin(&del, t, x));
  for (int k = 0; u && k < x->N; k++)
    memcpy(x->u + (size_t)k * (size_t)x->nu, u, (size_t)t->system.nu * sizeof *u);
  const dm_status s = oc_rollout_follow(del, x, &failed);
  oc_guess_prescribe(t, x);
  dm_del_free(del);
  return s;
}

// -- the guess of a task that gives none

// Does the goal leave the posture to the cost of forces, and is the motion without them determined?
static bool is_posture_free(const oc_task *t) {
  const dm_system *s = &t->system;
  if (t->periodic || t->time.free || t->outputs.follow.curve || !oc_is_waypoint(t, t->N))
    return false;
  if (s->hol.nc || s->contacts || s->kinematic || s->nu < s->L.nq) return false;
  for (int i = 0; i < s->L.nq; i++)
    if (oc_given(t->goal.q, i) || !oc_given(t->start.q, i) || !oc_given(t->start.v, i))
      return false;
  for (int i = 0; i < s->nu; i++)
    if (oc_low(t, OC_U, i) > 0 || oc_high(t, OC_U, i) < 0) return false;
  return oc_has_weight(s->nu, t->cost[OC_U].running);
}

static bool is_within_limits(const oc_task *t, const dm_trajectory *x) {
  for (int k = 1; k <= x->N; k++)
    for (int i = 0; i < x->n; i++) {
      const double q = x->q[k * x->n + i], move = q - x->q[(k - 1) * x->n + i];
      const bool inside = q >= oc_low(t, OC_Q, i) && q <= oc_high(t, OC_Q, i);
      if (!inside || !(fabs(move) <= oc_high(t, OC_V, i) * dm_trajectory_step(x, k - 1)))
        return false;
    }
  return true;
}

dm_status oc_guess_own(const oc_task *t, dm_trajectory *x) {
  assert(t && x);
  if (!is_posture_free(t)) return oc_guess_line(t, x);
  dm_del *del;
  int failed;
  DM_TRY(oc_rollout_begin(&del, t, x));
  const dm_status s = oc_rollout_follow(del, x, &failed);
  dm_del_free(del);
  if (s == DM_NO_MEMORY) return s;
  return s == DM_OK && failed < 0 && is_within_limits(t, x) ? DM_OK : oc_guess_line(t, x);
}

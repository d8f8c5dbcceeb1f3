#include "optim/interior/hand_over.h"

#include "optim/interior/interior.h"
#include "optim/nlp/best_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Returns true if IPOPT might find a solution.
static bool is_doubtful(dm_status s) {
  return s == DM_INFEASIBLE || s == DM_STALLED || s == DM_FAULT || s == DM_NOT_FINITE;
}

// allocated copy of a point
static double *copy_beginning(const oc_nlp *nlp, const oc_point *from, oc_point *to) {
  const size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  double *numbers = calloc(3 * n + m + 1, sizeof *numbers);
  if (!numbers) return NULL;
  *to = (oc_point){
      .x = numbers, .z_l = numbers + n, .z_u = numbers + 2 * n, .lambda = numbers + 3 * n};
  memcpy(to->x, from->x, n * sizeof *numbers);
  return numbers;
}

dm_status oc_hand_over_solve(const oc_nlp *nlp, const oc_options *set, const oc_hooks *hooks,
                             oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info) {
  // 1. the stage solver
  oc_point at;
  double *numbers = copy_beginning(nlp, point, &at);
  if (!numbers) {
    *info = (oc_ipopt_info){.status = DM_NO_MEMORY, .worst_row = -1};
    return DM_NO_MEMORY;
  }
  dm_status s = oc_interior_solve(nlp, set, hooks, point, record, room, info);
  // 2. IPOPT, if the outcome is doubtful and iterations and time are left
  const bool left = info->spent < set->max_iter && info->total_s < set->max_time;
  if (is_doubtful(s) && oc_ipopt_is_built() && left) {
    if (s == DM_STALLED) memcpy(at.x, point->x, (size_t)nlp->n * sizeof *at.x);

    // run IPOPT from `at`; keep the point and its figures if the result is not better
    const oc_ipopt_info ours = *info;
    // 1. IPOPT with MUMPS and the remaining iterations and time
    oc_options own = *set;
    own.linear = "mumps";
    own.program.warm = false;
    own.max_iter = set->max_iter - ours.spent;
    own.max_time = set->max_time - ours.total_s;
    s = oc_ipopt_solve(nlp, &own, hooks, &at, record, room, info);
    bool solved = s == DM_OK || s == DM_ACCEPTABLE || s == DM_INTERRUPTED;
    bool better = oc_is_better_point(info->objective, info->max_violation, ours.objective,
                                     ours.max_violation) ||
                  !isfinite(ours.max_violation);

    // 2. the better point and its figures
    if (solved || better) {
      oc_point_copy(nlp, &at, point);
    } else {
      info->objective = ours.objective;
      info->max_violation = ours.max_violation;
      info->worst_row = ours.worst_row;
    }
    // 3. statistics of both solvers
    memcpy(info->stage, ours.detail, sizeof info->stage);
    info->spent += ours.spent;
    info->total_s += ours.total_s;
    info->derivatives_s += ours.derivatives_s;
  }
  free(numbers);
  return info->status = s;
}

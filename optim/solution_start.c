#include "optim/solution_start.h"

#include "optim/starts/guess.h"
#include "optim/starts/phases_guess.h"
#include "optim/starts/rollout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// a motion with other steps on the task's grid
static dm_status resample_guess(const oc_task *task, const dm_trajectory *y, dm_trajectory *x) {
  // a free time is taken from the motion
  oc_task_set_steps(task, task->time.free ? y->h * y->N / x->N : task->time.T / task->N, x);
  oc_guess_resample(task, y, x);
  // impulses of a different number cannot be resampled
  return y->nc == x->nc ? DM_OK : oc_guess_impulses(task, x);
}

// the multipliers of the settings
static void take_warm_multipliers(oc_solution *w) {
  size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  memcpy(w->point.z_l, w->set.warm->z_l, n * sizeof *w->point.z_l);
  memcpy(w->point.z_u, w->set.warm->z_u, n * sizeof *w->point.z_u);
  memcpy(w->point.lambda, w->set.warm->lambda, m * sizeof *w->point.lambda);
  w->warm = w->same = true;
}

void oc_solution_free_motions(dm_trajectory **motion, int n) {
  for (int i = 0; motion && i < n; i++) dm_trajectory_free(motion[i]);
  free(motion);
}

dm_status oc_solution_motions(const oc_solution *w, dm_trajectory ***out) {
  const int n = w->phased.n;
  dm_trajectory **motion = calloc((size_t)n, sizeof *motion);
  if (!motion) return DM_NO_MEMORY;
  for (int i = 0; i < n; i++) {
    const oc_task *task = w->phased.task[i];
    const dm_status s = dm_trajectory_of(&motion[i], task->N, &task->system);
    if (s != DM_OK) {
      oc_solution_free_motions(motion, n);
      return s;
    }
  }
  *out = motion;
  return DM_OK;
}

dm_status oc_solution_start_phases(oc_solution *w, const dm_trajectory *const *guess) {
  assert(w && w->phases);
  dm_trajectory **made = NULL;
  if (!guess) {
    DM_TRY(oc_solution_motions(w, &made));
    const dm_status s = oc_phases_guess(&w->phased, w->branch, made);
    if (s < 0) {
      oc_solution_free_motions(made, w->phased.n);
      return s;
    }
  }
  oc_phases_pack(w->phases, guess ? guess : (const dm_trajectory *const *)made, w->point.x);
  oc_solution_free_motions(made, w->phased.n);
  memcpy(w->guess, w->point.x, (size_t)w->nlp->n * sizeof *w->guess);
  if (w->set.warm) take_warm_multipliers(w);
  return DM_OK;
}

dm_status oc_solution_start(oc_solution *w, const dm_trajectory *guess) {
  assert(w && !w->phases && (!guess || guess->n == w->task.system.L.nq));
  dm_trajectory *made = NULL;
  if (!guess) guess = w->set.guess;
  // a line of second order is the cubic through its ends, without constraints; other guesses are motions
  // on the grid
  bool cubic = w->second && !guess && !w->set.rollout && !w->task.system.hol.nc;
  if (!cubic && (!guess || guess->N != w->task.N)) {
    // the motion given by the settings, on the task's grid: resampled, rolled out or straight
    DM_TRY(dm_trajectory_of(&made, w->task.N, &w->task.system));
    dm_status s;
    if (guess)
      s = resample_guess(&w->task, guess, made);
    else if (w->set.rollout)
      s = oc_guess_rollout(&w->task, w->set.rollout_u, made);
    else
      s = w->branch ? oc_guess_branch(&w->task, w->branch, made) : oc_guess_own(&w->task, made);
    if (s < 0) dm_trajectory_free(made);
    DM_TRY(s);
    guess = made;
  }

  // copy into the unknowns of the program, within their bounds
  int coord;
  if (cubic) {
    oc_torque_transcription_cubic(w->second, w->point.x);
    oc_torque_transcription_clip(w->second, w->point.x);
  } else if (w->second)
    oc_torque_transcription_pack(w->second, guess, w->point.x);
  else
    oc_transcription_pack(w->first, guess, w->point.x);
  if (w->second) oc_torque_transcription_ease(w->second, w->point.x, &coord);
  dm_trajectory_free(made);
  // IPOPT starts from the same guess if Newton's method gives up
  memcpy(w->guess, w->point.x, (size_t)w->nlp->n * sizeof *w->guess);

  if (w->set.warm) take_warm_multipliers(w);
  return DM_OK;
}

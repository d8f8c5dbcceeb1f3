#include "optim/descent/sizes.h"

#include "optim/program/input_sizes.h"
#include "optim/program/program_scale.h"

#include <math.h>
#include <string.h>

static const double PACE = 0.15; // settling time of the gains relative to the horizon

static void copy_sizes(int n, const double *from, double *to) {
  if (to) memcpy(to, from, (size_t)n * sizeof *to);
}

dm_status oc_descent_sizes(const oc_task *task, double *q, double *v, double *p, double *u) {
  const int n = task->system.L.nq;
  const bool *kinematic = task->system.kinematic;
  dm_scale *of;

  // 1. the task with this duration, and inputs without limits
  oc_task paced = *task;
  paced.time.T = task->scales.pace > 0 ? task->scales.pace : PACE * task->time.T;
  paced.bounds[OC_U].low = paced.bounds[OC_U].high = NULL;
  DM_TRY(oc_task_scale(&of, &paced, 1));

  // 2. the largest inertia for all: p q is the same action
  double action = 0;
  for (int i = 0; i < n; i++) action = fmax(action, of->p[i] * of->q[i]);
  for (int i = 0; i < n; i++) of->p[i] = kinematic && kinematic[i] ? of->v[i] : action / of->q[i];

  // 3. inputs that change these momenta within this time
  const dm_status s = u ? oc_input_sizes(&paced, of, u) : DM_OK;
  copy_sizes(n, of->q, q);
  copy_sizes(n, of->v, v);
  copy_sizes(n, of->p, p);
  dm_scale_free(of);
  return s;
}

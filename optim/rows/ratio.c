#include "optim/rows/ratio.h"

// 1, or -1 if the coordinate travels backwards
static double find_sign(const oc_task *task) {
  double low, high;
  oc_task_travel(task, task->per.coord, &low, &high);
  return low > 0 ? 1 : -1;
}

double oc_ratio_way(const oc_transcription *t, const double *x) {
  const oc_task *task = &t->task;
  const int i = task->per.coord;
  if (task->per.of == OC_PER_MOTION) return 1;
  if (task->per.of == OC_PER_TIME) return t->N * x[t->h];
  return find_sign(task) * (x[oc_transcription_q(t, t->N) + i] - x[oc_transcription_q(t, 0) + i]);
}

void oc_ratio_gradient(const oc_transcription *t, double *grad) {
  const oc_task *task = &t->task;
  const int i = task->per.coord;
  if (task->per.of == OC_PER_TIME) grad[t->h] -= t->ratio_price * t->N;
  if (task->per.of != OC_PER_TRAVEL) return;
  grad[oc_transcription_q(t, t->N) + i] -= t->ratio_price * find_sign(task);
  grad[oc_transcription_q(t, 0) + i] += t->ratio_price * find_sign(task);
}

#include "optim/starts/curve_timing.h"

#include "lib/base/block.h"

// does the task prescribe zero velocity there?
static bool is_at_rest(const oc_task *t, const double *v) {
  for (int i = 0; i < t->system.L.nq; i++)
    if (!v || v[i] != 0) return false;
  return true;
}

double oc_curve_timing(const oc_task *task, int k) {
  const double x = (double)k / task->N;
  const double a = is_at_rest(task, task->start.v) ? 0 : 1;
  const double b = is_at_rest(task, task->goal.v) ? 0 : 1;
  // from 0 to 1 with slopes a and b
  return x * (a + x * ((3 - 2 * a - b) + x * (a + b - 2)));
}

static void lay_out_limits(dm_block *b, const oc_task *t, oc_output_limit **limit, double **r) {
  const size_t m = (size_t)t->outputs.follow.curve->m;
  *limit = dm_block_alloc(b, (size_t)t->outputs.nlimits + m, sizeof **limit);
  *r = dm_block_alloc(b, m * ((size_t)t->N + 2), sizeof **r);
}

static bool follows_curve(const oc_followed *f, int output) {
  for (int i = 0; i < f->curve->m; i++)
    if (f->output[i] == output) return true;
  return false;
}

dm_status oc_timed_task_new(oc_timed_task *out, const oc_task *task) {
  const oc_outputs *o = &task->outputs;
  const oc_followed *f = &o->follow;
  oc_output_limit *limit;
  double *r;
  dm_block b = {0};
  *out = (oc_timed_task){.task = *task};
  if (!f->curve) return DM_OK;

  lay_out_limits(&b, task, &limit, &r);
  DM_TRY(dm_block_new(&b));
  out->room = b.base;
  lay_out_limits(&b, task, &limit, &r);
  int n = 0;
  for (int i = 0; i < o->nlimits; i++)
    if (!follows_curve(f, o->limits[i].output)) limit[n++] = o->limits[i];

  // r(s_k), row by row; one more point as scratch
  const int m = f->curve->m, N = task->N;
  double *point = r + m * (N + 1);
  for (int k = 0; k <= N; k++) {
    dm_curve_eval(f->curve, oc_curve_timing(task, k), point, NULL, NULL);
    for (int i = 0; i < m; i++) r[i * (N + 1) + k] = point[i];
  }
  for (int i = 0; i < m; i++)
    limit[n++] =
        (oc_output_limit){.output = f->output[i], .at = {0, 1}, .references = r + i * (N + 1)};
  out->task.outputs.limits = limit;
  out->task.outputs.nlimits = n;
  out->task.outputs.margins = NULL;
  return DM_OK;
}

void oc_timed_task_free(oc_timed_task *w) {
  dm_block_free(w->room);
  w->room = NULL;
}

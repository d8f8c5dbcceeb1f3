#include "optim/starts/regrid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool oc_task_can_regrid(const oc_task *task) {
  return !task->sum && task->functions.nterms == 0 && task->functions.npaths == 0;
}

// rows of a reference at knots 0..N, n numbers each, interpolated from knots 0..M
static const double *sample_knots(const double *from, int M, int n, int N, double **at) {
  double *to = *at;
  if (!from) return NULL;
  for (int k = 0; k <= N; k++) {
    // knot k lies in step j of the old grid, at fraction w of it
    double s = (double)k * M / N;
    int j = s < M ? (int)s : M - 1;
    double w = s - j;
    const double *a = from + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) to[k * n + i] = (1 - w) * a[i] + w * a[n + i];
  }
  *at += (size_t)(N + 1) * (size_t)n;
  return to;
}

// rows of steps 0..N-1, each from the old step at its midpoint
static const double *sample_steps(const double *from, int M, int n, int N, double **at) {
  double *to = *at;
  if (!from) return NULL;
  for (int k = 0; k < N; k++) {
    size_t j = (size_t)((k + 0.5) * M / N);
    memcpy(to + (size_t)k * (size_t)n, from + j * (size_t)n, (size_t)n * sizeof *to);
  }
  *at += (size_t)N * (size_t)n;
  return to;
}

dm_status oc_task_regrid(oc_regridded *out, const oc_task *task, int N) {
  assert(out && task && N >= 1);
  const int n = task->system.L.nq, nu = dm_system_inputs(&task->system), M = task->N;
  *out = (oc_regridded){.numbers = NULL};
  if (!oc_task_can_regrid(task)) return DM_UNAVAILABLE;

  // space for all references, one after another
  const int ncosts = task->outputs.ncosts, nlimits = task->outputs.nlimits;
  int moving = 3 * n + nu + (task->time.grid != NULL);
  for (int i = 0; i < ncosts; i++) moving += task->outputs.costs[i].references != NULL;
  for (int i = 0; i < nlimits; i++) moving += task->outputs.limits[i].references != NULL;
  if (task->outputs.margins) moving += 2 * nlimits;
  double *numbers = calloc((size_t)(N + 1) * (size_t)moving, sizeof *numbers);
  oc_output_cost *costs = calloc((size_t)ncosts + 1, sizeof *costs);
  oc_output_limit *limits = calloc((size_t)nlimits + 1, sizeof *limits);
  if (!numbers || !costs || !limits) {
    free(numbers);
    free(costs);
    free(limits);
    return DM_NO_MEMORY;
  }
  double *at = numbers;
  oc_task t = *task;
  t.N = N;
  t.time.least *= (double)M / N;
  t.time.most *= (double)M / N;
  if (task->time.grid) {
    // knots at the same fractions of the steps
    dm_grid_resample(task->time.grid, M, N, at);
    t.time.grid = at;
    at += N + 1;
  }
  for (int of = 0; of < OC_QUANTITIES; of++) {
    const double **ref = &t.cost[of].reference;
    *ref = of == OC_U ? sample_steps(*ref, M, nu, N, &at) : sample_knots(*ref, M, n, N, &at);
  }

  // costs, limits, references and margins of outputs on the new grid
  double **margins = &t.outputs.margins;
  for (int i = 0; i < task->outputs.ncosts; i++) {
    costs[i] = task->outputs.costs[i];
    costs[i].references = sample_knots(task->outputs.costs[i].references, M, 1, N, &at);
  }
  for (int i = 0; i < task->outputs.nlimits; i++) {
    limits[i] = task->outputs.limits[i];
    limits[i].references = sample_knots(task->outputs.limits[i].references, M, 1, N, &at);
  }

  // for both sides of each limit, one after another
  *margins = task->outputs.margins ? at : NULL;
  for (int i = 0; task->outputs.margins && i < 2 * task->outputs.nlimits; i++)
    sample_knots(task->outputs.margins + (size_t)i * (size_t)(M + 1), M, 1, N, &at);

  // the excess over limits between knots falls with h^2
  const double less = (double)M / N * M / N;
  for (double *m = *margins; m && m < at; m++) *m *= less;

  t.outputs.costs = costs;
  t.outputs.limits = limits;
  *out = (oc_regridded){t, numbers, costs, limits};
  return DM_OK;
}

void oc_regridded_free(oc_regridded *r) {
  free(r->numbers);
  free(r->costs);
  free(r->limits);
  *r = (oc_regridded){.numbers = NULL};
}

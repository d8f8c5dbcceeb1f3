#include "optim/rows/exact_rows.h"

#include <math.h>

// a solver's tolerance; the larger room if few coordinates are free
static const double TOLERANCE = 1e-8, MORE = 1e-7;
enum { MANY = 3, FREE = 2 };

static bool is_given(const double *v, int n) {
  for (int i = 0; i < n; i++)
    if (!v || isnan(v[i])) return false;
  return true;
}

// rows of a curve at all inner knots
static int count_curve_rows(const oc_outputs *o) {
  int rows = 0;
  for (int i = 0; o->follow.curve && i < o->follow.curve->m; i++) rows += o->follow.within[i] == 0;
  return rows;
}

// position limits that fix a value at all inner knots
static int count_limits(const oc_outputs *o, int N) {
  int rows = 0;
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    int first, last;
    if (l->low != l->high || oc_outputs_driven(o, l->output)) continue;
    if (dm_output_map_is_rated(&o->y, l->output)) continue;
    oc_span_knots(l->at, N, &first, &last);
    rows += first <= 1 && last >= N - 1;
  }
  return rows;
}

oc_exact_room oc_exact_rows_room(const oc_task *task) {
  const oc_outputs *o = &task->outputs;
  const int n = o->y.n, limits = count_limits(o, task->N), rows = limits + count_curve_rows(o);
  const oc_exact_room none = {0, 0}, little = {MORE, MORE}, usual = {0, TOLERANCE};
  if (task->periodic || !is_given(task->start.v, n) || !is_given(task->goal.v, n)) return none;
  if (rows > MANY && n - task->system.hol.nc - rows < FREE) return little;
  return limits ? usual : none;
}

#include "optim/transcription/exact_rows.h"

#include <math.h>

static const double ROOM = 1e-7;
// so many rows are met exactly in any case; so many coordinates meet what the two rests ask
enum { MANY = 3, FREE = 2 };

static bool is_given(const double *v, int n) {
  for (int i = 0; i < n; i++)
    if (!v || isnan(v[i])) return false;
  return true;
}

// rows of a curve, and limits that are one value, at all inner knots
static int count_exact(const oc_task *task) {
  const oc_outputs *o = &task->outputs;
  int rows = 0;
  for (int i = 0; o->follow.curve && i < o->follow.curve->m; i++) rows += o->follow.within[i] == 0;
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    int first, last;
    if (l->low != l->high || oc_outputs_driven(o, l->output) ||
        dm_output_map_is_rated(&o->y, l->output))
      continue;
    oc_span_knots(l->at, task->N, &first, &last);
    rows += first <= 1 && last >= task->N - 1;
  }
  return rows;
}

double oc_exact_rows_room(const oc_task *task) {
  const int n = task->outputs.y.n, rows = count_exact(task);
  const bool rests = is_given(task->v_start, n) && is_given(task->v_goal, n);
  if (rows == 0 || task->periodic || !rests) return 0;
  return rows > MANY && n - task->system.hol.nc - rows < FREE ? ROOM : 0;
}

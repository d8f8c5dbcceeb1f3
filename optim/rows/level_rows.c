#include "optim/rows/level_rows.h"

#include <math.h>

static int find_level(const oc_transcription *t, int k, int l) {
  return t->level + k * t->task.outputs.nlevels + l;
}

// does the largest value of a level regard its output at knot or step k?
static bool is_below(const oc_transcription *t, int k, int l) {
  const oc_level *level = &t->task.outputs.levels[l];
  int first, last;
  oc_outputs_span(&t->task.outputs, level->output, level->at, t->N, &first, &last);
  return level->largest && k >= first && k <= last;
}

void oc_level_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const int m = t->task.outputs.nlevels;
  for (int k = 0; k <= t->N; k++)
    for (int l = 0; l < m; l++) {
      // z_{k+1} - z_k - w h y = 0; y - z <= 0
      const int row = oc_rows_at(t, kind, k) + l;
      const bool equal = kind == OC_LEVEL_ROWS;
      t->g_min[row] = equal ? 0 : -INFINITY;
      t->g_max[row] = equal || is_below(t, k, l) ? 0 : INFINITY;
    }
  for (int i = 0; kind == OC_LEVEL_ROWS && i < oc_level_rows_count(&t->task); i++) {
    // an integral begins at 0 and ends within its range
    const oc_level *level = &t->task.outputs.levels[i % m];
    const bool begin = !level->largest && i < m, end = !level->largest && i >= m * (t->N + 1);
    t->x_min[t->level + i] = begin ? 0 : end ? level->low : -INFINITY;
    t->x_max[t->level + i] = begin ? 0 : end ? level->high : INFINITY;
  }
}

void oc_level_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                            double *g) {
  for (int k = 0; k <= t->N; k++)
    for (int l = 0; l < t->task.outputs.nlevels; l++) {
      const int row = oc_rows_at(t, kind, k) + l;
      if (kind == OC_LEVEL_ROWS) g[row] += x[find_level(t, k + 1, l)];
      g[row] -= x[find_level(t, k, l)];
    }
}

dm_status oc_level_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                            oc_triplets *s) {
  (void)x;
  for (int k = 0; k <= t->N; k++)
    for (int l = 0; l < t->task.outputs.nlevels; l++) {
      const int row = oc_rows_at(t, kind, k) + l;
      oc_put(s, row, find_level(t, k, l), -1);
      if (kind == OC_LEVEL_ROWS) oc_put(s, row, find_level(t, k + 1, l), 1);
    }
  return DM_OK;
}

double oc_level_rows_cost(const oc_transcription *t, const double *x) {
  double sum = 0;
  for (int l = 0; l < t->task.outputs.nlevels; l++)
    if (t->task.outputs.levels[l].largest)
      sum += t->task.outputs.levels[l].weight * x[find_level(t, 0, l)];
  return sum;
}

void oc_level_rows_gradient(const oc_transcription *t, double *grad) {
  for (int l = 0; l < t->task.outputs.nlevels; l++)
    if (t->task.outputs.levels[l].largest)
      grad[find_level(t, 0, l)] += t->task.outputs.levels[l].weight;
}

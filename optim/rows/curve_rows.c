#include "optim/rows/curve_rows.h"

#include "optim/rows/exact_rows.h"

#include <math.h>
#include <string.h>

static int count_rows(const oc_transcription *t) {
  return t->s < 0 ? 0 : t->task.outputs.follow.curve->m;
}

void oc_curve_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  const oc_followed *f = &t->task.outputs.follow;
  const int m = count_rows(t), N = t->N;
  const double exact = oc_exact_rows_room(&t->task).curve;
  if (!m) return;

  // s from 0 to 1: the ends are given, and the order keeps the others in between
  for (int k = 0; k <= N; k++) {
    t->x_min[t->s + k] = -INFINITY;
    t->x_max[t->s + k] = INFINITY;
    if (k == 0 || k == N) t->x_min[t->s + k] = t->x_max[t->s + k] = k == N;
    for (int i = 0; i < m; i++) {
      const bool inner = k > 0 && k < N;
      const double room = inner && f->within[i] == 0 ? exact : f->within[i];
      t->g_min[oc_rows_at(t, kind, k) + i] = -room;
      t->g_max[oc_rows_at(t, kind, k) + i] = room;
    }
  }
}

void oc_curve_rows_bound_order(oc_transcription *t, oc_rows_kind kind) {
  // never backwards, and limited per step; a single step needs no limit
  const int N = t->N, rows = t->s < 0 ? 0 : N, row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < rows; k++) {
    t->g_min[row + k] = N > 1 ? 0 : -INFINITY;
    t->g_max[row + k] = N > 8 ? oc_curve_most(N) : INFINITY;
  }
}

dm_status oc_curve_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                            oc_triplets *s) {
  const int m = count_rows(t);
  for (int k = 0; m && k <= t->N; k++) {
    if (s->val) {
      t->curve_s[k] = x[t->s + k];
      dm_curve_eval(t->task.outputs.follow.curve, t->curve_s[k], t->curve_r + k * m, t->curve_slope,
                    NULL);
    }
    for (int i = 0; i < m; i++) oc_put(s, oc_rows_at(t, kind, k) + i, t->s + k, -t->curve_slope[i]);
  }
  return DM_OK;
}

void oc_curve_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                            double *g) {
  (void)x;
  for (int k = 0; k <= t->N; k++)
    for (int i = 0, m = count_rows(t); i < m; i++)
      g[oc_rows_at(t, kind, k) + i] -= t->curve_r[k * m + i];
}

dm_status oc_curve_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                    double sigma, const double *lambda, oc_triplets *s) {
  const int m = count_rows(t);
  (void)sigma;
  for (int k = 0; m && k <= t->N; k++) {
    double bend = 0;
    if (s->val) {
      const double *of = lambda + oc_rows_at(t, kind, k);
      dm_curve_eval(t->task.outputs.follow.curve, x[t->s + k], NULL, NULL, t->curve_slope);
      for (int i = 0; i < m; i++) bend -= of[i] * t->curve_slope[i];
    }
    oc_put(s, t->s + k, t->s + k, bend);
  }
  return DM_OK;
}

void oc_curve_rows_pack(const oc_transcription *t, const dm_trajectory *traj, double *x) {
  const oc_outputs *o = &t->task.outputs;
  const int m = count_rows(t);
  if (!m) return;
  for (int k = 0; k <= t->N; k++) {
    // points without a value are ignored
    const dm_status s = dm_output_map_eval(&o->y, t->out_scratch, traj->q + k * t->n, NULL,
                                           t->out_here, NULL, NULL);
    for (int i = 0; i < m; i++)
      t->curve_y[k * m + i] = s < 0 && s != DM_NOT_FINITE ? NAN : t->out_here[o->follow.output[i]];
  }
  oc_curve_place_find(t->curve_place, t->curve_y, x + t->s);
}

#include "optim/descent/start.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_start(void *self, dm_block *b) {
  oc_start *w = self;
  size_t n = (size_t)w->n, nt = (size_t)w->nt;
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&w->low, nt},         {&w->high, nt},        {&w->step, nt},
              {&w->G, 2 * n * nt},   {&w->H, nt * nt},      {&w->zero, n},
              {&w->pull, n},         {&w->jet.L_q, n},      {&w->jet.L_v, n},
              {&w->jet.L_qq, n * n}, {&w->jet.L_qv, n * n}, {&w->jet.L_vv, n * n}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  w->which = dm_block_alloc(b, nt, sizeof *w->which);
  w->sweep = dm_block_alloc(b, w->task->system.L.scratch, 1);
}

static bool is_kinematic_start(const oc_task *t, int i) {
  return t->system.kinematic && t->system.kinematic[i];
}

// returns true if entry i of (q, v, step) is an unknown
static bool is_unknown(const oc_task *t, int i) {
  int n = t->system.L.nq;
  if (i == 2 * n) return t->time.free;
  if (i < n) return !oc_given(t->start.q, i);
  return !oc_given(t->start.v, i - n) && !is_kinematic_start(t, i - n);
}

dm_status oc_start_new(oc_start **out, const oc_task *task) {
  assert(out && task);

  // count the free entries
  oc_start sizes = {.task = task, .n = task->system.L.nq};
  for (int i = 0; i <= 2 * sizes.n; i++) sizes.nt += is_unknown(task, i);
  *out = NULL;
  oc_start *w = dm_block_make(&sizes, sizeof sizes, lay_out_start);
  if (!w) return DM_NO_MEMORY;

  // their indices and bounds
  for (int i = 0, k = 0; i <= 2 * w->n; i++)
    if (is_unknown(task, i)) w->which[k++] = i;

  // bounds of the task: of the step T / N, of positions, of speeds
  const oc_task *t = w->task;
  for (int i = 0; i < w->nt; i++) {
    // the step, a position, or a velocity
    int e = w->which[i], n = w->n;
    if (e == 2 * n) {
      w->low[i] = t->time.min / t->N;
      w->high[i] = t->time.max / t->N;
    } else if (e < n) {
      w->low[i] = oc_low(t, OC_Q, e);
      w->high[i] = oc_high(t, OC_Q, e);
    } else {
      w->high[i] = oc_high(t, OC_V, e - n);
      w->low[i] = -w->high[i];
    }
  }

  dm_status s = dm_continuous_new(&w->c, &task->system);
  if (s != DM_OK) {
    oc_start_free(w);
    return s;
  }
  *out = w;
  return DM_OK;
}

void oc_start_free(oc_start *w) {
  if (w) dm_continuous_free(w->c);
  dm_block_free(w);
}

// address of unknown i in a motion
static double *find_unknown(const oc_start *w, const dm_trajectory *x, int i) {
  int e = w->which[i], n = w->n;
  if (e < n) return x->q + e;
  return x->v + e - n;
}

double oc_start_value(const oc_start *w, const dm_trajectory *x, int i) {
  return w->which[i] == 2 * w->n ? x->h : *find_unknown(w, x, i);
}

dm_status oc_start_move(oc_start *w, const dm_trajectory *x, double a, dm_trajectory *y) {
  size_t size = (size_t)w->n * sizeof(double);
  y->h = x->h;
  if (y != x) {
    memcpy(y->q, x->q, size);
    memcpy(y->v, x->v, size);
    memcpy(y->p, x->p, size);
  }

  // theta + a step, within bounds
  for (int i = 0; i < w->nt; i++) {
    double to = oc_start_value(w, x, i) + a * w->step[i];
    to = fmin(fmax(to, w->low[i]), w->high[i]);
    if (w->which[i] == 2 * w->n)
      y->h = to;
    else
      *find_unknown(w, y, i) = to;
  }

  // p_0 = L_v if q or v has a free entry
  bool moves = w->nt > 0 && w->which[0] < 2 * w->n;
  return moves ? dm_momentum_of(w->c, y->q, y->v, y->p) : DM_OK;
}

dm_status oc_start_set(oc_start *w, dm_trajectory *x) {
  const oc_task *t = w->task;
  for (int i = 0; i < w->n; i++) {
    if (oc_given(t->start.q, i)) x->q[i] = t->start.q[i];
    if (oc_given(t->start.v, i))
      x->v[i] = t->start.v[i];
    else if (is_kinematic_start(t, i))
      x->v[i] = 0;
  }
  if (!t->time.free) x->h = oc_task_step(t);

  // the free entries within their bounds
  memset(w->step, 0, (size_t)w->nt * sizeof *w->step);
  DM_TRY(oc_start_move(w, x, 0, x));
  return dm_momentum_of(w->c, x->q, x->v, x->p);
}

// second derivative of p.zeta_p by entries a and b of (q,v), from T(0, zeta_p)
static double bend_entry(const oc_start *w, int a, int b) {
  int n = w->n;
  if (a < n && b < n) return w->jet.L_qq[a * n + b];
  if (a < n) return w->jet.L_qv[a * n + b - n];
  if (b < n) return w->jet.L_qv[b * n + a - n];
  return w->jet.L_vv[(a - n) * n + b - n];
}

dm_status oc_start_derivatives(oc_start *w, const dm_trajectory *x, const double *zeta) {
  const dm_lagrangian *L = &w->task->system.L;
  int n = w->n, nt = w->nt;
  memset(w->G, 0, (size_t)(2 * n * nt) * sizeof *w->G);
  memset(w->H, 0, (size_t)(nt * nt) * sizeof *w->H);
  if (nt == 0 || w->which[0] == 2 * n) return DM_OK; // only the step is free

  // p by q and by v; for a kinematic coordinate p is its velocity
  DM_TRY(L->eval(L->self, w->sweep, 2, x->q, x->v, &w->jet));
  for (int j = 0; j < nt && w->which[j] < 2 * n; j++) {
    int e = w->which[j];
    if (e < n) w->G[e * nt + j] = 1;
    for (int i = 0; i < n; i++)
      if (!is_kinematic_start(w->task, i))
        w->G[(n + i) * nt + j] = e < n ? w->jet.L_qv[e * n + i] : w->jet.L_vv[i * n + e - n];
  }
  if (!zeta) return DM_OK;

  // zeta_p.L_v'': T(0, zeta_p)
  if (!L->contract) return DM_UNAVAILABLE;
  for (int i = 0; i < n; i++) w->pull[i] = is_kinematic_start(w->task, i) ? 0 : zeta[n + i];
  DM_TRY(L->contract(L->self, w->sweep, x->q, x->v, w->zero, w->pull, &w->jet));
  for (int a = 0; a < nt && w->which[a] < 2 * n; a++)
    for (int b = 0; b < nt && w->which[b] < 2 * n; b++)
      w->H[a * nt + b] = bend_entry(w, w->which[a], w->which[b]);
  return DM_OK;
}

#include "optim/descent/terminal.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/transcription/quadratic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_terminal(void *self, dm_block *b) {
  oc_terminal *t = self;
  size_t n = (size_t)t->n, nn = n * n, ng = (size_t)t->ng;
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&t->multiplier, ng}, {&t->off, ng},   {&t->E, ng * 2 * n}, {&t->v, n},
              {&t->g, 2 * n},       {&t->H, 4 * nn}, {&t->M, nn},         {&t->Y, 4 * nn},
              {&t->TY, 4 * nn},     {&t->W, 3 * n},  {&t->e, 3 * n},      {&t->zero, n},
              {&t->T.L_q, n},       {&t->T.L_v, n},  {&t->T.L_qq, nn},    {&t->T.L_qv, nn},
              {&t->T.L_vv, nn}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  t->which = dm_block_alloc(b, ng, sizeof *t->which);
  t->piv = dm_block_alloc(b, n, sizeof *t->piv);
  t->sweep = dm_block_alloc(b, t->task->system.L.scratch, 1);
}

static double entry_or(const double *a, int i, double missing) {
  return a ? a[i] : missing;
}

// the goal's entry of y_i, i < 2n, NAN where it is free
static double goal_entry(const oc_task *task, int n, int i) {
  return i < n ? entry_or(task->q_goal, i, NAN) : entry_or(task->v_goal, i - n, NAN);
}

dm_status oc_terminal_new(oc_terminal **out, const oc_task *task) {
  assert(out && task);
  oc_terminal sizes = {.task = task, .n = task->system.L.nq};

  for (int i = 0; i < 2 * sizes.n; i++) sizes.ng += !isnan(goal_entry(task, sizes.n, i));
  oc_terminal *t = dm_block_make(&sizes, sizeof sizes, lay_out_terminal);
  if (!t) return DM_NO_MEMORY;

  // the goal's entries, of q and then of v
  for (int i = 0, g = 0; i < 2 * t->n; i++)
    if (!isnan(goal_entry(task, t->n, i))) t->which[g++] = i;
  dm_status status = dm_continuous_new(&t->c, &task->system);
  if (status != DM_OK) {
    dm_block_free(t);
    return status;
  }
  *out = t;
  return DM_OK;
}

void oc_terminal_free(oc_terminal *t) {
  if (t) dm_continuous_free(t->c);
  dm_block_free(t);
}

// does anything depend on the velocity?
static bool depends_on_velocity(const oc_terminal *t) {
  return t->task->wf_v || (t->ng && t->which[t->ng - 1] >= t->n);
}

// W, e = dcost/dy and the value
static void weigh_end(oc_terminal *t, const double *q, const double *p, double *cost,
                      double *merit) {
  const oc_task *task = t->task;
  int n = t->n;
  const double *y[] = {q, t->v, p};

  // 1/2 w (y - ref)^2 of y = (q, v, p)
  *cost = 0;
  t->residual = 0;
  for (int b = OC_POSITION; b <= OC_MOMENTUM; b++) {
    const oc_quadratic end = oc_quadratic_terminal(task, (oc_quantity)b);
    for (int i = 0; i < n; i++) {
      double weight = oc_quadratic_weight(&end, i), off = oc_quadratic_error(&end, i, y[b][i]);
      t->W[b * n + i] = weight;
      t->e[b * n + i] = weight * off;
      if (weight > 0)
        *cost += oc_quadratic_half(weight, off); // else a reference that is not finite would count
    }
  }

  // the goal: multiplier and penalty on each entry's error
  *merit = *cost;
  for (int g = 0; g < t->ng; g++) {
    int i = t->which[g];
    // its error, whose slope is multiplier + penalty error
    double off = t->off[g] = (i < n ? q[i] : t->v[i - n]) - goal_entry(task, n, i);
    t->residual = fmax(t->residual, fabs(off));
    t->W[i] += t->penalty;
    t->e[i] += t->multiplier[g] + t->penalty * off;
    *merit += (t->multiplier[g] + 0.5 * t->penalty * off) * off;
  }
}

dm_status oc_terminal_value(oc_terminal *t, const double *q, const double *p, double *cost,
                            double *merit) {
  if (depends_on_velocity(t)) DM_TRY(dm_velocity_of(t->c, q, p, t->v));
  weigh_end(t, q, p, cost, merit);
  return isfinite(*merit) ? DM_OK : DM_NOT_FINITE;
}

static bool is_prescribed(const oc_terminal *t, int i) {
  const bool *kinematic = t->task->system.kinematic;
  return kinematic && kinematic[i];
}

// M: L_vv, and 1 for a prescribed coordinate, whose p is its velocity; Y's lower rows (v_q v_p)
static dm_status differentiate_velocity(oc_terminal *t, const double *q) {
  const dm_lagrangian *L = &t->task->system.L;
  int n = t->n, m = 2 * n;
  DM_TRY(L->eval(L->self, t->sweep, 2, q, t->v, &t->T));

  // L_v(q,v) = p: M v_q = -L_vq, M v_p = 1
  memset(t->Y, 0, (size_t)(m * m) * sizeof(double));
  for (int i = 0; i < n; i++) {
    t->Y[i * m + i] = 1;
    t->Y[(n + i) * m + n + i] = 1;
    for (int j = 0; j < n; j++) {
      t->M[i * n + j] = is_prescribed(t, i)
                            ? i == j
                            : t->T.L_vv[i * n + j]; // p of what is prescribed is its velocity
      if (!is_prescribed(t, i)) t->Y[(n + i) * m + j] = -t->T.L_qv[j * n + i];
    }
  }

  DM_TRY(dm_lu_factor(n, t->M, t->piv));
  dm_lu_solve(n, t->M, t->piv, m, t->Y + n * m);
  return DM_OK;
}

// what second derivatives of v(q,p) add to H: less Y'(mu.L_v)''Y, of which T = T(0,mu) is the middle
static dm_status subtract_curvature(oc_terminal *t, const double *q) {
  const dm_lagrangian *L = &t->task->system.L;
  int n = t->n, m = 2 * n;
  if (!L->contract) return DM_UNAVAILABLE;

  // mu = L_vv^-1 e_v; T by (q,v)
  double *mu = t->e + n;
  dm_lu_solve_transposed(n, t->M, t->piv, 1, mu);
  for (int i = 0; i < n; i++)
    if (is_prescribed(t, i)) mu[i] = 0; // no equation L_v = p
  DM_TRY(L->contract(L->self, t->sweep, q, t->v, t->zero, mu, &t->T));

  // T Y, its upper and lower rows
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double a = 0, b = 0;
      for (int k = 0; k < n; k++) {
        a += t->T.L_qq[i * n + k] * t->Y[k * m + j] + t->T.L_qv[i * n + k] * t->Y[(n + k) * m + j];
        b += t->T.L_qv[k * n + i] * t->Y[k * m + j] + t->T.L_vv[i * n + k] * t->Y[(n + k) * m + j];
      }
      t->TY[i * m + j] = a;
      t->TY[(n + i) * m + j] = b;
    }

  // H -= Y'TY
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++) t->H[i * m + j] -= t->Y[k * m + i] * t->TY[k * m + j];
  return DM_OK;
}

dm_status oc_terminal_derivatives(oc_terminal *t, bool exact, const double *q, const double *p) {
  int n = t->n, m = 2 * n;
  double cost, merit;

  // e and W at (q,p); q and p are y's entries themselves
  DM_TRY(oc_terminal_value(t, q, p, &cost, &merit));
  memset(t->g, 0, (size_t)m * sizeof(double));
  memset(t->H, 0, (size_t)(m * m) * sizeof(double));
  for (int i = 0; i < n; i++) {
    t->g[i] += t->e[i];
    t->H[i * m + i] += t->W[i];
    t->g[n + i] += t->e[m + i];
    t->H[(n + i) * m + n + i] += t->W[m + i];
  }

  // Y, and E: the goal's entries by (q,p), rows of it
  if (depends_on_velocity(t)) DM_TRY(differentiate_velocity(t, q));
  for (int r = 0; r < t->ng; r++) {
    double *E = t->E + r * m;
    memset(E, 0, (size_t)m * sizeof *E);
    if (t->which[r] < n) // an entry of q, or row v of Y
      E[t->which[r]] = 1;
    else
      memcpy(E, t->Y + t->which[r] * m, (size_t)m * sizeof *E);
  }

  if (!depends_on_velocity(t)) return DM_OK;

  // v: g += Y'e, H += Y'WY
  for (int r = 0; r < n; r++) {
    const double *y = t->Y + (n + r) * m;
    for (int i = 0; i < m; i++) {
      t->g[i] += t->e[n + r] * y[i];
      for (int j = 0; j < m; j++) t->H[i * m + j] += t->W[n + r] * y[i] * y[j];
    }
  }

  return exact ? subtract_curvature(t, q) : DM_OK;
}

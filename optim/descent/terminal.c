#include "optim/descent/terminal.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/descent/sizes.h"
#include "optim/rows/quadratic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void lay_out_terminal(void *self, dm_block *b) {
  oc_terminal *t = self;
  size_t n = (size_t)t->n, ng = (size_t)t->ng;
  const struct {
    double **at;
    size_t count;
  } rows[] = {{&t->multiplier, ng}, {&t->kept, ng},      {&t->size, ng},
              {&t->off, ng},        {&t->E, ng * 2 * n}, {&t->g, 2 * n},
              {&t->H, 4 * n * n},   {&t->W, 3 * n},      {&t->e, 3 * n}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    *rows[i].at = dm_block_alloc(b, rows[i].count, sizeof(double));
  t->which = dm_block_alloc(b, ng, sizeof *t->which);
}

// goal for y_i, i < 2n, NAN if it is free
static double goal_entry(const oc_task *task, int n, int i) {
  const double *end = i < n ? task->goal.q : task->goal.v;
  return end ? end[i % n] : NAN;
}

dm_status oc_terminal_new(oc_terminal **out, const oc_task *task) {
  assert(out && task);
  oc_terminal sizes = {.task = task, .n = task->system.L.nq};
  int n = sizes.n;

  for (int i = 0; i < 2 * n; i++) sizes.ng += !isnan(goal_entry(task, n, i));
  oc_terminal *t = dm_block_make(&sizes, sizeof sizes, lay_out_terminal);
  if (!t) return DM_NO_MEMORY;

  // entries of the goal, of q, then of v
  for (int i = 0, g = 0; i < 2 * n; i++)
    if (!isnan(goal_entry(task, n, i))) t->which[g++] = i;
  double *size = t->W; // [2n] of (q,v)
  dm_status status = oc_descent_sizes(task, size, size + n, NULL, NULL);
  for (int g = 0; g < t->ng; g++) t->size[g] = size[t->which[g]];
  memset(t->W, 0, 2 * (size_t)n * sizeof *t->W);

  // true if the velocity, or the projected momentum, is needed
  t->moving = oc_has_weight(n, task->cost[OC_V].goal) || (t->ng && t->which[t->ng - 1] >= n) ||
              (task->system.hol.nc && oc_has_weight(n, task->cost[OC_P].goal));
  if (status == DM_OK) status = dm_continuous_new(&t->c, &task->system);
  if (status == DM_OK) status = oc_knot_velocity_new(&t->knot, &task->system);
  if (status != DM_OK) {
    oc_terminal_free(t);
    return status;
  }
  *out = t;
  return DM_OK;
}

void oc_terminal_free(oc_terminal *t) {
  if (t) {
    dm_continuous_free(t->c);
    oc_knot_velocity_free(t->knot);
  }
  dm_block_free(t);
}

// the knot's momentum: without constraints that of the state
static const double *find_momentum(const oc_terminal *t, const double *p) {
  return t->task->system.hol.nc ? t->knot->p : p;
}

// W, e = dcost/dy and the value
static void weigh_end(oc_terminal *t, const double *q, const double *p, double *cost,
                      double *merit) {
  const oc_task *task = t->task;
  int n = t->n;
  const double *v = t->knot->v, *y[] = {q, v, find_momentum(t, p)};

  // 1/2 w (y - ref)^2 of y = (q, v, p)
  *cost = 0;
  t->residual = 0;
  for (int b = OC_Q; b <= OC_P; b++) {
    const oc_quadratic end = oc_quadratic_goal(task, (oc_quantity)b);
    for (int i = 0; i < n; i++) {
      double weight = oc_quadratic_weight(&end, i), off = oc_quadratic_error(&end, i, y[b][i]);
      t->W[b * n + i] = weight;
      t->e[b * n + i] = weight > 0 ? weight * off : 0;
      if (weight > 0)
        *cost += oc_quadratic_half(weight, off); // skip references that are not finite
    }
  }

  // goal: multiplier and penalty on each entry's error
  *merit = *cost;
  for (int g = 0; g < t->ng; g++) {
    int i = t->which[g];
    // its error, with slope multiplier + penalty error
    double off = t->off[g] = (i < n ? q[i] : v[i - n]) - goal_entry(task, n, i);
    const double penalty = oc_terminal_penalty(t, g);
    t->residual = fmax(t->residual, fabs(off) / t->size[g]);
    t->W[i] += penalty;
    t->e[i] += t->multiplier[g] + penalty * off;
    *merit += (t->multiplier[g] + 0.5 * penalty * off) * off;
  }
}

dm_status oc_terminal_value(oc_terminal *t, const double *q, const double *p, double *cost,
                            double *merit) {
  if (t->moving) DM_TRY(oc_knot_velocity_find(t->knot, q, p));
  weigh_end(t, q, p, cost, merit);
  return isfinite(*merit) ? DM_OK : DM_NOT_FINITE;
}

// add the rows of a block that depend on the velocity: g += Y'e, H += Y'WY
static void add_moving_rows(oc_terminal *t, int block, const double *Y) {
  int n = t->n, m = 2 * n;
  for (int r = 0; r < n; r++) {
    const double *y = Y + r * m, e = t->e[block * n + r], weight = t->W[block * n + r];
    dm_add_to(m, e, y, t->g);
    if (weight > 0)
      for (int i = 0; i < m; i++) dm_add_to(m, weight * y[i], y, t->H + i * m);
  }
}

// entries of y that are entries of the state, q (block 0) or p (block 1)
static void add_state_rows(oc_terminal *t, int block, const double *e, const double *W) {
  int n = t->n, m = 2 * n;
  for (int i = 0; i < n; i++) {
    int at = block * n + i;
    t->g[at] += e[i];
    t->H[at * m + at] += W[i];
  }
}

dm_status oc_terminal_derivatives(oc_terminal *t, bool exact, const double *q, const double *p) {
  int n = t->n, m = 2 * n;
  double cost, merit;
  bool bound = t->task->system.hol.nc && t->moving; // p depends on the velocity as well

  // e and W at (q,p); q, and p without constraints, are entries of y
  DM_TRY(oc_terminal_value(t, q, p, &cost, &merit));
  memset(t->g, 0, (size_t)m * sizeof(double));
  memset(t->H, 0, (size_t)(m * m) * sizeof(double));
  add_state_rows(t, 0, t->e, t->W);
  if (!bound) add_state_rows(t, 1, t->e + m, t->W + m);

  // E: the goal by (q,p), unit rows or derivatives of v
  if (t->moving) DM_TRY(oc_knot_velocity_differentiate(t->knot, q));
  for (int r = 0; r < t->ng; r++) {
    double *E = t->E + r * m;
    memset(E, 0, (size_t)m * sizeof *E);
    if (t->which[r] < n)
      E[t->which[r]] = 1;
    else
      memcpy(E, t->knot->y_x + (t->which[r] - n) * m, (size_t)m * sizeof *E);
  }
  if (!t->moving) return DM_OK;

  // v, and the projected momentum; with their second derivatives
  add_moving_rows(t, OC_V, t->knot->y_x);
  if (bound) add_moving_rows(t, OC_P, t->knot->p_x);
  return exact ? oc_knot_velocity_contract(t->knot, q, t->e + n, bound ? t->e + m : NULL, t->H, m)
               : DM_OK;
}

// optim/program/callbacks.c: see callbacks.h.
//
// Every callback walks over the intervals once, k = 0..N-1. Knot k lies between interval k-1 and interval k.
// The contributions of both to its block (D22 of the first, D11 of the second) are summed in `knot_block`, so
// that each entry is put once. The ends are handled in the same way: the block of the first knot starts with
// L_vq of the start, and the last one ends with the goal.
#include "optim/program/callbacks.h"

#include "optim/rows/differences.h"
#include "optim/rows/holonomic_rows.h"
#include "optim/rows/knot_speeds.h"
#include "optim/rows/level_rows.h"
#include "optim/rows/output_rows.h"
#include "optim/rows/quadratic.h"
#include "optim/rows/ratio.h"
#include "optim/rows/rows.h"

#include <string.h>

static const double *q_of(const oc_transcription *t, const double *x, int k) {
  return x + oc_transcription_q(t, k);
}

static const double *u_of(const oc_transcription *t, const double *x, int k) {
  return x + oc_transcription_u(t, k);
}

// L at an end, with derivatives up to this order, into t->end
static dm_status eval_end(oc_transcription *t, const double *x, int end, int order) {
  const dm_lagrangian *L = &t->task.system.L;
  const double *q = q_of(t, x, end ? t->N : 0);
  return L->eval(L->self, t->scratch, order, q, x + t->v[end], &t->end);
}

// x [n] of points k, k+1, .. one after another, one per lane; after the last point, the last one is repeated
static void gather_lanes(int lanes, int n, const double *x, size_t stride, int k, int last,
                         double *out) {
  for (int l = 0; l < lanes; l++) {
    const double *from =
        x + (size_t)(k + l < last ? k + l : last) * stride; // past the end, repeat the last
    for (int i = 0; i < n; i++) out[i * lanes + l] = from[i];
  }
}

// q and u of intervals k, k+1, .. into the lanes
static void gather_intervals(oc_transcription *t, const double *x, int k) {
  int W = t->many->lanes, last = t->N - 1;
  size_t stride = (size_t)(t->n + t->nu + t->nc);
  // stages are consecutive in memory: q_{k+1} is one stride after q_k
  gather_lanes(W, t->n, x, stride, k, last, t->lane_q0);
  gather_lanes(W, t->n, x + stride, stride, k, last, t->lane_q1);
  gather_lanes(W, t->nf, x + t->n, stride, k, last, t->lane_u);
}

// check the deadline every few intervals of a walk
static dm_status ask_deadline(const oc_transcription *t, int k) {
  return k % OC_ASKS == 0 ? oc_deadline_heed(t->deadline) : DM_OK;
}

// D1 .. D2h of interval k into t->d. Walks go from k = 0 upwards: the first of a group of intervals, one per
// lane, evaluates the whole group
static dm_status eval_interval(oc_transcription *t, const double *x, int k) {
  int l = k % t->many->lanes;
  DM_TRY(ask_deadline(t, k));
  if (l == 0) {
    // the first lane evaluates all of them
    gather_intervals(t, x, k);
    // with unequal steps there is one lane
    DM_TRY(dm_interval_eval(t->many, 2, t->lane_q0, t->lane_q1, t->lane_u,
                            oc_transcription_step(t, x, k)));
  }
  dm_interval_pick(t->many, l, false, oc_transcription_steps_vary(t), t->d);
  return DM_OK;
}

// the same, with D1 and D11 those of -p_k
static dm_status eval_step_momentum(oc_transcription *t, const double *x, int k) {
  DM_TRY(eval_interval(t, x, k));
  // -p_k = D1 - Dh' lambda
  t->cost->Dh = t->Dh;
  return oc_holonomic_rows_fold(t, x, k);
}

// H00 .. Hhh of interval k into t->d, in the same way, for the multipliers t->mu and t->mu1
static dm_status contract_interval(oc_transcription *t, const double *x, int k) {
  int W = t->many->lanes, l = k % W;
  DM_TRY(ask_deadline(t, k));
  if (l == 0) {
    // the first lane contracts all of them, each with its own multipliers
    gather_intervals(t, x, k);
    gather_lanes(W, t->n, t->mu, (size_t)t->n, k, t->N - 1, t->lane_mu0);
    gather_lanes(W, t->n, t->mu1 + t->n, (size_t)t->n, k, t->N - 1, t->lane_mu1);
    DM_TRY(dm_interval_contract(t->many, oc_transcription_steps_vary(t), t->lane_q0, t->lane_q1,
                                t->lane_u, oc_transcription_step(t, x, k), t->lane_mu0,
                                t->lane_mu1));
  }
  dm_interval_pick(t->many, l, true, oc_transcription_steps_vary(t), t->d);
  return DM_OK;
}

// -- rows

// a block of the equations of motion, times sign
static void put_motion(const oc_transcription *t, oc_triplets *s, int row, int col, double sign,
                       const double *A) {
  oc_put_block(&t->motion, s, row, col, sign, A, t->motion.place);
}

static bool has_no_equation(const oc_transcription *t, int i) {
  return t->kinematic && t->kinematic[i];
}

// is coordinate i a constant parameter, with equal values at consecutive knots?
static bool stands_still(const oc_transcription *t, int i) {
  return t->task.constant.is && t->task.constant.is[i];
}

// the column of the step
static void put_step(const oc_transcription *t, oc_triplets *s, int row, const double *a) {
  for (int i = 0; t->h >= 0 && i < t->n; i++)
    if (!has_no_equation(t, i)) oc_put(s, row + i, t->h, a[i]);
}

// an entry of row or unknown `at` with a time; in the lower triangle of the Hessian times are below
static void put_time(oc_triplets *s, bool hessian, int at, int time, double value) {
  oc_put(s, hessian ? time : at, hessian ? at : time, value);
}

// the entries of n rows or unknowns, from `at` on, with the times of knots k - 1, k and k + 1, from the derivatives by
// both steps of knot k; NULL: no step
static void put_times(const oc_transcription *t, oc_triplets *s, bool hessian, int at, int k,
                      const double *before, const double *after) {
  for (int i = 0; t->times >= 0 && i < t->n; i++) {
    const double a = before ? before[i] : 0, b = after ? after[i] : 0;
    if (before) put_time(s, hessian, at + i, t->times + k - 1, -a);
    put_time(s, hessian, at + i, t->times + k, a - b);
    if (after) put_time(s, hessian, at + i, t->times + k + 1, b);
  }
}

// the rows of kinematic coordinates: the next value at knot k < N, the velocity at the last knot
static void put_prescribed_rows(const oc_transcription *t, const double *x, oc_triplets *s, int k) {
  for (int i = 0, j = t->nf; i < t->n; i++) {
    if (!has_no_equation(t, i)) continue;
    // they replace the rows of motion of these coordinates
    int row = k * t->n + i, q = oc_transcription_q(t, k) + i;
    if (k < t->N) {
      // q_{k+1} - u_k, or q_{k+1} - q_k
      oc_put(s, row, stands_still(t, i) ? q : oc_transcription_u(t, k) + j, -1);
      j++;
      oc_put(s, row, oc_transcription_q(t, k + 1) + i, 1);
      continue;
    }

    // h v_N - (q_N - q_{N-1})
    oc_put(s, row, oc_transcription_q(t, k - 1) + i, 1);
    oc_put(s, row, q, -1);
    const double part = oc_task_part(&t->task, k - 1);
    oc_put(s, row, t->v[1] + i, s->val ? oc_transcription_step(t, x, k - 1) : 0);
    if (t->h >= 0) oc_put(s, row, t->h, s->val ? part * x[t->v[1] + i] : 0);
  }
}

static void put_force_columns(const oc_transcription *t, oc_triplets *s, int row, int col,
                              const double *Du) {
  // entry by entry: D1u is sparse
  for (int e = 0; e < t->d->nz; e++)
    if (!has_no_equation(t, t->d->row[e])) oc_put(s, row + t->d->row[e], col + t->d->col[e], Du[e]);
}

static void add_into(size_t size, double *to, const double *A) {
  for (size_t i = 0; i < size; i++) to[i] += A[i];
}

// derivatives by the length of a step, as those by the mean step
static void add_by_step(size_t size, double *to, double part, const double *a) {
  for (size_t i = 0; i < size; i++) to[i] += part * a[i];
}

// L_v at the start; its derivative by q_0 stays in the knot's block for the first interval's D11
static dm_status evaluate_start(oc_transcription *t, const double *x) {
  int n = t->n;
  size_t row_size = (size_t)n * sizeof(double);
  DM_TRY(eval_end(t, x, 0, 2));
  memcpy(t->p[0], t->end.L_v, row_size);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t->knot_block[i * n + j] = t->end.L_qv[j * n + i];
  memset(t->knot_block_h, 0, row_size);
  return DM_OK;
}

// D1, D2 of interval k, kept for the rows; knot k's block is completed and its constraints are evaluated
static dm_status evaluate_step(oc_transcription *t, const double *x, int k) {
  const dm_interval *d = t->d;
  int n = t->n;
  size_t row_size = (size_t)n * sizeof(double);
  DM_TRY(eval_interval(t, x, k));
  memcpy(t->D1 + k * n, d->D1, row_size);
  memcpy(t->D2 + k * n, d->D2, row_size);

  // D22 of the interval before, or L_vq at the start, + D11
  add_into((size_t)(n * n), t->knot_block, d->D11);
  if (t->times < 0) add_by_step((size_t)n, t->knot_block_h, oc_task_part(&t->task, k), d->D1h);

  // minus Dh' lambda
  DM_TRY(oc_holonomic_rows_evaluate(t, x, k));
  for (int i = 0; t->nc && i < n; i++) t->D1[k * n + i] -= t->hol_impulse[k * n + i];
  return k == 0 ? oc_holonomic_rows_evaluate_end(t, x, 0) : DM_OK;
}

// L_v at the goal, subtracted from the last interval's D22, and the constraints there
static dm_status evaluate_goal(oc_transcription *t, const double *x) {
  int n = t->n;
  DM_TRY(eval_end(t, x, 1, 2));
  memcpy(t->p[1], t->end.L_v, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) t->knot_block[i * n + j] -= t->end.L_qv[j * n + i];
  DM_TRY(oc_holonomic_rows_evaluate(t, x, t->N));
  return oc_holonomic_rows_evaluate_end(t, x, 1);
}

// the entries of interval k: rows of knot k and of motion at k + 1, by q_k, q_{k+1}, u_k and h
static void put_interval(oc_transcription *t, const double *x, oc_triplets *s, int k) {
  const dm_interval *d = t->d;
  int n = t->n, row = k * n;
  int q0 = oc_transcription_q(t, k), q1 = oc_transcription_q(t, k + 1), u = q0 + n;

  // rows of knot k: D22 + D11, constraints, kinematic coordinates
  put_motion(t, s, row, q0, 1, t->knot_block);
  oc_holonomic_rows_put(t, s, k);
  if (k == 0) oc_holonomic_rows_put_end(t, s, 0);
  put_prescribed_rows(t, x, s, k);

  // D12 there, D21 at the next knot, inputs at both, the step
  put_motion(t, s, row, q1, 1, d->D12);
  put_motion(t, s, row + n, q0, 1, d->D21);
  if (t->left) put_force_columns(t, s, row, u, d->D1u);
  if (t->right) put_force_columns(t, s, row + n, u, d->D2u);
  put_step(t, s, row, t->knot_block_h);
  put_times(t, s, false, row, k, k > 0 ? t->knot_block_h : NULL, d->D1h);
}

// the Jacobian; with values, D1, D2 of every interval and L_v at the ends are kept
static dm_status walk_jacobian(oc_transcription *t, const double *x, oc_triplets *s) {
  const dm_interval *d = t->d;
  size_t n = (size_t)t->n;

  // the start, by v_0
  if (s->val) DM_TRY(evaluate_start(t, x));
  put_motion(t, s, 0, t->v[0], 1, t->end.L_vv);

  for (int k = 0; k < t->N; k++) {
    if (s->val) DM_TRY(evaluate_step(t, x, k));
    put_interval(t, x, s, k);
    DM_TRY(oc_knot_speeds_walk(t, x, s, k + 1));
    if (!s->val) continue;

    // the next knot's part of this interval
    memcpy(t->knot_block, d->D22, n * n * sizeof(double));
    memset(t->knot_block_h, 0, n * sizeof(double));
    add_by_step(n, t->knot_block_h, oc_task_part(&t->task, k), d->D2h);
  }

  // the goal, then all other rows
  if (s->val) DM_TRY(evaluate_goal(t, x));

  // the entries of the goal's rows
  int row = t->N * t->n;
  put_motion(t, s, row, oc_transcription_q(t, t->N), 1, t->knot_block);
  oc_holonomic_rows_put(t, s, t->N);
  oc_holonomic_rows_put_end(t, s, 1);
  put_prescribed_rows(t, x, s, t->N);
  put_motion(t, s, row, t->v[1], -1, t->end.L_vv);
  put_step(t, s, row, t->knot_block_h);
  put_times(t, s, false, row, t->N, t->knot_block_h, NULL);

  for (int kind = 0; kind < OC_ROW_KINDS; kind++)
    if (oc_row_kinds[kind].put) DM_TRY(oc_row_kinds[kind].put(t, kind, x, s));
  return DM_OK;
}

// Everything that the rows need, and their Jacobian, unless x is the point of the last evaluation.
static dm_status evaluate_rows(oc_transcription *t, const double *x) {
  // IPOPT asks for the rows first, and then mostly for derivatives at the same point
  size_t size = (size_t)t->nlp.n * sizeof(double);
  if (t->fresh && memcmp(x, t->x_at, size) == 0) return DM_OK;
  t->fresh = false;

  oc_triplets s = {.val = t->jac};
  DM_TRY(walk_jacobian(t, x, &s));
  memcpy(t->x_at, x, size);
  t->fresh = true;
  return DM_OK;
}

// the rows of kinematic coordinates, see transcribe.h
static void set_prescribed_rows(const oc_transcription *t, const double *x, double *g) {
  int n = t->n, N = t->N;
  for (int i = 0, j = t->nf; t->kinematic && i < n; i++) {
    if (!t->kinematic[i]) continue;

    // q_{k+1} - u_k, then h v_N - (q_N - q_{N-1})
    for (int k = 0; k < N; k++)
      g[k * n + i] =
          q_of(t, x, k + 1)[i] - (stands_still(t, i) ? q_of(t, x, k)[i] : u_of(t, x, k)[j]);
    g[N * n + i] = oc_transcription_step(t, x, N - 1) * x[t->v[1] + i] -
                   (q_of(t, x, N)[i] - q_of(t, x, N - 1)[i]);
    j++;
  }
}

dm_status oc_transcription_rows(void *self, const double *x, double *g) {
  oc_transcription *t = self;
  int n = t->n, N = t->N;
  DM_TRY(evaluate_rows(t, x));

  // motion: L_v + D1 at the start, D2 - L_v at the goal, D2 + D1 between, minus Dh' lambda
  for (int i = 0; i < n; i++) {
    g[i] = t->p[0][i] + t->D1[i];
    g[N * n + i] = t->D2[(N - 1) * n + i] - t->p[1][i];
  }
  for (int j = n; j < N * n; j++) g[j] = t->D2[j - n] + t->D1[j];
  for (int j = N * n; t->nc && j < (N + 1) * n; j++) g[j] -= t->hol_impulse[j];

  // next values of kinematic coordinates, then all other rows
  set_prescribed_rows(t, x, g);
  for (int kind = 0; kind < OC_ROW_KINDS; kind++)
    if (oc_row_kinds[kind].evaluate) oc_row_kinds[kind].evaluate(t, kind, x, g);
  return DM_OK;
}

dm_status oc_transcription_jacobian(void *self, const double *x, oc_triplets *s) {
  oc_transcription *t = self;
  if (!s->val) return walk_jacobian(t, x, s);

  // values are kept from the last evaluation; the pattern needs a walk of its own
  DM_TRY(evaluate_rows(t, x));
  if (s->row) {
    oc_triplets pattern = {.row = s->row + s->n, .col = s->col + s->n};
    DM_TRY(walk_jacobian(t, x, &pattern));
  }
  memcpy(s->val + s->n, t->jac, (size_t)t->nlp.jac_nnz * sizeof(double));
  s->n += t->nlp.jac_nnz;
  return DM_OK;
}

// -- objective

// the length of step k in mean steps, 1 in a plain sum
static double find_part(const oc_transcription *t, const double *x, int k) {
  if (t->times < 0 || t->task.sum) return oc_cost_part(&t->task, k);
  return oc_transcription_step(t, x, k) / oc_transcription_mean(t, x);
}

dm_status oc_transcription_objective(void *self, const double *x, double *f) {
  oc_transcription *t = self;
  const oc_task *task = &t->task;
  int N = t->N;
  double h = oc_transcription_mean(t, x), sum = 0;
  if (t->momentum || t->functions) DM_TRY(evaluate_rows(t, x));

  // price.q_N + factor sum phi_k + differences + outputs + w_time T + terminal cost - ratio_price D
  for (int k = 0; k < N; k++)
    sum += find_part(t, x, k) * oc_cost_phi(t->cost, k, q_of(t, x, k), q_of(t, x, k + 1),
                                            u_of(t, x, k), oc_transcription_step(t, x, k),
                                            t->D1 + k * t->n, t->D2 + k * t->n);

  double price = 0;
  for (int i = 0; task->constant.price && i < t->n; i++)
    price += task->constant.price[i] * q_of(t, x, N)[i];
  *f = price + oc_cost_factor(task, h) * sum + oc_difference_costs(t, x, h) +
       oc_function_rows_cost(t->functions, x) + oc_level_rows_cost(t, x) +
       task->time.weight * N * h +
       oc_cost_terminal(task, q_of(t, x, N), x + t->v[1], t->p[1], NULL, NULL, NULL) -
       t->ratio_price * oc_ratio_way(t, x);
  return DM_OK;
}

// the terminal cost's gradient by (q_N, v_N), with the gradient by the momentum transformed with L_v's
// derivatives; leaves L at the goal in t->end
static dm_status evaluate_terminal_gradient(oc_transcription *t, const double *x) {
  int n = t->n;
  // L at the goal, for p and its derivatives
  if (t->task.cost[OC_P].goal) DM_TRY(eval_end(t, x, 1, 2));
  oc_cost_terminal(&t->task, q_of(t, x, t->N), x + t->v[1], t->end.L_v, t->g_q, t->g_v, t->g_p);

  // p = L_v(q,v): its gradient by L_qv and L_vv
  for (int i = 0; t->task.cost[OC_P].goal && i < n; i++)
    for (int j = 0; j < n; j++) {
      t->g_q[j] += t->g_p[i] * t->end.L_qv[j * n + i];
      t->g_v[j] += t->g_p[i] * t->end.L_vv[j * n + i];
    }
  return DM_OK;
}

dm_status oc_transcription_gradient(void *self, const double *x, double *grad) {
  oc_transcription *t = self;
  const oc_task *task = &t->task;
  oc_cost *c = t->cost;
  int n = t->n, nu = t->nu, N = t->N;
  double h = oc_transcription_mean(t, x), grad_h = task->time.weight * N;
  if (t->functions) DM_TRY(evaluate_rows(t, x));
  memset(grad, 0, (size_t)t->nlp.n * sizeof *grad);

  // running cost: s phi_k by q_k, q_{k+1}, u_k, lambda_k and h
  for (int k = 0; k < N; k++) {
    double *g_0 = grad + oc_transcription_q(t, k), *g_u = g_0 + n,
           *g_1 = grad + oc_transcription_q(t, k + 1);
    const double h_k = oc_transcription_step(t, x, k), part = oc_task_part(task, k);
    const double s = oc_cost_factor(task, h_k), s_h = oc_cost_factor_h(task);

    // if momenta have a cost, D1 and its derivatives are needed
    if (t->dense) DM_TRY(eval_step_momentum(t, x, k));
    oc_cost_gradient(c, k, q_of(t, x, k), q_of(t, x, k + 1), u_of(t, x, k), h_k, t->d);
    for (int i = 0; i < n; i++) g_0[i] += s * c->g_0[i];
    for (int i = 0; i < n; i++) g_1[i] += s * c->g_1[i];
    for (int j = 0; j < nu; j++) g_u[j] += s * c->g_u[j];
    for (int l = 0; l < t->nc; l++) grad[oc_transcription_lambda(t, k) + l] += s * c->g_l[l];
    const double by_h = s * c->g_h + s_h * c->phi; // with the factor's own derivative
    grad_h += part * by_h;
    if (t->times >= 0) grad[t->times + k] -= by_h, grad[t->times + k + 1] += by_h;
  }

  // terminal cost, time, differences
  DM_TRY(evaluate_terminal_gradient(t, x));
  double *g_q = grad + oc_transcription_q(t, N), *g_v = grad + t->v[1];
  for (int i = 0; i < n; i++) g_q[i] += t->g_q[i];
  for (int i = 0; i < n; i++) g_v[i] += t->g_v[i];
  for (int i = 0; task->constant.price && i < n; i++) g_q[i] += task->constant.price[i];
  if (t->h >= 0) grad[t->h] = grad_h;
  if (t->times >= 0) grad[t->times + N] += task->time.weight;
  oc_difference_costs_gradient(t, x, h, grad);
  oc_ratio_gradient(t, grad);
  oc_function_rows_gradient(t->functions, x, grad);
  oc_level_rows_gradient(t, grad);
  return DM_OK;
}

// -- Hessian of the Lagrangian function, lower triangle

// a block on the diagonal; and one below it, which is the transpose of A
static void put_lower(const oc_transcription *t, oc_triplets *s, int at, const double *A) {
  oc_put_block(&t->lower, s, at, at, 1, A, t->lower.place);
}

static void put_below(const oc_transcription *t, oc_triplets *s, int row, int col,
                      const double *A) {
  oc_put_block(&t->curvature, s, row, col, 1, A, t->curvature.flip);
}

// the first input that j may couple with: in dense steps any force; for general forces the first general
// force; for other joint forces and kinematic coordinates j itself
static int first_input_met(const oc_transcription *t, int j) {
  if (j >= t->nf) return j;
  if (t->dense) return 0;
  return j < t->d->nj ? j : t->d->nj;
}

// the inputs of interval k: among themselves and with its configurations
static void put_input_hessian(const oc_transcription *t, oc_triplets *s, int k) {
  const oc_cost *c = t->cost;
  const dm_interval *d = t->d;
  int n = t->n, q0 = oc_transcription_q(t, k), q1 = oc_transcription_q(t, k + 1), u = q0 + n;
  // u_k with itself
  for (int j = 0; j < t->nu; j++)
    for (int l = first_input_met(t, j); l <= j; l++)
      if (j == l || t->dense || dm_interval_couples_inputs(d, j, l))
        oc_put(s, u + j, u + l, c->Huu[j * t->nu + l]);

  // with the configurations: all inputs, or only general forces
  for (int j = 0; t->dense && j < t->nf; j++)
    for (int i = 0; i < n; i++) {
      oc_put(s, u + j, q0 + i, c->Hu0[j * n + i]);
      oc_put(s, q1 + i, u + j, c->Hu1[j * n + i]);
    }
  for (int e = d->nj; !t->dense && e < d->nz; e++) {
    oc_put(s, u + d->col[e], q0 + d->row[e], d->H0u[e]);
    oc_put(s, q1 + d->row[e], u + d->col[e], d->H1u[e]);
  }
}

// the Hessian of L_v(q,v).a at an end, plus the terminal cost's at the goal, into t->end
static dm_status evaluate_end_hessian(oc_transcription *t, const double *x, int end, double sigma,
                                      const double *mu) {
  const dm_lagrangian *L = &t->task.system.L;
  const oc_task *task = &t->task;
  int n = t->n;

  // a: multipliers of the row of motion there, and the slope of the terminal cost by p
  double *a = t->mu0;
  for (int i = 0; i < n; i++) a[i] = end ? -mu[t->N * n + i] : mu[i];
  if (end) {
    DM_TRY(evaluate_terminal_gradient(t, x));
    for (int i = 0; i < n; i++) a[i] += sigma * t->g_p[i];

    // J'WJ of the momentum's cost is stored in the interval's blocks while T(a) uses t->end
    if (task->cost[OC_P].goal) {
      memset(t->d->H01, 0, (size_t)(n * n) * sizeof(double));
      memset(t->d->H11, 0, (size_t)(n * n) * sizeof(double));
      for (int i = 0; i < n; i++)
        for (int b = 0; b < n; b++)
          for (int c = 0; c < n; c++) {
            // rows i of (L_vq, L_vv), twice: by (q,q), (q,v), (v,v)
            double w = sigma * task->cost[OC_P].goal[i], J_v = t->end.L_vv[c * n + i];
            t->knot_block[b * n + c] += w * t->end.L_qv[b * n + i] * t->end.L_qv[c * n + i];
            t->d->H01[b * n + c] += w * t->end.L_qv[b * n + i] * J_v;
            t->d->H11[b * n + c] += w * t->end.L_vv[b * n + i] * J_v;
          }
    }
  }

  // the Hessian of L_v.a by (q,v), T(0,a)
  DM_TRY(L->contract(L->self, t->scratch, q_of(t, x, end ? t->N : 0), x + t->v[end], t->zero, a,
                     &t->end));
  add_into((size_t)(n * n), t->knot_block, t->end.L_qq);
  if (!end) return DM_OK;

  if (task->cost[OC_P].goal) {
    add_into((size_t)(n * n), t->end.L_qv, t->d->H01);
    add_into((size_t)(n * n), t->end.L_vv, t->d->H11);
  }

  // q and v at the goal: their weights on the diagonal
  const oc_quadratic at_q = oc_quadratic_goal(task, OC_Q), at_v = oc_quadratic_goal(task, OC_V);
  oc_quadratic_curve(&at_q, sigma, t->knot_block, n);
  oc_quadratic_curve(&at_v, sigma, t->end.L_vv, n);
  return DM_OK;
}

static void put_end(const oc_transcription *t, oc_triplets *s, int q, int v) {
  put_below(t, s, v, q, t->end.L_qv);
  put_lower(t, s, v, t->end.L_vv);
}

// second derivatives by the length of a step, as those by the mean step
static void scale_by_step(oc_transcription *t, double part) {
  dm_interval *d = t->d;
  oc_cost *c = t->cost;
  if (t->h < 0 || part == 1) return;
  for (int i = 0; i < t->n; i++) {
    d->H0h[i] *= part;
    d->H1h[i] *= part;
  }
  for (int j = 0; j < t->nf; j++) d->Huh[j] *= part;
  for (int j = 0; j < t->nu; j++) c->Huh[j] *= part;
  for (int l = 0; l < t->nc; l++) c->Hlh[l] *= part;
  *d->Hhh *= part * part;
}

// H00..Hhh of interval k: the contraction of its D1, D2 and the running cost
static dm_status evaluate_interval_hessian(oc_transcription *t, const double *x, int k,
                                           double sigma) {
  const double *q0 = q_of(t, x, k), *q1 = q_of(t, x, k + 1), *u = u_of(t, x, k);
  double h = oc_transcription_step(t, x, k), s = sigma * oc_cost_factor(&t->task, h);
  const double *mu0 = t->mu + k * t->n, *mu1 = t->mu1 + (k + 1) * t->n;

  // the cost on momenta lowers mu0 and raises mu1 by w (p - ref); otherwise all lanes are used
  if (t->dense) DM_TRY(eval_step_momentum(t, x, k));
  if (t->dense || oc_transcription_steps_vary(t)) oc_cost_gradient(t->cost, k, q0, q1, u, h, t->d);
  if (t->dense) {
    for (int i = 0; i < t->n; i++) {
      t->mu0[i] = mu0[i] - s * t->cost->mu[0][i];
      t->mu_next[i] = mu1[i] + s * t->cost->mu[1][i];
    }
    DM_TRY(dm_interval_contract(t->d, oc_transcription_steps_vary(t), q0, q1, u, h, t->mu0,
                                t->mu_next));
  } else {
    DM_TRY(contract_interval(t, x, k));
  }

  oc_cost_hessian(t->cost, sigma, k, q0, q1, h, t->d);
  scale_by_step(t, oc_task_part(&t->task, k));
  return DM_OK;
}

// the Hessian at the start, before the first step
static dm_status begin_hessian(oc_transcription *t, const double *x, double sigma,
                               const double *lambda) {
  size_t row = (size_t)t->n * sizeof(double);
  if (t->functions) DM_TRY(evaluate_rows(t, x));
  // the multipliers of the equations of motion, t->mu, 0 for kinematic coordinates; and t->mu1
  for (int i = 0; i < (t->N + 1) * t->n; i++)
    t->mu[i] = has_no_equation(t, i % t->n) ? 0 : lambda[i];
  oc_knot_speeds_pair(t, lambda);

  memset(t->knot_block, 0, row * (size_t)t->n);
  memset(t->knot_block_h, 0, row);

  DM_TRY(evaluate_end_hessian(t, x, 0, sigma, t->mu));
  return oc_holonomic_rows_contract_end(t, x, 0,
                                        lambda + oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 0));
}

// The values that step k adds: its blocks in t->d, and the complete block of knot k in t->knot_block,
// including the knot's constraints; the second derivative by the step h is added to hh.
static dm_status evaluate_step_hessian(oc_transcription *t, const double *x, int k, double sigma,
                                       const double *lambda, double *hh) {
  const dm_interval *d = t->d;
  int n = t->n;

  // the part of knot k from this interval, in addition to D2's from the one before
  DM_TRY(evaluate_interval_hessian(t, x, k, sigma));
  add_into((size_t)(n * n), t->knot_block, d->H00);
  if (t->h >= 0) {
    add_into((size_t)n, t->knot_block_h, d->H0h);
    *hh += *d->Hhh;
  }

  // and the part of its constraints
  return oc_holonomic_rows_contract(t, x, k, t->dense ? t->mu0 : t->mu + k * n,
                                    lambda + oc_rows_at(t, OC_CONSTRAINT_ROWS, k));
}

// the contributions of the goal and the last knot to its block
static dm_status evaluate_goal_hessian(oc_transcription *t, const double *x, double sigma,
                                       const double *lambda) {
  const int N = t->N;
  DM_TRY(evaluate_end_hessian(t, x, 1, sigma, t->mu));
  DM_TRY(oc_holonomic_rows_contract(t, x, N, t->mu + N * t->n,
                                    lambda + oc_rows_at(t, OC_CONSTRAINT_ROWS, N)));
  return oc_holonomic_rows_contract_end(t, x, 1,
                                        lambda + oc_rows_at(t, OC_CONSTRAINT_RATE_ROWS, 1));
}

// the step: with q_N, with the velocity of kinematic coordinates, with itself
static void put_step_hessian(const oc_transcription *t, const double *lambda, double hh,
                             oc_triplets *s) {
  const int n = t->n, N = t->N;
  if (t->h < 0) return;
  for (int i = 0; i < n; i++) oc_put(s, t->h, oc_transcription_q(t, N) + i, t->knot_block_h[i]);
  for (int i = 0; i < n; i++)
    if (has_no_equation(t, i))
      oc_put(s, t->h, t->v[1] + i, s->val ? oc_task_part(&t->task, N - 1) * lambda[N * n + i] : 0);
  oc_put(s, t->h, t->h, hh);
}

// the times at both ends of step k: with q_k and u_k, with themselves; hh: from the step before, then from this one
static void put_times_hessian(const oc_transcription *t, oc_triplets *s, int k, double *hh) {
  const int at = t->times + k;
  const dm_interval *d = t->d;
  if (t->times < 0) return;
  put_times(t, s, true, oc_transcription_q(t, k), k, k > 0 ? t->knot_block_h : NULL, d->H0h);
  for (int j = 0; j < t->nu; j++) {
    const double by_h = t->cost->Huh[j] + (j < t->nf ? d->Huh[j] : 0);
    oc_put(s, at, oc_transcription_u(t, k) + j, -by_h);
    oc_put(s, at + 1, oc_transcription_u(t, k) + j, by_h);
  }
  oc_put(s, at, at, *hh + *d->Hhh);
  oc_put(s, at + 1, at, -*d->Hhh);
  *hh = *d->Hhh;
}

dm_status oc_transcription_hessian(void *self, const double *x, double sigma, const double *lambda,
                                   oc_triplets *s) {
  oc_transcription *t = self;
  const dm_interval *d = t->d;
  int n = t->n, N = t->N;
  size_t nn = (size_t)(n * n), row_size = (size_t)n * sizeof(double);
  double hh = 0;
  if (s->val) DM_TRY(begin_hessian(t, x, sigma, lambda));
  // (v_0, q_0) and (v_0, v_0)
  put_end(t, s, 0, t->v[0]);

  for (int k = 0; k < N; k++) {
    int q0 = oc_transcription_q(t, k), q1 = oc_transcription_q(t, k + 1), u = q0 + n;

    // knot k with itself
    if (s->val) DM_TRY(evaluate_step_hessian(t, x, k, sigma, lambda, &hh));
    oc_holonomic_rows_put_hessian(t, s, k);
    DM_TRY(oc_knot_speeds_contract(t, x, k, lambda, s));
    put_lower(t, s, q0, t->knot_block);

    // with the next one, the inputs, the step
    put_below(t, s, q1, q0, d->H01);
    put_input_hessian(t, s, k);
    for (int i = 0; t->h >= 0 && i < n; i++) oc_put(s, t->h, q0 + i, t->knot_block_h[i]);
    for (int j = 0; t->h >= 0 && j < t->nu; j++)
      oc_put(s, t->h, u + j, t->cost->Huh[j] + (j < t->nf ? d->Huh[j] : 0));
    put_times_hessian(t, s, k, &hh);

    if (s->val) {
      memcpy(t->knot_block, d->H11, nn * sizeof(double));
      memcpy(t->knot_block_h, d->H1h, row_size);
    }
  }

  // the goal
  if (s->val) DM_TRY(evaluate_goal_hessian(t, x, sigma, lambda));
  put_lower(t, s, oc_transcription_q(t, N), t->knot_block);
  oc_holonomic_rows_put_hessian(t, s, N);
  put_end(t, s, oc_transcription_q(t, N), t->v[1]);
  oc_difference_costs_put_hessian(t, x, s->val ? oc_transcription_mean(t, x) : 0, sigma, s);
  for (int kind = 0; kind < OC_ROW_KINDS; kind++)
    if (oc_row_kinds[kind].put_hessian)
      DM_TRY(oc_row_kinds[kind].put_hessian(t, kind, x, sigma, lambda, s));
  put_step_hessian(t, lambda, hh, s);
  put_times(t, s, true, oc_transcription_q(t, N), N, t->knot_block_h, NULL);
  if (t->times >= 0) oc_put(s, t->times + N, t->times + N, hh);
  return DM_OK;
}

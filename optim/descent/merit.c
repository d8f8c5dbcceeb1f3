#include "optim/descent/merit.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/width.h"
#include "optim/rows/quadratic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static size_t count_of(int k, int count) {
  return (size_t)k * (size_t)count;
}

static void lay_out_merit(void *self, dm_block *b) {
  oc_merit *w = self;
  // sizes
  size_t N = (size_t)w->N, n = (size_t)w->n, nu = (size_t)w->nu, nw = (size_t)w->nw;
  size_t nf = (size_t)w->task->system.nu, nc = (size_t)w->nc;
  const oc_task *t = w->task;
  size_t ny = t->functions.nterms + t->functions.npaths ? 2 * n + nf : 0;
  oc_term_work_lay_out(&w->term, b, &t->functions);
  // gradients, slopes, and work matrices
  const struct {
    double **at;
    size_t count;
  } all[] = {{&w->l_x, (N + 1) * (size_t)w->ns},
             {&w->l_u, N * nu},
             {&w->rows, (N + 1) * (size_t)w->nrows * nw},
             {&w->by_next, n},
             {&w->by_lambda, nc},
             {&w->e.q, n},
             {&w->e.p, n},
             {&w->e.v, n},
             {&w->e.move, n},
             {&w->e.speed, n},
             {&w->e.u, nu},
             {&w->e.change, nf},
             {&w->e.lambda, nc},
             {&w->part, n},
             {&w->a, nw},
             {&w->b, nw},
             {&w->J, ny * nw},
             {&w->CJ, ny * nw},
             {&w->W, w->outputs->nonce ? 4 * n * n : 0},
             {&w->CW, w->outputs->nonce ? 4 * n * n : 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].at = dm_block_alloc(b, all[i].count, sizeof(double));
}

dm_status oc_merit_new(oc_merit **out, const oc_projection_operator *p) {
  assert(out && p);
  oc_output_costs *outputs;
  *out = NULL;
  DM_TRY(oc_output_costs_new(&outputs, p->task));
  oc_merit sizes = {.task = &outputs->task, .outputs = outputs, .p = p};
  sizes.n = p->n, sizes.nx = p->nx, sizes.ns = p->ns, sizes.nu = p->nu, sizes.nw = p->nw;
  sizes.nc = p->task->system.hol.nc, sizes.N = p->N;
  sizes.term = (oc_term_work){.n = p->n, .nf = p->task->system.nu, .N = p->N};

  // the number of limits is known only after they are created
  oc_ranges *ranges = NULL;
  const dm_status made = oc_ranges_new(&ranges, p->task);
  if (made == DM_OK) sizes.nrows = ranges->n;
  oc_merit *w = made == DM_OK ? dm_block_make(&sizes, sizeof sizes, lay_out_merit) : NULL;
  if (!w) {
    if (made == DM_OK) oc_ranges_free(ranges);
    oc_output_costs_free(outputs);
    return made == DM_OK ? DM_NO_MEMORY : made;
  }

  // parts of the cost
  w->ranges = ranges;
  w->ask_speed = oc_ranges_ask_speed(ranges);
  dm_status status = oc_terminal_new(&w->end, w->task);
  if (status == DM_OK) status = oc_cost_new(&w->cost, w->task);
  if (status == DM_OK) status = oc_knot_velocity_new(&w->knot, &p->task->system);
  if (status != DM_OK) {
    oc_merit_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void oc_merit_free(oc_merit *w) {
  if (!w) return;
  oc_terminal_free(w->end);
  oc_ranges_free(w->ranges);
  oc_cost_free(w->cost);
  oc_knot_velocity_free(w->knot);
  oc_output_costs_free(w->outputs);
  dm_block_free(w);
}

// -- values

static double find_factor(const oc_merit *w, double h) {
  return oc_cost_factor(w->task, h);
}

// u_k - u_{k-1} of force j
static double find_change(oc_merit *w, const dm_trajectory *y, int k, int j) {
  const double *u = y->u + count_of(k, w->nu);
  return u[j] - u[j - w->nu];
}

// Weights of the change d of force j: s w/2 (d/h)^2 plus the tie-break h t/2 d^2 is c/2 d^2. c and
// its first two derivatives by h.
typedef struct change_weight {
  double own; // of the cost only
  double c, c_h, c_hh;
} change_weight;

static change_weight weigh_change(const oc_merit *w, int j, double h) {
  const oc_task *t = w->task;
  double rate = oc_weight(t->cost[OC_RATE].running, j) * find_factor(w, h) / (h * h);
  double tie = w->p->tie[j], power = t->sum ? 2 : 1; // exponent of 1/h for the rate
  change_weight x = {.own = rate};
  x.c = rate + tie * h;
  x.c_h = tie - power * rate / h;
  x.c_hh = power * (power + 1) * rate / (h * h);
  return x;
}

// the sides of a step at which terms are evaluated
static int count_sides(const oc_task *t) {
  return t->functions.nterms ? 1 + !t->sum : 0;
}

// the terms of step k at the knot at `side`, without its share, or path constraint `path`, into w->term
enum { ALL_TERMS = -1 };
static double eval_functions(oc_merit *w, const dm_trajectory *x, int k, int side, int path,
                             int order) {
  const double *q = x->q + count_of(k, w->n);
  const oc_task *t = w->task;
  const dm_step step = {.q0 = q, .q1 = q + w->n, .u = x->u + count_of(k, w->nu), .h = x->h};
  oc_term_work_place(&w->term, &step, side);
  if (path != ALL_TERMS) return oc_path_constraint_eval(&w->term, &t->functions.paths[path], order);
  const oc_term_place at = {.k = k, .share = side};
  return oc_terms_eval(&w->term, t->functions.nterms, t->functions.terms, at, order);
}

// phi of step k, with user-defined terms
static double find_phi(oc_merit *w, const dm_trajectory *y, int k) {
  const size_t n = (size_t)w->n;
  const double *q = y->q + (size_t)k * n, *p = y->p + (size_t)k * n;

  // the cost expects D1 = -p
  for (size_t i = 0; i < n; i++) w->part[i] = -p[i];
  double phi = oc_cost_phi(w->cost, k, q, q + n, y->u + count_of(k, w->nu), y->h, w->part, p + n);
  for (int side = 0; side < count_sides(w->task); side++)
    phi += oc_cost_share(w->task, side) * eval_functions(w, y, k, side, ALL_TERMS, 0);
  return phi;
}

// cost of step k, and the tie-break's contribution to it
static double find_step_cost(oc_merit *w, const dm_trajectory *y, int k, double *tie) {
  double cost = find_factor(w, y->h) * find_phi(w, y, k);
  for (int r = 0; k > 0 && r < w->p->nr; r++) {
    double d = find_change(w, y, k, w->p->rated[r]);
    change_weight x = weigh_change(w, w->p->rated[r], y->h);
    cost += 0.5 * x.own * d * d;
    *tie += 0.5 * (x.c - x.own) * d * d;
  }
  return cost;
}

// -- value of each kind of limit at knot k; the knot's velocity is available

static double see_position(oc_merit *w, const dm_trajectory *y, int k, int i) {
  return y->q[count_of(k, w->n) + (size_t)i];
}

static double see_move(oc_merit *w, const dm_trajectory *y, int k, int i) {
  const double *q = y->q + count_of(k, w->n) + i;
  return q[w->n] - q[0];
}

static double see_speed(oc_merit *w, const dm_trajectory *y, int k, int i) {
  (void)y, (void)k;
  return w->knot->v[i];
}

static double see_impulse(oc_merit *w, const dm_trajectory *y, int k, int i) {
  return y->lambda[count_of(k, w->nc) + (size_t)i];
}

static double see_path(oc_merit *w, const dm_trajectory *y, int k, int i) {
  return eval_functions(w, y, k, 0, i, 0);
}

static double find_row_value(oc_merit *w, const dm_trajectory *y, const oc_range *row, int k) {
  static double (*const see[])(oc_merit *, const dm_trajectory *, int, int) = {
      [OC_RANGE_POSITION] = see_position, [OC_RANGE_MOVE] = see_move,
      [OC_RANGE_SPEED] = see_speed,       [OC_RANGE_IMPULSE] = see_impulse,
      [OC_RANGE_CHANGE] = find_change,    [OC_RANGE_PATH] = see_path};
  return (see[row->of](w, y, k, row->i) - row->by_step * y->h) / row->unit;
}

// the knot's velocity, if a limit needs it
static dm_status find_speed(oc_merit *w, const dm_trajectory *y, int k) {
  size_t at = count_of(k, w->n);
  return w->ask_speed ? oc_knot_velocity_find(w->knot, y->q + at, y->p + at) : DM_OK;
}

// barriers of all limits
static dm_status sum_limits(oc_merit *w, const dm_trajectory *y, double *sum) {
  oc_ranges *ranges = w->ranges;
  ranges->residual = 0;
  if (!ranges->n || !(ranges->elastic > 0)) return DM_OK;
  for (int k = 0; k <= w->N; k++) {
    DM_TRY(find_speed(w, y, k));
    for (int i = 0; i < ranges->n; i++)
      if (oc_ranges_stand(ranges, i, k))
        *sum += oc_ranges_value(ranges, i, find_row_value(w, y, &ranges->row[i], k));
  }
  return DM_OK;
}

// add the costs of outputs at single knots
static dm_status sum_outputs_once(oc_merit *w, const dm_trajectory *y, double *sum) {
  double c;
  for (int k = 0; w->outputs->nonce && k <= w->N; k++) {
    const size_t at = count_of(k, w->n);
    if (!oc_output_costs_once(w->outputs, k)) continue;
    DM_TRY(oc_knot_costs_eval(w->outputs, w->knot, k, 0, y->q + at, y->p + at, &c));
    *sum += c;
  }
  return DM_OK;
}

dm_status oc_merit_value(oc_merit *w, const dm_trajectory *y, double *cost, double *merit) {
  size_t end = count_of(w->N, w->n);
  double sum = 0, more = 0, last, goal;
  for (int k = 0; k < w->N; k++) sum += find_step_cost(w, y, k, &more);

  // time, end, limits: without and with multipliers and penalties
  DM_TRY(oc_terminal_value(w->end, y->q + end, y->p + end, &last, &goal));
  DM_TRY(sum_limits(w, y, &more));
  DM_TRY(sum_outputs_once(w, y, &sum));
  sum += w->task->time.weight * w->N * y->h;
  *cost = sum + last;
  *merit = sum + goal + more;
  return isfinite(*merit) ? DM_OK : DM_NOT_FINITE;
}

// multipliers of all limits for the motion y: initialize, or update after a step a from p->x
static dm_status set_multipliers(oc_merit *w, const dm_trajectory *y, bool begin, double a) {
  oc_ranges *ranges = w->ranges;
  for (int k = 0; k <= w->N && ranges->n; k++) {
    DM_TRY(find_speed(w, y, k));
    for (int i = 0; i < ranges->n; i++) {
      if (!oc_ranges_stand(ranges, i, k)) continue;
      double g = find_row_value(w, y, &ranges->row[i], k);
      if (begin)
        oc_ranges_begin(ranges, k, i, g);
      else
        oc_ranges_multiply(ranges, k, i, ranges->g[count_of(k, ranges->n) + (size_t)i], g, a);
    }
  }
  return DM_OK;
}

dm_status oc_merit_begin(oc_merit *w, const dm_trajectory *y) {
  // rows without a natural size are scaled by the mean of their values
  for (int i = 0; i < w->ranges->n; i++) {
    const oc_range *row = &w->ranges->row[i];
    double sum = 0;
    for (int k = row->first; row->sizeless && k <= row->last; k++)
      sum += fabs(find_row_value(w, y, row, k));
    oc_ranges_resize(w->ranges, i, sum / (row->last - row->first + 1));
  }
  return set_multipliers(w, y, true, 0);
}

dm_status oc_merit_multiply(oc_merit *w, const dm_trajectory *y, double a) {
  return set_multipliers(w, y, false, a);
}

// -- first derivatives

static void clear_slopes(oc_merit *w) {
  size_t n = (size_t)w->n * sizeof(double);
  double *const by_n[] = {w->e.q, w->e.p, w->e.v, w->e.move, w->e.speed};
  for (size_t i = 0; i < sizeof by_n / sizeof *by_n; i++) memset(by_n[i], 0, n);
  memset(w->e.u, 0, (size_t)w->nu * sizeof(double));
  memset(w->e.change, 0, (size_t)w->task->system.nu * sizeof(double));
  memset(w->e.lambda, 0, (size_t)w->nc * sizeof(double));
  w->e.h = 0;
}

// factor of the costs of q and p at knot k
static double knot_factor(const oc_merit *w, int k) {
  return find_factor(w, w->p->x->h) * oc_cost_knot_share(w->task, k);
}

// derivatives of the costs of q and p at knot k
static void add_knot_slopes(oc_merit *w, int k) {
  const dm_trajectory *x = w->p->x;
  const oc_quadratic on_q = oc_quadratic_running(w->task, OC_Q, k),
                     on_p = oc_quadratic_running(w->task, OC_P, k);
  oc_quadratic_value(&on_q, knot_factor(w, k), x->q + count_of(k, w->n), w->e.q);
  oc_quadratic_value(&on_p, knot_factor(w, k), x->p + count_of(k, w->n), w->e.p);
}

// s times the last derivatives of functions at (q,v,u); on side 1, q' is q plus its move
static void add_point_slopes(oc_merit *w, double s, int side) {
  const int n = w->n;
  dm_add_to(n, s, w->term.c_x, w->e.q);
  if (side) dm_add_to(n, s, w->term.c_x, w->e.move);
  dm_add_to(n, s, w->term.c_x + n, w->e.v);
  dm_add_to(w->term.nf, s, w->term.c_x + 2 * n, w->e.u);
}

// derivatives of the cost of step k, with the costs of q and p at its left knot: s phi for constant
// s
static void add_cost_slopes(oc_merit *w, int k) {
  const oc_task *t = w->task;
  const dm_trajectory *x = w->p->x;
  const double *q = x->q + count_of(k, w->n), *u = x->u + count_of(k, w->nu);
  const oc_quadratic on_u = oc_quadratic_running(t, OC_U, k);
  double s = find_factor(w, x->h);
  int n = w->n;

  add_knot_slopes(w, k);
  oc_quadratic_value(&on_u, s, u, w->e.u);
  for (int side = 0; side < 2; side++) {
    const oc_quadratic on_v = oc_quadratic_running(t, OC_V, k + side);
    double share = s * oc_cost_share(t, side);
    for (int i = 0; i < n; i++)
      w->e.v[i] += share * oc_quadratic_slope(&on_v, i, (q[n + i] - q[i]) / x->h);
  }

  // user-defined terms at either knot
  for (int side = 0; side < count_sides(t); side++) {
    eval_functions(w, x, k, side, ALL_TERMS, 1);
    add_point_slopes(w, s * oc_cost_share(t, side), side);
  }
}

// outputs at single knots
static dm_status add_once_slopes(oc_merit *w, int k) {
  double c;
  if (!oc_output_costs_once(w->outputs, k)) return DM_OK;
  const size_t at = count_of(k, w->n);
  DM_TRY(oc_knot_costs_eval(w->outputs, w->knot, k, 1, w->p->x->q + at, w->p->x->p + at, &c));
  dm_add_to(w->n, 1, w->outputs->knot.c_x, w->e.q);
  dm_add_to(w->n, 1, w->outputs->knot.c_x + w->n, w->e.speed);
  return DM_OK;
}

// t times the derivatives of a limit
static void add_row_slopes(oc_merit *w, const oc_range *row, int k, double t) {
  const dm_trajectory *x = w->p->x;
  const int i = row->i;
  double *const at[] = {[OC_RANGE_POSITION] = w->e.q,
                        [OC_RANGE_MOVE] = w->e.move,
                        [OC_RANGE_SPEED] = w->e.speed,
                        [OC_RANGE_IMPULSE] = w->e.lambda,
                        [OC_RANGE_CHANGE] = w->e.change};

  // limits on a single quantity
  t /= row->unit;
  w->e.h -= t * row->by_step;
  if (row->of != OC_RANGE_PATH) {
    at[row->of][i] += t;
    return;
  }

  // path constraint: c_q, c_v, c_u
  eval_functions(w, x, k, 0, i, 1);
  add_point_slopes(w, t, 0);
}

// transform w->e to (x,u) of step k or of the last knot, and add to g [nw]
static void pull_slopes(const oc_merit *w, int k, double *g) {
  const oc_projection_operator *p = w->p;
  const double *q = p->x->q + count_of(k, w->n);
  double h = p->x->h;
  int n = w->n, ns = w->ns, nx = w->nx;
  if (p->nh) g[nx] += w->e.h;

  for (int i = 0; i < n; i++) {
    g[i] += w->e.q[i];
    g[n + i] += w->e.p[i];
    // q' through the step; v = (q' - q)/h
    double next = w->e.v[i] / h + w->e.move[i];
    if (next != 0) oc_projection_operator_pull(p, k, i, next, g);
    g[i] -= next;
    if (p->nh && k < w->N) g[nx] -= w->e.v[i] * (q[n + i] - q[i]) / (h * h);
    // the knot's velocity through (q,p)
    if (w->e.speed[i] != 0) dm_add_to(nx, w->e.speed[i], w->knot->y_x + i * nx, g);
  }

  for (int j = 0; j < w->nu && k < w->N; j++) g[ns + j] += w->e.u[j];
  for (int r = 0; r < p->nr && k < w->N; r++) {
    double change = w->e.change[p->rated[r]];
    g[ns + p->rated[r]] += change;
    g[nx + p->nh + r] -= change;
  }
  for (int c = 0; c < w->nc; c++)
    if (w->e.lambda[c] != 0)
      dm_add_to(w->nw, w->e.lambda[c],
                p->lambda_y + (count_of(k, w->nc) + (size_t)c) * (size_t)w->nw, g);
}

// limits at knot k with their derivatives; adds the barrier's slope times each to g
static void pull_limits(oc_merit *w, int k, double *g) {
  oc_ranges *ranges = w->ranges;
  for (int i = 0; i < ranges->n; i++) {
    if (!oc_ranges_stand(ranges, i, k)) continue;
    const oc_range *row = &ranges->row[i];
    size_t at = count_of(k, ranges->n) + (size_t)i;
    double *a = w->rows + at * (size_t)w->nw;

    // g, its derivative by (x,u), and the barrier's slope times it
    ranges->g[at] = find_row_value(w, w->p->x, row, k);
    memset(a, 0, (size_t)w->nw * sizeof *a);
    clear_slopes(w);
    add_row_slopes(w, row, k, 1);
    pull_slopes(w, k, a);
    dm_add_to(w->nw, oc_ranges_slope(ranges, i, ranges->g[at]), a, g);
  }
}

// the knot's velocity with derivatives, if a limit needs it
static dm_status differentiate_speed(oc_merit *w, int k) {
  if (!w->ask_speed || !(w->ranges->elastic > 0)) return DM_OK;
  DM_TRY(find_speed(w, w->p->x, k));
  return oc_knot_velocity_differentiate(w->knot, w->p->x->q + count_of(k, w->n));
}

// weights of q and p at knot k
static void curve_knot(const oc_merit *w, int k, const oc_blocks *out) {
  const oc_quadratic on_q = oc_quadratic_running(w->task, OC_Q, k),
                     on_p = oc_quadratic_running(w->task, OC_P, k);
  int n = w->n, ld = out->ld;
  oc_quadratic_curve(&on_q, knot_factor(w, k), out->Q, ld);
  oc_quadratic_curve(&on_p, knot_factor(w, k), out->Q + n * ld + n, ld);
}

// outputs at single knots
static dm_status curve_once(oc_merit *w, int k, const oc_blocks *out) {
  const size_t at = count_of(k, w->n);
  return oc_knot_costs_curve(w->outputs, w->knot, k, w->p->x->q + at, w->p->x->p + at, w->W, w->CW,
                             out->Q, out->ld);
}

dm_status oc_merit_gradient(oc_merit *w, bool exact) {
  const dm_trajectory *x = w->p->x;
  size_t N = (size_t)w->N, n = (size_t)w->n, ns = (size_t)w->ns, nu = (size_t)w->nu;
  for (int k = 0; k < w->N; k++) {
    double *g = w->a;
    memset(g, 0, (size_t)w->nw * sizeof *g);

    // cost, and the derivative of the factor s by h
    clear_slopes(w);
    add_cost_slopes(w, k);

    // changes of forces
    for (int r = 0; k > 0 && r < w->p->nr; r++) {
      int j = w->p->rated[r];
      change_weight c = weigh_change(w, j, x->h);
      double d = find_change(w, x, k, j);
      w->e.change[j] += c.c * d;
      w->e.h += 0.5 * c.c_h * d * d;
    }

    DM_TRY(add_once_slopes(w, k));
    if (w->p->nh && !w->task->sum) w->e.h += find_phi(w, x, k);
    pull_slopes(w, k, g);

    // limits
    DM_TRY(differentiate_speed(w, k));
    pull_limits(w, k, g);
    memcpy(w->l_x + (size_t)k * ns, g, ns * sizeof *g);
    memcpy(w->l_u + (size_t)k * nu, g + ns, nu * sizeof *g);
  }

  // end, and the duration of all steps
  double *last = w->l_x + N * ns;
  DM_TRY(oc_terminal_derivatives(w->end, exact, x->q + N * n, x->p + N * n));
  memset(w->a, 0, (size_t)w->nw * sizeof *w->a);
  clear_slopes(w);
  add_knot_slopes(w, w->N);
  DM_TRY(add_once_slopes(w, w->N));
  pull_slopes(w, w->N, w->a);
  DM_TRY(differentiate_speed(w, w->N));
  pull_limits(w, w->N, w->a);
  memcpy(last, w->a, ns * sizeof *last);
  dm_add_to(w->nx, 1, w->end->g, last);
  const oc_blocks last_block = {.ld = w->nx, .Q = w->end->H};
  curve_knot(w, w->N, &last_block);
  DM_TRY(curve_once(w, w->N, &last_block));
  if (w->p->nh) last[w->nx] += w->task->time.weight * w->N;
  return DM_OK;
}

// -- second derivatives

// add t a a' for a row a [nw] by (x,u)
DM_EACH_WIDTH static void add_row_square(const oc_merit *w, double t, const double *a,
                                         const oc_blocks *out) {
  int ns = w->ns, nu = w->nu;
  const double *b = a + ns;
  for (int i = 0; i < ns; i++) {
    if (a[i] == 0) continue;
    dm_add_to(ns, t * a[i], a, out->Q + i * out->ld);
    if (out->S) dm_add_to(nu, t * a[i], b, out->S + i * nu);
  }
  for (int i = 0; out->R && i < nu; i++) dm_add_to(nu, t * b[i], b, out->R + i * nu);
}

// J of y = (q,v,u) by (x,u), with q of the knot at `side`, for user-defined terms
static void form_term_rows(oc_merit *w, int k, int side) {
  const int nw = w->nw, ny = 2 * w->n + w->term.nf;
  memset(w->J, 0, (size_t)(ny * nw) * sizeof *w->J);
  for (int i = 0; i < ny; i++) {
    clear_slopes(w);
    memset(w->term.c_x, 0, (size_t)ny * sizeof *w->term.c_x);
    w->term.c_x[i] = 1;
    add_point_slopes(w, 1, side);
    pull_slopes(w, k, w->J + i * nw);
  }
}

// add t J'CJ to the three blocks
static void add_term_curvature(oc_merit *w, int k, int side, double t, const oc_blocks *out) {
  int ns = w->ns, nu = w->nu, nw = w->nw, ny = 2 * w->n + w->term.nf;
  form_term_rows(w, k, side);
  dm_gemm(ny, nw, ny, t, w->term.c_xx, w->J, 0, w->CJ);
  dm_gemm_transposed(ns, ns, ny, 1, w->J, nw, w->CJ, nw, 1, out->Q, out->ld);
  dm_gemm_transposed(ns, nu, ny, 1, w->J, nw, w->CJ + ns, nw, 1, out->S, nu);
  dm_gemm_transposed(nu, nu, ny, 1, w->J + ns, nw, w->CJ + ns, nw, 1, out->R, nu);
}

dm_status oc_merit_curve(oc_merit *w, int k, const oc_blocks *out) {
  const oc_task *t = w->task;
  const dm_trajectory *x = w->p->x;
  const oc_quadratic on_v = oc_quadratic_running(t, OC_V, k),
                     on_u = oc_quadratic_running(t, OC_U, k);
  double s = find_factor(w, x->h);
  int n = w->n;

  // q, p, u: diagonal
  curve_knot(w, k, out);
  oc_quadratic_curve(&on_u, s, out->R, w->nu);

  // squares of v and of changes of forces
  for (int i = 0; i < n; i++) {
    if (!(oc_quadratic_weight(&on_v, i) > 0)) continue;
    memset(w->a, 0, (size_t)w->nw * sizeof *w->a);
    clear_slopes(w);
    w->e.v[i] = 1;
    pull_slopes(w, k, w->a);
    add_row_square(w, s * on_v.w[i], w->a, out);
  }
  for (int r = 0; k > 0 && r < w->p->nr; r++) {
    memset(w->a, 0, (size_t)w->nw * sizeof *w->a);
    w->a[w->ns + w->p->rated[r]] = 1;
    w->a[w->nx + w->p->nh + r] = -1;
    add_row_square(w, weigh_change(w, w->p->rated[r], x->h).c, w->a, out);
  }

  // user-defined terms
  for (int side = 0; side < count_sides(t); side++) {
    eval_functions(w, x, k, side, ALL_TERMS, 2);
    add_term_curvature(w, k, side, s * oc_cost_share(t, side), out);
  }
  return curve_once(w, k, out);
}

// add d [nw] to the entries by (x,u) and h, and their transpose
static void add_by_step(const oc_merit *w, double t, const double *d, const oc_blocks *out) {
  int h = w->nx;
  for (int i = 0; i < w->ns; i++) {
    out->Q[h * out->ld + i] += t * d[i];
    out->Q[i * out->ld + h] += t * d[i];
  }
  if (out->S) dm_add_to(w->nu, t, d + w->ns, out->S + h * w->nu);
}

// Second derivatives by a free step. v = (q' - q)/h with slope e of cost and limits: -e.v'/h by h,
// and its transpose. Changes d of forces, c(h) d^2/2: c_h d d', c_hh d^2/2.
static void bend_by_step(oc_merit *w, int k, const oc_blocks *out) {
  const dm_trajectory *x = w->p->x;
  size_t size = (size_t)w->nw * sizeof(double);
  memcpy(w->part, w->e.v, (size_t)w->n * sizeof *w->part);

  // s phi with s = h: phi' by h, and its transpose
  if (!w->task->sum) {
    memset(w->a, 0, (size_t)w->nw * sizeof *w->a);
    clear_slopes(w);
    if (k < w->N)
      add_cost_slopes(w, k);
    else
      add_knot_slopes(w, k);
    pull_slopes(w, k, w->a);
    add_by_step(w, 1 / w->p->x->h, w->a, out); // h phi', over h
  }

  if (k == w->N) return;

  // e.v'
  clear_slopes(w);
  memcpy(w->e.v, w->part, (size_t)w->n * sizeof(double));
  memset(w->a, 0, size);
  pull_slopes(w, k, w->a);
  add_by_step(w, -1 / x->h, w->a, out);

  for (int r = 0; k > 0 && r < w->p->nr; r++) {
    int j = w->p->rated[r];
    change_weight c = weigh_change(w, j, x->h);
    double d = find_change(w, x, k, j);
    memset(w->a, 0, size);
    w->a[w->ns + j] = 1;
    w->a[w->nx + w->p->nh + r] = -1;
    add_by_step(w, c.c_h * d, w->a, out);
    out->Q[w->nx * out->ld + w->nx] += 0.5 * c.c_hh * d * d;
  }
}

void oc_merit_pull(const oc_merit *w, int k, double *g) {
  const oc_ranges *ranges = w->ranges;
  memcpy(g, w->l_x + count_of(k, w->ns), (size_t)w->ns * sizeof *g);
  if (k < w->N) memcpy(g + w->ns, w->l_u + count_of(k, w->nu), (size_t)w->nu * sizeof *g);

  // multipliers instead of the barrier's slopes
  for (int i = 0; i < ranges->n; i++) {
    if (!oc_ranges_stand(ranges, i, k)) continue;
    size_t at = count_of(k, ranges->n) + (size_t)i;
    double more = oc_ranges_pull(ranges, k, i) - oc_ranges_slope(ranges, i, ranges->g[at]);
    dm_add_to(w->ns + (k < w->N ? w->nu : 0), more, w->rows + at * (size_t)w->nw, g);
  }
}

void oc_merit_curve_limits(const oc_merit *w, int k, const oc_blocks *out) {
  const oc_ranges *ranges = w->ranges;
  for (int i = 0; i < ranges->n; i++) {
    if (!oc_ranges_stand(ranges, i, k)) continue;
    size_t at = count_of(k, ranges->n) + (size_t)i;
    add_row_square(w, oc_ranges_weight(ranges, k, i, ranges->g[at]), w->rows + at * (size_t)w->nw,
                   out);
  }
}

dm_status oc_merit_bend(oc_merit *w, int k, const oc_blocks *out) {
  int n = w->n;
  double h = w->p->x->h;
  const double *q = w->p->x->q + count_of(k, n);

  // add the slopes of limits with their multipliers to w->e; for path constraints also their
  // curvature
  const oc_ranges *ranges = w->ranges;
  const dm_trajectory *x = w->p->x;
  for (int i = 0; i < ranges->n; i++) {
    if (!oc_ranges_stand(ranges, i, k)) continue;
    const oc_range *row = &ranges->row[i];
    double pi = oc_ranges_pull(ranges, k, i);
    if (row->of != OC_RANGE_PATH || pi == 0) continue;
    eval_functions(w, x, k, 0, row->i, 2);
    add_term_curvature(w, k, 0, pi / row->unit, out);
  }

  // slopes, after the work arrays of the terms are free
  clear_slopes(w);
  for (int i = 0; i < ranges->n; i++) {
    if (!oc_ranges_stand(ranges, i, k)) continue;
    double pi = oc_ranges_pull(ranges, k, i);
    if (pi != 0) add_row_slopes(w, &ranges->row[i], k, pi);
  }

  if (k == w->N) {
    memset(w->by_next, 0, (size_t)n * sizeof(double));
  } else {
    add_cost_slopes(w, k);
    for (int i = 0; i < n; i++) w->by_next[i] = w->e.v[i] / h + w->e.move[i];
  }
  memcpy(w->by_lambda, w->e.lambda, (size_t)w->nc * sizeof(double));

  // the knot's velocity
  DM_TRY(add_once_slopes(w, k));
  if (dm_largest(n, w->e.speed) > 0) {
    DM_TRY(find_speed(w, w->p->x, k));
    DM_TRY(oc_knot_velocity_differentiate(w->knot, q));
    DM_TRY(oc_knot_velocity_contract(w->knot, q, w->e.speed, NULL, out->Q, out->ld));
  }
  if (w->p->nh) bend_by_step(w, k, out);
  return DM_OK;
}

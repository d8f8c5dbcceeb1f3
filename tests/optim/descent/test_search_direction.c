// Directions of descent: the merit's first and second derivatives along them, with inputs at their
// bounds, too, and motions as their own projection.
#include "lib/base/dense.h"
#include "tests/support/descent.h"
#include "tests/support/functions.h"

typedef struct line {
  oc_projection_operator *p;
  oc_merit *merit;
  oc_search_direction *d;
} line;

static void merit_at(void *self, const double *a, double *out) {
  line *l = self;
  double cost;
  assert_int_equal(oc_projection_operator_rollout(l->p, *a), DM_OK);
  assert_int_equal(oc_merit_value(l->merit, l->p->trial, &cost, out), DM_OK);
}

// a random direction that is a motion to first order
static void random_direction(oc_projection_operator *p, double size) {
  int nx = p->nx, nu = p->nu;
  uint64_t r = 11;
  for (int k = 0; k < p->N; k++) {
    const double *A = p->A + k * nx * nx, *B = p->B + k * nx * nu;
    double *z = p->z + k * nx, *v = p->v + k * nu;
    for (int j = 0; j < nu; j++) v[j] = size * models_random(&r);
    for (int j = 0; j < nu; j++)
      for (int i = 0; i < nx; i++) v[j] -= p->K[(k * nu + j) * nx + i] * z[i];
    for (int i = 0; i < nx; i++) {
      z[nx + i] = 0;
      for (int j = 0; j < nx; j++) z[nx + i] += A[i * nx + j] * z[j];
      for (int j = 0; j < nu; j++) z[nx + i] += B[i * nu + j] * v[j];
    }
  }
}

static double first(const line *l) {
  const oc_projection_operator *p = l->p;
  double sum = 0;
  for (int i = 0; i < (p->N + 1) * p->nx; i++) sum += l->merit->l_x[i] * p->z[i];
  for (int i = 0; i < p->N * p->nu; i++) sum += l->merit->l_u[i] * p->v[i];
  return sum;
}

// (z,v)'W (z,v) of newton's model
static double second(const line *l) {
  const oc_projection_operator *p = l->p;
  const oc_search_direction *d = l->d;
  int nx = p->nx, nu = p->nu, m = d->m;
  double sum = 0;
  for (int k = 0; k <= p->N; k++) {
    const double *z = p->z + k * nx, *v = p->v + k * nu;
    const double *Q = k < p->N ? d->Q + k * m * m : d->Qf;
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) {
        double q = Q[i * m + j] + (k < p->N ? d->dQ[(k * m + i) * m + j] : 0);
        sum += q * z[i] * z[j];
      }
    for (int i = 0; k < p->N && i < nx; i++)
      for (int j = 0; j < nu; j++) {
        int at = (k * m + i) * nu + j;
        sum += 2 * (d->S[at] + d->dS[at]) * z[i] * v[j];
      }
    for (int i = 0; k < p->N && i < nu; i++)
      for (int j = 0; j < nu; j++) {
        int at = (k * nu + i) * nu + j;
        sum += (d->R[at] + d->dR[at]) * v[i] * v[j];
      }
  }
  return sum;
}

// second differences err by e^2
static void check_second(line *l, double exact) {
  double error[2], e = 0.1, m[3];
  for (int half = 0; half < 2; half++, e /= 2) {
    for (int i = 0; i < 3; i++) merit_at(l, &(double){(i - 1) * e}, m + i);
    error[half] = fabs((m[0] - 2 * m[1] + m[2]) / (e * e) - exact);
  }
  double rounding = 1e-13 * fabs(m[1]) / (e * e);
  if (!(error[1] < 1e-2 * fabs(exact)) ||
      (error[1] > rounding && !(error[0] / error[1] > 3.4 && error[0] / error[1] < 4.6)))
    fail_msg("second derivative of the merit: errors %g, %g of %g", error[0], error[1], exact);
}

static void check_merit(const tasks_task *x, double size) {
  line l;
  int failed;
  double exact, slope;
  assert_int_equal(oc_projection_operator_new(&l.p, &x->t), DM_OK);
  assert_int_equal(oc_merit_new(&l.merit, l.p), DM_OK);
  assert_int_equal(oc_search_direction_new(&l.d, l.p, l.merit, false), DM_OK);
  l.merit->end->penalty = 2; // where there is a goal
  dm_trajectory *guess = standing(x);
  memcpy(l.p->x->q, guess->q, (size_t)((x->t.N + 1) * guess->n) * sizeof(double));
  memcpy(l.p->x->p, guess->p, (size_t)((x->t.N + 1) * guess->n) * sizeof(double));
  memcpy(l.p->x->u, guess->u, (size_t)(x->t.N * guess->nu) * sizeof(double));
  memcpy(l.p->x->lambda, guess->lambda, (size_t)(x->t.N * guess->nc) * sizeof(double));
  for (int again = 0; again < 2; again++) { // at rest, and in motion
    assert_int_equal(oc_projection_operator_gains(l.p, 1), DM_OK);
    assert_int_equal(oc_search_direction_model(l.d, OC_SECOND_ORDER), DM_OK);
    random_direction(l.p, size);
    exact = first(&l);
    models_check_derivative(merit_at, &l, 1, 1, (double[]){0}, (double[]){1}, &exact, 1e-2,
                            "gradient of the merit");
    check_second(&l, second(&l));
    assert_int_equal(oc_projection_operator_rollout(l.p, 1), DM_OK);
    oc_projection_operator_accept(l.p);
  }
  assert_int_equal(oc_projection_operator_gains(l.p, 1), DM_OK);
  assert_int_equal(oc_search_direction_model(l.d, OC_COST_HESSIAN), DM_OK);
  assert_int_equal(oc_search_direction_solve(l.d, false, &slope, &failed), DM_OK);
  assert_true(slope < 0);
  assert_close(slope, first(&l), 1e-12 * fabs(slope));
  dm_trajectory_free(guess);
  oc_search_direction_free(l.d);
  oc_merit_free(l.merit);
  oc_projection_operator_free(l.p);
}

static void the_merit_has_the_derivatives_of_the_model(void **state) {
  (void)state;
  tasks_task paper = paper_task(), goal = tasks_pendulum(INFINITY),
             cart = soften(tasks_cart_pole(50)), bar = soften(tasks_hung_bar(20));
  bar.t.cost[OC_V].goal = NULL;
  paper.t.cost[OC_P].reference = tasks_fill(tasks_reference(&paper, 2), 101, 0.7);
  paper.t.cost[OC_U].reference = tasks_fill(tasks_reference(&paper, 3), 100, 0.4);
  cart.t.cost[OC_V].reference = tasks_fill(tasks_reference(&cart, 1), 102, 0.3);
  check_merit(&paper, 1);
  check_merit(&goal, 1);
  check_merit(&cart, 1);
  check_merit(&bar, 0.02);
  tasks_free(&paper), tasks_free(&goal), tasks_free(&cart), tasks_free(&bar);
}

// costs on the place and the velocity of the last body's tip, over time and at single knots, with
// constraints as well
static void outputs_have_the_derivatives_of_the_model(void **state) {
  (void)state;
  tasks_task tasks[] = {soften(tasks_cart_pole(30)), soften(tasks_four_bar(20))};
  const oc_output_cost costs[] = {
      {.output = 0, .at = {0, 1}, .weight = 2, .reference = 0.3},
      {.output = 5, .at = {0.2, 0.8}, .weight = 1},
      {.output = 2, .at = {0.5, 0.5}, .once = true, .weight = 3, .reference = 0.2},
      {.output = 3, .at = {0.4, 1}, .once = true, .weight = 0.5, .reference = 0.4}};
  for (int i = 0; i < 2; i++) {
    const int last = tasks[i].m->nbody - 1;
    const dm_output list[] = {
        {.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {last, -1}, .point = {{0, 0, -0.5}}},
        {.name = "move", .kind = DM_OUTPUT_VELOCITY, .body = {last, -1}, .point = {{0, 0, -0.5}}}};
    dm_outputs *w;
    assert_int_equal(dm_outputs_new(&w, tasks[i].m, 2, list, NULL), DM_OK);
    const dm_holonomic signals = dm_outputs_signals(w);
    tasks[i].t.outputs =
        (oc_outputs){.y = dm_outputs_map(w, &signals, tasks[i].m->nq), .ncosts = 4, .costs = costs};
    check_merit(&tasks[i], i ? 0.1 : 1);
    dm_outputs_free(w);
    tasks_free(&tasks[i]);
  }
}

// -- with limits, a free step and what else is carried along

// A random v and change of the start, z from the model's A, B and G, with the closed loop's gains on
// (q,p).
static void random_extended_direction(const line *l, double size) {
  oc_projection_operator *p = l->p;
  const oc_search_direction *d = l->d;
  int nx = p->nx, ns = p->ns, nu = p->nu, m = d->m;
  uint64_t r = 11;
  memset(p->z, 0, (size_t)ns * sizeof *p->z);
  for (int a = 0; a < d->nt; a++) {
    bool step = p->nh && a == d->nt - 1;
    p->start->step[a] = size * models_random(&r) * (step ? p->x->h : 1);
    for (int i = 0; i < ns; i++) p->z[i] += d->G[i * d->nt + a] * p->start->step[a];
  }
  for (int k = 0; k < p->N; k++) {
    double *z = p->z + k * ns, *v = p->v + k * nu;
    for (int j = 0; j < nu; j++)
      v[j] = size * models_random(&r) - dm_inner(nx, p->K + (k * nu + j) * nx, z);
    for (int i = 0; i < ns; i++)
      z[ns + i] =
          dm_inner(ns, d->A + (k * m + i) * m, z) + dm_inner(nu, d->B + (k * m + i) * nu, v);
  }
}

static double extended_first(const line *l) {
  const oc_projection_operator *p = l->p;
  return dm_inner((p->N + 1) * p->ns, l->merit->l_x, p->z) +
         dm_inner(p->N * p->nu, l->merit->l_u, p->v);
}

// (z,v)'W (z,v) of newton's model, and theta'H theta of the start
static double extended_second(const line *l) {
  const oc_projection_operator *p = l->p;
  const oc_search_direction *d = l->d;
  int ns = p->ns, nu = p->nu, m = d->m;
  double sum = 0;
  for (int k = 0; k <= p->N; k++) {
    const double *z = p->z + k * ns, *v = p->v + k * nu;
    const double *Q = k < p->N ? d->Q + k * m * m : d->Qf;
    for (int i = 0; i < ns; i++) {
      sum += z[i] * dm_inner(ns, Q + i * m, z);
      if (k == p->N) continue;
      sum += z[i] * dm_inner(ns, d->dQ + (k * m + i) * m, z);
      sum += 2 * z[i] * dm_inner(nu, d->S + (k * m + i) * nu, v);
      sum += 2 * z[i] * dm_inner(nu, d->dS + (k * m + i) * nu, v);
    }
    for (int j = 0; k < p->N && j < nu; j++) {
      sum += v[j] * dm_inner(nu, d->R + (k * nu + j) * nu, v);
      sum += v[j] * dm_inner(nu, d->dR + (k * nu + j) * nu, v);
    }
  }
  for (int a = 0; a < d->nt; a++)
    sum += p->start->step[a] * dm_inner(d->nt, p->start->H + a * d->nt, p->start->step);
  return sum;
}

// (q_0 v_0)^2 / 2
static dm_status eval_meeting(const void *self, const functions_own *at, int order, const double *y,
                              double *c, double *c_y, double *c_yy) {
  (void)self;
  int n = at->n, m = 2 * n + at->nf;
  double q = y[0], v = y[n];
  *c += 0.5 * q * q * v * v;
  if (order < 1) return DM_OK;
  c_y[0] += q * v * v;
  c_y[n] += q * q * v;
  if (order < 2) return DM_OK;
  c_yy[0] += v * v;
  c_yy[n] += 2 * q * v;
  c_yy[n * m] += 2 * q * v;
  c_yy[n * m + n] += q * q;
  return DM_OK;
}

// A motion by random inputs, with all limits of its task.
static void check_limits(tasks_task *x, double push, double size) {
  line l;
  uint64_t r = 5;
  assert_int_equal(oc_projection_operator_new(&l.p, &x->t), DM_OK);
  assert_int_equal(oc_merit_new(&l.merit, l.p), DM_OK);
  assert_int_equal(oc_search_direction_new(&l.d, l.p, l.merit, false), DM_OK);
  l.merit->end->penalty = 2;
  dm_trajectory *guess = standing(x);
  dm_trajectory_copy(l.p->x, guess);
  assert_int_equal(oc_start_set(l.p->start, l.p->x), DM_OK);
  for (int k = 0; k < x->t.N; k++)
    for (int j = 0; j < x->t.system.nu; j++)
      l.p->x->u[k * guess->nu + j] += push * models_random(&r);
  assert_int_equal(oc_projection_operator_rollout(l.p, 0), DM_OK); // no gains: the inputs alone
  oc_projection_operator_accept(l.p);
  assert_int_equal(oc_projection_operator_gains(l.p, 1), DM_OK);

  // a barrier that is soft, and whose multipliers are what it asks for: the model's own curvature
  l.merit->ranges->elastic = 1, l.merit->ranges->barrier = 0.5;
  assert_int_equal(oc_merit_begin(l.merit, l.p->x), DM_OK);
  assert_true(l.merit->ranges->n > 0);
  assert_int_equal(oc_search_direction_model(l.d, OC_SECOND_ORDER), DM_OK);
  random_extended_direction(&l, size);
  double exact = extended_first(&l);
  models_check_derivative(merit_at, &l, 1, 1, (double[]){0}, (double[]){1}, &exact, 1e-2,
                          "gradient of the merit with limits");
  check_second(&l, extended_second(&l));
  dm_trajectory_free(guess);
  oc_search_direction_free(l.d);
  oc_merit_free(l.merit);
  oc_projection_operator_free(l.p);
}

// speeds at knots and in steps, impulses, rates of inputs, positions, a path, a term of one's own; the
// step free, and the start
static void limits_have_the_derivatives_of_the_model(void **state) {
  (void)state;
  enum { MOST = 8 };
  functions_own meeting = {.name = "meeting", .eval = eval_meeting};
  double low[MOST], high[MOST], speed[MOST], rate[MOST], weight[MOST];
  for (int i = 0; i < MOST; i++) {
    low[i] = -2;
    high[i] = 3;
    speed[i] = 4;
    rate[i] = 40;
    weight[i] = 0.01;
  }
  for (int kind = 0; kind < 6; kind++) {
    bool is_free = kind % 2;
    tasks_task x = kind / 2 == 0   ? tasks_four_bar(12)
                   : kind / 2 == 1 ? tasks_hung_bar(12)
                                   : tasks_cart_pole(12);
    x.t.bounds[OC_U].low = x.t.bounds[OC_U].high = NULL; // what is cut has no derivative
    x.t.bounds[OC_V].high = speed;
    x.t.bounds[OC_RATE].high = x.t.system.nu ? rate : NULL;
    x.t.cost[OC_RATE].running = x.t.system.nu ? weight : NULL;
    x.t.bounds[OC_LAMBDA].low = low, x.t.bounds[OC_LAMBDA].high = high;
    const oc_path_constraint path = functions_path(&meeting, &x.t, -1, 5);
    const oc_term term = functions_term(&meeting, &x.t);
    x.t.functions.terms = &term, x.t.functions.nterms = 1;
    x.t.functions.paths = &path, x.t.functions.npaths = 1;
    if (!x.t.system.nk) x.t.bounds[OC_Q].low = low, x.t.bounds[OC_Q].high = high;
    if (is_free) x.t.time.free = true, x.t.time.min = 0.1, x.t.time.max = 10, x.t.time.weight = 3;
    double q[MOST];
    memcpy(q, x.t.start.q, (size_t)x.m->nq * sizeof *q);
    if (kind / 2 == 2) {
      q[0] = NAN;
      x.t.start.q = q;
    }
    check_limits(&x, 0.3, kind / 2 == 1 ? 0.01 : 0.1);
    tasks_free(&x);
  }
}

// a curve that is a motion is its own projection
static void motions_are_their_own_projection(void **state) {
  (void)state;
  tasks_task x = soften(tasks_cart_pole(50));
  oc_projection_operator *p;
  dm_trajectory *guess = standing(&x);
  assert_int_equal(oc_projection_operator_new(&p, &x.t), DM_OK);
  for (int k = 0; k < guess->N; k++) p->x->u[k] = sin(k);
  memcpy(p->x->q, guess->q, (size_t)((guess->N + 1) * guess->n) * sizeof(double));
  assert_int_equal(oc_projection_operator_rollout(p, 0), DM_OK); // no gains yet: the inputs alone
  oc_projection_operator_accept(p);
  assert_int_equal(oc_projection_operator_gains(p, 1), DM_OK);
  assert_int_equal(oc_projection_operator_rollout(p, 0), DM_OK);
  for (int i = 0; i < (p->N + 1) * p->n; i++) assert_close(p->trial->q[i], p->x->q[i], 1e-11);
  dm_trajectory_free(guess);
  oc_projection_operator_free(p);
  tasks_free(&x);
}

// the merit beyond its slope, a step a along the direction
static double remainder_at(line *l, double a, double merit, double slope) {
  double there;
  merit_at(l, &a, &there);
  return fabs(there - merit - a * slope);
}

static void check_slope(const tasks_task *x, const dm_trajectory *y, oc_model m) {
  line l;
  double merit, slope;
  int failed;
  assert_int_equal(oc_projection_operator_new(&l.p, &x->t), DM_OK);
  assert_int_equal(oc_merit_new(&l.merit, l.p), DM_OK);
  assert_int_equal(oc_search_direction_new(&l.d, l.p, l.merit, false), DM_OK);
  l.merit->end->penalty = 30;
  memcpy(l.p->x->q, y->q, (size_t)((y->N + 1) * y->n) * sizeof(double));
  memcpy(l.p->x->p, y->p, (size_t)((y->N + 1) * y->n) * sizeof(double));
  memcpy(l.p->x->u, y->u, (size_t)(y->N * y->nu) * sizeof(double));
  assert_int_equal(oc_projection_operator_gains(l.p, 1), DM_OK);
  assert_int_equal(oc_search_direction_model(l.d, m), DM_OK);
  assert_int_equal(oc_search_direction_solve(l.d, m >= OC_SECOND_ORDER, &slope, &failed), DM_OK);
  merit_at(&l, &(double){0}, &merit);
  double a = 1e-3 * fmin(1, merit / fabs(slope));
  double ratio = remainder_at(&l, a, merit, slope) / remainder_at(&l, a / 2, merit, slope);
  if (!(ratio > 3.8 && ratio < 4.2))
    fail_msg("model %d: half the step leaves 1/%g of the remainder", (int)m, ratio);
  oc_search_direction_free(l.d);
  oc_merit_free(l.merit);
  oc_projection_operator_free(l.p);
}

// with inputs at their bounds, too, the slope is the merit's: what remains is of second order
static void slopes_are_the_merits_under_bounds(void **state) {
  (void)state;
  for (int after = 1; after <= 8; after++) {
    tasks_task x = tasks_pendulum(1.2);
    oc_options set = settings(OC_NEWTON);
    int at = 0;
    x.t.scales.pace = 1; // gains that bring inputs to their bounds early
    set.max_iter = after;
    descent *d = descend(&x, &set);
    for (int k = 0; k < d->x->N; k++) at += fabs(d->x->u[k]) == 1.2;
    assert_true(at > 0 || after == 1);
    for (oc_model m = OC_IDENTITY; m <= OC_VALUE_ORDER; m++) check_slope(&x, d->x, m);
    descent_free(d);
    tasks_free(&x);
  }
}

// -- the problem under bounds and with a goal

// an arm of three links, each with a motor, to a pose at rest; inputs within `limit`
static tasks_task arm_task(double limit) {
  tasks_task x = tasks_make(models_chain(3, 0.4, 0), 40, 1);
  tasks_rest(&x, 0, (double[]){0, 0, 0});
  tasks_rest(&x, 1, (double[]){1, -0.5, 0.7});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 3, 1);
  for (int j = 0; j < 3; j++) x.m->u_min[j] = -limit, x.m->u_max[j] = limit;
  return x;
}

static line open_line(const tasks_task *x, double penalty) {
  line l;
  assert_int_equal(oc_projection_operator_new(&l.p, &x->t), DM_OK);
  assert_int_equal(oc_merit_new(&l.merit, l.p), DM_OK);
  assert_int_equal(oc_search_direction_new(&l.d, l.p, l.merit, false), DM_OK);
  l.merit->end->penalty = penalty;
  dm_trajectory *guess = standing(x);
  memcpy(l.p->x->q, guess->q, (size_t)((x->t.N + 1) * guess->n) * sizeof(double));
  memcpy(l.p->x->p, guess->p, (size_t)((x->t.N + 1) * guess->n) * sizeof(double));
  dm_trajectory_free(guess);
  assert_int_equal(oc_projection_operator_gains(l.p, 1), DM_OK);
  return l;
}

static void close_line(line *l) {
  oc_search_direction_free(l->d);
  oc_merit_free(l->merit);
  oc_projection_operator_free(l->p);
}

// the gradient of quasi's problem by v_k, at its direction, is zero where an input is free and
// points out of the bound where it is at one
static int check_minimum(const tasks_task *x, const line *l) {
  const oc_search_direction *d = l->d;
  const double *z = l->p->z, *v = l->p->v, *u = l->p->x->u;
  int nx = d->nx, nu = d->nu, m = d->m, N = d->N, held = 0;
  double y[6], before[6], most = 0;
  assert_true(nx <= 6);
  for (int k = N; k >= 0; k--) {
    const double *Q = k < N ? d->Q + k * m * m : d->Qf;
    for (int j = 0; k < N && j < nu; j++) {
      double g = l->merit->l_u[k * nu + j], at = u[k * nu + j] + v[k * nu + j];
      for (int i = 0; i < nu; i++) g += d->R[(k * nu + j) * nu + i] * v[k * nu + i];
      for (int i = 0; i < nx; i++) {
        g += d->S[(k * m + i) * nu + j] * z[k * nx + i];
        g += l->p->B[(k * nx + i) * nu + j] * y[i];
      }
      most = fmax(most, fabs(d->R[(k * nu + j) * nu + j] * v[k * nu + j]));
      bool low = at <= x->t.bounds[OC_U].low[j] + 1e-12,
           high = at >= x->t.bounds[OC_U].high[j] - 1e-12;
      held += low || high;
      assert_true(at >= x->t.bounds[OC_U].low[j] - 1e-12 &&
                  at <= x->t.bounds[OC_U].high[j] + 1e-12);
      if (low ? g < -1e-9 : high ? g > 1e-9 : fabs(g) > 1e-9)
        fail_msg("stage %d, input %d: gradient %g at %g", k, j, g, at);
    }
    for (int i = 0; i < nx; i++) {
      before[i] = l->merit->l_x[k * nx + i];
      for (int j = 0; j < nx; j++) {
        before[i] += Q[i * m + j] * z[k * nx + j];
        if (k < N) before[i] += l->p->A[(k * nx + j) * nx + i] * y[j];
      }
      for (int j = 0; k < N && j < nu; j++) before[i] += d->S[(k * m + i) * nu + j] * v[k * nu + j];
    }
    memcpy(y, before, sizeof y);
  }
  assert_true(most > 1e-3);
  return held;
}

static void directions_under_bounds_are_minima(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) { // and mirrored, damped
    tasks_task x = arm_task(0.3);
    if (i & 1) tasks_rest(&x, 1, (double[]){-1, 0.5, -0.7});
    line l = open_line(&x, 3);
    double slope;
    int failed;
    l.d->damping = i >= 2;
    assert_int_equal(oc_search_direction_model(l.d, OC_COST_HESSIAN), DM_OK);
    assert_int_equal(oc_search_direction_solve(l.d, false, &slope, &failed), DM_OK);
    int held = check_minimum(&x, &l);
    if (held < 4 || held > 100) fail_msg("%d inputs at bounds", held);
    close_line(&l);
    tasks_free(&x);
  }
}

// feedback counts on no input that is at a bound, the lower or the upper
static void inputs_at_bounds_have_no_gains(void **state) {
  (void)state;
  tasks_task x = arm_task(0.3);
  line l = open_line(&x, 3);
  for (int k = 0; k < x.t.N; k++)
    for (int j = 0; j < 3; j++) l.p->x->u[k * 3 + j] = 0.3 * ((k + j) % 3 - 1);
  assert_int_equal(oc_projection_operator_gains(l.p, 1), DM_OK);
  for (int k = 0; k < x.t.N; k++)
    for (int j = 0; j < 3; j++) {
      double most = dm_largest(l.p->nx, l.p->K + (k * 3 + j) * l.p->nx);
      assert_true(l.p->x->u[k * 3 + j] == 0 ? most > 1e-3 : most == 0);
    }
  close_line(&l);
  tasks_free(&x);
}

// with the multipliers found, the problem's own solution meets the goal: c + E z_N = 0
static void multipliers_meet_the_goal(void **state) {
  (void)state;
  tasks_task x = arm_task(INFINITY);
  for (int sparse = 0; sparse < 2; sparse++) {
    line l = open_line(&x, 0.01);
    double slope, off[2][6];
    int failed;
    if (sparse) {
      oc_search_direction_free(l.d);
      l.d = NULL;
      if (oc_search_direction_new(&l.d, l.p, l.merit, true) == DM_UNAVAILABLE) continue;
    }
    const oc_terminal *t = l.merit->end;
    const double *last = l.p->z + l.d->N * l.d->nx;
    assert_int_equal(t->ng, 6);
    for (int after = 0; after < 2; after++) {
      assert_int_equal(oc_search_direction_model(l.d, OC_COST_HESSIAN), DM_OK);
      assert_int_equal(oc_search_direction_solve(l.d, false, &slope, &failed), DM_OK);
      for (int g = 0; g < 6; g++) {
        off[after][g] = t->off[g];
        for (int i = 0; i < l.d->nx; i++) off[after][g] += t->E[g * l.d->nx + i] * last[i];
      }
      assert_int_equal(oc_search_direction_multiply(l.d, 1e14), DM_OK);
    }
    for (int g = 0; g < 6; g++) {
      assert_true(fabs(off[0][g]) > 1e-3);
      assert_close(off[1][g], 0, 1e-7 * fabs(off[0][g]) + 1e-9);
    }
    close_line(&l);
  }
  tasks_free(&x);
}

// a value below zero by no more than rounding of the largest is none
static void values_may_be_off_by_rounding(void **state) {
  (void)state;
  double A[] = {0, 0, 0, 0, 0, 0, 0, 0, 1}, B[3] = {0}, R[] = {1}, S[3] = {0}, K[3];
  double zero[9] = {0}, lo[] = {-INFINITY}, hi[] = {INFINITY};
  for (int off = 0; off < 2; off++) {
    double Q[] = {off ? -1e-8 : -1e-10, 0, 0, 0, 1, 0, 0, 0, 0};
    fb_lq lq = {.N = 1, .nx = 3, .nu = 1, .A = A, .B = B, .Q = Q, .R = R, .S = S};
    lq.Qf = zero, lq.lo = lo, lq.hi = hi, lq.floor = 0.1, lq.constants = 1;
    fb_riccati *w;
    int failed;
    assert_int_equal(fb_riccati_new(&w, 3, 1), DM_OK);
    assert_int_equal(fb_riccati_sweep(w, &lq, K, NULL, &failed), off ? DM_NOT_DEFINITE : DM_OK);
    fb_riccati_free(w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_merit_has_the_derivatives_of_the_model),
      cmocka_unit_test(outputs_have_the_derivatives_of_the_model),
      cmocka_unit_test(limits_have_the_derivatives_of_the_model),
      cmocka_unit_test(motions_are_their_own_projection),
      cmocka_unit_test(slopes_are_the_merits_under_bounds),
      cmocka_unit_test(directions_under_bounds_are_minima),
      cmocka_unit_test(inputs_at_bounds_have_no_gains),
      cmocka_unit_test(multipliers_meet_the_goal),
      cmocka_unit_test(values_may_be_off_by_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

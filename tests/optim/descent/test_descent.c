// Descent on trajectories: the order of convergence, paper 001's counts, bounds, constraints,
// goals, and what cannot be descended from.
#include "optim/nlp/ipopt.h"
#include "tests/support/descent.h"
#include "tests/support/skips.h"

// the distance over the sizes of coordinates, as the projection takes it
static double gap_of(const oc_projection_operator *p, const dm_trajectory *x,
                     const dm_trajectory *y) {
  double sum = 0;
  for (int i = 0; i < (x->N + 1) * x->n; i++)
    sum += pow((x->q[i] - y->q[i]) / p->state[i % x->n], 2);
  return sqrt(sum);
}

// a guess that is not a motion is projected by gains of six sizes, and the nearest motion is taken
static void a_guess_becomes_the_nearest_motion(void **state) {
  (void)state;
  tasks_task x = soften(tasks_cart_pole(60));
  static const double sizes[] = {100, 10, 1, 1e-1, 1e-2, 1e-4};
  double gap[COUNT(sizes)], most = 0, least = INFINITY;
  dm_trajectory *guess = standing(&x), *got = standing(&x);
  for (int k = 0; k <= guess->N; k++) guess->q[2 * k] = 0.5 * k / guess->N, guess->q[2 * k + 1] = 0;
  assert_int_equal(dm_trajectory_momenta(guess, &x.t.system), DM_OK);
  memcpy(guess->p, (double[]){0, 0}, 2 * sizeof(double)); // at rest, as the task says
  memcpy(got->q, guess->q, (size_t)((guess->N + 1) * 2) * sizeof(double));
  oc_projection_operator *p;
  assert_int_equal(oc_projection_operator_new(&p, &x.t), DM_OK);
  memcpy(p->x->q, guess->q, (size_t)((guess->N + 1) * 2) * sizeof(double));
  memcpy(p->x->p, guess->p, (size_t)((guess->N + 1) * 2) * sizeof(double));
  for (int i = 0; i < COUNT(sizes); i++) {
    assert_int_equal(oc_projection_operator_gains(p, sizes[i]), DM_OK);
    assert_int_equal(oc_projection_operator_rollout(p, 0), DM_OK);
    gap[i] = gap_of(p, p->trial, guess);
    least = fmin(least, gap[i]), most = fmax(most, gap[i]);
  }
  oc_options set = settings(OC_NEWTON);
  oc_descent_info info;
  dm_message msg;
  set.max_iter = 0;
  assert_int_equal(oc_descend(&x.t, &set, NULL, got, NULL, 0, &info, &msg), DM_MAX_ITER);
  assert_true(most > 1.5 * least);
  assert_close(gap_of(p, got, guess), least, 1e-9);
  oc_projection_operator_free(p);
  dm_trajectory_free(guess), dm_trajectory_free(got);
  tasks_free(&x);
}

// -- convergence

// of e_{k+1} = C e_k^p, from the last three slopes, each a square of the distance
static double order(const descent *d) {
  const oc_descent_row *r = d->row + d->info.rows - 3;
  return log(r[2].slope / r[1].slope) / log(r[1].slope / r[0].slope);
}

static double farthest(const dm_trajectory *x, const dm_trajectory *y) {
  double most = 0;
  for (int i = 0; i < (x->N + 1) * x->n; i++)
    most = fmax(most, fmax(fabs(x->q[i] - y->q[i]), fabs(x->p[i] - y->p[i])));
  return most;
}

// 653 iterations of first order after four of quasi's, 14 of second order in all: as in the paper,
// and fewer by ours, at the same minimizer
static void the_paper_is_reproduced(void **state) {
  (void)state;
  tasks_task x = paper_task();
  oc_options set = settings(OC_STEEPEST);
  set.descent.quasi = 4, set.descent.slope = 1e-6, set.descent.share = 0; // the paper's tolerance
  descent *steepest = descend(&x, &set);
  set.descent.method = OC_PAPER;
  descent *paper = descend(&x, &set);
  set.descent.quasi = 0, set.descent.method = OC_NEWTON;
  descent *ours = descend(&x, &set);
  assert_int_equal(steepest->info.status, DM_OK);
  assert_int_equal(paper->info.status, DM_OK);
  assert_int_equal(ours->info.status, DM_OK);
  assert_int_equal(steepest->info.iterations - 4 + 1, 653);
  assert_int_equal(paper->info.iterations, 14);
  assert_int_equal(ours->info.iterations, 9);
  assert_true(farthest(steepest->x, ours->x) < 1e-5);
  assert_true(farthest(paper->x, ours->x) < 1e-5);
  assert_true(paper->info.cut == 0 && paper->info.fell[OC_QUASI] > 0);
  for (int k = 0; k < 4; k++) assert_int_equal(paper->row[k].kind, OC_QUASI);
  descent_free(steepest), descent_free(paper), descent_free(ours);
  tasks_free(&x);
}

static void newton_converges_to_second_order_and_steepest_to_first(void **state) {
  (void)state;
  tasks_task x = paper_task();
  oc_options set = settings(OC_NEWTON);
  set.descent.slope = 1e-7;
  descent *newton = descend(&x, &set);
  set = settings(OC_STEEPEST);
  set.descent.quasi = 4;
  descent *steepest = descend(&x, &set);
  assert_true(order(newton) > 1.9);
  for (int k = newton->info.rows - 3; k < newton->info.rows - 1; k++)
    assert_true(newton->row[k].kind == OC_NEWTON && newton->row[k].step == 1 &&
                !newton->row[k].cut);
  // of first order over hundreds of iterations: each leaves about the same share of the slope
  double last = 0;
  int rows = steepest->info.rows - 1;
  for (int k = rows - 200; k < rows; k++)
    last = fmax(last, steepest->row[k + 1].slope / steepest->row[k].slope);
  double rate = pow(steepest->row[rows].slope / steepest->row[rows - 200].slope, 1. / 200);
  assert_true(rate > 0.9 && rate < 1 && last < 1.2);
  descent_free(newton), descent_free(steepest);
  tasks_free(&x);
}

static void costs_fall_and_armijo_holds(void **state) {
  (void)state;
  for (oc_method m = OC_STEEPEST; m <= OC_NEWTON; m++) {
    tasks_task x = soften(tasks_cart_pole(60));
    oc_options set = settings(m);
    set.max_iter = 40;
    descent *d = descend(&x, &set);
    assert_true(d->info.status == DM_OK || d->info.status == DM_MAX_ITER);
    assert_true(d->info.rows > 5);
    for (int k = 0; k + 1 < d->info.rows; k++) {
      const oc_descent_row *r = d->row + k;
      double from = r->merit; // bb may rise above it, but not above the last ten
      for (int i = k; m == OC_BARZILAI_BORWEIN && i >= 0 && i > k - OC_RECENT; i--)
        from = fmax(from, d->row[i].merit);
      assert_true(r->slope < 0 && r->step > 0 && r->kind <= (m == OC_PAPER ? OC_NEWTON : m) &&
                  r->cost == r->merit);
      assert_true(r[1].merit <= from + 1e-5 * r->step * r->slope);
    }
    descent_free(d);
    tasks_free(&x);
  }
}

// 0.7^i, or off a saddle 2^i
static bool is_a_step(double a) {
  double i = log(a) / log(a > 1 ? 2 : 0.7);
  return fabs(i - round(i)) < 1e-9;
}

// upright soon, and at no cost at the end: the way up leads by saddles
static tasks_task hurried_task(void) {
  tasks_task x = paper_task();
  tasks_fill(tasks_reference(&x, 0), x.t.N + 1, TASKS_PI);
  x.t.time.T = 4;
  x.t.cost[OC_Q].goal = x.t.cost[OC_P].goal = x.t.cost[OC_P].running = NULL;
  return x;
}

// the rows agree with the totals, and with each other
static void rows_tell_what_was_done(void **state) {
  (void)state;
  static const int limits[] = {3000, 2, 1}; // the last row is of no step, whatever its direction
  int part = 0, doubled = 0;
  for (int run = 0; run < 3 * 2 * COUNT(limits); run++) {
    int which = run % 3, paper = run / 3 % 2;
    tasks_task x = which == 0   ? paper_task()
                   : which == 1 ? hurried_task()
                                : soften(tasks_cart_pole(60));
    oc_options set = settings(paper ? OC_PAPER : OC_NEWTON);
    set.max_iter = limits[run / 6];
    descent *d = descend(&x, &set);
    int cut = 0, fell = 0;
    for (int k = 0; k < d->info.rows; k++) {
      const oc_descent_row *r = d->row + k;
      bool last = k == d->info.rows - 1;
      assert_true((r->cut > 0) == (r->min_share < 1) &&
                  4 * r->min_share == round(4 * r->min_share));
      assert_true(r->cut <= x.t.N && (!r->cut || (r->kind == OC_NEWTON && !paper)));
      assert_true(last ? r->step == 0 : is_a_step(r->step));
      if (paper) assert_true(r->step <= 1);
      cut += !last && r->cut > 0, fell += !last && r->kind != OC_NEWTON;
      part += r->cut > 0 && r->cut<x.t.N, doubled += r->step> 1;
    }
    assert_int_equal(d->info.cut, cut);
    assert_int_equal(d->info.fell[OC_QUASI] + d->info.fell[OC_STEEPEST], fell);
    descent_free(d);
    tasks_free(&x);
  }
  assert_true(part > 0 && doubled > 0);
}

// -- bounds, goals, constraints

static double certify(const tasks_task *x, const dm_trajectory *y) {
  dm_del *del;
  double gap;
  int worst;
  assert_int_equal(dm_del_new(&del, &x->t.system, NULL), DM_OK);
  assert_int_equal(dm_trajectory_certify(y, del, NULL, &gap, &worst), DM_OK);
  dm_del_free(del);
  return gap;
}

// from the descent's motion IPOPT finds nothing better nearby
static void check_against_ipopt(const tasks_task *x, const descent *d) {
  oc_transcription *t;
  assert_int_equal(oc_transcription_new(&t, &x->t, NULL), DM_OK);
  const oc_nlp *nlp = oc_transcription_nlp(t);
  double *pool = calloc((size_t)(3 * nlp->n + nlp->m), sizeof *pool);
  oc_point point = {.x = pool, .z_l = pool + nlp->n, .z_u = pool + 2 * nlp->n};
  point.lambda = pool + 3 * nlp->n;
  oc_options set;
  oc_ipopt_info info;
  set = oc_options_default();
  oc_transcription_pack(t, d->x, point.x);
  dm_status s = oc_ipopt_solve(nlp, &set, NULL, &point, NULL, 0, &info);
  if (s != DM_UNAVAILABLE) {
    assert_int_equal(s, DM_OK);
    assert_close(info.objective, d->info.cost, 1e-6 * fabs(d->info.cost));
  }
  free(pool);
  oc_transcription_free(t);
}

static void bounds_are_kept_exactly(void **state) {
  (void)state;
  static const double limits[] = {3, 1.2};
  for (int i = 0; i < COUNT(limits); i++) {
    tasks_task x = tasks_pendulum(limits[i]);
    oc_options set = settings(OC_NEWTON);
    x.t.time.weight = 0.1;
    descent *d = descend(&x, &set);
    int at = 0;
    assert_int_equal(d->info.status, DM_OK);
    assert_true(d->info.residual <= set.descent.goal);
    assert_true(certify(&x, d->x) < 1e-11);
    for (int k = 0; k < d->x->N; k++) {
      assert_true(fabs(d->x->u[k]) <= limits[i]);
      at += fabs(d->x->u[k]) == limits[i];
    }
    if (limits[i] < 3) assert_true(at > 0);
    check_against_ipopt(&x, d);
    descent_free(d);
    tasks_free(&x);
  }
}

// a swing-up with one motor of two, and an arm of three links whose inputs are at their bounds
static void hard_goals_are_met(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    tasks_task x = i ? tasks_acrobot(60) : tasks_make(models_chain(3, 0.4, 0), 40, 1);
    oc_options set = settings(OC_NEWTON);
    if (!i) {
      tasks_rest(&x, 0, (double[]){0, 0, 0});
      tasks_rest(&x, 1, (double[]){1, -0.5, 0.7});
      x.t.cost[OC_U].running = tasks_weight(&x, 0, 3, 1);
      for (int j = 0; j < 3; j++) x.m->u_min[j] = -8, x.m->u_max[j] = 8;
    }
    descent *d = descend(&x, &set);
    assert_int_equal(d->info.status, DM_OK);
    assert_true(d->info.residual <= set.descent.goal);
    assert_true(certify(&x, d->x) < 1e-11);
    check_against_ipopt(&x, d);
    descent_free(d);
    tasks_free(&x);
  }
}

// the sweep meets a goal by its multipliers: no valley of a penalty to creep along
static void goals_take_few_iterations(void **state) {
  (void)state;
  static const struct {
    double q, v, T; // NAN: free
    int most;
  } rows[] = {{TASKS_PI, NAN, 3, 10}, {NAN, 3, 10, 6}, {1, NAN, 1, 5}};
  for (int i = 0; i < COUNT(rows); i++) {
    tasks_task x = tasks_pendulum(INFINITY);
    oc_options set = settings(OC_NEWTON);
    x.t.time.T = rows[i].T;
    x.t.goal.q = &rows[i].q, x.t.goal.v = &rows[i].v;
    descent *d = descend(&x, &set);
    assert_int_equal(d->info.status, DM_OK);
    assert_true(d->info.residual <= set.descent.goal);
    if (d->info.iterations > rows[i].most) fail_msg("row %d: %d iterations", i, d->info.iterations);
    check_against_ipopt(&x, d);
    descent_free(d);
    tasks_free(&x);
  }
}

// multiple shooting: from a curve whose steps do not meet to a minimum of the program's, which is a motion
static void gaps_close(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    tasks_task x = i == 2 ? paper_task() : tasks_pendulum(INFINITY);
    oc_options set = settings(i == 1 ? OC_DDP : OC_NEWTON);
    set.descent.projection = OC_GAPS;
    descent *d = descend(&x, &set);
    if (d->info.status != DM_OK) fail_msg("%d: %s", i, d->msg.text);
    assert_true(d->info.residual <= set.descent.goal);
    assert_true(certify(&x, d->x) < 1e-11);
    assert_true(d->row[1].residual > 1e-3 && d->row[0].step > 0); // there were gaps
    check_against_ipopt(&x, d);
    descent_free(d);
    tasks_free(&x);
  }
}

static void gaps_refuse_by_name(void **state) {
  (void)state;
  static const struct {
    oc_method method;
    bool bound;
    const char *says;
  } rows[] = {{OC_LBFGS, false, "not lbfgs"},
              {OC_STEEPEST, false, "not steepest"},
              {OC_NEWTON, true, "cannot have holonomic constraints"}};
  for (int i = 0; i < COUNT(rows); i++) {
    tasks_task x = rows[i].bound ? tasks_four_bar(10) : tasks_pendulum(3);
    oc_options set = settings(rows[i].method);
    set.descent.projection = OC_GAPS;
    dm_trajectory *y = standing(&x);
    oc_descent_info info;
    dm_message msg = {""};
    assert_int_equal(oc_descend(&x.t, &set, NULL, y, NULL, 0, &info, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i].says)) fail_msg("'%s'", msg.text);
    dm_trajectory_free(y);
    tasks_free(&x);
  }
}

// a Lagrangian without third derivatives has no second-order terms: newton's way is quasi's then
static void without_third_derivatives_newton_is_quasi(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    tasks_task x = i ? tasks_pendulum(3) : paper_task();
    descent *d[2];
    for (int j = 0; j < 2; j++) {
      oc_options set = settings(j ? OC_NEWTON : OC_QUASI);
      if (j) x.t.system.L.contract = NULL;
      d[j] = descend(&x, &set);
    }
    assert_int_equal(d[1]->info.status, DM_OK);
    assert_int_equal(d[1]->info.cut, 0);
    assert_int_equal(d[1]->info.fell[OC_QUASI], d[1]->info.iterations);
    assert_int_equal(d[1]->info.iterations, d[0]->info.iterations);
    assert_close(d[1]->info.cost, d[0]->info.cost, 0);
    descent_free(d[0]), descent_free(d[1]);
    tasks_free(&x);
  }
}

// no cost and no goal at the end: there an input's curvature is its own weight, no more
static void second_order_terms_are_cut_without_a_terminal_cost(void **state) {
  (void)state;
  tasks_task x = paper_task();
  x.t.cost[OC_Q].goal = x.t.cost[OC_P].goal = NULL;
  oc_options set = settings(OC_NEWTON);
  descent *d = descend(&x, &set);
  assert_int_equal(d->info.status, DM_OK);
  assert_true(d->info.cut > 0);
  descent_free(d);
  tasks_free(&x);
}

// a bar on strings of prescribed length, lifted by them: constraints hold at every knot
static void a_constrained_system_descends(void **state) {
  (void)state;
  for (oc_method m = OC_QUASI; m <= OC_NEWTON; m++) {
    tasks_task x = soften(tasks_hung_bar(30));
    x.t.cost[OC_V].goal = NULL;
    oc_options set = settings(m);
    set.descent.slope = 1e-9;
    descent *d = descend(&x, &set);
    if (d->info.status != DM_OK) fail_msg("%s: %s", oc_method_names[m], d->msg.text);
    assert_true(certify(&x, d->x) < 1e-10);
    dm_kkt *w;
    assert_int_equal(dm_kkt_new(&w, &x.t.system), DM_OK);
    for (int k = 0; k <= d->x->N; k++) {
      assert_int_equal(dm_kkt_end(w, d->x->q + k * d->x->n), DM_OK);
      for (int c = 0; c < w->nc; c++) assert_close(w->h[c], 0, 1e-12);
    }
    dm_kkt_free(w);
    if (m == OC_NEWTON) check_against_ipopt(&x, d);
    descent_free(d), tasks_free(&x);
  }
}

// a linkage from rest to rest: of its last velocity constraints leave what the goal asks for
static void a_constrained_system_comes_to_rest(void **state) {
  (void)state;
  tasks_task x = tasks_four_bar(30);
  oc_options set = settings(OC_NEWTON);
  set.descent.slope = 1e-9;
  descent *d = descend(&x, &set);
  if (d->info.status != DM_OK) fail_msg("%s: goal off by %g", d->msg.text, d->info.residual);
  assert_true(d->info.residual <= set.descent.goal);
  assert_true(certify(&x, d->x) < 1e-10);
  for (int i = 0; i < d->x->n; i++) assert_close(d->x->v[d->x->N * d->x->n + i], 0, 1e-8);
  check_against_ipopt(&x, d);
  descent_free(d);
  tasks_free(&x);
}

static void the_sparse_system_leads_the_same_way(void **state) {
  (void)state;
  tasks_task x = paper_task();
  oc_options set = settings(OC_NEWTON), other = set;
  descent *sweep = descend(&x, &set);
  other.descent.kkt = OC_CHOLMOD;
  descent *sparse = descend(&x, &other);
  if (sparse->info.status == DM_UNAVAILABLE) skip_test(NO_CHOLMOD);
  assert_int_equal(sparse->info.rows, sweep->info.rows);
  for (int k = 0; k < sweep->info.rows; k++) {
    assert_int_equal(sparse->row[k].kind, sweep->row[k].kind);
    assert_close(sparse->row[k].cost, sweep->row[k].cost, 1e-8 * sweep->row[k].cost);
  }
  descent_free(sweep), descent_free(sparse);
  tasks_free(&x);
}

// -- what ends otherwise

static void tasks_of_another_kind_are_refused(void **state) {
  (void)state;
  static const char *const rows[] = {"cannot have a free final time", "found no input",
                                     "needs a whole start, and pole is free there",
                                     "cannot have bounds, and input slider has them"};
  for (int i = 0; i < COUNT(rows); i++) {
    tasks_task x = soften(tasks_cart_pole(10));
    double q[] = {0, NAN};
    oc_options set = settings(OC_NEWTON);
    set.descent.kkt = i != 1 ? OC_CHOLMOD : OC_RICCATI;
    if (i == 0) x.t.time.free = true, x.t.time.min = 1, x.t.time.max = 3;
    dm_trajectory *y = standing(&x);
    if (i == 1) x.t.system.nu = x.t.system.nk = 0;
    if (i == 2) x.t.start.q = q;
    oc_descent_info info;
    dm_message msg = {""};
    assert_int_equal(oc_descend(&x.t, &set, NULL, y, NULL, 0, &info, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i])) fail_msg("'%s' does not say '%s'", msg.text, rows[i]);
    dm_trajectory_free(y);
    tasks_free(&x);
  }
}

// limits of positions and speeds, a free final time, a free start: the same minimum as the program's
static void limits_and_free_ends_lead_to_the_programs_minimum(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    tasks_task x = tasks_cart_pole(40);
    double q_max[] = {1.2, INFINITY}, q_min[] = {-0.3, -INFINITY}, v_max[] = {3, INFINITY};
    double q[] = {NAN, 0};
    oc_options set = settings(OC_NEWTON);
    if (i == 0) x.t.bounds[OC_Q].high = q_max, x.t.bounds[OC_Q].low = q_min;
    if (i == 1) x.t.bounds[OC_V].high = v_max;
    if (i == 2) x.t.time.free = true, x.t.time.min = 1, x.t.time.max = 3, x.t.time.weight = 5;
    if (i == 3) x.t.start.q = q, x.t.bounds[OC_Q].high = q_max, x.t.bounds[OC_Q].low = q_min;
    descent *d = descend(&x, &set);
    if (d->info.status != DM_OK) fail_msg("%d: %s", i, d->msg.text);
    assert_true(d->info.residual <= set.descent.goal);
    assert_true(certify(&x, d->x) < 1e-10);
    for (int k = 1; i != 1 && i != 2 && k <= d->x->N; k++)
      assert_true(d->x->q[2 * k] <= q_max[0] + 1e-7 && d->x->q[2 * k] >= q_min[0] - 1e-7);
    check_against_ipopt(&x, d);
    descent_free(d);
    tasks_free(&x);
  }
}

static bool three_times(void *user, const oc_iterate *it) {
  (void)it;
  return ++*(int *)user < 3;
}

static void an_interrupt_keeps_the_last_motion(void **state) {
  (void)state;
  tasks_task x = paper_task();
  int calls = 0;
  oc_options set = settings(OC_NEWTON);
  const oc_hooks hooks = {.watch = three_times, .user = &calls};
  descent *d = descend_watched(&x, &set, &hooks);
  assert_int_equal(d->info.status, DM_INTERRUPTED);
  assert_int_equal(d->info.rows, 3);
  assert_true(certify(&x, d->x) < 1e-11);
  set.max_iter = 5;
  descent *e = descend(&x, &set);
  assert_int_equal(e->info.status, DM_MAX_ITER);
  assert_int_equal(e->info.iterations, 5);
  assert_true(certify(&x, e->x) < 1e-11);
  descent_free(d), descent_free(e);
  tasks_free(&x);
}

// NaN in the inputs: no gains stabilize the motion and no step is possible; x is unchanged
static void a_guess_that_cannot_be_followed_is_told_with_its_knot(void **state) {
  (void)state;
  tasks_task x = paper_task();
  oc_options set = settings(OC_NEWTON);
  oc_descent_info info;
  dm_message msg = {""};
  dm_trajectory *y = standing(&x);
  y->u[7] = NAN;
  assert_int_equal(oc_descend(&x.t, &set, NULL, y, NULL, 0, &info, &msg), DM_NOT_FINITE);
  assert_int_equal(info.failed, 7);
  assert_non_null(strstr(msg.text, "knot 7: the guess"));
  assert_true(isnan(y->u[7]) && y->q[100] == 0);
  dm_trajectory_free(y);
  tasks_free(&x);
}

// a pendulum of no more torque than that is not upright after a tenth of a second
static void a_goal_out_of_reach_is_infeasible(void **state) {
  (void)state;
  tasks_task x = tasks_pendulum(1);
  x.t.time.T = 0.5, x.t.N = 10;
  oc_options set = settings(OC_NEWTON);
  descent *d = descend(&x, &set);
  assert_int_equal(d->info.status, DM_INFEASIBLE);
  assert_true(d->info.residual > 1);
  for (int k = 0; k < d->x->N; k++) assert_true(fabs(d->x->u[k]) <= 1);
  descent_free(d);
  tasks_free(&x);
}

// a goal that is met to rounding, and asked for exactly, is within reach all the same
static void a_goal_met_to_rounding_is_not_infeasible(void **state) {
  (void)state;
  for (oc_method m = OC_QUASI; m <= OC_NEWTON; m++) {
    tasks_task x = tasks_pendulum(3);
    oc_options set = settings(m);
    set.descent.goal = 0;
    descent *d = descend(&x, &set);
    if (d->info.status != DM_STALLED || !(d->info.residual < 1e-8))
      fail_msg("%s: status %d, residual %g", oc_method_names[m], d->info.status, d->info.residual);
    for (int i = 0; i < d->info.rows; i++)
      assert_true(d->row[i].min_share > 0 || d->row[i].cut > 0);
    descent_free(d);
    tasks_free(&x);
  }
}

// -- the order of the cost

// a slider of 1 kg, its forces free
static dm_model *slider(void) {
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  return models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u});
}

// the slope of the cost-to-go x'Px/2 as time runs backwards, P = (a b; b c): PA + A'P + Q - PBB'P
static void riccati_slope(const double *P, double on_q, double on_v, double *slope) {
  slope[0] = on_q - P[1] * P[1];
  slope[1] = P[0] - P[1] * P[2];
  slope[2] = 2 * P[1] + on_v - P[2] * P[2];
}

// the least of 1/2 int on_q q^2 + on_v v^2 + u^2 over T with a free end, by Runge-Kutta
static double least_integral(double on_q, double on_v, double T, const double *x) {
  enum { STEPS_OF_TIME = 4000 };
  double P[3] = {0}, at[3], k[4][3], h = T / STEPS_OF_TIME;
  for (int step = 0; step < STEPS_OF_TIME; step++) {
    for (int stage = 0; stage < 4; stage++) {
      double a = stage == 0 ? 0 : stage == 3 ? h : h / 2;
      for (int i = 0; i < 3; i++) at[i] = P[i] + (stage ? a * k[stage - 1][i] : 0);
      riccati_slope(at, on_q, on_v, k[stage]);
    }
    for (int i = 0; i < 3; i++) P[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  return 0.5 * (P[0] * x[0] * x[0] + 2 * P[1] * x[0] * x[1] + P[2] * x[1] * x[1]);
}

// a linear-quadratic problem with free ends: the discrete optimum is off by h^2
static void running_costs_on_states_are_of_second_order(void **state) {
  (void)state;
  const double start[] = {1, 0.5}, exact = least_integral(3, 0.7 + 0.4, 2, start);
  double error[3];
  for (int level = 0; level < 3; level++) {
    tasks_task x = tasks_make(slider(), 10 << level, 2);
    x.t.start.q = start, x.t.start.v = start + 1;
    x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
    x.t.cost[OC_Q].running = tasks_weight(&x, 1, 1, 3);
    x.t.cost[OC_V].running = tasks_weight(&x, 2, 1, 0.7);
    x.t.cost[OC_P].running = tasks_weight(&x, 3, 1, 0.4); // p = v
    oc_options set = settings(OC_NEWTON);
    descent *d = descend(&x, &set);
    assert_int_equal(d->info.status, DM_OK);
    error[level] = fabs(d->info.cost - exact);
    descent_free(d);
    tasks_free(&x);
  }
  assert_true(error[0] < 0.05 * exact);
  for (int level = 0; level < 2; level++)
    assert_true(fabs(log2(error[level] / error[level + 1]) - 2) < 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_guess_becomes_the_nearest_motion),
      cmocka_unit_test(the_paper_is_reproduced),
      cmocka_unit_test(newton_converges_to_second_order_and_steepest_to_first),
      cmocka_unit_test(costs_fall_and_armijo_holds),
      cmocka_unit_test(rows_tell_what_was_done),
      cmocka_unit_test(bounds_are_kept_exactly),
      cmocka_unit_test(limits_and_free_ends_lead_to_the_programs_minimum),
      cmocka_unit_test(goals_take_few_iterations),
      cmocka_unit_test(gaps_close),
      cmocka_unit_test(gaps_refuse_by_name),
      cmocka_unit_test(hard_goals_are_met),
      cmocka_unit_test(without_third_derivatives_newton_is_quasi),
      cmocka_unit_test(second_order_terms_are_cut_without_a_terminal_cost),
      cmocka_unit_test(a_constrained_system_descends),
      cmocka_unit_test(a_constrained_system_comes_to_rest),
      cmocka_unit_test(the_sparse_system_leads_the_same_way),
      cmocka_unit_test(tasks_of_another_kind_are_refused),
      cmocka_unit_test(an_interrupt_keeps_the_last_motion),
      cmocka_unit_test(a_guess_that_cannot_be_followed_is_told_with_its_knot),
      cmocka_unit_test(a_goal_out_of_reach_is_infeasible),
      cmocka_unit_test(a_goal_met_to_rounding_is_not_infeasible),
      cmocka_unit_test(running_costs_on_states_are_of_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

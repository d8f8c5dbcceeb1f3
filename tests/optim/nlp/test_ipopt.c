#include "optim/interior/interior.h"
#include "optim/nlp/linear_solver.h"
#include "tests/support/springs.h"
#include "tests/support/tasks.h"

#include "config.h"
#include <unistd.h>

// the same laws hold for the solver of our own (tests/meson.build compiles this file once more)
#ifdef STAGE
#define SOLVE oc_interior_solve
static const bool stage = true;
#else
#define SOLVE oc_ipopt_solve
static const bool stage = false;
#endif

// a task, its program and a point of it
typedef struct solve {
  tasks_task task;
  oc_transcription *t;
  const oc_nlp *p;
  oc_point at;
  oc_options set;
  oc_hooks hooks;
  oc_ipopt_info info;
} solve;

static solve begin(tasks_task task) {
  solve s = {.task = task};
  dm_message msg = {""};
  if (oc_transcription_new(&s.t, &task.t, &msg) != DM_OK) fail_msg("%s", msg.text);
  s.p = oc_transcription_nlp(s.t);
  size_t n = (size_t)s.p->n;
  s.at.x = calloc(3 * n + (size_t)s.p->m, sizeof(double));
  s.at.z_l = s.at.x + n, s.at.z_u = s.at.z_l + n, s.at.lambda = s.at.z_u + n;
  tasks_line(s.t, &task, s.at.x);
  s.set = oc_options_default();
  return s;
}

static void end(solve *s) {
  free(s->at.x);
  oc_transcription_free(s->t);
  tasks_free(&s->task);
}

static dm_status run(solve *s) {
  return SOLVE(s->p, &s->set, &s->hooks, &s->at, NULL, 0, &s->info);
}

// f' + J'lambda - z_l + z_u = 0, z >= 0 and complementary, rows and bounds satisfied: by hand
static void check_optimal(const solve *s, double tol) {
  const oc_nlp *p = s->p;
  const double *x = s->at.x;
  double *grad = calloc((size_t)(p->n + p->m + p->jac_nnz), sizeof *grad);
  double *g = grad + p->n, *val = g + p->m, largest = 1;
  int *row = calloc((size_t)(2 * p->jac_nnz), sizeof *row), *col = row + p->jac_nnz;
  oc_triplets sink = {row, col, val, 0};
  p->grad(p->self, x, grad);
  p->g(p->self, x, g);
  p->jac(p->self, x, &sink);
  for (int i = 0; i < sink.n; i++) grad[col[i]] += val[i] * s->at.lambda[row[i]];
  for (int i = 0; i < p->m; i++) largest = fmax(largest, fabs(s->at.lambda[i]));
  tol *= largest;
  for (int j = 0; j < p->n; j++) {
    assert_true(x[j] >= p->x_min[j] && x[j] <= p->x_max[j]);
    if (p->x_min[j] == p->x_max[j]) continue;
    assert_true(fabs(grad[j] - s->at.z_l[j] + s->at.z_u[j]) < tol);
    assert_true(s->at.z_l[j] >= 0 && s->at.z_u[j] >= 0);
    if (s->at.z_l[j] > tol) assert_true(s->at.z_l[j] * (x[j] - p->x_min[j]) < tol);
    if (s->at.z_u[j] > tol) assert_true(s->at.z_u[j] * (p->x_max[j] - x[j]) < tol);
  }
  for (int i = 0; i < p->m; i++)
    assert_true(g[i] >= p->g_min[i] - 2e-9 && g[i] <= p->g_max[i] + 2e-9);
  free(grad), free(row);
}

// every knot stepped once by the integrator lands on the next one
static void check_certificate(const solve *s) {
  const oc_task *task = &s->task.t;
  dm_trajectory *traj;
  dm_del *del;
  double gap;
  int knot;
  assert_int_equal(dm_trajectory_of(&traj, task->N, &task->system), DM_OK);
  assert_int_equal(dm_del_new(&del, &task->system, NULL), DM_OK);
  assert_int_equal(oc_transcription_unpack(s->t, s->at.x, traj), DM_OK);
  assert_int_equal(dm_trajectory_certify(traj, del, NULL, &gap, &knot), DM_OK);
  if (!(gap < 1e-8)) fail_msg("gap %g at knot %d", gap, knot);
  dm_del_free(del);
  dm_trajectory_free(traj);
}

static tasks_task bound_pendulum(void) {
  return tasks_pendulum(3);
}
static tasks_task free_pendulum(void) {
  return tasks_pendulum(INFINITY);
}
static tasks_task cart_pole(void) {
  return tasks_cart_pole(100);
}
static tasks_task acrobot(void) {
  return tasks_acrobot(100);
}
static tasks_task fast_cart_pole(void) {
  tasks_task x = tasks_cart_pole(100);
  x.t.time.free = true, x.t.time.min = 0.2, x.t.time.max = 10;
  x.t.cost[OC_U].running = NULL, x.t.time.weight = 1;
  return x;
}
static tasks_task slow_cart_pole(void) { // a speed limit, and the time as a price
  tasks_task x = tasks_cart_pole(60);
  x.m->v_max[0] = 2;
  x.t.time.free = true, x.t.time.min = 0.5, x.t.time.max = 10, x.t.time.weight = 10;
  return x;
}
static tasks_task limited_cart_pole(void) {
  tasks_task x = tasks_cart_pole(60);
  x.m->v_max[0] = 2;
  return x;
}

// a rubber band from the pole's tip to a nail, which holds the cart back on its way
static tasks_task sprung_cart_pole(void) {
  tasks_task x = tasks_cart_pole(60);
  const double point[][3] = {{0, 0, -0.5}, {-1, 0, 0.3}};
  dm_spring band = {{.name = "band", .npoint = 2, .body = (int[]){1, -1}, .point = point},
                    dm_spring_law_linear(5, 0.2)};
  tasks_spring(&x, springs_make(x.m, 1, &band));
  return x;
}
static tasks_task four_bar(void) {
  return tasks_four_bar(50);
}

static tasks_task hung_bar(void) {
  return tasks_hung_bar(50);
}
static tasks_task let_go(void) { // the velocities of the goal are free, and the time
  tasks_task x = tasks_hung_bar(30);
  tasks_fill(x.pool + 3 * x.m->nq, x.m->nq, NAN);
  x.t.time.free = true, x.t.time.min = 0.5, x.t.time.max = 10, x.t.time.weight = 1;
  return x;
}

static const struct {
  const char *name;
  tasks_task (*make)(void);
  bool same; // whichever the rounding; the acrobot has optima by the dozen
} tasks[] = {{"pendulum, bound", bound_pendulum, true},
             {"pendulum, free", free_pendulum, true},
             {"cart-pole", cart_pole, true},
             {"acrobot", acrobot, false},
             {"least time", fast_cart_pole, true},
             {"priced time", slow_cart_pole, true},
             {"speed limit", limited_cart_pole, true},
             {"springs", sprung_cart_pole, true},
             {"four-bar", four_bar, true},
             {"hung bar", hung_bar, true},
             {"let go", let_go, true}};

// both linear solvers end at points that are optimal by hand, and at the same one where rounding
// does not choose
static void solutions_are_optimal_and_certified(void **state) {
  (void)state;
  static const char *const solvers[] = {"ldl", "mumps", "auto"};
  for (int i = 0; i < COUNT(tasks); i++) {
    double objective[3];
    for (int j = 0; j < 3; j++) {
      solve s = begin(tasks[i].make());
      s.set.linear = solvers[j];
      dm_status status = run(&s);
      if (status == DM_UNAVAILABLE) status = DM_OK, s.set.linear = "mumps", run(&s);
      if (status != DM_OK)
        fail_msg("%s by %s: %s", tasks[i].name, solvers[j], dm_status_text(status));
      assert_true(s.info.max_violation < 2e-9);
      check_optimal(&s, 1e-6);
      check_certificate(&s);
      double f;
      s.p->f(s.p->self, s.at.x, &f);
      assert_true(f == s.info.objective);
      objective[j] = f;
      end(&s);
    }
    for (int j = 1; tasks[i].same && j < 3; j++)
      if (fabs(objective[j] - objective[0]) > 1e-6 * fabs(objective[0]))
        fail_msg("%s: %.12g and %.12g", tasks[i].name, objective[0], objective[j]);
  }
}

// the midpoint rule is of second order, and so is what is optimal under it
static void optimum_converges_with_order_two(void **state) {
  (void)state;
  double f[3];
  for (int i = 0; i < 3; i++) {
    solve s = begin(tasks_cart_pole(50 << i));
    assert_int_equal(run(&s), DM_OK);
    f[i] = s.info.objective;
    end(&s);
  }
  double ratio = (f[0] - f[1]) / (f[1] - f[2]);
  assert_true(ratio > 3.8 && ratio < 4.2);
}

// A mass m on a slider from rest to rest over the distance d, force at the left, 1/2 sum h u^2:
// sum u_k = 0 and h^2/m sum (N-k) u_k = d, hence u_k = a + b (N-k).
static void linear_quadratic_task_has_its_closed_form(void **state) {
  (void)state;
  enum { N = 40 };
  const double h = 0.05, mass = 2, d = 1.5;
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, mass, {0}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  tasks_task x = tasks_make(models_make(&(dm_tree){.nbody = 1,
                                                   .ncoord = 1,
                                                   .ninput = 1,
                                                   .body = b,
                                                   .coord = c,
                                                   .input = u,
                                                   .gravity = {0, 0, -9.81}}),
                            N, N * h);
  tasks_rest(&x, 0, (double[]){0});
  tasks_rest(&x, 1, (double[]){d});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  assert_int_equal(dm_rule_set(&x.t.system.rule, "midpoint", 0.5, "left", NULL), DM_OK);
  double s1 = 0, s2 = 0;
  for (int k = 0; k < N; k++) s1 += N - k, s2 += (double)(N - k) * (N - k);
  double slope = d * mass / (h * h) / (s2 - s1 * s1 / N), offset = -slope * s1 / N;
  solve s = begin(x);
  assert_int_equal(run(&s), DM_OK);
  assert_true(s.info.iterations <= 2);
  for (int k = 0; k < N; k++)
    assert_true(fabs(s.at.x[oc_transcription_u(s.t, k)] - offset - slope * (N - k)) < 1e-8);
  end(&s);
}

// a bar let down in a hurry: strings that never push let it fall no faster than it can
static void strings_pull_where_they_are_told_to(void **state) {
  (void)state;
  double least[2], f[2];
  for (int bound = 0; bound < 2; bound++) {
    tasks_task x = tasks_hung_bar(40);
    double up[6], down[6], zero[] = {0, 0}, none[] = {1e3, 1e3};
    memcpy(down, x.t.start.q, sizeof down), memcpy(up, x.t.goal.q, sizeof up);
    tasks_rest(&x, 0, up), tasks_rest(&x, 1, down);
    x.t.time.T = 0.4;
    if (bound) x.t.bounds[OC_LAMBDA].low = zero, x.t.bounds[OC_LAMBDA].high = none;
    solve s = begin(x);
    for (int c = 0; c < 2; c++) { // that of the last knot belongs to no step
      int j = oc_transcription_lambda(s.t, 40) + c;
      assert_true(isinf(oc_transcription_nlp(s.t)->x_min[j]));
      assert_true(isinf(oc_transcription_nlp(s.t)->x_max[j]));
    }
    assert_int_equal(run(&s), DM_OK);
    f[bound] = s.info.objective, least[bound] = INFINITY;
    for (int k = 0; k < 40; k++)
      for (int c = 0; c < 2; c++)
        least[bound] = fmin(least[bound], s.at.x[oc_transcription_lambda(s.t, k) + c]);
    if (bound) check_certificate(&s);
    end(&s);
  }
  assert_true(least[0] < -0.1 && least[1] >= -1e-8);
  assert_true(f[1] > f[0]);
}

// a hanging chain of driven joints, with speed limits or without
static tasks_task chain(int n, int N, double speed) {
  tasks_task x = tasks_make(models_chain(n, 0.2, 0), N, 1);
  double rest[12] = {0};
  tasks_rest(&x, 0, rest), tasks_rest(&x, 1, rest);
  x.t.cost[OC_U].running = tasks_weight(&x, 2, n, 1);
  tasks_fill(x.m->v_max, n, speed);
  return x;
}

// One dense window is no match for MUMPS where many unknowns wait. How many is not the width of a
// step: eight joints with speed limits, whose rows come between, wait for less than seven without.
static void the_faster_linear_solver_is_chosen(void **state) {
  (void)state;
  const struct {
    int joints, steps;
    double speed;
    const char *solver;
  } rows[] = {{4, 10, INFINITY, "ldl"},
              {7, 50, INFINITY, "mumps"},
              {8, 50, 3, "ldl"},
              {12, 10, INFINITY, "mumps"}};
  for (int i = 0; i < COUNT(rows); i++) {
    solve s = begin(chain(rows[i].joints, rows[i].steps, rows[i].speed));
    assert_int_equal(run(&s), DM_OK);
    const char *chosen = s.info.solver;
    s.set.linear = "ldl";
    if (run(&s) != DM_UNAVAILABLE) assert_string_equal(chosen, rows[i].solver);
    end(&s);
  }
}

// the model's own terms: what is counted of a program that is counted by hand
static void the_work_of_a_program_is_counted(void **state) {
  (void)state;
  oc_linear_solver_work work, twice;
  solve s = begin(chain(2, 20, INFINITY)), t = begin(chain(2, 40, INFINITY));
  assert_int_equal(oc_linear_solver_measure(s.p, &work), DM_OK);
  assert_int_equal(oc_linear_solver_measure(t.p, &twice), DM_OK);
  // q and u of 20 steps without the start, and the rows of 21 knots; v and the ends are given
  assert_true(work.unknowns == 2 * 19 + 2 * 20 + 2 * 21);
  assert_true(twice.unknowns - work.unknowns == 20 * 6);
  // the window is as large, the work twice as much
  assert_true(fabs(twice.products / work.products - 2) < 0.1);
  oc_linear_solver_cost cost = oc_linear_solver_estimate(&work);
  assert_true(cost.ldl > 0 && cost.ldl < cost.mumps);
  end(&s), end(&t);
}

static void infeasible_tasks_are_told(void **state) {
  (void)state;
  // far too short a time; and more equations than unknowns
  for (int which = 0; which < 2; which++) {
    tasks_task x = tasks_cart_pole(which ? 1 : 30);
    x.t.time.T = 0.3;
    solve s = begin(x);
    assert_int_equal(run(&s), DM_INFEASIBLE);
    assert_true(s.info.max_violation > 1e-3);
    assert_in_range(s.info.worst_row, 0, s.p->m - 1);
    char text[64];
    int knot;
    s.p->row_name(s.p->self, s.info.worst_row, text, sizeof text, &knot);
    assert_non_null(strstr(text, "of pole"));
    if (!which && !stage) assert_string_equal(s.info.solver, "mumps"); // which was asked as well
    end(&s);
  }
  // seven joints without the torque to move: MUMPS first, then ldl, where it is there
  tasks_task x = chain(7, 20, INFINITY);
  x.t.time.T = 0.1;
  x.pool[2 * 7] = 1;
  tasks_fill(x.m->u_max, 7, 0.1);
  tasks_fill(x.m->u_min, 7, -0.1);
  solve s = begin(x);
  assert_int_equal(run(&s), DM_INFEASIBLE);
  const char *last = s.info.solver;
  s.set.linear = "ldl";
  s.set.max_iter = 1;
  if (!stage && run(&s) != DM_UNAVAILABLE) assert_string_equal(last, "ldl");
  end(&s);
}

// tol below rounding: the search stalls at the optimum, which is said with the same objective
static void a_stall_at_the_optimum_is_acceptable(void **state) {
  (void)state;
  tasks_task (*const make[])(void) = {cart_pole, fast_cart_pole, bound_pendulum};
  for (int i = 0; i < COUNT(make); i++) {
    solve solved = begin(make[i]()), stalled = begin(make[i]());
    assert_int_equal(run(&solved), DM_OK);
    stalled.set.tol = 1e-18;
    assert_int_equal(run(&stalled), DM_ACCEPTABLE);
    double f = solved.info.objective;
    assert_true(fabs(stalled.info.objective - f) < 1e-6 * fabs(f));
    assert_true(stalled.info.max_violation < 2e-9);
    check_optimal(&stalled, 1e-6);
    check_certificate(&stalled);
    end(&solved), end(&stalled);
  }
}

// minimize c x, which is not defined below a wall at 1: the search stalls in front of it
static dm_status walled_off_f(void *self, const double *x, double *f) {
  const double *c = self;
  *f = x[0] < 1 ? NAN : *c * x[0];
  return DM_OK;
}
static dm_status walled_off_grad(void *self, const double *x, double *grad) {
  const double *c = self;
  (void)x;
  grad[0] = *c;
  return DM_OK;
}
static dm_status walled_off_g(void *self, const double *x, double *g) {
  (void)self, (void)x, (void)g;
  return DM_OK;
}
static dm_status walled_off_jac(void *self, const double *x, oc_triplets *s) {
  (void)self, (void)x, (void)s;
  return DM_OK;
}
static dm_status walled_off_hess(void *self, const double *x, double sigma, const double *lambda,
                                 oc_triplets *s) {
  (void)self, (void)x, (void)sigma, (void)lambda;
  oc_put(s, 0, 0, 0);
  return DM_OK;
}

// whatever IPOPT calls it: in small units even a wrong point is below its acceptable level
static void a_stall_elsewhere_is_none(void **state) {
  (void)state;
  const double units[] = {1e-8, 5e-9};
  for (int i = 0; i < COUNT(units); i++) {
    double c = units[i], low = -10, high = 10, at[] = {5, 0, 0};
    oc_nlp nlp = {.n = 1,
                  .hess_nnz = 1,
                  .x_min = &low,
                  .x_max = &high,
                  .self = &c,
                  .f = walled_off_f,
                  .grad = walled_off_grad,
                  .g = walled_off_g,
                  .jac = walled_off_jac,
                  .hess = walled_off_hess};
    oc_options set;
    oc_ipopt_info info;
    set = oc_options_default();
    oc_point point = {.x = at, .z_l = at + 1, .z_u = at + 2};
    dm_status s = SOLVE(&nlp, &set, NULL, &point, NULL, 0, &info);
    if (s != DM_STALLED) fail_msg("%s (%s) at %g", dm_status_text(s), info.detail, at[0]);
    assert_string_equal(info.detail, "Solved_To_Acceptable_Level"); // as IPOPT sees it
  }
}

// a pendulum as a user's C functions that know nothing below the angle `wall`, in L or T(a) alone
typedef struct walled {
  double wall;
  bool only_third;
} walled;

static dm_status walled_eval(const void *self, void *scratch, int order, const double *q,
                             const double *v, dm_jet *out) {
  const walled *w = self;
  (void)scratch;
  double bad = q[0] < w->wall && !w->only_third ? NAN : 0;
  out->L = v[0] * v[0] / 2 + 9.8 * cos(q[0]) + bad;
  out->L_q[0] = -9.8 * sin(q[0]) + bad, out->L_v[0] = v[0] + bad;
  if (order < 2) return DM_OK;
  out->L_qq[0] = -9.8 * cos(q[0]) + bad, out->L_qv[0] = 0, out->L_vv[0] = 1;
  return DM_OK;
}

static dm_status walled_contract(const void *self, void *scratch, const double *q, const double *v,
                                 const double *a_q, const double *a_v, dm_jet *out) {
  const walled *w = self;
  (void)scratch, (void)v, (void)a_v;
  out->L_qq[0] = 9.8 * sin(q[0]) * a_q[0] + (q[0] < w->wall ? NAN : 0);
  out->L_qv[0] = out->L_vv[0] = 0;
  return DM_OK;
}

static solve begin_walled(walled *w) {
  tasks_task x = tasks_pendulum(3);
  x.t.system.L =
      (dm_lagrangian){.nq = 1, .self = w, .eval = walled_eval, .contract = walled_contract};
  return begin(x);
}

static void what_is_not_finite_is_refused(void **state) {
  (void)state;
  // far away: the line search stays on this side, and the optimum is the tree's
  walled w = {.wall = -5};
  solve s = begin_walled(&w), tree = begin(tasks_pendulum(3));
  assert_int_equal(run(&s), DM_OK);
  assert_int_equal(run(&tree), DM_OK);
  assert_true(fabs(s.info.objective - tree.info.objective) < 1e-6);
  end(&s), end(&tree);
  // at the guess: nothing is touched
  w.wall = 1;
  s = begin_walled(&w);
  double before = s.at.x[oc_transcription_q(s.t, 50)];
  assert_int_equal(run(&s), DM_NOT_FINITE);
  assert_true(s.at.x[oc_transcription_q(s.t, 50)] == before);
  end(&s);
  // on the way, in a second derivative: the last good point comes back
  w = (walled){.wall = -0.5, .only_third = true};
  s = begin_walled(&w);
  double f;
  assert_int_equal(run(&s), DM_NOT_FINITE);
  assert_int_equal(s.p->f(s.p->self, s.at.x, &f), DM_OK);
  assert_true(f == s.info.objective && s.info.iterations > 0);
  assert_true(isfinite(s.info.max_violation));
  end(&s);
}

typedef struct watcher {
  int stop_at, seen;
  double least; // violation so far
} watcher;

static bool watch(void *user, const oc_iterate *it) {
  watcher *w = user;
  assert_int_equal(it->iteration, w->seen);
  w->seen++;
  w->least = fmin(w->least, it->violation);
  return it->iteration < w->stop_at;
}

static void interrupt_returns_the_best(void **state) {
  (void)state;
  watcher w = {.stop_at = 6, .least = INFINITY};
  solve s = begin(tasks_cart_pole(100));
  s.hooks = (oc_hooks){.watch = watch, .user = &w};
  assert_int_equal(run(&s), DM_INTERRUPTED);
  assert_int_equal(s.info.iterations, 6);
  if (!(s.info.max_violation <= w.least * (1 + 1e-9)))
    fail_msg("%.17g is not %.17g", s.info.max_violation, w.least);
  double f;
  s.p->f(s.p->self, s.at.x, &f);
  assert_true(f == s.info.objective);
  end(&s);
}

static void limits_on_time_and_iterations_hold(void **state) {
  (void)state;
  solve s = begin(tasks_acrobot(200));
  s.set.max_time = 0;
  assert_int_equal(run(&s), DM_MAX_ITER);
  assert_string_equal(s.info.detail, "Maximum_Time_Exceeded");
  assert_true(isfinite(s.info.objective));
  s.set.max_time = INFINITY, s.set.max_iter = 3;
  assert_int_equal(run(&s), DM_MAX_ITER);
  assert_int_equal(s.info.iterations, 3);
  end(&s);
}

static void warm_start_saves_iterations(void **state) {
  (void)state;
  solve s = begin(tasks_cart_pole(100));
  assert_int_equal(run(&s), DM_OK);
  int cold = s.info.iterations;
  // the same task, pushed: the pole starts elsewhere
  s.task.pool[1] = 0.02;
  oc_transcription_free(s.t);
  assert_int_equal(oc_transcription_new(&s.t, &s.task.t, NULL), DM_OK);
  s.p = oc_transcription_nlp(s.t);
  s.set.program.warm = true;
  assert_int_equal(run(&s), DM_OK);
  if (s.info.iterations > 5 || 2 * s.info.iterations > cold)
    fail_msg("%d iterations after %d", s.info.iterations, cold);
  check_optimal(&s, 1e-6);
  end(&s);
}

static void record_has_a_row_for_each_iteration(void **state) {
  (void)state;
  enum { ROOM = 100 };
  oc_iterate record[ROOM];
  solve s = begin(tasks_cart_pole(100));
  assert_int_equal(SOLVE(s.p, &s.set, NULL, &s.at, record, ROOM, &s.info), DM_OK);
  assert_int_equal(s.info.rows, s.info.iterations + 1);
  for (int i = 0; i < s.info.rows; i++) assert_int_equal(record[i].iteration, i);
  const oc_iterate *last = &record[s.info.iterations];
  assert_true(fabs(last->objective - s.info.objective) < 1e-8 * s.info.objective);
  assert_true(last->violation <= 1e-9 && last->dual <= 1e-8);
  assert_int_equal(SOLVE(s.p, &s.set, NULL, &s.at, record, 2, &s.info), DM_OK);
  assert_int_equal(s.info.rows, 2);
  end(&s);
}

// solvers are names of ours, and a file of options that lies about is not read
static void surroundings_have_no_say(void **state) {
  (void)state;
  solve s = begin(tasks_cart_pole(20));
  s.set.linear = "ma97";
  double before = s.at.x[7];
  assert_int_equal(run(&s), DM_BAD_INPUT);
  assert_true(s.at.x[7] == before);
  for (int i = 0; oc_ipopt_solvers()[i]; i++)
    assert_string_not_equal(oc_ipopt_solvers()[i], "ma97");
  char dir[] = "dmoc-test-XXXXXX", back[4096];
  assert_non_null(getcwd(back, sizeof back));
  assert_non_null(mkdtemp(dir));
  assert_int_equal(chdir(dir), 0);
  FILE *f = fopen("ipopt.opt", "w");
  assert_non_null(f);
  fputs("max_iter 1\n", f);
  fclose(f);
  s.set.linear = NULL;
  dm_status status = run(&s);
  remove("ipopt.opt");
  assert_int_equal(chdir(back), 0);
  rmdir(dir);
  assert_int_equal(status, DM_OK);
  end(&s);
}

static void build_without_ipopt_says_so(void **state) {
  (void)state;
  solve s = begin(tasks_cart_pole(20));
  assert_int_equal(run(&s), DM_UNAVAILABLE);
  end(&s);
}

int main(void) {
  const struct CMUnitTest with[] = {
      cmocka_unit_test(solutions_are_optimal_and_certified),
      cmocka_unit_test(optimum_converges_with_order_two),
      cmocka_unit_test(linear_quadratic_task_has_its_closed_form),
      cmocka_unit_test(strings_pull_where_they_are_told_to),
      cmocka_unit_test(the_faster_linear_solver_is_chosen),
      cmocka_unit_test(the_work_of_a_program_is_counted),
      cmocka_unit_test(infeasible_tasks_are_told),
      cmocka_unit_test(a_stall_at_the_optimum_is_acceptable),
      cmocka_unit_test(a_stall_elsewhere_is_none),
      cmocka_unit_test(what_is_not_finite_is_refused),
      cmocka_unit_test(interrupt_returns_the_best),
      cmocka_unit_test(limits_on_time_and_iterations_hold),
      cmocka_unit_test(warm_start_saves_iterations),
      cmocka_unit_test(record_has_a_row_for_each_iteration),
      cmocka_unit_test(surroundings_have_no_say),
  };
  const struct CMUnitTest without[] = {cmocka_unit_test(build_without_ipopt_says_so)};
  const struct CMUnitTest stages[] = {
      cmocka_unit_test(solutions_are_optimal_and_certified),
      cmocka_unit_test(optimum_converges_with_order_two),
      cmocka_unit_test(linear_quadratic_task_has_its_closed_form),
      cmocka_unit_test(strings_pull_where_they_are_told_to),
      cmocka_unit_test(infeasible_tasks_are_told),
      cmocka_unit_test(a_stall_at_the_optimum_is_acceptable),
      cmocka_unit_test(a_stall_elsewhere_is_none),
      cmocka_unit_test(what_is_not_finite_is_refused),
      cmocka_unit_test(interrupt_returns_the_best),
      cmocka_unit_test(limits_on_time_and_iterations_hold),
      cmocka_unit_test(warm_start_saves_iterations),
      cmocka_unit_test(record_has_a_row_for_each_iteration),
  };
  if (stage) return cmocka_run_group_tests(stages, NULL, NULL);
#ifdef HAVE_IPOPT
  (void)without;
  return cmocka_run_group_tests(with, NULL, NULL);
#else
  (void)with;
  return cmocka_run_group_tests(without, NULL, NULL);
#endif
}

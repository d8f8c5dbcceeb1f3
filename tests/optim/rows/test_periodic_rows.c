// tests/optim/rows/test_periodic_rows.c: motions that end as they began: derivatives of their
// programs, steps of the map that repeat, known periods, and rows that would be said twice.
#include "optim/rows/periodic_rows.h"

#include "control/feedback/tvlqr.h"
#include "lib/discrete/del.h"
#include "optim/descent/descent.h"
#include "optim/program/cycle.h"
#include "optim/program/prolong.h"
#include "optim/solve.h"
#include "optim/starts/guess.h"
#include "optim/starts/regrid.h"
#include "tests/support/asked.h"
#include "tests/support/checked.h"
#include "tests/support/springs.h"

static dm_message msg;

// a task that is to end as it began, from anywhere at any speed
static void make_periodic(oc_task *t) {
  t->periodic = true;
  t->start.q = t->start.v = t->goal.q = t->goal.v = NULL;
}

// coordinate `coord` as an output, at a share of the horizon
typedef struct passing {
  dm_outputs *w;
  oc_output_limit limit;
} passing;

static void pass_through(passing *a, oc_task *t, const dm_model *m, const int *coord, double value,
                         double at) {
  static const double weight[] = {1};
  const dm_output out = {
      .name = "way", .kind = DM_OUTPUT_SUM, .n = 1, .coord = coord, .weight = weight};
  a->limit = (oc_output_limit){0, {at, at}, value, value, NULL};
  t->outputs = (oc_outputs){.y = asked_map(&a->w, m, 1, &out), .nlimits = 1, .limits = &a->limit};
}

static double solve_task(const oc_task *t, oc_solver_kind solver, dm_trajectory **motion,
                         oc_solve_info *info) {
  oc_setup set = oc_setup_default();
  set.options.method = solver;
  if (oc_solve(t, &set, motion, info, &msg) != DM_OK)
    fail_msg("%s: %s, row %d by %g", info->method, info->detail, info->worst_row,
             info->max_violation);
  return info->objective;
}

// by both solvers; the motion is the stage solver's, of which ldl makes so many factorizations at most
static double solve_by_either(const oc_task *t, dm_trajectory **motion, int by_ldl) {
  oc_solve_info info;
  const double stage = solve_task(t, OC_SOLVER_STAGE, motion, &info);
  assert_in_range(info.by_ldl, 0, by_ldl);
  if (oc_ipopt_is_built()) {
    dm_trajectory *other;
    const double ipopt = solve_task(t, OC_SOLVER_IPOPT, &other, &info);
    assert_close(stage, ipopt, 1e-8 * (1 + fabs(ipopt)));
    dm_trajectory_free(other);
  }
  return stage;
}

static double solve_by_both(const oc_task *t, dm_trajectory **motion) {
  return solve_by_either(t, motion, 0);
}

// the map from the motion's start under its inputs, again and again: how far its knots come to be off
// those of the first period, that way further
static double repeat_motion(const oc_task *t, const dm_trajectory *x, int periods) {
  const int n = x->n, N = x->N;
  dm_trajectory *long_motion;
  dm_del *del;
  dm_del_info info;
  int failed;
  double worst = 0;
  assert_int_equal(dm_trajectory_of(&long_motion, periods * N, &t->system), DM_OK);
  assert_int_equal(dm_del_new(&del, &t->system, NULL), DM_OK);

  // kinematic coordinates are told where to be, a travel further each time
  dm_trajectory *y = long_motion;
  y->h = x->h;
  memcpy(y->q, x->q, (size_t)n * sizeof *y->q);
  memcpy(y->p, x->p, (size_t)n * sizeof *y->p);
  for (int k = 0; k < periods * N; k++) {
    memcpy(y->u + k * x->nu, x->u + k % N * x->nu, (size_t)x->nu * sizeof *y->u);
    for (int i = 0, j = t->system.nu; t->system.nk && i < n; i++)
      if (t->system.kinematic[i]) y->u[k * x->nu + j++] += (k / N) * (x->q[N * n + i] - x->q[i]);
  }
  assert_int_equal(dm_trajectory_rollout(y, del, &info, &failed), DM_OK);
  for (int k = 0; k <= periods * N; k++)
    for (int i = 0; i < n; i++) {
      const double way = x->q[N * n + i] - x->q[i];
      const double off = y->q[k * n + i] - x->q[k % N * n + i] - k / N * way;
      worst = fmax(worst, fabs(off));
      const double p = k % N ? y->p[k * n + i] - x->p[k % N * n + i] : 0;
      if (t->system.hol.nc == 0 && t->system.nk == 0) worst = fmax(worst, fabs(p));
    }
  dm_del_free(del);
  dm_trajectory_free(y);
  return worst;
}

// fixed and free time, limits and costs on rates, travels, constraints with limited impulses,
// kinematic coordinates
static void derivatives_hold(void **state) {
  (void)state;
  double low[6], high[6], impulse[2] = {-1, -1}, rate[8];
  tasks_task tasks[] = {tasks_cart_pole(12), tasks_acrobot(12), tasks_four_bar(12),
                        tasks_hung_bar(12)};
  for (int i = 0; i < 4; i++)
    for (int way = 0; way < 4; way++) {
      oc_task *t = &tasks[i].t;
      const double *start = t->start.q;
      make_periodic(t);
      t->start.q = i < 2 ? NULL : start; // there the constraints hold
      tasks_fill(low, 6, 0.1);
      tasks_fill(high, 6, 0.3);
      t->time.free = way % 2;
      t->time.min = 0.5 * t->time.T;
      t->time.max = 2 * t->time.T;
      t->bounds[OC_TRAVEL].low = way / 2 ? low : NULL;
      t->bounds[OC_TRAVEL].high = way / 2 ? high : NULL;
      t->bounds[OC_RATE].high = way / 2 ? tasks_fill(rate, 8, 3) : NULL;
      t->cost[OC_RATE].running = tasks_rate(&tasks[i], 0.7);
      t->bounds[OC_LAMBDA].low = t->system.hol.nc ? impulse : NULL;
      checked_task(t, NULL, 1);
    }
  for (int i = 0; i < 4; i++) tasks_free(&tasks[i]);
}

// A pendulum with damping, swung through 1 rad half way: five periods of the map, and both solvers. The
// inputs of an undamped one are the same backwards.
static void steps_repeat(void **state) {
  (void)state;
  static const int pivot[] = {0};
  for (int damped = 0; damped < 2; damped++) {
    tasks_task task = tasks_make(models_pendulum(), 40, 3);
    oc_task *t = &task.t;
    task.m->damping[0] = damped ? 0.3 : 0;
    passing a;
    make_periodic(t);
    pass_through(&a, t, task.m, pivot, 1, 0.5);
    t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
    dm_trajectory *x;
    assert_true(solve_by_both(t, &x) > 0.01);
    assert_close(repeat_motion(t, x, 5), 0, 1e-9);
    for (int k = 0; !damped && k <= 40; k++) assert_close(x->q[k], x->q[40 - k], 1e-8);
    for (int k = 0; !damped && k < 40; k++) assert_close(x->u[k], x->u[39 - k], 1e-7);
    dm_trajectory_free(x);
    dm_outputs_free(a.w);
    tasks_free(&task);
  }
}

// a mass of 2 kg on a spring, of the map's own period: N steps of 2 atan(w h/2) are a turn
static void a_free_period_is_the_natural_one(void **state) {
  (void)state;
  enum { N = 24 };
  static const int coord[] = {0};
  dm_coordinate c[] = {models_coord("slide", true, 1, 0, 0)};
  dm_body b[] = {{"mass", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_input u[] = {models_input("slide", 0)};
  const dm_spring spring = springs_on(coord, 18, 0);
  tasks_task task =
      tasks_make(models_make(&(dm_tree){
                     .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u}),
                 N, 1.9);
  oc_task *t = &task.t;
  tasks_spring(&task, springs_make(task.m, 1, &spring));
  make_periodic(t);
  t->start.q = (const double[]){0.5};
  t->time.free = true;
  t->time.min = 1.8;
  t->time.max = 3.5;
  t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
  dm_trajectory *x;
  const double w = 3, h = 2 / w * tan(TASKS_PI / N);
  assert_close(solve_by_either(t, &x, 1), 0, 1e-10);
  assert_close(x->h, h, 1e-6 * h);
  assert_close(x->q[N / 2], -0.5, 1e-5);

  // twice the steps, from there: the error of the period falls by four
  assert_close((N * h - 2 * TASKS_PI / w) / (2 * TASKS_PI / w), TASKS_PI * TASKS_PI / (3. * N * N),
               1e-3 / N);
  dm_trajectory_free(x);
  tasks_free(&task);
}

// a cart with a pole that it drags through viscous friction, half a metre a period; anywhere between
// 0.4 and 1 m: the least of it
static void a_cart_travels(void **state) {
  (void)state;
  double travel[] = {0.5, 0}, low[] = {0.4, 0}, high[] = {1, 0};
  tasks_task task = tasks_cart_pole(40);
  oc_task *t = &task.t;
  dm_trajectory *x, *y;
  task.m->damping[0] = 2;
  make_periodic(t);
  t->start.q = (const double[]){-0.25, NAN};
  t->time.T = 1;
  t->bounds[OC_TRAVEL].low = t->bounds[OC_TRAVEL].high = travel;
  const double cost = solve_by_both(t, &x);
  assert_close(repeat_motion(t, x, 5), 0, 1e-9);

  // no faster than it must: at a steady 0.5 m/s the force is 1 N throughout
  assert_close(cost, 0.5, 1e-8);
  for (int k = 0; k < t->N; k++) assert_close(x->u[k], 1, 1e-6);
  t->bounds[OC_TRAVEL].low = low;
  t->bounds[OC_TRAVEL].high = high;
  assert_close(solve_by_both(t, &y), 0.32, 1e-8);
  assert_close(y->q[t->N * y->n] - y->q[0], 0.4, 1e-7);
  dm_trajectory_free(x);
  dm_trajectory_free(y);
  tasks_free(&task);
}

// Rows of constraints at the goal that say what those at the start do are free; the crank of a four-bar
// and a bar on strings of kinematic length come back, and the steps behind are the same.
static void constraints_come_back(void **state) {
  (void)state;
  static const int crank[] = {0}, height[] = {2};
  for (int i = 0; i < 2; i++) {
    tasks_task task = i ? tasks_hung_bar(20) : tasks_four_bar(20);
    oc_task *t = &task.t;
    double q[6], v[6], impulse[] = {0, 0};
    memcpy(q, t->start.q, (size_t)task.m->nq * sizeof *q);
    make_periodic(t);
    passing a;
    pass_through(&a, t, task.m, i ? height : crank, i ? -0.8 : -0.3, 0.5);

    // the four-bar from a place, at any speed; the bar by its strings, which only pull
    for (int j = 0; i && j < 6; j++) q[j] = j == 1 || j == 3 ? NAN : q[j];
    t->start.q = q;
    t->start.v = tasks_fill(v, 6, NAN);
    t->bounds[OC_LAMBDA].low = i ? impulse : NULL;
    oc_transcription *p;
    assert_int_equal(oc_transcription_new(&p, t, &msg), DM_OK);
    for (int c = 0; c < t->system.hol.nc; c++) {
      assert_true(isinf(p->g_min[oc_rows_at(p, OC_CONSTRAINT_ROWS, t->N) + c]));
      assert_true(isinf(p->g_min[oc_rows_at(p, OC_CONSTRAINT_RATE_ROWS, 1) + c]));
      assert_true(i == 0 || isfinite(p->g_min[oc_rows_at(p, OC_CONSTRAINT_RATE_ROWS, 0) + c]));
    }
    oc_transcription_free(p);

    // a first beginning comes to rows that depend on one another, where pivots are rounding, and the
    // processor's: some factorizations are then ldl's
    dm_trajectory *x;
    solve_by_either(t, &x, 4);
    assert_close(repeat_motion(t, x, 3), 0, 1e-7);
    dm_trajectory_free(x);
    dm_outputs_free(a.w);
    tasks_free(&task);
  }
}

// a rate limit is kept across the seam, where it is asked; the guess is a closed curve
static void forces_change_gently_into_the_next_period(void **state) {
  (void)state;
  static const int pivot[] = {0};
  double rate[] = {2.5};
  tasks_task task = tasks_make(models_pendulum(), 30, 1.2);
  oc_task *t = &task.t;
  passing a;
  make_periodic(t);
  pass_through(&a, t, task.m, pivot, 1, 0.3);
  t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
  dm_trajectory *x;
  solve_by_both(t, &x);
  const double free_seam = fabs(x->u[0] - x->u[29]) / x->h;
  dm_trajectory_free(x);
  t->bounds[OC_RATE].high = rate;
  solve_by_both(t, &x);
  double worst = 0;
  for (int k = 0; k < 30; k++) worst = fmax(worst, fabs(x->u[(k + 1) % 30] - x->u[k]) / x->h);
  assert_close(worst, 2.5, 1e-6);
  assert_true(free_seam > 2.6);

  // bends of a closed line
  assert_int_equal(oc_guess_line(t, x), DM_OK);
  oc_guess_perturb(t, 1, 2, 0.5, x);
  assert_true(fabs(x->q[0] - x->q[30]) < 1e-15 && fabs(x->v[0] - x->v[30]) < 1e-12);
  assert_true(fabs(x->q[15]) > 1e-3);
  dm_trajectory_free(x);
  dm_outputs_free(a.w);
  tasks_free(&task);
}

// the same on twice the steps begins from the solution with its multipliers: few iterations
static void a_finer_grid_goes_on(void **state) {
  (void)state;
  static const int pivot[] = {0};
  tasks_task task = tasks_make(models_pendulum(), 40, 3);
  oc_task *t = &task.t;
  passing a;
  make_periodic(t);
  pass_through(&a, t, task.m, pivot, 1, 0.5);
  t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
  oc_regridded fine;
  oc_solution *w, *z;
  assert_int_equal(oc_task_regrid(&fine, t, 80), DM_OK);
  assert_int_equal(oc_solution_new(&w, t, NULL, &msg), DM_OK);
  assert_int_equal(oc_solution_new(&z, &fine.task, NULL, &msg), DM_OK);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  assert_int_equal(oc_solution_find(w, &msg), DM_OK);
  const int row = oc_rows_at(w->first, OC_TRAVEL_ROWS, 0);
  assert_int_equal(oc_solution_start(z, w->motion), DM_OK);
  oc_transcription_prolong(w->first, &w->point, z->first, &z->point);
  assert_close(z->point.lambda[oc_rows_at(z->first, OC_TRAVEL_ROWS, 0)], w->point.lambda[row], 0);
  z->warm = true;
  assert_int_equal(oc_solution_find(z, &msg), DM_OK);
  assert_true(z->info.status == DM_OK && z->info.iterations <= 5);

  // the row's name
  char text[80];
  int knot;
  w->nlp->row_name(w->nlp->self, row, text, sizeof text, &knot);
  assert_string_equal(text, "travel of pivot");
  assert_int_equal(knot, 40);
  w->nlp->row_name(w->nlp->self, row + 1, text, sizeof text, &knot);
  assert_string_equal(text, "velocity at both ends of pivot");
  oc_solution_free(w);
  oc_solution_free(z);
  oc_regridded_free(&fine);
  dm_outputs_free(a.w);
  tasks_free(&task);
}

// Gains of one period serve all: the same at both of its ends, and from a start beside the motion the
// map comes back to it. Without damping and upside down it would not by itself.
static void gains_serve_every_period(void **state) {
  (void)state;
  enum { N = 40, PERIODS = 5 };
  static const int pivot[] = {0};
  static const double Q[] = {10, 1}, R[] = {0.1};
  double q[] = {TASKS_PI};
  tasks_task task = tasks_make(models_pendulum(), N, 2);
  oc_task *t = &task.t;
  passing a;
  make_periodic(t);
  pass_through(&a, t, task.m, pivot, TASKS_PI + 0.5, 0.5);
  t->start.q = q;
  t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
  dm_trajectory *x;
  solve_by_both(t, &x);

  fb_tvlqr *f;
  int failed;
  const fb_weights weights = {.Q = Q, .R = R, .periodic = true};
  assert_int_equal(fb_tvlqr_new(&f, x, &t->system, &weights, &failed, &msg), DM_OK);
  for (int i = 0; i < 4; i++) assert_close(f->P[i], f->P[4 * N + i], 1e-10 * f->P[0]);

  // the law of step k % N
  dm_del *del;
  dm_del_info info;
  double z[2] = {x->q[0] + 0.05, x->p[0]}, next[2], u;
  assert_int_equal(dm_del_new(&del, &t->system, NULL), DM_OK);
  for (int k = 0; k < PERIODS * N; k++) {
    fb_tvlqr_input(f, k % N, z, &u);
    next[0] = z[0];
    assert_int_equal(dm_del_step(del, z, z + 1, &u, x->h, next, next + 1, &info), DM_OK);
    memcpy(z, next, sizeof z);
  }
  assert_close(z[0], x->q[0], 1e-6);
  assert_close(z[1], x->p[0], 1e-6);
  dm_del_free(del);
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  dm_outputs_free(a.w);
  tasks_free(&task);
}

// The end of one period of the map from a start that differs by e in an entry of (q,p), with gains K or without.
static void run_period(const oc_task *t, const dm_trajectory *x, const fb_tvlqr *f, int entry,
                       double e, double end[2]) {
  dm_del *del;
  dm_del_info info;
  double z[2] = {x->q[0], x->p[0]}, u;
  z[entry] += e;
  assert_int_equal(dm_del_new(&del, &t->system, NULL), DM_OK);
  for (int k = 0; k < x->N; k++) {
    if (f) fb_tvlqr_input(f, k, z, &u);
    end[0] = z[0];
    assert_int_equal(dm_del_step(del, z, z + 1, f ? &u : x->u + k, x->h, end, end + 1, &info),
                     DM_OK);
    memcpy(z, end, sizeof z);
  }
  dm_del_free(del);
}

// The multipliers of a pendulum that a constant torque turns, l = m = 1, g 9.81, damping 0.1, 1.6 s per revolution: 1
// and a value of an independent program, which tends to e^-0.16 with h^2; trace and determinant of a period's
// derivative are those of differences, without feedback and with it.
static void multipliers_are_those_of_the_poincare_map(void **state) {
  (void)state;
  static const double Q[] = {1, 1}, R[] = {1};
  double off[2], q[] = {0}, travel[] = {2 * TASKS_PI}, damping[] = {0.1}, re[2], im[2];
  for (int finer = 0; finer < 2; finer++) {
    tasks_task task = tasks_make(models_pendulum(), finer ? 128 : 64, 1.6);
    oc_task *t = &task.t;
    task.m->gravity.z = -9.81;
    t->system.damping = damping;
    make_periodic(t);
    t->start.q = q;
    t->bounds[OC_TRAVEL].low = t->bounds[OC_TRAVEL].high = travel;
    t->cost[OC_U].running = tasks_weight(&task, 0, 1, 1);
    t->cost[OC_RATE].running = tasks_rate(&task, 1e6);
    dm_trajectory *x;
    oc_solve_info info;
    solve_task(t, OC_SOLVER_STAGE, &x, &info);
    assert_int_equal(oc_cycle_motion(x, &t->system, NULL, re, im), DM_OK);
    const int less = re[0] < re[1] ? 0 : 1;
    assert_close(re[!less], 1, 1e-6);
    if (!finer) assert_close(re[less], 0.852085024547, 1e-7);
    off[finer] = re[less] - exp(-0.16);

    // differences
    fb_tvlqr *f;
    int failed;
    const fb_weights weights = {.Q = Q, .R = R, .periodic = true};
    assert_int_equal(fb_tvlqr_new(&f, x, &t->system, &weights, &failed, &msg), DM_OK);
    for (int fed = 0; fed < 2; fed++) {
      const double e = 1e-5;
      double M[2][2], up[2], down[2];
      for (int j = 0; j < 2; j++) {
        run_period(t, x, fed ? f : NULL, j, e, up);
        run_period(t, x, fed ? f : NULL, j, -e, down);
        for (int i = 0; i < 2; i++) M[i][j] = (up[i] - down[i]) / (2 * e);
      }
      assert_int_equal(oc_cycle_motion(x, &t->system, fed ? f->K : NULL, re, im), DM_OK);
      assert_close(re[0] + re[1], M[0][0] + M[1][1], 1e-7);
      assert_close(re[0] * re[1] - im[0] * im[1], M[0][0] * M[1][1] - M[0][1] * M[1][0], 1e-7);
      assert_true(!fed || hypot(re[0], im[0]) < 0.2);
    }
    fb_tvlqr_free(f);
    dm_trajectory_free(x);
    tasks_free(&task);
  }
  assert_close(off[0] / off[1], 4, 0.1);
}

// a cart that nothing holds: its momentum is the same at both ends anyway, that of a driven one is not
static void a_kept_momentum_needs_no_row(void **state) {
  (void)state;
  for (int driven = 0; driven < 2; driven++) {
    dm_coordinate c[] = {models_coord("cart", true, 1, 0, 0), models_coord("pole", false, 0, 1, 0)};
    dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}},
                   {"pole", 0, dm_identity, 1, 1, 0.3, {0, 0, -0.5}, {0}}};
    dm_input u[] = {models_input("force", driven ? 0 : 1)};
    tasks_task task = tasks_make(models_make(&(dm_tree){.nbody = 2,
                                                        .ncoord = 2,
                                                        .ninput = 1,
                                                        .body = b,
                                                        .coord = c,
                                                        .input = u,
                                                        .gravity = {0, 0, -9.81}}),
                                 20, 1);
    make_periodic(&task.t);
    oc_transcription *p;
    assert_int_equal(oc_transcription_new(&p, &task.t, &msg), DM_OK);
    const int row = oc_rows_at(p, OC_TRAVEL_ROWS, 0);
    assert_true((isinf(p->g_min[row + 2]) != 0) == !driven);
    assert_true(p->g_min[row] == 0 && p->g_min[row + 1] == 0 && p->g_min[row + 3] == 0);
    oc_transcription_free(p);
    tasks_free(&task);
  }
}

static void refuse(const oc_task *t, const char *expected) {
  oc_transcription *p = NULL;
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_BAD_INPUT);
  if (!strstr(msg.text, expected)) fail_msg("%s", msg.text);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const int coord[] = {0};
  double low[] = {5, 0}, high[] = {6, 0};
  tasks_task task = tasks_cart_pole(10);
  oc_task *t = &task.t;
  t->periodic = true;
  refuse(t, "found a goal of slider beside a periodic motion");
  make_periodic(t);
  t->bounds[OC_TRAVEL].low = low;
  t->bounds[OC_TRAVEL].high = high;
  refuse(t, "slider travels by [5, 6], which leads out of its bounds [-2, 2]");
  low[0] = 7;
  refuse(t, "the travel of slider must be lower <= upper");
  t->periodic = false;
  refuse(t, "a travel of a motion that is not periodic");
  t->periodic = true;
  t->bounds[OC_TRAVEL].low = t->bounds[OC_TRAVEL].high = NULL;
  assert_int_equal(oc_descent_check(t, false, NULL, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "periodic"));

  // one value of an output at both ends
  passing a;
  pass_through(&a, t, task.m, coord, 0.3, 0);
  oc_output_limit both[] = {a.limit, {0, {1, 1}, 0.4, 0.4, NULL}};
  t->outputs.limits = both;
  t->outputs.nlimits = 2;
  refuse(t, "the output 'way' is to be 0.3 at the start and 0.4 at the goal");
  both[1].low = both[1].high = 0.3;
  oc_transcription *p;
  assert_int_equal(oc_transcription_new(&p, t, &msg), DM_OK);
  assert_true(isinf(p->g_min[oc_rows_at(p, OC_OUTPUT_ROWS, 0) + 1]));
  oc_transcription_free(p);
  dm_outputs_free(a.w);
  tasks_free(&task);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_hold),
      cmocka_unit_test(steps_repeat),
      cmocka_unit_test(a_free_period_is_the_natural_one),
      cmocka_unit_test(a_cart_travels),
      cmocka_unit_test(constraints_come_back),
      cmocka_unit_test(forces_change_gently_into_the_next_period),
      cmocka_unit_test(a_finer_grid_goes_on),
      cmocka_unit_test(gains_serve_every_period),
      cmocka_unit_test(multipliers_are_those_of_the_poincare_map),
      cmocka_unit_test(a_kept_momentum_needs_no_row),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

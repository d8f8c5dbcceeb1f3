// Motions in phases: an arm of two links and a ball in its plane, held as a payload, by a
// constraint, or free.
#include "optim/check.h"
#include "optim/program/join_map.h"
#include "optim/solve.h"
#include "tests/support/actions.h"
#include "tests/support/checked.h"

enum { ARM = 2, BALL = 4 }; // coordinates of the arm; of the arm with the ball

static const double LINK = 0.5, MASS = 0.2; // m, kg of the ball
static dm_message msg;

// the arm alone, with the ball's mass at its tip where it carries that, or with a free ball beside
static dm_model *make_arm(bool carries, bool beside) {
  static dm_coordinate c[BALL];
  static dm_body b[4];
  static dm_input u[2];
  const dm_coordinate coord[] = {
      models_coord("shoulder", false, 0, 1, 0), models_coord("elbow", false, 0, 1, 0),
      models_coord("ball.x", true, 1, 0, 0), models_coord("ball.z", true, 0, 0, 1)};
  dm_pose elbow = dm_identity, tip = dm_identity;
  elbow.p.z = tip.p.z = -LINK;
  dm_body body[4] = {{"upper", -1, dm_identity, 0, 1, 1, {0, 0, -0.25}, {0, 0.02}},
                     {"lower", 0, elbow, 1, 1, 0.7, {0, 0, -0.25}, {0, 0.015}}};
  int nbody = 2;
  if (carries) body[nbody++] = (dm_body){"load", 1, tip, 2, 0, MASS, {0}, {0}};
  if (beside) body[nbody++] = (dm_body){"ball", -1, dm_identity, 2, 2, MASS, {0}, {0}};
  memcpy(c, coord, sizeof coord);
  memcpy(b, body, sizeof body);
  u[0] = models_input("shoulder", 0);
  u[1] = models_input("elbow", 1);
  return models_make(&(dm_tree){.nbody = nbody,
                                .ncoord = beside ? BALL : ARM,
                                .ninput = 2,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

// the tip of the arm in the world, as functions
static dm_constraints *make_tip(const dm_model *m) {
  dm_constraints *tip;
  const dm_constraint at = {.name = "tip",
                            .kind = DM_POINT,
                            .body = {1, -1},
                            .coord = {-1, -1},
                            .point = {{0, 0, -LINK}, {0}}};
  assert_int_equal(dm_constraints_new(&tip, m, 1, &at, NULL), DM_OK);
  return tip;
}

// two phases, with the parts of their join
typedef struct pair_of_phases {
  tasks_task x[2];
  const oc_task *task[2];
  const char *name[2];
  oc_pair pairs[8];
  oc_join join;
  oc_phases_task t;
  dm_constraints *tip;
} pair_of_phases;

static void join_phases(pair_of_phases *w, oc_join_law law) {
  for (int i = 0; i < 2; i++) w->task[i] = &w->x[i].t;
  w->name[0] = "first";
  w->name[1] = "second";
  w->join = (oc_join){.law = law, .pairs = w->pairs};
  w->join.npairs = oc_phases_pair(w->task[0], w->task[1], w->pairs);
  w->t = (oc_phases_task){.n = 2, .task = w->task, .name = w->name, .join = &w->join};
}

static void free_pair(pair_of_phases *w) {
  dm_constraints_free(w->tip);
  for (int i = 0; i < 2; i++) tasks_free(&w->x[i]);
}

// rows x and z of the tip, instead of the ball before or after
static void add_tip(pair_of_phases *w, bool after) {
  w->tip = make_tip(w->x[after].m);
  *(after ? &w->join.after : &w->join.before) = dm_constraints_holonomic(w->tip);
  for (int i = 0; i < 2; i++) {
    const int tip = oc_join_function(2 * i), ball = ARM + i;
    w->pairs[w->join.npairs++] =
        after ? (oc_pair){.before = ball, .after = tip} : (oc_pair){.before = tip, .after = ball};
  }
}

// a throw: the arm with the ball, then the ball flies to x and the arm stops
static void make_throw(pair_of_phases *w, int N, double x) {
  *w = (pair_of_phases){
      .x = {tasks_make(make_arm(true, false), N, 0.6), tasks_make(make_arm(false, true), N, 0.4)}};
  join_phases(w, OC_JOIN_VELOCITY);
  add_tip(w, false);
  tasks_rest(&w->x[0], 0, (double[]){0.3, 0.4});
  const double goal[] = {-1, -0.5, x, -0.2}, still[] = {0, 0, NAN, NAN};
  memcpy(w->x[1].pool + 2 * BALL, goal, sizeof goal);
  memcpy(w->x[1].pool + 3 * BALL, still, sizeof still);
  for (int i = 0; i < 2; i++) w->x[i].t.cost[OC_U].running = tasks_weight(&w->x[i], 0, 2, 1);
}

// a catch: a ball that is thrown at the arm, and the motion of both after it
static void make_catch(pair_of_phases *w, int N) {
  *w = (pair_of_phases){
      .x = {tasks_make(make_arm(false, true), N, 0.4), tasks_make(make_arm(true, false), N, 0.6)}};
  join_phases(w, OC_JOIN_MOMENTUM);
  add_tip(w, true);
  const double start[] = {0, 0, 0.9, 0.3}, speed[] = {0, 0, -1, 0.5};
  memcpy(w->x[0].pool, start, sizeof start);
  memcpy(w->x[0].pool + BALL, speed, sizeof speed);
  const double goal[] = {0, 0}, still[] = {0, 0};
  memcpy(w->x[1].pool + 2 * ARM, goal, sizeof goal);
  memcpy(w->x[1].pool + 3 * ARM, still, sizeof still);
  for (int i = 0; i < 2; i++) w->x[i].t.cost[OC_U].running = tasks_weight(&w->x[i], 0, 2, 1);
}

// a grip: the same catch, by a constraint between the arm and the ball
static void make_grip(pair_of_phases *w, int N) {
  *w = (pair_of_phases){
      .x = {tasks_make(make_arm(false, true), N, 0.4), tasks_make(make_arm(false, true), N, 0.6)}};
  const dm_constraint hold = {.name = "hold",
                              .kind = DM_LINE,
                              .body = {1, 2},
                              .coord = {-1, -1},
                              .axis = {0, 1, 0},
                              .point = {{0, 0, -LINK}, {0}}};
  assert_int_equal(dm_constraints_new(&w->x[1].c, w->x[1].m, 1, &hold, NULL), DM_OK);
  w->x[1].t.system.hol = dm_constraints_holonomic(w->x[1].c);
  join_phases(w, OC_JOIN_MOMENTUM);
  const double start[] = {0, 0, 0.9, 0.3}, speed[] = {0, 0, -1, 0.5};
  memcpy(w->x[0].pool, start, sizeof start);
  memcpy(w->x[0].pool + BALL, speed, sizeof speed);
  const double goal[] = {0, 0, NAN, NAN}, still[] = {0, 0, NAN, NAN};
  memcpy(w->x[1].pool + 2 * BALL, goal, sizeof goal);
  memcpy(w->x[1].pool + 3 * BALL, still, sizeof still);
  for (int i = 0; i < 2; i++) w->x[i].t.cost[OC_U].running = tasks_weight(&w->x[i], 0, 2, 1);
}

static void solve_pair(const pair_of_phases *w, oc_solver_kind solver, dm_trajectory **motion,
                       oc_solve_info *info) {
  oc_setup set = oc_setup_default();
  set.options.method = solver;
  const dm_status s = oc_solve_phases(&w->t, &set, motion, info, &msg);
  if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
  if (s != DM_OK) fail_msg("%s", s < 0 ? msg.text : info->detail);
}

static void free_motions(dm_trajectory **motion) {
  for (int i = 0; i < 2; i++) dm_trajectory_free(motion[i]);
}

// -- derivatives

static void check_program(const pair_of_phases *w) {
  oc_solution *s;
  oc_check c = oc_check_default();
  if (oc_solution_of_phases(&s, &w->t, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(oc_solution_start_phases(s, NULL), DM_OK);
  assert_int_equal(oc_check_program(&c, s), DM_OK);
  checked_hold(&c);
  assert_true(c.rows >= 9);
  oc_solution_free(s);
}

// with times that are free and limited together, and costs of momenta
static void derivatives_of_phases_hold(void **state) {
  (void)state;
  pair_of_phases w[5];
  make_throw(&w[0], 4, -1);
  make_catch(&w[1], 4);
  make_grip(&w[2], 4);
  make_throw(&w[3], 4, -1);
  make_catch(&w[4], 4);
  // a catch without an impact follows the law of velocities
  w[4].join.law = OC_JOIN_VELOCITY;
  for (int i = 0; i < 2; i++) {
    oc_task *t = &w[3].x[i].t;
    t->time.free = true;
    t->time.min = 0.1;
    t->time.max = 1;
    t->cost[OC_P].running = tasks_weight(&w[3].x[i], 3, t->system.L.nq, 0.3);
  }
  w[3].t.limited = true;
  w[3].t.T_max = 1;
  for (int i = 0; i < 5; i++) {
    check_program(&w[i]);
    free_pair(&w[i]);
  }
}

// kinematic coordinates and constraints that go on
static void derivatives_of_constrained_phases_hold(void **state) {
  (void)state;
  for (int law = 0; law < 2; law++) {
    pair_of_phases w = {.x = {tasks_hung_bar(4), tasks_hung_bar(4)}};
    join_phases(&w, law ? OC_JOIN_MOMENTUM : OC_JOIN_VELOCITY);
    tasks_fill(w.x[0].pool + 2 * w.x[0].m->nq, 2 * w.x[0].m->nq, NAN);
    tasks_fill(w.x[1].pool, 2 * w.x[1].m->nq, NAN);
    check_program(&w);
    free_pair(&w);
  }
}

// A join that exchanges coordinates, mirrors them and moves their origin; from the last phase to the first; from
// a phase to itself. Functions on either side are mirrored too.
static void derivatives_of_relabelled_phases_hold(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    pair_of_phases w;
    oc_join joins[2];
    const oc_pair back[] = {{.before = 1, .after = 0, .mirrored = true},
                            {.before = 0, .after = 1, .low = -0.1, .high = 0.2},
                            {.before = 3, .after = 2},
                            {.before = 2, .after = 3, .mirrored = true, .low = 0.3, .high = 0.3}};
    void (*const make[])(pair_of_phases *, int) = {make_grip, make_catch};
    if (i < 4)
      make[i / 2](&w, 4);
    else
      make_throw(&w, 4, -1);
    // the impulses of the grip are in a cone, in steps and in the join
    static const double C[] = {-0.5, 1, -0.5, -1};
    static const char *const name[] = {"hold", "hold"};
    if (i < 2) w.x[1].t.cones = (oc_cones){.n = 2, .C = C, .name = name};
    joins[0] = w.join;
    w.t.join = joins;
    w.pairs[2].mirrored = w.pairs[3].mirrored = true;
    if (i < 2 || i == 5) {
      // back to the first phase, or from the second one to itself, by either law
      w.t.periodic = true;
      joins[1] = (oc_join){.law = i % 2 ? OC_JOIN_MOMENTUM : OC_JOIN_VELOCITY,
                           .pairs = back,
                           .npairs = i == 5 ? ARM : BALL};
      for (int p = 0; p < 2; p++) tasks_fill(w.x[p].pool, 4 * w.x[p].m->nq, NAN);
    }
    if (i == 5) {
      w.t.n = 1;
      w.t.join = joins + 1;
    }
    check_program(&w);
    free_pair(&w);
  }
}

// -- laws

// the same task, halved where it is on its way
static void two_phases_are_the_one(void **state) {
  (void)state;
  tasks_task (*const make[])(int) = {tasks_cart_pole, tasks_four_bar, tasks_hung_bar};
  static const double bound[] = {1e-9, 1e-9, 1e-9};
  for (int i = 0; i < COUNT(make); i++) {
    const int N = 20;
    tasks_task whole = make[i](2 * N);
    dm_trajectory *one, *two[2];
    oc_solve_info info[2];
    if (oc_solve(&whole.t, NULL, &one, &info[0], &msg) != DM_OK) fail_msg("%s", msg.text);

    pair_of_phases w = {.x = {make[i](N), make[i](N)}};
    const int n = w.x[0].m->nq;
    for (int p = 0; p < 2; p++) w.x[p].t.time.T /= 2;
    join_phases(&w, OC_JOIN_VELOCITY);
    tasks_fill(w.x[0].pool + 2 * n, 2 * n, NAN);
    tasks_fill(w.x[1].pool, 2 * n, NAN);
    solve_pair(&w, OC_SOLVER_AUTO, two, &info[1]);
    assert_close(info[1].objective, info[0].objective, bound[i] * info[0].objective);
    for (int k = 0; k <= N; k++)
      for (int c = 0; c < n; c++) {
        assert_close(two[0]->q[k * n + c], one->q[k * n + c], 1e-6);
        assert_close(two[1]->q[k * n + c], one->q[(N + k) * n + c], 1e-6);
      }
    free_motions(two);
    dm_trajectory_free(one);
    free_pair(&w);
    tasks_free(&whole);
  }
}

// place of the tip and its rate
static void find_tip(const dm_model *m, const double *q, const double *v, double y[3],
                     double rate[3]) {
  dm_constraints *tip = make_tip(m);
  dm_holonomic f = dm_constraints_holonomic(tip);
  void *scratch = aligned_alloc(64, f.scratch + 64);
  double y_q[3 * BALL];
  assert_int_equal(f.eval(f.self, scratch, q, y, y_q), DM_OK);
  for (int r = 0; r < 3; r++) {
    rate[r] = 0;
    for (int i = 0; i < m->nq; i++) rate[r] += y_q[r * m->nq + i] * v[i];
  }
  free(scratch);
  dm_constraints_free(tip);
}

// L_v at (q,v), and the kinetic energy
static double find_momentum(const oc_task *t, const double *q, const double *v, double *p) {
  const dm_lagrangian *L = &t->system.L;
  void *scratch = aligned_alloc(64, (L->scratch + 127) & ~(size_t)63);
  double L_q[BALL], L_v[BALL], energy = 0;
  dm_jet jet = {.L_q = L_q, .L_v = L_v};
  assert_int_equal(L->eval(L->self, scratch, 1, q, v, &jet), DM_OK);
  for (int i = 0; i < L->nq; i++) energy += 0.5 * L_v[i] * v[i];
  if (p) memcpy(p, L_v, (size_t)L->nq * sizeof *p);
  free(scratch);
  return energy;
}

// the ball flies from the tip with the tip's velocity, on a parabola, to where it is asked to land
static void a_ball_that_is_let_go_lands(void **state) {
  (void)state;
  pair_of_phases w;
  dm_trajectory *y[2];
  oc_solve_info info;
  make_throw(&w, 20, -1);
  solve_pair(&w, OC_SOLVER_AUTO, y, &info);
  const double *v0 = y[1]->v, *end = y[1]->q + 20 * BALL;
  double tip[3], rate[3];
  find_tip(w.x[0].m, y[0]->q + 20 * ARM, y[0]->v + 20 * ARM, tip, rate);
  for (int i = 0; i < 2; i++) {
    assert_close(y[1]->q[i], y[0]->q[20 * ARM + i], 1e-12);
    assert_close(v0[i], y[0]->v[20 * ARM + i], 1e-8);
    assert_close(y[1]->q[ARM + i], tip[2 * i], 1e-9);
    assert_close(v0[ARM + i], rate[2 * i], 1e-8);
  }
  // on the map and in continuous time: its steps are exact of a parabola
  assert_close(y[1]->q[ARM] + 0.4 * v0[ARM], -1, 1e-6);
  assert_close(y[1]->q[ARM + 1] + 0.4 * v0[ARM + 1] - 9.81 * 0.08, -0.2, 1e-6);
  assert_close(end[ARM], -1, 1e-12);
  assert_close(end[ARM + 1], -0.2, 1e-12);
  free_motions(y);
  free_pair(&w);
}

// momenta before: those of the arm and the ball after, by the map of velocities
static void letting_go_keeps_the_momentum(void **state) {
  (void)state;
  pair_of_phases w;
  dm_trajectory *y[2];
  oc_solve_info info;
  make_throw(&w, 20, -1);
  solve_pair(&w, OC_SOLVER_AUTO, y, &info);
  const double *q = y[0]->q + 20 * ARM, *v = y[0]->v + 20 * ARM;
  double before[ARM], after[BALL], energy[2];
  energy[0] = find_momentum(&w.x[0].t, q, v, before);
  energy[1] = find_momentum(&w.x[1].t, y[1]->q, y[1]->v, after);
  assert_close(energy[0], energy[1], 1e-8 * energy[0]);

  // p = p_arm + y_q' p_ball
  double tip[3], column[3], one[ARM];
  for (int i = 0; i < ARM; i++) {
    for (int j = 0; j < ARM; j++) one[j] = i == j;
    find_tip(w.x[0].m, q, one, tip, column);
    assert_close(before[i], after[i] + column[0] * after[2] + column[2] * after[3], 1e-8);
  }
  free_motions(y);
  free_pair(&w);
}

// An inelastic impact loses the kinetic energy of the velocity that it loses (Carnot), whether what
// is caught becomes a part of the arm or is held by a constraint.
static void a_catch_loses_what_carnot_says(void **state) {
  (void)state;
  for (int grip = 0; grip < 2; grip++) {
    pair_of_phases w;
    dm_trajectory *y[2];
    oc_solve_info info;
    if (grip)
      make_grip(&w, 20);
    else
      make_catch(&w, 20);
    solve_pair(&w, OC_SOLVER_AUTO, y, &info);

    // the velocity of arm and ball after, in the coordinates before
    const double *q = y[0]->q + 20 * BALL, *v = y[0]->v + 20 * BALL;
    double tip[3], rate[3], after[BALL], lost[BALL];
    memcpy(after, y[1]->v, (size_t)(grip ? BALL : ARM) * sizeof *after);
    find_tip(w.x[1].m, y[1]->q, y[1]->v, tip, rate);
    after[2] = rate[0];
    after[3] = rate[2];
    assert_close(q[2], tip[0], 1e-8);
    assert_close(q[3], tip[2], 1e-8);
    for (int i = 0; i < BALL; i++) lost[i] = v[i] - after[i];

    const oc_task *free_ball = &w.x[0].t;
    const double loss =
        find_momentum(free_ball, q, v, NULL) - find_momentum(free_ball, q, after, NULL);
    assert_close(loss, find_momentum(free_ball, q, lost, NULL), 1e-8);
    assert_true(loss > 0.01);
    free_motions(y);
    free_pair(&w);
  }
}

// -- states that are off the plan

// The start of the second phase (q,p) that an end (q,p) of the first, off by d, leads to, from y_b, which is
// planned.
static void find_joined_state(const pair_of_phases *w, oc_join_map *map, const double *x_a,
                              const double *d, double size, const double *y_b, double *x_b) {
  dm_continuous *c[2];
  double x[2 * BALL], y[2 * BALL] = {0};
  const int m = w->task[0]->system.L.nq, n = w->task[1]->system.L.nq;
  for (int i = 0; i < 2; i++)
    assert_int_equal(dm_continuous_new(&c[i], &w->task[i]->system), DM_OK);
  for (int i = 0; i < 2 * m; i++) x[i] = x_a[i] + size * d[i];
  memcpy(y, x, (size_t)m * sizeof *y);
  assert_int_equal(dm_velocity_of(c[0], x, x + m, y + m), DM_OK);
  memcpy(x_b, y_b, (size_t)(2 * n) * sizeof *x_b);
  assert_int_equal(oc_join_map_apply(map, y, x_b), DM_OK);
  memcpy(y, x_b, (size_t)(2 * n) * sizeof *y);
  assert_int_equal(dm_momentum_of(c[1], y, y + n, x_b + n), DM_OK);
  for (int i = 0; i < 2; i++) dm_continuous_free(c[i]);
}

// (q,p) of knot k of a motion
static void read_state(const dm_trajectory *y, int k, double *x) {
  memcpy(x, y->q + k * y->n, (size_t)y->n * sizeof *x);
  memcpy(x + y->n, y->p + k * y->n, (size_t)y->n * sizeof *x);
}

// An end as planned begins the next phase as planned; the slope is that of the map, by the order of the
// error of differences.
static void check_join_map(const pair_of_phases *w, dm_trajectory *const *y, double *T) {
  oc_join_map *map;
  double x_a[2 * BALL], x_b[2 * BALL], y_b[2 * BALL], x[2][2 * BALL], none[2 * BALL] = {0};
  const int m = y[0]->n, n = y[1]->n;
  read_state(y[0], y[0]->N, x_a);
  read_state(y[1], 0, x_b);
  memcpy(y_b, x_b, (size_t)n * sizeof *y_b);
  memcpy(y_b + n, y[1]->v, (size_t)n * sizeof *y_b);
  assert_int_equal(oc_join_map_new(&map, &w->join, w->task[0], w->task[1]), DM_OK);
  assert_int_equal(oc_join_map_slope(map, x_a, x_b, T), DM_OK);
  find_joined_state(w, map, x_a, none, 0, y_b, x[0]);
  for (int i = 0; i < n; i++) assert_close(x[0][i], x_b[i], 1e-8);
  for (int k = 0; k < 2 * m; k++) {
    double d[2 * BALL] = {0}, off[2] = {0, 0};
    d[k] = 1;
    for (int fine = 0; fine < 2; fine++) {
      const double size = fine ? 5e-4 : 1e-3;
      for (int side = 0; side < 2; side++)
        find_joined_state(w, map, x_a, d, side ? -size : size, y_b, x[side]);
      for (int i = 0; i < 2 * n; i++) {
        const double slope = (x[0][i] - x[1][i]) / (2 * size);
        off[fine] = fmax(off[fine], fabs(slope - T[i * 2 * m + k]));
      }
    }
    if (off[1] > 1e-8 && fabs(off[0] / off[1] - 4) > 0.2)
      fail_msg("column %d: differences are off by %g, %g", k, off[0], off[1]);
    assert_true(off[1] < 1e-4);
  }
  oc_join_map_free(map);
}

// What lets go, what takes hold of something and what closes a constraint each have a slope; where a ball
// is let go it keeps the symplectic form, T' Omega T = Omega, for p_a.dq_a = p_b.dq_b; where nothing
// changes it is the identity.
static void states_off_the_plan_go_on_by_the_slope(void **state) {
  (void)state;
  void (*const make[])(pair_of_phases *, int) = {make_catch, make_grip};
  double T[4 * BALL * BALL];
  pair_of_phases w;
  dm_trajectory *y[2];
  oc_solve_info info;
  for (int i = 0; i < 3; i++) {
    if (i < 2)
      make[i](&w, 20);
    else
      make_throw(&w, 20, -1);
    solve_pair(&w, OC_SOLVER_AUTO, y, &info);
    check_join_map(&w, y, T);
    free_motions(y);
    free_pair(&w);
  }
  for (int i = 0; i < 2 * ARM; i++)
    for (int j = 0; j < 2 * ARM; j++) {
      double sum = 0;
      for (int k = 0; k < BALL; k++)
        sum += T[k * 2 * ARM + i] * T[(BALL + k) * 2 * ARM + j] -
               T[(BALL + k) * 2 * ARM + i] * T[k * 2 * ARM + j];
      assert_close(sum, (j == i + ARM) - (i == j + ARM), 1e-8);
    }

  w = (pair_of_phases){.x = {tasks_cart_pole(4), tasks_cart_pole(4)}};
  join_phases(&w, OC_JOIN_VELOCITY);
  tasks_fill(w.x[0].pool + 4, 4, NAN);
  tasks_fill(w.x[1].pool, 4, NAN);
  solve_pair(&w, OC_SOLVER_AUTO, y, &info);
  check_join_map(&w, y, T);
  for (int i = 0; i < 16; i++) assert_close(T[i], i % 5 == 0, 1e-9);
  free_motions(y);
  free_pair(&w);
}

// A ball that is off the hand is taken hold of by the least motion of both, and a heavy arm moves less
// than it; momenta of all that moves on are kept.
static void what_is_off_the_hand_is_taken_hold_of(void **state) {
  (void)state;
  pair_of_phases w;
  dm_trajectory *y[2];
  oc_solve_info info;
  oc_join_map *map;
  make_catch(&w, 20);
  solve_pair(&w, OC_SOLVER_AUTO, y, &info);
  double a[2 * BALL], b[2 * ARM];
  memcpy(a, y[0]->q + 20 * BALL, BALL * sizeof *a);
  memcpy(a + BALL, y[0]->v + 20 * BALL, BALL * sizeof *a);
  memcpy(b, y[1]->q, ARM * sizeof *b);
  memcpy(b + ARM, y[1]->v, ARM * sizeof *b);
  a[2] += 0.02;
  assert_int_equal(oc_join_map_new(&map, &w.join, w.task[0], w.task[1]), DM_OK);
  assert_int_equal(oc_join_map_apply(map, a, b), DM_OK);
  double q[BALL], tip[3], rate[3], off[BALL], p[BALL], slope[BALL];
  find_tip(w.x[1].m, b, b + ARM, tip, rate);
  memcpy(q, b, ARM * sizeof *q);
  q[2] = tip[0];
  q[3] = tip[2];
  for (int i = 0; i < BALL; i++) off[i] = q[i] - a[i];
  assert_true(fabs(off[2]) < 0.02 && fabs(off[2]) > 0.01);

  // no motion of arm and ball in one would be less: M (q_b - q_a) Phi_q = 0
  find_momentum(&w.x[0].t, a, off, p);
  for (int j = 0; j < ARM; j++) {
    double unit[ARM] = {0};
    unit[j] = 1;
    find_tip(w.x[1].m, b, unit, tip, slope);
    assert_close(p[j] + p[2] * slope[0] + p[3] * slope[2], 0, 1e-9);
  }

  // p_b = Phi_q' p_a
  double p_b[ARM];
  find_momentum(&w.x[1].t, b, b + ARM, p_b);
  find_momentum(&w.x[0].t, a, a + BALL, p);
  for (int j = 0; j < ARM; j++) {
    double unit[ARM] = {0};
    unit[j] = 1;
    find_tip(w.x[1].m, b, unit, tip, slope);
    assert_close(p_b[j], p[j] + p[2] * slope[0] + p[3] * slope[2], 1e-9);
  }

  // an invalid state is refused, and the outputs are unchanged
  a[0] = NAN;
  assert_int_equal(oc_join_map_apply(map, a, b), DM_NOT_FINITE);
  oc_join_map_free(map);
  free_motions(y);
  free_pair(&w);
}

static void both_solvers_agree(void **state) {
  (void)state;
  void (*const make[])(pair_of_phases *, int) = {make_catch, make_grip};
  for (int i = 0; i < 3; i++) {
    pair_of_phases w;
    dm_trajectory *y[2], *z[2];
    oc_solve_info info[2];
    if (i < 2)
      make[i](&w, 20);
    else
      make_throw(&w, 20, -1);
    solve_pair(&w, OC_SOLVER_STAGE, y, &info[0]);
    solve_pair(&w, OC_SOLVER_IPOPT, z, &info[1]);
    assert_close(info[0].objective, info[1].objective, 1e-8 * info[1].objective);
    for (int p = 0; p < 2; p++)
      for (int j = 0; j < 21 * y[p]->n; j++) assert_close(y[p]->q[j], z[p]->q[j], 1e-5);
    free_motions(y);
    free_motions(z);
    free_pair(&w);
  }
}

// the mirror image of the second half of a motion, with another origin of the slider, is as good
static void a_mirrored_phase_is_the_same(void **state) {
  (void)state;
  const double shift = 0.3;
  pair_of_phases w[2];
  dm_trajectory *y[2][2];
  oc_solve_info info[2];
  for (int i = 0; i < 2; i++) {
    w[i] = (pair_of_phases){.x = {tasks_cart_pole(10), tasks_cart_pole(10)}};
    join_phases(&w[i], OC_JOIN_VELOCITY);
    tasks_fill(w[i].x[0].pool + 4, 4, NAN);
    tasks_fill(w[i].x[1].pool, 4, NAN);
    w[i].x[1].pool[4] = 0.5;
    w[i].x[1].pool[5] = 0.3;
    for (int p = 0; i && p < 2; p++) w[i].pairs[p].mirrored = true;
    for (int c = 0; i && c < 4; c++) w[i].x[1].pool[4 + c] *= -1;
    if (i) {
      w[i].pairs[0].low = w[i].pairs[0].high = shift;
      w[i].x[1].pool[4] += shift;
    }
    solve_pair(&w[i], OC_SOLVER_AUTO, y[i], &info[i]);
  }
  assert_close(info[1].objective, info[0].objective, 1e-9 * info[0].objective);
  for (int k = 0; k < 11; k++)
    for (int c = 0; c < 2; c++) {
      const double q = y[0][1]->q[2 * k + c];
      assert_close(y[1][1]->q[2 * k + c], (c ? 0 : shift) - q, 1e-6);
    }

  // and deviations change their sign
  double T[16];
  check_join_map(&w[1], y[1], T);
  for (int i = 0; i < 16; i++) assert_close(T[i], i % 5 ? 0 : -1, 1e-9);
  for (int i = 0; i < 2; i++) {
    free_motions(y[i]);
    free_pair(&w[i]);
  }
}

// the phases share a time between them
static void a_total_time_is_kept(void **state) {
  (void)state;
  pair_of_phases w;
  dm_trajectory *y[2];
  oc_solve_info info;
  make_throw(&w, 20, -1);
  for (int i = 0; i < 2; i++) {
    w.x[i].t.time.free = true;
    w.x[i].t.time.min = 0.2;
    w.x[i].t.time.max = 2;
  }
  w.t.limited = true;
  w.t.T_min = w.t.T_max = 1.1;
  solve_pair(&w, OC_SOLVER_AUTO, y, &info);
  assert_close(20 * (y[0]->h + y[1]->h), 1.1, 1e-9);
  free_motions(y);
  free_pair(&w);
}

// -- refusals

static void expect_refusal(const pair_of_phases *w, const char *says) {
  oc_phases *p;
  assert_int_equal(oc_phases_new(&p, &w->t, &msg), DM_BAD_INPUT);
  if (!strstr(msg.text, says)) fail_msg("%s", msg.text);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  pair_of_phases w;
  make_catch(&w, 4);
  w.join.npairs = 3;
  expect_refusal(&w, "phase second: the join by momenta has 'ball.z' of the phase before 0 times");
  w.join.npairs = 4;
  w.pairs[3].after = oc_join_function(7);
  expect_refusal(&w, "takes row 7 of functions of the phase after, of 3");
  free_pair(&w);

  make_throw(&w, 4, -1);
  w.t.limited = true;
  w.t.T_max = 0.5;
  expect_refusal(&w, "the phases take 1 s together, expected [0, 0.5] s");
  w.t.limited = false;
  const double elsewhere[] = {0, 0.1};
  memcpy(w.x[0].pool + 2 * ARM, elsewhere, sizeof elsewhere);
  w.x[1].pool[0] = 0.2;
  expect_refusal(&w,
                 "position of shoulder where second begins: both phases give it, and the values "
                 "differ by 0.2");
  free_pair(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_phases_hold),
      cmocka_unit_test(derivatives_of_constrained_phases_hold),
      cmocka_unit_test(derivatives_of_relabelled_phases_hold),
      cmocka_unit_test(two_phases_are_the_one),
      cmocka_unit_test(a_ball_that_is_let_go_lands),
      cmocka_unit_test(letting_go_keeps_the_momentum),
      cmocka_unit_test(a_catch_loses_what_carnot_says),
      cmocka_unit_test(states_off_the_plan_go_on_by_the_slope),
      cmocka_unit_test(what_is_off_the_hand_is_taken_hold_of),
      cmocka_unit_test(both_solvers_agree),
      cmocka_unit_test(a_mirrored_phase_is_the_same),
      cmocka_unit_test(a_total_time_is_kept),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Receding-horizon control: its linear problem is the map's, its input is that of the gains where
// no bound acts, its bounded problems are solved as by projected gradients, and repeated calls end
// at the minimum of the nonlinear problem.
#include "control/feedback/resample.h"
#include "lib/base/block.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/linearize.h"
#include "tests/support/receding_scene.h"

#include <limits.h>

enum { MOST = 12 };

// -- the linear problem

// springs, friction and forces on bodies of a random tree
typedef struct parts {
  dm_springs *springs;
  dm_loads *loads;
  dm_joint_forces *friction;
} parts;

static parts open_parts(const dm_model *m, int bodies) {
  const int n = m->nq;
  parts z;
  const int first = 0, last = n - 1;
  const int pair[2] = {first, last};
  const double factor[2] = {2, -0.7};
  const dm_tendon between = {.name = "between", .ncoord = 2, .coord = pair, .factor = factor};
  dm_spring list[] = {springs_on(&first, 5, 0.3), springs_on(&last, 3, -0.2),
                      springs_on(&last, 4, 0.1)};
  list[2].tendon = between;
  z.springs = springs_make(m, first < last ? 3 : 2, list);
  const dm_load thrust[] = {{.name = "a",
                             .kind = DM_WRENCH_BODY,
                             .driven = true,
                             .body = bodies - 1,
                             .point = {0.3, -0.2, 0.1},
                             .torque = {1, 2, 3},
                             .force = {4, -5, 6}},
                            {.name = "b",
                             .kind = DM_WRENCH_BODY,
                             .body = bodies / 2,
                             .point = {0.1, 0.2, 0.4},
                             .force = {-7, 8, 3}},
                            {.name = "c",
                             .kind = DM_WRENCH_BODY,
                             .driven = true,
                             .body = bodies / 2,
                             .torque = {0.5, 1, -2}},
                            {.name = "wind",
                             .kind = DM_WRENCH_MIXED,
                             .point = {0.2, 0.5, -0.3},
                             .body = bodies - 1,
                             .force = {5, 4, -8}},
                            {.name = "d", .kind = DM_DAMPER, .damping = 0.6, .tendon = between}};
  const int count = COUNT(thrust) - (first == last);
  assert_int_equal(dm_loads_new(&z.loads, m, count, thrust, NULL), DM_OK);
  dm_joint_force rub[3] = {
      {.name = "a", .coord = first, .friction = {.force = 2, .smooth = 0.3, .viscous = 0.4}},
      {.name = "b",
       .coord = last,
       .friction = {.force = 3, .smooth = 1, .rest = 5, .stribeck = 0.7, .offset = -0.6}},
      {.name = "dry", .coord = n / 2, .friction = {.force = 4, .viscous = 0.2, .offset = 0.9}}};
  assert_int_equal(dm_joint_forces_new(&z.friction, DM_JOINT_FRICTION, m, COUNT(rub), rub, NULL),
                   DM_OK);
  return z;
}

// A, B of steps of the map equal those of the library; the defect of a step that does not hold
// enters as a momentum. With springs and dampers of one and two joints, damping, gears, friction and forces on bodies, for
// each rule.
static void steps_are_linearized_as_by_the_map(void **state) {
  (void)state;
  static const char *const rules[] = {"midpoint", "trapezoid", "gauss-2", "simpson"};
  static const double damping[MOST] = {0.3, 0.1, 0, 0.2}, gear[MOST] = {2, 1, 1, 3};
  uint64_t seed = 3;
  for (int bodies = 1; bodies <= 8; bodies++) {
    dm_model *m = models_random_tree(bodies, false, 7 * (uint64_t)bodies);
    const int n = m->nq, nx = 2 * n;
    parts z = open_parts(m, bodies);
    for (int r = 0; r < COUNT(rules) && n <= MOST; r++) {
      dm_system s = dm_system_of(m);
      double q0[MOST], q1[MOST], u[MOST], p0[MOST], p1[MOST];
      double A[4 * MOST * MOST], B[2 * MOST * MOST], c[2 * MOST], size = 1;
      double A_map[4 * MOST * MOST], B_map[2 * MOST * MOST];
      s.L = dm_springs_lagrangian(z.springs);
      s.damping = damping;
      s.input_gear = gear;
      dm_system_add_force(&s, dm_joint_forces_force(z.friction));
      dm_system_add_force(&s, dm_loads_force(z.loads));
      const int nu = s.nu;
      assert_int_equal(dm_rule_set(&s.rule, rules[r], 0.5, "midpoint", NULL), DM_OK);
      fb_mechanics *w = make_mechanics(m, z.springs, z.loads, z.friction, &s, H);
      dm_linearize *l;
      dm_interval *d;
      assert_int_equal(dm_linearize_new(&l, &s), DM_OK);
      assert_int_equal(dm_interval_new(&d, &s), DM_OK);
      for (int i = 0; i < n; i++) q0[i] = 3 * models_random(&seed);
      for (int i = 0; i < n; i++) q1[i] = q0[i] + 3 * H * models_random(&seed);
      for (int i = 0; i < nu; i++) u[i] = 20 * models_random(&seed);
      assert_int_equal(dm_linearize_step(l, q0, q1, u, NULL, H, A_map, nu ? B_map : NULL), DM_OK);
      assert_int_equal(dm_interval_eval(d, 1, q0, q1, u, H), DM_OK);

      // a defect of 0, and of e
      for (int off = 0; off < 2; off++) {
        double e[MOST];
        for (int i = 0; i < n; i++) e[i] = off * models_random(&seed);
        for (int i = 0; i < n; i++) p0[i] = -d->D1[i] + e[i];
        assert_int_equal(fb_onboard_linearize(fb_mechanics_tables(w), q0, p0, q1, u, A, B, c, p1),
                         DM_OK);
        for (int i = 0; i < nx * nx; i++) size = fmax(size, fabs(A_map[i]));
        for (int i = 0; i < nx * nx; i++) assert_close(A[i], A_map[i], 1e-11 * size);
        for (int i = 0; i < nx * nu; i++) assert_close(B[i], B_map[i], 1e-11 * size);
        for (int i = 0; i < n; i++) assert_close(p1[i], d->D2[i], 1e-12 * size);
        for (int i = 0; i < nx; i++) {
          double by = 0;
          for (int j = 0; j < n; j++) by += A_map[i * nx + n + j] * e[j];
          assert_close(c[i], by, 1e-10 * size);
        }
      }
      dm_interval_free(d);
      dm_linearize_free(l);
      fb_mechanics_free(w);
    }
    dm_joint_forces_free(z.friction);
    dm_loads_free(z.loads);
    dm_springs_free(z.springs);
    dm_model_free(m);
  }
}

// -- along a motion

// without active bounds the first input is that of the gains, for every horizon
static void near_the_plan_it_is_the_gains(void **state) {
  (void)state;
  uint64_t seed = 4;
  const int stages[] = {1, 2, 7, 25, STEPS, 3 * STEPS};
  for (int i = 0; i < COUNT(stages); i++) {
    fb_receding o = {.stages = stages[i], .sweeps = 5};
    scene z = open_scene(&o);
    for (int k = 0; k < STEPS; k += 13) {
      double x[4], u, wanted;
      int sweeps;
      for (int j = 0; j < 4; j++) x[j] = z.f->x[4 * k + j] + 0.1 * models_random(&seed);
      fb_tvlqr_input(z.f, k, x, &wanted);
      z.law->horizon->begin(z.law->horizon);
      assert_int_equal(z.law->horizon->input(z.law->horizon, k, x, &u, &sweeps), FB_SOLVED);
      assert_int_equal(sweeps, 1);
      assert_close(u, wanted, 1e-11 * (1 + fabs(wanted)));
    }
    close_scene(&z);
  }
}

// -- bounds

// J and its slope by u over `stages` from knot k of the scene's linear problem
static double evaluate(const scene *z, int k, int stages, const double *dx0, const double *u,
                       double *slope) {
  double dx[(STEPS + 1) * 4], adjoint[4], J = 0;
  memcpy(dx, dx0, 4 * sizeof *dx);
  for (int j = 0; j < stages; j++) {
    const double *A = z->f->A + 16 * (k + j), *B = z->f->B + 4 * (k + j);
    const double du = u[j] - z->f->u[k + j];
    J += R[0] * du * du;
    for (int i = 0; i < 4; i++) {
      J += Q[i] * dx[4 * j + i] * dx[4 * j + i];
      dx[4 * j + 4 + i] = B[i] * du;
      for (int l = 0; l < 4; l++) dx[4 * j + 4 + i] += A[4 * i + l] * dx[4 * j + l];
    }
  }
  const double *P = z->f->P + 16 * (k + stages), *end = dx + 4 * stages;
  for (int i = 0; i < 4; i++) {
    adjoint[i] = 0;
    for (int l = 0; l < 4; l++) adjoint[i] += P[4 * i + l] * end[l];
    J += end[i] * adjoint[i];
  }
  for (int j = stages - 1; j >= 0; j--) {
    const double *A = z->f->A + 16 * (k + j), *B = z->f->B + 4 * (k + j);
    double before[4];
    slope[j] = R[0] * (u[j] - z->f->u[k + j]);
    for (int i = 0; i < 4; i++) slope[j] += B[i] * adjoint[i];
    for (int l = 0; l < 4; l++) {
      before[l] = Q[l] * dx[4 * j + l];
      for (int i = 0; i < 4; i++) before[l] += A[4 * i + l] * adjoint[i];
    }
    memcpy(adjoint, before, sizeof before);
  }
  return J;
}

// the first input under limits equals that of many steps of projected gradients
static void limits_are_kept_as_by_projected_gradients(void **state) {
  (void)state;
  uint64_t seed = 8;
  const double low = -4, high = 3.5;
  enum { STAGES = 12 };
  fb_receding o = {.stages = STAGES, .sweeps = 40, .u_min = &low, .u_max = &high};
  scene z = open_scene(&o);
  int limited = 0, most = 0;
  for (int run = 0; run < 20; run++) {
    const int k = run;
    double x[4], dx[4], u[STAGES] = {0}, slope[STAGES], first, step = 1e-2;
    int sweeps;
    for (int i = 0; i < 4; i++) dx[i] = (run < 10 ? 0.3 : 1) * models_random(&seed);
    for (int i = 0; i < 4; i++) x[i] = z.f->x[4 * k + i] + dx[i];
    z.law->horizon->begin(z.law->horizon);
    assert_int_equal(z.law->horizon->input(z.law->horizon, k, x, &first, &sweeps), FB_SOLVED);
    most = sweeps > most ? sweeps : most;
    double J = evaluate(&z, k, STAGES, dx, u, slope);
    for (int round = 0; round < 40000; round++) {
      double next[STAGES], other[STAGES];
      for (int j = 0; j < STAGES; j++) next[j] = fmin(fmax(u[j] - step * slope[j], low), high);
      const double J_next = evaluate(&z, k, STAGES, dx, next, other);
      if (J_next > J) {
        step /= 2;
        continue;
      }
      memcpy(u, next, sizeof u);
      memcpy(slope, other, sizeof slope);
      J = J_next;
      if (round % 100 == 0) step *= 1.5;
    }
    assert_close(first, u[0], 1e-5);
    for (int j = 0; j < STAGES; j++) limited += u[j] <= low || u[j] >= high;
  }
  assert_true(limited > 20 && most < 12);
  close_scene(&z);
}

// with too few sweeps the inputs are within their limits, and the cost is at most 2 % above that of
// enough sweeps
static void sweeps_that_run_out_leave_an_input(void **state) {
  (void)state;
  enum { STAGES = 25 };
  const double low = -4, high = 3.5;
  int ran_out = 0;
  for (int most = 1; most < 7; most++) {
    fb_receding few = {.stages = STAGES, .sweeps = most, .u_min = &low, .u_max = &high};
    fb_receding many = {.stages = STAGES, .sweeps = 40, .u_min = &low, .u_max = &high};
    scene z[] = {open_scene(&few), open_scene(&many)};
    uint64_t seed = 8;
    for (int k = 0; k < 15; k++) {
      double x[4], dx[4], u[2][STAGES], first, slope[STAGES], J[2];
      int sweeps, ends[2];
      for (int i = 0; i < 4; i++) dx[i] = 3 * models_random(&seed);
      for (int i = 0; i < 4; i++) x[i] = z[0].f->x[4 * k + i] + dx[i];
      for (int way = 0; way < 2; way++) {
        fb_horizon *run = z[way].law->horizon;
        run->begin(run);
        ends[way] = (int)run->input(run, k, x, &first, &sweeps);
        for (int j = 0; j < STAGES; j++) {
          double q[2];
          run->stage(run, j, q, &u[way][j]);
          assert_true(u[way][j] >= low - 1e-9 && u[way][j] <= high + 1e-9);
        }
        J[way] = evaluate(&z[way], k, STAGES, dx, u[way], slope);
        assert_true(sweeps <= (way ? 40 : most));
      }
      assert_int_equal(ends[1], FB_SOLVED);
      ran_out += ends[0] == FB_SWEPT;
      if (!(J[0] <= 1.02 * J[1])) fail_msg("%d sweeps, knot %d: J %g, not %g", most, k, J[0], J[1]);
    }
    close_scene(&z[0]);
    close_scene(&z[1]);
  }
  assert_true(ran_out > 20);
}

// -- rates and motors

// calls of one sweep for one state find the optimum of calls with enough sweeps
static void one_sweep_of_a_call_suffices_over_calls(void **state) {
  (void)state;
  enum { STAGES = 25, CALLS = 25 };
  const double low = -4, high = 3.5;
  fb_receding o = {.stages = STAGES, .sweeps = 1, .u_min = &low, .u_max = &high};
  scene z[2] = {open_scene(&o)};
  int limited = 0;
  o.sweeps = 40;
  z[1] = open_scene(&o);
  for (int k = 0; k < 15; k += 3) {
    double x[4], u[2], first, q[2];
    for (int i = 0; i < 4; i++) x[i] = z[0].f->x[4 * k + i] + 0.4 * cos(k + 2 * i);
    for (int way = 0; way < 2; way++) {
      fb_horizon *run = z[way].law->horizon;
      fb_horizon_end end = FB_SWEPT;
      run->begin(run);
      for (int call = 0; call < CALLS; call++) end = run->input(run, k, x, &first, NULL);
      assert_int_equal(end, FB_SOLVED);
    }
    for (int j = 0; j < STAGES; j++) {
      for (int i = 0; i < 2; i++) z[i].law->horizon->stage(z[i].law->horizon, j, q, &u[i]);
      assert_close(u[0], u[1], 1e-6);
      limited += u[1] <= low || u[1] >= high;
    }
  }
  assert_true(limited > 20);
  close_scene(&z[0]);
  close_scene(&z[1]);
}

// a schedule at the rate of the knots has the gains and the cost-to-go of the knots; at higher rates the cost per
// time converges with the step
static void sampled_costs_are_those_of_the_knots(void **state) {
  (void)state;
  fb_receding o = {.stages = 5, .sweeps = 5};
  scene z = open_scene(&o);
  enum { MOST_RATE = 16, SQUARE = 16 };
  static double K[MOST_RATE * STEPS * 4], P[(MOST_RATE * STEPS + 1) * SQUARE];
  double before[SQUARE], off[5];
  dm_message msg = {""};
  for (int i = 0, times = 1; times <= MOST_RATE; i++, times *= 2) {
    fb_tvlqr *to;
    assert_int_equal(fb_resample_new(&to, z.f, &z.s, times / H, false, 0, &msg), DM_OK);
    assert_int_equal(to->N, times * STEPS);
    assert_int_equal(fb_receding_sampled_gains(z.f, to, NULL, K, P), DM_OK);
    for (int j = 0; j < STEPS * 4 && times == 1; j++) assert_close(K[j], z.f->K[j], 1e-9);
    off[i] = 0;
    for (int j = 0; j < SQUARE; j++) {
      const double value = P[j] / times;
      if (times == 1) assert_close(value, z.f->P[j], 1e-9 * (1 + fabs(value)));
      if (times > 1) off[i] = fmax(off[i], fabs(value - before[j]));
      before[j] = value;
    }
    if (i > 1) assert_true(off[i] < off[i - 1] / 1.6 && off[i] > off[i - 1] / 2.6);
    fb_tvlqr_free(to);
  }
  close_scene(&z);
}

// inputs of repeated calls are within the torque-speed lines at the speeds of their own motion, and many of them
// on a line; a line that the motion does not meet changes nothing
static void torque_speed_lines_are_kept(void **state) {
  (void)state;
  enum { STAGES = 12 };
  const int coord = 0;
  const double low = -8, high = 8;
  fb_receding o = {.stages = STAGES, .sweeps = 40, .u_min = &low, .u_max = &high};
  double first[2];
  for (int far = 0; far < 2; far++) {
    const double stall = far ? 1e3 : 5, slope = far ? 1e-3 : 4;
    const dm_drive_limits lines = {
        .n = 1, .nq = 2, .coord = &coord, .stall = &stall, .slope = &slope};
    scene free = open_scene(&o);
    free.f->drives = &lines;
    fb_output_feedback *law;
    assert_int_equal(fb_output_feedback_new(&law, free.f, &free.s, FB_STATE, true, NULL), DM_OK);
    assert_int_equal(fb_receding_start(law, &o, NULL), DM_OK);
    double x[4], u[STAGES], q[STAGES][2];
    int on = 0;
    for (int i = 0; i < 4; i++) x[i] = free.f->x[i] + 1.2;
    for (int call = 0; call < 60; call++)
      assert_int_equal(law->horizon->input(law->horizon, 0, x, first, NULL), FB_SOLVED);
    for (int j = 0; j < STAGES; j++) law->horizon->stage(law->horizon, j, q[j], &u[j]);
    for (int j = 0; j + 1 < STAGES; j++) {
      const double v = (q[j + 1][0] - q[j][0]) / H;
      assert_true(fabs(u[j]) <= high + 1e-12);
      assert_true(fabs(u[j] + slope * v) <= stall + 1e-6);
      on += fabs(u[j]) < high - 1e-6 && fabs(u[j] + slope * v) > stall - 1e-6;
    }
    assert_true(far ? on == 0 : on > 2);
    for (int call = 0; call < 60 && far; call++)
      free.law->horizon->input(free.law->horizon, 0, x, &first[1], NULL);
    if (far) assert_memory_equal(&first[0], &first[1], sizeof *first);
    fb_output_feedback_free(law);
    close_scene(&free);
  }
}

// any knot and any state give a finite input within the limits
static void any_call_gives_an_input(void **state) {
  (void)state;
  const double low = -4, high = 3.5;
  const int knots[] = {INT_MIN, -1, 0, STEPS - 1, STEPS, STEPS + 7, INT_MAX};
  const double size[] = {0, 1, 1e6, 1e300, NAN, INFINITY};
  fb_receding o = {.stages = 12, .sweeps = 6, .u_min = &low, .u_max = &high};
  scene z = open_scene(&o);
  for (int i = 0; i < COUNT(knots) * COUNT(size) * 3; i++) {
    double x[4], u = NAN;
    for (int j = 0; j < 4; j++) x[j] = size[i / 3 % COUNT(size)] * cos(i + j);
    if (i % 3) z.law->horizon->prepare(z.law->horizon, knots[(i + i % 3) % COUNT(knots)]);
    z.law->horizon->input(z.law->horizon, knots[i % COUNT(knots)], x, &u, NULL);
    assert_true(u >= low && u <= high);
  }
  close_scene(&z);
}

// -- the nonlinear problem

// J of the nonlinear problem from knot k, by steps of the map, with bounds of speeds
static double evaluate_map(const scene *z, dm_del *del, const fb_receding *o, int k,
                           const double *x0, const double *u) {
  const int stages = o->stages;
  double x[4], J = 0;
  dm_del_info info;
  memcpy(x, x0, sizeof x);
  for (int j = 0; j <= stages; j++) {
    const double *x_d = z->f->x + 4 * (k + j), *P = z->f->P + 16 * (k + stages);
    for (int i = 0; i < 4 && j < stages; i++) J += Q[i] * (x[i] - x_d[i]) * (x[i] - x_d[i]);
    for (int i = 0; i < 16 && j == stages; i++)
      J += P[i] * (x[i / 4] - x_d[i / 4]) * (x[i % 4] - x_d[i % 4]);
    if (j == stages) break;
    double x1[4] = {x[0], x[1], 0, 0};
    const double du = u[j] - z->f->u[k + j];
    J += R[0] * du * du;
    assert_int_equal(dm_del_step(del, x, x + 2, u + j, H, x1, x1 + 2, &info), DM_OK);
    for (int i = 0; i < 2 && o->v_max; i++) {
      const double beyond = fmax(0, fabs(x1[i] - x[i]) / H - o->v_max[i]);
      J += o->soft_v[i] * beyond * beyond;
    }
    memcpy(x, x1, sizeof x);
  }
  return J;
}

// calls for the same state end where the nonlinear cost is minimal by the first input, if the
// others follow: the closed loop's cost is that of the nonlinear problem; returns the first input
static double minimize(const fb_receding *o) {
  enum { STAGES = 10, K = 5 };
  scene z = open_scene(o);
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  double x0[4], u[STAGES];
  for (int i = 0; i < 4; i++) x0[i] = z.f->x[4 * K + i] + 0.2;

  // the inputs of the last motion, found by following it from its own start
  fb_horizon *run = z.law->horizon;
  double first = 0, before = NAN;
  run->begin(run);
  for (int call = 0; call < 30; call++) {
    before = first;
    assert_int_equal(run->input(run, K, x0, u, NULL), FB_SOLVED);
    first = u[0];
  }
  assert_close(first, before, 1e-12);
  for (int j = 0; j < STAGES; j++) {
    double q[2];
    run->stage(run, j, q, u + j);
  }
  const double J = evaluate_map(&z, del, o, K, x0, u);
  for (int j = 0; j < STAGES; j++) {
    double slope[2], h[2] = {1e-3, 5e-4};
    for (int side = 0; side < 2; side++) {
      double up[STAGES], down[STAGES];
      memcpy(up, u, sizeof u);
      memcpy(down, u, sizeof u);
      up[j] += h[side];
      down[j] -= h[side];
      slope[side] = (evaluate_map(&z, del, o, K, x0, up) - evaluate_map(&z, del, o, K, x0, down)) /
                    (2 * h[side]);
    }
    assert_close((4 * slope[1] - slope[0]) / 3, 0, 1e-7 * (1 + J));
  }
  dm_del_free(del);
  close_scene(&z);
  return u[0];
}

static void repeated_calls_minimize_the_nonlinear_problem(void **state) {
  (void)state;
  static const double v_max[] = {0.7, 2}, soft_v[] = {30, 3};
  fb_receding o = {.stages = 10, .sweeps = 5};
  const double free = minimize(&o);
  o.v_max = v_max;
  o.soft_v = soft_v;
  o.sweeps = 20;
  assert_true(fabs(minimize(&o) - free) > 0.1);
}

// -- ends and references

// with the cost of rest at its end, every horizon has the input of the constant gain
static void the_cost_of_rest_gives_the_constant_gain(void **state) {
  (void)state;
  uint64_t seed = 5;
  const fb_receding plain = {.stages = 1, .sweeps = 5};
  scene steady = open_motion(0, 0, NULL, &plain);
  for (int stages = 1; stages < 3 * STEPS; stages = 2 * stages + 1) {
    fb_receding o = {.stages = stages, .sweeps = 5, .P_end = steady.f->P};
    scene z = open_rest(&o);
    const int knots[] = {0, STEPS / 2, STEPS, 7 * STEPS};
    for (int i = 0; i < COUNT(knots); i++) {
      double x[4], u, wanted;
      for (int j = 0; j < 4; j++) x[j] = 0.1 * models_random(&seed);
      fb_tvlqr_input(steady.f, 0, x, &wanted);
      z.law->horizon->begin(z.law->horizon);
      assert_int_equal(z.law->horizon->input(z.law->horizon, knots[i], x, &u, NULL), FB_SOLVED);
      assert_close(u, wanted, 1e-10 * (1 + fabs(wanted)));
    }
    close_scene(&z);
  }
  close_scene(&steady);
}

// the state x of a closed loop from knot `from` to knot `to`; returns how the last call ended
static fb_horizon_end follow(const scene *z, int from, int to, double *x) {
  fb_horizon_end end = FB_FELL_BACK;
  dm_del_info info;
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &z->s, NULL), DM_OK);
  for (int k = from; k < to; k++) {
    double x1[4] = {x[0], x[1]}, u;
    end = z->law->horizon->input(z->law->horizon, k, x, &u, NULL);
    assert_int_equal(dm_del_step(del, x, x + 2, &u, H, x1, x1 + 2, &info), DM_OK);
    memcpy(x, x1, sizeof x1);
  }
  dm_del_free(del);
  return end;
}

// A goal is reached long after the plan's end, and when the caller moves it to where its limits are;
// a goal beyond them is named, and approached to where the costs balance.
static void goals_are_reached_and_moved(void **state) {
  (void)state;
  static const double rest[4] = {0}, none = 0;
  static const double low[] = {-0.5, -INFINITY}, high[] = {0.5, INFINITY}, soft[] = {2e4, 2e4};
  const fb_receding plain = {.stages = 1, .sweeps = 5};
  scene steady = open_motion(0, 0, NULL, &plain);
  fb_receding o = {.stages = 25,
                   .sweeps = 20,
                   .P_end = steady.f->P,
                   .y = rest,
                   .u = &none,
                   .knots = 1,
                   .asks = true,
                   .q_min = low,
                   .q_max = high,
                   .soft = soft};
  scene z = open_rest(&o);
  double x[4] = {0.3, 0.2, 0, 0};
  assert_int_equal(follow(&z, 0, 20 * STEPS, x), FB_SOLVED);
  for (int i = 0; i < 4; i++) assert_close(x[i], 0, 1e-8);

  // moved within the limits, then beyond them
  const double goals[][2] = {{0.4, 0}, {0.8, 0}};
  z.law->horizon->ask(z.law->horizon, 20 * STEPS, 1, goals[0]);
  assert_int_equal(follow(&z, 20 * STEPS, 40 * STEPS, x), FB_SOLVED);
  assert_close(x[0], 0.4, 1e-8);
  z.law->horizon->ask(z.law->horizon, 40 * STEPS, 1, goals[1]);
  assert_int_equal(follow(&z, 40 * STEPS, 60 * STEPS, x), FB_UNREACHED);
  assert_true(x[0] > 0.45 && x[0] < 0.6);

  // one that is not finite leaves it as it was
  const double wrong[] = {NAN, 0};
  z.law->horizon->ask(z.law->horizon, 60 * STEPS, 1, wrong);
  assert_int_equal(follow(&z, 60 * STEPS, 61 * STEPS, x), FB_UNREACHED);
  assert_true(x[0] > 0.45 && x[0] < 0.6);
  close_scene(&z);
  close_scene(&steady);
}

// p and u of a motion's positions are the motion's to second order of the step; at rest they balance
static void references_have_the_motions_momenta(void **state) {
  (void)state;
  const double one = 1;
  double worst[2][2] = {{0}};
  dm_model *m = models_cart_pole();
  dm_system s = dm_system_of(m);
  dm_del_info info;
  dm_del *del;
  int failed;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  for (int fine = 0; fine < 2; fine++) {
    const int N = STEPS << fine;
    double y[(2 * STEPS + 2) * 4], u[2 * STEPS + 1];
    dm_trajectory *x;
    assert_int_equal(dm_trajectory_new(&x, N, 2, 1), DM_OK);
    x->h = H * STEPS / N;
    x->q[1] = 2.5;
    for (int k = 0; k < N; k++) x->u[k] = 3 * sin(10 * (k + 0.5) * x->h);
    assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
    fb_mechanics *w = make_mechanics(m, NULL, NULL, NULL, &s, x->h);
    assert_int_equal(fb_receding_reference(fb_mechanics_tables(w), &one, N + 1, x->q, y, u), DM_OK);
    for (int k = 2; k < N - 2; k++) {
      worst[fine][0] = fmax(worst[fine][0], fabs(u[k] - x->u[k]));
      for (int i = 0; i < 2; i++)
        worst[fine][1] = fmax(worst[fine][1], fabs(y[4 * k + 2 + i] - x->p[2 * k + i]));
    }
    for (int i = 0; i < 2; i++) assert_close(y[4 * N + 4 + i], x->q[2 * N + i], 0);
    fb_mechanics_free(w);
    dm_trajectory_free(x);
  }
  const double ratio = worst[0][0] / worst[1][0];
  assert_true(ratio > 3.5 && ratio < 4.5);
  assert_true(worst[0][1] > 0 && worst[1][1] < worst[0][1] / 6); // h times the error of u
  dm_del_free(del);
  dm_model_free(m);
}

// a measurement that is not finite gives the input of the last motion, which goes on
static void the_last_motion_answers_without_a_measurement(void **state) {
  (void)state;
  const double low = -4, high = 3.5;
  fb_receding o = {.stages = 12, .sweeps = 20, .u_min = &low, .u_max = &high};
  scene z = open_scene(&o);
  fb_horizon *run = z.law->horizon;
  double x[4], planned, u, q[2];
  for (int i = 0; i < 4; i++) x[i] = z.f->x[12 + i] + 0.1;
  assert_int_equal(run->input(run, 3, x, &u, NULL), FB_SOLVED);
  run->stage(run, 1, q, &planned);
  assert_true(fabs(planned - z.f->u[4]) > 0.05);
  x[3] = NAN;
  assert_int_equal(run->input(run, 4, x, &u, NULL), FB_FELL_BACK);
  assert_close(u, fmin(fmax(planned, low), high), 0);
  for (int i = 0; i < 4; i++) x[i] = z.f->x[20 + i] + 0.1;
  assert_int_equal(run->input(run, 5, x, &u, NULL), FB_SOLVED);
  close_scene(&z);
}

// a prepared call gives the same bits; after missed knots the motion is shifted by as many
static void calls_may_be_prepared_or_missed(void **state) {
  (void)state;
  const double low = -4, high = 3.5;
  fb_receding o = {.stages = 12, .sweeps = 20, .u_min = &low, .u_max = &high};
  scene z = open_scene(&o), prepared = open_scene(&o);
  for (int k = 0; k < STEPS; k += 1 + k % 3) {
    double x[4], u[2];
    int sweeps[2];
    for (int i = 0; i < 4; i++) x[i] = z.f->x[4 * k + i] + 0.3 * cos(k + i);
    prepared.law->horizon->prepare(prepared.law->horizon, k);
    z.law->horizon->input(z.law->horizon, k, x, &u[0], &sweeps[0]);
    prepared.law->horizon->input(prepared.law->horizon, k, x, &u[1], &sweeps[1]);
    assert_memory_equal(&u[0], &u[1], sizeof u[0]);
    assert_int_equal(sweeps[0], sweeps[1]);
  }

  // the optimum for one state, whose motion the robot follows for three knots without a call: its
  // fourth input is nearly that of the next call, which begins where the motion is
  fb_horizon *run = z.law->horizon;
  double x[4], u, next, place[2];
  int sweeps;
  for (int i = 0; i < 4; i++) x[i] = z.f->x[i] + 0.3;
  run->begin(run);
  for (int i = 0; i < 20; i++) run->input(run, 0, x, &u, &sweeps);
  assert_int_equal(sweeps, 1);
  dm_del_info info;
  dm_del *del;
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  for (int k = 0; k < 3; k++) {
    double x1[4] = {x[0], x[1], 0, 0};
    run->stage(run, k, place, &u);
    assert_int_equal(dm_del_step(del, x, x + 2, &u, H, x1, x1 + 2, &info), DM_OK);
    memcpy(x, x1, sizeof x);
  }
  run->stage(run, 3, place, &u);
  for (int i = 0; i < 2; i++) assert_close(x[i], place[i], 1e-9);
  run->input(run, 3, x, &next, &sweeps);
  assert_true(sweeps <= 3);
  assert_close(next, u, 0.2);
  dm_del_free(del);
  close_scene(&prepared);
  close_scene(&z);
}

// in single precision it is the same up to rounding; a state that is not finite gives the plan's
static void both_precisions_agree(void **state) {
  (void)state;
  const double low = -4, high = 3.5;
  fb_receding o = {.stages = 20, .sweeps = 20, .u_min = &low, .u_max = &high};
  scene z = open_scene(&o);
  o.single = true;
  scene coarse = open_scene(&o);
  double x[4], u[2];
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < 4; i++) x[i] = z.f->x[4 * k + i] + 0.2 * cos(k + i);
    z.law->horizon->input(z.law->horizon, k, x, &u[0], NULL);
    coarse.law->horizon->input(coarse.law->horizon, k, x, &u[1], NULL);
    assert_close(u[0], u[1], 2e-3);
  }
  x[1] = NAN;
  z.law->horizon->begin(z.law->horizon);
  assert_int_equal(z.law->horizon->input(z.law->horizon, 3, x, &u[0], NULL), FB_FELL_BACK);
  assert_close(u[0], fmin(fmax(z.f->u[3], low), high), 0);
  close_scene(&coarse);
  close_scene(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_linearized_as_by_the_map),
      cmocka_unit_test(near_the_plan_it_is_the_gains),
      cmocka_unit_test(limits_are_kept_as_by_projected_gradients),
      cmocka_unit_test(sweeps_that_run_out_leave_an_input),
      cmocka_unit_test(one_sweep_of_a_call_suffices_over_calls),
      cmocka_unit_test(sampled_costs_are_those_of_the_knots),
      cmocka_unit_test(torque_speed_lines_are_kept),
      cmocka_unit_test(any_call_gives_an_input),
      cmocka_unit_test(repeated_calls_minimize_the_nonlinear_problem),
      cmocka_unit_test(the_cost_of_rest_gives_the_constant_gain),
      cmocka_unit_test(goals_are_reached_and_moved),
      cmocka_unit_test(references_have_the_motions_momenta),
      cmocka_unit_test(the_last_motion_answers_without_a_measurement),
      cmocka_unit_test(calls_may_be_prepared_or_missed),
      cmocka_unit_test(both_precisions_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

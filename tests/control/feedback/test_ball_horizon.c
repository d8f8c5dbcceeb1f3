// Receding-horizon control of robots with ball joints: A and B of a step equal those of the library's map of
// quaternions, reduced to rotations of the bodies; its impulses, and its first input near a plan.
#include "control/feedback/ball_tables.h"
#include "control/feedback/mechanics.h"
#include "control/feedback/output_feedback.h"
#include "control/onboard/onboard.h"
#include "lib/discrete/del.h"
#include "lib/discrete/interval.h"
#include "lib/discrete/linearize.h"
#include "tests/support/ball.h"

#include <string.h>

enum { MOST = 16, OUTER = 2 * MOST };
static const double H = 0.02;

// -- quaternions (w,x,y,z)

// a b, or conj(a) b
static void multiply(const double *a, const double *b, bool conjugate, double *c) {
  const double s = conjugate ? -1 : 1, x = s * a[1], y = s * a[2], z = s * a[3];
  c[0] = a[0] * b[0] - x * b[1] - y * b[2] - z * b[3];
  c[1] = a[0] * b[1] + x * b[0] + y * b[3] - z * b[2];
  c[2] = a[0] * b[2] - x * b[3] + y * b[0] + z * b[1];
  c[3] = a[0] * b[3] + x * b[2] - y * b[1] + z * b[0];
}

// the coordinates on board of three components (x,y,z)
static void give_axes(const double *xyz, double scale, double *out) {
  out[0] = scale * xyz[2];
  out[1] = scale * xyz[0];
  out[2] = scale * xyz[1];
}

// -- a machine and its changes of state

typedef struct machine {
  ball_machine w;
  dm_robot robot;
  fb_mechanics *mechanics;
  int n, outer, nu; // coordinates on board, of quaternions; inputs
} machine;

static machine open_machine(const dm_tree *t, int nf, const dm_load *f, const double *damping) {
  machine z;
  dm_message msg = {""};
  ball_make(&z.w, t, 0, NULL, nf, f);
  for (int i = 0; damping && i < z.w.tree->nq; i++) {
    const int at = dm_ball_outside(z.w.tree, i), ball = dm_ball_owns(z.w.tree, i);
    z.w.tree->damping[i] = damping[at % 4];
    for (int k = 0; k < (ball ? 4 : 1); k++)
      z.w.model->damping[at + k] = (ball ? 4 : 1) * damping[at % 4];
  }
  z.robot = (dm_robot){.tree = z.w.tree, .model = z.w.model, .embed = z.w.embed, .loads = z.w.f};
  z.n = z.w.tree->nq;
  z.outer = z.w.model->nq;
  z.nu = z.w.s.nu;
  if (fb_mechanics_new(&z.mechanics, &z.robot, &z.w.s, H, FB_OF_HORIZON, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  return z;
}

static void close_machine(machine *z) {
  fb_mechanics_free(z->mechanics);
  ball_free(&z->w);
}

// the ball joint of coordinate i, and its place outside
static bool find_place(const machine *z, int i, int *at) {
  *at = dm_ball_outside(z->w.tree, i);
  return dm_ball_owns(z->w.tree, i);
}

// (th, dPi) [2n] of (dq, dp) at the state x = (q,p)
static void reduce(const machine *z, const double *x, const double *dx, double *out) {
  const int n = z->n, outer = z->outer;
  for (int i = 0, at; i < n; i++) {
    if (!find_place(z, i, &at)) {
      out[i] = dx[at];
      out[n + i] = dx[outer + at];
      continue;
    }
    double th[4], dp[4], by[4];
    multiply(x + at, dx + at, true, th);
    multiply(x + at, dx + outer + at, true, dp);
    multiply(dx + at, x + outer + at, true, by);
    for (int k = 0; k < 4; k++) dp[k] += by[k];
    give_axes(th + 1, 2, out + i);
    give_axes(dp + 1, 0.5, out + n + i);
    i += 2;
  }
}

// (dq, dp) of (th, dPi), with dp normal to q
static void expand(const machine *z, const double *x, const double *y, double *dx) {
  const int n = z->n, outer = z->outer;
  for (int i = 0, at; i < n; i++) {
    if (!find_place(z, i, &at)) {
      dx[at] = y[i];
      dx[outer + at] = y[n + i];
      continue;
    }
    const double th[4] = {0, y[i + 1] / 2, y[i + 2] / 2, y[i] / 2};
    double dPi[4] = {0, y[n + i + 1], y[n + i + 2], y[n + i]}, by[4];
    multiply(x + at, th, false, dx + at);
    multiply(dx + at, x + outer + at, true, by);
    for (int k = 1; k < 4; k++) dPi[k] = 2 * (dPi[k] - by[k] / 2);
    multiply(x + at, dPi, false, dx + outer + at);
    i += 2;
  }
}

// the state on board
static void take(const machine *z, const double *x, double *q, double *p) {
  double room[MOST];
  const tree_tables *M = fb_mechanics_tables(z->mechanics);
  fb_balls.take(M, x, q);
  fb_balls.take_rates(M, 0.5, q, x + z->outer, room, p);
}

// a position, and another one near it
static void place(const machine *z, uint64_t *seed, double *q0, double *q1) {
  double far[MOST], near[MOST];
  for (int i = 0; i < z->outer; i++) far[i] = models_random(seed);
  for (int i = 0; i < z->outer; i++) near[i] = far[i] + 4 * H * models_random(seed);
  memcpy(q0, far, sizeof far);
  memcpy(q1, near, sizeof near);
  for (int k = 0; k < z->w.model->nball; k++) {
    const int at = z->w.model->quaternion[k];
    double size0 = 0, size1 = 0;
    for (int i = 0; i < 4; i++) size0 += far[at + i] * far[at + i];
    for (int i = 0; i < 4; i++) size1 += near[at + i] * near[at + i];
    for (int i = 0; i < 4; i++) q0[at + i] = far[at + i] / sqrt(size0);
    for (int i = 0; i < 4; i++) q1[at + i] = near[at + i] / sqrt(size1);
  }
}

static const dm_load thrust[] = {
    {.name = "a",
     .kind = DM_WRENCH_BODY,
     .driven = true,
     .body = 0,
     .point = {0.3, -0.2, 0.1},
     .torque = {1, 2, 3},
     .force = {4, -5, 6}},
    {.name = "b", .kind = DM_WRENCH_BODY, .body = 2, .point = {0.1, 0.2, 0.4}, .force = {-7, 8, 3}},
    {.name = "c", .kind = DM_WRENCH_BODY, .driven = true, .body = 1, .torque = {0.5, 1, -2}},
    {.name = "wind",
     .kind = DM_WRENCH_MIXED,
     .driven = true,
     .body = 2,
     .point = {-0.3, 0.5, 0.2},
     .torque = {3, -1, 2},
     .force = {5, 4, -8}},
    {.name = "lift",
     .kind = DM_WRENCH_MIXED,
     .body = 0,
     .point = {0.3, 0.1, 0.2},
     .force = {0, 3, 9}}};

static const double damping[4] = {0.3, 0.1, 0.5, 0.2};

// A, B, D1 and D2 of random steps of a floating robot with ball joints, with damping, torques on ball
// joints and forces on bodies
static void steps_are_those_of_the_library(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int run = 0; run < 12; run++) {
    const dm_tree t = ball_astronaut(run % 2 ? 9.8 : 0);
    machine z =
        open_machine(&t, run % 3 ? COUNT(thrust) : 0, thrust, run % 3 == 1 ? damping : NULL);
    const int n = z.n, outer = z.outer, nu = z.nu, nx = 2 * n;
    double x0[OUTER], x1[OUTER], u[MOST], lambda[3], q0[MOST], q1[MOST], p0[MOST], p1[MOST];
    static double A_map[OUTER * OUTER], B_map[OUTER * MOST], A[OUTER * OUTER], B[OUTER * MOST];
    double c[OUTER], wanted[OUTER], D1[MOST], D2[MOST], size = 1;
    dm_linearize *l;
    dm_interval *d;
    assert_true(outer <= MOST && z.w.model->nball == 3);
    assert_int_equal(dm_linearize_new(&l, &z.w.s), DM_OK);
    assert_int_equal(dm_interval_new(&d, &z.w.s), DM_OK);
    place(&z, &seed, x0, x1);
    for (int i = 0; i < nu; i++) u[i] = 20 * models_random(&seed);
    for (int i = 0; i < 3; i++) lambda[i] = models_random(&seed);
    assert_int_equal(dm_linearize_step(l, x0, x1, u, lambda, H, A_map, B_map), DM_OK);
    assert_int_equal(dm_interval_eval(d, 1, x0, x1, u, H), DM_OK);

    // p0 = -D1 + Dh'lambda, p1 = D2
    for (int i = 0; i < outer; i++) x0[outer + i] = -d->D1[i];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 4; i++) {
        const int at = z.w.model->quaternion[k] + i;
        x0[outer + at] += 2 * lambda[k] * x0[at];
      }
    for (int i = 0; i < outer; i++) x1[outer + i] = d->D2[i];
    take(&z, x0, q0, p0);
    take(&z, x1, q1, wanted);
    const tree_tables *M = fb_mechanics_tables(z.mechanics);
    fb_mechanics_impulses(z.mechanics, q0, q1, u, D1, D2);
    assert_int_equal(fb_onboard_linearize(M, q0, p0, q1, u, A, B, c, p1), DM_OK);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(p0[i]));
    for (int i = 0; i < n; i++) {
      assert_close(D1[i], -p0[i], 1e-13 * size);
      assert_close(D2[i], wanted[i], 1e-13 * size);
      assert_close(p1[i], wanted[i], 1e-13 * size);
    }

    // columns of A and B, and no defect
    for (int i = 0; i < nx * nx; i++) size = fmax(size, fabs(A[i]));
    for (int j = 0; j < nx + nu; j++) {
      double unit[OUTER] = {0}, dx[OUTER] = {0}, out[OUTER] = {0};
      if (j < nx) unit[j] = 1;
      if (j < nx) expand(&z, x0, unit, dx);
      for (int i = 0; i < 2 * outer; i++)
        for (int k = 0; j < nx && k < 2 * outer; k++) out[i] += A_map[i * 2 * outer + k] * dx[k];
      for (int i = 0; j >= nx && i < 2 * outer; i++) out[i] = B_map[i * nu + j - nx];
      reduce(&z, x1, out, wanted);
      for (int i = 0; i < nx; i++)
        assert_close(j < nx ? A[i * nx + j] : B[i * nu + j - nx], wanted[i], 1e-11 * size);
    }
    for (int i = 0; i < nx; i++) assert_close(c[i], 0, 1e-11 * size);
    dm_interval_free(d);
    dm_linearize_free(l);
    close_machine(&z);
  }
}

// -- references

enum { KNOTS = 40, ROTORS = 6 };
static const double R[ROTORS] = {1, 1, 1, 1, 1, 1};

// a flyer with `rotors` propellers in a ring, which push up along its body and twist it by turns
static void open_flyer(ball_machine *w, int rotors) {
  static dm_coordinate c[6];
  static dm_body b[1];
  dm_load f[ROTORS] = {{0}};
  const dm_coordinate coord[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0),
                                 models_coord("z", true, 0, 0, 1), BALL("turn")};
  const dm_body body[] = {
      {"hull", -1, dm_identity, 0, 6, 0.65, {0.01, 0, -0.02}, {0.0075, 0.008, 0.013}}};
  memcpy(c, coord, sizeof coord);
  memcpy(b, body, sizeof body);
  for (int i = 0; i < rotors; i++) {
    const double at = 2 * acos(-1) * i / rotors;
    f[i] = (dm_load){.name = "rotor",
                     .kind = DM_WRENCH_BODY,
                     .driven = true,
                     .point = {0.17 * cos(at), 0.17 * sin(at), 0},
                     .torque = {0, 0, i % 2 ? -0.016 : 0.016},
                     .force = {0, 0, 1}};
  }
  ball_make(w, &(dm_tree){.nbody = 1, .ncoord = 6, .body = b, .coord = c, .gravity = {0, 0, -9.81}},
            0, NULL, rotors, f);
}

// the largest errors of u, and of p, by the positions of a flight at N steps in 0.4 s
static void refer_flight(int N, double error[2]) {
  ball_machine w;
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  dm_message msg = {""};
  fb_mechanics *mechanics;
  int failed;
  static double y[(2 * KNOTS + 2) * 14], u[(2 * KNOTS + 1) * 4], off[(2 * KNOTS + 1) * 7];
  open_flyer(&w, 4);
  assert_int_equal(dm_trajectory_new(&x, N, 7, 4), DM_OK);
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  x->h = 0.4 / N;
  x->q[3] = 1;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < 4; i++) x->u[4 * k + i] = 1.6 + 0.1 * sin(15 * (k + 0.5) * x->h + i);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  const dm_robot robot = {.tree = w.tree, .model = w.model, .embed = w.embed, .loads = w.f};
  assert_int_equal(fb_mechanics_new(&mechanics, &robot, &w.s, x->h, FB_OF_HORIZON, &msg), DM_OK);

  // of any length and sign
  for (int k = 0; k <= N; k++)
    for (int i = 0; i < 7; i++) off[7 * k + i] = (i < 3 ? 1 : k % 2 ? -1.1 : 0.9) * x->q[7 * k + i];
  assert_int_equal(fb_receding_reference(fb_mechanics_tables(mechanics), R, N + 1, off, y, u),
                   DM_OK);
  error[0] = error[1] = 0;
  for (int k = 2; k < N - 2; k++) {
    double sign = 0, along = 0, p[7];
    for (int i = 0; i < 4; i++) sign += y[14 * k + 3 + i] * x->q[7 * k + 3 + i];
    for (int i = 0; i < 7; i++) {
      const double s = i < 3 || sign > 0 ? 1 : -1;
      assert_close(y[14 * k + i], s * x->q[7 * k + i], 1e-12);
      p[i] = s * y[14 * k + 7 + i] - x->p[7 * k + i];
    }

    // of quaternions, without the part along them
    for (int i = 0; i < 4; i++) along += x->q[7 * k + 3 + i] * p[3 + i];
    for (int i = 0; i < 7; i++)
      error[1] = fmax(error[1], fabs(p[i] - (i < 3 ? 0 : along * x->q[7 * k + i])));
    for (int i = 0; i < 4; i++) error[0] = fmax(error[0], fabs(u[4 * k + i] - x->u[4 * k + i]));
  }
  fb_mechanics_free(mechanics);
  dm_del_free(del);
  dm_trajectory_free(x);
  ball_free(&w);
}

// p and u of a flight's positions are the flight's to second order of the step
static void references_have_the_flights_momenta(void **state) {
  (void)state;
  double coarse[2], fine[2];
  refer_flight(KNOTS, coarse);
  refer_flight(2 * KNOTS, fine);
  assert_true(coarse[0] > 1e-5 && coarse[0] > 3.5 * fine[0] && coarse[0] < 4.5 * fine[0]);
  assert_true(coarse[1] > 1e-8 && coarse[1] > 3.5 * fine[1]);
}

// Six propellers can lift in many ways: thrusts are those of least norm. On its side it cannot be balanced; four
// propellers without a moment then do not push.
static void propellers_share_the_weight(void **state) {
  (void)state;
  const double side[7] = {0, 0, 0, sqrt(0.5), sqrt(0.5), 0, 0}, up[7] = {1, 2, 3, 1, 0, 0, 0};
  for (int rotors = 4; rotors <= ROTORS; rotors += 2) {
    ball_machine w;
    fb_mechanics *mechanics;
    dm_message msg = {""};
    double y[2 * 14], u[ROTORS], force = 0, moment = 0, lever = 0;
    open_flyer(&w, rotors);
    const dm_robot robot = {.tree = w.tree, .model = w.model, .embed = w.embed, .loads = w.f};
    assert_int_equal(fb_mechanics_new(&mechanics, &robot, &w.s, H, FB_OF_HORIZON, &msg), DM_OK);
    const tree_tables *M = fb_mechanics_tables(mechanics);
    assert_int_equal(fb_receding_reference(M, R, 1, up, y, u), DM_OK);
    for (int i = 0; i < rotors; i++) {
      const double at = 2 * acos(-1) * i / rotors;
      force += u[i];
      moment += 0.17 * cos(at) * u[i];
      lever += (i % 2 ? -0.016 : 0.016) * u[i];
    }
    assert_close(force, 0.65 * 9.81, 1e-9);
    assert_close(moment, 0.01 * 0.65 * 9.81, 1e-9); // the center is beside the middle
    assert_close(lever, 0, 1e-9);
    for (int i = 0; rotors == 6 && i < rotors;
         i++) // least norm: linear in the place of a propeller
      assert_close(u[i], 0.65 * 9.81 * (1. / 6 + 0.01 / 0.17 / 3 * cos(acos(-1) * i / 3)), 1e-9);
    assert_int_equal(fb_receding_reference(M, R, 1, side, y, u), DM_OK);
    for (int i = 0; i < rotors; i++) assert_close(u[i], 0, 0.2 * 0.65 * 9.81);
    fb_mechanics_free(mechanics);
    ball_free(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_those_of_the_library),
                                     cmocka_unit_test(references_have_the_flights_momenta),
                                     cmocka_unit_test(propellers_share_the_weight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

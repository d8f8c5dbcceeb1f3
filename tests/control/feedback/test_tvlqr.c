// Gains along a trajectory: at equilibrium, in closed loop, and the errors if none exist.
#include "tests/support/models.h"

#include "control/feedback/dare.h"
#include "control/feedback/tvlqr.h"

typedef struct scene {
  dm_model *m;
  dm_system s;
  dm_trajectory *x;
} scene;

// a mechanism at rest at q for N steps
static scene at_rest(dm_model *m, const double *q, int N, double h) {
  scene z = {.m = m, .s = dm_system_of(m)};
  assert_int_equal(dm_trajectory_new(&z.x, N, m->nq, m->nu), DM_OK);
  z.x->h = h;
  for (int k = 0; k <= N; k++) memcpy(z.x->q + k * m->nq, q, (size_t)m->nq * sizeof *q);
  return z;
}

static void strike(scene *z) {
  dm_trajectory_free(z->x);
  dm_model_free(z->m);
}

static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};

// at an equilibrium all stages are equal, and the steady solution is constant
static void gains_at_rest_are_constant(void **state) {
  (void)state;
  double up[] = {0, 3.141592653589793};
  scene z = at_rest(models_cart_pole(), up, 100, 0.02);
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  double Q[] = {10, 100, 1, 2}, R[] = {0.5};
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = Q, .R = R}, &failed, &msg),
                   DM_OK);
  assert_int_equal(failed, -1);
  for (int k = 1; k < 100; k++)
    for (int i = 0; i < 4; i++)
      assert_true(fabs(f->K[4 * k + i] - f->K[i]) <= 1e-9 * fabs(f->K[i]));

  // and equal the gains of the steady problem for A, B
  double QQ[16] = {10, 0, 0, 0, 0, 100, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2}, P[16], K[4];
  assert_int_equal(fb_dare_solve(4, 1, f->A, f->B, QQ, R, NULL, P, K), DM_OK);
  for (int i = 0; i < 4; i++) assert_true(fabs(K[i] - f->K[i]) <= 1e-9 * fabs(K[i]));
  fb_tvlqr_free(f);
  strike(&z);
}

// A and B are the derivatives of the step, knot by knot, along a motion
static void stages_are_the_steps_derivatives(void **state) {
  (void)state;
  double q[] = {0.4, -0.3};
  scene z = at_rest(models_acrobot(), q, 20, 0.05);
  dm_del *del;
  dm_del_info info;
  fb_tvlqr *f;
  int failed;
  for (int k = 0; k < 20; k++) z.x->u[k] = sin(k);
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(z.x, del, &info, &failed), DM_OK);
  assert_int_equal(
      fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = ones, .R = ones, .Qf = ones}, &failed, NULL),
      DM_OK);
  double A[16], B[4];
  dm_linearize *lin;
  assert_int_equal(dm_linearize_new(&lin, &z.s), DM_OK);
  for (int k = 0; k < 20; k++) {
    assert_int_equal(
        dm_linearize_step(lin, z.x->q + 2 * k, z.x->q + 2 * k + 2, z.x->u + k, NULL, 0.05, A, B),
        DM_OK);
    assert_memory_equal(A, f->A + 16 * k, sizeof A);
    assert_memory_equal(B, f->B + 4 * k, sizeof B);
    assert_memory_equal(z.x->q + 2 * k, f->x + 4 * k, 2 * sizeof *q);
    assert_memory_equal(z.x->p + 2 * k, f->x + 4 * k + 2, 2 * sizeof *q);
  }
  // on the trajectory the controller returns the trajectory's input, off it -K dx more
  double x[4], u;
  for (int k = 0; k < 20; k++) {
    memcpy(x, f->x + 4 * k, sizeof x);
    fb_tvlqr_input(f, k, x, &u);
    assert_true(u == z.x->u[k]);
    x[k % 4] += 0.5;
    fb_tvlqr_input(f, k, x, &u);
    assert_true(fabs(u - (z.x->u[k] - 0.5 * f->K[4 * k + k % 4])) <= 1e-12 * (1 + fabs(u)));
  }
  // terminal weights as given
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) assert_true(f->P[16 * 20 + 4 * i + j] == (i == j));
  dm_linearize_free(lin);
  dm_del_free(del);
  fb_tvlqr_free(f);
  strike(&z);
}

// With steps of unequal length, P is the cost of the closed loop: for one coordinate without gravity the map is linear.
static void with_unequal_steps_the_cost_to_go_is_the_loops(void **state) {
  (void)state;
  enum { N = 12 };
  static const double Q[] = {3, 0.7}, R[] = {0.4}, Qf[] = {5, 2};
  double grid[N + 1], x[2] = {0.3, -0.8}, cost = 0;
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0)};
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1.5, {0}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  scene z = at_rest(
      models_make(&(dm_tree){
          .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = u, .gravity = {0}}),
      (double[]){0}, N, 0.1);
  fb_tvlqr *f;
  dm_del *del;
  dm_del_info info;
  int failed;
  for (int k = 0; k <= N; k++) grid[k] = (double)k * k / N;
  dm_trajectory_set_grid(z.x, grid);
  assert_int_equal(
      fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = Q, .R = R, .Qf = Qf}, &failed, NULL), DM_OK);
  const double P = f->P[0] * x[0] * x[0] + 2 * f->P[1] * x[0] * x[1] + f->P[3] * x[1] * x[1];
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  for (int k = 0; k < N; k++) {
    double next[2] = {x[0], x[1]}, act;
    fb_tvlqr_input(f, k, x, &act);
    cost += (grid[k + 1] - grid[k]) * (Q[0] * x[0] * x[0] + Q[1] * x[1] * x[1] + R[0] * act * act);
    assert_int_equal(
        dm_del_step(del, x, x + 1, &act, dm_trajectory_step(z.x, k), next, next + 1, &info), DM_OK);
    memcpy(x, next, sizeof x);
  }
  cost += Qf[0] * x[0] * x[0] + Qf[1] * x[1] * x[1];
  assert_close(cost, P, 1e-10 * P);
  dm_del_free(del);
  fb_tvlqr_free(f);
  strike(&z);
}

// two carts side by side, with a force only on the first
static dm_model *two_carts(double damping) {
  dm_coordinate c[] = {models_coord("driven", true, 1, 0, 0), models_coord("free", true, 1, 0, 0)};
  c[1].damping = damping;
  dm_body b[] = {{"first", -1, dm_identity, 0, 1, 1, {0}, {0}},
                 {"second", -1, dm_identity, 1, 1, 1, {0}, {0}}};
  dm_input u[] = {models_input("driven", 0)};
  return models_make(&(dm_tree){.nbody = 2,
                                .ncoord = 2,
                                .ninput = 1,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
}

static void a_goal_without_steady_gains_is_named(void **state) {
  (void)state;
  double q[] = {0, 0};
  static const char *const name[] = {"driven", "free"};
  for (int damped = 0; damped < 2; damped++) {
    scene z = at_rest(two_carts(damped), q, 10, 0.02);
    fb_tvlqr *f = (fb_tvlqr *)&z;
    fb_weights weights = {.Q = ones, .R = ones, .name = name};
    dm_message msg = {""};
    int failed;
    assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_MAX_ITER);
    assert_null(f);
    assert_int_equal(failed, 10);
    assert_non_null(strstr(msg.text, damped ? "position" : "momentum"));
    assert_non_null(strstr(msg.text, "of 'free'"));
    assert_non_null(strstr(msg.text, "give Qf"));
    // numbered if there are no names
    weights.name = NULL;
    assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_MAX_ITER);
    assert_non_null(strstr(msg.text, "coordinate 1"));
    // with terminal weights, gains exist
    weights.Qf = ones;
    assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_OK);
    fb_tvlqr_free(f);
    strike(&z);
  }
}

static void a_goal_that_no_weight_sees_is_refused(void **state) {
  (void)state;
  double up[] = {3.141592653589793}, zero[] = {0, 0};
  scene z = at_rest(models_pendulum(), up, 10, 0.02);
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = zero, .R = ones}, &failed, &msg),
                   DM_MAX_ITER);
  assert_non_null(strstr(msg.text, "weight"));
  strike(&z);
}

// gains of a periodic motion: at an equilibrium they are the steady ones for any period; if an
// uncontrollable mode does not decay there are none
static void periodic_gains_at_rest_are_the_steady_ones(void **state) {
  (void)state;
  double up[] = {0, 3.141592653589793}, Q[] = {10, 100, 1, 2}, R[] = {0.5}, P[16], K[4];
  double QQ[16] = {10, 0, 0, 0, 0, 100, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2};
  scene z = at_rest(models_cart_pole(), up, 25, 0.02);
  fb_weights weights = {.Q = Q, .R = R, .periodic = true};
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  for (int delay = 0; delay < 2; delay++) {
    weights.delay = delay;
    assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_OK);
    assert_int_equal(fb_dare_solve(4, 1, f->A, f->B, QQ, R, NULL, P, K), DM_OK);
    for (int k = 0; k <= 25; k++)
      for (int i = 0; i < 16; i++) assert_close(f->P[16 * k + i], P[i], 1e-8 * fabs(P[0]));
    for (int k = 0; k < 25 && !delay; k++)
      for (int i = 0; i < 4; i++) assert_close(f->K[4 * k + i], K[i], 1e-8 * fabs(K[i]));
    for (int k = 1; k < 25 && delay; k++)
      for (int i = 0; i < 4; i++) assert_close(f->K[4 * k + i], f->K[i], 1e-8 * fabs(f->K[i]));
    fb_tvlqr_free(f);
  }
  weights.rest = 3;
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_BAD_INPUT);
  strike(&z);

  z = at_rest(two_carts(0), up, 10, 0.02);
  weights = (fb_weights){.Q = ones, .R = ones, .periodic = true};
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_MAX_ITER);
  assert_int_equal(failed, 10);
  assert_non_null(strstr(msg.text, "no periodic gains"));
  strike(&z);
}

static void failing_knots_are_named(void **state) {
  (void)state;
  double q[] = {0, 0}, R[] = {-100};
  scene z = at_rest(models_cart_pole(), q, 10, 0.02);
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  // a weight that makes R + B'PB indefinite at the last stage
  assert_int_equal(
      fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = ones, .R = R, .Qf = ones}, &failed, &msg),
      DM_NOT_DEFINITE);
  assert_int_equal(failed, 9);
  assert_non_null(strstr(msg.text, "knot 9"));
  assert_null(f);
  // a configuration that is not finite
  z.x->q[2 * 4] = NAN;
  assert_int_equal(
      fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = ones, .R = ones, .Qf = ones}, &failed, &msg),
      DM_NOT_FINITE);
  assert_int_equal(failed, 3);
  assert_non_null(strstr(msg.text, "knot 3"));
  strike(&z);
}

static void a_machine_without_inputs_has_no_gains(void **state) {
  (void)state;
  double q[] = {0, 0};
  scene z = at_rest(models_chain(2, 1, 2), q, 10, 0.02);
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  assert_int_equal(
      fb_tvlqr_new(&f, z.x, &z.s, &(fb_weights){.Q = ones, .R = ones, .Qf = ones}, &failed, &msg),
      DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "input"));

  // if requested, only the cost-to-go is computed
  const fb_weights idle = {.Q = ones, .R = ones, .Qf = ones, .idle = true};
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &idle, &failed, &msg), DM_OK);
  assert_true(f->nu == 0 && f->P[0] > 1);
  fb_tvlqr_free(f);
  strike(&z);
}

// for a motion that ends at an equilibrium and stays there: the gains of the motion are unchanged,
// followed by the steady gains
static void gains_hold_the_end(void **state) {
  (void)state;
  enum { N = 20, REST = 5 };
  static const double pi = 3.141592653589793, R[] = {0.5};
  scene z = at_rest(models_cart_pole(), ones, N, 0.02);
  dm_trajectory *rest, *both;
  for (int k = 0; k <= N; k++)
    z.x->q[2 * k] = 1 - cos(k * pi / N), z.x->q[2 * k + 1] = k == N ? pi : pi * sin(k * pi / 2 / N);
  assert_int_equal(dm_trajectory_momenta(z.x, &z.s), DM_OK);
  assert_int_equal(dm_trajectory_of(&rest, REST, &z.s), DM_OK);
  rest->h = 0.02;
  assert_int_equal(dm_trajectory_rest(rest, &z.s, z.x->q + 2 * N, (double[]){0}, NULL), DM_OK);
  assert_int_equal(dm_trajectory_join(&both, z.x, rest), DM_OK);
  assert_int_equal(both->N, N + REST);
  assert_true(both->h == 0.02);
  assert_memory_equal(both->q, z.x->q, sizeof(double[2 * N + 2]));
  assert_memory_equal(both->p, z.x->p, sizeof(double[2 * N]));
  for (int k = N; k <= N + REST; k++) {
    assert_memory_equal(both->q + 2 * k, rest->q, sizeof(double[2]));
    assert_memory_equal(both->p + 2 * k, rest->p, sizeof(double[2]));
    assert_memory_equal(both->v + 2 * k, rest->v, sizeof(double[2]));
  }
  for (int late = 0; late < 2; late++) {
    fb_tvlqr *moving, *f;
    int failed;
    fb_weights weights = {.Q = ones, .R = R, .delay = late};
    assert_int_equal(fb_tvlqr_new(&moving, z.x, &z.s, &weights, &failed, NULL), DM_OK);
    weights.rest = REST, weights.Qf = ones; // not used
    assert_int_equal(fb_tvlqr_new(&f, both, &z.s, &weights, &failed, NULL), DM_OK);
    assert_int_equal(failed, -1);
    assert_memory_equal(f->K, moving->K, sizeof(double[4 * N]));
    assert_memory_equal(f->P, moving->P, sizeof(double[16 * (N + 1)]));
    if (late) assert_memory_equal(f->W, moving->W, sizeof(double[N]));
    for (int k = N + 1; k < N + REST; k++)
      assert_memory_equal(f->K + 4 * k, f->K + 4 * N, sizeof(double[4]));
    double radius;
    const double *A = f->A + 16 * N, *B = f->B + 4 * N;
    assert_int_equal(fb_dare_radius(4, 1, A, B, f->K + 4 * N, late ? f->W + N : NULL, &radius),
                     DM_OK);
    assert_true(radius < 1);
    fb_tvlqr_free(moving), fb_tvlqr_free(f);
    weights.rest = N + REST + 1;
    assert_int_equal(fb_tvlqr_new(&f, both, &z.s, &weights, &failed, NULL), DM_BAD_INPUT);
  }
  dm_trajectory_free(rest), dm_trajectory_free(both);
  strike(&z);
}

// the same cart-pole and the same weights in units of mass, length and time
typedef struct in_units {
  dm_model *m;
  double unit[5]; // of x, pole and their momenta; of the force
  double h, Q[4], R[1];
} in_units;

static in_units cart_pole_in(double mass, double length, double time, bool pushed) {
  const double p = mass * length / time, force = p / time;
  in_units w = {
      .unit = {length, 1, p, p * length, force}, .h = 0.02 * time, .R = {0.5 / (force * force)}};
  for (int i = 0; i < 4; i++) w.Q[i] = (i + 1) / (w.unit[i] * w.unit[i]);
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0), models_coord("pole", false, 0, 1, 0)};
  dm_body b[] = {
      {"cart", -1, dm_identity, 0, 1, mass, {0}, {0}},
      {"pole", pushed ? 0 : -1, dm_identity, 1, 1, 0.3 * mass, {0, 0, -0.5 * length}, {0}}};
  dm_input u[] = {models_input("slider", 0)};
  w.m = models_make(&(dm_tree){.nbody = 2,
                               .ncoord = 2,
                               .ninput = 1,
                               .body = b,
                               .coord = c,
                               .input = u,
                               .gravity = {0, 0, -9.81 * length / (time * time)}});
  return w;
}

static const double unit_systems[][3] = {{1, 1, 1},         {1e-9, 1e-4, 0.1},
                                         {1e9, 1e3, 100},   {1e-9, 1e3, 1},
                                         {1e9, 1e-4, 1e-3}, {0x1p-20, 0x1p7, 0x1p-3}};

// equilibrium gains computed in these units, converted to SI, and the message for a pole next to
// the cart that no input controls
static void find_gains_in_units(const double *of, bool periodic, double *K, dm_message *said) {
  enum { N = 25 };
  const double up[] = {0, 3.141592653589793};
  in_units w = cart_pole_in(of[0], of[1], of[2], true);
  scene z = at_rest(w.m, up, N, w.h);
  fb_weights weights = {.Q = w.Q, .R = w.R, .periodic = periodic};
  fb_tvlqr *f;
  dm_message msg = {""};
  int failed;
  if (fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  for (int i = 0; i < 4 * N; i++) K[i] = f->K[i] * w.unit[i % 4] / w.unit[4];
  fb_tvlqr_free(f);
  strike(&z);

  w = cart_pole_in(of[0], of[1], of[2], false);
  z = at_rest(w.m, up, N, w.h);
  weights = (fb_weights){.Q = w.Q, .R = w.R};
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, said), DM_MAX_ITER);
  assert_int_equal(failed, N);
  strike(&z);
}

// other units give the same gains and messages; bitwise equal if the units are powers of two
static void gains_do_not_depend_on_units(void **state) {
  (void)state;
  enum { SYSTEMS = COUNT(unit_systems) };
  for (int periodic = 0; periodic < 2; periodic++) {
    double si[100], K[100], largest = 0;
    dm_message si_said = {""}, said = {""};
    find_gains_in_units(unit_systems[0], periodic, si, &si_said);
    assert_non_null(strstr(si_said.text, "is not controllable"));
    for (int i = 0; i < 100; i++) largest = fmax(largest, fabs(si[i]));
    for (int s = 1; s < SYSTEMS; s++) {
      find_gains_in_units(unit_systems[s], periodic, K, &said);
      for (int i = 0; i < 100; i++) assert_close(K[i], si[i], 1e-10 * largest);
      assert_string_equal(said.text, si_said.text);
    }
    assert_memory_equal(K, si, sizeof K);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_at_rest_are_constant),
      cmocka_unit_test(gains_hold_the_end),
      cmocka_unit_test(gains_do_not_depend_on_units),
      cmocka_unit_test(stages_are_the_steps_derivatives),
      cmocka_unit_test(a_goal_without_steady_gains_is_named),
      cmocka_unit_test(with_unequal_steps_the_cost_to_go_is_the_loops),
      cmocka_unit_test(a_goal_that_no_weight_sees_is_refused),
      cmocka_unit_test(periodic_gains_at_rest_are_the_steady_ones),
      cmocka_unit_test(failing_knots_are_named),
      cmocka_unit_test(a_machine_without_inputs_has_no_gains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

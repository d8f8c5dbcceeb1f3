// Outputs of inputs, and formulas of them: derivatives of a step by the order of their differences, what may move and meet
// what, and that the power of held forces adds up to their work.
#include "lib/mechanics/driven_output.h"

#include "tests/support/models.h"

enum { N = 3, INPUTS = 2, SIGNALS = 2, ROWS = 5, AT_H = 2 * N + INPUTS, NZ = AT_H + 5 };

// s = (sin q0 + q0 q1, q1 q2^2)
static dm_status eval_signals(const void *self, void *scratch, const double *q, double *s,
                              double *s_q) {
  (void)self;
  (void)scratch;
  s[0] = sin(q[0]) + q[0] * q[1];
  s[1] = q[1] * q[2] * q[2];
  const double slope[] = {cos(q[0]) + q[1], q[0], 0, 0, q[2] * q[2], 2 * q[1] * q[2]};
  if (s_q) memcpy(s_q, slope, sizeof slope);
  return DM_OK;
}

static dm_status contract_signals(const void *self, void *scratch, const double *q,
                                  const double *lambda, double *H) {
  (void)self;
  (void)scratch;
  H[0] -= lambda[0] * sin(q[0]);
  H[1] += lambda[0];
  H[N] += lambda[0];
  H[N + 2] += lambda[1] * 2 * q[2];
  H[2 * N + 1] += lambda[1] * 2 * q[2];
  H[2 * N + 2] += lambda[1] * 2 * q[1];
  return DM_OK;
}

static const unsigned char mask[] = {1, 1, 0, 0, 1, 1};
static const int first[] = {0, 1, 2, 4, 6, 17};
static const dm_output_term terms[] = {
    {.kind = DM_TERM_VALUE, .signal = {0}, .weight = 1},
    {.kind = DM_TERM_POWER, .signal = {0}, .weight = 2, .input = 1},
    {.kind = DM_TERM_POWER, .signal = {0}, .weight = -1, .input = 0},
    {.kind = DM_TERM_POWER, .signal = {1}, .weight = 0.5, .input = 1},
    {.kind = DM_TERM_INPUT, .weight = 3, .input = 0},
    {.kind = DM_TERM_INPUT, .weight = -4, .input = 1},
    {.kind = DM_TERM_VALUE, .signal = {0}, .weight = 1, .slot = 0},
    {.kind = DM_TERM_RATE, .signal = {1}, .weight = 0.7, .slot = 1},
    {.kind = DM_TERM_SPEED, .signal = {0, 1, 0}, .weight = 0.3, .slot = 1},
    {.kind = DM_TERM_SWEEP, .signal = {0, 1}, .weight = -0.4, .slot = 0},
    {.kind = DM_TERM_INPUT, .weight = 2, .input = 0, .slot = 2},
    {.kind = DM_TERM_POWER, .signal = {1}, .weight = 0.6, .input = 1, .slot = 2},
    {.kind = DM_TERM_TIME, .weight = 0.5, .input = 0, .slot = 0},
    {.kind = DM_TERM_TIME, .weight = -0.8, .input = 1, .slot = 2},
    {.kind = DM_TERM_TIME, .weight = 0.3, .input = 2, .slot = 0},
    {.kind = DM_TERM_LAMBDA, .weight = 0.9, .input = 1, .slot = 1},
    {.kind = DM_TERM_MOMENTUM, .weight = -0.6, .input = 1, .slot = 2},
};
static const char *const names[] = {"place", "one", "both", "force", "mixed"};

// x0 x1 - x2^2 x0
static dm_tape_operation operations[] = {
    {.kind = DM_TAPE_VARIABLE, .at = 0},
    {.kind = DM_TAPE_VARIABLE, .at = 1},
    {.kind = DM_TAPE_VARIABLE, .at = 2},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 0, .b = 1},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 2, .b = 2},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 4, .b = 0},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_SUBTRACT, .a = 3, .b = 5}};
static dm_tape tape;
static const dm_tape *const formulas[] = {NULL, NULL, NULL, NULL, &tape};

typedef struct driven_bench {
  dm_model *chain; // of momenta
  dm_output_map y;
  void *scratch;
  double lambda[ROWS];
} driven_bench;

static driven_bench open_bench(void) {
  tape = dm_tape_of(3, COUNT(operations), operations);
  const dm_holonomic s = {
      .nc = SIGNALS, .eval = eval_signals, .contract = contract_signals, .mask = mask};
  driven_bench b = {.y = dm_output_map_new(s, N, ROWS, first, terms, names),
                    .lambda = {0, 0.7, -0.4, 1.1, -0.8}};
  b.chain = models_chain(N, 0.4, 0);
  const dm_lagrangian L = dm_system_of(b.chain).L;
  dm_output_map_compose(&b.y, formulas);
  dm_output_map_weigh(&b.y, &L);
  b.scratch = aligned_alloc(64, dm_driven_outputs_scratch(&b.y, INPUTS) + b.y.scratch);
  return b;
}

static dm_step step_of(const double *z) {
  return (dm_step){.q0 = z,
                   .q1 = z + N,
                   .u = z + 2 * N,
                   .h = z[AT_H],
                   .time = {z[AT_H + 1], z[AT_H + 2]},
                   .lambda = z + AT_H + 3};
}

static void driven_values(void *self, const double *z, double *y) {
  driven_bench *b = self;
  const dm_step x = step_of(z);
  y[0] = 0;
  assert_int_equal(dm_driven_outputs_eval(&b->y, INPUTS, b->scratch, &x, y, NULL), DM_OK);
}

// y_z' lambda
static void driven_slope(void *self, const double *z, double *out) {
  driven_bench *b = self;
  const dm_step x = step_of(z);
  double y[ROWS], y_z[ROWS * NZ] = {0};
  assert_int_equal(dm_driven_outputs_eval(&b->y, INPUTS, b->scratch, &x, y, y_z), DM_OK);
  for (int a = 0; a < NZ; a++) {
    out[a] = 0;
    for (int i = 0; i < ROWS; i++) out[a] += b->lambda[i] * y_z[i * NZ + a];
  }
}

static void draw_step(double *z, double *d) {
  uint64_t r = 11;
  for (int a = 0; a < NZ; a++) z[a] = models_random(&r);
  for (int a = 0; a < NZ; a++) d[a] = models_random(&r);
  z[AT_H] = 0.6;
}

static void derivatives_are_exact(void **state) {
  (void)state;
  driven_bench b = open_bench();
  double z[NZ], d[NZ], y[ROWS] = {0}, y_z[ROWS * NZ] = {0}, H[NZ * NZ] = {0}, out[NZ] = {0};
  draw_step(z, d);
  const dm_step x = step_of(z);
  assert_int_equal(dm_driven_outputs_eval(&b.y, INPUTS, b.scratch, &x, y, y_z), DM_OK);
  for (int i = 0; i < ROWS; i++)
    for (int a = 0; a < NZ; a++) out[i] += y_z[i * NZ + a] * d[a];
  models_check_derivative(driven_values, &b, NZ, ROWS, z, d, out, 1e-3, "y_z");

  // the Hessian, symmetric
  assert_int_equal(dm_driven_outputs_contract(&b.y, INPUTS, b.scratch, &x, b.lambda, H), DM_OK);
  for (int a = 0; a < NZ; a++) {
    out[a] = 0;
    for (int c = 0; c < NZ; c++) {
      out[a] += H[a * NZ + c] * d[c];
      assert_close(H[a * NZ + c], H[c * NZ + a], 1e-15);
    }
  }
  models_check_derivative(driven_slope, &b, NZ, NZ, z, d, out, 1e-3, "y_zz");
  free(b.scratch);
  dm_model_free(b.chain);
}

// entries declared not to move or to couple are exactly zero, and the others are not
static void patterns_are_tight(void **state) {
  (void)state;
  driven_bench b = open_bench();
  double z[NZ], d[NZ], y[ROWS], y_z[ROWS * NZ] = {0};
  draw_step(z, d);
  const dm_step x = step_of(z);
  const dm_driven_outputs driven = {&b.y, INPUTS};
  const dm_function y_of = dm_driven_outputs_function(&driven);
  assert_int_equal(dm_driven_outputs_eval(&b.y, INPUTS, b.scratch, &x, y, y_z), DM_OK);
  for (int i = 1; i < ROWS; i++) {
    double lambda[ROWS] = {0}, H[NZ * NZ] = {0};
    lambda[i] = 1;
    assert_int_equal(dm_driven_outputs_contract(&b.y, INPUTS, b.scratch, &x, lambda, H), DM_OK);
    for (int a = 0; a < NZ; a++) {
      assert_int_equal(y_of.moves(y_of.self, i, a), y_z[i * NZ + a] != 0);
      for (int c = 0; c < NZ; c++)
        if (!y_of.couples(y_of.self, i, a, c)) assert_true(H[a * NZ + c] == 0);
    }
  }
  free(b.scratch);
  dm_model_free(b.chain);
}

// of a state they are nothing: the map leaves them out, and says so
static void states_have_none(void **state) {
  (void)state;
  driven_bench b = open_bench();
  const double q[] = {0.3, -0.2, 0.9}, v[] = {1, 2, -1};
  double y[ROWS], y_q[ROWS * N], y_v[ROWS * N];
  assert_int_equal(dm_output_map_eval(&b.y, b.scratch, q, v, y, y_q, y_v), DM_OK);
  assert_close(y[0], sin(q[0]) + q[0] * q[1], 1e-16);
  for (int i = 0; i < ROWS; i++) {
    assert_int_equal(dm_output_map_is_driven(&b.y, i), i > 0);
    assert_int_equal(isnan(y[i]), i > 0);
    assert_false(dm_output_map_is_rated(&b.y, i));
  }
  free(b.scratch);
  dm_model_free(b.chain);
}

// The sum of h y is the work u (s(q_N) - s(q_0)) of forces that stay, in steps of any lengths; and a
// step comes to the power of a moment as its square.
static void power_adds_up_to_work(void **state) {
  (void)state;
  enum { STEPS = 5 };
  driven_bench b = open_bench();
  const double u[] = {1.5, -0.7};
  double q[(STEPS + 1) * N], work = 0, s[SIGNALS], s0[SIGNALS], y[ROWS];
  uint64_t r = 3;
  for (int i = 0; i < (STEPS + 1) * N; i++) q[i] = models_random(&r);
  for (int k = 0; k < STEPS; k++) {
    const dm_step x = {
        .q0 = q + k * N, .q1 = q + (k + 1) * N, .u = u, .h = 0.1 + 0.05 * k, .lambda = u};
    assert_int_equal(dm_driven_outputs_eval(&b.y, INPUTS, b.scratch, &x, y, NULL), DM_OK);
    work += x.h * y[2];
  }
  eval_signals(NULL, NULL, q, s0, NULL);
  eval_signals(NULL, NULL, q + STEPS * N, s, NULL);
  assert_close(work, -u[0] * (s[0] - s0[0]) + 0.5 * u[1] * (s[1] - s0[1]), 1e-14);

  // symmetric steps about q with v
  const double v[] = {0.4, -1, 0.6};
  double now[ROWS], off[2], mixed[2];
  for (int half = 0; half < 2; half++) {
    const double h = half ? 0.01 : 0.02;
    const dm_step at = {.q0 = q, .q1 = v, .u = u, .h = h, .lambda = u};
    assert_int_equal(dm_driven_outputs_now(&b.y, INPUTS, b.scratch, &at, now), DM_OK);
    double q0[N], q1[N];
    for (int i = 0; i < N; i++) {
      q0[i] = q[i] - h / 2 * v[i];
      q1[i] = q[i] + h / 2 * v[i];
    }
    const dm_step x = {.q0 = q0, .q1 = q1, .u = u, .h = h, .lambda = u};
    assert_int_equal(dm_driven_outputs_eval(&b.y, INPUTS, b.scratch, &x, y, NULL), DM_OK);
    off[half] = y[2] - now[2];
    mixed[half] = y[4] - now[4];
    assert_close(y[3], now[3], 0);
  }
  assert_close(off[0] / off[1], 4, 0.01);
  assert_close(mixed[0] / mixed[1], 4, 0.01);
  free(b.scratch);
  dm_model_free(b.chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(patterns_are_tight),
      cmocka_unit_test(states_have_none),
      cmocka_unit_test(power_adds_up_to_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

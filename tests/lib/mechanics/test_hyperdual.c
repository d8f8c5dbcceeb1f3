// tests/lib/mechanics/test_hyperdual.c: a spring pendulum by hyper-dual numbers and by differences against its closed form, functions
// of hyper-dual numbers by identities.
#include "lib/mechanics/differenced.h"
#include "lib/mechanics/hyperdual.h"
#include "tests/support/cmocka.h"

#include <stdlib.h>

// m/2 (r'^2 + r^2 w^2) + m g r cos(angle) - k/2 (r - l)^2 of q = (r, angle)
static const double M = 0.7, G = 9.81, K = 30, REST = 1.2;
enum { N = 2, ENTRIES = 3 * N * N };

static dm_hyperdual spring_pendulum(const void *self, const dm_hyperdual *q,
                                    const dm_hyperdual *v) {
  (void)self;
  const dm_hyperdual around = dm_hyperdual_multiply(q[0], v[1]);
  const dm_hyperdual stretch = dm_hyperdual_subtract(q[0], dm_hyperdual_number(REST));
  dm_hyperdual L =
      dm_hyperdual_add(dm_hyperdual_multiply(v[0], v[0]), dm_hyperdual_multiply(around, around));
  L = dm_hyperdual_add(
      dm_hyperdual_scale(M / 2, L),
      dm_hyperdual_scale(M * G, dm_hyperdual_multiply(q[0], dm_hyperdual_cos(q[1]))));
  return dm_hyperdual_subtract(L,
                               dm_hyperdual_scale(K / 2, dm_hyperdual_multiply(stretch, stretch)));
}

static const dm_hyperdual_lagrangian own = {.nq = N, .L = spring_pendulum};
static const double q[N] = {1.4, 0.6}, v[N] = {-0.5, 1.7}, a_q[N] = {0.3, -0.8},
                    a_v[N] = {1.1, 0.4};

// blocks qq, qv, vv of the Hessian, and of its derivative along a
static void find_closed_form(double H[ENTRIES], double T[ENTRIES]) {
  const double r = q[0], c = cos(q[1]), s = sin(q[1]), w = v[1];
  const double h[ENTRIES] = {
      M * w * w - K, -M * G * s, -M * G * s, -M * G * r * c, 0, 2 * M * r * w, 0, 0, M, 0, 0,
      M * r * r};
  const double t[ENTRIES] = {2 * M * w * a_v[1],
                             -M * G * c * a_q[1],
                             -M * G * c * a_q[1],
                             -M * G * (c * a_q[0] - r * s * a_q[1]),
                             0,
                             2 * M * (a_q[0] * w + r * a_v[1]),
                             0,
                             0,
                             0,
                             0,
                             0,
                             2 * M * r * a_q[0]};
  for (int i = 0; i < ENTRIES; i++) H[i] = h[i], T[i] = t[i];
}

static void expect_close(const double *x, const double *expected, double tolerance) {
  for (int i = 0; i < ENTRIES; i++)
    if (!(fabs(x[i] - expected[i]) < tolerance))
      fail_msg("entry %d: %.17g, expected %.17g", i, x[i], expected[i]);
}

static void derivatives_are_those_of_the_closed_form(void **state) {
  (void)state;
  const dm_lagrangian L = dm_hyperdual_lagrangian_functions(&own);
  double H[ENTRIES], T[ENTRIES], x[ENTRIES], slope[2 * N];
  dm_jet out = {.L_q = slope, .L_v = slope + N, .L_qq = x, .L_qv = x + 4, .L_vv = x + 8};
  void *scratch = aligned_alloc(64, L.scratch);
  find_closed_form(H, T);
  assert_int_equal(L.eval(L.self, scratch, 2, q, v, &out), DM_OK);
  expect_close(x, H, 1e-14 * K);
  const double r = q[0], w = v[1];
  assert_true(fabs(slope[0] - (M * r * w * w + M * G * cos(q[1]) - K * (r - REST))) < 1e-14 * K);
  assert_true(fabs(slope[1] + M * G * r * sin(q[1])) < 1e-14 * K);
  assert_true(fabs(slope[2] - M * v[0]) < 1e-14 && fabs(slope[3] - M * r * r * w) < 1e-14 * K);
  assert_int_equal(L.eval(L.self, scratch, 1, q, v, &out), DM_OK); // the gradient alone
  assert_true(fabs(slope[1] + M * G * r * sin(q[1])) < 1e-14 * K);
  assert_int_equal(L.contract(L.self, scratch, q, v, a_q, a_v, &out), DM_OK);
  expect_close(x, T, 1e-14 * K);
  free(scratch);
}

// the error is the one that is stated, and of order 4
static void differences_state_their_error(void **state) {
  (void)state;
  dm_differenced whole = {.L = dm_hyperdual_lagrangian_functions(&own)};
  whole.L.contract = NULL;
  assert_false(dm_lagrangian_is_differenced(&whole.L));
  const dm_lagrangian L = dm_differenced_lagrangian(&whole);
  assert_true(dm_lagrangian_is_differenced(&L));
  double H[ENTRIES], T[ENTRIES], x[ENTRIES], error, order;
  dm_jet out = {.L_qq = x, .L_qv = x + 4, .L_vv = x + 8};
  void *scratch = aligned_alloc(64, (L.scratch + 6 * N * N * sizeof(double) + 63) & ~(size_t)63);
  find_closed_form(H, T);
  assert_int_equal(L.contract(L.self, scratch, q, v, a_q, a_v, &out), DM_OK);
  expect_close(x, T, 1e-10);
  assert_int_equal(dm_differenced_error(&L, scratch, q, v, a_q, a_v, &error, &order), DM_OK);
  assert_true(error > 0 && error < 1e-11);
  assert_true(order > 3.9 && order < 4.1);

  // along nothing there is no change
  const double none[N] = {0};
  assert_int_equal(L.contract(L.self, scratch, q, v, none, none, &out), DM_OK);
  for (int i = 0; i < ENTRIES; i++) assert_true(x[i] == 0);
  free(scratch);
}

static void functions_satisfy_identities(void **state) {
  (void)state;
  const dm_hyperdual x = {{1.3, 0.7, -0.4, 0.9, 1.1, -0.6, 0.2, 0.5}};
  const dm_hyperdual y = {{-0.8, 0.3, 0.6, -1.2, 0.4, 0.1, 0.9, -0.7}};
  const dm_hyperdual cube = dm_hyperdual_multiply(x, dm_hyperdual_multiply(x, x)),
                     root = dm_hyperdual_sqrt(x);
  const dm_hyperdual s = dm_hyperdual_sin(y), c = dm_hyperdual_cos(y);
  const dm_hyperdual pairs[][2] = {
      {dm_hyperdual_exp(dm_hyperdual_log(x)), x},
      {dm_hyperdual_multiply(root, root), x},
      {dm_hyperdual_power(x, 3), cube},
      {dm_hyperdual_power(x, 0.5), root},
      {dm_hyperdual_multiply(dm_hyperdual_divide(x, y), y), x},
      {dm_hyperdual_add(dm_hyperdual_multiply(s, s), dm_hyperdual_multiply(c, c)),
       dm_hyperdual_number(1)},
      {dm_hyperdual_exp(dm_hyperdual_add(x, y)),
       dm_hyperdual_multiply(dm_hyperdual_exp(x), dm_hyperdual_exp(y))}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int k = 0; k < 8; k++)
      if (!(fabs(pairs[i][0].x[k] - pairs[i][1].x[k]) < 1e-13))
        fail_msg("identity %d, part %d: %.17g, expected %.17g", (int)i, k, pairs[i][0].x[k],
                 pairs[i][1].x[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_closed_form),
      cmocka_unit_test(differences_state_their_error),
      cmocka_unit_test(functions_satisfy_identities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

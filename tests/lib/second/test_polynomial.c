// Polynomials as Lagrangians: derivatives by the order of the error, and laws of their flow.
#include "lib/second/flow.h"
#include "lib/second/polynomial.h"
#include "tests/support/second.h"

// 0.5 x''^2 + 2 x x' y''^2 - 3 x^3 y + 0.25 y''^2 + 7 of x and y: x = (x, y, x', y', x'', y'')
static dm_power bend[] = {{4, 2}}, mixed[] = {{0, 1}, {2, 1}, {5, 2}}, place[] = {{0, 3}, {1, 1}},
                other[] = {{5, 2}};
static dm_monomial terms[] = {
    {0.5, 1, bend}, {2, 3, mixed}, {-3, 2, place}, {0.25, 1, other}, {7, 0, NULL}};
static dm_polynomial everything = {.n = 2, .k = 2, .count = 5, .term = terms};

static void value_of(void *self, const double *x, double *out) {
  dm_second_order_lagrangian C = dm_polynomial_lagrangian(self);
  assert_int_equal(C.eval(&C, 0, x, out, NULL, NULL), DM_OK);
}
static void gradient_of(void *self, const double *x, double *out) {
  dm_second_order_lagrangian C = dm_polynomial_lagrangian(self);
  double value;
  assert_int_equal(C.eval(&C, 1, x, &value, out, NULL), DM_OK);
}

static void a_value_is_the_sum_of_its_terms(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5, 6};
  double value;
  value_of(&everything, x, &value);
  assert_close(value, 0.5 * 25 + 2 * 1 * 3 * 36 - 3 * 2 + 0.25 * 36 + 7, 0);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  const double x[] = {0.3, -1.2, 0.7, 1.1, -0.4, 0.9}, d[] = {0.5, 0.2, -1, 0.3, 0.8, -0.6};
  double value, C_x[6], C_xx[36], g = 0, Hd[6] = {0};
  dm_second_order_lagrangian C = dm_polynomial_lagrangian(&everything);
  assert_int_equal(C.eval(&C, 2, x, &value, C_x, C_xx), DM_OK);
  for (int i = 0; i < 6; i++) {
    g += C_x[i] * d[i];
    for (int j = 0; j < 6; j++) {
      Hd[i] += C_xx[i * 6 + j] * d[j];
      assert_close(C_xx[i * 6 + j], C_xx[j * 6 + i], 0);
    }
  }
  models_check_derivative(value_of, &everything, 6, 1, x, d, &g, 1e-3, "gradient");
  models_check_derivative(gradient_of, &everything, 6, 6, x, d, Hd, 1e-3, "Hessian");
}

// |q^(k)|^2/2 as a polynomial is the spline
static void a_square_is_the_spline(void **state) {
  (void)state;
  for (int k = 1; k <= DM_SECOND_MAX_ORDER; k++) {
    dm_power square = {k, 2};
    dm_monomial one = {0.5, 1, &square};
    dm_polynomial p = {.n = 1, .k = k, .count = 1, .term = &one};
    dm_second_order_lagrangian C = dm_polynomial_lagrangian(&p), S = dm_second_order_spline(1, k);
    dm_second_order *a = second_of(&C, "hermite-gauss"), *b = second_of(&S, "hermite-gauss");
    const double X[] = {0.3, 1, -2, 0.8, 0.1, 0.4};
    assert_int_equal(dm_second_order_eval(a, 2, X, X + k, 0.6), DM_OK);
    assert_int_equal(dm_second_order_eval(b, 2, X, X + k, 0.6), DM_OK);
    assert_close(a->Ld, b->Ld, 0);
    for (int i = 0; i < k; i++) assert_close(a->D1[i], b->D1[i], 0);
    for (int i = 0; i < k * k; i++) assert_close(a->D01[i], b->D01[i], 0);
    dm_second_order_free(a);
    dm_second_order_free(b);
  }
}

// |q''|^2/2 - |q'|^2/2 + |q|^4/4 of x and y, which is invariant under rotation
static dm_power r0[] = {{0, 4}}, r1[] = {{1, 4}}, r2[] = {{0, 2}, {1, 2}}, v0[] = {{2, 2}},
                v1[] = {{3, 2}}, a0[] = {{4, 2}}, a1[] = {{5, 2}};
static dm_monomial round_terms[] = {{0.25, 1, r0}, {0.25, 1, r1}, {0.5, 2, r2}, {-0.5, 1, v0},
                                    {-0.5, 1, v1}, {0.5, 1, a0},  {0.5, 1, a1}};
static dm_polynomial around = {.n = 2, .k = 2, .count = 7, .term = round_terms};

typedef struct moments {
  double first, off; // the moment of the first step, how far others are off
} moments;

// x p_y - y p_x of q and of q', by the momenta at the end of the step
static dm_status measure_moment(void *user, const dm_flow *w, bool end) {
  moments *by = user;
  const double *X = w->X1, *P = w->P;
  double moment = X[0] * P[1] - X[1] * P[0] + X[2] * P[3] - X[3] * P[2];
  if (w->k == 0 && !end) by->first = moment;
  by->off = fmax(by->off, fabs(moment - by->first));
  return DM_OK;
}

// a second in five steps
static moments run_around(const char *rule) {
  dm_second_order_lagrangian C = dm_polynomial_lagrangian(&around);
  dm_second_order *L = second_of(&C, rule);
  moments by = {0};
  const double h = 0.2;
  dm_flow_settings set = {.steps = 5, .h = h, .knot = measure_moment, .user = &by};
  dm_flow *w;
  assert_int_equal(dm_flow_new(&w, L, &set), DM_OK);
  const double q[] = {0.5, -0.3}, v[] = {0.2, 0.6}, a[] = {0.1, -0.4}, jerk[] = {-0.2, 0.3};
  dm_flow_taylor(2, 2, h, q, v, a, jerk, w->X0, w->X1);
  assert_int_equal(dm_flow_run(w, NULL), DM_OK);
  dm_flow_free(w);
  dm_second_order_free(L);
  return by;
}

static void what_turns_keeps_its_moment(void **state) {
  (void)state;
  const char *const rules[] = {"taylor", "taylor-ends", "hermite-gauss", "hermite-lobatto"};
  for (int i = 0; i < 4; i++) {
    moments by = run_around(rules[i]);
    assert_true(fabs(by.first) > 0.01);
    assert_true(by.off < 1e-11);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_is_the_sum_of_its_terms),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_square_is_the_spline),
      cmocka_unit_test(what_turns_keeps_its_moment),
  };
  return cmocka_run_group_tests_name("polynomial", tests, NULL, NULL);
}

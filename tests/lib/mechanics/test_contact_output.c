// Outputs of contacts: derivatives by the order of their differences, which variables move them and meet, and that
// they are nothing of a state or of a step.
#include "lib/mechanics/contact_output.h"
#include "lib/mechanics/driven_output.h"

#include "tests/support/models.h"

// the last row is a rate; without it z is (F+, F-, t)
enum { NR = 3, ROWS = 5, NZ = 4 * NR + 3 };

static const int first[] = {0, 1, 2, 4, 6, 8};
static const dm_output_term terms[] = {
    {.kind = DM_TERM_INPUT, .weight = 1},
    {.kind = DM_TERM_CONTACT_FORCE, .weight = 2, .input = 1},
    {.kind = DM_TERM_CONTACT_FORCE, .weight = -1, .input = 0},
    {.kind = DM_TERM_CONTACT_FORCE, .weight = 0.5, .input = 2},
    {.kind = DM_TERM_CONTACT_IMPULSE, .weight = 3, .input = 0},
    {.kind = DM_TERM_CONTACT_IMPULSE, .weight = -4, .input = 1},
    {.kind = DM_TERM_CONTACT_RATE, .weight = 1.5, .input = 2},
    {.kind = DM_TERM_CONTACT_RATE, .weight = -0.5, .input = 0},
};
static const char *const names[] = {"input", "one", "both", "impulse", "rate"};
static const double lambda[] = {0, 0.7, -0.4, 1.1, 0.3};

static dm_status eval_nothing(const void *self, void *scratch, const double *q, double *s,
                              double *s_q) {
  (void)self;
  (void)scratch;
  (void)q;
  (void)s;
  (void)s_q;
  return DM_OK;
}

static dm_output_map make_map(int rows) {
  return dm_output_map_new((dm_holonomic){.eval = eval_nothing}, 1, rows, first, terms, names);
}

static void find_values(void *self, const double *z, double *y) {
  const dm_function *f = self;
  y[0] = 0;
  assert_int_equal(f->eval(f->self, NULL, z, y, NULL), DM_OK);
}

static void find_slope(void *self, const double *z, double *out) {
  const dm_function *f = self;
  double y[ROWS], y_z[ROWS * NZ] = {0};
  assert_int_equal(f->eval(f->self, NULL, z, y, y_z), DM_OK);
  for (int a = 0; a < NZ; a++) {
    out[a] = 0;
    for (int i = 0; i < ROWS; i++) out[a] += lambda[i] * y_z[i * NZ + a];
  }
}

static void derivatives_and_patterns_are_exact(void **state) {
  (void)state;
  const dm_output_map y_of = make_map(ROWS);
  const dm_contact_outputs contact = dm_contact_outputs_of(&y_of, NR);
  assert_int_equal(dm_contact_outputs_entries(&contact), NZ);
  dm_function f = dm_contact_outputs_function(&contact);
  double z[NZ], d[NZ], y[ROWS] = {0}, y_z[ROWS * NZ] = {0}, H[NZ * NZ] = {0}, out[NZ] = {0};
  uint64_t r = 11;
  for (int a = 0; a < NZ; a++) z[a] = models_random(&r);
  for (int a = 0; a < NZ; a++) d[a] = models_random(&r);
  z[NZ - 3] = 0.4;
  z[NZ - 2] = 0.7;
  z[NZ - 1] = 0.6;
  assert_int_equal(f.eval(f.self, NULL, z, y, y_z), DM_OK);
  for (int i = 0; i < ROWS; i++)
    for (int a = 0; a < NZ; a++) {
      out[i] += y_z[i * NZ + a] * d[a];
      assert_int_equal(f.moves(f.self, i, a), y_z[i * NZ + a] != 0);
    }
  models_check_derivative(find_values, &f, NZ, ROWS, z, d, out, 1e-3, "y_z");

  // the Hessian, symmetric, zero where nothing meets
  assert_int_equal(f.contract(f.self, NULL, z, lambda, H), DM_OK);
  for (int a = 0; a < NZ; a++) {
    out[a] = 0;
    for (int c = 0; c < NZ; c++) {
      bool meet = false;
      for (int i = 0; i < ROWS; i++) meet |= f.couples(f.self, i, a, c);
      out[a] += H[a * NZ + c] * d[c];
      assert_true(H[a * NZ + c] == H[c * NZ + a]);
      assert_int_equal(meet, H[a * NZ + c] != 0);
    }
  }
  models_check_derivative(find_slope, &f, NZ, NZ, z, d, out, 1e-3, "y_zz");
}

static void values_are_those_of_impulses(void **state) {
  (void)state;
  const dm_output_map y_of = make_map(ROWS);
  const double F[] = {0.3, -2, 7, 1.3, 2, 4};
  double y[] = {5, 0, 0, 0, 0};
  dm_contact_knot at = dm_contact_knot_of(F, NR, 0, 1, 1);
  dm_contact_outputs_now(&y_of, &at, y);
  assert_true(y[0] == 5);
  assert_close(y[1], 2 * -2 / 0.5, 1e-15);
  assert_close(y[2], (-0.3 + 3.5) / 0.5, 1e-15);
  assert_close(y[3], 0.9 + 8, 1e-15);
  assert_close(y[4], (1.5 * (4 - 7) - 0.5 * (1.3 - 0.3)) / 0.5, 1e-15);

  // nothing follows the last knot
  at = dm_contact_knot_of(F, NR, 1, 1, 1);
  dm_contact_outputs_now(&y_of, &at, y);
  assert_true(isnan(y[4]) && y[3] == 3 * 1.3 - 4 * 2);
}

// of a state and of a step they are nothing
static void states_and_steps_have_none(void **state) {
  (void)state;
  const dm_output_map y_of = make_map(ROWS);
  const double q[] = {0.3}, u[] = {4};
  double y[ROWS], scratch[256];
  assert_true(y_of.scratch <= sizeof scratch &&
              dm_driven_outputs_scratch(&y_of, 0) <= sizeof scratch);
  assert_int_equal(dm_output_map_eval(&y_of, scratch, q, q, y, NULL, NULL), DM_OK);
  for (int i = 0; i < ROWS; i++) {
    assert_true(isnan(y[i]) && dm_output_map_is_driven(&y_of, i));
    assert_int_equal(dm_output_map_is_contact(&y_of, i), i > 0);
    assert_int_equal(dm_output_map_is_contact_rate(&y_of, i), i == ROWS - 1);
    assert_false(dm_driven_outputs_varies(&y_of, i));
  }
  const dm_step step = {.q0 = q, .q1 = q, .u = u, .h = 0.1};
  assert_int_equal(dm_driven_outputs_eval(&y_of, 1, scratch, &step, y, NULL), DM_OK);
  assert_true(y[0] == 4);
  for (int i = 1; i < ROWS; i++) assert_true(isnan(y[i]));
}

// without a rate z has the impulses of one knot
static void places_are_as_short_as_they_can_be(void **state) {
  (void)state;
  const dm_output_map y_of = make_map(ROWS - 1);
  const dm_contact_outputs contact = dm_contact_outputs_of(&y_of, NR);
  const dm_function f = dm_contact_outputs_function(&contact);
  assert_int_equal(dm_function_entries(&f), 2 * NR + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_and_patterns_are_exact),
      cmocka_unit_test(values_are_those_of_impulses),
      cmocka_unit_test(places_are_as_short_as_they_can_be),
      cmocka_unit_test(states_and_steps_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

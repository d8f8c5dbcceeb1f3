// Laws phi(s): derivatives by the order of their differences, what textbooks say of them.
#include "tests/support/springs.h"

static const double stretch[] = {0.8, 1, 1.5, 2.5}, tension[] = {-2, 0.5, 1, 4};

static dm_spring_law measured_law(double *room) {
  dm_spring_law law;
  assert_int_equal(dm_spring_law_table(&law, COUNT(stretch), stretch, tension, room, NULL), DM_OK);
  return law;
}

typedef struct curve {
  dm_spring_law law;
  int order;
} curve;

static void derivative(void *self, const double *s, double *out) {
  const curve *c = self;
  double phi[4];
  assert_int_equal(c->law.eval(&c->law, *s, phi), DM_OK);
  *out = phi[c->order];
}

static void laws_have_exact_derivatives(void **state) {
  (void)state;
  double room[16], k = 0.7, one = 1;
  const dm_spring_law laws[] = {dm_spring_law_linear(3, 0.4),
                                dm_spring_law_power(2, -1),
                                dm_spring_law_power(0.5, 2),
                                dm_spring_law_power(1.5, 3.5),
                                dm_spring_law_lennard_jones(0.8, 1.1),
                                measured_law(room),
                                {.eval = springs_cubic, .self = &k},
                                dm_spring_law_taut(3, 1),
                                dm_spring_law_pressed(3, 1)};
  const double at[] = {0.5, 0.9, 1.2, 2.1, 2.9}; // of the table: before, in each piece, behind
  for (int i = 0; i < COUNT(laws); i++)
    for (int j = 0; j < COUNT(at); j++)
      for (int order = 0; order < 3; order++) {
        double phi[4];
        assert_int_equal(laws[i].eval(&laws[i], at[j], phi), DM_OK);
        models_check_derivative(derivative, &(curve){laws[i], order}, 1, 1, at + j, &one,
                                phi + order + 1, 1e-3, "phi");
      }
}

// a cord pulls where it is long, a stop pushes where it is short, and both together are a spring
static void taut_and_pressed_make_a_spring(void **state) {
  (void)state;
  const dm_spring_law law[] = {dm_spring_law_taut(3, 1), dm_spring_law_pressed(3, 1),
                               dm_spring_law_linear(3, 1)};
  for (int i = 0; i < 5; i++) {
    double phi[3][4];
    const double s = 0.6 + 0.2 * i;
    for (int k = 0; k < 3; k++) assert_int_equal(law[k].eval(&law[k], s, phi[k]), DM_OK);
    for (int k = 0; k < 2; k++) assert_close(phi[0][k] + phi[1][k], phi[2][k], 1e-15);
    assert_true(phi[0][1] >= 0 && phi[1][1] <= 0);
  }
}

static void powers_are_those_of_the_textbook_at_zero(void **state) {
  (void)state;
  double phi[4];
  dm_spring_law square = dm_spring_law_power(2, 2);
  assert_int_equal(square.eval(&square, 0, phi), DM_OK);
  assert_true(phi[0] == 0 && phi[1] == 0 && phi[2] == 4 && phi[3] == 0);
}

static void lennard_jones_is_deepest_at_its_known_distance(void **state) {
  (void)state;
  double phi[4];
  dm_spring_law law = dm_spring_law_lennard_jones(0.8, 1.1);
  assert_int_equal(law.eval(&law, 1.1 * pow(2, 1.0 / 6), phi), DM_OK);
  assert_close(phi[0], -0.8, 1e-15);
  assert_close(phi[1], 0, 1e-14);
  assert_int_equal(law.eval(&law, 1.1, phi), DM_OK);
  assert_close(phi[0], 0, 1e-15);
}

static void a_table_passes_its_points_smoothly(void **state) {
  (void)state;
  double room[16], left[4], right[4];
  dm_spring_law law = measured_law(room);
  for (int i = 0; i < COUNT(stretch); i++) {
    assert_int_equal(law.eval(&law, nextafter(stretch[i], 0), left), DM_OK);
    assert_int_equal(law.eval(&law, nextafter(stretch[i], 9), right), DM_OK);
    assert_close(left[1], tension[i], 1e-14);
    for (int k = 0; k < 4; k++) assert_close(left[k], right[k], 1e-12);
  }
  // natural at its ends, and straight beyond
  const double first = stretch[0];
  assert_int_equal(law.eval(&law, first, left), DM_OK);
  assert_int_equal(law.eval(&law, first - 2, right), DM_OK);
  assert_close(right[1], left[1] - 2 * left[2], 1e-13);
  assert_close(right[0], left[0] - 2 * left[1] + 2 * left[2], 1e-13);
  assert_true(right[3] == 0);
  assert_int_equal(law.eval(&law, 2.5, left), DM_OK);
  assert_int_equal(law.eval(&law, 4.5, right), DM_OK);
  assert_close(left[3], 0, 1e-14);
  assert_close(right[1], left[1] + 2 * left[2], 1e-14);
  assert_close(right[0], left[0] + 2 * left[1] + 2 * left[2], 1e-14);
}

static void straight_tables_are_linear_springs(void **state) {
  (void)state;
  const double s[] = {-1, 0, 3}, f[] = {-4, -2, 4};
  double room[12], phi[4];
  dm_spring_law law;
  assert_int_equal(dm_spring_law_table(&law, 3, s, f, room, NULL), DM_OK);
  for (double x = -2; x < 5; x += 0.7) {
    assert_int_equal(law.eval(&law, x, phi), DM_OK);
    assert_close(phi[1], 2 * (x - 1), 1e-14);
    assert_close(phi[0], (x - 1) * (x - 1) - 4, 1e-13);
    assert_close(phi[2], 2, 1e-14);
    assert_close(phi[3], 0, 1e-14);
  }
}

static void wrong_tables_are_told(void **state) {
  (void)state;
  double room[12];
  dm_spring_law law;
  dm_message msg;
  const double same[] = {0, 1, 1}, bad[] = {0, INFINITY, 1};
  assert_int_equal(dm_spring_law_table(&law, 1, same, same, room, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text, "found 1 points, expected at least 2");
  assert_int_equal(dm_spring_law_table(&law, 3, same, same, room, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text, "found 1 after 1, expected points in ascending order");
  assert_int_equal(dm_spring_law_table(&law, 3, bad, same, room, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text, "point 2 is not finite");
  const double close[] = {0, 1e-320, 1}, steep[] = {0, 1, 2};
  assert_int_equal(dm_spring_law_table(&law, 3, close, steep, room, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text,
                      "the points are too close together, or the forces too large, for a curve");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_have_exact_derivatives),
      cmocka_unit_test(taut_and_pressed_make_a_spring),
      cmocka_unit_test(powers_are_those_of_the_textbook_at_zero),
      cmocka_unit_test(lennard_jones_is_deepest_at_its_known_distance),
      cmocka_unit_test(a_table_passes_its_points_smoothly),
      cmocka_unit_test(straight_tables_are_linear_springs),
      cmocka_unit_test(wrong_tables_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

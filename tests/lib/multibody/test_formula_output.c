// tests/lib/multibody/test_formula_output.c: outputs that are formulas of coordinates, velocities and other outputs:
// values against those of their parts, derivatives by the order of differences, evaluated rows, and refusals.
#include "tests/support/models.h"

#include "lib/mechanics/continuous.h"
#include "lib/multibody/output.h"
#include "lib/multibody/tree_system.h"

enum { N = 3, ROWS = 6, NX = 2 * N };

static dm_tape_operation variable(int at) {
  return (dm_tape_operation){.kind = DM_TAPE_VARIABLE, .at = at};
}

static dm_tape_operation call(int at, int a, int b) {
  return (dm_tape_operation){.kind = DM_TAPE_CALL, .at = at, .a = a, .b = b};
}

// tip: position; fast: speed; both = q1 v2 + tip.x^2 tip.z - fast q1 + p1 p1 v2; force = u0 v0 + q1
typedef struct formula_bench {
  dm_tape_operation operation[2][16];
  dm_tape tape[2];
  dm_output list[4];
  dm_model *m;
  dm_outputs *w;
  dm_holonomic signals;
  dm_output_map y;
  dm_lagrangian L; // of momenta
  dm_function f;
  void *scratch;
  double lambda[ROWS];
} formula_bench;

static const dm_output_variable variables[] = {{DM_OF_Q, 1},   {DM_OF_V, 2},   {DM_OF_ROW, 0},
                                               {DM_OF_ROW, 2}, {DM_OF_ROW, 3}, {DM_OF_P, 1}};
static const dm_output_variable of_force[] = {{DM_OF_U, 0}, {DM_OF_V, 0}, {DM_OF_Q, 1}};

static void describe(formula_bench *b) {
  const dm_tape_operation both[] = {variable(0),
                                    variable(1),
                                    variable(2),
                                    variable(3),
                                    variable(4),
                                    variable(5),
                                    call(DM_TAPE_MULTIPLY, 0, 1),
                                    call(DM_TAPE_MULTIPLY, 2, 2),
                                    call(DM_TAPE_MULTIPLY, 7, 3),
                                    call(DM_TAPE_MULTIPLY, 4, 0),
                                    call(DM_TAPE_ADD, 6, 8),
                                    call(DM_TAPE_SUBTRACT, 10, 9),
                                    call(DM_TAPE_MULTIPLY, 5, 5),
                                    call(DM_TAPE_MULTIPLY, 12, 1),
                                    call(DM_TAPE_ADD, 11, 13)};
  const dm_tape_operation force[] = {variable(0), variable(1), variable(2),
                                     call(DM_TAPE_MULTIPLY, 0, 1), call(DM_TAPE_ADD, 3, 2)};
  memcpy(b->operation[0], both, sizeof both);
  memcpy(b->operation[1], force, sizeof force);
  b->tape[0] = dm_tape_of(6, COUNT(both), b->operation[0]);
  b->tape[1] = dm_tape_of(3, COUNT(force), b->operation[1]);
  b->list[0] = (dm_output){.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {2, -1}};
  b->list[1] = (dm_output){.name = "fast", .kind = DM_OUTPUT_SPEED, .body = {1, -1}};
  for (int i = 0; i < 2; i++) b->list[i].point[0][0] = 0.3, b->list[i].point[0][2] = -0.7;
  b->list[2] = (dm_output){.name = "both",
                           .kind = DM_OUTPUT_FORMULA,
                           .body = {-1, -1},
                           .formula = &b->tape[0],
                           .variable = variables,
                           .unit = "m3"};
  b->list[3] = (dm_output){.name = "force",
                           .kind = DM_OUTPUT_FORMULA,
                           .body = {-1, -1},
                           .formula = &b->tape[1],
                           .variable = of_force};
}

static void open_bench(formula_bench *b) {
  dm_message msg = {""};
  *b = (formula_bench){.m = models_chain(N, 1, 1), .lambda = {0.3, -1, 0.2, 0.7, 1.3, 0}};
  describe(b);
  if (dm_outputs_new(&b->w, b->m, 4, b->list, &msg) != DM_OK) fail_msg("%s", msg.text);
  b->signals = dm_outputs_signals(b->w);
  b->y = dm_outputs_map(b->w, &b->signals, N);
  b->L = dm_system_of(b->m).L;
  dm_output_map_weigh(&b->y, &b->L);
  b->f = dm_output_map_function(&b->y);
  b->scratch = aligned_alloc(64, b->f.scratch + 64);
  assert_int_equal(b->y.ny, ROWS);
}

static void close_bench(formula_bench *b) {
  free(b->scratch);
  dm_outputs_free(b->w);
  dm_model_free(b->m);
}

static void eval_rows(void *self, const double *x, double *y) {
  formula_bench *b = self;
  assert_int_equal(b->f.eval(&b->y, b->scratch, x, y, NULL), DM_OK);
  y[ROWS - 1] = 0;
}

static void eval_slope(void *self, const double *x, double *out) {
  formula_bench *b = self;
  double y[ROWS], y_x[ROWS * NX];
  assert_int_equal(b->f.eval(&b->y, b->scratch, x, y, y_x), DM_OK);
  for (int a = 0; a < NX; a++) {
    out[a] = 0;
    for (int i = 0; i < ROWS - 1; i++) out[a] += b->lambda[i] * y_x[i * NX + a];
  }
}

static void draw(double *x, int n, uint64_t seed) {
  for (int i = 0; i < n; i++) x[i] = models_random(&seed);
}

// p of the second coordinate
static double momentum_of(const formula_bench *b, const double *x) {
  const dm_system s = dm_system_of(b->m);
  double p[N];
  dm_continuous *w;
  assert_int_equal(dm_continuous_new(&w, &s), DM_OK);
  assert_int_equal(dm_momentum_of(w, x, x + N, p), DM_OK);
  dm_continuous_free(w);
  return p[1];
}

static void values_are_those_of_the_parts(void **state) {
  (void)state;
  formula_bench b;
  double x[NX], y[ROWS];
  open_bench(&b);
  draw(x, NX, 5);
  eval_rows(&b, x, y);
  const double p1 = momentum_of(&b, x);
  assert_close(y[4], x[1] * x[N + 2] + y[0] * y[0] * y[2] - y[3] * x[1] + p1 * p1 * x[N + 2],
               1e-13);
  assert_true(dm_output_map_is_rated(&b.y, 4) && !dm_output_map_is_driven(&b.y, 4));
  assert_true(dm_output_map_is_driven(&b.y, 5) && !dm_output_map_is_rated(&b.y, 5));
  assert_string_equal(dm_output_map_name(&b.y, 4), "both");
  assert_string_equal(dm_outputs_unit(b.w, 4), "m3");
  assert_string_equal(dm_outputs_unit(b.w, 5), "1");
  assert_string_equal(dm_outputs_word(b.w, 2), "formula");
  close_bench(&b);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  formula_bench b;
  double x[NX], d[NX], y[ROWS], y_x[ROWS * NX], H[NX * NX] = {0}, out[NX] = {0};
  open_bench(&b);
  draw(x, NX, 7);
  draw(d, NX, 8);
  assert_int_equal(b.f.eval(&b.y, b.scratch, x, y, y_x), DM_OK);
  for (int i = 0; i < ROWS - 1; i++)
    for (int a = 0; a < NX; a++) {
      out[i] += y_x[i * NX + a] * d[a];
      if (!b.f.moves(&b.y, i, a)) assert_true(y_x[i * NX + a] == 0);
    }
  models_check_derivative(eval_rows, &b, NX, ROWS, x, d, out, 1e-3, "y_x");
  assert_int_equal(b.f.eval(&b.y, b.scratch, x, y, y_x), DM_OK);
  assert_int_equal(b.f.contract(&b.y, b.scratch, x, b.lambda, H), DM_OK);
  for (int a = 0; a < NX; a++) {
    out[a] = 0;
    for (int c = 0; c < NX; c++) {
      out[a] += H[a * NX + c] * d[c];
      assert_close(H[a * NX + c], H[c * NX + a], 1e-13);
    }
  }
  models_check_derivative(eval_slope, &b, NX, NX, x, d, out, 1e-3, "y_xx");
  close_bench(&b);
}

// a formula asks for the signals of its rows, and its derivatives are those of all rows
static void asked_formulas_have_their_parts(void **state) {
  (void)state;
  formula_bench b;
  const bool wanted[ROWS] = {[4] = true};
  double x[NX], y[ROWS], part[ROWS], y_x[2][ROWS * NX];
  open_bench(&b);
  draw(x, NX, 9);
  assert_int_equal(b.f.eval(&b.y, b.scratch, x, y, y_x[0]), DM_OK);
  dm_outputs_ask(b.w, wanted);
  const dm_holonomic asked = dm_outputs_asked(b.w);
  dm_output_map map = dm_outputs_map(b.w, &asked, N);
  dm_output_map_weigh(&map, &b.L);
  const dm_function f = dm_output_map_function(&map);
  void *scratch = aligned_alloc(64, f.scratch + 64);
  f.eval(&map, scratch, x, part, y_x[1]);
  assert_true(part[4] == y[4] && isnan(part[1]));
  for (int a = 0; a < NX; a++) assert_true(y_x[0][4 * NX + a] == y_x[1][4 * NX + a]);
  free(scratch);
  close_bench(&b);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  static const dm_output_variable wrong[][6] = {
      {{DM_OF_Q, 3}, {DM_OF_V, 0}, {DM_OF_V, 0}, {DM_OF_V, 0}, {DM_OF_V, 0}},
      {{DM_OF_Q, 0}, {DM_OF_U, 99}, {DM_OF_V, 0}, {DM_OF_V, 0}, {DM_OF_V, 0}},
      {{DM_OF_Q, 0}, {DM_OF_ROW, 4}, {DM_OF_V, 0}, {DM_OF_V, 0}, {DM_OF_V, 0}},
      {{DM_OF_Q, 0}, {DM_OF_ROW, -1}, {DM_OF_V, 0}, {DM_OF_V, 0}, {DM_OF_V, 0}}};
  static const char *const why[] = {"a coordinate that does not exist",
                                    "an input that does not exist", "refers to row 4", "row -1"};
  formula_bench b;
  dm_outputs *w;
  dm_message msg = {""};
  open_bench(&b);
  for (int i = 0; i < COUNT(why); i++) {
    b.list[2].variable = wrong[i];
    assert_int_equal(dm_outputs_new(&w, b.m, 4, b.list, &msg), DM_BAD_INPUT);
    assert_null(w);
    if (!strstr(msg.text, why[i])) fail_msg("%s", msg.text);
  }

  // a formula of a formula: its expression is inserted instead
  b.list[2].variable = variables;
  static const dm_output_variable nested[] = {{DM_OF_ROW, 4}, {DM_OF_V, 0}, {DM_OF_Q, 1}};
  b.list[3].variable = nested;
  assert_int_equal(dm_outputs_new(&w, b.m, 4, b.list, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "expected one of a sum"));
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_parts),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(asked_formulas_have_their_parts),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

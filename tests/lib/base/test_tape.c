// tests/lib/base/test_tape.c: derivatives of each function and of compositions by the order of the error of
// differences, and against closed forms.
#include "lib/base/tape.h"

#include "lib/base/difference.h"
#include "tests/support/models.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 8 };

typedef struct probe {
  const dm_tape *f;
  int order; // of the derivative that it evaluates
} probe;

static double room[1024];

static dm_status eval_probe(void *self, const double *x, double *y) {
  const probe *p = self;
  double f_x[MOST];
  const double value = dm_tape_eval(p->f, x, room, p->order ? f_x : NULL, p->order > 1 ? y : NULL);
  if (!isfinite(value)) return DM_NOT_FINITE;
  if (!p->order) y[0] = value;
  for (int i = 0; p->order == 1 && i < p->f->nx; i++) y[i] = f_x[i];
  return DM_OK;
}

// the gradient against differences of the value, the Hessian against those of the gradient, and third
// derivatives along a direction against those of the Hessian
static void check_derivatives(const dm_tape *f, const double *x, const char *name) {
  double f_x[MOST], f_xx[MOST * MOST], column[MOST * MOST], d[MOST] = {0};
  double scratch[4 * MOST * MOST];
  assert_true(dm_tape_bend_room(f) <= COUNT(room) && f->nx <= MOST);
  dm_tape_eval(f, x, room, f_x, f_xx);
  for (int j = 0; j < f->nx; j++) {
    d[j] = 1;
    for (int order = 1; order <= 3; order++) {
      const int size[] = {1, f->nx, f->nx * f->nx};
      for (int i = 0; i < f->nx; i++) column[i] = order == 2 ? f_xx[i * f->nx + j] : f_x[j];
      if (order == 3) dm_tape_bend(f, x, d, room, column);
      probe p = {f, order - 1};
      const dm_difference claim = {.n = f->nx,
                                   .m = size[order - 1],
                                   .x = x,
                                   .d = d,
                                   .Jd = column,
                                   .f = eval_probe,
                                   .self = &p,
                                   .noise = DBL_EPSILON};
      const dm_verdict v = dm_difference_judge(&claim, scratch);
      if (!v.holds)
        fail_msg("%s at (%g, %g): derivative %d by %d has error %g, order %g", name, x[0],
                 f->nx > 1 ? x[1] : 0, order, j, v.error, v.order);
    }
    d[j] = 0;
  }
  for (int i = 0; i < f->nx * f->nx; i++)
    assert_close(f_xx[i], f_xx[i % f->nx * f->nx + i / f->nx], 1e-14);
}

static void every_function_has_its_derivatives(void **state) {
  (void)state;
  const double at[][2] = {{0.4, 0.9},  {0.9, 0.35}, {-0.7, 0.3},
                          {-0.2, 1.4}, {0.6, -0.8}, {2.5, 1.3}};
  for (int i = 0; i < dm_tape_functions(); i++) {
    const dm_tape_function *g = dm_tape_function_at(i);
    dm_tape_operation list[] = {{.kind = DM_TAPE_VARIABLE, .at = 0},
                                {.kind = DM_TAPE_VARIABLE, .at = 1},
                                {.kind = DM_TAPE_CALL, .at = i, .a = 0, .b = g->arguments - 1}};
    const dm_tape f = dm_tape_of(2, 3, list);
    int checked = 0;
    for (int p = 0; p < COUNT(at); p++) {
      const bool width =
          at[p][1] > 0 || strlen(g->name) < 6; // the last argument of the longer names
      if (!width || !isfinite(dm_tape_eval(&f, at[p], room, NULL, NULL))) continue;
      check_derivatives(&f, at[p], g->name);
      checked++;
    }
    if (checked < 2) fail_msg("%s: no place to check", g->name);
  }
}

// -- compositions

static dm_tape_operation variable(int at) {
  return (dm_tape_operation){.kind = DM_TAPE_VARIABLE, .at = at};
}

static dm_tape_operation call(int at, int a, int b) {
  return (dm_tape_operation){.kind = DM_TAPE_CALL, .at = at, .a = a, .b = b};
}

static int find(const char *name) {
  int i = 0;
  while (strcmp(dm_tape_function_at(i)->name, name) != 0) i++;
  return i;
}

// f = x sin(x y) + (x y)^2 / z, with x y shared
static void shared_operations_sum_their_derivatives(void **state) {
  (void)state;
  dm_tape_operation list[] = {variable(0),
                              variable(1),
                              variable(2),
                              call(DM_TAPE_MULTIPLY, 0, 1),
                              call(find("sin"), 3, 3),
                              call(DM_TAPE_MULTIPLY, 0, 4),
                              call(DM_TAPE_MULTIPLY, 3, 3),
                              call(DM_TAPE_DIVIDE, 6, 2),
                              call(DM_TAPE_ADD, 5, 7)};
  const dm_tape f = dm_tape_of(3, COUNT(list), list);
  const double x = 0.7, y = -1.2, z = 0.4, s = sin(x * y), c = cos(x * y), at[] = {x, y, z};
  double f_x[3], f_xx[9];
  const double value = dm_tape_eval(&f, at, room, f_x, f_xx);
  const double xy = x * y, mixed = 2 * x * c - x * x * y * s + 4 * x * y / z;
  const double g[] = {s + x * y * c + 2 * x * y * y / z, x * x * c + 2 * x * x * y / z,
                      -xy * xy / (z * z)};
  const double h[] = {2 * y * c - x * y * y * s + 2 * y * y / z,
                      mixed,
                      -2 * x * y * y / (z * z),
                      mixed,
                      -x * x * x * s + 2 * x * x / z,
                      -2 * x * x * y / (z * z),
                      -2 * x * y * y / (z * z),
                      -2 * x * x * y / (z * z),
                      2 * xy * xy / (z * z * z)};
  assert_close(value, x * s + xy * xy / z, 1e-14);
  for (int i = 0; i < 3; i++) assert_close(f_x[i], g[i], 1e-14);
  for (int i = 0; i < 9; i++) assert_close(f_xx[i], h[i], 1e-13);
  check_derivatives(&f, at, "composition");
}

// at x = y = 0, where the gradient of x (y + z) y is zero, its second and third derivatives are not
static void derivatives_hold_where_the_gradient_is_zero(void **state) {
  (void)state;
  dm_tape_operation list[] = {variable(0),
                              variable(1),
                              variable(2),
                              call(DM_TAPE_ADD, 1, 2),
                              call(DM_TAPE_MULTIPLY, 0, 3),
                              call(DM_TAPE_MULTIPLY, 4, 1)};
  const dm_tape f = dm_tape_of(3, COUNT(list), list);
  check_derivatives(&f, (double[]){0, 0, 2}, "x (y + z) y");
  check_derivatives(&f, (double[]){0, 0, 0}, "x (y + z) y at 0");
}

// x^2 has derivatives at x <= 0, although x^y is not differentiable by y there; 0 x^y has those of 0
static void unused_derivatives_do_no_harm(void **state) {
  (void)state;
  dm_tape_operation square[] = {
      variable(0), {.kind = DM_TAPE_NUMBER, .value = 2}, call(DM_TAPE_RAISE, 0, 1)};
  const dm_tape f = dm_tape_of(1, COUNT(square), square);
  for (int i = -1; i <= 1; i++) {
    double x = i, f_x, f_xx;
    assert_true(dm_tape_eval(&f, &x, room, &f_x, &f_xx) == x * x);
    assert_true(f_x == 2 * x && f_xx == 2);
  }
}

// Far from 0, softplus is linear or 0 without overflow.
static void softplus_is_finite_everywhere(void **state) {
  (void)state;
  const int softplus = find("softplus");
  for (int i = -1; i <= 1; i += 2) {
    dm_tape_jet j;
    dm_tape_function_at(softplus)->eval(i * 1e5, 0.01, 2, &j);
    assert_true(j.y == (i > 0 ? 1e5 : 0) && j.a == (i > 0) && j.aa == 0 && j.b == 0);
    assert_true(j.ab == 0 && j.bb == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_function_has_its_derivatives),
      cmocka_unit_test(shared_operations_sum_their_derivatives),
      cmocka_unit_test(derivatives_hold_where_the_gradient_is_zero),
      cmocka_unit_test(unused_derivatives_do_no_harm),
      cmocka_unit_test(softplus_is_finite_everywhere),
  };
  return cmocka_run_group_tests_name("tape", tests, NULL, NULL);
}

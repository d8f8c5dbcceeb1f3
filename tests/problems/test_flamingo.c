// The published Spring Flamingo task (benchmarks/flamingo.h): its rows and objective at the published solution, all
// derivatives compared with differences, and one start that is solved.
#include "benchmarks/flamingo.h"
#include "tests/support/files.h"
#include "tests/support/models.h"
#include "tests/support/skips.h"

#define NO_PUBLISHED                                                                               \
  "no data/biped/published_solution.csv in ../shared, or in the folder that DMOC_SHARED names"

enum {
  N = FLAMINGO_N,
  Q = FLAMINGO_Q,
  U = FLAMINGO_U,
  FORCES = 3 * FLAMINGO_C,
  COLUMNS = 1 + Q + U + FORCES
};

static flamingo *w;
static const oc_nlp *nlp;
static double *x, *lambda;

static int open_program(void **state) {
  (void)state;
  char path[512];
  dm_message msg = {""};
  snprintf(path, sizeof path, "%s/benchmarks/flamingo.yaml", source_folder());
  if (flamingo_new(&w, path, &msg) != DM_OK) fail_msg("%s", msg.text);
  nlp = flamingo_nlp(w);
  x = test_calloc((size_t)nlp->n, sizeof *x);
  lambda = test_calloc((size_t)nlp->m, sizeof *lambda);
  return 0;
}

static int close_program(void **state) {
  (void)state;
  test_free(x);
  test_free(lambda);
  flamingo_free(w);
  return 0;
}

// numbers of a line of the published solution, from `t`; returns how many
static int read_line(char *line, double *out) {
  int count = 0;
  for (char *word = strtok(line, ",\n"); word && count < COLUMNS; word = strtok(NULL, ",\n"))
    out[count++] = atof(word);
  return count;
}

// fill x with the published solution
static void read_published(void) {
  char path[512], line[2048];
  const char *shared = shared_folder();
  snprintf(path, sizeof path, "%s/data/biped/published_solution.csv", shared ? shared : ".");
  FILE *f = fopen(path, "r");
  if (!f) {
    skip_test(NO_PUBLISHED);
  }
  double t[COLUMNS], start[Q];
  assert_non_null(fgets(line, sizeof line, f));
  for (int k = 0; k <= N; k++) {
    assert_non_null(fgets(line, sizeof line, f));
    assert_int_equal(read_line(line, t), k < N ? COLUMNS : 1 + Q);
    memcpy(k > 0 ? x + flamingo_at(k - 1, FLAMINGO_NEXT) : start, t + 1, sizeof start);
    if (k == N) continue;
    memcpy(x + flamingo_at(k, 0), t + 1 + Q, sizeof(double[U]));
    memcpy(x + flamingo_at(k, FLAMINGO_FORCE), t + 1 + Q + U, sizeof(double[FORCES]));
  }
  fclose(f);
  assert_int_equal(flamingo_fill(w, start, t[0], x), DM_OK);
}

// The published solution satisfies the rows to 1e-4. Its objective is 10419.800 with the price of its slacks, which the file
// does not list; ours is without, and 0.071 less. With the least slacks of the publication, 1e-6 per step, it would be 0.17
// more, so that this difference is not fully explained.
static void test_published(void **state) {
  (void)state;
  read_published();
  assert_int_equal(nlp->g(nlp->self, x, lambda), DM_OK);
  double most[3] = {0};
  const double f = flamingo_objective(w, x);
  for (int row = 0; row < nlp->m; row++) {
    const int i = row % FLAMINGO_ROWS;
    double *of = &most[(i >= FLAMINGO_MEMBERS) + (i >= FLAMINGO_PRODUCTS)];
    *of = fmax(*of, fabs(lambda[row]));
  }
  for (int i = 0; i < 3; i++) assert_true(most[i] <= 1e-4);
  assert_true(f < 10419.8 && f > 10419.8 - 0.08);
}

static void objective(void *self, const double *at, double *out) {
  (void)self;
  assert_int_equal(nlp->f(nlp->self, at, out), DM_OK);
}

static void rows(void *self, const double *at, double *out) {
  (void)self;
  assert_int_equal(nlp->g(nlp->self, at, out), DM_OK);
}

// gradient of 0.7 f + lambda g
static double *values;
static int *row, *col;
static void lagrangian_gradient(void *self, const double *at, double *out) {
  (void)self;
  oc_triplets s = {.val = values};
  assert_int_equal(nlp->grad(nlp->self, at, out), DM_OK);
  for (int i = 0; i < nlp->n; i++) out[i] *= 0.7;
  assert_int_equal(nlp->jac(nlp->self, at, &s), DM_OK);
  for (int e = 0; e < s.n; e++) out[col[e]] += lambda[row[e]] * values[e];
}

// gradient, Jacobian and Hessian along a random direction
static void test_derivatives(void **state) {
  (void)state;
  const size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  const size_t walk = (size_t)(nlp->jac_nnz > nlp->hess_nnz ? nlp->jac_nnz : nlp->hess_nnz);
  double *d = test_calloc(n, sizeof *d), *exact = test_calloc(n + m, sizeof *exact), slope = 0;
  values = test_calloc(walk, sizeof *values);
  row = test_calloc(walk, sizeof *row);
  col = test_calloc(walk, sizeof *col);
  uint64_t r = 3;
  assert_int_equal(flamingo_start(w, 5, 0, 0.02, x), DM_OK);
  for (size_t i = 0; i < n; i++) d[i] = i == 0 ? 0.01 : models_random(&r);
  for (size_t i = 0; i < m; i++)
    lambda[i] = i % FLAMINGO_ROWS >= FLAMINGO_PRODUCTS ? 0 : models_random(&r);

  // f
  assert_int_equal(nlp->grad(nlp->self, x, exact), DM_OK);
  for (size_t i = 0; i < n; i++) slope += exact[i] * d[i];
  models_check_derivative(objective, NULL, (int)n, 1, x, d, &slope, 1e-3, "gradient of f");

  // g
  oc_triplets s = {.row = row, .col = col, .val = values};
  assert_int_equal(nlp->jac(nlp->self, x, &s), DM_OK);
  assert_int_equal(s.n, nlp->jac_nnz);
  memset(exact, 0, m * sizeof *exact);
  for (int e = 0; e < s.n; e++) exact[row[e]] += values[e] * d[col[e]];
  models_check_derivative(rows, NULL, (int)n, (int)m, x, d, exact, 1e-3, "Jacobian of g");

  // 0.7 f'' + lambda g''
  s.n = 0;
  assert_int_equal(nlp->hess(nlp->self, x, 0.7, lambda, &s), DM_OK);
  assert_int_equal(s.n, nlp->hess_nnz);
  memset(exact, 0, n * sizeof *exact);
  for (int e = 0; e < s.n; e++) {
    assert_true(col[e] <= row[e]);
    exact[row[e]] += values[e] * d[col[e]];
    if (col[e] < row[e]) exact[col[e]] += values[e] * d[row[e]];
  }
  s = (oc_triplets){.row = row, .col = col};
  assert_int_equal(nlp->jac(nlp->self, NULL, &s), DM_OK);
  models_check_derivative(lagrangian_gradient, NULL, (int)n, (int)n, x, d, exact, 1e-3, "Hessian");
  test_free(d);
  test_free(exact);
  test_free(values);
  test_free(row);
  test_free(col);
}

// a start is solved: exact products, equations to 1e-9
static void test_start(void **state) {
  (void)state;
  assert_int_equal(flamingo_start(w, 1, 0, 0.3, x), DM_OK);
  const flamingo_result r = flamingo_solve(w, x);
  assert_int_equal(r.status, DM_OK);
  assert_true(r.violation <= 1e-9 && r.products == 0);
  assert_true(r.objective <= 5950);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_published),
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_start),
  };
  return cmocka_run_group_tests(tests, open_program, close_program);
}

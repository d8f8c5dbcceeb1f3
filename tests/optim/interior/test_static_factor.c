// The pivots of one factorization taken again on other values, against the dense matrix and ldl.
#include "optim/interior/stage_kkt.h"
#include "tests/support/models.h"

enum { STAGES = 12, WIDTH = 4, ROWS = 2, N = STAGES * WIDTH, M = STAGES * ROWS, DIM = N + M };

// stages of WIDTH variables and ROWS equations, each coupled to the next stage
typedef struct chain {
  oc_sparse_sum hess, jac;
  int hess_row[N * 10], hess_col[N * 10], jac_row[M * 8], jac_col[M * 8];
  double hess_val[N * 10], jac_val[M * 8], d[N], e[M];
} chain;

static void make_pattern(chain *c) {
  int h = 0, j = 0;
  for (int v = 0; v < N; v++)
    for (int w = v - WIDTH < 0 ? 0 : v - WIDTH; w <= v; w++, h++) {
      c->hess_row[h] = v;
      c->hess_col[h] = w;
    }
  for (int i = 0; i < M; i++)
    for (int k = 0; k < 2 * WIDTH; k++) {
      int v = i / ROWS * WIDTH + k;
      if (v >= N) continue;
      c->jac_row[j] = i;
      c->jac_col[j] = v;
      j++;
    }
  c->hess = (oc_sparse_sum){.nnz = h, .row = c->hess_row, .col = c->hess_col, .val = c->hess_val};
  c->jac = (oc_sparse_sum){.nnz = j, .row = c->jac_row, .col = c->jac_col, .val = c->jac_val};
}

static void draw_values(chain *c, uint64_t *seed) {
  for (int i = 0; i < c->hess.nnz; i++) c->hess_val[i] = models_random(seed);
  for (int i = 0; i < c->jac.nnz; i++) c->jac_val[i] = models_random(seed);
  for (int i = 0; i < N; i++) c->d[i] = 1 + models_random(seed);
  for (int i = 0; i < M; i++) c->e[i] = i % 3 ? 0 : 0.1;
}

// the largest entry of K x - b
static double find_residual(const chain *c, const double *x, const double *b) {
  double r[DIM], largest = 0;
  for (int i = 0; i < DIM; i++) r[i] = -b[i];
  for (int i = 0; i < c->hess.nnz; i++) {
    int v = c->hess_row[i], w = c->hess_col[i];
    r[v] += c->hess_val[i] * x[w];
    if (v != w) r[w] += c->hess_val[i] * x[v];
  }
  for (int i = 0; i < c->jac.nnz; i++) {
    int row = N + c->jac_row[i], v = c->jac_col[i];
    r[row] += c->jac_val[i] * x[v];
    r[v] += c->jac_val[i] * x[row];
  }
  for (int i = 0; i < N; i++) r[i] += c->d[i] * x[i];
  for (int i = 0; i < M; i++) r[N + i] -= c->e[i] * x[N + i];
  for (int i = 0; i < DIM; i++) largest = fmax(largest, fabs(r[i]));
  return largest;
}

// every factorization solves its system, and has the inertia of one with pivots of its own
static void recorded_pivots_solve_other_values(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 7;
  oc_stage_kkt *k, *anew;
  int served = 0;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, N, M, &c.hess, &c.jac), DM_OK);
  for (int run = 0; run < 50; run++) {
    double x[DIM], b[DIM];
    int negative, right;
    draw_values(&c, &seed);
    for (int i = 0; i < DIM; i++) x[i] = b[i] = models_random(&seed);
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    served += k->is_fixed;
    oc_stage_kkt_solve(k, x);
    double largest = 1;
    for (int i = 0; i < DIM; i++) largest = fmax(largest, fabs(x[i]));
    assert_true(find_residual(&c, x, b) < 1e-6 * largest);

    assert_int_equal(oc_stage_kkt_new(&anew, N, M, &c.hess, &c.jac), DM_OK);
    assert_int_equal(oc_stage_kkt_factor(anew, c.d, c.e, &right), DM_OK);
    assert_false(anew->is_fixed);
    assert_int_equal(negative, right);
    oc_stage_kkt_free(anew);
  }
  assert_true(served > 25);
  oc_stage_kkt_free(k);
}

// a pivot that has become too small is not taken: the system is factored anew
static void small_pivots_are_refused(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 3;
  oc_stage_kkt *k;
  int negative;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, N, M, &c.hess, &c.jac), DM_OK);
  draw_values(&c, &seed);
  for (int i = 0; i < 3; i++) assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
  assert_true(k->is_fixed);

  // the first pivot's diagonal vanishes
  const int first = k->fixed->unknown[0];
  if (first < N && k->fixed->unknown[1] < 0) {
    for (int i = 0; i < c.hess.nnz; i++)
      if (c.hess_row[i] == first && c.hess_col[i] == first) c.hess_val[i] = -c.d[first];
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    assert_false(k->is_fixed);
  }
  assert_true(!oc_stage_kkt_renew(k) || !k->is_fixed);
  oc_stage_kkt_free(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recorded_pivots_solve_other_values),
      cmocka_unit_test(small_pivots_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Systems of stages against their dense eigenvalues and residuals: pivots that wait, unknowns that
// are everywhere, and those that ldl has to take over.
#include "lib/base/blas.h"
#include "optim/interior/stage_kkt.h"
#include "tests/support/allocations.h"
#include "tests/support/models.h"

enum { STAGES = 12, WIDTH = 4, ROWS = 2, N = STAGES * WIDTH + 1, M = STAGES * ROWS, DIM = N + M };

// stages of WIDTH variables and ROWS equations, each coupled to the next stage; the last variable
// is in all of them
typedef struct chain {
  oc_sparse_sum hess, jac;
  oc_stage_pattern pattern;
  int knot[N];
  bool has_slack[M];
  int hess_row[N * 12], hess_col[N * 12], jac_row[M * 9], jac_col[M * 9];
  double d[N], e[M];
} chain;

static void put_hess(chain *c, int v, int w) {
  c->hess_row[c->hess.nnz] = v;
  c->hess_col[c->hess.nnz++] = w;
}

static void make_pattern(chain *c) {
  memset(c, 0, sizeof *c);
  for (int v = 0; v < N - 1; v++)
    for (int w = v - WIDTH < 0 ? 0 : v - WIDTH; w <= v; w++) put_hess(c, v, w);
  for (int v = 0; v < N; v++) put_hess(c, N - 1, v);
  for (int i = 0; i < M; i++)
    for (int k = 0; k <= 2 * WIDTH; k++) {
      int v = i / ROWS * WIDTH + k, everywhere = k == 2 * WIDTH;
      if (v >= N - 1 && !everywhere) continue;
      c->jac_row[c->jac.nnz] = i;
      c->jac_col[c->jac.nnz++] = everywhere ? N - 1 : v;
    }
  c->hess.row = c->hess_row;
  c->hess.col = c->hess_col;
  c->jac.row = c->jac_row;
  c->jac.col = c->jac_col;
  for (int v = 0; v < N; v++) c->knot[v] = v < N - 1 ? v / WIDTH : -1;
  for (int i = 0; i < M; i++) c->has_slack[i] = i % 3 == 0;
  c->pattern = (oc_stage_pattern){
      .n = N, .m = M, .hess = &c->hess, .jac = &c->jac, .knot = c->knot, .has_slack = c->has_slack};
}

static void draw_values(chain *c, uint64_t *seed) {
  for (int i = 0; i < c->hess.nnz; i++) c->hess.val[i] = models_random(seed);
  for (int i = 0; i < c->jac.nnz; i++) c->jac.val[i] = models_random(seed);
  for (int i = 0; i < N; i++) c->d[i] = 1 + models_random(seed);
  for (int i = 0; i < M; i++) c->e[i] = i % 3 ? 0 : 0.1;
}

static void add_both(double *K, int i, int j, double value) {
  K[i * DIM + j] += value;
  if (i != j) K[j * DIM + i] += value;
}

static void fill_dense(const chain *c, double *K) {
  memset(K, 0, DIM * DIM * sizeof *K);
  for (int i = 0; i < c->hess.nnz; i++) add_both(K, c->hess_row[i], c->hess_col[i], c->hess.val[i]);
  for (int i = 0; i < c->jac.nnz; i++) add_both(K, N + c->jac_row[i], c->jac_col[i], c->jac.val[i]);
  for (int i = 0; i < N; i++) add_both(K, i, i, c->d[i]);
  for (int i = 0; i < M; i++) add_both(K, N + i, N + i, -c->e[i]);
}

static int count_negative_eigenvalues(const chain *c) {
  static double K[DIM * DIM];
  double value[DIM];
  int count = 0;
  fill_dense(c, K);
  assert_int_equal(dm_blas()->LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', DIM, K, DIM, value), 0);
  for (int i = 0; i < DIM; i++) count += value[i] < 0;
  return count;
}

// the largest entry of K x - b over that of x
static double find_residual(const chain *c, const double *x, const double *b) {
  static double K[DIM * DIM];
  double largest = 0, size = 1;
  fill_dense(c, K);
  for (int i = 0; i < DIM; i++) {
    double r = -b[i];
    for (int j = 0; j < DIM; j++) r += K[i * DIM + j] * x[j];
    largest = fmax(largest, fabs(r));
    size = fmax(size, fabs(x[i]));
  }
  return largest / size;
}

static void check_solution(const chain *c, oc_stage_kkt *k, uint64_t *seed) {
  double x[DIM], b[DIM];
  for (int i = 0; i < DIM; i++) x[i] = b[i] = models_random(seed);
  oc_stage_kkt_solve(k, x);
  assert_true(find_residual(c, x, b) < 1e-10);
}

// random systems, with knots and without: inertia and solution, by the stages alone
static void stages_have_inertia_and_solution(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 7;
  make_pattern(&c);
  for (int known = 0; known < 2; known++) {
    oc_stage_kkt *k;
    c.pattern.knot = known ? c.knot : NULL;
    assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
    for (int run = 0; run < 30; run++) {
      int negative;
      draw_values(&c, &seed);
      assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
      assert_int_equal(negative, count_negative_eigenvalues(&c));
      check_solution(&c, k, &seed);
    }
    assert_int_equal(k->by_ldl, 0);
    assert_int_equal(k->factorizations, 30);
    oc_stage_kkt_free(k);
  }
}

// The last variable of a stage is defined by the stage's second row, if that is an equation: no other equation contains it.
static int find_own_row(const chain *c, int v) {
  const int i = v / WIDTH * ROWS + 1;
  return v < N - 1 && v % WIDTH == WIDTH - 1 && !c->has_slack[i] ? i : -1;
}

static void define_variables(chain *c, double derivative) {
  for (int e = 0; e < c->jac.nnz; e++) {
    const int i = c->jac_row[e], own = find_own_row(c, c->jac_col[e]);
    if (own >= 0 && !c->has_slack[i]) c->jac.val[e] = i == own ? derivative : 0;
  }
}

// unknowns that are eliminated in advance change neither inertia nor solution, also if a pivot has not its sign
static void defined_variables_are_eliminated_in_advance(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 19;
  int own_row[N], negative, defined = 0;
  oc_stage_kkt *k;
  make_pattern(&c);
  for (int v = 0; v < N; v++) defined += (own_row[v] = find_own_row(&c, v)) >= 0;
  c.pattern.own_row = own_row;
  assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
  // the variables, their rows, and the inequalities
  assert_non_null(k->condensed);
  assert_int_equal(k->condensed->kept, DIM - 2 * defined - M / 3);
  for (int run = 0; run < 40; run++) {
    const bool weak = run >= 30;
    draw_values(&c, &seed);
    define_variables(&c, weak ? 0 : -1);
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    assert_int_equal(negative, count_negative_eigenvalues(&c));
    check_solution(&c, k, &seed);
    assert_int_equal(k->by_ldl, weak ? run - 29 : 0);
  }
  oc_stage_kkt_free(k);
}

// an equation stands at the last knot that it sees, an inequality where it adds nothing to the front
static void rows_are_eliminated_with_their_last_knot(void **state) {
  (void)state;
  static chain c;
  int step[DIM], work[2 * DIM];
  make_pattern(&c);
  assert_int_equal(oc_stage_order(&c.pattern, step, work), STAGES + 1);
  for (int v = 0; v < N; v++) assert_int_equal(step[v], v < N - 1 ? 1 + v / WIDTH : STAGES + 1);
  for (int i = 0; i < M; i++) {
    int first = 1 + i / ROWS, last = first < STAGES ? first + 1 : STAGES;
    assert_int_equal(step[N + i], c.has_slack[i] ? first : last);
  }
}

// where a stage's block is zero its unknowns wait for the next one, and nothing is lost
static void unknowns_without_pivot_wait(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 11;
  oc_stage_kkt *k;
  int negative, waited = 0;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
  for (int run = 0; run < 20; run++) {
    draw_values(&c, &seed);
    // the block of a stage in the middle
    for (int i = 0; i < c.hess.nnz; i++)
      if (c.hess_row[i] / WIDTH == 5 && c.hess_col[i] / WIDTH == 5) c.hess.val[i] = 0;
    for (int i = 0; i < c.jac.nnz; i++)
      if (c.jac_col[i] / WIDTH == 5 && c.jac_row[i] / ROWS < 6) c.jac.val[i] = 0;
    for (int v = 5 * WIDTH; v < 6 * WIDTH; v++) c.d[v] = 0;
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    assert_int_equal(negative, count_negative_eigenvalues(&c));
    check_solution(&c, k, &seed);
    for (int s = 0; s < k->stages->stages; s++) waited += k->stages->stage[s].waited;
  }
  assert_int_equal(k->by_ldl, 0);
  assert_true(waited > 0);
  oc_stage_kkt_free(k);
}

// of any stage but the last
static bool is_last_of_stage(int v) {
  return v < N - 1 - WIDTH && v % WIDTH == WIDTH - 1;
}

// One variable of each stage is coupled to the next stage alone, and has no pivot before it: it
// waits everywhere. By later steps none does, and pivots are repeated; inertia and solution are the same.
static void what_waits_everywhere_may_come_later(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 13;
  oc_stage_kkt *k;
  oc_stage_factor *f;
  int negative, again;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
  draw_values(&c, &seed);
  for (int i = 0; i < c.hess.nnz; i++) {
    const int v = c.hess_row[i], w = c.hess_col[i];
    const bool next = v < N - 1 && v / WIDTH == w / WIDTH + 1;
    if (is_last_of_stage(v) || (is_last_of_stage(w) && !next)) c.hess.val[i] = 0;
  }
  for (int i = 0; i < c.jac.nnz; i++)
    if (is_last_of_stage(c.jac_col[i])) c.jac.val[i] = 0;
  for (int v = 0; v < N; v++)
    if (is_last_of_stage(v)) c.d[v] = 0;
  assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
  assert_true(k->by_ldl == 0 && oc_stage_factor_has_waited(k->stages));

  // by later steps
  oc_stage_factor_delay(k->stages, k->step);
  assert_int_equal(oc_stage_factor_new(&f, DIM, k->nz, k->row, k->col, k->step, k->knots), DM_OK);
  for (int run = 0; run < 2; run++) {
    double x[DIM], b[DIM];
    assert_int_equal(oc_stage_factor_run(f, NULL, k->values, &again), DM_OK);
    assert_true(again == negative && !oc_stage_factor_has_waited(f));
    for (int i = 0; i < DIM; i++) x[i] = b[i] = models_random(&seed);
    oc_stage_factor_solve(f, x);
    assert_true(find_residual(&c, x, b) < 1e-10);
  }
  assert_true(f->repeated);
  oc_stage_factor_free(f);
  oc_stage_kkt_free(k);
}

// near values take the pivots of the last time, far ones others; both are right
static void pivots_of_other_values_serve(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 5;
  oc_stage_kkt *k;
  int negative;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
  for (int run = 0; run < 12; run++) {
    if (run % 4 == 0) draw_values(&c, &seed);
    for (int i = 0; i < c.hess.nnz; i++) c.hess.val[i] += 1e-3 * models_random(&seed);
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    assert_int_equal(negative, count_negative_eigenvalues(&c));
    check_solution(&c, k, &seed);
  }
  oc_stage_kkt_free(k);
}

// a system that is zero is singular, which ldl finds, or gives up where its time is over
static void zero_is_singular(void **state) {
  (void)state;
  static chain c;
  oc_deadline over = {0};
  double zero[DIM] = {0};
  oc_stage_kkt *k;
  int negative;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
  assert_int_equal(oc_stage_kkt_factor(k, zero, zero, &negative), DM_SINGULAR);
  k->deadline = &over;
  assert_int_equal(oc_stage_kkt_factor(k, zero, zero, &negative), DM_CUT_SHORT);
  oc_stage_kkt_free(k);
}

// rows that see their variables only at the end: more wait than a front takes, and ldl takes over
static void what_cannot_wait_is_ldls(void **state) {
  (void)state;
  enum { MANY = 200, SIZE = 2 * MANY };
  static int hess_row[MANY], hess_col[MANY], jac_row[2 * MANY], jac_col[2 * MANY], knot[MANY];
  static double d[MANY], e[MANY];
  static bool has_slack[MANY];
  oc_sparse_sum hess = {.nnz = MANY, .row = hess_row, .col = hess_col};
  oc_sparse_sum jac = {.nnz = MANY, .row = jac_row, .col = jac_col};
  oc_stage_pattern pattern = {
      .n = MANY, .m = MANY, .hess = &hess, .jac = &jac, .knot = knot, .has_slack = has_slack};
  oc_stage_kkt *k;
  int negative;
  // half the variables are everywhere; each has a row, which sees one at a knot with no weight
  for (int i = 0; i < MANY; i++) {
    hess_row[i] = hess_col[i] = jac_row[i] = jac_col[i] = i;
    d[i] = 1;
    knot[i] = i < MANY / 2 ? i : -1;
  }
  for (int i = 0; i < MANY / 2; i++) {
    jac_row[jac.nnz] = MANY / 2 + i;
    jac_col[jac.nnz++] = i;
  }
  assert_int_equal(oc_stage_kkt_new(&k, &pattern), DM_OK);
  for (int i = 0; i < MANY; i++) hess.val[i] = jac.val[i] = 1;
  assert_int_equal(oc_stage_kkt_factor(k, d, e, &negative), DM_OK);
  assert_int_equal(negative, MANY);
  assert_true(k->by_ldl == 1 && !k->by_stages);
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 1;
  oc_stage_kkt_solve(k, x);
  for (int i = 0; i < MANY; i++) assert_true(fabs(x[i] - 1) < 1e-12);
  oc_stage_kkt_free(k);
}

// ldl factors the same values on demand, once
static void ldl_takes_over_where_it_is_asked(void **state) {
  (void)state;
  static chain c;
  uint64_t seed = 3;
  oc_stage_kkt *k;
  int negative;
  make_pattern(&c);
  assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
  draw_values(&c, &seed);
  assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
  check_solution(&c, k, &seed);
  assert_int_equal(oc_stage_kkt_renew(k), DM_OK);
  check_solution(&c, k, &seed);
  assert_int_equal(oc_stage_kkt_renew(k), DM_STALLED);
  assert_int_equal(k->by_ldl, 1);
  oc_stage_kkt_free(k);
}

// and where there is no memory for that it is told, whichever allocation fails
static void want_of_memory_for_ldl_is_told(void **state) {
  (void)state;
  static chain c;
  oc_stage_kkt *k;
  int negative, failed = 0;
  dm_status s = DM_NO_MEMORY;
  make_pattern(&c);
  for (int at = 1; s == DM_NO_MEMORY; at++) {
    uint64_t seed = 3;
    assert_int_equal(oc_stage_kkt_new(&k, &c.pattern), DM_OK);
    draw_values(&c, &seed);
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    failing_allocation = at;
    s = oc_stage_kkt_renew(k);
    failing_allocation = 0;
    failed += s == DM_NO_MEMORY;

    // and later systems have all that they need
    assert_int_equal(oc_stage_kkt_factor(k, c.d, c.e, &negative), DM_OK);
    check_solution(&c, k, &seed);
    while (k->by_stages) assert_int_equal(oc_stage_kkt_renew(k), DM_OK);
    check_solution(&c, k, &seed);
    oc_stage_kkt_free(k);
  }
  assert_int_equal(s, DM_OK);
  assert_true(failed > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stages_have_inertia_and_solution),
      cmocka_unit_test(defined_variables_are_eliminated_in_advance),
      cmocka_unit_test(rows_are_eliminated_with_their_last_knot),
      cmocka_unit_test(unknowns_without_pivot_wait),
      cmocka_unit_test(what_waits_everywhere_may_come_later),
      cmocka_unit_test(pivots_of_other_values_serve),
      cmocka_unit_test(zero_is_singular),
      cmocka_unit_test(what_cannot_wait_is_ldls),
      cmocka_unit_test(ldl_takes_over_where_it_is_asked),
      cmocka_unit_test(want_of_memory_for_ldl_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

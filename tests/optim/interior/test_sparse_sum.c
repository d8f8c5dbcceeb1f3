// Sums of triplets and their products against a dense matrix.
#include "optim/interior/sparse_sum.h"
#include "tests/support/models.h"

#include <math.h>

enum { ROWS = 7, COLS = 7, RAW = 120 };

typedef struct matrix {
  oc_sparse_sum s;
  int row[RAW], col[RAW], start[ROWS + 1], order[RAW];
  double dense[ROWS][COLS];
} matrix;

static void lay_out_matrix(void *self, dm_block *b) {
  oc_sparse_sum *s = &((matrix *)self)->s;
  oc_sparse_sum_lay_out(s, b);
  s->val = dm_block_alloc(b, RAW, sizeof *s->val);
}

// entries anywhere at or below the diagonal, several to a place, some that do not count
static matrix *make_matrix(uint64_t *seed) {
  matrix sizes = {.s = {.raw = RAW, .rows = ROWS + 2}};
  matrix *m = dm_block_make(&sizes, sizeof sizes, lay_out_matrix);
  assert_non_null(m);
  for (int e = 0; e < RAW; e++) {
    int i = (int)(0.5 * (1 + models_random(seed)) * ROWS) % ROWS;
    m->row[e] = e % 11 == 0 ? -1 : i;
    m->col[e] = e % 13 == 0 ? -1 : (int)(0.5 * (1 + models_random(seed)) * (i + 1)) % (i + 1);
  }
  oc_sparse_sum_find(&m->s, m->row, m->col, ROWS, m->start, m->order);
  return m;
}

static void draw_walk(matrix *m, const double *scale, uint64_t *seed) {
  memset(m->dense, 0, sizeof m->dense);
  for (int e = 0; e < RAW; e++) {
    m->s.walk[e] = models_random(seed);
    if (m->row[e] < 0 || m->col[e] < 0) continue;
    m->dense[m->row[e]][m->col[e]] += (scale ? scale[m->row[e]] : 1) * m->s.walk[e];
  }
  oc_sparse_sum_fill(&m->s, scale);
}

static void every_place_has_the_sum_of_its_entries(void **state) {
  (void)state;
  uint64_t seed = 5;
  const double scale[ROWS] = {1, 0.5, 1, 3, 1, 1, 0.25};
  matrix *m = make_matrix(&seed);
  for (int pass = 0; pass < 3; pass++) {
    draw_walk(m, pass ? scale : NULL, &seed);
    for (int k = 0; k < m->s.nnz; k++) {
      double *at = &m->dense[m->s.row[k]][m->s.col[k]];
      assert_true(fabs(m->s.val[k] - *at) < 1e-14);
      *at = 0;
    }
    // there is no other
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLS; j++) assert_true(m->dense[i][j] == 0);
  }
  dm_block_free(m);
}

static void products_are_those_of_the_dense_matrix(void **state) {
  (void)state;
  uint64_t seed = 6;
  matrix *m = make_matrix(&seed);
  draw_walk(m, NULL, &seed);
  for (int by = -1; by <= 1; by += 2) {
    double x[COLS], y[ROWS], times[ROWS] = {0}, both[COLS] = {0};
    double transposed[COLS] = {0}, symmetric[ROWS] = {0};
    for (int j = 0; j < COLS; j++) x[j] = models_random(&seed);
    for (int i = 0; i < ROWS; i++) y[i] = models_random(&seed);
    oc_sparse_sum_both(&m->s, by, x, y, times, both);
    oc_sparse_sum_transposed(&m->s, by, x, transposed);
    oc_sparse_sum_symmetric(&m->s, by, x, symmetric);
    for (int i = 0; i < ROWS; i++) {
      double row = 0, col = 0, of_y = 0;
      for (int j = 0; j < COLS; j++) row += by * m->dense[i][j] * x[j];
      for (int j = 0; j < COLS; j++) col += by * m->dense[j][i] * x[j];
      for (int j = 0; j < COLS; j++) of_y += by * m->dense[j][i] * y[j];
      assert_true(fabs(times[i] - row) < 1e-13);
      assert_true(fabs(both[i] - of_y) < 1e-13);
      assert_true(fabs(transposed[i] - col) < 1e-13);
      row += col - by * m->dense[i][i] * x[i];
      assert_true(fabs(symmetric[i] - row) < 1e-13);
    }
  }
  dm_block_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_place_has_the_sum_of_its_entries),
      cmocka_unit_test(products_are_those_of_the_dense_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

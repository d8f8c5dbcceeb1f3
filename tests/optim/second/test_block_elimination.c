// A quadratic over a chain of knots: what is found is stationary, lies as low as is said, and has
// as many negative directions, held against the dense Hessian by all knots.
#include "optim/second/block_elimination.h"
#include "tests/support/models.h"

enum { N = 4, n = 2, MOST = 3, ALL = (N + 1) * n * MOST };
static const double h = 0.3;

// Phi y of a knot
static void carry(int k, const double *y, double *out) {
  for (int r = 0; r < k; r++)
    for (int i = 0; i < n; i++) {
      double f = 1;
      out[r * n + i] = 0;
      for (int s = r; s < k; s++) out[r * n + i] += f * y[s * n + i], f *= h / (s - r + 1);
    }
}

// the quadratic at y [(N+1) x size], and its gradient as differences: exact for quadratics
static double value(const oc_block_elimination *w, const double *y) {
  int m = w->size;
  double sum = 0;
  for (int k = 0; k < N; k++) {
    const double *H = w->H + k * 3 * m * m, *g = w->g + k * 2 * m, *y0 = y + k * m;
    double d[n * MOST];
    carry(w->k, y0, d);
    for (int i = 0; i < m; i++) d[i] = y0[m + i] - d[i];
    for (int i = 0; i < m; i++) {
      sum += g[i] * d[i] + g[m + i] * y0[i];
      for (int j = 0; j < m; j++)
        sum += d[i] * H[i * m + j] * d[j] / 2 + y0[i] * H[m * m + i * m + j] * d[j] +
               y0[i] * H[2 * m * m + i * m + j] * y0[j] / 2;
    }
  }
  return sum;
}

// d2/dy_i dy_j, d/dy_i by differences of a step of 1
static double second(const oc_block_elimination *w, double *y, int i, int j) {
  double f[2][2];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      y[i] += a, y[j] += b;
      f[a][b] = value(w, y);
      y[i] -= a, y[j] -= b;
    }
  return f[1][1] - f[1][0] - f[0][1] + f[0][0];
}
static double first(const oc_block_elimination *w, double *y, int i) {
  double f[2];
  for (int a = 0; a < 2; a++) {
    y[i] += 2 * a - 1;
    f[a] = value(w, y);
    y[i] -= 2 * a - 1;
  }
  return (f[1] - f[0]) / 2;
}

// negative pivots of the symmetric A [size x size], eliminated from the first
static int negative_of(int size, double *A) {
  int negative = 0;
  for (int i = 0; i < size; i++) {
    negative += A[i * size + i] < 0;
    for (int r = i + 1; r < size; r++)
      for (int c = size - 1; c >= i; c--)
        A[r * size + c] -= A[r * size + i] / A[i * size + i] * A[i * size + c];
  }
  return negative;
}

// a random quadratic: by even seeds definite, by a heavy diagonal
static void draw_quadratic(oc_block_elimination *w, int m, bool definite, uint64_t *s) {
  for (int i = 0; i < N * 2 * m; i++) w->g[i] = models_random(s);

  // of each stage H_ww, H_wy, H_yy, of which the outer two are symmetric
  for (int at = 0; at < N * 3; at++) {
    double *H = w->H + at * m * m;
    const bool square = at % 3 != 1;
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        H[i * m + j] = models_random(s) + (i == j && definite && square ? 4 * m : 0);
    for (int i = 0; i < m && square; i++)
      for (int j = 0; j < i; j++) H[i * m + j] = H[j * m + i];
  }
}

// fixes entries of both ends at random; lists the free ones, returns how many
static int fix_ends(oc_block_elimination *w, int m, uint64_t *s, int *free) {
  int count = 0;
  for (int i = 0; i < (N + 1) * m; i++) {
    const bool end = i < m || i >= N * m, held = end && models_random(s) > 0;
    if (end) w->fixed[i >= m][i % m] = held;
    if (!held) free[count++] = i;
  }
  return count;
}

// the number of negative eigenvalues of the whole Hessian by the free entries
static int count_negative(const oc_block_elimination *w, int count, const int *free) {
  double A[ALL * ALL], zero[ALL] = {0};
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) A[i * count + j] = second(w, zero, free[i], free[j]);
  return negative_of(count, A);
}

// y is stationary, lies `fall` below zero and leaves fixed entries alone
static void check_stationary(const oc_block_elimination *w, int m, int count, const int *free,
                             double *y, double fall) {
  double most = 1;
  for (int i = 0; i < (N + 1) * m; i++) most = fmax(most, fabs(y[i]));
  for (int i = 0; i < count; i++) assert_close(first(w, y, free[i]), 0, 1e-9 * most * most);
  for (int i = 0; i < m; i++)
    assert_true((!w->fixed[0][i] || y[i] == 0) && (!w->fixed[1][i] || y[N * m + i] == 0));
  assert_close(value(w, y), -fall, 1e-9 * most * most);
}

// a shift s makes it definite; at its least, s S was added to each stage
static void check_shifted(oc_block_elimination *w, int m, int count, const int *free) {
  const double shift = 1e6;
  double y[ALL], fall = 0;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) w->S_ww[i * m + j] = (i == j) + 0.1;
    w->S_yy[i] = 1 + i;
  }
  assert_int_equal(oc_block_elimination_factor(w, N, h, shift, NULL, &fall), DM_OK);
  oc_block_elimination_solve(w, N, h, y);
  const double cost = shift * oc_block_elimination_shift_cost(w, N, h, y) / 2;
  assert_close((value(w, y) + cost) / fall, -1, 1e-9);

  // the same by hand
  for (int at = 0; at < N; at++)
    for (int i = 0; i < m; i++) {
      double *H = w->H + at * 3 * m * m + i * m;
      for (int j = 0; j < m; j++) H[j] += shift * w->S_ww[i * m + j];
      H[2 * m * m + i] += shift * w->S_yy[i];
    }
  assert_close(value(w, y) / fall, -1, 1e-9);
  for (int i = 0; i < count; i++) assert_close(first(w, y, free[i]), 0, 1e-6);
}

static void stationary_points_are_found_and_told_apart(void **state) {
  (void)state;
  int kinds[2] = {0};
  for (int k = 1; k <= MOST; k++)
    for (int seed = 1; seed <= 12; seed++) {
      uint64_t s = (uint64_t)seed;
      oc_block_elimination *w = NULL;
      assert_int_equal(oc_block_elimination_new(&w, N, n, k), DM_OK);
      const int m = k * n;
      int free[ALL], negative = -1;
      double y[ALL], fall = 0;
      draw_quadratic(w, m, seed % 2 == 0, &s);
      const int count = fix_ends(w, m, &s, free);

      // its stationary point, and what kind it is
      const dm_status status = oc_block_elimination_factor(w, N, h, 0, &negative, &fall);
      oc_block_elimination_solve(w, N, h, y);
      assert_int_equal(status, negative > 0 ? DM_NOT_DEFINITE : DM_OK);
      assert_int_equal(negative, count_negative(w, count, free));
      kinds[negative > 0]++;
      check_stationary(w, m, count, free, y, fall);

      // without a count it stops, with the same word
      assert_int_equal(oc_block_elimination_factor(w, N, h, 0, NULL, &fall), status);
      check_shifted(w, m, count, free);

      w->g[0] = NAN;
      assert_int_equal(oc_block_elimination_factor(w, N, h, 1e6, NULL, &fall), DM_NOT_FINITE);
      oc_block_elimination_free(w);
    }
  assert_true(kinds[0] >= 12 && kinds[1] >= 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stationary_points_are_found_and_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

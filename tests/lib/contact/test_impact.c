// Impacts: invariants of every reflection, at random metrics, and impacts known in closed form.
#include "tests/support/models.h"

#include "lib/contact/impact.h"

enum { N = 9, MOST = 14 };

typedef struct metric {
  int n;
  double W[N * N], quartic; // E = x + quartic x^2, x = p.W p/2
} metric;

static dm_status times(void *self, int m, const double *B, double *out) {
  const metric *w = self;
  for (int r = 0; r < m; r++)
    for (int i = 0; i < w->n; i++) {
      out[r * w->n + i] = 0;
      for (int j = 0; j < w->n; j++) out[r * w->n + i] += w->W[i * w->n + j] * B[r * w->n + j];
    }
  return DM_OK;
}
static double pair(const metric *w, const double *a, const double *b) {
  double Wb[N], sum = 0;
  times((void *)(uintptr_t)w, 1, b, Wb);
  for (int i = 0; i < w->n; i++) sum += a[i] * Wb[i];
  return sum;
}
static dm_status quartic(void *self, bool leaves, const double *p, double *E) {
  (void)leaves;
  const metric *w = self;
  double x = pair(w, p, p) / 2;
  *E = x + w->quartic * x * x;
  return DM_OK;
}

static metric random_metric(int n, uint64_t *r) {
  metric w = {.n = n};
  double B[N * N];
  for (int i = 0; i < n * n; i++) B[i] = models_random(r);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      w.W[i * n + j] = i == j ? 0.3 : 0;
      for (int k = 0; k < n; k++) w.W[i * n + j] += B[i * n + k] * B[j * n + k];
    }
  return w;
}
static metric identity(int n) {
  metric w = {.n = n};
  for (int i = 0; i < n; i++) w.W[i * (n + 1)] = 1;
  return w;
}

typedef struct impact {
  metric w;
  int na, m;
  double A[3 * N], G[MOST * N], p[N], before[N], r[MOST];
  dm_impact_info info;
} impact;

// the metric of a momentum, and of a row
static dm_status times_one(void *self, const double *p, double *out) {
  return times(self, 1, p, out);
}
static dm_status times_row(void *self, double t, const dm_sparse_rows *B, int i,
                           dm_sparse_rows *out) {
  double row[N] = {0}, W[N];
  dm_sparse_rows_add_to(B, i, t, row);
  times(self, 1, row, W);
  dm_sparse_rows_append_dense(out, W);
  return DM_OK;
}

static dm_status strike(impact *x, dm_impact_law how, const double *e) {
  dm_impact *w;
  const dm_conserved E = {&x->w, times_row, times_one, x->w.quartic > 0 ? quartic : NULL, 0};

  // rows without their zeros
  static int start[2][MOST + 1], col[2][MOST * N];
  static double value[2][MOST * N];
  dm_sparse_rows A = {x->w.n, 0, start[0], col[0], value[0]};
  dm_sparse_rows G = {x->w.n, 0, start[1], col[1], value[1]};
  for (int i = 0; i < x->na; i++) dm_sparse_rows_append_dense(&A, x->A + i * x->w.n);
  for (int i = 0; i < x->m; i++) dm_sparse_rows_append_dense(&G, x->G + i * x->w.n);

  assert_int_equal(dm_impact_new(&w, x->w.n, x->na, x->m, MOST * N), DM_OK);
  memcpy(x->before, x->p, sizeof x->p);
  dm_status s = dm_impact_apply(w, how, &E, &A, &G, e, x->p, x->r, &x->info);
  dm_impact_free(w);
  return s;
}

static impact random_impact(int n, int na, int m, uint64_t *r) {
  impact x = {.w = random_metric(n, r), .na = na, .m = m};
  for (int i = 0; i < na * n; i++) x.A[i] = models_random(r);
  for (int i = 0; i < m * n; i++) x.G[i] = models_random(r);
  for (int i = 0; i < n; i++) x.p[i] = 3 * models_random(r);
  return x;
}

// the jump conditions: impulses push, nothing approaches, equality constraints' rates stay
static void assert_jump(const impact *x) {
  double size = sqrt(pair(&x->w, x->before, x->before));
  int n = x->w.n;
  for (int i = 0; i < x->m; i++) assert_true(x->r[i] >= 0);
  // p+ - p- is G'r and something along A': nothing else pairs with what both leave alone
  for (int a = 0; a < x->na; a++)
    assert_close(pair(&x->w, x->A + a * n, x->p), pair(&x->w, x->A + a * n, x->before),
                 1e-12 * size * (1 + size));
  assert_true(x->info.approaching == 0);
}
static double energy(const impact *x, const double *p) {
  double E;
  quartic((void *)(uintptr_t)&x->w, true, p, &E);
  return E;
}

static void energy_stays_and_nothing_approaches(void **state) {
  (void)state;
  static const struct {
    int n, na, m;
  } rows[] = {{3, 0, 1}, {5, 1, 3}, {9, 3, 4}, {6, 0, 6}, {4, 0, 9}, {9, 2, 14}};
  uint64_t seed = 3;
  int struck = 0;
  for (int i = 0; i < COUNT(rows); i++)
    for (int k = 0; k < 60; k++) {
      impact x = random_impact(rows[i].n, rows[i].na, rows[i].m, &seed);
      if (k % 3 == 2) x.w.quartic = 0.05;
      dm_impact_law how = k % 2 ? DM_MOREAU : DM_GENERALIZED;
      dm_status s = strike(&x, how, NULL);
      // more walls than dimensions may leave no way out but a stop, which keeps no energy
      if (s == DM_MAX_ITER) {
        assert_true(x.m > x.w.n - x.na);
        continue;
      }
      assert_int_equal(s, DM_OK);
      assert_jump(&x);
      assert_close(energy(&x, x.p), energy(&x, x.before),
                   4e-15 * (1 + x.info.passes) * (1 + energy(&x, x.before)));
      struck += x.info.reflected > 0;
    }
  assert_true(struck > 200);
}

static void one_wall_is_a_mirror(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 20; k++) {
    impact x = random_impact(7, 0, 1, &seed);
    double y = pair(&x.w, x.G, x.p), size = pair(&x.w, x.G, x.G), p[N];
    for (int i = 0; i < 7; i++) p[i] = x.p[i] - (y < 0 ? 2 * y / size * x.G[i] : 0);
    assert_int_equal(strike(&x, DM_GENERALIZED, NULL), DM_OK);
    for (int i = 0; i < 7; i++) assert_close(x.p[i], p[i], 1e-12);
    assert_int_equal(x.info.reflected, y < 0);
  }
}

// balls in a row that touch, moving along it: x_i+1 - x_i >= 0
static impact row_of_balls(const double *v) {
  impact x = {.w = identity(5), .m = 4};
  for (int i = 0; i < 4; i++) {
    x.G[i * 5 + i] = -1;
    x.G[i * 5 + i + 1] = 1;
  }
  memcpy(x.p, v, 5 * sizeof *v);
  return x;
}

static void a_cradle_hands_on_as_many_as_come(void **state) {
  (void)state;
  for (int in = 1; in < 5; in++) {
    double v[5] = {0};
    for (int i = 0; i < in; i++) v[i] = 1.5;
    impact x = row_of_balls(v);
    assert_int_equal(strike(&x, DM_GENERALIZED, NULL), DM_OK);
    for (int i = 0; i < 5; i++) assert_close(x.p[i], i >= 5 - in ? 1.5 : 0, 1e-15);
  }
  // Moreau: three balls stand against two that move, each group turned about the common speed
  impact x = row_of_balls((double[]){1, 1, 0, 0, 0});
  assert_int_equal(strike(&x, DM_MOREAU, NULL), DM_OK);
  for (int i = 0; i < 5; i++) assert_close(x.p[i], i < 2 ? -0.2 : 0.8, 1e-15);
}

// what pairs with a symmetry's direction is kept: of these rows the sum of the momenta
static void momenta_of_symmetries_stay(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (int k = 0; k < 30; k++) {
    double v[5], sum = 0;
    for (int i = 0; i < 5; i++) sum += v[i] = models_random(&seed);
    impact x = row_of_balls(v);
    x.w = random_metric(5, &seed);
    assert_int_equal(strike(&x, k % 2 ? DM_MOREAU : DM_GENERALIZED, NULL), DM_OK);
    for (int i = 0; i < 5; i++) sum -= x.p[i];
    assert_close(sum, 0, 1e-13);
  }
}

// rows in another order, or said twice, are the same obstacle
static void the_order_of_rows_does_not_count(void **state) {
  (void)state;
  uint64_t seed = 13;
  for (int k = 0; k < 20; k++) {
    impact x = random_impact(6, 1, 4, &seed), y = x;
    for (int i = 0; i < 4; i++) memcpy(y.G + i * 6, x.G + (3 - i) * 6, 6 * sizeof(double));
    memcpy(y.G + 4 * 6, x.G, 6 * sizeof(double));
    y.m = 5;
    assert_int_equal(strike(&x, DM_GENERALIZED, NULL), DM_OK);
    assert_int_equal(strike(&y, DM_GENERALIZED, NULL), DM_OK);
    for (int i = 0; i < 6; i++) assert_close(x.p[i], y.p[i], 1e-11);
  }
}

static void restitution_takes_energy_only(void **state) {
  (void)state;
  uint64_t seed = 21;
  for (int k = 0; k < 400; k++) {
    impact x = random_impact(6, k % 2, 1 + k % 4, &seed), elastic = x;
    double e[4];

    // equal ones, random ones, all 0, or 0 and 1 in turn
    for (int i = 0; i < 4; i++) e[i] = k % 3 == 0 ? 0.6 : 0.5 + models_random(&seed) / 2;
    if (k % 5 == 0) memset(e, 0, sizeof e);
    for (int i = 0; k % 5 == 1 && i < 4; i++) e[i] = (i + k / 5) % 2;
    assert_int_equal(strike(&x, DM_GENERALIZED, e), DM_OK);
    assert_int_equal(strike(&elastic, DM_GENERALIZED, NULL), DM_OK);
    assert_jump(&x);
    double E0 = energy(&x, x.before), E1 = energy(&x, x.p);
    assert_true(E1 <= E0 * (1 + 1e-14));
    assert_true(elastic.info.reflected == 0 || E1 < E0 || k % 5 == 1);
    assert_close(x.info.gained, E1 - E0, 1e-13 * (1 + E0));

    // of one constraint alone it is Newton's law
    if (x.m > 1 || x.na) continue;
    double y0 = pair(&x.w, x.G, x.before), y1 = pair(&x.w, x.G, x.p);
    assert_close(y1, y0 < 0 ? -e[0] * y0 : y0, 1e-12);
  }
}

// Of these rows the impulses r0_i + e_i (r_i - r0_i) would gain energy: their share is cut back to
// where none is gained.
static void restitutions_that_differ_gain_nothing(void **state) {
  (void)state;
  impact x = {.w = identity(3), .m = 3, .G = {3, -2, 2, 2, 1, -2, -3, 2, -3}, .p = {-3, 1, 1}};
  assert_int_equal(strike(&x, DM_GENERALIZED, (double[]){0, 1, 0}), DM_OK);
  assert_jump(&x);
  assert_close(energy(&x, x.p), energy(&x, x.before), 1e-13);
}

// A ball falls on a block that lies on a floor it does not bounce off: the block stays, and the
// ball leaves, by Moreau's impact with its own restitution whatever the masses.
static void a_ball_bounces_off_a_block_that_lies(void **state) {
  (void)state;
  for (int k = 1; k <= 20; k++) {
    const double mass = (k % 10 + 1) / 4.0, e = (k % 10 + 1) / 10.0;
    impact x = {.w = identity(2), .m = 2, .G = {0, 1, 1, -1}, .p = {-2, 0}};
    x.w.W[3] = 1 / mass;
    assert_int_equal(strike(&x, k > 10 ? DM_MOREAU : DM_GENERALIZED, (double[]){0, e}), DM_OK);
    assert_jump(&x);
    assert_true(x.p[0] > 0.3 * e);
    assert_close(x.p[1], 0, 1e-14);
    assert_close(x.r[0], x.r[1], 1e-14);
    if (k > 10) assert_close(x.p[0], 2 * e, 1e-14);
  }
}

// a wall that constraints never let anything move against, and balls that part
static void nothing_happens_where_nothing_approaches(void **state) {
  (void)state;
  impact x = {.w = identity(3), .na = 1, .m = 2, .A = {1, 2, 0}, .G = {-2, -4, 0, 0, 0, 1}};
  double p[] = {2, -1, 0.5};
  memcpy(x.p, p, sizeof p);
  assert_int_equal(strike(&x, DM_GENERALIZED, NULL), DM_OK);
  for (int i = 0; i < 3; i++) assert_true(x.p[i] == p[i]);
  assert_int_equal(x.info.reflected, 0);
  // but for rounding
  uint64_t seed = 3;
  for (int k = 0; k < 100; k++) {
    x = random_impact(6, 1, 1, &seed);
    for (int i = 0; i < 6; i++) x.G[i] = x.A[i] * (k + 1) / 7;
    double before[6];
    memcpy(before, x.p, sizeof before);
    assert_int_equal(strike(&x, DM_GENERALIZED, NULL), DM_OK);
    assert_memory_equal(x.p, before, sizeof before);
  }
}

static void what_cannot_be_reflected_is_said(void **state) {
  (void)state;
  // a velocity between two walls that face one another has no way out
  impact x = {.w = identity(1), .m = 2, .G = {1, -1}, .p = {1}};
  assert_int_equal(strike(&x, DM_GENERALIZED, NULL), DM_MAX_ITER);
  assert_close(fabs(x.p[0]), 1, 1e-15);
  assert_close(x.info.approaching, 1, 1e-15);
  // dependent constraints, NaN: the momentum stays
  impact y = {.w = identity(2), .na = 2, .m = 1, .A = {1, 0, 2, 0}, .G = {0, 1}, .p = {0, -1}};
  assert_int_equal(strike(&y, DM_GENERALIZED, NULL), DM_SINGULAR);
  assert_true(y.p[1] == -1);
  impact z = {.w = identity(2), .m = 1, .G = {0, NAN}, .p = {0, -1}};
  assert_int_equal(strike(&z, DM_GENERALIZED, NULL), DM_NOT_FINITE);
  assert_true(z.p[1] == -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_stays_and_nothing_approaches),
      cmocka_unit_test(one_wall_is_a_mirror),
      cmocka_unit_test(a_cradle_hands_on_as_many_as_come),
      cmocka_unit_test(momenta_of_symmetries_stay),
      cmocka_unit_test(the_order_of_rows_does_not_count),
      cmocka_unit_test(restitution_takes_energy_only),
      cmocka_unit_test(restitutions_that_differ_gain_nothing),
      cmocka_unit_test(a_ball_bounces_off_a_block_that_lies),
      cmocka_unit_test(nothing_happens_where_nothing_approaches),
      cmocka_unit_test(what_cannot_be_reflected_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

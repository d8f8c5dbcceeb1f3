// The inertia of the reduced Hessian of quadratic programs that are made of a known one.
#include "lib/base/random.h"
#include "optim/interior/interior.h"
#include "tests/support/tasks.h"

enum { N = 12, M = 4, FREE = N - M, ROWS = M + 1 };

// minimize a.x + x'Wx/2, J x = b, x within bounds; multipliers of a point at which it is stationary
typedef struct quadratic {
  int m;
  double W[N][N], a[N], J[ROWS][N], b[ROWS], low[N], high[N];
  double x[N], lambda[ROWS], z_l[N], z_u[N];
} quadratic;

static dm_status quadratic_f(void *self, const double *x, double *f) {
  const quadratic *p = self;
  *f = 0;
  for (int i = 0; i < N; i++) {
    *f += p->a[i] * x[i];
    for (int j = 0; j < N; j++) *f += 0.5 * x[i] * p->W[i][j] * x[j];
  }
  return DM_OK;
}

static dm_status quadratic_grad(void *self, const double *x, double *grad) {
  const quadratic *p = self;
  for (int i = 0; i < N; i++) {
    grad[i] = p->a[i];
    for (int j = 0; j < N; j++) grad[i] += p->W[i][j] * x[j];
  }
  return DM_OK;
}

static dm_status quadratic_g(void *self, const double *x, double *g) {
  const quadratic *p = self;
  for (int i = 0; i < p->m; i++) {
    g[i] = 0;
    for (int j = 0; j < N; j++) g[i] += p->J[i][j] * x[j];
  }
  return DM_OK;
}

static dm_status quadratic_jac(void *self, const double *x, oc_triplets *s) {
  const quadratic *p = self;
  (void)x;
  for (int i = 0; i < p->m; i++)
    for (int j = 0; j < N; j++) oc_put(s, i, j, p->J[i][j]);
  return DM_OK;
}

static dm_status quadratic_hess(void *self, const double *x, double sigma, const double *lambda,
                                oc_triplets *s) {
  const quadratic *p = self;
  (void)x;
  (void)lambda;
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) oc_put(s, i, j, sigma * p->W[i][j]);
  return DM_OK;
}

static oc_nlp nlp_of(quadratic *p) {
  return (oc_nlp){.n = N,
                  .m = p->m,
                  .jac_nnz = p->m * N,
                  .hess_nnz = N * (N + 1) / 2,
                  .x_min = p->low,
                  .x_max = p->high,
                  .g_min = p->b,
                  .g_max = p->b,
                  .self = p,
                  .f = quadratic_f,
                  .grad = quadratic_grad,
                  .g = quadratic_g,
                  .jac = quadratic_jac,
                  .hess = quadratic_hess};
}

// With P regular and B = [D C; C' E], W = P'BP and J = [0 I] P have the reduced Hessian D: so many of
// its entries are positive, so many zero, the rest negative. x, lambda are random, a and b follow.
//   apart  x_0 meets no other variable, and no row
static quadratic make_quadratic(uint64_t seed, int positive, int zero, bool apart) {
  quadratic p = {.m = M};
  double P[N][N], B[N][N];
  int draw = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      P[i][j] = (i == j ? 2 : 0) + dm_random_normal(seed, 0, (uint64_t)draw++) / sqrt(N);
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++) {
      B[i][j] = B[j][i] = dm_random_normal(seed, 1, (uint64_t)draw++);
      if (j >= FREE) continue;
      const double size = 0.1 + fabs(dm_random_uniform(seed, 2, (uint64_t)draw++));
      B[i][j] = B[j][i] = i != j ? 0 : i < positive ? size : i < positive + zero ? 0 : -size;
    }
  for (int i = 1; i < N && apart; i++) P[0][i] = P[i][0] = B[0][i] = B[i][0] = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        for (int l = 0; l < N; l++) p.W[i][j] += P[k][i] * B[k][l] * P[l][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) p.W[i][j] = p.W[j][i]; // to the last bit
  for (int i = 0; i < M; i++) memcpy(p.J[i], P[FREE + i], sizeof P[i]);

  // the point: W x + a + J'lambda = 0, J x = b
  for (int i = 0; i < N; i++) {
    p.low[i] = -INFINITY;
    p.high[i] = INFINITY;
    p.x[i] = dm_random_normal(seed, 3, (uint64_t)i);
  }
  for (int i = 0; i < M; i++) p.lambda[i] = dm_random_normal(seed, 4, (uint64_t)i);
  return p;
}

// the gradient's constant and the rows' targets make the point stationary
static void place_point(quadratic *p) {
  double grad[N];
  memset(p->a, 0, sizeof p->a);
  quadratic_grad(p, p->x, grad);
  for (int j = 0; j < N; j++) {
    p->a[j] = p->z_l[j] - p->z_u[j] - grad[j];
    for (int i = 0; i < p->m; i++) p->a[j] -= p->J[i][j] * p->lambda[i];
  }
  quadratic_g(p, p->x, p->b);
}

// the same in other units: of each variable, and of the objective
static void change_units(quadratic *p, uint64_t seed, double of_f) {
  for (int j = 0; j < N; j++) {
    const double unit = pow(10, 4 * dm_random_uniform(seed, 5, (uint64_t)j));
    p->x[j] /= unit;
    p->low[j] /= unit;
    p->high[j] /= unit;
    p->z_l[j] *= unit * of_f;
    p->z_u[j] *= unit * of_f;
    for (int i = 0; i < N; i++) p->W[i][j] *= unit * of_f;
    for (int i = 0; i < N; i++) p->W[j][i] *= unit;
    for (int i = 0; i < p->m; i++) p->J[i][j] *= unit;
  }
  for (int i = 0; i < p->m; i++) p->lambda[i] *= of_f;
}

static oc_inertia measure(quadratic *p, double *direction) {
  oc_options set = oc_options_default();
  oc_inertia out;
  place_point(p);
  const oc_nlp nlp = nlp_of(p);
  const oc_point at = {.x = p->x, .lambda = p->lambda, .z_l = p->z_l, .z_u = p->z_u};
  assert_int_equal(oc_interior_inertia(&nlp, &set, NULL, &at, &out, direction), DM_OK);
  return out;
}

static void assert_inertia(oc_inertia found, int positive, int zero, int negative) {
  const oc_inertia_kind kind = negative ? OC_INERTIA_SADDLE
                               : zero   ? OC_INERTIA_FLAT
                                        : OC_INERTIA_MINIMUM;
  if (found.kind == kind && found.positive == positive && found.zero == zero &&
      found.negative == negative)
    return;
  fail_msg("found kind %d (%d, %d, %d), expected %d (%d, %d, %d)", found.kind, found.positive,
           found.zero, found.negative, kind, positive, zero, negative);
}

static const int made[][2] = {{8, 0}, {7, 1}, {6, 2}, {0, 8}, {7, 0},
                              {5, 0}, {0, 0}, {5, 1}, {3, 3}};

static void counts_are_those_it_is_made_of_in_any_units(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(made); i++)
    for (uint64_t seed = 0; seed < 20; seed++) {
      const int positive = made[i][0], zero = made[i][1], negative = FREE - positive - zero;
      quadratic p = make_quadratic(seed, positive, zero, false);
      assert_inertia(measure(&p, NULL), positive, zero, negative);
      change_units(&p, seed, seed % 2 ? 1e6 : 1e-6);
      assert_inertia(measure(&p, NULL), positive, zero, negative);
    }
}

// along the direction of a saddle rows do not change, and the objective falls by its own size
static void the_direction_of_a_saddle_leads_down(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    quadratic p = make_quadratic(seed, 6, 0, false);
    double d[N], f, fall = 0;
    measure(&p, d);
    quadratic_f(&p, p.x, &f);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) fall -= 0.5 * d[i] * p.W[i][j] * d[j];
    assert_close(fall / fabs(f), 1, 1e-6);
    for (int i = 0; i < M; i++) {
      double row = 0, size = 0;
      for (int j = 0; j < N; j++) {
        row += p.J[i][j] * d[j];
        size += fabs(p.J[i][j] * d[j]);
      }
      assert_true(fabs(row) <= 1e-9 * size);
    }
  }
}

// a row that is there twice changes nothing but the count of what is free
static void dependent_rows_hide_no_saddle(void **state) {
  (void)state;
  for (int i = 0; i < COUNT(made); i++)
    for (uint64_t seed = 0; seed < 10; seed++) {
      quadratic p = make_quadratic(seed, made[i][0], made[i][1], false);
      p.m = ROWS;
      for (int j = 0; j < N; j++) p.J[M][j] = 0.5 * p.J[1][j] - p.J[2][j];
      p.lambda[M] = 0.3;
      const oc_inertia found = measure(&p, NULL);
      assert_int_equal(found.zero, made[i][1]);
      assert_int_equal(found.negative, FREE - made[i][0] - made[i][1]);
    }
}

// A limit that is active is an equation: what curves downward off it is no matter. One that is not
// changes nothing.
static void limits_count_where_they_are_active(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++)
    for (int active = 0; active < 2; active++) {
      quadratic p = make_quadratic(seed, FREE, 0, true);
      p.W[0][0] = -2;
      p.low[0] = p.x[0] - 3;
      p.high[0] = p.x[0] + (active ? 1e-10 : 3);
      p.z_u[0] = active ? 0.5 : 1e-10 / 3;
      p.z_l[0] = 1e-10 / 3;
      const oc_inertia found = measure(&p, NULL);
      assert_int_equal(found.active, active);
      assert_int_equal(found.kind, active ? OC_INERTIA_MINIMUM : OC_INERTIA_SADDLE);
      assert_int_equal(found.negative, !active);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_it_is_made_of_in_any_units),
      cmocka_unit_test(the_direction_of_a_saddle_leads_down),
      cmocka_unit_test(dependent_rows_hide_no_saddle),
      cmocka_unit_test(limits_count_where_they_are_active),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

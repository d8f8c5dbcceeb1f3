// The effort of a robot as a second-order Lagrangian, and the flow of a two-link arm by it.
#include "lib/base/dense.h"
#include "tests/support/arm.h"
#include "tests/support/forces.h"
#include "tests/support/second.h"

typedef struct whole_step {
  dm_second_order *w;
  double h;
} whole_step;
static void step(void *self, const double *x, double *out) { // (X0,P0) -> (X1,P1)
  whole_step *b = self;
  dm_second_order_info info;
  int n = b->w->n, size = b->w->size;
  memcpy(out, x, (size_t)size * sizeof *out);
  for (int i = 0; i < n; i++) out[i] += b->h * x[n + i];
  assert_int_equal(dm_second_order_step(b->w, x, x + size, b->h, out, out + size, &info), DM_OK);
}

// the step's derivative, from the blocks of the Hessian, is held by the order of its differences;
// A'JA = J
static void the_flow_is_symplectic(void **state) {
  (void)state;
  enum { size = 4, nx = 8 };
  arm a = arm_new();
  static const int rule[] = {0, 1, 4, 5};
  for (int r = 0; r < COUNT(rule); r++) {
    dm_second_order *w = second_of(&a.C, names[rule[r]]);
    whole_step b = {w, 0.05};
    double X0[size] = {0.3, -0.4, 1.5, 0.7}, X1[size], x[nx], y[nx], A[nx][nx], Ad[nx] = {0};
    double d[nx] = {0.5, -0.3, 0.8, 0.4};
    for (int i = 0; i < 2; i++) X1[i] = X0[i] + 0.05 * X0[2 + i], X1[2 + i] = X0[2 + i] + 0.04;
    assert_int_equal(dm_second_order_eval(w, 2, X0, X1, b.h), DM_OK);
    memcpy(x, X0, sizeof X0);
    for (int i = 0; i < size; i++) {
      x[size + i] = -w->D0[i];
      for (int j = 0; j < size; j++) // what keeps the other end moving much as it does
        d[size + i] -= w->D00[i * size + j] * d[j] + w->D01[i * size + j] * d[j];
    }
    step(&b, x, y);
    for (int i = 0; i < size; i++) assert_close(y[i], X1[i], 1e-12);
    assert_int_equal(dm_second_order_eval(w, 2, x, y, b.h), DM_OK);
    double M[size * size], Z[size * nx] = {0};
    int piv[size];
    memcpy(M, w->D01, sizeof M);
    assert_int_equal(dm_lu_factor(size, M, piv), DM_OK);
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) Z[i * nx + j] = -w->D00[i * size + j];
      Z[i * nx + size + i] = -1;
    }
    dm_lu_solve(size, M, piv, nx, Z);
    for (int i = 0; i < size; i++)
      for (int j = 0; j < nx; j++) {
        A[i][j] = Z[i * nx + j];
        A[size + i][j] = j < size ? w->D01[j * size + i] : 0;
        for (int k = 0; k < size; k++) A[size + i][j] += w->D11[i * size + k] * Z[k * nx + j];
      }
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) Ad[i] += A[i][j] * d[j];
    models_check_derivative(step, &b, nx, nx, x, d, Ad, 1e-3, "the step");
    // A's momenta are differences of products with blocks as large as D00
    double most = dm_largest(size * size, w->D00);
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) {
        double AJA = 0;
        for (int k = 0; k < size; k++) AJA += A[k][i] * A[size + k][j] - A[size + k][i] * A[k][j];
        assert_close(AJA, (j == i + size) - (i == j + size), 1e-14 * most);
      }
    dm_second_order_free(w);
  }
  arm_free(&a);
}

// gravity, damping, a general force and a mimic joint among them: what moves by itself needs no
// force
static void free_motion_costs_nothing(void **state) {
  (void)state;
  enum { MOST = 20 };
  dm_model *m = models_random_tree(5, true, 3);
  dm_system sys = dm_system_of(m);
  dm_continuous *c;
  dm_torque_cost *e;
  double x[3 * MOST], W[MOST], value, C_x[3 * MOST];
  uint64_t seed = 4;
  assert_true(m->nq <= MOST);
  for (int i = 0; i < 2 * m->nq; i++) x[i] = models_random(&seed);
  for (int i = 0; i < m->nq; i++) W[i] = 1 + i;
  forces_wave wave;
  dm_system_add_force(&sys, forces_wave_of(&wave, m->nq, 2));
  assert_int_equal(dm_continuous_new(&c, &sys), DM_OK);
  assert_int_equal(dm_torque_cost_new(&e, m, NULL, &sys.force, W), DM_OK);
  dm_second_order_lagrangian C = dm_torque_cost_lagrangian(e);
  assert_int_equal(dm_acceleration(c, x, x + m->nq, NULL, x + 2 * m->nq), DM_OK);
  assert_int_equal(C.eval(&C, 1, x, &value, C_x, NULL), DM_OK);
  for (int i = 0; i < m->nq; i++) assert_close(e->u[i], 0, 1e-11);
  x[m->nq] += 1;
  double expected = 0;
  assert_int_equal(C.eval(&C, 1, x, &value, C_x, NULL), DM_OK);
  for (int i = 0; i < m->nq; i++) expected += 0.5 * (1 + i) * e->u[i] * e->u[i];
  assert_true(expected > 0.01);
  assert_close(value, expected, 1e-13 * expected);
  dm_continuous_free(c), dm_torque_cost_free(e), dm_model_free(m);
}

// what limits of inputs need: u with its derivatives, and the Hessian of mu.u, at a node and pulled
// back to the knots
typedef struct limits {
  dm_torque_cost *e;
  dm_second_order *w;
  const double *mu;
  double h;
  int s;
} limits;
static void forces(void *self, const double *x, double *out) {
  limits *b = self;
  dm_second_order_node_at(b->w, b->s, x, x + b->w->size, b->h, b->w->x);
  assert_int_equal(dm_torque_cost_forces(b->e, 1, b->w->x, NULL, NULL), DM_OK);
  memcpy(out, b->e->u, (size_t)b->w->n * sizeof *out);
}
static void clear(dm_second_order *w) {
  size_t bytes = (size_t)w->size * sizeof *w->D0, all = bytes * (size_t)w->size;
  memset(w->D0, 0, bytes), memset(w->D1, 0, bytes);
  memset(w->D00, 0, all), memset(w->D01, 0, all), memset(w->D11, 0, all);
}
// of mu.u
static void gradient(void *self, const double *x, double *out) {
  limits *b = self;
  int m = b->w->size;
  forces(self, x, out);
  clear(b->w);
  for (int i = 0; i < b->w->n; i++)
    dm_second_order_add_node(b->w, b->s, b->h, b->mu[i], b->e->J + 3 * b->w->n * i, NULL);
  memcpy(out, b->w->D0, (size_t)m * sizeof *out);
  memcpy(out + m, b->w->D1, (size_t)m * sizeof *out);
}

static void limits_of_forces_have_exact_derivatives(void **state) {
  (void)state;
  enum { MOST = 20 };
  uint64_t seed = 4;
  double x[4 * MOST], d[4 * MOST], mu[MOST], W[MOST], ud[MOST] = {0}, Hd[4 * MOST] = {0};
  double *H = calloc(9 * MOST * MOST, sizeof *H);
  dm_model *m = models_random_tree(5, true, 2);
  limits b = {.mu = mu, .h = 0.7};
  assert_true(m->nq <= MOST);
  forces_wave wave;
  dm_forces f = {0};
  dm_forces_add(&f, forces_wave_of(&wave, m->nq, 2));
  assert_int_equal(dm_torque_cost_new(&b.e, m, NULL, &f, W), DM_OK);
  dm_second_order_lagrangian C = dm_torque_cost_lagrangian(b.e);
  dm_second_order *w = b.w = second_of(&C, "hermite-gauss");
  int nq = w->n, k = w->size;
  for (int i = 0; i < 2 * k; i++) x[i] = models_random(&seed), d[i] = models_random(&seed);
  for (int i = 0; i < nq; i++) mu[i] = models_random(&seed);
  for (b.s = 0; b.s < w->rule.nodes; b.s++) {
    memset(Hd, 0, sizeof Hd);
    dm_second_order_node_at(w, b.s, x, x + k, b.h, w->x);
    assert_int_equal(dm_torque_cost_forces(b.e, 2, w->x, mu, H), DM_OK);
    for (int i = 0; i < nq; i++) {
      clear(w);
      dm_second_order_add_node(w, b.s, b.h, 1, b.e->J + 3 * nq * i, H);
      ud[i] = 0;
      for (int j = 0; j < k; j++) ud[i] += w->D0[j] * d[j] + w->D1[j] * d[k + j];
    }
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) {
        Hd[i] += w->D00[i * k + j] * d[j] + w->D01[i * k + j] * d[k + j];
        Hd[k + i] += w->D01[j * k + i] * d[j] + w->D11[i * k + j] * d[k + j];
      }
    models_check_derivative(forces, &b, 2 * k, nq, x, d, ud, 1e-3, "u by the knots");
    models_check_derivative(gradient, &b, 2 * k, 2 * k, x, d, Hd, 1e-3, "the Hessian of mu.u");
  }
  dm_torque_cost *rough; // a force without second derivatives
  f.row[0].contract = NULL;
  assert_int_equal(dm_torque_cost_new(&rough, m, NULL, &f, W), DM_OK);
  assert_int_equal(dm_torque_cost_forces(rough, 1, w->x, mu, H), DM_OK);
  assert_int_equal(dm_torque_cost_forces(rough, 2, w->x, mu, H), DM_UNAVAILABLE);
  dm_torque_cost_free(rough);
  dm_second_order_free(w), dm_torque_cost_free(b.e), dm_model_free(m), free(H);
}

// a chain's steps, of which the processor takes several at once, are those that are taken by
// themselves: on trees with branches, sliding and mimic joints, armature and damping
static void steps_of_a_chain_are_single_steps(void **state) {
  (void)state;
  enum { COUNT_MAX = 11, MOST_SIZE = 40, SQUARE = MOST_SIZE * MOST_SIZE };
  static double X[(COUNT_MAX + 1) * MOST_SIZE], g[COUNT_MAX * 2 * MOST_SIZE];
  static double H[COUNT_MAX * 3 * SQUARE], Ld[COUNT_MAX], W[MOST_SIZE];
  for (int seed = 1; seed <= 6; seed++) {
    uint64_t s = (uint64_t)seed;
    dm_model *m = models_random_tree(2 + seed, seed % 2, s);
    for (int i = 0; i < m->nq; i++) W[i] = 0.5 + 0.1 * i;
    dm_torque_cost *effort = NULL;
    assert_int_equal(dm_torque_cost_new(&effort, m, NULL, NULL, W), DM_OK);
    dm_second_order_lagrangian C = dm_torque_cost_lagrangian(effort);
    dm_second_order *w = second_of(&C, names[seed % 2 ? 0 : 4]);
    int size = w->size, square = size * size;
    assert_true(size <= MOST_SIZE);
    for (int i = 0; i < (COUNT_MAX + 1) * size; i++) X[i] = models_random(&s);

    for (int order = 0; order <= 2; order++)
      for (int count = 1; count <= COUNT_MAX; count += 2) {
        assert_int_equal(dm_second_order_eval_chain(w, order, count, X, 0.1, Ld, g, H), DM_OK);
        for (int k = 0; k < count; k++) {
          const double *x = X + k * size;
          assert_int_equal(dm_second_order_eval_departure(w, order, x, x + size, 0.1), DM_OK);
          assert_close(Ld[k] / w->Ld, 1, 1e-13);
          const double *const part[] = {w->D1, w->D0, w->D11, w->D01, w->D00};
          for (int i = 0; i < (order > 1 ? 5 : 2 * order); i++) {
            int entries = i < 2 ? size : square;
            const double *one = i < 2 ? g + (2 * k + i) * size : H + (3 * k + i - 2) * square;
            double largest = dm_largest(entries, part[i]);
            for (int j = 0; j < entries; j++)
              assert_close(one[j] / largest, part[i][j] / largest, 1e-13);
          }
        }
      }

    // NaN is reported at every position
    X[9 * size] = NAN;
    assert_int_equal(dm_second_order_eval_chain(w, 0, COUNT_MAX, X, 0.1, Ld, NULL, NULL),
                     DM_NOT_FINITE);
    dm_second_order_free(w);
    dm_torque_cost_free(effort);
    dm_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_motion_costs_nothing),
      cmocka_unit_test(limits_of_forces_have_exact_derivatives),
      cmocka_unit_test(the_flow_is_symplectic),
      cmocka_unit_test(steps_of_a_chain_are_single_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The effort of a two-link arm as a second-order Lagrangian: its flow, and the boundary value
// problem from hanging to upright.
#include "tests/forces.h"
#include "tests/second.h"

#define PI 3.14159265358979323846

// -- the two-link arm: two uniform links of 1 kg and 1 m, both driven

typedef struct arm {
  dm_model *m;
  dm_effort *effort;
  dm_second_lagrangian C;
} arm;
static arm arm_new(void) {
  static const double W[] = {1, 1};
  dm_coordinate c[] = {models_coord("shoulder", false, 0, 1, 0),
                       models_coord("elbow", false, 0, 1, 0)};
  dm_pose tip = dm_identity;
  tip.p.z = -1;
  dm_body b[] = {{"upper", -1, dm_identity, 0, 1, 1, {0, 0, -0.5}, {0, 1. / 12}},
                 {"lower", 0, tip, 1, 1, 1, {0, 0, -0.5}, {0, 1. / 12}}};
  arm a = {.m = models_make(&(dm_tree){2, 2, 0, b, c, NULL, {0, 0, -9.8}})};
  assert_int_equal(dm_effort_new(&a.effort, a.m, NULL, NULL, W), DM_OK);
  a.C = dm_effort_lagrangian(a.effort);
  return a;
}
static void arm_free(arm *a) {
  dm_effort_free(a->effort), dm_model_free(a->m);
}

typedef struct whole_step {
  dm_second *w;
  double h;
} whole_step;
static void step(void *self, const double *x, double *out) { // (X0,P0) -> (X1,P1)
  whole_step *b = self;
  dm_second_info info;
  int n = b->w->n, size = b->w->size;
  memcpy(out, x, (size_t)size * sizeof *out);
  for (int i = 0; i < n; i++) out[i] += b->h * x[n + i];
  assert_int_equal(dm_second_step(b->w, x, x + size, b->h, out, out + size, &info), DM_OK);
}

// the step's derivative, from the blocks of the Hessian, is held by the order of its differences;
// A'JA = J
static void the_flow_is_symplectic(void **state) {
  (void)state;
  enum { size = 4, nx = 8 };
  arm a = arm_new();
  static const int rule[] = {0, 1, 4, 5};
  for (int r = 0; r < COUNT(rule); r++) {
    dm_second *w = second_of(&a.C, names[rule[r]]);
    whole_step b = {w, 0.05};
    double X0[size] = {0.3, -0.4, 1.5, 0.7}, X1[size], x[nx], y[nx], A[nx][nx], Ad[nx] = {0};
    double d[nx] = {0.5, -0.3, 0.8, 0.4};
    for (int i = 0; i < 2; i++) X1[i] = X0[i] + 0.05 * X0[2 + i], X1[2 + i] = X0[2 + i] + 0.04;
    assert_int_equal(dm_second_eval(w, 2, X0, X1, b.h), DM_OK);
    memcpy(x, X0, sizeof X0);
    for (int i = 0; i < size; i++) {
      x[size + i] = -w->D0[i];
      for (int j = 0; j < size; j++) // what keeps the other end moving much as it does
        d[size + i] -= w->D00[i * size + j] * d[j] + w->D01[i * size + j] * d[j];
    }
    step(&b, x, y);
    for (int i = 0; i < size; i++) assert_close(y[i], X1[i], 1e-12);
    assert_int_equal(dm_second_eval(w, 2, x, y, b.h), DM_OK);
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
    dm_second_free(w);
  }
  arm_free(&a);
}

// -- from hanging to upright in a second

enum { n = 2, size = 4, STEPS = 320, BAND = 2 * size };

typedef struct swing {
  dm_second *w;
  int N;
  double h, X[STEPS + 1][size];
  double J, g[STEPS * size], H[STEPS * size][BAND]; // lower band of the Hessian, velocities times h
  double p[STEPS * size];
} swing;

static double total(swing *s, int order) {
  s->J = 0;
  memset(s->g, 0, sizeof s->g), memset(s->H, 0, sizeof s->H);
  for (int k = 0; k < s->N; k++) {
    dm_second *w = s->w;
    if (dm_second_eval(w, order, s->X[k], s->X[k + 1], s->h) != DM_OK) return INFINITY;
    s->J += w->Ld;
    if (order < 2) continue;
    for (int i = 0; i < size; i++) {
      int row0 = (k - 1) * size + i, row1 = k * size + i; // of knots k and k+1
      double si = i < n ? 1 : 1 / s->h;
      if (k > 0) s->g[row0] += si * w->D0[i];
      if (k + 1 < s->N) s->g[row1] += si * w->D1[i];
      for (int j = 0; j < size; j++) {
        double sij = si * (j < n ? 1 : 1 / s->h);
        if (k > 0 && j <= i) s->H[row0][i - j] += sij * w->D00[i * size + j];
        if (k + 1 < s->N && j <= i) s->H[row1][i - j] += sij * w->D11[i * size + j];
        if (k > 0 && k + 1 < s->N) s->H[row1][size + i - j] += sij * w->D01[j * size + i];
      }
    }
  }
  return s->J;
}

// p = -(H + shift)^-1 g by Cholesky's method in the band; false where that is not definite
static bool newton(swing *s, double shift) {
  int m = (s->N - 1) * size;
  static double L[STEPS * size][BAND];
  memcpy(L, s->H, sizeof L);
  for (int i = 0; i < m; i++) {
    L[i][0] += shift;
    for (int j = i < BAND ? 0 : i - BAND + 1; j <= i; j++) {
      double sum = L[i][i - j];
      for (int k = i < BAND ? 0 : i - BAND + 1; k < j; k++)
        if (j - k < BAND) sum -= L[i][i - k] * L[j][j - k];
      if (i == j && !(sum > 0)) return false;
      L[i][i - j] = i == j ? sqrt(sum) : sum / L[j][0];
    }
  }
  for (int i = 0; i < m; i++) {
    s->p[i] = -s->g[i];
    for (int k = i < BAND ? 0 : i - BAND + 1; k < i; k++) s->p[i] -= L[i][i - k] * s->p[k];
    s->p[i] /= L[i][0];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m && k - i < BAND; k++) s->p[i] -= L[k][k - i] * s->p[k];
    s->p[i] /= L[i][0];
  }
  return true;
}

static void step_by(swing *s, double t) {
  for (int k = 1; k < s->N; k++)
    for (int i = 0; i < size; i++)
      s->X[k][i] += t * s->p[(k - 1) * size + i] * (i < n ? 1 : 1 / s->h);
}

// minimize the sum of Ld over the knots between the ends; the last decrement is at rounding level
static void solve(swing *s) {
  for (int iter = 0; iter < 100; iter++) {
    double J = total(s, 2), shift = 0, slope = 0, t = 1;
    while (!newton(s, shift)) shift = shift > 0 ? 4 * shift : 1e-4 / (s->h * s->h * s->h);
    for (int i = 0; i < (s->N - 1) * size; i++) slope += s->g[i] * s->p[i];
    step_by(s, t);
    if (shift == 0 && -slope < 1e-18 * J) return;
    while (!(total(s, 1) <= J + 1e-4 * t * slope) && t > 1e-10) t /= 2, step_by(s, -t);
    if (t <= 1e-10 && -slope < 1e-12 * J) return;
  }
  fail_msg("no minimum after 100 iterations");
}

// a bow through the ends, the elbow bent to one side
static void begin(swing *s, dm_second *w, int N, double bend) {
  *s = (swing){.w = w, .N = N, .h = 1. / N};
  for (int k = 0; k <= N; k++) {
    double t = k * s->h, c = sin(PI * t), S = (1 - cos(PI * t)) / 2;
    double x[] = {PI * S, bend * c * c, PI * PI / 2 * c, bend * PI * sin(2 * PI * t)};
    memcpy(s->X[k], x, sizeof x);
  }
  s->X[N][2] = s->X[0][2] = 0;
}

// twice as many knots, the new ones on the cubics between the old
static void refine(swing *s) {
  for (int k = s->N; k > 0; k--) {
    double *now = s->X[2 * k], *mid = s->X[2 * k - 1];
    const double *old = s->X[k], *before = s->X[k - 1];
    for (int i = 0; i < n; i++) {
      mid[i] = (before[i] + old[i]) / 2 + s->h * (before[n + i] - old[n + i]) / 8;
      mid[n + i] = 1.5 * (old[i] - before[i]) / s->h - (before[n + i] + old[n + i]) / 4;
    }
    memmove(now, old, sizeof s->X[k]);
  }
  s->N *= 2, s->h /= 2;
}

static swing s;

static void the_arm_swings_up_at_the_recorded_cost(void **state) {
  (void)state;
  arm a = arm_new();
  dm_second *w = second_of(&a.C, "taylor");
  static const struct {
    int N;
    double J;
  } recorded[] = {{20, 77.30431}, {40, 79.57581}};
  for (int r = 0; r < COUNT(recorded); r++) {
    begin(&s, w, recorded[r].N, 1.5);
    solve(&s);
    assert_close(s.J, recorded[r].J, 6e-6);
    for (int k = 0; k <= s.N; k++) assert_true(s.X[k][1] > -1e-9 && s.X[k][1] < 170 * PI / 180);
  }
  // each knot stepped once by the flow lands on the next, with its momenta
  for (int k = 0; k < s.N; k++) {
    double X[size], P[size];
    dm_second_info info;
    assert_int_equal(dm_second_eval(w, 1, s.X[k], s.X[k + 1], s.h), DM_OK);
    for (int i = 0; i < size; i++) P[i] = -w->D0[i];
    memcpy(X, s.X[k], sizeof X);
    for (int i = 0; i < n; i++) X[i] += s.h * X[n + i];
    assert_int_equal(dm_second_step(w, s.X[k], P, s.h, X, P, &info), DM_OK);
    assert_true(info.iterations <= 8);
    for (int i = 0; i < size; i++) assert_close(X[i], s.X[k + 1][i], 1e-11);
    if (k + 1 == s.N) break;
    assert_int_equal(dm_second_eval(w, 1, s.X[k + 1], s.X[k + 2], s.h), DM_OK);
    for (int i = 0; i < size; i++) assert_close(P[i], -w->D0[i], 1e-8);
  }
  // bent to the other side there is another minimum, some 11 % dearer
  double J = s.J;
  begin(&s, w, 40, -1.5);
  solve(&s);
  assert_close(s.J / J, 1.11, 0.01);
  for (int k = 0; k <= s.N; k++) assert_true(s.X[k][1] < 1e-9);
  dm_second_free(w), arm_free(&a);
}

// halving h divides the errors of the cost and of the knot at half time by 2^order: shown by the
// differences between one h and the next
static void knots_converge_with_the_order(void **state) {
  (void)state;
  static const struct { int rule, order; } rows[] = {{0, 2}, {1, 2}, {4, 4}, {5, 4}};
  arm a = arm_new();
  for (int r = 0; r < COUNT(rows); r++) {
    dm_second *w = second_of(&a.C, names[rows[r].rule]);
    double mid[3][size], J[3], change[2] = {0};
    begin(&s, w, 80, 1.5);
    for (int k = 0; k < 3; k++) {
      if (k > 0) refine(&s);
      solve(&s);
      memcpy(mid[k], s.X[s.N / 2], sizeof mid[k]);
      J[k] = s.J;
      for (int i = 0; k > 0 && i < size; i++)
        change[k - 1] = fmax(change[k - 1], fabs(mid[k][i] - mid[k - 1][i]));
    }
    double fall = ldexp(1, rows[r].order);
    assert_close((J[1] - J[0]) / (J[2] - J[1]) / fall, 1, 0.03);
    assert_close(change[0] / change[1] / fall, 1, 0.03);
    dm_second_free(w);
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
  dm_effort *e;
  double x[3 * MOST], W[MOST], value, C_x[3 * MOST];
  unsigned long long seed = 4;
  assert_true(m->nq <= MOST);
  for (int i = 0; i < 2 * m->nq; i++) x[i] = models_random(&seed);
  for (int i = 0; i < m->nq; i++) W[i] = 1 + i;
  forces_wave wave;
  dm_force f = forces_wave_of(&wave, m->nq, 2);
  dm_system_add_force(&sys, f);
  assert_int_equal(dm_continuous_new(&c, &sys), DM_OK);
  assert_int_equal(dm_effort_new(&e, m, NULL, &f, W), DM_OK);
  dm_second_lagrangian C = dm_effort_lagrangian(e);
  assert_int_equal(dm_acceleration(c, x, x + m->nq, NULL, x + 2 * m->nq), DM_OK);
  assert_int_equal(C.eval(&C, 1, x, &value, C_x, NULL), DM_OK);
  for (int i = 0; i < m->nq; i++) assert_close(e->u[i], 0, 1e-11);
  x[m->nq] += 1;
  double expected = 0;
  assert_int_equal(C.eval(&C, 1, x, &value, C_x, NULL), DM_OK);
  for (int i = 0; i < m->nq; i++) expected += 0.5 * (1 + i) * e->u[i] * e->u[i];
  assert_true(expected > 0.01);
  assert_close(value, expected, 1e-13 * expected);
  dm_continuous_free(c), dm_effort_free(e), dm_model_free(m);
}

// what limits of inputs need: u with its derivatives, and the Hessian of mu.u, at a node and pulled
// back to the knots
typedef struct limits {
  dm_effort *e;
  dm_second *w;
  const double *mu;
  double h;
  int s;
} limits;
static void forces(void *self, const double *x, double *out) {
  limits *b = self;
  dm_second_node_at(b->w, b->s, x, x + b->w->size, b->h, b->w->x);
  assert_int_equal(dm_effort_forces(b->e, 1, b->w->x, NULL, NULL), DM_OK);
  memcpy(out, b->e->u, (size_t)b->w->n * sizeof *out);
}
static void clear(dm_second *w) {
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
    dm_second_pull(b->w, b->s, b->h, b->mu[i], b->e->J + 3 * b->w->n * i, NULL);
  memcpy(out, b->w->D0, (size_t)m * sizeof *out);
  memcpy(out + m, b->w->D1, (size_t)m * sizeof *out);
}

static void limits_of_forces_have_exact_derivatives(void **state) {
  (void)state;
  enum { MOST = 20 };
  unsigned long long seed = 4;
  double x[4 * MOST], d[4 * MOST], mu[MOST], W[MOST], ud[MOST] = {0}, Hd[4 * MOST] = {0};
  double *H = calloc(9 * MOST * MOST, sizeof *H);
  dm_model *m = models_random_tree(5, true, 2);
  limits b = {.mu = mu, .h = 0.7};
  assert_true(m->nq <= MOST);
  forces_wave wave;
  dm_force f = forces_wave_of(&wave, m->nq, 2);
  assert_int_equal(dm_effort_new(&b.e, m, NULL, &f, W), DM_OK);
  dm_second_lagrangian C = dm_effort_lagrangian(b.e);
  dm_second *w = b.w = second_of(&C, "hermite-gauss");
  int nq = w->n, k = w->size;
  for (int i = 0; i < 2 * k; i++) x[i] = models_random(&seed), d[i] = models_random(&seed);
  for (int i = 0; i < nq; i++) mu[i] = models_random(&seed);
  for (b.s = 0; b.s < w->rule.nodes; b.s++) {
    memset(Hd, 0, sizeof Hd);
    dm_second_node_at(w, b.s, x, x + k, b.h, w->x);
    assert_int_equal(dm_effort_forces(b.e, 2, w->x, mu, H), DM_OK);
    for (int i = 0; i < nq; i++) {
      clear(w);
      dm_second_pull(w, b.s, b.h, 1, b.e->J + 3 * nq * i, H);
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
  dm_effort *rough; // a force without second derivatives
  f.contract = NULL;
  assert_int_equal(dm_effort_new(&rough, m, NULL, &f, W), DM_OK);
  assert_int_equal(dm_effort_forces(rough, 1, w->x, mu, H), DM_OK);
  assert_int_equal(dm_effort_forces(rough, 2, w->x, mu, H), DM_UNAVAILABLE);
  dm_effort_free(rough);
  dm_second_free(w), dm_effort_free(b.e), dm_model_free(m), free(H);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_motion_costs_nothing),
      cmocka_unit_test(limits_of_forces_have_exact_derivatives),
      cmocka_unit_test(the_flow_is_symplectic),
      cmocka_unit_test(the_arm_swings_up_at_the_recorded_cost),
      cmocka_unit_test(knots_converge_with_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

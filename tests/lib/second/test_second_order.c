// Discrete Lagrangians of second and higher order: their formulas, derivatives by the order of the
// error, splines in closed form.
#include "lib/base/dense.h"
#include "tests/support/forces.h"
#include "tests/support/second.h"

// exp(b.x) + cos(c.x) + (d.x)^4, nothing of it zero
static dm_status anything(const dm_second_order_lagrangian *C, int order, const double *x,
                          double *value, double *C_x, double *C_xx) {
  enum { TERMS = 3 };
  int size = (C->k + 1) * C->n;
  double s[TERMS] = {0}, f[TERMS][3];
#define B(m, i) (0.4 * sin(7 * (m) + 3 * (i) + 1))
  for (int m = 0; m < TERMS; m++)
    for (int i = 0; i < size; i++) s[m] += B(m, i) * x[i];
  f[0][0] = f[0][1] = f[0][2] = exp(s[0]);
  f[1][0] = cos(s[1]), f[1][1] = -sin(s[1]), f[1][2] = -cos(s[1]);
  f[2][0] = pow(s[2], 4), f[2][1] = 4 * pow(s[2], 3), f[2][2] = 12 * pow(s[2], 2);
  *value = f[0][0] + f[1][0] + f[2][0];
  for (int i = 0; i < size; i++) {
    C_x[i] = 0;
    for (int m = 0; m < TERMS; m++) C_x[i] += f[m][1] * B(m, i);
    for (int j = 0; order > 1 && j < size; j++) {
      C_xx[i * size + j] = 0;
      for (int m = 0; m < TERMS; m++) C_xx[i * size + j] += f[m][2] * B(m, i) * B(m, j);
    }
  }
#undef B
  return DM_OK;
}

enum { MOST = 30 }; // of size

typedef struct interval {
  dm_second_order *w;
  double h;
} interval;
static void action(void *self, const double *x, double *out) {
  interval *b = self;
  assert_int_equal(dm_second_order_eval(b->w, 1, x, x + b->w->size, b->h), DM_OK);
  *out = b->w->Ld;
}
static void gradient(void *self, const double *x, double *out) {
  interval *b = self;
  size_t size = (size_t)b->w->size;
  assert_int_equal(dm_second_order_eval(b->w, 1, x, x + size, b->h), DM_OK);
  memcpy(out, b->w->D0, size * sizeof *out);
  memcpy(out + size, b->w->D1, size * sizeof *out);
}

static void check(dm_second_order *w, uint64_t seed) {
  double x[2 * MOST], d[2 * MOST], g = 0, Hd[2 * MOST] = {0};
  int size = w->size;
  assert_true(size <= MOST);
  for (int i = 0; i < 2 * size; i++) x[i] = models_random(&seed), d[i] = models_random(&seed);
  interval b = {w, 0.7};
  assert_int_equal(dm_second_order_eval(w, 2, x, x + size, b.h), DM_OK);
  for (int i = 0; i < size; i++) {
    g += w->D0[i] * d[i] + w->D1[i] * d[size + i];
    for (int j = 0; j < size; j++) {
      Hd[i] += w->D00[i * size + j] * d[j] + w->D01[i * size + j] * d[size + j];
      Hd[size + i] += w->D01[j * size + i] * d[j] + w->D11[i * size + j] * d[size + j];
    }
  }
  models_check_derivative(action, &b, 2 * size, 1, x, d, &g, 1e-3, "gradient of Ld");
  models_check_derivative(gradient, &b, 2 * size, 2 * size, x, d, Hd, 1e-3, "Hessian of Ld");
}

// By the departure Y = X1 - Phi X0 the same derivatives: D0 + Phi'D1 in place of D0, and so on.
static void check_departure(dm_second_order *w, uint64_t seed) {
  enum { ALL = 2 * MOST };
  double x[ALL] = {0}, h = 0.7, T[ALL * ALL] = {0}, D[ALL], H[ALL * ALL], TH[ALL * ALL];
  int size = w->size, n = w->n, all = 2 * size;
  for (int i = 0; i < all; i++) x[i] = models_random(&seed), T[i * all + i] = 1;
  for (int i = 0; i < size; i++) {
    double phi = 1;
    for (int j = i, s = 1; j < size; j += n, s++) T[(size + i) * all + j] = phi, phi *= h / s;
  }
  assert_int_equal(dm_second_order_eval(w, 2, x, x + size, h), DM_OK);
  memcpy(D, w->D0, (size_t)size * sizeof *D), memcpy(D + size, w->D1, (size_t)size * sizeof *D);
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      H[i * all + j] = w->D00[i * size + j];
      H[i * all + size + j] = H[(size + j) * all + i] = w->D01[i * size + j];
      H[(size + i) * all + size + j] = w->D11[i * size + j];
    }
  double Ld = w->Ld, most = 0;
  for (int i = 0; i < all * all; i++) most = fmax(most, fabs(H[i]));
  for (int i = 0; i < all; i++)
    for (int j = 0; j < all; j++) {
      TH[i * all + j] = 0;
      for (int l = 0; l < all; l++) TH[i * all + j] += T[l * all + i] * H[l * all + j];
    }
  assert_int_equal(dm_second_order_eval_departure(w, 2, x, x + size, h), DM_OK);
  assert_true(w->Ld == Ld);
  for (int i = 0; i < all; i++) {
    double sum = 0, got = i < size ? w->D0[i] : w->D1[i - size];
    for (int l = 0; l < all; l++) sum += T[l * all + i] * D[l];
    assert_close(got, sum, 1e-12 * most);
    for (int j = i < size ? 0 : size; j < all; j++) {
      const double *block = j < size ? w->D00 : i < size ? w->D01 : w->D11;
      double THT = 0;
      for (int l = 0; l < all; l++) THT += TH[i * all + l] * T[l * all + j];
      assert_close(block[i % size * size + j % size], THT, 1e-12 * most);
    }
  }
  // of order 0 the value alone
  w->D0[0] = 7;
  assert_int_equal(dm_second_order_eval(w, 0, x, x + size, h), DM_OK);
  assert_true(w->Ld == Ld && w->D0[0] == 7);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  for (int r = 0; r < COUNT(names); r++) {
    for (int k = 1; k <= 3; k++) {
      dm_second_order *w = second_of(
          &(dm_second_order_lagrangian){.n = 2, .k = k, .self = NULL, .eval = anything}, names[r]);
      check(w, 7), check_departure(w, 7);
      dm_second_order_free(w);
    }
    for (uint64_t seed = 1; seed <= 2; seed++) {
      dm_model *m = models_random_tree(5, seed == 2, seed);
      double W[MOST];
      for (int i = 0; i < m->nq; i++) W[i] = 0.01 * (1 + i % 3);
      dm_torque_cost *e;
      forces_wave wave;
      dm_forces f = {0};
      dm_forces_add(&f, forces_wave_of(&wave, m->nq, 2));
      assert_int_equal(dm_torque_cost_new(&e, m, NULL, seed == 2 ? &f : NULL, W), DM_OK);
      dm_second_order_lagrangian C = dm_torque_cost_lagrangian(e);
      dm_second_order *w = second_of(&C, names[r]);
      check(w, seed), check_departure(w, seed);
      dm_second_order_free(w), dm_torque_cost_free(e), dm_model_free(m);
    }
  }
}

// each rule alone, and a weighted average of two
static void rules_are_their_formulas(void **state) {
  (void)state;
  enum { n = 2 };
  dm_second_order_lagrangian C = {.n = n, .k = 2, .eval = anything};
  double x[8], h = 0.3, grad[6], Ld[COUNT(names)], expected[COUNT(names)] = {0};
  uint64_t seed = 3;
  for (int i = 0; i < 8; i++) x[i] = models_random(&seed);
  const double *q0 = x, *v0 = x + 2, *q1 = x + 4, *v1 = x + 6;
  double at[6][6]; // (q,v,a): means with either Taylor's, ends with either, ends with a difference
  double middle[6];
  for (int i = 0; i < n; i++) {
    double a0 = 2 * (q1[i] - q0[i] - h * v0[i]) / (h * h);
    double a1 = 2 * (q0[i] - q1[i] + h * v1[i]) / (h * h);
    double qm = (q0[i] + q1[i]) / 2, vm = (v0[i] + v1[i]) / 2, dv = (v1[i] - v0[i]) / h;
    double rows[6][3] = {{qm, vm, a0},       {qm, vm, a1},       {q0[i], v0[i], a0},
                         {q1[i], v1[i], a1}, {q0[i], v0[i], dv}, {q1[i], v1[i], dv}};
    for (int k = 0; k < 6; k++)
      for (int d = 0; d < 3; d++) at[k][d * n + i] = rows[k][d];
    middle[i] = qm, middle[n + i] = vm, middle[2 * n + i] = dv;
  }
  for (int k = 0; k < 6; k++) {
    double value;
    anything(&C, 1, at[k], &value, grad, NULL);
    expected[k / 2] += h / 2 * value;
  }
  anything(&C, 1, middle, &expected[3], grad, NULL);
  expected[3] *= h;
  for (int r = 0; r < COUNT(names); r++) {
    dm_second_order *w = second_of(&C, names[r]);
    assert_int_equal(dm_second_order_eval(w, 1, x, x + 4, h), DM_OK);
    Ld[r] = w->Ld;
    if (r < 4) assert_close(Ld[r], expected[r], 1e-14 * fabs(Ld[r]));
    dm_second_order_free(w);
  }
  dm_second_order_rule a, b, both;
  dm_second_order *w;
  assert_int_equal(dm_second_order_rule_set(&a, names[0], 2, NULL), DM_OK);
  assert_int_equal(dm_second_order_rule_set(&b, names[5], 2, NULL), DM_OK);
  assert_int_equal(dm_second_order_rule_average(&both, 0.3, &a, &b), DM_OK);
  assert_int_equal(dm_second_order_new(&w, &C, &both, NULL), DM_OK);
  assert_int_equal(dm_second_order_eval(w, 1, x, x + 4, h), DM_OK);
  assert_close(w->Ld, 0.3 * Ld[0] + 0.7 * Ld[5], 1e-14 * fabs(w->Ld));
  dm_second_order_free(w);
  // not with more nodes than there is room for, nor of different orders
  assert_int_equal(dm_second_order_rule_set(&a, names[5], 3, NULL), DM_OK);
  assert_int_equal(dm_second_order_rule_average(&both, 0.5, &a, &a), DM_OK);
  assert_int_equal(dm_second_order_rule_average(&both, 0.5, &both, &a), DM_BAD_INPUT);
  assert_int_equal(dm_second_order_rule_average(&both, 0.5, &a, &b), DM_BAD_INPUT);
}

// k = 1 is the midpoint rule of lib/discrete/interval
static dm_status first_order(const dm_second_order_lagrangian *C, int order, const double *x,
                             double *value, double *C_x, double *C_xx) {
  dm_interval *d = C->self;
  int n = C->n;
  DM_TRY(d->s.L.eval(d->s.L.self, d->nodes->L_scratch, 2, x, x + n, &d->nodes->jet));
  *value = d->nodes->jet.L;
  memcpy(C_x, d->nodes->jet.L_q, (size_t)n * sizeof *C_x);
  memcpy(C_x + n, d->nodes->jet.L_v, (size_t)n * sizeof *C_x);
  for (int i = 0; order > 1 && i < n; i++)
    for (int j = 0; j < n; j++) {
      double *row = C_xx + 2 * n * i + j;
      row[0] = d->nodes->jet.L_qq[i * n + j], row[n] = d->nodes->jet.L_qv[i * n + j];
      row[2 * n * n] = d->nodes->jet.L_qv[j * n + i],
                  row[2 * n * n + n] = d->nodes->jet.L_vv[i * n + j];
    }
  return DM_OK;
}
static void first_order_is_the_midpoint_rule(void **state) {
  (void)state;
  dm_model *m = models_random_tree(5, false, 2);
  dm_system s = dm_system_of(m);
  s.damping = NULL;
  dm_interval *d;
  assert_int_equal(dm_interval_new(&d, &s), DM_OK);
  dm_second_order_lagrangian L = {.n = m->nq, .k = 1, .self = d, .eval = first_order};
  dm_second_order *w = second_of(&L, "hermite-gauss");
  double q[2 * MOST], zero[MOST] = {0};
  uint64_t seed = 5;
  int n = m->nq;
  for (int i = 0; i < 2 * n; i++) q[i] = models_random(&seed);
  assert_int_equal(dm_second_order_eval(w, 2, q, q + n, 0.2), DM_OK);
  assert_int_equal(dm_interval_eval(d, 2, q, q + n, zero, 0.2), DM_OK);
  double size = dm_largest(n * n, d->D12);
  for (int i = 0; i < n; i++) {
    assert_close(w->D0[i], d->D1[i], 1e-12 * size);
    assert_close(w->D1[i], d->D2[i], 1e-12 * size);
    for (int j = 0; j < n; j++) assert_close(w->D01[i * n + j], d->D12[i * n + j], 1e-12 * size);
  }
  dm_second_order_free(w), dm_interval_free(d), dm_model_free(m);
}

// splines in closed form: Ld, its regularity, and the two evolutions, by the paper's rule and
// exact
static void splines_are_the_closed_forms(void **state) {
  (void)state;
  for (int exact = 0; exact < 3; exact++) {
    dm_second_order_lagrangian C = dm_second_order_spline(1, 2);
    dm_second_order *w = second_of(&C, exact ? names[3 + exact] : "taylor");
    double h = 0.5, q0 = 0.3, v0 = -0.4, q1 = 0.1, v1 = 0.7, e = q1 - q0;
    double X0[] = {q0, v0}, X1[] = {q1, v1};
    for (int i = 0; i < 9; i++) w->C_xx[i] = NAN; // all of it is written
    assert_int_equal(dm_second_order_eval(w, 2, X0, X1, h), DM_OK);
    double taylor = (pow(e - h * v0, 2) + pow(e - h * v1, 2)) / pow(h, 3);
    double spline =
        6 / pow(h, 3) * e * e - 6 / (h * h) * e * (v0 + v1) + 2 / h * (v0 * v0 + v0 * v1 + v1 * v1);
    assert_close(w->Ld, exact ? spline : taylor, 1e-13);
    double det = w->D01[0] * w->D01[3] - w->D01[1] * w->D01[2];
    assert_close(det, (exact ? 12 : 4) / pow(h, 4), 1e-11);
    assert_int_equal(dm_second_order_check(w, X0, X1, h, NULL), DM_OK);

    // a hundred steps from the data of q = t + t^2 - t^3/4
    double q[102] = {0, 0.5 + 0.25 - 0.125 / 4}, v[102] = {1, 1 + 1 - 0.75 * 0.25};
    double I = (q[1] - q[0]) / h - (v[0] + v[1]) / 2, P[2];
    assert_int_equal(dm_second_order_eval(w, 1, (double[]){q[0], v[0]}, (double[]){q[1], v[1]}, h),
                     DM_OK);
    memcpy(P, w->D1, sizeof P);
    assert_close(P[0], (exact ? 12 : 4) * I / (h * h), 1e-12);
    for (int k = 0; k + 2 < COUNT(q); k++) {
      double next[] = {q[k + 1], v[k + 1]};
      dm_second_order_info info;
      assert_int_equal(
          dm_second_order_step(w, (double[]){q[k + 1], v[k + 1]}, P, h, next, P, &info), DM_OK);
      q[k + 2] = next[0], v[k + 2] = next[1];
      double size = 1e-14 * (1 + fabs(next[0])) / h;
      double dq = q[k + 1] - q[k];
      if (exact) {
        double t = h * (k + 2);
        assert_close(next[0], 5 * q[k] - 4 * q[k + 1] + 2 * h * (v[k] + 2 * v[k + 1]), 100 * size);
        assert_close(next[1], 5 * v[k] + 8 * v[k + 1] - 12 / h * dq, 100 * size);
        assert_close(next[0], t + t * t - t * t * t / 4, 1e-12 * (k + 1) * (1 + t * t * t));
      } else {
        assert_close(next[0], q[k] + 2 * h * v[k + 1], 100 * size);
        assert_close(next[1], v[k] + 4 * v[k + 1] - 4 / h * dq, 100 * size);
      }
      // the preserved quantity, and the momentum it is: to rounding
      assert_close((next[0] - q[k + 1]) / h - (v[k + 1] + next[1]) / 2, I, 10 * size);
    }
    dm_second_order_free(w);
  }
}

// the Legendre transforms of the exact discrete Lagrangian are those of C: (-q''', q'') for
// splines, (q^(5), -q^(4), q''') for k = 3; and its flow follows the polynomial
static void exact_legendre_transforms_are_the_continuous_ones(void **state) {
  (void)state;
  static const double p[] = {0.3, -0.2, 0.5, 0.7, -0.4, 0.6}; // of t^i
  for (int k = 2; k <= 3; k++)
    for (int rule = 4; rule < 6; rule++) {
      dm_second_order_lagrangian C = dm_second_order_spline(1, k);
      dm_second_order *w = second_of(&C, names[rule]);
      double h = 0.8, D[3][6] = {{0}}; // q and its derivatives at 0, h, 2h
      for (int t = 0; t < 3; t++)
        for (int d = 0; d < 2 * k; d++)
          for (int i = 2 * k - 1; i >= d; i--) {
            double c = p[i];
            for (int j = 0; j < d; j++) c *= i - j;
            D[t][d] = D[t][d] * (h * t) + c;
          }
      double P[2][3]; // d-th: (-1)^(k-1-d) q^(2k-1-d)
      for (int t = 0; t < 2; t++)
        for (int d = 0; d < k; d++) P[t][d] = ((k - 1 - d) % 2 ? -1 : 1) * D[t][2 * k - 1 - d];
      assert_int_equal(dm_second_order_eval(w, 1, D[0], D[1], h), DM_OK);
      for (int d = 0; d < k; d++) {
        assert_close(-w->D0[d], P[0][d], 1e-10);
        assert_close(w->D1[d], P[1][d], 1e-10);
      }
      dm_second_order_info info;
      double X[3];
      memcpy(X, D[1], sizeof X);
      assert_int_equal(dm_second_order_step(w, D[1], P[1], h, X, P[0], &info), DM_OK);
      for (int d = 0; d < k; d++) assert_close(X[d], D[2][d], 1e-11);
      assert_true(info.iterations <= 2);
      dm_second_order_free(w);
    }
}

// C = (v^2 + 4 q^2)/2
static dm_status unstable(const dm_second_order_lagrangian *C, int order, const double *x,
                          double *value, double *C_x, double *C_xx) {
  (void)C;
  *value = (x[1] * x[1] + 4 * x[0] * x[0]) / 2;
  C_x[0] = 4 * x[0], C_x[1] = x[1];
  if (order > 1) C_xx[0] = 4, C_xx[1] = C_xx[2] = 0, C_xx[3] = 1;
  return DM_OK;
}

typedef struct by_step {
  dm_second_order *w;
  const double *X;
} by_step;
static void action_of_step(void *self, const double *h, double *out) {
  by_step *b = self;
  assert_int_equal(dm_second_order_eval(b->w, 0, b->X, b->X + b->w->size, *h), DM_OK);
  *out = b->w->Ld;
}

// E is -dLd/dh, held against differences; of a cubic by a rule that is exact for it,
// -q''' q' + q''^2/2
static void energy_is_the_derivative_by_the_step(void **state) {
  (void)state;
  for (int k = 2; k <= 3; k++)
    for (int r = 0; r < COUNT(names); r++) {
      dm_second_order_lagrangian C = {.n = 2, .k = k, .eval = anything};
      dm_second_order *w = second_of(&C, names[r]);
      double X[2 * MOST], h = 0.7, E, d = 1;
      uint64_t seed = 9;
      for (int i = 0; i < 2 * w->size; i++) X[i] = models_random(&seed);
      assert_int_equal(dm_second_order_energy(w, X, X + w->size, h, &E), DM_OK);
      E = -E;
      models_check_derivative(action_of_step, &(by_step){w, X}, 1, 1, &h, &d, &E, 1e-3, names[r]);
      dm_second_order_free(w);
    }

  // q = t + t^2 - t^3/4 from t = 0.3 to 0.8
  double X[2][2], E;
  for (int e = 0; e < 2; e++) {
    double t = 0.3 + 0.5 * e;
    X[e][0] = t + t * t - t * t * t / 4;
    X[e][1] = 1 + 2 * t - 0.75 * t * t;
  }
  dm_second_order_lagrangian S = dm_second_order_spline(1, 2);
  dm_second_order *w = second_of(&S, "hermite-gauss");
  assert_int_equal(dm_second_order_energy(w, X[0], X[1], 0.5, &E), DM_OK);
  assert_close(E, 1.5 + 2, 1e-13);
  dm_second_order_free(w);
}

static void what_is_degenerate_is_refused(void **state) {
  (void)state;
  double X0[] = {0.1, 0.2, 0.3, -0.4, 0.2, 0.1}, X1[] = {0.2, 0.2, 0.2, -0.3, 0.1, 0.4};
  dm_message msg;
  static const struct {
    const char *name;
    int k;
    const char *says;
  } rows[] = {{"difference-ends", 2, "'difference-ends' is degenerate"},
              {"difference-midpoint", 2, "rank 1 of 2"},
              {"taylor", 3, "order 3: its jerks give D0 D1 Ld rank 2 of 3"}};
  for (int r = 0; r < COUNT(rows); r++) {
    dm_second_order_lagrangian C = dm_second_order_spline(2, rows[r].k);
    dm_second_order *w = second_of(&C, rows[r].name);
    assert_int_equal(dm_second_order_check(w, X0, X1, 0.1, &msg), DM_SINGULAR);
    if (!strstr(msg.text, rows[r].says)) fail_msg("'%s' does not say '%s'", msg.text, rows[r].says);
    double P[6] = {0}, X[6], Y[6] = {7};
    dm_second_order_info info;
    memcpy(X, X1, sizeof X);
    assert_int_equal(dm_second_order_step(w, X0, P, 0.1, X, Y, &info), DM_SINGULAR);
    assert_memory_equal(X, X1, sizeof X);
    assert_true(Y[0] == 7);
    dm_second_order_free(w);
  }
  // a joint without a drive
  dm_model *m = models_acrobot();
  dm_torque_cost *e;
  assert_int_equal(dm_torque_cost_new(&e, m, NULL, NULL, (double[]){0, 1}), DM_OK);
  dm_second_order_lagrangian C = dm_torque_cost_lagrangian(e);
  dm_second_order *w = second_of(&C, "hermite-gauss");
  assert_int_equal(dm_second_order_check(w, X0, X1, 0.1, &msg), DM_SINGULAR);
  if (!strstr(msg.text, "the Lagrangian is singular")) fail_msg("%s", msg.text);
  dm_second_order_free(w), dm_torque_cost_free(e), dm_model_free(m);

  // and a step of 1 s, for which D01 = -1/h + h
  w = second_of(&(dm_second_order_lagrangian){.n = 1, .k = 1, .self = NULL, .eval = unstable},
                "hermite-gauss");
  assert_int_equal(dm_second_order_check(w, X0, X1, 0.9, &msg), DM_OK);
  assert_int_equal(dm_second_order_check(w, X0, X1, 1, &msg), DM_SINGULAR);
  if (!strstr(msg.text, "D0 D1 Ld: a linear system is singular")) fail_msg("%s", msg.text);
  dm_second_order_free(w);

  dm_second_order_rule rule;
  assert_int_equal(dm_second_order_rule_set(&rule, "tailor", 2, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'tailor'; there are taylor, "));
  assert_int_equal(dm_second_order_rule_set(&rule, "taylor", 4, &msg), DM_BAD_INPUT);
  assert_int_equal(dm_second_order_rule_set(&rule, "taylor", 2, &msg), DM_OK);
  C = dm_second_order_spline(1, 3);
  assert_int_equal(dm_second_order_new(&w, &C, &rule, &msg), DM_BAD_INPUT);
}

// C = sqrt(1 + v^2): no momentum is larger than 1
static dm_status bounded(const dm_second_order_lagrangian *C, int order, const double *x,
                         double *value, double *C_x, double *C_xx) {
  (void)C;
  double v = x[1], root = sqrt(1 + v * v);
  *value = root;
  C_x[0] = 0, C_x[1] = v / root;
  if (order > 1) C_xx[0] = C_xx[1] = C_xx[2] = 0, C_xx[3] = 1 / (root * root * root);
  return DM_OK;
}

static void steps_that_cannot_be_taken_say_so(void **state) {
  (void)state;
  dm_second_order *w =
      second_of(&(dm_second_order_lagrangian){.n = 1, .k = 1, .self = NULL, .eval = bounded},
                "hermite-gauss");
  double h = 0.1, X0 = 1, X1 = 1, P0 = 0.6, P1 = 7;
  dm_second_order_info info;
  assert_int_equal(dm_second_order_step(w, &X0, &P0, h, &X1, &P1, &info), DM_OK);
  assert_close(X1, 1 + h * 0.75, 1e-14); // v/sqrt(1+v^2) = 0.6
  assert_close(P1, 0.6, 1e-14);
  P0 = 2;
  assert_int_equal(dm_second_order_step(w, &X0, &P0, h, &X1, &P1, &info), DM_MAX_ITER);
  P0 = NAN, X1 = 3, P1 = 7;
  assert_int_equal(dm_second_order_step(w, &X0, &P0, h, &X1, &P1, &info), DM_NOT_FINITE);
  assert_true(X1 == 3 && P1 == 7);
  dm_second_order_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(rules_are_their_formulas),
      cmocka_unit_test(first_order_is_the_midpoint_rule),
      cmocka_unit_test(splines_are_the_closed_forms),
      cmocka_unit_test(exact_legendre_transforms_are_the_continuous_ones),
      cmocka_unit_test(energy_is_the_derivative_by_the_step),
      cmocka_unit_test(what_is_degenerate_is_refused),
      cmocka_unit_test(steps_that_cannot_be_taken_say_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// One interval: D1 and D2 as derivatives of the discrete action, their blocks and Hessian by the
// order of their differences, for every rule and with forces.
#include "tests/support/forces.h"
#include "tests/support/lanes.h"

typedef struct interval {
  dm_interval *d;
  int n, nu;
  double x[64];  // q0, q1, u, h
  double mu[40]; // mu0, mu1
} interval;

static int size(const interval *w) {
  return 2 * w->n + w->nu + 1;
}

static void eval(interval *w, int order, const double *x) {
  int n = w->n;
  assert_int_equal(dm_interval_eval(w->d, order, x, x + n, x + 2 * n, x[2 * n + w->nu]), DM_OK);
}

static void action(void *self, const double *x, double *out) {
  interval *w = self;
  eval(w, 1, x);
  *out = w->d->Ld;
}
static void covectors(void *self, const double *x, double *out) {
  interval *w = self;
  eval(w, 1, x);
  memcpy(out, w->d->D1, (size_t)w->n * sizeof *out);
  memcpy(out + w->n, w->d->D2, (size_t)w->n * sizeof *out);
}

// the derivative of mu0.D1 + mu1.D2 by all of x
static void paired(void *self, const double *x, double *out) {
  interval *w = self;
  const dm_interval *d = w->d;
  int n = w->n;
  const double *mu0 = w->mu, *mu1 = w->mu + n;
  eval(w, 2, x);
  memset(out, 0, (size_t)size(w) * sizeof *out);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      out[j] += mu0[i] * d->D11[i * n + j] + mu1[i] * d->D21[i * n + j];
      out[n + j] += mu0[i] * d->D12[i * n + j] + mu1[i] * d->D22[i * n + j];
    }
    out[2 * n + w->nu] += mu0[i] * d->D1h[i] + mu1[i] * d->D2h[i];
  }
  for (int e = 0; e < d->nz; e++)
    out[2 * n + d->col[e]] += mu0[d->row[e]] * d->D1u[e] + mu1[d->row[e]] * d->D2u[e];
}

// D1 and D2 along dx, from the blocks
static void blocks_times(interval *w, const double *dx, double *out) {
  const dm_interval *d = w->d;
  int n = w->n;
  double dh = dx[2 * n + w->nu];
  for (int i = 0; i < n; i++) {
    out[i] = d->D1h[i] * dh, out[n + i] = d->D2h[i] * dh;
    for (int j = 0; j < n; j++) {
      out[i] += d->D11[i * n + j] * dx[j] + d->D12[i * n + j] * dx[n + j];
      out[n + i] += d->D21[i * n + j] * dx[j] + d->D22[i * n + j] * dx[n + j];
    }
  }
  for (int e = 0; e < d->nz; e++) {
    out[d->row[e]] += d->D1u[e] * dx[2 * n + d->col[e]];
    out[n + d->row[e]] += d->D2u[e] * dx[2 * n + d->col[e]];
  }
}

static void hessian_times(interval *w, const double *dx, double *out) {
  const dm_interval *d = w->d;
  int n = w->n, hh = 2 * n + w->nu;
  memset(out, 0, (size_t)size(w) * sizeof *out);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      out[i] += d->H00[i * n + j] * dx[j] + d->H01[i * n + j] * dx[n + j];
      out[n + i] += d->H01[j * n + i] * dx[j] + d->H11[i * n + j] * dx[n + j];
    }
    out[i] += d->H0h[i] * dx[hh], out[n + i] += d->H1h[i] * dx[hh];
    out[hh] += d->H0h[i] * dx[i] + d->H1h[i] * dx[n + i];
  }
  for (int c = 0; c < w->nu; c++) {
    out[2 * n + c] += d->Huh[c] * dx[hh];
    out[hh] += d->Huh[c] * dx[2 * n + c];
  }
  for (int e = d->nj; e < d->nz; e++) {
    int i = d->row[e], c = 2 * n + d->col[e];
    out[i] += d->H0u[e] * dx[c], out[c] += d->H0u[e] * dx[i];
    out[n + i] += d->H1u[e] * dx[c], out[c] += d->H1u[e] * dx[n + i];
  }
  for (int b = d->nj; b < w->nu; b++)
    for (int c = d->nj; c < w->nu; c++)
      out[2 * n + b] += d->Huu[(b - d->nj) * (w->nu - d->nj) + c - d->nj] * dx[2 * n + c];
  out[hh] += *d->Hhh * dx[hh];
}

static void check(const dm_system *s, double h) {
  interval w = {.n = s->L.nq, .nu = s->nu};
  double dx[64], out[64];
  uint64_t r = 11;
  int n = w.n;
  assert_int_equal(dm_interval_new(&w.d, s), DM_OK);
  assert_true(size(&w) <= 64 && 2 * n <= 40);
  for (int i = 0; i < 64; i++) dx[i] = models_random(&r), w.x[i] = models_random(&r);
  for (int i = 0; i < 40; i++) w.mu[i] = models_random(&r);
  for (int i = 0; i < n; i++) w.x[n + i] = w.x[i] + h * w.x[n + i];
  w.x[2 * n + w.nu] = h, dx[2 * n + w.nu] *= h;

  eval(&w, 2, w.x);
  blocks_times(&w, dx, out);
  models_check_derivative(covectors, &w, size(&w), 2 * n, w.x, dx, out, 1e-3 * h, "D1, D2");

  const double *x = w.x;
  assert_int_equal(dm_interval_contract(w.d, true, x, x + n, x + 2 * n, h, w.mu, w.mu + n), DM_OK);
  hessian_times(&w, dx, out);
  models_check_derivative(paired, &w, size(&w), size(&w), w.x, dx, out, 1e-3 * h, "mu.D");
  dm_interval_free(w.d);
}

static const char *const lagrangian_rule[] = {"midpoint", "midpoint",  "trapezoid", "gauss-2",
                                              "simpson",  "lobatto-3", "lobatto-4"};
static const double alpha[] = {0.5, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5};
enum { RULES = sizeof alpha / sizeof *alpha };

static dm_rule rule_of(int r, const char *force) {
  dm_rule rule;
  assert_int_equal(dm_rule_set(&rule, lagrangian_rule[r], alpha[r], "midpoint", NULL), DM_OK);
  if (!rule.inner)
    assert_int_equal(dm_rule_set(&rule, lagrangian_rule[r], alpha[r], force, NULL), DM_OK);
  return rule;
}

static void blocks_are_exact(void **state) {
  (void)state;
  for (int r = 0; r < RULES; r++)
    for (int f = 0; dm_force_rules[f].name; f++)
      for (int k = 0; k < 4; k++) {
        dm_model *m = k == 0   ? models_pendulum()
                      : k == 1 ? models_cart_pole()
                      : k == 2 ? models_random_tree(6, false, 5)
                               : models_random_tree(6, true, 4);
        dm_system s = dm_system_of(m);
        s.rule = rule_of(r, dm_force_rules[f].name);
        check(&s, 0.1);
        static forces_wave wave;
        dm_system_add_force(&s, forces_wave_of(&wave, m->nq, 3));
        check(&s, 0.1);
        dm_model_free(m);
      }
}

static void without_forces_they_derive_the_action(void **state) {
  (void)state;
  for (int r = 0; r < RULES; r++) {
    dm_model *m = models_random_tree(6, false, 2);
    dm_system s = dm_system_of(m);
    s.nu = 0, s.damping = NULL;
    s.rule = rule_of(r, "left");
    interval w = {.n = m->nq};
    int n = w.n;
    assert_int_equal(dm_interval_new(&w.d, &s), DM_OK);
    uint64_t seed = 3;
    double dx[64] = {0}, exact = 0;
    for (int i = 0; i < 2 * n; i++) dx[i] = models_random(&seed), w.x[i] = models_random(&seed);
    w.x[2 * n] = 0.2;
    eval(&w, 1, w.x);
    for (int i = 0; i < n; i++) exact += w.d->D1[i] * dx[i] + w.d->D2[i] * dx[n + i];
    models_check_derivative(action, &w, size(&w), 1, w.x, dx, &exact, 1e-4, "Ld");
    dm_interval_free(w.d);
    dm_model_free(m);
  }
}

static void lanes_agree_with_one(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    dm_model *m = k % 3 == 0 ? models_cart_pole() : models_random_tree(6, k == 2, 4);
    dm_system s = dm_system_of(m);
    forces_wave wave;
    if (k > 2) dm_system_add_force(&s, forces_wave_of(&wave, m->nq, 2));
    dm_rule_set(&s.rule, k % 3 == 1 ? "trapezoid" : "midpoint", 0.5, "midpoint", NULL);
    lanes_check(&s);
    dm_model_free(m);
  }
}

static void unknown_rules_are_named(void **state) {
  (void)state;
  dm_rule rule;
  dm_message msg;
  assert_int_equal(dm_rule_set(&rule, "midpont", 0.5, "left", &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'midpont'; known: midpoint, trapezoid, gauss-2, simpson, "
                                   "lobatto-3, lobatto-4"));
  assert_int_equal(dm_rule_set(&rule, "trapezoid", 0.3, "left", &msg), DM_BAD_INPUT);
  assert_int_equal(dm_rule_set(&rule, "midpoint", 1.3, "left", &msg), DM_BAD_INPUT);
  assert_int_equal(dm_rule_set(&rule, "midpoint", 0.5, "right", &msg), DM_BAD_INPUT);
  assert_int_equal(dm_rule_set(&rule, "lobatto-3", 0.5, "left", &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "the lobatto-3 rule shares forces out among its nodes"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_exact),
      cmocka_unit_test(without_forces_they_derive_the_action),
      cmocka_unit_test(lanes_agree_with_one),
      cmocka_unit_test(unknown_rules_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

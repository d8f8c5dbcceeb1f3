// tests/support/inverse.h: compare every derivative of inverse dynamics at a random state with
// differences of the derivative of the next lower order; checks the order of the error.
#ifndef TESTS_SUPPORT_INVERSE_H
#define TESTS_SUPPORT_INVERSE_H
#include "tests/support/models.h"

enum { INVERSE_MOST = 64 };

typedef struct inverse {
  dm_inverse *w;
  int n;
  const double *mu;
} inverse;

static inline void inverse_value(void *self, const double *x, double *out) {
  inverse *b = self;
  int n = b->n;
  assert_int_equal(dm_inverse_eval(b->w, 0, x, x + n, x + 2 * n), DM_OK);
  memcpy(out, b->w->tau, (size_t)n * sizeof *out);
}
// gradient of mu.tau
static inline void inverse_gradient(void *self, const double *x, double *out) {
  inverse *b = self;
  size_t n = (size_t)b->n;
  assert_int_equal(dm_inverse_eval(b->w, 0, x, x + n, x + 2 * n), DM_OK);
  assert_int_equal(dm_inverse_contract(b->w, 1, b->mu), DM_OK);
  memcpy(out, b->w->mu.q, n * sizeof *out);
  memcpy(out + n, b->w->mu.v, n * sizeof *out);
  memcpy(out + 2 * n, b->w->mu.a, n * sizeof *out);
}

// for the tree m with a potential V (NULL: none)
static inline void inverse_check_of(const dm_model *m, const dm_potential *V, uint64_t seed) {
  enum { MOST = INVERSE_MOST };
  double x[3 * MOST], d[3 * MOST], mu[MOST], Jd[MOST] = {0}, g[3 * MOST] = {0}, Hd[3 * MOST] = {0};
  dm_inverse *w;
  int n = m->nq;
  assert_true(n <= MOST);
  for (int i = 0; i < 3 * MOST; i++) {
    x[i] = models_random(&seed);
    d[i] = models_random(&seed);
  }
  for (int i = 0; i < MOST; i++) mu[i] = models_random(&seed);
  assert_int_equal(dm_inverse_new(&w, m, V), DM_OK);
  inverse b = {w, n, mu};
  assert_int_equal(dm_inverse_eval(w, 1, x, x + n, x + 2 * n), DM_OK);
  assert_int_equal(dm_inverse_contract(w, 2, mu), DM_OK);
  const dm_inverse_pair *H = &w->mu;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int ij = i * n + j, ji = j * n + i;
      Jd[i] += w->tau_q[ij] * d[j] + w->tau_v[ij] * d[n + j] + w->tau_a[ij] * d[2 * n + j];
      g[i] += w->tau_q[ji] * mu[j];
      g[n + i] += w->tau_v[ji] * mu[j];
      g[2 * n + i] += w->tau_a[ji] * mu[j];
      Hd[i] += H->qq[ij] * d[j] + H->qv[ij] * d[n + j] + H->qa[ij] * d[2 * n + j];
      Hd[n + i] += H->qv[ji] * d[j] + H->vv[ij] * d[n + j];
      Hd[2 * n + i] += H->qa[ji] * d[j];
      assert_true(H->qq[ij] == H->qq[ji] && H->vv[ij] == H->vv[ji]);
    }
  double size = 1;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(g[i]));
  for (int i = 0; i < n; i++) {
    assert_close(H->q[i], g[i], 1e-12 * size);
    assert_close(H->v[i], g[n + i], 1e-12 * size);
    assert_close(H->a[i], g[2 * n + i], 1e-12 * size);
  }
  models_check_derivative(inverse_value, &b, 3 * n, n, x, d, Jd, 1e-3, "derivatives of tau");
  models_check_derivative(inverse_gradient, &b, 3 * n, 3 * n, x, d, Hd, 1e-3, "Hessian of mu.tau");

  // the result does not depend on the previous contents of the arrays
  const double *const block[] = {w->tau_q, w->tau_v, w->tau_a, H->qq, H->qv, H->vv, H->qa};
  size_t nn = (size_t)(n * n);
  double *kept = malloc(nn * COUNT(block) * sizeof *kept);
  assert_int_equal(dm_inverse_eval(w, 1, d, d + n, d + 2 * n), DM_OK);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(dm_inverse_eval(w, 1, x, x + n, x + 2 * n), DM_OK);
    assert_int_equal(dm_inverse_contract(w, 2, mu), DM_OK);
    for (int k = 0; k < COUNT(block); k++) {
      if (again) assert_memory_equal(kept + (size_t)k * nn, block[k], nn * sizeof *kept);
      memcpy(kept + (size_t)k * nn, block[k], nn * sizeof *kept);
    }
    assert_int_equal(dm_inverse_contract(w, 2, d), DM_OK);
  }
  free(kept);
  dm_inverse_free(w);
}

// Frees m.
static inline void inverse_check(dm_model *m, uint64_t seed) {
  inverse_check_of(m, NULL, seed);
  dm_model_free(m);
}
#endif

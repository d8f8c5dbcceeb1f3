// tests/support/derivatives.h: compare every derivative of a model at a random state with
// differences of the derivative of the next lower order; checks the order of the error.
#ifndef TESTS_SUPPORT_DERIVATIVES_H
#define TESTS_SUPPORT_DERIVATIVES_H
#include "tests/support/models.h"

typedef struct bench {
  dm_model *m;
  dm_lagrangian L;
  void *scratch;
  int n;
  dm_jet jet, T;
  double x[3 * 90], d[2 * 90];
} bench;

static inline dm_jet jet_new(int n) {
  size_t s = sizeof(double), nn = (size_t)(n * n);
  return (dm_jet){.L_q = calloc((size_t)n, s),
                  .L_v = calloc((size_t)n, s),
                  .L_qq = calloc(nn, s),
                  .L_qv = calloc(nn, s),
                  .L_vv = calloc(nn, s)};
}

static inline void jet_free(dm_jet *j) {
  free(j->L_q);
  free(j->L_v);
  free(j->L_qq);
  free(j->L_qv);
  free(j->L_vv);
}

static inline void open_lagrangian(bench *b, const dm_lagrangian *L, uint64_t seed) {
  b->m = NULL;
  b->L = *L;
  b->n = L->nq;
  b->scratch = aligned_alloc(64, (b->L.scratch + 63) & ~(size_t)63);
  b->jet = jet_new(b->n);
  b->T = jet_new(b->n);
  uint64_t r = seed;
  for (int i = 0; i < COUNT(b->x); i++) b->x[i] = models_random(&r);
  for (int i = 0; i < COUNT(b->d); i++) b->d[i] = models_random(&r);
}

static inline void open_bench(bench *b, dm_model *m, uint64_t seed) {
  dm_lagrangian L = dm_tree_lagrangian(m);
  open_lagrangian(b, &L, seed);
  b->m = m;
}

static inline void close_bench(bench *b) {
  jet_free(&b->jet);
  jet_free(&b->T);
  free(b->scratch);
  dm_model_free(b->m);
}

static inline void value(void *self, const double *x, double *out) {
  bench *b = self;
  assert_int_equal(b->L.eval(b->L.self, b->scratch, 1, x, x + b->n, &b->jet), DM_OK);
  *out = b->jet.L;
}

static inline void gradient(void *self, const double *x, double *out) {
  bench *b = self;
  assert_int_equal(b->L.eval(b->L.self, b->scratch, 1, x, x + b->n, &b->jet), DM_OK);
  memcpy(out, b->jet.L_q, (size_t)b->n * sizeof *out);
  memcpy(out + b->n, b->jet.L_v, (size_t)b->n * sizeof *out);
}

// H d: rows q, then v
static inline void times(int n, const dm_jet *j, const double *d, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = out[n + i] = 0;
    for (int k = 0; k < n; k++) {
      out[i] += j->L_qq[i * n + k] * d[k] + j->L_qv[i * n + k] * d[n + k];
      out[n + i] += j->L_qv[k * n + i] * d[k] + j->L_vv[i * n + k] * d[n + k];
    }
  }
}

static inline void hessian_times_a(void *self, const double *x, double *out) {
  bench *b = self;
  assert_int_equal(b->L.eval(b->L.self, b->scratch, 2, x, x + b->n, &b->jet), DM_OK);
  times(b->n, &b->jet, b->x + 2 * b->n, out);
}

// Compare every derivative of L at a random state with differences of the next lower derivative.
static inline void derivatives_check_of(const dm_lagrangian *L, uint64_t seed) {
  bench b;
  open_lagrangian(&b, L, seed);
  int n = b.n;
  double g[180], Hd[180], exact = 0;

  // dL . d
  gradient(&b, b.x, g);
  for (int i = 0; i < 2 * n; i++) exact += g[i] * b.d[i];
  models_check_derivative(value, &b, 2 * n, 1, b.x, b.d, &exact, 1e-3, "gradient of L");

  // H d
  assert_int_equal(b.L.eval(L->self, b.scratch, 2, b.x, b.x + n, &b.jet), DM_OK);
  times(n, &b.jet, b.d, Hd);
  models_check_derivative(gradient, &b, 2 * n, 2 * n, b.x, b.d, Hd, 1e-3, "Hessian of L");

  // T(a) d is the derivative of H a along d; a follows (q,v) in x
  double *a = b.x + 2 * n;
  assert_true(4 * n <= COUNT(b.x));
  assert_int_equal(b.L.contract(L->self, b.scratch, b.x, b.x + n, a, a + n, &b.T), DM_OK);
  times(n, &b.T, b.d, Hd);
  models_check_derivative(hessian_times_a, &b, 2 * n, 2 * n, b.x, b.d, Hd, 1e-3, "T(a)");

  // both are symmetric, and zero according to the mask
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      assert_true(b.jet.L_vv[i * n + k] == b.jet.L_vv[k * n + i]);
      assert_true(b.T.L_qq[i * n + k] == b.T.L_qq[k * n + i]);
      if (!b.L.mask || b.L.mask[i * n + k]) continue;
      assert_true(b.T.L_qq[i * n + k] == 0 && b.T.L_qv[i * n + k] == 0 && b.T.L_vv[i * n + k] == 0);
      assert_true(b.jet.L_qq[i * n + k] == 0 && b.jet.L_qv[i * n + k] == 0);
    }
  close_bench(&b);
}

// The same check for a tree. Frees m.
static inline void derivatives_check(dm_model *m, uint64_t seed) {
  dm_lagrangian L = dm_tree_lagrangian(m);
  derivatives_check_of(&L, seed);
  dm_model_free(m);
}

// one complete step, solved for q1, as a function of x = (q,p,u)
typedef struct whole {
  dm_del *w;
  int n;
  double h;
} whole;
static inline void step(void *self, const double *x, double *out) {
  whole *w = self;
  dm_del_info info;
  memcpy(out, x, (size_t)w->n * sizeof *out);
  assert_int_equal(dm_del_step(w->w, x, x + w->n, x + 2 * w->n, w->h, out, out + w->n, &info),
                   DM_OK);
}

// Check A and B of a step of length h from a random state. The state and the direction have random
// velocities, the momenta follow from them, and the torques are random multiples of the inertia
// they act on: links of a few grams therefore do not move faster than the others.
static inline void derivatives_check_step_of(dm_system s, const dm_model *m, double h,
                                             uint64_t seed) {
  enum { MOST = 40 };
  whole w = {.n = m->nq, .h = h};
  int n = w.n, nx = 2 * n, nu = m->nu;
  double x[3 * MOST], d[3 * MOST], v[2 * MOST], y[2 * MOST], exact[2 * MOST] = {0};
  double A[4 * MOST * MOST], B[2 * MOST * MOST];
  assert_true(n <= MOST && nu <= MOST);
  uint64_t r = seed;
  for (int i = 0; i < 3 * MOST; i++) {
    x[i] = models_random(&r);
    d[i] = models_random(&r);
  }
  for (int i = 0; i < nx; i++) v[i] = models_random(&r);

  // p = L_v(q,v), and its change along the direction, L_vq d + L_vv v'
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  assert_int_equal(dm_inverse_dynamics(c, x, v, v, y), DM_OK); // leaves the Hessian in c->jet
  memcpy(x + n, c->jet.L_v, (size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) {
    d[n + i] = 0;
    for (int k = 0; k < n; k++)
      d[n + i] += c->jet.L_qv[k * n + i] * d[k] + c->jet.L_vv[i * n + k] * v[n + k];
  }

  // torques scaled by the inertia of their coordinate
  for (int i = 0; i < nu; i++) {
    int k = m->input_coord[i];
    x[nx + i] *= c->jet.L_vv[k * n + k];
    d[nx + i] *= c->jet.L_vv[k * n + k];
  }

  // A dx + B du compared with differences of the complete step
  assert_int_equal(dm_del_new(&w.w, &s, NULL), DM_OK);
  step(&w, x, y);
  dm_linearize *lin;
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_linearize_step(lin, x, y, x + nx, NULL, h, A, B), DM_OK);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++) exact[i] += A[i * nx + j] * d[j];
    for (int j = 0; j < nu; j++) exact[i] += B[i * nu + j] * d[nx + j];
  }
  models_check_derivative(step, &w, nx + nu, nx, x, d, exact, 2e-3, "A, B");
  dm_continuous_free(c);
  dm_linearize_free(lin);
  dm_del_free(w.w);
}

// The same check for a tree. Frees m.
static inline void derivatives_check_step(dm_model *m, double h, uint64_t seed) {
  derivatives_check_step_of(dm_system_of(m), m, h, seed);
  dm_model_free(m);
}
#endif

// benchmarks/identification.c: the normal equations of identification by block recursion and by
// CHOLMOD's two factorizations, and complete fits of chains of 2, 7 and 30 joints with all their parameters unknown.
#include "benchmarks/figures.h"
#include "lib/base/dense.h"
#include "optim/identification/knot_chain.h"
#include "optim/nlp/cholmod.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct size {
  int n, p;   // joints, coefficients
  int knots;  // of the recursion and of the fit
  int sparse; // knots for CHOLMOD
} sizes[] = {{2, 26, 100000, 100000}, {7, 91, 10000, 10000}, {30, 390, 2000, 300}};

enum { FEW = 3 }; // solutions that are timed

static double number_of(long i) {
  return sin(12.9898 * (double)i + 0.5 * sin((double)i));
}

// H of a chain whose rows are the same at each knot, by the recursion, s per knot
static double time_recursion(const struct size *x) {
  oc_knot_chain *w;
  bench_need(oc_knot_chain_new(&w, x->n, x->p, x->knots, NULL), "a chain");
  const size_t row = (size_t)x->n * (size_t)w->ld;
  for (size_t i = 0; i < row; i++) w->row[i] = number_of((long)i);
  static const double one[] = {1};
  const double start = bench_now();
  oc_knot_chain_begin(w, 0);
  for (int k = 0; k < x->knots; k++) {
    for (int i = 0; i < x->n; i++) oc_knot_chain_add_square(w, i, 1, one, 10, 0, -1);
    if (k + 2 < x->knots) oc_knot_chain_add(w);
    bench_need(oc_knot_chain_eliminate(w), "the elimination");
  }
  oc_knot_chain_end(w);
  const double time = bench_now() - start;
  oc_knot_chain_free(w);
  return time / x->knots;
}

// the covariance of the parameters from the factors of H: the inverse of the border's p x p block
static double time_covariance(const struct size *x) {
  const size_t p = (size_t)x->p;
  double *A = calloc(2 * p * p, sizeof *A), *I = A + p * p;
  int *piv = malloc(p * sizeof *piv);
  if (!A || !piv) bench_need(DM_NO_MEMORY, "a matrix");
  for (size_t i = 0; i < p * p; i++) A[i] = number_of((long)i);
  for (size_t i = 0; i < p; i++) A[i * p + i] = 4 * (double)p, I[i * p + i] = 1;
  const double start = bench_tick();
  bench_need(dm_lu_factor(x->p, A, piv), "the border");
  dm_lu_solve(x->p, A, piv, x->p, I);
  const double time = bench_tick() - start;
  free(A);
  free(piv);
  return time;
}

// The same pattern and size for CHOLMOD, the border last; only the factorization counts. With `columns`, a solution
// for each parameter instead, which gives the covariance, of at most a few.
static double time_cholmod(const struct size *x, bool supernodal, int columns) {
  const int n = x->n, p = x->p, N = n * x->sparse, most = n * (3 * n + p);
  const size_t room = (size_t)most * (size_t)x->sparse + (size_t)(p * p);
  int *row = malloc(2 * room * sizeof *row), *col = row + room, nnz = 0, negative;
  double *val = malloc(room * sizeof *val);
  if (!row || !val) bench_need(DM_NO_MEMORY, "a matrix");
  for (int j = 0; j < N; j++) {
    const int last = n * (j / n + 3) < N ? n * (j / n + 3) : N;
    for (int i = j; i < last; i++) row[nnz] = i, col[nnz++] = j;
    for (int i = N; i < N + p; i++) row[nnz] = i, col[nnz++] = j;
  }
  for (int j = N; j < N + p; j++)
    for (int i = j; i < N + p; i++) row[nnz] = i, col[nnz++] = j;
  // diagonally dominant
  for (int k = 0; k < nnz; k++) {
    val[k] = 0.1 * number_of(k);
    if (row[k] == col[k]) val[k] = row[k] < N ? 10.0 * (3 * n + p) : (double)N;
  }
  oc_cholmod *w;
  const dm_status s =
      (supernodal ? oc_cholmod_new_supernodal : oc_cholmod_new)(&w, N + p, nnz, row, col);
  double time = NAN;
  if (s != DM_UNAVAILABLE) {
    bench_need(s, "a factorization by CHOLMOD");
    double start = bench_now(), *b = calloc((size_t)(N + p), sizeof *b);
    if (!b) bench_need(DM_NO_MEMORY, "a vector");
    bench_need(oc_cholmod_factor(w, val, &negative), "CHOLMOD");
    time = (bench_now() - start) / x->sparse;
    start = bench_now();
    for (int i = 0; i < columns; i++) {
      b[N + i] = 1;
      bench_need(oc_cholmod_solve(w, b), "CHOLMOD");
    }
    if (columns) time = (bench_now() - start) / columns * p;
    free(b);
    oc_cholmod_free(w);
  }
  free(row);
  free(val);
  return time;
}

// -- a complete fit

static dm_model *make_chain(int n) {
  dm_coordinate *c = calloc((size_t)n, sizeof *c);
  dm_body *b = calloc((size_t)n, sizeof *b);
  dm_input *u = calloc((size_t)n, sizeof *u);
  char(*name)[16] = calloc((size_t)n, sizeof *name);
  dm_model *m = NULL;
  if (!c || !b || !u || !name) bench_need(DM_NO_MEMORY, "a chain");
  for (int i = 0; i < n; i++) {
    snprintf(name[i], sizeof name[i], "j%d", i);
    c[i] = (dm_coordinate){.name = name[i],
                           .axis = {i % 3 == 1, i % 3 == 0, i % 3 == 2},
                           .limit = dm_range_none(),
                           .v_max = INFINITY,
                           .effort = INFINITY,
                           .mimic = -1,
                           .ratio = 1};
    b[i] = (dm_body){.name = name[i],
                     .parent = i - 1,
                     .offset = dm_identity,
                     .first = i,
                     .ncoord = 1,
                     .mass = 1,
                     .centre = {0.01, 0.02, -0.1},
                     .inertia = {0.01, 0.01, 0.005, 0, 0, 0}};
    if (i > 0) b[i].offset.p.z = -0.2;
    u[i] = (dm_input){.name = name[i], .coord = i, .u_min = -INFINITY, .u_max = INFINITY};
  }
  bench_need(dm_model_new(&m,
                          &(dm_tree){.nbody = n,
                                     .ncoord = n,
                                     .ninput = n,
                                     .body = b,
                                     .coord = c,
                                     .input = u,
                                     .gravity = {0, 0, -9.81}},
                          NULL),
             "a chain");
  free(c);
  free(b);
  free(u);
  free(name);
  return m;
}

// sums of sines, at 1 kHz
static oc_measured_motion *make_motion(int n, int knots) {
  const size_t all = (size_t)knots;
  double *t = malloc(all * (size_t)(2 * n + 1) * sizeof *t);
  oc_channel *q = calloc(2 * (size_t)n, sizeof *q);
  oc_measured_motion *m;
  if (!t || !q) bench_need(DM_NO_MEMORY, "a log");
  for (int k = 0; k < knots; k++) t[k] = 1e-3 * k;
  for (int i = 0; i < 2 * n; i++) {
    double *y = t + all * (size_t)(i + 1);
    for (int k = 0; k < knots; k++)
      y[k] = 0.5 * sin((2 + 0.3 * i) * t[k]) + 0.2 * sin((7 + 0.5 * i) * t[k] + i);
    q[i] = (oc_channel){"a", knots, t, y};
  }
  const oc_recording log = {.name = "bench", .n = n, .nu = n, .q = q, .u = q + n};
  bench_need(oc_measured_motion_new(&m, &log, 1e-3, NULL), "a log");
  free(q);
  free(t);
  return m;
}

// s per knot and iteration, with derivatives
static double time_fit(const struct size *x) {
  static const char *const paths[] = {"all"};
  dm_robot r = {0};
  r.tree = r.model = make_chain(x->n);
  oc_measured_motion *m = make_motion(x->n, x->knots);
  oc_fit_parameters *p;
  oc_fit *w;
  double sigma[2][32];
  for (int i = 0; i < 32; i++) sigma[0][i] = 1e-3, sigma[1][i] = 0.1;
  oc_fit_settings set = oc_fit_settings_default();
  set.sigma_q = sigma[0], set.sigma_f = sigma[1], set.max_iter = 3;
  bench_need(oc_fit_parameters_new(&p, &r, 1, paths, NULL), "parameters");
  bench_need(oc_fit_new(&w, p, 1, &m, &set, NULL), "a fit");
  const double start = bench_now();
  dm_message msg;
  const dm_status s = oc_fit_solve(w, NULL, &msg);
  if (s < 0) bench_need(s, msg.text); // three iterations end at their limit
  const double time = bench_now() - start;
  const int iterations = oc_fit_get(w)->iterations;
  oc_fit_free(w);
  oc_fit_parameters_free(p);
  oc_measured_motion_free(m);
  dm_robot_free(&r);
  // the linearization at the end counts as half an iteration
  return time / x->knots / (iterations + 0.5);
}

void bench_identification(void) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const struct size *x = &sizes[i];
    char name[64];
    snprintf(name, sizeof name, "identify_%d_recursion_us", x->n);
    if (bench_wanted(name)) bench_print(name, 1e6 * time_recursion(x), "us/knot");
    snprintf(name, sizeof name, "identify_%d_cholmod_us", x->n);
    if (bench_wanted(name)) bench_print(name, 1e6 * time_cholmod(x, false, 0), "us/knot");
    snprintf(name, sizeof name, "identify_%d_supernodal_us", x->n);
    if (bench_wanted(name)) bench_print(name, 1e6 * time_cholmod(x, true, 0), "us/knot");
    snprintf(name, sizeof name, "identify_%d_covariance_ms", x->n);
    if (bench_wanted(name)) bench_print(name, 1e3 * time_covariance(x), "ms");
    snprintf(name, sizeof name, "identify_%d_covariance_cholmod_ms", x->n);
    if (bench_wanted(name)) bench_print(name, 1e3 * time_cholmod(x, true, FEW), "ms");
    snprintf(name, sizeof name, "identify_%d_iteration_us", x->n);
    if (bench_wanted(name)) bench_print(name, 1e6 * time_fit(x), "us/knot");
    // factors of three knots, positions, innovations
    snprintf(name, sizeof name, "identify_%d_memory", x->n);
    const double numbers = 3.0 * x->n * x->n + x->n + 5.0 * x->n;
    if (bench_wanted(name)) bench_print(name, 8 * numbers, "bytes/knot");
  }
}

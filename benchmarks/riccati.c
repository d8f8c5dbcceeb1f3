// The Riccati sweep over N = 1000 stages of random stable systems.
#include "control/feedback/riccati.h"
#include "benchmarks/figures.h"
#include "tests/support/models.h"

enum { N = 1000 };

typedef struct recursion {
  fb_riccati *w;
  fb_lq lq;
  double *K;
} recursion;

static void run_recursion(void *self) {
  recursion *s = self;
  int failed;
  bench_need(fb_riccati_sweep(s->w, &s->lq, s->K, NULL, &failed), "a Riccati sweep");
}

static void time_recursion(int nx, int nu) {
  size_t xx = (size_t)(nx * nx), xu = (size_t)(nx * nu), uu = (size_t)(nu * nu);
  double *A = malloc(N * xx * sizeof *A), *B = malloc(N * xu * sizeof *B);
  double *Q = calloc(xx, sizeof *Q), *R = calloc(uu, sizeof *R);
  recursion s = {.K = malloc(N * xu * sizeof(double))};

  // A = 0.9 and a random matrix of norm below one, B small, unit weights
  uint64_t r = 1;
  for (size_t i = 0; i < N * xx; i++)
    A[i] = 0.3 * models_random(&r) / sqrt(nx) + (i % xx % (size_t)(nx + 1) ? 0 : 0.9);
  for (size_t i = 0; i < N * xu; i++) B[i] = 0.1 * models_random(&r);
  for (int i = 0; i < nx; i++) Q[i * nx + i] = 1;
  for (int i = 0; i < nu; i++) R[i * nu + i] = 1;
  s.lq = (fb_lq){.N = N,
                 .nx = nx,
                 .nu = nu,
                 .A = A,
                 .B = B,
                 .Q = Q,
                 .R = R,
                 .Qf = Q,
                 .A_stride = xx,
                 .B_stride = xu};
  bench_need(fb_riccati_new(&s.w, nx, nu), "memory");

  char name[64];
  snprintf(name, sizeof name, "riccati.%dx%d_ms", nx, nu);
  bench_print(name, 1e-3 * bench_time_us(run_recursion, &s), "ms");
  fb_riccati_free(s.w);
  free(A);
  free(B);
  free(Q);
  free(R);
  free(s.K);
}

void bench_riccati(void) {
  static const struct { int nx, nu; } size[] = {{4, 1}, {8, 4}, {12, 6}, {28, 14}, {80, 18}};
  if (!bench_wanted("riccati")) return;
  for (int k = 0; k < COUNT(size); k++) time_recursion(size[k].nx, size[k].nu);
}

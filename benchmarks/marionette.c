// The marionette of paper 001: a step, its linearization, second order contracted and in full.
#include "tests/marionette.h"
#include "benchmarks/bench.h"
#include "lib/constraint.h"
#include "lib/dm.h"

enum { NX = 2 * MARIONETTE_N };

typedef struct work {
  marionette w;
  dm_del *del;
  dm_linearize *lin;
  double before[MARIONETTE_N], q[MARIONETTE_N], p[NX], u[MARIONETTE_K], q1[NX], zeta[NX];
  double lambda[MARIONETTE_C];
  double A[NX * NX], B[NX * MARIONETTE_K];
  double xx[NX * NX], xu[NX * MARIONETTE_K], uu[MARIONETTE_K * MARIONETTE_K];
} work;

// from the last step's configuration and multipliers, as in a motion
static void step(void *self) {
  work *s = self;
  dm_del_info info;
  double q1[MARIONETTE_N], p1[MARIONETTE_N];
  for (int i = 0; i < MARIONETTE_N; i++) q1[i] = 2 * s->q[i] - s->before[i];
  memcpy(s->del->lambda, s->lambda, sizeof s->lambda);
  bench_need(dm_del_step(s->del, s->q, s->p, s->u, 0.01, q1, p1, &info), "a step");
}
static void linearize(void *self) {
  work *s = self;
  bench_need(dm_linearize_step(s->lin, s->q, s->q1, s->u, s->lambda, 0.01, s->A, s->B),
             "a linearization");
}
static void second_order(void *self) {
  work *s = self;
  bench_need(
      dm_linearize_second(s->lin, s->q, s->q1, s->u, s->lambda, 0.01, s->zeta, s->xx, s->xu, s->uu),
      "second order");
}
// all twelve blocks
static void tensor(void *self) {
  static double xx[NX * NX * NX], xu[NX * NX * MARIONETTE_K], uu[NX * MARIONETTE_K * MARIONETTE_K];
  work *s = self;
  bench_need(dm_linearize_tensor(s->lin, s->q, s->q1, s->u, s->lambda, 0.01, xx, xu, uu),
             "the tensor");
}

void bench_marionette(void) {
  static work s;
  static const struct {
    const char *name;
    void (*call)(void *);
  } rows[] = {
      {"step", step}, {"linearize", linearize}, {"second_order", second_order}, {"tensor", tensor}};
  if (!bench_wanted("marionette") || !marionette_open(&s.w)) return;
  bench_need(dm_del_new(&s.del, &s.w.s, NULL), "memory");
  bench_need(dm_linearize_new(&s.lin, &s.w.s), "memory");
  memcpy(s.q, s.w.q0, sizeof s.q);
  marionette_input(&s.w, 0, s.u);
  dm_del_info info;
  for (int i = 0; i <= 60; i++) {
    marionette_input(&s.w, i, s.u);
    memcpy(s.q1, s.q, sizeof s.q);
    if (i == 60) memcpy(s.lambda, s.del->lambda, sizeof s.lambda);
    double p1[MARIONETTE_N];
    bench_need(dm_del_step(s.del, s.q, s.p, s.u, 0.01, s.q1, p1, &info), "a step");
    if (i == 60) break;
    memcpy(s.before, s.q, sizeof s.q), memcpy(s.q, s.q1, sizeof s.q), memcpy(s.p, p1, sizeof p1);
  }
  for (int i = 0; i < NX; i++) s.zeta[i] = sin(i);
  for (int r = 0; r < COUNT(rows); r++) {
    char name[64];
    snprintf(name, sizeof name, "marionette.%s_us", rows[r].name);
    bench_print(name, bench_time_us(rows[r].call, &s), "us");
  }
  bench_print("marionette.step_iterations", info.iterations, "iterations");
  dm_del_free(s.del), dm_linearize_free(s.lin);
  marionette_close(&s.w);
}

// The marionette of paper 001: a step, its linearization, second order contracted and in full, each
// with its parts; the linearization of its whole motion, and the Riccati sweep for it.
#include "tests/support/marionette.h"
#include "benchmarks/figures.h"
#include "control/feedback/riccati.h"
#include "dmoc.h"
#include "lib/multibody/constraint.h"

enum { NX = 2 * MARIONETTE_N };

typedef struct work {
  marionette w;
  dm_del *del;
  dm_linearize *lin;
  double before[MARIONETTE_N], q[MARIONETTE_N], p[NX], u[MARIONETTE_K], q1[NX], zeta[NX];
  double lambda[MARIONETTE_C];
  int iterations; // of the last step
  _Alignas(64) double A[NX * NX];
  _Alignas(64) double B[NX * MARIONETTE_K];
  _Alignas(64) double xx[NX * NX], xu[NX * MARIONETTE_K], uu[MARIONETTE_K * MARIONETTE_K];
} work;

// start at the last step's configuration and multipliers, as in a motion
static void take_step_again(void *self) {
  work *s = self;
  dm_del_info info;
  double q1[MARIONETTE_N], p1[MARIONETTE_N];
  for (int i = 0; i < MARIONETTE_N; i++) q1[i] = 2 * s->q[i] - s->before[i];
  memcpy(s->del->lambda, s->lambda, sizeof s->lambda);
  bench_need(dm_del_step(s->del, s->q, s->p, s->u, 0.01, q1, p1, &info), "a step");
  s->iterations = info.iterations;
}

static void linearize_once(void *self) {
  work *s = self;
  bench_need(dm_linearize_step(s->lin, s->q, s->q1, s->u, s->lambda, 0.01, s->A, s->B),
             "a linearization");
}

static void linearize_second_order(void *self) {
  work *s = self;
  bench_need(
      dm_linearize_second(s->lin, s->q, s->q1, s->u, s->lambda, 0.01, s->zeta, s->xx, s->xu, s->uu),
      "second order");
}

// all twelve blocks
static void linearize_tensor(void *self) {
  static double xx[NX * NX * NX], xu[NX * NX * MARIONETTE_K], uu[NX * MARIONETTE_K * MARIONETTE_K];
  work *s = self;
  bench_need(dm_linearize_tensor(s->lin, s->q, s->q1, s->u, s->lambda, 0.01, xx, xu, uu),
             "the tensor");
}

// -- parts: times of the system's functions

static dm_system plain;               // the system itself
static double tree_us, constraint_us; // time in the two functions since they were cleared

static dm_status timed_eval(const void *self, void *scratch, int order, const double *q,
                            const double *v, dm_jet *out) {
  double start = bench_tick();
  dm_status s = plain.L.eval(self, scratch, order, q, v, out);
  tree_us += 1e6 * (bench_tick() - start);
  return s;
}

static dm_status timed_contract(const void *self, void *scratch, const double *q, const double *v,
                                const double *a_q, const double *a_v, dm_jet *out) {
  double start = bench_tick();
  dm_status s = plain.L.contract(self, scratch, q, v, a_q, a_v, out);
  tree_us += 1e6 * (bench_tick() - start);
  return s;
}

static dm_status timed_hol_eval(const void *self, void *scratch, const double *q, double *h,
                                double *Dh) {
  double start = bench_tick();
  dm_status s = plain.hol.eval(self, scratch, q, h, Dh);
  constraint_us += 1e6 * (bench_tick() - start);
  return s;
}

static dm_status timed_hol_contract(const void *self, void *scratch, const double *q,
                                    const double *lambda, double *H) {
  double start = bench_tick();
  dm_status s = plain.hol.contract(self, scratch, q, lambda, H);
  constraint_us += 1e6 * (bench_tick() - start);
  return s;
}

static dm_status timed_hol_along(const void *self, void *scratch, const double *q, const double *a,
                                 const double *lambda, double *J, double *T) {
  double start = bench_tick();
  dm_status s = plain.hol.directional(self, scratch, q, a, lambda, J, T);
  constraint_us += 1e6 * (bench_tick() - start);
  return s;
}

// wrap the functions of s with timers; s itself is stored in plain
static dm_system time_functions(const dm_system *s) {
  plain = *s;
  dm_system t = *s;
  t.L.eval = timed_eval;
  t.L.contract = timed_contract;
  t.hol.eval = timed_hol_eval;
  t.hol.contract = timed_hol_contract;
  t.hol.directional = timed_hol_along;
  return t;
}

static void factor_kkt(void *self) {
  work *s = self;
  bench_need(dm_kkt_factor(s->lin->k, s->lin->d->D12), "a factorization");
}

static void solve_kkt_once(void *self) {
  static double b[MARIONETTE_N];
  dm_kkt_solve(((work *)self)->lin->k, 1, b);
}

static void solve_kkt_transposed(void *self) {
  static double b[MARIONETTE_N];
  dm_kkt_solve_transposed(((work *)self)->lin->k, 1, b);
}

static void solve_kkt_columns(void *self) {
  static double b[MARIONETTE_N * MARIONETTE_N];
  dm_kkt_solve(((work *)self)->lin->k, MARIONETTE_N, b);
}

static void print_part(const char *call, const char *part, double us) {
  char name[64];
  snprintf(name, sizeof name, "marionette.%s.%s_us", call, part);
  bench_print(name, us, "us");
}

// Print how the time of a call is divided: the tree and the constraints as measured in the fastest
// batch, factorizations and solutions as given, and the rest, the interval and the products.
static void print_parts(work *s, const char *name, void (*call)(void *), double factor_us,
                        double solve_us) {
  enum { BATCHES = 40, CALLS = 50 };
  double best = INFINITY, tree = 0, constraints = 0;
  for (int b = 0; b < BATCHES; b++) {
    tree_us = constraint_us = 0;
    double start = bench_now();
    for (int i = 0; i < CALLS; i++) call(s);
    double us = 1e6 * (bench_now() - start) / CALLS;
    if (us > best) continue;
    best = us;
    tree = tree_us / CALLS;
    constraints = constraint_us / CALLS;
  }
  print_part(name, "tree", tree);
  print_part(name, "constraints", constraints);
  print_part(name, "factorization", factor_us);
  print_part(name, "solution", solve_us);
  print_part(name, "rest", best - tree - constraints - factor_us - solve_us);
}

// the same calls with timed functions, from the state of s
static void print_all_parts(const work *s, int iterations) {
  static work t;
  t = *s;
  t.w.s = time_functions(&s->w.s);
  bench_need(dm_del_new(&t.del, &t.w.s, NULL), "memory");
  bench_need(dm_linearize_new(&t.lin, &t.w.s), "memory");

  // a factorization for calls that need one
  linearize_once(&t);
  double one = bench_time_us(factor_kkt, &t);
  print_parts(&t, "step", take_step_again, iterations * one,
              iterations * bench_time_us(solve_kkt_once, &t));
  print_parts(&t, "linearize", linearize_once, one, bench_time_us(solve_kkt_columns, &t));
  print_parts(&t, "second_order", linearize_second_order, 0,
              bench_time_us(solve_kkt_transposed, &t));
  dm_del_free(t.del);
  dm_linearize_free(t.lin);
}

// -- the whole motion

enum { STEPS = 1001 };

typedef struct motion {
  work *s;
  double *q, *u, *lambda; // [STEPS + 1][N], [STEPS][K], [STEPS][C]
  double *A, *B, *gains;
  fb_riccati *riccati;
  fb_lq lq;
} motion;

static void linearize_motion(void *self) {
  motion *x = self;
  for (int k = 0; k < STEPS; k++) {
    const double *q = x->q + k * MARIONETTE_N;
    bench_need(dm_linearize_step(x->s->lin, q, q + MARIONETTE_N, x->u + k * MARIONETTE_K,
                                 x->lambda + k * MARIONETTE_C, 0.01, x->A + (size_t)k * NX * NX,
                                 x->B + (size_t)k * NX * MARIONETTE_K),
               "a linearization");
  }
}

static void run_riccati(void *self) {
  motion *x = self;
  int failed;
  bench_need(fb_riccati_sweep(x->riccati, &x->lq, x->gains, NULL, &failed), "a Riccati sweep");
}

// the motion under the given motion of the strings, from rest
static void roll_out_motion(work *s, motion *x) {
  dm_del_info info;
  double p[MARIONETTE_N] = {0};
  memcpy(x->q, s->w.q0, sizeof s->w.q0);
  memset(s->del->lambda, 0, sizeof s->lambda);
  for (int k = 0; k < STEPS; k++) {
    double *q = x->q + k * MARIONETTE_N, *u = x->u + k * MARIONETTE_K;
    marionette_input(&s->w, k, u);
    memcpy(q + MARIONETTE_N, q, sizeof s->q);
    bench_need(dm_del_step(s->del, q, p, u, 0.01, q + MARIONETTE_N, p, &info), "a step");
    memcpy(x->lambda + k * MARIONETTE_C, s->del->lambda, sizeof s->lambda);
  }
}

static void time_motion(work *s) {
  static double Q[NX * NX], R[MARIONETTE_K * MARIONETTE_K];
  const size_t d = sizeof(double), xx = NX * NX, xu = NX * MARIONETTE_K;
  motion x = {.s = s,
              .q = malloc((STEPS + 1) * MARIONETTE_N * d),
              .u = malloc(STEPS * MARIONETTE_K * d),
              .lambda = malloc(STEPS * MARIONETTE_C * d),
              .A = aligned_alloc(64, STEPS * xx * d),
              .B = aligned_alloc(64, STEPS * xu * d),
              .gains = malloc(STEPS * xu * d)};

  // its linearization
  roll_out_motion(s, &x);
  bench_print("marionette.motion.linearize_ms", 1e-3 * bench_time_us(linearize_motion, &x), "ms");

  // the Riccati recursion, configurations weighted by 100, the rest by 1
  for (int i = 0; i < NX; i++) Q[i * NX + i] = i < MARIONETTE_N ? 100 : 1;
  for (int i = 0; i < MARIONETTE_K; i++) R[i * MARIONETTE_K + i] = 1;
  x.lq = (fb_lq){.N = STEPS,
                 .nx = NX,
                 .nu = MARIONETTE_K,
                 .A = x.A,
                 .B = x.B,
                 .Q = Q,
                 .R = R,
                 .Qf = Q,
                 .A_stride = xx,
                 .B_stride = xu};
  linearize_motion(&x);
  bench_need(fb_riccati_new(&x.riccati, NX, MARIONETTE_K), "memory");
  bench_print("marionette.motion.riccati_ms", 1e-3 * bench_time_us(run_riccati, &x), "ms");

  fb_riccati_free(x.riccati);
  free(x.q);
  free(x.u);
  free(x.lambda);
  free(x.A);
  free(x.B);
  free(x.gains);
}

// the state after 60 steps of the motion, and the step from there
static void roll_to_state(work *s) {
  enum { BEFORE = 60 };
  dm_del_info info;
  memcpy(s->q, s->w.q0, sizeof s->q);
  for (int i = 0; i <= BEFORE; i++) {
    double p1[MARIONETTE_N];
    marionette_input(&s->w, i, s->u);
    memcpy(s->q1, s->q, sizeof s->q);
    if (i == BEFORE) memcpy(s->lambda, s->del->lambda, sizeof s->lambda);
    bench_need(dm_del_step(s->del, s->q, s->p, s->u, 0.01, s->q1, p1, &info), "a step");
    if (i == BEFORE) break;
    memcpy(s->before, s->q, sizeof s->q);
    memcpy(s->q, s->q1, sizeof s->q);
    memcpy(s->p, p1, sizeof p1);
  }
  for (int i = 0; i < NX; i++) s->zeta[i] = sin(i);
}

void bench_marionette(void) {
  static work s;
  static const struct {
    const char *name;
    void (*call)(void *);
  } rows[] = {{"step", take_step_again},
              {"linearize", linearize_once},
              {"second_order", linearize_second_order},
              {"tensor", linearize_tensor}};
  if (!bench_wanted("marionette")) return;
  if (!marionette_open(&s.w)) {
    fprintf(stderr, "skipped: the marionette, %s\n", NO_MARIONETTE);
    return;
  }
  bench_need(dm_del_new(&s.del, &s.w.s, NULL), "memory");
  bench_need(dm_linearize_new(&s.lin, &s.w.s), "memory");
  roll_to_state(&s);
  for (int r = 0; r < COUNT(rows); r++) {
    char name[64];
    snprintf(name, sizeof name, "marionette.%s_us", rows[r].name);
    bench_print(name, bench_time_us(rows[r].call, &s), "us");
  }

  // another step, for its iterations
  take_step_again(&s);
  bench_print("marionette.step_iterations", s.iterations, "iterations");
  print_all_parts(&s, s.iterations);
  time_motion(&s);
  dm_del_free(s.del);
  dm_linearize_free(s.lin);
  marionette_close(&s.w);
}

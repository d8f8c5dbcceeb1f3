// The marionette of paper 001: its reference motion to every digit recorded, constraints to
// rounding, and its first and second derivatives by the order of their differences.
#include "control/loop/closed_loop.h"
#include "tests/support/marionette.h"
#include "tests/support/skips.h"

static void start(const marionette *w, dm_del *del, double *q, double *p) {
  double zero[MARIONETTE_K] = {0};
  memcpy(q, w->q0, sizeof w->q0);
  assert_int_equal(dm_interval_eval(del->d, 1, q, q, zero, 0.01), DM_OK);
  memcpy(p, del->d->D2, MARIONETTE_N * sizeof *p);
  for (int i = MARIONETTE_D; i < MARIONETTE_N; i++) p[i] = 0;
}

static void compare(const marionette *w, const char *knot, const double *q, const double *p,
                    const double *lambda) {
  json_object *o = marionette_get(w->reference, knot);
  double x[MARIONETTE_N];
  marionette_vector(marionette_get(o, "q"), x, MARIONETTE_N);
  for (int i = 0; i < MARIONETTE_N; i++) assert_close(q[i], x[i], 1e-12);
  marionette_vector(marionette_get(o, "p"), x, MARIONETTE_D);
  for (int i = 0; i < MARIONETTE_D; i++) assert_close(p[i], x[i], 1e-10);
  marionette_vector(marionette_get(o, "v_kin"), x, MARIONETTE_K);
  for (int i = 0; i < MARIONETTE_K; i++) assert_close(p[MARIONETTE_D + i], x[i], 1e-11);
  marionette_vector(marionette_get(o, "lambda_"), x, MARIONETTE_C);
  for (int i = 0; i < MARIONETTE_C; i++) assert_close(lambda[i], x[i], 1e-10);
}

static void reference_motion_is_recovered(void **state) {
  (void)state;
  marionette w;
  if (!marionette_open(&w)) skip_test(NO_MARIONETTE);
  dm_del *del;
  dm_del_info info;
  double q[MARIONETTE_N], q1[MARIONETTE_N], p[MARIONETTE_N], u[MARIONETTE_K], worst = 0;
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  start(&w, del, q, p);
  for (int i = 0; i <= 1000; i++) {
    marionette_input(&w, i, u);
    memcpy(q1, q, sizeof q);
    dm_status s = dm_del_step(del, q, p, u, 0.01, q1, p, &info);
    if (s != DM_OK) fail_msg("step %d: %s, residual %g", i, dm_status_text(s), info.residual);
    memcpy(q, q1, sizeof q);
    for (int c = 0; c < MARIONETTE_C; c++) worst = fmax(worst, fabs(del->k->h[c]));
    if (i == 0) compare(&w, "1", q, p, del->lambda);
    if (i == 9) compare(&w, "10", q, p, del->lambda);
  }
  if (!(worst < 1e-12)) fail_msg("constraints are off by %g", worst);
  dm_del_free(del);
  marionette_close(&w);
}

// one step as a function of (q0,p0,u) on the manifold's neighbourhood
typedef struct step_of {
  marionette w;
  dm_del *del;
  double guess[MARIONETTE_N], lambda[MARIONETTE_C];
  dm_linearize *lin;
  double zeta[2 * MARIONETTE_N];
} step_of;

enum { NX = 2 * MARIONETTE_N, NY = NX + MARIONETTE_K };

static void step(void *self, const double *y, double *out) {
  step_of *s = self;
  dm_del_info info;
  memcpy(out, s->guess, sizeof s->guess);
  memcpy(s->del->lambda, s->lambda, sizeof s->lambda);
  assert_int_equal(
      dm_del_step(s->del, y, y + MARIONETTE_N, y + NX, 0.01, out, out + MARIONETTE_N, &info),
      DM_OK);
}

// zeta' (A, B)
static void pulled(void *self, const double *y, double *out) {
  step_of *s = self;
  static double A[NX * NX], B[NX * MARIONETTE_K];
  double x1[NX];
  step(s, y, x1);
  assert_int_equal(dm_linearize_step(s->lin, y, x1, y + NX, s->del->lambda, 0.01, A, B), DM_OK);
  for (int j = 0; j < NY; j++) {
    out[j] = 0;
    for (int i = 0; i < NX; i++)
      out[j] += s->zeta[i] * (j < NX ? A[i * NX + j] : B[i * MARIONETTE_K + j - NX]);
  }
}

static void both_linearizations_are_exact(void **state) {
  (void)state;
  step_of s;
  if (!marionette_open(&s.w)) skip_test(NO_MARIONETTE);
  static double y[NY], d[NY], out[NY], A[NX * NX], B[NX * MARIONETTE_K];
  static double xx[NX * NX], xu[NX * MARIONETTE_K], uu[MARIONETTE_K * MARIONETTE_K];
  double x1[NX];
  uint64_t r = 5;
  assert_int_equal(dm_del_new(&s.del, &s.w.s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&s.lin, &s.w.s), DM_OK);
  // some way into the motion
  dm_del_info info;
  start(&s.w, s.del, y, y + MARIONETTE_N);
  for (int i = 0; i < 60; i++) {
    memcpy(x1, y, MARIONETTE_N * sizeof *x1);
    marionette_input(&s.w, i, y + NX);
    assert_int_equal(
        dm_del_step(s.del, y, y + MARIONETTE_N, y + NX, 0.01, x1, y + MARIONETTE_N, &info), DM_OK);
    memcpy(y, x1, MARIONETTE_N * sizeof *x1);
  }
  marionette_input(&s.w, 60, y + NX);
  memcpy(s.guess, y, sizeof s.guess), memcpy(s.lambda, s.del->lambda, sizeof s.lambda);
  step(&s, y, x1);
  memcpy(s.guess, x1, sizeof s.guess), memcpy(s.lambda, s.del->lambda, sizeof s.lambda);
  for (int i = 0; i < NY; i++) d[i] = models_random(&r);
  for (int i = 0; i < NX; i++) s.zeta[i] = models_random(&r);

  assert_int_equal(dm_linearize_step(s.lin, y, x1, y + NX, s.lambda, 0.01, A, B), DM_OK);
  for (int i = 0; i < NX; i++) {
    out[i] = 0;
    for (int j = 0; j < NX; j++) out[i] += A[i * NX + j] * d[j];
    for (int j = 0; j < MARIONETTE_K; j++) out[i] += B[i * MARIONETTE_K + j] * d[NX + j];
  }
  models_check_derivative(step, &s, NY, NX, y, d, out, 1e-4, "A, B");

  assert_int_equal(dm_linearize_second(s.lin, y, x1, y + NX, s.lambda, 0.01, s.zeta, xx, xu, uu),
                   DM_OK);
  for (int i = 0; i < NY; i++) {
    out[i] = 0;
    for (int j = 0; j < NY; j++) {
      double H = i < NX && j < NX ? xx[i * NX + j]
                 : i < NX         ? xu[i * MARIONETTE_K + j - NX]
                 : j < NX         ? xu[j * MARIONETTE_K + i - NX]
                                  : uu[(i - NX) * MARIONETTE_K + j - NX];
      out[i] += H * d[j];
    }
  }
  models_check_derivative(pulled, &s, NY, NY, y, d, out, 1e-4, "zeta.f''");
  dm_linearize_free(s.lin);
  dm_del_free(s.del);
  marionette_close(&s.w);
}

// the reference motion as a trajectory: its gains bring a perturbed start back, open loop does not
static void gains_hold_it(void **state) {
  (void)state;
  enum { N = 1001 };
  marionette w;
  if (!marionette_open(&w)) skip_test(NO_MARIONETTE);
  dm_del *del;
  dm_del_info info;
  dm_trajectory *x, *y;
  double gap;
  int failed;
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_of(&x, N, &w.s), DM_OK);
  x->h = 0.01;
  start(&w, del, x->q, x->p);
  for (int k = 0; k < N; k++) marionette_input(&w, k, x->u + k * MARIONETTE_K);
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  assert_int_equal(dm_trajectory_certify(x, del, NULL, &gap, &failed), DM_OK);
  assert_true(gap < 1e-9);

  // momenta and velocities again from q, u and lambda alone
  assert_int_equal(dm_trajectory_of(&y, N, &w.s), DM_OK);
  y->h = x->h;
  memcpy(y->q, x->q, (N + 1) * MARIONETTE_N * sizeof(double));
  memcpy(y->lambda, x->lambda, N * MARIONETTE_C * sizeof(double));
  assert_int_equal(dm_trajectory_momenta(y, &w.s), DM_OK);
  for (int i = 0; i < (N + 1) * MARIONETTE_N; i++) assert_close(y->p[i], x->p[i], 1e-9);

  double Q[NX], R[MARIONETTE_K], x0[NX];
  for (int i = 0; i < NX; i++) Q[i] = i < MARIONETTE_N ? 100 : 1;
  for (int i = 0; i < MARIONETTE_K; i++) R[i] = 1;
  fb_tvlqr *f;
  dm_message msg = {""};
  if (fb_tvlqr_new(&f, x, &w.s, &(fb_weights){.Q = Q, .R = R, .Qf = Q}, &failed, &msg) != DM_OK)
    fail_msg("%s", msg.text);

  // start where the first input, held, has led to: a state that the strings allow
  memcpy(y->q, x->q, sizeof w.q0), memcpy(y->p, x->p, sizeof w.q0);
  for (int k = 0; k < N; k++) memcpy(y->u + k * MARIONETTE_K, x->u, sizeof R);
  assert_int_equal(dm_trajectory_rollout(y, del, &info, &failed), DM_OK);
  memcpy(x0, y->q + N * MARIONETTE_N, sizeof w.q0);
  memcpy(x0 + MARIONETTE_N, y->p + N * MARIONETTE_N, sizeof w.q0);

  fb_plant plant;
  fb_closed_loop_result closed, open;
  assert_int_equal(fb_plant_discrete(&plant, &w.s), DM_OK);
  assert_int_equal(fb_closed_loop_run(f, &plant, x0, NULL, NULL, NULL, NULL, NULL, &closed), DM_OK);
  memset(f->K, 0, (size_t)N * MARIONETTE_K * NX * sizeof(double));
  assert_int_equal(fb_closed_loop_run(f, &plant, x0, NULL, NULL, NULL, NULL, NULL, &open), DM_OK);
  print_message("largest final error: %.3g closed, %.3g open\n", closed.final_error,
                open.final_error);
  assert_true(closed.final_error < 0.1 * open.final_error);
  fb_plant_free(&plant);
  fb_tvlqr_free(f);
  dm_trajectory_free(x), dm_trajectory_free(y);
  dm_del_free(del);
  marionette_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_motion_is_recovered),
      cmocka_unit_test(both_linearizations_are_exact),
      cmocka_unit_test(gains_hold_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The velocity of a knot by its state: its equations, the library's own, and derivatives of both
// orders against differences, on trees, under constraints, with what is prescribed, and in
// quaternions.
#include "lib/base/dense.h"
#include "lib/mechanics/continuous.h"
#include "optim/descent/knot_velocity.h"
#include "tests/support/ball.h"
#include "tests/support/tasks.h"

enum { MOST = 20 };

typedef struct knot {
  const dm_system *s;
  oc_knot_velocity *w;
  int n;
  double e_v[MOST], e_p[MOST];
} knot;

// v, kappa and the momentum
static void velocity(void *self, const double *x, double *out) {
  knot *k = self;
  assert_int_equal(oc_knot_velocity_find(k->w, x, x + k->n), DM_OK);
  memcpy(out, k->w->v, (size_t)k->n * sizeof *out);
  memcpy(out + k->n, k->w->kappa, (size_t)k->w->nc * sizeof *out);
  memcpy(out + k->n + k->w->nc, k->w->p, (size_t)k->n * sizeof *out);
}

// e_v.v + e_p.L_v by x
static void slope(void *self, const double *x, double *out) {
  knot *k = self;
  double y[4 * MOST];
  int n = k->n;
  velocity(k, x, y);
  assert_int_equal(oc_knot_velocity_differentiate(k->w, x), DM_OK);
  for (int j = 0; j < 2 * n; j++) {
    out[j] = 0;
    for (int i = 0; i < n; i++)
      out[j] += k->e_v[i] * k->w->y_x[i * 2 * n + j] + k->e_p[i] * k->w->p_x[i * 2 * n + j];
  }
}

// L_v + Dh'kappa = p and Dh v = 0, as the library's own velocity of a state
static void check_equations(knot *k, const double *x) {
  int n = k->n, nc = k->w->nc;
  const oc_knot_velocity *w = k->w;
  dm_continuous *c;
  double q[MOST], v[MOST] = {0}, p[MOST], y[4 * MOST];
  velocity(k, x, y);
  assert_int_equal(dm_continuous_new(&c, k->s), DM_OK);
  assert_int_equal(dm_configuration_of(c, x, q, v), DM_OK);
  assert_int_equal(dm_momentum_of(c, x, w->v, p), DM_OK);
  for (int i = 0; i < n; i++) {
    assert_close(w->v[i], v[i], 1e-9);
    for (int r = 0; r < nc && !(k->s->kinematic && k->s->kinematic[i]); r++)
      p[i] += w->Dh[r * n + i] * w->kappa[r];
    assert_close(p[i], x[n + i], 1e-10);
  }
  for (int r = 0; r < nc; r++) assert_close(dm_inner(n, w->Dh + r * n, w->v), 0, 1e-10);
  dm_continuous_free(c);
}

static void check_knot(const dm_system *s, const double *q, uint64_t seed) {
  knot k = {.s = s, .n = s->L.nq};
  int n = k.n, nc = s->hol.nc, nx = 2 * n;
  double x[2 * MOST], d[2 * MOST], y[4 * MOST], H[4 * MOST * MOST] = {0}, Hd[2 * MOST];
  assert_true(n <= MOST);
  assert_int_equal(oc_knot_velocity_new(&k.w, s), DM_OK);
  for (int i = 0; i < n; i++) {
    k.e_v[i] = models_random(&seed);
    k.e_p[i] = models_random(&seed);
    x[i] = q[i];
    x[n + i] = models_random(&seed);
    d[i] = models_random(&seed);
    d[n + i] = models_random(&seed);
  }
  check_equations(&k, x);

  // first order
  velocity(&k, x, y);
  assert_int_equal(oc_knot_velocity_differentiate(k.w, x), DM_OK);
  for (int i = 0; i < n + nc; i++) y[i] = dm_inner(nx, k.w->y_x + i * nx, d);
  for (int i = 0; i < n; i++) y[n + nc + i] = dm_inner(nx, k.w->p_x + i * nx, d);
  models_check_derivative(velocity, &k, nx, 2 * n + nc, x, d, y, 1e-3, "velocity of a knot");

  // second order
  slope(&k, x, Hd);
  assert_int_equal(oc_knot_velocity_contract(k.w, x, k.e_v, k.e_p, H, nx), DM_OK);
  for (int i = 0; i < nx; i++) Hd[i] = dm_inner(nx, H + i * nx, d);
  models_check_derivative(slope, &k, nx, nx, x, d, Hd, 1e-3, "second derivatives of it");
  oc_knot_velocity_free(k.w);
}

static void of_a_tree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    dm_model *m = models_random_tree(2 + (int)seed, false, seed);
    dm_system s = dm_system_of(m);
    double q[MOST];
    for (int i = 0; i < m->nq; i++) q[i] = models_random(&seed);
    check_knot(&s, q, seed + 5);
    dm_model_free(m);
  }
}

static void under_constraints(void **state) {
  (void)state;
  tasks_task bar = tasks_four_bar(5), hung = tasks_hung_bar(5);
  check_knot(&bar.t.system, bar.t.start.q, 3);
  check_knot(&hung.t.system, hung.t.start.q, 4);
  tasks_free(&bar);
  tasks_free(&hung);
}

static void in_quaternions(void **state) {
  (void)state;
  ball_machine w;
  ball_body(&w, 1, 2, 4);
  check_knot(&w.s, (double[]){0.5, -0.5, 0.1, 0.7}, 6);
  ball_free(&w);
}

// without motion the velocity is zero, for any constraint impulse
static void rest_is_rest(void **state) {
  (void)state;
  tasks_task bar = tasks_four_bar(5);
  oc_knot_velocity *w;
  double p[3] = {0};
  assert_int_equal(oc_knot_velocity_new(&w, &bar.t.system), DM_OK);
  assert_int_equal(oc_knot_velocity_find(w, bar.t.start.q, p), DM_OK);
  memcpy(p, w->Dh, sizeof p);
  assert_int_equal(oc_knot_velocity_find(w, bar.t.start.q, p), DM_OK);
  for (int i = 0; i < 3; i++) {
    assert_close(w->v[i], 0, 1e-12);
    assert_close(w->p[i], 0, 1e-12);
  }
  assert_close(w->kappa[0], 1, 1e-12);
  oc_knot_velocity_free(w);
  tasks_free(&bar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_a_tree),
      cmocka_unit_test(under_constraints),
      cmocka_unit_test(in_quaternions),
      cmocka_unit_test(rest_is_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

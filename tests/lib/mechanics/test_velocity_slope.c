// How the velocity of a state changes with it, by the order of differences: of free trees, and of what
// hangs on constraints from what is prescribed.
#include "lib/mechanics/continuous.h"

#include "tests/support/hoist.h"

enum { MOST = 24 };

// x = (q,p) -> v, on the constraints
static void find_velocity(void *self, const double *x, double *v) {
  dm_continuous *w = self;
  memset(v, 0, (size_t)w->n * sizeof *v);
  assert_int_equal(dm_velocity_of(w, x, x + w->n, v), DM_OK);
  assert_int_equal(dm_velocity_restrict(w, x, v), DM_OK);
}

static void check_slope(const dm_system *s, const double *x, uint64_t seed) {
  const int n = s->L.nq;
  dm_continuous *w;
  double v[MOST], v_q[MOST * MOST], v_p[MOST * MOST], d[2 * MOST], want[MOST];
  assert_true(n <= MOST);
  assert_int_equal(dm_continuous_new(&w, s), DM_OK);
  find_velocity(w, x, v);
  assert_int_equal(dm_velocity_slope(w, x, v, v_q, v_p), DM_OK);
  for (int run = 0; run < 3; run++) {
    for (int i = 0; i < 2 * n; i++) d[i] = models_random(&seed);
    for (int i = 0; i < n; i++) {
      want[i] = 0;
      for (int j = 0; j < n; j++) want[i] += v_q[i * n + j] * d[j] + v_p[i * n + j] * d[n + j];
    }
    models_check_derivative(find_velocity, w, 2 * n, n, x, d, want, 1e-3, "v by (q,p)");
  }
  dm_continuous_free(w);
}

static void trees_have_exact_slopes(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    dm_model *m = models_random_tree(6, false, seed);
    const dm_system s = dm_system_of(m);
    double x[2 * MOST];
    uint64_t r = seed;
    for (int i = 0; i < 2 * m->nq; i++) x[i] = models_random(&r);
    check_slope(&s, x, seed);
    dm_model_free(m);
  }
}

// with the constraint's impulse c in p = L_v + Dh'c, and speeds of prescribed coordinates
static void constraints_and_what_is_prescribed_enter(void **state) {
  (void)state;
  hoist h = hoist_open();
  const double x[] = {0.4, -0.8, 0.1, 0.9, 1.3, -0.7, 0.6, -0.4};
  check_slope(&h.s, x, 5);

  // what p has along the constraint moves nothing
  dm_continuous *w;
  double v[HOIST_N], v_q[HOIST_N * HOIST_N], v_p[HOIST_N * HOIST_N], gap, Dh[HOIST_N];
  void *scratch = aligned_alloc(64, (h.s.hol.scratch + 127) & ~(size_t)63);
  assert_int_equal(dm_continuous_new(&w, &h.s), DM_OK);
  find_velocity(w, x, v);
  assert_int_equal(dm_velocity_slope(w, x, v, v_q, v_p), DM_OK);
  assert_int_equal(h.s.hol.eval(h.s.hol.self, scratch, x, &gap, Dh), DM_OK);
  for (int i = 0; i < HOIST_N; i++)
    assert_close(v_p[i * HOIST_N] * Dh[0] + v_p[i * HOIST_N + 1] * Dh[1], 0, 1e-14);
  free(scratch);
  dm_continuous_free(w);
  hoist_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_have_exact_slopes),
      cmocka_unit_test(constraints_and_what_is_prescribed_enter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/support/lanes.h: the results of several intervals evaluated at once are bitwise equal to
// those of single intervals.
#ifndef TESTS_SUPPORT_LANES_H
#define TESTS_SUPPORT_LANES_H
#include "tests/support/models.h"

// Evaluate and contract as many random intervals at once as there are lanes, and compare each with
// a single evaluation.
static inline void lanes_check(const dm_system *s) {
  dm_interval *many, *one, *picked;
  assert_int_equal(dm_interval_new(&one, s), DM_OK);
  assert_int_equal(dm_interval_new(&picked, s), DM_OK);
  assert_int_equal(dm_interval_new_lanes(&many, s), DM_OK);
  enum { MOST = 20 * DM_MAX_LANES };

  // arguments q0, q1, u and two directions: entry i of lane l is at i W + l
  int n = s->L.nq, nu = s->nu, W = many->lanes;
  double x[5][MOST], y[5][20], h = 0.05;
  uint64_t r = 3;
  assert_true(W > 1 || s->L.lanes <= 1);
  for (int a = 0; a < 5; a++)
    for (int i = 0; i < MOST; i++) x[a][i] = models_random(&r);
  assert_int_equal(dm_interval_eval(many, 2, x[0], x[1], x[2], h), DM_OK);
  assert_int_equal(dm_interval_contract(many, true, x[0], x[1], x[2], h, x[3], x[4]), DM_OK);

  for (int l = 0; l < W; l++) {
    // the arguments of this lane
    for (int a = 0; a < 5; a++)
      for (int i = 0; i < (a == 2 ? nu : n); i++) y[a][i] = x[a][i * W + l];

    // first and second derivatives
    assert_int_equal(dm_interval_eval(one, 2, y[0], y[1], y[2], h), DM_OK);
    dm_interval_pick(many, l, false, true, picked);
    size_t v = (size_t)n * sizeof(double), entries = (size_t)one->nz * sizeof(double);
#define SAME(field, size) assert_memory_equal(one->field, picked->field, size)
    SAME(D1, v);
    SAME(D2, v);
    SAME(D1h, v);
    SAME(D2h, v);
    SAME(D11, v * (size_t)n);
    SAME(D12, v * (size_t)n);
    SAME(D21, v * (size_t)n);
    SAME(D22, v * (size_t)n);
    SAME(D1u, entries);
    SAME(D2u, entries);

    // contracted third derivatives
    assert_int_equal(dm_interval_contract(one, true, y[0], y[1], y[2], h, y[3], y[4]), DM_OK);
    dm_interval_pick(many, l, true, true, picked);
    SAME(H00, v * (size_t)n);
    SAME(H01, v * (size_t)n);
    SAME(H11, v * (size_t)n);
    SAME(H0h, v);
    SAME(H1h, v);
    SAME(Huh, (size_t)nu * sizeof(double));
    SAME(Hhh, sizeof(double));
    SAME(H0u, entries);
    SAME(H1u, entries);
    SAME(Huu, (size_t)(s->force.nu * s->force.nu) * sizeof(double));
#undef SAME
  }
  dm_interval_free(many);
  dm_interval_free(one);
  dm_interval_free(picked);
}
#endif

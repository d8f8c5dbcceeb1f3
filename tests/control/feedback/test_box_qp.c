// Inputs of one stage with bounds: compared with enumeration of all active sets, the optimality
// conditions, and the gains compared with the minimizer at a nearby state.
#include "control/feedback/box_qp.h"
#include "lib/base/dense.h"
#include "tests/support/models.h"

#include <float.h>

enum { NU = 4, NX = 6, CASES = 400 };

typedef struct stage {
  double G[NU * NU], Y[NU * NX], lo[NU], hi[NU], K[NU * NX];
  fb_box_qp box;
  dm_block block;
} stage;

static stage *open_stage(int nu, uint64_t *r) {
  stage *s = calloc(1, sizeof *s);
  double C[NU * NU];
  fb_box_qp_lay_out(&s->box, NX, nu, &s->block);
  assert_int_equal(dm_block_new(&s->block), DM_OK);
  fb_box_qp_lay_out(&s->box, NX, nu, &s->block);
  for (int i = 0; i < nu * nu; i++) C[i] = models_random(r);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) {
      s->G[i * nu + j] = i == j ? 0.1 : 0;
      for (int k = 0; k < nu; k++) s->G[i * nu + j] += C[k * nu + i] * C[k * nu + j];
    }
  for (int i = 0; i < nu * NX; i++) s->Y[i] = models_random(r);
  for (int i = 0; i < nu; i++) {
    double a = models_random(r), b = models_random(r);
    s->lo[i] = fmin(a, b), s->hi[i] = fmax(a, b);
    if (models_random(r) > 0.6) s->lo[i] = -INFINITY;
    if (models_random(r) > 0.6) s->hi[i] = INFINITY;
  }
  return s;
}

static void close_stage(stage *s) {
  dm_block_free(s->block.base);
  free(s);
}

static void solve(stage *s) {
  assert_int_equal(fb_box_qp_set(&s->box, s->G, s->box.nu, 0, NULL), DM_OK);
  assert_int_equal(fb_box_qp_gains(&s->box, s->Y, NX, s->lo, s->hi, s->K), DM_OK);
}

static double cost(const stage *s, const double *v) {
  int nu = s->box.nu;
  double f = 0;
  for (int i = 0; i < nu; i++) {
    f += v[i] * s->Y[i * NX + NX - 1];
    for (int j = 0; j < nu; j++) f += 0.5 * v[i] * s->G[i * nu + j] * v[j];
  }
  return f;
}

// minimum cost over all 3^nu combinations of inputs at the lower bound, at the upper bound, and
// free
static double enumerate(const stage *s, double *best_v) {
  int nu = s->box.nu, sets = 1;
  double best = INFINITY;
  for (int i = 0; i < nu; i++) sets *= 3;
  for (int set = 0; set < sets; set++) {
    int at[NU], piv[NU], rest = set;
    double M[NU * NU], b[NU];
    bool feasible = true;
    for (int i = 0; i < nu; i++, rest /= 3) at[i] = rest % 3;
    for (int i = 0; i < nu; i++) {
      b[i] = at[i] == 0 ? -s->Y[i * NX + NX - 1] : at[i] == 1 ? s->lo[i] : s->hi[i];
      feasible = feasible && isfinite(b[i]);
      for (int j = 0; j < nu; j++) M[i * nu + j] = at[i] == 0 ? s->G[i * nu + j] : i == j;
    }
    if (!feasible) continue;
    assert_int_equal(dm_lu_factor(nu, M, piv), DM_OK);
    dm_lu_solve(nu, M, piv, 1, b);
    for (int i = 0; i < nu; i++)
      feasible = feasible && b[i] >= s->lo[i] - 1e-12 && b[i] <= s->hi[i] + 1e-12;
    if (!feasible || cost(s, b) >= best) continue;
    best = cost(s, b);
    memcpy(best_v, b, (size_t)nu * sizeof *b);
  }
  return best;
}

static void the_minimizer_is_the_best_of_all_active_sets(void **state) {
  (void)state;
  uint64_t r = 3;
  for (int c = 0; c < CASES; c++) {
    stage *s = open_stage(1 + c % NU, &r);
    double v[NU];
    solve(s);
    enumerate(s, v);
    for (int i = 0; i < s->box.nu; i++) assert_close(s->box.v[i], v[i], 1e-11);
    close_stage(s);
  }
}

// bounds hold exactly; the gradient is zero for free inputs and points outward otherwise
static void the_optimality_conditions_hold(void **state) {
  (void)state;
  uint64_t r = 17;
  int held = 0;
  for (int c = 0; c < CASES; c++) {
    stage *s = open_stage(1 + c % NU, &r);
    const fb_box_qp *b = &s->box;
    solve(s);
    for (int i = 0; i < b->nu; i++) {
      assert_true(b->v[i] >= s->lo[i] && b->v[i] <= s->hi[i]);
      assert_true(s->K[i * NX + NX - 1] == -b->v[i]);
      if (b->v[i] > s->lo[i]) assert_true(b->g[i] < 1e-12);
      if (b->v[i] < s->hi[i]) assert_true(b->g[i] > -1e-12);
      held += !b->free[i];
      for (int j = 0; j < NX - 1 && !b->free[i]; j++) assert_true(s->K[i * NX + j] == 0);
    }
    close_stage(s);
  }
  assert_true(held > CASES / 2);
}

// while the active set does not change, v = -K x is the minimizer at any state x
static void gains_lead_to_the_minimizer_of_a_state_beside(void **state) {
  (void)state;
  uint64_t r = 29;
  for (int c = 0; c < CASES; c++) {
    stage *s = open_stage(1 + c % NU, &r);
    int nu = s->box.nu;
    double v[NU], x[NX];
    bool was[NU], same = true;
    solve(s);
    for (int j = 0; j < NX; j++) x[j] = j == NX - 1 ? 1 : 1e-6 * models_random(&r);
    for (int i = 0; i < nu; i++) {
      was[i] = s->box.free[i], v[i] = 0;
      for (int j = 0; j < NX; j++) v[i] -= s->K[i * NX + j] * x[j];
    }
    for (int i = 0; i < nu; i++)
      for (int j = 0; j < NX - 1; j++) s->Y[i * NX + NX - 1] += s->Y[i * NX + j] * x[j];
    solve(s);
    for (int i = 0; i < nu; i++) same = same && was[i] == s->box.free[i];
    for (int i = 0; same && i < nu; i++) assert_close(s->box.v[i], v[i], 1e-12);
    close_stage(s);
  }
}

static void an_indefinite_stage_is_refused(void **state) {
  (void)state;
  uint64_t r = 5;
  stage *s = open_stage(2, &r);
  double indefinite[] = {1, 2, 2, 1}, small[] = {1, 0, 0, 0.3}, none[] = {1, 0, 0, NAN};
  double by_rounding[] = {1, 1, 1, 1 + DBL_EPSILON};
  assert_int_equal(fb_box_qp_set(&s->box, indefinite, 2, 0, NULL), DM_NOT_DEFINITE);
  assert_int_equal(fb_box_qp_set(&s->box, small, 2, 0.29, NULL), DM_OK);
  assert_int_equal(fb_box_qp_set(&s->box, small, 2, 0.31, NULL), DM_NOT_DEFINITE);
  assert_int_equal(fb_box_qp_set(&s->box, by_rounding, 2, 0, NULL), DM_NOT_DEFINITE);
  assert_int_equal(fb_box_qp_set(&s->box, none, 2, 0, NULL), DM_NOT_FINITE);
  close_stage(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_minimizer_is_the_best_of_all_active_sets),
      cmocka_unit_test(the_optimality_conditions_hold),
      cmocka_unit_test(gains_lead_to_the_minimizer_of_a_state_beside),
      cmocka_unit_test(an_indefinite_stage_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The reduced space of a descent: its gradient and products with the Hessian against the merit of
// rolled out motions, the metric's inverse, and the methods that work in it.
#include "lib/base/dense.h"
#include "tests/support/descent.h"
#include "tests/support/functions.h"

enum { MODELS = OC_VALUE_ORDER + 1 };

// the merit around a motion, with a model of directions
typedef struct space {
  oc_projection_operator *p;
  oc_merit *merit;
  oc_search_direction *d;
  int n; // entries of c
  double *c, *g, *Hc;
  bool *fixed;
} space;

static space space_at(const tasks_task *x, const dm_trajectory *y, oc_model model) {
  space s = {0};
  assert_int_equal(oc_projection_operator_new(&s.p, &x->t), DM_OK);
  assert_int_equal(oc_merit_new(&s.merit, s.p), DM_OK);
  assert_int_equal(oc_search_direction_new(&s.d, s.p, s.merit, false), DM_OK);
  s.merit->end->penalty = 30;
  dm_trajectory_copy(s.p->x, y);
  assert_int_equal(oc_projection_operator_gains(s.p, 1), DM_OK);
  assert_int_equal(oc_search_direction_model(s.d, model), DM_OK);
  s.n = s.p->N * s.p->nu + s.p->start->nt;
  s.c = calloc(3 * (size_t)s.n, sizeof *s.c);
  s.g = s.c + s.n, s.Hc = s.g + s.n;
  s.fixed = calloc((size_t)s.n, sizeof *s.fixed);
  uint64_t r = 5;
  for (int i = 0; i < s.n; i++) s.c[i] = models_random(&r);
  oc_reduced_gradient(s.d, s.g, s.fixed);
  return s;
}

static void space_free(space *s) {
  free(s->c), free(s->fixed);
  oc_search_direction_free(s->d);
  oc_merit_free(s->merit);
  oc_projection_operator_free(s->p);
}

// merit of the motion at a c
static double merit_along(space *s, double a) {
  double cost, merit;
  oc_reduced_expand(s->d, s->c);
  assert_int_equal(oc_projection_operator_rollout(s->p, a), DM_OK);
  assert_int_equal(oc_merit_value(s->merit, s->p->trial, &cost, &merit), DM_OK);
  return merit;
}

// a motion of a task on its way, by two iterations
static dm_trajectory *on_the_way(const tasks_task *x, descent **d) {
  oc_options set = settings(OC_NEWTON);
  set.max_iter = 2;
  *d = descend(x, &set);
  return (*d)->x;
}

// merit(a) - merit(0) - a g.c falls as a^2, and minus a^2/2 c.Hc as a^3
static void gradients_and_products_are_those_of_the_merit(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    tasks_task x = kind == 0 ? paper_task() : soften(tasks_cart_pole(40));
    double q[2] = {NAN, 0};
    if (kind == 2) x.t.start.q = q; // a free entry of the start
    descent *d;
    space s = space_at(&x, on_the_way(&x, &d), OC_SECOND_ORDER);
    double slope = dm_inner(s.n, s.g, s.c), base = merit_along(&s, 0), left[2][2];
    oc_reduced_multiply(s.d, s.c, s.fixed, s.Hc);
    double bend = dm_inner(s.n, s.c, s.Hc);
    for (int i = 0; i < 2; i++) {
      double a = (i ? 5e-4 : 1e-3) * sqrt(fabs(base / bend));
      left[0][i] = merit_along(&s, a) - base - a * slope;
      left[1][i] = merit_along(&s, a) - merit_along(&s, -a) - 2 * a * slope; // odd: third order
      double second = merit_along(&s, a) + merit_along(&s, -a) - 2 * base;
      assert_close(second, a * a * bend, 1e-3 * fabs(a * a * bend));
    }
    assert_true(fabs(left[0][0] / left[0][1]) > 3 && fabs(left[0][0] / left[0][1]) < 5);
    assert_true(fabs(left[1][0]) <= 1e-3 * fabs(1e-3 * slope) + 1e-9 * base);
    space_free(&s), descent_free(d), tasks_free(&x);
  }
}

// H is symmetric, and M^-1 is the inverse of H without second-order parts
static void the_metric_is_inverted(void **state) {
  (void)state;
  for (int model = 0; model < MODELS; model++) {
    tasks_task x = soften(tasks_cart_pole(40));
    descent *d;
    space s = space_at(&x, on_the_way(&x, &d), (oc_model)model);
    double *b = calloc(3 * (size_t)s.n, sizeof *b), *Hb = b + s.n, *back = Hb + s.n;
    for (int i = 0; i < s.n; i++) b[i] = sin(i);
    oc_reduced_multiply(s.d, s.c, s.fixed, s.Hc);
    oc_reduced_multiply(s.d, b, s.fixed, Hb);
    const double cHb = dm_inner(s.n, s.c, Hb);
    assert_close(dm_inner(s.n, b, s.Hc), cHb, 1e-9 * sqrt(fabs(cHb) * dm_inner(s.n, b, b)));
    if (!s.d->lq.dQ) {
      assert_int_equal(oc_reduced_precondition(s.d, s.Hc, s.fixed, back), DM_OK);
      for (int i = 0; i < s.n; i++) assert_close(back[i], s.c[i], 1e-6);
    }
    free(b), space_free(&s), descent_free(d), tasks_free(&x);
  }
}

// a move between motions is found from them
static void moves_are_recovered_from_motions(void **state) {
  (void)state;
  tasks_task x = soften(tasks_cart_pole(40));
  descent *d;
  space s = space_at(&x, on_the_way(&x, &d), OC_IDENTITY);
  merit_along(&s, 0.5);
  oc_reduced_move(s.d, s.p->x, s.p->trial, s.Hc);
  for (int k = 0, N = s.p->N; k < N; k++) assert_close(s.Hc[k], 0.5 * s.c[k], 1e-9);
  space_free(&s), descent_free(d), tasks_free(&x);
}

// Every method finds the minimum of paper 001: those with memory in a tenth of the iterations of
// steepest descent, those of second order in 30.
static void every_method_solves_the_papers_pendulum(void **state) {
  (void)state;
  int took[OC_METHODS];
  for (oc_method m = OC_STEEPEST; m < OC_METHODS; m++) {
    tasks_task x = paper_task();
    oc_options set = settings(m);
    set.descent.slope = 1e-6, set.descent.share = 0;
    descent *d = descend(&x, &set);
    took[m] = d->info.iterations;
    if (d->info.status != DM_OK || !(fabs(d->info.cost / 13297.37889 - 1) < 1e-9))
      fail_msg("%s: status %d, cost %.10g", oc_method_names[m], d->info.status, d->info.cost);
    const oc_work *work = &d->info.work;
    assert_true(work->count[OC_WORK_ROLLOUT] >= took[m] && work->count[OC_WORK_SWEEP] >= took[m]);
    assert_int_equal(work->count[OC_WORK_CURVATURE] > 0, oc_methods[m].model >= OC_SECOND_ORDER);
    assert_int_equal(work->count[OC_WORK_PRODUCT] > 0, m == OC_TRUST);
    descent_free(d), tasks_free(&x);
  }
  for (oc_method m = OC_BARZILAI_BORWEIN; m <= OC_LBFGS; m++)
    assert_true(10 * took[m] < took[OC_STEEPEST]);
  for (oc_method m = OC_PAPER; m <= OC_NEWTON; m++) assert_true(took[m] <= 30);
}

// an open loop needs far more: the projection is what makes first order work
static void projections_change_the_way_not_the_minimum(void **state) {
  (void)state;
  for (oc_projection p = OC_REGULATOR; p <= OC_OPEN_LOOP; p++) {
    tasks_task x = soften(tasks_cart_pole(40));
    x.t.time.T = 0.5;
    oc_options set = settings(OC_DDP);
    set.descent.projection = p;
    descent *d = descend(&x, &set);
    oc_options other = settings(OC_NEWTON);
    descent *known = descend(&x, &other);
    assert_int_equal(d->info.status, DM_OK);
    assert_close(d->info.cost, known->info.cost, 1e-8 * known->info.cost);
    descent_free(d), descent_free(known), tasks_free(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_and_products_are_those_of_the_merit),
      cmocka_unit_test(the_metric_is_inverted),
      cmocka_unit_test(moves_are_recovered_from_motions),
      cmocka_unit_test(every_method_solves_the_papers_pendulum),
      cmocka_unit_test(projections_change_the_way_not_the_minimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

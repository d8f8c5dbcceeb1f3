// The tree's Lagrangian: its derivatives by the order of their differences, its symmetries.
#include "tests/models.h"

typedef struct bench {
  dm_model *m;
  dm_lagrangian L;
  void *scratch;
  int n;
  dm_jet jet, T;
  double x[3 * 90], d[2 * 90];
} bench;

static dm_jet jet_new(int n) {
  size_t s = sizeof(double), nn = (size_t)(n * n);
  return (dm_jet){.L_q = calloc((size_t)n, s),
                  .L_v = calloc((size_t)n, s),
                  .L_qq = calloc(nn, s),
                  .L_qv = calloc(nn, s),
                  .L_vv = calloc(nn, s)};
}
static void jet_free(dm_jet *j) {
  free(j->L_q), free(j->L_v), free(j->L_qq), free(j->L_qv), free(j->L_vv);
}

static void open_bench(bench *b, dm_model *m) {
  b->m = m;
  b->L = dm_sweep_lagrangian(m);
  b->n = m->nq;
  b->scratch = aligned_alloc(64, (b->L.scratch + 63) & ~(size_t)63);
  b->jet = jet_new(b->n), b->T = jet_new(b->n);
  unsigned long long r = 7;
  for (int i = 0; i < COUNT(b->x); i++) b->x[i] = models_random(&r);
  for (int i = 0; i < COUNT(b->d); i++) b->d[i] = models_random(&r);
}
static void close_bench(bench *b) {
  jet_free(&b->jet), jet_free(&b->T), free(b->scratch), dm_model_free(b->m);
}

static void value(void *self, const double *x, double *out) {
  bench *b = self;
  assert_int_equal(b->L.eval(b->m, b->scratch, 1, x, x + b->n, &b->jet), DM_OK);
  *out = b->jet.L;
}
static void gradient(void *self, const double *x, double *out) {
  bench *b = self;
  assert_int_equal(b->L.eval(b->m, b->scratch, 1, x, x + b->n, &b->jet), DM_OK);
  memcpy(out, b->jet.L_q, (size_t)b->n * sizeof *out);
  memcpy(out + b->n, b->jet.L_v, (size_t)b->n * sizeof *out);
}
// H d: rows q, then v
static void times(int n, const dm_jet *j, const double *d, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = out[n + i] = 0;
    for (int k = 0; k < n; k++) {
      out[i] += j->L_qq[i * n + k] * d[k] + j->L_qv[i * n + k] * d[n + k];
      out[n + i] += j->L_qv[k * n + i] * d[k] + j->L_vv[i * n + k] * d[n + k];
    }
  }
}
static void hessian_times_a(void *self, const double *x, double *out) {
  bench *b = self;
  assert_int_equal(b->L.eval(b->m, b->scratch, 2, x, x + b->n, &b->jet), DM_OK);
  times(b->n, &b->jet, b->x + 2 * b->n, out);
}

// every derivative of m at a random state, against differences of the one below it
static void check_all(dm_model *m) {
  bench b;
  open_bench(&b, m);
  int n = b.n;
  double g[180], Hd[180], exact = 0;
  gradient(&b, b.x, g);
  for (int i = 0; i < 2 * n; i++) exact += g[i] * b.d[i];
  models_check_derivative(value, &b, 2 * n, 1, b.x, b.d, &exact, 1e-3, "gradient of L");

  assert_int_equal(b.L.eval(m, b.scratch, 2, b.x, b.x + n, &b.jet), DM_OK);
  times(n, &b.jet, b.d, Hd);
  models_check_derivative(gradient, &b, 2 * n, 2 * n, b.x, b.d, Hd, 1e-3, "Hessian of L");

  // T(a) d is the derivative of H a along d; a stands behind (q,v)
  double *a = b.x + 2 * n;
  assert_true(4 * n <= COUNT(b.x));
  assert_int_equal(b.L.contract(m, b.scratch, b.x, b.x + n, a, a + n, &b.T), DM_OK);
  times(n, &b.T, b.d, Hd);
  models_check_derivative(hessian_times_a, &b, 2 * n, 2 * n, b.x, b.d, Hd, 1e-3, "T(a)");

  // both are symmetric, and vanish where the mask says so
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      assert_true(b.jet.L_vv[i * n + k] == b.jet.L_vv[k * n + i]);
      assert_true(b.T.L_qq[i * n + k] == b.T.L_qq[k * n + i]);
      if (b.L.mask[i * n + k]) continue;
      assert_true(b.T.L_qq[i * n + k] == 0 && b.T.L_qv[i * n + k] == 0 && b.T.L_vv[i * n + k] == 0);
      assert_true(b.jet.L_qq[i * n + k] == 0 && b.jet.L_qv[i * n + k] == 0);
    }
  close_bench(&b);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  check_all(models_pendulum());
  check_all(models_cart_pole());
  check_all(models_chain(12, 0.4, 0));
  for (unsigned long long seed = 1; seed <= 6; seed++) {
    check_all(models_random_tree(9, false, seed));
    check_all(models_random_tree(9, true, seed));
  }
}

static void cart_pole_is_the_textbook_formula(void **state) {
  (void)state;
  bench b;
  open_bench(&b, models_cart_pole());
  double th = b.x[1], xd = b.x[2], thd = b.x[3], m = 0.3, l = 0.5;
  assert_int_equal(b.L.eval(b.m, b.scratch, 2, b.x, b.x + 2, &b.jet), DM_OK);
  double L = 0.5 * (1 + m) * xd * xd - m * l * cos(th) * xd * thd + 0.5 * m * l * l * thd * thd +
             m * 9.81 * l * cos(th);
  assert_close(b.jet.L, L, 1e-14);
  assert_close(b.jet.L_vv[1], -m * l * cos(th), 1e-15);
  assert_close(b.jet.L_qq[3], m * l * cos(th) * xd * thd - m * 9.81 * l * cos(th), 1e-14);
  double kinetic, potential;
  dm_sweep_energy(b.m, b.scratch, b.x, b.x + 2, &kinetic, &potential);
  assert_close(kinetic - potential, L, 1e-14);
  close_bench(&b);
}

// a mimic joint equals the same tree in independent coordinates, restricted to q = ratio q' + shift
static void mimic_is_a_restriction(void **state) {
  (void)state;
  bench a, b;
  open_bench(&a, models_random_tree(9, true, 3));
  open_bench(&b, models_random_tree(9, false, 3));
  int n = a.n;
  assert_int_equal(b.n, n + 1);
  double y[180], *q = y, *v = y + b.n;
  for (int i = 0, k = 0; i < b.n; i++) {
    if (i == 4) {
      q[i] = -1.5 * a.x[1] + 0.2, v[i] = -1.5 * a.x[n + 1];
      continue;
    }
    q[i] = a.x[k], v[i] = a.x[n + k++];
  }
  a.L.eval(a.m, a.scratch, 2, a.x, a.x + n, &a.jet);
  b.L.eval(b.m, b.scratch, 2, q, v, &b.jet);
  assert_close(a.jet.L, b.jet.L, 1e-12);
  assert_close(a.jet.L_q[1], b.jet.L_q[1] - 1.5 * b.jet.L_q[4], 1e-12);
  double M = b.jet.L_vv[b.n + 1] - 3 * b.jet.L_vv[b.n + 4] + 2.25 * b.jet.L_vv[4 * b.n + 4];
  assert_close(a.jet.L_vv[n + 1], M, 1e-12);
  close_bench(&a), close_bench(&b);
}

// a tree on three slides and three turns feels no place: L and its derivatives far away are those
// at the origin, to the digits the place itself leaves
static void far_from_the_origin_no_digits_are_lost(void **state) {
  (void)state;
  dm_coordinate c[8];
  for (int i = 0; i < 6; i++) {
    static const char *name[] = {"x", "y", "z", "rx", "ry", "rz"};
    c[i] = models_coord(name[i], i < 3, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  }
  c[6] = models_coord("hip", false, 0, 1, 0), c[7] = models_coord("knee", false, 0, 1, 0);
  dm_pose low = dm_identity;
  low.p.z = -0.5;
  dm_body body[] = {{"trunk", -1, dm_identity, 0, 6, 5, {0.1, 0, 0}, {1, 2, 3, 0.1, 0, 0}},
                    {"thigh", 0, low, 6, 1, 1, {0, 0, -0.2}, {0.1, 0.1, 0.02, 0, 0, 0}},
                    {"shank", 1, low, 7, 1, 1, {0, 0, -0.2}, {0.1, 0.1, 0.02, 0, 0, 0}}};
  bench a, b;
  open_bench(&a, models_make(&(dm_tree){3, 8, 0, body, c, NULL, {0, 0, 0}}));
  open_bench(&b, models_make(&(dm_tree){3, 8, 0, body, c, NULL, {0, 0, 0}}));
  for (int i = 0; i < 3; i++) b.x[i] += 4096;
  a.L.contract(a.m, a.scratch, a.x, a.x + 8, a.d, a.d + 8, &a.T);
  b.L.contract(b.m, b.scratch, b.x, b.x + 8, a.d, a.d + 8, &b.T);
  for (int i = 0; i < 64; i++) {
    assert_close(a.T.L_qq[i], b.T.L_qq[i], 1e-9);
    assert_close(a.T.L_vv[i], b.T.L_vv[i], 1e-9);
  }
  close_bench(&a), close_bench(&b);
}

// a weight in the world, and one that slides up beside it with a heavy drive
static void energies_are_whole(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1)};
  c[1].armature = 0.5;
  dm_body body[] = {{"post", -1, dm_identity, 0, 0, 2, {0, 0, 3}, {0}},
                    {"lift", -1, dm_identity, 0, 2, 1, {0, 0, 0.25}, {0}}};
  bench b;
  open_bench(&b, models_make(&(dm_tree){2, 2, 0, body, c, NULL, {0, 0, -10}}));
  const double q[] = {7, 4}, v[] = {1, 3};
  double kinetic, potential;
  dm_sweep_energy(b.m, b.scratch, q, v, &kinetic, &potential);
  assert_close(kinetic, 0.5 * 1 + 0.5 * 1.5 * 9, 1e-12);
  assert_close(potential, 10 * (2 * 3 + 1 * 4.25), 1e-12);
  assert_int_equal(b.L.eval(b.m, b.scratch, 1, q, v, &b.jet), DM_OK);
  assert_close(b.jet.L, kinetic - potential, 1e-12);
  close_bench(&b);
}

static void bad_trees_are_named(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("a", false, 0, 1, 0), models_coord("b", false, 0, 1, 0)};
  dm_body b[] = {{"one", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0}},
                 {"two", 0, dm_identity, 1, 1, 1, {0, 0, -1}, {0}}};
  dm_tree tree = {2, 2, 0, b, c, NULL, {0, 0, -9.81}};
  dm_model *m = NULL;
  dm_message msg;
#define REFUSED(word)                                                                              \
  assert_int_equal(dm_model_new(&m, &tree, &msg), DM_BAD_INPUT);                                   \
  assert_null(m);                                                                                  \
  if (!strstr(msg.text, word)) fail_msg("'%s' does not name '%s'", msg.text, word)
  b[1].mass = -1;
  REFUSED("'two': mass must be >= 0, got -1");
  b[1].mass = NAN;
  REFUSED("'two': mass");
  b[1].mass = 0;
  REFUSED("'b' moves no inertia");
  b[1].mass = 1, b[1].centre[2] = 0;
  REFUSED("'b' moves no inertia");
  b[1].centre[2] = -1, b[1].parent = 1;
  REFUSED("'two' stands before its parent");
  b[1].parent = 0, c[1].name = "a";
  REFUSED("two coordinates are named 'a'");
  c[1].name = "b", c[1].mimic = 7;
  REFUSED("'b' mimics one that is not there");
  c[1].mimic = 0, c[1].ratio = 0;
  REFUSED("'b': ratio");
  c[1].mimic = -1, c[1].axis[1] = 0;
  REFUSED("'b': its axis must have length 1, got 0");
  c[1].axis[1] = 1;
  assert_int_equal(dm_model_new(&m, &tree, &msg), DM_OK);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(cart_pole_is_the_textbook_formula),
      cmocka_unit_test(mimic_is_a_restriction),
      cmocka_unit_test(far_from_the_origin_no_digits_are_lost),
      cmocka_unit_test(energies_are_whole),
      cmocka_unit_test(bad_trees_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

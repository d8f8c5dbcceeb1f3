// Holonomic constraints of trees: each kind's derivatives by the order of their differences.
#include "tests/models.h"

#include "lib/constraint.h"

typedef struct bench {
  dm_model *m;
  dm_constraints *c;
  dm_holonomic hol;
  void *scratch;
  int n, nc;
  double lambda[8], a[40];
} bench;

static void value(void *self, const double *q, double *h) {
  bench *b = self;
  assert_int_equal(b->hol.eval(b->c, b->scratch, q, h, NULL), DM_OK);
}
// Dh' lambda
static void pulled(void *self, const double *q, double *out) {
  bench *b = self;
  double h[8], Dh[8 * 40];
  assert_int_equal(b->hol.eval(b->c, b->scratch, q, h, Dh), DM_OK);
  for (int j = 0; j < b->n; j++) {
    out[j] = 0;
    for (int i = 0; i < b->nc; i++) out[j] += b->lambda[i] * Dh[i * b->n + j];
  }
}
// sum lambda_i D2h_i a
static void turned(void *self, const double *q, double *out) {
  bench *b = self;
  double H[40 * 40] = {0};
  assert_int_equal(b->hol.contract(b->c, b->scratch, q, b->lambda, H), DM_OK);
  for (int i = 0; i < b->n; i++) {
    out[i] = 0;
    for (int j = 0; j < b->n; j++) out[i] += H[i * b->n + j] * b->a[j];
  }
}

static void check(dm_model *m, const dm_constraint *x) {
  bench b = {.m = m, .n = m->nq};
  dm_message msg = {""};
  if (dm_constraints_new(&b.c, m, 1, x, &msg) != DM_OK) fail_msg("%s", msg.text);
  b.hol = dm_constraints_holonomic(b.c);
  b.nc = b.hol.nc;
  b.scratch = aligned_alloc(64, b.hol.scratch + 64);
  double q[40], d[40], h[8], Dh[8 * 40], J[8 * 40], H[40 * 40] = {0}, T[40 * 40] = {0};
  double out[40] = {0};
  unsigned long long r = 17;
  int n = b.n;
  assert_true(n <= 40 && b.nc <= 8);
  for (int i = 0; i < n; i++)
    q[i] = models_random(&r), d[i] = models_random(&r), b.a[i] = models_random(&r);
  for (int i = 0; i < b.nc; i++) b.lambda[i] = models_random(&r);

  assert_int_equal(b.hol.eval(b.c, b.scratch, q, h, Dh), DM_OK);
  for (int i = 0; i < b.nc; i++)
    for (int j = 0; j < n; j++) out[i] += Dh[i * n + j] * d[j];
  models_check_derivative(value, &b, n, b.nc, q, d, out, 1e-3, "Dh");

  assert_int_equal(b.hol.contract(b.c, b.scratch, q, b.lambda, H), DM_OK);
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) {
      out[i] += H[i * n + j] * d[j];
      assert_close(H[i * n + j], H[j * n + i], 0);
    }
  }
  models_check_derivative(pulled, &b, n, n, q, d, out, 1e-3, "D2h");

  assert_int_equal(b.hol.along(b.c, b.scratch, q, b.a, b.lambda, J, T), DM_OK);
  turned(&b, q, out);
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < b.nc; i++) sum += b.lambda[i] * J[i * n + j];
    assert_close(sum, out[j], 1e-13 * (1 + fabs(out[j])));
  }
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += T[i * n + j] * d[j];
  }
  models_check_derivative(turned, &b, n, n, q, d, out, 1e-3, "D3h a");
  free(b.scratch);
  dm_constraints_free(b.c);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  for (unsigned long long seed = 1; seed <= 4; seed++) {
    dm_model *m = models_random_tree(9, seed > 2, seed);
    double s = sqrt(1.0 / 3);
    dm_constraint c = {.name = "c",
                       .body = {8, 5},
                       .point = {{.3, .2, -.1}, {-.4, .1, .2}},
                       .axis = {s, -s, s},
                       .length = 0.7,
                       .coord = {-1, -1}};
    for (c.kind = DM_DISTANCE; c.kind <= DM_POSE_PLANAR; c.kind++)
      for (int other = -1; other < 8; other += 3) {
        c.body[1] = other;
        c.coord[0] = -1, c.coord[1] = -1;
        if (c.kind == DM_EQUAL) c.coord[0] = 2, c.coord[1] = 5, c.ratio = 1.5, c.shift = 0.3;
        check(m, &c);
        if (c.kind == DM_DISTANCE) c.coord[0] = 3, check(m, &c);
      }
    dm_model_free(m);
  }
}

static void rows_count_and_name(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  dm_constraint list[] = {
      {.name = "loop", .kind = DM_POSE, .body = {2, -1}, .coord = {-1, -1}},
      {.name = "gear", .kind = DM_EQUAL, .coord = {0, 1}, .ratio = 2},
  };
  dm_constraints *c;
  assert_int_equal(dm_constraints_new(&c, m, 2, list, NULL), DM_OK);
  assert_int_equal(dm_constraints_holonomic(c).nc, 7);
  assert_string_equal(dm_constraints_row_name(c, 5), "loop");
  assert_string_equal(dm_constraints_row_name(c, 6), "gear");
  dm_constraints_free(c);
  dm_message msg;
  list[1].coord[1] = 3;
  assert_int_equal(dm_constraints_new(&c, m, 2, list, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'gear': a coordinate that is not there"));
  list[0].body[1] = 9;
  assert_int_equal(dm_constraints_new(&c, m, 1, list, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'loop': a body that is not there"));
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(rows_count_and_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

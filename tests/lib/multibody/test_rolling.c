// Rolling constraints of trees: their rates are velocities of material points of both bodies, found
// from differences of poses; derivatives are compared with differences by the order of the error.
#include "lib/base/dense.h"
#include "lib/multibody/tree_lagrangian.h"
#include "tests/support/models.h"

enum { N = 24, ROWS = 9, BALL = 1 };

typedef struct bench {
  dm_model *m;
  dm_rolling *w;
  dm_holonomic hol;
  void *scratch;
  int n, nv;
  double q[N], v[N], lambda[ROWS];
} bench;

// c = q0 v1 + q1^2 v2 + q0^2, in variables (q0, v1, q1, v2)
static dm_tape_operation operations[] = {
    {.kind = DM_TAPE_VARIABLE, .at = 0},
    {.kind = DM_TAPE_VARIABLE, .at = 1},
    {.kind = DM_TAPE_VARIABLE, .at = 2},
    {.kind = DM_TAPE_VARIABLE, .at = 3},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 0, .b = 1},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 2, .b = 2},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 5, .b = 3},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_ADD, .a = 4, .b = 6},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_MULTIPLY, .a = 0, .b = 0},
    {.kind = DM_TAPE_CALL, .at = DM_TAPE_ADD, .a = 7, .b = 8},
};
static dm_tape formula;

// rollers of every kind between bodies of two branches, and with the world
static const dm_roller rollers[] = {
    {.name = "wheel", .kind = DM_ROLLING_WHEEL, .body = {6, 4}, .radius = 0.3},
    {.name = "ball", .kind = DM_ROLLING_WHEEL, .body = {5, 2}, .radius = 0.2},
    {.name = "side", .kind = DM_ROLLING_NO_SLIP, .body = {6, -1}},
    {.name = "blade", .kind = DM_ROLLING_KNIFE_EDGE, .body = {4, 6}},
    {.name = "fixed", .kind = DM_ROLLING_WHEEL, .body = {-1, 6}, .radius = 0.4},
    {.name = "formula", .kind = DM_ROLLING_FORMULA, .formula = &formula},
};

static bench open_bench(uint64_t seed) {
  formula = dm_tape_of(4, COUNT(operations), operations);
  bench b = {.m = models_random_tree(8, true, seed)};
  dm_roller list[COUNT(rollers)];
  uint64_t r = seed;
  for (int i = 0; i < COUNT(rollers); i++) {
    list[i] = rollers[i];
    list[i].variable = (const int[]){0, b.m->nq + 1, 1, b.m->nq + 2};
    for (int k = 0; k < 3; k++) list[i].point[k] = 0.4 * models_random(&r);
    for (int s = 0; s < 2; s++) {
      const dm_vec x = dm_v(models_random(&r), models_random(&r), models_random(&r));
      const double size = sqrt(dm_dot(x, x)), unit[] = {x.x / size, x.y / size, x.z / size};
      if (!s || i != BALL) memcpy(s ? list[i].axis : list[i].normal, unit, sizeof unit);
    }
  }
  assert_int_equal(dm_rolling_new(&b.w, b.m, COUNT(rollers), list, NULL, NULL), DM_OK);
  b.hol = dm_rolling_holonomic(b.w);
  b.scratch = aligned_alloc(64, b.hol.scratch);
  b.n = b.m->nq;
  b.nv = b.hol.nv;
  assert_true(b.n <= N && b.nv <= ROWS && b.nv == b.hol.nc);
  for (int i = 0; i < b.n; i++) b.q[i] = models_random(&r);
  for (int i = 0; i < b.n; i++) b.v[i] = models_random(&r);
  for (int i = 0; i < b.nv; i++) b.lambda[i] = models_random(&r);
  return b;
}

static void close_bench(bench *b) {
  free(b->scratch);
  dm_rolling_free(b->w);
  dm_model_free(b->m);
}

static void eval(bench *b, const double *q, double *A) {
  double h[ROWS];
  assert_int_equal(b->hol.eval(b->hol.self, b->scratch, q, h, A), DM_OK);
  for (int i = 0; i < b->nv; i++) assert_true(h[i] == 0);
}

// A(q) v
static void rates(void *self, const double *q, double *out) {
  bench *b = self;
  double A[ROWS * N];
  eval(b, q, A);
  for (int i = 0; i < b->nv; i++) {
    out[i] = 0;
    for (int j = 0; j < b->n; j++) out[i] += A[i * b->n + j] * b->v[j];
  }
}

// A(q)'lambda
static void forces(void *self, const double *q, double *out) {
  bench *b = self;
  double A[ROWS * N];
  eval(b, q, A);
  for (int j = 0; j < b->n; j++) {
    out[j] = 0;
    for (int i = 0; i < b->nv; i++) out[j] += A[i * b->n + j] * b->lambda[i];
  }
}

// the gradient of lambda.A(q) v
static void slope(void *self, const double *q, double *out) {
  bench *b = self;
  double J[ROWS * N];
  assert_int_equal(b->hol.directional(b->hol.self, b->scratch, q, b->v, b->lambda, J, NULL), DM_OK);
  for (int j = 0; j < b->n; j++) {
    out[j] = 0;
    for (int i = 0; i < b->nv; i++) out[j] += b->lambda[i] * J[i * b->n + j];
  }
}

// b, of the formula alone
static void drifts(void *self, const double *q, double *out) {
  bench *b = self;
  assert_int_equal(b->hol.drift(b->hol.self, b->scratch, q, NULL, out, NULL, NULL), DM_OK);
}

static void a_formula_has_its_coefficients(void **state) {
  (void)state;
  bench b = open_bench(9);
  double rate[ROWS], drift[ROWS], slope_q[ROWS * N], H[N * N] = {0}, out[ROWS];
  const double *q = b.q, *v = b.v;
  rates(&b, q, rate);
  assert_int_equal(b.hol.drift(b.hol.self, b.scratch, q, b.lambda, drift, slope_q, H), DM_OK);
  for (int i = 0; i < b.nv - 1; i++) assert_true(drift[i] == 0);
  const int last = b.nv - 1;
  assert_close(rate[last], q[0] * v[1] + q[1] * q[1] * v[2], 1e-15);
  assert_close(drift[last], q[0] * q[0], 1e-15);
  assert_close(H[0], 2 * b.lambda[last], 1e-15);
  for (int i = 0; i < b.nv; i++) out[i] = dm_inner(b.n, slope_q + i * b.n, v);
  models_check_derivative(drifts, &b, b.n, b.nv, q, v, out, 1e-3, "b_q");
  close_bench(&b);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 3; seed < 6; seed++) {
    bench b = open_bench(seed);
    const int n = b.n;
    double d[N], J[ROWS * N], T[N * N] = {0}, H[N * N] = {0}, out[N];
    uint64_t r = seed + 50;
    for (int i = 0; i < n; i++) d[i] = models_random(&r);
    assert_int_equal(b.hol.directional(b.hol.self, b.scratch, b.q, b.v, b.lambda, J, T), DM_OK);
    assert_int_equal(b.hol.contract(b.hol.self, b.scratch, b.q, b.lambda, H), DM_OK);
    for (int i = 0; i < b.nv; i++) out[i] = dm_inner(n, J + i * n, d);
    models_check_derivative(rates, &b, n, b.nv, b.q, d, out, 1e-3, "(A v)_q");
    for (int i = 0; i < n; i++) out[i] = dm_inner(n, H + i * n, d);
    models_check_derivative(forces, &b, n, n, b.q, d, out, 1e-3, "(A'lambda)_q");
    for (int i = 0; i < n; i++) out[i] = dm_inner(n, T + i * n, d);
    models_check_derivative(slope, &b, n, n, b.q, d, out, 1e-3, "(lambda.A v)_qq");
    close_bench(&b);
  }
}

// pose of a body in the world
static dm_pose place_body(const bench *b, const double *q, int body) {
  dm_pose X[80];
  if (body < 0) return dm_identity;
  dm_tree_frames(b->m, q, X);
  const int j = b->m->body_joint[body];
  return j < 0 ? b->m->body_pose[body] : dm_compose(&X[j], &b->m->body_pose[body]);
}

// velocity, by differences, of the point of a body that is at world position x at b->q
static dm_vec find_velocity(const bench *b, int body, dm_vec x) {
  const double e = 1e-5;
  const dm_pose X = place_body(b, b->q, body);
  const dm_vec local = dm_unrotate(&X, dm_sub(x, X.p));
  dm_vec end[2];
  for (int s = 0; s < 2; s++) {
    double q[N];
    for (int i = 0; i < b->n; i++) q[i] = b->q[i] + (s ? e : -e) * b->v[i];
    const dm_pose moved = place_body(b, q, body);
    end[s] = dm_place(&moved, local);
  }
  return dm_mul(1 / (2 * e), dm_sub(end[1], end[0]));
}

static dm_vec find_unit(dm_vec x) {
  return dm_mul(1 / sqrt(dm_dot(x, x)), x);
}

static dm_vec vector(const double x[3]) {
  return dm_v(x[0], x[1], x[2]);
}

// the slip at the contact point, along directions in the ground
static void rates_are_those_of_material_points(void **state) {
  (void)state;
  bench b = open_bench(8);
  double rate[ROWS];
  const dm_roller *list;
  int row = 0;
  rates(&b, b.q, rate);
  for (int i = 0; i < dm_rolling_described(b.w, &list); i++) {
    const dm_roller *r = &list[i];
    if (r->kind == DM_ROLLING_FORMULA) {
      row++;
      continue;
    }
    const dm_pose X = place_body(&b, b.q, r->body[0]), G = place_body(&b, b.q, r->body[1]);
    const dm_vec c = dm_place(&X, vector(r->point)), a = dm_rotate(&X, vector(r->axis)),
                 n = dm_rotate(&G, vector(r->normal));
    dm_vec x = c, t[2];
    const dm_vec e = i == BALL ? n : find_unit(dm_cross(a, n));
    int rows = 1;
    if (i == BALL) {
      x = dm_sub(c, dm_mul(r->radius, n));
      rows = 2;
    } else if (r->kind == DM_ROLLING_WHEEL) {
      // the lowest point of the rim: in the plane of the wheel, against the normal
      x = dm_sub(c, dm_mul(r->radius, find_unit(dm_sub(n, dm_mul(dm_dot(n, a), a)))));
      t[0] = e, t[1] = dm_cross(n, e), rows = 2;
    } else if (r->kind == DM_ROLLING_NO_SLIP) {
      t[0] = a;
    } else {
      t[0] = dm_cross(n, a);
    }
    const dm_vec slip = dm_sub(find_velocity(&b, r->body[0], x), find_velocity(&b, r->body[1], x));
    if (i == BALL) {
      // two tangents of the ground: the rows have the length of the slip in it
      const dm_vec in = dm_sub(slip, dm_mul(dm_dot(slip, n), n));
      assert_close(hypot(rate[row], rate[row + 1]), sqrt(dm_dot(in, in)), 1e-8);
    } else {
      for (int k = 0; k < rows; k++) assert_close(rate[row + k], dm_dot(t[k], slip), 1e-8);
    }
    row += rows;
  }
  assert_int_equal(row, b.nv);
  close_bench(&b);
}

static void what_cannot_roll_is_named(void **state) {
  (void)state;
  dm_model *m = models_cart_pole();
  dm_rolling *w = NULL;
  const dm_roller good = {.name = "wheel",
                          .kind = DM_ROLLING_WHEEL,
                          .body = {1, -1},
                          .axis = {0, 1, 0},
                          .normal = {0, 0, 1},
                          .radius = 0.1};
  for (int i = 0; i < 4; i++) {
    dm_roller r = good;
    dm_message msg = {""};
    if (i == 0) r.radius = 0;
    if (i == 1) r.normal[2] = 2;
    if (i == 2) r.body[0] = 7;
    if (i == 3) r.body[1] = 1;
    assert_int_equal(dm_rolling_new(&w, m, 1, &r, NULL, &msg), DM_BAD_INPUT);
    assert_non_null(strstr(msg.text, "'wheel'"));
  }
  assert_null(w);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_formula_has_its_coefficients),
      cmocka_unit_test(rates_are_those_of_material_points),
      cmocka_unit_test(what_cannot_roll_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

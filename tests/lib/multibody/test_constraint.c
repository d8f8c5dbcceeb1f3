// Holonomic constraints of trees: each kind's derivatives by the order of their differences.
#include "tests/support/cartesian.h"
#include "tests/support/hoist.h"

#include "lib/discrete/assembly.h"

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
  uint64_t r = 17;
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

  assert_int_equal(b.hol.directional(b.c, b.scratch, q, b.a, b.lambda, J, T), DM_OK);
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
  for (uint64_t seed = 1; seed <= 4; seed++) {
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
        if (c.kind == DM_EQUAL) {
          c.terms = 2, c.term[0] = 7, c.term[1] = 0, c.term_ratio[0] = -0.4, c.term_ratio[1] = 2;
          check(m, &c);
          c.terms = 0;
        }
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

  // and as they were described, by names of their own
  const dm_constraint *said;
  assert_int_equal(dm_constraints_described(c, &said), 2);
  assert_true(said[1].kind == DM_EQUAL && said[1].ratio == 2 && said[1].name != list[1].name);
  assert_string_equal(said[0].name, "loop");
  dm_constraints_free(c);
  dm_message msg;
  // coordinates without a bound
  double q[] = {0, 1e308, 0}, h[7];
  dm_constraints *gear;
  list[1].ratio = 1e308;
  assert_int_equal(dm_constraints_new(&gear, m, 1, list + 1, NULL), DM_OK);
  dm_holonomic hol = dm_constraints_holonomic(gear);
  void *scratch = aligned_alloc(64, hol.scratch + 64);
  assert_int_equal(hol.eval(hol.self, scratch, q, h, NULL), DM_NOT_FINITE);
  free(scratch);
  dm_constraints_free(gear);
  list[1].coord[1] = 3;
  assert_int_equal(dm_constraints_new(&c, m, 2, list, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'gear' refers to a coordinate that does not exist"));
  list[0].body[1] = 9;
  assert_int_equal(dm_constraints_new(&c, m, 1, list, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'loop' refers to a body that does not exist"));

  // a distance: its length, or the coordinate that is it
  dm_constraint rod = {.name = "rod", .kind = DM_DISTANCE, .body = {0, -1}, .coord = {9, -1}};
  assert_int_equal(dm_constraints_new(&c, m, 1, &rod, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'rod' refers to a coordinate that does not exist"));
  rod.coord[0] = -1;
  assert_int_equal(dm_constraints_new(&c, m, 1, &rod, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'rod': length must be > 0, got 0"));
  dm_model_free(m);
}

static void a_start_is_projected_by_the_least_change(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  dm_constraint end = {.name = "end",
                       .kind = DM_PLANE,
                       .body = {2, -1},
                       .coord = {-1, -1},
                       .axis = {1, 0, 0},
                       .point = {{0, 0, -1}, {0.8, 0, 0}}};
  dm_constraints *c;
  dm_message msg;
  assert_int_equal(dm_constraints_new(&c, m, 1, &end, NULL), DM_OK);
  dm_system s = dm_system_of(m);
  s.hol = dm_constraints_holonomic(c);
  void *scratch = aligned_alloc(64, s.hol.scratch + 64);
  double q[] = {-0.1, -0.2, 0.1}, h, Dh[3], start[3];
  memcpy(start, q, sizeof q);
  assert_int_equal(dm_assembly_project(&s, q, &msg), DM_OK);
  assert_int_equal(s.hol.eval(c, scratch, q, &h, Dh), DM_OK);
  assert_close(h, 0, 1e-13);
  // to first order the change is along the constraint's gradient
  double along = 0, change = 0, gradient = 0;
  for (int i = 0; i < 3; i++) {
    along += (q[i] - start[i]) * Dh[i];
    change += pow(q[i] - start[i], 2), gradient += Dh[i] * Dh[i];
  }
  assert_true(fabs(along) > 0.99 * sqrt(change * gradient));
  assert_int_equal(dm_assembly_check(&s, q, &msg), DM_OK);
  free(scratch);
  dm_constraints_free(c);
  // out of reach
  end.point[1][0] = 3.5;
  assert_int_equal(dm_constraints_new(&c, m, 1, &end, NULL), DM_OK);
  s.hol = dm_constraints_holonomic(c);
  memcpy(q, start, sizeof q);
  assert_int_equal(dm_assembly_project(&s, q, &msg), DM_INFEASIBLE);
  assert_memory_equal(q, start, sizeof q);
  assert_non_null(strstr(msg.text, "'end' cannot be met near there: off by 0.5"));
  dm_constraints_free(c);
  dm_model_free(m);
}

// also where a distance, held as its square, has digits before the point
static void long_rods_are_met_to_their_own_rounding(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int i = 0; i < 200; i++) {
    double length = 500 * (1 + i % 7), q[] = {length * models_random(&seed), -length};
    cartesian w = cartesian_of(1, length);
    dm_message msg = {""};
    if (dm_assembly_project(&w.s, q, &msg) != DM_OK) fail_msg("%g m: %s", length, msg.text);
    assert_close(hypot(q[0], q[1]) / length, 1, 1e-15);
    cartesian_free(&w);
  }
}

static void redundant_constraints_are_named(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  dm_system s = dm_system_of(m);
  dm_message msg;
  double q[] = {-0.4, -0.7, 0.9};
  dm_constraint rod = {.name = "rod",
                       .kind = DM_DISTANCE,
                       .body = {2, -1},
                       .coord = {-1, -1},
                       .point = {{0, 0, -1}, {0.9, 0, -0.5}},
                       .length = 1};
  dm_constraint list[] = {rod, rod};
  list[1].name = "rod again";
  for (int n = 1; n <= 2; n++) {
    dm_constraints *c;
    assert_int_equal(dm_constraints_new(&c, m, n, list, NULL), DM_OK);
    s.hol = dm_constraints_holonomic(c);
    assert_int_equal(dm_assembly_check(&s, q, &msg), n == 1 ? DM_OK : DM_SINGULAR);
    if (n == 2) assert_non_null(strstr(msg.text, "1 of 2 are independent"));
    dm_constraints_free(c);
  }
  // the same gradients, other lengths
  dm_constraints *c;
  list[1].length = 2;
  assert_int_equal(dm_constraints_new(&c, m, 2, list, NULL), DM_OK);
  s.hol = dm_constraints_holonomic(c);
  assert_int_equal(dm_assembly_check(&s, q, &msg), DM_SINGULAR);
  assert_non_null(strstr(msg.text, " contradicts the others: 1 of 2 are independent"));
  dm_constraints_free(c);
  // however little they differ
  list[1].point[1][0] += 1e-6;
  assert_int_equal(dm_constraints_new(&c, m, 2, list, NULL), DM_OK);
  s.hol = dm_constraints_holonomic(c);
  assert_int_equal(dm_assembly_check(&s, q, &msg), DM_OK);
  dm_constraints_free(c);
  dm_model_free(m);
}

// x = sin a, z = -cos a in the discrete Lagrangian gives the angle's own
// Ld = (1 - cos(a1-a0))/h + h g (cos a0 + cos a1)/2; its DEL and the constrained one are the same
static void constrained_steps_are_those_of_the_restricted_action(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_del *del;
  dm_del_info info;
  const double h = 0.05, g = 9.8;
  double a = 0.9, p = -0.4, q[] = {sin(a), -cos(a)}, P[2], q1[2];
  // any momentum whose part along the circle is p; the rod carries the part across it
  P[0] = p * cos(a), P[1] = p * sin(a);
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  for (int k = 0; k < 400; k++) {
    // p - sin(a1-a0)/h - h g sin(a0)/2 = 0
    double a1 = a + asin(h * (p - 0.5 * h * g * sin(a)));
    p = sin(a1 - a) / h - 0.5 * h * g * sin(a1);
    a = a1;
    memcpy(q1, q, sizeof q);
    assert_int_equal(dm_del_step(del, q, P, NULL, h, q1, P, &info), DM_OK);
    memcpy(q, q1, sizeof q);
    assert_close(q[0], sin(a), 1e-10);
    assert_close(q[1], -cos(a), 1e-10);
    assert_close(P[0] * cos(a) + P[1] * sin(a), p, 1e-10);
  }
  dm_del_free(del);
  cartesian_free(&w);
}

// the part of p = D2 along the constraints does not cause motion
static void velocities_keep_the_constraints(void **state) {
  (void)state;
  enum { N = 30 };
  cartesian w = cartesian_of(2, 1);
  dm_trajectory *x;
  dm_del *del;
  dm_del_info info;
  int failed;
  for (int rest = 0; rest < 2; rest++) {
    assert_int_equal(dm_trajectory_of(&x, N, &w.s), DM_OK);
    assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
    x->h = 0.05, x->q[1] = -1, x->p[0] = rest ? 0 : 1.5;
    assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
    for (int k = 0; k <= N; k++) {
      const double *q = x->q + 2 * k, *p = x->p + 2 * k, *v = x->v + 2 * k;
      assert_close(q[0] * v[0] + q[1] * v[1], 0, 1e-15);
      assert_close(q[0] * v[1] - q[1] * v[0], (q[0] * p[1] - q[1] * p[0]) / 2, 1e-14);
      if (rest) assert_true(v[0] == 0 && fabs(v[1]) < 1e-16);
      if (k > 0) assert_true(fabs(q[0] * p[0] + q[1] * p[1]) > 0.1);
    }
    dm_trajectory_free(x);
    dm_del_free(del);
  }
  cartesian_free(&w);
  // also where the string is wound and its hook moves; these stay as they are prescribed
  hoist lift = hoist_open();
  x = hoist_motion(&lift, N, 0.02, 0.3);
  for (int k = 1; k <= N; k++) {
    const double *q = x->q + k * HOIST_N, *v = x->v + k * HOIST_N, *p = x->p + k * HOIST_N;
    double rate = (q[0] - q[2]) * (v[0] - v[2]) + q[1] * v[1] - q[3] * v[3];
    assert_close(rate, 0, 1e-14);
    assert_true(v[2] == p[2] && v[3] == p[3]);
  }
  dm_trajectory_free(x);
  hoist_close(&lift);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(rows_count_and_name),
      cmocka_unit_test(a_start_is_projected_by_the_least_change),
      cmocka_unit_test(long_rods_are_met_to_their_own_rounding),
      cmocka_unit_test(redundant_constraints_are_named),
      cmocka_unit_test(constrained_steps_are_those_of_the_restricted_action),
      cmocka_unit_test(velocities_keep_the_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

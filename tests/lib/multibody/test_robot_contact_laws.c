// Contacts as laws with one impulse per knot: derivatives in quaternions by the order of
// differences, rolling in a plane and in space, and sliding on shapes.
#include "tests/support/ball.h"

#include "lib/base/dense.h"
#include "lib/multibody/robot.h"
#include "lib/multibody/robot_contact_laws.h"

enum { MOST = 20, ROWS = 12 };

typedef struct bench {
  dm_holonomic rows;
  void *scratch;
  int n;
  double lambda[ROWS], a[MOST];
} bench;

static dm_contact make_contact(const char *name, dm_contact_kind kind, int body, double length,
                               double friction) {
  const double s = sqrt(1.0 / 3), d = sqrt(0.5);
  return (dm_contact){.name = name,
                      .kind = kind,
                      .body = {body, -1},
                      .point = {{.3, .2, -.1}, {-.4, .1, .2}},
                      .axis = {s, -s, s},
                      .along = {d, d, 0},
                      .shape = {.kind = DM_SHAPE_CYLINDER, .radius = 0.1, .half = {0, 0, 0.2}},
                      .length = length,
                      .restitution = 1,
                      .friction = friction};
}

static void eval_values(void *self, const double *q, double *r) {
  bench *b = self;
  assert_int_equal(b->rows.eval(b->rows.self, b->scratch, q, r, NULL), DM_OK);
}

// Dr'lambda
static void eval_pull(void *self, const double *q, double *out) {
  bench *b = self;
  double r[ROWS], Dr[ROWS * MOST];
  assert_int_equal(b->rows.eval(b->rows.self, b->scratch, q, r, Dr), DM_OK);
  memset(out, 0, (size_t)b->n * sizeof *out);
  for (int i = 0; i < b->rows.nc; i++)
    for (int j = 0; j < b->n; j++) out[j] += b->lambda[i] * Dr[i * b->n + j];
}

// (sum lambda D2r) a
static void eval_bend(void *self, const double *q, double *out) {
  bench *b = self;
  double H[MOST * MOST] = {0};
  assert_int_equal(b->rows.contract(b->rows.self, b->scratch, q, b->lambda, H), DM_OK);
  for (int i = 0; i < b->n; i++) {
    out[i] = 0;
    for (int j = 0; j < b->n; j++) out[i] += H[i * b->n + j] * b->a[j];
  }
}

static void rows_by_quaternions_have_exact_derivatives(void **state) {
  (void)state;
  const dm_tree t = ball_astronaut(-9.81);
  ball_machine w;
  ball_make(&w, &t, 0, NULL, 0, NULL);
  dm_robot robot = {.tree = w.tree, .model = w.model};
  const dm_contact list[] = {
      make_contact("hand", DM_ABOVE, 2, 0, 0.5), make_contact("ball", DM_ABOVE, 3, 0.4, 0),
      make_contact("near", DM_AT_LEAST, 1, 0.3, 0), make_contact("post", DM_OUTSIDE, 2, 0.1, 0)};
  dm_message msg = {""};
  const dm_joint_force dry = {
      .name = "elbow", .coord = 9, .friction = {.force = 0.3}, .planned = true};
  assert_int_equal(dm_part_rows[DM_PART_CONTACT].compile(&robot, 4, list, &msg), DM_OK);
  assert_int_equal(dm_part_rows[DM_PART_FRICTION].compile(&robot, 1, &dry, &msg), DM_OK);
  dm_robot_contact_laws *laws;
  if (dm_robot_contact_laws_new(&laws, &robot, &msg) != DM_OK) fail_msg("%s", msg.text);
  const dm_contact_laws *l = dm_robot_contact_laws_get(laws);
  assert_int_equal(l->n, 5);
  assert_int_equal(l->law[0].tangents, 2);
  assert_int_equal(l->law[4].tangent[0], 6); // of the elbow, behind four rows and two tangents
  bench b = {.rows = l->rows, .n = w.model->nq};
  const int n = b.n, nr = b.rows.nc;
  assert_int_equal(nr, 7);
  b.scratch = aligned_alloc(64, b.rows.scratch + 64);
  uint64_t seed = 3;
  double q[MOST], v[MOST], r[ROWS], Dr[ROWS * MOST], J[ROWS * MOST], out[MOST];
  ball_random(w.model, &seed, q, v);
  for (int i = 0; i < n; i++) b.a[i] = models_random(&seed);
  for (int i = 0; i < nr; i++) b.lambda[i] = models_random(&seed);

  // Dr along a, D2r along a, D3r along a twice
  assert_int_equal(b.rows.eval(b.rows.self, b.scratch, q, r, Dr), DM_OK);
  for (int i = 0; i < nr; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) out[i] += Dr[i * n + j] * b.a[j];
  }
  models_check_derivative(eval_values, &b, n, nr, q, b.a, out, 1e-3, "Dr");
  eval_bend(&b, q, out);
  models_check_derivative(eval_pull, &b, n, n, q, b.a, out, 1e-3, "D2r");
  double T[MOST * MOST] = {0}, bent[MOST] = {0};
  assert_int_equal(b.rows.directional(b.rows.self, b.scratch, q, b.a, b.lambda, J, T), DM_OK);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) bent[i] += T[i * n + j] * b.a[j];
  models_check_derivative(eval_bend, &b, n, n, q, b.a, bent, 1e-3, "D3r");

  // the elbow's row is its coordinate, behind two quaternions
  assert_close(r[6], q[w.model->quaternion[1] + 4], 0);

  // J' lambda = D2r a; and no coordinate moves a row that its mask leaves out
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < nr; i++) {
      sum += b.lambda[i] * J[i * n + j];
      if (!b.rows.mask[i * n + j]) assert_close(Dr[i * n + j], 0, 1e-12);
    }
    assert_close(sum, out[j], 1e-12);
  }
  free(b.scratch);
  dm_robot_contact_laws_free(laws);
  dm_part_rows[DM_PART_CONTACT].release(&robot);
  dm_part_rows[DM_PART_FRICTION].release(&robot);
  ball_free(&w);
}

// a disc on a leg above a floor: its position along it is that of its center and r times the sum of
// the angles
static void a_disc_rolls_with_all_its_angles(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("hip", false, 0, 1, 0), models_coord("wheel", false, 0, 1, 0)};
  dm_pose down = dm_identity;
  down.p.z = -1;
  dm_body body[] = {{"leg", -1, dm_identity, 0, 3, 1, {0}, {1, 1, 1}},
                    {"wheel", 0, down, 3, 1, 1, {0}, {1, 1, 1}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 2, .ncoord = 4, .body = body, .coord = c});
  dm_robot robot = {.tree = m, .model = m};
  const double radius = 0.2;
  const dm_contact floor = {.name = "floor",
                            .kind = DM_ABOVE,
                            .body = {1, -1},
                            .axis = {0, 0, 1},
                            .length = radius,
                            .friction = 0.5};
  assert_int_equal(dm_part_rows[DM_PART_CONTACT].compile(&robot, 1, &floor, NULL), DM_OK);
  dm_robot_contact_laws *laws;
  assert_int_equal(dm_robot_contact_laws_new(&laws, &robot, NULL), DM_OK);
  const dm_contact_laws *l = dm_robot_contact_laws_get(laws);
  assert_int_equal(l->law[0].tangents, 1);
  void *scratch = aligned_alloc(64, l->rows.scratch + 64);
  const double q[] = {0.4, 1.5, 0.3, 0.7};
  double r[3], Dr[12];
  assert_int_equal(l->rows.eval(l->rows.self, scratch, q, r, Dr), DM_OK);
  const double *T = Dr + 4 * l->law[0].tangent[0];
  assert_close(r[0], q[1] - cos(q[2]) - radius, 1e-14);
  // a wheel that turns forwards about y stands still only if its center moves by r
  assert_close(r[l->law[0].tangent[0]], q[0] - sin(q[2]) - radius * (q[2] + q[3]), 1e-14);
  assert_close(T[0], 1, 1e-14);
  assert_close(T[2], -cos(q[2]) - radius, 1e-14);
  assert_close(T[3], -radius, 1e-14);
  free(scratch);
  dm_robot_contact_laws_free(laws);
  dm_part_rows[DM_PART_CONTACT].release(&robot);
  dm_model_free(m);
}

// -- rows that have s

typedef struct slide_bench {
  const dm_contact_laws *l;
  void *scratch;
  int n;
  double lambda[ROWS], a[MOST];
} slide_bench;

static void eval_slides(void *self, const double *q, double *out) {
  slide_bench *b = self;
  double s[ROWS] = {0};
  assert_int_equal(b->l->slide(b->l->rows.self, b->scratch, q, q + b->n, s, NULL, NULL), DM_OK);
  for (int r = 0; r < b->l->rows.nc; r++) out[r] = b->l->slides[r] ? s[r] : 0;
}

// lambda ds/d(q0,q1)
static void eval_slide_gradient(void *self, const double *q, double *out) {
  slide_bench *b = self;
  double s[ROWS] = {0}, D0[ROWS * MOST] = {0}, D1[ROWS * MOST] = {0};
  assert_int_equal(b->l->slide(b->l->rows.self, b->scratch, q, q + b->n, s, D0, D1), DM_OK);
  memset(out, 0, 2 * (size_t)b->n * sizeof *out);
  for (int r = 0; r < b->l->rows.nc; r++)
    for (int j = 0; j < b->n && b->l->slides[r]; j++) {
      out[j] += b->lambda[r] * D0[r * b->n + j];
      out[b->n + j] += b->lambda[r] * D1[r * b->n + j];
    }
}

// W'lambda, and the gradient of lambda'W a
static void eval_slide_push(void *self, const double *q, double *out) {
  slide_bench *b = self;
  double r[ROWS], W[ROWS * MOST];
  assert_int_equal(b->l->rows.eval(b->l->rows.self, b->scratch, q, r, W), DM_OK);
  memset(out, 0, (size_t)b->n * sizeof *out);
  for (int i = 0; i < b->l->rows.nc; i++) dm_add_to(b->n, b->lambda[i], W + i * b->n, out);
}

static void eval_slide_bend(void *self, const double *q, double *out) {
  slide_bench *b = self;
  double J[ROWS * MOST];
  assert_int_equal(b->l->rows.directional(b->l->rows.self, b->scratch, q, b->a, b->lambda, J, NULL),
                   DM_OK);
  memset(out, 0, (size_t)b->n * sizeof *out);
  for (int i = 0; i < b->l->rows.nc; i++) dm_add_to(b->n, b->lambda[i], J + i * b->n, out);
}

static void eval_slide_rate(void *self, const double *q, double *out) {
  slide_bench *b = self;
  double push[MOST];
  eval_slide_push(b, q, push);
  *out = dm_inner(b->n, push, b->a);
}

static void check_slides(const dm_contact *list, int count) {
  const dm_tree t = ball_astronaut(-9.81);
  ball_machine w;
  ball_make(&w, &t, 0, NULL, 0, NULL);
  dm_robot robot = {.tree = w.tree, .model = w.model};
  dm_message msg = {""};
  dm_robot_contact_laws *laws;
  assert_int_equal(dm_part_rows[DM_PART_CONTACT].compile(&robot, count, list, &msg), DM_OK);
  if (dm_robot_contact_laws_new(&laws, &robot, &msg) != DM_OK) fail_msg("%s", msg.text);
  slide_bench b = {.l = dm_robot_contact_laws_get(laws), .n = w.model->nq};
  const int n = b.n, nr = b.l->rows.nc;
  b.scratch = aligned_alloc(64, b.l->rows.scratch + 64);
  uint64_t seed = 5;
  double q[2 * MOST], v[MOST], d[2 * MOST], s[ROWS] = {0}, D0[ROWS * MOST], D1[ROWS * MOST];
  ball_random(w.model, &seed, q, v);
  for (int i = 0; i < n; i++) q[n + i] = q[i] + 0.1 * models_random(&seed);
  for (int i = 0; i < 2 * n; i++) d[i] = models_random(&seed);
  for (int i = 0; i < n; i++) b.a[i] = models_random(&seed);
  for (int i = 0; i < nr; i++) b.lambda[i] = models_random(&seed);

  // ds and d2s along d
  double out[2 * MOST] = {0}, H[3][MOST * MOST] = {{0}};
  assert_int_equal(b.l->slide(b.l->rows.self, b.scratch, q, q + n, s, D0, D1), DM_OK);
  for (int r = 0; r < nr; r++)
    if (b.l->slides[r]) out[r] = dm_inner(n, D0 + r * n, d) + dm_inner(n, D1 + r * n, d + n);
  models_check_derivative(eval_slides, &b, 2 * n, nr, q, d, out, 1e-3, "s");
  assert_int_equal(
      b.l->slide_contract(b.l->rows.self, b.scratch, q, q + n, b.lambda, H[0], H[1], H[2]), DM_OK);
  memset(out, 0, sizeof out);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      out[i] += H[0][i * n + j] * d[j] + H[1][i * n + j] * d[n + j];
      out[n + i] += H[1][j * n + i] * d[j] + H[2][i * n + j] * d[n + j];
    }
  models_check_derivative(eval_slide_gradient, &b, 2 * n, 2 * n, q, d, out, 1e-3, "Ds");

  // W is ds/dq1 of no step; its derivatives, and those of W a
  double r[ROWS], W[ROWS * MOST], J[ROWS * MOST], T[MOST * MOST] = {0};
  memset(H, 0, sizeof H);
  memset(out, 0, sizeof out);
  assert_int_equal(b.l->rows.eval(b.l->rows.self, b.scratch, q, r, W), DM_OK);
  assert_int_equal(b.l->slide(b.l->rows.self, b.scratch, q, q, s, D0, D1), DM_OK);
  for (int i = 0; i < nr; i++)
    for (int j = 0; j < n && b.l->slides[i]; j++) {
      assert_close(s[i], 0, 1e-15);
      assert_close(W[i * n + j], D1[i * n + j], 1e-12);
      assert_close(W[i * n + j], -D0[i * n + j], 1e-12);
    }
  assert_int_equal(b.l->rows.contract(b.l->rows.self, b.scratch, q, b.lambda, H[0]), DM_OK);
  for (int i = 0; i < n; i++) out[i] = dm_inner(n, H[0] + i * n, d);
  models_check_derivative(eval_slide_push, &b, n, n, q, d, out, 1e-3, "W");
  assert_int_equal(b.l->rows.directional(b.l->rows.self, b.scratch, q, b.a, b.lambda, J, T), DM_OK);
  out[0] = 0;
  for (int i = 0; i < nr; i++) out[0] += b.lambda[i] * dm_inner(n, J + i * n, d);
  models_check_derivative(eval_slide_rate, &b, n, 1, q, d, out, 1e-3, "W a");
  for (int i = 0; i < n; i++) out[i] = dm_inner(n, T + i * n, d);
  models_check_derivative(eval_slide_bend, &b, n, n, q, d, out, 1e-3, "D(W a)");
  free(b.scratch);
  dm_robot_contact_laws_free(laws);
  dm_part_rows[DM_PART_CONTACT].release(&robot);
  ball_free(&w);
}

static void sliding_of_balls_and_on_shapes_has_exact_derivatives(void **state) {
  (void)state;
  const dm_contact ball = make_contact("ball", DM_ABOVE, 2, 0.1, 0.5);
  check_slides(&ball, 1);
  static const dm_shape_kind kinds[] = {DM_SHAPE_SPHERE, DM_SHAPE_CAPSULE, DM_SHAPE_CYLINDER,
                                        DM_SHAPE_BOX};
  for (int i = 0; i < COUNT(kinds); i++)
    for (int rolls = 0; rolls < 2; rolls++) {
      dm_contact list[] = {ball, make_contact("post", DM_OUTSIDE, 3, rolls ? 0.2 : 0, 0.5)};
      list[1].shape = (dm_shape){.kind = kinds[i], .radius = 0.1, .half = {0.1, 0.15, 0.2}};
      check_slides(list, 2);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_by_quaternions_have_exact_derivatives),
      cmocka_unit_test(a_disc_rolls_with_all_its_angles),
      cmocka_unit_test(sliding_of_balls_and_on_shapes_has_exact_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

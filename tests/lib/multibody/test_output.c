// Outputs of trees: each kind's derivatives by the order of their differences, and what they mean.
#include "tests/support/models.h"

#include "lib/multibody/output.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/vector_product.h"

enum { MOST_Q = 40, MOST_ROWS = 8 };

typedef struct output_bench {
  dm_outputs *w;
  dm_holonomic y;
  void *scratch;
  int n;
  double lambda[MOST_ROWS];
} output_bench;

static void open_outputs(output_bench *b, const dm_model *m, int n, const dm_output *list) {
  dm_message msg = {""};
  if (dm_outputs_new(&b->w, m, n, list, &msg) != DM_OK) fail_msg("%s", msg.text);
  b->y = dm_outputs_functions(b->w);
  b->n = m->nq;
  b->scratch = aligned_alloc(64, b->y.scratch + 64);
  assert_true(b->n <= MOST_Q && b->y.nc <= MOST_ROWS);
}

static void close_outputs(output_bench *b) {
  free(b->scratch);
  dm_outputs_free(b->w);
}

static void output_values(void *self, const double *q, double *y) {
  output_bench *b = self;
  assert_int_equal(b->y.eval(b->w, b->scratch, q, y, NULL), DM_OK);
}

// Dy' lambda
static void output_slope(void *self, const double *q, double *out) {
  output_bench *b = self;
  double y[MOST_ROWS], D[MOST_ROWS * MOST_Q];
  assert_int_equal(b->y.eval(b->w, b->scratch, q, y, D), DM_OK);
  for (int j = 0; j < b->n; j++) {
    out[j] = 0;
    for (int i = 0; i < b->y.nc; i++) out[j] += b->lambda[i] * D[i * b->n + j];
  }
}

static void draw_point(int n, double *x, uint64_t *r) {
  for (int i = 0; i < n; i++) x[i] = models_random(r);
}

static void check_output_derivatives(const dm_model *m, const dm_output *o) {
  output_bench b;
  double q[MOST_Q], d[MOST_Q], y[MOST_ROWS], D[MOST_ROWS * MOST_Q], H[MOST_Q * MOST_Q] = {0};
  double out[MOST_Q] = {0};
  uint64_t r = 17;
  open_outputs(&b, m, 1, o);
  const int n = b.n;
  draw_point(n, q, &r);
  draw_point(n, d, &r);
  draw_point(b.y.nc, b.lambda, &r);

  // values by differences, the same values without derivatives
  assert_int_equal(b.y.eval(b.w, b.scratch, q, y, D), DM_OK);
  for (int i = 0; i < b.y.nc; i++)
    for (int j = 0; j < n; j++) out[i] += D[i * n + j] * d[j];
  models_check_derivative(output_values, &b, n, b.y.nc, q, d, out, 1e-3, "Dy");
  double slope = 0;
  for (int i = 0; i < b.y.nc * n; i++) slope = fmax(slope, fabs(D[i]));
  if (slope < 1e-12) { // of two bodies that do not move against each other
    close_outputs(&b);
    return;
  }

  // the Hessian, symmetric to the last digit
  assert_int_equal(b.y.contract(b.w, b.scratch, q, b.lambda, H), DM_OK);
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) {
      out[i] += H[i * n + j] * d[j];
      assert_close(H[i * n + j], H[j * n + i], 1e-14 * (1 + fabs(H[i * n + j])));
    }
  }
  models_check_derivative(output_slope, &b, n, n, q, d, out, 1e-3, "D2y");
  close_outputs(&b);
}

static const double S = 0.57735026918962576; // 1/sqrt 3

static dm_output describe_output(dm_output_kind kind, int body, int other) {
  return (dm_output){.name = "y",
                     .kind = kind,
                     .body = {body, other},
                     .point = {{.3, .2, -.1}, {-.4, .1, .2}},
                     .axis = {{0, 0.6, 0.8}, {S, -S, S}}};
}

static void derivatives_are_exact(void **state) {
  (void)state;
  const int coord[] = {2, 5};
  const double weight[] = {1.5, -0.3};
  for (uint64_t seed = 1; seed <= 4; seed++) {
    dm_model *m = models_random_tree(9, seed > 2, seed);
    for (int kind = 0; kind < DM_OUTPUT_KIND_COUNT; kind++)
      for (int other = -1; other < 8; other += 3) {
        dm_output o = describe_output((dm_output_kind)kind, 8, other);
        if (kind == DM_OUTPUT_CLEARANCE) continue;
        if (kind == DM_OUTPUT_SUM) o.n = 2, o.coord = coord, o.weight = weight, o.shift = 0.3;
        check_output_derivatives(m, &o);
      }
    dm_model_free(m);
  }
}

// of points and swept spheres, from shapes of the world and of bodies
static void clearances_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    dm_model *m = models_random_tree(9, seed > 3, seed);
    for (int kind = 0; kind < DM_SHAPE_KIND_COUNT; kind++)
      for (int other = -1; other < 8; other += 4) {
        dm_output o = describe_output(DM_OUTPUT_CLEARANCE, 8, other);
        o.shape = (dm_shape){(dm_shape_kind)kind, 0.2, {0.1, 0.2, 0.3}};
        o.frame = dm_pose_rpy((double[]){0.1, 0.2, 0.3}, (double[]){4, 3, -5});
        o.radius = 0.05;
        check_output_derivatives(m, &o);
        o.swept = true;
        memcpy(o.end, (double[]){1.2, 0.9, 0.3}, sizeof o.end);
        check_output_derivatives(m, &o);
      }
    dm_model_free(m);
  }
}

// what moves a row is marked wherever it is: beside a face of a box, where its slope is zero, too
static void what_moves_a_row_is_marked(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, false, 2);
  dm_output o = describe_output(DM_OUTPUT_CLEARANCE, 8, -1);
  o.shape = (dm_shape){DM_SHAPE_BOX, 0, {50, 50, 0.1}};
  o.frame = dm_identity;
  o.frame.p.z = -9;
  output_bench b;
  open_outputs(&b, m, 1, &o);
  double q[MOST_Q], y, D[MOST_Q];
  uint64_t r = 7;
  for (int near = 0; near < 20; near++) {
    // above the box, and beside its edges
    draw_point(m->nq, q, &r);
    for (int i = 0; i < m->nq && near % 2; i++) q[i] *= 60;
    assert_int_equal(b.y.eval(b.w, b.scratch, q, &y, D), DM_OK);
    for (int i = 0; i < m->nq; i++) assert_true(D[i] == 0 || b.y.mask[i]);
  }

  // and nothing else: as many as carry the point
  const dm_vector_product p = {.A = dm_body_vector_difference(m, 8, o.point[0], -1, o.point[1]),
                               .square = true};
  int marked = 0;
  for (int i = 0; i < m->nq; i++) marked += b.y.mask[i];
  assert_int_equal(marked, dm_vector_product_joints(m, &p, NULL));
  close_outputs(&b);
  dm_model_free(m);
}

// R a for the rotation vector w of R, by Rodrigues' formula
static void turn_by(const double w[3], const double a[3], double out[3]) {
  const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double s = sin(angle) / angle, c = (1 - cos(angle)) / (angle * angle);
  double wa[3], wwa[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    wa[i] = w[j] * a[k] - w[k] * a[j];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    wwa[i] = w[j] * wa[k] - w[k] * wa[j];
    out[i] = a[i];
  }
  for (int i = 0; i < 3; i++) out[i] += s * wa[i] + c * wwa[i];
}

// distance, height and alignment follow from position and rotation
static void kinds_agree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    dm_model *m = models_random_tree(9, false, seed);
    dm_output list[5];
    for (int i = 0; i < 5; i++) list[i] = describe_output((dm_output_kind)i, 8, 3);
    output_bench b;
    b.n = m->nq;
    dm_message msg;
    assert_int_equal(dm_outputs_new(&b.w, m, 5, list, &msg), DM_OK);
    b.y = dm_outputs_functions(b.w);
    b.scratch = aligned_alloc(64, b.y.scratch + 64);
    assert_int_equal(b.y.nc, 9);

    double q[MOST_Q], y[9], axis[3];
    uint64_t r = seed;
    draw_point(m->nq, q, &r);
    assert_int_equal(b.y.eval(b.w, b.scratch, q, y, NULL), DM_OK);
    const double *x = y, distance = y[3], height = y[4], alignment = y[5], *turn = y + 6;
    assert_close(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), distance, 1e-14);
    assert_close(S * (x[0] - x[1] + x[2]), height, 1e-14);
    turn_by(turn, list[0].axis[0], axis);
    assert_close(S * (axis[0] - axis[1] + axis[2]), alignment, 1e-14);
    close_outputs(&b);
    dm_model_free(m);
  }
}

// at rest L_q = m g . c_q: gravity pulls at the centre of mass
static void gravity_pulls_at_the_center(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, true, 3);
  const dm_output o = describe_output(DM_OUTPUT_CENTER, -1, -1);
  output_bench b;
  open_outputs(&b, m, 1, &o);
  double q[MOST_Q], v[MOST_Q] = {0}, L_q[MOST_Q], L_v[MOST_Q], y[3], D[3 * MOST_Q], mass = 0;
  uint64_t r = 5;
  draw_point(m->nq, q, &r);
  for (int j = 0; j < m->nj; j++) mass += m->body[j].m;

  dm_lagrangian L = dm_tree_lagrangian(m);
  void *scratch = aligned_alloc(64, (L.scratch + 63) & ~(size_t)63);
  dm_jet jet = {.L_q = L_q, .L_v = L_v};
  assert_int_equal(L.eval(L.self, scratch, 1, q, v, &jet), DM_OK);
  assert_int_equal(b.y.eval(b.w, b.scratch, q, y, D), DM_OK);
  const double g[] = {m->gravity.x, m->gravity.y, m->gravity.z};
  for (int i = 0; i < m->nq; i++) {
    double pull = 0;
    for (int a = 0; a < 3; a++) pull += mass * g[a] * D[a * m->nq + i];
    assert_close(L_q[i], pull, 1e-12 * (1 + fabs(pull)));
  }
  free(scratch);
  close_outputs(&b);
  dm_model_free(m);
}

// rotation vectors of all lengths below pi: the angle of one turning joint
static void a_turn_is_its_rotation_vector(void **state) {
  (void)state;
  dm_model *m = models_chain(1, 1, 0);
  dm_output o = describe_output(DM_OUTPUT_ROTATION, 0, -1);
  output_bench b;
  open_outputs(&b, m, 1, &o);
  static const double angle[] = {0, 1e-9, 1e-3, 0.4, 0.46, 2, 3.1, 3.14159};
  for (size_t i = 0; i < sizeof angle / sizeof *angle; i++)
    for (int sign = -1; sign < 2; sign += 2) {
      const double q = sign * angle[i];
      double y[3], D[3], H = 0, length = 0, slope = 0;
      const double lambda[] = {1, 1, 1};
      assert_int_equal(b.y.eval(b.w, b.scratch, &q, y, D), DM_OK);
      assert_int_equal(b.y.contract(b.w, b.scratch, &q, lambda, &H), DM_OK);
      const double loss = 1e-15 / (3.1416 - angle[i]); // f is steep towards pi
      for (int a = 0; a < 3; a++) {
        length += y[a] * y[a];
        slope += D[a] * D[a];
      }
      assert_close(sqrt(length), angle[i], 1e-15 + loss);
      assert_close(sqrt(slope), 1, 1e-14 + loss / (3.1416 - angle[i]));
      assert_close(H, 0, 1e-13 + 10 * loss / pow(3.1416 - angle[i], 2));
    }
  close_outputs(&b);
  dm_model_free(m);
}

// half a turn has two rotation vectors: one of them, and no derivative; other rows are as ever
static void half_a_turn_has_a_value_alone(void **state) {
  (void)state;
  dm_model *m = models_chain(1, 1, 0);
  dm_output list[] = {describe_output(DM_OUTPUT_ROTATION, 0, -1),
                      describe_output(DM_OUTPUT_POSITION, 0, -1)};
  output_bench b;
  open_outputs(&b, m, 2, list);
  static const double q[] = {3.141592653589793, -3.141592653589793, 3.1415926, 3.1415};
  double y[4][6], D[6], H = 0;
  const double lambda[] = {1, 1, 1, 0, 0, 0};
  for (int i = 0; i < 4; i++) {
    double length = 0;
    assert_int_equal(b.y.eval(b.w, b.scratch, &q[i], y[i], NULL), DM_OK);
    for (int a = 0; a < 3; a++) length += y[i][a] * y[i][a];
    assert_close(sqrt(length), fabs(q[i]), 1e-10);
    // about the axis that it has nearby
    for (int a = 0; a < 3; a++)
      assert_close(fabs(y[i][a]) / sqrt(length), fabs(y[0][a]) / fabs(q[0]), 1e-4);
  }
  assert_int_equal(b.y.eval(b.w, b.scratch, q, y[0], D), DM_NOT_FINITE);
  assert_int_equal(b.y.contract(b.w, b.scratch, q, lambda, &H), DM_NOT_FINITE);
  assert_true(isnan(D[0]) && isnan(D[1]) && isnan(D[2]));
  assert_true(isfinite(D[3]) && isfinite(D[4]) && isfinite(D[5]));
  close_outputs(&b);
  dm_model_free(m);
}

static void rows_are_named_and_measured(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  const int coord[] = {0, 2};
  const double weight[] = {1, 1};
  dm_output list[] = {describe_output(DM_OUTPUT_POSITION, 2, -1),
                      describe_output(DM_OUTPUT_SUM, -1, -1),
                      describe_output(DM_OUTPUT_ALIGNMENT, 2, 0)};
  list[1].name = "sum", list[1].n = 2, list[1].coord = coord, list[1].weight = weight;
  list[2].name = "tilt";
  output_bench b;
  open_outputs(&b, m, 3, list);
  static const char *const name[] = {"y.x", "y.y", "y.z", "sum", "tilt"};
  static const char *const unit[] = {"m", "m", "m", "rad", "1"};
  for (int i = 0; i < 5; i++) {
    assert_string_equal(b.y.row_name(b.w, i), name[i]);
    assert_string_equal(dm_outputs_unit(b.w, i), unit[i]);
  }
  static const char *const whole[] = {"y", "sum", "tilt"};
  static const char *const word[] = {"position", "sum", "alignment"};
  for (int i = 0; i < 3; i++) {
    assert_string_equal(dm_outputs_name(b.w, i), whole[i]);
    assert_string_equal(dm_outputs_word(b.w, i), word[i]);
  }
  assert_int_equal(dm_outputs_row(b.w, 1), 3);
  assert_int_equal(dm_outputs_row(b.w, 3), 5);
  dm_segment line;
  assert_true(dm_outputs_segment(b.w, 0, &line));
  assert_int_equal(line.joint[0], 2);
  assert_false(dm_outputs_segment(b.w, 3, &line));
  close_outputs(&b);
  dm_model_free(m);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  dm_outputs *w;
  dm_message msg;
  const int coord[] = {7};
  const double weight[] = {1}, endless[] = {INFINITY};

  dm_output o = describe_output(DM_OUTPUT_DISTANCE, 9, -1);
  assert_int_equal(dm_outputs_new(&w, m, 1, &o, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'y' refers to a body that does not exist"));
  o = describe_output(DM_OUTPUT_HEIGHT, 2, -1);
  o.axis[1][0] = 3;
  assert_int_equal(dm_outputs_new(&w, m, 1, &o, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'y': its axis must have length 1"));
  o = describe_output(DM_OUTPUT_SUM, -1, -1);
  o.n = 1, o.coord = coord, o.weight = weight;
  assert_int_equal(dm_outputs_new(&w, m, 1, &o, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'y' refers to a coordinate that does not exist"));
  const int first[] = {0};
  o.coord = first, o.weight = endless;
  assert_int_equal(dm_outputs_new(&w, m, 1, &o, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "must be finite"));

  // a distance of zero has a value and no derivative
  output_bench b;
  o = describe_output(DM_OUTPUT_DISTANCE, 2, 2);
  memset(o.point, 0, sizeof o.point);
  o.body[1] = 2;
  open_outputs(&b, m, 1, &o);
  double q[3] = {0}, y, D[3], H[9], lambda = 1;
  assert_int_equal(b.y.eval(b.w, b.scratch, q, &y, NULL), DM_OK);
  assert_close(y, 0, 0);
  assert_int_equal(b.y.eval(b.w, b.scratch, q, &y, D), DM_NOT_FINITE);
  assert_int_equal(b.y.contract(b.w, b.scratch, q, &lambda, H), DM_NOT_FINITE);
  close_outputs(&b);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(clearances_are_exact),
      cmocka_unit_test(what_moves_a_row_is_marked),
      cmocka_unit_test(kinds_agree),
      cmocka_unit_test(gravity_pulls_at_the_center),
      cmocka_unit_test(a_turn_is_its_rotation_vector),
      cmocka_unit_test(half_a_turn_has_a_value_alone),
      cmocka_unit_test(rows_are_named_and_measured),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

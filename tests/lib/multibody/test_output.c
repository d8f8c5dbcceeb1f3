// Outputs of trees: each kind's derivatives by the order of their differences, and what they mean.
#include "tests/support/models.h"

#include "lib/multibody/output.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/multibody/vector_product.h"

enum { MOST_Q = 40, MOST_ROWS = 8 };

typedef struct output_bench {
  dm_outputs *w;
  dm_holonomic signals;
  dm_output_map y;
  void *scratch;
  int n;
  double lambda[MOST_ROWS];
} output_bench;

static void map_outputs(output_bench *b, const dm_model *m) {
  b->signals = dm_outputs_signals(b->w);
  b->y = dm_outputs_map(b->w, &b->signals, m->nq);
  b->n = m->nq;
}

static void open_outputs(output_bench *b, const dm_model *m, int n, const dm_output *list) {
  dm_message msg = {""};
  if (dm_outputs_new(&b->w, m, n, list, &msg) != DM_OK) fail_msg("%s", msg.text);
  map_outputs(b, m);
  b->scratch = aligned_alloc(64, b->y.scratch + 64);
  assert_true(b->n <= MOST_Q && b->y.ny <= MOST_ROWS);
}

static void close_outputs(output_bench *b) {
  free(b->scratch);
  dm_outputs_free(b->w);
}

// of q alone
static dm_status eval_outputs(output_bench *b, const double *q, double *y, double *y_q) {
  return dm_output_map_eval(&b->y, b->scratch, q, NULL, y, y_q, NULL);
}

static dm_status contract_outputs(output_bench *b, const double *q, const double *lambda,
                                  double *H) {
  return dm_output_map_contract(&b->y, b->scratch, q, NULL, lambda, H, NULL, NULL);
}

// of z = (q,v)
static void output_values(void *self, const double *z, double *y) {
  output_bench *b = self;
  assert_int_equal(dm_output_map_eval(&b->y, b->scratch, z, z + b->n, y, NULL, NULL), DM_OK);
}

// Dy' lambda
static void output_slope(void *self, const double *z, double *out) {
  output_bench *b = self;
  double y[MOST_ROWS], D[2][MOST_ROWS * MOST_Q];
  assert_int_equal(dm_output_map_eval(&b->y, b->scratch, z, z + b->n, y, D[0], D[1]), DM_OK);
  for (int j = 0; j < 2 * b->n; j++) {
    out[j] = 0;
    for (int i = 0; i < b->y.ny; i++) out[j] += b->lambda[i] * D[j / b->n][i * b->n + j % b->n];
  }
}

static void draw_point(int n, double *x, uint64_t *r) {
  for (int i = 0; i < n; i++) x[i] = models_random(r);
}

// H z of blocks by (q,q), (q,v), (v,v)
static void multiply_blocks(int n, const double *qq, const double *qv, const double *vv,
                            const double *z, double *out) {
  for (int i = 0; i < n; i++) {
    out[i] = out[n + i] = 0;
    for (int j = 0; j < n; j++) {
      out[i] += qq[i * n + j] * z[j] + qv[i * n + j] * z[n + j];
      out[n + i] += qv[j * n + i] * z[j] + vv[i * n + j] * z[n + j];
    }
  }
}

static void check_output_derivatives(const dm_model *m, const dm_output *o) {
  output_bench b;
  double z[2 * MOST_Q], d[2 * MOST_Q], y[MOST_ROWS], D[2][MOST_ROWS * MOST_Q];
  double H[3][MOST_Q * MOST_Q] = {{0}};
  double out[2 * MOST_Q] = {0};
  uint64_t r = 17;
  open_outputs(&b, m, 1, o);
  const int n = b.n, rows = b.y.ny;
  draw_point(2 * n, z, &r);
  draw_point(2 * n, d, &r);
  draw_point(rows, b.lambda, &r);

  // values by differences, the same values without derivatives
  assert_int_equal(dm_output_map_eval(&b.y, b.scratch, z, z + n, y, D[0], D[1]), DM_OK);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) out[i] += D[0][i * n + j] * d[j] + D[1][i * n + j] * d[n + j];
  models_check_derivative(output_values, &b, 2 * n, rows, z, d, out, 1e-3, "Dy");
  double slope = 0;
  for (int i = 0; i < rows * n; i++) {
    slope = fmax(slope, fmax(fabs(D[0][i]), fabs(D[1][i])));
    assert_true(b.y.s.mask != NULL);
    if (!dm_output_map_moves(&b.y, i / n, i % n)) assert_true(D[0][i] == 0 && D[1][i] == 0);
    if (!dm_output_map_is_rated(&b.y, i / n)) assert_true(D[1][i] == 0);
  }
  if (slope < 1e-12) { // of two bodies that do not move against each other
    close_outputs(&b);
    return;
  }

  // the Hessian, symmetric to the last digit
  assert_int_equal(dm_output_map_contract(&b.y, b.scratch, z, z + n, b.lambda, H[0], H[1], H[2]),
                   DM_OK);
  multiply_blocks(n, H[0], H[1], H[2], d, out);
  for (int k = 0; k < 3; k += 2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        assert_close(H[k][i * n + j], H[k][j * n + i], 1e-13 * (1 + fabs(H[k][i * n + j])));
  models_check_derivative(output_slope, &b, 2 * n, 2 * n, z, d, out, 1e-3, "D2y");
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
        if (kind == DM_OUTPUT_CLEARANCE || kind >= DM_OUTPUT_CONTACT_FORCE) continue;
        if (kind != DM_OUTPUT_INPUT && kind != DM_OUTPUT_POWER)
          o.n = 2, o.coord = coord, o.weight = weight, o.shift = 0.3;
        check_output_derivatives(m, &o);
      }
    dm_model_free(m);
  }
}

// what is kept of a place stands for it, to the last bit, after others and in another call's stead
static void what_is_kept_is_the_place(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, true, 3);
  const dm_output list[] = {describe_output(DM_OUTPUT_POSITION, 8, 3),
                            describe_output(DM_OUTPUT_DISTANCE, 5, -1),
                            describe_output(DM_OUTPUT_SPEED, 7, 2)};
  output_bench b;
  double z[2][2 * MOST_Q], y[MOST_ROWS], D[2][MOST_ROWS * MOST_Q];
  double H[2][3][MOST_Q * MOST_Q] = {{{0}}};
  uint64_t r = 5;
  open_outputs(&b, m, 3, list);
  draw_point(b.y.ny, b.lambda, &r);
  for (int i = 0; i < 2; i++) draw_point(2 * b.n, z[i], &r);
  assert_true(b.y.kept > 0 && b.y.kept <= b.y.scratch);
  char *kept = malloc(b.y.kept);

  // put aside at one place, then elsewhere, then back
  for (int i = 0; i < 2; i++) {
    const double *q = z[i], *v = z[i] + b.n;
    assert_int_equal(dm_output_map_eval(&b.y, b.scratch, q, v, y, D[0], D[1]), DM_OK);
    if (i == 0) memcpy(kept, b.scratch, b.y.kept);
  }
  memcpy(b.scratch, kept, b.y.kept);
  for (int i = 0; i < 2; i++)
    assert_int_equal(dm_output_map_contract(&b.y, b.scratch, i ? z[0] : NULL, z[0] + b.n, b.lambda,
                                            H[i][0], H[i][1], H[i][2]),
                     DM_OK);
  assert_memory_equal(H[0], H[1], sizeof H[0]);
  free(kept);
  close_outputs(&b);
  dm_model_free(m);
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
    assert_int_equal(eval_outputs(&b, q, &y, D), DM_OK);
    for (int i = 0; i < m->nq; i++) assert_true(D[i] == 0 || b.y.s.mask[i]);
  }

  // and nothing else: as many as carry the point
  const dm_vector_product p = {.A = dm_body_vector_difference(m, 8, o.point[0], -1, o.point[1]),
                               .square = true};
  int marked = 0;
  for (int i = 0; i < m->nq; i++) marked += b.y.s.mask[i];
  assert_int_equal(marked, dm_vector_product_joints(m, &p, NULL));
  close_outputs(&b);
  dm_model_free(m);
}

// what one body sees of another does not change where both are carried along, and is not marked there
static void what_carries_both_bodies_moves_nothing(void **state) {
  (void)state;
  static const dm_output_kind kinds[] = {DM_OUTPUT_POSITION, DM_OUTPUT_DISTANCE,
                                         DM_OUTPUT_HEIGHT,   DM_OUTPUT_ALIGNMENT,
                                         DM_OUTPUT_ROTATION, DM_OUTPUT_CLEARANCE};
  dm_model *m = models_random_tree(9, false, 2);
  uint64_t r = 7;
  for (int kind = 0; kind < 6; kind++) {
    dm_output o = describe_output(kinds[kind], 8, 4);
    o.shape = (dm_shape){DM_SHAPE_BOX, 0, {0.1, 0.2, 0.3}};
    o.frame = dm_identity;
    output_bench b;
    open_outputs(&b, m, 1, &o);
    double q[MOST_Q], y[MOST_ROWS], moved[MOST_ROWS];
    draw_point(m->nq, q, &r);
    assert_int_equal(eval_outputs(&b, q, y, NULL), DM_OK);
    int still = 0;
    for (int j = 0; j < m->nq; j++) {
      if (dm_output_map_moves(&b.y, 0, j)) continue;
      q[j] += 0.7;
      still++;
      assert_int_equal(eval_outputs(&b, q, moved, NULL), DM_OK);
      for (int i = 0; i < b.y.ny; i++) assert_close(moved[i], y[i], 1e-12);
    }

    // those of the root, which carries all, among them
    assert_true(still >= 1 && still < m->nq && !dm_output_map_moves(&b.y, 0, 0));
    close_outputs(&b);
  }
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
    dm_message msg;
    assert_int_equal(dm_outputs_new(&b.w, m, 5, list, &msg), DM_OK);
    map_outputs(&b, m);
    b.scratch = aligned_alloc(64, b.y.scratch + 64);
    assert_int_equal(b.y.ny, 9);

    double q[MOST_Q], y[9], axis[3];
    uint64_t r = seed;
    draw_point(m->nq, q, &r);
    assert_int_equal(eval_outputs(&b, q, y, NULL), DM_OK);
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
  assert_int_equal(eval_outputs(&b, q, y, D), DM_OK);
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

// R' = [omega] R, where the entries of R are alignments of axes
static void axes_turn_with_the_angular_velocity(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, false, 3);
  dm_output list[10] = {describe_output(DM_OUTPUT_ANGULAR_VELOCITY, 8, 3)};
  for (int i = 0; i < 9; i++) {
    // R_ab: axis a of body 3 along axis b of body 8
    list[1 + i] = (dm_output){.name = "R", .kind = DM_OUTPUT_ALIGNMENT, .body = {8, 3}};
    list[1 + i].axis[0][i % 3] = 1;
    list[1 + i].axis[1][i / 3] = 1;
  }
  dm_message msg;
  output_bench b;
  assert_int_equal(dm_outputs_new(&b.w, m, 10, list, &msg), DM_OK);
  map_outputs(&b, m);
  b.scratch = aligned_alloc(64, b.y.scratch + 64);
  double q[MOST_Q], v[MOST_Q], y[12], D[12 * MOST_Q], D_v[12 * MOST_Q], rate[12] = {0};
  uint64_t r = 11;
  draw_point(m->nq, q, &r);
  draw_point(m->nq, v, &r);
  assert_int_equal(dm_output_map_eval(&b.y, b.scratch, q, v, y, D, D_v), DM_OK);
  for (int i = 3; i < 12; i++)
    for (int j = 0; j < m->nq; j++) rate[i] += D[i * m->nq + j] * v[j];
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double turned = y[j] * y[3 + 3 * k + c] - y[k] * y[3 + 3 * j + c];
      assert_close(rate[3 + 3 * i + c], turned, 1e-13);
    }
  close_outputs(&b);
  dm_model_free(m);
}

// a body on three slides and two turns about the world's x and its own y, and one that turns on it
static dm_model *make_floating(void) {
  static const char *const name[] = {"x", "y", "z", "rx", "ry", "arm"};
  dm_coordinate c[6];
  for (int i = 0; i < 6; i++)
    c[i] = models_coord(name[i], i < 3, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  dm_body b[] = {
      {"base", -1, dm_identity, 0, 5, 2, {0.1, -0.2, 0.3}, {0.3, 0.4, 0.5, 0.02, -0.03, 0.04}},
      {"arm",
       0,
       dm_pose_rpy((double[]){1, 2, 3}, (double[]){0.4, 0, 0.1}),
       5,
       1,
       0.7,
       {0, 0.5, 0},
       {0.1, 0.2, 0.25, 0, 0.01, 0}}};
  return models_make(
      &(dm_tree){.nbody = 2, .ncoord = 6, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
}

// Of a body that floats without armatures: what L_v says of its slides is the momentum, of its turns
// about the axes at the base's origin the angular momentum there; and about the centre of mass it is
// that less c x P.
static void momenta_are_the_lagrangians(void **state) {
  (void)state;
  dm_model *m = make_floating();
  dm_output list[] = {describe_output(DM_OUTPUT_MOMENTUM, -1, -1),
                      describe_output(DM_OUTPUT_ANGULAR_MOMENTUM, -1, -1),
                      describe_output(DM_OUTPUT_ANGULAR_MOMENTUM, -1, -1),
                      describe_output(DM_OUTPUT_CENTER, -1, -1)};
  memset(list[0].point, 0, sizeof list[0].point);
  memset(list[3].point, 0, sizeof list[3].point);
  list[1].about_point = true;
  dm_message msg;
  output_bench b;
  assert_int_equal(dm_outputs_new(&b.w, m, 4, list, &msg), DM_OK);
  map_outputs(&b, m);
  b.scratch = aligned_alloc(64, b.y.scratch + 64);
  double q[MOST_Q], v[MOST_Q], y[12], L_q[MOST_Q], L_v[MOST_Q];
  uint64_t r = 23;
  draw_point(m->nq, q, &r);
  draw_point(m->nq, v, &r);
  assert_int_equal(dm_output_map_eval(&b.y, b.scratch, q, v, y, NULL, NULL), DM_OK);

  dm_lagrangian L = dm_tree_lagrangian(m);
  void *scratch = aligned_alloc(64, (L.scratch + 63) & ~(size_t)63);
  dm_jet jet = {.L_q = L_q, .L_v = L_v};
  assert_int_equal(L.eval(L.self, scratch, 1, q, v, &jet), DM_OK);
  for (int i = 0; i < 3; i++) assert_close(y[i], L_v[i], 1e-13);

  // the first turn is about the world's x axis through the base's place q[0..2]
  const double *P = y, *about = y + 3, *own = y + 6, *c = y + 9, *o = list[1].point[1];
  assert_close(about[0] - ((q[1] - o[1]) * P[2] - (q[2] - o[2]) * P[1]), L_v[3], 1e-13);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double shift = (c[j] - o[j]) * P[k] - (c[k] - o[k]) * P[j];
    assert_close(own[i], about[i] - shift, 1e-13);
  }
  free(scratch);
  close_outputs(&b);
  dm_model_free(m);
}

// at rest a speed is zero, and so is the slope that stands for all that it has there; without a
// velocity there is none, and nobody minds
static void speeds_at_rest_and_unknown(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, false, 1);
  const dm_output list[] = {describe_output(DM_OUTPUT_SPEED, 8, -1),
                            describe_output(DM_OUTPUT_HEIGHT, 8, -1)};
  output_bench b;
  open_outputs(&b, m, 2, list);
  double q[MOST_Q], v[MOST_Q] = {0}, y[2], D[2][2 * MOST_Q];
  double H[3][MOST_Q * MOST_Q] = {{0}};
  const double lambda[] = {1, 0};
  uint64_t r = 3;
  draw_point(m->nq, q, &r);
  assert_int_equal(dm_output_map_eval(&b.y, b.scratch, q, v, y, D[0], D[1]), DM_OK);
  assert_close(y[0], 0, 0);
  for (int j = 0; j < m->nq; j++) assert_true(D[0][j] == 0 && D[1][j] == 0);
  assert_int_equal(dm_output_map_contract(&b.y, b.scratch, q, v, lambda, H[0], H[1], H[2]), DM_OK);

  assert_int_equal(dm_output_map_eval(&b.y, b.scratch, q, NULL, y, D[0], NULL), DM_OK);
  assert_true(isnan(y[0]) && isnan(D[0][0]) && isfinite(y[1]) && isfinite(D[0][m->nq]));
  close_outputs(&b);
  dm_model_free(m);
}

// the requested outputs are unchanged, bit for bit; the others are absent
static void what_is_not_asked_for_is_left_out(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, true, 2);
  const dm_output list[] = {describe_output(DM_OUTPUT_VELOCITY, 8, 3),
                            describe_output(DM_OUTPUT_DISTANCE, 8, -1),
                            describe_output(DM_OUTPUT_ANGULAR_VELOCITY, 8, -1)};
  const bool row[] = {false, true, false, true, false, false, false};
  output_bench b;
  open_outputs(&b, m, 3, list);
  const int n = m->nq;
  double z[2 * MOST_Q], y[2][7], D[2][2][7 * MOST_Q], H[2][3][MOST_Q * MOST_Q] = {{{0}}};
  const double lambda[] = {0, 2, 0, 3, 0, 0, 0};
  uint64_t r = 9;
  draw_point(2 * n, z, &r);
  for (int asked = 0; asked < 2; asked++) {
    const dm_holonomic some = dm_outputs_asked(b.w);
    if (asked) b.y = dm_outputs_map(b.w, &some, n);
    const dm_status s =
        dm_output_map_eval(&b.y, b.scratch, z, z + n, y[asked], D[asked][0], D[asked][1]);
    assert_int_equal(s, asked ? DM_NOT_FINITE : DM_OK);
    double(*of)[MOST_Q * MOST_Q] = H[asked];
    assert_int_equal(dm_output_map_contract(&b.y, b.scratch, z, z + n, lambda, of[0], of[1], of[2]),
                     DM_OK);
    dm_outputs_ask(b.w, row);
  }
  for (int i = 0; i < 7; i++) {
    assert_true(row[i] ? y[0][i] == y[1][i] : isnan(y[1][i]));
    for (int j = 0; row[i] && j < n; j++)
      for (int by = 0; by < 2; by++) assert_true(D[0][by][i * n + j] == D[1][by][i * n + j]);
  }
  assert_memory_equal(H[0], H[1], sizeof H[0]);
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
      assert_int_equal(eval_outputs(&b, &q, y, D), DM_OK);
      assert_int_equal(contract_outputs(&b, &q, lambda, &H), DM_OK);
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
    assert_int_equal(eval_outputs(&b, &q[i], y[i], NULL), DM_OK);
    for (int a = 0; a < 3; a++) length += y[i][a] * y[i][a];
    assert_close(sqrt(length), fabs(q[i]), 1e-10);
    // about the axis that it has nearby
    for (int a = 0; a < 3; a++)
      assert_close(fabs(y[i][a]) / sqrt(length), fabs(y[0][a]) / fabs(q[0]), 1e-4);
  }
  assert_int_equal(eval_outputs(&b, q, y[0], D), DM_NOT_FINITE);
  assert_int_equal(contract_outputs(&b, q, lambda, &H), DM_NOT_FINITE);
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
    assert_string_equal(dm_output_map_name(&b.y, i), name[i]);
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
  assert_int_equal(eval_outputs(&b, q, &y, NULL), DM_OK);
  assert_close(y, 0, 0);
  assert_int_equal(eval_outputs(&b, q, &y, D), DM_NOT_FINITE);
  assert_int_equal(contract_outputs(&b, q, &lambda, H), DM_NOT_FINITE);
  close_outputs(&b);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(what_is_kept_is_the_place),
      cmocka_unit_test(clearances_are_exact),
      cmocka_unit_test(what_moves_a_row_is_marked),
      cmocka_unit_test(what_carries_both_bodies_moves_nothing),
      cmocka_unit_test(kinds_agree),
      cmocka_unit_test(gravity_pulls_at_the_center),
      cmocka_unit_test(axes_turn_with_the_angular_velocity),
      cmocka_unit_test(momenta_are_the_lagrangians),
      cmocka_unit_test(speeds_at_rest_and_unknown),
      cmocka_unit_test(what_is_not_asked_for_is_left_out),
      cmocka_unit_test(a_turn_is_its_rotation_vector),
      cmocka_unit_test(half_a_turn_has_a_value_alone),
      cmocka_unit_test(rows_are_named_and_measured),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The values of all kinds of outputs are those of their rows in lib/multibody/output.h.
#include "tests/support/models.h"

#include "lib/mechanics/driven_output.h"
#include "lib/multibody/output.h"
#include "lib/multibody/tree_lagrangian.h"

enum { FIRST = 8, MOST_Q = 40, MOST_ROWS = 3, ROOM = 1 << 18 };

// what the rows are functions of, computed from frames of joints
typedef struct place {
  dm_pose X[MOST_Q];
  dm_vec w[MOST_Q], o[MOST_Q]; // angular velocities of joints, velocities of their origins
} place;

// along the tree: each joint adds its rate about or along its axis z
static void find_place(const dm_model *m, const double *q, const double *v, place *at) {
  dm_tree_frames(m, q, at->X);
  for (int j = 0; j < m->nj; j++) {
    const int parent = m->parent[j];
    const double rate = m->ratio[j] * v[m->coord[j]];
    const dm_vec axis = dm_mul(rate, dm_rotate(&at->X[j], dm_v(0, 0, 1)));
    const dm_vec zero = {0, 0, 0};
    at->w[j] = parent < 0 ? zero : at->w[parent];
    at->o[j] = zero;
    if (parent >= 0)
      at->o[j] =
          dm_add(at->o[parent], dm_cross(at->w[parent], dm_sub(at->X[j].p, at->X[parent].p)));
    if (m->slides[j]) at->o[j] = dm_add(at->o[j], axis);
    if (!m->slides[j]) at->w[j] = dm_add(at->w[j], axis);
  }
}

// the pose of a body; a point of it, with its velocity; and its angular velocity, in world axes
static void find_point(const dm_model *m, const place *at, int body, const double point[3],
                       dm_pose *X, dm_vec *x, dm_vec *v, dm_vec *w) {
  const int j = body < 0 ? -1 : m->body_joint[body];
  *X = body < 0 ? dm_identity : m->body_pose[body];
  *v = *w = dm_v(0, 0, 0);
  if (j >= 0) *X = dm_compose(&at->X[j], X);
  *x = dm_place(X, dm_v(point[0], point[1], point[2]));
  if (j < 0) return;
  *w = at->w[j];
  *v = dm_add(at->o[j], dm_cross(*w, dm_sub(*x, at->X[j].p)));
}

// the rotation vector of A relative to B: angle times axis of the antisymmetric part
static dm_vec find_turn(const dm_pose *A, const dm_pose *B) {
  const dm_pose R = dm_pose_relative(B, A);
  const dm_vec twice = {R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
  const double sine = sqrt(dm_dot(twice, twice)) / 2;
  return dm_mul(atan2(sine, (R.x.x + R.y.y + R.z.z - 1) / 2) / sine / 2, twice);
}

// sum m x / sum m over the moving bodies
static dm_vec find_center(const dm_model *m, const place *at) {
  dm_vec c = {0, 0, 0};
  double mass = 0;
  for (int j = 0; j < m->nj; j++) {
    const dm_inertia *I = &m->body[j];
    c = dm_add(c, dm_add(dm_mul(I->m, at->X[j].p), dm_rotate(&at->X[j], I->c)));
    mass += I->m;
  }
  return dm_mul(1 / mass, c);
}

static const double RADIUS = 0.2, OWN_RADIUS = 0.05;
static const int inputs[] = {1, 3};

// of the coordinates on which the inputs act
static dm_output describe_kind(dm_output_kind kind, int other, const int coords[2]) {
  static const double weight[] = {1.5, -0.3};
  static const double S = 0.57735026918962576; // 1/sqrt 3
  dm_output o = {.name = "y",
                 .kind = kind,
                 .body = {FIRST, other},
                 .point = {{.3, .2, -.1}, {-.4, .1, .2}},
                 .axis = {{0, 0.6, 0.8}, {S, -S, S}},
                 .n = 2,
                 .coord = coords,
                 .input = inputs,
                 .weight = weight,
                 .shift = 0.3,
                 .shape = {DM_SHAPE_SPHERE, RADIUS, {0}},
                 .radius = OWN_RADIUS,
                 .frame = dm_identity};
  if (kind == DM_OUTPUT_CLEARANCE) o.frame.p = dm_v(-.4, .1, .2);
  if (kind == DM_OUTPUT_CENTER || kind == DM_OUTPUT_MOMENTUM) memset(o.point, 0, sizeof o.point);
  return o;
}

// the text of a row, evaluated; returns the number of rows
static int eval_row(const dm_model *m, const dm_output *o, const double *z, const double *force,
                    double y[MOST_ROWS]) {
  static place at;
  dm_pose X[2];
  dm_vec x[2], rate[2], turn[2];
  const double *z_v = z + m->nq;
  find_place(m, z, z_v, &at);
  for (int i = 0; i < 2; i++)
    find_point(m, &at, o->body[i], o->point[i], &X[i], &x[i], &rate[i], &turn[i]);

  // of one body relative to the other, whose axes rotate
  const dm_vec D = dm_sub(x[0], x[1]), moved = dm_sub(rate[0], rate[1]);
  const dm_vec d = dm_unrotate(&X[1], D), r = find_turn(&X[0], &X[1]);
  const dm_vec v = dm_unrotate(&X[1], dm_sub(moved, dm_cross(turn[1], D)));
  const dm_vec w = dm_unrotate(&X[1], dm_sub(turn[0], turn[1]));
  const double *axis = o->axis[0], *b_of = o->axis[1];
  const dm_vec a = dm_unrotate(&X[1], dm_rotate(&X[0], dm_v(axis[0], axis[1], axis[2])));
  const dm_vec b = {b_of[0], b_of[1], b_of[2]};

  // of all bodies: the momentum about the origin, moved to the center of mass
  double mu[6];
  void *scratch = aligned_alloc(64, ROOM);
  dm_tree_momentum(m, scratch, z, z_v, mu);
  free(scratch);
  const dm_vec c = find_center(m, &at), p = {mu[3], mu[4], mu[5]};
  const dm_vec l = dm_sub(dm_v(mu[0], mu[1], mu[2]), dm_cross(c, p));

  const double *k = o->weight, s = o->shift, R = RADIUS + OWN_RADIUS;
  const int *at_q = o->coord;
  const double q[] = {z[at_q[0]], z[at_q[1]]}, qd[] = {z_v[at_q[0]], z_v[at_q[1]]};
  const double u[] = {force[inputs[0]], force[inputs[1]]};
#define UNPACK(...) __VA_ARGS__
#define PUT_ROW(NAME, name, word, must, may, unit, rows, range, about, value)                      \
  case DM_OUTPUT_##NAME: {                                                                         \
    const double found[] = {UNPACK value};                                                         \
    memcpy(y, found, sizeof found);                                                                \
    return COUNT(found);                                                                           \
  }
  switch ((int)o->kind) { DM_OUTPUT_KINDS(PUT_ROW) }
#undef PUT_ROW
  return 0;
}

// an output of inputs has its value over a step: here a short one along v, on which coordinates are linear
static void eval_output(const dm_model *m, const dm_output *o, const double *z, const double *u,
                        int rows, double *y) {
  static double next[MOST_Q];
  const double h = 0.25;
  dm_outputs *w;
  dm_message msg = {""};
  if (dm_outputs_new(&w, m, 1, o, &msg) != DM_OK) fail_msg("%s", msg.text);
  const dm_holonomic signals = dm_outputs_signals(w);
  const dm_output_map map = dm_outputs_map(w, &signals, m->nq);
  void *scratch = aligned_alloc(64, ROOM);
  assert_int_equal(map.ny, rows);
  assert_int_equal(dm_output_map_eval(&map, scratch, z, z + m->nq, y, NULL, NULL), DM_OK);
  for (int i = 0; i < m->nq; i++) next[i] = z[i] + h * z[m->nq + i];
  const dm_step step = {.q0 = z, .q1 = next, .u = u, .h = h};
  assert_int_equal(dm_driven_outputs_eval(&map, m->nu, scratch, &step, y, NULL), DM_OK);
  free(scratch);
  dm_outputs_free(w);
}

static void values_are_those_of_the_rows(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    dm_model *m = models_random_tree(9, seed > 2, seed);
    double z[2 * MOST_Q], u[MOST_Q];
    uint64_t r = seed;
    for (int i = 0; i < 2 * m->nq; i++) z[i] = models_random(&r);
    for (int i = 0; i < m->nu; i++) u[i] = models_random(&r);
    const int coords[] = {m->input_coord[inputs[0]], m->input_coord[inputs[1]]};
    for (int kind = 0; kind < DM_OUTPUT_KIND_COUNT; kind++)
      for (int other = -1; other < 8; other += 4) {
        const dm_output o = describe_kind((dm_output_kind)kind, other, coords);
        double want[MOST_ROWS], y[MOST_ROWS];
        const int rows = eval_row(m, &o, z, u, want);

        // only the values of contacts and formulas are not functions of these
        assert_int_equal(isnan(want[0]), kind >= DM_OUTPUT_CONTACT_FORCE);
        if (isnan(want[0])) continue;
        eval_output(m, &o, z, u, rows, y);
        for (int i = 0; i < rows; i++) assert_close(y[i], want[i], 1e-13 * (1 + fabs(want[i])));
      }
    dm_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

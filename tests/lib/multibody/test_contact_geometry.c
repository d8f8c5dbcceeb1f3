// Unilateral constraints of trees: derivatives by the order of differences, the same as those of
// the equalities beside them, and what is said of places that are not admissible.
#include "tests/support/ball.h"

#include "lib/multibody/contact_geometry.h"

enum { BODIES = 9, MOST = 40 };

typedef struct bench {
  dm_unilateral u;
  void *scratch;
  int n, m;
  const int *which;
  double lambda[8];
} bench;

static void value(void *self, const double *q, double *g) {
  bench *b = self;
  assert_int_equal(b->u.rows(b->u.self, b->scratch, q, b->m, b->which, g, NULL), DM_OK);
}
// G'lambda
static void pulled(void *self, const double *q, double *out) {
  bench *b = self;
  double g[8], G[8 * MOST];
  assert_int_equal(b->u.rows(b->u.self, b->scratch, q, b->m, b->which, g, G), DM_OK);
  memset(out, 0, (size_t)b->n * sizeof *out);
  for (int i = 0; i < b->m; i++)
    for (int j = 0; j < b->n; j++) out[j] += b->lambda[i] * G[i * b->n + j];
}

static dm_contact contact(dm_contact_kind kind, int body0, int body1) {
  const double s = sqrt(1.0 / 3), d = sqrt(0.5);
  return (dm_contact){.name = "c",
                      .kind = kind,
                      .body = {body0, body1},
                      .point = {{.3, .2, -.1}, {-.4, .1, .2}},
                      .axis = {s, -s, s},
                      .along = {d, d, 0},
                      .shape = {.kind = DM_SHAPE_SPHERE, .radius = 0.1, .half = {0.1, 0.2, 0.1}},
                      .length = 0.7,
                      .coord = 3,
                      .restitution = 0.5};
}

// gaps, gradients and second derivatives of contacts of the tree's bodies a and b
static void check_gaps(const dm_model *m, int a, int b0, uint64_t seed) {
  enum { KINDS = DM_CONTACT_KIND_COUNT, CONTACTS = 2 * KINDS + 2 };
  dm_contact list[CONTACTS];
  static const int which[] = {8, 0, 3, 1, 4, 9, CONTACTS - 1, CONTACTS - 2};
  dm_contacts *c;
  for (int i = 0; i < CONTACTS; i++) {
    list[i] = contact((dm_contact_kind)(i % KINDS), a, i < KINDS ? b0 : -1);
    if (i >= 2 * KINDS) list[i].kind = DM_OUTSIDE;
    if (i >= 2 * KINDS) list[i].shape.kind = i % 2 ? DM_SHAPE_CAPSULE : DM_SHAPE_CYLINDER;
    // a stop of a ball joint's own turns does not exist
    while (dm_ball_owns(m, list[i].coord)) list[i].coord++;
  }
  assert_int_equal(dm_contacts_new(&c, m, CONTACTS, list, NULL), DM_OK);
  bench b = {.u = dm_contacts_unilateral(c), .n = m->nq + m->nball, .m = COUNT(which)};
  b.which = which;
  b.scratch = aligned_alloc(64, b.u.scratch + 64);
  double q[MOST], d[MOST], g[8], all[CONTACTS], G[8 * MOST], H[MOST * MOST] = {0}, out[MOST] = {0};
  uint64_t r = seed;
  int n = b.n;
  for (int i = 0; i < n; i++) q[i] = models_random(&r), d[i] = models_random(&r);
  for (int i = 0; i < b.m; i++) b.lambda[i] = models_random(&r);

  assert_int_equal(b.u.rows(c, b.scratch, q, b.m, which, g, G), DM_OK);
  assert_int_equal(b.u.values(c, b.scratch, q, all), DM_OK);
  for (int i = 0; i < b.m; i++) {
    assert_close(g[i], all[which[i]], 1e-13);
    for (int j = 0; j < n; j++) out[i] += G[i * n + j] * d[j];
  }
  models_check_derivative(value, &b, n, b.m, q, d, out, 1e-3, "G");

  assert_int_equal(b.u.contract(c, b.scratch, q, b.m, which, b.lambda, H), DM_OK);
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++) {
      out[i] += H[i * n + j] * d[j];
      assert_close(H[i * n + j], H[j * n + i], m->nball ? 1e-13 : 1e-14);
    }
  }
  models_check_derivative(pulled, &b, n, n, q, d, out, 1e-3, "D2g");
  free(b.scratch);
  dm_contacts_free(c);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    dm_model *m = models_random_tree(BODIES, seed > 2, seed);
    check_gaps(m, 8, 5, seed);
    dm_model_free(m);
  }
}

static void derivatives_by_quaternions_are_exact(void **state) {
  (void)state;
  const dm_tree t = ball_astronaut(-9.81);
  dm_model *m = models_make(&t);
  for (uint64_t seed = 1; seed <= 4; seed++) check_gaps(m, 2, 3, seed);
  dm_model_free(m);
}

// positions along tangents: their rates at a point of a body, which together with the normal's are
// its velocity in the other's frame
static void along(void *self, const double *q, double *tau) {
  bench *b = self;
  assert_int_equal(b->u.tangents(b->u.self, b->scratch, q, NULL, b->m, b->which, tau, NULL), DM_OK);
}
static void tangents_are_exact(void **state) {
  (void)state;
  static const double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0.6, -0.48, 0.64}};
  static const int which[] = {2, 0, 1};
  dm_model *m = models_random_tree(BODIES, true, 5);
  dm_contact list[3];
  dm_contacts *c;
  for (int i = 0; i < 3; i++) {
    list[i] = contact(DM_ABOVE, 8, i == 1 ? 5 : -1);
    memcpy(list[i].axis, axes[i], sizeof axes[i]);
    list[i].length = 0, list[i].friction = 0.5;
  }
  assert_int_equal(dm_contacts_new(&c, m, 3, list, NULL), DM_OK);
  bench b = {.u = dm_contacts_unilateral(c), .n = m->nq, .m = 3, .which = which};
  b.scratch = aligned_alloc(64, b.u.scratch + 64);
  double q[MOST], d[MOST], tau[6], T[6 * MOST], g[3], out[6] = {0};
  uint64_t r = 7;
  for (int i = 0; i < b.n; i++) q[i] = models_random(&r), d[i] = models_random(&r);
  assert_int_equal(b.u.tangents(c, b.scratch, q, NULL, 3, which, tau, T), DM_OK);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < b.n; j++) out[i] += T[i * b.n + j] * d[j];
  models_check_derivative(along, &b, b.n, 6, q, d, out, 1e-3, "T");
  // in the frame of axis and tangents a place is as far from x1 as ever: the same for each axis
  static const int floors[] = {2, 0};
  assert_int_equal(b.u.rows(c, b.scratch, q, 2, floors, g, NULL), DM_OK);
  assert_int_equal(b.u.tangents(c, b.scratch, q, NULL, 2, floors, tau, NULL), DM_OK);
  double far[2];
  for (int i = 0; i < 2; i++)
    far[i] = g[i] * g[i] + tau[2 * i] * tau[2 * i] + tau[2 * i + 1] * tau[2 * i + 1];
  assert_close(far[0], far[1], 1e-12 * far[0]);
  free(b.scratch);
  dm_contacts_free(c);
  dm_model_free(m);
}

// the sliding of a step from q, as a function of its end
typedef struct slide {
  bench b;
  const double *from;
} slide;
static void slide_to(void *self, const double *q, double *out) {
  slide *s = self;
  const bench *b = &s->b;
  double start[10];
  const double *from = s->from;
  assert_int_equal(b->u.tangents(b->u.self, b->scratch, q, from, b->m, b->which, out, NULL), DM_OK);
  assert_int_equal(b->u.tangents(b->u.self, b->scratch, from, q, b->m, b->which, start, NULL),
                   DM_OK);
  for (int i = 0; i < 2 * b->m; i++) out[i] -= start[i];
}

// For a sphere, T is the derivative of the sliding of a step at its beginning, to second order in the
// step, and backwards it slides back.
static void tangents_of_spheres_are_exact(void **state) {
  (void)state;
  enum { CONTACTS = 5, TANGENTS = 2 * CONTACTS };
  static const int which[CONTACTS] = {1, 0, 3, 2, 4};
  const dm_tree t = ball_astronaut(-9.81);
  dm_model *m = models_make(&t);
  dm_contact list[CONTACTS];
  dm_contacts *c;
  for (int i = 0; i < CONTACTS; i++) {
    list[i] = contact(i < 3 ? DM_ABOVE : DM_OUTSIDE, i == 2 ? 3 : 2, i == 1 ? 0 : -1);
    list[i].friction = 0.5;
    list[i].shape.kind = DM_SHAPE_SPHERE;
    if (i == 2 || i == 4) list[i].length = 0; // points beside them
  }
  assert_int_equal(dm_contacts_new(&c, m, CONTACTS, list, NULL), DM_OK);
  double q[MOST], d[MOST], tau[TANGENTS], T[TANGENTS * MOST], out[TANGENTS] = {0};
  double there[TANGENTS], back[TANGENTS];
  slide s = {{.u = dm_contacts_unilateral(c), .n = m->nq + m->nball, .m = CONTACTS, .which = which},
             q};
  const int n = s.b.n;
  s.b.scratch = aligned_alloc(64, s.b.u.scratch + 64);
  uint64_t r = 7;
  for (int i = 0; i < n; i++) q[i] = models_random(&r), d[i] = models_random(&r);
  assert_int_equal(s.b.u.tangents(c, s.b.scratch, q, NULL, CONTACTS, which, tau, T), DM_OK);
  for (int i = 0; i < TANGENTS; i++)
    for (int j = 0; j < n; j++) out[i] += T[i * n + j] * d[j];
  models_check_derivative(slide_to, &s, n, TANGENTS, q, d, out, 1e-3, "T of a sphere");

  double end[MOST];
  for (int i = 0; i < n; i++) end[i] = q[i] + 0.3 * d[i];
  slide_to(&s, end, there);
  s.from = end;
  slide_to(&s, q, back);
  for (int i = 0; i < TANGENTS; i++) assert_close(there[i], -back[i], 1e-14);
  free(s.b.scratch);
  dm_contacts_free(c);
  dm_model_free(m);
}

// A ball that rolls without sliding while it spins about the normal: the sliding of a step is of
// third order, and its velocity zero.
static void a_rolling_ball_does_not_slide(void **state) {
  (void)state;
  dm_coordinate x[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0),
                       models_coord("z", true, 0, 0, 1), BALL("ball")};
  dm_body body[] = {{"ball", -1, dm_identity, 0, 6, 1, {0}, {1, 1, 1}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 1, .ncoord = 6, .body = body, .coord = x});
  const dm_contact ball = {.name = "floor",
                           .kind = DM_ABOVE,
                           .body = {0, -1},
                           .axis = {0, 0, 1},
                           .length = 0.2,
                           .friction = 1};
  static const int which[] = {0};
  dm_contacts *c;
  assert_int_equal(dm_contacts_new(&c, m, 1, &ball, NULL), DM_OK);
  const double from[] = {0.3, -0.2, 0.2, 1, 0, 0, 0};
  slide s = {{.u = dm_contacts_unilateral(c), .n = 7, .m = 1, .which = which}, from};
  s.b.scratch = aligned_alloc(64, s.b.u.scratch + 64);
  double off[2];
  for (int half = 0; half < 2; half++) {
    // turns w h about a fixed axis, with the speed r w x n of its center
    const double h = half ? 0.05 : 0.1, w[] = {0.7, 1.1, 2}, size = sqrt(0.49 + 1.21 + 4);
    double q[] = {0.3 + 0.2 * w[1] * h, -0.2 - 0.2 * w[0] * h, 0.2, cos(size * h / 2), 0, 0, 0};
    for (int i = 0; i < 3; i++) q[4 + i] = sin(size * h / 2) * w[i] / size;
    double out[2];
    slide_to(&s, q, out);
    off[half] = hypot(out[0], out[1]);
  }
  assert_true(off[0] < 1e-3 && off[0] / off[1] > 7.8 && off[0] / off[1] < 8.2);
  free(s.b.scratch);
  dm_contacts_free(c);
  dm_model_free(m);
}

// two spheres above a floor, within a sphere, one on a rail with stops
static void values_are_what_they_say(void **state) {
  (void)state;
  dm_coordinate x[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("y", true, 1, 0, 0)};
  dm_body b[] = {{"a", -1, dm_identity, 0, 2, 1, {0}, {0}},
                 {"b", -1, dm_identity, 2, 1, 1, {0}, {0}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 2, .ncoord = 3, .body = b, .coord = x});
  dm_contact list[] = {
      {.name = "apart", .kind = DM_AT_LEAST, .body = {0, 1}, .length = 2, .restitution = 1},
      {.name = "within", .kind = DM_AT_MOST, .body = {0, -1}, .length = 6, .restitution = 1},
      {.name = "floor", .kind = DM_ABOVE, .body = {0, -1}, .axis = {0, 0, 1}, .length = 1},
      {.name = "left", .kind = DM_NOT_BELOW, .coord = 2, .length = -3},
      {.name = "right", .kind = DM_NOT_ABOVE, .coord = 2, .length = 1},
  };
  dm_contacts *c;
  assert_int_equal(dm_contacts_new(&c, m, 5, list, NULL), DM_OK);

  // they are listed as they were described
  const dm_contact *told;
  assert_int_equal(dm_contacts_list(c, &told), 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(told[i].kind, list[i].kind);
    assert_float_equal(told[i].length, list[i].length, 0);
  }

  dm_unilateral u = dm_contacts_unilateral(c);
  double q[] = {3, 4, -2}, g[5], expected[] = {25 + 16 - 4, 36 - 25, 3, 1, 3};
  void *scratch = aligned_alloc(64, u.scratch + 64);
  assert_int_equal(u.values(c, scratch, q, g), DM_OK);
  for (int i = 0; i < 5; i++) assert_close(g[i], expected[i], 1e-14);
  assert_int_equal(dm_unilateral_check(&u, 1, q, NULL), DM_OK);
  dm_message msg;
  q[1] = 0.5, q[2] = 1.25;
  assert_int_equal(dm_unilateral_check(&u, 1, q, &msg), DM_INFEASIBLE);
  assert_string_equal(msg.text, "the start is inside an obstacle: 'floor' is violated by 0.5 m");
  q[1] = NAN;
  assert_int_equal(dm_unilateral_check(&u, 1, q, &msg), DM_NOT_FINITE);
  free(scratch);
  dm_contacts_free(c);
  dm_model_free(m);
}

static void bad_contacts_are_named(void **state) {
  (void)state;
  dm_model *m = models_chain(2, 1, 0);
  dm_contact good = contact(DM_AT_LEAST, 1, -1), bad[6];
  good.coord = 1;
  for (int i = 0; i < 6; i++) bad[i] = good;
  bad[0].length = 0;
  bad[1].restitution = 1.5;
  bad[2].body[0] = 7;
  bad[3].kind = DM_NOT_BELOW, bad[3].coord = 2;
  bad[4].kind = DM_ABOVE, bad[4].axis[0] = 3;
  bad[5].kind = DM_NOT_ABOVE, bad[5].length = NAN;
  static const char *const said[] = {"length must be > 0, got 0",
                                     "restitution must be within 0 and 1, got 1.5",
                                     "refers to a body that does not exist",
                                     "refers to a coordinate that does not exist",
                                     "its axis must have length 1",
                                     "length must be finite"};
  for (int i = 0; i < 6; i++) {
    dm_contacts *c = NULL;
    dm_message msg = {""};
    assert_int_equal(dm_contacts_new(&c, m, 1, &bad[i], &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, said[i]) || !strstr(msg.text, "'c'")) fail_msg("%s", msg.text);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(derivatives_by_quaternions_are_exact),
      cmocka_unit_test(tangents_are_exact),
      cmocka_unit_test(tangents_of_spheres_are_exact),
      cmocka_unit_test(a_rolling_ball_does_not_slide),
      cmocka_unit_test(values_are_what_they_say),
      cmocka_unit_test(bad_contacts_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

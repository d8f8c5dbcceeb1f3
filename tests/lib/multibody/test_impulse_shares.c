// Impulses of repeated equations: a beam on more supports than hold it, in closed form.
#include "tests/support/models.h"

enum { MOST = 4 };

// coordinates of the beam: its height z, then its angle
typedef struct beam {
  dm_model *m;
  dm_constraints *c;
  dm_impulse_shares *w;
} beam;

// supports at x[n], and an equation of its angle alone where `level`; dropped: those rows
static beam beam_open(int n, const double *x, bool level, const bool *drop) {
  static const char *const name[] = {"one", "two", "three", "level"};
  dm_coordinate c[] = {models_coord("z", true, 0, 0, 1), models_coord("angle", false, 0, 1, 0)};
  dm_body b[] = {{"lift", -1, dm_identity, 0, 1, 1, {0}, {0}},
                 {"bar", 0, dm_identity, 1, 1, 1, {0}, {0, 1, 0}}};
  dm_constraint list[MOST];
  for (int i = 0; i < n; i++)
    list[i] = (dm_constraint){.name = name[i],
                              .kind = DM_PLANE,
                              .body = {1, -1},
                              .coord = {-1, -1},
                              .axis = {0, 0, 1},
                              .point = {{x[i], 0, 0}, {0}}};
  if (level)
    list[n++] = (dm_constraint){.name = name[3], .kind = DM_EQUAL, .coord = {1, 0}, .ratio = 0};
  beam w = {.m = models_make(&(dm_tree){.nbody = 2, .ncoord = 2, .body = b, .coord = c})};
  assert_int_equal(dm_constraints_new(&w.c, w.m, n, list, NULL), DM_OK);
  dm_constraints_drop(w.c, drop);
  w.w = dm_impulse_shares_new(w.m, w.c);
  assert_non_null(w.w);
  return w;
}

static void beam_close(beam *w) {
  dm_impulse_shares_free(w->w);
  dm_constraints_free(w->c);
  dm_model_free(w->m);
}

// three supports at -1, 0, 1 under a force of 6 N s at x = 0.5: F/3 + F a x_i / 2, whichever is dropped
static void three_supports_share_a_force(void **state) {
  (void)state;
  static const double x[] = {-1, 0, 1}, q[] = {0, 0};
  const double force = 6, at = 0.5;
  for (int i = 0; i < 3; i++) {
    bool drop[3] = {false};
    drop[i] = true;
    beam w = beam_open(3, x, false, drop);
    assert_int_equal(dm_constraints_count(w.c), 2);
    assert_int_equal(dm_constraints_all(w.c), 3);

    // of the two that stay, in their order, by the balance of moments
    const int a = i == 0, b = i == 2 ? 1 : 2;
    assert_int_equal(dm_constraints_number(w.c, 0), a);
    assert_int_equal(dm_constraints_number(w.c, 1), b);
    assert_int_equal(dm_constraints_number(w.c, 2), i);
    const double lambda[] = {force * (x[b] - at) / (x[b] - x[a]),
                             force * (at - x[a]) / (x[b] - x[a])};
    double share[3];
    assert_int_equal(dm_impulse_shares_find(w.w, q, lambda, share), DM_OK);
    for (int k = 0; k < 3; k++) assert_close(share[k], force / 3 + force * at * x[k] / 2, 1e-12);
    beam_close(&w);
  }
}

// the order of the supports is the order of their shares, and nothing else
static void order_does_not_matter(void **state) {
  (void)state;
  static const double x[] = {0, 1, -1}, q[] = {0, 0.2}, lambda[] = {3, 3};
  beam w = beam_open(3, x, false, (bool[]){false, false, true});
  double share[3];
  assert_int_equal(dm_impulse_shares_find(w.w, q, lambda, share), DM_OK);
  for (int k = 0; k < 3; k++) assert_close(share[k], 2 + 1.5 * x[k], 1e-12);
  beam_close(&w);
}

// A moment on supports at -x, x and on the equation of the angle: with the arm x a third goes to the
// angle, and the supports have the same forces for a beam of any size under a moment of that size.
static void moments_share_by_the_robots_length(void **state) {
  (void)state;
  static const double q[] = {0, 0};
  for (double x = 1e-3; x < 1e4; x *= 10) {
    beam w = beam_open(2, (double[]){-x, x}, true, (bool[]){false, false, true});
    const double lambda[] = {1.5, -1.5};
    double share[3];
    assert_int_equal(dm_impulse_shares_find(w.w, q, lambda, share), DM_OK);
    assert_close(share[0], 1, 1e-12);
    assert_close(share[1], -1, 1e-12);
    assert_close(share[2], x, 1e-12 * x); // a third of the moment 3 x
    beam_close(&w);
  }
}

// |x0 - x1|^2 = d^2 counts with the force of the rod, 2 d lambda, not with lambda
static void rods_share_by_their_forces(void **state) {
  (void)state;
  dm_coordinate c = models_coord("x", true, 1, 0, 0);
  dm_body b = {"block", -1, dm_identity, 0, 1, 1, {0}, {0}};
  dm_constraint list[] = {{.name = "short", .length = 1}, {.name = "long", .length = 4}};
  for (int i = 0; i < 2; i++) {
    list[i].kind = DM_DISTANCE;
    list[i].body[1] = list[i].coord[0] = list[i].coord[1] = -1;
    list[i].point[1][0] = -list[i].length;
  }
  dm_model *m = models_make(&(dm_tree){.nbody = 1, .ncoord = 1, .body = &b, .coord = &c});
  dm_constraints *rods;
  assert_int_equal(dm_constraints_new(&rods, m, 2, list, NULL), DM_OK);
  dm_constraints_drop(rods, (bool[]){true, false});
  dm_impulse_shares *w = dm_impulse_shares_new(m, rods);
  const double q = 0, lambda = 1; // 8 N s by the long rod
  double share[2];
  assert_int_equal(dm_impulse_shares_find(w, &q, &lambda, share), DM_OK);
  assert_close(2 * 1 * share[0], 4, 1e-12);
  assert_close(2 * 4 * share[1], 4, 1e-12);

  // numbers that are not finite are refused, and the output is unchanged
  const double far = INFINITY;
  assert_int_equal(dm_impulse_shares_find(w, &q, &far, share), DM_NOT_FINITE);
  assert_close(share[1], 0.5, 1e-12);
  dm_impulse_shares_free(w);
  dm_constraints_free(rods);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_supports_share_a_force),
      cmocka_unit_test(order_does_not_matter),
      cmocka_unit_test(moments_share_by_the_robots_length),
      cmocka_unit_test(rods_share_by_their_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

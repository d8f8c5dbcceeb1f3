// The tree's Lagrangian: its derivatives by the order of their differences, its symmetries.
#include "tests/support/derivatives.h"

static void derivatives_are_exact(void **state) {
  (void)state;
  derivatives_check(models_pendulum(), 7);
  derivatives_check(models_cart_pole(), 7);
  derivatives_check(models_chain(12, 0.4, 0), 7);
  for (uint64_t seed = 1; seed <= 6; seed++) {
    derivatives_check(models_random_tree(9, false, seed), 7);
    derivatives_check(models_random_tree(9, true, seed), 7);
  }
}

static void energies(const dm_model *m, const double *q, const double *v, double *kinetic,
                     double *potential) {
  dm_system s = dm_system_of(m);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  assert_int_equal(dm_energies(c, q, v, kinetic, potential), DM_OK);
  dm_continuous_free(c);
}

static void cart_pole_is_the_textbook_formula(void **state) {
  (void)state;
  bench b;
  open_bench(&b, models_cart_pole(), 7);
  double th = b.x[1], xd = b.x[2], thd = b.x[3], m = 0.3, l = 0.5;
  assert_int_equal(b.L.eval(b.m, b.scratch, 2, b.x, b.x + 2, &b.jet), DM_OK);
  double L = 0.5 * (1 + m) * xd * xd - m * l * cos(th) * xd * thd + 0.5 * m * l * l * thd * thd +
             m * 9.81 * l * cos(th);
  assert_close(b.jet.L, L, 1e-14);
  assert_close(b.jet.L_vv[1], -m * l * cos(th), 1e-15);
  assert_close(b.jet.L_qq[3], m * l * cos(th) * xd * thd - m * 9.81 * l * cos(th), 1e-14);
  double kinetic, potential;
  energies(b.m, b.x, b.x + 2, &kinetic, &potential);
  assert_close(kinetic - potential, L, 1e-14);
  close_bench(&b);
}

// a mimic joint equals the same tree in independent coordinates, restricted to q = ratio q' + shift
static void mimic_is_a_restriction(void **state) {
  (void)state;
  bench a, b;
  open_bench(&a, models_random_tree(9, true, 3), 7);
  open_bench(&b, models_random_tree(9, false, 3), 7);
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
  open_bench(&a, models_make(&(dm_tree){.nbody = 3, .ncoord = 8, .body = body, .coord = c}), 7);
  open_bench(&b, models_make(&(dm_tree){.nbody = 3, .ncoord = 8, .body = body, .coord = c}), 7);
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
  open_bench(&b,
             models_make(&(dm_tree){
                 .nbody = 2, .ncoord = 2, .body = body, .coord = c, .gravity = {0, 0, -10}}),
             7);
  const double q[] = {7, 4}, v[] = {1, 3};
  double kinetic, potential;
  energies(b.m, q, v, &kinetic, &potential);
  assert_close(kinetic, 0.5 * 1 + 0.5 * 1.5 * 9, 1e-12);
  assert_close(potential, 10 * (2 * 3 + 1 * 4.25), 1e-12);
  assert_int_equal(b.L.eval(b.m, b.scratch, 1, q, v, &b.jet), DM_OK);
  assert_close(b.jet.L, kinetic - potential, 1e-12);
  close_bench(&b);
}

// A rotor that two joints turn, one of them followed by a copy, is energy of its own rate; with it
// derivatives stay exact, and one that is locked does not turn it.
static void rotors_tie_coordinates(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("a", false, 0, 1, 0), models_coord("b", false, 1, 0, 0),
                       models_coord("copy", false, 0, 0, 1), models_coord("held", true, 0, 0, 1)};
  c[2].mimic = 0, c[2].ratio = -2, c[2].shift = 0.1, c[3].locked = true, c[3].value = 0.3;
  dm_body body[] = {{"one", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0.1, 0.2, 0.3}},
                    {"two", 0, dm_identity, 1, 2, 1, {0.2, 0, -1}, {0.1, 0.2, 0.3}},
                    {"three", -1, dm_identity, 3, 1, 1, {0}, {0}}};
  const dm_rotor rotor = {"gear", 0.4, 4, (int[]){0, 1, 2, 3}, (double[]){1, 3, 0.25, 9}};
  dm_tree t = {.nbody = 3, .ncoord = 4, .body = body, .coord = c, .gravity = {0, 0, -10}};
  bench bare, tied;
  open_bench(&bare, models_make(&t), 7);
  t.nrotor = 1;
  t.rotor = &rotor;
  open_bench(&tied, models_make(&t), 7);
  derivatives_check_of(&tied.L, 3);
  const double q[] = {0.3, -0.7}, v[] = {1.5, -0.6}, rate = (1 - 0.5) * v[0] + 3 * v[1];
  assert_int_equal(bare.L.eval(bare.m, bare.scratch, 2, q, v, &bare.jet), DM_OK);
  assert_int_equal(tied.L.eval(tied.m, tied.scratch, 2, q, v, &tied.jet), DM_OK);
  assert_close(tied.jet.L, bare.jet.L + 0.5 * 0.4 * rate * rate, 1e-13);
  assert_close(tied.jet.L_vv[1], bare.jet.L_vv[1] + 0.4 * 0.5 * 3, 1e-13);
  assert_close(tied.jet.L_vv[3], bare.jet.L_vv[3] + 0.4 * 9, 1e-13);

  // the same to inverse dynamics, whose tau is M a at rest without gravity
  dm_inverse *w;
  const double rest[2] = {0}, a[] = {0.7, 1.1};
  assert_int_equal(dm_inverse_new(&w, tied.m, NULL), DM_OK);
  assert_int_equal(dm_inverse_eval(w, 1, q, rest, a), DM_OK);
  const double base[] = {w->tau[0], w->tau[1]};
  assert_int_equal(dm_inverse_eval(w, 0, q, rest, rest), DM_OK);
  for (int i = 0; i < 2; i++)
    assert_close(base[i] - w->tau[i], tied.jet.L_vv[2 * i] * a[0] + tied.jet.L_vv[2 * i + 1] * a[1],
                 1e-12);
  dm_inverse_free(w);
  close_bench(&bare), close_bench(&tied);
}

static void bad_trees_are_named(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("a", false, 0, 1, 0), models_coord("b", false, 0, 1, 0)};
  dm_body b[] = {{"one", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0}},
                 {"two", 0, dm_identity, 1, 1, 1, {0, 0, -1}, {0}}};
  dm_tree tree = {.nbody = 2, .ncoord = 2, .body = b, .coord = c, .gravity = {0, 0, -9.81}};
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
  REFUSED("'two' comes before its parent, expected it after");
  b[1].parent = 0, c[1].name = "a";
  REFUSED("two coordinates are named 'a'");
  c[1].name = "b", c[1].mimic = 7;
  REFUSED("'b' mimics one that does not exist");
  c[1].mimic = 0, c[1].ratio = 0;
  REFUSED("'b': ratio");
  c[1].mimic = -1, c[1].axis[1] = 0;
  REFUSED("'b': its axis must have length 1, got 0");
  c[1].axis[1] = 1;
  c[1].locked = true;
  c[1].value = INFINITY;
  REFUSED("'b': it is locked at inf");
  c[1].value = 0;
  c[1].kinematic = true;
  REFUSED("'b' is locked and kinematic");
  c[1].kinematic = false;
  const dm_input motor = {"motor", 1, -1, 1};
  tree.ninput = 1;
  tree.input = &motor;
  REFUSED("'motor' acts on 'b', which is locked");
  tree.ninput = 0;
  c[0].locked = true;
  REFUSED("nothing in this model can move");
  c[0].locked = c[1].locked = false;
  assert_int_equal(dm_model_new(&m, &tree, &msg), DM_OK);
  dm_model_free(m);
}

// what cannot be stepped can be looked at, with the reason; what is wrong is refused all the same
static void a_draft_says_what_it_lacks(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("a", false, 0, 1, 0)};
  dm_body b[] = {{"one", -1, dm_identity, 0, 1, 0, {0, 0, -1}, {0}}};
  dm_tree tree = {.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.81}};
  dm_model *m = NULL;
  dm_message why, msg;
  assert_int_equal(dm_model_draft(&m, &tree, &why, &msg), DM_OK);
  assert_non_null(strstr(why.text, "'a' moves no inertia"));
  dm_model_free(m);
  b[0].mass = 1;
  assert_int_equal(dm_model_draft(&m, &tree, &why, &msg), DM_OK);
  assert_string_equal(why.text, "");
  dm_model_free(m);
  c[0].locked = true;
  assert_int_equal(dm_model_draft(&m, &tree, &why, &msg), DM_OK);
  assert_string_equal(why.text, "nothing in this model can move");
  assert_int_equal(m->nq, 0);
  dm_model_free(m);
  m = NULL;
  b[0].mass = -1;
  assert_int_equal(dm_model_draft(&m, &tree, &why, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "'one': mass must be >= 0"));
  assert_null(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(cart_pole_is_the_textbook_formula),
      cmocka_unit_test(mimic_is_a_restriction),
      cmocka_unit_test(far_from_the_origin_no_digits_are_lost),
      cmocka_unit_test(energies_are_whole),
      cmocka_unit_test(rotors_tie_coordinates),
      cmocka_unit_test(bad_trees_are_named),
      cmocka_unit_test(a_draft_says_what_it_lacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

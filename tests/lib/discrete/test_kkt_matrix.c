// Where a step has no solution or no derivative (paper 001, section VII): what is singular is
// named, with its condition number and what its null vector moves; just beside, all is well.
#include "tests/support/cartesian.h"

#include <float.h>

// phi about the vertical, then theta from it, a mass of 1 kg at 1 m
static dm_model *spherical_pendulum(void) {
  dm_coordinate c[] = {models_coord("phi", false, 0, 0, 1), models_coord("theta", false, 0, 1, 0)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 2, 1, {0, 0, -1}, {0}}};
  return models_make(
      &(dm_tree){.nbody = 1, .ncoord = 2, .body = b, .coord = c, .gravity = {0, 0, -9.8}});
}

static void assert_says(const dm_message *msg, const char *text) {
  if (!strstr(msg->text, text)) fail_msg("got \"%s\", wanted \"%s\"", msg->text, text);
}

static const double pi = 3.14159265358979323846, h = 0.1;

// det M1 = m^2 r^3 sin^2(mean) (...) / (4 h^2) vanishes where the two polar angles add up to an
// even multiple of pi; at odd ones, which the paper has as well, nothing happens
static void a_spherical_pendulum_is_singular_where_angles_add_up_to_2_pi(void **state) {
  (void)state;
  dm_model *m = spherical_pendulum();
  dm_system s = dm_system_of(m);
  const char *const *name = (const char *const *)m->name;
  dm_linearize *lin;
  dm_message msg;
  double A[16];
  const double dphi = 0.05;
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  for (int n = -4; n <= 4; n++) {
    double mean = n * pi / 2, q0[] = {0, mean - 0.1}, q1[] = {dphi, mean + 0.1};
    dm_status status = dm_linearize_step(lin, q0, q1, NULL, NULL, h, A, NULL);
    assert_int_equal(status, n % 2 ? DM_OK : DM_SINGULAR);
    if (status == DM_OK) continue;
    assert_true(lin->k->condition > 1 / (2 * DBL_EPSILON));
    assert_int_equal(dm_linearize_explain(&msg, status, lin, 5, name), DM_SINGULAR);
    assert_says(&msg, "no linearization at knot 5: M1 = D2 D1 Ld is singular (condition ");
    assert_says(&msg, ") along phi (1)");
    assert_null(strstr(msg.text, "theta"));
  }
  // beside it, by the closed form of the determinant, and with an inverse that is one
  for (int k = 1; k <= 7; k++) {
    double mean = pow(10, -k), q0[] = {0, mean - 0.1}, q1[] = {dphi, mean + 0.1};
    assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, NULL, h, A, NULL), DM_OK);
    const double *D = lin->d->D12;
    double bracket = h * h * 9.8 * cos(mean) + (2 + cos(2 * mean)) * dphi * dphi + 4;
    double det = pow(sin(mean), 2) / (4 * h * h) * bracket;
    assert_close((D[0] * D[3] - D[1] * D[2]) / det, 1, 4 * DBL_EPSILON / (mean * mean));
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        double sum = D[2 * i] * A[2 + j] + D[2 * i + 1] * A[6 + j];
        assert_close(sum, i == j ? -1 : 0, 8 * DBL_EPSILON / mean);
      }
  }
  // nearly there is there: the condition number is that of sin^2
  double q0[] = {0, 1e-9 - 0.1}, q1[] = {dphi, 1e-9 + 0.1};
  A[0] = 7;
  assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, NULL, h, A, NULL), DM_SINGULAR);
  assert_true(A[0] == 7);
  assert_true(lin->k->condition > 1e17 && lin->k->condition < 1e20);
  dm_linearize_free(lin);
  dm_model_free(m);
}

// The bracket of det M1, h^2 g cos(mean) + (2 + cos 2 mean) dphi^2 + 4, has a zero of its own where
// cos(mean) = -4/(g h^2): in steps longer than sqrt(4 r/g) alone, and only in a plane
static void long_steps_of_a_pendulum_have_singular_places_of_their_own(void **state) {
  (void)state;
  dm_model *m = spherical_pendulum();
  dm_system s = dm_system_of(m);
  dm_linearize *lin;
  double A[16];
  const double longest = sqrt(4 / 9.8), step = 1.1 * longest;
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);

  // there, and a little aside: in a plane, or turning about the vertical
  const double mean = acos(-4 / (9.8 * step * step));
  for (int aside = 0; aside < 3; aside++) {
    const double at = mean + (aside == 1 ? 0.01 : 0), q0[] = {0, at - 0.1};
    const double q1[] = {aside == 2 ? 0.05 : 0, at + 0.1};
    dm_status status = dm_linearize_step(lin, q0, q1, NULL, NULL, step, A, NULL);
    assert_int_equal(status, aside ? DM_OK : DM_SINGULAR);
  }

  // nowhere in a step just shorter
  for (int i = 1; i < 200; i++) {
    const double at = i * pi / 200, q0[] = {0, at - 0.1}, q1[] = {0, at + 0.1};
    assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, NULL, 0.999 * longest, A, NULL), DM_OK);
  }
  dm_linearize_free(lin);
  dm_model_free(m);
}

static void a_step_from_the_pole_names_the_angle_about_it(void **state) {
  (void)state;
  dm_model *m = spherical_pendulum();
  dm_system s = dm_system_of(m);
  dm_del *del;
  dm_del_info info;
  dm_message msg;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  double q0[] = {0.3, 0}, p0[] = {0, 0.1}, q1[] = {0.3, 0}, p1[] = {7, 7};
  assert_int_equal(dm_del_step(del, q0, p0, NULL, h, q1, p1, &info), DM_SINGULAR);
  assert_true(q1[0] == 0.3 && q1[1] == 0 && p1[0] == 7 && p1[1] == 7);
  assert_int_equal(info.worst, 0);
  assert_true(isinf(info.condition));
  dm_del_explain(&msg, DM_SINGULAR, del, &info, 7, (const char *const *)m->name);
  assert_string_equal(msg.text,
                      "no step from knot 7: M1 = D2 D1 Ld is singular (condition inf) along "
                      "phi (1)");
  dm_del_explain(&msg, DM_SINGULAR, del, &info, 7, NULL);
  assert_says(&msg, "along coordinate 0 (1)");
  // beside the pole the pendulum swings through it as if there were none
  double g = 9.8, p = 0.1, a0 = 1e-4, a1 = a0;
  for (int i = 0; i < 50; i++) a1 = a0 + h * (p - h * g / 2 * sin((a0 + a1) / 2));
  double q[] = {0.3, a0}, mu[] = {0, p}, next[] = {0.3, a0};
  assert_int_equal(dm_del_step(del, q, mu, NULL, h, next, mu, &info), DM_OK);
  assert_close(next[1], a1, 1e-14);
  assert_close(next[0], 0.3, 1e-14);
  dm_del_free(del);
  dm_model_free(m);
}

// Dh M1^-1 Dh' = -4 h/m (x0 x1 + z0 z1) vanishes for a turn by a right angle
static void a_turn_by_a_right_angle_is_singular(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_linearize *lin;
  dm_del *del;
  dm_del_info info;
  dm_message msg;
  double A[16], down[] = {0, -1}, side[] = {1, 0}, lambda[] = {0};
  assert_int_equal(dm_linearize_new(&lin, &w.s), DM_OK);
  A[0] = 7;
  assert_int_equal(dm_linearize_step(lin, down, side, NULL, lambda, h, A, NULL), DM_SINGULAR);
  assert_true(A[0] == 7);
  assert_true(isinf(lin->k->condition));
  dm_linearize_explain(&msg, DM_SINGULAR, lin, 2, (const char *const *)w.m->name);
  assert_string_equal(msg.text,
                      "no linearization at knot 2: Dh M1^-1 Dh' is singular (condition inf) "
                      "along constraint rod (1)");
  // rounding beside it, the condition number is one over the cosine of the turn
  double near[] = {sin(pi / 2), -cos(pi / 2)};
  assert_int_equal(dm_linearize_step(lin, down, near, NULL, lambda, h, A, NULL), DM_SINGULAR);
  assert_close(lin->k->condition * cos(pi / 2), 1, 1e-12);
  // beside it, variations of momentum stay on the circle, and what they ask of M1 is the rod's
  for (int k = 1; k <= 10; k++) {
    double turn = pi / 2 - pow(10, -k), q1[] = {sin(turn), -cos(turn)};
    assert_int_equal(dm_linearize_step(lin, down, q1, NULL, lambda, h, A, NULL), DM_OK);
    for (int j = 2; j < 4; j++) {
      double across = q1[0] * A[j] + q1[1] * A[4 + j];
      double along = -A[j] / h + (j == 2); // of x; the rod pulls along z at the start
      assert_close(across, 0, 1e-15 * pow(10, k));
      assert_close(along, 0, 1e-15 * pow(10, k));
    }
  }

  // a step that is asked to begin there, and one that passes close by: the momentum that turns the
  // pendulum by a1, p = sin(a1)/h
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  double a1 = 1.56, p[] = {sin(a1) / h, 0}, q1[] = {1, 0};
  del->lambda[0] = 3; // a guess that led nowhere is not one for the next step
  assert_int_equal(dm_del_step(del, down, p, NULL, h, q1, p, &info), DM_SINGULAR);
  assert_true(del->lambda[0] == 0);
  assert_true(q1[0] == 1 && p[0] == sin(a1) / h);
  assert_int_equal(info.worst, 2);
  dm_del_explain(&msg, DM_SINGULAR, del, &info, 3, NULL);
  assert_says(&msg,
              "no step from knot 3: Dh M1^-1 Dh' is singular (condition inf) along constraint "
              "rod (1)");
  q1[0] = sin(1.5), q1[1] = -cos(1.5);
  assert_int_equal(dm_del_step(del, down, p, NULL, h, q1, p, &info), DM_OK);
  assert_close(q1[0], sin(a1), 1e-13);
  assert_close(q1[1], -cos(a1), 1e-11);
  dm_linearize_free(lin);
  dm_del_free(del);
  cartesian_free(&w);
}

// large against small masses, lengths and steps make no singularity
// where the constraints cannot be evaluated at the end of a step, none can start
static void no_step_starts_where_constraints_are_not_finite(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_kkt *k;
  const double far[] = {1e200, 0};
  assert_int_equal(dm_kkt_new(&k, &w.s), DM_OK);
  for (int i = 0; i < 2; i++) assert_int_equal(dm_kkt_end(k, far), DM_NOT_FINITE);
  assert_int_equal(dm_kkt_start(k, far), DM_NOT_FINITE);
  dm_kkt_free(k);
  cartesian_free(&w);
}

// a step that leaves the circle out of reach: the rod is off in its own unit
static void a_step_out_of_reach_names_the_rod(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_del *del;
  dm_del_info info;
  dm_message msg;
  double q[] = {1, 0}, p[] = {0, 7}, q1[] = {1, 7}; // 7 m up, when the rod can pull sideways only
  assert_int_equal(dm_del_new(&del, &w.s, &(dm_del_settings){.max_iter = 0, .tol = 1e-13}), DM_OK);
  assert_int_equal(dm_del_step(del, q, p, NULL, 1, q1, p, &info), DM_MAX_ITER);
  dm_del_explain(&msg, DM_MAX_ITER, del, &info, 3, NULL);
  assert_says(&msg, "no step from knot 3: Newton left a residual of 49 in constraint rod after 0 "
                    "iterations");
  dm_del_free(del);
  cartesian_free(&w);
}

static void units_make_no_singularity(void **state) {
  (void)state;
  static const double mass[] = {1e-9, 1, 1e9}, length[] = {1e-3, 1, 1e3}, step[] = {1e-6, 1};
  for (int i = 0; i < COUNT(mass); i++)
    for (int j = 0; j < COUNT(length); j++)
      for (int k = 0; k < COUNT(step); k++) {
        cartesian w = cartesian_of(mass[i], length[j]);
        dm_linearize *lin;
        double A[16], lambda[] = {0}, l = length[j];
        double q0[] = {0, -l}, q1[] = {l * sin(0.1), -l * cos(0.1)};
        assert_int_equal(dm_linearize_new(&lin, &w.s), DM_OK);
        assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, lambda, step[k], A, NULL), DM_OK);
        assert_null(lin->k->singular);
        dm_linearize_free(lin);
        cartesian_free(&w);
      }
}

// L = v'M v / 2, M [2 x 2] constant
static dm_status plain_eval(const void *self, void *scratch, int order, const double *q,
                            const double *v, dm_jet *out) {
  const double *M = self, zero[4] = {0};
  (void)scratch, (void)q, (void)order;
  for (int i = 0; i < 2; i++) out->L_q[i] = 0, out->L_v[i] = M[2 * i] * v[0] + M[2 * i + 1] * v[1];
  out->L = 0.5 * (v[0] * out->L_v[0] + v[1] * out->L_v[1]);
  memcpy(out->L_qq, zero, sizeof zero), memcpy(out->L_qv, zero, sizeof zero);
  memcpy(out->L_vv, M, sizeof zero);
  return DM_OK;
}

static dm_system plain(const double *M) {
  static const unsigned char mask[4] = {1, 1, 1, 1};
  return (dm_system){.L = {.nq = 2, .mask = mask, .self = M, .eval = plain_eval},
                     .rule = {.points = 1, .weight = {1}, .at = {0.5}, .left = 0.5}};
}

// a mass that two coordinates move alike: a q0 + b q1 with a = 1, b = 4 moves, its normal does not
static void a_null_vector_has_sizes_and_signs(void **state) {
  (void)state;
  const double M[] = {1, 4, 4, 16};
  static const char *const name[] = {"near", "far"};
  dm_system s = plain(M);
  dm_linearize *lin;
  dm_message msg;
  double A[16], q[2] = {0};
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_linearize_step(lin, q, q, NULL, NULL, h, A, NULL), DM_SINGULAR);
  assert_close(lin->k->null[0], 1, 0);
  assert_close(lin->k->null[1], -0.25, 1e-14);
  dm_linearize_explain(&msg, DM_SINGULAR, lin, 0, name);
  assert_says(&msg, "M1 = D2 D1 Ld is singular (condition ");
  assert_says(&msg, ") along near (1), far (-0.25)");
  dm_linearize_free(lin);
}

// h = self[0] q0 - q0^2 + self[1] q1
static dm_status belt_eval(const void *self, void *scratch, const double *q, double *out,
                           double *Dh) {
  const double *c = self;
  (void)scratch;
  out[0] = c[0] * q[0] - q[0] * q[0] + c[1] * q[1];
  if (Dh) Dh[0] = c[0] - 2 * q[0], Dh[1] = c[1];
  return DM_OK;
}
static dm_status belt_contract(const void *self, void *scratch, const double *q,
                               const double *lambda, double *H) {
  (void)self, (void)scratch, (void)q;
  H[0] -= 2 * lambda[0];
  return DM_OK;
}

// M1 is singular there, and constraints make up for it, or do not
static void constraints_carry_what_has_no_inertia(void **state) {
  (void)state;
  static const char *const name[] = {"slide", "wheel"};
  const double M[4] = {1};
  double c[] = {2, -1};
  dm_system s = plain(M);
  s.hol = (dm_holonomic){.nc = 1, .self = c, .eval = belt_eval, .contract = belt_contract};
  dm_linearize *lin;
  dm_del *del;
  dm_del_info info;
  dm_message msg;
  double A[16], lambda[] = {0}, q0[] = {0.1, 0.19}, p0[] = {0.5, 0}, q1[] = {0.1, 0.19}, p1[2];
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_del_step(del, q0, p0, NULL, h, q1, p1, &info), DM_OK);
  assert_close(q1[0], 0.1 + h * 0.5, 1e-15);
  assert_close(q1[1], 2 * q1[0] - q1[0] * q1[0], 1e-15);
  assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, lambda, h, A, NULL), DM_OK);
  assert_close(A[2], h, 1e-15);                   // dq0/dp0
  assert_close(A[6], h * (2 - 2 * q1[0]), 1e-15); // dq1/dp0, along the constraint
  c[1] = 0;
  assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, lambda, h, A, NULL), DM_SINGULAR);
  dm_linearize_explain(&msg, DM_SINGULAR, lin, 4, name);
  assert_string_equal(msg.text,
                      "no linearization at knot 4: M1 = D2 D1 Ld, with the constraints, is "
                      "singular (condition inf) along wheel (1)");
  dm_linearize_free(lin);
  dm_del_free(del);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spherical_pendulum_is_singular_where_angles_add_up_to_2_pi),
      cmocka_unit_test(long_steps_of_a_pendulum_have_singular_places_of_their_own),
      cmocka_unit_test(a_step_from_the_pole_names_the_angle_about_it),
      cmocka_unit_test(a_null_vector_has_sizes_and_signs),
      cmocka_unit_test(a_turn_by_a_right_angle_is_singular),
      cmocka_unit_test(no_step_starts_where_constraints_are_not_finite),
      cmocka_unit_test(a_step_out_of_reach_names_the_rod),
      cmocka_unit_test(units_make_no_singularity),
      cmocka_unit_test(constraints_carry_what_has_no_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

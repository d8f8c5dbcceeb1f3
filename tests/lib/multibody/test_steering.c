// Steering: a force across the velocity does no work and keeps the energy, along any inputs; what it
// does to a free particle is known to the last digit.
#include "tests/support/forces.h"

// a bead of 2 kg in space, and what steers it
typedef struct bead {
  dm_model *m;
  dm_loads *loads;
  dm_system s;
} bead;

static bead make_bead(int nplanes, const dm_plane *plane) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0),
                       models_coord("z", true, 0, 0, 1)};
  dm_body b[] = {{"bead", -1, dm_identity, 0, 3, 2, {0}, {0}}};
  const dm_load wire = {
      .name = "wire", .kind = DM_STEERING, .driven = true, .nplanes = nplanes, .plane = plane};
  bead x = {.m = models_make(&(dm_tree){.nbody = 1, .ncoord = 3, .body = b, .coord = c})};
  assert_int_equal(dm_loads_new(&x.loads, x.m, 1, &wire, NULL), DM_OK);
  x.s = dm_system_of(x.m);
  dm_system_add_force(&x.s, dm_loads_force(x.loads));
  return x;
}

static void free_bead(bead *x) {
  dm_loads_free(x->loads);
  dm_model_free(x->m);
}

static double square(const double *p) {
  return p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
}

static const dm_plane two_planes[] = {{{0, 1}, 1}, {{1, 2}, -0.6}};

// f.v = 0, and of a step both impulses are at right angles to its way, whatever u and h are
static void no_work_is_done(void **state) {
  (void)state;
  bead x = make_bead(2, two_planes);
  dm_interval *d;
  uint64_t r = 5;
  assert_int_equal(dm_interval_new(&d, &x.s), DM_OK);
  for (int rule = 0; rule < 4; rule++) {
    assert_int_equal(dm_rule_set(&x.s.rule, rule % 2 ? "trapezoid" : "midpoint", 0.5,
                                 rule / 2 ? "left" : "midpoint", NULL),
                     DM_OK);
    dm_interval_free(d);
    assert_int_equal(dm_interval_new(&d, &x.s), DM_OK);
    for (int k = 0; k < 20; k++) {
      double q[6], u = 0, h = 0.5 + 0.4 * models_random(&r), D[2][6];
      for (int i = 0; i < 6; i++) q[i] = models_random(&r);
      for (int on = 0; on < 2; on++) {
        u = on * 10 * models_random(&r);
        assert_int_equal(dm_interval_eval(d, 1, q, q + 3, &u, h), DM_OK);
        memcpy(D[on], d->D1, 3 * sizeof(double));
        memcpy(D[on] + 3, d->D2, 3 * sizeof(double));
      }
      for (int side = 0; side < 2; side++) {
        double work = 0, size = 0;
        for (int i = 0; i < 3; i++) {
          const double f = D[1][3 * side + i] - D[0][3 * side + i];
          work += f * (q[3 + i] - q[i]);
          size += fabs(f);
        }
        assert_close(work, 0, 1e-14 * (1 + size));
        assert_true(size > 0 || (rule / 2 && side));
      }
    }
  }
  dm_interval_free(d);
  free_bead(&x);
}

// |p| after a thousand steps of any length under any inputs
static void energy_is_kept(void **state) {
  (void)state;
  bead x = make_bead(2, two_planes);
  dm_del *w;
  dm_del_info info;
  uint64_t r = 9;
  double q[3] = {0}, p[3] = {1, -2, 0.5}, q1[3], p1[3];
  const double E = square(p);
  assert_int_equal(dm_del_new(&w, &x.s, NULL), DM_OK);
  for (int k = 0; k < 1000; k++) {
    const double u = 20 * models_random(&r), h = 0.05 + 0.04 * models_random(&r);
    memcpy(q1, q, sizeof q);
    assert_int_equal(dm_del_step(w, q, p, &u, h, q1, p1, &info), DM_OK);
    memcpy(q, q1, sizeof q);
    memcpy(p, p1, sizeof p);
  }
  assert_close(square(p), E, 1e-11 * E);
  dm_del_free(w);
  free_bead(&x);
}

// Under a u that stays the momentum turns by 2 atan(u h / 2m) in each step, from x towards y: Cayley's
// map, which of the circle's u h / m is off by its cube.
static void a_step_turns_by_cayleys_angle(void **state) {
  (void)state;
  const dm_plane plane[] = {{{0, 1}, 1}};
  bead x = make_bead(1, plane);
  dm_del *w;
  dm_del_info info;
  const double u = 3, h = 0.2, mass = 2, angle = 2 * atan(u * h / (2 * mass));
  double q[3] = {0}, p[3] = {4, 0, 1}, q1[3] = {0}, p1[3];
  assert_int_equal(dm_del_new(&w, &x.s, NULL), DM_OK);
  for (int k = 1; k <= 30; k++) {
    assert_int_equal(dm_del_step(w, q, p, &u, h, q1, p1, &info), DM_OK);
    memcpy(q, q1, sizeof q);
    memcpy(p, p1, sizeof p);
    assert_close(p[0], 4 * cos(k * angle), 1e-12);
    assert_close(p[1], 4 * sin(k * angle), 1e-12);
    assert_close(p[2], 1, 1e-13);
  }
  dm_del_free(w);
  free_bead(&x);
}

static void wrong_planes_are_refused(void **state) {
  (void)state;
  static const dm_plane wrong[] = {{{0, 0}, 1}, {{0, 3}, 1}, {{-1, 0}, 1}, {{0, 1}, NAN}};
  dm_model *m = models_chain(3, 1, 0);
  for (int i = 0; i < COUNT(wrong); i++) {
    const dm_load x = {.name = "wire", .kind = DM_STEERING, .nplanes = 1, .plane = &wrong[i]};
    dm_loads *loads = NULL;
    dm_message msg = {""};
    assert_int_equal(dm_loads_new(&loads, m, 1, &x, &msg), DM_BAD_INPUT);
    assert_non_null(strstr(msg.text, "'wire'"));
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_work_is_done),
      cmocka_unit_test(energy_is_kept),
      cmocka_unit_test(a_step_turns_by_cayleys_angle),
      cmocka_unit_test(wrong_planes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

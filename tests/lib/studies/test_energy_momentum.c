// The energy-momentum method of any system: energy and momenta are kept to rounding, errors are of
// second order, a pair's forces are Gonzalez's, forces do the work that they do.
#include "lib/studies/energy_momentum.h"

#include "lib/base/dense.h"
#include "lib/multibody/tree_lagrangian.h"
#include "tests/support/ball.h"
#include "tests/support/spherical.h"

enum { MOST = 16 };

// a moving system, with its conserved quantities
typedef struct rolled {
  dm_system s;
  dm_momentum_map map;
  double gravity[3];
  bool quaternions, kept[DM_MOMENTA];
  double q[MOST], p[MOST];   // now
  double energy, mu[6];      // of the start
  double energy_off, mu_off; // the largest changes, of the momenta that are kept
  dm_energy_momentum *w;
} rolled;

static double energy_of(const rolled *x, const double *q, const double *p) {
  double v[MOST] = {0}, H;
  dm_system s = x->s;
  dm_continuous *c;
  s.physical = NULL;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  assert_int_equal(dm_velocity_of(c, q, p, v), DM_OK);
  if (x->quaternions) assert_int_equal(dm_velocity_restrict(c, q, v), DM_OK);
  assert_int_equal(dm_energy(c, q, v, &H), DM_OK);
  dm_continuous_free(c);
  return H;
}

static void momenta_of(const rolled *x, double mu[6]) {
  double v[MOST] = {0};
  void *scratch = aligned_alloc(64, (x->map.scratch + 64) & ~(size_t)63);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &x->s), DM_OK);
  assert_int_equal(dm_velocity_of(c, x->q, x->p, v), DM_OK);
  x->map.eval(x->map.self, scratch, x->q, v, mu);
  dm_continuous_free(c);
  free(scratch);
}

// at q with the velocity v
static void begin(rolled *x, const double *q, const double *v) {
  const size_t bytes = (size_t)x->s.L.nq * sizeof *q;
  dm_continuous *c;
  memcpy(x->q, q, bytes);
  assert_int_equal(dm_continuous_new(&c, &x->s), DM_OK);
  assert_int_equal(dm_momentum_of(c, q, v, x->p), DM_OK);
  dm_continuous_free(c);
  x->energy = energy_of(x, x->q, x->p);
  x->energy_off = x->mu_off = 0;
  memset(x->kept, 0, sizeof x->kept);
  if (!x->map.eval) return;
  assert_int_equal(dm_kept_momenta(&x->s, NULL, &x->map, x->gravity, q, false, x->kept), DM_OK);
  momenta_of(x, x->mu);
}

static void roll(rolled *x, double h, int N) {
  double q1[MOST];
  const size_t bytes = (size_t)x->s.L.nq * sizeof *q1;
  dm_energy_momentum_settings set = {
      .del = dm_del_default(), .at_knots = x->quaternions, .momentum = x->map};
  memcpy(set.kept, x->kept, sizeof set.kept);
  memcpy(set.gravity, x->gravity, sizeof set.gravity);
  assert_int_equal(dm_energy_momentum_new(&x->w, &x->s, &set), DM_OK);
  for (int k = 0; k < N; k++) {
    memcpy(q1, x->q, bytes);
    assert_int_equal(dm_energy_momentum_step(x->w, x->q, x->p, NULL, h, q1, x->p), DM_OK);
    memcpy(x->q, q1, bytes);
    x->energy_off = fmax(x->energy_off, fabs(energy_of(x, x->q, x->p) - x->energy));
    if (!x->map.eval) continue;

    // of the upward moment, with gravity along -z, that about z
    double mu[6];
    momenta_of(x, mu);
    for (int i = 0; i < DM_MOMENTA; i++) {
      int at = i == 3 ? 2 : i > 3 ? i - 1 : i;
      if (x->kept[i]) x->mu_off = fmax(x->mu_off, fabs(mu[at] - x->mu[at]));
    }
  }
  dm_energy_momentum_free(x->w);
}

// errors after T in N and 2 N steps, against many: their ratio
static double find_order(rolled *x, const double *q, const double *v, double T, int N) {
  double end[3][MOST], error[2] = {0};
  const int steps[] = {N, 2 * N, 32 * N};
  for (int i = 0; i < 3; i++) {
    begin(x, q, v);
    roll(x, T / steps[i], steps[i]);
    memcpy(end[i], x->q, sizeof end[i]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < x->s.L.nq; j++) error[i] += pow(end[i][j] - end[2][j], 2);
  return sqrt(error[0] / error[1]);
}

// -- mass matrices that change: a chain of links in angles

static void chains_keep_their_energy(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 0.7, 0);
  rolled x = {.s = dm_system_of(m), .map = dm_tree_momentum_map(m)};
  const double q[] = {1, 0.5, -0.4}, v[] = {0.5, -1, 2};
  x.s.nu = 0;
  begin(&x, q, v);
  roll(&x, 0.02, 1000);
  assert_true(x.energy_off < 2e-11);

  // the midpoint rule's moves by far more
  assert_close(find_order(&x, q, v, 1, 50), 4, 0.15);
  dm_model_free(m);
}

// -- potentials that are not quadratic, under constraints: a cord with a length of rest below the
// double spherical pendulum

static void cords_on_rods_keep_energy_and_moment(void **state) {
  (void)state;
  spherical w = spherical_new();
  dm_spring cord = {.tendon = {.name = "cord", .npoint = 2, .body = (int[]){1, -1}},
                    .law = dm_spring_law_linear(20, 1)};
  double point[2][3] = {{0, 0, 0}, {0, 0, -2.5}};
  cord.tendon.point = (const double(*)[3])point;
  dm_springs *springs;
  assert_int_equal(dm_springs_new(&springs, w.m, 1, &cord, NULL), DM_OK);
  w.s.L = dm_springs_lagrangian(springs);
  rolled x = {.s = w.s, .map = dm_tree_momentum_map(w.m), .gravity = {0, 0, -9.81}};
  const double v[] = {0, 1.5, 0, -1, 0, 0};
  begin(&x, w.q, v);
  assert_true(x.kept[3] && !x.kept[0] && !x.kept[6]);
  roll(&x, 0.05, 400);
  assert_true(x.energy_off < 1e-11);
  assert_true(x.mu_off < 1e-12);
  assert_close(find_order(&x, w.q, v, 1, 40), 4, 0.1);
  dm_springs_free(springs);
  spherical_free(&w);
}

// -- a pair of particles under Lennard-Jones forces: all momenta, and Gonzalez's formula

static double lennard_jones(const double *q) {
  double r = hypot(q[3] - q[0], hypot(q[4] - q[1], q[5] - q[2])), a = pow(r, -6);
  return 4 * (a * a - a);
}

static void a_pair_moves_by_gonzalez_s_forces(void **state) {
  (void)state;
  const char *name[] = {"x1", "y1", "z1", "x2", "y2", "z2"};
  dm_coordinate c[6];
  for (int i = 0; i < 6; i++)
    c[i] = models_coord(name[i], true, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  dm_body b[] = {{"one", -1, dm_identity, 0, 3, 1, {0}, {0}},
                 {"other", -1, dm_identity, 3, 3, 2, {0}, {0}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 2, .ncoord = 6, .body = b, .coord = c});
  dm_spring pair = {.tendon = {.name = "pair", .npoint = 2, .body = (int[]){0, 1}},
                    .law = dm_spring_law_lennard_jones(1, 1)};
  double point[2][3] = {{0}, {0}};
  pair.tendon.point = (const double(*)[3])point;
  dm_springs *springs;
  assert_int_equal(dm_springs_new(&springs, m, 1, &pair, NULL), DM_OK);
  rolled x = {.s = dm_system_of(m), .map = dm_tree_momentum_map(m)};
  x.s.L = dm_springs_lagrangian(springs);
  const double q[] = {0, 0, 0, 1.2, 0.3, -0.2}, v[] = {0.3, -0.2, 0.5, -0.4, 0.3, 0.1};
  begin(&x, q, v);
  for (int i = 0; i < DM_MOMENTA; i++) assert_true(x.kept[i] == (i != 3));
  roll(&x, 0.02, 1000);
  assert_true(x.energy_off < 1e-12);
  assert_true(x.mu_off < 1e-11); // 14 m apart by then

  // p1 - p0 = -h (phi(r1) - phi(r0)) / (|r1|^2 - |r0|^2) times 2 r of the middle, of the other
  // particle
  double p0[6], q0[6], r[3][3];
  begin(&x, q, v);
  memcpy(q0, x.q, sizeof q0);
  memcpy(p0, x.p, sizeof p0);
  roll(&x, 0.1, 1);
  for (int i = 0; i < 3; i++) {
    r[0][i] = q0[3 + i] - q0[i];
    r[1][i] = x.q[3 + i] - x.q[i];
    r[2][i] = (r[0][i] + r[1][i]) / 2;
  }
  double slope = (lennard_jones(x.q) - lennard_jones(q0)) /
                 (dm_inner(3, r[1], r[1]) - dm_inner(3, r[0], r[0]));
  for (int i = 0; i < 3; i++) {
    assert_close(x.p[3 + i] - p0[3 + i], -0.1 * slope * 2 * r[2][i], 1e-12);
    assert_close(x.p[i] - p0[i], 0.1 * slope * 2 * r[2][i], 1e-12);
  }
  dm_springs_free(springs);
  dm_model_free(m);
}

// -- rigid bodies in unit quaternions

// a top about its foot, and free bodies on ball joints
static void tops_keep_energy_and_moment(void **state) {
  (void)state;
  dm_coordinate c[] = {BALL("top")};
  dm_body b[] = {{"top", -1, dm_identity, 0, 3, 1.5, {0.1, 0.05, 0.4}, {0.2, 0.25, 0.1}}};
  ball_machine w;
  ball_make(&w, &(dm_tree){.nbody = 1, .ncoord = 3, .body = b, .coord = c, .gravity = {0, 0, -9.8}},
            0, NULL, 0, NULL);
  rolled x = {
      .s = w.s, .quaternions = true, .map = dm_ball_momentum_map(w.tree), .gravity = {0, 0, -9.8}};
  double q[4], v[4];
  uint64_t seed = 4;
  ball_random(w.model, &seed, q, v);
  for (int i = 0; i < 4; i++) v[i] *= 2;
  begin(&x, q, v);
  assert_true(x.kept[3]);
  roll(&x, 0.02, 1000);
  assert_true(x.energy_off < 2e-11);
  assert_true(x.mu_off < 1e-11);
  assert_close(dm_inner(4, x.q, x.q), 1, 1e-11);
  assert_close(find_order(&x, q, v, 1, 50), 4, 0.15);
  ball_free(&w);
}

// a base that floats, with an arm and a leg: 16 coordinates under three constraints
static void what_floats_keeps_all_momenta(void **state) {
  (void)state;
  dm_tree tree = ball_astronaut(0);
  ball_machine w;
  tree.ninput = 0;
  ball_make(&w, &tree, 0, NULL, 0, NULL);
  rolled x = {.s = w.s, .quaternions = true, .map = dm_ball_momentum_map(w.tree)};
  double q[MOST], v[MOST];
  uint64_t seed = 8;
  assert_int_equal(w.model->nq, MOST);
  ball_random(w.model, &seed, q, v);
  begin(&x, q, v);
  for (int i = 0; i < DM_MOMENTA; i++) assert_true(x.kept[i] == (i != 3));
  roll(&x, 0.02, 300);
  assert_true(x.energy_off < 1e-10);
  assert_true(x.mu_off < 1e-10);
  ball_free(&w);
}

// where nothing is to be corrected nothing is: the pendulum of particles, a free rigid body
static void quadratic_systems_are_left_alone(void **state) {
  (void)state;
  spherical w = spherical_new();
  rolled x = {.s = w.s, .map = dm_tree_momentum_map(w.m), .gravity = {0, 0, -9.81}};
  const double v[] = {0, 1.5, 0, -1, 0, 0};
  double q[6], p[6], q1[6];
  dm_del_settings set = dm_del_default();
  dm_del_info info;
  dm_del *del;
  begin(&x, w.q, v);
  memcpy(q, x.q, sizeof q);
  memcpy(p, x.p, sizeof p);
  set.energy_momentum = true;
  assert_int_equal(dm_del_new(&del, &w.s, &set), DM_OK);
  roll(&x, 0.05, 100);
  for (int k = 0; k < 100; k++) {
    memcpy(q1, q, sizeof q);
    assert_int_equal(dm_del_step(del, q, p, NULL, 0.05, q1, p, &info), DM_OK);
    memcpy(q, q1, sizeof q);
  }
  for (int i = 0; i < 6; i++) assert_close(x.q[i], q[i], 1e-11);
  assert_true(x.energy_off < 3e-12);
  dm_del_free(del);
  spherical_free(&w);

  // of a body turning freely all of the motion is along symmetric directions
  ball_machine body;
  ball_body(&body, 1, 2, 3);
  x = (rolled){.s = body.s, .quaternions = true, .map = dm_ball_momentum_map(body.tree)};
  begin(&x, (double[]){1, 0, 0, 0}, (double[]){0, 0.25, 0.5, 0.05});
  assert_true(x.kept[0] && x.kept[1] && x.kept[2]);
  roll(&x, 0.1, 200);
  assert_true(x.energy_off < 1e-12);
  assert_true(x.mu_off < 1e-12);
  ball_free(&body);
}

// damping takes h d v^2 a step, v over the step
static void forces_do_their_work(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  rolled x = {.s = dm_system_of(m)};
  double damping = 0.3, q1, before, taken, h = 0.05;
  x.s.nu = 0;
  x.s.damping = &damping;
  begin(&x, (double[]){1}, (double[]){2});
  dm_energy_momentum_settings set = {.del = dm_del_default()};
  assert_int_equal(dm_energy_momentum_new(&x.w, &x.s, &set), DM_OK);
  for (int k = 0; k < 100; k++) {
    before = energy_of(&x, x.q, x.p);
    q1 = x.q[0];
    assert_int_equal(dm_energy_momentum_step(x.w, x.q, x.p, NULL, h, &q1, x.p), DM_OK);
    taken = h * damping * pow((q1 - x.q[0]) / h, 2);
    x.q[0] = q1;
    assert_close(energy_of(&x, x.q, x.p), before - taken, 1e-13);
  }
  dm_energy_momentum_free(x.w);
  dm_model_free(m);
}

static void other_rules_are_refused(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_message msg;
  const bool kinematic = true;
  assert_int_equal(dm_energy_momentum_check(&s, &msg), DM_OK);
  s.nk = 1;
  s.kinematic = &kinematic;
  assert_int_equal(dm_energy_momentum_check(&s, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "found kinematic coordinates"));
  const char *const rule[] = {"trapezoid", "simpson", "lobatto-3", "midpoint"};
  for (int i = 0; i < COUNT(rule); i++) {
    assert_int_equal(dm_rule_set(&s.rule, rule[i], i == 3 ? 0.4 : 0.5, "midpoint", &msg), DM_OK);
    assert_int_equal(dm_energy_momentum_check(&s, &msg), DM_BAD_INPUT);
    assert_non_null(strstr(msg.text, "found another rule, expected midpoint"));
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_keep_their_energy),
      cmocka_unit_test(cords_on_rods_keep_energy_and_moment),
      cmocka_unit_test(a_pair_moves_by_gonzalez_s_forces),
      cmocka_unit_test(tops_keep_energy_and_moment),
      cmocka_unit_test(what_floats_keeps_all_momenta),
      cmocka_unit_test(quadratic_systems_are_left_alone),
      cmocka_unit_test(forces_do_their_work),
      cmocka_unit_test(other_rules_are_refused),
  };
  return cmocka_run_group_tests_name("energy_momentum", tests, NULL, NULL);
}

// Ball joints in unit quaternions: derivatives by their order, one rigid body against Moser and
// Veselov's equations, a tree against the same tree of plain turns, momenta.
#include "tests/support/ball.h"
#include "tests/support/derivatives.h"
#include "tests/support/forces.h"

#include "lib/discrete/assembly.h"

// armatures of base, shoulder and hip of the astronaut
static const double armatures[] = {0.3, 0.05, 0.7};

static void arm_balls(dm_tree *t) {
  static dm_coordinate c[16];
  static const int first[] = {3, 6, 10};
  memcpy(c, t->coord, (size_t)t->ncoord * sizeof *c);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) c[first[k] + i].armature = armatures[k];
  t->coord = c;
}

static void lagrangians_have_exact_derivatives(void **state) {
  (void)state;
  ball_machine w;
  ball_body(&w, 1, 2, 3);
  for (uint64_t seed = 1; seed < 4; seed++) derivatives_check_of(&w.s.L, seed);
  ball_free(&w);
  dm_tree t = ball_astronaut(-9.81);
  ball_make(&w, &t, 0, NULL, 0, NULL);
  for (uint64_t seed = 1; seed < 4; seed++) derivatives_check_of(&w.s.L, seed);
  ball_free(&w);
  arm_balls(&t);
  ball_make(&w, &t, 0, NULL, 0, NULL);
  for (uint64_t seed = 1; seed < 4; seed++) derivatives_check_of(&w.s.L, seed);
  ball_free(&w);
}

// L(q,v) of a machine
static double find_energy(const ball_machine *w, const double *q, const double *v) {
  double gradient[32] = {0};
  dm_jet jet = {.L_q = gradient, .L_v = gradient + 16};
  void *scratch = aligned_alloc(64, (w->s.L.scratch + 63) & ~(size_t)63);
  assert_int_equal(w->s.L.eval(w->s.L.self, scratch, 1, q, v, &jet), DM_OK);
  free(scratch);
  return jet.L;
}

// |w| = 2 |dq/dt| of a joint's own quaternion, whatever its body hangs on
static void armature_is_energy_of_the_joints_own_turn(void **state) {
  (void)state;
  dm_tree t = ball_astronaut(-9.81);
  ball_machine bare, armed;
  ball_make(&bare, &t, 0, NULL, 0, NULL);
  arm_balls(&t);
  ball_make(&armed, &t, 0, NULL, 0, NULL);
  uint64_t r = 7;
  for (int sample = 0; sample < 5; sample++) {
    double q[16], v[16], more = 0;
    ball_random(bare.model, &r, q, v);
    for (int k = 0; k < bare.model->nball; k++)
      for (int i = 0; i < 4; i++)
        more += 2 * armatures[k] * pow(v[bare.model->quaternion[k] + i], 2);
    assert_close(find_energy(&armed, q, v), find_energy(&bare, q, v) + more, 1e-13);
  }
  ball_free(&bare), ball_free(&armed);
}

static void steps_have_exact_derivatives(void **state) {
  (void)state;
  dm_tree t = ball_astronaut(-9.81);
  const dm_constraint c[] = {{.name = "rod",
                              .kind = DM_DISTANCE,
                              .body = {2, 3},
                              .point = {{.1, .2, -.1}, {-.2, .1, .2}},
                              .length = 0.9,
                              .coord = {-1, -1}},
                             {.name = "pin",
                              .kind = DM_POINT,
                              .body = {1, -1},
                              .point = {{.3, .2, -.1}, {-.4, .1, .2}},
                              .coord = {-1, -1}}};
  const dm_load f[] = {
      {.name = "torque",
       .kind = DM_WRENCH_BODY,
       .driven = true,
       .body = 3,
       .torque = {0.5, -0.7, 0.2}},
      {.name = "push", .kind = DM_WRENCH_MIXED, .body = 2, .force = {0.5, 0.7, 2}}};
  for (int nf = 0; nf < 3; nf++)
    for (int nc = 0; nc < 3; nc++) {
      ball_machine w;
      dm_tree bare = t;
      double y[FORCES_COLUMNS], v[FORCES_MOST];
      uint64_t r = 3;
      ball_make(&w, &bare, nc, c, nf, f);
      int n = w.s.L.nq;
      ball_random(w.model, &r, y, v);
      dm_message msg = {""};
      if (dm_assembly_project(&w.s, y, &msg) != DM_OK) fail_msg("%s", msg.text);
      for (int i = n; i < 2 * n + w.s.nu; i++) y[i] = models_random(&r);
      forces_check_step(&w.s, 0.05, y);
      ball_free(&w);
    }
}

// Moser and Veselov's equations, by fixed-point iteration on f, the turn of a step:
//   f0 J f + f x J f = (h/2) P0,  (h/2) P1 = f0 J f - f x J f,  q1 = q0 (f0,f)
static void moser_veselov(const double J[3], double h, double q[4], double P[3]) {
  double f[3], f0 = 1, c[3], r[4];
  for (int i = 0; i < 3; i++) f[i] = h / 2 * P[i] / J[i];
  for (int k = 0; k < 200; k++) {
    for (int i = 0; i < 3; i++) {
      int a = (i + 1) % 3, b = (i + 2) % 3;
      c[i] = f[a] * J[b] * f[b] - f[b] * J[a] * f[a];
    }
    for (int i = 0; i < 3; i++) f[i] = (h / 2 * P[i] - c[i]) / (f0 * J[i]);
    f0 = sqrt(1 - f[0] * f[0] - f[1] * f[1] - f[2] * f[2]);
  }
  for (int i = 0; i < 3; i++) P[i] = (f0 * J[i] * f[i] - c[i]) * 2 / h;
  r[0] = q[0] * f0 - q[1] * f[0] - q[2] * f[1] - q[3] * f[2];
  for (int i = 0; i < 3; i++) {
    int a = (i + 1) % 3, b = (i + 2) % 3;
    r[1 + i] = q[0] * f[i] + q[1 + i] * f0 + q[1 + a] * f[b] - q[1 + b] * f[a];
  }
  memcpy(q, r, sizeof r);
}

// vec(a conj-product b) = a0 bv - b0 av + sign av x bv, for conj(a) b (-1) and a conj(b) (+1 and so
// on)
static void vec_conj_left(const double a[4], const double b[4], double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[0] * b[1 + i] - b[0] * a[1 + i] - (a[1 + j] * b[1 + k] - a[1 + k] * b[1 + j]);
  }
}
static void vec_conj_right(const double a[4], const double b[4], double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = b[0] * a[1 + i] - a[0] * b[1 + i] - (a[1 + j] * b[1 + k] - a[1 + k] * b[1 + j]);
  }
}

static const double J[3] = {1, 2, 3}, momentum[3] = {0.5, 2, 0.3};

// A body turned from rest pose with that momentum: the reduced equations and those in R^4 agree;
// spatial momentum, the energy at knots and that at midpoints stay to tol, |q| to rounding. Returns
// the midpoint energy's offset; the last q in q.
static double turn_body(double h, int N, double tol, double q[4]) {
  ball_machine w;
  dm_del *del;
  double p[4] = {0}, r[4] = {1}, P[3], next[4], first = 0;
  ball_body(&w, J[0], J[1], J[2]);
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  memcpy(q, r, sizeof r), memcpy(P, momentum, sizeof P);
  for (int i = 0; i < 3; i++) p[1 + i] = 2 * P[i];
  for (int k = 0; k < N; k++) {
    double spatial[3], f[3], body[3], middle = 0, node = 0;
    dm_del_info info;
    memcpy(next, q, sizeof next);
    assert_int_equal(dm_del_step(del, q, p, NULL, h, next, p, &info), DM_OK);
    vec_conj_left(q, next, f);
    memcpy(q, next, sizeof next);
    moser_veselov(J, h, r, P);
    for (int i = 0; i < 4; i++) assert_close(q[i], r[i], 2e-12 + 1e-14 * k);
    vec_conj_right(p, q, spatial);
    vec_conj_left(q, p, body);
    for (int i = 0; i < 3; i++) {
      assert_close(spatial[i] / 2, momentum[i], tol);
      assert_close(body[i] / 2, P[i], 1e-11 + 1e-13 * k);
      middle += J[i] * f[i] * f[i] * 2 / (h * h);
      node += body[i] * body[i] / (8 * J[i]);
    }
    if (k == 0) first = middle;
    assert_close(middle, first, tol);
    assert_close(node, 1.14, tol);
    assert_close(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
  }
  dm_del_free(del);
  ball_free(&w);
  return first - 1.14;
}

static void one_body_is_moser_and_veselovs(void **state) {
  (void)state;
  // EXAMPLES of paper 004: offsets of the energy at midpoints, and errors of q, at T = 10
  const double offset[] = {1.422e-2, 3.490e-3, 8.684e-4}, error[] = {5.599e-2, 1.366e-2, 3.395e-3};
  double exact[4], q[4], fine[4];
  turn_body(0.00125, 8000, 1e-10, exact), turn_body(0.0025, 4000, 1e-10, fine);
  for (int i = 0; i < 4; i++) exact[i] += (exact[i] - fine[i]) / 3;
  for (int k = 0; k < 3; k++) {
    double h = 0.2 / (1 << k), sum = 0;
    assert_close(fabs(turn_body(h, (int)lround(10 / h), 2e-13, q)), offset[k], 6e-4 * offset[k]);
    for (int i = 0; i < 4; i++) sum += (q[i] - exact[i]) * (q[i] - exact[i]);
    assert_close(sqrt(sum), error[k], 6e-4 * error[k]);
  }
  turn_body(0.1, 20000, 2e-12, q);
}

// The same tree of plain turns about z, x, y, at the same pose and motion: the same L; and the
// steps' momenta in all three directions are kept where nothing weighs.
static void pose(const double turn[3], double q[4]) {
  double a = turn[0] / 2, b = turn[1] / 2, c = turn[2] / 2;
  const double z[4] = {cos(a), 0, 0, sin(a)}, x[4] = {cos(b), sin(b), 0, 0},
               y[4] = {cos(c), 0, sin(c), 0};
  double zx[4] = {z[0] * x[0], z[0] * x[1], z[3] * x[1], z[3] * x[0]};
  q[0] = zx[0] * y[0] - zx[2] * y[2];
  q[1] = zx[1] * y[0] - zx[3] * y[2];
  q[2] = zx[2] * y[0] + zx[0] * y[2];
  q[3] = zx[3] * y[0] + zx[1] * y[2];
}

static void trees_are_those_of_plain_turns(void **state) {
  (void)state;
  dm_tree t = ball_astronaut(-9.81), plain = t;
  dm_coordinate c[13];
  memcpy(c, t.coord, sizeof c);
  for (int i = 0; i < 13; i++) c[i].ball = false;
  plain.coord = c;
  ball_machine w;
  ball_make(&w, &t, 0, NULL, 0, NULL);
  dm_model *m = models_make(&plain);
  dm_lagrangian L = dm_tree_lagrangian(m);
  void *mine = aligned_alloc(64, w.s.L.scratch), *theirs = aligned_alloc(64, L.scratch);
  dm_jet a = jet_new(16), b = jet_new(13);
  uint64_t r = 4;
  for (int trial = 0; trial < 5; trial++) {
    double x[13], v[13], q[16], u[16], qt[13], vt[13];
    for (int i = 0; i < 13; i++) x[i] = 3 * models_random(&r), v[i] = models_random(&r);
    for (int i = 0; i < 13; i++) { // rates of quaternions by differences, exact enough
      int o = dm_ball_outside(w.tree, i);
      if (!dm_ball_owns(w.tree, i)) q[o] = x[i], u[o] = v[i];
      if (i != 3 && i != 6 && i != 10) continue;
      double before[4], after[4], e = 1e-4, ahead[3], behind[3], twice[2][4];
      for (int step = 1; step <= 2; step++) {
        for (int k = 0; k < 3; k++)
          ahead[k] = x[i + k] + step * e * v[i + k], behind[k] = x[i + k] - step * e * v[i + k];
        pose(ahead, after), pose(behind, before);
        for (int k = 0; k < 4; k++) twice[step - 1][k] = (after[k] - before[k]) / (2 * step * e);
      }
      pose(x + i, q + o);
      for (int k = 0; k < 4; k++) u[o + k] = (4 * twice[0][k] - twice[1][k]) / 3;
    }
    assert_int_equal(w.s.L.eval(w.s.L.self, mine, 1, q, u, &a), DM_OK);
    assert_int_equal(L.eval(L.self, theirs, 1, x, v, &b), DM_OK);
    assert_close(a.L, b.L, 1e-10 * (1 + fabs(b.L)));
    dm_ball_enter(w.tree, q, u, qt, vt); // and the sweeps of the tree see the same motion
    double mu[6], nu[6];
    dm_tree_momentum(m, theirs, x, v, mu);
    dm_tree_momentum(w.tree, theirs, qt, vt, nu);
    for (int i = 0; i < 6; i++) assert_close(mu[i], nu[i], 1e-10 * (1 + fabs(mu[i])));
    dm_momentum_map map = dm_ball_momentum_map(w.tree);
    void *lent = aligned_alloc(64, (map.scratch + 63) & ~(size_t)63);
    map.eval(map.self, lent, q, u, mu); // and so does the map from outside
    for (int i = 0; i < 6; i++) assert_close(mu[i], nu[i], 0);
    free(lent);
    dm_pose A = dm_tree_pose(m, theirs, x, 3), B = dm_tree_pose(w.tree, theirs, qt, 3);
    assert_close(A.x.y, B.x.y, 1e-13), assert_close(A.z.z, B.z.z, 1e-13);
    assert_close(A.p.x, B.p.x, 1e-13), assert_close(A.p.y, B.p.y, 1e-13);
  }
  jet_free(&a), jet_free(&b), free(mine), free(theirs);
  dm_model_free(m), ball_free(&w);
}

// A slider that a copy follows backwards, a ball joint with damping, a hook that is prescribed and
// has no inertia; inputs on the copy and about the axes that have turned.
static dm_tree sled(dm_coordinate c[6], dm_body b[3], dm_input u[4]) {
  const dm_coordinate coord[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 1, 0, 0),
                                 BALL("a"), models_coord("hook", true, 0, 0, 1)};
  const dm_body body[] = {{"sled", -1, dm_identity, 0, 1, 3, {0}, {0}},
                          {"top", -1, dm_identity, 1, 4, 1, {0}, {1, 2, 3}},
                          {"hook", -1, dm_identity, 5, 1, 0, {0}, {0}}};
  memcpy(c, coord, sizeof coord), memcpy(b, body, sizeof body);
  c[1].mimic = 0, c[1].ratio = -2;
  c[0].damping = 0.7, c[0].armature = 0.1, c[0].limit = (dm_range){-1, 2}, c[0].v_max = 3;
  c[0].effort = 4, c[5].kinematic = true;
  u[0] = models_input("y", 1), u[1] = models_input("a.ry", 4);
  u[2] = models_input("a.rz", 2), u[3] = models_input("a.rx", 3);
  u[0].u_min = -5, u[0].u_max = 6;
  return (dm_tree){.nbody = 3, .ncoord = 6, .ninput = 4, .body = b, .coord = c, .input = u};
}

static void what_stands_beside_balls_is_what_it_was(void **state) {
  (void)state;
  dm_coordinate c[6];
  dm_body b[3];
  dm_input u[4];
  dm_tree t = sled(c, b, u);
  ball_machine w;
  ball_make(&w, &t, 0, NULL, 0, NULL);
  const dm_model *in = w.tree, *out = w.model;
  dm_system inside = dm_system_of(in);
  for (int i = 0; i < in->nq; i++) {
    int o = dm_ball_outside(in, i);
    if (dm_ball_owns(in, i)) continue;
    assert_string_equal(out->name[o], in->name[i]);
    assert_true(out->kind[o] == in->kind[i] && out->kinematic[o] == in->kinematic[i]);
    assert_true(w.s.kinematic[o] == inside.kinematic[i]);
    assert_true(out->damping[o] == in->damping[i] && out->armature[o] == in->armature[i]);
    assert_true(out->q_min[o] == in->q_min[i] && out->q_max[o] == in->q_max[i]);
    assert_true(out->v_max[o] == in->v_max[i] && out->effort[o] == in->effort[i]);
  }
  assert_true(out->u_min[0] == -5 && out->u_max[0] == 6);
  assert_true(inside.L.idle == 1 && w.s.L.idle == 1);
  // 1 N on the copy is -2 N on the slider, 1 N m about an axis gives its angular momentum
  w.s.damping = NULL;
  for (int k = 0; k < 3; k++) {
    static const int axis[] = {1, 2, 0};
    double q[6] = {0, 1}, p[6] = {0}, next[6] = {0, 1}, body[3], h = 0.1;
    const double x[] = {1, k == 0, k == 1, k == 2, 0.25};
    dm_del *del;
    dm_del_info info;
    assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
    assert_int_equal(dm_del_step(del, q, p, x, h, next, p, &info), DM_OK);
    assert_close(p[0], -2 * h, 1e-13);
    vec_conj_left(next + 1, p + 1, body);
    for (int i = 0; i < 3; i++) assert_close(body[i] / 2, i == axis[k] ? h : 0, 1e-13);
    assert_close(next[5], 0.25, 1e-15);
    dm_del_free(del);
  }
  ball_free(&w);
  dm_message msg = {""};
  dm_model *tree, *m = NULL;
  u[0] = models_input("a.rx", 3), u[3] = models_input("y", 1);
  tree = models_make(&t);
  assert_int_equal(dm_ball_model(&m, tree, &msg), DM_BAD_INPUT);
  assert_string_equal(msg.text,
                      "input 'y' follows one on a ball joint, expected inputs on ball joints last");
  dm_model_free(tree);
}

// Forces on the sled know nothing of the ball joint; what has no second derivatives has none
// outside.
static void sparsity_and_lack_are_passed_on(void **state) {
  (void)state;
  dm_coordinate c[6];
  dm_body b[3];
  dm_input u[4];
  dm_tree t = sled(c, b, u);
  const dm_load push = {
      .name = "push", .kind = DM_WRENCH_WORLD, .driven = true, .body = 0, .force = {1, 0, 0}};
  ball_machine w;
  ball_make(&w, &t, 0, NULL, 1, &push);
  int nf = w.s.force.nu;
  assert_int_equal(nf, 4);
  for (int i = 0; i < 6; i++) { // the torques, the push
    bool ball = i >= 1 && i < 5;
    assert_int_equal(w.s.force.row[0].mask_u[i * nf], ball);
    assert_int_equal(w.s.force.row[0].mask_u[i * nf + 3], i == 0);
    assert_true(!w.s.force.row[0].mask[i * 6] || !ball);
  }
  dm_system inside = dm_system_of(w.tree);
  dm_system_add_force(&inside, dm_loads_force(w.f));
  inside.L.contract = NULL, inside.force.row[0].contract = NULL;
  dm_quaternion_system *bare;
  assert_int_equal(dm_quaternion_system_new(&bare, w.tree, w.model, &inside), DM_OK);
  dm_system s = dm_quaternion_system_of(bare);
  assert_true(!s.L.contract && !s.force.row[0].contract);
  dm_quaternion_system_free(bare), ball_free(&w);
}

// The rate about an axis of inertia J under the damping c decays by exp(-ct/J), with order 2.
static void damping_is_of_each_axis(void **state) {
  (void)state;
  const double damping = 0.8;
  for (int axis = 0; axis < 3; axis++) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      dm_coordinate c[] = {BALL("body")};
      dm_body b[] = {{"body", -1, dm_identity, 0, 3, 1, {0}, {J[0], J[1], J[2]}}};
      ball_machine w;
      dm_del *del;
      dm_del_info info;
      double q[4] = {1}, p[4] = {0}, next[4], body[4], h = fine ? 0.05 : 0.1;
      for (int i = 0; i < 3; i++) c[i].damping = damping;
      ball_make(&w, &(dm_tree){.nbody = 1, .ncoord = 3, .body = b, .coord = c}, 0, NULL, 0, NULL);
      assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
      p[1 + axis] = 2;
      for (int k = 0; k < (fine ? 40 : 20); k++) {
        memcpy(next, q, sizeof q);
        assert_int_equal(dm_del_step(del, q, p, NULL, h, next, p, &info), DM_OK);
        memcpy(q, next, sizeof q);
      }
      vec_conj_left(q, p, body);
      error[fine] = body[axis] / 2 - exp(-2 * damping / J[axis]);
      dm_del_free(del), ball_free(&w);
    }
    assert_close(error[0] / error[1], 4, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lagrangians_have_exact_derivatives),
      cmocka_unit_test(armature_is_energy_of_the_joints_own_turn),
      cmocka_unit_test(steps_have_exact_derivatives),
      cmocka_unit_test(one_body_is_moser_and_veselovs),
      cmocka_unit_test(trees_are_those_of_plain_turns),
      cmocka_unit_test(what_stands_beside_balls_is_what_it_was),
      cmocka_unit_test(sparsity_and_lack_are_passed_on),
      cmocka_unit_test(damping_is_of_each_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

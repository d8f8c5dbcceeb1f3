// The loads of a tree: each kind's derivatives by the order of their differences, and the laws it
// obeys.
#include "tests/support/forces.h"
#include "tests/support/lanes.h"

typedef struct loaded {
  dm_model *m;
  dm_loads *c;
  dm_force f;
  void *scratch;
  int n, nu;
  double mu[FORCES_MOST];
  double x[3 * FORCES_MOST]; // q, v, u
  dm_force_jet jet;
  dm_force_hessian H;
  double pool[12 * FORCES_MOST * FORCES_MOST];
} loaded;

static loaded *loaded_new(dm_model *m, int n, const dm_load *list) {
  loaded *w = calloc(1, sizeof *w);
  dm_message msg = {""};
  uint64_t r = 7;
  w->m = m, w->n = m->nq;
  if (dm_loads_new(&w->c, m, n, list, &msg) != DM_OK) fail_msg("%s", msg.text);
  w->f = dm_loads_force(w->c);
  w->nu = w->f.nu;
  w->scratch = aligned_alloc(64, w->f.scratch);
  for (int i = 0; i < FORCES_MOST; i++) w->mu[i] = models_random(&r);
  for (int i = 0; i < COUNT(w->x); i++) w->x[i] = models_random(&r);
  double **arrays[] = {&w->jet.f, &w->jet.f_q, &w->jet.f_v, &w->jet.f_u, &w->H.qq,
                       &w->H.qv,  &w->H.vv,    &w->H.qu,    &w->H.vu,    &w->H.uu};
  for (int i = 0; i < COUNT(arrays); i++) *arrays[i] = w->pool + i * FORCES_MOST * FORCES_MOST;
  return w;
}

static void loaded_free(loaded *w) {
  dm_loads_free(w->c);
  free(w->scratch), free(w);
}

static void force(void *self, const double *x, double *out) {
  loaded *w = self;
  int n = w->n;
  memset(w->pool, 0, sizeof w->pool);
  assert_int_equal(w->f.eval(w->f.self, w->scratch, 2, x, x + n, x + 2 * n, &w->jet), DM_OK);
  memcpy(out, w->jet.f, (size_t)n * sizeof *out);
}

// the gradient of mu.f by (q,v,u)
static void paired(void *self, const double *x, double *out) {
  loaded *w = self;
  double f[FORCES_MOST];
  int n = w->n;
  force(w, x, f);
  memset(out, 0, (size_t)(2 * n + w->nu) * sizeof *out);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      out[j] += w->mu[i] * w->jet.f_q[i * n + j];
      out[n + j] += w->mu[i] * w->jet.f_v[i * n + j];
    }
    for (int c = 0; c < w->nu; c++) out[2 * n + c] += w->mu[i] * w->jet.f_u[i * w->nu + c];
  }
}

// entries outside the masks are zero
static void check_masks(const loaded *w) {
  int n = w->n, nu = w->nu;
  const double *by[] = {w->jet.f_q, w->jet.f_v, w->H.qq, w->H.qv, w->H.vv};
  const double *by_u[] = {w->jet.f_u, w->H.qu, w->H.vu};
  for (int i = 0; i < n * n; i++) {
    assert_true(w->f.mask[i] == w->f.mask[i % n * n + i / n]);
    for (int a = 0; a < COUNT(by) && !w->f.mask[i]; a++) assert_true(by[a][i] == 0);
  }
  for (int i = 0; i < n * nu; i++)
    for (int a = 0; a < COUNT(by_u) && !w->f.mask_u[i]; a++) assert_true(by_u[a][i] == 0);
}

// first and second derivatives at a random state; frees nothing
static void check_loads(dm_model *m, int count, const dm_load *list, const char *what) {
  loaded *w = loaded_new(m, count, list);
  int n = w->n, nu = w->nu, nx = 2 * n + nu;
  double d[FORCES_COLUMNS], out[FORCES_COLUMNS], f[FORCES_MOST];
  uint64_t r = 13;
  for (int i = 0; i < nx; i++) d[i] = models_random(&r);

  force(w, w->x, f);
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++)
      out[i] += w->jet.f_q[i * n + j] * d[j] + w->jet.f_v[i * n + j] * d[n + j];
    for (int c = 0; c < nu; c++) out[i] += w->jet.f_u[i * nu + c] * d[2 * n + c];
  }
  models_check_derivative(force, w, nx, n, w->x, d, out, 1e-3, what);

  const double *x = w->x;
  force(w, x, f);
  assert_int_equal(w->f.contract(w->f.self, w->scratch, x, x + n, x + 2 * n, w->mu, &w->H), DM_OK);
  check_masks(w);
  memset(out, 0, sizeof out);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      out[i] += w->H.qq[i * n + j] * d[j] + w->H.qv[i * n + j] * d[n + j];
      out[n + i] += w->H.qv[j * n + i] * d[j] + w->H.vv[i * n + j] * d[n + j];
    }
    for (int c = 0; c < nu; c++) {
      double du = d[2 * n + c], qu = w->H.qu[i * nu + c], vu = w->H.vu[i * nu + c];
      out[i] += qu * du, out[n + i] += vu * du;
      out[2 * n + c] += qu * d[i] + vu * d[n + i];
    }
  }
  for (int b = 0; b < nu; b++)
    for (int c = 0; c < nu; c++) out[2 * n + b] += w->H.uu[b * nu + c] * d[2 * n + c];
  models_check_derivative(paired, w, nx, nx, x, d, out, 1e-3, what);
  loaded_free(w);
}

static void loads_have_exact_derivatives(void **state) {
  (void)state;
  for (int mimic = 0; mimic < 2; mimic++)
    for (int kind = 0; kind <= FORCES_KINDS; kind++) // each, and all together
      for (int driven = 0; driven < 2; driven++) {
        dm_model *m = models_random_tree(6, mimic, 4);
        dm_load list[FORCES_KINDS];
        for (int k = 0; k < FORCES_KINDS; k++)
          list[k] = forces_load(k, driven || k == DM_CABLE, 5 - k % 3);
        check_loads(m, kind < FORCES_KINDS ? 1 : FORCES_KINDS, list + kind % FORCES_KINDS,
                    kind < FORCES_KINDS ? forces_kinds[kind] : "all loads");
        dm_model_free(m);
      }
}

// steps of a tree under all of them
static void steps_under_loads_have_exact_derivatives(void **state) {
  (void)state;
  dm_model *m = models_random_tree(6, true, 4);
  dm_load list[FORCES_KINDS];
  double y[FORCES_COLUMNS];
  uint64_t r = 3;
  for (int i = 0; i < FORCES_COLUMNS; i++) y[i] = models_random(&r);
  for (int k = 0; k < FORCES_KINDS; k++) list[k] = forces_load(k, true, 5 - k % 3);
  dm_loads *c;
  assert_int_equal(dm_loads_new(&c, m, FORCES_KINDS, list, NULL), DM_OK);
  for (int rule = 0; rule < 2; rule++) {
    dm_system s = dm_system_of(m);
    dm_system_add_force(&s, dm_loads_force(c));
    dm_rule_set(&s.rule, rule ? "trapezoid" : "midpoint", 0.5, "midpoint", NULL);
    forces_check_step(&s, 0.05, y);
  }
  dm_loads_free(c);
  dm_model_free(m);
}

// the motion of the point of a body, from its poses at q +- e v; and of the body's own axes
static void displaced(const dm_model *m, const double *q, const double *v, double e, int body,
                      const double point[3], dm_vec *place, dm_pose *pose) {
  dm_lagrangian L = dm_tree_lagrangian(m);
  void *scratch = aligned_alloc(64, L.scratch);
  double x[FORCES_MOST];
  for (int i = 0; i < m->nq; i++) x[i] = q[i] + e * v[i];
  *pose = dm_tree_pose(m, scratch, x, body);
  *place = dm_place(pose, dm_v(point[0], point[1], point[2]));
  free(scratch);
}

// f.v is force.(the point's velocity) + torque.(the body's angular velocity), by differences
static void power_is_that_of_the_motion(void **state) {
  (void)state;
  for (int kind = 0; kind <= DM_WRENCH_MIXED; kind++) {
    dm_model *m = models_random_tree(6, true, 4);
    dm_load x = forces_load(kind, false, 5);
    const double origin[3] = {0, 0, 0};
    loaded *w = loaded_new(m, 1, &x);
    const double *q = w->x, *v = w->x + w->n;
    double f[FORCES_MOST], power = 0, error[2];
    force(w, q, f);
    for (int i = 0; i < w->n; i++) power += f[i] * v[i];
    for (int half = 0; half < 2; half++) {
      double e = half ? 5e-4 : 1e-3;
      dm_vec a, b, place;
      dm_pose A, B, now;
      displaced(m, q, v, -e, 5, kind == DM_WRENCH_WORLD ? origin : x.point, &a, &A);
      displaced(m, q, v, e, 5, kind == DM_WRENCH_WORLD ? origin : x.point, &b, &B);
      displaced(m, q, v, 0, 5, x.point, &place, &now);
      dm_vec rate = dm_mul(0.5 / e, dm_sub(b, a));
      dm_vec turn = dm_mul(0.5, dm_add(dm_cross(now.x, dm_mul(0.5 / e, dm_sub(B.x, A.x))),
                                       dm_add(dm_cross(now.y, dm_mul(0.5 / e, dm_sub(B.y, A.y))),
                                              dm_cross(now.z, dm_mul(0.5 / e, dm_sub(B.z, A.z))))));
      // about the world's origin: of the body's point that is there
      if (kind == DM_WRENCH_WORLD) rate = dm_sub(rate, dm_cross(turn, now.p));
      dm_vec force = dm_v(x.force[0], x.force[1], x.force[2]);
      dm_vec torque = dm_v(x.torque[0], x.torque[1], x.torque[2]);
      if (kind == DM_WRENCH_BODY) force = dm_rotate(&now, force), torque = dm_rotate(&now, torque);
      error[half] = dm_dot(force, rate) + dm_dot(torque, turn) - power;
    }
    assert_close(error[0] / error[1], 4, 0.1);
    loaded_free(w);
    dm_model_free(m);
  }
}

// m g at every body's centre is what gravity does
static void weights_are_gravity(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("a", false, 0, 1, 0),
                       models_coord("b", false, 1, 0, 0)};
  dm_body b[] = {{"base", -1, dm_identity, 0, 1, 2, {0.1, 0.2, 0.3}, {0.1, 0.1, 0.1}},
                 {"upper", 0, dm_identity, 1, 1, 1, {0, 0.1, -0.5}, {0.1, 0.1, 0.1}},
                 {"lower", 1, dm_identity, 2, 1, 0.5, {0.2, 0, -0.4}, {0.1, 0.1, 0.1}}};
  b[2].offset.p.z = -1;
  dm_model *heavy = models_make(
      &(dm_tree){.nbody = 3, .ncoord = 3, .body = b, .coord = c, .gravity = {0.3, -1, -9.81}});
  dm_model *light = models_make(&(dm_tree){.nbody = 3, .ncoord = 3, .body = b, .coord = c});
  dm_load list[3];
  for (int i = 0; i < 3; i++) {
    list[i] = (dm_load){.name = b[i].name, .kind = DM_WRENCH_MIXED, .body = i};
    memcpy(list[i].point, b[i].centre, sizeof b[i].centre);
    const double g[] = {0.3, -1, -9.81};
    for (int k = 0; k < 3; k++) list[i].force[k] = b[i].mass * g[k];
  }
  dm_loads *loads;
  assert_int_equal(dm_loads_new(&loads, light, 3, list, NULL), DM_OK);
  dm_system s[2] = {dm_system_of(heavy), dm_system_of(light)};
  dm_system_add_force(&s[1], dm_loads_force(loads));
  double q[] = {100, 0.7, -1.2}, v[] = {0.3, -2, 1.5}, a[2][3];
  for (int k = 0; k < 2; k++) {
    dm_continuous *w;
    assert_int_equal(dm_continuous_new(&w, &s[k]), DM_OK);
    assert_int_equal(dm_acceleration(w, q, v, NULL, a[k]), DM_OK);
    dm_continuous_free(w);
  }
  for (int i = 0; i < 3; i++) assert_close(a[0][i], a[1][i], 1e-13);
  // and its derivatives, along a step: D1, D2 and blocks, midpoint rule for both
  dm_interval *d[2];
  double q1[] = {100.1, 0.6, -1.1};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(dm_interval_new(&d[k], &s[k]), DM_OK);
    assert_int_equal(dm_interval_eval(d[k], 2, q, q1, NULL, 0.1), DM_OK);
  }
  for (int i = 0; i < 3; i++) {
    assert_close(d[0]->D1[i], d[1]->D1[i], 1e-14);
    for (int j = 0; j < 3; j++)
      assert_close(d[0]->D12[3 * i + j], d[1]->D12[3 * i + j], 2e-14 * fabs(d[0]->D12[3 * i + j]));
  }
  dm_interval_free(d[0]), dm_interval_free(d[1]);
  dm_loads_free(loads);
  dm_model_free(heavy), dm_model_free(light);
}

// where all else is zero: m (q1 - q0)/h = h F/2, and all of h F at the end
static void a_force_alone_moves_what_rests(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"load", -1, dm_identity, 0, 1, 2, {0, 0, 0}, {1, 1, 1}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c});
  dm_load push = {.name = "push", .kind = DM_WRENCH_MIXED, .force = {3, 0, 0}};
  dm_loads *loads;
  assert_int_equal(dm_loads_new(&loads, m, 1, &push, NULL), DM_OK);
  dm_system s = dm_system_of(m);
  dm_system_add_force(&s, dm_loads_force(loads));
  dm_del *w;
  dm_del_info info;
  double q0 = 0, p0 = 0, q1 = 0, p1 = 0;
  assert_int_equal(dm_del_new(&w, &s, NULL), DM_OK);
  assert_int_equal(dm_del_step(w, &q0, &p0, NULL, 0.1, &q1, &p1, &info), DM_OK);
  assert_close(q1, 0.1 * 0.1 * 3 / 4, 1e-16);
  assert_close(p1, 0.3, 1e-16);
  dm_del_free(w), dm_loads_free(loads), dm_model_free(m);
}

// a damper along a coordinate is the joint's own damping; between a point and the world it takes
// c (dl/dt)^2
static void dampers_take_energy(void **state) {
  (void)state;
  dm_model *m = models_chain(2, 1, 0);
  const int coord = 1;
  const double factor = 1;
  dm_load x = {.name = "elbow", .kind = DM_DAMPER, .damping = 0.4};
  x.tendon = (dm_tendon){.ncoord = 1, .coord = &coord, .factor = &factor};
  loaded *w = loaded_new(m, 1, &x);
  double f[2];
  force(w, w->x, f);
  assert_true(f[0] == 0);
  assert_close(f[1], -0.4 * w->x[3], 1e-16);
  loaded_free(w);

  // from the first link's tip straight up, 2 m above the pivot, to the world
  const int bodies[] = {0, -1};
  const double points[][3] = {{0, 0, -1}, {0, 0, 2}};
  x.tendon = (dm_tendon){.npoint = 2, .body = bodies, .point = points};
  w = loaded_new(m, 1, &x);
  double q = w->x[0], v = w->x[2], l = sqrt(5 + 4 * cos(q)), rate = -2 * sin(q) * v / l;
  force(w, w->x, f);
  assert_close(f[0] * v, -0.4 * rate * rate, 1e-15);
  assert_true(f[1] == 0);
  loaded_free(w);
  dm_model_free(m);
}

// a cable over the middle of a beam on a hinge: u times the lever
static void cables_pull_their_points_together(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  const int bodies[] = {-1, 0};
  const double points[][3] = {{1, 0, 0}, {0, 0, -1}};
  dm_load x = {.name = "cable", .kind = DM_CABLE, .driven = true};
  x.tendon = (dm_tendon){.npoint = 2, .body = bodies, .point = points};
  loaded *w = loaded_new(m, 1, &x);
  // l^2 = 2 + 2 sin q: the tip swings to -x for q > 0, and the cable draws it to +x
  double q[] = {0, 0.3, 5}, f;
  force(w, q, &f);
  assert_close(f, -5 * sqrt(0.5), 1e-14);
  loaded_free(w);
  dm_model_free(m);
}

// A ball hangs on a cable with a damper beside it, from a hook that is moved and has no inertia: L
// does not depend on it, the load does.
static void a_hook_is_moved(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1),
                       models_coord("hook", true, 1, 0, 0)};
  c[2].kinematic = true;
  dm_body b[] = {{"ball", -1, dm_identity, 0, 2, 0.3, {0}, {0}},
                 {"hook", -1, dm_identity, 2, 1, 0, {0}, {0}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 2, .ncoord = 3, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
  const int bodies[] = {1, 0};
  const double points[][3] = {{0, 0, 1}, {0, 0, 0.1}};
  dm_load list[] = {{.name = "damper", .kind = DM_DAMPER, .damping = 2},
                    {.name = "cable", .kind = DM_CABLE, .driven = true}};
  for (int i = 0; i < 2; i++)
    list[i].tendon = (dm_tendon){.npoint = 2, .body = bodies, .point = points};
  dm_loads *loads;
  assert_int_equal(dm_loads_new(&loads, m, 2, list, NULL), DM_OK);
  dm_system s = dm_system_of(m);
  dm_system_add_force(&s, dm_loads_force(loads));
  assert_int_equal(s.L.idle, 1);
  for (int rule = 0; rule < 2; rule++) {
    dm_rule_set(&s.rule, rule ? "trapezoid" : "midpoint", 0.5, "midpoint", NULL);
    forces_check_step(&s, 0.05, (double[]){0.2, 0.1, 0.3, 0.4, -0.3, 0.7, 3.5, 0.35});
    lanes_check(&s);
  }
  dm_loads_free(loads);
  dm_model_free(m);
}

// A ball at rest between two cables that pull against each other: what they leave is rounding
static void opposite_cables_hold_a_ball(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("z", true, 0, 0, 1)};
  dm_body b[] = {{"ball", -1, dm_identity, 0, 2, 0.3, {0}, {0}}};
  dm_model *m = models_make(&(dm_tree){.nbody = 1, .ncoord = 2, .body = b, .coord = c});
  const int bodies[] = {-1, 0};
  const double anchor[2][3] = {{0.7, 0, 1.9}, {-0.7, 0, -1.9}}, centre[3] = {0, 0, 0};
  dm_load list[2];
  double points[2][2][3];
  for (int i = 0; i < 2; i++) {
    memcpy(points[i][0], anchor[i], sizeof centre), memcpy(points[i][1], centre, sizeof centre);
    list[i] = (dm_load){.name = "cable", .kind = DM_CABLE, .driven = true};
    list[i].tendon =
        (dm_tendon){.npoint = 2, .body = bodies, .point = (const double(*)[3])points[i]};
  }
  dm_loads *loads;
  assert_int_equal(dm_loads_new(&loads, m, 2, list, NULL), DM_OK);
  dm_system s = dm_system_of(m);
  dm_system_add_force(&s, dm_loads_force(loads));
  dm_del *del;
  dm_del_info info;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  double tension = 1e6 / 3, u[] = {tension, tension * (1 + 2.3e-16)};
  double q[2] = {0}, p[2] = {0}, q1[2] = {0};
  for (int k = 0; k < 20; k++) {
    assert_int_equal(dm_del_step(del, q, p, u, 1e-3, q1, p, &info), DM_OK);
    memcpy(q, q1, sizeof q);
  }
  assert_true(fabs(q[0]) < 1e-12 && fabs(q[1]) < 1e-12);
  dm_del_free(del);
  dm_loads_free(loads);
  dm_model_free(m);
}

static void bad_loads_are_named(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  const struct {
    dm_load x;
    const char *what;
  } bad[] = {{{.name = "a", .body = 7}, "'a' refers to a body that does not exist"},
             {{.name = "b", .force = {NAN}}, "'b': a number is not finite"},
             {{.name = "c", .kind = DM_DAMPER, .damping = -1}, "'c': damping must be >= 0, got -1"},
             {{.name = "d", .kind = DM_CABLE}, "'d' has neither coordinates nor two points"}};
  for (int i = 0; i < COUNT(bad); i++) {
    dm_loads *c = NULL;
    dm_message msg = {""};
    assert_int_equal(dm_loads_new(&c, m, 1, &bad[i].x, &msg), DM_BAD_INPUT);
    assert_null(c);
    assert_string_equal(msg.text, bad[i].what);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_have_exact_derivatives),
      cmocka_unit_test(steps_under_loads_have_exact_derivatives),
      cmocka_unit_test(power_is_that_of_the_motion),
      cmocka_unit_test(weights_are_gravity),
      cmocka_unit_test(a_force_alone_moves_what_rests),
      cmocka_unit_test(dampers_take_energy),
      cmocka_unit_test(cables_pull_their_points_together),
      cmocka_unit_test(a_hook_is_moved),
      cmocka_unit_test(opposite_cables_hold_a_ball),
      cmocka_unit_test(bad_loads_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Nonholonomic steps: exact laws of the discrete map, closed forms of continuous motions that it
// converges to with order 2, reversibility, and bounded energy.
#include "tests/support/models.h"

enum { N = 6, NC = 6 };

typedef struct machine {
  dm_model *m;
  dm_rolling *rolling;
  dm_system s;
  dm_del *del;
  dm_continuous *c;
  int n;
  double q[N], p[N], v[N];
} machine;

// a body in the plane with coordinates x, y, psi, and a wheel about its y axis if it has a radius
static machine open_machine(double mass, const double com[3], double I, double radius,
                            double I_wheel, const double gravity[3], const dm_roller *roller) {
  machine w = {0};
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("y", true, 0, 1, 0),
                       models_coord("psi", false, 0, 0, 1), models_coord("theta", false, 0, 1, 0)};
  dm_body b[] = {{"body", -1, dm_identity, 0, 3, mass, {com[0], com[1], com[2]}, {I, I, I}},
                 {"wheel", 0, dm_identity, 3, 1, 0, {0}, {0}}};
  dm_input u[] = {models_input("theta", 3)};
  c[3].armature = I_wheel;
  b[1].offset.p.z = radius;
  const bool rolls = radius > 0;
  w.m = models_make(&(dm_tree){.nbody = rolls ? 2 : 1,
                               .ncoord = rolls ? 4 : 3,
                               .ninput = rolls,
                               .body = b,
                               .coord = c,
                               .input = u,
                               .gravity = {gravity[0], gravity[1], gravity[2]}});
  assert_int_equal(dm_rolling_new(&w.rolling, w.m, 1, roller, NULL, NULL), DM_OK);
  w.s = dm_system_of(w.m);
  w.s.hol = dm_rolling_holonomic(w.rolling);
  assert_int_equal(dm_system_check(&w.s, NULL), DM_OK);
  assert_int_equal(dm_del_new(&w.del, &w.s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&w.c, &w.s), DM_OK);
  w.n = w.m->nq;
  return w;
}

static void close_machine(machine *w) {
  dm_del_free(w->del);
  dm_continuous_free(w->c);
  dm_rolling_free(w->rolling);
  dm_model_free(w->m);
}

static void start(machine *w, const double *q, const double *v) {
  memcpy(w->q, q, (size_t)w->n * sizeof *q);
  memcpy(w->v, v, (size_t)w->n * sizeof *v);
  assert_int_equal(dm_momentum_of(w->c, w->q, w->v, w->p), DM_OK);
}

// N steps of h; leaves the projected velocity in v
static void run(machine *w, int steps, double h, const double *u) {
  dm_del_info info;
  for (int k = 0; k < steps; k++) {
    double q1[N];
    for (int i = 0; i < w->n; i++) q1[i] = w->q[i] + h * w->v[i];
    assert_int_equal(dm_del_step(w->del, w->q, w->p, u, h, q1, w->p, &info), DM_OK);
    for (int i = 0; i < w->n; i++) w->v[i] = (q1[i] - w->q[i]) / h;
    memcpy(w->q, q1, sizeof q1);
  }
  assert_int_equal(dm_velocity_of(w->c, w->q, w->p, w->v), DM_OK);
  assert_int_equal(dm_velocity_restrict(w->c, w->q, w->v), DM_OK);
}

static const double none[3] = {0}, weight[3] = {0, 0, -9.81};

// a knife edge at the center of mass on a plane with slope alpha along x
static machine open_knife_edge(double alpha) {
  const double slope[] = {9.81 * sin(alpha), 0, 0};
  const dm_roller blade = {.name = "blade",
                           .kind = DM_ROLLING_KNIFE_EDGE,
                           .body = {0, -1},
                           .axis = {1, 0, 0},
                           .normal = {0, 0, 1}};
  return open_machine(2, none, 0.3, 0, 0, slope, &blade);
}

// From rest with the rate omega, phi = omega h, a = g sin alpha:
//   x_N = a h^2 sin^2(N phi)/(2 sin^2 phi),  y_N = a h^2/(2 sin phi) (N - sin(2 N phi)/(2 sin phi))
static void a_knife_edge_on_a_slope_follows_its_discrete_law(void **state) {
  (void)state;
  const double alpha = 0.3, omega = 2, h = 0.05, a = 9.81 * sin(alpha), phi = omega * h;
  machine w = open_knife_edge(alpha);
  start(&w, (double[]){0, 0, 0}, (double[]){0, 0, omega});
  for (int k = 1; k <= 40; k++) {
    run(&w, 1, h, NULL);
    const double s = sin(phi), x = a * h * h * pow(sin(k * phi) / s, 2) / 2,
                 y = a * h * h / (2 * s) * (k - sin(2 * k * phi) / (2 * s));
    assert_close(w.q[0], x, 1e-13);
    assert_close(w.q[1], y, 1e-13);
    assert_close(w.q[2], k * phi, 1e-13);
  }
  close_machine(&w);
}

// the continuous motion x = a/(2 omega^2) sin^2(omega t), y = a/(2 omega^2) (omega t - sin(2 omega t)/2)
static void it_converges_with_order_two(void **state) {
  (void)state;
  const double exact[] = {0.2075540981212, 1.270263975057};
  double off[2];
  machine w = open_knife_edge(0.3);
  for (int k = 0; k < 2; k++) {
    const int steps = 100 << k;
    start(&w, (double[]){0, 0, 0}, (double[]){0, 0, 2});
    run(&w, steps, 2.0 / steps, NULL);
    off[k] = hypot(w.q[0] - exact[0], w.q[1] - exact[1]);
  }
  assert_close(off[0] / off[1], 4, 0.01);
  close_machine(&w);
}

// A vertical rolling disk of radius R with a torque tau about its axle has a constant heading rate,
// (I + m R^2 cos(phi/2)) D2theta/h^2 = tau, and without it a constant spin and
// x_N = R dtheta sin(N phi)/(2 sin(phi/2)).
static void a_rolling_disk_follows_its_discrete_law(void **state) {
  (void)state;
  const double R = 0.4, m = 1, I = 0.08, h = 0.1, phi = 0.7 * h;
  const dm_roller disk = {.name = "disk",
                          .kind = DM_ROLLING_WHEEL,
                          .body = {1, -1},
                          .axis = {0, 1, 0},
                          .normal = {0, 0, 1},
                          .radius = R};
  for (int driven = 0; driven < 2; driven++) {
    const double tau = driven ? 0.3 : 0;
    machine w = open_machine(m, none, 0.05, R, I, weight, &disk);
    double before[2] = {0};
    start(&w, (double[]){0, 0, 0, 0}, (double[]){3 * R, 0, 0.7, 3});
    run(&w, 1, h, &tau);
    const double spin = w.q[3];
    before[1] = w.q[3];
    for (int k = 2; k < 60; k++) {
      run(&w, 1, h, &tau);
      const double bend = w.q[3] - 2 * before[1] + before[0];
      before[0] = before[1], before[1] = w.q[3];
      assert_close(w.q[2], k * phi, 1e-13);
      assert_close((I + m * R * R * cos(phi / 2)) * bend / (h * h), tau, 1e-11);
      if (!driven) assert_close(w.q[0], R * spin * sin(k * phi) / (2 * sin(phi / 2)), 1e-12);
    }
    close_machine(&w);
  }
}

// Chaplygin's sleigh, mass center a ahead of the blade, I about it; after 2 s
static machine open_sleigh(void) {
  const dm_roller blade = {.name = "blade",
                           .kind = DM_ROLLING_KNIFE_EDGE,
                           .body = {0, -1},
                           .axis = {1, 0, 0},
                           .normal = {0, 0, 1}};
  return open_machine(1, (double[]){0.3, 0, 0}, 0.2, 0, 0, none, &blade);
}

static void a_sleigh_turns_from_backwards_to_forwards(void **state) {
  (void)state;
  const double exact[] = {0.7457788850819, 1.31239444803, 1.545135106227};
  double off[2];
  machine w = open_sleigh();
  for (int k = 0; k < 2; k++) {
    const int steps = 100 << k;
    start(&w, (double[]){0, 0, 0}, (double[]){0.5, 0, 1.5});
    run(&w, steps, 2.0 / steps, NULL);
    off[k] = 0;
    for (int i = 0; i < 3; i++) off[k] = fmax(off[k], fabs(w.q[i] - exact[i]));
    const double u = w.v[0] * cos(w.q[2]) + w.v[1] * sin(w.q[2]);
    assert_close(u, 0.9384990241303, k ? 1e-4 : 4e-4);
    assert_close(w.v[2], 0.273669708467, k ? 1e-4 : 4e-4);
  }
  assert_close(off[0] / off[1], 4, 0.02);

  // the whole heteroclinic turn, pi sqrt(1 + I/(m a^2)), from backwards at almost the limit speed
  start(&w, (double[]){0, 0, 0}, (double[]){-1, 0, 1e-6});
  run(&w, 5000, 0.01, NULL);
  assert_close(w.q[2], 5.639331398821, 1e-3);
  close_machine(&w);
}

// A step of -h from its end returns to its start, with the impulse along A removed first.
static void steps_are_reversible(void **state) {
  (void)state;
  machine w = open_sleigh();
  const double q[] = {0.1, -0.2, 0.4}, h = 0.1;
  double p[N], A[N];
  start(&w, q, (double[]){0.5 * cos(0.4), 0.5 * sin(0.4), 1.5});
  memcpy(p, w.p, sizeof p);
  run(&w, 20, h, NULL); // backwards, errors grow by exp(u t)
  run(&w, 20, -h, NULL);
  for (int i = 0; i < 3; i++) assert_close(w.q[i], q[i], 1e-12);

  // momenta agree up to an impulse A'lambda
  double none_h[1], along = 0, size = 0;
  void *scratch = aligned_alloc(64, w.s.hol.scratch);
  assert_int_equal(w.s.hol.eval(w.s.hol.self, scratch, q, none_h, A), DM_OK);
  free(scratch);
  for (int i = 0; i < 3; i++) along += A[i] * (w.p[i] - p[i]), size += A[i] * A[i];
  for (int i = 0; i < 3; i++) assert_close(w.p[i] - p[i], along / size * A[i], 1e-11);
  close_machine(&w);
}

// -- rows written by hand

// the nonholonomic particle: z' = y x' - k y, L = |v|^2/2 - (x^2 + y^2)/2
typedef struct particle {
  double k;
} particle;

static dm_status eval_particle(const void *self, void *scratch, int order, const double *q,
                               const double *v, dm_jet *out) {
  (void)self, (void)scratch;
  const bool stays[] = {true, true, false};
  out->L = 0;
  memset(out->L_qq, 0, 9 * sizeof(double));
  memset(out->L_qv, 0, 9 * sizeof(double));
  memset(out->L_vv, 0, 9 * sizeof(double));
  for (int i = 0; i < 3; i++) {
    const double pull = stays[i];
    out->L += (v[i] * v[i] - pull * q[i] * q[i]) / 2;
    out->L_q[i] = -pull * q[i];
    out->L_v[i] = v[i];
    if (order > 1) out->L_qq[4 * i] = -pull, out->L_vv[4 * i] = 1;
  }
  return DM_OK;
}

static dm_status contract_particle(const void *self, void *scratch, const double *q,
                                   const double *v, const double *a_q, const double *a_v,
                                   dm_jet *out) {
  (void)self, (void)scratch, (void)q, (void)v, (void)a_q, (void)a_v;
  memset(out->L_qq, 0, 9 * sizeof(double));
  memset(out->L_qv, 0, 9 * sizeof(double));
  memset(out->L_vv, 0, 9 * sizeof(double));
  return DM_OK;
}

static dm_status eval_rows(const void *self, void *scratch, const double *q, double *h,
                           double *Dh) {
  (void)self, (void)scratch;
  h[0] = 0;
  if (Dh) Dh[0] = -q[1], Dh[1] = 0, Dh[2] = 1;
  return DM_OK;
}

static dm_status contract_rows(const void *self, void *scratch, const double *q,
                               const double *lambda, double *H) {
  (void)self, (void)scratch, (void)q;
  H[0 * 3 + 1] -= lambda[0];
  return DM_OK;
}

static dm_status directional_rows(const void *self, void *scratch, const double *q, const double *a,
                                  const double *lambda, double *J, double *T) {
  (void)self, (void)scratch, (void)q, (void)lambda, (void)T;
  J[0] = J[2] = 0, J[1] = -a[0];
  return DM_OK;
}

// b = k y + k sin(z)/2
static dm_status drift_rows(const void *self, void *scratch, const double *q, const double *lambda,
                            double *b, double *b_q, double *H) {
  (void)scratch;
  const double k = ((const particle *)self)->k;
  b[0] = k * (q[1] + sin(q[2]) / 2);
  if (b_q) b_q[0] = 0, b_q[1] = k, b_q[2] = k * cos(q[2]) / 2;
  if (H) H[8] -= lambda[0] * k * sin(q[2]) / 2;
  return DM_OK;
}

static dm_system particle_system(const particle *x) {
  dm_system s = {.L = {.nq = 3, .self = x, .eval = eval_particle, .contract = contract_particle}};
  s.hol = (dm_holonomic){.nc = 1,
                         .nv = 1,
                         .self = x,
                         .eval = eval_rows,
                         .contract = contract_rows,
                         .directional = directional_rows,
                         .drift = x->k != 0 ? drift_rows : NULL};
  assert_int_equal(dm_rule_set(&s.rule, "midpoint", 0.5, "midpoint", NULL), DM_OK);
  return s;
}

// The energy error stays the same over 20,000 steps of an integrable system: 3.03e-4 at h = 0.1.
static void the_energy_of_an_integrable_system_is_bounded(void **state) {
  (void)state;
  const particle x = {0};
  machine w = {.s = particle_system(&x), .n = 3};
  assert_int_equal(dm_del_new(&w.del, &w.s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&w.c, &w.s), DM_OK);
  start(&w, (double[]){1, 0.5, 0}, (double[]){0.3, -0.2, 0.15});
  double first, energy, most[2] = {0};
  assert_int_equal(dm_energy(w.c, w.q, w.v, &first), DM_OK);
  for (int k = 0; k < 20000; k++) {
    run(&w, 1, 0.1, NULL);
    assert_int_equal(dm_energy(w.c, w.q, w.v, &energy), DM_OK);
    most[k / 10000] = fmax(most[k / 10000], fabs(energy - first));
  }
  assert_true(most[0] > 1e-5 && most[0] < 2e-3);
  assert_close(most[1] / most[0], 1, 0.02);
  close_machine(&w);
}

// A step with b: A (q1 - q0) + h b = 0 in the middle, A v + b = 0 of the velocity of a knot, and
// order 2 compared with steps a tenth as long.
static void affine_rows_hold(void **state) {
  (void)state;
  const particle x = {0.7};
  machine w = {.s = particle_system(&x), .n = 3};
  assert_int_equal(dm_del_new(&w.del, &w.s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&w.c, &w.s), DM_OK);
  double end[3][3], b;
  const int steps[] = {20, 40, 800};
  for (int k = 0; k < 3; k++) {
    start(&w, (double[]){1, 0.5, 0.2}, (double[]){0.3, -0.2, 0});
    assert_int_equal(dm_velocity_restrict(w.c, w.q, w.v), DM_OK);
    assert_int_equal(dm_momentum_of(w.c, w.q, w.v, w.p), DM_OK);
    run(&w, steps[k], 2.0 / steps[k], NULL);
    memcpy(end[k], w.q, sizeof end[k]);
    drift_rows(&x, NULL, w.q, NULL, &b, NULL, NULL);
    assert_close(w.v[2] - w.q[1] * w.v[0] + b, 0, 1e-13);
  }
  double off[2] = {0};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) off[k] = fmax(off[k], fabs(end[k][i] - end[2][i]));
  assert_close(off[0] / off[1], 4, 0.1);

  // the continuous acceleration keeps the rows: A a + (A v + b)_q v = 0
  double a[3];
  assert_int_equal(dm_acceleration(w.c, w.q, w.v, NULL, a), DM_OK);
  const double bend = a[2] - w.q[1] * a[0] - w.v[1] * w.v[0];
  assert_close(bend + 0.7 * (w.v[1] + cos(w.q[2]) * w.v[2] / 2), 0, 1e-13);
  close_machine(&w);
}

typedef struct whole {
  machine *w;
  dm_linearize *lin;
  double zeta[6];
} whole;

// a step of (q, p, h)
static void take_step(void *self, const double *y, double *out) {
  whole *x = self;
  dm_del_info info;
  for (int i = 0; i < 3; i++) out[i] = y[i] + y[6] * y[3 + i];
  assert_int_equal(dm_del_step(x->w->del, y, y + 3, NULL, y[6], out, out + 3, &info), DM_OK);
}

static void pull(void *self, const double *y, double *out) {
  whole *x = self;
  double x1[6], A[36], B[6];
  take_step(self, y, x1);
  assert_int_equal(dm_linearize_step(x->lin, y, x1, NULL, x->w->del->lambda, y[6], A, B), DM_OK);
  for (int j = 0; j < 7; j++) {
    out[j] = 0;
    for (int i = 0; i < 6; i++) out[j] += x->zeta[i] * (j < 6 ? A[i * 6 + j] : B[i]);
  }
}

static void derivatives_of_affine_rows_are_exact(void **state) {
  (void)state;
  const particle x = {0.7};
  machine w = {.s = particle_system(&x), .n = 3};
  assert_int_equal(dm_del_new(&w.del, &w.s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&w.c, &w.s), DM_OK);
  whole all = {.w = &w, .zeta = {0.3, -0.8, 0.5, 0.9, -0.4, 0.2}};
  assert_int_equal(dm_linearize_new_by_step(&all.lin, &w.s), DM_OK);
  const double y[] = {1, 0.5, 0.2, 0.3, -0.2, 0.1, 0.2},
               d[] = {0.4, -0.3, 0.8, 0.2, 0.7, -0.5, 0.1};
  double x1[6], A[36], B[6], xx[36], xu[6], uu[1], out[7];
  take_step(&all, y, x1);
  assert_int_equal(dm_linearize_step(all.lin, y, x1, NULL, w.del->lambda, y[6], A, B), DM_OK);
  for (int i = 0; i < 6; i++) {
    out[i] = B[i] * d[6];
    for (int j = 0; j < 6; j++) out[i] += A[i * 6 + j] * d[j];
  }
  models_check_derivative(take_step, &all, 7, 6, y, d, out, 1e-2, "A, B by h");
  assert_int_equal(
      dm_linearize_second(all.lin, y, x1, NULL, w.del->lambda, y[6], all.zeta, xx, xu, uu), DM_OK);
  out[6] = uu[0] * d[6];
  for (int i = 0; i < 6; i++) {
    out[i] = xu[i] * d[6];
    out[6] += xu[i] * d[i];
    for (int j = 0; j < 6; j++) out[i] += xx[i * 6 + j] * d[j];
  }
  models_check_derivative(pull, &all, 7, 7, y, d, out, 1e-2, "zeta.f''");
  dm_linearize_free(all.lin);
  close_machine(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_knife_edge_on_a_slope_follows_its_discrete_law),
      cmocka_unit_test(it_converges_with_order_two),
      cmocka_unit_test(a_rolling_disk_follows_its_discrete_law),
      cmocka_unit_test(a_sleigh_turns_from_backwards_to_forwards),
      cmocka_unit_test(steps_are_reversible),
      cmocka_unit_test(the_energy_of_an_integrable_system_is_bounded),
      cmocka_unit_test(affine_rows_hold),
      cmocka_unit_test(derivatives_of_affine_rows_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

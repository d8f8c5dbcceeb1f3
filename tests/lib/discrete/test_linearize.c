// Linearizations of first and second order: a pendulum against closed forms at higher precision,
// random trees under constraints by the order of differences, and laws that hold on the manifold.
#include "lib/discrete/assembly.h"
#include "tests/support/models.h"

// -- the pendulum of paper 001, IV and V: m = l = 1, g = 9.8, dt = 0.1, force rule left

typedef long double real;

static const real dt = 0.1L, g = 9.8L;

// Derivatives of one step by (q, p, u), in closed form: with s = D_iD_jD_k Ld = (g dt/8) sin(mean)
// for every i, j, k and w = (1 + q1_q, q1_p, q1_u),
//   q1'' = -(s/D12) w w'        p1'' = s w w' + D22 q1''
static void pendulum(real q, real p, real u, real x1[2], real d1[2][3], real d2[2][3][3]) {
  real q1 = q, mean = 0, D12 = 0;
  for (int i = 0; i < 50; i++) {
    mean = (q + q1) / 2;
    D12 = -1 / dt - g * dt / 4 * cosl(mean);
    q1 -= (p - (q1 - q) / dt - g * dt / 2 * sinl(mean) + u * dt) / D12;
  }
  real D11 = 1 / dt - g * dt / 4 * cosl(mean), D22 = D11, D21 = D12, s = g * dt / 8 * sinl(mean);
  x1[0] = q1, x1[1] = (q1 - q) / dt - g * dt / 2 * sinl(mean);
  const real by[3] = {D11, 1, dt};
  for (int j = 0; j < 3; j++) {
    d1[0][j] = -by[j] / D12;
    d1[1][j] = D22 * d1[0][j] + (j == 0 ? D21 : 0);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      real ww = (d1[0][i] + (i == 0)) * (d1[0][j] + (j == 0));
      d2[0][i][j] = -s / D12 * ww;
      d2[1][i][j] = s * ww + D22 * d2[0][i][j];
    }
}

#define assert_digits(got, exact, digits)                                                          \
  assert_close((double)((got) / (exact)), 1, 0.5 * pow(10, -(digits)))

static void pendulums_derivatives_to_ten_digits(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_rule_set(&s.rule, "midpoint", 0.5, "left", NULL);
  dm_del *del;
  dm_linearize *lin;
  dm_del_info info;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  static const double start[][3] = {{0.2, 0.5, 0.8}, {-2.5, 3, -1}, {1.5, -8, 4}};
  for (int k = 0; k < COUNT(start); k++) {
    const double *x = start[k];
    double q1[] = {x[0]}, p1[1], A[4], B[2], xx[2][4], xu[2][2], uu[2][1];
    real x1[2], d1[2][3], d2[2][3][3];
    pendulum(x[0], x[1], x[2], x1, d1, d2);
    assert_int_equal(dm_del_step(del, x, x + 1, x + 2, 0.1, q1, p1, &info), DM_OK);
    assert_digits(*q1, x1[0], 13);
    assert_digits(*p1, x1[1], 13);
    assert_int_equal(dm_linearize_step(lin, x, q1, x + 2, NULL, 0.1, A, B), DM_OK);
    assert_int_equal(dm_linearize_tensor(lin, x, q1, x + 2, NULL, 0.1, xx[0], xu[0], uu[0]), DM_OK);
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        assert_digits(A[2 * i + j], d1[i][j], 12);
        assert_digits(xu[i][j], d2[i][j][2], 10);
        for (int l = 0; l < 2; l++) assert_digits(xx[i][2 * j + l], d2[i][j][l], 10);
      }
      assert_digits(B[i], d1[i][2], 12);
      assert_digits(uu[i][0], d2[i][2][2], 10);
    }
    assert_close(A[0] * A[3] - A[1] * A[2], 1, 1e-14);
    if (k > 0) continue;
    // as printed, in the order qq, qp, qu, pp, pu, uu, the last digits recomputed
    static const double printed[2][6] = {
        {1.0121e-2, 5.0605e-4, 5.0605e-5, 2.5302e-5, 2.5302e-6, 2.5302e-7},
        {2.02419e-1, 1.0121e-2, 1.0121e-3, 5.0605e-4, 5.0605e-5, 5.0605e-6}};
    for (int i = 0; i < 2; i++) {
      const double got[] = {xx[i][0], xx[i][1], xu[i][0], xx[i][3], xu[i][1], uu[i][0]};
      for (int j = 0; j < 6; j++) assert_digits(got[j], printed[i][j], 4);
    }
  }
  dm_del_free(del), dm_linearize_free(lin);
  dm_model_free(m);
}

// -- random trees under constraints

enum { N = 12, NX = 2 * N, NY = 3 * N + 1, NC = 12 };

typedef struct machine {
  dm_model *m;
  dm_constraints *c;
  dm_rolling *rolling; // NULL: holonomic constraints alone
  dm_system s;
  dm_del *del;
  dm_linearize *lin;
  int n, nx, ni, ny;
  bool stepped; // the step is the last of the inputs
  double h, x[NY], guess[N], lambda[NC], zeta[NX], eta[NC];
} machine;

// a floating base and two branches of three bodies each, one on a slide; the last hinge may copy
// another
static dm_model *floating_tree(bool mimic, uint64_t seed) {
  enum { BODIES = 7, COORDS = 12 };
  static const char *const name[] = {"x", "y", "z", "rx", "ry", "rz", "a", "b", "c", "d", "e", "f"};
  static const int parent[BODIES] = {-1, 0, 1, 2, 0, 4, 5};
  dm_coordinate c[COORDS];
  dm_body b[BODIES];
  dm_input u[4];
  uint64_t r = seed;
#define RND models_random(&r)
  for (int i = 0; i < COORDS; i++) {
    double x = RND, y = RND, z = RND, l = sqrt(x * x + y * y + z * z);
    if (i < 6) x = i % 3 == 0, y = i % 3 == 1, z = i % 3 == 2, l = 1;
    c[i] = models_coord(name[i], i < 3 || i == 8, x / l, y / l, z / l);
    c[i].damping = i % 3 ? 0 : 0.3;
    if (i % 3 == 0) u[i / 3] = models_input(name[i], i);
  }
  if (mimic) c[11].mimic = 6, c[11].ratio = -1.5, c[11].shift = 0.2;
  for (int i = 0; i < BODIES; i++) {
    double rpy[] = {RND, RND, RND}, p[] = {RND, RND, RND};
    b[i] = (dm_body){.name = name[i + 5],
                     .parent = parent[i],
                     .offset = i ? dm_pose_rpy(rpy, p) : dm_identity,
                     .first = i ? i + 5 : 0,
                     .ncoord = i ? 1 : 6,
                     .mass = 1.5 + RND,
                     .centre = {0.3 * RND, 0.3 * RND, 0.3 * RND},
                     .inertia = {0.3, 0.4, 0.5, 0.05 * RND, 0.05 * RND, 0.05 * RND}};
  }
#undef RND
  return models_make(&(dm_tree){.nbody = BODIES,
                                .ncoord = COORDS,
                                .ninput = 4,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0.7, -2, -9}});
}

// constraints by the rows they take: every kind comes up
static const struct {
  dm_constraint_kind kind;
  bool length; // is a coordinate
} kinds[][3] = {
    {{DM_DISTANCE, false}, {DM_EQUAL, false}, {DM_PLANE, false}},
    {{DM_DISTANCE, true}, {DM_POINT, false}, {DM_EQUAL, false}},
    {{DM_LINE, false}, {DM_PLANE, false}, {DM_DISTANCE, true}},
    {{DM_POSE_PLANAR, false}, {DM_DISTANCE, false}, {DM_EQUAL, false}},
    {{DM_POSE, false}, {DM_EQUAL, false}, {DM_DISTANCE, false}},
};

// Constraints at random, and a place x where they hold; false where there is none near by.
static bool try_machine(machine *w, int row, uint64_t *r) {
  dm_constraint list[3];
  static const char *const name[] = {"first", "second", "third"};
  static const int body[] = {6, 3, 5};
  const double tilt = sqrt(1.0 / 3);
  for (int i = 0; i < 3; i++) {
    dm_constraint *c = &list[i];
    *c = (dm_constraint){.name = name[i],
                         .kind = kinds[row][i].kind,
                         .body = {body[i], i == 1 && kinds[row][i].kind == DM_DISTANCE ? 5 : -1},
                         .axis = {tilt, -tilt, tilt},
                         .length = 1.2,
                         .coord = {-1, -1}};
    for (int k = 0; k < 6; k++) c->point[k / 3][k % 3] = 0.3 * models_random(r);
    if (kinds[row][i].length) c->coord[0] = 8;
    if (c->kind == DM_EQUAL)
      c->coord[0] = 10, c->coord[1] = 6, c->ratio = -0.7, c->shift = 0.2 * models_random(r);
  }
  assert_int_equal(dm_constraints_new(&w->c, w->m, 3, list, NULL), DM_OK);
  w->s.hol = dm_constraints_holonomic(w->c);
  assert_true(w->s.hol.nc <= NC);
  for (int i = 0; i < w->n; i++) w->x[i] = 0.5 * models_random(r);
  w->x[8] = 0.6;
  if (dm_assembly_project(&w->s, w->x, NULL) == DM_OK &&
      dm_assembly_check(&w->s, w->x, NULL) == DM_OK)
    return true;
  dm_constraints_free(w->c);
  return false;
}

// a step of (q,p,u) as a function
static void step(void *self, const double *y, double *out) {
  machine *w = self;
  dm_del_info info;
  memcpy(out, w->guess, (size_t)w->n * sizeof *out);
  memcpy(w->del->lambda, w->lambda, (size_t)w->s.hol.nc * sizeof *w->lambda);
  double h = w->stepped ? y[w->ny - 1] : w->h;
  dm_status s = dm_del_step(w->del, y, y + w->n, y + w->nx, h, out, out + w->n, &info);
  if (s != DM_OK) fail_msg("%s: residual %g", dm_status_text(s), info.residual);
}

// a wheel on the world and a knife edge on another body, after the holonomic rows
static void add_rolling(machine *w) {
  const double tilt = sqrt(1.0 / 3);
  const dm_roller list[] = {{.name = "wheel",
                             .kind = DM_ROLLING_WHEEL,
                             .body = {5, -1},
                             .point = {0.1, -0.2, 0.3},
                             .axis = {tilt, tilt, tilt},
                             .normal = {0, 0.6, 0.8},
                             .radius = 0.3},
                            {.name = "blade",
                             .kind = DM_ROLLING_KNIFE_EDGE,
                             .body = {3, 1},
                             .point = {-0.3, 0.2, 0.1},
                             .axis = {1, 0, 0},
                             .normal = {0, 0, 1}}};
  assert_int_equal(dm_rolling_new(&w->rolling, w->m, 2, list, w->c, NULL), DM_OK);
  w->s.hol = dm_rolling_holonomic(w->rolling);
  assert_true(w->s.hol.nc <= NC && w->s.hol.nv == 3);
}

// held: some coordinates are kinematic. forced: damping, and inputs other than zero. stepped: the
// step is an input.
static machine machine_new(int row, const char *rule, bool rolls, bool held, bool forced,
                           bool stepped, uint64_t seed) {
  static const bool kinematic[N] = {[7] = true, [9] = true};
  machine w = {.m = floating_tree(row % 2, seed), .h = 0.02, .stepped = stepped};
  uint64_t r = seed;
  w.s = dm_system_of(w.m);
  assert_int_equal(dm_rule_set(&w.s.rule, rule, 0.5, "midpoint", NULL), DM_OK);
  w.n = w.m->nq;
  assert_true(w.n <= N);
  if (held) w.s.nk = 2, w.s.kinematic = kinematic;
  if (!forced) w.s.damping = NULL, w.s.nu = 0;
  int tries = 1;
  while (!try_machine(&w, row, &r)) assert_true(tries++ < 100);
  if (rolls) add_rolling(&w);
  w.nx = 2 * w.n;
  w.ni = dm_system_inputs(&w.s) + stepped;
  w.ny = w.nx + w.ni;
  assert_true(w.ny <= NY);
  assert_int_equal(dm_del_new(&w.del, &w.s, NULL), DM_OK);
  assert_int_equal((stepped ? dm_linearize_new_by_step : dm_linearize_new)(&w.lin, &w.s), DM_OK);
  if (stepped) w.x[w.ny - 1] = w.h;
  // momenta of a velocity that the constraints allow: that of a small change along them
  double v[N], q1[N], u[N] = {0};
  for (int i = 0; i < w.n; i++) q1[i] = w.x[i] + 0.3 * w.h * models_random(&r);
  assert_int_equal(dm_assembly_project(&w.s, q1, NULL), DM_OK);
  for (int i = 0; i < w.n; i++) v[i] = (q1[i] - w.x[i]) / w.h;
  for (int i = 0; i < w.s.nu; i++) w.x[w.nx + i] = 0.1 * models_random(&r);
  for (int i = 0, k = w.nx + w.s.nu; held && i < w.n; i++)
    if (kinematic[i]) w.x[k++] = q1[i];
  assert_int_equal(dm_interval_eval(w.del->d, 1, w.x, q1, u, w.h), DM_OK);
  for (int i = 0; i < w.n; i++) w.x[w.n + i] = held && kinematic[i] ? v[i] : -w.del->d->D1[i];
  memcpy(w.guess, q1, sizeof q1);
  double x1[NX];
  step(&w, w.x, x1);
  memcpy(w.guess, x1, sizeof w.guess);
  memcpy(w.lambda, w.del->lambda, (size_t)w.s.hol.nc * sizeof *w.lambda);
  for (int i = 0; i < w.nx; i++) w.zeta[i] = models_random(&r);
  for (int c = 0; c < w.s.hol.nc; c++) w.eta[c] = models_random(&r);
  return w;
}

static void machine_free(machine *w) {
  dm_del_free(w->del), dm_linearize_free(w->lin);
  dm_rolling_free(w->rolling);
  dm_constraints_free(w->c);
  dm_model_free(w->m);
}

// (A, B) and lambda's derivatives times d
static void times(machine *w, const double *A, const double *B, const double *d, double *out) {
  int nx = w->nx, ni = w->ni, nc = w->s.hol.nc;
  double by_x[NC * NX], by_u[NC * (N + 1)];
  for (int i = 0; i < nx; i++) {
    out[i] = 0;
    for (int j = 0; j < nx; j++) out[i] += A[i * nx + j] * d[j];
    for (int j = 0; j < ni; j++) out[i] += B[i * ni + j] * d[nx + j];
  }
  dm_linearize_multipliers(w->lin, by_x, by_u);
  for (int c = 0; c < nc; c++) {
    double *sum = out + nx + c;
    *sum = 0;
    for (int j = 0; j < nx; j++) *sum += by_x[c * nx + j] * d[j];
    for (int j = 0; j < ni; j++) *sum += by_u[c * ni + j] * d[nx + j];
  }
}

static void step_and_lambda(void *self, const double *y, double *out) {
  machine *w = self;
  step(self, y, out);
  memcpy(out + w->nx, w->del->lambda, (size_t)w->s.hol.nc * sizeof *out);
}

// zeta' (A, B) + eta' lambda_y
static void pulled(void *self, const double *y, double *out) {
  machine *w = self;
  static double A[NX * NX], B[NX * (N + 1)], by_x[NC * NX], by_u[NC * (N + 1)];
  double x1[NX], h = w->stepped ? y[w->ny - 1] : w->h;
  int nc = w->s.hol.nc;
  step(w, y, x1);
  assert_int_equal(dm_linearize_step(w->lin, y, x1, y + w->nx, w->del->lambda, h, A, B), DM_OK);
  dm_linearize_multipliers(w->lin, by_x, by_u);
  for (int j = 0; j < w->ny; j++) {
    out[j] = 0;
    for (int i = 0; i < w->nx; i++)
      out[j] += w->zeta[i] * (j < w->nx ? A[i * w->nx + j] : B[i * w->ni + j - w->nx]);
    for (int c = 0; c < nc; c++)
      out[j] += w->eta[c] * (j < w->nx ? by_x[c * w->nx + j] : by_u[c * w->ni + j - w->nx]);
  }
}

// the contracted Hessian, all of it, from its three blocks
static void join(const machine *w, const double *xx, const double *xu, const double *uu,
                 double *H) {
  int nx = w->nx, ni = w->ni, ny = w->ny;
  for (int i = 0; i < ny; i++)
    for (int j = 0; j < ny; j++)
      H[i * ny + j] = i < nx && j < nx ? xx[i * nx + j]
                      : i < nx         ? xu[i * ni + j - nx]
                      : j < nx         ? xu[j * ni + i - nx]
                                       : uu[(i - nx) * ni + j - nx];
}

static void check_machine(machine *w, uint64_t seed) {
  enum { NI = N + 1 };
  static double A[NX * NX], B[NX * NI], xx[NX * NX], xu[NX * NI], uu[NI * NI], H[NY * NY];
  static double Txx[NX * NX * NX], Txu[NX * NX * NI], Tuu[NX * NI * NI];
  double d[NY], out[NY + NC] = {0}, size = 0;
  int nx = w->nx, ni = w->ni, ny = w->ny;
  uint64_t r = seed;
  for (int i = 0; i < ny; i++) d[i] = models_random(&r);
  // directions in momenta as large as momenta are
  for (int i = w->n; i < nx; i++) d[i] *= 0.1;
  // and in the step, of which all of them are
  if (w->stepped) d[ny - 1] *= w->h;
  const double *q0 = w->x, *q1 = w->guess, *u = w->x + nx;
  assert_int_equal(dm_linearize_step(w->lin, q0, q1, u, w->lambda, w->h, A, B), DM_OK);
  times(w, A, B, d, out);
  models_check_derivative(step_and_lambda, w, ny, nx + w->s.hol.nc, w->x, d, out, 1e-3,
                          "A, B, lambda_y");

  assert_int_equal(
      dm_linearize_contract(w->lin, q0, q1, u, w->lambda, w->h, w->zeta, w->eta, xx, xu, uu),
      DM_OK);
  join(w, xx, xu, uu, H);
  for (int i = 0; i < ny * ny; i++) size = fmax(size, fabs(H[i]));
  for (int i = 0; i < ny; i++) {
    out[i] = 0;
    for (int j = 0; j < ny; j++) {
      out[i] += H[i * ny + j] * d[j];
      assert_close(H[i * ny + j], H[j * ny + i], 1e-12 * size);
    }
  }
  models_check_derivative(pulled, w, ny, ny, w->x, d, out, 1e-3, "zeta.f'' + eta.lambda''");

  // the tensor, contracted
  assert_int_equal(dm_linearize_step(w->lin, q0, q1, u, w->lambda, w->h, A, B), DM_OK);
  assert_int_equal(dm_linearize_second(w->lin, q0, q1, u, w->lambda, w->h, w->zeta, xx, xu, uu),
                   DM_OK);
  assert_int_equal(dm_linearize_step(w->lin, q0, q1, u, w->lambda, w->h, A, B), DM_OK);
  assert_int_equal(dm_linearize_tensor(w->lin, q0, q1, u, w->lambda, w->h, Txx, Txu, Tuu), DM_OK);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx * nx; j++) xx[j] -= w->zeta[i] * Txx[i * nx * nx + j];
    for (int j = 0; j < nx * ni; j++) xu[j] -= w->zeta[i] * Txu[i * nx * ni + j];
    for (int j = 0; j < ni * ni; j++) uu[j] -= w->zeta[i] * Tuu[i * ni * ni + j];
  }
  join(w, xx, xu, uu, H);
  for (int i = 0; i < ny * ny; i++) assert_close(H[i], 0, 1e-11 * size);
}

// straight steps, and steps with a node within that constraints hold as well
static const char *const rules[] = {"midpoint", "lobatto-3"};

static void derivatives_under_constraints_are_exact(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(kinds); row++)
    for (int kind = 0; kind < 4; kind++)
      for (int r = 0; r < COUNT(rules); r++) {
        bool held = kind % 2, stepped = kind / 2;
        machine w =
            machine_new(row, rules[r], false, held, true, stepped, (uint64_t)(3 * row + held + 1));
        check_machine(&w, 5);
        machine_free(&w);
      }
}

static void derivatives_of_rolling_steps_are_exact(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    machine w =
        machine_new(kind % 2, rules[0], true, kind % 2, true, kind / 2, (uint64_t)(kind + 31));
    check_machine(&w, 5);
    machine_free(&w);
  }
}

// Along variations that the constraints allow, an unforced step keeps the two-form dq ^ dp.
static void steps_are_symplectic_on_the_manifold(void **state) {
  (void)state;
  for (int row = 0; row < COUNT(kinds); row++) {
    machine w = machine_new(row, rules[row % 2], false, false, false, false, (uint64_t)(row + 20));
    static double A[NX * NX];
    double d[2][NX], e[2][NX], before = 0, after = 0, size = 0;
    int n = w.n, nx = w.nx, nc = w.s.hol.nc;
    uint64_t r = 9;
    assert_int_equal(dm_linearize_step(w.lin, w.x, w.guess, NULL, w.lambda, w.h, A, NULL), DM_OK);
    for (int v = 0; v < 2; v++) {
      for (int i = 0; i < nx; i++) d[v][i] = models_random(&r);
      // remove the part across the constraints, by sweeps over the rows of Dh
      for (int sweep = 0; sweep < 2000; sweep++)
        for (int c = 0; c < nc; c++) {
          const double *Dh = w.lin->k->Dh0 + c * n;
          double across = 0, length = 0;
          for (int i = 0; i < n; i++) across += Dh[i] * d[v][i], length += Dh[i] * Dh[i];
          for (int i = 0; i < n; i++) d[v][i] -= across / length * Dh[i];
        }
      for (int i = 0; i < nx; i++) {
        e[v][i] = 0;
        for (int j = 0; j < nx; j++) e[v][i] += A[i * nx + j] * d[v][j];
      }
    }
    for (int i = 0; i < n; i++) {
      before += d[0][i] * d[1][n + i] - d[1][i] * d[0][n + i];
      after += e[0][i] * e[1][n + i] - e[1][i] * e[0][n + i];
      size += fabs(e[0][i] * e[1][n + i]) + fabs(e[1][i] * e[0][n + i]);
    }
    assert_close(after, before, 1e-12 * size);
    machine_free(&w);
  }
}

// -- a four-bar linkage

// three links of 1 m from the origin to a pivot at (GX, GZ), by the angle of the first
#define GX 1.6
#define GZ -0.3

// q [3] of the crank's angle a, and its derivative
static void four_bar(double a, double *q, double *dq) {
  double x = -sin(a), z = -cos(a), dx = GX - x, dz = GZ - z, D = hypot(dx, dz);
  double up = sqrt(1 - D * D / 4) / D; // the elbow stands off the line between both pivots
  double ex = x + dx / 2 + up * dz, ez = z + dz / 2 - up * dx;
  double b = atan2(-(ex - x), -(ez - z)), c = atan2(-(GX - ex), -(GZ - ez));
  // the loop stays closed: cos and sin times the angles' rates add up to zero
  double det = cos(b) * sin(c) - sin(b) * cos(c);
  double db = (cos(c) * sin(a) - sin(c) * cos(a)) / det,
         dc = (sin(b) * cos(a) - cos(b) * sin(a)) / det;
  q[0] = a, q[1] = b - a, q[2] = c - b;
  dq[0] = 1, dq[1] = db - 1, dq[2] = dc - db;
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The linkage by one coordinate a has the discrete Lagrangian Ld(q(a0), q(a1)): paired with q'(a0),
// a step under constraints is one of that, and its momentum is q'(a).p.
static void a_four_bar_linkage_is_its_one_coordinate_form(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 3);
  dm_constraint pin = {.name = "pin",
                       .kind = DM_LINE,
                       .body = {2, -1},
                       .coord = {-1, -1},
                       .axis = {0, 1, 0},
                       .point = {{0, 0, -1}, {GX, 0, GZ}}};
  dm_constraints *c;
  assert_int_equal(dm_constraints_new(&c, m, 1, &pin, NULL), DM_OK);
  dm_system s = dm_system_of(m), open = s;
  s.hol = dm_constraints_holonomic(c);
  dm_del *del;
  dm_interval *d;
  dm_del_info info;
  const double h = 0.01;
  double a = 0.2, P, q[3], p[3] = {0.4, -0.3, 0.2}, q1[3], dq[3], lowest = a, highest = a;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_interval_new(&d, &open), DM_OK);
  four_bar(a, q, dq);
  P = dot(dq, p);
  for (int k = 0; k < 300; k++) {
    // P + q'(a0).D1 = 0 for a1
    double a1 = a, x0[3], x1[3], d0[3], d1[3];
    four_bar(a, x0, d0);
    for (int i = 0; i < 20; i++) {
      four_bar(a1, x1, d1);
      assert_int_equal(dm_interval_eval(d, 2, x0, x1, NULL, h), DM_OK);
      double slope = 0;
      for (int j = 0; j < 3; j++) slope += d0[j] * dot(d->D12 + 3 * j, d1);
      a1 -= (P + dot(d0, d->D1)) / slope;
    }
    four_bar(a1, x1, d1);
    assert_int_equal(dm_interval_eval(d, 1, x0, x1, NULL, h), DM_OK);
    P = dot(d1, d->D2);
    a = a1;
    lowest = fmin(lowest, a), highest = fmax(highest, a);

    memcpy(q1, q, sizeof q);
    assert_int_equal(dm_del_step(del, q, p, NULL, h, q1, p, &info), DM_OK);
    memcpy(q, q1, sizeof q);
    for (int j = 0; j < 3; j++) assert_close(q[j], x1[j], 1e-10);
    assert_close(dot(d1, p), P, 1e-10);
  }
  assert_true(highest - lowest > 0.5); // it has moved
  dm_del_free(del), dm_interval_free(d);
  dm_constraints_free(c);
  dm_model_free(m);
}

// a change of an input carried by B, and curved as each state's Hessian says
static void knots_of_a_trajectory_are_linearized(void **state) {
  (void)state;
  enum { STEPS = 3, LAST = 2 };
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  dm_trajectory *x, *y[2];
  dm_del *del;
  dm_linearize *lin;
  dm_del_info info;
  int failed;
  double A[16], B[4], xx[16], xu[4], uu[1], d = 1e-3;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_trajectory_of(&x, STEPS, &s), DM_OK);
  x->h = 0.1, x->q[0] = 1, x->q[1] = -0.5, x->p[0] = 2;
  for (int k = 0; k < STEPS; k++) x->u[k] = 3 - k;
  assert_int_equal(dm_trajectory_rollout(x, del, &info, &failed), DM_OK);
  assert_int_equal(dm_trajectory_linearize(x, LAST, lin, A, B), DM_OK);

  // the last step under an input that is d more, and less
  for (int side = 0; side < 2; side++) {
    assert_int_equal(dm_trajectory_of(&y[side], STEPS, &s), DM_OK);
    dm_trajectory_copy(y[side], x);
    y[side]->u[LAST] += side ? d : -d;
    assert_int_equal(dm_trajectory_rollout(y[side], del, &info, &failed), DM_OK);
  }
  for (int i = 0; i < 4; i++) {
    const double *at[] = {y[0]->q, x->q, y[1]->q, y[0]->p, x->p, y[1]->p};
    const double *const *f = at + (i < 2 ? 0 : 3);
    int j = 2 * STEPS + i % 2;
    assert_int_equal(dm_trajectory_linearize_state(x, LAST, lin, i, xx, xu, uu), DM_OK);
    assert_close((f[2][j] - f[0][j]) / (2 * d), B[i], 1e-8);
    assert_close((f[2][j] - 2 * f[1][j] + f[0][j]) / (d * d), uu[0], 1e-6);
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) assert_close(xx[4 * a + b], xx[4 * b + a], 1e-12);
  }
  for (int side = 0; side < 2; side++) dm_trajectory_free(y[side]);
  dm_trajectory_free(x), dm_linearize_free(lin), dm_del_free(del), dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(knots_of_a_trajectory_are_linearized),
      cmocka_unit_test(pendulums_derivatives_to_ten_digits),
      cmocka_unit_test(derivatives_under_constraints_are_exact),
      cmocka_unit_test(derivatives_of_rolling_steps_are_exact),
      cmocka_unit_test(steps_are_symplectic_on_the_manifold),
      cmocka_unit_test(a_four_bar_linkage_is_its_one_coordinate_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

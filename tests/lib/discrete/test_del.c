// A step of the discrete Euler-Lagrange equations: the laws it keeps, its order, the pendulum of
// paper 001 to every printed digit, and what it says when it cannot be taken.
#include "tests/support/derivatives.h"

// step a system from (q,p) N times
static void roll(const dm_system *s, double h, int N, double *q, double *p, const double *u) {
  dm_del *w;
  dm_del_info info;
  int n = s->L.nq;
  double q1[40], zero[40] = {0};
  assert_int_equal(dm_del_new(&w, s, NULL), DM_OK);
  for (int k = 0; k < N; k++) {
    memcpy(q1, q, (size_t)n * sizeof *q);
    assert_int_equal(dm_del_step(w, q, p, u ? u : zero, h, q1, p, &info), DM_OK);
    memcpy(q, q1, (size_t)n * sizeof *q);
  }
  dm_del_free(w);
}

// m = l = 1, g = 9.8, h = 0.1 from q = 0.2, p = 0.5 under u = 0.8, force rule left
static void pendulum_of_paper_001(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_rule_set(&s.rule, "midpoint", 0.5, "left", NULL);
  double q[] = {0.2}, p[] = {0.5}, u[] = {0.8}, A[4], B[2];
  roll(&s, 0.1, 1, q, p, u);
  assert_close(q[0], 0.24713619, 5e-9);
  assert_close(p[0], 0.36272388, 5e-9);
  dm_linearize *lin;
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_linearize_step(lin, (double[]){0.2}, q, u, NULL, 0.1, A, B), DM_OK);
  const struct {
    double got, recomputed;
  } row[] = {{lin->d->D11[0], 9.76109742},
             {lin->d->D22[0], 9.76109742},
             {lin->d->D12[0], -10.2389026},
             {lin->d->D21[0], -10.2389026},
             {A[0], .95333434},
             {A[1], 0.097666717},
             {A[2], -.93331323},
             {A[3], .95333434},
             {B[0], 0.0097666717},
             {B[1], .095333434},
             {A[0] * B[0] + A[1] * B[1], .0186218},
             {A[2] * B[0] + A[3] * B[1], .0817693}};
  for (int i = 0; i < COUNT(row); i++)
    assert_close(row[i].got / row[i].recomputed, 1, i < 10 ? 6e-9 : 3e-6);
  dm_linearize_free(lin);
  dm_model_free(m);
}

// a free tree: six coordinates of its base, three joints more
static dm_model *free_tree(const double gravity[3]) {
  static dm_coordinate c[9];
  static dm_body b[4];
  static const char *name[] = {"x", "y", "z", "rx", "ry", "rz", "a", "b", "c"};
  for (int i = 0; i < 9; i++)
    c[i] = models_coord(name[i], i < 3 || i == 8, i % 3 == 0, i % 3 == 1, i % 3 == 2);
  dm_pose out = dm_identity;
  out.p = dm_v(0.1, 0.3, -0.2);
  b[0] = (dm_body){"base", -1, dm_identity, 0, 6, 3, {0.1, 0, 0}, {.3, .4, .5, .05, 0, .02}};
  b[1] = (dm_body){"one", 0, out, 6, 1, 1, {0, 0, -0.3}, {.1, .1, .05, 0, 0, 0}};
  b[2] = (dm_body){"two", 1, out, 7, 1, 0.5, {0.1, 0, -0.2}, {.1, .1, .05, 0, 0, 0}};
  b[3] = (dm_body){"three", 0, out, 8, 1, 0.7, {0, 0.1, 0}, {.1, .1, .05, 0, 0, 0}};
  dm_tree tree = {.nbody = 4,
                  .ncoord = 9,
                  .body = b,
                  .coord = c,
                  .gravity = {gravity[0], gravity[1], gravity[2]}};
  return models_make(&tree);
}

// Translations are linear in q, so their discrete momentum is the momentum coordinates' own: p_x
// stays to rounding, p_z falls by weight exactly. The rotation about z is a symmetry of the base's
// x, y and rx, ry, rz only in the continuum, unless it is a coordinate of its own: so a mast turns
// first here.
static void linear_momentum_is_exact(void **state) {
  (void)state;
  dm_model *m = free_tree((double[]){0, 0, -9.81});
  dm_system s = dm_system_of(m);
  double q[9], p[9], p0[9];
  for (int i = 0; i < 9; i++) q[i] = 0.1 * i, p0[i] = p[i] = 0.3 - 0.1 * i;
  roll(&s, 0.01, 500, q, p, NULL);
  assert_close(p[0], p0[0], 1e-12);
  assert_close(p[1], p0[1], 1e-12);
  assert_close(p[2], p0[2] - 5 * 9.81 * (3 + 1 + 0.5 + 0.7), 1e-9);
  dm_model_free(m);
}

static void angular_momentum_about_a_first_axis_is_exact(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("mast", false, 0, 0, 1), models_coord("arm", false, 0, 1, 0),
                       models_coord("reach", false, 1, 0, 0)};
  dm_body b[] = {{"mast", -1, dm_identity, 0, 1, 1, {0.1, 0, 0}, {1, 1, 1, 0, 0, 0}},
                 {"arm", 0, dm_identity, 1, 1, 1, {0, 0, -0.5}, {.1, .1, .1, 0, 0, 0}},
                 {"reach", 1, dm_identity, 2, 1, 1, {0.2, 0.1, -0.5}, {.1, .1, .1, 0, 0, 0}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 3, .ncoord = 3, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
  dm_system s = dm_system_of(m);
  double q[] = {0, 0.4, 0.1}, p[] = {2.5, -0.3, 0.2};
  roll(&s, 0.01, 2000, q, p, NULL);
  assert_close(p[0], 2.5, 2000 * 1e-14); // rounding, step by step
  dm_model_free(m);
}

static void unforced_steps_are_symplectic(void **state) {
  (void)state;
  const char *rule[] = {"midpoint", "trapezoid", "gauss-2", "simpson"};
  for (int r = 0; r < COUNT(rule); r++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      dm_model *m = models_random_tree(6, seed > 2, seed);
      dm_system s = dm_system_of(m);
      s.nu = 0, s.damping = NULL;
      dm_rule_set(&s.rule, rule[r], 0.5, "left", NULL);
      int n = m->nq, nx = 2 * n;
      double q[40], q1[40], A[1600], worst = 0, size = 0;
      uint64_t x = seed;
      for (int i = 0; i < n; i++) q[i] = models_random(&x), q1[i] = q[i] + 0.02 * models_random(&x);
      dm_linearize *lin;
      assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
      assert_int_equal(dm_linearize_step(lin, q, q1, NULL, NULL, 0.02, A, NULL), DM_OK);
      for (int i = 0; i < nx; i++)
        for (int j = 0; j < nx; j++) {
          double sum = 0;
          for (int k = 0; k < n; k++)
            sum += A[k * nx + i] * A[(n + k) * nx + j] - A[(n + k) * nx + i] * A[k * nx + j];
          sum -= (i + n == j) - (i == j + n);
          worst = fmax(worst, fabs(sum));
          size = fmax(size, fabs(A[i * nx + j]));
        }
      if (!(worst < 1e-12 * size * size)) fail_msg("A'JA - J = %g, A up to %g", worst, size);
      assert_true(worst < 1e-12 || size > 10);
      dm_linearize_free(lin);
      dm_model_free(m);
    }
}

static void linearization_is_exact(void **state);

// against a much finer run: halving the step divides the error by four
static void steps_are_of_second_order(void **state) {
  (void)state;
  const char *rule[] = {"midpoint", "trapezoid", "gauss-2", "simpson"};
  for (int r = 0; r < COUNT(rule); r++) {
    dm_model *m = models_cart_pole();
    dm_system s = dm_system_of(m);
    dm_rule_set(&s.rule, rule[r], 0.5, "midpoint", NULL);
    double q[4][2], error[2], u[] = {1.5};
    for (int k = 0; k < 3; k++) {
      int N = k == 2 ? 6400 : 100 << k;
      double p[2] = {0.1, 0.2};
      q[k][0] = 0, q[k][1] = 1;
      roll(&s, 1.0 / N, N, q[k], p, u);
    }
    for (int k = 0; k < 2; k++) error[k] = fabs(q[k][1] - q[2][1]);
    assert_close(error[0] / error[1], 4, 0.05);
    dm_model_free(m);
  }
}

// a damped slide under its own weight ends at speed m g / damping
static void damping_takes_what_it_should(void **state) {
  (void)state;
  dm_coordinate c[] = {models_coord("z", true, 0, 0, 1)};
  c[0].damping = 4;
  dm_body b[] = {{"weight", -1, dm_identity, 0, 1, 2, {0}, {0}}};
  dm_model *m = models_make(
      &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
  dm_system s = dm_system_of(m);
  double q[] = {0}, p[] = {0};
  roll(&s, 0.05, 1000, q, p, NULL);
  assert_close(p[0] / 2, -2 * 9.81 / 4, 1e-11);
  dm_model_free(m);
}

static void energy_stays_bounded_over_a_million_steps(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  s.nu = 0;
  dm_del *w;
  dm_continuous *c;
  dm_del_info info;
  assert_int_equal(dm_del_new(&w, &s, NULL), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  double q[] = {1, 0.5}, p[] = {0, 0}, q1[2], v[2] = {0}, first = 0, low[2], high[2];
  assert_int_equal(dm_energy(c, q, v, &first), DM_OK);
  // the energy's range in the first tenth and in the last
  for (int k = 0; k < 1000000; k++) {
    memcpy(q1, q, sizeof q);
    for (int i = 0; i < 2; i++) q1[i] += 0.005 * v[i];
    assert_int_equal(dm_del_step(w, q, p, NULL, 0.005, q1, p, &info), DM_OK);
    for (int i = 0; i < 2; i++) v[i] = (q1[i] - q[i]) / 0.005;
    memcpy(q, q1, sizeof q);
    int part = k < 100000 ? 0 : k >= 900000 ? 1 : -1;
    if (k % 10 || part < 0) continue;
    double vk[2] = {v[0], v[1]}, e;
    assert_int_equal(dm_velocity_of(c, q, p, vk), DM_OK);
    assert_int_equal(dm_energy(c, q, vk, &e), DM_OK);
    if (k % 900000 == 0) low[part] = high[part] = e;
    low[part] = fmin(low[part], e), high[part] = fmax(high[part], e);
  }
  double width = high[0] - low[0];
  assert_true(width < 0.05 * fabs(first));
  assert_true(low[1] > low[0] - 0.5 * width && high[1] < high[0] + 0.5 * width);
  dm_del_free(w);
  dm_continuous_free(c);
  dm_model_free(m);
}

// a pendulum all but at rest: the terms that cancel at a bad guess are far larger than those at the
// step itself
static void bad_guesses_lead_to_the_same_step(void **state) {
  (void)state;
  dm_model *m = models_pendulum();
  dm_system s = dm_system_of(m);
  dm_del *w;
  dm_del_info info;
  assert_int_equal(dm_del_new(&w, &s, NULL), DM_OK);
  double q0 = 1e-9, p0 = 1e-9, u = 0, want = 0, p1;
  assert_int_equal(dm_del_step(w, &q0, &p0, &u, 0.1, &want, &p1, &info), DM_OK);
  for (int k = 1; k <= 40; k++) {
    double q1 = 0.05 * k;
    assert_int_equal(dm_del_step(w, &q0, &p0, &u, 0.1, &q1, &p1, &info), DM_OK);
    assert_close(q1, want, 1e-20);
  }
  dm_del_free(w);
  dm_model_free(m);
}

static void linearization_is_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++)
    derivatives_check_step(models_random_tree(6, seed > 2, seed), 0.02, seed);
}

// L = v^2/2 - q^4 with a flat mass at |q| < 1: a user's Lagrangian in C, singular on purpose
static dm_status flat_eval(const void *self, void *scratch, int order, const double *q,
                           const double *v, dm_jet *out) {
  (void)self, (void)scratch, (void)order;
  double mass = fabs(q[0]) < 1 ? 0 : 1;
  out->L = 0.5 * mass * v[0] * v[0];
  out->L_q[0] = 0, out->L_v[0] = mass * v[0];
  out->L_qq[0] = out->L_qv[0] = 0, out->L_vv[0] = mass;
  return isfinite(q[0]) ? DM_OK : DM_NOT_FINITE;
}

// whatever it is guessed to do, what is at rest and not pushed stays there: all terms of the
// equation vanish together
static void rest_is_reached_from_any_guess(void **state) {
  (void)state;
  dm_model *machines[] = {models_pendulum(), models_cart_pole(), models_acrobot()};
  for (int k = 0; k < COUNT(machines); k++)
    for (double guess = 1e-6; guess < 1; guess *= 10) {
      dm_system s = dm_system_of(machines[k]);
      double zero[2] = {0}, q[2] = {guess, -guess}, p[2];
      dm_del *del;
      dm_del_info info;
      assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
      assert_int_equal(dm_del_step(del, zero, zero, zero, 0.1, q, p, &info), DM_OK);
      for (int i = 0; i < machines[k]->nq; i++) assert_close(q[i], 0, 1e-16);
      dm_del_free(del);
    }
  for (int k = 0; k < COUNT(machines); k++) dm_model_free(machines[k]);
}

static void a_step_that_cannot_be_taken_says_why(void **state) {
  (void)state;
  static const unsigned char mask[] = {1};
  dm_system s = {.L = {.nq = 1, .mask = mask, .eval = flat_eval},
                 .rule = {.points = 1, .weight = {1}, .at = {0.5}, .left = 0.5}};
  dm_del *w;
  dm_del_info info;
  dm_message msg;
  static const char *const name[] = {"wheel"};
  assert_int_equal(dm_del_new(&w, &s, &(dm_del_settings){.max_iter = 50, .tol = 1e-13}), DM_OK);
  double q0[] = {0}, p0[] = {1}, q1[] = {0}, p1[] = {7};
  assert_int_equal(dm_del_step(w, q0, p0, NULL, 0.1, q1, p1, &info), DM_SINGULAR);
  assert_true(q1[0] == 0 && p1[0] == 7);
  dm_del_explain(&msg, DM_SINGULAR, w, &info, 12, name);
  assert_non_null(strstr(msg.text, "knot 12: M1"));
  assert_non_null(strstr(msg.text, "wheel"));
  p0[0] = NAN;
  assert_int_equal(dm_del_step(w, q0, p0, NULL, 0.1, q1, p1, &info), DM_NOT_FINITE);
  assert_true(q1[0] == 0 && p1[0] == 7);
  dm_del_free(w);

  // a step far too long for the pendulum, cut short
  dm_model *m = models_acrobot();
  dm_system acrobot = dm_system_of(m);
  assert_int_equal(dm_del_new(&w, &acrobot, &(dm_del_settings){.max_iter = 1, .tol = 1e-13}),
                   DM_OK);
  double q[] = {1, 2}, p[] = {3, -2}, next[] = {1, 2}, u[] = {0};
  assert_int_equal(dm_del_step(w, q, p, u, 0.3, next, p, &info), DM_MAX_ITER);
  dm_del_explain(&msg, DM_MAX_ITER, w, &info, 3, (const char *const *)m->name);
  assert_non_null(strstr(msg.text, "knot 3: Newton left a residual"));
  dm_del_free(w);
  dm_model_free(m);
}

// velocity and energy of a tree by one evaluation, whatever the guess, also where two coordinates
// are prescribed
static void the_state_of_a_tree_takes_one_evaluation(void **state) {
  (void)state;
  dm_model *m = models_random_tree(7, true, 6);
  const bool held[40] = {[1] = true, [4] = true};
  for (int nk = 0; nk <= 2; nk += 2) {
    dm_system s = dm_system_of(m);
    if (nk) s.nk = nk, s.kinematic = held;
    dm_continuous *c;
    assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
    double x[120], *q = x, *v = x + 40, *back = x + 80, p[40], energy, same;
    uint64_t r = 5;
    for (int i = 0; i < 120; i++) x[i] = models_random(&r);
    assert_int_equal(dm_momentum_of(c, q, v, p), DM_OK);
    assert_int_equal(dm_energy(c, q, v, &energy), DM_OK);
    assert_int_equal(dm_tree_state(c, q, p, back, &same), DM_OK);
    for (int i = 0; i < m->nq; i++) assert_close(back[i], v[i], 1e-11);
    assert_close(same, energy, 1e-11 * (1 + fabs(energy)));
    dm_continuous_free(c);
  }
  dm_model_free(m);
}

static void continuous_equations_agree_with_each_other(void **state) {
  (void)state;
  dm_model *m = models_random_tree(7, true, 6);
  dm_system s = dm_system_of(m);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  int n = m->nq;
  double x[160], *q = x, *v = x + 40, *a = x + 80, tau[40], p[40], back[40] = {0};
  uint64_t r = 5;
  for (int i = 0; i < 160; i++) x[i] = models_random(&r);
  assert_int_equal(dm_acceleration(c, q, v, x + 120, a), DM_OK);
  assert_int_equal(dm_inverse_dynamics(c, q, v, a, tau), DM_OK);
  for (int i = 0; i < n; i++) tau[i] += m->damping[i] * v[i];
  for (int i = 0; i < m->nu; i++) tau[m->input_coord[i]] -= m->input_gear[i] * x[120 + i];
  for (int i = 0; i < n; i++) assert_close(tau[i], 0, 1e-11);
  assert_int_equal(dm_momentum_of(c, q, v, p), DM_OK);
  assert_int_equal(dm_velocity_of(c, q, p, back), DM_OK);
  for (int i = 0; i < n; i++) assert_close(back[i], v[i], 1e-11);
  dm_continuous_free(c);
  dm_model_free(m);
}

// a chain's eval whose momenta are rounded to eleven digits, now up and now down
typedef struct coarse {
  dm_lagrangian exact;
  int *calls;
} coarse;

static dm_status coarse_eval(const void *self, void *scratch, int order, const double *q,
                             const double *v, dm_jet *out) {
  const coarse *w = self;
  dm_status s = w->exact.eval(w->exact.self, scratch, order, q, v, out);
  double by = 1e-11 * ((*w->calls)++ % 2 ? 1 : -1);
  for (int i = 0; i < w->exact.nq; i++) out->L_v[i] *= 1 + by;
  return s;
}

// where inertias differ by much, p itself is known to less than its digits
static void velocities_come_as_near_as_momenta_are_known(void **state) {
  (void)state;
  enum { N = 4 };
  dm_model *m = models_chain(N, 1, 0);
  dm_system s = dm_system_of(m);
  int calls = 0;
  coarse rounded = {s.L, &calls};
  s.L.self = &rounded;
  s.L.eval = coarse_eval;
  dm_continuous *c;
  double q[N], v[N], p[N], found[N] = {0};
  uint64_t r = 3;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  for (int i = 0; i < N; i++) q[i] = models_random(&r);
  for (int i = 0; i < N; i++) v[i] = models_random(&r);
  assert_int_equal(dm_momentum_of(c, q, v, p), DM_OK);
  assert_int_equal(dm_velocity_of(c, q, p, found), DM_OK);
  for (int i = 0; i < N; i++) assert_close(found[i], v[i], 1e-8);
  dm_continuous_free(c);
  dm_model_free(m);
}

// Newton's errors are relative to the momentum, however small; where it is 0, to the guess
static void no_momentum_is_no_velocity(void **state) {
  (void)state;
  enum { N = 4 };
  uint64_t r = 3;
  for (int trial = 0; trial < 100; trial++) {
    dm_model *m = models_chain(N, 1, 0);
    dm_system s = dm_system_of(m);
    dm_continuous *c;
    double q[N], guess[N], v[N], p[N] = {0}, small[N], size = 0;
    assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
    for (int i = 0; i < N; i++) q[i] = models_random(&r), guess[i] = v[i] = models_random(&r);
    assert_int_equal(dm_velocity_of(c, q, p, v), DM_OK);
    for (int i = 0; i < N; i++) assert_true(fabs(v[i]) < 1e-25);
    for (int i = 0; i < N; i++) small[i] = 1e-12 * models_random(&r);
    assert_int_equal(dm_momentum_of(c, q, small, p), DM_OK);
    assert_int_equal(dm_velocity_of(c, q, p, guess), DM_OK);
    for (int i = 0; i < N; i++) size = fmax(size, fabs(small[i]));
    for (int i = 0; i < N; i++) assert_close(guess[i], small[i], 1e-10 * size);
    dm_continuous_free(c);
    dm_model_free(m);
  }
}

// a chain at rest, rolled again where another motion was
static void rest_is_rolled_over_a_motion(void **state) {
  (void)state;
  enum { N = 4, STEPS = 20 };
  dm_model *m = models_chain(N, 1, 0);
  dm_system s = dm_system_of(m);
  dm_del *w;
  dm_del_info info;
  dm_trajectory *x;
  int failed;
  assert_int_equal(dm_del_new(&w, &s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_new(&x, STEPS, N, N), DM_OK);
  x->h = 0.02;
  for (int i = 0; i < N; i++) x->q[i] = 0.3 + 0.2 * i;
  assert_int_equal(dm_trajectory_rollout(x, w, &info, &failed), DM_OK);
  for (int i = 0; i < N; i++) x->q[i] = x->p[i] = 0;
  assert_int_equal(dm_trajectory_rollout(x, w, &info, &failed), DM_OK);
  for (int i = 0; i < (STEPS + 1) * N; i++) assert_true(fabs(x->v[i]) < 1e-14);
  dm_trajectory_free(x);
  dm_del_free(w);
  dm_model_free(m);
}

static void trajectories_certify_themselves(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  dm_system s = dm_system_of(m);
  dm_del *w;
  dm_del_info info;
  dm_trajectory *x, *y;
  int failed;
  double gap;
  assert_int_equal(dm_del_new(&w, &s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_new(&x, 50, 2, 1), DM_OK);
  assert_int_equal(dm_trajectory_new(&y, 50, 2, 1), DM_OK);
  x->h = 0.02, x->q[0] = 0.4;
  for (int k = 0; k < 50; k++) x->u[k] = sin(0.3 * k);
  assert_int_equal(dm_trajectory_rollout(x, w, &info, &failed), DM_OK);
  assert_int_equal(failed, -1);
  // momenta and velocities again from q and u alone
  y->h = x->h;
  memcpy(y->q, x->q, 102 * sizeof(double));
  memcpy(y->u, x->u, 50 * sizeof(double));
  assert_int_equal(dm_trajectory_momenta(y, &s), DM_OK);
  for (int i = 0; i < 102; i++) {
    assert_close(y->p[i], x->p[i], 1e-11);
    assert_close(y->v[i], x->v[i], 1e-10);
  }
  assert_int_equal(dm_trajectory_certify(x, w, NULL, &gap, &failed), DM_OK);
  assert_true(gap < 1e-12);
  x->q[2 * 30] += 1e-3;
  assert_int_equal(dm_trajectory_certify(x, w, NULL, &gap, &failed), DM_OK);
  assert_true(gap > 1e-4 && (failed == 29 || failed == 30));
  dm_trajectory_free(x), dm_trajectory_free(y);
  dm_del_free(w);
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_of_paper_001),
      cmocka_unit_test(linear_momentum_is_exact),
      cmocka_unit_test(angular_momentum_about_a_first_axis_is_exact),
      cmocka_unit_test(unforced_steps_are_symplectic),
      cmocka_unit_test(bad_guesses_lead_to_the_same_step),
      cmocka_unit_test(linearization_is_exact),
      cmocka_unit_test(steps_are_of_second_order),
      cmocka_unit_test(damping_takes_what_it_should),
      cmocka_unit_test(energy_stays_bounded_over_a_million_steps),
      cmocka_unit_test(rest_is_reached_from_any_guess),
      cmocka_unit_test(a_step_that_cannot_be_taken_says_why),
      cmocka_unit_test(the_state_of_a_tree_takes_one_evaluation),
      cmocka_unit_test(continuous_equations_agree_with_each_other),
      cmocka_unit_test(velocities_come_as_near_as_momenta_are_known),
      cmocka_unit_test(no_momentum_is_no_velocity),
      cmocka_unit_test(rest_is_rolled_over_a_motion),
      cmocka_unit_test(trajectories_certify_themselves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

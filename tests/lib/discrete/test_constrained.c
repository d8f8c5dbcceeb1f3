// Paper 004, section 4: the laws of the discrete Euler-Lagrange equations with multipliers on a
// linear space V, of a Lagrangian and constraints given as functions in C.
#include "lib/base/dense.h"
#include "tests/support/derivatives.h"
#include "tests/support/spherical.h"

// -- a bead of mass m on a sphere of radius r in R3, in a potential 1/2 z^2 k + g z + c z^3 and a
// magnetic field b along z: L = m|v|^2/2 + b (x v_y - y v_x)/2 - V(z)

typedef struct bead {
  double m, r, g, k, c, b;
} bead;

static dm_status bead_eval(const void *self, void *scratch, int order, const double *q,
                           const double *v, dm_jet *out) {
  (void)scratch;
  const bead *w = self;
  const double z = q[2], m = w->m, b = w->b / 2;
  out->L = m * dm_inner(3, v, v) / 2 + b * (q[0] * v[1] - q[1] * v[0]) - w->g * z -
           w->k * z * z / 2 - w->c * z * z * z;
  out->L_q[0] = b * v[1], out->L_q[1] = -b * v[0];
  out->L_q[2] = -w->g - w->k * z - 3 * w->c * z * z;
  out->L_v[0] = m * v[0] - b * q[1], out->L_v[1] = m * v[1] + b * q[0], out->L_v[2] = m * v[2];
  if (order < 2) return DM_OK;
  for (int i = 0; i < 9; i++) out->L_qq[i] = out->L_qv[i] = 0, out->L_vv[i] = i % 4 ? 0 : m;
  out->L_qq[8] = -w->k - 6 * w->c * z;
  out->L_qv[1] = b, out->L_qv[3] = -b;
  return DM_OK;
}

static dm_status sphere_eval(const void *self, void *scratch, const double *q, double *h,
                             double *Dh) {
  (void)scratch;
  const bead *w = self;
  h[0] = dm_inner(3, q, q) - w->r * w->r;
  for (int i = 0; Dh && i < 3; i++) Dh[i] = 2 * q[i];
  return DM_OK;
}
static dm_status sphere_contract(const void *self, void *scratch, const double *q,
                                 const double *lambda, double *H) {
  (void)self, (void)scratch, (void)q;
  for (int i = 0; i < 9; i += 4) H[i] += 2 * lambda[0];
  return DM_OK;
}

static dm_system bead_system(const bead *w, const char *rule) {
  dm_system s = {.L = {.nq = 3, .self = w, .eval = bead_eval},
                 .hol = {.nc = 1, .self = w, .eval = sphere_eval, .contract = sphere_contract}};
  assert_int_equal(dm_rule_set(&s.rule, rule, 0.5, "midpoint", NULL), DM_OK);
  return s;
}

// the bead's start: on the sphere, moving along it
static const double start_q[] = {0.6, 0, -0.8}, start_v[] = {0.4, 1.2, 0.3};

// -- statements of the paper

// Newton's matrix [[h D1D2 L, -Dg(v_k)'], [Dg(v_k+1), 0]] by (v_k+1, lambda): with
// D1D2 L = L_qq/4 + (L_qv - L_vq)/2h - L_vv/h^2 (the paper's L is ours without the factor h), and
// its inverse through the Schur complement Dg(v_k+1) (D1D2 L)^-1 Dg(v_k)'
static void newtons_matrix_has_its_blocks(void **state) {
  (void)state;
  const bead w = {1.3, 1, 2, 0.7, 0.4, 0.9};
  dm_system s = bead_system(&w, "midpoint");
  const double h = 0.1, q0[] = {0.6, 0, -0.8}, q1[] = {0.64, 0.11, -0.77};
  double qm[3], v[3], L_q[3], L_v[3], L_qq[9], L_qv[9], L_vv[9], want[9];
  dm_jet jet = {0, L_q, L_v, L_qq, L_qv, L_vv};
  for (int i = 0; i < 3; i++) qm[i] = (q0[i] + q1[i]) / 2, v[i] = (q1[i] - q0[i]) / h;
  assert_int_equal(bead_eval(&w, NULL, 2, qm, v, &jet), DM_OK);
  dm_interval *d;
  dm_kkt *k;
  assert_int_equal(dm_interval_new(&d, &s), DM_OK);
  assert_int_equal(dm_kkt_new(&k, &s), DM_OK);
  assert_int_equal(dm_interval_eval(d, 2, q0, q1, NULL, h), DM_OK);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = 3 * i + j, t = 3 * j + i;
      want[a] = L_qq[a] / 4 + (L_qv[a] - L_qv[t]) / (2 * h) - L_vv[a] / (h * h);
      assert_close(d->D12[a], h * want[a], 1e-13);
    }
  assert_int_equal(dm_kkt_start(k, q0), DM_OK);
  assert_int_equal(dm_kkt_end(k, q1), DM_OK);
  assert_int_equal(dm_kkt_factor(k, d->D12), DM_OK);
  // solved as a whole, and by the Schur complement
  double x[4] = {0.3, -0.2, 0.5, 0.1}, y[6], schur = 0, gap = -x[3];
  for (int i = 0; i < 3; i++) y[2 * i] = x[i], y[2 * i + 1] = 2 * q0[i];
  int piv[3];
  double M[9];
  memcpy(M, d->D12, sizeof M);
  assert_int_equal(dm_lu_factor(3, M, piv), DM_OK);
  dm_lu_solve(3, M, piv, 2, y);
  for (int i = 0; i < 3; i++) gap += 2 * q1[i] * y[2 * i], schur += 2 * q1[i] * y[2 * i + 1];
  dm_kkt_solve(k, 1, x);
  double lambda = -gap / schur;
  for (int i = 0; i < 3; i++) assert_close(x[i], y[2 * i] + y[2 * i + 1] * lambda, 1e-13);
  assert_close(x[3], lambda, 1e-11);
  dm_interval_free(d), dm_kkt_free(k);
}

static void rotate(double angle, const double *q, double *out) {
  out[0] = cos(angle) * q[0] - sin(angle) * q[1];
  out[1] = sin(angle) * q[0] + cos(angle) * q[1];
  out[2] = q[2];
}

// J_d = -h D2L(q_k+1,q_k).xi(q_k) = h D1L(q_k+1,q_k).xi(q_k+1), arguments as in the paper: the
// later first. With h L our discrete Lagrangian these are -D1.xi(q0) and D2.xi(q1)
static double moment(dm_interval *d, const double *q0, const double *q1, double h) {
  assert_int_equal(dm_interval_eval(d, 1, q0, q1, NULL, h), DM_OK);
  double left = d->D1[0] * q0[1] - d->D1[1] * q0[0], right = d->D2[1] * q1[0] - d->D2[0] * q1[1];
  assert_close(left, right, 1e-13); // the discrete Lagrangian is symmetric
  return right;
}

// conserved to rounding, and J + O(h^2) (midpoint) as h falls: half the step, a quarter of the
// difference
static void discrete_momentum_is_kept_and_tends_to_the_momentum(void **state) {
  (void)state;
  const char *rules[] = {"midpoint", "trapezoid"};
  const bead w = {1.3, 1, 2, 0.7, 0.4, 0.9};
  for (int r = 0; r < 2; r++) {
    dm_system s = bead_system(&w, rules[r]);
    dm_interval *d;
    dm_del *del;
    dm_del_info info;
    double q[3], q1[3], p[3], J[2];
    assert_int_equal(dm_interval_new(&d, &s), DM_OK);
    assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
    double L_q[3], L_v[3], exact;
    dm_jet jet = {0, L_q, L_v, NULL, NULL, NULL};
    assert_int_equal(bead_eval(&w, NULL, 1, start_q, start_v, &jet), DM_OK);
    exact = L_v[1] * start_q[0] - L_v[0] * start_q[1];
    memcpy(q, start_q, sizeof q), memcpy(p, L_v, sizeof p), memcpy(q1, q, sizeof q);
    for (int k = 0; k < 2000; k++) {
      assert_int_equal(dm_del_step(del, q, p, NULL, 0.05, q1, p, &info), DM_OK);
      assert_close(moment(d, q, q1, 0.05), exact, 1e-11);
      memcpy(q, q1, sizeof q);
    }
    // two points of one smooth curve on the sphere
    for (int i = 0; i < 2; i++) {
      double h = 0.02 / (1 << i), a[3], b[3], turned[3];
      double tilt = 0.3, at[] = {sin(tilt), 0, -cos(tilt)},
             on[] = {sin(tilt + h), 0, -cos(tilt + h)};
      rotate(-h, at, a), rotate(h, on, b);
      rotate(0.7, a, turned);
      // at the middle of the curve tilt = 0.3 + h/2
      double rate = 2, x = sin(tilt + h / 2);
      J[i] = moment(d, a, b, h) - (w.m * x * x * rate + w.b / 2 * x * x);
      double turned_b[3];
      rotate(0.7, b, turned_b);
      assert_close(moment(d, turned, turned_b, h), moment(d, a, b, h), 1e-13);
    }
    assert_close(J[0] / J[1], 4, 0.1);
    dm_interval_free(d), dm_del_free(del);
  }
}

// -- generalized coordinates: L^c(q1,q0) = L((psi(q1)+psi(q0))/2, (psi(q1)-psi(q0))/h) of (4.9),
// psi (tilt, turn) -> sphere

static void psi(const double *a, double *q) {
  q[0] = sin(a[0]) * cos(a[1]), q[1] = sin(a[0]) * sin(a[1]), q[2] = -cos(a[0]);
}
static void Dpsi(const double *a, double D[3][2]) {
  double s = sin(a[0]), c = cos(a[0]), S = sin(a[1]), C = cos(a[1]);
  D[0][0] = c * C, D[1][0] = c * S, D[2][0] = s;
  D[0][1] = -s * S, D[1][1] = s * C, D[2][1] = 0;
}
// D1 and D2 of it by the chain rule, and the derivative of D1 by a1
static void chart(dm_interval *d, const double *a0, const double *a1, double h, double *D1,
                  double *D2, double *D12) {
  double q0[3], q1[3], A[3][2], B[3][2];
  psi(a0, q0), psi(a1, q1), Dpsi(a0, A), Dpsi(a1, B);
  assert_int_equal(dm_interval_eval(d, 2, q0, q1, NULL, h), DM_OK);
  for (int i = 0; i < 2; i++) {
    D1[i] = D2[i] = 0;
    for (int j = 0; j < 3; j++) D1[i] += A[j][i] * d->D1[j], D2[i] += B[j][i] * d->D2[j];
    for (int k = 0; k < 2; k++) {
      D12[2 * i + k] = 0;
      for (int j = 0; j < 3; j++)
        for (int l = 0; l < 3; l++) D12[2 * i + k] += A[j][i] * d->D12[3 * j + l] * B[l][k];
    }
  }
}

static void generalized_coordinates_give_the_same_motion(void **state) {
  (void)state;
  const char *rules[] = {"midpoint", "trapezoid"};
  const bead w = {1.3, 1, 2, 0.7, 0.4, 0.9};
  const double h = 0.05;
  for (int r = 0; r < 2; r++) {
    dm_system s = bead_system(&w, rules[r]);
    dm_interval *d;
    dm_del *del;
    dm_del_info info;
    assert_int_equal(dm_interval_new(&d, &s), DM_OK);
    assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
    double L_q[3], p[3], q[3], q1[3], a[2] = {asin(0.6), 0}, a1[2], pa[2] = {0}, D[3][2];
    dm_jet jet = {0, L_q, p, NULL, NULL, NULL};
    assert_int_equal(bead_eval(&w, NULL, 1, start_q, start_v, &jet), DM_OK);
    memcpy(q, start_q, sizeof q), memcpy(q1, q, sizeof q);
    Dpsi(a, D);
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 3; j++) pa[i] += D[j][i] * p[j];
    memcpy(a1, a, sizeof a);
    for (int k = 0; k < 200; k++) {
      assert_int_equal(dm_del_step(del, q, p, NULL, h, q1, p, &info), DM_OK);
      memcpy(q, q1, sizeof q);
      double D1[2], D2[2], J[4], on[3];
      for (int it = 0; it < 8; it++) {
        chart(d, a, a1, h, D1, D2, J);
        double f = pa[0] + D1[0], g = pa[1] + D1[1], det = J[0] * J[3] - J[1] * J[2];
        a1[0] -= (J[3] * f - J[1] * g) / det, a1[1] -= (J[0] * g - J[2] * f) / det;
      }
      chart(d, a, a1, h, D1, D2, J);
      memcpy(pa, D2, sizeof pa);
      for (int i = 0; i < 2; i++) {
        double old = a[i];
        a[i] = a1[i], a1[i] += a1[i] - old;
      }
      psi(a, on);
      for (int i = 0; i < 3; i++) assert_close(q[i], on[i], 1e-10);
    }
    dm_interval_free(d), dm_del_free(del);
  }
}

// -- SHAKE and RATTLE, written as molecular dynamics does

static void force(const bead *w, const double *q, double *F) {
  F[0] = F[1] = 0, F[2] = -w->g - w->k * q[2] - 3 * w->c * q[2] * q[2];
}
// q1 on the sphere from the free point x along q0
static double shake(double r, const double *q0, const double *x, double *q1) {
  double t = 0;
  for (int it = 0; it < 50; it++) {
    for (int i = 0; i < 3; i++) q1[i] = x[i] + t * q0[i];
    t -= (dm_inner(3, q1, q1) - r * r) / (2 * dm_inner(3, q1, q0));
  }
  return t;
}

// q_k+1 = 2 q_k - q_k-1 + h^2/m F(q_k) + t q_k, |q_k+1| = r; half steps of velocity with the
// constraint of velocities beside it. Positions are the trapezoid's, and its momenta, restricted,
// the velocities. Without a constraint, Verlet
static void trapezoid_is_shake_and_rattle(void **state) {
  (void)state;
  const double h = 0.05;
  for (int free = 0; free < 2; free++) {
    const bead w = {1.3, 1, 2, 0.7, free ? 0 : 0.4, 0};
    dm_system s = bead_system(&w, "trapezoid");
    if (free) s.hol = (dm_holonomic){0};
    dm_del *del;
    dm_continuous *c;
    dm_del_info info;
    assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
    assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
    double q[3], q1[3], p[3], v[3], x[3], on[3], half[3], F[3], was[3], verlet[3];
    memcpy(q, start_q, sizeof q), memcpy(q1, q, sizeof q), memcpy(v, start_v, sizeof v);
    for (int i = 0; i < 3; i++) p[i] = w.m * start_v[i];
    for (int k = 0; k < 200; k++) {
      // RATTLE from (q,v)
      force(&w, q, F);
      for (int i = 0; i < 3; i++)
        half[i] = v[i] + h / (2 * w.m) * F[i], x[i] = q[i] + h * half[i], on[i] = x[i];
      if (!free) shake(w.r, q, x, on);
      for (int i = 0; i < 3; i++) half[i] = (on[i] - q[i]) / h;
      force(&w, on, F);
      for (int i = 0; i < 3; i++) half[i] += h / (2 * w.m) * F[i];
      double out = free ? 0 : dm_inner(3, half, on) / dm_inner(3, on, on);
      for (int i = 0; i < 3; i++) v[i] = half[i] - out * on[i];
      // SHAKE from two positions
      force(&w, q, F);
      for (int i = 0; k && i < 3; i++) x[i] = 2 * q[i] - was[i] + h * h / w.m * F[i];
      memcpy(verlet, k ? x : on, sizeof verlet);
      if (k && !free) shake(w.r, q, x, verlet);
      // ours
      memcpy(was, q, sizeof q);
      assert_int_equal(dm_del_step(del, q, p, NULL, h, q1, p, &info), DM_OK);
      double rate[3] = {0};
      assert_int_equal(dm_velocity_of(c, q1, p, rate), DM_OK);
      if (!free) assert_int_equal(dm_velocity_restrict(c, q1, rate), DM_OK);
      for (int i = 0; i < 3; i++) {
        assert_close(q1[i], on[i], 1e-11);
        assert_close(q1[i], verlet[i], 1e-11);
        assert_close(rate[i], v[i], 1e-10);
      }
      memcpy(q, q1, sizeof q);
    }
    dm_del_free(del), dm_continuous_free(c);
  }
}

// (4.8): potentials act as the mean of both middles, which is not SHAKE's
static void midpoint_takes_forces_in_the_middle(void **state) {
  (void)state;
  const bead w = {1.3, 1, 2, 0.7, 0.4, 0};
  const double h = 0.05;
  dm_system s = bead_system(&w, "midpoint");
  dm_del *del;
  dm_del_info info;
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  double q[3][3], p[3];
  memcpy(q[0], start_q, sizeof start_q);
  for (int i = 0; i < 3; i++) p[i] = w.m * start_v[i];
  for (int k = 0; k < 2; k++) {
    memcpy(q[k + 1], q[k], sizeof *q);
    assert_int_equal(dm_del_step(del, q[k], p, NULL, h, q[k + 1], p, &info), DM_OK);
  }
  double left[3], right[3], F0[3], F1[3], off[3], along = 0;
  for (int i = 0; i < 3; i++) left[i] = (q[0][i] + q[1][i]) / 2, right[i] = (q[1][i] + q[2][i]) / 2;
  force(&w, left, F0), force(&w, right, F1);
  for (int i = 0; i < 3; i++) {
    off[i] = w.m * (q[2][i] - 2 * q[1][i] + q[0][i]) / (h * h) - (F0[i] + F1[i]) / 2;
    along += off[i] * q[1][i];
  }
  for (int i = 0; i < 3; i++) assert_close(off[i], along * q[1][i], 1e-10);
  assert_true(fabs(along) > 1);
  dm_del_free(del);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newtons_matrix_has_its_blocks),
      cmocka_unit_test(discrete_momentum_is_kept_and_tends_to_the_momentum),
      cmocka_unit_test(generalized_coordinates_give_the_same_motion),
      cmocka_unit_test(trapezoid_is_shake_and_rattle),
      cmocka_unit_test(midpoint_takes_forces_in_the_middle),
  };
  return cmocka_run_group_tests_name("constrained", tests, NULL, NULL);
}

// Families of systems: what lies between the members, and derivatives by the parameters.
#include "tests/support/models.h"

#include "lib/base/dense.h"
#include "lib/base/difference.h"
#include "lib/mechanics/family_misfit.h"
#include "lib/multibody/constraint.h"
#include "lib/multibody/tree_system.h"

enum { NP = 3, DEGREE = 3, MEMBERS = 20, NQ = 3, N = NQ + NP, NU = 3 };

// a drag c v^3 and an input of its own, u q / c, on the first coordinate
static dm_status eval_drag(const void *self, void *scratch, int order, const double *q,
                           const double *v, const double *u, dm_force_jet *out) {
  const double c = *(const double *)self;
  (void)scratch;
  out->f[0] += -c * v[0] * v[0] * v[0] + u[0] * q[0] * c * c;
  if (order < 2) return DM_OK;
  out->f_v[0] -= 3 * c * v[0] * v[0];
  out->f_q[0] += u[0] * c * c;
  out->f_u[0] += q[0] * c * c;
  return DM_OK;
}

static dm_status contract_drag(const void *self, void *scratch, const double *q, const double *v,
                               const double *u, const double *mu, dm_force_hessian *out) {
  const double c = *(const double *)self;
  (void)scratch;
  (void)q;
  (void)u;
  out->vv[0] -= mu[0] * 6 * c * v[0];
  out->qu[0] += mu[0] * c * c;
  return DM_OK;
}

// a cart with two links: the mass of the last, the length between both, and a number that the drag, a
// gear and a damping have in common
typedef struct member {
  dm_model *m;
  dm_constraints *c;
  dm_system s;
  double p[NP], damping[NQ], gear[2];
} member;

static void open_member(member *x, const double p[NP]) {
  memcpy(x->p, p, sizeof x->p);
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0), models_coord("a", false, 0, 1, 0),
                       models_coord("b", false, 0, 1, 0)};
  dm_pose offset = dm_identity;
  offset.p.z = -p[1];
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, 1, {0}, {0}},
                 {"link", 0, dm_identity, 1, 1, 0.7, {0, 0, -p[1] / 2}, {0, 0.1, 0}},
                 {"end", 1, offset, 2, 1, p[0], {0.1, 0, -0.4}, {0, 0.05, 0}}};
  dm_input u[] = {models_input("x", 0), models_input("b", 2)};
  x->m = models_make(&(dm_tree){.nbody = 3,
                                .ncoord = 3,
                                .ninput = 2,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.81}});
  const dm_constraint ring = {.name = "ring",
                              .kind = DM_DISTANCE,
                              .body = {2, -1},
                              .point = {{0, 0, -0.6}, {0.5, 0, -1}},
                              .length = 0.5 + p[1],
                              .coord = {-1, -1}};
  dm_message msg = {""};
  if (dm_constraints_new(&x->c, x->m, 1, &ring, &msg) != DM_OK) fail_msg("%s", msg.text);
  x->s = dm_system_of(x->m);
  x->s.hol = dm_constraints_holonomic(x->c);
  for (int i = 0; i < NQ; i++) x->damping[i] = 0.1 * i * p[2];
  x->gear[0] = 1;
  x->gear[1] = p[2];
  x->s.damping = x->damping;
  x->s.input_gear = x->gear;
  dm_system_add_force(
      &x->s, (dm_force){.nu = 1, .self = &x->p[2], .eval = eval_drag, .contract = contract_drag});
}

static void close_member(member *x) {
  dm_constraints_free(x->c);
  dm_model_free(x->m);
}

typedef struct family_bench {
  member member[MEMBERS];
  dm_family *w;
  dm_system s;
  void *scratch;
  double u[NU], mu[N], lambda[1];
} family_bench;

static const double low[] = {0.2, 0.3, 0.5}, high[] = {1.4, 1.1, 2};

static void open_family(family_bench *b) {
  double p[MEMBERS * NP];
  dm_system s[MEMBERS];
  dm_message msg = {""};
  assert_int_equal(dm_family_members(NP, DEGREE), MEMBERS);
  dm_family_values(NP, DEGREE, low, high, p);
  for (int j = 0; j < MEMBERS; j++) {
    for (int i = 0; i < NP; i++)
      assert_true(p[j * NP + i] >= low[i] - 1e-15 && p[j * NP + i] <= high[i] + 1e-15);
    open_member(&b->member[j], p + j * NP);
    s[j] = b->member[j].s;
  }
  if (dm_family_new(&b->w, NP, DEGREE, low, high, s, &msg) != DM_OK) fail_msg("%s", msg.text);
  b->s = dm_family_system(b->w);
  size_t most = b->s.L.scratch + b->s.hol.scratch + b->s.force.row[0].scratch;
  b->scratch = aligned_alloc(64, (most + 127) & ~(size_t)63);
  for (int i = 0; i < NU; i++) b->u[i] = 0.3 + 0.2 * i;
  for (int i = 0; i < N; i++) b->mu[i] = 0.5 - 0.3 * i;
  b->lambda[0] = 1.7;
}

static void close_family(family_bench *b) {
  for (int j = 0; j < MEMBERS; j++) close_member(&b->member[j]);
  dm_family_free(b->w);
  free(b->scratch);
}

static const double q_at[N] = {0.3, -0.7, 1.1, 0.9, 0.65, 1.3}, v_at[N] = {0.8, 1.2, -0.5};

// between members it is the system that one would make there
static void what_lies_between_is_a_member(void **state) {
  (void)state;
  family_bench b;
  member x;
  open_family(&b);
  open_member(&x, q_at + NQ);
  double L_q[2][N], L_v[2][N], h[2], D[2][N], f[2][N] = {{0}}, f_q[N * N] = {0};
  double f_v[N * N] = {0}, f_u[N * NU] = {0};
  dm_jet jet[] = {{.L_q = L_q[0], .L_v = L_v[0]}, {.L_q = L_q[1], .L_v = L_v[1]}};
  void *scratch = aligned_alloc(64, 1 << 16);
  assert_int_equal(b.s.L.eval(b.s.L.self, b.scratch, 1, q_at, v_at, &jet[0]), DM_OK);
  assert_int_equal(x.s.L.eval(x.s.L.self, scratch, 1, q_at, v_at, &jet[1]), DM_OK);
  assert_close(jet[0].L, jet[1].L, 1e-13);
  for (int i = 0; i < NQ; i++) {
    assert_close(L_q[0][i], L_q[1][i], 1e-13);
    assert_close(L_v[0][i], L_v[1][i], 1e-13);
  }

  // constraints, forces with gears and damping
  assert_int_equal(b.s.hol.eval(b.s.hol.self, b.scratch, q_at, &h[0], D[0]), DM_OK);
  assert_int_equal(x.s.hol.eval(x.s.hol.self, scratch, q_at, &h[1], D[1]), DM_OK);
  assert_close(h[0], h[1], 1e-14);
  for (int i = 0; i < NQ; i++) assert_close(D[0][i], D[1][i], 1e-13);
  assert_true(b.s.nu == NU && b.s.nk == NP && !b.s.damping);
  dm_force_jet force = {f[0], f_q, f_v, f_u};
  assert_int_equal(dm_forces_eval(&b.s.force, N, b.scratch, 1, q_at, v_at, b.u, &force), DM_OK);
  force.f = f[1];
  assert_int_equal(dm_forces_eval(&x.s.force, NQ, scratch, 1, q_at, v_at, b.u + 2, &force), DM_OK);
  f[1][0] += b.u[0];
  f[1][2] += x.gear[1] * b.u[1];
  for (int i = 0; i < NQ; i++) assert_close(f[0][i], f[1][i] - x.damping[i] * v_at[i], 1e-14);
  double misfit, one[NQ];
  for (int i = 0; i < NQ; i++) one[i] = 1;
  const dm_scale unit = {1, 1, one, one, one};
  assert_int_equal(dm_family_misfit(b.w, &x.s, &unit, q_at, v_at, b.u, &misfit), DM_OK);
  assert_true(misfit < 1e-13);
  x.damping[1] += 1e-3;
  assert_int_equal(dm_family_misfit(b.w, &x.s, &unit, q_at, v_at, b.u, &misfit), DM_OK);
  assert_true(misfit > 1e-5);
  free(scratch);
  close_member(&x);
  close_family(&b);
}

// -- derivatives, by z = (q,p,v)

static dm_status slope_of_L(void *self, const double *z, double *out) {
  family_bench *b = self;
  dm_jet jet = {.L_q = out, .L_v = out + N};
  return b->s.L.eval(b->s.L.self, b->scratch, 1, z, z + N, &jet);
}

// L_zz a, a = mu in both halves
static dm_status turn_of_L(void *self, const double *z, double *out) {
  family_bench *b = self;
  double L_q[N], L_v[N], qq[N * N], qv[N * N], vv[N * N];
  dm_jet jet = {.L_q = L_q, .L_v = L_v, .L_qq = qq, .L_qv = qv, .L_vv = vv};
  const dm_status s = b->s.L.eval(b->s.L.self, b->scratch, 2, z, z + N, &jet);
  for (int i = 0; i < N; i++) {
    out[i] = out[N + i] = 0;
    for (int j = 0; j < N; j++) {
      out[i] += (qq[i * N + j] + qv[i * N + j]) * b->mu[j];
      out[N + i] += (qv[j * N + i] + vv[i * N + j]) * b->mu[j];
    }
  }
  return s;
}

static void hold_difference(family_bench *b, int n, int m, const double *z, const double *Jd,
                            dm_status (*f)(void *, const double *, double *), const double *d) {
  double room[200];
  const dm_difference claim = {n, m, z, d, Jd, f, b, NULL, 1e-14};
  const dm_verdict verdict = dm_difference_judge(&claim, room);
  if (!verdict.holds) fail_msg("error %g, order %g", verdict.error, verdict.order);
}

static void derivatives_by_parameters_are_exact(void **state) {
  (void)state;
  family_bench b;
  open_family(&b);
  double z[2 * N], d[2 * N], Jd[2 * N], L_q[N], L_v[N], qq[N * N], qv[N * N], vv[N * N];
  dm_jet jet = {.L_q = L_q, .L_v = L_v, .L_qq = qq, .L_qv = qv, .L_vv = vv};
  memcpy(z, q_at, sizeof q_at);
  memcpy(z + N, v_at, sizeof v_at);
  for (int i = 0; i < 2 * N; i++) d[i] = cos(1 + 2 * i);
  assert_int_equal(b.s.L.eval(b.s.L.self, b.scratch, 2, z, z + N, &jet), DM_OK);
  for (int i = 0; i < N; i++) {
    Jd[i] = Jd[N + i] = 0;
    for (int j = 0; j < N; j++) {
      Jd[i] += qq[i * N + j] * d[j] + qv[i * N + j] * d[N + j];
      Jd[N + i] += qv[j * N + i] * d[j] + vv[i * N + j] * d[N + j];
    }
  }
  hold_difference(&b, 2 * N, 2 * N, z, Jd, slope_of_L, d);

  // third ones
  assert_int_equal(b.s.L.contract(b.s.L.self, b.scratch, z, z + N, b.mu, b.mu, &jet), DM_OK);
  for (int i = 0; i < N; i++) {
    Jd[i] = Jd[N + i] = 0;
    for (int j = 0; j < N; j++) {
      Jd[i] += qq[i * N + j] * d[j] + qv[i * N + j] * d[N + j];
      Jd[N + i] += qv[j * N + i] * d[j] + vv[i * N + j] * d[N + j];
    }
  }
  hold_difference(&b, 2 * N, 2 * N, z, Jd, turn_of_L, d);
  close_family(&b);
}

static dm_status value_of_hol(void *self, const double *q, double *out) {
  family_bench *b = self;
  return b->s.hol.eval(b->s.hol.self, b->scratch, q, out, NULL);
}

static dm_status slope_of_hol(void *self, const double *q, double *out) {
  family_bench *b = self;
  double h;
  const dm_status s = b->s.hol.eval(b->s.hol.self, b->scratch, q, &h, out);
  for (int i = 0; i < N; i++) out[i] *= b->lambda[0];
  return s;
}

// D2h mu, and lambda D2h mu by another direction: the change of lambda Dh mu
static dm_status turn_of_hol(void *self, const double *q, double *out) {
  family_bench *b = self;
  double H[N * N] = {0};
  const dm_status s = b->s.hol.contract(b->s.hol.self, b->scratch, q, b->lambda, H);
  for (int i = 0; i < N; i++) out[i] = dm_inner(N, H + i * N, b->mu);
  return s;
}

static void constraints_and_their_derivatives(void **state) {
  (void)state;
  family_bench b;
  open_family(&b);
  const dm_holonomic *hol = &b.s.hol;
  double d[N], h, D[N], Jd[N], H[N * N] = {0}, J[N], T[N * N] = {0};
  for (int i = 0; i < N; i++) d[i] = cos(1 + 2 * i);
  assert_int_equal(hol->eval(hol->self, b.scratch, q_at, &h, D), DM_OK);
  Jd[0] = dm_inner(N, D, d);
  hold_difference(&b, N, 1, q_at, Jd, value_of_hol, d);
  assert_int_equal(hol->contract(hol->self, b.scratch, q_at, b.lambda, H), DM_OK);
  for (int i = 0; i < N; i++) Jd[i] = dm_inner(N, H + i * N, d);
  hold_difference(&b, N, N, q_at, Jd, slope_of_hol, d);

  // along mu: the rows of the Hessian, and its change
  assert_int_equal(hol->directional(hol->self, b.scratch, q_at, b.mu, b.lambda, J, T), DM_OK);
  for (int i = 0; i < N; i++) assert_close(b.lambda[0] * J[i], dm_inner(N, H + i * N, b.mu), 1e-12);
  for (int i = 0; i < N; i++) Jd[i] = dm_inner(N, T + i * N, d);
  hold_difference(&b, N, N, q_at, Jd, turn_of_hol, d);
  close_family(&b);
}

// f by z = (q,p,v,u), and mu f's slope
static void eval_force_at(family_bench *b, const double *z, double *f, double *slope) {
  double f_q[N * N] = {0}, f_v[N * N] = {0}, f_u[N * NU] = {0};
  dm_force_jet out = {f, f_q, f_v, f_u};
  memset(f, 0, N * sizeof *f);
  assert_int_equal(dm_forces_eval(&b->s.force, N, b->scratch, 2, z, z + N, z + 2 * N, &out), DM_OK);
  memset(slope, 0, (2 * N + NU) * sizeof *slope);
  for (int i = 0; i < N; i++) {
    dm_add_to(N, b->mu[i], f_q + i * N, slope);
    dm_add_to(N, b->mu[i], f_v + i * N, slope + N);
    dm_add_to(NU, b->mu[i], f_u + i * NU, slope + 2 * N);
  }
}

static dm_status value_of_force(void *self, const double *z, double *out) {
  family_bench *b = self;
  double f[N], slope[2 * N + NU];
  eval_force_at(b, z, f, slope);
  *out = dm_inner(N, b->mu, f);
  return DM_OK;
}

static dm_status slope_of_force(void *self, const double *z, double *out) {
  double f[N];
  eval_force_at(self, z, f, out);
  return DM_OK;
}

static void forces_and_their_derivatives(void **state) {
  (void)state;
  family_bench b;
  open_family(&b);
  enum { M = 2 * N + NU };
  double z[M], d[M], f[N], slope[M], Jd[M] = {0};
  double qq[N * N] = {0}, qv[N * N] = {0}, vv[N * N] = {0}, qu[N * NU] = {0}, vu[N * NU] = {0};
  double uu[NU * NU] = {0};
  memcpy(z, q_at, sizeof q_at);
  memcpy(z + N, v_at, sizeof v_at);
  memcpy(z + 2 * N, b.u, sizeof b.u);
  for (int i = 0; i < M; i++) d[i] = cos(1 + 2 * i);
  eval_force_at(&b, z, f, slope);
  Jd[0] = dm_inner(M, slope, d);
  hold_difference(&b, M, 1, z, Jd, value_of_force, d);

  dm_force_hessian H = {qq, qv, vv, qu, vu, uu};
  assert_int_equal(dm_forces_contract(&b.s.force, N, b.scratch, z, z + N, z + 2 * N, b.mu, &H),
                   DM_OK);
  memset(Jd, 0, sizeof Jd);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      Jd[i] += qq[i * N + j] * d[j] + qv[i * N + j] * d[N + j];
      Jd[N + i] += qv[j * N + i] * d[j] + vv[i * N + j] * d[N + j];
    }
    for (int c = 0; c < NU; c++) {
      Jd[i] += qu[i * NU + c] * d[2 * N + c];
      Jd[N + i] += vu[i * NU + c] * d[2 * N + c];
      Jd[2 * N + c] += qu[i * NU + c] * d[i] + vu[i * NU + c] * d[N + i];
    }
  }
  hold_difference(&b, M, M, z, Jd, slope_of_force, d);
  close_family(&b);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  dm_family *w;
  dm_message msg;
  member x;
  open_member(&x, low);
  dm_system s[2] = {x.s, x.s};
  s[1].hol.nc = 0;
  assert_int_equal(dm_family_new(&w, 1, 1, low, high, s, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "different constraints"));
  assert_int_equal(dm_family_new(&w, 6, 5, low, high, s, &msg), DM_BAD_INPUT);
  assert_non_null(strstr(msg.text, "too large"));
  close_member(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_lies_between_is_a_member),
      cmocka_unit_test(derivatives_by_parameters_are_exact),
      cmocka_unit_test(constraints_and_their_derivatives),
      cmocka_unit_test(forces_and_their_derivatives),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "lib/multibody/quaternion_system.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/chain_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct dm_quaternion_system {
  const dm_model *tree, *model; // internal, external
  dm_system in;
  dm_chain_rule map;
  int nf, ntorque;                                 // inputs of the force; torques on ball joints
                                                   // among them
  double *radial;                                  // [nball] c of the header          [kg m2]
  int *turned;                                     // [ntorque] first coordinate of the quaternion
                                                   // it acts on
  double *torque;                                  // [ntorque x 3] for u = 1             [N m]
  unsigned char *L_mask, *mask, *mask_u, *mask_uu; // masks of L and of the force
  char *name;                                      // [nball x NAME] names of the constraints
};

enum { NAME = 80 };

// Scratch of one evaluation.
typedef struct tree_point {
  dm_chained at;
  double *a_q, *a_v, *g, *f, *hg, *hf; // [nt] direction; covectors
  double *H[3], *T[3];                 // [nt x nt] qq, qv, vv
  double *h, *to;                      // [nc] internal constraints, multipliers
  double *Dh, *Jt;                     // [nc x nt]; directional derivative
  double *fu, *wide, *fv, *vwide;      // [nt x nf] force by inputs
  double *uu;                          // [nf x nf]
  void *inner;
} tree_point;

static tree_point open_point(const dm_quaternion_system *w, dm_block *b) {
  size_t nt = (size_t)w->map.nt, nf = (size_t)w->nf, nc = (size_t)w->in.hol.nc;
  size_t d = sizeof(double), largest = w->in.L.scratch;
  size_t forces = dm_forces_scratch(&w->in.force, w->map.nt);
  tree_point r = {0};

  // the point; derivatives of internal L, constraints and forces; a scratch shared by these
  dm_chained_lay_out(&r.at, b, &w->map);
  double **const vectors[] = {&r.a_q, &r.a_v, &r.g, &r.f, &r.hg, &r.hf};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = dm_block_alloc(b, nt, d);
  for (int k = 0; k < 3; k++) {
    r.H[k] = dm_block_alloc(b, nt * nt, d);
    r.T[k] = dm_block_alloc(b, nt * nt, d);
  }
  r.h = dm_block_alloc(b, nc, d);
  r.to = dm_block_alloc(b, nc, d);
  r.Dh = dm_block_alloc(b, nc * nt, d);
  r.Jt = dm_block_alloc(b, nc * nt, d);
  double **const wides[] = {&r.fu, &r.wide, &r.fv, &r.vwide};
  for (size_t k = 0; k < sizeof wides / sizeof *wides; k++)
    *wides[k] = dm_block_alloc(b, nt * nf, d);
  r.uu = dm_block_alloc(b, nf * nf, d);
  if (largest < w->in.hol.scratch) largest = w->in.hol.scratch;
  if (largest < forces) largest = forces;
  r.inner = dm_block_alloc(b, largest, 1);
  return r;
}

static tree_point place_point(const dm_quaternion_system *w, void *scratch, const double *q,
                              const double *v) {
  dm_block b = {.base = scratch};
  tree_point r = open_point(w, &b);
  dm_chained_set(&w->map, &r.at, q, v);
  return r;
}

static void clear_numbers(int n, double *x) {
  memset(x, 0, (size_t)n * sizeof *x);
}

// -- L

static dm_jet make_inside_jet(const tree_point *r, double *const H[3]) {
  return (dm_jet){.L_q = r->g, .L_v = r->f, .L_qq = H[0], .L_qv = H[1], .L_vv = H[2]};
}

static void add_radial_directional(const dm_quaternion_system *w, const double *q, const double *v,
                                   const double *a_q, const double *a_v, dm_jet *out) {
  for (int k = 0; k < w->map.nball; k++) {
    int o = dm_chain_rule_at(&w->map, k);
    double c = 4 * w->radial[k];
    // ds = a_q.v + q.a_v
    double d = dm_inner(4, a_q + o, v + o) + dm_inner(4, q + o, a_v + o);

    // derivatives of c v v', c (v q' + s 1), c q q' along (a_q,a_v); d is the derivative of s
    for (int i = 0; i < 4; i++) {
      int row = (o + i) * w->map.n + o;
      dm_add_to(4, c * v[o + i], a_v + o, out->L_qq + row);
      dm_add_to(4, c * a_v[o + i], v + o, out->L_qq + row);
      dm_add_to(4, c * v[o + i], a_q + o, out->L_qv + row);
      dm_add_to(4, c * a_v[o + i], q + o, out->L_qv + row);
      dm_add_to(4, c * q[o + i], a_q + o, out->L_vv + row);
      dm_add_to(4, c * a_q[o + i], q + o, out->L_vv + row);
      out->L_qv[row + i] += c * d;
    }
  }
}

static void clear_hessian(const dm_quaternion_system *w, const tree_point *r, const dm_jet *out) {
  int nn = w->map.n * w->map.n;
  clear_numbers(nn, out->L_qq);
  clear_numbers(nn, out->L_qv);
  clear_numbers(nn, out->L_vv);
  clear_numbers(nn, r->at.X);
}

static void make_symmetric(const dm_quaternion_system *w, const dm_jet *out) {
  dm_chain_even(&w->map, out->L_qq);
  dm_chain_even(&w->map, out->L_vv);
}

static dm_status eval_ball_lagrangian(const void *self, void *scratch, int order, const double *q,
                                      const double *v, dm_jet *out) {
  const dm_quaternion_system *w = self;
  tree_point r = place_point(w, scratch, q, v);
  dm_jet in = make_inside_jet(&r, r.H);
  dm_chain_maps J = dm_chained_maps(&r.at);
  // L of the tree at the internal (q,v)
  DM_TRY(w->in.L.eval(w->in.L.self, r.inner, order, r.at.q, r.at.v, &in));

  // gradient (g,f) of the tree: L_z = J'(g,f)
  out->L = in.L;
  clear_numbers(w->map.n, out->L_q);
  clear_numbers(w->map.n, out->L_v);
  dm_chain_left(&w->map, J.turns_q, 1, r.g, out->L_q);
  dm_chain_left(&w->map, J.rates_q, 1, r.f, out->L_q);
  dm_chain_left(&w->map, J.rates_v, 1, r.f, out->L_v);

  // L_zz = J' H J + (g,f).J'
  if (order > 1) {
    clear_hessian(w, &r, out);
    dm_chain_hessian(&w->map, &r.at, &J, r.H, &J,
                     (double *const[]){out->L_qq, out->L_qv, out->L_vv});
    dm_chain_twice(&w->map, r.at.X, out->L_qq);
    dm_chain_add_hessian(&w->map, &r.at, r.g, r.f, out->L_qq, out->L_qv);
  }

  // add 2 c (q.v)^2 of each ball joint, with derivatives
  for (int k = 0; k < w->map.nball; k++) {
    int o = dm_chain_rule_at(&w->map, k);
    // c = 4 I with I the mean inertia of the rotation, so that |q| has the same inertia as the
    // rotation of q
    double c = 4 * w->radial[k], s = dm_inner(4, q + o, v + o);
    // c s^2 / 2, s = q.v: L_q = c s v, L_v = c s q
    out->L += c * s * s / 2;
    dm_add_to(4, c * s, v + o, out->L_q + o);
    dm_add_to(4, c * s, q + o, out->L_v + o);

    // L_qq = c v v', L_qv = c (v q' + s 1), L_vv = c q q'
    for (int i = 0; order > 1 && i < 4; i++) {
      int row = (o + i) * w->map.n + o;
      dm_add_to(4, c * v[o + i], v + o, out->L_qq + row);
      dm_add_to(4, c * v[o + i], q + o, out->L_qv + row);
      dm_add_to(4, c * q[o + i], q + o, out->L_vv + row);
      out->L_qv[row + i] += c * s;
    }
  }

  if (order > 1) make_symmetric(w, out);
  return DM_OK;
}

static dm_status contract_ball_lagrangian(const void *self, void *scratch, const double *q,
                                          const double *v, const double *a_q, const double *a_v,
                                          dm_jet *out) {
  const dm_quaternion_system *w = self;
  tree_point r = place_point(w, scratch, q, v);
  dm_jet in = make_inside_jet(&r, r.H);
  dm_jet bent = {.L_qq = r.T[0], .L_qv = r.T[1], .L_vv = r.T[2]}; // its third derivatives along J a
  dm_chain_maps J = dm_chained_maps(&r.at);
  dm_chain_maps Ja = dm_chained_directional(&w->map, &r.at, a_q, a_v);
  double *const to[] = {out->L_qq, out->L_qv, out->L_vv};

  // (r.a_q, r.a_v) = J a
  clear_numbers(w->map.nt, r.a_q);
  clear_numbers(w->map.nt, r.a_v);
  dm_chain_apply(&w->map, J.turns_q, a_q, r.a_q);
  dm_chain_apply(&w->map, J.rates_q, a_q, r.a_v);
  dm_chain_apply(&w->map, J.rates_v, a_v, r.a_v);

  // H of the tree, Tt(Ja) in r.T, and (hg,hf) = H Ja
  DM_TRY(w->in.L.eval(w->in.L.self, r.inner, 2, r.at.q, r.at.v, &in));
  // T of the tree along J a
  DM_TRY(w->in.L.contract(w->in.L.self, r.inner, r.at.q, r.at.v, r.a_q, r.a_v, &bent));

  // (hg,hf) = H (a_q,a_v)
  int n = w->map.nt;
  // H = (H0 H1; H1' H2) by (q,v), by rows of blocks
  for (int i = 0; i < n; i++) {
    r.hg[i] = dm_inner(n, r.H[0] + i * n, r.a_q) + dm_inner(n, r.H[1] + i * n, r.a_v);
    r.hf[i] = dm_inner(n, r.H[2] + i * n, r.a_v);
  }
  for (int i = 0; i < n; i++) dm_add_to(n, r.a_q[i], r.H[1] + i * n, r.hf); // H1' a_q

  // T(a) = J' Tt(Ja) J + Ja' H J + J' H Ja + (H Ja).J' + dL.Ja'
  clear_hessian(w, &r, out);
  dm_chain_hessian(&w->map, &r.at, &J, r.T, &J, to);
  dm_chain_hessian(&w->map, &r.at, &Ja, r.H, &J, to);
  dm_chain_hessian(&w->map, &r.at, &J, r.H, &Ja, to);
  dm_chain_twice(&w->map, r.at.X, out->L_qq);
  dm_chain_add_hessian(&w->map, &r.at, r.hg, r.hf, out->L_qq, out->L_qv);
  dm_chain_add_hessian_directional(&w->map, &r.at, r.g, r.f, a_q, a_v, out->L_qq, out->L_qv);
  add_radial_directional(w, q, v, a_q, a_v, out);
  make_symmetric(w, out);
  return DM_OK;
}

// -- h

// Rows: the holonomic ones of the tree, one per ball joint, the nonholonomic ones of the tree.
static int count_holonomic(const dm_quaternion_system *w) {
  return w->in.hol.nc - w->in.hol.nv;
}

// Y [rows of the system x n] += X M, X [rows of the tree x nt]
static void widen_rows(const dm_quaternion_system *w, dm_chain_map M, const double *X, double *Y) {
  const int nh = count_holonomic(w), nv = w->in.hol.nv, n = w->map.n;
  dm_chain_right(&w->map, M, nh, X, Y);
  dm_chain_right(&w->map, M, nv, X + nh * w->map.nt, Y + (nh + w->map.nball) * n);
}

// the multipliers of the tree's rows, in r->to
static const double *find_inner_multipliers(const dm_quaternion_system *w, const tree_point *r,
                                            const double *lambda) {
  const int nh = count_holonomic(w);
  if (!w->in.hol.nv) return lambda;
  memcpy(r->to, lambda, (size_t)nh * sizeof *lambda);
  memcpy(r->to + nh, lambda + nh + w->map.nball, (size_t)w->in.hol.nv * sizeof *lambda);
  return r->to;
}

static dm_status eval_ball_constraints(const void *self, void *scratch, const double *q, double *h,
                                       double *Dh) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  const int nh = count_holonomic(w);
  tree_point r = place_point(w, scratch, q, NULL);
  dm_status status = DM_OK;

  // ht(turns(q)) with Dht turns_q; a row that is not finite does not affect the others
  if (Dh) clear_numbers((in->nc + w->map.nball) * w->map.n, Dh);
  if (in->nc) {
    status = in->eval(in->self, r.inner, r.at.q, r.h, Dh ? r.Dh : NULL);
    if (status < 0 && status != DM_NOT_FINITE) return status;
    if (Dh) widen_rows(w, dm_chained_maps(&r.at).turns_q, r.Dh, Dh);
    memcpy(h, r.h, (size_t)nh * sizeof *h);
    memcpy(h + nh + w->map.nball, r.h + nh, (size_t)in->nv * sizeof *h);
  }

  // |q|^2 - 1 of each ball joint, with gradient 2 q'
  for (int k = 0; k < w->map.nball; k++) {
    int row = nh + k, o = dm_chain_rule_at(&w->map, k);
    h[row] = dm_inner(4, q + o, q + o) - 1;
    if (Dh) dm_add_to(4, 2, q + o, Dh + row * w->map.n + o);
  }
  return status;
}

// F = sum lambda_i Dh_i and its derivative by the internal q, of the internal rows, into g and H[0]
static dm_status sum_constraints(const dm_quaternion_system *w, const tree_point *r,
                                 const double *lambda) {
  const dm_holonomic *in = &w->in.hol;
  const dm_status status = in->eval(in->self, r->inner, r->at.q, r->h, r->Dh);
  if (status < 0 && status != DM_NOT_FINITE) return status;
  clear_numbers(w->map.nt, r->g);
  clear_numbers(w->map.nt * w->map.nt, r->H[0]);
  // g = Dht' lambda; skip rows with lambda = 0, whose derivatives may not be finite
  for (int i = 0; i < in->nc; i++)
    if (lambda[i] != 0) dm_add_to(w->map.nt, lambda[i], r->Dh + i * w->map.nt, r->g);
  for (int j = 0; status != DM_OK && j < w->map.nt; j++)
    if (!isfinite(r->g[j])) return status;
  return in->contract(in->self, r->inner, r->at.q, lambda, r->H[0]);
}

static dm_status contract_ball_constraints(const void *self, void *scratch, const double *q,
                                           const double *lambda, double *H) {
  const dm_quaternion_system *w = self;
  tree_point r = place_point(w, scratch, q, NULL);
  dm_chain_maps J = dm_chained_maps(&r.at);

  // turns_q' (sum lambda_i D2h_i) turns_q + (sum lambda_i Dh_i).turns_qq
  if (w->in.hol.nc) {
    DM_TRY(sum_constraints(w, &r, find_inner_multipliers(w, &r, lambda)));
    dm_chain_both(&w->map, &r.at, J.turns_q, r.H[0], J.turns_q, H);
    dm_chain_add_hessian(&w->map, &r.at, r.g, NULL, H, NULL);
  }

  // 2 lambda from |q|^2 - 1
  for (int k = 0; k < w->map.nball; k++)
    for (int i = 0; i < 4; i++)
      H[(dm_chain_rule_at(&w->map, k) + i) * (w->map.n + 1)] += 2 * lambda[count_holonomic(w) + k];
  return DM_OK;
}

// T += second derivatives of sigma = F(t).(turns_q a), with w = turns_q a and internal T of sigma by t at constant w in
// r->T[0], G = F_t in r->H[0], which is not symmetric for nonholonomic rows:
//   turns_q' T turns_q + turns_qa' G turns_q + its transpose + (G'w).turns_qq + (F.turns_qq)_a
static void bend_constraints(const dm_quaternion_system *w, const tree_point *r,
                             const dm_chain_maps *P, const dm_chain_maps *Pa, const double *a,
                             double *T) {
  const int nt = w->map.nt;
  clear_numbers(nt, r->hg);
  for (int i = 0; i < nt; i++) dm_add_to(nt, r->a_q[i], r->H[0] + i * nt, r->hg);
  dm_chain_both(&w->map, &r->at, P->turns_q, r->T[0], P->turns_q, T);
  clear_numbers(w->map.n * w->map.n, r->at.X);
  dm_chain_both(&w->map, &r->at, Pa->turns_q, r->H[0], P->turns_q, r->at.X);
  dm_chain_twice(&w->map, r->at.X, T);
  dm_chain_add_hessian(&w->map, &r->at, r->hg, NULL, T, NULL);
  dm_chain_add_hessian_directional(&w->map, &r->at, r->g, NULL, a, NULL, T, NULL);
}

static dm_status eval_ball_constraints_directional(const void *self, void *scratch, const double *q,
                                                   const double *a, const double *lambda, double *J,
                                                   double *T) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  tree_point r = place_point(w, scratch, q, NULL);
  dm_chain_maps P = dm_chained_maps(&r.at);
  dm_chain_maps Pa = dm_chained_directional(&w->map, &r.at, a, NULL);
  clear_numbers((in->nc + w->map.nball) * w->map.n, J);

  if (in->nc) {
    // Dht, and if T is requested the sums of lambda_i Dht_i and lambda_i D2ht_i
    const double *own = T ? find_inner_multipliers(w, &r, lambda) : NULL;
    if (T)
      DM_TRY(sum_constraints(w, &r, own));
    else
      DM_TRY(in->eval(in->self, r.inner, r.at.q, r.h, r.Dh));
    clear_numbers(w->map.nt, r.a_q);
    clear_numbers(w->map.nt * w->map.nt, r.T[0]);

    // directional derivatives of rows: (D2ht_i turns_q a) turns_q + Dht_i (turns_qq a)
    dm_chain_apply(&w->map, P.turns_q, a, r.a_q);
    DM_TRY(in->directional(in->self, r.inner, r.at.q, r.a_q, own, r.Jt, T ? r.T[0] : NULL));
    widen_rows(w, P.turns_q, r.Jt, J);
    widen_rows(w, Pa.turns_q, r.Dh, J);
    if (T) bend_constraints(w, &r, &P, &Pa, a, T);
  }

  // directional derivative of 2 q' of each ball joint
  for (int k = 0; k < w->map.nball; k++)
    dm_add_to(4, 2, a + dm_chain_rule_at(&w->map, k),
              J + (count_holonomic(w) + k) * w->map.n + dm_chain_rule_at(&w->map, k));
  return DM_OK;
}

// b(turns(q)) of the nonholonomic rows
static dm_status eval_ball_drift(const void *self, void *scratch, const double *q,
                                 const double *lambda, double *b, double *b_q, double *H) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  const int nt = w->map.nt;
  tree_point r = place_point(w, scratch, q, NULL);
  dm_chain_maps J = dm_chained_maps(&r.at);
  clear_numbers(nt * nt, r.H[0]);
  DM_TRY(in->drift(in->self, r.inner, r.at.q, lambda, b, r.Jt, H ? r.H[0] : NULL));
  if (b_q) clear_numbers(in->nv * w->map.n, b_q);
  if (b_q) dm_chain_right(&w->map, J.turns_q, in->nv, r.Jt, b_q);
  if (!H) return DM_OK;
  clear_numbers(nt, r.g);
  for (int i = 0; i < in->nv; i++) dm_add_to(nt, lambda[i], r.Jt + i * nt, r.g);
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[0], J.turns_q, H);
  dm_chain_add_hessian(&w->map, &r.at, r.g, NULL, H, NULL);
  return DM_OK;
}

static const char *find_ball_row_name(const void *self, int row) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  const int ball = row - count_holonomic(w);
  if (ball >= 0 && ball < w->map.nball) return w->name + NAME * ball;
  return in->row_name ? in->row_name(in->self, ball < 0 ? row : row - w->map.nball) : NULL;
}

// -- f

// Order of input columns: torques on ball joints, then those of the internal general force.
static void widen_columns(const dm_quaternion_system *w, int rows, const double *from, double *to) {
  int nf = w->nf - w->ntorque;
  clear_numbers(rows * w->nf, to);
  for (int i = 0; i < rows; i++)
    memcpy(to + i * w->nf + w->ntorque, from + i * nf, (size_t)nf * sizeof *to);
}

// the internal force and its derivatives in H[0], H[1], wide
static dm_status eval_inside(const dm_quaternion_system *w, const tree_point *r, int order,
                             const double *u) {
  const dm_forces *in = &w->in.force;
  int n = w->map.nt;
  dm_force_jet jet = {r->f, r->H[0], r->H[1], r->fu};
  clear_numbers(n, r->f);
  clear_numbers(n * n, r->H[0]);
  clear_numbers(n * n, r->H[1]);
  clear_numbers(n * w->nf, r->fu);
  // the inputs of the internal forces follow the torques
  if (in->count)
    DM_TRY(dm_forces_eval(in, n, r->inner, order, r->at.q, r->at.v, u + w->ntorque, &jet));
  widen_columns(w, n, r->fu, r->wide);
  return DM_OK;
}

static dm_status eval_forces(const void *self, void *scratch, int order, const double *q,
                             const double *v, const double *u, dm_force_jet *out) {
  const dm_quaternion_system *w = self;

  for (int k = 0; k < w->ntorque; k++) {
    double f[4], f_q[16];
    int o = w->turned[k];

    // a torque t about a body axis, f = 2 q (0,t): u f, u f_q and f_u = f
    dm_quaternion_torque(q + o, w->torque + 3 * k, f, f_q);
    dm_add_to(4, u[k], f, out->f + o);
    for (int i = 0; order > 1 && i < 4; i++) {
      dm_add_to(4, u[k], f_q + 4 * i, out->f_q + (o + i) * w->map.n + o);
      out->f_u[(o + i) * w->nf + k] += f[i];
    }
  }

  if (!w->in.force.count) return DM_OK;
  tree_point r = place_point(w, scratch, q, v);
  dm_chain_maps J = dm_chained_maps(&r.at);

  // f = turns_q' ft
  DM_TRY(eval_inside(w, &r, order, u));
  dm_chain_left(&w->map, J.turns_q, 1, r.f, out->f);
  if (order < 2) return DM_OK;

  // ft_t, ft_r: derivatives by turns and rates, in H[0] and H[1]
  // f_q = turns_q' (ft_t turns_q + ft_r rates_q) + ft.turns_qq, f_v = turns_q' ft_r rates_v
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[0], J.turns_q, out->f_q);
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[1], J.rates_q, out->f_q);
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[1], J.rates_v, out->f_v);
  dm_chain_add_hessian(&w->map, &r.at, r.f, NULL, out->f_q, NULL);
  dm_chain_left(&w->map, J.turns_q, w->nf, r.wide, out->f_u);
  return DM_OK;
}

// J' (second derivatives of a.ft for constant a = r->a_q) J, with the qv contribution to qq in
// r->at.X
static dm_status contract_inside(const dm_quaternion_system *w, tree_point *r,
                                 const dm_chain_maps *J, const double *u, dm_force_hessian *out) {
  int n = w->map.nt, nf = w->nf, own = nf - w->ntorque;
  dm_force_hessian inside = {r->T[0], r->T[1], r->T[2], r->fu, r->fv, r->uu};

  // internal second derivatives
  for (int k = 0; k < 3; k++) clear_numbers(n * n, r->T[k]);
  clear_numbers(n * nf, r->fu);
  clear_numbers(n * nf, r->fv);
  clear_numbers(nf * nf, r->uu);
  // ft by the internal (q,v), contracted with a = turns_q mu
  DM_TRY(dm_forces_contract(&w->in.force, n, r->inner, r->at.q, r->at.v, u + w->ntorque, r->a_q,
                            &inside));

  // by q and v
  dm_chain_hessian(&w->map, &r->at, J, r->T, J, (double *const[]){out->qq, out->qv, out->vv});
  dm_chain_twice(&w->map, r->at.X, out->qq);

  // by inputs, in the columns after the torques on ball joints
  widen_columns(w, n, r->fu, r->wide);
  widen_columns(w, n, r->fv, r->vwide);
  dm_chain_left(&w->map, J->turns_q, nf, r->wide, out->qu);
  dm_chain_left(&w->map, J->rates_q, nf, r->vwide, out->qu);
  dm_chain_left(&w->map, J->rates_v, nf, r->vwide, out->vu);
  for (int i = 0; i < own; i++)
    // uu of the internal inputs
    dm_add_to(own, 1, r->uu + i * own, out->uu + (w->ntorque + i) * nf + w->ntorque);
  return DM_OK;
}

// mu.f = a(q).ft(turns, rates, u), a = turns_q mu
static dm_status contract_forces(const void *self, void *scratch, const double *q, const double *v,
                                 const double *u, const double *mu, dm_force_hessian *out) {
  const dm_quaternion_system *w = self;
  int n = w->map.nt, nf = w->nf;

  for (int k = 0; k < w->ntorque; k++) {
    double f[4], f_q[16], qq[16];
    int o = w->turned[k];

    // u (mu.f)_qq, and (mu.f)_q by the input
    dm_quaternion_torque(q + o, w->torque + 3 * k, f, f_q);
    // mu.f is a quadratic form of q divided by |q|^2
    dm_quaternion_torque_hessian(q + o, w->torque + 3 * k, mu + o, qq);
    for (int i = 0; i < 4; i++) {
      dm_add_to(4, u[k], qq + 4 * i, out->qq + (o + i) * w->map.n + o);
      for (int j = 0; j < 4; j++) out->qu[(o + j) * w->nf + k] += mu[o + i] * f_q[4 * i + j];
    }
  }

  if (!w->in.force.count) return DM_OK;

  // ft with its derivatives, and a = turns_q mu
  tree_point r = place_point(w, scratch, q, v);
  dm_chain_maps J = dm_chained_maps(&r.at);
  dm_chain_maps Ja = dm_chained_directional(&w->map, &r.at, mu, NULL); // a_q
  DM_TRY(eval_inside(w, &r, 2, u));
  clear_numbers(n, r.a_q);
  clear_numbers(n, r.hg);
  clear_numbers(n, r.hf);
  clear_numbers(w->map.n * w->map.n, r.at.X);
  dm_chain_apply(&w->map, J.turns_q, mu, r.a_q);
  // (hg,hf): derivatives of a.ft by (turns, rates)
  for (int i = 0; i < n; i++) {
    dm_add_to(n, r.a_q[i], r.H[0] + i * n, r.hg);
    dm_add_to(n, r.a_q[i], r.H[1] + i * n, r.hf);
  }

  // derivatives of a(q) with those of ft; the qq part appears once as it is and once transposed
  dm_chain_both(&w->map, &r.at, Ja.turns_q, r.H[0], J.turns_q, r.at.X);
  dm_chain_both(&w->map, &r.at, Ja.turns_q, r.H[1], J.rates_q, r.at.X);
  dm_chain_both(&w->map, &r.at, Ja.turns_q, r.H[1], J.rates_v, out->qv);
  dm_chain_left(&w->map, Ja.turns_q, nf, r.wide, out->qu);

  // (hg,hf).J', and ft.a_qq
  dm_chain_add_hessian(&w->map, &r.at, r.hg, r.hf, out->qq, out->qv);
  dm_chain_add_hessian_directional(&w->map, &r.at, r.f, NULL, mu, NULL, out->qq, NULL);

  return contract_inside(w, &r, &J, u, out);
}

// -- masks and construction

static void set_force_masks(dm_quaternion_system *w) {
  const dm_forces *in = &w->in.force;
  int nf = w->nf, own = nf - w->ntorque;

  // pairs of coordinates coupled by internal forces
  for (int k = 0; k < in->count; k++)
    if (in->row[k].mask)
      dm_chain_mask(&w->map, in->row[k].mask, w->mask);
    else
      memset(w->mask, 1, (size_t)(w->map.n * w->map.n));

  // inputs: those of internal forces, and torques on ball joints
  for (int i = 0; i < w->map.nt; i++)
    // each external coordinate of tree coordinate i: four for a ball joint
    for (int a = 0; a < w->map.many[i]; a++) {
      unsigned char *row = w->mask_u + (w->map.first[i] + a) * nf;
      for (int j = 0; j < own; j++) row[w->ntorque + j] |= dm_forces_driven(in, w->map.nt, i, j);
      for (int j = 0; j < w->ntorque; j++) row[j] |= w->turned[j] == w->map.first[i];
    }

  // a torque on a ball joint rotates with it, so that it couples all four components
  for (int k = 0; k < w->map.nball; k++)
    for (int i = 0; i < 16; i++) { // all 4 x 4 pairs
      int o = dm_chain_rule_at(&w->map, k);
      w->mask[(o + i / 4) * w->map.n + o + i % 4] = 1;
    }

  for (int i = 0; i < own; i++)
    for (int j = 0; j < own; j++)
      w->mask_uu[(w->ntorque + i) * nf + w->ntorque + j] = dm_forces_couple_inputs(in, i, j);
}

static void lay_out_system(void *self, dm_block *b) {
  dm_quaternion_system *w = self;
  dm_chain_rule_lay_out(&w->map, b, w->tree);
  size_t n = (size_t)w->map.n, nb = (size_t)w->map.nball, nf = (size_t)w->nf;
  w->radial = dm_block_alloc(b, nb, sizeof *w->radial);
  w->turned = dm_block_alloc(b, (size_t)w->ntorque, sizeof *w->turned);
  w->torque = dm_block_alloc(b, 3 * (size_t)w->ntorque, sizeof *w->torque);
  w->L_mask = dm_block_alloc(b, n * n, 1);
  w->mask = dm_block_alloc(b, n * n, 1);
  w->mask_u = dm_block_alloc(b, n * nf, 1);
  w->mask_uu = dm_block_alloc(b, nf * nf, 1);
  w->name = dm_block_alloc(b, nb * NAME, 1);
}

// c: a third of the inertia about the three axes of a ball joint at rest
static dm_status weigh_balls(dm_quaternion_system *w) {
  dm_block b = {0};
  open_point(w, &b);
  DM_TRY(dm_block_new(&b));
  void *first = b.base;
  tree_point r = open_point(w, &b);

  // M at rest with zero rotations; mean of the diagonal over the three axes
  int n = w->map.nt;
  dm_jet in = make_inside_jet(&r, r.H);
  clear_numbers(n, r.at.q);
  clear_numbers(n, r.at.v);
  dm_status s = w->in.L.eval(w->in.L.self, r.inner, 2, r.at.q, r.at.v, &in);
  for (int k = 0; k < w->map.nball; k++)
    for (int i = 0; i < 3; i++) w->radial[k] += r.H[2][(w->map.from[k] + i) * (n + 1)] / 3;
  dm_block_free(first);
  return s;
}

dm_status dm_quaternion_system_new(dm_quaternion_system **out, const dm_model *tree,
                                   const dm_model *model, const dm_system *inside) {
  // count the inputs on ball joints, which become torques; other joint inputs are unchanged
  dm_quaternion_system sizes = {.tree = tree, .model = model, .in = *inside};
  int joints = inside->nu - inside->force.nu; // inputs at joints; those of loads follow
  for (int i = 0; i < joints; i++) sizes.ntorque += dm_ball_owns(tree, inside->input_coord[i]);
  sizes.nf = sizes.ntorque + inside->force.nu;
  dm_quaternion_system *w = dm_block_make(&sizes, sizeof sizes, lay_out_system);
  if (!w) return DM_NO_MEMORY;

  dm_chain_rule_set(&w->map, tree);
  dm_status status = weigh_balls(w);
  if (status != DM_OK) {
    dm_quaternion_system_free(w);
    return status;
  }

  // the axis z, x or y of the torque: the joint of the ball joint that the input acts on
  for (int k = 0, i = joints - w->ntorque; i < joints; i++, k++) {
    // the three axes are z, x, y: components 2, 0, 1
    static const int axis[] = {2, 0, 1};
    int turn = 0, c = inside->input_coord[i];
    // back to the first joint of this ball joint
    while (turn < c && w->map.first[c - turn - 1] == w->map.first[c]) turn++;
    w->turned[k] = w->map.first[c];
    w->torque[3 * k + axis[turn]] = 1;
  }

  // names of the constraints |q|^2 = 1, and masks
  for (int j = dm_ball_next(tree, 0), k = 0; j < tree->nj; j = dm_ball_next(tree, j + 1))
    dm_ball_name(tree, j, w->name + NAME * k++, NAME);
  dm_chain_mask(&w->map, inside->L.mask, w->L_mask);
  set_force_masks(w);
  *out = w;
  return DM_OK;
}

void dm_quaternion_system_free(dm_quaternion_system *w) {
  dm_block_free(w);
}

dm_system dm_quaternion_system_of(const dm_quaternion_system *w) {
  const dm_holonomic *h = &w->in.hol;
  dm_system s = w->in;

  // bytes of a point
  dm_block b = {0};
  // the first pass over the layout counts bytes
  open_point(w, &b);
  size_t scratch = (b.used + 63) & ~(size_t)63;

  s.L = (dm_lagrangian){.nq = w->map.n,
                        .idle = w->in.L.idle, // no ball joint is among them, as each moves inertia
                        .mask = w->L_mask,
                        .self = w,
                        .scratch = scratch,
                        .eval = eval_ball_lagrangian,
                        .contract = w->in.L.contract ? contract_ball_lagrangian : NULL};
  s.hol = (dm_holonomic){.nc = h->nc + w->map.nball,
                         .nv = h->nv,
                         .self = w,
                         .scratch = scratch,
                         .eval = eval_ball_constraints,
                         .contract = contract_ball_constraints,
                         .directional = eval_ball_constraints_directional,
                         .drift = h->drift ? eval_ball_drift : NULL,
                         .row_name = find_ball_row_name};
  s.force = (dm_forces){0};
  const dm_force all = {.nu = w->nf,
                        .mask = w->mask,
                        .mask_u = w->mask_u,
                        .mask_uu = w->mask_uu,
                        .self = w,
                        .scratch = scratch,
                        .eval = eval_forces,
                        .contract = dm_forces_contractible(&w->in.force) ? contract_forces : NULL};
  if (w->nf || w->in.force.count) dm_forces_add(&s.force, all);
  if (s.nk) s.kinematic = w->model->kinematic;
  s.length = w->model->length;
  s.damping = w->model->damping;
  s.inertia = w->model->inertia;
  s.input_coord = w->model->input_coord;
  s.input_gear = w->model->input_gear;
  return s;
}

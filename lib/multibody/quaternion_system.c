#include "lib/multibody/quaternion_system.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/chain_rule.h"

#include <stdio.h>
#include <string.h>

struct dm_quaternion_system {
  const dm_model *model;
  dm_system in;
  dm_chain_rule map;
  int nf, ntorque;                                 // inputs of the force; those on turns of balls
  double *round;                                   // [nball] c of the header          [kg m2]
  int *turned;                                     // [ntorque] the quaternion it acts on
  double *torque;                                  // [ntorque x 3] for u = 1             [N m]
  unsigned char *L_mask, *mask, *mask_u, *mask_uu; // as those of L and the force
  char *name;                                      // [nball x NAME] of constraints
};

enum { NAME = 80 };

// Scratch of one evaluation.
typedef struct room {
  dm_chained at;
  double *a_q, *a_v, *g, *f, *hg, *hf; // [nt] a direction; covectors
  double *H[3], *T[3];                 // [nt x nt] qq, qv, vv
  double *h, *Dh, *Jt;                 // [nc], [nc x nt] of constraints inside, and along a
  double *fu, *wide, *fv, *vwide;      // [nt x nf] of forces
  double *uu;                          // [nf x nf]
  void *inner;
} room;

static room open_room(const dm_quaternion_system *w, dm_block *b) {
  size_t nt = (size_t)w->map.nt, nf = (size_t)w->nf, nc = (size_t)w->in.hol.nc;
  size_t d = sizeof(double), most = w->in.L.scratch;
  size_t forces = dm_forces_scratch(&w->in.force, w->map.nt);
  room r = {0};
  dm_chained_lay_out(&r.at, b, &w->map);
  double **const vectors[] = {&r.a_q, &r.a_v, &r.g, &r.f, &r.hg, &r.hf};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = dm_take(b, nt, d);
  for (int k = 0; k < 3; k++) r.H[k] = dm_take(b, nt * nt, d), r.T[k] = dm_take(b, nt * nt, d);
  r.h = dm_take(b, nc, d);
  r.Dh = dm_take(b, nc * nt, d);
  r.Jt = dm_take(b, nc * nt, d);
  double **const wides[] = {&r.fu, &r.wide, &r.fv, &r.vwide};
  for (size_t k = 0; k < sizeof wides / sizeof *wides; k++) *wides[k] = dm_take(b, nt * nf, d);
  r.uu = dm_take(b, nf * nf, d);
  if (most < w->in.hol.scratch) most = w->in.hol.scratch;
  if (most < forces) most = forces;
  r.inner = dm_take(b, most, 1);
  return r;
}

static size_t room_size(const dm_quaternion_system *w) {
  dm_block b = {0};
  open_room(w, &b);
  return (b.used + 63) & ~(size_t)63;
}

static room enter(const dm_quaternion_system *w, void *scratch, const double *q, const double *v) {
  dm_block b = {.base = scratch};
  room r = open_room(w, &b);
  dm_chained_set(&w->map, &r.at, q, v);
  return r;
}

static void clear(int n, double *x) {
  memset(x, 0, (size_t)n * sizeof *x);
}

// -- L

static dm_jet jet_of(const room *r, double *const H[3]) {
  return (dm_jet){.L_q = r->g, .L_v = r->f, .L_qq = H[0], .L_qv = H[1], .L_vv = H[2]};
}

// 2 c (q.v)^2 of each ball, with derivatives
static void add_round(const dm_quaternion_system *w, int order, const double *q, const double *v,
                      dm_jet *out) {
  for (int k = 0; k < w->map.nball; k++) {
    int o = dm_chain_rule_at(&w->map, k);
    double c = 4 * w->round[k], s = dm_inner(4, q + o, v + o);
    out->L += c * s * s / 2;
    dm_add_to(4, c * s, v + o, out->L_q + o);
    dm_add_to(4, c * s, q + o, out->L_v + o);
    for (int i = 0; order > 1 && i < 4; i++) {
      int row = (o + i) * w->map.n + o;
      dm_add_to(4, c * v[o + i], v + o, out->L_qq + row);
      dm_add_to(4, c * v[o + i], q + o, out->L_qv + row);
      dm_add_to(4, c * q[o + i], q + o, out->L_vv + row);
      out->L_qv[row + i] += c * s;
    }
  }
}

static void add_round_along(const dm_quaternion_system *w, const double *q, const double *v,
                            const double *a_q, const double *a_v, dm_jet *out) {
  for (int k = 0; k < w->map.nball; k++) {
    int o = dm_chain_rule_at(&w->map, k);
    double c = 4 * w->round[k];
    double d = dm_inner(4, a_q + o, v + o) + dm_inner(4, q + o, a_v + o);
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

static void clear_hessian(const dm_quaternion_system *w, const room *r, const dm_jet *out) {
  int nn = w->map.n * w->map.n;
  clear(nn, out->L_qq), clear(nn, out->L_qv), clear(nn, out->L_vv), clear(nn, r->at.X);
}

static void even(const dm_quaternion_system *w, const dm_jet *out) {
  dm_chain_even(&w->map, out->L_qq), dm_chain_even(&w->map, out->L_vv);
}

static dm_status L_eval(const void *self, void *scratch, int order, const double *q,
                        const double *v, dm_jet *out) {
  const dm_quaternion_system *w = self;
  room r = enter(w, scratch, q, v);
  dm_jet in = jet_of(&r, r.H);
  dm_chain_maps J = dm_chained_maps(&r.at);
  DM_TRY(w->in.L.eval(w->in.L.self, r.inner, order, r.at.q, r.at.v, &in));
  out->L = in.L;
  clear(w->map.n, out->L_q), clear(w->map.n, out->L_v);
  dm_chain_left(&w->map, J.turns_q, 1, r.g, out->L_q);
  dm_chain_left(&w->map, J.rates_q, 1, r.f, out->L_q);
  dm_chain_left(&w->map, J.rates_v, 1, r.f, out->L_v);
  if (order > 1) {
    clear_hessian(w, &r, out);
    dm_chain_hessian(&w->map, &r.at, &J, r.H, &J,
                     (double *const[]){out->L_qq, out->L_qv, out->L_vv});
    dm_chain_twice(&w->map, r.at.X, out->L_qq);
    dm_chain_bend(&w->map, &r.at, r.g, r.f, out->L_qq, out->L_qv);
  }
  add_round(w, order, q, v, out);
  if (order > 1) even(w, out);
  return DM_OK;
}

// (hg,hf) = H (a_q,a_v)
static void multiply(const dm_quaternion_system *w, const room *r) {
  int n = w->map.nt;
  for (int i = 0; i < n; i++) {
    r->hg[i] = dm_inner(n, r->H[0] + i * n, r->a_q) + dm_inner(n, r->H[1] + i * n, r->a_v);
    r->hf[i] = dm_inner(n, r->H[2] + i * n, r->a_v);
  }
  for (int i = 0; i < n; i++) dm_add_to(n, r->a_q[i], r->H[1] + i * n, r->hf);
}

static dm_status L_contract(const void *self, void *scratch, const double *q, const double *v,
                            const double *a_q, const double *a_v, dm_jet *out) {
  const dm_quaternion_system *w = self;
  room r = enter(w, scratch, q, v);
  dm_jet in = jet_of(&r, r.H), bent = {.L_qq = r.T[0], .L_qv = r.T[1], .L_vv = r.T[2]};
  dm_chain_maps J = dm_chained_maps(&r.at), Ja = dm_chained_along(&w->map, &r.at, a_q, a_v);
  double *const to[] = {out->L_qq, out->L_qv, out->L_vv};
  clear(w->map.nt, r.a_q), clear(w->map.nt, r.a_v);
  dm_chain_apply(&w->map, J.turns_q, a_q, r.a_q);
  dm_chain_apply(&w->map, J.rates_q, a_q, r.a_v);
  dm_chain_apply(&w->map, J.rates_v, a_v, r.a_v);
  DM_TRY(w->in.L.eval(w->in.L.self, r.inner, 2, r.at.q, r.at.v, &in));
  DM_TRY(w->in.L.contract(w->in.L.self, r.inner, r.at.q, r.at.v, r.a_q, r.a_v, &bent));
  multiply(w, &r);
  clear_hessian(w, &r, out);
  dm_chain_hessian(&w->map, &r.at, &J, r.T, &J, to);
  dm_chain_hessian(&w->map, &r.at, &Ja, r.H, &J, to);
  dm_chain_hessian(&w->map, &r.at, &J, r.H, &Ja, to);
  dm_chain_twice(&w->map, r.at.X, out->L_qq);
  dm_chain_bend(&w->map, &r.at, r.hg, r.hf, out->L_qq, out->L_qv);
  dm_chain_bend_along(&w->map, &r.at, r.g, r.f, a_q, a_v, out->L_qq, out->L_qv);
  add_round_along(w, q, v, a_q, a_v, out);
  even(w, out);
  return DM_OK;
}

// -- h

static dm_status h_eval(const void *self, void *scratch, const double *q, double *h, double *Dh) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  room r = enter(w, scratch, q, NULL);
  if (Dh) clear((in->nc + w->map.nball) * w->map.n, Dh);
  if (in->nc) {
    DM_TRY(in->eval(in->self, r.inner, r.at.q, h, Dh ? r.Dh : NULL));
    if (Dh) dm_chain_right(&w->map, dm_chained_maps(&r.at).turns_q, in->nc, r.Dh, Dh);
  }
  for (int k = 0; k < w->map.nball; k++) {
    int row = in->nc + k, o = dm_chain_rule_at(&w->map, k);
    h[row] = dm_inner(4, q + o, q + o) - 1;
    if (Dh) dm_add_to(4, 2, q + o, Dh + row * w->map.n + o);
  }
  return DM_OK;
}

// sum lambda_i Dh_i and sum lambda_i D2h_i of the rows inside, into g and H[0]
static dm_status h_sum(const dm_quaternion_system *w, const room *r, const double *lambda) {
  const dm_holonomic *in = &w->in.hol;
  DM_TRY(in->eval(in->self, r->inner, r->at.q, r->h, r->Dh));
  clear(w->map.nt, r->g), clear(w->map.nt * w->map.nt, r->H[0]);
  for (int i = 0; i < in->nc; i++) dm_add_to(w->map.nt, lambda[i], r->Dh + i * w->map.nt, r->g);
  return in->contract(in->self, r->inner, r->at.q, lambda, r->H[0]);
}

static dm_status h_contract(const void *self, void *scratch, const double *q, const double *lambda,
                            double *H) {
  const dm_quaternion_system *w = self;
  room r = enter(w, scratch, q, NULL);
  dm_chain_maps J = dm_chained_maps(&r.at);
  if (w->in.hol.nc) {
    DM_TRY(h_sum(w, &r, lambda));
    dm_chain_both(&w->map, &r.at, J.turns_q, r.H[0], J.turns_q, H);
    dm_chain_bend(&w->map, &r.at, r.g, NULL, H, NULL);
  }
  for (int k = 0; k < w->map.nball; k++)
    for (int i = 0; i < 4; i++)
      H[(dm_chain_rule_at(&w->map, k) + i) * (w->map.n + 1)] += 2 * lambda[w->in.hol.nc + k];
  return DM_OK;
}

static dm_status h_along(const void *self, void *scratch, const double *q, const double *a,
                         const double *lambda, double *J, double *T) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  room r = enter(w, scratch, q, NULL);
  dm_chain_maps P = dm_chained_maps(&r.at), Pa = dm_chained_along(&w->map, &r.at, a, NULL);
  clear((in->nc + w->map.nball) * w->map.n, J);
  if (in->nc) {
    if (T)
      DM_TRY(h_sum(w, &r, lambda));
    else
      DM_TRY(in->eval(in->self, r.inner, r.at.q, r.h, r.Dh));
    clear(w->map.nt, r.a_q), clear(w->map.nt * w->map.nt, r.T[0]);
    dm_chain_apply(&w->map, P.turns_q, a, r.a_q);
    DM_TRY(in->along(in->self, r.inner, r.at.q, r.a_q, lambda, r.Jt, T ? r.T[0] : NULL));
    dm_chain_right(&w->map, P.turns_q, in->nc, r.Jt, J);
    dm_chain_right(&w->map, Pa.turns_q, in->nc, r.Dh, J);
    if (T) {
      for (int i = 0; i < w->map.nt; i++)
        r.hg[i] = dm_inner(w->map.nt, r.H[0] + i * w->map.nt, r.a_q);
      dm_chain_both(&w->map, &r.at, P.turns_q, r.T[0], P.turns_q, T);
      dm_chain_both(&w->map, &r.at, Pa.turns_q, r.H[0], P.turns_q, T);
      dm_chain_both(&w->map, &r.at, P.turns_q, r.H[0], Pa.turns_q, T);
      dm_chain_bend(&w->map, &r.at, r.hg, NULL, T, NULL);
      dm_chain_bend_along(&w->map, &r.at, r.g, NULL, a, NULL, T, NULL);
    }
  }
  for (int k = 0; k < w->map.nball; k++)
    dm_add_to(4, 2, a + dm_chain_rule_at(&w->map, k),
              J + (in->nc + k) * w->map.n + dm_chain_rule_at(&w->map, k));
  return DM_OK;
}

static const char *row_name(const void *self, int row) {
  const dm_quaternion_system *w = self;
  const dm_holonomic *in = &w->in.hol;
  if (row >= in->nc) return w->name + NAME * (row - in->nc);
  return in->row_name ? in->row_name(in->self, row) : NULL;
}

// -- f

// Columns of inputs: torques on turns, then those of the general force inside.
static void widen(const dm_quaternion_system *w, int rows, const double *from, double *to) {
  int nf = w->nf - w->ntorque;
  clear(rows * w->nf, to);
  for (int i = 0; i < rows; i++)
    memcpy(to + i * w->nf + w->ntorque, from + i * nf, (size_t)nf * sizeof *to);
}

// the force inside, its derivatives into H[0], H[1], wide
static dm_status f_inside(const dm_quaternion_system *w, const room *r, int order,
                          const double *u) {
  const dm_forces *in = &w->in.force;
  int n = w->map.nt;
  dm_force_jet jet = {r->f, r->H[0], r->H[1], r->fu};
  clear(n, r->f), clear(n * n, r->H[0]), clear(n * n, r->H[1]), clear(n * w->nf, r->fu);
  if (in->count)
    DM_TRY(dm_forces_eval(in, n, r->inner, order, r->at.q, r->at.v, u + w->ntorque, &jet));
  widen(w, n, r->fu, r->wide);
  return DM_OK;
}

static void add_torques(const dm_quaternion_system *w, int order, const double *q, const double *u,
                        dm_force_jet *out) {
  for (int k = 0; k < w->ntorque; k++) {
    double f[4], f_q[16];
    int o = w->turned[k];
    dm_quaternion_torque(q + o, w->torque + 3 * k, f, f_q);
    dm_add_to(4, u[k], f, out->f + o);
    for (int i = 0; order > 1 && i < 4; i++) {
      dm_add_to(4, u[k], f_q + 4 * i, out->f_q + (o + i) * w->map.n + o);
      out->f_u[(o + i) * w->nf + k] += f[i];
    }
  }
}

static void add_torques_bent(const dm_quaternion_system *w, const double *q, const double *u,
                             const double *mu, dm_force_hessian *out) {
  for (int k = 0; k < w->ntorque; k++) {
    double f[4], f_q[16], qq[16];
    int o = w->turned[k];
    dm_quaternion_torque(q + o, w->torque + 3 * k, f, f_q);
    dm_quaternion_torque_bend(q + o, w->torque + 3 * k, mu + o, qq);
    for (int i = 0; i < 4; i++) {
      dm_add_to(4, u[k], qq + 4 * i, out->qq + (o + i) * w->map.n + o);
      for (int j = 0; j < 4; j++) out->qu[(o + j) * w->nf + k] += mu[o + i] * f_q[4 * i + j];
    }
  }
}

static dm_status f_eval(const void *self, void *scratch, int order, const double *q,
                        const double *v, const double *u, dm_force_jet *out) {
  const dm_quaternion_system *w = self;
  add_torques(w, order, q, u, out);
  if (!w->in.force.count) return DM_OK;
  room r = enter(w, scratch, q, v);
  dm_chain_maps J = dm_chained_maps(&r.at);
  DM_TRY(f_inside(w, &r, order, u));
  dm_chain_left(&w->map, J.turns_q, 1, r.f, out->f);
  if (order < 2) return DM_OK;
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[0], J.turns_q, out->f_q);
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[1], J.rates_q, out->f_q);
  dm_chain_both(&w->map, &r.at, J.turns_q, r.H[1], J.rates_v, out->f_v);
  dm_chain_bend(&w->map, &r.at, r.f, NULL, out->f_q, NULL);
  dm_chain_left(&w->map, J.turns_q, w->nf, r.wide, out->f_u);
  return DM_OK;
}

// mu.f = a(q).ft(turns, rates, u), a = turns_q mu
static dm_status f_contract(const void *self, void *scratch, const double *q, const double *v,
                            const double *u, const double *mu, dm_force_hessian *out) {
  const dm_quaternion_system *w = self;
  const dm_forces *in = &w->in.force;
  int n = w->map.nt, nf = w->nf, own = nf - w->ntorque;
  add_torques_bent(w, q, u, mu, out);
  if (!in->count) return DM_OK;
  room r = enter(w, scratch, q, v);
  dm_chain_maps J = dm_chained_maps(&r.at), Ja = dm_chained_along(&w->map, &r.at, mu, NULL);
  dm_force_hessian bent = {r.T[0], r.T[1], r.T[2], r.fu, r.fv, r.uu};
  DM_TRY(f_inside(w, &r, 2, u));
  clear(n, r.a_q), clear(n, r.hg), clear(n, r.hf), clear(w->map.n * w->map.n, r.at.X);
  dm_chain_apply(&w->map, J.turns_q, mu, r.a_q);
  for (int i = 0; i < n; i++) { // a.ft by (turns, rates)
    dm_add_to(n, r.a_q[i], r.H[0] + i * n, r.hg);
    dm_add_to(n, r.a_q[i], r.H[1] + i * n, r.hf);
  }
  dm_chain_both(&w->map, &r.at, Ja.turns_q, r.H[0], J.turns_q, r.at.X);
  dm_chain_both(&w->map, &r.at, Ja.turns_q, r.H[1], J.rates_q, r.at.X);
  dm_chain_both(&w->map, &r.at, Ja.turns_q, r.H[1], J.rates_v, out->qv);
  dm_chain_left(&w->map, Ja.turns_q, nf, r.wide, out->qu);
  dm_chain_bend(&w->map, &r.at, r.hg, r.hf, out->qq, out->qv);
  dm_chain_bend_along(&w->map, &r.at, r.f, NULL, mu, NULL, out->qq, NULL);
  for (int k = 0; k < 3; k++) clear(n * n, r.T[k]);
  clear(n * nf, r.fu), clear(n * nf, r.fv), clear(nf * nf, r.uu);
  DM_TRY(dm_forces_contract(in, n, r.inner, r.at.q, r.at.v, u + w->ntorque, r.a_q, &bent));
  dm_chain_hessian(&w->map, &r.at, &J, r.T, &J, (double *const[]){out->qq, out->qv, out->vv});
  dm_chain_twice(&w->map, r.at.X, out->qq);
  widen(w, n, r.fu, r.wide), widen(w, n, r.fv, r.vwide);
  dm_chain_left(&w->map, J.turns_q, nf, r.wide, out->qu);
  dm_chain_left(&w->map, J.rates_q, nf, r.vwide, out->qu);
  dm_chain_left(&w->map, J.rates_v, nf, r.vwide, out->vu);
  for (int i = 0; i < own; i++)
    dm_add_to(own, 1, r.uu + i * own, out->uu + (w->ntorque + i) * nf + w->ntorque);
  return DM_OK;
}

// -- the whole

static void force_masks(dm_quaternion_system *w) {
  const dm_forces *in = &w->in.force;
  int nf = w->nf, own = nf - w->ntorque;
  for (int k = 0; k < in->count; k++)
    if (in->row[k].mask)
      dm_chain_mask(&w->map, in->row[k].mask, w->mask);
    else
      memset(w->mask, 1, (size_t)(w->map.n * w->map.n));
  for (int i = 0; i < w->map.nt; i++)
    for (int a = 0; a < w->map.many[i]; a++) {
      unsigned char *row = w->mask_u + (w->map.first[i] + a) * nf;
      for (int j = 0; j < own; j++) row[w->ntorque + j] |= dm_forces_driven(in, w->map.nt, i, j);
      for (int j = 0; j < w->ntorque; j++) row[j] |= w->turned[j] == w->map.first[i];
    }
  for (int k = 0; k < w->map.nball; k++) // torques turn with it
    for (int i = 0; i < 16; i++) {
      int o = dm_chain_rule_at(&w->map, k);
      w->mask[(o + i / 4) * w->map.n + o + i % 4] = 1;
    }
  for (int i = 0; i < own; i++)
    for (int j = 0; j < own; j++)
      w->mask_uu[(w->ntorque + i) * nf + w->ntorque + j] = dm_forces_couple_inputs(in, i, j);
}

static void lay_out(dm_quaternion_system *w, dm_block *b, const dm_model *tree) {
  dm_chain_rule_lay_out(&w->map, b, tree);
  size_t n = (size_t)w->map.n, nb = (size_t)w->map.nball, nf = (size_t)w->nf;
  w->round = dm_take(b, nb, sizeof *w->round);
  w->turned = dm_take(b, (size_t)w->ntorque, sizeof *w->turned);
  w->torque = dm_take(b, 3 * (size_t)w->ntorque, sizeof *w->torque);
  w->L_mask = dm_take(b, n * n, 1);
  w->mask = dm_take(b, n * n, 1);
  w->mask_u = dm_take(b, n * nf, 1);
  w->mask_uu = dm_take(b, nf * nf, 1);
  w->name = dm_take(b, nb * NAME, 1);
}

// c: a third of the inertia that a ball's turns move at rest
static dm_status weigh(dm_quaternion_system *w) {
  dm_block b = {0};
  open_room(w, &b);
  DM_TRY(dm_block_new(&b));
  void *first = b.base;
  room r = open_room(w, &b);
  int n = w->map.nt;
  dm_jet in = jet_of(&r, r.H);
  clear(n, r.at.q), clear(n, r.at.v);
  dm_status s = w->in.L.eval(w->in.L.self, r.inner, 2, r.at.q, r.at.v, &in);
  for (int k = 0; k < w->map.nball; k++)
    for (int i = 0; i < 3; i++) w->round[k] += r.H[2][(w->map.from[k] + i) * (n + 1)] / 3;
  dm_block_free(first);
  return s;
}

dm_status dm_quaternion_system_new(dm_quaternion_system **out, const dm_model *tree,
                                   const dm_model *model, const dm_system *inside) {
  dm_quaternion_system sizes = {.model = model, .in = *inside};
  int joints = inside->nu - inside->force.nu;
  for (int i = 0; i < joints; i++) sizes.ntorque += dm_ball_owns(tree, inside->input_coord[i]);
  sizes.nf = sizes.ntorque + inside->force.nu;
  dm_block b = {0};
  dm_take(&b, 1, sizeof sizes);
  lay_out(&sizes, &b, tree);
  DM_TRY(dm_block_new(&b));
  dm_quaternion_system *w = dm_take(&b, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &b, tree);
  dm_chain_rule_set(&w->map, tree);
  dm_status status = weigh(w);
  if (status != DM_OK) {
    dm_quaternion_system_free(w);
    return status;
  }
  for (int k = 0, i = joints - w->ntorque; i < joints; i++, k++) {
    static const int axis[] = {2, 0, 1};
    int turn = 0, c = inside->input_coord[i];
    while (turn < c && w->map.first[c - turn - 1] == w->map.first[c]) turn++;
    w->turned[k] = w->map.first[c];
    w->torque[3 * k + axis[turn]] = 1;
  }
  for (int j = dm_ball_next(tree, 0), k = 0; j < tree->nj; j = dm_ball_next(tree, j + 1))
    dm_ball_name(tree, j, w->name + NAME * k++, NAME);
  dm_chain_mask(&w->map, inside->L.mask, w->L_mask);
  force_masks(w);
  *out = w;
  return DM_OK;
}

void dm_quaternion_system_free(dm_quaternion_system *w) {
  dm_block_free(w);
}

dm_system dm_quaternion_system_of(const dm_quaternion_system *w) {
  const dm_holonomic *h = &w->in.hol;
  dm_system s = w->in;
  size_t scratch = room_size(w);
  s.L = (dm_lagrangian){.nq = w->map.n,
                        .idle = w->in.L.idle, // no ball joints: they move inertia
                        .mask = w->L_mask,
                        .self = w,
                        .scratch = scratch,
                        .eval = L_eval,
                        .contract = w->in.L.contract ? L_contract : NULL};
  s.hol = (dm_holonomic){.nc = h->nc + w->map.nball,
                         .self = w,
                         .scratch = scratch,
                         .eval = h_eval,
                         .contract = h_contract,
                         .along = h_along,
                         .row_name = row_name};
  s.force = (dm_forces){0};
  const dm_force all = {.nu = w->nf,
                        .mask = w->mask,
                        .mask_u = w->mask_u,
                        .mask_uu = w->mask_uu,
                        .self = w,
                        .scratch = scratch,
                        .eval = f_eval,
                        .contract = dm_forces_contractible(&w->in.force) ? f_contract : NULL};
  if (w->nf || w->in.force.count) dm_forces_add(&s.force, all);
  if (s.nk) s.kinematic = w->model->kinematic;
  s.damping = w->model->damping;
  s.inertia = w->model->inertia;
  s.input_coord = w->model->input_coord;
  s.input_gear = w->model->input_gear;
  return s;
}

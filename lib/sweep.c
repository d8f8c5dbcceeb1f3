#include "lib/sweep.h"

#include "lib/block.h"

#include <math.h>
#include <string.h>

// Scratch of one evaluation. Screws stand component by component, S[c] the c-th of all joints, so
// that a run of ancestors is contiguous.
typedef struct sweep {
  int n;                   // joints
  double *S[6], *Sd[6];    // screws and their time derivatives        [n] each
  double *dS[6], *dSd[6];  // the same along the virtual motion (a_q,a_v)
  double *q, *v, *aq, *av; // of joints                                [n]
  dm_pose *X;              // joint frames in the world                [n]
  dm_vec o;                // the origin of spatial vectors
  dm_spatial *V, *h, *A, *dV, *dh;
  dm_inertia *I, *dI; // of bodies, then composites
  double *row;        // [2 n]
  double *J[3];       // [n x n] qq, qv, vv of joints, where coordinates differ from joints
} sweep;

static void lay_out(sweep *w, dm_block *b, const dm_model *m) {
  size_t n = (size_t)m->nj, stride = (n + 7) & ~(size_t)7;
  w->n = m->nj;
  double *screws = dm_take(b, 24 * stride, sizeof *screws);
  for (size_t c = 0; c < 6; c++) {
    w->S[c] = b->base ? screws + (c + 0) * stride : NULL;
    w->Sd[c] = b->base ? screws + (c + 6) * stride : NULL;
    w->dS[c] = b->base ? screws + (c + 12) * stride : NULL;
    w->dSd[c] = b->base ? screws + (c + 18) * stride : NULL;
  }
  w->q = dm_take(b, n, sizeof *w->q);
  w->v = dm_take(b, n, sizeof *w->v);
  w->aq = dm_take(b, n, sizeof *w->aq);
  w->av = dm_take(b, n, sizeof *w->av);
  w->X = dm_take(b, n, sizeof *w->X);
  w->V = dm_take(b, n, sizeof *w->V);
  w->h = dm_take(b, n, sizeof *w->h);
  w->A = dm_take(b, n, sizeof *w->A);
  w->dV = dm_take(b, n, sizeof *w->dV);
  w->dh = dm_take(b, n, sizeof *w->dh);
  w->I = dm_take(b, n, sizeof *w->I);
  w->dI = dm_take(b, n, sizeof *w->dI);
  w->row = dm_take(b, 2 * n, sizeof *w->row);
  for (int k = 0; k < 3; k++) w->J[k] = dm_take(b, m->direct ? 0 : n * n, sizeof *w->J[k]);
}

static sweep open_scratch(const dm_model *m, void *scratch) {
  sweep w;
  dm_block b = {.base = scratch};
  lay_out(&w, &b, m);
  return w;
}

static dm_spatial get(double *const S[6], int j) {
  return (dm_spatial){{S[0][j], S[1][j], S[2][j]}, {S[3][j], S[4][j], S[5][j]}};
}
static void set(double *const S[6], int j, dm_spatial X) {
  S[0][j] = X.w.x, S[1][j] = X.w.y, S[2][j] = X.w.z;
  S[3][j] = X.v.x, S[4][j] = X.v.y, S[5][j] = X.v.z;
}

// values of coordinates, or rates of change of them, at the joints
static const double *at_joints(const dm_model *m, const double *of_coord, bool rate, double *out) {
  if (m->direct) return of_coord;
  for (int j = 0; j < m->nj; j++)
    out[j] = m->ratio[j] * of_coord[m->coord[j]] + (rate ? 0 : m->shift[j]);
  return out;
}

static void poses(const dm_model *m, sweep *w, const double *q) {
  q = at_joints(m, q, false, w->q);
  for (int j = 0; j < m->nj; j++) {
    int p = m->parent[j];
    dm_pose X = p < 0 ? m->offset[j] : dm_compose(&w->X[p], &m->offset[j]);
    if (m->slides[j]) {
      X.p = dm_add(X.p, dm_mul(q[j], X.z));
    } else {
      double c = cos(q[j]), s = sin(q[j]);
      dm_vec x = dm_add(dm_mul(c, X.x), dm_mul(s, X.y));
      X.y = dm_sub(dm_mul(c, X.y), dm_mul(s, X.x));
      X.x = x;
    }
    w->X[j] = X;
  }
  w->o = w->X[m->origin].p;
}

// root to tip: S, V, Sd, I, h; tip to root: composites of I and h
static void motions(const dm_model *m, sweep *w, const double *v) {
  v = at_joints(m, v, true, w->v);
  for (int j = 0; j < m->nj; j++) {
    int p = m->parent[j];
    dm_pose X = w->X[j];
    X.p = dm_sub(X.p, w->o);
    dm_spatial S =
        m->slides[j] ? (dm_spatial){{0, 0, 0}, X.z} : (dm_spatial){X.z, dm_cross(X.p, X.z)};
    dm_spatial V = dm_smul(v[j], S);
    if (p >= 0) V = dm_sadd(V, w->V[p]);
    set(w->S, j, S);
    set(w->Sd, j, dm_bracket(V, S));
    w->V[j] = V;
    w->I[j] = dm_inertia_move(&m->body[j], &X);
    w->h[j] = dm_momentum(&w->I[j], V);
  }
}

static void composites(const dm_model *m, dm_spatial *h, dm_inertia *I) {
  for (int j = m->nj - 1; j >= 0; j--) {
    int p = m->parent[j];
    if (p < 0) continue;
    h[p] = dm_sadd(h[p], h[j]);
    dm_inertia_add(&I[p], &I[j]);
  }
}

// m_i v_i + w_i x c_i: the rate of the subtree's first moment
static dm_vec moment_rate(const dm_inertia *I, dm_spatial S) {
  return dm_add(dm_mul(I->m, S.v), dm_cross(S.w, I->c));
}

static void gradient(const dm_model *m, const sweep *w, const double *v, dm_jet *out) {
  for (int i = 0; i < m->nq; i++) {
    out->L_q[i] = 0;
    out->L_v[i] = m->armature[i] * v[i];
  }
  for (int j = 0; j < m->nj; j++) {
    dm_spatial S = get(w->S, j), Sd = get(w->Sd, j);
    int i = m->coord[j];
    out->L_v[i] += m->ratio[j] * dm_pair(S, w->h[j]);
    out->L_q[i] +=
        m->ratio[j] * (dm_pair(Sd, w->h[j]) + dm_dot(m->gravity, moment_rate(&w->I[j], S)));
  }
}

static double potential(const dm_model *m, const sweep *w) {
  dm_vec c = m->ground.c;
  for (int j = 0; j < m->nj; j++)
    if (m->parent[j] < 0) c = dm_add(c, dm_add(w->I[j].c, dm_mul(w->I[j].m, w->o)));
  return -dm_dot(m->gravity, c);
}

// Visit the ancestors of i, itself included, as runs [first, last] of consecutive joints.
#define FOR_RUNS(m, i, first, last)                                                                \
  for (int last = (i), first = (m)->run[i]; last >= 0;                                             \
       last = (m)->parent[first], first = last < 0 ? 0 : (m)->run[last])

// Where the second derivatives of joints go, and whether they still have to be gathered.
typedef struct target {
  double *qq, *qv, *vv;
  int n;
} target;

static target begin(const dm_model *m, const sweep *w, const dm_jet *out) {
  target t = m->direct ? (target){out->L_qq, out->L_qv, out->L_vv, m->nq}
                       : (target){w->J[0], w->J[1], w->J[2], m->nj};
  size_t size = (size_t)t.n * (size_t)t.n * sizeof(double);
  if (m->run[m->nj - 1] != 0) { // branches leave zeros
    memset(t.qq, 0, size);
    memset(t.qv, 0, size);
    memset(t.vv, 0, size);
  }
  return t;
}

// mirror what stands in row i, left of the diagonal, and put the transposed part of qv
static void mirror(const dm_model *m, const target *t, int i, const double *vq) {
  int n = t->n;
  FOR_RUNS(m, i, a, b) for (int j = a; j <= b; j++) {
    t->qq[j * n + i] = t->qq[i * n + j];
    t->vv[j * n + i] = t->vv[i * n + j];
    t->qv[j * n + i] = vq[j];
  }
}

// the chain rule from joints to coordinates: q_joint = ratio q_coord + shift
static void finish(const dm_model *m, const target *t, dm_jet *out) {
  if (m->direct) return;
  size_t size = (size_t)m->nq * (size_t)m->nq * sizeof(double);
  memset(out->L_qq, 0, size);
  memset(out->L_qv, 0, size);
  memset(out->L_vv, 0, size);
  for (int i = 0; i < m->nj; i++)
    for (int j = 0; j < m->nj; j++) {
      double r = m->ratio[i] * m->ratio[j];
      int from = i * m->nj + j, to = m->coord[i] * m->nq + m->coord[j];
      out->L_qq[to] += r * t->qq[from];
      out->L_qv[to] += r * t->qv[from];
      out->L_vv[to] += r * t->vv[from];
    }
}

// a1, a2, a3 of the header for joint i
typedef struct forms {
  dm_spatial a1, a2;
  dm_vec a3;
} forms;

static forms forms_of(const dm_model *m, const sweep *w, int i) {
  dm_spatial S = get(w->S, i), Sd = get(w->Sd, i);
  const dm_inertia *I = &w->I[i];
  return (forms){dm_momentum(I, S), dm_sadd(dm_dual(S, w->h[i]), dm_momentum(I, Sd)),
                 dm_cross(moment_rate(I, S), m->gravity)};
}

// their derivative along the virtual motion
static forms forms_along(const dm_model *m, const sweep *w, int i) {
  dm_spatial S = get(w->S, i), Sd = get(w->Sd, i), dS = get(w->dS, i), dSd = get(w->dSd, i);
  const dm_inertia *I = &w->I[i], *dI = &w->dI[i];
  dm_spatial a2 = dm_sadd(dm_dual(dS, w->h[i]), dm_dual(S, w->dh[i]));
  a2 = dm_sadd(a2, dm_sadd(dm_momentum(dI, Sd), dm_momentum(I, dSd)));
  return (forms){dm_sadd(dm_momentum(dI, S), dm_momentum(I, dS)), a2,
                 dm_cross(dm_add(moment_rate(dI, S), moment_rate(I, dS)), m->gravity)};
}

#define DOT3(S, j, a) (S[0][j] * (a).x + S[1][j] * (a).y + S[2][j] * (a).z)
#define DOT6(S, j, f)                                                                              \
  (S[0][j] * (f).w.x + S[1][j] * (f).w.y + S[2][j] * (f).w.z + S[3][j] * (f).v.x +                 \
   S[4][j] * (f).v.y + S[5][j] * (f).v.z)

static void hessian(const dm_model *m, sweep *w, dm_jet *out) {
  target t = begin(m, w, out);
  double *const *S = w->S, *const *Sd = w->Sd;
  for (int i = 0; i < m->nj; i++) {
    forms f = forms_of(m, w, i);
    double *restrict qq = t.qq + i * t.n, *restrict qv = t.qv + i * t.n;
    double *restrict vv = t.vv + i * t.n, *restrict vq = w->row;
    FOR_RUNS(m, i, a, b) for (int j = a; j <= b; j++) {
      vv[j] = DOT6(S, j, f.a1);
      vq[j] = DOT6(Sd, j, f.a1);
      qv[j] = DOT6(S, j, f.a2);
      qq[j] = DOT6(Sd, j, f.a2) + DOT3(S, j, f.a3);
    }
    mirror(m, &t, i, w->row);
  }
  finish(m, &t, out);
  for (int i = 0; i < m->nq; i++) out->L_vv[i * m->nq + i] += m->armature[i];
}

static dm_status eval(const void *self, void *scratch, int order, const double *q, const double *v,
                      dm_jet *out) {
  const dm_model *m = self;
  sweep w = open_scratch(m, scratch);
  poses(m, &w, q);
  motions(m, &w, v);
  composites(m, w.h, w.I);
  gradient(m, &w, v, out);
  double twice_kinetic = 0;
  for (int i = 0; i < m->nq; i++) twice_kinetic += v[i] * out->L_v[i];
  out->L = 0.5 * twice_kinetic - potential(m, &w);
  if (order >= 2) hessian(m, &w, out);
  return isfinite(out->L) ? DM_OK : DM_NOT_FINITE;
}

// derivative of a body's inertia as it is carried along by the motion A
static dm_inertia inertia_along(const dm_inertia *I, dm_spatial A) {
  dm_vec w = A.w, v = A.v, c = I->c;
  double vc = 2 * dm_dot(v, c);
  // w^ J - J w^ for the rotation, 2 (c.v) 1 - v c' - c v' for the translation
  return (dm_inertia){
      .m = 0,
      .c = moment_rate(I, A),
      .xx = 2 * (w.y * I->xz - w.z * I->xy) + vc - 2 * v.x * c.x,
      .yy = 2 * (w.z * I->xy - w.x * I->yz) + vc - 2 * v.y * c.y,
      .zz = 2 * (w.x * I->yz - w.y * I->xz) + vc - 2 * v.z * c.z,
      .xy = w.y * I->yz - w.z * I->yy + w.z * I->xx - w.x * I->xz - v.x * c.y - v.y * c.x,
      .xz = w.y * I->zz - w.z * I->yz + w.x * I->xy - w.y * I->xx - v.x * c.z - v.z * c.x,
      .yz = w.z * I->xz - w.x * I->zz + w.x * I->yy - w.y * I->xy - v.y * c.z - v.z * c.y};
}

// everything of motions() differentiated along (a_q,a_v)
static void virtual_motions(const dm_model *m, sweep *w, const double *v, const double *aq,
                            const double *av) {
  v = at_joints(m, v, true, w->v);
  aq = at_joints(m, aq, true, w->aq);
  av = at_joints(m, av, true, w->av);
  for (int j = 0; j < m->nj; j++) {
    int p = m->parent[j];
    dm_spatial S = get(w->S, j);
    dm_spatial A = dm_smul(aq[j], S);
    if (p >= 0) A = dm_sadd(A, w->A[p]);
    dm_spatial dS = dm_bracket(A, S);
    dm_spatial dV = dm_sadd(dm_smul(v[j], dS), dm_smul(av[j], S));
    if (p >= 0) dV = dm_sadd(dV, w->dV[p]);
    set(w->dS, j, dS);
    set(w->dSd, j, dm_sadd(dm_bracket(dV, S), dm_bracket(w->V[j], dS)));
    w->A[j] = A;
    w->dV[j] = dV;
    w->dI[j] = inertia_along(&w->I[j], A);
    w->dh[j] = dm_sadd(dm_momentum(&w->dI[j], w->V[j]), dm_momentum(&w->I[j], dV));
  }
}

static dm_status contract(const void *self, void *scratch, const double *q, const double *v,
                          const double *a_q, const double *a_v, dm_jet *out) {
  const dm_model *m = self;
  sweep w = open_scratch(m, scratch);
  poses(m, &w, q);
  motions(m, &w, v);
  virtual_motions(m, &w, v, a_q, a_v);
  composites(m, w.h, w.I);
  composites(m, w.dh, w.dI);
  target t = begin(m, &w, out);
  double *const *S = w.S, *const *Sd = w.Sd, *const *dS = w.dS, *const *dSd = w.dSd;
  for (int i = 0; i < m->nj; i++) {
    forms f = forms_of(m, &w, i), d = forms_along(m, &w, i);
    double *restrict qq = t.qq + i * t.n, *restrict qv = t.qv + i * t.n;
    double *restrict vv = t.vv + i * t.n, *restrict vq = w.row;
    FOR_RUNS(m, i, a, b) for (int j = a; j <= b; j++) {
      vv[j] = DOT6(dS, j, f.a1) + DOT6(S, j, d.a1);
      vq[j] = DOT6(dSd, j, f.a1) + DOT6(Sd, j, d.a1);
      qv[j] = DOT6(dS, j, f.a2) + DOT6(S, j, d.a2);
      qq[j] = DOT6(dSd, j, f.a2) + DOT6(Sd, j, d.a2) + DOT3(dS, j, f.a3) + DOT3(S, j, d.a3);
    }
    mirror(m, &t, i, w.row);
  }
  finish(m, &t, out);
  return DM_OK;
}

dm_lagrangian dm_sweep_lagrangian(const dm_model *m) {
  sweep w;
  dm_block count = {0};
  lay_out(&w, &count, m);
  return (dm_lagrangian){.nq = m->nq,
                         .mask = m->mask,
                         .self = m,
                         .scratch = count.used,
                         .eval = eval,
                         .contract = contract};
}

void dm_sweep_energy(const dm_model *m, void *scratch, const double *q, const double *v,
                     double *kinetic, double *potential_energy) {
  sweep w = open_scratch(m, scratch);
  poses(m, &w, q);
  motions(m, &w, v);
  *kinetic = 0;
  for (int j = 0; j < m->nj; j++) *kinetic += 0.5 * dm_pair(w.V[j], w.h[j]);
  for (int i = 0; i < m->nq; i++) *kinetic += 0.5 * m->armature[i] * v[i] * v[i];
  composites(m, w.h, w.I);
  *potential_energy = potential(m, &w);
}

void dm_sweep_momentum(const dm_model *m, void *scratch, const double *q, const double *v,
                       double mu[6]) {
  sweep w = open_scratch(m, scratch);
  poses(m, &w, q);
  motions(m, &w, v);
  dm_spatial sum = {0};
  for (int j = 0; j < m->nj; j++) sum = dm_sadd(sum, w.h[j]);
  sum.w = dm_add(sum.w, dm_cross(w.o, sum.v));
  mu[0] = sum.w.x, mu[1] = sum.w.y, mu[2] = sum.w.z;
  mu[3] = sum.v.x, mu[4] = sum.v.y, mu[5] = sum.v.z;
}

dm_pose dm_sweep_pose(const dm_model *m, void *scratch, const double *q, int b) {
  sweep w = open_scratch(m, scratch);
  poses(m, &w, q);
  int j = m->body_joint[b];
  return j < 0 ? m->body_pose[b] : dm_compose(&w.X[j], &m->body_pose[b]);
}

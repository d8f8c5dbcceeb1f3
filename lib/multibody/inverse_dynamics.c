#include "lib/multibody/inverse_dynamics.h"

#include "lib/base/block.h"

#define LANES 1
#include "lib/multibody/joints.inc"

#include <assert.h>
#include <string.h>

enum { MATRICES = 4 };

// a, b, c, d of the header for a joint
typedef struct forms {
  dm_spatial a, b, c, d;
} forms;

struct dm_inverse_sweep {
  int order;                             // of the last evaluation
  double *S[6], *Sd[6], *Sdd[6], *Sw[6]; // screws              [nj] each
  double *q, *v, *a, *mu;                // of joints           [nj]
  dm_pose *X;                            // joint frames        [nj]
  dm_spatial *V, *A, *W;                 // motions             [nj]
  dm_spatial *hb, *h, *F, *N, *P;        // of bodies hb; composites
  dm_inertia *Ib, *Jb, *I, *J, *K;       // of bodies Ib, Jb; composites
  struct forms *forms;                   // [nj] of the last evaluation of order 1
  double *row[3];                        // [nj]
  double *joints[MATRICES];              // [nj x nj] where coordinates differ from joints
  double *at, *V_q, *V_qq, *V_qqa;       // where the potential was evaluated, and what it gave
  void *potential;
};

// each of a list that ends with NULL
static void alloc_each(dm_block *b, double **const *list, size_t count) {
  for (; *list; list++) **list = dm_block_alloc(b, count, sizeof(double));
}

static void lay_out_inverse(void *self, dm_block *b) {
  dm_inverse *w = self;
  const dm_model *m = w->m;
  size_t nj = (size_t)m->nj, n = (size_t)w->n, nn = w->V.eval ? n * n : 0;

  // the recursion's own struct, which is nowhere while counting
  struct dm_inverse_sweep none, *s = &none;
  w->s = dm_block_alloc(b, 1, sizeof *w->s);
  if (w->s) s = w->s;

  // of joints: screws by components, values, frames, motions, composites
  for (int c = 0; c < 6; c++)
    alloc_each(b, (double **const[]){&s->S[c], &s->Sd[c], &s->Sdd[c], &s->Sw[c], NULL}, nj);
  alloc_each(
      b, (double **const[]){&s->q, &s->v, &s->a, &s->mu, &s->row[0], &s->row[1], &s->row[2], NULL},
      nj);
  s->X = dm_block_alloc(b, nj, sizeof *s->X);
  dm_spatial **const spatial[] = {&s->V, &s->A, &s->W, &s->hb, &s->h, &s->F, &s->N, &s->P};
  for (size_t k = 0; k < sizeof spatial / sizeof *spatial; k++)
    *spatial[k] = dm_block_alloc(b, nj, sizeof(dm_spatial));
  dm_inertia **const inertia[] = {&s->Ib, &s->Jb, &s->I, &s->J, &s->K};
  for (size_t k = 0; k < sizeof inertia / sizeof *inertia; k++)
    *inertia[k] = dm_block_alloc(b, nj, sizeof(dm_inertia));
  s->forms = dm_block_alloc(b, nj, sizeof *s->forms);
  for (int k = 0; k < MATRICES; k++)
    s->joints[k] = dm_block_alloc(b, m->direct ? 0 : nj * nj, sizeof(double));

  // results, and the potential's
  dm_inverse_pair *p = &w->mu;
  alloc_each(b, (double **const[]){&w->tau, &p->q, &p->v, &p->a, &s->at, &s->V_q, NULL}, n);
  alloc_each(
      b, (double **const[]){&w->tau_q, &w->tau_v, &w->tau_a, &p->qq, &p->qv, &p->vv, &p->qa, NULL},
      n * n);
  alloc_each(b, (double **const[]){&s->V_qq, &s->V_qqa, NULL}, nn);
  s->potential = dm_block_alloc(b, w->V.scratch, 1);
}

dm_status dm_inverse_new(dm_inverse **out, const dm_model *m, const dm_potential *V) {
  dm_inverse sizes = {.n = m->nq, .m = m};
  if (V) sizes.V = *V;
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_inverse);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_inverse_free(dm_inverse *w) {
  dm_block_free(w);
}

// tip to root
static void sum_subtrees(const dm_model *m, dm_spatial *X) {
  // X_p = sum of the X of its children and its own
  for (int j = m->nj - 1; j >= 0; j--)
    if (m->parent[j] >= 0) X[m->parent[j]] = dm_sadd(X[m->parent[j]], X[j]);
}

// root to tip: frames, screws, motions and what is of single bodies
static void find_inverse_motions(const dm_model *m, struct dm_inverse_sweep *s, const double *q,
                                 const double *v, const double *a) {
  q = at_joints(m, q, false, s->q);
  v = at_joints(m, v, true, s->v);
  a = at_joints(m, a, true, s->a);
  for (int j = 0; j < m->nj; j++) s->X[j] = find_frame(m, s->X, j, q + j);
  dm_vec origin = s->X[m->origin].p;
  // gravity as an acceleration of the root: A = -g
  const dm_spatial fall = {.v = dm_mul(-1, m->gravity)};

  for (int j = 0; j < m->nj; j++) {
    // S, V_j = V_p + S v_j
    int p = m->parent[j];
    dm_pose X = s->X[j];
    X.p = dm_sub(X.p, origin); // about the model's origin, near the robot
    // S = (z, p x z) of a turn, (0, z) of a slide
    dm_spatial S = m->slides[j] ? (dm_spatial){.v = X.z} : (dm_spatial){X.z, dm_cross(X.p, X.z)};
    dm_spatial V = dm_smul(v[j], S);
    dm_spatial A = dm_smul(a[j], S);
    if (p >= 0) V = dm_sadd(V, s->V[p]);

    // A_j = A_p + S a_j + Sd v_j, from -g at the root; Sdd = [A,S] + [V,Sd]
    dm_spatial Sd = dm_bracket(V, S);
    A = dm_sadd(dm_sadd(A, dm_smul(v[j], Sd)), p >= 0 ? s->A[p] : fall);
    set_screw(s->S, j, S);
    set_screw(s->Sd, j, Sd);
    set_screw(s->Sdd, j, dm_sadd(dm_bracket(A, S), dm_bracket(V, Sd)));
    s->V[j] = V;
    s->A[j] = A;

    // of the body: I, J, h = I V, F = I A + V x* h
    s->Ib[j] = dm_inertia_move(&m->body[j], &X);
    s->Jb[j] = move_inertia(&s->Ib[j], V);
    s->hb[j] = dm_momentum(&s->Ib[j], V);
    s->F[j] = dm_sadd(dm_momentum(&s->Ib[j], A), dm_dual(V, s->hb[j]));
  }
}

// Where the matrices of joints go: to those of coordinates themselves where these are the same
typedef struct targets {
  double *at[MATRICES], *out[MATRICES];
  int n;
} targets;

static targets open_targets(const dm_model *m, const struct dm_inverse_sweep *s,
                            double *const *out) {
  // at: matrices [nj x nj] by joints; out: [n x n] by coordinates
  targets t = {.n = m->nj};
  for (int k = 0; k < MATRICES && out[k]; k++) {
    t.out[k] = out[k];
    t.at[k] = m->direct ? out[k] : s->joints[k];
    if (m->run[m->nj - 1] != 0 || m->inert[m->nj - 1]) // what is not coupled stays zero
      memset(t.at[k], 0, (size_t)(t.n * t.n) * sizeof(double));
  }
  return t;
}

// the chain rule from joints to coordinates: q_joint = ratio q_coord + shift
static void gather_matrices(const dm_model *m, const targets *t) {
  for (int k = 0; k < MATRICES && t->out[k] && !m->direct; k++) {
    memset(t->out[k], 0, (size_t)(m->nq * m->nq) * sizeof(double));
    // M_coord += ratio_i ratio_j M_joint
    for (int i = 0; i < m->nj; i++)
      for (int j = 0; j < m->nj; j++)
        t->out[k][m->coord[i] * m->nq + m->coord[j]] +=
            m->ratio[i] * m->ratio[j] * t->at[k][i * t->n + j];
  }
}

// a, b, c, d of the header for joint i
static forms make_inverse_forms(const struct dm_inverse_sweep *s, int i) {
  dm_spatial S = get_screw(s->S, i);
  dm_spatial Sd = get_screw(s->Sd, i);
  dm_spatial Sdd = get_screw(s->Sdd, i);
  const dm_inertia *I = &s->I[i], *J = &s->J[i];

  // J S and S x* h, which b and c share
  dm_spatial JS = dm_momentum(J, S);
  dm_spatial turn = dm_dual(S, s->h[i]);
  dm_spatial d = dm_sadd(dm_momentum(I, Sdd), dm_momentum(J, Sd));
  return (forms){dm_momentum(I, S), dm_sadd(JS, dm_smul(-1, turn)),
                 dm_sadd(dm_sadd(JS, turn), dm_smul(2, dm_momentum(I, Sd))),
                 dm_sadd(d, dm_sadd(dm_dual(Sd, s->h[i]), dm_dual(S, s->F[i])))};
}

static void find_inverse_derivatives(dm_inverse *w) {
  const dm_model *m = w->m;
  struct dm_inverse_sweep *s = w->s;
  double *const *S = s->S, *const *Sd = s->Sd, *const *Sdd = s->Sdd;

  // composites of I, J and h; those of bodies stay for dm_inverse_contract
  size_t nj = (size_t)m->nj;
  memcpy(s->I, s->Ib, nj * sizeof *s->I);
  memcpy(s->J, s->Jb, nj * sizeof *s->J);
  memcpy(s->h, s->hb, nj * sizeof *s->h);
  sum_composites(m, s->h, s->I);
  for (int j = m->nj - 1; j >= 0; j--)
    if (m->parent[j] >= 0) dm_inertia_add(&s->J[m->parent[j]], &s->J[j]);

  targets t = open_targets(m, s, (double *const[MATRICES]){w->tau_q, w->tau_v, w->tau_a});
  for (int i = 0; i < m->nj; i++) {
    if (m->inert[i]) continue;
    forms f = s->forms[i] = make_inverse_forms(s, i);
    // row i of tau_q, tau_v, tau_a; column i of the first two in by_q, by_v
    double *restrict q = t.at[0] + i * t.n, *restrict v = t.at[1] + i * t.n;
    double *restrict a = t.at[2] + i * t.n;
    double *restrict by_q = s->row[0], *restrict by_v = s->row[1];

    // rows tau_i by each j at or above i, and columns tau_j by i, as the header has them
    FOR_RUNS(m, i, first, last) {
      for (int j = first; j <= last; j++) {
        a[j] = DOT6(S, j, f.a);
        q[j] = DOT6(Sdd, j, f.a) + DOT6(Sd, j, f.b);
        v[j] = 2 * DOT6(Sd, j, f.a) + DOT6(S, j, f.b);
        by_q[j] = DOT6(S, j, f.d);
        by_v[j] = DOT6(S, j, f.c);
      }
      for (int j = first; j <= last && j < i; j++) {
        t.at[0][j * t.n + i] = by_q[j];
        t.at[1][j * t.n + i] = by_v[j];
        t.at[2][j * t.n + i] = a[j]; // M is symmetric
      }
    }
  }

  // by coordinates; an armature is inertia of its coordinate alone
  gather_matrices(m, &t);
  for (int i = 0; i < w->n; i++) w->tau_a[i * w->n + i] += m->armature[i];
}

dm_status dm_inverse_eval(dm_inverse *w, int order, const double *q, const double *v,
                          const double *a) {
  const dm_model *m = w->m;
  struct dm_inverse_sweep *s = w->s;
  size_t n = (size_t)w->n;

  // tau_i = S_i.F, F of the subtree
  s->order = order;
  find_inverse_motions(m, s, q, v, a);
  sum_subtrees(m, s->F);
  for (int i = 0; i < w->n; i++) w->tau[i] = m->armature[i] * a[i];
  for (int j = 0; j < m->nj; j++)
    // tau_coord += ratio S.F
    w->tau[m->coord[j]] += m->ratio[j] * dm_pair(get_screw(s->S, j), s->F[j]);
  if (order > 0) find_inverse_derivatives(w);

  // and V_q of the potential, with V_qq by q
  if (w->V.eval) {
    double energy = 0;
    // T of V alone: q stays for dm_inverse_contract
    memcpy(s->at, q, n * sizeof *q);
    memset(s->V_q, 0, n * sizeof(double));
    memset(s->V_qq, 0, n * n * sizeof(double));
    DM_TRY(w->V.eval(w->V.self, s->potential, 2, q, &energy, s->V_q, s->V_qq));
    for (size_t i = 0; i < n; i++) w->tau[i] += s->V_q[i];
    for (size_t i = 0; order > 0 && i < n * n; i++) w->tau_q[i] += s->V_qq[i];
  }

  double sum = 0; // keeps NaN and infinity
  for (size_t i = 0; i < n; i++) sum += w->tau[i];
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

// the virtual motion, root to tip, and the gradient it gives
static void find_inverse_gradient(dm_inverse *w, const double *mu) {
  const dm_model *m = w->m;
  struct dm_inverse_sweep *s = w->s;
  const double *rate = at_joints(m, mu, true, s->mu);

  for (int j = 0; j < m->nj; j++) {
    // W_j = W_p + S_j mu_j, Sw_j = [W_j,S_j]; K, N = I W and P = J W - W x* h of the body
    int p = m->parent[j];
    dm_spatial S = get_screw(s->S, j);
    dm_spatial W = dm_smul(rate[j], S);
    if (p >= 0) W = dm_sadd(W, s->W[p]);
    s->W[j] = W;
    set_screw(s->Sw, j, dm_bracket(W, S));
    s->K[j] = move_inertia(&s->Ib[j], W);
    s->N[j] = dm_momentum(&s->Ib[j], W);
    s->P[j] = dm_sadd(dm_momentum(&s->Jb[j], W), dm_smul(-1, dm_dual(W, s->hb[j])));
  }
  sum_subtrees(m, s->P);
  // P of subtrees; N, K as composites, as I and h are
  sum_composites(m, s->N, s->K);

  // the gradient of mu.tau by q, v, a, joint by joint
  dm_inverse_pair *g = &w->mu;
  for (int i = 0; i < w->n; i++) {
    g->q[i] = g->v[i] = 0;
    g->a[i] = m->armature[i] * mu[i]; // the armature's force is linear in a
  }
  for (int j = 0; j < m->nj; j++) {
    dm_spatial S = get_screw(s->S, j);
    dm_spatial Sd = get_screw(s->Sd, j);
    dm_spatial N = s->N[j];
    dm_spatial P = s->P[j];
    double r = m->ratio[j];
    int i = m->coord[j];
    // (mu.tau)_q = Sdd.N + Sd.P + Sw.F, _v = 2 Sd.N + S.P, _a = S.N
    g->q[i] += r * (dm_pair(get_screw(s->Sdd, j), N) + dm_pair(Sd, P) +
                    dm_pair(get_screw(s->Sw, j), s->F[j]));
    g->v[i] += r * (2 * dm_pair(Sd, N) + dm_pair(S, P));
    g->a[i] += r * dm_pair(S, N);
  }
}

static void find_inverse_hessian(dm_inverse *w) {
  const dm_model *m = w->m;
  struct dm_inverse_sweep *s = w->s;
  double *const *S = s->S, *const *Sd = s->Sd, *const *Sdd = s->Sdd, *const *Sw = s->Sw;
  const dm_inverse_pair *o = &w->mu;
  // the blocks qq, qv, vv, qa of D2(mu.tau); aa and va are 0
  targets t = open_targets(m, s, (double *const[MATRICES]){o->qq, o->qv, o->vv, o->qa});
  for (int i = 0; i < m->nj; i++) {
    // e, f, g of the header for joint i
    if (m->inert[i]) continue;
    forms k = s->forms[i];
    dm_spatial Si = get_screw(S, i);
    dm_spatial Sdi = get_screw(Sd, i);
    dm_spatial Swi = get_screw(Sw, i);

    dm_spatial turn = dm_dual(Si, s->N[i]);
    dm_spatial e = dm_sadd(turn, dm_smul(-1, dm_momentum(&s->K[i], Si)));
    dm_spatial f = dm_sadd(turn, dm_momentum(&s->I[i], Swi));
    dm_spatial g = dm_sadd(dm_dual(Sdi, s->N[i]), dm_dual(Si, s->P[i]));
    g = dm_sadd(g, dm_smul(-1, dm_momentum(&s->K[i], Sdi)));
    g = dm_sadd(g, dm_momentum(&s->J[i], Swi));
    g = dm_sadd(g, dm_smul(-1, dm_dual(Swi, s->h[i])));

    // row i by each j at or above it, and column i by the transposed blocks
    double *restrict qq = t.at[0] + i * t.n, *restrict qv = t.at[1] + i * t.n;
    double *restrict vv = t.at[2] + i * t.n, *restrict qa = t.at[3] + i * t.n;
    // blocks by (v_i,q_j) and (a_i,q_j): they fill the columns of qv and qa
    double *restrict vq = s->row[0], *restrict aq = s->row[1];
    FOR_RUNS(m, i, first, last) {
      for (int j = first; j <= last; j++) {
        qq[j] = DOT6(Sdd, j, f) + DOT6(Sd, j, g) + DOT6(Sw, j, k.d);
        qv[j] = 2 * DOT6(Sd, j, f) + DOT6(S, j, g);
        vv[j] = DOT6(S, j, e);
        qa[j] = DOT6(S, j, f);
        vq[j] = DOT6(Sd, j, e) + DOT6(Sw, j, k.c);
        aq[j] = DOT6(Sw, j, k.a);
      }
      for (int j = first; j <= last && j < i; j++) {
        t.at[0][j * t.n + i] = qq[j];
        t.at[1][j * t.n + i] = vq[j];
        t.at[2][j * t.n + i] = vv[j];
        t.at[3][j * t.n + i] = aq[j];
      }
    }
  }
  gather_matrices(m, &t);
}

dm_status dm_inverse_contract(dm_inverse *w, int order, const double *mu) {
  struct dm_inverse_sweep *s = w->s;
  int n = w->n;
  assert(order < 2 || s->order > 0);
  // third derivatives of V are needed
  if (order > 1 && w->V.eval && !w->V.contract) return DM_UNAVAILABLE;

  find_inverse_gradient(w, mu);
  if (order > 1) find_inverse_hessian(w);

  // of the potential: V_qq mu, and V_qqq along mu
  if (!w->V.eval) return DM_OK;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->mu.q[i] += s->V_qq[i * n + j] * mu[j];
  if (order < 2) return DM_OK;
  memset(s->V_qqa, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(w->V.contract(w->V.self, s->potential, s->at, mu, s->V_qqa));
  for (int i = 0; i < n * n; i++) w->mu.qq[i] += s->V_qqa[i];
  return DM_OK;
}

#include "lib/discrete/step_nodes.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/width.h"

#include <assert.h>
#include <string.h>

// f, m.f and their derivatives at one point of one lane, with nf inputs of the general forces
static void lay_out_forces(dm_step_nodes *w, dm_block *b, size_t n, size_t nf) {
  dm_force_jet *f = &w->force.jet;
  dm_force_hessian *mf = &w->force.mf;
  const struct {
    double **at;
    size_t count;
  } arrays[] = {{&w->force.q, n},  {&w->force.v, n},  {&w->force.u, nf}, {&w->force.m, n},
                {&f->f, n},        {&f->f_q, n * n},  {&f->f_v, n * n},  {&f->f_u, n * nf},
                {&mf->qq, n * n},  {&mf->qv, n * n},  {&mf->vv, n * n},  {&mf->qu, n * nf},
                {&mf->vu, n * nf}, {&mf->uu, nf * nf}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i].at = dm_block_alloc(b, arrays[i].count, sizeof(double));
  w->force.scratch = dm_block_alloc(b, dm_forces_scratch(&w->s.force, w->n), 1);
}

static void lay_out_step_nodes(void *self, dm_block *b) {
  dm_step_nodes *w = self;
  size_t W = (size_t)w->lanes, nu = (size_t)w->nu;
  size_t nz = (size_t)w->nz, nf = (size_t)(w->nu - w->nj);

  // [n] and [n x n] for all lanes
  size_t n = (size_t)w->n * W;
  size_t nn = (size_t)w->n * n;
  double **vectors[] = {&w->qm,      &w->v,     &w->a_q,   &w->a_v, &w->jet.L_q,
                        &w->jet.L_v, &w->T.L_q, &w->T.L_v, &w->L_vq};
  double **matrices[] = {&w->jet.L_qq, &w->jet.L_qv, &w->jet.L_vv,
                         &w->T.L_qq,   &w->T.L_qv,   &w->T.L_vv};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    *matrices[i] = dm_block_alloc(b, nn, sizeof(double));

  // per node and per pair of nodes; derivatives by inputs at the entries of the masks; the sums
  // over points are consecutive, for clear_sums
  for (int j = 0; j < w->nodes; j++) w->g[j] = dm_block_alloc(b, n, sizeof(double));
  for (int j = 0; j < w->nodes; j++) w->g_h[j] = dm_block_alloc(b, n, sizeof(double));
  for (int j = 0; j < w->nodes; j++)
    for (int k = 0; k < w->nodes; k++) w->G[j][k] = dm_block_alloc(b, nn, sizeof(double));
  for (int j = 0; j < w->nodes; j++) {
    w->H_h[j] = dm_block_alloc(b, n, sizeof(double));
    w->g_u[j] = dm_block_alloc(b, nz * W, sizeof(double));
    w->H_u[j] = dm_block_alloc(b, nz * W, sizeof(double));
    for (int k = 0; k < w->nodes; k++)
      w->H[j][k] = k < j ? NULL : dm_block_alloc(b, nn, sizeof(double));
  }

  // sparsity, common to all lanes
  w->row = dm_block_alloc(b, nz, sizeof *w->row);
  w->col = dm_block_alloc(b, nz, sizeof *w->col);
  w->Huu = dm_block_alloc(b, nf * nf * W, sizeof(double));
  w->Huh = dm_block_alloc(b, nu * W, sizeof(double));
  w->Hhh = dm_block_alloc(b, W, sizeof(double));

  // scratch of the Lagrangian and the forces
  w->L_scratch = dm_block_alloc(b, w->s.L.scratch, 1);
  if (w->s.force.count) lay_out_forces(w, b, (size_t)w->n, nf);
}

// entries of the inputs' columns, written to row and col if these exist; returns their number
static int list_input_entries(const dm_step_nodes *w, int *row, int *col) {
  const dm_forces *f = &w->s.force;
  int nz = w->nj, nf = w->nu - w->nj;

  // one entry for each input at a joint
  for (int c = 0; row && c < w->nj; c++) {
    row[c] = w->s.input_coord[c];
    col[c] = c;
  }

  // entries of the general forces' mask_u, column by column
  for (int c = 0; c < nf; c++) {
    for (int i = 0; i < w->n; i++) {
      if (!dm_forces_driven(f, w->n, i, c)) continue;
      if (row) {
        row[nz] = i;
        col[nz] = w->nj + c;
      }
      nz++;
    }
  }
  return nz;
}

// number of leading coordinates that L or a general force depends on
static int count_active(const dm_system *s) {
  const dm_forces *f = &s->force;
  int n = s->L.nq, last = n;

  // idle coordinates of L are active up to the last one that a force couples or drives
  for (; f->count && last > n - s->L.idle; last--) {
    bool touched = false;
    for (int j = 0; !touched && j < n; j++) touched = dm_forces_couple(f, n, last - 1, j);
    for (int j = 0; !touched && j < f->nu; j++) touched = dm_forces_driven(f, n, last - 1, j);
    if (touched) return last;
  }
  return n - s->L.idle;
}

// Lagrange polynomial of node j for nodes c, and its derivative, at t
static void eval_node_polynomial(int nodes, const double *c, int j, double t, double *P,
                                 double *R) {
  *P = 1;
  *R = 0;
  for (int k = 0; k < nodes; k++) {
    if (k == j) continue;

    // product rule, one factor (t - c_k)/(c_j - c_k) at a time
    double factor = (t - c[k]) / (c[j] - c[k]);
    *R = *R * factor + *P / (c[j] - c[k]);
    *P *= factor;
  }
}

// P, P' and S of every node at every point, and the total fraction of each node
static void set_points(dm_step_nodes *w) {
  const dm_rule *r = &w->s.rule;
  double place[DM_MAX_NODES] = {0, 1};
  for (int i = 0; i < r->inner; i++) place[2 + i] = r->node[i];
  w->nodes = 2 + r->inner;
  w->points = r->points;
  w->velocities = r->inner ? r->points : 1;

  // points of the rule
  for (int s = 0; s < r->points; s++) {
    dm_step_point *at = &w->point[s];
    at->weight = r->weight[s];
    for (int j = 0; j < w->nodes; j++) {
      eval_node_polynomial(w->nodes, place, j, r->at[s], &at->P[j], &at->R[j]);
      at->S[j] = at->P[j];
      w->share[j] += at->weight * at->S[j];
    }
    if (r->inner) continue;
    at->S[0] = r->left;
    at->S[1] = 1 - r->left;
  }
  // straight line: a force acts at the two ends
  if (r->inner) return;
  w->share[0] = r->left;
  w->share[1] = 1 - r->left;
}

dm_status dm_step_nodes_new(dm_step_nodes **out, const dm_system *s, int lanes) {
  assert(out && lanes >= 1 && lanes <= DM_MAX_LANES);
  dm_step_nodes sizes = {.s = *s, .n = s->L.nq, .nu = s->nu, .lanes = lanes};

  // sizes for the layout: count the sparsity pattern now, fill it after allocation
  sizes.active = count_active(s);
  sizes.by_step = true;
  sizes.nj = s->nu - s->force.nu;
  sizes.nz = list_input_entries(&sizes, NULL, NULL);
  set_points(&sizes);
  dm_step_nodes *w = dm_block_make(&sizes, sizeof sizes, lay_out_step_nodes);
  if (!w) return DM_NO_MEMORY;
  list_input_entries(w, w->row, w->col);
  *out = w;
  return DM_OK;
}

void dm_step_nodes_free(dm_step_nodes *w) {
  dm_block_free(w);
}

// a = b = 0, both [n]
static void clear_pair(int n, double *a, double *b) {
  memset(a, 0, (size_t)n * sizeof(double));
  memset(b, 0, (size_t)n * sizeof(double));
}

// x = sum_j c_j y_j, of length size
static inline void sum_nodes(int nodes, int size, const double *c, const double *const y[],
                             double *x) {
  for (int i = 0; i < size; i++) x[i] = c[0] * y[0][i] + c[1] * y[1][i];
  for (int j = 2; j < nodes; j++) dm_add_to(size, c[j], y[j], x);
}

void dm_step_nodes_place(const dm_step_nodes *w, int s, const double *const y[], double h,
                         double *q, double *v) {
  const dm_step_point *at = &w->point[s];
  int size = w->n * w->lanes;
  if (w->nodes == 2) {
    // q and v at a point of a step with two nodes: one pass
    const double *restrict y0 = y[0];
    const double *restrict y1 = y[1];
    for (int i = 0; i < size; i++) {
      q[i] = at->P[0] * y0[i] + at->P[1] * y1[i];
      v[i] = (at->R[0] * y0[i] + at->R[1] * y1[i]) / h;
    }

    return;
  }
  sum_nodes(w->nodes, size, at->P, y, q);
  sum_nodes(w->nodes, size, at->R, y, v);
  for (int i = 0; i < size; i++) v[i] /= h;
}

// row of the second derivatives of J by (q,v), Ct that of J_vq
typedef struct jet_row {
  const double *Q, *C, *Ct, *V;
} jet_row;

// factors of J_qq, J_qv, J_vq and J_vv in the derivatives by y_j and y_k
typedef struct node_factors {
  double qq, qv, vq, vv;
} node_factors;

// the same by y_j twice: J_qv and J_vq have the same factor
static inline void add_own_row(int size, node_factors f, jet_row J, double *restrict own) {
  const double *restrict Q = J.Q, *restrict C = J.C, *restrict Ct = J.Ct, *restrict V = J.V;
  for (int k = 0; k < size; k++) {
    double both = C[k] + Ct[k];
    own[k] += f.qq * Q[k] + f.qv * both + f.vv * V[k];
  }
}

// by (y_j,y_k), and by (y_k,y_j) if back is not NULL
static inline void add_pair_row(int size, node_factors f, jet_row J, double *restrict to,
                                double *restrict back) {
  const double *restrict Q = J.Q, *restrict C = J.C, *restrict Ct = J.Ct, *restrict V = J.V;
  for (int k = 0; k < size; k++) to[k] += f.qq * Q[k] + f.vv * V[k] + f.qv * C[k] + f.vq * Ct[k];
  for (int k = 0; back && k < size; k++)
    back[k] += f.qq * Q[k] + f.vv * V[k] + f.qv * Ct[k] + f.vq * C[k];
}

// all blocks of two nodes in one pass that reads J once: the common case of a straight step
static inline void add_straight_row(int size, node_factors f00, node_factors f01, node_factors f11,
                                    jet_row J, double *restrict b00, double *restrict b01,
                                    double *restrict b11, double *restrict b10) {
  const double *restrict Q = J.Q, *restrict C = J.C, *restrict Ct = J.Ct, *restrict V = J.V;
  for (int k = 0; k < size; k++) {
    double both = C[k] + Ct[k];
    b00[k] += f00.qq * Q[k] + f00.qv * both + f00.vv * V[k];
    b11[k] += f11.qq * Q[k] + f11.qv * both + f11.vv * V[k];
    b01[k] += f01.qq * Q[k] + f01.vv * V[k] + f01.qv * C[k] + f01.vq * Ct[k];
  }
  for (int k = 0; b10 && k < size; k++)
    b10[k] += f01.qq * Q[k] + f01.vv * V[k] + f01.qv * Ct[k] + f01.vq * C[k];
}

// all nodes, into rows from r of their blocks
DM_EACH_WIDTH static void add_node_rows(int nodes, int size,
                                        node_factors f[DM_MAX_NODES][DM_MAX_NODES], jet_row J,
                                        int r, double *to[DM_MAX_NODES][DM_MAX_NODES]) {
  if (nodes == 2) {
    double *back = to[1][0] ? to[1][0] + r : NULL;
    add_straight_row(size, f[0][0], f[0][1], f[1][1], J, to[0][0] + r, to[0][1] + r, to[1][1] + r,
                     back);
    return;
  }
  for (int j = 0; j < nodes; j++) {
    add_own_row(size, f[j][j], J, to[j][j] + r);
    for (int k = j + 1; k < nodes; k++)
      add_pair_row(size, f[j][k], J, to[j][k] + r, to[k][j] ? to[k][j] + r : NULL);
  }
}

// J has the second derivatives of a function of (q,v) at point s. Add those of weight h times this
// function by the nodes. to[k][j], k > j, is written only if not NULL.
static inline void add_blocks(const dm_step_nodes *w, const int nodes, int s, double h,
                              const dm_jet *J, double *to[DM_MAX_NODES][DM_MAX_NODES]) {
  int n = w->n, W = w->lanes, size = w->active * W;
  node_factors f[DM_MAX_NODES][DM_MAX_NODES];

  // factors for weight h times a function of (q,v) at a point, k >= j
  const dm_step_point *at = &w->point[s];
  const double scale = at->weight * h, vv = scale / (h * h), *P = at->P, *R = at->R;
  for (int j = 0; j < nodes; j++)
    for (int k = j; k < nodes; k++)
      f[j][k] = (node_factors){scale * P[k] * P[j], scale * P[j] / h * R[k],
                               scale * P[k] / h * R[j], vv * R[j] * R[k]};

  for (int i = 0; i < w->active; i++) {
    // row i of L_vq is column i of L_qv
    for (int j = 0; j < w->active; j++)
      for (int l = 0; l < W; l++) w->L_vq[j * W + l] = J->L_qv[(j * n + i) * W + l];

    int r = i * n * W;
    const jet_row row = {J->L_qq + r, J->L_qv + r, w->L_vq, J->L_vv + r};
    add_node_rows(nodes, size, f, row, r, to);
  }
}

// row i of y = A x in every lane, with A [n x n] and x [n]
static void multiply_row(const dm_step_nodes *w, const double *A, const double *x, int i,
                         double *y) {
  int n = w->n, W = w->lanes;
  for (int l = 0; l < W; l++) y[l] = 0;

  // columns of idle coordinates are zero
  for (int j = 0; j < w->active; j++)
    for (int l = 0; l < W; l++) y[l] += A[(i * n + j) * W + l] * x[j * W + l];
}

// derivatives of g by h, with v_h = -v/h
static inline void add_by_step(dm_step_nodes *w, const int nodes, int s, double h) {
  const dm_step_point *at = &w->point[s];
  const double wt = at->weight;
  double qv[DM_MAX_LANES], vv[DM_MAX_LANES], *G = w->a_q, *F = w->a_v;

  // for constant nodes: with v_h = -v/h
  for (int i = 0, k = 0; i < w->active; i++) {
    multiply_row(w, w->jet.L_qv, w->v, i, qv);
    multiply_row(w, w->jet.L_vv, w->v, i, vv);
    for (int l = 0; l < w->lanes; l++, k++) {
      G[k] = wt * (w->jet.L_q[k] - qv[l]);
      F[k] = wt * vv[l] / h;
    }
  }
  for (int j = 0; j < nodes; j++)
    for (int k = 0; k < w->active * w->lanes; k++)
      w->g_h[j][k] += at->P[j] * G[k] - at->R[j] * F[k];
}

// impulse of damping of coordinate i at a point with this weight, -d h v, distributed over the
// nodes; it does not depend on h
static inline void add_damping(dm_step_nodes *w, const int nodes, int order,
                               const dm_step_point *at, double weight, int i,
                               const double *const y[]) {
  const double d = w->s.damping[i];
  int n = w->n, W = w->lanes;
  for (int l = 0, k = i * W, kk = (i * n + i) * W; l < W; l++, k++, kk++) {
    double way = at->R[0] * y[0][k] + at->R[1] * y[1][k]; // h v
    for (int j = 2; j < nodes; j++) way += at->R[j] * y[j][k];
    for (int j = 0; j < nodes; j++) {
      const double share = weight * at->S[j] * d;
      w->g[j][k] -= share * way;
      for (int m = 0; order >= 2 && m < nodes; m++) w->G[j][m][kk] -= share * at->R[m];
    }
  }
}

// h f = h B u - damping h v, distributed over the nodes
static inline void add_joint_forces(dm_step_nodes *w, const int nodes, int order,
                                    const double *const y[], const double *u, double h) {
  const dm_system *s = &w->s;
  int n = w->n, W = w->lanes;
  for (int i = 0; s->damping && i < n; i++) {
    if (s->damping[i] == 0) continue;

    // an idle coordinate has only this second derivative
    for (int j = 0; order >= 2 && i >= w->active && j < nodes; j++)
      for (int m = 0; m < nodes; m++)
        memset(w->G[j][m] + (i * n + i) * W, 0, (size_t)W * sizeof(double));

    // on a straight line all points have the same velocity and count as one
    for (int p = 0; p < w->velocities; p++)
      add_damping(w, nodes, order, &w->point[p], w->velocities > 1 ? w->point[p].weight : 1, i, y);
  }

  // h gear u, at the coordinate of each input, and its derivatives by u and h
  for (int i = 0; i < w->nj; i++) {
    double gear = s->input_gear ? s->input_gear[i] : 1; // torque at the joint per input
    for (int l = 0, k = s->input_coord[i] * W, c = i * W; l < W; l++, k++, c++) {
      double f = gear * u[c];
      for (int j = 0; j < nodes; j++) {
        w->g[j][k] += w->share[j] * h * f;
        w->g_u[j][c] = w->share[j] * h * gear;
        if (order >= 2) w->g_h[j][k] += w->share[j] * f;
      }
    }
  }
}

// lane l of x [n]
static void pick_lane(int n, int W, int l, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[i * W + l];
}

// general forces of lane l at the current point, with their derivatives for order 2
static dm_status eval_force_at_point(dm_step_nodes *w, int order, int l, const double *u) {
  const dm_forces *s = &w->s.force;
  dm_force_jet *f = &w->force.jet;
  size_t row = (size_t)w->n * sizeof(double);

  // (q,v,u) of this lane
  pick_lane(w->n, w->lanes, l, w->qm, w->force.q);
  pick_lane(w->n, w->lanes, l, w->v, w->force.v);
  if (s->nu) pick_lane(s->nu, w->lanes, l, u + w->nj * w->lanes, w->force.u);

  // forces add to their outputs
  memset(f->f, 0, row);
  if (order >= 2) {
    clear_pair(w->n * w->n, f->f_q, f->f_v);
    memset(f->f_u, 0, row * (size_t)s->nu);
  }
  return dm_forces_eval(s, w->n, w->force.scratch, order, w->force.q, w->force.v, w->force.u, f);
}

// c f with c = weight h, distributed over the nodes. Its derivative by y_k is P_k f_q + R_k f_v/h,
// and by h it follows from v_h = -v/h
static dm_status add_force(dm_step_nodes *w, int order, int s, const double *u, double h) {
  const dm_step_point *at = &w->point[s];
  const double wt = at->weight, c = wt * h, *S = at->S;
  const dm_force_jet *f = &w->force.jet;
  int n = w->n, nf = w->s.force.nu, W = w->lanes, nodes = w->nodes;
  for (int l = 0; l < W; l++) {
    DM_TRY(eval_force_at_point(w, order, l, u));
    for (int i = 0; i < n; i++) {
      double rate = f->f[i]; // derivative of h f by h: f - f_v v
      for (int j = 0; j < nodes; j++) w->g[j][i * W + l] += S[j] * c * f->f[i];
      if (order < 2) continue;

      // by the nodes
      for (int m = 0; m < n; m++) {
        int at_m = (i * n + m) * W + l;
        double Q = f->f_q[i * n + m], V = f->f_v[i * n + m];
        for (int k = 0; k < nodes; k++) {
          double by_y = c * at->P[k] * Q + wt * at->R[k] * V;
          for (int j = 0; j < nodes; j++) w->G[j][k][at_m] += S[j] * by_y;
        }
        rate -= V * w->force.v[m];
      }

      // by h
      for (int j = 0; j < nodes; j++) w->g_h[j][i * W + l] += S[j] * wt * rate;
    }

    // by u, at the entries of the general forces
    for (int e = w->nj; order >= 2 && e < w->nz; e++) {
      double by_u = c * f->f_u[w->row[e] * nf + w->col[e] - w->nj];
      for (int j = 0; j < nodes; j++) w->g_u[j][e * W + l] += S[j] * by_u;
    }
  }
  return DM_OK;
}

// sum over the points; nodes is a compile-time constant after inlining
static inline __attribute__((always_inline)) dm_status sum_points(dm_step_nodes *w, const int nodes,
                                                                  int order,
                                                                  const double *const y[],
                                                                  const double *u, double h) {
  // clear the sums: g, and for order 2 also the following g_h and G; idle entries of the last G
  // contain only damping
  const size_t v = (size_t)(w->n * w->lanes), forces = (size_t)((w->nz - w->nj) * w->lanes);
  double *first = w->g[0], *last = w->g[nodes - 1] + v;
  if (order >= 2) last = w->G[nodes - 1][nodes - 1] + (size_t)w->active * v;
  w->Ld = w->energy = 0;
  memset(first, 0, (size_t)(last - first) * sizeof *first);
  for (int j = 0; order >= 2 && forces && j < nodes; j++)
    memset(w->g_u[j] + w->nj * w->lanes, 0, forces * sizeof(double));

  // contribution of each quadrature point
  for (int s = 0; s < w->points; s++) {
    dm_step_nodes_place(w, s, y, h, w->qm, w->v);
    DM_TRY(w->s.L.eval(w->s.L.self, w->L_scratch, order, w->qm, w->v, &w->jet));

    // Contribution of a point, with c = weight h and the derivatives of L at (q,q'):
    //   Ld  c L        energy  weight (v.L_v - L)        g_j  c P_j L_q + weight R_j L_v
    //   G_jk  c P_j P_k L_qq + weight (P_j R_k L_qv + R_j P_k L_vq) + weight/h R_j R_k L_vv
    const dm_step_point *at = &w->point[s];
    const double wt = at->weight, c = wt * h;
    const double *L_q = w->jet.L_q, *L_v = w->jet.L_v;
    int size = w->n * w->lanes;

    w->Ld += c * w->jet.L;
    w->energy += wt * (dm_inner(size, w->v, L_v) - w->jet.L);
    for (int j = 0; j < nodes; j++) {
      const double by_q = c * at->P[j], by_v = wt * at->R[j];
      double *restrict g = w->g[j];
      for (int i = 0; i < size; i++) g[i] += by_q * L_q[i] + by_v * L_v[i];
    }

    if (w->s.force.count) DM_TRY(add_force(w, order, s, u, h));
    if (order < 2) continue;
    add_blocks(w, nodes, s, h, &w->jet, w->G);
    if (w->by_step) add_by_step(w, nodes, s, h);
  }

  // forces at joints do not depend on the point: add them once
  add_joint_forces(w, nodes, order, y, u, h);
  return DM_OK;
}

dm_status dm_step_nodes_eval(dm_step_nodes *w, int order, const double *const y[], const double *u,
                             double h) {
  // a straight step has two nodes; the constant is 10 % faster for small robots
  return w->nodes == 2 ? sum_points(w, 2, order, y, u, h) : sum_points(w, w->nodes, order, y, u, h);
}

// With the pair a = (a_q,a_v) of docs/theory.md section 2, the contraction is sum h weight
// DL(q,v).a. Its first and second derivatives by h, with v_h = -v/h, are
//   H_h,j = P_j (L_qq a_q - T_qv v) - R_j (T_vv v + L_vv a_v) / h
//   Hhh   = (v.T_vv v + 2 v.L_vv a_v) / h
static dm_status add_hessian_by_step(dm_step_nodes *w, int s, double h) {
  const dm_step_point *at = &w->point[s];
  const double wt = at->weight;
  double La[DM_MAX_LANES], Tv[DM_MAX_LANES], Ma[DM_MAX_LANES], Vv[DM_MAX_LANES];
  DM_TRY(w->s.L.eval(w->s.L.self, w->L_scratch, 2, w->qm, w->v, &w->jet));

  // row i of each product, all lanes
  for (int i = 0, k = 0; i < w->active; i++) {
    multiply_row(w, w->jet.L_qq, w->a_q, i, La);
    multiply_row(w, w->T.L_qv, w->v, i, Tv);
    multiply_row(w, w->T.L_vv, w->v, i, Vv);
    multiply_row(w, w->jet.L_vv, w->a_v, i, Ma);
    for (int l = 0; l < w->lanes; l++, k++) {
      double G = La[l] - Tv[l];       // from L_q.a_q and from c T, by v_h
      double F = (Vv[l] + Ma[l]) / h; // from the 1/h in v and in a_v
      for (int j = 0; j < w->nodes; j++) w->H_h[j][k] += wt * (at->P[j] * G - at->R[j] * F);
      w->Hhh[l] += wt * w->v[k] * (F + Ma[l] / h);
    }
  }
  return DM_OK;
}

// second derivatives of m.f, m = sum S_j mu_j, at the point of the last eval_force_at_point
static dm_status contract_force(dm_step_nodes *w, int l, const double *S,
                                const double *const mu[]) {
  const dm_forces *s = &w->s.force;
  const dm_force_hessian *H = &w->force.mf;
  int n = w->n, W = w->lanes;

  // m, with the force fractions of the nodes
  for (int i = 0, k = l; i < n; i++, k += W) {
    w->force.m[i] = S[0] * mu[0][k] + S[1] * mu[1][k];
    for (int j = 2; j < w->nodes; j++) w->force.m[i] += S[j] * mu[j][k];
  }

  // forces add to their outputs
  clear_pair(n * n, H->qq, H->qv);
  memset(H->vv, 0, (size_t)(n * n) * sizeof(double));
  clear_pair(n * s->nu, H->qu, H->vu);
  memset(H->uu, 0, (size_t)(s->nu * s->nu) * sizeof(double));
  return dm_forces_contract(s, n, w->force.scratch, w->force.q, w->force.v, w->force.u, w->force.m,
                            &w->force.mf);
}

// Contribution of c m.f, c = weight h. Its second derivatives by (q,v) are added to those of T(a),
// which then enter H and the columns by h. Additional terms are
//   H_h,j  P_j weight m.f_q       Huh  weight (m.f_u - v.vu)
//   H_u,j  P_j c qu + R_j weight vu       Huu  c uu
static dm_status add_force_hessian(dm_step_nodes *w, bool with_h, int s, const double *u, double h,
                                   const double *const mu[]) {
  const dm_step_point *at = &w->point[s];
  const double wt = at->weight, c = wt * h;
  const dm_force_jet *f = &w->force.jet;
  const dm_force_hessian *H = &w->force.mf;
  int n = w->n, nf = w->s.force.nu, W = w->lanes;
  for (int l = 0; l < W; l++) {
    // columns by h also need f_q and f_u
    DM_TRY(eval_force_at_point(w, with_h ? 2 : 1, l, u));
    DM_TRY(contract_force(w, l, at->S, mu));

    // by (q,v), added to T(a)
    for (int k = 0; k < n * n; k++) {
      w->T.L_qq[k * W + l] += H->qq[k];
      w->T.L_qv[k * W + l] += H->qv[k];
      w->T.L_vv[k * W + l] += H->vv[k];
    }

    // by u and q, by u and v, and by u twice
    for (int e = w->nj; e < w->nz; e++) {
      int k = w->row[e] * nf + w->col[e] - w->nj;
      for (int j = 0; j < w->nodes; j++)
        w->H_u[j][e * W + l] += c * at->P[j] * H->qu[k] + wt * at->R[j] * H->vu[k];
    }
    for (int k = 0; k < nf * nf; k++) w->Huu[k * W + l] += c * H->uu[k];

    // by h: derivative of the factor h
    for (int i = 0; with_h && i < n; i++) {
      double m_i = w->force.m[i], v_i = w->force.v[i];
      for (int j = 0; j < w->nodes; j++)
        for (int k = 0; k < n; k++) w->H_h[j][k * W + l] += at->P[j] * wt * m_i * f->f_q[i * n + k];
      for (int k = 0; k < nf; k++)
        w->Huh[(w->nj + k) * W + l] += wt * (m_i * f->f_u[i * nf + k] - v_i * H->vu[i * nf + k]);
    }
  }
  return DM_OK;
}

dm_status dm_step_nodes_contract(dm_step_nodes *w, bool with_h, const double *const y[],
                                 const double *u, double h, const double *const mu[]) {
  const dm_system *s = &w->s;
  int n = w->n * w->lanes;
  if (!s->L.contract || !dm_forces_contractible(&s->force)) return DM_UNAVAILABLE;

  // clear the sums; entries of joint inputs are always zero
  int W = w->lanes, joint = w->nj * W, nf = w->s.force.nu;
  size_t v = (size_t)(w->n * W) * sizeof(double);
  for (int j = 0; j < w->nodes; j++) {
    for (int k = j; k < w->nodes; k++) memset(w->H[j][k], 0, (size_t)w->n * v);
    if (with_h) memset(w->H_h[j], 0, v);
    memset(w->H_u[j] + joint, 0, (size_t)(w->nz * W - joint) * sizeof(double));
  }
  if (with_h) memset(w->Hhh, 0, (size_t)W * sizeof(double));
  memset(w->Huu, 0, (size_t)(nf * nf * W) * sizeof(double));
  if (with_h) memset(w->Huh + joint, 0, (size_t)(nf * W) * sizeof(double));

  // at each point the contraction is h DL(q,v).a, with the Hessian T(a) by (q,v)
  for (int p = 0; p < w->points; p++) {
    // a_q, a_v: the direction, a discrete curve like q
    const dm_step_point *at = &w->point[p];
    dm_step_nodes_place(w, p, y, h, w->qm, w->v);
    sum_nodes(w->nodes, n, at->P, mu, w->a_q);
    sum_nodes(w->nodes, n, at->R, mu, w->a_v);
    for (int i = 0; i < n; i++) w->a_v[i] /= h;
    DM_TRY(s->L.contract(s->L.self, w->L_scratch, w->qm, w->v, w->a_q, w->a_v, &w->T));
    if (s->force.count) DM_TRY(add_force_hessian(w, with_h, p, u, h, mu));
    add_blocks(w, w->nodes, p, h, &w->T, w->H);
    if (with_h) DM_TRY(add_hessian_by_step(w, p, h));
  }

  // forces at joints are linear in u and h: one mixed derivative
  for (int i = 0; with_h && i < w->nj; i++)
    for (int l = 0, k = s->input_coord[i] * w->lanes; l < w->lanes; l++, k++) {
      double gear = s->input_gear ? s->input_gear[i] : 1, m = 0;
      for (int j = 0; j < w->nodes; j++) m += w->share[j] * mu[j][k];
      w->Huh[i * w->lanes + l] = gear * m;
    }
  return DM_OK;
}

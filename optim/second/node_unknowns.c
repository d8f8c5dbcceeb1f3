#include "optim/second/node_unknowns.h"

#include "lib/base/block.h"
#include "lib/discrete/assembly.h"

#include <math.h>
#include <string.h>

// relative to a row's size: tolerance at a given end
static const double ASSEMBLED = 1e-9;

// sizes during the layout
typedef struct sizes {
  oc_node_unknowns m;
  size_t nf, nz, nodes, size;
} sizes;

static void lay_out_unknowns(void *self, dm_block *b) {
  sizes *w = self;
  oc_node_unknowns *m = &w->m;
  const size_t n = (size_t)m->n, nc = (size_t)m->nc, nv = (size_t)m->nv, d = sizeof(double);
  m->weight = dm_block_alloc(b, w->nf, d);
  m->Z = dm_block_alloc(b, w->nodes * (2 * w->size + w->nz) * w->nz, d);
  m->q = dm_block_alloc(b, n, d);
  m->v = dm_block_alloc(b, n, d);
  m->h = dm_block_alloc(b, nc, d);
  m->Dh = dm_block_alloc(b, nc * n, d);
  m->J = dm_block_alloc(b, nc * n, d);
  m->T = dm_block_alloc(b, n * n, d);
  m->G = dm_block_alloc(b, n * n, d);
  m->b = dm_block_alloc(b, nv, d);
  m->b_q = dm_block_alloc(b, nv * n, d);
  m->scratch = dm_block_alloc(b, m->hol.scratch, 1);
}

dm_status oc_node_unknowns_new(oc_torque_transcription *w, int row) {
  const dm_holonomic *hol = &w->task.system.hol;
  sizes s = {.m = {.hol = *hol, .n = w->n, .nc = w->nc, .nv = w->nc - w->nh, .row = row},
             .nf = (size_t)w->nf,
             .nz = (size_t)w->nz,
             .nodes = (size_t)w->nodes,
             .size = (size_t)w->size};
  sizes *made = dm_block_make(&s, sizeof s, lay_out_unknowns);
  if (!made) return DM_NO_MEMORY;
  w->more = &made->m;

  // weights of inputs within the integral
  const double scale = w->task.sum ? 1 / w->h : 1;
  for (int j = 0; j < w->nf; j++)
    w->more->weight[j] =
        scale * oc_weight(w->task.cost[OC_U].running, w->task.system.nu - w->nf + j);
  return DM_OK;
}

void oc_node_unknowns_free(oc_node_unknowns *m) {
  dm_block_free(m); // the first member of its block
}

const char *oc_node_unknowns_row(const oc_torque_transcription *w, int row, int *knot,
                                 int *constraint) {
  const int each = w->nh + w->nc, ends = (w->N + 1) * each;
  if (row >= ends) {
    *knot = (row - ends) / (w->nc - w->nh);
    *constraint = w->nh + (row - ends) % (w->nc - w->nh);
    return "rate in the middle of a step of";
  }
  *knot = row / each;
  *constraint = row % each < w->nh ? row % each : row % each - w->nh;
  return row % each < w->nh ? "constraint" : "rate of constraint";
}

// -- nodes

dm_status oc_node_unknowns_forces(oc_torque_transcription *w, const double *x, const double *z,
                                  double *u, double *J) {
  oc_node_unknowns *m = w->more;
  const dm_torque_cost *e = w->effort;
  const int n = w->n, nf = w->nf, wide = 3 * n;
  const double *lambda = z + nf;

  // tau + damping v - f(q,v,w), and -f_w; the rate of the momentum, if tau is without it
  memcpy(u, e->u, (size_t)n * sizeof *u);
  for (int i = 0; i < n; i++) {
    double *row = J + i * w->block;
    memcpy(row, e->J + i * wide, (size_t)wide * sizeof *row);
    for (int j = 0; j < nf; j++) row[wide + j] = -e->f.f_u[i * nf + j];
  }
  for (int i = 0; i < w->np; i++) {
    const int own = nf + w->nc + i;
    u[i] += z[own];
    J[i * w->block + wide + own] = 1;
  }
  if (!w->nc) return DM_OK;

  // Dh'lambda, its derivative by q, and Dh'
  DM_TRY(m->hol.eval(m->hol.self, m->scratch, x, m->h, m->Dh));
  memset(m->G, 0, (size_t)(n * n) * sizeof *m->G);
  DM_TRY(m->hol.contract(m->hol.self, m->scratch, x, lambda, m->G));
  for (int i = 0; i < n; i++) {
    double *row = J + i * w->block;
    for (int j = 0; j < n; j++) row[j] += m->G[i * n + j];
    for (int c = 0; c < w->nc; c++) {
      u[i] += m->Dh[c * n + i] * lambda[c];
      row[wide + nf + c] = m->Dh[c * n + i];
    }
  }
  return DM_OK;
}

// B_ij and B_ji of the node's block
static void subtract_pair(const oc_torque_transcription *w, int i, int j, double value) {
  w->node_block[i * w->block + j] -= value;
  w->node_block[j * w->block + i] -= value;
}

dm_status oc_node_unknowns_contract(oc_torque_transcription *w, const double *x, const double *z) {
  oc_node_unknowns *m = w->more;
  const int n = w->n, nf = w->nf, wide = 3 * n, block = w->block;

  // by (q,v,a)
  if (nf) memcpy(w->effort->inputs, z, (size_t)nf * sizeof *z);
  DM_TRY(dm_torque_cost_forces(w->effort, 2, x, w->mu, w->force_block));
  memset(w->node_block, 0, (size_t)(block * block) * sizeof *w->node_block);
  for (int i = 0; i < wide; i++)
    memcpy(w->node_block + i * block, w->force_block + i * wide,
           (size_t)wide * sizeof *w->node_block);

  // -mu.f by inputs
  const dm_force_hessian *f = &w->effort->mf;
  for (int j = 0; j < nf; j++) {
    for (int i = 0; i < n; i++) {
      subtract_pair(w, i, wide + j, f->qu[i * nf + j]);
      subtract_pair(w, n + i, wide + j, f->vu[i * nf + j]);
    }
    for (int i = 0; i < nf; i++) w->node_block[(wide + i) * block + wide + j] -= f->uu[i * nf + j];
  }
  if (!w->nc) return DM_OK;

  // lambda.Dh mu by q, and by lambda and q
  memset(m->T, 0, (size_t)(n * n) * sizeof *m->T);
  DM_TRY(m->hol.directional(m->hol.self, m->scratch, x, w->mu, z + nf, m->J, m->T));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) w->node_block[i * block + j] += m->T[i * n + j];
    for (int c = 0; c < w->nc; c++) subtract_pair(w, i, wide + nf + c, -m->J[c * n + i]);
  }
  return DM_OK;
}

void oc_node_unknowns_pull(oc_torque_transcription *w, int s) {
  const int n = w->n, nz = w->nz, size = w->size, wide = 3 * n;
  double *Z = w->more->Z + s * (2 * size + nz) * nz;
  for (int i = 0; i < nz; i++) {
    const double *row = w->node_block + (wide + i) * w->block;
    for (int e = 0; e < 2; e++)
      for (int r = 0; r < w->k; r++)
        for (int j = 0; j < n; j++) {
          double sum = 0;
          for (int d = 0; d < 3; d++) sum += w->f[s][e][r][d] * row[d * n + j];
          Z[(e * size + r * n + j) * nz + i] = sum;
        }
    for (int j = 0; j < nz; j++) Z[(2 * size + j) * nz + i] = row[wide + j];
  }
}

void oc_node_unknowns_put_hessian(const oc_torque_transcription *w, int k, oc_triplets *sink) {
  const int nz = w->nz, all = 2 * w->size;
  for (int s = 0; s < w->nodes; s++) {
    const double *Z = w->more->Z + s * (all + nz) * nz;
    const int z = oc_torque_nodes_own(w, k, s);
    for (int i = 0; i < nz; i++) {
      for (int j = 0; j < all; j++) oc_put(sink, z + i, k * w->size + j, Z[j * nz + i]);
      for (int j = 0; j <= i; j++) oc_put(sink, z + i, z + j, Z[(all + j) * nz + i]);
    }
  }
}

// -- rows at a point (q,v)

// the rates Dh v + b from row c0 on into rate, with Dh and their derivatives by q in m->Dh, m->J
static dm_status eval_rates(oc_node_unknowns *m, const double *q, const double *v, int c0,
                            double *rate) {
  const int n = m->n, nh = m->nc - m->nv;
  DM_TRY(m->hol.eval(m->hol.self, m->scratch, q, m->h, m->Dh));
  DM_TRY(m->hol.directional(m->hol.self, m->scratch, q, v, NULL, m->J, NULL));
  memset(m->b, 0, (size_t)m->nv * sizeof *m->b);
  if (m->hol.drift) {
    DM_TRY(m->hol.drift(m->hol.self, m->scratch, q, NULL, m->b, m->b_q, NULL));
    for (int i = 0; i < m->nv * n; i++) m->J[nh * n + i] += m->b_q[i];
  }
  for (int c = c0; c < m->nc; c++) {
    rate[c - c0] = c < nh ? 0 : m->b[c - nh];
    for (int i = 0; i < n; i++) rate[c - c0] += m->Dh[c * n + i] * v[i];
  }
  return DM_OK;
}

// the Hessian of nu.(Dh v + b), nu [nc]: by q into m->T, by (v,q) into m->G
static dm_status contract_rates(oc_node_unknowns *m, const double *q, const double *v,
                                const double *nu) {
  const size_t nn = (size_t)(m->n * m->n) * sizeof *m->T;
  memset(m->T, 0, nn);
  memset(m->G, 0, nn);
  DM_TRY(m->hol.directional(m->hol.self, m->scratch, q, v, nu, m->J, m->T));
  if (m->hol.drift)
    DM_TRY(m->hol.drift(m->hol.self, m->scratch, q, nu + m->nc - m->nv, m->b, m->b_q, m->T));
  return m->hol.contract(m->hol.self, m->scratch, q, nu, m->G);
}

// (q,v) of the curve in the middle of step k
static void place_middle(oc_torque_transcription *w, const double *x, int k) {
  oc_node_unknowns *m = w->more;
  const double *X[2] = {oc_torque_nodes_knot(w, x, k), oc_torque_nodes_knot(w, x, k + 1)};
  for (int i = 0; i < w->n; i++) {
    m->q[i] = m->v[i] = 0;
    for (int e = 0; e < 2; e++)
      for (int r = 0; r < w->k; r++) {
        m->q[i] += w->halfway[e][r] * X[e][r * w->n + i];
        m->v[i] += w->middle[e][r] * X[e][r * w->n + i];
      }
  }
}

dm_status oc_node_unknowns_values(oc_torque_transcription *w, const double *x, double *g) {
  oc_node_unknowns *m = w->more;
  if (!w->nc) return DM_OK;
  for (int k = 0; k <= w->N; k++, g += w->nh + w->nc) {
    const double *q = oc_torque_nodes_knot(w, x, k);
    DM_TRY(eval_rates(m, q, q + w->n, 0, g + w->nh));
    memcpy(g, m->h, (size_t)w->nh * sizeof *g);
  }
  for (int k = 0; m->nv && k < w->N; k++, g += m->nv) {
    place_middle(w, x, k);
    DM_TRY(eval_rates(m, m->q, m->v, w->nh, g));
  }
  return DM_OK;
}

static bool moves(const oc_node_unknowns *m, int c, int i) {
  return !m->hol.mask || m->hol.mask[c * m->n + i];
}

dm_status oc_node_unknowns_put(oc_torque_transcription *w, const double *x, oc_triplets *sink) {
  oc_node_unknowns *m = w->more;
  const int n = w->n;
  int row = m ? m->row : 0;
  if (!w->nc) return DM_OK;
  for (int k = 0; k <= w->N; k++, row += w->nh + w->nc) {
    const int at = k * w->size;
    const double *q = sink->val ? oc_torque_nodes_knot(w, x, k) : NULL;
    if (q) DM_TRY(eval_rates(m, q, q + n, 0, m->h));
    for (int c = 0; c < w->nc; c++)
      for (int i = 0; i < n; i++) {
        if (!moves(m, c, i)) continue;
        if (c < w->nh) oc_put(sink, row + c, at + i, m->Dh[c * n + i]);
        oc_put(sink, row + w->nh + c, at + i, m->J[c * n + i]);
        oc_put(sink, row + w->nh + c, at + n + i, m->Dh[c * n + i]);
      }
  }

  // in the middle of steps
  for (int k = 0; m->nv && k < w->N; k++, row += m->nv) {
    if (sink->val) {
      place_middle(w, x, k);
      DM_TRY(eval_rates(m, m->q, m->v, 0, m->h));
    }
    for (int c = w->nh; c < w->nc; c++)
      for (int i = 0; i < n; i++)
        for (int e = 0; moves(m, c, i) && e < 2; e++)
          for (int r = 0; r < w->k; r++)
            oc_put(sink, row + c - w->nh, (k + e) * w->size + r * n + i,
                   w->halfway[e][r] * m->J[c * n + i] + w->middle[e][r] * m->Dh[c * n + i]);
  }
  return DM_OK;
}

dm_status oc_node_unknowns_knot_hessian(oc_torque_transcription *w, const double *x, int k,
                                        const double *lambda, double *H) {
  oc_node_unknowns *m = w->more;
  const int n = w->n, size = w->size, nh = w->nh;
  const double *q = oc_torque_nodes_knot(w, x, k);
  const double *nu = lambda + m->row + k * (nh + w->nc);
  DM_TRY(contract_rates(m, q, q + n, nu + nh));

  // nu.h alone, by q
  memcpy(m->h, nu, (size_t)nh * sizeof *nu);
  memset(m->h + nh, 0, (size_t)m->nv * sizeof *nu);
  if (nh) DM_TRY(m->hol.contract(m->hol.self, m->scratch, q, m->h, m->T));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      H[i * size + j] += m->T[i * n + j];
      H[(n + i) * size + j] += m->G[i * n + j];
      H[j * size + n + i] += m->G[i * n + j];
    }
  return DM_OK;
}

dm_status oc_node_unknowns_middle_hessian(oc_torque_transcription *w, const double *x, int k,
                                          const double *lambda) {
  oc_node_unknowns *m = w->more;
  const int n = w->n, size = w->size;
  dm_second_order *L = w->second;
  double *const D[2][2] = {{L->D00, L->D01}, {NULL, L->D11}};
  const double *nu = lambda + m->row + (w->N + 1) * (w->nh + w->nc) + k * m->nv;
  if (!m->nv) return DM_OK;
  memset(m->h, 0, (size_t)w->nh * sizeof *nu);
  memcpy(m->h + w->nh, nu, (size_t)m->nv * sizeof *nu);
  place_middle(w, x, k);
  DM_TRY(contract_rates(m, m->q, m->v, m->h));

  // q = sum halfway X, v = sum middle X; D10 is the transpose of D01
  for (int e = 0; e < 2; e++)
    for (int f = e; f < 2; f++)
      for (int r = 0; r < w->k; r++)
        for (int t = 0; t < w->k; t++) {
          const double qq = w->halfway[e][r] * w->halfway[f][t];
          const double vq = w->middle[e][r] * w->halfway[f][t];
          const double qv = w->halfway[e][r] * w->middle[f][t];
          double *to = D[e][f] + r * n * size + t * n;
          for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
              to[i * size + j] +=
                  qq * m->T[i * n + j] + vq * m->G[i * n + j] + qv * m->G[j * n + i];
        }
  return DM_OK;
}

// -- given ends

// are all entries from `first` of the knot at an end that move row c given; are they zero?
static bool is_all_given(const oc_torque_transcription *w, int c, int end, int first, bool *zero) {
  *zero = true;
  for (int i = 0; i < w->n; i++) {
    const double value = w->end[end][first + i];
    if (!moves(w->more, c, i)) continue;
    if (isnan(value)) return false;
    *zero &= value == 0;
  }
  return true;
}

// Free the row of a rate at an end whose velocities are all given, if q cannot change it: at rest, or
// with q given. known: m has the rate and its derivatives there.
static dm_status settle_rate(oc_torque_transcription *w, int end, int c, bool known, double rate,
                             dm_message *msg) {
  oc_node_unknowns *m = w->more;
  const int n = w->n, row = m->row + (end ? w->N : 0) * (w->nh + w->nc) + w->nh + c;
  bool zero, rest, still = true;
  const bool q_given = is_all_given(w, c, end, 0, &zero);
  if (!is_all_given(w, c, end, n, &rest)) return DM_OK;
  if (c >= w->nh || !rest) {
    for (int i = 0; i < n; i++) still &= m->J[c * n + i] == 0;
    if (!known || (!q_given && !(rest && still))) return DM_OK;

    // relative to its terms, and to those of speeds across the motion
    double size = c < w->nh ? 0 : fabs(m->b[c - w->nh]);
    for (int i = 0; i < n; i++)
      size += fabs(m->Dh[c * n + i]) *
              (fabs(m->v[i]) + fabs(oc_task_way(&w->task, i)) / w->task.time.T);
    if (!(fabs(rate) <= ASSEMBLED * size))
      return dm_fail(msg, DM_BAD_INPUT,
                     "the velocities of the %s violate constraint '%s' by %.3g: give one that "
                     "keeps it, or leave it free",
                     end ? "goal" : "start", oc_task_name(&w->task, OC_LAMBDA, c), rate);
  }
  w->g_min[row] = -INFINITY;
  w->g_max[row] = INFINITY;
  return DM_OK;
}

static dm_status settle_end(oc_torque_transcription *w, int end, double *q, double *size,
                            dm_message *msg) {
  oc_node_unknowns *m = w->more;
  const int n = w->n, row = m->row + (end ? w->N : 0) * (w->nh + w->nc);
  for (int i = 0; i < n; i++) q[i] = isnan(w->end[end][i]) ? 0 : w->end[end][i];
  for (int i = 0; i < n; i++) m->v[i] = isnan(w->end[end][n + i]) ? 0 : w->end[end][n + i];
  DM_TRY(dm_assembly_rows(&w->task.system, q, size));
  DM_TRY(m->hol.eval(m->hol.self, m->scratch, q, m->h, NULL));
  for (int c = 0; c < w->nh; c++) {
    bool zero;
    if (!is_all_given(w, c, end, 0, &zero)) continue;
    if (!(fabs(m->h[c]) < ASSEMBLED * size[c]))
      return dm_fail(msg, DM_BAD_INPUT, "the %s violates constraint '%s' by %.3g",
                     end ? "goal" : "start", oc_task_name(&w->task, OC_LAMBDA, c), m->h[c]);
    w->g_min[row + c] = -INFINITY;
    w->g_max[row + c] = INFINITY;
  }
  const dm_status s = eval_rates(m, q, m->v, 0, m->h);
  if (s != DM_OK && s != DM_NOT_FINITE) return s;
  for (int c = 0; c < w->nc; c++) DM_TRY(settle_rate(w, end, c, s == DM_OK, m->h[c], msg));
  return DM_OK;
}

dm_status oc_node_unknowns_settle(oc_torque_transcription *w, dm_message *msg) {
  for (int end = 0; w->nc && end < 2; end++)
    DM_TRY(settle_end(w, end, w->more->q, w->more->J, msg));
  return DM_OK;
}

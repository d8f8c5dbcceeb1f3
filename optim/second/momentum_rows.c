#include "optim/second/momentum_rows.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <string.h>

// the position of node s in a step: its value for the motion q = t
static double find_place(const dm_second_order_rule *rule, int s) {
  const dm_second_order_node *node = &rule->node[s];
  return node->c[0][1][0] + node->c[0][0][1] + node->c[0][1][1];
}

// 0, the nodes, 1
static int list_places(const dm_second_order_rule *rule, double *at) {
  const int S = rule->nodes;
  at[0] = 0;
  for (int s = 0; s < S; s++) at[s + 1] = find_place(rule, s);
  at[S + 1] = 1;
  return S + 2;
}

bool oc_momentum_rows_fit(const dm_second_order_rule *rule) {
  double at[OC_MOMENTUM_POINTS];
  const int points = list_places(rule, at);
  for (int i = 0; i < points; i++)
    for (int j = 0; j < i; j++)
      if (!(fabs(at[i] - at[j]) > 1e-3)) return false; // of a step
  return true;
}

// the derivative of the Lagrange polynomial of point j at point s
static double differentiate(int points, const double *at, int s, int j) {
  double product = 1, sum = 0;
  for (int i = 0; i < points; i++) {
    if (i != s) sum += 1 / (at[s] - at[i]);
    if (i != j && i != s) product *= (at[s] - at[i]) / (at[j] - at[i]);
  }
  return s == j ? sum : product / (at[j] - at[s]);
}

// sizes during the layout
typedef struct sizes {
  oc_momentum_rows m;
  size_t nodes, wide, size;
} sizes;

static void lay_out_momenta(void *self, dm_block *b) {
  sizes *w = self;
  oc_momentum_rows *m = &w->m;
  const size_t n = (size_t)m->n, d = sizeof(double);
  double **const rows[] = {&m->L_q, &m->L_v, &m->a_q, &m->a_v};
  double **const squares[] = {&m->L_qq, &m->L_qv, &m->L_vv};
  for (int i = 0; i < 4; i++) *rows[i] = dm_block_alloc(b, n, d);
  for (int i = 0; i < 3; i++) *squares[i] = dm_block_alloc(b, n * n, d);
  m->x = dm_block_alloc(b, w->wide, d);
  m->H = dm_block_alloc(b, w->wide * w->wide, d);
  m->rate = dm_block_alloc(b, w->nodes * n, d);
  m->slope = dm_block_alloc(b, w->nodes * n * 2 * w->size, d);
  m->scratch = dm_block_alloc(b, m->L.scratch, 1);
}

dm_status oc_momentum_rows_new(oc_torque_transcription *w, int row) {
  const dm_system *system = &w->task.system;
  sizes s = {.m = {.L = system->physical ? *system->physical : system->L, .n = w->n, .row = row},
             .nodes = (size_t)w->nodes,
             .wide = (size_t)w->wide,
             .size = (size_t)w->size};
  if (!w->np) return DM_OK;
  sizes *made = dm_block_make(&s, sizeof s, lay_out_momenta);
  if (!made) return DM_NO_MEMORY;
  w->momenta = &made->m;

  double at[OC_MOMENTUM_POINTS];
  const int points = list_places(&w->set.rule, at);
  for (int i = 0; i < w->nodes; i++)
    for (int j = 0; j < points; j++)
      w->momenta->d[i][j] = differentiate(points, at, i + 1, j) / w->h;
  return DM_OK;
}

void oc_momentum_rows_free(oc_momentum_rows *m) {
  dm_block_free(m); // the first member of its block
}

// (q,v) of point j of step k into m->x
static void place_point(oc_torque_transcription *w, const double *x, int k, int j) {
  oc_momentum_rows *m = w->momenta;
  const double *X0 = oc_torque_nodes_knot(w, x, k), *X1 = oc_torque_nodes_knot(w, x, k + 1);
  const bool knot = j == 0 || j > w->nodes;
  if (knot)
    memcpy(m->x, j ? X1 : X0, (size_t)(2 * w->n) * sizeof *m->x);
  else
    dm_second_order_node_at(w->second, j - 1, X0, X1, w->h, m->x);
}

// the derivative of x^(d) of point j by X_e^(r)
static double find_slope(const oc_torque_transcription *w, int j, int e, int r, int d) {
  if (j && j <= w->nodes) return w->f[j - 1][e][r][d];
  return e == (j > 0) && r == d;
}

// m->rate of step k, and m->slope (order 2)
static dm_status eval_rates(oc_torque_transcription *w, const double *x, int k, int order) {
  oc_momentum_rows *m = w->momenta;
  const int n = w->n, size = w->size, all = 2 * size;
  dm_jet jet = {.L_q = m->L_q, .L_v = m->L_v, .L_qq = m->L_qq, .L_qv = m->L_qv, .L_vv = m->L_vv};
  memset(m->rate, 0, (size_t)(w->nodes * n) * sizeof *m->rate);
  if (order > 1) memset(m->slope, 0, (size_t)(w->nodes * n * all) * sizeof *m->slope);
  for (int j = 0; j < w->nodes + 2; j++) {
    place_point(w, x, k, j);
    DM_TRY(m->L.eval(m->L.self, m->scratch, order, m->x, m->x + n, &jet));
    for (int s = 0; s < w->nodes; s++) dm_add_to(n, m->d[s][j], m->L_v, m->rate + s * n);
    for (int b = 0; order > 1 && b < all; b++) {
      // by entry l of X_e^(r)
      const int e = b / size, r = b % size / n, l = b % n;
      const double q = find_slope(w, j, e, r, 0), v = find_slope(w, j, e, r, 1);
      for (int i = 0; (q != 0 || v != 0) && i < n; i++) {
        const double by = q * m->L_qv[l * n + i] + v * m->L_vv[i * n + l];
        for (int s = 0; s < w->nodes; s++) m->slope[(s * n + i) * all + b] += m->d[s][j] * by;
      }
    }
  }
  return DM_OK;
}

// the index of pi of node s of step k, in x
static int find_own(const oc_torque_transcription *w, int k, int s) {
  return oc_torque_nodes_own(w, k, s) + w->nf + w->nc;
}

dm_status oc_momentum_rows_values(oc_torque_transcription *w, const double *x, double *g) {
  const int n = w->n;
  for (int k = 0; w->np && k < w->N; k++) {
    DM_TRY(eval_rates(w, x, k, 1));
    for (int s = 0; s < w->nodes; s++)
      for (int i = 0; i < n; i++) *g++ = w->momenta->rate[s * n + i] - x[find_own(w, k, s) + i];
  }
  return DM_OK;
}

dm_status oc_momentum_rows_put(oc_torque_transcription *w, const double *x, oc_triplets *sink) {
  oc_momentum_rows *m = w->momenta;
  const int n = w->n, all = 2 * w->size;
  int row = w->np ? m->row : 0;
  for (int k = 0; w->np && k < w->N; k++) {
    if (sink->val) DM_TRY(eval_rates(w, x, k, 2));
    for (int s = 0; s < w->nodes; s++)
      for (int i = 0; i < n; i++, row++) {
        for (int b = 0; b < all; b++)
          oc_put(sink, row, k * w->size + b, m->slope[(s * n + i) * all + b]);
        oc_put(sink, row, find_own(w, k, s) + i, -1);
      }
  }
  return DM_OK;
}

dm_status oc_momentum_rows_hessian(oc_torque_transcription *w, const double *x, int k,
                                   const double *lambda) {
  oc_momentum_rows *m = w->momenta;
  dm_second_order *second = w->second;
  const int n = w->n, wide = w->wide, size = w->size;
  if (!w->np) return DM_OK;
  if (!m->L.contract) return DM_UNAVAILABLE;
  const double *nu = lambda + m->row + k * w->nodes * n;
  dm_jet jet = {.L_qq = m->L_qq, .L_qv = m->L_qv, .L_vv = m->L_vv};
  for (int j = 0; j < w->nodes + 2; j++) {
    memset(m->a_v, 0, (size_t)n * sizeof *m->a_v);
    for (int s = 0; s < w->nodes; s++) dm_add_to(n, m->d[s][j], nu + s * n, m->a_v);
    place_point(w, x, k, j);
    DM_TRY(m->L.contract(m->L.self, m->scratch, m->x, m->x + n, m->a_q, m->a_v, &jet));

    // of (q,v) at this point; a knot is one of the ends
    const bool knot = j == 0 || j > w->nodes;
    const int stride = knot ? size : wide;
    double *H = m->H;
    if (knot) H = j ? second->D11 : second->D00;
    if (!knot) memset(H, 0, (size_t)(wide * wide) * sizeof *H);
    for (int i = 0; i < n; i++)
      for (int l = 0; l < n; l++) {
        H[i * stride + l] += m->L_qq[i * n + l];
        H[i * stride + n + l] += m->L_qv[i * n + l];
        H[(n + l) * stride + i] += m->L_qv[i * n + l];
        H[(n + i) * stride + n + l] += m->L_vv[i * n + l];
      }
    if (!knot) dm_second_order_add_node(second, j - 1, w->h, 1, NULL, H);
  }
  return DM_OK;
}

dm_status oc_momentum_rows_meet(oc_torque_transcription *w, double *x) {
  const size_t row = (size_t)w->n * sizeof *x;
  for (int k = 0; w->np && k < w->N; k++) {
    DM_TRY(eval_rates(w, x, k, 1));
    for (int s = 0; s < w->nodes; s++)
      memcpy(x + find_own(w, k, s), w->momenta->rate + s * w->n, row);
  }
  return DM_OK;
}

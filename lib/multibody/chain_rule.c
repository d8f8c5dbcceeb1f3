#include "lib/multibody/chain_rule.h"

#include "lib/base/dense.h"
#include "lib/multibody/ball_joint.h"

#include <string.h>

void dm_chain_rule_lay_out(dm_chain_rule *w, dm_block *b, const dm_model *tree) {
  w->nt = tree->nq;
  w->nball = tree->nball;
  w->n = w->nt + w->nball;
  w->first = dm_block_alloc(b, (size_t)w->nt, sizeof *w->first);
  w->many = dm_block_alloc(b, (size_t)w->nt, sizeof *w->many);
  w->from = dm_block_alloc(b, (size_t)w->nball, sizeof *w->from);
  w->run = dm_block_alloc(b, (size_t)w->nball + 1, sizeof *w->run);
}

void dm_chain_rule_set(dm_chain_rule *w, const dm_model *tree) {
  // external index of each coordinate; runs of coordinates outside ball joints
  int ball = 0;
  for (int i = 0; i < w->nt; i++) {
    // all three of a ball joint map to its first component; dm_chain_rule_at finds the four
    w->first[i] = dm_ball_outside(tree, i);
    w->many[i] = dm_ball_owns(tree, i) ? 4 : 1;
    if (w->many[i] > 1) continue;
    // a new run starts after a ball joint
    if (i == 0 || w->many[i - 1] > 1) w->run[w->nrun++] = (dm_chain_run){i, w->first[i], 0};
    w->run[w->nrun - 1].count++;
  }
  for (int j = dm_ball_next(tree, 0); j < tree->nj; j = dm_ball_next(tree, j + 1))
    w->from[ball++] = tree->coord[j];
}

void dm_chained_lay_out(dm_chained *r, dm_block *b, const dm_chain_rule *w) {
  size_t n = (size_t)w->n, nt = (size_t)w->nt, nb = (size_t)w->nball, d = sizeof(double);
  r->q = dm_block_alloc(b, nt, d);
  r->v = dm_block_alloc(b, nt, d);
  r->chart = dm_block_alloc(b, nb, sizeof *r->chart);
  r->map = dm_block_alloc(b, nb, sizeof *r->map);
  r->half = dm_block_alloc(b, nt * n, d);
  r->X = dm_block_alloc(b, n * n, d);
}

void dm_chained_set(const dm_chain_rule *w, dm_chained *r, const double *q, const double *v) {
  static const double still[4] = {0};
  // copy all values; those of ball joints are overwritten below
  for (int i = 0; i < w->nt; i++) {
    r->q[i] = q[w->first[i]];
    r->v[i] = v ? v[w->first[i]] : 0;
  }

  // ball joint: its chart, and Rodrigues parameters and rates for the tree
  for (int k = 0; k < w->nball; k++) {
    int o = dm_chain_rule_at(w, k);
    dm_chart_set(&r->chart[k], q + o, v ? v + o : still);
    dm_chart_rodrigues(q + o, r->q + w->from[k]);
    dm_chart_rates(&r->chart[k], r->v + w->from[k]);
  }
}

static dm_chain_maps make_maps(const dm_chart_map *first, size_t stride, double unit) {
  stride /= sizeof(double);
  // turns_q and rates_v are the identity outside the ball joints, rates_q is 0
  return (dm_chain_maps){
      {unit, first->turns_q, stride}, {0, first->rates_q, stride}, {unit, first->rates_v, stride}};
}

dm_chain_maps dm_chained_maps(const dm_chained *r) {
  return make_maps(&r->chart->by, sizeof *r->chart, 1);
}

dm_chain_maps dm_chained_directional(const dm_chain_rule *w, const dm_chained *r, const double *a_q,
                                     const double *a_v) {
  static const double still[4] = {0};
  for (int k = 0; k < w->nball; k++)
    dm_chart_directional(&r->chart[k], a_q + dm_chain_rule_at(w, k),
                         a_v ? a_v + dm_chain_rule_at(w, k) : still, &r->map[k]);
  return make_maps(r->map, sizeof *r->map, 0); // the derivative of the identity is 0
}

static double find_entry(const dm_chain_map *M, int ball, int i, int j) {
  return M->ball[(size_t)ball * M->stride + (size_t)(4 * i + j)];
}

void dm_chain_apply(const dm_chain_rule *w, dm_chain_map M, const double *x, double *y) {
  // y_run += unit x_run, then the 3 x 4 block of each ball joint
  for (const dm_chain_run *run = w->run; run < w->run + w->nrun; run++)
    dm_add_to(run->count, M.unit, x + run->out, y + run->in);
  for (int k = 0; k < w->nball; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        y[w->from[k] + i] += find_entry(&M, k, i, j) * x[dm_chain_rule_at(w, k) + j];
}

void dm_chain_left(const dm_chain_rule *w, dm_chain_map M, int cols, const double *X, double *Y) {
  // Y += M' X, row by row
  for (const dm_chain_run *run = w->run; M.unit != 0 && run < w->run + w->nrun; run++)
    dm_add_to(run->count * cols, M.unit, X + run->in * cols, Y + run->out * cols);
  for (int k = 0; k < w->nball; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        dm_add_to(cols, find_entry(&M, k, i, j), X + (w->from[k] + i) * cols,
                  Y + (dm_chain_rule_at(w, k) + j) * cols);
}

void dm_chain_right(const dm_chain_rule *w, dm_chain_map M, int rows, const double *X, double *Y) {
  // Y += X M, column by column
  for (int r = 0; r < rows; r++, X += w->nt, Y += w->n) {
    for (const dm_chain_run *run = w->run; M.unit != 0 && run < w->run + w->nrun; run++)
      dm_add_to(run->count, M.unit, X + run->in, Y + run->out);
    for (int k = 0; k < w->nball; k++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
          Y[dm_chain_rule_at(w, k) + j] += X[w->from[k] + i] * find_entry(&M, k, i, j);
  }
}

// half = H B
static void multiply_right(const dm_chain_rule *w, const dm_chained *r, const double *H,
                           dm_chain_map B) {
  memset(r->half, 0, (size_t)(w->nt * w->n) * sizeof *r->half); // [nt x n]
  dm_chain_right(w, B, w->nt, H, r->half);
}

void dm_chain_both(const dm_chain_rule *w, const dm_chained *r, dm_chain_map A, const double *H,
                   dm_chain_map B, double *out) {
  multiply_right(w, r, H, B);
  dm_chain_left(w, A, w->n, r->half, out);
}

// With z = (q,v), A = (turns_q 0; rates_q rates_v) and H = (qq qv; qv' vv):
//   out_qq += turns_q' H_qq turns_q + rates_q' H_vv rates_q,  X += turns_q' H_qv rates_q
//   out_qv += turns_q' H_qv rates_v + rates_q' H_vv rates_v
//   out_vv += rates_v' H_vv rates_v
void dm_chain_hessian(const dm_chain_rule *w, const dm_chained *r, const dm_chain_maps *A,
                      double *const H[3], const dm_chain_maps *B, double *const out[3]) {
  dm_chain_both(w, r, A->turns_q, H[0], B->turns_q, out[0]);
  dm_chain_both(w, r, A->rates_q, H[2], B->rates_q, out[0]);
  dm_chain_both(w, r, A->turns_q, H[1], B->rates_q, r->X);
  dm_chain_both(w, r, A->turns_q, H[1], B->rates_v, out[1]);
  multiply_right(w, r, H[2], B->rates_v);
  dm_chain_left(w, A->rates_q, w->n, r->half, out[1]);
  dm_chain_left(w, A->rates_v, w->n, r->half, out[2]);
}

void dm_chain_even(const dm_chain_rule *w, double *out) {
  for (int i = 0; i < w->n; i++)
    for (int j = 0; j < i; j++) {
      // rounding breaks the symmetry in the last digits, which factorizations would detect
      double mean = (out[i * w->n + j] + out[j * w->n + i]) / 2;
      out[i * w->n + j] = out[j * w->n + i] = mean;
    }
}

void dm_chain_twice(const dm_chain_rule *w, const double *X, double *out) {
  for (int i = 0; i < w->n; i++)
    // out += X + X'
    for (int j = 0; j < w->n; j++) out[i * w->n + j] += X[i * w->n + j] + X[j * w->n + i];
}

static void add_ball_block(const dm_chain_rule *w, int ball, const double S[16], double *out) {
  // add S [4 x 4] to the diagonal block of the quaternion
  for (int i = 0; i < 4; i++)
    dm_add_to(4, 1, S + 4 * i,
              out + (dm_chain_rule_at(w, ball) + i) * w->n + dm_chain_rule_at(w, ball));
}

void dm_chain_add_hessian(const dm_chain_rule *w, const dm_chained *r, const double *g,
                          const double *f, double *qq, double *qv) {
  double S[16], C[16];
  for (int k = 0; k < w->nball; k++) {
    const int i = w->from[k];
    const double *rate = f ? f + i : NULL; // [3] rates of this ball joint, as g + i are its turns
    dm_chart_hessian(&r->chart[k], g + i, rate, S, qv ? C : NULL);
    add_ball_block(w, k, S, qq);
    if (qv) add_ball_block(w, k, C, qv);
  }
}

void dm_chain_add_hessian_directional(const dm_chain_rule *w, const dm_chained *r, const double *g,
                                      const double *f, const double *a_q, const double *a_v,
                                      double *qq, double *qv) {
  static const double still[4] = {0};
  double S[16], C[16];
  // g.turns + f.rates for each ball joint; the other coordinates are linear
  for (int k = 0; k < w->nball; k++) {
    const int i = w->from[k], at = dm_chain_rule_at(w, k); // first internal and external coordinate
    const double *rate = f ? f + i : NULL;
    const double *along_v = a_v ? a_v + at : still;
    dm_chart_hessian_directional(&r->chart[k], g + i, rate, a_q + at, along_v, S, qv ? C : NULL);
    add_ball_block(w, k, S, qq);
    if (qv) add_ball_block(w, k, C, qv);
  }
}

void dm_chain_mask(const dm_chain_rule *w, const unsigned char *in, unsigned char *out) {
  for (int i = 0; i < w->nt; i++)
    // an internal pair couples all its external coordinates, 1 or 4 each
    for (int j = 0; j < w->nt; j++)
      for (int a = 0; a < w->many[i]; a++)
        for (int b = 0; b < w->many[j]; b++)
          if (!in || in[i * w->nt + j]) out[(w->first[i] + a) * w->n + w->first[j] + b] = 1;
}

#include "control/feedback/output_weight.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct outputs {
  double *y, *y_q, *y_v; // [ny], [ny x n], [ny x n]
  double *slope;         // [2n] of a row, by (q,p)
  void *scratch;         // of y
} outputs;

static void lay_out_outputs(outputs *at, const fb_output_weight *w, dm_block *b) {
  const size_t rows = (size_t)w->y.ny, n = (size_t)w->y.n;
  at->y = dm_block_alloc(b, rows, sizeof *at->y);
  at->y_q = dm_block_alloc(b, rows * n, sizeof *at->y_q);
  at->y_v = dm_block_alloc(b, rows * n, sizeof *at->y_v);
  at->slope = dm_block_alloc(b, 2 * n, sizeof *at->slope);
  at->scratch = dm_block_alloc(b, 1, w->y.scratch);
}

// row i by (q,p) into at->slope; returns an upper bound on the number of nonzero entries
static int find_row_slope(const outputs *at, const dm_output_map *y, const fb_knot *k, int i) {
  const int n = k->n;
  memcpy(at->slope, at->y_q + i * n, (size_t)n * sizeof *at->slope);
  if (!dm_output_map_is_rated(y, i)) return n;
  dm_gemm(1, n, n, 1, at->y_v + i * n, k->v_q, 1, at->slope);
  dm_gemm(1, n, n, 1, at->y_v + i * n, k->v_p, 0, at->slope + n);
  return 2 * n;
}

// Q += w g g', bit for bit symmetric
static void add_square(int n, double w, const double *g, double *Q, int ld) {
  for (int i = 0; i < n; i++) {
    if (g[i] == 0) continue;
    for (int j = 0; j <= i; j++) {
      const double product = w * (g[i] * g[j]);
      Q[i * ld + j] += product;
      if (j < i) Q[j * ld + i] += product;
    }
  }
}

static dm_status add_output_weight(const void *self, void *scratch, const fb_knot *k, double *Q,
                                   int ld, dm_message *msg) {
  const fb_output_weight *w = self;
  dm_block b = {.base = scratch};
  outputs at;
  assert(k->n == w->y.n && w->rows <= w->y.ny);
  lay_out_outputs(&at, w, &b);

  // rows without a value are NAN, and matter only if they have a weight
  const dm_status s = dm_output_map_eval(&w->y, at.scratch, k->q, k->v, at.y, at.y_q, at.y_v);
  if (s < 0 && s != DM_NOT_FINITE) return dm_fail(msg, s, "%s", dm_status_text(s));
  for (int i = 0; i < w->rows; i++) {
    if (!(w->weight[i] > 0)) continue;
    const int n = find_row_slope(&at, &w->y, k, i);

    // whether value and slope are finite
    double sum = at.y[i];
    for (int j = 0; j < n; j++) sum += at.slope[j];
    if (!isfinite(sum))
      return dm_fail(msg, DM_NOT_FINITE,
                     "the output '%.64s', which has a weight, has no value or no derivative there",
                     dm_output_map_name(&w->y, i));

    add_square(n, w->weight[i], at.slope, Q, ld);
  }
  return DM_OK;
}

fb_knot_weight fb_output_weight_at_knots(const fb_output_weight *w) {
  outputs at;
  dm_block count = {0};
  bool rated = false;
  lay_out_outputs(&at, w, &count);
  for (int i = 0; i < w->rows; i++) rated |= w->weight[i] > 0 && dm_output_map_is_rated(&w->y, i);
  return (fb_knot_weight){
      .self = w, .scratch = count.used, .rated = rated, .add = add_output_weight};
}

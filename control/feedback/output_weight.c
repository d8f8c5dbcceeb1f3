#include "control/feedback/output_weight.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

typedef struct outputs {
  double *y, *y_q; // [nc], [nc x n]
  void *scratch;   // of y
} outputs;

static void lay_out_outputs(outputs *at, const fb_output_weight *w, dm_block *b) {
  const size_t rows = (size_t)w->y.nc;
  at->y = dm_block_alloc(b, rows, sizeof *at->y);
  at->y_q = dm_block_alloc(b, rows * (size_t)w->n, sizeof *at->y_q);
  at->scratch = dm_block_alloc(b, 1, w->y.scratch);
}

// row i has a value and a gradient
static bool is_output_finite(const outputs *at, int n, int i) {
  double sum = at->y[i];
  for (int j = 0; j < n; j++) sum += at->y_q[i * n + j];
  return isfinite(sum);
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

static dm_status add_output_weight(const void *self, void *scratch, int nx, const double *x,
                                   double *Q, int ld, dm_message *msg) {
  const fb_output_weight *w = self;
  dm_block b = {.base = scratch};
  outputs at;
  assert(nx == 2 * w->n && w->rows <= w->y.nc);
  (void)nx;
  lay_out_outputs(&at, w, &b);

  // rows without a value are NAN, and matter where they are weighed
  const dm_status s = w->y.eval(w->y.self, at.scratch, x, at.y, at.y_q);
  if (s < 0 && s != DM_NOT_FINITE) return dm_fail(msg, s, "%s", dm_status_text(s));
  for (int i = 0; i < w->rows; i++) {
    if (!(w->weight[i] > 0)) continue;
    if (!is_output_finite(&at, w->n, i))
      return dm_fail(msg, DM_NOT_FINITE,
                     "the output '%.64s', which has a weight, has no value or no derivative there",
                     w->y.row_name ? w->y.row_name(w->y.self, i) : "?");
    add_square(w->n, w->weight[i], at.y_q + i * w->n, Q, ld);
  }
  return DM_OK;
}

fb_knot_weight fb_output_weight_at_knots(const fb_output_weight *w) {
  outputs at;
  dm_block count = {0};
  lay_out_outputs(&at, w, &count);
  return (fb_knot_weight){.self = w, .scratch = count.used, .add = add_output_weight};
}

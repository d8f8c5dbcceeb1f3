#include "optim/second/torque_scale.h"

#include "lib/base/block.h"
#include "optim/nlp/scaled.h"
#include "optim/program/program_scale.h"
#include "optim/second/node_unknowns.h"
#include "optim/second/torque_nodes.h"

#include <math.h>

// 1 / scale of rows of forces, of speeds and of bounds; the rows of one constraint and of one output
// form a class; momenta have the scales of theirs
static void set_row_sizes(const oc_torque_transcription *w, const dm_scale *of, int *class,
                          double *r) {
  const oc_outputs *o = &w->task.outputs;
  int row = 0;
  // forces; an equation of motion is as exact as that of first order, by the impulse of a step
  for (int l = 0; l < w->N * w->nodes * w->nlim; l++) {
    const int i = w->limited[l % w->nlim];
    r[row++] = (w->input[i] == OC_NONE ? w->h : of->time) / of->p[i];
  }
  for (int l = 0; l < w->N * w->nfast; l++) r[row++] = 1 / of->v[w->fast[l % w->nfast]];
  for (int l = 0; l < w->N * w->nodes * w->nkink; l++)
    r[row++] = 1 / of->q[w->kink[l % w->nkink].coord];
  for (int i = 0; i < row; i++) class[i] = -1;
  // each row of constraints forms a class over all knots
  const int each = w->nh + w->nc, knots = (w->N + 1) * each, nv = w->nc - w->nh, first = row;
  for (int i = 0; i < oc_node_unknowns_rows(w->N, w->nc, w->nh); i++, row++)
    class[row] = first + (i < knots ? i % each : knots + (i - knots) % nv);
  for (int i = 0; i < w->N * w->nodes * w->np; i++, row++) {
    class[row] = -1;
    r[row] = of->time / of->p[i % w->np];
  }
  for (int i = 0; i < o->nlimits; i++)
    for (int k = 0; k < w->out_rows[i].at.count; k++)
      class[w->out_rows[i].at.at + k] = o->limits[i].output;
  for (int i = 0, end = w->nlp.m - w->nend; i < w->nend; i++) {
    class[end + i] = -1;
    r[end + i] = 1 / (i < w->n ? of->q[i] : of->v[i - w->n]);
  }
}

// Each unknown of a node has one size at all nodes: inputs that of their limits; otherwise the largest that
// moves no force by more than its own size, momentum per time.
static void set_own_sizes(oc_torque_transcription *w, const dm_scale *of, const double *x,
                          double *s) {
  const int all = w->N * w->nodes, first = (w->N + 1) * w->size;
  const bool known = w->nz && oc_torque_nodes_evaluate(w, x) == DM_OK;
  for (int i = 0; i < w->nz; i++) {
    double most = 0;
    for (int r = 0; known && r < all * w->n; r++)
      most = fmax(most, fabs(w->J[r * w->block + 3 * w->n + i]) * of->time / of->p[r % w->n]);
    const double limit = fmax(fabs(w->x_min[first + i]), fabs(w->x_max[first + i]));
    double size = most > 0 && isfinite(most) ? 1 / most : 1;
    if (i < w->nf && isfinite(limit) && limit > 0) size = limit;
    for (int at = 0; at < all; at++) s[at * w->nz + i] = size;
  }
}

dm_status oc_torque_scale(void *self, const double *x, double *s, double *r) {
  oc_torque_transcription *w = self;
  dm_scale *of;
  // work arrays
  dm_block b = {0};
  const size_t all = (size_t)(w->nlp.n + w->nlp.m);
  DM_TRY(oc_program_sizes(&of, &w->task));
  dm_block_alloc(&b, all, sizeof(int));
  dm_status status = dm_block_new(&b);
  if (status == DM_OK) {
    // known scales, then those from the Jacobian
    int *column = dm_block_alloc(&b, all, sizeof *column), *row = column + w->nlp.n;
    for (int j = 0; j < w->nlp.n; j++) column[j] = -1;
    for (int i = 0; i < w->nlp.m; i++) r[i] = 0;

    // knots (q,v,(a)), then slacks
    for (int k = 0; k <= w->N; k++)
      for (int d = 0; d < w->k; d++)
        for (int i = 0; i < w->n; i++) s[k * w->size + d * w->n + i] = of->q[i] / pow(of->time, d);
    const int own = (w->N + 1) * w->size, slack = own + w->N * w->nodes * w->nz;
    set_own_sizes(w, of, x, s + own);
    for (int j = slack, l = 0; j < w->nlp.n; j++, l++) s[j] = of->q[w->kink[l % w->nkink].coord];

    set_row_sizes(w, of, row, r);
    status = oc_scale_by_class(&w->nlp, x, w->N, column, row, s, r);
    dm_block_free(column);
  }
  dm_scale_free(of);
  return status;
}

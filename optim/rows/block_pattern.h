// optim/rows/block_pattern.h: the nonzero entries of a block [n x n] by the coordinates of two knots, as a
// list. The pattern does not depend on the values.
#ifndef OC_ROWS_BLOCK_PATTERN_H
#define OC_ROWS_BLOCK_PATTERN_H
#include "optim/nlp/triplets.h"

#include <stddef.h>

DM_BEGIN_C

typedef struct oc_block_pattern {
  int count;
  int *row, *col;    // of each entry, row by row                            [n n]
  int *place, *flip; // index of the entry in a block, and in a transposed block [n n]
} oc_block_pattern;

// Put sign A at (row, col), with the entries of A [n n] at these indices, which are one of the two lists.
static inline void oc_put_block(const oc_block_pattern *p, oc_triplets *s, int row, int col,
                                double sign, const double *A, const int *places) {
  const int count = p->count;
  for (int e = 0; s->row && e < count; e++) {
    s->row[s->n + e] = row + p->row[e];
    s->col[s->n + e] = col + p->col[e];
  }
  double *val = s->val ? s->val + s->n : NULL;
  for (int e = 0; val && e < count; e++) val[e] = sign * A[places[e]];
  s->n += count;
}

DM_END_C
#endif

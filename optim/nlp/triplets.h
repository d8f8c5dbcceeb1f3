// optim/nlp/triplets.h: one walk over a sparse matrix with three uses: count its entries, write its
// pattern, write its values. Whether an entry is put may depend on sizes, never on values. The
// reader sums duplicates.
#ifndef OC_NLP_TRIPLETS_H
#define OC_NLP_TRIPLETS_H
#include "lib/base/linkage.h"

DM_BEGIN_C

typedef struct oc_triplets {
  int *row, *col; // pattern, or NULL
  double *val;    // values, or NULL
  int n;          // entries so far
} oc_triplets;

static inline void oc_put(oc_triplets *s, int row, int col, double value) {
  if (s->row) {
    s->row[s->n] = row;
    s->col[s->n] = col;
  }
  if (s->val) s->val[s->n] = value;
  s->n++;
}

DM_END_C
#endif

#include "lib/contact/gap_rows.h"

size_t dm_gap_entries(const dm_unilateral *u, int n) {
  return u->first ? (size_t)u->first[u->ng] : (size_t)u->ng * (size_t)n;
}

dm_status dm_gap_rows(const dm_unilateral *u, void *scratch, const double *q, int m,
                      const int *which, double *g, dm_sparse_rows *G) {
  // columns
  int to = 0;
  G->m = m;
  G->start[0] = 0;
  for (int k = 0; k < m; k++) {
    const int i = which ? which[k] : k, from = u->first ? u->first[i] : 0;
    const int count = u->first ? u->first[i + 1] - from : G->n;
    for (int j = 0; j < count; j++, to++) G->col[to] = u->first ? u->column[from + j] : j;
    G->start[k + 1] = to;
  }

  // entries; full rows are the interface's matrix
  if (m == 0) return DM_OK;
  if (u->first) return u->entries(u->self, scratch, q, m, which, g, G->value);
  return u->rows(u->self, scratch, q, m, which, g, G->value);
}

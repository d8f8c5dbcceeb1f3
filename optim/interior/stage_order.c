#include "optim/interior/stage_order.h"

#include <limits.h>

static int max_int(int a, int b) {
  return a > b ? a : b;
}

// each row at the last knot of its variables, 0 where they have none
static void place_rows(int n, int m, const oc_sparse_sum *jac, const int *step, int *row_step) {
  (void)n;
  for (int i = 0; i < m; i++) row_step[i] = 0;
  for (int e = 0; e < jac->nnz; e++)
    row_step[jac->row[e]] = max_int(row_step[jac->row[e]], step[jac->col[e]]);
}

// the first row of each variable that has no curvature of its own; else 0
static void find_first_rows(int n, const oc_sparse_sum *hess, const oc_sparse_sum *jac,
                            const int *row_step, int *first) {
  for (int j = 0; j < n; j++) first[j] = INT_MAX;
  for (int e = 0; e < hess->nnz; e++)
    if (hess->row[e] == hess->col[e]) first[hess->row[e]] = 0;
  for (int e = 0; e < jac->nnz; e++) {
    int j = jac->col[e], k = row_step[jac->row[e]];
    if (k > 0 && k < first[j]) first[j] = k;
  }
  for (int j = 0; j < n; j++)
    if (first[j] == INT_MAX) first[j] = 0;
}

int oc_stage_order(int n, int m, const oc_sparse_sum *hess, const oc_sparse_sum *jac,
                   const int *knot, int *step, int *first) {
  int last = 0;
  // knots from 1; 0 is everywhere
  for (int j = 0; j < n; j++) {
    step[j] = knot[j] + 1;
    last = max_int(last, step[j]);
  }
  place_rows(n, m, jac, step, step + n);
  find_first_rows(n, hess, jac, step + n, first);
  for (int j = 0; j < n; j++)
    if (step[j] > 0) step[j] = max_int(step[j], first[j]);

  // what is everywhere is one last step
  last++;
  for (int v = 0; v < n + m; v++)
    if (step[v] == 0) step[v] = last;
  return last;
}

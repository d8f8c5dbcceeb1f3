#include "optim/interior/stage_order.h"

#include <limits.h>
#include <string.h>

static int max_int(int a, int b) {
  return a > b ? a : b;
}

static int min_int(int a, int b) {
  return a < b ? a : b;
}

// -- earlier elimination

static void advance_unknowns(const oc_stage_pattern *p, int *step, const int *first, int *moves) {
  // Mark with 1 the variables that only the front of their own step contains, among unknowns that the
  // previous front contains as well, and in rows of that step only; else 0.
  for (int j = 0; j < p->n; j++) moves[j] = first[j] == step[j];
  for (int e = 0; e < p->jac->nnz; e++) {
    int j = p->jac->col[e], i = p->n + p->jac->row[e];
    if (step[i] != step[j] || first[i] >= step[j]) moves[j] = 0;
  }
  for (int e = 0; e < p->hess->nnz; e++) {
    int v = p->hess->row[e], w = p->hess->col[e];
    if (v == w || (first[v] == step[v] && first[w] == step[w] && step[v] == step[w])) continue;
    if (first[w] >= step[v]) moves[v] = 0;
    if (first[v] >= step[w]) moves[w] = 0;
  }

  // Rows that may be eliminated one step earlier: 2 for inequalities, 1 if they also contain private
  // variables.
  int *of_row = moves + p->n;
  for (int i = 0; i < p->m; i++) of_row[i] = p->has_slack[i] ? 2 : 0;
  for (int e = 0; e < p->jac->nnz; e++)
    if (moves[p->jac->col[e]]) of_row[p->jac->row[e]] |= 1;
  for (int e = 0; e < p->jac->nnz; e++) {
    int j = p->jac->col[e], i = p->jac->row[e], at = step[p->n + i];
    if (first[p->n + i] >= at || (first[j] >= at && !moves[j])) of_row[i] = 0;
  }

  // a variable stays if one of its rows stays
  for (int e = 0; e < p->jac->nnz; e++)
    if (!moves[p->n + p->jac->row[e]]) moves[p->jac->col[e]] = 0;
  for (int e = 0; e < p->jac->nnz; e++) {
    int j = p->jac->col[e], i = p->n + p->jac->row[e];
    if (first[j] >= step[i] && !moves[j]) moves[i] = 0;
  }
  for (int v = 0; v < p->n + p->m; v++)
    if (moves[v] && step[v] > 1) step[v]--;
}

int oc_stage_order(const oc_stage_pattern *p, int *step, int *work) {
  const int dim = p->n + p->m;
  int last = 0;
  // knots from 1; 0: everywhere
  for (int j = 0; j < p->n; j++) {
    step[j] = p->knot[j] + 1;
    last = max_int(last, step[j]);
  }

  // each row at the last knot of its variables
  int *of_row = step + p->n;
  memset(of_row, 0, (size_t)p->m * sizeof *of_row);
  for (int e = 0; e < p->jac->nnz; e++) {
    int *row = of_row + p->jac->row[e];
    *row = max_int(*row, step[p->jac->col[e]]);
  }

  // an unknown without curvature at the first of its rows
  for (int j = 0; j < p->n; j++) work[j] = INT_MAX;
  for (int e = 0; e < p->hess->nnz; e++)
    if (p->hess->row[e] == p->hess->col[e]) work[p->hess->row[e]] = 0;
  for (int e = 0; e < p->jac->nnz; e++) {
    int j = p->jac->col[e], at = step[p->n + p->jac->row[e]];
    if (at > 0) work[j] = min_int(work[j], at);
  }
  for (int j = 0; j < p->n; j++)
    if (step[j] > 0 && work[j] < INT_MAX) step[j] = max_int(step[j], work[j]);

  // unknowns that appear everywhere form one last step
  last++;
  for (int v = 0; v < dim; v++)
    if (step[v] == 0) step[v] = last;

  // the step at which each unknown enters the front: that of its first neighbor
  const oc_sparse_sum *of[] = {p->hess, p->jac};
  for (int v = 0; v < p->n + p->m; v++) work[v] = step[v];
  for (int i = 0; i < 2; i++)
    for (int e = 0; e < of[i]->nnz; e++) {
      int v = of[i]->row[e] + (i == 1 ? p->n : 0), w = of[i]->col[e];
      work[v] = min_int(work[v], step[w]);
      work[w] = min_int(work[w], step[v]);
    }

  advance_unknowns(p, step, work, work + dim);
  return last;
}

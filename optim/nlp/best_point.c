#include "optim/nlp/best_point.h"

#include "lib/base/block.h"

#include <math.h>

double oc_bound_excess(double value, double lo, double hi) {
  if (value < lo) return lo - value;
  return value > hi ? value - hi : 0;
}

double oc_row_violation(const oc_nlp *nlp, const double *g) {
  double largest = 0;
  for (int i = 0; i < nlp->m; i++) {
    double v = oc_bound_excess(g[i], nlp->g_min[i], nlp->g_max[i]);
    if (v > largest) largest = v;
  }
  return largest;
}

double oc_bound_violation(const oc_nlp *nlp, const double *x) {
  double largest = 0;
  for (int j = 0; j < nlp->n; j++) {
    double v = oc_bound_excess(x[j], nlp->x_min[j], nlp->x_max[j]);
    if (v > largest) largest = v;
  }
  return largest;
}

bool oc_is_better_point(double f, double v, double f_than, double v_than) {
  // both feasible: the lower f; else the smaller violation
  return v <= OC_FEASIBLE && v_than <= OC_FEASIBLE ? f < f_than : v < v_than;
}

void oc_point_copy(const oc_nlp *nlp, const oc_point *from, oc_point *to) {
  const size_t n = (size_t)nlp->n * sizeof(double), m = (size_t)nlp->m * sizeof(double);
  memcpy(to->x, from->x, n);
  if (nlp->m > 0) memcpy(to->lambda, from->lambda, m);
  memcpy(to->z_l, from->z_l, n);
  memcpy(to->z_u, from->z_u, n);
}

int oc_worst_row_in(const oc_nlp *nlp, const double *x, const double *g, oc_triplets walk,
                    double *size) {
  // scale of each row: its largest entry in the Jacobian
  double largest = 0;
  int worst = -1;
  memset(size, 0, (size_t)nlp->m * sizeof *size);
  if (nlp->jac(nlp->self, x, &walk) >= 0)
    for (int i = 0; i < nlp->jac_nnz; i++)
      size[walk.row[i]] = fmax(size[walk.row[i]], fabs(walk.val[i]));

  // the row with the largest relative violation
  for (int i = 0; i < nlp->m; i++) {
    double v = oc_bound_excess(g[i], nlp->g_min[i], nlp->g_max[i]) /
               (size[i] > 0 ? size[i] : 1); // a zero row is not scaled
    if (v > largest) {
      largest = v;
      worst = i;
    }
  }
  return worst;
}

int oc_worst_row(const oc_nlp *nlp, const double *x, const double *g) {
  size_t nnz = (size_t)nlp->jac_nnz, m = (size_t)nlp->m;
  dm_block b = {0};
  dm_block_alloc(&b, nnz + m, sizeof(double));
  dm_block_alloc(&b, 2 * nnz, sizeof(int));

  if (dm_block_new(&b) < 0) return -1;
  double *val = dm_block_alloc(&b, nnz + m, sizeof *val);
  int *row = dm_block_alloc(&b, 2 * nnz, sizeof *row);
  const oc_triplets walk = {row, row + nnz, val, 0};
  const int worst = oc_worst_row_in(nlp, x, g, walk, val + nnz);
  dm_block_free(val);
  return worst;
}

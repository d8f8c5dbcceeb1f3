#include "optim/descent/knot_costs.h"

#include "lib/base/dense.h"

#include <string.h>

dm_status oc_knot_costs_eval(oc_output_costs *costs, oc_knot_velocity *knot, int k, int order,
                             const double *q, const double *p, double *c) {
  const bool rated = oc_output_costs_once_rated(costs, k);
  if (rated) DM_TRY(oc_knot_velocity_find(knot, q, p));
  if (rated && order > 0) DM_TRY(oc_knot_velocity_differentiate(knot, q));
  return oc_output_costs_knot(costs, k, order, q, rated ? knot->v : NULL, c);
}

dm_status oc_knot_costs_curve(oc_output_costs *costs, oc_knot_velocity *knot, int k,
                              const double *q, const double *p, double *W, double *CW, double *Q,
                              int ld) {
  const int n = costs->task.system.L.nq, m = 2 * n;
  double c;
  if (!oc_output_costs_once(costs, k)) return DM_OK;
  DM_TRY(oc_knot_costs_eval(costs, knot, k, 2, q, p, &c));

  // without velocities, C depends on q only
  const double *C = costs->knot.c_xx;
  if (!oc_output_costs_once_rated(costs, k)) {
    for (int i = 0; i < n; i++) dm_add_to(n, 1, C + i * m, Q + i * ld);
    return DM_OK;
  }
  memset(W, 0, (size_t)(m * m) * sizeof *W);
  for (int i = 0; i < n; i++) W[i * m + i] = 1;
  memcpy(W + n * m, knot->y_x, (size_t)(n * m) * sizeof *W);
  dm_gemm(m, m, m, 1, C, W, 0, CW);
  dm_gemm_transposed(m, m, m, 1, W, m, CW, m, 1, Q, ld);
  return DM_OK;
}

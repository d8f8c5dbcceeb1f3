#include "lib/multibody/inverse_dynamics.h"

#define LANES 1
#include "lib/multibody/inverse_dynamics.inc"

dm_status dm_inverse_new(dm_inverse **out, const dm_model *m, const dm_potential *V) {
  dm_inverse sizes = {.n = m->nq, .m = m};
  if (V) sizes.V = *V;
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_inverse);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_inverse_free(dm_inverse *w) {
  dm_block_free(w);
}

dm_status dm_inverse_eval(dm_inverse *w, int order, const double *q, const double *v,
                          const double *a) {
  struct dm_inverse_sweep *s = w->s;
  size_t n = (size_t)w->n;
  DM_TRY(eval_inverse(w, order, q, v, a));

  // V_q of the potential, and V_qq by q
  if (!w->V.eval) return DM_OK;
  double energy = 0;
  // keep q for dm_inverse_contract, which contracts V only
  memcpy(s->at, q, n * sizeof *q);
  memset(s->V_q, 0, n * sizeof(double));
  memset(s->V_qq, 0, n * n * sizeof(double));
  DM_TRY(w->V.eval(w->V.self, s->potential, 2, q, &energy, s->V_q, s->V_qq));
  for (size_t i = 0; i < n; i++) w->tau[i] += s->V_q[i];
  for (size_t i = 0; order > 0 && i < n * n; i++) w->tau_q[i] += s->V_qq[i];

  double sum = 0; // the sum detects NaN and infinity
  for (size_t i = 0; i < n; i++) sum += w->tau[i];
  return isfinite(sum) ? DM_OK : DM_NOT_FINITE;
}

dm_status dm_inverse_contract(dm_inverse *w, int order, const double *mu) {
  struct dm_inverse_sweep *s = w->s;
  int n = w->n;
  // the Hessian needs third derivatives of V
  if (order > 1 && w->V.eval && !w->V.contract) return DM_UNAVAILABLE;

  contract_inverse(w, order, mu);

  // potential: V_qq mu, and V_qqq contracted with mu
  if (!w->V.eval) return DM_OK;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->mu.q[i] += s->V_qq[i * n + j] * mu[j];
  if (order < 2) return DM_OK;
  memset(s->V_qqa, 0, (size_t)(n * n) * sizeof(double));
  DM_TRY(w->V.contract(w->V.self, s->potential, s->at, mu, s->V_qqa));
  for (int i = 0; i < n * n; i++) w->mu.qq[i] += s->V_qqa[i];
  return DM_OK;
}

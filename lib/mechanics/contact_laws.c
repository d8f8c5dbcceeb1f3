#include "lib/mechanics/contact_laws.h"

dm_status dm_contact_laws_push(const dm_contact_laws *laws, int n, void *scratch, double *r,
                               double *Dr, const double *q, const double *impulse, double *p) {
  const dm_holonomic *rows = &laws->rows;
  DM_TRY(rows->eval(rows->self, scratch, q, r, Dr));
  for (int i = 0; i < rows->nc; i++)
    for (int j = 0; j < n; j++) p[j] += Dr[i * n + j] * impulse[i];
  return DM_OK;
}

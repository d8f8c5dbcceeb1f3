#include "lib/mechanics/contact_laws.h"

void dm_contact_law_bound(const dm_contact_law *law, double v, double b[3]) {
  b[0] = law->force;
  b[1] = b[2] = 0;
  if (law->excess == 0) return;
  const double r = v / law->speed, e = law->excess * exp(-r * r);
  b[0] += e;
  b[1] = -2 * r * e / law->speed;
  b[2] = (4 * r * r - 2) * e / (law->speed * law->speed);
}

dm_status dm_contact_laws_push(const dm_contact_laws *laws, int n, void *scratch, double *r,
                               double *Dr, const double *q, const double *impulse, double *p) {
  const dm_holonomic *rows = &laws->rows;
  DM_TRY(rows->eval(rows->self, scratch, q, r, Dr));
  for (int i = 0; i < rows->nc; i++)
    for (int j = 0; j < n; j++) p[j] += Dr[i * n + j] * impulse[i];
  return DM_OK;
}

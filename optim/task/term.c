#include "optim/task/term.h"

#include <math.h>
#include <stddef.h>

// set the value and the derivatives up to this order
static void set_results(int order, size_t m, double value, double *c, double *c_y, double *c_yy) {
  *c = value;
  for (size_t i = 0; order > 0 && i < m; i++) c_y[i] = value;
  for (size_t i = 0; order > 1 && i < m * m; i++) c_yy[i] = value;
}

void oc_terms_eval(int count, const oc_term *terms, const oc_term_place *at, int order,
                   const double *y, double *c, double *c_y, double *c_yy) {
  size_t m = (size_t)(2 * at->n + at->nf);
  dm_status s = DM_OK;
  // each term adds to the sums
  set_results(order, m, 0, c, c_y, c_yy);
  for (int i = 0; i < count && s == DM_OK; i++)
    s = terms[i].eval(terms[i].self, at, order, y, c, c_y, c_yy);
  // if one term has no value, neither has the sum
  if (s != DM_OK) set_results(order, m, NAN, c, c_y, c_yy);
}

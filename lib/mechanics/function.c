#include "lib/mechanics/function.h"

#include <math.h>

int dm_function_first(const dm_function *f, dm_argument of) {
  int first = 0;
  for (int a = 0; a < (int)of; a++) first += f->size[a];
  return first;
}

int dm_function_entries(const dm_function *f) {
  return dm_function_first(f, DM_ARGUMENTS);
}

bool dm_function_is(const dm_function *f, const dm_function *g) {
  return f->self == g->self && f->eval == g->eval;
}

const char *dm_function_name(const dm_function *f, int row) {
  const char *name = f->row_name ? f->row_name(f->self, row) : NULL;
  return name ? name : "?";
}

bool dm_function_is_finite(int row, const double *y, int nx, const double *y_x) {
  double sum = y[row];
  for (int a = 0; y_x && a < nx; a++) sum += y_x[row * nx + a];
  return isfinite(sum);
}

// A filter's prediction by a step of the discrete map.

// next in: the linear prediction of step k, out: that of the map under u; x, x1 [nx], acts [nu] are
// scratch
static void predict_by_map(const tables *T, const memory *m, int k, const real *u, real *acts,
                           real *x1, real *next, real *x) {
  const int last = T->steps - 1;
  const real *y_d = row(&T->y_d, k);
  const real *x_d = row(&T->y_d, ((k < last) ? ((k < 0) ? 0 : k) : last) + 1);
  int i;
  int j;
  for (i = 0; i < T->nx; i++) {
    x[i] = y_d[i] + m->z[i];
    x1[i] = x_d[i] + next[i];
  }
  copy(T->nu, u, acts);
  for (j = 0; j < T->nd; j++) {
    acts[T->disturbed[j]] = acts[T->disturbed[j]] + m->z[T->nx + j];
  }
  map_step(x, acts, row(&T->A, k), x1);
  for (i = 0; i < T->nx; i++) {
    next[i] = x1[i] - x_d[i];
  }
}

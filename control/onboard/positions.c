// y_d = (q, q a step before, the forces between) of a plan between its knots.

// y_d at time `then`, a fraction s after knot k; v: scratch for nq numbers
static void plan_positions(const tables *T, real then, int k, real s, real *y_d, real *v) {
  const int n = T->nq;
  real share;
  int i;
  const int before = knot_at(T, then - T->h, &share);
  const real *from = row(&T->y_d, k);
  const real *to = row(&T->y_d, k + 1);
  const real *earlier = row(&T->y_d, k - 1);
  plan_motion(T, k, s, y_d, v);
  plan_line(T, k, s, 2 * n, T->nf, y_d);
  plan_motion(T, before, share, &y_d[n], v);

  // correct for the position of a continuous motion one step before
  if (T->continuous != 0) {
    for (i = 0; i < n; i++) {
      real off = ((ONE - s) * (from[n + i] - earlier[i])) + (s * (to[n + i] - from[i]));
      y_d[n + i] = y_d[n + i] + off;
    }
  }
}

// A Lagrangian of one's own: a planet around a sun, L = |v|^2/2 + 1/|q|, by a hundred steps an orbit.
//
//   after   0 orbits: energy -0.500, angular momentum 0.800000000
//   after  50 orbits: energy -0.500, angular momentum 0.800000000
//   after 100 orbits: energy -0.500, angular momentum 0.800000000
#include <dmoc/dmoc.h>
#include <math.h>
#include <stdio.h>

// L and its derivatives by q and v; the Hessian if order is 2
static dm_status planet(const void *self, void *scratch, int order, const double *q,
                        const double *v, dm_jet *out) {
  double r = hypot(q[0], q[1]), r3 = pow(r, 3), r5 = pow(r, 5);
  (void)self;
  (void)scratch;
  out->L = (v[0] * v[0] + v[1] * v[1]) / 2 + 1 / r;
  for (int i = 0; i < 2; i++) {
    out->L_q[i] = -q[i] / r3;
    out->L_v[i] = v[i];
    for (int j = 0; j < 2 && order == 2; j++) {
      out->L_qq[2 * i + j] = 3 * q[i] * q[j] / r5 - (i == j) / r3;
      out->L_qv[2 * i + j] = 0;
      out->L_vv[2 * i + j] = i == j;
    }
  }
  return r > 0 ? DM_OK : DM_NOT_FINITE;
}

int main(void) {
  dm_system s = {.L = {.nq = 2, .eval = planet}};
  dm_rule_set(&s.rule, "midpoint", 0.5, "midpoint", NULL);
  dm_del *step;
  dm_del_info info;
  if (dm_del_new(&step, &s, NULL)) return 1;

  // an ellipse, from its far end; an orbit takes 2 pi
  double q[] = {1.6, 0}, p[] = {0, 0.5}, next[] = {1.6, 0}, h = acos(-1) / 50;
  for (int k = 0; k <= 10000; k++) {
    double energy = (p[0] * p[0] + p[1] * p[1]) / 2 - 1 / hypot(q[0], q[1]);
    if (k % 5000 == 0)
      printf("after %3d orbits: energy %.3f, angular momentum %.9f\n", k / 100, energy,
             q[0] * p[1] - q[1] * p[0]);
    if (dm_del_step(step, q, p, NULL, h, next, p, &info)) return 1;
    for (int i = 0; i < 2; i++) q[i] = next[i];
  }
  dm_del_free(step);
}

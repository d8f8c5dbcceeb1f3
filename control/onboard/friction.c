// Dry friction of driven joints. The law's feedback is that of joints without friction, and c does not
// contain friction. The friction of the motion that both command is added: s is the force that would
// stop a joint within a step, from its mean speed in the planned step and its feedback.
//
//   s = mass (v - v_d + ahead) + (u - c)       u <- u + friction in the direction of s
//
// Below a share of the friction the force is proportional to s, so that it does not chatter at rest.

enum { STEEP = 20 };

// A measurement that is not finite counts as the plan.
static void compensate(const tables *T, int k, const real *y_d, const real *c, const real *y,
                       const real *v, real *u) {
  const real *mass = row(&T->mass, k);
  const real *ahead = row(&T->ahead, k);
  real none = ZERO;
  _Bool known;
  int i;
  for (i = 0; i < T->ny; i++) {
    none = none + (y[i] - y[i]);
  }
  known = finite_number(none);
  for (i = 0; i < T->rubs; i++) {
    const int j = T->rubbing[i];
    const real most = T->friction[i];
    real speed = ahead[i];
    real s;
    if (known) {
      speed = speed + (v[j] - y_d[T->nq + j]);
    }
    s = mass[i] * speed;
    s = s + (u[i] - c[i]);
    s = (real)STEEP * s;
    if (!finite_number(s)) {
      s = ZERO;
    }
    if (s > most) {
      s = most;
    }
    if (s < -most) {
      s = -most;
    }
    u[i] = u[i] + s;
  }
}

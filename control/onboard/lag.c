// Torques of motors with a lag, which the caller keeps: m is the torque minus that of the plan.
//
//   m <- m + share (u - u_d - m)

// advance to the next knot under the input u, planned as u_d; if a sum is not finite, a torque stays
static void follow(const tables *T, const real *u_d, const real *u, real *m) {
  int i;
  for (i = 0; i < T->nl; i++) {
    const int j = T->lagging[i];
    real gap = (u[j] - u_d[j]) - m[i];
    real step = T->share[i] * gap;
    real next = m[i] + step;
    if (finite_number(next)) {
      m[i] = next;
    }
  }
}

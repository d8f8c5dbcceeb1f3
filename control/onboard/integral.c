// Integrals of errors, which the caller keeps: z <- z + h (q - q_d).

// whether an input is at a limit
static int at_limit(const tables *T, const real *u) {
  int cut = 0;
  int i;
  for (i = 0; i < T->nu; i++) {
    if ((u[i] >= T->u_max[i]) || (u[i] <= T->u_min[i])) {
      cut = 1;
    }
  }
  return cut;
}

// advance to the next knot; if an input was cut, or a sum is not finite, an integral stays
static void integrate(const tables *T, const real *q_d, const real *q, int cut, real *z) {
  int i;
  for (i = 0; (cut == 0) && (i < T->ni); i++) {
    const int j = T->integral[i];
    real at = (T->turns[j] != 0) ? unwound(q[j], q_d[j]) : q[j];
    real step = T->h * (at - q_d[j]);
    real next = z[i] + step;
    if (finite_number(next)) {
      z[i] = next;
    }
  }
}

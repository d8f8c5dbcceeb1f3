// A call at any time t: y_d is the plan at the time of the measurement, u_d its mean over h from t
// on.

#ifdef HAS_RATES
// the fraction of a step since the last input; 1 if that was earlier, or is not known
static real since(const tables *T, const memory *m, real t) {
  real share = (t - *m->given_at) * T->rate;
  if ((*m->begun == 0) || !((share >= ZERO) && (share < (ONE - ROUNDING)))) {
    share = ONE;
  }
  return share;
}
#endif

// y_d [ny] and c [nu] are scratch for the plan, v [nq] for velocities of positions. If a time is
// not finite, y [ny] is not finite either.
static moment at_time(const tables *T, const memory *m, real t, real age, real *y_d, real *c,
                      real *v, real *y) {
  const real then = when(t, age);
  moment now;
  real s;
  int i;
  int k = knot_at(T, then, &s);
  (void)m;
  (void)v;

  // the plan at that time; the desired integrals of errors are 0
#ifdef HAS_POSITIONS
  if (T->nf > 0) {
    plan_positions(T, then, k, s, y_d, v);
  } else {
    plan_state(T, k, s, y_d);
  }
#else
  plan_state(T, k, s, y_d);
#endif
  for (i = T->ny - T->ni; i < T->ny; i++) {
    y_d[i] = ZERO;
  }
  y[0] = (y[0] + (t - t)) + (age - age);

  // now: the input under way, the mean input, the gains of the step
  k = knot_at(T, t, &s);
  if (T->late != 0) {
    plan_line(T, k, s, T->ny - T->nu, T->nu, y_d);
  }
  line(T->nu, s, row(&T->u_d, k), row(&T->u_d, k + 1), c);
  now.k = k;
  now.t = t;
  now.share = ONE;
#ifdef HAS_RATES
  now.share = since(T, m, t);
#endif
  now.y_d = y_d;
  now.c = c;
  return now;
}

// A call at any time t: y_d is the plan at the time of the measurement, u_d its mean over the time
// for which u will be held, from t on.

// the most steps over which a mean is taken
enum { MOST_HELD = 64 };

// A hold in steps: exactly 1 for a step, also if it is not a number. It is at least ROUNDING and at
// most MOST_HELD - 1.
static real held_steps(const tables *T, real hold) {
  const real most = (real)(MOST_HELD - 1);
  real r = hold * T->rate;
  const real off = r - ONE;
  if (!((off > ROUNDING) || (-off > ROUNDING))) {
    r = ONE;
  }
  if (r < ROUNDING) {
    r = ROUNDING;
  }
  if (r > most) {
    r = most;
  }
  return r;
}

// the mean of n entries of the table's rows, starting at `at`, over r steps, from the fraction s
// after knot k on; a row is constant during its step
static void plan_mean(const table *u, int k, real s, real r, int at, int n, real *c) {
  const real end = s + r;
  if (end > (real)2) {
    const int last = (int)end;
    int i;
    int j;
    for (i = 0; i < n; i++) {
      c[i] = (ONE - s) * row(u, k)[at + i];
    }
    for (j = 1; j <= last; j++) {
      const real *from = row(u, k + j);
      const real share = (j < last) ? ONE : (end - (real)last);
      for (i = 0; i < n; i++) {
        real product = share * from[at + i];
        c[i] = c[i] + product;
      }
    }
    for (i = 0; i < n; i++) {
      c[i] = c[i] / r;
    }
  } else {
    const real w = (s - (ONE - r)) / r;
    line(n, (w > ZERO) ? w : ZERO, &row(u, k)[at], &row(u, k + 1)[at], c);
  }
}

#ifdef HAS_RATES
// the fraction of a step since the last input; 1 if that was earlier, or is not known
static real since(const tables *T, const memory *m, real t) {
  const real most = ONE - ROUNDING;
  real share = (t - *m->given_at) * T->rate;
  if ((*m->begun == 0) || !((share >= ZERO) && (share < most))) {
    share = ONE;
  }
  return share;
}
#endif

// y_d [ny] and c [nu] are scratch for the plan, v [nq] for velocities of positions. If a time is
// not finite, y [ny] is not finite either.
static moment at_time(const tables *T, const memory *m, real t, real age, real hold, real *y_d,
                      real *c, real *v, real *y) {
  const real then = when(t, age);
  const real r = held_steps(T, hold);
  const int kept = T->ni + T->nl;
  moment now;
  real s;
  int i;
  int k = knot_at(T, then, &s);
  const int tail = (T->late != 0) ? (T->ny - T->nu) : T->ny;
  (void)m;
  (void)v;

  // the plan at that time; the desired values of kept states are 0
#ifdef HAS_POSITIONS
  if (T->nf > 0) {
    plan_positions(T, then, k, s, y_d, v);
  } else {
    plan_state(T, k, s, y_d);
  }
#else
  plan_state(T, k, s, y_d);
#endif
  for (i = 0; i < kept; i++) {
    y_d[tail - 1 - i] = ZERO;
  }
  y[0] = (y[0] + (t - t)) + (age - age);

  // now: the input under way, the mean input, the gains of the step
  k = knot_at(T, t, &s);
  if (T->late != 0) {
    plan_mean(&T->y_d, k, s, r, tail, T->nu, &y_d[tail]);
  }
  plan_mean(&T->u_d, k, s, r, 0, T->nu, c);
  now.k = k;
  now.t = t;
  now.share = ONE;
#ifdef HAS_RATES
  now.share = since(T, m, t);
#endif
  now.y_d = y_d;
  now.c = c;
#ifdef HAS_ORBITS
  now.next = k;
  now.along = ZERO;
#endif
  return now;
}

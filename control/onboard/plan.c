// The plan between knots: positions by a cubic with their velocities, the rest linearly.

// the time at which a measurement of this age was made
static real when(real t, real age) {
  real then = t;
  if (age > ZERO) {
    then = t - age;
  }
  return then;
}

// The last knot at or before a time, and the remaining fraction of the step, [0,1). A fraction due
// to rounding is 0.
static int knot_at(const tables *T, real t, real *share) {
  const real last = (real)T->steps;
  real steps = t * T->rate;
  int k;
  if (!(steps > ZERO)) {
    steps = ZERO;
  }
  if (steps > last) {
    steps = last;
  }
  k = (int)(steps + ROUNDING);
  *share = steps - (real)k;
  if (*share < ROUNDING) {
    *share = ZERO;
  }
  return k;
}

static void line(int n, real s, const real *from, const real *to, real *x) {
  int i;
  for (i = 0; i < n; i++) {
    x[i] = from[i] + (s * (to[i] - from[i]));
  }
}

// q at the fraction s of the step h, and v its rate, from q0, v0 and q1, v1
static void cubic(int n, real h, real rate, real s, const real *q0, const real *v0, const real *q1,
                  const real *v1, real *q, real *v) {
  const real r = ONE - s;
  int i;
  for (i = 0; i < n; i++) {
    real d = q1[i] - q0[i];
    real a = (h * v0[i]) - d;
    real b = d - (h * v1[i]);
    q[i] = q0[i] + (s * (d + (r * ((r * a) + (s * b)))));
    v[i] = v0[i] + ((rate * s) * (((((r + r) - s) * (b - a)) - a) - a));
  }
}

// q_d and v_d at the fraction s after knot k
static void plan_motion(const tables *T, int k, real s, real *q, real *v) {
  const real *from = row(&T->y_d, k);
  const real *to = row(&T->y_d, k + 1);
  const real *v0 = &from[T->nq];
  const real *v1 = &to[T->nq];
  if (T->v_d.rows > 0) {
    v0 = row(&T->v_d, k);
    v1 = row(&T->v_d, k + 1);
  }
  cubic(T->nq, T->h, T->rate, s, from, v0, to, v1, q, v);
}

// n entries of y_d, starting at `at`, at a fraction of the step after knot k
static void plan_line(const tables *T, int k, real s, int at, int n, real *y_d) {
  const real *from = row(&T->y_d, k);
  const real *to = row(&T->y_d, k + 1);
  line(n, s, &from[at], &to[at], &y_d[at]);
}

// (q,v) or (q,p) in y_d
static void plan_state(const tables *T, int k, real s, real *y_d) {
  plan_motion(T, k, s, y_d, &y_d[T->nq]);
  if (T->v_d.rows > 0) {
    plan_line(T, k, s, T->nq, T->nq, y_d);
  }
}

// The law along an orbit that repeats: it acts at the phase whose section contains y. A phase is the fraction s of the
// step after knot k in period `lap`.

enum { NEARBY = 3, SEARCHES = 2 };

typedef struct {
  int k;
  int lap;
  real s;
} phase;

// knot k + j, |j| < steps
static phase phase_at(const tables *T, phase from, int j) {
  phase to = from;
  to.k = from.k + j;
  if (to.k >= T->steps) {
    to.k = to.k - T->steps;
    to.lap = to.lap + 1;
  }
  if (to.k < 0) {
    to.k = to.k + T->steps;
    to.lap = to.lap - 1;
  }
  return to;
}

// a phase with s beyond its step
static phase settled(const tables *T, phase from) {
  phase to;
  int j = 0;
  if (from.s >= ONE) {
    j = 1;
  }
  if (from.s < ZERO) {
    j = -1;
  }
  to = phase_at(T, from, j);
  to.s = from.s - (real)j;
  return to;
}

// a value between two knots, from values and slopes at both
static real between(real s, real y0, real d0, real y1, real d1) {
  const real r = ONE - s;
  const real d = y1 - y0;
  const real a = r * (d0 - d);
  const real b = s * (d - d1);
  return y0 + (s * (d + (r * (a + b))));
}

// y_d [ny] of the orbit at a phase
static void on_phase(const tables *T, phase at, real *y_d) {
  const real *y0 = row(&T->y_d, at.k);
  const real *y1 = row(&T->y_d, at.k + 1);
  const real *d0 = row(&T->y_s, at.k);
  const real *d1 = row(&T->y_s, at.k + 1);
  const real lap = (real)at.lap;
  int j;
  for (j = 0; j < T->orbits; j++) {
    real gone = lap * T->travel[j];
    y_d[j] = between(at.s, y0[j], d0[j], y1[j], d1[j]) + gone;
  }
}

// how far y is from the orbit at a knot
static real remoteness(const tables *T, phase at, const real *y) {
  const real *y_d = row(&T->y_d, at.k);
  const real lap = (real)at.lap;
  real sum = ZERO;
  int j;
  for (j = 0; j < T->orbits; j++) {
    real gone = lap * T->travel[j];
    real off = y[j] - (y_d[j] + gone);
    real product;
    if (T->turns[j] != 0) {
      off = unwound(off, ZERO);
    }
    product = T->near[j] * off;
    product = product * off;
    sum = sum + product;
  }
  return sum;
}

// the nearest knot: at the first call of all, later of those around the last one
static phase nearest_on_orbit(const tables *T, const memory *m, const real *y) {
  phase last;
  phase at;
  real least;
  int j;
  int from = -NEARBY;
  int to = NEARBY;
  last.k = *m->knot;
  last.lap = *m->lap;
  last.s = ZERO;
  at = phase_at(T, last, (*m->entered != 0) ? 1 : 0);
  if (*m->entered == 0) {
    from = 0;
    to = T->steps - 1;
  }
  least = remoteness(T, at, y);
  for (j = from; j <= to; j++) {
    const phase next = phase_at(T, last, j);
    const real d = remoteness(T, next, y);
    if (d < least) {
      least = d;
      at = next;
    }
  }
  return at;
}

// by how many knots y is ahead of the section at a phase, at most 1
static real lead(const tables *T, phase at, const real *y, const real *y_d) {
  const real *w0 = row(&T->section, at.k);
  const real *w1 = row(&T->section, at.k + 1);
  const real least = -ONE;
  real sum = ZERO;
  int j;
  for (j = 0; j < T->orbits; j++) {
    real w = w0[j] + (at.s * (w1[j] - w0[j]));
    real off = y[j] - y_d[j];
    real product;
    if (T->turns[j] != 0) {
      off = unwound(off, ZERO);
    }
    product = w * off;
    sum = sum + product;
  }
  if (!finite_number(sum)) {
    sum = ZERO;
  }
  if (sum > ONE) {
    sum = ONE;
  }
  if (sum < least) {
    sum = least;
  }
  return sum;
}

// the phase of y, by Newton's method from the nearest knot; y_d [ny] there
static phase phase_of(const tables *T, const memory *m, const real *y, real *y_d) {
  phase at = nearest_on_orbit(T, m, y);
  int i;
  for (i = 0; i < SEARCHES; i++) {
    on_phase(T, at, y_d);
    at.s = at.s + lead(T, at, y, y_d);
    at = settled(T, at);
  }
  on_phase(T, at, y_d);
  *m->knot = at.k;
  *m->lap = at.lap;
  *m->entered = 1;
  return at;
}

// the plan at the phase of y; y_d [ny] and c [nu] are its memory
static moment on_orbit(const tables *T, const memory *m, const real *y, real *y_d, real *c) {
  const phase at = phase_of(T, m, y, y_d);
  const int next = phase_at(T, at, 1).k;
  const real *c0 = row(&T->u_d, at.k);
  const real *c1 = row(&T->u_d, next);
  const real *d0 = row(&T->u_s, at.k);
  const real *d1 = row(&T->u_s, next);
  moment now;
  int i;
  for (i = 0; i < T->nu; i++) {
    c[i] = between(at.s, c0[i], d0[i], c1[i], d1[i]);
  }
  now.k = at.k;
  now.t = (real)at.k * T->h;
  now.share = ONE;
  now.y_d = y_d;
  now.c = c;
  now.next = next;
  now.along = at.s;
  return now;
}

// The law of a knot.

// the row of knot k
static const real *row(const table *t, int k) {
  int at = (k < t->rows) ? k : (t->rows - 1);
  if (at < 0) {
    at = 0;
  }
  return &t->x[at * t->cols];
}

// u within the limits of input i
static real limited(const tables *T, int i, real u) {
  real within = u;
  if (within > T->u_max[i]) {
    within = T->u_max[i];
  }
  if (within < T->u_min[i]) {
    within = T->u_min[i];
  }
  return within;
}

// compare the angles of y with y_d modulo 2 pi
static void unwind(const tables *T, const real *y_d, real *y) {
  int j;
  for (j = 0; j < T->ny; j++) {
    if (T->turns[j] != 0) {
      y[j] = unwound(y[j], y_d[j]);
    }
  }
}

// u = c - G (y - y_d), summed from the left; c if the sum is not finite
static void law(const tables *T, const real *G, const real *y_d, const real *c, const real *y,
                real *u) {
  int i;
  int j;
  for (i = 0; i < T->nu; i++) {
    real sum = c[i];
    for (j = 0; j < T->ny; j++) {
      real product = G[(i * T->ny) + j] * (y[j] - y_d[j]);
      sum = sum - product;
    }
    if (!finite_number(sum)) {
      sum = c[i];
    }
    u[i] = sum;
  }
}

#ifdef HAS_ORBITS
// the same with gains between those of two knots, at the fraction s
static void law_between(const tables *T, const real *G0, const real *G1, real s, const real *y_d,
                        const real *c, const real *y, real *u) {
  int i;
  int j;
  for (i = 0; i < T->nu; i++) {
    real sum = c[i];
    for (j = 0; j < T->ny; j++) {
      const int at = (i * T->ny) + j;
      real gain = G0[at] + (s * (G1[at] - G0[at]));
      real product = gain * (y[j] - y_d[j]);
      sum = sum - product;
    }
    if (!finite_number(sum)) {
      sum = c[i];
    }
    u[i] = sum;
  }
}
#endif

static void limit(const tables *T, real *u) {
  int i;
  for (i = 0; i < T->nu; i++) {
    u[i] = limited(T, i, u[i]);
  }
}

// The envelope: once left, the fallback acts until a new run.

// x'P x, P by rows up to the diagonal, off-diagonal entries doubled; whether all of x is finite
static _Bool cost_of(int n, const real *P, const real *y_d, const real *y, real *cost) {
  real sum = ZERO;
  int unknown = 0;
  int at = 0;
  int i;
  int j;
  for (i = 0; i < n; i++) {
    real part = ZERO;
    real off = ZERO;
    real product;
    for (j = 0; j <= i; j++) {
      off = y[j] - y_d[j];
      product = P[at + j] * off;
      part = part + product;
    }
    at = at + i + 1;
    if (!finite_number(off)) {
      unknown = 1;
    }
    product = part * off;
    sum = sum + product;
  }
  *cost = sum;
  return unknown == 0;
}

// u = -D v within limits, 0 where that is not finite
static void fall_back(const tables *T, const real *v, real *u) {
  int i;
  for (i = 0; i < T->nu; i++) {
    real brake = ZERO;
    if (T->brakes != 0) {
      brake = T->damping[i] * v[T->along[i]];
    }
    u[i] = limited(T, i, finite_number(brake) ? (ZERO - brake) : ZERO);
  }
}

// Whether the law is lost, now or before: then u is the fallback. v is measured.
static int watch(const tables *T, const memory *m, int k, const real *y_d, const real *y,
                 const real *v, real *u) {
  int i;
  for (i = 0; i < T->bounds; i++) {
    real off = y[i] - y_d[i];
    if (finite_number(off) && ((off > T->bound[i]) || (-off > T->bound[i]))) {
      *m->lost = 1;
    }
  }
  if (T->nm > 0) {
    real cost;
    const _Bool known = cost_of(T->nm, row(&T->P, k), y_d, y, &cost);
    if (known && !(cost <= *T->cost)) {
      *m->lost = 1;
    }
  }
  if (*m->lost != 0) {
    fall_back(T, v, u);
  }
  return *m->lost;
}

// The law by the path: the nearest of the next knots acts.

enum { MOST_KNOTS = 3 };

// how far y is from a knot
static real distance(const tables *T, int k, const real *y) {
  const real *y_d = row(&T->y_d, k);
  real sum = ZERO;
  int j;
  for (j = 0; j < T->follows; j++) {
    real off = y[j] - y_d[j];
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

// the knot after the last one, or, if nearer, another one up to MOST_KNOTS after the last
static int nearest(const tables *T, const memory *m, const real *y) {
  const int last = T->steps - 1;
  int from = (*m->knot < last) ? *m->knot : last;
  int to;
  int at;
  int j;
  real least;
  if (from < 0) {
    from = 0;
  }
  to = ((last - from) < MOST_KNOTS) ? last : (from + MOST_KNOTS);
  at = from;
  if ((*m->entered != 0) && (from < last)) {
    at = from + 1;
  }
  least = distance(T, at, y);
  for (j = from; j <= to; j++) {
    real d = distance(T, j, y);
    if (d < least) {
      least = d;
      at = j;
    }
  }
  *m->knot = at;
  *m->entered = 1;
  return at;
}

// Numbers: finiteness, and angles modulo 2 pi.

// neither infinite nor NaN
static _Bool finite_number(real x) {
  return (x - x) >= ZERO;
}

static void copy(int n, const real *from, real *to) {
  int i;
  for (i = 0; i < n; i++) {
    to[i] = from[i];
  }
}

// x minus the full revolutions by which it differs from y; beyond 1e6 revolutions it is unchanged
static real unwound(real x, real y) {
  const real off = ((x - y) * (real)0.15915494309189535) + (real)0.5;
  real least = x;
  if ((off > (real)-1e6) && (off < (real)1e6)) {
    int k = (int)off;
    if ((real)k > off) {
      k--;
    }
    least = x - ((real)k * (real)6.2831853071795862);
  }
  return least;
}

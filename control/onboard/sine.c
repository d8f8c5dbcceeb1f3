// Sine and cosine, with the same bits on every machine.

// the sine and cosine of x, |x| at most about pi/4 (polynomials of fdlibm)
static void small_turn(real x, real *sine, real *cosine) {
  const real z = x * x;
  real p = (real)1.58969099521155010221e-10;
  real r = (real)-1.13596475577881948265e-11;
  p = (z * p) + (real)-2.50507602534068634195e-08;
  p = (z * p) + (real)2.75573137070700676789e-06;
  p = (z * p) + (real)-1.98412698298579493134e-04;
  p = (z * p) + (real)8.33333333332248946124e-03;
  p = (z * p) + (real)-1.66666666666666324348e-01;
  *sine = x + ((x * z) * p);
  r = (z * r) + (real)2.08757232129817482790e-09;
  r = (z * r) + (real)-2.75573143513906633035e-07;
  r = (z * r) + (real)2.48015872894767294178e-05;
  r = (z * r) + (real)-1.38888888888741095749e-03;
  r = (z * r) + (real)4.16666666666666019037e-02;
  *cosine = ONE - (((real)0.5 * z) - ((z * z) * r));
}

// the sine and cosine of any x, reduced by quarter turns, whose number times the first two parts of
// pi/2 is exact; beyond 1e6 of them the sine is 0; NaN if x is not finite
static void turn(real x, real *sine, real *cosine) {
  const real quarters = (x * (real)0.63661977236758138) + (real)0.5;
  real s = x - x;
  real c = ONE - s;
  if ((quarters > (real)-1e6) && (quarters < (real)1e6)) {
    int k = (int)quarters;
    real y;
    real other;
    real minus;
    unsigned rest;
    if ((real)k > quarters) {
      k--;
    }
    y = x - ((real)k * (real)1.5703125);
    y = y - ((real)k * (real)4.837512969970703125e-4);
    y = y - ((real)k * (real)7.54978995489188216e-8);
    small_turn(y, &s, &c);
    other = -s;
    minus = -c;
    rest = (unsigned)k & 3U;
    if (rest == 1U) {
      s = c;
      c = other;
    } else if (rest == 2U) {
      s = other;
      c = minus;
    } else if (rest == 3U) {
      c = s;
      s = minus;
    } else {
      // no quarter is left
    }
  }
  *sine = s;
  *cosine = c;
}

// Friction of joints, smooth at rest, in a step with the mean speed v:
//
//   f = -B(v) (2/pi) atan(r v) - f0      B(v) = F + E exp(-(v/v_s)^2)

// a joint's numbers: h F, h E, 1/v_s, r, h f0
enum { OF_FRICTION = 5 };

// the arc tangent of x, with the same bits on every machine (polynomial of fdlibm), by
// atan x = atan c + atan((x - c)/(1 + c x))
static real arc_tangent(real x) {
  const real size = (x < ZERO) ? -x : x;
  real c = ZERO;
  real begin = ZERO;
  real over;
  real under;
  real z;
  real p = (real)1.62858201153657823623e-02;
  real angle;
  if (size > (real)0.4375) {
    c = (real)0.5;
    begin = (real)0.463647609000806093515;
  }
  if (size > (real)0.6875) {
    c = ONE;
    begin = (real)0.785398163397448278999;
  }
  if (size > (real)1.1875) {
    c = (real)1.5;
    begin = (real)0.982793723247329054082;
  }
  over = size - c;
  under = ONE + (c * size);
  if (size > (real)2.4375) {
    over = (real)-1;
    under = size;
    begin = (real)1.57079632679489655800;
  }
  over = over / under;
  z = over * over;
  p = (z * p) + (real)-3.65315727442169155270e-02;
  p = (z * p) + (real)4.97687799461593236017e-02;
  p = (z * p) + (real)-5.83357013379057348645e-02;
  p = (z * p) + (real)6.66107313738753120669e-02;
  p = (z * p) + (real)-7.69187620504482999495e-02;
  p = (z * p) + (real)9.09088713343650656196e-02;
  p = (z * p) + (real)-1.11111104054623557880e-01;
  p = (z * p) + (real)1.42857142725034663711e-01;
  p = (z * p) + (real)-1.99999999998764832476e-01;
  p = (z * p) + (real)3.33333333333329318027e-01;
  angle = begin + (over - ((over * z) * p));
  return (x < ZERO) ? -angle : angle;
}

// exp(-x) of x >= 0, the 128th power of exp(-x/128); 0 beyond 40
static real decay(real x) {
  real power = ZERO;
  int i;
  if (x < (real)40) {
    const real t = x * (real)0.0078125;
    power = ONE - (t * (ONE / (real)11));
    for (i = 0; i < 10; i++) {
      const int by = 10 - i;
      power = ONE - ((t * power) / (real)by);
    }
    for (i = 0; i < 7; i++) {
      power = power * power;
    }
  }
  return power;
}

// the impulse of friction i at the speed v, and its derivative by v
static real rub(const tree_tables *M, int i, real v, real *slope) {
  const real *c = &M->friction[OF_FRICTION * i];
  const real share = (real)0.63661977236758138;
  const real turned = c[3] * v;
  const real sign = share * arc_tangent(turned);
  const real sign_v = (share * c[3]) / (ONE + (turned * turned));
  real excess = ZERO;
  real most;
  real most_v = ZERO;
  if (c[1] > ZERO) {
    const real ratio = c[2] * v;
    excess = c[1] * decay(ratio * ratio);
    most_v = ((real)-2 * (c[2] * ratio)) * excess;
  }
  most = c[0] + excess;
  *slope = -((most * sign_v) + (most_v * sign));
  return -((most * sign) + c[4]);
}

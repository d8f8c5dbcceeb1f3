// Ball joints: a unit quaternion each, whose vector has the places of the joint's three coordinates in a
// position and whose scalar follows all coordinates. Small rotations th are about the axes of its body:
//
//   dq = q (0,th) / 2       p = vec(conj(q) p_q) / 2       W = 2 vec(conj(q) q_t)
//
// Of a step from q0 to q1 by the midpoint, with f = conj(q0) q1, f0 >= 0, and F the cross product by vec f:
//
//   W = (2/h) vec f     h dW = B1 th1 - B0 th0             B = f0 -+ F
//                       th = (C0 th0 + C1 th1) / 2         C = 1 -+ F / (1 + f0)
//
//   D1 = C0't - B0'p    D2 = C1't + B1'p       t: impulses of torques at the middle, p = L_W

// f [4] of ball b from q0 to q1, its scalar first
static void turn_between(const tree_tables *M, int b, const real *q0, const real *q1, real *f) {
  const int at = M->turned[b];
  const real w0 = q0[M->n + b];
  const real w1 = q1[M->n + b];
  real cross[3] = {ZERO, ZERO, ZERO};
  int i;
  add_cross(&q0[at], &q1[at], cross);
  f[0] = (w0 * w1) + dot(&q0[at], &q1[at]);
  for (i = 0; i < 3; i++) {
    f[1 + i] = ((w0 * q1[at + i]) - (w1 * q0[at + i])) - cross[i];
  }
  if (f[0] < ZERO) {
    for (i = 0; i < 4; i++) {
      f[i] = -f[i];
    }
  }
}

// e [n] of ball joints: 2 vec f from q0 to q1, which is h W of a step
static void turn_ways(const tree_tables *M, const real *q0, const real *q1, real *e) {
  int b;
  int i;
  for (b = 0; b < M->balls; b++) {
    real f[4];
    turn_between(M, b, q0, q1, f);
    for (i = 0; i < 3; i++) {
      e[M->turned[b] + i] = (real)2 * f[1 + i];
    }
  }
}

// the quaternion q of ball b becomes q r of unit length, r [4] with its scalar first; for |q| from 1/2 to 2
static void multiply_turn(const tree_tables *M, int b, const real *r, real *q) {
  const int at = M->turned[b];
  const real w = q[M->n + b];
  const real scalar = (w * r[0]) - dot(&q[at], &r[1]);
  real u[3] = {ZERO, ZERO, ZERO};
  real square;
  real by;
  int i;
  add_cross(&q[at], &r[1], u);
  for (i = 0; i < 3; i++) {
    u[i] = u[i] + ((w * r[1 + i]) + (r[0] * q[at + i]));
  }

  // 1 / length, from below: the mean of 1 and its square is above
  square = (scalar * scalar) + dot(u, u);
  by = (real)2 / (ONE + square);
  for (i = 0; i < 5; i++) {
    by = by * ((real)1.5 - (((real)0.5 * square) * (by * by)));
  }
  q[M->n + b] = by * scalar;
  for (i = 0; i < 3; i++) {
    q[at + i] = by * u[i];
  }
}

// positions q [n] at a point of a step, of ball joints: q1 has the sign nearer to q0
static void point_turns(const tree_tables *M, const real *c, const real *q0, const real *q1,
                        real *q) {
  int b;
  int i;
  for (b = 0; b < M->balls; b++) {
    const int at = M->turned[b];
    const int w = M->n + b;
    const real inner = (q0[w] * q1[w]) + dot(&q0[at], &q1[at]);
    const real share = (inner < ZERO) ? -c[1] : c[1];
    q[w] = (c[0] * q0[w]) + (share * q1[w]);
    for (i = 0; i < 3; i++) {
      q[at + i] = (c[0] * q0[at + i]) + (share * q1[at + i]);
    }
  }
}

// D1 and D2 of ball joints at the ends, from torques and -p, p at the middle
static void turn_ends(const tree_tables *M, const real *c, const real *q0, const real *q1,
                      const real *p, real *D1, real *D2) {
  int b;
  int i;
  for (b = 0; b < M->balls; b++) {
    const int at = M->turned[b];
    real f[4];
    real t0[3];
    real t1[3];
    real m[3];
    real turned0[3] = {ZERO, ZERO, ZERO};
    real turned1[3] = {ZERO, ZERO, ZERO};
    real turned[3] = {ZERO, ZERO, ZERO};
    real by;
    turn_between(M, b, q0, q1, f);
    by = ONE / (ONE + f[0]);
    for (i = 0; i < 3; i++) {
      m[i] = c[3] * p[at + i];
      t0[i] = D1[at + i] + m[i];
      t1[i] = D2[at + i] - m[i];
    }
    add_cross(&f[1], t0, turned0);
    add_cross(&f[1], t1, turned1);
    add_cross(&f[1], m, turned);
    for (i = 0; i < 3; i++) {
      D1[at + i] = (t0[i] + (by * turned0[i])) - ((f[0] * m[i]) + turned[i]);
      D2[at + i] = (t1[i] - (by * turned1[i])) + ((f[0] * m[i]) - turned[i]);
    }
  }
}

// the ball joints of x become places where x - x_d is the error 2 vec f from the position x_d
static void nearest_turns(const tree_tables *M, const real *x_d, real *x) {
  int b;
  int i;
  for (b = 0; b < M->balls; b++) {
    const int at = M->turned[b];
    real f[4];
    turn_between(M, b, x_d, x, f);
    for (i = 0; i < 3; i++) {
      x[at + i] = x_d[at + i] + ((real)2 * f[1 + i]);
    }
  }
}

// quaternions of a position whose length is not 1
static int count_broken_turns(const tree_tables *M, const real *q) {
  int broken = 0;
  int b;
  for (b = 0; b < M->balls; b++) {
    const real *u = &q[M->turned[b]];
    const real w = q[M->n + b];
    const real off = ((w * w) + dot(u, u)) - ONE;
    if (!((off < (real)0.01) && (off > (real)-0.01))) {
      broken++;
    }
  }
  return broken;
}

// Positions of a tree: coordinates, and quaternions of ball joints.

// the change dq [n] by which `move_position` leads from q0 to q1: of ball joints 4 vec f / (|f| + f0)
static void position_change(const tree_tables *M, const real *q0, const real *q1, real *dq) {
#ifdef HAS_BALLS
  int b;
#endif
  int i;
  for (i = 0; i < M->n; i++) {
    dq[i] = q1[i] - q0[i];
  }
#ifdef HAS_BALLS
  for (b = 0; b < M->balls; b++) {
    real f[4];
    real by;
    turn_between(M, b, q0, q1, f);
    by = (real)4 / (ONE + f[0]);
    for (i = 0; i < 3; i++) {
      dq[M->turned[b] + i] = by * f[1 + i];
    }
  }
#endif
}

// q moves by dq [n]
static void move_position(const tree_tables *M, const real *dq, real *q) {
  int from = 0;
  int i;
#ifdef HAS_BALLS
  int b;
  for (b = 0; b < M->balls; b++) {
    const int at = M->turned[b];
    const real *th = &dq[at];
    const real s = dot(th, th) * (real)0.0625;
    real r[4];
    r[0] = (ONE - s) / (ONE + s);
    for (i = 0; i < 3; i++) {
      r[1 + i] = (th[i] * (real)0.5) / (ONE + s);
    }
    for (i = from; i < at; i++) {
      q[i] = q[i] + dq[i];
    }
    multiply_turn(M, b, r, q);
    from = at + 3;
  }
#endif
  for (i = from; i < M->n; i++) {
    q[i] = q[i] + dq[i];
  }
}

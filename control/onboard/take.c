// Measured positions of a robot with ball joints, whose quaternions are (w, x, y, z) in the order of its
// coordinates; on board they are (z, x, y), and w after all coordinates.

// the numbers x [n + balls] of a position, or of its rates, become y in the order on board
static void take_order(const tree_tables *M, const real *x, real *y) {
  int from = 0;
  int b;
  int i;
  for (b = 0; b < M->balls; b++) {
    const int at = M->turned[b];
    const int out = at + b;
    for (i = from; i < at; i++) {
      y[i] = x[i + b];
    }
    y[M->n + b] = x[out];
    y[at] = x[out + 3];
    y[at + 1] = x[out + 1];
    y[at + 2] = x[out + 2];
    from = at + 3;
  }
  for (i = from; i < M->n; i++) {
    y[i] = x[i + M->balls];
  }
}

// a measured position x [n + balls], with quaternions of unit length
static void take_position(const tree_tables *M, const real *x, real *q) {
  const real none[4] = {ONE, ZERO, ZERO, ZERO};
  int b;
  take_order(M, x, q);
  for (b = 0; b < M->balls; b++) {
    multiply_turn(M, b, none, q);
  }
}

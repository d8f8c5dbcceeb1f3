// A reference by positions: momenta and inputs of the discrete map.
//
//   g_j: D2(q_j-1,q_j) + D1(q_j,q_j+1) + F g_j = 0       inputs that balance knot j, as far as they can
//   u_j = share0 g_j + share1 g_j+1                      of the step from knot j: second order
//   p_0 = -D1(q_0,q_1,u_0)    p_j = D2(q_j-1,q_j,u_j-1)
//
// After its last position it is at rest there.

// The inputs g [nu] that balance q0 to q1 to q2; room: 8 positions and OF_JOINT numbers for each joint.
static void balance_inputs(const tree_tables *M, const real *q0, const real *q1, const real *q2,
                           real *room, real *g) {
  const int n = M->n;
  real *force = room;
  real *other = &room[n];
  real *sum = &room[2 * n];
  int i;
  int j;
  for (i = 0; i < M->inputs; i++) {
    g[i] = ZERO;
  }
  impulses(M, q0, q1, g, &room[3 * n], other, sum);
  impulses(M, q1, q2, g, &room[3 * n], force, other);
  for (i = 0; i < n; i++) {
    sum[i] = sum[i] + force[i];
    other[i] = ZERO;
  }

  // inputs that drive one coordinate share its force by their gears
  for (i = 0; i < M->inputs; i++) {
    other[M->driven[i]] = other[M->driven[i]] + (M->impulse[i] * M->impulse[i]);
  }
  for (i = 0; i < M->inputs; i++) {
    j = M->driven[i];
    g[i] = (other[j] > ZERO) ? (-(sum[j] * M->impulse[i]) / other[j]) : ZERO;
  }
}

// y [(count + 1) 2n] and u [count nu] of `count` positions q [count n]; room as above
static void follow_positions(const tree_tables *M, int count, const real *q, real *room, real *y,
                             real *u) {
  const int n = M->n;
  const int nx = 2 * n;
  const int nu = M->inputs;
  const int last = count - 1;
  const real *end = &q[last * n];
  int i;
  int j;

  // 1. the inputs that balance each knot; those of the ends are as beside them
  for (j = 1; j < last; j++) {
    balance_inputs(M, &q[(j - 1) * n], &q[j * n], &q[(j + 1) * n], room, &u[j * nu]);
  }
  if (count > 2) {
    copy(nu, &u[nu], u);
    copy(nu, &u[(last - 1) * nu], &u[last * nu]);
  } else {
    balance_inputs(M, q, q, q, room, u);
    balance_inputs(M, end, end, end, room, &u[last * nu]);
  }

  // 2. those of steps, and momenta
  for (j = 0; j < last; j++) {
    for (i = 0; i < nu; i++) {
      u[(j * nu) + i] =
          (M->force_share[0] * u[(j * nu) + i]) + (M->force_share[1] * u[((j + 1) * nu) + i]);
    }
    copy(n, &q[j * n], &y[j * nx]);
    impulses(M, &q[j * n], &q[(j + 1) * n], &u[j * nu], &room[n], room, &y[((j + 1) * nx) + n]);
    for (i = 0; (j == 0) && (i < n); i++) {
      y[n + i] = -room[i];
    }
  }

  // 3. rest
  copy(n, end, &y[last * nx]);
  copy(n, end, &y[count * nx]);
  balance_inputs(M, end, end, end, room, &u[last * nu]);
  impulses(M, end, end, &u[last * nu], &room[n], room, &y[(count * nx) + n]);
  if (count == 1) {
    copy(n, &y[nx + n], &y[n]);
  }
}

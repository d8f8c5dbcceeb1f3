// A reference by positions: momenta and inputs of the discrete map.
//
//   g_j: r = D2(q_j-1,q_j) + D1(q_j,q_j+1) + F g_j      inputs that balance knot j, as far as they can
//   u_j = share0 g_j + share1 g_j+1                       of the step from knot j: second order
//   p_0 = -D1(q_0,q_1,u_0)    p_j = D2(q_j-1,q_j,u_j-1)
//
// Motors on joints leave no r at their coordinates; with forces on bodies, r'M^-1 r is least. If several g do, g'R g is least. After its last
// position it is at rest there.

// F and M of a knot at q: D1u [n nu], and in D11 the factors of M; g [nu] is 0, v and p [n] are scratch
static void find_forces(const tree_tables *M, const real *q, const real *g, const interval_room *w,
                        real *v, real *p) {
  const int n = M->n;
  real *joints = &w->bodies[8 * position_size(M)];
  int i;
  for (i = 0; i < n; i++) {
    v[i] = ZERO;
  }
  momenta(M, q, v, joints, p);
  curvatures(M, joints, w->bend, w->vv, w->vq, w->qq);
  load_slopes(M, g, joints, w->qq, w->D1u);
  for (i = 0; i < M->drives; i++) {
    const int at = (M->driven[i] * M->inputs) + i;
    w->D1u[at] = w->D1u[at] + M->impulse[i];
  }
  copy(n * n, w->vv, w->D11);
  (void)factorize(n, w->D11);
}

// D1 <- M^-1 x
static void divide_by_mass(int n, const interval_room *w, const real *x) {
  copy(n, x, w->D1);
  solve_factor(n, 1, w->D11, w->D1);
}

// F_i'y of input i, y in D1
static real along_input(const tree_tables *M, const interval_room *w, int i) {
  real sum = ZERO;
  int k;
  for (k = 0; k < M->n; k++) {
    sum = sum + (w->D1u[(k * M->inputs) + i] * w->D1[k]);
  }
  return sum;
}

// g [nu], 0 before, that makes r [n] + F g least in r'M^-1 r, by conjugate gradients relative to R: if several
// do, the one with the least g'R g. r is changed.
static void find_least_rest(const tree_tables *M, const real *R, const interval_room *w, real *r,
                            real *g) {
  const int n = M->n;
  const int nu = M->inputs;
  const int rounds = 2 * n; // n without rounding
  real *Fd = w->solved;
  real *d = &w->solved[n];
  real most = ZERO;
  real last = ONE;
  int round;
  int i;
  for (i = 0; i < nu; i++) {
    d[i] = ZERO;
  }
  for (round = 0; round < rounds; round++) {
    real size = ZERO;

    // 1. the slopes F'M^-1 r
    divide_by_mass(n, w, r);
    for (i = 0; i < nu; i++) {
      const real slope = along_input(M, w, i);
      size = size + ((slope * slope) / R[i]);
    }
    most = (round == 0) ? size : most;
    if (size > ((ROUNDING * ROUNDING) * most)) {
      // 2. a direction d that does not undo the last ones, and F d
      for (i = 0; i < nu; i++) {
        d[i] = (along_input(M, w, i) / R[i]) + ((size / last) * d[i]);
      }
      last = size;
      for (i = 0; i < n; i++) {
        Fd[i] = ZERO;
      }
      add_product(n, nu, w->D1u, d, Fd);

      // 3. to the least along it
      divide_by_mass(n, w, Fd);
      size = ZERO;
      add_rows(n, 1, 1, w->D1, Fd, &size);
      subtract(nu, last / size, d, g);
      subtract(n, last / size, Fd, r);
    }
  }
}

// Motors on joints: those that drive one coordinate share its r [n] with the least g'R g. sum [n] is scratch.
static void balance_drives(const tree_tables *M, const real *R, const real *r, real *sum, real *g) {
  int i;
  for (i = 0; i < M->n; i++) {
    sum[i] = ZERO;
  }
  for (i = 0; i < M->inputs; i++) {
    const int j = M->driven[i];
    sum[j] = sum[j] + ((M->impulse[i] * M->impulse[i]) / R[i]);
  }
  for (i = 0; i < M->inputs; i++) {
    const int j = M->driven[i];
    g[i] = (sum[j] > ZERO) ? (-(r[j] * (M->impulse[i] / R[i])) / sum[j]) : ZERO;
  }
}

// The inputs g [nu] that balance q0 to q1 to q2
static void balance_inputs(const tree_tables *M, const real *R, const real *q0, const real *q1,
                           const real *q2, const interval_room *w, real *g) {
  const int n = M->n;
  const int size = position_size(M);
  real *force = w->bodies;
  real *other = &w->bodies[size];
  real *r = &w->bodies[2 * size];
  real *room = &w->bodies[3 * size];
  int i;
  for (i = 0; i < M->inputs; i++) {
    g[i] = ZERO;
  }
  impulses(M, q0, q1, g, room, other, r);
  impulses(M, q1, q2, g, room, force, other);
  for (i = 0; i < n; i++) {
    r[i] = r[i] + force[i];
  }
  if (M->loads > 0) {
    find_forces(M, q1, g, w, force, other);
    find_least_rest(M, R, w, r, g);
  } else {
    balance_drives(M, R, r, other, g);
  }
}

// y [(count + 1) (places + n)] and u [count nu] of `count` positions q [count places], by the weights R [nu] of inputs
static void follow_positions(const tree_tables *M, const real *R, int count, const real *q,
                             const interval_room *w, real *y, real *u) {
  const int n = M->n;
  const int size = position_size(M);
  const int row = size + n;
  const int nu = M->inputs;
  const int last = count - 1;
  real *room = w->bodies;
  real *end = &y[last * row];
  real *rest = &y[count * row];
  int i;
  int j;

  // 1. positions on board
  for (j = 0; j < count; j++) {
#ifdef HAS_BALLS
    take_position(M, &q[j * size], &y[j * row]);
#else
    copy(n, &q[j * size], &y[j * row]);
#endif
  }
  copy(size, end, rest);

  // 2. the inputs that balance each knot; those of the ends are as beside them
  for (j = 1; j < last; j++) {
    balance_inputs(M, R, &y[(j - 1) * row], &y[j * row], &y[(j + 1) * row], w, &u[j * nu]);
  }
  if (count > 2) {
    copy(nu, &u[nu], u);
    copy(nu, &u[(last - 1) * nu], &u[last * nu]);
  } else {
    balance_inputs(M, R, y, y, y, w, u);
    balance_inputs(M, R, end, end, end, w, &u[last * nu]);
  }

  // 3. those of steps, and momenta
  for (j = 0; j < last; j++) {
    const real *q0 = &y[j * row];
    real *p0 = &y[(j * row) + size];
    for (i = 0; i < nu; i++) {
      u[(j * nu) + i] =
          (M->force_share[0] * u[(j * nu) + i]) + (M->force_share[1] * u[((j + 1) * nu) + i]);
    }
    impulses(M, q0, &q0[row], &u[j * nu], &room[size], room, &p0[row]);
    for (i = 0; (j == 0) && (i < n); i++) {
      p0[i] = -room[i];
    }
  }

  // 4. rest
  balance_inputs(M, R, end, end, end, w, &u[last * nu]);
  impulses(M, end, end, &u[last * nu], &room[size], room, &rest[size]);
  if (count == 1) {
    copy(n, &rest[size], &y[size]);
  }
}

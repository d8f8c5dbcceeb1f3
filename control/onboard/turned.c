// Derivatives of a step by both its ends, of a tree with ball joints: those at the middle, by th and h W,
// through the matrices B and C of ball.c, and those of these matrices themselves:
//
//   d vec f = (B1 th1 - B0 th0) / 2     d f0 = vec f.(th0 - th1) / 2

// the numbers of a ball joint: f, 1 / (1 + f0), then B and C of both ends
enum { OF_ENDS = 41, BY = 4, END_B = 5, END_C = 23 };

// F [9]: the cross product by a
static void cross_matrix(const real *a, real *F) {
  F[0] = ZERO;
  F[1] = -a[2];
  F[2] = a[1];
  F[3] = a[2];
  F[4] = ZERO;
  F[5] = -a[0];
  F[6] = -a[1];
  F[7] = a[0];
  F[8] = ZERO;
}

static void find_ends(const tree_tables *M, const real *q0, const real *q1, real *ends) {
  int b;
  int i;
  for (b = 0; b < M->balls; b++) {
    real *o = &ends[OF_ENDS * b];
    real F[9];
    turn_between(M, b, q0, q1, o);
    o[BY] = ONE / (ONE + o[0]);
    cross_matrix(&o[1], F);
    for (i = 0; i < 9; i++) {
      const real turned = o[BY] * F[i];
      const real one = ((i % 4) == 0) ? ONE : ZERO;
      o[END_B + i] = (o[0] * one) - F[i];
      o[(END_B + 9) + i] = (o[0] * one) + F[i];
      o[END_C + i] = one - turned;
      o[(END_C + 9) + i] = one + turned;
    }
  }
}

// the ball joint of coordinate i; -1: none
static int ball_of(const tree_tables *M, int i) {
  int of = -1;
  int b;
  for (b = 0; b < M->balls; b++) {
    const int part = i - M->turned[b];
    if ((part >= 0) && (part < 3)) {
      of = b;
    }
  }
  return of;
}

// x [3] A [9]
static void turn_row(const real *x, const real *A, real *y) {
  int i;
  for (i = 0; i < 3; i++) {
    y[i] = ((x[0] * A[i]) + (x[1] * A[3 + i])) + (x[2] * A[6 + i]);
  }
}

// x [n]: a quantity by q0 (end 0) or q1, from `a` by q, with this end's share of it, and `b` by h v
static void take_row_to_end(const tree_tables *M, const real *ends, int end, real share,
                            const real *a, const real *b, real *x) {
  const real sign = (end == 0) ? -ONE : ONE;
  int i;
  int k;
  for (i = 0; i < M->n; i++) {
    x[i] = (share * a[i]) + (sign * b[i]);
  }
  for (k = 0; k < M->balls; k++) {
    const real *o = &ends[OF_ENDS * k];
    const int at = M->turned[k];
    real by_q[3];
    real by_v[3];
    turn_row(&a[at], &o[END_C + (9 * end)], by_q);
    turn_row(&b[at], &o[END_B + (9 * end)], by_v);
    for (i = 0; i < 3; i++) {
      x[at + i] = (share * by_q[i]) + (sign * by_v[i]);
    }
  }
}

// row i at the middle, of torques t and momenta p, is added to D1 (side 0) or D2 (side 1) by an end
static void add_row(const tree_tables *M, const real *ends, int side, int i, const real *t,
                    const real *p, real *D) {
  const real sign = (side == 0) ? -ONE : ONE;
  const int b = ball_of(M, i);
  const int n = M->n;
  int j;
  int k;
  if (b < 0) {
    for (j = 0; j < n; j++) {
      D[(i * n) + j] = D[(i * n) + j] + (t[j] + (sign * p[j]));
    }
  } else {
    const real *C = &ends[(OF_ENDS * b) + END_C + (9 * side)];
    const real *B = &ends[(OF_ENDS * b) + END_B + (9 * side)];
    const int at = M->turned[b];
    const int part = 3 * (i - at);
    for (k = 0; k < 3; k++) {
      for (j = 0; j < n; j++) {
        const int to = ((at + k) * n) + j;
        D[to] = D[to] + ((C[part + k] * t[j]) + (sign * (B[part + k] * p[j])));
      }
    }
  }
}

// the derivatives at the middle, by th and h W, to those by both ends; f_q [n n] of loads
static void add_middle(const tree_tables *M, const real *c, const real *f_q,
                       const interval_room *w) {
  const int n = M->n;
  const real rate = *M->rate;
  real *a = &w->ends[OF_ENDS * M->balls];
  real *b = &a[n];
  real *t = &a[2 * n];
  real *p = &a[3 * n];
  int side;
  int end;
  int i;
  int j;
  for (side = 0; side < 2; side++) {
    const real of_L = (side == 0) ? c[2] : c[4];
    const real of_f = c[3] * M->force_share[side];
    for (i = 0; i < n; i++) {
      const _Bool turns = ball_of(M, i) >= 0;
      for (end = 0; end < 2; end++) {
        real *D = (side == 0) ? ((end == 0) ? w->D11 : w->D12) : ((end == 0) ? w->D21 : w->D22);
        for (j = 0; j < n; j++) {
          a[j] = (of_L * w->qq[(i * n) + j]) + (of_f * f_q[(i * n) + j]);
          b[j] = (of_L * rate) * w->vq[(j * n) + i];
        }
        if (turns) {
          b[i] = b[i] - (M->force_share[side] * M->damping[i]);
        }
        take_row_to_end(M, w->ends, end, c[end], a, b, t);
        for (j = 0; j < n; j++) {
          a[j] = c[3] * w->vq[(i * n) + j];
          b[j] = (c[3] * rate) * w->vv[(i * n) + j];
        }
        take_row_to_end(M, w->ends, end, c[end], a, b, p);
        add_row(M, w->ends, side, i, t, p, D);
      }
    }
  }
}

// D, the block of a ball joint, += scale times the derivative of vec f x t / (1 + f0) by one end
static void add_torque_turn(const real *o, int end, real scale, const real *t, int n, real *D) {
  const real half = (end == 0) ? (real)0.5 : (real)-0.5;
  const real *B = &o[END_B + (9 * end)];
  real T[9];
  real over[3] = {ZERO, ZERO, ZERO};
  real row[3];
  int i;
  int k;
  cross_matrix(t, T);
  add_cross(&o[1], t, over);
  for (i = 0; i < 3; i++) {
    turn_row(&T[3 * i], B, row);
    for (k = 0; k < 3; k++) {
      const real by = (o[BY] * row[k]) - (((o[BY] * o[BY]) * over[i]) * o[1 + k]);
      D[(i * n) + k] = D[(i * n) + k] + ((scale * half) * by);
    }
  }
}

// D += derivative of -B0'm (side 0) or B1'm (side 1) by one end
static void add_momentum_turn(const real *o, int side, int end, const real *m, int n, real *D) {
  const real half = (end == 0) ? (real)0.5 : (real)-0.5;
  const real sign = (side == 0) ? -ONE : ONE;
  const real *B = &o[END_B + (9 * end)];
  real T[9];
  real row[3];
  int i;
  int k;
  cross_matrix(m, T);
  for (i = 0; i < 3; i++) {
    turn_row(&T[3 * i], B, row);
    for (k = 0; k < 3; k++) {
      D[(i * n) + k] = D[(i * n) + k] + (half * ((sign * (m[i] * o[1 + k])) - row[k]));
    }
  }
}

// the columns of inputs of a ball joint's rows become C' of them
static void turn_inputs(const real *C, int nu, real *D) {
  int i;
  for (i = 0; i < nu; i++) {
    const real x = D[i];
    const real y = D[nu + i];
    const real z = D[(2 * nu) + i];
    int k;
    for (k = 0; k < 3; k++) {
      D[(k * nu) + i] = ((C[k] * x) + (C[3 + k] * y)) + (C[6 + k] * z);
    }
  }
}

// all derivatives of a step with one point, in its middle; p at it, D1 and D2 as before `turn_ends`
static void add_turned_slopes(const tree_tables *M, const real *c, const real *q0, const real *q1,
                              const real *u, const real *p, const real *D2,
                              const interval_room *w) {
  const int n = M->n;
  const int nu = M->inputs;
  const int columns = n * nu;
  const real *joints = &w->bodies[5 * position_size(M)];
  real *f_u = &w->solved[n * n];
  int b;
  int i;

  // 1. damping of ball joints and loads at the middle
  find_ends(M, q0, q1, w->ends);
  for (b = 0; b < M->balls; b++) {
    for (i = 0; i < 3; i++) {
      const int at = (M->turned[b] + i) * (n + 1);
      w->D11[at] = ZERO;
      w->D12[at] = ZERO;
      w->D21[at] = ZERO;
      w->D22[at] = ZERO;
    }
  }
  load_slopes(M, u, joints, w->solved, f_u);
  for (i = 0; i < columns; i++) {
    w->D1u[i] = w->D1u[i] + ((c[3] * M->force_share[0]) * f_u[i]);
    w->D2u[i] = w->D2u[i] + ((c[3] * M->force_share[1]) * f_u[i]);
  }

  // 2. to both ends
  add_middle(M, c, w->solved, w);

  // 3. the matrices' own
  for (b = 0; b < M->balls; b++) {
    const real *o = &w->ends[OF_ENDS * b];
    const int at = M->turned[b];
    const int to = at * (n + 1);
    real m[3];
    real t0[3];
    real t1[3];
    for (i = 0; i < 3; i++) {
      m[i] = c[3] * p[at + i];
      t0[i] = w->D1[at + i] + m[i];
      t1[i] = D2[at + i] - m[i];
    }
    add_torque_turn(o, 0, ONE, t0, n, &w->D11[to]);
    add_torque_turn(o, 1, ONE, t0, n, &w->D12[to]);
    add_torque_turn(o, 0, -ONE, t1, n, &w->D21[to]);
    add_torque_turn(o, 1, -ONE, t1, n, &w->D22[to]);
    add_momentum_turn(o, 0, 0, m, n, &w->D11[to]);
    add_momentum_turn(o, 0, 1, m, n, &w->D12[to]);
    add_momentum_turn(o, 1, 0, m, n, &w->D21[to]);
    add_momentum_turn(o, 1, 1, m, n, &w->D22[to]);
    turn_inputs(&o[END_C], nu, &w->D1u[at * nu]);
    turn_inputs(&o[END_C + 9], nu, &w->D2u[at * nu]);
  }
}

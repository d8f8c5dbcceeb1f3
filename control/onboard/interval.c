// A step of the discrete map from q0 to q1 under u, linearized where the step need not hold:
//
//   p0 + D1(q0,q1,u) = e    p1 = D2(q0,q1,u)
//
//   dx1 = A dx0 + B du + c    x = (q,p)    D12 (dq1) = -(D11 dq0 + dp0 + D1u du + e)

// derivatives of damping and of inputs that drive coordinates, split between both ends
static void share_slopes(const tree_tables *M, const interval_room *w) {
  const int n = M->n;
  const int entries = n * n;
  const int columns = n * M->inputs;
  int i;
  for (i = 0; i < entries; i++) {
    w->D11[i] = ZERO;
    w->D12[i] = ZERO;
    w->D21[i] = ZERO;
    w->D22[i] = ZERO;
  }
  for (i = 0; i < n; i++) {
    const int at = (i * n) + i;
    w->D11[at] = M->force_share[0] * M->damping[i];
    w->D12[at] = -w->D11[at];
    w->D21[at] = M->force_share[1] * M->damping[i];
    w->D22[at] = -w->D21[at];
  }
  for (i = 0; i < M->bonds; i++) {
    const int ends[2] = {(M->bond[2 * i] * n) + M->bond[(2 * i) + 1],
                         (M->bond[(2 * i) + 1] * n) + M->bond[2 * i]};
    int side;
    for (side = 0; side < 2; side++) {
      const int at = ends[side];
      w->D11[at] = w->D11[at] + (M->force_share[0] * M->bond_damping[i]);
      w->D12[at] = w->D12[at] - (M->force_share[0] * M->bond_damping[i]);
      w->D21[at] = w->D21[at] + (M->force_share[1] * M->bond_damping[i]);
      w->D22[at] = w->D22[at] - (M->force_share[1] * M->bond_damping[i]);
    }
  }
  for (i = 0; i < columns; i++) {
    w->D1u[i] = ZERO;
    w->D2u[i] = ZERO;
  }
  for (i = 0; i < M->drives; i++) {
    const int at = (M->driven[i] * M->inputs) + i;
    w->D1u[at] = M->force_share[0] * M->impulse[i];
    w->D2u[at] = M->force_share[1] * M->impulse[i];
  }
}

#ifdef HAS_JOINT_FRICTION
// derivatives of friction at the speeds v [n], split between both ends
static void share_friction_slopes(const tree_tables *M, const real *v, const interval_room *w) {
  int i;
  for (i = 0; i < M->frictions; i++) {
    const int at = M->friction_coord[i] * (M->n + 1);
    real slope;
    (void)rub(M, i, v[M->friction_coord[i]], &slope);
    slope = slope * *M->rate;
    w->D11[at] = w->D11[at] - (M->force_share[0] * slope);
    w->D12[at] = w->D12[at] + (M->force_share[0] * slope);
    w->D21[at] = w->D21[at] - (M->force_share[1] * slope);
    w->D22[at] = w->D22[at] + (M->force_share[1] * slope);
  }
}
#endif

// the share of a point of the rule, with r = 1/h
static void add_slopes(int n, const real *c, real r, const interval_room *w) {
  int i;
  int j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++) {
      const int at = (i * n) + j;
      const real p_by_v = r * w->vv[at];
      const real L_q_by_v = r * w->vq[(j * n) + i];
      const real p_by_0 = (c[0] * w->vq[at]) - p_by_v;
      const real p_by_1 = (c[1] * w->vq[at]) + p_by_v;
      const real L_q_by_0 = (c[0] * w->qq[at]) - L_q_by_v;
      const real L_q_by_1 = (c[1] * w->qq[at]) + L_q_by_v;
      w->D11[at] = w->D11[at] + ((c[2] * L_q_by_0) - (c[3] * p_by_0));
      w->D12[at] = w->D12[at] + ((c[2] * L_q_by_1) - (c[3] * p_by_1));
      w->D21[at] = w->D21[at] + ((c[4] * L_q_by_0) + (c[3] * p_by_0));
      w->D22[at] = w->D22[at] + ((c[4] * L_q_by_1) + (c[3] * p_by_1));
    }
  }
}

// derivatives of the loads at a point; `solved` is scratch
static void add_load_slopes(const tree_tables *M, const real *c, const real *u, const real *joints,
                            const interval_room *w) {
  const int entries = M->n * M->n;
  const int columns = M->n * M->inputs;
  const real left = c[3] * M->force_share[0];
  const real right = c[3] * M->force_share[1];
  const real *f_q = w->solved;
  const real *f_u = &w->solved[entries];
  int i;
  load_slopes(M, u, joints, w->solved, &w->solved[entries]);
  for (i = 0; i < entries; i++) {
    w->D11[i] = w->D11[i] + ((left * c[0]) * f_q[i]);
    w->D12[i] = w->D12[i] + ((left * c[1]) * f_q[i]);
    w->D21[i] = w->D21[i] + ((right * c[0]) * f_q[i]);
    w->D22[i] = w->D22[i] + ((right * c[1]) * f_q[i]);
  }
  for (i = 0; i < columns; i++) {
    w->D1u[i] = w->D1u[i] + (left * f_u[i]);
    w->D2u[i] = w->D2u[i] + (right * f_u[i]);
  }
}

// D1, D2 (into p1) and their derivatives
static void interval_slopes(const tree_tables *M, const real *q0, const real *q1, const real *u,
                            const interval_room *w, real *p1) {
  const int n = M->n;
  const int size = position_size(M);
  real *q = w->bodies;
  real *v = &w->bodies[size];
  real *f = &w->bodies[2 * size];
  real *p = &w->bodies[3 * size];
  real *L_q = &w->bodies[4 * size];
  real *joints = &w->bodies[5 * size];
  int s;
  share_forces(M, q0, q1, u, v, f, w->D1, p1);
  share_slopes(M, w);
#ifdef HAS_JOINT_FRICTION
  share_friction_slopes(M, v, w);
#endif
  for (s = 0; s < M->points; s++) {
    const real *c = &M->point[5 * s];
    point_between(M, c, q0, q1, q);
    momenta(M, q, v, joints, p);
    curvatures(M, joints, w->bend, w->vv, w->vq, w->qq);
    slopes(M, q, joints, L_q);
    add_point(n, c, p, L_q, w->D1, p1);
#ifdef HAS_BALLS
    if (M->balls > 0) {
      share_loads(M, c, u, joints, f, w->D1, p1);
      add_turned_slopes(M, c, q0, q1, u, p, p1, w);
      turn_ends(M, c, q0, q1, p, w->D1, p1);
    } else
#endif
    {
      add_slopes(n, c, *M->rate, w);
      if (M->loads > 0) {
        share_loads(M, c, u, joints, f, w->D1, p1);
        add_load_slopes(M, c, u, joints, w);
      }
    }
  }
}

// A [2n 2n], B [2n nu], c [2n] of the step from (q0,p0) to q1 under u, and p1 = D2 [n]
static void linearize(const tree_tables *M, const real *q0, const real *p0, const real *q1,
                      const real *u, const interval_room *w, real *A, real *B, real *c, real *p1) {
  const int n = M->n;
  const int nx = 2 * n;
  const int nu = M->inputs;
  const int m = (nx + nu) + 1;
  int i;
  int j;
  interval_slopes(M, q0, q1, u, w, p1);

  // dq1 = -D12^-1 (D11 dq0 + dp0 + D1u du + e)
  for (i = 0; i < n; i++) {
    real *by = &w->solved[i * m];
    for (j = 0; j < n; j++) {
      by[j] = -w->D11[(i * n) + j];
      by[n + j] = ZERO;
    }
    by[n + i] = -ONE;
    for (j = 0; j < nu; j++) {
      by[nx + j] = -w->D1u[(i * nu) + j];
    }
    by[nx + nu] = -(p0[i] + w->D1[i]);
  }

  // dp1 = D21 dq0 + D22 dq1 + D2u du
  for (i = 0; i < n; i++) {
    real *Ap = &A[(n + i) * nx];
    real *Bp = &B[(n + i) * nu];
    copy(n, &w->D21[i * n], Ap);
    for (j = 0; j < n; j++) {
      Ap[n + j] = ZERO;
    }
    copy(nu, &w->D2u[i * nu], Bp);
    c[n + i] = ZERO;
  }
  eliminate(nx, nu, w->D12, w->D22, w->solved, A, B, c);
}

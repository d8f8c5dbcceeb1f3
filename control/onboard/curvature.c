// Second derivatives of a tree's Lagrangian by q and v. With S_j the motion of joint j per unit of
// its value, V_j, h_j the motion of its body and the momentum of its subtree, I_j the inertia of
// that subtree, y gravity, and
//
//   a_j = V_j x S_j     b_j = y x S_j     g_i = I_i S_i     f_i = S_i x* h_i + I_i a_i
//
// for each joint j from i to the root:
//
//   L_vv ij = S_j.g_i          L_qq ij = a_j.f_i + b_j.g_i
//   dp_i/dq_j = a_j.g_i        dp_j/dq_i = S_j.f_i

// a joint in the working memory: inertia of its subtree, gravity in its frame
enum { OF_BEND = 13, FIELD = 10 };

// the 3 x 3 matrix m becomes R m R' of joint j
static void turn_matrix_out(const tree_tables *M, int j, const real *joint, real *m) {
  real half[9];
  real column[3];
  real turned[3];
  int i;
  int k;
  for (i = 0; i < 3; i++) {
    turn_out(M, j, joint, &m[3 * i], &half[3 * i]);
  }
  for (i = 0; i < 3; i++) {
    for (k = 0; k < 3; k++) {
      column[k] = half[(3 * k) + i];
    }
    turn_out(M, j, joint, column, turned);
    for (k = 0; k < 3; k++) {
      m[(3 * k) + i] = turned[k];
    }
  }
}

// the inertia I of the subtree of joint j is added to J, in its parent's frame
static void add_inertia(const tree_tables *M, int j, const real *joint, const real *I, real *J) {
  const real *r = &joint[ORIGIN];
  real m[9];
  real c[3];
  real size;
  m[0] = I[4];
  m[1] = I[5];
  m[2] = I[6];
  m[3] = I[5];
  m[4] = I[7];
  m[5] = I[8];
  m[6] = I[6];
  m[7] = I[8];
  m[8] = I[9];
  turn_out(M, j, joint, &I[1], c);
  turn_matrix_out(M, j, joint, m);

  // about the parent's origin, at -r
  size = (dot(c, r) * (real)2) + (I[0] * dot(r, r));
  J[0] = J[0] + I[0];
  J[1] = J[1] + (c[0] + (I[0] * r[0]));
  J[2] = J[2] + (c[1] + (I[0] * r[1]));
  J[3] = J[3] + (c[2] + (I[0] * r[2]));
  J[4] = J[4] + (m[0] + (size - (((real)2 * (c[0] * r[0])) + (I[0] * (r[0] * r[0])))));
  J[5] = J[5] + (m[1] - (((c[0] * r[1]) + (r[0] * c[1])) + (I[0] * (r[0] * r[1]))));
  J[6] = J[6] + (m[2] - (((c[0] * r[2]) + (r[0] * c[2])) + (I[0] * (r[0] * r[2]))));
  J[7] = J[7] + (m[4] + (size - (((real)2 * (c[1] * r[1])) + (I[0] * (r[1] * r[1])))));
  J[8] = J[8] + (m[5] - (((c[1] * r[2]) + (r[1] * c[2])) + (I[0] * (r[1] * r[2]))));
  J[9] = J[9] + (m[8] + (size - (((real)2 * (c[2] * r[2])) + (I[0] * (r[2] * r[2])))));
}

// inertias of subtrees, tip to root; gravity in the joints' frames, root to tip
static void sum_inertias(const tree_tables *M, const real *room, real *bend) {
  int j;
  int k;
  for (j = 0; j < M->joints; j++) {
    const int up = M->parent[j];
    copy(10, &M->body[10 * j], &bend[OF_BEND * j]);
    turn_in(M, j, &room[OF_JOINT * j], (up < 0) ? M->gravity : &bend[(OF_BEND * up) + FIELD],
            &bend[(OF_BEND * j) + FIELD]);
  }
  for (k = 1; k <= M->joints; k++) {
    j = M->joints - k;
    if (M->parent[j] >= 0) {
      add_inertia(M, j, &room[OF_JOINT * j], &bend[OF_BEND * j], &bend[OF_BEND * M->parent[j]]);
    }
  }
}

// a.S of a motion or momentum a, for the motion S of joint j
static real along_joint(const tree_tables *M, int j, int part, const real *a) {
  return a[own_entry(M, j, part)];
}

#ifdef HAS_BALLS
// c: the vector a x e of the axis e
static void cross_axis(int e, const real *a, real *c) {
  const int next = (e + 1) % 3;
  const int last = (e + 2) % 3;
  c[e] = ZERO;
  c[next] = a[last];
  c[last] = -a[next];
}

// U x S of the motion U before ball joint j, with V after it, for rotation about its axis e
static void cross_ball(const tree_tables *M, int j, int e, const real *room, real *a) {
  real W[3];
  motion_before(M, j, room, W);
  cross_axis(e, W, a);
  cross_axis(e, &room[(OF_JOINT * j) + MOTION + 3], &a[3]);
}
#endif

// V x S of the motion V of joint j, for its own motion S
static void cross_joint(const tree_tables *M, int j, const real *V, real *a) {
  a[0] = ZERO;
  a[1] = ZERO;
  a[2] = ZERO;
  a[5] = ZERO;
  if (M->slides[j] != 0) {
    a[3] = V[1];
    a[4] = -V[0];
  } else {
    a[0] = V[1];
    a[1] = -V[0];
    a[3] = V[4];
    a[4] = -V[3];
  }
}

// S x* h of a momentum h, for the motion S of joint j, is added to f
static void add_joint_cross(const tree_tables *M, int j, int part, const real *h, real *f) {
#ifdef HAS_BALLS
  if (M->ball[j] != 0) {
    const int next = (part + 1) % 3;
    const int last = (part + 2) % 3;
    f[next] = f[next] - h[last];
    f[last] = f[last] + h[next];
    f[3 + next] = f[3 + next] - h[3 + last];
    f[3 + last] = f[3 + last] + h[3 + next];
  } else
#else
  (void)part;
#endif
      if (M->slides[j] != 0) {
    f[0] = f[0] - h[4];
    f[1] = f[1] + h[3];
  } else {
    f[0] = f[0] - h[1];
    f[1] = f[1] + h[0];
    f[3] = f[3] - h[4];
    f[4] = f[4] + h[3];
  }
}

static real dot6(const real *a, const real *b) {
  return dot(a, b) + dot(&a[3], &b[3]);
}

// V_j x S and y x S of joint j, for its own motion S
static void cross_own(const tree_tables *M, int j, int part, const real *room, const real *y,
                      real *a, real *b) {
#ifdef HAS_BALLS
  if (M->ball[j] != 0) {
    cross_ball(M, j, part, room, a);
    cross_axis(part, y, b);
    cross_axis(part, &y[3], &b[3]);
  } else
#else
  (void)part;
#endif
  {
    cross_joint(M, j, &room[(OF_JOINT * j) + MOTION], a);
    cross_joint(M, j, y, b);
  }
}

// the entries of joint i, about its axis `part`, with the joints from it to the root
static void bend_joint(const tree_tables *M, int i, int part, const real *room, const real *bend,
                       real *vv, real *vq, real *qq) {
  const int n = M->n;
  const int to = M->coord[i] + part;
  const real *own = &room[OF_JOINT * i];
  real S[6];
  real a[6];
  real b[6];
  real y[6];
  real g[6];
  real f[6];
  int j;
  int k;
  for (k = 0; k < 6; k++) {
    S[k] = ZERO;
    y[k] = ZERO;
  }
  S[own_entry(M, i, part)] = ONE;
  cross_own(M, i, part, room, y, a, b);
  momentum_of(&bend[OF_BEND * i], S, g);
  momentum_of(&bend[OF_BEND * i], a, f);
  add_joint_cross(M, i, part, &own[IMPULSE], f);

  j = i;
  for (k = 0; (j >= 0) && (k <= i); k++) {
    const int parts = parts_of(M, j);
    const real *joint = &room[OF_JOINT * j];
    const real ratio = M->ratio[i] * M->ratio[j];
    int r;
    copy(3, &bend[(OF_BEND * j) + FIELD], &y[3]);
    for (r = 0; r < parts; r++) {
      const int at = M->coord[j] + r;
      const real of_v = ratio * along_joint(M, j, r, g);
      const real of_f = ratio * along_joint(M, j, r, f);
      real of_q;
      cross_own(M, j, r, room, y, a, b);
      of_q = ratio * (dot6(a, f) + dot6(b, g));
      vv[(to * n) + at] = vv[(to * n) + at] + of_v;
      vq[(to * n) + at] = vq[(to * n) + at] + (ratio * dot6(a, g));
      qq[(to * n) + at] = qq[(to * n) + at] + of_q;
      if (j != i) {
        vv[(at * n) + to] = vv[(at * n) + to] + of_v;
        vq[(at * n) + to] = vq[(at * n) + to] + of_f;
        qq[(at * n) + to] = qq[(at * n) + to] + of_q;
      }
    }
    carry_out(M, j, joint, g);
    carry_out(M, j, joint, f);
    j = M->parent[j];
  }
}

// L_vv, dp/dq and L_qq [n n], after `momenta` has filled room; bend: 13 numbers for each joint
static void curvatures(const tree_tables *M, const real *room, real *bend, real *vv, real *vq,
                       real *qq) {
  const int n = M->n;
  const int entries = n * n;
  int i;
  int r;
  for (i = 0; i < entries; i++) {
    vv[i] = ZERO;
    vq[i] = ZERO;
    qq[i] = ZERO;
  }
  sum_inertias(M, room, bend);
  for (i = 0; i < M->joints; i++) {
    const int parts = parts_of(M, i);
    for (r = 0; r < parts; r++) {
      bend_joint(M, i, r, room, bend, vv, vq, qq);
    }
  }
  for (i = 0; i < n; i++) {
    vv[(i * n) + i] = vv[(i * n) + i] + M->armature[i];
    qq[(i * n) + i] = qq[(i * n) + i] - M->stiffness[i];
  }
  for (i = 0; i < M->bonds; i++) {
    const int a = M->bond[2 * i];
    const int b = M->bond[(2 * i) + 1];
    qq[(a * n) + b] = qq[(a * n) + b] - M->bond_stiffness[i];
    qq[(b * n) + a] = qq[(b * n) + a] - M->bond_stiffness[i];
  }
  for (i = 0; i < M->ties; i++) {
    const int a = M->tie[2 * i];
    const int b = M->tie[(2 * i) + 1];
    vv[(a * n) + b] = vv[(a * n) + b] + M->tie_inertia[i];
    vv[(b * n) + a] = vv[(b * n) + a] + M->tie_inertia[i];
  }
}

// f_q [n n] of the wrench W of joint i's frame as this joint turns it, about its axis `part`
static void add_load_turn(const tree_tables *M, int i, int part, real scale, const real *W,
                          const real *room, real *f_q) {
  const int to = M->coord[i] + part;
  real turned[6];
  int j;
  int k;
  int r;
  for (r = 0; r < 6; r++) {
    turned[r] = ZERO;
  }
  add_joint_cross(M, i, part, W, turned);
  carry_out(M, i, &room[OF_JOINT * i], turned);
  j = M->parent[i];
  for (k = 0; (j >= 0) && (k < M->joints); k++) {
    const int parts = parts_of(M, j);
    for (r = 0; r < parts; r++) {
      const int at = ((M->coord[j] + r) * M->n) + to;
      f_q[at] = f_q[at] + (scale * ((M->ratio[i] * M->ratio[j]) * along_joint(M, j, r, turned)));
    }
    carry_out(M, j, &room[OF_JOINT * j], turned);
    j = M->parent[j];
  }
}

// The loads under u at a point: derivatives f_q [n n] by coordinates and f_u [n inputs] by inputs. A
// joint i at or below j turns the wrench W of a load: df_j/dq_i = S_j.(S_i x* W).
static void load_slopes(const tree_tables *M, const real *u, const real *room, real *f_q,
                        real *f_u) {
  const int n = M->n;
  const int nu = M->inputs;
  int entries = n * n;
  int l;
  int k;
  int i;
  int part;
  for (i = 0; i < entries; i++) {
    f_q[i] = ZERO;
  }
  entries = n * nu;
  for (i = 0; i < entries; i++) {
    f_u[i] = ZERO;
  }
  for (l = 0; l < M->loads; l++) {
    const int input = M->load_input[l];
    const real scale = (input < 0) ? ONE : u[input];
    _Bool faced = 0;
    real W[6];
#ifdef HAS_FACED_LOADS
    faced = M->load_faced[l] != 0;
    if (faced) {
      add_faced_slopes(M, l, scale, room, f_q);
    }
#endif
    take_wrench(M, l, room, W);
    i = M->load_joint[l];
    for (k = 0; (i >= 0) && (k < M->joints); k++) {
      const int parts = parts_of(M, i);
      for (part = 0; part < parts; part++) {
        const int to = M->coord[i] + part;
        if (input >= 0) {
          const int at = (to * nu) + input;
          f_u[at] = f_u[at] + (M->ratio[i] * along_joint(M, i, part, W));
        }
        if (!faced) {
          add_load_turn(M, i, part, scale, W, room, f_q);
        }
      }
      carry_out(M, i, &room[OF_JOINT * i], W);
      i = M->parent[i];
    }
  }
}

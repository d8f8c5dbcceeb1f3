// The momenta of a tree, by a recursion over its joints in their own frames:
//
//   V_j = R'(V_p + w_p x r) + S v_j                                root to tip
//   h_j = I_j V_j + sum over children, in j's frame                tip to root
//   p_i = sum of ratio_j S_j.h_j over the joints of i, + armature_i v_i

// a joint in the working memory: cosine, sine, origin, angular and linear velocity, momentum
enum { OF_JOINT = 17, ORIGIN = 2, MOTION = 5, IMPULSE = 11 };

// the entry of a motion or a momentum that is a joint's own: about z, or along it
static int own_entry(const tree_tables *M, int j) {
  int entry = 2;
  if (M->slides[j] != 0) {
    entry = 5;
  }
  return entry;
}

static real dot(const real *a, const real *b) {
  return ((a[0] * b[0]) + (a[1] * b[1])) + (a[2] * b[2]);
}

// c <- c + a x b
static void add_cross(const real *a, const real *b, real *c) {
  c[0] = c[0] + ((a[1] * b[2]) - (a[2] * b[1]));
  c[1] = c[1] + ((a[2] * b[0]) - (a[0] * b[2]));
  c[2] = c[2] + ((a[0] * b[1]) - (a[1] * b[0]));
}

// b: the vector a of the parent's frame in the frame of joint j
static void turn_in(const tree_tables *M, int j, const real *joint, const real *a, real *b) {
  const real *E = &M->offset[12 * j];
  const real x = dot(E, a);
  const real y = dot(&E[3], a);
  b[0] = (joint[0] * x) + (joint[1] * y);
  b[1] = (joint[0] * y) - (joint[1] * x);
  b[2] = dot(&E[6], a);
}

// b: the vector a of the frame of joint j in the parent's frame
static void turn_out(const tree_tables *M, int j, const real *joint, const real *a, real *b) {
  const real *E = &M->offset[12 * j];
  const real x = (joint[0] * a[0]) - (joint[1] * a[1]);
  const real y = (joint[1] * a[0]) + (joint[0] * a[1]);
  int i;
  for (i = 0; i < 3; i++) {
    b[i] = ((x * E[i]) + (y * E[3 + i])) + (a[2] * E[6 + i]);
  }
}

// the frame of joint j at q
static void place_joint(const tree_tables *M, int j, const real *q, real *joint) {
  const real *E = &M->offset[12 * j];
  const real at = (M->ratio[j] * q[M->coord[j]]) + M->shift[j];
  int i;
  copy(3, &E[9], &joint[ORIGIN]);
  joint[0] = ONE;
  joint[1] = ZERO;
  if (M->slides[j] != 0) {
    for (i = 0; i < 3; i++) {
      joint[ORIGIN + i] = joint[ORIGIN + i] + (at * E[6 + i]);
    }
  } else {
    turn(at, &joint[1], &joint[0]);
  }
}

// h: the momentum of a body with inertia I that moves by V: I w + c x v, and m v + w x c
static void momentum_of(const real *I, const real *V, real *h) {
  int i;
  for (i = 3; i < 6; i++) {
    h[i] = I[0] * V[i];
  }
  h[0] = ((I[4] * V[0]) + (I[5] * V[1])) + (I[6] * V[2]);
  h[1] = ((I[5] * V[0]) + (I[7] * V[1])) + (I[8] * V[2]);
  h[2] = ((I[6] * V[0]) + (I[8] * V[1])) + (I[9] * V[2]);
  add_cross(&I[1], &V[3], h);
  add_cross(V, &I[1], &h[3]);
}

// root to tip: the frames, the motions of joints, the momenta of single bodies
static void move_bodies(const tree_tables *M, const real *q, const real *v, real *room) {
  int j;
  int i;
  for (j = 0; j < M->joints; j++) {
    real *joint = &room[OF_JOINT * j];
    real *V = &joint[MOTION];
    real *h = &joint[IMPULSE];
    const real *I = &M->body[10 * j];
    const int up = M->parent[j];
    place_joint(M, j, q, joint);

    // the parent's motion at the joint, and the joint's own
    for (i = 0; i < 6; i++) {
      V[i] = ZERO;
    }
    if (up >= 0) {
      const real *of = &room[(OF_JOINT * up) + MOTION];
      real at[3];
      copy(3, &of[3], at);
      add_cross(of, &joint[ORIGIN], at);
      turn_in(M, j, joint, of, V);
      turn_in(M, j, joint, at, &V[3]);
    }
    i = own_entry(M, j);
    V[i] = V[i] + (M->ratio[j] * v[M->coord[j]]);

    momentum_of(I, V, h);
  }
}

// tip to root: momenta, or forces, of subtrees, and the share of each joint in y [n] of its
// coordinate
static void sum_subtrees(const tree_tables *M, real *room, real *y) {
  int k;
  int i;
  for (k = 1; k <= M->joints; k++) {
    const int j = M->joints - k;
    const real *joint = &room[OF_JOINT * j];
    const real *h = &joint[IMPULSE];
    const int up = M->parent[j];
    y[M->coord[j]] = y[M->coord[j]] + (M->ratio[j] * h[own_entry(M, j)]);
    if (up >= 0) {
      real *to = &room[(OF_JOINT * up) + IMPULSE];
      real at[6];
      turn_out(M, j, joint, h, at);
      turn_out(M, j, joint, &h[3], &at[3]);
      add_cross(&joint[ORIGIN], &at[3], at);
      for (i = 0; i < 6; i++) {
        to[i] = to[i] + at[i];
      }
    }
  }
}

// p [n] of q and v; room: 17 numbers for each joint. The momentum of a kinematic coordinate is its
// velocity.
static void momenta(const tree_tables *M, const real *q, const real *v, real *room, real *p) {
  int i;
  move_bodies(M, q, v, room);
  for (i = 0; i < M->n; i++) {
    p[i] = M->armature[i] * v[i];
  }
  for (i = 0; i < M->ties; i++) {
    const int a = M->tie[2 * i];
    const int b = M->tie[(2 * i) + 1];
    p[a] = p[a] + (M->tie_inertia[i] * v[b]);
    p[b] = p[b] + (M->tie_inertia[i] * v[a]);
  }
  sum_subtrees(M, room, p);
  for (i = 0; i < M->n; i++) {
    if (M->kinematic[i] != 0) {
      p[i] = v[i];
    }
  }
}

// The momenta of a tree, by a recursion over its joints in their own frames:
//
//   V_j = R'(V_p + w_p x r) + S v_j                                root to tip
//   h_j = I_j V_j + sum over children, in j's frame                tip to root
//   p_i = sum of ratio_j S_j.h_j over the joints of i, + armature_i v_i

// a joint in the working memory: cosine and sine, or the quaternion q and 2 / |q|^2; origin, angular and
// linear velocity, momentum
#ifdef HAS_BALLS
enum { OF_JOINT = 20, ORIGIN = 5, MOTION = 8, IMPULSE = 14 };
#else
enum { OF_JOINT = 17, ORIGIN = 2, MOTION = 5, IMPULSE = 11 };
#endif

// the coordinates of joint j
static int parts_of(const tree_tables *M, int j) {
#ifdef HAS_BALLS
  return (M->ball[j] != 0) ? 3 : 1;
#else
  (void)M;
  (void)j;
  return 1;
#endif
}

// the entry of a motion or a momentum that is a joint's own: about z, or along it; of a ball joint, about
// axis `part`
static int own_entry(const tree_tables *M, int j, int part) {
  int entry = 2;
  if (M->slides[j] != 0) {
    entry = 5;
  }
#ifdef HAS_BALLS
  if (M->ball[j] != 0) {
    entry = part;
  }
#else
  (void)part;
#endif
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

#ifdef HAS_BALLS
// b = a + (2 / |q|^2) (w u x a + u x (u x a)), with w = `scalar` and u of the quaternion of a ball joint
static void turn_ball(const real *joint, real scalar, const real *a, real *b) {
  const real *u = &joint[1];
  real once[3] = {ZERO, ZERO, ZERO};
  real twice[3] = {ZERO, ZERO, ZERO};
  int i;
  add_cross(u, a, once);
  add_cross(u, once, twice);
  for (i = 0; i < 3; i++) {
    b[i] = a[i] + (joint[4] * ((scalar * once[i]) + twice[i]));
  }
}
#endif

// b: the vector a of the parent's frame in the frame of joint j
static void turn_in(const tree_tables *M, int j, const real *joint, const real *a, real *b) {
  const real *E = &M->offset[12 * j];
  const real x = dot(E, a);
  const real y = dot(&E[3], a);
#ifdef HAS_BALLS
  if (M->ball[j] != 0) {
    real at[3];
    at[0] = x;
    at[1] = y;
    at[2] = dot(&E[6], a);
    turn_ball(joint, -joint[0], at, b);
  } else
#endif
  {
    b[0] = (joint[0] * x) + (joint[1] * y);
    b[1] = (joint[0] * y) - (joint[1] * x);
    b[2] = dot(&E[6], a);
  }
}

// b: the vector a of the frame of joint j in the parent's frame
static void turn_out(const tree_tables *M, int j, const real *joint, const real *a, real *b) {
  const real *E = &M->offset[12 * j];
  real x = (joint[0] * a[0]) - (joint[1] * a[1]);
  real y = (joint[1] * a[0]) + (joint[0] * a[1]);
  real z = a[2];
  int i;
#ifdef HAS_BALLS
  if (M->ball[j] != 0) {
    real at[3];
    turn_ball(joint, joint[0], a, at);
    x = at[0];
    y = at[1];
    z = at[2];
  }
#endif
  for (i = 0; i < 3; i++) {
    b[i] = ((x * E[i]) + (y * E[3 + i])) + (z * E[6 + i]);
  }
}

// the frame of joint j at q
static void place_joint(const tree_tables *M, int j, const real *q, real *joint) {
  const real *E = &M->offset[12 * j];
  const int from = M->coord[j];
  const real at = (M->ratio[j] * q[from]) + M->shift[j];
  int i;
  copy(3, &E[9], &joint[ORIGIN]);
  joint[0] = ONE;
  joint[1] = ZERO;
  if (M->slides[j] != 0) {
    for (i = 0; i < 3; i++) {
      joint[ORIGIN + i] = joint[ORIGIN + i] + (at * E[6 + i]);
    }
  } else {
#ifdef HAS_BALLS
    if (M->ball[j] != 0) {
      const real w = q[M->n + (M->ball[j] - 1)];
      joint[0] = w;
      copy(3, &q[from], &joint[1]);
      joint[4] = (real)2 / ((w * w) + dot(&q[from], &q[from]));
    } else
#endif
    {
      turn(at, &joint[1], &joint[0]);
    }
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
    const int parts = parts_of(M, j);
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
    for (i = 0; i < parts; i++) {
      const int entry = own_entry(M, j, i);
      V[entry] = V[entry] + (M->ratio[j] * v[M->coord[j] + i]);
    }

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
    const int parts = parts_of(M, j);
    for (i = 0; i < parts; i++) {
      const int to = M->coord[j] + i;
      y[to] = y[to] + (M->ratio[j] * h[own_entry(M, j, i)]);
    }
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

// p [n] of q and v; room: OF_JOINT numbers for each joint. The momentum of a kinematic coordinate is its
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

// Forces on bodies: a moment about the joint's origin and a force, in its frame, times an input. They are
// fixed to the body, or their directions to the world (faced.c).

// the moment and the force h of joint j's frame in its parent's
static inline void carry_out(const tree_tables *M, int j, const real *joint, real *h) {
  real at[6];
  turn_out(M, j, joint, h, at);
  turn_out(M, j, joint, &h[3], &at[3]);
  add_cross(&joint[ORIGIN], &at[3], at);
  copy(6, at, h);
}

// W [6] of load i, in the frame of its joint
static void take_wrench(const tree_tables *M, int i, const real *room, real *W) {
#ifdef HAS_FACED_LOADS
  if (M->load_faced[i] != 0) {
    face_load(M, i, room, W);
    add_cross(&M->load_point[3 * i], &W[3], W);
  } else
#else
  (void)room;
#endif
  {
    copy(6, &M->wrench[6 * i], W);
  }
}

// f [n] += scale times the wrench of load i at all joints from its own to the root
static void add_load(const tree_tables *M, int i, real scale, const real *room, real *f) {
  real W[6];
  int j = M->load_joint[i];
  int k;
  take_wrench(M, i, room, W);
  for (k = 0; (j >= 0) && (k < M->joints); k++) {
    const int parts = parts_of(M, j);
    int part;
    for (part = 0; part < parts; part++) {
      const int to = M->coord[j] + part;
      real share = M->ratio[j] * W[own_entry(M, j, part)];
      share = share * scale;
      f[to] = f[to] + share;
    }
    carry_out(M, j, &room[OF_JOINT * j], W);
    j = M->parent[j];
  }
}

// the impulses of loads at a point with the weight c[3], split between both ends, after `momenta`; f [n]
// is scratch
static void share_loads(const tree_tables *M, const real *c, const real *u, const real *room,
                        real *f, real *D1, real *D2) {
  int i;
  for (i = 0; i < M->n; i++) {
    f[i] = ZERO;
  }
  for (i = 0; i < M->loads; i++) {
    const int input = M->load_input[i];
    add_load(M, i, (input < 0) ? ONE : u[input], room, f);
  }
  for (i = 0; i < M->n; i++) {
    real product = (c[3] * M->force_share[0]) * f[i];
    D1[i] = D1[i] + product;
    product = (c[3] * M->force_share[1]) * f[i];
    D2[i] = D2[i] + product;
  }
}

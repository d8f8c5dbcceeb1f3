// Parts of D1 and D2 of a step of the discrete map, of a tree with damping, joint springs and inputs.

// numbers of a position
static int position_size(const tree_tables *M) {
#ifdef HAS_BALLS
  return M->n + M->balls;
#else
  return M->n;
#endif
}

#ifdef HAS_BALLS
// W [3]: the rate of the parent's rotation, in the frame of joint j
static void motion_before(const tree_tables *M, int j, const real *room, real *W) {
  const int up = M->parent[j];
  int i;
  if (up < 0) {
    for (i = 0; i < 3; i++) {
      W[i] = ZERO;
    }
  } else {
    turn_in(M, j, &room[OF_JOINT * j], &room[(OF_JOINT * up) + MOTION], W);
  }
}
#endif

// L_q [n] of q after its momenta: ratio (V x S).h of each joint with the momentum h of its subtree,
// then weights and springs
static void slopes(const tree_tables *M, const real *q, real *room, real *L_q) {
  int i;
  int j;
  for (i = 0; i < M->n; i++) {
    L_q[i] = M->preload[i] - (M->stiffness[i] * q[i]);
  }
  for (i = 0; i < M->bonds; i++) {
    const int a = M->bond[2 * i];
    const int b = M->bond[(2 * i) + 1];
    L_q[a] = L_q[a] - (M->bond_stiffness[i] * q[b]);
    L_q[b] = L_q[b] - (M->bond_stiffness[i] * q[a]);
  }
  for (j = 0; j < M->joints; j++) {
    const real *V = &room[(OF_JOINT * j) + MOTION];
    const real *h = &V[IMPULSE - MOTION];
    real *to = &L_q[M->coord[j]];
    real turned;
#ifdef HAS_BALLS
    if (M->ball[j] != 0) {
      real W[3];
      motion_before(M, j, room, W);
      add_cross(h, W, to);
      add_cross(&h[3], &V[3], to);
    } else
#endif
    {
      if (M->slides[j] != 0) {
        turned = (V[1] * h[3]) - (V[0] * h[4]);
      } else {
        turned = ((V[1] * h[0]) - (V[0] * h[1])) + ((V[4] * h[3]) - (V[3] * h[4]));
      }
      *to = *to + (M->ratio[j] * turned);
    }
  }

  // gravity in the joints' frames, root to tip; then the moment and the force of each body
  for (j = 0; j < M->joints; j++) {
    real *joint = &room[OF_JOINT * j];
    const int up = M->parent[j];
    turn_in(M, j, joint, (up < 0) ? M->gravity : &room[(OF_JOINT * up) + IMPULSE + 3],
            &joint[IMPULSE + 3]);
  }
  for (j = 0; j < M->joints; j++) {
    const real *I = &M->body[10 * j];
    real *h = &room[(OF_JOINT * j) + IMPULSE];
    for (i = 0; i < 3; i++) {
      h[i] = ZERO;
    }
    add_cross(&I[1], &h[3], h);
    for (i = 3; i < 6; i++) {
      h[i] = I[0] * h[i];
    }
  }
  sum_subtrees(M, room, L_q);
}

// e [n] of q1 from q0: 2 vec f of ball joints
static void position_error(const tree_tables *M, const real *q0, const real *q1, real *e) {
  int i;
  for (i = 0; i < M->n; i++) {
    e[i] = q1[i] - q0[i];
  }
#ifdef HAS_BALLS
  turn_ways(M, q0, q1, e);
#endif
}

// v [n] from q0 to q1, and h f of damping, friction and inputs, split between both ends; f [n] is scratch
static void share_forces(const tree_tables *M, const real *q0, const real *q1, const real *u,
                         real *v, real *f, real *D1, real *D2) {
  const int n = M->n;
  real product;
  int i;
  position_error(M, q0, q1, v);
  for (i = 0; i < n; i++) {
    product = M->damping[i] * v[i];
    f[i] = -product;
  }
  for (i = 0; i < M->bonds; i++) {
    const int a = M->bond[2 * i];
    const int b = M->bond[(2 * i) + 1];
    product = M->bond_damping[i] * v[b];
    f[a] = f[a] - product;
    product = M->bond_damping[i] * v[a];
    f[b] = f[b] - product;
  }
  for (i = 0; i < n; i++) {
    v[i] = v[i] * *M->rate;
  }
#ifdef HAS_JOINT_FRICTION
  for (i = 0; i < M->frictions; i++) {
    const int j = M->friction_coord[i];
    f[j] = f[j] + rub(M, i, v[j], &product);
  }
#endif
  for (i = 0; i < M->drives; i++) {
    product = M->impulse[i] * u[i];
    f[M->driven[i]] = f[M->driven[i]] + product;
  }
  for (i = 0; i < n; i++) {
    D1[i] = M->force_share[0] * f[i];
    D2[i] = M->force_share[1] * f[i];
  }
}

// q at the point of the rule with the shares and weights c
static void point_between(const tree_tables *M, const real *c, const real *q0, const real *q1,
                          real *q) {
  real product;
  int i;
  for (i = 0; i < M->n; i++) {
    q[i] = c[0] * q0[i];
    product = c[1] * q1[i];
    q[i] = q[i] + product;
  }
#ifdef HAS_BALLS
  point_turns(M, c, q0, q1, q);
#endif
}

// the share of a point with L_v = p and L_q [n]
static void add_point(int n, const real *c, const real *p, const real *L_q, real *D1, real *D2) {
  real product;
  int i;
  for (i = 0; i < n; i++) {
    product = c[2] * L_q[i];
    D1[i] = D1[i] + product;
    product = c[3] * p[i];
    D1[i] = D1[i] - product;
    D2[i] = D2[i] + product;
    product = c[4] * L_q[i];
    D2[i] = D2[i] + product;
  }
}

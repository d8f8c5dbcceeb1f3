// Derivatives of forces that keep their directions in the world (faced.c). With the point x, the force F
// and the moment T in the frame of joint i, and x_i = S_i x the motion of x: for each joint j from i to
// the root
//
//   df_j/dq_i = S_j.(x_i x F)      df_i/dq_j = S_j.(x_i x F + S_i x T)  if j is another one
//
// Of a ball joint's own axes a, b: df_a/dth_b = S_a.(x_b x F - S_b x (x x F + T)).

// c = e x a of an axis e
static void cross_unit(int e, const real *a, real *c) {
  const int next = (e + 1) % 3;
  const int last = (e + 2) % 3;
  c[e] = ZERO;
  c[next] = -a[last];
  c[last] = a[next];
}

// the moment m becomes one of the parent of joint j
static void turn_moment(const tree_tables *M, int j, const real *room, real *m) {
  real up[3];
  turn_out(M, j, &room[OF_JOINT * j], m, up);
  copy(3, up, m);
}

// f_q [n n] as joint i moves about its axis `part`, or along it; x and W = (T, F) in its frame
static void add_faced_turn(const tree_tables *M, int i, int part, real scale, const real *x,
                           const real *W, const real *room, real *f_q) {
  const int n = M->n;
  const int to = M->coord[i] + part;
  const int own = own_entry(M, i, part);
  real way[3] = {ZERO, ZERO, ZERO};
  real moved[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
  real held[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
  int j = i;
  int k;
  int r;
  if (own < 3) {
    cross_unit(own, x, way);
    cross_unit(own, W, held);
  } else {
    way[own - 3] = ONE;
  }
  add_cross(way, &W[3], moved);
  for (k = 0; (j >= 0) && (k < M->joints); k++) {
    const int parts = parts_of(M, j);
    for (r = 0; r < parts; r++) {
      const int at = M->coord[j] + r;
      const int entry = own_entry(M, j, r);
      const real share = scale * (M->ratio[i] * M->ratio[j]);
      f_q[(at * n) + to] = f_q[(at * n) + to] + (share * moved[entry]);
      if (j != i) {
        f_q[(to * n) + at] = f_q[(to * n) + at] + (share * (moved[entry] + held[entry]));
      }
    }
    turn_moment(M, j, room, moved);
    turn_moment(M, j, room, held);
    j = M->parent[j];
  }
#ifdef HAS_BALLS
  if (M->ball[i] != 0) {
    real m[3];
    real turned[3];
    copy(3, W, m);
    add_cross(x, &W[3], m);
    cross_unit(part, m, turned);
    for (r = 0; r < 3; r++) {
      const int at = ((M->coord[i] + r) * n) + to;
      f_q[at] = f_q[at] - (scale * turned[r]);
    }
  }
#endif
}

// f_q [n n] += the derivatives of load l, times `scale`
static void add_faced_slopes(const tree_tables *M, int l, real scale, const real *room, real *f_q) {
  real x[3];
  real W[6];
  real up[3];
  int i = M->load_joint[l];
  int k;
  int part;
  copy(3, &M->load_point[3 * l], x);
  face_load(M, l, room, W);
  for (k = 0; (i >= 0) && (k < M->joints); k++) {
    const real *joint = &room[OF_JOINT * i];
    const int parts = parts_of(M, i);
    for (part = 0; part < parts; part++) {
      add_faced_turn(M, i, part, scale, x, W, room, f_q);
    }
    turn_moment(M, i, room, W);
    turn_moment(M, i, room, &W[3]);
    turn_out(M, i, joint, x, up);
    for (part = 0; part < 3; part++) {
      x[part] = joint[ORIGIN + part] + up[part];
    }
    i = M->parent[i];
  }
}

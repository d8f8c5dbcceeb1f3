// Forces and moments on a body that keep their directions in the world, as wind and weights do.

// W [6]: the moment and the force of load l in the frame of its joint, without the moment of its point
static void face_load(const tree_tables *M, int l, const real *room, real *W) {
  const real *of = &M->wrench[6 * l];
  int i;
  int k;
  for (i = 0; i < 3; i++) {
    int j = M->load_joint[l];
    real axis[3] = {ZERO, ZERO, ZERO};
    real up[3];
    axis[i] = ONE;
    for (k = 0; (j >= 0) && (k < M->joints); k++) {
      turn_out(M, j, &room[OF_JOINT * j], axis, up);
      copy(3, up, axis);
      j = M->parent[j];
    }
    W[i] = dot(axis, of);
    W[3 + i] = dot(axis, &of[3]);
  }
}

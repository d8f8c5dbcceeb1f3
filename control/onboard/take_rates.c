// Measured momenta, or velocities, of a robot with ball joints.

// v [n] at the position q on board, from x [n + balls] of all coordinates: of ball joints `scale`
// vec(conj(q) x). room: n + balls numbers
static void take_rates(const tree_tables *M, real scale, const real *q, const real *x, real *room,
                       real *v) {
  int b;
  int i;
  take_order(M, x, room);
  copy(M->n, room, v);
  for (b = 0; b < M->balls; b++) {
    const int at = M->turned[b];
    real cross[3] = {ZERO, ZERO, ZERO};
    add_cross(&q[at], &room[at], cross);
    for (i = 0; i < 3; i++) {
      v[at + i] =
          scale * (((q[M->n + b] * room[at + i]) - (room[M->n + b] * q[at + i])) - cross[i]);
    }
  }
}

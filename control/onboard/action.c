// D1 and D2 of a step of the discrete map, its derivatives by both ends.

// D1 and D2 [n] from q0 to q1 under u [nu]; room: 5 positions and OF_JOINT for each joint
static void impulses(const tree_tables *M, const real *q0, const real *q1, const real *u,
                     real *room, real *D1, real *D2) {
  const int n = position_size(M);
  real *q = room;
  real *v = &room[n];
  real *p = &room[3 * n];
  real *L_q = &room[4 * n];
  int s;
  share_forces(M, q0, q1, u, v, &room[2 * n], D1, D2);
  for (s = 0; s < M->points; s++) {
    const real *c = &M->point[5 * s];
    point_between(M, c, q0, q1, q);
    momenta(M, q, v, &room[5 * n], p);
    slopes(M, q, &room[5 * n], L_q);
    add_point(M->n, c, p, L_q, D1, D2);
    if (M->loads > 0) {
      share_loads(M, c, u, &room[5 * n], &room[2 * n], D1, D2);
    }
#ifdef HAS_BALLS
    turn_ends(M, c, q0, q1, p, D1, D2);
#endif
  }
}

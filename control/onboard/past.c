// p from two measurements a step apart: D2 of that step.

// p [nq] at time `then`, from q, q a step before and the forces between [nu]; in the first step that
// of the plan, y_d [ny]. room: 7 positions and OF_JOINT numbers for each joint
static void past_momentum(const tables *T, real then, const real *y_d, const real *q,
                          const real *before, const real *force, real *room, real *p) {
  const int n = position_size(T->tree);
  int i;
  if (then < (T->h - (ROUNDING * T->h))) {
    copy(T->nq, &y_d[n], p);
  } else {
    for (i = 0; i < n; i++) {
      room[i] = (T->turns[i] != 0) ? unwound(before[i], q[i]) : before[i];
    }
    impulses(T->tree, room, q, force, &room[2 * n], &room[n], p);
  }
}

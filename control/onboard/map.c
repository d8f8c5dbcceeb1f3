// A filter's prediction by a step of the discrete map:
//
//   q1 <- q1 + S (p0 + D1(q0,q1,u))     ROUNDS times, from the linear prediction
//   p1 = D2(q0,q1,u)                    S = dq1/dp0, of the plan's A

enum { ROUNDS = 8 };

// r = p0 + D1, and D2; returns the size of r
static real residual(const tree_tables *M, const real *x, const real *q1, const real *u, real *room,
                     real *r, real *D2) {
  real size = ZERO;
  int i;
  impulses(M, x, q1, u, room, r, D2);
  for (i = 0; i < M->n; i++) {
    r[i] = x[M->n + i] + r[i];
    size = size + ((r[i] < ZERO) ? -r[i] : r[i]);
  }
  return size;
}

// x1, the linear prediction of the step from x under u, becomes the step of the map, unless the
// rounds do not reduce the residual; room: 8 n numbers and OF_JOINT for each joint
static void map_step(const tree_tables *M, const real *x, const real *u, const real *A, real *room,
                     real *x1) {
  const int n = M->n;
  real *q1 = room;
  real *r = &room[n];
  real *D2 = &room[2 * n];
  real first;
  real size;
  int i;
  int j;
  int round;
  copy(n, x1, q1);
  first = residual(M, x, q1, u, &room[3 * n], r, D2);
  size = first;
  for (round = 0; round < ROUNDS; round++) {
    for (i = 0; i < n; i++) {
      for (j = 0; j < n; j++) {
        real product = A[(i * 2 * n) + n + j] * r[j];
        q1[i] = q1[i] + product;
      }
    }
    size = residual(M, x, q1, u, &room[3 * n], r, D2);
  }
  if (size <= first) {
    copy(n, q1, x1);
    copy(n, D2, &x1[n]);
  }
}

// next in: the linear prediction of step k, out: that of the map under u; acts [nu], x [nx] are
// scratch
static void predict_by_map(const tables *T, const memory *m, int k, const real *u, real *acts,
                           const filter_room *w, real *x) {
  const int last = T->steps - 1;
  const real *y_d = row(&T->y_d, k);
  const real *x_d = row(&T->y_d, ((k < last) ? ((k < 0) ? 0 : k) : last) + 1);
  int i;
  int j;
  for (i = 0; i < T->nx; i++) {
    x[i] = y_d[i] + m->z[i];
    w->x1[i] = x_d[i] + w->next[i];
  }
  copy(T->nu, u, acts);
  for (j = 0; j < T->nd; j++) {
    acts[T->disturbed[j]] = acts[T->disturbed[j]] + m->z[T->nx + j];
  }
  map_step(T->tree, x, acts, row(&T->A, k), w->map, w->x1);
  for (i = 0; i < T->nx; i++) {
    w->next[i] = w->x1[i] - x_d[i];
  }
}

// The problem of a horizon, as a linear-quadratic one with inputs held at their bounds:
//
//   minimize  sum over stages ((off + dx)'Q (off + dx) + (u_off + du)'R (u_off + du)) / 2
//             + (off_H + dx_H)'P (off_H + dx_H) / 2        dx_j+1 = A dx_j + B du_j + c
//
// Outputs add their cost (track.c). A coordinate beyond its bound costs soft (q - bound)^2 / 2, and
// likewise the mean speed of a step, (q1 - q0) / h, which is linear in dx of both its ends.
//
// Backward: gains of free inputs,
// du = -(K dx + k); for a held input K dx + k is the slope of the cost by it. Forward: dx, du. Both
// are repeated until no bound is crossed and every slope pushes against its bound: an active-set
// method that changes all of them at once, and from the middle of its sweeps on only the first. If the
// sweeps are used up, inputs are cut to their bounds, and the next call begins with the wanted marks.

// working memory of a backward sweep
typedef struct {
  real *P;    // [nx nx]
  real *s;    // [nx]
  real *next; // [nx nx] P of the stage before
  real *PA;   // [nx nx]
  real *PB;   // [nx nu]
  real *X;    // [nu nx] cost by du and dx
  real *H;    // [nu nu] by du twice
  real *LD;   // [nu nu] its factors, without held inputs
  real *y;    // [nu] by du
  // [(stages + 3) / 4, nx (nx + 3) / 2] s and the lower triangle of P of each fourth stage
  real *kept;
} sweep_room;

// the stages from one whose cost is kept to the next
enum { APART = 4 };

// the cost of stage j's own state is added to its second derivative P and slope s
static void add_state_cost(const horizon_tables *W, const horizon *o, int j, real *P, real *s) {
  const real *Q = row(&W->Q, *o->knot + j);
  const real *off = &o->off[j * W->nx];
  const int entries = W->nx * W->nx;
  int i;
  for (i = 0; i < entries; i++) {
    P[i] = P[i] + Q[i];
  }
  add_product(W->nx, W->nx, Q, off, s);
}

// bounds of coordinates that stage j's state is beyond
static void add_soft_bounds(const horizon_tables *W, const horizon *o, int j, real *P, real *s) {
  const int n = W->softs;
  int i;
  for (i = 0; i < n; i++) {
    const int beyond = o->beyond[(j * n) + i];
    if (beyond != 0) {
      const real bound = (beyond > 0) ? W->q_max[i] : W->q_min[i];
      P[(i * W->nx) + i] = P[(i * W->nx) + i] + W->soft[i];
      s[i] = s[i] + (W->soft[i] * (o->q[(j * W->places) + i] - bound));
    }
  }
}

// outputs that it tracks, at stage j
static void add_outputs(const tables *T, const horizon_tables *W, const horizon *o, int j, real *P,
                        real *s) {
#ifdef HAS_TRACKS
  const int rows = W->track.rows;
  add_track_cost(T->nq, &W->track, &o->track_e[j * rows], &o->track_D[j * rows * T->nq], P, s);
#else
  (void)T;
  (void)W;
  (void)o;
  (void)j;
  (void)P;
  (void)s;
#endif
}

// how far the speed of coordinate i in step j of the motion is beyond its bound, times h
static real excess_way(const tables *T, const horizon_tables *W, const horizon *o, int j, int i) {
  const int n = W->speeds;
  const real bound = (o->fast[(j * n) + i] > 0) ? W->v_max[i] : -W->v_max[i];
  return (o->q[((j + 1) * W->places) + i] - o->q[(j * W->places) + i]) - (bound * T->h);
}

// second derivative, by q of either end of a step, of the cost of a speed beyond its bound
static real speed_weight(const tables *T, const horizon_tables *W, int i) {
  return (W->soft_v[i] * T->rate) * T->rate;
}

// speeds of step j that are beyond their bounds, by dx of its end: before the step is eliminated
static void add_speed_ends(const tables *T, const horizon_tables *W, const horizon *o, int j,
                           real *P, real *s) {
  int i;
  for (i = 0; i < W->speeds; i++) {
    if (o->fast[(j * W->speeds) + i] != 0) {
      const real weight = speed_weight(T, W, i);
      P[(i * W->nx) + i] = P[(i * W->nx) + i] + weight;
      s[i] = s[i] + (weight * excess_way(T, W, o, j, i));
    }
  }
}

// their products with dx of its start, in X: by du and dx
static void add_speed_inputs(const tables *T, const horizon_tables *W, const horizon *o, int j,
                             real *X) {
  int i;
  int r;
  for (i = 0; i < W->speeds; i++) {
    if (o->fast[(j * W->speeds) + i] != 0) {
      const real weight = speed_weight(T, W, i);
      const real *B = &o->B[((j * W->nx) + i) * T->nu];
      for (r = 0; r < T->nu; r++) {
        X[(r * W->nx) + i] = X[(r * W->nx) + i] - (weight * B[r]);
      }
    }
  }
}

// the same by dx alone, in the symmetric P and in s
static void add_speed_starts(const tables *T, const horizon_tables *W, const horizon *o, int j,
                             real *P, real *s) {
  const int nx = W->nx;
  int i;
  int l;
  for (i = 0; i < W->speeds; i++) {
    if (o->fast[(j * W->speeds) + i] != 0) {
      const real weight = speed_weight(T, W, i);
      const real *A = &o->A[((j * nx) + i) * nx];
      for (l = 0; l < nx; l++) {
        P[(i * nx) + l] = P[(i * nx) + l] - (weight * A[l]);
        P[(l * nx) + i] = P[(l * nx) + i] - (weight * A[l]);
      }
      P[(i * nx) + i] = P[(i * nx) + i] + weight;
      s[i] = s[i] - (weight * (excess_way(T, W, o, j, i) + o->c[(j * nx) + i]));
    }
  }
}

// the largest input i of stage j, for `side` -1 the smallest: within its limits, then the torque-speed line of
// its motor at the mean speed of the step in the motion
static real bound_of_input(const tables *T, const horizon_tables *W, const horizon *o, int j, int i,
                           int side) {
  real u = (side > 0) ? T->u_max[i] : T->u_min[i];
#ifdef HAS_MOTORS
  if (T->lines > 0) {
    const real *q = &o->q[(j * W->places) + T->moved[i]];
    const real stall = (side > 0) ? T->stall[i] : -T->stall[i];
    const real edge = stall - (T->slope[i] * ((q[W->places] - q[0]) * T->rate));
    if ((side > 0) ? (edge < u) : (edge > u)) {
      u = limited(T, i, edge);
    }
  }
#else
  (void)W;
  (void)o;
  (void)j;
#endif
  return u;
}

// du of a held input of stage j
static real held_step(const tables *T, const horizon_tables *W, const horizon *o, int j, int i) {
  const int at = (j * T->nu) + i;
  return bound_of_input(T, W, o, j, i, o->held[at]) - o->u[at];
}

// K [nu nx], k [nu] of stage j from X, H, y; w->X, w->y are overwritten
static _Bool solve_stage(const tables *T, const horizon_tables *W, const horizon *o, int j,
                         const sweep_room *w) {
  const int nu = T->nu;
  const int nx = W->nx;
  real *K = &o->K[j * nu * nx];
  real *k = &o->k[j * nu];
  _Bool positive;
  int i;
  int l;
  copy(nu * nu, w->H, w->LD);
  copy(nu * nx, w->X, K);
  copy(nu, w->y, k);
  for (i = 0; i < nu; i++) {
    if (o->held[(j * nu) + i] != 0) {
      const real step = held_step(T, W, o, j, i);
      for (l = 0; l < nu; l++) {
        if (o->held[(j * nu) + l] == 0) {
          k[l] = k[l] + (w->H[(l * nu) + i] * step);
        }
        w->LD[(l * nu) + i] = ZERO;
        w->LD[(i * nu) + l] = ZERO;
      }
      w->LD[(i * nu) + i] = ONE;
      for (l = 0; l < nx; l++) {
        K[(i * nx) + l] = ZERO;
      }
      k[i] = -step;
    }
  }
  positive = solve_gains(nx, nu, w->LD, K, k);
  return positive;
}

// of held inputs, K and k become the slope of the cost
static void find_slopes(const tables *T, const horizon_tables *W, const horizon *o, int j,
                        const sweep_room *w) {
  const int nu = T->nu;
  const int nx = W->nx;
  real *K = &o->K[j * nu * nx];
  real *k = &o->k[j * nu];
  int i;
  int l;
  for (i = 0; i < nu; i++) {
    if (o->held[(j * nu) + i] != 0) {
      for (l = 0; l < nu; l++) {
        w->y[i] = w->y[i] - (w->H[(i * nu) + l] * k[l]);
        if (o->held[(j * nu) + l] == 0) {
          subtract(nx, w->H[(i * nu) + l], &K[l * nx], &w->X[i * nx]);
        }
      }
    }
  }
  for (i = 0; i < nu; i++) {
    if (o->held[(j * nu) + i] != 0) {
      copy(nx, &w->X[i * nx], &K[i * nx]);
      k[i] = w->y[i];
    }
  }
}

// one stage, from P and s of the next one
static _Bool sweep_stage(const tables *T, const horizon_tables *W, const horizon *o, int j,
                         const sweep_room *w) {
  const int nx = W->nx;
  const int nu = T->nu;
  const real *A = &o->A[j * nx * nx];
  const real *B = &o->B[j * nx * nu];
  const real *c = &o->c[j * nx];
  const real *K = &o->K[j * nu * nx];
  const real *k = &o->k[j * nu];
  const real *u_off = &o->u_off[j * nu];
  _Bool positive;
  int i;
  int r;

  // 1. the slope after the step's constant, the products
  add_speed_ends(T, W, o, j, w->P, w->s);
  add_product(nx, nx, w->P, c, w->s);
  form_products(nx, nu, w->P, A, B, w->PA, w->PB, w->next, w->X, w->H);
  times_transposed(nx, nu, 1, B, w->s, w->y);
  add_speed_inputs(T, W, o, j, w->X);
  for (i = 0; i < nu; i++) {
    w->H[(i * nu) + i] = w->H[(i * nu) + i] + W->R[i];
    w->y[i] = w->y[i] + (W->R[i] * u_off[i]);
  }

  // 2. the gains
  positive = solve_stage(T, W, o, j, w);

  // 3. P <- A'PA - X'K (K of held inputs is 0), s <- A's - X'k
  close_stage(nx, nu, w->X, K, w->next, w->P);
  times_transposed(nx, nx, 1, A, w->s, w->PA);
  copy(nx, w->PA, w->s);
  for (r = 0; r < nu; r++) {
    for (i = 0; i < nx; i++) {
      w->s[i] = w->s[i] - (w->X[(r * nx) + i] * k[r]);
    }
  }
  add_speed_starts(T, W, o, j, w->P, w->s);
  add_state_cost(W, o, j, w->P, w->s);
  add_outputs(T, W, o, j, w->P, w->s);
  if (j > 0) {
    add_soft_bounds(W, o, j, w->P, w->s);
  }

  // 4. slopes of held inputs
  find_slopes(T, W, o, j, w);
  return positive;
}

// P and s of a stage, a multiple of APART, are kept; or they are taken from there
static void keep_cost(int nx, int stage, const sweep_room *w) {
  real *at = &w->kept[((stage / APART) * (nx * (nx + 3))) / 2];
  int i;
  copy(nx, w->s, at);
  at = &at[nx];
  for (i = 0; i < nx; i++) {
    copy(i + 1, &w->P[i * nx], at);
    at = &at[i + 1];
  }
}

static void take_cost(int nx, int stage, const sweep_room *w) {
  const real *at = &w->kept[((stage / APART) * (nx * (nx + 3))) / 2];
  int i;
  int l;
  copy(nx, at, w->s);
  at = &at[nx];
  for (i = 0; i < nx; i++) {
    for (l = 0; l <= i; l++) {
      w->P[(i * nx) + l] = at[l];
      w->P[(l * nx) + i] = at[l];
    }
    at = &at[i + 1];
  }
}

// P and s at the end of the horizon; a row of the table has P whole, or its lower triangle
static void end_cost(const tables *T, const horizon_tables *W, const horizon *o,
                     const sweep_room *w) {
  const int nx = W->nx;
  const int end = *o->stages;
  const int whole = (W->P.cols == (nx * nx)) ? 1 : 0;
  const real *from = row(&W->P, *o->knot + end);
  int i;
  int l;
  for (i = 0; i < nx; i++) {
    for (l = 0; l <= i; l++) {
      w->P[(i * nx) + l] = from[l];
      w->P[(l * nx) + i] = from[l];
    }
    w->s[i] = ZERO;
    from = &from[(whole != 0) ? nx : (i + 1)];
  }
  add_product(nx, nx, w->P, &o->off[end * nx], w->s);
  add_outputs(T, W, o, end, w->P, w->s);
  add_soft_bounds(W, o, end, w->P, w->s);
}

// The gains of the stages before `from`, or of a few more: the last sweep's cost is taken up where it
// was kept. 0 if the cost of a stage has no minimum.
static _Bool sweep_back(const tables *T, const horizon_tables *W, const horizon *o, int from,
                        const sweep_room *w) {
  const int start = ((from + (APART - 1)) / APART) * APART;
  int end = *o->stages;
  int indefinite = 0;
  int j;
  if (start < end) {
    end = start;
    take_cost(W->nx, start, w);
  } else {
    end_cost(T, W, o, w);
  }
  for (j = 1; j <= end; j++) {
    const int stage = end - j;
    if (!sweep_stage(T, W, o, stage, w)) {
      indefinite++;
    }
    if ((stage % APART) == 0) {
      keep_cost(W->nx, stage, w);
    }
  }
  return indefinite == 0;
}

// how an input should be held: as it is, at a bound that it crosses, or no longer at one from which
// its slope leads away
static int wanted_hold(const tables *T, const horizon_tables *W, const horizon *o, int j, int i) {
  const int at = (j * T->nu) + i;
  const real u = o->u[at] + o->du[at];
  const real least = ROUNDING * (T->u_max[i] - T->u_min[i]);
  int hold = o->held[at];
  if (hold == 0) {
    if (u > (bound_of_input(T, W, o, j, i, 1) + least)) {
      hold = 1;
    }
    if (u < (bound_of_input(T, W, o, j, i, -1) - least)) {
      hold = -1;
    }
  } else if (((hold > 0) && (o->slope[at] > ZERO)) || ((hold < 0) && (o->slope[at] < ZERO))) {
    hold = 0;
  } else {
    // it pushes against its bound
  }
  return hold;
}

// du and dx along the horizon from dx_0; slope [nu] of each stage: of held inputs. With `cut` inputs
// stay within their limits, and the marks become those that the next call begins with.
static void sweep_forward(const tables *T, const horizon_tables *W, const horizon *o, _Bool cut) {
  const int nx = W->nx;
  const int nu = T->nu;
  const int stages = *o->stages;
  int i;
  int j;
  int l;
  for (j = 0; j < stages; j++) {
    const real *dx = &o->dx[j * nx];
    real *next = &o->dx[(j + 1) * nx];
    real *du = &o->du[j * nu];
    copy(nx, &o->c[j * nx], next);
    for (i = 0; i < nu; i++) {
      const int at = (j * nu) + i;
      const real *K = &o->K[at * nx];
      real sum = o->k[at];
      for (l = 0; l < nx; l++) {
        sum = sum + (K[l] * dx[l]);
      }
      if (o->held[at] != 0) {
        o->slope[at] = sum;
        du[i] = held_step(T, W, o, j, i);
      } else {
        du[i] = -sum;
      }
      if (cut) {
        const int hold = wanted_hold(T, W, o, j, i);
        const real most = bound_of_input(T, W, o, j, i, 1) - o->u[at];
        const real least = bound_of_input(T, W, o, j, i, -1) - o->u[at];
        du[i] = (du[i] > most) ? most : du[i];
        du[i] = (du[i] < least) ? least : du[i];
        o->held[at] = hold;
        o->slope[at] = ZERO;
      }
    }
    add_product(nx, nx, &o->A[j * nx * nx], dx, next);
    add_product(nx, nu, &o->B[j * nx * nu], du, next);
  }
}

// the bound that coordinate i of stage j is beyond
static int wanted_bound(const horizon_tables *W, const horizon *o, int j, int i) {
  const real q = o->q[(j * W->places) + i] + o->dx[(j * W->nx) + i];
  int beyond = 0;
  if (q > W->q_max[i]) {
    beyond = 1;
  }
  if (q < W->q_min[i]) {
    beyond = -1;
  }
  return beyond;
}

// the bound that the speed of coordinate i in step j is beyond
static int wanted_speed(const tables *T, const horizon_tables *W, const horizon *o, int j, int i) {
  const int n = W->places;
  const real *dx = &o->dx[(j * W->nx) + i];
  const real way = (o->q[((j + 1) * n) + i] + dx[W->nx]) - (o->q[(j * n) + i] + dx[0]);
  const real most = W->v_max[i] * T->h;
  int beyond = 0;
  if (way > most) {
    beyond = 1;
  }
  if (way < -most) {
    beyond = -1;
  }
  return beyond;
}

// a mark that differs from the wanted one is counted, and one of the first `most` is changed
static void change_to(int wanted, int most, int *mark, int *wrong) {
  if (*mark != wanted) {
    if (*wrong < most) {
      *mark = wanted;
    }
    *wrong = *wrong + 1;
  }
}

// How many held inputs and bounds are not as wanted; the first `most` of them become so.
// *from: the stages before it have to be swept again.
static int change_bounds(const tables *T, const horizon_tables *W, const horizon *o, int most,
                         int *from) {
  const int stages = *o->stages;
  int wrong = 0;
  int i;
  int j;
  *from = 0;
  for (j = 0; j < stages; j++) {
    const int before = wrong;
    for (i = 0; i < T->nu; i++) {
      change_to(wanted_hold(T, W, o, j, i), most, &o->held[(j * T->nu) + i], &wrong);
    }
    for (i = 0; i < W->softs; i++) {
      change_to(wanted_bound(W, o, j + 1, i), most, &o->beyond[((j + 1) * W->softs) + i], &wrong);
    }
    for (i = 0; i < W->speeds; i++) {
      change_to(wanted_speed(T, W, o, j, i), most, &o->fast[(j * W->speeds) + i], &wrong);
    }
    if ((wrong > before) && (before < most)) {
      *from = j + 2;
    }
  }
  return wrong;
}

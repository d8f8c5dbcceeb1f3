// Receding-horizon control by the discrete map: each call linearizes the motion of the last one
// (interval.c), solves the problem of the horizon (sweep.c), applies its first input and keeps the
// rest as the next motion. Positions and inputs are unknowns; momenta follow from each step.

// how a call of the receding horizon ended
enum { SOLVED = 0, SWEPT = 1, FELL_BACK = 2, UNREACHED = 3, LATE = 4 };

// the last knot, if rest goes on
enum { LAST_KNOT = 1000000000 };

// the knot of the plan for any k
static int knot_of(const tables *T, const horizon_tables *W, int k) {
  const int last = ((W->rests != 0) || (W->period > 0)) ? LAST_KNOT : T->steps;
  int knot = k;
  if (knot > last) {
    knot = last;
  }
  if (knot < 0) {
    knot = 0;
  }
  return knot;
}

// the knot from which on the input of a call at knot k acts
static int acting_knot(const tables *T, const horizon_tables *W, int k) {
  return knot_of(T, W, knot_of(T, W, k) + W->late);
}

// the number of stages from knot k on
static int stages_from(const tables *T, const horizon_tables *W, int k) {
  int left = T->steps - k;
  if ((left > W->stages) || (W->rests != 0)) {
    left = W->stages;
  }
  if (left < 1) {
    left = 1;
  }
  return left;
}

// knot j of the motion continues the one before it as the plan does up to its knot `at`
static void append_knot(const tables *T, const horizon_tables *W, const horizon *o, int j, int at) {
  const int n = T->nq;
  const int size = W->places;
  const int last = j - 1;
  const real *y_d = row(&T->y_d, at);
  const real *before = row(&T->y_d, at - 1);
  real *q = &o->q[j * size];
  int i;
  copy(size, &o->q[last * size], q);
  position_change(T->tree, before, y_d, &o->dx[j * W->nx]);
  move_position(T->tree, &o->dx[j * W->nx], q);
  for (i = 0; i < n; i++) {
    o->p[(j * n) + i] = o->p[(last * n) + i] + (y_d[size + i] - before[size + i]);
  }
}

// the knot of the reference that the caller has set, for knot k
static int asked_row(const horizon_tables *W, const horizon *o, int k) {
  const int last = W->stages + 1;
  int at = k - *o->asked_at;
  if (at > last) {
    at = last;
  }
  if (at < 0) {
    at = 0;
  }
  return at;
}

// the reference of knot k: (q,p), and u of the step from there
static const real *reference_state(const horizon_tables *W, const horizon *o, int k) {
  const real *y = row(&W->y, k);
  if ((W->asks != 0) && (*o->asked != 0)) {
    y = &o->asked_y[asked_row(W, o, k) * W->y.cols];
  }
  return y;
}

static const real *reference_input(const tables *T, const horizon_tables *W, const horizon *o,
                                   int k) {
  const real *u = row(&W->u, k);
  if ((W->asks != 0) && (*o->asked != 0)) {
    const int at = asked_row(W, o, k);
    u = &o->asked_u[((at > W->stages) ? W->stages : at) * T->nu];
  }
  return u;
}

#ifdef HAS_TRACKS
// the reference of outputs for knot k
static const real *reference_outputs(const horizon_tables *W, const horizon *o, int k) {
  const real *y = row(&W->track.y, k);
  if ((W->track.asks != 0) && (*o->guided > 0)) {
    int at = k - *o->guided_at;
    if (at >= *o->guided) {
      at = *o->guided - 1;
    }
    if (at < 0) {
      at = 0;
    }
    y = &o->guide_y[at * W->track.rows];
  }
  return y;
}

// outputs of the motion, minus their reference, with their derivatives
static void track_motion(const tables *T, const horizon_tables *W, const horizon *o,
                         const interval_room *w) {
  const track_tables *Y = &W->track;
  const int stages = *o->stages;
  int i;
  int j;
  for (j = 0; j <= stages; j++) {
    const real *y_d = reference_outputs(W, o, *o->knot + j);
    real *e = &o->track_e[j * Y->rows];
    track_outputs(T->tree, Y, &o->q[j * W->places], w->bodies, e, &o->track_D[j * Y->rows * T->nq]);
    for (i = 0; i < Y->rows; i++) {
      e[i] = e[i] - y_d[i];
    }
  }
}
#endif

// the motion of knot k: the plan's
static void start_from_plan(const tables *T, const horizon_tables *W, const horizon *o, int k) {
  const int n = T->nq;
  const int size = W->places;
  const int stages = stages_from(T, W, k);
  const int inputs = W->stages * T->nu;
  const int bounds = (W->stages + 1) * W->softs;
  const int speeds = W->stages * W->speeds;
  int j;
  for (j = 0; j <= stages; j++) {
    const real *y_d = row(&T->y_d, k + j);
    copy(size, y_d, &o->q[j * size]);
    copy(n, &y_d[size], &o->p[j * n]);
  }
  for (j = 0; j < stages; j++) {
    copy(T->nu, row(&T->u_d, k + j), &o->u[j * T->nu]);
  }
  for (j = 0; j < inputs; j++) {
    o->held[j] = 0;
  }
  for (j = 0; j < bounds; j++) {
    o->beyond[j] = 0;
  }
  for (j = 0; j < speeds; j++) {
    o->fast[j] = 0;
  }
}

// the motion of knot k: the rest of the last one, and one more knot of the plan
static void shift_motion(const tables *T, const horizon_tables *W, const horizon *o, int k) {
  const int n = T->nq;
  const int size = W->places;
  const int nu = T->nu;
  const int had = *o->stages;
  const int stages = stages_from(T, W, k);
  const int inputs = (had - 1) * nu;
  const int bounds = had * W->softs;
  const int speeds = (had - 1) * W->speeds;
  int i;
  int j;
  copy(had * size, &o->q[size], o->q);
  copy(had * n, &o->p[n], o->p);
  copy(inputs, &o->u[nu], o->u);
  for (i = 0; i < inputs; i++) {
    o->held[i] = o->held[nu + i];
  }
  for (i = 0; i < bounds; i++) {
    o->beyond[i] = o->beyond[W->softs + i];
  }
  for (i = 0; i < speeds; i++) {
    o->fast[i] = o->fast[W->speeds + i];
  }
  for (j = had; j <= stages; j++) {
    const int last = j - 1;
    append_knot(T, W, o, j, k + j);
    copy(nu, row(&T->u_d, k + last), &o->u[last * nu]);
    for (i = 0; i < nu; i++) {
      o->u[(last * nu) + i] = limited(T, i, o->u[(last * nu) + i]);
      o->held[(last * nu) + i] = 0;
    }
    for (i = 0; i < W->softs; i++) {
      o->beyond[(j * W->softs) + i] = 0;
    }
    for (i = 0; i < W->speeds; i++) {
      o->fast[(last * W->speeds) + i] = 0;
    }
  }
}

// the linear problem around the motion; momenta are lifted: p_j+1 is D2 of step j
static void linearize_motion(const tables *T, const horizon_tables *W, const horizon *o,
                             const interval_room *w) {
  const int n = T->nq;
  const int size = W->places;
  const int nx = W->nx;
  const int nu = T->nu;
  const int stages = *o->stages;
  int i;
  int j;
  for (j = 0; j < stages; j++) {
    linearize(T->tree, &o->q[j * size], &o->p[j * n], &o->q[(j + 1) * size], &o->u[j * nu], w,
              &o->A[j * nx * nx], &o->B[j * nx * nu], &o->c[j * nx], &o->p[(j + 1) * n]);
  }
  for (j = 0; j <= stages; j++) {
    const real *y_d = reference_state(W, o, *o->knot + j);
    position_error(T->tree, y_d, &o->q[j * size], &o->off[j * nx]);
    for (i = 0; i < n; i++) {
      o->off[((j * nx) + n) + i] = o->p[(j * n) + i] - y_d[size + i];
    }
  }
  for (j = 0; j < stages; j++) {
    const real *u_d = reference_input(T, W, o, *o->knot + j);
    for (i = 0; i < nu; i++) {
      o->u_off[(j * nu) + i] = o->u[(j * nu) + i] - u_d[i];
    }
  }
}

#ifdef HAS_PERIODS
// knots, positions and references as those of `laps` periods later
static void change_lap(const tables *T, const horizon_tables *W, const horizon *o, int laps) {
  const int by = laps * W->period;
  const int size = W->places;
  const int knots = W->stages + 1;
  int i;
  int j;
  *o->lap = *o->lap + laps;
  *o->knot = *o->knot - by;
  *o->guided_at = *o->guided_at - by;
  for (j = 0; j < knots; j++) {
    for (i = 0; i < T->nq; i++) {
      o->q[(j * size) + i] = o->q[(j * size) + i] - ((real)laps * W->travel[i]);
    }
  }
}

#endif

// Before the measurement of knot `at`: the motion, its linear problem, and gains. The motion is shifted
// also by several knots, of calls that were missed; a second call for a knot is one more
// step of the Gauss-Newton method.
static void prepare_horizon(const tables *T, const horizon_tables *W, const horizon *o, int at,
                            const horizon_room *w) {
  const int reached = acting_knot(T, W, at);
  int k = reached - (*o->lap * W->period);
  const int ahead = k - *o->knot;
  int step;
  if ((*o->known == 0) || (ahead < 0) || (ahead > W->stages)) {
#ifdef HAS_PERIODS
    if (W->period > 0) {
      change_lap(T, W, o, (reached / W->period) - *o->lap);
      k = reached - (*o->lap * W->period);
    }
#endif
    start_from_plan(T, W, o, k);
    *o->knot = k;
    *o->stages = stages_from(T, W, k);
  } else {
    for (step = 1; step <= ahead; step++) {
      shift_motion(T, W, o, *o->knot + 1);
      *o->knot = *o->knot + 1;
      *o->stages = stages_from(T, W, *o->knot);
#ifdef HAS_PERIODS
      if ((W->period > 0) && (*o->knot >= W->period)) {
        change_lap(T, W, o, 1);
      }
#endif
    }
  }
  linearize_motion(T, W, o, &w->interval);
#ifdef HAS_TRACKS
  track_motion(T, W, o, &w->interval);
#endif
  *o->ready = sweep_back(T, W, o, *o->stages, &w->sweep) ? 1 : 0;
  *o->known = *o->ready;
}

// Sweeps until the held inputs and bounds are right. The last sweep's gains are those of the marks, which
// are changed after it only for the next call, if the sweeps were used up.
static int solve_horizon(const tables *T, const horizon_tables *W, const horizon *o,
                         const sweep_room *w) {
  const int all = W->stages * ((T->nu + W->softs) + W->speeds);
  const int last = W->sweeps - 1;
  _Bool positive = *o->ready != 0;
  int how = SOLVED;
  int from;
  int wrong;
  int sweep;
  sweep_forward(T, W, o, 0);
  wrong = change_bounds(T, W, o, (last > 0) ? all : 0, &from);
  *o->swept = 1;
  for (sweep = 1; (wrong != 0) && positive && (sweep <= last); sweep++) {
    int most = (sweep < (W->sweeps / 2)) ? all : 1;
    if (sweep == last) {
      most = 0;
    }
    positive = sweep_back(T, W, o, from, w);
    sweep_forward(T, W, o, 0);
    wrong = change_bounds(T, W, o, most, &from);
    *o->swept = sweep + 1;
  }
  if (wrong != 0) {
    how = SWEPT;
    sweep_forward(T, W, o, 1);
    (void)change_bounds(T, W, o, all, &from);
  }
  return positive ? how : FELL_BACK;
}

// the motion of the next call, unless a number is not finite
static _Bool keep_motion(const tables *T, const horizon_tables *W, const horizon *o) {
  const int n = T->nq;
  const int stages = *o->stages;
  const int inputs = stages * T->nu;
  const int states = (stages + 1) * W->nx;
  real sum = ZERO;
  int i;
  int j;
  for (j = 0; j <= stages; j++) {
    move_position(T->tree, &o->dx[j * W->nx], &o->q[j * W->places]);
    for (i = 0; i < n; i++) {
      o->p[(j * n) + i] = o->p[(j * n) + i] + o->dx[((j * W->nx) + n) + i];
      sum = sum + (o->dx[(j * W->nx) + i] - o->dx[(j * W->nx) + i]);
    }
  }
  for (i = 0; i < inputs; i++) {
    o->u[i] = o->u[i] + o->du[i];
    sum = sum + (o->du[i] - o->du[i]);
  }
  for (i = 0; i < states; i++) {
    o->off[i] = o->off[i] + o->dx[i];
  }
  return sum >= ZERO;
}

// u [nu] by the gains of knot k, from a state x [nx] at knot `from`, which is changed
static void law_of_knot(const tables *T, int k, int from, real *x, real *u) {
  unwind(T, row(&T->y_d, from), x);
#ifdef HAS_BALLS
  nearest_turns(T->tree, row(&T->y_d, from), x);
#endif
  law(T, row(&T->G, k), row(&T->y_d, from), row(&T->u_d, k), x, u);
  limit(T, u);
}

// The measurement x [nx] becomes the deviation dx_0 of the motion; 0: a number is not finite
static _Bool take_state(const tables *T, const horizon_tables *W, const horizon *o, real *x) {
  const int n = T->nq;
  const int size = W->places;
  int wrong = 0;
  int i;
  for (i = 0; i < n; i++) {
    if (T->turns[i] != 0) {
      x[i] = unwound(x[i], o->q[i]);
    }
  }
#ifdef HAS_BALLS
  wrong += count_broken_turns(T->tree, x);
#endif
  position_change(T->tree, o->q, x, o->dx);
  for (i = 0; i < n; i++) {
    o->dx[n + i] = x[size + i] - o->p[i];
    if (!(finite_number(o->dx[i]) && finite_number(o->dx[n + i]))) {
      wrong++;
    }
  }
  return wrong == 0;
}

// x [nx] of `laps` periods later becomes that of the first one
static void take_measurement(const tables *T, const horizon_tables *W, int laps, real *x) {
#ifdef HAS_PERIODS
  if (W->period > 0) {
    int i;
    for (i = 0; i < T->nq; i++) {
      x[i] = x[i] - ((real)laps * W->travel[i]);
    }
  }
#else
  (void)T;
  (void)W;
  (void)laps;
  (void)x;
#endif
}

// The input u [nu] of knot `at` from x (q,p) [nx], measured `age` before it, which is changed. It is
// prepared now, if it was not. If x is not finite, u is that of the last motion, which goes on.
static int horizon_input(const tables *T, const horizon_tables *W, const horizon *o, int at,
                         real age, real *x, const horizon_room *w, real *u) {
  const int reached = acting_knot(T, W, at);
  const real before = age + ((real)W->late * T->h);
  int k = reached - (*o->lap * W->period);
  int how = FELL_BACK;
  _Bool seen;
  if ((*o->ready == 0) || (*o->knot != k)) {
    prepare_horizon(T, W, o, at, w);
    k = reached - (*o->lap * W->period);
  }
  *o->swept = 0;
  take_measurement(T, W, *o->lap, x);
  if (*o->sent_at > reached) {
    *o->sends = 0;
  }
  seen = age_state(T, W, o, reached, before, w, x);
  seen = seen || (*o->ready == 0);
  if (*o->ready != 0) {
    if (seen) {
      seen = take_state(T, W, o, x);
    }
    if (seen) {
      how = solve_horizon(T, W, o, &w->sweep);
      if (!keep_motion(T, W, o)) {
        how = FELL_BACK;
      }
    }
    copy(T->nu, o->u, u);
  }
  if ((how == SOLVED) && (*o->unreached != 0)) {
    how = UNREACHED;
  }
  if ((how == FELL_BACK) && seen) {
    *o->known = 0;
    law_of_knot(T, k, k, x, u);
  }
  limit(T, u);
  keep_sent(T, o, reached, u);
  *o->ready = 0;
  return how;
}

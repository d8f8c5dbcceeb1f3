// A measurement that is older than its knot, or newer: its state is moved there by steps of the map, whole
// and in part, under the inputs that were given before.

// working memory of a call
typedef struct {
  interval_room interval;
  sweep_room sweep;
  real *next; // [nx + balls] after a step
  real *part; // [1 + nu + 5 points of the rule + 6 loads] tables of a part of a step
} horizon_room;

// the inputs that are remembered; the rounds of Newton's method in a step
enum { SENT = 4, AGE_ROUNDS = 4 };

// x [nx] after `share` of a step under u; part: 1 + inputs + 5 points + 6 loads numbers
static void move_state(const tree_tables *M, real share, const real *u, const horizon_room *w,
                       real *x) {
  const int n = M->n;
  const int size = position_size(M);
  const int numbers = 5 * M->points;
  const int wrenches = 6 * M->loads;
  tree_tables S = *M;
  real *impulse = &w->part[1];
  real *point = &w->part[1 + M->inputs];
  real *wrench = &point[numbers];
  real *q1 = w->next;
  real *p1 = &w->next[size];
  const real *c = w->sweep.s;
  int i;
  int round;

  // 1. the tables of that time
  w->part[0] = M->rate[0] / share;
  for (i = 0; i < M->drives; i++) {
    impulse[i] = share * M->impulse[i];
  }
  for (i = 0; i < numbers; i++) {
    const int entry = i % 5;
    point[i] = ((entry == 2) || (entry == 4)) ? (share * M->point[i]) : M->point[i];
  }
  for (i = 0; i < wrenches; i++) {
    wrench[i] = share * M->wrench[i];
  }
  S.rate = w->part;
  S.impulse = impulse;
  S.point = point;
  S.wrench = wrench;

  // 2. p0 + D1(q0,q1,u) = 0
  copy(size, x, q1);
  for (round = 0; round < AGE_ROUNDS; round++) {
    linearize(&S, x, &x[size], q1, u, &w->interval, w->sweep.next, w->sweep.PB, w->sweep.s, p1);
    move_position(M, c, q1);
  }

  // 3. p1 = D2
  copy(size, q1, x);
  for (i = 0; i < n; i++) {
    x[size + i] = p1[i] + c[n + i];
  }
}

// the input that was given at knot k; before the memory, the oldest one; before the first call, the plan's
static const real *sent_input(const tables *T, const horizon_tables *W, const horizon *o, int k) {
  const real *u = row(&T->u_d, k - (*o->lap * W->period));
  int at = *o->sent_at - k;
  if ((at >= SENT) && (*o->sends == SENT)) {
    at = SENT - 1;
  }
  if (at < 0) {
    at = 0;
  }
  if (at < *o->sends) {
    u = &o->sent[at * T->nu];
  }
  return u;
}

// u was given at knot k; where calls were missed, the input before it went on
static void keep_sent(const tables *T, const horizon *o, int k, const real *u) {
  const int nu = T->nu;
  const int gap = (*o->sends != 0) ? (k - *o->sent_at) : -1;
  int i;
  if (gap > 0) {
    for (i = 1; i < SENT; i++) {
      const int to = SENT - i;
      int from = 0;
      if (to > gap) {
        from = to - gap;
      }
      copy(nu, &o->sent[from * nu], &o->sent[to * nu]);
    }
    *o->sends = ((gap + *o->sends) < SENT) ? (gap + *o->sends) : SENT;
  }
  if (gap < 0) {
    *o->sends = 1;
  }
  copy(nu, u, o->sent);
  *o->sent_at = k;
}

// x [nx], measured `age` before knot k, at that knot; 0: an age that is not finite, or not from -1 to
// SENT steps
static _Bool age_state(const tables *T, const horizon_tables *W, const horizon *o, int k, real age,
                       const horizon_room *w, real *x) {
  const real steps = age * T->rate;
  const _Bool known = finite_number(steps) && (steps <= (real)SENT) && (steps >= -ONE);
  const int whole = known ? (int)steps : 0;
  const real first = steps - (real)whole;
  int i;
  if (known && ((first > ROUNDING) || (first < -ROUNDING))) {
    move_state(T->tree, first, sent_input(T, W, o, (k - 1) - whole), w, x);
  }
  for (i = 0; i < whole; i++) {
    move_state(T->tree, ONE, sent_input(T, W, o, (k - whole) + i), w, x);
  }
  return known;
}

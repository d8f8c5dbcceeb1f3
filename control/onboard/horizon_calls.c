// Calls of the receding horizon, where a measurement may interrupt the preparation of its knot, on the
// same processor. The memory of the horizon belongs to the preparation until it ends.

// the order of writes in memory around `busy`, which a compiler must keep
#ifndef FENCE
#ifdef __GNUC__
#define FENCE() __asm__ volatile("" ::: "memory")
#else
#define FENCE()
#endif
#endif

// 1. a reset that was asked for
static void take_reset(const horizon *o) {
  if (*o->forget != 0) {
    *o->forget = 0;
    *o->known = 0;
    *o->ready = 0;
    *o->sends = 0;
  }
}

static void prepare_call(const tables *T, const horizon_tables *W, const horizon *o, int k,
                         const horizon_room *w) {
  *o->busy = 1;
  FENCE();
  take_reset(o);
  prepare_horizon(T, W, o, k, w);
  FENCE();
  *o->busy = 0;
}

// the knot nearest to a time `age` before knot k
static int nearest_knot(const tables *T, int k, real age) {
  const real steps = age * T->rate;
  const _Bool known = finite_number(steps) && (steps <= (real)SENT) && (steps >= -ONE);
  const real nearest = steps + (real)((steps < ZERO) ? -0.5 : 0.5);
  return known ? (k - (int)nearest) : k;
}

// u [nu] by the gains of knot k from its state x [nx], measured `age` before it, which is changed; knots and
// positions as in the first period, which is not that of a motion in preparation
static void call_gains(const tables *T, const horizon_tables *W, int k, real age, real *x,
                       real *u) {
  const int from = nearest_knot(T, k, age);
  int laps = 0;
#ifdef HAS_PERIODS
  if ((W->period > 0) && (from > 0)) {
    laps = from / W->period;
  }
#endif
  take_measurement(T, W, laps, x);
  law_of_knot(T, k - (laps * W->period), from - (laps * W->period), x, u);
}

// u [nu] of knot k from its state x [nx], measured `age` before it, which is changed: of the horizon; or by
// the gains of the knot, if the call interrupts the preparation
static int input_call(const tables *T, const horizon_tables *W, const horizon *o, int k, real age,
                      real *x, const horizon_room *w, real *u) {
  const int knot = acting_knot(T, W, k);
  int how = LATE;
  if (*o->busy != 0) {
    call_gains(T, W, knot, age + ((real)W->late * T->h), x, u);
    keep_sent(T, o, knot, u);
  } else {
    FENCE();
    take_reset(o);
    if ((*o->ready == 0) || (*o->knot != (knot - (*o->lap * W->period)))) {
      *o->unprepared = *o->unprepared + 1U;
    }
    how = horizon_input(T, W, o, k, age, x, w, u);
    if (*o->most < *o->swept) {
      *o->most = *o->swept;
    }
  }
  o->ended[how] = o->ended[how] + 1U;
  return how;
}

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

// u [nu] of knot k from x [nx], measured `age` before it, which is changed: of the horizon; or, if the
// call interrupts the preparation, by the law of the knot, from x as it was measured
static int input_call(const tables *T, const horizon_tables *W, const horizon *o, int k, real age,
                      real *x, const horizon_room *w, real *u) {
  int how = LATE;
  if (*o->busy != 0) {
    law_of_knot(T, knot_of(T, W, k), x, u);
    keep_sent(T, o, knot_of(T, W, k), u);
  } else {
    FENCE();
    take_reset(o);
    if ((*o->ready == 0) || (*o->knot != knot_of(T, W, k))) {
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

// The controller of a task beside those of its two phases, called with times from the start of each
// phase: the same bits, whatever is measured, at any time, with switches by time and by events.
//
//   cc -include controller.h -include ONE.h -include TWO.h -DONE=.. -DTWO=.. -DLENGTH=.. -DH=..
//
// and -DRATES, -DGUARD, -DDIFFERENCE, -DINTEGRAL_ONE=n, -DINTEGRAL_TWO=n for the parts of the laws.
#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOIN_(a, b)     a##b
#define JOIN(a, b)      JOIN_(a, b)
#define OF(phase, name) JOIN(phase, name)

enum { NQ = CONTROLLER_NQ, NU = CONTROLLER_NU };

#ifdef RATES
#define RATES_(...) __VA_ARGS__
#else
#define RATES_(...)
#endif
#ifdef GUARD
#define GUARD_(...) __VA_ARGS__
#else
#define GUARD_(...)
#endif
#ifdef DIFFERENCE
#define DIFFERENCE_(...) __VA_ARGS__
#define V_(...)
#define WAY _difference_hold
#else
#define DIFFERENCE_(...)
#define V_(...) __VA_ARGS__
#define WAY     _velocity_hold
#endif
#ifdef INTEGRAL_ONE
#define INTEGRAL_ONE_(...) __VA_ARGS__
#else
#define INTEGRAL_ONE_(...)
#endif
#ifdef INTEGRAL_TWO
#define INTEGRAL_TWO_(...) __VA_ARGS__
#else
#define INTEGRAL_TWO_(...)
#endif

// the phases' own controllers, with the data that a switch keeps
static struct {
  int phase, waits;
  controller_real start;
  RATES_(OF(ONE, _output) one; OF(TWO, _output) two;)
  GUARD_(OF(ONE, _guard) first; OF(TWO, _guard) second;)
  DIFFERENCE_(OF(ONE, _rates) seen; OF(TWO, _rates) seen_two;)
  controller_real integral[NQ];
} own;

static void begin_own(void) {
  memset(&own, 0, sizeof own);
  RATES_(OF(ONE, _start)(&own.one);)
  DIFFERENCE_(OF(ONE, _forget)(&own.seen);)
  GUARD_(OF(ONE, _reset)(&own.first);)
}

static void switch_own(controller_real start) {
  RATES_(memcpy(own.two.u, own.one.u, sizeof own.two.u);
         own.two.t = own.one.t - (start - own.start); own.two.begun = own.one.begun;
         own.two.cut = own.one.cut;)
  DIFFERENCE_(memcpy(&own.seen_two, &own.seen, sizeof own.seen_two);
              own.seen_two.t = own.seen.t - (start - own.start);)
  GUARD_(own.second.lost = own.first.lost;)
#ifndef INTEGRAL_TWO
  memset(own.integral, 0, sizeof own.integral);
#endif
  own.phase = 1;
  own.start = start;
}

static void call_own(controller_real t, controller_real age, controller_real hold,
                     const controller_real *q, const controller_real *v, controller_real *u) {
  if (own.phase == 0 && !own.waits && t - own.start >= LENGTH - (sizeof t == 4 ? 1e-4 : 1e-9) * H &&
      !isinf(t))
    switch_own(own.start + (controller_real)LENGTH);
  const controller_real now = t - own.start;
  (void)v;
  if (own.phase == 0) OF(ONE, WAY)
  (now, age, hold, DIFFERENCE_(&own.seen, ) GUARD_(&own.first, ) RATES_(&own.one, ) q,
   V_(v, ) INTEGRAL_ONE_(own.integral, ) u);
  else OF(TWO, WAY)(now, age, hold,
                    DIFFERENCE_(&own.seen_two, ) GUARD_(&own.second, ) RATES_(&own.two, ) q,
                    V_(v, ) INTEGRAL_TWO_(own.integral, ) u);
#if defined INTEGRAL_ONE || defined INTEGRAL_TWO
  if (own.phase == 0) {
    INTEGRAL_ONE_(OF(ONE, _integrate_at)(now, age, RATES_(&own.one, ) q, u, own.integral);)
  } else {
    INTEGRAL_TWO_(OF(TWO, _integrate_at)(now, age, RATES_(&own.two, ) q, u, own.integral);)
  }
#endif
}

// from -1 to 1
static double draw(void) {
  static unsigned long long seed = 1;
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

int main(void) {
  int wrong = 0, calls = 0, switches[3] = {0};
  for (int i = 0; i < 3000; i++) {
    controller_run run;
    const double wide = i % 3 == 0 ? 0.02 : i % 3 == 1 ? 0.3 : 3;
    const int by_event = i % 4 == 1, waits = i % 8 == 3;
    double t = 0;
    controller_begin(&run);
    begin_own();
    run.waits = own.waits = waits;
    for (int k = 0; k < 60; k++) {
      controller_real q[NQ], v[NQ], u[NU], wanted[NU];
      const double age = i % 2 ? 0 : 0.3 * H * draw(), hold = H * (1 + 0.9 * draw());
      for (int j = 0; j < NQ; j++) {
        q[j] = (controller_real)(wide * draw());
        v[j] = (controller_real)(wide * draw());
      }
      if (k % 17 == 5) q[0] = (controller_real)NAN;
      const controller_real at = k % 29 == 7 ? (controller_real)INFINITY : (controller_real)t;
      if (k == 40 - 30 * by_event && (by_event || waits) && run.phase == 0) {
        controller_next(&run, (controller_real)t);
        switch_own((controller_real)t);
        switches[1]++;
      }
      JOIN(controller, WAY)(&run, at, (controller_real)age, (controller_real)hold, q, V_(v, ) u);
      call_own(at, (controller_real)age, (controller_real)hold, q, v, wanted);
#if defined INTEGRAL_ONE || defined INTEGRAL_TWO
      controller_integrate_at(&run, at, (controller_real)age, q, u);
      if (memcmp(run.integral, own.integral, sizeof own.integral) != 0) wrong++;
#endif
      if (memcmp(u, wanted, sizeof u) != 0 || run.phase != own.phase) wrong++;
      calls++;
      t += k % 13 == 11 ? -H : LENGTH / 25 * (1 + draw());
    }
    switches[0] += run.phase;
    controller_next(&run, (controller_real)t); // in the last phase it does nothing, else it ends
    if (run.phase != CONTROLLER_PHASES - 1) wrong++;
  }
  // an event without a time: the phase begins at its planned time
  controller_run run;
  controller_begin(&run);
  controller_next(&run, (controller_real)NAN);
  if (run.phase != 1 || run.start != (controller_real)LENGTH) wrong++;
  printf("%d calls, %d runs with a switch, %d by an event, %d wrong\n", calls, switches[0],
         switches[1], wrong);
  return wrong != 0 || switches[1] < 100 || switches[0] < 1000;
}

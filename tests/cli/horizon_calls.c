// Calls of an exported receding horizon at odd times: late, early, again, backwards, with numbers that are
// not finite, and inside controller_prepare, as from an interrupt. Measurements are those of
// controller_trace.csv.
//
//   cc -finstrument-functions -DFORM=0|1|2 -DASKS=0|1 horizon_calls.c
//
// FORM: state, velocity, positions. ASKS: the trace has a reference of the caller, which is not given here.
//
// The interrupt comes at the n-th entry or exit of a function.
#include "controller.c"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, WIDTH = 2 * CONTROLLER_NQ + (FORM == 2 ? CONTROLLER_NU : 0), MOST = 1000 };
#define PLAIN __attribute__((no_instrument_function))

static controller_real measured[ROWS][WIDTH], applied[ROWS][CONTROLLER_NU], u[CONTROLLER_NU];
static controller_horizon c, other;
static int events, at_event, failures, how_late, knot_late;
static controller_horizon *armed;

static PLAIN int call(controller_horizon *h, int k) {
  const controller_real *m = measured[k];
#if FORM == 0
  return controller_state(h, k, m, m + CONTROLLER_NQ, u);
#elif FORM == 1
  return controller_velocity(h, k, m, m + CONTROLLER_NQ, u);
#else
  return controller_positions(h, k, m, m + CONTROLLER_NQ, m + 2 * CONTROLLER_NQ, u);
#endif
}

static PLAIN void interrupt(void) {
  controller_horizon *h = armed;
  if (!h || ++events != at_event) return;
  armed = NULL;
  how_late = call(h, knot_late);
}
PLAIN void __cyg_profile_func_enter(void *f, void *from) {
  (void)f, (void)from;
  interrupt();
}
PLAIN void __cyg_profile_func_exit(void *f, void *from) {
  (void)f, (void)from;
  interrupt();
}

static PLAIN void fact(const char *name, int holds) {
  if (!holds) printf("not so: %s\n", name);
  failures += !holds;
}

static PLAIN void read_trace(void) {
  static char line[MOST * 40];
  FILE *f = fopen("controller_trace.csv", "r");
  int k = 0;
  while (f && k < ROWS && fgets(line, sizeof line, f)) {
    char *at;
    if (line[0] < '0' || line[0] > '9') continue;
    strtol(line, &at, 10);
    for (int j = 0; j < WIDTH; j++) measured[k][j] = (controller_real)strtod(at + 1, &at);
    for (int j = 0; j < CONTROLLER_NU; j++) applied[k][j] = (controller_real)strtod(at + 1, &at);
    k++;
  }
  if (f) fclose(f);
  fact("the trace has rows", k == ROWS);
}

static PLAIN unsigned calls_of(const controller_horizon *h) {
  return h->ended[0] + h->ended[1] + h->ended[2] + h->ended[3] + h->ended[4];
}

// u = u_d - G (x - y_d) within its limits, of the state that the last call has found
static PLAIN int is_by_gains(const controller_horizon *h, int k) {
  int same = 1;
  for (int i = 0; i < CONTROLLER_NU; i++) {
    double sum = (double)row(&law_state.u_d, k)[i], size = fabs(sum);
    for (int j = 0; j < law_state.ny; j++) {
      const double g = (double)row(&law_state.G, k)[i * law_state.ny + j];
      sum -= g * ((double)h->y[j] - (double)row(&law_state.y_d, k)[j]);
      size += fabs(g * (double)h->y[j]);
    }
    sum = fmin(fmax(sum, (double)law_state.u_min[i]), (double)law_state.u_max[i]);
    same = same && fabs(sum - (double)u[i]) <= (sizeof u[0] == 4 ? 1e-5 : 1e-13) * size;
  }
  return same;
}

// the horizon after the calls of the first knots, the next one not prepared
static PLAIN void follow(controller_horizon *h, int knots) {
  controller_begin(h);
  for (int k = 0; k < knots; k++) {
    controller_prepare(h, k);
    call(h, k);
  }
}

static PLAIN void calls_on_time(void) {
  int same = 1;
  controller_begin(&c);
  for (int k = 0; k < ROWS; k++) {
    controller_prepare(&c, k);
    call(&c, k);
    same = same && !memcmp(u, applied[k], sizeof u);
  }
  fact("preparing does not change an input", same || ASKS);
  fact("every call is counted, and was prepared", calls_of(&c) == ROWS && c.unprepared == 0);
  fact("the most sweeps are known",
       c.most >= 1 && c.most <= CONTROLLER_SWEEPS && c.most >= c.swept);
}

// all that the preparation owns is as without the call
static PLAIN void calls_that_interrupt(void) {
  int late = 0, early = 0;
  for (at_event = 1; at_event < 1 << 20; at_event += 1 + at_event / 8) {
    follow(&c, 3);
    other = c;
    controller_prepare(&other, 3);
    events = 0;
    how_late = -1;
    knot_late = 3;
    armed = &c;
    controller_prepare(&c, 3);
    armed = NULL;
    if (how_late < 0) break; // it has fewer events
    if (how_late != CONTROLLER_LATE) {
      early++;
      continue;
    }
    late++;
    fact("a late call is by the gains", is_by_gains(&c, 3));
    memcpy(other.y, c.y, sizeof c.y);
#if FORM
    memcpy(other.measured, c.measured, sizeof c.measured);
#endif
    fact("a late call is counted", c.ended[CONTROLLER_LATE] == other.ended[CONTROLLER_LATE] + 1);
    memcpy(other.ended, c.ended, sizeof c.ended);
    fact("a late call leaves the horizon alone", !memcmp(&other, &c, sizeof c));
    fact("the next call is solved", call(&c, 4) == CONTROLLER_SOLVED);
  }
  fact("many calls were late", late > 20);
  fact("few were before and after", early < late / 2);
}

static PLAIN double distance(const controller_real *a, const controller_real *b) {
  double most = 0;
  for (int i = 0; i < CONTROLLER_NU; i++) most = fmax(most, fabs((double)a[i] - (double)b[i]));
  return most;
}

static PLAIN void calls_at_other_knots(void) {
  controller_real first[CONTROLLER_NU], second[CONTROLLER_NU];
  follow(&c, 3);
  call(&c, 6);
  fact("knots may be missed",
       c.ended[CONTROLLER_FELL_BACK] == 0 && c.unprepared == 1 && c.knot == 6);
  memcpy(first, u, sizeof u);
  call(&c, 6);
  memcpy(second, u, sizeof u);
  for (int i = 0; i < 20; i++) call(&c, 6);
  fact("a second call improves the first",
       distance(second, u) <= distance(first, u) + (sizeof u[0] == 4 ? 1e-4 : 1e-12));

  // backwards: from the plan, as a new motion
  call(&c, 1);
  memcpy(first, u, sizeof u);
  controller_begin(&other);
  call(&other, 1);
  fact("an earlier knot begins from the plan", !memcmp(first, u, sizeof u));
}

static PLAIN void calls_after_a_reset(void) {
  controller_real first[CONTROLLER_NU];
  follow(&c, 3);
  controller_prepare(&c, 3);
  controller_reset(&c);
  call(&c, 3);
  memcpy(first, u, sizeof u);
  fact("a reset keeps the counts", calls_of(&c) == 4 && c.unprepared == 1);
  controller_begin(&other);
  call(&other, 3);
  fact("a reset begins from the plan", !memcmp(first, u, sizeof u));
  follow(&other, 3);
  call(&other, 3);
  fact("without a reset the motion is another", memcmp(first, u, sizeof u));
}

static PLAIN void calls_without_numbers(void) {
  const controller_real kept = measured[3][0];
  follow(&c, 3);
  follow(&other, 3);
  controller_prepare(&other, 3);
  measured[3][0] = (controller_real)NAN;
  fact("a call that is not finite falls back", call(&c, 3) == CONTROLLER_FELL_BACK);
  fact("its input is that of the last motion", !memcmp(u, other.u, sizeof u));
  measured[3][0] = kept;
  fact("it is counted", c.ended[CONTROLLER_FELL_BACK] == 1);
  fact("the next call is solved again", call(&c, 4) == CONTROLLER_SOLVED);
}

PLAIN int main(void) {
  read_trace();
  calls_on_time();
  calls_that_interrupt();
  calls_at_other_knots();
  calls_after_a_reset();
  calls_without_numbers();
  return failures != 0;
}

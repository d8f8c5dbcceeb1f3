// Calls of an exported receding horizon at odd times: late, early, again, backwards, with numbers that are
// not finite, and inside controller_prepare, as from an interrupt. Measurements are those of
// controller_trace.csv.
//
//   cc -finstrument-functions -DFORM=0|1|2 -DASKS=0|1 -DTARGETS=0.. horizon_calls.c
//
// FORM: state, velocity, positions. ASKS: the trace has the caller's reference, as positions; TARGETS: that of so
// many outputs.
//
// The interrupt comes at the n-th entry or exit of a function.
#include "controller.c"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, WIDTH = 2 * CONTROLLER_NQ + (FORM == 2 ? CONTROLLER_NU : 0), MOST = 1000 };
enum { GOALS = ASKS ? CONTROLLER_NQ : 0, CALLS = 2 };
#define PLAIN __attribute__((no_instrument_function))

static controller_real measured[ROWS][WIDTH], applied[ROWS][CONTROLLER_NU], u[CONTROLLER_NU];
static controller_real aged[ROWS]; // how old they are
static controller_real goal[ROWS][CONTROLLER_NQ], target[ROWS][TARGETS + 1];
static controller_horizon c, other;
static int events, at_event, failures, how_late, knot_late, steps_late;
static controller_horizon *armed;

// the measurement m [WIDTH] of an age, for knot k
static PLAIN int measure_at(controller_horizon *h, int k, controller_real age,
                            const controller_real *m) {
#if FORM == 0
  return controller_state_at(h, k, age, m, m + CONTROLLER_NQ, u);
#elif FORM == 1
  return controller_velocity_at(h, k, age, m, m + CONTROLLER_NQ, u);
#else
  return controller_positions_at(h, k, age, m, m + CONTROLLER_NQ, m + 2 * CONTROLLER_NQ, u);
#endif
}

// the measurement m [WIDTH], made so many steps before knot k
static PLAIN int measure(controller_horizon *h, int k, int steps, const controller_real *m) {
  return measure_at(h, k, (controller_real)steps * law_state.h, m);
}

static PLAIN int call(controller_horizon *h, int k) {
  return measure_at(h, k, aged[k], measured[k]);
}

static PLAIN void give_reference(controller_horizon *h, int k) {
  (void)h, (void)k;
#if ASKS
  controller_reference(h, k, 1, goal[k]);
#endif
#if TARGETS
  controller_target(h, k, 1, target[k]);
#endif
}

static PLAIN void interrupt(void) {
  controller_horizon *h = armed;
  if (!h || ++events != at_event) return;
  armed = NULL;
  how_late = measure(h, knot_late, steps_late, measured[knot_late - steps_late]);
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
  int k = 0, old = 0;
  while (f && k < ROWS && fgets(line, sizeof line, f)) {
    char *at;
    if (line[0] < '0' || line[0] > '9') continue;
    strtol(line, &at, 10);
    aged[k] = (controller_real)strtod(at + 1, &at);
    old += aged[k] > 0;
    for (int j = 0; j < WIDTH; j++) measured[k][j] = (controller_real)strtod(at + 1, &at);
    for (int j = 0; j < GOALS; j++) goal[k][j] = (controller_real)strtod(at + 1, &at);
    for (int j = 0; j < TARGETS; j++) target[k][j] = (controller_real)strtod(at + 1, &at);
    for (int j = 0; j < CONTROLLER_NU; j++) applied[k][j] = (controller_real)strtod(at + 1, &at);
    k++;
  }
  if (f) fclose(f);
  fact("the trace has rows", k == ROWS);
  fact("some of its measurements are old", old > 10 && aged[ROWS - 1] == 0);
}

static PLAIN unsigned calls_of(const controller_horizon *h) {
  return h->ended[0] + h->ended[1] + h->ended[2] + h->ended[3] + h->ended[4];
}

// u = u_d - G (x - y_d) within its limits, of the state that the last call has found, at knot `from`
static PLAIN int is_by_gains(const controller_horizon *h, int k, int from) {
  int same = 1;
  for (int i = 0; i < CONTROLLER_NU; i++) {
    double sum = (double)row(&law_state.u_d, k)[i], size = fabs(sum);
    for (int j = 0; j < law_state.ny; j++) {
      const double g = (double)row(&law_state.G, k)[i * law_state.ny + j];
      sum -= g * ((double)h->y[j] - (double)row(&law_state.y_d, from)[j]);
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
    give_reference(h, k);
    controller_prepare(h, k);
    call(h, k);
  }
}

static PLAIN void calls_on_time(void) {
  int same = 1;
  controller_begin(&c);
  for (int k = 0; k < ROWS; k++) {
    give_reference(&c, k);
    controller_prepare(&c, k);
    call(&c, k);
    same = same && !memcmp(u, applied[k], sizeof u);
  }
  fact("preparing does not change an input", same);
  fact("every call is counted, and was prepared", calls_of(&c) == ROWS && c.unprepared == 0);
  fact("the most sweeps are known",
       c.most >= 1 && c.most <= CONTROLLER_SWEEPS && c.most >= c.swept);
}

// all that the preparation owns is as without the call
static PLAIN void calls_that_interrupt(void) {
  int late = 0, early = 0;
  for (at_event = 1; at_event < 1 << 20; at_event += 1 + at_event / 8) {
    follow(&c, 3);
    give_reference(&c, 3);
    other = c;
    controller_prepare(&other, 3);
    events = 0;
    how_late = -1;
    knot_late = 3;
    steps_late = at_event % 2;
    armed = &c;
    controller_prepare(&c, 3);
    armed = NULL;
    if (how_late < 0) break; // it has fewer events
    if (how_late != CONTROLLER_LATE) {
      early++;
      continue;
    }
    late++;
    fact("a late call is by the gains", is_by_gains(&c, 3 + costs.late, 3 - steps_late));
    memcpy(other.y, c.y, sizeof c.y);
    memcpy(other.sent, c.sent, sizeof c.sent);
    other.sends = c.sends;
    other.sent_at = c.sent_at;
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

// How much the inputs of the horizon change in each of CALLS calls of knot k, by a measurement that is off
// by `off` in the last coordinate.
static PLAIN void corrections(int k, const controller_real *at, double off, double change[CALLS]) {
  controller_real m[WIDTH];
  memcpy(m, at, sizeof m);
  m[CONTROLLER_NQ - 1] += (controller_real)off;
  if (FORM == 2) m[2 * CONTROLLER_NQ - 1] += (controller_real)off;
  for (int i = 0; i < CALLS; i++) {
    measure(&c, k, 0, m);
    change[i] = 0;
    for (int j = 0; j < CONTROLLER_STAGES * CONTROLLER_NU; j++) change[i] += fabs((double)c.du[j]);
  }
}

// A call is one step of the Gauss-Newton method. Its rate grows with the distance of the best motion from
// the reference; far away, as that of a goal is at first, the method need not converge. So the motion is at
// rest at the end of the plan, or that of the trace if the reference ends elsewhere or has outputs.
static PLAIN void calls_again(void) {
  static const double off[] = {0.1, 0.025};
  const int n = CONTROLLER_NQ, steps = CONTROLLER_STEPS;
  const controller_real *end = row(&costs.y, steps);
  const int rests = costs.period == 0 && costs.track.rows == 0 &&
                    !memcmp(end, row(&law_state.y_d, steps), (size_t)n * sizeof *end);
  controller_real m[WIDTH] = {0};
  double rate[2];
  memcpy(m, end, (size_t)(FORM == 0 ? 2 * n : n) * sizeof *m);
#if FORM == 2
  memcpy(m + n, end, (size_t)n * sizeof *m);
  memcpy(m + 2 * n, row(&costs.u, steps), CONTROLLER_NU * sizeof *m);
#endif
  for (int i = 0; i < 2; i++) {
    double change[CALLS];
    if (rests)
      controller_begin(&c);
    else
      follow(&c, ROWS);
    corrections(rests ? steps : ROWS - 1, rests ? m : measured[ROWS - 1], off[i], change);
    rate[i] = change[1] / change[0];
    fact("a second call improves the first, nearby by half", rate[i] < (i == 0 ? 1 : 0.5));
  }
  fact("calls improve faster nearer to the reference", !rests || rate[1] < rate[0] / 3);
}

static PLAIN void calls_at_other_knots(void) {
  controller_real first[CONTROLLER_NU];
  follow(&c, 3);
  call(&c, 6);
  fact("knots may be missed",
       c.ended[CONTROLLER_FELL_BACK] == 0 && c.unprepared == 1 && c.knot == 6 + costs.late);
  // backwards: from the plan, as a new motion
  give_reference(&c, 1);
  call(&c, 1);
  memcpy(first, u, sizeof u);
  controller_begin(&other);
  give_reference(&other, 1);
  call(&other, 1);
  fact("an earlier knot begins from the plan", !memcmp(first, u, sizeof u));
}

static PLAIN void calls_after_a_reset(void) {
  controller_real first[CONTROLLER_NU];
  follow(&c, 3);
  give_reference(&c, 3);
  controller_prepare(&c, 3);
  controller_reset(&c);
  call(&c, 3);
  memcpy(first, u, sizeof u);
  fact("a reset keeps the counts", calls_of(&c) == 4 && c.unprepared == 1);
  controller_begin(&other);
  give_reference(&other, 3);
  call(&other, 3);
  fact("a reset begins from the plan", !memcmp(first, u, sizeof u));
  follow(&other, 3);
  give_reference(&other, 3);
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
  calls_again();
  calls_after_a_reset();
  calls_without_numbers();
  return failures != 0;
}

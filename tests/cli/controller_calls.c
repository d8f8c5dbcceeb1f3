// Calls of an exported law by everything odd: included by the program that controller.py writes, after
// the law's own numbers. What controller.h says of calls is held of each function.

enum { CALLS = sizeof calls / sizeof *calls, DRAWS = 20000 };

static int wrong;

// the same numbers for every law
static unsigned draw(unsigned n) {
  static uint64_t at = 1;
  uint64_t z = (at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (unsigned)((z ^ (z >> 31)) >> 33) % n;
}

static void claim(const struct call *c, const char *what, int holds) {
  if (holds || wrong++ > 10) return;
  printf("%s, %s: u = %g, k = %d, t = %g, age = %g, hold = %g, y =", c->name, what, (double)u[0], k,
         (double)t, (double)age, (double)hold);
  for (int i = 0; i < c->measured; i++) printf(" %g", (double)y[i]);
  printf("\n");
}

static const controller_real odd[] = {(controller_real)NAN, INFINITY, -INFINITY};

static void measure_plainly(const struct call *c) {
  for (int i = 0; i < c->measured; i++)
    y[i] = ((controller_real)draw(2001) - 1000) / (controller_real)2000;
}

// any values: numbers, infinities and NaN
static void measure_oddly(const struct call *c) {
  const controller_real any[] = {
      0,      1,      -3,    (controller_real)1e30, (controller_real)-1e30, LARGEST, -LARGEST,
      odd[0], odd[1], odd[2]};
  measure_plainly(c);
  for (int i = 0; i < c->measured; i++)
    if (draw(4) == 0) y[i] = any[draw(sizeof any / sizeof *any)];
}

static void ask_at_any_time(void) {
  const int knot[] = {INT_MIN, -1, 0, 1, CONTROLLER_STEPS - 1, CONTROLLER_STEPS, INT_MAX};
  const controller_real time[] = {
      -LARGEST, -1,     0,      STEP,  END, END + STEP, (controller_real)1e9,
      LARGEST,  odd[0], odd[1], odd[2]};
  k = draw(2) ? knot[draw(sizeof knot / sizeof *knot)] : (int)draw(CONTROLLER_STEPS);
  t = draw(2) ? time[draw(sizeof time / sizeof *time)] : END * (controller_real)draw(1000) / 900;
  age = draw(4) ? STEP * (controller_real)draw(5) / 2 : time[draw(sizeof time / sizeof *time)];
  hold = draw(4) ? STEP * (controller_real)draw(9) / 3 : time[draw(sizeof time / sizeof *time)];
}

// for any measurement and time: u is within limits, and the memory stays finite
static void answer_anything(const struct call *c) {
  for (int i = 0; i < DRAWS; i++) {
    if (i % 40 == 0) begin();
    measure_oddly(c);
    ask_at_any_time();
    if (c->decides)
      u[0] = odd[0];
    else
      u[0] = low[0] / 2 + high[0] / 2;
    c->run();
    claim(c, "within limits", holds());
  }
}

static controller_real ask_afresh(const struct call *c, int at, controller_real when,
                                  controller_real old) {
  begin();
  k = at;
  t = when;
  age = old;
  c->run();
  return u[0];
}

// before the start as at the start, after the end as at the end; an age below 0 is 0
static void go_beyond_the_ends(const struct call *c) {
  hold = STEP;
  for (int i = 0; i < 200; i++) {
    measure_plainly(c);
    const controller_real first = ask_afresh(c, 0, 0, 0);
    claim(c, "before the start", ask_afresh(c, -7, -3 * STEP, 0) == first);
    claim(c, "long before it", ask_afresh(c, INT_MIN, -LARGEST, 0) == first);
    claim(c, "an age below 0", ask_afresh(c, 0, 0, -STEP) == first);
    const controller_real last = ask_afresh(c, CONTROLLER_STEPS, END + 3 * STEP, 0);
    claim(c, "long after the end", ask_afresh(c, INT_MAX, (controller_real)1e6, 0) == last);
  }
}

// a hold that is no number is a step, one below 0 is none, and the longest is 63 steps
static void hold_oddly(const struct call *c) {
  const controller_real as[][2] = {{odd[0], STEP},       {STEP * (1 + ROUNDING / 2), STEP},
                                   {-STEP, 0},           {-LARGEST, 0},
                                   {odd[2], 0},          {odd[1], 70 * STEP},
                                   {LARGEST, 64 * STEP}, {0, STEP * ROUNDING / 2}};
  if (!strstr(c->name, "_hold")) return;
  for (int i = 0; i < 200; i++) {
    measure_plainly(c);
    const controller_real when = END * (controller_real)draw(1000) / 900;
    for (unsigned j = 0; j < sizeof as / sizeof *as; j++) {
      hold = as[j][1];
      const controller_real same = ask_afresh(c, 0, when, STEP / 3);
      hold = as[j][0];
      claim(c, "an odd hold", ask_afresh(c, 0, when, STEP / 3) == same);
    }
  }
  hold = STEP;
}

// the same call twice, and calls in reverse order, of functions without memory
static void ask_in_any_order(const struct call *c) {
  enum { N = 50 };
  controller_real kept[N][CONTROLLER_NU];
  measure_plainly(c);
  for (int i = 0; i < 3 * N; i++) {
    // forwards, backwards, forwards with each asked twice
    const int at = i < N || i >= 2 * N ? i % N : 2 * N - 1 - i;
    k = at * CONTROLLER_STEPS / N;
    t = END * (controller_real)at / N;
    age = STEP / 2;
    for (int again = 0; again < (i < N ? 1 : 2); again++) {
      c->run();
      if (i < N) memcpy(kept[at], u, sizeof u);
      claim(c, "the same again", memcmp(kept[at], u, sizeof u) == 0);
    }
  }
}

// of what keeps nothing: what is not finite gives the plan's input, whatever else is measured
static void take_the_plan(const struct call *c) {
  controller_real planned[CONTROLLER_NU];
  for (int i = 0; i < 500; i++) {
    k = (int)draw(CONTROLLER_STEPS);
    t = END * (controller_real)draw(1000) / 1000;
    age = 0;
    for (int j = 0; j < 20; j++) {
      measure_plainly(c);
      y[draw((unsigned)c->measured)] = odd[draw(3)];
      c->run();
      if (j == 0) memcpy(planned, u, sizeof u);
      claim(c, "the plan's input", memcmp(planned, u, sizeof u) == 0);
    }
  }
}

// what is kept by time: the same call again changes nothing, nor does one that is older than it
static void go_back_in_time(const struct call *c) {
  const int timed = strstr(c->name, "_at") || strstr(c->name, "_hold");
  controller_real was[CONTROLLER_NU];
  if (!timed) return;
  for (int i = 0; i < 200; i++) {
    begin();
    age = 0;
    for (int j = 0; j < 10; j++) {
      measure_plainly(c);
      t = STEP * (controller_real)(j + (int)draw(2));
      c->run();
      claim(c, "within limits in turn", holds());
    }
    memcpy(was, u, sizeof u);
    c->run();
    claim(c, "the same call again", memcmp(was, u, sizeof u) == 0);
#ifdef KEEPS_ESTIMATE
    const controller_filter before = filter;
    t = STEP;
    y[0] = 1;
    c->run();
    claim(c, "an older reading", memcmp(before.z, filter.z, sizeof before.z) == 0 && holds());
#endif
  }
}

int main(void) {
  for (const struct call *c = calls; c < calls + CALLS; c++) {
    answer_anything(c);
    if (!c->decides) continue;
    go_beyond_the_ends(c);
    hold_oddly(c);
    go_back_in_time(c);
    if (!c->plain) continue;
    ask_in_any_order(c);
    take_the_plan(c);
  }
  return wrong != 0;
}

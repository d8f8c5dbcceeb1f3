// Limit cycles of walkers and a rolling wheel, as phases with touches, impacts, exchanged legs and travel. The
// published values are of continuous equations, by shooting at 1e-13; a plan has an error of order h2.
#include "optim/program/cycle.h"
#include "optim/solution.h"
#include "tests/support/robots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dm_message msg;

// -- a cycle

// compared: the time, the objective, and (q,v) at the start of the first phase
typedef struct cycle {
  double T, objective;
  double q[8], v[8];
  double re[16], im[16]; // the multipliers of deviations [2n]
  double slope;          // the largest ratio of the tangential and the normal force at the foot
} cycle;

// solve the phases of a file on grids of N steps
static cycle solve_file(const char *path, int N) {
  pb_problem *p;
  oc_solution *w;
  dm_trajectory **guess = NULL;
  char steps[16], at[2][40];
  cycle c = {0};
  snprintf(steps, sizeof steps, "%d", N);
  for (int i = 0; i < 2; i++) snprintf(at[i], sizeof at[i], "phases.%d.horizon.steps", i);
  const pb_replace list[] = {{.path = at[0], .text = steps}, {.path = at[1], .text = steps}};
  if (pb_problem_vary(&p, path, list, 1, &msg) != DM_OK) fail_msg("%s", msg.text);
  const int n = p->phases.n;
  pb_problem_free(p);
  if (pb_problem_vary(&p, path, list, n, &msg) != DM_OK) fail_msg("%s", msg.text);

  const oc_phases_task task = pb_phases_task(&p->phases);
  if (oc_solution_of_phases(&w, &task, NULL, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_int_equal(oc_solution_motions(w, &guess), DM_OK);
  assert_int_equal(pb_phases_guess(&p->phases, guess), DM_OK);
  assert_int_equal(oc_solution_start_phases(w, (const dm_trajectory *const *)guess), DM_OK);
  if (oc_solution_find(w, &msg) < 0) fail_msg("%s", msg.text);
  assert_int_equal(w->info.status, DM_OK);

  for (int i = 0; i < n; i++) c.T += w->motions[i]->N * w->motions[i]->h;
  c.objective = w->info.objective;
  const dm_trajectory *a = w->motions[0];
  for (int k = 0; a->nc == 2 && k < a->N; k++)
    c.slope = fmax(c.slope, fabs(a->lambda[2 * k + 1]) / -a->lambda[2 * k]);
  const dm_trajectory *x = w->motions[0];
  memcpy(c.q, x->q, (size_t)x->n * sizeof *c.q);
  memcpy(c.v, x->v, (size_t)x->n * sizeof *c.v);
  assert_int_equal(
      oc_cycle_multipliers(&task, (const dm_trajectory *const *)w->motions, NULL, c.re, c.im),
      DM_OK);
  oc_solution_free_motions(guess, n);
  oc_solution_free(w);
  pb_problem_free(p);
  return c;
}

static cycle solve_worked(const char *name, int N) {
  char path[400];
  const char *source = getenv("DMOC_SOURCE");
  snprintf(path, sizeof path, "%s/problems/walking/%s.yaml", source ? source : ".", name);
  return solve_file(path, N);
}

static cycle solve_text(const char *text, int N) {
  return solve_file(put_file(folder, "cycle.yaml", text), N);
}

// a worked problem with more lines
static cycle solve_with(const char *name, const char *more, int N) {
  char path[400], text[6000];
  const char *source = getenv("DMOC_SOURCE");
  const int head =
      snprintf(text, sizeof text, "folder: %s/problems/walking\n%s", source ? source : ".", more);
  snprintf(path, sizeof path, "%s/problems/walking/%s.yaml", source ? source : ".", name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[head + (int)fread(text + head, 1, sizeof text - (size_t)head - 1, file)] = 0;
  fclose(file);
  return solve_text(text, N);
}

// -- published values

static double read_time(const cycle *c) {
  return c->T;
}
static double read_wheel_rate(const cycle *c) {
  return hypot(c->v[0], c->v[1]); // about the foot, at 1 m
}
static double read_stance(const cycle *c) {
  return c->q[2];
}
static double read_stance_rate(const cycle *c) {
  return c->v[2];
}
static double read_swing_rate(const cycle *c) {
  return c->v[3];
}
static double read_largest_multiplier(const cycle *c) {
  double largest = 0;
  for (int i = 0; i < 16; i++) largest = fmax(largest, hypot(c->re[i], c->im[i]));
  return largest;
}
static double read_apex(const cycle *c) {
  return c->q[1] + c->v[1] * c->v[1] / (2 * 9.81); // before the touch-down with this velocity
}
static double read_negative_multiplier(const cycle *c) {
  double least = 0;
  for (int i = 0; i < 16; i++)
    if (c->im[i] == 0) least = fmin(least, c->re[i]);
  return least;
}
static double read_real_multiplier(const cycle *c) {
  double largest = 0;
  for (int i = 0; i < 16; i++)
    if (c->im[i] == 0) largest = fmax(largest, c->re[i]);
  return largest;
}

static void limit_cycles_have_published_values_with_errors_of_order_h2(void **state) {
  (void)state;
  const double slope = acos(-1) / 60; // the published angles are from the vertical
  const struct {
    const char *name;
    double (*read)(const cycle *);
    double value;
    double within; // tolerance of the extrapolated value
    bool odd;      // are there errors of odd orders?
  } rows[] = {
      {"rimless-wheel", read_time, 1.034549811423, 1e-11, false},
      {"rimless-wheel", read_wheel_rate, 1.095462839648, 1e-11, false},
      {"rimless-wheel", read_largest_multiplier, 0.5, 1e-8, true},
      {"compass", read_time, 0.7343463911588, 1e-11, false},
      {"compass", read_stance, -0.2186688029390 - slope, 1e-11, false},
      {"compass", read_stance_rate, 1.0923835898836, 1e-11, false},
      {"compass", read_swing_rate, 0.3773739489072, 1e-11, false},
      {"compass", read_largest_multiplier, hypot(0.1997261268300, 0.5444760620947), 1e-8, true},
      {"compass", read_real_multiplier, 0.1315726240772, 1e-8, true},
      // for feet without mass
      {"simplest", read_time, 3.882463752851, 1e-6, false},
      {"simplest", read_stance_rate, 0.1998324730050, 1e-6, false},
      {"slip", read_apex, 0.9402671444, 1e-10, false},
      {"slip", read_negative_multiplier, -0.1613077, 1e-7, true},
  };
  enum { GRIDS = 5 };
  cycle c[GRIDS];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double off[GRIDS];
    if (i == 0 || strcmp(rows[i].name, rows[i - 1].name) != 0)
      for (int k = 0; k < GRIDS; k++) c[k] = solve_worked(rows[i].name, 20 << k);
    for (int k = 0; k < GRIDS; k++) off[k] = rows[i].read(&c[k]) - rows[i].value;

    // Each halving of the step divides the change by 4; without its leading term it is of order h4. For
    // multipliers it is of order h3: deviations change the last step, and no other.
    for (int k = 2; k < GRIDS; k++) {
      const double ratio = (off[k - 2] - off[k - 1]) / (off[k - 1] - off[k]);
      if (fabs(ratio - 4) > 0.6 / (rows[i].odd ? 1 << (k - 2) : 1 << (2 * k - 4)))
        fail_msg("row %zu: the change at %d steps is divided by %g", i, 20 << k, ratio);
    }
    // Richardson's extrapolation takes one order after the other away: h2, h4, h6, or h2, h3, h4
    for (int e = 1; e < GRIDS; e++)
      for (int k = GRIDS - 1; k >= e; k--)
        off[k] += (off[k] - off[k - 1]) / (pow(2, rows[i].odd ? e + 1 : 2 * e) - 1);
    const double rest = off[GRIDS - 1];
    if (fabs(rest) > rows[i].within) fail_msg("row %zu: extrapolated, it is off by %g", i, rest);
  }
}

// the least effort of a periodic step: successive differences of the objective are divided by 4
static void a_step_of_five_links_converges_with_h2(void **state) {
  (void)state;
  double J[4];
  for (int k = 0; k < 4; k++) J[k] = solve_worked("five-link", 20 << k).objective;
  for (int k = 2; k < 4; k++) {
    const double ratio = (J[k - 2] - J[k - 1]) / (J[k - 1] - J[k]);
    if (fabs(ratio - 4) > 0.02) fail_msg("differences are divided by %g", ratio);
  }
}

// With less friction than the cheapest step uses, the step costs more and stays in the cone; with enough friction,
// also for the impact, it is the same.
static void a_pinned_foot_stays_in_its_cone(void **state) {
  (void)state;
  const int N = 20;
  const cycle best = solve_worked("five-link", N);
  for (int slippery = 0; slippery < 2; slippery++) {
    const double friction = best.slope * (slippery ? 0.9 : 3);
    char more[100];
    snprintf(more, sizeof more, "bounds: {friction: {pin: %.6f}}\n", friction);
    const cycle c = solve_with("five-link", more, N);
    assert_true(c.slope <= friction * (1 + 1e-6));
    if (slippery)
      assert_true(c.objective > best.objective * 1.001);
    else
      assert_true(fabs(c.objective - best.objective) < 1e-7 * best.objective);
  }
}

// -- the same cycle in other words

#define COMPASS(parent, rest)                                                                      \
  "model:\n"                                                                                       \
  "  gravity: [0.5134157307432791, 0, -9.79655573594237]\n"                                        \
  "  bodies:\n"                                                                                    \
  "    - {name: hip, joints: [tx, tz], mass: 10}\n"                                                \
  "    - {name: left, parent: hip, joints: [{name: left, type: ry}], mass: 5, centre: [0, 0, "     \
  "-0.5]}\n"                                                                                       \
  "    - {name: right, parent: " parent                                                            \
  ", joints: [{name: right, type: ry}], mass: 5, centre: [0, 0, -0.5]}\n"                          \
  "inputs: []\n"                                                                                   \
  "start: {q: free, v: free, assemble: none}\n" rest

#define PIN(leg)                                                                                   \
  "{constraints: [{name: pin, type: line, bodies: [" leg                                           \
  ", world], points: [[0, 0, -1], [0, 0, 0]], axis: [0, 1, 0]}]}"
#define FOOT(leg) "{name: foot, type: height, bodies: " leg ", points: [0, 0, -1], axis: [0, 0, 1]}"

// with the angle of one leg relative to the other: exchanged by a sum of angles
static const char relative[] = COMPASS(
    "left",
    "outputs: [" FOOT("right") ", {name: sum, type: sum, "
                               "coordinates: [left, right]}]\n"
                               "guess: {csv: relative.csv}\n"
                               "phases:\n"
                               "  - name: step\n"
                               "    model: " PIN(
                                   "left") "\n"
                                           "    until: {touch: foot, clear: false}\n"
                                           "    horizon: {steps: 20, time: {free: [0.5, 1]}}\n"
                                           "    join: {into: {left: sum}, mirror: [right], travel: "
                                           "{hip.tx: free}}\n");

// both legs keep their names in a cycle of two steps
static const char both[] = COMPASS(
    "hip",
    "phases:\n"
    "  - name: on-left\n"
    "    model: " PIN(
        "left") "\n"
                "    outputs: [" FOOT(
                    "right") "]\n"
                             "    until: {touch: foot, clear: false}\n"
                             "    horizon: {steps: 20, time: {free: [0.5, 1]}}\n"
                             "    guess: {csv: left.csv}\n"
                             "    join: {travel: {hip.tx: free}}\n"
                             "  - name: on-right\n"
                             "    model: " PIN(
                                 "right") "\n"
                                          "    outputs: [" FOOT(
                                              "left") "]\n"
                                                      "    until: {touch: foot, clear: false}\n"
                                                      "    horizon: {steps: 20, time: {free: [0.5, "
                                                      "1]}}\n"
                                                      "    guess: {csv: right.csv}\n"
                                                      "    join: {travel: {hip.tx: free}}\n");

// the motion of a guess: a leg at the angle a(t) carries the hip, the other is at b(t)
static void put_guess(const char *name, bool swapped, bool is_relative) {
  char text[2000] = "t,q.hip.tx,q.hip.tz,q.left,q.right\n";
  for (int k = 0; k <= 10; k++) {
    const double a = -0.27 + 0.054 * k, b = is_relative ? -2 * a : -a;
    const size_t at = strlen(text);
    snprintf(text + at, sizeof text - at, "%g,%.4f,%.4f,%.4f,%.4f\n", 0.075 * k, sin(a), cos(a),
             swapped ? b : a, swapped ? a : b);
  }
  put_file(folder, name, text);
}

static void legs_are_exchanged_by_names_sums_or_phases(void **state) {
  (void)state;
  const double same = 1e-9; // the tolerance of the searches
  put_guess("relative.csv", false, true);
  put_guess("left.csv", false, false);
  put_guess("right.csv", true, false);
  const cycle by_name = solve_worked("compass", 20);
  const cycle by_sum = solve_text(relative, 20), two = solve_text(both, 20);
  assert_true(fabs(by_sum.T - by_name.T) < same && fabs(two.T - 2 * by_name.T) < same);
  for (int i = 0; i < 4; i++) {
    assert_true(fabs(two.q[i] - by_name.q[i]) < same && fabs(two.v[i] - by_name.v[i]) < same);
    const double q = by_sum.q[i] + (i == 3 ? by_sum.q[2] : 0);
    const double v = by_sum.v[i] + (i == 3 ? by_sum.v[2] : 0);
    assert_true(fabs(q - by_name.q[i]) < same && fabs(v - by_name.v[i]) < same);
  }
}

static int close_cycles(void **state) {
  static const char *const name[] = {"cycle.yaml", "relative.csv", "left.csv", "right.csv"};
  for (int i = 0; i < 4; i++) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  return close_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limit_cycles_have_published_values_with_errors_of_order_h2),
      cmocka_unit_test(a_step_of_five_links_converges_with_h2),
      cmocka_unit_test(a_pinned_foot_stays_in_its_cone),
      cmocka_unit_test(legs_are_exchanged_by_names_sums_or_phases),
  };
  return cmocka_run_group_tests(tests, open_folder, close_cycles);
}

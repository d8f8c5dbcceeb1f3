// Dry friction in joints: a step of the map, and a plan, of an arm of two links without friction, with Coulomb's, and
// with friction that falls with speed.
#include "benchmarks/figures.h"
#include "problems/readers/task/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 5, STEPS = 2000 };

static const struct {
  const char *name, *shoulder, *elbow;
} rows[] = {
    {"without", "viscous: 0", "viscous: 0"},
    {"coulomb", "force: 2", "force: 0.8"},
    {"stribeck", "force: 2, static: 3, stribeck: 0.5", "force: 0.8, static: 1.2, stribeck: 0.5"}};

static pb_problem *read_arm(const char *shoulder, const char *elbow) {
  char path[] = "/tmp/dmoc-bench-XXXXXX";
  const int at = mkstemp(path);
  FILE *f = at < 0 ? NULL : fdopen(at, "w");
  bench_need(f ? DM_OK : DM_IO, "a file in /tmp");
  fprintf(
      f,
      "model:\n  bodies:\n"
      "    - {name: upper, joints: [{name: shoulder, type: ry}], mass: 1, centre: [0, 0, -0.5]}\n"
      "    - {name: lower, parent: upper, offset: {xyz: [0, 0, -1]}, mass: 1.5,\n"
      "       joints: [{name: elbow, type: ry}], centre: [0, 0, -0.7]}\n"
      "  friction: [{joint: shoulder, %s}, {joint: elbow, %s}]\n"
      "inputs: [{joint: shoulder, effort: 60}, {joint: elbow, effort: 25}]\n"
      "horizon: {steps: 100, time: 1.5}\nstart: {q: 0, v: 0}\n"
      "goal: {q: {shoulder: 2, elbow: -1}, v: 0}\ncost: {input: 1}\n",
      shoulder, elbow);
  fclose(f);
  pb_problem *p;
  dm_message msg;
  const dm_status s = pb_problem_read(&p, path, &msg);
  unlink(path);
  bench_need(s, s == DM_OK ? "" : msg.text);
  return p;
}

// a step of a swing from the horizontal, us
static double time_step(const dm_system *s, double h) {
  dm_knot_step *knots = NULL;
  dm_del *del = NULL;
  if (s->contacts)
    bench_need(dm_knot_step_new(&knots, s), "steps with friction");
  else
    bench_need(dm_del_new(&del, s, NULL), "steps");
  double us = INFINITY;
  for (int r = 0; r < RUNS; r++) {
    double q[2] = {acos(-1) / 2, 0}, p[2] = {0}, q1[2];
    const double u[2] = {0}, start = bench_now();
    for (int k = 0; k < STEPS; k++) {
      memcpy(q1, q, sizeof q);
      dm_del_info info;
      bench_need(knots ? dm_knot_step_take(knots, 1, q, p, u, h, q1, p)
                       : dm_del_step(del, q, p, u, h, q1, p, &info),
                 "a step");
      memcpy(q, q1, sizeof q);
    }
    us = fmin(us, 1e6 * (bench_now() - start) / STEPS);
  }
  dm_knot_step_free(knots);
  dm_del_free(del);
  return us;
}

static double time_plan(const oc_task *task, oc_solve_info *info) {
  double ms = INFINITY;
  for (int r = 0; r < RUNS; r++) {
    dm_trajectory *x;
    dm_message msg = {""};
    oc_setup set = oc_setup_default();
    const double start = bench_now();
    bench_need(oc_solve(task, &set, &x, info, &msg), msg.text);
    ms = fmin(ms, 1e3 * (bench_now() - start));
    dm_trajectory_free(x);
  }
  return ms;
}

void bench_friction(void) {
  if (!bench_wanted("friction")) return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[64];
    pb_problem *p = read_arm(rows[i].shoulder, rows[i].elbow);
    oc_solve_info info;
    snprintf(text, sizeof text, "friction.%s.step_us", rows[i].name);
    bench_print(text, time_step(&p->task.system, 0.015), "us");
    const double ms = time_plan(&p->task, &info);
    snprintf(text, sizeof text, "friction.%s.plan_ms", rows[i].name);
    bench_print(text, ms, "ms");
    snprintf(text, sizeof text, "friction.%s.iterations", rows[i].name);
    bench_print(text, info.iterations, "iterations");
    pb_problem_free(p);
  }
}

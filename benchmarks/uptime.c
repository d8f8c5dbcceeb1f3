// benchmarks/uptime.c: the share of time that a double pendulum with one motor is up, although it is pushed to random
// states, as the boards of [olympics-2025] in docs/sources.md define it: 60 s from hanging at rest, by the equations of
// outside/double_pendulum.h in steps of 2 ms. Near 15 even times, each off by at most 1 s, the controller is switched off,
// and both joints' motors of 6 N m move towards random angles for 0.2 s, by P, I and D of 10, 0.1 and 1 and with gravity
// compensated; the derivative and the integral take 1 ms for a step, as in the boards' program. Up means: the tip is
// higher than 0.45 m.
//
//   uptime [--runs RUNS] [--plans PLANS] [--each] acrobot|pendubot...
//
// The controller has a table of PLANS swing-ups (uptime_plans.h) from ends of pushes that no run has. Prints a line for each
// robot: the mean, least and largest share of RUNS runs.
#include "benchmarks/outside/double_pendulum.h"
#include "benchmarks/uptime_plans.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 30000, PUSHES = 15, PUSH = 101 };
static const double TURN = 6.283185307179586, MOST = 6;

// the motors of a push; they remember the errors of pushes before
typedef struct pusher {
  int calls;
  double goal[2], before[2], sum[2];
} pusher;

static double uniform(uint64_t *at) {
  uint64_t z = (*at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double clip(double x, double most) {
  return fmax(-most, fmin(most, x));
}

static void push(pusher *w, const double *x, double *torque) {
  const double still[4] = {x[0], x[1], 0, 0}, dt = 1e-3;
  double M[3], a[4], none[2] = {0, 0};
  rate(&MODEL, still, none, a);
  mass_matrix(&MODEL, x[1], M);
  // -M a: the torques that gravity needs
  const double held[2] = {-(M[0] * a[2] + M[1] * a[3]), -(M[1] * a[2] + M[2] * a[3])};
  w->calls++;
  for (int i = 0; i < 2; i++) {
    const double e = w->goal[i] - x[i];
    w->sum[i] += e;
    const double slope = w->calls > 2 ? (e - w->before[i]) / dt : 0;
    torque[i] = clip(clip(10 * e + 0.1 * w->sum[i] * dt + slope, MOST) + held[i], MOST);
    w->before[i] = e;
  }
}

static void draw_goal(pusher *w, uint64_t *at) {
  for (int i = 0; i < 2; i++) w->goal[i] = TURN * uniform(at) - TURN / 2;
}

// ends of pushes from upright, each fourth from the end of the one before; the first is hanging at rest: [count x 4]
static double *draw_starts(int count) {
  double *x = calloc((size_t)count, 4 * sizeof *x);
  bench_need(x ? DM_OK : DM_NO_MEMORY, "memory");
  uint64_t at = 0;
  pusher w = {0};
  for (int i = 1; i < count; i++) {
    double *to = &x[4 * i], torque[2];
    to[0] = TURN / 2;
    if (i % 4 == 0) memcpy(to, to - 4, 4 * sizeof *to);
    draw_goal(&w, &at);
    for (int k = 0; k < PUSH; k++) {
      push(&w, to, torque);
      step(&MODEL, to, torque);
    }
  }
  return x;
}

// the step of the push with this number, from 1
static int draw_time(int number, uint64_t *at) {
  return (int)((3.75 * number + 2 * uniform(at) - 1) / DT);
}

// the share of a run; *recovered: of how many pushes the tip is up at the next one, or at the end
static double run(uptime_plans *plans, bool elbow, uint64_t seed, int *recovered) {
  uint64_t at = (seed + 1) << 32;
  pusher w = {0};
  double x[4] = {0}, u = 0;
  int up = 0, pushes = 0, pushed = 0, since = 0;
  int when = draw_time(1, &at);
  *recovered = 0;
  uptime_plans_reset(plans);
  for (int k = 0; k < SAMPLES; k++) {
    double torque[2] = {0};
    if (k >= when && pushed == 0 && pushes < PUSHES) {
      draw_goal(&w, &at);
      *recovered += uptime_is_up(x);
      pushed = PUSH;
      when = draw_time(++pushes + 1, &at);
    }

    // the push, or every fifth step the controller
    if (pushed > 0) {
      push(&w, x, torque);
      if (--pushed == 0) uptime_plans_reset(plans), since = 0;
    } else {
      if (since++ % UPTIME_EVERY == 0) u = uptime_plans_torque(plans, x);
      torque[elbow] = u;
    }
    step(&MODEL, x, torque);
    up += uptime_is_up(x);
  }
  *recovered += uptime_is_up(x);
  return up / (double)SAMPLES;
}

static void score(const char *robot, int runs, int count, bool each) {
  const bool elbow = !strcmp(robot, "acrobot");
  double *starts = draw_starts(count), sum = 0, least = 1, largest = 0, time = 0;
  uptime_plans *plans = uptime_plans_new(elbow, count, starts);
  const int n = uptime_plans_count(plans);
  int all = 0;
  bench_need(n > 0 ? DM_OK : DM_INFEASIBLE, "a plan");
  for (int i = 0; i < n; i++) time += uptime_plans_time(plans, i) / n;
  for (int i = 0; i < runs; i++) {
    int recovered;
    const double share = run(plans, elbow, (uint64_t)i + 1, &recovered);
    if (each)
      printf("  run %d: %.3f, up at the end of %d of %d times\n", i, share, recovered, PUSHES + 1);
    fflush(stdout);
    sum += share;
    all += recovered;
    least = fmin(least, share);
    largest = fmax(largest, share);
  }
  printf("%s: score %.3f, least %.3f, largest %.3f of %d runs; up at the end of %d of %d times; %d "
         "plans of %.2f s; %.1f ms for a "
         "choice\n",
         robot, sum / runs, least, largest, runs, all, runs * (PUSHES + 1), n, time,
         1e3 * uptime_plans_choice_time(plans));
  uptime_plans_free(plans);
  free(starts);
}

int main(int argc, char **argv) {
  int runs = 20, plans = 100, i = 1;
  bool each = false;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "--each"))
      each = true;
    else if (i + 1 < argc && !strcmp(argv[i], "--runs"))
      runs = atoi(argv[++i]);
    else if (i + 1 < argc && !strcmp(argv[i], "--plans"))
      plans = atoi(argv[++i]);
    else
      return 2;
  }
  if (i == argc || runs < 1 || plans < 1) return 2;
  for (; i < argc; i++) {
    if (strcmp(argv[i], "acrobot") && strcmp(argv[i], "pendubot")) return 2;
    score(argv[i], runs, plans, each);
  }
  return 0;
}

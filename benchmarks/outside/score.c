// benchmarks/outside/score.c: compute the score of a controller.c written by dmoc by the six
// criteria of the double pendulum test bench ([wiebe-2024] in docs/sources.md). The equations of
// motion are those of double_pendulum.h; except for the controller, this program is independent of
// dmoc.
//
//   score LAW H acrobot|pendubot [KEY=VALUE]...
//
// LAW is velocity, positions or difference, H the time between two calls, s, a multiple of 2 ms.
// Keys:
//   seed    of noise and pushes; default: 1
//   passive 1: pushes also act on the joint without a motor, as in the bench's text; 0, the
//   default: only on the motor's joint, as in its program (whose input matrix has no row for the
//   other)
//   list    1: print each failed level
//   counts  encoder counts per revolution of either joint, which measures the nearest of these
//           angles; 0, the default: exact angles
// Prints one line per criterion, `NAME held N of M`, M levels, and the mean of the six fractions.
#include "controller.h"
#include "double_pendulum.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 21, REPEATS = 10, RUNS = 50, PUSHES = 3, LATEST = 32, STEPS = 5000 };
static const double LIMIT = 6;

// disturbances of a run
typedef struct trial {
  machine machine;
  double noise_v, noise_u, response;
  int late;                  // steps of DT
  double push[2][PUSHES][3]; // time, width, height
  uint64_t at;
} trial;

static const char *law;
static int every, motor, passive, list;
static double counts;
static uint64_t seed = 1;

static double uniform(uint64_t *at) {
  uint64_t z = (*at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *at) {
  double r = sqrt(-2 * log(uniform(at)));
  return r * cos(6.283185307179586 * uniform(at));
}

static double push_at(const trial *t, int joint, double time) {
  double sum = 0;
  for (int i = 0; i < PUSHES; i++) {
    const double *p = t->push[joint][i];
    if (p[2] != 0) sum += p[2] * exp(-pow((time - p[0]) / p[1], 2) / 2);
  }
  return sum;
}

// the controller's output for the current and previous measurements
static double ask(int call, const double *seen, const double *before, double acted) {
  double u = 0;
  if (!strcmp(law, "positions")) {
    controller_positions(call, seen, before, &acted, &u);
    return u;
  }

  // the controller finds v by differences, or v is measured
  static controller_rates rates;
  if (call == 0) controller_forget(&rates);
  if (!strcmp(law, "difference"))
    controller_difference(call, &rates, seen, &u);
  else
    controller_velocity(call, seen, &seen[2], &u);
  return u;
}

// the distance of an angle from `from`, modulo one revolution
static double off(double angle, double from) {
  return fabs(remainder(angle - from, 6.283185307179586));
}

// the angle measured by an encoder
static double show(double angle) {
  const double turn = 6.283185307179586;
  return counts > 0 ? rint(angle * counts / turn) * turn / counts : angle;
}

static int survives(trial *t) {
  static double past[STEPS + 1][4];
  double x[4] = {0}, seen[4] = {0}, before[4], u = 0, acts = 0;
  for (int k = 0; k < STEPS; k++) {
    memcpy(past[k], x, sizeof x);

    // the controller, every `every` steps, with measurements `late` steps old
    if (k % every == 0) {
      memcpy(before, seen, sizeof seen);
      memcpy(seen, past[k < t->late ? 0 : k - t->late], sizeof seen);
      for (int i = 0; i < 2; i++) seen[i] = show(seen[i]);
      for (int i = 2; i < 4; i++)
        if (t->noise_v > 0) seen[i] += t->noise_v * normal(&t->at);
      u = ask(k / every, seen, before, u);
    }

    // the motor follows by a fraction per step; its noise and its limit; pushes
    acts += t->response * (u - acts);
    if (t->noise_u > 0) acts += t->noise_u * normal(&t->at);
    acts = fmax(-LIMIT, fmin(LIMIT, acts));
    double torque[2] = {0};
    for (int j = 0; j < 2; j++)
      if (j == motor || passive) torque[j] = push_at(t, j, k * DT);
    torque[motor] += acts;
    step(&t->machine, x, torque);
    acts = torque[motor]; // as in the bench: the next step starts from the total torque
    if (!isfinite(x[0] + x[1] + x[2] + x[3])) return 0;
  }
  return off(x[0], 3.141592653589793) < 0.35 && off(x[1], 0) < 0.35 && fabs(x[2]) < 1 &&
         fabs(x[3]) < 1;
}

static trial calm(uint64_t number) {
  return (trial){
      .machine = MODEL, .response = 1, .at = (seed << 32) + number * 0x632be59bd9b4e019u};
}

static int of_model(int n) {
  static const char *const names[] = {"rotor", "m1r1", "I1", "b1", "dry1",
                                      "m2r2",  "m2",   "I2", "b2", "dry2"};
  int held = 0;
  (void)n;
  for (int p = 0; p < 10; p++) {
    int here = 0;
    for (int l = 0; l < LEVELS; l++) {
      trial t = calm(0);
      machine *w = &t.machine;
      double share = l / (double)(LEVELS - 1), factor = 0.75 + 0.5 * share, sign = 2 * share - 1;
      if (p == 0) w->rotor = 1e-4 * share;
      if (p == 1) w->r1 *= factor;
      if (p == 2) w->I1 *= factor;
      if (p == 3) w->b[0] = 0.1 * sign;
      if (p == 4) w->dry[0] = 0.2 * sign;
      if (p == 5) w->r2 *= factor;
      if (p == 6) w->m2 *= factor;
      if (p == 7) w->I2 *= factor;
      if (p == 8) w->b[1] = 0.1 * sign;
      if (p == 9) w->dry[1] = 0.2 * sign;
      int ok = survives(&t);
      if (list) putchar(ok ? '.' : 'x');
      here += ok;
    }
    if (list) printf(" %s %d\n", names[p], here);
    held += here;
  }
  return held;
}

// a noise level succeeds if more than half of its repetitions do
static int of_noise(int which) {
  int held = 0;
  for (int l = 0; l < LEVELS; l++) {
    int ok = 0;
    for (int r = 0; r < REPEATS; r++) {
      trial t = calm((uint64_t)(1000 * which + l * REPEATS + r));
      double share = l / (double)(LEVELS - 1);
      if (which == 1) t.noise_v = 0.5 * share;
      if (which == 2) t.noise_u = 1.1 * share;
      ok += survives(&t);
    }
    if (list) printf("%d ", ok);
    held += 2 * ok > REPEATS;
  }
  if (list) putchar('\n');
  return held;
}

static int of_motor(int which) {
  int held = 0;
  for (int l = 0; l < LEVELS; l++) {
    trial t = calm(0);
    if (which == 3) t.response = 0.1 + 1.9 * l / (LEVELS - 1);
    if (which == 4) t.late = l;
    int ok = survives(&t);
    if (list) putchar(ok ? '.' : 'x');
    held += ok;
  }
  if (list) putchar('\n');
  return held;
}

// six pushes 1 to 1.5 s apart, three on either joint
static void draw_pushes(trial *t) {
  double time[2 * PUSHES];
  for (int i = 0; i < 2 * PUSHES; i++) time[i] = (i ? time[i - 1] : 0) + 1 + 0.5 * uniform(&t->at);
  for (int i = 2 * PUSHES - 1; i > 0; i--) {
    int j = (int)(uniform(&t->at) * (i + 1));
    double held = time[i];
    time[i] = time[j];
    time[j] = held;
  }
  for (int i = 0; i < 2 * PUSHES; i++) {
    double *p = t->push[i / PUSHES][i % PUSHES];
    p[0] = time[i];
    p[1] = 0.05 + 0.05 * uniform(&t->at);
    double height = 9 * uniform(&t->at) - 4.5;
    p[2] = height + copysign(0.5, height);
  }
}

static int of_pushes(int which) {
  int held = 0;
  for (int r = 0; r < RUNS; r++) {
    trial t = calm((uint64_t)(1000 * which + r));
    draw_pushes(&t);
    int ok = survives(&t);
    if (list) putchar(ok ? '.' : 'x');
    held += ok;
  }
  if (list) putchar('\n');
  return held;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*count)(int), of;
  } criteria[] = {{"model", of_model, 10 * LEVELS},   {"velocity noise", of_noise, LEVELS},
                  {"torque noise", of_noise, LEVELS}, {"torque response", of_motor, LEVELS},
                  {"delay", of_motor, LEVELS},        {"pushes", of_pushes, RUNS}};
  if (argc < 4) return 2;
  law = argv[1];
  every = (int)lround(atof(argv[2]) / DT);
  motor = !strcmp(argv[3], "acrobot");
  for (int i = 4; i < argc; i++) {
    char *is = strchr(argv[i], '=');
    if (!is) return 2;
    if (!strncmp(argv[i], "seed", 4)) seed = (uint64_t)atoll(is + 1);
    if (!strncmp(argv[i], "passive", 7)) passive = atoi(is + 1);
    if (!strncmp(argv[i], "list", 4)) list = atoi(is + 1);
    if (!strncmp(argv[i], "counts", 6)) counts = atof(is + 1);
  }
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    int held = criteria[i].count(i);
    sum += held / (double)criteria[i].of / 6;
    printf("%s held %d of %d\n", criteria[i].name, held, criteria[i].of);
  }
  printf("score %.3f\n", sum);
  return 0;
}

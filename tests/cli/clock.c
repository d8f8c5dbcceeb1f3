// A cart-pole, integrated by Runge and Kutta in steps of 0.25 ms, under an exported law that is asked
// early, late, or by what was measured some time ago.
//
//   clock LAW DELAY LATE JITTER PERIOD    prints of 60 starts how many end within 0.05, and the worst
//   clock                                 prints how many of the claims of controller.h fail
//
// LAW is velocity, velocity_at or state_at; DELAY the age of what is measured; calls come at
// k PERIOD + LATE, off by up to JITTER either way, all in s. The plan is problems/cart-pole's swing-up.
#include "controller.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double step = 0.02, dt = 0.00025, pi = 3.14159265358979323846;

// (q,v)' of a cart of 1 kg with 0.3 kg at 0.5 m: [M, b; b, I] a = [u - m l s w^2, -m g l s]
static void differentiate(const double *x, double u, double *rate) {
  const double s = sin(x[1]), M = 1.3, b = -0.15 * cos(x[1]), I = 0.075;
  const double f = u - 0.15 * s * x[3] * x[3], g = -9.81 * 0.15 * s, det = M * I - b * b;
  rate[0] = x[2];
  rate[1] = x[3];
  rate[2] = (I * f - b * g) / det;
  rate[3] = (M * g - b * f) / det;
}

static void move(double *x, double u) {
  const double part[] = {0, 0.5, 0.5, 1};
  double rate[4][4], y[4];
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 4; i++) y[i] = x[i] + (j ? part[j] * dt * rate[j - 1][i] : 0);
    differentiate(y, u, rate[j]);
  }
  for (int i = 0; i < 4; i++)
    x[i] += dt / 6 * (rate[0][i] + 2 * rate[1][i] + 2 * rate[2][i] + rate[3][i]);
}

// in [-1,1], the same for every law
static double draw(void) {
  static uint64_t at = 1;
  uint64_t z = (at += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return 2 * ((double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0) - 1;
}

static void ask(const char *law, int k, double t, double age, const double *y, double *u) {
  const double b = -0.15 * cos(y[1]), p[] = {1.3 * y[2] + b * y[3], b * y[2] + 0.075 * y[3]};
  if (!strcmp(law, "velocity"))
    controller_velocity(k, y, y + 2, u);
  else if (!strcmp(law, "velocity_at"))
    controller_velocity_at(t, age, y, y + 2, u);
  else
    controller_state_at(t, age, y, p, u);
}

// one motion; how far its end is off the goal
static double run(const char *law, double delay, double late, double jitter, double period) {
  enum { N = 8000 }; // 2 s
  static double past[N + 1][4];
  const double start[4] = {0};
  const int old = (int)lround(delay / dt);
  double x[] = {0.05 * draw(), 0.05 * draw(), 0.1 * draw(), 0.1 * draw()}, u[1];

  // before the first call: what the plan says at its start
  ask(law, 0, 0, 0, start, u);
  for (int i = 0, k = 0, next = (int)lround(fmax(late, 0) / dt); i < N; i++) {
    memcpy(past[i], x, sizeof x);
    if (i >= next) {
      ask(law, k, i * dt, i > old ? delay : i * dt, past[i > old ? i - old : 0], u);
      next = (int)lround((++k * period + late + jitter * draw()) / dt);
    }
    move(x, u[0]);
  }
  return fmax(fmax(fabs(x[0] - 1), fabs(x[1] + pi)), fmax(fabs(x[2]), fabs(x[3])));
}

static int differ(const double *u, const double *v) {
  return memcmp(u, v, sizeof *u) != 0;
}

// what controller.h says of times
static int check_claims(void) {
  const double odd[] = {NAN, INFINITY, -INFINITY}, v[] = {0.3, -0.2};
  double u[1], again[1], q[] = {0.1, -0.2};
  int wrong = 0;
  for (int k = 0; k < CONTROLLER_STEPS; k++) {
    // at knots it is the call by k; repeated it is the same; before now there is no age
    controller_velocity(k, q, v, u);
    controller_velocity_at(k * step, 0, q, v, again);
    wrong += differ(u, again);
    controller_velocity_at(k * step, -1, q, v, again);
    wrong += differ(u, again);
    controller_velocity_at(k * step, 0, q, v, again);
    wrong += differ(u, again);
  }

  // beyond the motion: the law of its start and of its end
  controller_velocity_at(0, 0, q, v, u);
  controller_velocity_at(-1, 0, q, v, again);
  wrong += differ(u, again);
  controller_velocity_at(CONTROLLER_STEPS * step, 0, q, v, u);
  controller_velocity_at(1e30, 0, q, v, again);
  wrong += differ(u, again);
  controller_velocity(CONTROLLER_STEPS, q, v, again);
  wrong += differ(u, again);

  // what is not finite: u as planned, and again what is said of a later call
  for (int j = 0; j < 3; j++) {
    double planned[1], none[] = {odd[j], 0};
    for (double t = 0; t < 2; t += 0.0173) {
      controller_velocity_at(t, 0, none, v, planned);
      controller_velocity_at(t, odd[j], q, v, u);
      wrong += differ(u, planned);
      controller_velocity_at(t, 0, q, none, u);
      wrong += differ(u, planned) || !(fabs(u[0]) <= 20);
    }
    controller_velocity_at(odd[j], 0, q, v, u);
    wrong += !(fabs(u[0]) <= 20);
  }
  return wrong;
}

int main(int n, char **word) {
  if (n < 6) {
    int wrong = check_claims();
    printf("%d\n", wrong);
    return wrong != 0;
  }

  // 60 starts
  double worst = 0;
  int held = 0;
  for (int sample = 0; sample < 60; sample++) {
    double end = run(word[1], atof(word[2]), atof(word[3]), atof(word[4]), atof(word[5]));
    held += end <= 0.05;
    if (!(end <= worst)) worst = end;
  }
  printf("%d %.2g\n", held, worst);
  return 0;
}

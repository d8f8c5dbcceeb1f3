// A cart-pole, integrated by Runge and Kutta in steps of 0.25 ms, under an exported law that is asked
// early, late, or by what was measured some time ago.
//
//   clock LAW DELAY LATE JITTER PERIOD [T]
//                                         prints of 60 starts how many end within 0.05 at T (2) s, and the worst
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

// u of a law; p = M(q) v by the same cart-pole
// by positions with what was read a step before and the mean force since
static void ask(const char *law, int k, double t, double age, const double *y, const double *before,
                double force, double *u) {
  const double b = -0.15 * cos(y[1]);
  const controller_real q[] = {(controller_real)y[0], (controller_real)y[1]};
  const controller_real v[] = {(controller_real)y[2], (controller_real)y[3]};
  const controller_real p[] = {(controller_real)(1.3 * y[2] + b * y[3]),
                               (controller_real)(b * y[2] + 0.075 * y[3])};
  const controller_real b4[] = {(controller_real)before[0], (controller_real)before[1]};
  const controller_real f[] = {(controller_real)force};
  const controller_real now = (controller_real)t, old = (controller_real)age;
  controller_real out[1];
  if (!strcmp(law, "velocity"))
    controller_velocity(k, q, v, out);
  else if (!strcmp(law, "positions_at"))
    controller_positions_at(now, old, q, b4, f, out);
  else if (!strcmp(law, "velocity_at"))
    controller_velocity_at(now, old, q, v, out);
  else
    controller_state_at(now, old, q, p, out);
  u[0] = out[0];
}

// one motion; how far its end is off the goal
static double run(const char *law, double delay, double late, double jitter, double period,
                  double T) {
  enum { MOST = 40000 }; // 10 s
  static double past[MOST + 1][4], pushed[MOST + 1];
  const int back = (int)lround(step / dt);
  const int N = (int)lround(T / dt);
  const double start[4] = {0};
  const int old = (int)lround(delay / dt);
  double x[] = {0.05 * draw(), 0.05 * draw(), 0.1 * draw(), 0.1 * draw()}, u[1];

  // before the first call: the plan at its start
  ask(law, 0, 0, 0, start, start, 0, u);
  for (int i = 0, k = 0, next = (int)lround(fmax(late, 0) / dt); i < N; i++) {
    memcpy(past[i], x, sizeof x);
    if (i >= next) {
      // the reading, that of a step before, and the mean force between
      const int at = i > old ? i - old : 0, from = at > back ? at - back : 0;
      double force = 0;
      for (int j = from; j < at; j++) force += pushed[j] / (at - from);
      ask(law, k, i * dt, i > old ? delay : i * dt, past[at], past[from], force, u);
      next = (int)lround((++k * period + late + jitter * draw()) / dt);
    }
    pushed[i] = u[0];
    move(x, u[0]);
  }
  return fmax(fmax(fabs(x[0] - 1), fabs(x[1] + pi)), fmax(fabs(x[2]), fabs(x[3])));
}

// a law by step, and the same law at any time
typedef void by_step(int k, const controller_real *q, const controller_real *v, controller_real *u);
typedef void by_time(controller_real t, controller_real age, const controller_real *q,
                     const controller_real *v, controller_real *u);
typedef struct law {
  by_step *step;
  by_time *at;
} law;

static int differ(const controller_real *u, const controller_real *v) {
  return memcmp(u, v, sizeof *u) != 0;
}

// whether the law at a time and by a step, of the same (q,v), differ
static int times_differ(law f, double t, double age, int k) {
  const controller_real q[] = {(controller_real)0.1, (controller_real)-0.2}, v[] = {1, -2};
  controller_real by_k[1], at_t[1];
  f.step(k, q, v, by_k);
  f.at((controller_real)t, (controller_real)age, q, v, at_t);
  return differ(by_k, at_t);
}

// what is not finite: u as planned, the same whatever it is that is not
static int check_odd(law f, controller_real odd) {
  const controller_real q[] = {(controller_real)0.1, (controller_real)-0.2}, v[] = {1, -2};
  const controller_real none[] = {odd, 0};
  controller_real planned[1], u[1];
  int wrong = 0;
  for (int i = 0; i < 120; i++) {
    const controller_real t = (controller_real)(0.0173 * i);
    f.at(t, 0, none, v, planned);
    f.at(t, odd, q, v, u);
    wrong += differ(u, planned);
    f.at(t, 0, q, none, u);
    wrong += differ(u, planned) || !(u[0] >= -20 && u[0] <= 20);
  }
  f.at(odd, 0, q, v, u);
  return wrong + !(u[0] >= -20 && u[0] <= 20);
}

// the statements of controller.h on times
static int check_claims(law f) {
  int wrong = 0;
  for (int k = 0; k < CONTROLLER_STEPS; k++) {
    // at knots it is the call by k; twice it is the same; an age below 0 is none
    for (int twice = 0; twice < 2; twice++) wrong += times_differ(f, k * step, 0, k);
    wrong += times_differ(f, k * step, -1, k);
  }

  // beyond the motion: the law of its start and of its end
  wrong += times_differ(f, -1, 0, 0) + times_differ(f, 0, 1, 0) + times_differ(f, 0, 1e30, -7);
  wrong += times_differ(f, 1e30, 0, CONTROLLER_STEPS);
  wrong += times_differ(f, CONTROLLER_STEPS * step, 0, CONTROLLER_STEPS + 7);

  const controller_real odd[] = {(controller_real)NAN, (controller_real)INFINITY,
                                 (controller_real)-INFINITY};
  for (int j = 0; j < 3; j++) wrong += check_odd(f, odd[j]);
  return wrong;
}

// the plan's input over [t, t + hold]: a measurement that is not finite
static double plan_held(double t, double hold) {
  const controller_real none[] = {(controller_real)NAN, 0}, v[] = {0, 0};
  controller_real u[1];
  controller_velocity_hold((controller_real)t, 0, (controller_real)hold, none, v, u);
  return u[0];
}

// Random holds deliver the plan's impulse; over a step it is the law at that time, to the bit.
static int check_holds(void) {
  const controller_real q[] = {(controller_real)0.1, (controller_real)-0.2}, v[] = {1, -2};
  const double end = CONTROLLER_STEPS * step;
  const double within = sizeof(controller_real) == sizeof(double) ? 1e-13 : 1e-4;
  double whole = 0, size = 0;
  int wrong = 0;
  for (int k = 0; k < CONTROLLER_STEPS; k++) {
    whole += step * plan_held(k * step, 0);
    size += step * fabs(plan_held(k * step, 0));
  }
  for (int i = 0; i < 200; i++) {
    const double longest = step * pow(10, draw() * 1.5);
    double given = 0;
    for (double t = 0, next; t < end; t = next) {
      next = fmin(end, t + longest * (1.01 + draw()) / 2);
      given += (next - t) * plan_held(t, next - t);
    }
    wrong += !(fabs(given - whole) <= within * size);
  }
  for (int i = 0; i < 1000; i++) {
    const controller_real t = (controller_real)(0.0023 * i), age = (controller_real)(0.01 * draw());
    const controller_real hold[] = {(controller_real)step, (controller_real)NAN};
    controller_real was[1], u[1];
    controller_velocity_at(t, age, q, v, was);
    for (int j = 0; j < 2; j++) {
      controller_velocity_hold(t, age, hold[j], q, v, u);
      wrong += differ(u, was);
    }
  }
  return wrong;
}

int main(int n, char **word) {
  if (n < 6) {
    const law velocity = {controller_velocity, controller_velocity_at};
    const law state = {controller_state, controller_state_at};
    int wrong = check_claims(velocity) + check_claims(state) + check_holds();
    printf("%d\n", wrong);
    return wrong != 0;
  }

  // 60 starts
  double worst = 0;
  int held = 0;
  for (int sample = 0; sample < 60; sample++) {
    double end = run(word[1], atof(word[2]), atof(word[3]), atof(word[4]), atof(word[5]),
                     n > 6 ? atof(word[6]) : 2);
    held += end <= 0.05;
    if (!(end <= worst)) worst = end;
  }
  printf("%d %.2g\n", held, worst);
  return 0;
}

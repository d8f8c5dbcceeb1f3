// Impacts and contact: steps per second for the two many-body examples of paper 002 and for a gas
// of discs, over whole motions including impacts.
#include "benchmarks/figures.h"
#include "tests/support/particles.h"

enum { RUNS = 7 };

// Microseconds per step: the minimum over several motions with `steps` steps from the start in x,
// which is freed; out: Newton iterations per step.
static double time_motion(particles x, double h, int steps, double *iterations) {
  double us = INFINITY, q[3 * PARTICLES_MOST], p[3 * PARTICLES_MOST];
  memcpy(q, x.q, sizeof q);
  memcpy(p, x.p, sizeof p);
  for (int r = 0; r < RUNS; r++) {
    *iterations = 0;
    memcpy(x.q, q, sizeof q);
    memcpy(x.p, p, sizeof p);
    double start = bench_now();
    for (int k = 0; k < steps; k++) {
      bench_need(particles_step(&x, h), "a step");
      *iterations += x.info.solve.iterations;
    }
    us = fmin(us, 1e6 * (bench_now() - start) / steps);
  }
  *iterations /= steps;
  particles_free(&x);
  return us;
}

static void print_motion(const char *name, particles x, double h, int steps) {
  char text[64];
  double iterations, us = time_motion(x, h, steps, &iterations);
  snprintf(text, sizeof text, "contact.%s.step_us", name);
  bench_print(text, us, "us");
  snprintf(text, sizeof text, "contact.%s.steps_per_s", name);
  bench_print(text, 1e6 / us, "1/s");
  snprintf(text, sizeof text, "contact.%s.iterations", name);
  bench_print(text, iterations, "iterations");
}

void bench_contact(void) {
  if (!bench_wanted("contact")) return;

  // momenta of the chain: sums of twelve random numbers, approximately normal
  double p[18] = {0};
  uint64_t seed = 1;
  for (int j = 0; j < 18; j++)
    for (int k = 0; k < 12; k++) p[j] += models_random(&seed) / 2;
  print_motion("cradle", particles_cradle(2, NULL), 0.01, 5000);
  print_motion("chain", particles_chain(p, NULL), 1e-3, 5000);

  // gases of several sizes, to show how the cost grows with the number of contacts
  static const int side[] = {4, 8, 12};
  for (int i = 0; i < COUNT(side); i++) {
    char name[32];
    snprintf(name, sizeof name, "discs%d", side[i] * side[i]);
    print_motion(name, particles_gas(side[i], NULL), 0.01, 1000);
  }
}

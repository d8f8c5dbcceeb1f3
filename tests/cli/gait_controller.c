// The controller of a gait of one phase: after each touch it gives the bits of its first step, early, late or by time.
//
//   cc -include controller.h gait_controller.c controller.c
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NQ = CONTROLLER_NQ, NU = CONTROLLER_NU, STEPS = 40 };

static const double h = 0.7 / STEPS;
static controller_real q[NQ], v[NQ];

// whether both runs give the same inputs at the times of a step since their phases began
static int walk_alike(controller_run *a, controller_run *b) {
  controller_real u[NU], w[NU];
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < NQ; i++) q[i] = 0.1 * sin(k + i);
    for (int i = 0; i < NQ; i++) v[i] = 0.1 * cos(k + 2 * i);
    const double since = (a->start + k * h) - a->start; // rounded alike
    controller_velocity_at(a, a->start + k * h, 0, q, v, u);
    controller_velocity_at(b, since, 0, q, v, w);
    if (memcmp(u, w, sizeof u) != 0) return 0;
  }
  return 1;
}

int main(void) {
  controller_run a, b;
  controller_real u[NU];
  double touch = 0;

  // touches early and late
  controller_begin(&a);
  a.waits = 1;
  for (int step = 0; step < 6; step++) {
    touch += step % 2 ? 0.75 : 0.65;
    controller_velocity_at(&a, touch, 0, q, v, u);
    controller_next(&a, touch);
    controller_begin(&b);
    b.waits = 1;
    if (a.phase != 0 || a.start != touch || !walk_alike(&a, &b)) return 1;
  }

  // by time: a new step every 0.7 s
  controller_begin(&a);
  for (int k = 0; k < 200; k++) controller_velocity_at(&a, 0.01 * k, 0, q, v, u);
  if (fabs(a.start - 1.4) > 1e-12) return 2;
  puts("the gait repeats");
  return 0;
}

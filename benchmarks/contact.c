// Impacts and contact: steps per second for the two many-body examples of paper 002 and for a gas
// of discs, over whole motions including impacts; for heaps of discs at rest, and for a robot that
// stands.
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

// -- at rest

// Minimum time of a step over several stretches of `steps` steps, us; out: means of a step.
static double time_rest(dm_contact_integrator *w, double *q, double *p, const double *u, double h,
                        int steps, double *iterations, double *closed, double *solves) {
  dm_contact_integrator_info info;
  double us = INFINITY;
  *iterations = *closed = *solves = 0;
  for (int r = 0; r < RUNS; r++) {
    const double start = bench_now();
    for (int k = 0; k < steps; k++) {
      bench_need(dm_contact_integrator_step(w, q, p, u, h, q, p, &info), "a step");
      *iterations += (double)info.solve.iterations / (RUNS * steps);
      *closed += (double)info.closed / (RUNS * steps);
      *solves += (double)info.friction_solves / (RUNS * steps);
    }
    us = fmin(us, 1e6 * (bench_now() - start) / steps);
  }
  return us;
}

static void print_rest(const char *name, dm_contact_integrator *w, double *q, double *p,
                       const double *u, double h, int steps) {
  char text[64];
  double iterations, closed, solves;
  const double us = time_rest(w, q, p, u, h, steps, &iterations, &closed, &solves);
  snprintf(text, sizeof text, "contact.%s.step_us", name);
  bench_print(text, us, "us");
  snprintf(text, sizeof text, "contact.%s.of_real_time", name);
  bench_print(text, 1e6 * h / us, "1");
  snprintf(text, sizeof text, "contact.%s.iterations", name);
  bench_print(text, iterations, "iterations");
  snprintf(text, sizeof text, "contact.%s.closed", name);
  bench_print(text, closed, "contacts");
  if (w->F) snprintf(text, sizeof text, "contact.%s.friction_solves", name);
  if (w->F) bench_print(text, solves, "solves");
}

// a pile of side^2 discs that has settled in a box, with friction at the walls or without
static void bench_heap(int side, double friction) {
  enum { SETTLE = 2000 };
  char name[32], text[64];
  snprintf(name, sizeof name, "%s%d", friction > 0 ? "rough_heap" : "heap", side * side);
  snprintf(text, sizeof text, "contact.%s", name);
  if (!bench_wanted(text)) return;
  particles x = particles_discs(side, 1, 0, friction, NULL);
  const double start = bench_now();
  for (int k = 0; k < SETTLE; k++) bench_need(particles_step(&x, 0.01), "a step");
  const double settled = 1e6 * (bench_now() - start) / SETTLE;
  print_rest(name, x.w, x.q, x.p, x.u, 0.01, 20);
  snprintf(text, sizeof text, "contact.%s.settling_step_us", name);
  bench_print(text, settled, "us");
  particles_free(&x);
}

// A planar robot of 11 coordinates with four legs of two links, which stands by springs and dampers
// in its joints on four points of a floor with friction.
static void bench_quadruped(double h) {
  enum { LEGS = 4, N = 3 + 2 * LEGS };
  static const double hip[LEGS] = {0.3, 0.2, -0.2, -0.3};
  static const char *const name[N] = {"x",     "z",    "pitch", "hip0", "knee0", "hip1",
                                      "knee1", "hip2", "knee2", "hip3", "knee3"};
  if (!bench_wanted("contact.quadruped")) return;

  // torso on two slides and a hinge; thighs and shanks, bent by 0.6 and -1.2
  dm_coordinate c[N];
  dm_body b[1 + 2 * LEGS] = {{"torso", -1, dm_identity, 0, 3, 8, {0}, {0, 0.25}}};
  dm_contact foot[LEGS];
  dm_spring spring[2 * LEGS];
  static const double one = 1;
  static int coord[N];
  double damping[N] = {0}, q[N] = {0, 0.5 * cos(0.6)}, p[N] = {0};
  for (int i = 0; i < N; i++) c[i] = models_coord(name[i], i<2, i == 0, i> 1, i == 1);
  for (int i = 0; i < LEGS; i++) {
    const int thigh = 1 + 2 * i;
    b[thigh] = (dm_body){"thigh", 0, dm_identity, 3 + 2 * i, 1, 0.6, {0, 0, -0.125}, {0, 4e-3}};
    b[thigh].offset.p.x = hip[i];
    b[thigh + 1] =
        (dm_body){"shank", thigh, dm_identity, 4 + 2 * i, 1, 0.3, {0, 0, -0.125}, {0, 2e-3}};
    b[thigh + 1].offset.p.z = -0.25;
    foot[i] = (dm_contact){.name = "foot",
                           .kind = DM_ABOVE,
                           .body = {thigh + 1, -1},
                           .point = {{0, 0, -0.25}},
                           .axis = {0, 0, 1},
                           .friction = 0.8};
    for (int k = 0; k < 2; k++) {
      const int j = 3 + 2 * i + k;
      coord[j] = j;
      q[j] = k ? -1.2 : 0.6;
      damping[j] = 1;
      spring[2 * i + k] =
          (dm_spring){.tendon = {.name = "spring", .ncoord = 1, .coord = &coord[j], .factor = &one},
                      .law = dm_spring_law_linear(100, q[j])};
    }
  }
  dm_model *m = models_make(&(dm_tree){
      .nbody = 1 + 2 * LEGS, .ncoord = N, .body = b, .coord = c, .gravity = {0, 0, -9.81}});
  dm_system s = dm_system_of(m);
  s.damping = damping;
  bench_need(dm_rule_set(&s.rule, "midpoint", 0.5, "midpoint", NULL), "a rule");
  dm_springs *springs = NULL;
  dm_contacts *contacts = NULL;
  dm_contact_integrator *w = NULL;
  bench_need(dm_springs_new(&springs, m, 2 * LEGS, spring, NULL), "springs");
  s.L = dm_springs_lagrangian(springs);
  bench_need(dm_contacts_new(&contacts, m, LEGS, foot, NULL), "contacts");
  const dm_unilateral g = dm_contacts_unilateral(contacts);
  bench_need(dm_contact_integrator_new(&w, &s, &g, NULL, NULL), "an integrator");

  // settle for 5 s, then time
  dm_contact_integrator_info info;
  for (int k = 0; k < 5 / h; k++)
    bench_need(dm_contact_integrator_step(w, q, p, NULL, h, q, p, &info), "a step");
  char text[32];
  snprintf(text, sizeof text, "quadruped_%gms", 1e3 * h);
  print_rest(text, w, q, p, NULL, h, 1000);
  dm_contact_integrator_free(w);
  dm_contacts_free(contacts);
  dm_springs_free(springs);
  dm_model_free(m);
}

void bench_contact(void) {
  if (!bench_wanted("contact")) return;

  // momenta of the chain: sums of twelve random numbers, approximately normal
  double p[18] = {0};
  uint64_t seed = 1;
  for (int j = 0; j < 18; j++)
    for (int k = 0; k < 12; k++) p[j] += models_random(&seed) / 2;
  if (bench_wanted("contact.cradle")) print_motion("cradle", particles_cradle(2, NULL), 0.01, 5000);
  if (bench_wanted("contact.chain")) print_motion("chain", particles_chain(p, NULL), 1e-3, 5000);

  // gases of several sizes, to show how the cost grows with the number of contacts
  static const int side[] = {4, 8, 12};
  for (int i = 0; i < COUNT(side); i++) {
    char name[32];
    snprintf(name, sizeof name, "discs%d", side[i] * side[i]);
    if (bench_wanted("contact.discs")) print_motion(name, particles_gas(side[i], NULL), 0.01, 1000);
  }
  static const int heap[] = {4, 8, 16};
  for (int i = 0; i < COUNT(heap); i++) bench_heap(heap[i], 0);
  for (int i = 0; i < COUNT(heap); i++) bench_heap(heap[i], 0.5);
  bench_quadruped(1e-3);
  bench_quadruped(5e-3);
}

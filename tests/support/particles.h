// tests/support/particles.h: systems of particles with contacts: the examples of paper 002, with
// this project's substitute parameters.
#ifndef TESTS_SUPPORT_PARTICLES_H
#define TESTS_SUPPORT_PARTICLES_H
#include "tests/support/models.h"

#include "lib/contact/contact_integrator.h"

enum { PARTICLES_MOST = 256, PARTICLES_PAIRS = 33700 };

typedef struct particles {
  int count, dim, n; // number of particles, coordinates per particle, all coordinates
  dm_model *m;
  dm_constraints *rods;
  dm_contacts *contacts;
  dm_springs *springs;
  dm_system s;
  dm_contact_integrator *w;
  double q[3 * PARTICLES_MOST], p[3 * PARTICLES_MOST], u[1];
  bool floor[PARTICLES_PAIRS]; // for discs: contacts with the floor
  dm_contact_integrator_info info;
} particles;

// interactions between particles, collected before particles_make
typedef struct particles_plan {
  const char *axes; // "x", "xz" or "xyz": the axes of each particle
  double gravity;   // along -z
  int nrod, ncontact, nspring;
  dm_constraint rod[16];
  dm_contact *contact; // one list, shared by all plans
  dm_spring spring[32];
  const char *rule; // NULL: midpoint
} particles_plan;

static inline void particles_rod(particles_plan *x, int a, int b, const double anchor[3],
                                 double length) {
  dm_constraint c = {.name = "rod", .kind = DM_DISTANCE, .body = {a, b}, .coord = {-1, -1}};
  c.length = length;
  if (anchor) memcpy(c.point[1], anchor, sizeof c.point[1]);
  x->rod[x->nrod++] = c;
}

static inline dm_contact *particles_contact(particles_plan *x, dm_contact_kind kind, int a, int b,
                                            double length) {
  static dm_contact list[PARTICLES_PAIRS];
  dm_contact c = {.name = "contact", .kind = kind, .body = {a, b}, .length = length};
  c.restitution = 1;
  c.axis[2] = 1;
  x->contact = list;
  assert_true(x->ncontact < PARTICLES_PAIRS);
  x->contact[x->ncontact] = c;
  return &x->contact[x->ncontact++];
}

static inline void particles_spring(particles_plan *x, int a, int b, dm_spring_law law) {
  static const double origin[2][3];
  static int body[PARTICLES_MOST * PARTICLES_MOST][2];
  int *at = body[a * PARTICLES_MOST + b];
  at[0] = a;
  at[1] = b;
  x->spring[x->nspring++] = (dm_spring){
      .tendon = {.name = "spring", .npoint = 2, .body = at, .point = origin}, .law = law};
}

// an energy phi of one coordinate
static inline void particles_field(particles_plan *x, int coord, dm_spring_law law) {
  static int coords[3 * PARTICLES_MOST];
  static const double one[] = {1};
  coords[coord] = coord;
  x->spring[x->nspring++] = (dm_spring){
      .tendon = {.name = "field", .ncoord = 1, .coord = &coords[coord], .factor = one}, .law = law};
}

// Make the system of a plan: `count` particles of 1 kg at q with momenta p [n], and its contact
// integrator with the settings `set` (NULL: the defaults).
static inline particles particles_make(const particles_plan *plan, int count, const double *q,
                                       const double *p, const dm_contact_integrator_settings *set) {
  static dm_coordinate c[3 * PARTICLES_MOST];
  static dm_body b[PARTICLES_MOST];
  static char name[3 * PARTICLES_MOST][16];
  particles x = {.count = count, .dim = (int)strlen(plan->axes)};
  x.n = count * x.dim;

  // one body per particle, on slides along its axes
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < x.dim; k++) {
      char a = plan->axes[k], *c_name = name[i * x.dim + k];
      snprintf(c_name, sizeof *name, "%c%d", a, i);
      c[i * x.dim + k] = models_coord(c_name, true, a == 'x', a == 'y', a == 'z');
    }
    b[i] = (dm_body){"ball", -1, dm_identity, i * x.dim, x.dim, 1, {0}, {0}};
  }
  x.m = models_make(&(dm_tree){
      .nbody = count, .ncoord = x.n, .body = b, .coord = c, .gravity = {0, 0, -plan->gravity}});
  x.s = dm_system_of(x.m);
  assert_int_equal(
      dm_rule_set(&x.s.rule, plan->rule ? plan->rule : "midpoint", 0.5, "midpoint", NULL), DM_OK);

  // springs, rods and contacts between the particles
  dm_message msg = {""};
  if (plan->nspring) {
    assert_int_equal(dm_springs_new(&x.springs, x.m, plan->nspring, plan->spring, &msg), DM_OK);
    x.s.L = dm_springs_lagrangian(x.springs);
  }
  if (plan->nrod) {
    assert_int_equal(dm_constraints_new(&x.rods, x.m, plan->nrod, plan->rod, &msg), DM_OK);
    x.s.hol = dm_constraints_holonomic(x.rods);
  }
  assert_int_equal(dm_contacts_new(&x.contacts, x.m, plan->ncontact, plan->contact, &msg), DM_OK);
  dm_unilateral u = dm_contacts_unilateral(x.contacts);
  if (dm_contact_integrator_new(&x.w, &x.s, &u, set, &msg) != DM_OK) fail_msg("%s", msg.text);
  memcpy(x.q, q, (size_t)x.n * sizeof *q);
  memcpy(x.p, p, (size_t)x.n * sizeof *p);
  return x;
}

static inline void particles_free(particles *x) {
  dm_contact_integrator_free(x->w);
  dm_contacts_free(x->contacts);
  dm_constraints_free(x->rods);
  dm_springs_free(x->springs);
  dm_model_free(x->m);
}

static inline dm_status particles_step(particles *x, double h) {
  return dm_contact_integrator_step(x->w, x->q, x->p, x->u, h, x->q, x->p, &x->info);
}

static inline double particles_energy(particles *x) {
  double H = NAN;
  dm_contact_integrator_energy(x->w, x->q, x->p, &H);
  return H;
}

// angular momentum about the normal of the plane of each particle's two coordinates
static inline double particles_turning(const particles *x) {
  double L = 0;
  for (int i = 0; i < x->n; i += 2) L += x->q[i] * x->p[i + 1] - x->q[i + 1] * x->p[i];
  return L;
}

// -- examples

// a ball falls from rest
static inline particles particles_ball(double height, const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  double p = 0;
  plan = (particles_plan){.axes = "z", .gravity = 1};
  particles_contact(&plan, DM_ABOVE, 0, -1, 0);
  return particles_make(&plan, 1, &height, &p, set);
}

// two particles inside a circle, connected by a spring and pushed outwards
static inline particles particles_sphere(double first, const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  double q[] = {first, 0, 0, 1}, p[] = {0, 1, -1, 0};
  plan = (particles_plan){.axes = "xz"};
  particles_spring(&plan, 0, 1, dm_spring_law_linear(1, 1));
  for (int i = 0; i < 4; i++) particles_field(&plan, i, dm_spring_law_linear(-1, 0));
  for (int i = 0; i < 2; i++) particles_contact(&plan, DM_AT_MOST, i, -1, 1);
  return particles_make(&plan, 2, q, p, set);
}

// two masses one above the other, connected by a spring, hopping: top, bottom
static inline particles particles_pogo(double k, double g,
                                       const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  double q[] = {2, 1}, p[] = {0, 0};
  plan = (particles_plan){.axes = "z", .gravity = g, .rule = "trapezoid"};
  particles_spring(&plan, 0, 1, dm_spring_law_linear(k, 1));
  particles_contact(&plan, DM_ABOVE, 1, -1, 0);
  return particles_make(&plan, 2, q, p, set);
}

// two spheres attracted by the fourth power of their distance
static inline particles particles_oscillator(const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  double q[] = {1, 0, -1, 0}, p[] = {0, 0.5, 0, -0.5};
  plan = (particles_plan){.axes = "xz"};
  particles_spring(&plan, 0, 1, dm_spring_law_power(0.25, 4));
  particles_contact(&plan, DM_AT_LEAST, 0, 1, 1);
  return particles_make(&plan, 2, q, p, set);
}

// Newton's cradle: five balls of radius 0.1 on rods of length 1, `raised` of them by 45 degrees
static inline particles particles_cradle(int raised, const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  const double r = 0.1, a = sqrt(0.5);
  double q[10], p[10] = {0};
  plan = (particles_plan){.axes = "xz", .gravity = 1};
  for (int i = 0; i < 5; i++) {
    double anchor[3] = {2 * r * i, 0, 0};
    particles_rod(&plan, i, -1, anchor, 1);
    q[2 * i] = anchor[0] - (i < raised ? a : 0);
    q[2 * i + 1] = i < raised ? -a : -1;
    if (i) particles_contact(&plan, DM_AT_LEAST, i - 1, i, 2 * r);
  }
  return particles_make(&plan, 5, q, p, set);
}

// six spheres in a chain of rods with Lennard-Jones forces, inside a sphere; the momenta p [18] are
// consistent with the rods
static inline particles particles_chain(const double *p,
                                        const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  double q[18] = {0};
  plan = (particles_plan){.axes = "xyz", .rule = "trapezoid"};
  for (int i = 0; i < 6; i++) {
    q[3 * i] = 1.2 * cos(i * 3.14159265358979323846 / 3);
    q[3 * i + 1] = 1.2 * sin(i * 3.14159265358979323846 / 3);
    if (i) particles_rod(&plan, i - 1, i, NULL, 1.2);
    for (int j = 0; j < i; j++) particles_spring(&plan, j, i, dm_spring_law_lennard_jones(1, 1));
    for (int j = 0; j + 1 < i; j++) particles_contact(&plan, DM_AT_LEAST, j, i, 0.9);
    particles_contact(&plan, DM_AT_MOST, i, -1, 1.75);
  }
  particles x = particles_make(&plan, 6, q, p, set);
  assert_int_equal(dm_contact_integrator_restrict(x.w, x.q, 0, x.p), DM_OK);
  return x;
}

// wall k of the box around disc i: left and floor, then right and ceiling; with friction, a plane
static inline void particles_wall(particles_plan *x, int i, int k, double at, double restitution,
                                  double friction) {
  const int axis = k % 2 ? 2 : 0;
  const bool rough = friction > 0;
  const dm_contact_kind kind = rough ? DM_ABOVE : k < 2 ? DM_NOT_BELOW : DM_NOT_ABOVE;
  dm_contact *wall = particles_contact(x, kind, i, -1, rough ? 0 : at);
  wall->restitution = restitution;
  wall->friction = friction;
  if (!rough) wall->coord = 2 * i + k % 2;
  if (!rough) return;
  wall->axis[2] = 0;
  wall->axis[axis] = k < 2 ? 1 : -1;
  wall->point[1][axis] = at;
}

// side^2 discs of radius 0.4 on a grid in a box, with gravity, a coefficient of restitution, and
// friction at the walls
static inline particles particles_discs(int side, double gravity, double restitution,
                                        double friction,
                                        const dm_contact_integrator_settings *set) {
  static particles_plan plan;
  static double q[2 * PARTICLES_MOST], p[2 * PARTICLES_MOST];
  const double r = 0.4;
  uint64_t seed = 5;
  plan = (particles_plan){.axes = "xz", .rule = "trapezoid", .gravity = gravity};
  int n = side * side;
  for (int i = 0; i < n; i++) {
    // disc i at its position on the grid, with a random momentum
    q[2 * i] = 0.5 + i % side;
    q[2 * i + 1] = 0.5 + i / side;
    p[2 * i] = models_random(&seed);
    p[2 * i + 1] = models_random(&seed);

    // contacts with the previous discs and the four walls
    for (int j = 0; j < i; j++)
      particles_contact(&plan, DM_AT_LEAST, j, i, 2 * r)->restitution = restitution;
    for (int k = 0; k < 4; k++)
      particles_wall(&plan, i, k, k < 2 ? r : side - r, restitution, friction);
  }
  particles x = particles_make(&plan, n, q, p, set);
  for (int i = 0; i < plan.ncontact; i++)
    x.floor[i] = (plan.contact[i].kind == DM_NOT_BELOW && plan.contact[i].coord % 2 == 1) ||
                 (plan.contact[i].kind == DM_ABOVE && plan.contact[i].axis[2] > 0);
  return x;
}

static inline particles particles_gas(int side, const dm_contact_integrator_settings *set) {
  return particles_discs(side, 0, 1, 0, set);
}

static inline particles particles_heap(int side, double restitution) {
  return particles_discs(side, 1, restitution, 0, NULL);
}
#endif

// Tasks of second order with constraints, wheels, prescribed coordinates and inputs of general forces:
// exact derivatives, and costs that converge to those of first order.
#include "lib/multibody/load.h"
#include "lib/multibody/rolling.h"
#include "optim/second/torque_nodes.h"
#include "optim/solution.h"
#include "tests/support/actions.h"
#include "tests/support/allocations.h"
#include "tests/support/forces.h"
#include "tests/support/programs.h"

enum { STEPS = 3 };

// -- derivatives

static const dm_constraint links[] = {{.name = "link",
                                       .kind = DM_DISTANCE,
                                       .body = {5, -1},
                                       .coord = {-1, -1},
                                       .point = {{0.1, 0.2, 0.3}, {0.5, 0.1, -0.4}},
                                       .length = 0.9},
                                      {.name = "plane",
                                       .kind = DM_PLANE,
                                       .body = {4, 2},
                                       .coord = {-1, -1},
                                       .axis = {0, 0.6, 0.8},
                                       .point = {{0.1, 0.2}, {0, 0.3}}}};
static const dm_roller rollers[] = {{.name = "wheel",
                                     .kind = DM_ROLLING_WHEEL,
                                     .body = {4, -1},
                                     .axis = {0.6, 0.8, 0},
                                     .normal = {0, 0, 1},
                                     .radius = 0.3},
                                    {.name = "blade",
                                     .kind = DM_ROLLING_KNIFE_EDGE,
                                     .body = {5, -1},
                                     .axis = {0, 0.6, 0.8},
                                     .normal = {0, 0, 1}}};

enum { LOOP = 1, WHEELS = 2, DRIVEN = 4, PRESCRIBED = 8, MOMENTA = 16, VARIANTS = 32 };

// a tree with every part of a variant, and costs and limits of every kind
static oc_torque_transcription *open_mechanism(tasks_task *x, int variant, const char *rule,
                                               dm_rolling **rolling, dm_loads **loads) {
  dm_message why = {""};
  dm_model *m = models_random_tree(6, false, 11);
  m->kinematic[2] = variant & PRESCRIBED;
  *x = tasks_make(m, STEPS, 0.9);
  const int n = m->nq;
  *rolling = NULL;
  *loads = NULL;
  const int n_links = variant & LOOP ? COUNT(links) : 0;
  assert_int_equal(dm_constraints_new(&x->c, m, n_links, links, NULL), DM_OK);
  x->t.system.hol = dm_constraints_holonomic(x->c);
  if (variant & WHEELS) {
    if (dm_rolling_new(rolling, m, COUNT(rollers), rollers, x->c, &why) != DM_OK)
      fail_msg("%s", why.text);
    x->t.system.hol = dm_rolling_holonomic(*rolling);
  }
  if (variant & DRIVEN) {
    dm_load list[2] = {forces_load(2, true, 5), forces_load(DM_DAMPER, false, 5)};
    assert_int_equal(dm_loads_new(loads, m, 2, list, NULL), DM_OK);
    dm_system_add_force(&x->t.system, dm_loads_force(*loads));
  }
  const int nu = x->t.system.nu;
  x->t.input_name = x->m->name; // sufficiently many names
  x->t.bounds[OC_U].low = x->t.bounds[OC_U].high = NULL;
  x->t.cost[OC_U].running = tasks_weight(x, 0, nu, 0.4);
  x->t.cost[OC_Q].running = tasks_weight(x, 1, n, 1.3);
  x->t.cost[OC_V].running = tasks_weight(x, 2, n, 0.7);
  x->t.cost[OC_A].running = tasks_weight(x, 3, n, 0.2);
  m->v_max[n - 1] = 2;
  uint64_t seed = 5;
  double *ref = tasks_reference(x, 3);
  for (int j = 0; j < STEPS * nu; j++) ref[j] = models_random(&seed);
  x->t.cost[OC_U].reference = ref;
  oc_torque_transcription_settings set = settings(x, rule);
  set.underactuated = true;
  if (variant & MOMENTA) set.m = NULL;
  return open_action(x, &set);
}

// and their evaluation allocates nothing
static void derivatives_are_exact(void **state) {
  (void)state;
  static const char *const rule[] = {"taylor", "hermite-gauss"};
  for (int variant = 1; variant < VARIANTS; variant++) {
    tasks_task x;
    dm_rolling *rolling;
    dm_loads *loads;
    oc_torque_transcription *w =
        open_mechanism(&x, variant, rule[variant % 2 || variant & MOMENTA], &rolling, &loads);
    char what[80];
    snprintf(what, sizeof what, "variant %d", variant);
    at a = point_of(oc_torque_transcription_nlp(w), 7);
    check_point(&a, what);
    double *zero = calloc((size_t)a.p->n, sizeof *zero);
    check_pattern(&a, zero, false);
    const int before = allocations;
    double f;
    objective(&a, a.x, &f), constraints(&a, a.x, a.out);
    lagrangian_gradient(&a, a.x, a.out), hessian(&a, a.x);
    assert_int_equal(allocations, before);
    free(zero);
    drop(&a);
    oc_torque_transcription_free(w);
    dm_rolling_free(rolling);
    dm_loads_free(loads);
    tasks_free(&x);
  }
}

// -- costs

// a mechanism with its task
typedef struct scene {
  tasks_task x;
  dm_rolling *rolling;
  dm_loads *loads;
} scene;

// a four-bar with a motor at its crank
static scene make_four_bar(int N) {
  scene w = {.x = tasks_make(models_chain(3, 1, 0), N, 1)};
  tasks_task *x = &w.x;
  static const dm_constraint pin[] = {{.name = "pin",
                                       .kind = DM_LINE,
                                       .body = {2, -1},
                                       .coord = {-1, -1},
                                       .axis = {0, 1, 0},
                                       .point = {{0, 0, -1}, {0.8, 0, 0}}}};
  const bool crank[] = {true, false, false};
  double q0[3] = {0.2, -1.5, -1.5}, q1[3] = {0.6, -1.5, -1.5};
  x->t.system.nu = 1;
  assert_int_equal(dm_constraints_new(&x->c, x->m, 1, pin, NULL), DM_OK);
  x->t.system.hol = dm_constraints_holonomic(x->c);
  assert_int_equal(dm_assembly_project_fixed(&x->t.system, crank, q0, NULL), DM_OK);
  assert_int_equal(dm_assembly_project_fixed(&x->t.system, crank, q1, NULL), DM_OK);
  tasks_rest(x, 0, q0);
  tasks_rest(x, 1, q1);
  x->t.cost[OC_U].running = tasks_weight(x, 0, 1, 1);
  return w;
}

// a car on a knife edge behind its center of mass, with a wrench in its plane as input; its names are
// sufficiently many
static scene make_car(int N) {
  static const dm_coordinate c[] = {{.name = "x", .slides = true, .axis = {1, 0, 0}},
                                    {.name = "y", .slides = true, .axis = {0, 1, 0}},
                                    {.name = "psi", .axis = {0, 0, 1}}};
  static const dm_roller blade[] = {{.name = "blade",
                                     .kind = DM_ROLLING_KNIFE_EDGE,
                                     .body = {0, -1},
                                     .axis = {1, 0, 0},
                                     .normal = {0, 0, 1}}};
  dm_coordinate coord[3];
  for (int i = 0; i < 3; i++) {
    coord[i] = models_coord(c[i].name, c[i].slides, c[i].axis[0], c[i].axis[1], c[i].axis[2]);
  }
  const dm_body body[] = {{"car", -1, dm_identity, 0, 3, 1, {0.1, 0, 0}, {0.1, 0.1, 0.1}}};
  dm_load load[] = {{.name = "drive", .kind = DM_WRENCH_BODY, .driven = true, .force = {1, 0, 0}},
                    {.name = "steer", .kind = DM_WRENCH_BODY, .driven = true, .torque = {0, 0, 1}}};
  scene w = {
      .x = tasks_make(
          models_make(&(dm_tree){.nbody = 1, .ncoord = 3, .body = body, .coord = coord}), N, 1)};
  dm_message why = {""};
  if (dm_rolling_new(&w.rolling, w.x.m, 1, blade, NULL, &why) != DM_OK) fail_msg("%s", why.text);
  w.x.t.system.hol = dm_rolling_holonomic(w.rolling);
  assert_int_equal(dm_loads_new(&w.loads, w.x.m, 2, load, NULL), DM_OK);
  dm_system_add_force(&w.x.t.system, dm_loads_force(w.loads));
  w.x.t.input_name = w.x.m->name;
  w.x.t.bounds[OC_U].low = w.x.t.bounds[OC_U].high = NULL;
  tasks_rest(&w.x, 0, (double[]){0, 0, 0});
  tasks_rest(&w.x, 1, (double[]){1, 0.2, 0});
  w.x.t.cost[OC_U].running = tasks_weight(&w.x, 0, 2, 1);
  return w;
}

// a double pendulum whose upper joint is prescribed and costs acceleration
static scene make_prescribed(int N) {
  dm_model *m = models_chain(2, 1, 1);
  m->kinematic[0] = true;
  scene w = {.x = tasks_make(m, N, 1)};
  w.x.t.input_name = m->input_name;
  tasks_rest(&w.x, 0, (double[]){0, 0});
  tasks_rest(&w.x, 1, (double[]){1, 0.5});
  w.x.t.cost[OC_U].running = tasks_weight(&w.x, 0, 1, 1);
  double *bend = tasks_fill(tasks_reference(&w.x, 0), 2, 0);
  bend[0] = 0.3;
  w.x.t.cost[OC_A].running = bend;
  return w;
}

static void drop_scene(scene *w) {
  dm_rolling_free(w->rolling);
  dm_loads_free(w->loads);
  tasks_free(&w->x);
}

static double find_cost(const tasks_task *x, const oc_torque_transcription_settings *second) {
  oc_setup set = oc_setup_default();
  oc_solution *w = NULL;
  dm_message why = {""};
  set.second = second;
  if (oc_solution_new(&w, &x->t, &set, &why) != DM_OK) fail_msg("%s", why.text);
  assert_int_equal(oc_solution_start(w, NULL), DM_OK);
  if (oc_solution_find(w, &why) != DM_OK) fail_msg("%s", why.text);
  assert_int_equal(w->info.status, DM_OK);
  const double cost = w->info.objective;
  oc_solution_free(w);
  return cost;
}

// the costs of 20, 40 and 80 steps converge with order 4, and to the limit of first order, whose errors
// h^2 and h^4 are extrapolated; with a prescribed coordinate h and h^2
static void costs_have_order_four(void **state) {
  (void)state;
  static const struct {
    scene (*make)(int N);
    double share[3], tolerance;
    bool momenta; // the forces of L, as for ball joints
  } row[] = {{make_four_bar, {1. / 45, -20. / 45, 64. / 45}, 1e-7, false},
             {make_car, {1. / 45, -20. / 45, 64. / 45}, 1e-6, false},
             {make_prescribed, {1. / 3, -6. / 3, 8. / 3}, 1e-4, false},
             {make_four_bar, {1. / 45, -20. / 45, 64. / 45}, 1e-7, true},
             {make_car, {1. / 45, -20. / 45, 64. / 45}, 1e-6, true}};
  for (int r = 0; r < COUNT(row); r++) {
    double first[3], second[3], limit = 0;
    for (int i = 0; i < 3; i++) {
      scene w = row[r].make(20 << i);
      oc_torque_transcription_settings set = settings(&w.x, "hermite-gauss");
      set.underactuated = true;
      if (row[r].momenta) set.m = NULL;
      first[i] = find_cost(&w.x, NULL);
      second[i] = find_cost(&w.x, &set);
      limit += row[r].share[i] * first[i];
      drop_scene(&w);
    }
    const double order = log2((second[0] - second[1]) / (second[1] - second[2]));
    if (!(order > 3.5 && order < 4.5)) fail_msg("scene %d: order %.2f", r, order);
    assert_close(limit, second[2], row[r].tolerance * second[2]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_exact),
                                     cmocka_unit_test(costs_have_order_four)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

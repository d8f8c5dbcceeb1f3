// No step, linearization, program evaluation or Riccati sweep allocates memory: every malloc of the
// linked code is counted (the linker's --wrap), and hot calls must not make any.
#include "control/feedback/controllability.h"
#include "control/feedback/output_feedback.h"
#include "control/feedback/riccati.h"
#include "control/loop/stopped_plant.h"
#include "optim/descent/descent.h"
#include "optim/identification/motion_residual.h"
#include "optim/program/transcribe.h"
#include "optim/second/newton_bvp.h"
#include "tests/support/arm.h"
#include "tests/support/cartesian.h"
#include "tests/support/forces.h"
#include "tests/support/particles.h"
#include "tests/support/spherical.h"
#include "tests/support/springs.h"

static long allocations;
#define WRAP(type, name, params, args)                                                             \
  type __real_##name params;                                                                       \
  type __wrap_##name params;                                                                       \
  type __wrap_##name params {                                                                      \
    allocations++;                                                                                 \
    return __real_##name args;                                                                     \
  }
WRAP(void *, malloc, (size_t a), (a))
WRAP(void *, calloc, (size_t a, size_t b), (a, b))
WRAP(void *, realloc, (void *p, size_t a), (p, a))
WRAP(void *, aligned_alloc, (size_t a, size_t b), (a, b))

enum { LINKS = 40, N = 5 };

static void the_count_counts(void **state) {
  (void)state;
  long before = allocations;
  dm_model *m = models_acrobot();
  assert_true(allocations > before);
  dm_model_free(m);
}

static void mechanics_do_not_allocate(void **state) {
  (void)state;
  dm_model *m = models_chain(LINKS, 0.4, 0);
  dm_springs *springs = springs_of_every_kind(m);
  dm_system s = dm_system_of(m);
  s.L = dm_springs_lagrangian(springs);
  dm_load list[FORCES_KINDS];
  dm_loads *loads;
  for (int k = 0; k < FORCES_KINDS; k++) list[k] = forces_load(k, true, k);
  assert_int_equal(dm_loads_new(&loads, m, FORCES_KINDS, list, NULL), DM_OK);
  dm_system_add_force(&s, dm_loads_force(loads));
  dm_del *del;
  dm_linearize *lin;
  dm_continuous *c;
  dm_inverse *inverse;
  dm_potential V = dm_springs_potential(springs);
  dm_del_info info;
  double *A = malloc(sizeof(double) * 4 * LINKS * LINKS);
  double *B = malloc(sizeof(double) * 2 * LINKS * (LINKS + FORCES_KINDS));
  double q[LINKS], q1[LINKS], p[LINKS], zero[LINKS + FORCES_KINDS] = {0};
  assert_int_equal(dm_del_new(&del, &s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &s), DM_OK);
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  assert_int_equal(dm_inverse_new(&inverse, m, &V), DM_OK);
  for (int i = 0; i < LINKS; i++) {
    q[i] = q1[i] = 0.1 * i;
    p[i] = 0.1;
  }
  long before = allocations;
  assert_int_equal(dm_del_step(del, q, p, zero, 0.01, q1, p, &info), DM_OK);
  assert_int_equal(dm_linearize_step(lin, q, q1, zero, NULL, 0.01, A, B), DM_OK);
  assert_int_equal(dm_interval_contract(lin->d, true, q, q1, zero, 0.01, p, p), DM_OK);
  assert_int_equal(dm_acceleration(c, q, zero, zero, p), DM_OK);
  assert_int_equal(dm_inverse_eval(inverse, 1, q, p, p), DM_OK);
  assert_int_equal(dm_inverse_contract(inverse, 2, p), DM_OK);
  assert_int_equal(allocations, before);
  free(A);
  free(B);
  dm_del_free(del);
  dm_linearize_free(lin);
  dm_continuous_free(c);
  dm_inverse_free(inverse);
  dm_loads_free(loads);
  dm_springs_free(springs);
  dm_model_free(m);
}

// by each method, through impacts and contact, for a double pendulum on rods, whose constraints
// also hold at the nodes
static void nodes_within_the_step_do_not_allocate(void **state) {
  (void)state;
  spherical x = spherical_new();
  dm_del *del;
  dm_linearize *lin;
  dm_del_info info;
  double q1[6], p1[6], A[144], xx[144], zeta[12] = {1, 2, 3}, none[1];
  assert_int_equal(dm_rule_set(&x.s.rule, "lobatto-4", 0.5, "midpoint", NULL), DM_OK);
  assert_int_equal(dm_del_new(&del, &x.s, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &x.s), DM_OK);
  memcpy(q1, x.q, sizeof q1);

  long before = allocations;
  assert_int_equal(dm_del_step(del, x.q, x.p, NULL, 0.01, q1, p1, &info), DM_OK);
  assert_int_equal(dm_linearize_step(lin, x.q, q1, NULL, del->lambda, 0.01, A, NULL), DM_OK);
  assert_int_equal(dm_linearize_second(lin, x.q, q1, NULL, del->lambda, 0.01, zeta, xx, none, none),
                   DM_OK);
  assert_int_equal(allocations, before);
  dm_linearize_free(lin);
  dm_del_free(del);
  spherical_free(&x);
}

static void contacts_do_not_allocate(void **state) {
  (void)state;
  for (const dm_contact_method *const *method = dm_contact_methods; *method; method++) {
    dm_contact_integrator_settings set = dm_contact_integrator_default();
    set.method = *method;
    particles x = particles_cradle(2, &set);
    long before = allocations;
    int contacts = 0;
    for (int k = 0; k < 200; k++) {
      assert_true(particles_step(&x, 0.02) >= 0);
      contacts += x.info.closed + x.info.impact.reflected;
    }
    assert_int_equal(allocations, before);
    if (contacts == 0) fail_msg("%s: no contact", (*method)->name);
    particles_free(&x);
  }
}

// plants that reach their stops, rest there and leave
static void stops_do_not_allocate(void **state) {
  (void)state;
  const dm_contact stop = {.name = "stop", .kind = DM_NOT_ABOVE, .coord = 0, .length = 0.1};
  dm_model *m = models_cart_pole();
  dm_system system = dm_system_of(m);
  dm_contacts *c;
  fb_plant p[2];
  assert_int_equal(dm_contacts_new(&c, m, 1, &stop, NULL), DM_OK);
  const dm_unilateral g = dm_contacts_unilateral(c);
  assert_int_equal(fb_plant_discrete_stopped(&p[0], &system, &g, NULL), DM_OK);
  assert_int_equal(fb_plant_continuous_stopped(&p[1], &system, &g, 1e-9, NULL), DM_OK);
  long before = allocations;
  for (int kind = 0; kind < 2; kind++) {
    double x[4] = {0, 1, 0.5, 0.1}, most = 0;
    for (int k = 0; k < 50; k++) {
      const double u = k < 30 ? 5 : -5;
      assert_int_equal(p[kind].step(p[kind].self, x, &u, 0.02), DM_OK);
      most = fmax(most, x[0]);
    }
    assert_true(fabs(most - 0.1) < 1e-6 && x[0] < 0.09);
  }
  assert_int_equal(allocations, before);
  for (int kind = 0; kind < 2; kind++) fb_plant_free(&p[kind]);
  dm_contacts_free(c);
  dm_model_free(m);
}

static void second_order_does_not_allocate(void **state) {
  (void)state;
  dm_model *m = models_chain(7, 0.4, 0);
  dm_torque_cost *e;
  dm_second_order *w;
  dm_second_order_rule rule;
  dm_second_order_info info;
  oc_newton *newton;
  oc_options set;
  oc_newton_info solved;
  enum { STEPS = 8 };
  double W[] = {1, 1, 1, 1, 1, 1, 1}, X[14 * (STEPS + 1)] = {0}, P[14] = {0}, goal[14] = {1};
  assert_int_equal(dm_torque_cost_new(&e, m, NULL, NULL, W), DM_OK);
  dm_second_order_lagrangian C = dm_torque_cost_lagrangian(e);
  assert_int_equal(dm_second_order_rule_set(&rule, "hermite-gauss", 2, NULL), DM_OK);
  assert_int_equal(dm_second_order_new(&w, &C, &rule, NULL), DM_OK);
  assert_int_equal(oc_newton_new(&newton, w, STEPS, P, goal, NULL), DM_OK);
  set = oc_options_default();
  set.newton.coarse = 1;
  long before = allocations;
  assert_int_equal(dm_second_order_check(w, X, X, 0.01, NULL), DM_OK);
  assert_int_equal(dm_second_order_step(w, X, P, 0.01, X, P, &info), DM_OK);
  assert_int_equal(oc_newton_solve(newton, &set, NULL, 0.1, X, NULL, 0, &solved, NULL), DM_OK);
  assert_int_equal(allocations, before);
  oc_newton_free(newton);
  dm_second_order_free(w);
  dm_torque_cost_free(e);
  dm_model_free(m);
}

// no allocations with constraints, to second order, or when something singular is examined
static void constrained_steps_do_not_allocate(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_del *del, *em;
  dm_linearize *lin;
  dm_composition *four;
  dm_symplectic_form *form;
  dm_del_info info;
  double q0[] = {0, -1}, q1[] = {0, -1}, p[] = {0.5, 0}, side[] = {1, 0}, zeta[] = {1, 2, 3, 4};
  double A[16], xx[64], none[1];
  dm_two_point *two;
  dm_energy_momentum *exact;
  const dm_energy_momentum_settings keep = {.del = dm_del_default()};
  assert_int_equal(dm_two_point_new(&two, &w.s), DM_OK);
  assert_int_equal(dm_energy_momentum_new(&exact, &w.s, &keep), DM_OK);
  dm_del_settings set = dm_del_default();
  set.energy_momentum = true;
  assert_int_equal(dm_del_new(&del, &w.s, NULL), DM_OK);
  assert_int_equal(dm_composition_new(&four, &w.s, 4, NULL, NULL), DM_OK);
  assert_int_equal(dm_del_new(&em, &w.s, &set), DM_OK);
  assert_int_equal(dm_symplectic_form_new(&form, &w.s, 4, NULL, NULL), DM_OK);
  assert_int_equal(dm_linearize_new(&lin, &w.s), DM_OK);
  long before = allocations;
  assert_int_equal(dm_composition_step(four, q0, p, NULL, 0.1, q1, p, &info), DM_OK);
  dm_symplectic_form_start(form, side, side);
  assert_int_equal(dm_symplectic_form_propagate(form, four, q0, p, q1, NULL, 0.1), DM_OK);
  assert_int_equal(dm_del_step(em, q0, p, NULL, 0.1, q1, p, &info), DM_OK);
  assert_int_equal(dm_del_step(del, q0, p, NULL, 0.1, q1, p, &info), DM_OK);
  assert_int_equal(dm_two_point_step(two, q0, p, NULL, 0.1, q1, A, &info), DM_OK);
  assert_int_equal(dm_energy_momentum_step(exact, q0, p, NULL, 0.1, q1, A), DM_OK);
  const double *lambda = del->lambda;
  assert_int_equal(dm_linearize_step(lin, q0, q1, NULL, lambda, 0.1, A, NULL), DM_OK);
  assert_int_equal(dm_linearize_second(lin, q0, q1, NULL, lambda, 0.1, zeta, xx, none, none),
                   DM_OK);
  assert_int_equal(dm_linearize_tensor(lin, q0, q1, NULL, lambda, 0.1, xx, none, none), DM_OK);
  assert_int_equal(dm_linearize_step(lin, q0, side, NULL, lambda, 0.1, A, NULL), DM_SINGULAR);
  assert_int_equal(allocations, before);
  dm_del_free(del);
  dm_del_free(em);
  dm_composition_free(four);
  dm_two_point_free(two);
  dm_energy_momentum_free(exact);
  dm_linearize_free(lin);
  dm_symplectic_form_free(form);
  cartesian_free(&w);
}

// a simulation with constraints, and the quantities observed in it
static dm_status watch_knot(void *user, dm_simulation *run) {
  double value[DM_MONITORS];
  dm_simulation_watch(run, value);
  dm_monitors_add(user, run->k, run->set.steps, value);
  return DM_OK;
}

static void simulations_do_not_allocate(void **state) {
  (void)state;
  cartesian w = cartesian_new();
  dm_composition *four;
  dm_simulation *run;
  dm_series series[DM_MONITORS] = {{0}};
  double q[] = {0, -1}, v[] = {0.5, 0};
  dm_simulate_settings set = dm_simulate_default();
  set.steps = 5;
  set.h = 0.1;
  set.knot = watch_knot;
  set.user = series;
  assert_int_equal(dm_composition_new(&four, &w.s, 4, NULL, NULL), DM_OK);
  dm_stepper step = dm_composition_stepper(four);
  assert_int_equal(dm_simulation_new(&run, &w.s, &step, &set), DM_OK);
  long before = allocations;
  assert_int_equal(dm_simulation_start(run, &(dm_start){.q = q, .v = v}), DM_OK);
  assert_int_equal(dm_simulation_run(run), DM_OK);
  assert_int_equal(allocations, before);
  dm_simulation_free(run);
  dm_composition_free(four);
  cartesian_free(&w);
}

static void programs_do_not_allocate(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  static const char *const coord[] = {"shoulder", "elbow"}, *const input[] = {"elbow"};
  double zero[] = {0, 0}, one[] = {1, 1}, all[] = {INFINITY, INFINITY};
  double none[] = {-INFINITY, -INFINITY};
  oc_task task = {.system = dm_system_of(m),
                  .coord_name = coord,
                  .input_name = input,
                  .N = N,
                  .time.T = 1,
                  .time.free = true,
                  .time.min = 0.5,
                  .time.max = 2,
                  .start.q = zero,
                  .start.v = zero,
                  .goal.q = zero,
                  .goal.v = zero,
                  .bounds[OC_Q].low = none,
                  .bounds[OC_Q].high = all,
                  .bounds[OC_V].high = one,
                  .bounds[OC_U].low = none,
                  .bounds[OC_U].high = all,
                  .cost[OC_Q].running = one,
                  .cost[OC_V].running = one,
                  .cost[OC_P].running = one,
                  .cost[OC_U].running = one,
                  .cost[OC_P].goal = one,
                  .time.weight = 1};
  oc_transcription *t;
  assert_int_equal(oc_transcription_new(&t, &task, NULL), DM_OK);
  const oc_nlp *nlp = oc_transcription_nlp(t);
  size_t most = (size_t)(nlp->n + nlp->m + nlp->jac_nnz + nlp->hess_nnz);
  double *x = calloc(most, sizeof *x), *out = calloc(most, sizeof *out);
  double *lambda = calloc(most, sizeof *lambda), f;
  x[oc_transcription_h(t)] = 0.2;
  long before = allocations;
  assert_int_equal(nlp->f(nlp->self, x, &f), DM_OK);
  assert_int_equal(nlp->grad(nlp->self, x, out), DM_OK);
  assert_int_equal(nlp->g(nlp->self, x, out), DM_OK);
  assert_int_equal(nlp->jac(nlp->self, x, &(oc_triplets){.val = out}), DM_OK);
  assert_int_equal(nlp->hess(nlp->self, x, 1, lambda, &(oc_triplets){.val = out}), DM_OK);
  assert_int_equal(allocations, before);
  free(x);
  free(out);
  free(lambda);
  oc_transcription_free(t);
  dm_model_free(m);
}

static void riccati_sweeps_do_not_allocate(void **state) {
  (void)state;
  static const struct { int nx, nu; } size[] = {{4, 1}, {8, 4}, {80, 18}};
  for (int k = 0; k < COUNT(size); k++) {
    int nx = size[k].nx, nu = size[k].nu, failed;
    double *A = calloc((size_t)(nx * nx), sizeof *A), *B = calloc((size_t)(nx * nu), sizeof *B);
    double *R = calloc((size_t)(nu * nu), sizeof *R);
    double *K = calloc((size_t)(N * nx * nu), sizeof *K);
    for (int i = 0; i < nx; i++) A[i * nx + i] = 1;
    for (int i = 0; i < nu; i++) R[i * nu + i] = B[i * nu + i] = 1;
    fb_lq lq = {.N = N, .nx = nx, .nu = nu, .A = A, .B = B, .Q = A, .R = R, .Qf = A};
    fb_riccati *w;
    assert_int_equal(fb_riccati_new(&w, nx, nu), DM_OK);
    long before = allocations;
    assert_int_equal(fb_riccati_sweep(w, &lq, K, NULL, &failed), DM_OK);
    assert_int_equal(allocations, before);
    fb_riccati_free(w);
    free(A);
    free(B);
    free(R);
    free(K);
  }
}

// only the workspace allocates: up to twenty iterations of each method, with bounds and a goal,
// allocate no more than zero iterations
static void descents_do_not_allocate(void **state) {
  (void)state;
  dm_model *m = models_acrobot();
  static const char *const coord[] = {"shoulder", "elbow"}, *const input[] = {"elbow"};
  double zero[] = {0, 0}, goal[] = {1, 0}, one[] = {1}, low[] = {-3}, high[] = {3};
  oc_task task = {.system = dm_system_of(m), .coord_name = coord, .input_name = input, .N = 10};
  task.time.T = 1;
  task.start.q = task.start.v = task.goal.v = zero;
  task.goal.q = goal;
  task.bounds[OC_U].low = low;
  task.bounds[OC_U].high = high;
  task.cost[OC_U].running = one;
  for (oc_method method = OC_STEEPEST; method <= OC_NEWTON; method++) {
    long count[2];
    for (int run = 0; run < 2; run++) {
      oc_options set;
      oc_descent_info info;
      dm_trajectory *x;
      set = oc_options_default();
      set.descent.method = method;
      set.max_iter = 20 * run;
      assert_int_equal(dm_trajectory_of(&x, task.N, &task.system), DM_OK);
      long before = allocations;
      const dm_status s = oc_descend(&task, &set, NULL, x, NULL, 0, &info, NULL);
      if (s < 0)
        fail_msg("%s: %s, %d iterations, knot %d", oc_method_names[method], dm_status_text(s),
                 info.iterations, info.failed);
      count[run] = allocations - before;
      assert_true(info.iterations >= 10 * run);
      dm_trajectory_free(x);
    }
    assert_int_equal(count[1], count[0]);
  }
  dm_model_free(m);
}

// no allocations in Newton's method, including indefinite Hessians; CHOLMOD is not counted
static void newton_does_not_allocate(void **state) {
  (void)state;
  enum { steps = 20 };
  arm a = arm_new();
  dm_second_order *w;
  dm_second_order_rule rule;
  oc_newton *x;
  oc_options set;
  oc_newton_info info;
  double X[4 * (steps + 1)], down[] = {0, 0, 0, 0}, up[] = {ARM_PI, 0, 0, 0};
  assert_int_equal(dm_second_order_rule_set(&rule, "taylor", 2, NULL), DM_OK);
  assert_int_equal(dm_second_order_new(&w, &a.C, &rule, NULL), DM_OK);
  dm_status s = oc_newton_new(&x, w, steps, down, up, NULL);
  if (s == DM_OK) {
    arm_bow(steps, 1.5, X);
    set = oc_options_default();
    long before = allocations;
    assert_int_equal(oc_newton_solve(x, &set, NULL, 1. / steps, X, NULL, 0, &info, NULL), DM_OK);
    assert_int_equal(allocations, before);
    assert_true(info.shifted > 0);
    oc_newton_free(x);
  } else
    assert_int_equal(s, DM_UNAVAILABLE);
  dm_second_order_free(w);
  arm_free(&a);
}

// no allocations in controllers with measurements, of any kind
static void laws_do_not_allocate(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 0.4, 0);
  dm_system s = dm_system_of(m);
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  double ones[] = {1, 1, 1, 1, 1, 1}, u[3] = {0};
  assert_int_equal(dm_trajectory_of(&x, 4, &s), DM_OK);
  x->h = 0.1;
  fb_weights weights = {.Q = ones, .R = ones, .Qf = ones, .delay = 1};
  assert_int_equal(fb_tvlqr_new(&f, x, &s, &weights, &failed, NULL), DM_OK);
  for (int kind = 0; kind < 2 * FB_FORMS; kind++) {
    fb_output_feedback *w;
    assert_int_equal(fb_output_feedback_new(&w, f, &s, (fb_form)(kind / 2), kind % 2, NULL), DM_OK);
    long before = allocations;
    for (int k = 0; k < 4; k++)
      assert_int_equal(w->f.by->input(w->f.by->self, k, f->x + 6 * k, u), DM_OK);
    assert_int_equal(allocations, before);
    fb_output_feedback_free(w);
  }
  fb_tvlqr_free(f);
  dm_trajectory_free(x);
  dm_model_free(m);
}

// an iteration of a fit: new masses and friction, then the equations of a step and their derivatives
static void residuals_of_logs_do_not_allocate(void **state) {
  (void)state;
  static const char *const paths[] = {"all", "offset"};
  dm_robot r = {.tree = models_chain(3, 0.4, 0)};
  r.model = r.tree;
  const double q0[] = {0.1, 0.2, 0.3}, q1[] = {0.11, 0.21, 0.28}, u[3] = {0}, dry[] = {1, 1, 1};
  double theta[80], dpi[80] = {1}, y1[3], y2[3];
  oc_fit_parameters *x;
  oc_motion_residual *w;
  oc_step_forms f;
  assert_int_equal(oc_fit_parameters_new(&x, &r, 2, paths, NULL), DM_OK);
  assert_true(x->count < COUNT(theta) && x->coefficients < COUNT(dpi));
  assert_int_equal(oc_motion_residual_new(&w, x, 0.01, dry, NULL), DM_OK);
  oc_fit_parameters_start(x, theta);
  for (int k = 0; k < x->count; k++) theta[k] += 0.1 * x->list[k].size;
  const long before = allocations;
  assert_int_equal(oc_motion_residual_set(w, theta), DM_OK);
  assert_int_equal(oc_motion_residual_step(w, 3, q0, q1, u, NULL, &f), DM_OK);
  assert_int_equal(oc_motion_residual_along(w, q0, q1, u, NULL, dpi, y1, y2), DM_OK);
  assert_int_equal(allocations, before);
  oc_motion_residual_free(w);
  oc_fit_parameters_free(x);
  dm_robot_free(&r);
}

static void ranks_do_not_allocate(void **state) {
  (void)state;
  enum { nx = 8, m = 3 };
  double A[2 * nx * nx] = {0}, B[2 * nx * m] = {0};
  fb_controllability *w;
  fb_span span;
  for (int i = 0; i < 2 * nx * nx; i++) A[i] = cos(i);
  for (int i = 0; i < 2 * nx * m; i++) B[i] = sin(i);
  assert_int_equal(fb_controllability_new(&w, nx, m), DM_OK);
  long before = allocations;
  assert_int_equal(fb_controllability_pair(w, &(fb_stages){1, m, A, B, false, NULL}, &span), DM_OK);
  assert_int_equal(fb_controllability_window(w, &(fb_stages){2, m, A, B, true, NULL}, &span),
                   DM_OK);
  assert_int_equal(allocations, before);
  fb_controllability_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_count_counts),
      cmocka_unit_test(mechanics_do_not_allocate),
      cmocka_unit_test(nodes_within_the_step_do_not_allocate),
      cmocka_unit_test(contacts_do_not_allocate),
      cmocka_unit_test(stops_do_not_allocate),
      cmocka_unit_test(second_order_does_not_allocate),
      cmocka_unit_test(constrained_steps_do_not_allocate),
      cmocka_unit_test(simulations_do_not_allocate),
      cmocka_unit_test(programs_do_not_allocate),
      cmocka_unit_test(riccati_sweeps_do_not_allocate),
      cmocka_unit_test(laws_do_not_allocate),
      cmocka_unit_test(ranks_do_not_allocate),
      cmocka_unit_test(residuals_of_logs_do_not_allocate),
      cmocka_unit_test(descents_do_not_allocate),
      cmocka_unit_test(newton_does_not_allocate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

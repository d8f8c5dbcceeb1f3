// Call every constructor of lib and optim with its first, second, … allocation failing: it reports
// the failure and leaks nothing.
#include "lib/contact/contact_integrator.h"
#include "lib/discrete/assembly.h"
#include "lib/discrete/certify.h"
#include "lib/discrete/equilibrium.h"
#include "lib/multibody/output.h"
#include "lib/second/torque_cost.h"
#include "optim/descent/descent.h"
#include "optim/descent/neighboring_extremal.h"
#include "optim/interior/interior.h"
#include "optim/program/transcribe.h"
#include "optim/second/defect.h"
#include "optim/second/newton_bvp.h"
#include "optim/second/torque_transcription.h"
#include "optim/starts/curve_timing.h"
#include "optim/starts/guess.h"
#include "optim/starts/nearest_rollout.h"
#include "optim/starts/regrid.h"
#include "optim/starts/rollout.h"
#include "optim/task/between_knots.h"
#include "tests/support/models.h"
#include "tests/support/shortage.h"

static dm_status new_model(void) {
  dm_coordinate c[] = {models_coord("pivot", false, 0, 1, 0)};
  dm_body b[] = {{"bob", -1, dm_identity, 0, 1, 1, {0, 0, -1}, {0}}};
  dm_model *m = NULL;
  dm_status status =
      dm_model_new(&m, &(dm_tree){.nbody = 1, .ncoord = 1, .body = b, .coord = c}, NULL);
  dm_model_free(m);
  return status;
}
static dm_status changed_model(void) {
  dm_model *m = NULL;
  dm_status status = dm_model_changed(&m, model, &(dm_change){0});
  dm_model_free(m);
  return status;
}
static dm_status new_fitted(void) {
  dm_stiff_damping *w = NULL;
  dm_status status = dm_stiff_damping_new(&w, &s, 0.1);
  dm_stiff_damping_free(w);
  return status;
}
static dm_status new_discrete(void) {
  dm_interval *w = NULL;
  dm_status status = dm_interval_new(&w, &s);
  dm_interval_free(w);
  return status;
}
static dm_status new_del(void) {
  dm_del *w = NULL;
  dm_status status = dm_del_new(&w, &s, NULL);
  dm_del_free(w);
  return status;
}
static dm_status new_two_point(void) {
  dm_two_point *w = NULL;
  dm_status status = dm_two_point_new(&w, &s);
  dm_two_point_free(w);
  return status;
}
static dm_status new_two_point_study(void) {
  dm_two_point_study *w = NULL;
  dm_status status = dm_two_point_study_new(&w, &s.hol, s.L.nq, 0.5, 10);
  dm_two_point_study_free(w);
  return status;
}
static dm_status new_simulation(void) {
  dm_composition *steps = NULL;
  dm_simulation *w = NULL;
  dm_simulate_settings set = dm_simulate_default();
  set.steps = 10;
  set.h = 0.1;
  dm_status status = dm_composition_new(&steps, &s, 2, NULL, NULL);
  if (status != DM_OK) return status;
  dm_stepper step = dm_composition_stepper(steps);
  status = dm_simulation_new(&w, &s, &step, &set);
  dm_simulation_free(w);
  dm_composition_free(steps);
  return status;
}
static dm_status new_flow(void) {
  dm_second_order_lagrangian C = dm_second_order_spline(2, 2);
  dm_second_order_rule rule;
  dm_second_order *L = NULL;
  dm_flow *w = NULL;
  dm_flow_settings set = {.steps = 10, .h = 0.1};
  dm_status status = dm_second_order_rule_set(&rule, "taylor", 2, NULL);
  if (status == DM_OK) status = dm_second_order_new(&L, &C, &rule, NULL);
  if (status == DM_OK) status = dm_flow_new(&w, L, &set);
  dm_flow_free(w);
  dm_second_order_free(L);
  return status;
}
static dm_status new_inner_nodes(void) {
  dm_interval *w = NULL;
  dm_system nodes = s;
  dm_status status = dm_rule_set(&nodes.rule, "lobatto-3", 0.5, "midpoint", NULL);
  if (status == DM_OK) status = dm_interval_new(&w, &nodes);
  dm_interval_free(w);
  return status;
}
static dm_status new_composite(void) {
  dm_composition *w = NULL;
  dm_status status = dm_composition_new(&w, &s, 4, NULL, NULL);
  dm_composition_free(w);
  return status;
}
static dm_status new_form(void) {
  dm_symplectic_form *w = NULL;
  dm_status status = dm_symplectic_form_new(&w, &s, 4, NULL, NULL);
  dm_symplectic_form_free(w);
  return status;
}
static dm_status new_energy_momentum(void) {
  dm_energy_momentum *w = NULL;
  const dm_energy_momentum_settings set = {.del = dm_del_default()};
  dm_status status = dm_energy_momentum_new(&w, &s, &set);
  dm_energy_momentum_free(w);
  return status;
}
static dm_status new_linearize(void) {
  dm_linearize *w = NULL;
  dm_status status = dm_linearize_new(&w, &s);
  dm_linearize_free(w);
  return status;
}
static dm_status new_continuous(void) {
  dm_continuous *w = NULL;
  dm_status status = dm_continuous_new(&w, &s);
  dm_continuous_free(w);
  return status;
}
static dm_status new_inverse(void) {
  dm_inverse *w = NULL;
  dm_status status = dm_inverse_new(&w, model, NULL);
  dm_inverse_free(w);
  return status;
}
static dm_status new_nonsmooth(void) {
  dm_contact stop = {.name = "stop", .kind = DM_NOT_ABOVE, .coord = 1, .length = 9};
  dm_contacts *c = NULL;
  dm_contact_integrator *w = NULL;
  dm_status status = dm_contacts_new(&c, model, 1, &stop, NULL);
  if (status != DM_OK) return status;
  dm_unilateral u = dm_contacts_unilateral(c);
  status = dm_unilateral_check(&u, 1, (double[]){0, 0}, NULL);
  if (status == DM_OK) status = dm_contact_integrator_new(&w, &s, &u, NULL, NULL);
  dm_contact_integrator_free(w);
  dm_contacts_free(c);
  return status;
}
static dm_status new_second(void) {
  dm_torque_cost *e = NULL;
  dm_second_order *w = NULL;
  dm_second_order_rule rule;
  dm_status status = dm_torque_cost_new(&e, model, NULL, NULL, (double[]){1, 1});
  if (status == DM_OK) status = dm_second_order_rule_set(&rule, "taylor", 2, NULL);
  if (status == DM_OK) {
    dm_second_order_lagrangian C = dm_torque_cost_lagrangian(e);
    status = dm_second_order_new(&w, &C, &rule, NULL);
  }
  dm_second_order_free(w);
  dm_torque_cost_free(e);
  return status;
}
static dm_status new_newton(void) {
  dm_second_order_lagrangian C = dm_second_order_spline(1, 2);
  dm_second_order_rule rule;
  dm_second_order *w = NULL;
  oc_newton *x = NULL;
  double X[10] = {0}, rest[] = {0, 0};
  oc_options set;
  oc_newton_info info;
  set = oc_options_default();
  dm_status status = dm_second_order_rule_set(&rule, "taylor", 2, NULL);
  if (status == DM_OK) status = dm_second_order_new(&w, &C, &rule, NULL);
  if (status == DM_OK) status = oc_newton_new(&x, w, 4, rest, rest, NULL);
  if (status == DM_OK) status = oc_newton_solve(x, &set, NULL, 0.1, X, NULL, 0, &info, NULL);
  oc_newton_free(x);
  dm_second_order_free(w);
  return status == DM_UNAVAILABLE ? DM_OK : status;
}
static dm_status new_action(void) {
  oc_torque_transcription *w = NULL;
  oc_task t = {.system = s, .coord_name = model->name, .input_name = model->input_name};
  t.N = 3, t.time.T = 1, t.cost[OC_U].running = (double[]){1, 1};
  oc_torque_transcription_settings set = {.m = model, .underactuated = true};
  dm_status status = dm_second_order_rule_set(&set.rule, "taylor", 2, NULL);
  if (status == DM_OK) status = oc_torque_transcription_new(&w, &t, &set, NULL);
  oc_torque_transcription_free(w);
  return status;
}
static dm_status agree(void) {
  oc_task t = {.system = s, .coord_name = model->name, .N = traj->N};
  t.time.T = traj->N * traj->h;
  dm_trajectory *motion = NULL;
  oc_defect found;
  dm_status status = dm_trajectory_of(&motion, traj->N, &s);
  if (status == DM_OK) status = oc_defect_measure(&t, traj, motion, &found, NULL);
  dm_trajectory_free(motion);
  return status;
}
static dm_status new_measures(void) {
  dm_tendons *c = NULL;
  const double point[2][3] = {{0}, {0, 0, 1}};
  dm_tendon x = {.name = "x", .npoint = 2, .body = (int[]){-1, 1}, .point = point};
  dm_status status = dm_tendons_new(&c, model, 1, &x, NULL);
  dm_tendons_free(c);
  return status;
}
static dm_status new_loads(void) {
  dm_loads *c = NULL;
  const double point[2][3] = {{0}, {0, 0, 1}};
  dm_load x[] = {{.name = "x", .kind = DM_WRENCH_BODY, .body = 1, .force = {1}},
                 {.name = "y",
                  .kind = DM_CABLE,
                  .driven = true,
                  .tendon = {.npoint = 2, .body = (int[]){-1, 1}, .point = point}}};
  dm_status status = dm_loads_new(&c, model, 2, x, NULL);
  dm_loads_free(c);
  return status;
}
static dm_status new_springs(void) {
  dm_springs *c = NULL;
  dm_spring x = {{.name = "x", .ncoord = 1, .coord = (int[]){1}, .factor = (double[]){1}},
                 dm_spring_law_linear(1, 0)};
  dm_status status = dm_springs_new(&c, model, 1, &x, NULL);
  dm_springs_free(c);
  return status;
}
static dm_status new_trajectory(void) {
  dm_trajectory *x = NULL;
  dm_status status = dm_trajectory_new(&x, 3, 2, 1);
  dm_trajectory_free(x);
  return status;
}
static dm_status momenta(void) {
  return dm_trajectory_momenta(traj, &s);
}
static dm_status certify(void) {
  dm_certificate c;
  return dm_certify(traj, &s, NULL, &c);
}
static bool is_third(void *asked) { // a request to stop
  return ++*(int *)asked >= 3;
}
static dm_status new_constrained(void) { // the acrobot's tip on a vertical line
  static const char *const coord[] = {"a", "b"}, *const input[] = {"b"};
  dm_constraint line = {.name = "line",
                        .kind = DM_PLANE,
                        .body = {1, -1},
                        .coord = {-1, -1},
                        .axis = {1, 0, 0},
                        .point = {{0, 0, -1}, {0.3, 0, 0}}};
  double q[] = {-0.2, 0.1}, v[] = {1, 0}, none[] = {-INFINITY, -INFINITY}, u[1] = {0}, lambda[1];
  oc_task task = {.system = s,
                  .coord_name = coord,
                  .input_name = input,
                  .N = 4,
                  .time.T = 1,
                  .start.q = q,
                  .bounds[OC_Q].low = none};
  dm_constraints *c = NULL;
  oc_transcription *t = NULL;
  dm_trajectory *x = NULL;
  dm_status status = dm_constraints_new(&c, model, 1, &line, NULL);
  if (status == DM_OK) task.system.hol = dm_constraints_holonomic(c);
  if (status == DM_OK) status = dm_assembly_settle(&task.system, NULL, NULL, q, NULL);
  if (status == DM_OK)
    status = dm_equilibrium_find(&task.system, NULL, NULL, 0.1, q, u, lambda, NULL, NULL);
  if (status == DM_OK) status = dm_assembly_velocity(&task.system, q, v, NULL);
  if (status == DM_OK) status = dm_assembly_stand(&task.system, q, 0.1, v);
  if (status == DM_OK) status = oc_transcription_new(&t, &task, NULL);
  if (status == DM_OK) status = dm_trajectory_of(&x, 4, &task.system);
  if (status == DM_OK) status = oc_guess_line(&task, x);
  if (status == DM_OK) status = oc_guess_rollout(&task, NULL, x);
  int asked = 0;
  oc_deadline soon = {.until = INFINITY, .stop = is_third, .user = &asked};
  if (status == DM_OK) status = oc_nearest_rollout(&task, 0, 1, &soon, x);
  dm_trajectory_free(x);
  oc_transcription_free(t);
  dm_constraints_free(c);
  return status;
}
// the acrobot's tip at a position, its height along a curve
static dm_status ask_for_outputs(void) {
  static const char *const coord[] = {"a", "b"}, *const input[] = {"b"};
  const dm_output tip = {
      .name = "tip", .kind = DM_OUTPUT_POSITION, .body = {1, -1}, .point = {{0, 0, -1}}};
  const oc_output_limit limit = {.output = 0, .at = {1, 1}, .low = 0.3, .high = 0.3};
  const oc_output_cost cost = {.output = 2, .at = {0, 1}, .weight = 1};
  const int height = 2;
  const double within = 2, heights[] = {-2, -1.5, -1.9};
  double q[] = {-0.2, 0.1}, room[30];
  dm_curve curve;
  if (dm_curve_through(&curve, 3, 1, heights, NULL, false, room, NULL) != DM_OK) return DM_FAULT;
  oc_task task = {
      .system = s, .coord_name = coord, .input_name = input, .N = 4, .time.T = 1, .start.q = q};
  dm_outputs *w = NULL;
  oc_transcription *t = NULL;
  dm_trajectory *x = NULL;
  oc_regridded fine = {.numbers = NULL};
  oc_timed_task timed = {.room = NULL};
  oc_between *between = NULL;
  double margins[10] = {0};
  dm_status status = dm_outputs_new(&w, model, 1, &tip, NULL);
  if (status == DM_OK) {
    const dm_holonomic signals = dm_outputs_signals(w);
    task.outputs = (oc_outputs){.y = dm_outputs_map(w, &signals, model->nq),
                                .nlimits = 1,
                                .ncosts = 1,
                                .limits = &limit,
                                .costs = &cost,
                                .margins = margins,
                                .follow = {&curve, &height, &within, NULL}};
  }
  if (status == DM_OK) status = oc_transcription_new(&t, &task, NULL);
  if (status == DM_OK) status = oc_task_regrid(&fine, &task, 8);
  if (status == DM_OK) status = oc_timed_task_new(&timed, &task);
  if (status == DM_OK) status = dm_trajectory_of(&x, 4, &task.system);
  // postures of all knots need too many allocations to let each of them fail
  task.outputs.follow.curve = NULL;
  if (status == DM_OK) status = oc_guess_line(&task, x);
  if (status == DM_OK) status = oc_between_new(&between, &task);
  dm_trajectory_free(x);
  oc_timed_task_free(&timed);
  oc_between_free(between);
  oc_regridded_free(&fine);
  oc_transcription_free(t);
  dm_outputs_free(w);
  return status;
}
static dm_status close_a_motion(void) { // back to its start, one revolution further
  static const char *const coord[] = {"a", "b"}, *const input[] = {"b"};
  static const double travel[] = {6.283185307179586, 0};
  oc_task task = {.system = s,
                  .coord_name = coord,
                  .input_name = input,
                  .N = 4,
                  .time.T = 1,
                  .periodic = true,
                  .bounds[OC_TRAVEL].low = travel,
                  .bounds[OC_TRAVEL].high = travel};
  oc_transcription *t = NULL;
  dm_trajectory *x = NULL;
  dm_status status = oc_transcription_new(&t, &task, NULL);
  if (status == DM_OK) status = dm_trajectory_of(&x, 4, &task.system);
  if (status == DM_OK) status = oc_guess_line(&task, x);
  dm_trajectory_free(x);
  oc_transcription_free(t);
  return status;
}
static dm_status solve_by_stages(void) {
  static const char *const coord[] = {"a", "b"}, *const input[] = {"b"};
  static const double q[] = {0, 0}, weight[] = {1};
  oc_task task = {
      .system = s, .coord_name = coord, .input_name = input, .N = 4, .time.T = 1, .start.q = q};
  oc_transcription *t = NULL;
  task.cost[OC_U].running = weight;
  dm_status status = oc_transcription_new(&t, &task, NULL);
  if (status == DM_OK) {
    double numbers[200] = {0};
    const oc_nlp *p = oc_transcription_nlp(t);
    oc_point at = {numbers, numbers + 3 * p->n, numbers + p->n, numbers + 2 * p->n};
    oc_options set = oc_options_default();
    oc_ipopt_info info;
    assert_true(3 * p->n + p->m <= 200);
    status = oc_interior_solve(p, &set, NULL, &at, NULL, 0, &info);
    // without memory for it, the worst row is not named
    if (status == DM_OK && shortage_came()) status = DM_NO_MEMORY;
  }
  oc_transcription_free(t);
  return status;
}
static dm_status new_transcription(void) {
  static const char *const coord[] = {"a", "b"}, *const input[] = {"b"};
  double zero[] = {0, 0}, all[] = {INFINITY, INFINITY}, none[] = {-INFINITY, -INFINITY};
  oc_task task = {.system = s,
                  .coord_name = coord,
                  .input_name = input,
                  .N = 4,
                  .time.T = 1,
                  .start.q = zero,
                  .start.v = zero,
                  .goal.q = zero,
                  .goal.v = zero,
                  .bounds[OC_Q].low = none,
                  .bounds[OC_Q].high = all,
                  .bounds[OC_V].high = all,
                  .bounds[OC_U].low = none,
                  .bounds[OC_U].high = all};
  oc_transcription *t = NULL;
  dm_status status = oc_transcription_new(&t, &task, NULL);
  oc_transcription_free(t);
  return status;
}
static dm_status descent(void) {
  static const char *const coord[] = {"a", "b"}, *const input[] = {"b"};
  double zero[] = {0, 0}, one[] = {1, 1};
  oc_task task = {.system = s, .coord_name = coord, .input_name = input, .N = 4, .time.T = 0.4};
  task.start.q = task.start.v = zero;
  task.cost[OC_U].running = task.cost[OC_Q].running = one;
  oc_options set;
  oc_descent_info info;
  dm_trajectory *x = NULL;
  set = oc_options_default();
  dm_status status = dm_trajectory_of(&x, 4, &s);
  if (status == DM_OK) status = oc_descend(&task, &set, NULL, x, NULL, 0, &info, NULL);
  fb_tvlqr *f = NULL;
  double slope;
  int failed;
  if (status == DM_OK)
    status = oc_neighboring_extremal_gains(&f, &task, x, NULL, &slope, &failed, NULL);
  fb_tvlqr_free(f);
  if (status == DM_OK) set.descent.kkt = OC_CHOLMOD;
  if (set.descent.kkt == OC_CHOLMOD)
    status = oc_descend(&task, &set, NULL, x, NULL, 0, &info, NULL);
  dm_trajectory_free(x);
  return status == DM_UNAVAILABLE ? DM_OK : status;
}

static const shortage_row rows[] = {
    {"model", new_model},
    {"changed model", changed_model},
    {"fitted system", new_fitted},
    {"discrete", new_discrete},
    {"del", new_del},
    {"two_point", new_two_point},
    {"two_point_study", new_two_point_study},
    {"simulation", new_simulation},
    {"flow", new_flow},
    {"inner nodes", new_inner_nodes},
    {"composite", new_composite},
    {"form", new_form},
    {"energy-momentum", new_energy_momentum},
    {"linearize", new_linearize},
    {"continuous", new_continuous},
    {"inverse", new_inverse},
    {"nonsmooth", new_nonsmooth},
    {"second", new_second},
    {"newton", new_newton},
    {"action", new_action},
    {"agreement", agree},
    {"measures", new_measures},
    {"loads", new_loads},
    {"springs", new_springs},
    {"trajectory", new_trajectory},
    {"momenta", momenta},
    {"certificate", certify},
    {"program", new_transcription},
    {"constrained program", new_constrained},
    {"outputs", ask_for_outputs},
    {"periodic motion", close_a_motion},
    {"solve by stages", solve_by_stages},
    {"descent", descent},
};

static void failed_allocations_are_told_and_cleaned_up(void **state) {
  (void)state;
  shortage_open();
  for (int r = 0; r < COUNT(rows); r++) shortage_try(&rows[r]);
  shortage_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failed_allocations_are_told_and_cleaned_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

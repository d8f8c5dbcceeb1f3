// What tasks in the knots (q,v) end in: the minimum of Newton's method, of closed forms, of the
// first-order program; within limits; and how their solutions agree with the first-order map.
#include "optim/program/transcribe.h"
#include "optim/second/defect.h"
#include "optim/second/newton_bvp.h"
#include "optim/starts/guess.h"
#include "tests/support/actions.h"

static dm_message msg;

// the two solvers end at the same knots, of the recorded cost
static void both_solvers_find_the_recorded_swing(void **state) {
  (void)state;
  enum { N = 20, SIZE = 4 };
  tasks_task x = arm_task(N);
  oc_torque_transcription_settings set = settings(&x, "taylor");
  oc_torque_transcription *w = open_action(&x, &set);
  assert_false(oc_torque_transcription_binds(&x.t, &set, NULL));
  double one[(N + 1) * SIZE], two[(N + 1) * SIZE];
  arm_bow(N, 1.5, one), arm_bow(N, 1.5, two);
  oc_ipopt_info info = solve(w, one);
  assert_close(info.objective, 77.30431, 6e-6);
  oc_newton *newton = NULL;
  oc_options how;
  oc_newton_info found;
  how = oc_options_default();
  dm_status s =
      oc_newton_new(&newton, oc_torque_transcription_second(w), N,
                    oc_torque_transcription_end(w, 0), oc_torque_transcription_end(w, 1), &msg);
  if (s == DM_OK) s = oc_newton_solve(newton, &how, NULL, 1. / N, two, NULL, 0, &found, &msg);
  if (s != DM_OK && s != DM_UNAVAILABLE) fail_msg("%s", msg.text);
  for (int i = 0; s == DM_OK && i < (N + 1) * SIZE; i++) assert_close(one[i], two[i], 1e-6);
  oc_newton_free(newton), oc_torque_transcription_free(w), tasks_free(&x);
}

// an input of gear 2 is half the force: at four times the price the same motion costs the same, and
// so does a plain sum over the steps, times h
static void gears_and_sums_are_scales(void **state) {
  (void)state;
  enum { N = 20, SIZE = 4 };
  static const double gear[] = {2, -2};
  static const double u_min[][2] = {{-30, -30}, {-15, -14}}, u_max[][2] = {{30, 28}, {15, 15}};
  double X[3][(N + 1) * SIZE], J[3];
  dm_trajectory *traj[3];
  for (int i = 0; i < 3; i++) {
    tasks_task x = arm_task(N);
    x.t.sum = i == 2;
    x.t.cost[OC_Q].running = tasks_weight(&x, 1, 2, 0.3),
    x.t.cost[OC_V].running = tasks_weight(&x, 2, 2, 0.1);
    x.t.bounds[OC_U].low = u_min[i == 1], x.t.bounds[OC_U].high = u_max[i == 1];
    if (i == 1) x.t.system.input_gear = gear, x.t.cost[OC_U].running = tasks_weight(&x, 0, 2, 4);
    oc_torque_transcription_settings set = settings(&x, "hermite-gauss");
    oc_torque_transcription *w = open_action(&x, &set);
    arm_bow(N, 1.5, X[i]);
    J[i] = solve(w, X[i]).objective;
    assert_int_equal(dm_trajectory_of(&traj[i], N, &x.t.system), DM_OK);
    assert_int_equal(oc_torque_transcription_trajectory(w, X[i], traj[i]), DM_OK);
    oc_torque_transcription_free(w), tasks_free(&x);
  }
  assert_close(J[1] / J[0], 1, 1e-7);
  assert_close(J[2] / J[0], N, 1e-5);
  for (int k = 0; k < 2 * N; k++) {
    assert_close(traj[1]->u[k], traj[0]->u[k] / gear[k % 2], 1e-4);
    assert_close(traj[2]->u[k], traj[0]->u[k], 1e-4);
  }
  for (int i = 0; i < 3; i++) dm_trajectory_free(traj[i]);
}

// a slider of 1 kg without gravity: its forces are its accelerations, its motions splines
static tasks_task slider(int N) {
  dm_coordinate c[] = {models_coord("x", true, 1, 0, 0)};
  dm_body b[] = {{"point", -1, dm_identity, 0, 1, 1, {0}, {0}}};
  dm_input in[] = {models_input("x", 0)};
  tasks_task x =
      tasks_make(models_make(&(dm_tree){
                     .nbody = 1, .ncoord = 1, .ninput = 1, .body = b, .coord = c, .input = in}),
                 N, 1);
  tasks_rest(&x, 0, (double[]){0});
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1);
  return x;
}

// from rest to 1 at rest costs 6: exactly by Hermite's rules on any grid, with order 2 by the
// others
static void splines_are_exact_or_of_order_two(void **state) {
  (void)state;
  static const struct {
    const char *rule;
    int order;
  } row[] = {{"hermite-gauss", 0}, {"hermite-lobatto", 0}, {"taylor", 2}, {"taylor-ends", 2}};
  for (int r = 0; r < COUNT(row); r++) {
    double off[3];
    for (int i = 0; i < 3; i++) {
      int N = 10 << i;
      tasks_task x = slider(N);
      tasks_rest(&x, 1, (double[]){1});
      oc_torque_transcription_settings set = settings(&x, row[r].rule);
      oc_torque_transcription *w = open_action(&x, &set);
      double X[82];
      oc_torque_transcription_cubic(w, X);
      off[i] = solve(w, X).objective - 6;
      oc_torque_transcription_free(w), tasks_free(&x);
      if (!row[r].order) assert_close(off[i], 0, 1e-10);
    }
    for (int i = 0; row[r].order && i < 2; i++)
      assert_close(off[i] / off[i + 1], 4, i ? 0.03 : 0.1);
  }
}

// a motion that is its own reference costs nothing between the knots either: q that runs straight,
// then v, under the force that it takes, of an input of gear -2
static void references_that_are_reached_cost_nothing(void **state) {
  (void)state;
  enum { N = 4 };
  static const double gear[] = {-2};
  for (int r = 0; r < 2; r++) {
    tasks_task x = slider(N);
    double X[2 * (N + 1)], f;
    double *q = tasks_reference(&x, 0), *v = tasks_reference(&x, 1), *u = tasks_reference(&x, 3);
    for (int k = 0; k <= N; k++) {
      double t = (double)k / N;
      X[2 * k] = q[k] = r ? t * t / 2 : 0.3 + 0.7 * t;
      X[2 * k + 1] = v[k] = r ? t : 0.7;
      if (k < N) u[k] = (r ? 1 : 0.5 * 0.7) / gear[0];
    }
    x.m->damping[0] = r ? 0 : 0.5;
    x.t.system.input_gear = gear;
    x.t.cost[OC_Q].reference = r ? NULL : q, x.t.cost[OC_V].reference = v,
    x.t.cost[OC_U].reference = u;
    x.t.cost[OC_Q].running = tasks_weight(&x, 1, 1, !r),
    x.t.cost[OC_V].running = tasks_weight(&x, 2, 1, 1);
    x.t.cost[OC_Q].goal = tasks_weight(&x, 3, 1, !r),
    x.t.cost[OC_V].goal = tasks_weight(&x, 4, 1, 1);
    oc_torque_transcription_settings set = settings(&x, r ? "hermite-lobatto" : "hermite-gauss");
    oc_torque_transcription *w = open_action(&x, &set);
    const oc_nlp *p = oc_torque_transcription_nlp(w);
    assert_int_equal(p->f(p->self, X, &f), DM_OK);
    assert_close(f, 0, 1e-26);
    dm_trajectory *traj;
    assert_int_equal(dm_trajectory_of(&traj, N, &x.t.system), DM_OK);
    assert_int_equal(oc_torque_transcription_trajectory(w, X, traj), DM_OK);
    for (int k = 0; k < N; k++) assert_close(traj->u[k], u[k], 1e-14);
    dm_trajectory_free(traj);
    oc_torque_transcription_free(w), tasks_free(&x);
  }
}

// drawn to 1 by a terminal cost of weight w: q_N = w T^3/3 / (1 + w T^3/3)
static void a_terminal_cost_has_its_closed_form(void **state) {
  (void)state;
  enum { N = 8 };
  tasks_task x = slider(N);
  x.t.cost[OC_Q].goal = tasks_weight(&x, 1, 1, 3);
  double *ref = tasks_reference(&x, 0), X[(N + 1) * 2];
  ref[N] = 1; // the last knot alone has a cost
  x.t.cost[OC_Q].reference = ref;
  oc_torque_transcription_settings set = settings(&x, "hermite-gauss");
  oc_torque_transcription *w = open_action(&x, &set);
  assert_true(oc_torque_transcription_binds(&x.t, &set, &msg));
  oc_torque_transcription_cubic(w, X);
  assert_close(solve(w, X).objective, 0.75, 1e-8);
  for (int k = 0; k <= N; k++) {
    double t = (double)k / N;
    assert_close(X[2 * k], 0.5 * (3 * t * t - t * t * t) / 2, 1e-7);
  }
  oc_torque_transcription_free(w), tasks_free(&x);
}

// limits hold at knots, in the middle of steps and at nodes, some of them to their end, and a
// motion that is free has another optimum
static void limits_are_met(void **state) {
  (void)state;
  enum { N = 40, SIZE = 4 };
  static const double torque = 25, speed = 5.5;
  tasks_task x = arm_task(N);
  oc_torque_transcription_settings set = settings(&x, "hermite-gauss");
  double X[(N + 1) * SIZE], free_cost = 0;
  x.m->q_min[1] = 0, x.m->q_max[1] = 2.8;
  for (int limited = 0; limited < 2; limited++) {
    for (int i = 0; i < 2 && limited; i++)
      x.m->u_min[i] = -torque, x.m->u_max[i] = torque, x.m->v_max[i] = i ? 15 : speed;
    oc_torque_transcription *w = open_action(&x, &set);
    assert_true(oc_torque_transcription_binds(&x.t, &set, &msg));
    arm_bow(N, 1.5, X);
    oc_torque_transcription_clip(w, X);
    oc_ipopt_info info = solve(w, X);
    if (!limited) free_cost = info.objective;
    if (limited) assert_true(info.objective > 1.01 * free_cost);
    double most[3] = {0}, g[2 * N * 2 + 2 * N];
    const oc_nlp *p = oc_torque_transcription_nlp(w);
    assert_int_equal(p->m, limited ? 6 * N : 0);
    assert_int_equal(p->g(p->self, X, g), DM_OK);
    for (int i = 0; i < p->m; i++) {
      bool force = i < 4 * N;
      if (force) most[0] = fmax(most[0], fabs(g[i]));
      if (!force && i % 2 == 0) most[1] = fmax(most[1], fabs(g[i]));
    }
    for (int k = 0; k <= N; k++) {
      assert_true(X[SIZE * k + 1] > -1e-7 && X[SIZE * k + 1] < 2.8 + 1e-7);
      most[2] = fmax(most[2], fabs(X[SIZE * k + 2]));
    }
    if (limited) {
      assert_close(most[0], torque, 1e-5);
      assert_close(fmax(most[1], most[2]), speed, 1e-5);
    }
    oc_torque_transcription_free(w);
  }
  tasks_free(&x);
}

// A motion that is driven in part, its other equations rows: the same optimum as the first-order
// program's, from which it starts; the costs part by h^2.
static void optima_of_both_orders_meet(void **state) {
  (void)state;
  static const struct {
    tasks_task (*make)(int N);
    int N;
    const char *rule;
  } row[] = {{tasks_cart_pole, 50, "hermite-gauss"}, {tasks_cart_pole, 50, "taylor"}};
  for (int r = 0; r < COUNT(row); r++) {
    double apart[3];
    dm_trajectory *last = NULL; // on the grid before
    for (int i = 0; i < COUNT(apart); i++) {
      tasks_task x = row[r].make(row[r].N << i);
      oc_transcription *t = NULL;
      assert_int_equal(oc_transcription_new(&t, &x.t, &msg), DM_OK);
      const oc_nlp *p = oc_transcription_nlp(t);
      int n = x.m->nq;
      double *numbers = calloc((size_t)(3 * p->n + p->m), sizeof *numbers);
      oc_point point = {numbers, numbers + p->n, numbers + p->n + p->m, numbers + 2 * p->n + p->m};
      oc_options how;
      oc_ipopt_info first;
      how = oc_options_default();
      dm_trajectory *traj;
      assert_int_equal(dm_trajectory_of(&traj, x.t.N, &x.t.system), DM_OK);
      traj->h = x.t.time.T / x.t.N;
      if (last) oc_guess_resample(&x.t, last, traj);
      if (last) oc_transcription_pack(t, traj, point.x);
      if (!last) tasks_line(t, &x, point.x);
      dm_status s = oc_ipopt_solve(p, &how, NULL, &point, NULL, 0, &first);
      if (s == DM_UNAVAILABLE) skip_test(NO_IPOPT);
      assert_int_equal(s, DM_OK);
      assert_int_equal(oc_transcription_unpack(t, point.x, traj), DM_OK);
      oc_torque_transcription_settings set = settings(&x, row[r].rule);
      set.underactuated = true;
      oc_torque_transcription *w = open_action(&x, &set);
      double *X = calloc((size_t)oc_torque_transcription_nlp(w)->n, sizeof *X);
      for (int k = 0; k <= x.t.N; k++)
        for (int j = 0; j < n; j++) {
          X[2 * k * n + j] = traj->q[k * n + j];
          X[(2 * k + 1) * n + j] = traj->v[k * n + j];
        }
      oc_torque_transcription_clip(w, X);
      apart[i] = solve(w, X).objective - first.objective;
      print_message("%s, N = %d: %.10g, apart by %.3g\n", row[r].rule, x.t.N, first.objective,
                    apart[i]);
      free(X), free(numbers);
      dm_trajectory_free(last), last = traj;
      oc_torque_transcription_free(w);
      oc_transcription_free(t);
      tasks_free(&x);
    }
    dm_trajectory_free(last);
    assert_close(apart[0] / apart[1], 4, 0.4);
    assert_close(apart[1] / apart[2], 4, 0.2);
  }
}

// -- how it agrees with the first-order map

// the defects along a solution of fourth order are those of the map, of second; the motion that
// follows is as near, and one of the map: the ratio of its distances tends to 4 as 1/N, since gains act
// within some steps
static void the_two_discretizations_agree(void **state) {
  (void)state;
  enum { N = 160, SIZE = 4 };
  static double X[(4 * N + 1) * SIZE];
  oc_defect found[3];
  for (int i = 0; i < 3; i++) {
    tasks_task x = arm_task(N << i);
    oc_torque_transcription_settings set = settings(&x, "hermite-gauss");
    oc_torque_transcription *w = open_action(&x, &set);
    arm_bow(N << i, 1.5, X);
    solve(w, X);
    dm_trajectory *curve, *motion;
    dm_del *del;
    assert_int_equal(dm_trajectory_of(&curve, x.t.N, &x.t.system), DM_OK);
    assert_int_equal(dm_trajectory_of(&motion, x.t.N, &x.t.system), DM_OK);
    assert_int_equal(dm_del_new(&del, &x.t.system, NULL), DM_OK);
    assert_int_equal(oc_torque_transcription_trajectory(w, X, curve), DM_OK);
    if (oc_defect_measure(&x.t, curve, motion, &found[i], &msg) != DM_OK) fail_msg("%s", msg.text);
    double gap;
    int worst;
    assert_int_equal(dm_trajectory_certify(motion, del, NULL, &gap, &worst), DM_OK);
    assert_true(gap < 1e-10);
    double far = 0;
    for (int k = 0; k < 2 * (x.t.N + 1); k++) far = fmax(far, fabs(motion->q[k] - curve->q[k]));
    int at = 2 * found[i].at + found[i].coord;
    assert_close(found[i].distance, far, 1e-14);
    assert_close(fabs(motion->q[at] - curve->q[at]), far, 1e-14);
    dm_del_free(del), dm_trajectory_free(curve), dm_trajectory_free(motion);
    oc_torque_transcription_free(w), tasks_free(&x);
  }
  assert_close(found[0].order, 2, 0.05);
  assert_close(found[1].order, 2, 0.02);
  assert_close(found[0].defect / found[1].defect, 8, 0.2);
  const double coarse = found[0].distance / found[1].distance;
  assert_close(2 * found[1].distance / found[2].distance - coarse, 4, 0.1);
}

// under a constant force the map is exact: what is left is rounding, and has no order
static void motions_of_the_map_have_no_order(void **state) {
  (void)state;
  enum { N = 10 };
  tasks_task x = slider(N);
  dm_trajectory *curve, *motion;
  oc_defect found;
  assert_int_equal(dm_trajectory_of(&curve, N, &x.t.system), DM_OK);
  assert_int_equal(dm_trajectory_of(&motion, N, &x.t.system), DM_OK);
  curve->h = 1. / N;
  for (int k = 0; k <= N; k++) {
    double t = (double)k / N;
    curve->q[k] = t * t / 2, curve->p[k] = curve->v[k] = t;
    if (k < N) curve->u[k] = 1;
  }
  if (oc_defect_measure(&x.t, curve, motion, &found, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_true(isnan(found.order) && found.defect < 1e-14 && found.distance < 1e-13);
  dm_trajectory_free(curve), dm_trajectory_free(motion);
  tasks_free(&x);
}

// a momentum that is off at one end makes a defect that does not grow with the step: it is there,
// and tells no order
static void a_defect_that_does_not_grow_has_no_order(void **state) {
  (void)state;
  enum { N = 10 };
  tasks_task x = slider(N);
  dm_trajectory *curve, *motion;
  oc_defect found;
  assert_int_equal(dm_trajectory_of(&curve, N, &x.t.system), DM_OK);
  assert_int_equal(dm_trajectory_of(&motion, N, &x.t.system), DM_OK);
  curve->h = 1. / N;
  for (int k = 0; k <= N; k++) {
    double t = (double)k / N;
    curve->q[k] = t * t / 2, curve->p[k] = curve->v[k] = t;
    if (k < N) curve->u[k] = 1;
  }
  curve->p[N] += 0.01;
  if (oc_defect_measure(&x.t, curve, motion, &found, &msg) != DM_OK) fail_msg("%s", msg.text);
  assert_close(found.defect, 0.005, 1e-4);
  assert_close(found.defect_2h, found.defect, 1e-12);
  assert_int_equal(found.knot, N - 1);
  assert_true(isnan(found.order));
  dm_trajectory_free(curve), dm_trajectory_free(motion);
  tasks_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_solvers_find_the_recorded_swing),
      cmocka_unit_test(gears_and_sums_are_scales),
      cmocka_unit_test(splines_are_exact_or_of_order_two),
      cmocka_unit_test(references_that_are_reached_cost_nothing),
      cmocka_unit_test(a_terminal_cost_has_its_closed_form),
      cmocka_unit_test(limits_are_met),
      cmocka_unit_test(optima_of_both_orders_meet),
      cmocka_unit_test(the_two_discretizations_agree),
      cmocka_unit_test(motions_of_the_map_have_no_order),
      cmocka_unit_test(a_defect_that_does_not_grow_has_no_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

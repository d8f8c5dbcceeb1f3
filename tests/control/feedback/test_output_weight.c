// Weights on outputs: compared with weights on coordinates, and the closed loop's cost compared
// with the Riccati matrix.
#include "control/feedback/output_weight.h"

#include "control/feedback/dare.h"
#include "control/feedback/state_size.h"
#include "control/loop/closed_loop.h"
#include "lib/base/order_fit.h"
#include "lib/multibody/output.h"
#include "tests/support/models.h"

enum {
  N = 30,
  LINKS = 3,
  NX = 2 * LINKS,
  ROWS = 15,
};
static const double Q[] = {1, 2, 3, 0.1, 0.2, 0.3}, R[] = {0.01, 0.02, 0.03};
static const double weight[ROWS] = {100, 0, 50, 30, 0, 0, 20, 10, 3, 0, 2, 1, 0, 0.5, 0};

// a three-link arm moving under inputs, and its outputs: tip [3], far, centre [3], bend, fast [3],
// and outputs of velocities alone, turn and spin [3]
typedef struct scene {
  dm_model *m;
  dm_system s;
  dm_trajectory *x;
  dm_outputs *outputs;
  dm_holonomic signals;
  dm_continuous *mechanics;
  fb_output_weight weights;
} scene;

static scene scene_open(double swing) {
  static const int coord[] = {1, 2};
  static const double share[] = {1, -0.5};
  const dm_output list[] = {
      {.name = "tip", .kind = DM_OUTPUT_POSITION, .body = {2, -1}, .point = {{0, 0, -1}, {0}}},
      {.name = "far",
       .kind = DM_OUTPUT_DISTANCE,
       .body = {2, -1},
       .point = {{0, 0, -1}, {0, 0, -3}}},
      {.name = "centre", .kind = DM_OUTPUT_CENTER},
      {.name = "bend", .kind = DM_OUTPUT_SUM, .n = 2, .coord = coord, .weight = share},
      {.name = "fast", .kind = DM_OUTPUT_VELOCITY, .body = {2, -1}, .point = {{0, 0, -1}, {0}}},
      {.name = "turn", .kind = DM_OUTPUT_RATE, .n = 2, .coord = coord, .weight = share},
      {.name = "spin", .kind = DM_OUTPUT_ANGULAR_MOMENTUM}};
  scene z = {.m = models_chain(LINKS, 1, 0)};
  dm_message msg = {""};
  dm_del *del;
  dm_del_info info;
  int failed;

  // a motion of the map, away from the configuration in which the distance is zero
  z.s = dm_system_of(z.m);
  assert_int_equal(dm_trajectory_new(&z.x, N, LINKS, LINKS), DM_OK);
  z.x->h = 0.02;
  for (int i = 0; i < LINKS; i++) z.x->q[i] = z.x->q[LINKS + i] = swing * (0.5 + 0.3 * i);
  for (int k = 0; k < N * LINKS; k++) z.x->u[k] = swing * sin(k);
  assert_int_equal(dm_del_new(&del, &z.s, NULL), DM_OK);
  assert_int_equal(dm_trajectory_rollout(z.x, del, &info, &failed), DM_OK);
  dm_del_free(del);

  if (dm_outputs_new(&z.outputs, z.m, COUNT(list), list, &msg) != DM_OK) fail_msg("%s", msg.text);
  z.signals = dm_outputs_signals(z.outputs);
  z.weights = (fb_output_weight){dm_outputs_map(z.outputs, &z.signals, LINKS), ROWS, weight};
  assert_int_equal(dm_continuous_new(&z.mechanics, &z.s), DM_OK);
  return z;
}

static void scene_close(scene *z) {
  dm_continuous_free(z->mechanics);
  dm_outputs_free(z->outputs);
  dm_trajectory_free(z->x);
  dm_model_free(z->m);
}

static fb_tvlqr *make_gains(const scene *z, const fb_weights *weights) {
  fb_tvlqr *f = NULL;
  dm_message msg = {""};
  int failed;
  if (fb_tvlqr_new(&f, z->x, &z->s, weights, &failed, &msg) != DM_OK) fail_msg("%s", msg.text);
  return f;
}

// y of a state x = (q,p)
static void eval_outputs(const scene *z, const double *x, double *y) {
  const dm_output_map *of = &z->weights.y;
  void *scratch = aligned_alloc(64, (of->scratch + 127) & ~(size_t)63);
  double v[LINKS] = {0};
  assert_int_equal(dm_velocity_of(z->mechanics, x, x + LINKS, v), DM_OK);
  assert_int_equal(dm_output_map_eval(of, scratch, x, v, y, NULL, NULL), DM_OK);
  free(scratch);
}

// sum_i w_i (y_i(x) - y_i(x_d))^2
static double find_output_cost(const scene *z, const double *x, const double *x_d) {
  double y[ROWS], y_d[ROWS], sum = 0;
  eval_outputs(z, x, y);
  eval_outputs(z, x_d, y_d);
  for (int i = 0; i < ROWS; i++) sum += weight[i] * (y[i] - y_d[i]) * (y[i] - y_d[i]);
  return sum;
}

// the weight at a state, added to W [NX x NX]
static void add_weight_at(const scene *z, const fb_knot_weight *at, const double *x, double *W) {
  double v[LINKS] = {0}, v_q[LINKS * LINKS], v_p[LINKS * LINKS];
  void *scratch = aligned_alloc(64, (at->scratch + 127) & ~(size_t)63);
  assert_int_equal(dm_velocity_of(z->mechanics, x, x + LINKS, v), DM_OK);
  assert_int_equal(dm_velocity_slope(z->mechanics, x, v, v_q, v_p), DM_OK);
  const fb_knot k = {LINKS, x, x + LINKS, v, v_q, v_p};
  assert_int_equal(at->add(at->self, scratch, &k, W, NX, NULL), DM_OK);
  free(scratch);
}

// -- controllers

// a coordinate as an output has the same weight: gains are bitwise equal
static void a_coordinate_as_an_output_weighs_the_same(void **state) {
  (void)state;
  static const int coord[] = {1};
  static const double one[] = {1}, w[] = {7.3}, none[NX] = {0, 0, 3, 0.1, 0.2, 0.3};
  static const double all[NX] = {0, 7.3, 3, 0.1, 0.2, 0.3}, integral[] = {0, 2, 0};
  const dm_output o = {.name = "j", .kind = DM_OUTPUT_SUM, .n = 1, .coord = coord, .weight = one};
  scene z = scene_open(1);
  dm_outputs *rows;
  dm_message msg = {""};
  assert_int_equal(dm_outputs_new(&rows, z.m, 1, &o, &msg), DM_OK);
  const dm_holonomic signals = dm_outputs_signals(rows);
  const fb_output_weight of = {dm_outputs_map(rows, &signals, LINKS), 1, w};
  const fb_knot_weight at = fb_output_weight_at_knots(&of);

  // final weights or the steady solution, integrated errors, delayed inputs, equilibrium at the end
  for (int how = 0; how < 5; how++) {
    fb_weights plain = {.Q = all, .R = R}, by_output = {.Q = none, .R = R, .Q_at = &at};
    if (how == 0) plain.Qf = all;
    if (how == 0) by_output.Qf = none;
    if (how == 0) by_output.Qf_at = &at;
    if (how == 2) plain.integral = by_output.integral = integral;
    if (how == 3) plain.delay = by_output.delay = 1;
    if (how == 4) plain.rest = by_output.rest = 10;
    fb_tvlqr *a = make_gains(&z, &plain), *b = make_gains(&z, &by_output);
    assert_memory_equal(a->K, b->K, N * LINKS * NX * sizeof *a->K);
    assert_memory_equal(a->P, b->P, (N + 1) * NX * NX * sizeof *a->P);
    if (a->ni) assert_memory_equal(a->Ki, b->Ki, N * LINKS * sizeof *a->Ki);
    if (a->W) assert_memory_equal(a->W, b->W, N * LINKS * LINKS * sizeof *a->W);
    fb_tvlqr_free(a);
    fb_tvlqr_free(b);
  }
  dm_outputs_free(rows);
  scene_close(&z);
}

// d'Q(x)d equals the cost of outputs at deviation d up to third order
static void it_is_the_cost_to_second_order(void **state) {
  (void)state;
  enum { STEPS = 4 };
  scene z = scene_open(1);
  const fb_knot_weight at = fb_output_weight_at_knots(&z.weights);
  const double d[NX] = {0.4, -0.3, 0.6, 0.5, -0.2, 0.1};
  double x[NX], W[NX * NX] = {0}, e[STEPS], error[STEPS], square = 0;
  assert_true(at.rated);
  memcpy(x, z.x->q + 10 * LINKS, LINKS * sizeof *x);
  memcpy(x + LINKS, z.x->p + 10 * LINKS, LINKS * sizeof *x);
  add_weight_at(&z, &at, x, W);

  // bitwise symmetric, and positive
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NX; j++) {
      assert_true(W[i * NX + j] == W[j * NX + i]);
      square += d[i] * W[i * NX + j] * d[j];
    }
  assert_true(square > 1);

  for (int i = 0; i < STEPS; i++) {
    double off[NX];
    e[i] = 0.01 * pow(0.5, i);
    for (int j = 0; j < NX; j++) off[j] = x[j] + e[i] * d[j];
    error[i] = fabs(find_output_cost(&z, off, x) - e[i] * e[i] * square);
  }
  assert_close(dm_order_fit_errors(STEPS, e, error, 0).order, 3, 0.2);
  scene_close(&z);
}

// weights on positions do not depend on p, and need no velocities
static void places_weigh_no_momentum(void **state) {
  (void)state;
  static const double of_places[ROWS] = {100, 0, 50, 30, 0, 0, 20, 10};
  scene z = scene_open(1);
  double W[NX * NX] = {0};
  z.weights.weight = of_places;
  const fb_knot_weight at = fb_output_weight_at_knots(&z.weights);
  void *scratch = aligned_alloc(64, (at.scratch + 127) & ~(size_t)63);
  const fb_knot k = {.n = LINKS, .q = z.x->q + 10 * LINKS, .p = z.x->p + 10 * LINKS};
  assert_false(at.rated);
  assert_int_equal(at.add(at.self, scratch, &k, W, NX, NULL), DM_OK);
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NX; j++) assert_true((W[i * NX + j] != 0) == (i < LINKS && j < LINKS));
  free(scratch);
  scene_close(&z);
}

// the closed loop's cost from a start at deviation d, with nonlinear outputs
static double find_paid(const scene *z, const fb_tvlqr *f, const fb_plant *plant, double size) {
  static const double d[NX] = {0.5, -0.3, 0.4, 0.2, -0.1, 0.3};
  double x[(N + 1) * NX], u[N * LINKS], start[NX], paid = 0;
  fb_closed_loop_result r;
  for (int i = 0; i < NX; i++) start[i] = f->x[i] + size * d[i];
  assert_int_equal(fb_closed_loop_run(f, plant, start, NULL, NULL, NULL, x, u, &r), DM_OK);
  for (int k = 0; k <= N; k++) {
    for (int i = 0; i < NX; i++) paid += Q[i] * pow(x[k * NX + i] - f->x[k * NX + i], 2);
    for (int i = 0; k < N && i < LINKS; i++)
      paid += R[i] * pow(u[k * LINKS + i] - f->u[k * LINKS + i], 2);
    paid += find_output_cost(z, x + k * NX, f->x + k * NX);
  }

  // minus the cost predicted by P
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NX; j++) paid -= size * size * d[i] * f->P[i * NX + j] * d[j];
  return fabs(paid);
}

static void the_loop_pays_what_P_foretells(void **state) {
  (void)state;
  enum { STEPS = 4 };
  scene z = scene_open(1);
  const fb_knot_weight at = fb_output_weight_at_knots(&z.weights);
  const fb_weights weights = {.Q = Q, .R = R, .Qf = Q, .Q_at = &at, .Qf_at = &at};
  fb_tvlqr *f = make_gains(&z, &weights);
  fb_plant plant;
  double e[STEPS], error[STEPS];
  assert_int_equal(fb_plant_discrete(&plant, &z.s), DM_OK);
  for (int i = 0; i < STEPS; i++) {
    e[i] = 0.02 * pow(0.5, i);
    error[i] = find_paid(&z, f, &plant, e[i]);
  }
  assert_close(dm_order_fit_errors(STEPS, e, error, 0).order, 3, 0.2);
  fb_plant_free(&plant);
  fb_tvlqr_free(f);
  scene_close(&z);
}

// at equilibrium it is the steady solution of Q and the weight at the equilibrium
static void rest_has_the_steady_solution_of_all_weights(void **state) {
  (void)state;
  scene z = scene_open(1);
  const fb_knot_weight at = fb_output_weight_at_knots(&z.weights);
  fb_tvlqr *f = make_gains(&z, &(fb_weights){.Q = Q, .R = R, .Q_at = &at, .rest = N});
  double W[NX * NX] = {0}, RR[LINKS * LINKS] = {0}, P[NX * NX], K[LINKS * NX];
  for (int i = 0; i < NX; i++) W[i * NX + i] = Q[i];
  for (int i = 0; i < LINKS; i++) RR[i * LINKS + i] = R[i];
  add_weight_at(&z, &at, f->x + N * NX, W);
  double size[NX];
  assert_int_equal(fb_state_size(size, &z.s, f->x + N * NX, N * f->h), DM_OK);
  assert_int_equal(fb_dare_solve(NX, LINKS, f->A, f->B, W, RR, size, P, K), DM_OK);
  assert_memory_equal(K, f->K, sizeof K);
  assert_memory_equal(P, f->P, sizeof P);
  fb_tvlqr_free(f);
  scene_close(&z);
}

// hanging straight down, the tip is at the reference point of the distance
static void an_output_without_a_derivative_is_named_where_it_is_weighed(void **state) {
  (void)state;
  static const double others[ROWS] = {100, 0, 50, 0, 0, 0, 20, 10};
  scene z = scene_open(0);
  const fb_knot_weight at = fb_output_weight_at_knots(&z.weights);
  fb_weights weights = {.Q = Q, .R = R, .Qf = Q, .Q_at = &at};
  fb_tvlqr *f = (fb_tvlqr *)&z;
  dm_message msg = {""};
  int failed;
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_NOT_FINITE);
  assert_null(f);
  assert_int_equal(failed, 0);
  assert_non_null(strstr(msg.text, "no gains at knot 0: the output 'far', which has a weight"));

  // the same at the end
  weights = (fb_weights){.Q = Q, .R = R, .Qf = Q, .Qf_at = &at};
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_NOT_FINITE);
  assert_int_equal(failed, N);
  weights = (fb_weights){.Q = Q, .R = R, .Q_at = &at, .rest = N};
  assert_int_equal(fb_tvlqr_new(&f, z.x, &z.s, &weights, &failed, &msg), DM_NOT_FINITE);
  assert_int_equal(failed, N);

  // without a weight the derivative is not needed
  z.weights.weight = others;
  weights = (fb_weights){.Q = Q, .R = R, .Qf = Q, .Q_at = &at};
  fb_tvlqr_free(make_gains(&z, &weights));
  scene_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_coordinate_as_an_output_weighs_the_same),
      cmocka_unit_test(it_is_the_cost_to_second_order),
      cmocka_unit_test(places_weigh_no_momentum),
      cmocka_unit_test(the_loop_pays_what_P_foretells),
      cmocka_unit_test(rest_has_the_steady_solution_of_all_weights),
      cmocka_unit_test(an_output_without_a_derivative_is_named_where_it_is_weighed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

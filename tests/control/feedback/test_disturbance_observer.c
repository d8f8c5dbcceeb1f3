// Disturbances estimated by the filter: the steady error without the estimates, and its absence
// with them.
#include "control/feedback/dare.h"
#include "control/feedback/estimator.h"
#include "control/feedback/output_feedback.h"
#include "control/loop/closed_loop.h"
#include "tests/support/mismatch.h"

enum { N = 2000, NX = 4 };
static const double Q[] = {10, 100, 1, 1}, R[] = {1}, half[] = {0.5};
static const double fine[] = {1e-8, 1e-8}, slider[] = {1e-8, INFINITY}, pole[] = {INFINITY, 1e-8};
static const double impulse[] = {1e-7, 1e-7}, start[] = {1e-3, 1e-3};

// the cart-pole at rest upright for 40 s, with encoders of the given noise
typedef struct watched {
  balanced z;
  fb_tvlqr *f;
  fb_estimator *filter;
  fb_sensor sensor;
  fb_output_feedback *law;
  int cut; // steps of the last run in which a limit was active
} watched;

static fb_tvlqr *rest_upright(const balanced *z, int delay) {
  dm_trajectory *x;
  fb_tvlqr *f;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, N, 2, 1), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= N; k++) x->q[2 * k + 1] = 3.141592653589793;
  const fb_weights weights = {.Q = Q, .R = R, .rest = N, .delay = delay};
  assert_int_equal(fb_tvlqr_new(&f, x, &z->s, &weights, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  return f;
}

static watched watch_within(const double *encoder, const double *time, const double *most) {
  watched w = {.z = balanced_open()};
  const fb_sensor_noise set = {encoder, impulse, start, start, 1, INFINITY, time, most};
  int failed;
  w.f = rest_upright(&w.z, 0);
  assert_int_equal(fb_estimator_new(&w.filter, w.f, &w.z.s, &set, &failed, NULL), DM_OK);
  assert_int_equal(fb_output_feedback_new(&w.law, w.f, &w.z.s, FB_STATE, false, NULL), DM_OK);
  return w;
}

static watched watch(const double *encoder, const double *time) {
  return watch_within(encoder, time, NULL);
}

static void close_watched(watched *w) {
  fb_output_feedback_free(w->law);
  fb_estimator_free(w->filter);
  fb_tvlqr_free(w->f);
  balanced_close(&w->z);
}

// a plant with an unknown force: the discrete map, or the controller's own linear model
typedef struct pushed {
  fb_plant map;
  const fb_tvlqr *f; // NULL: the map
  double force;
} pushed;

static dm_status step_pushed(void *self, double *x, const double *u, double h) {
  pushed *w = self;
  double sum = u[0] + w->force, next[NX];
  if (!w->f) return w->map.step(w->map.self, x, &sum, h);
  for (int i = 0; i < NX; i++) {
    next[i] = w->f->x[i] + w->f->B[i] * (sum - w->f->u[0]);
    for (int j = 0; j < NX; j++) next[i] += w->f->A[i * NX + j] * (x[j] - w->f->x[j]);
  }
  memcpy(x, next, sizeof next);
  return DM_OK;
}

// the slider's final error, with the controller or only the gain schedule
static double run_pushed(watched *w, bool linear, bool by_law, double force, double limit) {
  pushed p = {.f = linear ? w->f : NULL, .force = force};
  const double x0[] = {0, 3.141592653589793, 0, 0}, least = -limit;
  double *x = calloc(((size_t)N + 1) * NX, sizeof *x);
  fb_closed_loop_result r;
  assert_non_null(x);
  assert_int_equal(fb_plant_discrete(&p.map, &w->z.s), DM_OK);
  const fb_plant plant = {.n = 2, .nu = 1, .self = &p, .step = step_pushed};
  fb_tvlqr *runs = by_law ? &w->law->f : w->f;
  w->sensor = fb_estimator_sensor(w->filter);
  runs->sensor = &w->sensor;
  w->sensor.begin(w->sensor.self, 1);
  assert_int_equal(fb_closed_loop_run(runs, &plant, x0, &least, &limit, NULL, x, NULL, &r), DM_OK);
  double e = x[NX * N];
  w->cut = r.saturated;
  fb_plant_free(&p.map);
  free(x);
  return e;
}

// for every set of encoders from which the force is observable
static void a_constant_force_is_found_and_leaves_no_error(void **state) {
  (void)state;
  const double *const encoder[] = {fine, slider}, force[] = {0.7, 0.2};
  for (int i = 0; i < 2; i++) {
    watched with = watch(encoder[i], half), without = watch(encoder[i], NULL);
    assert_true(with.filter->nd == 1 && with.filter->nz == NX + 1 && with.filter->disturbing);
    assert_true(without.filter->nd == 0 && without.filter->nz == NX && !without.filter->acting);
    if (i == 0) assert_true(fabs(run_pushed(&without, false, true, force[i], 1e9)) > 0.05);
    assert_close(run_pushed(&with, false, true, force[i], 1e9), 0, 5e-5);
    assert_close(with.filter->acting[0], force[i], 2e-3);

    // the gain schedule alone has the same error, and a new run starts without knowledge
    assert_close(run_pushed(&with, false, false, force[i], 1e9), 0, 5e-5);
    with.sensor.begin(with.sensor.self, 1);
    assert_true(with.filter->acting[0] == 0);
    close_watched(&with);
    close_watched(&without);
  }
}

// the filter knows the applied inputs: saturation does not change its estimates
static void a_limit_does_not_wind_it_up(void **state) {
  (void)state;
  watched w = watch(fine, half);
  double z[NX + 1];
  run_pushed(&w, true, true, 0.7, 1e9);
  for (int i = 0; i <= NX; i++) z[i] = w.filter->z[i] - (i == NX ? 0.7 : 0);
  double cut = run_pushed(&w, true, true, 0.7, 1.1);
  assert_true(w.cut > 0);
  assert_close(w.filter->z[NX] - 0.7, z[NX], 1e-9);
  assert_close(cut, 0, 5e-5);
  close_watched(&w);
}

// the estimate never exceeds its bound
static void it_stays_within_its_bound(void **state) {
  (void)state;
  static const double most[] = {0.4};
  watched w = watch_within(fine, half, most);
  assert_true(fabs(run_pushed(&w, false, true, 0.7, 1e9)) > 0.01);
  assert_true(w.filter->acting[0] == 0.4);
  run_pushed(&w, false, true, -0.7, 1e9);
  assert_true(w.filter->acting[0] == -0.4);
  assert_close(run_pushed(&w, false, true, 0.3, 1e9), 0, 5e-5);
  close_watched(&w);
}

// spectral radius of the error's step at the end, A (1 - L C)
static double find_filter_radius(const fb_estimator *w) {
  const int nz = w->nz;
  double F[(NX + 1) * (NX + 1)], radius;
  const double *A = w->disturbing + (size_t)(N - 1) * (size_t)(nz * nz);
  const double *L = w->L + (size_t)(N - 1) * (size_t)(nz * w->ny);
  for (int i = 0; i < nz; i++)
    for (int j = 0; j < nz; j++) {
      double sum = A[i * nz + j];
      for (int a = 0; a < w->ny && j < NX; a++)
        for (int k = 0; k < nz && j == w->which[a]; k++) sum -= A[i * nz + k] * L[k * w->ny + a];
      F[i * nz + j] = sum;
    }
  assert_int_equal(fb_dare_radius(nz, 1, F, NULL, NULL, NULL, &radius), DM_OK);
  return radius;
}

// the slowest mode is exp(-t/T), and P_0 is the steady covariance; a time of zero is refused
static void its_gain_is_that_of_its_time(void **state) {
  (void)state;
  static const double times[][1] = {{0.5}, {1}, {3}};
  for (int i = 0; i < 3; i++) {
    watched w = watch(fine, times[i]);
    const double T = times[i][0], rest = fb_estimator_deviation(w.filter, N, NX);
    assert_close(-0.02 / log(find_filter_radius(w.filter)), T, 0.03 * T);
    assert_close(fb_estimator_deviation(w.filter, 0, NX), rest, 0.1 * rest);
    close_watched(&w);
  }
  watched none = watch(fine, (const double[]){INFINITY}), without = watch(fine, NULL);
  assert_int_equal(none.filter->nd, 0);
  assert_memory_equal(none.filter->L, without.filter->L, sizeof(double) * N * NX * 2);
  close_watched(&none);
  close_watched(&without);
}

// -- plants that differ from the model

enum { LINKS = 2, MACHINES = 100, REST = 1500, PX = 2 * LINKS, PZ = PX + LINKS };

// a two-link arm held sideways against gravity, with a motor at each joint
typedef struct held {
  shop machines;
  dm_system s;
  fb_tvlqr *f;
  fb_estimator *filter;
  fb_sensor sensor;
  double q[LINKS];
} held;

static dm_model *make_arm(void) {
  dm_coordinate c[] = {models_coord("shoulder", false, 0, 1, 0),
                       models_coord("elbow", false, 0, 1, 0)};
  dm_input u[] = {models_input("shoulder", 0), models_input("elbow", 1)};
  dm_pose tip = dm_identity;
  tip.p.z = -1;
  dm_body b[] = {{"upper", -1, dm_identity, 0, 1, 1, {0, 0, -0.5}, {0, 1. / 12}},
                 {"lower", 0, tip, 1, 1, 1, {0, 0, -0.5}, {0, 1. / 12}}};
  return models_make(&(dm_tree){.nbody = 2,
                                .ncoord = 2,
                                .ninput = 2,
                                .body = b,
                                .coord = c,
                                .input = u,
                                .gravity = {0, 0, -9.8}});
}

// gains and filter of the model at rest at this configuration for 15 s
static held hold_arm(const double *time) {
  static const double encoder[] = {1e-3, 1e-3}, process[] = {1e-3, 1e-3}, far[] = {0.05, 0.05};
  static const double weights_Q[] = {1000, 1000, 10, 10}, weights_R[] = {0.01, 0.01};
  const bool fixed[] = {true, true};
  const fb_sensor_noise set = {encoder, process, far, far, 1, INFINITY, time, NULL};
  const fb_weights weights = {.Q = weights_Q, .R = weights_R, .rest = REST};
  held w = {.q = {1, 0.6}};
  double u[LINKS] = {0};
  dm_trajectory *x;
  int failed;

  w.machines.model = make_arm();
  w.s = dm_system_of(w.machines.model);
  assert_int_equal(
      dm_equilibrium_find(&w.s, fixed, NULL, 0.01, w.q, u, NULL, NULL, &(dm_message){""}), DM_OK);
  assert_int_equal(dm_trajectory_of(&x, REST, &w.s), DM_OK);
  x->h = 0.01;
  dm_trajectory_rest(x, &w.s, w.q, u, NULL);
  assert_int_equal(fb_tvlqr_new(&w.f, x, &w.s, &weights, &failed, NULL), DM_OK);
  assert_int_equal(fb_estimator_new(&w.filter, w.f, &w.s, &set, &failed, NULL), DM_OK);
  dm_trajectory_free(x);
  return w;
}

static void release_arm(held *w) {
  fb_estimator_free(w->filter);
  fb_tvlqr_free(w->f);
  fb_plant_free(&w->machines.plant);
  dm_model_free(w->machines.changed);
  dm_model_free(w->machines.model);
}

// plant i, with each mass changed by up to 10 %: the first four are the corners
static void make_machine(held *w, int i) {
  const fb_plant *plant;
  const dm_system *system;
  double mass[LINKS];
  for (int j = 0; j < LINKS; j++)
    mass[j] = i < 4 ? 1 + (i >> j & 1 ? 0.1 : -0.1) : 1 + 0.1 * sin(12.9898 * i + 78.233 * j);
  assert_int_equal(make(&w->machines, &(dm_change){.mass = mass}, &plant, &system), DM_OK);
}

// spectral radius of a step of (x, z): the plant about its equilibrium, the filter, the controller
static double find_loop_radius(const held *w) {
  enum { ALL = PX + PZ };
  const fb_estimator *e = w->filter;
  const int at = REST - 1;
  const double *A_m = e->disturbing + (size_t)at * PZ * PZ, *L = e->L + (size_t)at * PZ * LINKS;
  const double *B_m = w->f->B + (size_t)at * PX * LINKS, *K = w->f->K + (size_t)at * LINKS * PX;
  double A[PX * PX], B[PX * LINKS], Z[PZ][ALL] = {{0}}, U[LINKS][ALL] = {{0}}, F[ALL * ALL] = {0};
  double q[LINKS], u[LINKS] = {0}, radius;
  const bool fixed[] = {true, true};
  dm_linearize *l;

  // A, B of the plant at the configuration without steady error
  memcpy(q, w->q, sizeof q);
  assert_int_equal(dm_equilibrium_find(&w->machines.system, fixed, NULL, 0.01, q, u, NULL, NULL,
                                       &(dm_message){""}),
                   DM_OK);
  assert_int_equal(dm_linearize_new(&l, &w->machines.system), DM_OK);
  assert_int_equal(dm_linearize_step(l, q, q, u, NULL, 0.01, A, B), DM_OK);
  dm_linearize_free(l);

  // Z = z + L (C x - C z), U = -K Z_x - Z_d
  for (int i = 0; i < PZ; i++) {
    Z[i][PX + i] = 1;
    for (int a = 0; a < LINKS; a++) {
      Z[i][a] += L[i * LINKS + a];
      Z[i][PX + a] -= L[i * LINKS + a];
    }
  }
  for (int i = 0; i < LINKS; i++)
    for (int j = 0; j < ALL; j++) {
      U[i][j] = -Z[PX + i][j];
      for (int k = 0; k < PX; k++) U[i][j] -= K[i * PX + k] * Z[k][j];
    }

  // x <- A x + B U, z <- A_m Z + B_m U
  for (int j = 0; j < ALL; j++) {
    for (int i = 0; i < PX; i++) {
      F[i * ALL + j] = j < PX ? A[i * PX + j] : 0;
      for (int k = 0; k < LINKS; k++) F[i * ALL + j] += B[i * LINKS + k] * U[k][j];
    }
    for (int i = 0; i < PZ; i++) {
      for (int k = 0; k < PZ; k++) F[(PX + i) * ALL + j] += A_m[i * PZ + k] * Z[k][j];
      for (int k = 0; k < LINKS && i < PX; k++)
        F[(PX + i) * ALL + j] += B_m[i * LINKS + k] * U[k][j];
    }
  }
  assert_int_equal(fb_dare_radius(ALL, 1, F, NULL, NULL, NULL, &radius), DM_OK);
  return radius;
}

// the largest mean error of a joint over the last five seconds, with the present noise
static double run_machine(held *w, int i) {
  static double x[(REST + 1) * PX];
  const double x0[] = {w->q[0] + 0.03, w->q[1] - 0.03, 0, 0};
  fb_closed_loop_result r;
  double worst = 0;
  w->sensor = fb_estimator_sensor(w->filter);
  w->f->sensor = &w->sensor;
  w->sensor.begin(w->sensor.self, i);
  assert_int_equal(fb_closed_loop_run(w->f, &w->machines.plant, x0, NULL, NULL, NULL, x, NULL, &r),
                   DM_OK);
  w->f->sensor = NULL;
  assert_true(r.worst_error < 3);
  for (int j = 0; j < LINKS; j++) {
    double sum = 0;
    for (int k = REST - 500; k < REST; k++) sum += x[k * PX + j] - w->q[j];
    worst = fmax(worst, fabs(sum / 500));
  }
  return worst;
}

// 100 of 100 plants are stable, by eigenvalues and in runs; the steady error vanishes except for
// noise
static void wrong_masses_neither_shake_it_nor_leave_an_error(void **state) {
  (void)state;
  static const double times[] = {0.5, 0.5};
  held with = hold_arm(times), without = hold_arm(NULL);
  double worst[2] = {0};
  for (int i = 0; i < MACHINES; i++) {
    make_machine(&with, i);
    make_machine(&without, i);
    assert_true(find_loop_radius(&with) < exp(-0.01 / 1));
    worst[0] = fmax(worst[0], run_machine(&with, i));
    worst[1] = fmax(worst[1], run_machine(&without, i));
  }
  print_message("mean error: %g rad with, %g without\n", worst[0], worst[1]);
  assert_true(worst[1] > 0.01);
  assert_true(worst[0] < 1e-3);
  release_arm(&with);
  release_arm(&without);
}

// an encoder of the pole alone does not observe a force on the cart; an encoder of the cart does
static void what_encoders_do_not_show_is_named(void **state) {
  (void)state;
  watched seen = watch(slider, half), unseen = watch(pole, half);
  int at;
  assert_int_equal(fb_estimator_unseen(seen.filter, N - 1, &at), DM_OK);
  assert_int_equal(at, -1);
  assert_int_equal(fb_estimator_unseen(unseen.filter, N - 1, &at), DM_OK);
  assert_true(at >= 0 && at <= NX);
  close_watched(&seen);
  close_watched(&unseen);
}

static void late_inputs_have_none(void **state) {
  (void)state;
  balanced z = balanced_open();
  fb_tvlqr *late = rest_upright(&z, 1);
  fb_estimator *filter;
  dm_message msg;
  int failed;
  fb_sensor_noise set = {fine, impulse, start, start, 1, INFINITY, half, NULL};
  assert_int_equal(fb_estimator_new(&filter, late, &z.s, &set, &failed, &msg), DM_BAD_INPUT);
  assert_null(filter);
  assert_non_null(strstr(msg.text, "a step late"));
  fb_tvlqr_free(late);
  balanced_close(&z);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_force_is_found_and_leaves_no_error),
      cmocka_unit_test(a_limit_does_not_wind_it_up),
      cmocka_unit_test(it_stays_within_its_bound),
      cmocka_unit_test(its_gain_is_that_of_its_time),
      cmocka_unit_test(wrong_masses_neither_shake_it_nor_leave_an_error),
      cmocka_unit_test(what_encoders_do_not_show_is_named),
      cmocka_unit_test(late_inputs_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

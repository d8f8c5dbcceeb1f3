// Machines drawn from the covariance of a fit have this covariance, whatever the units, and are
// physical.
#include "control/loop/fitted_machine.h"
#include "lib/base/block.h"
#include "tests/support/cart_pole.h"
#include "tests/support/mismatch.h"

#include "lib/base/dense.h"

enum { N = 6 };

static const char *const paths[N] = {"links.pole.mass",       "links.pole.center.z",
                                     "links.pole.inertia.yy", "damping.slider",
                                     "armature.pole",         "offset.pole"};

typedef struct fit {
  dm_model *m;
  dm_robot robot;
  fb_fitted_parameter list[N];
  double value[N], C[N * N], L[N * N];
  fb_fitted f;
  fb_fitted_draw *draw;
} fit;

typedef struct room {
  const fb_fitted *f;
  fb_fitted_draw draw;
} room;

static void lay_out_room(void *self, dm_block *b) {
  room *w = self;
  fb_fitted_lay_out(w->f, &w->draw, b);
}

// deviations relative to the values by `size`, correlated
static void open_fit(fit *w, double size) {
  dm_message msg = {""};
  *w = (fit){.m = models_cart_pole()};
  w->robot = (dm_robot){.tree = w->m, .model = w->m};
  for (int i = 0; i < N; i++) {
    if (fb_fitted_find(&w->robot, paths[i], &w->list[i], &msg) != DM_OK) fail_msg("%s", msg.text);
    w->value[i] = w->list[i].nominal;
  }
  assert_close(w->value[1], -0.5, 1e-15); // in the frame of the body; x of the joint is along it
  w->value[2] += 0.2, w->value[3] += 0.3, w->value[4] += 0.2, w->value[5] = 0.5;

  // C = D (1/2 + 1/2 B B'/N) D with B of random entries
  uint64_t r = 3;
  double B[N * N];
  for (int i = 0; i < N * N; i++) B[i] = models_random(&r);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const double d = size * size * fabs(w->value[i] * w->value[j]);
      w->C[i * N + j] = d * ((i == j) / 2.0 + dm_inner(N, B + N * i, B + N * j) / N / 2);
    }
  assert_int_equal(fb_fitted_factor(N, w->C, w->L), -1);
  w->f =
      (fb_fitted){.robot = &w->robot, .n = N, .list = w->list, .value = w->value, .factor = w->L};
  room sizes = {.f = &w->f};
  room *space = dm_block_make(&sizes, sizeof sizes, lay_out_room);
  assert_non_null(space);
  w->draw = &space->draw;
  assert_int_equal(fb_fitted_flaw(&w->f, w->draw), -1);
}

static void close_fit(fit *w) {
  dm_block_free((char *)w->draw - offsetof(room, draw));
  dm_model_free(w->m);
}

// the numbers in which dynamics are linear: mass, first moment and moment of the pole about its
// joint, in its frame, damping, armature, offset
static void collect(const fit *w, double x[N]) {
  const int j = w->list[0].index;
  const dm_pose out = dm_pose_relative(&w->m->body_pose[w->list[0].body], &dm_identity);
  const dm_inertia I = dm_inertia_move(&w->draw->body[j], &out);
  const double all[N] = {I.m,
                         I.c.z,
                         I.yy,
                         w->draw->by_coord[FB_FITTED_DAMPING][0],
                         w->draw->by_coord[FB_FITTED_ARMATURE][1],
                         w->draw->by_coord[FB_FITTED_OFFSET][1]};
  memcpy(x, all, sizeof all);
}

// their mean and derivatives by the parameters: m, m c, I + m c^2
static void expect(const fit *w, double mean[N], double J[N * N]) {
  const double m = w->value[0], c = w->value[1];
  memset(J, 0, N * N * sizeof *J);
  for (int i = 0; i < N; i++) {
    mean[i] = w->value[i] - (i > 2 ? w->list[i].nominal : 0);
    J[i * N + i] = 1;
  }
  mean[1] = m * c, mean[2] += m * c * c;
  J[N] = c, J[N + 1] = m;
  J[2 * N] = c * c, J[2 * N + 1] = 2 * m * c;
}

static void samples_have_the_mean_and_covariance_of_the_fit(void **state) {
  (void)state;
  enum { SAMPLES = 4000 };
  fit w;
  open_fit(&w, 0.02);
  double mean[N], J[N * N], F[N * N], sum[N] = {0}, square[N * N] = {0};
  int piv[N];
  expect(&w, mean, J);
  dm_gemm(N, N, N, 1, J, w.L, 0, F);
  assert_int_equal(dm_lu_factor(N, F, piv), DM_OK);
  for (int s = 0; s < SAMPLES; s++) {
    double x[N];
    assert_int_equal(fb_fitted_machine(&w.f, 7, s, 1, w.draw), DM_OK);
    collect(&w, x);
    for (int i = 0; i < N; i++) x[i] -= mean[i];
    dm_lu_solve(N, F, piv, 1, x); // independent and normal
    for (int i = 0; i < N; i++) sum[i] += x[i];
    for (int i = 0; i < N * N; i++) square[i] += x[i / N] * x[i % N];
  }
  // each term is about a squared normal number; beyond 55 lie 1e-4 of all sums of 21 + 6 of them
  double chi = 0;
  for (int i = 0; i < N; i++) chi += sum[i] * sum[i] / SAMPLES;
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      const double off = square[i * N + j] / SAMPLES - (i == j);
      chi += off * off * SAMPLES / (i == j ? 2 : 1);
    }
  if (!(chi > 5 && chi < 62)) fail_msg("chi2 %g of 27 terms", chi);
  close_fit(&w);
}

static void known_combinations_stay_known_beside_unknown_ones(void **state) {
  (void)state;
  // the mass is uncertain by 30 %, the first moment and the moment about the joint are exact
  fit w;
  open_fit(&w, 0);
  const double m = w.value[0], c = w.value[1];
  const double d[N] = {0.3 * m, -0.3 * c, 0.3 * m * c * c};
  for (int i = 0; i < N * N; i++) w.C[i] = d[i / N] * d[i % N];
  assert_int_equal(fb_fitted_factor(N, w.C, w.L), -1);
  double mean[N], J[N * N], low = m, high = m;
  expect(&w, mean, J);
  for (int s = 0; s < 200; s++) {
    double x[N];
    assert_int_equal(fb_fitted_machine(&w.f, 7, s, 1, w.draw), DM_OK);
    collect(&w, x);
    low = fmin(low, x[0]), high = fmax(high, x[0]);
    for (int i = 1; i < N; i++) assert_close(x[i], mean[i], 1e-12 * (1 + fabs(mean[i])));
  }
  assert_true(low < 0.7 * m && high > 1.3 * m);
  close_fit(&w);
}

static void known_combinations_keep_their_deviation_beside_unknown_ones(void **state) {
  (void)state;
  // the mass is uncertain by 500 %, so that most draws are not physical; its first moment is known
  // to 1 %
  enum { SAMPLES = 1000 };
  fit w;
  open_fit(&w, 0);
  const double m = w.value[0], c = w.value[1];
  const double wide[N] = {5 * m, -5 * c, 5 * m * c * c}, small[N] = {0, 0.01 * c};
  for (int i = 0; i < N * N; i++) w.C[i] = wide[i / N] * wide[i % N] + small[i / N] * small[i % N];
  assert_int_equal(fb_fitted_factor(N, w.C, w.L), -1);
  double mean[N], J[N * N], sum = 0, square = 0, high = m;
  expect(&w, mean, J);
  for (int s = 0; s < SAMPLES; s++) {
    double x[N];
    assert_int_equal(fb_fitted_machine(&w.f, 7, s, 1, w.draw), DM_OK);
    collect(&w, x);
    const double off = (x[1] - mean[1]) / (0.01 * mean[1]);
    sum += off, square += off * off, high = fmax(high, x[0]);
  }
  // four standard deviations of the mean, and of the variance of a normal number
  assert_true(fabs(sum) < 4 * sqrt(SAMPLES));
  assert_true(fabs(square - SAMPLES) < 4 * sqrt(2.0 * SAMPLES));
  assert_true(high > 4 * m);
  close_fit(&w);
}

// A link with ten parameters of which a fit knows the first moment and the moment of a planar motion
// alone: 1 % and 2 %; all others have the deviations of a prior, as large as the values.
static void a_planar_fit_of_a_whole_link_keeps_what_it_knows(void **state) {
  (void)state;
  enum { ALL = 10, KNOWN = 2, SAMPLES = 1000 };
  static const char *const ends[ALL] = {"mass",       "center.x",   "center.y",   "center.z",
                                        "inertia.xx", "inertia.yy", "inertia.zz", "inertia.xy",
                                        "inertia.xz", "inertia.yz"};
  static const double value[ALL] = {0.3, 0, 0, -0.5, 0.02, 0.02, 0.005, 0, 0, 0},
                      prior[ALL] = {0.3, 0.1, 0.1, 0.25, 0.02, 0.02, 0.005, 0.005, 0.005, 0.005};
  fit w;
  open_fit(&w, 0);
  fb_fitted_parameter list[ALL];
  double C[ALL * ALL] = {0}, L[ALL * ALL];
  for (int i = 0; i < ALL; i++) {
    char path[64];
    dm_message msg;
    snprintf(path, sizeof path, "links.pole.%s", ends[i]);
    assert_int_equal(fb_fitted_find(&w.robot, path, &list[i], &msg), DM_OK);
    C[i * ALL + i] = prior[i] * prior[i];
  }

  // C <- C - C k k'C / (k'C k + s^2) for m c and for I + m c^2
  const double m = value[0], c = value[3], mc = m * c, moment = value[5] + m * c * c;
  const double k[KNOWN][ALL] = {{c, 0, 0, m}, {c * c, 0, 0, 2 * m * c, 0, 1}};
  const double s[KNOWN] = {0.01 * mc, 0.02 * moment};
  for (int i = 0; i < KNOWN; i++) {
    double Ck[ALL];
    for (int a = 0; a < ALL; a++) Ck[a] = dm_inner(ALL, C + ALL * a, k[i]);
    const double all = dm_inner(ALL, Ck, k[i]) + s[i] * s[i];
    for (int a = 0; a < ALL * ALL; a++) C[a] -= Ck[a / ALL] * Ck[a % ALL] / all;
  }
  assert_int_equal(fb_fitted_factor(ALL, C, L), -1);
  const fb_fitted f = {.robot = &w.robot, .n = ALL, .list = list, .value = value, .factor = L};
  room sizes = {.f = &f};
  room *space = dm_block_make(&sizes, sizeof sizes, lay_out_room);
  assert_non_null(space);

  double sum[3] = {0}, square[3] = {0};
  const dm_pose out = dm_pose_relative(&w.m->body_pose[list[0].body], &dm_identity);
  for (int i = 0; i < SAMPLES; i++) {
    assert_int_equal(fb_fitted_machine(&f, 3, i, 1, &space->draw), DM_OK);
    const dm_inertia I = dm_inertia_move(&space->draw.body[list[0].index], &out);
    const double off[] = {(I.c.z - mc) / s[0], (I.yy - moment) / s[1], (I.m - m) / prior[0]};
    for (int a = 0; a < 3; a++) sum[a] += off[a] / SAMPLES, square[a] += off[a] * off[a] / SAMPLES;
  }
  for (int a = 0; a < 3; a++) print_message("mean %g, mean square %g\n", sum[a], square[a]);
  for (int a = 0; a < KNOWN; a++) {
    assert_true(fabs(sum[a]) < 0.3);
    assert_true(square[a] > 0.8 && square[a] < 1.2);
  }
  dm_block_free(space);
  close_fit(&w);
}

static void uncertain_machines_are_physical(void **state) {
  (void)state;
  fit w;
  open_fit(&w, 2);
  for (int s = 0; s < 500; s++) {
    assert_int_equal(fb_fitted_machine(&w.f, 7, s, 1, w.draw), DM_OK);
    dm_inertia I = w.draw->body[w.list[0].index];
    assert_true(I.m > 0);
    dm_shift(&I, dm_mul(-1 / I.m, I.c));
    assert_true(I.xx > -1e-8 && I.yy > -1e-8 && I.zz > -1e-8);
    assert_true(w.draw->by_coord[FB_FITTED_DAMPING][0] + w.list[3].nominal >= 0);
    dm_model *changed;
    const dm_change change = {.body = w.draw->body};
    assert_int_equal(dm_model_changed(&changed, w.m, &change), DM_OK);
    dm_model_free(changed);
  }
  close_fit(&w);
}

static void the_same_seed_and_sample_give_the_same_bits(void **state) {
  (void)state;
  fit w;
  open_fit(&w, 0.1);
  double x[3][N];
  const int samples[] = {4, 9, 4};
  for (int s = 0; s < 3; s++) {
    assert_int_equal(fb_fitted_machine(&w.f, 7, samples[s], 1, w.draw), DM_OK);
    collect(&w, x[s]);
  }
  assert_memory_equal(x[0], x[2], sizeof x[0]);
  for (int i = 0; i < N; i++) assert_true(x[0][i] != x[1][i]);

  // level 0 is the robot, level 1/2 is half way
  double half[N], none[N];
  assert_int_equal(fb_fitted_machine(&w.f, 7, 4, 0.5, w.draw), DM_OK);
  collect(&w, half);
  assert_int_equal(fb_fitted_machine(&w.f, 7, 4, 0, w.draw), DM_OK);
  collect(&w, none);
  for (int i = 0; i < N; i++) assert_close(half[i], (none[i] + x[0][i]) / 2, 1e-14);
  assert_close(none[0], w.m->body[w.list[0].index].m, 1e-15);
  close_fit(&w);
}

static void the_factor_scales_with_units_and_names_what_is_no_covariance(void **state) {
  (void)state;
  fit w;
  open_fit(&w, 0.1);
  const double unit[N] = {1e3, 1e-6, 1e9, 1, 1e-3, 60};
  double C[N * N], L[N * N];
  for (int i = 0; i < N * N; i++) C[i] = unit[i / N] * unit[i % N] * w.C[i];
  assert_int_equal(fb_fitted_factor(N, C, L), -1);
  for (int i = 0; i < N * N; i++) {
    const double expected = unit[i / N] * w.L[i];
    assert_close(L[i], expected, 1e-12 * fabs(unit[i / N]) * sqrt(w.C[i / N * (N + 1)]));
  }

  // a parameter without deviation, and one that repeats another, are covariances
  for (int i = 0; i < N; i++) C[3 * N + i] = C[i * N + 3] = 0;
  for (int i = 0; i < N; i++) C[4 * N + i] = 2 * C[i];
  for (int i = 0; i < N; i++) C[i * N + 4] = i == 4 ? 4 * C[0] : 2 * C[i * N];
  assert_int_equal(fb_fitted_factor(N, C, L), -1);
  C[4 * N + 4] *= 0.99;
  assert_int_equal(fb_fitted_factor(N, C, L), 4);
  C[0] = -C[0];
  assert_int_equal(fb_fitted_factor(N, C, L), 0);
  close_fit(&w);
}

static void the_loop_runs_on_the_machine_of_the_fit(void **state) {
  (void)state;
  // without deviations, the machine has the fit's values
  bench b;
  fit w;
  bench_open(&b);
  fb_mismatch_free(b.w);
  open_fit(&w, 0);
  const fb_mismatch_settings set = {.seed = 5, .fit = &w.f};
  const fb_perturbed_models machines = {.self = &b.shop, .nj = b.z.m->nj, .build = make};
  assert_int_equal(fb_mismatch_new(&b.w, b.z.f, &b.z.s, &machines, &set, NULL), DM_OK);
  fb_plant plant = fb_mismatch_plant(b.w);
  fb_sensor sensor = fb_mismatch_sensor(b.w);
  double x[4] = {0, 3, 0, 0};
  const double u = 0, h = b.z.f->h, q[] = {0, 3}, v[] = {0, 0};
  sensor.begin(sensor.self, 0);
  sensor.measure(sensor.self, 0, x);
  assert_int_equal(plant.step(plant.self, x, &u, h), DM_OK);

  // from rest, (q1 - q0)/h^2 is half the acceleration up to h^2; the offset enters at the ends of
  // the step
  dm_model *m;
  double a[2], damping[] = {w.value[3] - w.list[3].nominal, 0},
               armature[] = {0, w.value[4] - w.list[4].nominal};
  const dm_change change = {.body = w.draw->body, .damping = damping, .armature = armature};
  assert_int_equal(dm_model_changed(&m, w.m, &change), DM_OK);
  // as an input on the pole's joint
  dm_system s = dm_system_of(m);
  dm_continuous *c;
  assert_int_equal(dm_continuous_new(&c, &s), DM_OK);
  double still[2], M[2];
  assert_int_equal(dm_acceleration(c, q, v, &u, still), DM_OK);
  const double push[] = {0, w.value[5]};
  assert_int_equal(dm_velocity_of(c, q, push, M), DM_OK); // M^-1 of the offset
  for (int i = 0; i < 2; i++) a[i] = still[i] + M[i];
  for (int i = 0; i < 2; i++)
    assert_close(2 * (x[i] - q[i]) / (h * h), a[i], 0.01 * (1 + fabs(a[i])));
  dm_continuous_free(c);
  dm_model_free(m);
  bench_close(&b);
  close_fit(&w);
}

static void unknown_paths_are_named(void **state) {
  (void)state;
  static const struct {
    const char *path, *says;
  } rows[] = {
      {"links.poles.mass", "found the link 'poles', expected one of"},
      {"links.pole.weight", "expected NAME. and one of mass, center.x"},
      {"damping.swing", "expected a joint that moves by forces: one of slider, pole"},
      {"encoders.swing", "expected a joint"},
      {"springs.heel.stiffness", "found no 'heel' in model.springs"},
      {"wheels.heel.stiffness", "found 'wheels', expected one of"},
  };
  fit w;
  open_fit(&w, 0);
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    dm_message msg = {""};
    fb_fitted_parameter p;
    assert_int_equal(fb_fitted_find(&w.robot, rows[i].path, &p, &msg), DM_BAD_INPUT);
    if (!strstr(msg.text, rows[i].says)) fail_msg("%s: %s", rows[i].path, msg.text);
  }
  close_fit(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_have_the_mean_and_covariance_of_the_fit),
      cmocka_unit_test(known_combinations_stay_known_beside_unknown_ones),
      cmocka_unit_test(known_combinations_keep_their_deviation_beside_unknown_ones),
      cmocka_unit_test(a_planar_fit_of_a_whole_link_keeps_what_it_knows),
      cmocka_unit_test(uncertain_machines_are_physical),
      cmocka_unit_test(the_same_seed_and_sample_give_the_same_bits),
      cmocka_unit_test(the_factor_scales_with_units_and_names_what_is_no_covariance),
      cmocka_unit_test(the_loop_runs_on_the_machine_of_the_fit),
      cmocka_unit_test(unknown_paths_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

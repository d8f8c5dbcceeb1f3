#include "optim/identification/base_columns.h"
#include "tests/support/simulated_log.h"

static const char *const everything[] = {"all", "offset", "lengths", "springs"};

typedef struct bench {
  random_tree tree;
  dm_robot robot;
  oc_fit_parameters *x;
  oc_motion_residual *w;
  int n, p, nc;
  double theta[200], q0[LOG_JOINTS], q1[LOG_JOINTS], u[LOG_JOINTS];
} bench;

static const double h = 0.02, dry[LOG_JOINTS] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};

// a random tree with a spring between its last link and the world, at a random step
static void open(bench *b, uint64_t seed) {
  dm_message msg = {""};
  memset(b, 0, sizeof *b);
  make_random_tree(&b->tree, 4, seed, true);
  b->robot.tree = b->robot.model = compile_random_tree(&b->tree);
  static const int body[] = {3, -1};
  static const double point[][3] = {{0.1, 0, 0}, {0.5, 0.4, 0.3}};
  const dm_spring spring = {.tendon = {.name = "heel", .npoint = 2, .body = body, .point = point},
                            .law = dm_spring_law_linear(3, 0.1)};
  assert_int_equal(dm_springs_new(&b->robot.springs, b->robot.tree, 1, &spring, &msg), DM_OK);
  if (oc_fit_parameters_new(&b->x, &b->robot, COUNT(everything), everything, &msg) != DM_OK)
    fail_msg("%s", msg.text);
  assert_int_equal(oc_motion_residual_new(&b->w, b->x, h, dry, &msg), DM_OK);
  b->n = 4, b->p = b->x->count, b->nc = b->x->coefficients;
  assert_true(b->p < COUNT(b->theta));
  oc_fit_parameters_start(b->x, b->theta);
  for (int k = 0; k < b->p; k++) {
    const oc_fit_parameter *p = &b->x->list[k];
    // away from the start, within bounds
    const double step = 0.1 * dm_random_uniform(seed, 7, (uint64_t)k);
    b->theta[k] += p->kind <= OC_FIT_INERTIA ? 0.3 * step : (0.2 + fabs(step)) * p->size;
  }
  for (int i = 0; i < b->n; i++) {
    b->q0[i] = dm_random_uniform(seed, 8, (uint64_t)i);
    b->q1[i] = b->q0[i] + 0.03 * dm_random_uniform(seed, 9, (uint64_t)i);
    b->u[i] = dm_random_uniform(seed, 10, (uint64_t)i);
  }
  assert_int_equal(oc_motion_residual_set(b->w, b->theta), DM_OK);
}

static void close(bench *b) {
  oc_motion_residual_free(b->w);
  oc_fit_parameters_free(b->x);
  dm_robot_free(&b->robot);
}

// D1, D2 at theta moved by t along parameter k
static void eval_moved(bench *b, int k, double t, double D[2 * LOG_JOINTS]) {
  oc_step_forms f;
  const double here = b->theta[k];
  b->theta[k] = here + t;
  assert_int_equal(oc_motion_residual_set(b->w, b->theta), DM_OK);
  assert_int_equal(oc_motion_residual_step(b->w, 1, b->q0, b->q1, b->u, NULL, &f), DM_OK);
  memcpy(D, f.D1, sizeof(double) * (size_t)b->n);
  memcpy(D + b->n, f.D2, sizeof(double) * (size_t)b->n);
  b->theta[k] = here;
}

// largest error of the derivative by parameter k from central differences over t
static double compare(bench *b, const double *J, int k, double t) {
  double up[2 * LOG_JOINTS], down[2 * LOG_JOINTS], worst = 0;
  eval_moved(b, k, t, up);
  eval_moved(b, k, -t, down);
  for (int i = 0; i < 2 * b->n; i++)
    worst = fmax(worst, fabs((up[i] - down[i]) / (2 * t) - J[i * b->p + k]));
  return worst;
}

// Y T [2n x p]: the derivative of D1, D2 by theta
static double *find_derivative(bench *b) {
  double *J = calloc((size_t)(2 * b->n * b->p), sizeof *J), *pi = calloc((size_t)b->nc, sizeof *pi);
  double *T = calloc((size_t)(b->nc * b->p), sizeof *T);
  oc_step_forms f;
  oc_fit_parameters_coefficients(b->x, b->theta, pi, T);
  assert_int_equal(oc_motion_residual_step(b->w, 3, b->q0, b->q1, b->u, NULL, &f), DM_OK);
  for (int i = 0; i < 2 * b->n; i++)
    for (int c = 0; c < b->nc; c++) {
      const double y = i < b->n ? f.Y1[i * b->nc + c] : f.Y2[(i - b->n) * b->nc + c];
      for (int k = 0; k < b->p; k++) J[i * b->p + k] += y * T[c * b->p + k];
    }
  free(pi);
  free(T);
  return J;
}

static void derivatives_by_all_parameters_are_of_second_order(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    bench b;
    open(&b, seed);
    double *J = find_derivative(&b);
    for (int k = 0; k < b.p; k++) {
      const double size = b.x->list[k].kind <= OC_FIT_INERTIA ? 0.3 : 0.3 * b.x->list[k].size;
      const double coarse = compare(&b, J, k, 0.1 * size), fine = compare(&b, J, k, 0.01 * size);
      // differences of order 2 lose a factor of 100; linear ones are exact to rounding. Lengths and
      // rest lengths are themselves differences with a share of 1e-3
      double largest = 0;
      for (int i = 0; i < 2 * b.n; i++) largest = fmax(largest, fabs(J[i * b.p + k]));
      const bool varied = b.x->list[k].kind >= OC_FIT_LENGTH;
      const double rounding = (varied ? 1e-6 : 1e-9) * (1 + largest) + 1e-11 / size;
      if (fine > 0.02 * coarse + rounding)
        fail_msg("seed %d, %s: errors %g, %g of %g", (int)seed, b.x->list[k].path, coarse, fine,
                 largest);
    }
    free(J);
    close(&b);
  }
}

static void residual_is_linear_in_coefficients(void **state) {
  // r of a link ten times as heavy in all ten coefficients is r of the rest plus ten shares
  (void)state;
  bench b;
  open(&b, 11);
  double D[2 * LOG_JOINTS], heavy[2 * LOG_JOINTS], pi[200], *T = NULL;
  oc_step_forms f;
  eval_moved(&b, 0, 0, D);
  oc_fit_parameters_coefficients(b.x, b.theta, pi, T);
  assert_int_equal(oc_motion_residual_step(b.w, 3, b.q0, b.q1, b.u, NULL, &f), DM_OK);
  double share[2 * LOG_JOINTS] = {0};
  for (int i = 0; i < b.n; i++)
    for (int e = 0; e < 10; e++) {
      share[i] += f.Y1[i * b.nc + e] * pi[e];
      share[b.n + i] += f.Y2[i * b.nc + e] * pi[e];
    }
  // all of J times e: log m + 1, the root A times sqrt(e)
  for (int k = 0; k < 10; k++) {
    const oc_fit_parameter *p = &b.x->list[k];
    if (p->kind == OC_FIT_MASS) b.theta[k] += log(10);
    if (p->kind == OC_FIT_INERTIA && p->entry < 3) b.theta[k] += 0.5 * log(10);
    if (p->kind == OC_FIT_INERTIA && p->entry >= 3) b.theta[k] *= sqrt(10);
  }
  eval_moved(&b, 0, 0, heavy);
  for (int i = 0; i < 2 * b.n; i++) assert_close(heavy[i], D[i] + 9 * share[i], 1e-10);
  close(&b);
}

static void direction_is_the_product_with_columns(void **state) {
  (void)state;
  bench b;
  open(&b, 12);
  oc_step_forms f;
  double dpi[200], y1[LOG_JOINTS], y2[LOG_JOINTS], expected[2][LOG_JOINTS] = {{0}};
  for (int c = 0; c < b.nc; c++) dpi[c] = dm_random_uniform(12, 20, (uint64_t)c);
  assert_int_equal(oc_motion_residual_step(b.w, 3, b.q0, b.q1, b.u, NULL, &f), DM_OK);
  for (int i = 0; i < b.n; i++) {
    expected[0][i] = dm_inner(b.nc, f.Y1 + i * b.nc, dpi);
    expected[1][i] = dm_inner(b.nc, f.Y2 + i * b.nc, dpi);
  }
  assert_int_equal(oc_motion_residual_along(b.w, b.q0, b.q1, b.u, NULL, dpi, y1, y2), DM_OK);
  for (int i = 0; i < b.n; i++) {
    assert_close(y1[i], expected[0][i], 1e-12);
    assert_close(y2[i], expected[1][i], 1e-12);
  }
  close(&b);
}

static void information_has_its_gradient(void **state) {
  (void)state;
  bench b;
  open(&b, 3);
  enum { KNOTS = 7 };
  double q[KNOTS * LOG_JOINTS], by_q[KNOTS * LOG_JOINTS] = {0}, sigma[] = {0.1, 0.2, 0.1, 0.3};
  const size_t square = (size_t)(b.p * b.p);
  double *M = calloc(3 * square, sizeof *M), *other = M + square, *G = other + square;
  for (int i = 0; i < KNOTS * b.n; i++) q[i] = 0.3 * sin(0.35 * i + 0.01 * i * i);
  for (int i = 0; i < b.p; i++)
    for (int j = 0; j < b.p; j++) G[i * b.p + j] = (i == j) + 0.1 * cos(i + j);
  assert_int_equal(oc_motion_residual_information(b.w, KNOTS, q, sigma, M, G, by_q), DM_OK);
  for (int i = 0; i < KNOTS * b.n; i += 3) {
    double sum[2] = {0, 0};
    const double here = q[i], step = 1e-5;
    for (int side = 0; side < 2; side++) {
      q[i] = here + (side ? step : -step);
      memset(other, 0, square * sizeof *other);
      assert_int_equal(oc_motion_residual_information(b.w, KNOTS, q, sigma, other, NULL, NULL),
                       DM_OK);
      for (size_t k = 0; k < square; k++) sum[side] += G[k] * other[k];
    }
    q[i] = here;
    const double slope = (sum[1] - sum[0]) / (2 * step);
    assert_close(by_q[i], slope, 1e-4 * (1 + fabs(slope)));
  }
  // symmetric, and never negative along its diagonal
  for (int i = 0; i < b.p; i++) {
    assert_true(M[i * b.p + i] >= 0);
    for (int j = 0; j < i; j++)
      assert_close(M[i * b.p + j], M[j * b.p + i], 1e-9 * (1 + fabs(M[i * b.p + j])));
  }
  free(M);
  close(&b);
}

static void start_values_are_those_of_the_robot(void **state) {
  (void)state;
  bench b;
  open(&b, 5);
  oc_fit_parameters_start(b.x, b.theta);
  double value[200], pi[200];
  oc_fit_parameters_values(b.x, b.theta, value, NULL);
  for (int k = 0; k < b.p; k++)
    assert_close(value[k], b.x->list[k].value, 1e-12 * (1 + fabs(value[k])));
  oc_fit_parameters_coefficients(b.x, b.theta, pi, NULL);
  for (int l = 0; l < b.x->links; l++) {
    const dm_inertia *I = &b.robot.tree->body[b.x->link[l]];
    const double expected[] = {I->m,  I->c.x, I->c.y, I->c.z, I->xx,
                               I->yy, I->zz,  I->xy,  I->xz,  I->yz};
    for (int e = 0; e < 10; e++) assert_close(pi[10 * l + e], expected[e], 1e-12);
  }
  // and a robot made of them has the same equations
  dm_robot same;
  assert_int_equal(oc_fit_parameters_robot(&same, b.x, b.theta, NULL), DM_OK);
  for (int j = 0; j < b.n; j++)
    assert_close(same.tree->body[j].yz, b.robot.tree->body[j].yz, 1e-13);
  dm_robot_free(&same);
  close(&b);
}

static void paths_are_found_or_refused(void **state) {
  (void)state;
  bench b;
  open(&b, 5);
  static const struct {
    const char *path;
    int count; // 0: refused
    const char *text;
  } rows[] = {{"links.link1.mass", 1, NULL},
              {"links.link1.inertia.xy", 6, NULL},
              {"links.link2", 10, NULL},
              {"damping", 4, NULL},
              {"model.damping.q1", 1, NULL},
              {"friction", 4, NULL},
              {"springs.heel.stiffness", 1, NULL},
              {"springs.heel", 2, NULL},
              {"delay", 1, NULL},
              {"encoders.q3", 1, NULL},
              {"dampng.q1", 0, "did you mean 'damping.q1'?"},
              {"links.link9", 0, "found 'links.link9', expected one of all, links"}};
  for (int i = 0; i < COUNT(rows); i++) {
    oc_fit_parameters *x;
    dm_message msg = {""};
    const dm_status s = oc_fit_parameters_new(&x, &b.robot, 1, &rows[i].path, &msg);
    assert_int_equal(s, rows[i].count ? DM_OK : DM_BAD_INPUT);
    if (s == DM_OK) assert_int_equal(x->count, rows[i].count);
    if (rows[i].text && !strstr(msg.text, rows[i].text)) fail_msg("%s", msg.text);
    oc_fit_parameters_free(x);
  }
  close(&b);
}

// all columns of any step follow from the base, which has no column that the others give
static void columns_follow_from_their_base(void **state) {
  (void)state;
  static const char *const linear[] = {"links", "armature", "damping", "friction"};
  for (uint64_t seed = 1; seed <= 3; seed++) {
    bench b;
    oc_base_columns *base;
    oc_fit_parameters *x;
    oc_motion_residual *w;
    oc_step_forms f;
    open(&b, seed);
    assert_int_equal(oc_base_columns_new(&base, b.x, b.w, h), DM_OK);
    assert_int_equal(base->count, b.nc); // lengths change the frames
    oc_base_columns_free(base);
    assert_int_equal(oc_fit_parameters_new(&x, &b.robot, COUNT(linear), linear, NULL), DM_OK);
    assert_int_equal(oc_motion_residual_new(&w, x, h, dry, NULL), DM_OK);
    assert_int_equal(oc_base_columns_new(&base, x, w, h), DM_OK);
    // a link has at most eight of its own beside its rotor, the last one of a tree of any joints
    assert_true(base->count < x->coefficients - 2 * b.n);
    assert_int_equal(oc_motion_residual_step(w, 3, b.q0, b.q1, b.u, NULL, &f), DM_OK);
    double size = 0;
    for (int i = 0; i < b.n * base->all; i++) size = fmax(size, fabs(f.Y1[i]));
    for (int i = 0; i < b.n; i++)
      for (int c = 0; c < base->all; c++) {
        double y = 0;
        for (int a = 0; a < base->count; a++)
          y += f.Y1[i * base->all + base->column[a]] * base->T[a * base->all + c];
        assert_true(fabs(y - f.Y1[i * base->all + c]) < 1e-10 * size);
      }

    // T'S T of S = Y'Y, with the right side Y'1
    const int all = base->all, nb = base->count;
    double *S = calloc((size_t)((nb + 1) * (nb + 1) + nb + (all + 1) * (all + 1) + all), sizeof *S);
    double *raw = S + (nb + 1) * (nb + 1), *full = raw + nb, *fraw = full + (all + 1) * (all + 1);
    for (int i = 0; i < b.n; i++)
      for (int a = 0; a <= nb; a++)
        for (int c = 0; c <= nb; c++)
          S[a * (nb + 1) + c] += (a < nb ? f.Y1[i * all + base->column[a]] : 1) *
                                 (c < nb ? f.Y1[i * all + base->column[c]] : 1);
    oc_base_columns_expand(base, S, raw, full, fraw);
    for (int a = 0; a <= all; a++)
      for (int c = 0; c <= all; c++) {
        double y = 0;
        for (int i = 0; i < b.n; i++)
          y += (a < all ? f.Y1[i * all + a] : 1) * (c < all ? f.Y1[i * all + c] : 1);
        assert_true(fabs(y - full[a * (all + 1) + c]) < 1e-9 * fmax(size, 1) * fmax(size, 1));
      }
    free(S);
    oc_base_columns_free(base);
    oc_motion_residual_free(w);
    oc_fit_parameters_free(x);
    close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_by_all_parameters_are_of_second_order),
      cmocka_unit_test(residual_is_linear_in_coefficients),
      cmocka_unit_test(direction_is_the_product_with_columns),
      cmocka_unit_test(information_has_its_gradient),
      cmocka_unit_test(start_values_are_those_of_the_robot),
      cmocka_unit_test(paths_are_found_or_refused),
      cmocka_unit_test(columns_follow_from_their_base),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// A program in scaled numbers: its derivatives, its points, and that it is the same in any units.
#include "optim/nlp/scaled.h"
#include "optim/solve.h"
#include "optim/starts/guess.h"
#include "tests/support/tasks.h"

enum { STEPS = 20 };

// what 1 kg, 1 m and 1 s become
typedef struct units {
  double mass, length, time;
} units;

static const units SI = {1, 1, 1};
static const units BINARY[] = {{4, 1, 1}, {0x1p-20, 0x1p7, 0x1p-3}, {0x1p12, 0x1p-5, 1}};
static const units DECIMAL[] = {{1e-9, 1e-3, 0.1}, {1e6, 1e2, 10}, {7, 0.3, 1.7}, {1e-12, 1, 1}};

// a pole on a cart of limited force and speed, to be swung up at a place
static tasks_task make_cart(units u, double force, double *limits) {
  const double N = u.mass * u.length / (u.time * u.time), v = u.length / u.time;
  dm_coordinate c[] = {models_coord("slider", true, 1, 0, 0), models_coord("pole", false, 0, 1, 0)};
  c[0].v_max = 3 * v;
  dm_body b[] = {{"cart", -1, dm_identity, 0, 1, u.mass, {0}, {0}},
                 {"pole", 0, dm_identity, 1, 1, 0.3 * u.mass, {0, 0, -0.5 * u.length}, {0}}};
  dm_input in[] = {models_input("slider", 0)};
  tasks_task x = tasks_make(models_make(&(dm_tree){.nbody = 2,
                                                   .ncoord = 2,
                                                   .ninput = 1,
                                                   .body = b,
                                                   .coord = c,
                                                   .input = in,
                                                   .gravity = {0, 0, -9.81 * v / u.time}}),
                            STEPS, 2 * u.time);
  tasks_rest(&x, 0, (double[]){0, 0});
  tasks_rest(&x, 1, (double[]){u.length, TASKS_PI});
  limits[0] = -force * N;
  limits[1] = force * N;
  x.t.bounds[OC_U].low = &limits[0];
  x.t.bounds[OC_U].high = &limits[1];
  x.t.cost[OC_U].running = tasks_weight(&x, 0, 1, 1 / (N * N * u.time));
  return x;
}

// its program, and the scaled one at the line from start to goal
typedef struct programs {
  double limits[2];
  tasks_task task;
  oc_transcription *t;
  const oc_nlp *own, *nlp;
  oc_scaled *w;
  double *guess;
} programs;

static void make_programs(programs *p, units u) {
  dm_trajectory *line;
  p->task = make_cart(u, 20, p->limits);
  assert_int_equal(oc_transcription_new(&p->t, &p->task.t, NULL), DM_OK);
  p->own = oc_transcription_nlp(p->t);
  p->guess = calloc((size_t)p->own->n, sizeof *p->guess);
  assert_int_equal(dm_trajectory_of(&line, STEPS, &p->task.t.system), DM_OK);
  assert_int_equal(oc_guess_line(&p->task.t, line), DM_OK);
  oc_transcription_pack(p->t, line, p->guess);
  dm_trajectory_free(line);
  assert_int_equal(oc_scaled_new(&p->w, p->own, p->guess), DM_OK);
  p->nlp = oc_scaled_nlp(p->w);
}

static void free_programs(programs *p) {
  oc_scaled_free(p->w);
  oc_transcription_free(p->t);
  tasks_free(&p->task);
  free(p->guess);
}

// all that a solver sees at scaled numbers without a pattern, one after another
static double *evaluate(const oc_nlp *nlp, size_t *count) {
  const size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  *count = 1 + 3 * n + 3 * m + (size_t)nlp->jac_nnz + (size_t)nlp->hess_nnz;
  double *all = calloc(*count + n + m, sizeof *all), *x = all + *count, *lambda = x + n;
  for (int j = 0; j < nlp->n; j++) {
    x[j] = 0.3 * sin(1.3 * j + 0.2);
    x[j] = fmin(fmax(x[j], nlp->x_min[j]), nlp->x_max[j]);
  }
  for (int i = 0; i < nlp->m; i++) lambda[i] = cos(0.7 * i);

  double *at = all;
  assert_int_equal(nlp->f(nlp->self, x, at), DM_OK);
  assert_int_equal(nlp->grad(nlp->self, x, at += 1), DM_OK);
  assert_int_equal(nlp->g(nlp->self, x, at += n), DM_OK);
  oc_triplets jac = {NULL, NULL, at += m, 0}, hess = {NULL, NULL, at += nlp->jac_nnz, 0};
  assert_int_equal(nlp->jac(nlp->self, x, &jac), DM_OK);
  assert_int_equal(nlp->hess(nlp->self, x, 2, lambda, &hess), DM_OK);
  memcpy(at += nlp->hess_nnz, nlp->x_min, n * sizeof *at);
  memcpy(at += n, nlp->x_max, n * sizeof *at);
  memcpy(at += n, nlp->g_min, m * sizeof *at);
  memcpy(at += m, nlp->g_max, m * sizeof *at);
  return all;
}

static void the_program_is_the_same_in_any_units(void **state) {
  (void)state;
  programs si;
  size_t count, other_count;
  make_programs(&si, SI);
  double *in_si = evaluate(si.nlp, &count);
  for (int i = 0; i < 3 + 4; i++) {
    programs p;
    make_programs(&p, i < 3 ? BINARY[i] : DECIMAL[i - 3]);
    double *in_other = evaluate(p.nlp, &other_count);
    assert_int_equal(count, other_count);
    for (size_t k = 0; k < count; k++) {
      if (i < 3 || !isfinite(in_si[k]))
        assert_true(in_si[k] == in_other[k]);
      else
        assert_close(in_other[k], in_si[k], 1e-11 * (1 + fabs(in_si[k])));
    }
    free(in_other);
    free_programs(&p);
  }
  free(in_si);
  free_programs(&si);
}

// rows and gradient along a direction, by differences: their error falls by four with half the distance
static void derivatives_are_those_of_the_scaled_functions(void **state) {
  (void)state;
  programs p;
  make_programs(&p, DECIMAL[0]);
  const oc_nlp *nlp = p.nlp;
  const size_t n = (size_t)nlp->n, m = (size_t)nlp->m;
  double *x = calloc(3 * n + 4 * m, sizeof *x), *d = x + n, *at = d + n, *g = at + n;
  double *before = g + m, *along = before + m, error[2] = {0};
  int *row = calloc(2 * (size_t)nlp->jac_nnz, sizeof *row), *col = row + nlp->jac_nnz;
  double *val = calloc((size_t)nlp->jac_nnz, sizeof *val);
  for (int j = 0; j < nlp->n; j++) {
    const bool free = nlp->x_min[j] < nlp->x_max[j];
    x[j] = free ? 0.4 * sin(2.1 * j + 0.5) : nlp->x_min[j];
    d[j] = free ? 0.5 * cos(0.9 * j) : 0;
  }
  oc_triplets jac = {row, col, NULL, 0}, values = {NULL, NULL, val, 0};
  assert_int_equal(nlp->jac(nlp->self, NULL, &jac), DM_OK);
  assert_int_equal(nlp->jac(nlp->self, x, &values), DM_OK);
  for (int e = 0; e < nlp->jac_nnz; e++) along[row[e]] += val[e] * d[col[e]];
  for (int half = 0; half < 2; half++) {
    const double by = half ? 5e-3 : 1e-2;
    for (size_t j = 0; j < n; j++) at[j] = x[j] - by * d[j];
    assert_int_equal(nlp->g(nlp->self, at, before), DM_OK);
    for (size_t j = 0; j < n; j++) at[j] = x[j] + by * d[j];
    assert_int_equal(nlp->g(nlp->self, at, g), DM_OK);
    for (size_t i = 0; i < m; i++)
      error[half] = fmax(error[half], fabs((g[i] - before[i]) / (2 * by) - along[i]));
  }
  assert_true(error[0] > 1e-6); // they are no straight lines
  assert_close(error[0] / error[1], 4, 0.1);
  free(x);
  free(row);
  free(val);
  free_programs(&p);
}

static void points_come_back(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    programs p;
    make_programs(&p, DECIMAL[i]);
    const size_t n = (size_t)p.own->n, m = (size_t)p.own->m;
    double *all = calloc(6 * n + 2 * m, sizeof *all);
    oc_point a = {all, all + 3 * n, all + n, all + 2 * n};
    double *kept = all + 3 * n + m;
    memcpy(a.x, p.guess, n * sizeof *a.x);
    for (size_t j = 0; j < n; j++) a.z_l[j] = a.z_u[j] = 1 + sin((double)j);
    for (size_t k = 0; k < m; k++) a.lambda[k] = cos((double)k);
    memcpy(kept, all, (3 * n + m) * sizeof *kept);
    oc_scaled_enter(p.w, &a);
    for (size_t j = 0; j < n; j++)
      assert_true(p.nlp->x_min[j] <= a.x[j] && a.x[j] <= p.nlp->x_max[j]);
    oc_scaled_leave(p.w, &a);
    for (size_t j = 0; j < n; j++) {
      if (p.own->x_min[j] == p.own->x_max[j]) assert_true(a.x[j] == p.own->x_min[j]);
      assert_true(p.own->x_min[j] <= a.x[j] && a.x[j] <= p.own->x_max[j]);
    }
    for (size_t k = 0; k < 3 * n + m; k++) assert_close(all[k], kept[k], 4e-16 * fabs(kept[k]));
    free(all);
    free_programs(&p);
  }
}

// solved alike; and what needs force is solved nowhere without
static void solutions_are_the_same_in_any_units(void **state) {
  (void)state;
  double limits[2], objective[2] = {0};
  int iterations = 0;
  for (int i = -1; i < 4; i++)
    for (int weak = 0; weak < 2; weak++) {
      const units u = i < 0 ? SI : DECIMAL[i];
      tasks_task x = make_cart(u, weak ? 1e-9 : 20, limits);
      oc_setup set = oc_setup_default();
      oc_solve_info info;
      dm_trajectory *motion;
      set.options.method = OC_SOLVER_STAGE;
      set.options.only_guess = weak;
      const dm_status s = oc_solve(&x.t, &set, &motion, &info, NULL);
      if (weak) assert_int_not_equal(s, DM_OK);
      if (weak) assert_true(info.violation_share > 1e-3);
      if (!weak) assert_int_equal(s, DM_OK);
      if (i < 0 && !weak) objective[0] = info.objective;
      if (i < 0 && !weak) iterations = info.iterations;
      if (!weak) assert_close(info.objective, objective[0], 1e-9 * objective[0]);
      if (!weak) assert_int_equal(info.iterations, iterations);
      dm_trajectory_free(motion);
      tasks_free(&x);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_program_is_the_same_in_any_units),
      cmocka_unit_test(derivatives_are_those_of_the_scaled_functions),
      cmocka_unit_test(points_come_back),
      cmocka_unit_test(solutions_are_the_same_in_any_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

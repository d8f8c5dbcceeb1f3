// Measures s(q) of a tree: each kind's derivatives by the order of their differences, closed forms.
#include "tests/support/models.h"

typedef struct bench {
  dm_tendons *c;
  void *scratch;
  int n; // coordinates of the model
  double a[40];
} bench;

static dm_tendon_value measured(bench *b, int order, const double *q) {
  dm_tendon_value out;
  dm_tendons_place(b->c, b->scratch, q);
  assert_int_equal(dm_tendons_eval(b->c, b->scratch, 0, order, q, b->a, &out), DM_OK);
  return out;
}
static void value(void *self, const double *q, double *out) {
  *out = measured(self, 1, q).s;
}
// the gradient, or the Hessian times a, by all coordinates
static void gradient(void *self, const double *q, double *out) {
  bench *b = self;
  dm_tendon_value s = measured(b, 1, q);
  memset(out, 0, (size_t)b->n * sizeof *out);
  for (int i = 0; i < s.n; i++) out[s.coord[i]] = s.s_q[i];
}
static void times(const dm_tendon_value *s, const double *H, const double *d, double *out) {
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) out[s->coord[i]] += H[i * s->n + j] * d[s->coord[j]];
}
static void turned(void *self, const double *q, double *out) {
  bench *b = self;
  dm_tendon_value s = measured(b, 2, q);
  memset(out, 0, (size_t)b->n * sizeof *out);
  times(&s, s.s_qq, b->a, out);
}

static void open_bench(bench *b, const dm_model *m, const dm_tendon *x) {
  dm_message msg = {""};
  *b = (bench){.n = m->nq};
  if (dm_tendons_new(&b->c, m, 1, x, &msg) != DM_OK) fail_msg("%s", msg.text);
  b->scratch = aligned_alloc(64, dm_tendons_scratch(b->c));
}
static void close_bench(bench *b) {
  free(b->scratch);
  dm_tendons_free(b->c);
}

static void check(const dm_model *m, const dm_tendon *x) {
  bench b;
  open_bench(&b, m, x);
  double q[40], d[40], g[40], out[40] = {0}, exact = 0;
  uint64_t r = 17;
  int n = b.n;
  assert_true(n <= 40);
  for (int i = 0; i < n; i++)
    q[i] = models_random(&r), d[i] = models_random(&r), b.a[i] = models_random(&r);

  gradient(&b, q, g);
  for (int i = 0; i < n; i++) exact += g[i] * d[i];
  models_check_derivative(value, &b, n, 1, q, d, &exact, 1e-3, "s_q");

  dm_tendon_value s = measured(&b, 3, q);
  for (int i = 0; i < s.n; i++)
    for (int j = 0; j < i; j++) {
      assert_true(s.coord[j] < s.coord[i]);
      assert_true(s.s_qq[i * s.n + j] == s.s_qq[j * s.n + i]);
      assert_true(s.s_qqa[i * s.n + j] == s.s_qqa[j * s.n + i]);
    }
  double s_a = 0, s_qa[40] = {0};
  times(&s, s.s_qq, b.a, s_qa);
  for (int i = 0; i < s.n; i++) {
    s_a += s.s_q[i] * b.a[s.coord[i]];
    assert_close(s.s_qa[i], s_qa[s.coord[i]], 1e-13 * (1 + fabs(s.s_qa[i])));
  }
  assert_close(s.s_a, s_a, 1e-13 * (1 + fabs(s_a)));
  times(&s, s.s_qqa, d, out);
  models_check_derivative(turned, &b, n, n, q, d, out, 1e-3, "s_qqq a");

  s = measured(&b, 2, q);
  memset(out, 0, sizeof out);
  times(&s, s.s_qq, d, out);
  models_check_derivative(gradient, &b, n, n, q, d, out, 1e-3, "s_qq");
  close_bench(&b);
}

static const double points[][3] = {{.3, .2, -.1}, {-.4, .1, .2}, {.1, .5, -.3}, {0, -.2, .4}};

static dm_tendon path(int n, const int *body) {
  return (dm_tendon){.name = "path", .npoint = n, .body = body, .point = points};
}

static void derivatives_are_exact(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    // from the third on, a mimic joint
    dm_model *m = models_random_tree(9, seed > 2, seed);
    const int coord[] = {5, 2, 5};
    const double factor[] = {0.5, -1.5, 0.25};
    check(m, &(dm_tendon){.name = "sum", .ncoord = 3, .coord = coord, .factor = factor});
    for (int other = -1; other < 8; other += 3) {
      check(m,
            &(dm_tendon){.name = "pair", .npoint = 2, .body = (int[]){8, other}, .point = points});
      dm_tendon x = path(4, (int[]){8, other, 4, 7});
      check(m, &x);
      x.share = (const double[]){0.5, 0, 2};
      check(m, &x);
    }
    dm_model_free(m);
  }
}

// the end of a link of length 1 at angle q, seen from a place b above its pivot
static void a_distance_obeys_the_cosine_rule(void **state) {
  (void)state;
  const double b = 0.7, q = 2.1;
  dm_model *m = models_pendulum();
  bench w;
  open_bench(&w, m,
             &(dm_tendon){.name = "rod",
                          .npoint = 2,
                          .body = (int[]){-1, 0},
                          .point = (const double[][3]){{0, 0, b}, {0, 0, -1}}});
  double l = sqrt(1 + b * b + 2 * b * cos(q));
  dm_tendon_value s = measured(&w, 2, &q);
  assert_close(s.s, l, 1e-15);
  assert_close(s.s_q[0], -b * sin(q) / l, 1e-15);
  assert_close(s.s_qq[0], -b * cos(q) / l - pow(b * sin(q), 2) / pow(l, 3), 1e-14);
  close_bench(&w);
  dm_model_free(m);
}

static void a_path_is_the_sum_of_its_pieces(void **state) {
  (void)state;
  dm_model *m = models_random_tree(9, true, 3);
  const int body[] = {8, -1, 4, 4};
  bench w, part;
  dm_tendon x = path(4, body);
  open_bench(&w, m, &x);
  double q[40], sum = 0;
  for (int i = 0; i < m->nq; i++) q[i] = 0.2 * i;
  for (int k = 0; k < 2; k++) {
    open_bench(&part, m,
               &(dm_tendon){.name = "piece", .npoint = 2, .body = body + k, .point = points + k});
    sum += measured(&part, 1, q).s;
    close_bench(&part);
  }
  // the last piece lies in one body and is rigid
  sum += sqrt(.01 + .49 + .49);
  assert_close(measured(&w, 1, q).s, sum, 1e-14);
  close_bench(&w);

  // behind a pulley a piece counts by its share, and one that is none not at all
  sum = 0;
  for (int k = 0; k < 2; k++) {
    x.share = (const double[]){k ? 0 : 1, k ? 1 : 0, 0};
    open_bench(&w, m, &x);
    sum += (k ? 0.25 : -3) * measured(&w, 1, q).s;
    close_bench(&w);
  }
  x.share = (const double[]){-3, 0.25, 0};
  open_bench(&w, m, &x);
  assert_close(measured(&w, 1, q).s, sum, 1e-14);
  assert_int_equal(dm_tendons_pieces(w.c), 2);
  close_bench(&w);
  dm_model_free(m);
}

// what carries both ends moves neither from the other
static void only_coordinates_between_the_points_count(void **state) {
  (void)state;
  dm_model *m = models_chain(5, 1, 0);
  bench w;
  dm_tendon x = path(2, (int[]){3, 1});
  open_bench(&w, m, &x);
  const int *coord;
  assert_int_equal(dm_tendons_coords(w.c, 0, &coord), 2);
  assert_int_equal(coord[0], 2);
  assert_int_equal(coord[1], 3);
  close_bench(&w);
  dm_model_free(m);
}

static void points_that_meet_have_no_gradient(void **state) {
  (void)state;
  dm_model *m = models_chain(2, 1, 0);
  bench w;
  open_bench(&w, m,
             &(dm_tendon){.name = "ends",
                          .npoint = 2,
                          .body = (int[]){-1, 1},
                          .point = (const double[][3]){{0, 0, -2}, {0, 0, -1}}});
  dm_tendon_value out;
  double straight[] = {0, 0}, bent[] = {0, 0.1};
  dm_tendons_place(w.c, w.scratch, straight);
  assert_int_equal(dm_tendons_eval(w.c, w.scratch, 0, 1, straight, NULL, &out), DM_NOT_FINITE);
  dm_tendons_place(w.c, w.scratch, bent);
  assert_int_equal(dm_tendons_eval(w.c, w.scratch, 0, 1, bent, NULL, &out), DM_OK);
  assert_close(out.s, 2 * sin(0.05), 1e-15);
  close_bench(&w);
  dm_model_free(m);
}

// a coordinate that is named twice counts twice
static void a_coordinate_may_come_twice(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  const double factor[] = {2, -1, 0.5}, q[] = {0.3, 0.7, -0.4};
  dm_tendon x = {.name = "x", .ncoord = 3, .coord = (int[]){1, 0, 1}, .factor = factor};
  bench b;
  dm_tendon_value s;
  open_bench(&b, m, &x);
  dm_tendons_place(b.c, b.scratch, q);
  assert_int_equal(dm_tendons_eval(b.c, b.scratch, 0, 1, q, NULL, &s), DM_OK);
  assert_int_equal(s.n, 2);
  assert_close(s.s, 2.5 * q[1] - q[0], 1e-15);
  close_bench(&b);
  dm_model_free(m);
}

static void wrong_measures_are_named(void **state) {
  (void)state;
  dm_model *m = models_chain(3, 1, 0);
  const double one[] = {1, NAN};
  const struct {
    dm_tendon x;
    const char *says;
  } rows[] = {
      {{.ncoord = 1, .coord = (int[]){3}, .factor = one},
       "'x' refers to a coordinate that does not exist"},
      {{.ncoord = 2, .coord = (int[]){0, 1}, .factor = one}, "'x': a number is not finite"},
      {{.npoint = 2, .body = (int[]){0, 3}, .point = points},
       "'x' refers to a body that does not exist"},
      {{.npoint = 2, .body = (int[]){1, 1}, .point = points},
       "'x': no coordinate changes its length"},
      {{.npoint = 1, .body = (int[]){1}, .point = points},
       "'x' has neither coordinates nor two points"},
  };
  for (int i = 0; i < COUNT(rows); i++) {
    dm_tendons *c = NULL;
    dm_message msg = {""};
    dm_tendon x = rows[i].x;
    x.name = "x";
    assert_int_equal(dm_tendons_new(&c, m, 1, &x, &msg), DM_BAD_INPUT);
    assert_string_equal(msg.text, rows[i].says);
    assert_null(c);
  }
  dm_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_distance_obeys_the_cosine_rule),
      cmocka_unit_test(a_path_is_the_sum_of_its_pieces),
      cmocka_unit_test(only_coordinates_between_the_points_count),
      cmocka_unit_test(points_that_meet_have_no_gradient),
      cmocka_unit_test(a_coordinate_may_come_twice),
      cmocka_unit_test(wrong_measures_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

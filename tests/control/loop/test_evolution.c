// Derivative-free optimization: it climbs, crosses plateaus, aligns with a valley, and is
// reproducible.
#include "control/loop/evolution.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// -|x - 1|^2
static double hill(const double *x, int n) {
  double f = 0;
  for (int i = 0; i < n; i++) f -= (x[i] - 1) * (x[i] - 1);
  return f;
}

// the same in steps, flat in between
static double terraces(const double *x, int n) {
  return floor(4 * hill(x, n)) / 4;
}

// a ridge a hundred times as steep across as along, not aligned with the axes
static double ridge(const double *x, int n) {
  double mean = 0, f = 0;
  for (int i = 0; i < n; i++) mean += x[i] / n;
  for (int i = 0; i < n; i++) f -= 100 * (x[i] - mean) * (x[i] - mean);
  return f - n * (mean - 1) * (mean - 1);
}

// the value of the mean after the given number of generations
static double climb(double (*f)(const double *x, int n), int n, int generations, uint64_t seed,
                    double *x) {
  fb_evolution *w;
  double value[64];
  assert_int_equal(fb_evolution_new(&w, n, seed, 0.3), DM_OK);
  for (int g = 0; g < generations; g++) {
    fb_evolution_propose(w);
    for (int i = 0; i < w->children; i++) value[i] = f(w->y + (size_t)i * (size_t)n, n);
    fb_evolution_tell(w, value);
  }
  double at = f(w->x, n);
  if (x) memcpy(x, w->x, (size_t)n * sizeof *x);
  assert_int_equal(w->generation, generations);
  fb_evolution_free(w);
  return at;
}

static void a_hill_is_climbed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) assert_true(climb(hill, 4, 75, seed, NULL) > -0.01);
}

static void plateaus_are_walked_over(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++)
    assert_true(climb(terraces, 4, 75, seed, NULL) >= -0.25);
}

static void a_ridge_is_followed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) assert_true(climb(ridge, 4, 120, seed, NULL) > -0.01);
}

static void a_seed_is_a_search(void **state) {
  (void)state;
  double x[3][4];
  climb(hill, 4, 10, 7, x[0]);
  climb(hill, 4, 10, 7, x[1]);
  climb(hill, 4, 10, 8, x[2]);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_memory_not_equal(x[0], x[2], sizeof x[0]);
}

static void only_the_order_of_values_counts(void **state) {
  (void)state;
  fb_evolution *w[2];
  double value[2][16];
  for (int r = 0; r < 2; r++) assert_int_equal(fb_evolution_new(&w[r], 3, 5, 0.3), DM_OK);
  for (int g = 0; g < 6; g++)
    for (int r = 0; r < 2; r++) {
      fb_evolution_propose(w[r]);
      for (int i = 0; i < w[r]->children; i++) {
        value[r][i] = hill(w[r]->y + 3 * i, 3);
        if (r) value[r][i] = exp(value[r][i]) - 7;
      }
      fb_evolution_tell(w[r], value[r]);
    }
  assert_memory_equal(w[0]->x, w[1]->x, 3 * sizeof(double));
  for (int r = 0; r < 2; r++) fb_evolution_free(w[r]);
}

static void children_without_a_value_are_left(void **state) {
  (void)state;
  fb_evolution *w;
  double value[16];
  assert_int_equal(fb_evolution_new(&w, 2, 1, 0.3), DM_OK);

  // all of them: the mean does not change
  fb_evolution_propose(w);
  for (int i = 0; i < w->children; i++) value[i] = i % 2 ? NAN : -INFINITY;
  fb_evolution_tell(w, value);
  assert_true(w->x[0] == 0 && w->x[1] == 0 && w->step == 0.15);

  // all except one: the mean moves there
  fb_evolution_propose(w);
  double y[2] = {w->y[4], w->y[5]};
  value[2] = 0.5;
  fb_evolution_tell(w, value);
  for (int i = 0; i < 2; i++) assert_true(fabs(w->x[i] - y[i]) < 1e-15);
  fb_evolution_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hill_is_climbed),
      cmocka_unit_test(plateaus_are_walked_over),
      cmocka_unit_test(a_ridge_is_followed),
      cmocka_unit_test(a_seed_is_a_search),
      cmocka_unit_test(only_the_order_of_values_counts),
      cmocka_unit_test(children_without_a_value_are_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

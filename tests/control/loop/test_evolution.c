// A search without derivatives: it climbs, walks over plateaus, and is the same each time.
#include "control/loop/evolution.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// -|x - 1|^2
static double hill(const double *x, int n) {
  double f = 0;
  for (int i = 0; i < n; i++) f -= (x[i] - 1) * (x[i] - 1);
  return f;
}

// the same in steps, flat between them
static double terraces(const double *x, int n) {
  return floor(4 * hill(x, n)) / 4;
}

static double climb(double (*f)(const double *x, int n), int n, int tries, uint64_t seed,
                    double *x) {
  fb_evolution *w;
  assert_int_equal(fb_evolution_new(&w, n, seed, 0.3), DM_OK);
  fb_evolution_tell(w, f(w->y, n));
  for (int i = 0; i < tries; i++) {
    double before = w->value;
    fb_evolution_propose(w);
    bool better = fb_evolution_tell(w, f(w->y, n));
    assert_true(better ? w->value > before : w->value == before);
  }
  double value = w->value;
  if (x) memcpy(x, w->x, (size_t)n * sizeof *x);
  assert_int_equal(w->tries, tries + 1);
  fb_evolution_free(w);
  return value;
}

static void a_hill_is_climbed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) assert_true(climb(hill, 4, 600, seed, NULL) > -0.01);
}

static void plateaus_are_walked_over(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++)
    assert_true(climb(terraces, 4, 600, seed, NULL) >= -0.25);
}

static void a_seed_is_a_search(void **state) {
  (void)state;
  double x[3][4];
  climb(hill, 4, 50, 7, x[0]);
  climb(hill, 4, 50, 7, x[1]);
  climb(hill, 4, 50, 8, x[2]);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_memory_not_equal(x[0], x[2], sizeof x[0]);
}

static void a_child_without_a_value_is_left(void **state) {
  (void)state;
  fb_evolution *w;
  assert_int_equal(fb_evolution_new(&w, 2, 1, 0.3), DM_OK);
  fb_evolution_tell(w, 0.5);
  for (int i = 0; i < 2; i++) {
    fb_evolution_propose(w);
    assert_false(fb_evolution_tell(w, i ? NAN : -INFINITY));
    assert_true(w->x[0] == 0 && w->x[1] == 0 && w->value == 0.5);
  }
  fb_evolution_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hill_is_climbed),
      cmocka_unit_test(plateaus_are_walked_over),
      cmocka_unit_test(a_seed_is_a_search),
      cmocka_unit_test(a_child_without_a_value_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

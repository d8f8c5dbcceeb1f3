// Knots at unequal distances: times, their inverse, and other numbers of steps.
#include "lib/discrete/grid.h"

#include "tests/support/models.h"

enum { N = 6 };
static const double grid[] = {0, 0.1, 0.5, 1.7, 4, 5.9, 6};

static void times_and_places_are_inverse(void **state) {
  (void)state;
  for (int i = 0; i <= 600; i++) {
    const double s = N * i / 600.;
    assert_close(dm_grid_find(grid, N, dm_grid_time(grid, N, s)), s, 1e-13);
    assert_close(dm_grid_find(NULL, N, dm_grid_time(NULL, N, s)), s, 0);
  }
  for (int k = 0; k <= N; k++) assert_close(dm_grid_find(grid, N, grid[k]), k, 0);
  assert_close(dm_grid_find(grid, N, -1), 0, 0);
  assert_close(dm_grid_find(grid, N, 7), N, 0);
}

static void a_grid_of_more_steps_has_its_knots(void **state) {
  (void)state;
  double fine[3 * N + 1], back[N + 1];
  dm_grid_resample(grid, N, 3 * N, fine);
  for (int k = 0; k <= N; k++) assert_close(fine[3 * k], 3 * grid[k], 1e-14);
  dm_grid_resample(fine, 3 * N, N, back);
  for (int k = 0; k <= N; k++) assert_close(back[k], grid[k], 1e-14);
}

static void equal_steps_are_recognized(void **state) {
  (void)state;
  const double even[] = {0, 1, 2 + 1e-13, 3}, uneven[] = {0, 1, 2 + 1e-9, 3};
  assert_true(dm_grid_is_even(NULL, 3) && dm_grid_is_even(even, 3));
  assert_false(dm_grid_is_even(uneven, 3) || dm_grid_is_even(grid, N));
}

// the second motion begins where the first one ends
static void joined_motions_keep_their_steps(void **state) {
  (void)state;
  dm_trajectory *a, *b, *both;
  assert_int_equal(dm_trajectory_new(&a, N, 1, 1), DM_OK);
  assert_int_equal(dm_trajectory_new(&b, 2, 1, 1), DM_OK);
  a->h = b->h = 0.5;
  dm_trajectory_set_grid(a, grid);
  assert_int_equal(dm_trajectory_join(&both, a, b), DM_OK);
  for (int k = 0; k < N; k++)
    assert_close(dm_trajectory_step(both, k), dm_trajectory_step(a, k), 0);
  for (int k = 0; k <= 2; k++) assert_close(dm_trajectory_time(both, N + k), 3 + 0.5 * k, 0);
  dm_trajectory_free(a), dm_trajectory_free(b), dm_trajectory_free(both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_and_places_are_inverse),
      cmocka_unit_test(a_grid_of_more_steps_has_its_knots),
      cmocka_unit_test(equal_steps_are_recognized),
      cmocka_unit_test(joined_motions_keep_their_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

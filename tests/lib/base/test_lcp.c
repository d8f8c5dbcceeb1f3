// Linear complementarity problems: solutions obey their laws, for random problems of friction, with
// dependent rows, with and without a guess, and problems without a solution are named.
#include "lib/base/lcp.h"
#include "lib/base/random.h"
#include "tests/support/cmocka.h"

#include <math.h>
#include <string.h>

enum { MOST = 24 };

// normal numbers, one after the other
typedef struct draws {
  uint64_t seed, next;
} draws;

static double draw_normal(draws *r) {
  return dm_random_normal(r->seed, 0, r->next++);
}

// largest violation of w = M z + b, w >= 0, z >= 0, z'w = 0, relative to the largest |b|
static double violation(const dm_lcp *w, const double *M, const double *b) {
  double worst = 0, size = 0;
  for (int i = 0; i < w->n; i++) {
    double value = b[i];
    size = fmax(size, fabs(b[i]));
    for (int j = 0; j < w->n; j++) value += M[i * w->n + j] * w->z[j];
    worst = fmax(worst, fmax(-w->z[i], -value));
    worst = fmax(worst, fmin(fabs(w->z[i]), fabs(value)));
  }
  return worst / size;
}

// M = J J' of rank at most `rank`
static void draw_semidefinite(draws *r, int n, int rank, double *M) {
  double J[MOST * MOST];
  for (int i = 0; i < n * rank; i++) J[i] = draw_normal(r);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      M[i * n + j] = 0;
      for (int k = 0; k < rank; k++) M[i * n + j] += J[i * rank + k] * J[j * rank + k];
    }
}

static void solutions_of_contacts_obey_their_laws(void **state) {
  (void)state;
  draws r = {1, 0};
  double M[MOST * MOST], b[MOST], v[MOST];
  for (int draw = 0; draw < 500; draw++) {
    const int n = 1 + draw % MOST, rank = 1 + draw % 7 % n;
    dm_lcp *w;
    assert_int_equal(dm_lcp_new(&w, n), DM_OK);
    draw_semidefinite(&r, n, rank, M);

    // b = M v + something positive, so that there is a solution also with dependent rows
    for (int i = 0; i < n; i++) v[i] = 3 * draw_normal(&r);
    for (int i = 0; i < n; i++) {
      b[i] = fabs(draw_normal(&r)) * (i % 3 > 0);
      for (int j = 0; j < n; j++) b[i] += M[i * n + j] * v[j];
    }
    assert_int_equal(dm_lcp_solve(w, M, b), DM_OK);
    if (violation(w, M, b) > 1e-9) fail_msg("draw %d: %.3g", draw, violation(w, M, b));

    // its own set is a right guess
    assert_int_equal(dm_lcp_solve(w, M, b), DM_OK);
    assert_true(violation(w, M, b) <= 1e-9);
    dm_lcp_free(w);
  }
}

// the problem of `contacts` contacts in a plane: pairs of an impulse, a sliding distance, and both
// directions
static void friction_is_solved(void **state) {
  (void)state;
  draws r = {2, 0};
  for (int draw = 0; draw < 500; draw++) {
    const int contacts = 1 + draw % 6, n = 4 * contacts, rows = 2 * contacts;
    double A[MOST * MOST], M[MOST * MOST] = {0}, b[MOST] = {0};
    dm_lcp *w;
    assert_int_equal(dm_lcp_new(&w, n), DM_OK);
    draw_semidefinite(&r, rows, 1 + draw % 5 % rows, A);
    for (int c = 0; c < contacts; c++)
      for (int d = 0; d < contacts; d++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) {
            const double sign = (i == 2 ? -1 : 1) * (j == 2 ? -1 : 1);
            const int at[] = {4 * c, 4 * c + 2, 4 * c + 3}, to[] = {4 * d, 4 * d + 2, 4 * d + 3};
            M[at[i] * n + to[j]] = sign * A[(2 * c + (i > 0)) * rows + 2 * d + (j > 0)];
          }

    // approaching velocities of a motion, which impulses can stop
    double v[MOST];
    for (int i = 0; i < rows; i++) v[i] = draw_normal(&r);
    for (int c = 0; c < contacts; c++) {
      const int s = 4 * c + 1;
      M[s * n + 4 * c] = 0.7;
      for (int d = 0; d < 2; d++) {
        M[(s + 1 + d) * n + s] = 1;
        M[s * n + s + 1 + d] = -1;
      }
      for (int i = 0; i < rows; i++) {
        b[4 * c] += A[2 * c * rows + i] * v[i];
        b[s + 1] += A[(2 * c + 1) * rows + i] * v[i];
        b[s + 2] -= A[(2 * c + 1) * rows + i] * v[i];
      }
    }
    assert_int_equal(dm_lcp_solve(w, M, b), DM_OK);
    if (violation(w, M, b) > 1e-9) fail_msg("draw %d: %.3g", draw, violation(w, M, b));
    dm_lcp_free(w);
  }
}

static void what_has_no_solution_is_said(void **state) {
  (void)state;
  dm_lcp *w;
  assert_int_equal(dm_lcp_new(&w, 2), DM_OK);

  // two walls that approach each other: z0 = z1 - 1 ..
  const double M[] = {1, -1, -1, 1}, b[] = {-1, -1}, wild[] = {NAN, 0};
  assert_int_equal(dm_lcp_solve(w, M, b), DM_INFEASIBLE);
  assert_int_equal(dm_lcp_solve(w, M, wild), DM_NOT_FINITE);
  assert_true(w->z[0] == 0 && w->z[1] == 0);
  dm_lcp_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_of_contacts_obey_their_laws),
      cmocka_unit_test(friction_is_solved),
      cmocka_unit_test(what_has_no_solution_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

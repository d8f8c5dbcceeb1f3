// The pattern of a front: its lists name the entries of L that are not zero, and no others.
#include "optim/interior/front_pattern.h"
#include "tests/support/models.h"

enum { OWN = 70, ALL = 90, WORDS = 2, ROOM = ALL + OWN * ALL };

typedef struct front {
  double F[ALL][ALL]; // then L in the columns of what is eliminated
  int order[OWN];
  uint64_t bits[OWN * WORDS];
  unsigned short list[ROOM];
} front;

// a matrix with few entries, and pairs of rows that meet each other
static void draw_front(front *f, uint64_t *seed) {
  memset(f, 0, sizeof *f);
  for (int i = 0; i < ALL; i++) {
    f->F[i][i] = 50 + models_random(seed);
    for (int j = i + 1; j < ALL; j++)
      if (models_random(seed) > 0.9) f->F[i][j] = f->F[j][i] = models_random(seed);
  }
  for (int k = 0; k < OWN; k += f->order[k]) {
    f->order[k] = k + 1 < OWN && k % 5 == 3 ? 2 : 1;
    if (f->order[k] == 2) f->F[k][k + 1] = f->F[k + 1][k] = 1;
  }
}

// rows of L of the pivot k of order n, then what it leaves
static void eliminate_pivot(front *f, int k, int n) {
  const double a = f->F[k][k], b = n == 2 ? f->F[k + 1][k + 1] : 1, c = n == 2 ? f->F[k][k + 1] : 0;
  const double det = a * b - c * c;
  double x[ALL], y[ALL];
  for (int i = k + n; i < ALL; i++) {
    const double s = f->F[k][i], t = n == 2 ? f->F[k + 1][i] : 0;
    x[i] = (b * s - c * t) / det;
    y[i] = (a * t - c * s) / det;
  }
  for (int i = k + n; i < ALL; i++)
    for (int j = k + n; j < ALL; j++)
      f->F[i][j] -= x[i] * f->F[k][j] + (n == 2 ? y[i] * f->F[k + 1][j] : 0);
  for (int i = k + n; i < ALL; i++) {
    f->F[i][k] = x[i];
    if (n == 2) f->F[i][k + 1] = y[i];
  }
}

// a list names the pivots from..to whose rows of L' meet one of so many columns; returns what is
// behind it
static const unsigned short *check_list(const front *f, const unsigned short *list, int from,
                                        int to, int i, int rows) {
  const unsigned short *meets = list + 1, *end = meets + *list;
  for (int k = from; k < to; k++) {
    bool meet = false;
    for (int r = i; r < i + rows; r++) meet |= f->F[r][k] != 0;
    const bool listed = meets < end && *meets == k;
    assert_true(listed == meet);
    if (listed) meets++;
  }
  assert_true(meets == end);
  return end;
}

static void lists_are_where_factors_are_not_zero(void **state) {
  (void)state;
  static front f;
  uint64_t seed = 3;
  for (int run = 0; run < 5; run++) {
    draw_front(&f, &seed);
    assert_int_equal(oc_front_pattern_words(ALL), WORDS);
    oc_front_pattern p = {OWN, ALL, WORDS, f.bits};
    oc_front_pattern_clear(&p);
    for (int i = 0; i < ALL; i++)
      for (int j = i; j < ALL; j++)
        if (f.F[i][j] != 0) oc_front_pattern_put(&p, i, j);
    oc_front_pattern_fill(&p, f.order);
    oc_front_pattern_list(&p, f.order, f.list);
    for (int k = 0; k < OWN; k += f.order[k]) eliminate_pivot(&f, k, f.order[k]);

    // panel by panel, and within each pivot by pivot
    const unsigned short *list = f.list;
    for (int i = 0, rows; i < ALL; i += rows) {
      rows = oc_front_panel(OWN, ALL, f.order, i);
      assert_true(rows > 0 && (i >= OWN || i + rows <= OWN));
      assert_true(i >= OWN || f.order[i] > 0); // no half pair
      list = check_list(&f, list, 0, i < OWN ? i : OWN, i, rows);
      for (int k = i; k < i + rows && i < OWN; k += f.order[k])
        list = check_list(&f, list, i, k, k, f.order[k]);
    }
    assert_true((double)(list - f.list) <= oc_front_pattern_room(OWN, ALL));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_where_factors_are_not_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Levels that distinguish controllers run first.
#include "control/loop/racing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LEVELS = 40 };

static void levels_in_doubt_come_first(void **state) {
  (void)state;
  fb_racing *w;
  bool survived[LEVELS], skip[LEVELS];
  assert_int_equal(fb_racing_new(&w, LEVELS), DM_OK);

  // below 10 all succeed, from 30 on none; in between every second controller
  for (int law = 0; law < 6; law++) {
    for (int i = 0; i < LEVELS; i++) survived[i] = i < 10 || (i < 30 && law % 2);
    fb_racing_add(w, survived);
  }
  fb_racing_pick(w, 20, skip);
  for (int i = 0; i < LEVELS; i++) assert_int_equal(skip[i], i < 10 || i >= 30);

  // levels that ran keep their result, the others get the estimate from other controllers: (1 +
  // controllers)/(2 + controllers)
  fb_racing_expect(w, skip, survived);
  assert_true(w->chance[15] == survived[15]);
  assert_true(w->chance[3] == 7. / 8 && w->chance[35] == 1. / 8);
  fb_racing_free(w);
}

static void as_many_as_asked_for_from_everywhere(void **state) {
  (void)state;
  for (int levels = 1; levels <= LEVELS; levels++) {
    fb_racing *w;
    bool skip[LEVELS];
    int run = 0, gap = 0;
    assert_int_equal(fb_racing_new(&w, levels), DM_OK);
    fb_racing_pick(w, (levels + 3) / 4, skip);
    for (int i = 0; i < levels; i++) {
      run += !skip[i];
      gap = skip[i] ? gap + 1 : 0;
      assert_true(gap <= 3 * 4);
    }
    assert_int_equal(run, (levels + 3) / 4);
    fb_racing_free(w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_in_doubt_come_first),
      cmocka_unit_test(as_many_as_asked_for_from_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// tests/support/balanced.h: the cart-pole balanced upright, for closed-loop tests.
#ifndef TESTS_SUPPORT_BALANCED_H
#define TESTS_SUPPORT_BALANCED_H
#include "tests/support/models.h"

#include "control/feedback/tvlqr.h"

enum { HOLD_STEPS = 300 };

typedef struct balanced {
  dm_model *m;
  dm_system s;
  fb_tvlqr *f; // at rest upright for HOLD_STEPS steps of 0.02 s
} balanced;

static inline balanced balanced_open(void) {
  static const double Q[] = {10, 100, 1, 1}, R[] = {1};
  balanced z = {.m = models_cart_pole()};
  z.s = dm_system_of(z.m);
  dm_trajectory *x;
  int failed;
  assert_int_equal(dm_trajectory_new(&x, HOLD_STEPS, 2, 1), DM_OK);
  x->h = 0.02;
  for (int k = 0; k <= HOLD_STEPS; k++) x->q[2 * k + 1] = 3.141592653589793;
  assert_int_equal(fb_tvlqr_new(&z.f, x, &z.s, &(fb_weights){.Q = Q, .R = R}, &failed, NULL),
                   DM_OK);
  dm_trajectory_free(x);
  return z;
}

static inline void balanced_close(balanced *z) {
  fb_tvlqr_free(z->f);
  dm_model_free(z->m);
}
#endif

// tests/arm.h: a two-link arm, two uniform links of 1 kg and 1 m, both driven, and guesses of its
// swing from hanging to upright.
#ifndef TESTS_ARM_H
#define TESTS_ARM_H
#include "lib/effort.h"
#include "tests/models.h"

#define ARM_PI 3.14159265358979323846

typedef struct arm {
  dm_model *m;
  dm_effort *effort;
  dm_second_lagrangian C;
} arm;
static inline arm arm_new(void) {
  static const double W[] = {1, 1};
  dm_coordinate c[] = {models_coord("shoulder", false, 0, 1, 0),
                       models_coord("elbow", false, 0, 1, 0)};
  dm_pose tip = dm_identity;
  tip.p.z = -1;
  dm_body b[] = {{"upper", -1, dm_identity, 0, 1, 1, {0, 0, -0.5}, {0, 1. / 12}},
                 {"lower", 0, tip, 1, 1, 1, {0, 0, -0.5}, {0, 1. / 12}}};
  arm a = {.m = models_make(&(dm_tree){2, 2, 0, b, c, NULL, {0, 0, -9.8}})};
  assert_int_equal(dm_effort_new(&a.effort, a.m, NULL, NULL, W), DM_OK);
  a.C = dm_effort_lagrangian(a.effort);
  return a;
}
static inline void arm_free(arm *a) {
  dm_effort_free(a->effort), dm_model_free(a->m);
}

// a bow through both ends in a second, the elbow bent to one side: X [(N+1) x 4]
static inline void arm_bow(int N, double bend, double *X) {
  for (int k = 0; k <= N; k++) {
    double t = (double)k / N, c = sin(ARM_PI * t), S = (1 - cos(ARM_PI * t)) / 2;
    double x[] = {ARM_PI * S, bend * c * c, ARM_PI * ARM_PI / 2 * c,
                  bend * ARM_PI * sin(2 * ARM_PI * t)};
    if (k == 0 || k == N) x[2] = x[3] = 0;
    memcpy(X + 4 * k, x, sizeof x);
  }
}
#endif

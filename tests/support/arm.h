// tests/support/arm.h: a two-link arm (two uniform links of 1 kg and 1 m, both actuated) with
// guesses of its swing from hanging to upright; a seven-joint arm with guesses of its reaching
// motion.
#ifndef TESTS_SUPPORT_ARM_H
#define TESTS_SUPPORT_ARM_H
#include "lib/second/torque_cost.h"
#include "tests/support/models.h"

#define ARM_PI 3.14159265358979323846

typedef struct arm {
  dm_model *m;
  dm_torque_cost *effort;
  dm_second_order_lagrangian C;
} arm;
static inline arm arm_new(void) {
  static const double W[] = {1, 1};
  dm_coordinate c[] = {models_coord("shoulder", false, 0, 1, 0),
                       models_coord("elbow", false, 0, 1, 0)};
  dm_pose tip = dm_identity;
  tip.p.z = -1;
  dm_body b[] = {{"upper", -1, dm_identity, 0, 1, 1, {0, 0, -0.5}, {0, 1. / 12}},
                 {"lower", 0, tip, 1, 1, 1, {0, 0, -0.5}, {0, 1. / 12}}};
  arm a = {.m = models_make(&(dm_tree){
               .nbody = 2, .ncoord = 2, .body = b, .coord = c, .gravity = {0, 0, -9.8}})};
  assert_int_equal(dm_torque_cost_new(&a.effort, a.m, NULL, NULL, W), DM_OK);
  a.C = dm_torque_cost_lagrangian(a.effort);
  return a;
}

// seven joints, alternately about z and y, with links of 0.3 m, 0.3 kg and 0.5 kg m^2
enum { ARM_SEVEN = 7 };
static inline arm arm_seven(void) {
  static const double W[ARM_SEVEN] = {1, 1, 1, 1, 1, 1, 1};
  static const char *const name[ARM_SEVEN] = {"a", "b", "c", "d", "e", "f", "g"};
  dm_coordinate c[ARM_SEVEN];
  dm_body b[ARM_SEVEN];
  for (int i = 0; i < ARM_SEVEN; i++) {
    dm_pose offset = dm_identity;
    if (i > 0) offset.p.z = 0.3;
    c[i] = models_coord(name[i], false, 0, i % 2, 1 - i % 2);
    b[i] = (dm_body){name[i], i - 1, offset, i, 1, 0.3, {0, 0, 0.15}, {0.5, 0.5, 0.5}};
  }
  arm a = {.m = models_make(&(dm_tree){.nbody = ARM_SEVEN,
                                       .ncoord = ARM_SEVEN,
                                       .body = b,
                                       .coord = c,
                                       .gravity = {0, 0, -9.81}})};
  assert_int_equal(dm_torque_cost_new(&a.effort, a.m, NULL, NULL, W), DM_OK);
  a.C = dm_torque_cost_lagrangian(a.effort);
  return a;
}

// cubic from 0 to goal [2 x ARM_SEVEN], at rest at both ends, in one second: X [(N+1) x 14]
static inline void arm_reach(int N, double *goal, double *X) {
  for (int i = 0; i < ARM_SEVEN; i++) {
    goal[i] = i % 2 ? 0.5 : -0.3;
    goal[ARM_SEVEN + i] = 0;
  }
  for (int k = 0; k <= N; k++)
    for (int i = 0; i < ARM_SEVEN; i++) {
      double t = (double)k / N, *x = X + 2 * ARM_SEVEN * k + i;
      x[0] = goal[i] * t * t * (3 - 2 * t);
      x[ARM_SEVEN] = goal[i] * 6 * t * (1 - t);
    }
}

static inline void arm_free(arm *a) {
  dm_torque_cost_free(a->effort);
  dm_model_free(a->m);
}

// an arc through both ends in one second, with the elbow bent to one side: X [(N+1) x 4]
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

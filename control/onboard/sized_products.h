// control/onboard/sized_products.h: the products of a step and a stage (products.c) whose sizes are constants:
// those of common robots in the library (sizes.inc), those of the robot in an exported controller.
//
//   DO(type, name, of, parameters, arguments): type name(int nx, int nu, parameters) calls of(nx, nu, arguments)
#ifndef FB_ONBOARD_SIZED_PRODUCTS_H
#define FB_ONBOARD_SIZED_PRODUCTS_H

// clang-format off
#define SIZED_PRODUCTS(DO)                                                                         \
  DO(void, eliminate, eliminate_of,                                                                \
     (real *D12, const real *D22, real *solved, real *A, real *B, real *c),                       \
     (D12, D22, solved, A, B, c))                                                                  \
  DO(void, form_products, products_of,                                                             \
     (const real *P, const real *A, const real *B, real *PA, real *PB, real *next, real *X,        \
      real *H),                                                                                    \
     (P, A, B, PA, PB, next, X, H))                                                                \
  DO(void, close_stage, lower_cost, (const real *X, const real *K, real *next, real *P),           \
     (X, K, next, P))                                                                              \
  DO(_Bool, solve_gains, gains_of, (real *H, real *K, real *k), (H, K, k))
// clang-format on

#endif

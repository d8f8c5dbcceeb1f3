// lib/second/second_order_rule.h: rules of discrete Lagrangians of order k
// (lib/second/second_order.h): nodes that are linear in the knots X0, X1 of a step,
//
//   x_s^(d) = sum_e sum_r c_s[d][e][r] h^(r-d) X_e^(r),   with weights w_s
//
//   rule                 order  nodes
//   taylor               2      means of the ends' q, v; half each of the accelerations that
//                        extrapolate one end's (q,v) to the other's q by Taylor's expansion: paper
//                        003, eq. 12
//   taylor-ends          2      these accelerations with the q, v of the end they start from
//   difference-ends      -      the ends' q, v with (v1-v0)/h
//   difference-midpoint  -      means of q, v with (v1-v0)/h
//   hermite-gauss        2 k    the Hermite polynomial of both knots at k Gauss points
//   hermite-lobatto      2 k    the same at k+1 Lobatto points
//
// The last two are exact for splines, C = |q^(k)|^2/2. The two difference rules, and taylor for k =
// 3, are degenerate: a step does not determine X1. dm_second_order_check refuses them.
//
// Source: docs/theory.md section 13; paper 003, section 3 and eq. 12.
#ifndef DM_SECOND_SECOND_ORDER_RULE_H
#define DM_SECOND_SECOND_ORDER_RULE_H
#include "lib/base/status.h"

DM_BEGIN_C

enum { DM_SECOND_MAX_ORDER = 3, DM_SECOND_NODES = 8 };

typedef struct dm_second_order_node {
  double weight;
  double c[DM_SECOND_MAX_ORDER + 1][2][DM_SECOND_MAX_ORDER]; // [d][e][r]
} dm_second_order_node;

typedef struct dm_second_order_rule {
  const char *name;
  int k, nodes;
  dm_second_order_node node[DM_SECOND_NODES]; // weights sum to 1
} dm_second_order_rule;

// The name of the i-th rule, i >= 0; NULL after the last one.
const char *dm_second_order_rule_name(int i);

// Fill a rule of order k by its name. Returns DM_OK, or DM_BAD_INPUT with the known names in msg.
dm_status dm_second_order_rule_set(dm_second_order_rule *rule, const char *name, int k,
                                   dm_message *msg);

// The weighted average share a + (1-share) b of two rules, named `average`. Returns DM_OK;
// DM_BAD_INPUT if their k differ or there are too many nodes.
dm_status dm_second_order_rule_average(dm_second_order_rule *rule, double share,
                                       const dm_second_order_rule *a,
                                       const dm_second_order_rule *b);

// The knot X [k n] at the fraction t of a step h between X0 and X1, on the Hermite polynomial of
// degree 2k-1: for finer grids.
void dm_second_order_between(int n, int k, const double *X0, const double *X1, double h, double t,
                             double *X);

DM_END_C
#endif

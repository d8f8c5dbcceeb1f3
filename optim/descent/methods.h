// optim/descent/methods.h: the table of descent methods. A method is a matrix W of the direction's
// problem (optim/descent/search_direction.h), what is done with its solution, what is done if W is
// not convex, and the method that follows if this one finds no step. To add one, add a row.
//
//   steepest  W is the identity                                      [hauser-2002]
//   bb        steepest, times the step of Barzilai and Borwein       Barzilai and Borwein (1988)
//   cg        nonlinear conjugate gradients, Polak-Ribiere           [nocedal-wright-2006], 5.2
//   lbfgs     limited-memory BFGS, by the two-loop recursion         [nocedal-wright-2006], 7.2
//   quasi     W is the Hessian of the cost: Gauss-Newton, iLQR; the paper's quasi-Newton method
//   paper     newton, then quasi, then steepest: the first convex one that descends (paper 001)
//   ddp       second order of the map, weighted by the slope of the value function
//   shift     newton, with a multiple of the inputs' weights added until it is convex
//   trust     newton in a trust region, by conjugate gradients that quasi preconditions
//   newton    second order of the map, weighted by the adjoint of the closed loop
#ifndef OC_DESCENT_METHODS_H
#define OC_DESCENT_METHODS_H
#include "optim/nlp/options.h"

#include <stdbool.h>

DM_BEGIN_C

typedef enum oc_model { // W
  OC_IDENTITY,
  OC_COST_HESSIAN,
  OC_SECOND_ORDER,
  OC_VALUE_ORDER // as OC_SECOND_ORDER, weighted by the value function's slope
} oc_model;

typedef enum oc_update { // how the solution becomes a direction
  OC_SOLUTION,           // it is the direction
  OC_UPDATE_STEP,        // Barzilai and Borwein
  OC_UPDATE_CONJUGATE,
  OC_UPDATE_PAIRS, // L-BFGS
  OC_UPDATE_REGION // a trust region
} oc_update;

typedef enum oc_repair { // if W is not convex
  OC_NO_REPAIR,
  OC_REDUCE,    // reduce its second-order terms stage by stage
  OC_ADD_WEIGHT // damp the direction more and more
} oc_repair;

typedef struct oc_method_row {
  const char *name, *about;
  oc_model model;
  oc_update update;
  oc_repair repair;
  oc_method next; // if this one finds no step; itself: none
  oc_method kind; // the row that its own directions are recorded as
} oc_method_row;

extern const oc_method_row oc_methods[OC_METHODS];
extern const char *const oc_method_names[]; // [OC_METHODS], terminated by NULL

DM_END_C
#endif

#include "optim/descent/methods.h"

const oc_method_row oc_methods[OC_METHODS] = {
    [OC_STEEPEST] = {"steepest", "the gradient in a metric of states and inputs", OC_IDENTITY,
                     OC_SOLUTION, OC_NO_REPAIR, OC_STEEPEST, OC_STEEPEST},
    [OC_BARZILAI_BORWEIN] = {"bb", "the gradient, with steps of Barzilai and Borwein", OC_IDENTITY,
                             OC_UPDATE_STEP, OC_NO_REPAIR, OC_STEEPEST, OC_BARZILAI_BORWEIN},
    [OC_CONJUGATE] = {"cg", "nonlinear conjugate gradients of Polak and Ribiere", OC_IDENTITY,
                      OC_UPDATE_CONJUGATE, OC_NO_REPAIR, OC_STEEPEST, OC_CONJUGATE},
    [OC_LBFGS] = {"lbfgs", "limited-memory BFGS", OC_IDENTITY, OC_UPDATE_PAIRS, OC_NO_REPAIR,
                  OC_STEEPEST, OC_LBFGS},
    [OC_QUASI] = {"quasi", "Gauss-Newton, iLQR", OC_COST_HESSIAN, OC_SOLUTION, OC_NO_REPAIR,
                  OC_STEEPEST, OC_QUASI},
    [OC_PAPER] = {"paper", "Newton with the rule of paper 001", OC_SECOND_ORDER, OC_SOLUTION,
                  OC_NO_REPAIR, OC_QUASI, OC_NEWTON},
    [OC_DDP] = {"ddp", "differential dynamic programming", OC_VALUE_ORDER, OC_SOLUTION, OC_REDUCE,
                OC_QUASI, OC_DDP},
    [OC_SHIFT] = {"shift", "Newton with a shift", OC_SECOND_ORDER, OC_SOLUTION, OC_ADD_WEIGHT,
                  OC_SHIFT, OC_SHIFT},
    [OC_TRUST] = {"trust", "Newton in a trust region", OC_SECOND_ORDER, OC_UPDATE_REGION,
                  OC_NO_REPAIR, OC_QUASI, OC_TRUST},
    [OC_NEWTON] = {"newton", "Newton, reduced stage by stage", OC_SECOND_ORDER, OC_SOLUTION,
                   OC_REDUCE, OC_QUASI, OC_NEWTON},
};

const char *const oc_method_names[] = {"steepest", "bb",    "cg",    "lbfgs",  "quasi", "paper",
                                       "ddp",      "shift", "trust", "newton", NULL};

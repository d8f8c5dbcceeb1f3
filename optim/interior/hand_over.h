// optim/interior/hand_over.h: solves with the stage solver, and with IPOPT if that finds no
// solution.
//
// Two solvers with the same algorithm may diverge by rounding, and each solves some tasks that the
// other does not. If the stage solver ends as infeasible, stalled or with a fault, IPOPT with MUMPS
// is tried, because its pivots differ: from the best point if the stage solver stalled; from the
// original starting point if it ended at a minimum of the violation or has no point. A limit on
// iterations or time applies to both; IPOPT gets the rest. If the stage solver reaches the
// limit, IPOPT is not called.
#ifndef OC_INTERIOR_HAND_OVER_H
#define OC_INTERIOR_HAND_OVER_H
#include "optim/nlp/ipopt.h"

DM_BEGIN_C

// Same as oc_ipopt_solve, ignoring `linear`. info is that of the solver that finished, with
// total_s and derivatives_s of both; info->stage is the outcome of the stage solver if IPOPT
// continued. In a build without IPOPT only the stage solver runs. If IPOPT finds no solution
// either, the better of the two points is returned. Allocates.
dm_status oc_hand_over_solve(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                             oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);

DM_END_C
#endif

// optim/interior/hand_over.h: the stage solver, and IPOPT where that finds no solution.
//
// Two solvers that take the same steps but for rounding end apart now and then, and each has tasks
// that the other one cannot do. What the stage solver ends as infeasible, stalled or in a fault,
// IPOPT is asked as well, with MUMPS, so that other pivots get a chance: from the best point where it
// stalled; where it ended at a minimum of the violation, which leads nowhere, and where it has no
// point, from the same beginning. A limit of iterations or time ends both, and what is left of either
// is IPOPT's: at its limit the stage solver has nothing to hand over.
#ifndef OC_INTERIOR_HAND_OVER_H
#define OC_INTERIOR_HAND_OVER_H
#include "optim/nlp/ipopt.h"

DM_BEGIN_C

// As oc_ipopt_solve, without set->solver. info is of the one that ended it, total_s and
// derivatives_s of both; info->stage says how the stage solver ended, where IPOPT went on. In a
// build without IPOPT the stage solver alone. What IPOPT ends without a solution either is of the
// two points the better one. Allocates.
dm_status oc_hand_over_solve(const oc_nlp *nlp, const oc_ipopt_settings *set, oc_point *point,
                             oc_iterate *record, int room, oc_ipopt_info *info);

DM_END_C
#endif

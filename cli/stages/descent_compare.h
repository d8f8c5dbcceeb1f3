// cli/stages/descent_compare.h: `descend --compare`: descents by several methods from several
// starts, in parallel; and their success relative to the best known cost, their work to it in gradient
// equivalents, and their order of convergence.
//
// Start 0 is the problem's guess; the others are seeded (optim/starts/seeded_guess.h). The work of a
// run is sum c_i t_i / t_gradient, with c_i its counts of operations (oc_work) and t_i the mean
// processor time of such an operation over all runs; so work does not depend on the load of the
// machine, and its limit not on time. A run succeeds when its cost is within 1 % of the lowest cost of
// all runs that meet the goal, and it meets the goal itself to 1e-4.
//
// Runs that are in compare.csv of the folder are not repeated if its first run is that of now.
#ifndef CLI_STAGES_DESCENT_COMPARE_H
#define CLI_STAGES_DESCENT_COMPARE_H
#include "cli/stages/call.h"
#include "optim/descent/descent.h"

// Run the wanted methods [OC_METHODS] from `guess` and from starts - 1 others; x: out, the motion of
// the best run, to be freed. Fills call->result and the summary, and writes compare.csv. Returns
// CLI_DONE, CLI_OUTCOME if nothing met the goal, or CLI_FAULT after an error.
int cli_descents_compare(cli_call *call, const oc_options *options, const bool *wanted, int starts,
                         const dm_trajectory *guess, dm_trajectory **x);
#endif

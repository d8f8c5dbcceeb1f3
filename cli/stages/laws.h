// cli/stages/laws.h: `check --laws`: the theorems about the discrete map, judged on the problem's own system
// (lib/studies/laws.h), one row each.
#ifndef CLI_STAGES_LAWS_H
#define CLI_STAGES_LAWS_H
#include "cli/stages/call.h"
#include "lib/mechanics/momentum_map.h"

// Judge all laws: of the middle of the guess, of the start of a simulation, or of an equilibrium; of each phase. Adds
// `laws` to the answer and a line per row to the summary. *failed: the number of rows that fail. Returns CLI_DONE, or an
// exit status after reporting why the system has no motion.
int cli_laws(cli_call *call, int *failed);

// The momentum map of a robot's bodies, in the coordinates of its system.
dm_momentum_map cli_momentum_map(const pb_robot *robot);
#endif

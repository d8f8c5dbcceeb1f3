// cli/stages/lost.h: explain why gains fail on a plant: which coordinate leaves the plan and when,
// and which change helps, by trial.
#ifndef CLI_STAGES_LOST_H
#define CLI_STAGES_LOST_H
#include "cli/stages/bench.h"

enum { CLI_WHY = 1000 };

// Explain the failed samples on a plant:
//   1  the state that most often leaves the plan, and when (median), or its final error
//   2  how many of the first ten succeed in other trials, one row of a table each: without input
//      limits, rate limits, the envelope, or one of the disturbances of verify; on the discrete
//      plant, with integrals of errors, with R ten times larger and smaller, from half the spread;
//      and, if no single cause helps half of them, without two causes together
//   3  advice, from the two trials that helped most, if they helped half of them
//
//   plant  its name
//   g      the bench used
//   rows   the samples                                    [call->run.p->verify.samples]
//   ran    which of them ran                              [samples]
//   held   which succeeded on the previous plants         [samples]; unused on the discrete plant
//   o      out: `lost`, with the figures of 1 and 2
//   why    out: sentences, empty if out of memory
// Cost: up to ten samples per row and pair, and three gain schedules.
void cli_explain_loss(cli_call *call, const char *plant, const fb_bench *g, const fb_sample *rows,
                      const bool *ran, const bool *held, cli_json *o, char why[CLI_WHY]);
#endif

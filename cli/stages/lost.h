// cli/stages/lost.h: why gains do not hold on a plant: which coordinate is lost and when, and what
// helps, by trying.
#ifndef CLI_STAGES_LOST_H
#define CLI_STAGES_LOST_H
#include "cli/stages/bench.h"

enum { CLI_WHY = 1000 };

// Say of the samples [job->p->verify.samples] that ran and did not hold on a plant where they are lost,
// run some of them again under what may help, and name what did: into an object `lost` of o, and as
// sentences into why.
//   g     the bench that they ran on
//   held  which held on the plants before this; of the discrete one it is not looked at
void cli_explain_loss(cli_job *job, const char *plant, const fb_bench *g, const fb_sample *rows,
                      const bool *ran, const bool *held, cli_json *o, char why[CLI_WHY]);
#endif

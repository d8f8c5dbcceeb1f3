// cli/stages/lost.h: why gains do not hold on a plant: which coordinate is lost and when, and what
// helps, by trying.
#ifndef CLI_STAGES_LOST_H
#define CLI_STAGES_LOST_H
#include "cli/stages/bench.h"

enum { CLI_WHY = 1000 };

// Say of the samples that ran and did not hold on a plant
//   1  which state leaves the plan most often, and when (median), or how far off it ends
//   2  how many of the first ten hold in other trials, a row each of a table: without limits of
//      inputs, rate limits, the envelope, or one of what verify sets against the law; on the
//      discrete plant, with integrals of errors, with R ten times larger and smaller, from half the
//      spread; and, if no cause alone helps half of them, of two causes together
//   3  what to do, by the two trials that helped most, if they helped half of them
//
//   plant  its name
//   g      the bench that they ran on
//   rows   the samples                                    [job->p->verify.samples]
//   ran    which of them ran                              [samples]
//   held   which held on the plants before this           [samples]; not looked at on the discrete
//   o      out: `lost`, with the figures of 1 and 2
//   why    out: sentences, empty without memory
// Cost: up to ten samples a row and a pair, and three gain schedules.
void cli_explain_loss(cli_job *job, const char *plant, const fb_bench *g, const fb_sample *rows,
                      const bool *ran, const bool *held, cli_json *o, char why[CLI_WHY]);
#endif

// cli/stages/score.h: the score of a job's law by its problem's `verify.criteria:`
// (control/loop/criteria.h), its levels shared out to all ranks.
#ifndef CLI_STAGES_SCORE_H
#define CLI_STAGES_SCORE_H
#include "cli/stages/job.h"

typedef struct cli_score {
  int rows, levels; // of the table; levels of all rows
  int *survived;    // [rows] levels of each row
  int *first;       // [rows] of its levels in `level`
  bool *level;      // [levels] whether each was survived
  double score;     // mean over criteria; NAN: not all levels ran
  int ran;          // levels
} cli_score;

// Score the law of a job that has its gains.
//   best      a score to reach: once it is out of reach no more levels are run; -INFINITY: all are
//   progress  called with the levels done so far, may return false to stop; NULL
// All ranks come to the same. Returns DM_OK; DM_INTERRUPTED; DM_UNAVAILABLE for kinematic
// coordinates and beside an estimator; DM_NO_MEMORY or what failed. On DM_OK to be freed.
dm_status cli_score_run(cli_score *s, cli_job *job, double best,
                        bool (*progress)(void *self, int done), void *self, char lost[256]);
void cli_score_free(cli_score *s);
#endif

// cli/stages/score.h: compute the score of a run's controller by its problem's `verify.criteria:`
// (control/loop/criteria.h), with levels distributed over all ranks.
#ifndef CLI_STAGES_SCORE_H
#define CLI_STAGES_SCORE_H
#include "cli/stages/call.h"

typedef struct cli_score {
  int rows, levels; // rows of the table; levels of all rows
  int *survived;    // [rows] levels of each row
  int *first;       // [rows] index of the first level of each row
  bool *level;      // [levels] whether each succeeded
  double score;     // mean over criteria; NAN: some levels were skipped
  int ran;          // number of levels run
} cli_score;

// Refuse pushes of the criteria that do not fit into the motion of a call with gains. Returns an
// exit status.
int cli_score_check(cli_call *call);

// Compute the score of the controller of a call with gains.
//   skip      [levels] on all ranks: levels to skip; NULL: none
//   progress  called with the number of levels done, may return false to stop; NULL
// All ranks get the same result. Returns DM_OK; DM_INTERRUPTED; DM_UNAVAILABLE with kinematic
// coordinates or an estimator; DM_NO_MEMORY or another failure. On DM_OK s must be freed.
dm_status cli_score_run(cli_score *s, cli_call *call, const bool *skip,
                        bool (*progress)(void *self, int done), void *self, char lost[256]);
void cli_score_free(cli_score *s);
#endif

// problems/readers/task/guess.h: the motion that an optimizer starts from, as `guess:` says.
#ifndef PB_TASK_GUESS_H
#define PB_TASK_GUESS_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

typedef enum pb_guess_kind { PB_LINE, PB_ROLLOUT, PB_CSV } pb_guess_kind;

typedef struct pb_guess {
  pb_guess_kind kind;
  dm_trajectory *csv; // PB_CSV: q, u (p, v of that motion) on the task's grid; else NULL
  double *u;          // [nu of forces] PB_ROLLOUT: the inputs held; else NULL
} pb_guess;

DM_END_C
#endif

// problems/readers/task/guess.h: `guess:` as read: the initial motion of the optimizer.
#ifndef PB_TASK_GUESS_H
#define PB_TASK_GUESS_H
#include "lib/discrete/trajectory.h"

DM_BEGIN_C

// PB_OWN: no guess is given, oc_guess_own (optim/starts/rollout.h)
typedef enum pb_guess_kind { PB_OWN, PB_LINE, PB_ROLLOUT, PB_SMOOTH, PB_CSV } pb_guess_kind;

typedef struct pb_guess {
  pb_guess_kind kind;
  dm_trajectory *csv; // PB_CSV: q, u and the resulting p, v on the task's grid; else NULL
  double *u;          // [nu of forces] PB_ROLLOUT: the constant inputs; else NULL
} pb_guess;

DM_END_C
#endif

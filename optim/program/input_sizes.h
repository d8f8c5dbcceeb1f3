// optim/program/input_sizes.h: the characteristic magnitudes of a task's inputs, in addition to those of its
// coordinates (lib/mechanics/scale.h).
//
//   u_j  the limit, but at most 100 times the size without a limit, which is p_i / (T |df_i/du_j|), the
//        minimum over the coordinates i that the input moves: within the horizon it changes their momentum
//        by its size
//   u_j  q_i, if the input is the next value of kinematic coordinate i
//
// Source: docs/theory.md section 31.
#ifndef OC_PROGRAM_INPUT_SIZES_H
#define OC_PROGRAM_INPUT_SIZES_H
#include "lib/mechanics/scale.h"
#include "optim/task/task.h"

DM_BEGIN_C

// The sizes u [forces, then kinematic coordinates] of a task with the scales `of`. All are > 0 and finite.
// Returns DM_OK or DM_NO_MEMORY. Cost: one evaluation of the forces; allocates.
dm_status oc_input_sizes(const oc_task *task, const dm_scale *of, double *u);

DM_END_C
#endif

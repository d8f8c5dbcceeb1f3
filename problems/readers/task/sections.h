// problems/readers/task/sections.h: the sections of a problem file as they stand in it, and what
// the later ones are read against.
#ifndef PB_TASK_SECTIONS_H
#define PB_TASK_SECTIONS_H
#include "lib/discrete/trajectory.h"
#include "optim/transcription/task.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

// The sections of a file; NULL: not there.
typedef struct pb_sections {
  const char *name, *folder;
  const char *transcription, *phase;
  const pb_node *model, *inputs, *outputs, *keep_out, *design, *horizon, *rule, *start, *goal,
      *bounds, *via, *path, *cost, *guess, *starts, *solver, *feedback, *verify, *simulate,
      *balance, *phases, *total_time;
} pb_sections;

// What the robot's and the task's sections came to, which the others refer to.
typedef struct pb_context {
  const pb_robot *robot;
  const oc_task *task;       // without `horizon` its system and names alone
  bool has_task;             // whether there is one
  int second;                // the order of its transcription where that is 2 or 3, else 0
  const dm_trajectory *rest; // of `balance:`, else NULL
  const struct pb_simulation *simulation; // if it is the only motion of the file, else NULL
} pb_context;

// The duration of the motion [s]; if the final time is free, the shortest and the longest. NAN without a
// motion. Either pointer may be NULL.
void pb_find_duration(const pb_context *c, double *shortest, double *longest);
#endif

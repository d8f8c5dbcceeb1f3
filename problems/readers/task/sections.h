// problems/readers/task/sections.h: the sections of a problem file as nodes, and the context in
// which later sections are read.
#ifndef PB_TASK_SECTIONS_H
#define PB_TASK_SECTIONS_H
#include "lib/discrete/trajectory.h"
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"
#include "problems/readers/model/robot.h"

// The sections of a file; NULL: missing.
typedef struct pb_sections {
  const char *name, *folder;
  const char *transcription, *phase;
  const pb_node *model, *inputs, *let, *outputs, *keep_out, *design, *horizon, *rule, *start, *goal,
      *bounds, *constraints, *via, *until, *path, *cost, *guess, *starts, *solver, *feedback,
      *verify, *simulate, *balance, *phases, *total_time, *contact, *identify, *mpc;
} pb_sections;

// Results of the robot's and the task's sections, which other sections need.
typedef struct pb_context {
  const pb_robot *robot;
  const oc_task *task;                    // without `horizon` only its system and names
  bool has_task;                          // whether the file has a task
  int second;                             // the order of its transcription if 2 or 3, else 0
  const dm_trajectory *rest;              // of `balance:`, else NULL
  const struct pb_simulation *simulation; // if it is the only motion of the file, else NULL
} pb_context;

// The duration of the motion [s]; if the final time is free, the shortest and the longest. NAN without a
// motion. Either pointer may be NULL.
void pb_find_duration(const pb_context *c, double *shortest, double *longest);
#endif

// problems/readers/task/identification.h: a robot to identify from logs, and how its logs are read
// and weighted.
#ifndef PB_TASK_IDENTIFICATION_H
#define PB_TASK_IDENTIFICATION_H
#include "problems/readers/format/log.h"
#include "problems/readers/format/replace.h"
#include "problems/readers/model/robot.h"

DM_BEGIN_C

// The section `identify:`.
typedef struct pb_identify {
  int nparameters;
  const char **parameter; // [nparameters] paths
  double step;            // of knots                                          s
  double prior;           // relative standard deviation of the robot's inertias; INFINITY: none
  const double *friction_speed; // [n] over which dry friction builds up; NULL: chosen  rad/s or m/s
  double horizon;               // of predictions                                    s
  int max_iter;
  const double *noise_q; // [n] standard deviation of a sample of a position  rad or m
  const double *noise_u; // [n] of the forces that the model lacks            N m or N
  bool held;             // inputs are constant between samples; else straight lines
  double second;         // s of the log's times
  int ncolumns;          // n positions, then nu inputs
  pb_log_column *column; // [ncolumns]
} pb_identify;

// A robot with its section.
typedef struct pb_identification {
  char *path, *name; // of the file; of its results
  char sha256[65];   // of the file and the robot's file
  pb_robot robot;
  bool given;       // whether the file has the section
  bool robot_alone; // the file is a robot's, not a problem
  pb_identify set;
  const struct pb_node *tree; // sections of the file; NULL: a robot's file alone
  const struct pb_source *sources;
  struct pb_warnings warnings;
  struct pb_chunk *memory; // owns all arrays and texts above
} pb_identification;

// Read the robot and `identify:` of a problem file, or a robot's file with default settings. Other
// sections are not read. replace [n]: values replaced in the file. Returns DM_OK; or DM_BAD_INPUT,
// DM_IO or DM_NO_MEMORY with a sentence and *out NULL.
dm_status pb_identification_read(pb_identification **out, const char *path,
                                 const pb_replace *replace, int n, dm_message *msg);
void pb_identification_free(pb_identification *x); // NULL is accepted

DM_END_C
#endif

// problems/readers/task/read_phases.h: `phases:`, the parts of a motion one after another, each read as
// a problem of its own: the file with that phase's sections in place of its own.
#ifndef PB_TASK_READ_PHASES_H
#define PB_TASK_READ_PHASES_H
#include "optim/transcription/join.h"
#include "problems/readers/task/feedback.h"
#include "problems/readers/task/sections.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_phase_keys[]; // of one phase, beside the sections of a file

// Where the file has `phases` and `phase` names one, make its tree that phase's: sections of the phase
// stand in place of the file's, of a section that is a mapping in both key by key; the file's start
// is the first phase's, its goal, feedback.hold and verify.tolerance the last one's, and what `start`
// leaves out elsewhere is free.
// `phases`, `phase` and `total_time` are gone then. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_phases_choose(pb_reader *r, const pb_node *tree);

// The names of a list of phases, at least one, every name once and one that a folder can have.
dm_status pb_phases_names(const pb_reader *r, const pb_node *phases, const char ***out);

// What is not for a file with phases, in the file itself.
dm_status pb_phases_check(const pb_reader *r, const pb_node *root, const pb_sections *s);

// [low, high] of all phases together [s], or a number; NULL: no limit, *limited false.
dm_status pb_total_time_read(const pb_reader *r, const pb_node *node, bool *limited,
                             double range[2]);

// Refuse a total time that phases of given times do not have: task [n].
dm_status pb_total_time_check(const pb_reader *r, const pb_node *node, const double range[2], int n,
                              const oc_task *const *task);

// A phase as a join sees it.
typedef struct pb_joined {
  const oc_task *task;
  const pb_robot *robot;
  const pb_feedback *feedback;
} pb_joined;

// Refuse a cost that is divided: task [n].
dm_status pb_phases_check_costs(pb_reader *r, const pb_node *root, const pb_node *phases,
                                const oc_task *const *task);

// Refuse phases whose samples are not the same ones, as those that go from phase to phase are.
dm_status pb_phases_check_samples(const pb_reader *r, const pb_node *phases, int n,
                                  const pb_verification *const *of);

// The join of a phase with the one before it, arrays in the arena, and what gains take across it;
// phase: its mapping.
dm_status pb_join_read(pb_reader *r, const pb_node *phase, const pb_joined *before,
                       const pb_joined *after, oc_join *out, pb_carry *carry);
#endif

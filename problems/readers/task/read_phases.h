// problems/readers/task/read_phases.h: read `phases:`, the consecutive parts of a motion, each read
// as a separate problem: the file with the sections of that phase replacing its own.
#ifndef PB_TASK_READ_PHASES_H
#define PB_TASK_READ_PHASES_H
#include "problems/readers/task/sections.h"
#include "problems/readers/task/verification.h"

extern const pb_key pb_phase_keys[]; // keys of one phase, in addition to the sections of a file

// If the file has `phases` and `phase` names one of them, transform its tree into that phase's.
// Sections of the phase replace those of the file; if a section is a mapping in both, it is merged
// key by key. The file's start belongs to the first phase; its goal, feedback.hold and
// verify.tolerance belong to the last one; entries missing in the `start` of later phases are free.
// Removes `phases`, `phase` and `total_time`. Returns DM_OK, DM_NO_MEMORY or DM_BAD_INPUT.
dm_status pb_phases_choose(pb_reader *r, const pb_node *tree);

// The names in a list of phases: at least one, unique, and valid as folder names.
//   place  out: [n] line and column of each phase's join, or of the phase; or NULL
dm_status pb_phases_names(const pb_reader *r, const pb_node *phases, const char ***out,
                          const int (**place)[2]);

// Refuse sections that a file with phases may not have at the top level.
dm_status pb_phases_check(const pb_reader *r, const pb_node *root, const pb_sections *s);

// Read [low, high] of the total time [s], or a number; NULL: no limit, *limited false.
dm_status pb_total_time_read(const pb_reader *r, const pb_node *node, bool *limited,
                             double range[2]);

// Refuse a total time that is impossible for the times of the phases, task [n].
dm_status pb_total_time_check(const pb_reader *r, const pb_node *node, const double range[2], int n,
                              const oc_task *const *task);

// Refuse a cost that is divided by time or travel; task [n].
dm_status pb_phases_check_costs(pb_reader *r, const pb_node *root, const pb_node *phases,
                                const oc_task *const *task);

// Refuse phases with different samples, because samples continue from phase to phase.
dm_status pb_phases_check_samples(const pb_reader *r, const pb_node *phases, int n,
                                  const pb_verification *const *of);
#endif

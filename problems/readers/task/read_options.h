// problems/readers/task/read_options.h: read `solver:`, `starts:` and `contact:`, whose keys are rows of
// OC_OPTIONS.
#ifndef PB_TASK_READ_OPTIONS_H
#define PB_TASK_READ_OPTIONS_H
#include "optim/nlp/options.h"
#include "problems/readers/format/schema.h"

extern const pb_key pb_solver_keys[], pb_starts_keys[], pb_schedule_keys[];

// Read `solver:` into options at their defaults; NULL: not given. Texts are in the arena. Refuses
// keys that the method does not read; if the command line chose the method, warns. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_solver_read(pb_reader *r, const pb_node *node, oc_options *options);

// Read `starts:`, which is auto, a number or a section; NULL: not given. The same.
dm_status pb_starts_read(const pb_reader *r, const pb_node *node, oc_options *options);

// Read `contact:`; NULL: not given.
//   schedule  out: the node of a schedule's file; NULL: it is searched for
dm_status pb_contact_section_read(const pb_reader *r, const pb_node *node, oc_options *options,
                                  const pb_node **schedule);
#endif

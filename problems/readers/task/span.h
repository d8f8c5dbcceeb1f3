// problems/readers/task/span.h: when something of a task applies: `at` a time, or `from` one `to` another, each in
// seconds, as a share of the horizon, or by the number of a knot of the file's grid.
#ifndef PB_TASK_SPAN_H
#define PB_TASK_SPAN_H
#include "optim/task/task.h"
#include "problems/readers/format/schema.h"

// The rows of these keys in the table of a section, a struct with the nodes at, from, to.
#define PB_SPAN_KEYS(section)                                                                      \
  PB_KEY(section, at, .type = PB_NODE, .also = "time t when knot", .unit = "s",                    \
         .words = "time, share as '60 %', or 'knot 30'",                                           \
         .about = "Time, share of the horizon, or knot at which it applies; dmoc takes the "       \
                  "nearest knot and warns if none is there"),                                      \
      PB_KEY(section, from, .type = PB_NODE, .also = "begin start", .unit = "s",                   \
             .note = "the start", .words = "time, share, or knot",                                 \
             .about = "Instead of `at`: it applies from this time"),                               \
      PB_KEY(section, to, .type = PB_NODE, .also = "until end", .unit = "s", .note = "the goal",   \
             .words = "time, share, or knot", .about = "Up to this time")

// Read them, as shares of the horizon; without all three it is the whole horizon. Warns about a time without a knot,
// which applies at the nearest. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_span_read(pb_reader *r, const oc_task *task, const char *path, const pb_node *at,
                       const pb_node *from, const pb_node *to, oc_span *out);
#endif

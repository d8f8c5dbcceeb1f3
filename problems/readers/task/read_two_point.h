// problems/readers/task/read_two_point.h: a study of where steps meet constraints
// (lib/studies/two_point.h):
//
//   simulate: {constraints: {points: two}}   between knots instead of at them
//   simulate: {start: {next: ...}}           a start from two configurations, q0 and q1
#ifndef PB_TASK_READ_TWO_POINT_H
#define PB_TASK_READ_TWO_POINT_H
#include "problems/readers/task/sections.h"
#include "problems/readers/task/simulation.h"

typedef struct pb_two_point_section {
  const char *points;
  const pb_node *first;
} pb_two_point_section;

extern const pb_key pb_two_point_keys[];

// Read what is said of it, but for next.
//   simulate   the section's node; own: what its `constraints` says
//   c          robot and task's system; the rows' names are in r
// Where constraints are met between knots a warning says that it is not for use. Returns DM_OK,
// DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_two_point_read(pb_reader *r, const pb_node *simulate, const pb_two_point_section *own,
                            const pb_context *c, pb_two_point *out);

// Set x->points.next to the second configuration and x->v to (next - q)/h, which leads there; does
// nothing where the start has none.
//   next   [n] as read, NAN: that of q                      m or rad
//   x      its q and h are there
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT where next breaks the constraints at knots.
dm_status pb_two_point_next(pb_reader *r, const pb_node *simulate, const double *next,
                            const pb_context *c, pb_simulation *x);
#endif

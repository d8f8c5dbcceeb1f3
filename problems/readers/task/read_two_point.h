// problems/readers/task/read_two_point.h: read a study of where in a step constraints are satisfied
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

// Read the study, except next.
//   simulate   the section's node; own: its `constraints`
//   c          robot and task's system; names of rows are in r
// For constraints between knots, warns that this is not for practical use. Returns DM_OK,
// DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_two_point_read(pb_reader *r, const pb_node *simulate, const pb_two_point_section *own,
                            const pb_context *c, pb_two_point *out);

// Find the start of constraints between knots (lib/studies/two_point_start.h) if it is sought: sets x->q, x->points.next,
// x->points.first and x->v. x: with inputs. Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT if the search fails.
dm_status pb_two_point_find(pb_reader *r, const pb_node *simulate, const pb_context *c,
                            pb_simulation *x);

// Set x->points.next to the second configuration and x->v to (next - q)/h, which leads to it; does
// nothing if the start has no next.
//   next   [n] as read, NAN: as q                      m or rad
//   x      q and h must be set
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT if next violates constraints at knots.
dm_status pb_two_point_next(pb_reader *r, const pb_node *simulate, const double *next,
                            const pb_context *c, pb_simulation *x);
#endif

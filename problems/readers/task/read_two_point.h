// problems/readers/task/read_two_point.h: `simulate: {constraints: {points: two}}`, where constraints
// are held, and `simulate: {start: {next: ...}}`, a start from two configurations: a study
// (lib/studies/two_point.h).
#ifndef PB_TASK_READ_TWO_POINT_H
#define PB_TASK_READ_TWO_POINT_H
#include "problems/readers/task/sections.h"
#include "problems/readers/task/simulation.h"

typedef struct pb_two_point_section {
  const char *points;
  const pb_node *first;
} pb_two_point_section;

extern const pb_key pb_two_point_keys[];

// What is said of it, but for next. simulate: the section's node, own: what its `constraints` says.
// The robot, rows' names and the task's system are there. Where constraints are held between knots,
// a warning says that it is not for use. Returns DM_OK, DM_BAD_INPUT or DM_NO_MEMORY.
dm_status pb_two_point_read(pb_reader *r, const pb_node *simulate, const pb_two_point_section *own,
                            const pb_context *c, pb_two_point *out);

// The second configuration (next [n] as read, NAN: that of q), and the velocity that leads there,
// into x->points.next and x->v; x->q and x->h are there. Nothing, where the start has none.
dm_status pb_two_point_next(pb_reader *r, const pb_node *simulate, const double *next,
                            const pb_context *c, pb_simulation *x);
#endif

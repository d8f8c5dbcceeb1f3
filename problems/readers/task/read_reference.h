// problems/readers/task/read_reference.h: read the reference of a running cost, `cost: {reference:
// ...}`.
#ifndef PB_TASK_READ_REFERENCE_H
#define PB_TASK_READ_REFERENCE_H
#include "problems/readers/format/schema.h"

extern const pb_key pb_reference_keys[];

typedef struct pb_reference {
  const double *q, *v, *p; // [(N+1) x n] NULL: zero
  const double *u;         // [N x nu]    NULL: zero
} pb_reference;

// Read a reference on a grid of N steps over the time T; a NULL node is zero.
dm_status pb_reference_read(pb_reader *r, const pb_node *node, int N, double T, pb_reference *out);

// The first knot at or after a change, given by its time `at` [s] or by the share `fraction` of the
// horizon; the other one is NAN. If both or none are given, or the change is beyond the horizon,
// refuse the node; path: its path.
dm_status pb_reference_change(const pb_reader *r, const char *path, const pb_node *node, double at,
                              double fraction, int N, double T, int *knot);

// The times k T/N, k = 0..N, in the arena; NULL if out of memory.
double *pb_grid(const pb_reader *r, int N, double T);
#endif

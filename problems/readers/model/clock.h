// problems/readers/model/clock.h: the time in formulas of model.forces. The equations of a step do not depend on time, so
// that the reader adds the coordinate `clock`: a free mass of 1 kg (as the rotor of a massless body) that starts at 0 with
// 1 m/s, and on which nothing acts. Then q.clock = t in every step of every rule, also with a free final time.
#ifndef PB_MODEL_CLOCK_H
#define PB_MODEL_CLOCK_H
#include "problems/readers/model/tree_builder.h"

// Append the clock for a force with the time `t`, as the reader of its formula has found it; r->clock is then its name.
// Returns DM_OK, DM_NO_MEMORY, or DM_BAD_INPUT for a robot that has a `clock`, and beside phases, which begin at other times.
dm_status pb_clock_add(pb_tree *t, const pb_node *timed);

// Set the clock's value and velocity in a state at time 0, of a section at a path: copies of q and v [r->n] with 0 and 1.
// Refuses other values in the section. Does nothing without a clock.
dm_status pb_clock_start(const pb_reader *r, const char *path, const pb_node *start,
                         const double **q, const double **v);

// Refuse an entry of the clock other than 0 in numbers x [r->n] (NULL: none) of a key of a section at a path.
dm_status pb_clock_leave(const pb_reader *r, const char *path, const pb_node *section,
                         const char *key, const double *x);

// Free the clock's value and velocity in a later state.
dm_status pb_clock_free(const pb_reader *r, const double **q, const double **v);

// Is coordinate i the clock?
bool pb_clock_is(const pb_reader *r, int i);

// Refuse a section that cannot be with forces that depend on time; NULL: nothing to refuse.
dm_status pb_clock_refuse(const pb_reader *r, const pb_node *node, const char *path);
#endif

// optim/program/join_repeats.h: conditions after a join that hold because of conditions before it, such as a
// constraint that continues, or the height of a foot that has touched. Rows that repeat others have no unique
// multipliers, so that one of both is left out.
//
// Two functions are the same if they agree at states that the join relates and that have no symmetry.
#ifndef OC_PROGRAM_JOIN_REPEATS_H
#define OC_PROGRAM_JOIN_REPEATS_H
#include "optim/program/join_rows.h"

DM_BEGIN_C

// Is constraint c of the phase after also one of the phase before?
bool oc_join_keeps(const oc_join_rows *w, int c);

// Does constraint c of the phase after contradict one of the phase before: are they the same function except
// an offset, which the ranges of the pairs do not contain? A foot that stays in place allows no travel.
bool oc_join_breaks(const oc_join_rows *w, int c, double *offset);

// Is constraint c of the phase after output y of the phase before minus a value, or the negative of that? Then
// it holds at the start because the output has this value at the end: a touch.
bool oc_join_touches(const oc_join_rows *w, int c, int y, double value);

// The output of the phase before that is output y of the phase after, by its name and values. If y depends on
// velocities, the law must be OC_JOIN_VELOCITY. -1: none.
int oc_join_find_output(const oc_join_rows *w, int y);

DM_END_C
#endif

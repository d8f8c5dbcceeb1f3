// optim/interior/stage_front.h: the small dense matrix of one stage, and the elimination of what the
// stage completes.
//
// As long as the pivots are those of the last time, a panel of a few rows is brought up to date when
// its turn comes, from the rows of L and of D L' before it that meet it (front_pattern.h):
// F_i -= sum_q L_qi F_q. What L then has says whether they were large enough; where one was not the
// front is made once more, and pivots are searched for. All of it stands in front_lanes.c, for each
// width of vectors; the processor is asked when it runs.
#ifndef OC_INTERIOR_STAGE_FRONT_H
#define OC_INTERIOR_STAGE_FRONT_H
#include "optim/interior/front_lanes.h"

// Zero all rows.
void oc_stage_front_clear(const oc_stage_front *w);

// Eliminate its own rows by the pivots of the last time, where they stand now, and bring the later
// rows up to date.
//   last   the order of each, as in oc_front_factor                    [own - begin]
//   meets  which of them meet which rows (front_pattern.h)
//   out    in: its arrays; out: what they get
// Returns false where one of them is below 1e-5 of its column: F is then lost.
bool oc_stage_front_repeat(const oc_stage_front *w, const int *last, const unsigned short *meets,
                           oc_front_factor *out);

// Eliminate its own rows by pivots that are searched for, and bring the later rows up to date. Rows
// change their places; at most `room` are left for want of a strong pivot, and where that is 0 those
// that are zero.
//   all  scratch, 0, 1, .. from its second number on                     [1 + own - begin]
void oc_stage_front_search(const oc_stage_front *w, int room, unsigned short *all,
                           oc_front_factor *out);

// Take the stage's part of L y = x, and of D L' x = y. w [width] begins at the group of begin, `lead`
// before it, and sum [pivots] is scratch.
void oc_stage_front_forward(const oc_front_factor *f, int lead, int width, double *w);
void oc_stage_front_backward(const oc_front_factor *f, int lead, int width, double *w, double *sum);
#endif

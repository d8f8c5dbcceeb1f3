// optim/interior/stage_front.h: the front of a stage, a small dense matrix, and the elimination of
// the stage's own unknowns.
//
// While the pivots of the previous factorization are reused, panels of a few rows are updated one
// after the other by the previous rows of L and D L' that affect them (front_pattern.h): F_i -=
// sum_q L_qi F_q. The resulting L shows whether the pivots were large enough; if not, the front is
// assembled again and pivots are searched for. front_lanes.c implements this for each vector width;
// the processor is detected at run time.
#ifndef OC_INTERIOR_STAGE_FRONT_H
#define OC_INTERIOR_STAGE_FRONT_H
#include "optim/interior/front_lanes.h"

// Clear all rows.
void oc_stage_front_clear(const oc_stage_front *w);

// Eliminate the own rows with the previous pivots, in place, and update the later rows.
//   last   the order of each, as in oc_front_factor                    [own - begin]
//   meets  pivots that affect each row (front_pattern.h)
//   out    in: its arrays; out: their values
// Returns false if a pivot is below 1e-5 of its column; F is then invalid.
bool oc_stage_front_repeat(const oc_stage_front *w, const int *last, const unsigned short *meets,
                           oc_front_factor *out);

// Eliminate the own rows with searched pivots, and update the later rows. Permutes rows; at most
// `room` rows are left without a strong pivot, and if room is 0, only zero rows.
//   all  scratch, 0, 1, .. from its second entry                         [1 + own - begin]
void oc_stage_front_search(const oc_stage_front *w, int room, unsigned short *all,
                           oc_front_factor *out);

// The stage's part of solving L y = x, and D L' x = y. w [width] starts at the group of begin,
// `lead` before it; sum [pivots] is scratch.
void oc_stage_front_forward(const oc_front_factor *f, int lead, int width, double *w);
void oc_stage_front_backward(const oc_front_factor *f, int lead, int width, double *w, double *sum);
#endif

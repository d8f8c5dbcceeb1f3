// optim/interior/stage_front.h: the small dense matrix of one stage, and the elimination of what the
// stage completes.
//
// As long as the pivots are those of the last time, a panel of a few rows is brought up to date when
// its turn comes, from the rows of L and of D L' before it that meet it (front_pattern.h):
// F_i -= sum_q L_qi F_q. What L then has says whether they were large enough; where one was not the front is made once more, and pivots
// are searched for.
#ifndef OC_INTERIOR_STAGE_FRONT_H
#define OC_INTERIOR_STAGE_FRONT_H
#include <stdbool.h>

enum { OC_FRONT_LANES = 8 }; // entries that go through a loop together

// Rows begin..own are to be eliminated, rows own..end come later. What is below the diagonal counts
// for nothing. A row's numbers begin and end with whole lanes; those beside begin and end are zero.
typedef struct oc_stage_front {
  double *F;
  int row; // distance of two rows
  int begin, own, end;
  int *id;              // of its rows, from begin on
  unsigned short *some; // scratch [own - begin]
} oc_stage_front;

// What an elimination puts out, pivot by pivot.
typedef struct oc_front_factor {
  int *order; // 1 or 2, 0 of a pair's second row                       [own - begin]
  double *D;  // inverse: 1/d, or 11, 21 and 22                         [2 (own - begin)]
  double *L;  // rows of L' from the lane of begin on; zero in the pivot's lanes up to it, those
              // before them are not written
  int pivots; // rows that were eliminated
  int negative;
} oc_front_factor;

// The room of a row of L, and the column at which it begins.
static inline int oc_front_lead(const oc_stage_front *w) {
  return w->begin & ~(OC_FRONT_LANES - 1);
}
static inline int oc_front_width(const oc_stage_front *w) {
  return ((w->end + OC_FRONT_LANES - 1) & ~(OC_FRONT_LANES - 1)) - oc_front_lead(w);
}

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

// Take the stage's part of L y = x, and of D L' x = y. w [width] begins at the lane of begin, `lead`
// before it, and sum [pivots] is scratch.
void oc_stage_front_forward(const oc_front_factor *f, int lead, int width, double *w);
void oc_stage_front_backward(const oc_front_factor *f, int lead, int width, double *w, double *sum);
#endif

// optim/interior/front_lanes.h: the front of a stage, a small dense matrix, and the elimination of
// its rows (stage_front.h), one kernel for each vector width. Not a public header.
#ifndef OC_INTERIOR_FRONT_LANES_H
#define OC_INTERIOR_FRONT_LANES_H
#include <stdbool.h>

enum { OC_FRONT_GROUP = 8 }; // entries of a row processed together in loops

// Rows begin..own are eliminated, rows own..end come later. Entries below the diagonal are ignored.
// The storage of a row consists of whole groups; entries outside begin..end are zero.
typedef struct oc_stage_front {
  double *F;
  int row; // distance between rows
  int begin, own, end;
  int *id;              // of its rows, starting at begin
  unsigned short *some; // scratch [own - begin]
} oc_stage_front;

// Output of an elimination, for each pivot.
typedef struct oc_front_factor {
  int *order; // 1 or 2, 0 for the second row of a pair                        [own - begin]
  double *D;  // inverse: 1/d, or 11, 21 and 22                                [2 (own - begin)]
  double *L;  // rows of L' from the group of begin; zero in the pivot's group up to the pivot, not
              // written before that
  int pivots; // number of eliminated rows
  int negative;
} oc_front_factor;

// The row length of L, and the column at which it starts.
static inline int oc_front_lead(const oc_stage_front *w) {
  return w->begin & ~(OC_FRONT_GROUP - 1);
}
static inline int oc_front_width(const oc_stage_front *w) {
  return ((w->end + OC_FRONT_GROUP - 1) & ~(OC_FRONT_GROUP - 1)) - oc_front_lead(w);
}

// Implementations of oc_stage_front_clear, _repeat, _search, _forward and _backward.
typedef struct oc_front_kernel {
  void (*clear)(const oc_stage_front *w);
  bool (*repeat)(const oc_stage_front *w, const int *last, const unsigned short *meets,
                 oc_front_factor *out);
  void (*search)(const oc_stage_front *w, int room, unsigned short *all, oc_front_factor *out);
  void (*forward)(const oc_front_factor *f, int lead, int width, double *w);
  void (*backward)(const oc_front_factor *f, int lead, int width, double *w, double *sum);
} oc_front_kernel;

// For any processor, and for those with wider registers.
extern const oc_front_kernel oc_front_plain;
#ifdef DM_X86_LANES
extern const oc_front_kernel oc_front_avx2, oc_front_avx512;
#endif
#endif

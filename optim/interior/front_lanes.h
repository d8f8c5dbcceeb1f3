// optim/interior/front_lanes.h: the small dense matrix of one stage, its front, and the elimination
// of its rows (stage_front.h) for one vector width each. Not a public header.
#ifndef OC_INTERIOR_FRONT_LANES_H
#define OC_INTERIOR_FRONT_LANES_H
#include <stdbool.h>

enum { OC_FRONT_GROUP = 8 }; // entries of a row that go through a loop together

// Rows begin..own are to be eliminated, rows own..end come later. What is below the diagonal counts
// for nothing. A row's numbers begin and end with whole groups; those beside begin and end are zero.
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
  double *L;  // rows of L' from the group of begin on; zero in the pivot's group up to it, those
              // before them are not written
  int pivots; // rows that were eliminated
  int negative;
} oc_front_factor;

// The room of a row of L, and the column at which it begins.
static inline int oc_front_lead(const oc_stage_front *w) {
  return w->begin & ~(OC_FRONT_GROUP - 1);
}
static inline int oc_front_width(const oc_stage_front *w) {
  return ((w->end + OC_FRONT_GROUP - 1) & ~(OC_FRONT_GROUP - 1)) - oc_front_lead(w);
}

// What oc_stage_front_clear, _repeat, _search, _forward and _backward do.
typedef struct oc_front_kernel {
  void (*clear)(const oc_stage_front *w);
  bool (*repeat)(const oc_stage_front *w, const int *last, const unsigned short *meets,
                 oc_front_factor *out);
  void (*search)(const oc_stage_front *w, int room, unsigned short *all, oc_front_factor *out);
  void (*forward)(const oc_front_factor *f, int lead, int width, double *w);
  void (*backward)(const oc_front_factor *f, int lead, int width, double *w, double *sum);
} oc_front_kernel;

// For any processor, and where it has the registers.
extern const oc_front_kernel oc_front_plain;
#ifdef DM_X86_LANES
extern const oc_front_kernel oc_front_avx2, oc_front_avx512;
#endif
#endif

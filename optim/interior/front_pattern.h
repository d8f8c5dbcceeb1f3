// optim/interior/front_pattern.h: symbolic factorization of a stage: finds from the positions of
// its entries which pivots of a front affect which rows, once for constant pivots.
//
// A row of the pattern is a set of columns, one bit each. A pivot adds its columns to those of each
// row that it affects.
#ifndef OC_INTERIOR_FRONT_PATTERN_H
#define OC_INTERIOR_FRONT_PATTERN_H
#include <stdint.h>

enum { OC_FRONT_PANEL = 4 }; // rows that are updated together

typedef struct oc_front_pattern {
  int own, all;   // eliminated rows; all rows
  int words;      // per row
  uint64_t *bits; // [own x words] entries to the right of the diagonal
} oc_front_pattern;

// The number of words of a row with the given number of columns.
static inline int oc_front_pattern_words(int columns) {
  return (columns + 63) / 64;
}

// The largest number of integers that oc_front_pattern_list writes.
static inline double oc_front_pattern_room(double own, double all) {
  return own + all + own * (own - 1) / 2 + own * (all - own);
}

// The number of rows of the panel that starts with row i: a few, either all own or all later,
// without splitting a pair.
//   order  [own] of each pivot: 1 or 2, 0 for the second row of a pair
static inline int oc_front_panel(int own, int all, const int *order, int i) {
  const int left = (i < own ? own : all) - i;
  if (left <= OC_FRONT_PANEL) return left;
  const int next = i + OC_FRONT_PANEL;
  return next < own && order[next] == 0 ? OC_FRONT_PANEL - 1 : OC_FRONT_PANEL;
}

// Remove all entries.
void oc_front_pattern_clear(oc_front_pattern *p);
// Add an entry if row i is eliminated, i <= j.
void oc_front_pattern_put(oc_front_pattern *p, int i, int j);
// Add the fill-in of the pivots.
void oc_front_pattern_fill(oc_front_pattern *p, const int *order);
// For each panel, write the number of previous pivots that affect one of its rows, and their
// indices; then, for each pivot of the panel, the same for the pivots in between: the nonzeros of
// L'.
void oc_front_pattern_list(const oc_front_pattern *p, const int *order, unsigned short *list);
#endif

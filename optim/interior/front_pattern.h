// optim/interior/front_pattern.h: which pivots of a front meet which of its rows, from the places of
// its entries alone: the symbolic factorization of a stage, found once for pivots that are kept.
//
// A row of the pattern is a set of columns, a bit each. A pivot adds its columns to those of each
// row that it meets.
#ifndef OC_INTERIOR_FRONT_PATTERN_H
#define OC_INTERIOR_FRONT_PATTERN_H
#include <stdint.h>

enum { OC_FRONT_PANEL = 4 }; // rows that are brought up to date together

typedef struct oc_front_pattern {
  int own, all;   // rows that are eliminated; all rows
  int words;      // of a row
  uint64_t *bits; // [own x words] entries right of the diagonal
} oc_front_pattern;

// The words of a row of so many columns.
static inline int oc_front_pattern_words(int columns) {
  return (columns + 63) / 64;
}

// The most numbers that oc_front_pattern_list writes.
static inline double oc_front_pattern_room(double own, double all) {
  return own + all + own * (own - 1) / 2 + own * (all - own);
}

// The rows of the panel that begins with row i: a few, of one kind, without half a pair.
//   order  [own] of each pivot: 1 or 2, 0 of a pair's second row
static inline int oc_front_panel(int own, int all, const int *order, int i) {
  const int left = (i < own ? own : all) - i;
  if (left <= OC_FRONT_PANEL) return left;
  const int next = i + OC_FRONT_PANEL;
  return next < own && order[next] == 0 ? OC_FRONT_PANEL - 1 : OC_FRONT_PANEL;
}

// Take all entries out.
void oc_front_pattern_clear(oc_front_pattern *p);
// Put an entry where it belongs to a row that is eliminated, i <= j.
void oc_front_pattern_put(oc_front_pattern *p, int i, int j);
// Add what pivots fill in.
void oc_front_pattern_fill(oc_front_pattern *p, const int *order);
// Write panel by panel how many pivots before it meet one of its rows, then which; behind that, for
// each pivot of the panel, the same of those between: where L' has entries that are not zero.
void oc_front_pattern_list(const oc_front_pattern *p, const int *order, unsigned short *list);
#endif

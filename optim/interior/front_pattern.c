#include "optim/interior/front_pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static uint64_t *pattern_row(const oc_front_pattern *p, int i) {
  return p->bits + (size_t)i * (size_t)p->words;
}

static int has_column(const uint64_t *row, int j) {
  return (int)(row[j / 64] >> (j % 64) & 1);
}

void oc_front_pattern_clear(oc_front_pattern *p) {
  memset(p->bits, 0, (size_t)p->own * (size_t)p->words * sizeof *p->bits);
}

void oc_front_pattern_put(oc_front_pattern *p, int i, int j) {
  if (i < p->own && j > i) pattern_row(p, i)[j / 64] |= (uint64_t)1 << (j % 64);
}

static void unite_rows(int words, uint64_t *to, const uint64_t *from) {
  for (int i = 0; i < words; i++) to[i] |= from[i];
}

void oc_front_pattern_fill(oc_front_pattern *p, const int *order) {
  for (int k = 0; k < p->own; k += order[k]) {
    uint64_t *K = pattern_row(p, k);
    // D^-1 combines the rows of a pair
    if (order[k] == 2) {
      unite_rows(p->words, K, pattern_row(p, k + 1));
      unite_rows(p->words, pattern_row(p, k + 1), K);
    }

    // entries left of the diagonal are never read
    for (int i = k + order[k]; i < p->own; i++)
      if (has_column(K, i)) unite_rows(p->words, pattern_row(p, i), K);
  }
}

// pivots from..to that affect one of the rows from row i; returns the end of the list
static unsigned short *list_meetings(const oc_front_pattern *p, int from, int to, int i, int rows,
                                     unsigned short *list) {
  unsigned short *count = list++;
  for (int k = from; k < to; k++) {
    // the panel may extend into the next word
    const uint64_t *row = pattern_row(p, k);
    const int shift = i % 64;
    uint64_t bits = row[i / 64] >> shift;
    if (shift + rows > 64) bits |= row[i / 64 + 1] << (64 - shift);
    if ((bits & (((uint64_t)1 << rows) - 1)) != 0) *list++ = (unsigned short)k;
  }
  *count = (unsigned short)(list - count - 1);
  return list;
}

void oc_front_pattern_list(const oc_front_pattern *p, const int *order, unsigned short *list) {
  for (int i = 0, rows; i < p->all; i += rows) {
    rows = oc_front_panel(p->own, p->all, order, i);
    list = list_meetings(p, 0, i < p->own ? i : p->own, i, rows, list);
    for (int k = i; k < i + rows && i < p->own; k += order[k])
      list = list_meetings(p, i, k, k, order[k], list);
  }
}

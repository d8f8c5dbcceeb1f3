#include "lib/contact/row_set.h"

#include "lib/base/block.h"

#include <math.h>

// rows without values
static void lay_out_columns(dm_sparse_rows *x, dm_block *b, size_t most, size_t entries) {
  x->start = dm_block_alloc(b, most + 1, sizeof *x->start);
  x->col = dm_block_alloc(b, entries, sizeof *x->col);
}

static void lay_out_row_set(void *self, dm_block *b) {
  dm_row_set *w = self;
  const size_t n = (size_t)w->n, most = (size_t)w->most, words = (size_t)w->words;
  uint64_t **patterns[] = {&w->bits, &w->pattern, &w->fill};
  int **lists[] = {&w->place, &w->row, &w->degree};
  for (int i = 0; i < 3; i++) *patterns[i] = dm_block_alloc(b, most * words, sizeof(uint64_t));
  for (int i = 0; i < 3; i++) *lists[i] = dm_block_alloc(b, most, sizeof(int));
  w->first = dm_block_alloc(b, most + 1, sizeof *w->first);
  w->later = dm_block_alloc(b, most * most / 2, sizeof *w->later);
  w->dependent = dm_block_alloc(b, most, sizeof *w->dependent);
  w->S = dm_block_alloc(b, most * most, sizeof *w->S);
  w->diagonal = dm_block_alloc(b, most, sizeof *w->diagonal);
  w->x = dm_block_alloc(b, most, sizeof *w->x);
  lay_out_columns(&w->lastJ, b, most, most * n);
  lay_out_columns(&w->lastT, b, most, most * n);
  w->start = dm_block_alloc(b, n + 1, sizeof *w->start);
  w->list = dm_block_alloc(b, most * n, sizeof *w->list);
  w->entry = dm_block_alloc(b, most * n, sizeof *w->entry);
}

dm_status dm_row_set_new(dm_row_set **out, int n, int most) {
  dm_row_set sizes = {.n = n, .most = most, .words = (most + 63) / 64, .kept = -1};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_row_set);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_row_set_free(dm_row_set *w) {
  dm_block_free(w);
}

// -- pattern

static void set_bit(uint64_t *bits, int i) {
  bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static void clear_bit(uint64_t *bits, int i) {
  bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}

// position of the lowest bit of x, which is not zero
static int find_lowest_bit(uint64_t x) {
  int at = 0;
  for (int half = 32; half > 0; half /= 2) {
    if (x & (((uint64_t)1 << half) - 1)) continue;
    x >>= half;
    at += half;
  }
  return at;
}

static int count_bits(uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (int)((x * 0x0101010101010101u) >> 56);
}

// Whether the columns of x are those of the last rows, which become x.
static bool repeat_columns(dm_sparse_rows *last, const dm_sparse_rows *x) {
  const size_t starts = (size_t)(x->m + 1) * sizeof *x->start;
  const size_t cols = (size_t)x->start[x->m] * sizeof *x->col;
  if (last->m == x->m && memcmp(last->start, x->start, starts) == 0 &&
      memcmp(last->col, x->col, cols) == 0)
    return true;
  last->m = x->m;
  memcpy(last->start, x->start, starts);
  memcpy(last->col, x->col, cols);
  return false;
}

// the columns of T
static void transpose_rows(dm_row_set *w, const dm_sparse_rows *T) {
  int *at = w->start;
  memset(at, 0, (size_t)(w->n + 1) * sizeof *at);
  for (int e = 0; e < T->start[T->m]; e++) at[T->col[e] + 1]++;
  for (int j = 0; j < w->n; j++) at[j + 1] += at[j];
  for (int i = 0; i < T->m; i++)
    for (int e = T->start[i]; e < T->start[i + 1]; e++) {
      const int to = at[T->col[e]]++;
      w->list[to] = i;
      w->entry[to] = T->value[e];
    }
  for (int j = w->n; j > 0; j--) at[j] = at[j - 1];
  at[0] = 0;
}

// step 1: symmetric bits of the pairs of rows that meet
static void find_pattern(dm_row_set *w, const dm_sparse_rows *J) {
  const size_t words = (size_t)w->words;
  memset(w->bits, 0, (size_t)w->m * words * sizeof *w->bits);
  for (int i = 0; i < w->m; i++)
    for (int e = J->start[i]; e < J->start[i + 1]; e++)
      for (int k = w->start[J->col[e]]; k < w->start[J->col[e] + 1]; k++) {
        set_bit(w->bits + (size_t)i * words, w->list[k]);
        set_bit(w->bits + (size_t)w->list[k] * words, i);
      }
}

// -- order

// the remaining row of least degree, the last of several; equalities, the first `equal` rows, before
// the others
static int find_least_degree(const dm_row_set *w, int equal) {
  int best = -1;
  for (int i = 0; i < w->m; i++) {
    if (w->place[i] >= 0) continue;
    if (best >= 0 && best < equal && i >= equal) break;
    if (best < 0 || w->degree[i] <= w->degree[best]) best = i;
  }
  return best;
}

// Eliminate row i of the graph: its neighbours become neighbours of each other.
static void eliminate_row(dm_row_set *w, int i) {
  const size_t words = (size_t)w->words;
  const uint64_t *own = w->fill + (size_t)i * words;
  for (size_t k = 0; k < words; k++) {
    for (uint64_t left = own[k]; left; left &= left - 1) {
      const int j = 64 * (int)k + find_lowest_bit(left);
      uint64_t *other = w->fill + (size_t)j * words;
      if (j == i) continue;
      w->degree[j] = 0;
      for (size_t l = 0; l < words; l++) other[l] |= own[l];
      clear_bit(other, i);
      for (size_t l = 0; l < words; l++) w->degree[j] += count_bits(other[l]);
    }
  }
}

// step 2: w->place and w->row, and in w->first, w->later the rows that each pivot affects
static void choose_order(dm_row_set *w, int equal) {
  const size_t words = (size_t)w->words;
  memcpy(w->fill, w->bits, (size_t)w->m * words * sizeof *w->fill);
  for (int i = 0; i < w->m; i++) {
    w->place[i] = -1;
    w->degree[i] = 0;
    for (size_t l = 0; l < words; l++) w->degree[i] += count_bits(w->fill[(size_t)i * words + l]);
  }
  for (int k = 0; k < w->m; k++) {
    const int i = find_least_degree(w, equal);
    w->place[i] = k;
    w->row[k] = i;
    eliminate_row(w, i);
  }

  // the neighbours at the elimination of each row, by their positions
  int count = 0;
  for (int k = 0; k < w->m; k++) {
    const uint64_t *own = w->fill + (size_t)w->row[k] * words;
    w->first[k] = count;
    for (size_t l = 0; l < words; l++)
      for (uint64_t left = own[l]; left; left &= left - 1) {
        const int place = w->place[64 * (int)l + find_lowest_bit(left)];
        if (place > k) w->later[count++] = place;
      }
  }
  w->first[w->m] = count;
  memcpy(w->pattern, w->bits, (size_t)w->m * words * sizeof *w->bits);
  w->kept = w->m;
  w->kept_equal = equal;
}

// -- factors

// the entries of S, in the order of elimination
static void assemble(dm_row_set *w, const dm_sparse_rows *J) {
  const size_t most = (size_t)w->most;
  for (int k = 0; k < w->m; k++) {
    w->S[(size_t)k * (most + 1)] = 0;
    for (int e = w->first[k]; e < w->first[k + 1]; e++) {
      const size_t j = (size_t)w->later[e];
      w->S[(size_t)k * most + j] = w->S[j * most + (size_t)k] = 0;
    }
  }
  for (int i = 0; i < w->m; i++) {
    double *S = w->S + (size_t)w->place[i] * most;
    for (int e = J->start[i]; e < J->start[i + 1]; e++)
      for (int k = w->start[J->col[e]]; k < w->start[J->col[e] + 1]; k++)
        S[w->place[w->list[k]]] += J->value[e] * w->entry[k];
  }
}

dm_status dm_row_set_factor(dm_row_set *w, const dm_sparse_rows *J, const dm_sparse_rows *T,
                            int equal, double tol) {
  const size_t most = (size_t)w->most;
  w->m = w->rank = J->m;
  transpose_rows(w, T);
  const bool same_J = repeat_columns(&w->lastJ, J), same_T = repeat_columns(&w->lastT, T);
  const bool repeats = same_J && same_T;
  if (!repeats || w->kept != w->m || w->kept_equal != equal) {
    const size_t bytes = (size_t)w->m * (size_t)w->words * sizeof *w->bits;
    find_pattern(w, J);
    if (w->kept != w->m || w->kept_equal != equal || memcmp(w->bits, w->pattern, bytes) != 0)
      choose_order(w, equal);
  }
  assemble(w, J);
  for (int k = 0; k < w->m; k++) w->diagonal[k] = w->S[(size_t)k * (most + 1)];

  // right-looking: row and column k, then their product from all later ones
  for (int k = 0; k < w->m; k++) {
    const double *row = w->S + (size_t)k * most, pivot = row[k];
    const int *later = w->later + w->first[k], count = w->first[k + 1] - w->first[k];
    w->dependent[w->row[k]] = fabs(pivot) <= tol * fabs(w->diagonal[k]);
    if (!isfinite(pivot)) return DM_NOT_FINITE;
    if (w->dependent[w->row[k]]) w->rank--;
    if (w->dependent[w->row[k]]) continue;
    for (int a = 0; a < count; a++) {
      double *to = w->S + (size_t)later[a] * most;
      const double l = to[k] /= pivot;
      for (int b = 0; b < count; b++) to[later[b]] -= l * row[later[b]];
    }
  }
  return DM_OK;
}

void dm_row_set_solve(dm_row_set *w, double *x) {
  const size_t most = (size_t)w->most;
  for (int k = 0; k < w->m; k++) w->x[k] = x[w->row[k]];

  // forward with L, then backward with U
  for (int k = 0; k < w->m; k++) {
    if (w->dependent[w->row[k]]) continue;
    for (int e = w->first[k]; e < w->first[k + 1]; e++)
      w->x[w->later[e]] -= w->S[(size_t)w->later[e] * most + (size_t)k] * w->x[k];
  }
  for (int k = w->m - 1; k >= 0; k--) {
    const double *row = w->S + (size_t)k * most;
    if (w->dependent[w->row[k]]) {
      w->x[k] = 0;
      continue;
    }
    for (int e = w->first[k]; e < w->first[k + 1]; e++)
      w->x[k] -= row[w->later[e]] * w->x[w->later[e]];
    w->x[k] *= 1 / row[k];
  }
  for (int k = 0; k < w->m; k++) x[w->row[k]] = w->x[k];
}

// Compiled once for each vector width; optim/meson.build sets LANES, KERNEL and the processor's
// options. The arithmetic of an entry does not depend on the width, so results are equal.
#include "optim/interior/front_lanes.h"

#include "optim/interior/front_pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

// entries processed together are a whole number of vectors
enum { GROUP = OC_FRONT_GROUP, VECTORS = GROUP / LANES, LONG = 8 * GROUP };

// a vector at any position of a row, and integers of the same size
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef long long_lanes __attribute__((vector_size(8 * LANES)));
#define LANES_AT(x)       (*(lanes *)(x))
#define CONST_LANES_AT(x) (*(const lanes *)(x))
#define ABS_LANES(x)      ((lanes)((long_lanes)(x)&0x7fffffffffffffff))

// ratio of a pivot to its column: searched first; accepted before a row is delayed; if too many are
// delayed; at the end
enum { STRONG = 2, RATIOS = 4, REPEATED = 1 };
static const double RATIO[RATIOS] = {0.1, 1e-5, 1e-8, 0};

// a row with few entries, as for inputs and limits, causes little fill-in: eliminate it first, with
// a weaker pivot
enum { FEW = 4 };
static const double RATIO_OF_FEW = 1e-4;

static double *front_row(const oc_stage_front *w, int i) {
  return w->F + (size_t)i * (size_t)w->row;
}

static int group_of(int j) {
  return j & ~(GROUP - 1);
}

// end of the last group
static int groups_end(const oc_stage_front *w) {
  return group_of(w->end + GROUP - 1);
}

// from the diagonal's group; earlier entries are never read
static void clear_front(const oc_stage_front *w) {
  for (int i = w->begin; i < w->end; i++) {
    double *row = front_row(w, i);
    for (int j = group_of(i); j < groups_end(w); j += LANES) LANES_AT(row + j) = (lanes){0};
  }
}

// -- pivots

// returns true if an element is negative
INLINE bool is_any_negative(const long_lanes *x) {
  long any = 0;
  for (int l = 0; l < LANES; l++) any |= (*x)[l];
  return any < 0;
}

// returns true if all |x_j| <= limit
INLINE bool is_row_within(double *x, double limit, int from, int to) {
  long_lanes larger = {0};
  bool within = true;
  int j = from;
  for (; j % LANES != 0 && j < to; j++) within &= fabs(x[j]) <= limit;
  for (; j < to; j += LANES) larger |= ~(ABS_LANES(LANES_AT(x + j)) <= limit);
  return within && !is_any_negative(&larger);
}

// returns true if all a |x_j| + b |y_j| and b |x_j| + c |y_j| <= limit
INLINE bool are_rows_within(double *x, double *y, double a, double b, double c, double limit,
                            int from, int to) {
  long_lanes larger = {0};
  bool within = true;
  int j = from;
  for (; j % LANES != 0 && j < to; j++)
    within &= a * fabs(x[j]) + b * fabs(y[j]) <= limit && b * fabs(x[j]) + c * fabs(y[j]) <= limit;
  for (; j < to; j += LANES) {
    const lanes X = ABS_LANES(LANES_AT(x + j)), Y = ABS_LANES(LANES_AT(y + j));
    larger |= ~(a * X + b * Y <= limit) | ~(b * X + c * Y <= limit);
  }
  return within && !is_any_negative(&larger);
}

// Returns true if row p is a pivot: its entries from column `from` are at most 1/u of it.
INLINE bool is_pivot(const oc_stage_front *w, int from, int p, double u) {
  double *P = front_row(w, p);
  const double a = fabs(P[p]);
  return a > 0 && is_row_within(P, a / u, from, w->end);
}

// Returns true if rows p and r are a pivot of order 2: [P R] D^-1 is at most 1/u (Duff, Reid).
INLINE bool are_pivot(const oc_stage_front *w, int from, int p, int r, double u) {
  double *P = front_row(w, p), *R = front_row(w, r);
  const double c = p < r ? P[r] : R[p], limit = fabs(P[p] * R[r] - c * c) / u;
  return limit > 0 && are_rows_within(P, R, fabs(R[r]), fabs(c), fabs(P[p]), limit, from, w->end);
}

// D of row k; returns the number of negative eigenvalues
INLINE int invert_one(const oc_stage_front *w, int k, double *D) {
  const double d = front_row(w, k)[k];
  D[0] = 1 / d;
  return d < 0;
}

// D of rows k and k+1: entries 11, 21, 22 of the inverse
INLINE int invert_two(const oc_stage_front *w, int k, double *D) {
  const double *K = front_row(w, k);
  const double a = K[k], b = front_row(w, k + 1)[k + 1], c = K[k + 1], det = a * b - c * c;
  D[0] = b / det;
  D[1] = -c / det;
  D[2] = a / det;
  if (det < 0) return 1;
  return a < 0 ? 2 : 0;
}

// clear a group
INLINE void clear_group(double *x) {
  for (int j = 0; j < GROUP; j += LANES) LANES_AT(x + j) = (lanes){0};
}

// clear the entries before column n in n's group
INLINE void zero_up_to(double *F, int n) {
  static const _Alignas(8 * GROUP) long index[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int j = group_of(n); j < n; j += LANES)
    LANES_AT(F + j) = (lanes)((long_lanes)LANES_AT(F + j) & (*(const long_lanes *)index >= n - j));
}

// The rows of L' of pivot k. `excess` becomes negative if an entry exceeds the limit, given by its
// bits: for nonnegative numbers the bit patterns are ordered like the values.
INLINE void write_pivot(const oc_stage_front *w, int k, int n, const oc_front_factor *out,
                        long limit, long_lanes *excess) {
  const int from = oc_front_lead(w), width = oc_front_width(w), i = k - w->begin;
  const int first = group_of(k + n) - from, zeros = k + n - from;
  const double *D = out->D + 2 * i;
  double *K = front_row(w, k) + from, *M = K + w->row;
  double *L = out->L + (size_t)i * (size_t)width, *N = L + width;
  long_lanes found = *excess;

  // zeros up to the pivot in its group; earlier entries are never read
  zero_up_to(K, zeros);
  if (group_of(k) < group_of(k + n)) clear_group(L + group_of(k) - from);

  // order 1: F_k / d
  if (n == 1) {
    const double d = D[0];
    for (int j = first; j < width; j += LANES) {
      const lanes l = LANES_AT(K + j) * d;
      LANES_AT(L + j) = l;
      found |= limit - (long_lanes)ABS_LANES(l);
    }
    *excess = found;
    return;
  }

  // order 2: D^-1 times both rows
  zero_up_to(M, zeros);
  if (group_of(k) < group_of(k + n)) clear_group(N + group_of(k) - from);
  const double a = D[0], b = D[1], c = D[2];
  for (int j = first; j < width; j += LANES) {
    const lanes x = LANES_AT(K + j), y = LANES_AT(M + j), l = a * x + b * y, m = b * x + c * y;
    LANES_AT(L + j) = l;
    LANES_AT(N + j) = m;
    found |= (limit - (long_lanes)ABS_LANES(l)) | (limit - (long_lanes)ABS_LANES(m));
  }
  *excess = found;
}

// F_i -= sum_q L_qi F_q for several rows from row i, group by group from the first one's diagonal:
// each load of a pivot row serves all rows, and their sums are independent.
INLINE void update_panel(const oc_stage_front *w, int i, int pivots, const unsigned short *meets,
                         const double *L, const int rows) {
  const size_t width = (size_t)oc_front_width(w), row = (size_t)w->row;
  const double *l = L + i - oc_front_lead(w), *top = front_row(w, w->begin);
  double *F = front_row(w, i);

  // F_ij -= sum_k l_ik F_kj, for all rows of the panel
  for (int j = group_of(i); j < w->end; j += GROUP) {
    lanes c[OC_FRONT_PANEL][VECTORS];
    for (int r = 0; r < rows; r++)
      for (int v = 0; v < VECTORS; v++) c[r][v] = LANES_AT(F + (size_t)r * row + j + v * LANES);
    for (int k = 0; k < pivots; k++) {
      const double *a = l + meets[k] * width, *x = top + meets[k] * row + j;
      for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) c[r][v] -= a[r] * CONST_LANES_AT(x + v * LANES);
    }
    for (int r = 0; r < rows; r++)
      for (int v = 0; v < VECTORS; v++) LANES_AT(F + (size_t)r * row + j + v * LANES) = c[r][v];
  }
}

// test by bits, which takes fewer operations than comparisons
INLINE bool are_zero(const double *a, int count) {
  uint64_t bits = 0;
  for (int r = 0; r < count; r++) {
    const union {
      double number;
      uint64_t bits;
    } of = {a[r]};
    bits |= of.bits;
  }
  return bits << 1 == 0; // ignore signs
}

// Update the rows from row i by the next list of pivots. Returns the following list.
INLINE const unsigned short *update_rows(const oc_stage_front *w, int i, int rows,
                                         const unsigned short *list, const double *L) {
  int pivots = *list++;
  const unsigned short *next = list + pivots;
  if (pivots == 0) return next;
  // the pattern assumes that all entries from the previous stage are nonzero; for long rows it pays
  // to check
  if (w->end - group_of(i) > LONG) {
    // entries of a list with a nonzero in these rows
    const size_t width = (size_t)oc_front_width(w);
    const double *l = L + i - oc_front_lead(w);
    int count = 0;
    for (int k = 0; k < pivots; k++) {
      w->some[count] = list[k];
      count += !are_zero(l + list[k] * width, rows);
    }
    pivots = count;

    list = w->some;
  }
  if (rows == 4)
    update_panel(w, i, pivots, list, L, 4);
  else if (rows == 3)
    update_panel(w, i, pivots, list, L, 3);
  else if (rows == 2)
    update_panel(w, i, pivots, list, L, 2);
  else
    update_panel(w, i, pivots, list, L, 1);
  return next;
}

// -- pivots of the previous factorization

// a pivot of order n at row k: D, its order, its rows of L'
INLINE void take_pivot(const oc_stage_front *w, int k, int n, oc_front_factor *out) {
  const int at = k - w->begin;
  double *D = out->D + 2 * at;
  out->negative += n == 1 ? invert_one(w, k, D) : invert_two(w, k, D);
  out->order[at] = n;
  if (n == 2) out->order[at + 1] = 0;
}

// the structs are copied, so that the compiler need not reload them after stores to rows
static bool repeat_pivots(const oc_stage_front *front, const int *last, const unsigned short *meets,
                          oc_front_factor *factor) {
  const oc_stage_front copy = *front, *w = &copy;
  oc_front_factor out = *factor;
  const int own = w->own - w->begin, all = w->end - w->begin;
  const union {
    double number;
    long bits;
  } largest = {1 / RATIO[REPEATED]};
  long_lanes excess = {0};
  out.negative = 0;
  out.pivots = own;
  for (int i = 0, rows; i < own; i += rows) {
    // update a panel by the previous pivots, then eliminate pivot by pivot
    rows = oc_front_panel(own, all, last, i);
    meets = update_rows(w, w->begin + i, rows, meets, out.L);
    for (int at = i; at < i + rows; at += last[at]) {
      meets = update_rows(w, w->begin + at, last[at], meets, out.L);
      take_pivot(w, w->begin + at, last[at], &out);
      write_pivot(w, w->begin + at, last[at], &out, largest.bits, &excess);
    }
  }
  *factor = out;

  // the entries of L show whether the pivots are large enough
  if (is_any_negative(&excess)) return false;
  for (int i = own, rows; i < all; i += rows) {
    rows = oc_front_panel(own, all, last, i);
    meets = update_rows(w, w->begin + i, rows, meets, out.L);
  }
  return true;
}

// -- search for pivots, with both triangles of the rows

// the row from k with the largest coupling to row p; p: none
INLINE int partner_in_front(const oc_stage_front *w, int k, int p) {
  const double *P = front_row(w, p);
  int r = p;
  double largest = 0;
  for (int i = k; i < w->own; i++) {
    if (i == p || !(fabs(P[i]) > largest)) continue;
    largest = fabs(P[i]);
    r = i;
  }
  return r;
}

INLINE void swap_rows(const oc_stage_front *w, int p, int q) {
  if (p == q) return;
  double *restrict P = front_row(w, p), *restrict Q = front_row(w, q);
  for (int j = oc_front_lead(w); j < w->end; j++) {
    double keep = P[j];
    P[j] = Q[j];
    Q[j] = keep;
  }
  // also columns of eliminated rows, which become L
  for (int i = w->begin; i < w->own; i++) {
    double *F = front_row(w, i), keep = F[p];
    F[p] = F[q];
    F[q] = keep;
  }
  const int id = w->id[p - w->begin];
  w->id[p - w->begin] = w->id[q - w->begin];
  w->id[q - w->begin] = id;
}

// eliminate pivot k of order n from the rows after it
INLINE void eliminate_rows(const oc_stage_front *w, int k, int n, const double *D) {
  double *K = front_row(w, k), *M = K + w->row;
  const int first = group_of(k + n);
  for (int i = k + n; i < w->own; i++) {
    double *F = front_row(w, i);
    const double s = n == 1 ? K[i] * D[0] : D[0] * K[i] + D[1] * M[i];
    const double t = n == 1 ? 0 : D[1] * K[i] + D[2] * M[i];
    if (s == 0 && t == 0) continue;
    for (int j = first; n == 1 && j < groups_end(w); j += LANES)
      LANES_AT(F + j) -= s * LANES_AT(K + j);
    for (int j = first; n == 2 && j < groups_end(w); j += LANES)
      LANES_AT(F + j) -= s * LANES_AT(K + j) + t * LANES_AT(M + j);
  }
}

// eliminate row p alone, as row k
INLINE void take_row(const oc_stage_front *w, int k, int p, oc_front_factor *out) {
  swap_rows(w, p, k);
  take_pivot(w, k, 1, out);
  eliminate_rows(w, k, 1, out->D + 2 * (k - w->begin));
}

// Eliminate rows with few entries. Returns the first remaining row.
INLINE int search_sparse_rows(const oc_stage_front *w, int k, oc_front_factor *out) {
  for (int p = k; p < w->own; p++) {
    // few entries, the first of them large enough
    const double *P = front_row(w, p);
    int count = 0;
    for (int j = k; j < w->end && count <= FEW; j++) count += P[j] != 0;
    if (count <= FEW && is_pivot(w, k, p, RATIO_OF_FEW)) take_row(w, k++, p, out);
  }
  return k;
}

// Eliminate rows from k by pivots with ratio u, until a whole round finds none. Returns the first
// remaining row.
INLINE int search_pivots(const oc_stage_front *w, int k, double u, oc_front_factor *out) {
  int p = k;
  for (int failed = 0; failed < w->own - k;) {
    if (p >= w->own) p = k;
    // alone, or paired with the row of the largest coupling
    const bool alone = is_pivot(w, k, p, u);
    const int r = alone ? p : partner_in_front(w, k, p), n = alone ? 1 : 2, at = k - w->begin;
    if (!alone && (r == p || !are_pivot(w, k, p, r, u))) {
      failed++;
      p++;
      continue;
    }
    swap_rows(w, p, k);
    if (n == 2) swap_rows(w, r == k ? p : r, k + 1);
    take_pivot(w, k, n, out);
    eliminate_rows(w, k, n, out->D + 2 * at);
    k += n;
    p = p < k ? k : p + 1;
    failed = 0;
  }
  return k;
}

// strong pivots first; weaker ones if more than `room` rows would be delayed; any if none may be
INLINE int search_all(const oc_stage_front *w, int k, int room, oc_front_factor *out) {
  for (int i = 0; i < RATIOS && k < w->own; i++) {
    if (i >= STRONG && w->own - k <= room) break;
    if (i > STRONG && room > 0) break;
    k = search_pivots(w, k, RATIO[i], out);
  }
  return k;
}

static void eliminate_front(const oc_stage_front *front, int room, unsigned short *all,
                            oc_front_factor *factor) {
  const oc_stage_front copy = *front, *w = &copy;
  oc_front_factor out = *factor;

  // fill the lower triangle of its own unknowns, which the search reads by rows
  for (int i = w->begin; i < w->own; i++) {
    double *F = front_row(w, i);
    for (int j = w->begin; j < i; j++) F[j] = front_row(w, j)[i];
  }

  // eliminate, then prepare the rest for the next stage
  long_lanes excess = {0}; // not used
  out.negative = 0;
  const int k = search_all(w, search_sparse_rows(w, w->begin, &out), room, &out);
  out.pivots = k - w->begin;
  *all = (unsigned short)out.pivots;
  for (int i = w->begin; i < k; i++) {
    const int n = out.order[i - w->begin];
    if (n > 0) write_pivot(w, i, n, &out, 0, &excess);
  }
  for (int i = w->own, rows; i < w->end; i += rows) {
    rows = w->end - i < OC_FRONT_PANEL ? w->end - i : OC_FRONT_PANEL;
    update_rows(w, i, rows, all, out.L);
  }
  *factor = out;
}

// -- solve

INLINE double multiply_row(const double *restrict x, const double *restrict y, int from, int to) {
  double lane[GROUP] = {0};
  for (int j = group_of(from); j < to; j += GROUP)
    for (int l = 0; l < GROUP; l++) lane[l] += x[j + l] * y[j + l];
  for (int n = GROUP / 2; n > 0; n /= 2)
    for (int l = 0; l < n; l++) lane[l] += lane[l + n];
  return lane[0];
}

// subtract t and s times two rows of L' from the columns from j
INLINE void subtract_rows(double *w, double t, double *L, double s, double *N, int j, int width) {
  for (j = group_of(j); j < width; j += LANES)
    LANES_AT(w + j) -= t * LANES_AT(L + j) + s * LANES_AT(N + j);
}

static void solve_front_forward(const oc_front_factor *f, int lead, int width, double *w) {
  const int pivots = f->pivots;
  double *L = f->L;
  int i = lead;
  // two rows at a time, to save loads and stores
  for (; i + 1 < lead + pivots; i += 2, L += 2 * width) {
    const double t = w[i], s = w[i + 1] - t * L[i + 1];
    subtract_rows(w, t, L, s, L + width, i + 1, width);
  }
  if (i < lead + pivots) subtract_rows(w, w[i], L, 0, L, i + 1, width);
}

static void solve_front_backward(const oc_front_factor *f, int lead, int width, double *restrict w,
                                 double *restrict sum) {
  double *restrict x = w + lead;
  const double *restrict L = f->L;
  // D y
  for (int i = 0; i < f->pivots; i++) {
    const double *D = f->D + 2 * i;
    sum[i] = x[i] * D[0];
    if (f->order[i] == 1) continue;
    sum[i] += x[i + 1] * D[1];
    sum[i + 1] = x[i] * D[1] + x[i + 1] * D[2];
    i++;
  }

  // subtract the contributions of later unknowns, row by row, independently
  for (int i = 0; i < f->pivots; i++) x[i] = 0;
  for (int i = 0; i < f->pivots; i++)
    sum[i] -= multiply_row(L + (size_t)i * (size_t)width, w, lead + f->pivots, width);

  // then those of its own unknowns, column by column from the last
  for (int j = f->pivots - 1; j >= 0; j--) {
    const double *column = L + lead + j;
    x[j] = sum[j];
    for (int i = 0; i < j; i++) sum[i] -= column[(size_t)i * (size_t)width] * x[j];
  }
}

const oc_front_kernel KERNEL = {clear_front, repeat_pivots, eliminate_front, solve_front_forward,
                                solve_front_backward};

#include "optim/interior/stage_front.h"

#include "lib/base/width.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// part of the functions that are compiled for each width
#define INLINE static inline __attribute__((always_inline))

enum { LANES = OC_FRONT_LANES };

// a row's lanes at any place
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

// of a pivot to its column: what is searched for, what is enough before it waits; where too many
// wait, and at last
enum { STRONG = 2, RATIOS = 4, REPEATED = 1 };
static const double RATIO[RATIOS] = {0.1, 1e-5, 1e-8, 0};

static double *front_row(const oc_stage_front *w, int i) {
  return w->F + (size_t)i * (size_t)w->row;
}

static int lane_of(int j) {
  return j & ~(LANES - 1);
}

DM_EACH_WIDTH static void clear_front(const oc_stage_front *w) {
  const int from = oc_front_lead(w), width = oc_front_width(w);
  for (int i = w->begin; i < w->end; i++) {
    double *row = front_row(w, i) + from;
    for (int j = 0; j < width; j += LANES)
      for (int l = 0; l < LANES; l++) row[j + l] = 0;
  }
}

// -- pivots

// is no |x_j| above the limit?
INLINE bool is_row_within(const double *x, double limit, int from, int to) {
  long larger[LANES] = {0};
  int j = from;
  for (; j % LANES != 0 && j < to; j++) larger[0] |= !(fabs(x[j]) <= limit);
  for (; j < to; j += LANES)
    for (int l = 0; l < LANES; l++) larger[l] |= !(fabs(x[j + l]) <= limit);
  for (int l = 1; l < LANES; l++) larger[0] |= larger[l];
  return !larger[0];
}

// is no a |x_j| + b |y_j| and no b |x_j| + c |y_j| above the limit?
INLINE bool are_rows_within(const double *x, const double *y, double a, double b, double c,
                            double limit, int from, int to) {
  long larger[LANES] = {0};
  int j = from;
  for (; j % LANES != 0 && j < to; j++)
    larger[0] |=
        !(a * fabs(x[j]) + b * fabs(y[j]) <= limit && b * fabs(x[j]) + c * fabs(y[j]) <= limit);
  for (; j < to; j += LANES)
    for (int l = 0; l < LANES; l++) {
      const double X = fabs(x[j + l]), Y = fabs(y[j + l]);
      larger[l] |= !(a * X + b * Y <= limit) | !(b * X + c * Y <= limit);
    }
  for (int l = 1; l < LANES; l++) larger[0] |= larger[l];
  return !larger[0];
}

// Is row p a pivot, its entries from column `from` on at most 1/u of it?
INLINE bool is_pivot(const oc_stage_front *w, int from, int p, double u) {
  const double *P = front_row(w, p), a = fabs(P[p]);
  return a > 0 && is_row_within(P, a / u, from, w->end);
}

// Are rows p and r one, [P R] D^-1 being at most 1/u there (Duff, Reid)?
INLINE bool are_pivot(const oc_stage_front *w, int from, int p, int r, double u) {
  const double *P = front_row(w, p), *R = front_row(w, r);
  const double c = p < r ? P[r] : R[p], limit = fabs(P[p] * R[r] - c * c) / u;
  return limit > 0 && are_rows_within(P, R, fabs(R[r]), fabs(c), fabs(P[p]), limit, from, w->end);
}

// D of row k: negative eigenvalues
INLINE int invert_one(const oc_stage_front *w, int k, double *D) {
  const double d = front_row(w, k)[k];
  D[0] = 1 / d;
  return d < 0;
}

// D of rows k and k+1: 11, 21, 22 of the inverse
INLINE int invert_two(const oc_stage_front *w, int k, double *D) {
  const double *K = front_row(w, k);
  const double a = K[k], b = front_row(w, k + 1)[k + 1], c = K[k + 1], det = a * b - c * c;
  D[0] = b / det;
  D[1] = -c / det;
  D[2] = a / det;
  if (det < 0) return 1;
  return a < 0 ? 2 : 0;
}

INLINE void zero_up_to(double *L, int zeros) {
  for (int j = 0; j < zeros; j++) L[j] = 0;
}

// the rows of L' of pivot k
INLINE void write_pivot(const oc_stage_front *w, int k, oc_front_factor *out) {
  const int from = oc_front_lead(w), width = oc_front_width(w), i = k - w->begin;
  const int n = out->order[i], first = lane_of(k + n) - from, zeros = k + n - from;
  const double *restrict K = front_row(w, k) + from, *restrict M = K + w->row, *D = out->D + 2 * i;
  double *restrict L = out->L + (size_t)i * (size_t)width, *restrict N = L + width;

  // of order 1: F_k / d
  if (n == 1) {
    for (int j = first; j < width; j += LANES)
      for (int l = 0; l < LANES; l++) L[j + l] = K[j + l] * D[0];
    zero_up_to(L, zeros);
    return;
  }

  // of order 2: D^-1 times both rows
  for (int j = first; j < width; j += LANES)
    for (int l = 0; l < LANES; l++) {
      L[j + l] = D[0] * K[j + l] + D[1] * M[j + l];
      N[j + l] = D[1] * K[j + l] + D[2] * M[j + l];
    }
  zero_up_to(L, zeros);
  zero_up_to(N, zeros);
}

#define LANES_AT(x) (*(lanes *)(x))

// Columns j.. of F_i -= sum_q L_qi F_q, one lane or two of them, four pivots at a time: l is L_qi
// from pivot to pivot.
INLINE void update_lanes(const oc_stage_front *w, double *C, int j, int pivots, const double *l,
                         bool two) {
  const int width = oc_front_width(w), row = w->row;
  double *A = front_row(w, w->begin) + j;
  lanes c = LANES_AT(C), e = two ? LANES_AT(C + LANES) : c;
  int k = 0;

  // four at a time, so that their sums do not wait for each other
  for (; k + 4 <= pivots; k += 4, l += 4 * width, A += 4 * row) {
    double *B = A + row, *G = B + row, *H = G + row;
    const double a = l[0], b = l[width], g = l[2 * width], h = l[3 * width];
    if (a == 0 && b == 0 && g == 0 && h == 0) continue;
    c -= (a * LANES_AT(A) + b * LANES_AT(B)) + (g * LANES_AT(G) + h * LANES_AT(H));
    if (!two) continue;
    e -= (a * LANES_AT(A + LANES) + b * LANES_AT(B + LANES)) +
         (g * LANES_AT(G + LANES) + h * LANES_AT(H + LANES));
  }

  // those that are left
  for (; k < pivots; k++, l += width, A += row) {
    c -= *l * LANES_AT(A);
    if (two) e -= *l * LANES_AT(A + LANES);
  }
  LANES_AT(C) = c;
  if (two) LANES_AT(C + LANES) = e;
}

// F_i of the first pivots
INLINE void update_row(const oc_stage_front *w, int i, int pivots, const double *L) {
  const double *l = L + i - oc_front_lead(w);
  double *F = front_row(w, i);
  int j = lane_of(i);
  for (; j + LANES < w->end; j += 2 * LANES) update_lanes(w, F + j, j, pivots, l, true);
  if (j < w->end) update_lanes(w, F + j, j, pivots, l, false);
}

// -- the pivots of the last time

DM_EACH_WIDTH static bool repeat_pivots(const oc_stage_front *w, const int *last,
                                        oc_front_factor *out) {
  const int own = w->own - w->begin;
  out->negative = 0;
  out->pivots = own;
  for (int at = 0; at < own; at += last[at]) {
    const int n = last[at], k = w->begin + at;
    double *D = out->D + 2 * at;
    if (n < 1) return false;
    for (int i = k; i < k + n; i++) update_row(w, i, at, out->L);
    out->negative += n == 1 ? invert_one(w, k, D) : invert_two(w, k, D);
    out->order[at] = n;
    if (n == 2) out->order[at + 1] = 0;
    write_pivot(w, k, out);
  }
  // each entry of L says whether its pivot is large enough
  if (!is_row_within(out->L, 1 / RATIO[REPEATED], 0, own * oc_front_width(w))) return false;
  for (int i = w->own; i < w->end; i++) update_row(w, i, own, out->L);
  return true;
}

// -- pivots that are searched for, among rows with both triangles

// the row from k on that row p is coupled to most; p: to none
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
  // columns of eliminated rows too: these become L
  for (int i = w->begin; i < w->own; i++) {
    double *F = front_row(w, i), keep = F[p];
    F[p] = F[q];
    F[q] = keep;
  }
  const int id = w->id[p - w->begin];
  w->id[p - w->begin] = w->id[q - w->begin];
  w->id[q - w->begin] = id;
}

// take pivot k of order n off the rows behind it
INLINE void eliminate_rows(const oc_stage_front *w, int k, int n, const double *D) {
  const double *restrict K = front_row(w, k), *restrict M = K + w->row;
  for (int i = k + n; i < w->own; i++) {
    double *restrict F = front_row(w, i);
    const double s = n == 1 ? K[i] * D[0] : D[0] * K[i] + D[1] * M[i];
    const double t = n == 1 ? 0 : D[1] * K[i] + D[2] * M[i];
    if (s == 0 && t == 0) continue;
    for (int j = lane_of(k + n); j < w->end; j += LANES)
      for (int l = 0; l < LANES; l++) F[j + l] -= s * K[j + l] + (n == 1 ? 0 : t * M[j + l]);
  }
}

// Eliminate rows from k on by pivots of ratio u, until a whole round finds none. Returns the first
// row that is left.
INLINE int search_pivots(const oc_stage_front *w, int k, double u, oc_front_factor *out) {
  int p = k;
  for (int failed = 0; failed < w->own - k;) {
    if (p >= w->own) p = k;
    // alone, or with the row that it is coupled to most
    const bool alone = is_pivot(w, k, p, u);
    const int r = alone ? p : partner_in_front(w, k, p), n = alone ? 1 : 2, at = k - w->begin;
    if (!alone && (r == p || !are_pivot(w, k, p, r, u))) {
      failed++;
      p++;
      continue;
    }
    double *D = out->D + 2 * at;
    swap_rows(w, p, k);
    if (n == 2) swap_rows(w, r == k ? p : r, k + 1);
    out->negative += n == 1 ? invert_one(w, k, D) : invert_two(w, k, D);
    out->order[at] = n;
    if (n == 2) out->order[at + 1] = 0;
    eliminate_rows(w, k, n, D);
    k += n;
    p = p < k ? k : p + 1;
    failed = 0;
  }
  return k;
}

// strong pivots; weak ones where more than `room` would wait; any where none may
INLINE int search_all(const oc_stage_front *w, int k, int room, oc_front_factor *out) {
  for (int i = 0; i < RATIOS && k < w->own; i++) {
    if (i >= STRONG && w->own - k <= room) break;
    if (i > STRONG && room > 0) break;
    k = search_pivots(w, k, RATIO[i], out);
  }
  return k;
}

DM_EACH_WIDTH static void eliminate_front(const oc_stage_front *w, int room, oc_front_factor *out) {
  for (int i = w->begin; i < w->own; i++) {
    double *F = front_row(w, i);
    for (int j = w->begin; j < i; j++) F[j] = front_row(w, j)[i];
  }
  out->negative = 0;
  const int k = search_all(w, w->begin, room, out);
  out->pivots = k - w->begin;
  for (int i = w->begin; i < k; i++)
    if (out->order[i - w->begin] > 0) write_pivot(w, i, out);
  for (int i = w->own; i < w->end; i++) update_row(w, i, out->pivots, out->L);
}

// -- solve

INLINE double multiply_row(const double *restrict x, const double *restrict y, int from, int to) {
  double lane[LANES] = {0};
  for (int j = lane_of(from); j < to; j += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += x[j + l] * y[j + l];
  for (int n = LANES / 2; n > 0; n /= 2)
    for (int l = 0; l < n; l++) lane[l] += lane[l + n];
  return lane[0];
}

DM_EACH_WIDTH static void solve_front_forward(const oc_front_factor *f, int lead, int width,
                                              double *restrict w) {
  const double *restrict L = f->L;
  for (int i = 0; i < f->pivots; i++, L += width) {
    const double t = w[lead + i];
    for (int j = lane_of(lead + i + 1); j < width; j += LANES)
      for (int l = 0; l < LANES; l++) w[j + l] -= t * L[j + l];
  }
}

DM_EACH_WIDTH static void solve_front_backward(const oc_front_factor *f, int lead, int width,
                                               double *restrict w, double *restrict sum) {
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

  // less what the later unknowns contribute, row by row: none depends on another
  for (int i = 0; i < f->pivots; i++) x[i] = 0;
  for (int i = 0; i < f->pivots; i++)
    sum[i] -= multiply_row(L + (size_t)i * (size_t)width, w, lead + f->pivots, width);

  // then its own, column by column from the last one back
  for (int j = f->pivots - 1; j >= 0; j--) {
    const double *column = L + lead + j;
    x[j] = sum[j];
    for (int i = 0; i < j; i++) sum[i] -= column[(size_t)i * (size_t)width] * x[j];
  }
}

// -- what others call: a function of several widths is known to its own file alone

void oc_stage_front_clear(const oc_stage_front *w) {
  clear_front(w);
}

bool oc_stage_front_repeat(const oc_stage_front *w, const int *last, oc_front_factor *out) {
  return repeat_pivots(w, last, out);
}

void oc_stage_front_search(const oc_stage_front *w, int room, oc_front_factor *out) {
  eliminate_front(w, room, out);
}

void oc_stage_front_forward(const oc_front_factor *f, int lead, int width, double *w) {
  solve_front_forward(f, lead, width, w);
}

void oc_stage_front_backward(const oc_front_factor *f, int lead, int width, double *w,
                             double *sum) {
  solve_front_backward(f, lead, width, w, sum);
}

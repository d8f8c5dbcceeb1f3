#include "optim/interior/stage_factor.h"

#include "lib/base/block.h"
#include "lib/base/width.h"

#include <math.h>
#include <stdbool.h>

// part of the functions that are compiled for each width
#define INLINE static inline __attribute__((always_inline))

// entries that go through a loop together; unknowns that may wait: so many beside a stage's own, and
// so many at most
enum { LANES = 8, WAITING = 8, MOST_WAITING = 64 };

// of a pivot to its column: two that are asked for before it waits; where too many wait, and at last
enum { STRONG = 2, RATIOS = 4 };
static const double RATIO[RATIOS] = {0.1, 1e-3, 1e-8, 0};
static const double MOST_NUMBERS = 5e8; // in all rows of L

static int pad_lanes(int n) {
  return (n + LANES - 1) & ~(LANES - 1);
}

static int min_int(int a, int b) {
  return a < b ? a : b;
}

// -- stages of the steps

typedef struct partition {
  int dim, nz, steps, stages;
  const int *row, *col, *step;
  int *first;       // the step at which an unknown comes into the front       [dim]
  int *come, *gone; // unknowns that have come by a step, gone before it       [steps + 2]
  int *begin;       // the first step of each stage                            [steps + 2]
  int *stage;       // of each step                                            [steps + 2]
  int *degree;      // entries of an unknown                                   [dim]
  int *order;       // unknowns by step, the sparse ones first                 [dim]
  int *rank;        // the place of an unknown in that order                   [dim]
  int *arrived;     // unknowns by the stage at which they come, in that order [dim]
  int *arrival;     // where those of a stage begin                            [steps + 2]
  int *slot;        // the place of an unknown in the present list             [dim]
} partition;

static void lay_out_partition(void *self, dm_block *b) {
  partition *p = self;
  size_t dim = (size_t)p->dim, steps = (size_t)p->steps + 2;
  int **of_unknown[] = {&p->first, &p->degree, &p->order, &p->rank, &p->arrived, &p->slot};
  int **of_step[] = {&p->come, &p->gone, &p->begin, &p->stage, &p->arrival};
  for (int i = 0; i < 6; i++) *of_unknown[i] = dm_block_alloc(b, dim, sizeof(int));
  for (int i = 0; i < 5; i++) *of_step[i] = dm_block_alloc(b, steps, sizeof(int));
}

// when unknowns come into the front and leave it
static void follow_unknowns(partition *p) {
  for (int v = 0; v < p->dim; v++) p->first[v] = p->step[v];
  for (int e = 0; e < p->nz; e++) {
    int v = p->row[e] - 1, w = p->col[e] - 1;
    p->first[v] = min_int(p->first[v], p->step[w]);
    p->first[w] = min_int(p->first[w], p->step[v]);
    p->degree[v]++;
    p->degree[w]++;
  }
  for (int v = 0; v < p->dim; v++) {
    p->come[p->first[v]]++;
    p->gone[p->step[v] + 1]++;
  }
  for (int l = 1; l <= p->steps + 1; l++) {
    p->come[l] += p->come[l - 1];
    p->gone[l] += p->gone[l - 1];
  }
}

// unknowns by step, and by their entries within it: what has few, as inputs and limits, fills least
static void sort_unknowns(partition *p) {
  for (int v = 0; v < p->dim; v++) p->order[p->gone[p->step[v]]++] = v;
  for (int l = p->steps; l > 0; l--) p->gone[l] = p->gone[l - 1];
  p->gone[0] = p->gone[1] = 0;
  for (int l = 1; l <= p->steps; l++)
    for (int i = p->gone[l] + 1; i < p->gone[l + 1]; i++) {
      int v = p->order[i], j = i;
      for (; j > p->gone[l] && p->degree[p->order[j - 1]] > p->degree[v]; j--)
        p->order[j] = p->order[j - 1];
      p->order[j] = v;
    }
  for (int i = 0; i < p->dim; i++) p->rank[p->order[i]] = i;
}

static int count_own(const partition *p, int from, int to) {
  return p->gone[to + 1] - p->gone[from];
}

static int count_all(const partition *p, int from, int to) {
  return p->come[to] - p->gone[from];
}

// multiplications of steps from..to as one stage, and what a stage costs beside them
static double cost_stage(const partition *p, int from, int to) {
  const double own = count_own(p, from, to), all = count_all(p, from, to), later = all - own;
  return 200 + all * all + own * all + 0.5 * own * own * all + 0.5 * own * later * later;
}

// a step joins the stage before it where that is cheaper
static void join_steps(partition *p) {
  p->stages = 0;
  for (int l = 1; l <= p->steps; l++) {
    int from = p->stages > 0 ? p->begin[p->stages - 1] : 0;
    bool joins =
        p->stages > 0 && cost_stage(p, from, l) <= cost_stage(p, from, l - 1) + cost_stage(p, l, l);
    if (!joins) p->begin[p->stages++] = l;
    p->stage[l] = p->stages - 1;
  }
  p->begin[p->stages] = p->steps + 1;
}

static int stage_of(const partition *p, int v) {
  return p->stage[p->step[v]];
}

static void sort_arrivals(partition *p) {
  for (int v = 0; v < p->dim; v++) p->arrival[p->stage[p->first[v]] + 1]++;
  for (int k = 0; k < p->stages; k++) p->arrival[k + 1] += p->arrival[k];
  for (int i = 0; i < p->dim; i++)
    p->arrived[p->arrival[p->stage[p->first[p->order[i]]]]++] = p->order[i];
  for (int k = p->stages; k > 0; k--) p->arrival[k] = p->arrival[k - 1];
  p->arrival[0] = 0;
}

// -- making it

static void lay_out_stage_factor(void *self, dm_block *b) {
  oc_stage_factor *f = self;
  size_t dim = (size_t)f->dim, nz = (size_t)f->nz, width = (size_t)(f->room + f->width);
  f->stage = dm_block_alloc(b, (size_t)f->stages + 1, sizeof *f->stage);
  f->unknown = dm_block_alloc(b, (size_t)f->lists, sizeof(int));
  f->to = dm_block_alloc(b, (size_t)f->lists, sizeof(int));
  f->entry = dm_block_alloc(b, nz, sizeof(int));
  f->place = dm_block_alloc(b, nz, sizeof(int));
  f->id = dm_block_alloc(b, (size_t)f->ids_room, sizeof(int));
  f->order = dm_block_alloc(b, dim + 1, sizeof(int));
  f->choice = dm_block_alloc(b, 2 * dim, sizeof(int));
  f->slot = dm_block_alloc(b, dim, sizeof(int));
  f->moved = dm_block_alloc(b, width, sizeof(int));
  f->D = dm_block_alloc(b, 2 * dim + 2, sizeof(double));
  f->L = dm_block_alloc(b, (size_t)f->factor_room, sizeof(double));
  f->F[0] = dm_block_alloc(b, width * width, sizeof(double));
  f->F[1] = dm_block_alloc(b, width * width, sizeof(double));
  f->w = dm_block_alloc(b, width, sizeof(double));
  f->sum = dm_block_alloc(b, width, sizeof(double));
}

// sizes by the stages, and half as many numbers more for what waits
static dm_status count_sizes(const partition *p, oc_stage_factor *f) {
  double lists = 0, numbers = 0;
  int most = 0;
  *f = (oc_stage_factor){.dim = p->dim, .nz = p->nz, .stages = p->stages};
  for (int k = 0; k < p->stages; k++) {
    const int from = p->begin[k], to = p->begin[k + 1] - 1;
    const int own = count_own(p, from, to), all = count_all(p, from, to);
    lists += all;
    numbers += (double)own * (pad_lanes(all) + LANES);
    most = own > most ? own : most;
    f->width = all > f->width ? all : f->width;
  }
  f->width = pad_lanes(f->width);
  f->room = min_int(pad_lanes(most + WAITING), MOST_WAITING);
  double width = f->room + f->width;
  const double numbers_room = 1.5 * numbers + 2 * width * width;
  const double ids_room = lists + (double)f->stages * f->room;
  if (numbers_room > MOST_NUMBERS || ids_room > MOST_NUMBERS) return DM_UNAVAILABLE;
  f->lists = (int)lists;
  f->ids_room = (long)ids_room;
  f->factor_room = (long)numbers_room;
  return DM_OK;
}

// later unknowns of stage k: those of the one before that are not its own, and those that come,
// both by step
static int merge_later(const partition *p, int k, const int *before, int count, int *list) {
  int n = 0, a = 0, b = p->arrival[k];
  for (;;) {
    while (a < count && stage_of(p, before[a]) <= k) a++;
    while (b < p->arrival[k + 1] && stage_of(p, p->arrived[b]) <= k) b++;
    const bool has_a = a < count, has_b = b < p->arrival[k + 1];
    if (!has_a && !has_b) return n;
    bool take_a = has_a;
    if (has_a && has_b) take_a = p->rank[before[a]] < p->rank[p->arrived[b]];
    list[n++] = take_a ? before[a++] : p->arrived[b++];
  }
}

static void list_unknowns(oc_stage_factor *f, const partition *p) {
  int at = 0;
  for (int k = 0; k < f->stages; k++) {
    const int from = p->begin[k], to = p->begin[k + 1] - 1;
    oc_stage *s = f->stage + k;
    const oc_stage *last = s - 1;
    s->unknown = at;
    s->own = count_own(p, from, to);
    s->first = p->gone[from];
    memcpy(f->unknown + at, p->order + p->gone[from], (size_t)s->own * sizeof(int));
    at += s->own;
    s->later = k == 0 ? merge_later(p, 0, NULL, 0, f->unknown + at)
                      : merge_later(p, k, f->unknown + last->unknown + last->own, last->later,
                                    f->unknown + at);
    at += s->later;
    s->row = f->room + pad_lanes(s->own + s->later);
  }
}

// entries by the first stage of their two unknowns
static void sort_stage_entries(oc_stage_factor *f, const partition *p) {
#define STAGE(e) min_int(stage_of(p, p->row[e] - 1), stage_of(p, p->col[e] - 1))
  for (int e = 0; e < f->nz; e++) f->stage[STAGE(e) + 1].entry++;
  for (int k = 0; k < f->stages; k++) f->stage[k + 1].entry += f->stage[k].entry;
  for (int e = 0; e < f->nz; e++) f->entry[f->stage[STAGE(e)].entry++] = e;
  for (int k = f->stages; k > 0; k--) f->stage[k].entry = f->stage[k - 1].entry;
  f->stage[0].entry = 0;
#undef STAGE
}

// where entries, and what the stage before leaves, are added
static void place_additions(oc_stage_factor *f, const partition *p) {
  for (int k = 0; k < f->stages; k++) {
    const oc_stage *s = f->stage + k, *last = s - 1;
    for (int i = 0; i < s->own + s->later; i++) p->slot[f->unknown[s->unknown + i]] = i;
    for (int i = last->own; k > 0 && i < last->own + last->later; i++)
      f->to[last->unknown + i] = p->slot[f->unknown[last->unknown + i]];

    // above the diagonal
    for (int e = s->entry; e < s[1].entry; e++) {
      int i = p->slot[p->row[f->entry[e]] - 1], j = p->slot[p->col[f->entry[e]] - 1];
      int low = min_int(i, j), high = i + j - low;
      f->place[e] = (f->room + low) * s->row + f->room + high;
    }
  }
}

dm_status oc_stage_factor_new(oc_stage_factor **out, int dim, int nz, const int *row,
                              const int *col, const int *step, int steps) {
  partition sizes = {.dim = dim, .nz = nz, .steps = steps, .row = row, .col = col, .step = step};
  oc_stage_factor count;
  *out = NULL;
  partition *p = dm_block_make(&sizes, sizeof sizes, lay_out_partition);
  if (!p) return DM_NO_MEMORY;
  follow_unknowns(p);
  sort_unknowns(p);
  join_steps(p);
  sort_arrivals(p);
  dm_status s = count_sizes(p, &count);
  oc_stage_factor *f = NULL;
  if (s == DM_OK) f = dm_block_make(&count, sizeof count, lay_out_stage_factor);
  if (s == DM_OK && !f) s = DM_NO_MEMORY;
  if (f) {
    list_unknowns(f, p);
    sort_stage_entries(f, p);
    place_additions(f, p);
  }
  dm_block_free(p);
  *out = f;
  return s;
}

void oc_stage_factor_free(oc_stage_factor *f) {
  dm_block_free(f);
}

// -- a front

// Rows begin..own are those to be eliminated, with both triangles; rows own..end come later, above
// the diagonal alone. Columns of what has been eliminated, and those beside begin and end that
// share their lanes, are zero.
typedef struct front {
  double *F;
  int row; // distance of two rows
  int begin, own, end;
  int *id; // of its rows, from begin on
} front;

static double *front_row(const front *w, int i) {
  return w->F + (size_t)i * (size_t)w->row;
}

// y -= t x, lane by lane
INLINE void subtract_row(double *restrict y, const double *restrict x, double t, int from, int to) {
  for (int j = from & ~(LANES - 1); j < to; j += LANES)
    for (int l = 0; l < LANES; l++) y[j + l] -= t * x[j + l];
}

// is no |x_j| above the limit?
INLINE bool is_row_within(const double *x, double limit, int from, int to) {
  long larger[LANES] = {0};
  for (int j = from & ~(LANES - 1); j < to; j += LANES)
    for (int l = 0; l < LANES; l++) larger[l] |= !(fabs(x[j + l]) <= limit);
  for (int l = 1; l < LANES; l++) larger[0] |= larger[l];
  return !larger[0];
}

// is no a |x_j| + b |y_j| above the limit?
INLINE bool are_rows_within(const double *x, double a, const double *y, double b, double limit,
                            int from, int to) {
  long larger[LANES] = {0};
  for (int j = from & ~(LANES - 1); j < to; j += LANES)
    for (int l = 0; l < LANES; l++)
      larger[l] |= !(a * fabs(x[j + l]) + b * fabs(y[j + l]) <= limit);
  for (int l = 1; l < LANES; l++) larger[0] |= larger[l];
  return !larger[0];
}

// Is row p from k on a pivot whose entries are at most 1/u of it?
INLINE bool is_pivot(const front *w, int k, int p, double u) {
  const double *P = front_row(w, p), a = fabs(P[p]);
  return a > 0 && is_row_within(P, a / u, k, w->end);
}

// Are rows p and r one, [P R] D^-1 being at most 1/u (Duff, Reid)?
INLINE bool are_pivot(const front *w, int k, int p, int r, double u) {
  const double *P = front_row(w, p), *R = front_row(w, r);
  const double a = fabs(P[p]), b = fabs(R[r]), c = fabs(P[r]);
  const double limit = fabs(P[p] * R[r] - P[r] * P[r]) / u;
  return limit > 0 && are_rows_within(P, b, R, c, limit, k, w->end) &&
         are_rows_within(P, c, R, a, limit, k, w->end);
}

// the row from k on that row p is coupled to most; p: to none
INLINE int partner_in_front(const front *w, int k, int p) {
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

INLINE void swap_rows(front *w, int p, int q) {
  if (p == q) return;
  double *restrict P = front_row(w, p), *restrict Q = front_row(w, q);
  for (int j = w->begin & ~(LANES - 1); j < w->end; j++) {
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

// order 1 in row k: D = 1/d
INLINE int eliminate_first(const front *w, int k, double *D) {
  const double *K = front_row(w, k);
  D[0] = 1 / K[k];
  for (int i = k + 1; i < w->own; i++) {
    double *F = front_row(w, i);
    if (K[i] != 0) subtract_row(F, K, K[i] * D[0], k + 1, w->end);
  }
  return K[k] < 0;
}

// order 2 in rows k and k+1: D = 11, 21, 22 of the inverse
INLINE int eliminate_both(const front *w, int k, double *D) {
  const double *restrict K = front_row(w, k), *restrict M = front_row(w, k + 1);
  const double a = K[k], b = M[k + 1], c = K[k + 1], det = a * b - c * c;
  D[0] = b / det;
  D[1] = -c / det;
  D[2] = a / det;
  for (int i = k + 2; i < w->own; i++) {
    double *restrict F = front_row(w, i);
    const double s = D[0] * K[i] + D[1] * M[i], t = D[1] * K[i] + D[2] * M[i];
    if (s != 0 || t != 0)
      for (int j = (k + 2) & ~(LANES - 1); j < w->end; j += LANES)
        for (int l = 0; l < LANES; l++) F[j + l] -= s * K[j + l] + t * M[j + l];
  }
  if (det < 0) return 1;
  return a < 0 ? 2 : 0;
}

// what the elimination of a front puts out, from its first row on
typedef struct front_pivots {
  int *order, *choice; // of each pivot; its two rows when it was chosen, for the next time
  double *D;
  int remembered; // pivots that choice has room for
  int negative;
} front_pivots;

// Eliminate row p, and r where that is another one, as pivot k. Returns the next k.
INLINE int take_pivot(front *w, int k, int p, int r, front_pivots *out) {
  const int at = k - w->begin, n = p == r ? 1 : 2;
  double *D = out->D + 2 * at;
  if (at < out->remembered) {
    out->choice[2 * at] = p;
    out->choice[2 * at + 1] = r;
  }
  swap_rows(w, p, k);
  if (n == 2) swap_rows(w, r == k ? p : r, k + 1);
  out->negative += n == 1 ? eliminate_first(w, k, D) : eliminate_both(w, k, D);
  out->order[at] = n;
  if (n == 2) out->order[at + 1] = 0;
  return k + n;
}

// the pivots of the last time, as long as they have ratio u; returns the first row left
INLINE int repeat_pivots(front *w, double u, front_pivots *out) {
  int k = w->begin;
  while (k < w->own && k - w->begin < out->remembered) {
    const int *choice = out->choice + 2 * (k - w->begin), p = choice[0], r = choice[1];
    if (p < k || r < k || p >= w->own || r >= w->own) break;
    if (p == r ? !is_pivot(w, k, p, u) : !are_pivot(w, k, p, r, u)) break;
    k = take_pivot(w, k, p, r, out);
  }
  return k;
}

// Eliminate rows from k on by pivots of ratio u, until a whole round finds none. Returns the first
// row that is left.
INLINE int eliminate_rows_by(front *w, int k, double u, front_pivots *out) {
  int p = k;
  for (int failed = 0; failed < w->own - k;) {
    if (p >= w->own) p = k;
    // alone, or with the row that it is coupled to most
    const bool alone = is_pivot(w, k, p, u);
    const int r = alone ? p : partner_in_front(w, k, p);
    if (!alone && (r == p || !are_pivot(w, k, p, r, u))) {
      failed++;
      p++;
      continue;
    }
    k = take_pivot(w, k, p, r, out);
    p = p < k ? k : p + 1;
    failed = 0;
  }
  return k;
}

// Eliminate its own unknowns by strong pivots; by weak ones where more than `room` would wait, and by
// any where none may. Returns the first row left.
DM_EACH_WIDTH static int eliminate_own(front *w, int room, front_pivots *out) {
  int k = repeat_pivots(w, RATIO[1], out);
  for (int i = 0; i < RATIOS && k < w->own; i++) {
    if (i >= STRONG && w->own - k <= room) break;
    if (i > STRONG && room > 0) break;
    k = eliminate_rows_by(w, k, RATIO[i], out);
  }
  if (k - w->begin < out->remembered) out->choice[2 * (k - w->begin)] = -1;
  return k;
}

// rows of L' from those of D L': zero up to their pivot
DM_EACH_WIDTH static void write_rows(const front *w, int pivots, const int *order, const double *D,
                                     double *restrict L) {
  const int from = w->begin & ~(LANES - 1), to = pad_lanes(w->end);
  for (int i = 0; i < pivots; i++, L += to - from) {
    const int n = order[i], k = w->begin + i, first = n == 1 ? k + 1 : k + 2;
    const double *restrict K = front_row(w, k), *restrict M = front_row(w, k + 1);
    const double *d = D + 2 * i;
    const int width = to - from, zeros = first - from;
    if (n == 1) {
      for (int j = 0; j < width; j++) L[j] = K[from + j] * d[0];
      for (int j = 0; j < zeros; j++) L[j] = 0;
      continue;
    }
    // a pair: L of the one and of the other
    double *restrict N = L + width;
    for (int j = 0; j < width; j++) {
      L[j] = d[0] * K[from + j] + d[1] * M[from + j];
      N[j] = d[1] * K[from + j] + d[2] * M[from + j];
    }
    for (int j = 0; j < zeros; j++) L[j] = N[j] = 0;
    i++;
    L += width;
  }
}

// C -= M D M' above the diagonal of the later rows, four pivots at a time
DM_EACH_WIDTH static void subtract_products(const front *w, int pivots, const double *restrict L) {
  const int from = w->begin & ~(LANES - 1), width = pad_lanes(w->end) - from;
  for (int i = w->own; i < w->end; i++) {
    double *restrict C = front_row(w, i);
    const double *restrict l = L + i - from;
    const int first = i & ~(LANES - 1);
    int k = 0;
    for (; k + 4 <= pivots; k += 4, l += 4 * width) {
      const double *restrict A = front_row(w, w->begin + k), *restrict B = A + w->row;
      const double *restrict G = B + w->row, *restrict H = G + w->row;
      const double a = l[0], b = l[width], g = l[2 * width], h = l[3 * width];
      for (int j = first; j < w->end; j += LANES)
        for (int n = 0; n < LANES; n++)
          C[j + n] -= (a * A[j + n] + b * B[j + n]) + (g * G[j + n] + h * H[j + n]);
    }
    for (; k < pivots; k++, l += width)
      subtract_row(C, front_row(w, w->begin + k), *l, first, w->end);
  }
}

// -- factor

// the front of stage s with `waited` unknowns more, empty
DM_EACH_WIDTH static front open_front(const oc_stage_factor *f, const oc_stage *s, int waited,
                                      double *F) {
  front w = {
      F, s->row, f->room - waited, f->room + s->own, f->room + s->own + s->later, f->id + s->id};
  const int from = w.begin & ~(LANES - 1), to = pad_lanes(w.end);
  for (int i = w.begin; i < w.end; i++) {
    double *row = front_row(&w, i);
    for (int j = from; j < to; j += LANES)
      for (int l = 0; l < LANES; l++) row[j + l] = 0;
  }
  memcpy(w.id + waited, f->unknown + s->unknown, (size_t)(s->own + s->later) * sizeof(int));
  return w;
}

// what the front before, of stage s, has left from row k on: rows that wait, then later ones
static void add_rest(const oc_stage_factor *f, const oc_stage *s, const front *from, int k,
                     front *w) {
  const int *to = f->to + s->unknown + s->own, waited = from->own - k;
  for (int i = k; i < from->end; i++) {
    const double *F = front_row(from, i);
    const bool waits = i < from->own;
    double *W = front_row(w, waits ? w->begin + i - k : f->room + to[i - from->own]);
    for (int j = i; j < from->own; j++) W[w->begin + j - k] = F[j];
    for (int j = waits ? from->own : i; j < from->end; j++) W[f->room + to[j - from->own]] = F[j];
  }
  memcpy(w->id, from->id + k - from->begin, (size_t)waited * sizeof(int));
}

// entries of the matrix; then both triangles of what is eliminated, of which each has its part
static void add_entries(const oc_stage_factor *f, const oc_stage *s, const double *a, front *w) {
  for (int e = s->entry; e < s[1].entry; e++) w->F[f->place[e]] += a[f->entry[e]];
  for (int i = w->begin; i < w->own; i++) {
    double *F = front_row(w, i);
    for (int j = w->begin; j < i; j++) {
      double *G = front_row(w, j) + i;
      *G += F[j];
      F[j] = *G;
    }
  }
}

// Let a stage's own unknowns stand as they were eliminated, in which case none changes its place the
// next time.
static void settle_order(oc_stage_factor *f, oc_stage *s) {
  int *own = f->unknown + s->unknown, *choice = f->choice + 2 * s->first;
  const int *id = f->id + s->id, *order = f->order + s->first;
  // where each is now
  for (int i = 0; i < s->own; i++) f->slot[id[i]] = i;
  for (int i = 0; i < s->own; i++) f->moved[i] = f->slot[own[i]];
  memcpy(own, id, (size_t)s->own * sizeof *own);
  for (int i = 0; i < s->own; i++) {
    const int pair = order[i] == 2;
    choice[2 * i] = f->room + i;
    choice[2 * i + 1] = f->room + i + pair;
    i += pair;
  }

  // entries above the diagonal; what the stage before leaves
  for (int e = s->entry; e < s[1].entry; e++) {
    int i = f->place[e] / s->row - f->room, j = f->place[e] % s->row - f->room;
    i = i < s->own ? f->moved[i] : i;
    j = j < s->own ? f->moved[j] : j;
    const int low = min_int(i, j), high = i + j - low;
    f->place[e] = (f->room + low) * s->row + f->room + high;
  }
  const oc_stage *last = s - 1;
  for (int i = 0; s > f->stage && i < last->later; i++) {
    int *to = f->to + last->unknown + last->own + i;
    if (*to < s->own) *to = f->moved[*to];
  }
}

// the stages at which nothing waited
static void settle_orders(oc_stage_factor *f) {
  for (int k = 0; k < f->stages; k++) {
    oc_stage *s = f->stage + k;
    if (s->waited == 0 && s->pivots == s->own &&
        memcmp(f->unknown + s->unknown, f->id + s->id, (size_t)s->own * sizeof(int)) != 0)
      settle_order(f, s);
  }
}

dm_status oc_stage_factor_run(oc_stage_factor *f, const double *a, int *negative) {
  front last = {0};
  int id = 0, done = 0, left = 0, rest = 0;
  long factor = 0;
  *negative = 0;
  for (int k = 0; k < f->stages; k++) {
    oc_stage *s = f->stage + k;
    if (id + left + s->own + s->later > f->ids_room) return DM_STALLED;
    s->id = id;
    s->waited = left;
    s->factor = factor;
    front w = open_front(f, s, left, f->F[k % 2]);
    if (k > 0) add_rest(f, s - 1, &last, rest, &w);
    add_entries(f, s, a, &w);

    // its own unknowns, but for those that wait; behind the last later one there is no waiting
    const int room = s->later > 0 ? f->room : 0,
              width = pad_lanes(w.end) - (w.begin & ~(LANES - 1));
    front_pivots out = {f->order + done, f->choice + 2 * s->first, f->D + 2 * done, s->own, 0};
    rest = eliminate_own(&w, room, &out);
    *negative += out.negative;
    left = w.own - rest;
    s->pivots = rest - w.begin;
    if (left > room) return room > 0 ? DM_STALLED : DM_SINGULAR;
    if (factor + (long)s->pivots * width > f->factor_room) return DM_STALLED;
    write_rows(&w, s->pivots, f->order + done, f->D + 2 * done, f->L + factor);
    subtract_products(&w, s->pivots, f->L + factor);

    factor += (long)s->pivots * width;
    id += w.end - w.begin;
    done += s->pivots;
    last = w;
  }
  settle_orders(f);
  return DM_OK;
}

// -- solve

INLINE double multiply_row(const double *restrict x, const double *restrict y, int from, int to) {
  double lane[LANES] = {0};
  for (int j = from & ~(LANES - 1); j < to; j += LANES)
    for (int l = 0; l < LANES; l++) lane[l] += x[j + l] * y[j + l];
  for (int n = LANES / 2; n > 0; n /= 2)
    for (int l = 0; l < n; l++) lane[l] += lane[l + n];
  return lane[0];
}

// the part of a front in a solve: w [width] holds x of its unknowns from `lead` on
typedef struct stage_part {
  const double *L, *D;
  const int *id, *order;
  int lead, count, width;
} stage_part;

static stage_part find_part(const oc_stage_factor *f, const oc_stage *s, int done) {
  const int begin = f->room - s->waited, from = begin & ~(LANES - 1);
  const int count = s->waited + s->own + s->later;
  return (stage_part){f->L + s->factor,
                      f->D + 2 * done,
                      f->id + s->id,
                      f->order + done,
                      begin - from,
                      count,
                      pad_lanes(begin + count) - from};
}

static void gather_part(const stage_part *p, const double *x, double *w) {
  for (int i = 0; i < p->lead; i++) w[i] = 0;
  for (int i = 0; i < p->count; i++) w[p->lead + i] = x[p->id[i]];
  for (int i = p->lead + p->count; i < p->width; i++) w[i] = 0;
}

DM_EACH_WIDTH static void solve_forward(const stage_part *p, int pivots, double *restrict w) {
  for (int i = 0; i < pivots; i++)
    subtract_row(w, p->L + (size_t)i * (size_t)p->width, w[p->lead + i], p->lead + i + 1, p->width);
}

// D L' x = y: what the later unknowns contribute to each row first, none of which depends on another,
// then its own from the last one back
DM_EACH_WIDTH static void solve_backward(const stage_part *p, int pivots, double *restrict w,
                                         double *restrict sum) {
  const int own = p->lead + pivots;
  double *restrict x = w + p->lead;
  const double *L = p->L;
  for (int i = 0; i < pivots; i++) {
    const double *D = p->D + 2 * i;
    sum[i] = x[i] * D[0];
    if (p->order[i] == 1) continue;
    sum[i] += x[i + 1] * D[1];
    sum[i + 1] = x[i] * D[1] + x[i + 1] * D[2];
    i++;
  }
  for (int j = p->lead; j < own; j++) w[j] = 0;
  for (int i = 0; i < pivots; i++)
    sum[i] -= multiply_row(L + (size_t)i * (size_t)p->width, w, own, p->width);

  // column by column
  for (int j = pivots - 1; j >= 0; j--) {
    const double *column = L + p->lead + j;
    x[j] = sum[j];
    for (int i = 0; i < j; i++) sum[i] -= column[(size_t)i * (size_t)p->width] * x[j];
  }
}

void oc_stage_factor_solve(const oc_stage_factor *f, double *x) {
  int done = 0;
  // L y = x
  for (int k = 0; k < f->stages; k++) {
    const stage_part p = find_part(f, f->stage + k, done);
    gather_part(&p, x, f->w);
    solve_forward(&p, f->stage[k].pivots, f->w);
    for (int i = 0; i < p.count; i++) x[p.id[i]] = f->w[p.lead + i];
    done += f->stage[k].pivots;
  }
  // D L' x = y
  for (int k = f->stages - 1; k >= 0; k--) {
    done -= f->stage[k].pivots;
    const stage_part p = find_part(f, f->stage + k, done);
    gather_part(&p, x, f->w);
    solve_backward(&p, f->stage[k].pivots, f->w, f->sum);
    for (int i = 0; i < f->stage[k].pivots; i++) x[p.id[i]] = f->w[p.lead + i];
  }
}

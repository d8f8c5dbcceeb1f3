// optim/ldl.c: see ldl.h.
//
// What the arrays hold. ikeep, from ordering to factoring: the level of each unknown, from 1 [n],
// and the most rows the window may have, negative once iw holds the entries by level. iw: the
// header below, the place in the window of each unknown [n], the first entry of each level
// [levels+1], the entries by level [nz], one record for each pivot upwards and their lists of
// unknowns downwards from the end. a: the values [nz], the window, and the rows of L one after
// another, each ended by its D.
#include "optim/ldl.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// how many pivots there are, where their records begin in iw, and their rows of L in a
enum { PIVOTS, RECORDS, ROWS, HEADER };

// of a pivot: the other columns of its row of L (less than 0: -1 - that of a pair's two rows), and
// where the list of its window's unknowns stands in iw
enum { SIZE, LIST, RECORD };

static const double strong = 0.01; // ratio of a pivot to its column that is asked for first

void oc_ldl_default(int *icntl, double *cntl) {
  memset(icntl, 0, 30 * sizeof *icntl);
  memset(cntl, 0, 5 * sizeof *cntl);
  cntl[0] = 1e-8;
}

// entries of the first i rows of a triangle
static size_t triangle(int i) {
  return (size_t)i * ((size_t)i + 1) / 2;
}

// -- order

// Visit what is reachable from `root` level by level, starting at level `first`; queue gets the
// unknowns in order. Returns how many there are; *last is the last level.
static int walk(int root, int first, const int *start, const int *to, int *level, int *queue,
                int *last) {
  int count = 0;
  queue[count++] = root;
  level[root] = first;
  for (int i = 0; i < count; i++) {
    int v = queue[i];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (level[to[e]] == 0) {
        level[to[e]] = level[v] + 1;
        queue[count++] = to[e];
      }
  }
  *last = level[queue[count - 1]];
  return count;
}

// neighbours of each unknown: to[start[v] .. start[v+1])
static void neighbours(int n, int nz, const int *row, const int *col, int *start, int *to) {
  memset(start, 0, (size_t)(n + 1) * sizeof *start);
  for (int e = 0; e < nz; e++)
    if (row[e] != col[e]) start[row[e] - 1]++, start[col[e] - 1]++;
  for (int v = 0, sum = 0; v <= n; v++) sum += start[v], start[v] = sum;
  for (int e = nz - 1; e >= 0; e--) {
    int i = row[e] - 1, j = col[e] - 1;
    if (i != j) to[--start[i]] = j, to[--start[j]] = i;
  }
}

// The window's rows at each level where no pivot waits: an unknown enters at the first level among
// its neighbours' and leaves after its own. Returns the most there are; *size gets the entries of
// all rows of L, *list those of the records.
static int predict(int n, int levels, const int *start, const int *to, const int *level, int *count,
                   double *size) {
  // count[l]: how many enter less how many have left
  memset(count, 0, (size_t)(levels + 2) * sizeof *count);
  for (int v = 0; v < n; v++) {
    int first = level[v];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (level[to[e]] < first) first = level[to[e]];
    count[first]++, count[level[v] + 1]--;
  }
  int most = 0, rows = 0;
  *size = 0;
  for (int l = 1; l <= levels; l++) {
    rows += count[l];
    if (rows > most) most = rows;
    count[l] = rows;
  }
  for (int v = 0; v < n; v++) *size += count[level[v]] + 2;
  return most;
}

void oc_ldl_order(int *n_, int *nz_, const int *row, const int *col, int *iw, int *liw, int *ikeep,
                  int *iw1, int *nsteps, int *iflag, int *icntl, double *cntl, int *info,
                  double *ops) {
  (void)liw, (void)iflag, (void)icntl, (void)cntl;
  int n = *n_, nz = *nz_;
  memset(info, 0, 20 * sizeof *info);
  *ops = 0;
  for (int e = 0; e < nz; e++)
    if (row[e] < 1 || row[e] > n || col[e] < 1 || col[e] > n) {
      info[0] = 1;
      return;
    }
  int *start = iw, *to = iw + n + 1, *count = to + 2 * nz, *level = ikeep, *order = iw1;
  neighbours(n, nz, row, col, start, to);
  // what is coupled to far more than the average waits for the end
  memset(level, 0, (size_t)n * sizeof *level);
  double many = 40 + 10.0 * start[n] / n;
  for (int v = 0; v < n; v++)
    if (start[v + 1] - start[v] > many) level[v] = INT_MAX;
  int levels = 0, done = 0;
  for (int v = 0; v < n; v++) {
    if (level[v] != 0) continue;
    // from the far end of a walk from anywhere: the levels are then many and small
    int last, size = walk(v, levels + 1, start, to, level, order, &last);
    for (int i = 0; i < size; i++) level[order[i]] = 0;
    done += walk(order[size - 1], levels + 1, start, to, level, order, &levels);
  }
  if (done < n) levels++;
  for (int v = 0; v < n; v++)
    if (level[v] == INT_MAX) level[v] = levels;
  double size;
  int rows = predict(n, levels, start, to, level, count, &size);
  int room = rows + rows / 2 + 8; // some wait
  if (room > n) room = n;
  ikeep[n] = room;
  *nsteps = levels;
  double reals = nz + (double)triangle(room) + 1.5 * size + 64;
  double ints = HEADER + n + (levels + 1.0) + nz + RECORD * (double)n + 1.5 * size + 64;
  if (reals > INT_MAX || ints > INT_MAX) info[0] = 1;
  info[4] = (int)fmin(reals, INT_MAX);
  info[5] = (int)fmin(ints, INT_MAX);
}

// -- factor

typedef struct window {
  double *F;  // its lower triangle, row by row; row i begins at triangle(i)
  int m;      // rows
  int *var;   // the unknown of each row        [m]
  int *place; // the row of each unknown, or -1 [n]
  const int *level;
  int now;     // unknowns up to this level are complete
  bool listed; // the last list still holds the first m unknowns
} window;

static double *row_of(const window *w, int i) {
  return w->F + triangle(i);
}

static bool complete(const window *w, int i) {
  return w->level[w->var[i]] <= w->now;
}

// the largest entry of column p beside the diagonal and row `but`
static double column_max(const window *w, int p, int but) {
  double most = 0;
  const double *row = row_of(w, p), *F = row + p + 1 + p; // entry p of the row after p
  for (int i = 0; i < p; i++) {
    double v = fabs(row[i]);
    if (v > most && i != but) most = v;
  }
  for (int i = p + 1; i < w->m; F += ++i) {
    double v = fabs(*F);
    if (v > most && i != but) most = v;
  }
  return most;
}

// is no entry of column p beside the diagonal larger than limit?
static bool all_within(const window *w, int p, double limit) {
  const double *row = row_of(w, p), *F = row + p + 1 + p;
  for (int i = 0; i < p; i++)
    if (!(fabs(row[i]) <= limit)) return false;
  for (int i = p + 1; i < w->m; F += ++i)
    if (!(fabs(*F) <= limit)) return false;
  return true;
}

// the complete row with the largest entry of column p beside the diagonal; -1: they are all zero
static int partner_of(const window *w, int p) {
  int partner = -1;
  double most = 0;
  for (int i = 0; i < w->m; i++) {
    if (i == p || !complete(w, i)) continue;
    double v = fabs(i < p ? row_of(w, p)[i] : row_of(w, i)[p]);
    if (v > most) most = v, partner = i;
  }
  return partner;
}

static void swap(double *a, double *b) {
  double c = *a;
  *a = *b;
  *b = c;
}

// exchange rows and columns p < q
static void exchange(window *w, int p, int q) {
  if (p == q) return;
  double *row_p = row_of(w, p), *row_q = row_of(w, q);
  for (int i = 0; i < p; i++) swap(&row_p[i], &row_q[i]);
  for (int i = p + 1; i < q; i++) swap(&row_of(w, i)[p], &row_q[i]);
  for (int i = q + 1; i < w->m; i++) swap(&row_of(w, i)[p], &row_of(w, i)[q]);
  swap(&row_p[p], &row_q[q]);
  int a = w->var[p], b = w->var[q];
  w->var[p] = b, w->var[q] = a;
  w->place[b] = p, w->place[a] = q;
  w->listed = false;
}

// Choose a pivot with row p whose entries are at least u times those of its columns, and bring it
// to the end of the window. Returns its order, 1 or 2; 0: there is none.
static int choose(window *w, int p, double u) {
  int end = w->m - 1;
  double d = fabs(row_of(w, p)[p]);
  if (d > 0 && all_within(w, p, d / u)) {
    exchange(w, p, end);
    return 1;
  }
  int r = partner_of(w, p);
  if (r < 0) return 0;
  double most_p = column_max(w, p, r), most_r = column_max(w, r, p);
  double a = row_of(w, p)[p], b = row_of(w, r)[r], c = p > r ? row_of(w, p)[r] : row_of(w, r)[p];
  double det = fabs(a * b - c * c);
  if (!(det > 0) || u * (fabs(b) * most_p + fabs(c) * most_r) > det ||
      u * (fabs(c) * most_p + fabs(a) * most_r) > det)
    return 0;
  exchange(w, p, end);
  exchange(w, r == end ? p : r, end - 1);
  return 2;
}

// eliminate the last row: L into out [m-1], then D
static int eliminate(window *w, double *restrict out) {
  int n = --w->m;
  const double *row = row_of(w, n);
  double d = row[n];
  for (int i = 0; i < n; i++) {
    double l = out[i] = row[i] / d, *restrict F = row_of(w, i);
    for (int j = 0; j <= i; j++) F[j] -= l * row[j];
  }
  out[n] = d;
  return d < 0;
}

// eliminate the last two rows: L of the one and of the other into out [2 (m-2)], then D
static int eliminate_pair(window *w, double *restrict out) {
  int n = w->m -= 2;
  const double *a = row_of(w, n), *b = row_of(w, n + 1);
  double d11 = a[n], d21 = b[n], d22 = b[n + 1], det = d11 * d22 - d21 * d21;
  for (int i = 0; i < n; i++) {
    double l1 = out[i] = (d22 * a[i] - d21 * b[i]) / det, *restrict F = row_of(w, i);
    double l2 = out[n + i] = (d11 * b[i] - d21 * a[i]) / det;
    for (int j = 0; j <= i; j++) F[j] -= l1 * a[j] + l2 * b[j];
  }
  out[2 * n] = d11, out[2 * n + 1] = d21, out[2 * n + 2] = d22;
  return det < 0 ? 1 : d11 < 0 ? 2 : 0;
}

// entries by the level at which they are added: the first of their two unknowns'
static void sort_entries(int levels, int nz, const int *row, const int *col, const int *level,
                         int *first, int *entry) {
  memset(first, 0, (size_t)(levels + 1) * sizeof *first);
#define LEVEL(e) (level[row[e] - 1] < level[col[e] - 1] ? level[row[e] - 1] : level[col[e] - 1])
  for (int e = 0; e < nz; e++) first[LEVEL(e)]++;
  for (int l = 1; l <= levels; l++) first[l] += first[l - 1];
  for (int e = nz - 1; e >= 0; e--) entry[--first[LEVEL(e)]] = e;
#undef LEVEL
}

// the row of unknown v, entered at the end where it has none; -1: the window is full
static int enter(window *w, int v, int room) {
  if (w->place[v] >= 0) return w->place[v];
  if (w->m == room) return -1;
  memset(row_of(w, w->m), 0, ((size_t)w->m + 1) * sizeof(double));
  w->var[w->m] = v;
  w->listed = false;
  return w->place[v] = w->m++;
}

// Rows of L and records as they come: both grow until they meet their ends.
typedef struct output {
  double *row, *row_end; // the next row of L, and the end of a
  int *iw, *record;      // the next record
  int *list;             // the last list
  int pivots, negative;
} output;

// eliminate the pivot of order 1 or 2 at the window's end; 0 or the status of what is too small
static int put_pivot(output *o, window *w, int order) {
  int m = w->m;
  if (!w->listed) {
    if (o->list - o->record < m + RECORD) return -3;
    o->list -= m;
    memcpy(o->list, w->var, (size_t)m * sizeof(int));
    w->listed = true;
  }
  if (o->list - o->record < RECORD) return -3;
  if (o->row_end - o->row < 2 * m) return -4;
  for (int i = m - order; i < m; i++) w->place[w->var[i]] = -1;
  int n = m - order;
  o->record[SIZE] = order == 1 ? n : -1 - n;
  o->record[LIST] = (int)(o->list - o->iw);
  o->record += RECORD;
  o->negative += order == 1 ? eliminate(w, o->row) : eliminate_pair(w, o->row);
  o->row += order == 1 ? n + 1 : 2 * n + 3;
  o->pivots++;
  return 0;
}

// eliminate what is complete by pivots of ratio u, until none of the waiting has one
static int eliminate_complete(output *o, window *w, double u) {
  int p = w->m - 1;
  for (int failed = 0; failed < w->m; failed++, p--) {
    if (p < 0 || p >= w->m) p = w->m - 1;
    if (!complete(w, p)) continue;
    int order = choose(w, p, u);
    if (order == 0) continue;
    int status = put_pivot(o, w, order);
    if (status < 0) return status;
    failed = -1;
  }
  return 0;
}

static int waiting(const window *w) {
  int count = 0;
  for (int i = 0; i < w->m; i++) count += complete(w, i);
  return count;
}

// add the entries of one level and eliminate; 0, or -2 where the window is full, or -3, -4, -5
static int take_level(output *o, window *w, int room, int count, const int *entry, const int *row,
                      const int *col, const double *a, double u, bool last) {
  for (int e = 0; e < count; e++) {
    int i = enter(w, row[entry[e]] - 1, room), j = enter(w, col[entry[e]] - 1, room);
    if (i < 0 || j < 0) return -2;
    row_of(w, i > j ? i : j)[i > j ? j : i] += a[entry[e]];
  }
  int status = eliminate_complete(o, w, strong);
  if (status == 0 && (last || 3 * waiting(w) > room)) status = eliminate_complete(o, w, u);
  if (status == 0 && last) status = eliminate_complete(o, w, 0);
  return status == 0 && last && w->m > 0 ? -5 : status;
}

void oc_ldl_factor(int *n_, int *nz_, const int *row, const int *col, double *a, int *la, int *iw,
                   int *liw, int *ikeep, int *nsteps, int *maxfrt, int *iw1, int *icntl,
                   double *cntl, int *info) {
  (void)icntl;
  int n = *n_, nz = *nz_, levels = *nsteps, room = ikeep[n] < 0 ? -ikeep[n] : ikeep[n];
  memset(info, 0, 20 * sizeof *info);
  *maxfrt = 1;
  int *place = iw + HEADER, *first = place + n, *entry = first + levels + 1;
  double *F = a + nz, *L = F + triangle(room);
  if (ikeep[n] > 0) sort_entries(levels, nz, row, col, ikeep, first, entry);
  ikeep[n] = -room;
  memset(place, -1, (size_t)n * sizeof *place); // -1 in every int
  window w = {.F = F, .var = iw1, .place = place, .level = ikeep};
  output o = {L, a + *la, iw, entry + nz, iw + *liw, 0, 0};
  iw[RECORDS] = (int)(o.record - iw), iw[ROWS] = (int)(L - a);
  int status = 0;
  for (int l = 1; l <= levels && status == 0; l++) {
    int end = l < levels ? first[l + 1] : nz;
    w.now = l;
    status = take_level(&o, &w, room, end - first[l], entry + first[l], row, col, a, cntl[0],
                        l == levels);
  }
  if (status == -2) {
    // more had to wait than there was room for: a larger window, and what follows it
    int larger = 2 * room < n ? 2 * room : n;
    info[1] = (int)fmin(*la + (double)(triangle(larger) - triangle(room)), INT_MAX / 4);
    room = larger, status = -4;
  } else if (status == -3) {
    info[1] = *liw;
  } else if (status == -4) {
    info[1] = *la;
  }
  if (status == -3 || status == -4) ikeep[n] = room; // iw will be new
  iw[PIVOTS] = o.pivots;
  info[0] = status;
  info[14] = o.negative;
}

// -- solve

static void forward(int order, int n, const double *L, const int *list, double *x) {
  for (int p = 0; p < order; p++, L += n) {
    double v = x[list[n + p]];
    for (int j = 0; j < n; j++) x[list[j]] -= L[j] * v;
  }
}

static void backward(int order, int n, const double *L, const int *list, double *x) {
  const double *D = L + order * n;
  double y[2] = {x[list[n]], 0};
  if (order == 1) {
    y[0] /= D[0];
  } else {
    double b = x[list[n + 1]], det = D[0] * D[2] - D[1] * D[1];
    y[1] = (D[0] * b - D[1] * y[0]) / det;
    y[0] = (D[2] * y[0] - D[1] * b) / det;
  }
  for (int p = 0; p < order; p++, L += n) {
    for (int j = 0; j < n; j++) y[p] -= L[j] * x[list[j]];
    x[list[n + p]] = y[p];
  }
}

void oc_ldl_solve(int *n, double *a, int *la, int *iw, int *liw, double *w, int *maxfrt,
                  double *rhs, int *iw1, int *nsteps, int *icntl, double *cntl) {
  (void)n, (void)la, (void)liw, (void)w, (void)maxfrt, (void)iw1, (void)nsteps, (void)icntl;
  (void)cntl;
  const int *record = iw + iw[RECORDS];
  const double *L = a + iw[ROWS];
  for (int k = 0; k < iw[PIVOTS]; k++, record += RECORD) {
    int order = record[SIZE] < 0 ? 2 : 1, size = order == 2 ? -1 - record[SIZE] : record[SIZE];
    forward(order, size, L, iw + record[LIST], rhs);
    L += order == 1 ? size + 1 : 2 * size + 3;
  }
  for (int k = iw[PIVOTS] - 1; k >= 0; k--) {
    record -= RECORD;
    int order = record[SIZE] < 0 ? 2 : 1, size = order == 2 ? -1 - record[SIZE] : record[SIZE];
    L -= order == 1 ? size + 1 : 2 * size + 3;
    backward(order, size, L, iw + record[LIST], rhs);
  }
}

// -- IPOPT's side

#if defined HAVE_LSL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <HSLLoader.h>
#pragma GCC diagnostic pop

bool oc_ldl_install(void) {
  LSL_setMA27(oc_ldl_order, oc_ldl_factor, oc_ldl_solve, oc_ldl_default);
  return true;
}
#else
bool oc_ldl_install(void) {
  return false;
}
#endif

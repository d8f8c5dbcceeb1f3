// optim/nlp/ldl.c: see ldl.h.
//
// Contents of the arrays. ikeep, from ordering to factorization: the step of each unknown, from 1
// [n]; at n the largest number of rows of the window, negative once iw contains the entries by
// step; at n + 1 its first value; from 2 n the step from which each unknown is tried [n]. iw: the
// header below, the position in the window of each unknown [n], the first entry of each step
// [steps+1], the entries by step [nz], then one record per pivot upwards, and their lists of
// unknowns downwards from the end. a: the values [nz], the window, and the rows of L consecutively,
// each followed by its D.
#include "optim/nlp/ldl.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// number of pivots, start of their records in iw, and of their rows of L in a
enum { PIVOTS, RECORDS, ROWS, HEADER };

// of a pivot: number of other columns of its row of L (negative: -1 minus that of a pair's two
// rows), and the position in iw of the list of its window's unknowns
enum { SIZE, LIST, RECORD };

// number of unknowns that a step completes before it may bring others into the window; number of
// steps after which an unknown without a pivot is tried again
enum { TOGETHER = 4, AGAIN = 2 };

// window size above which the search for one pivot takes longer than a clock query
enum { WIDE = 64 };

static const double strong = 0.001; // ratio of a pivot to its column in the first search

// Unknowns without a pivot stay in the window, and dependent rows stay to the end. If the window
// exceeds WIDER times the predicted one and the factorization needs more than PRODUCTS
// multiplications, the matrix counts as singular. The caller then shifts the diagonal, so that all
// of them have a pivot at once.
static const double WIDER = 4, PRODUCTS = 2e8;

void oc_ldl_default(int *icntl, double *cntl) {
  memset(icntl, 0, 30 * sizeof *icntl);
  memset(cntl, 0, 5 * sizeof *cntl);
  cntl[0] = 1e-8;
}

// entries of a window with `room` rows, plus two rows for its pivots
static size_t window_area(int room) {
  return (size_t)room * ((size_t)room + 2);
}

// -- order

// neighbors of each unknown: to[start[v] .. start[v+1])
static void list_neighbours(int n, int nz, const int *row, const int *col, int *start, int *to) {
  // start[v]: number of neighbors, then the end of their list
  memset(start, 0, (size_t)(n + 1) * sizeof *start);
  for (int e = 0; e < nz; e++)
    if (row[e] != col[e]) {
      start[row[e] - 1]++;
      start[col[e] - 1]++;
    }
  for (int v = 0, sum = 0; v <= n; v++) { // ends of the lists
    sum += start[v];
    start[v] = sum;
  }

  // fill each list from its end: start[v] becomes its start
  for (int e = nz - 1; e >= 0; e--) {
    int i = row[e] - 1, j = col[e] - 1;
    if (i != j) {
      to[--start[i]] = j;
      to[--start[j]] = i;
    }
  }
}

// Breadth-first search from `root`, starting with level 1; queue gets the unknowns in order.
// Returns their number. Unknowns that have a step are not visited.
static int walk_levels(int root, const int *start, const int *to, const int *step, int *level,
                       int *queue) {
  int count = 0;
  // the queue is the order of visits
  queue[count++] = root;
  level[root] = 1;
  for (int i = 0; i < count; i++) {
    int v = queue[i];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (level[to[e]] == 0 && step[to[e]] == 0) {
        level[to[e]] = level[v] + 1;
        queue[count++] = to[e];
      }
  }
  return count;
}

// Assign steps from `root`: among the front, the neighbors of unknowns that have a step, choose the
// one that adds the fewest unknowns to the front and has a low level. Returns the last step; new[v]
// is the number of neighbors of v outside the front.
static int assign_steps(int root, int last, const int *start, const int *to, const int *level,
                        int *step, int *new, int *front) {
  // the front starts with the root
  int size = 0, first = last + 1, count = 0;
  front[size++] = root;
  step[root] = -1;
  for (int e = start[root]; e < start[root + 1]; e++) new[to[e]]--;

  while (size > 0) {
    // the unknown of the front with the fewest new neighbors at a low level
    int next = 0, least = INT_MAX;
    for (int i = 0; i < size; i++) {
      int bad = 2 * new[front[i]] + level[front[i]]; // a new neighbor counts as two levels
      if (bad < least) {
        least = bad;
        next = i;
      }
    }

    // remove it from the front; a full step ends if the unknown would add others
    int v = front[next];
    memmove(front + next, front + next + 1, (size_t)(--size - next) * sizeof *front);
    if (last < first || (new[v] > 0 && count >= TOGETHER)) {
      last++;
      count = 0;
    }
    count++;
    step[v] = last;

    // add its neighbors to the front
    for (int e = start[v]; e < start[v + 1]; e++) {
      int w = to[e];
      if (step[w] != 0) continue;
      front[size++] = w;
      step[w] = -1;
      for (int f = start[w]; f < start[w + 1]; f++) new[to[f]]--;
    }
  }
  return last;
}

// The rows of the window at each step without delays: an unknown enters at the first step of its
// neighbors and leaves after its own. Returns the maximum; *size gets the number of entries of L,
// *products the multiplications of all pivots.
static int predict_window(int n, int steps, const int *start, const int *to, const int *step,
                          int *count, double *size, double *products) {
  // count[l]: number of unknowns entering minus number leaving
  memset(count, 0, (size_t)(steps + 2) * sizeof *count);
  for (int v = 0; v < n; v++) {
    // from the step of its first neighbor to its own
    int first = step[v];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (step[to[e]] < first) first = step[to[e]];
    count[first]++;
    count[step[v] + 1]--;
  }

  // the rows of the window at a step are the cumulative sum
  int max_rows = 0, rows = 0;
  *size = 0;
  for (int l = 1; l <= steps; l++) {
    rows += count[l];
    if (rows > max_rows) max_rows = rows;
    count[l] = rows;
  }

  // a pivot's row of L has the length of the window, its update the square
  *products = 0;
  for (int v = 0; v < n; v++) {
    *size += count[step[v]] + 2;
    *products += (double)count[step[v]] * count[step[v]];
  }
  return max_rows;
}

// The step of each unknown; returns the number of steps. queue [n] is scratch.
static int order_steps(int n, const int *start, const int *to, int *level, int *step, int *new,
                       int *queue) {
  // unknowns coupled to far more than the average are eliminated last
  double many = 40 + 10.0 * start[n] / n;
  int wide = 0, steps = 0;
  for (int v = 0; v < n; v++) {
    level[v] = 0;
    step[v] = start[v + 1] - start[v] > many ? INT_MAX : 0;
    wide += step[v] != 0;
  }

  // new[v]: neighbors that will get a step of the search
  for (int v = 0; v < n; v++) {
    new[v] = 0;
    for (int e = start[v]; e < start[v + 1]; e++) new[v] += step[to[e]] == 0;
  }

  // number each connected component separately, from the far end of a search, which gives many
  // small levels
  for (int v = 0; v < n; v++) {
    if (step[v] != 0) continue;
    int size = walk_levels(v, start, to, step, level, queue);
    int root = queue[size - 1];
    for (int i = 0; i < size; i++) level[queue[i]] = 0;
    walk_levels(root, start, to, step, level, queue);
    steps = assign_steps(root, steps, start, to, level, step, new, queue);
  }

  // the remaining unknowns form one last step
  if (wide > 0) steps++;
  for (int v = 0; v < n; v++)
    if (step[v] == INT_MAX) step[v] = steps;
  return steps;
}

void oc_ldl_order(int *n_, int *nz_, const int *row, const int *col, int *iw, int *liw, int *ikeep,
                  int *iw1, int *nsteps, int *iflag, int *icntl, double *cntl, int *info,
                  double *ops) {
  (void)liw;
  (void)iflag;
  (void)icntl;
  (void)cntl;
  int n = *n_, nz = *nz_;
  // refuse indices out of range
  memset(info, 0, 20 * sizeof *info);
  for (int e = 0; e < nz; e++)
    if (row[e] < 1 || row[e] > n || col[e] < 1 || col[e] > n) {
      info[0] = 1;
      *ops = 0;
      return;
    }

  // the graph of the matrix in iw; the step of each unknown
  int *start = iw, *to = iw + n + 1, *new = to + 2 * nz;
  int *step = ikeep, *level = ikeep + n;
  list_neighbours(n, nz, row, col, start, to);
  int steps = order_steps(n, start, to, level, step, new, iw1);

  // the window without delays, and half as much for delays
  double size;
  int rows = predict_window(n, steps, start, to, step, new, &size, ops);
  int room = rows + rows / 2 + 8; // for delays
  if (room > n) room = n;
  ikeep[n] = ikeep[n + 1] = room;
  *nsteps = steps;

  // lengths of a and iw: values, window and factors, with half of L as margin
  double reals = nz + (double)window_area(room) + 1.5 * size + 64;
  double ints = HEADER + n + (steps + 1.0) + nz + RECORD * (double)n + 1.5 * size + 64;
  if (reals > INT_MAX || ints > INT_MAX) {
    info[0] = 1;
    *ops = INFINITY;
  }
  info[4] = (int)fmin(reals, INT_MAX);
  info[5] = (int)fmin(ints, INT_MAX);
}

// -- factor

typedef struct window {
  double *F;  // row by row, both triangles: [room+2, room]
  int room;   // largest number of rows
  int m;      // current number of rows
  int *var;   // unknown of each row         [m]
  int *place; // row of each unknown, or -1  [n]
  int *from;  // step from which each unknown is tried as a pivot (again) [n]
  const int *step;
  int now; // unknowns up to this step are complete
  oc_deadline *deadline;
  bool listed; // the last list still contains the first m unknowns
} window;

static double *window_row(const window *w, int i) {
  return w->F + (size_t)i * (size_t)w->room;
}

static bool is_complete(const window *w, int i) {
  return w->step[w->var[i]] <= w->now;
}

// the largest of n entries
static double largest_entry(const double *row, int n) {
  // four maxima in parallel, for vectorization
  double lane[4] = {0};
  double largest = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) lane[k] = fabs(row[i + k]) > lane[k] ? fabs(row[i + k]) : lane[k];
  for (; i < n; i++) largest = fabs(row[i]) > largest ? fabs(row[i]) : largest;
  for (int k = 0; k < 4; k++) largest = lane[k] > largest ? lane[k] : largest;
  return largest;
}

// the largest of n entries, except those at p and q
static double largest_beside(const double *row, int n, int p, int q) {
  int i = p < q ? p : q;
  int j = p < q ? q : p;
  double a = largest_entry(row, i), b = largest_entry(row + i + 1, j - i - 1);
  double c = largest_entry(row + j + 1, n - j - 1);
  a = a > b ? a : b;
  return a > c ? a : c;
}

// returns true if no entry exceeds limit
static bool all_within(const double *row, int n, double limit) {
  int larger = 0;
  for (int i = 0; i < n; i++) larger |= !(fabs(row[i]) <= limit);
  return !larger;
}

// Choose a pivot with row p whose entries are at least u times those of its columns. Returns its
// order, 1 or 2, then with row *r; 0: none.
static int choose_pivot(const window *w, int p, double u, int *r_) {
  // order 1: |a| >= u times its column
  const double *P = window_row(w, p), *R;
  double a = P[p], d = fabs(a);
  if (d > 0 && all_within(P, p, d / u) && all_within(P + p + 1, w->m - p - 1, d / u)) return 1;

  // order 2: with the complete row of the largest coupling
  // the complete row with the largest off-diagonal entry of column p; -1: all are zero
  int partner = -1;
  double largest = 0;
  const double *row = window_row(w, p);
  for (int i = 0; i < w->m; i++) {
    // only complete unknowns may be pivots
    double v = fabs(row[i]);
    if (v > largest && i != p && is_complete(w, i)) {
      largest = v;
      partner = i;
    }
  }
  int r = *r_ = partner;

  if (r < 0) return 0; // no row to pair with: delay it
  R = window_row(w, r);

  // its inverse is at most 1/u of the adjacent columns (Duff-Reid)
  double b = R[r], c = P[r], det = fabs(a * b - c * c);
  double largest_p = largest_beside(P, w->m, p, r), largest_r = largest_beside(R, w->m, p, r);
  if (!(det > 0) || u * (fabs(b) * largest_p + fabs(c) * largest_r) > det ||
      u * (fabs(c) * largest_p + fabs(a) * largest_r) > det)
    return 0;
  return 2;
}

// Remove row and column p to row [m-1], and move the last ones to their place. Returns the diagonal
// entry.
static double take_row_out(window *w, int p, double *row) {
  int n = --w->m, v = w->var[p];
  double *P = window_row(w, p), *last = window_row(w, n), d = P[p];

  // remove the row
  memcpy(row, P, (size_t)n * sizeof *row);
  w->place[v] = -1;
  if (p == n) return d;

  // the last row and column move to its place
  row[p] = P[n];
  for (int i = 0; i < n; i++) window_row(w, i)[p] = last[i];
  memcpy(P, last, (size_t)n * sizeof *P);
  P[p] = last[n];
  w->var[p] = w->var[n];
  w->var[n] = v;
  w->place[w->var[p]] = p;
  w->listed = false;
  return d;
}

// eliminate row p: L into out [m-1], then D
static int eliminate_row(window *w, int p, double *restrict out) {
  double *restrict a = window_row(w, w->room), d = take_row_out(w, p, a);
  int n = w->m;

  // L = a/d
  for (int i = 0; i < n; i++) out[i] = a[i] / d;

  // F -= L a', row by row
  for (int i = 0; i < n; i++) {
    double l = out[i], *restrict F = window_row(w, i);
    if (l == 0) continue; // frequently zero: the window is wider than a row
    for (int j = 0; j < n; j++) F[j] -= l * a[j];
  }
  out[n] = d;
  return d < 0;
}

// eliminate rows p and r: L of both into out [2 (m-2)], then D
static int eliminate_pair(window *w, int p, int r, double *restrict out) {
  // remove both rows: a and b, with [d11 d21; d21 d22] between them
  double *restrict b = window_row(w, w->room), *restrict a = b + w->room,
                   d22 = take_row_out(w, p, b);
  int n = w->m - 1;
  if (r == w->m) r = p; // it was moved
  double d21 = b[r], d11 = take_row_out(w, r, a), det = d11 * d22 - d21 * d21;
  b[r] = b[n];

  // L = (a b) D^-1
  for (int i = 0; i < n; i++) {
    out[i] = (d22 * a[i] - d21 * b[i]) / det;
    out[n + i] = (d11 * b[i] - d21 * a[i]) / det;
  }

  // F -= L (a b)'
  for (int i = 0; i < n; i++) {
    double l1 = out[i], l2 = out[n + i], *restrict F = window_row(w, i);
    if (l1 == 0 && l2 == 0) continue;
    for (int j = 0; j < n; j++) F[j] -= l1 * a[j] + l2 * b[j];
  }
  out[2 * n] = d11;
  out[2 * n + 1] = d21;
  out[2 * n + 2] = d22;

  // inertia: one of each sign, or both of the sign of d11
  if (det < 0) return 1;
  return d11 < 0 ? 2 : 0;
}

// sort entries by the step at which they are added: the first of their two unknowns
static void sort_entries(int steps, int nz, const int *row, const int *col, const int *step,
                         int *first, int *entry) {
  memset(first, 0, (size_t)(steps + 1) * sizeof *first);
#define STEP(e) (step[row[e] - 1] < step[col[e] - 1] ? step[row[e] - 1] : step[col[e] - 1])
  for (int e = 0; e < nz; e++) first[STEP(e)]++;
  for (int l = 1; l <= steps; l++) first[l] += first[l - 1];
  for (int e = nz - 1; e >= 0; e--) entry[--first[STEP(e)]] = e;
#undef STEP
}

// the row of unknown v, appended if it has none; -1: the window is full
static int enter_window(window *w, int v) {
  if (w->place[v] >= 0) return w->place[v];
  if (w->m == w->room) return -1;
  // a zero row and column
  memset(window_row(w, w->m), 0, ((size_t)w->m + 1) * sizeof(double));
  for (int i = 0; i < w->m; i++) window_row(w, i)[w->m] = 0;
  w->var[w->m] = v;
  w->from[v] = w->step[v];
  w->listed = false;
  return w->place[v] = w->m++;
}

// Output of rows of L and records, both until their arrays are full.
typedef struct output {
  double *row, *row_end; // next row of L, and the end of a
  int *iw, *record;      // next record
  int *list;             // last list
  int pivots, negative;
} output;

// Eliminate row p, or p and r for order 2; returns 0, or the status of an array that is too small.
// The list contains the window's unknowns, then the pivot's.
static int put_pivot(output *o, window *w, int order, int p, int r) {
  // check the memory for a record with its list, and for rows of L
  int m = w->m, n = m - order;
  if (o->list - o->record < m + RECORD) return -3;
  if (o->row_end - o->row < 2 * m) return -4;

  // write L and D
  o->negative += order == 1 ? eliminate_row(w, p, o->row) : eliminate_pair(w, p, r, o->row);
  o->row += order == 1 ? n + 1 : 2 * n + 3;

  // write the list of the window's unknowns, unless the last one still starts with them
  if (!w->listed) {
    o->list -= m;
    memcpy(o->list, w->var, (size_t)m * sizeof(int));
    w->listed = true;
  }
  o->record[SIZE] = order == 1 ? n : -1 - n;
  o->record[LIST] = (int)(o->list - o->iw);
  o->record += RECORD;
  o->pivots++;
  return 0;
}

// returns true after the deadline
static bool is_over(const window *w) {
  return oc_deadline_ask(w->deadline) != DM_OK;
}

// eliminate complete unknowns by pivots with ratio u, until none of the waiting has one; `all`:
// including those tried recently
static int eliminate_complete(output *o, window *w, double u, bool all) {
  // cycle through the window from its end, until a whole cycle finds no pivot
  int p = w->m - 1;
  for (int failed = 0; failed < w->m; failed++, p--) {
    if (p < 0 || p >= w->m) p = w->m - 1;

    // only complete unknowns that were not tried recently
    int v = w->var[p];
    if (w->from[v] > w->now && !(all && w->step[v] <= w->now)) continue;

    if (w->m > WIDE && is_over(w)) return -6;
    int r = -1, order = choose_pivot(w, p, u, &r);
    if (order == 0) {
      w->from[v] = w->now + AGAIN;
      continue;
    }

    int status = put_pivot(o, w, order, p, r);
    if (status < 0) return status;
    failed = -1;
  }
  return 0;
}

static int count_waiting(const window *w) {
  int count = 0;
  for (int i = 0; i < w->m; i++) count += is_complete(w, i);
  return count;
}

// add the entries of one step and eliminate; returns 0, or -2 if the window is full, or -3 to -6
static int factor_step(output *o, window *w, int count, const int *entry, const int *row,
                       const int *col, const double *a, double u, bool last) {
  if (is_over(w)) return -6;

  // assemble both triangles; the unknowns enter the window
  for (int e = 0; e < count; e++) {
    int i = enter_window(w, row[entry[e]] - 1), j = enter_window(w, col[entry[e]] - 1);
    if (i < 0 || j < 0) return -2;
    window_row(w, i)[j] += a[entry[e]];
    if (i != j) window_row(w, j)[i] += a[entry[e]];
  }

  // strong pivots first; accepted ones if too many wait; any at the end
  int status = eliminate_complete(o, w, strong, false);
  if (status == 0 && (last || 3 * count_waiting(w) > w->room))
    status = eliminate_complete(o, w, u, true);
  if (status == 0 && last) status = eliminate_complete(o, w, 0, true);
  return status == 0 && last && w->m > 0 ? -5 : status;
}

void oc_ldl_factor_until(oc_deadline *deadline, int *n_, int *nz_, const int *row, const int *col,
                         double *a, int *la, int *iw, int *liw, int *ikeep, int *nsteps,
                         int *maxfrt, int *iw1, int *icntl, double *cntl, int *info) {
  (void)icntl;
  int n = *n_, nz = *nz_, steps = *nsteps, room = ikeep[n] < 0 ? -ikeep[n] : ikeep[n];
  memset(info, 0, 20 * sizeof *info);
  *maxfrt = 1;

  // parts of iw and a; entries are sorted by step in the first call only
  int *place = iw + HEADER, *first = place + n, *entry = first + steps + 1;
  double *F = a + nz, *L = F + window_area(room);
  if (ikeep[n] > 0) sort_entries(steps, nz, row, col, ikeep, first, entry);
  ikeep[n] = -room;

  // empty window
  memset(place, -1, (size_t)n * sizeof *place); // -1 in every int
  window w = {.F = F,
              .deadline = deadline,
              .room = room,
              .var = iw1,
              .place = place,
              .from = ikeep + 2 * n,
              .step = ikeep};
  output o = {L, a + *la, iw, entry + nz, iw + *liw, 0, 0};
  iw[RECORDS] = (int)(o.record - iw);
  iw[ROWS] = (int)(L - a);

  // step by step: assemble and eliminate
  int status = 0;
  for (int l = 1; l <= steps && status == 0; l++) {
    int end = l < steps ? first[l + 1] : nz;
    w.now = l;
    status =
        factor_step(&o, &w, end - first[l], entry + first[l], row, col, a, cntl[0], l == steps);
  }

  if (status == -2) {
    // more waiting unknowns than rows: enlarge the window, or treat the matrix as singular
    int larger = 2 * room < n ? 2 * room : n;
    const double products = (double)n * larger * larger;
    const bool wide = larger > WIDER * ikeep[n + 1] && products > PRODUCTS;
    info[1] = (int)fmin(*la + (double)(window_area(larger) - window_area(room)), INT_MAX / 4);
    status = wide ? -5 : -4;
    if (!wide) room = larger;
  } else if (status == -3) {
    info[1] = *liw;
  } else if (status == -4) {
    info[1] = *la;
  }
  if (status == -3 || status == -4) ikeep[n] = room; // iw will be reallocated

  // data for the caller and the solves
  iw[PIVOTS] = o.pivots;
  info[0] = status;
  info[14] = o.negative;
}

void oc_ldl_factor(int *n, int *nz, const int *row, const int *col, double *a, int *la, int *iw,
                   int *liw, int *ikeep, int *nsteps, int *maxfrt, int *iw1, int *icntl,
                   double *cntl, int *info) {
  oc_ldl_factor_until(NULL, n, nz, row, col, a, la, iw, liw, ikeep, nsteps, maxfrt, iw1, icntl,
                      cntl, info);
}

int oc_ldl_pivots(const int *iw, int *order, int *unknown) {
  const int *record = iw + iw[RECORDS];
  for (int k = 0; k < iw[PIVOTS]; k++, record += RECORD) {
    // the list ends with the pivot's own unknowns
    int size = record[SIZE] < 0 ? -1 - record[SIZE] : record[SIZE];
    order[k] = record[SIZE] < 0 ? 2 : 1;
    for (int i = 0; i < order[k]; i++) *unknown++ = iw[record[LIST] + size + i];
  }
  return iw[PIVOTS];
}

// -- solve

static void substitute_forward(int order, int n, const double *L, const int *list, double *x) {
  for (int p = 0; p < order; p++, L += n) {
    double v = x[list[n + p]]; // row p of L is subtracted from the window's unknowns
    for (int j = 0; j < n; j++) x[list[j]] -= L[j] * v;
  }
}

static void substitute_backward(int order, int n, const double *L, const int *list, double *x) {
  // y = D^-1 x for a pivot of order 1 or 2
  const double *D = L + order * n;
  double y[2] = {x[list[n]], 0};
  if (order == 1) {
    y[0] /= D[0];
  } else {
    double b = x[list[n + 1]], det = D[0] * D[2] - D[1] * D[1];
    y[1] = (D[0] * b - D[1] * y[0]) / det;
    y[0] = (D[2] * y[0] - D[1] * b) / det;
  }

  // x = y - L' x of the window's unknowns
  for (int p = 0; p < order; p++, L += n) {
    for (int j = 0; j < n; j++) y[p] -= L[j] * x[list[j]];
    x[list[n + p]] = y[p];
  }
}

void oc_ldl_solve(int *n, double *a, int *la, int *iw, int *liw, double *w, int *maxfrt,
                  double *rhs, int *iw1, int *nsteps, int *icntl, double *cntl) {
  (void)n;
  (void)la;
  (void)liw;
  (void)w;
  (void)maxfrt;
  (void)iw1;
  (void)nsteps;
  (void)icntl;
  (void)cntl;

  // L y = b, from the first pivot
  const int *record = iw + iw[RECORDS];
  const double *L = a + iw[ROWS];
  for (int k = 0; k < iw[PIVOTS]; k++, record += RECORD) {
    // order and columns of the pivot
    int order = record[SIZE] < 0 ? 2 : 1;
    int size = order == 2 ? -1 - record[SIZE] : record[SIZE];
    substitute_forward(order, size, L, iw + record[LIST], rhs);
    L += order == 1 ? size + 1 : 2 * size + 3;
  }

  // D L' x = y, from the last pivot
  for (int k = iw[PIVOTS] - 1; k >= 0; k--) {
    record -= RECORD;
    int order = record[SIZE] < 0 ? 2 : 1;
    int size = order == 2 ? -1 - record[SIZE] : record[SIZE];
    L -= order == 1 ? size + 1 : 2 * size + 3;
    substitute_backward(order, size, L, iw + record[LIST], rhs);
  }
}

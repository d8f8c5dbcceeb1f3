// optim/nlp/ldl.c: see ldl.h.
//
// What the arrays hold. ikeep, from ordering to factoring: the step of each unknown, from 1 [n],
// the most rows the window may have, negative once iw holds the entries by step, at n + 1 its first
// value, and from 2 n the step from which each unknown is tried [n]. iw: the header below, the place in
// the window of each unknown [n], the first entry of each step [steps+1], the entries by step [nz],
// one record for each pivot upwards and their lists of unknowns downwards from the end. a: the values [nz], the
// window, and the rows of L one after another, each ended by its D.
#include "optim/nlp/ldl.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

// how many pivots there are, where their records begin in iw, and their rows of L in a
enum { PIVOTS, RECORDS, ROWS, HEADER };

// of a pivot: the other columns of its row of L (less than 0: -1 - that of a pair's two rows), and
// where the list of its window's unknowns stands in iw
enum { SIZE, LIST, RECORD };

// how many unknowns a step completes before it may bring others into the window, and after how
// many steps what found no pivot is tried again
enum { TOGETHER = 4, AGAIN = 2 };

// rows of a window in which looking for one pivot takes longer than looking at the clock
enum { WIDE = 64 };

static const double strong = 0.001; // ratio of a pivot to its column that is asked for first

// Unknowns without a pivot stay in the window, and dependent rows stay to the end. If the window becomes
// WIDER times the predicted one and the factorization needs more than PRODUCTS multiplications, the matrix
// counts as singular. The caller then shifts the diagonal, so that each of them has a pivot at once.
static const double WIDER = 4, PRODUCTS = 2e8;

void oc_ldl_default(int *icntl, double *cntl) {
  memset(icntl, 0, 30 * sizeof *icntl);
  memset(cntl, 0, 5 * sizeof *cntl);
  cntl[0] = 1e-8;
}

// entries of a window of so many rows, and two more that its pivots stand in meanwhile
static size_t window_area(int room) {
  return (size_t)room * ((size_t)room + 2);
}

// -- order

// neighbours of each unknown: to[start[v] .. start[v+1])
static void list_neighbours(int n, int nz, const int *row, const int *col, int *start, int *to) {
  // start[v]: how many neighbours, then where their list ends
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

  // fill each list from its end: start[v] moves to where it begins
  for (int e = nz - 1; e >= 0; e--) {
    int i = row[e] - 1, j = col[e] - 1;
    if (i != j) {
      to[--start[i]] = j;
      to[--start[j]] = i;
    }
  }
}

// Visit what is reachable from `root` level by level, from level 1; queue gets the unknowns in
// order. Returns how many there are. Unknowns of a step are not visited.
static int walk_levels(int root, const int *start, const int *to, const int *step, int *level,
                       int *queue) {
  int count = 0;
  // breadth first: the queue is the order of visit
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

// From `root`, give each unknown its step: of the front, which are the neighbours of what has one,
// next comes what brings the fewest new ones into it and lies at a low level of the walk. Returns
// the last step; new[v] is how many neighbours of v are not in the front yet.
static int assign_steps(int root, int last, const int *start, const int *to, const int *level,
                        int *step, int *new, int *front) {
  // the front begins with the root alone
  int size = 0, first = last + 1, count = 0;
  front[size++] = root;
  step[root] = -1;
  for (int e = start[root]; e < start[root + 1]; e++) new[to[e]]--;

  while (size > 0) {
    // of the front, the unknown with the least new neighbours at a low level
    int next = 0, least = INT_MAX;
    for (int i = 0; i < size; i++) {
      int bad = 2 * new[front[i]] + level[front[i]]; // a new neighbour counts as two levels
      if (bad < least) {
        least = bad;
        next = i;
      }
    }

    // it leaves the front; a step is full where it would bring others in
    int v = front[next];
    memmove(front + next, front + next + 1, (size_t)(--size - next) * sizeof *front);
    if (last < first || (new[v] > 0 && count >= TOGETHER)) {
      last++;
      count = 0;
    }
    count++;
    step[v] = last;

    // its neighbours enter the front, and are new to none any more
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

// The window's rows at each step where no pivot waits: an unknown enters at the first step among
// its neighbours' and leaves after its own. Returns the most there are; *size gets the entries of
// all rows of L, *products the multiplications of all pivots.
static int predict_window(int n, int steps, const int *start, const int *to, const int *step,
                          int *count, double *size, double *products) {
  // count[l]: how many enter less how many have left
  memset(count, 0, (size_t)(steps + 2) * sizeof *count);
  for (int v = 0; v < n; v++) {
    // from its first neighbour's step to its own
    int first = step[v];
    for (int e = start[v]; e < start[v + 1]; e++)
      if (step[to[e]] < first) first = step[to[e]];
    count[first]++;
    count[step[v] + 1]--;
  }

  // the window's rows at a step are the sum of these
  int max_rows = 0, rows = 0;
  *size = 0;
  for (int l = 1; l <= steps; l++) {
    rows += count[l];
    if (rows > max_rows) max_rows = rows;
    count[l] = rows;
  }

  // a pivot's row of L is as long as the window, its update as large as the square
  *products = 0;
  for (int v = 0; v < n; v++) {
    *size += count[step[v]] + 2;
    *products += (double)count[step[v]] * count[step[v]];
  }
  return max_rows;
}

// The step of every unknown; returns how many there are. queue [n] is scratch.
static int order_steps(int n, const int *start, const int *to, int *level, int *step, int *new,
                       int *queue) {
  // what is coupled to far more than the average waits for the end
  double many = 40 + 10.0 * start[n] / n;
  int wide = 0, steps = 0;
  for (int v = 0; v < n; v++) {
    level[v] = 0;
    step[v] = start[v + 1] - start[v] > many ? INT_MAX : 0;
    wide += step[v] != 0;
  }

  // new[v]: neighbours that are to have a step of the walk
  for (int v = 0; v < n; v++) {
    new[v] = 0;
    for (int e = start[v]; e < start[v + 1]; e++) new[v] += step[to[e]] == 0;
  }

  // each connected part in steps of its own, from the far end of a walk from anywhere: the levels
  // are then many and small
  for (int v = 0; v < n; v++) {
    if (step[v] != 0) continue;
    int size = walk_levels(v, start, to, step, level, queue);
    int root = queue[size - 1];
    for (int i = 0; i < size; i++) level[queue[i]] = 0;
    walk_levels(root, start, to, step, level, queue);
    steps = assign_steps(root, steps, start, to, level, step, new, queue);
  }

  // what waits for the end is one last step
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
  // indices out of range are refused
  memset(info, 0, 20 * sizeof *info);
  for (int e = 0; e < nz; e++)
    if (row[e] < 1 || row[e] > n || col[e] < 1 || col[e] > n) {
      info[0] = 1;
      *ops = 0;
      return;
    }

  // the graph of the matrix, in iw; the step of each unknown
  int *start = iw, *to = iw + n + 1, *new = to + 2 * nz;
  int *step = ikeep, *level = ikeep + n;
  list_neighbours(n, nz, row, col, start, to);
  int steps = order_steps(n, start, to, level, step, new, iw1);

  // room for the window where no pivot waits, and half as much for those that do
  double size;
  int rows = predict_window(n, steps, start, to, step, new, &size, ops);
  int room = rows + rows / 2 + 8; // some wait
  if (room > n) room = n;
  ikeep[n] = ikeep[n + 1] = room;
  *nsteps = steps;

  // room for a and iw: values, window and factors with half of L over
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
  int room;   // the most rows
  int m;      // rows
  int *var;   // the unknown of each row        [m]
  int *place; // the row of each unknown, or -1 [n]
  int *from;  // the step from which each unknown is tried as a pivot (again) [n]
  const int *step;
  int now; // unknowns up to this step are complete
  oc_deadline *deadline;
  bool listed; // the last list still holds the first m unknowns
} window;

static double *window_row(const window *w, int i) {
  return w->F + (size_t)i * (size_t)w->room;
}

static bool is_complete(const window *w, int i) {
  return w->step[w->var[i]] <= w->now;
}

// the largest of n entries
static double largest_entry(const double *row, int n) {
  // four maxima side by side, for the compiler's lanes
  double lane[4] = {0};
  double largest = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) lane[k] = fabs(row[i + k]) > lane[k] ? fabs(row[i + k]) : lane[k];
  for (; i < n; i++) largest = fabs(row[i]) > largest ? fabs(row[i]) : largest;
  for (int k = 0; k < 4; k++) largest = lane[k] > largest ? lane[k] : largest;
  return largest;
}

// the largest of n entries beside those at p and q
static double largest_beside(const double *row, int n, int p, int q) {
  int i = p < q ? p : q;
  int j = p < q ? q : p;
  double a = largest_entry(row, i), b = largest_entry(row + i + 1, j - i - 1);
  double c = largest_entry(row + j + 1, n - j - 1);
  a = a > b ? a : b;
  return a > c ? a : c;
}

// is none of n entries larger than limit?
static bool all_within(const double *row, int n, double limit) {
  int larger = 0;
  for (int i = 0; i < n; i++) larger |= !(fabs(row[i]) <= limit);
  return !larger;
}

// the complete row with the largest entry of column p beside the diagonal; -1: they are all zero
static int partner_of(const window *w, int p) {
  int partner = -1;
  double largest = 0;
  const double *row = window_row(w, p);
  for (int i = 0; i < w->m; i++) {
    // only what is complete may be a pivot
    double v = fabs(row[i]);
    if (v > largest && i != p && is_complete(w, i)) {
      largest = v;
      partner = i;
    }
  }
  return partner;
}

// Choose a pivot with row p whose entries are at least u times those of its columns. Returns its
// order, 1 or 2, then with row *r; 0: there is none.
static int choose_pivot(const window *w, int p, double u, int *r_) {
  // order 1: |a| at least u times its column
  const double *P = window_row(w, p), *R;
  double a = P[p], d = fabs(a);
  if (d > 0 && all_within(P, p, d / u) && all_within(P + p + 1, w->m - p - 1, d / u)) return 1;

  // order 2: with the complete row it is coupled to most
  int r = *r_ = partner_of(w, p);
  if (r < 0) return 0; // no row to pair with: it waits
  R = window_row(w, r);

  // its inverse is at most 1/u of the columns beside it (Duff-Reid)
  double b = R[r], c = P[r], det = fabs(a * b - c * c);
  double largest_p = largest_beside(P, w->m, p, r), largest_r = largest_beside(R, w->m, p, r);
  if (!(det > 0) || u * (fabs(b) * largest_p + fabs(c) * largest_r) > det ||
      u * (fabs(c) * largest_p + fabs(a) * largest_r) > det)
    return 0;
  return 2;
}

// Take row and column p out, into row [m-1], and let the last ones have their place. Returns the
// entry on the diagonal.
static double take_row_out(window *w, int p, double *row) {
  int n = --w->m, v = w->var[p];
  double *P = window_row(w, p), *last = window_row(w, n), d = P[p];

  // the row leaves
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

  // F -= L a', a row at a time
  for (int i = 0; i < n; i++) {
    double l = out[i], *restrict F = window_row(w, i);
    if (l == 0) continue; // many are zero: the window is wider than a row
    for (int j = 0; j < n; j++) F[j] -= l * a[j];
  }
  out[n] = d;
  return d < 0;
}

// eliminate rows p and r: L of the one and of the other into out [2 (m-2)], then D
static int eliminate_pair(window *w, int p, int r, double *restrict out) {
  // both rows leave: a of the one, b of the other, [d11 d21; d21 d22] between them
  double *restrict b = window_row(w, w->room), *restrict a = b + w->room,
                   d22 = take_row_out(w, p, b);
  int n = w->m - 1;
  if (r == w->m) r = p; // it has been moved
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

  // inertia: one of each sign, or both of d11's
  if (det < 0) return 1;
  return d11 < 0 ? 2 : 0;
}

// entries by the step at which they are added: the first of their two unknowns'
static void sort_entries(int steps, int nz, const int *row, const int *col, const int *step,
                         int *first, int *entry) {
  memset(first, 0, (size_t)(steps + 1) * sizeof *first);
#define STEP(e) (step[row[e] - 1] < step[col[e] - 1] ? step[row[e] - 1] : step[col[e] - 1])
  for (int e = 0; e < nz; e++) first[STEP(e)]++;
  for (int l = 1; l <= steps; l++) first[l] += first[l - 1];
  for (int e = nz - 1; e >= 0; e--) entry[--first[STEP(e)]] = e;
#undef STEP
}

// the row of unknown v, entered at the end where it has none; -1: the window is full
static int enter_window(window *w, int v) {
  if (w->place[v] >= 0) return w->place[v];
  if (w->m == w->room) return -1;
  // a row and a column of zeros
  memset(window_row(w, w->m), 0, ((size_t)w->m + 1) * sizeof(double));
  for (int i = 0; i < w->m; i++) window_row(w, i)[w->m] = 0;
  w->var[w->m] = v;
  w->from[v] = w->step[v];
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

// Eliminate row p, or p and r where order is 2; 0 or the status of what is too small. The list
// holds the window's unknowns, then the pivot's.
static int put_pivot(output *o, window *w, int order, int p, int r) {
  // room for a record with its list, and for rows of L
  int m = w->m, n = m - order;
  if (o->list - o->record < m + RECORD) return -3;
  if (o->row_end - o->row < 2 * m) return -4;

  // L and D into their place
  o->negative += order == 1 ? eliminate_row(w, p, o->row) : eliminate_pair(w, p, r, o->row);
  o->row += order == 1 ? n + 1 : 2 * n + 3;

  // the list of the window's unknowns, unless the last one still begins with them
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

// is it time to give up?
static bool is_over(const window *w) {
  return oc_deadline_ask(w->deadline) != DM_OK;
}

// eliminate what is complete by pivots of ratio u, until none of the waiting has one; `all`: those
// too that were tried lately
static int eliminate_complete(output *o, window *w, double u, bool all) {
  // go round the window from its end, until a whole round found no pivot
  int p = w->m - 1;
  for (int failed = 0; failed < w->m; failed++, p--) {
    if (p < 0 || p >= w->m) p = w->m - 1;

    // only unknowns that are complete, and were not tried a moment ago
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

// add the entries of one step and eliminate; 0, or -2 where the window is full, or -3 to -6
static int factor_step(output *o, window *w, int count, const int *entry, const int *row,
                       const int *col, const double *a, double u, bool last) {
  if (is_over(w)) return -6;

  // assemble: entries of both triangles, their unknowns enter the window
  for (int e = 0; e < count; e++) {
    int i = enter_window(w, row[entry[e]] - 1), j = enter_window(w, col[entry[e]] - 1);
    if (i < 0 || j < 0) return -2;
    window_row(w, i)[j] += a[entry[e]];
    if (i != j) window_row(w, j)[i] += a[entry[e]];
  }

  // pivots of a strong ratio first; of the accepted one where too many wait; of any at the end
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

  // the parts of iw and a; entries are sorted by step at the first call alone
  int *place = iw + HEADER, *first = place + n, *entry = first + steps + 1;
  double *F = a + nz, *L = F + window_area(room);
  if (ikeep[n] > 0) sort_entries(steps, nz, row, col, ikeep, first, entry);
  ikeep[n] = -room;

  // an empty window
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

  // step by step: assemble, eliminate
  int status = 0;
  for (int l = 1; l <= steps && status == 0; l++) {
    int end = l < steps ? first[l + 1] : nz;
    w.now = l;
    status =
        factor_step(&o, &w, end - first[l], entry + first[l], row, col, a, cntl[0], l == steps);
  }

  if (status == -2) {
    // more unknowns wait than the window has rows: a larger window, or the matrix counts as singular
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
  if (status == -3 || status == -4) ikeep[n] = room; // iw will be new

  // what the caller and the solves read
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
    // the list ends with the pivot's own
    int size = record[SIZE] < 0 ? -1 - record[SIZE] : record[SIZE];
    order[k] = record[SIZE] < 0 ? 2 : 1;
    for (int i = 0; i < order[k]; i++) *unknown++ = iw[record[LIST] + size + i];
  }
  return iw[PIVOTS];
}

// -- solve

static void substitute_forward(int order, int n, const double *L, const int *list, double *x) {
  for (int p = 0; p < order; p++, L += n) {
    double v = x[list[n + p]]; // row p of L takes its share off the window's unknowns
    for (int j = 0; j < n; j++) x[list[j]] -= L[j] * v;
  }
}

static void substitute_backward(int order, int n, const double *L, const int *list, double *x) {
  // y = D^-1 x at the pivot, of order 1 or 2
  const double *D = L + order * n;
  double y[2] = {x[list[n]], 0};
  if (order == 1) {
    y[0] /= D[0];
  } else {
    double b = x[list[n + 1]], det = D[0] * D[2] - D[1] * D[1];
    y[1] = (D[0] * b - D[1] * y[0]) / det;
    y[0] = (D[2] * y[0] - D[1] * b) / det;
  }

  // x = y - L' x of the window
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

  // L x = b, from the first pivot on
  const int *record = iw + iw[RECORDS];
  const double *L = a + iw[ROWS];
  for (int k = 0; k < iw[PIVOTS]; k++, record += RECORD) {
    // order and columns of the pivot by its record
    int order = record[SIZE] < 0 ? 2 : 1;
    int size = order == 2 ? -1 - record[SIZE] : record[SIZE];
    substitute_forward(order, size, L, iw + record[LIST], rhs);
    L += order == 1 ? size + 1 : 2 * size + 3;
  }

  // D L' x = that, from the last pivot back
  for (int k = iw[PIVOTS] - 1; k >= 0; k--) {
    record -= RECORD;
    int order = record[SIZE] < 0 ? 2 : 1;
    int size = order == 2 ? -1 - record[SIZE] : record[SIZE];
    L -= order == 1 ? size + 1 : 2 * size + 3;
    substitute_backward(order, size, L, iw + record[LIST], rhs);
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

#include "optim/interior/static_factor.h"

#include "lib/base/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_RATIO = 1e-8;      // of a pivot to its column
static const long MOST_PRODUCTS = 20l << 20; // places that are looked up

static void lay_out_static_factor(void *self, dm_block *b) {
  oc_static_factor *f = self;
  size_t dim = (size_t)f->dim, nz = (size_t)f->nz;
  f->block = dm_block_alloc(b, dim, sizeof(int));
  f->unknown = dm_block_alloc(b, 2 * dim, sizeof(int));
  f->first = dm_block_alloc(b, dim + 1, sizeof(int));
  f->at = dm_block_alloc(b, dim + 1, sizeof(long));
  f->product = dm_block_alloc(b, dim + 1, sizeof(long));
  f->start = dm_block_alloc(b, dim + 1, sizeof(int));
  f->to = dm_block_alloc(b, 2 * nz, sizeof(int));
  f->slot = dm_block_alloc(b, dim, sizeof(int));
  f->child = dm_block_alloc(b, dim, sizeof(int));
  f->next = dm_block_alloc(b, dim, sizeof(int));
  f->place = dm_block_alloc(b, nz, sizeof(int));
}

dm_status oc_static_factor_new(oc_static_factor **out, int dim, int nz) {
  oc_static_factor sizes = {.dim = dim, .nz = nz};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_static_factor);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void oc_static_factor_free(oc_static_factor *f) {
  if (!f) return;
  free(f->list);
  free(f->target);
  free(f->val);
  free(f->work);
  dm_block_free(f);
}

// -- room

// room for so many items, and half as many more
static dm_status grow_array(void *array, long *room, long count, size_t size) {
  void **a = array;
  if (count <= *room) return DM_OK;
  long larger = count + count / 2 + 16;
  void *grown = realloc(*a, (size_t)larger * size);
  if (!grown) return DM_NO_MEMORY;
  *a = grown;
  *room = larger;
  return DM_OK;
}

dm_status oc_static_factor_reserve(oc_static_factor *f, double lists, double products) {
  const long n = (long)fmin(lists, (double)MOST_PRODUCTS) + 4l * f->dim;
  const long p = (long)fmin(products, (double)MOST_PRODUCTS);
  DM_TRY(grow_array(&f->list, &f->lists_room, n, sizeof *f->list));
  DM_TRY(grow_array(&f->val, &f->values_room, n, sizeof *f->val));
  DM_TRY(grow_array(&f->target, &f->products_room, p, sizeof *f->target));
  return grow_array(&f->work, &f->work_room, 2l * f->dim, sizeof *f->work);
}

// -- the pattern

static int order_of(const oc_static_factor *f, int k) {
  return f->unknown[2 * k + 1] < 0 ? 1 : 2;
}

static int list_size(const oc_static_factor *f, int k) {
  return f->first[k + 1] - f->first[k];
}

// both triangles by rows
static void list_entries(oc_static_factor *f, const int *row, const int *col) {
  memset(f->start, 0, ((size_t)f->dim + 1) * sizeof *f->start);
  for (int e = 0; e < f->nz; e++) {
    f->start[row[e] - 1]++;
    f->start[col[e] - 1]++;
  }
  for (int v = 0, sum = 0; v <= f->dim; v++) {
    sum += v < f->dim ? f->start[v] : 0;
    f->start[v] = sum;
  }
  for (int e = 0; e < f->nz; e++) {
    f->to[--f->start[row[e] - 1]] = col[e] - 1;
    f->to[--f->start[col[e] - 1]] = row[e] - 1;
  }
}

static void number_pivots(oc_static_factor *f, int npivots, const int *order, const int *pivots) {
  f->blocks = npivots;
  for (int k = 0; k < npivots; k++) {
    for (int i = 0; i < 2; i++) {
      f->unknown[2 * k + i] = i < order[k] ? *pivots : -1;
      if (i < order[k]) f->block[*pivots++] = k;
    }
  }
}

// v joins the list of pivot k, unless it is there or has been eliminated
static void join_list(oc_static_factor *f, int k, int v) {
  if (f->block[v] <= k || f->slot[v] == k) return;
  f->slot[v] = k;
  f->list[f->lists++] = v;
}

// by the pivots that take them, the two of one side by side
static void sort_list(const oc_static_factor *f, int *list, int n) {
  for (int i = 1; i < n; i++) {
    int v = list[i], j = i;
    for (; j > 0; j--) {
      int w = list[j - 1];
      if (f->block[w] < f->block[v] || (f->block[w] == f->block[v] && w < v)) break;
      list[j] = w;
    }
    list[j] = v;
  }
}

// The list of each pivot: its entries' unknowns, and those of the pivots that it is the first to
// follow (the elimination tree).
static dm_status find_lists(oc_static_factor *f) {
  f->lists = 0;
  for (int v = 0; v < f->dim; v++) f->slot[v] = -1;
  for (int k = 0; k < f->blocks; k++) f->child[k] = -1;
  for (int k = 0; k < f->blocks; k++) {
    DM_TRY(grow_array(&f->list, &f->lists_room, f->lists + f->dim, sizeof *f->list));
    f->first[k] = (int)f->lists;
    for (int i = 0; i < order_of(f, k); i++) {
      int v = f->unknown[2 * k + i];
      for (int e = f->start[v]; e < f->start[v + 1]; e++) join_list(f, k, f->to[e]);
    }
    for (int c = f->child[k]; c >= 0; c = f->next[c])
      for (int i = f->first[c]; i < f->first[c + 1]; i++) join_list(f, k, f->list[i]);
    f->first[k + 1] = (int)f->lists;

    // its first follower has it for a child
    int n = list_size(f, k);
    sort_list(f, f->list + f->first[k], n);
    if (n == 0) continue;
    int parent = f->block[f->list[f->first[k]]];
    f->next[k] = f->child[parent];
    f->child[parent] = k;
  }
  return DM_OK;
}

// where values and products of each pivot begin
static void place_pivots(oc_static_factor *f) {
  f->at[0] = f->product[0] = 0;
  for (int k = 0; k < f->blocks; k++) {
    long n = list_size(f, k), order = order_of(f, k);
    f->at[k + 1] = f->at[k] + (order == 1 ? 1 : 3) + order * n;
    f->product[k + 1] = f->product[k] + n * (n + 1) / 2;
  }
  f->values = f->at[f->blocks];
  f->products = f->product[f->blocks];
}

// slots of the unknowns in the list of pivot k; of its own unknowns -1 - which
static void show_slots(oc_static_factor *f, int k) {
  for (int i = f->first[k]; i < f->first[k + 1]; i++) f->slot[f->list[i]] = i - f->first[k];
  f->slot[f->unknown[2 * k]] = -1;
  if (order_of(f, k) == 2) f->slot[f->unknown[2 * k + 1]] = -2;
}

// the place of (v, w), v an unknown of pivot k, w one of it or of its list; slots are shown
static long place_of_pair(const oc_static_factor *f, int k, int v, int w) {
  const int second = v != f->unknown[2 * k];
  if (f->slot[w] < 0) return f->at[k] + second + (-1 - f->slot[w]); // D: 11, 21, 22
  return f->at[k] + (order_of(f, k) == 1 ? 1 : 3) + (long)second * list_size(f, k) + f->slot[w];
}

static void place_products(oc_static_factor *f) {
  for (int k = 0; k < f->blocks; k++) {
    const int *list = f->list + f->first[k], n = list_size(f, k);
    int *target = f->target + f->product[k];
    for (int i = 0, shown = -1; i < n; i++) {
      const int owner = f->block[list[i]];
      if (owner != shown) show_slots(f, owner);
      shown = owner;
      // with itself and with those behind it
      for (int j = i; j < n; j++) *target++ = (int)place_of_pair(f, owner, list[i], list[j]);
    }
  }
}

static void place_entries(oc_static_factor *f, const int *row, const int *col) {
  // entries by pivot: child heads their lists, place links them meanwhile
  for (int k = 0; k < f->blocks; k++) f->child[k] = -1;
  for (int e = 0; e < f->nz; e++) {
    int a = f->block[row[e] - 1], b = f->block[col[e] - 1], k = a < b ? a : b;
    f->place[e] = f->child[k];
    f->child[k] = e;
  }
  for (int k = 0; k < f->blocks; k++) {
    show_slots(f, k);
    for (int e = f->child[k], after; e >= 0; e = after) {
      int v = row[e] - 1, w = col[e] - 1;
      bool swap = f->block[v] != k;
      after = f->place[e];
      f->place[e] = (int)place_of_pair(f, k, swap ? w : v, swap ? v : w);
    }
  }
}

dm_status oc_static_factor_record(oc_static_factor *f, const int *row, const int *col, int npivots,
                                  const int *order, const int *pivots) {
  long longest = 0;
  list_entries(f, row, col);
  number_pivots(f, npivots, order, pivots);
  DM_TRY(find_lists(f));
  place_pivots(f);
  for (int k = 0; k < f->blocks; k++)
    longest = list_size(f, k) > longest ? list_size(f, k) : longest;
  if (f->products > MOST_PRODUCTS || f->values > MOST_PRODUCTS) {
    f->blocks = 0;
    return DM_OK;
  }

  DM_TRY(grow_array(&f->target, &f->products_room, f->products, sizeof *f->target));
  DM_TRY(grow_array(&f->val, &f->values_room, f->values, sizeof *f->val));
  DM_TRY(grow_array(&f->work, &f->work_room, 2 * longest, sizeof *f->work));
  place_products(f);
  place_entries(f, row, col);
  return DM_OK;
}

// -- values

static double largest_value(const double *a, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
  return largest;
}

// order 1: L = a / d, and a L' off what follows; false: d is too small
static bool eliminate_one(oc_static_factor *f, double *D, int n, const int *target) {
  double *restrict a = D + 1, *restrict val = f->val, *restrict kept = f->work;
  const double d = D[0];
  if (!(fabs(d) >= LEAST_RATIO * largest_value(a, n)) || d == 0) return false;
  for (int i = 0; i < n; i++) kept[i] = a[i] / d;
  for (int i = 0; i < n; i++) {
    const double l = kept[i];
    for (int j = i; j < n; j++) val[target[j - i]] -= l * a[j];
    target += n - i;
  }
  memcpy(a, kept, (size_t)n * sizeof *a);
  return true;
}

// order 2, D = [d11 d21; d21 d22]: L = (a b) D^-1
static bool eliminate_two(oc_static_factor *f, double *D, int n, const int *target) {
  double *restrict a = D + 3, *restrict b = a + n, *restrict val = f->val;
  double *restrict la = f->work, *restrict lb = la + n;
  const double d11 = D[0], d21 = D[1], d22 = D[2], det = d11 * d22 - d21 * d21;
  const double most_a = largest_value(a, n), most_b = largest_value(b, n), size = fabs(det);
  if (!(size > 0) || LEAST_RATIO * (fabs(d22) * most_a + fabs(d21) * most_b) > size ||
      LEAST_RATIO * (fabs(d21) * most_a + fabs(d11) * most_b) > size)
    return false;
  for (int i = 0; i < n; i++) {
    la[i] = (d22 * a[i] - d21 * b[i]) / det;
    lb[i] = (d11 * b[i] - d21 * a[i]) / det;
  }
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) val[target[j - i]] -= la[i] * a[j] + lb[i] * b[j];
    target += n - i;
  }
  memcpy(a, la, (size_t)n * sizeof *a);
  memcpy(b, lb, (size_t)n * sizeof *b);
  return true;
}

// of a pivot: negative eigenvalues
static int count_negative(int order, const double *D) {
  if (order == 1) return D[0] < 0;
  if (D[0] * D[2] - D[1] * D[1] < 0) return 1;
  return D[0] < 0 ? 2 : 0;
}

dm_status oc_static_factor_run(oc_static_factor *f, const double *a, int *negative) {
  memset(f->val, 0, (size_t)f->values * sizeof *f->val);
  for (int e = 0; e < f->nz; e++) f->val[f->place[e]] += a[e];
  *negative = 0;
  for (int k = 0; k < f->blocks; k++) {
    const int n = list_size(f, k), order = order_of(f, k);
    const int *target = f->target + f->product[k];
    double *D = f->val + f->at[k];
    bool good = order == 1 ? eliminate_one(f, D, n, target) : eliminate_two(f, D, n, target);
    if (!good) return DM_SINGULAR;
    *negative += count_negative(order, D);
  }
  return DM_OK;
}

// -- solve

static void solve_pivot(const oc_static_factor *f, int k, double *x) {
  const double *D = f->val + f->at[k];
  const int p = f->unknown[2 * k], r = f->unknown[2 * k + 1];
  if (r < 0) {
    x[p] /= D[0];
    return;
  }
  const double det = D[0] * D[2] - D[1] * D[1], a = x[p], b = x[r];
  x[p] = (D[2] * a - D[1] * b) / det;
  x[r] = (D[0] * b - D[1] * a) / det;
}

void oc_static_factor_solve(const oc_static_factor *f, double *x) {
  // L y = x
  for (int k = 0; k < f->blocks; k++) {
    const int n = list_size(f, k), order = order_of(f, k), *list = f->list + f->first[k];
    const double *L = f->val + f->at[k] + (order == 1 ? 1 : 3);
    for (int o = 0; o < order; o++, L += n) {
      const double v = x[f->unknown[2 * k + o]];
      for (int i = 0; i < n; i++) x[list[i]] -= L[i] * v;
    }
  }
  // D L' x = y
  for (int k = f->blocks - 1; k >= 0; k--) {
    const int n = list_size(f, k), order = order_of(f, k), *list = f->list + f->first[k];
    const double *L = f->val + f->at[k] + (order == 1 ? 1 : 3);
    solve_pivot(f, k, x);
    for (int o = 0; o < order; o++, L += n) {
      double sum = 0;
      for (int i = 0; i < n; i++) sum += L[i] * x[list[i]];
      x[f->unknown[2 * k + o]] -= sum;
    }
  }
}

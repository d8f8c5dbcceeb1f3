#include "optim/interior/condensed.h"

#include <math.h>
#include <stdlib.h>

// the smallest -det of a pivot, relative to that of e = 0
static const double WEAK = 1e-3;
enum { MANY = 1000 }; // couplings of an unknown that is everywhere

// -- the graph of the system, during construction

// Couplings of two unknowns: the items 2 i and 2 i + 1 of coupling i are in the lists of its unknowns.
typedef struct coupling_graph {
  int dim, count, room;
  int *of;      // [2 room] unknown of each item
  int *next;    // [2 room] next item in the list of an unknown, -1: none
  int *head;    // [dim] first item of each list
  int *degree;  // [dim] its length
  int *gone;    // [dim] pivot that eliminates an unknown, -1: none
  int *mark;    // [dim] last pivot whose neighbor it was
  int *near;    // [dim] neighbors of the current pivot
  int *met;     // [dim] the coupling of an unknown to `center`, if seen[] is that
  int *seen;    // [dim]
  int center;   // the last unknown whose couplings were marked
  int *a, *b;   // [dim] unknowns of each pivot
  int pivots;   // number of pivots
  int all;      // sum of the numbers of their neighbors,
  long targets; // and of pairs of these
} coupling_graph;

static void free_graph(coupling_graph *g) {
  free(g->of);
  free(g->next);
  free(g->head);
}

static dm_status make_graph(coupling_graph *g, int dim, int nz) {
  int **of_unknown[] = {&g->degree, &g->gone, &g->mark, &g->near, &g->met, &g->seen, &g->a, &g->b};
  *g = (coupling_graph){.dim = dim, .room = 2 * nz, .center = -1};
  g->of = malloc(2 * (size_t)g->room * sizeof *g->of);
  g->next = malloc(2 * (size_t)g->room * sizeof *g->next);
  g->head = calloc(9 * (size_t)dim, sizeof *g->head);
  if (!g->of || !g->next || !g->head) return DM_NO_MEMORY;
  for (int i = 0; i < 8; i++) *of_unknown[i] = g->head + (i + 1) * dim;
  for (int i = 0; i < dim; i++) g->head[i] = g->gone[i] = g->mark[i] = g->seen[i] = -1;
  return DM_OK;
}

static dm_status widen_graph(coupling_graph *g) {
  const size_t room = 2 * (size_t)g->room;
  int *of = realloc(g->of, 2 * room * sizeof *of);
  if (of) g->of = of;
  int *next = realloc(g->next, 2 * room * sizeof *next);
  if (next) g->next = next;
  if (!of || !next) return DM_NO_MEMORY;
  g->room = (int)room;
  return DM_OK;
}

// The coupling of two unknowns, or -1. The couplings of i are marked, for further calls, unless it has many.
static int find_coupling(coupling_graph *g, int i, int j) {
  if (g->center != i && g->degree[i] > MANY) {
    for (int at = g->head[j]; at >= 0; at = g->next[at])
      if (g->of[at ^ 1] == i) return at / 2;
    return -1;
  }
  for (int at = g->center == i ? -1 : g->head[i]; at >= 0; at = g->next[at]) {
    g->seen[g->of[at ^ 1]] = i;
    g->met[g->of[at ^ 1]] = at / 2;
  }
  g->center = i;
  return g->seen[j] == i ? g->met[j] : -1;
}

static dm_status couple(coupling_graph *g, int i, int j) {
  if (i == j || find_coupling(g, i, j) >= 0) return DM_OK;
  if (g->count == g->room) DM_TRY(widen_graph(g));
  const int ends[] = {i, j};
  for (int side = 0; side < 2; side++) {
    const int at = 2 * g->count + side, v = ends[side];
    g->of[at] = v;
    g->next[at] = g->head[v];
    g->head[v] = at;
    g->degree[v]++;
  }
  // keep the marks of the center complete
  if (i == g->center || j == g->center) {
    const int other = i + j - g->center;
    g->seen[other] = g->center;
    g->met[other] = g->count;
  }
  g->count++;
  return DM_OK;
}

// neighbors of pivot p into g->near; returns their number
static int find_neighbors(coupling_graph *g, int p) {
  const int ends[] = {g->a[p], g->b[p]};
  int count = 0;
  for (int side = 0; side < 2; side++)
    for (int at = ends[side] < 0 ? -1 : g->head[ends[side]]; at >= 0; at = g->next[at]) {
      const int v = g->of[at ^ 1], gone = g->gone[v];
      if (g->mark[v] == p || (gone >= 0 && gone <= p)) continue;
      g->mark[v] = p;
      g->near[count++] = v;
    }
  return count;
}

static void add_pivot(coupling_graph *g, int a, int b) {
  g->a[g->pivots] = a;
  g->b[g->pivots] = b;
  g->gone[a] = g->pivots;
  if (b >= 0) g->gone[b] = g->pivots;
  g->pivots++;
}

// The pivots in their order: inequalities that contain a variable with an own row, then these variables with
// their rows.
static void choose_pivots(coupling_graph *g, const oc_stage_pattern *p) {
  for (int e = 0; e < p->jac->nnz; e++) {
    const int j = p->jac->col[e], i = p->jac->row[e];
    if (p->own_row[j] >= 0 && p->has_slack[i] && g->gone[p->n + i] < 0) add_pivot(g, p->n + i, -1);
  }
  for (int j = 0; j < p->n; j++) {
    const int i = p->own_row[j];
    if (i < 0 || p->has_slack[i] || g->gone[p->n + i] >= 0) continue;
    if (find_coupling(g, j, p->n + i) >= 0) add_pivot(g, j, p->n + i);
  }
}

// the couplings that the elimination adds, and sizes
static dm_status eliminate_graph(coupling_graph *g) {
  for (int p = 0; p < g->pivots; p++) {
    const int count = find_neighbors(g, p);
    g->all += count;
    g->targets += (long)count * (count + 1) / 2;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < i; j++) DM_TRY(couple(g, g->near[i], g->near[j]));
  }
  for (int v = 0; v < g->dim; v++) g->mark[v] = -1;
  return DM_OK;
}

// -- construction

static void lay_out_condensed(void *self, dm_block *b) {
  oc_condensed *c = self;
  const size_t entries = (size_t)c->entries, pivots = (size_t)c->pivots, all = (size_t)c->all;
  c->unknown = dm_block_alloc(b, (size_t)c->kept, sizeof(int));
  c->row = dm_block_alloc(b, entries, sizeof(int));
  c->col = dm_block_alloc(b, entries, sizeof(int));
  c->knot = dm_block_alloc(b, (size_t)c->kept, sizeof(int));
  c->has_slack = dm_block_alloc(b, (size_t)c->kept, sizeof(bool));
  oc_sparse_sum *parts[] = {&c->hess, &c->jac};
  for (int i = 0; i < 2; i++) {
    parts[i]->row = dm_block_alloc(b, entries, sizeof(int));
    parts[i]->col = dm_block_alloc(b, entries, sizeof(int));
  }
  c->to = dm_block_alloc(b, (size_t)c->nz, sizeof(int));
  c->a = dm_block_alloc(b, pivots, sizeof(int));
  c->b = dm_block_alloc(b, pivots, sizeof(int));
  c->diagonal = dm_block_alloc(b, 3 * pivots, sizeof(int));
  c->begin = dm_block_alloc(b, pivots + 1, sizeof(int));
  c->neighbor = dm_block_alloc(b, all, sizeof(int));
  c->by_a = dm_block_alloc(b, all, sizeof(int));
  c->by_b = dm_block_alloc(b, all, sizeof(int));
  c->target = dm_block_alloc(b, (size_t)c->targets, sizeof(int));
  c->value = dm_block_alloc(b, (size_t)c->slots + 1, sizeof(double));
  c->D = dm_block_alloc(b, 3 * pivots, sizeof(double));
}

// Slots of diagonals [dim] and of couplings, those of the rest first.
static int number_slots(const coupling_graph *g, int *slot) {
  int entries = 0, others;
  for (int v = 0; v < g->dim; v++) entries += g->gone[v] < 0;
  for (int i = 0; i < g->count; i++)
    entries += g->gone[g->of[2 * i]] < 0 && g->gone[g->of[2 * i + 1]] < 0;
  others = entries;
  entries = 0;
  for (int v = 0; v < g->dim; v++) slot[v] = g->gone[v] < 0 ? entries++ : others++;
  for (int i = 0; i < g->count; i++) {
    const bool stays = g->gone[g->of[2 * i]] < 0 && g->gone[g->of[2 * i + 1]] < 0;
    slot[g->dim + i] = stays ? entries++ : others++;
  }
  return entries;
}

// the slot of two unknowns; the last one, which is zero, if they are not coupled
static int slot_of(const oc_condensed *c, coupling_graph *g, const int *slot, int i, int j) {
  if (i < 0 || j < 0) return c->slots;
  if (i == j) return slot[i];
  const int found = find_coupling(g, i, j);
  return found < 0 ? c->slots : slot[g->dim + found];
}

static void list_pivots(oc_condensed *c, coupling_graph *g, const int *slot) {
  int *target = c->target;
  for (int p = 0; p < c->pivots; p++) {
    const int a = c->a[p] = g->a[p], b = c->b[p] = g->b[p], count = find_neighbors(g, p);
    const int from = c->begin[p];
    c->diagonal[3 * p] = slot[a];
    c->diagonal[3 * p + 1] = slot_of(c, g, slot, a, b);
    c->diagonal[3 * p + 2] = slot_of(c, g, slot, b, b);
    c->begin[p + 1] = from + count;
    memcpy(c->neighbor + from, g->near, (size_t)count * sizeof *g->near);
    for (int i = 0; i < count; i++) c->by_a[from + i] = slot_of(c, g, slot, a, g->near[i]);
    for (int i = 0; i < count; i++) c->by_b[from + i] = slot_of(c, g, slot, b, g->near[i]);
    for (int i = 0; i < count; i++)
      for (int j = 0; j <= i; j++) *target++ = slot_of(c, g, slot, g->near[i], g->near[j]);
  }
}

// entry (v,w) of the rest, in its numbers
static void put_rest(oc_condensed *c, int at, int v, int w) {
  const int n = c->rest.n, low = v < w ? v : w, high = v + w - low;
  c->row[at] = high + 1;
  c->col[at] = low + 1;
  if (low >= n) return;
  oc_sparse_sum *part = high < n ? &c->hess : &c->jac;
  part->row[part->nnz] = high < n ? high : high - n;
  part->col[part->nnz++] = low;
}

// unknowns and entries of the rest; g->near gets the number of each unknown there
static void list_rest(oc_condensed *c, coupling_graph *g, const int *slot,
                      const oc_stage_pattern *p) {
  int kept = 0;
  for (int v = 0; v < c->dim; v++) {
    if (g->gone[v] >= 0) continue;
    if (v < p->n) c->knot[kept] = p->knot[v];
    if (v < p->n) c->rest.n++;
    if (v >= p->n) c->has_slack[kept - c->rest.n] = p->has_slack[v - p->n];
    g->near[v] = kept;
    c->unknown[kept++] = v;
  }
  c->rest.m = kept - c->rest.n;
  c->rest.hess = &c->hess;
  c->rest.jac = &c->jac;
  c->rest.knot = c->knot;
  c->rest.has_slack = c->has_slack;
  for (int v = 0; v < c->dim; v++)
    if (g->gone[v] < 0) put_rest(c, slot[v], g->near[v], g->near[v]);
  for (int i = 0; i < g->count; i++)
    if (slot[c->dim + i] < c->entries)
      put_rest(c, slot[c->dim + i], g->near[g->of[2 * i]], g->near[g->of[2 * i + 1]]);
}

static dm_status find_condensed(oc_condensed **out, coupling_graph *g, const oc_stage_pattern *p,
                                int nz, const int *row, const int *col) {
  const int dim = p->n + p->m;
  // 1  the graph, its pivots, and the couplings that they add
  DM_TRY(make_graph(g, dim, nz));
  for (int e = 0; e < nz; e++) DM_TRY(couple(g, row[e] - 1, col[e] - 1));
  choose_pivots(g, p);
  if (g->pivots == 0) return DM_OK;
  DM_TRY(eliminate_graph(g));

  // 2  slots, and memory
  int *slot = malloc((size_t)(dim + g->count) * sizeof *slot);
  if (!slot) return DM_NO_MEMORY;
  oc_condensed sizes = {.dim = dim,
                        .nz = nz,
                        .slots = dim + g->count,
                        .pivots = g->pivots,
                        .all = g->all,
                        .targets = g->targets};
  sizes.entries = number_slots(g, slot);
  for (int v = 0; v < dim; v++) sizes.kept += g->gone[v] < 0;
  oc_condensed *c = *out = dm_block_make(&sizes, sizeof sizes, lay_out_condensed);

  // 3  the lists
  if (c) {
    for (int e = 0; e < nz; e++) c->to[e] = slot_of(c, g, slot, row[e] - 1, col[e] - 1);
    list_pivots(c, g, slot);
    list_rest(c, g, slot, p);
  }
  free(slot);
  return c ? DM_OK : DM_NO_MEMORY;
}

dm_status oc_condensed_new(oc_condensed **out, const oc_stage_pattern *p, int nz, const int *row,
                           const int *col) {
  coupling_graph g = {.dim = 0};
  *out = NULL;
  bool has_own = false;
  for (int j = 0; p->own_row && j < p->n; j++) has_own |= p->own_row[j] >= 0;
  if (!has_own || !p->knot) return DM_OK;
  const dm_status s = find_condensed(out, &g, p, nz, row, col);
  free_graph(&g);
  return s;
}

void oc_condensed_free(oc_condensed *c) {
  dm_block_free(c);
}

// -- elimination

// the inverse of pivot p; false: it does not have its sign
static bool invert_pivot(oc_condensed *c, int p) {
  const int *at = c->diagonal + 3 * p;
  const double w = c->value[at[0]], a = c->value[at[1]], e = c->value[at[2]];
  double *D = c->D + 3 * p;
  if (c->b[p] < 0) {
    D[0] = 1 / w;
    D[1] = D[2] = 0;
    return w < 0 && isfinite(D[0]);
  }
  const double det = w * e - a * a;
  D[0] = e / det;
  D[1] = -a / det;
  D[2] = w / det;
  return det < -WEAK * a * a && isfinite(D[0]) && isfinite(D[1]) && isfinite(D[2]);
}

dm_status oc_condensed_run(oc_condensed *c, const double *a, int *negative) {
  const int *target = c->target;
  double *value = c->value;
  memset(value, 0, (size_t)(c->slots + 1) * sizeof *value);
  for (int e = 0; e < c->nz; e++) value[c->to[e]] += a[e];
  *negative = c->pivots;
  for (int p = 0; p < c->pivots; p++) {
    if (!invert_pivot(c, p)) return DM_STALLED;
    // K_ij -= [K_ia K_ib] D [K_aj; K_bj]
    const double *D = c->D + 3 * p;
    for (int i = c->begin[p]; i < c->begin[p + 1]; i++) {
      const double A = value[c->by_a[i]], B = value[c->by_b[i]];
      const double s = D[0] * A + D[1] * B, t = D[1] * A + D[2] * B;
      for (int j = c->begin[p]; j <= i; j++)
        value[*target++] -= s * value[c->by_a[j]] + t * value[c->by_b[j]];
    }
  }
  return DM_OK;
}

void oc_condensed_forward(const oc_condensed *c, double *x) {
  for (int p = 0; p < c->pivots; p++) {
    double none = 0, *xa = x + c->a[p], *xb = c->b[p] < 0 ? &none : x + c->b[p];
    const double *D = c->D + 3 * p, s = D[0] * *xa + D[1] * *xb, t = D[1] * *xa + D[2] * *xb;
    *xa = s;
    *xb = t;
    for (int i = c->begin[p]; i < c->begin[p + 1]; i++)
      x[c->neighbor[i]] -= s * c->value[c->by_a[i]] + t * c->value[c->by_b[i]];
  }
}

void oc_condensed_backward(const oc_condensed *c, double *x) {
  for (int p = c->pivots - 1; p >= 0; p--) {
    double none = 0, s = 0, t = 0, *xb = c->b[p] < 0 ? &none : x + c->b[p];
    for (int i = c->begin[p]; i < c->begin[p + 1]; i++) {
      s += c->value[c->by_a[i]] * x[c->neighbor[i]];
      t += c->value[c->by_b[i]] * x[c->neighbor[i]];
    }
    const double *D = c->D + 3 * p;
    x[c->a[p]] -= D[0] * s + D[1] * t;
    *xb -= D[1] * s + D[2] * t;
  }
}

#include "optim/interior/stage_factor.h"

#include "lib/base/block.h"
#include "optim/interior/front_pattern.h"
#include "optim/interior/stage_front.h"

#include <stdbool.h>
#include <stddef.h>

// entries processed together; delayed unknowns: room in addition to a stage's own, and maximum
enum { GROUP = OC_FRONT_GROUP, WAITING = 8, MOST_WAITING = 64 };

static const double MOST_NUMBERS = 5e8; // of all rows of L

static int pad_groups(int n) {
  return (n + GROUP - 1) & ~(GROUP - 1);
}

static int min_int(int a, int b) {
  return a < b ? a : b;
}

// -- stages from steps

typedef struct partition {
  int dim, nz, steps, stages;
  const int *row, *col, *step;
  int *first;       // step at which an unknown enters the front          [dim]
  int *come, *gone; // unknowns that have entered up to a step, left before it [steps + 2]
  int *begin;       // first step of each stage                           [steps + 2]
  int *stage;       // of each step                                            [steps + 2]
  int *degree;      // number of entries of an unknown                    [dim]
  int *order;       // unknowns by step, sparse ones first                [dim]
  int *rank;        // position of an unknown in that order               [dim]
  int *arrived;     // unknowns by the stage at which they enter, in that order [dim]
  int *arrival;     // start of each stage's arrivals                     [steps + 2]
  int *slot;        // position of an unknown in the current list         [dim]
} partition;

static void lay_out_partition(void *self, dm_block *b) {
  partition *p = self;
  size_t dim = (size_t)p->dim, steps = (size_t)p->steps + 2;
  int **of_unknown[] = {&p->first, &p->degree, &p->order, &p->rank, &p->arrived, &p->slot};
  int **of_step[] = {&p->come, &p->gone, &p->begin, &p->stage, &p->arrival};
  for (int i = 0; i < 6; i++) *of_unknown[i] = dm_block_alloc(b, dim, sizeof(int));
  for (int i = 0; i < 5; i++) *of_step[i] = dm_block_alloc(b, steps, sizeof(int));
}

// steps at which unknowns enter and leave the front
static void follow_unknowns(partition *p) {
  // an unknown enters with its first neighbor
  for (int v = 0; v < p->dim; v++) p->first[v] = p->step[v];
  for (int e = 0; e < p->nz; e++) {
    int v = p->row[e] - 1, w = p->col[e] - 1;
    p->first[v] = min_int(p->first[v], p->step[w]);
    p->first[w] = min_int(p->first[w], p->step[v]);
    p->degree[v]++;
    p->degree[w]++;
  }

  // counts by step, then cumulative sums
  for (int v = 0; v < p->dim; v++) {
    p->come[p->first[v]]++;
    p->gone[p->step[v] + 1]++;
  }
  for (int l = 1; l <= p->steps + 1; l++) {
    p->come[l] += p->come[l - 1];
    p->gone[l] += p->gone[l - 1];
  }
}

// sort unknowns by step, and within it by entries: sparse ones, like inputs and limits, cause least
// fill-in
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

// multiplications for steps from..to as one stage, plus a fixed cost per stage
static double cost_stage(const partition *p, int from, int to) {
  const double own = count_own(p, from, to), all = count_all(p, from, to), later = all - own;
  return 200 + all * all + own * all + 0.5 * own * own * all + 0.5 * own * later * later;
}

static int stage_of(const partition *p, int v) {
  return p->stage[p->step[v]];
}

// -- construction

static void lay_out_stage_factor(void *self, dm_block *b) {
  oc_stage_factor *f = self;
  size_t dim = (size_t)f->dim, nz = (size_t)f->nz, width = (size_t)(f->room + f->width);

  // unknowns and entries of the stages, and their positions in the fronts
  f->stage = dm_block_alloc(b, (size_t)f->stages + 1, sizeof *f->stage);
  f->unknown = dm_block_alloc(b, (size_t)f->lists, sizeof(int));
  f->to = dm_block_alloc(b, (size_t)f->lists, sizeof(int));
  f->entry = dm_block_alloc(b, nz, sizeof(int));
  f->place = dm_block_alloc(b, nz, sizeof(int));
  f->id = dm_block_alloc(b, (size_t)f->ids_room, sizeof(int));
  f->order = dm_block_alloc(b, dim + 1, sizeof(int));
  f->last = dm_block_alloc(b, dim, sizeof(int));
  f->slot = dm_block_alloc(b, dim, sizeof(int));
  f->moved = dm_block_alloc(b, width, sizeof(int));
  f->meets = dm_block_alloc(b, (size_t)f->meets_room, sizeof *f->meets);
  f->all = dm_block_alloc(b, width + 1, sizeof *f->all);
  f->some = dm_block_alloc(b, width, sizeof *f->some);
  f->bits = dm_block_alloc(b, width * (size_t)oc_front_pattern_words(f->width), sizeof *f->bits);

  // factors, two alternating fronts, and a vector
  f->D = dm_block_alloc(b, 2 * dim + 2, sizeof(double));
  f->L = dm_block_alloc(b, (size_t)f->factor_room, sizeof(double));
  f->F[0] = dm_block_alloc(b, width * width, sizeof(double));
  f->F[1] = dm_block_alloc(b, width * width, sizeof(double));
  f->w = dm_block_alloc(b, width, sizeof(double));
  f->sum = dm_block_alloc(b, width, sizeof(double));
}

// sizes from the stages, with half as much again for delayed unknowns
static dm_status count_sizes(const partition *p, oc_stage_factor *f) {
  double lists = 0, numbers = 0, meets = 0;
  int most = 0;
  *f = (oc_stage_factor){.dim = p->dim, .nz = p->nz, .stages = p->stages};

  // sums over the stages, and the widest one
  for (int k = 0; k < p->stages; k++) {
    const int from = p->begin[k], to = p->begin[k + 1] - 1;
    const int own = count_own(p, from, to), all = count_all(p, from, to);
    lists += all;
    numbers += (double)own * (pad_groups(all) + GROUP);
    meets += oc_front_pattern_room(own, all);
    most = own > most ? own : most;
    f->width = all > f->width ? all : f->width;
  }

  // with room for delayed unknowns; in doubles, so that sums do not overflow
  f->width = pad_groups(f->width);
  f->room = min_int(pad_groups(most + WAITING), MOST_WAITING);
  double width = f->room + f->width;
  const double numbers_room = 1.5 * numbers + 2 * width * width;
  const double ids_room = lists + (double)f->stages * f->room;
  if (numbers_room > MOST_NUMBERS || ids_room > MOST_NUMBERS) return DM_UNAVAILABLE;
  f->lists = (int)lists;
  f->ids_room = (long)ids_room;
  f->factor_room = (long)numbers_room;
  f->meets_room = (long)meets; // less than one number of L each
  return DM_OK;
}

// later unknowns of stage k: those of the previous stage that are not its own, and the arriving
// ones, both sorted by step
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

// for each front its own unknowns in the order of elimination, then the later ones
static void list_unknowns(oc_stage_factor *f, const partition *p) {
  int at = 0;
  long meets = 0;
  for (int k = 0; k < f->stages; k++) {
    const int from = p->begin[k], to = p->begin[k + 1] - 1;
    oc_stage *s = f->stage + k;
    const oc_stage *last = k > 0 ? s - 1 : NULL;
    s->unknown = at;
    s->meets = meets;

    // its own, which leave after it
    s->own = count_own(p, from, to);
    s->first = p->gone[from];
    memcpy(f->unknown + at, p->order + p->gone[from], (size_t)s->own * sizeof(int));
    at += s->own;

    // later unknowns of the previous stage, and arriving ones
    s->later = !last ? merge_later(p, 0, NULL, 0, f->unknown + at)
                     : merge_later(p, k, f->unknown + last->unknown + last->own, last->later,
                                   f->unknown + at);
    at += s->later;
    s->row = f->room + pad_groups(s->own + s->later);
    meets += (long)oc_front_pattern_room(s->own, s->own + s->later);
  }
}

// sort entries by the first stage of their two unknowns
static void sort_stage_entries(oc_stage_factor *f, const partition *p) {
#define STAGE(e) min_int(stage_of(p, p->row[e] - 1), stage_of(p, p->col[e] - 1))
  for (int e = 0; e < f->nz; e++) f->stage[STAGE(e) + 1].entry++;
  for (int k = 0; k < f->stages; k++) f->stage[k + 1].entry += f->stage[k].entry;
  for (int e = 0; e < f->nz; e++) f->entry[f->stage[STAGE(e)].entry++] = e;
  for (int k = f->stages; k > 0; k--) f->stage[k].entry = f->stage[k - 1].entry;
  f->stage[0].entry = 0;
#undef STAGE
}

// positions at which entries, and the rest of the previous stage, are added
static void place_additions(oc_stage_factor *f, const partition *p) {
  for (int k = 0; k < f->stages; k++) {
    const oc_stage *s = f->stage + k, *last = s - 1;
    for (int i = 0; i < s->own + s->later; i++) p->slot[f->unknown[s->unknown + i]] = i;
    for (int i = last->own; k > 0 && i < last->own + last->later; i++)
      f->to[last->unknown + i] = p->slot[f->unknown[last->unknown + i]];

    // in the upper triangle
    for (int e = s->entry; e < s[1].entry; e++) {
      int i = p->slot[p->row[f->entry[e]] - 1], j = p->slot[p->col[f->entry[e]] - 1];
      int low = min_int(i, j), high = i + j - low;
      f->place[e] = (f->room + low) * s->row + f->room + high;
    }
  }
}

// positions of a stage's later unknowns in the next front: [later]
static int *arrivals_of(const oc_stage_factor *f, const oc_stage *s) {
  return f->to + s->unknown + s->own;
}

// returns true if two stages get the same pattern from the previous stage
static bool do_inherit_alike(const oc_stage_factor *f, const oc_stage *a, const oc_stage *b) {
  const int later = a[-1].later;
  return b[-1].later == later &&
         memcmp(arrivals_of(f, a - 1), arrivals_of(f, b - 1), (size_t)later * sizeof *f->to) == 0;
}

// returns true if two stages have the same pattern of entries and of additions from before
static bool are_alike(const oc_stage_factor *f, const oc_stage *a, const oc_stage *b) {
  const int count = a[1].entry - a->entry;
  if (a->own != b->own || a->later != b->later || b[1].entry - b->entry != count) return false;
  if (a == f->stage || !do_inherit_alike(f, a, b)) return false;
  return memcmp(f->place + a->entry, f->place + b->entry, (size_t)count * sizeof *f->place) == 0;
}

// a stage has the kind of the previous one if they are alike
static void find_kinds(oc_stage_factor *f) {
  f->kinds = 0;
  for (int k = 0; k < f->stages; k++) {
    oc_stage *s = f->stage + k;
    s->kind = k > 0 && are_alike(f, s - 1, s) ? s[-1].kind : f->kinds++;
  }
}

dm_status oc_stage_factor_new(oc_stage_factor **out, int dim, int nz, const int *row,
                              const int *col, const int *step, int steps) {
  partition sizes = {.dim = dim, .nz = nz, .steps = steps, .row = row, .col = col, .step = step};
  oc_stage_factor count;
  *out = NULL;
  partition *p = dm_block_make(&sizes, sizeof sizes, lay_out_partition);
  if (!p) return DM_NO_MEMORY;

  // 1  stages
  follow_unknowns(p);
  sort_unknowns(p);

  // merge a step with the previous stage if this is cheaper
  p->stages = 0;
  for (int l = 1; l <= p->steps; l++) {
    int from = p->stages > 0 ? p->begin[p->stages - 1] : 0;
    bool joins =
        p->stages > 0 && cost_stage(p, from, l) <= cost_stage(p, from, l - 1) + cost_stage(p, l, l);
    if (!joins) p->begin[p->stages++] = l;
    p->stage[l] = p->stages - 1;
  }
  p->begin[p->stages] = p->steps + 1;

  // unknowns by the stage at which they arrive
  for (int v = 0; v < p->dim; v++) p->arrival[p->stage[p->first[v]] + 1]++;
  for (int k = 0; k < p->stages; k++) p->arrival[k + 1] += p->arrival[k];
  for (int i = 0; i < p->dim; i++)
    p->arrived[p->arrival[p->stage[p->first[p->order[i]]]]++] = p->order[i];
  for (int k = p->stages; k > 0; k--) p->arrival[k] = p->arrival[k - 1];
  p->arrival[0] = 0;

  // 2  memory
  dm_status s = count_sizes(p, &count);
  oc_stage_factor *f = NULL;
  if (s == DM_OK) f = dm_block_make(&count, sizeof count, lay_out_stage_factor);
  if (s == DM_OK && !f) s = DM_NO_MEMORY;

  // 3  positions
  if (f) {
    list_unknowns(f, p);
    sort_stage_entries(f, p);
    place_additions(f, p);
    find_kinds(f);
    for (int i = 0; i < f->dim; i++) f->last[i] = -1;
    for (int i = 0; i < f->room + f->width; i++) f->all[i + 1] = (unsigned short)i;
  }
  dm_block_free(p);
  *out = f;
  return s;
}

void oc_stage_factor_free(oc_stage_factor *f) {
  dm_block_free(f);
}

// -- factorization

// rest of the previous stage's front, from row k
typedef struct front_rest {
  const oc_stage *stage; // NULL: none
  const oc_stage_front *front;
  int k;
} front_rest;

// add delayed rows, then later ones
static void add_rest(const oc_stage_factor *f, const front_rest *rest, oc_stage_front *w) {
  const oc_stage_front *from = rest->front;
  const int k = rest->k, waited = from->own - k, later = from->end - from->own;
  const int *to = arrivals_of(f, rest->stage);
  for (int i = 0; i < waited; i++) {
    const double *F = from->F + (size_t)(k + i) * (size_t)from->row + k;
    double *W = w->F + (size_t)(w->begin + i) * (size_t)w->row;
    for (int j = i; j < waited; j++) W[w->begin + j] = F[j];
    for (int j = 0; j < later; j++) W[f->room + to[j]] = F[waited + j];
  }

  // in the upper triangle, in either order of the two
  double *W = w->F + (size_t)f->room * (size_t)w->row + f->room;
  for (int i = 0; i < later; i++) {
    const double *F = from->F + (size_t)(from->own + i) * (size_t)from->row + from->own;
    for (int j = i; j < later; j++) {
      const int low = min_int(to[i], to[j]), high = to[i] + to[j] - low;
      W[low * w->row + high] = F[j];
    }
  }
  memcpy(w->id, from->id + k - from->begin, (size_t)waited * sizeof(int));
}

// the front: rest of the previous one plus the entries of the stage
static void fill_front(const oc_stage_factor *f, const oc_stage *s, const front_rest *rest,
                       const double *a, oc_stage_front *w) {
  oc_stage_front_clear(w);
  if (rest->stage) add_rest(f, rest, w);
  for (int e = s->entry; e < s[1].entry; e++) w->F[f->place[e]] += a[f->entry[e]];
}

// Move the own unknowns of a stage to the positions f->moved, so that elimination does not permute
// them; redirect the additions from the previous stage.
static void move_unknowns(oc_stage_factor *f, const oc_stage *s) {
  int *own = f->unknown + s->unknown;
  memcpy(f->slot, own, (size_t)s->own * sizeof *own);
  for (int i = 0; i < s->own; i++) own[f->moved[i]] = f->slot[i];
  if (s == f->stage) return;
  int *to = arrivals_of(f, s - 1);
  for (int i = 0; i < s[-1].later; i++)
    if (to[i] < s->own) to[i] = f->moved[to[i]];
}

// kind of the stages that a search has reordered, and their new kind; -1: none
typedef struct new_order {
  int from, to;
} new_order;

// a stage adopts the order that a search gave to the previous stage of the same kind
static void follow_order(oc_stage_factor *f, oc_stage *s, const new_order *order) {
  const oc_stage *last = s - 1;
  const size_t entries = (size_t)(s->entry - last->entry), meets = (size_t)(s->meets - last->meets);
  move_unknowns(f, s);
  memcpy(f->place + s->entry, f->place + last->entry, entries * sizeof *f->place);
  memcpy(f->meets + s->meets, f->meets + last->meets, meets * sizeof *f->meets);
  memcpy(f->last + s->first, f->last + last->first, (size_t)s->own * sizeof *f->last);
  s->kind = order->to;
}

// a stage keeps the order and pivots of a search, unless unknowns were delayed
static new_order settle_order(oc_stage_factor *f, oc_stage *s, const int *pivots) {
  const int *own = f->unknown + s->unknown, *id = f->id + s->id;
  if (s->waited > 0 || s->pivots < s->own) return (new_order){-1, -1};
  for (int i = 0; i < s->own; i++) f->slot[id[i]] = i;
  for (int i = 0; i < s->own; i++) f->moved[i] = f->slot[own[i]];
  move_unknowns(f, s);

  // move its entries accordingly, in the upper triangle
  for (int e = s->entry; e < s[1].entry; e++) {
    int i = f->place[e] / s->row - f->room, j = f->place[e] % s->row - f->room;
    i = i < s->own ? f->moved[i] : i;
    j = j < s->own ? f->moved[j] : j;
    const int low = min_int(i, j), high = i + j - low;
    f->place[e] = (f->room + low) * s->row + f->room + high;
  }

  // pivots of a stage, in these orders, that affect each of its rows
  const int all = s->own + s->later;
  oc_front_pattern p = {s->own, all, oc_front_pattern_words(all), f->bits};
  oc_front_pattern_clear(&p);

  // its entries, and all additions from the previous stage
  for (int e = s->entry; e < s[1].entry; e++)
    oc_front_pattern_put(&p, f->place[e] / s->row - f->room, f->place[e] % s->row - f->room);
  const int left = s > f->stage ? s[-1].later : 0, *to = left > 0 ? arrivals_of(f, s - 1) : NULL;
  for (int i = 0; i < left; i++)
    for (int j = 0; j < left; j++) oc_front_pattern_put(&p, to[i], to[j]);

  oc_front_pattern_fill(&p, pivots);
  oc_front_pattern_list(&p, pivots, f->meets + s->meets);

  memcpy(f->last + s->first, pivots, (size_t)s->own * sizeof *pivots);
  const new_order order = {s->kind, f->kinds++};
  s->kind = order.to;
  return order;
}

// Eliminate the own unknowns of stage s except delayed ones: with the previous pivots, with those
// of the previous stage of the same kind after a search there, or with searched pivots.
static void eliminate_stage(oc_stage_factor *f, oc_stage *s, const front_rest *rest,
                            const double *a, oc_stage_front *w, oc_front_factor *out,
                            new_order *order) {
  // No unknown can be delayed in the last stage. With fine steps, the last unknowns of a stage have
  // small pivots everywhere; they are delayed once, or the fronts would grow from stage to stage.
  const int room = s->later == 0 ? 0 : s->waited > 0 ? 1 : f->room;
  const bool known = s->waited == 0 && f->last[s->first] > 0;
  if (known) {
    fill_front(f, s, rest, a, w);
    if (oc_stage_front_repeat(w, f->last + s->first, f->meets + s->meets, out)) {
      f->repeated = true;
      s->pivots = out->pivots;
      return;
    }
  }
  fill_front(f, s, rest, a, w);
  oc_stage_front_search(w, room, f->all, out);
  s->pivots = out->pivots;
  *order = settle_order(f, s, out->order);
}

dm_status oc_stage_factor_run(oc_stage_factor *f, oc_deadline *deadline, const double *a,
                              int *negative) {
  oc_stage_front before = {0};
  new_order order = {-1, -1};
  int id = 0, done = 0, left = 0, rest = 0;
  long factor = 0;
  *negative = 0;
  f->repeated = false;
  for (int k = 0; k < f->stages; k++) {
    oc_stage *s = f->stage + k;
    if (k % OC_ASKS == 0) DM_TRY(oc_deadline_heed(deadline));
    if (id + left + s->own + s->later > f->ids_room) return DM_STALLED;
    s->id = id;
    s->waited = left;
    s->factor = factor;
    if (left == 0 && s->kind == order.from && !f->searches)
      follow_order(f, s, &order);
    else
      order.from = -1;

    // empty front of stage s with `waited` delayed unknowns
    oc_stage_front w = {.F = f->F[k % 2],
                        .row = s->row,
                        .begin = f->room - left,
                        .own = f->room + s->own,
                        .end = f->room + s->own + s->later,
                        .id = f->id + s->id,
                        .some = f->some};
    memcpy(w.id + left, f->unknown + s->unknown, (size_t)(s->own + s->later) * sizeof(int));

    if (factor + (long)(w.own - w.begin) * oc_front_width(&w) > f->factor_room) return DM_STALLED;
    const front_rest last = {k > 0 ? s - 1 : NULL, &before, rest};

    // its own unknowns, except delayed ones
    oc_front_factor out = {.order = f->order + done, .D = f->D + 2 * done, .L = f->L + factor};
    eliminate_stage(f, s, &last, a, &w, &out, &order);
    *negative += out.negative;
    rest = w.begin + out.pivots;
    left = w.own - rest;
    if (left > 0 && s->later == 0) return DM_SINGULAR;
    if (left > f->room) return DM_STALLED;

    factor += (long)out.pivots * oc_front_width(&w);
    id += w.end - w.begin;
    done += out.pivots;
    before = w;
  }
  f->searches = false;
  return DM_OK;
}

// step of a stage: that of its first own unknown
static int find_step(const oc_stage_factor *f, const oc_stage *s, const int *step) {
  int least = step[f->unknown[s->unknown]];
  for (int i = 1; i < s->own; i++) least = min_int(least, step[f->unknown[s->unknown + i]]);
  return least;
}

bool oc_stage_factor_has_waited(const oc_stage_factor *f) {
  int waits = 0;
  for (int k = 0; k < f->stages; k++) waits += f->stage[k].waited > 0;
  return 10 * waits >= 9 * f->stages;
}

void oc_stage_factor_delay(const oc_stage_factor *f, int *step) {
  // delayed unknowns belong to the next stage; backwards, so that each step is read before it
  // changes
  for (int k = f->stages - 1; k > 0; k--) {
    const oc_stage *s = f->stage + k, *last = s - 1;
    if (s->waited == 0) continue;
    const int *id = f->id + last->id, at = find_step(f, s, step);
    for (int i = last->pivots; i < last->waited + last->own; i++)
      if (step[id[i]] < at) step[id[i]] = at;
  }
}

bool oc_stage_factor_forget(oc_stage_factor *f) {
  if (!f->repeated) return false;
  for (int i = 0; i < f->dim; i++) f->last[i] = -1;
  f->searches = true;
  return true;
}

// -- solution

// data of a stage for a solve: its part of L and D, and its unknowns
typedef struct stage_part {
  oc_front_factor factor;
  const int *id;
  int lead, count, width;
} stage_part;

static stage_part find_part(const oc_stage_factor *f, const oc_stage *s, int done) {
  const int begin = f->room - s->waited, end = f->room + s->own + s->later;
  const oc_stage_front w = {.begin = begin, .end = end};
  return (stage_part){.factor = {.order = f->order + done,
                                 .D = f->D + 2 * done,
                                 .L = f->L + s->factor,
                                 .pivots = s->pivots},
                      .id = f->id + s->id,
                      .lead = begin - oc_front_lead(&w),
                      .count = end - begin,
                      .width = oc_front_width(&w)};
}

static void gather_part(const stage_part *p, const double *x, double *w) {
  for (int i = 0; i < p->lead; i++) w[i] = 0;
  for (int i = 0; i < p->count; i++) w[p->lead + i] = x[p->id[i]];
  for (int i = p->lead + p->count; i < p->width; i++) w[i] = 0;
}

void oc_stage_factor_solve(const oc_stage_factor *f, double *x) {
  int done = 0;
  // L y = x
  for (int k = 0; k < f->stages; k++) {
    const stage_part p = find_part(f, f->stage + k, done);
    gather_part(&p, x, f->w);
    oc_stage_front_forward(&p.factor, p.lead, p.width, f->w);
    for (int i = 0; i < p.count; i++) x[p.id[i]] = f->w[p.lead + i];
    done += p.factor.pivots;
  }
  // D L' x = y
  for (int k = f->stages - 1; k >= 0; k--) {
    done -= f->stage[k].pivots;
    const stage_part p = find_part(f, f->stage + k, done);
    gather_part(&p, x, f->w);
    oc_stage_front_backward(&p.factor, p.lead, p.width, f->w, f->sum);
    for (int i = 0; i < p.factor.pivots; i++) x[p.id[i]] = f->w[p.lead + i];
  }
}

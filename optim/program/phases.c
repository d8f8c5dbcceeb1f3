#include "optim/program/phases.h"

#include "optim/nlp/scaled.h"
#include "optim/program/join_repeats.h"
#include "optim/program/program_scale.h"
#include "optim/program/prolong.h"
#include "optim/rows/output_rows.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// offsets of a phase in the program: its first unknown, row and knot
typedef struct phase_place {
  int x, row, knot;
} phase_place;

struct oc_phases {
  oc_phases_task task;
  oc_nlp nlp;
  int n;
  oc_transcription **phase; // [n]
  phase_place *at;          // [n+1] the last one: the end of all phases
  oc_join_rows *join;       // [njoins] join i follows phase i
  int njoins;               // n-1, periodic: n
  int joins, total;         // the first row of joins; the row of the total time, -1: none
  double *x_min, *x_max, *g_min, *g_max;
};

static int count_joins(const oc_phases_task *t) {
  return t->periodic ? t->n : t->n - 1;
}

// the phase after join i
static int find_next(const oc_phases *p, int i) {
  return (i + 1) % p->n;
}

const oc_nlp *oc_phases_nlp(const oc_phases *p) {
  return &p->nlp;
}

oc_transcription *oc_phases_program(const oc_phases *p, int i) {
  return p->phase[i];
}

int oc_phases_place(const oc_phases *p, int i) {
  return p->at[i].x;
}

int oc_phases_pair(const oc_task *before, const oc_task *after, oc_pair *pairs) {
  int count = 0;
  for (int j = 0; j < after->system.L.nq; j++)
    for (int i = 0; i < before->system.L.nq; i++)
      if (!strcmp(before->coord_name[i], after->coord_name[j]))
        pairs[count++] = (oc_pair){.before = i, .after = j};
  return count;
}

// -- the program's functions: the phases' own, at their offsets

static const oc_nlp *program_of(const oc_phases *p, int i) {
  return oc_transcription_nlp(p->phase[i]);
}

static dm_status eval_phases_objective(void *self, const double *x, double *f) {
  oc_phases *p = self;
  *f = 0;
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    double part;
    DM_TRY(of->f(of->self, x + p->at[i].x, &part));
    *f += part;
  }
  return DM_OK;
}

static dm_status eval_phases_gradient(void *self, const double *x, double *grad) {
  oc_phases *p = self;
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    DM_TRY(of->grad(of->self, x + p->at[i].x, grad + p->at[i].x));
  }
  // impulses of joins have no cost
  for (int j = p->at[p->n].x; j < p->nlp.n; j++) grad[j] = 0;
  return DM_OK;
}

// the time of phase i
static double time_of(const oc_phases *p, int i, const double *x) {
  const oc_transcription *t = p->phase[i];
  const int h = oc_transcription_h(t);
  return h < 0 ? t->task.time.T : t->N * x[p->at[i].x + h];
}

static dm_status eval_phases_rows(void *self, const double *x, double *g) {
  oc_phases *p = self;
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    DM_TRY(of->g(of->self, x + p->at[i].x, g + p->at[i].row));
  }
  for (int i = 0; i < p->njoins; i++) DM_TRY(oc_join_rows_evaluate(&p->join[i], x, g));
  if (p->total < 0) return DM_OK;
  g[p->total] = 0;
  for (int i = 0; i < p->n; i++) g[p->total] += time_of(p, i, x);
  return DM_OK;
}

static void heed_phases(void *self, oc_deadline *deadline) {
  const oc_phases *p = self;
  for (int i = 0; i < p->n; i++) program_of(p, i)->heed(program_of(p, i)->self, deadline);
}

// shift the entries from `first` on by `rows` and `columns`
static void move_entries(oc_triplets *s, int first, int rows, int columns) {
  for (int e = first; s->row && e < s->n; e++) {
    s->row[e] += rows;
    s->col[e] += columns;
  }
}

static dm_status walk_phases_jacobian(void *self, const double *x, oc_triplets *s) {
  oc_phases *p = self;
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    const int first = s->n;
    DM_TRY(of->jac(of->self, x ? x + p->at[i].x : NULL, s));
    move_entries(s, first, p->at[i].row, p->at[i].x);
  }
  for (int i = 0; i < p->njoins; i++) DM_TRY(oc_join_rows_put(&p->join[i], x, s));

  // the total time, by each free step
  for (int i = 0; p->total >= 0 && i < p->n; i++) {
    const oc_transcription *t = p->phase[i];
    if (oc_transcription_h(t) >= 0) oc_put(s, p->total, p->at[i].x + oc_transcription_h(t), t->N);
  }
  return DM_OK;
}

static dm_status walk_phases_hessian(void *self, const double *x, double sigma,
                                     const double *lambda, oc_triplets *s) {
  oc_phases *p = self;
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    const int first = s->n;
    DM_TRY(of->hess(of->self, x ? x + p->at[i].x : NULL, sigma,
                    lambda ? lambda + p->at[i].row : NULL, s));
    move_entries(s, first, p->at[i].x, p->at[i].x);
  }
  for (int i = 0; i < p->njoins; i++) DM_TRY(oc_join_rows_contract(&p->join[i], x, lambda, s));
  return DM_OK;
}

// the phase of a variable, or of a row; the other is -1
static int find_phase(const oc_phases *p, int x, int row) {
  int i = 0;
  while (i + 1 < p->n && (x >= p->at[i + 1].x || row >= p->at[i + 1].row)) i++;
  return i;
}

static void name_phases_row(void *self, int row, char *text, size_t size, int *knot) {
  oc_phases *p = self;
  *knot = -1;
  if (row == p->total) {
    snprintf(text, size, "total time");
    return;
  }

  // rows of a join, at the knot where the phase after it begins
  for (int i = p->njoins - 1; row >= p->joins && i >= 0; i--) {
    if (row < p->join[i].row) continue;
    char what[100];
    oc_join_rows_name(&p->join[i], row - p->join[i].row, what, sizeof what);
    snprintf(text, size, "%s where %s begins", what, p->task.name[find_next(p, i)]);
    *knot = 0;
    return;
  }

  // rows of a phase
  const int i = find_phase(p, -1, row);
  const oc_nlp *of = program_of(p, i);
  char what[100];
  of->row_name(of->self, row - p->at[i].row, what, sizeof what, knot);
  snprintf(text, size, "%s in %s", what, p->task.name[i]);
}

oc_row oc_phases_row(const oc_phases *p, int row, int *phase) {
  *phase = 0;
  if (row >= p->joins) return (oc_row){.knot = -1};
  *phase = find_phase(p, -1, row);
  return oc_transcription_row(p->phase[*phase], row - p->at[*phase].row);
}

// knots are numbered consecutively; an impulse belongs to the start of the phase after
static int find_phases_knot(const void *self, int x) {
  const oc_phases *p = self;
  for (int i = 0; x >= p->at[p->n].x && i < p->njoins; i++)
    if (x < p->join[i].impulse + p->join[i].nc) return p->at[find_next(p, i)].knot;
  const int i = find_phase(p, x, -1);
  const int knot = program_of(p, i)->knot(program_of(p, i)->self, x - p->at[i].x);
  return knot < 0 ? knot : p->at[i].knot + knot;
}

static int find_phases_own_row(const void *self, int x) {
  const oc_phases *p = self;
  const int i = find_phase(p, x, -1);
  if (x >= p->at[p->n].x) return -1;
  const int row = program_of(p, i)->own_row(program_of(p, i)->self, x - p->at[i].x);
  return row < 0 ? row : p->at[i].row + row;
}

// -- scales: the phases' own; joins by their entries

static dm_status scale_phases(void *self, const double *x, double *s, double *r) {
  oc_phases *p = self;
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    const dm_status status = of->scale(of->self, x + p->at[i].x, s + p->at[i].x, r + p->at[i].row);
    if (status == DM_NO_MEMORY) return status;
  }
  dm_block b = {0};
  const size_t all = (size_t)(p->nlp.n + p->nlp.m);
  dm_block_alloc(&b, all, sizeof(int));
  DM_TRY(dm_block_new(&b));
  int *column = dm_block_alloc(&b, all, sizeof *column), *row = column + p->nlp.n;
  for (size_t i = 0; i < all; i++) column[i] = -1;
  for (int i = 0; i < p->njoins; i++) {
    // the classes of a join's impulses and rows; momenta have the sizes of the phase after
    const oc_join_rows *w = &p->join[i];
    const int next = find_next(p, i);
    const int n = p->phase[next]->n, count = oc_join_rows_count(w->join, p->phase[next]);
    for (int c = 0; c < w->nc; c++) {
      column[w->impulse + c] = w->impulse + c;
      s[w->impulse + c] = 0;
    }
    for (int k = 0; k < count; k++) row[w->row + k] = w->row + k;
    for (int j = 0; w->join->law == OC_JOIN_MOMENTUM && w->nc > 0 && j < n; j++) {
      const int at = w->row + w->join->npairs + j;
      row[at] = -1;
      r[at] = r[p->at[next].row + j];
    }
  }
  if (p->total >= 0) row[p->total] = p->total;
  const dm_status status = oc_scale_by_class(&p->nlp, x, 1, column, row, s, r);
  dm_block_free(column);
  return status;
}

// -- making it

static bool has_free_time(const oc_phases_task *t) {
  for (int i = 0; i < t->n; i++)
    if (t->task[i]->time.free) return true;
  return false;
}

// allocate the arrays, after the phases' own programs
static void lay_out_phases(void *self, dm_block *b) {
  oc_phases *p = self;
  const size_t n = (size_t)p->nlp.n, m = (size_t)p->nlp.m;
  p->at = dm_block_alloc(b, (size_t)p->n + 1, sizeof *p->at);
  p->join = dm_block_alloc(b, (size_t)p->n, sizeof *p->join);
  p->x_min = dm_block_alloc(b, n, sizeof *p->x_min);
  p->x_max = dm_block_alloc(b, n, sizeof *p->x_max);
  p->g_min = dm_block_alloc(b, m, sizeof *p->g_min);
  p->g_max = dm_block_alloc(b, m, sizeof *p->g_max);

  // the sizes of a join depend on its sides
  for (int i = 0; i < p->njoins; i++) {
    oc_join_rows w = {.join = &p->task.join[i],
                      .side = {{.t = p->phase[i]}, {.t = p->phase[find_next(p, i)]}}};
    oc_join_rows_lay_out(&w, b);
    if (b->base) p->join[i] = w;
  }
}

// count unknowns and rows
static void count_phases(oc_phases *p) {
  for (int i = 0; i < p->n; i++) {
    p->nlp.n += program_of(p, i)->n;
    p->nlp.m += program_of(p, i)->m;
  }
  p->joins = p->nlp.m;
  for (int i = 0; i < p->njoins; i++) {
    const oc_transcription *next = p->phase[find_next(p, i)];
    p->nlp.n += oc_join_impulses_count(&p->task.join[i], next);
    p->nlp.m += oc_join_rows_count(&p->task.join[i], next);
  }
  p->total = p->task.limited && has_free_time(&p->task) ? p->nlp.m++ : -1;
}

// the offsets of phases and joins
static void place_phases(oc_phases *p) {
  for (int i = 0; i < p->n; i++)
    p->at[i + 1] = (phase_place){.x = p->at[i].x + program_of(p, i)->n,
                                 .row = p->at[i].row + program_of(p, i)->m,
                                 .knot = p->at[i].knot + p->phase[i]->N + 1};
  int row = p->joins, impulse = p->at[p->n].x;
  for (int i = 0; i < p->njoins; i++) {
    oc_join_rows *w = &p->join[i];
    const int next = find_next(p, i);
    const oc_transcription *a = p->phase[i], *b = p->phase[next];
    w->side[0].q = p->at[i].x + oc_transcription_q(a, a->N);
    w->side[0].v = p->at[i].x + oc_transcription_v(a, 1);
    w->side[1].q = p->at[next].x + oc_transcription_q(b, 0);
    w->side[1].v = p->at[next].x + oc_transcription_v(b, 0);
    w->row = row;
    w->impulse = impulse;
    row += oc_join_rows_count(w->join, b);
    impulse += w->nc;
    oc_join_rows_set(w);
  }
}

// Impulses of a join push along Dh, impulses of steps pull: a constraint of the phase after that only pulls, or
// only pushes, does so in the join. A limit of another size is one of the impulse of a step. Cones, -C Lambda >= 0.
static void bound_join_impulses(oc_phases *p, int i) {
  const oc_join_rows *w = &p->join[i];
  const oc_task *task = &p->phase[find_next(p, i)]->task;
  const int cones = w->row + w->join->npairs + p->phase[find_next(p, i)]->n;
  for (int k = cones; w->join->law == OC_JOIN_MOMENTUM && k < cones + task->cones.n; k++)
    p->g_max[k] = INFINITY;
  for (int c = 0; c < w->nc; c++) {
    if (oc_high(task, OC_LAMBDA, c) == 0) p->x_min[w->impulse + c] = 0;
    if (oc_low(task, OC_LAMBDA, c) == 0) p->x_max[w->impulse + c] = 0;
  }
}

static void free_row(oc_phases *p, int row) {
  p->g_min[row] = -INFINITY;
  p->g_max[row] = INFINITY;
}

// does constraint c of the phase after hold because the phase before ends with a value of an output?
static bool touches_end(const oc_join_rows *w, const oc_transcription *a, int c) {
  for (int l = 0; l < a->task.outputs.nlimits; l++) {
    const oc_output_limit *limit = &a->task.outputs.limits[l];
    if (limit->low != limit->high || !oc_rows_has(oc_rows_limit(a, l), a->N)) continue;
    const double value = limit->low + oc_output_limit_reference(limit, a->N);
    if (oc_join_touches(w, c, limit->output, value)) return true;
  }
  return false;
}

// the conditions that hold after join i because they held before: constraints, and for the velocity law also
// their rates
static void free_kept_constraints(oc_phases *p, int i) {
  const oc_join_rows *w = &p->join[i];
  const oc_transcription *a = p->phase[i], *b = p->phase[find_next(p, i)];
  const int row = p->at[find_next(p, i)].row;
  for (int c = 0; c < b->nc; c++) {
    const bool keeps = oc_join_keeps(w, c);
    if (!keeps && !touches_end(w, a, c)) continue;
    free_row(p, row + oc_rows_at(b, OC_CONSTRAINT_ROWS, 0) + c);
    if (keeps && w->join->law == OC_JOIN_VELOCITY)
      free_row(p, row + oc_rows_at(b, OC_CONSTRAINT_RATE_ROWS, 0) + c);
  }
}

// a constraint on both sides of join i that the join moves cannot hold on both
static dm_status check_offsets(const oc_phases *p, int i, dm_message *msg) {
  const int next = find_next(p, i);
  const dm_holonomic *h = &p->phase[next]->task.system.hol;
  const int before = p->phase[i]->task.system.hol.nv;
  if (h->nv || before)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "phase %s: joins do not support rolling constraints, expected one motion without "
        "phases",
        p->task.name[h->nv ? next : i]);
  for (int c = 0; c < h->nc; c++) {
    double offset;
    if (!oc_join_breaks(&p->join[i], c, &offset)) continue;
    return dm_fail(msg, DM_BAD_INPUT,
                   "phase %s: the constraint '%s' holds before the join and after it, but the join "
                   "moves it by %.6g: what stays in place allows no travel, expected legs that are "
                   "swapped, or a travel in whose range this is 0",
                   p->task.name[next], h->row_name ? h->row_name(h->self, c) : "?", offset);
  }
  return DM_OK;
}

// free the rows of all limits on an output at an end of phase i
static void free_output_rows(oc_phases *p, int i, int output, int k) {
  const oc_transcription *t = p->phase[i];
  for (int l = 0; l < t->task.outputs.nlimits; l++) {
    const oc_rows *r = oc_rows_limit(t, l);
    if (t->task.outputs.limits[l].output != output || !oc_rows_has(r, k)) continue;
    free_row(p, p->at[i].row + oc_rows_row(r, k));
  }
}

// An output that does not change in join i has two ranges, before and after. If one range is within the
// other, the rows of the wider one are repeated.
static dm_status free_kept_outputs(oc_phases *p, int i, dm_message *msg) {
  const double room = OC_OUTPUT_ROOM;
  const int next = find_next(p, i);
  oc_transcription *a = p->phase[i], *b = p->phase[next];
  double low[2], high[2];
  for (int l = 0; l < b->task.outputs.nlimits; l++) {
    const int after = b->task.outputs.limits[l].output;
    const int before =
        oc_rows_limit(b, l)->knot == 0 ? oc_join_find_output(&p->join[i], after) : -1;
    if (before < 0) continue;
    DM_TRY(oc_output_rows_know(a, before, a->N, &low[0], &high[0]));
    DM_TRY(oc_output_rows_know(b, after, 0, &low[1], &high[1]));
    if (low[0] > high[1] + room || low[1] > high[0] + room)
      return dm_fail(msg, DM_BAD_INPUT,
                     "phase %s: output '%s' at its start: found [%g, %g] at the end of the phase "
                     "before, expected a value in [%g, %g]",
                     p->task.name[next], oc_outputs_name(&b->task.outputs, after), low[0], high[0],
                     low[1], high[1]);
    if (low[0] >= low[1] - room && high[0] <= high[1] + room)
      free_output_rows(p, next, after, 0);
    else if (low[1] >= low[0] - room && high[1] <= high[0] + room)
      free_output_rows(p, i, before, a->N);
  }
  return DM_OK;
}

// free the start velocity of a kinematic coordinate: the join determines it
static void free_kinematic_starts(oc_phases *p, int i) {
  const oc_transcription *b = p->phase[find_next(p, i)];
  const oc_task *task = &b->task;
  for (int k = 0; k < p->task.join[i].npairs; k++) {
    const int j = p->task.join[i].pairs[k].after;
    if (j < 0 || !b->kinematic || !b->kinematic[j]) continue;
    if (oc_given(task->start.v, j)) continue;
    const double limit = oc_high(task, OC_V, j);
    p->x_min[p->join[i].side[1].v + j] = -limit;
    p->x_max[p->join[i].side[1].v + j] = limit;
  }
}

static void set_phases_bounds(oc_phases *p) {
  for (int i = 0; i < p->n; i++) {
    const oc_nlp *of = program_of(p, i);
    const phase_place *at = &p->at[i];
    memcpy(p->x_min + at->x, of->x_min, (size_t)of->n * sizeof *p->x_min);
    memcpy(p->x_max + at->x, of->x_max, (size_t)of->n * sizeof *p->x_max);
    memcpy(p->g_min + at->row, of->g_min, (size_t)of->m * sizeof *p->g_min);
    memcpy(p->g_max + at->row, of->g_max, (size_t)of->m * sizeof *p->g_max);
  }
  for (int j = p->at[p->n].x; j < p->nlp.n; j++) {
    p->x_min[j] = -INFINITY;
    p->x_max[j] = INFINITY;
  }
  for (int i = 0; i < p->njoins; i++) {
    // the ranges of a join's pairs
    const oc_join_rows *w = &p->join[i];
    for (int k = 0; k < w->join->npairs; k++) {
      p->g_min[w->row + k] = w->join->pairs[k].low;
      p->g_max[w->row + k] = w->join->pairs[k].high;
    }

    bound_join_impulses(p, i);
    free_kept_constraints(p, i);
    free_kinematic_starts(p, i);
  }
  if (p->total < 0) return;
  p->g_min[p->total] = p->task.T_min;
  p->g_max[p->total] = p->task.T_max;
}

void oc_phases_rebound(oc_phases *p) {
  for (int i = 0; i < p->n; i++) {
    const oc_transcription *t = p->phase[i];
    const int x = t->z, row = oc_rows_at(t, OC_CONTACT_ROWS, 0);
    const size_t size = (size_t)t->nz * ((size_t)t->N + 1) * sizeof *p->x_min;
    memcpy(p->x_min + p->at[i].x + x, t->x_min + x, size);
    memcpy(p->x_max + p->at[i].x + x, t->x_max + x, size);
    memcpy(p->g_min + p->at[i].row + row, t->g_min + row, size);
    memcpy(p->g_max + p->at[i].row + row, t->g_max + row, size);
  }
}

// which rows of joins depend on a free unknown: moved [rows of joins]
static dm_status find_moved_rows(oc_phases *p, bool *moved) {
  oc_triplets s = {0};
  for (int i = 0; i < p->njoins; i++) DM_TRY(oc_join_rows_put(&p->join[i], NULL, &s));

  int *pattern = calloc(2 * (size_t)s.n + 1, sizeof *pattern);
  if (!pattern) return DM_NO_MEMORY;
  s = (oc_triplets){.row = pattern, .col = pattern + s.n};
  for (int i = 0; i < p->njoins; i++) (void)oc_join_rows_put(&p->join[i], NULL, &s);
  for (int e = 0; e < s.n; e++)
    if (p->x_min[s.col[e]] < p->x_max[s.col[e]]) moved[s.row[e] - p->joins] = true;
  free(pattern);
  return DM_OK;
}

// free the rows of join i without free unknowns; if x is given, check that they hold
static dm_status free_given_rows(oc_phases *p, int i, const bool *moved, const double *x, double *g,
                                 dm_message *msg) {
  const double room = 1e-9; // tolerance for given values
  const oc_join_rows *w = &p->join[i];
  const int end = w->row + oc_join_rows_count(w->join, p->phase[find_next(p, i)]);
  int given = 0;
  for (int row = w->row; row < end; row++) given += moved[row - p->joins] ? 0 : 1;
  if (given) DM_TRY(oc_join_rows_evaluate(&p->join[i], x, g));

  for (int row = w->row; row < end; row++) {
    if (moved[row - p->joins]) continue;
    char what[160];
    int knot;
    const bool holds = g[row] > p->g_min[row] - room && g[row] < p->g_max[row] + room;
    name_phases_row(p, row, what, sizeof what, &knot);
    if (!holds)
      return dm_fail(msg, DM_BAD_INPUT,
                     "phase %s: the %s: both phases give it, and the values differ by %.6g",
                     p->task.name[find_next(p, i)], what, g[row]);
    free_row(p, row);
  }
  return DM_OK;
}

// Rows of joins whose values are given on both sides: a row that holds is redundant and is freed; a row that
// does not hold is an error in the task.
static dm_status free_given_joins(oc_phases *p, dm_message *msg) {
  double *x = calloc((size_t)(p->nlp.n + p->nlp.m), sizeof *x);
  bool *moved = calloc((size_t)(p->nlp.m - p->joins) + 1, sizeof *moved);
  dm_status s = x && moved ? find_moved_rows(p, moved) : DM_NO_MEMORY;
  for (int j = 0; s == DM_OK && j < p->nlp.n; j++)
    if (p->x_min[j] == p->x_max[j]) x[j] = p->x_min[j];
  for (int i = 0; s == DM_OK && i < p->njoins; i++)
    s = free_given_rows(p, i, moved, x, x + p->nlp.n, msg);
  free(moved);
  free(x);
  return s;
}

// the program's arrays; its entries are counted by walking
static void set_phases_program(oc_phases *p) {
  oc_nlp *nlp = &p->nlp;
  nlp->x_min = p->x_min;
  nlp->x_max = p->x_max;
  nlp->g_min = p->g_min;
  nlp->g_max = p->g_max;
  nlp->self = p;
  oc_triplets jac = {0};
  oc_triplets hess = {0};
  (void)nlp->jac(p, NULL, &jac);
  (void)nlp->hess(p, NULL, 0, NULL, &hess);
  nlp->jac_nnz = jac.n;
  nlp->hess_nnz = hess.n;
}

static dm_status check_joins(const oc_phases_task *t, dm_message *msg) {
  dm_message why = {""};
  if (t->n < 1) return dm_fail(msg, DM_BAD_INPUT, "there must be at least one phase");
  for (int i = 0; i < t->n; i++)
    if (t->task[i]->per.of != OC_PER_MOTION)
      return dm_fail(msg, DM_BAD_INPUT, "phase %s: a cost per second or per way is of one motion",
                     t->name[i]);
  for (int i = 0; i < count_joins(t); i++) {
    const int next = (i + 1) % t->n;
    const dm_status s = oc_join_check(&t->join[i], t->task[i], t->task[next], &why);
    if (s != DM_OK) return dm_fail(msg, s, "phase %s: %s", t->name[next], why.text);
  }
  if (t->limited && !(0 <= t->T_min && t->T_min <= t->T_max && t->T_max > 0))
    return dm_fail(msg, DM_BAD_INPUT, "the total time: found [%g, %g] s, expected 0 <= low <= high",
                   t->T_min, t->T_max);
  return DM_OK;
}

// if all times are given, check that their total is within the limits
static dm_status check_total(const oc_phases_task *t, dm_message *msg) {
  double sum = 0;
  if (!t->limited || has_free_time(t)) return DM_OK;
  for (int i = 0; i < t->n; i++) sum += t->task[i]->time.T;
  if (sum >= t->T_min * (1 - 1e-9) && sum <= t->T_max * (1 + 1e-9)) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT, "the phases take %g s together, expected [%g, %g] s", sum,
                 t->T_min, t->T_max);
}

// the programs of all phases
static dm_status make_programs(const oc_phases_task *t, oc_transcription **phase, dm_message *msg) {
  dm_message why = {""};
  for (int i = 0; i < t->n; i++) {
    // far speed limits are included because nothing checks later whether they hold
    oc_task task = *t->task[i];
    task.every_speed = true;
    task.scales.reach = oc_program_reach(t->task, t->n);
    const dm_status s = oc_transcription_new(&phase[i], &task, &why);
    if (s != DM_OK) return dm_fail(msg, s, "phase %s: %s", t->name[i], why.text);
  }
  return DM_OK;
}

static void free_programs(oc_transcription **phase, int n) {
  for (int i = 0; phase && i < n; i++) oc_transcription_free(phase[i]);
  free(phase);
}

dm_status oc_phases_new(oc_phases **out, const oc_phases_task *task, dm_message *msg) {
  assert(out && task);
  *out = NULL;
  DM_TRY(check_joins(task, msg));
  DM_TRY(check_total(task, msg));

  // the phases' programs, then everything that depends on their sizes
  oc_phases sizes = {.task = *task,
                     .n = task->n,
                     .njoins = count_joins(task),
                     .phase = calloc((size_t)task->n, sizeof *sizes.phase),
                     .nlp = {.f = eval_phases_objective,
                             .grad = eval_phases_gradient,
                             .g = eval_phases_rows,
                             .jac = walk_phases_jacobian,
                             .hess = walk_phases_hessian,
                             .heed = heed_phases,
                             .row_name = name_phases_row,
                             .knot = find_phases_knot,
                             .own_row = find_phases_own_row,
                             .scale = scale_phases}};
  dm_status s = sizes.phase ? make_programs(task, sizes.phase, msg) : DM_NO_MEMORY;
  oc_phases *p = NULL;
  if (s == DM_OK) {
    count_phases(&sizes);
    p = dm_block_make(&sizes, sizeof sizes, lay_out_phases);
  }
  if (!p) {
    free_programs(sizes.phase, task->n);
    return s == DM_OK ? DM_NO_MEMORY : s;
  }

  // offsets, bounds, patterns
  place_phases(p);
  set_phases_bounds(p);
  for (int i = 0; s == DM_OK && i < p->njoins; i++) {
    s = check_offsets(p, i, msg);
    if (s == DM_OK) s = free_kept_outputs(p, i, msg);
  }
  if (s == DM_OK) s = free_given_joins(p, msg);
  if (s != DM_OK) {
    oc_phases_free(p);
    return s;
  }
  set_phases_program(p);
  *out = p;
  return DM_OK;
}

void oc_phases_free(oc_phases *p) {
  if (!p) return;
  free_programs(p->phase, p->n);
  dm_block_free(p);
}

// -- to and from trajectories

double oc_phases_tie(const oc_phases *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < p->n; i++) sum += oc_transcription_tie(p->phase[i], x + p->at[i].x);
  return sum;
}

void oc_phases_pack(const oc_phases *p, const dm_trajectory *const *motion, double *x) {
  for (int i = 0; i < p->n; i++) oc_transcription_pack(p->phase[i], motion[i], x + p->at[i].x);
  for (int j = p->at[p->n].x; j < p->nlp.n; j++) x[j] = 0;
}

dm_status oc_phases_unpack(const oc_phases *p, const double *x, dm_trajectory *const *motion) {
  for (int i = 0; i < p->n; i++)
    DM_TRY(oc_transcription_unpack(p->phase[i], x + p->at[i].x, motion[i]));
  return DM_OK;
}

oc_point oc_phases_point(const oc_phases *p, int i, const oc_point *of) {
  const int x = p->at[i].x;
  return (oc_point){of->x + x, of->lambda + p->at[i].row, of->z_l + x, of->z_u + x};
}

void oc_phases_prolong(const oc_phases *a, const oc_point *from, const oc_phases *b, oc_point *to) {
  assert(a && from && b && to && a->n == b->n);
  for (int i = 0; i < a->n; i++) {
    const oc_point one = oc_phases_point(a, i, from);
    oc_point other = oc_phases_point(b, i, to);
    oc_transcription_prolong(a->phase[i], &one, b->phase[i], &other);
  }

  // impulses and rows of joins, the total time
  const int x = a->at[a->n].x, y = b->at[b->n].x;
  const size_t impulses = (size_t)(a->nlp.n - x), rows = (size_t)(a->nlp.m - a->joins);
  memcpy(to->x + y, from->x + x, impulses * sizeof *to->x);
  memset(to->z_l + y, 0, impulses * sizeof *to->z_l);
  memset(to->z_u + y, 0, impulses * sizeof *to->z_u);
  memcpy(to->lambda + b->joins, from->lambda + a->joins, rows * sizeof *to->lambda);
}

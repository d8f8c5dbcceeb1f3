#include "optim/rows/step_rows.h"

#include "lib/base/block.h"
#include "optim/task/output_costs.h"

#include <string.h>

typedef enum step_family { DRIVEN_OUTPUTS, PATH_CONSTRAINTS, TERMS } step_family;

// A function in all steps, and the rows and costs for which it is evaluated.
typedef struct step_part {
  dm_step_function f;
  step_family of;
  int first, count; // path constraint, or terms, with this function
  double share;     // of the knot on this side in the cost of a step
  int value;        // index of y in the values of a step
} step_part;

// A use of row `row` of a function in a step: as row `at` of the program; at < 0: as a cost.
typedef struct step_use {
  int row, at;
  const oc_output_cost *cost;
  double weight, reference;
  double by_h; // 1 if it is integrated, i.e. also multiplied by h
} step_use;

struct oc_step_functions {
  dm_driven_outputs driven;
  int n, values;   // functions; rows of all of them
  step_part *part; // [n]
  int rows, uses;  // most rows of a function, most uses of one
  step_use *use;   // [uses]
  size_t room;     // bytes of scratch
  void *scratch;
  double *value;       // [N x values] y of the last walk
  double *y, *lambda;  // [rows] of one function
  double *y_z, *H;     // [rows x nz], [nz x nz]
  bool *moves;         // [values x nz] may an entry of z move the row?
  unsigned char *pair; // [nz x nz] the entries of a step's Hessian, its lower triangle
};

// entries of z = (q_k, q_{k+1}, u_k, h)
static int count_entries(const oc_transcription *t) {
  return 2 * t->n + t->nf + 1;
}

// index of entry a of z in x; -1: h is fixed
static int find_entry(const oc_transcription *t, int k, int a) {
  const int n = t->n;
  if (a < n) return oc_transcription_q(t, k) + a;
  if (a < 2 * n) return oc_transcription_q(t, k + 1) + a - n;
  if (a < 2 * n + t->nf) return oc_transcription_u(t, k) + a - 2 * n;
  return t->h;
}

static double find_step_length(const oc_transcription *t, const double *x) {
  return t->h < 0 ? oc_task_step(&t->task) : x[t->h];
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

// -- the list of functions

static bool is_driven(const oc_task *task) {
  for (int k = 0; k < task->N; k++)
    if (oc_outputs_driven_at(&task->outputs, task->N, k)) return true;
  return false;
}

bool oc_step_rows_have_costs(const oc_task *task) {
  return task->nterms > 0 || oc_output_costs_driven(task) >= 0;
}

// append a function with this many uses in a step; without an array, only count
static void add_part(oc_step_functions *w, const oc_transcription *t, int uses, step_part part) {
  part.f.n = t->n;
  part.f.nu = t->nf;
  part.value = w->values;
  if (w->part) w->part[w->n] = part;
  w->n++;
  w->values += part.f.y.ny;
  w->rows = larger(w->rows, part.f.y.ny);
  w->uses = larger(w->uses, uses);
  const size_t room = dm_step_function_scratch(&part.f);
  if (room > w->room) w->room = room;
}

// driven outputs, path constraints, and terms at the knots of a step that share in its cost
static void list_parts(oc_step_functions *w, const oc_transcription *t) {
  const oc_task *task = &t->task;
  const oc_outputs *o = &task->outputs;
  w->n = w->values = 0;
  if (is_driven(task))
    add_part(w, t, o->nlimits + o->ncosts,
             (step_part){.of = DRIVEN_OUTPUTS, .f = {.y = dm_driven_outputs_function(&w->driven)}});
  for (int i = 0; i < task->npaths; i++)
    add_part(w, t, 1,
             (step_part){.of = PATH_CONSTRAINTS, .first = i, .f = {.y = task->paths[i].y}});
  for (int i = 0, count; i < task->nterms; i += count) {
    count = oc_terms_group(task->nterms, task->terms, i);
    for (int side = 0; side < 2; side++)
      if (oc_cost_share(task, side) > 0)
        add_part(w, t, count,
                 (step_part){.of = TERMS,
                             .first = i,
                             .count = count,
                             .share = oc_cost_share(task, side),
                             .f = {.y = task->terms[i].y, .side = side}});
  }
}

static bool is_step_in(oc_span at, int N, int k) {
  int first, last;
  oc_span_steps(at, N, &first, &last);
  return k >= first && k <= last;
}

static step_use make_cost(const oc_transcription *t, const oc_output_cost *c, double share, int k) {
  return (step_use){.row = c->output,
                    .at = -1,
                    .cost = c,
                    .weight = share * c->weight,
                    .reference = oc_output_cost_reference(c, k),
                    .by_h = c->once ? 0 : oc_cost_factor_h(&t->task)};
}

// the uses of driven outputs in step k
static int list_driven(const oc_transcription *t, int k, step_use *use) {
  const oc_outputs *o = &t->task.outputs;
  int n = 0;
  for (int i = 0; i < o->nlimits; i++) {
    const int row = o->limits[i].output;
    const oc_rows *r = oc_rows_limit(t, i);
    if (oc_outputs_driven(o, row) && oc_rows_has(r, k))
      use[n++] = (step_use){.row = row, .at = oc_rows_row(r, k)};
  }
  for (int i = 0; i < o->ncosts; i++)
    if (oc_outputs_driven(o, o->costs[i].output) && is_step_in(o->costs[i].at, t->N, k))
      use[n++] = make_cost(t, &o->costs[i], 1, k);
  return n;
}

// the uses of a function in step k, into t->step->use
static int list_uses(const oc_transcription *t, const step_part *p, int k) {
  const oc_task *task = &t->task;
  step_use *use = t->step->use;
  int n = 0;
  if (p->of == DRIVEN_OUTPUTS) return list_driven(t, k, use);
  if (p->of == PATH_CONSTRAINTS) {
    *use = (step_use){.row = task->paths[p->first].row,
                      .at = oc_rows_at(t, OC_PATH_ROWS, k) + p->first};
    return 1;
  }
  for (int i = p->first; i < p->first + p->count; i++)
    if (is_step_in(task->terms[i].cost.at, t->N, k))
      use[n++] = make_cost(t, &task->terms[i].cost, p->share, k + p->f.side);
  return n;
}

// [nz] the entries of z that may move a row of a function
static bool *find_moves(const oc_transcription *t, const step_part *p, int row) {
  return t->step->moves + (p->value + row) * count_entries(t);
}

static void mark_moves(const oc_transcription *t) {
  for (int i = 0; i < t->step->n; i++) {
    const step_part *p = &t->step->part[i];
    for (int row = 0; row < p->f.y.ny; row++)
      for (int a = 0; a < count_entries(t); a++)
        find_moves(t, p, row)[a] = dm_step_function_moves(&p->f, row, a);
  }
}

// mark the second derivatives of a use: of y, and for a cost its squared slopes, with h if it is integrated
static void mark_pairs(const oc_transcription *t, const step_part *p, const step_use *use) {
  const int nz = count_entries(t), h = nz - 1;
  const bool *moves = find_moves(t, p, use->row);
  for (int a = 0; a < nz; a++)
    for (int b = 0; b <= a; b++) {
      const bool of_a = moves[a] || (use->cost && a == h);
      const bool of_b = moves[b] || (use->cost && b == h);
      const bool met = use->cost ? of_a && of_b : dm_step_function_couples(&p->f, use->row, a, b);
      if (met) t->step->pair[a * nz + b] = 1;
    }
}

// mark those of all uses; a row of a function counts once
static void mark_all_pairs(const oc_transcription *t) {
  oc_step_functions *w = t->step;
  for (int i = 0; i < w->n; i++) {
    const step_part *p = &w->part[i];
    memset(w->lambda, 0, (size_t)w->rows * sizeof *w->lambda);
    for (int k = 0; k < t->N; k++) {
      const int n = list_uses(t, p, k);
      for (int j = 0; j < n; j++) {
        const double seen = w->use[j].cost ? 2 : 1;
        if (w->lambda[w->use[j].row] >= seen) continue;
        w->lambda[w->use[j].row] = seen;
        mark_pairs(t, p, &w->use[j]);
      }
    }
  }
}

// the sizes of a program, for the layout of its arrays
typedef struct step_sizes {
  oc_step_functions w;
  size_t N, nz;
} step_sizes;

static void lay_out_functions(void *self, dm_block *b) {
  oc_step_functions *w = self;
  const step_sizes *s = self;
  const size_t rows = (size_t)w->rows, d = sizeof(double);
  w->part = dm_block_alloc(b, (size_t)w->n, sizeof *w->part);
  w->use = dm_block_alloc(b, (size_t)w->uses, sizeof *w->use);
  w->scratch = dm_block_alloc(b, w->room, 1);
  w->value = dm_block_alloc(b, s->N * (size_t)w->values, d);
  w->y = dm_block_alloc(b, rows, d);
  w->lambda = dm_block_alloc(b, rows, d);
  w->y_z = dm_block_alloc(b, rows * s->nz, d);
  w->H = dm_block_alloc(b, s->nz * s->nz, d);
  w->pair = dm_block_alloc(b, s->nz * s->nz, 1);
  w->moves = dm_block_alloc(b, (size_t)w->values * s->nz, sizeof *w->moves);
}

dm_status oc_step_rows_new(oc_transcription *t) {
  step_sizes sizes = {.w = {.driven = {&t->task.outputs.y, t->nf}},
                      .N = (size_t)t->N,
                      .nz = (size_t)count_entries(t)};
  list_parts(&sizes.w, t);
  if (sizes.w.n == 0) return DM_OK;
  t->step = dm_block_make(&sizes, sizeof sizes, lay_out_functions);
  if (!t->step) return DM_NO_MEMORY;
  list_parts(t->step, t);
  mark_moves(t);
  mark_all_pairs(t);
  return DM_OK;
}

void oc_step_rows_free(oc_step_functions *w) {
  dm_block_free(w);
}

void oc_step_rows_bound(oc_transcription *t, oc_rows_kind kind) {
  int row = oc_rows_at(t, kind, 0);
  for (int k = 0; k < t->N; k++)
    for (int i = 0; i < t->task.npaths; i++, row++) {
      t->g_min[row] = t->task.paths[i].low;
      t->g_max[row] = t->task.paths[i].high;
    }
}

// -- rows

static dm_step find_step(const oc_transcription *t, const double *x, int k) {
  return (dm_step){.q0 = x + oc_transcription_q(t, k),
                   .q1 = x + oc_transcription_q(t, k + 1),
                   .u = x + oc_transcription_u(t, k),
                   .h = find_step_length(t, x)};
}

// y and y_z of a function in step k; rows without a use there may be undefined
static dm_status eval_part(const oc_transcription *t, const step_part *p, const double *x, int k,
                           int uses, double *y) {
  oc_step_functions *w = t->step;
  const dm_step step = find_step(t, x, k);
  const dm_status s = dm_step_function_eval(&p->f, w->scratch, &step, y, w->y_z);
  if (s != DM_NOT_FINITE) return s;
  for (int i = 0; i < uses; i++)
    if (!dm_function_is_finite(w->use[i].row, y, count_entries(t), w->y_z)) return s;
  return DM_OK;
}

static double *find_values(const oc_transcription *t, const step_part *p, int k) {
  return t->step->value + k * t->step->values + p->value;
}

dm_status oc_step_rows_put(oc_transcription *t, oc_rows_kind kind, const double *x,
                           oc_triplets *s) {
  oc_step_functions *w = t->step;
  const int nz = count_entries(t);
  (void)kind;
  for (int i = 0; w && i < w->n * t->N; i++) {
    const step_part *p = &w->part[i % w->n];
    const int k = i / w->n, uses = list_uses(t, p, k);
    if (uses && s->val) DM_TRY(eval_part(t, p, x, k, uses, find_values(t, p, k)));

    // y_z of the rows of this step
    for (int j = 0; j < uses; j++) {
      const int row = w->use[j].row;
      const bool *moves = find_moves(t, p, row);
      for (int a = 0; w->use[j].at >= 0 && a < nz; a++)
        if (moves[a] && find_entry(t, k, a) >= 0)
          oc_put(s, w->use[j].at, find_entry(t, k, a), w->y_z[row * nz + a]);
    }
  }
  return DM_OK;
}

void oc_step_rows_evaluate(const oc_transcription *t, oc_rows_kind kind, const double *x,
                           double *g) {
  const oc_step_functions *w = t->step;
  (void)kind;
  (void)x;
  for (int i = 0; w && i < w->n * t->N; i++) {
    const step_part *p = &w->part[i % w->n];
    const int k = i / w->n, uses = list_uses(t, p, k);
    for (int j = 0; j < uses; j++)
      if (w->use[j].at >= 0) g[w->use[j].at] = find_values(t, p, k)[w->use[j].row];
  }
}

// -- costs

// w a and its derivatives by y
static oc_activated find_cost(const step_use *use, const double *y) {
  const oc_activated a = oc_activate(use->cost->activation, y[use->row] - use->reference);
  return (oc_activated){use->weight * a.value, use->weight * a.slope, use->weight * a.curve};
}

// F: the step length, which weights an integrated cost
static double find_factor(const step_use *use, double h) {
  return use->by_h > 0 ? h : 1;
}

// does a function have costs in some steps?
static bool has_costs(const step_part *p) {
  return p->of != PATH_CONSTRAINTS;
}

double oc_step_rows_cost(oc_transcription *t, const double *x) {
  const oc_step_functions *w = t->step;
  const double h = find_step_length(t, x);
  double sum = 0;
  for (int i = 0; w && i < w->n * t->N; i++) {
    const step_part *p = &w->part[i % w->n];
    const int k = i / w->n, uses = has_costs(p) ? list_uses(t, p, k) : 0;
    for (int j = 0; j < uses; j++)
      if (w->use[j].cost)
        sum += find_factor(&w->use[j], h) * find_cost(&w->use[j], find_values(t, p, k)).value;
  }
  return sum;
}

dm_status oc_step_rows_gradient(oc_transcription *t, const double *x, double *grad) {
  oc_step_functions *w = t->step;
  const int nz = count_entries(t);
  const double h = find_step_length(t, x);
  if (!w || !oc_step_rows_have_costs(&t->task)) return DM_OK;
  for (int i = 0; i < w->n * t->N; i++) {
    const step_part *p = &w->part[i % w->n];
    const int k = i / w->n, uses = has_costs(p) ? list_uses(t, p, k) : 0;
    if (uses) DM_TRY(eval_part(t, p, x, k, uses, w->y));

    // F w a' y_z, and with a free step also w a by h
    for (int j = 0; j < uses; j++) {
      const step_use *use = &w->use[j];
      if (!use->cost) continue;
      const oc_activated c = find_cost(use, w->y);
      const double slope = find_factor(use, h) * c.slope, *y_z = w->y_z + use->row * nz;
      for (int a = 0; a < nz; a++)
        if (find_entry(t, k, a) >= 0) grad[find_entry(t, k, a)] += slope * y_z[a];
      if (t->h >= 0) grad[t->h] += use->by_h * c.value;
    }
  }
  return DM_OK;
}

// -- second derivatives

// F w a'' y_z' y_z of a cost, and the coupling of h with y; w a' is the multiplier of y_zz
static void add_cost(oc_transcription *t, const step_use *use, double sigma, double h) {
  oc_step_functions *w = t->step;
  const int nz = count_entries(t), by_h = nz - 1;
  const oc_activated c = find_cost(use, w->y);
  const double *y_z = w->y_z + use->row * nz, s = sigma * find_factor(use, h);
  double *H = w->H;
  w->lambda[use->row] += s * c.slope;
  for (int a = 0; a < nz; a++)
    for (int b = 0; y_z[a] != 0 && b < nz; b++) H[a * nz + b] += s * c.curve * y_z[a] * y_z[b];
  for (int a = 0; a < nz; a++) {
    const double slope = sigma * use->by_h * c.slope * y_z[a];
    H[by_h * nz + a] += slope;
    H[a * nz + by_h] += slope;
  }
}

// add the Hessian of a function's uses in step k to w->H
static dm_status add_part_hessian(oc_transcription *t, const step_part *p, const double *x, int k,
                                  double sigma, const double *lambda) {
  oc_step_functions *w = t->step;
  const dm_step step = find_step(t, x, k);
  const int uses = list_uses(t, p, k);
  if (!uses) return DM_OK;
  DM_TRY(eval_part(t, p, x, k, uses, w->y));
  memset(w->lambda, 0, (size_t)p->f.y.ny * sizeof *w->lambda);
  for (int j = 0; j < uses; j++) {
    if (w->use[j].cost)
      add_cost(t, &w->use[j], sigma, step.h);
    else
      w->lambda[w->use[j].row] += lambda[w->use[j].at];
  }
  return dm_step_function_contract(&p->f, w->scratch, &step, w->lambda, w->H);
}

dm_status oc_step_rows_put_hessian(oc_transcription *t, oc_rows_kind kind, const double *x,
                                   double sigma, const double *lambda, oc_triplets *s) {
  oc_step_functions *w = t->step;
  const int nz = count_entries(t);
  (void)kind;
  for (int k = 0; w && k < t->N; k++) {
    if (s->val) memset(w->H, 0, (size_t)(nz * nz) * sizeof *w->H);
    for (int i = 0; s->val && i < w->n; i++)
      DM_TRY(add_part_hessian(t, &w->part[i], x, k, sigma, lambda));
    for (int a = 0; a < nz; a++)
      for (int b = 0; b <= a; b++) {
        const int i = find_entry(t, k, a), j = find_entry(t, k, b);
        if (!w->pair[a * nz + b] || i < 0 || j < 0) continue;
        oc_put(s, i > j ? i : j, i > j ? j : i, w->H[a * nz + b]);
      }
  }
  return DM_OK;
}

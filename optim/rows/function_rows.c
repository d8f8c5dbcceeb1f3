#include "optim/rows/function_rows.h"

#include "lib/base/block.h"
#include "optim/rows/cost.h"

#include <string.h>

typedef enum function_family {
  KNOT_OUTPUTS,
  DRIVEN_OUTPUTS,
  CONTACT_OUTPUTS,
  PATH_CONSTRAINTS,
  TERMS
} function_family;

// The places where functions of one kind apply: all knots, those with their contacts, or all steps.
typedef struct function_window {
  int places, nz;
  int *entry;          // [places x nz] index in x of the entries of z
  double *H, *H_h;     // [nz x nz], [nz] Hessian at a place, and its part by h and z
  unsigned char *pair; // [nz x nz] is an entry of H, in its lower triangle, nonzero?
  int npairs, *pairs;  // the indices of those
  bool *timed;         // [nz] nonzero entries of H_h
} function_window;

// A function at all places of a window, and the rows and costs for which it is evaluated.
typedef struct function_part {
  dm_step_function f;
  function_family of;
  int first, count; // path constraint, or terms, with this function
  double share;     // of the knot on this side in the cost of a step
  bool costs;       // are there costs on it?
  int value;        // index of y in the values of a place
  size_t keep;      // index of its bytes in those kept of a place
} function_part;

// A use of row `row` of a function at a place: as row `at` of the program; at < 0: as a cost.
typedef struct function_use {
  int row, at;
  const oc_output_cost *cost;
  double weight, reference; // of a cost; of a row, its value at an end is y - reference
  double by_h;              // 1 if it is integrated, i.e. also multiplied by h
  double share;             // of an integral: share h y is taken off its row; 0: the row is y
  bool level;               // is it a row of a level, with an unknown of its own?
} function_use;

struct oc_function_rows {
  oc_function_program p;
  dm_driven_outputs driven;
  dm_contact_outputs contact;
  int n, values;       // functions; rows of all of them
  size_t keeps;        // bytes that all of them keep of a place
  function_part *part; // [n]
  int rows, uses;      // most rows of a function, most uses of one
  function_use *use;   // [uses]
  function_window knots, steps, contacts;
  int wide;       // longest z
  size_t scratch; // bytes
  void *work;
  double *z;       // [wide] of a place with given values, or of the contacts of a knot
  double h;        // step length of the last evaluation
  double *none;    // [n] NAN, for the velocity of a knot without one
  double *y, *y_z; // [places x values], [places x values x wide] of the last evaluation
  char *kept;      // [places x keeps]
  double *lambda;  // [rows]
  bool *moves;     // [values x wide] may an entry of z move the row?
};

static int larger(int a, int b) {
  return a > b ? a : b;
}

static const function_window *window_of(const oc_function_rows *w, const function_part *p) {
  if (p->of == CONTACT_OUTPUTS) return &w->contacts;
  return p->f.knot ? &w->knots : &w->steps;
}

static double *find_values(const oc_function_rows *w, const function_part *p, int k) {
  return w->y + k * w->values + p->value;
}

static double *find_slopes(const oc_function_rows *w, const function_part *p, int k) {
  return w->y_z + (k * w->values + p->value) * w->wide;
}

// [nz] the entries of z that may move a row of a function
static bool *find_moves(const oc_function_rows *w, const function_part *p, int row) {
  return w->moves + (p->value + row) * w->wide;
}

static const int *find_entries(const function_window *at, int k) {
  return at->entry + k * at->nz;
}

static double find_step_length(const oc_function_rows *w, const double *x) {
  return w->p.h < 0 ? oc_task_step(w->p.task) : x[w->p.h];
}

// the number of times in z of a step
static int count_times(const oc_task *task) {
  return task->outputs.y.timed ? 2 : 0;
}

// the derivative of entry a of z by its unknown: h, t and T are multiples of the mean step, the time of a knot at an end is half a step
static double find_share(const oc_function_rows *w, const function_window *at, int k, int a) {
  const int N = w->p.task->N, past_h = a - 2 * w->p.task->system.L.nq - w->p.task->system.nu;
  const double *grid = w->p.task->time.grid;
  if (at == &w->steps && past_h > count_times(w->p.task)) return dm_grid_impulse(grid, k);
  if (at == &w->steps && past_h == 1) return dm_grid_time(grid, N, k + 0.5);
  if (at == &w->steps) return past_h == 0 ? oc_task_part(w->p.task, k) : past_h == 2 ? N : 1;
  if (at != &w->contacts) return 1;
  if (a == at->nz - 1) return dm_contact_share(k, N);
  return w->contact.rates && a == at->nz - 3 ? dm_contact_share(k + 1, N) : 1;
}

// -- the list of functions

static bool has_knots(const oc_outputs *o, bool once) {
  for (int i = 0; i < o->nlimits; i++)
    if (!oc_outputs_driven(o, o->limits[i].output)) return true;
  for (int i = 0; i < o->ncosts; i++)
    if (!oc_outputs_driven(o, o->costs[i].output) && (o->costs[i].once || !once)) return true;
  for (int i = 0; i < o->nlevels; i++)
    if (!oc_outputs_driven(o, o->levels[i].output)) return true;
  return o->follow.curve != NULL;
}

static bool has_driven(const oc_task *task) {
  for (int k = 0; k < task->N; k++)
    if (oc_outputs_driven_at(&task->outputs, task->N, k)) return true;
  for (int i = 0; i < task->outputs.nlevels; i++)
    if (oc_outputs_driven(&task->outputs, task->outputs.levels[i].output)) return true;
  return false;
}

static bool has_contact(const oc_outputs *o) {
  for (int i = 0; i < o->nlimits; i++)
    if (dm_output_map_is_contact(&o->y, o->limits[i].output)) return true;
  for (int i = 0; i < o->ncosts; i++)
    if (dm_output_map_is_contact(&o->y, o->costs[i].output)) return true;
  return false;
}

// append a function with this many uses at a place; without an array, only count
static void add_part(oc_function_rows *w, int uses, function_part part) {
  const bool contact = part.of == CONTACT_OUTPUTS;
  part.f.n = contact ? 0 : w->p.task->system.L.nq;
  part.f.nu = contact ? dm_contact_outputs_entries(&w->contact) - 1 : w->p.task->system.nu;
  part.f.times = contact || part.f.knot ? 0 : count_times(w->p.task);
  part.f.impulses = contact || part.f.knot ? 0 : w->p.task->outputs.y.impulses;
  part.value = w->values;
  part.keep = w->keeps;
  if (w->part) w->part[w->n] = part;
  w->n++;
  w->values += part.f.y.ny;
  w->keeps += dm_step_function_kept(&part.f);
  w->rows = larger(w->rows, part.f.y.ny);
  w->uses = larger(w->uses, uses);
  w->wide = larger(w->wide, dm_step_function_entries(&part.f));
  const size_t scratch = dm_step_function_scratch(&part.f);
  if (scratch > w->scratch) w->scratch = scratch;
}

// append the outputs of a family
static void add_outputs(oc_function_rows *w, function_family of, dm_function y) {
  const oc_outputs *o = &w->p.task->outputs;
  const int curve = o->follow.curve ? o->follow.curve->m : 0;
  const function_part part = {
      .of = of, .costs = o->ncosts > 0, .f = {.y = y, .knot = of == KNOT_OUTPUTS}};
  add_part(w, o->nlimits + o->ncosts + o->nlevels + curve, part);
}

// outputs at knots, driven outputs, those of contacts, path constraints, and terms at the knots of a step that share in its cost
static void list_parts(oc_function_rows *w) {
  const oc_task *task = w->p.task;
  const oc_outputs *o = &task->outputs;
  w->n = w->values = 0;
  w->keeps = 0;
  if (has_knots(o, w->p.once)) add_outputs(w, KNOT_OUTPUTS, dm_output_map_function(&o->y));
  if (!w->p.step) return;
  if (has_driven(task)) add_outputs(w, DRIVEN_OUTPUTS, dm_driven_outputs_function(&w->driven));
  if (w->contact.nr && has_contact(o))
    add_outputs(w, CONTACT_OUTPUTS, dm_contact_outputs_function(&w->contact));
  const oc_functions *of = &task->functions;
  for (int i = 0; i < of->npaths; i++)
    add_part(w, 1, (function_part){.of = PATH_CONSTRAINTS, .first = i, .f = {.y = of->paths[i].y}});
  for (int i = 0, count; i < of->nterms; i += count) {
    count = oc_terms_group(of->nterms, of->terms, i);
    for (int side = 0; side < 2; side++)
      if (oc_cost_share(task, side) > 0) {
        const dm_step_function f = {.y = of->terms[i].y, .side = side};
        const double share = oc_cost_share(task, side);
        add_part(w, count, (function_part){f, TERMS, i, count, share, .costs = true});
      }
  }
}

// -- the rows and costs of a function at a place

static function_use make_cost(const oc_function_rows *w, const oc_output_cost *c, double share,
                              int k) {
  return (function_use){.row = c->output,
                        .at = -1,
                        .cost = c,
                        .weight = share * c->weight,
                        .reference = oc_output_cost_reference(c, k),
                        .by_h = c->once ? 0 : oc_cost_factor_h(w->p.task)};
}

// the family of a row of the outputs
static function_family find_family(const oc_outputs *o, int row) {
  if (dm_output_map_is_contact(&o->y, row)) return CONTACT_OUTPUTS;
  return oc_outputs_driven(o, row) ? DRIVEN_OUTPUTS : KNOT_OUTPUTS;
}

// The use of a level at knot or step k of its span: y <= z, or a share of the integral.
static function_use make_level(const oc_function_rows *w, int l, int k, int first, int last) {
  const oc_outputs *o = &w->p.task->outputs;
  const oc_level *level = &o->levels[l];
  const bool whole = oc_outputs_of_steps(o, level->output);
  function_use use = {.row = level->output, .level = true};
  use.at = oc_rows_row(level->largest ? w->p.peaks : w->p.levels, k) + l;
  if (level->largest) return use;
  use.by_h = 1;
  use.share =
      whole ? oc_task_part(w->p.task, k) : oc_cost_span_share(w->p.task, k, first, last, false);
  return use;
}

// limits and costs on the outputs of a family at knot k, or in step k; returns their number
static int list_outputs(const oc_function_rows *w, function_family of, int k, function_use *use) {
  const oc_outputs *o = &w->p.task->outputs;
  const int N = w->p.task->N;
  int n = 0;
  for (int i = 0; i < o->nlimits; i++) {
    const int row = o->limits[i].output;
    const oc_rows *r = &w->p.limits[i];
    if (find_family(o, row) == of && oc_rows_has(r, k))
      use[n++] = (function_use){.row = row, .at = oc_rows_row(r, k)};
  }
  for (int i = 0; i < o->ncosts; i++) {
    const oc_output_cost *c = &o->costs[i];
    int first, last;
    if (find_family(o, c->output) != of || (w->p.once && !c->once)) continue;
    oc_outputs_span(o, c->output, c->at, N, &first, &last);
    if (k < first || k > last) continue;
    const bool whole = oc_outputs_of_steps(o, c->output); // a step has one value
    const double share = whole ? oc_cost_part(w->p.task, k)
                               : oc_cost_span_share(w->p.task, k, first, last, w->p.task->sum);
    use[n++] = make_cost(w, c, c->once ? 1 : share, k);
  }
  for (int i = 0; i < o->nlevels; i++) {
    int first, last;
    if (find_family(o, o->levels[i].output) != of || !w->p.levels) continue;
    oc_outputs_span(o, o->levels[i].output, o->levels[i].at, N, &first, &last);
    if (k >= first && k <= last) use[n++] = make_level(w, i, k, first, last);
  }
  const dm_curve *curve = o->follow.curve;
  for (int i = 0; of == KNOT_OUTPUTS && curve && i < curve->m; i++)
    use[n++] = (function_use){.row = o->follow.output[i],
                              .at = oc_rows_row(w->p.curve, k) + i,
                              .reference = curve->r[(k ? curve->n - 1 : 0) * curve->m + i]};
  return n;
}

// the uses of a function at place k, into w->use; returns their number
static int list_uses(const oc_function_rows *w, const function_part *p, int k) {
  const oc_task *task = w->p.task;
  function_use *use = w->use;
  int n = 0, first, last;
  if (p->of <= CONTACT_OUTPUTS) return list_outputs(w, p->of, k, use);
  if (p->of == PATH_CONSTRAINTS) {
    *use = (function_use){.row = task->functions.paths[p->first].row,
                          .at = oc_rows_row(w->p.paths, k) + p->first};
    return 1;
  }
  for (int i = p->first; i < p->first + p->count; i++) {
    oc_span_steps(task->functions.terms[i].cost.at, task->N, &first, &last);
    if (k >= first && k <= last)
      use[n++] = make_cost(w, &task->functions.terms[i].cost, p->share * oc_cost_part(task, k),
                           k + p->f.side);
  }
  return n;
}

// -- sparsity

static void mark_moves(oc_function_rows *w) {
  for (int i = 0; i < w->n; i++) {
    const function_part *p = &w->part[i];
    for (int row = 0; row < p->f.y.ny; row++)
      for (int a = 0; a < window_of(w, p)->nz; a++)
        find_moves(w, p, row)[a] = dm_step_function_moves(&p->f, row, a);
  }
}

// mark the second derivatives of a use: of y, and for a cost its squared slopes, with h if it is integrated
static void mark_pairs(const oc_function_rows *w, const function_part *p, const function_use *use) {
  const function_window *at = window_of(w, p);
  const int nz = at->nz;
  const bool *moves = find_moves(w, p, use->row);
  for (int a = 0; a < nz; a++) {
    if (use->by_h > 0 && moves[a]) at->timed[a] = true;
    for (int b = 0; b <= a; b++) {
      const bool met =
          use->cost ? moves[a] && moves[b] : dm_step_function_couples(&p->f, use->row, a, b);
      if (met) at->pair[a * nz + b] = 1;
    }
  }
}

// mark those of all uses; a row of a function counts once, and once more as a cost
static void mark_all_pairs(oc_function_rows *w) {
  for (int i = 0; i < w->n; i++) {
    const function_part *p = &w->part[i];
    memset(w->lambda, 0, (size_t)w->rows * sizeof *w->lambda);
    for (int k = 0; k < window_of(w, p)->places; k++) {
      const int n = list_uses(w, p, k);
      for (int j = 0; j < n; j++) {
        const function_use *use = &w->use[j];
        const double seen = use->cost ? 2 + use->by_h : 1;
        if (w->lambda[use->row] >= seen) continue;
        w->lambda[use->row] = seen;
        mark_pairs(w, p, use);
      }
    }
  }
}

// list the nonzero entries of H
static void list_pairs(function_window *at) {
  for (int e = 0; e < at->nz * at->nz; e++)
    if (at->pair[e]) at->pairs[at->npairs++] = e;
}

// -- making it

static void lay_out_window(function_window *at, dm_block *b) {
  const size_t nz = (size_t)at->nz;
  at->entry = dm_block_alloc(b, (size_t)at->places * nz, sizeof *at->entry);
  at->H = dm_block_alloc(b, nz * nz, sizeof *at->H);
  at->H_h = dm_block_alloc(b, nz, sizeof *at->H_h);
  at->pair = dm_block_alloc(b, nz * nz, 1);
  at->pairs = dm_block_alloc(b, nz * nz, sizeof *at->pairs);
  at->timed = dm_block_alloc(b, nz, sizeof *at->timed);
}

static void lay_out_functions(void *self, dm_block *b) {
  oc_function_rows *w = self;
  const size_t places = (size_t)w->knots.places, values = (size_t)w->values, d = sizeof(double);
  const size_t n = (size_t)w->p.task->system.L.nq, wide = (size_t)w->wide;
  w->part = dm_block_alloc(b, (size_t)w->n, sizeof *w->part);
  w->use = dm_block_alloc(b, (size_t)w->uses, sizeof *w->use);
  lay_out_window(&w->knots, b);
  lay_out_window(&w->steps, b);
  lay_out_window(&w->contacts, b);
  w->work = dm_block_alloc(b, w->scratch, 1);
  w->none = dm_block_alloc(b, n, d);
  w->z = dm_block_alloc(b, wide, d);
  w->y = dm_block_alloc(b, places * values, d);
  w->y_z = dm_block_alloc(b, places * values * wide, d);
  w->kept = dm_block_alloc(b, places * w->keeps, 1);
  w->lambda = dm_block_alloc(b, (size_t)w->rows, d);
  w->moves = dm_block_alloc(b, values * wide, sizeof *w->moves);
}

static void set_entries(const oc_function_program *p, function_window *at,
                        int (*find)(const void *self, int k, int a)) {
  for (int i = 0; i < at->places * at->nz; i++)
    at->entry[i] = find(p->self, i / at->nz, i % at->nz);
}

dm_status oc_function_rows_new(oc_function_rows **out, const oc_function_program *program) {
  const oc_task *task = program->task;
  const int n = task->system.L.nq, nf = task->system.nu;
  const dm_contact_laws *laws = program->contact ? task->system.contacts : NULL;
  oc_function_rows sizes = {.p = *program,
                            .driven = {&task->outputs.y, nf},
                            .contact =
                                dm_contact_outputs_of(&task->outputs.y, laws ? laws->rows.nc : 0)};
  *out = NULL;
  list_parts(&sizes);
  if (sizes.n == 0) return DM_OK;
  sizes.knots = (function_window){.places = task->N + 1, .nz = 2 * n};
  if (program->step)
    sizes.steps = (function_window){
        .places = task->N, .nz = 2 * n + nf + 1 + count_times(task) + task->outputs.y.impulses};
  if (laws)
    sizes.contacts =
        (function_window){.places = task->N + 1, .nz = dm_contact_outputs_entries(&sizes.contact)};
  oc_function_rows *w = *out = dm_block_make(&sizes, sizeof sizes, lay_out_functions);
  if (!w) return DM_NO_MEMORY;
  list_parts(w);
  for (int i = 0; i < n; i++) w->none[i] = NAN;
  set_entries(program, &w->knots, program->knot);
  set_entries(program, &w->steps, program->step);
  set_entries(program, &w->contacts, program->contact);
  mark_moves(w);
  mark_all_pairs(w);
  list_pairs(&w->knots);
  list_pairs(&w->steps);
  list_pairs(&w->contacts);
  return DM_OK;
}

void oc_function_rows_free(oc_function_rows *w) {
  dm_block_free(w);
}

// -- rows

// z of the contacts of knot k
static dm_step find_contact_place(const oc_function_rows *w, const double *x, int k) {
  const int last = w->contacts.nz - 1, times = w->contact.rates ? 3 : 1;
  const int *entry = find_entries(&w->contacts, k);
  for (int a = 0; a <= last - times; a++) w->z[a] = entry[a] < 0 ? 0 : x[entry[a]];
  for (int a = last - times + 1; a <= last; a++)
    w->z[a] = find_share(w, &w->contacts, k, a) * find_step_length(w, x);
  return (dm_step){.u = w->z, .h = w->z[last]};
}

// z of a place
static dm_step find_place(const oc_function_rows *w, const function_part *p, const double *x,
                          int k) {
  const int n = p->f.n, *entry = find_entries(window_of(w, p), k);
  if (p->of == CONTACT_OUTPUTS) return find_contact_place(w, x, k);
  dm_step at = {.q0 = x + entry[0], .q1 = w->none, .h = find_step_length(w, x)};
  if (entry[n] >= 0) at.q1 = x + entry[n];
  if (p->f.knot) return at;
  if (p->f.nu) at.u = x + entry[2 * n];
  at.time[0] = dm_grid_time(w->p.task->time.grid, w->p.task->N, k + 0.5) * at.h;
  at.time[1] = w->p.task->N * at.h;
  at.h *= oc_task_part(w->p.task, k);
  for (int c = 0; c < p->f.impulses; c++)
    w->z[c] = dm_grid_impulse(w->p.task->time.grid, k) * x[entry[w->steps.nz - p->f.impulses + c]];
  at.lambda = w->z;
  return at;
}

// y and y_z of a function at place k; rows without a use there may be undefined
static dm_status eval_part(oc_function_rows *w, const function_part *p, const double *x, int k) {
  const dm_step at = find_place(w, p, x, k);
  double *y = find_values(w, p, k), *y_z = find_slopes(w, p, k);
  const int uses = list_uses(w, p, k);
  if (uses == 0) return DM_OK;
  const dm_status s = dm_step_function_eval(&p->f, w->work, &at, y, y_z);
  if (s < 0 && s != DM_NOT_FINITE) return s;
  for (int i = 0; s == DM_NOT_FINITE && i < uses; i++)
    if (!dm_function_is_finite(w->use[i].row, y, window_of(w, p)->nz, y_z)) return s;
  memcpy(w->kept + (size_t)k * w->keeps + p->keep, w->work, dm_step_function_kept(&p->f));
  return DM_OK;
}

dm_status oc_function_rows_evaluate(oc_function_rows *w, const double *x) {
  if (w) w->h = find_step_length(w, x);
  for (int i = 0; w && i < w->n; i++)
    for (int k = 0; k < window_of(w, &w->part[i])->places; k++)
      DM_TRY(eval_part(w, &w->part[i], x, k));
  return DM_OK;
}

// the factor of y in its row: 1, or -share h of an integral
static double find_factor_of_row(const oc_function_rows *w, const function_use *use) {
  return use->share > 0 ? -use->share * w->h : 1;
}

void oc_function_rows_values(const oc_function_rows *w, double *g) {
  const oc_rows *const levels[] = {w ? w->p.levels : NULL, w ? w->p.peaks : NULL};
  for (int i = 0; i < 2 && levels[i]; i++)
    for (int row = 0; row < levels[i]->at.size * levels[i]->at.count; row++)
      g[levels[i]->at.at + row] = 0;
  for (int i = 0; w && i < w->n; i++)
    for (int k = 0; k < window_of(w, &w->part[i])->places; k++) {
      const int uses = list_uses(w, &w->part[i], k);
      for (int j = 0; j < uses; j++)
        if (!w->use[j].cost)
          g[w->use[j].at] =
              find_factor_of_row(w, &w->use[j]) * find_values(w, &w->part[i], k)[w->use[j].row];
    }
}

// y_z of the rows of a function at place k
static void put_part(const oc_function_rows *w, const function_part *p, int k, oc_triplets *s) {
  const function_window *at = window_of(w, p);
  const int uses = list_uses(w, p, k), nz = at->nz, *entry = find_entries(at, k);
  for (int j = 0; j < uses; j++) {
    const int row = w->use[j].row;
    const double *y_z = find_slopes(w, p, k) + row * nz;
    const bool *moves = find_moves(w, p, row), timed = w->use[j].share > 0 && w->p.h >= 0;
    const double factor = find_factor_of_row(w, &w->use[j]);
    double by_h = timed ? -w->use[j].share * find_values(w, p, k)[row] : 0;
    if (w->use[j].cost) continue;
    for (int a = 0; a < nz; a++) {
      if (!moves[a] || entry[a] < 0) continue;
      const double value = factor * find_share(w, at, k, a) * y_z[a];
      if (timed && entry[a] == w->p.h)
        by_h += value;
      else
        oc_put(s, w->use[j].at, entry[a], value);
    }
    if (timed) oc_put(s, w->use[j].at, w->p.h, by_h);
  }
}

void oc_function_rows_put(const oc_function_rows *w, oc_triplets *s) {
  for (int i = 0; w && i < w->n; i++)
    for (int k = 0; k < window_of(w, &w->part[i])->places; k++) put_part(w, &w->part[i], k, s);
}

// -- given values

// may row `row` of a function of knot k move by an unknown that is not given?
static bool is_free(const oc_function_rows *w, const function_part *p, int row, int k,
                    const double *x_min, const double *x_max) {
  const int *entry = find_entries(&w->knots, k);
  const bool *moves = find_moves(w, p, row);
  for (int a = 0; a < w->knots.nz; a++)
    if (moves[a] && (entry[a] < 0 || x_min[entry[a]] < x_max[entry[a]])) return true;
  return false;
}

// y of a function at the given values of knot k, with 0 for others: only rows without those are read
static dm_status eval_given(oc_function_rows *w, const function_part *p, int k, const double *x_min,
                            const double *x_max) {
  const int *entry = find_entries(&w->knots, k);
  const dm_step at = {.q0 = w->z, .q1 = w->z + p->f.n};
  for (int a = 0; a < w->knots.nz; a++)
    w->z[a] = entry[a] < 0 || x_min[entry[a]] < x_max[entry[a]] ? 0 : x_min[entry[a]];
  const dm_status s = dm_step_function_eval(&p->f, w->work, &at, find_values(w, p, k), NULL);
  return s == DM_NOT_FINITE ? DM_OK : s; // a row without a value is refused
}

// free a row of knot k that holds; refuse another
static dm_status free_given_row(const oc_function_rows *w, const function_part *p,
                                const function_use *use, int k, double *g_min, double *g_max,
                                dm_message *msg) {
  const double y = find_values(w, p, k)[use->row], ref = use->reference;
  const double low = g_min[use->at], high = g_max[use->at];
  if (!(y - ref >= low - OC_OUTPUT_ROOM && y - ref <= high + OC_OUTPUT_ROOM))
    return dm_fail(
        msg, DM_BAD_INPUT, "at the %s the output '%s' is %.6g, expected it within [%g, %g]",
        k ? "goal" : "start", dm_function_name(&p->f.y, use->row), y, ref + low, ref + high);
  g_min[use->at] = -INFINITY;
  g_max[use->at] = INFINITY;
  return DM_OK;
}

dm_status oc_function_rows_free_given(oc_function_rows *w, const double *x_min, const double *x_max,
                                      double *g_min, double *g_max, dm_message *msg) {
  for (int i = 0; w && i < w->n; i++) {
    const function_part *p = &w->part[i];
    for (int k = 0; p->f.knot && k < w->knots.places; k += w->knots.places - 1) {
      const int uses = list_uses(w, p, k);
      DM_TRY(eval_given(w, p, k, x_min, x_max));
      for (int j = 0; j < uses; j++) {
        const function_use *use = &w->use[j];
        if (!use->cost && !use->level && !is_free(w, p, use->row, k, x_min, x_max))
          DM_TRY(free_given_row(w, p, use, k, g_min, g_max, msg));
      }
    }
  }
  return DM_OK;
}

// -- costs

// w a and its derivatives by y
static oc_activated find_cost(const function_use *use, const double *y) {
  const oc_activated a = oc_activate(use->cost->activation, y[use->row] - use->reference);
  return (oc_activated){use->weight * a.value, use->weight * a.slope, use->weight * a.curve};
}

// F: the step length, which weights an integrated cost
static double find_factor(const function_use *use, double h) {
  return use->by_h > 0 ? h : 1;
}

double oc_function_rows_cost(const oc_function_rows *w, const double *x) {
  double sum = 0;
  for (int i = 0; w && i < w->n; i++)
    for (int k = 0; w->part[i].costs && k < window_of(w, &w->part[i])->places; k++) {
      const double h = find_step_length(w, x), *y = find_values(w, &w->part[i], k);
      const int uses = list_uses(w, &w->part[i], k);
      for (int j = 0; j < uses; j++)
        if (w->use[j].cost) sum += find_factor(&w->use[j], h) * find_cost(&w->use[j], y).value;
    }
  return sum;
}

// F w a' y_z, and with a free step also w a by h
static void add_gradient(const oc_function_rows *w, const function_part *p, int k, double h,
                         double *grad) {
  const function_window *at = window_of(w, p);
  const int uses = list_uses(w, p, k), nz = at->nz, *entry = find_entries(at, k);
  for (int j = 0; j < uses; j++) {
    const function_use *use = &w->use[j];
    if (!use->cost) continue;
    const oc_activated c = find_cost(use, find_values(w, p, k));
    const double slope = find_factor(use, h) * c.slope;
    const double *y_z = find_slopes(w, p, k) + use->row * nz;
    for (int a = 0; a < nz; a++)
      if (entry[a] >= 0) grad[entry[a]] += find_share(w, at, k, a) * slope * y_z[a];
    if (w->p.h >= 0) grad[w->p.h] += use->by_h * c.value;
  }
}

void oc_function_rows_gradient(const oc_function_rows *w, const double *x, double *grad) {
  for (int i = 0; w && i < w->n; i++)
    for (int k = 0; w->part[i].costs && k < window_of(w, &w->part[i])->places; k++)
      add_gradient(w, &w->part[i], k, find_step_length(w, x), grad);
}

// -- second derivatives

// F w a'' y_z' y_z of a cost, and the coupling of h with z; w a' is the multiplier of y_zz
static void add_cost(oc_function_rows *w, const function_part *p, const function_use *use, int k,
                     double sigma, double h) {
  const function_window *at = window_of(w, p);
  const oc_activated c = find_cost(use, find_values(w, p, k));
  const int nz = at->nz;
  const double *y_z = find_slopes(w, p, k) + use->row * nz, s = sigma * find_factor(use, h);
  w->lambda[use->row] += s * c.slope;
  for (int a = 0; a < nz; a++) {
    if (y_z[a] == 0) continue;
    for (int b = 0; b < nz; b++) at->H[a * nz + b] += s * c.curve * y_z[a] * y_z[b];
    at->H_h[a] += sigma * use->by_h * c.slope * y_z[a];
  }
}

// the multiplier of y_zz of a row, and for an integral the coupling of h with z
static void add_row(oc_function_rows *w, const function_part *p, const function_use *use, int k,
                    double lambda) {
  const function_window *at = window_of(w, p);
  const double *y_z = find_slopes(w, p, k) + use->row * at->nz;
  w->lambda[use->row] += lambda * find_factor_of_row(w, use);
  for (int a = 0; use->share > 0 && a < at->nz; a++) at->H_h[a] -= lambda * use->share * y_z[a];
}

// add the Hessian of a function's uses at place k
static dm_status add_part_hessian(oc_function_rows *w, const function_part *p, const double *x,
                                  int k, double sigma, const double *lambda) {
  const dm_step at = find_place(w, p, x, k);
  const int uses = list_uses(w, p, k);
  if (uses == 0) return DM_OK;
  memset(w->lambda, 0, (size_t)p->f.y.ny * sizeof *w->lambda);
  for (int j = 0; j < uses; j++) {
    if (w->use[j].cost)
      add_cost(w, p, &w->use[j], k, sigma, find_step_length(w, x));
    else
      add_row(w, p, &w->use[j], k, lambda[w->use[j].at]);
  }
  memcpy(w->work, w->kept + (size_t)k * w->keeps + p->keep, dm_step_function_kept(&p->f));
  return dm_step_function_contract(&p->f, w->work, &at, w->lambda, window_of(w, p)->H);
}

// the entries of a place: pairs of z, and h with z
static void put_place(const oc_function_rows *w, const function_window *at, int k, oc_triplets *s) {
  const int nz = at->nz, *entry = find_entries(at, k), h = w->p.h;
  for (int e = 0; e < at->npairs; e++) {
    const int i = entry[at->pairs[e] / nz], j = entry[at->pairs[e] % nz];
    const double share =
        find_share(w, at, k, at->pairs[e] / nz) * find_share(w, at, k, at->pairs[e] % nz);
    const bool same = i == j && at->pairs[e] / nz != at->pairs[e] % nz; // two times of the step
    if (i >= 0 && j >= 0)
      oc_put(s, larger(i, j), i + j - larger(i, j), (same ? 2 : 1) * share * at->H[at->pairs[e]]);
  }
  for (int a = 0; h >= 0 && a < nz; a++) {
    const int i = entry[a];
    if (at->timed[a] && i >= 0)
      oc_put(s, larger(h, i), h + i - larger(h, i),
             (i == h ? 2 : 1) * find_share(w, at, k, a) * at->H_h[a]);
  }
}

// are there functions at place k of a window?
static bool is_used(const oc_function_rows *w, const function_window *at, int k) {
  for (int i = 0; i < w->n; i++)
    if (window_of(w, &w->part[i]) == at && list_uses(w, &w->part[i], k)) return true;
  return false;
}

dm_status oc_function_rows_put_hessian(oc_function_rows *w, const double *x, double sigma,
                                       const double *lambda, oc_triplets *s) {
  if (!w) return DM_OK;
  const function_window *const windows[] = {&w->steps, &w->knots, &w->contacts};
  for (int v = 0; v < 3; v++) {
    const function_window *at = windows[v];
    const size_t nz = (size_t)at->nz;
    for (int k = 0; k < at->places; k++) {
      if (!is_used(w, at, k)) continue;
      memset(at->H, 0, nz * nz * sizeof *at->H);
      memset(at->H_h, 0, nz * sizeof *at->H_h);
      for (int i = 0; s->val && i < w->n; i++)
        if (window_of(w, &w->part[i]) == at)
          DM_TRY(add_part_hessian(w, &w->part[i], x, k, sigma, lambda));
      put_place(w, at, k, s);
    }
  }
  return DM_OK;
}

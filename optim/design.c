#include "optim/design.h"

#include "lib/base/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The arrays of a quantity, [n+np] or of inputs [nu+np], the reference in each row.
typedef struct quantity_arrays {
  double *low, *high, *running, *goal, *reference;
} quantity_arrays;

// a task in q and p, made from the members' tasks
struct oc_design_program {
  const oc_design *d;
  // of a member: coordinates, parameters, inputs, kinematic ones; steps, outputs
  int n, np, nu, nk, N, m;
  dm_family *family;
  dm_family_functions signals;
  dm_holonomic *signal; // [m] of the members' outputs
  oc_task task;
  const char **name, **input; // by coordinate [n+np], by input [nu+np]
  bool *constant;
  double *start_q, *start_v, *goal_q, *goal_v, *price; // [n+np]
  quantity_arrays of[OC_QUANTITIES];
  dm_trajectory *extended; // a guess
};

static void lay_out_program(void *self, dm_block *b) {
  oc_design_program *w = self;
  const size_t n = (size_t)(w->n + w->np), nu = (size_t)(w->nu + w->np), N = (size_t)w->N;
  w->signal = dm_block_alloc(b, (size_t)w->m, sizeof *w->signal);
  w->name = dm_block_alloc(b, n, sizeof *w->name);
  w->input = dm_block_alloc(b, nu, sizeof *w->input);
  w->constant = dm_block_alloc(b, n, sizeof *w->constant);
  double **const by_coordinate[] = {&w->start_q, &w->start_v, &w->goal_q, &w->goal_v, &w->price};
  for (int i = 0; i < 5; i++) *by_coordinate[i] = dm_block_alloc(b, n, sizeof(double));
  for (int of = 0; of < OC_QUANTITIES; of++) {
    double **const arrays[] = {&w->of[of].low, &w->of[of].high, &w->of[of].running,
                               &w->of[of].goal};
    const size_t size = of == OC_U ? nu : n;
    for (int i = 0; i < 4; i++) *arrays[i] = dm_block_alloc(b, size, sizeof(double));
    w->of[of].reference = dm_block_alloc(b, (N + 1) * size, sizeof(double));
  }
}

// append entries to an array of the member; NULL stays NULL
static const double *extend_table(const oc_design_program *w, const double *from, int n, double *to,
                                  double beyond) {
  if (!from) return NULL;
  memcpy(to, from, (size_t)n * sizeof *to);
  for (int i = 0; i < w->np; i++) to[n + i] = beyond;
  return to;
}

// an array that the parameters need: the member's values, or this default
static double *need_table(const oc_design_program *w, const double *from, int n, double *to,
                          double missing) {
  for (int i = 0; i < n; i++) to[i] = from ? from[i] : missing;
  for (int i = 0; i < w->np; i++) to[n + i] = missing;
  return to;
}

// append entries to rows of n numbers
static const double *extend_rows(const oc_design_program *w, const double *from, int rows, int n,
                                 double *to) {
  const int wide = n + w->np;
  if (!from) return NULL;
  for (int k = 0; k < rows; k++) memcpy(to + k * wide, from + k * n, (size_t)n * sizeof *to);
  return to;
}

// Bounds, weights and references. Those of forces and impulses stay: parameters are coordinates and, behind the
// forces, inputs.
static void extend_quantity(oc_design_program *w, oc_quantity of) {
  const oc_task *from = w->d->member;
  const int n = oc_task_size(from, of), rows = of == OC_U ? w->N : w->N + 1;
  const double beyond = of == OC_TRAVEL ? 0 : INFINITY;
  const dm_bounds *b = &from->bounds[of];
  const oc_weights *c = &from->cost[of];
  const quantity_arrays *to = &w->of[of];
  if (of == OC_RATE || of == OC_LAMBDA) return;
  w->task.bounds[of] = (dm_bounds){extend_table(w, b->low, n, to->low, -beyond),
                                   extend_table(w, b->high, n, to->high, beyond)};
  w->task.cost[of] = (oc_weights){extend_table(w, c->running, n, to->running, 0),
                                  extend_table(w, c->goal, n, to->goal, 0),
                                  extend_rows(w, c->reference, rows, n, to->reference)};
}

// ends, and the names and costs of parameters at the last knot
static void extend_tables(oc_design_program *w) {
  const oc_task *from = w->d->member;
  oc_task *t = &w->task;
  const int n = w->n;
  t->start.q = need_table(w, from->start.q, n, w->start_q, NAN);
  t->start.v = need_table(w, from->start.v, n, w->start_v, NAN);
  t->goal.q = extend_table(w, from->goal.q, n, w->goal_q, NAN);
  t->goal.v = extend_table(w, from->goal.v, n, w->goal_v, NAN);
  for (int of = 0; of < OC_QUANTITIES; of++) extend_quantity(w, (oc_quantity)of);

  // positions need bounds and costs for the parameters
  const quantity_arrays *q = &w->of[OC_Q];
  need_table(w, from->bounds[OC_Q].low, n, q->low, -INFINITY);
  need_table(w, from->bounds[OC_Q].high, n, q->high, INFINITY);
  need_table(w, from->cost[OC_Q].goal, n, q->goal, 0);
  need_table(w, NULL, n, w->price, 0);
  bool costs = false;
  for (int i = 0; i < w->np; i++) {
    const oc_parameter *p = &w->d->parameter[i];
    q->low[n + i] = p->low;
    q->high[n + i] = p->high;
    w->price[n + i] = p->price;
    q->goal[n + i] = p->weight;
    q->reference[w->N * (n + w->np) + n + i] = p->prefer;
    costs = costs || p->weight > 0;
  }
  t->bounds[OC_Q] = (dm_bounds){q->low, q->high};
  t->constant.price = w->price;
  if (from->cost[OC_Q].goal || costs) t->cost[OC_Q].goal = q->goal;
  if (from->cost[OC_Q].reference || costs) t->cost[OC_Q].reference = q->reference;
}

static dm_status check_design(const oc_design *d, dm_message *msg) {
  const oc_task *t = d->member;
  if (t->functions.nterms || t->functions.npaths)
    return dm_fail(msg, DM_BAD_INPUT,
                   "a design cannot have terms or path constraints of one's own");
  for (int i = 0; i < d->np; i++) {
    const oc_parameter *p = &d->parameter[i];
    if (!(p->low < p->high && isfinite(p->low) && isfinite(p->high)))
      return dm_fail(msg, DM_BAD_INPUT, "the range of '%s' is [%g, %g], expected low < high",
                     p->name, p->low, p->high);
    if (!(p->weight >= 0) || !isfinite(p->weight) || !isfinite(p->price) || !isfinite(p->prefer))
      return dm_fail(msg, DM_BAD_INPUT, "the costs of '%s' must be finite, its weight >= 0",
                     p->name);
  }
  return DM_OK;
}

// the family of the members
static dm_status make_family(dm_family **out, const oc_design *d, dm_message *msg) {
  double low[DM_FAMILY_PARAMETERS], high[DM_FAMILY_PARAMETERS];
  dm_system s[DM_FAMILY_MEMBERS];
  *out = NULL;
  DM_TRY(check_design(d, msg));
  const int m = dm_family_members(d->np, d->degree);
  if (d->np > DM_FAMILY_PARAMETERS || m > DM_FAMILY_MEMBERS)
    return dm_fail(msg, DM_BAD_INPUT, "a design of %d parameters of degree %d is too large", d->np,
                   d->degree);
  for (int i = 0; i < d->np; i++) {
    low[i] = d->parameter[i].low;
    high[i] = d->parameter[i].high;
  }
  for (int j = 0; j < m; j++) s[j] = d->member[j].system;
  return dm_family_new(out, d->np, d->degree, low, high, s, msg);
}

static dm_status make_design(oc_design_program *w, dm_message *msg) {
  const oc_design *d = w->d;
  DM_TRY(make_family(&w->family, d, msg));
  w->task = *d->member;
  w->task.system = dm_family_system(w->family);
  extend_tables(w);

  // inputs: next values of parameters after those of other kinematic coordinates
  const oc_task *from = w->d->member;
  for (int j = 0; j < w->nu; j++) w->input[j] = oc_task_name(from, OC_U, j);
  for (int i = 0; i < w->n; i++) w->name[i] = oc_task_name(from, OC_Q, i);
  for (int i = 0; i < w->np; i++) {
    w->name[w->n + i] = w->input[w->nu + i] = w->d->parameter[i].name;
    w->constant[w->n + i] = true;
  }
  w->task.coord_name = w->name;
  w->task.input_name = w->input;
  w->task.constant.is = w->constant;

  // outputs: signals of the family
  const dm_output_map *y = &d->member->outputs.y;
  if (!y->ny) return DM_OK;
  for (int j = 0; j < w->m; j++) w->signal[j] = d->member[j].outputs.y.s;
  w->signals = (dm_family_functions){w->family, w->signal};
  w->task.outputs.y = dm_output_map_new(dm_family_holonomic(&w->signals), w->n + w->np, y->ny,
                                        y->first, y->term, y->name);
  if (y->formula) dm_output_map_compose(&w->task.outputs.y, y->formula);
  if (y->momenta) dm_output_map_weigh(&w->task.outputs.y, &w->task.system.L);
  return DM_OK;
}

void oc_design_program_free(oc_design_program *w) {
  if (!w) return;
  dm_family_free(w->family);
  dm_trajectory_free(w->extended);
  dm_block_free(w);
}

// a motion of a member extended by the guesses of parameters
static dm_status extend_guess(oc_design_program *w, const dm_trajectory *from) {
  const int n = w->n, wide = n + w->np;
  DM_TRY(dm_trajectory_of(&w->extended, from->N, &w->task.system));
  dm_trajectory *x = w->extended;
  x->h = from->h;
  dm_trajectory_set_grid(x, from->grid);
  for (int k = 0; k <= from->N; k++) {
    memcpy(x->q + k * wide, from->q + k * n, (size_t)n * sizeof *x->q);
    memcpy(x->v + k * wide, from->v + k * n, (size_t)n * sizeof *x->v);
    for (int i = 0; i < w->np; i++) x->q[k * wide + n + i] = w->d->parameter[i].guess;
  }
  for (int k = 0; k < from->N; k++) {
    memcpy(x->u + k * (w->nu + w->np), from->u + k * w->nu, (size_t)w->nu * sizeof *x->u);
    for (int i = 0; i < w->np; i++)
      x->u[k * (w->nu + w->np) + w->nu + i] = w->d->parameter[i].guess;
  }
  if (from->nc == x->nc)
    memcpy(x->lambda, from->lambda, (size_t)(from->N * from->nc) * sizeof *x->lambda);
  return DM_OK;
}

// the reverse: without the parameters
static dm_status reduce_motion(const oc_design_program *w, const dm_trajectory *x,
                               dm_trajectory **out) {
  const int n = w->n, wide = n + w->np;
  dm_trajectory *to;
  DM_TRY(dm_trajectory_of(&to, x->N, &w->d->member->system));
  to->h = x->h;
  dm_trajectory_set_grid(to, x->grid);
  for (int k = 0; k <= x->N; k++) {
    memcpy(to->q + k * n, x->q + k * wide, (size_t)n * sizeof *x->q);
    memcpy(to->v + k * n, x->v + k * wide, (size_t)n * sizeof *x->v);
    memcpy(to->p + k * n, x->p + k * wide, (size_t)n * sizeof *x->p);
  }
  for (int k = 0; k < x->N; k++)
    memcpy(to->u + k * w->nu, x->u + k * (w->nu + w->np), (size_t)w->nu * sizeof *x->u);
  if (x->nc) memcpy(to->lambda, x->lambda, (size_t)(x->N * x->nc) * sizeof *x->lambda);
  *out = to;
  return DM_OK;
}

dm_status oc_design_program_new(oc_design_program **out, const oc_design *d, dm_message *msg) {
  const oc_task *t = d->member;
  *out = NULL;
  oc_design_program sizes = {.d = d,
                             .n = t->system.L.nq,
                             .np = d->np,
                             .nu = dm_system_inputs(&t->system),
                             .N = t->N,
                             .m = dm_family_members(d->np, d->degree)};
  oc_design_program *w = dm_block_make(&sizes, sizeof sizes, lay_out_program);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  const dm_status s = make_design(w, msg);
  if (s != DM_OK) {
    oc_design_program_free(w);
    return s;
  }
  *out = w;
  return DM_OK;
}

const oc_task *oc_design_program_task(const oc_design_program *w) {
  return &w->task;
}

const dm_family *oc_design_program_family(const oc_design_program *w) {
  return w->family;
}

dm_status oc_design_solve(const oc_design *d, const oc_setup *set, dm_trajectory **motion,
                          oc_design_info *info, dm_message *msg) {
  assert(d && motion && info);
  oc_setup own = set ? *set : oc_setup_default();
  oc_solution *solution = NULL;
  oc_design_program *w;
  *motion = NULL;
  *info = (oc_design_info){.solve = {.status = DM_OK}};

  // the program, and its initial guess
  DM_TRY(oc_design_program_new(&w, d, msg));
  dm_status s = own.guess ? extend_guess(w, own.guess) : DM_OK;
  own.guess = w->extended;
  if (s == DM_OK) s = oc_solution_new(&solution, &w->task, &own, msg);
  if (s == DM_OK) s = oc_solution_start(solution, NULL);
  if (s >= 0) s = oc_solution_find(solution, msg);

  // the values, and the multipliers of their bounds at the first knot
  if (s == DM_OK) {
    info->solve = solution->info;
    for (int i = 0; i < d->np; i++) {
      const int x = oc_transcription_q(solution->first, 0) + w->n + i;
      info->value[i] = solution->point.x[x];
      info->slope[i] = solution->point.z_l[x] - solution->point.z_u[x];
    }
    s = solution->info.status < 0 ? solution->info.status
                                  : reduce_motion(w, solution->motion, motion);
  }
  if (s == DM_OK) s = info->solve.status;
  oc_solution_free(solution);
  oc_design_program_free(w);
  return s;
}

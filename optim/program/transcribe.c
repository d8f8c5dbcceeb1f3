// optim/program/transcribe.c: see transcribe.h. The callbacks are in callbacks.c.
#include "optim/program/transcribe.h"

#include "lib/base/block.h"
#include "optim/program/callbacks.h"
#include "optim/program/program_scale.h"
#include "optim/rows/contact_rows.h"
#include "optim/rows/curve_rows.h"
#include "optim/rows/differences.h"
#include "optim/rows/knot_speeds.h"
#include "optim/rows/level_rows.h"
#include "optim/rows/output_rows.h"
#include "optim/rows/rows.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const oc_nlp *oc_transcription_nlp(const oc_transcription *t) {
  return &t->nlp;
}

// the knot of an unknown; -1 for the step
static int find_knot(const void *self, int x) {
  const oc_transcription *t = self;
  if (x < oc_transcription_q(t, t->N)) return x / oc_transcription_q(t, 1);
  if (x < t->v[0]) return t->N;
  if (x < t->v[1]) return 0;
  if (x < t->v[1] + t->n) return t->N;
  if (t->s >= 0 && x >= t->s && x <= t->s + t->N) return x - t->s;
  if (t->times >= 0 && x >= t->times && x <= t->times + t->N) return x - t->times;
  if (t->nz > 0 && x >= t->z && x < oc_transcription_contact(t, t->N + 1))
    return (x - t->z) / t->nz;
  const int level = x - t->level, levels = t->task.outputs.nlevels;
  if (level >= 0 && level < oc_level_rows_count(&t->task))
    return level / levels < t->N ? level / levels : t->N;
  return x == t->h ? -1 : 1 + (x - t->v[1] - t->n) / (t->n + t->nc);
}

static int find_own_row(const void *self, int x) {
  return oc_contact_rows_own(self, x);
}

// -- making it

// a curve that outputs follow, and a motion's parameters on it
static void lay_out_curve_rows(oc_transcription *t, dm_block *b) {
  const dm_curve *curve = t->task.outputs.follow.curve;
  const size_t knots = (size_t)t->N + 1, m = curve ? (size_t)curve->m : 0;
  t->curve_s = dm_block_alloc(b, curve ? knots : 0, sizeof(double));
  t->curve_r = dm_block_alloc(b, knots * m, sizeof(double));
  t->curve_y = dm_block_alloc(b, knots * m, sizeof(double));
  t->curve_slope = dm_block_alloc(b, m, sizeof(double));
}

static void lay_out_pattern(oc_block_pattern *p, size_t entries, dm_block *b) {
  int **lists[] = {&p->row, &p->col, &p->place, &p->flip};
  for (int i = 0; i < 4; i++) *lists[i] = dm_block_alloc(b, entries, sizeof(int));
}

static void lay_out_transcription(void *self, dm_block *b) {
  oc_transcription *t = self;
  size_t n = (size_t)t->n, N = (size_t)t->N, nn = n * n;
  size_t nx = (size_t)t->nlp.n, m = (size_t)t->nlp.m;
  size_t nf = (size_t)t->nf, moving = (size_t)t->moving;
  size_t nc = (size_t)t->nc;

  // lists and patterns
  t->rows = dm_block_alloc(b, (size_t)t->nrows, sizeof *t->rows);
  t->limited = dm_block_alloc(b, n, sizeof(int));
  t->rated = dm_block_alloc(b, nf, sizeof(int));
  for (int e = 0; e < 2; e++) t->bent[e] = dm_block_alloc(b, n, sizeof(int));
  t->lagged = dm_block_alloc(b, nf, sizeof(int));
  lay_out_pattern(&t->motion, nn, b);
  lay_out_pattern(&t->curvature, nn, b);
  lay_out_pattern(&t->lower, nn, b);
  t->hol_mask = dm_block_alloc(b, (size_t)t->nc * n, 1);
  t->scratch = dm_block_alloc(b, t->task.system.L.scratch, 1);

  // bounds, and the point of the last evaluation with its kept results
  double **arrays[] = {&t->x_min, &t->x_max, &t->x_at};
  for (int i = 0; i < 3; i++) *arrays[i] = dm_block_alloc(b, nx, sizeof(double));
  t->g_min = dm_block_alloc(b, m, sizeof(double));
  t->g_max = dm_block_alloc(b, m, sizeof(double));
  t->D1 = dm_block_alloc(b, N * n, sizeof(double));
  t->D2 = dm_block_alloc(b, N * n, sizeof(double));
  t->mu = dm_block_alloc(b, (N + 1) * n, sizeof(double));
  t->mu1 = dm_block_alloc(b, (N + 1) * n, sizeof(double));
  t->tie = dm_block_alloc(b, nf, sizeof(double));
  t->knot_momentum = dm_block_alloc(b, moving * n, sizeof(double));
  t->knot_rate = dm_block_alloc(b, moving * (size_t)t->nc, sizeof(double));

  // of one knot or end
  double **squares[] = {&t->knot_block, &t->end.L_qq, &t->end.L_qv, &t->end.L_vv};
  for (int i = 0; i < 4; i++) *squares[i] = dm_block_alloc(b, nn, sizeof(double));
  double **vectors[] = {&t->end.L_q, &t->end.L_v, &t->p[0], &t->p[1], &t->knot_block_h, &t->mu0,
                        &t->mu_next, &t->zero,    &t->g_q,  &t->g_v,  &t->g_p};
  for (int i = 0; i < 11; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  double **lanes[] = {&t->lane_q0, &t->lane_q1, &t->lane_u, &t->lane_mu0, &t->lane_mu1};

  // constraints
  t->hol_value = dm_block_alloc(b, (N + 1) * nc, sizeof(double));
  t->hol_impulse = dm_block_alloc(b, (N + 1) * n, sizeof(double));
  t->Dh = dm_block_alloc(b, nc * n, sizeof(double));
  t->hol_rate = dm_block_alloc(b, 2 * nc, sizeof(double));
  t->hol_rate_q = dm_block_alloc(b, nc * n, sizeof(double));
  t->hol_curvature = dm_block_alloc(b, nn, sizeof(double));
  t->hol_scratch = dm_block_alloc(b, t->task.system.hol.scratch, 1);

  const size_t ny = (size_t)t->task.outputs.y.ny;
  t->out_mask = dm_block_alloc(b, ny * n, 1);
  t->out_rated = dm_block_alloc(b, ny, sizeof *t->out_rated);
  t->out_here = dm_block_alloc(b, ny, sizeof(double));
  t->out_scratch = dm_block_alloc(b, t->task.outputs.y.scratch, 1);
  lay_out_curve_rows(t, b);

  // lanes of intervals that are evaluated together
  size_t wider = t->n > t->nu ? n : (size_t)t->nu;
  for (int i = 0; i < 5; i++) *lanes[i] = dm_block_alloc(b, wider * DM_MAX_LANES, sizeof(double));
}

// an entry of an array that may be NULL
static double bound_or(const double *a, int i, double missing) {
  return a ? a[i] : missing;
}

// bound one unknown, or fix it at a given value
static void set_variable_bound(oc_transcription *t, int j, double given, double lo, double hi) {
  t->x_min[j] = isnan(given) ? lo : given;
  t->x_max[j] = isnan(given) ? hi : given;
}

// positions of every knot: the given ends, else the limits
static void bound_positions(oc_transcription *t) {
  const oc_task *task = &t->task;
  for (int k = 0; k <= t->N; k++)
    for (int i = 0; i < t->n; i++) {
      const double *end = NULL;
      if (k == 0) end = task->start.q;
      if (k == t->N) end = task->goal.q;
      const int x = oc_transcription_q(t, k) + i;
      if (k > 0 && task->constant.is && task->constant.is[i]) {
        set_variable_bound(t, x, NAN, -INFINITY, INFINITY);
        continue;
      }
      set_variable_bound(t, x, bound_or(end, i, NAN), oc_low(task, OC_Q, i),
                         oc_high(task, OC_Q, i));
    }
}

// forces, and next values of kinematic coordinates
static void bound_inputs(oc_transcription *t) {
  const oc_task *task = &t->task;
  for (int k = 0; k < t->N; k++)
    for (int j = 0; j < t->nf; j++)
      set_variable_bound(t, oc_transcription_u(t, k) + j, NAN, oc_low(task, OC_U, j),
                         oc_high(task, OC_U, j));

  // kinematic coordinates have the limits of their configurations already
  for (int i = 0, j = t->nf; t->kinematic && i < t->n; i++) {
    if (!t->kinematic[i]) continue;
    double lo = oc_low(task, OC_U, j);
    double hi = oc_high(task, OC_U, j);
    // omit a bound that repeats the bound of q_{k+1}
    if (lo <= oc_low(task, OC_Q, i)) lo = -INFINITY;
    if (hi >= oc_high(task, OC_Q, i)) hi = INFINITY;
    const double next =
        task->constant.is && task->constant.is[i] ? 0 : NAN; // a constant coordinate has no input
    for (int k = 0; k < t->N; k++)
      set_variable_bound(t, oc_transcription_u(t, k) + j, next, lo, hi);
    j++;
  }
}

// limits of inputs over an interval
static void bound_inputs_for_a_while(oc_transcription *t) {
  for (int i = 0; i < t->task.inputs.n; i++) {
    const oc_input_limit *l = &t->task.inputs.limit[i];
    int first, last;
    oc_span_steps(l->at, t->N, &first, &last);
    for (int k = first; k <= last; k++) {
      const int j = oc_transcription_u(t, k) + l->input;
      t->x_min[j] = fmax(t->x_min[j], l->low);
      t->x_max[j] = fmin(t->x_max[j], l->high);
    }
  }
}

// constraint impulses; that of the last knot belongs to no step
static void bound_impulses(oc_transcription *t) {
  const oc_task *task = &t->task;
  for (int k = 0; k <= t->N; k++)
    for (int c = 0; c < t->nc; c++) {
      double lo = k < t->N ? oc_low(task, OC_LAMBDA, c) : -INFINITY;
      double hi = k < t->N ? oc_high(task, OC_LAMBDA, c) : INFINITY;
      set_variable_bound(t, oc_transcription_lambda(t, k) + c, NAN, lo, hi);
    }
}

// velocities at the ends; that of a kinematic coordinate before the first step is 0 unless given
static void bound_end_velocities(oc_transcription *t) {
  const oc_task *task = &t->task;
  for (int i = 0; i < t->n; i++) {
    double still = t->kinematic && t->kinematic[i] ? 0 : INFINITY;
    double limit = still > 0 ? oc_high(task, OC_V, i) : INFINITY;
    set_variable_bound(t, t->v[0] + i, bound_or(task->start.v, i, NAN), -fmin(still, limit),
                       fmin(still, limit));
    set_variable_bound(t, t->v[1] + i, bound_or(task->goal.v, i, NAN), -limit, limit);
  }
}

// the motion's rows are equations: their bounds stay zero, as allocated
static void set_program_bounds(oc_transcription *t) {
  const oc_task *task = &t->task;
  bound_positions(t);
  bound_inputs(t);
  bound_inputs_for_a_while(t);
  bound_impulses(t);
  bound_end_velocities(t);
  if (t->h >= 0) set_variable_bound(t, t->h, NAN, task->time.min / t->N, task->time.max / t->N);
  for (int kind = 0; kind < OC_ROW_KINDS; kind++)
    if (oc_row_kinds[kind].bound) oc_row_kinds[kind].bound(t, kind);
}

void oc_transcription_rebound(oc_transcription *t) {
  set_program_bounds(t);
}

// which coordinates move each constraint, or the rate of a nonholonomic one: those with a nonzero derivative at some random points; all of them
// if the derivative is undefined there
static void set_hol_mask(oc_transcription *t) {
  enum { POINTS = 4 };
  const dm_holonomic *hol = &t->task.system.hol;
  uint64_t seed = 88172645463325252u;
  for (int p = 0; hol->nc && p < POINTS; p++) {
    // a point in [0.1, 1.1)^n, by xorshift
    for (int i = 0; i < t->n; i++) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      t->mu[i] = (double)(seed >> 11) / 9007199254740992.0 + 0.1;
    }

    // Dh there; in a row without a value, all coordinates count
    for (int j = 0; j < hol->nc * t->n; j++) t->Dh[j] = NAN;
    (void)hol->eval(hol->self, t->hol_scratch, t->mu, t->hol_value, t->Dh);
    for (int j = 0; j < hol->nc * t->n; j++) t->hol_mask[j] |= t->Dh[j] != 0;

    // nonholonomic rows also by the coordinates that A depends on
    const int first = (hol->nc - hol->nv) * t->n;
    for (int j = first; j < hol->nc * t->n; j++) t->Dh[j] = NAN;
    for (int i = 0; i < t->n; i++) t->mu1[i] = 1 + t->mu[t->n - 1 - i];
    if (hol->nv)
      (void)hol->directional(hol->self, t->hol_scratch, t->mu, t->mu1, NULL, t->Dh, NULL);
    for (int j = first; hol->nv && j < hol->nc * t->n; j++) t->hol_mask[j] |= t->Dh[j] != 0;
    if (!hol->drift) continue;
    dm_middle_rows *m = t->middle; // and that b depends on
    (void)hol->drift(hol->self, t->hol_scratch, t->mu, NULL, m->g, m->b_q, NULL);
    for (int j = 0; j < hol->nv * t->n; j++) t->hol_mask[first + j] |= m->b_q[j] != 0;
  }
}

// append the entry (i, j) to a pattern
static void add_entry(oc_block_pattern *p, int n, int i, int j) {
  p->row[p->count] = i;
  p->col[p->count] = j;
  p->place[p->count] = i * n + j;
  p->flip[p->count++] = j * n + i;
}

// which unknowns couple: according to the Lagrangian, general forces and constraints; in the Hessian all of
// them if momenta have a cost; kinematic coordinates have no equation of
// motion
static void set_block_patterns(oc_transcription *t) {
  const oc_task *task = &t->task;
  int n = t->n;
  // the momentum's J'WJ couples all unknowns of a step
  t->dense = task->cost[OC_P].running != NULL;
  t->momentum = task->cost[OC_P].running || task->cost[OC_P].goal;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      // the step itself, and constraints that depend on both
      bool coupled = dm_interval_couples(t->d, i, j);
      for (int c = 0; c < t->nc; c++) coupled |= t->hol_mask[c * n + i] && t->hol_mask[c * n + j];
      const bool curves = coupled || t->momentum || t->dense;
      if (coupled && !(t->kinematic && t->kinematic[i])) add_entry(&t->motion, n, i, j);
      if (curves) add_entry(&t->curvature, n, i, j);
      if (curves && j <= i) add_entry(&t->lower, n, i, j);
    }
}

static void heed_deadline(void *self, oc_deadline *deadline) {
  oc_transcription *t = self;
  t->deadline = deadline;
}

// count unknowns and rows, and set the offsets of the blocks
static oc_transcription count_program(const oc_task *task) {
  const dm_system *s = &task->system;
  oc_transcription count = {.task = *task,
                            .n = s->L.nq,
                            .nu = dm_system_inputs(s),
                            .nf = s->nu,
                            .nc = s->hol.nc,
                            .kinematic = s->nk ? s->kinematic : NULL};

  // coordinates and forces with rows of their own
  int n = count.n, N = count.N = task->N;
  int limited = 0;
  for (int i = 0; i < n; i++) limited += isfinite(oc_high(task, OC_V, i)) ? 1 : 0;
  count.nlim = limited;
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < n; i++) count.nbent[e] += isfinite(oc_high(task, e ? OC_JERK : OC_A, i));
  count.moving = oc_knot_speeds_wanted(task) ? N - 1 : 0;
  for (int j = 0; j < count.nf; j++) count.nrate += isfinite(oc_high(task, OC_RATE, j)) ? 1 : 0;

  for (int j = 0; task->lag && j < count.nf; j++) count.nlag += task->lag[j] > 0;

  // forces change from step to step, and in a periodic motion from the last one to the first
  count.nchange = task->periodic && N > 1 ? N : N - 1;

  // x: the stages, both end velocities, inner velocities, curve parameters, the step
  count.v[0] = oc_transcription_lambda(&count, N) + count.nc;
  count.v[1] = count.v[0] + n;
  int free = count.v[1] + n + count.moving * (n + count.nc);
  count.s = task->outputs.follow.curve ? free : -1;
  free += task->outputs.follow.curve ? N + 1 : 0;
  count.nz = oc_contact_rows_count(task);
  count.z = free;
  free += count.nz * (N + 1);
  count.level = free;
  free += oc_level_rows_count(task);
  // free steps are differences of times; otherwise a grid scales with h
  const bool times = oc_task_frees_steps(task);
  count.times = times ? free : -1;
  free += times ? N + 1 : 0;
  if (times) count.task.time.grid = NULL;
  count.h = task->time.free && !times ? free : -1;

  // rule.left is the share of the force at the left end; nodes within the step have other shares
  count.left = task->system.rule.inner || task->system.rule.left != 0;
  count.right = task->system.rule.inner || task->system.rule.left != 1;

  count.nlp = (oc_nlp){.n = free + (count.h >= 0 ? 1 : 0),
                       .m = oc_rows_list(&count, NULL, &count.nrows),
                       .f = oc_transcription_objective,
                       .grad = oc_transcription_gradient,
                       .g = oc_transcription_rows,
                       .jac = oc_transcription_jacobian,
                       .hess = oc_transcription_hessian,
                       .heed = heed_deadline,
                       .row_name = oc_row_name,
                       .knot = find_knot,
                       .own_row = find_own_row,
                       .scale = oc_transcription_scale};
  return count;
}

// lists of limited quantities, bounds, patterns
static dm_status set_structure(oc_transcription *t, dm_message *msg) {
  const oc_task *task = &t->task;
  for (int i = 0, l = 0; i < t->n; i++)
    if (isfinite(oc_high(task, OC_V, i))) t->limited[l++] = i;
  for (int e = 0; e < 2; e++)
    for (int i = 0, l = 0; i < t->n; i++)
      if (isfinite(oc_high(task, e ? OC_JERK : OC_A, i))) t->bent[e][l++] = i;
  for (int j = 0, l = 0; j < t->nf; j++)
    if (isfinite(oc_high(task, OC_RATE, j))) t->rated[l++] = j;
  for (int j = 0, l = 0; task->lag && j < t->nf; j++)
    if (task->lag[j] > 0) t->lagged[l++] = j;
  (void)oc_rows_list(t, t->rows, &t->nrows);
  oc_unknowns_list(t, t->unknowns);
  oc_tie_break(task, t->tie);
  DM_TRY(oc_contact_rows_new(t));
  set_program_bounds(t);
  set_hol_mask(t);

  // outputs may be piecewise, and constant in some pieces, so sampling cannot determine this mask
  for (int i = 0; i < task->outputs.y.ny; i++) {
    t->out_rated[i] = dm_output_map_is_rated(&task->outputs.y, i);
    for (int j = 0; j < t->n; j++)
      t->out_mask[i * t->n + j] =
          !oc_outputs_driven(&task->outputs, i) && dm_output_map_moves(&task->outputs.y, i, j);
  }
  DM_TRY(oc_output_rows_new(t));
  set_block_patterns(t);
  for (int kind = 0; kind < OC_ROW_KINDS; kind++)
    if (oc_row_kinds[kind].settle) DM_TRY(oc_row_kinds[kind].settle(t, msg));
  return DM_OK;
}

// the program's arrays; its entries are counted by walking
static void set_program(oc_transcription *t) {
  oc_nlp *p = &t->nlp;
  p->x_min = t->x_min;
  p->x_max = t->x_max;
  p->g_min = t->g_min;
  p->g_max = t->g_max;
  p->self = t;

  // without patterns and values, a walk only counts
  oc_triplets jac = {0};
  oc_triplets hess = {0};
  p->jac(t, NULL, &jac);
  p->hess(t, NULL, 0, NULL, &hess);
  p->jac_nnz = jac.n;
  p->hess_nnz = hess.n;
}

// workspaces of other modules, then everything that depends on the task; the Jacobian's values last, because
// they have to be counted first
static dm_status make_transcription(oc_transcription *t, dm_message *msg) {
  DM_TRY(dm_interval_new(&t->d, &t->task.system));
  // lanes share one step length
  if (t->task.time.grid || t->times >= 0)
    DM_TRY(dm_interval_new(&t->many, &t->task.system));
  else
    DM_TRY(dm_interval_new_lanes(&t->many, &t->task.system));
  DM_TRY(oc_cost_new(&t->cost, &t->task));
  const dm_holonomic *hol = &t->task.system.hol;
  if (hol->nv) DM_TRY(dm_middle_rows_new(&t->middle, hol, t->n));
  const dm_curve *curve = t->task.outputs.follow.curve;
  if (curve) DM_TRY(oc_curve_place_new(&t->curve_place, curve, t->N, oc_curve_most(t->N)));
  DM_TRY(set_structure(t, msg));
  set_program(t);

  dm_block values = {0};
  dm_block_alloc(&values, (size_t)t->nlp.jac_nnz, sizeof *t->jac);
  dm_status s = dm_block_new(&values);
  t->jac = dm_block_alloc(&values, (size_t)t->nlp.jac_nnz, sizeof *t->jac);
  return s;
}

dm_status oc_transcription_new(oc_transcription **out, const oc_task *task, dm_message *msg) {
  assert(out && task);
  DM_TRY(oc_task_check(task, msg));
  oc_transcription count = count_program(task);

  // numbers of all sizes in one block
  oc_transcription *t = dm_block_make(&count, sizeof count, lay_out_transcription);
  if (!t) return DM_NO_MEMORY;

  dm_status s = make_transcription(t, msg);
  if (s < 0) {
    oc_transcription_free(t);
    return s;
  }
  *out = t;
  return DM_OK;
}

void oc_transcription_free(oc_transcription *t) {
  if (!t) return;
  dm_interval_free(t->d);
  dm_interval_free(t->many);
  dm_middle_rows_free(t->middle);
  dm_momenta_free(t->momenta);
  oc_cost_free(t->cost);
  oc_function_rows_free(t->functions);
  oc_contact_rows_free(t->contact);
  oc_curve_place_free(t->curve_place);
  dm_block_free(t->jac);
  dm_block_free(t);
}

// -- to and from a trajectory

void oc_transcription_pack(oc_transcription *t, const dm_trajectory *traj, double *x) {
  assert(t && traj && x && traj->N == t->N && traj->n == t->n);
  int n = t->n, nu = t->nu, N = t->N;

  // q, u
  size_t size = (size_t)n * sizeof *x;
  for (int k = 0; k <= N; k++) memcpy(x + oc_transcription_q(t, k), traj->q + k * n, size);
  for (int k = 0; k < N; k++)
    memcpy(x + oc_transcription_u(t, k), traj->u + k * nu, (size_t)nu * sizeof *x);

  // impulses, zero if the motion does not have any; the last knot's start as those of the knot before
  for (int k = 0; k <= N; k++) {
    double *lambda = x + oc_transcription_lambda(t, k);
    int step = k < N ? k : N - 1;
    if (traj->nc)
      memcpy(lambda, traj->lambda + step * t->nc, (size_t)t->nc * sizeof *x);
    else
      memset(lambda, 0, (size_t)t->nc * sizeof *x);
  }

  // velocities of the ends and of inner knots, whose kappa starts at zero; the step
  memcpy(x + t->v[0], traj->v, size);
  memcpy(x + t->v[1], traj->v + N * n, size);
  for (int k = 1; k <= t->moving; k++) {
    memcpy(x + oc_transcription_velocity(t, k), traj->v + k * n, size);
    memset(x + oc_transcription_velocity(t, k) + n, 0, (size_t)t->nc * sizeof *x);
  }
  if (t->h >= 0) x[t->h] = traj->h;
  for (int k = 0; t->times >= 0 && k <= N; k++) x[t->times + k] = dm_trajectory_time(traj, k);
  memset(x + t->level, 0, (size_t)oc_level_rows_count(&t->task) * sizeof *x);
  oc_curve_rows_pack(t, traj, x);
  oc_contact_rows_pack(t, traj, x);

  // clip to the bounds; a fixed entry takes its value
  for (int j = 0; j < t->nlp.n; j++) {
    if (x[j] < t->x_min[j] || t->x_min[j] == t->x_max[j]) x[j] = t->x_min[j];
    if (x[j] > t->x_max[j]) x[j] = t->x_max[j];
  }
}

dm_status oc_transcription_unpack(oc_transcription *t, const double *x, dm_trajectory *traj) {
  assert(t && x && traj && traj->N == t->N && traj->n == t->n);
  int n = t->n, nu = t->nu, N = t->N;

  for (int k = 0; k <= N; k++)
    memcpy(traj->q + k * n, x + oc_transcription_q(t, k), (size_t)n * sizeof *x);
  for (int k = 0; k < N; k++)
    memcpy(traj->u + k * nu, x + oc_transcription_u(t, k), (size_t)nu * sizeof *x);
  for (int i = 0, j = t->nf; t->kinematic && i < n; i++) {
    if (!t->kinematic[i]) continue;
    for (int k = 0; k < N && t->task.constant.is && t->task.constant.is[i]; k++)
      traj->u[k * nu + j] = x[oc_transcription_q(t, k + 1) + i];
    j++;
  }
  for (int k = 0; k < N && traj->nc; k++)
    memcpy(traj->lambda + k * t->nc, x + oc_transcription_lambda(t, k), (size_t)t->nc * sizeof *x);
  memcpy(traj->v, x + t->v[0], (size_t)n * sizeof *x);

  // the momenta and inner velocities follow from these
  oc_task_set_steps(&t->task, oc_transcription_mean(t, x), traj);
  for (int k = 1; t->times >= 0 && k < N; k++) traj->grid[k] = x[t->times + k] / traj->h;
  if (!t->momenta) DM_TRY(dm_momenta_new(&t->momenta, &t->task.system));
  DM_TRY(dm_momenta_fill(t->momenta, traj));
  return oc_contact_rows_unpack(t, x, traj);
}

double oc_transcription_tie(const oc_transcription *t, const double *x) {
  return oc_difference_costs_tie(t, x, oc_transcription_mean(t, x));
}

void oc_transcription_tie_gradient(const oc_transcription *t, const double *x, double *grad) {
  oc_difference_costs_tie_gradient(t, x, oc_transcription_mean(t, x), grad);
}

// optim/second/torque_transcription.c: see torque_transcription.h. Callbacks: torque_nodes.c.
#include "optim/second/torque_transcription.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/rows/function_rows.h"
#include "optim/second/momentum_rows.h"
#include "optim/second/node_unknowns.h"
#include "optim/second/torque_nodes.h"
#include "optim/second/torque_scale.h"
#include "optim/starts/guess.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// the knot of an unknown; for a node's unknown or a slack that of its step
static int find_torque_knot(const void *self, int x) {
  const oc_torque_transcription *w = self;
  const int knots = (w->N + 1) * w->size, own = oc_torque_nodes_own(w, w->N, 0);
  if (x < knots) return x / w->size;
  return x < own ? (x - knots) / (w->nodes * w->nz) : (x - own) / (w->nodes * w->nkink);
}

// the row of momenta that defines an unknown of a node, or -1
static int find_torque_row(const void *self, int x) {
  const oc_torque_transcription *w = self;
  const int own = x - (w->N + 1) * w->size;
  if (!w->np || own < 0 || x >= oc_torque_nodes_own(w, w->N, 0)) return -1;
  const int i = own % w->nz - w->nf - w->nc;
  return i < 0 ? -1 : w->momenta->row + own / w->nz * w->np + i;
}

// -- construction

static void name_torque_row(void *self, int row, char *text, size_t size, int *k) {
  const oc_torque_transcription *w = self;
  int forces = w->N * w->nodes * w->nlim, speeds = w->N * w->nfast;
  // the order of rows is forces, speeds, kinks, constraints, momenta, outputs, ends
  const int end = row - (w->nlp.m - w->nend);
  if (end >= 0 && w->nend) {
    *k = w->N;
    snprintf(text, size, end < w->n ? "travel of %s" : "velocity at both ends of %s",
             w->task.coord_name[end % w->n]);
    return;
  }
  const int kinks = forces + speeds + w->N * w->nodes * w->nkink;
  if (row >= kinks && row < kinks + oc_node_unknowns_rows(w->N, w->nc, w->nh)) {
    int c;
    const char *what = oc_node_unknowns_row(w, row - kinks, k, &c);
    snprintf(text, size, "%s %s", what, oc_task_name(&w->task, OC_LAMBDA, c));
    return;
  }
  if (w->np && row >= w->momenta->row && row < w->momenta->row + w->N * w->nodes * w->np) {
    row -= w->momenta->row;
    *k = row / w->np / w->nodes;
    snprintf(text, size, "momentum of %s", w->task.coord_name[row % w->np]);
    return;
  }
  if (row >= kinks) {
    const oc_rows *r = w->out_rows;
    while (row >= r->at.at + r->at.count) r++;
    *k = r->knot + row - r->at.at;
    snprintf(text, size, "output %s",
             oc_outputs_name(&w->task.outputs, w->task.outputs.limits[r->limit].output));
    return;
  }
  if (row >= forces + speeds) {
    row -= forces + speeds;
    *k = row / w->nkink / w->nodes;
    snprintf(text, size, "bound of %s", w->task.coord_name[w->kink[row % w->nkink].coord]);
    return;
  }
  if (row >= forces) {
    *k = (row - forces) / w->nfast;
    snprintf(text, size, "speed of %s", w->task.coord_name[w->fast[(row - forces) % w->nfast]]);
    return;
  }

  int i = w->limited[row % w->nlim];
  *k = row / w->nlim / w->nodes;
  snprintf(text, size, w->input[i] == OC_NONE ? "motion of %s" : "force of %s",
           w->task.coord_name[i]);
}

static void lay_out_torque(void *self, dm_block *b) {
  oc_torque_transcription *w = self;
  size_t n = (size_t)w->n, all = (size_t)w->nlp.n, nodes = oc_torque_nodes_at(w, w->N, 0),
         d = sizeof(double);
  // inputs and weights of coordinates
  w->input = dm_block_alloc(b, n, sizeof *w->input);
  w->limited = dm_block_alloc(b, n, sizeof *w->limited);
  w->fast = dm_block_alloc(b, n, sizeof *w->fast);
  w->kink = dm_block_alloc(b, (size_t)w->nkink, sizeof *w->kink);
  double **const vectors[] = {&w->gear, &w->W, &w->mu};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = dm_block_alloc(b, n, d);
  w->w_x = dm_block_alloc(b, 3 * n, d);

  // the program
  w->at = dm_block_alloc(b, (size_t)w->nodes, d);
  for (int e = 0; e < 2; e++) w->end[e] = dm_block_alloc(b, (size_t)w->size, d);
  double **const points[] = {&w->x_min, &w->x_max, &w->x_at};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++)
    *points[i] = dm_block_alloc(b, all, d);
  w->g_min = dm_block_alloc(b, (size_t)w->nlp.m, d);
  w->g_max = dm_block_alloc(b, (size_t)w->nlp.m, d);

  // forces and derivatives at all nodes, scratch of one node, user-defined terms
  size_t wide = (size_t)w->wide, size = (size_t)w->size, block = (size_t)w->block;
  w->node = dm_block_alloc(b, nodes * wide, d);
  w->u = dm_block_alloc(b, nodes * n, d);
  w->J = dm_block_alloc(b, nodes * n * block, d);
  w->g = dm_block_alloc(b, wide, d);
  w->e = dm_block_alloc(b, 4 * n + (size_t)w->nf, d);
  w->H = dm_block_alloc(b, wide * wide, d);
  w->WJ = dm_block_alloc(b, n * block, d);
  w->force_block = dm_block_alloc(b, 9 * n * n, d);
  w->node_block = dm_block_alloc(b, block * block, d);
  w->own_x = dm_block_alloc(b, w->set.own.eval ? wide : 0, d);
  w->own_xx = dm_block_alloc(b, w->set.own.eval ? wide * wide : 0, d);
  w->knot_block = dm_block_alloc(b, size * size, d);
  size_t ny = (size_t)w->ny;
  oc_term_work_lay_out(&w->term, b, &w->task.functions);
  w->P = dm_block_alloc(b, ny * block, d);
  w->CP = dm_block_alloc(b, ny * block, d);

  w->out_rows = dm_block_alloc(b, (size_t)w->task.outputs.nlimits, sizeof *w->out_rows);
}

static double at_or(const double *a, int i, double missing) {
  return a ? a[i] : missing;
}

// the input of joint coordinate i, or OC_NONE
static int find_input(const oc_task *t, int i) {
  for (int j = 0; j < t->system.nu - t->system.force.nu; j++)
    if (t->system.input_coord[j] == i) return j;
  return OC_NONE;
}

// minimum and maximum force on coordinate i; zero without an input, any for a prescribed one
static void force_limits(const oc_task *t, int i, double *lo, double *hi) {
  const bool free = t->system.kinematic && t->system.kinematic[i];
  int j = find_input(t, i);
  double gear = j == OC_NONE ? 0 : at_or(t->system.input_gear, j, 1);
  *hi = free ? INFINITY : 0;
  *lo = -*hi;
  if (free || gear == 0) return;
  double a = gear * oc_low(t, OC_U, j), b = gear * oc_high(t, OC_U, j);
  *lo = fmin(a, b); // a negative gear swaps them
  *hi = fmax(a, b);
}

// returns true if a coordinate has a row for its force, for its speed
static bool is_limited(const oc_task *t, int i) {
  double lo, hi;
  force_limits(t, i, &lo, &hi);
  return isfinite(lo) || isfinite(hi);
}

static bool is_fast(const oc_task *t, int i) {
  return isfinite(oc_high(t, OC_V, i));
}

// the bounds of coordinate i replaced by a penalty, into kink (NULL: count only)
static int find_kinks(const oc_task *t, const oc_torque_transcription_settings *set, int i,
                      oc_kink *kink) {
  const double slope = set->penalty ? set->penalty[i] : 0;
  const double bound[2] = {oc_low(t, OC_Q, i), oc_high(t, OC_Q, i)};
  int found = 0;
  for (int e = 0; slope > 0 && e < 2; e++) {
    if (!isfinite(bound[e])) continue;
    if (kink) kink[found] = (oc_kink){i, e ? 1 : -1, bound[e], slope};
    found++;
  }
  return found;
}

static void set_inputs(oc_torque_transcription *w) {
  const oc_task *t = &w->task;
  double scale = t->sum ? 1 / w->h : 1; // a plain sum over the steps
  w->nlim = w->nfast = w->nkink = 0;
  for (int i = 0; i < w->n; i++) {
    // cost of a force on the coordinate: w_u (force/gear)^2
    int j = w->input[i] = find_input(t, i);
    w->gear[i] = j == OC_NONE ? 1 : at_or(t->system.input_gear, j, 1);
    w->W[i] =
        j == OC_NONE ? 0 : scale * oc_weight(t->cost[OC_U].running, j) / (w->gear[i] * w->gear[i]);
    w->w_x[i] = scale * oc_weight(t->cost[OC_Q].running, i);
    w->w_x[w->n + i] = scale * oc_weight(t->cost[OC_V].running, i);
    w->w_x[2 * w->n + i] = scale * oc_weight(t->cost[OC_A].running, i);

    if (is_limited(t, i)) w->limited[w->nlim++] = i;
    if (is_fast(t, i)) w->fast[w->nfast++] = i;
    w->nkink += find_kinks(t, &w->set, i, w->kink + w->nkink);
  }
}

// bounds of the unknowns of nodes: inputs of general forces, and forces of constraints, whose limits are
// those of impulses of a step
static void set_own_bounds(oc_torque_transcription *w) {
  const oc_task *t = &w->task;
  const int first = t->system.nu - w->nf;
  for (int at = (w->N + 1) * w->size; at < oc_torque_nodes_own(w, w->N, 0); at += w->nz)
    for (int i = 0; i < w->nz; i++) {
      const bool input = i < w->nf;
      const oc_quantity of = input ? OC_U : OC_LAMBDA;
      const int entry = input ? first + i : i - w->nf;
      w->x_min[at + i] = -INFINITY;
      w->x_max[at + i] = INFINITY;
      if (i >= w->nf + w->nc) continue;
      w->x_min[at + i] = oc_low(t, of, entry) / (input ? 1 : w->h);
      w->x_max[at + i] = oc_high(t, of, entry) / (input ? 1 : w->h);
    }
}

// The rows of limits on outputs, limit by limit, into out (NULL: only count); returns the row after them.
static int list_outputs(const oc_task *t, int row, oc_rows *out) {
  for (int i = 0; i < t->outputs.nlimits; i++) {
    oc_rows r = {.kind = OC_OUTPUT_ROWS, .limit = i, .at = {.at = row, .stride = 1, .size = 1}};
    int last;
    oc_span_knots(t->outputs.limits[i].at, t->N, &r.knot, &last);
    r.at.count = last - r.knot + 1;
    row += r.at.count;
    if (out) out[i] = r;
  }
  return row;
}

// bounds of knots and rows
static void set_knot_bounds(oc_torque_transcription *w) {
  const oc_task *t = &w->task;
  int n = w->n, size = w->size;
  const double *const given[2][DM_SECOND_MAX_ORDER] = {{t->start.q, t->start.v, w->set.a_start},
                                                       {t->goal.q, t->goal.v, w->set.a_goal}};
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < n; i++)
      for (int r = 0; r < w->k; r++) w->end[e][r * n + i] = at_or(given[e][r], i, NAN);

  // knots: given entries, else limits; positions with a penalty are unbounded
  for (int k = 0; k <= w->N; k++) {
    const double *end = NULL;
    if (k == 0 || k == w->N) end = w->end[k == 0 ? 0 : 1];
    for (int i = 0; i < size; i++) {
      bool soft = i < n && w->set.penalty && w->set.penalty[i] > 0;
      double lo = -INFINITY;
      double hi = INFINITY;
      if (i >= n && i < 2 * n) {
        hi = oc_high(t, OC_V, i - n);
        lo = -hi;
      } else if (i < n && !soft) {
        lo = oc_low(t, OC_Q, i);
        hi = oc_high(t, OC_Q, i);
      }
      bool fixed = end && !isnan(end[i]);
      w->x_min[k * size + i] = fixed ? end[i] : lo;
      w->x_max[k * size + i] = fixed ? end[i] : hi;
    }
  }

  // rows of forces at nodes, then of speeds at the middle of steps
  int row = 0;
  for (; row < w->N * w->nodes * w->nlim; row++)
    force_limits(t, w->limited[row % w->nlim], w->g_min + row, w->g_max + row);
  for (int l = 0; l < w->N * w->nfast; row++, l++) {
    double v = oc_high(t, OC_V, w->fast[l % w->nfast]);
    w->g_min[row] = -v;
    w->g_max[row] = v;
  }

  // slacks >= 0, the violation of a bound with a penalty
  for (int i = oc_torque_nodes_own(w, w->N, 0); i < w->nlp.n; i++) {
    w->x_min[i] = 0;
    w->x_max[i] = INFINITY;
  }
  for (int l = 0; l < w->N * w->nodes * w->nkink; row++, l++) {
    const oc_kink *e = &w->kink[l % w->nkink];
    w->g_min[row] = e->side > 0 ? -INFINITY : e->bound;
    w->g_max[row] = e->side > 0 ? e->bound : INFINITY;
  }
  // rows of constraints and momenta are 0
  set_own_bounds(w);
  const int constraints = oc_node_unknowns_rows(w->N, w->nc, w->nh) + w->N * w->nodes * w->np;
  memset(w->g_min + row, 0, (size_t)constraints * sizeof *w->g_min);
  memset(w->g_max + row, 0, (size_t)constraints * sizeof *w->g_max);
  row += constraints;
  (void)list_outputs(t, row, w->out_rows);
  for (int i = 0; i < t->outputs.nlimits; i++)
    for (int k = w->out_rows[i].knot; oc_rows_has(&w->out_rows[i], k); k++, row++)
      oc_outputs_bounds(&t->outputs, w->N, i, k, &w->g_min[row], &w->g_max[row]);

  // the ends of a periodic motion
  for (int i = 0; i < w->nend; i++, row++) {
    w->g_min[row] = w->g_max[row] = 0;
    if (i < n) (void)oc_task_travel(t, i, &w->g_min[row], &w->g_max[row]);
  }
}

// coefficients of the rule for h; the position of a node is its value for the motion q = t
static void set_nodes(oc_torque_transcription *w) {
  for (int s = 0; s < w->nodes; s++) {
    // for q = t: q_0 = 0, v = 1, q_1 = 1
    const dm_second_order_node *node = &w->set.rule.node[s];
    w->at[s] = node->c[0][1][0] + node->c[0][0][1] + node->c[0][1][1];
    for (int e = 0; e < 2; e++) // h^(r-d): from X_e^(r) to x^(d)
      for (int r = 0; r < w->k; r++)
        for (int d = 0; d <= w->k; d++) w->f[s][e][r][d] = node->c[d][e][r] * pow(w->h, r - d);
  }
}

static int find_knot_entry(const void *self, int k, int a) {
  const oc_torque_transcription *w = self;
  return k * w->size + a;
}

// workspaces of the parts
static dm_status make_torque_parts(oc_torque_transcription *w, dm_message *msg) {
  const dm_potential *V = w->set.V.eval ? &w->set.V : NULL;
  dm_second_order_lagrangian C = {
      .n = w->n, .k = w->k, .self = w, .eval = oc_torque_nodes_lagrangian};
  const oc_function_program program = {.task = &w->task,
                                       .self = w,
                                       .knot = find_knot_entry,
                                       .h = -1,
                                       .limits = w->out_rows,
                                       .once = true};
  if (w->set.m)
    DM_TRY(dm_torque_cost_new(&w->effort, w->set.m, V, &w->task.system.force, w->W));
  else
    DM_TRY(dm_torque_cost_of(&w->effort, &w->task.system, w->W));
  DM_TRY(dm_second_order_new(&w->second, &C, &w->set.rule, msg));
  DM_TRY(oc_function_rows_new(&w->functions, &program));
  const int row = w->N * (w->nodes * (w->nlim + w->nkink) + w->nfast);
  DM_TRY(oc_node_unknowns_new(w, row));
  DM_TRY(oc_momentum_rows_new(w, row + oc_node_unknowns_rows(w->N, w->nc, w->nh)));
  return dm_continuous_new(&w->continuous, &w->task.system);
}

// sizes, and the functions of the program
static oc_torque_transcription
size_torque_transcription(const oc_task *task, const oc_torque_transcription_settings *set) {
  int n = task->system.L.nq, nlim = 0, nfast = 0, nkink = 0;
  for (int i = 0; i < n; i++) {
    nlim += is_limited(task, i);
    nfast += is_fast(task, i);
    nkink += find_kinks(task, set, i, NULL);
  }
  oc_torque_transcription sizes = {
      .task = *task, .set = *set, .n = n, .k = set->rule.k, .N = task->N, .nodes = set->rule.nodes};
  sizes.size = sizes.k * n;
  sizes.wide = sizes.size + n;
  const dm_holonomic *hol = &task->system.hol;
  sizes.nf = task->system.force.nu;
  sizes.nc = hol->nc;
  sizes.nh = hol->nc - hol->nv;
  sizes.np = set->m ? 0 : n;
  sizes.nz = sizes.nf + sizes.nc + sizes.np;
  sizes.block = 3 * n + sizes.nz;
  sizes.nlim = nlim;
  sizes.nend = task->periodic ? 2 * n : 0;
  sizes.nfast = nfast;
  sizes.nkink = nkink;
  sizes.h = oc_task_step(task);
  sizes.ny = task->functions.nterms ? 2 * n + task->system.nu : 0;
  sizes.term = (oc_term_work){.n = n, .nf = task->system.nu, .N = task->N};
  // the program
  const int slacks = task->N * set->rule.nodes * nkink;
  const int rows = task->N * (set->rule.nodes * nlim + nfast) + slacks +
                   oc_node_unknowns_rows(task->N, sizes.nc, sizes.nh) +
                   task->N * set->rule.nodes * sizes.np;
  sizes.nlp = (oc_nlp){.n = oc_torque_nodes_own(&sizes, task->N, 0) + slacks,
                       .m = list_outputs(task, rows, NULL) + sizes.nend,
                       .f = oc_torque_nodes_objective,
                       .grad = oc_torque_nodes_gradient,
                       .g = oc_torque_nodes_rows,
                       .jac = oc_torque_nodes_jacobian,
                       .hess = oc_torque_nodes_hessian,
                       .row_name = name_torque_row,
                       .knot = find_torque_knot,
                       .own_row = set->m ? NULL : find_torque_row,
                       .scale = oc_torque_scale,
                       .valued = true};
  return sizes;
}

dm_status oc_torque_transcription_new(oc_torque_transcription **out, const oc_task *task,
                                      const oc_torque_transcription_settings *set,
                                      dm_message *msg) {
  assert(out && task && set);
  DM_TRY(oc_torque_transcription_check(task, set, NULL, msg));
  oc_output_costs *costs;
  if (oc_output_costs_new(&costs, task) != DM_OK)
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  oc_torque_transcription sizes = size_torque_transcription(&costs->task, set);
  sizes.costs = costs;
  oc_torque_transcription *w = dm_block_make(&sizes, sizeof sizes, lay_out_torque);
  if (!w) {
    oc_output_costs_free(costs);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }

  // weights, bounds, workspaces of the parts
  set_inputs(w);
  set_knot_bounds(w);
  dm_status s = make_torque_parts(w, msg);
  if (s != DM_OK) dm_fail(msg, s, "%s", dm_status_text(s));
  if (s == DM_OK)
    s = oc_function_rows_free_given(w->functions, w->x_min, w->x_max, w->g_min, w->g_max, msg);
  if (s == DM_OK) s = oc_node_unknowns_settle(w, msg);
  if (s != DM_OK) {
    oc_torque_transcription_free(w);
    return s;
  }
  set_nodes(w);

  // coefficients of both knots in q and v at the middle of a step
  double X[2][DM_SECOND_MAX_ORDER] = {{0}}, at[DM_SECOND_MAX_ORDER];
  for (int e = 0; e < 2; e++)
    for (int r = 0; r < w->k; r++) {
      X[e][r] = 1;
      dm_second_order_between(1, w->k, X[0], X[1], w->h, 0.5, at);
      w->middle[e][r] = at[1];
      w->halfway[e][r] = at[0];
      X[e][r] = 0;
    }

  // count the entries by walking
  oc_nlp *p = &w->nlp;
  p->self = w;
  p->x_min = w->x_min;
  p->x_max = w->x_max;
  p->g_min = w->g_min;
  p->g_max = w->g_max;
  oc_triplets jac = {0}, hess = {0};
  p->jac(w, NULL, &jac);
  p->hess(w, NULL, 0, NULL, &hess);
  p->jac_nnz = jac.n;
  p->hess_nnz = hess.n;
  *out = w;
  return DM_OK;
}

void oc_torque_transcription_free(oc_torque_transcription *w) {
  if (!w) return;
  oc_output_costs_free(w->costs);
  oc_function_rows_free(w->functions);
  dm_torque_cost_free(w->effort);
  oc_node_unknowns_free(w->more);
  oc_momentum_rows_free(w->momenta);
  dm_second_order_free(w->second);
  dm_continuous_free(w->continuous);
  dm_block_free(w);
}

const oc_nlp *oc_torque_transcription_nlp(const oc_torque_transcription *w) {
  return &w->nlp;
}

dm_second_order *oc_torque_transcription_second(oc_torque_transcription *w) {
  return w->second;
}

const double *oc_torque_transcription_end(const oc_torque_transcription *w, int end) {
  return w->end[end];
}

// -- conversion from and to motions

static double number_or(double x, double y) {
  return isnan(x) ? y : x;
}

void oc_torque_transcription_cubic(const oc_torque_transcription *w, double *X) {
  assert(w && X);
  int n = w->n;
  double T = w->N * w->h, *first = X, *last = X + (size_t)w->N * (size_t)w->size;

  // free entries: q from the other end or 0, v the mean, a 0
  for (int i = 0; i < n; i++) {
    first[i] = number_or(w->end[0][i], number_or(w->end[1][i], 0));
    double low = 0, high = 0;
    if (w->nend) (void)oc_task_travel(&w->task, i, &low, &high);
    last[i] = number_or(w->end[1][i], first[i] + fmin(fmax(low, 0), fmax(high, low)));
    double mean = (last[i] - first[i]) / T; // of the motion between the ends
    first[n + i] = number_or(w->end[0][n + i], mean);
    last[n + i] = number_or(w->end[1][n + i], mean);
    if (w->k < 3) continue;
    first[2 * n + i] = number_or(w->end[0][2 * n + i], 0);
    last[2 * n + i] = number_or(w->end[1][2 * n + i], 0);
  }

  // polynomial of degree 2 k - 1 between them
  for (int k = 1; k < w->N; k++)
    dm_second_order_between(n, w->k, first, last, T, (double)k / w->N,
                            X + (size_t)k * (size_t)w->size);
}

void oc_torque_transcription_pack(const oc_torque_transcription *w, const dm_trajectory *traj,
                                  double *X) {
  assert(w && traj && X && traj->N == w->N);
  size_t n = (size_t)w->n, row = n * sizeof *X, N = (size_t)w->N;
  for (size_t k = 0; k <= N; k++) {
    double *at = X + k * (size_t)w->size;
    memcpy(at, traj->q + k * n, row);
    memcpy(at + n, traj->v + k * n, row);

    // a from the velocities of adjacent knots
    size_t before = k > 0 ? k - 1 : k, after = k < N ? k + 1 : k;
    for (size_t i = 0; w->k > 2 && i < n; i++)
      at[2 * n + i] =
          (traj->v[after * n + i] - traj->v[before * n + i]) / ((double)(after - before) * w->h);
  }
  oc_torque_transcription_clip(w, X);
}

void oc_torque_transcription_clip(const oc_torque_transcription *w, double *X) {
  for (int i = 0; i < (w->N + 1) * w->size; i++) X[i] = fmin(fmax(X[i], w->x_min[i]), w->x_max[i]);
}

double oc_torque_transcription_ease(oc_torque_transcription *w, double *X, int *coord) {
  double largest = 0;
  *coord = OC_NONE;
  (void)oc_momentum_rows_meet(w, X); // where L fails, the program says so
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++) {
      // g is scratch: it has the length of a node
      dm_second_order_node_at(w->second, s, oc_torque_nodes_knot(w, X, k),
                              oc_torque_nodes_knot(w, X, k + 1), w->h, w->g);
      for (int l = 0; l < w->nkink; l++) {
        const oc_kink *e = &w->kink[l];
        double beyond = fmax(e->side * (w->g[e->coord] - e->bound), 0);
        X[oc_torque_nodes_slack(w, k, s, l)] = beyond;
        if (beyond > largest) *coord = e->coord;
        largest = fmax(largest, beyond);
      }
    }
  return largest;
}

dm_status oc_torque_transcription_rounding(oc_torque_transcription *w, const double *X,
                                           const oc_scaled *of, double *least) {
  return oc_torque_nodes_rounding(w, X, of, least);
}

dm_status oc_torque_transcription_trajectory(oc_torque_transcription *w, const double *X,
                                             dm_trajectory *traj) {
  assert(w && X && traj && traj->N == w->N);
  size_t n = (size_t)w->n, row = n * sizeof *X;
  traj->h = w->h;

  // q, v, and p = L_v(q,v)
  for (int k = 0; k <= w->N; k++) {
    const double *q = oc_torque_nodes_knot(w, X, k);
    size_t at = (size_t)k * n;
    memcpy(traj->q + at, q, row);
    memcpy(traj->v + at, q + n, row);
    DM_TRY(dm_momentum_of(w->continuous, q, q + n, traj->p + at));
  }

  // u of a step, and forces of constraints: weighted means over its nodes
  DM_TRY(oc_torque_nodes_evaluate(w, X));
  const int nc = w->nc, first = w->task.system.nu - w->nf;
  memset(traj->u, 0, (size_t)w->N * (size_t)traj->nu * sizeof *traj->u);
  memset(traj->lambda, 0, (size_t)(w->N * nc) * sizeof *traj->lambda);
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++) {
      const double weight = w->second->rule.node[s].weight;
      const double *u = w->u + oc_torque_nodes_at(w, k, s) * n,
                   *z = X + oc_torque_nodes_own(w, k, s);
      double *to = traj->u + k * traj->nu;
      for (int i = 0; i < w->n; i++)
        if (w->input[i] != OC_NONE) to[w->input[i]] += weight / w->gear[i] * u[i];
      dm_add_to(w->nf, weight, z, to + first);
      dm_add_to(nc, weight * w->h, z + w->nf, traj->lambda + k * nc);
    }

  // the impulse of a knot is half those of its steps; backwards, since it needs the step before
  for (int k = w->N - 1; k >= 0; k--)
    for (int c = k * nc; c < (k + 1) * nc; c++)
      traj->lambda[c] = (traj->lambda[c] + (k ? traj->lambda[c - nc] : 0)) / 2;
  oc_guess_prescribe(&w->task, traj);
  return DM_OK;
}

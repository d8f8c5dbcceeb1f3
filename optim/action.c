#include "optim/action.h"

#include "lib/block.h"
#include "lib/continuous.h"
#include "lib/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NONE = -1 };

struct oc_action {
  oc_task task;
  oc_action_settings set;
  oc_nlp nlp;
  int n, N, nodes; // coordinates, steps, nodes of a step
  int nlim, nfast; // rows of a node, rows of a step's middle
  double h;
  int *input;           // [n] the input of a coordinate, or NONE
  int *limited, *fast;  // [nlim], [nfast] coordinates with such a row
  double *gear;          // [n] its force for u = 1
  double *W, *w_q, *w_v; // [n] weights of forces on coordinates, of q and v at nodes
  double *at;            // [nodes] the places of the nodes in a step
  double *end[2];        // [2n]
  double *x_min, *x_max, *g_min, *g_max;
  dm_effort *effort;
  dm_second *second;
  dm_continuous *continuous;
  // at the last point evaluated
  bool fresh;
  double *x_at, *node, *u, *J; // [(N+1) 2n]; of each node [3n], [n], [n x 3n]
  // scratch of a node: gradient [3n], Hessian [3n x 3n], W J [n x 3n], deviations and multipliers
  double *g, *H, *WJ, *e, *mu; // [3n], [n]
  double *carry;               // [2n x 2n] what the step before adds at a knot
};

// -- what it takes

static const double *or_null(const double *x, int at) {
  return x ? x + at : NULL;
}

static bool any(int n, const double *w) {
  for (int i = 0; w && i < n; i++)
    if (w[i] != 0) return true;
  return false;
}

// the first coordinate with two inputs, or (where none may be missing) without any; -1: none
static int unmatched(const oc_task *t, bool missing) {
  const dm_system *s = &t->system;
  for (int i = 0; i < s->L.nq; i++) {
    int found = 0;
    for (int j = 0; j < s->nu; j++) found += s->input_coord[j] == i;
    if (found > 1 || (missing && found == 0)) return i;
  }
  return -1;
}

// is the rule degenerate, so that it serves no Lagrangian of second order?
static dm_status check_rule(const dm_second_rule *rule, dm_message *msg) {
  dm_second_lagrangian spline = dm_second_spline(1, 2);
  dm_second *w = NULL;
  const double X0[2] = {0}, X1[2] = {0};
  DM_TRY(dm_second_new(&w, &spline, rule, msg));
  dm_status s = dm_second_check(w, X0, X1, 1, msg);
  dm_second_free(w);
  return s;
}

dm_status oc_action_check(const oc_task *t, const oc_action_settings *set, const char **key,
                          dm_message *msg) {
  static const char none[] = "second-order transcription:";
  const dm_system *s = &t->system;
  const char *unused;
  int n = s->L.nq, one = unmatched(t, false), idle = unmatched(t, true);
  if (!key) key = &unused;
  *key = "model.constraints";
  if (s->hol.nc) return dm_fail(msg, DM_BAD_INPUT, "%s found constraints, expected none", none);
  *key = "model.kinematic";
  for (int i = 0; s->nk && i < n; i++)
    if (s->kinematic[i])
      return dm_fail(msg, DM_BAD_INPUT, "%s found that '%s' is kinematic, expected none that is",
                     none, t->coord_name[i]);
  *key = "inputs";
  if (s->force.eval && s->force.nu)
    return dm_fail(msg, DM_BAD_INPUT, "%s found the input '%s', expected forces on joints alone",
                   none, t->input_name[s->nu - s->force.nu]);
  if (one >= 0)
    return dm_fail(msg, DM_BAD_INPUT, "%s found several inputs on '%s', expected one", none,
                   t->coord_name[one]);
  if (idle >= 0 && !set->underactuated)
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s found no input on '%s', expected one on every coordinate; "
                   "second-order-underactuated makes its equation of motion a constraint",
                   none, t->coord_name[idle]);
  *key = "horizon.time";
  if (t->free_time)
    return dm_fail(msg, DM_BAD_INPUT, "%s found a free final time, expected a number", none);
  *key = "cost.state.p";
  if (any(n, t->w_p)) return dm_fail(msg, DM_BAD_INPUT, "%s momenta take no cost, q and v do", none);
  *key = "cost.terminal.p";
  if (any(n, t->wf_p)) return dm_fail(msg, DM_BAD_INPUT, "%s momenta take no cost, q and v do", none);
  *key = "cost.input";
  for (int j = 0; j < s->nu; j++)
    if (!t->w_u || !(t->w_u[j] > 0))
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s found no cost on the input '%s', expected one > 0: without it the "
                     "Lagrangian is singular",
                     none, t->input_name[j]);
  *key = "rule.second";
  DM_TRY(check_rule(&set->rule, msg));
  if (idle >= 0 && set->rule.nodes > 2)
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s found %d nodes a step, at each of which '%s' has an equation of motion, "
                   "expected at most the 2 that a step can meet",
                   none, set->rule.nodes, t->coord_name[idle]);
  *key = "horizon";
  return oc_task_check(t, msg);
}

static bool constant(const oc_task *t, const double *ref, const double *w) {
  int n = t->system.L.nq;
  if (!ref || !any(n, w)) return true;
  for (int k = 1; k <= t->N; k++)
    if (memcmp(ref, ref + (size_t)k * (size_t)n, (size_t)n * sizeof *ref)) return false;
  return true;
}

bool oc_action_binds(const oc_task *t, const oc_action_settings *set, dm_message *msg) {
  int n = t->system.L.nq, nu = t->system.nu;
  const struct {
    const char *what;
    const double *a, *b;
    int n;
    const char *const *name;
  } limits[] = {{"the position", t->q_min, t->q_max, n, t->coord_name},
                {"the velocity", NULL, t->v_max, n, t->coord_name},
                {"the input", t->u_min, t->u_max, nu, t->input_name}};
  const char *found = NULL;
  for (int l = 0; l < 3; l++)
    for (int i = 0; i < limits[l].n; i++) {
      bool lo = limits[l].a && isfinite(limits[l].a[i]), hi = limits[l].b && isfinite(limits[l].b[i]);
      if (l == 0 && set->penalty && set->penalty[i] > 0) continue;
      if (!lo && !hi) continue;
      dm_fail(msg, DM_BAD_INPUT, "%s of '%s' has a limit", limits[l].what, limits[l].name[i]);
      return true;
    }
  int i = unmatched(t, true);
  if (i >= 0) {
    dm_fail(msg, DM_BAD_INPUT, "'%s' has no input", t->coord_name[i]);
    return true;
  }
  if (any(n, t->wf_q) || any(n, t->wf_v)) found = "there is a terminal cost";
  if (!constant(t, t->ref_q, t->w_q) || !constant(t, t->ref_v, t->w_v))
    found = "the cost's reference moves";
  if (t->ref_u && any(t->N * nu, t->ref_u)) found = "the inputs' cost has a reference";
  if (found) dm_fail(msg, DM_BAD_INPUT, "%s", found);
  return found != NULL;
}

// -- a node

// Deviations e from the references in step k at its share s; the force's is e_u, its input's times
// the gear.
static void deviate(oc_action *w, int k, double s, const double *x, const double *u) {
  const oc_task *t = &w->task;
  int n = w->n;
  const double *q0 = or_null(t->ref_q, k * n), *v0 = or_null(t->ref_v, k * n);
  for (int i = 0; i < n; i++) {
    w->e[i] = x[i] - (q0 ? (1 - s) * q0[i] + s * q0[n + i] : 0);
    w->e[n + i] = x[n + i] - (v0 ? (1 - s) * v0[i] + s * v0[n + i] : 0);
    double ref = t->ref_u && w->input[i] != NONE ? t->ref_u[k * t->system.nu + w->input[i]] : 0;
    if (u) w->e[2 * n + i] = u[i] - w->gear[i] * ref;
  }
}

// the penalty's slope at x_i: its sign says on which side of the bounds
static double slope(const oc_action *w, int i, double x) {
  const double *p = w->set.penalty;
  if (!p || !(p[i] > 0)) return 0;
  return x < w->task.q_min[i] ? -p[i] : x > w->task.q_max[i] ? p[i] : 0;
}

// the running cost of q and v, and its gradient added to g [3n] where there is one
static double state_cost(const oc_action *w, const double *x, double *g) {
  int n = w->n;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double out = slope(w, i, x[i]), at = out < 0 ? w->task.q_min[i] : w->task.q_max[i];
    sum += 0.5 * w->w_q[i] * w->e[i] * w->e[i] + 0.5 * w->w_v[i] * w->e[n + i] * w->e[n + i];
    if (out != 0) sum += out * (x[i] - at);
    if (!g) continue;
    g[i] += w->w_q[i] * w->e[i] + out;
    g[n + i] += w->w_v[i] * w->e[n + i];
  }
  return sum;
}

static void state_hessian(const oc_action *w, double sigma, double *H) {
  int n = w->n, wide = 3 * n;
  for (int i = 0; i < n; i++) {
    H[i * wide + i] += sigma * w->w_q[i];
    H[(n + i) * wide + n + i] += sigma * w->w_v[i];
  }
}

// C(q,v,a) for lib/second.h: what the forces cost, and the running cost of q and v
static dm_status eval(const dm_second_lagrangian *C, int order, const double *x, double *value,
                      double *C_x, double *C_xx) {
  oc_action *w = C->self;
  dm_second_lagrangian effort = dm_effort_lagrangian(w->effort);
  DM_TRY(effort.eval(&effort, order, x, value, C_x, C_xx));
  deviate(w, 0, 0, x, NULL);
  *value += state_cost(w, x, C_x);
  if (order > 1) state_hessian(w, 1, C_xx);
  return DM_OK;
}

// -- the program

static size_t node_of(const oc_action *w, int k, int s) {
  return (size_t)k * (size_t)w->nodes + (size_t)s;
}

// The knots of step k
static const double *knot(const oc_action *w, const double *x, int k) {
  return x + (size_t)k * (size_t)(2 * w->n);
}

// forces and their derivatives at all nodes, unless x is where they were last evaluated
static dm_status evaluate(oc_action *w, const double *x) {
  size_t n = (size_t)w->n, wide = 3 * n;
  if (w->fresh && memcmp(x, w->x_at, (size_t)w->nlp.n * sizeof *x) == 0) return DM_OK;
  w->fresh = false;
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++) {
      size_t at = node_of(w, k, s);
      double *node = w->node + at * wide;
      dm_second_node_at(w->second, s, knot(w, x, k), knot(w, x, k + 1), w->h, node);
      DM_TRY(dm_effort_forces(w->effort, 1, node, NULL, NULL));
      memcpy(w->u + at * n, w->effort->u, n * sizeof *w->u);
      memcpy(w->J + at * n * wide, w->effort->J, n * wide * sizeof *w->J);
    }
  memcpy(w->x_at, x, (size_t)w->nlp.n * sizeof *x);
  w->fresh = true;
  return DM_OK;
}

// the terminal cost at the last knot, with its gradient (added) and the diagonal of its Hessian
static double terminal(const oc_action *w, const double *X, double *grad, double *diagonal) {
  const oc_task *t = &w->task;
  int n = w->n;
  const double *weight[] = {t->wf_q, t->wf_v};
  const double *ref[] = {or_null(t->ref_q, w->N * n), or_null(t->ref_v, w->N * n)};
  double sum = 0;
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < n; i++) {
      double a = weight[r] ? weight[r][i] : 0, e = X ? X[r * n + i] - (ref[r] ? ref[r][i] : 0) : 0;
      sum += 0.5 * a * e * e;
      if (grad) grad[r * n + i] += a * e;
      if (diagonal) diagonal[r * n + i] = a;
    }
  return sum;
}

static dm_status objective(void *self, const double *x, double *f) {
  oc_action *w = self;
  size_t n = (size_t)w->n;
  DM_TRY(evaluate(w, x));
  *f = terminal(w, knot(w, x, w->N), NULL, NULL);
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++) {
      const double *node = w->node + node_of(w, k, s) * 3 * n;
      deviate(w, k, w->at[s], node, w->u + node_of(w, k, s) * n);
      double c = state_cost(w, node, NULL);
      for (size_t i = 0; i < n; i++) c += 0.5 * w->W[i] * w->e[2 * n + i] * w->e[2 * n + i];
      *f += w->h * w->second->rule.node[s].weight * c;
    }
  return isfinite(*f) ? DM_OK : DM_NOT_FINITE;
}

static void clear(dm_second *L, bool hessian) {
  size_t size = (size_t)L->size;
  double *const all[] = {L->D0, L->D1, L->D00, L->D01, L->D11};
  for (int i = 0; i < (hessian ? 5 : 2); i++)
    memset(all[i], 0, (i < 2 ? size : size * size) * sizeof(double));
}

static dm_status gradient(void *self, const double *x, double *grad) {
  oc_action *w = self;
  dm_second *L = w->second;
  int n = w->n, wide = 3 * n;
  DM_TRY(evaluate(w, x));
  memset(grad, 0, (size_t)w->nlp.n * sizeof *grad);
  for (int k = 0; k < w->N; k++) {
    double *g = grad + (size_t)k * (size_t)L->size;
    clear(L, false);
    for (int s = 0; s < w->nodes; s++) {
      size_t at = node_of(w, k, s);
      const double *node = w->node + at * (size_t)wide, *J = w->J + at * (size_t)(n * wide);
      deviate(w, k, w->at[s], node, w->u + at * (size_t)n);
      memset(w->g, 0, (size_t)wide * sizeof *w->g);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < wide; j++) w->g[j] += J[i * wide + j] * w->W[i] * w->e[2 * n + i];
      state_cost(w, node, w->g);
      dm_second_pull(L, s, w->h, w->h * L->rule.node[s].weight, w->g, NULL);
    }
    for (int i = 0; i < L->size; i++) g[i] += L->D0[i], g[L->size + i] += L->D1[i];
  }
  terminal(w, knot(w, x, w->N), grad + (size_t)w->N * (size_t)L->size, NULL);
  return DM_OK;
}

// row (k nodes + s) nlim + l: the force of limited coordinate l at node s of step k; and after all of
// these for each step the speeds of its cubic's middle
static dm_status rows(void *self, const double *x, double *g) {
  oc_action *w = self;
  DM_TRY(evaluate(w, x));
  for (size_t at = 0, all = node_of(w, w->N, 0); at < all; at++)
    for (int l = 0; l < w->nlim; l++) *g++ = w->u[at * (size_t)w->n + (size_t)w->limited[l]];
  for (int k = 0; k < w->N; k++)
    for (int l = 0; l < w->nfast; l++) {
      const double *q0 = knot(w, x, k) + w->fast[l], *q1 = q0 + 2 * w->n;
      *g++ = 1.5 * (q1[0] - q0[0]) / w->h - (q0[w->n] + q1[w->n]) / 4;
    }
  return DM_OK;
}

static dm_status jacobian(void *self, const double *x, oc_sink *sink) {
  oc_action *w = self;
  const dm_second *L = w->second;
  int n = w->n, wide = 3 * n, row = 0;
  if (sink->val) DM_TRY(evaluate(w, x));
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++)
      for (int l = 0; l < w->nlim; l++, row++) {
        const double *J = w->J + node_of(w, k, s) * (size_t)(n * wide) + w->limited[l] * wide;
        for (int e = 0; e < 2; e++)
          for (int r = 0; r < 2; r++)
            for (int j = 0; j < n; j++) {
              double sum = 0;
              for (int d = 0; sink->val && d < 3; d++) sum += L->f[s][e][r][d] * J[d * n + j];
              oc_put(sink, row, (k + e) * L->size + r * n + j, sum);
            }
      }
  for (int k = 0; k < w->N; k++)
    for (int l = 0; l < w->nfast; l++, row++)
      for (int e = 0; e < 2; e++) {
        int q = (k + e) * L->size + w->fast[l];
        oc_put(sink, row, q, (e ? 1.5 : -1.5) / w->h);
        oc_put(sink, row, q + n, -0.25);
      }
  return DM_OK;
}

// the Hessian of sigma c + lambda' u of step k into second's blocks
static dm_status curve(oc_action *w, int k, double sigma, const double *lambda) {
  dm_second *L = w->second;
  int n = w->n, wide = 3 * n;
  clear(L, true);
  for (int s = 0; s < w->nodes; s++) {
    size_t at = node_of(w, k, s);
    double weight = sigma * w->h * L->rule.node[s].weight;
    const double *J = w->J + at * (size_t)(n * wide), *node = w->node + at * (size_t)wide;
    deviate(w, k, w->at[s], node, w->u + at * (size_t)n);
    for (int i = 0; i < n; i++) w->mu[i] = weight * w->W[i] * w->e[2 * n + i];
    for (int l = 0; l < w->nlim; l++)
      w->mu[w->limited[l]] += lambda[at * (size_t)w->nlim + (size_t)l];
    DM_TRY(dm_effort_forces(w->effort, 2, node, w->mu, w->H));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < wide; j++) w->WJ[i * wide + j] = weight * w->W[i] * J[i * wide + j];
    dm_gemm_transposed(wide, wide, n, 1, J, wide, w->WJ, wide, 1, w->H, wide);
    state_hessian(w, weight, w->H);
    dm_second_pull(L, s, w->h, 1, NULL, w->H);
  }
  return DM_OK;
}

static dm_status hessian(void *self, const double *x, double sigma, const double *lambda,
                         oc_sink *sink) {
  oc_action *w = self;
  const dm_second *L = w->second;
  int size = L->size;
  size_t bytes = (size_t)(size * size) * sizeof *w->carry;
  if (sink->val) DM_TRY(evaluate(w, x));
  memset(w->carry, 0, bytes);
  for (int k = 0; k <= w->N; k++) {
    int at = k * size;
    if (k < w->N && sink->val) DM_TRY(curve(w, k, sigma, lambda));
    if (k == w->N) {
      terminal(w, NULL, NULL, w->g);
      for (int i = 0; i < size; i++) w->carry[i * size + i] += sigma * w->g[i];
    }
    for (int i = 0; i < size; i++)
      for (int j = 0; j <= i; j++)
        oc_put(sink, at + i, at + j,
               w->carry[i * size + j] + (k < w->N ? L->D00[i * size + j] : 0));
    for (int i = 0; k < w->N && i < size; i++)
      for (int j = 0; j < size; j++) oc_put(sink, at + size + i, at + j, L->D01[j * size + i]);
    memcpy(w->carry, L->D11, bytes);
  }
  return DM_OK;
}

static void row_name(void *self, int row, char *text, size_t size, int *k) {
  const oc_action *w = self;
  int forces = w->N * w->nodes * w->nlim;
  if (row >= forces) {
    *k = (row - forces) / w->nfast;
    snprintf(text, size, "speed of %s", w->task.coord_name[w->fast[(row - forces) % w->nfast]]);
    return;
  }
  int i = w->limited[row % w->nlim];
  *k = row / w->nlim / w->nodes;
  snprintf(text, size, w->input[i] == NONE ? "motion of %s" : "force of %s",
           w->task.coord_name[i]);
}

// -- making it

static void lay_out(oc_action *w, dm_block *b) {
  size_t n = (size_t)w->n, all = (size_t)w->nlp.n, nodes = node_of(w, w->N, 0), d = sizeof(double);
  w->input = dm_take(b, n, sizeof *w->input);
  w->limited = dm_take(b, n, sizeof *w->limited);
  w->fast = dm_take(b, n, sizeof *w->fast);
  double **const vectors[] = {&w->gear, &w->W, &w->w_q, &w->w_v, &w->mu};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = dm_take(b, n, d);
  w->at = dm_take(b, (size_t)w->nodes, d);
  for (int e = 0; e < 2; e++) w->end[e] = dm_take(b, 2 * n, d);
  double **const points[] = {&w->x_min, &w->x_max, &w->x_at};
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) *points[i] = dm_take(b, all, d);
  w->g_min = dm_take(b, (size_t)w->nlp.m, d);
  w->g_max = dm_take(b, (size_t)w->nlp.m, d);
  w->node = dm_take(b, nodes * 3 * n, d);
  w->u = dm_take(b, nodes * n, d);
  w->J = dm_take(b, nodes * 3 * n * n, d);
  w->g = dm_take(b, 3 * n, d), w->e = dm_take(b, 3 * n, d);
  w->H = dm_take(b, 9 * n * n, d), w->WJ = dm_take(b, 3 * n * n, d);
  w->carry = dm_take(b, 4 * n * n, d);
}

static double at_or(const double *a, int i, double missing) {
  return a ? a[i] : missing;
}

// the input of coordinate i, or NONE
static int input_of(const oc_task *t, int i) {
  for (int j = 0; j < t->system.nu; j++)
    if (t->system.input_coord[j] == i) return j;
  return NONE;
}

// the least and the largest force on coordinate i; zero without an input
static void force_limits(const oc_task *t, int i, double *lo, double *hi) {
  int j = input_of(t, i);
  double gear = j == NONE ? 0 : at_or(t->system.input_gear, j, 1);
  *lo = *hi = 0;
  if (gear == 0) return;
  double a = gear * at_or(t->u_min, j, -INFINITY), b = gear * at_or(t->u_max, j, INFINITY);
  *lo = fmin(a, b), *hi = fmax(a, b);
}

// has a coordinate a row for its force, for its speed?
static bool is_limited(const oc_task *t, int i) {
  double lo, hi;
  force_limits(t, i, &lo, &hi);
  return isfinite(lo) || isfinite(hi);
}

static bool is_fast(const oc_task *t, int i) {
  return isfinite(at_or(t->v_max, i, INFINITY));
}

static void set_inputs(oc_action *w) {
  const oc_task *t = &w->task;
  double scale = t->sum ? 1 / w->h : 1; // a plain sum over the steps
  w->nlim = w->nfast = 0;
  for (int i = 0; i < w->n; i++) {
    int j = w->input[i] = input_of(t, i);
    w->gear[i] = j == NONE ? 1 : at_or(t->system.input_gear, j, 1);
    w->W[i] = j == NONE ? 0 : scale * t->w_u[j] / (w->gear[i] * w->gear[i]);
    w->w_q[i] = scale * at_or(t->w_q, i, 0), w->w_v[i] = scale * at_or(t->w_v, i, 0);
    if (is_limited(t, i)) w->limited[w->nlim++] = i;
    if (is_fast(t, i)) w->fast[w->nfast++] = i;
  }
}

static void set_bounds(oc_action *w) {
  const oc_task *t = &w->task;
  int n = w->n;
  const double *const given[2][2] = {{t->q_start, t->v_start}, {t->q_goal, t->v_goal}};
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < n; i++)
      for (int r = 0; r < 2; r++) w->end[e][r * n + i] = at_or(given[e][r], i, NAN);
  for (int k = 0; k <= w->N; k++) {
    const double *end = k == 0 ? w->end[0] : k == w->N ? w->end[1] : NULL;
    for (int i = 0; i < 2 * n; i++) {
      bool soft = i < n && w->set.penalty && w->set.penalty[i] > 0;
      double v = i < n ? 0 : at_or(t->v_max, i - n, INFINITY);
      double lo = i >= n ? -v : soft ? -INFINITY : at_or(t->q_min, i, -INFINITY);
      double hi = i >= n ? v : soft ? INFINITY : at_or(t->q_max, i, INFINITY);
      bool fixed = end && !isnan(end[i]);
      w->x_min[k * 2 * n + i] = fixed ? end[i] : lo;
      w->x_max[k * 2 * n + i] = fixed ? end[i] : hi;
    }
  }
  int row = 0;
  for (; row < w->N * w->nodes * w->nlim; row++)
    force_limits(t, w->limited[row % w->nlim], w->g_min + row, w->g_max + row);
  for (int l = 0; row < w->nlp.m; row++, l++) {
    double v = t->v_max[w->fast[l % w->nfast]];
    w->g_min[row] = -v, w->g_max[row] = v;
  }
}

// the workspaces of others
static dm_status make_parts(oc_action *w, dm_message *msg) {
  const dm_force *f = w->task.system.force.eval ? &w->task.system.force : NULL;
  const dm_potential *V = w->set.V.eval ? &w->set.V : NULL;
  dm_second_lagrangian C = {.n = w->n, .k = 2, .self = w, .eval = eval};
  DM_TRY(dm_effort_new(&w->effort, w->set.m, V, f, w->W));
  DM_TRY(dm_second_new(&w->second, &C, &w->set.rule, msg));
  return dm_continuous_new(&w->continuous, &w->task.system);
}

dm_status oc_action_new(oc_action **out, const oc_task *task, const oc_action_settings *set,
                        dm_message *msg) {
  DM_TRY(oc_action_check(task, set, NULL, msg));
  int n = task->system.L.nq, nlim = 0, nfast = 0;
  for (int i = 0; i < n; i++) nlim += is_limited(task, i), nfast += is_fast(task, i);
  oc_action sizes = {.task = *task, .set = *set, .n = n, .N = task->N, .nodes = set->rule.nodes};
  sizes.nlim = nlim, sizes.nfast = nfast, sizes.h = task->T / task->N;
  sizes.nlp = (oc_nlp){.n = (task->N + 1) * 2 * n,
                       .m = task->N * (set->rule.nodes * nlim + nfast),
                       .width = 2 * n, // rows are inequalities, or as many as inputs are missing
                       .f = objective,
                       .grad = gradient,
                       .g = rows,
                       .jac = jacobian,
                       .hess = hessian,
                       .row_name = row_name};
  dm_block b = {0};
  dm_take(&b, 1, sizeof sizes);
  lay_out(&sizes, &b);
  if (dm_block_new(&b) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  oc_action *w = dm_take(&b, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &b);
  set_inputs(w);
  set_bounds(w);
  dm_status s = make_parts(w, msg);
  if (s != DM_OK) {
    oc_action_free(w);
    return dm_fail(msg, s, "%s", dm_status_text(s));
  }
  // a node's place is where it is on the motion q = t
  for (int i = 0; i < w->nodes; i++) {
    const dm_second_node *c = &set->rule.node[i];
    w->at[i] = c->c[0][1][0] + c->c[0][0][1] + c->c[0][1][1];
  }
  dm_second_node_at(w->second, 0, w->x_at, w->x_at, w->h, w->node); // the rule for steps h
  oc_nlp *p = &w->nlp;
  p->self = w;
  p->x_min = w->x_min, p->x_max = w->x_max, p->g_min = w->g_min, p->g_max = w->g_max;
  oc_sink jac = {0}, hess = {0};
  p->jac(w, NULL, &jac);
  p->hess(w, NULL, 0, NULL, &hess);
  p->jac_nnz = jac.n, p->hess_nnz = hess.n;
  *out = w;
  return DM_OK;
}

void oc_action_free(oc_action *w) {
  if (!w) return;
  dm_effort_free(w->effort);
  dm_second_free(w->second);
  dm_continuous_free(w->continuous);
  dm_block_free(w);
}

const oc_nlp *oc_action_nlp(const oc_action *w) {
  return &w->nlp;
}

dm_second *oc_action_second(oc_action *w) {
  return w->second;
}

const double *oc_action_end(const oc_action *w, int end) {
  return w->end[end];
}

// -- to and from motions

static double or_else(double x, double y) {
  return isnan(x) ? y : x;
}

void oc_action_cubic(const oc_action *w, double *X) {
  int n = w->n;
  double T = w->N * w->h, *first = X, *last = X + (size_t)w->N * (size_t)(2 * n);
  for (int i = 0; i < n; i++) {
    first[i] = or_else(w->end[0][i], or_else(w->end[1][i], 0));
    last[i] = or_else(w->end[1][i], first[i]);
    double mean = (last[i] - first[i]) / T;
    first[n + i] = or_else(w->end[0][n + i], mean);
    last[n + i] = or_else(w->end[1][n + i], mean);
  }
  for (int k = 1; k < w->N; k++)
    dm_second_between(n, 2, first, last, T, (double)k / w->N, X + (size_t)k * (size_t)(2 * n));
}

void oc_action_clip(const oc_action *w, double *X) {
  for (int i = 0; i < w->nlp.n; i++) X[i] = fmin(fmax(X[i], w->x_min[i]), w->x_max[i]);
}

dm_status oc_action_trajectory(oc_action *w, const double *X, dm_trajectory *traj) {
  size_t n = (size_t)w->n, row = n * sizeof *X;
  traj->h = w->h;
  for (int k = 0; k <= w->N; k++) {
    const double *q = knot(w, X, k);
    size_t at = (size_t)k * n;
    memcpy(traj->q + at, q, row), memcpy(traj->v + at, q + n, row);
    DM_TRY(dm_momentum_of(w->continuous, q, q + n, traj->p + at));
  }
  DM_TRY(evaluate(w, X));
  memset(traj->u, 0, (size_t)w->N * (size_t)traj->nu * sizeof *traj->u);
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++)
      for (int i = 0; i < w->n; i++)
        if (w->input[i] != NONE)
          traj->u[k * traj->nu + w->input[i]] += w->second->rule.node[s].weight / w->gear[i] *
                                                 w->u[node_of(w, k, s) * n + (size_t)i];
  return DM_OK;
}

#include "optim/second/torque_nodes.h"

#include "lib/base/dense.h"
#include "optim/rows/function_rows.h"
#include "optim/rows/quadratic.h"
#include "optim/second/momentum_rows.h"
#include "optim/second/node_unknowns.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double *or_null(const double *x, int at) {
  return x ? x + at : NULL;
}

// Deviations e of (q,v,a,u) from the references in step k at its fraction s; e_u of a force is that of its input
// times the gear.
static void set_deviations(oc_torque_transcription *w, int k, double s, const double *x,
                           const double *u) {
  const oc_task *t = &w->task;
  int n = w->n;
  const double *q0 = or_null(t->cost[OC_Q].reference, k * n),
               *v0 = or_null(t->cost[OC_V].reference, k * n);
  for (int i = 0; i < n; i++) {
    // references are interpolated linearly between knots; that of u is constant over a step
    w->e[i] = x[i] - (q0 ? (1 - s) * q0[i] + s * q0[n + i] : 0);
    w->e[n + i] = x[n + i] - (v0 ? (1 - s) * v0[i] + s * v0[n + i] : 0);
    w->e[2 * n + i] = x[2 * n + i];
    double ref = t->cost[OC_U].reference && w->input[i] != OC_NONE
                     ? t->cost[OC_U].reference[k * t->system.nu + w->input[i]]
                     : 0; // a coordinate without input has no reference
    if (u) w->e[3 * n + i] = u[i] - w->gear[i] * ref;
  }
}

// deviations of the inputs of general forces at node s of step k, e [nf]
static double *set_input_deviations(oc_torque_transcription *w, int k, int s) {
  const oc_task *t = &w->task;
  const double *z = w->x_at + oc_torque_nodes_own(w, k, s), *ref = t->cost[OC_U].reference;
  double *e = w->e + 4 * w->n;
  for (int j = 0; j < w->nf; j++)
    e[j] = z[j] - (ref ? ref[k * t->system.nu + t->system.nu - w->nf + j] : 0);
  return e;
}

double oc_torque_nodes_penalty(const oc_torque_transcription *w, const double *x, double *g) {
  double sum = 0;

  // slope times the violation of the bound; zero within the bounds
  for (const oc_kink *e = w->kink; e < w->kink + w->nkink; e++) {
    double beyond = e->side * (x[e->coord] - e->bound);
    if (!(beyond > 0)) continue;
    sum += e->slope * beyond;
    if (g) g[e->coord] += e->side * e->slope;
  }
  return sum;
}

// running cost of q, v and a; adds the gradient to g [wide] unless NULL
static double state_cost(const oc_torque_transcription *w, double *g) {
  double sum = 0;
  for (int i = 0; i < 3 * w->n; i++) {
    sum += oc_quadratic_half(w->w_x[i], w->e[i]);
    if (g) g[i] += w->w_x[i] * w->e[i];
  }
  return sum;
}

static void state_hessian(const oc_torque_transcription *w, double sigma, double *H) {
  const oc_quadratic x = {.n = 3 * w->n, .w = w->w_x};
  oc_quadratic_curve(&x, sigma, H, w->wide);
}

// factor of the running cost within its integral
static double factor_of(const oc_torque_transcription *w) {
  return w->task.sum ? 1 / w->h : 1;
}

// -- user-defined Lagrangian C(q, .., q^(k)) at a node

// sigma C; adds sigma C_x to g [wide] and sigma C_xx to H [wide x wide], up to `order`
static dm_status add_own(oc_torque_transcription *w, int order, double sigma, const double *x,
                         double *value, double *g, double *H) {
  const dm_second_order_lagrangian *own = &w->set.own;
  size_t wide = (size_t)w->wide;
  double C, f = sigma * factor_of(w);
  if (!own->eval) return DM_OK;
  DM_TRY(own->eval(own, order, x, &C, w->own_x, w->own_xx));
  *value += f * C;
  for (size_t i = 0; g && i < wide; i++) g[i] += f * w->own_x[i];
  for (size_t i = 0; H && i < wide * wide; i++) H[i] += f * w->own_xx[i];
  return DM_OK;
}

// -- user-defined terms c(q,v,u) at a node x = (q,v,a) with forces u on coordinates

// their sum, and its derivatives by (q,v,u) up to `order` in w->term
static double eval_node_terms(oc_torque_transcription *w, int order, int k, int s, const double *x,
                              const double *u) {
  const oc_task *t = &w->task;
  const double *z = w->x_at + oc_torque_nodes_own(w, k, s);
  double *y = w->term.x;

  // y = (q, v, u), with inputs = forces / gear
  memcpy(y, x, (size_t)(2 * w->n) * sizeof *y);
  for (int i = 0; i < w->n; i++)
    if (w->input[i] != OC_NONE) y[2 * w->n + w->input[i]] = u[i] / w->gear[i];
  for (int j = 0; j < w->nf; j++) y[2 * w->n + t->system.nu - w->nf + j] = z[j];
  const oc_term_place at = {.k = k, .share = w->at[s]};
  return factor_of(w) * oc_terms_eval(&w->term, t->functions.nterms, t->functions.terms, at, order);
}

// H [wide x wide] += the part by (q,v,a) of B, whose rows have length `stride`
static void add_force_block(const oc_torque_transcription *w, const double *B, int stride,
                            double *H) {
  const int block = 3 * w->n;
  for (int i = 0; i < block; i++)
    for (int j = 0; j < block; j++) H[i * w->wide + j] += B[i * stride + j];
}

dm_status oc_torque_nodes_lagrangian(const dm_second_order_lagrangian *C, int order,
                                     const double *x, double *value, double *C_x, double *C_xx) {
  oc_torque_transcription *w = C->self;
  dm_second_order_lagrangian effort = dm_torque_cost_lagrangian(w->effort);
  const size_t wide = (size_t)w->wide;

  // cost of the forces, by (q,v,a)
  if (order > 0) memset(C_x, 0, wide * sizeof *C_x);
  DM_TRY(effort.eval(&effort, order, x, value, C_x, w->force_block));
  if (order > 1) {
    memset(C_xx, 0, wide * wide * sizeof *C_xx);
    add_force_block(w, w->force_block, 3 * w->n, C_xx);
  }

  // costs of q, v and a with penalties, and the user-defined Lagrangian
  set_deviations(w, 0, 0, x, NULL);
  *value += state_cost(w, order > 0 ? C_x : NULL);
  *value += oc_torque_nodes_penalty(w, x, order > 0 ? C_x : NULL);
  if (order > 1) state_hessian(w, 1, C_xx);
  return add_own(w, order, 1, x, value, order > 0 ? C_x : NULL, order > 1 ? C_xx : NULL);
}

// -- the program

dm_status oc_torque_nodes_evaluate(oc_torque_transcription *w, const double *x) {
  size_t n = (size_t)w->n, wide = (size_t)w->wide;
  const size_t knots =
      (size_t)oc_torque_nodes_own(w, w->N, 0) * sizeof *x; // with unknowns of nodes
  if (w->fresh && memcmp(x, w->x_at, knots) == 0) return DM_OK;
  w->fresh = false;

  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++) {
      size_t at = oc_torque_nodes_at(w, k, s);
      // (q,v,a, ..) at the node, from the rule
      double *node = w->node + at * wide;
      dm_second_order_node_at(w->second, s, oc_torque_nodes_knot(w, x, k),
                              oc_torque_nodes_knot(w, x, k + 1), w->h, node);

      // u = tau + damping v - f + Dh'lambda there, and J = u by (q,v,a,z)
      const double *z = x + oc_torque_nodes_own(w, k, s);
      if (w->nf) memcpy(w->effort->inputs, z, (size_t)w->nf * sizeof *z);
      DM_TRY(dm_torque_cost_forces(w->effort, 1, node, NULL, NULL));
      DM_TRY(oc_node_unknowns_forces(w, node, z, w->u + at * n, w->J + at * n * (size_t)w->block));
    }
  DM_TRY(oc_function_rows_evaluate(w->functions, x));
  memcpy(w->x_at, x, knots);
  w->fresh = true;
  return DM_OK;
}

// terminal cost at the last knot; adds its gradient, and writes the diagonal of its Hessian
static double terminal_cost(const oc_torque_transcription *w, const double *X, double *grad,
                            double *diagonal) {
  const oc_task *t = &w->task;
  int n = w->n;
  double sum = 0;
  for (int r = OC_Q; r <= OC_V; r++) {
    // q, then v, in the order of a knot
    const oc_quadratic end = oc_quadratic_goal(t, (oc_quantity)r);
    for (int i = 0; i < n; i++) {
      double a = oc_quadratic_weight(&end, i);
      double e = X ? oc_quadratic_error(&end, i, X[r * n + i]) : 0;
      sum += oc_quadratic_half(a, e);
      if (grad) grad[r * n + i] += a * e;
      if (diagonal) diagonal[r * n + i] = a;
    }
  }
  return sum;
}

dm_status oc_torque_nodes_objective(void *self, const double *x, double *f) {
  oc_torque_transcription *w = self;
  size_t n = (size_t)w->n;
  DM_TRY(oc_torque_nodes_evaluate(w, x));
  *f = terminal_cost(w, oc_torque_nodes_knot(w, x, w->N), NULL, NULL);

  // h sum_s w_s c(q,v,u) of each step
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++) {
      const double *node = w->node + oc_torque_nodes_at(w, k, s) * (size_t)w->wide;
      set_deviations(w, k, w->at[s], node, w->u + oc_torque_nodes_at(w, k, s) * n);
      double c = state_cost(w, NULL);
      DM_TRY(add_own(w, 0, 1, node, &c, NULL, NULL));
      for (int l = 0; l < w->nkink; l++)
        c += w->kink[l].slope * x[oc_torque_nodes_slack(w, k, s, l)];
      for (size_t i = 0; i < n; i++)
        c += oc_quadratic_half(w->W[i], w->e[3 * n + i]); // 1/2 W (u - ref)^2
      const double *e = set_input_deviations(w, k, s);
      for (int j = 0; j < w->nf; j++) c += oc_quadratic_half(w->more->weight[j], e[j]);
      if (w->ny) c += eval_node_terms(w, 0, k, s, node, w->u + oc_torque_nodes_at(w, k, s) * n);
      *f += w->h * w->second->rule.node[s].weight * c;
    }
  *f += oc_function_rows_cost(w->functions, x);
  return isfinite(*f) ? DM_OK : DM_NOT_FINITE;
}

static void clear_blocks(dm_second_order *L, bool hessian) {
  size_t size = (size_t)L->size;
  double *const all[] = {L->D0, L->D1, L->D00, L->D01, L->D11};
  for (int i = 0; i < (hessian ? 5 : 2); i++)
    memset(all[i], 0, (i < 2 ? size : size * size) * sizeof(double));
}

// the gradient of the cost at node s of step k: by (q,v,a,..) into w->g, times the weight of the node by
// its own unknowns into g_z
static dm_status node_gradient(oc_torque_transcription *w, int k, int s, double weight,
                               double *g_z) {
  const int n = w->n, block = w->block, wide = 3 * n;
  const size_t at = oc_torque_nodes_at(w, k, s);
  const double *node = w->node + at * (size_t)w->wide, *u = w->u + at * (size_t)n;
  const double *J = w->J + at * (size_t)(n * block);
  double c = 0;
  set_deviations(w, k, w->at[s], node, u);
  const double *e = set_input_deviations(w, k, s);

  // by u: its cost W (u - ref), and terms; then by (q,v,a,z) through J
  for (int i = 0; i < n; i++) w->mu[i] = w->W[i] * w->e[3 * n + i];
  const double f = w->ny ? factor_of(w) : 0;
  if (w->ny) eval_node_terms(w, 1, k, s, node, u);
  for (int i = 0; w->ny && i < n; i++)
    if (w->input[i] != OC_NONE) w->mu[i] += f * w->term.c_x[2 * n + w->input[i]] / w->gear[i];
  memset(w->g, 0, (size_t)w->wide * sizeof *w->g);
  for (int i = 0; i < n; i++) {
    dm_add_to(wide, w->mu[i], J + i * block, w->g);
    dm_add_to(w->nz, weight * w->mu[i], J + i * block + wide, g_z);
  }

  // by inputs of general forces, q, v, a
  const double *c_w = w->term.c_x + 2 * n + w->task.system.nu - w->nf;
  for (int j = 0; j < w->nf; j++)
    g_z[j] += weight * (w->more->weight[j] * e[j] + (w->ny ? f * c_w[j] : 0));
  for (int i = 0; w->ny && i < 2 * n; i++) w->g[i] += f * w->term.c_x[i];
  state_cost(w, w->g);
  return add_own(w, 1, 1, node, &c, w->g, NULL);
}

dm_status oc_torque_nodes_gradient(void *self, const double *x, double *grad) {
  oc_torque_transcription *w = self;
  dm_second_order *L = w->second;
  DM_TRY(oc_torque_nodes_evaluate(w, x));
  memset(grad, 0, (size_t)w->nlp.n * sizeof *grad);

  for (int k = 0; k < w->N; k++) {
    double *g = grad + (size_t)k * (size_t)L->size;
    clear_blocks(L, false);
    for (int s = 0; s < w->nodes; s++) {
      // transform to both knots by the rule
      const double weight = w->h * L->rule.node[s].weight;
      DM_TRY(node_gradient(w, k, s, weight, grad + oc_torque_nodes_own(w, k, s)));
      for (int l = 0; l < w->nkink; l++)
        grad[oc_torque_nodes_slack(w, k, s, l)] = weight * w->kink[l].slope;
      dm_second_order_add_node(L, s, w->h, weight, w->g, NULL);
    }

    for (int i = 0; i < L->size; i++) {
      g[i] += L->D0[i];
      g[L->size + i] += L->D1[i];
    }
  }
  terminal_cost(w, oc_torque_nodes_knot(w, x, w->N), grad + (size_t)w->N * (size_t)L->size, NULL);
  oc_function_rows_gradient(w->functions, x, grad);
  return DM_OK;
}

// row (k nodes + s) nlim + l: force of limited coordinate l at node s of step k; then for each step
// the speeds at the middle of its polynomial, then for each node the rows of kinks, then constraints,
// then momenta
dm_status oc_torque_nodes_rows(void *self, const double *x, double *g) {
  oc_torque_transcription *w = self;
  DM_TRY(oc_torque_nodes_evaluate(w, x));
  oc_function_rows_values(w->functions, g);
  const double *last = oc_torque_nodes_knot(w, x, w->N);
  for (int i = 0; i < w->nend; i++) g[w->nlp.m - w->nend + i] = last[i] - x[i];

  // forces of limited coordinates at all nodes
  for (size_t at = 0, all = oc_torque_nodes_at(w, w->N, 0); at < all; at++)
    for (int l = 0; l < w->nlim; l++) *g++ = w->u[at * (size_t)w->n + (size_t)w->limited[l]];

  // v at the middle; for a cubic 3/2 (q1 - q0)/h - (v0 + v1)/4
  for (int k = 0; k < w->N; k++)
    for (int l = 0; l < w->nfast; l++) {
      const double *q0 = oc_torque_nodes_knot(w, x, k) + w->fast[l], *q1 = q0 + w->size;
      double v = w->middle[1][0] * (q1[0] - q0[0]);
      for (int r = 1; r < w->k; r++)
        v += w->middle[0][r] * q0[r * w->n] + w->middle[1][r] * q1[r * w->n];
      *g++ = v;
    }

  // q of kinks at all nodes minus the allowed violation of their bound
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++)
      for (int l = 0; l < w->nkink; l++) {
        const double *node = w->node + oc_torque_nodes_at(w, k, s) * (size_t)w->wide;
        *g++ = node[w->kink[l].coord] - w->kink[l].side * x[oc_torque_nodes_slack(w, k, s, l)];
      }
  DM_TRY(oc_node_unknowns_values(w, x, g));
  return oc_momentum_rows_values(w, x, g + oc_node_unknowns_rows(w->N, w->nc, w->nh));
}

dm_status oc_torque_nodes_jacobian(void *self, const double *x, oc_triplets *sink) {
  oc_torque_transcription *w = self;
  const dm_second_order *L = w->second;
  int n = w->n, block = w->block, row = 0;
  if (sink->val) DM_TRY(oc_torque_nodes_evaluate(w, x));
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++)
      for (int l = 0; l < w->nlim; l++, row++) {
        // J of the node by (q,v,a), transformed to both knots
        const double *J =
            w->J + oc_torque_nodes_at(w, k, s) * (size_t)(n * block) + w->limited[l] * block;
        for (int e = 0; e < 2; e++)
          for (int r = 0; r < w->k; r++)
            for (int j = 0; j < n; j++) {
              double sum = 0;
              for (int d = 0; sink->val && d < 3; d++) sum += w->f[s][e][r][d] * J[d * n + j];
              oc_put(sink, row, (k + e) * L->size + r * n + j, sum);
            }
        for (int i = 0; i < w->nz; i++)
          oc_put(sink, row, oc_torque_nodes_own(w, k, s) + i, J[3 * n + i]);
      }
  for (int k = 0; k < w->N; k++)
    for (int l = 0; l < w->nfast; l++, row++)
      for (int e = 0; e < 2; e++)
        for (int r = 0; r < w->k; r++)
          oc_put(sink, row, (k + e) * L->size + r * n + w->fast[l], w->middle[e][r]);

  // q of a node by both knots, and its slack
  for (int k = 0; k < w->N; k++)
    for (int s = 0; s < w->nodes; s++)
      for (int l = 0; l < w->nkink; l++, row++) {
        for (int e = 0; e < 2; e++)
          for (int r = 0; r < w->k; r++)
            oc_put(sink, row, (k + e) * L->size + r * n + w->kink[l].coord, w->f[s][e][r][0]);
        oc_put(sink, row, (int)oc_torque_nodes_slack(w, k, s, l), -w->kink[l].side);
      }
  DM_TRY(oc_node_unknowns_put(w, x, sink));
  DM_TRY(oc_momentum_rows_put(w, x, sink));
  oc_function_rows_put(w->functions, sink);
  for (int i = 0; i < w->nend; i++) {
    oc_put(sink, w->nlp.m - w->nend + i, i, -1);
    oc_put(sink, w->nlp.m - w->nend + i, w->N * L->size + i, 1);
  }
  return DM_OK;
}

// add sigma P'CP of the terms at a node to w->node_block, with P = d(q,v,u)/d(q,v,a,z)
static void add_term_hessian(oc_torque_transcription *w, double sigma, const double *J) {
  const int n = w->n, ny = w->ny, block = w->block;
  memset(w->P, 0, (size_t)(ny * block) * sizeof *w->P);
  // P: 1 for q and v, J/gear for inputs of joints, 1 for those of general forces
  for (int i = 0; i < 2 * n; i++) w->P[i * block + i] = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; w->input[i] != OC_NONE && j < block; j++)
      w->P[(2 * n + w->input[i]) * block + j] = J[i * block + j] / w->gear[i];
  for (int j = 0; j < w->nf; j++) w->P[(ny - w->nf + j) * block + 3 * n + j] = 1;
  dm_gemm(ny, block, ny, sigma * factor_of(w), w->term.c_xx, w->P, 0, w->CP);
  dm_gemm_transposed(block, block, ny, 1, w->P, block, w->CP, block, 1, w->node_block, block);
}

// the Hessian of weight c + lambda' u (NULL: none) at node s of step k: by (q,v,a,z) into
// w->node_block, by (q,v,a,..) into w->H
static dm_status node_hessian(oc_torque_transcription *w, int k, int s, double weight,
                              const double *lambda) {
  const int n = w->n, block = w->block;
  const size_t at = oc_torque_nodes_at(w, k, s);
  const double *J = w->J + at * (size_t)(n * block), *node = w->node + at * (size_t)w->wide;
  double c = 0;
  set_deviations(w, k, w->at[s], node, w->u + at * (size_t)n);

  // multipliers of u: from its cost, from terms, from rows
  for (int i = 0; i < n; i++) w->mu[i] = weight * w->W[i] * w->e[3 * n + i];
  if (w->ny) eval_node_terms(w, 2, k, s, node, w->u + at * (size_t)n);
  for (int i = 0; w->ny && i < n; i++)
    if (w->input[i] != OC_NONE)
      w->mu[i] += weight * factor_of(w) * w->term.c_x[2 * n + w->input[i]] / w->gear[i];
  for (int l = 0; lambda && l < w->nlim; l++)
    w->mu[w->limited[l]] += lambda[at * (size_t)w->nlim + (size_t)l];

  // mu.u'' + J'WJ, and the cost of inputs of general forces
  DM_TRY(oc_node_unknowns_contract(w, node, w->x_at + oc_torque_nodes_own(w, k, s)));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < block; j++) w->WJ[i * block + j] = weight * w->W[i] * J[i * block + j];
  dm_gemm_transposed(block, block, n, 1, J, block, w->WJ, block, 1, w->node_block, block);
  for (int j = 0; j < w->nf; j++)
    w->node_block[(3 * n + j) * (block + 1)] += weight * w->more->weight[j];
  if (w->ny) add_term_hessian(w, weight, J);

  // plus q, v, a and the user-defined Lagrangian
  memset(w->H, 0, (size_t)(w->wide * w->wide) * sizeof *w->H);
  add_force_block(w, w->node_block, block, w->H);
  state_hessian(w, weight, w->H);
  return add_own(w, 2, weight, node, &c, NULL, w->H);
}

// Hessian of sigma c + lambda' u (NULL: none) of step k, into the blocks of second and of w->more
static dm_status step_hessian_blocks(oc_torque_transcription *w, int k, double sigma,
                                     const double *lambda) {
  dm_second_order *L = w->second;
  clear_blocks(L, true);
  for (int s = 0; s < w->nodes; s++) {
    DM_TRY(node_hessian(w, k, s, sigma * w->h * L->rule.node[s].weight, lambda));
    // transform to both knots by the rule
    dm_second_order_add_node(L, s, w->h, 1, NULL, w->H);
    oc_node_unknowns_pull(w, s);
  }
  return DM_OK;
}

dm_status oc_torque_nodes_hessian(void *self, const double *x, double sigma, const double *lambda,
                                  oc_triplets *sink) {
  oc_torque_transcription *w = self;
  const dm_second_order *L = w->second;
  int size = L->size;
  size_t bytes = (size_t)(size * size) * sizeof *w->knot_block;
  if (sink->val) DM_TRY(oc_torque_nodes_evaluate(w, x));
  memset(w->knot_block, 0, bytes);
  for (int k = 0; k <= w->N; k++) {
    int at = k * size;
    if (k < w->N && sink->val) DM_TRY(step_hessian_blocks(w, k, sigma, lambda));
    if (w->nc && sink->val) {
      DM_TRY(oc_node_unknowns_knot_hessian(w, x, k, lambda, w->knot_block));
      if (k < w->N) DM_TRY(oc_node_unknowns_middle_hessian(w, x, k, lambda));
    }
    if (k < w->N && sink->val) DM_TRY(oc_momentum_rows_hessian(w, x, k, lambda));
    // terminal cost
    if (k == w->N) {
      memset(w->g, 0, (size_t)size * sizeof *w->g);
      terminal_cost(w, NULL, NULL, w->g);
      // knot k with itself: D11 of the previous step, D00 of this one
      for (int i = 0; i < size; i++) w->knot_block[i * size + i] += sigma * w->g[i];
    }
    for (int i = 0; i < size; i++)
      for (int j = 0; j <= i; j++)
        oc_put(sink, at + i, at + j,
               w->knot_block[i * size + j] + (k < w->N ? L->D00[i * size + j] : 0));
    // with the next knot
    for (int i = 0; k < w->N && i < size; i++)
      for (int j = 0; j < size; j++) oc_put(sink, at + size + i, at + j, L->D01[j * size + i]);
    if (k < w->N) oc_node_unknowns_put_hessian(w, k, sink);

    memcpy(w->knot_block, L->D11, bytes);
  }
  return oc_function_rows_put_hessian(w->functions, x, sigma, lambda, sink);
}

// |row| |X| of a row of a block and a knot
static double product_size(int size, const double *row, size_t stride, const double *X) {
  double sum = 0;
  for (int j = 0; j < size; j++) sum += fabs(row[(size_t)j * stride] * X[j]);
  return sum;
}

dm_status oc_torque_nodes_rounding(oc_torque_transcription *w, const double *x, const oc_scaled *of,
                                   double *out) {
  const dm_second_order *L = w->second;
  int size = L->size;
  size_t step = (size_t)size;
  double largest = 0;
  DM_TRY(oc_torque_nodes_evaluate(w, x));
  for (int k = 0; k < w->N; k++) {
    const double *X0 = oc_torque_nodes_knot(w, x, k), *X1 = oc_torque_nodes_knot(w, x, k + 1);
    DM_TRY(step_hessian_blocks(w, k, 1, NULL));
    for (int i = 0; i < size; i++) {
      // |H| |X| for each row of the blocks of this step
      const double *across = L->D01 + i * size, *down = L->D01 + i;
      const double first =
          product_size(size, L->D00 + i * size, 1, X0) + product_size(size, across, 1, X1);
      const double second =
          product_size(size, down, step, X0) + product_size(size, L->D11 + i * size, 1, X1);
      largest = fmax(largest, (of ? oc_scaled_size(of, i) : 1) * fmax(first, second));
    }
  }
  *out = DBL_EPSILON * largest * (of ? oc_scaled_objective(of) : 1);
  return isfinite(largest) ? DM_OK : DM_NOT_FINITE;
}

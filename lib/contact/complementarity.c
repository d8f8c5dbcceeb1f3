#include "lib/contact/complementarity.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/contact/gap_rows.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void lay_out_complementarity(void *self, dm_block *b) {
  dm_complementarity *w = self;
  size_t n = (size_t)w->n, nc = (size_t)w->nc, ng = (size_t)w->g.ng;
  size_t most = (size_t)w->max_closed, rows = nc + most;

  // vectors [n] and arrays per inequality
  double **vectors[] = {&w->q, &w->r, &w->x, &w->y, &w->M1_diagonal};
  for (int i = 0; i < 5; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));
  double **each[] = {&w->lambda, &w->g0, &w->gaps};
  for (int i = 0; i < 3; i++) *each[i] = dm_block_alloc(b, ng, sizeof(double));
  w->closed = dm_block_alloc(b, ng, sizeof *w->closed);
  w->gamma = dm_block_alloc(b, nc, sizeof *w->gamma);

  // rows of the constraints, and M1
  const size_t entries = dm_gap_entries(&w->g, w->n);
  w->a = dm_block_alloc(b, nc, sizeof *w->a);
  w->A0 = dm_block_alloc(b, nc * n, sizeof *w->A0);
  w->A1 = dm_block_alloc(b, nc * n, sizeof *w->A1);
  w->M1 = dm_block_alloc(b, n * n, sizeof *w->M1);
  w->closed_index = dm_block_alloc(b, most, sizeof *w->closed_index);
  w->closed_number = dm_block_alloc(b, most, sizeof *w->closed_number);
  w->gc = dm_block_alloc(b, most, sizeof *w->gc);
  dm_sparse_rows_lay_out(&w->A, b, w->n, nc, nc * n);
  dm_sparse_rows_lay_out(&w->G, b, w->n, most, entries);
  dm_sparse_rows_lay_out(&w->Gc, b, w->n, most, entries);

  // candidates for a new closed set
  double **candidates[] = {&w->candidate_b, &w->candidate_lambda};
  for (int i = 0; i < 2; i++) *candidates[i] = dm_block_alloc(b, ng, sizeof(double));
  w->candidate = dm_block_alloc(b, ng, sizeof *w->candidate);
  w->candidate_number = dm_block_alloc(b, ng, sizeof *w->candidate_number);
  w->candidate_in = dm_block_alloc(b, ng, sizeof *w->candidate_in);
  dm_sparse_rows_lay_out(&w->candidate_G, b, w->n, ng, entries);

  // rows of a Newton step
  dm_sparse_rows_lay_out(&w->J, b, w->n, rows, rows * n);
  dm_sparse_rows_lay_out(&w->B, b, w->n, rows, rows * n);
  dm_sparse_rows_lay_out(&w->T, b, w->n, rows, rows * n);
  w->c = dm_block_alloc(b, rows, sizeof *w->c);
  w->hol_scratch = dm_block_alloc(b, w->s.hol.scratch, 1);
  w->uni_scratch = dm_block_alloc(b, w->g.scratch, 1);
}

dm_status dm_complementarity_new(dm_complementarity **out, const dm_system *s,
                                 const dm_unilateral *g, dm_message *msg) {
  assert(out && s && g);
  if (s->nk > 0)
    return dm_fail(msg, DM_BAD_INPUT, "contacts: found %d kinematic coordinates, expected none",
                   s->nk);

  // at most n rows can be independent, so at most n are closed
  dm_complementarity sizes = {
      .s = *s, .g = *g, .n = s->L.nq, .nc = s->hol.nc, .max_iter = 50, .tol = 4e-15};
  sizes.length = s->extent > 0 ? s->extent : 1;
  sizes.max_closed = g->ng < sizes.n ? g->ng : sizes.n;
  dm_complementarity *w = dm_block_make(&sizes, sizeof sizes, lay_out_complementarity);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  dm_status status = dm_interval_new(&w->d, s);
  if (status == DM_OK) status = dm_row_set_new(&w->set, w->n, w->nc + w->max_closed);
  if (status == DM_OK) status = dm_row_impulses_new(&w->rows, w->n, w->nc, g->ng);
  if (status == DM_OK) status = dm_diagonal_blocks_new(&w->factors, w->n);
  if (status != DM_OK) {
    dm_complementarity_free(w);
    return dm_fail(msg, status, "%s", dm_status_text(status));
  }
  w->d->by_step = false;
  *out = w;
  return DM_OK;
}

void dm_complementarity_free(dm_complementarity *w) {
  if (w) {
    dm_interval_free(w->d);
    dm_row_set_free(w->set);
    dm_row_impulses_free(w->rows);
    dm_diagonal_blocks_free(w->factors);
  }
  dm_block_free(w);
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static bool is_length(const dm_complementarity *w, int i) {
  return w->s.length && w->s.length[i];
}

double dm_complementarity_weight(const dm_complementarity *w, int i) {
  return is_length(w, i) ? w->length : 1;
}

// scale of the gap of inequality `number`, m or rad
static double size_of_gap(const dm_complementarity *w, int number) {
  return w->size[!(w->g.angle && w->g.angle[number])];
}

dm_status dm_complementarity_balance(void *self, dm_complementarity *w, double *M1, double *size) {
  (void)self;
  const dm_contact_equations *eq = &w->eq;
  const dm_interval *d = w->d;
  DM_TRY(dm_interval_eval(w->d, M1 ? 2 : 1, eq->q0, w->q, eq->u, eq->h));

  // r = p + D1; D1 is a sum of L_v and h L_q, which may cancel
  *size = 0;
  for (int i = 0; i < w->n; i++) {
    w->r[i] = eq->p[i] + d->D1[i];
    const double moved = larger(fabs(d->nodes->jet.L_v[i]), eq->h * fabs(d->nodes->jet.L_q[i]));
    const double term = larger(larger(fabs(eq->p[i]), fabs(d->D1[i])), moved);
    *size = larger(*size, dm_complementarity_weight(w, i) * term);
  }
  if (M1) memcpy(M1, d->D12, (size_t)(w->n * w->n) * sizeof *M1);
  return DM_OK;
}

// -- step 2: Newton's method for a closed set

// q0 + t (q1 - q0): returns q0 or q1 itself, or writes to x [n]
static const double *place_between(dm_complementarity *w, double t, double *x) {
  if (t == 0) return w->eq.q0;
  if (t == 1) return w->q;
  for (int i = 0; i < w->n; i++) x[i] = w->eq.q0[i] + t * (w->q[i] - w->eq.q0[i]);
  return x;
}

// a copy of the rows of another list
static void copy_rows(dm_sparse_rows *to, const dm_sparse_rows *from) {
  to->m = 0;
  for (int i = 0; i < from->m; i++) dm_sparse_rows_append(to, 1, from, i);
}

// g(q_c) and rows Gc of the closed inequalities; and their G if it moves with q_c
static dm_status evaluate_closed_rows(dm_complementarity *w) {
  const dm_contact_equations *eq = &w->eq;
  if (w->nclosed == 0) return DM_OK;

  if (!eq->linearized_at) {
    const double *q = place_between(w, eq->place, w->x);
    DM_TRY(dm_gap_rows(&w->g, w->uni_scratch, q, w->nclosed, w->closed_number, w->gc, &w->Gc));
    if (eq->moving_gradient) copy_rows(&w->G, &w->Gc);
    return DM_OK;
  }

  // linearized at x: g(x) + Dg(x) (q1 - x), with constant rows
  copy_rows(&w->Gc, &w->G);
  for (int i = 0; i < w->n; i++) w->x[i] = w->q[i] - eq->linearized_at[i];
  for (int i = 0; i < w->nclosed; i++) w->gc[i] = w->g0[i] + dm_sparse_rows_inner(&w->G, i, w->x);
  return DM_OK;
}

// w->relative_gap and info->gap, the gaps of a(q1) = 0 and of g(q_c) = level, relative to scales
// and as distances; returns a sum that is finite if all are.
static double measure_gaps(dm_complementarity *w, dm_complementarity_info *info) {
  const dm_contact_equations *eq = &w->eq;
  double sum = 0, gap = 0, most = 0;
  // equalities, relative to the change of a for changes of coordinates by their scale
  for (int i = 0; i < w->nc; i++) {
    const double *A = w->A1 + i * w->n;
    double change = 0;
    for (int j = 0; j < w->n; j++) change = larger(change, fabs(A[j]) * w->size[is_length(w, j)]);
    if (w->a[i] != 0) gap = larger(gap, fabs(w->a[i]) / change);
    if (w->a[i] != 0) most = larger(most, fabs(w->a[i]) / dm_largest(w->n, A));
    sum += w->a[i];
  }
  // closed inequalities
  for (int i = 0; i < w->nclosed; i++) {
    const int number = w->closed_number[i];
    w->gc[i] -= eq->level[w->closed_index[i]];
    const double distance = fabs(w->gc[i]) / w->g.scale[number];
    gap = larger(gap, distance / size_of_gap(w, number));
    most = larger(most, distance);
    sum += w->gc[i];
  }
  w->relative_gap = gap;
  info->gap = most;
  return sum;
}

// The residual at w->q: w->r, w->a, w->gc, the size of its terms w->terms, and w->relative_gap.
// Writes M1 [n x n] unless NULL; returns true if everything is finite.
static bool evaluate_residual(dm_complementarity *w, double *M1, dm_complementarity_info *info) {
  const dm_contact_equations *eq = &w->eq;
  const dm_holonomic *hol = &w->s.hol;
  double size, most = 0, sum = 0;
  info->residual = 0;
  if (eq->balance(eq->self, w, M1, &size) != DM_OK || evaluate_closed_rows(w) != DM_OK)
    return false;
  if (w->nc && hol->eval(hol->self, w->hol_scratch, w->q, w->a, w->A1) != DM_OK) return false;

  // r = B + A(q0)'gamma + s G'lambda
  for (int i = 0; i < w->nc; i++) dm_add_to(w->n, w->gamma[i], w->A0 + i * w->n, w->r);
  for (int i = 0; i < w->nclosed; i++)
    dm_sparse_rows_add_to(&w->G, i, eq->share * w->lambda[w->closed_index[i]], w->r);
  for (int i = 0; i < w->n; i++) {
    // subtract the rounding of the difference of two configurations
    const double off = fabs(w->r[i]) - 2 * DBL_EPSILON * fabs(w->M1_diagonal[i] * w->q[i]);
    if (dm_complementarity_weight(w, i) * off > most) {
      most = dm_complementarity_weight(w, i) * off;
      info->residual = off;
    }
    sum += w->r[i];
  }
  sum += measure_gaps(w, info);

  // scales for relative_residual and count_wrong
  w->terms = size;
  w->off = most;
  return isfinite(sum) && isfinite(size);
}

// residual for Newton's method: of the balance relative to its terms, or the relative gap
static double relative_residual(const dm_complementarity *w) {
  return larger(w->off > 0 ? w->off / w->terms : 0, w->relative_gap);
}

// factor M1 at w->q, including the curvature of gradients that move with q1
static dm_status factor_M1(dm_complementarity *w, dm_complementarity_info *info) {
  const dm_contact_equations *eq = &w->eq;
  if (!evaluate_residual(w, w->M1, info)) return DM_NOT_FINITE;

  // + s place sum_i lambda_i D2g_i(q_c)
  if (eq->moving_gradient && w->nclosed) {
    for (int i = 0; i < w->nclosed; i++)
      w->c[i] = eq->share * eq->place * w->lambda[w->closed_index[i]];
    const double *q = place_between(w, eq->place, w->x);
    DM_TRY(w->g.contract(w->g.self, w->uni_scratch, q, w->nclosed, w->closed_number, w->c, w->M1));
  }

  // valid for later steps of the same length and balance
  w->M1_valid = false;
  for (int i = 0; i < w->n; i++) w->M1_diagonal[i] = w->M1[i * (w->n + 1)];
  DM_TRY(dm_diagonal_blocks_factor(w->factors, w->M1));
  w->M1_valid = true;
  w->M1_h = eq->h;
  w->M1_balance = eq->balance;
  info->factored++;
  return DM_OK;
}

// B = (A(q0); s G) and T = M1^-1 B' by rows
static void eliminate_impulses(dm_complementarity *w) {
  w->B.m = w->T.m = 0;
  for (int c = 0; c < w->nc; c++) dm_sparse_rows_append_dense(&w->B, w->A0 + c * w->n);
  for (int c = 0; c < w->nclosed; c++) dm_sparse_rows_append(&w->B, w->eq.share, &w->G, c);
  for (int i = 0; i < w->B.m; i++) dm_diagonal_blocks_append(w->factors, 1, &w->B, i, &w->T);
}

// Newton step: -dq1 in w->x, changes of the impulses in w->c
static dm_status solve_newton_step(dm_complementarity *w) {
  const int n = w->n, m = w->nc + w->nclosed;
  const double place = w->eq.linearized_at ? 1 : w->eq.place;

  // x = M1^-1 r
  memcpy(w->x, w->r, (size_t)n * sizeof *w->r);
  dm_diagonal_blocks_solve(w->factors, w->x);
  if (m == 0) return DM_OK;

  // J = (A(q1); dg/dq1), where q_c changes by `place` dq1
  w->J.m = 0;
  for (int i = 0; i < w->nc; i++) dm_sparse_rows_append_dense(&w->J, w->A1 + i * n);
  for (int i = 0; i < w->nclosed; i++) dm_sparse_rows_append(&w->J, place, &w->Gc, i);

  // (J T) c = (a; g - level) - J x
  for (int i = 0; i < w->nc; i++) w->c[i] = w->a[i];
  for (int i = 0; i < w->nclosed; i++) w->c[w->nc + i] = w->gc[i];
  for (int i = 0; i < m; i++) w->c[i] -= dm_sparse_rows_inner(&w->J, i, w->x);
  DM_TRY(dm_row_set_factor(w->set, &w->J, &w->T, w->nc, m * DBL_EPSILON));
  if (w->set->rank < m) return DM_SINGULAR;
  dm_row_set_solve(w->set, w->c);

  // -dq1 = M1^-1 r + T c
  for (int i = 0; i < m; i++) dm_sparse_rows_add_to(&w->T, i, w->c[i], w->x);
  return DM_OK;
}

// add t times the Newton step, which is in w->y and w->c
static void move_unknowns(dm_complementarity *w, double t) {
  // y = -dq1, c the changes of gamma and lambda
  dm_add_to(w->n, -t, w->y, w->q);
  for (int i = 0; i < w->nc; i++) w->gamma[i] += t * w->c[i];
  for (int i = 0; i < w->nclosed; i++) w->lambda[w->closed_index[i]] += t * w->c[w->nc + i];
}

// Take the Newton step, halved until the residual is below `off` unless `whole`; t is its final
// length. Returns the residual, NAN if undefined.
static double take_newton_step(dm_complementarity *w, double off, bool whole, double *t,
                               dm_complementarity_info *info) {
  enum { HALVINGS = 12 };
  *t = 1;
  for (int i = 0;; i++, *t /= 2) {
    // the full step first, then go back by half
    move_unknowns(w, i == 0 ? *t : -*t);
    double after = evaluate_residual(w, NULL, info) ? relative_residual(w) : NAN;
    if (after < off || whole || i == HALVINGS) return after;
  }
}

// returns true if the step in w->y is below rounding of the coordinates, each relative to its scale
static bool is_tiny(const dm_complementarity *w) {
  double step = 0, most = 0;
  for (int i = 0; i < w->n; i++) {
    const double share = is_length(w, i) ? 1 / w->length : 1;
    step = larger(step, share * fabs(w->y[i]));
    most = larger(most, share * fabs(w->q[i]));
  }
  return step <= 4 * DBL_EPSILON * most;
}

// Newton's method for the current closed set, from w->q
static dm_status solve_closed_set(dm_complementarity *w, dm_complementarity_info *info) {
  const dm_contact_equations *eq = &w->eq;
  bool fresh = false, eliminated = false;

  // the factor of another step is used while it reduces the residual
  if (!w->M1_valid || w->M1_h != eq->h || w->M1_balance != eq->balance) {
    DM_TRY(factor_M1(w, info));
    fresh = true;
  } else if (!evaluate_residual(w, NULL, info))
    return DM_NOT_FINITE;

  for (int k = 0;; k++) {
    const double off = relative_residual(w);
    if (off <= w->tol) return DM_OK;
    if (k == w->max_iter) return DM_MAX_ITER;
    info->iterations++;

    // T changes with M1, and with moving rows
    if (!eliminated || eq->moving_gradient) eliminate_impulses(w);
    eliminated = true;
    DM_TRY(solve_newton_step(w));

    // y and c keep the step while w->x is used otherwise
    memcpy(w->y, w->x, (size_t)w->n * sizeof *w->x);
    const bool tiny = is_tiny(w);
    double t, after = take_newton_step(w, off, tiny || !fresh, &t, info);

    // fast enough: keep the factor
    bool falls = after < off, rounding = tiny || off <= 1e2 * w->tol;
    if (after < 0.2 * off && !tiny) {
      fresh = false;
      continue;
    }

    // no decrease: undo the step; with a fresh factor stop, successfully if near rounding
    if (!falls) {
      move_unknowns(w, -t);
      if (!evaluate_residual(w, NULL, info)) return DM_NOT_FINITE;
      if (fresh && !rounding) return off <= 1e5 * w->tol ? DM_OK : DM_MAX_ITER;
    }
    if (rounding) return DM_OK;

    // too slow: factor again
    DM_TRY(factor_M1(w, info));
    fresh = true;
    eliminated = false;
  }
}

// -- the active set

// step 1: list the closed inequalities, with their rows at q_g if q_g is constant
static dm_status list_closed(dm_complementarity *w) {
  const dm_contact_equations *eq = &w->eq;

  // more than max_closed would be dependent: leave the others open
  w->nclosed = 0;
  for (int i = 0; i < eq->m; i++) {
    if (w->closed[i] && w->nclosed < w->max_closed) {
      w->closed_index[w->nclosed] = i;
      w->closed_number[w->nclosed++] = eq->which ? eq->which[i] : i;
    } else {
      w->closed[i] = false;
      w->lambda[i] = 0;
    }
  }

  // rows at q_g = x or q0
  if (w->nclosed == 0 || eq->moving_gradient) return DM_OK;
  const double *q = eq->linearized_at ? eq->linearized_at : eq->q0;
  return dm_gap_rows(&w->g, w->uni_scratch, q, w->nclosed, w->closed_number, w->g0, &w->G);
}

static const double slack = 1e-12; // smaller violations and negative impulses are ignored

// w->gaps [m]: g(q_c) - level of all participating inequalities
static dm_status evaluate_gaps(dm_complementarity *w) {
  const dm_contact_equations *eq = &w->eq;
  const dm_unilateral *g = &w->g;
  if (eq->linearized_at) {
    DM_TRY(dm_gap_rows(g, w->uni_scratch, eq->linearized_at, eq->m, eq->which, w->gaps,
                       &w->candidate_G));
    for (int i = 0; i < w->n; i++) w->x[i] = w->q[i] - eq->linearized_at[i];
    for (int i = 0; i < eq->m; i++) w->gaps[i] += dm_sparse_rows_inner(&w->candidate_G, i, w->x);
  } else {
    const double *q = place_between(w, eq->place, w->x);
    DM_TRY(g->rows(g->self, w->uni_scratch, q, eq->m, eq->which, w->gaps, NULL));
  }

  // the level of a slightly penetrating contact is its initial gap
  for (int i = 0; i < eq->m; i++) w->gaps[i] -= eq->level[i];
  return DM_OK;
}

// Step 3: count the inequalities of the wrong sign, closed with negative impulse or open and
// violated; deepest: largest violation relative to its scale.
static dm_status count_wrong(dm_complementarity *w, int *count, double *deepest,
                             dm_complementarity_info *info) {
  const dm_contact_equations *eq = &w->eq;
  *count = 0;
  *deepest = 0;
  if (eq->m == 0) return DM_OK;
  DM_TRY(evaluate_gaps(w));
  for (int i = 0; i < eq->m; i++) {
    int number = eq->which ? eq->which[i] : i;
    double depth = w->closed[i] ? 0 : -w->gaps[i] / w->g.scale[number] / size_of_gap(w, number);

    // an impulse times this length is comparable with the terms of the balance
    const double arm = w->g.scale[number] * (w->g.angle && w->g.angle[number] ? 1 : w->length);
    bool pulls = w->closed[i] && w->lambda[i] * arm < -10 * slack * w->terms;
    if (!pulls && !(depth > slack)) continue;
    ++*count;
    if (depth >= *deepest) {
      *deepest = depth;
      info->worst = number;
    }
  }
  return DM_OK;
}

// step 4: candidates are the closed and the violated inequalities, with rows at q_c; returns their
// number
static int list_candidates(dm_complementarity *w) {
  const dm_contact_equations *eq = &w->eq;

  // open with a positive gap: no impulse, stays open
  int k = 0;
  for (int i = 0; i < eq->m; i++) {
    if (!w->closed[i] && !(w->gaps[i] < 0)) continue;
    w->candidate[k] = i;
    w->candidate_number[k++] = eq->which ? eq->which[i] : i;
  }
  return k;
}

// the metric of step 4: -M1^-1 with the factors of place and share
static dm_status append_response(void *self, double t, const dm_sparse_rows *B, int i,
                                 dm_sparse_rows *out) {
  const dm_complementarity *w = self;
  const double share = w->eq.share * (w->eq.linearized_at ? 1 : w->eq.place);
  dm_diagonal_blocks_append(w->factors, -t * share, B, i, out);
  return DM_OK;
}

// w->y: the response W G'lambda of q1 to the current impulses of k candidates; returns the smallest
// negligible distance relative to a row's norm in W
static double respond_to_impulses(dm_complementarity *w, int k) {
  double least = INFINITY;
  memset(w->y, 0, (size_t)w->n * sizeof *w->y);
  for (int i = 0; i < k; i++) {
    const int number = w->candidate_number[i];
    const double none = slack * size_of_gap(w, number) * w->g.scale[number];
    const double length = w->rows->size[i], impulse = w->lambda[w->candidate[i]];
    if (length > 0 && none / length < least) least = none / length;
    w->T.m = 0;
    if (impulse != 0) append_response(w, 1, &w->candidate_G, i, &w->T);
    if (impulse != 0) dm_sparse_rows_add_to(&w->T, 0, impulse, w->y);
  }
  return isfinite(least) ? least : 0;
}

// Step 4: choose a new closed set by least squares for the constraints linearized at w->q, where
// the balance holds, in the metric -M1^-1 and under the equalities. Sets *changed if the set
// differs.
static dm_status choose_closed(dm_complementarity *w, bool *changed) {
  const dm_contact_equations *eq = &w->eq;
  const int n = w->n, k = list_candidates(w);
  const double *q = eq->linearized_at ? eq->linearized_at : place_between(w, eq->place, w->x);
  DM_TRY(dm_gap_rows(&w->g, w->uni_scratch, q, k, w->candidate_number, w->candidate_b,
                     &w->candidate_G));
  w->A.m = 0;
  for (int i = 0; i < w->nc; i++) dm_sparse_rows_append_dense(&w->A, w->A1 + i * n);
  dm_row_problem x = {.metric = append_response,
                      .self = w,
                      .A = &w->A,
                      .c = w->c,
                      .G = &w->candidate_G,
                      .b = w->candidate_b};
  DM_TRY(dm_row_impulses_measure(w->rows, &x));
  x.tol = respond_to_impulses(w, k);

  // gaps without the current impulses; a guess: closed, unless it pulls, or violated
  for (int i = 0; i < w->nc; i++) w->c[i] = -dm_sparse_rows_inner(&w->A, i, w->y);
  for (int i = 0; i < k; i++) {
    const int at = w->candidate[i];
    w->candidate_b[i] = w->gaps[at] - dm_sparse_rows_inner(&w->candidate_G, i, w->y);
    w->candidate_in[i] = !w->closed[at] || w->lambda[at] > 0;
  }
  DM_TRY(dm_row_impulses_solve(w->rows, &x, w->candidate_in, w->candidate_lambda));

  // inequalities with an impulse are closed
  *changed = false;
  for (int i = 0; i < k; i++) {
    bool closed = w->candidate_lambda[i] > 0;
    *changed |= closed != w->closed[w->candidate[i]];
    w->closed[w->candidate[i]] = closed;
    w->lambda[w->candidate[i]] = w->candidate_lambda[i];
  }
  return DM_OK;
}

dm_status dm_complementarity_solve(dm_complementarity *w, const dm_contact_equations *eq,
                                   dm_complementarity_info *info) {
  enum { ROUNDS = 20 };
  *info = (dm_complementarity_info){.worst = -1};
  w->eq = *eq;

  // w->size at q0; a coordinate of unknown kind counts as both
  double most[2] = {0};
  for (int i = 0; i < w->n; i++)
    most[is_length(w, i)] = larger(most[is_length(w, i)], fabs(eq->q0[i]));
  w->size[0] = 1 + most[0];
  w->size[1] = w->length + (w->s.length ? most[1] : most[0]);

  memset(w->lambda, 0, (size_t)eq->m * sizeof *w->lambda);
  if (w->nc) DM_TRY(w->s.hol.eval(w->s.hol.self, w->hol_scratch, eq->q0, w->a, w->A0));

  for (;;) {
    int count;
    double deepest;
    bool changed;

    // 1, 2  solve with the closed set; if it is dependent or far from the solution, with the empty
    // set
    DM_TRY(list_closed(w));
    dm_status status = solve_closed_set(w, info);
    if (status != DM_OK && w->nclosed > 0 && info->changes < ROUNDS) {
      memset(w->closed, 0, (size_t)eq->m * sizeof *w->closed);
      DM_TRY(list_closed(w));
      status = solve_closed_set(w, info);
    }
    if (status != DM_OK) return status;

    // 3, 4  change the set if an inequality has the wrong sign
    DM_TRY(count_wrong(w, &count, &deepest, info));
    if (count > 0 && info->changes++ == ROUNDS) return DM_MAX_ITER;
    if (count > 0) DM_TRY(choose_closed(w, &changed));
    if (count > 0 && changed) continue;

    // 5  the remaining violations depend on the closed set: only curvature causes them
    double way = 0;
    for (int i = 0; i < w->n; i++)
      way = larger(way, fabs(w->q[i] - eq->q0[i]) / w->size[is_length(w, i)]);
    if (deepest > 1e-9 + 1e-2 * way) return DM_MAX_ITER;
    info->worst = -1;
    return DM_OK;
  }
}

void dm_complementarity_momentum(const dm_complementarity *w, double *p1) {
  // D2 + r: the residual of this step's balance is carried on to the next step
  for (int i = 0; i < w->n; i++) p1[i] = w->d->D2[i] + w->r[i];
}

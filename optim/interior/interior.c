#include "optim/interior/interior.h"

#include "optim/interior/interior_start.h"
#include "optim/interior/quadratic_step.h"
#include "optim/interior/reduced_hessian.h"
#include "optim/interior/restoration.h"
#include "optim/nlp/best_point.h"
#include "optim/nlp/optimality.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Initialization of a solve.
typedef struct beginning {
  double mu;            // the barrier parameter
  double largest_shift; // limit of the Hessian's shift; 0: none
  bool spared;          // inputs are excluded from the shift
} beginning;

// near a solution; cold; after the shift has grown without bound; after a failure: closer to the
// bounds, on another path
static const beginning WARM = {1e-8, 0, false};
static const beginning COLD = {0.1, 1e6, false};
static const beginning SPARED = {0.1, 0, true};
static const beginning CLOSER = {0.01, 0, false};

static const double COLD_PUSH = 1e-2, WARM_PUSH = 1e-9;           // bound_push, bound_frac
static const double LARGEST_RISE = 1e4;                           // theta_max_fact
static const double BARELY_INFEASIBLE = 100, MORE_PRECISE = 1e-2; // of the tolerance
static const double FALLS = 0.5, RISES = 10;                      // of the error, by each model
static const double RAISED_MU = 1e-3;       // from a point whose models do not converge
static const double ALMOST_FEASIBLE = 1e-2; // relative to the tolerance: nothing to restore

typedef struct oc_interior interior;

// -- set-up

static int longest_walk(const oc_nlp *nlp) {
  return nlp->jac_nnz > nlp->hess_nnz ? nlp->jac_nnz : nlp->hess_nnz;
}

static void lay_out_interior(void *self, dm_block *b) {
  interior *w = self;
  size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m, walk = (size_t)longest_walk(w->nlp);

  // both programs, and the stored points
  oc_barrier_lay_out(&w->own.b, b);
  oc_line_search_lay_out(&w->own.search, &w->own.b.form, b);
  oc_barrier_lay_out(&w->restoration.b, b);
  oc_line_search_lay_out(&w->restoration.search, &w->restoration.b.form, b);
  oc_sparse_sum_lay_out(&w->jac, b);
  oc_sparse_sum_lay_out(&w->hess, b);
  double **of_x[] = {&w->x_best, &w->out.x,    &w->out.z_l, &w->out.z_u,
                     &w->kept.x, &w->kept.z_l, &w->kept.z_u};
  for (int i = 0; i < 7; i++) *of_x[i] = dm_block_alloc(b, n, sizeof(double));
  w->out.lambda = dm_block_alloc(b, m, sizeof(double));
  w->kept.lambda = dm_block_alloc(b, m, sizeof(double));
  w->g = dm_block_alloc(b, m, sizeof(double));

  // patterns, and positions of the stages
  w->row = dm_block_alloc(b, walk, sizeof(int));
  w->col = dm_block_alloc(b, walk, sizeof(int));
  w->has_slack = dm_block_alloc(b, m, sizeof(bool));
  w->knot = dm_block_alloc(b, n, sizeof(int));
  w->own_row = dm_block_alloc(b, n, sizeof(int));
  w->first = dm_block_alloc(b, (n > m ? n : m) + 1, sizeof(int));
  w->order = dm_block_alloc(b, walk, sizeof(int));
}

// patterns of Jacobian and Hessian by the free variables
static dm_status find_patterns(interior *w) {
  const oc_nlp *nlp = w->nlp;
  const oc_equality_form *f = &w->own.b.form;
  // x_best temporarily contains the index of each free variable, -1 if fixed
  double *number = w->x_best;
  for (int j = 0; j < nlp->n; j++) number[j] = -1;
  for (int j = 0; j < f->n; j++) number[f->free[j]] = j;

  oc_triplets jac = {w->row, w->col, NULL, 0};
  DM_TRY(nlp->jac(nlp->self, NULL, &jac));
  for (int e = 0; e < jac.n; e++) w->col[e] = (int)number[w->col[e]];
  oc_sparse_sum_find(&w->jac, w->row, w->col, f->m, w->first, w->order);

  oc_triplets hess = {w->row, w->col, NULL, 0};
  DM_TRY(nlp->hess(nlp->self, NULL, 1, NULL, &hess));
  for (int e = 0; e < hess.n; e++) {
    w->row[e] = (int)number[w->row[e]];
    w->col[e] = (int)number[w->col[e]];
  }
  oc_sparse_sum_find(&w->hess, w->row, w->col, f->n, w->first, w->order);

  // knots of the free variables, rows with a slack
  for (int j = 0; nlp->knot && j < f->n; j++) w->knot[j] = nlp->knot(nlp->self, f->free[j]);
  for (int i = 0; i < f->ns; i++) w->has_slack[f->row[i]] = true;
  for (int j = 0; nlp->own_row && j < f->n; j++)
    w->own_row[j] = nlp->own_row(nlp->self, f->free[j]);
  const oc_stage_pattern p = {.n = f->n,
                              .m = f->m,
                              .hess = &w->hess,
                              .jac = &w->jac,
                              .knot = nlp->knot ? w->knot : NULL,
                              .has_slack = w->has_slack,
                              .own_row = nlp->own_row ? w->own_row : NULL};
  DM_TRY(oc_stage_kkt_new(&w->kkt, &p));
  w->kkt->deadline = &w->deadline;
  return DM_OK;
}

// patterns, factors and settings shared by both programs
static void join_phase(interior *w, oc_phase *p) {
  const oc_options *set = w->set;
  p->b.form.seconds = &w->info->derivatives_s;
  p->b.flat = set->program.flat;
  p->tol = set->tol;
  p->acceptable_tol = fmax(1e-6, set->program.rounding);
  p->rounding = set->program.rounding;
  p->iteration = &w->iteration;
  p->user = w;
}

// -- the start

static dm_status start_cold(interior *w) {
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  for (int i = 0; i < f->nv; i++) {
    b->z_l[i] = f->low[i] > -INFINITY;
    b->z_u[i] = f->high[i] < INFINITY;
  }
  DM_TRY(oc_barrier_evaluate(b));
  return oc_barrier_multipliers(b);
}

// start at a point without its multipliers
static dm_status start_at_variables(interior *w, const oc_point *from, double mu) {
  oc_barrier *b = &w->own.b;
  DM_TRY(oc_interior_load_variables(w, from, COLD_PUSH));
  b->mu = mu;
  DM_TRY(start_cold(w));
  DM_TRY(oc_barrier_evaluate(b));
  oc_barrier_set_mu(b, mu);
  return DM_OK;
}

static dm_status start_iterate(interior *w, const oc_point *from, double mu) {
  const double given = w->set->program.mu;
  if (w->set->program.warm && w->set->program.models)
    DM_TRY(oc_interior_load_point(w, from, given));
  else if (w->set->program.warm)
    DM_TRY(oc_interior_load_off_bounds(w, from, given > 0 ? given : mu, WARM_PUSH));
  else
    DM_TRY(start_at_variables(w, from, mu));
  oc_line_search_start(&w->own.search, w->own.b.theta, LARGEST_RISE);
  return DM_OK;
}

// -- at each iterate

// record the iterate, call the caller's function, check the deadline
static oc_phase_end tell_iterate(interior *w, const oc_phase *p, double violation) {
  oc_iterate it = {w->iteration, w->f_last,       violation,   p->error.dual,
                   p->b.mu,      p->search.alpha, p->b.shift.w};
  if (w->record && w->info->rows < w->room) w->record[w->info->rows++] = it;
  w->info->iterations = w->iteration;
  if (w->hooks && w->hooks->watch && !w->hooks->watch(w->hooks->user, &it))
    w->stop = DM_INTERRUPTED;
  if (w->stop == DM_OK) w->stop = oc_deadline_ask(&w->deadline);
  return w->stop == DM_OK ? OC_PHASE_GOING : OC_PHASE_STOPPED;
}

static oc_phase_end own_arrived(void *user, oc_phase *p) {
  interior *w = user;
  const oc_equality_form *f = &p->b.form;
  const double violation = oc_phase_violation(p);
  w->f_last = p->b.F / f->f_scale;
  if (oc_is_better_point(w->f_last, violation, w->f_best, w->v_best)) {
    memcpy(w->x_best, f->x, (size_t)w->nlp->n * sizeof *w->x_best);
    w->f_best = w->f_last;
    w->v_best = violation;
  }
  return tell_iterate(w, p, violation);
}

static oc_phase_end restoration_arrived(void *user, oc_phase *p) {
  interior *w = user;
  oc_phase_end end = tell_iterate(w, p, oc_restoration_violation(p));
  if (end != OC_PHASE_GOING) return end;
  // end of this phase, return to the other
  return oc_restoration_is_done(p, &w->own) ? OC_PHASE_STOPPED : OC_PHASE_GOING;
}

// no step in the restoration: recompute p and n, or stop
static oc_phase_end restoration_rescue(void *user, oc_phase *p) {
  (void)user;
  return oc_restoration_relax(p) ? OC_PHASE_GOING : OC_PHASE_STALLED;
}

// meaning of the restoration's end for the task
static oc_phase_end judge_restoration(interior *w, oc_phase_end end) {
  oc_phase *own = &w->own, *r = &w->restoration;
  double violation = oc_restoration_violation(r);
  if (end == OC_PHASE_STOPPED && w->stop != DM_OK) return end;
  if (end == OC_PHASE_STOPPED) {
    oc_restoration_return(own);
    return OC_PHASE_GOING;
  }
  own->status = r->status;
  if (end == OC_PHASE_LIMIT || end == OC_PHASE_FAILED) return end;
  // use its result if it has a smaller violation
  if (violation < oc_phase_violation(own)) {
    memcpy(own->b.v, r->b.v, (size_t)own->b.form.nv * sizeof *own->b.v);
    own->b.known = false;
  }
  if (violation <= OC_FEASIBLE) return OC_PHASE_STALLED;
  return end == OC_PHASE_STALLED ? end : OC_PHASE_INFEASIBLE;
}

// store the deadline as the reason of an end
static oc_phase_end note_stop(interior *w, oc_phase_end end) {
  if (end == OC_PHASE_STOPPED && w->stop == DM_OK) w->stop = oc_deadline_ask(&w->deadline);
  return end;
}

static oc_phase_end run_phase(interior *w, oc_phase *p) {
  return note_stop(w, oc_phase_run(p));
}

// Sequential quadratic programming from an iterate near a solution, with full steps. It ends if an
// error is far above the last one, or if two in succession are not half of the smallest.
static oc_phase_end follow_models(interior *w) {
  oc_phase *own = &w->own;
  double least = INFINITY;
  int waits = 0;
  oc_phase_end end = OC_PHASE_SOLVED;
  while (end == OC_PHASE_SOLVED) {
    own->status = oc_barrier_evaluate(&own->b);
    if (own->status < 0) return oc_phase_end_of(own->status);
    end = oc_phase_judge(own);
    if (end != OC_PHASE_GOING) return end;
    // solved to the rounding of its gradient
    const bool rounded = fmax(own->error.dual, own->b.mu) <= own->rounding;
    if (own->in_row > 0 && rounded) return OC_PHASE_ACCEPTABLE;
    const double error = own->error.total;
    waits = error < FALLS * least ? 0 : waits + 1;
    if (waits > 1 || error > RISES * least) return OC_PHASE_STALLED;
    least = fmin(least, error);
    ++w->iteration;
    end = oc_quadratic_solve(own);
  }
  return end;
}

static oc_phase_end own_rescue(void *user, oc_phase *p) {
  interior *w = user;
  // a feasible point cannot be restored
  if (oc_phase_violation(p) <= ALMOST_FEASIBLE * p->tol) return OC_PHASE_STALLED;
  oc_filter_add(&p->search.filter, p->b.theta, p->b.phi);
  p->status = oc_restoration_start(&w->restoration, p);
  if (p->status < 0) return note_stop(w, oc_phase_end_of(p->status));

  // run the restoration; a nearly feasible minimum is solved more accurately
  oc_phase *r = &w->restoration;
  oc_phase_end end = run_phase(w, r);
  if ((end == OC_PHASE_SOLVED || end == OC_PHASE_ACCEPTABLE) &&
      oc_restoration_violation(r) <= BARELY_INFEASIBLE * r->tol) {
    r->tol *= MORE_PRECISE;
    end = run_phase(w, r);
  }
  return judge_restoration(w, end);
}

// -- the outcome

static const struct outcome_row {
  dm_status status;
  const char *name;
} outcome_rows[] = {
    [OC_PHASE_GOING] = {DM_FAULT, "Internal_Error"},
    [OC_PHASE_SOLVED] = {DM_OK, "Solve_Succeeded"},
    [OC_PHASE_ACCEPTABLE] = {DM_STALLED, "Solved_To_Acceptable_Level"},
    [OC_PHASE_INFEASIBLE] = {DM_INFEASIBLE, "Infeasible_Problem_Detected"},
    [OC_PHASE_TINY] = {DM_STALLED, "Search_Direction_Becomes_Too_Small"},
    [OC_PHASE_SHIFTED] = {DM_STALLED, "Hessian_Shift_Too_Large"},
    [OC_PHASE_STALLED] = {DM_STALLED, "Restoration_Failed"},
    [OC_PHASE_LIMIT] = {DM_MAX_ITER, "Maximum_Iterations_Exceeded"},
    [OC_PHASE_STOPPED] = {DM_INTERRUPTED, "User_Requested_Stop"},
    [OC_PHASE_FAILED] = {DM_NOT_FINITE, "Invalid_Number_Detected"},
};

static double clip_number(double x, double low, double high) {
  return fmin(fmax(x, low), high);
}

// objective and violation of a point; false: not available
static bool measure_outcome(interior *w, double *f, double *v) {
  const oc_nlp *nlp = w->nlp;
  if (nlp->f(nlp->self, w->out.x, f) < 0 || nlp->g(nlp->self, w->out.x, w->g) < 0) return false;
  *v = oc_row_violation(nlp, w->g);
  return isfinite(*f) && isfinite(*v);
}

// the better of the last iterate and the best point
static bool settle_point(interior *w, dm_status s) {
  double f = NAN, v = NAN;
  bool good = measure_outcome(w, &f, &v);
  bool done = s == DM_OK || s == DM_ACCEPTABLE;
  if (!done && w->v_best < INFINITY && (!good || oc_is_better_point(w->f_best, w->v_best, f, v))) {
    memcpy(w->out.x, w->x_best, (size_t)w->nlp->n * sizeof *w->x_best);
    good = measure_outcome(w, &f, &v);
  }
  if (!good) return false;
  w->info->objective = f;
  w->info->max_violation = fmax(v, oc_bound_violation(w->nlp, w->out.x));
  return true;
}

// the final status, from the point
static dm_status settle_outcome(interior *w, oc_phase_end end) {
  // status and name of the outcome
  dm_status s = outcome_rows[end].status;
  const char *name = outcome_rows[end].name;
  if (end == OC_PHASE_FAILED) s = w->own.status;
  if (end == OC_PHASE_STOPPED) s = w->stop;
  if (end == OC_PHASE_STOPPED && s == DM_MAX_ITER) name = "Maximum_Time_Exceeded";
  snprintf(w->info->detail, sizeof w->info->detail, "%s", name);

  const double left = fmax(w->own.error.dual, w->own.b.mu);
  oc_optimality o;

  // write the iterate in the program's units, within its bounds
  const oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  const oc_nlp *nlp = w->nlp;
  memcpy(w->out.x, f->x, (size_t)nlp->n * sizeof *w->out.x);
  for (int j = 0; j < f->n; j++) {
    int i = f->free[j];
    w->out.x[i] = clip_number(b->v[j], nlp->x_min[i], nlp->x_max[i]);
    w->out.z_l[i] = b->z_l[j] / f->f_scale;
    w->out.z_u[i] = b->z_u[j] / f->f_scale;
  }
  for (int i = 0; i < f->m; i++) w->out.lambda[i] = b->y[i] * f->scale[i] / f->f_scale;

  // a stalled solve may be optimal to six digits, or to rounding
  if (s == DM_STALLED && oc_optimality_measure(w->nlp, &w->out, &o) == DM_OK &&
      oc_optimality_accept(&o, w->set->tol))
    s = DM_ACCEPTABLE;
  if (!settle_point(w, s)) return s < 0 ? s : DM_NOT_FINITE;
  if ((s == DM_STALLED || s == DM_ACCEPTABLE) && left <= w->set->program.rounding) s = DM_OK;

  // check the unscaled violation
  if (s == DM_OK && w->info->max_violation > 2 * w->set->tol) s = DM_STALLED;
  if (s == DM_INFEASIBLE && w->info->max_violation <= OC_FEASIBLE) s = DM_STALLED;
  return s;
}

static void return_point(interior *w, dm_status s, oc_point *point) {
  if (!isfinite(w->info->max_violation)) return;
  const oc_triplets walk = {w->row, w->col, w->jac.walk, 0};
  w->info->worst_row = oc_worst_row_in(w->nlp, w->out.x, w->g, walk, w->own.b.form.full);
  if (s < 0 && !(s == DM_NOT_FINITE && w->v_best < INFINITY)) return;
  oc_point_copy(w->nlp, &w->out, point);
}

// -- the runs

// evaluations observe the deadline, or (NULL) always finish
static void heed_deadline(const interior *w, oc_deadline *deadline) {
  if (w->nlp->heed) w->nlp->heed(w->nlp->self, deadline);
}

// From a point near a solution: by models. If they do not converge, its multipliers mislead: with them the Hessian
// may need shifts that grow without bound. Then by the barrier method from its variables alone.
static oc_phase_end run_near(interior *w, const oc_point *from) {
  oc_phase *own = &w->own;
  const oc_phase_end end = note_stop(w, follow_models(w));
  if (end == OC_PHASE_SOLVED || end == OC_PHASE_ACCEPTABLE) return end;
  if (end == OC_PHASE_STOPPED || end == OC_PHASE_LIMIT) return end;
  own->b.shift = (oc_regularization){0};
  own->in_row = 0;
  own->fresh = true;
  own->largest_shift = COLD.largest_shift;
  own->status = start_at_variables(w, from, RAISED_MU);
  if (own->status < 0) return OC_PHASE_FAILED;
  oc_line_search_start(&own->search, own->b.theta, LARGEST_RISE);
  return run_phase(w, own);
}

// one solve from a point; the first and last point are evaluated even after the deadline
static dm_status run_phases(interior *w, const oc_point *from, const beginning *as) {
  oc_phase *own = &w->own;
  // 1. initialize the iterate
  oc_equality_form_fill(&own->b.form);
  own->b.shift = (oc_regularization){0};
  own->b.spared = as->spared;
  own->largest_shift = as->largest_shift;
  own->b.known = false;
  own->in_row = 0;
  w->iteration = w->info->rows = 0;
  own->max_iter = w->restoration.max_iter = w->set->max_iter - w->info->spent;
  own->status = start_iterate(w, from, as->mu);
  // 2. iterate until the deadline
  heed_deadline(w, &w->deadline);
  if (own->status < 0)
    w->end = OC_PHASE_FAILED;
  else if (as == &WARM && w->set->program.models && w->set->program.mu == 0)
    w->end = run_near(w, from);
  else
    w->end = run_phase(w, own);
  heed_deadline(w, NULL);
  w->info->spent += w->iteration;
  return settle_outcome(w, w->end);
}

// Repeat a failed solve with another initialization. If that fails as well, the first outcome is
// returned, unless it was cut short.
static dm_status run_again(interior *w, const oc_point *from, const beginning *as,
                           dm_status failed) {
  oc_ipopt_info *info = w->info;
  const oc_ipopt_info first = *info;
  const bool cut_short = w->end == OC_PHASE_SHIFTED;
  oc_point_copy(w->nlp, &w->out, &w->kept);
  dm_status s = run_phases(w, from, as);
  if (s == DM_OK || s == DM_ACCEPTABLE || w->stop != DM_OK) return s;

  // the better point
  if (!oc_is_better_point(info->objective, info->max_violation, first.objective,
                          first.max_violation)) {
    oc_point_copy(w->nlp, &w->kept, &w->out);
    info->objective = first.objective;
    info->max_violation = first.max_violation;
    w->nlp->g(w->nlp->self, w->out.x, w->g);
  }
  // and the message of the run that was not cut short
  if (cut_short) return s;
  memcpy(info->detail, first.detail, sizeof info->detail);
  return failed;
}

// Check whether the last iterate is a minimum; unknown after the deadline. Returns DM_INTERRUPTED
// if the caller stops the solve.
static dm_status measure_inertia(interior *w) {
  oc_barrier *b = &w->own.b;
  double curvature;
  if (w->end != OC_PHASE_SOLVED && oc_barrier_evaluate(b) < 0) return DM_OK;
  oc_reduced_hessian_measure(b, &w->info->inertia, &curvature);
  return w->deadline.over == DM_INTERRUPTED ? DM_INTERRUPTED : DM_OK;
}

static dm_status solve_program(interior *w, oc_point *point) {
  // 1. shared data and callbacks
  join_phase(w, &w->own);
  join_phase(w, &w->restoration);
  w->own.arrived = own_arrived;
  w->own.rescue = own_rescue;
  w->restoration.arrived = restoration_arrived;
  w->restoration.rescue = restoration_rescue;

  // 2. up to three solves with different initializations
  const oc_beginnings which = w->set->program.beginnings;
  const beginning *as = w->set->program.warm ? &WARM : which == OC_BEGIN_OTHERS ? &CLOSER : &COLD;
  dm_status s = run_phases(w, point, as);
  if (w->end == OC_PHASE_SHIFTED) s = run_again(w, point, &SPARED, s);
  const bool failed = s == DM_INFEASIBLE || s == DM_STALLED;
  if (!w->set->program.warm && which == OC_BEGIN_ALL && failed && w->info->spent < w->set->max_iter)
    s = run_again(w, point, &CLOSER, s);
  // 3. the result and its inertia
  return_point(w, s, point);
  if ((s != DM_OK && s != DM_ACCEPTABLE) || w->set->program.mu > 0) return s;
  return measure_inertia(w) == DM_INTERRUPTED ? DM_INTERRUPTED : s;
}

dm_status oc_interior_new(oc_interior **out, const oc_nlp *nlp) {
  assert(out && nlp);
  *out = NULL;
  // one allocation for both programs
  interior sizes = {.nlp = nlp};
  oc_equality_form_count(&sizes.own.b.form, nlp, false);
  oc_equality_form_count(&sizes.restoration.b.form, nlp, true);
  sizes.jac.raw = nlp->jac_nnz;
  sizes.hess.raw = nlp->hess_nnz;
  sizes.jac.rows = nlp->m;
  sizes.hess.rows = nlp->n;
  interior *w = dm_block_make(&sizes, sizeof sizes, lay_out_interior);
  if (!w) return DM_NO_MEMORY;

  // patterns and factors
  oc_equality_form_fill(&w->own.b.form);
  const dm_status s = find_patterns(w);
  oc_barrier *both[] = {&w->own.b, &w->restoration.b};
  for (int i = 0; i < 2; i++) {
    both[i]->form.jac = &w->jac;
    both[i]->form.hess = &w->hess;
    both[i]->kkt = w->kkt;
  }
  if (s == DM_OK)
    *out = w;
  else
    oc_interior_free(w);
  return s;
}

void oc_interior_free(oc_interior *w) {
  if (!w) return;
  oc_stage_kkt_free(w->kkt);
  dm_block_free(w);
}

// arguments and deadline of a run
static void begin_run(interior *w, const oc_options *set, const oc_hooks *hooks,
                      oc_ipopt_info *info) {
  w->set = set;
  w->hooks = hooks;
  w->info = info;
  w->record = NULL;
  w->room = 0;
  w->stop = DM_OK;
  w->f_best = w->v_best = INFINITY;
  w->start = oc_clock();
  w->deadline = (oc_deadline){.until = w->start + set->max_time};
  if (hooks) {
    w->deadline.stop = hooks->stop;
    w->deadline.user = hooks->user;
  }
  w->kkt->factorizations = w->kkt->by_ldl = 0;
}

dm_status oc_interior_run(oc_interior *w, const oc_options *set, const oc_hooks *hooks,
                          oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info) {
  assert(w && set && point && info && room >= 0);
  *info =
      (oc_ipopt_info){.worst_row = -1, .objective = NAN, .max_violation = NAN, .solver = "stages"};
  if (!(set->tol > 0)) return info->status = DM_BAD_INPUT;
  begin_run(w, set, hooks, info);
  w->record = record;
  w->room = room;

  // solve, and statistics
  const dm_status s = solve_program(w, point);
  info->total_s = oc_clock() - w->start;
  info->factorizations = w->kkt->factorizations;
  info->by_ldl = w->kkt->by_ldl;
  return info->status = s;
}

dm_status oc_interior_solve(const oc_nlp *nlp, const oc_options *set, const oc_hooks *hooks,
                            oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info) {
  const double start = oc_clock();
  oc_interior *w;
  const dm_status made = oc_interior_new(&w, nlp);
  if (made != DM_OK) {
    *info = (oc_ipopt_info){.status = made, .worst_row = -1, .objective = NAN};
    info->max_violation = NAN;
    info->solver = "stages";
    return made;
  }
  const dm_status s = oc_interior_run(w, set, hooks, point, record, room, info);
  info->total_s = oc_clock() - start;
  oc_interior_free(w);
  return s;
}

// -- points of other solvers

static dm_status measure_point(interior *w, const oc_point *at, double *direction) {
  oc_barrier *b = &w->own.b;
  const oc_equality_form *f = &b->form;
  // 1. the program at the point
  oc_equality_form_fill(&b->form);
  join_phase(w, &w->own);
  DM_TRY(oc_interior_load_point(w, at, 0));
  double curvature = 0, largest = 0;
  // 2. inertia of the reduced Hessian
  const dm_status s = oc_reduced_hessian_measure(b, &w->info->inertia, &curvature);
  if (s != DM_OK || !direction) return s;
  // 3. the direction at a saddle
  memset(direction, 0, (size_t)w->nlp->n * sizeof *direction);
  if (w->info->inertia.kind != OC_INERTIA_SADDLE) return s;
  for (int j = 0; j < f->n; j++) largest = fmax(largest, fabs(b->dv[j]));
  const double by = b->F != 0 ? sqrt(-2 * fabs(b->F) / curvature) : 1 / largest;
  for (int j = 0; j < f->n; j++) direction[f->free[j]] = by * b->dv[j];
  return s;
}

dm_status oc_interior_inertia(const oc_nlp *nlp, const oc_options *set, const oc_hooks *hooks,
                              const oc_point *at, oc_inertia *out, double *direction) {
  assert(nlp && set && at && out);
  oc_ipopt_info info = {.status = DM_OK};
  *out = (oc_inertia){.kind = OC_INERTIA_UNKNOWN};
  oc_interior *w;
  DM_TRY(oc_interior_new(&w, nlp));
  begin_run(w, set, hooks, &info);
  const dm_status s = measure_point(w, at, direction);
  *out = info.inertia;
  oc_interior_free(w);
  return s;
}

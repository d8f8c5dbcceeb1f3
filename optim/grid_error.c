#include "optim/grid_error.h"

#include "optim/contact_error.h"
#include "optim/contact_programs.h"
#include "optim/program/prolong.h"
#include "optim/residual_error.h"

#include <assert.h>
#include <math.h>

enum { SMALL = 8, LITTLE = 30 }; // a grid with fewer steps is not halved; a few iterations
// tolerance of the order: for order 2, differences fall by 2.5 to 6.5
static const double ORDER = 0.7;
static const double ROUNDING = 1e-7; // smaller relative differences do not determine an order
static const double AGREE = 1.5;     // ratio of two estimates of one error
static const double ELSEWHERE = 4;   // times all estimates: a different optimum

// A solution on another grid, and its results.
typedef struct compared {
  oc_steps_by by;
  oc_solution *w; // NULL: no solution
  dm_status status;
  int steps;
  double part;  // the fraction of J_N - J_M that is the error: 1 / ((N/M)^p - 1)
  double error; // J_N - J; NAN: unknown
} compared;

// Data shared by all comparisons.
typedef struct comparison {
  const oc_solution *w;
  oc_motions x;
  int most;     // iterations
  double order; // p of the rule
} comparison;

static bool is_found(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// can all grids be divided, and do they have at least `least` steps?
static bool can_divide(oc_motions x, int by, int least) {
  for (int i = 0; i < x.n; i++)
    if (x.x[i]->N % by != 0 || x.x[i]->N < least) return false;
  return true;
}

// The iterations of the solution, plus a few: a search on another grid is short, or leads elsewhere.
static int limit_iterations(const comparison *c) {
  const int share = c->w->info.iterations + LITTLE;
  const int most = c->most > 0 ? c->most : share;
  return most < c->w->set.options.max_iter ? most : c->w->set.options.max_iter;
}

// The order of a rule: 2 if it and its forces are symmetric in time, otherwise 1.
static double find_rule_order(const dm_rule *rule) {
  double middle = 0;
  for (int i = 0; i < rule->points; i++) middle += rule->weight[i] * rule->at[i];
  return fabs(middle - 0.5) < 1e-9 && rule->left == 0.5 ? 2 : 1;
}

// -- states at knots

// the largest difference of rows k a of x and k b of y, with n numbers each, for k = 0..count
static double find_largest(const double *x, int a, const double *y, int b, int n, int count,
                           int *coord, int *knot) {
  double most = -1;
  for (int k = 0; k <= count; k++)
    for (int i = 0; i < n; i++) {
      const double d = fabs(x[(size_t)(k * a * n + i)] - y[(size_t)(k * b * n + i)]);
      if (d <= most) continue;
      most = d;
      *coord = i;
      *knot = k * a;
    }
  return most;
}

// the largest difference of positions of two solutions at the knots of the coarsest grid
static double find_distance(oc_motions x, oc_motions y, oc_motions coarsest) {
  double most = 0;
  for (int p = 0; p < x.n; p++) {
    const int knots = coarsest.x[p]->N;
    int coord, knot;
    most = fmax(most, find_largest(x.x[p]->q, x.x[p]->N / knots, y.x[p]->q, y.x[p]->N / knots,
                                   x.x[p]->n, knots, &coord, &knot));
  }
  return most;
}

// the largest change of a position since the first knot
static double find_way(oc_motions x) {
  double most = 0;
  for (int p = 0; p < x.n; p++)
    for (int i = x.x[p]->n; i < (x.x[p]->N + 1) * x.x[p]->n; i++)
      most = fmax(most, fabs(x.x[p]->q[i] - x.x[p]->q[i % x.x[p]->n]));
  return most;
}

static double sum_times(oc_motions x) {
  double T = 0;
  for (int i = 0; i < x.n; i++) T += x.x[i]->N * x.x[i]->h;
  return T;
}

// compare the final time and the states with another grid
static void compare_motions(oc_grid_error *e, const comparison *c, const compared *with) {
  const oc_motions y = oc_motions_of(with->w);
  const double T = sum_times(c->x), other = sum_times(y);

  bool free = c->w->task.time.free;
  for (int i = 0; i < c->w->phased.n; i++) free |= c->w->phased.task[i]->time.free;
  if (free) {
    e->T = T + (T - other) * with->part;
    e->T_error = fabs(e->T - T);
  }

  // the largest differences of the phases' states at the common knots of both grids
  const oc_motions x = c->x;
  const double part = with->part;
  e->q_error = e->v_error = -1;
  for (int p = 0; p < x.n; p++) {
    const dm_trajectory *u = x.x[p], *w = y.x[p];
    const int a = u->N > w->N ? 2 : 1, b = u->N > w->N ? 1 : 2;
    const int count = u->N > w->N ? w->N : u->N;
    int coord = 0, knot = 0;
    const double q = fabs(part) * find_largest(u->q, a, w->q, b, u->n, count, &coord, &knot);
    if (q > e->q_error) {
      e->q_error = q;
      e->coord = coord;
      e->knot = knot;
      e->phase = p;
    }
    const double v = fabs(part) * find_largest(u->v, a, w->v, b, u->n, count, &coord, &knot);
    if (v > e->v_error) {
      e->v_error = v;
      e->v_coord = coord;
      e->v_knot = knot;
      e->v_phase = p;
    }
  }
}

// -- other grids

// a solution on these grids, starting from the given solution with its multipliers
static dm_status begin_on_grids(oc_solution **out, const comparison *c, const oc_other_grids *g,
                                const oc_setup *set) {
  const oc_solution *w = c->w;
  if (!w->phases) {
    DM_TRY(oc_solution_new(out, g->task[0], set, NULL));
    const dm_status s = oc_solution_start(*out, c->x.x[0]);
    if (s >= 0 && w->first)
      oc_transcription_prolong(w->first, &w->point, (*out)->first, &(*out)->point);
    return s;
  }
  oc_phases_task phased = w->phased;
  phased.task = g->task;
  DM_TRY(oc_solution_of_phases(out, &phased, set, NULL));
  const dm_status s = oc_solution_start_phases(*out, NULL);
  if (s >= 0) oc_phases_prolong(w->phases, &w->point, (*out)->phases, &(*out)->point);
  return s;
}

// Solve the task on a grid with other steps, from the solution and its multipliers, and compare objectives; the
// effort is added to e. Returns DM_OK or DM_NO_MEMORY; with->w must be freed, and is NULL if there is no motion.
static dm_status compare_grid(compared *with, oc_grid_error *e, const comparison *c,
                              oc_steps_by by) {
  const oc_solution *w = c->w;
  oc_other_grids grids;
  oc_solution *other = NULL;
  oc_setup set = {.options = w->set.options, .hooks = w->set.hooks};
  *with = (compared){.by = by, .steps = oc_other_grids_steps(c->x, by), .error = NAN};
  with->part = 1 / (pow((double)by.over / by.times, c->order) - 1);

  // with the stage solver, or Newton's method if that found the solution; from this point only
  set.second = w->set.second;
  set.options.method = w->newton ? OC_SOLVER_AUTO : OC_SOLVER_STAGE;
  set.options.only_guess = true;
  set.options.max_iter = limit_iterations(c);
  set.options.max_time -= w->info.total_s;
  dm_status s = oc_other_grids_make(&grids, w, c->x, by);
  if (s == DM_OK) s = begin_on_grids(&other, c, &grids, &set);
  if (s >= 0) {
    other->warm = !w->second; // multipliers of second order are not transferred
    s = oc_solution_find(other, NULL);
  }
  oc_other_grids_free(&grids);
  with->status = s;
  if (s < 0) {
    oc_solution_free(other);
    return s == DM_NO_MEMORY ? s : DM_OK;
  }

  // its status, effort and objective
  with->w = other;
  with->status = other->info.status;
  e->iterations += other->info.iterations;
  e->total_s += other->info.total_s;
  if (is_found(with->status))
    with->error = (other->info.objective - w->info.objective) * with->part;
  return DM_OK;
}

// -- the decision

static bool agree(double a, double b, double floor) {
  const double least = fmin(fabs(a), fabs(b)), most = fmax(fabs(a), fabs(b));
  return most <= floor || (a * b > 0 && most <= AGREE * least);
}

// log2 of the ratio of two differences of quantities of this size; NAN if they are rounding errors
static double find_order(double coarse, double fine, double size) {
  return fine > ROUNDING * fabs(size) ? log2(coarse / fine) : NAN;
}

static void set_error(oc_grid_error *e, const comparison *c, oc_error_source source, double error,
                      double size) {
  e->source = source;
  e->objective = c->w->info.objective - error;
  e->objective_error = size;
}

// use grids of N and of 2 N steps, if the solution on the latter is the same optimum
static bool take_third(oc_grid_error *e, const comparison *c, const compared *second,
                       const compared *third, const oc_residual_error *r) {
  const double known = fmax(fmax(fabs(r->error), fabs(r->other)), fabs(second->error)); // no NAN
  if (!isfinite(third->error) || fabs(third->error) > ELSEWHERE * fmax(known, r->floor))
    return false;
  set_error(e, c, OC_ERROR_GRIDS, third->error, fmax(fabs(third->error), r->floor));
  e->third = third->steps;
  compare_motions(e, c, third);
  e->objective_order = NAN;
  e->differs = false;
  if (!is_found(second->status) || second->w == third->w) return true;

  // the order from three grids
  const double J = c->w->info.objective, fine = third->w->info.objective;
  const oc_motions y = oc_motions_of(second->w), z = oc_motions_of(third->w);
  e->objective_order = find_order(fabs(second->w->info.objective - J), fabs(J - fine), J);
  e->q_order = find_order(find_distance(c->x, y, y), find_distance(z, c->x, y), find_way(y));
  // positions may jump where the objective is flat
  e->differs = fabs(e->q_order - c->order) > ORDER;
  return true;
}

// Nothing agrees: take the largest known error, and say why.
static void take_largest(oc_grid_error *e, const comparison *c, const compared *second,
                         const oc_residual_error *r) {
  const double defects = fmax(fabs(r->error), fabs(r->other));
  const double most = fmax(defects, fabs(second->error)); // no NAN if one of them is known
  e->why = oc_doubt_text(r->doubt);
  if (isnan(most)) return;
  set_error(e, c, OC_ERROR_LARGEST, isnan(r->error) ? second->error : r->error,
            fmax(most, r->floor));
}

// the objective's error, from the defects and the second grid
static dm_status decide(oc_grid_error *e, const comparison *c, const compared *second,
                        const oc_residual_error *r) {
  const bool agreed = agree(r->error, second->error, r->floor);
  compared third = {.error = NAN};
  if (is_found(second->status)) compare_motions(e, c, second);
  e->differs = !agreed;
  e->objective_order = r->order;
  // if limits become active within steps, the second grid decides which of the two estimates holds
  const bool told = agreed && r->doubt == OC_DOUBT_LIMITS;
  if (r->doubt == OC_SURE || told) {
    const double other = fabs(told ? second->error : r->other);
    set_error(e, c, OC_ERROR_DEFECTS, r->error, fmax(fmax(fabs(r->error), other), r->floor));
    return DM_OK;
  }

  // if the second grid has 2 N steps, it serves as the third
  dm_status s = DM_OK;
  if (second->by.times > second->by.over) {
    if (!take_third(e, c, second, second, r)) take_largest(e, c, second, r);
    return DM_OK;
  }
  s = compare_grid(&third, e, c, (oc_steps_by){2, 1});
  if (s == DM_OK && !take_third(e, c, second, &third, r)) take_largest(e, c, second, r);
  oc_solution_free(third.w);
  return s;
}

static bool has_speed_limits(const oc_task *t) {
  for (int i = 0; i < t->system.L.nq; i++)
    if (isfinite(oc_high(t, OC_V, i))) return true;
  return false;
}

// -- of second order

// two other grids: with 1/2 and 1/4 of the steps, or with more if these would be too coarse
static void choose_grids(oc_motions x, oc_steps_by by[2]) {
  by[0] = (oc_steps_by){1, 2};
  by[1] = (oc_steps_by){1, 4};
  if (can_divide(x, 4, 4 * SMALL)) return;
  by[1] = (oc_steps_by){2, 1};
  if (can_divide(x, 2, SMALL)) return;
  by[0] = (oc_steps_by){2, 1};
  by[1] = (oc_steps_by){4, 1};
}

// the error from grids a, b, c, each with twice the steps of the one before, of which `own` is the solution's
static void extrapolate(oc_grid_error *e, comparison *c, const double J[3], int own, int rule) {
  const double coarse = J[0] - J[1], fine = J[1] - J[2], size = fabs(J[2]);
  const double most = fmax(fabs(coarse), fabs(fine)), floor = ROUNDING * size;
  const double p = find_order(fabs(coarse), fabs(fine), J[2]);
  e->objective_order = p;

  // differences that do not fall, or change their sign, only say that the error is about as large as they are
  if (most > floor && !(p > 0.5 && coarse * fine > 0)) {
    const double error = J[own] - J[2];
    e->why = "the objectives of three grids do not converge with an order";
    e->differs = true;
    set_error(e, c, OC_ERROR_LARGEST, error, fmax(most, floor));
    return;
  }
  c->order = isnan(p) || p > rule ? rule : p;
  const double limit = J[2] - fine / (pow(2, c->order) - 1), error = J[own] - limit;
  set_error(e, c, OC_ERROR_GRIDS, error, fmax(fabs(error), floor));
}

// the errors of a solution of second order, whose limits may reduce the order of its rule, from three grids
static dm_status measure_second(oc_grid_error *e, comparison *c) {
  oc_steps_by by[2];
  compared g[2] = {{.error = NAN}, {.error = NAN}};
  choose_grids(c->x, by);
  dm_status s = compare_grid(&g[0], e, c, by[0]);
  if (s == DM_OK) s = compare_grid(&g[1], e, c, by[1]);
  e->steps = g[0].steps;
  e->status = is_found(g[0].status) ? g[1].status : g[0].status;
  if (s == DM_OK && is_found(g[0].status) && is_found(g[1].status)) {
    // in the order of their steps
    const double own = c->w->info.objective, x = g[0].w->info.objective, y = g[1].w->info.objective;
    const double down[] = {y, x, own}, around[] = {x, own, y}, up[] = {own, x, y};
    const bool half = by[0].over == 2, quarter = by[1].over == 4;
    const double *J = up;
    if (half) J = quarter ? down : around;
    e->other = x;
    e->third = g[1].steps;
    extrapolate(e, c, J, J == down ? 2 : J == around, 2 * c->w->set.second->rule.k);
    g[0].part = 1 / (pow((double)by[0].over / by[0].times, c->order) - 1);
    compare_motions(e, c, &g[0]);
  } else {
    e->why = "no solution was found on another grid";
  }
  oc_solution_free(g[0].w);
  oc_solution_free(g[1].w);
  return s;
}

// why the task has no counterpart in continuous time, or on other grids; NULL: it has
static const char *find_obstacle(const oc_solution *w) {
  for (int i = 0; i < (w->phases ? w->phased.n : 1); i++) {
    const oc_task *t = w->phases ? w->phased.task[i] : &w->task;
    // a free time has rows for both sides of a limit on speeds, as free steps have
    if (oc_task_frees_steps(t) && !t->time.free && has_speed_limits(t))
      return "the lengths of steps are free beside limits of speeds";
    if (t->sum) return "the cost is a sum over steps (cost.weighting)";
    if (!oc_task_can_regrid(t)) return "a term or a path constraint may depend on the step";
  }
  return NULL;
}

// the estimate of a plan through contact
static dm_status measure_contacts(oc_grid_error *out, const comparison *c) {
  oc_contact_error e;
  DM_TRY(oc_contact_error_measure(&e, c->w, c->x, limit_iterations(c)));
  out->status = isnan(e.finer) ? DM_STALLED : DM_OK;
  out->other = e.finer;
  out->source = e.why ? OC_ERROR_UNKNOWN : OC_ERROR_CONTACTS;
  out->why = e.why;
  out->objective = e.objective;
  out->objective_error = e.error;
  out->changes = e.changes;
  out->change_error = e.most;
  out->contact = e.contact;
  out->change_knot = e.knot;
  out->change_phase = e.phase;
  out->iterations = e.iterations;
  out->total_s = e.total_s;
  return DM_OK;
}

dm_status oc_grid_error_of_phases(oc_grid_error *out, const oc_solution *w,
                                  const dm_trajectory *const *motions, int most) {
  assert(out && w && motions);
  const dm_trajectory *one = w->curve;
  // of second order, the solution itself instead of the motion that follows it
  const bool curve = w->second && w->info.followed == DM_OK;
  const oc_motions x = {w->phases ? w->phased.n : 1, curve ? &one : motions};

  // the least order of the phases' rules
  double least = find_rule_order(&w->task.system.rule);
  for (int i = 0; i < w->phased.n; i++)
    least = fmin(least, find_rule_order(&w->phased.task[i]->system.rule));
  comparison c = {w, x, most, least};

  const bool frees = oc_task_frees_steps(&w->task);
  const oc_steps_by by =
      can_divide(x, 2, SMALL) && !frees ? (oc_steps_by){1, 2} : (oc_steps_by){2, 1};
  oc_residual_error r;
  compared second;
  *out = (oc_grid_error){.status = DM_UNAVAILABLE,
                         .why = find_obstacle(w),
                         .objective = NAN,
                         .objective_error = NAN,
                         .objective_order = NAN,
                         .defects = NAN,
                         .T = NAN,
                         .T_error = NAN,
                         .q_error = NAN,
                         .v_error = NAN,
                         .q_order = NAN,
                         .steps = oc_other_grids_steps(x, by)};
  if (out->why) return DM_UNAVAILABLE;

  if (oc_contact_programs_exist(w)) return measure_contacts(out, &c);

  if (w->second) return measure_second(out, &c);

  const double began = oc_clock();
  DM_TRY(oc_residual_error_measure(&r, w, x));
  out->total_s = oc_clock() - began;
  // free steps jump from one to the next, and a motion between them is not smooth in their numbers
  if (frees) r.error = r.other = r.order = NAN, r.doubt = OC_DOUBT_ORDER;
  out->defects = r.error;

  // a failure on another grid does not affect the solution
  dm_status s = compare_grid(&second, out, &c, by);
  out->status = second.status;
  out->other = second.w ? second.w->info.objective : NAN;
  if (s == DM_OK) s = decide(out, &c, &second, &r);
  oc_solution_free(second.w);
  return s;
}

dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most) {
  assert(w && x && !w->phases);
  return oc_grid_error_of_phases(out, w, &x, most);
}

#include "optim/descent/descent.h"

#include "lib/base/dense.h"
#include "optim/descent/row_filter.h"
#include "optim/nlp/deadline.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const double ARMIJO = 1e-5, SHORTER = 0.7, ROUNDING = 1e-15; // ROUNDING: of the merit
enum { TRIES = 30, DAMPINGS = 30 };
// filter: factor of a step, growth of damping at most, iterations of a round at most
static const double HALF = 0.5;
static const double CLOSE = 1e-2; // tolerance on theta of a motion, relative to that of the slope
enum { FEW_DAMPINGS = 4, FILTERED = 50 };
// interpolated steps: longest, and difference from the last one that is worth a rollout
static const double FARTHEST = 10, ALIKE = 0.1;
// with limits: iterations per round at most; without: iterations after which gains are stiffened as
// well
enum { ROUND = 200, PATIENCE = 200 };
// weight of inputs relative to states for the stabilizing gains: without a goal, with a goal
static const double HOLD = 1, HOLD_GOAL = 0.3, STIFFER = 0.1, STIFFEST = 1e-4;
// damping: initial value, if no step is found or, in the valley of a goal, the step is below SHORT;
// growth; reduction after a full step
static const double DAMP = 1, SHORT = 0.2, MORE = 4, LESS = 0.25;
// goal: factor of the penalty if a round leaves more than ENOUGH of the error, and its limit
// relative to the first penalty; least error of the guess, relative to the goal's size, that the first
// penalty counts; limit of the multiplier changes in penalties, first and last;
// tolerance on the slope in the first round relative to the cost, and its factor from round to
// round. Limits: initial cost of a violation by a whole range, in costs of the motion; final gap of
// their barrier relative to the cost; error of goal and limits attributed to rounding
static const double BEYOND = 10, LAST_GAP = 1e-10, ROUNDED = 1e-6;
static const double HARDER = 10, HARDEST = 1e9, ENOUGH = 0.25;
static const double LEAST_MISS = 1;
static const double TRUST = 10, MOST_TRUST = 1e6, NEAR = 0.1, LOOSE = 1e-2, TIGHTER = 0.1;

typedef struct descent {
  const oc_task *task;
  const oc_options *set;
  const oc_hooks *hooks;
  oc_projection_operator *p;
  oc_merit *merit;
  oc_search_direction *direction;
  oc_secant *secant;
  double start; // clock, s
  double hold;  // input weight of the stabilizing gains
  bool moved;   // multipliers changed since the last step
  bool meets;   // directions meet the goal, and a filter judges steps; else it has a penalty
  oc_row_filter filter;
  dm_trajectory *before; // the motion, the tolerance of the slope, and the multipliers before it
  double loose_before;
  dm_status modelled; // status of the last direction's problem
  dm_status ended;    // of an iteration that ends without a step
  double first;       // cost of the first motion
  double loose; // tolerance on |slope| in this round, relative to the cost, if above that of set
  oc_descent_row *record;
  int room;
  oc_descent_info *info;
} descent;

// -- a step

static void swap_trajectories(dm_trajectory **a, dm_trajectory **b) {
  dm_trajectory *x = *a;
  *a = *b;
  *b = x;
}

// store the knot and the reason of a failure for the caller
static dm_status note_failure(descent *w, dm_status s, int knot, const char *what) {
  w->info->failed = knot;
  if (knot >= 0) return dm_fail(&w->p->msg, s, "knot %d: %s: %s", knot, what, dm_status_text(s));
  return dm_fail(&w->p->msg, s, "%s: %s", what, dm_status_text(s));
}

// |slope| that counts as 0: at least the fraction `loose` of the cost. For a cost that vanishes,
// the first cost is the reference.
static double find_tolerance(const descent *w, double cost, double loose) {
  const double size = fmax(fabs(cost), ROUNDED * fabs(w->first));
  return fmax(w->set->descent.slope, fmax(w->set->descent.share, loose) * size);
}

// returns true if a limit on states has a barrier
static bool has_limits(const descent *w) {
  return w->merit->ranges->n > 0;
}

// returns true if there is a goal or a limit on states
static bool has_rows(const descent *w) {
  return w->merit->end->ng || has_limits(w);
}

// gains that stabilize the current motion
static dm_status design_gains(descent *w) {
  const bool open = w->set->descent.projection == OC_OPEN_LOOP;
  if (open) memset(w->p->K, 0, (size_t)(w->p->N * w->p->nu * w->p->nx) * sizeof(double));
  w->p->keeps = open;
  dm_status s = oc_projection_operator_gains(w->p, w->hold);
  if (s != DM_OK) w->info->failed = w->p->failed;
  return s;
}

// direction of a method and its slope; DM_STALLED if it does not descend
static dm_status find_direction(descent *w, oc_method kind, bool cut, oc_descent_row *row) {
  const oc_search_direction *d = w->direction;
  int failed = -1;

  // a reduced direction uses the model of the unreduced one
  const oc_method_row *m = &oc_methods[kind];
  if (!cut) w->modelled = oc_search_direction_model(w->direction, m->model); // else it exists
  dm_status s = w->modelled;
  if (s == DM_OK && m->update == OC_SOLUTION)
    s = oc_search_direction_solve(w->direction, cut, &row->slope, &failed);
  else if (s == DM_OK)
    s = oc_secant_direction(w->secant, m->update, &row->slope);
  if (s != DM_OK) return note_failure(w, s, failed, "no direction");

  // amount of the reduction
  row->min_share = 1;
  for (int k = 0; cut && k < d->N; k++) {
    row->cut += d->share[k] < 1;
    row->min_share = fmin(row->min_share, d->share[k]);
  }
  if (w->meets) row->slope -= oc_search_direction_goal_slope(d); // of the filter's phi
  return w->meets || row->slope <= 0
             ? DM_OK
             : note_failure(w, DM_STALLED, -1, "the direction does not descend");
}

// merit after a step a along the direction, with the motion in p->trial, or INFINITY
static double try_step(descent *w, double a, oc_descent_row *row) {
  double cost, merit;
  const double since = oc_work_clock();
  row->tried++;
  // a failed rollout has infinite cost
  dm_status s = oc_projection_operator_rollout(w->p, a);
  if (s == DM_OK) s = oc_merit_value(w->merit, w->p->trial, &cost, &merit);
  oc_work_add(&w->p->work, OC_WORK_ROLLOUT, since);
  return s == DM_OK ? merit : INFINITY;
}

// the step that a parabola through the merit and its slope at 0 and the merit at a asks for
static double interpolate_step(const oc_descent_row *row, double a, double merit) {
  const double bend = merit - row->merit - a * row->slope;
  return bend > 0 ? -0.5 * a * a * row->slope / bend : 2 * a;
}

// Armijo's rule along the direction: merit of the motion in p->trial, or INFINITY. With `farther`,
// a full step is doubled while the merit decreases.
static double search_armijo(descent *w, bool farther, oc_descent_row *row) {
  double a = 1, merit = INFINITY, next;
  const oc_update update = oc_methods[row->kind].update;
  const double from =
      update == OC_UPDATE_STEP ? oc_secant_reference(w->secant, row->merit) : row->merit;

  // reduce the step until merit <= merit_0 + c a slope, to rounding
  for (int i = 0; i < TRIES; i++, a *= SHORTER) {
    merit = try_step(w, a, row);
    if (merit <= from + ARMIJO * a * row->slope + ROUNDING * fabs(row->merit)) break;
    merit = INFINITY;
  }

  if (merit == INFINITY) {
    note_failure(w, DM_STALLED, -1, "no step along the direction lowers the cost");
    return merit;
  }

  // from a saddle, take longer steps; conjugate gradients need a more exact one
  if (farther && a == 1) {
    while ((next = try_step(w, 2 * a, row)) < merit) {
      a *= 2;
      merit = next;
    }
    merit = try_step(w, a, row); // again, as the last trial was worse
  } else if (update == OC_UPDATE_CONJUGATE) {
    const double b = fmin(interpolate_step(row, a, merit), FARTHEST * a);
    if (fabs(b - a) > ALIKE * a && (next = try_step(w, b, row)) < merit)
      a = b, merit = next;
    else if (fabs(b - a) > ALIKE * a)
      merit = try_step(w, a, row);
  }
  row->step = a;
  return merit;
}

// one trial for the filter, by the gains of p->own or of p->K
static bool is_acceptable(descent *w, double a, bool own, oc_descent_row *row, double *merit) {
  if (own) oc_projection_operator_swap(w->p);
  *merit = try_step(w, a, row);
  if (own) oc_projection_operator_swap(w->p);
  return oc_row_filter_takes(&w->filter, a, *merit, w->p->curve ? w->p->trial_gaps : 0);
}

// Full steps along a direction that needed no repair are tried with its own gains first: these follow
// it farther than a regulator's.
static bool try_full_step(descent *w, oc_descent_row *row, double *merit) {
  const bool own = w->set->descent.projection == OC_REGULATOR && row->cut == 0 &&
                   row->damping == 0 && oc_methods[row->kind].model >= OC_SECOND_ORDER;
  return (own && is_acceptable(w, 1, true, row, merit)) || is_acceptable(w, 1, false, row, merit);
}

// The longest of the steps 1, 1/2, .. along a direction that meets the goal that the filter accepts,
// as search_armijo. A full step that it refuses is corrected to second order once.
static double search_filter(descent *w, oc_descent_row *row) {
  oc_search_direction *d = w->direction;
  double a = 1, merit;
  oc_row_filter_aim(&w->filter, row->slope);
  for (int i = 0; i < TRIES; i++, a *= HALF) {
    bool taken = i == 0 ? try_full_step(w, row, &merit) : is_acceptable(w, a, false, row, &merit);
    if (!taken && i == 0 && merit < INFINITY) {
      const double *gaps = w->p->curve ? w->p->trial_gap : NULL;
      if (oc_search_direction_correct(d, w->merit->end->off, gaps) == DM_OK)
        taken = try_full_step(w, row, &merit);
      if (!taken) oc_search_direction_restore(d);
    }
    if (!taken) continue;

    // the goal's multipliers move with the motion; full steps trust them more
    oc_row_filter_keep(&w->filter, a);
    dm_add_to(d->ng, a, d->mu, w->merit->end->multiplier);
    if (a == 1) d->trust = fmin(10 * d->trust, MOST_TRUST);
    if (a < SHORT) d->trust = fmax(0.1 * d->trust, TRUST);
    row->step = a;
    return merit;
  }
  note_failure(w, DM_STALLED, -1, "the filter accepts no step along the direction");
  return INFINITY;
}

// with steep barriers, increase the damping instead of using steepest descent
static bool damps_first(const descent *w, oc_method wanted) {
  return has_limits(w) && oc_methods[wanted].repair == OC_REDUCE;
}

// A direction of kind `kind`, `cut` or not, and its step; the better of this motion and the best
// one goes to p->best. Returns DM_OK, the failure of the direction, or DM_CUT_SHORT if the iteration
// ends with *row: at a minimum to the tolerance, or out of iterations.
static dm_status try_way(descent *w, const oc_descent_row *start, bool cut, bool more, bool *saddle,
                         double *best, oc_descent_row *row) {
  oc_descent_row r = *start;
  const bool paper = w->set->descent.method == OC_PAPER;
  const dm_status s = find_direction(w, r.kind, cut, &r);
  *saddle = *saddle || (s == DM_NOT_DEFINITE && !paper);
  if (s != DM_OK) return s;

  const double slope = w->meets ? fabs(r.slope) : -r.slope;
  const bool rounded = slope <= ROUNDING * fabs(r.merit); // no step decreases it
  const double near = fmax(w->set->descent.goal, w->p->curve ? 0 : CLOSE * w->loose);
  const bool met = w->meets ? w->filter.from.theta <= near : !w->moved || rounded;
  const bool done = met && slope <= find_tolerance(w, r.cost, w->loose);
  if (done || !more) {
    *row = r;
    w->ended = done ? DM_OK : DM_MAX_ITER;
    return DM_CUT_SHORT;
  }

  // its step; keep the best
  if (oc_methods[r.kind].update == OC_SOLUTION) {
    oc_search_direction_gains(w->direction, w->p->own);
    if (w->set->descent.projection == OC_OWN_GAINS) oc_projection_operator_swap(w->p);
  }
  const double merit = w->meets ? search_filter(w, &r) : search_armijo(w, *saddle, &r);
  if (merit < *best) {
    *best = merit;
    *row = r;
    swap_trajectories(&w->p->best, &w->p->trial);
  } else if (row->tried == start->tried) {
    *row = r; // the first unsuccessful attempt
  }
  return DM_OK;
}

// Step along a direction, into p->x: the first method with a full step, else the best of a method
// and the next. As in the paper: the first method that is convex and descends. A filter takes the first
// step that it accepts.
static dm_status step_along_ways(descent *w, bool more, oc_descent_row *row) {
  const oc_method wanted = row->kind;
  const bool paper = w->set->descent.method == OC_PAPER;
  oc_descent_row start = *row;
  double best = INFINITY;
  bool saddle = false, cut = false; // saddle: second-order terms are not convex
  dm_status last = DM_STALLED;
  for (oc_method kind = wanted;;) {
    // steepest descent only if no other method has found a step
    const bool lowest = kind == OC_STEEPEST && wanted != OC_STEEPEST;
    if (lowest && (best < INFINITY || damps_first(w, wanted) || w->meets)) break;
    start.kind = oc_methods[kind].kind;
    last = try_way(w, &start, cut, more, &saddle, &best, row);
    if (last == DM_CUT_SHORT) return w->ended;
    if (w->meets && best < INFINITY) break;
    if (last == DM_OK && (paper || (row->step == 1 && row->kind == start.kind && !cut))) break;

    // reduced, then the next method; a reduced one uses the model of the unreduced one
    cut = !cut && oc_methods[kind].repair == OC_REDUCE;
    if (cut) continue;
    if (oc_methods[kind].next == kind) break;
    kind = oc_methods[kind].next;
  }

  // accept the best motion if gains stabilize it
  if (best == INFINITY) {
    oc_secant_restart(w->secant);
    return last < 0 ? last : DM_STALLED;
  }
  if (oc_methods[row->kind].update == OC_SOLUTION)
    oc_secant_restart(w->secant);
  else
    oc_secant_stepped(w->secant, row->step, best - row->merit, w->p->x, w->p->best);
  swap_trajectories(&w->p->x, &w->p->best);
  last = design_gains(w);
  if (last == DM_OK) return oc_merit_multiply(w->merit, w->p->x, fmin(row->step, 1));
  swap_trajectories(&w->p->x, &w->p->best); // back to the previous motion
  oc_secant_restart(w->secant);
  row->step = 0;
  dm_status s = design_gains(w);
  return s == DM_OK ? last : s;
}

static void scale_damping(descent *w, double factor) {
  double d = factor * w->direction->damping;
  if (factor > 1)
    w->direction->damping = fmax(d, DAMP);
  else
    w->direction->damping = d < DAMP ? 0 : d;
}

// An iteration, with increasing damping until a step is found; at the end without damping.
static dm_status iterate_damped(descent *w, bool more, oc_descent_row *row) {
  const oc_descent_row start = *row;
  oc_descent_row failed =
      start; // the first unsuccessful attempt: with damping a slope means something else
  const oc_method_row *method = &oc_methods[start.kind];
  bool damps = method->model != OC_IDENTITY && method->update == OC_SOLUTION &&
               w->set->descent.method != OC_PAPER;
  bool ended = false, needed = false; // with damping, at the round's tolerance; damping is needed
  for (int i = 0;; i++) {
    *row = start;
    row->damping = w->direction->damping;
    dm_status s = step_along_ways(w, more, row);

    // stuck: more damping; at a minimum due to damping: less. If less damping is stuck again, damped steps
    // continue to a slope of 0.
    bool stuck = s < 0 || s == DM_STALLED, ends = s == DM_OK && row->step == 0;
    needed = needed || (stuck && method->repair == OC_ADD_WEIGHT);
    if (needed && ends) return s; // a shift that the problem needs to be convex
    if (stuck && ended) w->loose = 0;
    if (stuck && failed.tried == start.tried) failed = *row;
    ended = ended || (ends && row->damping > 0);
    if (damps && i < (w->meets ? FEW_DAMPINGS : DAMPINGS) &&
        (stuck || (ends && row->damping > 0))) {
      scale_damping(w, stuck ? MORE * MORE : LESS); // increase fast, as each attempt costs a sweep
      continue;
    }

    // stiffer gains keep the next motion closer to the curve
    bool stiffens = has_limits(w) || w->info->iterations >= PATIENCE;
    if (damps && stiffens && method->model >= OC_SECOND_ORDER && row->step > 0 && row->step < SHORT)
      w->hold = fmax(STIFFER * w->hold, STIFFEST);

    // more damping for short steps in the valley of a goal; less after a full step
    if (damps && has_rows(w) && row->step > 0 && row->step < SHORT) scale_damping(w, MORE);
    if (row->step >= SHORTER) scale_damping(w, LESS);
    if (stuck) *row = failed;
    return s;
  }
}

// complete the record of an iteration; returns DM_OK, or the reason to stop
static dm_status record_descent_row(descent *w, oc_descent_row *row, oc_method wanted) {
  oc_descent_info *info = w->info;

  info->fell[row->kind] += row->step > 0 && row->kind != oc_methods[wanted].kind;
  info->cut += row->step > 0 && row->cut > 0;
  info->cost = row->cost;
  info->slope = row->slope;
  info->residual = row->residual;
  info->time_s = row->time_s = oc_clock() - w->start;
  info->work = row->work = w->p->work;
  if (w->record && info->rows < w->room) w->record[info->rows++] = *row;
  const oc_iterate it = {.iteration = row->iteration,
                         .objective = row->cost,
                         .violation = row->residual,
                         .dual = -row->slope,
                         .step = row->step};
  if (!oc_hooks_continue(w->hooks, &it)) return DM_INTERRUPTED;
  long done = 0;
  for (int i = 0; i < OC_WORK_KINDS; i++) done += row->work.count[i];
  const bool over = w->set->descent.work > 0 && done >= w->set->descent.work;
  return over || row->time_s > w->set->max_time ? DM_MAX_ITER : DM_OK;
}

// one round with constant multipliers of the goal, until the slope is within its tolerance
static dm_status descend_round(descent *w) {
  const oc_options *set = w->set;
  oc_descent_info *info = w->info;
  const int began = info->iterations;
  int last = has_limits(w) ? began + ROUND : INT_MAX; // then update multipliers and barrier
  if (w->meets) last = began + FILTERED;
  for (;;) {
    if (info->iterations >= last) return DM_STALLED;
    oc_descent_row row = {
        .iteration = info->iterations, .kind = set->descent.method, .min_share = 1};
    if (info->iterations < set->descent.quasi) row.kind = OC_QUASI;

    oc_method wanted = row.kind;
    DM_TRY(oc_merit_value(w->merit, w->p->x, &row.cost, &row.merit));
    row.residual = fmax(w->merit->end->residual, w->merit->ranges->residual);

    const double gaps = w->p->curve ? w->p->gaps : 0;
    if (w->meets) oc_row_filter_begin(&w->filter, row.merit, gaps, info->iterations == began);
    if (w->p->curve) row.residual = fmax(row.residual, gaps);

    // one iteration and its record
    dm_status s = iterate_damped(w, info->iterations < set->max_iter, &row);
    const dm_status stop = record_descent_row(w, &row, wanted);
    if (stop != DM_OK) return stop;
    if (s != DM_OK || row.step == 0) return s;
    info->iterations++;
    w->moved = false;
  }
}

// Errors that no penalty removes are infeasible: a limit unless only rounding is left, a goal
// unless steps are too small or the direction leads to it.
static dm_status judge_missed_goal(descent *w, dm_status s) {
  const oc_terminal *end = w->merit->end;
  double left = fmax(end->residual, w->merit->ranges->residual);
  if (has_limits(w) && left > ROUNDED) return DM_INFEASIBLE;
  if (s == DM_STALLED || oc_methods[w->set->descent.method].update != OC_SOLUTION)
    return DM_STALLED;
  if (oc_search_direction_residual(w->direction) > ENOUGH * end->residual) return DM_INFEASIBLE;
  return note_failure(w, DM_STALLED, -1, "the goal comes no nearer");
}

// The cost of inputs of the size of their scales along the current motion; 1 if inputs cost
// nothing.
static dm_status cost_inputs(descent *w, double *cost) {
  oc_projection_operator *p = w->p;
  double merit;
  dm_trajectory_copy(p->trial, p->x);
  for (int i = 0; i < p->N * p->nu; i++) p->trial->u[i] = p->input[i % p->nu];
  DM_TRY(oc_merit_value(w->merit, p->trial, cost, &merit));
  if (!(*cost > 0)) *cost = 1;
  return DM_OK;
}

// The initial barrier of limits costs as much as the motion, so that the first rounds stay away
// from the limits, and a violation by a whole range costs BEYOND times as much. The initial penalty
// makes the goal's part as large as cost and barrier together.
static dm_status set_penalties(descent *w, double *scale) {
  oc_terminal *end = w->merit->end;
  oc_ranges *ranges = w->merit->ranges;
  double cost, merit;
  end->penalty = 1;
  ranges->elastic = 0;
  DM_TRY(oc_merit_value(w->merit, w->p->x, &cost, &merit));
  bool costs = cost > ROUNDING * (merit - cost); // negligible costs of inputs are rounding
  double both = ranges->n ? 2 * cost : cost;
  *scale = cost;
  if (!costs) DM_TRY(cost_inputs(w, scale));
  // as if the guess missed the goal by at least LEAST_MISS of its size: a penalty that is large because
  // the guess is close makes a valley that is too narrow to move along
  const double miss = fmax(merit - cost, 0.5 * LEAST_MISS * LEAST_MISS);
  end->penalty = costs && merit > cost ? both / miss : *scale;
  if (!ranges->n) return DM_OK;
  ranges->elastic = BEYOND * *scale;
  ranges->barrier = *scale / ranges->ends;
  return oc_merit_begin(w->merit, w->p->x);
}

// the barrier of a round: its contribution, mu per end, equals the tolerance of the slope
static bool lower_barrier(descent *w, double scale) {
  oc_ranges *ranges = w->merit->ranges;
  if (!ranges->n) return true;
  double last = fmax(1e-2 * find_tolerance(w, w->info->cost, 0), LAST_GAP * scale) / ranges->ends;
  bool there = ranges->barrier <= last;
  ranges->barrier = fmax(last, TIGHTER * ranges->barrier);
  return there;
}

// replace the curve p->x by the nearest motion that gains find; if none stabilizes it, by the
// open-loop motion of its inputs
static dm_status project_guess(descent *w) {
  oc_projection_operator *p = w->p;
  if (oc_projection_operator_follow(p, has_limits(w)) != DM_OK) {
    // open loop
    memset(p->K, 0, (size_t)p->N * (size_t)(p->nu * p->nx) * sizeof(double));
    DM_TRY(oc_projection_operator_rollout(p, 0));
  }
  oc_projection_operator_accept(p);
  return DM_OK;
}

// Let directions meet the goal from now on, with the last penalty as their weight on it, and a filter
// judge steps.
static void begin_filter(descent *w) {
  oc_terminal *end = w->merit->end;
  dm_trajectory_copy(w->before, w->p->x);
  memcpy(end->kept, end->multiplier, (size_t)end->ng * sizeof *end->kept);
  w->loose_before = w->loose;
  w->meets = w->direction->meets = true;
  w->direction->stiff = end->penalty;
  w->direction->trust = TRUST;
  end->penalty = 0;
  if (!has_limits(w)) w->loose = 0;
}

// Return to the penalty, and to the motion before the filter; a curve becomes the motion near it.
static dm_status end_filter(descent *w) {
  oc_terminal *end = w->merit->end;
  w->meets = w->direction->meets = false;
  end->penalty = w->direction->stiff;
  memcpy(end->multiplier, end->kept, (size_t)end->ng * sizeof *end->multiplier);
  w->loose = w->loose_before;
  if (w->p->curve) {
    w->p->curve = false;
    w->direction->gaps = NULL;
    DM_TRY(project_guess(w));
  } else {
    dm_trajectory_copy(w->p->x, w->before);
  }
  return design_gains(w);
}

// may the method's directions meet the goal: are they solutions of a problem with second derivatives
// of the cost, by the sweep?
static bool can_filter(const descent *w) {
  const oc_method_row *m = &oc_methods[w->set->descent.method];
  return (w->merit->end->ng || w->p->curve) && m->model != OC_IDENTITY &&
         m->update == OC_SOLUTION && w->set->descent.kkt != OC_CHOLMOD;
}

// After a round with a penalty: multipliers from the direction's problem, trusted more if they reduced
// the goal's error; else a larger penalty.
static dm_status update_multipliers(descent *w, bool ok, double *miss, double *trust) {
  oc_terminal *end = w->merit->end;
  const bool first = *miss == INFINITY, better = ok && end->residual <= ENOUGH * *miss && !first;
  if (!better && !first && (end->residual > w->set->descent.goal || !has_limits(w)))
    end->penalty *= HARDER; // only the penalty reduces the error
  *trust = better ? fmin(10 * *trust, MOST_TRUST) : TRUST;
  *miss = end->residual;
  w->moved = true;
  return oc_search_direction_multiply(w->direction, *trust);
}

// Rounds until goal and limits are met. The first one is near the goal by a penalty; from there
// directions meet the goal, and a filter judges steps. If it fails, and for other methods, rounds have
// multipliers of the goal, which are updated from the direction's problem within a trust limit that
// grows with their success. Those of limits follow their barrier, which is reduced.
static dm_status meet_rows(descent *w) {
  oc_terminal *end = w->merit->end;
  oc_ranges *ranges = w->merit->ranges;
  double cost, merit, scale, miss = INFINITY, trust = TRUST, entered = INFINITY;
  DM_TRY(set_penalties(w, &scale));
  const double hardest = HARDEST * end->penalty, stiffest = HARDEST * ranges->elastic;
  const bool able = can_filter(w);
  w->filter.unit = scale;
  w->loose = able ? NEAR : LOOSE; // the first rounds are inexact
  if (w->p->curve) begin_filter(w);

  for (;; w->loose *= TIGHTER) {
    // a minimum of the merit; check goal and limits
    dm_status s = descend_round(w);
    if (s != DM_OK && s != DM_STALLED) return s;
    const bool flat = -w->info->slope <= find_tolerance(w, w->info->cost, 0);
    const bool still = s == DM_STALLED || flat;
    bool lowest = lower_barrier(w, scale), failed = w->meets && !flat; // the filter takes no step
    if (w->info->residual <= w->set->descent.goal && still && lowest && !failed)
      return has_limits(w) && flat ? DM_OK : s;
    if (w->meets && s == DM_OK) continue; // with a smaller barrier
    if (w->meets) {
      DM_TRY(end_filter(w));
      miss = INFINITY;
      continue;
    }
    if (end->penalty > hardest || (!end->ng && ranges->elastic > stiffest))
      return judge_missed_goal(w, s);
    DM_TRY(oc_merit_value(w->merit, w->p->x, &cost, &merit));

    // the required slope for a violated limit exceeds that of the barrier
    if (ranges->residual > w->set->descent.goal) ranges->elastic *= HARDER;
    DM_TRY(update_multipliers(w, s == DM_OK, &miss, &trust));
    oc_secant_restart(w->secant);
    if (!able || !end->ng || s != DM_OK || end->residual > ENOUGH * entered) continue;
    entered = end->residual;
    begin_filter(w);
  }
}

// -- construction and main function

static bool is_finite_row(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// start from the curve x with the task's initial state
static dm_status begin_descent(descent *w, const dm_trajectory *x) {
  const oc_task *t = w->task;
  oc_projection_operator *p = w->p;

  // the guess must be finite
  for (int k = 0; k < x->N; k++)
    if (!is_finite_row(x->n, x->q + (size_t)(k + 1) * (size_t)x->n) ||
        !is_finite_row(x->nu, x->u + (size_t)k * (size_t)x->nu))
      return note_failure(w, DM_NOT_FINITE, k, "the guess");

  // q and u of the guess with step and start of the task; momenta of the curve, then of the start
  dm_trajectory_copy(p->x, x);
  dm_status s = oc_start_set(p->start, p->x);
  if (s == DM_OK) s = dm_trajectory_momenta(p->x, &t->system);
  if (s < 0) return note_failure(w, s, -1, "momenta of the guess");
  DM_TRY(oc_start_set(p->start, p->x));

  // project onto the motions of the system; a curve keeps its gaps
  s = p->curve ? oc_projection_operator_rollout(p, 0) : project_guess(w);
  if (p->curve) oc_projection_operator_accept(p);
  if (s != DM_OK) w->info->failed = p->failed;
  return s;
}

static dm_status descent_new(descent *w) {
  DM_TRY(oc_projection_operator_new(&w->p, w->task));
  DM_TRY(oc_merit_new(&w->merit, w->p));
  DM_TRY(dm_trajectory_of(&w->before, w->task->N, &w->task->system));
  const bool sparse = w->set->descent.kkt == OC_CHOLMOD;
  DM_TRY(oc_search_direction_new(&w->direction, w->p, w->merit, sparse));
  DM_TRY(oc_secant_new(&w->secant, w->direction));
  oc_secant_restart(w->secant);
  w->filter.d = w->direction;
  w->p->curve = w->set->descent.projection == OC_GAPS;
  w->direction->gaps = w->p->curve ? w->p->gap : NULL;
  return DM_OK;
}

// the motion by feedback near the last curve
static dm_status close_gaps(descent *w, dm_status s) {
  oc_projection_operator *p = w->p;
  double merit;
  p->curve = false;
  memset(p->z, 0, (size_t)(p->N + 1) * (size_t)p->ns * sizeof *p->z);
  memset(p->v, 0, (size_t)(p->N * p->nu) * sizeof *p->v);
  memset(p->start->step, 0, (size_t)p->start->nt * sizeof *p->start->step);
  DM_TRY(oc_projection_operator_rollout(p, 0));
  DM_TRY(oc_merit_value(w->merit, p->trial, &w->info->cost, &merit));
  w->info->residual = fmax(w->merit->end->residual, w->merit->ranges->residual);
  oc_projection_operator_accept(p);
  return s == DM_OK && w->info->residual > ROUNDED ? DM_STALLED : s;
}

dm_status oc_descend(const oc_task *task, const oc_options *set, const oc_hooks *hooks,
                     dm_trajectory *x, oc_descent_row *record, int room, oc_descent_info *info,
                     dm_message *msg) {
  assert(task && set && x && info && room >= 0);
  *info = (oc_descent_info){.failed = -1};
  DM_TRY(oc_descent_check_options(task, set, NULL, msg));

  descent w = {.task = task, .set = set, .hooks = hooks, .start = oc_clock()};
  w.record = record;
  w.room = room;
  w.info = info;

  // project the curve, then descend; with a goal in rounds with multipliers
  dm_status s = descent_new(&w);
  if (s == DM_OK) s = begin_descent(&w, x);
  bool moved = s == DM_OK, rows = false;
  if (moved) {
    rows = has_rows(&w) || w.p->curve;
    w.hold = rows ? HOLD_GOAL : HOLD;
    s = design_gains(&w);
  }
  double merit;
  if (s == DM_OK) s = oc_merit_value(w.merit, w.p->x, &w.first, &merit);
  if (s == DM_OK) s = rows ? meet_rows(&w) : descend_round(&w);
  if (moved && w.p->curve) s = close_gaps(&w, s);

  // return the last motion
  if (moved) {
    dm_trajectory_copy(x, w.p->x);
    dm_status filled = dm_trajectory_momenta(x, &task->system);
    if (filled < 0) s = filled;
  }

  // the reason, from the part that failed
  info->status = s;
  bool said = (s < 0 || s == DM_STALLED) && w.p && w.p->msg.text[0];
  if (s != DM_OK) dm_fail(msg, s, "%s", said ? w.p->msg.text : dm_status_text(s));
  dm_trajectory_free(w.before);
  oc_secant_free(w.secant);
  oc_search_direction_free(w.direction);
  oc_merit_free(w.merit);
  oc_projection_operator_free(w.p);
  return s;
}

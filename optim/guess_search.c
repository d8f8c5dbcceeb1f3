#include "optim/guess_search.h"

#include "optim/contact_programs.h"
#include "optim/outcome.h"

#include "optim/interior/interior.h"
#include "optim/nlp/best_point.h"
#include "optim/nlp/deadline.h"
#include "optim/nlp/scaled.h"
#include "optim/solution_start.h"
#include "optim/starts/inverse_kinematics.h"
#include "optim/starts/nearest_rollout.h"
#include "optim/starts/seeded_guess.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  // A search is stopped if its violation has not halved within a tenth of the available iterations, but
  // at least and at most these
  LEAST_WAIT = 40,
  MOST_WAIT = 100,
  RESTORING_WAIT = 200,     // iterations of a restoration whose violation has not halved
  FIRST_SHARE = 2,          // half of the iterations for the first search while rows are violated,
  FIRST_LEAST = 100,        // but at least this many
  OTHER_SHARE = 4,          // a quarter for a search from another guess,
  OTHER_ITERATIONS = 500,   // but at most this many
  POSTURE_ITERATIONS = 120, // or from another posture
  AGREED = 5,               // stop after this many guesses that lead to minima of the violation
  SADDLES = 3               // saddles left, one after another
};
static const double ALIKE = 1e-7; // relative tolerance of marks of equal guesses
static const double FALLS = 0.5;  // required reduction of the violation within the wait
// step off a saddle, relative to the step that doubles its objective
static const double ASIDE = 0.1;
static const double BOTTOMLESS = 1e8; // relative to an objective's magnitude: unbounded below
static const double LOWER = 1e-6;     // relative improvement of the objective beside a saddle
static const double FEASIBLE = 1e-6;  // no search below this violation is stopped early

bool oc_search_is_found(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE || s == DM_SADDLE || s == DM_INTERRUPTED;
}

static int clip_int(int x, int low, int high) {
  return x < low ? low : x > high ? high : x;
}

// -- one search

// State of a search that may be stopped early: its violation so far.
typedef struct patience {
  oc_solution *w;
  int wait, most; // iterations without progress, and in total while rows are violated
  int since;      // the iteration of the best violation
  double best;    // violation
  double floor;   // with satisfied rows, an objective below this value means that no minimum exists
  bool limited;   // may the search be stopped early?
  bool restoring; // stop it only while it restores rows: its objective does not change
  double objective; // of the last iterate, if restoring
  bool given_up;
} patience;

static double find_objective_scale(const oc_solution *w) {
  return w->scaled ? oc_scaled_objective(w->scaled) : 1;
}

// an iterate in the program's own units, except for its violation, which stays relative
static oc_iterate leave_iterate(const oc_solution *w, oc_iterate it) {
  it.objective /= find_objective_scale(w);
  return it;
}

// the caller's watch function, then the progress of the run
static bool watch_progress(void *user, const oc_iterate *scaled) {
  patience *p = user;
  const oc_hooks *hooks = &p->w->set.hooks;
  const oc_iterate own = leave_iterate(p->w, *scaled), *it = &own;
  if (hooks->watch && !hooks->watch(hooks->user, it)) return false;
  if (!p->limited) return true;

  // a run starts, or the violation has fallen
  const bool moves = p->restoring && it->objective != p->objective;
  p->objective = it->objective;
  if (it->iteration == 0 || it->violation < FALLS * p->best || moves) {
    p->best = it->violation;
    p->since = it->iteration;
  }
  if (it->violation <= FEASIBLE) {
    p->given_up = it->objective < p->floor;
    return !p->given_up;
  }
  p->given_up = it->iteration - p->since >= p->wait || it->iteration >= p->most;
  return !p->given_up;
}

// the caller's stop function
static bool ask_caller(void *user) {
  const oc_hooks *hooks = &((patience *)user)->w->set.hooks;
  return hooks->stop && hooks->stop(hooks->user);
}

typedef dm_status nlp_solver(const oc_nlp *nlp, const oc_options *options, const oc_hooks *hooks,
                             oc_point *point, oc_iterate *record, int room, oc_ipopt_info *info);

// -- scales

static const oc_nlp *find_program(const oc_solution *w) {
  return w->scaled ? oc_scaled_nlp(w->scaled) : w->nlp;
}

// the named solver, or the stage solver followed by IPOPT
static nlp_solver *find_solver(const oc_solution *w, oc_beginnings which) {
  if (!w->stage) return oc_ipopt_solve;
  return w->set.options.method == OC_SOLVER_STAGE || which == OC_BEGIN_FIRST ? oc_interior_solve
                                                                             : oc_hand_over_solve;
}

// copy a solver's results to oc_solve_info
static void take_figures(oc_solution *w, const oc_ipopt_info *found, int max_iter) {
  oc_solve_info *info = &w->info;
  memcpy(info->detail, found->detail, sizeof info->detail);
  memcpy(info->handed_on, found->stage, sizeof info->handed_on);
  info->late =
      found->status == DM_MAX_ITER && found->spent < max_iter; // not by the iteration limit
  // IPOPT continues without multipliers
  const bool handed_on = found->stage[0];
  info->method = w->stage && !handed_on ? "stage" : "ipopt";
  info->warm = w->warm && !handed_on;
  info->linear = found->solver;
  info->factorizations = found->factorizations;
  info->by_ldl = found->by_ldl;
  info->iterations = found->iterations;
  info->spent = found->spent;
  info->rows = found->rows;
  info->objective = found->objective / find_objective_scale(w);
  info->violation_share = found->max_violation;
  info->worst_row = found->worst_row;

  // the violations at the point in the rows' own units
  const oc_nlp *nlp = w->nlp;
  const int worst = info->worst_row;
  double *g = w->rows;
  info->max_violation = info->worst_violation = NAN;
  if (isfinite(info->violation_share) && nlp->g(nlp->self, w->point.x, g) >= 0) {
    info->max_violation = fmax(oc_row_violation(nlp, g), oc_bound_violation(nlp, w->point.x));
    if (worst >= 0)
      info->worst_violation = oc_bound_excess(g[worst], nlp->g_min[worst], nlp->g_max[worst]);
  }

  info->inertia = found->inertia;
  info->total_s = found->total_s;
  info->derivatives_s = found->derivatives_s;
}

// run the program's solver with these beginnings; with `p` the search may be stopped early
static dm_status run_solver(oc_solution *w, int max_iter, double max_time, oc_beginnings which,
                            patience *p) {
  oc_options options = w->set.options;
  oc_ipopt_info found = {0};
  patience endless = {.w = w};
  if (p) p->limited = true;
  if (!p) p = &endless;

  // the program as solvers see it: scaled at the first guess, if the program provides scales
  if (!w->scaled && w->nlp->scale) DM_TRY(oc_scaled_new(&w->scaled, w->nlp, w->guess));

  // the options, and facts about this program
  options.max_iter = max_iter;
  options.max_time = max_time;
  if (w->second) {
    // a lower bound on the gradient that the solver sees, caused by rounding, at the guess
    double *rounding = &options.program.rounding;
    double least;
    if (oc_torque_transcription_rounding(w->second, w->guess, w->scaled, &least) == DM_OK)
      *rounding = least;
  }
  options.program.flat = w->scaled ? options.tol : 0;
  options.program.warm = w->warm;
  // not with contacts, whose multipliers are not unique
  options.program.models = w->same && !oc_contact_programs_exist(w);
  options.program.beginnings = which;
  const oc_hooks hooks = {.watch = watch_progress, .stop = ask_caller, .user = p};

  if (w->scaled) oc_scaled_enter(w->scaled, &w->point);
  const dm_status s =
      w->kept ? oc_interior_run(w->kept, &options, &hooks, &w->point, w->record, w->room, &found)
              : find_solver(w, which)(find_program(w), &options, &hooks, &w->point, w->record,
                                      w->room, &found);
  if (w->scaled) oc_scaled_leave(w->scaled, &w->point);
  for (int i = 0; i < found.rows; i++) w->record[i] = leave_iterate(w, w->record[i]);
  take_figures(w, &found, max_iter);
  if (s != DM_INTERRUPTED || !p->given_up) return s;
  snprintf(w->info.detail, sizeof w->info.detail, "No_Progress");
  return DM_MAX_ITER;
}

// -- outcomes

// keep the better of the current point and an outcome
static void keep_better(oc_solution *w, const oc_outcome *o) {
  oc_solve_info *now = &w->info;
  const oc_solve_info *was = &o->info;
  if (oc_is_better_point(now->objective, now->violation_share, was->objective,
                         was->violation_share))
    return;
  memcpy(w->point.x, o->numbers, o->count * sizeof *w->point.x);
  now->objective = was->objective;
  now->max_violation = was->max_violation;
  now->violation_share = was->violation_share;
  now->worst_violation = was->worst_violation;
  now->worst_row = was->worst_row;
}

// -- leaving a saddle

static bool is_stationary(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// The inertia at the final point of w, within max_time from the start of its search.
//   direction  out: as oc_interior_inertia, or NULL
static dm_status measure_inertia(oc_solution *w, double max_time, double *direction) {
  oc_options options = w->set.options;
  const oc_hooks hooks = {.stop = w->set.hooks.stop, .user = w->set.hooks.user};
  options.program.flat = w->scaled ? options.tol : 0;
  options.max_time = max_time - w->info.total_s;

  // a copy of the point in the solvers' units
  const size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  double *numbers = calloc(3 * n + m + 1, sizeof *numbers);
  if (!numbers) return DM_NO_MEMORY;
  oc_point at = {numbers, numbers + 3 * n, numbers + n, numbers + 2 * n};
  oc_point_copy(w->nlp, &w->point, &at);
  if (w->scaled) oc_scaled_enter(w->scaled, &at);

  const dm_status s =
      oc_interior_inertia(find_program(w), &options, &hooks, &at, &w->info.inertia, direction);
  if (direction && w->scaled) oc_scaled_leave_direction(w->scaled, direction);
  free(numbers);
  return s;
}

// Check an outcome's status also by second order: measure the inertia now if the solver has not. If that is
// impossible, the status stays.
static dm_status judge_outcome(oc_solution *w, double max_time, dm_status s) {
  if (!is_stationary(s)) return s;
  if (w->info.inertia.kind == OC_INERTIA_UNKNOWN) measure_inertia(w, max_time, NULL);
  return w->info.inertia.kind == OC_INERTIA_SADDLE ? DM_SADDLE : s;
}

// A saddle to leave.
typedef struct departure {
  oc_outcome saddle; // the lowest so far
  // direction off the saddle, from oc_interior_inertia [n]
  double *direction;
  int left;     // number of saddles left
  int searches; // on both sides, for all saddles
  int max_iter; // for all searches
  double max_time;
} departure;

// Search on one side of the saddle, then on the other; repeat from a lower saddle. Returns DM_OK or
// DM_ACCEPTABLE at a minimum with a lower objective, DM_SADDLE without one, otherwise the status of the
// search that ended it.
static dm_status search_sides(oc_solution *w, departure *d) {
  const int most = clip_int(d->max_iter / OTHER_SHARE, 1, OTHER_ITERATIONS);
  double *x = w->point.x;
  dm_status s = DM_SADDLE;
  for (int side = 0; side < 2 && s >= 0; side++) {
    // 1. at a saddle: measure it again, with a direction of descent, and save it
    if (side == 0) {
      s = measure_inertia(w, d->max_time, d->direction);
      if (s == DM_OK && w->info.inertia.kind == OC_INERTIA_SADDLE) s = DM_SADDLE;
      const dm_status kept = oc_outcome_save(w, &d->saddle);
      if (kept != DM_OK) return kept;
      if (d->searches == 0) w->info.lowest = w->info.objective;
      if (d->searches == 0 && s == DM_OK) d->left = -1; // not a saddle: no saddle was left
    }
    if (s < 0 || is_stationary(s) || s == DM_INTERRUPTED) return s;
    if (w->info.spent >= d->max_iter || w->info.total_s >= d->max_time) break;
    const oc_solve_info before = w->info;
    const int left = d->max_iter - before.spent;
    d->searches++;

    // 2. a point beside the saddle, within its bounds
    const double objective = d->saddle.info.objective, share = side == 0 ? ASIDE : -ASIDE;
    oc_outcome_restore(w, &d->saddle);
    for (int j = 0; j < w->nlp->n; j++)
      x[j] = fmin(fmax(x[j] + share * d->direction[j], w->nlp->x_min[j]), w->nlp->x_max[j]);
    w->warm = false;
    w->info.inertia = (oc_inertia){.kind = OC_INERTIA_UNKNOWN};

    // 3. a search from there
    patience p = {.w = w, .wait = most, .most = most, .best = INFINITY};
    p.floor = objective - BOTTOMLESS * (1 / find_objective_scale(w) + fabs(objective));
    s = run_solver(w, left < most ? left : most, d->max_time - before.total_s, OC_BEGIN_FIRST, &p);
    oc_effort_add(&w->info, &before);
    s = judge_outcome(w, d->max_time, s);

    // 4. the lowest objective with satisfied rows, wherever the search ended
    w->info.lowest = before.lowest;
    if (w->info.violation_share <= FEASIBLE)
      w->info.lowest = fmin(w->info.lowest, w->info.objective);
    if ((is_stationary(s) || s == DM_SADDLE) && w->info.objective >= objective) s = DM_STALLED;

    // 5. from a lower saddle, search on both of its sides
    if (s != DM_SADDLE || d->left == SADDLES) continue;
    d->left++;
    side = -1;
  }
  return s < 0 || is_stationary(s) || s == DM_INTERRUPTED ? s : DM_SADDLE;
}

// Judge the outcome s of a search. From a saddle, search for a minimum on both sides. If no search finds one,
// the result is the lowest saddle. If nothing lower is next to it, the point counts as a degenerate minimum.
// With `only_guess` the result stays at the saddle.
static dm_status leave_saddle(oc_solution *w, int max_iter, double max_time, dm_status s) {
  s = judge_outcome(w, max_time, s);
  if (s != DM_SADDLE) return s;
  departure d = {.max_iter = max_iter, .max_time = max_time};
  const double first = w->info.objective;
  const bool stays = w->set.options.only_guess;
  if (stays) d.left = SADDLES; // one search on each side
  d.direction = calloc((size_t)w->nlp->n, sizeof *d.direction);
  s = d.direction ? search_sides(w, &d) : DM_NO_MEMORY;
  bool found = is_stationary(s);
  if (s == DM_INTERRUPTED) keep_better(w, &d.saddle);
  if ((!found || stays) && s >= 0 && s != DM_INTERRUPTED && d.saddle.record) {
    // did a search beside the saddle find a lower objective? If not, the negative curvature may be a rounding
    // error. Without any search, the curvature decides.
    const double objective = d.saddle.info.objective;
    const bool confirmed = d.searches == 0 || fmin(w->info.lowest, w->info.objective) <
                                                  objective - LOWER * fabs(objective);

    // restore the lowest saddle, with the effort of all searches
    const double lowest = w->info.lowest;
    oc_outcome_return(w, &d.saddle);
    w->info.lowest = lowest;

    oc_inertia *inertia = &w->info.inertia;
    if (!confirmed && inertia->kind == OC_INERTIA_SADDLE)
      *inertia = (oc_inertia){OC_INERTIA_FLAT, inertia->positive, inertia->zero + inertia->negative,
                              0, inertia->active};
    s = confirmed ? DM_SADDLE : DM_OK;
    found = false;
  }
  w->info.saddles = stays ? 0 : d.left + found;
  w->info.saddle = first;
  free(d.direction);
  oc_outcome_free(&d.saddle);
  return s;
}

dm_status oc_search_program(oc_solution *w, int max_iter, double max_time) {
  const dm_status s = run_solver(w, max_iter, max_time, OC_BEGIN_ALL, NULL);
  return leave_saddle(w, max_iter, max_time, s);
}

dm_status oc_search_once(oc_solution *w, int max_iter, double max_time) {
  patience p = {.w = w,
                .wait = RESTORING_WAIT,
                .most = INT_MAX,
                .best = INFINITY,
                .floor = -INFINITY,
                .restoring = true};
  const dm_status s = run_solver(w, max_iter, max_time, OC_BEGIN_ALL, &p);
  if (!p.given_up) return s;
  w->info.late = false;
  return DM_INFEASIBLE;
}

// -- starting points of searches

typedef enum start_kind {
  START_ROLLOUT, // with zero forces
  START_LINE,
  START_BRANCH, // the line through another posture; only for goals and via points in space
  START_DRAWN,  // from oc_guess_kinds
  START_NEAREST // the best of many rollouts
} start_kind;

enum { BENDS = 1, INPUTS, PUMPING }; // rows of oc_guess_kinds

typedef struct start {
  start_kind kind;
  int number, drawn; // number for the seed; row of oc_guess_kinds
} start;

// In this order. Rollouts satisfy the equations of motion, and are the most likely to lead to solutions where
// lines fail; a line's bends seldom do. The nearest rollout is tried before five guesses can agree that no
// solution exists.
static const start starts[] = {
    {START_BRANCH, 1, 0},     {START_ROLLOUT, 0, 0},    {START_DRAWN, 1, INPUTS},
    {START_NEAREST, 1, 0},    {START_BRANCH, 2, 0},     {START_DRAWN, 2, PUMPING},
    {START_DRAWN, 2, INPUTS}, {START_NEAREST, 2, 0},    {START_DRAWN, 3, INPUTS},
    {START_DRAWN, 1, BENDS},  {START_LINE, 0, 0},       {START_BRANCH, 3, 0},
    {START_NEAREST, 3, 0},    {START_DRAWN, 4, INPUTS}, {START_DRAWN, 1, PUMPING},
    {START_BRANCH, 4, 0},     {START_BRANCH, 5, 0},     {START_BRANCH, 6, 0},
};
enum { STARTS = sizeof starts / sizeof *starts };

typedef struct searches {
  oc_outcome first;
  double mark[STARTS + 1]; // of each guess so far
  int guesses, left;       // so far; remaining iterations
  int wait;                // iterations of a search without progress
  int agreed;              // guesses that led to minima of the violation
  bool given_up;           // was the first search stopped early?
  bool late;               // time was up
  double begun;            // start time, s: includes the time for guesses
  double derivatives_s;    // total over all searches
  dm_status s;             // of the last search
  dm_status failed;        // of the first search
} searches;

// set the point to a motion of the settings: a rollout with zero forces, or a branch of the line
static dm_status start_plain(oc_solution *w, bool rollout, int branch) {
  const oc_setup set = w->set;
  w->set.guess = NULL;
  w->set.warm = NULL;
  w->set.rollout = rollout;
  w->set.rollout_u = NULL;
  w->branch = (uint64_t)branch;
  const dm_status s = w->phases ? oc_solution_start_phases(w, NULL) : oc_solution_start(w, NULL);
  w->set = set;
  w->branch = 0;
  return s;
}

// set the point to a random guess
static dm_status start_drawn(oc_solution *w, const start *from, double until) {
  const oc_setup set = w->set;
  dm_trajectory *x;
  DM_TRY(dm_trajectory_of(&x, w->task.N, &w->task.system));
  oc_deadline d = {.until = until, .stop = set.hooks.stop, .user = set.hooks.user};
  dm_status s = from->kind == START_NEAREST
                    ? oc_nearest_rollout(&w->task, 0, from->number, &d, x)
                    : oc_guess_kinds[from->drawn].draw(&w->task, 0, from->number, x);
  w->set.warm = NULL;
  if (s >= 0) s = oc_solution_start(w, x);
  w->set = set;
  dm_trajectory_free(x);
  return s;
}

// does this kind of guess exist for the task?
static bool has_start(const oc_solution *w, const start *from) {
  const bool postures = w->phases || (w->first && oc_has_waypoints(&w->task));
  if (from->kind == START_BRANCH) return postures;
  return !w->phases && (from->kind != START_NEAREST || oc_has_nearest_rollout(&w->task));
}

// -- one after another

static double find_time_spent(const searches *x) {
  return oc_clock() - x->begun;
}

// one more search from the current point, with these beginnings; `most` limits its iterations and lets it be
// stopped early (0: neither); returns true if it found a solution
static bool search_from_here(oc_solution *w, searches *x, oc_beginnings which, int most) {
  patience p = {.w = w, .wait = x->wait, .most = most, .best = INFINITY, .floor = -INFINITY};
  w->info = (oc_solve_info){.status = DM_OK};
  const double time = w->set.options.max_time - find_time_spent(x);
  x->s = run_solver(w, x->left, time, which, most ? &p : NULL);
  x->s = leave_saddle(w, x->left, time, x->s);
  x->left -= w->info.spent;
  x->derivatives_s += w->info.derivatives_s;
  x->late |= w->info.late && !p.given_up;
  if (p.given_up) w->info.late = false;
  return oc_search_is_found(x->s);
}

// are time and iterations left for another search?
static bool goes_on(const oc_solution *w, const searches *x) {
  return x->left > 0 && !x->late && find_time_spent(x) < w->set.options.max_time;
}

// A number that is equal, up to rounding, for equal guesses: 0 for the first.
static double find_mark(const oc_solution *w, const oc_outcome *first) {
  const double *from = first->numbers + 3 * (size_t)w->nlp->n;
  double sum = 0;
  for (int j = 0; j < w->nlp->n; j++) {
    const double size = w->scaled ? oc_scaled_size(w->scaled, j) : 1;
    sum += sin(j + 1.0) * (w->guess[j] - from[j]) / size;
  }
  return sum;
}

// was an equal guess tried?
static bool is_tried(const searches *x, double mark) {
  for (int i = 0; i < x->guesses; i++)
    if (fabs(x->mark[i] - mark) <= ALIKE * (1 + fabs(mark))) return true;
  return false;
}

// search from the other guesses, in their order
static bool search_others(oc_solution *w, searches *x) {
  for (int i = 0; i < STARTS && goes_on(w, x) && x->agreed < AGREED; i++) {
    // start again from another guess
    const start *from = &starts[i];
    if (!has_start(w, from)) continue;
    memset(w->point.x, 0, x->first.count * sizeof *w->point.x);
    w->warm = false;
    const bool drawn = from->kind == START_DRAWN || from->kind == START_NEAREST;
    const dm_status s = drawn ? start_drawn(w, from, x->begun + w->set.options.max_time)
                              : start_plain(w, from->kind == START_ROLLOUT, from->number);
    if (s < 0) continue;

    const double mark = find_mark(w, &x->first);
    if (is_tried(x, mark)) continue;
    x->mark[x->guesses++] = mark;
    const int most = from->kind == START_BRANCH && !w->phases
                         ? POSTURE_ITERATIONS
                         : clip_int(w->set.options.max_iter / OTHER_SHARE, 1, OTHER_ITERATIONS);
    if (search_from_here(w, x, OC_BEGIN_FIRST, most)) return true;
    x->agreed += x->s == DM_INFEASIBLE;
  }
  return false;
}

// search from all guesses, after the first search ended without a solution
static dm_status search_further(oc_solution *w, searches *x) {
  oc_outcome *first = &x->first;
  dm_status saved = oc_outcome_save(w, first);

  // 1. The other guesses. If the first search stalled with satisfied rows, or its functions could not be
  // evaluated, skip them and try the other solver; other postures are tried after a stall.
  const bool stalled = x->s == DM_STALLED && w->info.violation_share <= FEASIBLE;
  const bool here = x->s < 0 || (stalled && !has_start(w, &starts[0]));
  bool done = saved == DM_OK && !here && search_others(w, x);

  // 2. The first guess again, with the other beginnings; if its search was stopped early or stalled, with all
  // of them, one after another in one run of the solver. IPOPT alone has a single beginning.
  const bool again = saved == DM_OK && !done && goes_on(w, x);
  if (again && !w->stage && !x->given_up) {
    x->s = x->failed;
  } else if (again) {
    const size_t n = (size_t)w->nlp->n;
    const bool anew = x->given_up || x->failed == DM_STALLED;
    memset(w->point.x, 0, first->count * sizeof *w->point.x);
    memcpy(w->point.x, first->numbers + 3 * n, n * sizeof *w->point.x);
    memcpy(w->guess, w->point.x, n * sizeof *w->guess);
    done = search_from_here(w, x, anew ? OC_BEGIN_ALL : OC_BEGIN_OTHERS, 0);
    if (!done && x->s >= 0) {
      keep_better(w, first);
      saved = oc_outcome_save(w, first);
    }
  }

  // 3. The status if no search succeeds: all guesses were tried, or a limit was reached.
  dm_status s = x->s;
  if (!done && saved == DM_OK) {
    const bool all = goes_on(w, x);
    oc_outcome_restore(w, first);
    w->info.late = !all && x->left > 0;
    if (s >= 0 && !all)
      snprintf(w->info.detail, sizeof w->info.detail, "%s",
               w->info.late ? "Maximum_Time_Exceeded" : "Maximum_Iterations_Exceeded");
    if (s >= 0 && !all) s = DM_MAX_ITER;
    if (s >= 0 && all && x->agreed > 0) s = DM_INFEASIBLE;
  }

  // an interrupted search may be at a worse point than the first one
  if (saved == DM_OK && s == DM_INTERRUPTED) keep_better(w, first);
  oc_outcome_free(first);
  return saved != DM_OK ? saved : s;
}

// can another guess help? Not if time is over, or if the program failed altogether.
static bool is_worth_more(const oc_solution *w, const searches *x) {
  if (w->set.options.only_guess || !goes_on(w, x)) return false;
  return x->s == DM_INFEASIBLE || x->s == DM_STALLED || x->s == DM_MAX_ITER || x->s == DM_FAULT ||
         x->s == DM_NOT_FINITE;
}

dm_status oc_search_from_guesses(oc_solution *w) {
  const int all = w->set.options.max_iter;
  searches x = {.left = all,
                .guesses = 1,
                .wait = clip_int(all / 10, LEAST_WAIT, MOST_WAIT),
                .begun = oc_clock()};
  const bool alone = !w->set.options.only_guess && !w->warm;
  const int most = all / FIRST_SHARE > FIRST_LEAST ? all / FIRST_SHARE : FIRST_LEAST;
  const bool found = search_from_here(w, &x, alone ? OC_BEGIN_FIRST : OC_BEGIN_ALL,
                                      w->set.options.only_guess ? 0 : most);
  x.given_up = x.s == DM_MAX_ITER;
  x.agreed = x.s == DM_INFEASIBLE;
  x.failed = x.s;

  // if a coordinate is too far from its goal, no guess helps
  int coord = 0;
  const int n = !found && x.s > 0 && w->first ? w->task.system.L.nq : 0;
  while (coord < n && !oc_task_is_too_far(&w->task, coord)) coord++;
  const bool too_far = coord < n;
  if (too_far) {
    x.s = DM_INFEASIBLE;
    w->info.late = false;
  }
  if (!found && !too_far && is_worth_more(w, &x)) x.s = search_further(w, &x);
  w->info.too_far = too_far;
  w->info.too_far_coord = too_far ? coord : 0;
  w->info.guesses = x.guesses;
  w->info.spent = all - x.left;
  w->info.total_s = find_time_spent(&x);
  w->info.derivatives_s = x.derivatives_s;
  return x.s;
}

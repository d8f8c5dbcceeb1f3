#include "optim/multistart_search.h"

#include "optim/descent/descent.h"
#include "optim/nlp/deadline.h"
#include "optim/starts/rollout.h"

#include <math.h>
#include <stdlib.h>

enum {
  DESCENT_FINE = 150,  // iterations of a descent on the task's own grid
  DESCENT_COARSE = 60, // and on the coarse one: enough to reach a valley
  SCHEDULE_COST = 25,  // iterations of a search through contact for one of a search without
  DESCENT_COST = 10    // iterations of the solver that take as long as one descent iteration
};
static const double DESCENT_SHARE = 1e-4; // slope relative to cost
static const double COARSE_TOL = 1e-5;
// A search is stopped if its objective is above (1 + LOST / s^2) times the best, at the fraction s of its
// iterations.
static const double LOST = 0.25;
static const double OWN_TIME =
    0.5; // fraction of the available time for the search from the guess alone

// the context of one search
typedef struct searcher {
  oc_searchers *all;
  const oc_start_search *j;
} searcher;

// -- the end of a search

// Must a search end, because all searches end or because its time is over? The results found by then are
// still refined on the task's own grid.
static bool stop_search(void *user) {
  const searcher *a = user;
  oc_searchers *all = a->all;
  const oc_hooks *hooks = &all->set->hooks;
  if (hooks->stop && hooks->stop(hooks->user)) atomic_store(&all->stopped, true);
  if (atomic_load(&all->stopped) || atomic_load(&all->ended)) return true;
  return !a->j->fine && oc_clock() - all->begun > all->set->options.max_time;
}

static bool watch_search(void *user, const oc_iterate *it) {
  const searcher *a = user;

  // far above the best, a search will not get below it; with a price subtracted, the objective is not
  // comparable with a ratio
  if (a->all->task->per.of != OC_PER_MOTION) return true;
  const double share = (double)it->iteration / a->j->iterations;
  return a->j->fine || !(a->j->best > 0) ||
         it->objective * share * share <= a->j->best * (share * share + LOST);
}

// -- initial motions

// resample a motion on a task's grid
static void stretch_motion(const oc_task *t, const dm_trajectory *from, dm_trajectory *x) {
  oc_task_set_steps(t, t->time.free ? from->h * from->N / x->N : oc_task_step(t), x);
  oc_guess_resample(t, from, x);
}

static bool is_descent(const oc_start_search *j) {
  return j->kind == OC_FROM_DESCENT || j->kind == OC_FROM_GAPS;
}

static dm_status draw_guess(const searcher *a, const oc_task *t, dm_trajectory *x) {
  const oc_searchers *all = a->all;
  const oc_start_search *j = a->j;
  const int kind = is_descent(j) ? j->drawn : j->kind;
  if (j->guess)
    stretch_motion(t, j->guess, x);
  else if (kind != OC_FROM_FILE)
    return oc_guess_kinds[kind].draw(t, (uint64_t)all->set->options.starts.seed, j->number, x);
  else if (all->set->guess)
    stretch_motion(t, all->set->guess, x);
  else
    return oc_guess_own(t, x);
  return DM_OK;
}

// -- the search

static oc_setup set_up_search(searcher *a) {
  oc_setup s = {.options = a->all->set->options,
                .hooks = {.watch = watch_search, .stop = stop_search, .user = a}};
  s.options.method = OC_SOLVER_STAGE;
  s.options.only_guess = true;
  if (!a->j->fine) s.options.tol = COARSE_TOL;
  s.options.max_iter = a->j->iterations;
  // a schedule takes a sequence of searches
  if (a->all->task->system.contacts) s.options.max_iter *= SCHEDULE_COST;
  s.options.max_time = INFINITY; // a hook ends it
  return s;
}

// take the motion, and for a refinement also the point, from a solution
static void take_solution(oc_start_search *j, oc_solution *solution) {
  j->status = solution->info.status;
  j->objective = solution->info.objective;
  j->motion = solution->motion;
  solution->motion = NULL;
  if (!j->fine) return;
  j->point = solution->point;
  j->every_speed = solution->task.every_speed;
  solution->point.x = NULL;
}

void oc_start_search_run(oc_searchers *all, oc_start_search *j) {
  searcher a = {all, j};
  oc_task t = j->fine ? *all->task : *all->grid;
  oc_setup set = set_up_search(&a);
  oc_solution *solution = NULL;
  dm_trajectory *x = NULL;
  int descended = 0;
  if (t.goal.q) t.goal.q = all->goals.q + (size_t)j->goal * (size_t)all->goals.n;

  // from the guess to an optimum
  j->status = oc_solution_new(&solution, &t, &set, NULL);
  if (j->status == DM_OK) j->status = dm_trajectory_of(&x, t.N, &t.system);
  if (j->status == DM_OK) j->status = draw_guess(&a, &t, x);
  if (j->status >= 0 && is_descent(j) && !j->guess) {
    // Newton's method on motions, from the guess x. It ends at a motion, which need not be an optimum.
    oc_options options = a.all->set->options;
    const oc_hooks hooks = {.stop = stop_search, .user = &a};
    oc_descent_info info = {.rows = 0};
    options.descent.share = DESCENT_SHARE;
    if (j->kind == OC_FROM_GAPS) options.descent.projection = OC_GAPS;
    options.max_iter = a.j->fine ? DESCENT_FINE : DESCENT_COARSE;
    options.max_time -= oc_clock() - a.all->begun;
    oc_descend(&t, &options, &hooks, x, NULL, 0, &info, NULL);
    descended = info.iterations;
  }
  if (j->status >= 0) j->status = oc_solution_start(solution, x);
  if (j->status >= 0) j->status = oc_solution_find(solution, NULL);
  dm_trajectory_free(x);
  if (solution) {
    // the work of this many iterations
    const double entries = (double)solution->nlp->jac_nnz + solution->nlp->hess_nnz;
    j->work = entries * (solution->info.spent + DESCENT_COST * descended);
  }
  if (j->status == DM_OK) take_solution(j, solution);
  oc_solution_free(solution);
}

bool oc_start_search_own(oc_searchers *all, oc_start_search *j) {
  j->kind = OC_FROM_OWN;
  searcher a = {all, j};
  oc_setup set = set_up_search(&a);
  oc_solution *solution = NULL;
  set.options.only_guess = false;
  set.options.max_iter = all->set->options.max_iter;
  set.options.max_time = OWN_TIME * all->set->options.max_time;
  set.guess = all->set->guess;
  j->status = oc_solution_new(&solution, all->task, &set, NULL);
  if (j->status == DM_OK) j->status = oc_solution_start(solution, NULL);
  if (j->status >= 0) j->status = oc_solution_find(solution, NULL);
  if (j->status == DM_OK) take_solution(j, solution);
  oc_solution_free(solution);
  return j->motion && oc_start_search_is_solved(j);
}

void oc_start_search_drop(oc_start_search *j) {
  dm_trajectory_free(j->motion);
  dm_trajectory_free(j->guess);
  free(j->point.x);
  j->motion = NULL;
  j->guess = NULL;
  j->point.x = NULL;
}

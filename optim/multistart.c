#include "optim/multistart.h"

#include "lib/multibody/turn.h"
#include "optim/descent/descent.h"
#include "optim/multistart_search.h"
#include "optim/nlp/deadline.h"
#include "optim/ordered_jobs.h"
#include "optim/starts/inverse_kinematics.h"
#include "optim/starts/random_inputs.h"
#include "optim/starts/regrid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST = 24,  // searches from guesses at the beginning of the first run,
  OTHERS = 12, // and of a further one, to goals that no run has tried
  NEAR = 6,    // goals per run for these searches
  LENGTH = 64, // searches of a run, at most
  KEPT = 12,   // optima of the coarse grid that a run keeps, the best ones
  REFINED = 2, // of these, refined at the end, at most
  LEADING = 4, // of these, unchanged for QUIET searches: the run ends
  QUIET = 32,
  EARLY = 40,       // iterations of a coarse search before an optimum is known
  ITERATIONS = 80,  // and of any other one; doubled
  LOST_IN_ROW = 12, // after this many searches in a row ended there, up to
  MOST_ITERATIONS = 640,
  FINE_ITERATIONS = 300, // of a refinement, which starts near its solution
  FINE = 50,             // steps of the coarse grid: N / SHARE, within FINE..COARSE
  COARSE = 150,
  SHARE = 4
};
static const double SAME = 1e-5, SAME_COARSE = 1e-4; // tolerance for equal objectives
static const double HOP_LEAST = 0.3, HOP_MOST = 3;   // sizes of bends of an optimum       rad or m
// fraction of the allowed turn per coarse step at the speed limit
static const double GRID_TURN = 0.7;
// An optimum whose objective is further above the best is refined only as the best of its run.
static const double WORTH = 0.25; // of 1 + |f|

static const double UNSEEN = 0.5; // continue while a new optimum is more likely than a known one

static const double HALF_TURN = 3.141592653589793;

enum { DRAW_HOP = 1 << 22 };

enum { FROM_BRANCHES = OC_GUESS_COUNT - 1 };

// A run: its searches, and its best coarse optima, the best first.
typedef struct run {
  int number, most;   // maximum number of searches
  int planned, taken; // numbers of searches
  int quiet;          // searches since the REFINED best changed
  bool refining;      // are its searches finished?
  oc_start_search kept[KEPT];
  int nkept, refined;
} run;

typedef struct multistart {
  oc_multistart *out;
  const oc_task *task;
  const dm_model *m;
  const oc_setup *set;
  const oc_known *own;
  oc_searchers all;
  oc_regridded coarse;
  bool waypoints; // are outputs prescribed at single knots?
  run run;
  int iterations; // of a search
  int lost;       // consecutive searches that ended at their iteration limit without an optimum
  double sound;   // the best objective of a coarse optimum that is not aliased,
  double *found;  // [goals.count] and the best to each goal, from a guess; INFINITY: none
  int best_run;   // the first run that found the best
  double best;    // on the task's own grid
  oc_optimum optimum[OC_OPTIMA];
  int last_run[OC_OPTIMA]; // the last run that found each optimum
} multistart;

// iterations of a solution on the task's own grid
static int limit_fine(const multistart *w) {
  const oc_options *options = &w->set->options;
  const bool most = options->max_iter < FINE_ITERATIONS || options->starts.only_lines;
  return most ? options->max_iter : FINE_ITERATIONS;
}

static bool is_same(double a, double b, double share) {
  return fabs(a - b) <= share * (1 + fabs(a));
}

const char *const oc_optimum_kinds[] = {
#define NAME_KIND(word, draw) #word,
    OC_GUESS_KINDS(NAME_KIND) "file", "descent", "gaps", "hop", "own", NULL};

// -- the next job of a run

// does goal a come before goal b?
static bool is_goal_before(const multistart *w, int a, int b) {
  if (w->found[a] != w->found[b]) return w->found[a] < w->found[b];
  return a < b;
}

// the goal with this rank among those that searches of any run reached, the best first; -1: fewer goals were
// reached
static int find_goal(const multistart *w, int rank) {
  const int count = w->all.goals.count;
  for (int g = 0; g < count; g++) {
    int before = 0;
    for (int k = 0; k < count; k++) before += is_goal_before(w, k, g);
    if (before == rank) return isfinite(w->found[g]) ? g : -1;
  }
  return -1;
}

// mostly bends of the line: other kinds cost more and succeed less; with goals and via points in space, every
// second guess is another posture
static int choose_kind(const multistart *w, int i) {
  static const int kinds[] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1};
  return w->waypoints && i % 2 ? FROM_BRANCHES : kinds[i % 16];
}

// the number of searches from guesses to goals in turn, before optima show which goals are worthwhile
static int count_first(const multistart *w) {
  const int number = w->run.number;
  if (number == 0) return FIRST;
  return number * NEAR < w->all.goals.count ? OTHERS : 0;
}

// search i at the start of a run, or while no optimum is known: goal by goal, the nearest first
static oc_start_search plan_guess(const multistart *w, int i) {
  const run *r = &w->run;
  const int count = w->all.goals.count, near = count < NEAR ? count : NEAR;
  const int from = count > NEAR ? (r->number * NEAR) % count : 0;
  oc_start_search j = {.goal = (from + i % near) % count,
                       .kind = choose_kind(w, i / near + i + r->number)};

  // in the first run the given guess, and the lines to these goals
  if (r->number == 0 && i < near) j.kind = i == 0 ? OC_FROM_FILE : 0;
  return j;
}

// Search i of a run after optima are known. During the first half, optima and goals are taken in turn: optima
// of the run for a hop, and goals for a bend of the line, the best first.
static dm_status plan_further(const multistart *w, int i, oc_start_search *j) {
  static const int places[] = {0, 1, 0, 2, 0, 1, 0, 3};
  const run *r = &w->run;
  const int place = places[i % 8];
  if ((i + i / 8) % 2 && r->nkept > 0) {
    // a hop: the guess is a bend of a kept optimum
    const oc_start_search *from = &r->kept[place % r->nkept];
    const uint64_t seed = (uint64_t)w->set->options.starts.seed;
    DM_TRY(dm_trajectory_of(&j->guess, w->all.grid->N, &w->all.grid->system));
    dm_trajectory_copy(j->guess, from->motion);
    oc_guess_perturb(w->all.grid, seed, j->number,
                     oc_guess_size(seed, j->number, DRAW_HOP, HOP_LEAST, HOP_MOST), j->guess);
    j->goal = from->goal;
    j->kind = OC_FROM_HOP;
    return DM_OK;
  }
  j->goal = find_goal(w, place);
  if (j->goal < 0) j->goal = r->nkept > 0 ? r->kept[0].goal : 0;
  j->kind = choose_kind(w, i / 2);
  return DM_OK;
}

static bool is_over(const multistart *w) {
  return atomic_load(&w->all.stopped) || w->out->work >= w->set->options.starts.work ||
         oc_clock() - w->all.begun > w->set->options.max_time;
}

static bool are_searches_over(const multistart *w) {
  const run *r = &w->run;
  const int near = w->all.goals.count < NEAR ? w->all.goals.count : NEAR;
  return r->planned >= (w->set->options.starts.only_lines ? near : r->most) || r->quiet >= QUIET ||
         is_over(w);
}

// the first searches of the first run, the most promising: they get the iterations of later searches
static bool is_line(const multistart *w, int i) {
  return w->run.number == 0 && i < NEAR && i < w->all.goals.count;
}

static dm_status plan_search(multistart *w, oc_start_search *out) {
  run *r = &w->run;
  const int i = r->planned++;
  const bool guess = i < count_first(w) || (r->nkept == 0 && !isfinite(w->sound));
  oc_start_search j = guess ? plan_guess(w, i) : (oc_start_search){.fine = false};

  // Once an optimum is known, searches whose objective stays above it are stopped early, so others may take
  // longer. If many searches end at their limit, the task needs more iterations.
  if (isfinite(w->sound) && w->iterations < ITERATIONS) w->iterations = ITERATIONS;
  if (w->lost >= LOST_IN_ROW && 2 * w->iterations <= MOST_ITERATIONS) {
    w->iterations *= 2;
    w->lost = 0;
  }
  j.number = r->number * LENGTH + i;
  j.iterations = is_line(w, i) && w->iterations < ITERATIONS ? ITERATIONS : w->iterations;
  j.best = is_line(w, i) ? INFINITY : fmin(w->sound, w->best);
  dm_status s = DM_OK;

  // One search of a run uses descent, which takes as long as many others: the first one after those to each
  // goal; in the first run from the given guess, followed by one without feedback.
  const int near = w->all.goals.count < NEAR ? w->all.goals.count : NEAR;
  const bool gaps = w->all.gaps && w->run.number == 0 && i == near + 1;
  if (gaps || (w->all.descends && i == near)) {
    // From the given guess on the task's own grid, as `dmoc descend` does, because on the coarse grid the solver
    // leaves the valley found by descent. From other guesses on the coarse grid.
    const int nearest = find_goal(w, 0);
    j.kind = gaps ? OC_FROM_GAPS : OC_FROM_DESCENT;
    j.fine = w->run.number == 0;
    j.drawn = j.fine ? OC_FROM_FILE : choose_kind(w, i);
    j.goal = j.fine || nearest < 0 ? 0 : nearest;
    if (j.fine) j.iterations = limit_fine(w);
  } else if (!guess)
    s = plan_further(w, i, &j);

  *out = j;
  return s;
}

// is there another kept optimum to refine? Optima far above the best are skipped.
static bool is_refinable(const multistart *w) {
  const run *r = &w->run;
  if (r->refined >= r->nkept || r->refined >= REFINED) return false;
  return r->refined == 0 ||
         r->kept[r->refined].objective <= w->sound + WORTH * (1 + fabs(w->sound));
}

// refine the next kept optimum on the task's own grid, starting from it
static void plan_refinement(multistart *w, oc_start_search *out) {
  run *r = &w->run;
  const oc_start_search *from = &r->kept[r->refined++];
  *out = *from;
  out->fine = true;
  out->iterations = limit_fine(w);
  out->guess = from->motion;
  r->kept[r->refined - 1].motion = NULL;
  out->motion = NULL;
  out->last = !is_refinable(w);
}

static void begin_run(multistart *w, int number) {
  const int left = w->set->options.starts.count - number * LENGTH;
  for (int i = 0; i < w->run.nkept; i++) oc_start_search_drop(&w->run.kept[i]);
  w->run = (run){.number = number, .most = left < LENGTH ? left : LENGTH};
}

static void close_run(multistart *w);

static oc_jobs_word plan_job(void *user, void *job) {
  multistart *w = user;
  run *r = &w->run;
  // everything ends, and nothing has to continue
  if (atomic_load(&w->all.stopped) || w->out->enough) {
    atomic_store(&w->all.ended, true);
    return OC_JOBS_STOP;
  }

  // searches, and after all of them have been taken the refinements
  if (!r->refining && !are_searches_over(w))
    return plan_search(w, job) == DM_OK ? OC_JOBS_GO : OC_JOBS_LAST;
  if (!r->refining && r->taken < r->planned) return OC_JOBS_WAIT;
  r->refining = true;
  if (is_refinable(w)) {
    plan_refinement(w, job);
    return OC_JOBS_GO;
  }

  // the next run, which does not have to wait for these
  if (r->nkept == 0) close_run(w);
  const int next = r->number + 1;
  if (w->set->options.starts.only_lines || next * LENGTH >= w->set->options.starts.count ||
      is_over(w))
    return OC_JOBS_LAST;
  begin_run(w, next);
  return plan_search(w, job) == DM_OK ? OC_JOBS_GO : OC_JOBS_LAST;
}

// -- results of searches, in their order

// is it different from those kept, and better than the last of them?
static bool is_worth_keeping(const run *r, const oc_start_search *j) {
  if (r->nkept == KEPT && j->objective >= r->kept[KEPT - 1].objective) return false;
  for (int i = 0; i < r->nkept; i++)
    if (r->kept[i].goal == j->goal && is_same(r->kept[i].objective, j->objective, SAME_COARSE))
      return false;
  return true;
}

static void count_search(multistart *w) {
  w->run.taken++;
  w->run.quiet++;
  w->out->searches++;
}

static void take_search(multistart *w, oc_start_search *j) {
  run *r = &w->run;
  count_search(w);
  w->lost += w->out->solved == 0 || j->status == DM_MAX_ITER;
  dm_trajectory_free(j->guess);
  j->guess = NULL;

  // a motion that turns too far in one step is aliased: its path between knots is ambiguous
  const double turn = oc_start_search_is_solved(j)
                          ? dm_turn_largest(w->m, j->motion->N, j->motion->q).angle
                          : INFINITY;
  if (turn > fmax(w->set->options.starts.turn, HALF_TURN)) {
    oc_start_search_drop(j);
    return;
  }
  w->out->solved++;
  w->lost = 0;
  if (turn <= w->set->options.starts.turn) {
    w->sound = fmin(w->sound, j->objective);
    if (j->kind != OC_FROM_HOP) w->found[j->goal] = fmin(w->found[j->goal], j->objective);
  }
  if (!is_worth_keeping(r, j)) {
    oc_start_search_drop(j);
    return;
  }

  // insert it in order among those kept; the last one is dropped
  int at = r->nkept;
  while (at > 0 && r->kept[at - 1].objective > j->objective) at--;
  if (r->nkept == KEPT) oc_start_search_drop(&r->kept[--r->nkept]);
  memmove(r->kept + at + 1, r->kept + at, (size_t)(r->nkept - at) * sizeof *j);
  r->kept[at] = *j;
  r->nkept++;
  if (at < LEADING) r->quiet = 0;
}

// order: not aliased first, then by cost
static bool is_before(const oc_optimum *a, const oc_optimum *b) {
  if (a->aliased != b->aliased) return !a->aliased;
  return a->objective < b->objective;
}

static void free_optimum(oc_optimum *o) {
  dm_trajectory_free(o->motion);
  free(o->point.x);
}

// insert a new optimum in order
static void insert_optimum(multistart *w, const oc_optimum *o) {
  oc_multistart *out = w->out;

  // drop the last one of a full list, unless it came from the task's own guess
  if (out->count == OC_OPTIMA) {
    const int last = --out->count, gone = out->optimum[last].first < 0 ? last - 1 : last;
    free_optimum(&out->optimum[gone]);
    out->optimum[gone] = out->optimum[last];
    w->last_run[gone] = w->last_run[last];
  }
  int at = out->count;
  while (at > 0 && is_before(o, &out->optimum[at - 1])) at--;
  memmove(out->optimum + at + 1, out->optimum + at, (size_t)(out->count - at) * sizeof *o);
  memmove(w->last_run + at + 1, w->last_run + at, (size_t)(out->count - at) * sizeof *w->last_run);
  out->optimum[at] = *o;
  w->last_run[at] = o->first < 0 ? -1 : out->runs;
  out->count++;
}

// add a solution on the task's own grid as an optimum, which takes over its motion and point
static void add_optimum(multistart *w, const oc_start_search *j) {
  const double turn = dm_turn_largest(w->m, j->motion->N, j->motion->q).angle;
  const size_t goal = (size_t)j->goal * (size_t)w->all.goals.n;
  const oc_optimum o = {.objective = j->objective,
                        .turn = turn,
                        .aliased = turn > w->set->options.starts.turn,
                        .runs = j->number >= 0,
                        .first = j->number,
                        .kind = oc_optimum_kinds[j->kind],
                        .turns = w->all.goals.turns + goal,
                        .goal = w->all.goals.q + goal,
                        .status = j->status,
                        .motion = j->motion,
                        .point = j->point,
                        .every_speed = j->every_speed};
  insert_optimum(w, &o);
}

// a refinement of run r gave a known optimum or a new one
static void take_refinement(multistart *w, oc_start_search *j) {
  oc_multistart *out = w->out;
  out->refined++;
  if (!oc_start_search_is_solved(j)) {
    oc_start_search_drop(j);
    return;
  }
  for (int i = 0; i < out->count; i++)
    if (is_same(out->optimum[i].objective, j->objective, SAME)) {
      // once per run
      out->optimum[i].runs += w->last_run[i] != out->runs;
      w->last_run[i] = out->runs;
      oc_start_search_drop(j);
      return;
    }

  add_optimum(w, j);
}

static double find_best(const oc_multistart *out) {
  return out->count > 0 && !out->optimum[0].aliased ? out->optimum[0].objective : INFINITY;
}

// all refinements of the run have been taken: did it find a new best one, or the best one again?
static void close_run(multistart *w) {
  oc_multistart *out = w->out;
  const double now = find_best(out);
  if (now < w->best && !is_same(now, w->best, SAME)) w->best_run = out->runs;
  w->best = now;
  out->runs++;

  // Good-Turing estimate: the optima found by only one run tell how many are still unseen
  int singles = 0, draws = 0;
  for (int i = 0; i < out->count; i++) {
    singles += out->optimum[i].runs == 1;
    draws += out->optimum[i].runs;
  }
  out->unseen = draws > 0 ? (double)singles / draws : 1;

  out->enough = isfinite(now) && out->optimum[0].runs >= w->set->options.starts.returns &&
                out->unseen <= UNSEEN;
  if (w->set->hooks.found) w->set->hooks.found(w->set->hooks.user, out);
}

static void take_job(void *user, void *job) {
  multistart *w = user;
  oc_start_search *j = job;
  const bool last = j->last;
  w->out->work += j->work;
  if (!j->fine) {
    take_search(w, j);
    return;
  }
  if (!j->guess) count_search(w); // it does not refine anything
  dm_trajectory_free(j->guess);
  j->guess = NULL;
  take_refinement(w, j);
  if (last) close_run(w);
}

static void drop_job(void *user, void *job) {
  (void)user;
  oc_start_search_drop(job);
}

static void run_job(void *user, void *job) {
  multistart *w = user;
  oc_start_search_run(&w->all, job);
}

// -- the result of the task's own guess

// the caller's solution
static dm_status copy_own(const oc_known *known, oc_start_search *j) {
  const oc_solution *own = known->solution;
  const dm_trajectory *x = known->motion;
  const size_t n = (size_t)own->nlp->n, m = (size_t)own->nlp->m;
  j->kind = OC_FROM_OWN;
  j->status = own->info.status;
  j->objective = own->info.objective;
  j->every_speed = own->task.every_speed;
  DM_TRY(dm_trajectory_of(&j->motion, x->N, &own->task.system));
  dm_trajectory_copy(j->motion, x);

  // x, z_l, z_u [n], lambda [m]
  double *at = malloc((3 * n + m) * sizeof *at);
  if (!at) return DM_NO_MEMORY;
  j->point = (oc_point){at, at + 3 * n, at + n, at + 2 * n};
  memcpy(j->point.x, own->point.x, n * sizeof *at);
  memcpy(j->point.z_l, own->point.z_l, n * sizeof *at);
  memcpy(j->point.z_u, own->point.z_u, n * sizeof *at);
  memcpy(j->point.lambda, own->point.lambda, m * sizeof *at);
  return DM_OK;
}

// the first optimum, if there is one
static dm_status begin_with_own(multistart *w) {
  oc_start_search own = {.fine = true};
  dm_status s = DM_OK;
  if (w->own)
    s = copy_own(w->own, &own);
  else if (w->set->options.starts.only_lines || !oc_start_search_own(&w->all, &own))
    own.status = DM_INFEASIBLE;
  own.number = -1;
  if (s == DM_OK && oc_start_search_is_solved(&own)) {
    add_optimum(w, &own);
    w->best = find_best(w->out);
    return DM_OK;
  }
  oc_start_search_drop(&own);
  return s;
}

static dm_status do_runs(multistart *w) {
  const oc_ordered_jobs jobs = {.threads = w->set->options.starts.threads,
                                .size = sizeof(oc_start_search),
                                .plan = plan_job,
                                .work = run_job,
                                .take = take_job,
                                .drop = drop_job,
                                .user = w};
  begin_run(w, 0);
  const dm_status s = oc_ordered_jobs_run(&jobs);
  for (int i = 0; i < w->run.nkept; i++) oc_start_search_drop(&w->run.kept[i]);
  w->run.nkept = 0;
  if (s != DM_OK) return s;
  return atomic_load(&w->all.stopped) ? DM_INTERRUPTED : DM_OK;
}

// -- the whole

// steps of the coarse grid: fewer, but no joint at its speed limit turns too far in one step
static int choose_steps(const multistart *w) {
  const oc_task *t = w->task;
  if (!oc_task_can_regrid(t)) return t->N;

  // as given, or a share of the task's steps
  int steps = w->set->options.starts.steps;
  if (steps == 0) {
    steps = t->N / SHARE;
    if (steps < FINE) steps = FINE;
    if (steps > COARSE) steps = COARSE;

    // keep T v_max / steps below the largest unambiguous turn
    const double turn = w->set->options.starts.turn;
    for (int i = 0; t->bounds[OC_V].high && i < t->system.L.nq; i++) {
      if (w->m->kind[i] != DM_TURN || !isfinite(oc_high(t, OC_V, i)) || !isfinite(turn)) continue;
      const double least = t->time.T * oc_high(t, OC_V, i) / (GRID_TURN * turn);
      if (least > steps) steps = least < t->N ? (int)ceil(least) : t->N;
    }
  }
  return steps < t->N ? steps : t->N;
}

static const int TURNS[] = {-1, 0, 1};

int oc_multistart_goals(const oc_task *task, const dm_model *m) {
  oc_circle_goals goals = {.count = 1};
  bool *circle = calloc((size_t)task->system.L.nq + 1, sizeof *circle);
  const bool any = circle && oc_find_circles(task, m, circle) > 0;
  const bool made = any && oc_circle_goals_new(&goals, task, circle, TURNS, 3) == DM_OK;
  const int count = made ? goals.count : 1;
  if (made) oc_circle_goals_free(&goals);
  free(circle);
  return count;
}

static dm_status open_multistart(multistart *w) {
  const oc_options *options = &w->set->options;
  const int *turns = options->starts.turns;
  bool *circle = calloc((size_t)w->task->system.L.nq + 1, sizeof *circle);
  if (!circle) return DM_NO_MEMORY;

  // the goals with the same pose
  oc_find_circles(w->task, w->m, circle);
  dm_status s = oc_circle_goals_new(&w->all.goals, w->task, circle, turns ? turns : TURNS,
                                    turns ? options->starts.nturns : 3);
  free(circle);
  DM_TRY(s);
  w->found = malloc((size_t)w->all.goals.count * sizeof *w->found);
  if (!w->found) return DM_NO_MEMORY;
  for (int g = 0; g < w->all.goals.count; g++) w->found[g] = INFINITY;

  // the coarse grid
  const int steps = choose_steps(w);
  w->all.grid = w->task;
  w->all.descends = oc_descent_check(w->task, false, NULL, NULL) == DM_OK;
  oc_options with_gaps = *options;
  with_gaps.descent.projection = OC_GAPS;
  w->all.gaps = oc_descent_check_options(w->task, &with_gaps, NULL, NULL) == DM_OK;
  if (steps < w->task->N) {
    DM_TRY(oc_task_regrid(&w->coarse, w->task, steps));
    w->all.grid = &w->coarse.task;
  }
  w->waypoints = oc_has_waypoints(w->all.grid);
  w->out->coarse_steps = steps;
  w->out->goals = w->all.goals.count;
  return DM_OK;
}

void oc_multistart_free(oc_multistart *out) {
  multistart *w = out->own;
  for (int i = 0; i < out->count; i++) free_optimum(&out->optimum[i]);
  if (w) {
    oc_regridded_free(&w->coarse);
    oc_circle_goals_free(&w->all.goals);
    free(w->found);
    free(w);
  }
  *out = (oc_multistart){.count = 0};
}

dm_status oc_multistart_run(oc_multistart *out, const oc_task *task, const dm_model *m,
                            const oc_setup *set, const oc_known *own, dm_message *msg) {
  const oc_setup plain = oc_setup_default();
  if (!set) set = &plain;
  assert(out && task && m && set->options.starts.count >= 1 && set->options.starts.threads >= 1 &&
         set->options.starts.threads <= OC_THREADS);
  *out = (oc_multistart){.unseen = 1, .better = 1};
  const double begun = oc_clock();

  // refuse invalid tasks before all searches
  DM_TRY(oc_task_check(task, msg));
  multistart *w = calloc(1, sizeof *w);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  w->out = out;
  w->task = task;
  w->all = (oc_searchers){.task = task, .set = set, .begun = begun};
  w->m = m;
  w->set = set;
  w->own = own;
  w->iterations = set->options.starts.only_lines ? ITERATIONS : EARLY;
  w->sound = w->best = INFINITY;
  out->own = w;
  out->optimum = w->optimum;
  dm_status s = open_multistart(w);
  if (s == DM_OK) s = begin_with_own(w);
  if (s == DM_OK) s = do_runs(w);

  // Laplace's rule: none of the runs after the one that found the best found a better one
  out->better = 1.0 / (out->runs - w->best_run + 1);
  out->total_s = oc_clock() - begun;
  if (s < 0) oc_multistart_free(out);
  return s < 0 ? dm_fail(msg, s, "%s", dm_status_text(s)) : s;
}

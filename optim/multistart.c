#include "optim/multistart.h"

#include "lib/base/random.h"
#include "lib/multibody/turn.h"
#include "optim/transcription/circle_goals.h"
#include "optim/transcription/regrid.h"
#include "optim/transcription/seeded_guess.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  FIRST = 12,      // searches that a run begins with, from guesses
  NEAR = 6,        // goals that these lead to; of more each further run takes others
  LENGTH = 128,    // searches of a run, at most
  WIDE = 12,       // hops from the best three goals, and as many from two, before those from one
  REFINED = 3,     // goals whose best is refined at the end of a run
  QUIET = 24,      // hops without a better one, which end it
  ITERATIONS = 80, // of a coarse search, which is lost beyond that; twice as many where all
  MOST_ITERATIONS = 640, // guesses were, up to these
  FINE_ITERATIONS = 300, // of a refinement, which begins near its end
  FINE = 50,             // steps of the coarse grid: N / SHARE, between these
  COARSE = 150,
  SHARE = 4
};
static const double COARSE_TOL = 1e-6;
static const double SAME = 1e-5;                   // objectives of one optimum differ by less
static const double HOP_LEAST = 0.3, HOP_MOST = 3; // sizes of bends of an optimum       rad or m
static const double GRID_TURN = 0.7; // of the turn allowed, at the limit of speed, in a coarse step

static const double HALF_TURN = 3.141592653589793;

enum { DRAW_HOP = 1 << 22 };

// a search, or a refinement, from its plan to its outcome
typedef struct search {
  int number;     // from 0; of a refinement that of the search that it refines
  int goal, kind; // of oc_circle_goals; of oc_guess_kinds, or below
  bool hop;       // it begins from the best of its goal
  bool fine;      // a refinement
  dm_status status;
  double objective;
  dm_trajectory *motion;
  oc_point point;
} search;

enum { KIND_FILE = OC_GUESS_COUNT, KIND_HOP };

typedef struct multistart {
  oc_multistart *out;
  const oc_task *task;
  const dm_model *m;
  const oc_multistart_settings *set;
  oc_regridded coarse;
  const oc_task *grid; // of the coarse grid, or the task itself
  oc_circle_goals goals;
  double begun;
  atomic_bool stopped;
  oc_optimum optimum[OC_OPTIMA];
  int last_run[OC_OPTIMA]; // that came to it
} multistart;

// A run: the best coarse optimum of each goal, and goals by these, the best first.
typedef struct run {
  multistart *w;
  int number, most; // searches, at most
  int searches, solved, iterations;
  search best[OC_CIRCLE_GOALS];
  int rank[OC_CIRCLE_GOALS], known;
  int hops, quiet;         // in all; since there was a better one
  search refined[REFINED]; // its outcome
  int nrefined;
} run;

static double multistart_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

oc_multistart_settings oc_multistart_default(void) {
  const oc_solve_settings set = oc_solve_default();
  return (oc_multistart_settings){.searches = OC_SEARCHES_AUTO,
                                  .returns = 3,
                                  .threads = 1,
                                  .turn = 1.5707963267948966,
                                  .tol = set.tol,
                                  .max_iter = FINE_ITERATIONS,
                                  .max_time = INFINITY};
}

static bool is_same(double a, double b, double share) {
  return fabs(a - b) <= share * (1 + fabs(a));
}

static const char *name_kind(int kind) {
  if (kind == KIND_FILE) return "file";
  return kind == KIND_HOP ? "hop" : oc_guess_kinds[kind].name;
}

// -- one search, by any thread

static bool watch_search(void *user, const oc_iterate *it) {
  multistart *w = user;
  (void)it;
  if (w->set->stop && w->set->stop(w->set->user)) atomic_store(&w->stopped, true);
  return !atomic_load(&w->stopped);
}

// a motion stretched over the task's grid
static void stretch_motion(const oc_task *t, const dm_trajectory *from, dm_trajectory *x) {
  x->h = t->free_time ? from->h * from->N / x->N : oc_task_step(t);
  oc_guess_resample(t, from, x);
}

static dm_status draw_guess(const run *r, const search *j, const oc_task *t, dm_trajectory *x) {
  const multistart *w = r->w;
  const uint64_t seed = w->set->seed;
  const search *from = j->hop || j->fine ? &r->best[j->goal] : NULL;
  if (j->kind == KIND_FILE) {
    if (!w->set->guess) return oc_guess_line(t, x);
    stretch_motion(t, w->set->guess, x);
    return DM_OK;
  }
  if (!from) return oc_guess_kinds[j->kind].draw(t, seed, j->number, x);

  // the optimum of the coarse grid; for a hop, bent
  stretch_motion(t, from->motion, x);
  if (!j->fine)
    oc_guess_perturb(t, seed, j->number,
                     oc_guess_size(seed, j->number, DRAW_HOP, HOP_LEAST, HOP_MOST), x);
  return DM_OK;
}

static oc_solve_settings choose_settings(const run *r, const search *j) {
  multistart *w = r->w;
  oc_solve_settings set = oc_solve_default();
  set.solver = OC_SOLVER_STAGE;
  set.only_guess = true;
  set.tol = j->fine ? w->set->tol : COARSE_TOL;
  set.max_iter = j->fine ? w->set->max_iter : r->iterations;
  set.watch = watch_search;
  set.user = w;
  return set;
}

static void run_search(const run *r, search *j) {
  const multistart *w = r->w;
  oc_task t = j->fine ? *w->task : *w->grid;
  oc_solve_settings set = choose_settings(r, j);
  oc_solution *solution = NULL;
  dm_trajectory *x = NULL;
  if (t.q_goal) t.q_goal = w->goals.q + (size_t)j->goal * (size_t)w->goals.n;

  // from the guess to an optimum
  j->status = oc_solution_new(&solution, &t, &set, NULL);
  if (j->status == DM_OK) j->status = dm_trajectory_of(&x, t.N, &t.system);
  if (j->status == DM_OK) j->status = draw_guess(r, j, &t, x);
  if (j->status >= 0) j->status = oc_solution_start(solution, x);
  if (j->status >= 0) j->status = oc_solution_find(solution, NULL);
  dm_trajectory_free(x);

  // its motion, and of a refinement its point, are taken out of the solution
  if (j->status == DM_OK) {
    j->status = solution->info.status;
    j->objective = solution->info.objective;
    j->motion = solution->motion;
    solution->motion = NULL;
    if (j->fine) {
      j->point = solution->point;
      solution->point.x = NULL;
    }
  }
  oc_solution_free(solution);
}

static void drop_search(search *j) {
  dm_trajectory_free(j->motion);
  free(j->point.x);
  j->motion = NULL;
  j->point.x = NULL;
}

// -- a run, on one thread

// search i of those that a run begins with: goal by goal, the nearest first
static search plan_guess(const run *r, int i) {
  static const int kinds[] = {1, 2, 1, 3}; // bends of the line as often as both others
  const int count = r->w->goals.count, near = count < NEAR ? count : NEAR;
  const int from = count > NEAR ? (r->number * NEAR) % count : 0;
  search j = {.goal = (from + i % near) % count};

  // of the first run the given guess, and the lines to these goals
  j.kind = kinds[(i / near + i + r->number) % 4];
  if (r->number == 0 && i < near) j.kind = i == 0 ? KIND_FILE : 0;
  return j;
}

// a hop from the best of the best goals: fewer and fewer of these
static search plan_hop(const run *r) {
  int width = r->hops < WIDE ? 3 : 2;
  if (r->hops >= 2 * WIDE) width = 1;
  if (width > r->known) width = r->known;
  return (search){.goal = r->rank[r->hops % width], .kind = KIND_HOP, .hop = true};
}

static bool is_optimum(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// a goal whose best has become better goes up among the others
static void rank_goal(run *r, int goal) {
  int at = 0;
  while (at < r->known && r->rank[at] != goal) at++;
  if (at == r->known) r->rank[r->known++] = goal;
  for (; at > 0 && r->best[r->rank[at - 1]].objective > r->best[goal].objective; at--)
    r->rank[at] = r->rank[at - 1];
  r->rank[at] = goal;
}

// does a coarse motion turn so far in a step that nothing lies between its knots?
static bool is_aliased(const run *r, const search *j) {
  const double most = fmax(r->w->set->turn, HALF_TURN);
  return dm_turn_largest(r->w->m, j->motion->N, j->motion->q).angle > most;
}

// a search, and whether it came to the best coarse optimum of its goal
static void add_search(run *r, search j) {
  j.number = r->number * LENGTH + r->searches;
  run_search(r, &j);
  search *best = &r->best[j.goal];
  const bool solved = is_optimum(j.status) && !is_aliased(r, &j);
  const bool better = !best->motion || (j.objective < best->objective &&
                                        !is_same(j.objective, best->objective, SAME));

  // it counts, whatever it came to
  r->searches++;
  r->solved += solved;
  r->hops += j.hop;
  r->quiet += j.hop;
  if (!solved || !better) {
    drop_search(&j);
    return;
  }

  // a better one takes the place of the best, and hops begin anew
  drop_search(best);
  *best = j;
  rank_goal(r, j.goal);
  r->quiet = 0;
}

static bool is_over(const multistart *w) {
  return atomic_load(&w->stopped) || multistart_clock() - w->begun > w->set->max_time;
}

// guesses; hops from the best of them until none is better for a while; the best few refined
static void *do_run(void *self) {
  run *r = self;
  multistart *w = r->w;
  const int near = w->goals.count < NEAR ? w->goals.count : NEAR;
  const int first = w->set->only_lines ? near : FIRST;
  for (int i = 0; i < first && r->searches < r->most && !is_over(w); i++) {
    add_search(r, plan_guess(r, i));
    // none at all: the task takes more iterations
    if (w->set->only_lines || i < first - 1 || r->known > 0) continue;
    if (2 * r->iterations <= MOST_ITERATIONS) {
      r->iterations *= 2;
      i = -1;
    }
  }
  while (!w->set->only_lines && r->known > 0 && r->quiet < QUIET && r->searches < r->most &&
         !is_over(w))
    add_search(r, plan_hop(r));

  // the best of the best goals
  for (int i = 0; i < r->known && i < REFINED; i++) {
    search *j = &r->refined[r->nrefined++];
    *j = r->best[r->rank[i]];
    j->fine = true;
    j->motion = NULL;
    run_search(r, j);
  }
  for (int i = 0; i < w->goals.count; i++) drop_search(&r->best[i]);
  return NULL;
}

// -- what runs came to, in their order

// order: what is not aliased, then what costs less
static bool is_before(const oc_optimum *a, const oc_optimum *b) {
  if (a->aliased != b->aliased) return !a->aliased;
  return a->objective < b->objective;
}

static void free_optimum(oc_optimum *o) {
  dm_trajectory_free(o->motion);
  free(o->point.x);
}

// a new optimum into its place; the last falls out of a full list
static void insert_optimum(multistart *w, const oc_optimum *o) {
  oc_multistart *out = w->out;
  int at = out->count;
  while (at > 0 && is_before(o, &out->optimum[at - 1])) at--;
  if (out->count == OC_OPTIMA) free_optimum(&out->optimum[--out->count]);
  if (at > out->count) at = out->count;
  memmove(out->optimum + at + 1, out->optimum + at, (size_t)(out->count - at) * sizeof *o);
  memmove(w->last_run + at + 1, w->last_run + at, (size_t)(out->count - at) * sizeof *w->last_run);
  out->optimum[at] = *o;
  w->last_run[at] = out->runs;
  out->count++;
}

// a refinement came to a known optimum, or to a new one
static void take_refinement(multistart *w, search *j) {
  oc_multistart *out = w->out;
  out->refined++;
  if (!is_optimum(j->status)) {
    drop_search(j);
    return;
  }
  for (int i = 0; i < out->count; i++)
    if (is_same(out->optimum[i].objective, j->objective, SAME)) {
      // once a run
      out->optimum[i].runs += w->last_run[i] != out->runs;
      w->last_run[i] = out->runs;
      drop_search(j);
      return;
    }

  const double turn = dm_turn_largest(w->m, j->motion->N, j->motion->q).angle;
  const size_t goal = (size_t)j->goal * (size_t)w->goals.n;
  const oc_optimum o = {.objective = j->objective,
                        .turn = turn,
                        .aliased = turn > w->set->turn,
                        .runs = 1,
                        .first = j->number,
                        .kind = name_kind(j->kind),
                        .turns = w->goals.turns + goal,
                        .goal = w->goals.q + goal,
                        .status = j->status,
                        .motion = j->motion,
                        .point = j->point};
  insert_optimum(w, &o);
}

static double find_best(const oc_multistart *out) {
  return out->count > 0 && !out->optimum[0].aliased ? out->optimum[0].objective : INFINITY;
}

static void drop_run(run *r) {
  for (int i = 0; i < r->nrefined; i++) drop_search(&r->refined[i]);
  r->nrefined = 0;
}

static void take_run(multistart *w, run *r) {
  w->out->searches += r->searches;
  w->out->solved += r->solved;
  for (int i = 0; i < r->nrefined; i++) take_refinement(w, &r->refined[i]);
  r->nrefined = 0;
  w->out->runs++;
}

// so many runs from `first` on, each on a thread of its own but for the caller's
static void do_runs_at_once(multistart *w, run *runs, int first, int count) {
  pthread_t thread[OC_THREADS];
  bool has_thread[OC_THREADS] = {false};
  for (int i = count - 1; i >= 0; i--) {
    const int number = first + i;
    const int left = w->set->searches - number * LENGTH;
    runs[i] = (run){
        .w = w, .number = number, .most = left < LENGTH ? left : LENGTH, .iterations = ITERATIONS};
    if (i > 0) has_thread[i] = pthread_create(&thread[i], NULL, do_run, &runs[i]) == 0;
    if (!has_thread[i]) do_run(&runs[i]);
  }
  for (int i = 1; i < count; i++)
    if (has_thread[i]) pthread_join(thread[i], NULL);
}

// Runs until the best one has come back; *best_run: the first that came to it. What a run came to that
// was at work meanwhile does not count.
static dm_status do_runs(multistart *w, run *runs, int *best_run) {
  oc_multistart *out = w->out;
  const int all = w->set->only_lines ? 1 : (w->set->searches - 1) / LENGTH + 1;
  double best = INFINITY;
  for (int first = 0; first < all && !out->enough && !is_over(w); first += w->set->threads) {
    const int count = all - first < w->set->threads ? all - first : w->set->threads;
    do_runs_at_once(w, runs, first, count);
    for (int i = 0; i < count; i++) {
      if (out->enough || atomic_load(&w->stopped)) {
        drop_run(&runs[i]);
        continue;
      }
      take_run(w, &runs[i]);

      // a new best one?
      const double now = find_best(out);
      if (now < best && !is_same(now, best, SAME)) *best_run = out->runs - 1;
      best = now;
      out->enough = isfinite(best) && out->optimum[0].runs >= w->set->returns;
    }
    if (w->set->watch) w->set->watch(w->set->user, out->searches, best);
  }
  return atomic_load(&w->stopped) ? DM_INTERRUPTED : DM_OK;
}

// -- the whole

// steps of the coarse grid: fewer, but no joint at its limit of speed turns too far in one
static int choose_steps(const multistart *w) {
  const oc_task *t = w->task;
  if (!oc_task_can_regrid(t)) return t->N;

  // as told, or a share of the task's
  int steps = w->set->steps;
  if (steps == 0) {
    steps = t->N / SHARE;
    if (steps < FINE) steps = FINE;
    if (steps > COARSE) steps = COARSE;

    // T v_max / steps stays below a turn that a grid can follow
    for (int i = 0; t->v_max && i < t->system.L.nq; i++) {
      if (w->m->kind[i] != DM_TURN || !isfinite(t->v_max[i]) || !isfinite(w->set->turn)) continue;
      const double least = t->T * t->v_max[i] / (GRID_TURN * w->set->turn);
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
  const oc_multistart_settings *set = w->set;
  bool *circle = calloc((size_t)w->task->system.L.nq + 1, sizeof *circle);
  if (!circle) return DM_NO_MEMORY;

  // the goals that are the same place
  oc_find_circles(w->task, w->m, circle);
  dm_status s = oc_circle_goals_new(&w->goals, w->task, circle, set->turns ? set->turns : TURNS,
                                    set->turns ? set->nturns : 3);
  free(circle);
  DM_TRY(s);

  // the coarse grid
  const int steps = choose_steps(w);
  w->grid = w->task;
  if (steps < w->task->N) {
    DM_TRY(oc_task_regrid(&w->coarse, w->task, steps));
    w->grid = &w->coarse.task;
  }
  w->out->coarse_steps = steps;
  w->out->goals = w->goals.count;
  return DM_OK;
}

void oc_multistart_free(oc_multistart *out) {
  multistart *w = out->own;
  for (int i = 0; i < out->count; i++) free_optimum(&out->optimum[i]);
  if (w) {
    oc_regridded_free(&w->coarse);
    oc_circle_goals_free(&w->goals);
    free(w);
  }
  *out = (oc_multistart){.count = 0};
}

dm_status oc_multistart_run(oc_multistart *out, const oc_task *task, const dm_model *m,
                            const oc_multistart_settings *set, dm_message *msg) {
  assert(out && task && m && set && set->searches >= 1 && set->threads >= 1 &&
         set->threads <= OC_THREADS);
  *out = (oc_multistart){.unseen = 1, .better = 1};
  const double begun = multistart_clock();
  int best_run = 0, singles = 0, draws = 0;

  // what no program can be made of is refused before all searches
  DM_TRY(oc_task_check(task, msg));
  multistart *w = calloc(1, sizeof *w);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  w->out = out;
  w->task = task;
  w->m = m;
  w->set = set;
  w->begun = begun;
  out->own = w;
  out->optimum = w->optimum;
  dm_status s = open_multistart(w);
  run *runs = calloc((size_t)set->threads, sizeof *runs);
  if (s == DM_OK) s = runs ? do_runs(w, runs, &best_run) : DM_NO_MEMORY;
  free(runs);

  // Good and Turing: optima that one run alone came to say how much is unseen; Laplace: of the runs
  // after the one that found the best, none found a better one
  for (int i = 0; i < out->count; i++) {
    singles += out->optimum[i].runs == 1;
    draws += out->optimum[i].runs;
  }
  if (draws > 0) out->unseen = (double)singles / draws;
  out->better = 1.0 / (out->runs - best_run + 1);
  out->total_s = multistart_clock() - begun;
  if (s < 0) oc_multistart_free(out);
  return s < 0 ? dm_fail(msg, s, "%s", dm_status_text(s)) : s;
}

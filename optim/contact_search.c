#include "optim/contact_search.h"

#include "optim/contact_diagnosis.h"
#include "optim/contact_programs.h"
#include "optim/guess_search.h"
#include "optim/nlp/scaled.h"
#include "optim/outcome.h"
#include "optim/program/prolong.h"
#include "optim/rows/contact_rows.h"
#include "optim/solution_start.h"
#include "optim/starts/regrid.h"
#include "optim/starts/seeded_guess.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FLIPS = 10,
  FLIP_ITERATIONS = 60, // a schedule that takes more is not tried further
  RELEASES = 5,
  POLISH_ITERATIONS = 150, // before contacts that contradict each other are looked for
  GUESSES = 4,             // the own guess, and bends of the line
  AGREED = 3,              // guesses whose searches cannot restore the rows: there is no plan
  BENDS = 1,               // row of oc_guess_kinds
  HALVED = 16,             // a grid with fewer steps is not halved,
  PATIENCE = 300,          // or one whose first search takes at most so many iterations
  LONG = 100,              // or is shorter than this
  WEIGHINGS = 4            // searches with the first room, at most
};

// the room of pairs: each relative to the one before, the first to the robot's scales
static const double NARROWER = 0.3;
static const double FALL = 0.01;  // the last room of a coarse grid, relative to its first
static const double AGAIN = 3;    // the first room of the next grid, relative to that
static const double LOOSE = 1e-3; // tolerance of searches whose pairs have room,
static const double AJAR = 1e-2;  // and their first barrier parameter
// products are in the Hessian below this violation, after steps that are at least so long
static const double NEARLY_FEASIBLE = 1e-5, LONG_STEP = 0.1;
// The objective of a search is light, so that iterates stay away from bounds: a hundred-thousandth of its ordinary
// scale, and this value once it is known; the first search is repeated while its scale changes by a larger factor.
static const double LIGHT = 1e-5, VALUE = 100, REWEIGHED = 4;
static const double LOWER = 1e-9; // a better schedule's objective is lower by more, relatively

typedef struct search_watch {
  oc_solution *w;
  oc_hooks caller;
} search_watch;

// the caller's watch function; near a solution the Hessian is exact
static bool watch_search(void *user, const oc_iterate *it) {
  const search_watch *own = user;
  const oc_hooks *caller = &own->caller;
  oc_contact_programs_curve(own->w, it->violation < NEARLY_FEASIBLE && it->step > LONG_STEP);
  return !caller->watch || caller->watch(caller->user, it);
}

static bool ask_caller(void *user) {
  const oc_hooks *caller = &((search_watch *)user)->caller;
  return caller->stop && caller->stop(caller->user);
}

// One search from the point, within the remaining limits and `most` iterations; with pairs that have room it is
// loose, and stays at a saddle.
static dm_status search_further(oc_solution *w, int most, bool has_room) {
  const oc_options options = w->set.options;
  const oc_solve_info before = w->info;
  const int left = options.max_iter - before.spent, iterations = most < left ? most : left;
  const double time = options.max_time - before.total_s;
  if (iterations < 1 || time <= 0) return DM_MAX_ITER;
  w->set.options.max_iter = before.spent + iterations;
  w->set.options.program.mu = has_room ? AJAR : 0;
  if (w->scaled) oc_scaled_rebound(w->scaled);
  oc_contact_programs_settle(w);
  dm_status s;
  if (has_room) {
    search_watch own = {.w = w, .caller = w->set.hooks};
    w->set.options.tol = fmax(LOOSE, options.tol);
    w->set.hooks = (oc_hooks){.watch = watch_search, .stop = ask_caller, .user = &own};
    s = oc_search_once(w, iterations, time);
    w->set.hooks = own.caller;
    oc_contact_programs_curve(w, false);
  } else {
    s = oc_search_program(w, iterations, time);
  }
  w->set.options = options;
  oc_effort_add(&w->info, &before);
  return s;
}

// did the search end in a restoration that does not get on? Smaller rooms are not met then either
static bool is_stuck(const oc_solution *w, dm_status s) {
  return s == DM_INFEASIBLE && !strcmp(w->info.detail, "No_Progress");
}

static bool is_solved(dm_status s) {
  return s == DM_OK || s == DM_ACCEPTABLE;
}

// Give the objective its value in searches, at most its ordinary scale. Returns the factor by which its scale has
// changed, or that to be divided by.
static double weigh_objective(oc_solution *w, double ordinary, double objective) {
  if (!w->scaled || !(fabs(objective) > 0) || !isfinite(VALUE / objective)) return 1;
  const double before = oc_scaled_objective(w->scaled),
               now = fmin(ordinary, VALUE / fabs(objective));
  oc_scaled_weigh(w->scaled, now);
  return fmax(now / before, before / now);
}

// 5  of the algorithm: schedules with lower objectives; from the solution of one
static dm_status improve_schedule(oc_solution *w, dm_status s) {
  oc_outcome best = {.numbers = NULL};
  for (int round = 0; round < FLIPS; round++) {
    const dm_status kept = s, saved = oc_outcome_save(w, &best);
    if (saved != DM_OK) s = saved;
    if (saved != DM_OK || !oc_contact_programs_flip(w)) break;
    s = search_further(w, FLIP_ITERATIONS, false);
    const double before = best.info.objective;
    if (is_solved(s) && w->info.objective < before - LOWER * fabs(before)) continue;

    // not better: the schedule before
    oc_outcome_return(w, &best);
    if (s >= 0 && s != DM_INTERRUPTED) s = kept;
    oc_contact_programs_read(w);
    oc_contact_programs_fix(w);
    break;
  }
  oc_outcome_free(&best);
  return s;
}

// 4  of the algorithm: the schedule that was read. A point that does not meet it may show contacts that contradict
// each other, or a gap that closes a knot too early or opens one too late.
static dm_status polish(oc_solution *w) {
  const int first = oc_contact_programs_can_release(w) ? POLISH_ITERATIONS : INT_MAX;
  w->warm = false;
  dm_status s = search_further(w, first, false);
  for (int i = 0; i < RELEASES && s > 0 && s != DM_INTERRUPTED && !is_solved(s); i++) {
    if (!oc_contact_programs_release(w) && !oc_contact_programs_part(w)) break;
    s = search_further(w, POLISH_ITERATIONS, false);
  }
  return s == DM_MAX_ITER ? search_further(w, INT_MAX, false) : s;
}

// the point of one grid as that of another, with its multipliers
static void change_grid(const oc_solution *from, oc_solution *to) {
  oc_transcription_prolong(from->first, &from->point, to->first, &to->point);
  oc_contact_rows_follow(to->first, to->point.x);
}

static dm_status narrow_rooms(oc_solution *w, double room, double last);

// a program of the task on another grid, without a motion; its point is that of w
static dm_status begin_on_grid(oc_solution *half, const oc_solution *w, const oc_task *task) {
  half->task = *task;
  half->set = (oc_setup){.options = w->set.options, .hooks = w->set.hooks};
  half->set.options.max_iter -= w->info.spent;
  half->set.options.max_time -= w->info.total_s;
  half->stage = true;
  DM_TRY(oc_transcription_new(&half->first, task, NULL));
  half->nlp = oc_transcription_nlp(half->first);
  const size_t n = (size_t)half->nlp->n, m = (size_t)half->nlp->m;
  double *numbers = calloc(4 * n + 2 * m, sizeof *numbers);
  if (!numbers) return DM_NO_MEMORY;
  half->rows = numbers + 4 * n + m;
  half->point = (oc_point){
      .x = numbers, .z_l = numbers + n, .z_u = numbers + 2 * n, .lambda = numbers + 4 * n};
  half->guess = numbers + 3 * n;
  change_grid(w, half);
  memcpy(half->guess, half->point.x, n * sizeof *numbers);
  return DM_OK;
}

// Steps 1 and 2 of the algorithm on a grid with half of the steps, from the point; take over its point, and the room
// to begin with. Returns a negative status if there is no point.
static dm_status search_coarsely(oc_solution *w, double ordinary, double *room) {
  oc_regridded grid;
  oc_solution half = {.warm = false};
  DM_TRY(oc_task_regrid(&grid, &w->task, w->task.N / 2));
  dm_status s = begin_on_grid(&half, w, &grid.task);
  if (s >= 0) {
    const double last = fmax(w->set.options.contact.epsilon, FALL * *room);
    s = narrow_rooms(&half, *room, last);
    if (is_solved(s)) weigh_objective(w, ordinary, half.info.objective);
    *room = fmin(*room, AGAIN * last);
    oc_effort_add(&w->info, &half.info);
    if (is_stuck(&half, s)) memcpy(w->info.detail, half.info.detail, sizeof w->info.detail);
  }
  if (s >= 0) change_grid(&half, w);
  oc_scaled_free(half.scaled);
  oc_transcription_free(half.first);
  free(half.point.x);
  oc_regridded_free(&grid);
  return s;
}

// The scaled program with a light objective; *ordinary: its scale otherwise.
static dm_status begin_lightly(oc_solution *w, double *ordinary) {
  *ordinary = 1;
  if (!w->nlp->scale) return DM_OK;
  oc_scaled_free(w->scaled);
  w->scaled = NULL;
  DM_TRY(oc_scaled_new(&w->scaled, w->nlp, w->guess));
  *ordinary = oc_scaled_objective(w->scaled);
  oc_scaled_weigh(w->scaled, LIGHT * *ordinary);
  return DM_OK;
}

// 1 and 2 of the algorithm, to the room `last`
static dm_status narrow_rooms(oc_solution *w, double room, double last) {
  const bool can_halve = w->first && w->task.N >= HALVED && oc_task_can_regrid(&w->task);
  const int patience = w->task.N < LONG ? PATIENCE : 0;
  double ordinary;
  dm_status s = begin_lightly(w, &ordinary);
  if (s < 0) return s;

  // 1  a guess: the point of a search that takes few iterations, or of a coarser grid
  oc_contact_programs_open(w, room);
  double change = INFINITY;
  for (int i = 0; i < WEIGHINGS && change > REWEIGHED; i++) {
    s = search_further(w, can_halve ? patience : INT_MAX, true);
    change = is_solved(s) ? weigh_objective(w, ordinary, w->info.objective) : 1;
    w->warm = is_solved(s) || !can_halve;
  }
  if (s < 0 || s == DM_INTERRUPTED || (is_stuck(w, s) && !can_halve)) return s;
  if (w->warm) {
    room *= NARROWER;
  } else {
    memcpy(w->point.x, w->guess, (size_t)w->nlp->n * sizeof *w->guess);
    s = search_coarsely(w, ordinary, &room);
    if (s == DM_INTERRUPTED || s == DM_NO_MEMORY || is_stuck(w, s)) return s;
    w->warm = s >= 0;
  }

  // 2  less and less room
  for (s = DM_OK; room >= 0.5 * last && s >= 0 && s != DM_INTERRUPTED; room *= NARROWER) {
    oc_contact_programs_open(w, room);
    s = search_further(w, INT_MAX, true);
    if (is_solved(s)) weigh_objective(w, ordinary, w->info.objective);
    w->warm = true;
    if (is_stuck(w, s)) break;
  }
  if (w->scaled) oc_scaled_weigh(w->scaled, ordinary);
  return s;
}

// 3 to 5 of the algorithm from the point, if it is the solution of this or a similar task: the
// schedule is its own
static dm_status search_nearby(oc_solution *w) {
  oc_contact_programs_read(w);
  oc_contact_programs_fix(w);
  dm_status s = search_further(w, INT_MAX, false);
  if (is_solved(s)) return improve_schedule(w, s);
  if (s == DM_STALLED && w->set.options.contact.stalled > 0) {
    const double rounding = w->set.options.program.rounding;
    w->set.options.program.rounding = w->set.options.contact.stalled;
    s = search_further(w, INT_MAX, false);
    w->set.options.program.rounding = rounding;
    if (is_solved(s)) return s;
  }
  if (s >= 0) memcpy(w->point.x, w->guess, (size_t)w->nlp->n * sizeof *w->guess);
  return s;
}

// 1 to 5 of the algorithm, from the point
static dm_status search_schedule(oc_solution *w) {
  // a schedule that is given is polished at once
  if (!oc_contact_programs_searched(w)) {
    oc_contact_programs_fix(w);
    return search_further(w, INT_MAX, false);
  }
  if (w->warm) {
    const dm_status s = search_nearby(w);
    if (s < 0 || s == DM_INTERRUPTED || is_solved(s)) return s;
  }
  w->warm = false;
  dm_status s = narrow_rooms(w, NARROWER, w->set.options.contact.epsilon);
  if (s < 0 || s == DM_INTERRUPTED || is_stuck(w, s)) return s;
  oc_contact_programs_read(w);
  oc_contact_programs_fix(w);
  s = polish(w);
  return is_solved(s) ? improve_schedule(w, s) : s;
}

// another guess: bends of the line, by number
static dm_status start_bent(oc_solution *w, int number) {
  dm_trajectory *x;
  oc_contact_programs_open(w, NARROWER); // a polish has fixed unknowns
  if (w->phases) {
    w->branch = (uint64_t)number;
    const dm_status s = oc_solution_start_phases(w, NULL);
    w->branch = 0;
    return s;
  }
  DM_TRY(dm_trajectory_of(&x, w->task.N, &w->task.system));
  dm_status s = oc_guess_kinds[BENDS].draw(&w->task, 0, number, x);
  if (s >= 0) s = oc_solution_start(w, x);
  dm_trajectory_free(x);
  return s;
}

dm_status oc_search_contacts(oc_solution *w) {
  const int most = w->set.options.max_iter, guesses = w->set.options.only_guess ? 1 : GUESSES;
  dm_status s = DM_OK;
  int stuck = 0;
  w->info = (oc_solve_info){.status = DM_OK};
  for (int guess = 0; guess < guesses; guess++) {
    if (guess > 0 && start_bent(w, guess) < 0) continue;
    // two thirds for the own guess, if there are others, then equal shares of the rest
    const int left = most - w->info.spent;
    const int share = guess == 0 && guesses > 1 ? 2 * left / 3 : left / (guesses - guess);
    w->set.options.max_iter = w->info.spent + share;
    s = search_schedule(w);
    w->set.options.max_iter = most;
    w->info.guesses = guess + 1;
    if (s < 0 || s == DM_INTERRUPTED || is_solved(s)) break;
    stuck += is_stuck(w, s);
    if (stuck == AGREED) break;
    if (w->info.total_s >= w->set.options.max_time) break;
  }
  oc_contact_diagnose(w, s);
  return s;
}

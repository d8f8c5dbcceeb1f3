// optimize: solve the run's task, on finer grids if stiff damping or the plant requires it.
//
//   1  solve on the file's grid, from its guess, and from many guesses if requested or if the guess
//      leads to no motion (cli/stages/starts.h); if the file has design parameters, optimize them
//      first
//   2  refit: fit stiff damping to the resulting step, and solve again from there
//   3  check: let the plant follow the motion; if it violates output limits between knots, narrow
//      their bounds and solve again from there; if the grid is too coarse, double the steps, or use
//      as many as the objective's error suggests
//   4  solve on the finer grid, from the coarser motion or else from the problem's guess; back to 2
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/stages/accuracy.h"
#include "cli/stages/cycle.h"
#include "cli/stages/design.h"
#include "cli/stages/solve.h"
#include "cli/stages/starts.h"
#include "cli/stages/stiff_steps.h"

#include <math.h>

// whether the time for another attempt has run out
static bool is_late(const cli_call *call) {
  return cli_call_time_left(call) <= 0;
}

// solve on the run's current grid in the remaining time; coarser: the solution with fewer steps
// from which its guess comes, or NULL
static int solve_grid(cli_solve *w, cli_call *call, const oc_solution *coarser) {
  int status = cli_solve_new(w, call);
  w->coarser = coarser;
  return status == CLI_DONE ? cli_solve_run(w) : status;
}

// Solve on the run's finer grid: from the coarser motion, if there is one; if that fails, from the
// problem's guess. *spent: time of all attempts except the last [s].
static int solve_finer(cli_solve *w, cli_call *call, double *spent, const oc_solution *coarser) {
  // from the coarser motion
  int status = solve_grid(w, call, call->coarse ? coarser : NULL);
  bool again = status == CLI_DONE && !cli_solve_is_whole(w) && call->coarse && !cli_interrupted();
  double so_far = again ? *spent + w->solution->info.total_s : 0;
  if (!again || is_late(call)) return status;

  // from the guess
  *spent = so_far;
  cli_solve_free(w);
  dm_trajectory_free(call->run.x);
  call->run.x = NULL;
  call->coarse = NULL;
  return solve_grid(w, call, NULL);
}

// Solve again after a small change of the task, starting at the current motion, with its
// multipliers if warm. *found: whether it succeeded; then the effort of both searches is added,
// otherwise the motion is unchanged.
static int solve_again(cli_solve *w, bool warm, bool *found) {
  cli_call *call = w->call;
  dm_trajectory *so_far = call->run.x;
  const oc_point *other = call->warm;
  cli_solve again;

  // start at the current motion
  call->coarse = so_far;
  call->warm = warm ? &w->solution->point : NULL;
  call->run.p->task.every_speed = w->solution->task.every_speed;
  call->run.x = NULL;
  int status = cli_solve_new(&again, call);
  if (status == CLI_DONE) again.solution->set.options.only_guess = warm;
  if (status == CLI_DONE) status = cli_solve_run(&again);
  call->coarse = NULL;
  call->warm = other;
  *found = status == CLI_DONE && cli_solve_is_whole(&again);
  if (*found) {
    again.refitted = w->refitted;
    again.rounds = w->rounds;
    if (warm) cli_solve_add_effort(&again, w);
    cli_solve_replace(w, &again);
    dm_trajectory_free(so_far);
    return CLI_DONE;
  }

  // restore the previous state
  cli_solve_free(&again);
  dm_trajectory_free(call->run.x);
  call->run.x = so_far;
  return CLI_DONE;
}

// -- stiff damping

// Stiff damping is fitted to the step for the guessed final time. If the resulting step differs,
// fit the system to it and solve again from the current motion. If that fails, keep the previous
// solution. *before: time spent on discarded solutions [s].
static int refit_damping(cli_solve *w, double *before) {
  enum { ROUNDS = 5 };
  cli_call *call = w->call;
  pb_problem *p = call->run.p;

  // until the step is within 2 % of the fitted one
  for (int round = 0; round < ROUNDS && call->run.p->task.time.free && cli_solve_is_whole(w);
       round++) {
    double h = call->run.x->h, spent = *before + w->solution->info.total_s;
    if (fabs(h / p->fit.step - 1) < CLI_FIT_NEAR || is_late(call)) break;

    // is any damping stiff, with the previous or the new step?
    int stiff = p->fit.now->count;
    dm_status s = pb_problem_refit(p, h);
    if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
    w->refitted |= stiff + p->fit.now->count > 0;
    if (stiff + p->fit.now->count == 0) break;

    // solve again from the current motion
    bool found;
    int status = solve_again(w, false, &found);
    if (status != CLI_DONE) return status;
    if (!found) {
      pb_problem_refit_undo(p);
      // not found: keep the previous fit, which belongs to another step
      if (!cli_interrupted()) cli_warn_other_fit(call->args, p, call->run.x);
      break;
    }
    *before = spent;
  }
  return CLI_DONE;
}

// report the step to which stiff damping is fitted, and the added inertia
static void report_fit(const cli_solve *w) {
  const cli_call *call = w->call;
  const dm_stiff_damping *fitted = call->run.p->fit.now;
  cli_warn_stiff_steps(call->args, call->run.p, NULL, call->run.x, &w->call->warned);
  if (!fitted->count && !w->refitted) return;

  // the step, then the added inertia of each coordinate
  cli_json *o = cli_json_object(call->result, "fitted");
  cli_json_number(o, "step", call->run.p->fit.step);
  cli_json *added = cli_json_object(o, "inertia");
  for (int i = 0; i < fitted->n; i++)
    if (fitted->added[i] > 0) cli_json_number(added, call->run.p->names.coord[i], fitted->added[i]);
}

// -- grids

// Let the plant follow the solution, check whether the grid is fine enough, and enforce output limits between
// knots: narrow the bounds of limits that are violated there, and solve again from the current motion, until
// they hold. If that fails or has no effect, a finer grid is left to try.
static int keep_between_knots(cli_solve *w) {
  enum { ROUNDS = 6 };
  bool ends = true; // narrow also the bounds at the ends, unless they make the task infeasible
  for (int round = 0;; round++) {
    // 1. the plant
    cli_following_free(&w->plant);
    w->coarse = (cli_coarseness){.kind = CLI_FINE};
    if (!cli_solve_is_done(w) || cli_interrupted()) return CLI_DONE;
    int status = cli_follow(w->call, &w->plant);
    if (status != CLI_DONE) return status;
    w->coarse = cli_find_coarseness(w->call, &w->plant);

    // 2. narrower bounds, and a motion within them
    oc_between *between = w->plant.between;
    if (w->coarse.kind != CLI_PASSES || !between || round == ROUNDS) return CLI_DONE;
    if (is_late(w->call) || cli_interrupted()) return CLI_DONE;
    for (bool found = false; !found;) {
      if (!oc_between_raise(between, w->call->run.p->fine.between, ends)) return CLI_DONE;
      status = solve_again(w, true, &found);
      if (!found) oc_between_lower(between);
      if (status != CLI_DONE || (!found && (!ends || cli_interrupted()))) return status;
      ends = ends && found;
    }
    w->rounds++;
  }
}

// refine the grid once; *finer: whether there is a motion on it; if not, the coarser one is kept,
// and r states why
static int take_finer_grid(cli_solve *w, cli_refinement *r, bool *finer) {
  cli_call *call = w->call;
  cli_coarser coarser;
  double spent = r->time + w->solution->info.total_s;
  *finer = cli_refine(call, &w->coarse, r, &coarser);
  if (!*finer) return CLI_DONE;

  // solve on the finer grid
  cli_solve next;
  int status = solve_finer(&next, call, &spent, w->solution);
  *finer = status == CLI_DONE && cli_solve_is_whole(&next);
  if (*finer) {
    cli_refine_accept(call, r, &coarser);
    r->time = spent;
    cli_solve_replace(w, &next);
    return CLI_DONE;
  }

  // keep the coarser solution if the finer grid is not solved
  const oc_solution *left = next.solution;
  snprintf(r->why, sizeof r->why, "with %d steps the status is %s", call->run.p->task.N,
           left ? cli_solve_word(&next) : "unknown");
  cli_refine_undo(call, &coarser);
  r->time = spent - w->solution->info.total_s + (left ? left->info.total_s : 0);
  cli_solve_free(&next);
  return status;
}

// -- many initial guesses

static int refine_grid(cli_solve *w, cli_refinement *r, cli_starts *starts);

// discard a solution, its motion, and narrowed bounds
static void drop_solution(cli_solve *w) {
  cli_call *call = w->call;
  oc_outputs_widen(&call->run.p->task.outputs, call->run.p->task.N);
  cli_solve_free(w);
  dm_trajectory_free(call->run.x);
  *w = (cli_solve){.call = call};
  call->run.x = NULL;
}

// Make optimum i, which is already solved, the run's solution on the file's grid, even if the time
// is over, and follow it on the plant. *sound: whether the plant follows it.
static int settle_optimum(cli_solve *w, cli_starts *starts, int i, bool *sound) {
  static const double LEAST = 0.1; // fraction of solver.max_time
  cli_call *call = w->call;
  int status = cli_starts_take(starts, i);
  if (status == CLI_DONE) status = cli_solve_new(w, call);
  if (status == CLI_DONE) {
    double *time = &w->solution->set.options.max_time;
    *time = fmax(*time, LEAST * call->run.p->options.max_time);
    status = cli_solve_run(w);
  }
  cli_starts_leave(starts);
  if (status == CLI_DONE && cli_solve_is_whole(w)) status = keep_between_knots(w);
  *sound = status == CLI_DONE && cli_solve_is_whole(w) && w->coarse.kind == CLI_FINE;
  return status;
}

// The objective of optimum i on the first of the remaining grids on which the plant follows it;
// INFINITY: none.
static int measure_finer(cli_solve *w, cli_starts *starts, const cli_refinement *so_far, int i,
                         double *objective) {
  cli_refinement r = *so_far;
  char said[8];
  bool sound;
  drop_solution(w);
  cli_hush(said, sizeof said);
  int status = settle_optimum(w, starts, i, &sound);
  if (status == CLI_DONE && cli_solve_is_whole(w)) status = refine_grid(w, &r, NULL);
  cli_hush(NULL, 0);
  sound = status == CLI_DONE && cli_solve_is_whole(w) && w->coarse.kind == CLI_FINE;
  *objective = sound ? w->solution->info.objective : INFINITY;
  return status == CLI_FAULT ? status : CLI_DONE;
}

enum { LOOKED_AT = 8, REFINED = 3 };

// Optima sorted by their objective on the file's grid, up to the first that the plant follows.
typedef struct ranking {
  int coarse[LOOKED_AT + 1], ncoarse; // those before it, and the own guess's
  int sound;                          // the first that the plant follows; -1: none
  int best;
  double objective; // of the best
} ranking;

// Measure the best optima and the own guess's on grids fine enough for each, within half of the
// remaining time.
static int rank_finer(cli_solve *w, cli_starts *starts, const cli_refinement *so_far, ranking *r) {
  const cli_call *call = w->call;
  const double time = cli_call_time_left(call);
  int status = CLI_DONE, refined = 0;
  for (int i = 0; i < r->ncoarse && status == CLI_DONE; i++) {
    const int at = r->coarse[i];
    const bool own = starts->found.optimum[at].first < 0;
    double objective;
    if ((!own && refined == REFINED) || cli_interrupted()) continue;
    if (isfinite(time) && cli_call_time_left(call) < time / 2) break;
    status = measure_finer(w, starts, so_far, at, &objective);
    refined += !own;
    if (!(objective < r->objective)) continue;
    r->objective = objective;
    r->best = at;
  }
  return status;
}

// Process the optima in order. w contains the solution of the own guess, if there is one.
static int rank_coarse(cli_solve *w, cli_starts *starts, ranking *r) {
  const oc_multistart *found = &starts->found;
  int status = CLI_DONE;
  for (int i = 0; i < found->count && status == CLI_DONE && !cli_interrupted(); i++) {
    const bool own = found->optimum[i].first < 0;
    bool sound;
    if (r->ncoarse >= LOOKED_AT && !own) continue;
    drop_solution(w);
    status = settle_optimum(w, starts, i, &sound);
    if (status == CLI_DONE && sound) {
      r->sound = r->best = i;
      r->objective = w->solution->info.objective;
      return status;
    }
    r->coarse[r->ncoarse++] = i;
  }
  return status;
}

// Solve from the best optimum. An optimum that the plant does not follow on the file's grid may
// have an objective that no motion reaches: such optima are compared on finer grids, with each
// other and with the first that the plant follows. If the plant follows none on any grid, take the
// first.
static int solve_from_starts(cli_solve *w, cli_starts *starts, const cli_refinement *so_far) {
  ranking r = {.sound = -1, .objective = INFINITY};
  bool sound;
  int status = rank_coarse(w, starts, &r);
  if (status != CLI_DONE || (r.sound >= 0 && r.ncoarse == 0)) return status;
  status = rank_finer(w, starts, so_far, &r);
  if (status != CLI_DONE) return status;
  drop_solution(w);
  return settle_optimum(w, starts, r.best, &sound);
}

// Search from guesses other than the one that led to the solution, if requested. Keeps the solution
// if nothing better is found or the search is interrupted.
static int search_others(cli_solve *w, cli_starts *starts, const cli_refinement *so_far) {
  if (cli_interrupted() || !cli_starts_are_wanted(starts, w)) return CLI_DONE;
  int status = cli_starts_search(starts, w);
  if (status != CLI_DONE || starts->found.count == 0 || cli_interrupted()) return status;
  if (starts->found.optimum[0].first >= 0) return solve_from_starts(w, starts, so_far);

  // the own guess's solution in w is the best: keep it, unless the plant does not follow it
  status = cli_starts_take(starts, 0);
  cli_starts_leave(starts);
  if (status == CLI_DONE) status = keep_between_knots(w);
  const bool sound = status == CLI_DONE && w->coarse.kind == CLI_FINE;
  if (status != CLI_DONE || sound || starts->found.count == 1) return status;
  return solve_from_starts(w, starts, so_far);
}

// -- finer grids

// refine a motion that no plant follows until one does or the problem forbids it; starts: used if a
// guess other than the problem's leads to a motion; or NULL
static int refine_grid(cli_solve *w, cli_refinement *r, cli_starts *starts) {
  int status = CLI_DONE;
  bool finer = true;
  while (status == CLI_DONE) {
    // 1. finish a motion on its grid: fit damping, follow it on the plant, measure its error
    if (finer) status = refit_damping(w, &r->time);
    if (finer && status == CLI_DONE) status = keep_between_knots(w);
    if (finer && status == CLI_DONE) status = cli_accuracy_measure(w);
    if (status != CLI_DONE || !cli_solve_is_whole(w) || w->coarse.kind == CLI_FINE) break;

    // 2. a finer grid; if a large factor of steps fails, twice the steps
    status = take_finer_grid(w, r, &finer);
    const bool far = w->coarse.times > 2;
    if (status != CLI_DONE || (!finer && (!far || cli_interrupted()))) break;
    if (finer && starts) status = search_others(w, starts, r);
    if (!finer) w->coarse.times = 2;
  }
  return status;
}

// -- the command

// report the motion and write its files
static int conclude_motion(cli_solve *w, const cli_refinement *r, const cli_starts *starts) {
  cli_call *call = w->call;
  const oc_solve_info *info = &w->solution->info;
  bool solved = cli_solve_is_done(w), follows = info->followed == DM_OK;
  cli_call_worth(call); // iterations are finished
  cli_solve_report(w);
  cli_accuracy_report(w);
  report_fit(w);
  cli_refine_report(call, r);

  // of second order: the distance between the motion and the solution that it follows
  if (w->solution->second && follows) cli_solve_report_agreement(w);

  // certify the motion, unless interrupted
  int status = CLI_OUTCOME;
  bool interrupted = info->status == DM_INTERRUPTED;
  if (!interrupted && follows) status = cli_certify(call, solved);
  if (status == CLI_DONE && solved) status = cli_cycle_report_motion(call, false);
  if (!interrupted && !follows)
    cli_error("no motion of the system's own steps follows the solution: %s; the solution itself "
              "is written; take shorter steps",
              info->why.text);

  // report a solution that no plant follows
  bool coarse = w->coarse.kind != CLI_FINE;
  if (coarse) cli_refine_complain(call, &w->coarse, r);
  if (status == CLI_DONE && (!solved || coarse)) status = CLI_OUTCOME;
  if (status == CLI_INPUT || status == CLI_FAULT) return status;

  // an equivalent goal, some revolutions away, may cost less
  if (status == CLI_DONE) {
    const int hinted = cli_starts_hint(starts, info->objective, info->iterations);
    if (hinted != CLI_DONE) return hinted;
  }

  // write the files, whatever the outcome
  int written = cli_solve_write(w);
  if (written == CLI_DONE && solved && w->plant.y) written = cli_follow_report(call, &w->plant);
  cli_between_report(call, &w->plant, w->rounds);
  return written == CLI_DONE ? status : written;
}

int cli_optimize(cli_call *call) {
  if (!call->run.p->has.task)
    return cli_fail(call->args, CLI_INPUT,
                    "%s has no goal and no cost: found nothing to optimize; add 'goal' and 'cost', "
                    "or use 'dmoc simulate'",
                    call->run.p->file.path);
  cli_solve w = {.call = call};
  cli_starts starts = {.taken = -1};
  cli_refinement r = {0};
  cli_design design;

  // 1  the file's grid with the optimal design: from the problem's guess, and from others
  int status = cli_design_seek(&design, call);
  if (status == CLI_DONE) status = cli_starts_open(&starts, call);
  if (status == CLI_DONE) status = cli_solve_new(&w, call);
  const bool others = starts.asked && starts.set.options.starts.count > 1;
  if (status == CLI_DONE && others) w.solution->set.options.max_time /= 2;
  if (status == CLI_DONE) status = cli_solve_run(&w);
  if (status == CLI_DONE) status = search_others(&w, &starts, &r);
  call->coarse = NULL;

  // 2 to 4: finer grids; then the report
  if (status == CLI_DONE) status = refine_grid(&w, &r, &starts);
  if (status == CLI_DONE) status = cli_starts_report(&starts);
  if (status == CLI_DONE) cli_design_report(&design, call);
  if (status == CLI_DONE) status = conclude_motion(&w, &r, &starts);
  cli_design_free(&design);
  cli_starts_free(&starts);
  cli_solve_free(&w);
  return status;
}

static int optimize_problem(const cli_args *args) {
  cli_call call;
  int status = cli_call_open(&call, args, true);
  if (status == CLI_DONE)
    status = call.run.p->phases.n ? cli_phases(&call, CLI_TO_MOTION) : cli_optimize(&call);
  return cli_call_close(&call, status);
}

const cli_command cli_command_optimize = {
    .name = "optimize",
    .what = "problem -> trajectory",
    .usage = "PROBLEM [-o DIR] [--from DIR] [--inputs WORD] [--starts K] [--threads K] [--verbose]",
    .solves = OC_BY_PROGRAMS,
    .run = optimize_problem,
    .phases = true,
};

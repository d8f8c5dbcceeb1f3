#include "optim/solution.h"

#include "optim/contact_programs.h"
#include "optim/contact_search.h"
#include "optim/guess_search.h"
#include "optim/outcome.h"
#include "optim/rows/knot_speeds.h"
#include "optim/rows/ratio.h"
#include "optim/second/newton_bvp.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  RECORD = 100000, // rows of the record at most
  GRIDS = 16,      // Newton's method counts its iterations on each grid separately
  PATIENCE = 100   // of Newton's method on a grid, if a minimum may lie at a penalty's kink, across
                   // which it would step forever
};

oc_setup oc_setup_default(void) {
  return (oc_setup){.options = oc_options_default()};
}

// -- making it

// the number of rows of the record
static int count_rows(const oc_solution *w) {
  // for each grid its iterations and the initial point
  int grids = w->newton ? GRIDS : 1, iterations = w->set.options.max_iter;
  return iterations < RECORD / grids ? grids * (iterations + 1) : RECORD;
}

// allocate the point, its initial guess, and the record
static dm_status make_point(oc_solution *w) {
  size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  w->room = count_rows(w);
  w->record = calloc((size_t)w->room, sizeof *w->record);
  double *numbers =
      calloc(4 * n + 2 * m, sizeof *numbers); // x, z_l, z_u, guess [n], lambda, rows [m]
  w->point = (oc_point){.x = numbers};
  if (!numbers || !w->record) return DM_NO_MEMORY;

  // parts of one block
  w->point.z_l = numbers + n;
  w->point.z_u = numbers + 2 * n;
  w->guess = numbers + 3 * n;
  w->point.lambda = numbers + 4 * n;
  w->rows = w->point.lambda + m;
  return DM_OK;
}

// Does the stage solver come first? If it is named, or with automatic choice unless a linear solver or an
// option of IPOPT is named.
static bool prefers_stage(const oc_solution *w) {
  const oc_options *options = &w->set.options;
  if (options->method == OC_SOLVER_STAGE || options->method == OC_SOLVER_IPOPT)
    return options->method == OC_SOLVER_STAGE;
  const bool named = options->linear && strcmp(options->linear, oc_ipopt_solvers()[0]);
  return !oc_ipopt_is_built() || (!named && !options->nipopt);
}

// the program, and its solver
static dm_status make_program(oc_solution *w, dm_message *msg) {
  const oc_torque_transcription_settings *second = w->set.second;
  if (w->phased.n) {
    DM_TRY(oc_phases_new(&w->phases, &w->phased, msg));
    w->nlp = oc_phases_nlp(w->phases);
    return make_point(w);
  }
  if (!second) {
    DM_TRY(oc_transcription_new(&w->first, &w->task, msg));
    w->nlp = oc_transcription_nlp(w->first);
    return make_point(w);
  }

  // second order uses Newton's method if it is a boundary value problem; if limits are active, IPOPT solves
  // it
  DM_TRY(oc_torque_transcription_new(&w->second, &w->task, second, msg));
  w->nlp = oc_torque_transcription_nlp(w->second);
  w->newton = w->set.options.method != OC_SOLVER_IPOPT &&
              w->set.options.method != OC_SOLVER_STAGE &&
              !oc_torque_transcription_binds(&w->task, second, NULL);
  return make_point(w);
}

// for one task, or for phases
static dm_status make_solution(oc_solution **out, const oc_task *task, const oc_phases_task *phased,
                               const oc_setup *set, dm_message *msg) {
  if (msg) msg->text[0] = '\0';
  *out = NULL;

  oc_solution *w = calloc(1, sizeof *w);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  w->task = *task;
  if (phased) w->phased = *phased;
  w->set = set ? *set : oc_setup_default();
  dm_status s = make_program(w, msg);
  if (s == DM_OK) w->stage = prefers_stage(w);

  if (s != DM_OK) {
    oc_solution_free(w);
    return s == DM_NO_MEMORY ? dm_fail(msg, s, "out of memory") : s;
  }
  *out = w;
  return DM_OK;
}

dm_status oc_solution_new(oc_solution **out, const oc_task *task, const oc_setup *set,
                          dm_message *msg) {
  assert(out && task);
  return make_solution(out, task, NULL, set, msg);
}

dm_status oc_solution_of_phases(oc_solution **out, const oc_phases_task *task, const oc_setup *set,
                                dm_message *msg) {
  assert(out && task && task->n >= 1);
  oc_setup first = set ? *set : oc_setup_default();
  first.second = NULL;
  first.guess = NULL;
  first.rollout = false;
  return make_solution(out, task->task[0], task, &first, msg);
}

void oc_solution_free(oc_solution *w) {
  if (!w) return;
  oc_transcription_free(w->first);
  oc_phases_free(w->phases);
  oc_solution_free_motions(w->motions, w->phased.n);
  oc_torque_transcription_free(w->second);
  dm_trajectory_free(w->motion);
  dm_trajectory_free(w->curve);
  oc_scaled_free(w->scaled);
  free(w->point.x);
  free(w->record);
  free(w);
}

// -- solving it

// can a minimum lie at a kink, and can another solver find it?
static bool is_impatient(const oc_solution *w) {
  return w->second->nkink > 0 && w->set.options.method == OC_SOLVER_AUTO &&
         w->set.options.max_iter > PATIENCE;
}

// solve with Newton's method; outcome and record are converted to IPOPT's format
static dm_status solve_newton(oc_solution *w, dm_message *msg) {
  const double *start = oc_torque_transcription_end(w->second, 0);
  const double *goal = oc_torque_transcription_end(w->second, 1);
  dm_second_order *L = oc_torque_transcription_second(w->second);
  oc_options options = w->set.options;
  oc_newton_info found = {0};
  oc_newton *newton = NULL;
  if (is_impatient(w)) options.max_iter = PATIENCE;

  // its own record, then converted
  oc_newton_row *rows = calloc((size_t)w->room, sizeof *rows);
  dm_status s = rows ? oc_newton_new(&newton, L, w->task.N, start, goal, msg) : DM_NO_MEMORY;
  if (s == DM_OK)
    // h = T/N; x is the guess, then the solution
    s = oc_newton_solve(newton, &options, &w->set.hooks, w->task.time.T / w->task.N, w->point.x,
                        rows, w->room, &found, msg);
  for (int i = 0; i < found.rows; i++) w->record[i] = oc_newton_iterate(&rows[i]);
  oc_newton_free(newton);
  free(rows);

  // its results in oc_solve_info
  w->info.newton = true;
  w->info.iterations = found.iterations;
  w->info.rows = found.rows;
  w->info.objective = found.action;
  w->info.worst_row = -1;
  w->info.total_s = found.time_s;
  w->info.inertia = found.inertia;
  w->info.lowest = found.action;
  w->info.late = s == DM_MAX_ITER && found.time_s > options.max_time;
  return s;
}

// Newton's method gave up: the program's solver continues from the guess
static void fall_back(oc_solution *w, const char *why) {
  w->newton = false;
  w->info = (oc_solve_info){.status = DM_OK};
  memcpy(w->point.x, w->guess, (size_t)w->nlp->n * sizeof *w->guess);
  w->room = count_rows(w);
  if (w->set.hooks.fall_back) w->set.hooks.fall_back(w->set.hooks.user, why);
}

const char *oc_solution_method(const oc_solution *w) {
  if (w->newton) return "newton";
  return w->stage ? "stage" : "ipopt";
}

// -- a cost per second or per distance

// the price at the point, J/D; given the program's objective there, J - price D
static double find_price(const oc_solution *w, double objective) {
  const double way = oc_ratio_way(w->first, w->point.x);
  return objective / way + w->first->ratio_price;
}

// add the figures of earlier runs
static void add_figures(oc_solve_info *info, const oc_solve_info *before) {
  info->iterations += before->iterations;
  oc_effort_add(info, before);
}

// are time and iterations left for another run?
static bool has_left(const oc_solution *w) {
  return w->info.spent < w->set.options.max_iter && w->info.total_s < w->set.options.max_time;
}

// one run at this price within the remaining limits: from the point with its multipliers, or from the guesses
static dm_status solve_at_price(oc_solution *w, bool from_point) {
  const oc_setup set = w->set;
  const oc_solve_info before = w->info;
  w->set.options.max_iter -= before.spent;
  w->set.options.max_time -= before.total_s;
  const dm_status s = from_point
                          ? oc_search_program(w, w->set.options.max_iter, w->set.options.max_time)
                          : oc_search_from_guesses(w);
  if (from_point) w->info.guesses = 1;
  w->set = set;
  add_figures(&w->info, &before);
  return s;
}

// Dinkelbach's iteration: minima of J - price D until the price is J/D
static dm_status solve_ratio(oc_solution *w) {
  enum { ROUNDS = 50 };
  const double settled = fmax(1e-10, 1e-2 * w->set.options.tol);
  w->first->ratio_price = 0;

  // the price at the guess, if it can be evaluated
  double objective;
  if (w->nlp->f(w->nlp->self, w->point.x, &objective) == DM_OK) {
    const double price = find_price(w, objective);
    if (isfinite(price)) w->first->ratio_price = price;
  }
  for (int round = 0; round < ROUNDS; round++) {
    // from the last minimum; at first, and if that fails, from the guesses
    w->warm = w->warm || round > 0;
    dm_status s = solve_at_price(w, round > 0);
    if (round > 0 && !oc_search_is_found(s) && has_left(w)) {
      memcpy(w->point.x, w->guess, (size_t)w->nlp->n * sizeof *w->guess);
      w->warm = false;
      s = solve_at_price(w, false);
    }

    // J/D there
    const double price = find_price(w, w->info.objective), change = price - w->first->ratio_price;
    w->info.objective = price;
    if (!oc_search_is_found(s) || s == DM_INTERRUPTED || fabs(change) <= settled * fabs(price))
      return s;
    if (!has_left(w)) break;
    w->first->ratio_price = price;
  }

  // a minimum at a price that has not converged to its ratio
  w->info.late = w->info.total_s >= w->set.options.max_time;
  snprintf(w->info.detail, sizeof w->info.detail, "Ratio_Not_Settled");
  return DM_MAX_ITER;
}

// -- the motion

// the solution of second order, and a motion of the system's own steps that follows it
static dm_status follow_curve(oc_solution *w) {
  oc_solve_info *info = &w->info;
  DM_TRY(dm_trajectory_of(&w->curve, w->task.N, &w->task.system));
  DM_TRY(dm_trajectory_of(&w->motion, w->task.N, &w->task.system));
  DM_TRY(oc_torque_transcription_trajectory(w->second, w->point.x, w->curve));
  // rolled out with feedback around the curve, to measure the deviation
  info->followed = oc_defect_measure(&w->task, w->curve, w->motion, &info->agreement, &info->why);
  if (info->followed == DM_NO_MEMORY || info->followed == DM_OK) return info->followed;

  // without a rollout, the solution itself is returned
  dm_trajectory *rolled = w->motion;
  w->motion = w->curve;
  w->curve = rolled;
  return DM_OK;
}

// the trajectory of first order
static dm_status unpack_motion(oc_solution *w) {
  if (w->phases) {
    // the trajectories of phases
    DM_TRY(oc_solution_motions(w, &w->motions));
    w->info.tie = oc_phases_tie(w->phases, w->point.x);
    w->info.objective -= w->info.tie;
    return oc_phases_unpack(w->phases, w->point.x, w->motions);
  }
  if (!w->motion) DM_TRY(dm_trajectory_of(&w->motion, w->task.N, &w->task.system));
  DM_TRY(oc_transcription_unpack(w->first, w->point.x, w->motion));

  // the tie-break is not part of the task's cost
  w->info.tie = oc_transcription_tie(w->first, w->point.x) / oc_ratio_way(w->first, w->point.x);
  // the objective is only the task's cost
  w->info.objective -= w->info.tie;
  return DM_OK;
}

static void free_motions(oc_solution *w) {
  dm_trajectory_free(w->motion);
  dm_trajectory_free(w->curve);
  oc_solution_free_motions(w->motions, w->phased.n);
  w->motion = w->curve = NULL;
  w->motions = NULL;
}

// solve the program once
static dm_status solve_once(oc_solution *w, dm_message *msg) {
  dm_message why = {""};
  if (!w->first) free_motions(w);
  w->info = (oc_solve_info){.status = DM_OK};

  // Newton's method if possible, then the program's solver from the same guess
  dm_status s = w->newton ? solve_newton(w, &why) : DM_OK;
  // negative: a failure; stalled: no step lowers the action; a saddle: another method has to leave it
  bool gave_up = s < 0 || s == DM_STALLED || s == DM_SADDLE;
  if (w->newton && s == DM_MAX_ITER && !w->info.late && is_impatient(w)) {
    gave_up = true;
    dm_fail(&why, s, "a penalty's kink is in its way after %d iterations", PATIENCE);
  }
  if (w->newton && gave_up && w->set.options.method != OC_SOLVER_NEWTON) fall_back(w, why.text);
  const bool ratio = w->first && w->task.per.of != OC_PER_MOTION;
  const bool contacts = oc_contact_programs_exist(w);
  if (!w->newton && contacts) s = oc_search_contacts(w);
  if (!w->newton && !contacts) s = ratio ? solve_ratio(w) : oc_search_from_guesses(w);
  w->info.status = s;
  if (w->newton) w->info.method = "newton";

  // no motion to return
  if (w->newton && s < 0) return dm_fail(msg, s, "%s", why.text[0] ? why.text : dm_status_text(s));
  // a point with values that are not finite is still the best one seen
  if (s < 0 && s != DM_NOT_FINITE)
    return dm_fail(msg, s, "the program cannot be solved: %s",
                   s == DM_UNAVAILABLE
                       ? "this build has no IPOPT: install coinor-libipopt-dev and build again"
                       : dm_status_text(s));

  // the point as a motion
  s = w->second ? follow_curve(w) : unpack_motion(w);
  return s == DM_OK ? s : dm_fail(msg, s, "%s", dm_status_text(s));
}

// the same; without a motion after a failure
static dm_status find_solution(oc_solution *w, dm_message *msg) {
  const dm_status s = solve_once(w, msg);
  if (s < 0) free_motions(w);
  return s;
}

// -- far limits of speed

// Solve the same task from the same guess with all speed limits enforced at knots, within the remaining
// iterations and time. Its solution replaces the current one, with the figures of both.
static dm_status find_with_every_speed(oc_solution *w, dm_message *msg) {
  const oc_setup set = w->set;
  oc_solution *again = NULL;
  dm_trajectory *guess = NULL;
  oc_task task = w->task;
  task.every_speed = true;
  w->set.warm = NULL;
  w->set.options.max_iter -= w->info.spent;
  w->set.options.max_time -= w->info.total_s;

  dm_status s = oc_solution_new(&again, &task, &w->set, msg);
  if (s == DM_OK) s = dm_trajectory_of(&guess, w->task.N, &w->task.system);
  if (s >= 0) s = oc_transcription_unpack(w->first, w->guess, guess);
  if (s >= 0) s = oc_solution_start(again, guess);
  if (s >= 0) s = find_solution(again, msg);
  w->set = set;

  // replace one by the other
  if (s >= 0) {
    const oc_solution passed = *w;
    add_figures(&again->info, &passed.info);
    *w = *again;
    w->set = set;
    *again = passed;
  }
  dm_trajectory_free(guess);
  oc_solution_free(again);
  return s;
}

dm_status oc_solution_find(oc_solution *w, dm_message *msg) {
  assert(w && w->point.x);
  DM_TRY(find_solution(w, msg));
  const bool solved = w->info.status == DM_OK || w->info.status == DM_ACCEPTABLE;
  if (!w->first || !solved || w->task.every_speed) return DM_OK;
  if (oc_knot_speeds_kept(&w->task, w->motion)) return DM_OK;
  if (has_left(w)) return find_with_every_speed(w, msg);
  w->info.late = w->info.total_s >= w->set.options.max_time;
  w->info.status = DM_MAX_ITER;
  return DM_OK;
}

#include "cli/commands/commands.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/convergence.h"
#include "cli/results/multipliers.h"
#include "cli/results/trajectory.h"
#include "cli/stages/follow.h"
#include "cli/stages/job.h"
#include "cli/stages/refine.h"
#include "cli/stages/saturation.h"
#include "optim/second/defect.h"
#include "optim/second/newton_bvp.h"
#include "optim/transcription/transcribe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 100000, GRIDS = 16 };

static const double MISSED = 1e-6; // a violation above which the limits may be what is in the way

// the program of a job, its point and its solver's words
typedef struct solve {
  cli_job *job;
  oc_transcription *t;             // of first order, or
  oc_torque_transcription *action; // of second
  const oc_nlp *nlp;
  dm_trajectory *curve;  // the solution of second order, that job->x follows
  bool newton;           // it is not IPOPT that solves
  bool late;             // its time was up
  cli_following plant;   // what a plant makes of the motion; followed by none yet: no y
  cli_coarseness coarse; // it is solved, and no plant does what it says
  bool refitted;         // stiff damping was fitted anew to the steps of a free final time
  dm_status followed;    // of second order: whether there is a motion that follows, and how well
  oc_defect agreement;
  dm_message why;
  oc_point point;
  double *numbers; // of the point
  oc_iterate *record;
  oc_ipopt_settings set;
  oc_ipopt_info info;
  cli_progress progress;
} solve;

static void solve_free(solve *w) {
  oc_transcription_free(w->t);
  oc_torque_transcription_free(w->action);
  dm_trajectory_free(w->curve);
  cli_following_free(&w->plant);
  free(w->numbers);
  free(w->record);
}

// rows of the record: Newton's method takes its iterations on each grid anew
static int room(const solve *w) {
  int grids = w->newton ? GRIDS : 1;
  return w->set.max_iter < RECORD / grids ? grids * (w->set.max_iter + 1) : RECORD;
}

// spent: s of the time that there is
static int solve_new(solve *w, cli_job *job, double spent) {
  *w = (solve){.job = job, .progress = cli_progress_of(job->args)};
  const pb_problem *p = job->p;
  dm_status s =
      p->transcription.second
          ? oc_torque_transcription_new(&w->action, job->task, &p->transcription.action, &job->msg)
          : oc_transcription_new(&w->t, job->task, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  w->nlp =
      p->transcription.second ? oc_torque_transcription_nlp(w->action) : oc_transcription_nlp(w->t);
  w->newton = p->transcription.second && !p->solver.ipopt &&
              !oc_torque_transcription_binds(job->task, &p->transcription.action, NULL);
  size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  w->numbers = calloc(3 * n + m, sizeof *w->numbers);
  w->set = oc_ipopt_default();
  w->set.tol = job->p->solver.tol;
  w->set.max_iter = job->p->solver.max_iter;
  w->set.max_time = job->p->solver.max_time - spent;
  if (job->p->solver.linear) w->set.solver = job->p->solver.linear;
  w->record = calloc((size_t)room(w), sizeof *w->record);
  if (!w->numbers || !w->record) return cli_fail(job->args, CLI_FAULT, "out of memory");
  w->point = (oc_point){.x = w->numbers,
                        .z_l = w->numbers + n,
                        .z_u = w->numbers + 2 * n,
                        .lambda = w->numbers + 3 * n};
  return CLI_DONE;
}

static bool watch_newton(void *user, const oc_newton_row *row) {
  solve *w = user;
  cli_job_worth(w->job);
  cli_progress_say(&w->progress, "%s: iteration %d, objective %.6g, decrement %.1e",
                   w->job->p->name, row->iteration, row->action, row->decrement);
  return !cli_interrupted() && !(row->time_s > w->set.max_time);
}

static bool watch(void *user, const oc_iterate *it) {
  solve *w = user;
  cli_job_worth(w->job);
  cli_progress_say(&w->progress, "%s: iteration %d, objective %.6g, violation %.1e, dual %.1e",
                   w->job->p->name, it->iteration, it->objective, it->violation, it->dual);
  return !cli_interrupted();
}

// start from the guess, and from multipliers of the same program where --from has them
static int start(solve *w) {
  dm_trajectory *guess = NULL;
  bool same;
  int status = w->action ? cli_knots(w->job, w->action, w->point.x, &same)
                         : cli_guess(w->job, &guess, &same);
  double least = 0;
  if (status == CLI_DONE && w->action &&
      oc_torque_transcription_rounding(w->action, w->point.x, &least) == DM_OK)
    w->set.rounding = least;
  if (status == CLI_DONE && guess) oc_transcription_pack(w->t, guess, w->point.x);
  dm_trajectory_free(guess);
  if (status != CLI_DONE || !w->job->args->from || w->newton || w->job->coarse) return status;
  char *path = cli_join(w->job->args->from, "multipliers.csv");
  if (!path) return cli_fail(w->job->args, CLI_FAULT, "out of memory");
  dm_message msg;
  w->set.warm = same && cli_multipliers_read(path, w->nlp, &w->point, &msg) == DM_OK;
  if (!same)
    cli_note(w->job->args,
             "the motion in %s has another number of steps: it is resampled, "
             "without multipliers",
             w->job->args->from);
  else if (!w->set.warm)
    cli_note(w->job->args, "starting without multipliers: %s", msg.text);
  free(path);
  return CLI_DONE;
}

static const char *status_word(const solve *w) {
  bool late = w->late ||
              (!w->newton && w->info.status == DM_MAX_ITER && w->info.iterations < w->set.max_iter);
  if (w->coarse.kind != CLI_FINE) return "coarse";
  return late ? "time_limit" : cli_status_word(w->info.status);
}

static bool is_solved(const solve *w) {
  return cli_exit_of(w->info.status) == CLI_DONE;
}

static void report_worst(const solve *w, cli_json *r, char *text, size_t size) {
  cli_json *worst = cli_json_object(r, "worst");
  int knot = -1;
  snprintf(text, size, "no row");
  if (w->info.worst_row < 0) {
    cli_json_text(worst, "row", NULL);
    json_object_object_add(worst, "knot", NULL);
    return;
  }
  char row[160];
  w->nlp->row_name(w->nlp->self, w->info.worst_row, row, sizeof row, &knot);
  snprintf(text, size, knot < 0 ? "%s" : "%s, knot %d", row, knot);
  cli_json_text(worst, "row", row);
  cli_json_int(worst, "knot", knot);
}

// how the two discretizations agree
static void report_agreement(const solve *w, const oc_defect *a) {
  const cli_names *names = &w->job->names;
  cli_json *o = cli_json_object(w->job->result, "agreement");
  cli_json_number(o, "defect", a->defect);
  cli_json_int(o, "knot", a->knot);
  cli_json_number(o, "defect_2h", a->defect_2h);
  cli_json_number(o, "order", a->order);
  cli_json_number(o, "distance", a->distance);
  cli_json_text(o, "coordinate", names->coord[a->coord]);
  cli_json_int(o, "at", a->at);
  char order[32] = "unknown";
  if (isfinite(a->order)) snprintf(order, sizeof order, "%.2f", a->order);
  cli_tell(w->job, "agreement",
           "the solution's knots miss the map's steps by at most %.1e (knot %d; order %s)",
           a->defect, a->knot, order);
  cli_tell(w->job, "", "the motion that follows is within %.1e of it (%s, knot %d)", a->distance,
           names->coord[a->coord], a->at);
}

// the motion that the solver ended at: of second order, before another follows it
static const dm_trajectory *ended_at(const solve *w) {
  return w->curve ? w->curve : w->job->x;
}

// what a solution is to be warned of
static void say_solved(const solve *w) {
  if (w->info.status == DM_ACCEPTABLE)
    cli_note(w->job->args, "solved to six digits: no further progress towards solver.tol %.1e (%s)",
             w->set.tol, w->info.detail);
  cli_warn_time(w->job, ended_at(w));
}

// why there is no solution, and which limits may be in the way of one
static void say_unsolved(const solve *w, const char *worst) {
  const oc_ipopt_info *info = &w->info;
  char limits[CLI_LIMITS] = "";
  if (info->max_violation > MISSED)
    cli_report_saturation(w->job, ended_at(w), limits, sizeof limits);

  if (info->status == DM_INFEASIBLE)
    cli_error("infeasible: no motion near this one meets all that is asked; the worst is the %s, "
              "off by %.3g%s",
              worst, info->max_violation, limits);
  else if (info->status == DM_INTERRUPTED)
    cli_error("interrupted: the best trajectory found so far is written to %s", w->job->dir);
  else if (w->newton)
    cli_error("%s; the last step's decrement is %.2g", status_word(w),
              info->rows ? w->record[info->rows - 1].dual : NAN);
  else
    cli_error("%s (%s); the worst row is the %s, off by %.3g%s", status_word(w), info->detail,
              worst, info->max_violation, limits);
}

static void report(const solve *w) {
  cli_json *r = w->job->result, *o;
  const oc_ipopt_info *info = &w->info;
  char worst[200];
  cli_json_text(r, "status", status_word(w));
  cli_json_text(r, "transcription", w->action ? "second-order" : "first-order");
  if (w->action) cli_json_text(r, "rule", w->job->p->transcription.action.rule.name);
  cli_json_int(r, "steps", w->job->task->N);
  cli_json_number(r, "objective", info->objective);
  cli_json_int(r, "iterations", info->iterations);
  cli_json_number(r, "max_violation", info->max_violation);
  report_worst(w, r, worst, sizeof worst);
  o = cli_json_object(r, "sizes");
  cli_json_int(o, "variables", w->nlp->n);
  cli_json_int(o, "constraints", w->nlp->m);
  cli_json_int(o, "jacobian_nnz", w->nlp->jac_nnz);
  cli_json_int(o, "hessian_nnz", w->nlp->hess_nnz);
  o = cli_json_object(r, "time");
  cli_json_number(o, "total_s", info->total_s);
  cli_json_number(o, "derivatives_s", info->derivatives_s);
  cli_json_number(o, "solver_s", info->total_s - info->derivatives_s);
  o = cli_json_object(r, "solver");
  cli_json_text(o, "method", w->newton ? "newton" : "ipopt");
  cli_json_text(o, "linear", info->solver);
  cli_json_text(o, "detail", info->detail);
  cli_json_bool(o, "warm", w->set.warm);

  char how[64] = "Newton's method, second order";
  if (!w->newton)
    snprintf(how, sizeof how, "derivatives %.1f %%%s", 100 * info->derivatives_s / info->total_s,
             w->action ? "; second order" : "");
  cli_tell(w->job, "status", "%s after %d iterations, %.1f ms (%s)", status_word(w),
           info->iterations, 1e3 * info->total_s, how);
  cli_tell(w->job, "objective", "%.10g", info->objective);
  if (w->job->task->free_time)
    cli_tell(w->job, "final time", "%.10g s", w->job->x->N * w->job->x->h);
  if (w->nlp->m) cli_tell(w->job, "violation", "%.1e (%s)", info->max_violation, worst);
  if (is_solved(w))
    say_solved(w);
  else
    say_unsolved(w, worst);
}

static int write_files(solve *w) {
  cli_job *job = w->job;
  FILE *f = cli_job_file(job, "trajectory.csv");
  if (!f) return CLI_INPUT;
  cli_trajectory_write(f, &job->names, job->x);
  if (!w->newton) {
    if (!(f = cli_job_file(job, "multipliers.csv"))) return CLI_INPUT;
    cli_multipliers_write(f, w->nlp, &w->point);
  }
  if (w->curve) {
    if (!(f = cli_job_file(job, "second-order.csv"))) return CLI_INPUT;
    cli_trajectory_write(f, &job->names, w->curve);
  }
  if (!(f = cli_job_file(job, "convergence.csv"))) return CLI_INPUT;
  cli_convergence_write(f, w->record, w->info.rows);
  return CLI_DONE;
}

// by Newton's method, its outcome and its record said as IPOPT's are
static dm_status solve_newton(solve *w) {
  const cli_job *job = w->job;
  oc_newton *newton = NULL;
  oc_newton_settings set;
  oc_newton_info info = {0};
  const double *const end[] = {oc_torque_transcription_end(w->action, 0),
                               oc_torque_transcription_end(w->action, 1)};
  oc_newton_row *rows = calloc((size_t)room(w), sizeof *rows);
  set = oc_newton_default();
  set.max_iter = w->set.max_iter, set.watch = watch_newton, set.user = w;
  dm_message *msg = &w->job->msg;
  dm_status s = rows ? oc_newton_new(&newton, oc_torque_transcription_second(w->action),
                                     job->task->N, end[0], end[1], msg)
                     : DM_NO_MEMORY;
  if (s == DM_OK)
    s = oc_newton_solve(newton, &set, oc_task_step(job->task), w->point.x, rows, room(w), &info,
                        msg);
  for (int i = 0; i < info.rows; i++)
    w->record[i] = (oc_iterate){.iteration = rows[i].iteration,
                                .objective = rows[i].action,
                                .dual = rows[i].decrement,
                                .step = rows[i].step,
                                .regularization = rows[i].shift};
  w->info = (oc_ipopt_info){.status = s,
                            .solver = NULL,
                            .iterations = info.iterations,
                            .objective = info.action,
                            .worst_row = -1,
                            .total_s = info.time_s,
                            .rows = info.rows};
  oc_newton_free(newton);
  free(rows);
  w->late = s == DM_INTERRUPTED && !cli_interrupted();
  return w->late ? DM_MAX_ITER : s;
}

// the solution of second order, and the motion of the system's own steps that follows it
static dm_status follow(solve *w) {
  cli_job *job = w->job;
  DM_TRY(dm_trajectory_of(&w->curve, job->task->N, &job->task->system));
  DM_TRY(dm_trajectory_of(&job->x, job->task->N, &job->task->system));
  DM_TRY(oc_torque_transcription_trajectory(w->action, w->point.x, w->curve));
  w->followed = oc_defect_measure(job->task, w->curve, job->x, &w->agreement, &w->why);
  if (w->followed == DM_NO_MEMORY || w->followed == DM_OK) return w->followed;

  // without one the solution stands for itself
  dm_trajectory *x = job->x;
  job->x = w->curve;
  w->curve = x;
  return DM_OK;
}

// the trajectory of first order
static dm_status unpack(solve *w) {
  cli_job *job = w->job;
  DM_TRY(dm_trajectory_of(&job->x, job->task->N, &job->task->system));
  DM_TRY(oc_transcription_unpack(w->t, w->point.x, job->x));

  // what broke ties is no part of what the task asks
  double tie = oc_transcription_tie(w->t, w->point.x);
  w->info.objective -= tie;
  if (tie > 0) cli_json_number(job->result, "tie_break", tie);
  return DM_OK;
}

static int solve_run(solve *w) {
  cli_job *job = w->job;
  int status = start(w);
  if (status != CLI_DONE) return status;
  w->set.watch = watch, w->set.user = w;
  dm_status s = w->newton ? solve_newton(w) : DM_OK;
  bool gave_up = s < 0 || s == DM_STALLED;
  if (w->newton && gave_up && !job->p->solver.newton) {
    cli_progress_end(&w->progress);
    cli_note(job->args, "Newton's method: %s; IPOPT goes on from the guess", job->msg.text);
    w->newton = false;
    if ((status = start(w)) != CLI_DONE) return status;
  }
  if (!w->newton) s = oc_ipopt_solve(w->nlp, &w->set, &w->point, w->record, room(w), &w->info);
  cli_progress_end(&w->progress);
  w->info.status = s;
  if (w->newton && s < 0) return cli_fail_status(job->args, s, &job->msg);
  if (s < 0 && s != DM_NOT_FINITE)
    return cli_fail(job->args, cli_exit_of(s), "the program cannot be solved: %s",
                    s == DM_UNAVAILABLE ? "this build has no IPOPT" : dm_status_text(s));
  s = w->action ? follow(w) : unpack(w);
  return s == DM_OK ? CLI_DONE : cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
}

// solved, and, of second order, by a motion of the map as well
static bool is_whole(const solve *w) {
  return is_solved(w) && w->followed == DM_OK;
}

// on the finer grid of the job: from the coarser motion, where there is one to start from; where
// that leads nowhere, from the problem's own guess
static int solve_finer(solve *w, cli_job *job, double *spent) {
  for (;;) {
    int status = solve_new(w, job, *spent);
    if (status == CLI_DONE) status = solve_run(w);
    if (status != CLI_DONE || is_whole(w) || !job->coarse || cli_interrupted()) return status;

    if (*spent + w->info.total_s >= job->p->solver.max_time) return status;
    *spent += w->info.total_s;
    solve_free(w);
    dm_trajectory_free(job->x);
    job->x = NULL;
    job->coarse = NULL;
  }
}

// Stiff damping is fitted to steps as long as a free final time was guessed to make them: where
// they come out longer or shorter, the system is fitted to these, and the motion found again from
// there. What cannot be found again stays as it was. *before: s of time spent on what was left.
static int refit(solve *w, double *before) {
  enum { ROUNDS = 5 };
  static const double NEAR = 0.02; // of the step
  cli_job *job = w->job;
  for (int round = 0; round < ROUNDS && job->task->free_time && is_whole(w); round++) {
    double h = job->x->h;
    double spent = *before + w->info.total_s;
    if (fabs(h / job->p->step - 1) < NEAR || spent >= job->p->solver.max_time) break;
    int stiff = job->p->fitted->count;
    dm_status s = pb_problem_refit(job->p, h);
    if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
    w->refitted |= stiff + job->p->fitted->count > 0;
    if (stiff + job->p->fitted->count == 0) break;

    // from the motion so far
    dm_trajectory *so_far = job->x;
    solve again;
    job->coarse = so_far;
    job->x = NULL;
    int status = solve_new(&again, job, spent);
    if (status == CLI_DONE) status = solve_run(&again);
    job->coarse = NULL;
    if (status == CLI_DONE && is_whole(&again)) {
      again.refitted = true;
      *before = spent;
      solve_free(w);
      *w = again;
      dm_trajectory_free(so_far);
      continue;
    }

    // back to what there was
    solve_free(&again);
    dm_trajectory_free(job->x);
    job->x = so_far;
    pb_problem_refit_undo(job->p);
    if (!cli_interrupted())
      cli_note(job->args,
               "warning: damping is fitted to steps of %.3g s, and they are %.3g s long: guess the "
               "final time nearer to %.3g s (horizon.time.guess)",
               job->p->step, h, h * job->task->N);
    break;
  }
  return CLI_DONE;
}

// let the plant follow what is solved, and see whether the grid was fine enough for that
static int look_at_plant(solve *w) {
  cli_following_free(&w->plant);
  w->coarse = (cli_coarseness){.kind = CLI_FINE};
  if (!is_solved(w) || cli_interrupted()) return CLI_DONE;
  int status = cli_follow(w->job, &w->plant);
  if (status == CLI_DONE) w->coarse = cli_find_coarseness(w->job, &w->plant);
  return status;
}

// a motion that no plant does is solved again with twice the steps, until one does or the problem
// forbids it; what could not be solved there leaves the coarser one
static int refine(solve *w, cli_refinement *r) {
  cli_job *job = w->job;
  cli_coarser coarser;
  int status = refit(w, &r->time);
  if (status == CLI_DONE) status = look_at_plant(w);
  while (status == CLI_DONE && is_whole(w) && w->coarse.kind != CLI_FINE) {
    double before = r->time + w->info.total_s;
    solve finer;
    if (!cli_refine(job, &w->coarse, r, before, &coarser)) break;

    double spent = before;
    status = solve_finer(&finer, job, &spent);
    if (status == CLI_DONE && is_whole(&finer)) {
      cli_refine_keep(job, r, &coarser);
      r->time = spent;
      solve_free(w);
      *w = finer;
      status = refit(w, &r->time);
      if (status == CLI_DONE) status = look_at_plant(w);
      continue;
    }

    snprintf(r->why, sizeof r->why, "with %d steps the status is %s", job->task->N,
             status_word(&finer));
    cli_refine_undo(job, &coarser);
    r->time = spent - w->info.total_s + finer.info.total_s;
    solve_free(&finer);
    break;
  }
  return status;
}

// the steps that stiff damping is fitted to, and the inertia that they take more
static void report_fit(const solve *w) {
  const cli_job *job = w->job;
  const dm_stiff_damping *fitted = job->p->fitted;
  if (!fitted->count && !w->refitted) return;
  cli_json *o = cli_json_object(job->result, "fitted");
  cli_json_number(o, "step", job->p->step);
  cli_json *added = cli_json_object(o, "inertia");
  for (int i = 0; i < fitted->n; i++)
    if (fitted->added[i] > 0) cli_json_number(added, job->names.coord[i], fitted->added[i]);
}

// what is said of the motion, and its files
static int conclude(solve *w, const cli_refinement *r) {
  cli_job *job = w->job;
  bool solved = is_solved(w);
  report(w);
  report_fit(w);
  cli_refine_report(job, r);
  if (w->action && w->followed == DM_OK) report_agreement(w, &w->agreement);

  int status = CLI_OUTCOME;
  if (w->info.status == DM_INTERRUPTED)
    ; // there is no time to certify it
  else if (w->followed == DM_OK)
    status = cli_certify(job, solved);
  else
    cli_error("no motion of the system's own steps follows the solution: %s; it is written as it "
              "is",
              w->why.text);
  bool coarse = w->coarse.kind != CLI_FINE;
  if (coarse) cli_refine_complain(job, &w->coarse, r);
  if (status == CLI_DONE && (!solved || coarse)) status = CLI_OUTCOME;
  if (status == CLI_INPUT || status == CLI_FAULT) return status;

  int written = write_files(w);
  if (written == CLI_DONE && solved && w->plant.y) written = cli_follow_report(job, &w->plant);
  return written == CLI_DONE ? status : written;
}

int cli_optimize(cli_job *job) {
  if (!job->p->has_task)
    return cli_fail(job->args, CLI_INPUT, "%s asks for no optimization: it has no goal and no cost",
                    job->p->path);
  solve w;
  cli_refinement r = {0};
  int status = solve_new(&w, job, 0);
  if (status == CLI_DONE) status = solve_run(&w);
  if (status == CLI_DONE) status = refine(&w, &r);
  if (status == CLI_DONE) status = conclude(&w, &r);
  solve_free(&w);
  return status;
}

static int optimize_problem(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_optimize(&job);
  return cli_job_close(&job, status);
}

const cli_command cli_command_optimize = {
    .name = "optimize",
    .what = "problem -> trajectory",
    .usage = "PROBLEM [-o DIR] [--from DIR]",
    .run = optimize_problem,
};

#include "cli/commands.h"
#include "cli/job.h"
#include "cli/say.h"
#include "optim/transcribe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 100000 };

// the program of a job, its point and its solver's words
typedef struct solve {
  cli_job *job;
  oc_transcription *t;
  const oc_nlp *nlp;
  oc_point point;
  double *numbers; // of the point
  oc_iterate *record;
  oc_ipopt_settings set;
  oc_ipopt_info info;
  cli_progress progress;
} solve;

static void solve_free(solve *w) {
  oc_transcription_free(w->t);
  free(w->numbers);
  free(w->record);
}

static int solve_new(solve *w, cli_job *job) {
  *w = (solve){.job = job, .progress = cli_progress_of(job->args)};
  dm_status s = oc_transcription_new(&w->t, job->task, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  w->nlp = oc_transcription_nlp(w->t);
  size_t n = (size_t)w->nlp->n, m = (size_t)w->nlp->m;
  w->numbers = calloc(3 * n + m, sizeof *w->numbers);
  oc_ipopt_default(&w->set);
  w->set.tol = job->p->solver.tol;
  w->set.max_iter = job->p->solver.max_iter;
  w->set.max_time = job->p->solver.max_time;
  if (job->p->solver.linear) w->set.solver = job->p->solver.linear;
  int room = w->set.max_iter < RECORD ? w->set.max_iter + 1 : RECORD;
  w->record = calloc((size_t)room, sizeof *w->record);
  if (!w->numbers || !w->record) return cli_fail(job->args, CLI_FAULT, "out of memory");
  w->point = (oc_point){.x = w->numbers,
                        .z_l = w->numbers + n,
                        .z_u = w->numbers + 2 * n,
                        .lambda = w->numbers + 3 * n};
  return CLI_DONE;
}

static bool watch(void *user, const oc_iterate *it) {
  solve *w = user;
  cli_progress_say(&w->progress, "%s: iteration %d, objective %.6g, violation %.1e, dual %.1e",
                   w->job->p->name, it->iteration, it->objective, it->violation, it->dual);
  return !cli_interrupted();
}

// start from the guess, and from multipliers of the same program where --from has them
static int start(solve *w) {
  dm_trajectory *guess = NULL;
  bool same;
  int status = cli_guess(w->job, &guess, &same);
  if (status == CLI_DONE) oc_transcription_pack(w->t, guess, w->point.x);
  dm_trajectory_free(guess);
  if (status != CLI_DONE || !w->job->args->from) return status;
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
  switch (w->info.status) {
  case DM_OK:
    return "solved";
  case DM_INFEASIBLE:
    return "infeasible";
  case DM_MAX_ITER:
    return w->info.iterations < w->set.max_iter ? "time_limit" : "iteration_limit";
  case DM_INTERRUPTED:
    return "interrupted";
  case DM_STALLED:
    return "stalled";
  case DM_NOT_FINITE:
    return "not_finite";
  default:
    return "failed";
  }
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

static void report(const solve *w) {
  cli_json *r = w->job->result, *o;
  const oc_ipopt_info *info = &w->info;
  char worst[200];
  cli_json_text(r, "status", status_word(w));
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
  cli_json_text(o, "linear", info->solver);
  cli_json_text(o, "detail", info->detail);
  cli_json_bool(o, "warm", w->set.warm);

  cli_tell(w->job, "status", "%s after %d iterations, %.1f ms (derivatives %.1f %%)",
           status_word(w), info->iterations, 1e3 * info->total_s,
           100 * info->derivatives_s / info->total_s);
  cli_tell(w->job, "objective", "%.10g", info->objective);
  if (w->job->task->free_time)
    cli_tell(w->job, "final time", "%.10g s", w->job->x->N * w->job->x->h);
  cli_tell(w->job, "violation", "%.1e (%s)", info->max_violation, worst);
  if (info->status == DM_INFEASIBLE)
    cli_error("infeasible: no motion near this one meets all that is asked; the worst is the %s, "
              "off by %.3g",
              worst, info->max_violation);
  else if (info->status == DM_INTERRUPTED)
    cli_error("interrupted: the best trajectory found so far is written to %s", w->job->dir);
  else if (info->status != DM_OK)
    cli_error("%s (%s); the worst row is the %s, off by %.3g", status_word(w), info->detail, worst,
              info->max_violation);
}

// the files; those of later stages belong to an older motion
static int write_files(solve *w) {
  cli_job *job = w->job;
  FILE *f = cli_job_file(job, "trajectory.csv");
  if (!f) return CLI_INPUT;
  cli_trajectory_write(f, &job->names, job->x);
  if (!(f = cli_job_file(job, "multipliers.csv"))) return CLI_INPUT;
  cli_multipliers_write(f, w->nlp, &w->point);
  if (!(f = cli_job_file(job, "convergence.csv"))) return CLI_INPUT;
  cli_convergence_write(f, w->record, w->info.rows);
  cli_forget(job, NULL);
  cli_folder_remove(&job->out, "descent.csv");
  return CLI_DONE;
}

static int solve_run(solve *w) {
  cli_job *job = w->job;
  int status = start(w);
  if (status != CLI_DONE) return status;
  w->set.watch = watch, w->set.user = w;
  int room = w->set.max_iter < RECORD ? w->set.max_iter + 1 : RECORD;
  dm_status s = oc_ipopt_solve(w->nlp, &w->set, &w->point, w->record, room, &w->info);
  cli_progress_end(&w->progress);
  w->info.status = s;
  if (s < 0 && s != DM_NOT_FINITE)
    return cli_fail(job->args, cli_exit_of(s), "the program cannot be solved: %s",
                    s == DM_UNAVAILABLE ? "this build has no IPOPT" : dm_status_text(s));
  s = dm_trajectory_of(&job->x, job->task->N, &job->task->system);
  if (s == DM_OK) s = oc_transcription_unpack(w->t, w->point.x, job->x);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  report(w);
  status = cli_certify(job, w->info.status == DM_OK);
  if (status == CLI_DONE && w->info.status != DM_OK) status = CLI_OUTCOME;
  if (status == CLI_INPUT || status == CLI_FAULT) return status;
  int written = write_files(w);
  return written == CLI_DONE ? status : written;
}

int cli_optimize(cli_job *job) {
  if (!job->p->has_task)
    return cli_fail(job->args, CLI_INPUT, "%s asks for no optimization: it has no goal and no cost",
                    job->p->path);
  solve w;
  int status = solve_new(&w, job);
  if (status == CLI_DONE) status = solve_run(&w);
  solve_free(&w);
  return status;
}

int cmd_optimize(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_optimize(&job);
  return cli_job_close(&job, status);
}

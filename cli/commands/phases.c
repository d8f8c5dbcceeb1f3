// phases: the motion of a problem in phases, solved as one program.
//
//   1  solve all phases on the grids of the file
//   2  look: the plant follows each phase; where it passes limits on outputs between knots, narrow
//      their bounds and solve again; where a grid is too coarse for that, double its steps
//   3  solve again from there; back to 2
//   4  a folder for each phase, as if it were a problem alone, with the stages after its motion
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/stages/accuracy.h"
#include "cli/stages/solve.h"
#include "lib/base/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is known of one phase.
typedef struct phase_look {
  dm_trajectory *x; // the solution's, until the phase has a job
  cli_following plant;
  cli_coarseness coarse;
  int asked;     // steps of the file
  char *summary; // of its job
  double
      *carried; // [2n x 2n] the cost-to-go of the phase after it, at its end, and 2n zeros; or NULL
} phase_look;

typedef struct phased_motion {
  cli_job *job;
  cli_solve solve;
  int n;
  phase_look *look; // [n]
  int rounds;       // of bounds narrowed so that limits are kept between knots, on this grid
  double spent;     // s, on grids that were left
} phased_motion;

static const pb_problem *problem_of(const phased_motion *w, int i) {
  return w->job->p->phases.problem[i];
}

static const char *name_of(const phased_motion *w, int i) {
  return w->job->p->phases.name[i];
}

// -- solving

// a job of one phase, to look at: without a folder
static void open_look(const phased_motion *w, int i, cli_job *job) {
  *job = (cli_job){.args = w->job->args, .x = w->look[i].x, .result = json_object_new_object()};
  cli_job_set_problem(job, w->job->p->phases.problem[i]);
}

static void close_look(cli_job *job) {
  json_object_put(job->result);
}

// let the plant follow each phase; the worst of what comes out is that of all
static int look_at_phases(phased_motion *w) {
  int status = CLI_DONE;
  for (int i = 0; i < w->n && status == CLI_DONE; i++) {
    phase_look *look = &w->look[i];
    look->x = w->solve.solution->motions[i];
    look->coarse = (cli_coarseness){.kind = CLI_FINE};
    if (!cli_solve_is_done(&w->solve) || cli_interrupted()) continue;
    cli_job job;
    open_look(w, i, &job);
    status = cli_follow(&job, &look->plant);
    if (status == CLI_DONE) look->coarse = cli_find_coarseness(&job, &look->plant);
    if (look->coarse.kind != CLI_FINE) w->solve.coarse = look->coarse;
    close_look(&job);
  }
  return status;
}

static int solve_phases(phased_motion *w, dm_trajectory *const *from) {
  int status = cli_solve_new(&w->solve, w->job, w->spent);
  w->solve.motions = from;
  if (status == CLI_DONE) status = cli_solve_run(&w->solve);
  return status == CLI_DONE ? look_at_phases(w) : status;
}

// what another search takes the place of
typedef struct phases_before {
  pb_problem *problem;
  cli_solve solve;
  phase_look *look;
} phases_before;

static void free_looks(phase_look *look, int n) {
  for (int i = 0; look && i < n; i++) {
    cli_following_free(&look[i].plant);
    free(look[i].summary);
    free(look[i].carried);
  }
  free(look);
}

// the phases of the job's problem again, from the motions so far
static int solve_phases_from(phased_motion *w, const phases_before *old) {
  dm_trajectory **from = calloc((size_t)w->n, sizeof *from);
  w->look = calloc((size_t)w->n, sizeof *w->look);
  int status = from && w->look ? CLI_DONE : cli_fail(w->job->args, CLI_FAULT, "out of memory");
  for (int i = 0; status == CLI_DONE && i < w->n; i++) {
    from[i] = old->look[i].x;
    w->look[i].asked = old->look[i].asked;
  }
  if (status == CLI_DONE) status = solve_phases(w, from);
  w->solve.motions = NULL;
  free(from);
  return status;
}

// -- limits on outputs kept between knots

// the bounds of all phases narrowed where they are passed; how many of them
static int narrow_phases(phased_motion *w) {
  int felt = 0;
  for (int i = 0; i < w->n; i++) {
    oc_between *between = w->look[i].plant.between;
    if (between) felt += oc_between_raise(between, problem_of(w, i)->fine.between, false);
  }
  return felt;
}

// does nothing but limits on outputs make a grid too coarse?
static bool only_passes(const phased_motion *w) {
  bool passes = false;
  for (int i = 0; i < w->n; i++) {
    if (w->look[i].coarse.kind != CLI_FINE && w->look[i].coarse.kind != CLI_PASSES) return false;
    passes |= w->look[i].coarse.kind == CLI_PASSES;
  }
  return passes;
}

// one round: whether there was a motion under narrower bounds, in *found; if not, there is the one
// before
static int narrow_round(phased_motion *w, bool *found) {
  cli_job *job = w->job;
  const phases_before old = {.problem = job->p, .solve = w->solve, .look = w->look};
  *found = false;
  if (!narrow_phases(w)) return CLI_DONE;

  // from there, with its multipliers
  job->warm = &old.solve.solution->point;
  int status = solve_phases_from(w, &old);
  job->warm = NULL;
  *found = status == CLI_DONE && cli_solve_is_done(&w->solve);
  if (!*found) {
    cli_solve_free(&w->solve);
    free_looks(w->look, w->n);
    w->solve = old.solve;
    w->look = old.look;
    for (int i = 0; i < w->n; i++)
      if (w->look[i].plant.between) oc_between_lower(w->look[i].plant.between);
    return status;
  }

  // figures are those of both searches
  cli_solve_add_effort(&w->solve, &old.solve);
  w->rounds++;
  free_looks(old.look, w->n);
  cli_solve_free((cli_solve *)&old.solve);
  return CLI_DONE;
}

static int keep_phases_between_knots(phased_motion *w) {
  enum { ROUNDS = 6 };
  int status = CLI_DONE;
  bool found = cli_solve_is_done(&w->solve);
  for (int i = 0; i < ROUNDS && found && status == CLI_DONE && !cli_interrupted(); i++) {
    found = only_passes(w);
    if (found) status = narrow_round(w, &found);
  }
  return status;
}

// -- finer grids

// may phase i have twice its steps?
static bool has_room(const phased_motion *w, int i) {
  const pb_problem *p = problem_of(w, i);
  const int most = w->look[i].asked << p->fine.doublings;
  return 2 * p->task.N <= most && !p->task.sum;
}

// the values that stand for the file's: twice the steps of phases that are too coarse; NULL: there is
// none of these that may be finer
static cli_json *list_finer(const phased_motion *w) {
  const cli_json *now = cli_json_get_object(w->job->result, "replaced");
  cli_json *list = json_object_new_object();
  bool any = false;
  if (now) {
    json_object_object_foreach(now, key, value)
        cli_json_text(list, key, json_object_get_string(value));
  }
  for (int i = 0; i < w->n; i++) {
    char path[48], steps[16], text[240];
    if (w->look[i].coarse.kind == CLI_FINE || !has_room(w, i)) continue;
    any = true;
    cli_job job;
    open_look(w, i, &job);
    cli_note(w->job->args, "%s: with %d steps %s: solving with %d", name_of(w, i), job.task->N,
             cli_describe_coarseness(&job, &w->look[i].coarse, text), 2 * job.task->N);
    close_look(&job);
    snprintf(path, sizeof path, "phases.%d.horizon.steps", i);
    snprintf(steps, sizeof steps, "%d", 2 * problem_of(w, i)->task.N);
    cli_json_text(list, path, steps);
  }
  if (any) return list;
  json_object_put(list);
  return NULL;
}

// one round of finer grids: whether there was one that was solved, in *finer; if not, the coarser stays
static int refine_phases(phased_motion *w, bool *finer) {
  cli_job *job = w->job;
  phases_before old = {.problem = job->p, .solve = w->solve, .look = w->look};
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;
  cli_json *values = list_finer(w);
  *finer = false;
  if (!values) return CLI_DONE;
  const int n = cli_job_replaced(values, list);
  if (pb_problem_vary(&p, job->p->path, list, n, &job->msg) != DM_OK) {
    json_object_put(values);
    return CLI_DONE;
  }
  cli_job_set_problem(job, p);
  w->spent += old.solve.solution->info.total_s;
  int status = solve_phases_from(w, &old);
  *finer = status == CLI_DONE && cli_solve_is_done(&w->solve);
  if (!*finer) {
    cli_solve_free(&w->solve);
    free_looks(w->look, w->n);
    pb_problem_free(job->p);
    cli_job_set_problem(job, old.problem);
    w->solve = old.solve;
    w->look = old.look;
    json_object_put(values);
    return status;
  }
  w->rounds = 0;
  json_object_object_add(job->result, "replaced", values);
  cli_solve_free(&old.solve);
  free_looks(old.look, w->n);
  pb_problem_free(old.problem);
  return CLI_DONE;
}

// -- what is said of them

// the objective of phase i, without what broke ties
static double find_phase_objective(const phased_motion *w, int i) {
  const oc_solution *s = w->solve.solution;
  const oc_transcription *t = oc_phases_program(s->phases, i);
  const double *x = s->point.x + oc_phases_place(s->phases, i);
  const oc_nlp *nlp = oc_transcription_nlp(t);
  double f;
  return nlp->f(nlp->self, x, &f) == DM_OK ? f - oc_transcription_tie(t, x) : NAN;
}

// the summary of a phase among the others
static void report_phase(const phased_motion *w, int i, cli_json *list) {
  const dm_trajectory *x = w->look[i].x;
  cli_json *o = json_object_new_object();
  cli_json_text(o, "name", name_of(w, i));
  cli_json_int(o, "steps", x->N);
  cli_json_number(o, "time", x->N * x->h);
  cli_json_number(o, "objective", find_phase_objective(w, i));
  cli_json_bool(o, "coarse", w->look[i].coarse.kind != CLI_FINE);
  json_object_array_add(list, o);
  cli_tell(w->job, i ? "" : "phases", "%s: %.10g s in %d steps", name_of(w, i), x->N * x->h, x->N);
}

// result.json and the summary of them all; their grids
static void report_phases(const phased_motion *w) {
  cli_json *list = json_object_new_array();
  double time = 0;
  cli_solve_report(&w->solve);
  cli_accuracy_report(&w->solve);
  for (int i = 0; i < w->n; i++) {
    report_phase(w, i, list);
    time += w->look[i].x->N * w->look[i].x->h;
  }
  json_object_object_add(w->job->result, "phases", list);
  cli_json_number(w->job->result, "time_of_all", time);
  for (int i = 0; i < w->n; i++) {
    char text[240];
    cli_job job;
    if (w->look[i].coarse.kind == CLI_FINE) continue;
    open_look(w, i, &job);
    cli_error("%s: coarse: %s; take more steps", name_of(w, i),
              cli_describe_coarseness(&job, &w->look[i].coarse, text));
    close_look(&job);
  }
}

// -- a folder for each

// what a phase's own result.json says of its motion
static int fill_phase(const phased_motion *w, int i, cli_job *phase) {
  const bool solved = cli_solve_is_done(&w->solve), coarse = w->look[i].coarse.kind != CLI_FINE;
  const char *word = cli_status_word(w->solve.solution->info.status);
  cli_json *r = phase->result;
  cli_json_text(r, "status", coarse ? "coarse" : word);
  cli_json_text(r, "transcription", "first-order");
  cli_json_int(r, "steps", phase->task->N);
  cli_json_number(r, "objective", find_phase_objective(w, i));

  // is it a motion of the system, and does the plant follow it?
  int status = cli_certify(phase, solved && !coarse);
  if (status == CLI_DONE && (!solved || coarse)) status = CLI_OUTCOME;
  if (status == CLI_INPUT || status == CLI_FAULT) return status;
  const int written = cli_motion_write(phase);
  if (written != CLI_DONE || !solved || !w->look[i].plant.y) return written ? written : status;
  const int followed = cli_follow_report(phase, &w->look[i].plant);
  cli_between_report(phase, &w->look[i].plant, w->rounds);
  return followed == CLI_DONE ? status : followed;
}

// the job of a phase, as if its problem were alone
static int open_phase(const phased_motion *w, int i, cli_args *args, pb_replace *list,
                      cli_job *phase) {
  const cli_job *job = w->job;
  *args = *job->args;
  args->operand = job->p->path;
  args->out = cli_join(job->dir, name_of(w, i));
  args->silent = args->again = true;
  args->json = false;
  args->nreplace = cli_job_replaced(cli_json_get_object(job->result, "replaced"), list);
  list[args->nreplace++] = (pb_replace){"phase", name_of(w, i)};
  args->replace = list;
  if (!args->out) return cli_fail(job->args, CLI_FAULT, "out of memory");
  return cli_job_open(phase, args, true);
}

// The cost-to-go P at the start of phase i, carried to the end of the one before by the join's slope:
// T'P T. What has no slope is left alone.
static int carry_cost(phased_motion *w, int i, const fb_tvlqr *f) {
  const int n = problem_of(w, i)->task.system.L.nq, m = problem_of(w, i - 1)->task.system.L.nq;
  const size_t nx = 2 * (size_t)n, wide = 2 * (size_t)m;
  oc_solution *solution = w->solve.solution;
  double *T = calloc(2 * nx * wide, sizeof *T), *PT = T ? T + nx * wide : NULL;
  double *S = calloc(wide * wide + wide, sizeof *S);
  dm_status s = T && S ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) s = oc_phases_slope(solution->phases, i - 1, solution->point.x, T);
  if (s == DM_OK) {
    dm_gemm(2 * n, 2 * m, 2 * n, 1, f->P, T, 0, PT);
    dm_gemm_transposed(2 * m, 2 * m, 2 * n, 1, T, 2 * m, PT, 2 * m, 0, S, 2 * m);
    w->look[i - 1].carried = S;
    S = NULL;
  }
  free(T);
  free(S);
  if (s == DM_NO_MEMORY) return cli_fail(w->job->args, CLI_FAULT, "out of memory");
  return CLI_DONE;
}

// gains and what comes after them, from those of the phase after it
static int walk_phase(phased_motion *w, int i, cli_job *phase, cli_goal goal) {
  const double *carried = w->look[i].carried;
  const int nx = 2 * phase->task->system.L.nq;
  phase->carried = carried;
  phase->none = carried ? carried + nx * nx : NULL;
  int status = cli_walk_on(phase, goal);
  const bool gains = phase->f != NULL && goal > CLI_TO_MOTION;
  cli_json *o = cli_json_get_object(phase->result, "gains");
  if (gains && o) cli_json_bool(o, "carried", carried != NULL);
  if (gains && i > 0) {
    const int carry = carry_cost(w, i, phase->f);
    if (carry > status) status = carry;
  }
  return status;
}

// the motion of a phase in its folder, and the stages after it
static int write_phase(phased_motion *w, int i, cli_goal goal) {
  cli_args args;
  cli_job phase = {0};
  pb_replace list[CLI_REPLACED + 1];
  int status = open_phase(w, i, &args, list, &phase);
  if (status == CLI_DONE) {
    phase.x = w->look[i].x; // the job's from here on
    w->solve.solution->motions[i] = NULL;
    status = fill_phase(w, i, &phase);
  }
  if (status == CLI_DONE && phase.p->has_feedback) status = walk_phase(w, i, &phase, goal);

  // its lines of the summary, for all of them in order
  if (phase.summary && fflush(phase.summary) == 0) w->look[i].summary = strdup(phase.summary_text);
  status = cli_job_close(&phase, status);
  free((char *)args.out);
  return status;
}

// what is to be known of gains of phases
static void note_gains(const phased_motion *w) {
  bool any = false, alone = false;
  for (int i = 0; i < w->n; i++) {
    any |= problem_of(w, i)->has_feedback;
    alone |= i + 1 < w->n && problem_of(w, i)->has_feedback && !w->look[i].carried;
  }
  if (!any)
    cli_note(w->job->args, "%s has no section 'feedback': no gains, no verification",
             w->job->p->path);
  for (int i = 0; alone && i + 1 < w->n; i++)
    if (!w->look[i].carried && problem_of(w, i)->has_feedback)
      cli_note(w->job->args,
               "%s: its gains are of this phase alone, up to its own end (feedback.Qf)",
               name_of(w, i));
}

// from the last to the first, so that costs-to-go go back in time
static int write_phases(phased_motion *w, cli_goal goal) {
  int worst = CLI_DONE;
  for (int i = w->n - 1; i >= 0 && worst <= CLI_OUTCOME; i--) {
    const int status = write_phase(w, i, goal);
    if (status > worst) worst = status;
  }
  for (int i = 0; i < w->n; i++)
    if (w->look[i].summary) fputs(w->look[i].summary, w->job->summary);
  if (goal > CLI_TO_MOTION && worst <= CLI_OUTCOME) note_gains(w);
  return worst;
}

// -- the command

int cli_phases(cli_job *job, cli_goal goal) {
  phased_motion w = {.job = job, .n = job->p->phases.n};
  w.look = calloc((size_t)w.n, sizeof *w.look);
  if (!w.look) return cli_fail(job->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < w.n; i++) w.look[i].asked = problem_of(&w, i)->task.N;

  // 1: the file's grids; 2 and 3: finer ones
  int status = solve_phases(&w, NULL);
  if (status == CLI_DONE) status = keep_phases_between_knots(&w);
  bool finer = status == CLI_DONE;
  while (finer && status == CLI_DONE && cli_solve_is_done(&w.solve) &&
         w.solve.coarse.kind != CLI_FINE && !cli_interrupted()) {
    status = refine_phases(&w, &finer);
    if (status == CLI_DONE && finer) status = keep_phases_between_knots(&w);
  }

  // 4: what is said of them, and their folders
  if (status == CLI_DONE) status = cli_accuracy_measure(&w.solve);
  if (status == CLI_DONE) {
    report_phases(&w);
    status = cli_solve_write(&w.solve);
  }
  if (status == CLI_DONE) status = write_phases(&w, goal);
  cli_solve_free(&w.solve);
  free_looks(w.look, w.n);
  return status;
}

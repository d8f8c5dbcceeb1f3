// phases: solve the motion of a problem with phases as one program.
//
//   1  solve all phases on the file's grids
//   2  check: let the plant follow each phase; if it violates output limits between knots, narrow
//      their bounds and solve again; if a grid is too coarse, double its steps
//   3  solve again from there; back to 2
//   4  write a folder per phase, with the stages after its motion (cli/commands/phase_folders.h)
#include "cli/commands/phase_folders.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/stages/accuracy.h"
#include "cli/stages/cycle.h"
#include "cli/stages/solve.h"
#include "cli/stages/stiff_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The state of one phase.
typedef struct phase_look {
  dm_trajectory *x; // owned by the solution until the phase has a call
  cli_following plant;
  cli_coarseness coarse;
  int asked; // steps in the file
} phase_look;

typedef struct phased_motion {
  cli_call *call;
  cli_solve solve;
  int n;
  phase_look *look; // [n]
  int rounds;       // rounds of narrowing bounds between knots on this grid
} phased_motion;

static const pb_problem *problem_of(const phased_motion *w, int i) {
  return w->call->run.p->phases.problem[i];
}

static const char *name_of(const phased_motion *w, int i) {
  return w->call->run.p->phases.name[i];
}

// -- solving

// open a temporary call for one phase, without a folder
static void open_look(const phased_motion *w, int i, cli_call *call) {
  *call = (cli_call){.args = w->call->args,
                     .run = {.p = w->call->run.p->phases.problem[i], .x = w->look[i].x},
                     .result = json_object_new_object()};
}

static void close_look(cli_call *call) {
  json_object_put(call->result);
}

// let the plant follow each phase; returns the worst exit status
static int look_at_phases(phased_motion *w) {
  int status = CLI_DONE;
  for (int i = 0; i < w->n && status == CLI_DONE; i++) {
    phase_look *look = &w->look[i];
    look->x = w->solve.solution->motions[i];
    look->coarse = (cli_coarseness){.kind = CLI_FINE};
    if (!cli_solve_is_done(&w->solve) || cli_interrupted()) continue;
    cli_call call;
    open_look(w, i, &call);
    status = cli_follow(&call, &look->plant);
    if (status == CLI_DONE) look->coarse = cli_find_coarseness(&call, &look->plant);
    if (look->coarse.kind != CLI_FINE) w->solve.coarse = look->coarse;
    close_look(&call);
  }
  return status;
}

static int solve_phases(phased_motion *w, dm_trajectory *const *from) {
  int status = cli_solve_new(&w->solve, w->call);
  w->solve.motions = from;
  if (status == CLI_DONE) status = cli_solve_run(&w->solve);
  return status == CLI_DONE ? look_at_phases(w) : status;
}

// the state replaced by another search
typedef struct phases_before {
  pb_problem *problem;
  cli_solve solve;
  phase_look *look;
} phases_before;

static void free_looks(phase_look *look, int n) {
  for (int i = 0; look && i < n; i++) cli_following_free(&look[i].plant);
  free(look);
}

// solve the phases of the run's problem again from the current motions
static int solve_phases_from(phased_motion *w, const phases_before *old) {
  dm_trajectory **from = calloc((size_t)w->n, sizeof *from);
  w->look = calloc((size_t)w->n, sizeof *w->look);
  int status = from && w->look ? CLI_DONE : cli_fail(w->call->args, CLI_FAULT, "out of memory");
  for (int i = 0; status == CLI_DONE && i < w->n; i++) {
    from[i] = old->look[i].x;
    w->look[i].asked = old->look[i].asked;
  }
  if (status == CLI_DONE) status = solve_phases(w, from);
  w->solve.motions = NULL;
  free(from);
  return status;
}

// -- output limits between knots

// whether output limits are the only reason for a finer grid
static bool only_passes(const phased_motion *w) {
  bool passes = false;
  for (int i = 0; i < w->n; i++) {
    if (w->look[i].coarse.kind != CLI_FINE && w->look[i].coarse.kind != CLI_PASSES) return false;
    passes |= w->look[i].coarse.kind == CLI_PASSES;
  }
  return passes;
}

// one round of narrowing; *found: whether it succeeded; otherwise the previous motion is kept
static int narrow_round(phased_motion *w, bool *found) {
  cli_call *call = w->call;
  const phases_before old = {.problem = call->run.p, .solve = w->solve, .look = w->look};
  *found = false;

  // narrow the bounds of all phases that violate limits
  int felt = 0;
  for (int i = 0; i < w->n; i++) {
    oc_between *between = w->look[i].plant.between;
    if (between) felt += oc_between_raise(between, problem_of(w, i)->fine.between, false);
  }
  if (!felt) return CLI_DONE;

  // start at the current motion with its multipliers
  call->warm = &old.solve.solution->point;
  int status = solve_phases_from(w, &old);
  call->warm = NULL;
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

  // add the effort of both searches
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
    if (cli_call_time_left(w->call) <= 0) break;
    found = only_passes(w);
    if (found) status = narrow_round(w, &found);
  }
  return status;
}

// -- finer grids

// whether the steps of phase i may be doubled
static bool has_room(const phased_motion *w, int i) {
  const pb_problem *p = problem_of(w, i);
  const int most = w->look[i].asked << p->fine.doublings;
  return 2 * p->task.N <= most && !p->task.sum;
}

// replacements of the file's values that double the steps of coarse phases; NULL: none can be
// refined
static cli_json *list_finer(const phased_motion *w) {
  const cli_json *now = cli_json_get_object(w->call->result, "replaced");
  cli_json *list = json_object_new_object();
  bool any = false;
  if (now) {
    json_object_object_foreach(now, key, value)
        cli_json_text(list, key, json_object_get_string(value));
  }
  for (int i = 0; i < w->n; i++) {
    char path[48], text[240];

    // double the steps of each coarse phase
    if (w->look[i].coarse.kind == CLI_FINE || !has_room(w, i)) continue;
    any = true;
    cli_call call;
    open_look(w, i, &call);
    cli_describe_coarseness(&call, &w->look[i].coarse, text);
    cli_note(w->call->args, "%s: with %d steps%s %s: solving with %d", name_of(w, i),
             call.run.p->task.N, cli_coarseness_comma(text), text, 2 * call.run.p->task.N);
    close_look(&call);
    snprintf(path, sizeof path, "phases.%d.horizon", i);
    cli_refine_grid(list, path, problem_of(w, i), 2);
  }
  if (any) return list;
  json_object_put(list);
  return NULL;
}

// one round of refinement; *finer: whether it succeeded; otherwise the coarser grids are kept
static int refine_phases(phased_motion *w, bool *finer) {
  cli_call *call = w->call;
  phases_before old = {.problem = call->run.p, .solve = w->solve, .look = w->look};
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;
  cli_json *values = list_finer(w);
  *finer = false;
  if (!values) return CLI_DONE;
  const int n = cli_call_replaced(values, list);

  // the same problem on finer grids, starting at the coarse motion
  if (pb_problem_vary(&p, call->run.p->file.path, list, n, &call->msg) != DM_OK) {
    json_object_put(values);
    return CLI_DONE;
  }
  call->run.p = p;
  int status = solve_phases_from(w, &old);
  *finer = status == CLI_DONE && cli_solve_is_done(&w->solve);

  // on failure restore the previous state
  if (!*finer) {
    cli_solve_free(&w->solve);
    free_looks(w->look, w->n);
    pb_problem_free(call->run.p);
    call->run.p = old.problem;
    w->solve = old.solve;
    w->look = old.look;
    json_object_put(values);
    return status;
  }
  w->rounds = 0;
  json_object_object_add(call->result, "replaced", values);
  cli_solve_free(&old.solve);
  free_looks(old.look, w->n);
  pb_problem_free(old.problem);
  return CLI_DONE;
}

// -- reporting

// the objective of phase i, without the tie-breaking term
static double find_phase_objective(const phased_motion *w, int i) {
  const oc_solution *s = w->solve.solution;
  const oc_transcription *t = oc_phases_program(s->phases, i);
  const double *x = s->point.x + oc_phases_place(s->phases, i);
  const oc_nlp *nlp = oc_transcription_nlp(t);
  double f;
  return nlp->f(nlp->self, x, &f) == DM_OK ? f - oc_transcription_tie(t, x) : NAN;
}

// report all phases and their grids in result.json and the summary
static void report_phases(const phased_motion *w) {
  cli_json *list = json_object_new_array();
  double time = 0;
  cli_solve_report(&w->solve);
  cli_accuracy_report(&w->solve);
  for (int i = 0; i < w->n; i++) {
    // report one phase
    const dm_trajectory *x = w->look[i].x;
    cli_json *o = json_object_new_object();
    cli_json_text(o, "name", name_of(w, i));
    cli_json_int(o, "steps", x->N);
    cli_json_number(o, "time", x->N * x->h);
    cli_json_number(o, "objective", find_phase_objective(w, i));
    cli_json_bool(o, "coarse", w->look[i].coarse.kind != CLI_FINE);
    json_object_array_add(list, o);
    cli_tell(w->call, i ? "" : "phases", "%s: %.10g s in %d steps", name_of(w, i), x->N * x->h,
             x->N);

    // damping remains fitted to the step for the guessed time
    const pb_problem *p = problem_of(w, i);
    bool warned = false;
    cli_warn_stiff_steps(w->call->args, p, name_of(w, i), x, &warned);
    if (p->fit.now->count && fabs(x->h / p->fit.step - 1) > CLI_FIT_NEAR)
      cli_warn_other_fit(w->call->args, p, x);

    time += w->look[i].x->N * w->look[i].x->h;
  }
  json_object_object_add(w->call->result, "phases", list);
  cli_json_number(w->call->result, "time_of_all", time);

  // warn about coarse phases
  for (int i = 0; i < w->n; i++) {
    char text[240];
    cli_call call;
    if (w->look[i].coarse.kind == CLI_FINE) continue;
    open_look(w, i, &call);
    cli_error("%s: coarse: %s; take more steps", name_of(w, i),
              cli_describe_coarseness(&call, &w->look[i].coarse, text));
    close_look(&call);
  }
}

// -- folders

static int write_phases(phased_motion *w, cli_goal goal) {
  oc_solution *solution = w->solve.solution;
  cli_phase_motion *list = calloc((size_t)w->n, sizeof *list);
  if (!list) return cli_fail(w->call->args, CLI_FAULT, "out of memory");

  // per phase its motion, the plant's motion, and the status of the search
  for (int i = 0; i < w->n; i++)
    list[i] = (cli_phase_motion){.x = &solution->motions[i],
                                 .plant = &w->look[i].plant,
                                 .rounds = w->rounds,
                                 .coarse = w->look[i].coarse.kind != CLI_FINE,
                                 .solved = cli_solve_is_done(&w->solve),
                                 .status = cli_status_word(solution->info.status),
                                 .objective = find_phase_objective(w, i)};
  const int status = cli_phase_folders(w->call, list, goal);
  free(list);
  return status;
}

// -- the command

int cli_phases(cli_call *call, cli_goal goal) {
  phased_motion w = {.call = call, .n = call->run.p->phases.n};
  w.look = calloc((size_t)w.n, sizeof *w.look);
  if (!w.look) return cli_fail(call->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < w.n; i++) w.look[i].asked = problem_of(&w, i)->task.N;

  // 1: the file's grids; 2 and 3: finer grids
  int status = solve_phases(&w, NULL);
  if (status == CLI_DONE) status = keep_phases_between_knots(&w);
  bool finer = status == CLI_DONE;
  while (finer && status == CLI_DONE && cli_solve_is_done(&w.solve) &&
         w.solve.coarse.kind != CLI_FINE && !cli_interrupted()) {
    status = refine_phases(&w, &finer);
    if (status == CLI_DONE && finer) status = keep_phases_between_knots(&w);
  }

  // 4: the report and the folders; iterations are finished
  if (status == CLI_DONE) cli_call_worth(call);
  if (status == CLI_DONE) status = cli_accuracy_measure(&w.solve);
  if (status == CLI_DONE) {
    report_phases(&w);
    const oc_solution *s = w.solve.solution;
    if (cli_solve_is_done(&w.solve))
      status = cli_cycle_report(call, &s->phased, (const dm_trajectory *const *)s->motions, NULL);
  }
  if (status == CLI_DONE) {
    status = cli_solve_write(&w.solve);
  }
  if (status == CLI_DONE) status = write_phases(&w, goal);
  cli_solve_free(&w.solve);
  free_looks(w.look, w.n);
  return status;
}

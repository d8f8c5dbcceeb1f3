#include "cli/stages/solve.h"

#include "cli/console/args.h"
#include "cli/console/interrupt.h"
#include "cli/results/convergence.h"
#include "cli/results/momenta.h"
#include "cli/results/multipliers.h"
#include "cli/results/sentences.h"
#include "cli/results/trajectory.h"
#include "cli/results/violations.h"
#include "cli/stages/impulses.h"
#include "cli/stages/outputs.h"
#include "cli/stages/saturation.h"
#include "cli/stages/touch.h"
#include "optim/program/prolong.h"
#include "optim/starts/guess.h"
#include "problems/readers/task/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_TO_WRITE = 500000 };   // unknowns for which writing tables takes a second or more
static const double MISSED = 1e-6; // violation above which active limits may be the cause

// -- solving

// show the last iterate, of any solver
static void show_iterate(cli_solve *w) {
  const oc_iterate *it = &w->at;
  const char *name = w->call->run.p->file.name;

  // Newton's method has no violation: show the length of its last step
  if (it->iteration < 0)
    cli_progress_show(&w->progress, CLI_UNKNOWN, "%s: the solver starts", name);
  else if (w->solution->newton)
    cli_progress_show(&w->progress, CLI_UNKNOWN, "%s: iteration %d, objective %.6g, decrement %.1e",
                      name, it->iteration, it->objective, it->dual);
  else
    cli_progress_show(&w->progress, CLI_UNKNOWN,
                      "%s: iteration %d, objective %.6g, violation %.1e, dual %.1e", name,
                      it->iteration, it->objective, it->violation, it->dual);
}

static bool watch_iterate(void *user, const oc_iterate *it) {
  cli_solve *w = user;
  cli_call_iterates(w->call);
  w->at = *it;
  show_iterate(w);
  return true;
}

// called many times within an iteration, which may take many seconds
static bool ask_to_stop(void *user) {
  show_iterate(user);
  return cli_interrupt_asked(NULL);
}

// warm-start IPOPT with multipliers of the same program, if --from has them
static int read_multipliers(cli_solve *w) {
  const cli_call *call = w->call;
  oc_solution *solution = w->solution;

  // no warm start: no other result, a method without multipliers, another grid
  if (!call->args->from || solution->newton || call->coarse) return CLI_DONE;
  const pb_file file = pb_file_in(&call->place.from, "multipliers.csv");
  dm_message msg;

  // variables and rows must match
  solution->warm = solution->same =
      w->same && cli_multipliers_read(&file, solution->nlp, &solution->point, &msg) == DM_OK;
  if (!w->same)
    cli_note(call->args,
             "the motion in %s has another number of steps: it is resampled, "
             "without multipliers",
             call->args->from);
  else if (!solution->warm)
    cli_note(call->args, "starts without multipliers: %s", msg.text);
  return CLI_DONE;
}

// report that Newton's method gives up
static void say_fall_back(void *user, const char *why) {
  cli_solve *w = user;
  cli_progress_end(&w->progress);
  cli_note(w->call->args, "Newton's method: %s; %s goes on from the guess", why,
           strcmp(oc_solution_method(w->solution), "ipopt") ? "the stage solver" : "IPOPT");
  read_multipliers(w);
}

void cli_solve_choose(const cli_call *call, oc_setup *set) {
  const pb_problem *p = call->run.p;
  set->options = p->options;
  set->options.max_time = cli_call_time_left(call);
  set->options.verbose = call->args->verbose;
  if (p->transcription.second) set->second = &p->transcription.action;
}

int cli_refuse_phases(const cli_call *call, dm_status s) {
  char at[PB_PLACE];
  if (!call->msg.text[0]) return cli_fail_status(call->args, s, NULL);
  return cli_fail(call->args, cli_exit_of(s), "%s: %s",
                  pb_phases_at(call->run.p, call->msg.text, at), call->msg.text);
}

int cli_solve_new(cli_solve *w, cli_call *call) {
  *w = (cli_solve){.call = call,
                   .error = {.status = DM_UNAVAILABLE},
                   .progress = cli_progress_of(call->args),
                   .at = {.iteration = -1},
                   .set = oc_setup_default()};

  w->progress.limit = call->run.p->options.max_time;
  cli_solve_choose(call, &w->set);

  // multipliers of the initial motion
  w->set.warm = call->warm;

  // a start of a sweep uses only this guess
  w->set.options.only_guess = call->args->start > 0;

  // callbacks for progress, signals, and the end of Newton's method
  w->set.hooks.watch = watch_iterate;
  w->set.hooks.stop = ask_to_stop;
  w->set.hooks.fall_back = say_fall_back;
  w->set.hooks.user = w;
  const oc_phases_task phases = pb_phases_task(&call->run.p->phases);
  dm_status s = phases.n ? oc_solution_of_phases(&w->solution, &phases, &w->set, &call->msg)
                         : oc_solution_new(&w->solution, &call->run.p->task, &w->set, &call->msg);
  if (s == DM_OK) return CLI_DONE;
  return phases.n ? cli_refuse_phases(call, s) : cli_fail_status(call->args, s, &call->msg);
}

// the initial motions of phases: from coarser grids, or the problem's own
static int start_phases(cli_solve *w) {
  const cli_call *call = w->call;
  const pb_phases *phases = &call->run.p->phases;
  dm_trajectory **x = calloc((size_t)phases->n, sizeof *x);
  dm_status s = x ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < phases->n; i++)
    s = dm_trajectory_of(&x[i], phases->task[i]->N, &phases->task[i]->system);
  if (s == DM_OK) s = pb_phases_guess(phases, x);

  // resample a coarser grid's motion
  for (int i = 0; s == DM_OK && w->motions && i < phases->n; i++) {
    const dm_trajectory *from = w->motions[i];
    if (phases->task[i]->time.free) x[i]->h = from->h * from->N / x[i]->N;
    oc_guess_resample(phases->task[i], from, x[i]);
  }
  if (s == DM_OK) s = oc_solution_start_phases(w->solution, (const dm_trajectory *const *)x);
  for (int i = 0; x && i < phases->n; i++) dm_trajectory_free(x[i]);
  free(x);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, NULL);
}

int cli_solve_run(cli_solve *w) {
  cli_call *call = w->call;
  oc_solution *solution = w->solution;

  // the guess and, if available, its multipliers
  int status = solution->phases ? start_phases(w) : cli_start(call, solution, &w->same);
  if (status == CLI_DONE) status = read_multipliers(w);
  if (status != CLI_DONE) return status;

  // multipliers of the motion's grid, prolonged to this one
  const oc_solution *from = w->coarser;
  if (from && from->first && solution->first && !from->info.newton) {
    oc_transcription_prolong(from->first, &from->point, solution->first, &solution->point);
    solution->warm = true;
  }

  // on SIGINT, print at once that writing large tables may take a few seconds
  if (!call->args->silent && solution->nlp->n > LONG_TO_WRITE)
    cli_interrupt_promise(
        "interrupted: the best trajectory found so far is being written, which takes "
        "some seconds; a second signal ends at once, without it");
  dm_status s = oc_solution_find(solution, &call->msg);
  cli_interrupt_promise(NULL);
  cli_progress_end(&w->progress);
  if (s != DM_OK) return cli_fail_start(call, s);

  // later stages need the program's settings
  if (!solution->phases) call->run.p->task.every_speed = solution->task.every_speed;

  // the motion belongs to the call, whatever the status
  call->run.x = solution->motion;
  solution->motion = NULL;
  if (solution->info.handed_on[0])
    cli_note(call->args, "the stage solver ended: %s; IPOPT went on", solution->info.handed_on);
  if (solution->info.tie > 0) cli_json_number(call->result, "tie_break", solution->info.tie);
  return CLI_DONE;
}

void cli_solve_free(cli_solve *w) {
  oc_solution_free(w->solution);
  cli_following_free(&w->plant);
}

void cli_solve_replace(cli_solve *w, const cli_solve *by) {
  cli_solve_free(w);
  *w = *by;
  w->set.hooks.user = w->solution->set.hooks.user = w; // later searches report here
}

void cli_solve_add_effort(cli_solve *w, const cli_solve *before) {
  oc_solve_info *info = &w->solution->info;
  const oc_solve_info *first = &before->solution->info;
  info->iterations += first->iterations;
  info->guesses = first->guesses;
  info->spent += first->spent;
  info->total_s += first->total_s;
  info->derivatives_s += first->derivatives_s;
}

bool cli_solve_is_done(const cli_solve *w) {
  return cli_exit_of(w->solution->info.status) == CLI_DONE;
}

bool cli_solve_is_whole(const cli_solve *w) {
  return cli_solve_is_done(w) && w->solution->info.followed == DM_OK;
}

const char *cli_solve_word(const cli_solve *w) {
  const oc_solve_info *info = &w->solution->info;
  if (w->coarse.kind != CLI_FINE) return "coarse";
  return info->late ? "time_limit" : cli_status_word(info->status);
}

// -- reporting

// the unit of the worst row; "" if it has no name
static const char *find_worst_unit(const cli_solve *w) {
  const oc_solution *solution = w->solution;
  const pb_problem *p = w->call->run.p;
  const int row = solution->info.worst_row;
  oc_row of = {.knot = -1};
  int phase = 0;
  if (solution->first) of = oc_transcription_row(solution->first, row);
  if (solution->phases) {
    of = oc_phases_row(solution->phases, row, &phase);
    p = p->phases.problem[phase];
  }
  const char *unit = of.what == 'y' ? dm_outputs_unit(p->robot.outputs.rows, of.entry)
                     : of.what      ? pb_problem_unit(p, of.what, of.entry)
                                    : NULL;
  return unit ? unit : "";
}

static void report_worst(const cli_solve *w, cli_json *r, char *text, size_t size) {
  cli_json *worst = cli_json_object(r, "worst");
  const oc_solve_info *info = &w->solution->info;
  int knot = -1;

  text[0] = 0;

  // Newton's method has no rows
  if (w->solution->info.worst_row < 0) {
    cli_json_text(worst, "row", NULL);
    json_object_object_add(worst, "knot", NULL);
    return;
  }

  // the row's name in the program, with its knot if it has one
  char row[160];
  w->solution->nlp->row_name(w->solution->nlp->self, w->solution->info.worst_row, row, sizeof row,
                             &knot);
  snprintf(text, size, knot < 0 ? "%s" : "%s, knot %d", row, knot);
  cli_json_text(worst, "row", row);
  cli_json_int(worst, "knot", knot);
  cli_json_number(worst, "value", info->worst_violation);
  cli_json_text(worst, "unit", find_worst_unit(w));
  if (w->solution->scaled)
    cli_json_number(worst, "scale", oc_scaled_row(w->solution->scaled, info->worst_row));
}

// the final motion of the solver; of second order, before the system's own motion is computed
static const dm_trajectory *find_last_motion(const cli_solve *w) {
  return w->solution->curve ? w->solution->curve : w->call->run.x;
}

// warnings about a solution
static void say_solved(const cli_solve *w) {
  if (w->solution->info.status == DM_ACCEPTABLE)
    cli_note(w->call->args,
             "solved to six digits: no further progress towards solver.tol %.1e (%s)",
             w->set.options.tol, w->solution->info.detail);
  if (w->solution->info.saddles > 0)
    cli_note(w->call->args,
             "found from beside a saddle, of objective %.6g: the search from the guess ended there",
             w->solution->info.saddle);
  if (w->solution->info.inertia.kind == OC_INERTIA_FLAT)
    cli_note(
        w->call->args,
        "degenerate: the objective is constant along %d direction%s or more, so the optimum is "
        "not unique; add a small cost on each input, or on speeds (cost.state.v)",
        w->solution->info.inertia.zero, w->solution->info.inertia.zero == 1 ? "" : "s");
  if (w->solution->info.guesses > 1)
    cli_note(w->call->args, "found from guess %d: the search from the task's own found none",
             w->solution->info.guesses);
  const pb_phases *phases = &w->call->run.p->phases;
  if (!w->solution->phases)
    cli_warn_time(w->call, &w->call->run.p->task, NULL, find_last_motion(w));
  for (int i = 0; w->solution->phases && i < phases->n; i++)
    cli_warn_time(w->call, phases->task[i], phases->name[i], w->solution->motions[i]);
}

// report a stationary point that is not a minimum
static void say_saddle(const cli_solve *w) {
  const oc_solve_info *info = &w->solution->info;
  const oc_inertia *i = &info->inertia;
  char beside[160] = "";
  if (info->lowest < info->objective)
    snprintf(beside, sizeof beside,
             "; searches from both sides reached %.3g and found no minimum: the cost may have no "
             "lower bound",
             info->lowest);
  cli_error("saddle: the motion is stationary, but %s: the objective falls along %d of %d "
            "directions%s; check the signs of the cost, or start from another guess (guess, "
            "starts)",
            i->positive + i->zero > 0 ? "no minimum" : "a maximum", i->negative,
            i->positive + i->zero + i->negative, beside);
}

// the contacts of a phase, or of the motion; NULL: none
static const dm_contact_laws *find_laws(const cli_solve *w, int phase) {
  const pb_problem *p = w->call->run.p;
  return (p->phases.n ? p->phases.task[phase] : &p->task)->system.contacts;
}

// does the file prescribe the states of contacts?
static bool is_scheduled(const cli_solve *w) {
  const int n = w->call->run.p->phases.n;
  for (int i = 0; i < (n ? n : 1); i++)
    if (find_laws(w, i) && find_laws(w, i)->schedule) return true;
  return false;
}

// a schedule that cannot be met: its contact, knot and sign, or the worst row
static void say_unmet(const cli_solve *w, const char *off) {
  const dm_contact_verdict *v = &w->solution->info.unmet;
  const pb_phases *phases = &w->call->run.p->phases;
  const int phase = w->solution->info.unmet_phase;
  char sign[200] = "";
  if (v->worst > 0)
    snprintf(sign, sizeof sign, ": with its states '%.64s' %s at knot %d%s%.48s",
             find_laws(w, phase)->law[v->law].name, dm_contact_faults[v->fault], v->knot,
             phases->n ? " of " : "", phases->n ? phases->name[phase] : "");
  cli_error("infeasible: no motion found that meets the schedule (contact.schedule)%s; correct its "
            "rows there and beside it, or leave it out",
            sign[0] ? sign : off);
}

// explain why there is no solution: the worst row, its knot, and the two most promising remedies
static void say_unsolved(const cli_solve *w, const char *worst) {
  const oc_solve_info *info = &w->solution->info;
  char help[CLI_LIMITS] = "", counted[64] = "";

  // previous searches may have used up the iterations
  if (info->spent >= w->set.options.max_iter)
    snprintf(counted, sizeof counted, " in all %d iteration%s (solver.max_iter)", info->spent,
             info->spent == 1 ? "" : "s");

  // the row with the largest violation, if there are rows
  char off[240] = "";
  const char *unit = worst[0] ? find_worst_unit(w) : "";
  if (!strcmp(unit, "1")) unit = "";
  if (worst[0])
    snprintf(off, sizeof off, "; the worst row is the %.160s, off by %.3g%s%.10s", worst,
             info->worst_violation, unit[0] ? " " : "", unit);

  // limits are relevant only if something is violated
  if (info->status == DM_SADDLE) {
    say_saddle(w);
    return;
  }
  if (info->status != DM_INTERRUPTED && !w->solution->phases)
    cli_explain_failure(w->call, find_last_motion(w), info->violation_share > MISSED ? worst : NULL,
                        info->status, info->late, info->newton, help, sizeof help);

  // one sentence per reason
  if (info->too_far) {
    // report that the distance to the goal exceeds the speed limit times the duration
    const cli_call *call = w->call;
    const oc_task *t = &call->run.p->task;
    const int i = w->solution->info.too_far_coord;
    const double time = t->time.free ? t->time.max : t->time.T,
                 way = fabs(t->goal.q[i] - t->start.q[i]);
    cli_error(
        "infeasible: '%s' must move %.6g %s from start to goal, but its speed limit allows %.6g in "
        "%.6g s; allow more time (horizon.time), or a higher speed (bounds.v)",
        call->run.p->names.coord[i], way, pb_problem_unit(call->run.p, 'q', i),
        time * oc_high(t, OC_V, i), time);
  } else if (info->status == DM_INFEASIBLE && is_scheduled(w))
    say_unmet(w, off);
  else if (info->status == DM_INFEASIBLE)
    cli_error(
        "infeasible: none found from %d guess%s%s; no motion near this one meets the task%s%s",
        info->guesses, info->guesses == 1 ? "" : "es", counted, off, help);
  else if (info->status == DM_INTERRUPTED)
    cli_error("interrupted: the best trajectory found so far is written to %s", w->call->place.dir);
  else if (info->newton)
    cli_error("%s; the last step's decrement is %.2g%s", cli_solve_word(w),
              info->rows ? w->solution->record[info->rows - 1].dual : NAN, help);
  else if (info->guesses > 1)
    cli_error("%s (%s): none found from %d guesses%s%s%s", cli_solve_word(w), info->detail,
              info->guesses, counted, off, help);
  else
    cli_error("%s (%s)%s%s%s", cli_solve_word(w), info->detail, counted, off, help);
}

// report the touches that are not met
static void say_missed_touches(const cli_solve *w) {
  const pb_problem *p = w->call->run.p;
  if (!w->solution->phases) cli_report_missed_touch(p, NULL, find_last_motion(w));
  for (int i = 0; w->solution->phases && i < p->phases.n; i++)
    cli_report_missed_touch(p->phases.problem[i], p->phases.name[i], w->solution->motions[i]);
}

// size of the program, time, and solver
static void report_effort(const cli_solve *w, cli_json *r) {
  const oc_nlp *nlp = w->solution->nlp;
  const oc_solve_info *info = &w->solution->info;

  // size of the program
  cli_json *o = cli_json_object(r, "sizes");
  cli_json_int(o, "variables", nlp->n);
  cli_json_int(o, "constraints", nlp->m);
  cli_json_int(o, "jacobian_nnz", nlp->jac_nnz);
  cli_json_int(o, "hessian_nnz", nlp->hess_nnz);

  // where the time was spent
  o = cli_json_object(r, "time");
  cli_json_number(o, "total_s", info->total_s);
  cli_json_number(o, "derivatives_s", info->derivatives_s);
  cli_json_number(o, "solver_s", info->total_s - info->derivatives_s);

  // the solver
  o = cli_json_object(r, "solver");
  cli_json_text(o, "method", info->method);
  cli_json_text(o, "linear", info->linear);
  cli_json_text(o, "detail", info->detail);
  if (info->handed_on[0]) cli_json_text(o, "stage", info->handed_on);
  cli_json_bool(o, "warm", info->warm);
  if (info->factorizations == 0) return;
  cli_json_int(o, "factorizations", info->factorizations);
  cli_json_int(o, "by_ldl", info->by_ldl);
}

// the second-order optimality check
static void report_inertia(const oc_solve_info *info, cli_json *r) {
  static const char *const kinds[] = {
      [OC_INERTIA_UNKNOWN] = NULL,
      [OC_INERTIA_MINIMUM] = "minimum",
      [OC_INERTIA_FLAT] = "degenerate",
      [OC_INERTIA_SADDLE] = "saddle",
  };
  const oc_inertia *i = &info->inertia;
  const bool maximum = i->kind == OC_INERTIA_SADDLE && i->positive + i->zero == 0;
  cli_json *o = cli_json_object(r, "inertia");
  cli_json_text(o, "kind", maximum ? "maximum" : kinds[i->kind]);
  cli_json_int(o, "positive", i->positive);
  cli_json_int(o, "zero", i->zero);
  cli_json_int(o, "negative", i->negative);
  cli_json_int(o, "active", i->active);
  if (info->saddles > 0) cli_json_int(r, "saddles", info->saddles);
}

// the violation of bounds that are replaced by penalties
static void report_penalty(const cli_solve *w) {
  const cli_call *call = w->call;
  const oc_solution *solution = w->solution;
  int coord;
  if (!solution->second || !solution->second->nkink) return;

  // minimal slacks for the knots, whichever solver found them
  double beyond = oc_torque_transcription_ease(solution->second, solution->point.x, &coord);
  const char *name = coord >= 0 ? call->run.p->names.coord[coord] : NULL;
  cli_json *o = cli_json_object(call->result, "penalty");
  cli_json_number(o, "beyond", beyond);
  cli_json_text(o, "coordinate", name);
  if (name) cli_json_text(o, "~unit", pb_problem_unit(call->run.p, 'q', coord));
  cli_tell_group(call->summary.file, "penalty", o);
}

// of the task, or of all phases
static int count_all_steps(const cli_solve *w) {
  const oc_phases_task *phased = &w->solution->phased;
  int steps = phased->n ? 0 : w->call->run.p->task.N;
  for (int i = 0; i < phased->n; i++) steps += phased->task[i]->N;
  return steps;
}

void cli_solve_report(const cli_solve *w) {
  const cli_call *call = w->call;
  const oc_solution *solution = w->solution;
  const oc_solve_info *info = &solution->info;
  cli_json *r = call->result;
  char worst[200];

  // result.json
  cli_json_text(r, "status", cli_solve_word(w));
  cli_json_text(r, "transcription", pb_transcription_order(&call->run.p->transcription));
  if (solution->second) cli_json_text(r, "rule", call->run.p->transcription.action.rule.name);
  cli_json_int(r, "steps", count_all_steps(w));
  cli_json_number(r, "objective", info->objective);
  if (call->run.p->task.per.of == OC_PER_TIME) cli_json_text(r, "per", "time");
  if (call->run.p->task.per.of == OC_PER_TRAVEL)
    cli_json_text(r, "per", call->run.p->names.coord[call->run.p->task.per.coord]);
  cli_json_int(r, "iterations", info->iterations);
  if (info->guesses > 1) cli_json_int(r, "guesses", info->guesses);
  cli_json_number(r, "max_violation", info->max_violation);
  cli_json_number(r, "violation_share", info->violation_share);
  report_worst(w, r, worst, sizeof worst);
  report_inertia(info, r);
  report_effort(w, r);

  // summary
  const char *order = solution->second && solution->second->k > 2 ? "third order" : "second order";
  char how[64];
  if (info->newton)
    snprintf(how, sizeof how, "Newton's method, %s", order);
  else
    snprintf(how, sizeof how, "derivatives %.1f %%%s%s", 100 * info->derivatives_s / info->total_s,
             solution->second ? "; " : "", solution->second ? order : "");
  cli_json_text(r, "~how", how);
  if (info->spent > info->iterations) cli_json_int(r, "~spent", info->spent);
  cli_tell_group(call->summary.file, "status", r);
  char ratio[96];

  // the denominator of the cost: " per s", " per m of 'base'", or ""
  const oc_task *task = &call->run.p->task;
  const int i = task->per.coord;
  ratio[0] = '\0';
  if (task->per.of == OC_PER_TIME) snprintf(ratio, 96, " per s");
  if (task->per.of == OC_PER_TRAVEL)
    snprintf(ratio, 96, " per %s of '%.64s'", pb_problem_unit(call->run.p, 'q', i),
             call->run.p->names.coord[i]);
  cli_json_text(r, "~ratio", ratio);

  cli_tell_group(call->summary.file, "objective", r);
  report_penalty(w);
  if (call->run.p->task.time.free)
    cli_tell(w->call, "final time", "%.10g s", call->run.x->N * call->run.x->h);
  if (solution->nlp->m) {
    if (worst[0]) cli_json_text(r, "~worst", worst);
    if (worst[0] && solution->scaled) cli_json_text(r, "~scaled", "");
    cli_tell_group(call->summary.file, "violation_share", r);
  }

  // warnings
  if (cli_solve_is_done(w))
    say_solved(w);
  else
    say_unsolved(w, worst);
  if (!cli_solve_is_done(w)) say_missed_touches(w);
}

// report how well the two discretizations agree
void cli_solve_report_agreement(const cli_solve *w) {
  const oc_defect *a = &w->solution->info.agreement;
  const pb_names *names = &w->call->run.p->names;

  // the solution's knots as steps of the map: defects, and their order
  cli_json *o = cli_json_object(w->call->result, "agreement");
  cli_json_number(o, "defect", a->defect);
  cli_json_int(o, "knot", a->knot);
  cli_json_number(o, "defect_2h", a->defect_2h);
  cli_json_number(o, "order", a->order);

  // the distance of the following motion from the solution
  cli_json_number(o, "distance", a->distance);
  cli_json_text(o, "coordinate", names->coord[a->coord]);
  cli_json_int(o, "at", a->at);
  char order[160];

  // the observed order of a defect, or the reason why it is unknown
  const double ratio = a->defect_2h / a->defect;
  if (isfinite(a->order))
    snprintf(order, 160, "order %.2f", a->order);
  else if (a->defect <= OC_DEFECT_ROUNDING)
    snprintf(order, 160, "rounding");
  else if (isfinite(ratio))
    snprintf(order, 160,
             "no order: with steps twice as long it grows by %.2f, less than 4: inputs jump, "
             "velocities at knots are coarse, or steps are too long",
             ratio);
  else
    snprintf(order, 160, "order unknown");
  cli_json_text(o, "~order", order);

  cli_tell_group(w->call->summary.file, "agreement", o);
}

// -- files

int cli_motion_write(cli_call *call, const cli_following *plant) {
  FILE *f = cli_call_file(call, "trajectory.csv");
  if (!f) return CLI_INPUT;

  // the plant's motion of joints with added inertia
  const bool follows = plant && plant->plant && call->run.p->fit.now && call->run.p->fit.now->count;
  const cli_machine machine = {follows ? call->run.p->fit.now->added : NULL,
                               follows ? plant->y : NULL, follows ? plant->parts : 0};
  cli_trajectory_write(f, &call->run.p->names, call->run.x, follows ? &machine : NULL);
  const int status = cli_impulses_write(call);
  return status == CLI_DONE ? cli_outputs_write(call) : status;
}

int cli_solve_write(cli_solve *w) {
  cli_call *call = w->call;
  const oc_solution *solution = w->solution;
  FILE *f;

  // phases have their motions in separate folders
  const int status = solution->phases ? CLI_DONE : cli_motion_write(call, &w->plant);
  if (status != CLI_DONE) return status;

  // multipliers for a later warm start; Newton's method has none
  if (!solution->info.newton) {
    if (!(f = cli_call_file(call, "multipliers.csv"))) return CLI_INPUT;
    cli_multipliers_write(f, solution->nlp, &solution->point);
  }

  // violations of the rows, if there are any
  if (!solution->info.newton && solution->nlp->m > 0) {
    if (!(f = cli_call_file(call, "violations.csv"))) return CLI_INPUT;
    const dm_status s = cli_violations_write(f, solution->nlp, solution->point.x);
    if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  }

  // of second order: the solution itself, in addition to the motion that follows it
  if (solution->curve) {
    if (!(f = cli_call_file(call, "second-order.csv"))) return CLI_INPUT;
    cli_trajectory_write(f, &call->run.p->names, solution->curve, NULL);
  }

  // and its momenta, if a Lagrangian is all that the knots minimize; they come first in the program's x
  if (solution->second && !solution->second->nz && cli_solve_is_done(w)) {
    if (!(f = cli_call_file(call, "momenta.csv"))) return CLI_INPUT;
    dm_second_order *L = oc_torque_transcription_second(solution->second);
    dm_status s = cli_momenta_write(f, &call->run.p->names, L, solution->task.N,
                                    oc_task_step(&solution->task), solution->point.x);
    if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  }
  if (!(f = cli_call_file(call, "convergence.csv"))) return CLI_INPUT;
  cli_convergence_write(f, solution->record, solution->info.rows);
  return CLI_DONE;
}

// check: compare all derivatives of the given problem with finite differences (optim/check.h).
#include "optim/check.h"
#include "cli/commands/commands.h"
#include "cli/console/log.h"
#include "cli/stages/design.h"
#include "cli/stages/laws.h"
#include "cli/stages/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_ROWS = 4 }; // per step

typedef struct checks {
  cli_call *call;
  cli_json *list;
  oc_check found;
  int told; // number of rows reported
} checks;

// the tolerance that a row exceeded
static void name_missed(const oc_check_row *row, const char *order) {
  const dm_verdict *v = &row->verdict;
  if (!(v->error < DM_DIFFERENCE_ERROR))
    cli_error(
        "%s: the derivative differs from finite differences by %.1e of its size, expected less "
        "than %.0e (their error falls with order %s)",
        row->block, v->error, DM_DIFFERENCE_ERROR, order);
  else
    cli_error("%s: the error of finite differences falls with order %s, expected 2, at least %.1f "
              "(the least error is %.1e of the derivative's size)",
              row->block, order, DM_DIFFERENCE_ORDER, v->error);
}

// report the rows found since the last call
static void tell_rows(checks *c) {
  for (; c->told < c->found.rows; c->told++) {
    // report a row in the answer and the summary
    const oc_check_row *row = &c->found.row[c->told];
    const dm_verdict *v = &row->verdict;
    cli_json *o = json_object_new_object();
    cli_json_text(o, "block", row->block);
    cli_json_number(o, "error", v->error);
    cli_json_number(o, "order", v->order);
    cli_json_bool(o, "holds", v->holds);
    json_object_array_add(c->list, o);

    // central differences with two step sizes, whose errors differ by a factor of four: order 2
    char order[32];
    snprintf(order, sizeof order, isnan(v->order) ? "exact" : "%.2f", v->order);
    cli_tell(c->call, v->holds ? "holds" : "FAILS", "%-43s error %8.1e   order %s", row->block,
             v->error, order);

    if (!v->holds) name_missed(row, order);
  }
}

static void tell_sizes(cli_call *call, const oc_solution *w) {
  const oc_nlp *nlp = w->nlp;

  // report the program's sizes, for comparison with the user's expectation
  cli_json_text(call->result, "transcription", pb_transcription_order(&call->run.p->transcription));
  cli_json *o = cli_json_object(call->result, "sizes");
  cli_json_int(o, "variables", nlp->n);
  cli_json_int(o, "constraints", nlp->m);
  cli_json_int(o, "jacobian_nnz", nlp->jac_nnz);
  cli_json_int(o, "hessian_nnz", nlp->hess_nnz);

  // of the task, or of all phases
  int steps = w->phased.n ? 0 : w->task.N;
  for (int i = 0; i < w->phased.n; i++) steps += w->phased.task[i]->N;
  cli_tell(call, "sizes",
           "%d steps, %d variables, %d rows, %d entries in the Jacobian, %d in the "
           "Hessian",
           steps, nlp->n, nlp->m, nlp->jac_nnz, nlp->hess_nnz);
}

// check one step of a task's system from a state
static int check_step(checks *c, const oc_task *task, const double *q, const double *v, double h) {
  cli_call *call = c->call;
  dm_status s = oc_check_step(&c->found, task, 0, q, v, h, &call->msg);
  tell_rows(c);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

// check one step of a task's system in the middle of a motion
static int check_motion(checks *c, const oc_task *task, const dm_trajectory *x) {
  cli_call *call = c->call;
  dm_status s = oc_check_motion(&c->found, task, x, &call->msg);
  tell_rows(c);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

// check the program of the run at its guess, and a step in the middle of the guess
static int check_task(checks *c) {
  cli_call *call = c->call;
  oc_setup set = oc_setup_default();
  oc_solution *w = NULL;
  dm_trajectory *guess = NULL;
  bool same;
  if (call->run.p->transcription.second) set.second = &call->run.p->transcription.action;

  // 1  the program at the run's guess: gradient, Jacobian, Hessian
  dm_status s = oc_solution_new(&w, &call->run.p->task, &set, &call->msg);
  int status = s == DM_OK ? cli_start(call, w, &same) : cli_fail_status(call->args, s, &call->msg);
  if (status == CLI_DONE) {
    tell_sizes(call, w);
    s = oc_check_program(&c->found, w);
    tell_rows(c);
    call->msg.text[0] = 0;
    if (s != DM_OK) status = cli_fail_start(call, s);
  }
  oc_solution_free(w);

  // 2  one step of the map near the guess
  if (status == CLI_DONE) status = cli_guess(call, &guess, &same);
  if (status == CLI_DONE) status = check_motion(c, &call->run.p->task, guess);
  dm_trajectory_free(guess);
  return status;
}

// check the program of all phases at x, and a step in the middle of each
static int check_phase_programs(checks *c, oc_solution *w, dm_trajectory *const *x) {
  const pb_phases *phases = &c->call->run.p->phases;
  dm_status s = oc_solution_start_phases(w, (const dm_trajectory *const *)x);
  tell_sizes(c->call, w);
  if (s == DM_OK) s = oc_check_program(&c->found, w);
  tell_rows(c);
  if (s < 0) return cli_fail_status(c->call->args, s, NULL);

  int status = CLI_DONE;
  for (int i = 0; status == CLI_DONE && i < phases->n; i++) {
    if (c->found.rows + STEP_ROWS > OC_CHECK_ROWS) break;
    cli_tell(c->call, "phase", "%s", phases->name[i]);
    status = check_motion(c, phases->task[i], x[i]);
  }
  return status;
}

static int check_phases(checks *c) {
  const pb_phases *phases = &c->call->run.p->phases;
  const oc_phases_task task = pb_phases_task(phases);
  oc_solution *w = NULL;
  dm_trajectory **x = calloc((size_t)phases->n, sizeof *x);
  dm_status s = x ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < phases->n; i++)
    s = dm_trajectory_of(&x[i], task.task[i]->N, &task.task[i]->system);
  if (s == DM_OK) s = pb_phases_guess(phases, x);
  if (s == DM_OK) s = oc_solution_of_phases(&w, &task, NULL, &c->call->msg);
  const int status = s == DM_OK ? check_phase_programs(c, w, x) : cli_refuse_phases(c->call, s);
  oc_solution_free(w);
  for (int i = 0; x && i < phases->n; i++) dm_trajectory_free(x[i]);
  free(x);
  return status;
}

// how many laws hold, fail, and do not apply; and those that are not decided, if there are any
static void tell_laws(cli_call *call) {
  static const char *const verdicts[] = {"holds", "fails", "none", "not decided"};
  cli_json *list = NULL;
  int count[4] = {0};
  json_object_object_get_ex(call->result, "laws", &list);
  for (size_t i = 0; list && i < json_object_array_length(list); i++) {
    cli_json *verdict;
    json_object_object_get_ex(json_object_array_get_idx(list, i), "verdict", &verdict);
    for (int j = 0; j < 4; j++) count[j] += !strcmp(json_object_get_string(verdict), verdicts[j]);
  }
  char open[40] = "";
  if (count[3]) snprintf(open, sizeof open, ", %d not decided", count[3]);
  cli_tell(call, "laws", "%d hold, %d fail, %d do not apply%s", count[0], count[1], count[2], open);
}

static int check_problem(const cli_args *args) {
  cli_call call;
  checks c = {.call = &call, .found = oc_check_default()};

  // report sizes before differentiating
  int status = cli_call_open(&call, args, false);
  if (status != CLI_DONE) return cli_call_close(&call, status);
  const pb_problem *p = call.run.p;
  c.list = json_object_new_array();
  json_object_object_add(call.result, "blocks", c.list);
  if (!p->phases.n)
    cli_tell(&call, "model", "%d coordinates, %d inputs", call.run.p->names.n,
             call.run.p->names.nu);
  for (int i = 0; i < p->phases.n; i++)
    cli_tell(&call, i ? "" : "phases", "%s: %d coordinates, %d inputs", p->phases.name[i],
             p->phases.task[i]->system.L.nq, dm_system_inputs(&p->phases.task[i]->system));

  // phases, a design, a task, or only a system
  if (p->phases.n)
    status = check_phases(&c);
  else if (p->design.n) {
    // check the program of a design, including derivatives with respect to its parameters
    cli_design_members *members;
    const oc_task *task;
    status = cli_design_open(&members, c.call, &task);
    if (status == CLI_DONE) {
      const dm_status s = oc_check_task(&c.found, task, NULL, &c.call->msg);
      tell_rows(&c);
      if (s != DM_OK) status = cli_fail_status(c.call->args, s, &c.call->msg);
    }
    cli_design_close(members);
  } else if (p->has.task)
    status = check_task(&c);
  else if (p->has.simulate)
    status = check_step(&c, &call.run.p->task, p->simulate.q, p->simulate.v, p->simulate.h);
  else if (p->rest)
    status = check_step(&c, &call.run.p->task, p->rest->q, p->rest->v, p->rest->h);

  // the theorems, if asked
  if (status == CLI_DONE && args->kept && !args->laws)
    status = cli_fail(args, CLI_INPUT, "--kept needs --laws");
  int broken = 0;
  if (status == CLI_DONE && args->laws) status = cli_laws(&call, &broken);

  // one failed block or law makes the outcome negative
  const oc_check *found = &c.found;
  if (status == CLI_DONE) {
    cli_tell(&call, "derivatives", "%d of %d blocks agree with differences",
             found->rows - found->failed, found->rows);
    if (args->laws) tell_laws(&call);
    cli_json_text(call.result, "status", found->failed || broken ? "failed" : "done");
    if (found->failed || broken) status = CLI_OUTCOME;
  }
  return cli_call_close(&call, status);
}

const cli_command cli_command_check = {
    .name = "check",
    .what = "read a problem, print its sizes, compare its derivatives with differences",
    .usage = "PROBLEM [--laws] [--kept NAMES] [--inputs WORD]",
    .run = check_problem,
    .phases = true,
};

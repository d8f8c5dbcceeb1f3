#include "optim/starts/guess.h"
#include "cli/console/log.h"
#include "cli/stages/solve.h"
#include "lib/base/dense.h"
#include "lib/multibody/formula_part.h"

#include <stdio.h>
#include <string.h>

// read the motion of another result folder
static int read_stored_guess(cli_call *call, dm_trajectory *x, bool *same) {
  const char *from = call->args->from;
  dm_trajectory *y = NULL;
  cli_json *result = NULL;

  // the folder, checked and held, with a motion on its own grid
  if (!cli_folder_has_result(from, false))
    return cli_fail(call->args, CLI_INPUT,
                    "%s/result.json cannot be read: --from takes a result folder", from);
  int status = cli_open_result(call, from, &call->place.from, &result);

  // resample to this problem's grid; a free final time is taken from the motion
  if (status == CLI_DONE) status = cli_stored_motion(call, &call->place.from, result, &y);
  if (status == CLI_DONE) {
    *same = y->N == x->N;
    if (call->run.p->task.time.free) x->h = y->h * y->N / x->N;
    oc_guess_resample(&call->run.p->task, y, x);
  }
  dm_trajectory_free(y);
  json_object_put(result);
  return status;
}

int cli_guess(cli_call *call, dm_trajectory **guess, bool *same) {
  // the problem's own guess, unless replaced below
  *same = false;
  dm_status s = pb_problem_guess(call->run.p, guess);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  if (call->coarse) {
    // resample the motion of a coarser grid
    const dm_trajectory *y = call->coarse;
    if (call->run.p->task.time.free) (*guess)->h = y->h * y->N / (*guess)->N;
    oc_guess_resample(&call->run.p->task, y, *guess);
    return CLI_DONE;
  }

  // the motion of --from; then, for a start of a sweep, a seeded perturbation
  int status = call->args->from ? read_stored_guess(call, *guess, same) : CLI_DONE;
  if (status == CLI_DONE && call->args->start)
    oc_guess_perturb(&call->run.p->task, call->run.p->verify.seed, call->args->start,
                     call->args->spread, *guess);
  return status;
}

int cli_start(cli_call *call, oc_solution *w, bool *same) {
  dm_trajectory *guess = NULL;
  const pb_guess_kind kind = call->run.p->guess.kind;
  bool line = (kind == PB_OWN || kind == PB_LINE) && !call->coarse && !call->args->from &&
              !call->args->start;

  // for second-order transcriptions the line is a cubic, provided by the solution
  int status = CLI_DONE;
  *same = false;
  if (!w->second || !line) status = cli_guess(call, &guess, same);

  // initialize the program's multipliers, inputs and states
  dm_status s = status == CLI_DONE ? oc_solution_start(w, guess) : DM_OK;
  if (s < 0) status = cli_fail_status(call->args, s, NULL);
  dm_trajectory_free(guess);
  return status;
}

// a formula of the model without a value at a knot of x
static bool find_model_fault(const cli_call *call, const dm_trajectory *x, char *text,
                             size_t size) {
  const dm_robot *robot = &call->run.p->robot.mechanism;
  const dm_formulas *f = robot->formulas;
  const int nu = call->run.p->task.system.nu;
  const int own = dm_formulas_act(f) ? dm_formulas_force(f).nu : 0; // the last inputs
  if (!f || robot->embed) return false;                             // coordinates of the tree
  for (int k = 0; k <= x->N; k++) {
    const double *u = own ? dm_row(x->u, k < x->N ? k : x->N - 1, x->nu) + nu - own : NULL;
    char fault[96];
    const int i = dm_formulas_undefined(f, dm_row(x->q, k, x->n), dm_row(x->v, k, x->n), u, fault,
                                        sizeof fault);
    if (i < 0) continue;
    snprintf(text, size,
             "the formula '%.64s' of the model is not defined at knot %d of the guess: %s",
             dm_formulas_get(f, i)->name, k, fault);
    return true;
  }
  return false;
}

// a ball joint whose turn is free at the start: a quaternion cannot be zero
static bool find_free_turn(const cli_call *call, char *text, size_t size) {
  const pb_problem *p = call->run.p;
  const dm_model *m = p->model;
  for (int k = 0; m->quaternion && k < m->nball; k++) {
    const int i = m->quaternion[k];
    if (oc_given(p->task.start.q, i)) continue;
    snprintf(text, size,
             "the turn of '%.*s' is free at the start, and has no guess: give one in start.near, "
             "or a guess",
             (int)(strlen(m->name[i]) - strlen(".qw")), m->name[i]);
    return true;
  }
  return false;
}

int cli_fail_start(cli_call *call, dm_status s) {
  const oc_task *task = &call->run.p->task;
  dm_trajectory *guess = NULL;
  char fault[240];
  bool same;
  if (s == DM_NOT_FINITE && !call->run.p->phases.n && cli_guess(call, &guess, &same) == CLI_DONE &&
      (find_free_turn(call, fault, sizeof fault) ||
       find_model_fault(call, guess, fault, sizeof fault) ||
       oc_outputs_fault(&task->outputs, guess, task->start.v, task->goal.v, fault, sizeof fault)))
    dm_fail(&call->msg, s, "%s: %s", call->run.p->file.path, fault);
  dm_trajectory_free(guess);
  return cli_fail_status(call->args, s, &call->msg);
}

// excite: the motion within the limits of a task that tells most about the parameters of
// `identify:`, as a plan, with gains.
#include "optim/excite.h"
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/stages/fitted_values.h"
#include "cli/stages/solve.h"
#include "problems/readers/task/identification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMBINATIONS = 3 };       // least known combinations that are reported
static const double SHARE = 0.3; // of a combination's largest factor, to be named
static const double SPEED =
    0.97; // of limits of speeds, which hold at knots and in the mean of steps

typedef struct excitation {
  cli_call *call;
  pb_identification *file;
  oc_fit_parameters *x;
  oc_excite *search;
  dm_trajectory *motion;
  // of the call's task, which follows the motion: they live as long as the call
  double *reference, *weight, *fast;
  double *numbers; // information [p x p], covariance [p x p], direction [p], q [(N+1) x n]
  cli_progress progress;
} excitation;

static void close_excitation(excitation *w) {
  oc_excite_free(w->search);
  dm_trajectory_free(w->motion);
  oc_fit_parameters_free(w->x);
  pb_identification_free(w->file);
  free(w->numbers);
}

static bool watch_search(void *user, int iteration, double objective) {
  excitation *w = user;
  cli_call_worth(w->call);
  cli_progress_show(&w->progress, CLI_UNKNOWN, "%s: motion %d, information %.5g nats",
                    w->call->run.p->file.name, iteration, objective);
  return !cli_interrupted() && cli_call_time_left(w->call) > 0;
}

// -- the search

// refuse problems without a motion to choose
static int check_problem(const cli_call *call) {
  const pb_problem *p = call->run.p;
  const char *why = NULL;
  if (!p->has.task) why = "has no horizon, expected one, with start and bounds";
  if (!why && p->transcription.second)
    why = "has a transcription of second order, expected one of first order";
  if (!why && p->design.n) why = "has design parameters, expected none";
  if (!why) return CLI_DONE;
  return cli_fail(call->args, CLI_INPUT, "%s %s", call->args->operand, why);
}

// speeds with a margin, since those between knots are higher than those at knots
static int narrow_speeds(excitation *w) {
  oc_task *task = &w->call->run.p->task;
  const int n = task->system.L.nq;
  if (!task->bounds[OC_V].high) return CLI_DONE;
  w->fast = calloc((size_t)n, sizeof *w->fast);
  if (!w->fast) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < n; i++) w->fast[i] = SPEED * oc_high(task, OC_V, i);
  task->bounds[OC_V].high = w->fast;
  return CLI_DONE;
}

static int open_search(excitation *w) {
  cli_call *call = w->call;
  const pb_problem *p = call->run.p;
  dm_status s = pb_identification_read(&w->file, p->file.path, call->args->replace,
                                       call->args->nreplace, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  const pb_identify *set = &w->file->set;
  s = oc_fit_parameters_new(&w->x, &p->robot.mechanism, set->nparameters, set->parameter,
                            &call->msg);
  if (s == DM_OK && w->x->count == 0)
    return cli_fail(call->args, CLI_INPUT,
                    "%s: identify.parameters: found none, expected parameters to tell about",
                    p->file.path);
  oc_excite_settings excite = oc_excite_default();
  oc_setup solver = {0};
  cli_solve_choose(call, &solver);
  excite.setup.options = solver.options;
  excite.setup.options.only_guess = true;
  excite.sigma = set->noise_u;
  excite.prior = set->prior;
  excite.dry = set->friction_speed;
  excite.step = set->step;
  excite.progress = watch_search;
  excite.user = w;
  w->progress = cli_progress_of(call->args);
  if (s == DM_OK) s = oc_excite_new(&w->search, &p->task, w->x, &excite, &call->msg);
  if (s != DM_OK)
    return cli_fail(call->args, cli_exit_of(s), "%s: %s", p->file.path, call->msg.text);

  const size_t count = (size_t)w->x->count, N = (size_t)p->task.N, n = (size_t)p->task.system.L.nq;
  w->numbers = calloc(2 * count * count + count + (N + 1) * n, sizeof *w->numbers);
  return w->numbers ? CLI_DONE : cli_fail(call->args, CLI_FAULT, "out of memory");
}

static int search_motion(excitation *w) {
  cli_call *call = w->call;
  const dm_status s = oc_excite_run(w->search, &w->motion, &call->msg);
  cli_progress_end(&w->progress);
  if (s >= 0) return CLI_DONE;
  return cli_fail_status(call->args, s, &call->msg);
}

// Make the motion the plan of the call: its task follows it, on its grid.
static int plan_motion(excitation *w) {
  pb_problem *p = w->call->run.p;
  oc_task *task = &p->task;
  const int n = task->system.L.nq, N = task->N;
  w->reference = calloc((size_t)(N + 1) * (size_t)n, sizeof *w->reference);
  w->weight = calloc((size_t)n, sizeof *w->weight);
  if (!w->reference || !w->weight) return cli_fail(w->call->args, CLI_FAULT, "out of memory");
  memcpy(w->reference, w->motion->q, (size_t)(N + 1) * (size_t)n * sizeof *w->reference);
  for (int i = 0; i < n; i++) {
    const double size = oc_task_way(task, i);
    w->weight[i] = 1 / (size * size * task->time.T);
  }
  memset(task->cost, 0, sizeof task->cost);
  task->cost[OC_Q] = (oc_weights){.running = w->weight, .reference = w->reference};
  task->functions.nterms = 0;
  task->per = (oc_per){0};
  p->fine.doublings = 0;
  p->options.starts.count = 0;
  w->call->coarse = w->motion;
  w->call->follows = true;
  return cli_optimize(w->call);
}

// -- the report

// "0.71 links.a.mass - 0.7 links.b.mass": the largest terms of a direction
static void name_direction(const excitation *w, const double *direction, char *text, size_t size) {
  double largest = 0;
  for (int i = 0; i < w->x->count; i++) largest = fmax(largest, fabs(direction[i]));
  size_t at = 0;
  text[0] = 0;
  for (int i = 0; i < w->x->count && at + 1 < size; i++) {
    const double x = direction[i];
    if (fabs(x) < SHARE * largest) continue;
    const char *sign = at ? (x < 0 ? " - " : " + ") : (x < 0 ? "-" : "");
    at += (size_t)snprintf(text + at, size - at, "%s%.2g %s", sign, fabs(x), w->x->list[i].path);
  }
}

// the robot's values with the predicted deviations, links in their own frames
static int report_parameters(const excitation *w, cli_json *o, double *theta,
                             const double *covariance) {
  cli_fitted_values v;
  oc_fit_parameters_start(w->x, theta);
  const dm_status s = cli_fitted_values_make(&v, w->x, theta, covariance, NULL);
  cli_json *list = cli_json_object(o, "parameters");
  for (int i = 0; s == DM_OK && i < w->x->count; i++) {
    const oc_fit_parameter *x = &w->x->list[i];
    cli_json *one = cli_json_object(list, x->path);
    cli_json_number(one, "value", v.start[i]);
    cli_json_number(one, "deviation", v.deviation[i]);
    cli_json_text(one, "unit", x->unit);
    cli_tell(w->call, i ? "" : "deviations", "%s %.4g +- %.2g %s", x->path, v.start[i],
             v.deviation[i], x->unit);
  }
  cli_fitted_values_free(&v);
  return s == DM_OK ? CLI_DONE : cli_fail_status(w->call->args, s, NULL);
}

static void report_directions(const excitation *w, cli_json *o, int shown, double *direction) {
  json_object *list = json_object_new_array();
  json_object_object_add(o, "least_known", list);
  const int unseen = w->x->count - shown;
  for (int i = 0; i < COMBINATIONS && i < shown; i++) {
    char text[400];
    const double deviation = oc_excite_direction(w->search, unseen + i, direction);
    name_direction(w, direction, text, sizeof text);
    cli_json *one = json_object_new_object();
    json_object_array_add(list, one);
    cli_json_text(one, "combination", text);
    cli_json_number(one, "deviation", deviation);
    cli_tell(w->call, i ? "" : "least known", "%s: %.2g of their sizes", text, deviation);
  }
}

// the information of the motion beside that of the best multi-sine
static int report_information(excitation *w) {
  cli_call *call = w->call;
  const int count = w->x->count;
  const oc_excite_info info = oc_excite_get(w->search);
  double *S = w->numbers, *C = S + count * count, *direction = C + count * count,
         *q = direction + count;
  double value, condition, other = NAN;
  int shown;
  bool within;
  dm_status s = DM_OK;

  // the multi-sine first, since directions are those of the last prediction
  if (info.number >= 0) {
    s = oc_excite_multisine(w->search, info.number, q, &within);
    if (s == DM_OK) s = oc_excite_measure(w->search, q, &value, S);
    if (s == DM_OK) s = oc_excite_predict(w->search, S, C, &other, &shown);
  }
  if (s == DM_OK) s = oc_excite_measure(w->search, call->run.x->q, &value, S);
  if (s == DM_OK) s = oc_excite_predict(w->search, S, C, &condition, &shown);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);

  cli_json *o = cli_json_object(call->result, "information");
  cli_json_number(o, "log_det", value);
  cli_json_number(o, "multisine", info.multisine);
  cli_json_int(o, "motions", info.iterations);
  cli_json_number(o, "condition", condition);
  cli_json_number(o, "condition_multisine", other);
  cli_json_int(o, "shown", shown);
  char beside[80] = "";
  if (isfinite(info.multisine))
    snprintf(beside, sizeof beside, "; %.5g of the best of random multi-sines", info.multisine);
  cli_tell(call, "information", "%.5g nats more than the prior after %d motions%s", value,
           info.iterations, beside);
  if (isfinite(info.multisine)) snprintf(beside, sizeof beside, "; %.3g of the multi-sine", other);
  cli_tell(call, "condition", "%.3g of %d combinations that the motion shows%s", condition, shown,
           beside);
  report_directions(w, o, shown, direction);
  return report_parameters(w, o, direction, C);
}

// -- the command

static int excite_problem(const cli_args *args) {
  cli_call call;
  excitation w = {.call = &call};
  int status = cli_call_open(&call, args, true);
  call.written = cli_report_written;
  if (status == CLI_DONE) status = check_problem(&call);
  if (status == CLI_DONE) status = narrow_speeds(&w);
  if (status == CLI_DONE) status = open_search(&w);
  if (status == CLI_DONE) status = search_motion(&w);
  const bool found = status == CLI_DONE;
  if (found) status = plan_motion(&w);
  if (found && call.run.x && (status == CLI_DONE || status == CLI_OUTCOME)) {
    const int told = report_information(&w);
    if (told != CLI_DONE) status = told;
  }
  if (status == CLI_DONE && call.run.p->has.feedback) status = cli_walk_on(&call, CLI_TO_GAINS);
  status = cli_call_close(&call, status);
  close_excitation(&w);
  free(w.reference);
  free(w.weight);
  free(w.fast);
  return status;
}

const cli_command cli_command_excite = {
    .name = "excite",
    .what = "problem -> the trajectory that tells most about parameters, with gains",
    .usage = "PROBLEM [-o DIR] [--verbose]",
    .solves = OC_BY_PROGRAMS,
    .run = excite_problem,
};

#include "cli/commands/commands.h"
#include "cli/console/args.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/descent.h"
#include "cli/results/registry.h"
#include "cli/stages/call.h"
#include "cli/stages/descent_compare.h"
#include "cli/stages/follow.h"
#include "cli/stages/outputs.h"
#include "cli/stages/refine.h"
#include "cli/stages/saturation.h"
#include "cli/stages/solve.h"
#include "lib/base/names.h"
#include "optim/task/output_costs.h"
#include "problems/readers/format/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  METHODS = OC_METHODS,
  SHOWN_FIRST = 12, // number of first iterations of each method that are printed
  SHOWN_LAST = 8,
  RECORD = 100000 // number of iterations recorded, at most
};

// the descents of a call, all from the same guess
typedef struct descents {
  cli_call *call;
  bool wanted[METHODS];
  oc_options options;
  dm_trajectory *guess, *x[METHODS];
  oc_descent_row *record; // [METHODS x capacity]
  int capacity;
  oc_descent_info info[METHODS];
  oc_method method;    // method being run
  oc_method best;      // method whose motion is used
  cli_following plant; // the motion of a plant
  dm_message why[METHODS];
  cli_progress progress;
} descents;

// -- options

static int read_descent_options(descents *w) {
  const cli_args *args = w->call->args;

  // names of methods, or all
  const char *at = args->method ? args->method : "newton";
  for (size_t n; n = strcspn(at, ","), true; at += n + 1) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)n, at);
    const int method = cli_args_pick(args, "--method", name);
    if (method < 0) return CLI_INPUT;
    for (int i = 0; i < METHODS; i++) w->wanted[i] |= method == METHODS || method == i;
    if (!at[n]) break;
  }

  // a slope replaces the share of the cost
  w->options = w->call->run.p->options;
  if (w->options.descent.slope > 0) w->options.descent.share = 0;
  return CLI_DONE;
}

// the file position of the first of some keys, separated by spaces
static const char *place_unfit(const cli_call *call, const char *keys, char text[PB_PLACE]) {
  char key[40];
  int at[2], length;
  for (; sscanf(keys, "%39s%n", key, &length) == 1; keys += length)
    if (pb_problem_place(call->run.p, key, at)) return pb_problem_at(call->run.p, key, text);
  return pb_problem_at(call->run.p, NULL, text);
}

static int prepare_descents(descents *w, cli_call *call) {
  *w = (descents){.call = call, .progress = cli_progress_of(call->args)};
  w->progress.limit = call->run.p->options.max_time;

  char place[PB_PLACE];

  // the options, then whether the task is suitable
  int status = read_descent_options(w);
  if (status != CLI_DONE) return status;
  if (!call->run.p->has.task)
    return cli_fail(call->args, CLI_INPUT,
                    "%s has no goal and no cost: found nothing to optimize; add 'goal' and 'cost', "
                    "or use 'dmoc simulate'",
                    call->run.p->file.path);
  if (call->run.p->transcription.second)
    return cli_fail(call->args, CLI_INPUT,
                    "%s: descent cannot solve a second-order transcription; use 'dmoc optimize'",
                    pb_problem_at(call->run.p, "transcription", place));
  if (call->run.p->task.periodic)
    return cli_fail(call->args, CLI_INPUT,
                    "%s:%d:%d: goal: found a periodic motion, expected one with an end of its own: "
                    "descent cannot close a motion; use 'dmoc optimize'",
                    call->run.p->file.path, call->run.p->periodic_at[0],
                    call->run.p->periodic_at[1]);
  if (call->run.p->design.n)
    return cli_fail(call->args, CLI_INPUT,
                    "%s: found numbers of the robot left open (design), expected none: descent "
                    "seeks a motion alone; use 'dmoc optimize'",
                    pb_problem_at(call->run.p, "design", place));
  const char *keys = "";
  dm_status s = oc_task_check(&call->run.p->task, &call->msg);
  if (s == DM_OK)
    s = oc_descent_check(&call->run.p->task, w->options.descent.kkt == OC_CHOLMOD, &keys,
                         &call->msg);
  for (int m = 0; s == DM_OK && m < METHODS; m++) {
    w->options.descent.method = (oc_method)m;
    if (w->wanted[m])
      s = oc_descent_check_options(&call->run.p->task, &w->options, &keys, &call->msg);
  }
  if (s != DM_OK)
    return cli_fail(call->args, cli_exit_of(s), "%s: %s", place_unfit(call, keys, place),
                    call->msg.text);

  // the record; each goal round may add a final row
  w->capacity = (w->options.max_iter < RECORD ? w->options.max_iter : RECORD) + 64;
  w->record = calloc((size_t)(METHODS * w->capacity), sizeof *w->record);
  if (!w->record) return cli_fail(call->args, CLI_FAULT, "out of memory");
  bool same;
  return cli_guess(call, &w->guess, &same);
}

// -- running the methods

static bool watch_descent(void *user, const oc_iterate *it) {
  descents *w = user;
  cli_call_worth(w->call);
  cli_progress_show(&w->progress, CLI_UNKNOWN, "%s: %s, iteration %d, cost %.8g, slope %.1e%s",
                    w->call->run.p->file.name, oc_method_names[w->method], it->iteration,
                    it->objective, -it->dual,
                    it->violation > w->options.descent.goal ? ", goal not met yet" : "");
  return !cli_interrupted();
}

static bool is_late(const descents *w, oc_method m) {
  const oc_descent_info *info = &w->info[m];
  return info->status == DM_MAX_ITER && info->time_s > w->options.max_time;
}

static const char *find_status_word(const descents *w, oc_method m) {
  return is_late(w, m) ? "time_limit" : cli_status_word(w->info[m].status);
}

// run one method from the guess; fails only if the descent cannot start
static int run_method(descents *w, oc_method m) {
  cli_call *call = w->call;
  const dm_trajectory *g = w->guess;

  // each method starts from a copy of the guess
  dm_status s = dm_trajectory_of(&w->x[m], call->run.p->task.N, &call->run.p->task.system);
  if (s != DM_OK) return cli_fail(call->args, CLI_FAULT, "%s", dm_status_text(s));
  dm_trajectory *x = w->x[m];
  dm_trajectory_copy(x, g);

  // callbacks for progress, interrupts and the time limit
  w->method = m;
  w->options.descent.method = m;
  const oc_hooks hooks = {.watch = watch_descent, .user = w};
  s = oc_descend(&call->run.p->task, &w->options, &hooks, x, w->record + m * w->capacity,
                 w->capacity, &w->info[m], &w->why[m]);

  cli_progress_end(&w->progress);
  if (s == DM_NO_MEMORY) return cli_fail_status(call->args, s, NULL);
  if (s == DM_OK || s > 0 || w->info[m].rows > 0) return CLI_DONE;
  return cli_fail(call->args, cli_exit_of(s), "%s: the descent cannot begin: %s",
                  call->run.p->file.path, w->why[m].text);
}

// -- reporting

static void print_table(const descents *w, oc_method m) {
  const oc_descent_info *info = &w->info[m];
  FILE *f = w->call->summary.file;

  // the first and the last iterations; descent.csv has all
  fprintf(f, "\n  %9s  %-20s %17s %9s %8s %9s %9s\n", "iteration", "direction", "cost", "-slope",
          "step", "goal", "ms");

  for (int i = 0; i < info->rows; i++) {
    bool left_out = i >= SHOWN_FIRST && i < info->rows - SHOWN_LAST;
    if (!left_out) {
      const oc_descent_row *r = w->record + m * w->capacity + i;
      char kind[40];
      snprintf(kind, sizeof kind, r->cut ? "%s, %d cut" : "%s", oc_method_names[r->kind], r->cut);
      fprintf(f, "  %9d  %-20s %17.10g %9.1e %8.3g", r->iteration, kind, r->cost, -r->slope,
              r->step);

      // distance from the goal, if there is one
      if (r->residual > 0)
        fprintf(f, " %9.1e", r->residual);
      else
        fprintf(f, " %9s", "-");
      fprintf(f, " %9.2f\n", 1e3 * r->time_s);
    } else if (i == SHOWN_FIRST)
      fprintf(f, "  %9s  (%d more: descent.csv)\n", "...", info->rows - SHOWN_FIRST - SHOWN_LAST);
  }
}

// the worst entry of the goal at the last knot of a motion: "; goal position of 'pole', knot 100,
// off by 0.1 m or rad"
static void put_missed_goal(const cli_call *call, const dm_trajectory *x, char *text, size_t size) {
  const oc_task *t = &call->run.p->task;
  const int end = x->N * x->n;
  int worst = -1;
  double max = 0;

  // entries 0 .. n-1 are positions, n .. 2n-1 velocities; NAN is free
  for (int i = 0; i < 2 * x->n; i++) {
    const bool position = i < x->n;
    const int c = position ? i : i - x->n;
    const double *goal = position ? t->goal.q : t->goal.v;
    if (!goal || isnan(goal[c])) continue;
    const double off = fabs((position ? x->q : x->v)[end + c] - goal[c]);
    if (off <= max) continue;
    max = off;
    worst = i;
  }
  if (worst < 0) return;
  static const char *const what[] = {"position", "velocity"};
  static const char *const unit[] = {"m or rad", "m/s or rad/s"};
  const int order = worst / x->n;
  snprintf(text, size, "; the worst row is the goal %s of %.64s, knot %d, off by %.3g %s",
           what[order], call->run.p->names.coord[worst % x->n], x->N, max, unit[order]);
}

// explain why a method failed: the goal's worst entry, and the two most promising remedies
static void say_failure(const descents *w, oc_method m) {
  const oc_descent_info *info = &w->info[m];
  const bool missed = info->residual > w->options.descent.goal, late = is_late(w, m);
  char row[200] = "", help[CLI_LIMITS];
  if (missed) put_missed_goal(w->call, w->x[m], row, sizeof row);
  cli_explain_failure(w->call, w->x[m], missed ? "goal" : NULL, info->status, late, false, help,
                      sizeof help);
  cli_error("%s: %s: %s%s%s", oc_method_names[m], find_status_word(w, m),
            late ? "the last motion is written" : w->why[m].text, row, help);
}

// report one method in result.json, in the summary, and failures as errors
static cli_json *report_method(const descents *w, cli_json *all, oc_method m) {
  const oc_descent_info *info = &w->info[m];
  cli_json *o = cli_json_object(all, oc_method_names[m]);
  int lower = 0;

  // the final status
  cli_json_text(o, "status", find_status_word(w, m));
  cli_json_int(o, "iterations", info->iterations);
  cli_json_number(o, "objective", info->cost);
  cli_json_number(o, "slope", info->slope);
  cli_json_number(o, "goal_error", info->residual);
  cli_json_int(o, "cut", info->cut);

  // iterations whose direction came from a lower-order method
  cli_json *fell = cli_json_object(o, "fell_back");
  for (int i = 0; i < (int)m; i++) {
    cli_json_int(fell, oc_method_names[i], info->fell[i]);
    lower += info->fell[i];
  }
  cli_json_number(o, "time_s", info->time_s);
  if (info->failed >= 0) cli_json_int(o, "knot", info->failed);
  if (info->status != DM_OK) cli_json_text(o, "detail", w->why[m].text);

  // in the summary, and how second-order terms were treated
  cli_tell(w->call, oc_method_names[m], "%s after %d iterations, %.1f ms; cost %.10g, slope %.1e",
           find_status_word(w, m), info->iterations, 1e3 * info->time_s, info->cost, info->slope);
  if (info->cut || lower)
    cli_tell(w->call, "", "second-order terms cut in %d iterations, fell back in %d", info->cut,
             lower);

  // why it ended without a solution
  if (info->status == DM_INTERRUPTED)
    cli_error("%s: %s: the last motion is written", oc_method_names[m], find_status_word(w, m));
  else if (info->status != DM_OK)
    say_failure(w, m);
  return o;
}

// select the motion of the result: from the highest-order method with a solution, else from the
// highest order
static oc_method choose_best(const descents *w) {
  // if several methods succeed, a higher order is closer to the optimum
  for (int m = METHODS - 1; m >= 0; m--)
    if (w->x[m] && w->info[m].status == DM_OK) return (oc_method)m;
  int m = METHODS - 1;
  while (!w->x[m]) m--;
  return (oc_method)m;
}

static int write_files(descents *w) {
  // the motion, and the iterations of all methods one after the other
  cli_call *call = w->call;
  const int status = cli_motion_write(call, &w->plant);
  if (status != CLI_DONE) return status;
  FILE *f = cli_call_file(call, "descent.csv");
  if (!f) return CLI_INPUT;
  cli_table_begin(f, &cli_file_descent, NULL);
  for (int m = 0; m < METHODS; m++)
    if (w->info[m].rows)
      cli_descent_rows(f, (oc_method)m, w->record + m * w->capacity, w->info[m].rows);
  return CLI_DONE;
}

static int report_descents(descents *w) {
  cli_call *call = w->call;
  oc_method best = w->best = choose_best(w);
  const oc_descent_info *info = &w->info[best];
  bool solved = true;
  cli_json *r = call->result;

  // 1  the result has the best method's figures
  cli_json_text(r, "status", find_status_word(w, best));
  cli_json_text(r, "method", oc_method_names[best]);
  cli_json_text(r, "kkt", w->options.descent.kkt == OC_CHOLMOD ? "cholmod" : "riccati");
  cli_json_int(r, "steps", call->run.p->task.N);
  cli_json_number(r, "objective", info->cost);
  cli_json_int(r, "iterations", info->iterations);

  // 2  per method its iterations, then its figures
  for (int m = 0; m < METHODS; m++)
    if (w->x[m]) print_table(w, (oc_method)m);
  fprintf(call->summary.file, "\n");
  cli_json *all = cli_json_object(r, "methods");
  for (int m = 0; m < METHODS; m++) {
    if (!w->x[m]) continue;
    report_method(w, all, (oc_method)m);
    solved = solved && w->info[m].status == DM_OK;
  }

  // 3  the best motion becomes the run's, and is certified unless interrupted
  call->run.x = w->x[best];
  w->x[best] = NULL;
  if (cli_interrupted()) return CLI_OUTCOME;
  int status = cli_certify(call, info->status == DM_OK);
  if (info->status != DM_OK) return status == CLI_DONE ? CLI_OUTCOME : status;

  // 4  check whether a plant follows it; otherwise it is not a solution
  int followed = cli_follow(call, &w->plant);
  if (followed != CLI_DONE) return followed;
  cli_coarseness coarse = cli_find_coarseness(call, &w->plant);
  if (coarse.kind != CLI_FINE) {
    cli_json_text(r, "status", "coarse");
    cli_refine_complain(
        call, &coarse,
        &(cli_refinement){.why = "a descent does not refine its grid; use 'dmoc optimize'"});
    solved = false;
  }
  return status == CLI_DONE && !solved ? CLI_OUTCOME : status;
}

// methods and starts against each other; the best motion becomes the run's
static int compare_descents(descents *w) {
  cli_call *call = w->call;
  const int starts = call->args->starts > 0 ? (int)call->args->starts : 8;
  if (!call->args->method)
    for (int m = 0; m < METHODS; m++) w->wanted[m] = true;
  const int status =
      cli_descents_compare(call, &w->options, w->wanted, starts, w->guess, &call->run.x);
  if (!call->run.x) return status;
  const int certified = cli_certify(call, status == CLI_DONE);
  const int written = cli_motion_write(call, &w->plant);
  if (written != CLI_DONE) return written;
  return status == CLI_DONE ? certified : status;
}

static int descend_problem(const cli_args *args) {
  cli_call call;
  descents w = {0};
  int status = cli_call_open(&call, args, true);
  if (status == CLI_DONE) status = prepare_descents(&w, &call);

  if (status == CLI_DONE && args->compare) {
    status = compare_descents(&w);
    dm_trajectory_free(w.guess);
    free(w.record);
    return cli_call_close(&call, status);
  }

  // run all requested methods from the same guess
  for (int m = 0; m < METHODS && status == CLI_DONE; m++) {
    if (w.wanted[m] && !cli_interrupted()) status = run_method(&w, (oc_method)m);
  }
  if (status == CLI_DONE) {
    // write files even without a solution
    status = report_descents(&w);
    if (status == CLI_DONE || status == CLI_OUTCOME) {
      int written = write_files(&w);
      if (written == CLI_DONE && w.plant.y) written = cli_follow_report(&call, &w.plant);
      if (written != CLI_DONE) status = written;
    }
  }

  dm_trajectory_free(w.guess);
  for (int i = 0; i < METHODS; i++) dm_trajectory_free(w.x[i]);
  cli_following_free(&w.plant);
  free(w.record);

  return cli_call_close(&call, status);
}

const cli_command cli_command_descend = {
    .name = "descend",
    .what = "problem -> trajectory, by first- and second-order descent side by side",
    .usage =
        "PROBLEM [-o DIR] [--from DIR] [--method METHOD] [--compare] [--starts N] [--threads K]",
    .solves = OC_BY_DESCENT,
    .run = descend_problem,
};

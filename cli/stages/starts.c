#include "cli/stages/starts.h"

#include "cli/console/interrupt.h"
#include "cli/mpi/workers.h"
#include "cli/results/optima.h"
#include "cli/results/sentences.h"
#include "lib/base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GOAL_KEYS = CLI_REPLACED - CLI_TUNED - 2 };

// -- settings

// settings from the file and the options
static void find_settings(cli_starts *w) {
  const cli_call *call = w->call;
  const pb_problem *p = call->run.p;
  const cli_args *args = call->args;
  oc_options *options = &w->set.options;
  w->set = (oc_setup){.options = p->options};
  w->asked = p->has.starts || args->searches > 0;
  const int workers = cli_workers_count();
  options->starts.threads = workers < OC_THREADS ? workers : OC_THREADS;
  options->starts.turn = p->fine.turn;

  // --starts overrides the file
  if (!w->asked) options->starts.count = 1;
  if (args->searches > 0) options->starts.count = (int)args->searches;
}

int cli_starts_open(cli_starts *w, cli_call *call) {
  *w = (cli_starts){.call = call, .taken = -1, .best = INFINITY};
  w->progress = cli_progress_of(call->args);
  find_settings(w);
  if (w->asked && w->set.options.starts.count > 1 && call->run.p->transcription.second)
    return cli_fail(call->args, CLI_INPUT,
                    "%s: --starts is for 'transcription: first-order', found %s",
                    call->run.p->file.path, pb_transcription_order(&call->run.p->transcription));
  return CLI_DONE;
}

bool cli_starts_are_wanted(const cli_starts *w, const cli_solve *own) {
  if (w->found.searches) return false;
  if (w->asked) return w->set.options.starts.count > 1;
  return own->solution->first && cli_solve_is_done(own) && own->solution->info.guesses > 1;
}

// -- the search

// show the best objective that the plant follows, if it improves; an optimum that it does not
// follow may still be the best on a finer grid
static void watch_searches(void *user, const oc_multistart *so_far) {
  cli_starts *w = user;
  const cli_call *call = w->call;
  if (call->args->quiet) return;
  for (int i = 0; i < so_far->count && so_far->optimum[i].objective < w->best; i++) {
    // whether the plant follows an optimum on this grid
    const oc_optimum *o = &so_far->optimum[i];
    char said[8];
    cli_following plant = {0};
    cli_call look = *call;
    look.run.x = o->motion;
    cli_hush(said, sizeof said);
    const bool known = !o->aliased && cli_follow(&look, &plant) == CLI_DONE;
    const bool fine = known && cli_find_coarseness(&look, &plant).kind == CLI_FINE;
    cli_following_free(&plant);
    cli_hush(NULL, 0);
    if (fine) w->best = so_far->optimum[i].objective;
  }
  if (isfinite(w->best))
    cli_progress_show(&w->progress, CLI_UNKNOWN, "%s: %d searches, best objective %.6g",
                      call->run.p->file.name, so_far->searches, w->best);
  else
    cli_progress_show(&w->progress, CLI_UNKNOWN,
                      "%s: %d searches, no motion that the plant follows in %d steps",
                      call->run.p->file.name, so_far->searches, call->run.p->task.N);
}

int cli_starts_search(cli_starts *w, const cli_solve *own) {
  static const int turns[] = {0};
  cli_call *call = w->call;
  oc_setup *set = &w->set;

  // The solution of the problem's own guess is the first optimum. By default other searches may cost
  // as much as it did.
  const oc_nlp *nlp = own->solution->nlp;
  const double entries = (double)nlp->jac_nnz + nlp->hess_nnz;
  if (!w->asked) {
    w->set.options.starts.count = OC_SEARCHES_AUTO;
    w->set.options.starts.work = fmax(entries * own->solution->info.spent, OC_WORK_SECOND);
  }
  if (cli_solve_is_done(own))
    w->own = (oc_known){.solution = own->solution, .motion = w->call->run.x};

  set->options.max_time = cli_call_time_left(call);

  // new goals replace the file's by coordinate names
  if (call->run.p->names.n >= GOAL_KEYS) {
    set->options.starts.turns = turns;
    set->options.starts.nturns = 1;
  }

  // start with the guess of the file or of --from; without a solution an interrupt loses nothing
  dm_trajectory *guess = NULL;
  bool same;
  int status = cli_guess(call, &guess, &same);
  if (!w->own.solution) cli_interrupt_worth(CLI_NOTHING);
  set->guess = guess;
  set->hooks = (oc_hooks){.stop = cli_interrupt_asked, .found = watch_searches, .user = w};
  dm_status s = DM_OK;
  if (status == CLI_DONE)
    s = oc_multistart_run(&w->found, &call->run.p->task, call->run.p->model, set,
                          w->own.solution ? &w->own : NULL, &call->msg);
  cli_progress_end(&w->progress);
  dm_trajectory_free(guess);
  if (s < 0) return cli_fail_status(call->args, s, &call->msg);

  // the current replacements of the file's values
  cli_json *now = cli_json_get_object(call->result, "replaced");
  if (now) json_object_deep_copy(now, &w->replaced, NULL);
  return status;
}

void cli_starts_free(cli_starts *w) {
  if (w->call) cli_starts_leave(w);
  oc_multistart_free(&w->found);
  json_object_put(w->replaced);
}

// -- selecting an optimum

// replacements of the file's values, including the goal of an optimum if it is moved by revolutions
static cli_json *list_goal(const cli_starts *w, const oc_optimum *o, bool *turned) {
  const pb_names *names = &w->call->run.p->names;
  cli_json *list = NULL;
  *turned = false;
  if (w->replaced) json_object_deep_copy(w->replaced, &list, NULL);
  if (!list) list = json_object_new_object();
  for (int i = 0; i < names->n; i++) *turned = *turned || o->turns[i] != 0;
  if (!*turned) return list;

  // an empty section, then each coordinate
  cli_json_text(list, "goal.q", "");
  for (int i = 0; i < names->n; i++) {
    char path[160], text[DM_DECIMAL];
    snprintf(path, sizeof path, "goal.q.%.140s", names->coord[i]);
    dm_decimal_put(o->goal[i], text);
    cli_json_text(list, path, isnan(o->goal[i]) ? "free" : text);
  }
  return list;
}

int cli_starts_take(cli_starts *w, int i) {
  cli_call *call = w->call;
  const oc_optimum *o = &w->found.optimum[i];
  bool turned;
  cli_json *values = list_goal(w, o, &turned);

  // read the file again if the goal differs from the run's
  if (turned || w->taken >= 0) {
    pb_replace list[CLI_REPLACED];
    pb_problem *p = NULL;
    dm_message msg = {""};
    const int n = cli_call_replaced(values, list);
    dm_status s = pb_problem_vary(&p, call->run.p->file.path, list, n, &msg);
    if (s != DM_OK) {
      json_object_put(values);
      return cli_fail_status(call->args, s, &msg);
    }
    pb_problem_free(call->run.p);
    call->run.p = p;
    cli_json_text(call->result, "inputs_sha256", p->file.sha256);
  }
  if (json_object_object_length(values) > 0)
    json_object_object_add(call->result, "replaced", values);
  else {
    json_object_object_del(call->result, "replaced");
    json_object_put(values);
  }

  // its motion and its multipliers
  w->taken = i;
  call->coarse = o->motion;
  call->warm = &o->point;
  call->run.p->task.every_speed = o->every_speed;
  return CLI_DONE;
}

void cli_starts_leave(cli_starts *w) {
  if (w->taken < 0) return;
  w->call->coarse = NULL;
  w->call->warm = NULL;
}

// -- equivalent goals

// "pole -1": joints whose goal differs from the file's by revolutions
static const char *name_turns(const pb_names *names, const oc_optimum *o, char text[200]) {
  size_t at = 0;
  text[0] = 0;
  for (int i = 0; i < names->n && at < 150; i++)
    if (o->turns[i])
      at += (size_t)snprintf(text + at, 200 - at, "%s%.40s %+d", at ? ", " : "", names->coord[i],
                             o->turns[i]);
  return text;
}

int cli_starts_hint(const cli_starts *w, double objective, int iterations) {
  cli_call *call = w->call;
  enum { MOST = 9, PATIENCE = 50 };
  static const double CHEAPER = 1e-3;
  const cli_args *args = call->args;
  oc_multistart found;
  oc_setup set = {.options = call->run.p->options, .hooks = {.stop = cli_interrupt_asked}};
  const bool asked = w->asked || w->found.searches || args->from || args->start;
  // not worthwhile if the time is limited
  if (isfinite(call->run.p->options.max_time)) return CLI_DONE;
  // a line alone finds no schedule
  if (call->run.p->task.system.contacts) return CLI_DONE;
  if (asked || args->silent || call->run.p->transcription.second || cli_interrupted())
    return CLI_DONE;
  if (oc_multistart_goals(&call->run.p->task, call->run.p->model) < 2) return CLI_DONE;

  // a line to each goal, with about as many iterations as the solution took
  set.options.starts.count = MOST;
  set.options.starts.only_lines = true;
  set.options.starts.turn = call->run.p->fine.turn;
  set.options.max_iter = 2 * iterations + PATIENCE;
  dm_status s =
      oc_multistart_run(&found, &call->run.p->task, call->run.p->model, &set, NULL, &call->msg);
  if (s < 0) return cli_fail_status(args, s, &call->msg);
  const oc_optimum *o = found.count ? &found.optimum[0] : NULL;
  char turns[200];
  if (o && !o->aliased && o->objective < objective - CHEAPER * (1 + fabs(objective))) {
    name_turns(&call->run.p->names, o, turns);
    cli_note(args,
             "warning: a motion that ends at the same place costs less, %.6g (%s%s); "
             "'starts: auto', or --starts auto, looks for the best",
             o->objective, turns, *turns ? " turn" : "without another turn");
  }
  oc_multistart_free(&found);
  return CLI_DONE;
}

// -- reporting

int cli_starts_report(const cli_starts *w) {
  cli_call *call = w->call;
  const oc_multistart *m = &w->found;
  if (m->searches == 0) return CLI_DONE;

  // result.json
  cli_json *o = cli_json_object(call->result, "starts");
  cli_json_int(o, "searches", m->searches);
  cli_json_int(o, "solved", m->solved);
  cli_json_int(o, "refined", m->refined);
  cli_json_int(o, "runs", m->runs);
  cli_json_int(o, "optima", m->count);
  cli_json_int(o, "goals", m->goals);
  cli_json_int(o, "coarse_steps", m->coarse_steps);
  cli_json_int(o, "seed", w->set.options.starts.seed);
  cli_json_bool(o, "enough", m->enough);
  cli_json_number(o, "unseen", m->unseen);
  cli_json_number(o, "better", m->better);
  cli_json_number(o, "time_s", m->total_s);
  if (w->taken < 0) {
    cli_note(call->args, "%s %d searches%s: the motion is that of the problem's own guess",
             cli_interrupted() ? "interrupted after" : "none of", m->searches,
             cli_interrupted() ? "" : " came to an optimum");
    return CLI_DONE;
  }

  // the selected optimum
  const oc_optimum *best = &m->optimum[w->taken];
  char turns[200];
  cli_json_int(o, "taken", w->taken + 1);
  cli_json_int(o, "returned", best->runs);
  cli_json *turned = cli_json_object(o, "turns");
  for (int i = 0; i < call->run.p->names.n; i++)
    cli_json_int(turned, call->run.p->names.coord[i], best->turns[i]);
  if (name_turns(&call->run.p->names, best, turns)[0]) cli_json_text(o, "~turns", turns);
  cli_tell_group(call->summary.file, "starts", o);

  // all optima
  FILE *f = cli_call_file(call, "optima.csv");
  if (!f) return CLI_INPUT;
  cli_optima_write(f, &call->run.p->names, m);
  return CLI_DONE;
}

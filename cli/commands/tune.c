#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/results/tries.h"
#include "cli/stages/alone.h"
#include "cli/stages/call.h"
#include "cli/stages/score.h"
#include "control/loop/evolution.h"
#include "control/loop/racing.h"
#include "problems/readers/task/tunables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A fraction 1/SCREEN of the levels is run for every child, the others for the better half. A gain
// counts if it exceeds this number of standard errors: without a real gain that happens in fewer
// than 5 of 100 cases.
enum { SCREEN = 4, WHY = 256 };
static const double doubt = 2;

// a controller to score: parameters, levels, and random draws
typedef struct trial_law {
  const double *x;
  const bool *skip; // [levels]; NULL: none
  bool fresh;       // noise and pushes from the seed after the file's
} trial_law;

// its outcome; followed by bool [levels]
typedef struct outcome {
  double score;  // NAN: some levels were skipped, or no score
  bool ran;      // it has levels
  int exit;      // exit status
  char why[WHY]; // why it has no score
} outcome;

typedef struct tuning {
  const cli_args *args;
  cli_call *call; // of the original file, for the summary
  pb_tunables *t;
  fb_evolution *search;
  fb_racing *race;
  cli_tries tries; // for the table next to the file
  cli_progress progress;
  double begun;         // s
  int levels, tried;    // levels of the score; children so far
  bool timed;           // the file's time limit ends the search
  bool checked;         // the gain was confirmed on fresh draws
  trial_law *law;       // [children] of the current generation
  char *results;        // [children x bytes]
  size_t bytes;         // of an outcome
  bool *skip, *others;  // [levels] not in the screening; in the screening
  bool *level;          // [children x levels] of a generation
  double *value, *zero; // [children]; [factors] the original file
  double *best;         // [factors] with the best score
  bool *was, *is;       // [levels] successes of the original file; of the best
  double before, score; // their scores
  double gain, error;   // on fresh draws, otherwise on those of the file
  double fresh_before, fresh_score;
} tuning;

static double find_elapsed(const tuning *w) {
  return cli_clock() - w->begun;
}

static outcome *get_outcome(const tuning *w, int i) {
  return (outcome *)(void *)(w->results + (size_t)i * w->bytes);
}

static bool *get_levels(outcome *o) {
  return (bool *)(o + 1);
}

// -- scoring

// replacements for the parameters of a controller; text holds them
static int replace_numbers(const tuning *w, const trial_law *law, pb_replace *list,
                           char (*text)[32]) {
  int n = 0;
  for (; n < w->t->n; n++)
    list[n] = (pb_replace){.path = w->t->number[n].path,
                           .text = pb_tunables_value(w->t, n, law->x, text[n])};
  if (!law->fresh) return n;
  snprintf(text[n], sizeof text[n], "%llu", (unsigned long long)w->call->run.p->verify.seed + 1);
  list[n] = (pb_replace){.path = "verify.seed", .text = text[n]};
  return n + 1;
}

static bool watch_levels(void *self, int done) {
  (void)self;
  (void)done;
  return !cli_interrupted();
}

// the score of the file with a controller's parameters, computed on any rank
static size_t score_numbers(void *self, int item, void *result) {
  tuning *w = self;
  const trial_law *law = &w->law[item];
  pb_replace list[CLI_TUNED + 1];
  char text[CLI_TUNED + 1][32], lost[256];
  cli_args args = *w->args;
  cli_call call;
  cli_score score;
  outcome *o = result;
  *o = (outcome){.score = NAN};
  memset(get_levels(o), 0, (size_t)w->levels * sizeof(bool));
  if (w->timed && find_elapsed(w) > w->t->time) return 0;

  // nothing is written or printed; errors belong to the controller
  args.out = NULL;
  args.replace = list;
  args.nreplace = replace_numbers(w, law, list, text);
  args.nowhere = args.silent = args.quiet = args.waits = true;
  args.json = false;
  cli_hush(o->why, sizeof o->why);
  int status = cli_call_open(&call, &args, true);
  if (status == CLI_DONE) status = cli_walk(&call, CLI_TO_GAINS);
  if (status == CLI_DONE) status = cli_score_check(&call);
  const dm_status s = status == CLI_DONE
                          ? cli_score_run(&score, &call, law->skip, watch_levels, w, lost)
                          : DM_STALLED;
  if (s == DM_NO_MEMORY) status = cli_fail_status(&args, s, NULL);

  // copy the result
  if (s == DM_OK) {
    o->score = score.score;
    o->ran = true;
    memcpy(get_levels(o), score.level, (size_t)w->levels * sizeof(bool));
    cli_score_free(&score);
  }
  o->exit = cli_call_close(&call, status);
  cli_hush(NULL, 0);
  cli_interrupt_worth(CLI_ALL);
  return cli_interrupted() ? 0 : w->bytes;
}

static void take_outcome(void *self, int item, int rank, const void *result, size_t size) {
  tuning *w = self;
  (void)rank;
  if (size == w->bytes) memcpy(get_outcome(w, item), result, size);
  if (!w->timed) return;
  cli_progress_show(&w->progress, find_elapsed(w) / w->t->time,
                    "tune: %d tried, %.0f of %.0f s, score %.3f (at first %.3f)", w->tried,
                    find_elapsed(w), w->t->time, w->score, w->before);
}

// score controllers on all processors or ranks; DM_INTERRUPTED: time limit or signal
static dm_status score_laws(tuning *w, int count) {
  char lost[256];
  const cli_share share = {.count = count,
                           .max_bytes = w->bytes,
                           .by_children = true,
                           .work = score_numbers,
                           .collect = take_outcome,
                           .self = w};
  dm_status s = cli_work_share(&share, lost);

  // all ranks continue with rank 0's results
  DM_TRY(cli_work_broadcast(&s, sizeof s));
  if (s == DM_OK) s = cli_work_broadcast(w->results, (size_t)count * w->bytes);
  return s;
}

// -- generations

// run levels of children with the parameters in `law` [count], and store them in their rows
static dm_status run_children(tuning *w, const int *child, int count, const bool *skip) {
  for (int i = 0; i < count; i++)
    w->law[i] =
        (trial_law){.x = w->search->y + (size_t)child[i] * (size_t)w->t->factors, .skip = skip};
  DM_TRY(score_laws(w, count));

  // no levels: -INFINITY
  for (int i = 0; i < count; i++) {
    outcome *o = get_outcome(w, i);
    bool *row = w->level + (size_t)child[i] * (size_t)w->levels;
    if (o->exit == CLI_FAULT) return DM_NO_MEMORY;
    if (!o->ran) w->value[child[i]] = -INFINITY;
    for (int l = 0; o->ran && l < w->levels; l++)
      if (!skip[l]) row[l] = get_levels(o)[l];
  }
  return DM_OK;
}

// judge a child for which all levels were run
static void judge_child(tuning *w, int child, double score) {
  const size_t factors = (size_t)w->t->factors;
  const bool *level = w->level + (size_t)child * (size_t)w->levels;
  w->value[child] = score;
  fb_racing_add(w->race, level);
  if (score <= w->score) return;
  w->score = score;
  memcpy(w->best, w->search->y + (size_t)child * factors, factors * sizeof *w->best);
  memcpy(w->is, level, (size_t)w->levels * sizeof *level);
}

// list the children of a generation with their outcomes; the first `whole` of `order` were run
// completely
static void list_generation(tuning *w, int count, const int *order, int whole) {
  for (int i = 0; i < count; i++) {
    const bool failed = !(w->value[i] > -INFINITY);
    const char *what = failed ? "failed" : "screened";
    cli_scored s = {.number = w->tried + i + 1,
                    .x = w->search->y + (size_t)i * (size_t)w->t->factors,
                    .score = NAN,
                    .fresh = NAN};
    for (int k = 0; !failed && k < whole; k++) {
      if (order[k] != i) continue;
      what = "whole";
      s.score = w->value[i];
    }
    cli_tries_add(&w->tries, what, s);
  }
}

// run children of the mean: screening levels first, then the others for the better half
static dm_status run_generation(tuning *w, int count) {
  const pb_verification *v = &w->call->run.p->verify;
  int order[64];
  fb_evolution_propose(w->search);
  fb_racing_pick(w->race, (w->levels + SCREEN - 1) / SCREEN, w->skip);
  for (int l = 0; l < w->levels; l++) w->others[l] = !w->skip[l];

  // the most informative levels; levels not run count as before
  for (int i = 0; i < w->search->children; i++) w->value[i] = i < count ? 0 : -INFINITY;
  for (int i = 0; i < count; i++) order[i] = i;
  DM_TRY(run_children(w, order, count, w->skip));
  for (int i = 0; i < count; i++) {
    if (!(w->value[i] > -INFINITY)) continue;
    fb_racing_expect(w->race, w->skip, w->level + (size_t)i * (size_t)w->levels);
    w->value[i] = fb_criteria_mean(v->criteria, v->ncriteria, w->race->chance) - 1;
  }

  // sort children by value, best first, without those without a value
  int better = 0;
  for (int i = 0; i < count; i++) {
    if (!(w->value[i] > -INFINITY)) continue;
    int at = better++;
    for (; at > 0 && w->value[order[at - 1]] < w->value[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }

  if (better > (count + 1) / 2) better = (count + 1) / 2;
  DM_TRY(run_children(w, order, better, w->others));
  for (int i = 0; i < better; i++) {
    const bool *level = w->level + (size_t)order[i] * (size_t)w->levels;
    for (int l = 0; l < w->levels; l++) w->race->chance[l] = level[l];
    if (w->value[order[i]] > -INFINITY)
      judge_child(w, order[i], fb_criteria_mean(v->criteria, v->ncriteria, w->race->chance));
  }
  list_generation(w, count, order, better);
  w->tried += count;
  fb_evolution_tell(w->search, w->value);
  return DM_OK;
}

// whether to continue, as decided by rank 0
static bool goes_on(tuning *w) {
  bool on = w->tried < w->t->tries && find_elapsed(w) < w->t->time && !cli_interrupted();
  return cli_work_broadcast(&on, sizeof on) == DM_OK && on;
}

// -- search

static int score_file(tuning *w) {
  w->law[0] = (trial_law){.x = w->zero};
  dm_status s = score_laws(w, 1);
  outcome *o = get_outcome(w, 0);
  if (s == DM_NO_MEMORY) return cli_fail(w->args, CLI_FAULT, "out of memory");
  if (s != DM_OK) return cli_fail(w->args, CLI_OUTCOME, "interrupted: nothing was tuned");
  if (!o->ran)
    return cli_fail(w->args, o->exit > CLI_OUTCOME ? o->exit : CLI_OUTCOME,
                    "the file as it is has no score to begin from%s%s", o->why[0] ? ": " : "",
                    o->why);
  w->before = w->score = o->score;
  memcpy(w->was, get_levels(o), (size_t)w->levels * sizeof(bool));
  memcpy(w->is, w->was, (size_t)w->levels * sizeof(bool));
  fb_racing_add(w->race, w->was);
  return CLI_DONE;
}

// run generations until the trials or the time are used up; keep the best so far
static dm_status search_numbers(tuning *w) {
  dm_status s = DM_OK;
  cli_interrupt_worth(CLI_ALL);
  w->timed = true;
  while (s == DM_OK && goes_on(w)) {
    const double best = w->score;
    const int left = w->t->tries - w->tried;
    const int count = left < w->search->children ? left : w->search->children;
    s = run_generation(w, count);
    if (s != DM_OK || w->score <= best || cli_work_this() > 0) continue;
    cli_progress_end(&w->progress);
    cli_note(w->args, "tune: score %.3f after %d tries", w->score, w->tried);
  }
  cli_progress_end(&w->progress);
  w->timed = false;
  return s < 0 ? s : DM_OK; // a time limit or a signal is a regular end
}

// compare the best, or the mean of the last generation if better, with the original file on fresh
// draws
static void check_gain(tuning *w) {
  const pb_verification *v = &w->call->run.p->verify;
  const size_t all = (size_t)w->levels * sizeof(bool);
  const int rows = v->ncriteria;
  w->law[0] = (trial_law){.x = w->zero, .fresh = true};
  w->law[1] = (trial_law){.x = w->best, .fresh = true};
  w->law[2] = (trial_law){.x = w->search->x};
  w->law[3] = (trial_law){.x = w->search->x, .fresh = true};
  w->gain = fb_criteria_gain(v->criteria, rows, w->was, w->is, &w->error);
  if (cli_interrupted() || score_laws(w, 4) != DM_OK) return;
  outcome *file = get_outcome(w, 0), *best = get_outcome(w, 1), *mean = get_outcome(w, 2);
  outcome *again = get_outcome(w, 3);
  if (!file->ran || !best->ran) return;

  // by both sets of draws
  const bool whole = mean->ran && again->ran;
  const cli_scored of_mean = {.number = w->tried,
                              .x = w->search->x,
                              .score = whole ? mean->score : NAN,
                              .fresh = whole ? again->score : NAN};
  cli_tries_add(&w->tries, whole ? "mean" : "failed", of_mean);
  if (whole && mean->score > w->before && mean->score + again->score > w->score + best->score) {
    w->score = mean->score;
    memcpy(w->best, w->search->x, (size_t)w->t->factors * sizeof *w->best);
    memcpy(w->is, get_levels(mean), all);
    best = again;
  }
  w->checked = true;
  w->fresh_before = file->score;
  w->fresh_score = best->score;
  w->gain = fb_criteria_gain(v->criteria, rows, get_levels(file), get_levels(best), &w->error);
}

// -- reporting

// a path without the suffix of problem files, followed by a tail; to be freed
static char *replace_suffix(const char *path, const char *tail) {
  static const char *const suffix[] = {".yaml", ".yml"};
  size_t stem = strlen(path);
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
    const size_t length = strlen(suffix[i]);
    if (stem <= length || strcmp(path + stem - length, suffix[i]) != 0) continue;
    stem -= length;
    break;
  }

  // stem and tail
  const size_t size = stem + strlen(tail) + 1;
  char *other = malloc(size);
  if (other) snprintf(other, size, "%.*s%s", (int)stem, path, tail);
  return other;
}

// `dir/NAME.yaml` -> `dir/NAME-tuned.yaml`, to be freed
static char *name_tuned_file(const cli_args *args) {
  return args->out ? strdup(args->out) : replace_suffix(args->operand, "-tuned.yaml");
}

static int put_tries(const void *self, FILE *f) {
  const tuning *w = self;
  const double fresh = w->checked ? w->fresh_score : NAN;
  const cli_scored file = {
      .x = w->zero, .score = w->before, .fresh = w->checked ? w->fresh_before : NAN};
  const cli_scored taken = {w->tried, w->best, w->score, fresh};
  const dm_status wrote = cli_tries_write(&w->tries, f, file, taken);
  return wrote == DM_OK ? CLI_DONE : cli_fail_status(w->args, wrote, NULL);
}

// write the table of trials next to the file
static int write_tries(tuning *w, const char *tuned) {
  char *path = replace_suffix(tuned, "-tries.csv");
  if (!path) return cli_fail(w->args, CLI_FAULT, "out of memory");
  const int status = cli_alone_write(w->args, path, put_tries, w);
  if (status == CLI_DONE) {
    cli_tell_path(w->call, "tries", path);
    cli_json_text(w->call->result, "tries", path);
  }
  free(path);
  return status;
}

static int write_tuned_file(const void *self, FILE *f) {
  const tuning *w = self;
  pb_tunables_write(w->t, w->best, f);
  return CLI_DONE;
}

static int place_tuned_file(tuning *w) {
  char *path = name_tuned_file(w->args);
  if (!path) return cli_fail(w->args, CLI_FAULT, "out of memory");
  int status = cli_alone_write(w->args, path, write_tuned_file, w);
  if (status == CLI_DONE) cli_tell_path(w->call, "written", path);
  if (status == CLI_DONE) status = write_tries(w, path);
  free(path);
  return status;
}

// keep the file's own numbers if the gain may be luck; returns whether
static bool keep_file(tuning *w) {
  const bool gained = w->score > w->before && w->gain > doubt * w->error;
  if (gained) return false;
  w->score = w->before;
  if (w->checked) w->fresh_score = w->fresh_before;
  memcpy(w->best, w->zero, (size_t)w->t->factors * sizeof *w->best);
  return true;
}

static void tell_gain(tuning *w, double found, bool kept) {
  cli_call *call = w->call;
  cli_tell(call, "tuned", "score %.3f, at first %.3f, after %d tries, %.0f s", w->score, w->before,
           w->tried, find_elapsed(w));
  if (w->checked)
    cli_tell(call, "", "on fresh draws %.3f, at first %.3f", w->fresh_score, w->fresh_before);
  cli_tell(call, "", "%sgain %.3f, standard error %.3f over %d levels%s",
           kept && found > w->before ? "found a " : "", w->gain, w->error, w->levels,
           w->checked ? " on fresh draws" : "");
  if (kept)
    cli_tell(call, "", "the file's own numbers are kept: nothing was %g standard errors better",
             doubt);
}

static dm_status open_tuning(tuning *w) {
  const pb_verification *v = &w->call->run.p->verify;
  const dm_model *m = w->call->run.p->model;
  DM_TRY(pb_tunables_read(&w->t, w->args->operand, &w->call->msg));
  pb_tunables_limit(w->t, m->input_name, m->nu, m->u_min, m->u_max);
  DM_TRY(fb_evolution_new(&w->search, w->t->factors, w->t->seed, w->t->step));
  for (int i = 0; i < v->ncriteria; i++) w->levels += v->criteria[i].levels;
  DM_TRY(fb_racing_new(&w->race, w->levels));
  DM_TRY(cli_tries_open(&w->tries, w->t));

  // size of an outcome, and rows for all children
  const size_t levels = (size_t)w->levels, children = (size_t)w->search->children;
  w->bytes = (sizeof(outcome) + levels * sizeof(bool) + 7) / 8 * 8;
  w->law = calloc(children, sizeof *w->law);
  w->results = calloc(children, w->bytes);
  w->skip = calloc((children + 4) * levels, sizeof *w->skip);
  w->value = calloc(children + 2 * (size_t)w->t->factors, sizeof *w->value);
  if (!w->law || !w->results || !w->skip || !w->value) return DM_NO_MEMORY;
  w->others = w->skip + levels;
  w->was = w->others + levels;
  w->is = w->was + levels;
  w->level = w->is + levels;
  w->zero = w->value + children;
  w->best = w->zero + w->t->factors;
  return DM_OK;
}

static int tune_job(tuning *w) {
  const pb_problem *p = w->call->run.p;
  if (!p->has.feedback || !p->verify.ncriteria)
    return cli_fail(
        w->args, CLI_INPUT,
        "%s: found no verify.criteria to tune by, expected rows (docs/problem-format.md)",
        p->file.path);
  dm_status s = open_tuning(w);
  if (s != DM_OK) return cli_fail_status(w->args, s, &w->call->msg);
  int status = score_file(w);
  if (status != CLI_DONE) return status;
  s = search_numbers(w);
  if (s != DM_OK) return cli_fail_status(w->args, s, NULL);
  check_gain(w);

  // report the gain and the parameters
  cli_call *call = w->call;
  char text[32];
  const double found = w->score;
  const bool kept = keep_file(w);
  tell_gain(w, found, kept);
  cli_json *o = cli_json_object(call->result, "tuned");
  cli_json_number(o, "before", w->before);
  cli_json_number(o, "score", w->score);
  if (w->checked) cli_json_number(o, "fresh_before", w->fresh_before);
  if (w->checked) cli_json_number(o, "fresh_score", w->fresh_score);
  cli_json_number(o, "gain", w->gain);
  cli_json_number(o, "gain_error", w->error);
  cli_json_int(o, "levels", w->levels);
  cli_json_int(o, "tries", w->tried);
  cli_json_int(o, "seed", (long long)w->t->seed);
  json_object_object_add(o, "kept", json_object_new_boolean(kept));

  // the parameters, and motor limits that bounded them
  cli_json *values = cli_json_object(o, "values");
  for (int i = 0; i < w->t->n; i++) {
    const pb_tunable *n = &w->t->number[i];
    const bool limited = pb_tunables_limited(w->t, i, w->best);
    cli_json_text(values, n->path, pb_tunables_value(w->t, i, w->best, text));
    cli_tell(call, "", "%-28s %10s (was %s%s)", n->path, text, n->written,
             limited ? "; the motor gives no more" : "");
  }

  return cli_work_this() == 0 ? place_tuned_file(w) : CLI_DONE;
}

static int tune_problem(const cli_args *args) {
  cli_call call;
  tuning w = {.args = args, .call = &call, .progress = cli_progress_of(args), .begun = cli_clock()};
  int status = cli_call_open(&call, args, false);
  if (status == CLI_DONE && call.place.stored)
    status =
        cli_fail(args, CLI_INPUT, "tune takes a problem file, but %s is a folder", args->operand);
  if (status == CLI_DONE) status = tune_job(&w);

  fb_evolution_free(w.search);
  fb_racing_free(w.race);
  cli_tries_close(&w.tries);
  pb_tunables_free(w.t);
  free(w.law);
  free(w.results);
  free(w.skip);
  free(w.value);

  return cli_call_close(&call, status);
}

const cli_command cli_command_tune = {
    .name = "tune",
    .what = "search weights, duration and headroom for the best score of verify.criteria",
    .usage = "PROBLEM [--threads K] [-o TUNED]",
    .run = tune_problem,
    .shares = true,
};

#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/answer.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/stages/call.h"
#include "cli/stages/grid.h"
#include "config.h"
#include "problems/readers/format/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY = 17 };

// the outcome of a case; -1, NAN: none
typedef struct outcome {
  char key[KEY]; // of all its inputs
  char status[24];
  int exit, iterations, held, samples, steps;
  double objective, time, turn; // largest rotation per step [rad]
  char joint[64];               // that rotates most
  char why[512];                // the last error
} outcome;

typedef struct sweep {
  const cli_args *args;
  cli_grid grid;
  char *dir;
  double spread;
  outcome *cases; // [grid.cases]
  bool *done;     // [grid.cases]
  FILE *journal;
  cli_progress progress;
  int there, made, unsolved; // cases done in earlier runs; in this run; without a solution
  int failed;                // worst exit status of failed cases; 0: none
  int told;                  // number of leading cases whose errors were reported
} sweep;

static const char journal_header[] =
    "key,status,objective,iterations,time,held,samples,steps,turn,joint";

// the arguments of one case, as those of a command
static cli_args make_case_args(const sweep *w, int i, pb_replace list[CLI_VARY]) {
  cli_args args = *w->args;
  args.start = cli_grid_case(&w->grid, i, list);
  args.replace = list;
  args.nreplace = w->grid.n;
  args.spread = w->spread;
  args.nowhere = !args.keep;                    // a result folder only with --keep
  args.below = true;                            // inside the sweep's folder
  args.silent = args.quiet = args.waits = true; // two processes may compute the same case
  args.json = false;
  return args;
}

// a key of the grid that is a design parameter of the file, so that its values would have no
// effect; or NULL
static const char *find_sought(const pb_design *d, const pb_replace *list, int n) {
  for (int i = 0; i < d->n; i++)
    for (int k = 0; k < d->places[i]; k++)
      for (int j = 0; j < n; j++)
        if (!strcmp(d->at[i][k].path, list[j].path)) return list[j].path;
  return NULL;
}

// read a case: check it and compute its key
static int read_case(sweep *w, int i, bool first) {
  pb_replace list[CLI_VARY];
  cli_args args = make_case_args(w, i, list);
  pb_problem *p = NULL;
  dm_message msg = {""};
  char name[256], text[192], digest[65];

  // the file with this case's values
  dm_status s = pb_problem_vary(&p, args.operand, list, w->grid.n, &msg);
  if (s != DM_OK)
    return cli_fail(w->args, cli_exit_of(s), "%s: %s", cli_grid_name(&w->grid, i, name), msg.text);
  int status = CLI_DONE;
  const char *sought = find_sought(&p->design, list, w->grid.n);

  if (sought)
    status = cli_fail(w->args, CLI_INPUT,
                      "--vary: found %s, a number that %s leaves open (design), expected another: "
                      "each case would seek it anew",
                      sought, p->file.path);
  else if (p->phases.n)
    status = cli_fail(w->args, CLI_INPUT,
                      "%s has phases, and sweep is of one motion: expected a file without 'phases'",
                      p->file.path);
  else if (!args.whole && !p->has.task)
    status = cli_fail(w->args, CLI_INPUT,
                      "%s has no goal and no cost: found nothing to optimize; --run simulates it",
                      p->file.path);

  // the first case provides the folder's name and the warnings
  if (status == CLI_DONE && first) {
    char folder[256];
    snprintf(folder, sizeof folder, "%.200s-sweep", p->file.name);
    w->dir = args.out ? strdup(args.out) : cli_join("results", folder);
    if (!w->dir) status = cli_fail(w->args, CLI_FAULT, "out of memory");
    cli_note_warnings(w->args, &p->warnings);
  }

  // the first 16 digits of the SHA-256 of the following
  pb_sha256 sha;
  pb_sha256_init(&sha);
  const double spread = args.start ? w->spread : 0; // start 0 is the unperturbed guess
  int n = snprintf(text, sizeof text, "%s %s %s %d %.17g", p->file.sha256, DMOC_VERSION,
                   args.whole ? "run" : "optimize", args.start, spread);
  pb_sha256_add(&sha, text, (size_t)n);
  pb_sha256_text(&sha, digest);
  memcpy(w->cases[i].key, digest, KEY - 1);
  pb_problem_free(p);
  return status;
}

static int compare_keys(const void *a, const void *b) {
  return strcmp((*(const outcome *const *)a)->key, (*(const outcome *const *)b)->key);
}

// parse a line of the journal; returns false if it is incomplete
static bool read_entry(const char *line, outcome *o) {
  int used = 0;
  o->joint[0] = 0;
  // joint is the rest of the line, located by %n
  int n = sscanf(line, "%16[0-9a-f],%23[a-z_],%lf,%d,%lf,%d,%d,%d,%lf,%n", o->key, o->status,
                 &o->objective, &o->iterations, &o->time, &o->held, &o->samples, &o->steps,
                 &o->turn, &used);

  // nine fields, and a complete key
  if (n != 9 || !used || strlen(o->key) != KEY - 1) return false;

  // the name of a joint, or nothing
  size_t length = strcspn(line + used, "\n");
  if (line[used + length] != '\n' || length >= sizeof o->joint) return false;
  memcpy(o->joint, line + used, length);
  o->joint[length] = 0;
  return true;
}

static bool is_kept(const sweep *w, const char *key) {
  char path[CLI_PATH];
  snprintf(path, sizeof path, "%s/%s/result.json", w->dir, key);
  return !w->args->keep || access(path, F_OK) == 0;
}

// read finished cases from the journal; *torn: its last line has no newline
static int read_journal(sweep *w, bool *torn) {
  size_t cases = (size_t)w->grid.cases, line_size = 0;
  char *line = NULL;
  outcome **sorted = calloc(cases, sizeof *sorted);
  outcome o = {0};
  outcome *key = &o;
  for (size_t i = 0; sorted && i < cases; i++) sorted[i] = &w->cases[i];
  if (sorted) qsort(sorted, cases, sizeof *sorted, compare_keys);

  // a line counts if the grid has its key and, with --keep, its folder exists
  for (ssize_t n; sorted && (n = getline(&line, &line_size, w->journal)) > 0;) {
    *torn = line[n - 1] != '\n';
    if (!read_entry(line, &o)) continue;
    outcome **found = bsearch(&key, sorted, cases, sizeof *sorted, compare_keys);
    // a case whose folder was removed is computed again
    if (!found || !is_kept(w, o.key)) continue;
    **found = o;
    w->done[*found - w->cases] = true;
  }
  free(line);

  // other cases are computed
  int status = sorted ? CLI_DONE : cli_fail(w->args, CLI_FAULT, "out of memory");
  free(sorted);
  return status;
}

static double get_number(cli_json *o, const char *key) {
  cli_json *x = NULL;
  return o && json_object_object_get_ex(o, key, &x) && x ? json_object_get_double(x) : NAN;
}

// steps and largest rotation of a motion; includes the time on coarser grids
static void read_grid(const cli_json *result, outcome *o) {
  // number of steps, and the joint with the largest rotation in one of them
  cli_json *turn = cli_json_get_object(result, "largest_turn");
  cli_json *refined = cli_json_get_object(result, "refined");
  const char *joint = cli_json_get_text(turn, "joint");
  double before = get_number(refined, "time_s"); // on discarded grids
  o->steps = cli_json_get_int(result, "steps", -1);
  o->turn = get_number(turn, "rad");
  snprintf(o->joint, sizeof o->joint, "%s", joint ? joint : "");

  // replace characters that are special in the journal
  for (char *c = o->joint; *c; c++)
    if (strchr(",\"\n", *c)) *c = '_';

  if (isfinite(before)) o->time += before;
}

// run a case on any rank
static size_t run_case(void *self, int i, void *result) {
  sweep *w = self;
  pb_replace list[CLI_VARY];
  cli_args args = make_case_args(w, i, list);
  outcome *o = result;
  *o = w->cases[i];

  // in its own folder, which exists only with --keep; errors are stored in the case
  char folder[CLI_PATH];
  snprintf(folder, sizeof folder, "%s/%s", w->dir, o->key);
  args.out = folder;
  cli_hush(o->why, sizeof o->why);

  // 1  run the case's command
  cli_call call;
  double begun = cli_clock();
  o->exit = cli_call_open(&call, &args, true);
  if (o->exit == CLI_DONE)
    o->exit = args.whole ? cli_run(&call, CLI_TO_VERIFY) : cli_optimize(&call);
  cli_json *time = NULL;
  cli_json *verify = NULL;
  json_object_object_get_ex(call.result, "time", &time);
  json_object_object_get_ex(call.result, "verify", &verify);

  // 2  its figures from result.json
  const char *status = cli_json_get_text(call.result, "status");
  const bool failed = o->exit == CLI_INPUT || o->exit == CLI_FAULT;
  if (!status) status = "done";
  snprintf(o->status, sizeof o->status, "%s", failed ? "failed" : status);
  o->objective = get_number(call.result, "objective");
  o->iterations = cli_json_get_int(call.result, "iterations", -1);
  o->time = get_number(time, "total_s");
  o->held = cli_json_get_int(verify, "held", -1);
  o->samples = cli_json_get_int(verify, "samples", -1);
  read_grid(call.result, o);

  // 3  after an interrupt the case is computed another time
  if (cli_interrupted()) {
    // no files of an unfinished case
    cli_folder_discard(&call.place.out);
    call.place.out.dir[0] = 0;
  }
  o->exit = cli_call_close(&call, o->exit);
  cli_hush(NULL, 0);
  // cases that failed early have no total_s
  if (isnan(o->time)) o->time = cli_clock() - begun;
  return cli_interrupted() ? 0 : sizeof *o;
}

// report the errors of cases by name and in order: of those before the first unfinished case, or
// all at the end
static void tell_errors(sweep *w, bool all) {
  char name[256];
  for (; w->told < w->grid.cases && (all || w->done[w->told]); w->told++) {
    const outcome *o = &w->cases[w->told];
    if (!w->done[w->told] || o->exit == CLI_DONE || !o->why[0]) continue;
    cli_progress_end(&w->progress);
    cli_note(w->args, "%s: %s", cli_grid_name(&w->grid, w->told, name), o->why);
  }
}

static void take_case(void *self, int i, int rank, const void *result, size_t size) {
  sweep *w = self;
  const outcome *o = result;
  (void)rank;

  // ignore the outcome of another build
  if (size != sizeof *o) return;
  w->cases[i] = *o;
  w->done[i] = true;

  tell_errors(w, false);

  // failures are not recorded, because they may be temporary
  if (o->exit == CLI_INPUT || o->exit == CLI_FAULT) {
    if (o->exit > w->failed) w->failed = o->exit;
    return;
  }

  // append a line; if interrupted, only the last line can be incomplete
  w->made++;
  fprintf(w->journal, "%s,%s,%.17g,%d,%.17g,%d,%d,%d,%.17g,%s\n", o->key, o->status, o->objective,
          o->iterations, o->time, o->held, o->samples, o->steps, o->turn, o->joint);
  fflush(w->journal);
  cli_progress_show(&w->progress, (double)w->made / (w->grid.cases - w->there),
                    "sweep: %d of %d cases", w->there + w->made, w->grid.cases);
}

static void put_figure(FILE *f, double x) {
  fprintf(f, isfinite(x) ? ",%.17g" : ",", x);
}

static void put_count(FILE *f, int n) {
  fprintf(f, n < 0 ? "," : ",%d", n);
}

// order of statuses: followed solutions, coarse ones, then others; ties by objective
static int rank_status(const outcome *o) {
  if (cli_is_solution(o->status)) return 0;
  return strcmp(o->status, "coarse") ? 2 : 1;
}

static int compare_worth(const void *a, const void *b) {
  const outcome *x = *(const outcome *const *)a, *y = *(const outcome *const *)b;

  // by status
  if (rank_status(x) != rank_status(y)) return rank_status(x) - rank_status(y);

  // then by objective; unknown ones last
  bool known = isfinite(x->objective) && isfinite(y->objective);
  if (!known) return isfinite(y->objective) - isfinite(x->objective);
  return (x->objective > y->objective) - (x->objective < y->objective);
}

// the rank of each finished case, from 1; returns false if out of memory
static bool rank_cases(const sweep *w, int *rank) {
  const outcome **sorted = calloc((size_t)w->grid.cases, sizeof *sorted);
  int n = 0;
  if (!sorted) return false;
  for (int i = 0; i < w->grid.cases; i++)
    if (w->done[i]) sorted[n++] = &w->cases[i];

  // best first
  qsort(sorted, (size_t)n, sizeof *sorted, compare_worth);
  // from 1, by case number
  for (int k = 0; k < n; k++) rank[sorted[k] - w->cases] = k + 1;
  free(sorted);
  return true;
}

// the summary on stdout, with the best case
static int report_sweep(sweep *w, const char *lost) {
  int best = -1, done = 0, coarse = 0;
  char name[256] = "", also[32] = "";

  // 1  counts, and the best solution
  for (int i = 0; i < w->grid.cases; i++) {
    const outcome *o = &w->cases[i];
    bool solved = w->done[i] && cli_is_solution(o->status);
    coarse += w->done[i] && rank_status(o) == 1;
    done += w->done[i];
    w->unsolved += w->done[i] && !solved;
    if (solved && isfinite(o->objective) && (best < 0 || o->objective < w->cases[best].objective))
      best = i;
  }

  // 2  as JSON
  cli_json *o = json_object_new_object();
  cli_json_text(o, "status", done < w->grid.cases ? "partial" : "done");
  cli_json_int(o, "cases", w->grid.cases);
  cli_json_int(o, "done", done);
  cli_json_int(o, "computed", w->made);
  cli_json_int(o, "solved", done - w->unsolved);
  cli_json_int(o, "coarse", coarse);
  cli_json_text(o, "folder", w->dir);
  if (best >= 0) {
    cli_json *b = cli_json_object(o, "best");
    cli_json_int(b, "case", best);
    cli_json_number(b, "objective", w->cases[best].objective);
    cli_json_text(b, "key", w->cases[best].key);
    cli_grid_name(&w->grid, best, name);
  }

  // 3  or as a summary
  if (w->args->json) {
    cli_answer_set(o);
  } else {
    if (coarse) snprintf(also, sizeof also, ", %d coarse", coarse);
    printf("  cases         %d of %d, %d solved%s; %d computed now\n", done, w->grid.cases,
           done - w->unsolved, also, w->made);
    if (best >= 0) printf("  least         %.10g, %s\n", w->cases[best].objective, name);
    char written[CLI_PATH + 20];
    snprintf(written, sizeof written, "  written       %s\n", w->dir);
    if (done) cli_show(written);
  }
  json_object_put(o);

  // 4  lost ranks, and whether to run the sweep again
  if (lost[0]) cli_error("%s", lost);
  if (done < w->grid.cases)
    cli_error("%sended early: %d of %d cases are done; the same command again continues",
              cli_interrupted() ? "interrupted, " : "", done, w->grid.cases);
  else if (done == w->unsolved)
    cli_error("none of %d case%s has a solution", done, done == 1 ? "" : "s");
  if (w->failed) return w->failed;
  return done == w->grid.cases && done > w->unsolved ? CLI_DONE : CLI_OUTCOME;
}

// open the journal with a lock that ends with this process
static int open_journal(sweep *w, cli_folder *folder) {
  dm_message msg;
  w->journal = cli_folder_journal(folder, "finished.csv", &msg);
  int status = w->journal ? CLI_DONE : cli_fail_status(w->args, DM_IO, &msg);

  // a process lock
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (w->journal && fcntl(fileno(w->journal), F_SETLK, &lock) != 0 &&
      (errno == EACCES || errno == EAGAIN))
    status = cli_fail(w->args, CLI_INPUT,
                      "another sweep is at work in %s: wait for its end, or write elsewhere (-o)",
                      w->dir);
  return status;
}

// rank 0 also has the folder, the journal, and the table
static int begin_sweep(sweep *w, cli_folder *folder) {
  dm_message msg;
  bool torn = false;

  // the folder, its journal, and a claim on the table
  dm_status s = cli_folder_make(folder, w->dir, false, &msg);
  if (s != DM_OK) return cli_fail_status(w->args, s, &msg);
  int status = open_journal(w, folder);
  if (status == CLI_DONE && (s = cli_folder_claim(folder, "sweep.csv", false, &msg)) != DM_OK)
    status = cli_fail_status(w->args, s, &msg);

  // earlier results; terminate an incomplete line
  if (status == CLI_DONE) status = read_journal(w, &torn);
  if (status != CLI_DONE) return status;
  fseek(w->journal, 0, SEEK_END);
  if (torn) fputc('\n', w->journal);
  if (ftell(w->journal) == 0) fprintf(w->journal, "%s\n", journal_header);
  for (int i = 0; i < w->grid.cases; i++) w->there += w->done[i];
  return CLI_DONE;
}

static int end_sweep(sweep *w, cli_folder *folder, const char *lost) {
  dm_message msg;
  if (w->there + w->made == 0) return report_sweep(w, lost); // an empty table replaces nothing

  // the rank of each case
  int *rank = calloc((size_t)w->grid.cases, sizeof *rank);
  if (!rank || !rank_cases(w, rank)) {
    free(rank);
    return cli_fail(w->args, CLI_FAULT, "out of memory");
  }

  // write the table atomically, if the journal is complete
  FILE *f = cli_folder_file(folder, "sweep.csv", &msg);
  if (f) {
    pb_replace list[CLI_VARY];
    fprintf(f, "case");
    for (int a = 0; a < w->grid.n; a++) cli_put_name(f, ",", w->grid.axis[a].key);
    fprintf(f, ",start,status,objective,iterations,time,held,samples,key,steps,turn,joint,rank\n");

    // per finished case: its values, outcome and rank
    for (int i = 0; i < w->grid.cases; i++) {
      const outcome *o = &w->cases[i];
      if (!w->done[i]) continue;
      int start = cli_grid_case(&w->grid, i, list);
      fprintf(f, "%d", i);
      for (int a = 0; a < w->grid.n; a++) cli_put_name(f, ",", list[a].text);
      fprintf(f, ",%d,%s", start, o->status);
      put_figure(f, o->objective);
      put_count(f, o->iterations);
      put_figure(f, o->time);
      put_count(f, o->held);
      put_count(f, o->samples);
      fprintf(f, ",%s", o->key);
      put_count(f, o->steps);
      put_figure(f, o->turn);
      cli_put_name(f, ",", o->joint);
      fprintf(f, ",%d\n", rank[i]);
    }
  }
  free(rank);
  dm_status s = f ? cli_folder_commit(folder, NULL, &msg) : DM_IO;
  if (s == DM_OK && (ferror(w->journal) || fflush(w->journal) != 0))
    s = dm_fail(&msg, DM_IO, "%s/finished.csv cannot be written", w->dir);
  return s == DM_OK ? report_sweep(w, lost) : cli_fail_status(w->args, s, &msg);
}

static int run_sweep(sweep *w) {
  bool leads = cli_work_this() == 0;
  cli_folder folder = {0};
  char lost[256] = "";
  w->progress = cli_progress_of(w->args);

  // 1  read all cases, so that errors are found before computing
  for (int i = 0; i < w->grid.cases; i++) {
    int status = read_case(w, i, i == 0);
    if (status != CLI_DONE) return status;
    cli_progress_show(&w->progress, (i + 1.0) / w->grid.cases, "sweep: %d of %d cases read", i + 1,
                      w->grid.cases);
  }

  // 2  rank 0 reads finished cases from the journal
  int status = leads ? begin_sweep(w, &folder) : CLI_DONE;
  if (status == CLI_DONE) {
    cli_interrupt_worth(CLI_BRIEF); // finished cases are in the journal
    size_t cases = (size_t)w->grid.cases;
    bool *skip = w->grid.cases > 0 ? calloc(cases, sizeof *skip) : NULL;
    if (skip) memcpy(skip, w->done, (size_t)w->grid.cases);
    uint64_t digest = 0;

    // the digest of all keys identifies the sweep to other ranks
    for (int i = 0; i < w->grid.cases; i++) digest = cli_work_digest(digest, w->cases[i].key, KEY);
    const cli_share share = {.count = w->grid.cases,
                             .max_bytes = sizeof(outcome),
                             .digest = digest,
                             .skip = skip,
                             .by_children = true,
                             .work = run_case,
                             .collect = take_case,
                             .self = w};
    dm_status s = skip ? cli_work_share(&share, lost) : DM_NO_MEMORY;
    free(skip);
    cli_progress_end(&w->progress);
    if (leads) tell_errors(w, true);
    if (s == DM_NO_MEMORY) status = cli_fail(w->args, CLI_FAULT, "out of memory");

    // 3  the table of finished cases
    cli_interrupt_worth(CLI_ALL);
    if (leads && status == CLI_DONE) status = end_sweep(w, &folder, lost);
  }
  if (w->journal) fclose(w->journal);
  if (leads) cli_folder_discard(&folder);
  return status;
}

static int sweep_problem(const cli_args *args) {
  sweep w = {.args = args, .spread = 0.5};
  struct stat st;

  // a sweep needs a file to vary
  if (stat(args->operand, &st) == 0 && S_ISDIR(st.st_mode))
    return cli_fail(args, CLI_INPUT, "sweep takes a problem file, but %s is a folder",
                    args->operand);

  // spread of perturbed guesses
  if (args->wander > 0) w.spread = args->wander;

  // the cases
  int status = cli_grid_read(&w.grid, args);
  if (status == CLI_DONE && w.grid.n == 0 && w.grid.starts == 1)
    status = cli_fail(args, CLI_INPUT, "a sweep needs --vary KEY=VALUES or --starts N");
  if (status == CLI_DONE) {
    w.cases = calloc((size_t)w.grid.cases, sizeof *w.cases);
    w.done = calloc((size_t)w.grid.cases, sizeof *w.done);
    status = w.cases && w.done ? run_sweep(&w) : cli_fail(args, CLI_FAULT, "out of memory");
  }
  cli_grid_free(&w.grid);
  free(w.cases);
  free(w.done);
  free(w.dir);
  return status;
}

const cli_command cli_command_sweep = {
    .name = "sweep",
    .what =
        "a grid of problems, or many guesses, one row each; the same command again continues it",
    .usage = "PROBLEM [--vary KEY=VALUES] [--starts N] [--wander SIZE] [--run] [--keep] "
             "[--threads K] [-o DIR]",
    .run = sweep_problem,
    .shares = true,
};

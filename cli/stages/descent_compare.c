#include "cli/stages/descent_compare.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/workers.h"
#include "cli/results/compare.h"
#include "cli/results/registry.h"
#include "optim/ordered_jobs.h"
#include "optim/starts/seeded_guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { MOST_WORK = 20000, TAIL = 12, SPARE = 64, MOST_THREADS = 16 };
// factor of the work between rows of a history; success: above the lowest cost, of the goal
static const double THINNED = 1.1, NEAR = 0.01, MET = 1e-4;
static const double SLOWEST = 0.9; // factor of the slope per step of a tail

typedef struct run {
  int method, start, rows, room;
  dm_status status;
  double order;
  cli_compare_row *row; // [room]
  dm_trajectory *x;     // NULL: from the file
} run;

typedef struct comparison {
  cli_call *call;
  oc_options options;
  const dm_trajectory *guess;
  int method[OC_METHODS], nmethods, starts;
  run *runs; // [nmethods x starts], by start, then method; rows NULL: not done
  int next, count, reused;
  cli_progress progress;
} comparison;

typedef struct job {
  run *run;
  const comparison *w;
} job;

// -- one run

static cli_compare_status status_of(dm_status s) {
  switch (s) {
  case DM_OK:
    return CLI_COMPARE_SOLVED;
  case DM_MAX_ITER:
    return CLI_COMPARE_LIMIT;
  case DM_INFEASIBLE:
    return CLI_COMPARE_INFEASIBLE;
  case DM_STALLED:
    return CLI_COMPARE_STALLED;
  default:
    return CLI_COMPARE_FAILED;
  }
}

static long count_work(const oc_work *work) {
  long sum = 0;
  for (int i = 0; i < OC_WORK_KINDS; i++) sum += work->count[i];
  return sum;
}

static bool watch_run(void *user, const oc_iterate *it) {
  (void)user, (void)it;
  return !cli_interrupted();
}

// Can a descent begin at a guess: does its projection find a motion?
static bool can_begin(const comparison *w, const dm_trajectory *guess) {
  const oc_task *t = &w->call->run.p->task;
  oc_options options = w->options;
  oc_descent_row row[SPARE];
  oc_descent_info info = {0};
  dm_trajectory *x = NULL;
  options.max_iter = 0;
  options.descent.method = OC_STEEPEST;
  if (dm_trajectory_of(&x, t->N, &t->system) != DM_OK) return false;
  dm_trajectory_copy(x, guess);
  (void)oc_descend(t, &options, NULL, x, row, SPARE, &info, NULL);
  dm_trajectory_free(x);
  return info.rows > 0;
}

// the guess of a start, the same for all methods: the first kind that this task has and that can begin
static dm_status draw_start(const comparison *w, int start, dm_trajectory *x) {
  const oc_task *t = &w->call->run.p->task;
  dm_trajectory_copy(x, w->guess);
  if (start == 0) return DM_OK;
  const uint64_t seed = (uint64_t)w->options.starts.seed;
  for (int i = 0; i < OC_GUESS_COUNT; i++) {
    const oc_guess_kind *kind = &oc_guess_kinds[(start + i) % OC_GUESS_COUNT];
    if (kind->draw(t, seed, start, x) == DM_OK && can_begin(w, x)) return DM_OK;
  }
  dm_trajectory_copy(x, w->guess);
  return DM_OK;
}

// p in |slope_{k+1}| = c |slope_k|^p, the median over the tail of full steps; NAN: too short
static double fit_order(const oc_descent_row *row, int rows) {
  double order[TAIL];
  int n = 0;
  for (int k = rows - 2; k >= 2 && n < TAIL / 2; k--) {
    const double a = -row[k - 2].slope, b = -row[k - 1].slope, c = -row[k].slope;
    if (!(SLOWEST * a > b && SLOWEST * b > c && c > 0)) break; // short of rounding
    if (row[k - 1].step != 1 || row[k].step != 1) break;
    const double p = log(c / b) / log(b / a);
    int at = n++;
    for (; at > 0 && order[at - 1] > p; at--) order[at] = order[at - 1];
    order[at] = p;
  }
  return n ? order[n / 2] : NAN;
}

// the history: a row whenever the work has grown by a tenth, and the last ones
static void thin_history(run *r, const oc_descent_row *record, int rows) {
  double work = 0;
  for (int i = 0; i < rows; i++) {
    const oc_descent_row *from = &record[i];
    const double now = (double)count_work(&from->work);
    const bool last = i == rows - 1;
    if (i > 0 && !last && i < rows - TAIL && now < THINNED * work) continue;
    work = now;
    r->row[r->rows++] = (cli_compare_row){.method = r->method,
                                          .start = r->start,
                                          .iteration = from->iteration,
                                          .status = last ? status_of(r->status) : 0,
                                          .cost = from->cost,
                                          .goal = from->residual,
                                          .slope = from->slope,
                                          .work = from->work,
                                          .order = last ? r->order : NAN};
  }
}

// a run that failed to begin: one row without figures
static void note_failed_run(run *r) {
  r->row[r->rows++] = (cli_compare_row){.method = r->method,
                                        .start = r->start,
                                        .status = CLI_COMPARE_FAILED,
                                        .cost = NAN,
                                        .goal = NAN,
                                        .slope = NAN,
                                        .order = NAN};
}

static void work_run(void *user, void *at) {
  (void)user;
  job *j = at;
  run *r = j->run;
  const comparison *w = j->w;
  const oc_task *t = &w->call->run.p->task;
  oc_options options = w->options;
  oc_descent_info info = {0};
  const oc_hooks hooks = {.watch = watch_run};
  const int capacity = options.max_iter + SPARE;
  options.descent.method = (oc_method)r->method;
  options.max_time = INFINITY; // work limits
  oc_descent_row *record = calloc((size_t)capacity, sizeof *record);
  dm_status s = record ? dm_trajectory_of(&r->x, t->N, &t->system) : DM_NO_MEMORY;
  if (s == DM_OK) s = draw_start(w, r->start, r->x);
  if (s == DM_OK) s = oc_descend(t, &options, &hooks, r->x, record, capacity, &info, NULL);
  r->status = s;
  r->order = fit_order(record, info.rows);
  r->row = calloc((size_t)(info.rows ? info.rows : 1), sizeof *r->row);
  if (r->row && info.rows) thin_history(r, record, info.rows);
  if (r->row && !info.rows) note_failed_run(r);
  free(record);
}

// -- all runs

static int count_threads(void) {
  const int threads = cli_workers_count();
  return threads < MOST_THREADS ? threads : MOST_THREADS;
}

static oc_jobs_word plan_run(void *user, void *at) {
  comparison *w = user;
  while (w->next < w->count && w->runs[w->next].row) w->next++; // known from the file
  if (w->next >= w->count || cli_interrupted()) return OC_JOBS_LAST;
  *(job *)at = (job){&w->runs[w->next++], w};
  return OC_JOBS_GO;
}

static void take_run(void *user, void *at) {
  comparison *w = user;
  run *r = ((job *)at)->run;
  if (r->status == DM_INTERRUPTED) { // it is run again when the comparison is resumed
    free(r->row);
    r->row = NULL;
    return;
  }
  cli_call_worth(w->call);
  cli_progress_show(&w->progress, CLI_UNKNOWN, "%s: start %d of %d, %s: %d iterations, cost %.8g",
                    w->call->run.p->file.name, r->start + 1, w->starts, oc_method_names[r->method],
                    r->rows ? r->row[r->rows - 1].iteration : 0,
                    r->rows ? r->row[r->rows - 1].cost : NAN);
}

static run *find_run(const comparison *w, int method, int start) {
  for (int i = 0; i < w->count; i++)
    if (w->runs[i].method == method && w->runs[i].start == start) return &w->runs[i];
  return NULL;
}

static bool are_same_end(const run *a, const cli_compare_row *b) {
  const cli_compare_row *end = &a->row[a->rows - 1];
  return end->iteration == b->iteration && end->status == b->status &&
         (end->cost == b->cost || (isnan(end->cost) && isnan(b->cost)));
}

// did a run of an earlier comparison end as it would end now: at a limit that is still the same, or before it?
static bool ends_likewise(const comparison *w, const cli_compare_row *end) {
  const int most = w->options.max_iter;
  if (end->status != CLI_COMPARE_LIMIT) return end->iteration <= most;
  return end->iteration == most || count_work(&end->work) >= MOST_WORK;
}

// take the runs of an earlier comparison, if the first run ended as the one of now
static dm_status reuse_runs(comparison *w) {
  char *path = cli_join(w->call->place.dir, cli_file_compare.name);
  if (!path) return DM_NO_MEMORY;
  const pb_file at = pb_file_at(path);
  cli_table table = {0};
  dm_message msg;
  dm_status s = pb_file_there(&at) ? cli_compare_read(&table, &at, &msg) : DM_IO;
  free(path);
  bool same = false;
  for (int i = 0; s == DM_OK && i < table.rows && !same; i++) {
    const cli_compare_row r = cli_compare_get(&table, i);
    same =
        r.method == w->runs[0].method && r.start == 0 && r.status && are_same_end(&w->runs[0], &r);
  }

  // each run is a block of rows that ends with its status
  for (int i = 0, from = 0; same && i < table.rows; i++) {
    const cli_compare_row end = cli_compare_get(&table, i);
    if (!end.status) continue;
    run *r = find_run(w, end.method, end.start);
    const int rows = i - from + 1;
    if (r && !r->row && ends_likewise(w, &end) && (r->row = calloc((size_t)rows, sizeof *r->row))) {
      for (int k = 0; k < rows; k++) r->row[r->rows++] = cli_compare_get(&table, from + k);
      w->reused++;
    }
    from = i + 1;
  }
  free(table.x);
  return DM_OK;
}

// -- summary

static const cli_compare_row *end_of(const run *r) {
  return r->rows ? &r->row[r->rows - 1] : NULL;
}

// mean processor time of each operation, relative to that of a gradient
static void find_prices(const comparison *w, double *price) {
  double count[OC_WORK_KINDS] = {0}, cpu[OC_WORK_KINDS] = {0};
  for (int i = 0; i < w->count; i++) {
    const cli_compare_row *end = end_of(&w->runs[i]);
    for (int j = 0; end && j < OC_WORK_KINDS; j++) {
      count[j] += (double)end->work.count[j];
      cpu[j] += end->work.cpu[j];
    }
  }
  const double gradient = cpu[OC_WORK_GRADIENT] / count[OC_WORK_GRADIENT];
  for (int j = 0; j < OC_WORK_KINDS; j++)
    price[j] = count[j] > 0 ? cpu[j] / count[j] / gradient : 0;
}

static double price_work(const oc_work *work, const double *price) {
  double sum = 0;
  for (int j = 0; j < OC_WORK_KINDS; j++) sum += (double)work->count[j] * price[j];
  return sum;
}

static double find_lowest(const comparison *w) {
  double least = INFINITY;
  for (int i = 0; i < w->count; i++)
    for (int k = 0; k < w->runs[i].rows; k++) {
      const cli_compare_row *row = &w->runs[i].row[k];
      if (row->goal <= MET && row->cost < least) least = row->cost;
    }
  return least;
}

// the first row from which a run stays near the lowest cost; NULL: none
static const cli_compare_row *find_success(const run *r, double lowest) {
  const cli_compare_row *at = NULL;
  for (int k = r->rows - 1; k >= 0; k--) {
    const cli_compare_row *row = &r->row[k];
    if (!(row->goal <= MET && row->cost - lowest <= NEAR * fabs(lowest))) break;
    at = row;
  }
  return at;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double find_median(double *x, int n) {
  qsort(x, (size_t)n, sizeof *x, compare_numbers);
  return n ? x[n / 2] : NAN;
}

static void report_comparison_method(const comparison *w, cli_json *all, int m, double lowest,
                                     const double *price, double *pool) {
  double *work = pool, *order = pool + w->starts, *total = order + w->starts;
  double cpu = 0, curvature = 0;
  int found = 0, met = 0, done = 0, orders = 0;
  for (int i = 0; i < w->count; i++) {
    const run *r = &w->runs[i];
    if (r->method != m || !r->rows) continue;
    const cli_compare_row *end = end_of(r), *near = find_success(r, lowest);
    total[done++] = price_work(&end->work, price);
    met += end->goal <= MET;
    if (near) work[found++] = price_work(&near->work, price);
    if (isfinite(end->order)) order[orders++] = end->order;
    for (int j = 0; j < OC_WORK_KINDS; j++) cpu += end->work.cpu[j];
    curvature += end->work.cpu[OC_WORK_CURVATURE];
  }
  cli_json *o = cli_json_object(all, oc_method_names[m]);
  const double half = find_median(work, found), rate = find_median(order, orders);
  cli_json_int(o, "runs", done);
  cli_json_int(o, "met", met);
  cli_json_int(o, "found", found);
  cli_json_number(o, "work", half);
  cli_json_number(o, "total", find_median(total, done));
  cli_json_number(o, "order", rate);
  cli_json_number(o, "cpu", cpu);
  cli_json_number(o, "curvature", cpu > 0 ? curvature / cpu : 0);
  char text[60] = "", tail[40] = "";
  if (found) snprintf(text, sizeof text, ", in %.4g gradients (median)", half);
  if (orders) snprintf(tail, sizeof tail, "; order %.2f", rate);
  cli_tell(w->call, oc_method_names[m], "%d of %d within 1 %%%s%s; %.2f s", found, done, text, tail,
           cpu);
}

static int report_comparison(comparison *w, dm_trajectory **x) {
  cli_call *call = w->call;
  const double lowest = find_lowest(w);
  double price[OC_WORK_KINDS];
  double *pool = calloc((size_t)(3 * w->starts), sizeof *pool);
  if (!pool) return cli_fail(call->args, CLI_FAULT, "out of memory");
  find_prices(w, price);

  cli_json *o = cli_json_object(call->result, "compare");
  cli_json_int(o, "starts", w->starts);
  cli_json_int(o, "seed", w->options.starts.seed);
  cli_json_int(o, "reused", w->reused);
  struct utsname at;
  char machine[sizeof at.sysname + sizeof at.machine + 1] = "";
  if (uname(&at) >= 0) snprintf(machine, sizeof machine, "%s %s", at.sysname, at.machine);
  cli_json_int(o, "threads", count_threads());
  cli_json_text(o, "machine", machine);
  cli_json_int(o, "work", MOST_WORK);
  cli_json_number(o, "lowest", lowest);
  cli_json *prices = cli_json_object(o, "price");
  for (int j = 0; j < OC_WORK_KINDS; j++) cli_json_number(prices, oc_work_names[j], price[j]);
  cli_json *all = cli_json_object(o, "methods");
  cli_tell(call, "lowest",
           "cost %.10g of %d runs (%d from an earlier comparison), seed %d, %d threads of %s",
           lowest, w->count, w->reused, w->options.starts.seed, count_threads(), machine);
  for (int i = 0; i < w->nmethods; i++)
    report_comparison_method(w, all, w->method[i], lowest, price, pool);
  free(pool);

  // the motion of the best run of now
  run *best = &w->runs[0];
  for (int i = 0; i < w->count; i++) {
    run *r = &w->runs[i];
    if (!r->x || !r->rows || !(end_of(r)->goal <= MET)) continue;
    if (!(end_of(best)->goal <= MET) || end_of(r)->cost < end_of(best)->cost) best = r;
  }
  *x = best->x;
  best->x = NULL;
  const bool met = isfinite(lowest);
  cli_json_text(call->result, "status", met ? "solved" : "infeasible");
  cli_json_text(call->result, "method", oc_method_names[best->method]);
  cli_json_int(call->result, "steps", call->run.p->task.N);
  cli_json_number(call->result, "objective", end_of(best)->cost);
  cli_json_int(call->result, "iterations", end_of(best)->iteration);
  return met ? CLI_DONE : CLI_OUTCOME;
}

static int write_comparison(const comparison *w) {
  FILE *f = cli_call_file(w->call, cli_file_compare.name);
  if (!f) return CLI_INPUT;
  cli_table_begin(f, &cli_file_compare, NULL);
  for (int i = 0; i < w->count; i++)
    for (int k = 0; k < w->runs[i].rows; k++) cli_compare_put(f, &w->runs[i].row[k]);
  return CLI_DONE;
}

int cli_descents_compare(cli_call *call, const oc_options *options, const bool *wanted, int starts,
                         const dm_trajectory *guess, dm_trajectory **x) {
  comparison w = {.call = call, .options = *options, .guess = guess, .starts = starts};
  w.progress = cli_progress_of(call->args);
  w.options.descent.work = MOST_WORK;
  for (int m = 0; m < OC_METHODS; m++)
    if (wanted[m]) w.method[w.nmethods++] = m;
  w.count = w.nmethods * starts;
  w.runs = calloc((size_t)w.count, sizeof *w.runs);
  if (!w.runs) return cli_fail(call->args, CLI_FAULT, "out of memory");
  for (int i = 0; i < w.count; i++) {
    w.runs[i].method = w.method[i % w.nmethods];
    w.runs[i].start = i / w.nmethods;
  }

  // the first run, those of the file, then the others
  job first = {&w.runs[0], &w};
  work_run(NULL, &first);
  const bool began = w.runs[0].row && w.runs[0].status != DM_INTERRUPTED;
  dm_status s = began ? reuse_runs(&w) : DM_NO_MEMORY;
  const oc_ordered_jobs jobs = {.threads = count_threads(),
                                .size = sizeof(job),
                                .plan = plan_run,
                                .work = work_run,
                                .take = take_run,
                                .drop = take_run,
                                .user = &w};
  if (s == DM_OK) s = oc_ordered_jobs_run(&jobs);
  cli_progress_end(&w.progress);
  int status = s == DM_OK ? report_comparison(&w, x) : CLI_FAULT;
  if (s != DM_OK) cli_fail_status(call->args, s, NULL);
  if (s == DM_OK && write_comparison(&w) != CLI_DONE) status = CLI_INPUT;

  for (int i = 0; i < w.count; i++) {
    free(w.runs[i].row);
    dm_trajectory_free(w.runs[i].x);
  }
  free(w.runs);
  return status;
}

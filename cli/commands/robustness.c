#include "cli/results/robustness.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/results/columns.h"
#include "cli/results/registry.h"
#include "cli/results/sentences.h"
#include "cli/stages/bench.h"
#include "cli/stages/samples.h"
#include "control/loop/attraction.h"
#include "control/loop/binomial.h"
#include "control/loop/robustness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct study {
  cli_call *call;
  fb_bench *g;
  fb_robustness axes;
  cli_progress progress;
  fb_robustness_level *points;
  int count, done; // points; points received
  fb_sample *rows;
  bool *ran;         // [rows]
  double *spread;    // [2n] of the current starts
  dm_status failure; // of a point
  const char *key;   // key of the starts
  char lost[256];    // message about ranks
  cli_json *result;  // verify.robustness
} study;

static bool watch_point(void *user, int done) {
  (void)user;
  (void)done;
  return !cli_interrupted();
}

// --- one axis at a time ---

// the axes available in the problem
static fb_robustness find_axes(const pb_problem *p) {
  const pb_robustness *r = &p->verify.robust;

  // sizes are those of the mismatch and the spreads, times levels from small to large
  return (fb_robustness){.tree = p->robot.mechanism.tree,
                         .model = p->model,
                         .mismatch = &r->set,
                         .spread_q = p->verify.spread_q,
                         .spread_v = p->verify.spread_v,
                         .limit = r->limit,
                         .set = r->sweep};
}

static size_t run_point(void *self, int item, void *held) {
  study *w = self;
  fb_robustness_level at = w->points[item];
  dm_status s = fb_robustness_run(&w->axes, w->g, &at, w->rows, w->spread, watch_point, NULL);
  if (s < 0) w->failure = s;
  *(int *)held = at.succeeded;
  return s == DM_OK ? sizeof(int) : 0;
}

static void take_point(void *self, int item, int rank, const void *held, size_t size) {
  study *w = self;
  (void)rank;
  if (size != sizeof(int)) return;
  w->points[item].succeeded = *(const int *)held;
  w->points[item].ran = true;
  w->done++;
  cli_progress_show(&w->progress, (double)w->done / w->count,
                    "verify: each axis alone, ran %d of %d levels", w->done, w->count);
}

static void report_axis(study *w, const char *name, const char *how, fb_robustness_count count) {
  char interval[32];
  if (!count.samples) return;
  cli_json *o = cli_json_object(w->result, name);
  cli_json_int(o, "samples", count.samples);
  cli_put_rate(o, count.succeeded, count.samples, interval);
  cli_tell(w->call, "", "%-8s %s: %5.1f %% of %d succeeded %s", name, how,
           100. * count.succeeded / count.samples, count.samples, interval);
}

static dm_status sweep_axes(study *w) {
  // levels are distributed over ranks, one rank per level
  FILE *csv = cli_call_file(w->call, "robustness.csv");
  if (!csv) return DM_IO;
  const cli_share share = {.count = w->count,
                           .max_bytes = sizeof(int),
                           .digest = cli_samples_digest(w->call),
                           .by_children = true,
                           .work = run_point,
                           .collect = take_point,
                           .self = w};
  dm_status s = cli_work_share(&share, w->lost);

  // write also partial results, but report only complete ones
  if (w->failure < 0) return w->failure;

  cli_table_begin(csv, &cli_file_robustness, NULL);

  // per level that ran: the rate with its 95 % interval
  for (int i = 0; i < w->count; i++) {
    const fb_robustness_level *at = &w->points[i];
    double low, high;
    if (!at->ran) continue;
    fb_binomial_interval(at->succeeded, at->samples, 0.95, &low, &high);
    cli_robustness_row(csv, fb_axis_names[at->axis],
                       fb_robustness_part(&w->axes, at->axis, at->part), at->level, at->succeeded,
                       at->samples, low, high);
  }

  // after an interrupt, the completed levels are kept
  if (w->done < w->count)
    cli_columns_describe(w->call->result, "robustness.csv", "partial: %d of %d levels", w->done,
                         w->count);

  if (s == DM_OK) {
    fb_robustness_count axes[FB_AXES], model;
    fb_robustness_sum(w->points, w->count, axes, &model);
    for (fb_axis axis = FB_START; axis < FB_AXES; axis++)
      report_axis(w, fb_axis_names[axis], axis == FB_ALL ? "at once" : "alone", axes[axis]);
    report_axis(w, "model", "alone", model);
  }
  return s;
}

// --- region of attraction ---

static bool watch_region(void *user, int done) {
  study *w = user;
  cli_progress_show(&w->progress, CLI_UNKNOWN, "verify: region, %d", done);
  return !cli_interrupted();
}

// run samples on all ranks, which all get the results
static dm_status run_samples(void *self, const fb_monte_carlo_settings *set, fb_sample *rows) {
  study *w = self;
  char lost[256];
  dm_status s = cli_samples_run(w->call, &w->g->plant, set, rows, NULL, NULL, 0, NULL, watch_region,
                                w, w->ran, lost);
  if (lost[0]) memcpy(w->lost, lost, sizeof lost);
  if (s != DM_OK) return s;
  return cli_work_broadcast(rows, (size_t)set->samples * sizeof *rows);
}

static dm_status search_region(study *w, double *radius) {
  cli_call *call = w->call;
  const pb_region *in = &call->run.p->verify.robust.region;
  const fb_attraction_settings set = {in->directions, in->halvings, in->samples,
                                      in->max_size,   in->rate,     in->confidence};
  fb_attraction_claim claim;
  const fb_runner runner = {run_samples, w};

  // sensor and model errors at full level
  fb_mismatch_levels(w->g->noise, 1);
  fb_bench_limit(w->g, call->run.p->verify.robust.limit);

  // 1  bisection along each random direction
  dm_status s = fb_attraction_search(&runner, &w->g->set, &set, radius, w->rows);

  // 2  shrink the ellipsoid of the radii until enough of its starts succeed
  if (s == DM_OK) s = fb_attraction_assess(&runner, &w->g->set, &set, radius, &claim, w->rows);
  if (s != DM_OK) return s;

  // 3  the radii
  FILE *csv = cli_call_file(call, "region.csv");
  if (!csv) return DM_IO;
  cli_region_write(csv, in->directions, radius);
  double min = INFINITY, max = 0;
  int limited = 0;
  for (int i = 0; i < in->directions; i++) {
    limited += isinf(radius[in->directions + i]);
    min = fmin(min, radius[i]);
    max = fmax(max, radius[i]);
  }

  // in result.json, and as two sentences
  cli_json *o = cli_json_object(w->result, "region");
  cli_json_int(o, "directions", in->directions);
  cli_json_number(o, "least", min);
  cli_json_number(o, "most", max);
  cli_json_int(o, "limited", limited);
  cli_json_number(o, "size", claim.size);
  cli_json_int(o, "held", claim.succeeded);
  cli_json_int(o, "samples", claim.samples);
  cli_json_int(o, "tries", claim.tries);
  cli_json_number(o, "at_least", claim.rate_bound);
  cli_json_number(o, "confidence", in->confidence);
  cli_json_number(o, "~rate", in->rate);
  if (limited) cli_json_int(o, "~limited", limited);
  if (claim.size > 0) cli_json_text(o, "~found", "");
  cli_tell_group(call->summary.file, "verify.robustness.region", o);
  return DM_OK;
}

static dm_status run_study(study *w, double *radius) {
  cli_call *call = w->call;
  w->result = cli_json_object(json_object_object_get(call->result, "verify"), "robustness");
  w->key = "verify.spread, times the levels of verify.sweep";
  dm_status s = w->count ? sweep_axes(w) : DM_OK;
  if (s != DM_OK || !call->run.p->verify.robust.has_region) return s;
  w->key = "verify.spread, times the sizes of verify.region";
  return search_region(w, radius);
}

// finish the study
static int conclude_study(study *w, dm_status s) {
  cli_progress_end(&w->progress);
  if (s == DM_IO) return CLI_INPUT;
  if (s == DM_INTERRUPTED) {
    // keep earlier results and completed levels, marked as partial
    cli_json_text(json_object_object_get(w->call->result, "verify"), "status", "partial");
    cli_error(
        "ended early: the axes and the region are incomplete; all samples and %d of %d levels "
        "are stored, labelled partial",
        w->done, w->count);
    if (w->lost[0]) cli_error("%s", w->lost);
    return CLI_OUTCOME;
  }
  if (s == DM_BAD_INPUT) return cli_refuse_starts(w->call, w->g->set.refused, w->key);
  if (s != DM_OK) return cli_fail_status(w->call->args, s, NULL);
  if (w->lost[0]) cli_error("%s; the others ran its samples", w->lost);
  return CLI_DONE;
}

int cli_robustness(cli_call *call, pb_plant kind) {
  const pb_problem *p = call->run.p;
  const pb_robustness *set = &p->verify.robust;
  if (!set->has_sweep && !set->has_region) return CLI_DONE;

  // with the mismatch, even if the samples had none
  cli_bench g;
  dm_status s = cli_bench_open(&g, call, kind, CLI_BENCH_ALWAYS);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  cli_call_worth(call); // keep the samples, then levels
  cli_tell(call, "robustness", "on the %s plant", pb_plant_names[kind]);

  // allocate for the number of levels and the largest run
  study w = {.call = call, .g = g.b, .axes = find_axes(p), .progress = cli_progress_of(call->args)};

  // the largest number of samples that run together
  int max = set->has_sweep ? set->sweep.samples : 1;
  if (set->has_region && set->region.directions > max) max = set->region.directions;
  if (set->has_region && set->region.samples > max) max = set->region.samples;
  const size_t max_samples = (size_t)max;

  w.count = set->has_sweep ? fb_robustness_plan(&w.axes, NULL) : 0;
  w.points = calloc((size_t)w.count + 1, sizeof *w.points);
  w.rows = calloc(max_samples, sizeof *w.rows);
  w.ran = calloc(max_samples, sizeof *w.ran);
  w.spread = calloc(2 * (size_t)p->names.n, sizeof *w.spread);
  double *radius = calloc(2 * (size_t)set->region.directions + 1, sizeof *radius);

  // plan the levels, then run them
  s = w.points && w.rows && w.ran && w.spread && radius ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK && w.count) fb_robustness_plan(&w.axes, w.points);
  if (s == DM_OK) s = run_study(&w, radius);
  int status = conclude_study(&w, s);

  free(w.points);
  free(w.rows);
  free(w.ran);
  free(w.spread);
  free(radius);
  cli_bench_close(&g);
  return status;
}

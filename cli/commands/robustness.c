#include "cli/results/robustness.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/results/columns.h"
#include "cli/stages/bench.h"
#include "cli/stages/samples.h"
#include "control/loop/attraction.h"
#include "control/loop/binomial.h"
#include "lib/multibody/ball_joint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// one level of one axis alone
typedef struct point {
  fb_axis axis;
  int part;
  double level; // times the size in the problem
  int samples, held;
  bool ran;
} point;

typedef struct study {
  cli_job *job;
  cli_bench *g;
  cli_progress progress;
  point *points;
  int count, done; // points; those that have come
  fb_sample *rows;
  bool *ran;         // [rows]
  double *spread;    // [2n] of the starts under way
  dm_status failure; // of a point
  char lost[256];    // ranks
  cli_json *result;  // verify.robustness
} study;

static bool go_on(void *user, int done) {
  (void)user, (void)done;
  return !cli_interrupted();
}

// --- one axis alone ---

static bool is_part(fb_axis axis) {
  return axis >= FB_MASS && axis <= FB_DAMPING;
}

static double size_of(const pb_problem *p, fb_axis axis) {
  const pb_robustness *r = &p->verify.robust;
  double spread = 0;
  for (int i = 0; i < p->model->nq; i++) spread += p->verify.spread_q[i] + p->verify.spread_v[i];
  if (is_part(axis)) return r->set.half[axis];
  switch (axis) {
  case FB_SEEN_Q:
    return r->set.q != NULL;
  case FB_SEEN_V:
    return r->set.v != NULL;
  case FB_TORQUE:
    return r->set.torque != NULL;
  case FB_LIMIT:
    return isfinite(r->limit) ? r->limit : 0;
  case FB_DELAY:
    return r->set.delay;
  default:
    return spread;
  }
}

// not of what is prescribed; of a quaternion the first has the ball joint's
static bool has_damping(const pb_problem *p, int i) {
  bool damps = false;
  for (int k = 0; k < p->robot.tree->nq; k++) damps |= dm_ball_outside(p->robot.tree, k) == i;
  return damps && !p->model->kinematic[i];
}

// the name of part i of an axis, empty where nothing of it can be off; NULL: there are no more
static const char *part_of(const pb_problem *p, fb_axis axis, int i) {
  const dm_model *m = axis == FB_DAMPING ? p->model : p->robot.tree;
  if (!is_part(axis)) return i == 0 ? fb_axis_names[axis] : NULL;
  if (axis == FB_DAMPING) return i == m->nq ? NULL : has_damping(p, i) ? m->name[i] : "";
  return i == m->nj ? NULL : m->bare[i] ? "" : m->name[m->coord[i]];
}

// all points there are, in the order of the file; NULL: how many
static int plan(const pb_problem *p, point *points) {
  const pb_sweep *set = &p->verify.robust.sweep;
  int count = 0;
  for (fb_axis axis = FB_START; set->points && axis < FB_AXES; axis++) {
    bool drawn = axis == FB_START || axis == FB_SEEN_Q || axis == FB_SEEN_V || axis == FB_TORQUE;
    bool starts = set->start > 0 && size_of(p, FB_START) > 0;
    const char *part;
    for (int i = 0; size_of(p, axis) > 0 && (part = part_of(p, axis, i)); i++)
      for (int k = 0; part[0] && k < set->points; k++, count++) {
        double at = (double)k / (set->points - 1);
        if (points)
          points[count] = (point){.axis = axis,
                                  .part = i,
                                  .level = set->times * (is_part(axis) ? 2 * at - 1 : at),
                                  .samples = drawn || starts ? set->samples : 1}; // else all equal
      }
  }
  return count;
}

static size_t run_point(void *self, int item, void *held) {
  study *w = self;
  cli_bench *g = w->g;
  const point *at = &w->points[item];
  const pb_problem *p = w->job->p;
  int n = p->model->nq;
  double start = at->axis == FB_START ? at->level : p->verify.robust.sweep.start;
  for (int i = 0; i < n; i++)
    w->spread[i] = start * p->verify.spread_q[i], w->spread[n + i] = start * p->verify.spread_v[i];
  fb_monte_carlo_settings set = g->set;
  set.samples = at->samples;
  set.spread_q = w->spread, set.spread_v = w->spread + n;
  fb_mismatch_levels(g->noise, 0);
  cli_bench_limit(g, w->job, at->axis == FB_LIMIT ? at->level * p->verify.robust.limit : INFINITY);
  if (at->axis != FB_START && at->axis != FB_LIMIT)
    fb_mismatch_level(g->noise, at->axis, at->level, is_part(at->axis) ? at->part : -1);
  dm_status s = fb_monte_carlo_run(&w->job->law->f, &w->job->task->system, &g->plant, &set, w->rows,
                                   0, NULL, go_on, NULL);
  if (s < 0) w->failure = s;
  *(int *)held = fb_monte_carlo_verdict(w->rows, at->samples).held;
  return s == DM_OK ? sizeof(int) : 0;
}

static void take_point(void *self, int item, int rank, const void *held, size_t size) {
  study *w = self;
  (void)rank;
  if (size != sizeof(int)) return;
  w->points[item].held = *(const int *)held;
  w->points[item].ran = true;
  cli_progress_say(&w->progress, "verify: each axis alone, %d of %d", ++w->done, w->count);
}

static void report_axis(study *w, const char *name, const int count[2]) {
  char interval[32];
  cli_json *o = cli_json_object(w->result, name);
  cli_json_int(o, "samples", count[1]);
  cli_put_rate(o, count[0], count[1], interval);
  cli_tell(w->job, "", "%-8s alone: %5.1f %% of %d held %s", name, 100. * count[0] / count[1],
           count[1], interval);
}

static void write_points(const study *w, FILE *csv) {
  cli_robustness_header(csv);
  for (int i = 0; i < w->count; i++) {
    const point *at = &w->points[i];
    double low, high;
    if (!at->ran) continue;
    fb_binomial_interval(at->held, at->samples, 0.95, &low, &high);
    cli_robustness_row(csv, fb_axis_names[at->axis], part_of(w->job->p, at->axis, at->part),
                       at->level, at->held, at->samples, low, high);
  }
  if (w->done < w->count)
    cli_columns_say(w->job->result, "robustness.csv", "partial: %d of %d levels", w->done,
                    w->count);
}

static void report_points(study *w) {
  int count[FB_AXES][2] = {{0}}, model[2] = {0, 0};
  for (int i = 0; i < w->count; i++) {
    const point *at = &w->points[i];
    count[at->axis][0] += at->held, count[at->axis][1] += at->samples;
  }
  for (fb_axis axis = FB_START; axis < FB_AXES; axis++) {
    if (count[axis][1]) report_axis(w, fb_axis_names[axis], count[axis]);
    for (int i = 0; i < 2 && is_part(axis); i++) model[i] += count[axis][i];
  }
  if (model[1]) report_axis(w, "model", model);
}

static dm_status sweep(study *w) {
  FILE *csv = cli_job_file(w->job, "robustness.csv");
  if (!csv) return DM_IO;
  const cli_share share = {.count = w->count,
                           .most = sizeof(int),
                           .digest = cli_samples_digest(w->job),
                           .work = run_point,
                           .take = take_point,
                           .self = w};
  dm_status s = cli_work_share(&share, w->lost);
  if (w->failure < 0) return w->failure;
  write_points(w, csv);
  if (s == DM_OK) report_points(w);
  return s;
}

// --- the region of starts ---

static bool watch(void *user, int done) {
  study *w = user;
  cli_progress_say(&w->progress, "verify: region, %d", done);
  return !cli_interrupted();
}

// by all ranks, all of which then know what held
static dm_status run_samples(void *self, const fb_monte_carlo_settings *set, fb_sample *rows) {
  study *w = self;
  char lost[256];
  dm_status s = cli_samples_run(w->job, &w->g->plant, set, rows, 0, NULL, watch, w, w->ran, lost);
  if (lost[0]) memcpy(w->lost, lost, sizeof lost);
  if (s != DM_OK) return s;
  return cli_work_tell(rows, (size_t)set->samples * sizeof *rows);
}

static dm_status region(study *w, double *radius) {
  cli_job *job = w->job;
  const pb_region *in = &job->p->verify.robust.region;
  const fb_attraction_settings set = {in->directions, in->halvings, in->samples,
                                      in->most,       in->rate,     in->confidence};
  fb_attraction_claim claim;
  double least = INFINITY, most = 0;
  const fb_runner runner = {run_samples, w};
  fb_mismatch_levels(w->g->noise, 1);
  cli_bench_limit(w->g, job, job->p->verify.robust.limit);
  dm_status s = fb_attraction_search(&runner, &w->g->set, &set, radius, w->rows);
  if (s == DM_OK) s = fb_attraction_assess(&runner, &w->g->set, &set, radius, &claim, w->rows);
  if (s != DM_OK) return s;
  FILE *csv = cli_job_file(job, "region.csv");
  if (!csv) return DM_IO;
  cli_region_write(csv, in->directions, radius);
  for (int i = 0; i < in->directions; i++) {
    least = fmin(least, radius[i]), most = fmax(most, radius[i]);
  }
  cli_json *o = cli_json_object(w->result, "region");
  cli_json_int(o, "directions", in->directions);
  cli_json_number(o, "least", least);
  cli_json_number(o, "most", most);
  cli_json_number(o, "size", claim.size);
  cli_json_int(o, "held", claim.held);
  cli_json_int(o, "samples", claim.samples);
  cli_json_int(o, "tries", claim.tries);
  cli_json_number(o, "at_least", claim.at_least);
  cli_json_number(o, "confidence", in->confidence);
  cli_tell(job, "", "region: %.3g to %.3g spreads along %d directions", least, most,
           in->directions);
  if (claim.size > 0)
    cli_tell(job, "",
             "at least %.4g %% of starts within an ellipsoid of %.3g spreads hold, with "
             "%g %% confidence (%d of %d)",
             100 * claim.at_least, claim.size, 100 * in->confidence, claim.held, claim.samples);
  else
    cli_tell(job, "", "no ellipsoid was found of which %g %% of starts hold with %g %% confidence",
             100 * in->rate, 100 * in->confidence);
  return DM_OK;
}

static dm_status run(study *w, double *radius) {
  cli_job *job = w->job;
  w->result = cli_json_object(json_object_object_get(job->result, "verify"), "robustness");
  dm_status s = w->count ? sweep(w) : DM_OK;
  if (s != DM_OK || !job->p->verify.robust.has_region) return s;
  return region(w, radius);
}

// what was told before, and the levels that ran, are kept, labelled
static int keep_part(study *w) {
  cli_json_text(json_object_object_get(w->job->result, "verify"), "status", "partial");
  cli_error("ended early: each axis alone and the region are not whole; all samples and %d of %d "
            "levels are kept, labelled partial",
            w->done, w->count);
  if (w->lost[0]) cli_error("%s", w->lost);
  return CLI_OUTCOME;
}

int cli_robustness(cli_job *job, pb_plant kind) {
  const pb_robustness *set = &job->p->verify.robust;
  if (!set->has_sweep && !set->has_region) return CLI_DONE;
  int most = set->has_sweep ? set->sweep.samples : 1;
  if (set->has_region && set->region.directions > most) most = set->region.directions;
  if (set->has_region && set->region.samples > most) most = set->region.samples;
  cli_bench g;
  study w = {.job = job, .g = &g, .progress = cli_progress_of(job->args)};
  dm_status s = cli_bench_open(&g, job, kind, true);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  cli_job_worth(job); // the samples that ran, then levels
  cli_tell(job, "robustness", "on the %s plant", pb_plant_names[kind]);
  w.count = set->has_sweep ? plan(job->p, NULL) : 0;
  w.points = calloc((size_t)w.count + 1, sizeof *w.points);
  w.rows = calloc((size_t)most, sizeof *w.rows);
  w.ran = calloc((size_t)most, sizeof *w.ran);
  w.spread = calloc(2 * (size_t)job->names.n, sizeof *w.spread);
  double *radius = calloc(2 * (size_t)set->region.directions + 1, sizeof *radius);
  s = w.points && w.rows && w.ran && w.spread && radius ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK && w.count) plan(job->p, w.points);
  if (s == DM_OK) s = run(&w, radius);
  cli_progress_end(&w.progress);
  int status = CLI_DONE;
  if (s == DM_IO)
    status = CLI_INPUT;
  else if (s == DM_INTERRUPTED)
    status = keep_part(&w);
  else if (s != DM_OK)
    status = cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  else if (w.lost[0])
    cli_error("%s; the others ran its samples", w.lost);
  free(w.points), free(w.rows), free(w.ran), free(w.spread), free(radius);
  cli_bench_close(&g, job);
  return status;
}

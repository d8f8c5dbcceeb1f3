#include "cli/ground.h"
#include "cli/say.h"
#include "control/interval.h"
#include "control/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct study {
  cli_job *job;
  cli_ground *g;
  cli_progress progress;
  const char *what;
  fb_sample *rows;
  double *spread; // [2n] of the starts under way
  FILE *csv;
  cli_json *result; // verify.robustness
} study;

static const char header[] = "axis,part,level,held,samples,low,high";

static bool watch(void *user, int done) {
  study *w = user;
  cli_progress_say(&w->progress, "verify: %s, %d", w->what, done);
  return !cli_interrupted();
}

// --- one axis alone ---

static bool is_part(fb_axis axis) {
  return axis >= FB_MASS && axis <= FB_DAMPING;
}

static double size_of(const pb_problem *p, fb_axis axis) {
  const struct pb_robust *r = &p->robust;
  double spread = 0;
  for (int i = 0; i < p->model->nq; i++) spread += p->spread_q[i] + p->spread_v[i];
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

// the name of part i of an axis, empty where nothing of it can be off; NULL: there are no more
static const char *part_of(const pb_problem *p, fb_axis axis, int i) {
  const dm_model *m = axis == FB_DAMPING ? p->model : p->robot.tree;
  if (!is_part(axis)) return i == 0 ? fb_axis_names[axis] : NULL;
  if (axis == FB_DAMPING) return i == m->nq ? NULL : m->kinematic[i] ? "" : m->name[i];
  return i == m->nj ? NULL : m->bare[i] ? "" : m->name[m->coord[i]];
}

static dm_status run_point(study *w, fb_axis axis, int part, double level, int samples) {
  cli_ground *g = w->g;
  const pb_problem *p = w->job->p;
  int n = p->model->nq;
  double start = axis == FB_START ? level : p->robust.sweep.start;
  for (int i = 0; i < n; i++)
    w->spread[i] = start * p->spread_q[i], w->spread[n + i] = start * p->spread_v[i];
  fb_montecarlo_settings set = g->set;
  set.samples = samples;
  set.spread_q = w->spread, set.spread_v = w->spread + n;
  fb_disturbance_levels(g->noise, 0);
  cli_ground_limit(g, w->job, axis == FB_LIMIT ? level * p->robust.limit : INFINITY);
  if (axis != FB_START && axis != FB_LIMIT)
    fb_disturbance_level(g->noise, axis, level, is_part(axis) ? part : -1);
  return fb_montecarlo_run(&w->job->law->f, &w->job->task->system, &g->plant, &set, w->rows, 0,
                           NULL, watch, w);
}

static dm_status sweep_part(study *w, fb_axis axis, int part, int count[2]) {
  const struct pb_sweep *set = &w->job->p->robust.sweep;
  bool drawn = axis == FB_START || axis == FB_SEEN_Q || axis == FB_SEEN_V || axis == FB_TORQUE;
  bool starts = set->start > 0 && size_of(w->job->p, FB_START) > 0;
  int samples = drawn || starts ? set->samples : 1; // else all are the same
  for (int i = 0; i < set->points; i++) {
    double at = (double)i / (set->points - 1);
    double level = set->times * (is_part(axis) ? 2 * at - 1 : at);
    dm_status s = run_point(w, axis, part, level, samples);
    if (s != DM_OK) return s;
    int held = fb_montecarlo_verdict(w->rows, samples).held;
    double low, high;
    fb_interval(held, samples, 0.95, &low, &high);
    fputs(fb_axis_names[axis], w->csv);
    cli_put_name(w->csv, ",", part_of(w->job->p, axis, part));
    fprintf(w->csv, ",%.17g,%d,%d,%.17g,%.17g\n", level, held, samples, low, high);
    count[0] += held, count[1] += samples;
  }
  return DM_OK;
}

static void report_axis(study *w, const char *name, const int count[2]) {
  double low, high;
  fb_interval(count[0], count[1], 0.95, &low, &high);
  cli_json *o = cli_json_object(w->result, name);
  cli_json_int(o, "samples", count[1]);
  cli_put_rate(o, count[0], count[1]);
  cli_tell(w->job, "", "%-8s alone: %5.1f %% of %d held (%.1f to %.1f %%)", name,
           100. * count[0] / count[1], count[1], 100 * low, 100 * high);
}

static dm_status sweep(study *w) {
  const pb_problem *p = w->job->p;
  int model[2] = {0, 0};
  for (fb_axis axis = FB_START; axis < FB_AXES; axis++) {
    const char *part;
    int count[2] = {0, 0};
    if (!(size_of(p, axis) > 0)) continue;
    w->what = fb_axis_names[axis];
    for (int i = 0; (part = part_of(p, axis, i)); i++) {
      if (!part[0]) continue;
      dm_status s = sweep_part(w, axis, i, count);
      if (s != DM_OK) return s;
    }
    report_axis(w, fb_axis_names[axis], count);
    for (int i = 0; i < 2 && is_part(axis); i++) model[i] += count[i];
  }
  if (model[1]) report_axis(w, "model", model);
  return DM_OK;
}

// --- the region of starts ---

static dm_status region(study *w, double *radius, FILE *csv) {
  cli_job *job = w->job;
  const struct pb_region *in = &job->p->robust.region;
  const fb_region_settings set = {in->directions, in->halvings, in->samples,
                                  in->most,       in->rate,     in->confidence};
  fb_claim claim;
  double least = INFINITY, most = 0;
  w->what = "region";
  fb_disturbance_levels(w->g->noise, 1);
  cli_ground_limit(w->g, job, job->p->robust.limit);
  dm_status s = fb_region_search(&job->law->f, &job->task->system, &w->g->plant, &w->g->set, &set,
                                 radius, w->rows, watch, w);
  if (s != DM_OK) return s;
  s = fb_region_claim(&job->law->f, &job->task->system, &w->g->plant, &w->g->set, &set, radius,
                      &claim, w->rows, watch, w);
  if (s != DM_OK) return s;
  fprintf(csv, "# sizes in spreads along random directions: the largest that held, the least that "
               "failed\ndirection,held,failed\n");
  for (int i = 0; i < in->directions; i++) {
    fprintf(csv, "%d,%.17g,%.17g\n", i, radius[i], radius[in->directions + i]);
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
    cli_tell(job, "", "no ellipsoid of which %g %% of starts hold with %g %% confidence",
             100 * in->rate, 100 * in->confidence);
  return DM_OK;
}

static dm_status run(study *w, double *radius) {
  cli_job *job = w->job;
  const struct pb_robust *set = &job->p->robust;
  cli_json *v = json_object_object_get(job->result, "verify");
  w->result = cli_json_object(v, "robustness");
  if (set->has_sweep) {
    if (!(w->csv = cli_job_file(job, "robustness.csv"))) return DM_IO;
    fprintf(w->csv,
            "# each axis alone, level: times the size in the problem; low, high: of the "
            "rate, with 95 %% confidence\n%s\n",
            header);
    dm_status s = sweep(w);
    if (s != DM_OK) return s;
  }
  if (!set->has_region) return DM_OK;
  FILE *csv = cli_job_file(job, "region.csv");
  return csv ? region(w, radius, csv) : DM_IO;
}

int cli_robustness(cli_job *job, pb_plant kind) {
  const struct pb_robust *set = &job->p->robust;
  int most = set->has_sweep ? set->sweep.samples : 1;
  if (!set->has_sweep && !set->has_region) return CLI_DONE;
  if (set->has_region && set->region.directions > most) most = set->region.directions;
  if (set->has_region && set->region.samples > most) most = set->region.samples;
  cli_ground g;
  study w = {.job = job, .g = &g, .progress = cli_progress_of(job->args)};
  dm_status s = cli_ground_open(&g, job, kind, true);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  cli_tell(job, "robustness", "on the %s plant", pb_plant_names[kind]);
  w.rows = calloc((size_t)most, sizeof *w.rows);
  w.spread = calloc(2 * (size_t)job->names.n, sizeof *w.spread);
  double *radius = calloc(2 * (size_t)set->region.directions + 1, sizeof *radius);
  s = w.rows && w.spread && radius ? run(&w, radius) : DM_NO_MEMORY;
  cli_progress_end(&w.progress);
  free(w.rows), free(w.spread), free(radius);
  cli_ground_close(&g, job);
  if (s == DM_OK) return CLI_DONE;
  if (s == DM_IO) return CLI_INPUT;
  if (s != DM_INTERRUPTED) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  cli_error("interrupted: nothing is verified");
  return CLI_OUTCOME;
}

const char *cli_robustness_name(const pb_problem *p, int part) {
  int n = p->robot.tree->nq;
  if (part < FB_AXES) return fb_axis_names[part];
  part -= FB_AXES;
  return part < n ? p->robot.tree->name[part] : p->model->name[part - n];
}

dm_status cli_robustness_read(double **table, int *rows, const char *path, const pb_problem *p,
                              dm_message *msg) {
  int n = FB_AXES + p->robot.tree->nq + p->model->nq;
  const char **word = calloc((size_t)n + 1, sizeof *word);
  if (!word) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  for (int i = 0; i < n; i++) word[i] = cli_robustness_name(p, i);
  dm_status s = cli_table_read(table, rows, NULL, path, header, word, msg);
  free(word);
  return s;
}

dm_status cli_region_read(double **table, int *rows, const char *path, dm_message *msg) {
  return cli_table_read(table, rows, NULL, path, "direction,held,failed", NULL, msg);
}

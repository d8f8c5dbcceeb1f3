#include "cli/stages/cycle.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/registry.h"
#include "cli/results/verify.h"
#include "cli/stages/bench.h"
#include "control/feedback/orbit.h"
#include "control/loop/monte_carlo.h"
#include "optim/program/cycle.h"
#include "problems/run/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- multipliers

// in descending order of their sizes, which are zeroed on the way; text: the largest ones
static cli_json *list_multipliers(int nx, double *re, double *im, double *largest, char text[200]) {
  enum { SHOWN = 3 };
  static const double zero = 1e-9; // directions that constraints and impacts remove
  cli_json *list = json_object_new_array();
  text[0] = 0;
  *largest = 0;
  for (int count = 0;; count++) {
    int k = 0;
    for (int i = 1; i < nx; i++)
      if (hypot(re[i], im[i]) > hypot(re[k], im[k])) k = i;
    const double size = hypot(re[k], im[k]);
    if (!(size > zero)) break;
    *largest = fmax(*largest, size);
    cli_json *e = json_object_new_object();
    cli_json_number(e, "re", re[k]);
    cli_json_number(e, "im", im[k]);
    json_object_array_add(list, e);
    const size_t at = strlen(text);
    if (count < SHOWN) snprintf(text + at, 200 - at, "%s%.4g", count ? ", " : "", size);
    re[k] = im[k] = 0;
  }
  if (!text[0]) strcpy(text, "0");
  return list;
}

// report the multipliers re, im [nx], which are zeroed
static void report_multipliers(cli_call *call, bool feedback, int nx, double *re, double *im) {
  char text[200];
  double largest;
  cli_json *list = list_multipliers(nx, re, im, &largest, text);
  cli_json *o = cli_json_open(call->result, feedback ? "cycle.feedback" : "cycle");
  cli_json_number(o, "largest", largest);
  json_object_object_add(o, "multipliers", list);
  cli_tell(call, feedback ? "" : "cycle", "deviations are multiplied by %s in a period %s feedback",
           text, feedback ? "with" : "without");
}

int cli_cycle_report(cli_call *call, const oc_phases_task *t, const dm_trajectory *const *motion,
                     const double *const *gains) {
  const int nx = 2 * motion[0]->n;
  if (!t->periodic) return CLI_DONE;
  double *re = calloc(2 * (size_t)nx, sizeof *re), *im = re ? re + nx : NULL;
  if (!re) return cli_fail(call->args, CLI_FAULT, "out of memory");
  const dm_status status = oc_cycle_multipliers(t, motion, gains, re, im);
  if (status == DM_OK) // for some joins no multipliers exist
    report_multipliers(call, gains != NULL, nx, re, im);
  free(re);
  return CLI_DONE;
}

int cli_cycle_report_motion(cli_call *call, bool feedback) {
  const pb_run *run = &call->run;
  const oc_task *task = &run->p->task;
  const fb_tvlqr *gains = feedback ? run->control.gains : NULL;
  if (!run->p->has.task || !task->periodic || !run->x) return CLI_DONE;
  if (feedback && (!gains || !gains->nu || gains->late || gains->ni || gains->lag)) return CLI_DONE;
  const int nx = 2 * run->x->n;
  const bool orbits = feedback && gains->sections > 0;
  const size_t own = orbits ? (size_t)gains->N * (size_t)(gains->nu * nx) : 0;
  double *re = calloc(2 * (size_t)nx + own, sizeof *re), *im = re ? re + nx : NULL;
  if (!re) return cli_fail(call->args, CLI_FAULT, "out of memory");
  const double *K = feedback ? gains->K : NULL;
  if (orbits) {
    fb_orbit_gains(gains, im + nx);
    K = im + nx;
  }
  const dm_status status = oc_cycle_motion(run->x, &task->system, K, re, im);
  if (status == DM_OK) report_multipliers(call, feedback, nx, re, im);
  free(re);
  return CLI_DONE;
}

// -- samples

typedef struct cycle_samples {
  cli_call *call;
  const pb_problem *p; // of the first phase, whose starts are drawn
  double tolerance;    // of the last phase
  pb_walk *walk;
  double *d;         // [2n] start error
  pb_walked *walked; // [samples]
  bool *held;        // [samples] on all plants so far
  FILE *csv;         // verify.csv, and its rows
  fb_sample *rows;   // [samples]
  bool *ran;         // [samples]
} cycle_samples;

static bool is_held(const cycle_samples *w, const pb_walked *x) {
  return x->worst >= 0 && x->error <= w->tolerance;
}

// the samples on one plant
static int walk_samples(cycle_samples *w, pb_plant kind) {
  const pb_verification *v = &w->p->verify;
  const fb_monte_carlo_settings set = {
      .seed = v->seed, .spread_q = v->spread_q, .spread_v = v->spread_v};
  const int n = w->p->names.n;
  cli_progress progress = cli_progress_of(w->call->args);
  for (int s = 0; s < v->samples; s++) {
    if (cli_interrupted()) return CLI_OUTCOME;
    fb_monte_carlo_draw(&set, n, s, w->d, w->d + n);
    const dm_status status = pb_walk_run(w->walk, s, w->d, v->periods, NULL, &w->walked[s]);
    if (status != DM_OK)
      return cli_fail(w->call->args, cli_exit_of(status), "%s", dm_status_text(status));
    w->held[s] = w->held[s] && is_held(w, &w->walked[s]);
    cli_progress_show(&progress, (double)(s + 1) / v->samples,
                      "verify: ran %d of %d samples on the %s plant", s + 1, v->samples,
                      pb_plant_names[kind]);
  }
  cli_progress_end(&progress);
  return CLI_DONE;
}

static void report_samples(const cycle_samples *w, pb_plant kind, cli_json *v) {
  const int samples = w->p->verify.samples;
  char interval[32];
  int held = 0, fell = 0, worst = 0, least = w->p->verify.periods, saturated = 0;
  double early = 0, late = 0;
  for (int s = 0; s < samples; s++) {
    const pb_walked *x = &w->walked[s];
    held += is_held(w, x);
    fell += x->worst < 0;
    saturated += x->saturated > 0;
    if (x->error > w->walked[worst].error) worst = s;
    if (x->periods < least) least = x->periods;
    early = fmin(early, x->early);
    late = fmax(late, x->late);
  }
  cli_json *o = cli_json_object(v, pb_plant_names[kind]);
  cli_json_text(o, "plant", pb_plant_names[kind]);
  cli_put_rate(o, held, samples, interval);
  cli_json_number(o, "worst_final_error", w->walked[worst].error);
  cli_json_int(o, "worst_sample", worst);
  cli_json_int(o, "saturated", saturated);
  cli_json_int(o, "failed", fell);
  cli_json_int(o, "least_periods", least);
  cli_json_number(o, "earliest_touch", early);
  cli_json_number(o, "latest_touch", late);
}

// verify.csv: the errors at the start of a walk and after its periods, and steps of its controllers
static void write_samples(const cycle_samples *w, pb_run *const *run, pb_plant kind) {
  const pb_verification *v = &w->p->verify;
  const fb_monte_carlo_settings set = {
      .seed = v->seed, .spread_q = v->spread_q, .spread_v = v->spread_v};
  const int n = w->p->names.n, phases = w->call->run.p->phases.n;
  int steps = 0;
  for (int i = 0; i < phases; i++) steps += run[i]->x->N;
  for (int s = 0; s < v->samples; s++) {
    const pb_walked *x = &w->walked[s];
    fb_sample *row = &w->rows[s];
    *row = (fb_sample){.final_error = x->error,
                       .worst_error = x->error,
                       .worst_state = x->worst,
                       .saturated = x->saturated,
                       .steps = x->periods * steps,
                       .passed = -1,
                       .succeeded = is_held(w, x)};
    fb_monte_carlo_draw(&set, n, s, w->d, w->d + n);
    for (int i = 0; i < n; i++) {
      row->start_q_error = fmax(row->start_q_error, fabs(w->d[i]));
      row->start_v_error = fmax(row->start_v_error, fabs(w->d[n + i]));
    }
    w->ran[s] = true;
  }
  cli_verify_rows(w->csv, &w->p->names, pb_plant_names[kind], w->rows, NULL, v->samples, w->ran);
}

// the samples on each plant
static int walk_plants(cycle_samples *w, pb_run *const *run, cli_json *v) {
  int status = CLI_DONE;

  // contacts have no discrete plant
  pb_plant kind = PB_DISCRETE;
  for (int i = 0; i < w->call->run.p->phases.n; i++)
    if (run[i]->p->task.system.contacts) kind = PB_CONTINUOUS;
  for (; status == CLI_DONE && kind < PB_MUJOCO; kind++) {
    const dm_status s =
        pb_walk_new(&w->walk, &w->call->run.p->phases, run, kind, true, &w->call->msg);
    if (s != DM_OK)
      return cli_fail(w->call->args, s == DM_UNAVAILABLE ? CLI_INPUT : cli_exit_of(s), "%s: %s",
                      w->call->run.p->file.path, w->call->msg.text);
    status = walk_samples(w, kind);
    if (status == CLI_DONE) report_samples(w, kind, v);
    if (status == CLI_DONE) write_samples(w, run, kind);
    pb_walk_free(w->walk);
    w->walk = NULL;
  }
  return status;
}

// the verdict: a sample must keep walking on every plant
static int judge_samples(const cycle_samples *w, cli_json *v) {
  const pb_verification *set = &w->p->verify;
  char interval[32];
  int held = 0;
  for (int s = 0; s < set->samples; s++) held += w->held[s];
  cli_put_rate(v, held, set->samples, interval);
  if ((double)held / set->samples >= set->required) return CLI_DONE;
  cli_error("the gains fail: %d of %d samples keep walking for %d periods with a deviation of at "
            "most %g after them (verify.tolerance), at least %g %% are required",
            held, set->samples, set->periods, w->tolerance, 100 * set->required);
  return CLI_OUTCOME;
}

int cli_cycle_verify(cli_call *call, pb_run *const *run) {
  const pb_problem *p = run[0]->p;
  const pb_verification *set = &p->verify;
  cycle_samples w = {.call = call,
                     .p = p,
                     .tolerance = run[call->run.p->phases.n - 1]->p->verify.tolerance,
                     .d = calloc(2 * (size_t)p->names.n, sizeof *w.d),
                     .walked = calloc((size_t)set->samples, sizeof *w.walked),
                     .rows = calloc((size_t)set->samples, sizeof *w.rows),
                     .ran = calloc((size_t)set->samples, sizeof *w.ran),
                     .held = calloc((size_t)set->samples, sizeof *w.held)};
  int status = w.d && w.walked && w.held && w.rows && w.ran
                   ? CLI_DONE
                   : cli_fail(call->args, CLI_FAULT, "out of memory");
  if (status == CLI_DONE) {
    cli_forget(call, "verify");
    w.csv = cli_call_file(call, "verify.csv");
    if (!w.csv) status = CLI_INPUT;
  }
  if (status == CLI_DONE) {
    cli_table_begin(w.csv, &cli_file_verify, &p->names);
    cli_json *v = cli_json_object(call->result, "verify");
    memset(w.held, true, (size_t)set->samples);
    cli_json_int(v, "samples", set->samples);
    cli_json_int(v, "seed", (long long)set->seed);
    cli_json_int(v, "periods", set->periods);
    cli_json_text(v, "inputs_sha256", call->run.p->file.sha256);
    cli_json_number(v, "tolerance", w.tolerance);
    cli_json_number(v, "required", set->required);
    status = walk_plants(&w, run, v);
    if (status == CLI_DONE)
      status = judge_samples(&w, v);
    else
      json_object_object_del(call->result, "verify");
  }
  free(w.d);
  free(w.walked);
  free(w.held);
  free(w.rows);
  free(w.ran);
  return status;
}

void cli_cycle_tell(cli_call *call) {
  const cli_json *v = cli_json_get_object(call->result, "verify");
  const int samples = cli_json_get_int(v, "samples", 0);
  for (pb_plant kind = PB_DISCRETE; v && kind < PB_MUJOCO; kind++) {
    const cli_json *o = cli_json_get_object(v, pb_plant_names[kind]);
    if (!o) continue;
    cli_tell(call, "verify",
             "%d of %d keep walking for %d periods on the %s plant (%.1f to %.1f %%); worst "
             "deviation after them %.3g, touches from %.3g s to %.3g s off the plan",
             cli_json_get_int(o, "held", 0), samples, cli_json_get_int(v, "periods", 0),
             pb_plant_names[kind], 100 * cli_json_get_number(o, "rate_low", 0),
             100 * cli_json_get_number(o, "rate_high", 1),
             cli_json_get_number(o, "worst_final_error", INFINITY),
             cli_json_get_number(o, "earliest_touch", 0),
             cli_json_get_number(o, "latest_touch", 0));
  }
}

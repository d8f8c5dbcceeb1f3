#include "cli/results/verify.h"
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/mpi/work_sharing.h"
#include "cli/results/columns.h"
#include "cli/results/fan.h"
#include "cli/results/registry.h"
#include "cli/results/sentences.h"
#include "cli/stages/bench.h"
#include "cli/stages/call.h"
#include "cli/stages/exported.h"
#include "cli/stages/kept_end.h"
#include "cli/stages/lost.h"
#include "cli/stages/sample_reports.h"
#include "cli/stages/samples.h"
#include "cli/stages/score.h"
#include "cli/stages/verify_limits.h"
#include "control/feedback/plan.h"
#include "control/loop/mujoco.h"
#include "problems/readers/task/units.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAN = 30 };

// a controller on a plant, with its key in verify.csv and result.json
typedef struct contest {
  const char *key, *plant, *law;
  int passage; // index in cli_passage.on
} contest;

// a verification on all plants
typedef struct verification {
  cli_call *call;
  const cli_passage *starts; // of samples, from the previous phase; NULL: by spread
  cli_passage *ends;         // of samples, to be recorded; NULL: not recorded
  FILE *csv;
  fb_sample *rows;   // [samples]
  bool *on_all;      // [samples] whether it succeeded on all plants so far
  char why[CLI_WHY]; // why too few succeeded; empty: not yet explained
  bool beside;       // for comparison: nothing counts or is explained
} verification;

typedef struct watcher {
  cli_progress progress;
  const char *plant;
  int samples;
} watcher;

static bool watch_samples(void *user, int done) {
  watcher *w = user;
  cli_progress_show(&w->progress, (double)done / w->samples,
                    "verify: ran %d of %d samples on the %s plant", done, w->samples, w->plant);
  return !cli_interrupted();
}

static int compare_errors(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

// the error of one output: median, maximum, and number of samples within its bound
static void report_output(cli_call *call, cli_json *list, int i, const double *errors,
                          const bool *ran, double *sorted) {
  const pb_verification *v = &call->run.p->verify;
  const fb_output_bound *bound = &v->bounds[i];
  const pb_output_tolerance *of = &v->named[i];
  const char *unit = dm_outputs_unit(call->run.p->robot.outputs.rows, bound->first);
  int count = 0, worst = -1, within = 0;
  for (int s = 0; s < v->samples; s++) {
    const double error = errors[s * v->outputs.count + i];
    if (!ran[s]) continue;
    sorted[count++] = error;
    within += error <= bound->within;
    if (worst < 0 || error > errors[worst * v->outputs.count + i]) worst = s;
  }
  if (!count) return;
  qsort(sorted, (size_t)count, sizeof *sorted, compare_errors);
  const double median = sorted[(count - 1) / 2], largest = sorted[count - 1];

  // in result.json
  cli_json *o = json_object_new_object();
  json_object_array_add(list, o);
  cli_json_text(o, "output", of->name);
  cli_json_text(o, "when", pb_output_when_words[of->when]);
  cli_json_text(o, "unit", unit);
  cli_json_number(o, "tolerance", bound->within);
  cli_json_int(o, "within", within);
  cli_json_number(o, "median", median);
  cli_json_number(o, "worst", largest);
  cli_json_int(o, "worst_sample", worst);

  // in the summary; a cosine has no unit
  if (!strcmp(unit, "1")) unit = "";
  const char *gap = unit[0] ? " " : "";
  cli_tell(call, "",
           "'%s' %s: %.3g%s%s off (median), %.3g at worst (sample %d); %d of %d within %g",
           of->name, pb_output_when_texts[of->when], median, gap, unit, largest, worst, within,
           count, bound->within);
}

// all outputs with bounds
static void report_outputs(cli_call *call, cli_json *o, const double *errors, const bool *ran,
                           double *sorted) {
  const pb_verification *v = &call->run.p->verify;
  if (!v->outputs.count) return;
  cli_json *list = json_object_new_array();
  json_object_object_add(o, "outputs", list);
  for (int i = 0; i < v->outputs.count; i++) report_output(call, list, i, errors, ran, sorted);
}

// samples: number that ran
static cli_json *report_plant(cli_call *call, const contest *on, const fb_sample *rows,
                              int samples) {
  // successes with Clopper and Pearson's interval; the worst sample
  fb_verdict v = fb_monte_carlo_verdict(rows, call->run.p->verify.samples);
  cli_json *o = json_object_new_object();
  char interval[32];
  cli_json_text(o, "law", on->law);
  cli_json_text(o, "plant", on->plant);
  cli_put_rate(o, v.succeeded, samples, interval);
  cli_json_number(o, "worst_final_error", v.worst_final_error);
  cli_json_number(o, "worst_error", v.worst_error);
  cli_json_int(o, "worst_sample", v.worst);
  cli_json_int(o, "saturated", v.saturated);
  cli_json_int(o, "failed", v.failed);

  cli_json_int(o, "~samples", samples);
  cli_json_text(o, "~interval", interval);
  cli_tell_group(call->summary.file, "verify.*", o);
  return o;
}

static bool is_too_few(const pb_problem *p, const fb_sample *rows) {
  return (double)fb_monte_carlo_verdict(rows, p->verify.samples).succeeded / p->verify.samples <
         p->verify.required;
}

// write a row per sample that ran, the number of successes, and output errors; returns the plant's
// object in result.json
static cli_json *report_samples(cli_call *call, const contest *on, FILE *csv, const fb_sample *rows,
                                double *errors, const bool *ran, int count) {
  const pb_verification *of = &call->run.p->verify;
  cli_json *v = NULL;
  cli_verify_rows(csv, &call->run.p->names, on->key, rows, errors, of->samples, ran);
  json_object_object_get_ex(call->result, "verify", &v);
  cli_json *o = report_plant(call, on, rows, count);
  json_object_object_add(v, on->key, o);
  report_outputs(call, o, errors, ran, errors + (size_t)of->samples * (size_t)of->outputs.count);
  cli_report_envelope(call, o, rows, ran);
  cli_report_rest(call, o, rows, ran);
  cli_report_slip(call, o, rows, ran);
  cli_report_horizons(call, o, rows, ran);
  return o;
}

// use the ends of the previous phase on this plant as starts; returns false if there are none
static bool begin_where_they_ended(const verification *v, const contest *on, fb_bench *g) {
  if (!v->starts) return true;
  g->set.draw = cli_passing_draw;
  g->set.from = &v->starts->on[on->passage];
  if (v->starts->on[on->passage].there) return true;
  cli_note(v->call->args, "%s: not verified %s%s: the phase before was not",
           v->call->run.p->file.name, on->passage < PB_PLANTS ? "on the plant " : "as ", on->key);
  return false;
}

// results of the samples on one plant
typedef struct plant_run {
  double *q;      // [fan x (N+1) x n] curves of the first samples
  double *errors; // [samples x (bounds + 1)] of outputs, with space for sorting one of them
  cli_limit_counts limits;
  bool *ran;      // [samples]
  int fan, count; // number of curves; number of samples that ran
  bool partial;   // interrupted, with results from other ranks
  char lost[256]; // message about lost ranks
} plant_run;

static bool make_plant_run(plant_run *w, const cli_call *call, bool fan) {
  const pb_problem *p = call->run.p;
  const pb_verification *v = &p->verify;
  const fb_tvlqr *law = &call->run.control.law->f;
  const size_t samples = (size_t)v->samples, outputs = (size_t)v->outputs.count + 1;
  *w = (plant_run){.fan = v->samples < FAN ? v->samples : FAN};
  if (!fan) w->fan = 0;
  w->ran = calloc(samples, sizeof *w->ran);
  w->errors = calloc(samples * outputs, sizeof *w->errors);
  if (w->fan)
    w->q = calloc((size_t)w->fan * (size_t)(law->N + 1) * (size_t)p->names.n, sizeof *w->q);
  return cli_limit_counts_make(&w->limits, p->names.n) && w->ran && w->errors && (w->q || !w->fan);
}

// run the samples on all ranks; after an interrupt only results from other ranks are kept
static int run_plant_samples(plant_run *w, const verification *v, const contest *on, fb_bench *g) {
  cli_call *call = v->call;
  const pb_verification *of = &call->run.p->verify;
  watcher watch = {cli_progress_of(call->args), on->key, of->samples};
  double *ends = v->ends ? v->ends->on[on->passage].y : NULL;
  fb_monte_carlo_settings set = g->set;
  set.positions = w->limits.positions;
  set.speeds = w->limits.speeds;
  const dm_status s =
      cli_samples_run(call, &g->plant, &set, v->rows, of->outputs.count ? w->errors : NULL, ends,
                      w->fan, w->q, watch_samples, &watch, w->ran, w->lost);
  cli_progress_end(&watch.progress);
  for (int i = 0; i < of->samples; i++) w->count += w->ran[i];
  w->partial = s == DM_INTERRUPTED && cli_work_count() > 1 && w->count;
  if (w->partial || s >= 0) return CLI_DONE;
  if (s == DM_BAD_INPUT) return cli_refuse_starts(call, set.refused, "verify.spread");
  if (s != DM_INTERRUPTED) return cli_fail(call->args, cli_exit_of(s), "%s", dm_status_text(s));
  cli_error("interrupted: no sample is verified");
  return CLI_OUTCOME;
}

// write a row per sample, a summary, and an explanation if too few succeed
static int report_plant_run(const plant_run *w, verification *v, const contest *on, fb_bench *g) {
  cli_call *call = v->call;
  const pb_problem *p = call->run.p;
  const fb_tvlqr *law = &call->run.control.law->f;
  int status = CLI_DONE;
  cli_json *o = report_samples(call, on, v->csv, v->rows, w->errors, w->ran, w->count);
  cli_limit_counts_report(call, o, on->plant, v->rows, w->ran, &w->limits);

  // explain only the first failing plant; then update samples successful on all plants
  if (!v->beside && !v->why[0] && !w->partial && cli_work_this() == 0 && is_too_few(p, v->rows))
    cli_explain_loss(call, on->key, g, v->rows, w->ran, v->on_all, o, v->why);
  for (int i = 0; !v->beside && i < p->verify.samples; i++)
    v->on_all[i] = v->on_all[i] && v->rows[i].succeeded;
  if (v->ends && !w->partial) {
    // record which samples have passed all phases so far on this plant
    cli_passing *to = &v->ends->on[on->passage];
    const cli_passing *from = v->starts ? &v->starts->on[on->passage] : NULL;
    to->there = true;
    for (int i = 0; i < v->call->run.p->verify.samples; i++)
      to->held[i] = v->rows[i].succeeded && (!from || from->held[i]);
  }
  if (w->partial) {
    // keep results received from ranks before an interrupt, marked as partial
    const int count = w->count;
    cli_json *verify = NULL;
    int all = call->run.p->verify.samples;
    json_object_object_get_ex(call->result, "verify", &verify);

    // mark in columns.txt and result.json, and tell the user
    cli_columns_describe(call->result, "verify.csv", "partial: %d of %d samples on the %s plant",
                         count, all, on->key);
    cli_json_text(verify, "status", "partial");
    cli_json_int(verify, "ran", count);
    cli_error(
        "ended early: of %d samples on the %s plant %d ran; they are stored, labelled partial", all,
        on->key, count);
    status = CLI_OUTCOME;
  }
  if (w->lost[0]) cli_error("%s%s", w->lost, w->partial ? "" : "; the others ran its samples");

  // the curves, if complete
  if (!w->fan || w->partial) return status;
  FILE *f = cli_call_file(call, "fan.csv");
  if (!f) return CLI_INPUT;
  cli_fan_write(f, &p->names, w->fan, law->N, law->h, w->q);
  return status;
}

// run all samples on one plant; record curves if `fan` is set
static int run_plant(verification *v, const contest *on, fb_bench *g, bool fan) {
  plant_run w;
  if (!begin_where_they_ended(v, on, g)) return CLI_DONE;
  int status = CLI_DONE;
  if (!make_plant_run(&w, v->call, fan))
    status = cli_fail(v->call->args, CLI_FAULT, "out of memory");
  if (status == CLI_DONE) status = run_plant_samples(&w, v, on, g);
  if (status == CLI_DONE) status = report_plant_run(&w, v, on, g);

  cli_limit_counts_free(&w.limits);
  free(w.ran);
  free(w.errors);
  free(w.q);

  return status;
}

// why MuJoCo is unavailable
static const char *explain_mujoco(void) {
  return fb_has_mujoco()
             ? "it runs robots as their URDF files have them, or on wheels, without springs, "
               "other constraints, forces on bodies, payloads, added bodies, locked, "
               "kinematic, mimic or ball joints, and without stops (verify.limits: stop)"
             : "this build has none";
}

// note that a plant is unavailable
static void note_absent_plant(cli_call *call, pb_plant kind) {
  dm_message why;
  if (kind == PB_MUJOCO && pb_robot_require_mujoco(&call->run.p->robot, &why) != DM_OK)
    cli_note(call->args, "not verified in MuJoCo: %s", why.text);
  else if (kind == PB_MUJOCO)
    cli_note(call->args, "not verified in MuJoCo: %s", explain_mujoco());
  else if (kind == PB_DISCRETE)
    cli_tell(call, "verify", "on a plant with %s in %d steps per step of the controller",
             call->run.p->robot.mechanism.contacts ? "contacts" : "joints that stick",
             PB_CONTACT_PARTS);
  else
    cli_tell(call, "verify",
             "on the discrete plant alone: the continuous one has no kinematic coordinates");
}

static bool has_plant(cli_call *call, pb_plant kind) {
  cli_bench g;
  if (cli_bench_open(&g, call, kind, CLI_BENCH_ASKED) != DM_OK) return false;
  cli_bench_close(&g);
  return true;
}

// the plant of verify.start must exist; check before running samples
static int check_start_plant(cli_call *call) {
  const pb_verification *v = &call->run.p->verify;
  if (!v->has_start || v->start_plant == PB_PLANTS || has_plant(call, v->start_plant))
    return CLI_DONE;

  // why it does not exist
  char at[PB_PLACE];
  const char *why =
      v->start_plant == PB_MUJOCO ? explain_mujoco() : "it has no kinematic coordinates";
  return cli_fail(call->args, CLI_INPUT,
                  "%s: verify.start.plant: found %s, and there is no such plant: %s; expected one "
                  "that there is: try discrete",
                  pb_problem_at(call->run.p, "verify.start.plant", at),
                  pb_plant_names[v->start_plant], why);
}

// check that pushes fit into the motion
static int check_pushes(cli_call *call) {
  const fb_pushes *pushes = &call->run.p->verify.robust.set.pushes;
  const double T = call->run.control.law->f.N * call->run.control.law->f.h;
  char at[PB_PLACE];
  if (fb_pushes_fit(pushes, T)) return CLI_DONE;
  return cli_fail(call->args, CLI_INPUT,
                  "%s: verify.pushes: found %d pushes at least %g s apart in a motion of %g s, "
                  "expected room for them: try a smaller count, or apart",
                  pb_problem_at(call->run.p, "verify.pushes", at), pushes->count, pushes->apart, T);
}

// check that outputs to be compared with the plan's are defined there
static int check_outputs(cli_call *call) {
  const pb_problem *p = call->run.p;
  const fb_tvlqr *law = &call->run.control.law->f;
  const size_t n = (size_t)p->names.n;
  fb_output_errors *w = NULL;
  int knot = 0;
  if (!cli_output_bounds(p)) return CLI_DONE;

  // the outputs of the plan at all knots
  double *v = calloc(((size_t)law->N + 1) * n, sizeof *v);
  dm_status s = v ? fb_output_errors_new(&w, &p->verify.outputs, law->N, law->h) : DM_NO_MEMORY;
  if (s == DM_OK) s = fb_plan_speeds(law, &p->task.system, v, &knot);
  for (size_t k = 0; s == DM_OK && k <= (size_t)law->N; k++)
    s = fb_output_errors_plan(w, (int)k, law->x + k * 2 * n, v + k * n);
  const int i = s == DM_OK ? fb_output_errors_missing(w, &knot) : -1;
  fb_output_errors_free(w);
  free(v);
  if (s != DM_OK) return cli_fail(call->args, cli_exit_of(s), "%s", dm_status_text(s));
  if (i < 0) return CLI_DONE;
  const pb_output_tolerance *of = &p->verify.named[i];
  return cli_fail(call->args, CLI_INPUT,
                  "%s:%d:%d: verify.tolerance: the output '%.64s' has no value at knot %d of the "
                  "plan, with which samples are compared %s; leave it out, or plan around that",
                  p->file.path, of->at[0], of->at[1], of->name, knot,
                  pb_output_when_texts[of->when]);
}

// simulate the start of verify.start on the plant, without sensor errors
static int respond_on_plant(cli_call *call, pb_plant kind) {
  cli_bench g;
  dm_status s = cli_bench_open(&g, call, kind, CLI_BENCH_ASKED);
  if (s != DM_OK) return cli_fail(call->args, cli_exit_of(s), "%s", dm_status_text(s));
  fb_plant bare = *g.b->bare;
  call->run.control.law->f.sensor = g.b->inner;
  int status = cli_response(call, &bare, pb_plant_names[kind]);
  cli_bench_close(&g);
  return status;
}

// compile the exported controller, if its plant exists
static int open_exported(cli_call *call, cli_exported **out) {
  if (!call->run.p->names.nu) return CLI_DONE;
  if (has_plant(call, PB_CONTINUOUS)) return cli_exported_open(out, call);
  cli_note(call->args, "not verified as exported: there is no continuous plant");
  return CLI_DONE;
}

// run samples with the exported controller; NULL: no inputs, no controller
static int run_exported(verification *v, cli_exported *exported) {
  cli_call *call = v->call;
  cli_bench g;
  dm_status s = cli_bench_open(&g, call, PB_CONTINUOUS, CLI_BENCH_ASKED);
  if (s != DM_OK) return cli_fail(call->args, cli_exit_of(s), "%s", dm_status_text(s));
  const contest on = {"exported", pb_plant_names[PB_CONTINUOUS],
                      exported ? cli_exported_law(exported) : "none", PB_PLANTS};
  if (exported) cli_exported_begin(exported);
  int status = run_plant(v, &on, g.b, false);
  if (exported) cli_exported_end(exported);
  cli_bench_close(&g);
  return status;
}

// run all available plants: the discrete map; the continuous equations, unless coordinates are
// kinematic; MuJoCo if requested. Curves, robustness and, by default, the single start use the
// continuous plant, else the discrete one.
static int run_plants(verification *v) {
  cli_call *call = v->call;
  cli_bench g;
  const int plants = call->run.p->verify.robust.mujoco ? PB_PLANTS : PB_MUJOCO;

  // 1  the plant for pictures
  const pb_plant shown = has_plant(call, PB_CONTINUOUS) ? PB_CONTINUOUS : PB_DISCRETE;
  const pb_plant asked = call->run.p->verify.start_plant;
  int status = check_start_plant(call);
  if (status == CLI_DONE) status = check_pushes(call);
  if (status == CLI_DONE) status = check_outputs(call);
  if (status == CLI_DONE) status = cli_score_check(call);

  // compile the exported controller before long runs, because verification fails without a compiler
  char law[CLI_MANNER];
  cli_manner(call->run.p, call->run.p->verify.recedes, law);
  cli_exported *exported = NULL;
  if (status == CLI_DONE && call->run.p->verify.robust.exported)
    status = open_exported(call, &exported);

  // 2  the samples on each available plant
  for (pb_plant kind = PB_DISCRETE; status == CLI_DONE && (int)kind < plants; kind++) {
    const char *name = pb_plant_names[kind];
    dm_status s = cli_bench_open(&g, call, kind, CLI_BENCH_ASKED);
    if (s == DM_UNAVAILABLE) {
      note_absent_plant(call, kind);
      continue;
    }
    if (s != DM_OK) {
      cli_exported_close(exported);
      return cli_fail(call->args, cli_exit_of(s), "%s", dm_status_text(s));
    }
    const contest on = {name, name, law, (int)kind};
    status = run_plant(v, &on, g.b, kind == shown);
    cli_bench_close(&g);
  }

  // 3  the exported controller on the continuous plant
  const bool idle = call->run.p->verify.robust.exported && !call->run.p->names.nu;
  if (status == CLI_DONE && (exported || idle)) status = run_exported(v, exported);
  cli_exported_close(exported);

  // 4  a single start
  if (status == CLI_DONE && call->run.p->verify.has_start)
    status = respond_on_plant(call, asked == PB_PLANTS ? shown : asked);

  // 5  each axis separately, and the region of attraction
  if (status == CLI_DONE) status = cli_robustness(call, shown);

  // 6  the score by criteria
  return status == CLI_DONE ? cli_criteria(call) : status;
}

// the samples with the gains, on the plant of the pictures; they do not count for the verdict
static int run_gains_beside(verification *v) {
  cli_call *call = v->call;
  const pb_plant kind = has_plant(call, PB_CONTINUOUS) ? PB_CONTINUOUS : PB_DISCRETE;
  verification beside = *v;
  cli_bench g;
  char law[CLI_MANNER];
  cli_manner(call->run.p, false, law);
  const contest on = {"gains", pb_plant_names[kind], law, (int)kind};
  beside.ends = NULL;
  beside.beside = true;
  const dm_status s = cli_bench_open(&g, call, kind, CLI_BENCH_ASKED);
  int status = s == DM_OK ? run_plant(&beside, &on, g.b, false)
                          : cli_fail(call->args, cli_exit_of(s), "%s", dm_status_text(s));
  if (s == DM_OK) cli_bench_close(&g);
  return status;
}

// the law of receding-horizon control in place of the gains, which then run once for comparison
static int run_receding_law(verification *v, pb_controller *c) {
  cli_call *call = v->call;
  fb_output_feedback *gains = call->run.control.law, *law;
  const dm_status s = pb_controller_recede(&law, c, call->run.p, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  if (pb_controller_unreached(c, call->run.p, &call->msg))
    cli_note(call->args, "warning: %s", call->msg.text);
  assert(!c->reference || c->reference_rows > gains->f.N);
  fb_output_feedback_stop_at(law, gains->f.N, c->reference ? c->reference : gains->f.x);
  call->run.control.law = law;
  int status = run_plants(v);
  call->run.control.law = gains;
  fb_output_feedback_free(law);
  return status == CLI_DONE ? run_gains_beside(v) : status;
}

// verify the controller as exported: with its longer schedule if the end is held
static int run_verified_law(verification *v) {
  cli_call *call = v->call;
  cli_kept_end end;
  dm_status s = cli_kept_end_open(&end, call);
  if (s == DM_OK) s = cli_kept_end_begin(&end, call);
  int status = CLI_DONE;
  if (s != DM_OK)
    status = cli_fail_status(call->args, s, s == DM_NO_MEMORY ? NULL : &call->msg);
  else if (call->run.p->verify.recedes)
    status = run_receding_law(v, end.control.gains ? &end.control : &call->run.control);
  else
    status = run_plants(v);
  cli_kept_end_end(&end, call);
  cli_kept_end_close(&end);
  return status;
}

// remove the verdict of an interrupted verification, unless it is partial
static void forget_verdict(cli_call *call) {
  // marked as partial: keep it
  cli_json *v = NULL;
  json_object_object_get_ex(call->result, "verify", &v);
  if (cli_json_get_text(v, "status")) return;
  cli_forget(call, "verify");
  json_object_object_del(call->result, "verify");
}

static int judge_gains(cli_call *call, const bool *on_all, const char *why) {
  const pb_problem *p = call->run.p;
  cli_json *v = NULL;
  int held = 0;

  // a sample must succeed on every plant
  for (int i = 0; i < p->verify.samples; i++) held += on_all[i];
  json_object_object_get_ex(call->result, "verify", &v);
  char interval[32];
  cli_put_rate(v, held, p->verify.samples, interval);
  if ((double)held / p->verify.samples >= p->verify.required) {
    // the bound on x'P x: the file's, or the largest value of successful samples plus a margin for
    // rounding
    static const char *const plants[] = {"discrete", "continuous", "mujoco", "exported"};
    static const double MORE = 1.01;
    double bound = call->run.p->feedback.envelope.cost, cost = 0;
    if (bound > 0) {
      for (size_t i = 0; i < sizeof plants / sizeof *plants; i++)
        cost =
            fmax(cost, cli_json_get_number(cli_json_get_object(v, plants[i]), "largest_cost", 0));
      if (isinf(bound)) bound = MORE * cost;
      cli_json_number(v, "envelope_cost", bound);
      cli_tell(call, "verify",
               "the law's envelope: x'P x up to %.6g, where samples that succeeded came to %.6g",
               bound, cost);
    }

    return CLI_DONE;
  }

  // remove a controller made from failed gains
  cli_forget_controller(call);
  cli_error("%s: %d of %d samples succeed, at least %g %% are required%s%s",
            p->verify.recedes ? "receding-horizon control fails" : "the gains fail", held,
            p->verify.samples, 100 * p->verify.required, why[0] ? "; " : "", why);
  return CLI_OUTCOME;
}

// print the default tolerance with its units
static void tell_tolerance(cli_call *call) {
  const pb_problem *p = call->run.p;
  bool slides = false, turns = false;
  // phases before the last one have no tolerance
  if (!p->verify.by_default || isinf(p->verify.tolerance)) return;
  for (int i = 0; i < call->run.p->names.n; i++) {
    const bool slide = p->model->kind[i] == DM_SLIDE;
    slides |= slide;
    turns |= !slide;
  }
  const double t = p->verify.tolerance;
  char text[160] = "";
  if (slides) snprintf(text, sizeof text, "%g m and %g m/s", t, t);
  const size_t used = strlen(text);
  if (turns)
    snprintf(text + used, sizeof text - used, "%s%g rad and %g rad/s", slides ? ", " : "", t, t);
  cli_tell(call, "tolerance", "%s at the end, by default (verify.tolerance, verify.scale)", text);
}

int cli_verify(cli_call *call, const cli_passage *starts, cli_passage *ends) {
  const pb_problem *p = call->run.p;

  // run continues without samples; verify requires them
  if (!p->has.verify || p->verify.samples < 1) {
    if (strcmp(call->args->command->name, "verify") == 0)
      return cli_fail(call->args, CLI_INPUT, "%s has no section 'verify' with samples: add one",
                      p->file.path);
    cli_note(call->args, "%s has no samples to verify", p->file.path);
    return CLI_DONE;
  }

  // remove results of other samples, except files that are made again
  cli_forget(call, "verify");

  FILE *csv = cli_call_file(call, "verify.csv");
  if (!csv) return CLI_INPUT;
  cli_table_begin(csv, &cli_file_verify, &call->run.p->names);

  // record the controller, its inputs, the seed and the measure
  cli_json *v = cli_json_object(call->result, "verify");
  cli_json_int(v, "samples", p->verify.samples);
  cli_json_int(v, "seed", (long long)p->verify.seed);
  char law[CLI_MANNER];
  cli_json_text(v, "law", cli_manner(p, p->verify.recedes, law));
  cli_json_text(v, "inputs_sha256", p->file.sha256);
  cli_json_number(v, "tolerance", p->verify.tolerance);
  tell_tolerance(call);
  if (starts) cli_json_text(v, "starts", starts->phase);
  cli_json_number(v, "required", p->verify.required);

  const size_t samples = (size_t)p->verify.samples;
  verification w = {.call = call,
                    .starts = starts,
                    .ends = ends,
                    .csv = csv,
                    .rows = calloc(samples, sizeof *w.rows),
                    .on_all = calloc(samples, sizeof *w.on_all)};
  int status = CLI_FAULT;
  if (!w.rows || !w.on_all) {
    cli_fail(call->args, status, "out of memory");
  } else {
    memset(w.on_all, true, samples);
    status = run_verified_law(&w);
    if (status == CLI_OUTCOME) forget_verdict(call);
    if (status == CLI_DONE) status = judge_gains(call, w.on_all, w.why);
  }
  free(w.rows);
  free(w.on_all);
  return status;
}

const cli_command cli_command_verify = {
    .name = "verify",
    .what = "verify the gains from perturbed starts, on two plants",
    .usage = "PROBLEM|DIR [-o DIR] [--now] [--threads K]",
    .goal = CLI_TO_VERIFY,
    .shares = true,
};

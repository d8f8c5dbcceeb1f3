#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/stages/job.h"
#include "control/codegen/controller.h"
#include "control/codegen/emulation.h"
#include "control/codegen/replay.h"
#include "control/codegen/tables.h"
#include "control/feedback/resample.h"
#include "control/feedback/rest.h"
#include "control/loop/closed_loop.h"
#include "control/loop/monte_carlo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporter {
  cli_job *job;
  fb_tvlqr *f, *sampled;   // the schedule and rest at its end, where the job's has none: at knots,
                           // and at the controller's rate; NULL: the job's own
  fb_estimator *estimator; // along that; NULL: the job's own
  fb_sensor sensor;        // through it
  fb_codegen *c;
  const char **unit; // [3n + nu] of q, v and p by coordinate, then of inputs
  double difference; // of the library's law and the exported one, at most
} exporter;

// -- may it be exported?

// why nothing says that the gains hold; NULL where verify does
static const char *find_doubt(const cli_job *job, char *text, size_t size) {
  const cli_json *v = cli_json_get_object(job->result, "verify");

  // 1  enough samples are there
  char law[CLI_MANNER];
  const char *verified = cli_json_get_text(v, "law");
  int held = cli_json_get_int(v, "held", -1), samples = cli_json_get_int(v, "samples", 0);
  if (held < 0 || samples < 1) return "no verification is stored; run dmoc verify";

  // 2  of this law: form, rate, delay, estimator
  if (!verified || strcmp(verified, cli_manner(job->p, law))) {
    snprintf(text, size, "another law was verified (%s); run dmoc verify again",
             verified ? verified : "unknown");
    return text;
  }

  // 3  of this problem
  const char *inputs = cli_json_get_text(v, "inputs_sha256");
  if (!inputs || strcmp(inputs, job->p->sha256))
    return "the problem has changed since it was verified; run dmoc verify again";

  // 4  and enough of them held
  if (held >= job->p->verify.required * samples) return NULL;
  snprintf(text, size, "the gains fail: %d of %d samples succeed, at least %g %% are required",
           held, samples, 100 * job->p->verify.required);
  return text;
}

// take the bound of `auto` from the verification of this law; why there is none, NULL where there is
static const char *take_verified_cost(cli_job *job, char *text, size_t size) {
  fb_envelope *e = &job->p->feedback.envelope;
  if (!isinf(e->cost)) return NULL;

  // one that succeeded, and stored what it covered
  char doubt[320];
  const char *why = find_doubt(job, doubt, sizeof doubt);
  const double bound =
      cli_json_get_number(cli_json_get_object(job->result, "verify"), "envelope_cost", 0);
  if (!why && !(bound > 0 && isfinite(bound))) why = "no sample of it has left its plan";
  if (!why) e->cost = bound;
  if (!why) return NULL;
  snprintf(text, size,
           "feedback.envelope_cost: found auto, whose bound is what a verification that succeeded "
           "has covered: %s; or give a number",
           why);
  return text;
}

// -- the end, which is kept where nothing is said of it

// the schedule that is exported
static fb_tvlqr *find_schedule(const exporter *e) {
  const cli_job *job = e->job;
  if (e->f) return e->sampled ? e->sampled : e->f;
  return job->sampled ? job->sampled : job->f;
}

// the filter that is exported
static fb_estimator *find_filter(const exporter *e) {
  return e->f ? e->estimator : e->job->estimator;
}

// so long a rest that what looks back sees nothing but rest, and that a filter settles     [s]
static double choose_rest_time(const cli_job *job) {
  enum { STEPS = 4 };
  const double h = job->x->h, rate = job->p->feedback.rate;
  if (job->estimator) return job->x->N * h;
  return STEPS * fmax(h, isfinite(rate) ? 1 / rate : 0);
}

// the end's speed, of which rest has none
static dm_status check_end_speed(const cli_job *job, dm_message *msg) {
  static const double NEAR = 0.1; // rad/s or m/s, as fb_rest_settings.near of places
  const dm_trajectory *x = job->x;
  for (int i = 0; i < x->n; i++) {
    double v = x->v[(size_t)x->N * (size_t)x->n + (size_t)i];
    if (!(fabs(v) <= NEAR))
      return dm_fail(msg, DM_INFEASIBLE, "the motion ends with '%.64s' at a speed of %.3g",
                     job->names.coord[i], v);
  }
  return DM_OK;
}

// gains along the motion and rest: those of the job, then the steady gain
static dm_status make_kept_schedule(exporter *e, dm_message *msg) {
  cli_job *job = e->job;
  const pb_feedback *set = &job->p->feedback;
  fb_rest_settings rest = fb_rest_default();
  rest.time = choose_rest_time(job);
  rest.u_min = set->u_min;
  rest.u_max = set->u_max;
  rest.coord = job->names.coord;
  rest.input = job->names.input;

  // the motion, then rest near its end
  dm_trajectory *x = NULL;
  double off;
  int steps, failed;
  dm_status s = check_end_speed(job, msg);
  if (s == DM_OK) s = fb_rest_append(&x, job->x, &job->task->system, &rest, &steps, &off, msg);
  if (s != DM_OK) return s;

  // K of the job's knots; a late one of the last knot acts at rest already
  fb_weights weights = {.Q = set->Q,
                        .R = set->R,
                        .integral = set->integral,
                        .name = job->names.coord,
                        .rest = steps,
                        .delay = isfinite(set->rate) ? 0 : set->delay};
  s = fb_tvlqr_new(&e->f, x, &job->task->system, &weights, &failed, msg);
  dm_trajectory_free(x);
  if (s != DM_OK) return s;
  cli_set_law(e->f, job->p);
  const fb_tvlqr *f = job->f;
  const size_t own = (size_t)(f->N - f->late), nu = (size_t)f->nu, nx = (size_t)f->nx;
  memcpy(e->f->K, f->K, own * nu * nx * sizeof *f->K);
  memcpy(e->f->P, f->P, (size_t)f->N * nx * nx * sizeof *f->P);
  if (f->ni) memcpy(e->f->Ki, f->Ki, own * nu * (size_t)f->ni * sizeof *f->Ki);
  if (f->W) memcpy(e->f->W, f->W, own * nu * nu * sizeof *f->W);
  return DM_OK;
}

// what the job has made of its schedule, made of this one
static dm_status follow_kept_schedule(exporter *e, dm_message *msg) {
  cli_job *job = e->job;
  const pb_feedback *set = &job->p->feedback;
  int failed;
  if (isfinite(set->rate))
    DM_TRY(fb_resample_new(&e->sampled, e->f, &job->task->system, set->rate, set->between,
                           set->delay, msg));
  if (!job->estimator) return DM_OK;

  // the filter goes on at rest
  fb_tvlqr *along = find_schedule(e);
  DM_TRY(fb_estimator_new(&e->estimator, along, &job->task->system, &set->sensors, &failed, msg));
  e->sensor = fb_estimator_sensor(e->estimator);
  along->sensor = &e->sensor;
  return DM_OK;
}

static void free_kept_schedule(exporter *e) {
  fb_estimator_free(e->estimator);
  fb_tvlqr_free(e->sampled);
  fb_tvlqr_free(e->f);
  e->estimator = NULL;
  e->sampled = e->f = NULL;
}

// keep the end where the file says nothing of it; where there is no rest, say so
static void keep_end(exporter *e) {
  cli_job *job = e->job;
  dm_message msg = {""};
  if (!job->p->feedback.keeps_end) return;
  dm_status s = make_kept_schedule(e, &msg);
  if (s == DM_OK) s = follow_kept_schedule(e, &msg);
  if (s == DM_OK) return;

  // as without: the law of the last knot
  free_kept_schedule(e);
  cli_note(job->args,
           "warning: controller.c does not keep the motion's end: %s; after it the law of the last "
           "knot goes on: stop calling it then (feedback.hold: 0 says so)",
           msg.text[0] ? msg.text : dm_status_text(s));
}

// -- the words of the text

// units by coordinate and by input: of forces the robot's; a kinematic one is told its next value
static void find_units(const cli_job *job, const char **unit) {
  // by dm_kind
  static const char *const length[] = {"m", "rad", "1"};
  static const char *const speed[] = {"m/s", "rad/s", "1/s"};
  static const char *const momentum[] = {"N s", "N m s", "N m s"};
  const dm_model *m = job->p->model;
  const int n = job->names.n, forces = job->task->system.nu;

  const char **input = unit + 3 * n;

  // inputs: forces of the robot, then the next values of kinematic coordinates
  for (int j = 0; j < forces; j++) input[j] = pb_robot_unit(&job->p->robot, j);

  // states: q, v, and p, which of a kinematic coordinate is its velocity
  for (int i = 0, j = forces; i < n; i++) {
    unit[i] = length[m->kind[i]];
    unit[n + i] = speed[m->kind[i]];
    unit[2 * n + i] = m->kinematic[i] ? speed[m->kind[i]] : momentum[m->kind[i]];
    if (m->kinematic[i]) input[j++] = length[m->kind[i]];
  }
}

static fb_codegen_settings find_settings(const cli_job *job, const char *const *unit, bool kept) {
  const pb_problem *p = job->p;
  const int n = job->names.n;
  fb_codegen_settings set = fb_codegen_default();

  // what the file's head says
  set.name = p->name;
  set.sha256 = p->sha256;
  set.single = job->args->single;
  set.rests = p->rest || job->rest_steps || kept;

  // limits that the law keeps its inputs in
  set.u_min = job->p->feedback.u_min;
  set.u_max = job->p->feedback.u_max;

  // names and units of each argument
  set.coord = job->names.coord;
  set.input = job->names.input;
  set.q_unit = unit;
  set.v_unit = unit + n;
  set.p_unit = unit + 2 * n;
  set.u_unit = unit + 3 * n;

  // what stiff damping adds to the model that the gains were made for
  set.added_inertia = p->fitted->added;
  set.lag = p->fitted->lag;
  if (p->feedback.exact) set.tree = p->model;
  return set;
}

// the forms wanted, each the linear law of the schedule that runs
static int make_laws(exporter *e) {
  cli_job *job = e->job;
  bool form[FB_FORMS];

  // by the path goes what measures a state
  if (job->args->all && job->f->path)
    return cli_fail(
        job->args, CLI_INPUT,
        "--all: found feedback.schedule: path beside it, which the law by positions has "
        "no state for; export without --all, or use schedule: time");

  // --all asks for every form, the file else for one; speeds are there by velocity alone
  const fb_envelope *envelope = job->f->envelope;
  for (int i = 0; envelope && job->args->all && i < job->names.nu; i++)
    if (envelope->damping[i] != 0)
      return cli_fail(job->args, CLI_INPUT,
                      "--all: found feedback.fallback: {damping: ..} beside it, which the laws by "
                      "state and by positions have no velocities for; export without --all, or "
                      "use fallback: zero");

  for (int i = 0; i < FB_FORMS; i++) form[i] = job->args->all || i == (int)job->p->feedback.measure;
  e->unit = calloc(3 * (size_t)job->names.n + (size_t)job->names.nu, sizeof *e->unit);
  if (!e->unit) return cli_fail(job->args, CLI_FAULT, "out of memory");
  find_units(job, e->unit);

  // the tables in the precision that was asked for, which may not hold them
  const fb_codegen_settings set = find_settings(job, e->unit, e->f != NULL);
  dm_status s = fb_codegen_new(&e->c, find_schedule(e), &job->task->system, form, find_filter(e),
                               &set, &job->msg);
  if (s == DM_OK) s = fb_tables_check(e->c, &job->msg);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

// -- the trace

// a start off the plan: the first of verify's, or, where there are none, one as far off
static dm_status find_start(const exporter *e, double *x0) {
  const cli_job *job = e->job;
  const pb_problem *p = job->p;
  const int n = job->names.n;

  // 0.05 in q and 0.1 in v where nothing asks for a spread
  double *d = calloc(2 * (size_t)n, sizeof *d);
  if (!d) return DM_NO_MEMORY;
  for (int i = 0; i < 2 * n; i++) d[i] = i < n ? 0.05 : 0.1;
  fb_monte_carlo_settings set = {
      .seed = p->verify.seed, .spread_q = p->verify.spread_q, .spread_v = p->verify.spread_v};
  if (p->has_verify) fb_monte_carlo_draw(&set, n, 0, d, d + n);

  // the state at the schedule's start, off by d and on the constraints
  dm_status s = fb_closed_loop_offset(&job->task->system, find_schedule(e)->x, d, x0);
  free(d);
  return s;
}

// the closed loop from there, a row a knot
static dm_status write_rows(exporter *e, FILE *f) {
  const cli_job *job = e->job;
  fb_emulation *run = NULL;

  // the exported arithmetic and the library's law, side by side
  double *x0 = calloc(2 * (size_t)job->names.n, sizeof *x0);
  dm_status s = x0 ? find_start(e, x0) : DM_NO_MEMORY;
  if (s == DM_OK)
    s = fb_emulation_new(&run, e->c, &job->task->system, job->p->feedback.measure, x0);
  free(x0);
  if (s != DM_OK) return s;

  // u of both at each knot; their largest difference is kept
  fb_replay_trace_header(f, e->c);
  for (int k = 0; k < run->steps && s == DM_OK; k++) {
    const double *row;
    s = fb_emulation_row(run, k, &row);
    if (s == DM_OK) fb_replay_trace_row(f, e->c, k, row);
  }
  e->difference = run->difference;
  fb_emulation_free(run);
  return s;
}

// -- the files

static int write_text(exporter *e) {
  // the law, its header, and a program that replays the trace
  static const struct {
    const char *name;
    void (*write)(FILE *f, const fb_codegen *c);
  } files[] = {{"controller.h", fb_controller_header},
               {"controller.c", fb_controller_source},
               {"controller_replay.c", fb_replay_source}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    FILE *f = cli_job_file(e->job, files[i].name);
    if (!f) return CLI_INPUT;
    files[i].write(f, e->c);
  }
  return CLI_DONE;
}

static int write_trace(exporter *e) {
  FILE *f = cli_job_file(e->job, "controller_trace.csv");
  if (!f) return CLI_INPUT;

  // what the numbers of the trace are, for columns.txt
  cli_columns_describe(e->job->result, "controller_trace.csv", "Numbers are in %s precision.",
                       e->c->set.single ? "single" : "double");
  dm_status s = write_rows(e, f);
  if (s == DM_OK) return CLI_DONE;
  return cli_fail(e->job->args, cli_exit_of(s), "no trace of the controller: %s",
                  dm_status_text(s));
}

static void report_controller(exporter *e) {
  cli_job *job = e->job;

  // how far the exported arithmetic is off the library's law
  cli_json *c = cli_json_get_object(job->result, "certificate");
  if (!c) c = cli_json_object(job->result, "certificate");
  cli_json_number(c, "controller", e->difference);

  // what stands in the file
  cli_json *o = cli_json_object(job->result, "controller");
  cli_json_text(o, "status", "done");
  const char *names[FB_WAYS], *precision = e->c->set.single ? "single" : "double";
  int n = 0;
  for (int way = 0; way < FB_WAYS; way++)
    if (fb_codegen_has(e->c, way)) names[n++] = fb_codegen_way(way);
  cli_json_names(o, "forms", names, n);
  cli_json_text(o, "precision", precision);
  cli_json_int(o, "table_bytes", fb_tables_bytes(e->c));
  cli_json_int(o, "stack_bytes", fb_tables_stack(e->c));
  const double cost = job->p->feedback.envelope.cost;
  if (cost > 0) cli_json_number(o, "envelope_cost", cost);
  if (cost > 0) cli_tell(job, "controller", "lost once x'P x is more than %.6g", cost);
  if (e->f) cli_json_text(o, "end", "kept");
  cli_tell(job, "controller", "%ld bytes of tables in %s precision; off the library's law by %.2g",
           fb_tables_bytes(e->c), precision, e->difference);
}

static int export_law(exporter *e) {
  keep_end(e);
  int status = make_laws(e);
  if (status == CLI_DONE) status = write_text(e);
  if (status == CLI_DONE) status = write_trace(e);
  if (status == CLI_DONE) report_controller(e);
  fb_codegen_free(e->c);
  free_kept_schedule(e);
  free(e->unit);
  return status;
}

// why the text cannot have p = M(q) v, where the law asks for it; NULL where it can
static const char *find_obstacle(const cli_job *job, char *text, size_t size) {
  if (!job->p->feedback.exact) return NULL;
  if (job->p->feedback.measure == FB_POSITIONS)
    return "feedback.momentum: exact by positions needs the map itself, which controller.c does "
           "not contain; use linear, or measure: velocity";

  // written and thrown away
  dm_message why = {""};
  fb_momentum *m = NULL;
  dm_status s = fb_momentum_new(&m, job->p->model, &job->task->system, false, &why);
  fb_momentum_free(m);
  if (s == DM_OK) return NULL;
  snprintf(text, size,
           "feedback.momentum: exact: p = M(q) v of this robot cannot be written as C: %.150s; use "
           "linear",
           why.text);
  return text;
}

int cli_export(cli_job *job) {
  const bool asked = strcmp(job->args->command->name, "export") == 0;
  char text[640];

  // why there is to be none: a law that the file cannot hold, or one that nothing vouches for
  const char *why = find_obstacle(job, text, sizeof text);
  if (why && asked) return cli_fail(job->args, CLI_INPUT, "%s: %s", job->p->path, why);
  bool forced = true; // whether --force helps
  if (!why) {
    why = take_verified_cost(job, text, sizeof text);
    forced = !why;
  }
  if (!why && !job->args->force) why = find_doubt(job, text, sizeof text);

  // an older one was of other gains: it goes, and the reason stays
  if (why) {
    cli_forget_controller(job);
    cli_json *o = cli_json_object(job->result, "controller");
    cli_json_text(o, "status", "refused");
    cli_json_text(o, "error", why);
    if (asked)
      cli_error("no controller: %s%s", why, forced ? "; --force exports it anyway" : "");
    else
      cli_note(job->args, "no controller.c: %s", why);
    return asked ? CLI_OUTCOME : CLI_DONE;
  }

  exporter e = {.job = job};
  return export_law(&e);
}

const cli_command cli_command_export = {
    .name = "export",
    .what = "the law as C99 for a robot: controller.c, .h, a trace and its replay",
    .usage = "PROBLEM|DIR [-o DIR] [--now] [--single] [--all] [--force]",
    .goal = CLI_TO_EXPORT,
};

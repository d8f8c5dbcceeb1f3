#include "cli/commands/commands.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/stages/constants.h"
#include "control/feedback/resample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporter {
  cli_job *job;
  cli_controller c;
  const fb_output_feedback *runs; // the form that closes the loop of the trace
  int steps;                      // of the trace
  double *x, *u;                  // [(N+1) x nx], [N x nu] of its loop
  double *row;                    // a row: y and u of each way
  double *z;         // [nx] a filter's estimate, as the text has it, and scratch [2 nx + nu]
  double difference; // of the library's law and the exported one, at most
} exporter;

// -- may it be exported?

// why nothing says that the gains hold; NULL where verify does
static const char *doubt(const cli_job *job, char *text, size_t size) {
  const cli_json *v = cli_json_get_object(job->result, "verify");
  char law[128];
  const char *verified = cli_json_get_text(v, "law");
  int held = cli_json_get_int(v, "held", -1), samples = cli_json_get_int(v, "samples", 0);
  if (held < 0 || samples < 1) return "nothing is verified";
  if (!verified || strcmp(verified, cli_manner(job->p, law))) {
    snprintf(text, size, "what was verified is another law (%s)", verified ? verified : "unknown");
    return text;
  }
  const char *inputs = cli_json_get_text(v, "inputs_sha256");
  if (!inputs || strcmp(inputs, job->p->sha256))
    return "the problem has changed since it was verified";
  if (held >= job->p->verify.required * samples) return NULL;
  snprintf(text, size, "the gains do not hold: %d of %d samples, at least %g %% are required", held,
           samples, 100 * job->p->verify.required);
  return text;
}

// -- the trace

static double limited(const exporter *e, int i, double u) {
  const oc_task *task = e->job->task;
  if (task->u_max && u > task->u_max[i]) u = task->u_max[i];
  if (task->u_min && u < task->u_min[i]) u = task->u_min[i];
  return u;
}

// a number after one operation of the text: in double precision, which rounds twice to single as
// once, then to the text's
static double rounded(const exporter *e, double x) {
  return cli_constants_rounded(&e->c, x);
}

// sum + a b, as the text has it
static double plus(const exporter *e, double sum, double a, double b) {
  double product = rounded(e, a * b);
  return rounded(e, sum + product);
}

// the text's law at one knot, by its own numbers in its own order
static double exported(const exporter *e, const fb_output_feedback *w, int k, int i,
                       const double *y) {
  size_t ny = (size_t)w->ny, at = (size_t)k * (size_t)w->f.nu + (size_t)i;
  const double *G = w->G + at * ny, *y_d = w->y_d + (size_t)k * ny;
  double sum = rounded(e, w->c[at]);
  for (size_t j = 0; j < ny; j++)
    sum = plus(e, sum, -rounded(e, G[j]), rounded(e, y[j] - rounded(e, y_d[j])));
  return rounded(e, limited(e, i, sum));
}

static void differs(exporter *e, double exported, double library) {
  double off = fabs(exported - library);
  if (!(off <= e->difference)) e->difference = off;
}

// y and u of one form at knot k into row; returns its end
static double *answer(exporter *e, fb_output_feedback *w, int k, double *row) {
  int nu = w->f.nu, ny = w->ny, n = w->n;
  const double *x = e->x + (size_t)k * (size_t)w->f.nx, *u = e->u + (size_t)k * (size_t)nu;
  double *wanted = row + ny;
  if (fb_output_feedback_see(w, k, x, k ? w->q : x, k ? u - nu : u) != DM_OK) return NULL;
  memcpy(row, w->y, (size_t)ny * sizeof *row);
  memcpy(w->q, row, (size_t)n * sizeof *row);
  if (w->f.late) memcpy(row + ny - nu, u, (size_t)nu * sizeof *row);
  fb_output_feedback_law(w, k, row, wanted);
  for (int j = 0; j < ny; j++) row[j] = rounded(e, row[j]);
  for (int i = 0; i < nu; i++) {
    // of the form that ran, what the loop's plant was given
    size_t step = (size_t)(k + w->f.late), at = step * (size_t)nu + (size_t)i;
    bool ran = w == e->runs && !e->c.estimator && step < (size_t)e->steps;
    double library = ran ? e->u[at] : limited(e, i, wanted[i]);
    wanted[i] = exported(e, w, k, i, row);
    differs(e, wanted[i], library);
  }
  return wanted + nu;
}

// the same of the filter, which goes on to the next knot
static double *filter(exporter *e, int k, double *row) {
  const fb_estimator *w = e->c.estimator;
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu, ny = (size_t)w->ny, at = (size_t)k;
  const size_t late = (size_t)w->f->late, acts = at + late; // the step that u acts in
  const double *x_d = w->f->x + at * nx, *u_d = w->f->u + at * nu, *L = w->L + at * nx * ny;
  const double *A = w->f->A + at * nx * nx, *B = w->f->B + at * nx * nu;
  double *z = e->z, *next = e->z + nx, *y = next + nx, *now = row + ny, *u = now + late * nu;
  fb_estimator_read(w, k, e->x + at * nx, row);
  for (size_t a = 0; a < ny; a++) row[a] = rounded(e, row[a]);
  memcpy(next, z, nx * sizeof *z);
  for (size_t a = 0; a < ny; a++) {
    int q = w->which[a];
    double off = rounded(e, rounded(e, row[a] - rounded(e, x_d[q])) - z[q]);
    for (size_t i = 0; i < nx; i++) next[i] = plus(e, next[i], rounded(e, L[i * ny + a]), off);
  }
  memcpy(z, next, nx * sizeof *z);
  for (size_t i = 0; i < nx; i++) y[i] = rounded(e, rounded(e, x_d[i]) + z[i]);
  for (size_t i = 0; i < late * nu; i++) y[nx + i] = now[i] = rounded(e, e->u[at * nu + i]);
  for (size_t i = 0; i < nu; i++) {
    u[i] = exported(e, e->runs, k, (int)i, y);
    if (acts < (size_t)e->steps) differs(e, u[i], e->u[acts * nu + i]);
  }
  for (size_t i = 0; i < nx; i++) {
    next[i] = 0;
    for (size_t j = 0; j < nx; j++) next[i] = plus(e, next[i], rounded(e, A[i * nx + j]), z[j]);
    for (size_t j = 0; j < nu; j++)
      next[i] =
          plus(e, next[i], rounded(e, B[i * nu + j]), rounded(e, now[j] - rounded(e, u_d[j])));
  }
  memcpy(z, next, nx * sizeof *z);
  return u + nu;
}

// a start off the plan: the first of verify's, or, where there are none, one as far off
static dm_status start(const exporter *e, double *x) {
  const cli_job *job = e->job;
  const pb_problem *p = job->p;
  const dm_system *s = &job->task->system;
  const int n = job->names.n;
  dm_continuous *c;
  double *y = calloc(4 * (size_t)n, sizeof *y), *d = y + 2 * n;
  if (!y) return DM_NO_MEMORY;
  dm_status status = dm_continuous_new(&c, s);
  if (status == DM_OK) {
    memcpy(y, e->runs->f.x, (size_t)n * sizeof *y);
    status = dm_velocity_of(c, y, e->runs->f.x + n, y + n);
    if (status == DM_OK) status = dm_velocity_restrict(c, y, y + n);
    for (int i = 0; i < 2 * n; i++) d[i] = i < n ? 0.05 : 0.1;
    fb_monte_carlo_settings set = {
        .seed = p->verify.seed, .spread_q = p->verify.spread_q, .spread_v = p->verify.spread_v};
    if (p->has_verify) fb_monte_carlo_draw(&set, n, 0, d, d + n);
    if (status == DM_OK) status = fb_closed_loop_start(s, c, d, y, x);
    dm_continuous_free(c);
  }
  free(y);
  return status;
}

static dm_status run_loop(exporter *e) {
  fb_plant plant;
  fb_closed_loop_result r;
  const oc_task *task = e->job->task;
  DM_TRY(fb_plant_discrete(&plant, &task->system));
  dm_status s = start(e, e->x);
  const fb_sensor *eye = e->runs->f.observer;
  if (eye) eye->begin(eye->self, 0);
  if (s == DM_OK) {
    s = fb_closed_loop_run(&e->runs->f, &plant, e->x, task->u_min, task->u_max, NULL, e->x, e->u,
                           &r);
    e->steps = r.steps;
  }
  fb_plant_free(&plant);
  return e->steps > 0 ? DM_OK : s; // a loop that fails on the way has a trace up to there
}

static dm_status trace(exporter *e, FILE *f) {
  cli_controller_trace_header(f, &e->c);
  for (int k = 0; k < e->steps; k++) {
    double *row = e->row;
    for (int form = 0; form < FB_FORMS && row; form++)
      if (e->c.law[form]) row = answer(e, e->c.law[form], k, row);
    if (!row) return DM_SINGULAR;
    if (e->c.estimator) filter(e, k, row);
    cli_controller_trace_row(f, &e->c, k, e->row);
  }
  return DM_OK;
}

// -- the files

static int write_text(exporter *e) {
  static const struct {
    const char *name;
    void (*write)(FILE *f, const cli_controller *c);
  } files[] = {{"controller.h", cli_controller_header},
               {"controller.c", cli_controller_source},
               {"controller_replay.c", cli_controller_replay}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    FILE *f = cli_job_file(e->job, files[i].name);
    if (!f) return CLI_INPUT;
    files[i].write(f, &e->c);
  }
  return CLI_DONE;
}

static int write_trace(exporter *e) {
  const fb_tvlqr *law = &e->runs->f;
  size_t N = (size_t)law->N, nx = (size_t)law->nx, nu = (size_t)law->nu, row = 0;
  for (int way = 0; way < CLI_WAYS; way++)
    if (cli_controller_has(&e->c, way)) row += (size_t)cli_controller_width(&e->c, way) + nu;
  double *all = calloc((N + 1) * nx + N * nu + row + 3 * nx + nu, sizeof *all);
  if (!all) return cli_fail(e->job->args, CLI_FAULT, "out of memory");
  e->x = all, e->u = e->x + (N + 1) * nx, e->row = e->u + N * nu, e->z = e->row + row;
  FILE *f = cli_job_file(e->job, "controller_trace.csv");
  cli_columns_say(e->job->result, "controller_trace.csv", "Numbers are in %s precision.",
                  e->c.single ? "single" : "double");
  dm_status s = f ? run_loop(e) : DM_IO;
  if (s == DM_OK) s = trace(e, f);
  free(all);
  if (!f) return CLI_INPUT;
  if (s == DM_OK) return CLI_DONE;
  return cli_fail(e->job->args, cli_exit_of(s), "no trace of the controller: %s",
                  dm_status_text(s));
}

static void report(exporter *e) {
  cli_job *job = e->job;
  cli_json *c = cli_json_get_object(job->result, "certificate");
  if (!c) c = cli_json_object(job->result, "certificate");
  cli_json_number(c, "controller", e->difference);
  cli_json *o = cli_json_object(job->result, "controller");
  cli_json_text(o, "status", "done");
  const char *names[CLI_WAYS];
  int n = 0;
  for (int way = 0; way < CLI_WAYS; way++)
    if (cli_controller_has(&e->c, way)) names[n++] = cli_controller_way(way);
  cli_json_names(o, "forms", names, n);
  cli_json_text(o, "precision", e->c.single ? "single" : "double");
  cli_json_int(o, "table_bytes", cli_constants_bytes(&e->c));
  cli_json_int(o, "stack_bytes", cli_constants_stack(&e->c));
  cli_tell(job, "controller", "%ld bytes of tables in %s precision; off the library's law by %.2g",
           cli_constants_bytes(&e->c), e->c.single ? "single" : "double", e->difference);
}

// the forms wanted, each the linear law of the schedule that runs
static int make_laws(exporter *e) {
  cli_job *job = e->job;
  const fb_tvlqr *f = job->sampled ? job->sampled : job->f;
  for (fb_form form = FB_STATE; form < FB_FORMS; form++) {
    bool own = form == job->p->feedback.measure;
    if (!own && !job->args->all) continue;
    dm_status s =
        fb_output_feedback_new(&e->c.law[form], f, &job->task->system, form, false, &job->msg);
    if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  }
  e->runs = e->c.law[job->p->feedback.measure];
  e->c.estimator = job->estimator;
  return CLI_DONE;
}

// tables are finite, in single precision too, and fit
static int check_tables(const exporter *e) {
  const cli_args *args = e->job->args;
  if (cli_constants_bytes(&e->c) > 1L << 30)
    return cli_fail(args, CLI_INPUT, "controller.c would have tables of %ld bytes, at most 2^30",
                    cli_constants_bytes(&e->c));
  cli_constants list[CLI_MOST_CONSTANTS];
  int count = cli_constants_list(&e->c, list);
  for (int t = 0; t < count; t++) {
    double most = 0;
    for (size_t i = 0; i < (size_t)e->runs->f.N * list[t].cols; i++)
      most = fmax(most, fabs(list[t].x[i]));
    if (isfinite(e->c.single ? (double)(float)most : most)) continue;
    return cli_fail(args, CLI_OUTCOME, "a number of the law is beyond %s precision",
                    e->c.single ? "single" : "double");
  }
  return CLI_DONE;
}

static int export_law(exporter *e) {
  int status = make_laws(e);
  if (status == CLI_DONE) status = check_tables(e);
  if (status == CLI_DONE) status = write_text(e);
  if (status == CLI_DONE) status = write_trace(e);
  if (status == CLI_DONE) report(e);
  for (int form = 0; form < FB_FORMS; form++) fb_output_feedback_free(e->c.law[form]);
  return status;
}

void cli_export_forget(cli_job *job) {
  cli_json *certificate = cli_json_get_object(job->result, "certificate");
  cli_forget(job, "export");
  if (certificate) json_object_object_del(certificate, "controller");
  json_object_object_del(job->result, "controller");
}

int cli_export(cli_job *job) {
  const bool asked = strcmp(job->args->command->name, "export") == 0;
  char text[256];
  const char *why = NULL;
  if (job->p->feedback.exact && job->p->feedback.measure != FB_STATE)
    why = "feedback.momentum: exact needs the robot's mechanics, which controller.c has not; take "
          "linear";
  if (why && asked) return cli_fail(job->args, CLI_INPUT, "%s: %s", job->p->path, why);
  if (!why && !job->args->force) why = doubt(job, text, sizeof text);
  if (why) {
    cli_export_forget(job);
    cli_json *o = cli_json_object(job->result, "controller");
    cli_json_text(o, "status", "refused");
    cli_json_text(o, "error", why);
    if (asked)
      cli_error("no controller: %s; --force exports it anyway", why);
    else
      cli_note(job->args, "no controller.c: %s", why);
    return asked ? CLI_OUTCOME : CLI_DONE;
  }
  exporter e = {.job = job, .c = {.job = job, .single = job->args->single}};
  return export_law(&e);
}

static int export_controller(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_motion(&job);
  if (status == CLI_DONE) status = cli_job_keep(&job);
  if (status == CLI_DONE) status = cli_stage(&job, "gains", cli_gains(&job, job.stored));
  if (status == CLI_DONE) status = cli_job_keep(&job);
  if (status == CLI_DONE && !job.stored) {
    status = cli_stage(&job, "verify", cli_verify(&job));
    if (status == CLI_OUTCOME && args->force && !cli_interrupted()) status = CLI_DONE;
  }
  if (status == CLI_DONE) status = cli_job_keep(&job);
  if (status == CLI_DONE) status = cli_stage(&job, "export", cli_export(&job));
  return cli_job_close(&job, status);
}

const cli_command cli_command_export = {
    .name = "export",
    .what = "the law as C99 for a robot: controller.c, .h, a trace and its replay",
    .usage = "PROBLEM|DIR [-o DIR] [--now] [--single] [--all] [--force]",
    .run = export_controller,
};

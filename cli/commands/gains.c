#include "cli/results/gains.h"
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/results/sentences.h"
#include "cli/stages/job.h"
#include "control/feedback/dare.h"
#include "control/feedback/resample.h"
#include "optim/descent/neighboring_extremal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// make the schedule of the motion with the stored gains, without linearizing
static int read_gains(cli_job *job) {
  const pb_file file = pb_file_in(&job->operand, "gains.csv");
  fb_tvlqr *f = job->f;
  size_t each = (size_t)f->N * (size_t)f->nu * sizeof *f->K;
  double *K = NULL;
  double *W = NULL;
  dm_status s = cli_gains_read(&K, f->late ? &W : NULL, f->N, &file, &job->names, &job->msg);

  // K [N x nu x nx], and W [N x nu x nu] if inputs are delayed by a step
  if (s == DM_OK) memcpy(f->K, K, each * (size_t)f->nx);
  if (s == DM_OK && W) memcpy(f->W, W, each * (size_t)f->nu);
  free(K);
  free(W);
  return s == DM_OK ? CLI_DONE : cli_fail_status(job->args, s, &job->msg);
}

static bool has_gains(const cli_job *job) {
  const pb_file file = pb_file_in(&job->operand, "gains.csv");
  return pb_file_there(&file);
}

static double find_largest_gain(const double *x, size_t n) {
  double max = 0;
  for (size_t i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
  return max;
}

// check that the plan satisfies the controller's rate limits
static int check_rates(cli_job *job, const fb_tvlqr *f) {
  const pb_feedback *set = &job->p->feedback;
  int i;
  if (!set->rate_limit) return CLI_DONE;
  const int k = fb_rate_limit_broken(f->N, f->nu, f->h, f->u, set->rate_limit, &i);
  if (k < 0) return CLI_DONE;
  const double *u = f->u + (size_t)k * (size_t)f->nu + i;

  // the plan's step changes at once, within one sample of a controller that is faster than the grid
  const double planned = set->rate_limit[i] * fmin(1, f->h / job->f->h);
  return cli_fail(
      job->args, CLI_INPUT,
      "%s:%d:%d: feedback.rate_limit: found %g of '%.64s', but the plan changes it by %.6g "
      "per s at knot %d, expected at least that; plan with bounds.rate: %g, or a wider "
      "rate_limit",
      job->p->path, set->rate_limit_at[0], set->rate_limit_at[1], set->rate_limit[i],
      job->names.input[i], fabs(u[f->nu] - u[0]) / f->h, k, planned);
}

// make the controller in terms of measurements, at its own rate
static int make_law(cli_job *job) {
  const pb_problem *p = job->p;

  // 1  resample from the knots to the controller's rate
  const dm_system *system = &job->task->system;
  dm_status s = DM_OK;
  cli_set_law(job->f, p);
  if (isfinite(p->feedback.rate))
    s = fb_resample_new(&job->sampled, job->f, system, p->feedback.rate, p->feedback.between,
                        p->feedback.delay, &job->msg);

  // 2  change from x = (q,p) to measurements, of the map or of a continuous motion
  fb_tvlqr *f = job->sampled ? job->sampled : job->f;
  if (s == DM_OK && check_rates(job, f) != CLI_DONE) return CLI_INPUT;
  if (s == DM_OK)
    s = fb_output_feedback_new(&job->law, f, system, p->feedback.measure, p->feedback.exact,
                               &job->msg);
  if (s == DM_OK) return CLI_DONE;
  char at[PB_PLACE];
  pb_problem_at(p, isfinite(p->feedback.rate) ? "feedback.rate" : "feedback", at);
  return cli_fail(job->args, cli_exit_of(s), "%s: feedback: %s", at, job->msg.text);
}

const char *cli_manner(const pb_problem *p, char text[CLI_MANNER]) {
  enum { size = CLI_MANNER };

  // no inputs, no controller
  if (p->has_task && !dm_system_inputs(&p->task.system)) {
    snprintf(text, size, "none");
    return text;
  }

  // form, rate, delay, estimator, in the order in which they change the controller
  int at = snprintf(text, size, "%s", fb_form_names[p->feedback.measure]);
  if (p->feedback.measure != FB_STATE)
    at += snprintf(text + at, size - (size_t)at, ", %s", p->feedback.exact ? "exact" : "linear");
  if (p->feedback.continuous)
    at += snprintf(text + at, size - (size_t)at, ", of a continuous motion");
  if (isfinite(p->feedback.rate))
    at += snprintf(text + at, size - (size_t)at, ", %g Hz, %s", p->feedback.rate,
                   p->feedback.between ? "interpolated" : "held");
  if (p->feedback.by_path) at += snprintf(text + at, size - (size_t)at, ", by the path");
  if (p->feedback.delay) at += snprintf(text + at, size - (size_t)at, ", inputs one step late");
  if (p->feedback.integral) at += snprintf(text + at, size - (size_t)at, ", errors integrated");
  if (p->feedback.rate_limit) at += snprintf(text + at, size - (size_t)at, ", rates limited");
  if (p->feedback.has_envelope) at += snprintf(text + at, size - (size_t)at, ", in an envelope");
  if (p->feedback.has_estimator)
    snprintf(text + at, size - (size_t)at, ", estimated from encoders");
  return text;
}

// growth rates of deviations from an equilibrium, without and with feedback
static void report_poles(cli_job *job, cli_json *gains) {
  const fb_tvlqr *f = job->f;
  double radius[2] = {NAN, NAN};

  // spectral radius of A, and of A - B K
  for (int closed = 0; closed < 2; closed++) {
    const double *K = closed ? f->K : NULL;
    const double *W = closed ? f->W : NULL;
    fb_dare_radius(f->nx, f->nu, f->A, f->B, K, W, &radius[closed]);
  }

  // below 1 deviations decay
  cli_json *o = cli_json_object(gains, "spectral_radius");
  cli_json_number(o, "open", radius[0]);
  cli_json_number(o, "closed", radius[1]);
  cli_tell_group(job->summary, "gains.spectral_radius", o);
}

// describe the controller of gains.csv
static void say_law(cli_job *job) {
  // a delayed controller uses the pending input w
  const bool late = job->f->late;
  const char *late_term = late ? " - W (w - w_d)" : "";
  const char *late_note = late ? " It is decided at t and applied a step later: u and u_d are the "
                                 "next row's; w is the input from t to the next row."
                               : "";
  const char *rest = job->rest_steps
                         ? " Rows behind its last step are of rest there, whose x_d and "
                           "u_d are in measured.csv."
                         : "";
  cli_columns_describe(
      job->result, "gains.csv",
      "u = u_d - K (x - x_d)%s, held from t to the next row; x = (q, p): the "
      "configuration and the momentum p = L_v(q,v); x_d, u_d: the columns q, p and u "
      "of trajectory.csv.%s%s",
      late_term, rest, late_note);
}

// describe the controller of measured.csv
static void say_measured(cli_job *job) {
  static const char *const what[] = {
      "y = (q, p)", "y = (q, v): configuration and velocity",
      "y = (q, before.q, before.u): configurations now and a step ago, the forces applied between"};
  const fb_output_feedback *w = job->law;
  const char *when = w->f.late ? " of the one after" : "";
  const char *under_way = w->f.late ? "; now.u: the input from t on" : "";
  cli_columns_describe(job->result, "measured.csv",
                       "u = u_d - G (y - y_d), held from t to the next row%s; %s%s.", when,
                       what[w->exact ? FB_STATE : w->form], under_way);
}

static int write_tables(cli_job *job) {
  // if the measurement is the state, or p is computed by the library, no table is needed; but
  // trajectory.csv has no x_d and u_d for holding the end
  bool plain = job->p->feedback.measure == FB_STATE || job->p->feedback.exact;
  plain = plain && !job->p->feedback.integral && !job->rest_steps;
  FILE *f = cli_job_file(job, "gains.csv");
  if (!f) return CLI_INPUT;
  cli_gains_write(f, &job->names, job->f);
  say_law(job);

  // a table in terms of measurements, unless the controller uses x at the knots
  cli_folder_remove(&job->out, "measured.csv");
  if (plain && !job->sampled) return CLI_DONE;
  f = cli_job_file(job, "measured.csv");
  if (!f) return CLI_INPUT;
  cli_measured_write(f, &job->names, job->law);
  say_measured(job);
  return CLI_DONE;
}

// remove results that depend on previous gains
static void forget_gains(cli_job *job) {
  cli_forget(job, "gains");
  cli_forget(job, "verify");
  json_object_object_del(job->result, "verify");
  cli_forget_controller(job);
}

static int report_failure(cli_job *job, double slope, int knot) {
  forget_gains(job);
  cli_json *g = cli_json_object(job->result, "gains");
  cli_json_text(g, "status", "failed");
  cli_json_text(g, "error", job->msg.text);
  cli_json_int(g, "knot", knot);
  if (isfinite(slope)) cli_json_number(g, "slope", slope);
  return CLI_OUTCOME;
}

static void report_gains(cli_job *job, double slope) {
  double max = find_largest_gain(job->f->K, (size_t)job->f->N * (size_t)(job->f->nu * job->f->nx));

  // in result.json
  cli_json *g = cli_json_object(job->result, "gains");
  cli_json_text(g, "status", "done");
  cli_json_number(g, "largest", max);
  if (isfinite(slope)) cli_json_number(g, "slope", slope);

  // in the summary: the controller in words, and holding of the end
  char text[CLI_MANNER];
  cli_json_text(g, "law", cli_manner(job->p, text));
  if (job->names.nu) cli_json_int(g, "~knots", job->f->N);
  if (job->rest_steps) {
    cli_json_number(g, "hold_s", job->rest_steps * job->x->h);
    cli_json_number(g, "hold_off", job->rest_off);
  }
  if (strcmp(text, "state") && job->names.nu) cli_json_text(g, "~measured", text);
  cli_tell_group(job->summary, "gains", g);
  if (job->p->rest) report_poles(job, g);
}

int cli_gains(cli_job *job, bool stored) {
  const pb_problem *p = job->p;
  if (!p->has_feedback)
    return cli_fail(job->args, CLI_INPUT,
                    "%s has no section 'feedback': add one, with weights Q and R", p->path);

  // 1  the motion, followed by rest if the gains hold its end
  const bool found = stored && has_gains(job);
  int failed = -1;
  dm_status s = cli_append_rest(job);

  // 2  gains from the second variation of the task, or from TVLQR with the file's weights
  cli_weights at;
  const fb_weights weights = cli_weights_of(job, p->rest ? job->x->N : job->rest_steps, &at);
  double slope = NAN;
  if (s == DM_OK && p->feedback.second_variation)
    s = oc_neighboring_extremal_gains(&job->f, job->task, job->x, p->feedback.Qf, &slope, &failed,
                                      &job->msg);
  else if (s == DM_OK)
    s = fb_tvlqr_new(&job->f, job->x, &job->task->system, &weights, &failed, &job->msg);
  if (s == DM_NO_MEMORY) return cli_fail_status(job->args, s, &job->msg);

  // the Riccati equation has no solution: at which knot, and why
  if (s != DM_OK) {
    cli_error("no gains: %s", job->msg.text);
    return found ? CLI_OUTCOME : report_failure(job, slope, failed);
  }

  // 3  remove results of other gains, unless the stored gains are used
  if (!found) forget_gains(job);

  // 4  the controller, its tables, and the report
  int status = found ? read_gains(job) : CLI_DONE;
  if (status == CLI_DONE) status = make_law(job);
  if (status == CLI_DONE && !found) status = write_tables(job);
  if (status == CLI_DONE && !found) report_gains(job, slope);
  return status == CLI_DONE && p->feedback.has_estimator ? cli_estimate(job) : status;
}

const cli_command cli_command_gains = {
    .name = "gains",
    .what = "trajectory -> time-varying gains (a problem is optimized first)",
    .usage = "PROBLEM|DIR [-o DIR] [--now]",
    .goal = CLI_TO_GAINS,
};

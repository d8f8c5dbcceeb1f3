#include "cli/results/gains.h"
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/columns.h"
#include "cli/results/sentences.h"
#include "cli/stages/call.h"
#include "cli/stages/cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// make the schedule of the motion with the stored gains, without linearizing
static int read_gains(cli_call *call) {
  const pb_file file = pb_file_in(&call->place.operand, "gains.csv");
  fb_tvlqr *f = call->run.control.gains;
  size_t each = (size_t)f->N * (size_t)f->nu * sizeof *f->K;
  double *K = NULL;
  double *W = NULL;
  dm_status s =
      cli_gains_read(&K, f->late ? &W : NULL, f->N, &file, &call->run.p->names, &call->msg);

  // K [N x nu x nx], and W [N x nu x nu] if inputs are delayed by a step
  if (s == DM_OK) memcpy(f->K, K, each * (size_t)f->nx);
  if (s == DM_OK && W) memcpy(f->W, W, each * (size_t)f->nu);
  free(K);
  free(W);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

static bool has_gains(const cli_call *call) {
  const pb_file file = pb_file_in(&call->place.operand, "gains.csv");
  return pb_file_there(&file);
}

static double find_largest_gain(const double *x, size_t n) {
  double max = 0;
  for (size_t i = 0; i < n; i++) max = fmax(max, fabs(x[i]));
  return max;
}

// make the controller in terms of measurements, at its own rate
static int make_law(cli_call *call) {
  const pb_problem *p = call->run.p;
  pb_controller *control = &call->run.control;

  // 1  resample from the knots to the controller's rate
  dm_message limited = {""};
  dm_status s = pb_controller_sample(control, p, &call->msg);
  if (s == DM_OK && pb_controller_check_rates(control, p, &limited) != DM_OK)
    return cli_fail_status(call->args, DM_BAD_INPUT, &limited);

  // 2  change from x = (q,p) to measurements, of the map or of a continuous motion
  if (s == DM_OK) s = pb_controller_measure(control, p, &call->msg);
  if (s == DM_OK) return CLI_DONE;
  char at[PB_PLACE];
  pb_problem_at(p, isfinite(p->feedback.rate) ? "feedback.rate" : "feedback", at);
  return cli_fail(call->args, cli_exit_of(s), "%s: feedback: %s", at, call->msg.text);
}

const char *cli_manner(const pb_problem *p, bool recedes, char text[CLI_MANNER]) {
  enum { size = CLI_MANNER };
  if (recedes) {
    int at = snprintf(text, size, "%s, exact, over a horizon of %d steps",
                      fb_form_names[p->mpc.measure], p->mpc.stages);
    if (isfinite(p->feedback.rate))
      at += snprintf(text + at, size - (size_t)at, " of %g Hz", p->feedback.rate);
    snprintf(text + at, size - (size_t)at, "%s%s",
             p->feedback.delay ? ", inputs one step late" : "",
             p->mpc.single ? ", in single precision" : "");
    return text;
  }

  // no inputs, no controller
  if (p->has.task && !dm_system_inputs(&p->task.system)) {
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
  if (p->feedback.near)
    at += snprintf(text + at, size - (size_t)at,
                   p->feedback.orbits ? ", on the orbit" : ", by the path");
  if (p->feedback.delay) at += snprintf(text + at, size - (size_t)at, ", inputs one step late");
  if (p->feedback.integral) at += snprintf(text + at, size - (size_t)at, ", errors integrated");
  if (p->feedback.rate_limit) at += snprintf(text + at, size - (size_t)at, ", rates limited");
  if (p->feedback.has_envelope) at += snprintf(text + at, size - (size_t)at, ", in an envelope");
  if (p->feedback.has_estimator)
    snprintf(text + at, size - (size_t)at, ", estimated from encoders");
  return text;
}

// growth rates of deviations from an equilibrium, without and with feedback
static void report_poles(cli_call *call, cli_json *gains) {
  const fb_tvlqr *f = call->run.control.gains;
  double radius[2] = {NAN, NAN};

  (void)fb_tvlqr_radius(f, radius);

  // below 1 deviations decay
  cli_json *o = cli_json_object(gains, "spectral_radius");
  cli_json_number(o, "open", radius[0]);
  cli_json_number(o, "closed", radius[1]);
  cli_tell_group(call->summary.file, "gains.spectral_radius", o);
}

// describe the controller of gains.csv
static void say_law(cli_call *call) {
  // a delayed controller uses the pending input w
  const bool late = call->run.control.gains->late;
  const char *late_term = late ? " - W (w - w_d)" : "";
  const char *late_note = late ? " It is decided at t and applied a step later: u and u_d are the "
                                 "next row's; w is the input from t to the next row."
                               : "";
  const char *rest = call->run.rest.steps
                         ? " Rows behind its last step are of rest there, whose x_d and "
                           "u_d are in measured.csv."
                         : "";
  if (call->run.p->task.system.contacts)
    rest = " At contacts the p of x_d is that of measured velocities, in the middle of the knot's "
           "impulses: x_d is in measured.csv.";
  cli_columns_describe(
      call->result, "gains.csv",
      "u = u_d - K (x - x_d)%s, held from t to the next row; x = (q, p): the "
      "configuration and the momentum p = L_v(q,v); x_d, u_d: the columns q, p and u "
      "of trajectory.csv.%s%s",
      late_term, rest, late_note);
}

// describe the controller of measured.csv
static void say_measured(cli_call *call) {
  static const char *const what[] = {
      "y = (q, p)", "y = (q, v): configuration and velocity",
      "y = (q, before.q, before.u): configurations now and a step ago, the forces applied between",
      "y = (q, v): configuration and velocity, by differences"};
  const fb_output_feedback *w = call->run.control.law;
  const char *when = w->f.late ? " of the one after" : "";
  const char *under_way = w->f.late ? "; now.u: the input from t on" : "";
  cli_columns_describe(call->result, "measured.csv",
                       "u = u_d - G (y - y_d), held from t to the next row%s; %s%s.", when,
                       what[w->exact ? FB_STATE : w->form], under_way);
}

static int write_tables(cli_call *call) {
  // if the measurement is the state, or p is computed by the library, no table is needed; but
  // trajectory.csv has no x_d and u_d for holding the end, and no momenta in the middle of impulses
  bool plain = call->run.p->feedback.measure == FB_STATE || call->run.p->feedback.exact;
  const fb_tvlqr *gains = call->run.control.gains;
  plain = plain && !gains->ni && !gains->nl && !call->run.rest.steps &&
          !call->run.p->task.system.contacts;
  FILE *f = cli_call_file(call, "gains.csv");
  if (!f) return CLI_INPUT;
  cli_gains_write(f, &call->run.p->names, call->run.control.gains);
  say_law(call);

  // a table in terms of measurements, unless the controller uses x at the knots
  cli_folder_remove(&call->place.out, "measured.csv");
  if (plain && !call->run.control.sampled) return CLI_DONE;
  f = cli_call_file(call, "measured.csv");
  if (!f) return CLI_INPUT;
  cli_measured_write(f, &call->run.p->names, call->run.control.law);
  say_measured(call);
  return CLI_DONE;
}

// remove results that depend on previous gains
static void forget_gains(cli_call *call) {
  cli_forget(call, "gains");
  cli_forget(call, "verify");
  json_object_object_del(call->result, "verify");
  cli_json *cycle = cli_json_get_object(call->result, "cycle");
  if (cycle) json_object_object_del(cycle, "feedback");
  cli_forget_controller(call);
}

static int report_failure(cli_call *call, double slope, int knot) {
  forget_gains(call);
  cli_json *g = cli_json_object(call->result, "gains");
  cli_json_text(g, "status", "failed");
  cli_json_text(g, "error", call->msg.text);
  cli_json_int(g, "knot", knot);
  if (isfinite(slope)) cli_json_number(g, "slope", slope);
  return CLI_OUTCOME;
}

static void report_gains(cli_call *call, double slope) {
  double max =
      find_largest_gain(call->run.control.gains->K,
                        (size_t)call->run.control.gains->N *
                            (size_t)(call->run.control.gains->nu * call->run.control.gains->nx));

  // in result.json
  cli_json *g = cli_json_object(call->result, "gains");
  cli_json_text(g, "status", "done");
  cli_json_number(g, "largest", max);
  if (isfinite(slope)) cli_json_number(g, "slope", slope);

  // in the summary: the controller in words, and holding of the end
  char text[CLI_MANNER];
  cli_json_text(g, "law", cli_manner(call->run.p, false, text));
  if (call->run.p->names.nu) cli_json_int(g, "~knots", call->run.control.gains->N);
  if (call->run.rest.steps) {
    cli_json_number(g, "hold_s", call->run.rest.steps * call->run.x->h);
    cli_json_number(g, "hold_off", call->run.rest.off);
  }
  if (strcmp(text, "state") && call->run.p->names.nu) cli_json_text(g, "~measured", text);
  cli_tell_group(call->summary.file, "gains", g);
  if (call->run.p->rest) report_poles(call, g);
}

int cli_gains(cli_call *call, bool stored) {
  const pb_problem *p = call->run.p;
  if (!p->has.feedback)
    return cli_fail(call->args, CLI_INPUT,
                    "%s has no section 'feedback': add one, with weights Q and R", p->file.path);

  // 1  the gains along the motion, followed by rest if they hold its end
  const bool found = stored && has_gains(call);
  double slope;
  int failed;
  const dm_status s = pb_run_gains(&call->run, &slope, &failed, &call->msg);
  if (s == DM_NO_MEMORY) return cli_fail_status(call->args, s, &call->msg);

  // the Riccati equation has no solution: at which knot, and why
  if (s != DM_OK) {
    cli_error("no gains: %s", call->msg.text);
    return found ? CLI_OUTCOME : report_failure(call, slope, failed);
  }

  // 2  remove results of other gains, unless the stored gains are used
  if (!found) forget_gains(call);

  // 3  the controller, its tables, and the report
  int status = found ? read_gains(call) : CLI_DONE;
  if (status == CLI_DONE) status = make_law(call);
  if (status == CLI_DONE && !found) status = write_tables(call);
  if (status == CLI_DONE && !found) report_gains(call, slope);
  if (status == CLI_DONE && !found) status = cli_cycle_report_motion(call, true);
  return status == CLI_DONE && p->feedback.has_estimator ? cli_estimate(call) : status;
}

const cli_command cli_command_gains = {
    .name = "gains",
    .what = "trajectory -> time-varying gains (a problem is optimized first)",
    .usage = "PROBLEM|DIR [-o DIR] [--now]",
    .goal = CLI_TO_GAINS,
};

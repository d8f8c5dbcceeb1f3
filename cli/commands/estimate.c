#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/estimator.h"
#include "cli/results/sentences.h"
#include "cli/stages/call.h"

// warn about an unobservable state of an equilibrium
static void warn_unseen(cli_call *call) {
  const int n = call->run.p->names.n;

  // an unstable mode of the estimator that no measurement affects
  int state;
  if (!call->run.p->rest || fb_estimator_unseen(call->run.control.estimator, 0, &state) != DM_OK)
    return;
  if (state < 0 || state >= call->run.control.estimator->f->nx) return;
  const char *of = state < n ? "position" : "momentum", *name = call->run.p->names.coord[state % n];
  cli_json_text(json_object_object_get(call->result, "estimator"), "unseen", name);
  cli_note(call->args,
           "warning: no encoder shows the %s of %s, which does not decay: the filter knows only "
           "its start; measure it (feedback.estimator.encoder)",
           of, name);
}

// report disturbances at inputs, with their uncertainty at the end, and those that encoders cannot
// distinguish from other errors
static void tell_disturbances(cli_call *call) {
  const fb_estimator *w = call->run.control.estimator;
  const int nx = w->f->nx;
  int state;
  cli_json *o = json_object_object_get(call->result, "estimator");
  if (!w->nd) return;
  cli_json *list = cli_json_object(o, "final_std_disturbance");
  for (int j = 0; j < w->nd; j++)
    cli_json_number(list, call->run.p->names.input[w->disturbed[j]],
                    fb_estimator_deviation(w, w->f->N, nx + j));

  // with A, B of the last step, as at rest
  if (fb_estimator_unseen(w, w->f->N - 1, &state) != DM_OK || state < nx) return;
  const char *name = call->run.p->names.input[w->disturbed[state - nx]];
  cli_json_text(o, "unseen_disturbance", name);
  cli_note(call->args,
           "warning: at the end the encoders cannot distinguish a disturbance at %s from other "
           "deviations, so its estimate may keep an error; leave it out "
           "(feedback.estimator.disturbance), or measure more",
           name);
}

int cli_estimate(cli_call *call) {
  int coord[2];

  // along the schedule that is executed, at its rate
  const dm_status s = pb_controller_estimate(&call->run.control, call->run.p, &call->msg);
  if (s != DM_OK) return cli_fail_status(call->args, s, &call->msg);
  const fb_estimator *estimator = call->run.control.estimator;

  // L_k and the standard deviations at every knot
  FILE *f = cli_call_file(call, "estimator.csv");
  if (!f) return CLI_INPUT;
  cli_estimator_write(f, &call->run.p->names, estimator);

  // the coordinates with the largest uncertainty of q and of p at the end
  double q = fb_estimator_spread(estimator, estimator->f->N, 0, &coord[0]);
  double p = fb_estimator_spread(estimator, estimator->f->N, 1, &coord[1]);
  cli_json *o = cli_json_object(call->result, "estimator");
  cli_json_int(o, "measured", estimator->ny);
  cli_json_number(o, "final_std_q", q);
  cli_json_number(o, "final_std_p", p);
  cli_json_int(o, "~positions", call->run.p->names.n);
  cli_json_text(o, "~q", call->run.p->names.coord[coord[0]]);
  cli_json_text(o, "~p", call->run.p->names.coord[coord[1]]);
  cli_tell_group(call->summary.file, "estimator", o);
  warn_unseen(call);
  tell_disturbances(call);
  return CLI_DONE;
}

#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/estimator.h"
#include "cli/results/sentences.h"
#include "cli/stages/job.h"

// warn about an unobservable state of an equilibrium
static void warn_unseen(cli_job *job) {
  const int n = job->names.n;

  // an unstable mode of the estimator that no measurement affects
  int state;
  if (!job->p->rest || fb_estimator_unseen(job->estimator, 0, &state) != DM_OK) return;
  if (state < 0 || state >= job->estimator->f->nx) return;
  const char *of = state < n ? "position" : "momentum", *name = job->names.coord[state % n];
  cli_json_text(json_object_object_get(job->result, "estimator"), "unseen", name);
  cli_note(job->args,
           "warning: no encoder shows the %s of %s, which does not decay by itself: the filter "
           "knows only its start; measure it (feedback.estimator.encoder)",
           of, name);
}

// report disturbances at inputs, with their uncertainty at the end, and those that encoders cannot
// distinguish from other errors
static void tell_disturbances(cli_job *job) {
  const fb_estimator *w = job->estimator;
  const int nx = w->f->nx;
  int state;
  cli_json *o = json_object_object_get(job->result, "estimator");
  if (!w->nd) return;
  cli_json *list = cli_json_object(o, "final_std_disturbance");
  for (int j = 0; j < w->nd; j++)
    cli_json_number(list, job->names.input[w->disturbed[j]],
                    fb_estimator_deviation(w, w->f->N, nx + j));

  // with A, B of the last step, as at rest
  if (fb_estimator_unseen(w, w->f->N - 1, &state) != DM_OK || state < nx) return;
  const char *name = job->names.input[w->disturbed[state - nx]];
  cli_json_text(o, "unseen_disturbance", name);
  cli_note(
      job->args,
      "warning: at the end no encoder tells what acts beside %s from other deviations: its "
      "estimate may be off for good; leave it out (feedback.estimator.disturbance), or measure "
      "more",
      name);
}

int cli_estimate(cli_job *job) {
  int failed, coord[2];

  // along the schedule that is executed, at its rate
  fb_tvlqr *along = job->sampled ? job->sampled : job->f;
  dm_status s = fb_estimator_new(&job->estimator, along, &job->task->system,
                                 &job->p->feedback.sensors, &failed, &job->msg);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);

  // predict with the model's step, if requested
  if (job->p->feedback.by_map) {
    s = fb_prediction_new(&job->prediction, job->p->model, &job->task->system, along->h, &job->msg);
    if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
    job->estimator->predictor = fb_prediction_predictor(job->prediction);
  }

  // from here on the controller receives estimated states
  job->sensor = fb_estimator_sensor(job->estimator);
  along->sensor = job->law->f.sensor = &job->sensor;

  // L_k and the standard deviations at every knot
  FILE *f = cli_job_file(job, "estimator.csv");
  if (!f) return CLI_INPUT;
  cli_estimator_write(f, &job->names, job->estimator);

  // the coordinates with the largest uncertainty of q and of p at the end
  double q = fb_estimator_spread(job->estimator, along->N, 0, &coord[0]);
  double p = fb_estimator_spread(job->estimator, along->N, 1, &coord[1]);
  cli_json *o = cli_json_object(job->result, "estimator");
  cli_json_int(o, "measured", job->estimator->ny);
  cli_json_number(o, "final_std_q", q);
  cli_json_number(o, "final_std_p", p);
  cli_json_int(o, "~positions", job->names.n);
  cli_json_text(o, "~q", job->names.coord[coord[0]]);
  cli_json_text(o, "~p", job->names.coord[coord[1]]);
  cli_tell_group(job->summary, "estimator", o);
  warn_unseen(job);
  tell_disturbances(job);
  return CLI_DONE;
}

#include "cli/stages/kept_end.h"

#include "control/feedback/resample.h"
#include "control/feedback/rest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// long enough that the controller's history covers only rest, and that an estimator settles  [s]
static double choose_rest_time(const cli_job *job) {
  enum { STEPS = 4 };
  const double h = job->x->h, rate = job->p->feedback.rate;
  if (job->estimator) return job->x->N * h;
  return STEPS * fmax(h, isfinite(rate) ? 1 / rate : 0);
}

// check the end's speed, which is zero at rest
static dm_status check_end_speed(const cli_job *job, dm_message *msg) {
  static const double NEAR = 0.2; // relative to its size over the horizon
  const dm_trajectory *x = job->x;
  for (int i = 0; i < x->n; i++) {
    const double v = x->v[(size_t)x->N * (size_t)x->n + (size_t)i];
    const dm_system *s = &job->task->system;
    const double size = s->length && s->length[i] && s->extent > 0 ? s->extent : 1;
    if (!(fabs(v) <= NEAR * size / (x->N * x->h)))
      return dm_fail(msg, DM_INFEASIBLE, "the motion ends with '%.64s' at a speed of %.3g",
                     job->names.coord[i], v);
  }
  return DM_OK;
}

// gains along the motion and at rest: those of the job, then the steady gain
static dm_status make_kept_schedule(cli_kept_end *e, dm_message *msg) {
  const cli_job *job = e->job;
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

  // K at the job's knots; a delayed input of the last knot already acts at rest
  cli_weights at;
  fb_weights weights = cli_weights_of(job, steps, &at);
  weights.Qf = NULL;
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

// repeat for this schedule the steps by which the job made its controller
static dm_status follow_kept_schedule(cli_kept_end *e, dm_message *msg) {
  const cli_job *job = e->job;
  const pb_feedback *set = &job->p->feedback;
  int failed;
  if (isfinite(set->rate))
    DM_TRY(fb_resample_new(&e->sampled, e->f, &job->task->system, set->rate, set->between,
                           set->delay, msg));
  if (!job->estimator) return DM_OK;

  // the estimator continues at rest, with the same prediction
  fb_tvlqr *along = e->sampled ? e->sampled : e->f;
  DM_TRY(fb_estimator_new(&e->estimator, along, &job->task->system, &set->sensors, &failed, msg));
  e->estimator->predictor = job->estimator->predictor;
  e->sensor = fb_estimator_sensor(e->estimator);
  along->sensor = &e->sensor;
  return DM_OK;
}

void cli_kept_end_close(cli_kept_end *e) {
  fb_output_feedback_free(e->law);
  fb_estimator_free(e->estimator);
  fb_tvlqr_free(e->sampled);
  fb_tvlqr_free(e->f);
  e->law = NULL;
  e->estimator = NULL;
  e->sampled = e->f = NULL;
}

dm_status cli_kept_end_open(cli_kept_end *e, const cli_job *job) {
  dm_message msg = {""};
  *e = (cli_kept_end){.job = job};
  if (!job->p->feedback.keeps_end) return DM_OK;
  dm_status s = make_kept_schedule(e, &msg);
  if (s == DM_OK) s = follow_kept_schedule(e, &msg);
  if (s == DM_OK) return DM_OK;

  // on failure: the controller of the last knot, as without holding
  cli_kept_end_close(e);
  if (s == DM_NO_MEMORY) return s;
  snprintf(e->restless, sizeof e->restless, "%s", msg.text[0] ? msg.text : dm_status_text(s));
  return DM_OK;
}

// swap the two controllers
static void swap_laws(cli_kept_end *e, cli_job *job) {
  fb_output_feedback *law = job->law;
  fb_estimator *estimator = job->estimator;
  job->law = e->law;
  job->estimator = e->estimator;
  e->law = law;
  e->estimator = estimator;
}

dm_status cli_kept_end_begin(cli_kept_end *e, cli_job *job) {
  if (!e->f) return DM_OK;
  fb_tvlqr *along = e->sampled ? e->sampled : e->f;
  DM_TRY(fb_output_feedback_new(&e->law, along, &job->task->system, job->p->feedback.measure,
                                job->p->feedback.exact, &job->msg));
  fb_output_feedback_stop_at(e->law, job->law->f.N, job->law->f.x);
  swap_laws(e, job);
  return DM_OK;
}

void cli_kept_end_end(cli_kept_end *e, cli_job *job) {
  if (e->law) swap_laws(e, job);
}

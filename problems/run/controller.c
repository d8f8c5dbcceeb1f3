#include "problems/run/controller.h"

#include "control/feedback/resample.h"

#include <math.h>

fb_tvlqr *pb_controller_schedule(const pb_controller *c) {
  return c->sampled ? c->sampled : c->gains;
}

// the mechanics on board, at the rate of the controller; without them an exact law has the system's
static dm_status make_mechanics(pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_feedback *set = &p->feedback;
  fb_tvlqr *f = pb_controller_schedule(c);
  const bool steps = set->by_map || p->mpc.there || set->measure == FB_POSITIONS;
  dm_message why = {""};
  if (!set->by_map && !set->exact && !p->mpc.there) return DM_OK;
  const dm_status s = fb_mechanics_new(&c->mechanics, &p->robot.mechanism, &p->task.system, f->h,
                                       steps ? FB_OF_STEPS : FB_OF_VELOCITIES, &why);
  if (s == DM_OK && (set->exact || p->mpc.there)) f->tree = fb_mechanics_tables(c->mechanics);
  if (s == DM_OK || (s == DM_UNAVAILABLE && !set->by_map && !p->mpc.there)) return DM_OK;
  return dm_fail(msg, s, "%s", why.text);
}

dm_status pb_controller_sample(pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_feedback *set = &p->feedback;
  fb_tvlqr *f = c->gains;
  f->turns = NULL;
  for (int i = 0; i < p->model->nq; i++)
    if (set->turns[i]) f->turns = set->turns;
  f->envelope = set->has_envelope ? &set->envelope : NULL;
  f->rate_limit = set->rate_limit;
  f->drives = dm_drive_limits_lines(&p->robot.drives) ? &p->robot.drives : NULL;
  f->path = set->by_path ? set->Q : NULL;
  f->continuous = set->continuous;
  if (isfinite(set->rate))
    DM_TRY(
        fb_resample_new(&c->sampled, f, &p->task.system, set->rate, set->between, set->delay, msg));
  return make_mechanics(c, p, msg);
}

dm_status pb_controller_check_rates(const pb_controller *c, const pb_problem *p, dm_message *msg) {
  const pb_feedback *set = &p->feedback;
  const fb_tvlqr *f = pb_controller_schedule(c);
  int i;
  if (!set->rate_limit) return DM_OK;
  const int k = fb_rate_limit_broken(f->N, f->nu, f->h, f->u, set->rate_limit, &i);
  if (k < 0) return DM_OK;
  const double *u = f->u + (size_t)k * (size_t)f->nu + i;

  // the plan's step changes at once, within one sample of a controller that is faster than the grid
  const double planned = set->rate_limit[i] * fmin(1, f->h / c->gains->h);
  return dm_fail(
      msg, DM_BAD_INPUT,
      "%s:%d:%d: feedback.rate_limit: found %g of '%.64s', but the plan changes it by %.6g "
      "per s at knot %d, expected at least that; plan with bounds.rate: %g, or a wider "
      "rate_limit",
      p->file.path, set->rate_limit_at[0], set->rate_limit_at[1], set->rate_limit[i],
      p->names.input[i], fabs(u[f->nu] - u[0]) / f->h, k, planned);
}

fb_receding pb_controller_horizon(const pb_problem *p) {
  const pb_mpc *set = &p->mpc;
  return (fb_receding){.stages = set->stages,
                       .sweeps = set->sweeps,
                       .u_min = p->feedback.u_min,
                       .u_max = p->feedback.u_max,
                       .q_min = set->q_min,
                       .q_max = set->q_max,
                       .soft = set->soft,
                       .single = set->single};
}

dm_status pb_controller_recede(fb_output_feedback **law, const pb_controller *c,
                               const pb_problem *p, dm_message *msg) {
  const fb_receding o = pb_controller_horizon(p);
  DM_TRY(fb_output_feedback_new(law, pb_controller_schedule(c), &p->task.system, p->mpc.measure,
                                true, msg));
  const dm_status s = fb_receding_start(*law, &o, msg);
  if (s == DM_OK) return DM_OK;
  fb_output_feedback_free(*law);
  *law = NULL;
  return s;
}

dm_status pb_controller_measure(pb_controller *c, const pb_problem *p, dm_message *msg) {
  return fb_output_feedback_new(&c->law, pb_controller_schedule(c), &p->task.system,
                                p->feedback.measure, p->feedback.exact, msg);
}

dm_status pb_controller_estimate(pb_controller *c, const pb_problem *p, dm_message *msg) {
  const dm_system *system = &p->task.system;
  fb_tvlqr *along = pb_controller_schedule(c);
  int failed;
  dm_status s = fb_estimator_new(&c->estimator, along, system, &p->feedback.sensors, &failed, msg);
  if (s != DM_OK) return s;

  // predict with the model's step, if requested
  if (p->feedback.by_map) c->estimator->predictor = fb_mechanics_predictor(c->mechanics);
  c->sensor = fb_estimator_sensor(c->estimator);
  along->sensor = &c->sensor;
  if (c->law) c->law->f.sensor = &c->sensor;
  return DM_OK;
}

void pb_controller_free(pb_controller *c) {
  fb_output_feedback_free(c->law);
  fb_tvlqr_free(c->sampled);
  fb_estimator_free(c->estimator);
  fb_mechanics_free(c->mechanics);
  fb_tvlqr_free(c->gains);
  *c = (pb_controller){0};
}

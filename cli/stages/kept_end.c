#include "cli/stages/kept_end.h"

#include "control/feedback/rest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// long enough that the controller's history covers only rest, that an estimator settles, and that
// a horizon ends at rest  [s]
static double choose_rest_time(const cli_call *call) {
  enum { STEPS = 4 };
  const pb_mpc *mpc = &call->run.p->mpc;
  const double h = call->run.x->h, rate = call->run.p->feedback.rate;
  if (call->run.control.estimator) return call->run.x->N * h;
  if (mpc->there && mpc->stages > STEPS) return mpc->stages * h;
  return STEPS * fmax(h, isfinite(rate) ? 1 / rate : 0);
}

// check the end's speed, which is zero at rest
static dm_status check_end_speed(const cli_call *call, dm_message *msg) {
  static const double NEAR = 0.2; // relative to its size over the horizon
  const dm_trajectory *x = call->run.x;
  for (int i = 0; i < x->n; i++) {
    const double v = x->v[(size_t)x->N * (size_t)x->n + (size_t)i];
    const dm_system *s = &call->run.p->task.system;
    const double size = s->length && s->length[i] && s->extent > 0 ? s->extent : 1;
    if (!(fabs(v) <= NEAR * size / (x->N * x->h)))
      return dm_fail(msg, DM_INFEASIBLE, "the motion ends with '%.64s' at a speed of %.3g",
                     call->run.p->names.coord[i], v);
  }
  return DM_OK;
}

// gains along the motion and at rest: the run's, then the steady gain
static dm_status make_kept_schedule(cli_kept_end *e, dm_message *msg) {
  const cli_call *call = e->call;
  const pb_feedback *set = &call->run.p->feedback;
  fb_rest_settings rest = fb_rest_default();
  rest.time = choose_rest_time(call);
  rest.u_min = set->u_min;
  rest.u_max = set->u_max;
  rest.coord = call->run.p->names.coord;
  rest.input = call->run.p->names.input;

  // the motion, then rest near its end
  dm_trajectory *x = NULL;
  double off;
  int steps, failed;
  dm_status s = check_end_speed(call, msg);
  if (s == DM_OK && call->run.p->task.system.contacts)
    return dm_fail(msg, DM_UNAVAILABLE,
                   "it ends at contacts or dry friction, whose rest is not planned");
  if (s == DM_OK)
    s = fb_rest_append(&x, call->run.x, &call->run.p->task.system, &rest, &steps, &off, msg);
  if (s != DM_OK) return s;

  // K at the run's knots; a delayed input of the last knot already acts at rest
  pb_weights at;
  fb_weights weights = pb_run_weights(&call->run, steps, &at);
  weights.Qf = NULL;
  s = fb_tvlqr_new(&e->control.gains, x, &call->run.p->task.system, &weights, &failed, msg);
  dm_trajectory_free(x);
  if (s != DM_OK) return s;
  const fb_tvlqr *f = call->run.control.gains, *to = e->control.gains;
  const size_t own = (size_t)(f->N - f->late), nu = (size_t)f->nu, nx = (size_t)f->nx;
  memcpy(to->K, f->K, own * nu * nx * sizeof *f->K);
  memcpy(to->P, f->P, (size_t)f->N * nx * nx * sizeof *f->P);
  // commands of motors with a lag: until the end they do not know the rest
  memcpy(to->u, f->u, (size_t)f->N * nu * sizeof *f->u);
  const size_t kept = (size_t)(f->ni + f->nl);
  if (kept) memcpy(to->Ki, f->Ki, own * nu * kept * sizeof *f->Ki);
  if (f->W) memcpy(to->W, f->W, own * nu * nu * sizeof *f->W);
  return DM_OK;
}

void cli_kept_end_close(cli_kept_end *e) {
  pb_controller_free(&e->control);
}

dm_status cli_kept_end_open(cli_kept_end *e, const cli_call *call) {
  dm_message msg = {""};
  *e = (cli_kept_end){.call = call};
  if (!call->run.p->feedback.keeps_end) return DM_OK;
  dm_status s = make_kept_schedule(e, &msg);

  // the steps by which the run's controller was made; the estimator continues at rest
  e->control.rests = s == DM_OK;
  if (s == DM_OK) s = pb_controller_sample(&e->control, call->run.p, &msg);
  if (s == DM_OK && call->run.control.estimator)
    s = pb_controller_estimate(&e->control, call->run.p, &msg);
  if (s == DM_OK) return DM_OK;

  // on failure: the controller of the last knot, as without holding
  cli_kept_end_close(e);
  if (s == DM_NO_MEMORY) return s;
  snprintf(e->restless, sizeof e->restless, "%s", msg.text[0] ? msg.text : dm_status_text(s));
  return DM_OK;
}

// swap the two controllers
static void swap_laws(cli_kept_end *e, cli_call *call) {
  fb_output_feedback *law = call->run.control.law;
  fb_estimator *estimator = call->run.control.estimator;
  call->run.control.law = e->control.law;
  call->run.control.estimator = e->control.estimator;
  e->control.law = law;
  e->control.estimator = estimator;
}

dm_status cli_kept_end_begin(cli_kept_end *e, cli_call *call) {
  if (!e->control.gains) return DM_OK;
  DM_TRY(pb_controller_measure(&e->control, call->run.p, &call->msg));
  fb_output_feedback_stop_at(e->control.law, call->run.control.law->f.N,
                             call->run.control.law->f.x);
  swap_laws(e, call);
  return DM_OK;
}

void cli_kept_end_end(cli_kept_end *e, cli_call *call) {
  if (e->control.law) swap_laws(e, call);
}

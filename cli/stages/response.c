#include "cli/results/response.h"
#include "cli/console/log.h"
#include "cli/results/sentences.h"
#include "cli/stages/bench.h"
#include "cli/stages/follow.h"
#include "control/loop/closed_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SETTLED = 0.05; // of the initial error; the usual bound of a settling time

// one perturbed start, and the motions with and without feedback
typedef struct response {
  cli_call *call;
  fb_plant *plant;
  double *x0;          // [nx]
  double *x[2], *u[2]; // [(N+1) x nx], [N x nu] open loop, closed loop; NAN after a failed step
  double *error[2];    // [N+1] norms of x - x_d
  fb_closed_loop_result result[2];
} response;

// the state after holding the first input, plus the offsets in (q,v), projected onto the
// constraints
static dm_status begin_response(response *w) {
  const pb_problem *p = w->call->run.p;
  const fb_tvlqr *f = &w->call->run.control.law->f;
  const dm_system *s = &p->task.system;
  int n = s->L.nq;

  // offsets [2n] in (q,v), in memory not yet in use
  double *d = w->x[1];
  bool off = false;

  // apply u_0 for start.hold steps from x_0
  memcpy(w->x0, f->x, (size_t)f->nx * sizeof *f->x);
  for (int k = 0; k < p->verify.start_hold; k++)
    DM_TRY(w->plant->step(w->plant->self, w->x0, f->u, f->h));

  // then add the offset, unless it is zero
  for (int i = 0; i < n; i++) off = off || p->verify.start_q[i] != 0 || p->verify.start_v[i] != 0;
  if (!off) return DM_OK;
  memcpy(d, p->verify.start_q, (size_t)n * sizeof *d);
  memcpy(d + n, p->verify.start_v, (size_t)n * sizeof *d);
  return fb_closed_loop_offset(s, w->x0, d, w->x0);
}

// one run; states not reached are NAN
static void run_loop(response *w, bool closed) {
  const fb_tvlqr *f = &w->call->run.control.law->f;
  const pb_feedback *asked = &w->call->run.p->feedback;
  const size_t nx = (size_t)f->nx, nu = (size_t)f->nu, knots = (size_t)f->N + 1;
  fb_tvlqr law = *f;
  double *x = w->x[closed], *u = w->u[closed];

  // the open loop is the same controller without gains; its noise has a sample number that verify
  // does not use
  if (!closed) {
    law.K = NULL;
    law.by = NULL;
  }
  if (law.sensor) law.sensor->begin(law.sensor->self, w->call->run.p->verify.samples);
  fb_closed_loop_run(&law, w->plant, w->x0, asked->u_min, asked->u_max, NULL, x, u,
                     &w->result[closed]);

  // knots after a failed step
  size_t reached = (size_t)w->result[closed].steps;
  for (size_t i = (reached + 1) * nx; i < knots * nx; i++) x[i] = NAN;
  for (size_t i = reached * nu; i < (knots - 1) * nu; i++) u[i] = NAN;

  // |x - x_d| in (q,p) at each knot
  for (size_t k = 0; k < knots; k++) {
    double sum = 0;
    for (size_t i = k * nx; i < (k + 1) * nx; i++) sum += (x[i] - f->x[i]) * (x[i] - f->x[i]);
    w->error[closed][k] = sqrt(sum);
  }
}

// violations of position limits at the knots of a run
static void put_run_limits(const response *w, bool closed, cli_json *o) {
  const int n = w->call->run.p->names.n;
  const dm_bounds q = w->call->run.p->verify.stops;
  fb_excess worst = fb_excess_none();
  for (int k = 0; k <= w->result[closed].steps; k++)
    fb_excess_add(&worst, n, w->x[closed] + (size_t)k * 2 * (size_t)n, q.low, q.high,
                  k * w->call->run.control.law->f.h);
  cli_put_excess(w->call, o, CLI_POSITION, &worst);
}

static void report_response(const response *w, const char *plant) {
  static const char *const name[] = {"open", "closed"};
  const fb_tvlqr *f = &w->call->run.control.law->f;
  const int N = f->N;
  int settled = -1;

  cli_json *v = NULL;
  json_object_object_get_ex(w->call->result, "verify", &v);
  cli_json *o = cli_json_object(v, "start");
  cli_json_text(o, "plant", plant);
  cli_json_number(o, "error", w->error[0][0]);

  // per loop: number of steps, errors, and settling time
  for (int c = 0; c < 2; c++) {
    // the first knot from which the error [N+1] stays within SETTLED of its initial value; -1: none
    const double *error = w->error[c];
    int k = N + 1;
    while (k > 0 && error[k - 1] <= SETTLED * error[0]) k--;
    settled = k <= N ? k : -1;

    cli_json *run = cli_json_object(o, name[c]);
    cli_json_int(run, "steps", w->result[c].steps);
    cli_json_number(run, "final_error", w->error[c][N]);

    // the largest error
    const double *x = w->error[c];
    const int n = N + 1;
    double max = 0;
    for (int i = 0; i < n; i++) max = isnan(x[i]) ? INFINITY : fmax(max, x[i]);
    cli_json_number(run, "worst_error", max);

    cli_json_number(run, "settling_time", settled < 0 ? NAN : settled * f->h);
    put_run_limits(w, c, run);
  }
  cli_json_int(o, "saturated", w->result[1].saturated);

  // the norm mixes units: use it only for comparison
  cli_json_number(o, "~within", 100 * SETTLED);
  cli_tell_group(w->call->summary.file, "verify.start", o);
}

// refuse a start beyond a stop
static int check_start_limits(const response *w) {
  const pb_problem *p = w->call->run.p;
  const dm_bounds q = p->verify.stops;
  const int i = fb_limits_outside(q, p->names.n, w->x0, w->call->run.control.law->f.x);
  char at[PB_PLACE];
  if (i < 0 || p->verify.limits == FB_LIMITS_IGNORE) return CLI_DONE;
  return cli_fail(
      w->call->args, CLI_INPUT,
      "%s: verify.start: found '%.64s' at %.6g, outside its limits [%.6g, %.6g], expected "
      "a start within them: change verify.start, or say verify.limits: ignore",
      pb_problem_at(p, "verify.start", at), p->names.coord[i], w->x0[i], q.low[i], q.high[i]);
}

static int respond_to_start(response *w, const char *plant) {
  cli_call *call = w->call;
  dm_status s = begin_response(w);

  if (s != DM_OK)
    return cli_fail(call->args, cli_exit_of(s), "verify.start: this start cannot be reached: %s",
                    dm_status_text(s));
  int status = check_start_limits(w);
  if (status != CLI_DONE) return status;

  // the same start: open loop, closed loop
  run_loop(w, false);
  run_loop(w, true);

  // states of both, inputs of the closed loop, errors of both
  FILE *f = cli_call_file(call, "response.csv");
  if (!f) return CLI_INPUT;
  cli_response_write(f, &call->run.p->names, &call->run.control.law->f, w->x[0], w->x[1], w->u[1],
                     w->error[0], w->error[1]);
  report_response(w, plant);
  return CLI_DONE;
}

int cli_response(cli_call *call, fb_plant *plant, const char *name) {
  const fb_tvlqr *f = &call->run.control.law->f;
  size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;

  // per loop x [(N+1) x nx], its error [N+1] and u [N x nu]; then x0 [nx]
  size_t one = (N + 1) * (nx + 1) + N * nu;
  double *all = calloc(2 * one + nx, sizeof *all);
  if (!all) return cli_fail(call->args, CLI_FAULT, "out of memory");

  // both loops from the same start
  response w = {.call = call, .plant = plant, .x0 = all + 2 * one};
  for (int c = 0; c < 2; c++) {
    w.x[c] = all + (size_t)c * one;
    w.error[c] = w.x[c] + (N + 1) * nx;
    w.u[c] = w.error[c] + N + 1;
  }
  int status = respond_to_start(&w, name);
  free(all);
  return status;
}

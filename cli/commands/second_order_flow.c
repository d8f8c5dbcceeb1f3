// simulate, second order: the flow of the discrete Lagrangian from the knots X_0 and X_1; X_1
// follows from Taylor's expansion of the start.
#include "cli/commands/stages.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/momenta.h"
#include "cli/results/monitors.h"
#include "cli/results/registry.h"
#include "cli/results/trajectory.h"
#include "cli/stages/call.h"
#include "cli/stages/outputs.h"
#include "lib/discrete/monitor.h"
#include "lib/second/flow.h"
#include "optim/second/torque_transcription.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a run and its output files
typedef struct flow_run {
  cli_call *call;
  oc_torque_transcription *action;
  dm_flow *flow;
  dm_trajectory *step; // one step: q, p, v of its knots, u
  FILE *f, *momenta;   // trajectory.csv, momenta.csv
  cli_outputs outputs; // outputs.csv, if the problem has outputs
  dm_series *series;   // [n + 1] momentum P1 of each coordinate's q, and energy
} flow_run;

static void free_flow(flow_run *w) {
  oc_torque_transcription_free(w->action);
  dm_trajectory_free(w->step);
  dm_flow_free(w->flow);
  free(w->series);
  cli_outputs_free(&w->outputs);
}

// monitor conserved quantities of the current step
static dm_status watch_flow(flow_run *w, const dm_flow *flow) {
  double E;
  const int n = flow->L->n;
  DM_TRY(dm_second_order_energy(flow->L, flow->X0, flow->X1, flow->set.h, &E));
  for (int i = 0; i < n; i++) dm_series_add(&w->series[i], flow->k, flow->set.steps, flow->P[i]);
  dm_series_add(&w->series[n], flow->k, flow->set.steps, E);
  return DM_OK;
}

// write the first or the last knot of the current step
static dm_status write_flow_knot(void *user, const dm_flow *flow, bool end) {
  flow_run *w = user;

  // X_k and X_k+1 are knots of the flow; q, p, v and u of the step between them
  int k = flow->k + end;
  if (!end) DM_TRY(watch_flow(w, flow));
  const bool row = k % w->call->run.p->simulate.every == 0;
  const double *X = end ? flow->X1 : flow->X0;
  cli_outputs_add(&w->outputs, w->call, k, k * flow->set.h, X, X + flow->L->n, NULL, NULL, row);
  if (!row) return DM_OK;
  DM_TRY(cli_momenta_row(w->momenta, k, flow->set.h, flow->L, end ? flow->X1 : flow->X0,
                         end ? NULL : flow->X1));
  DM_TRY(oc_torque_transcription_trajectory(w->action, flow->X0, w->step));
  fprintf(w->f, "%d", k);
  cli_trajectory_row(w->f, w->step, end, k * w->call->run.p->simulate.h, end ? NULL : w->step->u,
                     NULL);
  fputc('\n', w->f);
  return ferror(w->f) || ferror(w->momenta) ? DM_IO : DM_OK;
}

static bool proceed_flow(void *user) {
  (void)user;
  return !cli_interrupted();
}

static dm_status prepare_flow(flow_run *w) {
  // the action of one step, with the weights of the cost
  const pb_problem *p = w->call->run.p;
  oc_task one = {.system = p->task.system,
                 .coord_name = p->task.coord_name,
                 .input_name = p->task.input_name,
                 .N = 1,
                 .time.T = p->simulate.h,
                 .bounds[OC_Q].low = p->task.bounds[OC_Q].low,
                 .bounds[OC_Q].high = p->task.bounds[OC_Q].high,
                 .cost[OC_U].running =
                     p->has.task ? p->task.cost[OC_U].running : p->transcription.w_u,
                 .cost[OC_Q].running = p->task.cost[OC_Q].running,
                 .cost[OC_V].running = p->task.cost[OC_V].running};

  // X_1 as given, or by Taylor's expansion q(h) = q + h v + h^2 a/2 + h^3 j/6, v likewise
  dm_flow_settings set = {.steps = p->simulate.steps,
                          .h = p->simulate.h,
                          .proceed = proceed_flow,
                          .knot = write_flow_knot,
                          .user = w};
  DM_TRY(oc_torque_transcription_new(&w->action, &one, &p->transcription.action, &w->call->msg));
  DM_TRY(dm_trajectory_of(&w->step, 1, &one.system));
  DM_TRY(dm_flow_new(&w->flow, oc_torque_transcription_second(w->action), &set));
  w->series = calloc((size_t)w->flow->L->n + 1, sizeof *w->series);
  if (!w->series) return DM_NO_MEMORY;
  cli_momenta_header(w->momenta, &p->names, w->flow->L->k);
  dm_flow_taylor(p->names.n, w->flow->L->k, p->simulate.h, p->simulate.q, p->simulate.v,
                 p->simulate.a, p->simulate.jerk, w->flow->X0, w->flow->X1);
  if (p->simulate.second)
    memcpy(w->flow->X1, p->simulate.second, (size_t)w->flow->L->size * sizeof *w->flow->X1);
  return DM_OK;
}

static void report_momenta(flow_run *w) {
  cli_call *call = w->call;
  cli_json *o = cli_json_object(call->result, "momentum");
  char names[256] = "";

  // momenta of cyclic coordinates are conserved
  double max = 0;
  for (int i = 0; i < call->run.p->names.n; i++) {
    if (!w->flow->cyclic[i]) continue;
    double drift = dm_flow_drift(w->flow, i);
    size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", call->run.p->names.coord[i]);
    cli_json_number(o, call->run.p->names.coord[i], drift);
    max = fmax(max, drift);
  }

  // also as monitors, with the energy
  cli_json *all = cli_json_object(call->result, "monitors");
  cli_json *momentum = cli_json_object(all, "momentum");
  const double h = call->run.p->simulate.h;
  for (int i = 0; i < call->run.p->names.n; i++)
    if (w->flow->cyclic[i] && w->series[i].count)
      cli_monitors_report_one(&w->series[i], h,
                              cli_json_object(momentum, call->run.p->names.coord[i]));
  if (w->series[call->run.p->names.n].count)
    cli_monitors_report_one(&w->series[call->run.p->names.n], h, cli_json_object(all, "energy"));

  // the largest drift, relative to the momentum
  if (names[0]) cli_tell(call, "momentum", "of %s changes by at most %.1e of itself", names, max);
}

static int report_flow(flow_run *w, dm_status s, double seconds) {
  cli_call *call = w->call;
  const int N = call->run.p->simulate.steps;
  const int done = s == DM_OK ? N : w->flow->k + 1;
  const char *status = "failed";
  if (s == DM_OK) status = "done";
  if (s == DM_INTERRUPTED) status = "interrupted";

  // number of steps, and the rule
  cli_json_text(call->result, "status", status);
  cli_json_text(call->result, "transcription", pb_transcription_order(&call->run.p->transcription));
  cli_json_text(call->result, "rule", call->run.p->transcription.action.rule.name);
  cli_json_int(call->result, "steps", done);
  cli_json_int(call->result, "every", call->run.p->simulate.every);
  cli_json_number(cli_json_object(call->result, "time"), "total_s", seconds);

  // in the summary, with the momenta
  cli_tell(call, "steps", "%d of %d, %.3g us each", done, N, 1e6 * seconds / done);
  report_momenta(w);
  cli_outputs_report(&w->outputs, call);

  // why it ended early
  if (s == DM_OK) return CLI_DONE;
  if (s == DM_INTERRUPTED)
    cli_error("interrupted at knot %d: the motion up to there is written", done);
  else
    cli_error("no step from knot %d: %s (condition number %.2g)", done, dm_status_text(s),
              w->flow->info.condition);
  return CLI_OUTCOME;
}

int cli_flow(cli_call *call) {
  flow_run w = {.call = call};

  // the header; knots are written during the run
  int status;
  if (!(w.f = cli_call_file(call, "trajectory.csv"))) return CLI_INPUT;
  if (!(w.momenta = cli_call_file(call, "momenta.csv"))) return CLI_INPUT;
  cli_table_begin(w.f, &cli_file_trajectory, &call->run.p->names);
  if ((status = cli_outputs_open(&w.outputs, call)) != CLI_DONE) {
    free_flow(&w);
    return status;
  }
  double begin = cli_clock();
  dm_status s = prepare_flow(&w);
  if (s == DM_OK) {
    cli_call_worth(call);
    s = dm_flow_run(w.flow, &call->msg);
  }

  // without a first step there is nothing to report
  if (s < 0 && (!w.flow || w.flow->k == 0 || s == DM_IO))
    status = cli_fail(call->args, cli_exit_of(s), "%s: %s", call->run.p->file.path,
                      call->msg.text[0] ? call->msg.text : dm_status_text(s));
  else
    status = report_flow(&w, s, cli_clock() - begin);
  free_flow(&w);
  return status;
}

#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/sentences.h"
#include "cli/results/trajectory.h"
#include "cli/stages/call.h"
#include "cli/stages/impulses.h"
#include "cli/stages/outputs.h"

int cli_balance(cli_call *call) {
  const dm_trajectory *rest = call->run.p->rest;

  // N + 1 knots at the equilibrium found by the problem's reader
  dm_status s = dm_trajectory_of(&call->run.x, rest->N, &call->run.p->task.system);
  if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
  dm_trajectory_copy(call->run.x, rest);

  // the same files and figures as for any motion
  FILE *f = cli_call_file(call, "trajectory.csv");
  if (!f) return CLI_INPUT;
  cli_trajectory_write(f, &call->run.p->names, call->run.x, NULL);
  int status = cli_impulses_write(call);
  if (status == CLI_DONE) status = cli_outputs_write(call);
  if (status != CLI_DONE) return status;
  cli_json_text(call->result, "status", "done");
  cli_json_int(call->result, "steps", rest->N);

  // report the equilibrium: q, u and the forces that hold it
  const dm_trajectory *x = call->run.x;
  cli_json *o = cli_json_object(call->result, "equilibrium");
  cli_json *u = cli_json_object(o, "u");
  char text[400] = "";
  size_t used = 0;

  // q and u at rest, by name
  cli_json *q = cli_json_object(o, "q");
  for (int i = 0; i < x->n; i++) cli_json_number(q, call->run.p->names.coord[i], x->q[i]);
  for (int j = 0; j < x->nu; j++) cli_json_number(u, call->run.p->names.input[j], x->u[j]);

  // in the summary only forces: kinematic inputs are positions
  for (int j = 0; j < call->run.p->task.system.nu && used < sizeof text - 100; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.48s %.4g", used ? ", " : "",
                             call->run.p->names.input[j], x->u[j]);
  cli_json_number(o, "~time", x->N * x->h);
  cli_json_text(o, "~force", used ? text : "no force");
  cli_tell_group(call->summary.file, "equilibrium", o);

  return cli_certify(call, true);
}

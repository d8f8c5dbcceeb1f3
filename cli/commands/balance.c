#include "cli/commands/stages.h"
#include "cli/console/log.h"
#include "cli/results/sentences.h"
#include "cli/results/trajectory.h"
#include "cli/stages/impulses.h"
#include "cli/stages/job.h"
#include "cli/stages/outputs.h"
#include "control/feedback/rest.h"

// report the equilibrium: q, u and the forces that hold it
static void report_rest(cli_job *job) {
  const dm_trajectory *x = job->x;
  cli_json *o = cli_json_object(job->result, "equilibrium");
  cli_json *u = cli_json_object(o, "u");
  char text[400] = "";
  size_t used = 0;

  // q and u at rest, by name
  cli_json *q = cli_json_object(o, "q");
  for (int i = 0; i < x->n; i++) cli_json_number(q, job->names.coord[i], x->q[i]);
  for (int j = 0; j < x->nu; j++) cli_json_number(u, job->names.input[j], x->u[j]);

  // in the summary only forces: kinematic inputs are positions
  for (int j = 0; j < job->task->system.nu && used < sizeof text - 100; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.48s %.4g", used ? ", " : "",
                             job->names.input[j], x->u[j]);
  cli_json_number(o, "~time", x->N * x->h);
  cli_json_text(o, "~force", used ? text : "no force");
  cli_tell_group(job->summary, "equilibrium", o);
}

int cli_balance(cli_job *job) {
  const dm_trajectory *rest = job->p->rest;

  // N + 1 knots at the equilibrium found by the problem's reader
  dm_status s = dm_trajectory_of(&job->x, rest->N, &job->task->system);
  if (s != DM_OK) return cli_fail_status(job->args, s, NULL);
  dm_trajectory_copy(job->x, rest);

  // the same files and figures as for any motion
  FILE *f = cli_job_file(job, "trajectory.csv");
  if (!f) return CLI_INPUT;
  cli_trajectory_write(f, &job->names, job->x, NULL);
  int status = cli_impulses_write(job);
  if (status == CLI_DONE) status = cli_outputs_write(job);
  if (status != CLI_DONE) return status;
  cli_json_text(job->result, "status", "done");
  cli_json_int(job->result, "steps", rest->N);
  report_rest(job);
  return cli_certify(job, true);
}

dm_status cli_append_rest(cli_job *job) {
  // nothing requested, or already done
  if (!(job->p->feedback.rest_time > 0) || job->rest_steps) return DM_OK;
  fb_rest_settings set = fb_rest_default();
  set.time = job->p->feedback.rest_time;
  set.u_min = job->p->feedback.u_min;
  set.u_max = job->p->feedback.u_max;
  set.coord = job->names.coord;
  set.input = job->names.input;

  // the motion, then rest at an equilibrium near its end
  dm_trajectory *with_rest = NULL;
  int steps = 0;
  dm_status s = fb_rest_append(&with_rest, job->x, &job->task->system, &set, &steps, &job->rest_off,
                               &job->msg);
  if (s != DM_OK) return s;
  dm_trajectory_free(job->x);
  job->x = with_rest;
  job->rest_steps = steps;
  return DM_OK;
}

#include "cli/commands.h"
#include "cli/job.h"
#include "cli/say.h"
#include "control/steady.h"
#include "optim/neighbour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// the schedule of the motion with gains as stored; its linearization is not needed any more
static int read_gains(cli_job *job) {
  char *path = cli_join(job->args->operand, "gains.csv");
  double *K = NULL;
  dm_status s = path ? cli_gains_read(&K, job->x->N, path, &job->names, &job->msg) : DM_NO_MEMORY;
  free(path);
  if (s != DM_OK) return cli_fail_status(job->args, s, &job->msg);
  memcpy(job->f->K, K, (size_t)job->f->N * (size_t)(job->f->nu * job->f->nx) * sizeof *K);
  free(K);
  return CLI_DONE;
}

static bool has_gains(const cli_job *job) {
  char *path = cli_join(job->args->operand, "gains.csv");
  bool there = path && access(path, F_OK) == 0;
  free(path);
  return there;
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// how fast deviations from a place of rest grow or decay, without feedback and with it
static void report_poles(cli_job *job, cli_json *gains) {
  const fb_schedule *f = job->f;
  double radius[2] = {NAN, NAN};
  for (int closed = 0; closed < 2; closed++)
    fb_steady_radius(f->nx, f->nu, f->A, f->B, closed ? f->K : NULL, &radius[closed]);
  cli_json *o = cli_json_object(gains, "spectral_radius");
  cli_json_number(o, "open", radius[0]);
  cli_json_number(o, "closed", radius[1]);
  cli_tell(job, "", "deviations times %.6g a step without feedback, %.6g with it", radius[0],
           radius[1]);
}

static int write_gains(cli_job *job, double slope) {
  FILE *f = cli_job_file(job, "gains.csv");
  if (!f) return CLI_INPUT;
  cli_gains_write(f, &job->names, job->f);
  cli_forget(job, "verify");
  json_object_object_del(job->result, "verify");
  double most = largest(job->f->K, (size_t)job->f->N * (size_t)(job->f->nu * job->f->nx));
  cli_json *g = cli_json_object(job->result, "gains");
  cli_json_text(g, "status", "done");
  cli_json_number(g, "largest", most);
  if (isfinite(slope)) cli_json_number(g, "slope", slope);
  cli_tell(job, "gains", "%d knots, largest %.4g", job->f->N, most);
  if (job->p->rest) report_poles(job, g);
  return CLI_DONE;
}

int cli_gains(cli_job *job, bool stored) {
  if (!job->p->has_feedback)
    return cli_fail(job->args, CLI_INPUT, "%s asks for no feedback: it has no section feedback",
                    job->p->path);
  int failed = -1;
  fb_weights weights = {job->p->Q, job->p->R, job->p->Qf, job->names.coord, job->p->rest != NULL};
  double slope = NAN;
  dm_status s =
      job->p->second_variation
          ? oc_neighbour_gains(&job->f, job->task, job->x, job->p->Qf, &slope, &failed, &job->msg)
          : fb_schedule_new(&job->f, job->x, &job->task->system, &weights, &failed, &job->msg);
  if (s == DM_NO_MEMORY) return cli_fail_status(job->args, s, &job->msg);
  if (s != DM_OK) {
    cli_error("no gains: %s", job->msg.text);
    cli_json *g = cli_json_object(job->result, "gains");
    cli_json_text(g, "status", "failed");
    cli_json_text(g, "error", job->msg.text);
    cli_json_int(g, "knot", failed);
    if (isfinite(slope)) cli_json_number(g, "slope", slope);
    return CLI_OUTCOME;
  }
  bool found = stored && has_gains(job);
  int status = found ? read_gains(job) : CLI_DONE;
  if (status == CLI_DONE && (!found || job->args->out)) status = write_gains(job, slope);
  return status == CLI_DONE && job->p->has_estimator ? cli_estimate(job) : status;
}

int cmd_gains(const cli_args *args) {
  cli_job job;
  int status = cli_job_open(&job, args, true);
  if (status == CLI_DONE) status = cli_motion(&job);
  if (status == CLI_DONE) status = cli_stage(&job, "gains", cli_gains(&job, false));
  return cli_job_close(&job, status);
}

#include "cli/console/log.h"
#include "cli/stages/job.h"
#include "cli/stages/refine.h"
#include "lib/discrete/kkt_matrix.h"
#include "lib/multibody/turn.h"

#include <math.h>
#include <string.h>

static const double CERTIFIED = 1e-8;
// the largest turn of a joint in one step; where nothing is solved, a large one is worth a word
static void report_turn(cli_job *job, bool solved) {
  const dm_turn turn = dm_turn_largest(job->p->model, job->x->N, job->x->q);
  if (turn.coord < 0) return;
  const char *joint = job->names.coord[turn.coord];
  cli_json *o = cli_json_object(job->result, "largest_turn");
  cli_json_number(o, "rad", turn.angle);
  cli_json_text(o, "joint", joint);
  cli_json_int(o, "knot", turn.knot);
  cli_tell(job, "largest turn", "%.3g rad in one step (%s, knot %d)", turn.angle, joint, turn.knot);
  if (!solved) cli_warn_turn(job);
}

// the largest residual of all constraints at all knots
static dm_status report_constraints(cli_job *job) {
  const dm_trajectory *x = job->x;
  dm_kkt *w = NULL;
  double most = -1;
  int row = 0, knot = 0;
  DM_TRY(dm_kkt_new(&w, &job->task->system));
  dm_status s = DM_OK;
  for (int k = 0; k <= x->N && s == DM_OK; k++) {
    s = dm_kkt_end(w, x->q + (size_t)k * (size_t)x->n);
    for (int c = 0; c < w->nc; c++)
      if (!(fabs(w->h[c]) <= most)) most = fabs(w->h[c]), row = c, knot = k;
  }
  dm_kkt_free(w);
  if (s == DM_OK) cli_report_constraints(job, most, row, knot);
  return s;
}

// every knot stepped once; and, for information, the whole motion rolled out without feedback
static int step_each(cli_job *job, bool solved) {
  dm_del *del = NULL;
  dm_trajectory *roll = NULL;
  const dm_trajectory *x = job->x;
  dm_del_info info;
  double gap = INFINITY, drift = 0;
  int worst = 0, failed = -1;
  size_t len = (size_t)x->n * sizeof *x->q;
  dm_status s = dm_del_new(&del, &job->task->system, NULL);
  if (s == DM_OK) s = dm_trajectory_of(&roll, x->N, &job->task->system);
  if (s == DM_OK) s = dm_trajectory_certify(x, del, &gap, &worst);
  if (s == DM_OK) {
    roll->h = x->h;
    memcpy(roll->q, x->q, len), memcpy(roll->p, x->p, len);
    memcpy(roll->v, x->v, len);
    if (x->nu) memcpy(roll->u, x->u, (size_t)x->N * (size_t)x->nu * sizeof *x->u);
    if (dm_trajectory_roll(roll, del, &info, &failed) != DM_OK) drift = INFINITY;
    for (int i = 0; isfinite(drift) && i < (x->N + 1) * x->n; i++)
      drift = fmax(drift, fabs(roll->q[i] - x->q[i]));
  }
  dm_trajectory_free(roll);
  dm_del_free(del);
  if (s < 0) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));

  cli_json *c = cli_json_object(job->result, "certificate");
  cli_json_number(c, "step", gap);
  cli_json_int(c, "knot", worst);
  cli_json_number(c, "open_loop_drift", drift);
  char text[64] = "";
  if (failed < 0)
    snprintf(text, sizeof text, "drifts %.1e", drift);
  else
    snprintf(text, sizeof text, "cannot be stepped beyond knot %d", failed);
  cli_tell(job, "certificate", "each knot stepped once lands within %.1e of the next; open loop %s",
           gap, text);
  if (!solved || gap <= CERTIFIED) return CLI_DONE;
  cli_error("knot %d stepped once misses the next by %.2g, more than %g: the motion is not "
            "certified",
            worst, gap, CERTIFIED);
  return CLI_OUTCOME;
}

int cli_certify(cli_job *job, bool solved) {
  report_turn(job, solved);
  dm_status s = report_constraints(job);
  if (s != DM_OK) return cli_fail(job->args, cli_exit_of(s), "%s", dm_status_text(s));
  return step_each(job, solved);
}

#include "cli/refine.h"

#include "cli/interrupt.h"
#include "cli/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ALIASED = 3.141592653589793; // beyond it nothing lies between two knots

bool cli_is_coarse(const cli_job *job) {
  const dm_trajectory *x = job->x;
  return dm_turn_largest(job->p->model, x->N, x->q).angle > job->p->fine.turn;
}

void cli_warn_turn(const cli_job *job) {
  const dm_turn turn = dm_turn_largest(job->p->model, job->x->N, job->x->q);
  if (turn.angle > job->p->fine.turn)
    cli_note(job->args,
             "warning: '%s' turns %.3g rad in one step (knot %d), more than %.3g: no robot need "
             "follow such a motion; take shorter steps",
             job->names.coord[turn.coord], turn.angle, turn.knot, job->p->fine.turn);
}

// what in the problem forbids a finer grid; NULL: nothing
static const char *find_obstacle(const cli_job *job, const cli_refinement *r, double spent) {
  if (job->p->fine.doublings == 0) return "horizon.refine: 0 allows no finer grid";
  if (r->doublings >= job->p->fine.doublings) return "horizon.refine allows no more doublings";
  if (job->task->sum) return "its cost is a sum over steps (cost.weighting), whose number it fixes";
  if (job->p->solver.max_time <= spent) return "its time is up";
  if (cli_interrupted()) return "it was interrupted";
  return NULL;
}

// the values that stand in place of the file's on the finer grid: what counts steps is doubled
static cli_json *list_values(const cli_job *job) {
  const struct {
    const char *path;
    int steps;
  } doubled[] = {{"horizon.steps", job->task->N}, {"verify.start.hold", job->p->start_hold}};
  cli_json *list = json_object_new_object();

  // those of the command line or of the folder
  cli_json *now = cli_json_get_object(job->result, "replaced");
  if (now) {
    json_object_object_foreach(now, key, value)
        cli_json_text(list, key, json_object_get_string(value));
  }

  for (int i = 0; i < 2; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", 2 * doubled[i].steps);
    if (doubled[i].steps) cli_json_text(list, doubled[i].path, text);
  }
  return list;
}

bool cli_refine(cli_job *job, cli_refinement *r, double spent, cli_coarser *coarser) {
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;
  dm_message msg = {""};
  const int steps = job->task->N;
  const dm_turn turn = dm_turn_largest(job->p->model, job->x->N, job->x->q);
  const char *obstacle = find_obstacle(job, r, spent);
  if (r->doublings == 0) r->asked = steps, r->first = turn;
  snprintf(r->why, sizeof r->why, "%s", obstacle ? obstacle : "");
  if (obstacle) return false;

  // the file anew; a grid that its reader refuses is one that there is not
  cli_json *values = list_values(job);
  int n = cli_job_replaced(values, list);
  if (pb_problem_vary(&p, job->p->path, list, n, &msg) != DM_OK) {
    snprintf(r->why, sizeof r->why, "with %d steps: %.150s", 2 * steps, msg.text);
    json_object_put(values);
    return false;
  }

  cli_note(job->args, "'%s' turns %.3g rad in one of %d steps, more than %.3g: solving with %d",
           job->names.coord[turn.coord], turn.angle, steps, job->p->fine.turn, 2 * steps);
  *coarser = (cli_coarser){job->p, job->x, values};
  job->coarse = turn.angle <= ALIASED ? job->x : NULL;
  job->x = NULL;
  cli_job_take(job, p);
  return true;
}

void cli_refine_keep(cli_job *job, cli_refinement *r, cli_coarser *coarser) {
  job->coarse = NULL;
  dm_trajectory_free(coarser->motion);
  pb_problem_free(coarser->problem);
  json_object_object_add(job->result, "replaced", coarser->replaced);
  cli_json_text(job->result, "inputs_sha256", job->p->sha256);
  r->doublings++;
}

void cli_refine_undo(cli_job *job, cli_coarser *coarser) {
  dm_trajectory_free(job->x);
  pb_problem_free(job->p);
  json_object_put(coarser->replaced);
  job->coarse = NULL;
  job->x = coarser->motion;
  cli_job_take(job, coarser->problem);
}

void cli_refine_report(cli_job *job, const cli_refinement *r) {
  const char *joint = r->first.coord < 0 ? NULL : job->names.coord[r->first.coord];
  if (!r->doublings && !r->why[0]) return;
  cli_json *o = cli_json_object(job->result, "refined");
  cli_json_int(o, "steps_asked", r->asked);
  cli_json_int(o, "steps_taken", job->task->N);
  cli_json_int(o, "doublings", r->doublings);
  cli_json_number(o, "turn_asked", r->first.angle);
  cli_json_text(o, "joint", joint);
  cli_json_number(o, "time_s", r->time);
  cli_json_text(o, "stopped", r->why[0] ? r->why : NULL);
  if (r->doublings)
    cli_tell(job, "refined", "%d steps asked, %d taken: '%s' turned %.3g rad in one of %d",
             r->asked, job->task->N, joint, r->first.angle, r->asked);
  if (r->doublings && job->p->delay && !isfinite(job->p->rate))
    cli_note(job->args,
             "feedback.delay is one step, which is now %g s long; feedback.rate keeps it as it was",
             job->task->T / job->task->N);
}

void cli_refine_complain(const cli_job *job, const cli_refinement *r) {
  const dm_turn turn = dm_turn_largest(job->p->model, job->x->N, job->x->q);
  cli_error("coarse: '%s' turns %.3g rad in one step (knot %d), expected at most %.3g "
            "(horizon.turn): no robot need follow such a motion; %s; try more steps, a limit of "
            "speed (bounds.v), or another guess",
            job->names.coord[turn.coord], turn.angle, turn.knot, job->p->fine.turn, r->why);
}

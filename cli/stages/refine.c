#include "cli/stages/refine.h"

#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/sentences.h"
#include "lib/multibody/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// beyond this rotation the motion between two knots is undefined
static const double ALIASED = 3.141592653589793;
static const double OVERSPEED = 0.1; // violation between knots, relative to the limit
static const double PASSED = 0.1;    // violation relative to the range of an output

static dm_turn find_turn(const cli_job *job) {
  return dm_turn_largest(job->p->model, job->x->N, job->x->q);
}

cli_coarseness cli_find_coarseness(const cli_job *job, const cli_following *plant) {
  // a joint rotates too far in a step
  const pb_fineness *fine = &job->p->fine;
  const dm_turn turn = find_turn(job);
  if (turn.angle > fine->turn)
    return (cli_coarseness){CLI_TURNS, turn.coord, turn.knot, turn.angle, fine->turn, 0, ""};

  // the plant ends a step too far from the next knot
  const fb_gap *gap = &plant->f.share;
  if (plant->plant && gap->size > fine->gap)
    return (cli_coarseness){CLI_LANDS, gap->index, gap->knot - 1, gap->size, fine->gap, 0, ""};

  // the plant is too fast between knots, relative to the limit, in the step concerned
  const fb_excess *speed = &plant->f.speed;
  if (plant->plant && isfinite(fine->gap) && fb_excess_beyond(speed, OVERSPEED))
    return (cli_coarseness){CLI_OVERSPEED,
                            speed->index,
                            (int)floor(speed->t / job->x->h),
                            1 + speed->share,
                            1 + OVERSPEED,
                            0,
                            ""};

  // an output violates its limit between knots by more than allowed
  const oc_outputs *y = &job->task->outputs;
  const oc_between *between = plant->between;
  const bool kept = between && between->limit >= 0;
  const double allowed = kept ? fine->between * oc_between_unit(y, between->limit) : 0;
  if (kept && between->excess > allowed) {
    cli_coarseness c = {.kind = CLI_PASSES,
                        .coord = -1,
                        .knot = (int)floor(between->at),
                        .found = between->excess,
                        .allowed = allowed};
    snprintf(c.output, sizeof c.output, "%s", oc_outputs_name(y, y->limits[between->limit].output));
    return c;
  }

  // or, if limits are not enforced between knots, violates one by far: a thin obstacle may be
  // between two knots
  const fb_excess *output = &plant->output;
  if (plant->plant && isfinite(fine->gap) && fb_excess_beyond(output, PASSED)) {
    cli_coarseness c = {.kind = CLI_PASSES,
                        .coord = -1,
                        .knot = (int)floor(output->t / job->x->h),
                        .found = output->by,
                        .allowed = PASSED * output->by / output->share};
    snprintf(c.output, sizeof c.output, "%s", oc_outputs_name(y, y->limits[output->index].output));
    return c;
  }
  return (cli_coarseness){.kind = CLI_FINE, .coord = -1, .knot = -1};
}

static bool is_of_error(const cli_coarseness *c) {
  return c->kind >= CLI_INACCURATE;
}

// "'elbow' turns 2 rad in one step (knot 3), more than the 1.57 of horizon.turn"
const char *cli_describe_coarseness(const cli_job *job, const cli_coarseness *c, char text[240]) {
  static const char *const format[] = {
      [CLI_FINE] = "",
      [CLI_TURNS] = "'%s' turns %.3g rad in one step (knot %d), more than %.3g (horizon.turn)",
      [CLI_LANDS] =
          "the plant moves '%s' %.3g of its longest step, or of 2 %% of its range, beside "
          "the next knot (knot %d), more than %.3g (horizon.gap)",
      [CLI_OVERSPEED] = "between knots the plant moves '%s' %.3g times as fast as its limit "
                        "(knot %d), more than %.3g",
      [CLI_PASSES] = "between knots the plant takes the output '%s' %.3g past its limit (knot %d), "
                     "more than %.3g",
      [CLI_INACCURATE] = "%s has an error of %.2g of itself, more than %.2g (horizon.error)",
      [CLI_DIFFERS] = "%s has an error of about %.2g of itself, on which estimates "
                      "disagree, more than %.2g (horizon.error)",
      [CLI_UNMEASURED] =
          "the error of %s is unknown (found %.2g, expected %.2g at most: horizon.error)"};
  const char *joint = c->coord < 0 ? "" : job->names.coord[c->coord];
  if (c->kind == CLI_PASSES) joint = c->output;
  const char *what = job->task->free_time ? "the objective or the final time" : "the objective";
  text[0] = 0;

  // the measure in its own units
  if (is_of_error(c))
    snprintf(text, 240, format[c->kind], what, c->found, c->allowed);
  else if (c->kind != CLI_FINE)
    snprintf(text, 240, format[c->kind], joint, c->found, c->knot, c->allowed);
  return text;
}

const char *cli_coarseness_comma(const char *text) {
  return strncmp(text, "between ", 8) ? "" : ",";
}

void cli_warn_turn(const cli_job *job) {
  const dm_turn turn = find_turn(job);
  if (turn.angle > job->p->fine.turn)
    cli_note(job->args,
             "warning: '%s' turns %.3g rad in one step (knot %d), more than %.3g: a robot may not "
             "follow this motion; take shorter steps",
             job->names.coord[turn.coord], turn.angle, turn.knot, job->p->fine.turn);
}

// the largest factor of steps that the problem still allows
static int find_room(const cli_job *job, const cli_refinement *r) {
  return (1 << job->p->fine.doublings) / (job->task->N / r->asked);
}

// the part of the problem that prevents a finer grid; NULL: none
static const char *find_obstacle(const cli_job *job, const cli_refinement *r) {
  if (job->p->fine.doublings == 0) return "'horizon.refine: 0' forbids a finer grid";
  if (find_room(job, r) < 2) return "horizon.refine forbids more doublings";
  if (job->task->sum) return "its cost is a sum over steps (cost.weighting), whose number it fixes";
  if (cli_job_time_left(job) <= 0) return "its time (solver.max_time) is over";
  if (cli_interrupted()) return "it was interrupted";
  return NULL;
}

// the factor of steps for the finer grid: as estimated, else 2
static int choose_times(const cli_job *job, const cli_coarseness *why, const cli_refinement *r) {
  const int room = find_room(job, r);
  if (why->times < 2) return 2;
  return why->times < room ? why->times : room;
}

void cli_refine_grid(cli_json *list, const char *section, const pb_problem *p, int times) {
  const struct {
    const char *key;
    int steps;
  } values[] = {{"steps", times * p->task.N}, {"asked", p->fine.asked}};
  for (int i = 0; i < 2; i++) {
    char path[64], text[16];
    snprintf(path, sizeof path, "%s.%s", section, values[i].key);
    snprintf(text, sizeof text, "%d", values[i].steps);
    cli_json_text(list, path, text);
  }
}

// replacements of the file's values for the finer grid
static cli_json *list_values(const cli_job *job, int times) {
  // a list {path: text}
  cli_json *list = json_object_new_object();

  // those of the command line or of the folder
  cli_json *now = cli_json_get_object(job->result, "replaced");
  if (now) {
    json_object_object_foreach(now, key, value)
        cli_json_text(list, key, json_object_get_string(value));
  }
  cli_refine_grid(list, "horizon", job->p, times);
  return list;
}

bool cli_refine(cli_job *job, const cli_coarseness *why, cli_refinement *r, cli_coarser *coarser) {
  // check for obstacles; remember the first grid's figures for the report
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;
  dm_message msg = {""};
  const int steps = job->task->N;
  const double turn = find_turn(job).angle;
  if (r->finer == 0) {
    r->asked = steps;
    r->first = *why;
    r->turn = turn;
  }
  const char *obstacle = find_obstacle(job, r);
  snprintf(r->why, sizeof r->why, "%s", obstacle ? obstacle : "");
  if (obstacle) return false;

  // read the file again; if the reader refuses the grid, there is no finer one
  const int times = choose_times(job, why, r);
  cli_json *values = list_values(job, times);
  int n = cli_job_replaced(values, list);
  if (pb_problem_vary(&p, job->p->path, list, n, &msg) != DM_OK) {
    snprintf(r->why, sizeof r->why, "with %d steps: %.150s", times * steps, msg.text);
    json_object_put(values);
    return false;
  }

  // switch the job to the finer problem; its motion becomes the guess, if it is defined between
  // knots
  char text[240];
  cli_describe_coarseness(job, why, text);
  cli_note(job->args, "with %d steps%s %s: solving with %d", steps, cli_coarseness_comma(text),
           text, times * steps);
  *coarser = (cli_coarser){job->p, job->x, values};
  job->coarse = turn <= ALIASED ? job->x : NULL;
  job->x = NULL;
  cli_job_set_problem(job, p);
  return true;
}

void cli_refine_accept(cli_job *job, cli_refinement *r, cli_coarser *coarser) {
  // free the coarser problem and motion
  job->coarse = NULL;
  dm_trajectory_free(coarser->motion);
  pb_problem_free(coarser->problem);

  // record the new inputs in the result
  json_object_object_add(job->result, "replaced", coarser->replaced);
  cli_json_text(job->result, "inputs_sha256", job->p->sha256);
  r->finer++;
}

void cli_refine_undo(cli_job *job, cli_coarser *coarser) {
  // free the finer problem and its motion, if any
  dm_trajectory_free(job->x);
  pb_problem_free(job->p);
  json_object_put(coarser->replaced);

  // restore the coarser ones
  job->coarse = NULL;
  job->x = coarser->motion;
  cli_job_set_problem(job, coarser->problem);
}

void cli_refine_report(cli_job *job, const cli_refinement *r) {
  const char *joint = r->first.coord < 0 ? NULL : job->names.coord[r->first.coord];
  char text[240];

  // not refined, and no obstacle
  if (!r->finer && !r->why[0]) return;

  // steps requested and used, the reason for the refinement, and why it stopped
  cli_json *o = cli_json_object(job->result, "refined");
  cli_json_int(o, "steps_asked", r->asked);
  cli_json_int(o, "steps_taken", job->task->N);
  cli_json_int(o, "doublings", r->finer);
  cli_json_number(o, "turn_asked", r->turn);
  cli_json_text(o, "because", cli_describe_coarseness(job, &r->first, text));
  cli_json_text(o, "joint", joint);
  cli_json_number(o, "time_s", r->time);
  cli_json_text(o, "stopped", r->why[0] ? r->why : NULL);

  // a delay of one step is now shorter in time
  char because[sizeof text + 8];
  snprintf(because, sizeof because, "%s %s", cli_coarseness_comma(text), text);
  if (r->finer) cli_json_text(o, "~because", because);
  if (r->finer) cli_tell_group(job->summary, "refined", o);
  if (r->finer && job->p->feedback.delay && !isfinite(job->p->feedback.rate))
    cli_note(job->args,
             "feedback.delay is one step, which is now %g s long; set feedback.rate to keep it as "
             "it was",
             job->x->h);
}

void cli_refine_complain(const cli_job *job, const cli_coarseness *why, const cli_refinement *r) {
  char text[240];
  if (is_of_error(why)) {
    cli_error("coarse: %s; %s; try more steps (horizon.steps, horizon.refine)",
              cli_describe_coarseness(job, why, text), r->why);
    return;
  }
  cli_error("coarse: %s: a robot may not follow this motion; %s; try more steps, a limit of speed "
            "(bounds.v), or another guess",
            cli_describe_coarseness(job, why, text), r->why);
}

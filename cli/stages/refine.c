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

static dm_turn find_turn(const cli_call *call) {
  return dm_turn_largest(call->run.p->model, call->run.x->N, call->run.x->q);
}

cli_coarseness cli_find_coarseness(const cli_call *call, const cli_following *plant) {
  // a joint rotates too far in a step
  const pb_fineness *fine = &call->run.p->fine;
  const dm_turn turn = find_turn(call);
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
                            (int)floor(dm_trajectory_find(call->run.x, speed->t)),
                            1 + speed->share,
                            1 + OVERSPEED,
                            0,
                            ""};

  // an output violates its limit between knots by more than allowed
  const oc_outputs *y = &call->run.p->task.outputs;
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
                        .knot = (int)floor(dm_trajectory_find(call->run.x, output->t)),
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
const char *cli_describe_coarseness(const cli_call *call, const cli_coarseness *c, char text[240]) {
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
  const char *joint = c->coord < 0 ? "" : call->run.p->names.coord[c->coord];
  if (c->kind == CLI_PASSES) joint = c->output;
  const char *what =
      call->run.p->task.time.free ? "the objective or the final time" : "the objective";
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

void cli_warn_turn(const cli_call *call) {
  const dm_turn turn = find_turn(call);
  if (turn.angle > call->run.p->fine.turn)
    cli_note(call->args,
             "warning: '%s' turns %.3g rad in one step (knot %d), more than %.3g: a robot may not "
             "follow this motion; take shorter steps",
             call->run.p->names.coord[turn.coord], turn.angle, turn.knot, call->run.p->fine.turn);
}

// the largest factor of steps that the problem still allows
static int find_room(const cli_call *call, const cli_refinement *r) {
  return (1 << call->run.p->fine.doublings) / (call->run.p->task.N / r->asked);
}

// the part of the problem that prevents a finer grid; NULL: none
static const char *find_obstacle(const cli_call *call, const cli_refinement *r) {
  if (call->run.p->fine.doublings == 0) return "'horizon.refine: 0' forbids a finer grid";
  if (find_room(call, r) < 2) return "horizon.refine forbids more doublings";
  if (call->run.p->task.sum)
    return "its cost is a sum over steps (cost.weighting), whose number it fixes";
  if (cli_call_time_left(call) <= 0) return "its time (solver.max_time) is over";
  if (cli_interrupted()) return "it was interrupted";
  return NULL;
}

// the factor of steps for the finer grid: as estimated, else 2
static int choose_times(const cli_call *call, const cli_coarseness *why, const cli_refinement *r) {
  const int room = find_room(call, r);
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

bool cli_refine(cli_call *call, const cli_coarseness *why, cli_refinement *r,
                cli_coarser *coarser) {
  // check for obstacles; remember the first grid's figures for the report
  pb_replace list[CLI_REPLACED];
  pb_problem *p = NULL;
  dm_message msg = {""};
  const int steps = call->run.p->task.N;
  const double turn = find_turn(call).angle;
  if (r->finer == 0) {
    r->asked = steps;
    r->first = *why;
    r->turn = turn;
  }
  const char *obstacle = find_obstacle(call, r);
  snprintf(r->why, sizeof r->why, "%s", obstacle ? obstacle : "");
  if (obstacle) return false;

  // read the file again; if the reader refuses the grid, there is no finer one
  const int times = choose_times(call, why, r);

  // replacements of the file's values for the finer grid
  // a list {path: text}
  cli_json *values = json_object_new_object();

  // those of the command line or of the folder
  cli_json *now = cli_json_get_object(call->result, "replaced");
  if (now) {
    json_object_object_foreach(now, key, value)
        cli_json_text(values, key, json_object_get_string(value));
  }
  cli_refine_grid(values, "horizon", call->run.p, times);

  int n = cli_call_replaced(values, list);
  if (pb_problem_vary(&p, call->run.p->file.path, list, n, &msg) != DM_OK) {
    snprintf(r->why, sizeof r->why, "with %d steps: %.150s", times * steps, msg.text);
    json_object_put(values);
    return false;
  }

  // switch the call to the finer problem; its motion becomes the guess, if it is defined between
  // knots
  char text[240];
  cli_describe_coarseness(call, why, text);
  cli_note(call->args, "with %d steps%s %s: solving with %d", steps, cli_coarseness_comma(text),
           text, times * steps);
  *coarser = (cli_coarser){call->run.p, call->run.x, values};
  call->coarse = turn <= ALIASED ? call->run.x : NULL;
  call->run.x = NULL;
  call->run.p = p;
  return true;
}

void cli_refine_accept(cli_call *call, cli_refinement *r, cli_coarser *coarser) {
  // free the coarser problem and motion
  call->coarse = NULL;
  dm_trajectory_free(coarser->motion);
  pb_problem_free(coarser->problem);

  // record the new inputs in the result
  json_object_object_add(call->result, "replaced", coarser->replaced);
  cli_json_text(call->result, "inputs_sha256", call->run.p->file.sha256);
  r->finer++;
}

void cli_refine_undo(cli_call *call, cli_coarser *coarser) {
  // free the finer problem and its motion, if any
  dm_trajectory_free(call->run.x);
  pb_problem_free(call->run.p);
  json_object_put(coarser->replaced);

  // restore the coarser ones
  call->coarse = NULL;
  call->run.x = coarser->motion;
  call->run.p = coarser->problem;
}

void cli_refine_report(cli_call *call, const cli_refinement *r) {
  const char *joint = r->first.coord < 0 ? NULL : call->run.p->names.coord[r->first.coord];
  char text[240];

  // not refined, and no obstacle
  if (!r->finer && !r->why[0]) return;

  // steps requested and used, the reason for the refinement, and why it stopped
  cli_json *o = cli_json_object(call->result, "refined");
  cli_json_int(o, "steps_asked", r->asked);
  cli_json_int(o, "steps_taken", call->run.p->task.N);
  cli_json_int(o, "doublings", r->finer);
  cli_json_number(o, "turn_asked", r->turn);
  cli_json_text(o, "because", cli_describe_coarseness(call, &r->first, text));
  cli_json_text(o, "joint", joint);
  cli_json_number(o, "time_s", r->time);
  cli_json_text(o, "stopped", r->why[0] ? r->why : NULL);

  // a delay of one step is now shorter in time
  char because[sizeof text + 8];
  snprintf(because, sizeof because, "%s %s", cli_coarseness_comma(text), text);
  if (r->finer) cli_json_text(o, "~because", because);
  if (r->finer) cli_tell_group(call->summary.file, "refined", o);
  if (r->finer && call->run.p->feedback.delay && !isfinite(call->run.p->feedback.rate))
    cli_note(call->args,
             "feedback.delay is one step, which is now %g s long; set feedback.rate to keep it as "
             "it was",
             call->run.x->h);
}

void cli_refine_complain(const cli_call *call, const cli_coarseness *why, const cli_refinement *r) {
  char text[240];
  if (is_of_error(why)) {
    cli_error("coarse: %s; %s; try more steps (horizon.steps, horizon.refine)",
              cli_describe_coarseness(call, why, text), r->why);
    return;
  }
  cli_error("coarse: %s: a robot may not follow this motion; %s; try more steps, a limit of speed "
            "(bounds.v), or another guess",
            cli_describe_coarseness(call, why, text), r->why);
}

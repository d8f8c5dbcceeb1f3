#include "cli/stages/laws.h"

#include "cli/console/log.h"
#include "lib/base/names.h"
#include "lib/base/random.h"
#include "lib/contact/contact_stepper.h"
#include "lib/contact/knot_step.h"
#include "lib/multibody/ball_joint.h"
#include "lib/multibody/tree_lagrangian.h"
#include "lib/studies/system_laws.h"
#include "optim/second/torque_transcription.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMPACT_STEPS = 1000 };

dm_momentum_map cli_momentum_map(const pb_robot *robot) {
  return robot->mechanism.embed ? dm_ball_momentum_map(robot->mechanism.tree)
                                : dm_tree_momentum_map(robot->mechanism.tree);
}

// -- rows

static void tell_row(cli_call *call, cli_json *list, const dm_law_row *row) {
  static const char *const words[DM_LAW_VERDICTS] = {"holds", "FAILS", "none", "not decided"};
  char figures[96] = "", note[DM_LAW_TEXT + 4] = "";
  if (!isnan(row->error)) snprintf(figures, sizeof figures, "error %8.1e", row->error);
  const size_t at = strlen(figures);
  if (!isnan(row->order))
    snprintf(figures + at, sizeof figures - at, "   order %.2f of %g", row->order, row->expected);
  else if (!isnan(row->bound))
    snprintf(figures + at, sizeof figures - at, "   at most %.1e", row->bound);
  if (row->note[0]) snprintf(note, sizeof note, "%s%s", *figures ? "   " : "", row->note);
  cli_tell(call, words[row->verdict], "%-28s %s%s", row->law, figures, note);

  cli_json *o = json_object_new_object();
  cli_json_text(o, "law", row->law);
  cli_json_text(o, "theorem", row->theorem);
  cli_json_text(o, "verdict", row->verdict == DM_LAW_FAILS ? "fails" : words[row->verdict]);
  cli_json_number(o, "error", row->error);
  cli_json_number(o, "bound", row->bound);
  cli_json_number(o, "order", row->order);
  cli_json_number(o, "expected", row->expected);
  cli_json_text(o, "note", row->note);
  json_object_array_add(list, o);
}

static void tell_rows(cli_call *call, const dm_laws *laws, int *failed) {
  cli_json *list = NULL;
  if (!json_object_object_get_ex(call->result, "laws", &list)) {
    list = json_object_new_array();
    json_object_object_add(call->result, "laws", list);
  }
  for (int i = 0; i < laws->rows; i++) tell_row(call, list, &laws->row[i]);
  *failed += laws->failed;
}

// -- quantities of --kept

typedef struct kept_outputs {
  dm_output_map y;
  int row[DM_LAW_KEPT];
  const char *name[DM_LAW_KEPT];
  double *value; // [y.ny]
  void *scratch;
  dm_law_quantities of;
} kept_outputs;

static dm_status eval_kept(void *self, const double *q, const double *v, double *values) {
  kept_outputs *w = self;
  const dm_status s = dm_output_map_eval(&w->y, w->scratch, q, v, w->value, NULL, NULL);
  if (s != DM_OK && s != DM_NOT_FINITE) return s;
  for (int i = 0; i < w->of.count; i++) {
    values[i] = w->value[w->row[i]];
    if (!isfinite(values[i])) return DM_NOT_FINITE;
  }
  return DM_OK;
}

// the output of this name, which must be a function of the state
static int add_kept(kept_outputs *w, const cli_call *call, const pb_problem *p, const char *name) {
  const pb_names *names = &p->names;
  const int row = dm_names_find(names->output, names->ny, name);
  char near[CLI_SUGGESTION] = "";
  if (row < 0) cli_suggest(names->output, names->ny, name, near);
  if (row < 0)
    return cli_fail(call->args, CLI_INPUT, "--kept takes names of outputs, got '%s'%s", name, near);
  if (dm_output_map_is_driven(&w->y, row))
    return cli_fail(call->args, CLI_INPUT,
                    "--kept takes outputs of positions and velocities, and '%s' is one of inputs, "
                    "contacts or times",
                    name);
  if (w->of.count == DM_LAW_KEPT)
    return cli_fail(call->args, CLI_INPUT, "--kept takes at most %d outputs", DM_LAW_KEPT);
  w->row[w->of.count] = row;
  w->name[w->of.count++] = names->output[row];
  return CLI_DONE;
}

static int open_kept(kept_outputs *w, const cli_call *call, const pb_problem *p) {
  *w = (kept_outputs){.y = pb_robot_outputs(&p->robot)};
  w->of = (dm_law_quantities){.name = w->name, .self = w, .eval = eval_kept};
  int status = CLI_DONE;
  const char *list = call->args->kept;
  for (size_t word; status == CLI_DONE && list && *list; list += word + (list[word] == ',')) {
    char name[128];
    word = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)word, list);
    status = add_kept(w, call, p, name);
  }
  if (status != CLI_DONE || !w->of.count) return status;
  w->scratch = aligned_alloc(64, (w->y.scratch + 127) & ~(size_t)63);
  w->value = calloc((size_t)w->y.ny, sizeof *w->value);
  return w->scratch && w->value ? CLI_DONE : cli_fail(call->args, CLI_FAULT, "out of memory");
}

static void close_kept(kept_outputs *w) {
  free(w->scratch);
  free(w->value);
}

// -- motions

// the motion of a problem that the laws are about: of a task knot N/2 of the guess
typedef struct scene {
  const pb_problem *p;
  const dm_trajectory *guess;    // of a task; else NULL
  const dm_law_quantities *kept; // NULL: none
  const double *q, *v;
  double h;
  int order;
} scene;

static scene scene_of(const pb_problem *p, const dm_trajectory *guess,
                      const dm_law_quantities *kept) {
  if (guess) {
    const int k = guess->N / 2;
    const size_t row = (size_t)k * (size_t)guess->n;
    return (scene){p, guess, kept, guess->q + row, guess->v + row, guess->h, 2};
  }
  if (p->has.simulate)
    return (scene){p, NULL, kept, p->simulate.q, p->simulate.v, p->simulate.h, p->simulate.order};
  return (scene){p, NULL, kept, p->rest->q, p->rest->v, p->rest->h, 2};
}

// Second order: the flow from the start of a simulation. The guess of a task is not a motion of the flow: from its middle,
// with random velocities, accelerations and jerks that change it by about its size in 12 steps.
static dm_status judge_second(const scene *at, dm_laws *laws, dm_message *msg) {
  const pb_problem *p = at->p;
  const int n = p->names.n;
  if (!p->transcription.action.m) { // loops, wheels, ball joints, a user-defined Lagrangian
    dm_laws_refuse(laws, "second order", "a flow of knots",
                   "a step of this plan has more unknowns than its knots");
    return DM_OK;
  }
  oc_task one = p->task;
  if (!p->has.task)
    one = (oc_task){.system = p->task.system,
                    .coord_name = p->task.coord_name,
                    .input_name = p->task.input_name,
                    .N = 1,
                    .time.T = at->h,
                    .cost[OC_U].running = p->transcription.w_u};
  oc_torque_transcription *action = NULL;
  double *size = calloc(5 * (size_t)n, sizeof *size), *drawn = size + 2 * n;
  dm_status s = size ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) s = oc_torque_transcription_new(&action, &one, &p->transcription.action, msg);
  if (s == DM_OK) {
    const bool flows = p->has.simulate;
    dm_system_motion_sizes(&p->task.system, at->h, size);
    for (int i = 0; i < 3 * n; i++)
      drawn[i] = dm_random_uniform(9, 0, (uint64_t)i) * size[n + i % n] / pow(12 * at->h, i / n);
    for (int i = 0; i < n; i++) drawn[i] += at->v[i];
    s = dm_laws_of_second(laws, oc_torque_transcription_second(action), at->h, at->q,
                          flows ? at->v : drawn, flows ? p->simulate.a : drawn + n,
                          flows ? p->simulate.jerk : drawn + 2 * n, at->kept, p->names.coord, msg);
  }
  free(size);
  oc_torque_transcription_free(action);
  return s;
}

// impacts with steps of h: of plans through contact by their own steps, of a simulation by its method
static dm_status judge_impacts(const pb_problem *p, const double *q, const double *v, double h,
                               dm_laws *laws, dm_message *msg) {
  const dm_system *s = &p->task.system;
  dm_status status = DM_OK;
  if (s->contacts) {
    dm_knot_step *w;
    DM_TRY(dm_knot_step_new(&w, s));
    const dm_stepper step = dm_knot_stepper(w);
    status = dm_laws_of_impacts(laws, s, &step, &w->made, q, v, h, IMPACT_STEPS);
    dm_knot_step_free(w);
  } else if (p->has.simulate && p->robot.mechanism.contacts) {
    dm_contact_count count = {0};
    const dm_unilateral g = dm_contacts_unilateral(p->robot.mechanism.contacts);
    DM_TRY(dm_contact_integrator_new(&count.steps, s, &g, &p->simulate.contact, msg));
    const dm_stepper step = dm_contact_stepper(&count);
    status = dm_laws_of_impacts(laws, s, &step, &count.made, q, v, h, IMPACT_STEPS);
    dm_contact_integrator_free(count.steps);
  }
  return status;
}

// The same from the start of the guess; a passive motion may be too fast for the steps of a plan: then shorter ones.
static dm_status judge_all_impacts(const scene *at, dm_laws *laws, dm_message *msg) {
  const double *q = at->guess ? at->guess->q : at->q, *v = at->guess ? at->guess->v : at->v;
  const int shorter = at->guess ? 3 : 1;
  const dm_laws before = *laws;
  dm_status s = DM_OK;
  for (int i = 0; s == DM_OK && i < shorter; i++) {
    *laws = before;
    s = judge_impacts(at->p, q, v, ldexp(at->h, -2 * i), laws, msg);
    if (laws->failed == before.failed) break;
  }
  return s;
}

static int judge_problem(cli_call *call, const pb_problem *p, const dm_trajectory *guess,
                         int *failed) {
  kept_outputs kept;
  const int status = open_kept(&kept, call, p);
  if (status != CLI_DONE) {
    close_kept(&kept);
    return status;
  }
  const scene at = scene_of(p, guess, &kept.of);
  const dm_momentum_map map = cli_momentum_map(&p->robot);
  dm_laws laws = {0};
  dm_status s;
  if (p->transcription.second) {
    s = judge_second(&at, &laws, &call->msg);
  } else {
    const dm_law_motion motion = {.s = &p->task.system,
                                  .map = &map,
                                  .q = at.q,
                                  .v = at.v,
                                  .h = at.h,
                                  .order = at.order,
                                  .kept = at.kept,
                                  .coord = p->names.coord};
    s = dm_laws_of_system(&laws, &motion, &call->msg);
    if (s == DM_OK) s = judge_all_impacts(&at, &laws, &call->msg);
  }
  tell_rows(call, &laws, failed);
  close_kept(&kept);
  return s == DM_OK ? CLI_DONE : cli_fail_status(call->args, s, &call->msg);
}

int cli_laws(cli_call *call, int *failed) {
  const pb_problem *p = call->run.p;
  dm_trajectory *guess = NULL;
  bool same;
  int status = CLI_DONE;
  *failed = 0;
  for (int i = 0; status == CLI_DONE && i < p->phases.n; i++) {
    const pb_problem *phase = p->phases.problem[i];
    cli_tell(call, "phase", "%s", p->phases.name[i]);
    const dm_status s = pb_problem_guess(phase, &guess);
    status = s == DM_OK ? judge_problem(call, phase, guess, failed)
                        : cli_fail_status(call->args, s, NULL);
    dm_trajectory_free(guess);
  }
  if (p->phases.n) return status;
  if (p->has.task) status = cli_guess(call, &guess, &same);
  if (status == CLI_DONE) status = judge_problem(call, p, guess, failed);
  dm_trajectory_free(guess);
  return status;
}

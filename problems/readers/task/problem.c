#include "problems/readers/task/problem.h"
#include "problems/readers/task/read_contact_plan.h"
#include "problems/readers/task/read_knots.h"
#include "problems/readers/task/read_mpc.h"
#include "problems/readers/task/read_track.h"

#include "lib/base/text.h"
#include "optim/smooth_guess.h"
#include "optim/starts/guess.h"
#include "optim/starts/phases_guess.h"
#include "optim/starts/rollout.h"
#include "problems/readers/format/definitions.h"
#include "problems/readers/model/drives.h"
#include "problems/readers/model/outputs.h"
#include "problems/readers/model/read_robot.h"
#include "problems/readers/model/row_names.h"
#include "problems/readers/task/file_keys.h"
#include "problems/readers/task/foresight.h"
#include "problems/readers/task/opened.h"
#include "problems/readers/task/read_balance.h"
#include "problems/readers/task/read_design.h"
#include "problems/readers/task/read_feedback.h"
#include "problems/readers/task/read_goal.h"
#include "problems/readers/task/read_guess.h"
#include "problems/readers/task/read_identify.h"
#include "problems/readers/task/read_join.h"
#include "problems/readers/task/read_options.h"
#include "problems/readers/task/read_outputs.h"
#include "problems/readers/task/read_phases.h"
#include "problems/readers/task/read_simulation.h"
#include "problems/readers/task/read_task.h"
#include "problems/readers/task/read_transcription.h"
#include "problems/readers/task/read_verification.h"
#include "problems/readers/task/rolling_limits.h"
#include "problems/readers/task/task_formulas.h"
#include "problems/readers/task/tunables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// refuse sections that have no effect without a horizon
static dm_status check_purpose(const pb_reader *r, const pb_node *root, const pb_sections *s) {
  bool flow = s->simulate && strcmp(s->transcription, "first-order"); // a flow has a cost
  const pb_node *start = s->balance ? s->start : NULL;                // a simulation has a start
  const pb_node *cost = flow ? NULL : s->cost;
  const pb_node *idle[] = {start,    s->goal,   s->bounds, s->via,    s->path,       cost,
                           s->guess, s->starts, s->solver, s->design, s->constraints};

  // exactly one purpose: a balance, a horizon, or a simulation
  const pb_node *other = s->horizon ? s->horizon : s->simulate;
  if (s->balance && other)
    return pb_refuse_key(r, s->balance, "found 'balance' beside '%s', expected one of them",
                         other->key);
  if (s->balance && strcmp(s->transcription, "first-order"))
    return pb_refuse_key(r, pb_node_get(root, "transcription"),
                         "transcription: found %s beside 'balance', expected first-order",
                         s->transcription);
  if (s->starts && strcmp(s->transcription, "first-order"))
    return pb_refuse_key(r, s->starts,
                         "found 'starts' beside 'transcription: %s', expected first-order",
                         s->transcription);

  if (s->horizon) return DM_OK;
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
    if (idle[i])
      return pb_refuse_key(r, idle[i], "found '%s' but no 'horizon', expected both%s", idle[i]->key,
                           idle[i] == s->solver && r->nreplace
                               ? " (an option of a solver on the command line counts as 'solver')"
                               : "");
  if (s->simulate || s->balance) return DM_OK;
  return pb_refuse_node(r, root,
                        "found none of 'horizon', 'simulate', 'balance', expected one of them");
}

// names of forces, then of kinematic coordinates
static dm_status name_inputs(pb_reader *r, pb_problem *p) {
  const dm_model *m = p->model;
  int n = m->nu;
  // borrowed names
  const char **name;
  PB_NEW(r->arena, name, m->nu + p->task.system.nk);
  if (n) memcpy(name, m->input_name, (size_t)n * sizeof *name);
  for (int i = 0; i < m->nq; i++)
    if (m->kinematic[i]) name[n++] = m->name[i];
  r->nu = p->names.nu = n;
  r->input = p->task.input_name = p->names.input = name;
  p->names.n = m->nq;
  p->names.coord = p->task.coord_name;
  return DM_OK;
}

// Fit the system to steps of length h from here on; node: where the file sets the steps.
static dm_status fit_steps(const pb_reader *r, const pb_node *node, double h, pb_problem *p) {
  DM_TRY(pb_drives_check_step(r, node, &p->robot, h));
  p->fit.step = h;
  p->fit.line = node->line;
  DM_TRY(dm_stiff_damping_new(&p->fit.now, &p->task.system, h));
  p->task.system = dm_stiff_damping_system(p->fit.now, &p->task.system);
  return DM_OK;
}

// a design needs an inertia that does not depend on the step length
static dm_status check_design_damping(const pb_reader *r, const pb_node *design,
                                      const pb_problem *p) {
  const dm_system *s = &p->task.system;
  for (int i = 0; design && i < p->model->nq; i++)
    if (p->fit.now->added[i] > 0)
      return pb_refuse_key(
          r, design,
          "design: found it beside '%.64s', whose damping decays in %.2g s, within "
          "a step of %.2g s, expected shorter steps (horizon.steps) or less damping",
          p->model->name[i], 1 / dm_system_decay(s, i), p->fit.step);
  return DM_OK;
}

// the robot's system with the task's rule, fitted to the step
static void use_fitted(pb_problem *p, dm_stiff_damping *fitted, double step) {
  dm_system s = dm_robot_system(&p->robot.mechanism);
  s.rule = p->task.system.rule;
  s.contacts = p->task.system.contacts;
  p->fit.now = fitted;
  p->fit.step = step;
  p->task.system = dm_stiff_damping_system(fitted, &s);
}

dm_status pb_problem_refit(pb_problem *p, double h) {
  dm_stiff_damping *fitted;

  // fit the robot's original system, not the previously fitted one
  dm_system s = dm_robot_system(&p->robot.mechanism);
  s.rule = p->task.system.rule;
  s.contacts = p->task.system.contacts;
  DM_TRY(dm_stiff_damping_new(&fitted, &s, h));

  // keep the current fit for objects that still use it
  dm_stiff_damping_free(p->fit.before);
  p->fit.before = p->fit.now;
  p->fit.step_before = p->fit.step;
  use_fitted(p, fitted, h);
  return DM_OK;
}

void pb_problem_refit_undo(pb_problem *p) {
  dm_stiff_damping *undone = p->fit.now;
  use_fitted(p, p->fit.before, p->fit.step_before);
  p->fit.before = NULL;
  dm_stiff_damping_free(undone);
}

// read a simulation, which may be the motion that feedback tracks
static dm_status read_simulation(pb_reader *r, const pb_sections *s, pb_context *c, pb_problem *p) {
  p->has.simulate = s->simulate != NULL;
  DM_TRY(pb_simulate_read(r, s, c, &p->simulate));
  if (p->has.task || p->rest) return DM_OK;
  c->simulation = p->has.simulate ? &p->simulate : NULL;
  return fit_steps(r, s->simulate, p->simulate.h, p);
}

// read the sections that use the robot and its task
static dm_status read_uses(pb_reader *r, const pb_node *root, const pb_sections *s, pb_problem *p) {
  pb_context c = {.robot = &p->robot, .task = &p->task, .has_task = p->has.task};
  if (dm_drive_limits_lags(&p->robot.drives)) p->task.lag = p->robot.drives.lag;
  DM_TRY(pb_transcription_read(r, root, s, &c, &p->options, &p->transcription));
  c.second = p->transcription.second ? p->transcription.action.rule.k : 0;

  // feedback tracks a motion or an equilibrium, with the seed of its verification
  DM_TRY(pb_balance_read(r, s->balance, &p->task, &p->rest));
  if (p->rest) DM_TRY(fit_steps(r, s->balance, p->rest->h, p));
  c.rest = p->rest;
  DM_TRY(read_simulation(r, s, &c, p));
  DM_TRY(pb_contact_schedule_read(r, s, p->has.task ? p->task.N + 1 : p->simulate.steps,
                                  p->contacts, &p->options));
  if (s->identify) {
    pb_identify identify;
    DM_TRY(pb_identify_read(r, s->identify, p->model, &identify));
  }
  p->has.feedback = s->feedback != NULL;
  DM_TRY(pb_feedback_read(r, s->feedback, &c, &p->feedback));
  DM_TRY(pb_mpc_read(r, s->mpc, &c, p->has.feedback, &p->feedback, &p->mpc));
  p->has.verify = s->verify != NULL;
  DM_TRY(pb_tunables_check(r, root));
  DM_TRY(pb_verify_read(r, s->verify, &p->robot, p->has.feedback, &p->verify));
  DM_TRY(pb_verify_check(r, s->verify, &c, &p->feedback, &p->verify));
  if (p->verify.recedes) DM_TRY(pb_mpc_check_verify(r, s->verify, &p->mpc, &p->verify));
  if (p->verify.recedes) DM_TRY(pb_track_bounds(r, &p->robot, &p->mpc, &p->verify));
  p->feedback.sensors.seed = p->has.verify ? p->verify.seed : p->feedback.sensors.seed;
  return DM_OK;
}

// -- phases

// merge the sources and warnings of a phase into the file's, without duplicates
static dm_status adopt_phase(pb_reader *r, const pb_problem *phase, pb_problem *p) {
  pb_sha256_add(&r->digest, phase->file.sha256, strlen(phase->file.sha256));

  // add its digest, files and warnings, skipping those already known
  for (const pb_source *s = phase->file.sources; s; s = s->next) {
    const pb_source *same = r->sources;
    while (same && strcmp(same->name, s->name)) same = same->next;
    if (same) continue;
    PB_NEW(r->arena, r->last_source->next, 1);
    r->last_source = r->last_source->next;
    *r->last_source = *s;
    r->last_source->next = NULL;
  }
  for (int i = 0; i < phase->warnings.n; i++) {
    int k = 0;
    while (k < p->warnings.n && strcmp(p->warnings.text[k], phase->warnings.text[i])) k++;
    if (k < p->warnings.n) continue;
    DM_TRY(pb_warnings_add(&p->warnings, phase->warnings.kind[i], phase->warnings.text[i]));
  }
  return DM_OK;
}

// read each phase as a problem: this file with `phase` set
static dm_status read_phase_problems(pb_reader *r, const char **name, int n, pb_problem *p) {
  pb_replace *list;
  const oc_task **task;
  PB_NEW(r->arena, list, r->nreplace + 1);
  PB_NEW(r->arena, p->phases.problem, n);
  PB_NEW(r->arena, task, n);
  if (r->nreplace) memcpy(list, r->replace, (size_t)r->nreplace * sizeof *list);

  // read the file once per phase
  for (int i = 0; i < n; i++) {
    list[r->nreplace] = (pb_replace){.path = "phase", .text = name[i]};
    pb_problem **of = &p->phases.problem[i];
    DM_TRY(pb_problem_copied(of, r->file, r->copies ? r->copies->path : NULL, list, r->nreplace + 1,
                             r->msg));
    p->phases.n = i + 1;
    task[i] = &(*of)->task;
    DM_TRY(adopt_phase(r, *of, p));
  }
  p->phases.name = name;
  p->phases.task = task;
  return DM_OK;
}

static pb_joined as_joined(const pb_problem *p) {
  return (pb_joined){.task = &p->task,
                     .robot = &p->robot,
                     .feedback = &p->feedback,
                     .touches = pb_node_get(p->file.tree, "until") != NULL};
}

static dm_status read_phases(pb_reader *r, const pb_node *root, const pb_sections *s,
                             pb_problem *p) {
  const char **name;
  const pb_node *phase = s->phases->first;
  p->fine.error = INFINITY;
  DM_TRY(pb_phases_check(r, root, s));
  DM_TRY(pb_phases_names(r, s->phases, &name, &p->phases.place));
  DM_TRY(pb_total_time_read(r, s->total_time, &p->phases.limited, p->phases.T));
  DM_TRY(pb_solver_read(r, s->solver, &p->options));
  DM_TRY(read_phase_problems(r, name, s->phases->n, p));

  if (s->total_time)
    DM_TRY(pb_total_time_check(r, s->total_time, p->phases.T, p->phases.n, p->phases.task));

  DM_TRY(pb_phases_check_costs(r, root, s->phases, p->phases.task));
  const oc_options **options;
  PB_NEW(r->arena, options, p->phases.n);
  for (int i = 0; i < p->phases.n; i++) options[i] = &p->phases.problem[i]->options;
  DM_TRY(pb_contact_phases_check(r, s->phases, p->phases.task, options, &p->options));

  // controllers of all phases must be compatible in their sampling
  const pb_verification **of;
  PB_NEW(r->arena, of, p->phases.n);
  for (int i = 0; i < p->phases.n; i++)
    of[i] = p->phases.problem[i]->has.verify ? &p->phases.problem[i]->verify : NULL;
  DM_TRY(pb_phases_check_samples(r, s->phases, p->phases.n, of));

  // the joins between phases
  PB_NEW(r->arena, p->phases.join, p->phases.n);
  PB_NEW(r->arena, p->phases.carry, p->phases.n);
  p->phases.periodic = pb_node_get(phase, "join") != NULL;
  for (int i = 0; i < p->phases.n; i++, phase = phase->next) {
    const int before = (i + p->phases.n - 1) % p->phases.n;
    const pb_joined a = as_joined(p->phases.problem[before]), b = as_joined(p->phases.problem[i]);
    if (i == 0 && !p->phases.periodic) continue;
    r->phase = name[i];
    DM_TRY(
        pb_join_read(r, phase, i == 0, &a, &b, &p->phases.join[before], &p->phases.carry[before]));
  }
  r->phase = NULL;
  r->repeats = p->phases.periodic ? pb_node_get(s->phases->first, "join") : NULL;
  return r->repeats ? pb_contact_gait_check(r, p->phases.task, p->phases.join, p->phases.n) : DM_OK;
}

oc_phases_task pb_phases_task(const pb_phases *phases) {
  return (oc_phases_task){.n = phases->n,
                          .task = phases->task,
                          .name = phases->name,
                          .join = phases->join,
                          .periodic = phases->periodic,
                          .limited = phases->limited,
                          .T_min = phases->T[0],
                          .T_max = phases->T[1]};
}

// FILE-PHASE, the name of the results of a single phase
static dm_status name_phase(const pb_reader *r, pb_problem *p) {
  p->file.full_name = p->file.name;
  if (!r->phase) return DM_OK;
  const size_t size = strlen(p->file.name) + strlen(r->phase) + 2;
  char *text = pb_arena_alloc(r->arena, size, 1);
  if (!text) return DM_NO_MEMORY;
  snprintf(text, size, "%s-%s", p->file.name, r->phase);
  p->file.name = text;
  return DM_OK;
}

// the robot as a system, with names of inputs, constraint rows and output rows
static dm_status read_robot_sections(pb_reader *r, const pb_node *root, const pb_sections *s,
                                     pb_problem *p) {
  DM_TRY(pb_robot_read(r, s->model, s->inputs, s->outputs, PB_FIXED, &p->robot));
  p->model = p->robot.mechanism.model;
  pb_extra_formulas of_task;
  DM_TRY(pb_task_formulas_list(r, s->constraints, s->cost, &of_task));
  DM_TRY(pb_outputs_read(r, s->outputs, &of_task, s->keep_out, pb_via_has(s, "q"),
                         pb_via_has(s, "v"), &p->robot));
  DM_TRY(pb_system_read(r, s->rule, &p->robot, &p->task));
  DM_TRY(name_inputs(r, p));
  p->names.nc = r->nc;
  p->names.row = r->row;
  DM_TRY(pb_row_names(r, &p->robot, &p->names.ne, &p->names.equation));

  // names of outputs
  const dm_output_map y = pb_robot_outputs(&p->robot);
  const int n = p->robot.outputs.named;
  const char **name;
  PB_NEW(r->arena, name, n);
  for (int i = 0; i < n; i++) name[i] = dm_output_map_name(&y, i);
  p->names.ny = n;
  p->names.output = name;
  return pb_contact_plan_read(r, root, s, &p->robot, &p->contacts, &p->task.system, &p->names);
}

// a task, its system fitted to its steps, and its initial guess
static dm_status read_task_sections(pb_reader *r, const pb_node *root, const pb_sections *s,
                                    pb_problem *p) {
  DM_TRY(pb_task_read(r, s, &p->robot, &p->task, &p->fine));
  DM_TRY(pb_foresee_motors(r, s, &p->robot, &p->task));
  DM_TRY(pb_foresee_inputs(r, s, &p->task));
  DM_TRY(pb_foresee_speeds(r, s, &p->robot, &p->task));
  DM_TRY(pb_foresee_rest(r, s, &p->task));
  DM_TRY(pb_task_outputs_ask(r, &p->robot, &p->task));
  const pb_node *periodic = pb_goal_periodic(s->goal);
  if (periodic) memcpy(p->periodic_at, (int[]){periodic->line, periodic->column}, sizeof(int[2]));
  DM_TRY(fit_steps(r, s->horizon, oc_task_step(&p->task), p));
  DM_TRY(pb_knots_check(r, s->horizon, &p->task));
  DM_TRY(pb_start_rest(r, s->start, &p->task));
  DM_TRY(pb_contact_plan_check(r, root, s, &p->task));
  DM_TRY(pb_goal_warn_anywhere(r, s->start, p->model, &p->task));
  DM_TRY(pb_guess_read(r, s, p->model, &p->task, &p->guess));
  DM_TRY(pb_starts_read(r, s->starts, &p->options));
  p->has.starts = s->starts != NULL;

  // robot parameters to optimize
  DM_TRY(pb_design_read(r, root, s->design, &p->design));
  DM_TRY(check_design_damping(r, s->design, p));
  if (p->design.n && strcmp(s->transcription, "first-order"))
    return pb_refuse_key(r, s->design,
                         "found 'design' beside 'transcription: %s', expected first-order",
                         s->transcription);
  return DM_OK;
}

// without a task: input limits for simulation, and no refined grid
static dm_status go_without_task(pb_reader *r, pb_problem *p) {
  double *u_min, *u_max;
  DM_TRY(pb_inputs_limit(r, p->model, dm_model_limits(p->model).q, &u_min, &u_max));
  p->task.bounds[OC_U] = (dm_bounds){u_min, u_max};
  p->fine.turn = acos(0);
  p->fine.error = INFINITY;
  return DM_OK;
}

static dm_status read_sections(pb_reader *r, const char *text, size_t size, pb_problem *p) {
  pb_sections s = {0};
  const pb_node *root;
  DM_TRY(pb_opened_root(r, text, size, &root, &s));
  DM_TRY(pb_opened_name(r, root, s.name, &p->file.name));
  DM_TRY(name_phase(r, p));
  if (s.phases) return read_phases(r, root, &s, p);

  // the robot and its task
  DM_TRY(check_purpose(r, root, &s));
  DM_TRY(pb_definitions_read(r, s.let));
  DM_TRY(read_robot_sections(r, root, &s, p));
  p->file.tree = root;
  p->has.task = s.horizon != NULL;
  DM_TRY(p->has.task ? read_task_sections(r, root, &s, p) : go_without_task(r, p));

  // solver, feedback, verification and simulation
  DM_TRY(pb_solver_read(r, s.solver, &p->options));
  p->task.scales.pace = p->options.pace;
  DM_TRY(pb_rolling_check(r, root, &s, &p->robot, &p->task));
  DM_TRY(read_uses(r, root, &s, p));
  p->names.path = p->task.outputs.follow.curve != NULL;
  p->names.nb = p->verify.outputs.count;
  p->names.bound = p->verify.columns;
  return DM_OK;
}

static dm_status read_problem(pb_reader *r, pb_problem *p) {
  char *text;
  size_t size;
  p->file.path = pb_copy(r->arena, r->file, strlen(r->file));
  if (!p->file.path) return DM_NO_MEMORY;

  // a robot file in place of a problem is a likely mistake
  DM_TRY(pb_opened_text(r, &text, &size));
  if (pb_opened_robot(r->file, text))
    return pb_refuse(r, r->file, 1, 1,
                     "found a robot file, expected a problem: a YAML file with "
                     "'model: {robot: FILE}' and what the robot is to do");
  DM_TRY(read_sections(r, text, size, p));
  pb_sha256_text(&r->digest, p->file.sha256);
  return DM_OK;
}

dm_status pb_problem_read(pb_problem **out, const char *path, dm_message *msg) {
  return pb_problem_vary(out, path, NULL, 0, msg);
}

dm_status pb_problem_vary(pb_problem **out, const char *path, const pb_replace *replace, int n,
                          dm_message *msg) {
  return pb_problem_copied(out, path, NULL, replace, n, msg);
}

dm_status pb_problem_copied(pb_problem **out, const char *path, const char *copies,
                            const pb_replace *replace, int n, dm_message *msg) {
  pb_arena arena = {0};
  pb_folder folder = {.fd = -1};
  dm_message why;
  *out = NULL;
  if (copies && pb_folder_open(&folder, copies, true, &why) != DM_OK)
    return dm_fail(msg, DM_IO, "%.300s cannot be read: %s", copies, why.text);
  pb_problem *p = calloc(1, sizeof *p);
  if (!p) {
    pb_folder_close(&folder);
    return dm_fail(msg, DM_NO_MEMORY, "%.300s: out of memory", path);
  }

  p->options = oc_options_default();

  // the problem's arrays and texts are in the arena, which outlives the reader
  pb_reader r = {.arena = &arena,
                 .warnings = &p->warnings,
                 .msg = msg,
                 .file = path,
                 .copies = copies ? &folder : NULL,
                 .replace = replace,
                 .nreplace = n};
  dm_status s = pb_opened_report(&r, read_problem(&r, p));
  pb_folder_close(&folder);

  // hand over everything, or free everything
  p->memory = arena.last;
  p->file.sources = r.sources;
  if (s == DM_OK)
    *out = p;
  else
    pb_problem_free(p);
  return s;
}

void pb_problem_free(pb_problem *p) {
  if (!p) return;
  pb_arena arena = {p->memory};
  for (int i = 0; i < p->phases.n; i++) pb_problem_free(p->phases.problem[i]);
  // objects with their own memory, then the arena
  dm_stiff_damping_free(p->fit.now);
  dm_stiff_damping_free(p->fit.before);
  dm_robot_contact_laws_free(p->contacts);
  pb_robot_free(&p->robot);
  dm_trajectory_free(p->guess.csv);
  dm_trajectory_free(p->rest);
  pb_warnings_free(&p->warnings);
  pb_arena_free(&arena);
  free(p);
}

dm_status pb_problem_guess(const pb_problem *p, dm_trajectory **guess) {
  const oc_task *task = &p->task;
  dm_trajectory *x;
  dm_status s = DM_OK;

  // on the task's initial grid, if its time is free
  DM_TRY(dm_trajectory_of(&x, task->N, &task->system));
  oc_task_set_steps(task, oc_task_step(task), x);

  // the task's own, a straight line to the goal, a rollout of given inputs, or the file's motion
  if (p->guess.kind == PB_OWN) s = oc_guess_own(task, x);
  if (p->guess.kind == PB_LINE) s = oc_guess_line(task, x);
  if (p->guess.kind == PB_ROLLOUT) s = oc_guess_rollout(task, p->guess.u, x);
  if (p->guess.kind == PB_SMOOTH) {
    s = oc_guess_own(task, x);
    if (s == DM_OK) s = oc_smooth_guess(task, &p->options, NULL, x);
  }
  if (p->guess.kind == PB_CSV) {
    oc_guess_resample(task, p->guess.csv, x);
    s = oc_guess_impulses(task, x);
  }
  if (s == DM_OK)
    *guess = x;
  else
    dm_trajectory_free(x);
  return s;
}

dm_status pb_phases_guess(const pb_phases *phases, dm_trajectory **motion) {
  const oc_phases_task task = pb_phases_task(phases);
  DM_TRY(oc_phases_guess(&task, 0, motion));
  for (int i = 0; i < phases->n; i++) {
    const pb_problem *p = phases->problem[i];
    dm_trajectory *own = NULL;
    if (p->guess.kind == PB_OWN || p->guess.kind == PB_LINE) continue;
    DM_TRY(pb_problem_guess(p, &own));
    dm_trajectory_copy(motion[i], own);
    dm_trajectory_free(own);
  }
  return DM_OK;
}

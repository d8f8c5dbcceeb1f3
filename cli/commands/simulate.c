#include "lib/discrete/simulate.h"
#include "cli/commands/commands.h"
#include "cli/commands/stages.h"
#include "cli/commands/two_point_study.h"
#include "cli/console/interrupt.h"
#include "cli/console/log.h"
#include "cli/results/contact_events.h"
#include "cli/results/monitors.h"
#include "cli/results/registry.h"
#include "cli/results/sentences.h"
#include "cli/results/trajectory.h"
#include "cli/stages/call.h"
#include "cli/stages/impulses.h"
#include "cli/stages/laws.h"
#include "cli/stages/outputs.h"
#include "cli/stages/refine.h"
#include "lib/contact/contact_stepper.h"
#include "lib/contact/knot_step.h"
#include "lib/discrete/driven_steps.h"
#include "lib/mechanics/symmetry.h"
#include "lib/studies/energy_momentum.h"
#include "lib/studies/itoh_abe.h"
#include "lib/studies/symplectic_form.h"
#include "lib/studies/two_point.h"
#include "lib/studies/two_point_study.h"
#include "lib/studies/variable_steps.h"

#include <math.h>
#include <string.h>

// a simulation, its studies and output files
typedef struct simulation_run {
  cli_call *call;
  cli_outputs outputs;         // outputs.csv, if the problem has outputs
  cli_impulses impulses;       // impulses.csv, if constraint equations were left out
  FILE *f, *events, *monitors; // trajectory.csv; contacts.csv, NULL before the first event;
                               // monitors.csv, NULL without monitors
  dm_simulation *w;
  dm_stepper step;           // uses one of the following; the others are NULL:
  dm_composition *steps;     // constraints at knots
  dm_energy_momentum *em;    // energy-momentum method
  dm_itoh_abe *quotients;    // Itoh and Abe's
  dm_variable_steps *varied; // steps of variable length
  dm_energy_momentum *near;  // the same for nearby motions, for the symplectic form
  dm_two_point *two;         // constraints between knots
  dm_contact_count contacts; // with contacts
  dm_driven_steps *motors;   // of model.drives; NULL: none
  dm_knot_step *knots;       // with contacts by one impulse per knot
  dm_two_point_study *study; // NULL: constraints are not studied
  dm_symplectic_form *form;  // NULL: not requested, or no longer computable
  dm_series series[DM_MONITORS];
  bool kept[DM_MOMENTA]; // momenta that are monitored, from DM_MONITOR_MOMENT on
  cli_progress progress;
} simulation_run;

static void free_simulation(simulation_run *w) {
  dm_simulation_free(w->w);
  dm_composition_free(w->steps);
  dm_energy_momentum_free(w->em);
  dm_itoh_abe_free(w->quotients);
  dm_variable_steps_free(w->varied);
  dm_energy_momentum_free(w->near);
  dm_two_point_free(w->two);
  dm_contact_integrator_free(w->contacts.steps);
  dm_driven_steps_free(w->motors);
  dm_knot_step_free(w->knots);
  dm_two_point_study_free(w->study);
  dm_symplectic_form_free(w->form);
  cli_outputs_free(&w->outputs);
  cli_impulses_free(&w->impulses);
}

// -- output per knot

// write the row of a knot, with inputs and constraint impulses of the step from it; NULL: no step
static dm_status write_row(simulation_run *w) {
  const dm_simulation *x = w->w;

  // q, p, v, u, lambda; energy; the moment about the world's origin, then the momentum
  fprintf(w->f, "%d", x->k);
  cli_trajectory_row(w->f, x->x, 0, x->k * x->set.h, x->u, x->lambda);
  cli_put_number(w->f, ",", x->energy);
  for (int i = 0; i < 6; i++) cli_put_number(w->f, ",", x->moment[i]);
  cli_points_row(w->f, x->k, w->study);
  fputc('\n', w->f);
  return ferror(w->f) ? DM_IO : DM_OK;
}

// monitors of the knot
static void write_monitors(simulation_run *w, bool row) {
  double value[DM_MONITORS];
  dm_simulation *x = w->w;
  if (!w->monitors) return;

  // quantities of the motion; only selected momenta
  dm_simulation_watch(x, value);
  for (int i = 0; i < DM_MOMENTA; i++)
    if (!w->kept[i]) value[DM_MONITOR_MOMENT + i] = NAN;

  // the symplectic form is propagated along the motion
  if (w->form) {
    value[DM_MONITOR_FORM] = w->form->form[0];
    value[DM_MONITOR_CLOUD] = w->form->form[1];
  }

  // result.json uses all knots, the table only those that are stored
  dm_monitors_add(w->series, x->k, x->set.steps, value);
  if (row) cli_monitors_row(w->monitors, x->k, x->k * x->set.h, value);
}

// propagate the form through the last step; stop if that fails
static void propagate_form(simulation_run *w) {
  const dm_simulation *x = w->w;
  if (!w->form) return;
  const double *q = x->x->q, *q1 = q + x->x->n;
  if (dm_symplectic_form_propagate(w->form, w->steps, q, x->x->p, q1, x->u, x->set.h) == DM_OK)
    return;
  dm_symplectic_form_free(w->form);
  w->form = NULL;
}

// the row of an event in the step to knot k: made and left for every step, held for stored rows
static dm_status write_event(simulation_run *w, int k, const char *name, dm_contact_event what,
                             double impulse, double friction) {
  const pb_problem *p = w->call->run.p;
  if (what == DM_CONTACT_OPEN) return DM_OK;
  if (what == DM_CONTACT_CLOSED && k % p->simulate.every != 0) return DM_OK;

  // create the file with the first event
  if (!w->events) {
    w->events = cli_call_file(w->call, "contacts.csv");
    if (!w->events) return DM_IO;
    cli_table_begin(w->events, &cli_file_contacts, &p->names);
  }
  cli_events_row(w->events, k, k * p->simulate.h, name, what, impulse, friction);
  return ferror(w->events) ? DM_IO : DM_OK;
}

// the events of the step to knot k
static dm_status write_events(simulation_run *w, int k) {
  const dm_contact_integrator *c = w->contacts.steps;
  for (int i = 0; c && i < c->ng; i++) {
    const double *t = c->friction_impulse + 2 * i;
    DM_TRY(write_event(w, k, c->c->g.name(c->c->g.self, i), dm_contact_event_of(c, i),
                       c->impulse[i], hypot(t[0], t[1])));
  }
  const dm_knot_step *s = w->knots;
  for (int l = 0; s && l < s->laws->n; l++) {
    const dm_contact_law *law = &s->laws->law[l];
    double friction = 0;
    for (int t = 0; t < law->tangents; t++) friction = hypot(friction, s->impulse[law->tangent[t]]);
    if (law->gap >= 0)
      DM_TRY(
          write_event(w, k, law->name, dm_knot_step_event(s, l), s->impulse[law->gap], friction));
  }
  return DM_OK;
}

// record a knot and the step from it
static dm_status record_knot(void *user, dm_simulation *x) {
  simulation_run *w = user;
  const bool row = x->k % w->call->run.p->simulate.every == 0;
  const double *q1 = x->stepped ? x->x->q + x->x->n : NULL;

  // measure first, because a row contains the study's figures
  if (w->study) DM_TRY(dm_two_point_study_measure(w->study, x->k, x->x->q, q1, x->lambda));
  if (w->call->run.x) dm_simulation_store(x, w->call->run.x);
  if (row) DM_TRY(write_row(w));
  if (row)
    DM_TRY(cli_impulses_add(&w->impulses, w->call, x->k, x->k * x->set.h, x->x->q, x->lambda));
  double *impulses = w->outputs.lambda; // of the whole step
  for (int c = 0; q1 && c < w->outputs.y.impulses; c++)
    impulses[c] = dm_grid_impulse(NULL, x->k) * x->lambda[c];
  const dm_step step = {.q0 = x->x->q,
                        .q1 = q1,
                        .u = x->u,
                        .h = x->set.h,
                        .time = {(x->k + 0.5) * x->set.h, x->set.steps * x->set.h},
                        .lambda = impulses};
  const dm_contact_knot contact = {.impulse = w->knots ? w->knots->impulse : NULL,
                                   .time = x->k ? x->set.h : x->set.h / 2,
                                   .h = x->set.h};
  cli_outputs_add(&w->outputs, w->call, x->k, x->k * x->set.h, x->x->q, x->x->v,
                  x->stepped ? &step : NULL, x->stepped && w->knots ? &contact : NULL, row);

  // monitors of the knot, then contact events of the step from it
  write_monitors(w, row);
  if (!x->stepped) return DM_OK;
  propagate_form(w);

  return write_events(w, x->k + 1);
}

static bool proceed_simulation(void *user, int k) {
  simulation_run *w = user;
  if (k % 1000 == 0)
    cli_progress_show(&w->progress, (double)k / w->call->run.p->simulate.steps,
                      "simulate: %d of %d steps", k, w->call->run.p->simulate.steps);
  return !cli_interrupted();
}

// -- preparation

// a stepper that conserves energy and the momenta that the motion conserves
static dm_status make_energy_momentum(const simulation_run *w, dm_energy_momentum **out) {
  const pb_problem *p = w->call->run.p;
  const dm_vec g = p->model->gravity;
  const dm_system *s = &p->task.system;
  dm_energy_momentum_settings set = {.del = p->simulate.del,
                                     .at_knots = p->robot.mechanism.embed,
                                     .momentum = cli_momentum_map(&p->robot),
                                     .gravity = {g.x, g.y, g.z}};
  DM_TRY(
      dm_kept_momenta(s, NULL, &set.momentum, set.gravity, p->simulate.q, p->simulate.u, set.kept));
  return dm_energy_momentum_new(out, s, &set);
}

static dm_status make_comparator(simulation_run *w) {
  const pb_problem *p = w->call->run.p;
  const dm_system *s = &p->task.system;
  switch (p->simulate.comparator) {
  case PB_ITOH_ABE:
    DM_TRY(dm_itoh_abe_new(&w->quotients, s));
    w->step = dm_itoh_abe_stepper(w->quotients);
    break;
  case PB_VARIABLE:
    DM_TRY(dm_variable_steps_new(&w->varied, s, p->simulate.error));
    w->step = dm_variable_stepper(w->varied);
    break;
  default:
    DM_TRY(make_energy_momentum(w, &w->em));
    w->step = dm_energy_momentum_stepper(w->em);
  }
  return DM_OK;
}

// make the problem's stepper
static dm_status make_steps(simulation_run *w) {
  const dm_system *s = &w->call->run.p->task.system;
  const pb_problem *p = w->call->run.p;

  // with contacts, by one impulse per knot or others; with constraints between knots; a comparator; or the map
  if (p->simulate.knot) {
    DM_TRY(dm_knot_step_new(&w->knots, s));
    w->step = dm_knot_stepper(w->knots);
  } else if (p->robot.mechanism.contacts) {
    dm_unilateral g = dm_contacts_unilateral(p->robot.mechanism.contacts);
    DM_TRY(
        dm_contact_integrator_new(&w->contacts.steps, s, &g, &p->simulate.contact, &w->call->msg));
    w->step = dm_contact_stepper(&w->contacts);
  } else if (p->simulate.points.two) {
    DM_TRY(dm_two_point_new(&w->two, s));
    w->step = dm_two_point_stepper(w->two, p->simulate.points.next, p->simulate.points.first);
  } else if (p->simulate.comparator) {
    DM_TRY(make_comparator(w));
  } else {
    DM_TRY(dm_composition_new(&w->steps, s, p->simulate.order, &p->simulate.del, &w->call->msg));
    w->step = dm_composition_stepper(w->steps);
  }
  return DM_OK;
}

// the motors of model.drives between inputs and steps
static dm_status add_motors(simulation_run *w) {
  const pb_problem *p = w->call->run.p;
  const dm_drive_limits *d = &p->robot.drives;
  if (!d->n || !p->simulate.u) return DM_OK;
  DM_TRY(dm_driven_steps_new(&w->motors, &w->step, d, p->task.system.L.nq,
                             dm_system_inputs(&p->task.system)));
  w->step = dm_driven_stepper(w->motors);
  return DM_OK;
}

static dm_status make_simulation(simulation_run *w) {
  const pb_problem *p = w->call->run.p;
  const dm_vec g = p->model->gravity;
  const dm_system *s = &p->task.system;
  dm_simulate_settings set = {.steps = p->simulate.steps,
                              .h = p->simulate.h,
                              .u = p->simulate.u,
                              .momentum = cli_momentum_map(&p->robot),
                              .gravity = {g.x, g.y, g.z},
                              .proceed = proceed_simulation,
                              .knot = record_knot,
                              .user = w};

  // constraints between knots are evaluated at the rule's point, else in the middle
  const double at = s->rule.points == 1 ? s->rule.at[0] : 0.5;
  if (p->simulate.points.measured)
    DM_TRY(dm_two_point_study_new(&w->study, &s->hol, s->L.nq, at, p->simulate.steps));

  // the start: at rest, moving, or determined by the next knot if constraints are between knots
  DM_TRY(dm_simulation_new(&w->w, s, &w->step, &set));
  return dm_simulation_start(w->w, &(dm_start){.q = p->simulate.q,
                                               .v = p->simulate.v,
                                               .next = p->simulate.points.next,
                                               .standing = p->simulate.at_rest});
}

static dm_status make_monitors(simulation_run *w) {
  const dm_system *s = &w->call->run.p->task.system;
  const pb_problem *p = w->call->run.p;

  // no monitors, or the form is undefined
  if (!p->simulate.watch) return DM_OK;
  w->monitors = cli_call_file(w->call, "monitors.csv");
  if (!w->monitors) return DM_IO;

  cli_table_begin(w->monitors, &cli_file_monitors, &p->names);

  // all momenta, or only those that the motion conserves
  const dm_simulate_settings *set = &w->w->set;
  for (int i = 0; i < DM_MOMENTA; i++) w->kept[i] = true;
  if (p->simulate.kept) {
    dm_unilateral g;
    if (p->robot.mechanism.contacts) g = dm_contacts_unilateral(p->robot.mechanism.contacts);
    DM_TRY(dm_kept_momenta(&p->task.system, p->robot.mechanism.contacts ? &g : NULL, &set->momentum,
                           set->gravity, p->simulate.q, p->simulate.u, w->kept));
  }

  if (!p->simulate.form || !dm_symplectic_form_exists(s)) return DM_OK;

  // its cloud uses steps of the same kind
  dm_stepper near;
  if (w->em) {
    DM_TRY(make_energy_momentum(w, &w->near));
    near = dm_energy_momentum_stepper(w->near);
  }
  DM_TRY(dm_symplectic_form_new(&w->form, s, p->simulate.order, &p->simulate.del,
                                w->em ? &near : NULL));
  return dm_symplectic_form_begin(w->form, w->w->c, p->simulate.q);
}

static dm_status run_simulation(simulation_run *w) {
  DM_TRY(make_steps(w));
  DM_TRY(add_motors(w));
  DM_TRY(make_simulation(w));
  DM_TRY(make_monitors(w));
  cli_call_worth(w->call);
  return dm_simulation_run(w->w);
}

// -- reporting

// conserved quantities of free motions
static void report_drift(simulation_run *w) {
  const dm_simulate_info *x = &w->w->info;
  const dm_system *s = &w->call->run.p->task.system;
  cli_json *r = w->call->result;

  // energy, unless kinematic coordinates do work
  if (!s->nk) {
    cli_json *o = cli_json_object(r, "energy");
    cli_json_number(o, "start", x->energy_start);
    cli_json_number(o, "drift", x->energy_drift);
    cli_json_number(o, "low", x->energy_low);
    cli_json_number(o, "high", x->energy_high);
    cli_json_number(o, "end", w->w->energy);
    cli_tell_group(w->call->summary.file, "energy", o);
  }

  // momentum, if the bodies are not constrained to the world; gravity's contribution is subtracted
  if (s->nk || w->call->run.p->robot.mechanism.constraints) return;
  cli_json *momentum = cli_json_object(r, "momentum");
  cli_json_vector(momentum, "drift", x->momentum_drift, 6);
  cli_tell_group(w->call->summary.file, "momentum", momentum);
}

// momenta that nothing changes, and their drift
static void report_kept(simulation_run *w) {
  char text[256];
  int at = 0;
  if (!w->monitors || !w->call->run.p->simulate.kept) return;
  for (int i = 0; i < DM_MOMENTA; i++) {
    const dm_series *of = &w->series[DM_MONITOR_MOMENT + i];
    if (!of->count || at >= (int)sizeof text) continue;
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%s to %.3g", at ? ", " : "",
                   dm_monitor_names[DM_MONITOR_MOMENT + i], of->high - of->low);
  }
  if (at) cli_tell(w->call, "kept", "%s", text);
}

static void report_contacts(simulation_run *w) {
  const dm_contact_count *x = &w->contacts;
  const dm_knot_step *s = w->knots;
  bool touches = x->steps != NULL;
  for (int l = 0; s && l < s->laws->n; l++) touches |= s->laws->law[l].gap >= 0;
  if (!touches) return;
  cli_json *o = cli_json_object(w->call->result, "contacts");

  // events of the whole motion, and the deepest penetration
  cli_json_text(o, "method", s ? "knot" : x->steps->method->name);
  cli_json_number(o, "made", (double)(s ? s->made : x->made));
  cli_json_number(o, "left", (double)(s ? s->left : x->left));
  if (!s) cli_json_number(o, "reflections", (double)x->reflections);
  cli_json_number(o, "sunk", s ? s->deepest : x->deepest);
  cli_tell_group(w->call->summary.file, "contacts", o);
}

// how many steps of variable length the motion has
static void report_variable(simulation_run *w) {
  if (!w->varied) return;
  cli_json *o = cli_json_object(w->call->result, "variable");
  cli_json_int(o, "taken", (int)w->varied->taken);
  cli_json_int(o, "repeated", (int)w->varied->refused);
  cli_tell_group(w->call->summary.file, "variable", o);
}

// the first knot from which another step obeys the laws as well
static void report_second(simulation_run *w) {
  const dm_knot_step *s = w->knots;
  if (!s || s->second < 0) return;
  cli_warn_second(w->call, cli_json_object(w->call->result, "certificate"), s->second,
                  s->second_law);
}

static int report_simulation(simulation_run *w, dm_status s, double seconds) {
  cli_call *call = w->call;
  cli_json *r = call->result;
  const dm_simulate_info *info = &w->w->info;

  const int k = w->w->k;
  const char *status = "failed";
  if (s == DM_OK) status = "done";
  if (s == DM_INTERRUPTED) status = "interrupted";
  cli_json_text(r, "status", status);
  cli_json_int(r, "steps", k);
  cli_json_int(r, "every", call->run.p->simulate.every);
  cli_json_number(cli_json_object(r, "time"), "total_s", seconds);

  // time per step, and conserved quantities
  cli_tell(call, "steps", "%d of %d, %.3g us each", k, call->run.p->simulate.steps,
           1e6 * seconds / (k ? k : 1));

  // the range of each coordinate
  cli_json *range = cli_json_object(w->call->result, "range");
  for (int i = 0; i < w->call->run.p->names.n; i++) {
    cli_json *o = cli_json_open(range, w->call->run.p->names.coord[i]);
    cli_json_number(o, "low", w->w->low[i]);
    cli_json_number(o, "high", w->w->high[i]);
  }

  cli_outputs_report(&w->outputs, call);
  report_drift(w);
  report_contacts(w);
  report_variable(w);
  report_second(w);
  report_kept(w);
  cli_points_report(call, w->study);
  if (w->monitors) cli_monitors_report(w->series, call->run.p->simulate.h, r);
  cli_report_constraints(call, info->residual, info->row, info->knot);

  // why it ended early
  if (s == DM_OK) return CLI_DONE;
  if (s == DM_INTERRUPTED) {
    cli_error("interrupted at knot %d: the motion up to there is written", k);
  } else {
    w->step.explain(w->step.self, &call->msg, s, k, call->run.p->names.coord);
    cli_json_text(r, "error", call->msg.text);
    cli_error("%s", call->msg.text);
  }
  return CLI_OUTCOME;
}

// the part that a simulation with motors cannot have; NULL: none
static const char *find_refused(const pb_problem *p) {
  const dm_drive_limits *d = &p->robot.drives;
  if (!d->n || !p->simulate.u) return NULL;
  if (dm_drive_limits_lines(d) && p->robot.mechanism.contacts)
    return "contacts beside a torque-speed line of model.drives, expected one of them";
  if (p->simulate.points.next)
    return "simulate.start.next beside motors of model.drives, expected start.v: the torque of the "
           "first step depends on the motion";
  return NULL;
}

int cli_simulate_streamed(cli_call *call) {
  // check the problem
  if (!call->run.p->has.simulate)
    return cli_fail(
        call->args, CLI_INPUT,
        "%s has no section 'simulate': add one, with start and two of time, steps, step",
        call->run.p->file.path);
  if (call->run.p->transcription.second) return cli_flow(call);
  const char *refused = find_refused(call->run.p);
  if (refused)
    return cli_fail(call->args, CLI_INPUT, "%s: found %s", call->run.p->file.path, refused);

  // open the files
  simulation_run w = {.call = call,
                      .f = cli_call_file(call, "trajectory.csv"),
                      .progress = cli_progress_of(call->args)};
  if (!w.f) return CLI_INPUT;
  int status = cli_outputs_open(&w.outputs, call);
  if (status == CLI_DONE) status = cli_impulses_open(&w.impulses, call);
  if (status != CLI_DONE) {
    free_simulation(&w);
    return status;
  }

  // columns: the trajectory's, then energy, moment, momentum, and the study's
  cli_table_columns(w.f, &cli_file_trajectory, &call->run.p->names);
  fputs(",energy,moment.x,moment.y,moment.z,momentum.x,momentum.y,momentum.z", w.f);
  cli_points_header(w.f, call->run.p, &call->run.p->names);
  fputc('\n', w.f);

  // knots are written during the run
  double begin = cli_clock();
  dm_status s = run_simulation(&w);
  cli_progress_end(&w.progress);

  // nothing to report if the run did not start, or its files are incomplete
  if (!w.w || s == DM_IO || s == DM_NO_MEMORY || s == DM_BAD_INPUT)
    status =
        cli_fail(call->args, cli_exit_of(s), "%s: %s", call->place.dir,
                 s == DM_IO ? "its files cannot be written: is the disk full?" : dm_status_text(s));
  else
    status = report_simulation(&w, s, cli_clock() - begin);
  free_simulation(&w);
  return status;
}

int cli_simulate(cli_call *call) {
  // feedback needs all knots
  const pb_problem *p = call->run.p;
  if (p->has.simulate && p->simulate.every > 1)
    return cli_fail(call->args, CLI_INPUT,
                    "%s stores only every %dth knot of its motion; simulate it with 'every: 1'",
                    p->file.path, p->simulate.every);

  // store all knots in memory during the run
  if (p->has.simulate) {
    dm_status s = dm_trajectory_of(&call->run.x, p->simulate.steps, &call->run.p->task.system);
    if (s != DM_OK) return cli_fail_status(call->args, s, NULL);
    call->run.x->h = p->simulate.h;
  }

  // warn about large steps, because no solver checks them
  int status = cli_simulate_streamed(call);
  if (status == CLI_DONE && call->run.x) cli_warn_turn(call);
  return status;
}

static int simulate_problem(const cli_args *args) {
  cli_call call;
  int status = cli_call_open(&call, args, true);
  if (status == CLI_DONE) status = cli_simulate_streamed(&call);
  return cli_call_close(&call, status);
}

const cli_command cli_command_simulate = {
    .name = "simulate",
    .what = "integrate forward as the problem's simulate section says",
    .usage = "PROBLEM [-o DIR]",
    .run = simulate_problem,
};

#include "problems/readers/task/read_simulation.h"

#include "lib/contact/variational_contact.h"
#include "lib/discrete/assembly.h"
#include "lib/studies/contact_methods.h"
#include "lib/studies/energy_momentum.h"
#include "lib/studies/itoh_abe.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/model/assembly.h"
#include "problems/readers/model/clock.h"
#include "problems/readers/model/constraints.h"
#include "problems/readers/model/contacts.h"
#include "problems/readers/model/parts.h"
#include "problems/readers/model/read_robot.h"
#include "problems/readers/task/read_reference.h"
#include "problems/readers/task/read_task.h"
#include "problems/readers/task/read_two_point.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct simulate_start {
  const double *q, *v, *next, *next_v, *next_a, *near, *a, *jerk;
  const char *held, *assemble;
} simulate_start;

static const pb_key start_keys[] = {
    PB_KEY(simulate_start, q, .type = PB_EACH_COORD, .turn = "angle", .unit = "m or rad",
           .absent = "free", .note = "as in `start`, or 0", .rest = "free",
           .about = "Initial position"),
    PB_KEY(simulate_start, v, .type = PB_EACH_COORD, .turn = "rate", .unit = "m/s or rad/s",
           .absent = "free", .note = "as in `start`, or 0", .rest = "free",
           .about = "Initial velocity"),
    PB_KEY(simulate_start, next, .type = PB_EACH_COORD, .turn = "angle", .unit = "m or rad",
           .absent = "free", .note = "–", .rest = "free",
           .about = "Instead of `v`: the second configuration; a coordinate left out keeps its "
                    "value of `q`"),
    PB_KEY(simulate_start, next_v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .absent = "free",
           .note = "–", .rest = "free",
           .about = "Second-order transcriptions, with `next`: velocities of the second knot, "
                    "which replace the Taylor expansion"),
    PB_KEY(simulate_start, next_a, .type = PB_EACH_COORD, .unit = "m/s2 or rad/s2",
           .absent = "free", .note = "–", .rest = "free",
           .about = "Third-order transcriptions: accelerations of the second knot"),
    PB_KEY(
        simulate_start, a, .type = PB_EACH_COORD, .unit = "m/s2 or rad/s2", .absent = "0",
        .about =
            "Second-order transcriptions: acceleration of the Taylor expansion to the second knot"),
    PB_KEY(simulate_start, jerk, .type = PB_EACH_COORD, .unit = "m/s3 or rad/s3", .absent = "0",
           .about = "Its jerk"),
    PB_KEY(simulate_start, held, .type = PB_WORD, .note = "as in `start`, or false",
           .words = "false true", .about = "As in `start`"),
    PB_ASSEMBLE_KEYS(simulate_start),
    {0}};

typedef struct simulate_section {
  double time, step;
  int steps, every, order;
  simulate_start start;
  pb_two_point_section constraints;
  const pb_node *input;
  const char *method, *impact, *conserve, *predictor, *monitors;
  double beta, gamma, flight, error;
} simulate_section;

// words of pb_comparator, from 1
static const char *const comparators[] = {"energy-momentum", "itoh-abe", "variable", NULL};

static pb_comparator find_comparator(const char *method) {
  for (int i = 0; comparators[i]; i++)
    if (!strcmp(comparators[i], method)) return (pb_comparator)(i + 1);
  return PB_NO_COMPARATOR;
}

const char *pb_comparator_name(pb_comparator comparator) {
  return comparator ? comparators[comparator - 1] : "";
}

const pb_key pb_simulate_keys[] = {
    PB_KEY(simulate_section, time, .type = PB_NUMBER, .also = "T tf duration final_time",
           .unit = "s", .range = "> 0", .note = "the horizon's", .about = "Duration"),
    PB_KEY(simulate_section, steps, .type = PB_INTEGER, .also = "N n_steps num_steps",
           .range = ">= 1", .note = "the horizon's", .about = "Number of steps"),
    PB_KEY(simulate_section, step, .type = PB_NUMBER, .also = "dt h timestep time_step",
           .unit = "s", .range = "> 0", .note = "the horizon's", .about = "Length of a step"),
    PB_KEY(simulate_section, start, .type = PB_SECTION, .also = "x0 q0 initial initial_state",
           .sub = start_keys, .about = "Initial state"),
    PB_KEY(simulate_section, constraints, .type = PB_SECTION, .sub = pb_two_point_keys,
           .about = "A study of where constraints are imposed"),
    PB_KEY(simulate_section, input, .type = PB_NODE, .also = "u control controls torque inputs",
           .unit = "N or N m", .absent = "0", .words = "number, or by input, or {csv: file}",
           .about = "Constant inputs, or a file with columns `t` and `u.NAME`, each row held "
                    "until the next"),
    PB_KEY(simulate_section, every, .type = PB_INTEGER, .range = ">= 1", .absent = "1",
           .about = "Writes every n-th knot"),
    PB_KEY(simulate_section, method, .type = PB_WORD, .absent = "gvi",
           .words = "gvi knot smooth gvi-linearized direct-midpoint direct-endpoint newmark "
                    "imex-newmark collision energy-momentum itoh-abe variable",
           .about = "Integrator with contacts, see below; the last three are for robots without "
                    "contacts"),
    PB_KEY(simulate_section, error, .type = PB_NUMBER, .range = "> 0", .note = "1e-4",
           .about = "For `variable`: largest error of a step, relative to its motion"),
    PB_KEY(simulate_section, order, .type = PB_INTEGER, .range = ">= 1", .absent = "2",
           .about = "4 or 6: composed steps; not with contacts, kinematic coordinates or "
                    "unsymmetric rules"),
    PB_KEY(
        simulate_section, impact, .type = PB_WORD, .absent = "generalized",
        .words = "generalized moreau",
        .about =
            "Impulses if several contacts meet at once; for `gvi`, `gvi-linearized`, `collision`"),
    PB_KEY(simulate_section, conserve, .type = PB_WORD, .absent = "hamiltonian",
           .words = "hamiltonian discrete verlet",
           .about = "Energy that an impact conserves; `verlet` needs a constant mass matrix"),
    PB_KEY(simulate_section, predictor, .type = PB_WORD, .absent = "forward",
           .words = "forward step",
           .about = "For `gvi` and `gvi-linearized`: prediction along the velocity, or by a step "
                    "without contacts"),
    PB_KEY(simulate_section, beta, .type = PB_NUMBER, .range = "[0, 1]", .note = "the method's",
           .about = "β of `newmark` (1/4; above 0) and `imex-newmark` (0)"),
    PB_KEY(simulate_section, gamma, .type = PB_NUMBER, .range = "[0, 1]", .note = "the method's",
           .about = "γ of both (1/2); other values have order 1, larger ones dissipate"),
    PB_KEY(simulate_section, flight, .type = PB_NUMBER, .range = "[0.001, 1]", .note = "0.0625",
           .about = "For `collision`: shortest time between two impacts of one contact, relative "
                    "to the step"),
    PB_KEY(simulate_section, monitors, .type = PB_WORD, .note = "kept with contacts, else none",
           .words = "none kept invariants form",
           .about = "Writes conserved quantities to `monitors.csv`; `kept`: only momenta that "
                    "nothing changes; `form`: also the symplectic form"),
    {0}};

// two of time, steps and step; missing ones come from the horizon
static dm_status read_grid(const pb_reader *r, const pb_node *node, const simulate_section *s,
                           const pb_context *c, pb_simulation *x) {
  bool time = !isnan(s->time), steps = s->steps > 0, step = !isnan(s->step);

  // two of three: the third would be redundant
  if (time && steps && step)
    return pb_refuse_node(r, node, "simulate: found time, steps and step, expected two of them");
  if (!c->has_task && time + steps + step < 2)
    return pb_refuse_node(r, node,
                          "simulate: found %d of time, steps, step, expected two of them "
                          "(or a horizon)",
                          time + steps + step);

  // h = T / steps, from the section or the horizon
  double h = c->has_task ? oc_task_step(c->task) : 0;
  double T = c->task->time.T;
  if (step) h = s->step;
  if (time) T = s->time;
  if (time && steps) h = T / s->steps;
  const char *said = time ? "time" : "steps";
  const pb_node *by = pb_node_get(node, step ? "step" : said);
  DM_TRY(pb_step_check(r, "simulate", by ? by : node, h));

  // a whole number of steps, except for rounding of T / h
  double count = steps ? s->steps : T / h;
  if (!(count < INT_MAX))
    return pb_refuse_node(r, node, "simulate: found %g steps, expected at most %d", count, INT_MAX);
  if (fabs(count - round(count)) > 1e-6 || count < 0.5)
    return pb_refuse_node(
        r, node,
        "simulate: found a time of %g s in steps of %g s, expected a whole number "
        "of steps",
        T, h);
  x->steps = (int)round(count);
  x->h = h;
  return DM_OK;
}

// whether it starts at rest: as in simulate, else as in start unless simulate gives a velocity
static bool starts_at_rest(const pb_node *own, const char *said, const pb_end *start) {
  if (said) return !strcmp(said, "true");
  return pb_start_is_at_rest(start) && !pb_node_get(own, "v") && !pb_node_get(own, "next");
}

// values of simulate, else of start, else zero, unless they are to be found
static dm_status read_start(pb_reader *r, const pb_node *node, const simulate_start *own,
                            const pb_end *start, const pb_context *c, pb_simulation *x) {
  bool energy = !strcmp(own->assemble, "energy");
  const pb_node *at = pb_node_get(node, "start");
  x->at_rest = starts_at_rest(at, own->held, start);
  PB_NEW(r->arena, x->q, r->n);
  PB_NEW(r->arena, x->v, r->n);

  // a clock starts at 0 and runs
  const double *own_q = own->q, *own_v = own->v;
  DM_TRY(pb_clock_refuse(r, x->at_rest ? pb_node_get(at, "held") : NULL, "simulate.start.held"));
  DM_TRY(pb_clock_refuse(r, pb_node_get(at, "next"), "simulate.start.next"));
  DM_TRY(pb_clock_start(r, "simulate.start", at, &own_q, &own_v));

  // per coordinate; NAN remains if `near` or the energy determines the value
  for (int i = 0; i < r->n; i++) {
    double q = isnan(own_q[i]) ? start->q[i] : own_q[i];
    double v = isnan(own_v[i]) && !pb_start_is_at_rest(start) ? start->v[i] : own_v[i];
    bool sought = (energy && !c->robot->mechanism.model->kinematic[i]) || !isnan(own->near[i]);
    x->q[i] = isnan(q) && !sought ? 0 : q;
    x->v[i] = isnan(v) ? 0 : v;
  }

  // project onto the constraints, unless two given configurations satisfy them between knots
  const char *assemble = x->points.two && !x->points.sought ? "none" : own->assemble;
  pb_end end = {.q = x->q, .v = x->v, .near = own->near, .assemble = assemble};
  DM_TRY(pb_end_assemble(r, at ? at : node, "simulate.start", &c->task->system, NULL, &end));
  memcpy(x->q, end.q, (size_t)r->n * sizeof *end.q);
  memcpy(x->v, end.v, (size_t)r->n * sizeof *end.v);
  return DM_OK;
}

// `start:`, as in the task if there is one
static dm_status read_shared_start(pb_reader *r, const pb_node *node, const pb_context *c,
                                   pb_end *out) {
  DM_TRY(pb_start_read(r, node, out));
  if (!c->has_task) return pb_end_assemble(r, node, "start", &c->task->system, NULL, out);
  out->q = c->task->start.q;
  out->v = c->task->start.v;
  return DM_OK;
}

// check a start: no velocity at rest; springs, loads and contacts are defined; constraints hold and
// are independent
static dm_status check_start(const pb_reader *r, const pb_node *node, const pb_context *c,
                             const pb_simulation *x) {
  const pb_node *start = pb_node_get(node, "start");
  const pb_node *held = pb_node_get(start, "held"); // NULL: inherited from `start:`

  // p = D2(q,q), independent of v
  if (x->at_rest && pb_node_get(start, "v"))
    return pb_refuse_node(r, pb_node_get(start, "v"),
                          "simulate.start.v: found one beside 'held: true', expected none");
  if (!start) start = node;

  // springs and loads use the tree's coordinates
  const double *q = pb_robot_enter(r, c->robot, x->q);
  if (!q) return DM_NO_MEMORY;
  DM_TRY(pb_parts_check(r, start, "simulate.start", &c->robot->mechanism, q));
  if (x->at_rest && c->robot->mechanism.contacts)
    return pb_refuse_node(r, held ? held : start,
                          "simulate.start.held: found true beside model.contacts, expected false");
  DM_TRY(pb_contacts_check(r, start, "simulate.start", c->robot->mechanism.contacts,
                           dm_system_length(&c->task->system, x->q), x->q));

  // h(q) = 0 to 1e-6, with Dh(q) of full rank
  if (!c->task->system.hol.nc) return DM_OK;
  dm_message why = {""};
  if (!x->points.two || x->points.sought)
    DM_TRY(pb_constraints_check(r, start, "simulate.start", &c->task->system, x->q));
  dm_status s = dm_assembly_check(&c->task->system, x->q, &why);
  return s == DM_SINGULAR ? pb_refuse_node(r, start, "simulate.start: %s", why.text) : s;
}

// by default forces are 0 and kinematic coordinates stay at their start; one number applies to all
// forces
static dm_status read_input_over_time(pb_reader *r, const pb_node *node, const pb_context *context,
                                      pb_simulation *x) {
  int N = x->steps;
  int nu = r->nf, m = r->nu; // number of forces, and of all inputs
  const pb_node *file = node ? pb_node_get(node, "csv") : NULL;
  const char *const *name = r->input;
  const dm_model *model = context->robot->mechanism.model;
  double *u;
  if (!node && m == nu) return DM_OK;

  // one row of inputs: forces 0, kinematic coordinates at the start
  PB_NEW(r->arena, u, m);
  for (int i = 0, j = nu; i < r->n; i++)
    if (model->kinematic[i]) u[j++] = x->q[i];

  // a file with zero-order hold; forces are required, the others optional
  if (file && node->n == 1) {
    pb_csv c;
    const double *t = pb_grid(r, N, N * x->h);
    if (!t) return DM_NO_MEMORY;
    for (int i = 0; i < nu; i++) u[i] = NAN;
    DM_TRY(pb_csv_read(r, file, &c));
    DM_TRY(pb_csv_sample(r, &c, "u", name, m, u, t, N, &x->u));
    return x->u ? DM_OK : pb_refuse(r, c.file, 1, 0, "found no column u.NAME, expected one");
  }

  // otherwise one row for all steps
  PB_NEW(r->arena, x->u, (size_t)N * (size_t)m);
  if (node)
    DM_TRY(pb_schema_each(r, "simulate.input", node, NULL, "input", name,
                          node->kind == PB_SCALAR ? nu : m, u));
  for (size_t k = 0; k < (size_t)N; k++) memcpy(x->u + k * m, u, (size_t)m * sizeof *u);
  return DM_OK;
}

// the second knot of a flow of order k: complete, or absent
static dm_status read_second_knot(const pb_reader *r, const pb_node *start,
                                  const simulate_start *own, int k, pb_simulation *x) {
  static const char *const keys[] = {"next", "next_v", "next_a"};
  const double *const said[] = {own->next, own->next_v, own->next_a};
  const pb_node *any = NULL;
  for (int d = 0; d < k && !any; d++) any = pb_node_get(start, keys[d]);
  if (!any) return DM_OK;

  // it replaces Taylor's expansion at the start, so the derivative used only there must be absent
  const char *const idle = k > 2 ? "jerk" : "a";
  for (int i = 0; i < 2; i++) {
    const char *key = i ? idle : "jerk";
    if (pb_node_get(start, key))
      return pb_refuse_node(r, pb_node_get(start, key),
                            "simulate.start.%s: found one beside next, expected none: the second "
                            "knot is given",
                            key);
  }
  PB_NEW(r->arena, x->second, k * r->n);
  for (int d = 0; d < k; d++) {
    const pb_node *at = pb_node_get(start, keys[d]);
    if (!at)
      return pb_refuse_node(r, start,
                            "simulate.start: found no %s beside %s, expected the whole of "
                            "the second knot",
                            keys[d], any->key);
    for (int i = 0; i < r->n; i++) {
      if (isnan(said[d][i]))
        return pb_refuse_node(r, at,
                              "simulate.start.%s: found nothing of '%.64s', expected a value",
                              keys[d], r->coord[i]);
      x->second[d * r->n + i] = said[d][i];
    }
  }
  return DM_OK;
}

// the start of a second-order flow, whose inputs are results; k: its order, 0: not a flow
static dm_status read_flow_start(const pb_reader *r, const pb_node *node,
                                 const simulate_section *own, const pb_end *shared, int k,
                                 pb_simulation *x) {
  const pb_node *input = pb_node_get(node, "input");
  const pb_node *start = pb_node_get(node, "start");
  const pb_node *held = pb_node_get(start, "held");
  if (!k) return DM_OK;

  // inputs follow from inverse dynamics of (q,v,a); the start must be a complete state
  if (input)
    return pb_refuse_key(r, input,
                         "simulate.input: found one beside 'transcription: second-order', expected "
                         "none: the inputs follow from the motion");
  if (x->at_rest)
    return pb_refuse_node(r, held ? held : node,
                          "simulate.start.held: found true beside 'transcription: second-order', "
                          "expected q, v, a and jerk");
  DM_TRY(read_second_knot(r, start, &own->start, k, x));

  // acceleration and jerk complete the state of a flow
  DM_TRY(pb_copy_numbers(r->arena, r->n, own->start.a, &x->a));
  for (int i = 0; i < r->n && shared->a && !pb_node_get(start, "a"); i++)
    if (!isnan(shared->a[i])) x->a[i] = shared->a[i];
  return pb_copy_numbers(r->arena, r->n, own->start.jerk, &x->jerk);
}

// refuse systems and keys that a comparator does not support
static dm_status check_comparator(const pb_reader *r, const pb_node *node,
                                  const simulate_section *s, const pb_context *c,
                                  const pb_simulation *x) {
  const dm_system *system = &c->task->system;
  const pb_node *order = pb_node_get(node, "order");
  dm_message why = {""};
  dm_status status = DM_OK;
  if (!x->comparator) return DM_OK;
  if (x->comparator == PB_ENERGY_MOMENTUM) status = dm_energy_momentum_check(system, &why);
  if (x->comparator == PB_ITOH_ABE) status = dm_itoh_abe_check(system, &why);
  if (x->comparator == PB_ITOH_ABE && c->robot->mechanism.embed)
    status = dm_fail(&why, DM_BAD_INPUT, "itoh-abe: found ball joints, expected none");
  if (x->comparator == PB_VARIABLE && system->nk)
    status = dm_fail(&why, DM_BAD_INPUT, "variable: found kinematic coordinates, expected none");
  if (status != DM_OK)
    return pb_refuse_node(r, pb_node_get(node, "method"), "simulate.method: %s", why.text);
  if (x->comparator == PB_ENERGY_MOMENTUM) return DM_OK;
  if (x->form)
    return pb_refuse_key(r, pb_node_get(node, "monitors"),
                         "simulate.monitors: found form beside the method %s, expected none, kept "
                         "or invariants",
                         s->method);
  if (order && s->order != 2)
    return pb_refuse_key(r, order, "simulate.order: found %s beside the method %s, expected none",
                         order->text, s->method);
  return DM_OK;
}

// settings of steps without contacts; the library checks whether they are possible
static dm_status read_steps(const pb_reader *r, const pb_node *node, const simulate_section *s,
                            const pb_context *c, pb_simulation *x) {
  const pb_node *order = pb_node_get(node, "order");
  const pb_node *method = pb_node_get(node, "method");
  const char *beside = NULL;
  if (x->points.two) beside = "points: two";
  if (c->robot->mechanism.contacts) beside = "model.contacts";
  if (x->knot) beside = "method: knot";
  if (c->second) beside = "transcription: second-order";
  dm_message why = {""};
  dm_composition *w = NULL;

  // a composition of this order, of steps with the chosen method
  x->order = s->order;
  x->del = dm_del_default();
  x->comparator = find_comparator(s->method);
  x->del.energy_momentum = x->comparator == PB_ENERGY_MOMENTUM;
  x->error = isnan(s->error) ? 1e-4 : s->error;
  if (!isnan(s->error) && x->comparator != PB_VARIABLE)
    return pb_refuse_key(r, pb_node_get(node, "error"),
                         "simulate.error: found one, expected none without 'method: variable'");

  // monitors: momenta and energy; with contacts those that are conserved; also the symplectic form
  const bool touches = c->robot->mechanism.contacts != NULL;
  const char *monitors = touches && !s->monitors ? "kept" : s->monitors;
  x->form = monitors && !strcmp(monitors, "form");
  x->kept = monitors && !strcmp(monitors, "kept");
  x->watch = x->form || x->kept || (monitors && !strcmp(monitors, "invariants"));

  // these have their own second-order steps and do not support this monitor
  if (beside && x->watch && (c->second || x->form))
    return pb_refuse_key(r, pb_node_get(node, "monitors"),
                         "simulate.monitors: found %s beside %s, expected none", s->monitors,
                         beside);
  if (beside && x->comparator)
    return pb_refuse_key(r, method, "simulate.method: found %s beside %s, expected none", s->method,
                         beside);
  if (beside && order && s->order != 2)
    return pb_refuse_key(r, order, "simulate.order: found %s beside %s, expected none", order->text,
                         beside);

  // comparators require certain rules and systems
  DM_TRY(check_comparator(r, node, s, c, x));

  // the library checks the order
  dm_status status = dm_composition_new(&w, &c->task->system, s->order, &x->del, &why);
  dm_composition_free(w);
  return status == DM_BAD_INPUT ? pb_refuse_node(r, order, "simulate.order: %s", why.text) : status;
}

// keys that apply only to some methods
static dm_status read_method_keys(const pb_reader *r, const pb_node *node,
                                  const simulate_section *s, pb_simulation *x) {
  static const char *const keys[] = {"predictor", "beta", "gamma", "flight", "impact", "conserve"};
  enum { KEYS = sizeof keys / sizeof *keys };
  dm_contact_integrator_settings *set = &x->contact;
  for (int i = 0; i < KEYS; i++) {
    const char *takes = set->method->takes;
    if (!pb_node_get(node, keys[i]) || (takes && strstr(takes, keys[i]))) continue;
    return pb_refuse_key(r, pb_node_get(node, keys[i]),
                         "simulate.%s: found one, expected none by the method %s", keys[i],
                         set->method->name);
  }
  if (!strcmp(s->predictor, "step")) set->predictor = dm_predict_step;
  set->beta = s->beta;
  set->gamma = s->gamma;
  if (!isnan(s->flight)) set->flight = s->flight;
  return DM_OK;
}

// a method with its own rule does not allow another
static dm_status check_rule(const pb_reader *r, const pb_node *rule, const pb_context *c,
                            const pb_simulation *x) {
  static const char *const keys[] = {"lagrangian", "alpha"};
  const dm_contact_method *m = x->contact.method;
  if (!c->robot->mechanism.contacts || !rule || !(m->rule || m->potential_alone)) return DM_OK;
  for (int i = 0; i < 2; i++)
    if (pb_node_get(rule, keys[i]))
      return pb_refuse_key(r, pb_node_get(rule, keys[i]),
                           "rule.%s: found one, expected none by the method %s, which has its own",
                           keys[i], m->name);
  return DM_OK;
}

// treatment of contacts; the library checks whether it is possible
static dm_status read_method(const pb_reader *r, const pb_node *node, const simulate_section *s,
                             const pb_context *c, pb_simulation *x) {
  static const char *const keys[] = {"method", "impact", "conserve", "predictor",
                                     "beta",   "gamma",  "flight"};
  enum { KEYS = sizeof keys / sizeof *keys };
  dm_contact_integrator_settings *set = &x->contact;
  *set = dm_contact_integrator_default();

  // the map of plans has no further settings
  x->knot = !strcmp(s->method, "knot");
  if (x->knot && !c->task->system.contacts)
    return pb_refuse_node(r, pb_node_get(node, "method"),
                          "simulate.method: found knot, expected it beside model.contacts or dry "
                          "friction (model.friction)");
  for (int i = 1; i < KEYS && x->knot; i++)
    if (pb_node_get(node, keys[i]))
      return pb_refuse_key(r, pb_node_get(node, keys[i]),
                           "simulate.%s: found one, expected none by the method knot", keys[i]);
  if (x->knot) return DM_OK;

  // without contacts only comparators can be set
  if (!c->robot->mechanism.contacts) {
    for (int i = find_comparator(s->method) != PB_NO_COMPARATOR; i < KEYS; i++)
      if (pb_node_get(node, keys[i]))
        return pb_refuse_node(r, pb_node_get(node, keys[i]),
                              "simulate.%s: found one, expected none without model.contacts",
                              keys[i]);
    return DM_OK;
  }

  // method, impact law, and the energy that an impact conserves
  for (const dm_contact_method *const *m = dm_contact_methods; *m; m++)
    if (!strcmp((*m)->name, s->method)) set->method = *m;
  set->impact = strcmp(s->impact, "moreau") ? DM_GENERALIZED : DM_MOREAU;
  if (!strcmp(s->conserve, "discrete")) set->energy = DM_ENERGY_DISCRETE;
  if (!strcmp(s->conserve, "verlet")) set->energy = DM_ENERGY_VERLET;
  DM_TRY(read_method_keys(r, node, s, x));

  // check by constructing the integrator
  dm_contact_integrator *w = NULL;
  dm_message why = {""};
  dm_unilateral g = dm_contacts_unilateral(c->robot->mechanism.contacts);
  dm_status status = dm_contact_integrator_new(&w, &c->task->system, &g, set, &why);
  dm_contact_integrator_free(w);
  if (status == DM_BAD_INPUT) return pb_refuse_node(r, node, "simulate: %s", why.text);
  if (status != DM_OK || set->method != &dm_contact_smooth) return status;

  // methods that are smooth throughout start at or above the boundary
  const pb_node *start = pb_node_get(node, "start");
  status = dm_unilateral_check_closed(&g, dm_system_length(&c->task->system, x->q), x->q, &why);
  return status == DM_INFEASIBLE
             ? pb_refuse_node(r, start ? start : node, "simulate.start: %s", why.text)
             : status;
}

dm_status pb_simulate_read(pb_reader *r, const pb_sections *s, const pb_context *c,
                           pb_simulation *out) {
  simulate_section own = {
      .time = NAN, .step = NAN, .beta = NAN, .gamma = NAN, .flight = NAN, .error = NAN};
  pb_end start = {0};
  if (!s->simulate) return DM_OK;
  DM_TRY(pb_schema_read(r, "simulate", s->simulate, pb_simulate_keys, &own));

  // values of `start:` are defaults; the grid is needed before values that depend on h
  DM_TRY(read_shared_start(r, s->start, c, &start));
  DM_TRY(read_grid(r, s->simulate, &own, c, out));
  DM_TRY(pb_two_point_read(r, s->simulate, &own.constraints, c, &out->points));
  DM_TRY(read_start(r, s->simulate, &own.start, &start, c, out));
  if (!c->second) DM_TRY(pb_two_point_next(r, s->simulate, own.start.next, c, out));
  DM_TRY(check_start(r, s->simulate, c, out));

  // output interval and method
  out->every = own.every;
  DM_TRY(read_flow_start(r, s->simulate, &own, &start, c->second, out));
  DM_TRY(read_method(r, s->simulate, &own, c, out));
  DM_TRY(check_rule(r, s->rule, c, out));
  DM_TRY(read_steps(r, s->simulate, &own, c, out));
  DM_TRY(read_input_over_time(r, own.input, c, out));
  return pb_two_point_find(r, s->simulate, c, out);
}

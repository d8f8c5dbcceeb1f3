#include "problems/readers/task/foresight.h"

#include "control/feedback/resample.h"
#include "lib/base/names.h"
#include "lib/discrete/equilibrium.h"
#include "lib/mechanics/continuous.h"
#include "problems/readers/task/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST = 200 }; // characters of a list in a message

// a list with an input for each passive joint, "{joint: a}, {joint: b}", shortened to the room
static const char *write_inputs(const pb_robot *robot, char text[LIST]) {
  int length = 0;
  for (int i = 0; i < robot->npassive; i++) {
    const int room = LIST - length;
    const int n =
        snprintf(text + length, (size_t)room, "%s{joint: %s}", i ? ", " : "", robot->passive[i]);
    if (n >= room - 4) {
      snprintf(text + length, (size_t)room, "%s", length ? ", .." : "..");
      break;
    }
    length += n;
  }
  return text;
}

dm_status pb_refuse_no_motor(const pb_reader *r, const pb_node *node, const pb_robot *robot) {
  char list[LIST];
  return pb_refuse_node(
      r, node,
      "found no motor: no joint has an effort limit above 0, and 'inputs' does not "
      "name one; write 'inputs: [%s]', or 'inputs: all' (--inputs all) for every "
      "joint, or 'inputs: []' if there is none",
      write_inputs(robot, list));
}

// whether all, or some, of n numbers are given
static bool all_given(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (isnan(x[i])) return false;
  return true;
}

static bool any_given(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isnan(x[i])) return true;
  return false;
}

dm_status pb_foresee_motors(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task) {
  char names[LIST];
  if (!robot->npassive) return DM_OK;
  if (r->nu && !r->nf) return DM_OK; // all inputs are prescribed coordinates
  if (r->nu)
    return pb_warn(r, r->file, s->model->line,
                   "%s: no effort limit above 0, so no motor acts there; 'inputs' names motors",
                   dm_names_join(robot->passive, robot->npassive, names, sizeof names));

  // a phase may need no inputs although it shares a cost on inputs
  const bool weighed = !r->phase && (pb_node_get(s->cost, "input") || pb_node_get(s->cost, "rate"));
  const bool begins = all_given(task->start.q, r->n) && all_given(task->start.v, r->n);
  const bool ends = any_given(task->goal.q, r->n) || any_given(task->goal.v, r->n) ||
                    oc_has_weight(r->n, task->cost[OC_Q].goal) ||
                    oc_has_weight(r->n, task->cost[OC_V].goal);
  if (!weighed && (!begins || !ends || s->design)) return DM_OK;
  return pb_refuse_no_motor(r, s->model, robot);
}

// -- times

dm_status pb_foresee_speeds(const pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task) {
  const dm_model *m = robot->mechanism.model;
  const double T = task->time.free ? task->time.max : task->time.T;
  if (strcmp(s->transcription, "first-order") != 0) return DM_OK;
  for (int i = 0; i < r->n; i++) {
    // a search may move the goal of a joint without limits by a revolution
    if (dm_model_is_endless(m, i) || m->kind[i] == DM_QUATERNION || !oc_task_is_too_far(task, i))
      continue;
    const double far = fabs(task->goal.q[i] - task->start.q[i]),
                 least = far / oc_high(task, OC_V, i);
    const char *unit = m->kind[i] == DM_SLIDE ? "m" : "rad";
    return pb_refuse_node(
        r, pb_node_get(s->horizon, "time"),
        "horizon.time: found %s%g s, but '%.64s' moves by %g %s at a speed of at most "
        "%g %s/s, which takes %.4g s: allow more time, or a higher speed (bounds.v)",
        task->time.free ? "at most " : "", T, r->coord[i], far, unit, oc_high(task, OC_V, i), unit,
        least);
  }
  return DM_OK;
}

// -- rest

// warn of the first input whose limits exclude the force for equilibrium at an end q with v = 0
static dm_status warn_of_rest(pb_reader *r, const pb_node *node, const oc_task *task,
                              const double *q, const double *v) {
  double *place, *u;
  bool *fixed;
  if (!node || !all_given(q, r->n) || !all_given(v, r->n)) return DM_OK;
  for (int i = 0; i < r->n; i++)
    if (v[i] != 0) return DM_OK;
  PB_NEW(r->arena, place, r->n);
  PB_NEW(r->arena, fixed, r->n);
  PB_NEW(r->arena, u, r->nf);
  for (int i = 0; i < r->n; i++) {
    place[i] = q[i];
    fixed[i] = true;
  }

  // no equilibrium: joints without inputs accelerate whatever the limits are
  const dm_status s = dm_equilibrium_find(&task->system, fixed, NULL, oc_task_step(task), place, u,
                                          NULL, r->coord, NULL);
  if (s != DM_OK) return s == DM_NO_MEMORY ? s : DM_OK;
  for (int j = 0; j < r->nf; j++) {
    const double slack = 1e-9 * fabs(u[j]);
    if (u[j] >= oc_low(task, OC_U, j) - slack && u[j] <= oc_high(task, OC_U, j) + slack) continue;
    return pb_warn(
        r, r->file, node->line,
        "%s: rest there needs %.4g of '%.64s', and its limits are [%g, %g]: the robot cannot "
        "stay there; allow more effort, or choose another posture",
        node->key, u[j], r->input[j], oc_low(task, OC_U, j), oc_high(task, OC_U, j));
  }
  return DM_OK;
}

dm_status pb_foresee_rest(pb_reader *r, const pb_sections *s, const oc_task *task) {
  const dm_system *system = &task->system;
  // fully actuated: the forces are unique
  if (r->nf != r->n || system->nk || system->hol.nc) return DM_OK;
  DM_TRY(warn_of_rest(r, s->start, task, task->start.q, task->start.v));
  return warn_of_rest(r, s->goal, task, task->goal.q, task->goal.v);
}

// -- inputs

enum { POINTS = 3 };             // states at which inputs are tested, without symmetry
static const double IDLE = 1e-9; // smaller shares of an effect are rounding errors

// a system at one state, and the effect of each input
typedef struct effects {
  double *q, *v, *u, *h;
  double *Dh;    // [nc x n], rows orthonormal after orthonormalize
  double *B;     // [n x nf] forces for an input of 1
  double *left;  // [n]
  double *waste; // [2 n n + n] of the forces' other derivatives
  void *scratch;
} effects;

static dm_status lay_out_effects(const pb_reader *r, const dm_system *s, effects *e) {
  const int n = s->L.nq, nc = s->hol.nc;
  const size_t scratch = dm_forces_scratch(&s->force, n);
  PB_NEW(r->arena, e->q, n);
  PB_NEW(r->arena, e->v, n);
  PB_NEW(r->arena, e->u, s->nu);
  PB_NEW(r->arena, e->h, nc + 1);
  PB_NEW(r->arena, e->Dh, nc * n + 1);
  PB_NEW(r->arena, e->B, n * s->nu);
  PB_NEW(r->arena, e->left, n);
  PB_NEW(r->arena, e->waste, 2 * n * n + n);
  e->scratch =
      pb_arena_alloc(r->arena, 1, (scratch > s->hol.scratch ? scratch : s->hol.scratch) + 1);
  return e->scratch ? DM_OK : DM_NO_MEMORY;
}

static double dot_numbers(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// subtract from x its projection onto m orthonormal rows of D; twice, because of rounding
static void project_out(const double *D, int m, double *x, int n) {
  for (int pass = 0; pass < 2; pass++)
    for (int c = 0; c < m; c++) {
      const double along = dot_numbers(D + c * n, x, n);
      for (int i = 0; i < n; i++) x[i] -= along * D[c * n + i];
    }
}

// replace the rows of D by an orthonormal basis of their span; returns its size
static int orthonormalize(double *D, int nc, int n) {
  int m = 0;
  for (int c = 0; c < nc; c++) {
    double *row = D + m * n;
    memmove(row, D + c * n, (size_t)n * sizeof *row);
    const double before = sqrt(dot_numbers(row, row, n));
    project_out(D, m, row, n);
    const double after = sqrt(dot_numbers(row, row, n));
    if (!(after > IDLE * before)) continue;
    for (int i = 0; i < n; i++) row[i] /= after;
    m++;
  }
  return m;
}

// state k of a task: its start or zero, plus a displacement without symmetry
static void place_effects(const oc_task *task, int k, effects *e) {
  const dm_system *s = &task->system;
  for (int i = 0; i < s->L.nq; i++) {
    const double from = isnan(task->start.q[i]) ? 0 : task->start.q[i];
    e->q[i] = from + 0.3 * k * sin(1 + 2.7 * i + k);
    e->v[i] = 0.5 * k * cos(2 + 1.9 * i + k);
  }
  for (int j = 0; j < s->nu; j++) e->u[j] = 0.4 + 0.1 * k;
}

// the generalized force of each unit input [n x nu] and the constraint gradients; zero on kinematic coordinates
static dm_status eval_effects(const dm_system *s, effects *e) {
  const int n = s->L.nq, own = s->nu - s->force.nu;
  double *B_force = e->B; // of general forces, first in the room of B
  memset(e->B, 0, (size_t)(n * s->nu) * sizeof *e->B);
  memset(e->waste, 0, (size_t)(2 * n * n + n) * sizeof *e->waste);
  if (s->force.count)
    DM_TRY(dm_forces_eval(&s->force, n, e->scratch, 2, e->q, e->v, e->u + own,
                          &(dm_force_jet){e->waste, e->waste + n, e->waste + n + n * n, B_force}));
  for (int i = n - 1; i >= 0; i--) {
    memmove(e->B + i * s->nu + own, B_force + i * s->force.nu, (size_t)s->force.nu * sizeof *e->B);
    for (int j = 0; j < own; j++)
      e->B[i * s->nu + j] = s->input_coord[j] != i ? 0 : s->input_gear ? s->input_gear[j] : 1;
  }
  if (s->hol.nc) DM_TRY(s->hol.eval(s->hol.self, e->scratch, e->q, e->h, e->Dh));
  for (int i = 0; s->kinematic && i < n; i++) {
    if (!s->kinematic[i]) continue;
    for (int j = 0; j < s->nu; j++) e->B[i * s->nu + j] = 0;
    for (int c = 0; c < s->hol.nc; c++) e->Dh[c * n + i] = 0;
  }
  return DM_OK;
}

// the node of an input: its entry in `inputs`, or else the section
static const pb_node *find_input(const pb_sections *s, const char *name) {
  static const char *const keys[] = {"joint", "name", "actuator"};
  for (const pb_node *e = s->inputs ? s->inputs->first : NULL; e; e = e->next)
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
      const pb_node *word = e->kind == PB_MAPPING ? pb_node_get(e, keys[k]) : NULL;
      if (word && word->text && !strcmp(word->text, name)) return word;
    }
  return s->inputs ? s->inputs : s->model;
}

dm_status pb_foresee_inputs(pb_reader *r, const pb_sections *s, const oc_task *task) {
  const dm_system *system = &task->system;
  bool *moves;
  effects e = {0};
  if (!system->nu || system->nu != r->nf) return DM_OK;
  PB_NEW(r->arena, moves, system->nu);
  DM_TRY(lay_out_effects(r, system, &e));
  for (int k = 0; k < POINTS; k++) {
    place_effects(task, k, &e);
    // a force that is not finite decides nothing
    if (eval_effects(system, &e) != DM_OK) return DM_OK;

    // mark the inputs that have an effect at this state
    const int n = system->L.nq, m = orthonormalize(e.Dh, system->hol.nc, n);
    for (int j = 0; j < system->nu; j++) {
      for (int i = 0; i < n; i++) e.left[i] = e.B[i * system->nu + j];
      const double all = sqrt(dot_numbers(e.left, e.left, n));
      project_out(e.Dh, m, e.left, n);
      if (sqrt(dot_numbers(e.left, e.left, n)) > IDLE * all) moves[j] = true;
    }
  }
  for (int j = 0; j < system->nu; j++)
    if (!moves[j])
      DM_TRY(pb_warn(r, r->file, find_input(s, r->input[j])->line,
                     "inputs: '%.64s' acts on nothing: its force is zero on every coordinate that "
                     "is free to move; leave it out, or see to its gear, its factors and the "
                     "constraints beside it",
                     r->input[j]));
  return DM_OK;
}

// -- dry friction

// Forces at the start at rest: of gravity, springs and inputs on each coordinate, and the dry friction there.
typedef struct held_forces {
  double *load, *drive, *friction; // [n] N or N m
} held_forces;

// the node of the dry friction of a joint: its entry in `model.friction`, or else the section
static const pb_node *find_friction(const pb_sections *s, const char *name) {
  const pb_node *list = pb_node_get(s->model, "friction");
  for (const pb_node *e = list ? list->first : NULL; e; e = e->next) {
    const pb_node *joint = e->kind == PB_MAPPING ? pb_node_get(e, "joint") : NULL;
    if (joint && joint->text && !strcmp(joint->text, name)) return joint;
  }
  return list ? list : s->model;
}

// Returns DM_OK, DM_NO_MEMORY, or the status of the system.
static dm_status find_held_forces(const pb_reader *r, const oc_task *task, held_forces *f) {
  const dm_system *s = &task->system;
  const dm_contact_laws *laws = s->contacts;
  dm_continuous *w;
  effects e = {0};
  PB_NEW(r->arena, f->load, r->n);
  PB_NEW(r->arena, f->drive, r->n);
  PB_NEW(r->arena, f->friction, r->n);
  DM_TRY(lay_out_effects(r, s, &e));
  memcpy(e.q, task->start.q, (size_t)r->n * sizeof *e.q);
  DM_TRY(eval_effects(s, &e));
  DM_TRY(dm_continuous_new(&w, s));
  const dm_status status = dm_inverse_dynamics(w, e.q, e.v, e.v, f->load);
  dm_continuous_free(w);
  DM_TRY(status);
  for (int i = 0; i < r->n; i++) {
    f->load[i] = fabs(f->load[i]);
    for (int j = 0; j < s->nu; j++) {
      const double most = fmax(fabs(oc_low(task, OC_U, j)), fabs(oc_high(task, OC_U, j)));
      const double B = fabs(e.B[i * s->nu + j]);
      if (B > 0) f->drive[i] += B * most;
    }
    for (int l = 0; l < laws->n; l++)
      if (laws->law[l].gap < 0 && laws->rows.mask[laws->law[l].tangent[0] * r->n + i])
        f->friction[i] += laws->law[l].force + laws->law[l].excess;
  }
  return DM_OK;
}

static bool is_wanted_elsewhere(const oc_task *task, int i) {
  const double *q = task->goal.q, *v = task->goal.v;
  return (q && !isnan(q[i]) && q[i] != task->start.q[i]) || (v && !isnan(v[i]) && v[i] != 0);
}

dm_status pb_foresee_friction(pb_reader *r, const pb_sections *s, const oc_task *task) {
  const dm_system *system = &task->system;
  held_forces f;
  bool given = system->contacts && system->rule.left == 0.5 && !system->nk && !task->periodic &&
               task->start.q && task->start.v;
  for (int i = 0; given && i < r->n; i++) given = !isnan(task->start.q[i]) && task->start.v[i] == 0;
  if (!given) return DM_OK;
  const dm_status status = find_held_forces(r, task, &f);
  if (status != DM_OK) return status == DM_NO_MEMORY ? status : DM_OK;

  // rest is the motion if friction holds every coordinate; a held one with a motor is moved only by others
  int stuck = -1, first = -1, held = 0;
  bool wanted = false;
  for (int i = 0; i < r->n; i++) {
    const bool holds = f.load[i] + f.drive[i] <= f.friction[i];
    held += holds;
    wanted |= is_wanted_elsewhere(task, i);
    if (first < 0 && holds && f.friction[i] > 0) first = i;
    if (stuck < 0 && holds && f.drive[i] > 0 && is_wanted_elsewhere(task, i)) stuck = i;
  }
  const int named = stuck < 0 ? first : stuck;
  if (held == r->n && wanted && named >= 0)
    return pb_refuse_node(r, find_friction(s, r->coord[named]),
                          "model.friction: found %g on '%.64s', where inputs exert at most %g, so "
                          "that nothing moves from the start; expected less friction, or more "
                          "effort (inputs, bounds.u)",
                          f.friction[named], r->coord[named], f.drive[named]);
  if (stuck < 0) return DM_OK;
  return pb_warn(r, r->file, find_friction(s, r->coord[stuck])->line,
                 "model.friction: inputs exert at most %g on '%.64s', less than its dry friction "
                 "of %g: only other joints and contacts can move it",
                 f.drive[stuck], r->coord[stuck], f.friction[stuck]);
}

// -- controllers

void pb_find_duration(const pb_context *c, double *shortest, double *longest) {
  double T[2] = {NAN, NAN};
  const oc_task *task = c->task;
  if (c->rest)
    T[0] = T[1] = c->rest->N * c->rest->h;
  else if (c->simulation)
    T[0] = T[1] = c->simulation->steps * c->simulation->h;
  else if (c->has_task)
    memcpy(T,
           task->time.free ? (double[]){task->time.min, task->time.max}
                           : (double[]){task->time.T, task->time.T},
           sizeof T);
  if (shortest) *shortest = T[0];
  if (longest) *longest = T[1];
}

// the first step length                                                                      [s]
static double find_step(const pb_context *c) {
  if (c->rest) return c->rest->h;
  return c->simulation ? c->simulation->h : oc_task_step(c->task);
}

// the armature with which the damping of coordinate i has a time constant of h           [kg or kg m2]
static double find_armature(const dm_system *s, int i, double h) {
  return s->damping[i] * h - s->inertia[i];
}

// Refuse a key of feedback that needs motions between knots, or of encoders, if the damping of a joint is
// over within a step: the map's velocity of that joint lags behind. If a free final time may be short
// enough, only warn.
static dm_status say_lag(pb_reader *r, const pb_node *node, const char *key, int i,
                         const pb_context *c) {
  const dm_system *s = &c->task->system;
  const double h = find_step(c), shortest = c->task->time.min / c->task->N;
  const bool guessed = c->task->time.free && !c->rest;
  char text[320];
  snprintf(text, sizeof text,
           "feedback.%s: found it beside '%.64s', whose damping decays in %.2g s, within "
           "a step of %.2g s%s, expected shorter steps (horizon.steps), or %.2g %s more "
           "of model.armature; or leave '%s' out",
           key, r->coord[i], 1 / dm_system_decay(s, i), h,
           guessed ? " (by the guessed final time)" : "", find_armature(s, i, h),
           c->robot->mechanism.model->kind[i] == DM_SLIDE ? "kg" : "kg m2", key);
  if (guessed && !(shortest * dm_system_decay(s, i) > 1))
    return pb_warn(r, r->file, node->line, "%s", text);
  return pb_refuse_node(r, node, "%s", text);
}

// the keys that know forces of steps but not commands of motors with a lag
static dm_status refuse_motor_lag(const pb_reader *r, const pb_node *node, const pb_context *c,
                                  const pb_feedback *f) {
  int i = 0;
  const double *lag = c->task->lag;
  while (lag && i < r->nf && !(lag[i] > 0)) i++;
  if (!lag || i == r->nf) return DM_OK;
  bool disturbed = false;
  for (int j = 0; f->has_estimator && f->sensors.disturbance && j < r->nf; j++)
    disturbed |= isfinite(f->sensors.disturbance[j]);
  const struct {
    bool there;
    const char *key, *what, *instead;
  } beside[] = {
      {f->has_estimator && f->by_map, "estimator", "predict: map", "predict: linear"},
      {f->has_estimator && disturbed, "estimator", "a disturbance", "none"},
      {f->measure == FB_POSITIONS, "measure", "measure: positions",
       "velocity, difference, or an estimator"},
      {f->friction != NULL, "friction", "friction: compensate", "none"},
      {f->near != NULL, "schedule", f->orbits ? "schedule: orbit" : "schedule: path", "time"},
      {f->second_variation, "Q", "Q: second-variation", "weights"}};
  for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
    const pb_node *at = pb_node_get(node, beside[k].key);
    if (!beside[k].there) continue;
    return pb_refuse_node(r, at ? at : node,
                          "feedback.%s: found %s beside the lag of '%.64s' (model.drives), whose "
                          "command is not its torque, expected %s",
                          beside[k].key, beside[k].what, r->input[i], beside[k].instead);
  }
  return DM_OK;
}

dm_status pb_foresee_controller(pb_reader *r, const pb_node *node, const pb_context *c,
                                const pb_feedback *f) {
  DM_TRY(refuse_motor_lag(r, node, c, f));
  const double *lag = c->task->system.lag;
  const pb_node *rate = pb_node_get(node, "rate");
  for (int i = 0; lag && i < r->n; i++) {
    if (!(lag[i] > 0)) continue;
    if (isfinite(f->rate)) return say_lag(r, rate, "rate", i, c);
    if (f->has_estimator) return say_lag(r, pb_node_get(node, "estimator"), "estimator", i, c);
  }

  // from one sample to those that are possible, up to rounding
  double shortest, longest;
  pb_find_duration(c, &shortest, &longest);
  if (!isfinite(f->rate) || isnan(longest)) return DM_OK;
  if (!(longest * f->rate * (1 + 1e-9) >= 1))
    return pb_refuse_node(
        r, rate,
        "feedback.rate: found %g Hz, whose first sample is after the motion's %g s, "
        "expected at least %g Hz",
        f->rate, longest, 1 / longest);
  shortest += f->rest_time;
  if (!(shortest * f->rate > FB_MOST_SAMPLES)) return DM_OK;
  return pb_refuse_node(r, rate,
                        "feedback.rate: found %g Hz, which makes %.3g samples in %g s, expected at "
                        "most %d samples: at most %g Hz",
                        f->rate, shortest * f->rate, shortest, FB_MOST_SAMPLES,
                        FB_MOST_SAMPLES / shortest);
}

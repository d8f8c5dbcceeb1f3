#include "problems/readers/task/foresight.h"

#include "lib/base/names.h"
#include "lib/discrete/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST = 200 }; // characters of a list in a message

// the list that gives each passive joint an input, "{joint: a}, {joint: b}", as many as fit
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

// whether n numbers are all given, or any of them is
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

// whether a weight above 0 is on one of n numbers; none: NULL
static bool has_weight(const double *w, int n) {
  for (int i = 0; w && i < n; i++)
    if (w[i] > 0) return true;
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

  // a phase may fly by itself, and shares its cost with others
  const bool weighed = !r->phase && (pb_node_get(s->cost, "input") || pb_node_get(s->cost, "rate"));
  const bool begins = all_given(task->q_start, r->n) && all_given(task->v_start, r->n);
  const bool ends = any_given(task->q_goal, r->n) || any_given(task->v_goal, r->n) ||
                    has_weight(task->wf_q, r->n) || has_weight(task->wf_v, r->n);
  if (!weighed && (!begins || !ends || s->design)) return DM_OK;
  return pb_refuse_no_motor(r, s->model, robot);
}

// -- times

dm_status pb_foresee_speeds(const pb_reader *r, const pb_sections *s, const pb_robot *robot,
                            const oc_task *task) {
  const dm_model *m = robot->model;
  const double T = task->free_time ? task->T_max : task->T;
  if (strcmp(s->transcription, "first-order") != 0) return DM_OK;
  for (int i = 0; i < r->n; i++) {
    // a search may take the goal of a joint without limits at another revolution
    const bool endless = m->kind[i] == DM_TURN && isinf(m->q_min[i]) && isinf(m->q_max[i]);
    if (endless || m->kind[i] == DM_QUATERNION || !oc_task_is_too_far(task, i)) continue;
    const double far = fabs(task->q_goal[i] - task->q_start[i]), least = far / task->v_max[i];
    const char *unit = m->kind[i] == DM_SLIDE ? "m" : "rad";
    return pb_refuse_node(
        r, pb_node_get(s->horizon, "time"),
        "horizon.time: found %s%g s, but '%.64s' moves by %g %s at a speed of at most "
        "%g %s/s, which takes %.4g s: allow more time, or a higher speed (bounds.v)",
        task->free_time ? "at most " : "", T, r->coord[i], far, unit, task->v_max[i], unit, least);
  }
  return DM_OK;
}

// -- rest

// warn of the first force beyond its limits that keeps a place q where an end stands still
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

  // where no forces keep it, the joints that they do not reach move anyway
  const dm_status s = dm_equilibrium_find(&task->system, fixed, NULL, oc_task_step(task), place, u,
                                          NULL, r->coord, NULL);
  if (s != DM_OK) return s == DM_NO_MEMORY ? s : DM_OK;
  for (int j = 0; j < r->nf; j++) {
    const double slack = 1e-9 * fabs(u[j]);
    if (u[j] >= task->u_min[j] - slack && u[j] <= task->u_max[j] + slack) continue;
    return pb_warn(
        r, r->file, node->line,
        "%s: rest there needs %.4g of '%.64s', and its limits are [%g, %g]: the robot cannot "
        "stay there; allow more effort, or choose another posture",
        node->key, u[j], r->input[j], task->u_min[j], task->u_max[j]);
  }
  return DM_OK;
}

dm_status pb_foresee_rest(pb_reader *r, const pb_sections *s, const oc_task *task) {
  const dm_system *system = &task->system;
  // one force for each coordinate: there is no choice among them
  if (r->nf != r->n || system->nk || system->hol.nc) return DM_OK;
  DM_TRY(warn_of_rest(r, s->start, task, task->q_start, task->v_start));
  return warn_of_rest(r, s->goal, task, task->q_goal, task->v_goal);
}

// -- controllers

// the longest time that the motion may take, and its step as it is first looked at            [s]
static double find_longest(const pb_context *c) {
  if (c->rest) return c->rest->N * c->rest->h;
  return c->task->free_time ? c->task->T_max : c->task->T;
}

static double find_step(const pb_context *c) {
  return c->rest ? c->rest->h : oc_task_step(c->task);
}

// the inertia that makes the damping of coordinate i last for a step of h                [kg or kg m2]
static double find_armature(const dm_system *s, int i, double h) {
  return s->damping[i] * h - s->inertia[i];
}

// a key of feedback that wants motions between knots or of encoders, beside a joint whose damping is
// over within a step: what a step shows of it lags behind
static dm_status refuse_lag(const pb_reader *r, const pb_node *node, const char *key, int i,
                            const pb_context *c) {
  const dm_system *s = &c->task->system;
  const double h = find_step(c);
  return pb_refuse_node(
      r, node,
      "feedback.%s: found it beside '%.64s', whose damping is over in %.2g s, within "
      "a step of %.2g s%s, expected shorter steps (horizon.steps), or %.2g %s more "
      "of model.armature; or leave '%s' out",
      key, r->coord[i], 1 / dm_system_decay(s, i), h,
      c->task->free_time && !c->rest ? " (by the guessed final time)" : "", find_armature(s, i, h),
      c->robot->model->kind[i] == DM_SLIDE ? "kg" : "kg m2", key);
}

dm_status pb_foresee_controller(const pb_reader *r, const pb_node *node, const pb_context *c,
                                const pb_feedback *f) {
  const double *lag = c->task->system.lag;
  const pb_node *rate = pb_node_get(node, "rate");
  for (int i = 0; lag && i < r->n; i++) {
    if (!(lag[i] > 0)) continue;
    if (isfinite(f->rate)) return refuse_lag(r, rate, "rate", i, c);
    if (f->has_estimator) return refuse_lag(r, pb_node_get(node, "estimator"), "estimator", i, c);
  }

  // one sample at least, but for rounding
  const double T = find_longest(c);
  if (!isfinite(f->rate) || T * f->rate * (1 + 1e-9) >= 1) return DM_OK;
  return pb_refuse_node(
      r, rate,
      "feedback.rate: found %g Hz, whose first sample is after the motion's %g s, "
      "expected at least %g Hz",
      f->rate, T, 1 / T);
}

#include "problems/run/run.h"

#include "control/feedback/repeat.h"
#include "control/feedback/rest.h"
#include "lib/base/dense.h"
#include "lib/contact/knot_step.h"
#include "lib/discrete/motion_linearize.h"
#include "optim/descent/neighboring_extremal.h"
#include "optim/program/join_map.h"
#include "optim/program/program_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pb_run_free(pb_run *run) {
  free(run->next.cost);
  dm_trajectory_free(run->x);
  pb_controller_free(&run->control);
  pb_problem_free(run->p);
  *run = (pb_run){0};
}

dm_status pb_run_certify(const pb_run *run, dm_certificate *c) {
  const oc_task *task = &run->p->task;
  dm_scale *scale;
  dm_status s = oc_task_scale(&scale, task, run->x->N * run->x->h);
  if (s == DM_OK) s = dm_certify(run->x, &task->system, scale, c);

  // through contact: steps that find the impulses themselves
  if (s == DM_OK && task->system.contacts && run->x->nr)
    s = dm_knot_certify(run->x, &task->system, scale, &c->gap, &c->gap_knot);
  dm_scale_free(scale);
  return s;
}

dm_status pb_run_find_second(const pb_run *run, int *knot, int *law) {
  const oc_task *task = &run->p->task;
  dm_scale *scale;
  *knot = -1;
  if (!task->system.contacts || !run->x->nr) return DM_OK;
  dm_status s = oc_task_scale(&scale, task, run->x->N * run->x->h);
  if (s == DM_OK) s = dm_knot_find_second(run->x, &task->system, scale, knot, law);
  dm_scale_free(scale);
  return s;
}

dm_status pb_run_gap(const pb_run *run, double *gap, int *knot) {
  dm_del *del = NULL;
  dm_status s = dm_del_new(&del, &run->p->task.system, NULL);
  if (s == DM_OK) s = dm_trajectory_certify(run->x, del, NULL, gap, knot);
  dm_del_free(del);
  return s;
}

// -- weights

// the weights of output rows; NULL: none
static const fb_knot_weight *take_output_weight(const fb_output_weight *w, fb_knot_weight *at) {
  if (!w) return NULL;
  *at = fb_output_weight_at_knots(w);
  return at;
}

// the weights of the file
static fb_weights find_own_weights(const pb_problem *p, int rest, pb_weights *at) {
  const pb_feedback *set = &p->feedback;
  return (fb_weights){.Q = set->Q,
                      .R = set->R,
                      .Qf = set->Qf,
                      .Q_at = take_output_weight(set->Q_outputs, &at->Q),
                      .Qf_at = take_output_weight(set->Qf_outputs, &at->Qf),
                      .integral = set->integral,
                      .lag = p->task.lag,
                      .friction = set->friction,
                      .name = p->names.coord,
                      .rest = rest,
                      .periodic = p->task.periodic,
                      .orbit = set->orbits ? set->near : NULL,
                      .idle = true, // the reader has checked for inputs without effect
                      // a delay in samples is not a delay in knots
                      .delay = isfinite(set->rate) ? 0 : set->delay};
}

// add the cost-to-go of the next phase at the end of this one
static dm_status add_carried(const void *self, void *scratch, const fb_knot *at, double *Q, int ld,
                             dm_message *msg) {
  const pb_weights *w = self;
  const int nx = 2 * at->n;
  for (int i = 0; i < nx; i++) dm_add_to(nx, 1, w->carried + i * nx, Q + i * ld);
  return w->adds ? w->adds->add(w->adds->self, scratch, at, Q, ld, msg) : DM_OK;
}

fb_weights pb_run_weights(const pb_run *run, int rest, pb_weights *at) {
  const size_t nx = 2 * (size_t)run->x->n;
  const bool adds = run->next.carry == PB_CARRY_ADDED;
  fb_weights weights = find_own_weights(run->p, rest, at);
  if (!run->next.cost || run->p->feedback.second_variation) return weights;

  // in addition to the phase's own end, or instead of it
  at->carried = run->next.cost;
  at->own = at->Qf;
  at->adds = adds && weights.Qf_at ? &at->own : NULL;
  at->Qf = (fb_knot_weight){.self = at, .add = add_carried};
  if (at->adds) {
    at->Qf.scratch = at->own.scratch;
    at->Qf.rated = at->own.rated;
  }
  if (!adds) weights.Qf = run->next.cost + nx * nx;
  weights.Qf_at = &at->Qf;
  return weights;
}

// -- gains

// (q,p) of knot k of a motion
static void read_knot_state(const dm_trajectory *x, int k, double *state) {
  const size_t n = (size_t)x->n;
  memcpy(state, x->q + (size_t)k * n, n * sizeof *state);
  memcpy(state + n, x->p + (size_t)k * n, n * sizeof *state);
}

// The derivative of the start of the next phase by the end of this one, at the plan: T of the join, after the impulses
// of contacts at the end.
static dm_status find_join_slope(const pb_run *run, double *T) {
  const dm_trajectory *a = run->x, *b = run->next.run->x;
  const size_t na = 2 * (size_t)a->n, nb = 2 * (size_t)b->n;
  double *x = calloc(na + nb + na * na + nb * na, sizeof *x);
  double *J = x ? x + na + nb : NULL, *T_join = x ? J + na * na : NULL;
  dm_motion_linearize *motion = NULL;
  oc_join_map *map = NULL;
  dm_status s = x ? DM_OK : DM_NO_MEMORY;
  if (s == DM_OK) s = dm_motion_linearize_new(&motion, a, &run->p->task.system);
  if (s == DM_OK) s = oc_join_map_new(&map, run->next.join, &run->p->task, &run->next.run->p->task);
  if (s == DM_OK) read_knot_state(b, 0, x + na);
  if (s == DM_OK) s = dm_motion_linearize_end(motion, x, J);
  if (s == DM_OK) s = oc_join_map_slope(map, x, x + na, T_join);
  if (s == DM_OK) dm_gemm((int)nb, (int)na, (int)na, 1, T_join, J, 0, T);
  oc_join_map_free(map);
  dm_motion_linearize_free(motion);
  free(x);
  return s;
}

// Carry the cost-to-go P at the start of the next phase to the end of this one: T'P T. Does nothing
// if the join has no derivative.
static dm_status carry_cost(pb_run *run) {
  const fb_tvlqr *f = run->next.run ? run->next.run->control.gains : NULL;
  if (!f || run->next.carry == PB_CARRY_NONE) return DM_OK;
  const int nx = f->nx, wide = 2 * run->x->n;
  double *T = calloc(2 * (size_t)(nx * wide), sizeof *T), *PT = T ? T + nx * wide : NULL;
  double *S = calloc((size_t)(wide * wide + wide), sizeof *S);
  const dm_status s = T && S ? find_join_slope(run, T) : DM_NO_MEMORY;

  // S = T' P T
  if (s == DM_OK) {
    dm_gemm(nx, wide, nx, 1, f->P, T, 0, PT);
    dm_gemm_transposed(wide, wide, nx, 1, T, wide, PT, wide, 0, S, wide);
    free(run->next.cost);
    run->next.cost = S;
    S = NULL;
  }
  free(T);
  free(S);
  return s == DM_NO_MEMORY ? s : DM_OK;
}

// append rest to the motion if the problem's gains hold its end; after a failure it is unchanged
static dm_status append_rest(pb_run *run, dm_message *msg) {
  const pb_feedback *set = &run->p->feedback;
  if (!(set->rest_time > 0) || run->rest.steps) return DM_OK; // not requested, or already done
  fb_rest_settings rest = fb_rest_default();
  rest.time = set->rest_time;
  rest.u_min = set->u_min;
  rest.u_max = set->u_max;
  rest.coord = run->p->names.coord;
  rest.input = run->p->names.input;

  // the motion, then rest at an equilibrium near its end
  dm_trajectory *x;
  int steps;
  double off;
  const dm_status s = fb_rest_append(&x, run->x, &run->p->task.system, &rest, &steps, &off, msg);
  if (s != DM_OK) return s;
  dm_trajectory_free(run->x);
  run->x = x;
  run->rest.steps = steps;
  run->control.rests = true;
  run->rest.off = off;
  return DM_OK;
}

dm_status pb_run_gains(pb_run *run, double *slope, int *knot, dm_message *msg) {
  const pb_problem *p = run->p;
  fb_tvlqr **gains = &run->control.gains;
  *slope = NAN;
  *knot = -1;
  if (carry_cost(run) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  const dm_status rested = append_rest(run, msg);
  if (rested != DM_OK) return rested; // also if no equilibrium is near

  // by the second variation of the task, or by TVLQR with the file's weights
  if (p->feedback.second_variation)
    return oc_neighboring_extremal_gains(gains, &p->task, run->x, p->feedback.Qf, slope, knot, msg);
  pb_weights at;
  const fb_weights weights = pb_run_weights(run, p->rest ? run->x->N : run->rest.steps, &at);
  if (!weights.periodic || !run->x->nc)
    return fb_tvlqr_new(gains, run->x, &p->task.system, &weights, knot, msg);

  // along the repeated motion
  dm_trajectory *x;
  dm_status s = fb_repeat_motion(&x, run->x, &p->task.system);
  if (s != DM_OK) return dm_fail(msg, s, "no gains of a repeated motion: %s", dm_status_text(s));
  s = fb_tvlqr_new(gains, x, &p->task.system, &weights, knot, msg);
  dm_trajectory_free(x);
  return s;
}

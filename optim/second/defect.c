#include "optim/second/defect.h"

#include "lib/mechanics/continuous.h"
#include "optim/descent/projection_operator.h"
#include "optim/starts/guess.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// every other knot, and the means of the inputs in between
static void thin_curve(const oc_task *task, const dm_trajectory *x, dm_trajectory *y) {
  int n = x->n, nu = x->nu;
  y->h = 2 * x->h;
  for (int k = 0; k <= y->N; k++) {
    memcpy(y->q + k * n, x->q + 2 * k * n, (size_t)n * sizeof *x->q);
    memcpy(y->v + k * n, x->v + 2 * k * n, (size_t)n * sizeof *x->v);
    memcpy(y->p + k * n, x->p + 2 * k * n, (size_t)n * sizeof *x->p);
  }

  for (int k = 0; k < y->N; k++)
    for (int j = 0; j < nu; j++)
      y->u[k * nu + j] = (x->u[2 * k * nu + j] + x->u[(2 * k + 1) * nu + j]) /
                         2; // mean of the two steps on the fine grid
  oc_guess_prescribe(task, y);
}

// The momenta that steps of the map would have at the knots of x: their parts along constraints, and the
// velocities of prescribed coordinates, are those of the step before; the rest is L_v of the curve.
static dm_status take_momenta_of_map(const oc_task *task, dm_trajectory *x) {
  const dm_system *s = &task->system;
  const int n = x->n;
  dm_trajectory *map = NULL;
  dm_continuous *w = NULL;
  if (!s->hol.nc && !s->nk) return DM_OK;
  dm_status status = dm_trajectory_of(&map, x->N, s);
  if (status == DM_OK) status = dm_continuous_new(&w, s);
  if (status == DM_OK) {
    dm_trajectory_copy(map, x);
    status = oc_guess_impulses(task, map);
  }
  if (status == DM_OK) status = dm_trajectory_momenta(map, s);

  // p = p_map + L_v(q,v) - L_v(q,v_map), with v_map on the constraints
  for (int k = 0; k <= x->N && status == DM_OK; k++) {
    const double *q = x->q + k * n;
    double *p = x->p + k * n, *off = map->p + k * n;
    for (int i = 0; i < n; i++) p[i] = off[i];
    status = dm_momentum_of(w, q, map->v + k * n, off);
    for (int i = 0; i < n; i++) p[i] -= s->kinematic && s->kinematic[i] ? 0 : off[i];
    if (status == DM_OK) status = dm_momentum_of(w, q, x->v + k * n, off);
    for (int i = 0; i < n; i++) p[i] += s->kinematic && s->kinematic[i] ? 0 : off[i];
  }
  dm_continuous_free(w);
  dm_trajectory_free(map);
  return status;
}

static dm_status measure_defects(const oc_task *task, const dm_trajectory *curve, oc_defect *out) {
  dm_del *del = NULL;
  dm_trajectory *half = NULL;
  int knot;
  out->defect_2h = out->order = NAN;
  DM_TRY(dm_del_new(&del, &task->system, NULL));

  // the largest defect of a step
  dm_status s = dm_trajectory_certify(curve, del, NULL, &out->defect, &out->knot);

  // with every other knot: log2 of the ratio is order + 1, unless the defects are rounding or the
  // ratio is below 4
  if (s >= 0 && curve->N > 1) {
    s = dm_trajectory_of(&half, curve->N / 2, &task->system);
    if (s == DM_OK) {
      thin_curve(task, curve, half);
      s = take_momenta_of_map(task, half);
      if (s == DM_OK) s = dm_trajectory_certify(half, del, NULL, &out->defect_2h, &knot);
    }
    if (s >= 0 && out->defect > OC_DEFECT_ROUNDING && out->defect_2h >= 4 * out->defect)
      out->order = log2(out->defect_2h / out->defect) - 1;
  }
  dm_trajectory_free(half);
  dm_del_free(del);
  return s < 0 ? s : DM_OK;
}

// largest distance of the last rollout
static void measure_distance(const oc_projection_operator *p, oc_defect *out) {
  out->distance = -1;
  for (int k = 0; k <= p->N; k++)
    for (int i = 0; i < p->n; i++) {
      double off = fabs(p->trial->q[k * p->n + i] - p->x->q[k * p->n + i]);
      if (off > out->distance) {
        out->distance = off;
        out->coord = i;
        out->at = k;
      }
    }
}

dm_status oc_defect_measure(const oc_task *task, const dm_trajectory *curve, dm_trajectory *motion,
                            oc_defect *out, dm_message *msg) {
  assert(task && curve && motion && out);
  oc_projection_operator *p = NULL;
  *out = (oc_defect){0};
  dm_status s = oc_projection_operator_new(&p, task);
  if (s != DM_OK) return dm_fail(msg, s, "%s", dm_status_text(s));
  dm_trajectory_copy(p->x, curve);
  s = take_momenta_of_map(task, p->x);
  if (s == DM_OK) s = measure_defects(task, p->x, out);

  // the motion of the system's own steps nearest to the curve
  if (s == DM_OK) s = oc_projection_operator_follow(p, false);
  // its distance, and its own momenta
  if (s == DM_OK) {
    measure_distance(p, out);
    dm_trajectory_copy(motion, p->trial);
    s = dm_trajectory_momenta(motion, &task->system);
  }
  if (s != DM_OK) dm_fail(msg, s, "%s", p->msg.text[0] ? p->msg.text : dm_status_text(s));
  oc_projection_operator_free(p);
  return s;
}

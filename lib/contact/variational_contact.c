#include "lib/contact/variational_contact.h"

#include "lib/base/dense.h"
#include "lib/contact/friction_step.h"

#include <math.h>
#include <string.h>

// values at q0 and the predictor of g linearized there
static dm_status linearize(dm_contact_integrator *w, const dm_departure *at) {
  const dm_unilateral *u = &w->c->g;
  DM_TRY(u->rows(u->self, w->c->uni, w->qh, w->ng, NULL, w->gh, w->G));
  for (int i = 0; i < w->n; i++) w->x[i] = at->q[i] - w->qh[i];
  for (int i = 0; i < w->ng; i++) w->g0[i] = w->gh[i] + dm_inner(w->n, w->G + i * w->n, w->x);
  return DM_OK;
}

// C: those that touch, and those that the predictor violates; but what it violates and what does
// not bounce is met in the step, by S
static dm_status gather(dm_contact_integrator *w, const dm_departure *at, bool bounces, bool linear,
                        dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  DM_TRY(w->set.predictor(w, at, w->qh));
  if (linear) DM_TRY(linearize(w, at));
  if (bounces && !linear) DM_TRY(u->values(u->self, w->c->uni, w->qh, w->gh));
  for (int i = 0; i < w->ng; i++) {
    bool touches = w->g0[i] <= w->set.touch * u->scale[i];
    if (!touches && !(bounces && w->gh[i] <= 0)) continue;
    if (touches || dm_contact_integrator_restitution(w, i) > 0)
      w->C[info->candidates++] = i;
    else
      w->level[info->smooth] = 0, w->S[info->smooth++] = i;
  }
  return DM_OK;
}

// what of C moves along its boundary joins S, with levels
static void find_smooth(dm_contact_integrator *w, bool bounces, dm_contact_integrator_info *info) {
  const dm_impact *R = w->R;
  const double *scale = w->c->g.scale;
  const int m = info->candidates;
  double speed = 0;
  if (bounces && m) speed = hypot(w->fall, sqrt(fmax(dm_inner(w->n, w->p, R->v), 0)));
  for (int k = 0; k < m; k++) {
    int i = w->C[k];
    double rate = bounces ? dm_inner(w->n, R->G + k * w->n, R->v) : 0;
    if (w->g0[i] > w->set.touch * scale[i]) continue;
    if (fabs(rate) > w->set.tangent * R->size[k] * speed) continue;
    w->level[info->smooth] = fmin(w->g0[i], 0);
    w->S[info->smooth++] = i;
  }
}

// What the step itself would meet, though the predictor did not, and does not bounce joins S: is
// there any?
static bool meets_more(dm_contact_integrator *w, dm_contact_integrator_info *info) {
  const int before = info->smooth;
  for (int i = 0; i < w->ng; i++) {
    const double touch = w->set.touch * w->c->g.scale[i];
    if (!(w->g1[i] < -touch && w->g0[i] > touch && w->gh[i] > 0 &&
          dm_contact_integrator_restitution(w, i) == 0))
      continue;
    w->gh[i] = 0, w->level[info->smooth] = 0;
    w->c->held[info->smooth] = true;
    w->S[info->smooth++] = i;
  }
  return info->smooth > before;
}

// step 6: E, its rows at q1 (linearized: at qh), and p1
static dm_status arrive(dm_contact_integrator *w, bool linear, double *p1,
                        dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  const dm_unilateral *u = &c->g;
  for (int k = 0; k < info->smooth; k++) {
    int i = w->S[k];
    w->impulse[i] += c->lambda[k];
    w->pushed[i] = c->held[k];
    double off = fabs(w->g1[i] - w->level[k]) / u->scale[i];
    if (!c->held[k] && (linear || off > w->set.touch)) continue;
    w->contact[i] = true;
    w->E[info->held++] = i;
  }
  dm_complementarity_momentum(c, p1);
  if (info->held)
    DM_TRY(u->rows(u->self, c->uni, linear ? w->qh : c->q, info->held, w->E, w->r, w->G));
  DM_TRY(dm_contact_integrator_restrict(w, c->q, info->held, p1));
  memset(w->r, 0, (size_t)info->held * sizeof *w->r);
  for (int k = 0; k < w->rank; k++)
    if (w->row[k] < info->held) w->r[w->row[k]] = w->y[k];
  for (int k = 0; k < info->held; k++) w->impulse[w->E[k]] += w->r[k];
  return w->F ? dm_contact_integrator_rub(w, c->q, info->held, w->E, w->r, p1, info) : DM_OK;
}

// q0 + h M^-1 p with p half way through the step, where it changes as the steps before foretell: by
// g + (g - g'). Leaves -p0+ in w->gained.
static dm_status guess(dm_contact_integrator *w, const dm_departure *at) {
  for (int i = 0; i < w->n; i++) {
    double g = w->continued ? w->gained[i] : 0, before = w->continued ? w->gained_before[i] : 0;
    w->x[i] = w->p[i] + g - before / 2;
    w->gained_before[i] = g, w->gained[i] = -w->p[i];
  }
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, w->x, w->v));
  for (int i = 0; i < w->n; i++) w->c->q[i] = at->q[i] + at->h * w->v[i];
  return DM_OK;
}

static dm_status step(dm_contact_integrator *w, const dm_departure *at, bool bounces, bool linear,
                      double *q1, double *p1, dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  dm_complementarity *c = w->c;
  dm_status bounced = DM_OK;
  w->h = at->h;
  memcpy(w->p, at->p, size);
  DM_TRY(gather(w, at, bounces, linear, info));
  if (bounces && info->candidates)
    bounced =
        dm_contact_integrator_reflect(w, at, linear ? w->qh : at->q, info->candidates, w->p, info);
  DM_TRY(bounced);
  find_smooth(w, bounces, info);
  if (w->F && bounces) {
    int m = 0; // friction in the impact, at what was hit
    for (int k = 0; k < info->candidates; k++) {
      if (!(w->r[k] > 0)) continue;
      w->r[m] = w->r[k], w->E[m] = w->C[k];
      memmove(w->G + m++ * w->n, w->G + k * w->n, size);
    }
    DM_TRY(dm_contact_integrator_rub(w, at->q, m, w->E, w->r, w->p, info));
  }

  dm_closing closing = {.balance = dm_complementarity_balance,
                        .q0 = at->q,
                        .p = w->p,
                        .u = at->u,
                        .h = at->h,
                        .place = 1,
                        .share = 1,
                        .linear = linear ? w->qh : NULL,
                        .which = w->S,
                        .level = w->level};
  DM_TRY(guess(w, at));
  // held at first: what is new here, and what pushed in the step before
  for (int k = 0; k < info->smooth; k++) {
    int i = w->S[k];
    c->held[k] = w->pushed[i] || !w->continued || !w->before[i];
  }
  dm_status status;
  do {
    closing.m = info->smooth;
    status = w->F ? dm_contact_integrator_slide(w, &closing, info)
                  : dm_complementarity_solve(c, &closing, &info->closing);
    if (status < 0) return status;
    DM_TRY(dm_contact_integrator_look(w, c->q, w->g1, info));
  } while (status == DM_OK && bounces && !linear && meets_more(w, info));
  DM_TRY(arrive(w, linear, w->p, info));
  for (int i = 0; i < w->n; i++) w->gained[i] += w->p[i];
  memcpy(q1, c->q, size);
  memcpy(p1, w->p, size);
  return info->unsettled ? DM_MAX_ITER : status != DM_OK ? status : bounced;
}

static dm_status gvi(dm_contact_integrator *w, const dm_departure *at, double *q1, double *p1,
                     dm_contact_integrator_info *info) {
  return step(w, at, true, false, q1, p1, info);
}

static dm_status smooth(dm_contact_integrator *w, const dm_departure *at, double *q1, double *p1,
                        dm_contact_integrator_info *info) {
  return step(w, at, false, false, q1, p1, info);
}

static dm_status linearized(dm_contact_integrator *w, const dm_departure *at, double *q1,
                            double *p1, dm_contact_integrator_info *info) {
  return step(w, at, true, true, q1, p1, info);
}

const dm_contact_method dm_contact_gvi = {.name = "gvi", .step = gvi, .friction = true};
const dm_contact_method dm_contact_smooth = {.name = "smooth", .step = smooth, .friction = true};
const dm_contact_method dm_contact_gvi_linearized = {.name = "gvi-linearized", .step = linearized};

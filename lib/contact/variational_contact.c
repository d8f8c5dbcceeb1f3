#include "lib/contact/variational_contact.h"

#include "lib/base/dense.h"
#include "lib/contact/friction_step.h"
#include "lib/contact/gap_rows.h"

#include <math.h>
#include <string.h>

// -- steps 1 to 4: the sets

// gaps at q0 and at the predictor qh, with g linearized at qh
static dm_status linearize_gaps(dm_contact_integrator *w, const dm_departure *at) {
  const dm_unilateral *u = &w->c->g;
  DM_TRY(dm_gap_rows(u, w->c->uni_scratch, w->qh, w->ng, NULL, w->gh, &w->G));

  // g(qh) + Dg(qh) (q0 - qh)
  for (int i = 0; i < w->n; i++) w->x[i] = at->q[i] - w->qh[i];
  for (int i = 0; i < w->ng; i++) w->g0[i] = w->gh[i] + dm_sparse_rows_inner(&w->G, i, w->x);
  return DM_OK;
}

// add inequality i to S, with its level
static void add_smooth(dm_contact_integrator *w, int i, double level,
                       dm_contact_integrator_info *info) {
  w->level[info->smooth] = level;
  w->S[info->smooth++] = i;
}

// Steps 1 and 2: C, the contacts and the violations of the predictor; violations with restitution
// 0, L, are added to S.
static dm_status gather_candidates(dm_contact_integrator *w, const dm_departure *at, bool bounces,
                                   bool linear, dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  DM_TRY(w->set.predictor(w, at, w->qh));
  if (linear) DM_TRY(linearize_gaps(w, at));
  if (bounces && !linear) DM_TRY(u->values(u->self, w->c->uni_scratch, w->qh, w->gh));

  // restitution 0 and not yet in contact: L, which ends on its boundary
  for (int i = 0; i < w->ng; i++) {
    bool touches = w->g0[i] <= w->touch[i];
    if (!touches && !(bounces && w->gh[i] <= 0)) continue;
    if (touches || dm_contact_integrator_restitution(w, i) > 0)
      w->C[info->candidates++] = i;
    else
      add_smooth(w, i, 0, info);
  }
  return DM_OK;
}

// Step 3b: friction of the impact at the rows with an impulse.
static dm_status slow_impact(dm_contact_integrator *w, const dm_departure *at,
                             dm_contact_integrator_info *info) {
  // compact the rows in place, m <= k
  int m = 0;
  w->G.m = 0;
  for (int k = 0; k < info->candidates; k++) {
    if (!(w->r[k] > 0)) continue;
    w->r[m] = w->r[k];
    w->E[m] = w->C[k];
    dm_sparse_rows_append(&w->G, 1, &w->G, k);
    m++;
  }
  return dm_contact_integrator_apply_friction(w, at->q, m, w->E, w->r, w->p, info);
}

// step 4: contacts of C that slide along their boundary join S
static dm_status find_smooth(dm_contact_integrator *w, const dm_departure *at, bool bounces,
                             dm_contact_integrator_info *info) {
  const dm_impact *R = w->R;
  const int m = info->candidates;

  // tolerance of zero rates: the speeds before and after the impact (an inelastic impact leaves
  // rounding), and the speed from the forces of a step
  double speed = 0;
  if (bounces && m) {
    DM_TRY(dm_mass_matrix_velocity(w->mass, 1, at->p, w->v));
    const double before = dm_inner(w->n, at->p, w->v), after = dm_inner(w->n, w->p, R->v);
    speed = hypot(w->fall_speed, sqrt(fmax(fmax(before, after), 0)));
  }
  for (int k = 0; k < m; k++) {
    int i = w->C[k];
    double rate = bounces ? dm_sparse_rows_inner(&w->G, k, R->v) : 0;
    if (w->g0[i] > w->touch[i]) continue;
    if (fabs(rate) > w->set.tangent * R->size[k] * speed) continue;

    // a slight penetration is kept as the level
    add_smooth(w, i, fmin(w->g0[i], 0), info);
  }
  return DM_OK;
}

// -- the method smooth

// Step 4 of smooth: newly closed contacts of S must not approach; sets info->met, -1 if none does.
static dm_status find_approaching(dm_contact_integrator *w, const dm_departure *at,
                                  dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  const int n = w->n;

  // v = M^-1 p0, and rows of the contacts not closed in the previous step
  int m = 0;
  for (int k = 0; k < info->smooth; k++)
    if (!w->before[w->S[k]]) w->E[m++] = w->S[k];
  if (m == 0) return DM_OK;
  dm_mass_matrix_place(w->mass, at->q);
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, at->p, w->v));
  DM_TRY(dm_gap_rows(u, w->c->uni_scratch, at->q, m, w->E, w->r, &w->G));

  // tolerance of zero rates: the largest rate for this energy
  const double speed = sqrt(fmax(dm_inner(n, at->p, w->v), 0));
  for (int k = 0; k < m; k++) {
    memset(w->x, 0, (size_t)n * sizeof *w->x);
    dm_sparse_rows_add_to(&w->G, k, 1, w->x);
    DM_TRY(dm_mass_matrix_velocity(w->mass, 1, w->x, w->x));
    const double size = sqrt(fmax(dm_sparse_rows_inner(&w->G, k, w->x), 0));
    const double rate = dm_sparse_rows_inner(&w->G, k, w->v);
    if (rate < -w->set.tangent * size * speed) info->met = w->E[k];
  }
  return DM_OK;
}

// -- step 5: q1

// The guess of q1: q0 + h M^-1 p with p at the middle of the step, extrapolated from the previous
// steps by g + (g - g'). Leaves -p0+ in w->change.
static dm_status guess_end(dm_contact_integrator *w, const dm_departure *at) {
  // g, g': momentum changes of the last two steps; zero at the start of a motion
  for (int i = 0; i < w->n; i++) {
    double g = w->continued ? w->change[i] : 0;
    double before = w->continued ? w->last_change[i] : 0;
    w->x[i] = w->p[i] + g - before / 2;
    w->last_change[i] = g;
    w->change[i] = -w->p[i];
  }
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, w->x, w->v));
  for (int i = 0; i < w->n; i++) w->c->q[i] = at->q[i] + at->h * w->v[i];
  return DM_OK;
}

static bool takes_part(const dm_contact_integrator *w, int i, int smooth) {
  for (int k = 0; k < smooth; k++)
    if (w->S[k] == i) return true;
  return false;
}

// Add to S the contacts without rebound that the step would pass although the predictor did not, or
// that left their boundary by rounding only; returns true if there are any.
static bool meets_more(dm_contact_integrator *w, dm_contact_integrator_info *info) {
  const int before = info->smooth;
  for (int i = 0; i < w->ng; i++) {
    const double level = fmin(w->g0[i], 0), touch = w->touch[i];
    if (w->g1[i] >= level - touch || dm_contact_integrator_restitution(w, i) != 0) continue;
    if (takes_part(w, i, before)) continue;
    w->c->closed[info->smooth] = true;
    add_smooth(w, i, level, info);
  }
  return info->smooth > before;
}

// Solve for q1 with unilateral S, from the guess in w->c->q; repeat while contacts without rebound
// would be passed. Leaves the gaps at q1 in w->g1.
static dm_status solve_smooth(dm_contact_integrator *w, const dm_departure *at, bool bounces,
                              bool linear, dm_contact_integrator_info *info) {
  dm_complementarity *c = w->c;
  dm_contact_equations eq = {.balance = dm_complementarity_balance,
                             .q0 = at->q,
                             .p = w->p,
                             .u = at->u,
                             .h = at->h,
                             .place = 1,
                             .share = 1,
                             .linearized_at = linear ? w->qh : NULL,
                             .which = w->S,
                             .level = w->level};

  // initially closed: new contacts, and those with an impulse in the previous step
  for (int k = 0; k < info->smooth; k++) {
    int i = w->S[k];
    c->closed[k] = w->pushed[i] || !w->continued || !w->before[i];
  }

  dm_status status;
  do {
    eq.m = info->smooth;
    status = w->F ? dm_contact_integrator_solve_with_friction(w, &eq, info)
                  : dm_complementarity_solve(c, &eq, &info->solve);
    if (status < 0) return status;
    DM_TRY(dm_contact_integrator_evaluate_gaps(w, c->q, w->g1, info));
  } while (status == DM_OK && bounces && !linear && meets_more(w, info));
  return status;
}

// -- step 6: p1

// E, the contacts closed at q1, with their impulses lambda
static void list_closed_at_end(dm_contact_integrator *w, bool linear,
                               dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  for (int k = 0; k < info->smooth; k++) {
    int i = w->S[k];
    w->impulse[i] += c->lambda[k];
    w->pushed[i] = c->closed[k];

    // for nonlinear g, a contact within `touch` is closed as well, even without impulse
    const double off = fabs(w->g1[i] - w->level[k]);
    if (!c->closed[k] && (linear || off > w->touch[i])) continue;
    w->contact[i] = true;
    w->E[info->closed++] = i;
  }
}

// p1 = D2 + G_E'mu + A'nu, the projection of D2 on the velocities that E allows, with rows at q1
// (linearized: at qh); then friction with the impulses mu.
static dm_status project_end(dm_contact_integrator *w, bool linear, double *p1,
                             dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  const dm_unilateral *u = &c->g;
  const double *q = linear ? w->qh : c->q;

  // D2 without its rates along E and the equalities
  dm_complementarity_momentum(c, p1);
  DM_TRY(dm_gap_rows(u, c->uni_scratch, q, info->closed, w->E, w->r, &w->G));
  DM_TRY(dm_contact_integrator_restrict(w, c->q, info->closed, p1));

  // mu; 0 for dependent rows
  memcpy(w->r, w->y + w->nc, (size_t)info->closed * sizeof *w->r);
  for (int k = 0; k < info->closed; k++) w->impulse[w->E[k]] += w->r[k];
  if (!w->F) return DM_OK;
  return dm_contact_integrator_apply_friction(w, c->q, info->closed, w->E, w->r, p1, info);
}

// the motion is no longer smooth: stay at the start of the step
static dm_status stop_smoothly(const dm_contact_integrator *w, const dm_departure *at, double *q1,
                               double *p1, dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  memmove(q1, at->q, size);
  memmove(p1, at->p, size);
  info->penetration = 0;
  return DM_INFEASIBLE;
}

// the step numbers are those of the header
static dm_status step_variationally(dm_contact_integrator *w, const dm_departure *at, bool bounces,
                                    bool linear, double *q1, double *p1,
                                    dm_contact_integrator_info *info) {
  const size_t size = (size_t)w->n * sizeof *q1;
  dm_status bounced = DM_OK;
  w->h = at->h;
  memcpy(w->p, at->p, size);

  // 1, 2  predict qh; candidates C
  DM_TRY(gather_candidates(w, at, bounces, linear, info));

  // 3  reflect p0 at C
  if (bounces && info->candidates) {
    const double *gradient = linear ? w->qh : at->q;
    bounced = dm_contact_integrator_reflect(w, at, gradient, info->candidates, w->p, info);
  }
  DM_TRY(bounced);

  // 4  S = contacts that stay closed, from the velocity after the reflection and before friction
  DM_TRY(find_smooth(w, at, bounces, info));
  if (!bounces) DM_TRY(find_approaching(w, at, info));
  if (info->met >= 0) return stop_smoothly(w, at, q1, p1, info);

  // 3b friction of the impact
  if (w->F && bounces) DM_TRY(slow_impact(w, at, info));

  // 5  solve for q1 with unilateral S; repeat while a contact outside S would be passed
  DM_TRY(guess_end(w, at));
  dm_status status = solve_smooth(w, at, bounces, linear, info);
  if (status < 0) return status;
  if (!bounces && status == DM_OK) {
    // Step 5 of smooth: no other contact may be passed; sets info->met.
    for (int i = 0; i < w->ng; i++)
      if (w->g1[i] < fmin(w->g0[i], 0) - w->touch[i]) info->met = i;
  }
  if (info->met >= 0) return stop_smoothly(w, at, q1, p1, info);

  // 6  project p1 on the velocities that the closed contacts E allow
  list_closed_at_end(w, linear, info);
  DM_TRY(project_end(w, linear, w->p, info));

  for (int i = 0; i < w->n; i++) w->change[i] += w->p[i];
  memcpy(q1, w->c->q, size);
  memcpy(p1, w->p, size);
  if (info->friction_unsettled) return DM_MAX_ITER;
  return status != DM_OK ? status : bounced;
}

static dm_status step_gvi(dm_contact_integrator *w, const dm_departure *at, double *q1, double *p1,
                          dm_contact_integrator_info *info) {
  return step_variationally(w, at, true, false, q1, p1, info);
}

static dm_status step_smooth(dm_contact_integrator *w, const dm_departure *at, double *q1,
                             double *p1, dm_contact_integrator_info *info) {
  return step_variationally(w, at, false, false, q1, p1, info);
}

static dm_status step_linearized(dm_contact_integrator *w, const dm_departure *at, double *q1,
                                 double *p1, dm_contact_integrator_info *info) {
  return step_variationally(w, at, true, true, q1, p1, info);
}

const dm_contact_method dm_contact_gvi = {
    .name = "gvi", .step = step_gvi, .friction = true, .takes = "predictor impact conserve"};
const dm_contact_method dm_contact_smooth = {
    .name = "smooth", .step = step_smooth, .friction = true};
const dm_contact_method dm_contact_gvi_linearized = {
    .name = "gvi-linearized", .step = step_linearized, .takes = "predictor impact conserve"};

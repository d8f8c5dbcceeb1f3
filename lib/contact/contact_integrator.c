#include "lib/contact/contact_integrator.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void dm_contact_integrator_default(dm_contact_integrator_settings *set) {
  *set = (dm_contact_integrator_settings){.method = "gvi",
                                          .impact = DM_GENERALIZED,
                                          .kept = DM_KEEP_HAMILTONIAN,
                                          .predictor = dm_predict_forward,
                                          .touch = 1e-9,
                                          .tangent = 1e-9,
                                          .beta = 0.25,
                                          .gamma = 0.5,
                                          .max_cuts = 100};
}

static void lay_out(dm_contact_integrator *w, dm_block *b, size_t scratch) {
  size_t n = (size_t)w->n, ng = (size_t)w->ng;
  double **vectors[] = {&w->qh,      &w->q,       &w->p,      &w->last,         &w->x, &w->v, &w->y,
                        &w->jet.L_q, &w->jet.L_v, &w->gained, &w->gained_before};
  double **each[] = {&w->impulse, &w->g0, &w->gh, &w->g1, &w->level, &w->e, &w->r};
  int **lists[] = {&w->C, &w->S, &w->E};
  for (int i = 0; i < 11; i++) *vectors[i] = dm_take(b, n, sizeof(double));
  for (int i = 0; i < 7; i++) *each[i] = dm_take(b, ng, sizeof(double));
  for (int i = 0; i < 3; i++) *lists[i] = dm_take(b, ng, sizeof(int));
  w->contact = dm_take(b, ng, sizeof *w->contact);
  w->before = dm_take(b, ng, sizeof *w->before);
  w->pushed = dm_take(b, ng, sizeof *w->pushed);
  w->G = dm_take(b, (ng + (size_t)w->nc) * n, sizeof *w->G);
  w->WG = dm_take(b, (ng + (size_t)w->nc) * n, sizeof *w->WG);
  w->rub = dm_take(b, 2 * ng, sizeof *w->rub);
  w->row = dm_take(b, n, sizeof *w->row);
  w->L = dm_take(b, n * n, sizeof *w->L);
  w->sweep = dm_take(b, scratch, 1);
}

static dm_status find_method(const char *name, const dm_contact_method **out, dm_message *msg) {
  char known[160] = "";
  size_t used = 0;
  for (const dm_contact_method *m = dm_contact_methods; m->name; m++) {
    *out = m;
    if (!strcmp(m->name, name)) return DM_OK;
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", m->name);
  }
  return dm_fail(msg, DM_BAD_INPUT, "found the method '%s' for contacts, expected one of %s", name,
                 known);
}

static dm_status make_parts(dm_contact_integrator *w, const dm_system *s, const dm_unilateral *g,
                            dm_message *msg) {
  dm_system mine = *s;
  const double left = s->rule.left;
  if (w->method->rule) {
    DM_TRY(dm_rule_set(&mine.rule, w->method->rule, 0.5, "midpoint", msg));
    mine.rule.left = left;
  }
  DM_TRY(dm_complementarity_new(&w->c, &mine, g, msg));
  dm_status status = dm_mass_matrix_new(&w->mass, &s->L);
  if (status == DM_OK) status = dm_impact_new(&w->R, w->n, w->nc, w->ng);
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  int rough = 0;
  for (int i = 0; g->friction && i < g->ng; i++) rough += g->friction[i] > 0;
  if (rough && !w->method->friction)
    return dm_fail(msg, DM_BAD_INPUT, "friction is for the methods gvi and smooth, not for %s",
                   w->method->name);
  if (rough && dm_friction_new(&w->F, w->n, rough) != DM_OK)
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  bool newmark = w->method->step == dm_newmark;
  if (!w->mass->constant && (newmark || w->set.kept == DM_KEEP_VERLET))
    return dm_fail(msg, DM_BAD_INPUT, "%s is for systems whose mass matrix does not change",
                   newmark ? "Newmark's method" : "the numerical Hamiltonian of Stoermer-Verlet");
  return DM_OK;
}

dm_status dm_contact_integrator_new(dm_contact_integrator **out, const dm_system *s,
                                    const dm_unilateral *g,
                                    const dm_contact_integrator_settings *set, dm_message *msg) {
  dm_contact_integrator sizes = {.n = s->L.nq, .nc = s->hol.nc, .ng = g->ng};
  dm_contact_integrator_default(&sizes.set);
  if (set) sizes.set = *set;
  DM_TRY(find_method(sizes.set.method, &sizes.method, msg));
  dm_block block = {0};
  dm_take(&block, 1, sizeof sizes);
  lay_out(&sizes, &block, s->L.scratch);
  if (dm_block_new(&block) != DM_OK) return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  dm_contact_integrator *w = dm_take(&block, 1, sizeof *w);
  *w = sizes;
  lay_out(w, &block, s->L.scratch);
  dm_status status = make_parts(w, s, g, msg);
  if (status != DM_OK) {
    dm_contact_integrator_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_contact_integrator_free(dm_contact_integrator *w) {
  if (w) dm_complementarity_free(w->c), dm_mass_matrix_free(w->mass), dm_impact_free(w->R);
  if (w) dm_friction_free(w->F);
  dm_block_free(w);
}

// -- what is kept by impacts

static dm_status metric(void *self, int m, const double *B, double *out) {
  dm_contact_integrator *w = self;
  if (w->set.kept == DM_KEEP_VERLET) return dm_mass_matrix_verlet(w->mass, w->h, m, B, out);
  return dm_mass_matrix_velocity(w->mass, m, B, out);
}

// a step from p under equalities alone: w->c->q
static dm_status step_freely(dm_contact_integrator *w, const dm_departure *at, const double *p,
                             dm_complementarity_info *info) {
  dm_closing free = {
      .balance = dm_complementarity_balance, .q0 = at->q, .p = p, .u = at->u, .h = at->h};
  if (w->c->q != at->q) memcpy(w->c->q, at->q, (size_t)w->n * sizeof *p);
  return dm_complementarity_solve(w->c, &free, info);
}

// -dLd/dh = sum_s weight_s (v.L_v - L) of the step from p, or of that which arrives with it
static dm_status discrete_energy(void *self, bool leaves, const double *p, double *E) {
  dm_contact_integrator *w = self;
  const dm_departure *at = w->at, there = {at->q, p, at->u, leaves ? at->h : -at->h};
  const dm_rule *rule = &w->c->s.rule;
  const dm_lagrangian *L = &w->c->s.L;
  dm_complementarity_info info;
  DM_TRY(step_freely(w, &there, p, &info));
  *E = 0;
  for (int s = 0; s < rule->points; s++) {
    for (int i = 0; i < w->n; i++) {
      double d = w->c->q[i] - at->q[i];
      w->x[i] = at->q[i] + rule->at[s] * d, w->v[i] = d / there.h;
    }
    DM_TRY(L->eval(L->self, w->sweep, 1, w->x, w->v, &w->jet));
    *E += rule->weight[s] * (dm_inner(w->n, w->v, w->jet.L_v) - w->jet.L);
  }
  return DM_OK;
}

dm_status dm_contact_integrator_energy(dm_contact_integrator *w, const double *q, const double *p,
                                       double *H) {
  dm_mass_matrix_place(w->mass, q);
  return dm_mass_matrix_energy(w->mass, 0, p, H);
}

// -- what methods share

dm_status dm_contact_integrator_look(dm_contact_integrator *w, const double *q, double *g,
                                     dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  info->sunk = 0;
  DM_TRY(u->values(u->self, w->c->uni, q, g));
  for (int i = 0; i < w->ng; i++) info->sunk = fmax(info->sunk, -g[i] / u->scale[i]);
  return DM_OK;
}

// of an impact at inequality i: what was in contact a step ago and approaches again rests
static double restitution(const dm_contact_integrator *w, int i) {
  double e = w->c->g.restitution ? w->c->g.restitution[i] : 1;
  return e < 1 && w->before[i] ? 0 : e;
}

dm_status dm_contact_integrator_reflect(dm_contact_integrator *w, const dm_departure *at,
                                        const double *gradient, int m, double *p,
                                        dm_contact_integrator_info *info) {
  const dm_unilateral *u = &w->c->g;
  const dm_holonomic *hol = &w->c->s.hol;
  w->h = at->h, w->at = at;
  dm_mass_matrix_place(w->mass, at->q);
  DM_TRY(metric(w, 1, w->c->d->jet.L_q, w->v));
  w->fall = at->h * sqrt(fmax(dm_inner(w->n, w->c->d->jet.L_q, w->v), 0));
  DM_TRY(u->rows(u->self, w->c->uni, gradient, m, w->C, w->r, w->G));
  if (w->nc) DM_TRY(hol->eval(hol->self, w->c->hol, at->q, w->c->a, w->c->A0));
  const dm_conserved E = {.self = w,
                          .metric = metric,
                          .value = w->set.kept == DM_KEEP_DISCRETE ? discrete_energy : NULL,
                          .slow = w->fall};
  for (int i = 0; i < m; i++) w->e[i] = restitution(w, w->C[i]);
  dm_status status = dm_impact_apply(w->R, w->set.impact, &E, w->c->A0, m, w->G,
                                     u->restitution ? w->e : NULL, p, w->r, &info->impact);
  for (int i = 0; status >= 0 && i < m; i++) {
    w->impulse[w->C[i]] += w->r[i];
    w->contact[w->C[i]] |= w->r[i] > 0;
  }
  return status;
}

dm_status dm_contact_integrator_hold(dm_contact_integrator *w, const double *q, int k) {
  const dm_holonomic *hol = &w->c->s.hol;
  const int n = w->n, m = k + w->nc;
  w->rank = 0;
  dm_mass_matrix_place(w->mass, q);
  if (m == 0) return DM_OK;
  if (w->nc) DM_TRY(hol->eval(hol->self, w->c->hol, q, w->c->a, w->G + k * n));
  DM_TRY(metric(w, m, w->G, w->WG));
  // Cholesky of G W G'
  int rank = 0, *row = w->row;
  for (int i = m - 1; i >= 0 && rank < n; i--) { // equalities first
    const double *G = w->G + i * n;
    double *L = w->L + rank * n, size = dm_inner(n, G, w->WG + i * n), rest = size;
    for (int j = 0; j < rank; j++) {
      const double *Lj = w->L + j * n;
      L[j] = (dm_inner(n, G, w->WG + row[j] * n) - dm_inner(j, L, Lj)) / Lj[j];
      rest -= L[j] * L[j];
    }
    if (!(rest > 1e-12 * size)) continue;
    L[rank] = sqrt(rest);
    row[rank++] = i;
  }
  w->rank = rank;
  return DM_OK;
}

dm_status dm_contact_integrator_release(dm_contact_integrator *w, double *p) {
  const int n = w->n, rank = w->rank;
  if (rank == 0) return DM_OK;
  DM_TRY(metric(w, 1, p, w->v));
  // L L'y = -G v
  for (int i = 0; i < rank; i++) {
    const double *L = w->L + i * n;
    w->y[i] = (-dm_inner(n, w->G + w->row[i] * n, w->v) - dm_inner(i, L, w->y)) / L[i];
  }
  for (int i = rank - 1; i >= 0; i--) {
    double mu = w->y[i] /= w->L[i * n + i];
    for (int j = 0; j < i; j++) w->y[j] -= w->L[i * n + j] * mu;
    for (int j = 0; j < n; j++) p[j] += mu * w->G[w->row[i] * n + j];
  }
  return DM_OK;
}

dm_status dm_contact_integrator_restrict(dm_contact_integrator *w, const double *q, int k,
                                         double *p) {
  DM_TRY(dm_contact_integrator_hold(w, q, k));
  return dm_contact_integrator_release(w, p);
}

// -- predictors

dm_status dm_predict_forward(dm_contact_integrator *w, const dm_departure *at, double *q) {
  dm_mass_matrix_place(w->mass, at->q);
  DM_TRY(dm_mass_matrix_velocity(w->mass, 1, at->p, w->v));
  for (int i = 0; i < w->n; i++) q[i] = at->q[i] + at->h * w->v[i];
  return DM_OK;
}

dm_status dm_predict_step(dm_contact_integrator *w, const dm_departure *at, double *q) {
  dm_complementarity_info info;
  DM_TRY(step_freely(w, at, at->p, &info));
  memcpy(q, w->c->q, (size_t)w->n * sizeof *q);
  return DM_OK;
}

// -- the generalized variational integrator

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
    if (touches || restitution(w, i) > 0)
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
    if (!(w->g1[i] < -touch && w->g0[i] > touch && w->gh[i] > 0 && restitution(w, i) == 0))
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

const dm_contact_method dm_contact_methods[] = {
    {"gvi", gvi, NULL, true},
    {"smooth", smooth, NULL, true},
    {"gvi-linearized", linearized, NULL, false},
    {"direct-midpoint", dm_direct_midpoint, "midpoint", false},
    {"direct-endpoint", dm_direct_endpoint, "midpoint", false},
    {"newmark", dm_newmark, NULL, false},
    {"imex-newmark", dm_direct_endpoint, "trapezoid", false},
    {"collision", dm_collision, NULL, false},
    {0},
};

dm_status dm_contact_integrator_step(dm_contact_integrator *w, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     dm_contact_integrator_info *info) {
  const size_t bytes = (size_t)w->n * sizeof *q0;
  const dm_departure at = {q0, p0, u, h};
  *info = (dm_contact_integrator_info){.closing.worst = -1};
  // in a motion a step starts where the last one ended
  w->continued = w->started && memcmp(w->q, q0, bytes) == 0;
  for (int i = 0; i < w->ng; i++) w->before[i] = w->continued && w->contact[i];
  memset(w->contact, 0, (size_t)w->ng * sizeof *w->contact);
  memset(w->impulse, 0, (size_t)w->ng * sizeof *w->impulse);
  memset(w->rub, 0, 2 * (size_t)w->ng * sizeof *w->rub);
  if (!w->continued) DM_TRY(dm_contact_integrator_look(w, q0, w->g1, info));
  memcpy(w->g0, w->g1, (size_t)w->ng * sizeof *w->g0);
  w->started = false;
  dm_status status = w->method->step(w, &at, q1, p1, info);
  if (status < 0) return status;
  memcpy(w->q, q1, bytes);
  w->started = true;
  for (int i = 0; i < w->ng; i++) {
    info->made += w->contact[i] && !w->before[i];
    info->left += w->before[i] && !w->contact[i];
  }
  return status;
}

void dm_contact_integrator_explain(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                                   const dm_contact_integrator_info *info, int k) {
  const dm_unilateral *u = &w->c->g;
  const dm_complementarity *c = w->c;
  int worst = info->closing.worst;
  if (info->unsettled) worst = w->F->which[w->F->worst];
  if (info->impact.approaching > 0) worst = w->C[info->impact.worst];
  if (worst < 0 && s != DM_MAX_ITER && c->k) worst = c->number[c->k - 1];
  const char *name = worst >= 0 && u->name ? u->name(u->self, worst) : "?";
  if (s != DM_MAX_ITER && worst >= 0)
    dm_fail(msg, s, "no step from knot %d: %s, with contact '%s' held (residual %.3g, gap %.3g)", k,
            dm_status_text(s), name, info->closing.residual, info->closing.gap);
  else if (s != DM_MAX_ITER)
    dm_fail(msg, s, "no step from knot %d: %s (residual %.3g)", k, dm_status_text(s),
            info->closing.residual);
  else if (info->unsettled)
    dm_fail(msg, s,
            "no step from knot %d: friction and the force on contact '%s' do not settle (residual "
            "%.3g, after %d solutions)",
            k, name, info->closing.residual, info->rubs);
  else if (info->impact.approaching > 0)
    dm_fail(msg, s,
            "the impact at knot %d: after %d reflections contact '%s' still approaches, at %.3g", k,
            info->impact.passes, name, info->impact.approaching);
  else if (worst >= 0)
    dm_fail(msg, s,
            "no step from knot %d: contact '%s' is neither held nor left after %d changes "
            "(residual %.3g, gap %.3g)",
            k, name, info->closing.changes, info->closing.residual, info->closing.gap);
  else if (c->nc) {
    const dm_holonomic *hol = &c->s.hol;
    int row = 0;
    for (int i = 0; i < c->nc; i++)
      if (fabs(c->a[i]) > fabs(c->a[row])) row = i;
    dm_fail(msg, s,
            "no step from knot %d: Newton left a residual of %.3g and a gap of %.3g in constraint "
            "'%s'",
            k, info->closing.residual, info->closing.gap,
            hol->row_name ? hol->row_name(hol->self, row) : "?");
  } else
    dm_fail(msg, s, "no step from knot %d: Newton left a residual of %.3g and a gap of %.3g", k,
            info->closing.residual, info->closing.gap);
}

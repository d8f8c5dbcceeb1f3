#include "lib/contact/contact_integrator.h"

#include "lib/base/block.h"
#include "lib/contact/gap_rows.h"
#include "lib/contact/variational_contact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

dm_contact_integrator_settings dm_contact_integrator_default(void) {
  return (dm_contact_integrator_settings){.method = &dm_contact_gvi,
                                          .impact = DM_GENERALIZED,
                                          .energy = DM_ENERGY_HAMILTONIAN,
                                          .predictor = dm_predict_forward,
                                          .touch = 1e-9,
                                          .tangent = 1e-9,
                                          .beta = NAN,
                                          .gamma = NAN,
                                          .max_cuts = 100,
                                          .flight = 1. / 16};
}

// rows of a projection: equalities and, of any number of inequalities, more than can be independent
static int find_most_rows(const dm_contact_integrator *w) {
  const int room = 2 * w->n + 64;
  return w->nc + (w->ng < room ? w->ng : room);
}

static void lay_out_integrator(void *self, dm_block *b) {
  dm_contact_integrator *w = self;
  const size_t n = (size_t)w->n, ng = (size_t)w->ng, nc = (size_t)w->nc;
  const size_t most = (size_t)find_most_rows(w);

  // configurations and momenta [n]
  double **vectors[] = {&w->qh, &w->q,       &w->p,       &w->newmark_impulse, &w->x,
                        &w->v,  &w->jet.L_q, &w->jet.L_v, &w->change,          &w->last_change};
  for (int i = 0; i < 10; i++) *vectors[i] = dm_block_alloc(b, n, sizeof(double));

  // per inequality
  double **each[] = {&w->impulse, &w->g0,       &w->gh,    &w->g1,       &w->level, &w->e,
                     &w->r,       &w->admitted, &w->touch, &w->near_gap, &w->far};
  int **lists[] = {&w->C, &w->S, &w->E, &w->near};
  for (int i = 0; i < 11; i++) *each[i] = dm_block_alloc(b, ng, sizeof(double));
  for (int i = 0; i < 4; i++) *lists[i] = dm_block_alloc(b, ng, sizeof(int));
  w->contact = dm_block_alloc(b, ng, sizeof *w->contact);
  w->before = dm_block_alloc(b, ng, sizeof *w->before);
  w->pushed = dm_block_alloc(b, ng, sizeof *w->pushed);

  // friction, and rows with their impulses
  w->friction_impulse = dm_block_alloc(b, 2 * ng, sizeof *w->friction_impulse);
  w->held = dm_block_alloc(b, 2 * ng, sizeof *w->held);
  w->stuck = dm_block_alloc(b, ng, sizeof *w->stuck);
  dm_sparse_rows_lay_out(&w->G, b, w->n, ng, w->entries);
  dm_sparse_rows_lay_out(&w->A, b, w->n, nc, nc * n);
  dm_sparse_rows_lay_out(&w->J, b, w->n, most, most * n);
  dm_sparse_rows_lay_out(&w->T, b, w->n, most, most * n);
  w->number = dm_block_alloc(b, most, sizeof *w->number);
  w->rate = dm_block_alloc(b, most, sizeof *w->rate);
  w->q_near = dm_block_alloc(b, n, sizeof *w->q_near);
  w->full = dm_block_alloc(b, 2 * n, sizeof *w->full);
  w->y = dm_block_alloc(b, nc + ng, sizeof *w->y);
  w->lagrangian_scratch = dm_block_alloc(b, w->lagrangian_bytes, 1);
}

static dm_status make_friction(dm_contact_integrator *w, const dm_unilateral *g, dm_message *msg) {
  // allocate the friction workspace only if a contact has friction
  int rough = 0;
  for (int i = 0; g->friction && i < g->ng; i++) rough += g->friction[i] > 0;
  if (rough && !w->method->friction)
    return dm_fail(msg, DM_BAD_INPUT, "friction is for the methods gvi and smooth, not for %s",
                   w->method->name);
  if (rough && dm_friction_new(&w->F, w->n, rough) != DM_OK)
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  return DM_OK;
}

static dm_status make_parts(dm_contact_integrator *w, const dm_system *s, const dm_unilateral *g,
                            dm_message *msg) {
  // the system with the method's rule, but its own treatment of damping
  dm_system own = *s;
  const double left = s->rule.left;
  if (w->method->rule) {
    DM_TRY(dm_rule_set(&own.rule, w->method->rule, 0.5, "midpoint", msg));
    own.rule.left = left;
  }
  DM_TRY(dm_complementarity_new(&w->c, &own, g, msg));
  dm_status status = dm_mass_matrix_new(&w->mass, &s->L);
  if (status == DM_OK) status = dm_impact_new(&w->R, w->n, w->nc, w->ng, w->entries);
  if (status == DM_OK) status = dm_row_set_new(&w->factors, w->n, find_most_rows(w));
  if (status != DM_OK) return dm_fail(msg, status, "%s", dm_status_text(status));
  DM_TRY(make_friction(w, g, msg));

  // with beta = 0 the contact force does not affect q1
  if (w->method->force_by_beta && !(w->set.beta > 0))
    return dm_fail(msg, DM_BAD_INPUT, "%s: found beta %g, expected a number > 0", w->method->name,
                   w->set.beta);

  // methods that require a constant mass matrix
  const char *constant = w->method->constant_mass;
  if (!constant && w->set.energy == DM_ENERGY_VERLET)
    constant = "the numerical Hamiltonian of Stoermer-Verlet";
  if (constant && !w->mass->constant)
    return dm_fail(msg, DM_BAD_INPUT,
                   "%s needs a mass matrix that does not change with the configuration", constant);

  // data that a method would ignore silently: restitutions, and forces other than those of the
  // potential
  const dm_contact_method *m = w->method;
  for (int i = 0; m->bounces_by_grid && g->restitution && i < g->ng; i++)
    if (g->restitution[i] != 1)
      return dm_fail(msg, DM_BAD_INPUT,
                     "%s: contact '%s' has the restitution %g, expected none: how far it bounces "
                     "hangs on the grid; take gvi or collision",
                     m->name, g->name ? g->name(g->self, i) : "?", g->restitution[i]);
  if (!m->potential_alone) return DM_OK;

  const char *found = NULL;
  for (int i = 0; s->damping && i < s->L.nq; i++)
    if (s->damping[i] != 0) found = "damping";
  if (s->force.count) found = "dampers, wrenches or other forces";
  if (s->nu) found = "inputs";
  if (!found) return DM_OK;
  return dm_fail(msg, DM_BAD_INPUT,
                 "%s: found %s, expected no forces but those of potentials and contacts; take gvi",
                 m->name, found);
}

dm_status dm_contact_integrator_new(dm_contact_integrator **out, const dm_system *s,
                                    const dm_unilateral *g,
                                    const dm_contact_integrator_settings *set, dm_message *msg) {
  assert(out && s && g);
  dm_contact_integrator sizes = {
      .n = s->L.nq, .nc = s->hol.nc, .ng = g->ng, .lagrangian_bytes = s->L.scratch};
  sizes.entries = dm_gap_entries(g, sizes.n);
  sizes.set = set ? *set : dm_contact_integrator_default();
  sizes.method = sizes.set.method;
  if (isnan(sizes.set.beta)) sizes.set.beta = sizes.method->beta;
  if (isnan(sizes.set.gamma)) sizes.set.gamma = sizes.method->gamma;
  dm_contact_integrator *w = dm_block_make(&sizes, sizeof sizes, lay_out_integrator);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "out of memory");

  // after a failure, free the parts created so far
  dm_status status = make_parts(w, s, g, msg);
  if (status != DM_OK) {
    dm_contact_integrator_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_contact_integrator_free(dm_contact_integrator *w) {
  if (w) {
    dm_complementarity_free(w->c);
    dm_mass_matrix_free(w->mass);
    dm_impact_free(w->R);
    dm_row_set_free(w->factors);
    dm_friction_free(w->F);
  }
  dm_block_free(w);
}

void dm_contact_integrator_restart(dm_contact_integrator *w) {
  w->started = false;

  // the factor of the last step, its multipliers and its forces
  w->c->M1_valid = false;
  memset(w->c->gamma, 0, (size_t)w->nc * sizeof *w->c->gamma);
  memset(w->c->d->nodes->jet.L_q, 0, (size_t)w->n * sizeof *w->c->d->nodes->jet.L_q);
}

dm_status dm_contact_integrator_energy(dm_contact_integrator *w, const double *q, const double *p,
                                       double *H) {
  dm_mass_matrix_place(w->mass, q);
  return dm_mass_matrix_energy(w->mass, 0, p, H);
}

// tolerances of closed gaps at the start of a motion
static void find_touch(dm_contact_integrator *w, const dm_departure *at) {
  const dm_unilateral *u = &w->c->g;

  // length scale: of the robot, or a tenth of the distance moved in a step
  const dm_system *s = &w->c->s;
  double length = dm_system_length(s, at->q);
  dm_mass_matrix_place(w->mass, at->q);
  const bool moves = dm_mass_matrix_eval(w->mass) == DM_OK &&
                     dm_mass_matrix_velocity(w->mass, 1, at->p, w->v) == DM_OK &&
                     dm_mass_matrix_velocity(w->mass, 1, w->mass->jet.L_q, w->x) == DM_OK;
  for (int i = 0; moves && s->length && i < w->n; i++)
    if (s->length[i])
      length = fmax(length, 0.1 * at->h * fmax(fabs(w->v[i]), at->h * fabs(w->x[i])));
  w->c->length = length > 0 && isfinite(length) ? length : 1;

  for (int i = 0; i < w->ng; i++)
    w->touch[i] = w->set.touch * u->scale[i] * (u->angle && u->angle[i] ? 1 : w->c->length);
}

// forget the impulses of contact i, and keep whether it was a contact
static void start_contact(dm_contact_integrator *w, int i) {
  w->before[i] = w->continued && w->contact[i];
  w->contact[i] = false;
  w->impulse[i] = w->friction_impulse[2 * i] = w->friction_impulse[2 * i + 1] = 0;
  w->g0[i] = w->g1[i];
}

// Gaps and contacts at the start of a step; the near contacts are chosen again at the start of a
// motion, and when half the reserve is used up.
static dm_status start_from_last(dm_contact_integrator *w, const dm_departure *at,
                                 dm_contact_integrator_info *info) {
  bool anew = !w->continued || (w->method->near_alone && w->nnear == w->ng);
  w->reserve /= 2;
  anew |= !dm_contact_integrator_in_reserve(w, at->q);
  w->reserve *= 2;
  if (!w->continued) find_touch(w, at);
  if (!anew) {
    for (int k = 0; k < w->nnear; k++) start_contact(w, w->near[k]);
    return DM_OK;
  }
  w->nnear = w->ng;
  for (int i = 0; i < w->ng; i++) w->near[i] = i;
  DM_TRY(dm_contact_integrator_evaluate_gaps(w, at->q, w->g1, info));
  for (int i = 0; i < w->ng; i++) start_contact(w, i);
  dm_contact_integrator_gather_near(w, at->q);
  return DM_OK;
}

dm_status dm_contact_integrator_step(dm_contact_integrator *w, const double *q0, const double *p0,
                                     const double *u, double h, double *q1, double *p1,
                                     dm_contact_integrator_info *info) {
  assert(w && q0 && p0 && q1 && p1 && info);
  const size_t bytes = (size_t)w->n * sizeof *q0;
  const dm_departure at = {q0, p0, u, h};
  *info = (dm_contact_integrator_info){.met = -1, .solve.worst = -1};

  // a step that starts at the end of the previous one keeps its contacts and gaps
  w->at = &at;
  w->continued = w->started && memcmp(w->q, q0, bytes) == 0;
  DM_TRY(start_from_last(w, &at, info));

  // step of the method; after a failure the next step starts a new motion
  w->started = false;
  dm_status status = w->method->step(w, &at, q1, p1, info);
  if (status < 0) return status;
  memcpy(w->q, q1, bytes);
  w->started = true;

  // compare with the contacts of the previous step
  for (int k = 0; k < w->nnear; k++) {
    const int i = w->near[k];
    info->made += w->contact[i] && !w->before[i];
    info->left += w->before[i] && !w->contact[i];
  }
  return status;
}

// -- messages

// the index of the inequality that caused the failure; -1: none
static int find_culprit(dm_status s, const dm_contact_integrator *w,
                        const dm_contact_integrator_info *info) {
  const dm_complementarity *c = w->c;
  if (info->impact.approaching > 0) return w->C[info->impact.worst];
  if (info->friction_unsettled) return w->F->which[w->F->worst];
  if (info->solve.worst >= 0) return info->solve.worst;

  // singular matrix: the last closed contact
  return s != DM_MAX_ITER && c->nclosed ? c->closed_number[c->nclosed - 1] : -1;
}

// Newton's method reached its limit: name the equality with the largest residual, if any
static void explain_newton(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                           const dm_contact_integrator_info *info, int k) {
  const dm_complementarity *c = w->c;
  const dm_holonomic *hol = &c->s.hol;
  if (c->nc == 0) {
    dm_fail(msg, s,
            "no step from knot %d: Newton left a residual of %.3g and a gap of %.3g m or rad; take "
            "shorter steps",
            k, info->solve.residual, info->solve.gap);
    return;
  }

  // equality with the largest residual
  int row = 0;
  for (int i = 0; i < c->nc; i++)
    if (fabs(c->a[i]) > fabs(c->a[row])) row = i;
  dm_fail(msg, s,
          "no step from knot %d: Newton left a residual of %.3g and a gap of %.3g m or rad in "
          "constraint '%s'; take shorter steps",
          k, info->solve.residual, info->solve.gap,
          hol->row_name ? hol->row_name(hol->self, row) : "?");
}

// Explain a contact that the method does not support; returns false for other failures.
static bool explain_met(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                        const dm_contact_integrator_info *info, int k) {
  const dm_unilateral *u = &w->c->g;
  const int i = info->met;
  if (i < 0) return false;
  const char *name = u->name ? u->name(u->self, i) : "?";

  // event-driven: too many contacts; smooth: a closed contact that is not smooth, or a new contact
  if (s == DM_MAX_ITER && info->cuts == w->set.max_cuts)
    dm_fail(msg, s,
            "no step from knot %d: contacts are met %d times within it, '%s' the last; take a "
            "shorter step, or the method gvi",
            k, info->cuts, name);
  else if (s == DM_INFEASIBLE && w->g0[i] <= w->touch[i])
    dm_fail(msg, s,
            "no step from knot %d: contact '%s' is closed and approaches, which is not smooth; "
            "take the method gvi",
            k, name);
  else if (s == DM_INFEASIBLE)
    dm_fail(msg, s,
            "no step from knot %d: contact '%s' is open by %.3g and would be passed; the method %s "
            "keeps to contacts that are closed; take gvi",
            k, name, w->g0[i] / u->scale[i], w->method->name);
  return s == DM_INFEASIBLE || (s == DM_MAX_ITER && info->cuts == w->set.max_cuts);
}

void dm_contact_integrator_explain(dm_message *msg, dm_status s, const dm_contact_integrator *w,
                                   const dm_contact_integrator_info *info, int k) {
  const dm_unilateral *u = &w->c->g;
  const dm_complementarity_info *solve = &info->solve;
  int worst = find_culprit(s, w, info);
  const char *name = worst >= 0 && u->name ? u->name(u->self, worst) : "?";
  if (explain_met(msg, s, w, info, k)) return;

  // singular or not finite first; then, for an iteration limit, the part that did not converge
  if (s != DM_MAX_ITER && worst >= 0)
    dm_fail(msg, s,
            "no step from knot %d: %s, with contact '%s' closed (residual %.3g, gap %.3g m or "
            "rad); take shorter steps",
            k, dm_status_text(s), name, solve->residual, solve->gap);
  else if (s != DM_MAX_ITER)
    dm_fail(msg, s, "no step from knot %d: %s (residual %.3g); take shorter steps", k,
            dm_status_text(s), solve->residual);
  else if (info->friction_unsettled)
    dm_fail(msg, s,
            "no step from knot %d: friction and the force on contact '%s' do not settle (residual "
            "%.3g, after %d solutions); take shorter steps, or less friction",
            k, name, solve->residual, info->friction_solves);
  else if (info->impact.approaching > 0)
    dm_fail(msg, s,
            "the impact at knot %d: after %d reflections contact '%s' still approaches, at %.3g "
            "m/s or rad/s; take shorter steps, or less restitution",
            k, info->impact.passes, name, info->impact.approaching);
  else if (worst >= 0)
    dm_fail(msg, s,
            "no step from knot %d: contact '%s' is neither closed nor open after %d changes "
            "(residual %.3g, gap %.3g m or rad); take shorter steps",
            k, name, solve->changes, solve->residual, solve->gap);
  else
    explain_newton(msg, s, w, info, k);
}

#include "control/loop/stopped_plant.h"

#include "control/loop/contact_start.h"
#include "lib/base/block.h"
#include "lib/base/ode.h"
#include "lib/contact/contact_integrator.h"
#include "lib/contact/knot_step.h"
#include "lib/contact/stopped_motion.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// whether all stops have restitution 0 and no friction
static bool is_stop(const dm_unilateral *g) {
  if (g->friction || !g->restitution) return false;
  for (int i = 0; i < g->ng; i++)
    if (g->restitution[i] != 0) return false;
  return true;
}

static bool is_finite(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return isfinite(sum);
}

// -- the discrete map

typedef struct stopped_map {
  dm_contact_integrator *steps;
  const dm_system *s;   // whose contacts a start must not violate; NULL: starts are given
  int n, ng, parts;     // steps of the integrator in a step
  dm_unilateral flat;   // the contacts above ground of height 0
  const double *height; // [ng] of the ground under each; NULL: 0
  long *met;
  double *x;       // [2n] the state at the end of the last step
  double *plastic; // [ng] restitutions, zeros
} stopped_map;

static dm_status step_parts(stopped_map *w, const double *x, const double *u, double h) {
  dm_contact_integrator_info info;
  const int n = w->n;
  memcpy(w->x, x, 2 * (size_t)n * sizeof *x);
  for (int i = 0; i < w->parts; i++) {
    DM_TRY(dm_contact_integrator_step(w->steps, w->x, w->x + n, u, h / w->parts, w->x, w->x + n,
                                      &info));
    if (w->met) *w->met += info.closed + info.impact.reflected > 0;
  }
  return is_finite(2 * n, w->x) ? DM_OK : DM_NOT_FINITE;
}

static dm_status step_map(void *self, double *x, const double *u, double h) {
  stopped_map *w = self;
  const size_t bytes = (size_t)w->n * sizeof *x;
  if (memcmp(x, w->x, bytes) != 0) {
    dm_contact_integrator_restart(w->steps);
    if (w->s) DM_TRY(fb_contact_start(w->s, NULL, x, NULL));
  }

  // x changes only on success
  DM_TRY(step_parts(w, x, u, h));
  memcpy(x, w->x, 2 * bytes);
  return DM_OK;
}

// -- contacts above ground of other heights

static dm_status find_raised_values(const void *self, void *scratch, const double *q, double *g) {
  const stopped_map *w = self;
  DM_TRY(w->flat.values(w->flat.self, scratch, q, g));
  for (int i = 0; i < w->ng; i++) g[i] -= w->height[i];
  return DM_OK;
}

static dm_status find_raised_rows(const void *self, void *scratch, const double *q, int m,
                                  const int *which, double *g, double *G) {
  const stopped_map *w = self;
  DM_TRY(w->flat.rows(w->flat.self, scratch, q, m, which, g, G));
  for (int k = 0; k < m; k++) g[k] -= w->height[which[k]];
  return DM_OK;
}

static dm_status contract_raised(const void *self, void *scratch, const double *q, int m,
                                 const int *which, const double *lambda, double *H) {
  const stopped_map *w = self;
  return w->flat.contract(w->flat.self, scratch, q, m, which, lambda, H);
}

static dm_status find_raised_tangents(const void *self, void *scratch, const double *q,
                                      const double *other, int m, const int *which, double *tau,
                                      double *T) {
  const stopped_map *w = self;
  return w->flat.tangents(w->flat.self, scratch, q, other, m, which, tau, T);
}

static const char *name_raised(const void *self, int i) {
  const stopped_map *w = self;
  return w->flat.name ? w->flat.name(w->flat.self, i) : "?";
}

// a change of a height may close a contact: none is known to stay open
static dm_unilateral raise_contacts(const stopped_map *w) {
  dm_unilateral g = w->flat;
  g.self = w;
  g.values = find_raised_values;
  g.rows = find_raised_rows;
  g.contract = contract_raised;
  g.tangents = g.tangents ? find_raised_tangents : NULL;
  g.name = name_raised;
  g.first = g.column = NULL;
  g.entries = NULL;
  g.reach = NULL;
  return g;
}

static void free_map(void *self) {
  stopped_map *w = self;
  if (w) dm_contact_integrator_free(w->steps);
  dm_block_free(w);
}

static void lay_out_map(void *self, dm_block *b) {
  stopped_map *w = self;
  w->x = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->x);
  w->plastic = dm_block_alloc(b, (size_t)w->ng, sizeof *w->plastic);
}

// The integrator of g with restitution 0.
static dm_status make_map(fb_plant *out, const dm_system *s, const dm_unilateral *g,
                          const stopped_map *sizes) {
  stopped_map copy = *sizes;
  stopped_map *w = dm_block_make(&copy, sizeof copy, lay_out_map);
  if (!w) return DM_NO_MEMORY;
  for (int i = 0; i < w->n; i++) w->x[i] = NAN; // no motion yet
  w->flat = *g;
  dm_unilateral plastic = w->height ? raise_contacts(w) : *g;
  plastic.restitution = w->plastic;
  dm_message why;
  const dm_status status = dm_contact_integrator_new(&w->steps, s, &plastic, NULL, &why);
  if (status != DM_OK) {
    free_map(w);
    return status == DM_BAD_INPUT ? DM_UNAVAILABLE : status;
  }
  *out = (fb_plant){.n = s->L.nq, .nu = s->nu, .self = w, .step = step_map, .free = free_map};
  return DM_OK;
}

dm_status fb_plant_contacts(fb_plant *out, const dm_system *s, const dm_unilateral *g, int parts) {
  assert(out && s && s->contacts && g && parts > 0);
  if (s->nk) return DM_UNAVAILABLE;
  return make_map(out, s, g, &(stopped_map){.s = s, .n = s->L.nq, .ng = g->ng, .parts = parts});
}

dm_status fb_plant_feet(fb_plant *out, const dm_system *s, const dm_unilateral *g,
                        const double *height) {
  assert(out && s && g && height);
  if (s->nk) return DM_UNAVAILABLE;
  return make_map(out, s, g,
                  &(stopped_map){.n = s->L.nq, .ng = g->ng, .parts = 1, .height = height});
}

dm_status fb_plant_discrete_stopped(fb_plant *out, const dm_system *s, const dm_unilateral *stops,
                                    long *met) {
  assert(out && s && stops);
  if (s->nk || !is_stop(stops)) return DM_UNAVAILABLE;
  return make_map(out, s, stops,
                  &(stopped_map){.n = s->L.nq, .ng = stops->ng, .parts = 1, .met = met});
}

// -- dry friction

typedef struct sticking_map {
  dm_knot_step *steps;
  int n, parts;
  double *q, *x; // [n] the guess of a step; [2n] the state at the end of the last step
  double *dq;    // [n] the last step of the map
} sticking_map;

static dm_status stick_or_slide(sticking_map *w, const double *x, const double *u, double h) {
  const int n = w->n;
  memcpy(w->x, x, 2 * (size_t)n * sizeof *x);
  for (int part = 0; part < w->parts; part++) {
    for (int i = 0; i < n; i++) w->q[i] = w->x[i] + w->dq[i];
    DM_TRY(dm_knot_step_take(w->steps, 1, w->x, w->x + n, u, h / w->parts, w->q, w->x + n));
    for (int i = 0; i < n; i++) w->dq[i] = w->q[i] - w->x[i];
    memcpy(w->x, w->q, (size_t)n * sizeof *x);
  }
  return is_finite(2 * n, w->x) ? DM_OK : DM_NOT_FINITE;
}

static dm_status step_sticking(void *self, double *x, const double *u, double h) {
  sticking_map *w = self;
  const size_t bytes = (size_t)w->n * sizeof *x;
  if (memcmp(x, w->x, bytes) != 0) {
    memset(w->dq, 0, bytes);
    memset(w->steps->impulse, 0, (size_t)w->steps->nr * sizeof *x);
    memset(w->steps->del->lambda, 0, (size_t)w->steps->del->nc * sizeof *x);
  }

  // x changes only on success
  DM_TRY(stick_or_slide(w, x, u, h));
  memcpy(x, w->x, 2 * bytes);
  return DM_OK;
}

static void free_sticking(void *self) {
  sticking_map *w = self;
  if (w) dm_knot_step_free(w->steps);
  dm_block_free(w);
}

static void lay_out_sticking(void *self, dm_block *b) {
  sticking_map *w = self;
  w->q = dm_block_alloc(b, (size_t)w->n, sizeof *w->q);
  w->x = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->x);
  w->dq = dm_block_alloc(b, (size_t)w->n, sizeof *w->dq);
}

dm_status fb_plant_sticking(fb_plant *out, const dm_system *s, int parts) {
  assert(out && s && s->contacts && parts > 0);
  if (s->nk) return DM_UNAVAILABLE;
  sticking_map sizes = {.n = s->L.nq, .parts = parts};
  sticking_map *w = dm_block_make(&sizes, sizeof sizes, lay_out_sticking);
  if (!w) return DM_NO_MEMORY;
  const dm_status status = dm_knot_step_new(&w->steps, s);
  if (status != DM_OK) {
    free_sticking(w);
    return status;
  }
  *out = (fb_plant){
      .n = s->L.nq, .nu = s->nu, .self = w, .step = step_sticking, .free = free_sticking};
  return DM_OK;
}

// -- the continuous equations

typedef struct stopped_equations {
  dm_continuous *mechanics;
  dm_stopped_motion *motion;
  dm_ode *ode;
  int n;
  long *met;
  double *y; // [2n] (q,v)
} stopped_equations;

static dm_status advance_equations(void *self, dm_motion_rate *f, void *of, double time,
                                   double *y) {
  stopped_equations *w = self;
  return dm_ode_integrate(w->ode, f, of, DM_ODE_EXPLICIT, time, y, NULL);
}

static dm_status step_equations(void *self, double *x, const double *u, double h) {
  stopped_equations *w = self;
  const int n = w->n;
  memset(w->y + n, 0, (size_t)n * sizeof *w->y);
  dm_system_motion_sizes(&w->mechanics->s, h, dm_ode_sizes(w->ode));
  DM_TRY(dm_configuration_of(w->mechanics, x, w->y, w->y + n));
  const dm_status s = dm_stopped_motion_step(w->motion, u, h, w->y, advance_equations, w);
  if (s != DM_OK) return s;
  if (w->met) *w->met += dm_stopped_motion_met(w->motion) > 0;
  return dm_state_of(w->mechanics, w->y, w->y + n, x);
}

static void free_equations(void *self) {
  stopped_equations *w = self;
  if (!w) return;
  dm_ode_free(w->ode);
  dm_stopped_motion_free(w->motion);
  dm_continuous_free(w->mechanics);
  dm_block_free(w);
}

static void lay_out_equations(void *self, dm_block *b) {
  stopped_equations *w = self;
  w->y = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->y);
}

dm_status fb_plant_continuous_stopped(fb_plant *out, const dm_system *s, const dm_unilateral *stops,
                                      double tol, long *met) {
  assert(out && s && stops && tol > 0);
  if (s->nk || !is_stop(stops)) return DM_UNAVAILABLE;
  stopped_equations sizes = {.n = s->L.nq, .met = met};
  stopped_equations *w = dm_block_make(&sizes, sizeof sizes, lay_out_equations);
  if (!w) return DM_NO_MEMORY;
  dm_status status = dm_continuous_new(&w->mechanics, s);
  if (status == DM_OK) status = dm_stopped_motion_new(&w->motion, s, stops);
  if (status == DM_OK) status = dm_ode_new(&w->ode, 2 * w->n, tol);
  if (status != DM_OK) {
    free_equations(w);
    return status;
  }
  *out = (fb_plant){
      .n = s->L.nq, .nu = s->nu, .self = w, .step = step_equations, .free = free_equations};
  return DM_OK;
}

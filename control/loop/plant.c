#include "control/loop/plant.h"

#include "lib/base/block.h"
#include "lib/base/ode.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void fb_plant_free(fb_plant *p) {
  if (p->free) p->free(p->self);
  *p = (fb_plant){0};
}

static bool is_finite(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  return isfinite(sum);
}

// -- the discrete map

typedef struct discrete {
  dm_del *del;
  int n;
  double *q, *p; // [n] the end of the last step
  double *dq;    // [n] the last step
} discrete;

static dm_status step_discrete(void *self, double *x, const double *u, double h) {
  discrete *w = self;
  int n = w->n;
  size_t bytes = (size_t)n * sizeof(double);
  dm_del_info info;

  // the initial guess is the previous step, with its impulses if the motion continues from there
  bool goes_on = memcmp(x, w->q, bytes) == 0;
  if (!goes_on) memset(w->del->lambda, 0, (size_t)w->del->nc * sizeof *w->del->lambda);
  for (int i = 0; i < n; i++) w->q[i] = x[i] + (goes_on ? w->dq[i] : 0);

  // (q0,p0) -> (q1,p1); x changes only on success
  dm_status s = dm_del_step(w->del, x, x + n, u, h, w->q, w->p, &info);
  if (s == DM_OK && !(is_finite(n, w->q) && is_finite(n, w->p))) s = DM_NOT_FINITE;
  if (s != DM_OK) return s;
  for (int i = 0; i < n; i++) w->dq[i] = w->q[i] - x[i];
  memcpy(x, w->q, bytes);
  memcpy(x + n, w->p, bytes);
  return DM_OK;
}

static void free_discrete(void *self) {
  discrete *w = self;
  if (w) dm_del_free(w->del);
  dm_block_free(w);
}

static void lay_out_discrete(void *self, dm_block *b) {
  discrete *w = self;
  w->q = dm_block_alloc(b, (size_t)w->n, sizeof *w->q);
  w->p = dm_block_alloc(b, (size_t)w->n, sizeof *w->p);
  w->dq = dm_block_alloc(b, (size_t)w->n, sizeof *w->dq);
}

dm_status fb_plant_discrete(fb_plant *out, const dm_system *s) {
  assert(out);
  discrete sizes = {.n = s->L.nq};
  discrete *w = dm_block_make(&sizes, sizeof sizes, lay_out_discrete);
  if (!w) return DM_NO_MEMORY;

  // the step's solver, Newton's method with its default settings
  dm_status status = dm_del_new(&w->del, s, NULL);
  if (status != DM_OK) {
    free_discrete(w);
    return status;
  }
  *out = (fb_plant){.n = s->L.nq,
                    .nu = dm_system_inputs(s),
                    .self = w,
                    .step = step_discrete,
                    .free = free_discrete};
  return DM_OK;
}

// -- the continuous equations

typedef struct continuous {
  dm_continuous *mechanics;
  dm_ode *ode;
  int n;
  const double *u; // held over the current step
  double *y;       // [2n] (q,v)
} continuous;

// (q,v)' = (v, a(q,v,u))
static dm_status find_motion_rate(void *self, const double *y, double *rate) {
  continuous *w = self;
  memcpy(rate, y + w->n, (size_t)w->n * sizeof *rate);
  return dm_acceleration(w->mechanics, y, y + w->n, w->u, rate + w->n);
}

static dm_status step_continuous(void *self, double *x, const double *u, double h) {
  continuous *w = self;
  int n = w->n;

  // (q,v) of the state, integrated over h under u, then the state again
  w->u = u;
  memset(w->y + n, 0, (size_t)n * sizeof *w->y);
  dm_system_motion_sizes(&w->mechanics->s, h, dm_ode_sizes(w->ode));
  DM_TRY(dm_configuration_of(w->mechanics, x, w->y, w->y + n));
  dm_status s = dm_ode_integrate(w->ode, find_motion_rate, w, DM_ODE_EXPLICIT, h, w->y, NULL);
  return s == DM_OK ? dm_state_of(w->mechanics, w->y, w->y + n, x) : s;
}

static void free_continuous(void *self) {
  continuous *w = self;
  if (!w) return;
  dm_ode_free(w->ode);
  dm_continuous_free(w->mechanics);
  dm_block_free(w);
}

static void lay_out_continuous(void *self, dm_block *b) {
  continuous *w = self;
  w->y = dm_block_alloc(b, 2 * (size_t)w->n, sizeof *w->y);
}

dm_status fb_plant_continuous(fb_plant *out, const dm_system *s, double tol) {
  assert(out && tol > 0);
  if (s->nk) return DM_UNAVAILABLE;
  continuous sizes = {.n = s->L.nq};
  continuous *w = dm_block_make(&sizes, sizeof sizes, lay_out_continuous);
  if (!w) return DM_NO_MEMORY;

  // the equations, and their integrator
  dm_status status = dm_continuous_new(&w->mechanics, s);
  if (status == DM_OK) status = dm_ode_new(&w->ode, 2 * w->n, tol);
  if (status != DM_OK) {
    free_continuous(w);
    return status;
  }
  *out = (fb_plant){
      .n = s->L.nq, .nu = s->nu, .self = w, .step = step_continuous, .free = free_continuous};
  return DM_OK;
}

#include "lib/discrete/driven_steps.h"

#include "lib/base/block.h"

#include <string.h>

// The arguments of a step.
typedef struct dm_driven_call {
  int k;
  const double *q0, *p0;
  double h, *q1, *p1, *lambda;
  dm_status status; // of the last trial
} dm_driven_call;

static void lay_out_motors(void *self, dm_block *b) {
  dm_driven_steps *w = self;
  const size_t nu = (size_t)w->d->n, n = (size_t)w->n, inputs = (size_t)w->inputs;
  w->m = dm_block_alloc(b, inputs, sizeof(double));
  w->next = dm_block_alloc(b, nu, sizeof(double));
  w->u = dm_block_alloc(b, inputs, sizeof(double));
  w->wanted = dm_block_alloc(b, nu, sizeof(double));
  w->q1 = dm_block_alloc(b, n, sizeof(double));
  w->scratch = dm_block_alloc(b, 2 * nu + n, sizeof(double));
  w->call = dm_block_alloc(b, 1, sizeof *w->call);
}

dm_status dm_driven_steps_new(dm_driven_steps **out, const dm_stepper *inner,
                              const dm_drive_limits *d, int n, int inputs) {
  dm_driven_steps sizes = {.n = n, .inputs = inputs, .inner = *inner, .d = d};
  *out = dm_block_make(&sizes, sizeof sizes, lay_out_motors);
  return *out ? DM_OK : DM_NO_MEMORY;
}

void dm_driven_steps_free(dm_driven_steps *w) {
  dm_block_free(w);
}

static dm_status start_driven(void *self, const double *q0, const double *u, double h, double *p0) {
  dm_driven_steps *w = self;
  (void)u; // the torques are 0
  return w->inner.start(w->inner.self, q0, w->m, h, p0);
}

// a step under u
static dm_status try_input(void *self, const double *u, double *speed) {
  dm_driven_steps *w = self;
  dm_driven_call *c = w->call;
  memcpy(c->q1, w->q1, (size_t)w->n * sizeof *c->q1);
  c->status = w->inner.step(w->inner.self, c->k, c->q0, c->p0, u, c->h, c->q1, c->p1, c->lambda);
  DM_TRY(c->status);
  for (int i = 0; i < w->n; i++) speed[i] = (c->q1[i] - c->q0[i]) / c->h;
  return DM_OK;
}

static dm_status step_driven(void *self, int k, const double *q0, const double *p0, const double *u,
                             double h, double *q1, double *p1, double *lambda) {
  dm_driven_steps *w = self;
  const int nu = w->d->n;
  memcpy(w->q1, q1, (size_t)w->n * sizeof *q1);
  for (int i = nu; i < w->inputs; i++) w->u[i] = u[i];
  for (int i = 0; i < nu; i++) {
    w->next[i] = w->m[i];
    w->wanted[i] = dm_drive_limits_move(w->d, i, u[i], h, &w->next[i]);
  }
  *w->call = (dm_driven_call){k, q0, p0, h, q1, p1, lambda, DM_OK};
  const dm_status s = dm_drive_limits_solve(w->d, w->wanted, w->u, w->scratch, try_input, w);
  w->lost = s != DM_OK && w->call->status == DM_OK;
  if (s == DM_OK && k >= 0) memcpy(w->m, w->next, (size_t)nu * sizeof *w->m);
  return s;
}

static void explain_driven(const void *self, dm_message *msg, dm_status s, int k,
                           const char *const *name) {
  const dm_driven_steps *w = self;
  if (w->lost)
    dm_fail(
        msg, s,
        "step %d: no torque on the torque-speed lines of model.drives is found; try shorter steps",
        k);
  else
    w->inner.explain(w->inner.self, msg, s, k, name);
}

dm_stepper dm_driven_stepper(dm_driven_steps *w) {
  dm_stepper out = w->inner;
  out.self = w;
  out.input = w->u;
  out.start = w->inner.start ? start_driven : NULL;
  out.step = step_driven;
  out.explain = explain_driven;
  return out;
}

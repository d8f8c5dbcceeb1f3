#include "lib/studies/variable_steps.h"

#include "lib/base/block.h"
#include "lib/base/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double SAFE = 0.9, LONGER = 2, SHORTER = 0.2; // of a new length
static const double LEAST = 1e-9;                          // length, of an output interval

static void lay_out_variable(void *self, dm_block *b) {
  dm_variable_steps *w = self;
  const size_t n = (size_t)w->n, d = sizeof(double);
  for (int i = 0; i < 3; i++) {
    w->q[i] = dm_block_alloc(b, n, d);
    w->p[i] = dm_block_alloc(b, n, d);
  }
  w->at = dm_block_alloc(b, n, d);
  w->mom = dm_block_alloc(b, n, d);
  w->lambda = dm_block_alloc(b, (size_t)w->nc, d);
}

dm_status dm_variable_steps_new(dm_variable_steps **out, const dm_system *s, double tolerance) {
  assert(out && s && !s->nk && tolerance > 0);
  dm_variable_steps sizes = {.n = s->L.nq, .nc = s->hol.nc, .tolerance = tolerance};
  dm_variable_steps *w = dm_block_make(&sizes, sizeof sizes, lay_out_variable);
  if (!w) return DM_NO_MEMORY;
  const dm_status status = dm_del_new(&w->del, s, NULL);
  if (status != DM_OK) {
    dm_variable_steps_free(w);
    return status;
  }
  *out = w;
  return DM_OK;
}

void dm_variable_steps_free(dm_variable_steps *w) {
  if (!w) return;
  dm_del_free(w->del);
  dm_block_free(w);
}

// a step from (q0,p0) to entry i
static dm_status try_step(dm_variable_steps *w, int i, const double *q0, const double *p0,
                          const double *u, double h) {
  return dm_del_step(w->del, q0, p0, u, h, w->q[i], w->p[i], &w->info);
}

// one step of h and two of h/2 from (at, mom); their difference relative to the motion
static dm_status try_pair(dm_variable_steps *w, const double *u, double h, double *error) {
  const size_t bytes = (size_t)w->n * sizeof(double);
  memcpy(w->q[0], w->at, bytes);
  dm_status s = try_step(w, 0, w->at, w->mom, u, h);
  if (s != DM_OK) return s;
  for (int i = 0; i < w->n; i++) w->q[1][i] = (w->at[i] + w->q[0][i]) / 2;
  memcpy(w->q[2], w->q[0], bytes);
  s = try_step(w, 1, w->at, w->mom, u, h / 2);
  if (s != DM_OK) return s;
  memcpy(w->lambda, w->del->lambda, (size_t)w->nc * sizeof *w->lambda);
  s = try_step(w, 2, w->q[1], w->p[1], u, h / 2);
  if (s != DM_OK) return s;

  double off = 0, size = 0;
  for (int i = 0; i < w->n; i++) {
    const double p = fmax(fabs(w->mom[i]), fabs(w->p[2][i]));
    off += fabs(w->q[0][i] - w->q[2][i]) * p;
    size += fabs(w->q[2][i] - w->at[i]) * p;
  }
  *error = size > 0 ? off / size : 0;
  return DM_OK;
}

static dm_status take_interval(void *self, int k, const double *q0, const double *p0,
                               const double *u, double h, double *q1, double *p1, double *lambda) {
  dm_variable_steps *w = self;
  const size_t bytes = (size_t)w->n * sizeof(double);
  double done = 0, error;
  if (k <= 0) w->length = h;
  memcpy(w->at, q0, bytes);
  memcpy(w->mom, p0, bytes);
  for (int c = 0; c < w->nc; c++) lambda[c] = 0;
  while (done < h) {
    // a last step, or two equal ones instead of a very short one
    double step = w->length;
    const bool last = step >= h - done;
    if (last) step = h - done;
    if (!last && 2 * step > h - done) step = (h - done) / 2;
    const dm_status s = try_pair(w, u, step, &error);
    if (s < 0 && s != DM_SINGULAR && s != DM_NOT_FINITE) return s;
    const double share = s == DM_OK ? SAFE * sqrt(w->tolerance / fmax(error, 1e-300)) : SHORTER;
    const bool accepted = s == DM_OK && error <= w->tolerance;
    w->refused += !accepted;
    if (accepted && !last) w->length = step * fmin(LONGER, fmax(SHORTER, share));
    if (accepted && last) w->length = fmax(w->length, step * fmin(LONGER, share));
    if (!accepted) w->length = step * fmin(SAFE, fmax(SHORTER, share));
    if (w->length < LEAST * h) return s == DM_OK ? DM_MAX_ITER : s;
    if (!accepted) continue;

    // the two halves
    w->taken += 2;
    done = last ? h : done + step;
    memcpy(w->at, w->q[2], bytes);
    memcpy(w->mom, w->p[2], bytes);
    for (int c = 0; c < w->nc; c++) lambda[c] += w->lambda[c] + w->del->lambda[c];
  }
  memcpy(q1, w->at, bytes);
  memcpy(p1, w->mom, bytes);
  return DM_OK;
}

static void explain_interval(const void *self, dm_message *msg, dm_status s, int k,
                             const char *const *name) {
  const dm_variable_steps *w = self;
  if (s == DM_MAX_ITER)
    dm_fail(msg, s, "no step from knot %d meets the error %.1e: take a larger one (simulate.error)",
            k, w->tolerance);
  else
    dm_del_explain(msg, s, w->del, &w->info, k, name);
}

dm_stepper dm_variable_stepper(dm_variable_steps *w) {
  assert(w);
  return (dm_stepper){
      .self = w, .residual = w->del->k->h, .step = take_interval, .explain = explain_interval};
}

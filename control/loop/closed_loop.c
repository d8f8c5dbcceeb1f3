#include "control/loop/closed_loop.h"

#include "control/loop/contact_start.h"
#include "lib/base/block.h"
#include "lib/discrete/assembly.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double fb_closed_loop_error(int n, const double *x, const double *x_d, const double *scale,
                            int *worst) {
  double max = 0;
  int at = 0;
  for (int i = 0; i < n && !isnan(max); i++) {
    double e = fabs(x[i] - x_d[i]) / (scale ? scale[i] : 1);
    if (e <= max) continue; // NAN passes this test and stays
    max = e;
    at = i;
  }
  if (worst) *worst = at;
  return max;
}

dm_status fb_closed_loop_start(const dm_system *s, dm_continuous *c, double *d, double *y,
                               double *x) {
  int n = s->L.nq;

  // the deviation in q, projected onto h(q) = 0; then the one in v, projected onto Dh(q) v = 0
  // there
  for (int i = 0; i < n; i++) x[i] = y[i] + d[i];
  if (s->contacts) {
    DM_TRY(fb_contact_start(s, y, x, d + n));
  } else {
    DM_TRY(dm_assembly_project(s, x, NULL));
    DM_TRY(dm_assembly_velocity(s, x, d + n, NULL));
  }
  memcpy(y, x, (size_t)n * sizeof *y);
  for (int i = n; i < 2 * n; i++) y[i] += d[i];
  return dm_momentum_of(c, y, y + n, x + n);
}

// cut u [nu] to its limits; returns whether an input is at one
static bool limit_inputs(int nu, const double *u_min, const double *u_max, double *u) {
  bool at = false;
  for (int i = 0; i < nu; i++) {
    if (u_max && u[i] > u_max[i]) u[i] = u_max[i];
    if (u_min && u[i] < u_min[i]) u[i] = u_min[i];
    at |= (u_max && u[i] >= u_max[i]) || (u_min && u[i] <= u_min[i]);
  }
  return at;
}

// whether a plant's motors have limits of their own
static bool has_limits(const fb_plant *plant) {
  return plant->u_min || plant->u_max;
}

// storage for states and inputs: row distances; with distance 0, one row is overwritten
typedef struct tape {
  double *x, *u;
  size_t dx, du;
  double *acts; // [nu] motor outputs, if the motors have limits
} tape;

// the input of step k; on entry u holds the input of the previous step
static dm_status decide_loop_input(const fb_tvlqr *f, int k, const double *x, double *u) {
  if (f->by) return f->by->input(f->by->self, k, x, u);
  fb_tvlqr_input(f, k, x, u);
  const double *acting = f->sensor ? f->sensor->acting : NULL;
  for (int i = 0; acting && i < f->nu; i++) u[i] -= acting[i];
  return DM_OK;
}

// the loop from the first row of the tape to the last knot or the first failure
static dm_status run_closed_loop(const fb_tvlqr *f, const fb_plant *plant, const double *u_min,
                                 const double *u_max, const double *scale, const tape *t,
                                 fb_closed_loop_result *r) {
  for (;; r->steps++) {
    size_t k = (size_t)r->steps, nx = (size_t)f->nx;
    double *x = t->x + k * t->dx, *next = x + t->dx;
    double *u = t->u ? t->u + k * t->du : NULL; // there may be no inputs

    // the error of the plant's own state, not of the measured one
    r->final_error = fb_closed_loop_error(f->nx, x, f->x + k * nx, scale, NULL);
    if (!isfinite(r->final_error)) return DM_NOT_FINITE;
    r->worst_error = fmax(r->worst_error, r->final_error);
    if (r->steps == f->N) return DM_OK;

    // the measurement, and the law's answer; a controller finds the last input in u
    const fb_sensor *sensor = f->sensor;
    const double *seen = sensor ? sensor->measure(sensor->self, r->steps, x) : x;
    if (k > 0 && t->du) memcpy(u, u - t->du, t->du * sizeof *u);
    dm_status wanted = decide_loop_input(f, r->steps, seen, u);
    if (wanted != DM_OK) return wanted;
    bool at_limit = limit_inputs(f->nu, u_min, u_max, u);

    // the motors' limits, the plant's step, and its disturbance
    const double *acts = u;
    if (f->nu > 0 && has_limits(plant)) {
      memcpy(t->acts, u, (size_t)f->nu * sizeof *u);
      at_limit |= limit_inputs(f->nu, plant->u_min, plant->u_max, t->acts);
      acts = t->acts;
    }
    r->saturated += at_limit;
    memmove(next, x, nx * sizeof *x);
    dm_status s = plant->step(plant->self, next, acts, f->h);
    if (s != DM_OK) return s;
    if (sensor) sensor->act(sensor->self, r->steps, u, next);
  }
}

// a row for arrays that the caller does not keep, and for motor outputs
static void lay_out_tape(tape *t, dm_block *b, const fb_tvlqr *f, const fb_plant *plant) {
  if (!t->dx) t->x = dm_block_alloc(b, (size_t)f->nx, sizeof *t->x);
  if (!t->du) t->u = dm_block_alloc(b, (size_t)f->nu, sizeof *t->u);
  if (has_limits(plant)) t->acts = dm_block_alloc(b, (size_t)f->nu, sizeof *t->acts);
}

dm_status fb_closed_loop_run(const fb_tvlqr *f, const fb_plant *plant, const double *x0,
                             const double *u_min, const double *u_max, const double *scale,
                             double *x, double *u, fb_closed_loop_result *result) {
  tape t = {.x = x, .u = u};
  t.dx = x ? (size_t)f->nx : 0;
  t.du = u ? (size_t)f->nu : 0;
  dm_block block = {0};
  assert(result && 2 * plant->n == f->nx);

  // space for one row of arrays that the caller does not keep
  lay_out_tape(&t, &block, f, plant);
  if (block.used) {
    DM_TRY(dm_block_new(&block));
    lay_out_tape(&t, &block, f, plant);
  }

  // from x0, which may be the first row of x
  *result = (fb_closed_loop_result){0};
  memmove(t.x, x0, (size_t)f->nx * sizeof *x0);
  dm_status s = run_closed_loop(f, plant, u_min, u_max, scale, &t, result);
  if (s != DM_OK) result->final_error = result->worst_error = INFINITY;
  dm_block_free(block.base);
  return s;
}

dm_status fb_closed_loop_offset(const dm_system *s, const double *x, const double *d, double *x0) {
  const size_t n = (size_t)s->L.nq;
  dm_continuous *c;
  dm_block b = {0};

  // the start (q,v), and the deviation, which is modified during projection
  dm_block_alloc(&b, 4 * n, sizeof *x0);
  DM_TRY(dm_block_new(&b));
  double *y = dm_block_alloc(&b, 4 * n, sizeof *y), *off = y + 2 * n;
  dm_status status = dm_continuous_new(&c, s);
  if (status != DM_OK) {
    dm_block_free(b.base);
    return status;
  }

  // (q,v) of the state x, with the component of p across the constraints: the error comes from the
  // deviation alone; then the start
  memcpy(y, x, n * sizeof *y);
  memcpy(off, d, 2 * n * sizeof *d);
  status = dm_velocity_of(c, y, x + n, y + n);
  if (status == DM_OK) status = fb_closed_loop_start(s, c, off, y, x0);
  dm_continuous_free(c);
  dm_block_free(b.base);
  return status;
}

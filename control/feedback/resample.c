#include "control/feedback/resample.h"

#include "control/feedback/kept_states.h"
#include "control/feedback/motor.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/discrete/linearize.h"
#include "lib/mechanics/continuous.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct resampler {
  const fb_tvlqr *f;
  dm_continuous *m;
  dm_linearize *linearize;
  int n;
  double *v;    // [(N+1) x n] at the knots
  double *rate; // [n] of q between knots
} resampler;

// whether dx'P dx is needed (control/feedback/envelope.h)
static bool watches_cost(const fb_tvlqr *f) {
  return f->envelope && f->envelope->cost > 0;
}

static void lay_out_resampled(void *self, dm_block *b) {
  fb_tvlqr *f = self;
  size_t N = (size_t)f->N, nx = (size_t)f->nx, nu = (size_t)f->nu;
  f->x = dm_block_alloc(b, (N + 1) * nx, sizeof(double));
  f->u = dm_block_alloc(b, N * nu, sizeof(double));
  f->K = dm_block_alloc(b, N * nu * nx, sizeof(double));
  f->A = dm_block_alloc(b, N * nx * nx, sizeof(double));
  f->B = dm_block_alloc(b, N * nx * nu, sizeof(double));
  f->P = watches_cost(f) ? dm_block_alloc(b, (N + 1) * nx * nx, sizeof(double)) : NULL;
  f->integral = dm_block_alloc(b, (size_t)f->ni, sizeof *f->integral);
  f->lagging = dm_block_alloc(b, (size_t)f->nl, sizeof *f->lagging);
  f->share = dm_block_alloc(b, (size_t)f->nl, sizeof *f->share);
  const size_t kept = (size_t)(f->ni + f->nl);
  f->Ki = kept ? dm_block_alloc(b, N * nu * kept, sizeof(double)) : NULL;
  f->W = f->late ? dm_block_alloc(b, N * nu * nu, sizeof(double)) : NULL;
}

static void lay_out_resampler(resampler *w, dm_block *b) {
  w->v = dm_block_alloc(b, ((size_t)w->f->N + 1) * (size_t)w->n, sizeof(double));
  w->rate = dm_block_alloc(b, (size_t)w->n, sizeof(double));
}

// the last knot at or before a time in mean steps, up to rounding, and the fraction [0,1) of the step after it
static int find_knot(const fb_tvlqr *f, double time, double *left) {
  const double steps = f->grid ? dm_grid_find(f->grid, f->N, time) : time;
  int k = (int)floor(steps + 1e-9); // 1e-9 of a step: rounding of j / rate
  if (k > f->N) k = f->N;
  // a remainder below 1e-9 counts as a knot
  *left = fmax(steps - k, 0);
  if (*left < 1e-9) *left = 0;
  return k;
}

// (q,p) at the fraction s in [0,1) of the step from knot k to k + 1
static dm_status interpolate_state(resampler *w, int k, double s, double *x) {
  const fb_tvlqr *f = w->f;
  int n = w->n;
  const double *x0 = dm_row(f->x, k, f->nx), *x1 = x0 + f->nx;
  const double *v0 = dm_row(w->v, k, n), *v1 = v0 + n;

  // at a knot, or at rest, exactly the plan's
  if (s == 0 || memcmp(x0, x1, (size_t)f->nx * sizeof *x0) == 0) {
    memcpy(x, x0, (size_t)f->nx * sizeof *x);
    return DM_OK;
  }

  // the cubic of (q,v) at both ends, and its rate
  const double h = f->h * dm_grid_step(f->grid, k);
  fb_onboard_cubic(n, h, s, x0, v0, x1, v1, x, w->rate);
  // p = L_v(q, q')
  return dm_momentum_of(w->m, x, w->rate, x + n);
}

// the mean input between two times in mean steps, so that its impulse equals the plan's
static void average_input(const fb_tvlqr *f, double from, double to, double *u) {
  const double *grid = f->grid;
  const int N = f->N, nu = f->nu;
  int first = (int)floor(from), last = (int)ceil(to);
  if (grid) first = (int)dm_grid_find(grid, N, from), last = (int)ceil(dm_grid_find(grid, N, to));
  memset(u, 0, (size_t)nu * sizeof *u);
  for (int k = first; k < last; k++) {
    // the part of [from,to] within step k
    const double begin = k < N ? dm_grid_at(grid, k) : k,
                 end = k < N ? dm_grid_at(grid, k + 1) : k + 1;
    double share = (fmin(to, end) - fmax(from, begin)) / (to - from);
    const double *u_k = dm_row(f->u, k < N ? k : N - 1, nu);
    for (int i = 0; share > 0 && i < nu; i++) u[i] += share * u_k[i];
  }
}

// P at a fraction of the step after knot k, interpolated linearly
static void sample_cost(const fb_tvlqr *f, int k, double share, double *to) {
  const size_t len = (size_t)f->nx * (size_t)f->nx;
  const double *P0 = dm_row(f->P, k, len), *P1 = k < f->N ? P0 + len : P0;
  for (size_t i = 0; i < len; i++) to[i] = P0[i] + share * (P1[i] - P0[i]);
}

// one row of gains [len] at a fraction of the step after knot k
static void sample_gains(const fb_tvlqr *f, int k, double share, size_t len, const double *from,
                         double *to) {
  const double *K0 = dm_row(from, k, len), *K1 = k + 1 < f->N ? K0 + len : K0;
  for (size_t i = 0; i < len; i++) to[i] = share > 0 ? K0[i] + share * (K1[i] - K0[i]) : K0[i];
}

// x, u and K at the times of the samples
static dm_status sample_schedule(resampler *w, bool between, fb_tvlqr *to) {
  const fb_tvlqr *f = w->f;
  size_t gains = (size_t)f->nu * (size_t)f->nx, kept = (size_t)f->nu * (size_t)(f->ni + f->nl);

  // velocities at the knots, for the cubics
  for (int k = 0; k <= f->N; k++) {
    const double *x = dm_row(f->x, k, f->nx);
    dm_status s = dm_velocity_of(w->m, x, x + w->n, dm_row(w->v, k, w->n));
    if (s != DM_OK) return s;
  }

  for (int j = 0; j <= to->N; j++) {
    // sample j, at the fraction `left` of the step after knot k; the last sample has no input
    double left;
    int k = find_knot(f, j * to->h / f->h, &left); // sample time in mean steps of the plan
    dm_status s = interpolate_state(w, k, left, dm_row(to->x, j, to->nx));
    if (watches_cost(f)) sample_cost(f, k, left, dm_row(to->P, j, f->nx * f->nx));
    if (s != DM_OK || j == to->N) return s;
    const double from = dm_grid_time(f->grid, f->N, k + left);
    average_input(f, from, from + to->h / f->h, dm_row(to->u, j, to->nu));

    // K of the previous knot, or interpolated to the next; constant after the last step
    sample_gains(f, k, between ? left : 0, gains, f->K, dm_row(to->K, j, gains));
    if (kept) sample_gains(f, k, between ? left : 0, kept, f->Ki, dm_row(to->Ki, j, kept));
  }
  return DM_OK;
}

// A and B for each step, and the gains on inputs under way
static dm_status linearize_samples(resampler *w, fb_tvlqr *to) {
  const size_t nx = (size_t)to->nx, nu = (size_t)to->nu, gains = nu * nx;
  for (size_t j = 0; j < (size_t)to->N; j++)
    DM_TRY(dm_linearize_step(w->linearize, to->x + j * nx, to->x + (j + 1) * nx, to->u + j * nu,
                             NULL, to->h, to->A + j * nx * nx, to->B + j * gains));
  if (!to->late) return DM_OK;
  const fb_kept_states kept = {.nx = to->nx,
                               .nu = to->nu,
                               .nl = to->nl,
                               .h = to->h,
                               .lagging = to->lagging,
                               .share = to->share,
                               .lag = to->lag};
  const int last = w->f->N - 1;
  const double *Ki_end = to->nl ? dm_row(w->f->Ki, last, nu * (size_t)to->nl) : NULL;
  fb_kept_states_delay(&kept, to->N, to->A, to->B, dm_row(w->f->K, last, gains), Ki_end, to->K,
                       to->Ki, to->W);
  return DM_OK;
}

int fb_resample_steps(double T, double rate) {
  return (int)(T * rate * (1 + 1e-9)); // 1e-9: a whole number up to rounding
}

static dm_status check_schedule(const fb_tvlqr *f, const dm_system *s, double rate, int late,
                                dm_message *msg) {
  // a cubic does not satisfy constraints, and a prescribed coordinate has its own motion to its
  // knot
  const char *of = s->nk ? "kinematic coordinates" : NULL;
  if (s->hol.nc) of = "constraints";
  if (of)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "found %s beside a rate, whose motion between knots is not known: remove the rate", of);

  // L depends on the step length, K on undelayed inputs
  if (s->lag)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "found a rate beside a joint whose damping decays within a step, which its steps "
        "are fitted to, expected none; take steps as long as the rate's, or an armature");
  if (f->late)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found gains for delayed inputs, expected gains without a delay");

  if (f->ni && late)
    return dm_fail(msg, DM_BAD_INPUT,
                   "found integrals of errors beside inputs a step late, expected one of them");

  // at least one sample within the motion, and a count that fits
  if (!(f->N * f->h * rate * (1 + 1e-9) >= 1) || f->N * f->h * rate > FB_MOST_SAMPLES)
    return dm_fail(msg, DM_BAD_INPUT, "found a rate of %g Hz, expected 1 to %d samples in %g s",
                   rate, FB_MOST_SAMPLES, f->N * f->h);
  return DM_OK;
}

dm_status fb_resample_new(fb_tvlqr **out, const fb_tvlqr *f, const dm_system *s, double rate,
                          bool between, int late, dm_message *msg) {
  assert(out);
  *out = NULL;
  DM_TRY(check_schedule(f, s, rate, late, msg));
  assert(f->nx == 2 * s->L.nq && (late == 0 || late == 1));

  // the schedule, and a block of temporary data
  fb_tvlqr sizes = {.nx = f->nx,
                    .nu = f->nu,
                    .h = 1 / rate,
                    .late = late,
                    .ni = f->ni,
                    .nl = f->nl,
                    .turns = f->turns,
                    .tree = f->tree,
                    .continuous = f->continuous,
                    .path = f->path,
                    .rate_limit = f->rate_limit,
                    .friction = f->friction,
                    .drives = f->drives,
                    .lag = f->lag,
                    .motor = f->motor,
                    .envelope = f->envelope};
  sizes.N = fb_resample_steps(f->N * f->h, rate);
  resampler w = {.f = f, .n = s->L.nq};
  fb_tvlqr *to = NULL;
  dm_block scratch = {0};
  lay_out_resampler(&w, &scratch);
  dm_status status = dm_block_new(&scratch);
  if (status == DM_OK) {
    lay_out_resampler(&w, &scratch);
    status = dm_continuous_new(&w.m, s);
  }
  if (status == DM_OK) status = dm_linearize_new(&w.linearize, s);
  if (status == DM_OK) {
    to = dm_block_make(&sizes, sizeof sizes, lay_out_resampled);
    if (!to) status = DM_NO_MEMORY;
  }

  for (int i = 0; status == DM_OK && i < f->ni; i++) to->integral[i] = f->integral[i];
  for (int i = 0; status == DM_OK && i < f->nl; i++) {
    to->lagging[i] = f->lagging[i];
    to->share[i] = fb_motor_share(f->lag[f->lagging[i]], to->h);
  }

  // x, u, K, then A, B and, for late inputs, the changed K
  if (status == DM_OK) status = sample_schedule(&w, between, to);
  if (status == DM_OK) status = linearize_samples(&w, to);
  if (status == DM_OK) {
    *out = to;
  } else {
    dm_block_free(to);
    dm_fail(msg, status,
            "no gains at %g Hz: %s; try the rate of the knots, or other weights (feedback.Q, "
            "feedback.R)",
            rate, dm_status_text(status));
  }
  dm_continuous_free(w.m);
  dm_linearize_free(w.linearize);
  dm_block_free(scratch.base);
  return status;
}

#include "control/feedback/estimator.h"

#include "control/feedback/constraint_tangent.h"
#include "control/feedback/dare.h"
#include "control/feedback/kalman.h"
#include "control/feedback/kept_states.h"
#include "control/feedback/law_tables.h"
#include "control/feedback/plan.h"
#include "control/feedback/state_size.h"
#include "control/onboard/onboard.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "lib/base/random.h"
#include "lib/discrete/kkt_matrix.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool fb_estimator_gates(const fb_estimator *w) {
  return w->set.gate > 0 && isfinite(w->set.gate);
}

static void lay_out_filter(void *self, dm_block *b) {
  fb_estimator *w = self;
  size_t N = (size_t)w->f->N, nx = (size_t)w->f->nx, ny = (size_t)w->ny, size = sizeof(double);
  size_t nz = (size_t)w->nz, nd = (size_t)w->nd, nu = (size_t)w->f->nu;
  size_t all_x = (size_t)w->nx;

  // gains and covariances of all knots, matrices of the noise, the state of a run
  const struct {
    double **at;
    size_t count;
  } all[] = {{&w->L, N * nz * ny}, {&w->P, (N + 1) * nz * nz},
             {&w->C, ny * nz},     {&w->W, nz * nz},
             {&w->V, ny * ny},     {&w->P0, nz * nz},
             {&w->next, nz},       {&w->x, nx},
             {&w->y, ny},          {&w->x1, nx},
             {&w->acts, nu},       {&w->plan, nx},
             {&w->v, nx / 2},      {&w->v_d, (N + 1) * nx / 2}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].at = dm_block_alloc(b, all[i].count, size);
  w->bound = dm_block_alloc(b, fb_estimator_gates(w) ? N * ny : 0, size);
  w->own = dm_block_alloc(b, all_x > nx ? N * all_x * (all_x + nu) : 0, size);
  w->disturbing = nd ? dm_block_alloc(b, N * nz * nz, size) : NULL;
  w->acting = nd ? dm_block_alloc(b, (size_t)w->f->nu, size) : NULL;
  w->d_max = dm_block_alloc(b, nd, size);
  w->disturbed = dm_block_alloc(b, nd, sizeof *w->disturbed);
  w->size = dm_block_alloc(b, nz, size);
  w->which = dm_block_alloc(b, ny, sizeof *w->which);
  w->turns = dm_block_alloc(b, nx / 2, sizeof *w->turns);
}

// -- the filter's gains

// P0 <- Pi P0 Pi' at the start, for the state's part of a diagonal P0
static dm_status restrict_start(fb_estimator *w, const dm_system *s) {
  int nx = w->f->nx, nz = w->nz;
  double *Pi = w->P, *T = Pi + nx * nx; // not in use yet
  dm_kkt *k = NULL;
  fb_constraint_tangent *tangent = NULL;

  // the constraints' tangent at x_0
  dm_status status = dm_kkt_new(&k, s);
  if (status == DM_OK)
    status = fb_constraint_tangent_new(&tangent, nx / 2, s->hol.nc, s->hol.nv, s->kinematic);
  if (status == DM_OK) fb_constraint_tangent_size(tangent, w->size);
  if (status == DM_OK) status = dm_kkt_start(k, w->f->x);
  if (status == DM_OK) status = fb_constraint_tangent_set(tangent, k->Dh0);

  // Pi: the identity, restricted; then both products
  memset(Pi, 0, (size_t)(nx * nx) * sizeof *Pi);
  for (int i = 0; i < nx; i++) Pi[i * nx + i] = 1;
  if (status == DM_OK) {
    fb_constraint_tangent_restrict(tangent, nx, Pi);
    // T = Pi P0, then T Pi'
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) T[i * nx + j] = Pi[i * nx + j] * w->P0[j * nz + j];
    for (int i = 0; i < nx; i++)
      for (int j = 0; j < nx; j++) w->P0[i * nz + j] = dm_inner(nx, T + i * nx, Pi + j * nx);
  }
  fb_constraint_tangent_free(tangent);
  dm_kkt_free(k);
  return status;
}

// the unit of entry i of a row: of bounds [ny], or of gains [nz x ny]
static double find_entry_unit(const fb_estimator *w, size_t len, size_t i) {
  const size_t ny = (size_t)w->ny;
  const double measured = w->size[w->which[i % ny]];
  return len == ny ? measured : w->size[i / ny] / measured;
}

// replace final gains that equal the last one up to rounding by it: a filter in steady state has
// one gain
static void unify_last_rows(const fb_estimator *w, double *rows, size_t len) {
  const size_t N = (size_t)w->f->N;
  const double *last = rows + (N - 1) * len;
  double size = 0; // without units
  for (size_t i = 0; i < len; i++) size = fmax(size, fabs(last[i]) / find_entry_unit(w, len, i));

  // from the end backwards until a gain differs: a controller's text then stores one row for all of
  // them. Equal: |L_i| <= 1e-12 of its own size, or below rounding of the largest
  for (size_t k = N - 1; k-- > 0;) {
    double *L = rows + k * len;
    for (size_t i = 0; i < len; i++) {
      const double floor = 1e-15 * size * find_entry_unit(w, len, i);
      if (!(fabs(L[i] - last[i]) <= 1e-12 * fabs(last[i]) + floor)) return;
    }
    memcpy(L, last, len * sizeof *L);
  }
}

// gate sqrt(S_aa), S = CPC' + V, for each knot and encoder
static void find_bounds(fb_estimator *w) {
  const int nz = w->nz, ny = w->ny;
  for (int k = 0; k < w->f->N; k++)
    for (int a = 0; a < ny; a++) {
      const double *P = dm_row(w->P, k, nz * nz);
      const int i = w->which[a];
      double S = P[i * nz + i] + w->V[a * ny + a];
      w->bound[k * ny + a] = w->set.gate * sqrt(S);
    }
  unify_last_rows(w, w->bound, (size_t)ny);
}

// r = h / (B' W^-1 B) for input i: the impulses expressed as noise of its force, N2 s or (N m)2 s;
// 0 without impulses in the dominant coordinate of the input
static double find_force_noise(const fb_estimator *w, int i) {
  const int nx = w->f->nx, nu = w->f->nu;
  const double *B = dm_row(w->f->B, w->f->N - 1, nx * nu), h = w->f->h;
  double known = 0, largest = 0;
  bool hit = false; // whether there are impulses in the input's dominant coordinate
  for (int j = nx / 2; j < nx; j++) {
    const double W = w->W[j * w->nz + j], b = B[j * nu + i];
    if (W > 0) known += b * b / W;
    if (fabs(b) > largest) hit = W > 0;
    largest = fmax(largest, fabs(b));
  }
  return hit ? h / known : 0;
}

static bool is_disturbed(const fb_sensor_noise *set, int i) {
  return set->disturbance && isfinite(set->disturbance[i]);
}

// W and P0 of disturbances: the random walk with a steady gain of 1/T per second, and its variance;
// failed is an input without one
static dm_status fill_disturbances(fb_estimator *w, int *failed) {
  for (int i = 0, j = 0; i < w->f->nu; i++) {
    if (!is_disturbed(&w->set, i)) continue;

    // sigma^2 = r / T^2 a second, P = sqrt(sigma^2 r) = sigma^2 T
    const double T = w->set.disturbance[i], walk = find_force_noise(w, i) / (T * T);
    const int at = (w->f->nx + j) * w->nz + w->f->nx + j;
    if (!(walk > 0)) {
      *failed = i;
      return DM_BAD_INPUT;
    }
    w->W[at] = walk * w->f->h;
    w->P0[at] = walk * T;
    w->d_max[j] = w->set.disturbance_max ? w->set.disturbance_max[i] : INFINITY;
    w->disturbed[j++] = i;
  }
  return DM_OK;
}

// A and B with the torques of motors that have a lag
static void fill_steps(fb_estimator *w) {
  const fb_tvlqr *f = w->f;
  const int N = f->N, nx = w->nx, nu = f->nu;
  double *A = w->own, *B = w->own + N * nx * nx;
  w->A = f->A;
  w->B = f->B;
  if (!f->nl) return;
  const fb_kept_states kept = {.nx = f->nx,
                               .nu = nu,
                               .nl = f->nl,
                               .h = f->h,
                               .lagging = f->lagging,
                               .share = f->share,
                               .lag = f->lag};
  for (int k = 0; k < N; k++)
    fb_kept_states_extend(&kept, dm_row(f->A, k, f->nx * f->nx), dm_row(f->B, k, f->nx * nu),
                          dm_row(A, k, nx * nx), dm_row(B, k, nx * nu));
  fb_kept_states_size(&kept, f->B, N * f->h, w->size, w->size + f->nx);
  w->A = A;
  w->B = B;
}

// [A, B E; 0, 1] of each step, E selects the columns of the disturbed inputs
static void fill_disturbed_steps(fb_estimator *w) {
  const size_t nx = (size_t)w->f->nx, nu = (size_t)w->f->nu, nz = (size_t)w->nz;
  for (int k = 0; w->nd && k < w->f->N; k++) {
    const double *A = dm_row(w->f->A, k, nx * nx), *B = dm_row(w->f->B, k, nx * nu);
    double *all = dm_row(w->disturbing, k, nz * nz);
    for (size_t i = 0; i < nx; i++) {
      memcpy(all + i * nz, A + i * nx, nx * sizeof *A);
      for (size_t j = nx; j < nz; j++) all[i * nz + j] = B[i * nu + (size_t)w->disturbed[j - nx]];
    }
    for (size_t j = nx; j < nz; j++) all[j * nz + j] = 1;
  }
}

// C, and the covariances W, V, P0 of the noise
static void fill_noise(fb_estimator *w, const dm_system *s) {
  const fb_sensor_noise *set = &w->set;
  int n = w->f->nx / 2, nz = w->nz, ny = 0;
  for (int i = 0; i < n; i++) {
    // impulses act on momenta, which a prescribed coordinate does not have
    bool prescribed = s->nk && s->kinematic[i];
    double impulse = prescribed ? 0 : set->process[i];
    w->W[(n + i) * nz + n + i] = impulse * impulse; // variance of an impulse, (N s)^2 or (N m s)^2
    w->P0[i * nz + i] = set->start_q[i] * set->start_q[i];
    w->P0[(n + i) * nz + n + i] = set->start_p[i] * set->start_p[i];

    // one row of C per encoder
    if (!isfinite(set->encoder[i])) continue;
    w->C[ny * nz + i] = 1;
    // V is diagonal: encoder errors are independent
    w->V[ny * w->ny + ny] = set->encoder[i] * set->encoder[i];
    w->which[ny++] = i;
  }
}

tables fb_filter_tables(tables T, const fb_estimator *w) {
  const fb_tvlqr *f = w->f;
  const int N = f->N, nx = w->nx;
  T.nx = nx;
  T.nz = w->nz;
  T.ne = w->ny;
  T.nd = w->nd;
  T.L = (table){w->L, N, w->nz * w->ny};
  T.A = (table){w->A, N, nx * nx};
  T.B = (table){w->B, N, nx * f->nu};
  T.gate = (table){w->bound, fb_estimator_gates(w) ? N : 0, w->ny};
  T.which = w->which;
  T.disturbed = w->disturbed;
  T.d_max = w->d_max;
  T.by_map = w->predictor.step != NULL;
  T.tree = w->predictor.tree;
  return T;
}

// the filter on board; late inputs act with the plan's input of their step
static dm_status make_board(fb_estimator *w) {
  const fb_tvlqr *f = w->f;
  for (int i = 0; f->turns && i < f->nx / 2; i++) w->turns[i] = f->turns[i];
  const tables plan = {.steps = f->N,
                       .nq = f->nx / 2,
                       .nu = f->nu,
                       .ny = f->nx,
                       .h = f->h,
                       .rate = 1 / f->h,
                       .u_d = {f->u, f->N, f->nu},
                       .turns = w->turns};
  const tables T = fb_filter_tables(plan, w);
  w->board = fb_filter_new(&T);
  if (!w->board) return DM_NO_MEMORY;
  w->z = fb_filter_estimate(w->board);
  return DM_OK;
}

static dm_status make_gains(fb_estimator *w, const dm_system *s, int *failed) {
  const fb_tvlqr *f = w->f;

  DM_TRY(fb_state_size(w->size, s, f->x, f->N * f->h));

  // under constraints, the schedule's A is already restricted; the start's covariance is not yet
  fill_noise(w, s);
  if (s->hol.nc) DM_TRY(restrict_start(w, s));
  DM_TRY(fb_plan_speeds(f, s, w->v_d, failed));
  *failed = -1;
  fill_steps(w);
  DM_TRY(fill_disturbances(w, failed));
  fill_disturbed_steps(w);

  // size of a disturbance: it moves the state by its size in one step
  const size_t nx = (size_t)w->nx, nz = (size_t)w->nz;
  for (size_t j = nx; j < nz; j++) {
    double share = 0;
    for (size_t i = 0; i < nx; i++) share = hypot(share, w->disturbing[i * nz + j] / w->size[i]);
    w->size[j] = share > 0 ? 1 / share : 1;
  }

  fb_kalman m = {.N = f->N, .nx = w->nz, .ny = w->ny, .C = w->C, .W = w->W, .V = w->V};
  // A of each step; C, W, V are the same for all
  m.A = w->nd ? w->disturbing : w->A;
  m.A_stride = (size_t)w->nz * (size_t)w->nz;
  m.P0 = w->P0;
  dm_status status = fb_kalman_sweep(&m, w->L, w->P, failed);
  if (status != DM_OK) return status;
  unify_last_rows(w, w->L, (size_t)w->nz * (size_t)w->ny);
  if (fb_estimator_gates(w)) find_bounds(w);
  return make_board(w);
}

dm_status fb_estimator_new(fb_estimator **out, const fb_tvlqr *f, const dm_system *s,
                           const fb_sensor_noise *set, int *failed, dm_message *msg) {
  fb_estimator sizes = {.f = f, .set = *set};
  assert(out && failed && f->nx == 2 * s->L.nq);
  *out = NULL;
  *failed = -1;

  // measured coordinates: those whose encoders have a finite error
  for (int i = 0; i < f->nx / 2; i++) sizes.ny += isfinite(set->encoder[i]) != 0;
  if (sizes.ny == 0)
    return dm_fail(msg, DM_BAD_INPUT,
                   "no estimator: no coordinate is measured; give one a standard deviation "
                   "(feedback.estimator.encoder)");
  if (s->lag)
    return dm_fail(msg, DM_BAD_INPUT,
                   "no estimator: found a joint whose damping decays within a step, expected none "
                   "(encoders do not show where its state stands); take shorter steps, give it an "
                   "armature, or leave the estimator out");

  // disturbances, at most as many as encoders, since only encoders reveal them at rest
  for (int i = 0; i < f->nu; i++) sizes.nd += is_disturbed(set, i);
  sizes.nx = f->nx + f->nl;
  sizes.nz = sizes.nx + sizes.nd;
  if (sizes.nd && f->nl)
    return dm_fail(msg, DM_BAD_INPUT,
                   "no estimator: found disturbances beside lags of motors, expected one of them "
                   "(feedback.estimator.disturbance)");
  if (sizes.nd > sizes.ny)
    return dm_fail(msg, DM_BAD_INPUT,
                   "no estimator: found disturbances of %d inputs, expected no more than the %d "
                   "positions that are measured (feedback.estimator.disturbance)",
                   sizes.nd, sizes.ny);
  if (sizes.nd && f->late)
    return dm_fail(msg, DM_BAD_INPUT,
                   "no estimator: found disturbances beside inputs a step late, expected one of "
                   "them (feedback.estimator.disturbance)");

  // gains at all knots; if S is not positive definite, the message says so
  fb_estimator *w = dm_block_make(&sizes, sizeof sizes, lay_out_filter);
  if (!w) return dm_fail(msg, DM_NO_MEMORY, "no memory for an estimator");
  dm_status status = make_gains(w, s, failed);
  if (status == DM_OK) {
    *out = w;
    return DM_OK;
  }
  fb_estimator_free(w);
  if (status == DM_BAD_INPUT) {
    const int input = *failed;
    *failed = -1;
    return dm_fail(msg, status,
                   "no estimator: found a disturbance beside input %d, and no impulses on what it "
                   "drives, expected some (feedback.estimator.process > 0 there): how fast it is "
                   "known follows from their size",
                   input);
  }
  return dm_fail(msg, status, "no estimator at knot %d: %s", *failed,
                 status == DM_NOT_DEFINITE ? "CPC' + V is not positive definite"
                                           : dm_status_text(status));
}

void fb_estimator_free(fb_estimator *w) {
  if (w) fb_filter_free(w->board);
  dm_block_free(w);
}

// -- a run

// at the start of a run only the plan is known
static void begin_estimate(void *self, int s) {
  fb_estimator *w = self;
  w->sample = s;
  w->by_time = false;
  w->t = w->now = 0;
  fb_filter_begin(w->board);
  if (w->nd) memset(w->acting, 0, (size_t)w->f->nu * sizeof *w->acting);
}

// normal number i [nx] of knot k: encoders, then impulses
static double draw_noise(const fb_estimator *w, int k, int i) {
  // a function of (seed, sample, knot, entry), independent of the order of calls
  return dm_random_normal(w->set.seed, w->sample, (uint64_t)k * (uint64_t)w->f->nx + (uint64_t)i);
}

void fb_estimator_read(const fb_estimator *w, int k, const double *x, double *y) {
  for (int a = 0; a < w->ny; a++) {
    int i = w->which[a];
    y[a] = x[i] + w->set.encoder[i] * draw_noise(w, k, i); // q_i + sigma w
  }
}

// a run with measurements off the knots works by time, from its first measurement on
static void date_reading(void *self, double t, double age) {
  fb_estimator *w = self;
  const double steps = t / w->f->h, read = t - age;
  if (age > 0 || fabs(steps - round(steps)) > 1e-9) w->by_time = true;
  if (w->by_time && fb_filter_has_input(w->board)) fb_filter_advance(w->board, w->t, read, w->z);
  w->t = read;
  w->now = t;
}

// (q,p) of the plan at the time of knot k's measurement
static const double *find_plan_read(fb_estimator *w, int k) {
  if (!w->by_time) return dm_row(w->f->x, k, w->f->nx);
  fb_plan_state(w->f, w->v_d, w->t, w->plan, w->v);
  return w->plan;
}

// the measurement of knot k: z <- z + L (y - C z); the state estimate is x_d + z
static const double *estimate_state(void *self, int k, const double *x) {
  fb_estimator *w = self;
  const int nx = w->f->nx;
  const double *x_d = find_plan_read(w, k);

  // encoder measurements with noise; disturbances for the law
  fb_estimator_read(w, k, x, w->y);
  fb_filter_correct(w->board, k, x_d, w->y);
  for (int j = 0; j < w->nd; j++) w->acting[w->disturbed[j]] = w->z[nx + j];

  // the estimate for the current time
  memcpy(w->next, w->z, (size_t)w->nz * sizeof *w->z);
  if (w->by_time) fb_filter_advance(w->board, w->t, w->now, w->next);
  for (int j = 0; j < nx; j++) w->x[j] = x_d[j] + w->next[j];
  return w->x;
}

// impulses on the plant in step k, where W is not zero; they stand for differences of machines that are not drawn
static void add_impulses(const fb_estimator *w, int k, double *x) {
  const int nz = w->nz, n = w->f->nx / 2;
  for (int i = 0; !w->drawn && i < n; i++)
    if (w->W[(n + i) * nz + n + i] > 0) x[n + i] += w->set.process[i] * draw_noise(w, k, n + i);
}

// the step after knot k: z <- A z + B (u - (u_d - d)), d stays; impulses act on the plant
static void predict_estimate(void *self, int k, const double *u, double *x) {
  fb_estimator *w = self;

  // by time, this happens when the next measurement arrives
  if (w->by_time) {
    fb_filter_apply(w->board, w->now, u);
    add_impulses(w, k, x);
    return;
  }

  // with the applied input, limits included
  fb_filter_predict(w->board, k, u, w->next);
  if (w->predictor.step) {
    // next = f(x_d + z, u + d) - x_d of the next knot, from next = A z + B (u - (u_d - d))
    const int nx = w->f->nx;
    const double *x_d = dm_row(w->f->x, k + 1, nx);
    for (int j = 0; j < w->f->nu; j++) w->acts[j] = u[j] + (w->nd ? w->acting[j] : 0);
    for (int i = 0; i < nx; i++) w->x1[i] = x_d[i] + w->next[i];
    w->predictor.step(w->predictor.self, w->x, w->acts, dm_row(w->f->A, k, nx * nx), w->x1);
    for (int i = 0; i < nx; i++) w->next[i] = w->x1[i] - x_d[i];
  }
  fb_filter_keep(w->board, w->next);
  add_impulses(w, k, x);
}

fb_sensor fb_estimator_sensor(fb_estimator *w) {
  return (fb_sensor){.self = w,
                     .begin = begin_estimate,
                     .date = date_reading,
                     .measure = estimate_state,
                     .act = predict_estimate,
                     .acting = w->acting,
                     .motor = w->f->nl ? w->next + w->f->nx : NULL};
}

// -- observability and covariance

dm_status fb_estimator_unseen(const fb_estimator *w, int k, int *state) {
  const int nz = w->nz, ny = w->ny;
  const double *A_k = dm_row(w->nd ? w->disturbing : w->A, k, nz * nz);
  double *A, *C;
  dm_block block = {0};
  assert(state);
  *state = -1;
  // two passes: count, then point
  for (int pass = 0; pass < 2; pass++) {
    A = dm_block_alloc(&block, (size_t)nz * (size_t)nz, sizeof *A);
    C = dm_block_alloc(&block, (size_t)nz * (size_t)ny, sizeof *C);
    if (pass == 0) DM_TRY(dm_block_new(&block));
  }

  // duality: the part that no output of (A, C) shows is the part that no input of (A', C') steers,
  // scaled states
  for (int i = 0; i < nz; i++) {
    for (int j = 0; j < nz; j++) A[i * nz + j] = A_k[j * nz + i] * w->size[i] / w->size[j];
    for (int j = 0; j < ny; j++) C[i * ny + j] = w->C[j * nz + i] * w->size[i];
  }
  dm_status s = fb_dare_stuck(nz, ny, A, C, NULL, NULL, 0, state);
  dm_block_free(block.base);
  return s;
}

double fb_estimator_deviation(const fb_estimator *w, int k, int i) {
  size_t nz = (size_t)w->nz, at = (size_t)i;
  return sqrt(w->P[((size_t)k * nz + at) * nz + at]);
}

double fb_estimator_spread(const fb_estimator *w, int k, int momentum, int *coord) {
  int n = w->f->nx / 2, nz = w->nz;
  const double *P = dm_row(w->P, k, nz * nz);

  // variances are on P's diagonal
  double max = -1;
  for (int i = 0; i < n; i++) {
    int at = momentum ? n + i : i;
    if (!(P[at * nz + at] > max)) continue;
    max = P[at * nz + at];
    *coord = i;
  }
  return sqrt(max);
}

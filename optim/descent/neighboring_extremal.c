#include "optim/descent/neighboring_extremal.h"

#include "control/feedback/constraint_tangent.h"
#include "lib/base/blas.h"
#include "lib/base/block.h"
#include "lib/base/dense.h"
#include "optim/descent/search_direction.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double SOLVED = 1e-3, NEGLIGIBLE = 1e-12;
static const double AT_BOUND = 1e-6; // relative to an input's size and its bound
enum { REFINEMENTS = 3 };

typedef struct work {
  oc_task task; // with the motion's final time
  int N, nx, nu, ng, m;
  oc_projection_operator *p;
  oc_merit *merit;
  oc_search_direction *d;
  bool *bound;          // [N x nu] input at a bound
  double *g, *G;        // [N x nu] slope of the cost, [ng][N x nu] of the goal
  double *C, *U, *y;    // [ng x ng] twice, [ng]
  double *X;            // [ng x nx]
  double *eig, *lapack; // [ng], [8 ng]
  double *zeta, *next;  // [nx]
  double *P;            // [(N+1) x m x m]
} work;

static void lay_out_extremal(void *self, dm_block *b) {
  work *w = self;
  size_t N = (size_t)w->N, nx = (size_t)w->nx, nu = (size_t)w->nu, ng = (size_t)w->ng;
  size_t m = (size_t)w->m;
  const struct {
    double **at;
    size_t count;
  } all[] = {
      {&w->g, N * nu}, {&w->G, ng * N * nu}, {&w->C, ng * ng},        {&w->U, ng * ng},
      {&w->y, ng},     {&w->X, ng * nx},     {&w->eig, ng},           {&w->lapack, 8 * ng + 8},
      {&w->zeta, nx},  {&w->next, nx},       {&w->P, (N + 1) * m * m}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].at = dm_block_alloc(b, all[i].count, sizeof(double));
  w->bound = dm_block_alloc(b, N * nu, sizeof *w->bound);
}

static size_t offset_of(int k, int count) {
  return (size_t)k * (size_t)count;
}

// -- multipliers of the goal

// slope along inputs of a function with gradient `end` at the last state, plus the running cost
static void slope_along_inputs(work *w, const double *end, bool running, double *g) {
  int nx = w->nx, nu = w->nu;

  // zeta_N: the goal or the cost by x_N, [nx]
  memcpy(w->zeta, end, (size_t)nx * sizeof *w->zeta);
  for (int k = w->N - 1; k >= 0; k--) {
    const oc_projection_operator *p = w->p;
    const double *A = p->A + offset_of(k, nx * nx), *B = p->B + offset_of(k, nx * nu);
    const double *K = p->K + offset_of(k, nu * nx);

    const double *l_x = w->merit->l_x + offset_of(k, nx), *l_u = w->merit->l_u + offset_of(k, nu);

    // zeta_k = A'zeta + l_x - K'(l_u + B'zeta)
    memset(w->next, 0, (size_t)nx * sizeof *w->next);
    if (running) memcpy(w->next, l_x, (size_t)nx * sizeof *w->next);
    for (int i = 0; i < nx; i++) dm_add_to(nx, w->zeta[i], A + i * nx, w->next);
    for (int j = 0; j < nu; j++) {
      double sum = running ? l_u[j] : 0;
      for (int i = 0; i < nx; i++) sum += B[i * nu + j] * w->zeta[i];
      dm_add_to(nx, -sum, K + j * nx, w->next);
      g[offset_of(k, nu) + (size_t)j] =
          w->bound[offset_of(k, nu) + (size_t)j] ? 0 : sum; // an input at a bound has no slope
    }

    memcpy(w->zeta, w->next, (size_t)nx * sizeof *w->zeta);
  }
}

// X [n x cols] <- C^+ X for C [n x n] >= 0 scaled to unit diagonal, without negligible eigenvalues
static void pseudo_solve(work *w, int n, int cols, double *X) {
  // scale C to unit diagonal; eigenvalue decomposition
  for (int i = 0; i < n; i++) w->y[i] = w->C[i * n + i] > 0 ? 1 / sqrt(w->C[i * n + i]) : 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w->U[i * n + j] = w->y[i] * w->C[i * n + j] * w->y[j];
  dm_blas()->LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, w->U, n, w->eig, w->lapack,
                                8 * n + 8);

  // each column in the basis of the significant eigenvectors, divided by the eigenvalues
  for (int c = 0; c < cols; c++) {
    // X <- D U Lambda^-1 U' D X, D = C_ii^-1/2
    double *along = w->lapack; // [n]
    for (int a = 0; a < n; a++) {
      along[a] = 0;
      if (w->eig[a] > NEGLIGIBLE * w->eig[n - 1]) // the others cannot be reached
        for (int i = 0; i < n; i++)
          along[a] += w->U[a * n + i] * w->y[i] * X[i * cols + c] / w->eig[a];
    }
    for (int i = 0; i < n; i++) {
      X[i * cols + c] = 0;
      for (int a = 0; a < n; a++) X[i * cols + c] += w->y[i] * w->U[a * n + i] * along[a];
    }
  }
}

// multipliers that minimize the remaining slope along inputs
static dm_status fit_multipliers(work *w) {
  int ng = w->ng, all = w->N * w->nu;
  oc_terminal *end = w->merit->end;

  // slope of each entry of the goal
  for (int r = 0; r < ng; r++)
    slope_along_inputs(w, end->E + r * w->nx, false, w->G + offset_of(r, all));
  for (int pass = 0; pass < REFINEMENTS; pass++) {
    // normal equations G G' change = G g
    for (int r = 0; r < ng; r++) {
      // G G' [ng x ng], G g [ng]
      for (int c = 0; c < ng; c++)
        w->C[r * ng + c] = dm_inner(all, w->G + offset_of(r, all), w->G + offset_of(c, all));
      w->X[r] = dm_inner(all, w->G + offset_of(r, all), w->g);
    }

    // least squares; repeated with the remaining slope, against rounding
    pseudo_solve(w, ng, 1, w->X);
    for (int r = 0; r < ng; r++) end->multiplier[r] -= w->X[r];
    DM_TRY(oc_merit_gradient(w->merit, true));
    slope_along_inputs(w, w->merit->l_x + offset_of(w->N, w->nx), true, w->g);
  }
  return DM_OK;
}

// largest remaining slope relative to the size of its terms, in units of the inputs' cost, and its
// location
static double measure_slope_left(const work *w, int *k, int *j) {
  double largest = 0, size = 0, factor = oc_cost_factor(&w->task, w->p->x->h);
  for (int i = 0; i < w->N * w->nu; i++) {
    const double own = oc_weight(w->task.cost[OC_U].running, i % w->nu);
    // |g| / sqrt(w), the slope for an input of weight 1, makes inputs of all kinds comparable
    double weight = own > 0 ? factor * own : 1;
    double g = fabs(w->g[i]) / sqrt(weight), l = fabs(w->merit->l_u[i]) / sqrt(weight);
    size = fmax(size, l + g);
    if (g > largest) {
      largest = g;
      *k = i / w->nu;
      *j = i % w->nu;
    }
  }
  return size > 0 ? largest / size : 0;
}

// -- linear-quadratic problem and gains

// inputs within this distance of a bound are at it
static void find_bounds(work *w) {
  const oc_task *t = &w->task;
  for (int i = 0; i < w->N * w->nu; i++) {
    const double limit[] = {oc_low(t, OC_U, i % w->nu), oc_high(t, OC_U, i % w->nu)};
    double *u = &w->p->x->u[i];
    for (int side = 0; side < 2; side++) {
      double at = limit[side];
      if (isfinite(at) && fabs(*u - at) <= AT_BOUND * (w->p->input[i % w->nu] + fabs(at))) {
        *u = at;
        w->bound[i] = true;
      }
    }
  }
}

// X += dX [rows x cols]
static void add_second_order(size_t count, const double *dX, double *X) {
  for (size_t i = 0; i < count; i++) X[i] += dX[i];
}

// K of knot k: K_x + K_y C^+ P_yx, with y the goal's multipliers and C = -P_yy their reachable part
static void eliminate_multipliers(work *w, int k, bool goal, double *K) {
  int nx = w->nx, nu = w->nu, ng = w->ng, m = w->m;
  const double *P = w->P + offset_of(k, m * m), *all = w->d->K + offset_of(k, nu * m);

  // C^+ P_yx
  if (goal) {
    for (int r = 0; r < ng; r++) {
      // reachability of the goal by inputs from k on
      for (int c = 0; c < ng; c++) w->C[r * ng + c] = -P[(nx + r) * m + nx + c]; // -P_yy
      memcpy(w->X + r * nx, P + (nx + r) * m, (size_t)nx * sizeof *w->X);
    }
    pseudo_solve(w, ng, nx, w->X);
  }

  // K_x + K_y C^+ P_yx
  for (int j = 0; j < nu; j++) {
    memcpy(K + j * nx, all + j * m, (size_t)nx * sizeof *K);
    for (int r = 0; goal && r < ng; r++)
      dm_add_to(nx, all[j * m + nx + r], w->X + r * nx, K + j * nx);
  }
}

// restrict gains to the tangent space of the constraints
static dm_status restrict_gains(const dm_system *s, fb_tvlqr *f) {
  fb_constraint_tangent *tangent = NULL;
  dm_kkt *k = NULL;
  dm_status status = dm_kkt_new(&k, s);
  if (status == DM_OK)
    status = fb_constraint_tangent_new(&tangent, f->nx / 2, s->hol.nc, s->hol.nv, s->kinematic);

  // at each knot, project on the tangent space of h = 0
  for (int i = 0; i < f->N && status == DM_OK; i++) {
    status = dm_kkt_start(k, f->x + offset_of(i, f->nx)); // Dh at the knot
    if (status == DM_OK) status = fb_constraint_tangent_set(tangent, k->Dh0);
    if (status == DM_OK)
      fb_constraint_tangent_restrict(tangent, f->nu, f->K + offset_of(i, f->nu * f->nx));
  }

  fb_constraint_tangent_free(tangent);
  dm_kkt_free(k);
  return status;
}

// The sweep. A problem that is convex subject to the goal may not be convex otherwise: a penalty on
// the goal's error, which does not change the solution, is increased until it is.
static dm_status sweep_variation(work *w, bool goal, int *failed) {
  static const double RAISE[] = {1e-2, 1, 1e2, 1e4, 1e6};
  oc_search_direction *d = w->d;
  fb_lq lq = d->lq;
  lq.lo = lq.hi = NULL;
  lq.dQ = lq.dR = lq.dS = NULL;
  lq.floor = 0;
  lq.share = NULL;

  // without bounds, reductions or a floor: Q, R, S contain all second-order terms
  dm_status s = fb_riccati_sweep(d->sweep, &lq, d->K, w->P, failed);
  for (size_t i = 0; goal && s == DM_NOT_DEFINITE && i < sizeof RAISE / sizeof *RAISE; i++) {
    // penalty E'E on the scaled last deviation, in costs of inputs of the size of their scales
    for (int r = 0; r < w->ng; r++) {
      const double *E = w->merit->end->E + r * w->nx, size = w->merit->end->size[r];
      const double weight = RAISE[i] * d->floor * w->N / (size * size);
      for (int j = 0; j < w->nx; j++) dm_add_to(w->nx, weight * E[j], E, d->Qf + j * w->m);
    }
    s = fb_riccati_sweep(d->sweep, &lq, d->K, w->P, failed);
  }
  return s;
}

static dm_status solve_variation(work *w, const double *Qf, fb_tvlqr *f, int *failed,
                                 dm_message *msg) {
  bool goal = w->ng && !Qf;
  dm_status s = oc_search_direction_model(w->d, OC_SECOND_ORDER);
  if (s != DM_OK) return dm_fail(msg, s, "no second variation: %s", dm_status_text(s));

  // combine all second-order terms; inputs at a bound get cost 1 and no effect
  oc_search_direction *d = w->d;
  int m = w->m, nu = w->nu;
  size_t N = (size_t)w->N, mm = (size_t)(m * m), mu = (size_t)(m * nu), uu = (size_t)(nu * nu);
  add_second_order(N * mm, d->dQ, d->Q);
  add_second_order(N * mu, d->dS, d->S);
  add_second_order(N * uu, d->dR, d->R);

  for (int i = 0; i < w->N * nu; i++) {
    if (!w->bound[i]) continue; // free inputs stay in the problem

    // zero column of B and S, unit row and column of R
    size_t k = (size_t)(i / nu), j = (size_t)(i % nu);
    for (size_t r = 0; r < (size_t)m; r++)
      d->B[k * mu + r * (size_t)nu + j] = d->S[k * mu + r * (size_t)nu + j] = 0;
    for (size_t c = 0; c < (size_t)nu; c++)
      d->R[k * uu + j * (size_t)nu + c] = d->R[k * uu + c * (size_t)nu + j] = c == j;
  }

  if (Qf) {
    // the last deviation costs Qf, which is diagonal; gains for it do not depend on the states of the goal
    for (int i = 0; i < w->nx; i++) w->d->Qf[i * w->m + i] += Qf[i];
  }
  s = sweep_variation(w, goal, failed);
  if (s == DM_NOT_DEFINITE)
    return dm_fail(msg, s,
                   "no gains of the second variation at knot %d: its Hessian by the inputs is not "
                   "positive definite there; give weights (feedback.Q)",
                   *failed);
  if (s != DM_OK)
    return dm_fail(msg, s, "no gains at knot %d: %s; try other weights (feedback.Q, feedback.R)",
                   *failed, dm_status_text(s));

  // gains of each knot after elimination of the multipliers; P of the states
  for (int k = 0; k < w->N; k++)
    eliminate_multipliers(w, k, goal, f->K + offset_of(k, w->nu * w->nx));
  for (int k = 0; k <= w->N; k++)
    for (int i = 0; i < w->nx; i++)
      memcpy(f->P + offset_of(k, w->nx * w->nx) + i * w->nx,
             w->P + offset_of(k, w->m * w->m) + i * w->m, (size_t)w->nx * sizeof *f->P);
  return w->task.system.hol.nc ? restrict_gains(&w->task.system, f) : DM_OK;
}

static dm_status make_gains(work *w, const double *Qf, fb_tvlqr *f, double *slope, int *failed,
                            dm_message *msg) {
  oc_terminal *end = w->merit->end;
  int k = 0, j = 0;

  // A, B and gains along the motion
  find_bounds(w);
  dm_status s = oc_projection_operator_gains(w->p, 1);
  *failed = w->p->failed;
  if (s != DM_OK) return dm_fail(msg, s, "%s", w->p->msg.text);

  // multipliers that minimize the remaining slope
  end->penalty = 0;
  memset(end->multiplier, 0, (size_t)w->ng * sizeof *end->multiplier);
  s = oc_merit_gradient(w->merit, true);
  if (s != DM_OK) return dm_fail(msg, s, "no second variation: %s", dm_status_text(s));
  slope_along_inputs(w, w->merit->l_x + offset_of(w->N, w->nx), true, w->g);
  if (w->ng) DM_TRY(fit_multipliers(w));

  // an optimum has no remaining slope
  *slope = measure_slope_left(w, &k, &j);
  if (*slope <= SOLVED) return solve_variation(w, Qf, f, failed, msg);
  *failed = k;
  return dm_fail(msg, DM_INFEASIBLE,
                 "no gains of the second variation: the motion is not optimal within the bounds of "
                 "inputs alone; input '%s' at knot %d has %.2g of its cost's slope left; remove "
                 "other bounds, or give weights (feedback.Q)",
                 w->task.input_name ? w->task.input_name[j] : "?", k, *slope);
}

static void extremal_free(work *w) {
  oc_search_direction_free(w->d);
  oc_merit_free(w->merit);
  oc_projection_operator_free(w->p);
  dm_block_free(w);
}

static dm_status extremal_new(work **out, const oc_task *task, const dm_trajectory *x) {
  work sizes = {.task = *task, .N = x->N, .nx = 2 * x->n, .nu = x->nu};
  sizes.task.time.T = x->N * x->h; // fix the motion's final time
  sizes.task.time.free = false;

  oc_terminal *end; // counts the entries of the goal
  DM_TRY(oc_terminal_new(&end, &sizes.task));
  sizes.ng = end->ng;
  sizes.m = sizes.nx + sizes.ng + 1;
  oc_terminal_free(end);

  work *w = dm_block_make(&sizes, sizeof sizes, lay_out_extremal);
  if (!w) return DM_NO_MEMORY;

  // workspaces for the motion
  dm_status s = oc_projection_operator_new(&w->p, &w->task);
  if (s == DM_OK) s = oc_merit_new(&w->merit, w->p);
  if (s == DM_OK) s = oc_search_direction_new(&w->d, w->p, w->merit, false);
  if (s != DM_OK) {
    extremal_free(w);
    return s;
  }
  dm_trajectory_copy(w->p->x, x);
  *out = w;
  return DM_OK;
}

dm_status oc_neighboring_extremal_gains(fb_tvlqr **out, const oc_task *task, const dm_trajectory *x,
                                        const double *Qf, double *slope, int *failed,
                                        dm_message *msg) {
  assert(out && task && x && slope && failed);
  work *w;
  fb_tvlqr *f;
  *slope = NAN;
  *out = NULL;
  // costs and limits of rates couple inputs of two steps; multipliers of rows are not available
  const oc_unsupported no = {.bounds = 1 << OC_RATE | 1 << OC_A | 1 << OC_JERK,
                             .running = 1 << OC_RATE | 1 << OC_A | 1 << OC_JERK,
                             .features = 1 << OC_CONTACT_LAWS | 1 << OC_RATIO | 1 << OC_PERIODIC |
                                         1 << OC_PATH_LIMITS | 1 << OC_OUTPUT_LIMITS |
                                         1 << OC_OUTPUT_COSTS | 1 << OC_CURVE |
                                         1 << OC_INPUT_LIMITS | 1 << OC_CONES | 1 << OC_LAGS |
                                         1 << OC_ROLLING | 1 << OC_LEVELS | 1 << OC_KNOTS};
  DM_TRY(oc_task_refuse(task, no, "the second variation", "give weights (feedback.Q)", NULL, msg));
  DM_TRY(fb_tvlqr_new(&f, x, &task->system, NULL, failed, msg));

  dm_status s = extremal_new(&w, task, x);
  if (s != DM_OK) {
    fb_tvlqr_free(f);
    return dm_fail(msg, s, "%s", dm_status_text(s));
  }
  s = make_gains(w, Qf, f, slope, failed, msg);
  extremal_free(w);
  if (s == DM_OK)
    *out = f;
  else
    fb_tvlqr_free(f);
  return s;
}

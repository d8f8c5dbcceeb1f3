#include "optim/second/newton_bvp.h"

#include "lib/base/block.h"
#include "optim/nlp/deadline.h"
#include "optim/second/block_elimination.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const double ARMIJO = 1e-4;
static const double COARSE_TOL = 1e-4; // the discretization error of a coarse grid's J is larger
enum {
  TRIES = 40,    // per search
  LEAST = -18,   // the smallest shift is 4^LEAST
  GREATEST = 30, // and the largest
  FINER = 4,     // ratio of steps between two grids
};

struct oc_newton {
  dm_second_order *second;
  oc_block_elimination *H; // gradient and Hessian of each step
  int N, size, free;       // steps, length of a knot, number of free entries at both ends
  double *given[2];        // [size] X_0 and X_N, NAN if free
  double *guess;           // [(N+1) size]
  // current grid
  int steps;
  double h;
  double *x, *trial, *p; // [(steps+1) size] knots, trial point, direction
  double *Ld;            // [steps] action of each step
  double J;              // at the last evaluated point
  double rounding;       // effect of rounding the knots on J, at the last derivatives
  int share;             // 4^share is the last shift
};

// J at x (order 0), with g and H of each step (order 2) by the departures w = X_k+1 - Phi X_k and
// by X_k
static dm_status evaluate_action(oc_newton *w, int order, const double *x) {
  size_t size = (size_t)w->size;
  DM_TRY(dm_second_order_eval_chain(w->second, order, w->steps, x, w->h, w->Ld, w->H->g, w->H->H));
  double J = 0, rounding = 0;
  for (int k = 0; k < w->steps; k++) J += w->Ld[k];

  // uncertainty of J: H_ww,ii (eps X_i)^2
  for (int k = 0; order > 1 && k < w->steps; k++) {
    const double *H = w->H->H + (size_t)k * 3 * size * size;
    x += size;
    for (size_t i = 0; i < size; i++)
      rounding += fabs(H[i * size + i]) * (DBL_EPSILON * x[i]) * (DBL_EPSILON * x[i]);
  }
  w->J = J;
  if (order > 1) w->rounding = rounding;
  return isfinite(J) ? DM_OK : DM_NOT_FINITE;
}

// -- construction

static void lay_out_newton(void *self, dm_block *b) {
  oc_newton *w = self;
  size_t d = sizeof(double), size = (size_t)w->size, all = ((size_t)w->N + 1) * size;
  for (int e = 0; e < 2; e++) w->given[e] = dm_block_alloc(b, size, d);
  double **const motion[] = {&w->guess, &w->x, &w->trial, &w->p};
  for (int i = 0; i < 4; i++) *motion[i] = dm_block_alloc(b, all, d);
  w->Ld = dm_block_alloc(b, (size_t)w->N, d);
}

dm_status oc_newton_new(oc_newton **out, dm_second_order *second, int N, const double *start,
                        const double *goal, dm_message *msg) {
  assert(out && second);
  const double *const end[2] = {start, goal};
  static const char *const name[2] = {"start", "goal"};
  int size = second->size;
  oc_newton sizes = {.second = second, .N = N, .size = size};
  if (N < 1) return dm_fail(msg, DM_BAD_INPUT, "a motion has at least 1 step, not %d", N);

  // given entries of the ends, and the number of free ones
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < size; i++) {
      if (end[e] && isinf(end[e][i]))
        return dm_fail(msg, DM_BAD_INPUT, "%s: entry %d is infinite", name[e], i);
      sizes.free += !end[e] || isnan(end[e][i]);
    }

  if ((double)N * size * size > INT_MAX)
    return dm_fail(msg, DM_BAD_INPUT, "%d steps of %d numbers a knot are too many", N, size);
  if (N == 1 && sizes.free == 0)
    return dm_fail(
        msg, DM_BAD_INPUT,
        "found one step between two given knots, expected something free: take more steps");

  // memory for the finest grid
  oc_newton *w = dm_block_make(&sizes, sizeof sizes, lay_out_newton);
  if (!w || oc_block_elimination_new(&w->H, N, second->n, second->k) != DM_OK) {
    oc_newton_free(w);
    return dm_fail(msg, DM_NO_MEMORY, "out of memory");
  }

  // given entries of the first and last knot are not unknowns
  for (int e = 0; e < 2; e++)
    for (int i = 0; i < size; i++) {
      w->given[e][i] = end[e] ? end[e][i] : NAN;
      w->H->fixed[e][i] = !isnan(w->given[e][i]);
    }
  *out = w;
  return DM_OK;
}

void oc_newton_free(oc_newton *w) {
  if (w) oc_block_elimination_free(w->H);
  dm_block_free(w);
}

// -- one iteration

// Contribution of a unit shift to H: sum over coordinates of m_i times the integral of (q_i^(k))^2,
// plus lower derivatives in units of T, which matter only for free ends. m_i is the harmonic mean
// over the motion of C's second derivative by q_i^(k), from H_ww.
static void weigh_shift(oc_newton *w) {
  oc_block_elimination *H = w->H;
  int n = w->second->n, k = w->second->k, size = w->size, top = size - n;
  double E[DM_SECOND_MAX_ORDER * DM_SECOND_MAX_ORDER], T = w->h * w->steps;
  dm_second_order_top_square(w->second, w->h, E);

  memset(H->S_ww, 0, (size_t)(size * size) * sizeof *H->S_ww);
  for (int i = 0; i < n; i++) {
    // m_i
    double sum = 0;
    for (int j = 0; j < w->steps; j++)
      sum += 1 / fabs(H->H[((size_t)j * 3 * (size_t)size + (size_t)(top + i)) * (size_t)size +
                           (size_t)(top + i)]);
    double mean = w->steps / (sum * E[k * k - 1]);

    for (int r = 0; r < k; r++) {
      for (int c = 0; c < k; c++) H->S_ww[(r * n + i) * size + c * n + i] = mean * E[r * k + c];
      H->S_yy[r * n + i] = mean * w->h * pow(T, 2 * (r - k));
    }
  }
}

// factor H with the shift 4^share
static dm_status factor_shifted(oc_newton *w, int share, double *fall) {
  return oc_block_elimination_factor(w->H, w->steps, w->h, ldexp(1, 2 * share), NULL, fall);
}

// The direction with the smallest shift that makes H definite; the search starts just below the
// last shift, which is usually right again. The limit is 4^GREATEST.
static dm_status find_newton_direction(oc_newton *w, oc_newton_row *row) {
  oc_block_elimination *H = w->H;
  double *fall = &row->decrement;
  // without a shift
  dm_status s = oc_block_elimination_factor(H, w->steps, w->h, 0, &row->negative, fall);
  if (s == DM_NOT_DEFINITE) {
    weigh_shift(w);
    // decrease from the last shift while H is definite, then increase until it is
    if (w->share > LEAST) w->share--;
    while (w->share > LEAST && factor_shifted(w, w->share, fall) == DM_OK) w->share--;
    while ((s = factor_shifted(w, w->share, fall)) == DM_NOT_DEFINITE && w->share < GREATEST)
      w->share++;
    row->shift = ldexp(1, 2 * w->share);
  }
  if (s == DM_OK) oc_block_elimination_solve(H, w->steps, w->h, w->p);
  return s;
}

// returns true if H >= 0 up to the smallest shift
static bool is_semidefinite(oc_newton *w) {
  // definite with the smallest shift means semidefinite to rounding
  double fall;
  return factor_shifted(w, LEAST, &fall) == DM_OK;
}

// The inertia of the last H at the end of the search: eigenvalues that are negative only after
// subtracting the smallest shift are zero to rounding.
static oc_inertia judge_minimum(oc_newton *w, const oc_newton_row *row, bool saddle) {
  const int all = (w->steps - 1) * w->size + w->free;
  double fall;
  oc_inertia out = {.kind = OC_INERTIA_SADDLE, .negative = row->negative};
  if (!saddle) {
    out = (oc_inertia){.kind = OC_INERTIA_MINIMUM, .zero = row->negative};
    if (row->shift == 0) {
      weigh_shift(w);
      oc_block_elimination_factor(w->H, w->steps, w->h, -ldexp(1, 2 * LEAST), &out.zero, &fall);
    }
    if (out.zero > 0) out.kind = OC_INERTIA_FLAT;
  }
  out.positive = all - out.zero - out.negative;
  return out;
}

// length of a full step relative to the knots
static double relative_length(const oc_newton *w) {
  int n = w->second->n, all = (w->steps + 1) * w->size;
  double largest = DBL_MIN, step = 0, power = 1; // power: h^r

  // factors h^r give q, h v, h^2 a the same unit
  for (int r = 0; r < w->second->k; r++, power *= w->h)
    for (int i = r * n; i < all; i += w->size)
      for (int j = i; j < i + n; j++) {
        double x = power * fabs(w->x[j]), p = power * fabs(w->p[j]);
        largest = x > largest ? x : largest;
        step = p > step ? p : step;
      }
  return step / largest;
}

static void swap_points(oc_newton *w) {
  double *x = w->x;
  w->x = w->trial;
  w->trial = x;
}

typedef struct line { // along p, from x
  double J, slope, curvature;
} line;

// The minimizer of J along p from J and its derivatives at 0 and J at t, by a quartic, as torques
// are nearly quadratic in t. Restricted to [t/100, t/2].
static double shorten_step(const line *l, double t, double J) {
  double e = (J - l->J - l->slope * t - l->curvature * t * t / 2) / pow(t, 4);

  // slope + curvature t + 4 e t^3 = 0: negative at 0, at most one root
  double low = 0, high = t;
  for (int i = 0; i < 20; i++) {
    double at = (low + high) / 2;
    *(l->slope + l->curvature * at + 4 * e * at * at * at < 0 ? &low : &high) = at;
  }
  return fmin(fmax(low, t / 100), t / 2);
}

// Line search along p with Armijo's rule, to rounding, into x, with J, g, H there. A full step is
// usually accepted and is evaluated with derivatives at once; the last step has none.
static dm_status search_line(oc_newton *w, oc_newton_row *row, bool last) {
  // along p, J decreases by twice the decrement, and the curvature is the same minus that of the
  // shift
  line l = {.J = row->action, .slope = -2 * row->decrement, .curvature = 2 * row->decrement};
  if (row->shift > 0)
    l.curvature -= row->shift * oc_block_elimination_shift_cost(w->H, w->steps, w->h, w->p);

  double rounding = w->steps * DBL_EPSILON * fabs(l.J), t = 1;
  int order = !last ? 2 : 0, all = (w->steps + 1) * w->size;
  while (row->tried < TRIES) {
    row->tried++;
    for (int i = 0; i < all; i++) w->trial[i] = w->x[i] + t * w->p[i];
    bool finite = evaluate_action(w, order, w->trial) == DM_OK;

    if (finite && w->J <= l.J + ARMIJO * l.slope * t + rounding) {
      // derivatives for the next iteration
      if (order < 2 && !last) DM_TRY(evaluate_action(w, 2, w->trial));
      swap_points(w);
      row->step = t;
      return DM_OK;
    }

    // only the first trial, the full step, is evaluated with derivatives
    order = 0;
    t = finite ? shorten_step(&l, t, w->J) : t / 2;
  }
  return DM_STALLED;
}

// Newton's method on the current grid, after an evaluation of g and H
static dm_status iterate_newton(oc_newton *w, const oc_options *set, const oc_hooks *hooks,
                                double start, oc_newton_row *record, int room, oc_newton_info *info,
                                dm_message *msg) {
  // coarse grids are solved loosely
  double tol = w->steps < w->N ? COARSE_TOL : set->newton.decrement;
  int until = info->iterations + set->max_iter; // max_iter applies to each grid
  for (;;) {
    oc_newton_row row = {.iteration = info->iterations, .steps = w->steps, .action = w->J};

    // direction and decrement
    dm_status s = find_newton_direction(w, &row);
    if (s < 0) return dm_fail(msg, s, "no direction: %s", dm_status_text(s));
    row.length = relative_length(w);

    // converged if the decrement is small relative to J, or the step relative to x; unless it is a
    // saddle
    bool small = row.decrement <= tol * fabs(w->J) + w->rounding,
         still = row.length <= set->newton.length;
    bool done = small || still, more = info->iterations < until;
    // if H was shifted, a descent direction may be left
    bool saddle = done && row.shift > 0 && !is_semidefinite(w);
    if (!saddle && !still && more) s = search_line(w, &row, done);
    if (s < 0) return dm_fail(msg, s, "a step: %s", dm_status_text(s));

    // record
    row.time_s = info->time_s = oc_clock() - start;
    info->iterations += row.step > 0;
    info->action = row.step > 0 ? w->J : row.action;
    info->decrement = row.decrement;
    info->negative = row.negative;
    info->shifted += row.shift > 0;
    info->max_shift = fmax(info->max_shift, row.shift);
    if (record && info->rows < room) record[info->rows++] = row;
    const oc_iterate it = oc_newton_iterate(&row);
    if (!oc_hooks_continue(hooks, &it)) return DM_INTERRUPTED;
    if (row.time_s > set->max_time) return DM_MAX_ITER;

    // reason of the end
    if (done && w->steps == w->N) info->inertia = judge_minimum(w, &row, saddle);
    if (saddle)
      return dm_fail(msg, DM_SADDLE,
                     "stationary, but no minimum: the Hessian has %d negative eigenvalues",
                     row.negative);
    if (done) return DM_OK;
    if (!more) return DM_MAX_ITER;
    if (row.step == 0)
      return dm_fail(msg, DM_STALLED,
                     "no step along Newton's direction lowers the action (decrement %.2g)",
                     row.decrement);
  }
}

// -- grids

// interpolate x on a grid of `steps` steps from a motion of `from` steps by the polynomials between
// its knots; T: duration
static void sample_grid(oc_newton *w, int from, const double *X, int steps, double T) {
  size_t size = (size_t)w->size;
  if (from == steps) memcpy(w->trial, X, ((size_t)steps + 1) * size * sizeof *X);
  for (int k = 0; from != steps && k <= steps; k++) {
    double at = (double)k * from / steps;
    // knot k is in step j of the other grid
    int j = k < steps ? (int)at : from - 1;
    const double *X0 = X + (size_t)j * size;
    dm_second_order_between(w->second->n, w->second->k, X0, X0 + size, T / from, at - j,
                            w->trial + (size_t)k * size);
  }

  // given entries of the ends are kept
  swap_points(w);
  for (int e = 0; e < 2; e++)
    for (size_t i = 0; i < size; i++)
      // e 0: X_0, e 1: X_steps
      if (w->H->fixed[e][i]) w->x[(e ? (size_t)steps * size : 0) + i] = w->given[e][i];

  w->steps = steps;
  w->h = T / steps;
}

oc_iterate oc_newton_iterate(const oc_newton_row *row) {
  return (oc_iterate){.iteration = row->iteration,
                      .objective = row->action,
                      // the decrement measures the gain of a step, like IPOPT's dual infeasibility
                      .dual = row->decrement,
                      .step = row->step,
                      .regularization = row->shift};
}

dm_status oc_newton_solve(oc_newton *w, const oc_options *set, const oc_hooks *hooks, double h,
                          double *X, oc_newton_row *record, int room, oc_newton_info *info,
                          dm_message *msg) {
  assert(w && set && X && info && room >= 0);
  size_t size = (size_t)w->size, all = ((size_t)w->N + 1) * size;
  double start = oc_clock(), T = h * w->N;
  *info = (oc_newton_info){.status = DM_BAD_INPUT};
  if (!(h > 0 && isfinite(h)))
    return dm_fail(msg, DM_BAD_INPUT, "a step is a number > 0, not %g", h);

  // the guess with the given ends must be finite
  memcpy(w->guess, X, all * sizeof *X);
  for (int e = 0; e < 2; e++)
    for (size_t i = 0; i < size; i++)
      if (w->H->fixed[e][i]) w->guess[(e ? all - size : 0) + i] = w->given[e][i];
  for (size_t i = 0; i < all; i++)
    if (!isfinite(w->guess[i]))
      return dm_fail(msg, DM_BAD_INPUT, "the guess: knot %zu, entry %zu is not a finite number",
                     i / size, i % size);
  DM_TRY(info->status = dm_second_order_check(w->second, w->guess, w->guess + size, h, msg));

  // grids of N/4^i steps, starting with the coarsest that has at least `coarse` steps
  int finer = 1, from = w->N; // the grid has N/finer steps
  while (set->newton.coarse > 0 && w->N / finer / FINER >= set->newton.coarse) finer *= FINER;
  w->share = 0;
  // any result of a coarse grid serves as a guess
  dm_status s = DM_OK;
  bool late = false;
  for (; s != DM_INTERRUPTED && !late && finer > 0; finer /= FINER) {
    // a failure on a coarse grid is not reported
    dm_message *says = finer == 1 ? msg : NULL;
    // start from the coarser grid's result; if J is undefined there, from the guess
    bool coarser = from < w->N;
    sample_grid(w, from, coarser ? w->x : w->guess, w->N / finer, T);
    s = evaluate_action(w, 2, w->x);
    if (s < 0 && coarser) {
      sample_grid(w, from = w->N, w->guess, w->N / finer, T);
      s = evaluate_action(w, 2, w->x);
    }
    if (s < 0) {
      dm_fail(says, s, "the guess: %s", dm_status_text(s));
      continue;
    }
    s = iterate_newton(w, set, hooks, start, record, room, info,
                       says); // any result is the next grid's guess
    late = s == DM_MAX_ITER && info->time_s > set->max_time;
    from = w->steps;
  }

  if (w->steps < w->N) sample_grid(w, w->steps, w->x, w->N, T); // interrupted
  if (s >= 0) memcpy(X, w->x, all * sizeof *X);
  info->time_s = oc_clock() - start;
  return info->status = s;
}

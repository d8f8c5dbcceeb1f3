#include "optim/starts/guess.h"

#include "lib/base/block.h"
#include "lib/base/random.h"
#include "lib/discrete/assembly.h"
#include "optim/starts/curve_timing.h"
#include "optim/starts/inverse_kinematics.h"
#include "optim/task/travel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double first_number(double x, double y) {
  if (!isnan(x)) return x;
  return isnan(y) ? 0 : y;
}

static double entry_or_nan(const double *x, int i) {
  return x ? x[i] : NAN;
}

void oc_guess_prescribe(const oc_task *t, dm_trajectory *x) {
  const dm_system *s = &t->system;
  for (int i = 0, j = s->nu; s->nk && i < x->n; i++) {
    // inputs after the forces are next values of q
    if (!s->kinematic[i]) continue;
    for (int k = 0; k < x->N; k++) x->u[k * x->nu + j] = x->q[(k + 1) * x->n + i];
    j++;
  }
}

// linear interpolation between knots a and b
static void draw_line(dm_trajectory *x, int a, int b) {
  const double *q0 = x->q + a * x->n, *q1 = x->q + b * x->n;
  for (int k = a + 1; k < b; k++)
    for (int i = 0; i < x->n; i++) {
      double s = (double)(k - a) / (b - a); // fraction of the distance
      x->q[k * x->n + i] = (1 - s) * q0[i] + s * q1[i];
    }
}

// project knot k onto the constraints, if possible; at an end, given entries are kept
static dm_status assemble_knot(const oc_task *t, dm_trajectory *x, int k, bool *held) {
  const double *end = NULL;
  if (k == 0) end = t->start.q;
  if (k == x->N) end = t->goal.q;
  // entries that the task gives are fixed
  for (int i = 0; i < x->n; i++) held[i] = !isnan(entry_or_nan(end, i));
  dm_status s = dm_assembly_project_fixed(&t->system, held, x->q + k * x->n, NULL);
  return s == DM_NO_MEMORY ? s : DM_OK;
}

// Knots from the start on: entries with a goal move there linearly, the others follow the constraints from
// knot to knot, so that a linkage stays on its initial branch.
static dm_status follow_constraints(const oc_task *t, dm_trajectory *x, bool *held) {
  for (int k = 1; k <= x->N; k++) {
    // entries with a goal on a straight line, the others from the previous knot
    double *q = x->q + k * x->n, s = (double)k / x->N;
    for (int i = 0; i < x->n; i++) {
      held[i] = !isnan(entry_or_nan(t->goal.q, i));
      q[i] = held[i] ? (1 - s) * x->q[i] + s * t->goal.q[i] : q[i - x->n];
    }

    // project onto the constraints with those entries fixed, or if that is impossible, by the least change
    dm_status status = dm_assembly_project_fixed(&t->system, held, q, NULL);
    if (status != DM_OK && status != DM_NO_MEMORY && k < x->N)
      status = assemble_knot(t, x, k, held);
    if (status == DM_NO_MEMORY) return status;
  }
  return DM_OK;
}

dm_status oc_guess_impulses(const oc_task *t, dm_trajectory *x) {
  assert(t && x);
  const dm_system *s = &t->system;
  size_t n = (size_t)x->n;
  dm_interval *d = NULL;
  if (!s->hol.nc) return DM_OK;

  // the residual of the row of motion
  dm_block b = {0};
  dm_block_alloc(&b, n, sizeof(double));
  DM_TRY(dm_block_new(&b));
  double *r = dm_block_alloc(&b, n, sizeof *r); // D2 of the step before, + D1 of the next
  dm_status status = dm_interval_new(&d, s);

  // each impulse is the least-squares solution of Dh' lambda = D2(k-1) + D1(k)
  for (int k = 0; status == DM_OK && k < x->N; k++) {
    const double *q = x->q + (size_t)k * n;
    status = dm_interval_eval(d, 1, q, q + n, x->u + k * x->nu, dm_trajectory_step(x, k));
    // D2(k-1) + D1(k); k = 0 has only the second term
    for (int i = 0; i < x->n; i++) r[i] = k ? r[i] + d->D1[i] : d->D1[i];
    if (status == DM_OK) status = dm_assembly_impulse(s, q, r, x->lambda + k * x->nc);
    memcpy(r, d->D2, n * sizeof *r);
  }
  dm_interval_free(d);
  dm_block_free(b.base);
  return status == DM_NO_MEMORY ? status : DM_OK; // else it stays zero
}

// project knots onto the constraints: the ends, or if the goal is free all knots from the start on
static dm_status assemble_line(const oc_task *t, dm_trajectory *x, bool *held) {
  DM_TRY(assemble_knot(t, x, 0, held));
  for (int i = 0; i < x->n; i++)
    if (isnan(entry_or_nan(t->goal.q, i))) return follow_constraints(t, x, held);

  // otherwise the line between the projected ends, with each knot projected
  DM_TRY(assemble_knot(t, x, x->N, held));
  draw_line(x, 0, x->N);
  for (int k = 1; k < x->N; k++) DM_TRY(assemble_knot(t, x, k, held));
  return DM_OK;
}

// the line through the knots with given outputs, each solved from the one before; these satisfy the
// constraints, and the knots in between are projected
static dm_status assemble_waypoints(const oc_task *t, uint64_t branch, dm_trajectory *x,
                                    bool *held) {
  DM_TRY(assemble_knot(t, x, 0, held));
  int from = 0;
  for (int k = 0; k <= x->N; k++) {
    double *q = x->q + k * x->n;
    if (!oc_is_waypoint(t, k)) continue;

    // given entries of the ends are fixed, the others start from the previous waypoint
    const double *end = NULL;
    if (k == 0) end = t->start.q;
    if (k == x->N) end = t->goal.q;
    for (int i = 0; i < x->n; i++) {
      held[i] = !isnan(entry_or_nan(end, i));
      if (!held[i] && k > 0) q[i] = x->q[from * x->n + i];
      if (!held[i] && k == 0) q[i] = first_number(entry_or_nan(t->outputs.follow.near, i), q[i]);
    }
    // along a curve, keep the initial posture
    const uint64_t posture = t->outputs.follow.curve && k > 0 ? 0 : branch;
    const dm_status s = oc_inverse_kinematics(t, k, held, posture, q, NULL);
    if (s == DM_NO_MEMORY) return s;
    draw_line(x, from, k);
    from = k;
  }

  // on to the goal
  double *goal = x->q + x->N * x->n;
  for (int i = 0; from < x->N && i < x->n; i++)
    goal[i] = first_number(entry_or_nan(t->goal.q, i), x->q[from * x->n + i]);
  if (from < x->N) DM_TRY(assemble_knot(t, x, x->N, held));
  if (from < x->N) draw_line(x, from, x->N);

  // velocities between the ends
  for (int k = 1; k < x->N; k++)
    for (int i = 0; i < x->n; i++)
      x->v[k * x->n + i] = (x->q[(k + 1) * x->n + i] - x->q[(k - 1) * x->n + i]) /
                           (dm_trajectory_step(x, k - 1) + dm_trajectory_step(x, k));

  // the knots in between
  for (int k = 1; t->system.hol.nc && k < x->N; k++)
    if (!oc_is_waypoint(t, k)) DM_TRY(assemble_knot(t, x, k, held));
  return DM_OK;
}

// the line of a task, through its nearest postures or a given branch
static dm_status make_line(const oc_task *t, uint64_t branch, dm_trajectory *x) {
  dm_block b = {0};
  // the line itself
  oc_task_set_steps(t, oc_task_step(t), x);

  // q linear between the ends; velocities are the mean, except given end velocities
  for (int k = 0; k <= x->N; k++)
    for (int i = 0; i < x->n; i++) {
      // a coordinate that is free at both ends: 0, or the nearest admissible value
      const double low = oc_low(t, OC_Q, i), high = oc_high(t, OC_Q, i);
      const double given = first_number(entry_or_nan(t->goal.q, i), fmin(fmax(0, low), high));
      const double q0 = first_number(entry_or_nan(t->start.q, i), given);
      double q1 = first_number(entry_or_nan(t->goal.q, i), q0), s = dm_grid_at(x->grid, k) / x->N;
      double v = NAN;
      if (k == 0) v = entry_or_nan(t->start.v, i);
      if (k == x->N) v = entry_or_nan(t->goal.v, i);
      x->q[k * x->n + i] = (1 - s) * q0 + s * q1;
      x->v[k * x->n + i] = first_number(v, (q1 - q0) / (x->N * x->h));
    }

  oc_guess_prescribe(t, x);
  const bool waypoints = oc_has_waypoints(t);
  if (!t->system.hol.nc && !waypoints) return DM_OK;

  // through the given outputs, projected onto the constraints
  dm_block_alloc(&b, (size_t)x->n, sizeof(bool));
  DM_TRY(dm_block_new(&b));
  bool *held = dm_block_alloc(&b, (size_t)x->n, sizeof *held);
  const dm_status s =
      waypoints ? assemble_waypoints(t, branch, x, held) : assemble_line(t, x, held);
  dm_block_free(b.base);
  oc_guess_prescribe(t, x);
  return s == DM_OK ? oc_guess_impulses(t, x) : s;
}

// The line of a task. That of a periodic motion goes from the first knot of the line with a free goal to the
// same position displaced by the travel.
static dm_status make_branch(const oc_task *t, uint64_t branch, dm_trajectory *x) {
  const dm_status open = make_line(t, branch, x);
  if (open < 0 || !t->periodic) return open;
  const size_t n = (size_t)x->n;
  dm_block b = {0};
  dm_block_alloc(&b, 2 * n, sizeof(double));
  DM_TRY(dm_block_new(&b));
  double *ends = dm_block_alloc(&b, 2 * n, sizeof *ends);

  // both ends as given
  oc_task closed = *t;
  memcpy(ends, x->q, n * sizeof *ends);
  for (size_t i = 0; i < n; i++) ends[n + i] = ends[i] + oc_travel_least(t, (int)i);
  closed.start.q = ends;
  closed.goal.q = ends + n;
  const dm_status s = make_line(&closed, branch, x);
  dm_block_free(b.base);
  return s;
}

dm_status oc_guess_branch(const oc_task *t, uint64_t branch, dm_trajectory *x) {
  assert(t && x);
  oc_timed_task timed;
  DM_TRY(oc_timed_task_new(&timed, t));
  const dm_status s = make_branch(&timed.task, branch, x);
  oc_timed_task_free(&timed);
  return s;
}

// the mean violation of limits on outputs over the knots, and a small weight on the distance traveled
static dm_status judge_line(const oc_task *t, const dm_trajectory *x, void *scratch, double *y,
                            double *miss, double *score) {
  // weight of the relative distance traveled, compared with a violation of 1
  const double way = 0.003;
  const oc_outputs *o = &t->outputs;
  *miss = *score = 0;
  for (int k = 0; k <= x->N; k++) {
    const double *q = x->q + k * x->n;
    DM_TRY(oc_outputs_eval(o, x->N, k, scratch, q, NULL, y, NULL, NULL));
    for (int i = 0; i < o->nlimits; i++) {
      const int output = o->limits[i].output;
      if (dm_output_map_is_rated(&o->y, output) || oc_outputs_driven(o, output)) continue;
      if (!oc_span_has(o->limits[i].at, x->N, k)) continue;
      const double at = y[o->limits[i].output];
      *miss += fmax(0, oc_output_limit_excess(&o->limits[i], k, at)) / (x->N + 1);
    }
    for (int i = 0; k > 0 && i < x->n; i++)
      *score += way * fabs(q[i] - q[i - x->n]) / oc_task_way(t, i);
  }
  *score += *miss;
  return DM_OK;
}

// If the line through the nearest postures violates limits between them, choose the line with the lowest
// score among several postures.
static dm_status choose_line(const oc_task *t, dm_trajectory *x, dm_trajectory *other,
                             void *scratch, double *y) {
  enum { POSTURES = 8 };
  double miss, score, best;
  dm_status s = make_branch(t, 0, x);
  if (s != DM_OK || judge_line(t, x, scratch, y, &miss, &best) != DM_OK || miss <= 1e-9) return s;
  for (uint64_t branch = 1; branch < POSTURES; branch++) {
    s = make_branch(t, branch, other);
    if (s == DM_NO_MEMORY) return s;
    if (s != DM_OK || judge_line(t, other, scratch, y, &miss, &score) != DM_OK) continue;
    if (score >= best) continue;
    best = score;
    dm_trajectory_copy(x, other);
  }
  return DM_OK;
}

dm_status oc_guess_line(const oc_task *t, dm_trajectory *x) {
  const oc_outputs *o = &t->outputs;
  dm_trajectory *other = NULL;
  dm_block b = {0};
  oc_timed_task timed;
  if (!oc_has_waypoints(t)) return make_branch(t, 0, x);

  // another line to compare with, and the work arrays of outputs
  dm_block_alloc(&b, (size_t)o->y.ny, sizeof(double));
  dm_block_alloc(&b, o->y.scratch, 1);
  DM_TRY(dm_block_new(&b));
  double *y = dm_block_alloc(&b, (size_t)o->y.ny, sizeof *y);
  void *scratch = dm_block_alloc(&b, o->y.scratch, 1);
  dm_status s = oc_timed_task_new(&timed, t);
  if (s == DM_OK) s = dm_trajectory_of(&other, t->N, &t->system);
  if (s == DM_OK) s = choose_line(&timed.task, x, other, scratch, y);
  dm_trajectory_free(other);
  oc_timed_task_free(&timed);
  dm_block_free(b.base);
  return s;
}

// the fraction of y, in steps, at the time of knot k of x, if both last equally long
static double find_fraction(const dm_trajectory *y, const dm_trajectory *x, bool even, int k) {
  if (even) return (double)k * y->N / x->N;
  return dm_grid_find(y->grid, y->N, dm_grid_at(x->grid, k) * y->N / x->N);
}

void oc_guess_resample(const oc_task *t, const dm_trajectory *y, dm_trajectory *x) {
  assert(t && y && x && y->N >= 1);
  int n = x->n, nu = x->nu, nc = y->nc == x->nc ? x->nc : 0, nr = y->nr == x->nr ? x->nr : 0;
  const bool even = dm_grid_is_even(x->grid, x->N) && dm_grid_is_even(y->grid, y->N);

  for (int k = 0; k <= x->N; k++) {
    // knot k lies in y's step j, at fraction w of it
    const double s = find_fraction(y, x, even, k);
    int j = s < y->N ? (int)s : y->N - 1;
    double w = s - j;

    // impulses are per step
    const double longer = k < x->N ? dm_grid_step(x->grid, k) / dm_grid_step(y->grid, j) : 1;
    const double scale = (double)y->N / x->N * longer;

    // q, v and contact impulses between its knots; inputs and impulses of constraints are the step's own
    for (int i = 0; i < n; i++) {
      x->q[k * n + i] = (1 - w) * y->q[j * n + i] + w * y->q[(j + 1) * n + i];
      x->v[k * n + i] = (1 - w) * y->v[j * n + i] + w * y->v[(j + 1) * n + i];
    }
    for (int r = 0; r < nr; r++)
      x->contact[k * nr + r] =
          scale * ((1 - w) * y->contact[j * nr + r] + w * y->contact[(j + 1) * nr + r]);
    if (k == x->N) continue;
    memcpy(x->u + k * nu, y->u + j * nu, (size_t)nu * sizeof *x->u);
    for (int c = 0; c < nc; c++) x->lambda[k * nc + c] = scale * y->lambda[j * nc + c];
  }
  oc_guess_prescribe(t, x);
}

// a periodic wave that is 0 at both ends, with amplitudes a and b, added to coordinate i
static void add_closed_wave(dm_trajectory *x, int i, double rate, double a, double b) {
  for (int k = 0; k <= x->N; k++) {
    // a sin + b (cos - 1), and its rate in time, the same at both ends
    const double at = rate * (k % x->N);
    x->q[k * x->n + i] += a * sin(at) + b * (cos(at) - 1);
    x->v[k * x->n + i] += rate / x->h * (a * cos(at) - b * sin(at));
  }
}

void oc_guess_perturb(const oc_task *t, uint64_t seed, int start, double spread, dm_trajectory *x) {
  assert(t && x);
  enum { MODES = 4 };
  const double pi = acos(-1);

  // for a periodic motion half as many waves, with two amplitudes each
  for (int i = 0; t->periodic && i < x->n; i++)
    for (int m = 1; m <= MODES / 2; m++) {
      const uint64_t draw = (uint64_t)(i * MODES + 2 * (m - 1));
      const double size = spread * oc_task_way(t, i);
      add_closed_wave(x, i, 2 * pi * m / x->N, size / m * dm_random_normal(seed, start, draw),
                      size / m * dm_random_normal(seed, start, draw + 1));
    }
  if (t->periodic) {
    oc_guess_prescribe(t, x);
    return;
  }

  for (int i = 0; i < x->n; i++)
    for (int m = 1; m <= MODES; m++) {
      // mode m of a string, fixed at both ends, with its rate
      double a = spread * oc_task_way(t, i) / m *
                 dm_random_normal(seed, start, (uint64_t)(i * MODES + m - 1));

      double rate = m * pi / x->N;
      for (int k = 0; k <= x->N; k++) {
        x->q[k * x->n + i] +=
            k % x->N ? a * sin(rate * k) : 0; // sin at the ends is exactly zero, without rounding
        x->v[k * x->n + i] += a * rate / x->h * cos(rate * k);
      }
    }
  oc_guess_prescribe(t, x);
}

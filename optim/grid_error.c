#include "optim/grid_error.h"

#include "optim/transcription/prolong.h"
#include "optim/transcription/regrid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SMALL = 8, LITTLE = 30 }; // a grid of fewer steps has no half; iterations that cost little
static const double ORDER_LEAST = 1.3, ORDER_MOST = 2.7; // differences fall by 2.5 to 6.5
static const double ROUNDING = 1e-7; // differences below this share say nothing of an order

// The motions of a solution, one or one of each phase.
typedef struct motions {
  int n;
  const dm_trajectory *const *x; // [n]
} motions;

static motions motions_of(const oc_solution *w) {
  if (w->phases) return (motions){w->phased.n, (const dm_trajectory *const *)w->motions};
  return (motions){1, (const dm_trajectory *const *)&w->motion};
}

// Steps over those of the solution: whole, or 1/half.
typedef struct finer_by {
  int times, over;
} finer_by;

// can all grids be divided, and have they so many steps?
static bool can_divide(motions x, int by, int least) {
  for (int i = 0; i < x.n; i++)
    if (x.x[i]->N % by != 0 || x.x[i]->N < least) return false;
  return true;
}

static int count_steps(motions x, finer_by by) {
  int steps = 0;
  for (int i = 0; i < x.n; i++) steps += x.x[i]->N * by.times / by.over;
  return steps;
}

// an iteration takes half of one of the solution's, or twice as long
static int limit_iterations(const oc_solution *w, finer_by by, int most) {
  const int own = w->info.iterations, share = by.times < by.over ? own : own / 4;
  if (most > 0) return most < w->set.max_iter ? most : w->set.max_iter;
  return share > LITTLE ? share : LITTLE;
}

// the largest difference of rows k a of x and k b of y, of n numbers each, for k = 0..count
static double find_largest(const double *x, int a, const double *y, int b, int n, int count,
                           int *coord, int *knot) {
  double most = -1;
  for (int k = 0; k <= count; k++)
    for (int i = 0; i < n; i++) {
      const double d = fabs(x[(size_t)(k * a * n + i)] - y[(size_t)(k * b * n + i)]);
      if (d <= most) continue;
      most = d;
      *coord = i;
      *knot = k * a;
    }
  return most;
}

// the largest differences of the phases' states at the knots that both grids have
static void compare_states(oc_grid_error *e, motions x, motions y, double part) {
  e->q_error = e->v_error = -1;
  for (int p = 0; p < x.n; p++) {
    const dm_trajectory *u = x.x[p], *w = y.x[p];
    const int a = u->N > w->N ? 2 : 1, b = u->N > w->N ? 1 : 2;
    const int count = u->N > w->N ? w->N : u->N;
    int coord = 0, knot = 0;
    const double q = fabs(part) * find_largest(u->q, a, w->q, b, u->n, count, &coord, &knot);
    if (q > e->q_error) {
      e->q_error = q;
      e->coord = coord;
      e->knot = knot;
      e->phase = p;
    }
    const double v = fabs(part) * find_largest(u->v, a, w->v, b, u->n, count, &coord, &knot);
    if (v > e->v_error) {
      e->v_error = v;
      e->v_coord = coord;
      e->v_knot = knot;
      e->v_phase = p;
    }
  }
}

static double sum_times(motions x) {
  double T = 0;
  for (int i = 0; i < x.n; i++) T += x.x[i]->N * x.x[i]->h;
  return T;
}

static bool is_time_free(const oc_solution *w) {
  bool free = w->task.free_time;
  for (int i = 0; i < w->phased.n; i++) free |= w->phased.task[i]->free_time;
  return free;
}

// what the two grids say: (N/M)^2 - 1 is 3 of the coarser one, 1/4 - 1 of the finer
static void compare_grids(oc_grid_error *e, const oc_solution *w, motions x, motions y) {
  const double ratio = (double)x.x[0]->N / y.x[0]->N, part = 1 / (ratio * ratio - 1);
  const double J = w->info.objective;
  e->objective = J + (J - e->other) * part;
  e->objective_error = fabs(e->objective - J);

  // the final time where it is free
  const double T = sum_times(x), other = sum_times(y);
  e->T = NAN;
  if (is_time_free(w)) {
    e->T = T + (T - other) * part;
    e->T_error = fabs(e->T - T);
  }
  compare_states(e, x, y, part);
}

// The solution's tasks on grids of other steps, as many as it has phases.
typedef struct other_grids {
  int n;
  oc_regridded *grid;   // [n]
  const oc_task **task; // [n]
} other_grids;

static void free_grids(other_grids *g) {
  for (int i = 0; g->grid && i < g->n; i++) oc_regridded_free(&g->grid[i]);
  free(g->grid);
  free(g->task);
}

static dm_status make_grids(other_grids *g, const oc_solution *w, motions x, finer_by by) {
  *g = (other_grids){x.n, calloc((size_t)x.n, sizeof *g->grid),
                     calloc((size_t)x.n, sizeof *g->task)};
  dm_status s = g->grid && g->task ? DM_OK : DM_NO_MEMORY;
  for (int i = 0; s == DM_OK && i < x.n; i++) {
    const oc_task *of = w->phases ? w->phased.task[i] : &w->task;
    s = oc_task_regrid(&g->grid[i], of, x.x[i]->N * by.times / by.over);
    g->task[i] = &g->grid[i].task;
  }
  return s;
}

// a solution on these grids, begun from the first one with its multipliers
static dm_status begin_on_grids(oc_solution **out, const oc_solution *w, motions x,
                                const other_grids *g, const oc_solve_settings *set) {
  if (!w->phases) {
    DM_TRY(oc_solution_new(out, g->task[0], set, NULL));
    const dm_status s = oc_solution_start(*out, x.x[0]);
    if (s >= 0) oc_transcription_prolong(w->first, &w->point, (*out)->first, &(*out)->point);
    return s;
  }
  oc_phases_task phased = w->phased;
  phased.task = g->task;
  DM_TRY(oc_solution_of_phases(out, &phased, set, NULL));
  const dm_status s = oc_solution_start_phases(*out, NULL);
  if (s >= 0) oc_phases_prolong(w->phases, &w->point, (*out)->phases, &(*out)->point);
  return s;
}

// the solution's task on a grid of other steps, from the solution, with its multipliers; the status of
// what comes of it, with *out NULL where there is no motion
static dm_status solve_on_grid(oc_solution **out, const oc_solution *w, motions x, finer_by by,
                               int most) {
  other_grids grids;
  oc_solution *other = NULL;
  oc_solve_settings set = oc_solve_default();
  *out = NULL;

  // by the stage solver from here alone
  set.solver = OC_SOLVER_STAGE;
  set.only_guess = true;
  set.max_iter = limit_iterations(w, by, most);
  set.tol = w->set.tol;
  set.max_time = w->set.max_time - w->info.total_s;
  set.watch = w->set.watch;
  set.stop = w->set.stop;
  set.user = w->set.user;
  dm_status s = make_grids(&grids, w, x, by);
  if (s == DM_OK) s = begin_on_grids(&other, w, x, &grids, &set);
  if (s >= 0) {
    other->warm = true;
    s = oc_solution_find(other, NULL);
  }
  free_grids(&grids);
  if (s < 0) {
    oc_solution_free(other);
    return s;
  }
  *out = other;
  return other->info.status;
}

// log2 of the ratio of two differences, of what is of this size; NAN where they are rounding
static double find_order(double coarse, double fine, double size) {
  return fine > ROUNDING * (1 + fabs(size)) ? log2(coarse / fine) : NAN;
}

// is it known that differences do not fall as h^2?
static bool is_other_order(double order) {
  return order < ORDER_LEAST || order > ORDER_MOST;
}

// largest difference of positions of two solutions at the knots of the coarsest one
static double find_distance(motions x, motions y, motions coarsest) {
  double most = 0;
  for (int p = 0; p < x.n; p++) {
    const int knots = coarsest.x[p]->N;
    int coord, knot;
    most = fmax(most, find_largest(x.x[p]->q, x.x[p]->N / knots, y.x[p]->q, y.x[p]->N / knots,
                                   x.x[p]->n, knots, &coord, &knot));
  }
  return most;
}

// what a third grid says of the order; g: the three of them, the finest first
static void compare_orders(oc_grid_error *e, const motions g[3], const double J[3]) {
  e->objective_order = find_order(fabs(J[2] - J[1]), fabs(J[1] - J[0]), J[0]);
  e->q_order = find_order(find_distance(g[2], g[1], g[2]), find_distance(g[1], g[0], g[2]), 0);
  // positions may jump where the objective is flat, but an objective that has not settled settles none
  e->objective_differs = is_other_order(e->objective_order);
  e->q_differs = e->objective_differs || is_other_order(e->q_order);

  // the difference to half the steps, of which a third was told
  const double whole = 3;
  if (e->objective_differs) {
    e->objective_error *= whole;
    e->T_error *= whole;
  }
  if (e->q_differs) {
    e->q_error *= whole;
    e->v_error *= whole;
  }
}

// the third grid: N/4 steps, else 2 N; of a second grid of more steps than N none, it costs too much
static dm_status ask_third_grid(oc_grid_error *e, const oc_solution *w, motions x,
                                const oc_solution *second, int most) {
  if (e->steps > count_steps(x, (finer_by){1, 1})) return DM_OK;
  const bool coarser = can_divide(x, 4, 4 * SMALL);
  const finer_by by = coarser ? (finer_by){1, 4} : (finer_by){2, 1};
  oc_solution *third = NULL;

  // the three of them, the finest first
  const dm_status s = solve_on_grid(&third, w, x, by, most);
  if (s == DM_OK || s == DM_ACCEPTABLE) {
    const motions of_second = motions_of(second), of_third = motions_of(third);
    const motions g[2][3] = {{of_third, x, of_second}, {x, of_second, of_third}};
    const double J[2][3] = {{third->info.objective, w->info.objective, second->info.objective},
                            {w->info.objective, second->info.objective, third->info.objective}};
    e->third = count_steps(x, by);
    e->total_s += third->info.total_s;
    compare_orders(e, g[coarser], J[coarser]);
  }
  oc_solution_free(third);
  return s == DM_NO_MEMORY ? s : DM_OK;
}

static bool can_regrid(const oc_solution *w) {
  bool can = w->phases || (w->first && oc_task_can_regrid(&w->task));
  for (int i = 0; i < w->phased.n; i++) can = can && oc_task_can_regrid(w->phased.task[i]);
  return can;
}

static dm_status measure_error(oc_grid_error *out, const oc_solution *w, motions x, int most) {
  const finer_by by = can_divide(x, 2, SMALL) ? (finer_by){1, 2} : (finer_by){2, 1};
  oc_solution *other;
  *out = (oc_grid_error){.status = DM_UNAVAILABLE,
                         .steps = count_steps(x, by),
                         .objective_order = NAN,
                         .q_order = NAN};
  if (!can_regrid(w)) return DM_UNAVAILABLE;

  // a failure there says nothing of the solution
  dm_status s = solve_on_grid(&other, w, x, by, most);
  out->status = s;
  if (!other) return s == DM_NO_MEMORY ? s : DM_OK;
  out->iterations = other->info.iterations;
  out->total_s = other->info.total_s;
  out->other = other->info.objective;
  s = DM_OK;
  if (oc_grid_error_is_known(out)) {
    compare_grids(out, w, x, motions_of(other));
    s = ask_third_grid(out, w, x, other, most);
  }
  oc_solution_free(other);
  return s;
}

dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most) {
  assert(out && w && x && !w->phases);
  return measure_error(out, w, (motions){1, &x}, most);
}

dm_status oc_grid_error_of_phases(oc_grid_error *out, const oc_solution *w,
                                  const dm_trajectory *const *x, int most) {
  assert(out && w && x && w->phases);
  return measure_error(out, w, (motions){w->phased.n, x}, most);
}

#include "optim/grid_error.h"

#include "optim/transcription/prolong.h"
#include "optim/transcription/regrid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SMALL = 8, LITTLE = 30 }; // a grid of fewer steps has no half; iterations that cost little
static const double ORDER_LEAST = 1.3, ORDER_MOST = 2.7; // differences fall by 2.5 to 6.5
static const double ROUNDING = 1e-7; // differences below this share say nothing of an order

// an iteration takes half of one of the solution's, or twice as long
static int limit_iterations(const oc_solution *w, int steps, int most) {
  const int own = w->info.iterations, share = steps < w->task.N ? own : own / 4;
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

// what the two grids say: (N/M)^2 - 1 is 3 of the coarser one, 1/4 - 1 of the finer
static void compare_grids(oc_grid_error *e, const oc_solution *w, const dm_trajectory *x,
                          const dm_trajectory *y) {
  const double ratio = (double)x->N / y->N, part = 1 / (ratio * ratio - 1);
  const double J = w->info.objective;
  e->objective = J + (J - e->other) * part;
  e->objective_error = fabs(e->objective - J);

  // the final time where it is free
  const double T = x->N * x->h, other = y->N * y->h;
  e->T = NAN;
  if (w->task.free_time) {
    e->T = T + (T - other) * part;
    e->T_error = fabs(e->T - T);
  }

  // states at the knots that both grids have
  const int a = x->N > y->N ? 2 : 1, b = x->N > y->N ? 1 : 2;
  const int count = x->N > y->N ? y->N : x->N;
  e->q_error = fabs(part) * find_largest(x->q, a, y->q, b, x->n, count, &e->coord, &e->knot);
  e->v_error = fabs(part) * find_largest(x->v, a, y->v, b, x->n, count, &e->v_coord, &e->v_knot);
}

// the solution's task on a grid of other steps, from the solution, with its multipliers; the status of
// what comes of it, with *out NULL where there is no motion
static dm_status solve_on_grid(oc_solution **out, const oc_solution *w, const dm_trajectory *x,
                               int steps, int most) {
  oc_regridded grid;
  oc_solution *other = NULL;
  oc_solve_settings set = oc_solve_default();
  *out = NULL;

  // the task, by the stage solver from here alone
  DM_TRY(oc_task_regrid(&grid, &w->task, steps));
  set.solver = OC_SOLVER_STAGE;
  set.only_guess = true;
  set.max_iter = limit_iterations(w, steps, most);
  set.tol = w->set.tol;
  set.max_time = w->set.max_time - w->info.total_s;

  dm_status s = oc_solution_new(&other, &grid.task, &set, NULL);
  if (s == DM_OK) s = oc_solution_start(other, x);

  // warm, with the multipliers of the first grid
  if (s >= 0) {
    oc_transcription_prolong(w->first, &w->point, other->first, &other->point);
    other->warm = true;
    s = oc_solution_find(other, NULL);
  }
  oc_regridded_free(&grid);
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

// largest difference of positions of two motions at the knots of a coarser grid
static double find_distance(const dm_trajectory *x, const dm_trajectory *y, int knots) {
  int coord, knot;
  return find_largest(x->q, x->N / knots, y->q, y->N / knots, x->n, knots, &coord, &knot);
}

// what a third grid says of the order; g: the three of them, the finest first
static void compare_orders(oc_grid_error *e, const dm_trajectory *const g[3], const double J[3]) {
  const int knots = g[2]->N;
  e->objective_order = find_order(fabs(J[2] - J[1]), fabs(J[1] - J[0]), J[0]);
  e->q_order = find_order(find_distance(g[2], g[1], knots), find_distance(g[1], g[0], knots), 0);
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
static dm_status ask_third_grid(oc_grid_error *e, const oc_solution *w, const dm_trajectory *x,
                                const oc_solution *second, int most) {
  const int N = x->N;
  if (e->steps > N) return DM_OK;
  const bool coarser = N % 4 == 0 && N / 4 >= SMALL;
  const int steps = coarser ? N / 4 : 2 * N;
  oc_solution *third = NULL;

  // the three of them, the finest first
  const dm_status s = solve_on_grid(&third, w, x, steps, most);
  if (s == DM_OK || s == DM_ACCEPTABLE) {
    const dm_trajectory *const g[2][3] = {{third->motion, x, second->motion},
                                          {x, second->motion, third->motion}};
    const double J[2][3] = {{third->info.objective, w->info.objective, second->info.objective},
                            {w->info.objective, second->info.objective, third->info.objective}};
    e->third = steps;
    e->total_s += third->info.total_s;
    compare_orders(e, g[coarser], J[coarser]);
  }
  oc_solution_free(third);
  return s == DM_NO_MEMORY ? s : DM_OK;
}

dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most) {
  assert(out && w && x);
  const int N = w->task.N;
  oc_solution *other;
  *out = (oc_grid_error){.status = DM_UNAVAILABLE,
                         .steps = N % 2 || N < SMALL ? 2 * N : N / 2,
                         .objective_order = NAN,
                         .q_order = NAN};
  if (!w->first || !oc_task_can_regrid(&w->task)) return DM_UNAVAILABLE;

  // a failure there says nothing of the solution
  dm_status s = solve_on_grid(&other, w, x, out->steps, most);
  out->status = s;
  if (!other) return s == DM_NO_MEMORY ? s : DM_OK;
  out->iterations = other->info.iterations;
  out->total_s = other->info.total_s;
  out->other = other->info.objective;
  s = DM_OK;
  if (oc_grid_error_is_known(out)) {
    compare_grids(out, w, x, other->motion);
    s = ask_third_grid(out, w, x, other, most);
  }
  oc_solution_free(other);
  return s;
}

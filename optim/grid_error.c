#include "optim/grid_error.h"

#include "optim/transcription/prolong.h"
#include "optim/transcription/regrid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SMALL = 8, LITTLE = 30 }; // a grid of fewer steps has no half; iterations that cost little

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

dm_status oc_grid_error_measure(oc_grid_error *out, const oc_solution *w, const dm_trajectory *x,
                                int most) {
  assert(out && w && x);
  const int N = w->task.N;
  oc_regridded grid;
  oc_solution *other = NULL;
  *out = (oc_grid_error){.status = DM_UNAVAILABLE, .steps = N % 2 || N < SMALL ? 2 * N : N / 2};
  if (!w->first) return DM_UNAVAILABLE;
  DM_TRY(oc_task_regrid(&grid, &w->task, out->steps));

  // from the solution, with its multipliers
  oc_solve_settings set = oc_solve_default();
  set.solver = OC_SOLVER_STAGE;
  set.only_guess = true;
  set.max_iter = limit_iterations(w, out->steps, most);
  set.tol = w->set.tol;
  set.max_time = w->set.max_time - w->info.total_s;
  dm_status s = oc_solution_new(&other, &grid.task, &set, NULL);
  if (s == DM_OK) s = oc_solution_start(other, x);
  if (s >= 0) {
    oc_transcription_prolong(w->first, &w->point, other->first, &other->point);
    other->warm = true;
    s = oc_solution_find(other, NULL);
  }

  // a failure there says nothing of the solution
  out->status = s < 0 ? s : other->info.status;
  if (s >= 0) {
    out->iterations = other->info.iterations;
    out->total_s = other->info.total_s;
    out->other = other->info.objective;
  }
  if (oc_grid_error_is_known(out)) compare_grids(out, w, x, other->motion);
  oc_solution_free(other);
  oc_regridded_free(&grid);
  return s == DM_NO_MEMORY ? s : DM_OK;
}

#include "cli/results/trajectory.h"

#include "cli/results/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double UNEVEN =
    1e-9; // of the duration: a time this far off equal steps is on a grid of its own

static void put_trajectory_columns(FILE *f, const pb_names *names) {
  cli_put_names(f, ",q.", names->coord, names->n);
  cli_put_names(f, ",p.", names->coord, names->n);
  cli_put_names(f, ",v.", names->coord, names->n);
  cli_put_names(f, ",u.", names->input, names->nu);
  cli_put_names(f, ",lambda.", names->row, names->nc);
  cli_put_names(f, ",contact.", names->contact, names->nr);
}

void cli_trajectory_row(FILE *f, const dm_trajectory *x, int k, double t, const double *u,
                        const double *lambda) {
  cli_put_numbers(f, &t, 1);
  cli_put_numbers(f, x->q + (size_t)k * (size_t)x->n, x->n);
  cli_put_numbers(f, x->p + (size_t)k * (size_t)x->n, x->n);
  cli_put_numbers(f, x->v + (size_t)k * (size_t)x->n, x->n);
  cli_put_numbers(f, u, x->nu);
  cli_put_numbers(f, lambda, x->nc);
  cli_put_numbers(f, x->contact + (size_t)k * (size_t)x->nr, x->nr);
}

// machine.q.NAME and machine.v.NAME of the coordinates with added inertia; values at knot k, or
// names if k < 0
static void put_machine(FILE *f, const pb_names *names, const cli_machine *m, int k) {
  const char *const before[] = {",machine.q.", ",machine.v."};
  for (int part = 0; m && part < 2; part++)
    for (int i = 0; i < names->n; i++) {
      if (!(m->added[i] > 0)) continue;
      if (k < 0)
        cli_put_name(f, before[part], names->coord[i]);
      else
        cli_put_numbers(
            f, m->y + ((size_t)k * (size_t)m->parts * 2 + (size_t)part) * (size_t)names->n + i, 1);
    }
}

void cli_trajectory_write(FILE *f, const pb_names *names, const dm_trajectory *x,
                          const cli_machine *machine) {
  cli_table_columns(f, &cli_file_trajectory, names);
  put_machine(f, names, machine, -1);
  fputc('\n', f);
  for (int k = 0; k <= x->N; k++) {
    fprintf(f, "%d", k);

    // no step starts at the last knot
    const double *u = k < x->N ? x->u + (size_t)k * (size_t)x->nu : NULL;
    const double *lambda = k < x->N ? x->lambda + (size_t)k * (size_t)x->nc : NULL;
    cli_trajectory_row(f, x, k, dm_trajectory_time(x, k), u, lambda);
    put_machine(f, names, machine, k);
    fputc('\n', f);
  }
}

// The step from the first two times; with a time off the grid of that step, the mean step and a grid.
static bool read_times(const cli_table *t, dm_trajectory *x) {
  const double *time = t->x + 1, first = time[0];
  const int N = x->N;
  bool even = true;
  x->h = time[t->cols] - first;
  for (int k = 1; k <= N; k++) {
    const double at = time[(size_t)k * (size_t)t->cols] - first;
    if (!(at > time[(size_t)(k - 1) * (size_t)t->cols] - first)) return false;
    even = even && fabs(at - k * x->h) <= UNEVEN * N * x->h;
  }
  if (even) return true;
  x->h = (time[(size_t)N * (size_t)t->cols] - first) / N;
  for (int k = 1; k < N; k++) x->grid[k] = (time[(size_t)k * (size_t)t->cols] - first) / x->h;
  return true;
}

// copy the columns q, p, v, u, lambda of a table into a trajectory
static bool unpack_trajectory(const cli_table *t, dm_trajectory *x) {
  size_t n = (size_t)x->n, nu = (size_t)x->nu, nc = (size_t)x->nc, nr = (size_t)x->nr;

  // after k and t
  for (int k = 0; k <= x->N; k++) {
    const double *row = t->x + (size_t)k * (size_t)t->cols + 2;
    memcpy(x->q + (size_t)k * n, row, n * sizeof *row);
    memcpy(x->p + (size_t)k * n, row + n, n * sizeof *row);
    memcpy(x->v + (size_t)k * n, row + 2 * n, n * sizeof *row);
    if (k < x->N && nu) memcpy(x->u + (size_t)k * nu, row + 3 * n, nu * sizeof *row);
    if (k < x->N && nc) memcpy(x->lambda + (size_t)k * nc, row + 3 * n + nu, nc * sizeof *row);
    if (nr) memcpy(x->contact + (size_t)k * nr, row + 3 * n + nu + nc, nr * sizeof *row);

    // no step starts at the last knot
    for (size_t j = 0; j < 3 * n + (k < x->N ? nu + nc : 0); j++)
      if (!isfinite(row[j])) return false;
  }
  return x->h > 0 && isfinite(x->h);
}

dm_status cli_trajectory_read(dm_trajectory **out, const pb_file *file, const pb_names *names,
                              dm_message *msg) {
  cli_table t = {0};
  *out = NULL;

  // columns after lambda come from simulations and are not needed
  DM_TRY(cli_table_read_columns(&t, file, &cli_file_trajectory, names, true, msg));
  dm_status s = DM_BAD_INPUT;

  // a single row has no step
  if (t.rows < 2) {
    dm_fail(msg, s, "%s: one row makes no motion", file->path);
  } else if ((s = dm_trajectory_make(out, t.rows - 1, names->n, names->nu, names->nc, names->nr)) !=
             DM_OK) {
    dm_fail(msg, s, "out of memory");
  } else {
    if (!read_times(&t, *out) || !unpack_trajectory(&t, *out)) {
      dm_trajectory_free(*out);
      *out = NULL;
      s = dm_fail(msg, DM_BAD_INPUT, "%s: a cell is empty or not finite, or time does not grow",
                  file->path);
    }
  }
  free(t.x);
  return s;
}

const cli_result_file cli_file_trajectory = {
    .name = "trajectory.csv",
    .stage = "motion",
    .part = CLI_PART_MOTION,
    .columns =
        "One row per knot k at time t: configuration q, momentum p, velocity v by "
        "coordinate; the inputs u and the impulses lambda of constraints in the step from "
        "there to the next knot, which the last row lacks. A plan through contact also has the "
        "impulses of contacts at the knot, along the gap and, as NAME.1 and NAME.2, along "
        "tangents; "
        "p is before them, v belongs to the mean of p before and after them. A simulation also has "
        "energy, "
        "moment about the world's origin and momentum. If steps take an inertia more for the "
        "stiff damping of a joint, its q and v are those of the discrete map, and q lags "
        "behind the machine's; machine.q and machine.v are the machine's: of the continuous "
        "plant at the knot, after a step from the knot before under the plan's inputs.",
    .first = "k,t",
    .header = put_trajectory_columns,
};

const cli_result_file cli_file_second_order = {
    .name = "second-order.csv",
    .stage = "agreement",
    .part = CLI_PART_MOTION,
    .columns = "The solution of the second-order transcription itself, in the columns of "
               "trajectory.csv; u is the mean of each step.",
    .first = "k,t",
    .header = put_trajectory_columns,
};

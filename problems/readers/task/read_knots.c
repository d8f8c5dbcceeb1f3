#include "problems/readers/task/read_knots.h"

#include "problems/readers/format/definitions.h"

#include <math.h>
#include <string.h>

enum { CELLS = 32768 };           // of a density, at least
static const double ROUGH = 1e-3; // of the integral of a density: its largest error
static const double SAME = 1e-9; // of the duration: the end of the knots and the duration are equal

// -- a list of knots

// shares of the duration, at the knots of the file
static dm_status read_list(pb_reader *r, const pb_node *node, const oc_task *task, double *share) {
  const char *path = "horizon.knots";
  const int N = r->asked;
  const double T = task->time.free ? 1 : task->time.T;
  if (node->kind != PB_SEQUENCE)
    return pb_refuse_node(r, node, "%s: found no list, expected %d times from 0 to %g%s", path,
                          N + 1, T,
                          task->time.free ? ", as shares of the free horizon.time" : " s");
  if (node->n != N + 1)
    return pb_refuse_node(r, node,
                          "%s: found %d of them, expected %d for the %d steps of "
                          "horizon.steps, which may be left out",
                          path, node->n, N + 1, N);
  DM_TRY(pb_schema_list(r, path, node, N + 1, share));

  // from 0, always later, to the end
  const pb_node *at = node->first;
  for (int k = 0; k <= N; k++, at = at->next) {
    if (k == 0 && share[k] != 0)
      return pb_refuse_node(r, at, "%s: found %g first, expected 0", path, share[k]);
    if (k > 0 && !(share[k] > share[k - 1]))
      return pb_refuse_node(r, at, "%s: found %g after %g, expected a later time", path, share[k],
                            share[k - 1]);
    if (k == N && !(fabs(share[k] - T) <= SAME * T))
      return pb_refuse_node(
          r, at, "%s: found %g last, expected %s%g", path, share[k],
          task->time.free ? "the end of a free horizon.time, as the share " : "horizon.time, ", T);
  }
  for (int k = 0; k <= N; k++) share[k] /= T;
  return DM_OK;
}

// -- a density

typedef struct spread {
  dm_tape tape;
  double *room;
  double unit; // the largest value found: densities have any unit
} spread;

static double find_density(const spread *d, double s) {
  return dm_tape_eval(&d->tape, &s, d->room, NULL, NULL) / d->unit;
}

// its integral from a to b by Simpson's rule
static double integrate(const spread *d, double a, double b) {
  return (b - a) / 6 * (find_density(d, a) + 4 * find_density(d, (a + b) / 2) + find_density(d, b));
}

static dm_status refuse_density(pb_reader *r, const pb_node *node, const spread *d, double s) {
  char fault[80];
  const double found = find_density(d, s);
  if (!isnan(found))
    return pb_refuse_node(
        r, node, "horizon.density: found %g at s = %g, expected a number > 0 for s from 0 to 1",
        found, s);
  const bool known = dm_tape_fault(&d->tape, &s, 0, d->room, fault, sizeof fault);
  return pb_refuse_node(
      r, node,
      "horizon.density: found no value at s = %g%s%s, expected a number > 0 for s "
      "from 0 to 1",
      s, known ? ", where it has " : "", known ? fault : "");
}

// The s in cell [a, b] with this integral from a on, by Newton's method within the cell.
static double invert(const spread *d, double a, double b, double target, double whole) {
  enum { MOST = 50 };
  double low = a, high = b, s = a + (b - a) * target / whole;
  for (int i = 0; i < MOST; i++) {
    const double off = integrate(d, a, s) - target, next = s - off / find_density(d, s);
    if (off > 0)
      high = s;
    else
      low = s;
    const double to = next > low && next < high ? next : (low + high) / 2;
    if (fabs(to - s) <= 1e-15) break;
    s = to;
  }
  return s;
}

static bool is_file(const pb_node *node) {
  const size_t n = node->kind == PB_SCALAR ? strlen(node->text) : 0;
  return n > 4 && !strcmp(node->text + n - 4, ".csv");
}

// a table of the columns s and density of a file, or {csv, x, y}, with straight lines between its rows
static dm_status read_density_table(pb_reader *r, const pb_node *node, pb_definition *table) {
  const int at = node->line, in = node->column;
  pb_node y = {.key = "y", .text = "density", .line = at, .column = in};
  pb_node x = {.key = "x", .text = "s", .line = at, .column = in, .next = &y};
  pb_node csv = *node;
  const pb_node section = {.kind = PB_MAPPING, .line = at, .column = in, .n = 3, .first = &csv};
  csv.key = "csv";
  csv.next = &x;
  DM_TRY(pb_table_read(r, "horizon.density", is_file(node) ? &section : node, true, table));

  // no row is guessed
  const dm_tape_table *t = &table->table;
  if (fabs(t->x[0]) <= SAME && fabs(t->x[t->n - 1] - 1) <= SAME) return DM_OK;
  return pb_refuse_node(
      r, node,
      "horizon.density: found a table from s = %g to %g, expected 0 to 1: s is the share of "
      "horizon.time",
      t->x[0], t->x[t->n - 1]);
}

// the density as a function of s
static dm_status read_spread(pb_reader *r, const pb_node *node, spread *d) {
  static const pb_symbol symbols[] = {{"s", 0, 0, NULL}};
  const pb_language language = {.list = symbols, .n = 1, .functions = true};
  pb_definition *table;
  pb_reader with_table = *r;
  const int *used;
  pb_expression e;
  pb_node call = {.kind = PB_SCALAR, .line = node->line, .column = node->column};
  PB_NEW(r->arena, table, 1); // the tape borrows it
  table->name = "density";
  const pb_definitions own = {1, table};
  if (node->kind == PB_MAPPING || is_file(node)) {
    DM_TRY(read_density_table(r, node, table));
    call.text = "density(s)";
    with_table = *r;
    with_table.definitions = &own;
    node = &call;
  }
  DM_TRY(pb_expression_read(&with_table, "horizon.density", node, &language, "of s", &e));
  DM_TRY(pb_expression_compile(r->arena, &e, &d->tape, &used));
  const size_t room = dm_tape_room(&d->tape);
  PB_NEW(r->arena, d->room, room + 1);
  return DM_OK;
}

// the error of Simpson's rule in a cell, by its halves
static double find_cell_error(const spread *d, double a, double b, double sum) {
  return fabs(integrate(d, a, (a + b) / 2) + integrate(d, (a + b) / 2, b) - sum);
}

// Shares of the duration at which the integral of the density is k/N of the whole.
static dm_status read_density(pb_reader *r, const pb_node *node, int N, double *share) {
  const int cells = N < CELLS / 16 ? CELLS : 16 * N;
  spread d = {.unit = 1};
  double *sum, most = 0, error = 0, worst = 0, at = 0;
  DM_TRY(read_spread(r, node, &d));
  PB_NEW(r->arena, sum, cells + 1);

  // 1  the integral up to each cell
  for (int i = 0; i <= 2 * cells; i++) {
    const double s = (double)i / (2 * cells), y = find_density(&d, s);
    if (!(y > 0 && isfinite(y))) return refuse_density(r, node, &d, s);
    most = fmax(most, y);
  }
  d.unit = most;
  for (int i = 0; i < cells; i++) {
    const double a = (double)i / cells, b = (double)(i + 1) / cells, part = integrate(&d, a, b);
    const double off = find_cell_error(&d, a, b, part);
    sum[i + 1] = sum[i] + part;
    error += off;
    if (off > worst) at = (a + b) / 2;
    worst = fmax(worst, off);
  }
  if (error > ROUGH * sum[cells])
    return pb_refuse_node(
        r, node,
        "horizon.density: found one that varies too fast near s = %.6g, expected peaks "
        "and steps wider than 1/%d of the horizon",
        at, cells);

  // 2  the cell of each knot, and the knot in it
  for (int k = 0, i = 0; k <= N; k++) {
    const double target = sum[cells] * k / N;
    while (i < cells - 1 && sum[i + 1] < target) i++;
    share[k] = invert(&d, (double)i / cells, (double)(i + 1) / cells, target - sum[i],
                      sum[i + 1] - sum[i]);
  }
  share[0] = 0;
  share[N] = 1;
  return DM_OK;
}

// -- the grid

// the limits of free steps, by default from a fifth to five times the mean; a refined grid has shorter ones
static dm_status read_free_steps(const pb_reader *r, const pb_node *node, oc_task *task) {
  const double low = task->time.free ? task->time.min : task->time.T,
               high = task->time.free ? task->time.max : task->time.T;
  double limit[] = {0.2 * low / r->asked, 5 * high / r->asked};
  if (!node || (node->kind == PB_SCALAR && !strcmp(node->text, "false"))) return DM_OK;
  if (r->phase)
    return pb_refuse_node(r, node, "horizon.steps_free: found in a phase, expected fixed steps");
  if (node->kind == PB_SEQUENCE)
    DM_TRY(pb_schema_list(r, "horizon.steps_free", node, 2, limit));
  else if (node->kind != PB_SCALAR || strcmp(node->text, "true") != 0)
    return pb_refuse_node(r, node, "horizon.steps_free: found neither true nor [low, high] in s");
  if (!(limit[0] >= 1e-9 && limit[0] < limit[1]))
    return pb_refuse_node(r, node,
                          "horizon.steps_free: found [%g, %g], expected 1e-9 s <= low < high",
                          limit[0], limit[1]);
  if (limit[0] * r->asked >= high || limit[1] * r->asked <= low)
    return pb_refuse_node(
        r, node,
        "horizon.steps_free: found [%g, %g], so that %d steps last from %g to %g s, "
        "expected a range that includes horizon.time, %g%s",
        limit[0], limit[1], r->asked, r->asked * limit[0], r->asked * limit[1],
        limit[0] * r->asked >= high ? high : low, " s");
  task->time.least = limit[0] * r->asked / task->N;
  task->time.most = limit[1] * r->asked / task->N;
  return DM_OK;
}

dm_status pb_knots_count(const pb_reader *r, const pb_node *horizon, const pb_node *knots, int *N) {
  if (!knots || knots->kind != PB_SEQUENCE || knots->n < 2)
    return pb_refuse_node(r, horizon,
                          "horizon: found no 'steps', expected them, or two or more 'knots'");
  *N = knots->n - 1;
  return DM_OK;
}

dm_status pb_knots_read(pb_reader *r, const pb_node *knots, const pb_node *density,
                        const pb_node *steps_free, oc_task *task) {
  const pb_node *node = knots ? knots : density;
  const int N = task->N;
  double *share, *grid;
  DM_TRY(read_free_steps(r, steps_free, task));
  if (!node) return DM_OK;
  if (knots && density)
    return pb_refuse_key(r, density,
                         "horizon.density: found one beside 'knots', expected one of them");
  PB_NEW(r->arena, share, (knots ? r->asked : N) + 1);
  PB_NEW(r->arena, grid, N + 1);

  // in mean steps: of the file's grid, divided, or of a density
  const int from = knots ? r->asked : N;
  DM_TRY(knots ? read_list(r, node, task, share) : read_density(r, node, N, share));
  for (int i = 0; i <= from; i++) share[i] *= from;
  share[from] = from;
  dm_grid_resample(share, from, N, grid);

  // the shortest step, at the shortest time
  double least = INFINITY;
  for (int i = 0; i < N; i++) least = fmin(least, dm_grid_step(grid, i));
  const double T = task->time.free ? task->time.min : task->time.T;
  if (!(least * T / N >= 1e-9))
    return pb_refuse_node(r, node, "horizon.%s: found a step of %g s, expected at least 1e-9 s",
                          knots ? "knots" : "density", least * T / N);
  if (!dm_grid_is_even(grid, N)) task->time.grid = grid;
  return DM_OK;
}

// the key of a horizon that makes steps unequal
static const char *find_key(const pb_node *horizon) {
  static const char *const keys[] = {"steps_free", "knots", "density"};
  int i = 0;
  while (i < 2 && !pb_node_get(horizon, keys[i])) i++;
  return keys[i];
}

dm_status pb_knots_check(const pb_reader *r, const pb_node *horizon, const oc_task *task) {
  const char *key = find_key(horizon);
  dm_message why = {""};
  if (oc_task_refuse_knots(task, &why) == DM_OK) return DM_OK;
  return pb_refuse_node(r, pb_node_get(horizon, key), "horizon.%s: %s", key, why.text);
}

dm_status pb_knots_check_feedback(const pb_reader *r, const pb_node *feedback, const oc_task *task,
                                  double rate) {
  const char *of = task->system.nk ? "kinematic coordinates" : NULL;
  if (task->system.hol.nc) of = "constraints";
  if (!task->time.grid && !oc_task_frees_steps(task)) return DM_OK;
  if (of)
    return pb_refuse_key(r, feedback,
                         "found 'feedback' beside steps of unequal length (horizon.knots, "
                         "horizon.density) and %s, whose motion between knots is not known: take "
                         "equal steps",
                         of);
  const pb_node *integral = pb_node_get(feedback, "integral");
  if (integral)
    return pb_refuse_key(
        r, integral,
        "feedback.integral: found one beside steps of unequal length (horizon.knots, "
        "horizon.density), but gains at feedback.rate do not support it; take equal steps");
  if (isfinite(rate)) return DM_OK;
  return pb_refuse_node(r, feedback,
                        "feedback.rate: found none beside steps of unequal length (horizon.knots, "
                        "horizon.density), expected one: a controller runs at equal times");
}

double *pb_knots_times(const pb_reader *r, const oc_task *task, double T, bool timed) {
  const int N = task->N;
  const double *grid = timed ? task->time.grid : NULL;
  double *t = pb_arena_alloc(r->arena, (size_t)N + 1, sizeof *t);
  for (int k = 0; t && k <= N; k++) t[k] = dm_grid_at(grid, k) * T / N;
  return t;
}

#include "problems/readers/task/read_reference.h"

#include "problems/readers/format/csv.h"
#include "problems/readers/task/read_knots.h"

#include <math.h>

typedef struct level_section {
  const double *q, *v, *p, *u;
} level_section;

static const pb_key level_keys[] = {
    PB_KEY(level_section, q, .type = PB_EACH_COORD, .unit = "m or rad", .about = "Position"),
    PB_KEY(level_section, v, .type = PB_EACH_COORD, .unit = "m/s or rad/s", .about = "Velocity"),
    PB_KEY(level_section, p, .type = PB_EACH_COORD, .unit = "N s or N m s", .about = "Momentum"),
    PB_KEY(level_section, u, .type = PB_EACH_INPUT, .unit = "N or N m", .about = "Input"),
    {0}};

typedef struct step_section {
  double at, fraction;
  level_section before, after;
} step_section;

static const pb_key step_keys[] = {PB_KEY(step_section, at, .type = PB_NUMBER, .unit = "s",
                                          .range = ">= 0", .about = "First knot of `after`"),
                                   PB_KEY(step_section, fraction, .type = PB_NUMBER,
                                          .unit = "of the horizon", .range = "[0, 1]",
                                          .about = "Instead of `at`"),
                                   PB_KEY(step_section, before, .type = PB_SECTION,
                                          .sub = level_keys, .about = "Values before the time"),
                                   PB_KEY(step_section, after, .type = PB_SECTION,
                                          .sub = level_keys, .about = "Values from the time on"),
                                   {0}};

typedef struct reference_section {
  const pb_node *constant, *step, *csv;
} reference_section;

const pb_key pb_reference_keys[] = {
    PB_KEY(reference_section, constant, .type = PB_NODE, .words = "section", .sub = level_keys,
           .about = "The same at every knot"),
    PB_KEY(reference_section, step, .type = PB_NODE, .words = "section", .sub = step_keys,
           .about = "One value before a time and another after it"),
    PB_KEY(reference_section, csv, .type = PB_NODE, .words = "file name",
           .about = "Columns as in `trajectory.csv`: `t` and any of `q.NAME`, `v.NAME`, `p.NAME`, "
                    "`u.NAME`"),
    {0}};

double *pb_grid(const pb_reader *r, int N, double T) {
  double *t = pb_arena_alloc(r->arena, (size_t)N + 1, sizeof *t);
  for (int k = 0; t && k <= N; k++) t[k] = k * T / N;
  return t;
}

// fill rows knots of n values with one level before knot `change` and another from there on
static dm_status spread_level(const pb_reader *r, int rows, int n, int change, const double *before,
                              const double *after, const double **out) {
  double *x;
  *out = NULL;
  if (!before && !after) return DM_OK;
  PB_NEW(r->arena, x, (size_t)rows * (size_t)n);

  // a missing level is zero
  for (int k = 0; k < rows; k++) {
    const double *level = k < change ? before : after;
    for (int i = 0; level && i < n; i++) x[(size_t)k * n + i] = level[i];
  }
  *out = x;
  return DM_OK;
}

static dm_status spread_levels(const pb_reader *r, int change, const level_section *before,
                               const level_section *after, oc_task *task) {
  const int N = task->N;
  oc_weights *c = task->cost;
  DM_TRY(spread_level(r, N + 1, r->n, change, before->q, after->q, &c[OC_Q].reference));
  DM_TRY(spread_level(r, N + 1, r->n, change, before->v, after->v, &c[OC_V].reference));
  DM_TRY(spread_level(r, N + 1, r->n, change, before->p, after->p, &c[OC_P].reference));
  return spread_level(r, N, r->nu, change, before->u, after->u, &c[OC_U].reference);
}

dm_status pb_reference_change(const pb_reader *r, const char *path, const pb_node *node, double at,
                              double fraction, const oc_task *task, int *knot) {
  if (isnan(at) == isnan(fraction))
    return pb_refuse_node(r, node, "%s: found %s, expected either at or fraction", path,
                          isnan(at) ? "neither at nor fraction" : "both at and fraction");
  const double T = task->time.T;
  const int N = task->N;
  if (at > T)
    return pb_refuse_node(r, pb_node_get(node, "at"),
                          "%s.at: found %g, expected a time within the horizon's %g s", path, at,
                          T);
  // tolerate rounding of k T/N
  const double time = isnan(at) ? fraction * N : at / T * N;
  *knot = (int)ceil((task->time.grid ? dm_grid_find(task->time.grid, N, time) : time) - 1e-9 * N);
  return DM_OK;
}

// two levels and the time of the change
static dm_status read_level_step(pb_reader *r, const pb_node *node, oc_task *task) {
  const char *path = "cost.reference.step";
  step_section s = {.at = NAN, .fraction = NAN};
  int change;
  DM_TRY(pb_schema_read(r, path, node, step_keys, &s));
  DM_TRY(pb_reference_change(r, path, node, s.at, s.fraction, task, &change));
  return spread_levels(r, change, &s.before, &s.after, task);
}

dm_status pb_reference_read(pb_reader *r, const pb_node *node, oc_task *task) {
  reference_section s = {0};
  level_section level = {0};
  if (!node) return DM_OK;
  DM_TRY(pb_schema_read(r, "cost.reference", node, pb_reference_keys, &s));

  // exactly one of the three forms
  if (!!s.constant + !!s.step + !!s.csv != 1)
    return pb_refuse_node(r, node,
                          "cost.reference: found %d keys, expected one of constant, step, "
                          "csv",
                          node->n);

  // a constant is a step after the last knot
  if (s.step) return read_level_step(r, s.step, task);
  if (s.csv) {
    // a file sampled at the knots, with all groups it contains
    const int N = task->N;
    pb_csv c;
    double *q, *v, *p, *u;
    DM_TRY(pb_csv_read(r, s.csv, &c));
    c.steps = r->asked;

    // q, v, p at N+1 knots; missing groups are NULL
    const double *t = pb_knots_times(r, task, task->time.T, c.t != NULL);
    if (!t) return DM_NO_MEMORY;
    DM_TRY(pb_csv_sample(r, &c, "q", r->coord, r->n, NULL, t, N + 1, &q));
    DM_TRY(pb_csv_sample(r, &c, "v", r->coord, r->n, NULL, t, N + 1, &v));
    DM_TRY(pb_csv_sample(r, &c, "p", r->coord, r->n, NULL, t, N + 1, &p));

    // u in N steps; inputs of kinematic coordinates default to 0
    double *absent;
    PB_NEW(r->arena, absent, r->nu);
    for (int i = 0; i < r->nf; i++) absent[i] = NAN;
    DM_TRY(pb_csv_sample(r, &c, "u", r->input, r->nu, absent, t, N, &u));
    task->cost[OC_Q].reference = q;
    task->cost[OC_V].reference = v;
    task->cost[OC_P].reference = p;
    task->cost[OC_U].reference = u;
    if (!q && !v && !p && !u)
      return pb_refuse(r, c.file, 1, 0,
                       "found no column q.NAME, v.NAME, p.NAME or u.NAME, expected "
                       "one");
    return DM_OK;
  }
  DM_TRY(pb_schema_read(r, "cost.reference.constant", s.constant, level_keys, &level));
  return spread_levels(r, task->N + 1, &level, &level, task);
}

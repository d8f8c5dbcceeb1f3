#include "problems/readers/task/read_outputs.h"

#include "lib/base/block.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/format/number.h"
#include "problems/readers/model/output_names.h"
#include "problems/readers/model/outputs.h"
#include "problems/readers/task/formula_limits.h"
#include "problems/readers/task/reach.h"
#include "problems/readers/task/read_knots.h"
#include "problems/readers/task/read_reference.h"
#include "problems/readers/task/read_until.h"
#include "problems/readers/task/span.h"
#include "problems/readers/task/task_formulas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct via_section {
  const pb_node *at, *from, *to, *outputs, *q, *v, *u;
} via_section;

const pb_key pb_via_keys[] = {
    PB_SPAN_KEYS(via_section),
    PB_KEY(via_section, outputs, .type = PB_NODE, .words = "value or [low, high] by output",
           .about = "Values or ranges of outputs, or a section with `csv`"),
    PB_KEY(via_section, q, .type = PB_NODE, .also = "position positions joints", .unit = "m or rad",
           .words = "value or [low, high] by coordinate",
           .about = "Positions, or a section with `csv`"),
    PB_KEY(via_section, v, .type = PB_NODE, .also = "velocity speed speeds", .unit = "m/s or rad/s",
           .words = "value or [low, high] by coordinate",
           .about = "Velocities at knots, or a section with `csv`"),
    PB_KEY(via_section, u, .type = PB_NODE, .also = "input inputs effort torque",
           .unit = "N or N m", .words = "value or [low, high] by input",
           .about = "Inputs in the steps of the interval, or in the step after the knot, within "
                    "`bounds.u`"),
    {0}};

typedef struct moving_section {
  const pb_node *csv;
  double within;
} moving_section;

const pb_key pb_moving_keys[] = {
    PB_KEY(moving_section, csv, .type = PB_NODE, .also = "file table", .words = "file name"),
    PB_KEY(moving_section, within, .type = PB_NUMBER, .also = "tolerance margin", .range = ">= 0",
           .absent = "0"),
    {0}};

typedef struct level_change {
  double at, fraction;
  const pb_node *before, *after;
} level_change;

const pb_key pb_output_step_keys[] = {
    PB_KEY(level_change, at, .type = PB_NUMBER, .unit = "s", .range = ">= 0",
           .about = "First knot of `after`"),
    PB_KEY(level_change, fraction, .type = PB_NUMBER, .unit = "of the horizon", .range = "[0, 1]",
           .about = "Instead of `at`"),
    PB_KEY(level_change, before, .type = PB_NODE, .note = "0",
           .words = "number, or a list with one for each row", .about = "Value before the time"),
    PB_KEY(level_change, after, .type = PB_NODE, .note = "0",
           .words = "number, or a list with one for each row", .about = "Value from the time on"),
    {0}};

typedef struct output_reference_section {
  const pb_node *csv, *step;
} output_reference_section;

const pb_key pb_output_reference_keys[] = {
    PB_KEY(output_reference_section, csv, .type = PB_NODE, .words = "file name",
           .about = "Columns `t` and `y.NAME`, as in `outputs.csv`"),
    PB_KEY(output_reference_section, step, .type = PB_NODE, .words = "section",
           .sub = pb_output_step_keys, .about = "One value before a time and another after it"),
    {0}};

typedef struct output_cost_section {
  const char *output;
  double weight, width;
  int activation;
  const pb_node *formula, *reference, *at, *from, *to;
} output_cost_section;

const pb_key pb_output_cost_keys[] = {
    PB_KEY(output_cost_section, output, .type = PB_TEXT, .also = "name",
           .about = "An output or one of its rows"),
    PB_KEY(output_cost_section, formula, .type = PB_NODE, .also = "expression",
           .words = "expression",
           .about = "Instead of `output`: an expression, as in `outputs[].formula`; it becomes the "
                    "output `cost-1` if it is in the first entry"),
    PB_KEY(output_cost_section, weight, .type = PB_NUMBER, .also = "w Q", .range = "> 0",
           .unit = "per unit2", .absent = PB_REQUIRED, .about = "w, for each row"),
    PB_KEY(output_cost_section, reference, .type = PB_NODE, .also = "ref target value", .note = "0",
           .words = "number, a list with one for each row, or section",
           .sub = pb_output_reference_keys, .about = "Reference value"),
    PB_KEY(output_cost_section, activation, .type = PB_CHOICE, .note = "quadratic",
           .words = "quadratic linear one-sided absolute largest",
           .about = "a(e): e2/2, e, max(e, 0)2/2, or sqrt(e2 + width2) - width; `largest`: w times "
                    "the largest value over the interval"),
    PB_KEY(output_cost_section, width, .type = PB_NUMBER, .range = "> 0", .note = "–",
           .unit = "of the output",
           .about = "Required by `absolute`, which is quadratic within it"),
    PB_SPAN_KEYS(output_cost_section),
    {0}};

// state of the reader: sources and results
typedef struct asking {
  pb_reader *r;
  const pb_robot *robot;
  const oc_task *task;
  dm_output_map y;
  oc_output_limit *limit;
  oc_output_cost *cost;
  oc_input_limit *input;
  oc_level *level;
  int nlimits, ncosts, ninputs, nlevels;
} asking;

bool pb_via_has(const pb_sections *s, const char *key) {
  for (const pb_node *e = s->via ? s->via->first : NULL; e; e = e->next)
    if (pb_node_get(e, key)) return true;
  return false;
}

bool pb_goal_has_speeds(const pb_sections *s, const pb_robot *robot) {
  const dm_output_map y = pb_robot_outputs(robot);
  const pb_node *asked = pb_node_get(s->goal, "outputs");
  for (const pb_node *e = asked ? asked->first : NULL; e && e->key; e = e->next) {
    const pb_output_rows rows = pb_output_rows_of(robot, e->key, 0, robot->outputs.named);
    for (int i = 0; i < rows.count; i++)
      if (dm_output_map_is_rated(&y, rows.first + i)) return true;
  }
  return false;
}

// -- values

// a number, [low, high], or none
static dm_status read_limit(const asking *w, const char *path, const pb_node *node, int row,
                            oc_span at) {
  oc_output_limit *l = &w->limit[w->nlimits];
  double value[2];
  *l = (oc_output_limit){.output = row, .at = at};
  DM_TRY(pb_schema_value_or_limits(w->r, path, node, value));
  l->low = value[0];
  l->high = value[1];
  return DM_OK;
}

// refuse a speed of 0, at which a speed has no derivative for a search
static dm_status refuse_rest(const asking *w, const char *path, const pb_node *node,
                             const oc_output_limit *l) {
  const dm_output_map *y = &w->y;
  const bool speed = y->first && !dm_output_map_formula(y, l->output) &&
                     y->term[y->first[l->output]].kind == DM_TERM_SPEED;
  if (!speed || l->high > 0) return DM_OK;
  return pb_refuse_node(
      w->r, node,
      "%s: found %g, expected more than 0: a speed has no derivative at rest; ask "
      "for a 'velocity' of [0, 0, 0]",
      path, l->high);
}

// whether a limit with index >= from already applies to one of these rows
static bool is_asked_from(const asking *w, int from, pb_output_rows rows) {
  for (int i = from; i < w->nlimits; i++) {
    const int row = w->limit[i].output - rows.first;
    if (row >= 0 && row < rows.count) return true;
  }
  return false;
}

// the rows of one kind, whose columns in tables are named GROUP.NAME
typedef struct row_group {
  const char *group;
  int begin, end;
} row_group;

// table columns at the knots for some rows of a group: [N+1] each
static dm_status read_moving(const asking *w, const pb_node *csv, row_group g, pb_output_rows rows,
                             const double **out) {
  const oc_task *t = w->task;
  const int all = g.end - g.begin, first = rows.first - g.begin;
  const char **name;
  double *absent, *x, *table;
  pb_csv c;
  DM_TRY(pb_csv_read(w->r, csv, &c));
  c.steps = w->r->asked;

  // columns of other rows of the group are optional
  PB_NEW(w->r->arena, name, all);
  PB_NEW(w->r->arena, absent, all);
  for (int i = 0; i < all; i++) name[i] = dm_output_map_name(&w->y, g.begin + i);
  for (int i = 0; i < rows.count; i++) absent[first + i] = NAN;
  const double *at = pb_knots_times(w->r, t, t->time.T, c.t != NULL);
  if (!at) return DM_NO_MEMORY;
  DM_TRY(pb_csv_sample(w->r, &c, g.group, name, all, absent, at, t->N + 1, &table));
  if (!table)
    return pb_refuse(w->r, c.file, 1, 0, "found no column '%s.%.64s', expected one", g.group,
                     name[first]);

  // one array per row
  for (int i = 0; i < rows.count; i++) {
    PB_NEW(w->r->arena, x, t->N + 1);
    for (int k = 0; k <= t->N; k++) x[k] = table[k * all + first + i];
    out[i] = x;
  }
  return DM_OK;
}

// {csv: FILE, within: X} for some rows
static dm_status read_moving_limits(asking *w, const char *path, const pb_node *node, row_group g,
                                    pb_output_rows rows, oc_span at) {
  moving_section s = {0};
  const double **x;
  DM_TRY(pb_schema_read(w->r, path, node, pb_moving_keys, &s));
  if (!s.csv) return pb_refuse_node(w->r, node, "%s: found no 'csv', expected a file", path);
  PB_NEW(w->r->arena, x, rows.count);
  DM_TRY(read_moving(w, s.csv, g, rows, x));
  for (int i = 0; i < rows.count; i++)
    w->limit[w->nlimits++] = (oc_output_limit){
        .output = rows.first + i, .at = at, .low = -s.within, .high = s.within, .references = x[i]};
  return DM_OK;
}

// the bounds of a coordinate or of its speed at every knot, or the range of an output
static void find_bounds(const asking *w, int row, double bound[2]) {
  const pb_outputs *o = &w->robot->outputs;
  const oc_task *t = w->task;
  if (row < o->named) {
    dm_outputs_range(o->rows, row, bound);
    return;
  }
  const oc_quantity of = row < o->speeds ? OC_Q : OC_V;
  const int i = row - (row < o->speeds ? o->named : o->speeds);
  bound[0] = oc_low(t, of, i);
  bound[1] = oc_high(t, of, i);
}

// Whether two spans have a step, or a knot, in common.
static bool do_spans_meet(const asking *w, oc_span a, oc_span b, bool steps) {
  void (*const find)(oc_span, int, int *, int *) = steps ? oc_span_steps : oc_span_knots;
  int first[2], last[2];
  find(a, w->task->N, &first[0], &last[0]);
  find(b, w->task->N, &first[1], &last[1]);
  return first[0] <= last[1] && first[1] <= last[0];
}

// refuse a range if another limit at the same time leaves nothing of it
static dm_status refuse_disjoint(const asking *w, const char *path, const pb_node *node,
                                 const double found[2], const double other[2], double room) {
  if (found[0] <= other[1] + room && found[1] >= other[0] - room) return DM_OK;
  return pb_refuse_node(w->r, node,
                        "%s: found [%g, %g], where at the same time it is asked to be in [%g, "
                        "%g], expected limits that leave something",
                        path, found[0], found[1], other[0], other[1]);
}

// refuse an empty range: outside the bounds, or disjoint from a limit of another section at the
// same time
static dm_status refuse_empty(const asking *w, const char *path, const pb_node *node) {
  const oc_output_limit *l = &w->limit[w->nlimits];
  const double room = 1e-9 * (1 + fabs(l->low < l->high ? 0 : l->low));
  const oc_outputs all = {.y = w->y};
  double bound[2];
  find_bounds(w, l->output, bound);
  if (l->high < bound[0] - room || l->low > bound[1] + room)
    return pb_refuse_node(
        w->r, node, "%s: found [%g, %g], expected some of %s [%g, %g]", path, l->low, l->high,
        l->output < w->robot->outputs.named ? "what it can be," : "its bounds", bound[0], bound[1]);

  // compare with each other limit at the same time
  for (int i = 0; i < w->nlimits; i++) {
    const oc_output_limit *other = &w->limit[i];
    if (other->output != l->output || other->references) continue;
    if (!do_spans_meet(w, l->at, other->at, oc_outputs_driven(&all, l->output))) continue;
    DM_TRY(refuse_disjoint(w, path, node, (double[]){l->low, l->high},
                           (double[]){other->low, other->high}, room));
  }
  return DM_OK;
}

// values of a group's rows by name: a list for an output with several rows, or a value per row;
// each row once
static dm_status read_limits_of(asking *w, const char *path, const pb_node *node, row_group g,
                                oc_span at) {
  char found[64], where[160];
  if (!node) return DM_OK;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(w->r, node, "%s: found %s, expected values by name", path,
                          pb_node_describe(node, found));
  if (g.begin == g.end)
    return pb_refuse_node(w->r, node,
                          "%s: found values, but the file has no 'outputs', which name "
                          "what they are of",
                          path);
  const int asked = w->nlimits;
  for (const pb_node *e = node->first; e; e = e->next) {
    pb_output_rows rows;
    snprintf(where, sizeof where, "%.90s.%.60s", path, e->key);
    DM_TRY(pb_output_rows_find(w->r, w->robot, path, e, e->key, g.begin, g.end, &rows));
    if (is_asked_from(w, asked, rows))
      return pb_refuse_key(w->r, e,
                           "%s: found it asked twice, expected a row once: by the output's "
                           "list, or by its own name",
                           where);
    if (e->kind == PB_MAPPING) {
      DM_TRY(read_moving_limits(w, where, e, g, rows, at));
      continue;
    }
    const bool list = rows.count > 1;
    if (list && (e->kind != PB_SEQUENCE || e->n != rows.count))
      return pb_refuse_node(w->r, e,
                            "%s: found %s, expected a list of %d values, or one of them as "
                            "%s",
                            where, pb_node_describe(e, found), rows.count,
                            dm_output_map_name(&w->y, rows.first));
    const pb_node *value = list ? e->first : e;
    for (int i = 0; i < rows.count; i++, value = value->next) {
      DM_TRY(read_limit(w, where, value, rows.first + i, at));
      const oc_output_limit *l = &w->limit[w->nlimits];
      DM_TRY(refuse_rest(w, where, value, l));
      DM_TRY(refuse_empty(w, where, value));
      w->nlimits += l->low > -INFINITY || l->high < INFINITY ? 1 : 0;
    }
  }
  return DM_OK;
}

// values or limits of inputs by name
static dm_status read_input_limits(asking *w, const pb_node *node, oc_span at) {
  const char *path = "via[].u";
  char found[64], where[160];
  double value[2];
  int input;
  if (!node) return DM_OK;
  if (node->kind != PB_MAPPING)
    return pb_refuse_node(w->r, node, "%s: found %s, expected values by name", path,
                          pb_node_describe(node, found));
  for (const pb_node *e = node->first; e; e = e->next) {
    pb_node key = {.kind = PB_SCALAR, .line = e->key_line, .column = e->key_column, .text = e->key};
    snprintf(where, sizeof where, "%s.%.60s", path, e->key);
    DM_TRY(pb_schema_name(w->r, path, &key, "input", w->r->input, w->r->nu, &input));
    DM_TRY(pb_schema_value_or_limits(w->r, where, e, value));

    // within the limits of every step
    const double low = oc_low(w->task, OC_U, input);
    const double high = oc_high(w->task, OC_U, input);
    if (value[1] < low || value[0] > high)
      return pb_refuse_node(w->r, e, "%s: found [%g, %g], expected some of its bounds [%g, %g]",
                            where, value[0], value[1], low, high);
    for (int i = 0; i < w->ninputs; i++) {
      const oc_input_limit *other = &w->input[i];
      if (other->input == input && do_spans_meet(w, at, other->at, true))
        DM_TRY(refuse_disjoint(w, where, e, value, (double[]){other->low, other->high}, 0));
    }
    w->input[w->ninputs++] = (oc_input_limit){input, at, value[0], value[1]};
  }
  return DM_OK;
}

static dm_status read_via(asking *w, const pb_node *node) {
  const pb_outputs *o = &w->robot->outputs;
  const char *path = "via[]";
  via_section s = {0};
  oc_span at;
  DM_TRY(pb_schema_read(w->r, path, node, pb_via_keys, &s));
  if (!s.at && !s.from && !s.to)
    return pb_refuse_node(w->r, node, "%s: found no time, expected 'at', or 'from' and 'to'", path);
  if (!s.outputs && !s.q && !s.v && !s.u)
    return pb_refuse_node(w->r, node,
                          "%s: found nothing asked, expected 'outputs', 'q', 'v' or 'u'", path);
  DM_TRY(pb_span_read(w->r, w->task, path, s.at, s.from, s.to, &at));
  DM_TRY(read_limits_of(w, "via[].outputs", s.outputs, (row_group){"y", 0, o->named}, at));
  DM_TRY(read_limits_of(w, "via[].q", s.q, (row_group){"q", o->named, o->speeds}, at));
  DM_TRY(read_limits_of(w, "via[].v", s.v, (row_group){"v", o->speeds, o->all}, at));
  return read_input_limits(w, s.u, at);
}

// clearances at every knot
static void keep_apart(asking *w) {
  const pb_outputs *o = &w->robot->outputs;
  for (int i = o->named - o->kept; i < o->named; i++)
    w->limit[w->nlimits++] =
        (oc_output_limit){.output = i, .at = {0, 1}, .low = o->clearance, .high = INFINITY};
}

// one number per row
static dm_status read_level(const asking *w, const char *path, const pb_node *node, int rows,
                            double *level) {
  if (rows > 1 || node->kind == PB_SEQUENCE) return pb_schema_list(w->r, path, node, rows, level);
  return pb_schema_number(w->r, path, node, NULL, level);
}

// a reference that varies: by a table, or in one step between two levels
static dm_status read_moving_reference(const asking *w, const pb_node *node, pb_output_rows rows,
                                       const double **out) {
  const char *path = "cost.outputs[].reference";
  const oc_task *t = w->task;
  output_reference_section s = {0};
  double *level[2];
  int change;
  DM_TRY(pb_schema_read(w->r, path, node, pb_output_reference_keys, &s));
  if (!s.csv == !s.step)
    return pb_refuse_node(w->r, node, "%s: found %s, expected one of csv, step", path,
                          s.csv ? "both" : "neither");
  if (s.csv) return read_moving(w, s.csv, (row_group){"y", 0, w->robot->outputs.named}, rows, out);

  // levels before and after
  level_change c = {.at = NAN, .fraction = NAN};
  DM_TRY(pb_schema_read(w->r, "cost.outputs[].reference.step", s.step, pb_output_step_keys, &c));
  DM_TRY(pb_reference_change(w->r, "cost.outputs[].reference.step", s.step, c.at, c.fraction, t,
                             &change));
  for (int i = 0; i < 2; i++) {
    const pb_node *of = i ? c.after : c.before;
    const char *where =
        i ? "cost.outputs[].reference.step.after" : "cost.outputs[].reference.step.before";
    PB_NEW(w->r->arena, level[i], rows.count);
    if (of) DM_TRY(read_level(w, where, of, rows.count, level[i]));
  }
  for (int i = 0; i < rows.count; i++) {
    double *x;
    PB_NEW(w->r->arena, x, t->N + 1);
    for (int k = 0; k <= t->N; k++) x[k] = level[k >= change][i];
    out[i] = x;
  }
  return DM_OK;
}

// the output of entry i: by its name, or its own formula
static dm_status find_cost_rows(const asking *w, const pb_node *node, int i, const char *output,
                                const pb_node *formula, pb_output_rows *rows) {
  const char *path = "cost.outputs[]";
  char own[PB_COST_FORMULA_NAME];
  if (!output == !formula)
    return pb_refuse_node(w->r, node, "%s: found %s, expected one of output, formula", path,
                          output ? "both" : "neither");
  return pb_output_rows_find(w->r, w->robot, "cost.outputs[].output", formula ? formula : node,
                             output ? output : pb_cost_formula_name(i, own), 0,
                             w->robot->outputs.named, rows);
}

// w times the largest value of each row
static dm_status read_largest(asking *w, const output_cost_section *s, pb_output_rows rows,
                              oc_span at) {
  if (s->reference || s->at)
    return pb_refuse_node(w->r, s->reference ? s->reference : s->at,
                          "cost.outputs[]: found '%s' beside 'activation: largest', expected none",
                          s->reference ? "reference" : "at");
  for (int row = 0; row < rows.count; row++)
    w->level[w->nlevels++] =
        (oc_level){.output = rows.first + row, .at = at, .largest = true, .weight = s->weight};
  return DM_OK;
}

enum { LARGEST = OC_SMOOTH_ABSOLUTE + 1 }; // the word behind those of activations

static dm_status read_output_cost(asking *w, const pb_node *node, int i) {
  const char *path = "cost.outputs[]";
  output_cost_section s = {0};
  oc_span at;
  pb_output_rows rows;
  double *ref;
  const double **moving;
  DM_TRY(pb_schema_read(w->r, path, node, pb_output_cost_keys, &s));
  DM_TRY(pb_span_read(w->r, w->task, path, s.at, s.from, s.to, &at));
  if ((s.activation == OC_SMOOTH_ABSOLUTE) != (s.width > 0))
    return pb_refuse_node(w->r, node,
                          "%s: found %s 'width', expected it with 'activation: absolute'", path,
                          s.width > 0 ? "a" : "no");
  const pb_node *place = s.output ? pb_node_get(node, "output") : node;
  DM_TRY(find_cost_rows(w, place, i, s.output, s.formula, &rows));

  if (s.activation == LARGEST) return read_largest(w, &s, rows, at);

  // a single number needs a single row
  PB_NEW(w->r->arena, ref, rows.count);
  PB_NEW(w->r->arena, moving, rows.count);
  if (s.reference && s.reference->kind == PB_MAPPING)
    DM_TRY(read_moving_reference(w, s.reference, rows, moving));
  else if (s.reference)
    DM_TRY(read_level(w, "cost.outputs[].reference", s.reference, rows.count, ref));
  for (int row = 0; row < rows.count; row++)
    w->cost[w->ncosts++] = (oc_output_cost){.output = rows.first + row,
                                            .at = at,
                                            .once = s.at != NULL,
                                            .activation = {s.activation, s.width},
                                            .weight = s.weight,
                                            .reference = ref[row],
                                            .references = moving[row]};
  return DM_OK;
}

// minimize and maximize: the value of their output at the goal
static dm_status read_objective(asking *w, const pb_node *node, double weight) {
  pb_output_rows rows;
  if (!node) return DM_OK;
  DM_TRY(pb_output_rows_find(w->r, w->robot, "cost", node, node->key, 0, w->robot->outputs.named,
                             &rows));
  w->cost[w->ncosts++] = (oc_output_cost){.output = rows.first,
                                          .at = {1, 1},
                                          .once = true,
                                          .activation = {OC_LINEAR, 0},
                                          .weight = weight};
  return DM_OK;
}

static bool is_given(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!x || isnan(x[i])) return false;
  return true;
}

// the kind of a row: an output of the file, a coordinate, or a coordinate's speed
static const char *describe_kind(const pb_outputs *o, int row) {
  if (row < o->named) return "output";
  return row < o->speeds ? "coordinate" : "speed of";
}

// refuse a row without a value at an end; the message names the operation
static dm_status refuse_undefined(const asking *w, const pb_node *section, const char *end, int row,
                                  const double *q, const double *v) {
  const dm_output_map *y = &w->y;
  char fault[96] = "";
  double *zero;
  dm_block b = {0};
  PB_NEW(w->r->arena, zero, w->r->n + w->r->nu + w->r->nc);
  const dm_step at = {.q0 = q, .q1 = v ? v : zero, .u = zero, .lambda = zero};
  dm_block_alloc(&b, 1, y->scratch);
  DM_TRY(dm_block_new(&b));
  const bool found =
      dm_output_map_fault(y, dm_block_alloc(&b, 1, y->scratch), row, &at, 2, fault, sizeof fault);
  dm_block_free(b.base);
  return pb_refuse_node(w->r, section, "%s: the output '%.64s' has no value there%s%s", end,
                        dm_output_map_name(y, row), found ? ": " : "", fault);
}

// Check that an end given in full satisfies the limits that apply to it. section: the node for the
// error message.
static dm_status check_given_end(const asking *w, const pb_node *section, const char *end,
                                 const double *q, const double *v, double share) {
  const dm_output_map *y = &w->y;
  dm_block b = {0};
  double *value;
  if (!is_given(w->r->n, q)) return DM_OK;
  const bool moves = is_given(w->r->n, v);

  // y(q,v), with the outputs' scratch
  PB_NEW(w->r->arena, value, y->ny);
  dm_block_alloc(&b, 1, y->scratch);
  DM_TRY(dm_block_new(&b));
  const dm_status s = dm_output_map_eval(y, dm_block_alloc(&b, 1, y->scratch), q, moves ? v : NULL,
                                         value, NULL, NULL);
  dm_block_free(b.base);
  if (s < 0 && s != DM_NOT_FINITE) return s;

  for (int i = 0; i < w->nlimits; i++) {
    const oc_output_limit *l = &w->limit[i];
    const double at = value[l->output];
    const bool kept = l->output < w->robot->outputs.named &&
                      l->output >= w->robot->outputs.named - w->robot->outputs.kept;
    if (l->at.from > share || l->at.to < share) continue;
    if (dm_output_map_is_driven(y, l->output)) continue; // an output of a step, not of a state
    if (!moves && dm_output_map_is_rated(y, l->output)) continue;
    const double from = oc_output_limit_reference(l, share > 0 ? w->task->N : 0);
    if (oc_output_limit_excess(l, share > 0 ? w->task->N : 0, at) <= 1e-9) continue;
    if (isnan(at)) return refuse_undefined(w, section, end, l->output, q, moves ? v : NULL);
    if (kept)
      return pb_refuse_node(w->r, section,
                            "%s: the clearance '%.64s' is %.3g m there, expected at least %g; move "
                            "one of both, or leave the pair out (keep_out.except)",
                            end, dm_output_map_name(y, l->output), at, l->low);
    return pb_refuse_node(w->r, section,
                          "%s: the %s '%.64s' is %.6g there, expected it within [%g, %g]", end,
                          describe_kind(&w->robot->outputs, l->output),
                          dm_output_map_name(y, l->output), at, from + l->low, from + l->high);
  }
  return DM_OK;
}

dm_status pb_task_outputs_read(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                               oc_task *task) {
  asking w = {.r = r, .robot = robot, .task = task, .y = pb_robot_outputs(robot)};
  const pb_node *costs = pb_node_get(s->cost, "outputs");

  // upper bound: all rows for each section that may set limits
  const int sections = 5 + (s->via ? s->via->n : 0) + (s->constraints ? s->constraints->n : 0);
  PB_NEW(r->arena, w.limit,
         sections * robot->outputs.all + (s->constraints ? s->constraints->n : 0));
  PB_NEW(r->arena, w.level,
         (costs ? costs->n : 0) * robot->outputs.all + (s->constraints ? s->constraints->n : 0));
  PB_NEW(r->arena, w.input, sections * r->nu);
  PB_NEW(r->arena, w.cost, (costs ? costs->n : 0) * robot->outputs.all + 2);
  const row_group y = {"y", 0, robot->outputs.named};
  const pb_node *start = pb_node_get(s->start, "outputs"), *goal = pb_node_get(s->goal, "outputs");
  DM_TRY(read_limits_of(&w, "start.outputs", start, y, (oc_span){0, 0}));
  DM_TRY(read_limits_of(&w, "goal.outputs", goal, y, (oc_span){1, 1}));
  DM_TRY(
      read_limits_of(&w, "bounds.outputs", pb_node_get(s->bounds, "outputs"), y, (oc_span){0, 1}));
  keep_apart(&w);
  for (const pb_node *e = s->via ? s->via->first : NULL; e; e = e->next) DM_TRY(read_via(&w, e));
  DM_TRY(pb_formula_limits_read(r, s->constraints, robot, task, w.limit, &w.nlimits, w.level,
                                &w.nlevels));
  DM_TRY(pb_until_read(r, s->until, robot, task, w.limit, &w.nlimits));
  int i = 0;
  for (const pb_node *e = costs ? costs->first : NULL; e; e = e->next)
    DM_TRY(read_output_cost(&w, e, i++));
  DM_TRY(read_objective(&w, pb_node_get(s->cost, "minimize"), 1));
  DM_TRY(read_objective(&w, pb_node_get(s->cost, "maximize"), -1));
  if (w.nlimits && task->start.q)
    DM_TRY(check_given_end(&w, s->start, "start", task->start.q, task->start.v, 0));
  if (w.nlimits && task->goal.q && s->goal)
    DM_TRY(check_given_end(&w, s->goal, "goal", task->goal.q, task->goal.v, 1));
  task->outputs = (oc_outputs){.y = w.y,
                               .nlimits = w.nlimits,
                               .ncosts = w.ncosts,
                               .limits = w.limit,
                               .costs = w.cost,
                               .nlevels = w.nlevels,
                               .levels = w.level};
  task->inputs.limit = w.input;
  task->inputs.n = w.ninputs;
  return pb_reach_check(r, s, robot, task);
}

dm_status pb_task_outputs_ask(pb_reader *r, pb_robot *robot, oc_task *task) {
  const oc_outputs *o = &task->outputs;
  bool *asked;
  PB_NEW(r->arena, asked, robot->outputs.all);
  for (int i = 0; i < o->nlimits; i++) asked[o->limits[i].output] = true;
  for (int i = 0; i < o->ncosts; i++) asked[o->costs[i].output] = true;
  for (int i = 0; i < o->nlevels; i++) asked[o->levels[i].output] = true;
  for (int i = 0; o->follow.curve && i < o->follow.curve->m; i++) asked[o->follow.output[i]] = true;
  DM_TRY(pb_outputs_ask(robot, asked));
  task->outputs.y = pb_robot_asked_outputs(robot);
  return DM_OK;
}

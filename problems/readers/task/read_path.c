#include "problems/readers/task/read_path.h"

#include "lib/base/block.h"
#include "lib/base/names.h"
#include "lib/base/random.h"
#include "optim/starts/curve_timing.h"
#include "optim/starts/inverse_kinematics.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/model/output_names.h"
#include "problems/readers/task/path_formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct path_section {
  const pb_node *outputs, *points, *csv, *formula, *within;
  const char *closed;
} path_section;

const pb_key pb_followed_keys[] = {
    PB_KEY(path_section, outputs, .type = PB_NODE, .also = "output rows tool", .note = "required",
           .words = "an output, a row, or a list of these",
           .about = "Outputs that follow the curve; each row at most once"),
    PB_KEY(path_section, points, .type = PB_NODE, .also = "waypoints knots",
           .words = "list of points", .about = "Points of the curve, each with one number per row"),
    PB_KEY(path_section, csv, .type = PB_NODE, .also = "file table", .words = "file name",
           .about =
               "Instead of `points`: columns `y.NAME`, one line per point, as in `outputs.csv`"),
    PB_KEY(path_section, formula, .type = PB_NODE, .also = "expression function equation curve",
           .words = "an expression of s for each row, by its name or in a list",
           .about = "Instead of `points`: the curve as a function of s in [0, 1], by row or in "
                    "order"),
    PB_KEY(path_section, closed, .type = PB_WORD, .also = "periodic loop", .absent = "false",
           .words = "false true",
           .about = "`true`: the curve returns smoothly to its first point, which is given once"),
    PB_KEY(path_section, within, .type = PB_NODE, .also = "tolerance margin", .note = "0",
           .words = "number >= 0, or one for each row",
           .about = "Tolerance of each row at knots; 0 means exact (or 1e-7, see below)"),
    {0}};

// state of the reader: sources and results
typedef struct path_reading {
  pb_reader *r;
  const pb_robot *robot;
  const oc_task *task;
  const pb_node *node;
  dm_output_map y;
  int m, n;           // numbers of rows and points
  int *output;        // [m]
  pb_path_row *row;   // [m]
  double *within;     // [m]
  double *point, *s;  // [n x m]; [n+1], NULL: by chord length
  const pb_node **at; // [n] node of each point; NULL: points from a table
  pb_csv table;
  dm_curve *curve;
} path_reading;

// -- rows

static dm_status add_rows(path_reading *w, const pb_node *node, const char *name) {
  const char *path = "path.outputs";
  pb_output_rows rows;
  pb_node key = {.key_line = node->line, .key_column = node->column};
  const int named = w->robot->outputs.named;
  DM_TRY(pb_output_rows_find(w->r, w->robot, path, &key, name, 0, named, &rows));

  // each row once, and only functions of positions
  for (int i = 0; i < rows.count; i++) {
    const int row = rows.first + i;
    for (int j = 0; j < w->m; j++)
      if (w->output[j] == row)
        return pb_refuse_node(w->r, node, "%s: found '%.64s' twice, expected each row once", path,
                              dm_output_map_name(&w->y, row));
    if (dm_output_map_is_rated(&w->y, row) || dm_output_map_is_driven(&w->y, row))
      return pb_refuse_node(w->r, node,
                            "%s: found '%.64s', which is a function of speeds or inputs, expected "
                            "one of places: the timing along a path is free",
                            path, dm_output_map_name(&w->y, row));
    w->output[w->m++] = row;
  }
  return DM_OK;
}

static dm_status read_rows(path_reading *w, const pb_node *node) {
  const char *path = "path.outputs";
  char found[64];
  if (!w->robot->outputs.named)
    return pb_refuse_key(w->r, w->node,
                         "found 'path', but the file has no 'outputs', which name what follows it");
  if (!node)
    return pb_refuse_node(w->r, w->node,
                          "path: found no 'outputs', expected the output that follows it");

  // one name, or a list of names
  PB_NEW(w->r->arena, w->output, w->robot->outputs.named);
  if (node->kind == PB_SCALAR && node->text[0]) return add_rows(w, node, node->text);
  if (node->kind != PB_SEQUENCE || !node->first)
    return pb_refuse_node(w->r, node, "%s: found %s, expected an output, a row, or a list of these",
                          path, pb_node_describe(node, found));
  for (const pb_node *e = node->first; e; e = e->next) {
    if (e->kind != PB_SCALAR)
      return pb_refuse_node(w->r, e, "%s: found %s, expected the name of an output", path,
                            pb_node_describe(e, found));
    DM_TRY(add_rows(w, e, e->text));
  }
  return DM_OK;
}

// one number for all rows, or one per row
static dm_status read_within(path_reading *w, const pb_node *node) {
  const char *path = "path.within";
  PB_NEW(w->r->arena, w->within, w->m);
  if (!node) return DM_OK;
  if (node->kind == PB_SEQUENCE) {
    DM_TRY(pb_schema_list(w->r, path, node, w->m, w->within));
  } else {
    DM_TRY(pb_schema_number(w->r, path, node, ">= 0", &w->within[0]));
    for (int i = 1; i < w->m; i++) w->within[i] = w->within[0];
  }
  for (int i = 0; i < w->m; i++)
    if (w->within[i] < 0)
      return pb_refuse_node(w->r, node, "%s: found %g, expected >= 0", path, w->within[i]);
  return DM_OK;
}

// -- points

static dm_status read_points(path_reading *w, const pb_node *node) {
  const char *path = "path.points";
  char found[64];
  if (node->kind != PB_SEQUENCE)
    return pb_refuse_node(w->r, node, "%s: found %s, expected a list of points", path,
                          pb_node_describe(node, found));
  w->n = node->n;
  PB_NEW(w->r->arena, w->point, w->n * w->m);
  PB_NEW(w->r->arena, w->at, w->n);
  int i = 0;
  for (const pb_node *e = node->first; e; e = e->next, i++) {
    // for a single row a number is sufficient
    w->at[i] = e;
    if (w->m == 1 && e->kind == PB_SCALAR)
      DM_TRY(pb_schema_number(w->r, path, e, NULL, &w->point[i]));
    else
      DM_TRY(pb_schema_list(w->r, path, e, w->m, w->point + i * w->m));
  }
  return DM_OK;
}

// a complete column of the table; there: out, false if it does not exist
static dm_status read_column(const path_reading *w, const char *name, int stride, double *to,
                             bool *there) {
  const pb_csv *c = &w->table;
  const int column = dm_names_find(c->name, c->columns, name);
  *there = column >= 0;
  for (int i = 0; *there && i < c->rows; i++) {
    to[i * stride] = c->value[(size_t)i * (size_t)c->columns + (size_t)column];
    if (isnan(to[i * stride]))
      return pb_refuse(w->r, c->file, c->line[i], 0,
                       "found an empty cell in column '%.64s', expected a number", name);
  }
  return DM_OK;
}

static dm_status read_table(path_reading *w, const pb_node *node, bool closed) {
  char name[96];
  bool there;
  DM_TRY(pb_csv_read(w->r, node, &w->table));
  w->n = w->table.rows;
  PB_NEW(w->r->arena, w->point, w->n * w->m);
  for (int j = 0; j < w->m; j++) {
    snprintf(name, sizeof name, "y.%.80s", dm_output_map_name(&w->y, w->output[j]));
    DM_TRY(read_column(w, name, w->m, w->point + j, &there));
    if (!there)
      return pb_refuse(w->r, w->table.file, 1, 0,
                       "found no column '%.80s', expected one for each row of path.outputs", name);
  }

  // parameters from column s; a closed curve is refused, because the table lacks the parameter of
  // its end
  PB_NEW(w->r->arena, w->s, w->n);
  DM_TRY(read_column(w, "s", 1, w->s, &there));
  if (!there) w->s = NULL;
  if (there && closed)
    return pb_refuse_node(w->r, node,
                          "path.csv: found a column 's' of a closed path, expected none: the way "
                          "back to the first point has none");
  for (int i = 1; there && i < w->n; i++)
    if (!(w->s[i] > w->s[i - 1]))
      return pb_refuse(w->r, w->table.file, w->table.line[i], 0,
                       "column 's': found %g after %g, expected them in ascending order", w->s[i],
                       w->s[i - 1]);
  return DM_OK;
}

// refuse a point outside the range of a row, by its line in the file or table
static dm_status refuse_impossible(const path_reading *w) {
  char text[240], range[80];
  for (int i = 0; i < w->n; i++)
    for (int j = 0; j < w->m; j++) {
      const pb_path_row *row = &w->row[j];
      const double y = w->point[i * w->m + j];
      if (y >= row->low && y <= row->high) continue;
      snprintf(text, sizeof text, "found %.6g for '%.64s' at point %d, expected %s", y, row->name,
               i + 1, pb_path_row_describe(row, range));
      if (w->at) return pb_refuse_node(w->r, w->at[i], "path.points: %s", text);
      return pb_refuse(w->r, w->table.file, w->table.line[i], 0, "%s", text);
    }
  return DM_OK;
}

static bool are_same(int m, const double *a, const double *b) {
  for (int i = 0; i < m; i++)
    if (a[i] != b[i]) return false;
  return true;
}

// refuse a point equal to the previous one, or, for a closed curve, to the first one
static dm_status refuse_repeated(const path_reading *w, bool closed) {
  for (int i = 1; i < w->n; i++) {
    const bool back = closed && i == w->n - 1;
    const double *p = w->point + i * w->m;
    const bool before = are_same(w->m, p, p - w->m), first = back && are_same(w->m, p, w->point);
    char text[120];
    if (!before && !first) continue;

    // report the line in the file or table
    snprintf(text, sizeof text,
             before ? "found point %d the same as the one before, expected another"
                    : "found point %d the same as the first, expected a closed path without it",
             i + 1);
    if (w->at) return pb_refuse_node(w->r, w->at[i], "path.points: %s", text);
    return pb_refuse(w->r, w->table.file, w->table.line[i], 0, "%s", text);
  }
  return DM_OK;
}

static dm_status read_formula(path_reading *w, const pb_node *node, bool closed) {
  PB_NEW(w->r->arena, w->curve, 1);
  return pb_path_formula_read(w->r, node, w->m, w->row, closed, w->curve);
}

// the curve through points of the file or of a table
static dm_status make_curve(path_reading *w, bool closed) {
  double *room;
  dm_message why = {""};
  DM_TRY(refuse_impossible(w));
  DM_TRY(refuse_repeated(w, closed));
  PB_NEW(w->r->arena, w->curve, 1);
  PB_NEW(w->r->arena, room, dm_curve_room(w->n, w->m, closed));
  if (dm_curve_through(w->curve, w->n, w->m, w->point, w->s, closed, room, &why) == DM_OK) {
    // a curve through valid points may leave the range between them
    enum { PLACES = 32 };
    const dm_curve *c = w->curve;
    char range[80];
    double *y;
    PB_NEW(w->r->arena, y, w->m);
    for (int p = 0; p < (c->n - 1) * PLACES; p++) {
      // between point k and the next
      const int k = p / PLACES;
      const double s = c->s[k] + (p % PLACES) * (c->s[k + 1] - c->s[k]) / PLACES;
      dm_curve_eval(c, s, y, NULL, NULL);
      for (int j = 0; j < w->m; j++)
        if (y[j] < w->row[j].low || y[j] > w->row[j].high)
          return pb_refuse_node(w->r, w->node,
                                "path: the curve through the points has '%.64s' at %.6g between "
                                "points %d and %d, expected %s; put more points there",
                                w->row[j].name, y[j], k + 1, (k + 1) % w->n + 1,
                                pb_path_row_describe(&w->row[j], range));
    }
    return DM_OK;
  }
  if (!w->at) return pb_refuse(w->r, w->table.file, 0, 0, "path: %s", why.text);
  return pb_refuse_node(w->r, pb_node_get(w->node, "points"), "path.points: %s", why.text);
}

// -- consistency with the rest of the task

// values of the rows at q, and their derivatives if y_q is not NULL, from an evaluation of all
// outputs
static dm_status evaluate_rows(const path_reading *w, const double *q, double *y, double *y_q) {
  dm_block b = {0};
  dm_block_alloc(&b, 1, w->y.scratch);
  DM_TRY(dm_block_new(&b));
  const dm_status s =
      dm_output_map_eval(&w->y, dm_block_alloc(&b, 1, w->y.scratch), q, NULL, y, y_q, NULL);
  dm_block_free(b.base);
  return s == DM_NOT_FINITE ? DM_OK : s;
}

// refuse rows that do not depend on any coordinate, and more rows than coordinates
static dm_status refuse_unmoved(const path_reading *w, const pb_node *outputs) {
  enum { PLACES = 4 };
  const int n = w->r->n;
  double *y, *y_q, *q, *most;
  int exact = 0;
  PB_NEW(w->r->arena, y, w->y.ny);
  PB_NEW(w->r->arena, y_q, w->y.ny * n);
  PB_NEW(w->r->arena, q, n);
  PB_NEW(w->r->arena, most, w->m);
  for (int p = 0; p < PLACES; p++) {
    // a generic configuration, without symmetry
    for (int i = 0; i < n; i++) q[i] = 0.6 + 0.5 * dm_random_uniform(7, p, (uint64_t)i);
    DM_TRY(evaluate_rows(w, q, y, y_q));
    for (int j = 0; j < w->m; j++)
      for (int i = 0; i < n; i++) {
        const double slope = fabs(y_q[w->output[j] * n + i]);
        most[j] = fmax(most[j], isnan(slope) ? 1 : slope);
      }
  }
  for (int j = 0; j < w->m; j++) {
    exact += w->within[j] == 0;
    if (most[j] < 1e-12)
      return pb_refuse_node(w->r, outputs,
                            "path.outputs: found '%.64s', which no coordinate moves; name the "
                            "other rows alone, as [tool.x, tool.z]",
                            dm_output_map_name(&w->y, w->output[j]));
  }
  if (exact > n)
    return pb_refuse_node(w->r, outputs,
                          "path.outputs: found %d rows for %d coordinate%s, expected no more rows "
                          "than these, or 'within' above 0",
                          exact, n, n == 1 ? "" : "s");
  return DM_OK;
}

// an end given in full must be at the beginning or end of the path
static dm_status check_path_end(const path_reading *w, const pb_node *section, const char *end,
                                const double *q, int point) {
  double *y;
  for (int i = 0; i < w->r->n; i++)
    if (!q || isnan(q[i])) return DM_OK;
  PB_NEW(w->r->arena, y, w->y.ny);
  DM_TRY(evaluate_rows(w, q, y, NULL));

  // compare the rows with the end of the curve
  for (int j = 0; j < w->m; j++) {
    const double r = w->curve->r[point * w->m + j], at = y[w->output[j]];
    if (fabs(at - r) <= w->within[j] + 1e-9) continue;
    return pb_refuse_node(w->r, section,
                          "%s: the output '%.64s' is %.6g there, and the path %s at %.6g; expected "
                          "one place, or 'q: free', which finds it",
                          end, dm_output_map_name(&w->y, w->output[j]), at,
                          point ? "ends" : "begins", r);
  }
  return DM_OK;
}

// refuse other conditions on the rows that would fix their value, at the ends or over an interval
static dm_status refuse_asked(const path_reading *w, const pb_sections *s) {
  const oc_outputs *o = &w->task->outputs;

  // a limit on a row that follows the path, except at an inner knot
  for (int i = 0; i < o->nlimits; i++) {
    const oc_output_limit *l = &o->limits[i];
    for (int j = 0; j < w->m; j++) {
      int first, last;
      oc_span_knots(l->at, w->task->N, &first, &last);
      const bool inner = first == last && first > 0 && last < w->task->N;
      if (l->output != w->output[j] || l->low < l->high || inner) continue;
      const pb_node *at = w->node;
      if (last == 0) at = pb_node_get(s->start, "outputs");
      if (first == w->task->N) at = pb_node_get(s->goal, "outputs");
      return pb_refuse_node(w->r, at ? at : w->node,
                            "the output '%.64s' is given twice: by 'path', which it follows, and "
                            "by a value here; expected one of them",
                            dm_output_map_name(&w->y, l->output));
    }
  }
  return DM_OK;
}

// a periodic motion needs a path that ends at its start
static dm_status check_periodic_path(const path_reading *w) {
  const oc_task *t = w->task;
  for (int i = 0; i < w->r->n; i++) {
    double low, high;
    if (!oc_task_travel(t, i, &low, &high) || low != 0) return DM_OK;
  }

  // |r(1) - r(0)| <= 2 within, for each row
  for (int j = 0; t->periodic && j < w->m; j++) {
    const double gap = w->curve->r[(w->curve->n - 1) * w->m + j] - w->curve->r[j];
    if (fabs(gap) > 2 * w->within[j] + 1e-9)
      return pb_refuse_node(w->r, w->node,
                            "path: ends %g off where it begins in '%.64s', and the motion ends as "
                            "it began; expected 'closed: true'",
                            gap, dm_output_map_name(&w->y, w->output[j]));
  }
  return DM_OK;
}

// Warn before the search about the first position on the path that no configuration reaches.
static dm_status warn_path_out_of_reach(const path_reading *w) {
  oc_timed_task timed;
  bool *fixed;
  double *q;
  dm_message why = {""};
  if (w->robot->mechanism.embed) return DM_OK;
  PB_NEW(w->r->arena, fixed, w->r->n);
  PB_NEW(w->r->arena, q, w->r->n);
  DM_TRY(oc_timed_task_new(&timed, w->task));
  const oc_task *t = &timed.task;
  dm_status s = DM_OK;
  int k = 0;

  // knot by knot, starting from or near the given start
  for (; s == DM_OK && k <= t->N; k++) {
    for (int i = 0; i < w->r->n; i++) {
      const double near = t->outputs.follow.near ? t->outputs.follow.near[i] : NAN;
      fixed[i] = k == 0 && oc_given(t->start.q, i);
      if (k == 0 && !isnan(near)) q[i] = near;
      if (fixed[i]) q[i] = t->start.q[i];
    }
    s = oc_inverse_kinematics(t, k, fixed, 0, q, &why);
  }
  oc_timed_task_free(&timed);
  if (s != DM_INFEASIBLE) return s;
  return pb_warn(w->r, w->r->file, w->node->line,
                 "path: no posture was found that has the outputs at %.3g %% of the way, near the "
                 "one before and within the limits of positions (%s): is it within reach?",
                 100 * oc_curve_timing(t, k - 1), why.text);
}

dm_status pb_path_read(pb_reader *r, const pb_sections *s, const pb_robot *robot,
                       const double *near, oc_task *task) {
  path_section p = {0};
  path_reading w = {
      .r = r, .robot = robot, .task = task, .node = s->path, .y = pb_robot_outputs(robot)};
  if (!s->path) return DM_OK;
  DM_TRY(pb_schema_read(r, "path", s->path, pb_followed_keys, &p));
  const bool closed = !strcmp(p.closed, "true");
  const int ways = !!p.points + !!p.csv + !!p.formula;
  if (ways != 1)
    return pb_refuse_node(r, s->path, "path: found %s of points, csv, formula, expected one",
                          ways ? "several" : "none");

  // rows, points, and the curve
  DM_TRY(read_rows(&w, p.outputs));
  DM_TRY(read_within(&w, p.within));

  // the range and the tolerance of each row
  static const double rounding = 1e-9;
  PB_NEW(w.r->arena, w.row, w.m);
  for (int j = 0; j < w.m; j++) {
    const double room = w.within[j] + rounding;
    double range[2];
    dm_outputs_range(w.robot->outputs.rows, w.output[j], range);
    w.row[j] =
        (pb_path_row){dm_output_map_name(&w.y, w.output[j]), range[0] - room, range[1] + room};
  }

  if (p.points) DM_TRY(read_points(&w, p.points));
  if (p.csv) DM_TRY(read_table(&w, p.csv, closed));
  DM_TRY(p.formula ? read_formula(&w, p.formula, closed) : make_curve(&w, closed));

  // consistency with the rest of the task
  DM_TRY(refuse_unmoved(&w, p.outputs));
  DM_TRY(refuse_asked(&w, s));
  DM_TRY(check_path_end(&w, s->start, "start", task->start.q, 0));
  if (s->goal) DM_TRY(check_path_end(&w, s->goal, "goal", task->goal.q, w.curve->n - 1));
  if (task->periodic) DM_TRY(check_periodic_path(&w));
  task->outputs.follow = (oc_followed){w.curve, w.output, w.within, near};
  return warn_path_out_of_reach(&w);
}

#include "problems/readers/task/read_track.h"

#include "control/feedback/resample.h"
#include "control/feedback/track.h"
#include "lib/base/names.h"
#include "problems/readers/format/csv.h"
#include "problems/readers/model/output_names.h"
#include "problems/readers/task/simulation.h"

#include <math.h>
#include <string.h>

typedef struct track_entry {
  const char *output;
  double weight;
  const pb_node *reference;
} track_entry;

const pb_key pb_track_keys[] = {
    PB_KEY(track_entry, output, .type = PB_TEXT, .also = "name", .absent = PB_REQUIRED,
           .about = "An output or one of its rows: points, directions and the center of mass "
                    "relative to the world, and sums of coordinates"),
    PB_KEY(track_entry, weight, .type = PB_NUMBER, .also = "w Q", .range = "> 0",
           .unit = "per unit2", .absent = PB_REQUIRED,
           .about = "w of w (y - reference)2, for each row, beside `feedback.Q`"),
    PB_KEY(track_entry, reference, .type = PB_NODE, .also = "ref target", .note = "plan",
           .words = "plan, caller, or FILE.csv",
           .about = "Outputs of the motion that it follows, those that the caller sets, or columns "
                    "`t` and `y.NAME` of a table"),
    {0}};

bool pb_find_steps(const pb_context *c, double rate, int *N, double *h) {
  if (c->rest) {
    *N = c->rest->N;
    *h = c->rest->h;
  } else if (c->simulation) {
    *N = c->simulation->steps;
    *h = c->simulation->h;
  } else {
    *N = c->task->N;
    *h = oc_task_step(c->task);
    if (c->task->time.free) return false;
  }
  if (!isfinite(rate)) return true;
  *N = fb_resample_steps(*N * *h, rate);
  *h = 1 / rate;
  return true;
}

// the columns of some rows in a table, at the steps of the motion; its end goes on
static dm_status read_columns(pb_reader *r, const pb_node *node, const pb_context *c, double rate,
                              pb_output_rows rows, double **out, int *knots) {
  static const double MOST = 1e6;
  const char *path = "mpc.outputs[].reference";
  const dm_output_map y = pb_robot_outputs(c->robot);
  const int all = c->robot->outputs.named;
  const char **name;
  double *absent, *at, h;
  int N;
  pb_csv csv;
  DM_TRY(pb_csv_read(r, node, &csv));
  if (!pb_find_steps(c, rate, &N, &h))
    return pb_refuse_node(
        r, node,
        "%s: found a table beside a free horizon.time, expected a given time: the "
        "table is sampled by its steps",
        path);
  if (!csv.t)
    return pb_refuse_node(r, node, "%s: found '%.64s' without a column t, expected times", path,
                          node->text);
  const double steps = ceil(csv.t[csv.rows - 1] / h - 1e-9);
  if (!(steps <= MOST))
    return pb_refuse_node(r, node, "%s: found times up to %g s, expected at most %g steps of %g s",
                          path, csv.t[csv.rows - 1], MOST, h);
  *knots = 1 + (steps > N ? (int)steps : N);
  PB_NEW(r->arena, at, *knots);
  PB_NEW(r->arena, name, all);
  PB_NEW(r->arena, absent, all);
  for (int k = 0; k < *knots; k++) at[k] = k * h;
  for (int i = 0; i < all; i++) name[i] = dm_output_map_name(&y, i);
  for (int i = 0; i < rows.count; i++) absent[rows.first + i] = NAN;
  DM_TRY(pb_csv_sample(r, &csv, "y", name, all, absent, at, *knots, out));
  if (*out) return DM_OK;
  return pb_refuse_node(r, node, "%s: found '%.64s' without columns of outputs, expected y.%.64s",
                        path, node->text, name[rows.first]);
}

// one entry, whose rows are added to out; its table, or NULL, into column [rows]
static dm_status read_entry(pb_reader *r, const pb_node *node, const pb_context *c, double rate,
                            pb_track *out, const double **column, int *lengths) {
  static const char *const words[] = {"plan", "caller", NULL};
  const pb_robot *robot = c->robot;
  track_entry s = {0};
  pb_output_rows rows;
  double *table = NULL;
  int knots = 0;
  DM_TRY(pb_schema_read(r, "mpc.outputs[]", node, pb_track_keys, &s));
  DM_TRY(pb_output_rows_find(r, robot, "mpc.outputs[].output", pb_node_get(node, "output"),
                             s.output, 0, robot->outputs.named, &rows));
  const pb_node *ref = s.reference;
  const int word = ref && ref->kind == PB_SCALAR ? dm_names_find(words, 2, ref->text)
                   : ref                         ? -1
                                                 : 0;
  if (word < 0 && (ref->kind != PB_SCALAR || !strstr(ref->text, ".csv")))
    return pb_refuse_node(
        r, ref, "mpc.outputs[].reference: found '%.64s', expected plan, caller, or FILE.csv",
        ref->kind == PB_SCALAR ? ref->text : "a section");
  if (out->rows && out->asks != (word == 1))
    return pb_refuse_node(r, node,
                          "mpc.outputs[].reference: found caller for some outputs, expected it for "
                          "all or none: one call sets all");
  out->asks = word == 1;
  if (word < 0) DM_TRY(read_columns(r, ref, c, rate, rows, &table, &knots));
  for (int i = 0; i < rows.count; i++) {
    const int row = rows.first + i;
    for (int k = 0; k < out->rows; k++)
      if (out->row[k] == row)
        return pb_refuse_node(r, node, "mpc.outputs[]: found '%.64s' twice, expected it once",
                              s.output);
    if (!fb_track_knows(robot->outputs.rows, robot->mechanism.model, row))
      return pb_refuse_node(r, pb_node_get(node, "output"),
                            "mpc.outputs[].output: found '%.64s', which the code on board does not "
                            "compute: expected a position, height, alignment or center-of-mass "
                            "relative to the world, or a sum",
                            s.output);
    out->row[out->rows] = row;
    out->weight[out->rows] = s.weight;
    column[out->rows] = table ? table + row : NULL;
    lengths[out->rows++] = knots;
  }
  return DM_OK;
}

dm_status pb_track_read(pb_reader *r, const pb_node *list, const pb_context *c, double rate,
                        pb_mpc *out) {
  pb_track *t = &out->track;
  const int all = c->robot->outputs.named;
  const double **column;
  int *lengths;
  if (!list) return DM_OK;
  PB_NEW(r->arena, t->row, all);
  PB_NEW(r->arena, t->weight, all);
  PB_NEW(r->arena, column, all);
  PB_NEW(r->arena, lengths, all);
  for (const pb_node *e = list->first; e; e = e->next)
    DM_TRY(read_entry(r, e, c, rate, t, column, lengths));

  // one row per knot, of all tables; NAN: of the plan
  t->knots = 1;
  for (int i = 0; i < t->rows; i++) t->knots = lengths[i] > t->knots ? lengths[i] : t->knots;
  PB_NEW(r->arena, t->y, (size_t)t->knots * (size_t)t->rows);
  for (int i = 0; i < t->rows; i++) {
    t->tables |= column[i] != NULL;
    for (int k = 0; k < t->knots; k++) {
      const int at = k < lengths[i] ? k : lengths[i] - 1;
      t->y[k * t->rows + i] = column[i] ? column[i][at * all] : NAN;
    }
  }
  return DM_OK;
}

dm_status pb_track_bounds(pb_reader *r, const pb_robot *robot, const pb_mpc *mpc,
                          pb_verification *v) {
  const pb_track *t = &mpc->track;
  const int all = robot->outputs.all;
  double *target;
  if (!t->tables || !v->outputs.count) return DM_OK;
  PB_NEW(r->arena, target, (size_t)t->knots * (size_t)all);
  for (int i = 0; i < t->knots * all; i++) target[i] = NAN;
  for (int i = 0; i < t->rows; i++)
    for (int k = 0; k < t->knots; k++) target[k * all + t->row[i]] = t->y[k * t->rows + i];
  v->outputs.target = target;
  v->outputs.knots = t->knots;
  return DM_OK;
}
